/* SPDX-License-Identifier: MIT
 * Field cases of the builder: inactive and degenerate primitives, empty inputs, small and hostile meshes, sizes,
 * determinism. Traced with the scalar kernel. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ref/scene.h"
#include "trace/trace.h"

static const float t0[3][3] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}};

static void add_t0(struct scene_mesh *mesh, float x, float y, float z)
{
    float corners[3][3];
    for (int v = 0; v < 3; v++) {
        corners[v][0] = t0[v][0] + x;
        corners[v][1] = t0[v][1] + y;
        corners[v][2] = t0[v][2] + z;
    }
    scene_mesh_add_corners(mesh, corners);
}

static void *build_geometry(const struct accel_geometry *geometry, uint32_t count, struct thread_pool *pool)
{
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .count = count, .geometries = geometry};
    return scene_build(pool, &inputs);
}

static void *build_mesh(const struct scene_mesh *mesh)
{
    struct accel_geometry geometry = scene_geometry(mesh);
    return build_geometry(&geometry, 1, NULL);
}

static struct trace_hit shoot(const void *structure, float x, float y, float z)
{
    struct abi_ray ray = {{x, y, z}, 0, {0, 0, 1}, 1e30f};
    struct trace_hit hit;
    trace_table_for(CPU_ISA_SCALAR)->closest((uintptr_t)structure, &ray, 0, 0xff, &hit);
    return hit;
}

/* AS-01 */
static void test_nan_vertex(void **state)
{
    for (int vertex = 0; vertex < 3; vertex++) {
        struct scene_mesh mesh = {0};
        for (int i = 0; i < 3; i++)
            add_t0(&mesh, (float)i * 2, 0, 0);
        mesh.vertices[3 + vertex][0] = NAN;
        void *blas = build_mesh(&mesh);
        assert_int_equal(shoot(blas, .25f, .25f, -1).primitive_index, 0);
        assert_int_equal(shoot(blas, 2.25f, .25f, -1).primitive_index, ~0u);
        assert_int_equal(shoot(blas, 4.25f, .25f, -1).primitive_index, 2);
        free(blas);
        scene_mesh_finish(&mesh);
    }
}

static void *build_top(const uint8_t (*descs)[64], uint32_t count)
{
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_TOP, .count = count, .instances = (uintptr_t)descs};
    return scene_build(NULL, &inputs);
}

static void expect_miss(const void *structure)
{
    assert_int_equal(shoot(structure, .25f, .25f, -1).instance_index, ~0u);
    struct trace_state s;
    struct abi_ray ray = {{.25f, .25f, -1}, 0, {0, 0, 1}, 1e30f};
    const struct trace_table *table = trace_table();
    table->begin(&s, (uintptr_t)structure, &ray, 0, 0, 0xff);
    assert_int_equal(table->next(&s), TRACE_DONE);
}

/* AS-04 */
static void test_empty(void **state)
{
    uint8_t descs[2][64] __attribute__((aligned(16))) = {{0}};
    struct scene_mesh mesh = {0};
    struct accel_geometry no_vertices = scene_geometry(&mesh);
    void *empty = build_geometry(NULL, 0, NULL), *empty_geometry = build_geometry(&no_vertices, 1, NULL);
    void *no_instances = build_top(NULL, 0), *null_instances = build_top(descs, 2);
    add_t0(&mesh, 0, 0, 0);
    mesh.vertices[0][0] = NAN;
    void *all_nan = build_mesh(&mesh);
    struct scene_instance instance = {.mask = 0xff};
    memcpy(instance.transform, scene_identity, sizeof(scene_identity));
    scene_write_instance(descs[0], &instance, all_nan);
    void *over_nan = build_top(descs, 1);
    void *all[] = {empty, empty_geometry, no_instances, null_instances, all_nan, over_nan};
    for (uint32_t i = 0; i < ARRAY_COUNT(all); i++) {
        expect_miss(all[i]);
        free(all[i]);
    }
    scene_mesh_finish(&mesh);
}

