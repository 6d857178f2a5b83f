/* SPDX-License-Identifier: MIT
 * Prebuild sizes: no address is read, they grow with every count, limits are found by arithmetic, and no builder writes a
 * byte before or behind what they promise (inaccessible pages on both sides). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "ref/scene.h"

enum { PAGE = 4096 };

static const uint32_t build_flags[] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b,
                                       0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b};

enum shape { SHAPE_VERTICES, SHAPE_INDICES, SHAPE_GEOMETRIES, SHAPE_BOXES, SHAPE_INSTANCES, SHAPE_COUNT };

/* Inputs with n of something, all addresses at address. */
static struct accel_build_inputs describe(enum shape shape, uint32_t n, uint32_t flags, uint64_t address, struct accel_geometry geometries[64])
{
    struct accel_geometry *g = geometries;
    *g = (struct accel_geometry){.triangles = {.vertices = address, .vertex_stride_bytes = 12, .vertex_count = 3, .vertex_format = SCENE_FORMAT_R32G32B32_FLOAT}};
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = flags, .count = 1, .geometries = geometries};
    if (shape == SHAPE_VERTICES)
        g->triangles.vertex_count = n;
    if (shape == SHAPE_INDICES) {
        g->triangles.indices = address;
        g->triangles.index_format = SCENE_FORMAT_R32_UINT;
        g->triangles.index_count = n;
    }
    if (shape == SHAPE_BOXES)
        *g = (struct accel_geometry){.type = ACCEL_GEOMETRY_BOXES, .boxes = {address, 24, n}};
    if (shape == SHAPE_GEOMETRIES) {
        inputs.count = n < 64 ? n : 64;
        for (uint32_t i = 1; i < inputs.count; i++)
            geometries[i] = geometries[0];
    }
    if (shape == SHAPE_INSTANCES)
        inputs = (struct accel_build_inputs){.level = ACCEL_LEVEL_TOP, .flags = flags, .count = n, .instances = address};
    return inputs;
}

static void test_monotone(void **state)
{
    static const uint32_t counts[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 60, 63, 64, 100, 255, 256, 257, 1000, 1023, 4097, 65535,
                                      65537, 1000000, 10000000, 16777216};
    for (enum shape shape = 0; shape < SHAPE_COUNT; shape++)
        for (uint32_t b = 0; b < ARRAY_COUNT(build_flags); b++) {
            struct accel_prebuild_info last = {0}, info, real;
            for (uint32_t i = 0; i < ARRAY_COUNT(counts); i++) {
                struct accel_geometry geometries[64];
                struct accel_build_inputs inputs = describe(shape, counts[i], build_flags[b], 0x1000, geometries);
                assert_int_equal(accel_prebuild_info(&inputs, &info, NULL), STATUS_OK);
                if (info.result_bytes < last.result_bytes || info.scratch_bytes < last.scratch_bytes ||
                    info.update_scratch_bytes < last.update_scratch_bytes)
                    fail_msg("shape %d, flags 0x%x: sizes shrink at %u", shape, build_flags[b], counts[i]);
                assert_int_equal(info.update_scratch_bytes != 0, build_flags[b] & ACCEL_BUILD_FLAG_ALLOW_UPDATE);
                inputs = describe(shape, counts[i], build_flags[b], 0x7fffffffe000, geometries);
                assert_int_equal(accel_prebuild_info(&inputs, &real, NULL), STATUS_OK);
                assert_memory_equal(&info, &real, sizeof(info));
                last = info;
            }
        }
}

/* A transform counts by its null-ness alone. */
static void test_transform_address(void **state)
{
    struct accel_geometry geometries[64];
    struct accel_prebuild_info with, other;
    struct accel_build_inputs inputs = describe(SHAPE_VERTICES, 300, 0, 0x1000, geometries);
    geometries[0].triangles.transform = 16;
    assert_int_equal(accel_prebuild_info(&inputs, &with, NULL), STATUS_OK);
    geometries[0].triangles.transform = 0x7ffffffff000;
    assert_int_equal(accel_prebuild_info(&inputs, &other, NULL), STATUS_OK);
    assert_memory_equal(&with, &other, sizeof(with));
}

