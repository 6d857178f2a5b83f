/* SPDX-License-Identifier: MIT
 * Updates: in place and to another address, again and again; hits equal those of a fresh build (AS-22); what may not
 * change is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ref/scene.h"
#include "trace/trace.h"

enum { TRIANGLES = 3000, RAYS = 4000 };

static enum status update(const struct accel_build_inputs *inputs, void *result, const void *source, struct reason *reason)
{
    struct accel_prebuild_info info;
    assert_int_equal(accel_prebuild_info(inputs, &info, reason), STATUS_OK);
    struct accel_build_arguments arguments = {.inputs = *inputs, .result = result, .source = source};
    arguments.inputs.flags |= ACCEL_BUILD_FLAG_PERFORM_UPDATE;
    arguments.scratch = aligned_alloc(256, info.update_scratch_bytes ? info.update_scratch_bytes : 256);
    enum status status = accel_build(&arguments, reason);
    free(arguments.scratch);
    return status;
}

static void *clone(const struct accel_header *source)
{
    void *copy = aligned_alloc(256, (source->structure_bytes + 255) / 256 * 256);
    assert_int_equal(accel_copy(ACCEL_COPY_CLONE, copy, source->structure_bytes, source, source->structure_bytes, NULL), STATUS_OK);
    return copy;
}

static void expect_same_hits(const void *a, const void *b)
{
    struct scene_random random = {8};
    uint32_t hits = 0;
    for (int i = 0; i < RAYS; i++) {
        struct abi_ray ray = {.t_max = INFINITY};
        struct trace_hit first, second;
        for (int axis = 0; axis < 3; axis++) {
            ray.origin[axis] = scene_random_float(&random, -3, 3);
            ray.direction[axis] = scene_random_float(&random, -1, 1) - ray.origin[axis];
        }
        trace_table()->closest((uintptr_t)a, &ray, 0, 0xff, &first);
        trace_table()->closest((uintptr_t)b, &ray, 0, 0xff, &second);
        assert_memory_equal(&first, &second, sizeof(first));
        hits += first.primitive_index != ~0u;
    }
    assert_true(hits > RAYS / 20);
}

static void move(struct scene_mesh *mesh, struct scene_random *random)
{
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        for (int axis = 0; axis < 3; axis++)
            mesh->vertices[i][axis] += scene_random_float(random, -0.1f, 0.1f);
}

static void test_triangles(void **state)
{
    struct scene_random random = {3};
    struct scene_mesh mesh = {0};
    scene_make_soup(&mesh, &random, TRIANGLES, 1, 0.1f);
    struct accel_geometry geometry = scene_geometry(&mesh);
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = ACCEL_BUILD_FLAG_ALLOW_UPDATE, .count = 1, .geometries = &geometry};
    void *structure = scene_build(NULL, &inputs), *old_place = scene_build(NULL, &inputs);
    for (int round = 0; round < 5; round++) {
        move(&mesh, &random);
        assert_int_equal(update(&inputs, structure, structure, NULL), STATUS_OK);
        void *fresh = scene_build(NULL, &inputs), *other = clone(structure);
        assert_int_equal(update(&inputs, other, old_place, NULL), STATUS_OK);
        expect_same_hits(structure, fresh);
        expect_same_hits(other, fresh);
        free(fresh);
        free(other);
    }
    free(structure);
    free(old_place);
    scene_mesh_finish(&mesh);
}

/* A triangle that was a line when built is there after an update, and the other way round. */
static void test_degenerate_comes_alive(void **state)
{
    static const float line[3][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, good[3][3] = {{0, 0, 1}, {0, 1, 1}, {1, 0, 1}};
    struct scene_mesh mesh = {0};
    scene_mesh_add_corners(&mesh, line);
    scene_mesh_add_corners(&mesh, good);
    struct accel_geometry geometry = scene_geometry(&mesh);
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = ACCEL_BUILD_FLAG_ALLOW_UPDATE, .count = 1, .geometries = &geometry};
    void *structure = scene_build(NULL, &inputs);
    struct abi_ray ray = {{.25f, .25f, -1}, 0, {0, 0, 1}, 100};
    struct trace_hit hit;
    trace_table()->closest((uintptr_t)structure, &ray, 0, 0xff, &hit);
    assert_int_equal(hit.primitive_index, 1);
    mesh.vertices[2][1] = 2;
    mesh.vertices[2][0] = 0;
    assert_int_equal(update(&inputs, structure, structure, NULL), STATUS_OK);
    trace_table()->closest((uintptr_t)structure, &ray, 0, 0xff, &hit);
    assert_int_equal(hit.primitive_index, 0);
    assert_true(hit.t == 1);
    free(structure);
    scene_mesh_finish(&mesh);
}

