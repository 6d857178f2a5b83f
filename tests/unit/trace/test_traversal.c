/* SPDX-License-Identifier: MIT
 * Field cases of traversal (intervals, culling, opacity, masks, ties, resuming), each on every instruction set. T0 is the
 * clockwise unit triangle (0,0,0), (0,1,0), (1,0,0); Z the ray from (.25,.25,-1) along +z. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ref/scene.h"
#include "trace/trace.h"

static const float t0[3][3] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}};
static const struct abi_ray z_ray = {{.25f, .25f, -1}, 0, {0, 0, 1}, 1e30f};

struct outcome {
    uint32_t committed;     /* enum abi_committed_status */
    uint32_t any_hit_count; /* candidates, all rejected unless accept */
    struct abi_hit hit;
};

enum answer { REJECT, ACCEPT };

static struct outcome trace(const struct trace_table *table, const void *structure, const struct abi_ray *ray, uint32_t flags,
                            uint32_t mask, enum answer answer)
{
    static struct trace_state s;
    struct outcome o = {0};
    uint32_t event;
    table->begin(&s, (uintptr_t)structure, ray, flags, 0, mask);
    while ((event = table->next(&s)) != TRACE_DONE) {
        o.any_hit_count++;
        if (answer == ACCEPT && event == TRACE_CANDIDATE_TRIANGLE)
            table->commit_triangle(&s);
        assert_true(o.any_hit_count < 1000000);
    }
    assert_int_equal(table->next(&s), TRACE_DONE);
    o.committed = s.visible.committed_status;
    o.hit = s.visible.committed;
    return o;
}

#define FOR_EACH_ISA(table)                                                                                  \
    for (enum cpu_isa isa_ = CPU_ISA_SCALAR; isa_ < CPU_ISA_COUNT; isa_++)                                   \
        for (const struct trace_table *table = trace_table_for(isa_); table; table = NULL)

static void *build_mesh(struct scene_mesh *mesh)
{
    struct accel_geometry geometry = scene_geometry(mesh);
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .count = 1, .geometries = &geometry};
    void *blas = scene_build(NULL, &inputs);
    scene_mesh_finish(mesh);
    return blas;
}

static void *build_corners(const float corners[][3][3], uint32_t count, uint32_t flags)
{
    struct scene_mesh mesh = {.flags = flags};
    for (uint32_t i = 0; i < count; i++)
        scene_mesh_add_corners(&mesh, corners[i]);
    return build_mesh(&mesh);
}

static void *build_top(const struct scene_instance *instances, uint32_t count, const void *blas)
{
    uint8_t descs[16][64] __attribute__((aligned(16)));
    for (uint32_t i = 0; i < count; i++)
        scene_write_instance(descs[i], &instances[i], blas);
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_TOP, .count = count, .instances = (uintptr_t)descs};
    return scene_build(NULL, &inputs);
}

static void *build_instance(const void *blas, uint32_t flags, uint32_t mask)
{
    struct scene_instance instance = {.mask = mask, .flags = flags};
    memcpy(instance.transform, scene_identity, sizeof(scene_identity));
    return build_top(&instance, 1, blas);
}

static void *build_t0(uint32_t geometry_flags)
{
    return build_corners(&t0, 1, geometry_flags);
}

static void test_t0_under_z(void **state)
{
    void *blas = build_t0(ACCEL_GEOMETRY_FLAG_OPAQUE), *tlas = build_instance(blas, 0, 0xff);
    FOR_EACH_ISA(table) {
        struct outcome o = trace(table, tlas, &z_ray, 0, 0xff, REJECT);
        assert_int_equal(o.committed, ABI_COMMITTED_TRIANGLE_HIT);
        assert_true(o.hit.t == 1 && o.hit.barycentrics[0] == .25f && o.hit.barycentrics[1] == .25f);
        assert_int_equal(o.hit.hit_kind, ABI_HIT_KIND_TRIANGLE_FRONT_FACE);
        assert_int_equal(o.hit.primitive_index, 0);
        assert_non_null(o.hit.instance);
    }
    free(tlas);
    free(blas);
}

