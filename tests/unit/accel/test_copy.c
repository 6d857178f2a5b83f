/* SPDX-License-Identifier: MIT
 * Clone, compact, serialise, deserialise, decode; and hostile bytes: whatever verification lets through can be traced. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "accel/decode.h"
#include "accel/serialize.h"
#include "accel/verify.h"
#include "ref/scene.h"
#include "trace/trace.h"

enum { RAYS = 2000 };

static void *aligned_copy(const void *bytes, uint64_t count)
{
    void *copy = aligned_alloc(256, (count + 255) / 256 * 256);
    if (bytes)
        memcpy(copy, bytes, count);
    return copy;
}

static struct accel_header *build_bottom(uint32_t seed, uint32_t flags, bool boxes)
{
    struct scene_random random = {seed};
    struct scene_mesh mesh = {0};
    if (boxes) {
        mesh.box_count = 300;
        mesh.boxes = calloc(mesh.box_count, sizeof(*mesh.boxes));
        for (uint32_t i = 0; i < mesh.box_count; i++)
            for (int k = 0; k < 6; k++)
                mesh.boxes[i][k] = k < 3 ? scene_random_float(&random, -1, 1) : mesh.boxes[i][k - 3] + 0.1f;
    } else {
        scene_make_soup(&mesh, &random, 1500, 1, 0.1f);
        mesh.vertices[30][0] = NAN; /* one inactive */
    }
    struct accel_geometry geometry = scene_geometry(&mesh);
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = flags, .count = 1, .geometries = &geometry};
    void *structure = scene_build(NULL, &inputs);
    scene_mesh_finish(&mesh);
    return structure;
}

static struct accel_header *build_top(const void *a, const void *b, uint32_t flags)
{
    uint8_t descs[4][64] __attribute__((aligned(16)));
    for (int i = 0; i < 4; i++) {
        struct scene_instance instance = {.mask = 0xff, .id = (uint32_t)i, .transform = {.5f, 0, 0, 0, 0, .5f, 0, 0, 0, 0, .5f, 0}};
        instance.transform[3] = (float)i * 0.5f - 0.75f;
        scene_write_instance(descs[i], &instance, i == 1 ? NULL : i == 2 ? b : a);
    }
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_TOP, .flags = flags, .count = 4, .instances = (uintptr_t)descs};
    return scene_build(NULL, &inputs);
}

static struct abi_ray make_ray(struct scene_random *random)
{
    struct abi_ray ray = {.t_max = INFINITY};
    for (int axis = 0; axis < 3; axis++) {
        ray.origin[axis] = scene_random_float(random, -3, 3);
        ray.direction[axis] = scene_random_float(random, -1, 1) - ray.origin[axis];
    }
    return ray;
}

static void expect_same_hits(const void *a, const void *b)
{
    struct scene_random random = {8};
    uint32_t hits = 0;
    for (int i = 0; i < RAYS; i++) {
        struct abi_ray ray = make_ray(&random);
        struct trace_hit first, second;
        trace_table()->closest((uintptr_t)a, &ray, 0, 0xff, &first);
        trace_table()->closest((uintptr_t)b, &ray, 0, 0xff, &second);
        assert_memory_equal(&first, &second, sizeof(first));
        hits += first.primitive_index != ~0u;
    }
    assert_true(hits > RAYS / 20);
}

/* AS-26: into exactly the reported size, source overwritten afterwards. */
static void test_compact(void **state)
{
    struct accel_header *structure = build_bottom(1, ACCEL_BUILD_FLAG_ALLOW_COMPACTION, false), *same = build_bottom(1, 0, false);
    uint64_t compacted_bytes[2];
    uint32_t out_bytes;
    assert_int_equal(accel_postbuild_info(ACCEL_POSTBUILD_COMPACTED_SIZE, structure, compacted_bytes, &out_bytes, NULL), STATUS_OK);
    assert_int_equal(out_bytes, 8);
    uint8_t *compacted = malloc(compacted_bytes[0] + 512), *place = (uint8_t *)(((uintptr_t)compacted + 255) / 256 * 256);
    memset(compacted, 0xcd, compacted_bytes[0] + 512);
    assert_int_equal(accel_copy(ACCEL_COPY_COMPACT, place, compacted_bytes[0] - 1, structure, ~0ull, NULL), STATUS_INVALID);
    assert_int_equal(accel_copy(ACCEL_COPY_COMPACT, place, compacted_bytes[0], structure, ~0ull, NULL), STATUS_OK);
    assert_int_equal(accel_copy(ACCEL_COPY_COMPACT, place, compacted_bytes[0], same, ~0ull, NULL), STATUS_INVALID);
    assert_int_equal(accel_postbuild_info(ACCEL_POSTBUILD_COMPACTED_SIZE, same, compacted_bytes, &out_bytes, NULL), STATUS_INVALID);
    assert_int_equal(place[structure->structure_bytes], 0xcd);
    memset(structure, 0xcd, structure->structure_bytes);
    expect_same_hits(place, same);
    free(compacted);
    free(structure);
    free(same);
}