static void test_refused(void **state)
{
    struct scene_random random = {3};
    struct scene_mesh mesh = {0};
    scene_make_soup(&mesh, &random, 20, 1, 0.1f);
    struct accel_geometry geometry = scene_geometry(&mesh);
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .count = 1, .geometries = &geometry};
    void *fixed = scene_build(NULL, &inputs);
    struct reason reason = {{0}};
    assert_int_equal(update(&inputs, fixed, fixed, &reason), STATUS_INVALID);
    assert_non_null(strstr(reason.text, "ALLOW_UPDATE"));
    inputs.flags = ACCEL_BUILD_FLAG_ALLOW_UPDATE;
    void *structure = scene_build(NULL, &inputs);
    struct accel_build_inputs changed = inputs;
    changed.flags |= ACCEL_BUILD_FLAG_PREFER_FAST_TRACE;
    assert_int_equal(update(&changed, structure, structure, NULL), STATUS_INVALID);
    geometry.triangles.index_count -= 3;
    assert_int_equal(update(&inputs, structure, structure, NULL), STATUS_INVALID);
    geometry.triangles.index_count += 3;
    geometry.flags = ACCEL_GEOMETRY_FLAG_OPAQUE;
    assert_int_equal(update(&inputs, structure, structure, NULL), STATUS_INVALID);
    geometry.flags = 0;
    assert_int_equal(update(&inputs, structure, structure, NULL), STATUS_OK);
    free(fixed);
    free(structure);
    scene_mesh_finish(&mesh);
}

static void test_instances(void **state)
{
    struct scene_random random = {3};
    struct scene_mesh mesh = {0};
    scene_make_soup(&mesh, &random, 200, 1, 0.3f);
    struct accel_geometry geometry = scene_geometry(&mesh);
    struct accel_build_inputs bottom = {.level = ACCEL_LEVEL_BOTTOM, .count = 1, .geometries = &geometry};
    void *blas = scene_build(NULL, &bottom);
    uint8_t descs[20][64] __attribute__((aligned(16)));
    struct scene_instance instances[20];
    for (int i = 0; i < 20; i++) {
        instances[i] = (struct scene_instance){.mask = 0xff, .transform = {.2f, 0, 0, 0, 0, .2f, 0, 0, 0, 0, .2f, 0}};
        instances[i].transform[3] = (float)(i % 5) * 0.4f - 1;
        scene_write_instance(descs[i], &instances[i], blas);
    }
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_TOP, .flags = ACCEL_BUILD_FLAG_ALLOW_UPDATE, .count = 20, .instances = (uintptr_t)descs};
    void *structure = scene_build(NULL, &inputs);
    for (int i = 0; i < 20; i++) {
        instances[i].transform[7] = (float)(i / 5) * 0.4f - 1;
        scene_write_instance(descs[i], &instances[i], blas);
    }
    assert_int_equal(update(&inputs, structure, structure, NULL), STATUS_OK);
    void *fresh = scene_build(NULL, &inputs);
    expect_same_hits(structure, fresh);
    free(fresh);
    free(structure);
    free(blas);
    scene_mesh_finish(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_triangles), cmocka_unit_test(test_degenerate_comes_alive),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_instances)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