/* TR-07, TR-12, TR-13: intervals, lengths, what is not a number. */
static void test_ray_values(void **state)
{
    static const struct {
        const char *name;
        struct abi_ray ray;
        float t; /* 0: miss */
    } cases[] = {
        {"origin on the surface", {{.25f, .25f, 0}, 0, {0, 0, 1}, 1e30f}, 0},
        {"origin just in front", {{.25f, .25f, -1e-30f}, 0, {0, 0, 1}, 1e30f}, 1e-30f},
        {"half length", {{.25f, .25f, -10}, 0, {0, 0, .5f}, 1e30f}, 20},
        {"tiny length", {{.25f, .25f, -1}, 0, {0, 0, 1e-20f}, 1e30f}, 1e20f},
        {"TMax infinite", {{.25f, .25f, -1}, 0, {0, 0, 1}, INFINITY}, 1},
        {"TMax at the hit", {{.25f, .25f, -1}, 0, {0, 0, 1}, 1}, 0},
        {"TMin at the hit", {{.25f, .25f, -1}, 1, {0, 0, 1}, 1e30f}, 0},
        {"TMin just before", {{.25f, .25f, -1}, 0x1.fffffep-1f, {0, 0, 1}, 1e30f}, 1},
        {"TMax just behind", {{.25f, .25f, -1}, 0, {0, 0, 1}, 0x1.000002p0f}, 1},
        {"away", {{.25f, .25f, -1}, 0, {0, 0, -1}, 1e30f}, 0},
        {"no direction", {{.25f, .25f, -1}, 0, {0, 0, 0}, 1e30f}, 0},
        {"infinite direction", {{.25f, .25f, -1}, 0, {0, 0, INFINITY}, 1e30f}, 0},
        {"TMin above TMax", {{.25f, .25f, -1}, 3, {0, 0, 1}, 2}, 0},
    };
    void *blas = build_t0(ACCEL_GEOMETRY_FLAG_OPAQUE), *tlas = build_instance(blas, 0, 0xff);
    FOR_EACH_ISA(table)
        for (uint32_t i = 0; i < ARRAY_COUNT(cases); i++) {
            struct outcome o = trace(table, tlas, &cases[i].ray, 0, 0xff, REJECT);
            if ((o.committed == ABI_COMMITTED_TRIANGLE_HIT) != (cases[i].t != 0) || (cases[i].t != 0 && o.hit.t != cases[i].t))
                fail_msg("%s: status %u t %g", cases[i].name, o.committed, o.hit.t);
        }
    FOR_EACH_ISA(table)
        for (uint32_t field = 0; field < 8; field++) {
            struct abi_ray ray = z_ray;
            float nan = NAN;
            memcpy((char *)&ray + field * 4, &nan, 4);
            assert_int_equal(trace(table, tlas, &ray, 0, 0xff, REJECT).committed, ABI_COMMITTED_NOTHING);
        }
    free(tlas);
    free(blas);
}

/* TR-06, TR-11 */
static void test_planes_and_signs(void **state)
{
    static const float coplanar[1][3][3] = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    static const float pair[2][3][3] = {{{1, -1, 1}, {1, 1, 1}, {-1, 1, 1}}, {{1, -1, 2.1f}, {1, 1, 2.1f}, {-1, 1, 2.1f}}};
    void *a = build_corners(coplanar, 1, ACCEL_GEOMETRY_FLAG_OPAQUE), *b = build_corners(pair, 2, ACCEL_GEOMETRY_FLAG_OPAQUE);
    struct abi_ray along = {{-1, .5f, 0}, 0, {1, 0, 0}, 1e30f}, negative_zero = {{.25f, .25f, 0}, 0, {0, -0.0f, 1}, 1e30f};
    FOR_EACH_ISA(table) {
        assert_int_equal(trace(table, a, &along, 0, 0xff, REJECT).committed, ABI_COMMITTED_NOTHING);
        struct outcome o = trace(table, b, &negative_zero, 0, 0xff, REJECT);
        assert_int_equal(o.committed, ABI_COMMITTED_TRIANGLE_HIT);
        assert_int_equal(o.hit.primitive_index, 0);
        assert_true(o.hit.t == 1 && o.hit.barycentrics[0] == .25f && o.hit.barycentrics[1] == .375f);
        assert_int_equal(o.hit.hit_kind, ABI_HIT_KIND_TRIANGLE_BACK_FACE);
    }
    free(a);
    free(b);
}

