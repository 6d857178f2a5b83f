/* SPDX-License-Identifier: MIT
 * Modules: every fixture is accepted and described as its README says; the bitcode that comes out verifies in LLVM;
 * names are found. */
#include "module_helpers.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>

#include "fixture_table.h"

static struct dxil_module *load(const char *file, bool debug)
{
    size_t byte_count;
    uint8_t *bytes = load_fixture(file, &byte_count);
    struct dxil_options options = {.prefer_debug = debug};
    struct dxil_module *module = NULL;
    struct reason reason = {{0}};
    if (dxil_module_create(bytes, byte_count, &options, &module, &reason) != STATUS_OK)
        fail_msg("%s: %s", file, reason.text);
    free(bytes); /* a module keeps nothing of the container */
    return module;
}

/* Is piece one of the parts of list, which are separated by separator and a space? */
static bool lists(const char *list, char separator, const char *piece)
{
    size_t length = strlen(piece);
    for (const char *at = list; (at = strstr(at, piece)); at++) {
        bool starts = at == list || (at[-1] == ' ' && at - 2 >= list && at[-2] == separator);
        if (starts && (at[length] == 0 || at[length] == separator))
            return true;
    }
    return false;
}

static unsigned count_parts(const char *list, char separator)
{
    unsigned count = list[0] != 0;
    for (; *list; list++)
        count += list[0] == separator && list[1] == ' ';
    return count;
}

static void entry_text(const struct dxil_function *f, char *text, size_t capacity)
{
    const char *kind = dxil_shader_kind_name(f->kind);
    if (f->kind == DXIL_SHADER_KIND_COMPUTE)
        snprintf(text, capacity, "%s compute (%u, %u, %u)", f->plain_name, f->thread_count[0], f->thread_count[1],
                 f->thread_count[2]);
    else if (f->attribute_bytes)
        snprintf(text, capacity, "%s %s %u/%u", f->plain_name, kind, f->payload_bytes, f->attribute_bytes);
    else if (f->payload_bytes)
        snprintf(text, capacity, "%s %s %u", f->plain_name, kind, f->payload_bytes);
    else
        snprintf(text, capacity, "%s %s", f->plain_name, kind);
}

static void entries_are_as_documented(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(fixture_rows); i++) {
        const struct fixture_row *row = &fixture_rows[i];
        struct dxil_module *module = load(row->file, false);
        unsigned entries = 0;
        for (uint32_t k = 0; k < module->function_count; k++) {
            char text[256];
            if (!module->functions[k].is_entry)
                continue;
            entries++;
            entry_text(&module->functions[k], text, sizeof(text));
            if (strstr(row->file, "renamed") == NULL && !lists(row->entries, ';', text))
                fail_msg("%s: entry '%s' is not in '%s'", row->file, text, row->entries);
        }
        assert_true(strstr(row->file, "renamed") || entries == count_parts(row->entries, ';'));
        dxil_module_destroy(module);
    }
}

static void shader_models_are_as_documented(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(fixture_rows); i++) {
        const struct fixture_row *row = &fixture_rows[i];
        struct dxil_module *module = load(row->file, false);
        bool library = strcmp(row->kind, "lib") == 0;
        assert_int_equal(module->shader_kind, library ? DXIL_SHADER_KIND_LIBRARY : DXIL_SHADER_KIND_COMPUTE);
        assert_int_equal(module->major, 6);
        assert_int_equal(module->minor, row->minor);
        assert_int_equal(module->native_16bit, row->native_16bit);
        assert_false(module->has_debug_info);
        dxil_module_destroy(module);
    }
}

static const char *element_text(const struct dxil_resource *r)
{
    switch (r->component_type) {
    case DXIL_COMPONENT_TYPE_I32:
        return "i32";
    case DXIL_COMPONENT_TYPE_U32:
        return "u32";
    case DXIL_COMPONENT_TYPE_UNORM_F32:
        return "unorm";
    case DXIL_COMPONENT_TYPE_SNORM_F32:
        return "snorm";
    default:
        return "f32";
    }
}