static void test_limits(void **state)
{
    static const struct {
        const char *name;
        uint32_t instances, vertices[2];
        uint64_t boxes[2];
        uint32_t geometries;
        bool allowed;
    } cases[] = {
        {.name = "2^24 instances", .instances = 1 << 24, .allowed = true},
        {.name = "2^24 + 1 instances", .instances = (1 << 24) + 1},
        {.name = "2^32 - 1 instances", .instances = ~0u},
        {.name = "2^29 triangles", .vertices = {3u << 29}, .geometries = 1, .allowed = true},
        {.name = "2^29 triangles and two vertices", .vertices = {(3u << 29) + 2}, .geometries = 1, .allowed = true},
        {.name = "2^29 + 1 triangles", .vertices = {(3u << 29) + 3}, .geometries = 1},
        {.name = "2^29 in two geometries", .vertices = {3u << 28, 3u << 28}, .geometries = 2, .allowed = true},
        {.name = "2^29 + 1 in two geometries", .vertices = {3u << 29, 3}, .geometries = 2},
        {.name = "2^29 boxes", .boxes = {1 << 29}, .geometries = 1, .allowed = true},
        {.name = "2^29 + 1 boxes", .boxes = {(1 << 29) + 1}, .geometries = 1},
        {.name = "2^64 - 1 boxes", .boxes = {~UINT64_C(0)}, .geometries = 1},
        {.name = "boxes that wrap around", .boxes = {1 << 20, ~UINT64_C(0xfffff)}, .geometries = 2},
        {.name = "2^24 + 1 geometries", .geometries = (1 << 24) + 1},
    };
    for (uint32_t i = 0; i < ARRAY_COUNT(cases); i++)
        for (uint32_t b = 0; b < ARRAY_COUNT(build_flags); b++) {
            struct accel_geometry geometries[2];
            struct reason reason = {{0}};
            struct accel_prebuild_info info;
            for (int k = 0; k < 2; k++) {
                geometries[k] = (struct accel_geometry){.triangles = {.vertices = 0x1000, .vertex_stride_bytes = 12, .vertex_count = cases[i].vertices[k], .vertex_format = SCENE_FORMAT_R32G32B32_FLOAT}};
                if (cases[i].boxes[0])
                    geometries[k] = (struct accel_geometry){.type = ACCEL_GEOMETRY_BOXES, .boxes = {0x1000, 24, cases[i].boxes[k]}};
            }
            struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = build_flags[b], .count = cases[i].geometries, .geometries = geometries};
            if (cases[i].instances)
                inputs = (struct accel_build_inputs){.level = ACCEL_LEVEL_TOP, .flags = build_flags[b], .count = cases[i].instances, .instances = 0x1000};
            enum status status = accel_prebuild_info(&inputs, &info, &reason);
            if (status != (cases[i].allowed ? STATUS_OK : STATUS_INVALID) || !reason.text[0] != cases[i].allowed)
                fail_msg("%s, flags 0x%x: status %d, '%s'", cases[i].name, build_flags[b], status, reason.text);
            if (cases[i].allowed && info.result_bytes < 256 + (uint64_t)cases[i].vertices[0] / 3 + cases[i].boxes[0])
                fail_msg("%s, flags 0x%x: only %llu bytes", cases[i].name, build_flags[b], (unsigned long long)info.result_bytes);
            if (!cases[i].allowed)
                assert_true(!info.result_bytes && !info.scratch_bytes && !info.update_scratch_bytes);
        }
}

/* --- nothing is written outside --- */

struct walled {
    uint8_t *map, *start;
    size_t map_bytes;
};

