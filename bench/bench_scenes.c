/* SPDX-License-Identifier: MIT
 * Scenes and rays of the bench. Secondary rays start where primary rays hit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

const char *const bench_work_names[BENCH_WORK_COUNT] = {"primary", "ao", "diffuse", "random"};
static const char *const scene_names[BENCH_SCENE_COUNT] = {"terrain", "spheres", "needles", "dragon", "engines"};

static void look(struct bench_scene *scene, float ex, float ey, float ez, float tx, float ty, float tz)
{
    const float eye[3] = {ex, ey, ez}, target[3] = {tx, ty, tz};
    memcpy(scene->eye, eye, sizeof(eye));
    memcpy(scene->target, target, sizeof(target));
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
    look(scene, 0, 4, -24, 0, 0, 0);
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
    look(scene, 0, 4, -24, 0, 0, 0);
    scene->ao_length = 2;
}

/* The whole of a model from the front, a little from above. */
static void look_at_mesh(struct bench_scene *scene)
{
    float lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY}, extent = 0;
    for (uint32_t i = 0; i < scene->mesh.vertex_count; i++)
        for (int axis = 0; axis < 3; axis++) {
            lower[axis] = fminf(lower[axis], scene->mesh.vertices[i][axis]);
            upper[axis] = fmaxf(upper[axis], scene->mesh.vertices[i][axis]);
        }
    for (int axis = 0; axis < 3; axis++) {
        scene->target[axis] = 0.5f * (lower[axis] + upper[axis]);
        extent = fmaxf(extent, upper[axis] - lower[axis]);
    }
    memcpy(scene->eye, scene->target, sizeof(scene->eye));
    scene->eye[1] += 0.3f * extent;
    scene->eye[2] += 0.95f * extent;
    scene->ao_length = 0.1f * extent;
}

/* An 8 x 2 x 8 block of engines, turned and scaled each in its own way, seen from a corner. */
static void place_engines(struct bench_scene *scene)
{
    struct scene_random random = {21};
    float extent = scene->ao_length * 10, center[3];
    memcpy(center, scene->target, sizeof(center));
    scene->instance_count = 128;
    scene->instances = calloc(scene->instance_count, sizeof(*scene->instances));
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        struct scene_instance *instance = &scene->instances[i];
        float angle = scene_random_float(&random, 0, 6.2831853f), scale = scene_random_float(&random, 0.6f, 1.1f);
        float rows[3][3] = {{cosf(angle), 0, sinf(angle)}, {0, 1, 0}, {-sinf(angle), 0, cosf(angle)}};
        float place[3] = {(float)(i % 8) * extent, (float)(i / 64) * extent, (float)(i / 8 % 8) * extent};
        instance->mask = 0xff;
        for (int r = 0; r < 3; r++) {
            instance->transform[r * 4 + 3] = place[r];
            for (int c = 0; c < 3; c++) {
                instance->transform[r * 4 + c] = rows[r][c] * scale;
                instance->transform[r * 4 + 3] -= rows[r][c] * scale * center[c];
            }
        }
    }
    look(scene, -2 * extent, 4 * extent, -2 * extent, 4 * extent, 0, 4 * extent);
}

static bool fill(enum bench_scene_index index, bool quick, struct bench_scene *scene)
{
    switch (index) {
    case BENCH_SCENE_TERRAIN:
        scene_make_terrain(&scene->mesh, quick ? 224 : 708, 100, 20, 10);
        look(scene, -10, 30, -10, 50, 0, 50);
        scene->ao_length = 5;
        return true;
    case BENCH_SCENE_SPHERES:
        make_spheres(scene, quick);
        return true;
    case BENCH_SCENE_NEEDLES:
        make_needles(scene, quick);
        return true;
    default:
        break;
    }
    if (!(index == BENCH_SCENE_DRAGON ? bench_model_dragon(&scene->mesh) : bench_model_engine(&scene->mesh)))
        return false;
    look_at_mesh(scene);
    if (index == BENCH_SCENE_ENGINES)
        place_engines(scene);
    return true;
}

bool bench_scene_make(enum bench_scene_index index, bool quick, struct bench_scene *scene)
{
    *scene = (struct bench_scene){.name = scene_names[index]};
    if (bench_options.scene && strcmp(bench_options.scene, scene->name) != 0)
        return false;
    return fill(index, quick, scene);
}

/* Case i: what is thin (i % 4), how thin (i / 4 % 5) and how many (i / 20) differ. */
void bench_scene_make_thin(uint32_t case_index, struct bench_scene *scene)
{
    struct scene_random random = {1000 + case_index};
    const uint32_t kind = case_index % 4, count = 500u << case_index / 20;
    const float width = powf(10, -1.0f - (float)(case_index / 4 % 5));
    *scene = (struct bench_scene){.name = "thin", .ao_length = 2};
    for (uint32_t i = 0; i < count; i++) {
        float corners[3][3], along[3], across[3];
        scene_random_direction(&random, along);
        scene_random_direction(&random, across);
        for (int axis = 0; axis < 3; axis++) {
            float start = scene_random_float(&random, -10, 10), reach = kind == 1 ? 8 : 1; /* 1: across the whole scene */
            if (kind == 2) /* all parallel to an axis but slanted a little, the worst case of boxes is kind 1 */
                along[axis] = (axis == 0 ? 1.0f : 0.05f * along[axis]);
            corners[0][axis] = kind == 3 ? 0 : start - along[axis] * reach; /* 3: a fan around one point */
            corners[1][axis] = start + along[axis] * reach;
            corners[2][axis] = start + along[axis] * 0.7f * reach + across[axis] * width;
        }
        scene_mesh_add_corners(&scene->mesh, corners);
    }
    look(scene, 0, 4, -24, 0, 0, 0);
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

/* Instances of the scenes turn and scale evenly, so normals go as directions do. */
static void rotate(const float transform[12], float v[3])
{
    float r[3];
    for (int i = 0; i < 3; i++)
        r[i] = transform[i * 4] * v[0] + transform[i * 4 + 1] * v[1] + transform[i * 4 + 2] * v[2];
    memcpy(v, r, sizeof(r));
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
    if (scene->instance_count)
        rotate(scene->instances[hit->instance_index].transform, n);
    normalize(n);
    for (int i = 0; i < 3; i++)
        side += n[i] * ray->direction[i];
    scene_random_direction(random, out->direction);
    for (int i = 0; i < 3; i++) {
        n[i] = side > 0 ? -n[i] : n[i];
        out->direction[i] += n[i] * 1.001f;
        out->origin[i] = ray->origin[i] + hit->t * ray->direction[i] + n[i] * 5e-4f * scene->ao_length;
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
    free(scene->instances);
    for (int work = 0; work < BENCH_WORK_COUNT; work++)
        free(scene->rays[work]);
}