/* AS-05 */
static void test_null_instance_counts(void **state)
{
    struct scene_mesh mesh = {0};
    add_t0(&mesh, 0, 0, 0);
    void *blas = build_mesh(&mesh);
    uint8_t descs[3][64] __attribute__((aligned(16)));
    for (uint32_t i = 0; i < 3; i++) {
        struct scene_instance instance = {.mask = 0xff, .id = 0xabcde0 + i, .contribution = 0xffffff};
        memcpy(instance.transform, scene_identity, sizeof(scene_identity));
        instance.transform[3] = (float)i * 2;
        scene_write_instance(descs[i], &instance, i == 1 ? NULL : blas);
    }
    struct accel_header *tlas = build_top(descs, 3);
    assert_int_equal(shoot(tlas, 4.25f, .25f, -1).instance_index, 2);
    assert_int_equal(shoot(tlas, 2.25f, .25f, -1).instance_index, ~0u);
    const struct abi_instance *instances = (const void *)((uint8_t *)tlas + tlas->leaf_offset);
    assert_int_equal(instances[2].instance_id, 0xabcde2);
    assert_int_equal(instances[2].hit_group_contribution, 0xffffff);
    assert_int_equal(instances[2].flags, 0);
    assert_int_equal(instances[2].mask, 0xff);
    free(tlas);
    free(blas);
    scene_mesh_finish(&mesh);
}

/* AS-14: one row-major matrix, as geometry transform and as instance transform. */
static void test_transforms(void **state)
{
    static const float matrix[12] __attribute__((aligned(16))) = {1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7};
    struct scene_mesh mesh = {0};
    add_t0(&mesh, 0, 0, 0);
    void *plain = build_mesh(&mesh);
    struct accel_geometry geometry = scene_geometry(&mesh);
    geometry.triangles.transform = (uintptr_t)matrix;
    void *moved = build_geometry(&geometry, 1, NULL);
    uint8_t desc[1][64] __attribute__((aligned(16)));
    struct scene_instance instance = {.mask = 0xff};
    memcpy(instance.transform, matrix, sizeof(matrix));
    scene_write_instance(desc[0], &instance, plain);
    void *tlas = build_top(desc, 1);
    assert_true(shoot(moved, 5.25f, 6.25f, 0).t == 7);
    assert_true(shoot(tlas, 5.25f, 6.25f, 0).t == 7);
    free(plain);
    free(moved);
    free(tlas);
    scene_mesh_finish(&mesh);
}

/* AS-13 */
static void test_strides_and_indices(void **state)
{
    float interleaved[3][8];
    uint16_t indices[4] __attribute__((aligned(4))) = {9, 0, 1, 2};
    for (int v = 0; v < 3; v++)
        for (int i = 0; i < 8; i++)
            interleaved[v][i] = i < 3 ? t0[v][i] : NAN;
    struct accel_geometry geometry = {.triangles = {.vertices = (uintptr_t)interleaved, .vertex_stride_bytes = 32, .vertex_count = 3, .vertex_format = SCENE_FORMAT_R32G32B32_FLOAT}};
    void *blas = build_geometry(&geometry, 1, NULL);
    assert_true(shoot(blas, .25f, .25f, -1).t == 1);
    free(blas);
    geometry.triangles.vertex_stride_bytes = 0x100000020ull; /* only the lower 32 bits count */
    geometry.triangles.indices = (uintptr_t)(indices + 1);
    geometry.triangles.index_count = 3;
    geometry.triangles.index_format = SCENE_FORMAT_R16_UINT;
    blas = build_geometry(&geometry, 1, NULL);
    assert_true(shoot(blas, .25f, .25f, -1).t == 1);
    free(blas);
    geometry.triangles.vertex_stride_bytes = 0;
    blas = build_geometry(&geometry, 1, NULL);
    expect_miss(blas);
    free(blas);
}

/* AS-11: an index that is too large kills its triangle alone, and nothing is read there. */
static void test_index_out_of_range(void **state)
{
    static const uint32_t indices[6] = {0, 1, 2, 0, 1, 7};
    float *vertices = malloc(36); /* the address sanitizer watches the end */
    memcpy(vertices, t0, 36);
    struct accel_geometry geometry = {.triangles = {.vertices = (uintptr_t)vertices, .vertex_stride_bytes = 12, .vertex_count = 3, .vertex_format = SCENE_FORMAT_R32G32B32_FLOAT, .indices = (uintptr_t)indices, .index_count = 6, .index_format = SCENE_FORMAT_R32_UINT}};
    struct accel_header *blas = build_geometry(&geometry, 1, NULL);
    assert_int_equal(shoot(blas, .25f, .25f, -1).primitive_index, 0);
    assert_int_equal(blas->active_count, 1);
    free(blas);
    free(vertices);
}

