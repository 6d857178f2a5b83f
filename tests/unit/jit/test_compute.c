/* SPDX-License-Identifier: MIT
 * Compute vectors of the fixtures whose bindings are root descriptors, through the compiler alone: no device, no queue.
 * run-vectors executes all vectors through the API; this tells faults of the compiler from those of everything above it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abi/services.h"
#include "dxil/module.h"
#include "dxil/root_signature.h"
#include "jit/group.h"
#include "jit/jit.h"

enum { MAX_BUFFERS = 8, ROOT_BYTES = 512 };

struct buffer {
    char name[64];
    uint32_t *words;
    size_t word_count, byte_count;
};

struct machine {
    FILE *file;
    struct jit *jit;
    struct dxil_module *module;
    struct dxil_root_signature root;
    struct buffer buffers[MAX_BUFFERS];
    size_t buffer_count;
    uint8_t root_arguments[ROOT_BYTES];
    uint64_t root_bytes[64];
    struct jit_code *code;
    uint32_t abort_flag;
    unsigned fault_count, bad_rows, checked_rows;
};

static struct machine *current; /* services have no other way to the test */

static uint64_t bytes_behind(struct abi_thread *thread, uint64_t address)
{
    (void)thread;
    for (size_t i = 0; i < current->buffer_count; i++)
        if ((uint64_t)(uintptr_t)current->buffers[i].words == address)
            return current->buffers[i].byte_count;
    return 0;
}

static void fault(struct abi_thread *thread, uint32_t kind, uint64_t detail)
{
    (void)thread;
    (void)kind;
    (void)detail;
    current->fault_count++;
}

static void *read_file(const char *path, size_t *byte_count)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    *byte_count = (size_t)ftell(file);
    rewind(file);
    void *bytes = malloc(*byte_count + 1);
    if (fread(bytes, 1, *byte_count, file) != *byte_count)
        abort();
    fclose(file);
    return bytes;
}

/* --- the vector format, as far as these vectors use it --------------------------------------------------------- */

static void read_buffer(struct machine *m, char *line)
{
    struct buffer *b = &m->buffers[m->buffer_count++];
    assert_true(m->buffer_count <= MAX_BUFFERS);
    char *bytes = strstr(line, " bytes ");
    assert_non_null(bytes);
    b->byte_count = strtoul(bytes + 7, NULL, 10);
    b->words = calloc(1, b->byte_count + 64);
    sscanf(line, "resource %63s", b->name);
}

static void read_words(struct buffer *b, char *line)
{
    for (char *word = strtok(line, " \t\n"); word; word = strtok(NULL, " \t\n")) {
        char *end;
        uint32_t value = (uint32_t)strtoul(word, &end, 16);
        unsigned long count = *end == '*' ? strtoul(end + 1, NULL, 10) : 1;
        while (count-- && b->word_count * 4 < b->byte_count)
            b->words[b->word_count++] = value;
    }
}

static struct buffer *find_buffer(struct machine *m, const char *name)
{
    for (size_t i = 0; i < m->buffer_count; i++)
        if (!strcmp(m->buffers[i].name, name))
            return &m->buffers[i];
    fail_msg("no resource %s", name);
    return NULL;
}

static void read_module(struct machine *m, const char *name)
{
    char path[512];
    size_t byte_count;
    struct reason reason = {0};
    snprintf(path, sizeof(path), "%s/dxil/%s", CDXR_FIXTURES, name);
    void *bytes = read_file(path, &byte_count);
    assert_non_null(bytes);
    if (dxil_module_create(bytes, byte_count, NULL, &m->module, &reason) != STATUS_OK)
        fail_msg("%s: %s", name, reason.text);
    if (dxil_root_signature_parse(bytes, byte_count, &m->root, &reason) != STATUS_OK)
        fail_msg("%s: %s", name, reason.text);
    free(bytes);
}

static void bind(struct machine *m, const char *line)
{
    char class, name[64];
    unsigned index, space;
    assert_int_equal(sscanf(line, "bind %c%u space %u %63s", &class, &index, &space, name), 4);
    struct dxil_binding binding;
    enum dxil_register_type type = class == 't'   ? DXIL_REGISTER_SRV
                                   : class == 'u' ? DXIL_REGISTER_UAV
                                   : class == 'b' ? DXIL_REGISTER_CBV
                                                  : DXIL_REGISTER_SAMPLER;
    assert_true(dxil_root_signature_find(&m->root, type, space, index, &binding));
    const struct buffer *buffer = find_buffer(m, name);
    uint64_t address = (uint64_t)(uintptr_t)buffer->words;
    if (binding.kind == DXIL_BINDING_CONSTANTS)
        memcpy(m->root_arguments + binding.argument_offset, buffer->words, binding.constant_count * 4);
    else if (binding.kind == DXIL_BINDING_TABLE)
        fail_msg("a table");
    m->root_bytes[binding.parameter_index] = buffer->byte_count;
    if (binding.kind != DXIL_BINDING_CONSTANTS)
        memcpy(m->root_arguments + binding.argument_offset, &address, sizeof(address));
}

