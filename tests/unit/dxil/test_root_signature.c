/* SPDX-License-Identifier: MIT
 * Root signatures: reading every fixture, writing them back byte for byte, the rules, argument layout and lookup. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>

#include "dxil/container.h"
#include "dxil/root_signature.h"

static uint8_t *read_file(const char *path, size_t *byte_count)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *byte_count = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*byte_count + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *byte_count, file), *byte_count);
    fclose(file);
    return bytes;
}

static uint8_t *read_fixture(const char *name, size_t *byte_count)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/dxil/%s", CDXR_FIXTURES, name);
    return read_file(path, byte_count);
}

typedef void (*fixture_fn)(const char *name, const uint8_t *bytes, size_t byte_count);

static void for_each_fixture(fixture_fn function)
{
    DIR *directory = opendir(CDXR_FIXTURES "/dxil");
    assert_non_null(directory);
    int seen = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        size_t length = strlen(entry->d_name), byte_count;
        if (length < 3 || strcmp(entry->d_name + length - 3, ".rs") != 0)
            continue;
        uint8_t *bytes = read_fixture(entry->d_name, &byte_count);
        function(entry->d_name, bytes, byte_count);
        free(bytes);
        seen++;
    }
    closedir(directory);
    assert_true(seen > 30);
}

static void round_trip(const char *name, const uint8_t *bytes, size_t byte_count)
{
    struct dxil_root_signature signature;
    struct reason reason = {0};
    void *written;
    size_t written_count;
    if (dxil_root_signature_parse(bytes, byte_count, &signature, &reason) != STATUS_OK)
        fail_msg("%s: %s", name, reason.text);
    assert_int_equal(dxil_root_signature_serialize(&signature, signature.version, &written, &written_count, &reason),
                     STATUS_OK);
    assert_int_equal(written_count, byte_count);
    assert_memory_equal(written, bytes, byte_count);
    free(written);
    dxil_root_signature_finish(&signature);
}

static void test_fixtures_round_trip_byte_for_byte(void **state)
{
    (void)state;
    for_each_fixture(round_trip);
}

/* Bare RTS0 bytes, as a library's subobjects hold them. */
static void parse_bare(const char *name, const uint8_t *bytes, size_t byte_count)
{
    struct dxil_root_signature whole, bare;
    assert_int_equal(dxil_root_signature_parse(bytes, byte_count, &whole, NULL), STATUS_OK);
    if (dxil_root_signature_parse(bytes + 44, byte_count - 44, &bare, NULL) != STATUS_OK)
        fail_msg("%s: bare bytes are not accepted", name);
    assert_true(dxil_root_signature_equal(&whole, &bare));
    assert_int_equal(dxil_root_signature_hash(&whole), dxil_root_signature_hash(&bare));
    dxil_root_signature_finish(&whole);
    dxil_root_signature_finish(&bare);
}

static void test_bare_part_equals_container(void **state)
{
    (void)state;
    for_each_fixture(parse_bare);
}

static void truncate_everywhere(const char *name, const uint8_t *bytes, size_t byte_count)
{
    for (size_t i = 0; i < byte_count; i++) {
        struct dxil_root_signature signature;
        struct reason reason = {0};
        uint8_t *copy = malloc(i + 1); /* exact size: overreads are seen by ASan */
        assert_non_null(copy);
        uint8_t *exact = realloc(copy, i ? i : 1);
        memcpy(exact, bytes, i);
        if (dxil_root_signature_parse(exact, i, &signature, &reason) == STATUS_OK)
            fail_msg("%s: accepted when cut to %zu bytes", name, i);
        assert_true(reason.text[0]);
        free(exact);
    }
}

static void test_truncated_is_refused_with_a_reason(void **state)
{
    (void)state;
    for_each_fixture(truncate_everywhere);
}

static void test_library_without_root_signature_is_refused(void **state)
{
    (void)state;
    size_t byte_count;
    uint8_t *bytes = read_fixture("01_hello_triangle.dxil", &byte_count);
    struct dxil_root_signature signature;
    struct reason reason = {0};
    assert_false(dxil_root_signature_is_in(bytes, byte_count));
    assert_int_equal(dxil_root_signature_parse(bytes, byte_count, &signature, &reason), STATUS_ABSENT);
    assert_non_null(strstr(reason.text, "root signature"));
    free(bytes);
}

