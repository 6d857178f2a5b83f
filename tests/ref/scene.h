/* SPDX-License-Identifier: MIT
 * Scenes for tests and benches: meshes and instances in plain arrays, generators, and their structures built by accel/.
 * The random numbers are a fixed sequence per seed. */
#ifndef CDXR_TESTS_REF_SCENE_H
#define CDXR_TESTS_REF_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "accel/build.h"
#include "base/thread_pool.h"

struct scene_random {
    uint64_t state;
};
uint32_t scene_random_bits(struct scene_random *random);
float scene_random_float(struct scene_random *random, float low, float high);
void scene_random_direction(struct scene_random *random, float direction[3]); /* unit length */

/* One geometry. Triangles: indices[triangle_count][3] into vertices; boxes: boxes[box_count][6]. */
struct scene_mesh {
    float (*vertices)[3];
    uint32_t vertex_count, vertex_capacity;
    uint32_t (*indices)[3];
    uint32_t triangle_count, triangle_capacity;
    float (*boxes)[6];
    uint32_t box_count;
    uint32_t flags; /* enum accel_geometry_flag */
};

uint32_t scene_mesh_add_vertex(struct scene_mesh *mesh, float x, float y, float z);
void scene_mesh_add_triangle(struct scene_mesh *mesh, uint32_t a, uint32_t b, uint32_t c);
void scene_mesh_add_corners(struct scene_mesh *mesh, const float corners[3][3]);
void scene_mesh_finish(struct scene_mesh *mesh);

/* Generators append to the mesh. */
void scene_make_soup(struct scene_mesh *mesh, struct scene_random *random, uint32_t triangle_count, float extent, float length);
void scene_make_needles(struct scene_mesh *mesh, struct scene_random *random, uint32_t triangle_count);
/* Closed sphere with jittered radius: 2 * rings * segments - 2 * segments triangles, shared vertices. */
void scene_make_sphere(struct scene_mesh *mesh, const float center[3], float radius, uint32_t rings, uint32_t segments,
                       struct scene_random *jitter);
/* Height field of (n * n * 2) triangles over [0, extent]^2, y up, of fractal noise. */
void scene_make_terrain(struct scene_mesh *mesh, uint32_t n, float extent, float height, uint64_t seed);

struct scene_instance {
    float transform[12];
    uint32_t blas_index;
    uint32_t id, mask, contribution, flags;
};

/* A set of bottom-level structures (runs of meshes) and one top level. */
struct scene {
    struct scene_mesh *meshes;
    uint32_t mesh_count;
    uint32_t (*blas_meshes)[2]; /* first mesh, count; per BLAS */
    uint32_t blas_count;
    struct scene_instance *instances;
    uint32_t instance_count;
    void **blas; /* built; aligned */
    void *tlas;
};

enum { SCENE_FORMAT_R32G32B32_FLOAT = 6, SCENE_FORMAT_R32_UINT = 42, SCENE_FORMAT_R16_UINT = 57 };

/* Description of a mesh as geometry. */
struct accel_geometry scene_geometry(const struct scene_mesh *mesh);
/* Build with guard bytes behind result and scratch; aborts the program when a build fails or writes past what prebuild
 * said. Returns the structure (free with free()). */
void *scene_build(struct thread_pool *pool, const struct accel_build_inputs *inputs);
/* 64 bytes in the layout of D3D12_RAYTRACING_INSTANCE_DESC. */
void scene_write_instance(uint8_t desc[64], const struct scene_instance *instance, const void *blas);
void scene_build_all(struct scene *scene, struct thread_pool *pool, uint32_t flags);
void scene_free_built(struct scene *scene); /* the structures only; may be built again */
void scene_finish(struct scene *scene);

extern const float scene_identity[12];

#endif
