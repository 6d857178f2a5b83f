/* SPDX-License-Identifier: MIT
 * Every builder gives a sound tree, the same bytes for every number of threads, and the hits of every other builder. The
 * memory of builds is guarded (tests/ref/scene.h). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "accel/verify.h"
#include "ref/scene.h"
#include "trace/trace.h"

enum { RAYS = 3000 };

static const uint32_t builders[] = {0, ACCEL_BUILD_FLAG_PREFER_FAST_BUILD, ACCEL_BUILD_FLAG_PREFER_FAST_TRACE,
                                    ACCEL_BUILD_FLAG_PREFER_FAST_BUILD | ACCEL_BUILD_FLAG_ALLOW_UPDATE,
                                    ACCEL_BUILD_FLAG_PREFER_FAST_BUILD | ACCEL_BUILD_FLAG_MINIMIZE_MEMORY};
enum { BUILDER_COUNT = sizeof(builders) / sizeof(builders[0]) };

static struct accel_header *build(const struct accel_geometry *geometries, uint32_t count, uint32_t flags, struct thread_pool *pool)
{
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = flags, .count = count, .geometries = geometries};
    struct accel_header *structure = scene_build(pool, &inputs);
    struct reason reason = {{0}};
    if (accel_verify(structure, structure->structure_bytes, &reason) != STATUS_OK)
        fail_msg("flags 0x%x: %s", flags, reason.text);
    return structure;
}

static void random_ray(struct scene_random *random, float extent, struct abi_ray *ray)
{
    *ray = (struct abi_ray){.t_max = INFINITY};
    for (int axis = 0; axis < 3; axis++) {
        ray->origin[axis] = scene_random_float(random, -2 * extent, 2 * extent);
        ray->direction[axis] = scene_random_float(random, -extent, extent) - ray->origin[axis];
    }
}

/* Closest hits on all instruction sets, against the first builder's. */
static void expect_same_hits(const void *first, const void *other, float extent, uint32_t flags)
{
    struct scene_random random = {3};
    for (int i = 0; i < RAYS; i++) {
        struct abi_ray ray;
        struct trace_hit expected, hit;
        random_ray(&random, extent, &ray);
        trace_table()->closest((uintptr_t)first, &ray, 0, 0xff, &expected);
        for (enum cpu_isa isa = CPU_ISA_SCALAR; isa < CPU_ISA_COUNT; isa++) {
            if (!trace_table_for(isa))
                continue;
            trace_table_for(isa)->closest((uintptr_t)other, &ray, 0, 0xff, &hit);
            if (memcmp(&hit, &expected, sizeof(hit)) != 0)
                fail_msg("flags 0x%x on %s: ray %d hits primitive %u at %a, expected %u at %a", flags, cpu_isa_name(isa), i,
                         hit.primitive_index, hit.t, expected.primitive_index, expected.t);
        }
    }
}

static void run_builders(const struct accel_geometry *geometries, uint32_t count, float extent)
{
    static const uint32_t thread_counts[] = {2, 5};
    struct accel_header *first = NULL;
    for (uint32_t i = 0; i < BUILDER_COUNT; i++) {
        struct accel_header *one = build(geometries, count, builders[i], NULL);
        for (uint32_t k = 0; k < 2; k++) {
            struct thread_pool *pool;
            assert_int_equal(thread_pool_create(thread_counts[k], 0, &pool), STATUS_OK);
            struct accel_header *other = build(geometries, count, builders[i], pool);
            assert_int_equal(one->structure_bytes, other->structure_bytes);
            assert_memory_equal(one, other, one->structure_bytes);
            free(other);
            thread_pool_destroy(pool);
        }
        if (first)
            expect_same_hits(first, one, extent, builders[i]);
        if (first)
            free(one);
        else
            first = one;
    }
    free(first);
}

static void test_soup(void **state)
{
    struct scene_random random = {4};
    struct scene_mesh mesh = {0};
    scene_make_soup(&mesh, &random, 80000, 1, 0.03f);
    struct accel_geometry geometry = scene_geometry(&mesh);
    run_builders(&geometry, 1, 1);
    scene_mesh_finish(&mesh);
}

static void test_geometries(void **state)
{
    struct scene_random random = {5};
    struct scene_mesh meshes[3] = {{0}};
    struct accel_geometry geometries[3];
    const float center[3] = {0, 0, 0};
    scene_make_sphere(&meshes[0], center, 1, 30, 40, NULL);
    scene_make_soup(&meshes[1], &random, 5000, 1, 0.2f);
    scene_make_needles(&meshes[2], &random, 3000);
    for (int i = 0; i < 3; i++)
        geometries[i] = scene_geometry(&meshes[i]);
    run_builders(geometries, 3, 1);
    for (int i = 0; i < 3; i++)
        scene_mesh_finish(&meshes[i]);
}

/* Sizes around the widths of blocks, groups and chunks. */
static void test_counts(void **state)
{
    static const uint32_t counts[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 31, 32, 33, 65, 100, 511, 512, 513, 2047, 2048, 2049, 4097};
    for (uint32_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        struct scene_random random = {i};
        struct scene_mesh mesh = {0};
        scene_make_soup(&mesh, &random, counts[i], 1, 0.3f);
        struct accel_geometry geometry = scene_geometry(&mesh);
        for (uint32_t k = 0; k < BUILDER_COUNT; k++) {
            struct accel_header *structure = build(&geometry, 1, builders[k], NULL);
            assert_int_equal(structure->active_count, counts[i]);
            assert_true(structure->depth <= ACCEL_MAX_DEPTH);
            free(structure);
        }
        scene_mesh_finish(&mesh);
    }
}

/* All in one place, over the whole range of floats, and where surfaces overflow. */
static void test_hostile_places(void **state)
{
    for (int kind = 0; kind < 3; kind++) {
        struct scene_mesh mesh = {0};
        for (int i = 0; i < 6000; i++) {
            float s = kind == 0 ? 1 : kind == 1 ? ldexpf(1, i % 240 - 120) : 1e30f * (float)(i % 7 + 1);
            const float corners[3][3] = {{s, 0, s}, {s, s / 2, s}, {1.5f * s, 0, s}};
            scene_mesh_add_corners(&mesh, corners);
        }
        struct accel_geometry geometry = scene_geometry(&mesh);
        for (uint32_t k = 0; k < BUILDER_COUNT; k++)
            free(build(&geometry, 1, builders[k], NULL));
        scene_mesh_finish(&mesh);
    }
}

static void test_boxes(void **state)
{
    enum { COUNT = 5000 };
    struct scene_random random = {6};
    float(*boxes)[6] = calloc(COUNT, sizeof(*boxes));
    for (int i = 0; i < COUNT; i++)
        for (int axis = 0; axis < 3; axis++) {
            boxes[i][axis] = scene_random_float(&random, -1, 1);
            boxes[i][axis + 3] = boxes[i][axis] + scene_random_float(&random, 0, 0.1f);
        }
    struct accel_geometry geometry = {.type = ACCEL_GEOMETRY_BOXES, .boxes = {(uintptr_t)boxes, sizeof(*boxes), COUNT}};
    for (uint32_t k = 0; k < BUILDER_COUNT; k++) {
        struct accel_header *structure = build(&geometry, 1, builders[k], NULL);
        assert_int_equal(structure->active_count, COUNT);
        free(structure);
    }
    free(boxes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soup),           cmocka_unit_test(test_geometries), cmocka_unit_test(test_counts),
        cmocka_unit_test(test_hostile_places), cmocka_unit_test(test_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