/* SO-15: a library whose only global root signature is a subobject counts as a container with a root signature. */
static void test_library_with_global_root_signature_subobject(void **state)
{
    (void)state;
    size_t byte_count;
    uint8_t *bytes = read_fixture("10_pipeline_config1.dxil", &byte_count);
    struct dxil_root_signature signature;
    struct reason reason = {0};
    if (dxil_root_signature_parse(bytes, byte_count, &signature, &reason) != STATUS_OK)
        fail_msg("%s", reason.text);
    assert_int_equal(signature.parameter_count, 2);
    dxil_root_signature_finish(&signature);
    free(bytes);
}

/* A shader container with an RTS0 part: what -rootsig-define leaves in a shader. */
static void test_container_with_embedded_part(void **state)
{
    (void)state;
    size_t shader_count, rs_count;
    uint8_t *shader = read_fixture("15_math.dxil", &shader_count);
    struct dxil_root_signature signature;
    struct reason reason = {0};
    bool embedded = dxil_root_signature_is_in(shader, shader_count);
    uint8_t *rs = read_fixture("15_math.rs.rs", &rs_count);
    struct dxil_root_signature expected;
    assert_int_equal(dxil_root_signature_parse(rs, rs_count, &expected, NULL), STATUS_OK);
    assert_true(embedded);
    assert_int_equal(dxil_root_signature_parse(shader, shader_count, &signature, &reason), STATUS_OK);
    assert_true(dxil_root_signature_equal(&signature, &expected));
    dxil_root_signature_finish(&signature);
    dxil_root_signature_finish(&expected);
    free(shader);
    free(rs);
}

/* --- hand-made signatures --- */

struct build {
    struct dxil_root_signature signature;
    struct dxil_root_parameter parameters[70];
    struct dxil_descriptor_range ranges[8];
    struct dxil_static_sampler samplers[4];
};

static void add_root(struct build *b, uint32_t type, uint32_t reg, uint32_t space, uint32_t count_or_flags)
{
    struct dxil_root_parameter *p = &b->parameters[b->signature.parameter_count++];
    *p = (struct dxil_root_parameter){.type = type, .shader_register = reg, .space = space};
    *(type == DXIL_ROOT_PARAMETER_CONSTANTS ? &p->constant_count : &p->flags) = count_or_flags;
}

static void add_table(struct build *b, uint32_t range_count)
{
    b->parameters[b->signature.parameter_count++] = (struct dxil_root_parameter){
        .type = DXIL_ROOT_PARAMETER_TABLE, .first_range = b->signature.range_count, .range_count = range_count};
}

static void add_range(struct build *b, uint32_t type, uint32_t count, uint32_t base, uint32_t space, uint32_t flags,
                      uint32_t offset)
{
    b->ranges[b->signature.range_count++] = (struct dxil_descriptor_range){type, count, base, space, flags, offset, 0};
}

static struct dxil_static_sampler good_sampler(uint32_t reg)
{
    return (struct dxil_static_sampler){.filter = 0x15, .address_u = 1, .address_v = 2, .address_w = 3,
                                        .max_anisotropy = 16, .comparison = 4, .max_lod = 1000.0f,
                                        .shader_register = reg};
}

static void begin(struct build *b)
{
    memset(b, 0, sizeof(*b));
    b->signature.version = DXIL_ROOT_SIGNATURE_VERSION_1_1;
    b->signature.parameters = b->parameters;
    b->signature.ranges = b->ranges;
    b->signature.static_samplers = b->samplers;
}

enum { APPEND = (int)DXIL_RANGE_APPEND, UNBOUNDED = (int)DXIL_UNBOUNDED };