/* AS-19 and all sizes around the widths of blocks, leaves and nodes. */
static void test_small_counts(void **state)
{
    for (int n = 1; n < 80; n++) {
        struct scene_mesh mesh = {0};
        for (int i = 0; i < n; i++)
            add_t0(&mesh, (float)i * 2, 0, 0);
        void *blas = build_mesh(&mesh);
        for (int i = 0; i < n; i++) {
            struct trace_hit hit = shoot(blas, (float)i * 2 + .25f, .25f, -1);
            assert_int_equal(hit.primitive_index, i);
            assert_true(hit.t == 1);
        }
        free(blas);
        scene_mesh_finish(&mesh);
    }
}

/* AS-20: sizes in geometric progression, at one and at three depths. */
static void test_geometric_progression(void **state)
{
    for (int copies = 1; copies <= 3; copies += 2) {
        struct scene_mesh mesh = {0};
        for (int copy = 0; copy < copies; copy++)
            for (int i = -40; i <= 40; i++) {
                float s = ldexpf(1, i), z = (float)copy;
                const float corners[3][3] = {{s, 0, z}, {s, s / 2, z}, {1.5f * s, 0, z}};
                scene_mesh_add_corners(&mesh, corners);
            }
        struct accel_header *blas = build_mesh(&mesh);
        assert_true(blas->depth <= ACCEL_MAX_DEPTH);
        for (int i = -40; i <= 40; i++) {
            float s = ldexpf(1, i);
            struct trace_hit hit = shoot(blas, 1.125f * s, .125f * s, -1);
            assert_int_equal(hit.primitive_index, i + 40);
            assert_true(hit.t == 1 && hit.barycentrics[0] == .25f && hit.barycentrics[1] == .25f);
        }
        free(blas);
        scene_mesh_finish(&mesh);
    }
}

/* Deep on purpose: exponentially nested boxes over the whole range of floats, and many equal triangles. */
static void test_depth_is_bounded(void **state)
{
    struct scene_mesh mesh = {0};
    for (int i = -120; i < 120; i++)
        for (int copy = 0; copy < 20; copy++) {
            float s = ldexpf(1, i), o = s * (1 + (float)copy * 1e-3f);
            const float corners[3][3] = {{o, 0, 0}, {0, o, 0}, {0, 0, o}};
            scene_mesh_add_corners(&mesh, corners);
        }
    for (int i = 0; i < 5000; i++)
        add_t0(&mesh, 3, 3, 1.25f);
    struct accel_header *blas = build_mesh(&mesh);
    assert_true(blas->depth <= ACCEL_MAX_DEPTH);
    struct trace_hit hit = shoot(blas, 3.25f, 3.25f, 1);
    assert_int_equal(hit.primitive_index, 240 * 20);
    free(blas);
    scene_mesh_finish(&mesh);
}

/* AS-21 */
static void test_degenerate(void **state)
{
    static const float point[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, line[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 1}};
    static const float diagonal[3][3] = {{-1, -1, 0}, {.5f, .5f, 0}, {2, 2, 0}};
    struct scene_mesh mesh = {0};
    scene_mesh_add_corners(&mesh, point);
    scene_mesh_add_corners(&mesh, line);
    add_t0(&mesh, 0, 0, 0);
    scene_mesh_add_corners(&mesh, diagonal);
    void *blas = build_mesh(&mesh);
    struct trace_hit hit = shoot(blas, .25f, .25f, -1);
    assert_int_equal(hit.primitive_index, 2);
    assert_true(hit.t == 1);
    assert_int_equal(shoot(blas, 1.5f, 1.5f, -1).primitive_index, ~0u);
    free(blas);
    scene_mesh_finish(&mesh);
}