static void dispatch(struct machine *m, const char *line)
{
    char entry[256];
    unsigned groups[3];
    struct reason reason = {0};
    assert_int_equal(sscanf(line, "dispatch %255s %u %u %u", entry, &groups[0], &groups[1], &groups[2]), 4);
    struct jit_export export = {m->module, entry, entry, &m->root, NULL};
    const struct dxil_module *modules[] = {m->module};
    struct jit_program program = {.modules = modules, .module_count = 1, .exports = &export, .export_count = 1};
    jit_code_release(m->code);
    m->code = NULL;
    if (jit_compile(m->jit, &program, &m->code, &reason) != STATUS_OK)
        fail_msg("%s", reason.text);
    const struct abi_services services = {.bytes_behind = bytes_behind, .fault = fault};
    struct abi_dispatch d = {.services = &services, .global_root_arguments = m->root_arguments,
                             .abort_flag = &m->abort_flag,
                             .global_root_bytes = m->root_bytes};
    struct abi_thread thread = {.dispatch = &d, .shader = jit_code_shader(m->code, 0)};
    memcpy(d.dimensions, groups, sizeof(d.dimensions));
    void *shared = calloc(1, thread.shader->groupshared_bytes + 64);
    for (uint32_t z = 0; z < groups[2]; z++)
        for (uint32_t y = 0; y < groups[1]; y++)
            for (uint32_t x = 0; x < groups[0]; x++) {
                memcpy(thread.group_id, (uint32_t[]){x, y, z}, sizeof(thread.group_id));
                jit_group_run(thread.shader, &thread, shared);
            }
    free(shared);
}

/* --- expectations ---------------------------------------------------------------------------------------------- */

static bool is_near(double got, double wanted, double absolute, double relative)
{
    if (isnan(got) || isnan(wanted))
        return isnan(got) && isnan(wanted);
    return got == wanted || fabs(got - wanted) <= absolute + relative * fabs(wanted);
}

static bool is_half_near(uint32_t got, uint32_t wanted, unsigned ulps)
{
    bool nan = (got & 0x7fff) > 0x7c00, wanted_nan = (wanted & 0x7fff) > 0x7c00;
    int a = got & 0x8000 ? -(int)(got & 0x7fff) : (int)got, b = wanted & 0x8000 ? -(int)(wanted & 0x7fff) : (int)wanted;
    return nan || wanted_nan ? nan && wanted_nan : abs(a - b) <= (int)ulps;
}

struct limits {
    double absolute, relative;
    unsigned ulps;
};

static bool word_is_right(char letter, const uint32_t *got, const char *text, const struct limits *limits)
{
    float f;
    double d;
    memcpy(&f, got, sizeof(f));
    switch (letter) {
    case 'u':
        return *got == (uint32_t)strtoul(text, NULL, 16);
    case 's':
        return *got == (uint32_t)strtol(text, NULL, 10);
    case 'h':
        return is_half_near(*got & 0xffff, (uint32_t)strtoul(text, NULL, 16) & 0xffff, limits->ulps);
    case 'f':
        return is_near(f, strtof(text, NULL), limits->absolute, limits->relative);
    case 'd':
        memcpy(&d, got, sizeof(d));
        return is_near(d, strtod(text, NULL), limits->absolute, limits->relative);
    default:
        return true;
    }
}

static bool row_is_right(const char *layout, const uint32_t *got, char *line, const struct limits *limits)
{
    char *save = NULL, *text = strtok_r(line, " \t\n", &save);
    for (const char *l = layout; *l && text; l++, got++, text = strtok_r(NULL, " \t\n", &save)) {
        if (!word_is_right(*l, got, text, limits)) {
            print_message("column %u (%c): got %08x %08x, wanted %s\n", (unsigned)(l - layout), *l, got[0], got[1], text);
            return false;
        }
        if (*l == 'd') {
            l++;
            got++;
        }
    }
    return true;
}