static void overlap_ranges(struct build *b) { add_table(b, 2); add_range(b, 0, 4, 0, 0, 0, (uint32_t)APPEND); add_range(b, 0, 1, 3, 0, 0, (uint32_t)APPEND); }
static void overlap_roots(struct build *b) { add_root(b, 2, 0, 0, 0); add_root(b, 1, 0, 0, 4); }
static void overlap_unbounded(struct build *b) { add_table(b, 1); add_range(b, 0, (uint32_t)UNBOUNDED, 5, 1, 0, 0); add_root(b, 3, 900000, 1, 0); }
static void overlap_samplers(struct build *b) { add_table(b, 1); add_range(b, 3, 2, 0, 0, 0, 0); b->samplers[0] = good_sampler(1); b->signature.static_sampler_count = 1; }
static void too_many_dwords(struct build *b) { add_root(b, 1, 0, 0, 63); add_root(b, 2, 1, 0, 0); }
static void append_after_unbounded(struct build *b) { add_table(b, 2); add_range(b, 0, (uint32_t)UNBOUNDED, 0, 0, 0, 0); add_range(b, 1, 1, 0, 0, 0, (uint32_t)APPEND); }
static void zero_descriptors(struct build *b) { add_table(b, 1); add_range(b, 0, 0, 0, 0, 0, 0); }
static void register_overflow(struct build *b) { add_table(b, 1); add_range(b, 0, 2, UINT32_MAX, 0, 0, 0); }
static void table_overflow(struct build *b) { add_table(b, 1); add_range(b, 0, 3, 0, 0, 0, UINT32_MAX - 1); }
static void mixed_table(struct build *b) { add_table(b, 2); add_range(b, 0, 1, 0, 0, 0, 0); add_range(b, 3, 1, 0, 0, 0, 1); }
static void unknown_range(struct build *b) { add_table(b, 1); add_range(b, 4, 1, 0, 0, 0, 0); }
static void reserved_space(struct build *b) { add_root(b, 2, 0, 0xfffffff0u, 0); }
static void unknown_type(struct build *b) { add_root(b, 5, 0, 0, 0); }
static void unknown_visibility(struct build *b) { add_root(b, 2, 0, 0, 0); b->parameters[0].visibility = 8; }
static void unknown_flags(struct build *b) { b->signature.flags = 0x1000; }
static void local_and_input_layout(struct build *b) { b->signature.flags = 0x81; }
static void local_and_heap_indexed(struct build *b) { b->signature.flags = 0x480; }
static void local_visibility(struct build *b) { b->signature.flags = 0x80; add_root(b, 2, 0, 0, 0); b->parameters[0].visibility = 5; }
static void local_too_long(struct build *b) { b->signature.flags = 0x80; add_root(b, 1, 0, 0, 1017); }
static void two_data_flags(struct build *b) { add_root(b, 3, 0, 0, 0x6); }
static void root_descriptors_volatile(struct build *b) { add_root(b, 3, 0, 0, 0x1); }
static void range_two_data_flags(struct build *b) { add_table(b, 1); add_range(b, 0, 1, 0, 0, 0xc, 0); }
static void range_volatile_static(struct build *b) { add_table(b, 1); add_range(b, 0, 1, 0, 0, 0x9, 0); }
static void range_unknown_flags(struct build *b) { add_table(b, 1); add_range(b, 0, 1, 0, 0, 0x20, 0); }
static void sampler_data_flag(struct build *b) { add_table(b, 1); add_range(b, 3, 1, 0, 0, 0x2, 0); }
static void sampler_filter(struct build *b) { b->samplers[0] = good_sampler(0); b->samplers[0].filter = 2; b->signature.static_sampler_count = 1; }
static void sampler_address(struct build *b) { b->samplers[0] = good_sampler(0); b->samplers[0].address_w = 0; b->signature.static_sampler_count = 1; }
static void sampler_bias(struct build *b) { b->samplers[0] = good_sampler(0); b->samplers[0].mip_lod_bias = 16.0f; b->signature.static_sampler_count = 1; }
static void sampler_anisotropy(struct build *b) { b->samplers[0] = good_sampler(0); b->samplers[0].max_anisotropy = 17; b->signature.static_sampler_count = 1; }
static void sampler_compare(struct build *b) { b->samplers[0] = good_sampler(0); b->samplers[0].filter = 0x95; b->samplers[0].comparison = 0; b->signature.static_sampler_count = 1; }
static void sampler_border(struct build *b) { b->samplers[0] = good_sampler(0); b->samplers[0].border_color = 5; b->signature.static_sampler_count = 1; }
static void sampler_nan(struct build *b) { b->samplers[0] = good_sampler(0); b->samplers[0].min_lod = 0.0f / 0.0f; b->signature.static_sampler_count = 1; }