static void shape_text(const struct dxil_resource *r, char *text, size_t capacity)
{
    static const char *const textures[] = {"",         "1d",      "2d",        "2dMS",      "3d",
                                           "cube",     "1darray", "2darray",   "2dMSarray", "cubearray"};
    const char *view = r->resource_class == DXIL_RESOURCE_CLASS_SRV ? "SRV" : "UAV";
    const char *access = r->resource_class == DXIL_RESOURCE_CLASS_SRV ? "r/o" : "r/w";
    char samples[16] = "";
    if (r->kind == DXIL_RESOURCE_KIND_TEXTURE2DMS && r->sample_count)
        snprintf(samples, sizeof(samples), "%u", r->sample_count);
    if (r->resource_class == DXIL_RESOURCE_CLASS_CBV)
        snprintf(text, capacity, "cbuffer");
    else if (r->resource_class == DXIL_RESOURCE_CLASS_SAMPLER)
        snprintf(text, capacity, "sampler");
    else if (r->kind == DXIL_RESOURCE_KIND_ACCELERATIONSTRUCTURE)
        snprintf(text, capacity, "%s TLAS", view);
    else if (r->kind == DXIL_RESOURCE_KIND_STRUCTUREDBUFFER)
        snprintf(text, capacity, "%s struct %s%s", view, access, r->has_counter ? "+cnt" : "");
    else if (r->kind == DXIL_RESOURCE_KIND_RAWBUFFER)
        snprintf(text, capacity, "%s byte %s", view, access);
    else if (r->kind == DXIL_RESOURCE_KIND_TYPEDBUFFER)
        snprintf(text, capacity, "%s %s buf", view, element_text(r));
    else
        snprintf(text, capacity, "%s %s %s%s", view, element_text(r), textures[r->kind], samples);
}

static void resource_text(const struct dxil_resource *r, char *text, size_t capacity)
{
    char shape[64], space[24] = "", range[24] = "";
    shape_text(r, shape, sizeof(shape));
    if (r->space)
        snprintf(space, sizeof(space), " space%u", r->space);
    if (r->range_count == DXIL_RANGE_UNBOUNDED)
        snprintf(range, sizeof(range), " [unbounded]");
    else if (r->range_count != 1)
        snprintf(range, sizeof(range), " [%u]", r->range_count);
    snprintf(text, capacity, "%c%u%s %s: %s%s", "tubs"[r->resource_class], r->lower_bound, space, r->name, shape, range);
}

/* Compute modules have no names: a part with this register and this shape. */
static bool lists_nameless(const char *list, const struct dxil_resource *r, const char *text)
{
    char begin[48], shape[128];
    const char *colon = strchr(text, ':');
    snprintf(begin, sizeof(begin), "%.*s", (int)(colon - text), text);
    snprintf(shape, sizeof(shape), "%s", colon);
    size_t length = strlen(begin);
    for (const char *at = list; at; at = strchr(at, ';')) {
        at += *at == ';' ? 2 : 0;
        const char *end = strchrnul(at, ';'), *shape_at = memchr(at, ':', (size_t)(end - at));
        bool same = strncmp(at, begin, length) == 0 && shape_at && (size_t)(end - shape_at) == strlen(shape) &&
                    strncmp(shape_at, shape, strlen(shape)) == 0;
        if (same && r->name[0] == 0)
            return true;
    }
    return false;
}

static void resources_are_as_documented(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(fixture_rows); i++) {
        const struct fixture_row *row = &fixture_rows[i];
        if (!row->resources[0])
            continue;
        struct dxil_module *module = load(row->file, false);
        for (uint32_t k = 0; k < module->resource_count; k++) {
            char text[256];
            resource_text(&module->resources[k], text, sizeof(text));
            if (!lists(row->resources, ';', text) && !lists_nameless(row->resources, &module->resources[k], text))
                fail_msg("%s: resource '%s' is not in '%s'", row->file, text, row->resources);
        }
        assert_int_equal(module->resource_count, count_parts(row->resources, ';'));
        dxil_module_destroy(module);
    }
}

/* In a library every resource that createHandleForLib reads has its variable's name. */
static void library_resources_have_symbols(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(fixture_rows); i++) {
        struct dxil_module *module = load(fixture_rows[i].file, false);
        for (uint32_t k = 0; k < module->resource_count; k++)
            if (module->shader_kind == DXIL_SHADER_KIND_LIBRARY)
                assert_non_null(module->resources[k].symbol);
        dxil_module_destroy(module);
    }
}