static void expect(struct machine *m, const char *line)
{
    char name[64], layout[256], *row = NULL;
    struct limits limits = {0};
    unsigned max_bad = 0, first = 0, count = 0, bad = 0;
    const char *ulps = strstr(line, " ulps ");
    assert_int_equal(sscanf(line, "expect %63s layout %255s abs %lf rel %lf maxbad %u first %u rows %u", name, layout,
                            &limits.absolute, &limits.relative, &max_bad, &first, &count), 7);
    limits.ulps = ulps ? (unsigned)strtoul(ulps + 6, NULL, 10) : strchr(layout, 'h') ? 1 : 0;
    const struct buffer *b = find_buffer(m, name);
    size_t capacity = 0, words = strlen(layout);
    for (unsigned i = 0; i < count; i++) {
        assert_true(getline(&row, &capacity, m->file) > 0);
        const uint32_t *got = b->words + (first + i) * words;
        if (row_is_right(layout, got, row, &limits))
            continue;
        print_message("row %u of %s is wrong: %s", first + i, name, strchr(line, '#') ? strchr(line, '#') : "\n");
        bad++;
    }
    free(row);
    m->checked_rows += count;
    if (bad > max_bad)
        m->bad_rows += bad;
}

static void poke(struct machine *m, const char *line)
{
    char name[64];
    unsigned offset, word;
    if (sscanf(line, "poke %63s %u %x", name, &offset, &word) == 3)
        find_buffer(m, name)->words[offset / 4] = word;
}

static void run_line(struct machine *m, char *line)
{
    if (!strncmp(line, "resource ", 9))
        read_buffer(m, line);
    else if (!strncmp(line, "  ", 2) && m->buffer_count)
        read_words(&m->buffers[m->buffer_count - 1], line);
    else if (!strncmp(line, "module ", 7))
        read_module(m, strtok(line + 7, " \n"));
    else if (!strncmp(line, "bind ", 5))
        bind(m, line);
    else if (!strncmp(line, "dispatch ", 9))
        dispatch(m, line);
    else if (!strncmp(line, "expect ", 7))
        expect(m, line);
    else if (!strncmp(line, "poke ", 5))
        poke(m, line);
}

static void run_vector(const char *name, uint32_t wave_size, bool debug)
{
    char path[512], *line = NULL;
    size_t capacity = 0;
    struct machine m = {0};
    struct jit_options options;
    struct reason reason = {0};
    current = &m;
    jit_options_init(&options);
    options.wave_size = wave_size;
    options.debug = debug;
    if (jit_create(&options, &m.jit, &reason) != STATUS_OK)
        fail_msg("%s", reason.text);
    snprintf(path, sizeof(path), "%s/expected/%s.txt", CDXR_FIXTURES, name);
    m.file = fopen(path, "r");
    assert_non_null(m.file);
    while (getline(&line, &capacity, m.file) > 0)
        run_line(&m, line);
    fclose(m.file);
    free(line);
    for (size_t i = 0; i < m.buffer_count; i++)
        free(m.buffers[i].words);
    jit_code_release(m.code);
    dxil_module_destroy(m.module);
    dxil_root_signature_finish(&m.root);
    jit_destroy(m.jit);
    assert_true(m.checked_rows > 0);
    assert_int_equal(m.fault_count, 0);
    if (m.bad_rows)
        fail_msg("%s: %u rows are wrong", name, m.bad_rows);
}

struct row {
    const char *vector;
    uint32_t wave_size;
    bool debug;
};

static void test_vector(void **state)
{
    const struct row *row = *state;
    run_vector(row->vector, row->wave_size, row->debug);
}

static const struct row rows[] = {
    {"15_math", 32, false},       {"15_math.gis", 32, false},  {"15_math.preserve", 32, false},
    {"15_math.ftz", 32, false},   {"16_int64_double", 32, false}, {"17_half16", 32, false},
    {"18_groupshared", 32, false}, {"18_groupshared", 32, true}, {"22a_wave.w4", 4, false},   {"22a_wave.w16", 16, false},
    {"22a_wave.w32", 32, false},  {"22a_wave.w64", 64, false}, {"22a_wave.w32", 32, true},
    {"22b_wave65.w4", 4, false},  {"22b_wave65.w16", 16, false}, {"22b_wave65.w32", 32, false},
    {"22b_wave65.w64", 64, false}, {"28_vectors69", 32, false}, {"30_min_precision", 32, false},
    {"32_vector_ops69", 32, false},
};

int main(int argc, char **argv)
{
    struct CMUnitTest tests[ARRAY_COUNT(rows)];
    size_t count = 0;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (argc < 2 || strstr(rows[i].vector, argv[1]))
            tests[count++] = (struct CMUnitTest){rows[i].vector, test_vector, NULL, NULL, (void *)&rows[i]};
    return _cmocka_run_group_tests("jit_compute", tests, count, NULL, NULL);
}