static const struct {
    const char *name;
    void (*build)(struct build *b);
    const char *says;
} broken[] = {
    {"ranges of one table overlap", overlap_ranges, "t3"},
    {"root constants and CBV overlap", overlap_roots, "b0"},
    {"root SRV inside an unbounded range", overlap_unbounded, "t900000, space1"},
    {"static sampler inside a sampler range", overlap_samplers, "s1"},
    {"65 DWORDs", too_many_dwords, "65 DWORDs"},
    {"append behind unbounded", append_after_unbounded, "unbounded"},
    {"no descriptors", zero_descriptors, "NumDescriptors is 0"},
    {"register overflow", register_overflow, "overflows"},
    {"table offset overflow", table_overflow, "overflows the table"},
    {"samplers mixed with SRVs", mixed_table, "mixes samplers"},
    {"unknown range type", unknown_range, "range type 4"},
    {"reserved space", reserved_space, "reserved"},
    {"unknown parameter type", unknown_type, "type 5"},
    {"unknown visibility", unknown_visibility, "visibility 8"},
    {"unknown flags", unknown_flags, "0x1000"},
    {"local with input layout", local_and_input_layout, "LOCAL_ROOT_SIGNATURE"},
    {"local with heap indexing", local_and_heap_indexed, "LOCAL_ROOT_SIGNATURE"},
    {"local with pixel visibility", local_visibility, "VISIBILITY_ALL"},
    {"local arguments of 4068 bytes", local_too_long, "4068"},
    {"two DATA flags on a root descriptor", two_data_flags, "DATA_"},
    {"DESCRIPTORS_VOLATILE on a root descriptor", root_descriptors_volatile, "root descriptor flags"},
    {"two DATA flags on a range", range_two_data_flags, "at most one DATA_"},
    {"DATA_STATIC with DESCRIPTORS_VOLATILE", range_volatile_static, "exclude"},
    {"unknown range flags", range_unknown_flags, "unknown bits"},
    {"DATA flag on samplers", sampler_data_flag, "sampler ranges"},
    {"sampler filter", sampler_filter, "Filter"},
    {"sampler address mode", sampler_address, "address mode"},
    {"sampler LOD bias", sampler_bias, "MipLODBias"},
    {"sampler anisotropy", sampler_anisotropy, "MaxAnisotropy"},
    {"comparison sampler without function", sampler_compare, "ComparisonFunc"},
    {"sampler border", sampler_border, "BorderColor"},
    {"sampler LOD not a number", sampler_nan, "not a number"},
};

static void test_broken_rules_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(broken); i++) {
        struct build b;
        struct reason reason = {0};
        begin(&b);
        broken[i].build(&b);
        enum status status = dxil_root_signature_finish_layout(&b.signature, &reason);
        if (status != STATUS_INVALID || !strstr(reason.text, broken[i].says))
            fail_msg("%s: status %d, reason '%s' lacks '%s'", broken[i].name, status, reason.text, broken[i].says);
    }
}

static void test_overlap_of_different_visibilities_is_legal(void **state)
{
    (void)state;
    struct build b;
    begin(&b);
    add_root(&b, 2, 0, 0, 0);
    add_root(&b, 2, 0, 0, 0);
    b.parameters[0].visibility = 1;
    b.parameters[1].visibility = 5;
    assert_int_equal(dxil_root_signature_finish_layout(&b.signature, NULL), STATUS_OK);
}

static void test_64_dwords_are_legal(void **state)
{
    (void)state;
    struct build b;
    begin(&b);
    add_root(&b, 1, 0, 0, 62);
    add_root(&b, 2, 1, 0, 0);
    assert_int_equal(dxil_root_signature_finish_layout(&b.signature, NULL), STATUS_OK);
    assert_int_equal(b.signature.cost_dwords, 64);
}

static void test_local_takes_4064_bytes(void **state)
{
    (void)state;
    struct build b;
    begin(&b);
    b.signature.flags = DXIL_ROOT_SIGNATURE_FLAG_LOCAL;
    add_root(&b, 1, 0, 0, 1016);
    assert_int_equal(dxil_root_signature_finish_layout(&b.signature, NULL), STATUS_OK);
    assert_int_equal(b.signature.argument_bytes, 4064);
}

