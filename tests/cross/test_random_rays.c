/* SPDX-License-Identifier: MIT
 * A million random rays over seven random scenes: every kernel against the brute-force reference in double, and bit for
 * bit against each other. A hit must be one that the reference sees too, with t within 4 ULP, and nothing that lies clearly
 * inside a triangle may be in front of it. "Clearly": farther from the edges than float rounding of vertices can move
 * them; what is closer may go either way. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec.h"
#include "ref/brute_force.h"
#include "ref/scene.h"
#include "trace/trace.h"

enum { RAYS_PER_SCENE = 167000 };

static struct thread_pool *pool;

/* Smallest barycentric that is beyond doubt, for this ray and triangle. */
static double doubt(const struct brute_ray *ray, const float *corner[3])
{
    double e1[3], e2[3], length = 0, distance = 0, area, speed = 0;
    for (int i = 0; i < 3; i++) {
        e1[i] = (double)corner[1][i] - corner[0][i];
        e2[i] = (double)corner[2][i] - corner[0][i];
        speed += ray->direction[i] * ray->direction[i];
        for (int v = 0; v < 3; v++)
            distance = fmax(distance, fabs(corner[v][i] - ray->origin[i]));
        length += fmax(fabs(e1[i]), fmax(fabs(e2[i]), fabs(e1[i] - e2[i])));
    }
    area = fabs((e1[1] * e2[2] - e1[2] * e2[1]) * ray->direction[0] + (e1[2] * e2[0] - e1[0] * e2[2]) * ray->direction[1] +
                (e1[0] * e2[1] - e1[1] * e2[0]) * ray->direction[2]);
    return 16 * 0x1p-24 * distance * length * sqrt(speed) / area;
}

struct reference {
    double nearest_sure;  /* t of the nearest hit that is beyond doubt */
    uint32_t instance, geometry, primitive;
    /* of the triangle that the kernel named */
    struct brute_hit named;
    double named_doubt;
};

static void brute_mesh(struct reference *r, const struct scene_mesh *mesh, const struct brute_ray *ray, uint32_t instance,
                       uint32_t geometry, const struct trace_hit *hit)
{
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        const float *corner[3] = {mesh->vertices[mesh->indices[i][0]], mesh->vertices[mesh->indices[i][1]],
                                  mesh->vertices[mesh->indices[i][2]]};
        bool named = hit->instance_index == instance && hit->geometry_index == geometry && hit->primitive_index == i;
        struct brute_hit b = brute_triangle(ray, corner[0], corner[1], corner[2], named ? 1e30 : 0);
        if (!b.hit)
            continue;
        double margin = doubt(ray, corner);
        if (named) {
            r->named = b;
            r->named_doubt = margin;
        }
        if (b.edge_distance > margin && b.t < r->nearest_sure) {
            r->nearest_sure = b.t;
            r->instance = instance;
            r->geometry = geometry;
            r->primitive = i;
        }
    }
}

static struct reference brute_scene(const struct scene *scene, const struct abi_ray *ray, const struct trace_hit *hit)
{
    struct reference r = {.nearest_sure = INFINITY};
    const struct accel_header *tlas = scene->tlas;
    const struct abi_instance *instances = (const void *)((const uint8_t *)tlas + tlas->leaf_offset);
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        float origin[3], direction[3];
        vec_transform_point_back(instances[i].object_to_world, instances[i].world_to_object, ray->origin, origin);
        vec_transform_direction(instances[i].world_to_object, ray->direction, direction);
        struct brute_ray object = {.t_min = ray->t_min, .t_max = ray->t_max};
        for (int axis = 0; axis < 3; axis++) {
            object.origin[axis] = origin[axis];
            object.direction[axis] = direction[axis];
        }
        const uint32_t *run = scene->blas_meshes[scene->instances[i].blas_index];
        for (uint32_t j = 0; j < run[1]; j++)
            brute_mesh(&r, &scene->meshes[run[0] + j], &object, i, j, hit);
    }
    return r;
}

static double ulp(double t)
{
    return fabs(nextafterf((float)t, INFINITY) - (float)t);
}

struct tally {
    uint32_t hits, misses, other_ids;
    double worst_ulps;
};

