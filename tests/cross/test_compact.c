/* SPDX-License-Identifier: MIT
 * MINIMIZE_MEMORY: how small structures are, and that hits are those of the default structure, bit for bit, after every way
 * that leads to a compact one. Random rays against the reference: test_random_rays. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "accel/indexed.h"
#include "accel/verify.h"
#include "ref/scene.h"
#include "trace/trace.h"

enum { RAYS = 6000, COMPACT = ACCEL_BUILD_FLAG_MINIMIZE_MEMORY };

static struct thread_pool *pool;

static void *build(const struct scene_mesh *mesh, uint32_t flags, struct thread_pool *with)
{
    struct accel_geometry geometry = scene_geometry(mesh);
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = flags, .count = 1, .geometries = &geometry};
    return scene_build(with, &inputs);
}

static enum status update(const struct scene_mesh *mesh, uint32_t flags, void *result, const void *source)
{
    struct accel_geometry geometry = scene_geometry(mesh);
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = flags, .count = 1, .geometries = &geometry};
    struct accel_prebuild_info info;
    assert_int_equal(accel_prebuild_info(&inputs, &info, NULL), STATUS_OK);
    struct accel_build_arguments arguments = {.inputs = inputs, .pool = pool, .result = result, .source = source};
    arguments.inputs.flags |= ACCEL_BUILD_FLAG_PERFORM_UPDATE;
    arguments.scratch = aligned_alloc(256, info.update_scratch_bytes);
    enum status status = accel_build(&arguments, NULL);
    free(arguments.scratch);
    return status;
}

static void expect_same_hits(const void *a, const void *b, float scale, const char *name)
{
    struct scene_random random = {8};
    uint32_t hits = 0;
    for (int i = 0; i < RAYS; i++) {
        struct abi_ray ray = {.t_max = INFINITY};
        struct trace_hit first, second;
        for (int axis = 0; axis < 3; axis++) {
            ray.origin[axis] = scene_random_float(&random, -2, 2) * scale;
            ray.direction[axis] = scene_random_float(&random, -1, 1) - ray.origin[axis] / scale;
        }
        const struct trace_table *table = trace_table_for(i % CPU_ISA_COUNT);
        table = table ? table : trace_table();
        table->closest((uintptr_t)a, &ray, 0, 0xff, &first);
        table->closest((uintptr_t)b, &ray, 0, 0xff, &second);
        if (memcmp(&first, &second, sizeof(first)) != 0)
            fail_msg("%s: ray %d meets primitive %u at %a, and %u at %a", name, i, first.primitive_index, first.t,
                     second.primitive_index, second.t);
        hits += first.primitive_index != ~0u;
    }
    assert_true(hits > RAYS / 20);
}

/* Embree's usual structure takes 63 to 68 bytes a triangle; .6 of that is 38. */
static void test_sizes(void **state)
{
    struct scene_random random = {1};
    struct scene_mesh meshes[3] = {{0}};
    static const struct { const char *name; double bytes, default_bytes; } bounds[3] = {{"terrain", 24, 59}, {"spheres", 25, 63}, {"soup", 49, 63}};
    scene_make_terrain(&meshes[0], 200, 100, 10, 4);
    for (int i = 0; i < 40; i++) {
        float center[3];
        for (int axis = 0; axis < 3; axis++)
            center[axis] = scene_random_float(&random, -10, 10);
        scene_make_sphere(&meshes[1], center, 1, 32, 32, &random);
    }
    scene_make_soup(&meshes[2], &random, 80000, 10, 0.1f);
    for (int i = 0; i < 3; i++) {
        const double count = meshes[i].triangle_count;
        struct accel_header *compact = build(&meshes[i], COMPACT, pool), *plain = build(&meshes[i], 0, pool);
        if ((double)compact->structure_bytes > bounds[i].bytes * count || (double)plain->structure_bytes > bounds[i].default_bytes * count)
            fail_msg("%s: %.2f bytes a triangle, default %.2f", bounds[i].name, (double)compact->structure_bytes / count,
                     (double)plain->structure_bytes / count);
        free(compact);
        free(plain);
        scene_mesh_finish(&meshes[i]);
    }
}

