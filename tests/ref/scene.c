/* SPDX-License-Identifier: MIT */
#include "ref/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const float scene_identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
enum { GUARD_BYTES = 4096, GUARD_VALUE = 0xcd };

uint32_t scene_random_bits(struct scene_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

float scene_random_float(struct scene_random *random, float low, float high)
{
    return low + (high - low) * ((float)(scene_random_bits(random) >> 8) * 0x1p-24f);
}

void scene_random_direction(struct scene_random *random, float direction[3])
{
    float z = scene_random_float(random, -1, 1), angle = scene_random_float(random, 0, 6.2831853f);
    float r = sqrtf(fmaxf(0, 1 - z * z));
    direction[0] = r * cosf(angle);
    direction[1] = r * sinf(angle);
    direction[2] = z;
}

static void *grow(void *array, uint32_t count, uint32_t *capacity, size_t element_bytes)
{
    if (count < *capacity)
        return array;
    *capacity = *capacity ? *capacity * 2 : 64;
    array = realloc(array, *capacity * element_bytes);
    if (!array)
        abort();
    return array;
}

uint32_t scene_mesh_add_vertex(struct scene_mesh *mesh, float x, float y, float z)
{
    mesh->vertices = grow(mesh->vertices, mesh->vertex_count, &mesh->vertex_capacity, sizeof(*mesh->vertices));
    float *v = mesh->vertices[mesh->vertex_count];
    v[0] = x;
    v[1] = y;
    v[2] = z;
    return mesh->vertex_count++;
}

void scene_mesh_add_triangle(struct scene_mesh *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    mesh->indices = grow(mesh->indices, mesh->triangle_count, &mesh->triangle_capacity, sizeof(*mesh->indices));
    uint32_t *t = mesh->indices[mesh->triangle_count++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

void scene_mesh_add_corners(struct scene_mesh *mesh, const float corners[3][3])
{
    uint32_t first = mesh->vertex_count;
    for (int i = 0; i < 3; i++)
        scene_mesh_add_vertex(mesh, corners[i][0], corners[i][1], corners[i][2]);
    scene_mesh_add_triangle(mesh, first, first + 1, first + 2);
}

void scene_mesh_finish(struct scene_mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->indices);
    free(mesh->boxes);
    *mesh = (struct scene_mesh){0};
}

void scene_make_soup(struct scene_mesh *mesh, struct scene_random *random, uint32_t triangle_count, float extent, float length)
{
    for (uint32_t i = 0; i < triangle_count; i++) {
        float corners[3][3], center[3];
        for (int axis = 0; axis < 3; axis++)
            center[axis] = scene_random_float(random, -extent, extent);
        for (int vertex = 0; vertex < 3; vertex++)
            for (int axis = 0; axis < 3; axis++)
                corners[vertex][axis] = center[axis] + scene_random_float(random, -length, length);
        scene_mesh_add_corners(mesh, corners);
    }
}

void scene_make_needles(struct scene_mesh *mesh, struct scene_random *random, uint32_t triangle_count)
{
    for (uint32_t i = 0; i < triangle_count; i++) {
        float corners[3][3], along[3], across[3];
        float width = powf(10, scene_random_float(random, -6, -1));
        scene_random_direction(random, along);
        scene_random_direction(random, across);
        for (int axis = 0; axis < 3; axis++) {
            float start = scene_random_float(random, -1, 1);
            corners[0][axis] = start - along[axis];
            corners[1][axis] = start + along[axis];
            corners[2][axis] = start + along[axis] * 0.7f + across[axis] * width;
        }
        scene_mesh_add_corners(mesh, corners);
    }
}

void scene_make_sphere(struct scene_mesh *mesh, const float center[3], float radius, uint32_t rings, uint32_t segments,
                       struct scene_random *jitter)
{
    uint32_t first = mesh->vertex_count;
    for (uint32_t ring = 0; ring <= rings; ring++) {
        double polar = 3.14159265358979 * ring / rings;
        uint32_t count = ring == 0 || ring == rings ? 1 : segments;
        for (uint32_t i = 0; i < count; i++) {
            double around = 2 * 3.14159265358979 * i / segments;
            double r = radius * (jitter ? 1 + scene_random_float(jitter, -0.2f, 0.2f) : 1);
            scene_mesh_add_vertex(mesh, (float)(center[0] + r * sin(polar) * cos(around)), (float)(center[1] + r * cos(polar)),
                                  (float)(center[2] + r * sin(polar) * sin(around)));
        }
    }
    for (uint32_t i = 0; i < segments; i++) {
        uint32_t next = (i + 1) % segments;
        scene_mesh_add_triangle(mesh, first, first + 1 + next, first + 1 + i);
        for (uint32_t ring = 1; ring + 1 < rings; ring++) {
            uint32_t upper = first + 1 + (ring - 1) * segments, lower = upper + segments;
            scene_mesh_add_triangle(mesh, upper + i, upper + next, lower + i);
            scene_mesh_add_triangle(mesh, upper + next, lower + next, lower + i);
        }
        uint32_t last = first + 1 + (rings - 2) * segments;
        scene_mesh_add_triangle(mesh, mesh->vertex_count - 1, last + i, last + next);
    }
}

static float lattice(int32_t x, int32_t z, uint64_t seed)
{
    struct scene_random random = {seed ^ ((uint64_t)(uint32_t)x << 32 | (uint32_t)z) * 0xd6e8feb86659fd93ull};
    return scene_random_float(&random, -1, 1);
}

static float noise(float x, float z, uint64_t seed)
{
    float fx = floorf(x), fz = floorf(z), u = x - fx, w = z - fz;
    int32_t ix = (int32_t)fx, iz = (int32_t)fz;
    u = u * u * (3 - 2 * u);
    w = w * w * (3 - 2 * w);
    float near = lattice(ix, iz, seed) * (1 - u) + lattice(ix + 1, iz, seed) * u;
    float far = lattice(ix, iz + 1, seed) * (1 - u) + lattice(ix + 1, iz + 1, seed) * u;
    return near * (1 - w) + far * w;
}

void scene_make_terrain(struct scene_mesh *mesh, uint32_t n, float extent, float height, uint64_t seed)
{
    uint32_t first = mesh->vertex_count;
    for (uint32_t j = 0; j <= n; j++)
        for (uint32_t i = 0; i <= n; i++) {
            float x = (float)i / (float)n, z = (float)j / (float)n, y = 0, scale = 4, weight = 0.5f;
            for (int octave = 0; octave < 8; octave++, scale *= 2, weight *= 0.5f)
                y += weight * noise(x * scale, z * scale, seed + (uint64_t)octave);
            scene_mesh_add_vertex(mesh, x * extent, y * height, z * extent);
        }
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t a = first + j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
            scene_mesh_add_triangle(mesh, a, c, b);
            scene_mesh_add_triangle(mesh, b, c, d);
        }
}

struct accel_geometry scene_geometry(const struct scene_mesh *mesh)
{
    struct accel_geometry geometry = {.flags = mesh->flags};
    if (mesh->boxes) {
        geometry.type = ACCEL_GEOMETRY_BOXES;
        geometry.boxes = (struct accel_boxes){(uintptr_t)mesh->boxes, sizeof(*mesh->boxes), mesh->box_count};
        return geometry;
    }
    geometry.type = ACCEL_GEOMETRY_TRIANGLES;
    geometry.triangles = (struct accel_triangles){
        .vertices = (uintptr_t)mesh->vertices,
        .vertex_stride_bytes = sizeof(*mesh->vertices),
        .vertex_count = mesh->vertex_count,
        .vertex_format = SCENE_FORMAT_R32G32B32_FLOAT,
        .indices = (uintptr_t)mesh->indices,
        .index_count = mesh->indices ? mesh->triangle_count * 3 : 0,
        .index_format = mesh->indices ? SCENE_FORMAT_R32_UINT : 0,
    };
    return geometry;
}

static uint8_t *guarded(uint64_t bytes)
{
    uint8_t *memory = aligned_alloc(4096, (bytes + GUARD_BYTES + 4095) / 4096 * 4096);
    if (!memory)
        abort();
    memset(memory + bytes, GUARD_VALUE, GUARD_BYTES);
    return memory;
}

static void check_guard(const uint8_t *memory, uint64_t bytes, const char *what)
{
    for (uint64_t i = bytes; i < bytes + GUARD_BYTES; i++)
        if (memory[i] != GUARD_VALUE) {
            fprintf(stderr, "%s overrun at byte %llu of %llu\n", what, (unsigned long long)i, (unsigned long long)bytes);
            abort();
        }
}

void *scene_build(struct thread_pool *pool, const struct accel_build_inputs *inputs)
{
    struct accel_prebuild_info info;
    struct reason reason = {{0}};
    if (accel_prebuild_info(inputs, &info, &reason) != STATUS_OK) {
        fprintf(stderr, "prebuild: %s\n", reason.text);
        abort();
    }
    struct accel_build_arguments arguments = {.inputs = *inputs, .pool = pool};
    arguments.result = guarded(info.result_bytes);
    arguments.scratch = guarded(info.scratch_bytes);
    if (accel_build(&arguments, &reason) != STATUS_OK) {
        fprintf(stderr, "build: %s\n", reason.text);
        abort();
    }
    check_guard(arguments.result, info.result_bytes, "result");
    check_guard(arguments.scratch, info.scratch_bytes, "scratch");
    free(arguments.scratch);
    return arguments.result;
}

void scene_write_instance(uint8_t desc[64], const struct scene_instance *instance, const void *blas)
{
    uint32_t id = (instance->id & 0xffffff) | instance->mask << 24;
    uint32_t contribution = (instance->contribution & 0xffffff) | instance->flags << 24;
    uint64_t address = (uintptr_t)blas;
    memcpy(desc, instance->transform, 48);
    memcpy(desc + 48, &id, 4);
    memcpy(desc + 52, &contribution, 4);
    memcpy(desc + 56, &address, 8);
}

void scene_build_all(struct scene *scene, struct thread_pool *pool, uint32_t flags)
{
    scene->blas = calloc(scene->blas_count + 1, sizeof(void *));
    for (uint32_t i = 0; i < scene->blas_count; i++) {
        uint32_t first = scene->blas_meshes[i][0], count = scene->blas_meshes[i][1];
        struct accel_geometry *geometries = calloc(count + 1, sizeof(*geometries));
        for (uint32_t j = 0; j < count; j++)
            geometries[j] = scene_geometry(&scene->meshes[first + j]);
        struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = flags, .count = count, .geometries = geometries};
        scene->blas[i] = scene_build(pool, &inputs);
        free(geometries);
    }
    uint8_t(*descs)[64] = aligned_alloc(64, (scene->instance_count + 1) * 64);
    for (uint32_t i = 0; i < scene->instance_count; i++)
        scene_write_instance(descs[i], &scene->instances[i], scene->blas[scene->instances[i].blas_index]);
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_TOP, .flags = flags, .count = scene->instance_count,
                                        .instances = (uintptr_t)descs};
    scene->tlas = scene_build(pool, &inputs);
    free(descs);
}

void scene_free_built(struct scene *scene)
{
    for (uint32_t i = 0; i < scene->blas_count; i++)
        free(scene->blas[i]);
    free(scene->blas);
    free(scene->tlas);
}

void scene_finish(struct scene *scene)
{
    scene_free_built(scene);
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        scene_mesh_finish(&scene->meshes[i]);
}