static void check_ray(const char *name, const struct scene *scene, const struct abi_ray *ray, const struct trace_hit *hit,
                      struct tally *tally)
{
    struct reference r = brute_scene(scene, ray, hit);
    if (hit->instance_index == ~0u) {
        tally->misses++;
        if (r.nearest_sure < ray->t_max)
            fail_msg("%s: missed (%u, %u, %u) at t %.9g", name, r.instance, r.geometry, r.primitive, r.nearest_sure);
        return;
    }
    tally->hits++;
    if (!r.named.hit || r.named.edge_distance < -r.named_doubt)
        fail_msg("%s: (%u, %u, %u) is not hit", name, hit->instance_index, hit->geometry_index, hit->primitive_index);
    if (r.nearest_sure < hit->t - 4 * ulp(hit->t))
        fail_msg("%s: hit at %.9g, but (%u, %u, %u) is nearer, at %.9g", name, hit->t, r.instance, r.geometry, r.primitive,
                 r.nearest_sure);
    tally->other_ids += r.nearest_sure < INFINITY && (r.instance != hit->instance_index || r.geometry != hit->geometry_index ||
                                                      r.primitive != hit->primitive_index);
    if (r.named.edge_distance <= r.named_doubt)
        return;
    double error = fabs(hit->t - r.named.t) / ulp(r.named.t);
    tally->worst_ulps = fmax(tally->worst_ulps, error);
    if (error > 4)
        fail_msg("%s: t %.9g, reference %.17g: %g ULP", name, hit->t, r.named.t, error);
    for (int i = 0; i < 2; i++)
        if (fabs(hit->barycentrics[i] - r.named.barycentrics[i]) > 1e-6)
            fail_msg("%s: barycentric %g, reference %g", name, hit->barycentrics[i], r.named.barycentrics[i]);
    assert_int_equal(hit->hit_kind, r.named.front_face ? ABI_HIT_KIND_TRIANGLE_FRONT_FACE : ABI_HIT_KIND_TRIANGLE_BACK_FACE);
}

static void check_isas(const char *name, const struct scene *scene, const struct abi_ray *rays, struct trace_hit *hits,
                       uint32_t flags)
{
    struct trace_hit *other = calloc(RAYS_PER_SCENE, sizeof(*other));
    uint8_t *occluded = calloc(RAYS_PER_SCENE, 1);
    for (enum cpu_isa isa = CPU_ISA_SCALAR; isa < CPU_ISA_COUNT; isa++) {
        const struct trace_table *table = trace_table_for(isa);
        if (!table)
            continue;
        table->closest_array((uintptr_t)scene->tlas, rays, RAYS_PER_SCENE, flags, 0xff, other);
        table->occluded_array((uintptr_t)scene->tlas, rays, RAYS_PER_SCENE, flags, 0xff, occluded);
        for (uint32_t i = 0; i < RAYS_PER_SCENE; i++) {
            if (memcmp(&hits[i], &other[i], sizeof(*hits)) != 0)
                fail_msg("%s: ray %u differs on %s: prim %u t %.9g, scalar prim %u t %.9g", name, i, cpu_isa_name(isa),
                         other[i].primitive_index, other[i].t, hits[i].primitive_index, hits[i].t);
            if (occluded[i] != (hits[i].instance_index != ~0u))
                fail_msg("%s: ray %u: occlusion differs on %s", name, i, cpu_isa_name(isa));
            struct trace_hit one;
            table->closest((uintptr_t)scene->tlas, &rays[i], flags, 0xff, &one);
            if (memcmp(&hits[i], &one, sizeof(one)) != 0)
                fail_msg("%s: ray %u alone differs on %s", name, i, cpu_isa_name(isa));
        }
    }
    free(other);
    free(occluded);
}

static void make_rays(struct abi_ray *rays, float extent, struct scene_random *random)
{
    for (uint32_t i = 0; i < RAYS_PER_SCENE; i++) {
        struct abi_ray *ray = &rays[i];
        float target[3];
        for (int axis = 0; axis < 3; axis++) {
            ray->origin[axis] = scene_random_float(random, -2 * extent, 2 * extent);
            target[axis] = scene_random_float(random, -extent, extent);
            ray->direction[axis] = target[axis] - ray->origin[axis];
        }
        if (i % 8 == 0) /* along an axis */
            ray->direction[(i / 8) % 3] = ray->direction[(i / 8 + 1) % 3] = i % 16 ? 0.0f : -0.0f;
        if (i / 64 % 3 == 1 && i % 64 > 1) { /* a bundle, which arrays may walk as a packet */
            for (int axis = 0; axis < 3; axis++) {
                ray->origin[axis] = rays[i - i % 64 + 1].origin[axis];
                ray->direction[axis] = rays[i - i % 64 + 1].direction[axis] * scene_random_float(random, 0.99f, 1.01f);
            }
        }
        ray->t_min = i % 5 ? 0 : scene_random_float(random, 0, 0.5f);
        ray->t_max = i % 7 ? INFINITY : ray->t_min + scene_random_float(random, 0, 1);
    }
}

