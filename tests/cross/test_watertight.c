/* SPDX-License-Identifier: MIT
 * Closed and covering meshes under rays that are aimed exactly at edges, vertices and centres: nothing leaks, and each
 * surface is met exactly once, on every instruction set. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ref/scene.h"
#include "trace/trace.h"

static void *build(struct scene_mesh *mesh, uint32_t flags)
{
    struct accel_geometry geometry = scene_geometry(mesh);
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = flags, .count = 1, .geometries = &geometry};
    return scene_build(NULL, &inputs);
}

static uint32_t count_hits(const struct trace_table *table, const void *blas, const struct abi_ray *ray)
{
    struct trace_state s;
    uint32_t count = 0;
    table->begin(&s, (uintptr_t)blas, ray, ABI_RAY_FLAG_FORCE_NON_OPAQUE, 0, 0xff);
    while (table->next(&s) != TRACE_DONE)
        count++;
    return count;
}

static void expect_hits(const void *blas, const struct abi_ray *ray, uint32_t expected, const char *name)
{
    for (enum cpu_isa isa = CPU_ISA_SCALAR; isa < CPU_ISA_COUNT; isa++) {
        const struct trace_table *table = trace_table_for(isa);
        if (!table)
            continue;
        uint32_t count = count_hits(table, blas, ray);
        if (count != expected)
            fail_msg("%s on %s: %u hits, expected %u; origin %a %a %a direction %a %a %a", name, cpu_isa_name(isa), count,
                     expected, ray->origin[0], ray->origin[1], ray->origin[2], ray->direction[0], ray->direction[1],
                     ray->direction[2]);
        assert_true(table->occluded((uintptr_t)blas, ray, 0, 0xff));
    }
}

/* TR-01: a height field on whole numbers, rays straight down at every interior vertex, edge midpoint and centre. */
static void test_integer_grid(void **state)
{
    enum { N = 65 };
    struct scene_mesh mesh = {0};
    for (int z = 0; z < N; z++)
        for (int x = 0; x < N; x++)
            scene_mesh_add_vertex(&mesh, (float)x, (float)((x * 7 + z * 13) % 5), (float)z);
    for (uint32_t z = 0; z + 1 < N; z++)
        for (uint32_t x = 0; x + 1 < N; x++) {
            uint32_t a = z * N + x;
            scene_mesh_add_triangle(&mesh, a, a + N, a + 1);
            scene_mesh_add_triangle(&mesh, a + 1, a + N, a + N + 1);
        }
    void *blas = build(&mesh, 0);
    for (int z = 1; z < 2 * N - 3; z++)
        for (int x = 1; x < 2 * N - 3; x++) {
            struct abi_ray ray = {{(float)x * .5f, 100, (float)z * .5f}, 0, {0, -1, 0}, INFINITY};
            expect_hits(blas, &ray, 1, "grid");
        }
    free(blas);
    scene_mesh_finish(&mesh);
}

/* A point of a triangle: vertex, edge point or inside, chosen by kind. */
static void point_of(const struct scene_mesh *mesh, uint32_t triangle, uint32_t kind, struct scene_random *random, float point[3])
{
    const uint32_t *t = mesh->indices[triangle];
    const float *a = mesh->vertices[t[kind % 3]], *b = mesh->vertices[t[(kind + 1) % 3]], *c = mesh->vertices[t[(kind + 2) % 3]];
    float u = kind < 3 ? 0 : kind < 6 ? 0.5f : scene_random_float(random, 0, 1), v = kind < 9 ? 0 : 0.25f * (1 - u);
    for (int axis = 0; axis < 3; axis++)
        point[axis] = a[axis] + u * (b[axis] - a[axis]) + v * (c[axis] - a[axis]);
}

/* From inside a closed star-shaped mesh every ray meets the surface an odd number of times, from a convex one once. */
static void run_closed(bool convex, float scale, float offset, uint64_t seed)
{
    struct scene_random random = {seed};
    struct scene_mesh mesh = {0};
    float center[3] = {offset, offset * 0.5f, -offset};
    scene_make_sphere(&mesh, center, scale, 12, 17, convex ? NULL : &random);
    void *blas = build(&mesh, 0);
    for (uint32_t i = 0; i < 8000; i++) {
        float target[3];
        struct abi_ray ray = {{center[0], center[1], center[2]}, 0, {0}, INFINITY};
        point_of(&mesh, i % mesh.triangle_count, (i / mesh.triangle_count) % 10, &random, target);
        for (int axis = 0; axis < 3; axis++) {
            ray.origin[axis] += scene_random_float(&random, -0.3f, 0.3f) * scale;
            ray.direction[axis] = target[axis] - ray.origin[axis];
        }
        if (convex) {
            expect_hits(blas, &ray, 1, "convex");
            continue;
        }
        uint32_t count = count_hits(trace_table_for(CPU_ISA_SCALAR), blas, &ray);
        assert_int_equal(count % 2, 1);
        expect_hits(blas, &ray, count, "star");
    }
    free(blas);
    scene_mesh_finish(&mesh);
}

static void test_closed_unit(void **state)
{
    run_closed(true, 1, 0, 1);
    run_closed(false, 1, 0, 2);
}

static void test_closed_far_away(void **state)
{
    run_closed(false, 1, 1000, 3);
}

static void test_closed_tiny(void **state)
{
    run_closed(true, 1e-30f, 0, 4);
    run_closed(false, 1e-20f, 0, 5);
}

static void test_closed_huge(void **state)
{
    run_closed(true, 1e30f, 0, 6);
    run_closed(false, 1e18f, 0, 7);
}

/* Rays from outside through a vertex or edge of a closed mesh: in and out, so an even number of hits, whatever the
 * direction; and exactly two through a convex body when aimed at its middle. */
static void test_closed_from_outside(void **state)
{
    struct scene_random random = {9};
    struct scene_mesh mesh = {0};
    const float center[3] = {0, 0, 0};
    scene_make_sphere(&mesh, center, 1, 16, 16, NULL);
    void *blas = build(&mesh, 0);
    for (uint32_t i = 0; i < 8000; i++) {
        float point[3];
        struct abi_ray ray = {{0}, 0, {0}, INFINITY};
        point_of(&mesh, i % mesh.triangle_count, (i / mesh.triangle_count) % 10, &random, point);
        for (int axis = 0; axis < 3; axis++) {
            ray.origin[axis] = 4 * point[axis];
            ray.direction[axis] = i % 3 ? -point[axis] : scene_random_float(&random, -0.2f, 0.2f) - ray.origin[axis];
        }
        expect_hits(blas, &ray, 2, "outside");
    }
    free(blas);
    scene_mesh_finish(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integer_grid), cmocka_unit_test(test_closed_unit),         cmocka_unit_test(test_closed_far_away),
        cmocka_unit_test(test_closed_tiny),  cmocka_unit_test(test_closed_huge),         cmocka_unit_test(test_closed_from_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
