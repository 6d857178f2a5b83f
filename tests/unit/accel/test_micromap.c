/* SPDX-License-Identifier: MIT
 * Opacity micromap arrays and linkages: sizes, layout, rules of descriptions, updates, tools view, hostile bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "accel/decode.h"
#include "accel/micromap.h"
#include "accel/verify.h"
#include "ref/scene.h"

enum { FORMAT_R8_UINT = 62, INPUT_BYTES = 4096, STRIDE_BYTES = 12 };

/* Two micromaps: level 1 in 4 states at byte 8, level 2 in 2 states at byte 3. */
struct inputs {
    uint8_t input[INPUT_BYTES] __attribute__((aligned(128)));
    uint32_t descs[4 * STRIDE_BYTES / 4];
    struct accel_micromap_histogram histogram[2];
    struct accel_micromap_array array;
    struct accel_build_inputs build;
};

static void make_inputs(struct inputs *in)
{
    memset(in, 0, sizeof(*in));
    in->input[8] = 0xe4;
    in->input[3] = 0x34;
    in->input[4] = 0x12;
    struct accel_micromap first = {8, 1, ACCEL_MICROMAP_4_STATE}, second = {3, 2, ACCEL_MICROMAP_2_STATE};
    memcpy(in->descs, &first, sizeof(first));
    memcpy((uint8_t *)in->descs + STRIDE_BYTES, &second, sizeof(second));
    in->histogram[0] = (struct accel_micromap_histogram){1, 2, ACCEL_MICROMAP_2_STATE};
    in->histogram[1] = (struct accel_micromap_histogram){1, 1, ACCEL_MICROMAP_4_STATE};
    in->array = (struct accel_micromap_array){in->histogram, 2, (uintptr_t)in->input, (uintptr_t)in->descs, STRIDE_BYTES};
    in->build = (struct accel_build_inputs){.level = ACCEL_LEVEL_MICROMAPS, .flags = ACCEL_BUILD_FLAG_ALLOW_COMPACTION,
                                            .count = 1, .micromap_array = &in->array};
}

static void test_array_layout(void **state)
{
    static struct inputs in;
    make_inputs(&in);
    struct accel_header *array = scene_build(NULL, &in.build);
    const struct accel_micromap *entries = (const void *)((uint8_t *)array + array->leaf_offset);
    const uint8_t *states = (const uint8_t *)array + array->state_offset;
    assert_int_equal(array->kind, ACCEL_KIND_MICROMAPS);
    assert_int_equal(array->leaf_count, 2);
    assert_int_equal(array->build_flags, ACCEL_BUILD_FLAG_ALLOW_COMPACTION);
    assert_int_equal(entries[0].level, 1);
    assert_int_equal(entries[0].format, ACCEL_MICROMAP_4_STATE);
    assert_int_equal(states[entries[0].state_byte], 0xe4);
    assert_int_equal(entries[1].level, 2);
    assert_int_equal(entries[1].format, ACCEL_MICROMAP_2_STATE);
    assert_int_equal(states[entries[1].state_byte], 0x34);
    assert_int_equal(states[entries[1].state_byte + 1], 0x12);
    assert_int_equal(accel_verify(array, array->structure_bytes, NULL), STATUS_OK);
    free(array);
}

/* All levels and formats, the deepest included; the whole input comes back. */
static void test_all_levels(void **state)
{
    struct accel_micromap descs[26];
    struct accel_micromap_histogram histogram[26];
    uint32_t byte = 0;
    for (uint32_t i = 0; i < 26; i++) {
        descs[i] = (struct accel_micromap){byte, (uint16_t)(i / 2), (uint16_t)(i % 2 + 1)};
        histogram[i] = (struct accel_micromap_histogram){1, i / 2, i % 2 + 1};
        byte += accel_micromap_state_bytes(i / 2, i % 2 + 1);
    }
    assert_int_equal(accel_micromap_state_bytes(0, 1), 1);
    assert_int_equal(accel_micromap_state_bytes(1, 2), 1);
    assert_int_equal(accel_micromap_state_bytes(12, 2), 4 << 20);
    uint8_t *input = aligned_alloc(128, (byte + 127) / 128 * 128);
    for (uint32_t i = 0; i < byte; i++)
        input[i] = (uint8_t)(i * 2654435761u >> 13);
    struct accel_micromap_array desc = {histogram, 26, (uintptr_t)input, (uintptr_t)descs, sizeof(descs[0])};
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_MICROMAPS, .count = 1, .micromap_array = &desc};
    struct accel_header *array = scene_build(NULL, &inputs);
    assert_memory_equal((uint8_t *)array + array->state_offset, input, byte);
    free(array);
    free(input);
}