/* Inaccessible pages before and behind: at_end: the last byte touches the wall behind, else the first the one before. */
static struct walled wall(uint64_t byte_count, bool at_end)
{
    struct walled w;
    size_t pages = (byte_count + PAGE - 1) / PAGE * PAGE;
    w.map_bytes = pages + 2 * PAGE;
    w.map = mmap(NULL, w.map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (w.map == MAP_FAILED || (pages && mprotect(w.map + PAGE, pages, PROT_READ | PROT_WRITE) != 0))
        abort();
    w.start = w.map + PAGE + (at_end ? pages - byte_count : 0);
    return w;
}

static void run_walled(const struct accel_build_inputs *inputs, bool at_end)
{
    struct accel_prebuild_info info;
    assert_int_equal(accel_prebuild_info(inputs, &info, NULL), STATUS_OK);
    assert_int_equal(info.result_bytes % 256, 0);
    struct walled result = wall(info.result_bytes, at_end), scratch = wall(info.scratch_bytes, at_end), other = wall(info.result_bytes, at_end);
    struct walled update = wall(info.update_scratch_bytes, at_end);
    struct accel_build_arguments arguments = {.inputs = *inputs, .result = result.start, .scratch = scratch.start};
    assert_int_equal(accel_build(&arguments, NULL), STATUS_OK);
    if (inputs->flags & ACCEL_BUILD_FLAG_ALLOW_UPDATE) {
        arguments.inputs.flags |= ACCEL_BUILD_FLAG_PERFORM_UPDATE;
        arguments.source = result.start;
        arguments.scratch = update.start;
        assert_int_equal(accel_build(&arguments, NULL), STATUS_OK);
        arguments.result = other.start;
        assert_int_equal(accel_build(&arguments, NULL), STATUS_OK);
    }
    struct walled all[] = {result, scratch, other, update};
    for (uint32_t i = 0; i < ARRAY_COUNT(all); i++)
        munmap(all[i].map, all[i].map_bytes);
}

static void test_walls(void **state)
{
    static const uint32_t counts[] = {0, 1, 2, 3, 4, 5, 8, 9, 17, 33, 64, 65, 200, 3000};
    struct scene_random random = {3};
    struct scene_mesh mesh = {0};
    scene_make_soup(&mesh, &random, 3000, 1, 0.2f);
    float(*boxes)[6] = calloc(3000, sizeof(*boxes));
    uint8_t(*descs)[64] = aligned_alloc(64, 3000 * 64);
    struct accel_geometry one = {.triangles = {.vertices = (uintptr_t)mesh.vertices, .vertex_stride_bytes = 12, .vertex_count = 30, .vertex_format = SCENE_FORMAT_R32G32B32_FLOAT}};
    struct accel_build_inputs bottom = {.level = ACCEL_LEVEL_BOTTOM, .count = 1, .geometries = &one};
    void *blas = scene_build(NULL, &bottom);
    for (uint32_t i = 0; i < 3000; i++) {
        struct scene_instance instance = {.mask = 0xff};
        memcpy(instance.transform, scene_identity, sizeof(scene_identity));
        for (int k = 0; k < 6; k++)
            boxes[i][k] = mesh.vertices[i][k % 3] + (k < 3 ? 0 : 0.1f);
        for (int k = 0; k < 3; k++)
            instance.transform[k * 4 + 3] = mesh.vertices[i][k] * 100;
        scene_write_instance(descs[i], &instance, blas);
    }
    for (uint32_t c = 0; c < ARRAY_COUNT(counts); c++)
        for (uint32_t b = 0; b < ARRAY_COUNT(build_flags); b++)
            for (int at_end = 0; at_end < 2; at_end++) {
                struct accel_geometry geometries[64];
                struct accel_build_inputs inputs = describe(SHAPE_VERTICES, counts[c] * 3, build_flags[b], (uintptr_t)mesh.vertices, geometries);
                run_walled(&inputs, at_end);
                inputs = describe(SHAPE_BOXES, counts[c], build_flags[b], (uintptr_t)boxes, geometries);
                run_walled(&inputs, at_end);
                inputs = describe(SHAPE_GEOMETRIES, counts[c], build_flags[b], (uintptr_t)mesh.vertices, geometries);
                run_walled(&inputs, at_end);
                inputs = describe(SHAPE_INSTANCES, counts[c], build_flags[b], (uintptr_t)descs, geometries);
                run_walled(&inputs, at_end);
            }
    free(blas);
    free(boxes);
    free(descs);
    scene_mesh_finish(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_monotone), cmocka_unit_test(test_transform_address),
                                       cmocka_unit_test(test_limits), cmocka_unit_test(test_walls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