/* The same hits, bit for bit, on compact structures: vertices shared by position, and by index. */
static void check_compact(const char *name, struct scene *scene, const struct abi_ray *rays, struct trace_hit *hits)
{
    static const uint32_t flags[] = {ACCEL_BUILD_FLAG_MINIMIZE_MEMORY,
                                     ACCEL_BUILD_FLAG_MINIMIZE_MEMORY | ACCEL_BUILD_FLAG_ALLOW_UPDATE};
    char label[64];
    for (uint32_t i = 0; i < 2; i++) {
        scene_free_built(scene);
        scene_build_all(scene, i ? NULL : pool, flags[i]);
        snprintf(label, sizeof(label), "%s, flags 0x%x", name, flags[i]);
        check_isas(label, scene, rays, hits, 0);
    }
}

static void run_scene(const char *name, struct scene *scene, float extent)
{
    struct scene_random random = {(uint64_t)name[0] * 77 + (uint64_t)name[1]};
    struct abi_ray *rays = calloc(RAYS_PER_SCENE, sizeof(*rays));
    struct trace_hit *hits = calloc(RAYS_PER_SCENE, sizeof(*hits));
    struct tally tally = {0};
    make_rays(rays, extent, &random);
    scene_build_all(scene, pool, 0);
    for (uint32_t i = 0; i < RAYS_PER_SCENE; i++)
        trace_table_for(CPU_ISA_SCALAR)->closest((uintptr_t)scene->tlas, &rays[i], 0, 0xff, &hits[i]);
    check_isas(name, scene, rays, hits, 0);
    for (uint32_t i = 0; i < RAYS_PER_SCENE; i++)
        check_ray(name, scene, &rays[i], &hits[i], &tally);
    printf("%-18s %u hits, %u misses, %u at float distance of another triangle, t within %.2f ULP\n", name, tally.hits,
           tally.misses, tally.other_ids, tally.worst_ulps);
    check_compact(name, scene, rays, hits);
    assert_true(tally.hits > RAYS_PER_SCENE / 50);
    assert_true(tally.other_ids < RAYS_PER_SCENE / 100);
    scene_finish(scene);
    free(rays);
    free(hits);
}

static struct scene_instance plain = {.transform = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, .mask = 0xff};

static void run_single(const char *name, struct scene_mesh *mesh, float extent)
{
    uint32_t run[1][2] = {{0, 1}};
    struct scene scene = {.meshes = mesh, .mesh_count = 1, .blas_meshes = run, .blas_count = 1, .instances = &plain, .instance_count = 1};
    run_scene(name, &scene, extent);
}

static void test_soup(void **state)
{
    struct scene_random random = {1};
    struct scene_mesh mesh = {0};
    scene_make_soup(&mesh, &random, 500, 1, 0.15f);
    run_single("soup", &mesh, 1);
}

static void test_closed_meshes(void **state)
{
    struct scene_random random = {2};
    struct scene_mesh mesh = {0};
    for (int i = 0; i < 5; i++) {
        float center[3] = {scene_random_float(&random, -1, 1), scene_random_float(&random, -1, 1), scene_random_float(&random, -1, 1)};
        scene_make_sphere(&mesh, center, 0.4f, 8, 9, &random);
    }
    run_single("closed meshes", &mesh, 1);
}

static void test_needles(void **state)
{
    struct scene_random random = {3};
    struct scene_mesh mesh = {0};
    scene_make_needles(&mesh, &random, 500);
    run_single("needles", &mesh, 1);
}