static void operations_are_as_documented(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(fixture_rows); i++) {
        const struct fixture_row *row = &fixture_rows[i];
        struct dxil_module *module = load(row->file, false);
        for (uint32_t k = 0; k < module->function_count; k++)
            for (uint32_t n = 0; n < module->functions[k].op_count; n++)
                if (row->ops[0] && !lists(row->ops, ',', module->functions[k].ops[n]->name))
                    fail_msg("%s: %s is not in '%s'", row->file, module->functions[k].ops[n]->name, row->ops);
        dxil_module_destroy(module);
    }
}

/* Sources with one build use every operation of their list. */
static void operations_are_complete(void **state)
{
    (void)state;
    static const char *const single[] = {"13_rayquery.dxil", "20_textures.dxil", "23_ser.dxil", "31_sm610_preview.dxil"};
    for (size_t i = 0; i < ARRAY_COUNT(fixture_rows); i++) {
        const struct fixture_row *row = &fixture_rows[i];
        bool wanted = false;
        for (size_t k = 0; k < ARRAY_COUNT(single); k++)
            wanted |= strcmp(single[k], row->file) == 0;
        if (!wanted)
            continue;
        struct dxil_module *module = load(row->file, false);
        bool seen[4096] = {0};
        unsigned count = 0;
        for (uint32_t k = 0; k < module->function_count; k++)
            for (uint32_t n = 0; n < module->functions[k].op_count; n++) {
                uint32_t number = module->functions[k].ops[n]->number;
                bool *slot = &seen[(number & 0x7ff) | (number >> 31) << 11];
                count += !*slot;
                *slot = true;
            }
        assert_int_equal(count, count_parts(row->ops, ','));
        dxil_module_destroy(module);
    }
}

static void ignore_diagnostic(LLVMDiagnosticInfoRef info, void *cookie)
{
    (void)info;
    (void)cookie;
}

static void verify_in_llvm(const char *file, bool debug)
{
    struct dxil_module *module = load(file, debug);
    LLVMContextRef context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(context, ignore_diagnostic, NULL);
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange((const char *)module->bitcode, module->bitcode_bytes, file, true);
    LLVMModuleRef parsed = NULL;
    char *message = NULL;
    if (LLVMParseBitcodeInContext2(context, buffer, &parsed))
        fail_msg("%s: LLVM cannot read the bitcode", file);
    if (LLVMVerifyModule(parsed, LLVMReturnStatusAction, &message))
        fail_msg("%s: %s", file, message);
    for (uint32_t k = 0; k < module->function_count; k++)
        assert_non_null(LLVMGetNamedFunction(parsed, module->functions[k].name));
    for (uint32_t k = 0; k < module->resource_count; k++)
        if (module->resources[k].symbol)
            assert_non_null(LLVMGetNamedGlobal(parsed, module->resources[k].symbol));
    LLVMDisposeMessage(message);
    LLVMDisposeModule(parsed);
    LLVMDisposeMemoryBuffer(buffer);
    LLVMContextDispose(context);
    dxil_module_destroy(module);
}

static void bitcode_verifies_in_llvm(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(fixture_rows); i++)
        verify_in_llvm(fixture_rows[i].file, false);
}

static void debug_bitcode_verifies_in_llvm(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(fixture_rows); i++) {
        if (!strstr(fixture_rows[i].file, ".zi."))
            continue;
        struct dxil_module *module = load(fixture_rows[i].file, true);
        assert_true(module->has_debug_info);
        dxil_module_destroy(module);
        verify_in_llvm(fixture_rows[i].file, true);
    }
}

static void denormal_modes_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        enum dxil_denorm_mode mode;
    } cases[] = {
        {"15_math.dxil", DXIL_DENORM_MODE_ANY},
        {"15_math.ftz.dxil", DXIL_DENORM_MODE_FLUSH},
        {"15_math.preserve.dxil", DXIL_DENORM_MODE_PRESERVE},
    };
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct dxil_module *module = load(cases[i].file, false);
        assert_int_equal(dxil_module_find_function(module, "MathMain", NULL)->denorm_mode, cases[i].mode);
        dxil_module_destroy(module);
    }
}