/* TR-10: rays along the seam of a split quad, origin on box faces. */
static void test_seam(void **state)
{
    struct scene_mesh mesh = {.flags = ACCEL_GEOMETRY_FLAG_OPAQUE};
    struct scene_random random = {5};
    static const float quads[4][3][3] = {{{-1, 0, 5}, {0, 0, 5}, {-1, 1, 5}}, {{0, 0, 5}, {0, 1, 5}, {-1, 1, 5}},
                                         {{0, 0, 5}, {1, 0, 5}, {0, 1, 5}}, {{1, 0, 5}, {1, 1, 5}, {0, 1, 5}}};
    for (int i = 0; i < 4; i++)
        scene_mesh_add_corners(&mesh, quads[i]);
    scene_make_soup(&mesh, &random, 200, 1, 0.1f);
    for (uint32_t i = 12; i < mesh.vertex_count; i++)
        mesh.vertices[i][2] += 100;
    void *blas = build_mesh(&mesh);
    FOR_EACH_ISA(table)
        for (int sign = 0; sign < 4; sign++)
            for (int k = 1; k < 64; k++) {
                struct abi_ray ray = {{0, k / 64.0f, 0}, 0, {sign & 1 ? -0.0f : 0.0f, sign & 2 ? -0.0f : 0.0f, 1}, 50};
                struct outcome o = trace(table, blas, &ray, ABI_RAY_FLAG_FORCE_NON_OPAQUE, 0xff, REJECT);
                assert_int_equal(o.any_hit_count, 1);
                o = trace(table, blas, &ray, 0, 0xff, REJECT);
                assert_true(o.committed == ABI_COMMITTED_TRIANGLE_HIT && o.hit.t == 5);
            }
    free(blas);
}

/* TR-14: far from zero. */
static void test_far_from_zero(void **state)
{
    struct scene_mesh mesh = {.flags = ACCEL_GEOMETRY_FLAG_OPAQUE};
    const float base[3] = {100928, 99222, 3541};
    for (int j = 0; j < 9; j++)
        for (int i = 0; i < 9; i++)
            scene_mesh_add_vertex(&mesh, base[0] + (float)i, base[1] + (float)j, base[2]);
    for (uint32_t j = 0; j < 8; j++)
        for (uint32_t i = 0; i < 8; i++) {
            uint32_t a = j * 9 + i;
            scene_mesh_add_triangle(&mesh, a, a + 1, a + 9);
            scene_mesh_add_triangle(&mesh, a + 1, a + 10, a + 9);
        }
    void *blas = build_mesh(&mesh);
    FOR_EACH_ISA(table)
        for (int i = 0; i < 128; i++) {
            float inside = i % 2 ? .75f : .25f;
            struct abi_ray ray = {{base[0] + (float)(i / 2 % 8) + inside, base[1] + (float)(i / 16) + inside, 3551}, 0, {0, 0, -1}, INFINITY};
            struct outcome o = trace(table, blas, &ray, 0, 0xff, REJECT);
            assert_true(o.committed == ABI_COMMITTED_TRIANGLE_HIT && o.hit.t == 10);
            assert_int_equal(o.hit.primitive_index, i);
        }
    free(blas);
}