static void test_terrain_far_from_zero(void **state)
{
    struct scene_mesh mesh = {0};
    scene_make_terrain(&mesh, 16, 2, 1, 4);
    for (uint32_t i = 0; i < mesh.vertex_count; i++)
        for (int axis = 0; axis < 3; axis++)
            mesh.vertices[i][axis] = mesh.vertices[i][axis] * 500 - 300;
    run_single("terrain", &mesh, 700);
}

/* Every scale from 1e-6 to 1e6 in one structure. */
static void test_mixed_scales(void **state)
{
    struct scene_random random = {5};
    struct scene_mesh mesh = {0};
    for (float extent = 1e-6f; extent < 2e6f; extent *= 10)
        scene_make_soup(&mesh, &random, 40, extent, extent * 0.5f);
    run_single("mixed scales", &mesh, 10);
}

static void random_transform(float m[12], struct scene_random *random)
{
    for (int i = 0; i < 12; i++)
        m[i] = scene_random_float(random, -1, 1);
}

/* Overlapping, mirrored and skewed instances of two structures with several geometries. */
static void test_instances(void **state)
{
    struct scene_random random = {6};
    struct scene_mesh meshes[3] = {{0}};
    float center[3] = {0.1f, 0, 0};
    scene_make_sphere(&meshes[0], center, 0.5f, 6, 7, &random);
    scene_make_soup(&meshes[1], &random, 20, 0.5f, 0.3f);
    scene_make_needles(&meshes[2], &random, 20);
    uint32_t runs[2][2] = {{0, 2}, {1, 2}};
    struct scene_instance instances[12];
    for (int i = 0; i < 12; i++) {
        instances[i] = (struct scene_instance){.blas_index = (uint32_t)i % 2, .mask = 0xff};
        random_transform(instances[i].transform, &random);
    }
    struct scene scene = {.meshes = meshes, .mesh_count = 3, .blas_meshes = runs, .blas_count = 2, .instances = instances, .instance_count = 12};
    run_scene("instances", &scene, 1);
}

/* The same triangles twice, and twice the same instance: the lowest ids win everywhere. */
static void test_duplicates(void **state)
{
    struct scene_random random = {7};
    struct scene_mesh meshes[2] = {{0}};
    scene_make_soup(&meshes[0], &random, 100, 1, 0.3f);
    uint32_t once = meshes[0].triangle_count;
    for (uint32_t i = 0; i < once; i++)
        scene_mesh_add_triangle(&meshes[0], meshes[0].indices[i][0], meshes[0].indices[i][1], meshes[0].indices[i][2]);
    random.state = 7;
    scene_make_soup(&meshes[1], &random, 100, 1, 0.3f);
    uint32_t runs[1][2] = {{0, 2}};
    struct scene_instance instances[2] = {plain, plain};
    struct scene scene = {.meshes = meshes, .mesh_count = 2, .blas_meshes = runs, .blas_count = 1, .instances = instances, .instance_count = 2};
    struct abi_ray rays[2000];
    scene_build_all(&scene, pool, 0);
    for (enum cpu_isa isa = CPU_ISA_SCALAR; isa < CPU_ISA_COUNT; isa++) {
        const struct trace_table *table = trace_table_for(isa);
        for (uint32_t i = 0; table && i < 2000; i++) {
            struct trace_hit hit;
            for (int axis = 0; axis < 3; axis++) {
                rays[i].origin[axis] = scene_random_float(&random, -2, 2);
                rays[i].direction[axis] = -rays[i].origin[axis];
            }
            rays[i].t_min = 0;
            rays[i].t_max = INFINITY;
            table->closest((uintptr_t)scene.tlas, &rays[i], 0, 0xff, &hit);
            if (hit.instance_index == ~0u)
                continue;
            assert_int_equal(hit.instance_index, 0);
            assert_int_equal(hit.geometry_index, 0);
            assert_true(hit.primitive_index < once);
        }
    }
    scene_finish(&scene);
}

static int setup(void **state)
{
    return thread_pool_create(2, 0, &pool) != STATUS_OK;
}

static int teardown(void **state)
{
    thread_pool_destroy(pool);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soup),          cmocka_unit_test(test_closed_meshes),
        cmocka_unit_test(test_needles),       cmocka_unit_test(test_terrain_far_from_zero),
        cmocka_unit_test(test_mixed_scales),  cmocka_unit_test(test_instances),
        cmocka_unit_test(test_duplicates),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