static void imports_are_listed_as_undefined(void **state)
{
    (void)state;
    struct dxil_module *module = load("26b_import_helpers.dxil", false);
    const struct dxil_function *imported = dxil_module_find_function(module, "HelperInA", NULL);
    assert_non_null(imported);
    assert_false(imported->defined);
    dxil_module_destroy(module);
    module = load("26a_import_main.dxil", false);
    const struct dxil_function *defined = dxil_module_find_function(module, "HelperInA", NULL);
    assert_true(defined && defined->defined && defined->exported);
    dxil_module_destroy(module);
}

static void callees_are_listed(void **state)
{
    (void)state;
    struct dxil_module *module = load("26a_import_main.dxil", false);
    const struct dxil_function *entry = dxil_module_find_function(module, "ImportRayGen", NULL);
    assert_non_null(entry);
    assert_true(entry->callee_count > 0);
    for (uint32_t i = 0; i < entry->callee_count; i++)
        assert_true(entry->callees[i] < module->function_count);
    dxil_module_destroy(module);
}

static void names_are_found(void **state)
{
    (void)state;
    struct dxil_module *module = load("01_hello_triangle.dxil", false);
    bool ambiguous = true;
    const struct dxil_function *plain = dxil_module_find_function(module, "RayGen", &ambiguous);
    assert_non_null(plain);
    assert_false(ambiguous);
    assert_ptr_equal(dxil_module_find_function(module, "\01?RayGen@@YAXXZ", NULL), plain);
    assert_null(dxil_module_find_function(module, "raygen", &ambiguous));
    assert_false(ambiguous);
    dxil_module_destroy(module);
}

static void names_lose_their_mangling(void **state)
{
    (void)state;
    static const struct {
        const char *mangled, *plain;
    } cases[] = {
        {"\01?RayGen@@YAXXZ", "RayGen"}, {"Main", "Main"},       {"\01?", "\01?"},
        {"\01?@@YAXXZ", "\01?@@YAXXZ"},  {"?Name@@YA", "?Name@@YA"}, {"", ""},
    };
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        size_t length;
        const char *plain = dxil_name_plain(cases[i].mangled, &length);
        assert_int_equal(length, strlen(cases[i].plain));
        assert_memory_equal(plain, cases[i].plain, length);
    }
}

static void wave_sizes_are_read(void **state)
{
    (void)state;
    struct dxil_module *module = load("22a_wave.dxil", false);
    const struct dxil_function *entry = dxil_module_find_function(module, "WaveMain", NULL);
    assert_int_equal(entry->wave_minimum, 0); /* the source asks for none */
    dxil_module_destroy(module);
}

static void qualified_payloads_are_known(void **state)
{
    static const struct {
        const char *file;
        bool qualified;
    } rows[] = {{"12_payload_qualifiers.dxil", true}, {"12_payload_qualifiers.nopaq.dxil", false}, {"01_hello_triangle.dxil", false}};
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct dxil_module *module = load(rows[i].file, false);
        unsigned checked = 0;
        for (uint32_t k = 0; k < module->function_count; k++) {
            enum dxil_shader_kind kind = module->functions[k].kind;
            if (kind != DXIL_SHADER_KIND_CLOSESTHIT && kind != DXIL_SHADER_KIND_MISS && kind != DXIL_SHADER_KIND_ANYHIT)
                continue;
            assert_int_equal(module->functions[k].has_qualified_payload, rows[i].qualified);
            checked++;
        }
        assert_true(checked > 0);
        dxil_module_destroy(module);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_as_documented),
        cmocka_unit_test(shader_models_are_as_documented),
        cmocka_unit_test(resources_are_as_documented),
        cmocka_unit_test(library_resources_have_symbols),
        cmocka_unit_test(operations_are_as_documented),
        cmocka_unit_test(operations_are_complete),
        cmocka_unit_test(bitcode_verifies_in_llvm),
        cmocka_unit_test(debug_bitcode_verifies_in_llvm),
        cmocka_unit_test(denormal_modes_are_read),
        cmocka_unit_test(imports_are_listed_as_undefined),
        cmocka_unit_test(callees_are_listed),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(names_lose_their_mangling),
        cmocka_unit_test(wave_sizes_are_read),
        cmocka_unit_test(qualified_payloads_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