/* The bytes do not depend on threads. */
static void test_threads(void **state)
{
    struct scene_mesh mesh = {0};
    scene_make_terrain(&mesh, 150, 2, 1, 4);
    struct accel_header *one = build(&mesh, COMPACT, NULL), *two = build(&mesh, COMPACT, pool);
    assert_int_equal(one->structure_bytes, two->structure_bytes);
    assert_memory_equal(one, two, one->structure_bytes);
    free(one);
    free(two);
    scene_mesh_finish(&mesh);
}

/* Coordinates whose planes need the least, the greatest and no exponents at all. */
static void test_scales(void **state)
{
    static const float scales[] = {1e-44f, 1e-38f, 1e-30f, 1e-10f, 1, 1e10f, 1e30f, 1e38f};
    for (uint32_t i = 0; i < sizeof(scales) / sizeof(*scales); i++) {
        struct scene_random random = {3};
        struct scene_mesh mesh = {0};
        struct reason reason = {{0}};
        scene_make_soup(&mesh, &random, 1000, 1, 0.4f);
        for (uint32_t v = 0; v < mesh.vertex_count; v++)
            for (int axis = 0; axis < 3; axis++)
                mesh.vertices[v][axis] *= scales[i];
        struct accel_header *compact = build(&mesh, COMPACT, pool), *plain = build(&mesh, 0, pool);
        assert_int_equal(compact->active_count, plain->active_count);
        assert_int_equal(accel_verify(compact, compact->structure_bytes, &reason), STATUS_OK);
        if (scales[i] >= 1e-30f && scales[i] <= 1e30f)
            expect_same_hits(compact, plain, scales[i], "scale");
        free(compact);
        free(plain);
        scene_mesh_finish(&mesh);
    }
}

/* Five rounds in place and to another address; triangles become lines and come back. */
static void test_updates(void **state)
{
    const uint32_t flags = COMPACT | ACCEL_BUILD_FLAG_ALLOW_UPDATE;
    struct scene_random random = {5};
    struct scene_mesh mesh = {0};
    static const float center[3] = {0, 0, 0};
    scene_make_sphere(&mesh, center, 1, 24, 24, &random);
    scene_make_soup(&mesh, &random, 2000, 1, 0.2f);
    struct accel_header *structure = build(&mesh, flags, pool), *first = build(&mesh, flags, pool);
    struct accel_header *other = aligned_alloc(256, (first->structure_bytes + 255) / 256 * 256);
    for (int round = 0; round < 5; round++) {
        for (uint32_t i = 0; i < mesh.vertex_count; i++)
            for (int axis = 0; axis < 3; axis++)
                mesh.vertices[i][axis] += scene_random_float(&random, -0.1f, 0.1f);
        float kept[3];
        memcpy(kept, mesh.vertices[40], sizeof(kept));
        if (round % 2)
            memcpy(mesh.vertices[40], mesh.vertices[41], sizeof(kept));
        assert_int_equal(update(&mesh, flags, structure, structure), STATUS_OK);
        assert_int_equal(update(&mesh, flags, other, first), STATUS_OK);
        struct accel_header *fresh = build(&mesh, 0, pool);
        expect_same_hits(structure, fresh, 1, "in place");
        expect_same_hits(other, fresh, 1, "elsewhere");
        free(fresh);
        memcpy(mesh.vertices[40], kept, sizeof(kept));
    }
    free(structure);
    free(first);
    free(other);
    scene_mesh_finish(&mesh);
}

/* Indices must be those of the build; where others need more vertices than a leaf has, the update says so. */
static void test_changed_indices(void **state)
{
    const uint32_t flags = COMPACT | ACCEL_BUILD_FLAG_ALLOW_UPDATE;
    struct scene_mesh mesh = {0};
    scene_make_terrain(&mesh, 8, 2, 1, 4);
    struct accel_header *structure = build(&mesh, flags, NULL);
    for (uint32_t i = 0; i < mesh.triangle_count; i++)
        for (uint32_t v = 0; v < 3; v++)
            mesh.indices[i][v] = (i * 7 + v * 13) % mesh.vertex_count;
    assert_int_equal(update(&mesh, flags, structure, structure), STATUS_INVALID);
    assert_int_equal(structure->magic, 0);
    free(structure);
    scene_mesh_finish(&mesh);
}