/* Many micromaps on several threads: the same bytes as on one. */
static void test_threads(void **state)
{
    enum { COUNT = 20000 };
    struct accel_micromap *descs = calloc(COUNT, sizeof(*descs));
    struct accel_micromap_histogram histogram[4] = {{0, 0, 1}, {0, 1, 2}, {0, 3, 1}, {0, 4, 2}};
    struct scene_random random = {9};
    uint8_t *input = aligned_alloc(128, 1 << 16);
    for (uint32_t i = 0; i < 1 << 16; i++)
        input[i] = (uint8_t)scene_random_bits(&random);
    for (uint32_t i = 0; i < COUNT; i++) {
        struct accel_micromap_histogram *kind = &histogram[scene_random_bits(&random) % 4];
        kind->count++;
        descs[i] = (struct accel_micromap){scene_random_bits(&random) % 65000, (uint16_t)kind->level, (uint16_t)kind->format};
    }
    struct accel_micromap_array desc = {histogram, 4, (uintptr_t)input, (uintptr_t)descs, sizeof(descs[0])};
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_MICROMAPS, .count = 1, .micromap_array = &desc};
    struct thread_pool *pool;
    assert_int_equal(thread_pool_create(4, 0, &pool), STATUS_OK);
    struct accel_header *one = scene_build(NULL, &inputs), *four = scene_build(pool, &inputs);
    assert_memory_equal(one, four, one->structure_bytes);
    thread_pool_destroy(pool);
    free(one);
    free(four);
    free(input);
    free(descs);
}

static void test_prebuild(void **state)
{
    static struct inputs in;
    struct accel_prebuild_info small, large, none;
    make_inputs(&in);
    assert_int_equal(accel_prebuild_info(&in.build, &small, NULL), STATUS_OK);
    assert_int_equal(small.update_scratch_bytes, 0);
    assert_true(small.result_bytes && small.result_bytes % 256 == 0 && small.scratch_bytes);
    in.histogram[0].count = 5000;
    in.array.input = in.array.descs = 0x1000; /* no address is read */
    assert_int_equal(accel_prebuild_info(&in.build, &large, NULL), STATUS_OK);
    assert_true(large.result_bytes > small.result_bytes + 49000 && large.scratch_bytes >= small.scratch_bytes);
    in.array = (struct accel_micromap_array){0};
    assert_int_equal(accel_prebuild_info(&in.build, &none, NULL), STATUS_OK);
    assert_true(none.result_bytes && none.result_bytes <= small.result_bytes);
    struct accel_header *array = scene_build(NULL, &in.build);
    assert_int_equal(array->leaf_count, 0);
    free(array);
}

struct array_case {
    const char *name, *text; /* part of the reason */
    void (*spoil)(struct inputs *in);
    bool at_build; /* what is in memory: prebuild cannot see it */
};

#define SPOIL(name, statement)                                                                                \
    static void spoil_##name(struct inputs *in)                                                               \
    {                                                                                                         \
        statement;                                                                                            \
    }