/* Raytracing.md "Shader record": constants aligned to 4, descriptors and tables to 8, in parameter order. */
static void test_argument_layout(void **state)
{
    (void)state;
    struct build b;
    begin(&b);
    add_root(&b, 1, 0, 0, 3);
    add_root(&b, 2, 1, 0, 0);
    add_root(&b, 1, 2, 0, 1);
    add_root(&b, 1, 3, 0, 1);
    add_table(&b, 1);
    add_range(&b, 0, 1, 0, 0, 0, 0);
    add_root(&b, 1, 4, 0, 1);
    assert_int_equal(dxil_root_signature_finish_layout(&b.signature, NULL), STATUS_OK);
    const uint32_t offsets[] = {0, 16, 24, 28, 32, 40};
    for (size_t i = 0; i < ARRAY_COUNT(offsets); i++)
        assert_int_equal(b.parameters[i].argument_offset, offsets[i]);
    assert_int_equal(b.signature.argument_bytes, 44);
}

static void test_lookup(void **state)
{
    (void)state;
    struct build b;
    struct dxil_binding binding;
    begin(&b);
    add_root(&b, 1, 7, 2, 5);
    add_table(&b, 3);
    add_range(&b, 0, 4, 10, 0, 0, (uint32_t)APPEND);
    add_range(&b, 1, 2, 0, 3, 0x2, 20);
    add_range(&b, 0, (uint32_t)UNBOUNDED, 0, 9, 0, (uint32_t)APPEND);
    add_root(&b, 4, 5, 0, 0);
    b.samplers[0] = good_sampler(3);
    b.signature.static_sampler_count = 1;
    assert_int_equal(dxil_root_signature_finish_layout(&b.signature, NULL), STATUS_OK);

    assert_true(dxil_root_signature_find(&b.signature, DXIL_REGISTER_CBV, 2, 7, &binding));
    assert_int_equal(binding.kind, DXIL_BINDING_CONSTANTS);
    assert_int_equal(binding.constant_count, 5);
    assert_true(dxil_root_signature_find(&b.signature, DXIL_REGISTER_SRV, 0, 12, &binding));
    assert_int_equal(binding.kind, DXIL_BINDING_TABLE);
    assert_int_equal(binding.table_offset, 2);
    assert_int_equal(binding.available_count, 2);
    assert_int_equal(binding.argument_offset, 24);
    assert_true(dxil_root_signature_find(&b.signature, DXIL_REGISTER_UAV, 3, 1, &binding));
    assert_int_equal(binding.table_offset, 21);
    assert_int_equal(binding.flags, 0x2);
    assert_true(dxil_root_signature_find(&b.signature, DXIL_REGISTER_SRV, 9, 4000000000u, &binding));
    assert_int_equal(binding.available_count, DXIL_UNBOUNDED);
    assert_true(binding.table_offset == 22u + 4000000000u);
    assert_true(dxil_root_signature_find(&b.signature, DXIL_REGISTER_UAV, 0, 5, &binding));
    assert_int_equal(binding.kind, DXIL_BINDING_ROOT_UAV);
    assert_int_equal(binding.parameter_index, 2);
    assert_true(dxil_root_signature_find(&b.signature, DXIL_REGISTER_SAMPLER, 0, 3, &binding));
    assert_int_equal(binding.kind, DXIL_BINDING_STATIC_SAMPLER);
    assert_false(dxil_root_signature_find(&b.signature, DXIL_REGISTER_SRV, 0, 14, &binding));
    assert_false(dxil_root_signature_find(&b.signature, DXIL_REGISTER_SRV, 1, 12, &binding));
    assert_int_equal(binding.kind, DXIL_BINDING_NONE);
}

static void test_compute_does_not_see_pixel_parameters(void **state)
{
    (void)state;
    struct build b;
    struct dxil_binding binding;
    begin(&b);
    add_root(&b, 2, 0, 0, 0);
    b.parameters[0].visibility = 5;
    assert_int_equal(dxil_root_signature_finish_layout(&b.signature, NULL), STATUS_OK);
    assert_false(dxil_root_signature_find(&b.signature, DXIL_REGISTER_CBV, 0, 0, &binding));
}

static void build_all_kinds(struct build *b)
{
    begin(b);
    b->signature.version = DXIL_ROOT_SIGNATURE_VERSION_1_2;
    add_root(b, 1, 0, 0, 4);
    add_root(b, 2, 1, 0, 0x8);
    add_root(b, 3, 0, 0, 0x4);
    add_root(b, 4, 0, 0, 0x2);
    add_table(b, 2);
    add_range(b, 0, 3, 8, 0, 0x8, (uint32_t)APPEND);
    add_range(b, 1, 3, 8, 0, 0x10000, (uint32_t)APPEND);
    add_table(b, 1);
    add_range(b, 3, 2, 8, 0, 0x1, (uint32_t)APPEND);
    b->samplers[0] = good_sampler(0);
    b->samplers[0].flags = 1;
    b->signature.static_sampler_count = 1;
    assert_int_equal(dxil_root_signature_finish_layout(&b->signature, NULL), STATUS_OK);
}

