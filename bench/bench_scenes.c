/* SPDX-License-Identifier: MIT
 * Scenes and rays of the bench. Secondary rays start where primary rays hit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

const char *const bench_work_names[BENCH_WORK_COUNT] = {"primary", "ao", "diffuse", "random"};
enum { SCENE_TERRAIN, SCENE_SPHERES, SCENE_NEEDLES, SCENE_COUNT };

uint32_t bench_scene_count(void)
{
    return SCENE_COUNT;
}

static void make_spheres(struct bench_scene *scene, bool quick)
{
    struct scene_random random = {11};
    uint32_t count = quick ? 100 : 1000; /* 900 triangles each */
    for (uint32_t i = 0; i < count; i++) {
        float center[3] = {scene_random_float(&random, -10, 10), scene_random_float(&random, -10, 10),
                           scene_random_float(&random, -10, 10)};
        scene_make_sphere(&scene->mesh, center, scene_random_float(&random, 0.2f, 1.5f), 16, 30, NULL);
    }
    memcpy(scene->eye, (float[3]){0, 4, -24}, 12);
    memcpy(scene->target, (float[3]){0, 0, 0}, 12);
    scene->ao_length = 2;
}

static void make_needles(struct bench_scene *scene, bool quick)
{
    struct scene_random random = {12};
    for (uint32_t i = 0; i < (quick ? 2000u : 100000u); i++) {
        float corners[3][3], along[3], across[3];
        float width = powf(10, scene_random_float(&random, -5, -1.5f));
        scene_random_direction(&random, along);
        scene_random_direction(&random, across);
        for (int axis = 0; axis < 3; axis++) {
            float start = scene_random_float(&random, -10, 10);
            corners[0][axis] = start - along[axis];
            corners[1][axis] = start + along[axis];
            corners[2][axis] = start + along[axis] * 0.7f + across[axis] * width;
        }
        scene_mesh_add_corners(&scene->mesh, corners);
    }
    memcpy(scene->eye, (float[3]){0, 4, -24}, 12);
    memcpy(scene->target, (float[3]){0, 0, 0}, 12);
    scene->ao_length = 2;
}

void bench_scene_make(uint32_t index, bool quick, struct bench_scene *scene)
{
    *scene = (struct bench_scene){0};
    switch (index) {
    case SCENE_TERRAIN:
        scene->name = "terrain";
        scene_make_terrain(&scene->mesh, quick ? 224 : 708, 100, 20, 10);
        memcpy(scene->eye, (float[3]){-10, 30, -10}, 12);
        memcpy(scene->target, (float[3]){50, 0, 50}, 12);
        scene->ao_length = 5;
        break;
    case SCENE_SPHERES:
        scene->name = "spheres";
        make_spheres(scene, quick);
        break;
    default:
        scene->name = "needles";
        make_needles(scene, quick);
        break;
    }
}

static void normalize(float v[3])
{
    float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++)
        v[i] /= length > 0 ? length : 1;
}

static void cross(const float a[3], const float b[3], float out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void make_primary(struct bench_scene *scene, uint32_t width)
{
    float forward[3], right[3], up[3], world_up[3] = {0, 1, 0};
    for (int i = 0; i < 3; i++)
        forward[i] = scene->target[i] - scene->eye[i];
    normalize(forward);
    cross(world_up, forward, right);
    normalize(right);
    cross(forward, right, up);
    for (uint32_t i = 0; i < width * width; i++) {
        /* 8 x 8 tiles, as renderers walk an image */
        uint32_t tile = i / 64, tiles = width / 8, x = tile % tiles * 8 + i % 8, y = tile / tiles * 8 + i / 8 % 8;
        float u = ((float)x + 0.5f) / (float)width * 1.2f - 0.6f, v = 0.6f - ((float)y + 0.5f) / (float)width * 1.2f;
        struct abi_ray *ray = &scene->rays[BENCH_PRIMARY][i];
        for (int axis = 0; axis < 3; axis++) {
            ray->origin[axis] = scene->eye[axis];
            ray->direction[axis] = forward[axis] + u * right[axis] + v * up[axis];
        }
        normalize(ray->direction);
        ray->t_min = 0;
        ray->t_max = INFINITY;
    }
}

/* Direction over the hit's hemisphere, by cosine. */
static void bounce(const struct bench_scene *scene, const struct abi_ray *ray, const struct trace_hit *hit,
                   struct scene_random *random, struct abi_ray *out)
{
    const uint32_t *t = scene->mesh.indices[hit->primitive_index];
    const float *a = scene->mesh.vertices[t[0]], *b = scene->mesh.vertices[t[1]], *c = scene->mesh.vertices[t[2]];
    float e1[3], e2[3], n[3], side = 0;
    for (int i = 0; i < 3; i++) {
        e1[i] = b[i] - a[i];
        e2[i] = c[i] - a[i];
    }
    cross(e1, e2, n);
    normalize(n);
    for (int i = 0; i < 3; i++)
        side += n[i] * ray->direction[i];
    scene_random_direction(random, out->direction);
    for (int i = 0; i < 3; i++) {
        n[i] = side > 0 ? -n[i] : n[i];
        out->direction[i] += n[i] * 1.001f;
        out->origin[i] = ray->origin[i] + hit->t * ray->direction[i] + n[i] * 1e-3f;
    }
    normalize(out->direction);
    out->t_min = 0;
}

void bench_scene_make_rays(struct bench_scene *scene, uint64_t structure, uint32_t width)
{
    struct scene_random random = {99};
    const struct trace_table *table = trace_table();
    scene->ray_count = width * width;
    for (int work = 0; work < BENCH_WORK_COUNT; work++)
        scene->rays[work] = calloc(scene->ray_count, sizeof(struct abi_ray));
    make_primary(scene, width);
    const struct accel_header *header = (const struct accel_header *)(uintptr_t)structure;
    for (uint32_t i = 0; i < scene->ray_count; i++) {
        struct abi_ray *random_ray = &scene->rays[BENCH_RANDOM][i];
        scene_random_direction(&random, random_ray->direction);
        for (int axis = 0; axis < 3; axis++)
            random_ray->origin[axis] = scene_random_float(&random, header->bounds[0][axis], header->bounds[1][axis]);
        random_ray->t_max = INFINITY;
        struct trace_hit hit;
        const struct abi_ray *primary = &scene->rays[BENCH_PRIMARY][i];
        table->closest(structure, primary, 0, 0xff, &hit);
        scene->rays[BENCH_AO][i] = scene->rays[BENCH_DIFFUSE][i] = *random_ray;
        if (hit.primitive_index != ~0u) {
            bounce(scene, primary, &hit, &random, &scene->rays[BENCH_DIFFUSE][i]);
            bounce(scene, primary, &hit, &random, &scene->rays[BENCH_AO][i]);
        }
        scene->rays[BENCH_AO][i].t_max = scene->ao_length;
        scene->rays[BENCH_DIFFUSE][i].t_max = INFINITY;
    }
}

void bench_scene_finish(struct bench_scene *scene)
{
    scene_mesh_finish(&scene->mesh);
    for (int work = 0; work < BENCH_WORK_COUNT; work++)
        free(scene->rays[work]);
}