SPOIL(allow_update, in->build.flags |= ACCEL_BUILD_FLAG_ALLOW_UPDATE)
SPOIL(perform_update, in->build.flags |= ACCEL_BUILD_FLAG_PERFORM_UPDATE)
SPOIL(both_preferences, in->build.flags |= ACCEL_BUILD_FLAG_PREFER_FAST_BUILD | ACCEL_BUILD_FLAG_PREFER_FAST_TRACE)
SPOIL(two_descs, in->build.count = 2)
SPOIL(no_descs, in->build.count = 0)
SPOIL(pointer_layout, in->build.instances_layout = ACCEL_INSTANCES_ARRAY_OF_POINTERS)
SPOIL(no_array, in->build.micromap_array = NULL)
SPOIL(no_histogram, in->array.histogram = NULL)
SPOIL(input_alignment, in->array.input += 64)
SPOIL(desc_alignment, in->array.descs += 2)
SPOIL(desc_stride, in->array.desc_stride_bytes = 10)
SPOIL(histogram_level, in->histogram[1].level = 13)
SPOIL(histogram_format, in->histogram[1].format = 3)
SPOIL(histogram_format_0, in->histogram[1].format = 0)
SPOIL(histogram_huge, in->histogram[1] = ((struct accel_micromap_histogram){1024, 12, 2}))
SPOIL(histogram_overflow, in->histogram[0].count = in->histogram[1].count = 0xffffffffu)
SPOIL(level, in->descs[1] = 13 | ACCEL_MICROMAP_4_STATE << 16)
SPOIL(level_large, in->descs[1] = 0xffff | ACCEL_MICROMAP_4_STATE << 16)
SPOIL(format, in->descs[1] = 1 | 3 << 16)
SPOIL(format_0, in->descs[1] = 1)
SPOIL(offset, in->descs[0] = INPUT_BYTES)
SPOIL(offset_last, in->descs[3] = INPUT_BYTES - 1)
SPOIL(offset_huge, in->descs[0] = 0xffffffffu)
SPOIL(mismatch, in->descs[1] = 1 | ACCEL_MICROMAP_2_STATE << 16)
SPOIL(mismatch_count, in->histogram[0].level = 3)

static const struct array_case array_cases[] = {
    {"ALLOW_UPDATE", "cannot be updated", spoil_allow_update, false},
    {"PERFORM_UPDATE", "cannot be updated", spoil_perform_update, false},
    {"both preferences", "exclude each other", spoil_both_preferences, false},
    {"NumDescs 2", "NumDescs is 2", spoil_two_descs, false},
    {"NumDescs 0", "NumDescs is 0", spoil_no_descs, false},
    {"array of pointers", "DescsLayout", spoil_pointer_layout, false},
    {"no description", "pOpacityMicromapArrayDesc", spoil_no_array, false},
    {"no histogram", "pOmmHistogram is NULL", spoil_no_histogram, false},
    {"input alignment", "InputBuffer", spoil_input_alignment, false},
    {"descriptor alignment", "PerOmmDescs", spoil_desc_alignment, false},
    {"descriptor stride", "PerOmmDescs", spoil_desc_stride, false},
    {"histogram level", "pOmmHistogram[1].SubdivisionLevel is 13", spoil_histogram_level, false},
    {"histogram format", "pOmmHistogram[1].Format is 3", spoil_histogram_format, false},
    {"histogram format 0", "pOmmHistogram[1].Format is 0", spoil_histogram_format_0, false},
    {"4 GiB of states", "4 GiB", spoil_histogram_huge, false},
    {"2^33 micromaps", "4 GiB", spoil_histogram_overflow, false},
    {"level 13", "PerOmmDescs[0].SubdivisionLevel is 13", spoil_level, true},
    {"level 65535", "PerOmmDescs[0].SubdivisionLevel is 65535", spoil_level_large, true},
    {"format 3", "PerOmmDescs[0].Format is 3", spoil_format, true},
    {"format 0", "PerOmmDescs[0].Format is 0", spoil_format_0, true},
    {"offset at the end", "PerOmmDescs[0].ByteOffset", spoil_offset, true},
    {"offset near the end", "PerOmmDescs[1].ByteOffset", spoil_offset_last, true},
    {"offset 2^32 - 1", "PerOmmDescs[0].ByteOffset", spoil_offset_huge, true},
    {"other format than the histogram", "pOmmHistogram says", spoil_mismatch, true},
    {"other level than the histogram", "pOmmHistogram says", spoil_mismatch_count, true},
};

static uint64_t input_bytes_behind(void *context, uint64_t address)
{
    const struct inputs *in = context;
    return address == (uintptr_t)in->input ? INPUT_BYTES : 0;
}