static uint8_t *serialize(const struct accel_header *structure, uint64_t info[2])
{
    uint32_t out_bytes;
    assert_int_equal(accel_postbuild_info(ACCEL_POSTBUILD_SERIALIZATION, structure, info, &out_bytes, NULL), STATUS_OK);
    assert_int_equal(out_bytes, 16);
    uint8_t *bytes = malloc(info[0]);
    assert_int_equal(accel_copy(ACCEL_COPY_SERIALIZE, bytes, info[0] - 1, structure, ~0ull, NULL), STATUS_INVALID);
    assert_int_equal(accel_copy(ACCEL_COPY_SERIALIZE, bytes, info[0], structure, ~0ull, NULL), STATUS_OK);
    return bytes;
}

/* AS-28 */
static void test_serialize(void **state)
{
    struct accel_header *a = build_bottom(1, 0, false), *b = build_bottom(2, 0, false), *top = build_top(a, b, 0);
    uint64_t info_a[2], info_top[2];
    uint8_t *bytes_a = serialize(a, info_a), *bytes_top = serialize(top, info_top);
    assert_int_equal(info_a[1], 0);
    assert_int_equal(info_top[1], 3);
    struct accel_serialized_header header;
    memcpy(&header, bytes_top, sizeof(header));
    assert_int_equal(header.serialized_bytes, info_top[0]);
    assert_int_equal(header.postamble_count, 3);
    uint8_t identifier[32];
    accel_driver_identifier(identifier);
    assert_memory_equal(header.identifier, identifier, 32);
    struct accel_header *again = aligned_copy(NULL, a->structure_bytes), *top_again = aligned_copy(NULL, header.deserialized_bytes);
    assert_int_equal(accel_copy(ACCEL_COPY_DESERIALIZE, again, a->structure_bytes, bytes_a, info_a[0], NULL), STATUS_OK);
    expect_same_hits(a, again);
    uint64_t pointers[3];
    memcpy(pointers, bytes_top + sizeof(header), sizeof(pointers));
    for (int i = 0; i < 3; i++) {
        assert_true(pointers[i] == (uintptr_t)a || pointers[i] == (uintptr_t)b);
        if (pointers[i] == (uintptr_t)a)
            pointers[i] = (uintptr_t)again;
    }
    memcpy(bytes_top + sizeof(header), pointers, sizeof(pointers));
    assert_int_equal(accel_copy(ACCEL_COPY_DESERIALIZE, top_again, header.deserialized_bytes, bytes_top, info_top[0], NULL), STATUS_OK);
    expect_same_hits(top, top_again);
    void *all[] = {a, b, top, bytes_a, bytes_top, again, top_again};
    for (uint32_t i = 0; i < ARRAY_COUNT(all); i++)
        free(all[i]);
}