static void test_every_version_reads_back(void **state)
{
    (void)state;
    for (uint32_t version = 1; version <= 3; version++) {
        struct build b;
        struct dxil_root_signature back;
        void *bytes;
        size_t byte_count;
        build_all_kinds(&b);
        assert_int_equal(dxil_root_signature_serialize(&b.signature, version, &bytes, &byte_count, NULL), STATUS_OK);
        assert_int_equal(dxil_root_signature_parse(bytes, byte_count, &back, NULL), STATUS_OK);
        assert_int_equal(back.version, version);
        dxil_root_signature_convert(&b.signature, version);
        assert_true(dxil_root_signature_equal(&b.signature, &back));
        dxil_root_signature_finish(&back);
        free(bytes);
    }
}

/* Version 1.0 means: descriptors and data volatile. */
static void test_upgrade_from_1_0_makes_volatile(void **state)
{
    (void)state;
    struct build b;
    build_all_kinds(&b);
    dxil_root_signature_convert(&b.signature, DXIL_ROOT_SIGNATURE_VERSION_1_0);
    assert_int_equal(b.ranges[0].flags, 0);
    assert_int_equal(b.parameters[1].flags, 0);
    dxil_root_signature_convert(&b.signature, DXIL_ROOT_SIGNATURE_VERSION_1_1);
    assert_int_equal(b.ranges[0].flags, 0x3);
    assert_int_equal(b.ranges[2].flags, 0x1);
    assert_int_equal(b.parameters[1].flags, 0x2);
}

static void test_equal_ignores_how_offsets_are_written(void **state)
{
    (void)state;
    struct build a, b;
    build_all_kinds(&a);
    build_all_kinds(&b);
    b.ranges[1].table_offset = 3;
    assert_int_equal(dxil_root_signature_finish_layout(&b.signature, NULL), STATUS_OK);
    assert_true(dxil_root_signature_equal(&a.signature, &b.signature));
    assert_int_equal(dxil_root_signature_hash(&a.signature), dxil_root_signature_hash(&b.signature));
    b.ranges[1].base_register = 100;
    assert_false(dxil_root_signature_equal(&a.signature, &b.signature));
    assert_int_not_equal(dxil_root_signature_hash(&a.signature), dxil_root_signature_hash(&b.signature));
}

/* Every single-bit change of a part either reads or is refused with a reason. */
static void test_bit_flips_never_crash(void **state)
{
    (void)state;
    size_t byte_count;
    uint8_t *bytes = read_fixture("08_pathtracer.global_rs.rs", &byte_count);
    for (size_t bit = 44 * 8; bit < byte_count * 8; bit++) {
        struct dxil_root_signature signature;
        struct reason reason = {0};
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (dxil_root_signature_parse(bytes + 44, byte_count - 44, &signature, &reason) == STATUS_OK)
            dxil_root_signature_finish(&signature);
        else
            assert_true(reason.text[0]);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixtures_round_trip_byte_for_byte),
        cmocka_unit_test(test_bare_part_equals_container),
        cmocka_unit_test(test_truncated_is_refused_with_a_reason),
        cmocka_unit_test(test_library_without_root_signature_is_refused),
        cmocka_unit_test(test_library_with_global_root_signature_subobject),
        cmocka_unit_test(test_container_with_embedded_part),
        cmocka_unit_test(test_broken_rules_are_named),
        cmocka_unit_test(test_overlap_of_different_visibilities_is_legal),
        cmocka_unit_test(test_64_dwords_are_legal),
        cmocka_unit_test(test_local_takes_4064_bytes),
        cmocka_unit_test(test_argument_layout),
        cmocka_unit_test(test_lookup),
        cmocka_unit_test(test_compute_does_not_see_pixel_parameters),
        cmocka_unit_test(test_every_version_reads_back),
        cmocka_unit_test(test_upgrade_from_1_0_makes_volatile),
        cmocka_unit_test(test_equal_ignores_how_offsets_are_written),
        cmocka_unit_test(test_bit_flips_never_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