static void test_array_rules(void **state)
{
    static struct inputs in;
    for (uint32_t i = 0; i < sizeof(array_cases) / sizeof(array_cases[0]); i++) {
        const struct array_case *c = &array_cases[i];
        struct reason reason = {0};
        struct accel_prebuild_info sizes;
        struct accel_reader reader = {input_bytes_behind, &in};
        make_inputs(&in);
        c->spoil(&in);
        enum status status = accel_prebuild_info(&in.build, &sizes, &reason);
        assert_int_equal(status == STATUS_OK, c->at_build);
        struct accel_build_arguments arguments = {.inputs = in.build, .reader = &reader};
        arguments.result = aligned_alloc(256, 1 << 16);
        arguments.scratch = aligned_alloc(256, 1 << 16);
        ((struct accel_header *)arguments.result)->magic = ACCEL_MAGIC;
        status = accel_build(&arguments, &reason);
        if (status != STATUS_INVALID || !strstr(reason.text, c->text))
            fail_msg("%s: status %d, '%s'", c->name, status, reason.text);
        if (c->at_build)
            assert_int_equal(((struct accel_header *)arguments.result)->magic, 0);
        free(arguments.scratch);
        free(arguments.result);
    }
}

/* --- linkages --- */

enum { TRIANGLES = 3 };

struct bottom {
    struct scene_mesh mesh;
    uint16_t indices[TRIANGLES] __attribute__((aligned(8)));
    struct accel_micromap_link link;
    struct accel_geometry geometries[2];
    struct accel_build_inputs build;
};

static void make_bottom(struct bottom *b, const void *array)
{
    static const float corners[3][3] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}};
    memset(b, 0, sizeof(*b));
    for (int i = 0; i < TRIANGLES; i++)
        scene_mesh_add_corners(&b->mesh, corners);
    b->indices[0] = 1;
    b->indices[1] = 0xfffc;
    b->indices[2] = 0;
    b->link = (struct accel_micromap_link){(uintptr_t)array, (uintptr_t)b->indices, 2, SCENE_FORMAT_R16_UINT, 0};
    b->geometries[0] = b->geometries[1] = scene_geometry(&b->mesh);
    b->geometries[1].type = ACCEL_GEOMETRY_OMM_TRIANGLES;
    b->geometries[1].triangles.micromaps = &b->link;
    b->build = (struct accel_build_inputs){.level = ACCEL_LEVEL_BOTTOM, .count = 2, .geometries = b->geometries};
}

static void *make_array(void)
{
    static struct inputs in;
    make_inputs(&in);
    return scene_build(NULL, &in.build);
}

static void test_linkage_layout(void **state)
{
    struct bottom b;
    void *array = make_array();
    make_bottom(&b, array);
    struct accel_header *h = scene_build(NULL, &b.build);
    const struct accel_micromap_linkage *links = accel_micromap_links(h);
    assert_non_null(links);
    assert_int_equal(h->micromap_count, 1);
    assert_false(links[0].is_linked);
    assert_true(links[1].is_linked && links[1].array == (uintptr_t)array);
    assert_int_equal(links[1].index_bytes, 2);
    assert_int_equal(links[1].used_count, 2);
    assert_memory_equal((uint8_t *)h + links[1].index_offset, b.indices, sizeof(b.indices));
    assert_int_equal(accel_verify(h, h->structure_bytes, NULL), STATUS_OK);
    free(h);
    b.geometries[1].triangles.micromaps = NULL; /* the type alone links nothing */
    h = scene_build(NULL, &b.build);
    assert_null(accel_micromap_links(h));
    free(h);
    free(array);
    scene_mesh_finish(&b.mesh);
}

struct link_case {
    const char *name, *text; /* NULL: allowed */
    uint32_t format, stride_bytes, base_location, flags;
    uint64_t index_add;  /* to the address of the index buffer; ~0: no buffer */
    uint64_t array_add;  /* to the address of the array; ~0: NULL, ~1: memory that holds none */
    uint16_t index; /* of triangle 0 */
};