/* Every truncation and many single-bit errors are refused. */
static void test_damaged(void **state)
{
    struct accel_header *a = build_bottom(1, 0, false);
    uint64_t info[2];
    uint8_t *bytes = serialize(a, info);
    struct accel_header *out = aligned_copy(NULL, a->structure_bytes);
    struct scene_random random = {4};
    for (uint64_t length = 0; length < info[0]; length += length < 400 ? 1 : 997) {
        struct reason reason = {{0}};
        void *cut = malloc(length ? length : 1);
        memcpy(cut, bytes, length);
        assert_int_equal(accel_copy(ACCEL_COPY_DESERIALIZE, out, a->structure_bytes, cut, length, &reason), STATUS_CORRUPT);
        assert_true(reason.text[0] != 0);
        free(cut);
    }
    for (int i = 0; i < 3000; i++) {
        uint64_t bit = scene_random_bits(&random) % ((i & 1 ? 400 : info[0]) * 8);
        bool is_deserialized_size = bit / 64 == 5; /* informative, the real one follows from the rest */
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        enum status status = accel_copy(ACCEL_COPY_DESERIALIZE, out, a->structure_bytes, bytes, info[0], NULL);
        if (!is_deserialized_size && status != STATUS_CORRUPT)
            fail_msg("bit %llu: status %d", (unsigned long long)bit, status);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    free(a);
    free(bytes);
    free(out);
}

static void trace_some(const void *structure)
{
    struct scene_random random = {8};
    for (int i = 0; i < 20; i++) {
        struct abi_ray ray = make_ray(&random);
        struct trace_hit hit;
        struct trace_state s;
        trace_table()->closest((uintptr_t)structure, &ray, 0, 0xff, &hit);
        trace_table()->begin(&s, (uintptr_t)structure, &ray, 0, 0, 0xff);
        while (trace_table()->next(&s) != TRACE_DONE) {
        }
    }
}

/* Mutants with a right hash: what verification accepts must be safe to trace (run under the address sanitizer). */
static void test_mutants(void **state)
{
    struct scene_random random = {4};
    struct accel_header *sources[] = {build_bottom(1, 0, false), build_bottom(2, 0, true), NULL};
    uint32_t accepted = 0, refused = 0;
    sources[2] = build_top(sources[0], sources[1], 0);
    for (int i = 0; i < 20000; i++) {
        const struct accel_header *source = sources[i % 3];
        struct accel_header *mutant = aligned_copy(source, source->structure_bytes);
        uint64_t area = i % 2 ? sizeof(*source) : source->structure_bytes;
        if (i % 4 == 2) /* the child references */
            area = source->leaf_offset;
        for (uint32_t k = 0; k <= scene_random_bits(&random) % 3; k++) {
            uint64_t place = scene_random_bits(&random) % (area / 4) * 4;
            if (source->kind == ACCEL_KIND_INSTANCES && place >= source->leaf_offset)
                continue; /* addresses of bottom levels are the application's */
            uint32_t value = i % 5 ? scene_random_bits(&random) >> scene_random_bits(&random) % 32 : scene_random_bits(&random) % 64;
            memcpy((uint8_t *)mutant + place, &value, 4);
        }
        struct reason reason = {{0}};
        if (accel_verify(mutant, source->structure_bytes, &reason) == STATUS_OK) {
            accepted++;
            if (source->kind != ACCEL_KIND_INSTANCES || (mutant->leaf_offset == source->leaf_offset && mutant->leaf_count <= source->leaf_count))
                trace_some(mutant);
        } else {
            assert_true(reason.text[0] != 0);
            refused++;
        }
        free(mutant);
    }
    assert_true(accepted > 100 && refused > 100);
    for (int i = 0; i < 3; i++)
        free(sources[i]);
}

/* What tools get back builds into the same structure. */
static void test_decode(void **state)
{
    struct accel_header *a = build_bottom(1, 0, false);
    uint64_t bytes[2];
    uint32_t out_bytes;
    assert_int_equal(accel_postbuild_info(ACCEL_POSTBUILD_TOOLS_VISUALIZATION, a, bytes, &out_bytes, NULL), STATUS_OK);
    uint8_t *decoded = malloc(bytes[0]);
    assert_int_equal(accel_copy(ACCEL_COPY_DECODE_FOR_TOOLS, decoded, bytes[0] - 1, a, ~0ull, NULL), STATUS_INVALID);
    assert_int_equal(accel_copy(ACCEL_COPY_DECODE_FOR_TOOLS, decoded, bytes[0], a, ~0ull, NULL), STATUS_OK);
    uint32_t head[2], vertex_count;
    uint64_t vertices;
    memcpy(head, decoded, 8);
    assert_int_equal(head[0], 1);
    assert_int_equal(head[1], 1);
    memcpy(&vertex_count, decoded + 8 + 8 + 8 + 12, 4);
    memcpy(&vertices, decoded + 8 + 8 + 8 + 16 + 8, 8);
    assert_int_equal(vertex_count, 1500 * 3);
    struct accel_geometry geometry = {.triangles = {.vertices = vertices, .vertex_stride_bytes = 12, .vertex_count = vertex_count, .vertex_format = SCENE_FORMAT_R32G32B32_FLOAT}};
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .count = 1, .geometries = &geometry};
    struct accel_header *again = scene_build(NULL, &inputs);
    assert_int_equal(again->active_count, 1499);
    expect_same_hits(a, again);
    free(decoded);
    free(again);
    free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_compact), cmocka_unit_test(test_serialize), cmocka_unit_test(test_damaged),
                                       cmocka_unit_test(test_mutants), cmocka_unit_test(test_decode)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