/* TR-17: instance masks. */
static void test_masks(void **state)
{
    static const struct {
        uint32_t ray_mask;
        uint32_t hits; /* bit per instance */
    } cases[] = {{2, 2}, {0x102, 2}, {0xff, 7}, {0, 0}, {0x100, 0}, {5, 5}};
    void *blas = build_t0(ACCEL_GEOMETRY_FLAG_OPAQUE);
    struct scene_instance instances[4];
    for (int i = 0; i < 4; i++) {
        instances[i] = (struct scene_instance){.mask = i < 3 ? 1u << i : 0};
        memcpy(instances[i].transform, scene_identity, sizeof(scene_identity));
        instances[i].transform[3] = (float)(i * 5 - 5);
    }
    void *tlas = build_top(instances, 4, blas);
    FOR_EACH_ISA(table)
        for (uint32_t c = 0; c < ARRAY_COUNT(cases); c++)
            for (int i = 0; i < 4; i++) {
                struct abi_ray ray = z_ray;
                ray.origin[0] += (float)(i * 5 - 5);
                struct outcome o = trace(table, tlas, &ray, 0, cases[c].ray_mask, REJECT);
                assert_int_equal(o.committed != 0, i < 3 && (cases[c].hits >> i & 1));
            }
    free(tlas);
    free(blas);
}

/* TR-20: 2 sides x 4 instance flags x 4 ray flags. */
static void test_culling(void **state)
{
    void *blas = build_t0(ACCEL_GEOMETRY_FLAG_OPAQUE);
    static const uint32_t ray_flags[4] = {0, ABI_RAY_FLAG_CULL_BACK_FACING_TRIANGLES, ABI_RAY_FLAG_CULL_FRONT_FACING_TRIANGLES,
                                          ABI_RAY_FLAG_SKIP_TRIANGLES};
    for (uint32_t instance_flags = 0; instance_flags < 4; instance_flags++) {
        void *tlas = build_instance(blas, instance_flags, 0xff);
        FOR_EACH_ISA(table)
            for (int c = 0; c < 8; c++) {
                bool from_behind = c & 1;
                uint32_t flags = ray_flags[c / 2];
                struct abi_ray ray = z_ray;
                ray.origin[2] = from_behind ? 1 : -1;
                ray.direction[2] = from_behind ? -1 : 1;
                bool front = from_behind == ((instance_flags & ACCEL_INSTANCE_FLAG_FRONT_COUNTERCLOCKWISE) != 0);
                bool culled = flags & (front ? ABI_RAY_FLAG_CULL_FRONT_FACING_TRIANGLES : ABI_RAY_FLAG_CULL_BACK_FACING_TRIANGLES);
                if (instance_flags & ACCEL_INSTANCE_FLAG_TRIANGLE_CULL_DISABLE)
                    culled = false;
                culled |= flags == ABI_RAY_FLAG_SKIP_TRIANGLES;
                struct outcome o = trace(table, tlas, &ray, flags, 0xff, REJECT);
                assert_int_equal(o.committed != 0, !culled);
                if (!culled)
                    assert_int_equal(o.hit.hit_kind, front ? ABI_HIT_KIND_TRIANGLE_FRONT_FACE : ABI_HIT_KIND_TRIANGLE_BACK_FACE);
                struct trace_hit direct;
                table->closest((uintptr_t)tlas, &ray, flags, 0xff, &direct);
                assert_int_equal(direct.instance_index == 0, !culled);
                assert_int_equal(table->occluded((uintptr_t)tlas, &ray, flags, 0xff), !culled);
            }
        free(tlas);
    }
    free(blas);
}