static const struct link_case link_cases[] = {
    {"as it is", NULL, SCENE_FORMAT_R16_UINT, 2, 0, 0, 0, 0, 1},
    {"R8 over the same bytes", NULL, FORMAT_R8_UINT, 1, 0, 0, 0, 0, 1},
    {"stride 0", NULL, SCENE_FORMAT_R16_UINT, 0, 0, 0, 0, 0, 1},
    {"special indices without an array", NULL, SCENE_FORMAT_R16_UINT, 0, 0, 0, 0, ~0ull, 0xffff},
    {"special index with a base", NULL, SCENE_FORMAT_R16_UINT, 0, 0xffffffff, 0, 0, 0, 0xfffd},
    {"index beyond the array", "names micromap 2, the array has 2", SCENE_FORMAT_R16_UINT, 2, 0, 0, 0, 0, 2},
    {"index -5 is not special", "names micromap 65531", SCENE_FORMAT_R16_UINT, 2, 0, 0, 0, 0, 0xfffb},
    {"base beyond the array", "names micromap 2, the array has 2", SCENE_FORMAT_R16_UINT, 2, 1, 0, 0, 0, 1},
    {"base that wraps", "names micromap 4294967296", SCENE_FORMAT_R16_UINT, 2, 0xffffffff, 0, 0, 0, 1},
    {"one to one, too few entries", "names micromap 2, the array has 2", 0, 0, 0, 0, ~0ull, 0, 1},
    {"index without an array", "OpacityMicromapArray is NULL", SCENE_FORMAT_R16_UINT, 2, 0, 0, 0, ~0ull, 1},
    {"no array there", "is no opacity micromap array", SCENE_FORMAT_R16_UINT, 2, 0, 0, 0, ~1ull, 1},
    {"format R32G32B32", "OpacityMicromapIndexFormat 6", SCENE_FORMAT_R32G32B32_FLOAT, 2, 0, 0, 0, 0, 1},
    {"buffer with format UNKNOWN", "OpacityMicromapIndexFormat UNKNOWN", 0, 2, 0, 0, 0, 0, 1},
    {"index alignment", "multiples of 2", SCENE_FORMAT_R16_UINT, 2, 0, 0, 1, 0, 1},
    {"index stride", "multiples of 2", SCENE_FORMAT_R16_UINT, 3, 0, 0, 0, 0, 1},
    {"array alignment", "not aligned to 128", SCENE_FORMAT_R16_UINT, 2, 0, 0, 0, 64, 1},
    {"linkage update alone", "needs ALLOW_UPDATE", SCENE_FORMAT_R16_UINT, 2, 0, ACCEL_BUILD_FLAG_ALLOW_OMM_UPDATE, 0, 0, 1},
};

static void test_linkage_rules(void **state)
{
    void *array = make_array(), *zero = aligned_alloc(256, 4096);
    memset(zero, 0, 4096);
    for (uint32_t i = 0; i < sizeof(link_cases) / sizeof(link_cases[0]); i++) {
        const struct link_case *c = &link_cases[i];
        struct bottom b;
        struct reason reason = {0};
        make_bottom(&b, array);
        b.indices[0] = c->index;
        b.link.index_format = c->format;
        b.link.index_stride_bytes = c->stride_bytes;
        b.link.base_location = c->base_location;
        b.link.index_buffer = c->index_add == ~0ull ? 0 : b.link.index_buffer + c->index_add;
        b.link.array = c->array_add == ~0ull ? 0 : c->array_add == ~1ull ? (uintptr_t)zero : (uintptr_t)array + c->array_add;
        b.build.flags = c->flags;
        struct accel_build_arguments arguments = {.inputs = b.build, .result = aligned_alloc(256, 1 << 16), .scratch = aligned_alloc(256, 1 << 18)};
        enum status status = accel_build(&arguments, &reason);
        if ((status == STATUS_OK) != !c->text || (c->text && !strstr(reason.text, c->text)))
            fail_msg("%s: status %d, '%s'", c->name, status, reason.text);
        free(arguments.scratch);
        free(arguments.result);
        scene_mesh_finish(&b.mesh);
    }
    free(zero);
    free(array);
}

static enum status update(struct bottom *b, void *structure, struct reason *reason)
{
    static uint8_t scratch[4096] __attribute__((aligned(256)));
    struct accel_build_arguments arguments = {.inputs = b->build, .result = structure, .source = structure, .scratch = scratch};
    arguments.inputs.flags |= ACCEL_BUILD_FLAG_PERFORM_UPDATE;
    return accel_build(&arguments, reason);
}