/* Clone, compact, serialise and back, decode for tools. */
static void test_copies(void **state)
{
    struct scene_random random = {6};
    struct scene_mesh mesh = {0};
    scene_make_soup(&mesh, &random, 3000, 1, 0.2f);
    struct accel_header *plain = build(&mesh, 0, pool), *compact = build(&mesh, COMPACT | ACCEL_BUILD_FLAG_ALLOW_COMPACTION, pool);
    uint64_t bytes = compact->structure_bytes, sizes[2];
    uint32_t out_bytes;
    assert_int_equal(accel_postbuild_info(ACCEL_POSTBUILD_COMPACTED_SIZE, compact, sizes, &out_bytes, NULL), STATUS_OK);
    assert_int_equal(sizes[0], bytes);
    void *copy = aligned_alloc(256, (bytes + 255) / 256 * 256);
    for (uint32_t mode = ACCEL_COPY_CLONE; mode <= ACCEL_COPY_COMPACT; mode++) {
        memset(copy, 0, bytes);
        assert_int_equal(accel_copy((enum accel_copy_mode)mode, copy, bytes, compact, bytes, NULL), STATUS_OK);
        expect_same_hits(copy, plain, 1, "copy");
    }
    assert_int_equal(accel_postbuild_info(ACCEL_POSTBUILD_SERIALIZATION, compact, sizes, &out_bytes, NULL), STATUS_OK);
    void *serialized = calloc(1, sizes[0]);
    assert_int_equal(accel_copy(ACCEL_COPY_SERIALIZE, serialized, sizes[0], compact, bytes, NULL), STATUS_OK);
    memset(copy, 0, bytes);
    assert_int_equal(accel_copy(ACCEL_COPY_DESERIALIZE, copy, bytes, serialized, sizes[0], NULL), STATUS_OK);
    expect_same_hits(copy, plain, 1, "serialised");
    for (uint32_t i = 0; i < mesh.triangle_count; i++) {
        float a[3][3], b[3][3];
        bool is_there = accel_find_triangle(compact, 0, i, a);
        assert_true(is_there == accel_find_triangle(plain, 0, i, b));
        if (is_there)
            assert_memory_equal(a, b, sizeof(a));
    }
    free(serialized);
    free(copy);
    free(plain);
    free(compact);
    scene_mesh_finish(&mesh);
}

/* Nothing that the proof accepts makes traversal leave the structure: single bytes changed all over it. */
static void test_damage(void **state)
{
    struct scene_random random = {9};
    struct scene_mesh mesh = {0};
    scene_make_soup(&mesh, &random, 60, 1, 0.5f);
    struct accel_header *structure = build(&mesh, COMPACT, NULL);
    uint64_t bytes = structure->structure_bytes;
    uint8_t *mutant = aligned_alloc(256, (bytes + 255) / 256 * 256);
    uint32_t refused = 0;
    for (uint32_t i = 0; i < 20000; i++) {
        struct reason reason = {{0}};
        struct trace_hit hit;
        memcpy(mutant, structure, bytes);
        mutant[scene_random_bits(&random) % bytes] ^= (uint8_t)(1u << scene_random_bits(&random) % 8);
        if (accel_verify((struct accel_header *)mutant, bytes, &reason) != STATUS_OK) {
            refused++;
            continue;
        }
        struct abi_ray ray = {.origin = {-3, 0.1f, 0.2f}, .direction = {1, 0, 0}, .t_max = INFINITY};
        trace_table()->closest((uintptr_t)mutant, &ray, 0, 0xff, &hit);
    }
    assert_true(refused > 2000);
    free(mutant);
    free(structure);
    scene_mesh_finish(&mesh);
}

static int set_up(void **state)
{
    return thread_pool_create(2, 0, &pool) != STATUS_OK;
}

static int tear_down(void **state)
{
    thread_pool_destroy(pool);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),           cmocka_unit_test(test_threads), cmocka_unit_test(test_scales),
        cmocka_unit_test(test_updates),         cmocka_unit_test(test_copies),  cmocka_unit_test(test_damage),
        cmocka_unit_test(test_changed_indices),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