/* AS-10 and other descriptions that are refused. */
static void test_refused(void **state)
{
    float memory[16] __attribute__((aligned(16))) = {0};
    struct accel_geometry good = {.triangles = {.vertices = (uintptr_t)memory, .vertex_stride_bytes = 12, .vertex_count = 3, .vertex_format = SCENE_FORMAT_R32G32B32_FLOAT}};
    struct accel_geometry pair[2] = {good, {.type = ACCEL_GEOMETRY_BOXES}}, bad[6] = {good, good, good, good, good, good};
    struct accel_prebuild_info info;
    bad[0].triangles.vertex_format = 1;
    bad[1].triangles.index_format = 3;
    bad[2].triangles.index_count = 3;
    bad[3].triangles.transform = (uintptr_t)memory + 4;
    bad[4].triangles.vertex_count = 3u << 30;
    bad[5].triangles.vertices += 2;
    for (int i = 0; i < 7; i++) {
        struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .count = i < 6 ? 1 : 2, .geometries = i < 6 ? &bad[i] : pair};
        struct reason reason = {{0}};
        assert_int_equal(accel_prebuild_info(&inputs, &info, &reason), STATUS_INVALID);
        assert_true(reason.text[0] != 0);
        assert_int_equal(info.result_bytes | info.scratch_bytes | info.update_scratch_bytes, 0);
    }
}

/* Sizes grow with every count, and do not look at addresses (AS-06). */
static void test_prebuild_is_monotone(void **state)
{
    static const uint32_t flags[] = {0, ACCEL_BUILD_FLAG_PREFER_FAST_BUILD, ACCEL_BUILD_FLAG_PREFER_FAST_TRACE,
                                     ACCEL_BUILD_FLAG_PREFER_FAST_BUILD | ACCEL_BUILD_FLAG_MINIMIZE_MEMORY};
    for (uint32_t i = 0; i < ARRAY_COUNT(flags); i++) {
        struct accel_prebuild_info last = {0}, info;
        for (uint32_t n = 0; n < 9000; n += n < 100 || (n > 2000 && n < 2100) ? 1 : 37) {
            struct accel_geometry geometry = {.triangles = {.vertices = 0x1000, .vertex_stride_bytes = 12, .vertex_count = n * 3, .vertex_format = SCENE_FORMAT_R32G32B32_FLOAT}};
            struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = flags[i], .count = 1, .geometries = &geometry};
            assert_int_equal(accel_prebuild_info(&inputs, &info, NULL), STATUS_OK);
            assert_true(info.result_bytes >= last.result_bytes && info.scratch_bytes >= last.scratch_bytes);
            assert_int_equal(info.update_scratch_bytes, 0);
            last = info;
        }
    }
}

/* Bit for bit the same for 1, 2 and 7 threads. */
static void test_thread_counts(void **state)
{
    struct scene_random random = {4};
    struct scene_mesh mesh = {0};
    scene_make_soup(&mesh, &random, 150000, 1, 0.01f);
    struct accel_geometry geometry = scene_geometry(&mesh);
    struct accel_header *one = build_geometry(&geometry, 1, NULL);
    static const uint32_t counts[] = {2, 7};
    for (uint32_t i = 0; i < ARRAY_COUNT(counts); i++) {
        struct thread_pool *pool;
        assert_int_equal(thread_pool_create(counts[i], 0, &pool), STATUS_OK);
        struct accel_header *other = build_geometry(&geometry, 1, pool);
        assert_int_equal(one->structure_bytes, other->structure_bytes);
        assert_memory_equal(one, other, one->structure_bytes);
        free(other);
        thread_pool_destroy(pool);
    }
    free(one);
    scene_mesh_finish(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nan_vertex),          cmocka_unit_test(test_empty),
        cmocka_unit_test(test_null_instance_counts), cmocka_unit_test(test_transforms),
        cmocka_unit_test(test_strides_and_indices), cmocka_unit_test(test_index_out_of_range),
        cmocka_unit_test(test_small_counts),        cmocka_unit_test(test_geometric_progression),
        cmocka_unit_test(test_depth_is_bounded),    cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_refused),             cmocka_unit_test(test_prebuild_is_monotone),
        cmocka_unit_test(test_thread_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