static void test_update_rules(void **state)
{
    struct bottom b;
    struct reason reason = {0};
    void *array = make_array();
    make_bottom(&b, array);
    b.build.flags = ACCEL_BUILD_FLAG_ALLOW_UPDATE;
    void *structure = scene_build(NULL, &b.build);
    assert_int_equal(update(&b, structure, &reason), STATUS_OK);
    b.link.base_location = 1;
    b.indices[0] = 0;
    b.indices[2] = 0;
    assert_int_equal(update(&b, structure, &reason), STATUS_INVALID);
    assert_non_null(strstr(reason.text, "ALLOW_OMM_LINKAGE_UPDATE"));
    b.link.base_location = 0;
    b.geometries[1].triangles.micromaps = NULL;
    reason.text[0] = 0; /* the first reason stays */
    assert_int_equal(update(&b, structure, &reason), STATUS_INVALID);
    assert_non_null(strstr(reason.text, "has no opacity micromaps"));
    free(structure);
    scene_mesh_finish(&b.mesh);
    make_bottom(&b, array);
    b.build.flags = ACCEL_BUILD_FLAG_ALLOW_UPDATE | ACCEL_BUILD_FLAG_ALLOW_OMM_UPDATE;
    structure = scene_build(NULL, &b.build);
    b.link.index_format = FORMAT_R8_UINT;
    b.link.index_stride_bytes = 1;
    assert_int_equal(update(&b, structure, &reason), STATUS_OK);
    assert_int_equal(((struct accel_header *)structure)->build_flags, b.build.flags);
    b.link.base_location = 2; /* what is refused leaves the source */
    assert_int_equal(update(&b, structure, &reason), STATUS_INVALID);
    assert_int_equal(accel_verify(structure, ~0ull, NULL), STATUS_OK);
    b.geometries[1].triangles.micromaps = NULL;
    assert_int_equal(update(&b, structure, &reason), STATUS_INVALID);
    free(structure);
    scene_mesh_finish(&b.mesh);
    make_bottom(&b, array);
    b.build.flags = ACCEL_BUILD_FLAG_ALLOW_UPDATE | ACCEL_BUILD_FLAG_ALLOW_OMM_UPDATE;
    structure = scene_build(NULL, &b.build);
    b.build.flags = ACCEL_BUILD_FLAG_ALLOW_UPDATE; /* giving up one kind alone is not allowed */
    assert_int_equal(update(&b, structure, &reason), STATUS_INVALID);
    b.build.flags = 0; /* the last update, which may change the linkage once more */
    b.link.base_location = 1;
    b.indices[0] = b.indices[2] = 0;
    assert_int_equal(update(&b, structure, &reason), STATUS_OK);
    assert_int_equal(accel_micromap_links(structure)[1].base_location, 1);
    assert_int_equal(accel_verify(structure, ~0ull, NULL), STATUS_OK);
    assert_int_equal(update(&b, structure, &reason), STATUS_INVALID);
    free(structure);
    free(array);
    scene_mesh_finish(&b.mesh);
}

/* --- tools --- */

struct tools_array {
    uint32_t type, count;
    uint32_t histogram_count, padding;
    uint64_t histogram, input, descs, desc_stride_bytes;
};

/* What the tools see builds the same array again. */
static void test_decode_array(void **state)
{
    struct accel_header *array = make_array();
    uint64_t info[2];
    uint32_t info_bytes;
    assert_int_equal(accel_postbuild_info(ACCEL_POSTBUILD_TOOLS_VISUALIZATION, array, info, &info_bytes, NULL), STATUS_OK);
    uint8_t *tools = aligned_alloc(256, (info[0] + 255) / 256 * 256);
    assert_int_equal(accel_copy(ACCEL_COPY_DECODE_FOR_TOOLS, tools, info[0] - 1, array, ~0ull, NULL), STATUS_INVALID);
    assert_int_equal(accel_copy(ACCEL_COPY_DECODE_FOR_TOOLS, tools, info[0], array, ~0ull, NULL), STATUS_OK);
    struct tools_array view;
    memcpy(&view, tools, sizeof(view));
    assert_int_equal(view.type, ACCEL_LEVEL_MICROMAPS);
    assert_int_equal(view.count, 1);
    assert_int_equal(view.histogram_count, 2);
    struct accel_micromap_array desc = {(const void *)(uintptr_t)view.histogram, view.histogram_count, view.input, view.descs,
                                        view.desc_stride_bytes};
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_MICROMAPS, .flags = array->build_flags, .count = 1, .micromap_array = &desc};
    struct accel_header *again = scene_build(NULL, &inputs);
    assert_int_equal(again->structure_bytes, array->structure_bytes);
    assert_memory_equal(again, array, array->structure_bytes);
    free(again);
    free(tools);
    free(array);
}