/* Winding is decided in object space: a mirrored instance shows the same side. */
static void test_mirrored_instance(void **state)
{
    void *blas = build_t0(ACCEL_GEOMETRY_FLAG_OPAQUE);
    struct scene_instance instance = {.mask = 0xff, .transform = {-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    void *tlas = build_top(&instance, 1, blas);
    struct abi_ray ray = z_ray;
    ray.origin[0] = -.25f;
    FOR_EACH_ISA(table) {
        struct outcome o = trace(table, tlas, &ray, ABI_RAY_FLAG_CULL_BACK_FACING_TRIANGLES, 0xff, REJECT);
        assert_int_equal(o.committed, ABI_COMMITTED_TRIANGLE_HIT);
        assert_int_equal(o.hit.hit_kind, ABI_HIT_KIND_TRIANGLE_FRONT_FACE);
    }
    free(tlas);
    free(blas);
}

/* TR-21: 2 geometry x 3 instance x 5 ray settings; any-hit (accepting) runs in 12 of 30, a hit remains in 24 of 30. */
static void test_opacity(void **state)
{
    static const uint32_t instance_flags[3] = {0, ACCEL_INSTANCE_FLAG_FORCE_OPAQUE, ACCEL_INSTANCE_FLAG_FORCE_NON_OPAQUE};
    static const uint32_t ray_flags[5] = {0, ABI_RAY_FLAG_FORCE_OPAQUE, ABI_RAY_FLAG_FORCE_NON_OPAQUE,
                                          ABI_RAY_FLAG_CULL_OPAQUE, ABI_RAY_FLAG_CULL_NON_OPAQUE};
    FOR_EACH_ISA(table) {
        uint32_t any_hits = 0, hits = 0;
        for (uint32_t g = 0; g < 2; g++)
            for (uint32_t i = 0; i < 3; i++) {
                void *blas = build_t0(g), *tlas = build_instance(blas, instance_flags[i], 0xff);
                for (uint32_t r = 0; r < 5; r++) {
                    struct outcome o = trace(table, tlas, &z_ray, ray_flags[r], 0xff, ACCEPT);
                    bool opaque = g;
                    opaque = i == 1 ? true : i == 2 ? false : opaque;
                    opaque = r == 1 ? true : r == 2 ? false : opaque;
                    bool culled = (r == 3 && opaque) || (r == 4 && !opaque);
                    assert_int_equal(o.any_hit_count, !opaque && !culled);
                    assert_int_equal(o.committed != 0, !culled);
                    any_hits += o.any_hit_count;
                    hits += o.committed != 0;
                }
                free(tlas);
                free(blas);
            }
        assert_int_equal(any_hits, 12);
        assert_int_equal(hits, 24);
    }
}

/* TR-24, TR-25: stacks of non-opaque triangles. */
static void test_any_hit_order(void **state)
{
    struct scene_mesh mesh = {0};
    for (int i = 0; i < 5; i++) {
        float corners[3][3];
        memcpy(corners, t0, sizeof(t0));
        for (int v = 0; v < 3; v++)
            corners[v][2] = (float)i;
        scene_mesh_add_corners(&mesh, corners);
    }
    void *blas = build_mesh(&mesh), *tlas = build_instance(blas, 0, 0xff);
    FOR_EACH_ISA(table) {
        struct outcome o = trace(table, tlas, &z_ray, 0, 0xff, REJECT);
        assert_int_equal(o.any_hit_count, 5);
        assert_int_equal(o.committed, ABI_COMMITTED_NOTHING);
        assert_true(o.hit.t == z_ray.t_max);
        o = trace(table, tlas, &z_ray, 0, 0xff, ACCEPT);
        assert_true(o.committed == ABI_COMMITTED_TRIANGLE_HIT && o.hit.t == 1 && o.hit.primitive_index == 0);
        o = trace(table, tlas, &z_ray, ABI_RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH, 0xff, ACCEPT);
        assert_int_equal(o.any_hit_count, 1);
        assert_int_equal(o.committed, ABI_COMMITTED_TRIANGLE_HIT);
        struct trace_state s;
        table->begin(&s, (uintptr_t)tlas, &z_ray, 0, 0, 0xff);
        assert_int_equal(table->next(&s), TRACE_CANDIDATE_TRIANGLE);
        table->commit_triangle(&s);
        table->abort(&s);
        assert_int_equal(table->next(&s), TRACE_DONE);
        assert_int_equal(s.visible.committed_status, ABI_COMMITTED_TRIANGLE_HIT);
    }
    free(tlas);
    free(blas);
}

/* TR-27 and the procedural interval, which is closed. */
static void test_procedural(void **state)
{
    struct scene_mesh mesh = {.boxes = calloc(3, sizeof(float[6])), .box_count = 3};
    for (int i = 0; i < 3; i++)
        memcpy(mesh.boxes[i], (float[6]){0, 0, (float)i, 1, 1, (float)i + .5f}, 24);
    void *blas = build_mesh(&mesh), *tlas = build_instance(blas, 0, 0xff);
    FOR_EACH_ISA(table) {
        struct trace_state s;
        uint32_t seen = 0, event;
        table->begin(&s, (uintptr_t)tlas, &z_ray, 0, 0, 0xff);
        while ((event = table->next(&s)) != TRACE_DONE) {
            assert_int_equal(event, TRACE_CANDIDATE_PROCEDURAL);
            assert_int_equal(s.visible.candidate_is_opaque, 0);
            seen |= 1u << s.visible.candidate.primitive_index;
        }
        assert_int_equal(seen, 7);
        struct abi_ray ray = z_ray;
        ray.t_min = .5f;
        ray.t_max = 1;
        table->begin(&s, (uintptr_t)tlas, &ray, 0, 0, 0xff);
        assert_int_equal(table->next(&s), TRACE_CANDIDATE_PROCEDURAL);
        assert_int_equal(table->commit_procedural(&s, 1e9f, 1), 0);
        assert_int_equal(table->commit_procedural(&s, NAN, 1), 0);
        assert_int_equal(table->commit_procedural(&s, .499f, 1), 0);
        assert_int_equal(s.visible.committed_status, ABI_COMMITTED_NOTHING);
        assert_int_equal(table->commit_procedural(&s, 1, 7), 1);
        assert_int_equal(table->commit_procedural(&s, .7f, 8), 1);
        assert_int_equal(table->commit_procedural(&s, .8f, 9), 0);
        assert_int_equal(table->commit_procedural(&s, .5f, 10), 1);
        while (table->next(&s) != TRACE_DONE) {
        }
        assert_int_equal(s.visible.committed_status, ABI_COMMITTED_PROCEDURAL_PRIMITIVE_HIT);
        assert_true(s.visible.committed.t == .5f);
        assert_int_equal(s.visible.committed.hit_kind, 10);
        table->begin(&s, (uintptr_t)tlas, &z_ray, 0, ABI_RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES, 0xff);
        assert_int_equal(table->next(&s), TRACE_DONE);
        assert_int_equal(s.visible.ray_flags, 0);
    }
    free(tlas);
    free(blas);
}

/* TR-28, TR-29: null structures, asking on after the end. */
static void test_null(void **state)
{
    FOR_EACH_ISA(table) {
        struct trace_state s;
        struct trace_hit hit;
        table->begin(&s, 0, &z_ray, 0x10, 0x200, 0x5a);
        assert_int_equal(s.visible.committed_status, ABI_COMMITTED_NOTHING);
        assert_memory_equal(&s.visible.ray, &z_ray, sizeof(z_ray));
        assert_int_equal(s.visible.ray_flags, 0x10);
        for (int i = 0; i < 4; i++)
            assert_int_equal(table->next(&s), TRACE_DONE);
        table->closest(0, &z_ray, 0, 0xff, &hit);
        assert_int_equal(hit.instance_index, ~0u);
        assert_int_equal(table->occluded(0, &z_ray, 0, 0xff), 0);
    }
}

/* TR-32: two surfaces of a cube, each once. */
static void test_cube(void **state)
{
    struct scene_mesh mesh = {0};
    static const uint8_t quads[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
    for (int i = 0; i < 8; i++)
        scene_mesh_add_vertex(&mesh, i & 1 ? 14.4f : 1.6f, i & 2 ? 14.4f : 1.6f, i & 4 ? 14.4f : 1.6f);
    for (int i = 0; i < 6; i++) {
        scene_mesh_add_triangle(&mesh, quads[i][0], quads[i][1], quads[i][2]);
        scene_mesh_add_triangle(&mesh, quads[i][0], quads[i][2], quads[i][3]);
    }
    void *blas = build_mesh(&mesh);
    static const float points[4][2] = {{8, 11.5f}, {8, 8}, {8, 4.5f}, {3, 13}};
    FOR_EACH_ISA(table)
        for (int i = 0; i < 4; i++) {
            struct abi_ray ray = {{1, points[i][0], points[i][1]}, 0, {1, 0, 0}, INFINITY};
            struct trace_state s;
            float t[2];
            table->begin(&s, (uintptr_t)blas, &ray, 0, 0, 0xff);
            for (int k = 0; k < 2; k++) {
                assert_int_equal(table->next(&s), TRACE_CANDIDATE_TRIANGLE);
                t[k] = s.visible.candidate.t;
            }
            assert_int_equal(table->next(&s), TRACE_DONE);
            assert_true(fabsf(fminf(t[0], t[1]) - .6f) < 1e-5f && fabsf(fmaxf(t[0], t[1]) - 13.4f) < 1e-5f);
        }
    free(blas);
}

/* Skip flags of pipeline and ray work together; the shader sees its own only (TR-34). */
static void test_pipeline_flags(void **state)
{
    void *blas = build_t0(ACCEL_GEOMETRY_FLAG_OPAQUE), *tlas = build_instance(blas, 0, 0xff);
    FOR_EACH_ISA(table) {
        struct trace_state s;
        table->begin(&s, (uintptr_t)tlas, &z_ray, ABI_RAY_FLAG_CULL_BACK_FACING_TRIANGLES, ABI_RAY_FLAG_SKIP_TRIANGLES, 0xff);
        assert_int_equal(table->next(&s), TRACE_DONE);
        assert_int_equal(s.visible.committed_status, ABI_COMMITTED_NOTHING);
        assert_int_equal(s.visible.ray_flags, ABI_RAY_FLAG_CULL_BACK_FACING_TRIANGLES);
    }
    free(tlas);
    free(blas);
}

/* TR-04: two triangles that fold to the same side; any number of hits, but at t = 1. */
static float bits(uint32_t b)
{
    float f;
    memcpy(&f, &b, 4);
    return f;
}

static void test_fold(void **state)
{
    const float corners[2][3][3] = {{{1, 0, -1}, {0, 1, -1}, {bits(0x3ec83ac8), bits(0x3f1be29d), bits(0xbed79c23)}},
                                    {{0, 1, -1}, {1, 0, -1}, {bits(0x3e8f7a0c), bits(0x3f353a70), bits(0xbf4fab47)}}};
    void *blas = build_corners(corners, 2, ACCEL_GEOMETRY_FLAG_OPAQUE);
    struct abi_ray ray = {{bits(0x3f708000), bits(0x3d780000), 0}, 0, {0, 0, -1}, INFINITY};
    FOR_EACH_ISA(table) {
        struct outcome o = trace(table, blas, &ray, 0, 0xff, REJECT);
        assert_true(!o.committed || (o.hit.t == 1 && o.hit.primitive_index < 2));
    }
    free(blas);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_t0_under_z),    cmocka_unit_test(test_ray_values),       cmocka_unit_test(test_planes_and_signs),
        cmocka_unit_test(test_seam),          cmocka_unit_test(test_far_from_zero),    cmocka_unit_test(test_masks),
        cmocka_unit_test(test_culling),       cmocka_unit_test(test_mirrored_instance), cmocka_unit_test(test_opacity),
        cmocka_unit_test(test_any_hit_order), cmocka_unit_test(test_procedural),       cmocka_unit_test(test_null),
        cmocka_unit_test(test_cube),          cmocka_unit_test(test_pipeline_flags),   cmocka_unit_test(test_fold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