struct tools_link {
    uint64_t index_buffer, index_stride_bytes;
    uint32_t index_format, base_location;
    uint64_t array;
};

static void test_decode_linkage(void **state)
{
    struct bottom b;
    void *array = make_array();
    make_bottom(&b, array);
    struct accel_header *h = scene_build(NULL, &b.build);
    uint64_t bytes = accel_decoded_bytes(h), pointers[2];
    uint8_t *tools = aligned_alloc(256, (bytes + 255) / 256 * 256);
    assert_int_equal(accel_copy(ACCEL_COPY_DECODE_FOR_TOOLS, tools, bytes, h, ~0ull, NULL), STATUS_OK);
    const uint8_t *second = tools + 8 + 56; /* behind the header and the first geometry */
    assert_int_equal(second[0], ACCEL_GEOMETRY_OMM_TRIANGLES);
    memcpy(pointers, second + 8, sizeof(pointers));
    struct tools_link link;
    memcpy(&link, (const void *)(uintptr_t)pointers[1], sizeof(link));
    assert_true(pointers[0] > (uintptr_t)tools && pointers[1] + sizeof(link) <= (uintptr_t)tools + bytes);
    assert_int_equal(link.array, (uintptr_t)array);
    assert_int_equal(link.index_format, SCENE_FORMAT_R16_UINT);
    assert_int_equal(link.index_stride_bytes, 2);
    assert_memory_equal((const void *)(uintptr_t)link.index_buffer, b.indices, sizeof(b.indices));
    assert_true(link.index_buffer + sizeof(b.indices) <= (uintptr_t)tools + bytes);
    free(tools);
    free(h);
    free(array);
    scene_mesh_finish(&b.mesh);
}

/* Any word of an array or a linkage changed: refused, or nothing in it leads out. */
static void test_hostile_bytes(void **state)
{
    static const uint32_t values[] = {0, 1, 2, 3, 7, 0x7f, 0x80, 0x100, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff};
    struct bottom b;
    struct accel_header *array = make_array();
    make_bottom(&b, array);
    struct accel_header *structures[2] = {array, scene_build(NULL, &b.build)};
    uint32_t refused = 0;
    for (int s = 0; s < 2; s++) {
        uint64_t bytes = structures[s]->structure_bytes;
        struct accel_header *copy = aligned_alloc(256, (bytes + 255) / 256 * 256);
        for (uint64_t word = 0; word < bytes / 4; word++)
            for (uint32_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
                memcpy(copy, structures[s], bytes);
                ((uint32_t *)copy)[word] = values[v];
                if (accel_verify(copy, bytes, NULL) != STATUS_OK) {
                    refused++;
                    continue;
                }
                uint64_t decoded_bytes = accel_decoded_bytes(copy);
                assert_true(decoded_bytes < 1 << 20);
                uint8_t *tools = aligned_alloc(256, (decoded_bytes + 255) / 256 * 256);
                assert_int_equal(accel_copy(ACCEL_COPY_DECODE_FOR_TOOLS, tools, decoded_bytes, copy, bytes, NULL), STATUS_OK);
                free(tools);
            }
        free(copy);
    }
    assert_true(refused > 100);
    free(structures[1]);
    free(array);
    scene_mesh_finish(&b.mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_array_layout),   cmocka_unit_test(test_all_levels),    cmocka_unit_test(test_prebuild),
        cmocka_unit_test(test_array_rules),    cmocka_unit_test(test_linkage_layout), cmocka_unit_test(test_linkage_rules),
        cmocka_unit_test(test_update_rules),   cmocka_unit_test(test_decode_array),  cmocka_unit_test(test_decode_linkage),
        cmocka_unit_test(test_hostile_bytes),  cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
