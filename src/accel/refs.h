/* SPDX-License-Identifier: MIT
 * Primitive references: what the builders sort. Made from the application's inputs by accel/refs.c; leaf blocks are
 * filled from the inputs again by accel/emit.c, through the same readers, so that both see the same bits. */
#ifndef CDXR_ACCEL_REFS_H
#define CDXR_ACCEL_REFS_H

#include <stdbool.h>

#include "accel/build.h"
#include "accel/simd.h"

/* 32 bytes: a box in the form of accel/simd.h with the ids in its w lanes. */
struct accel_ref {
    float negated_lower[3];
    uint32_t geometry;
    float upper[3];
    uint32_t primitive;
} __attribute__((aligned(32)));

/* Primitives of a geometry: indices or vertices by three, or boxes. */
uint64_t accel_geometry_primitive_count(const struct accel_geometry *geometry);

/* The triangle's vertices after transform, corners[vertex][axis]. False: an index is out of range, a vertex is not
 * finite (a NaN x makes a triangle inactive), or the triangle is a point or line. */
bool accel_read_triangle(const struct accel_geometry *geometry, uint32_t primitive, float corners[3][3]);
/* The same, points and lines included. */
bool accel_read_corners(const struct accel_geometry *geometry, uint32_t primitive, float corners[3][3]);
/* Indices of a triangle's vertices, in range or not, and the vertex of an index after transform, finite or not; zeros for
 * an index out of range. */
void accel_read_indices(const struct accel_geometry *geometry, uint32_t primitive, uint32_t indices[3]);
void accel_read_vertex(const struct accel_geometry *geometry, uint32_t index, float vertex[3]);
/* box[lower or upper][axis]. False: not finite, or inverted. */
bool accel_read_box(const struct accel_geometry *geometry, uint32_t primitive, float box[2][3]);

/* Ask for the memory of a primitive that will be read soon. */
void accel_prefetch_triangle_indices(const struct accel_geometry *geometry, uint32_t primitive);
void accel_prefetch_triangle_vertices(const struct accel_geometry *geometry, uint32_t primitive);

/* first_primitives[geometry_count + 1]: running sum of primitive counts.
 * refs: room for all of them. Returns the number of references written, in order of (geometry, primitive), inactive
 * ones left out. bounds and centroids: unions over all (accel/simd.h; centroids are sums lower + upper). */
struct accel_refs_result {
    uint32_t count;
    simd8 bounds, centroids;
};
void accel_refs_make(struct thread_pool *pool, const struct accel_build_inputs *inputs, const uint32_t *first_primitives,
                     struct accel_ref *refs, void *chunk_scratch, struct accel_refs_result *result);
/* Bytes of chunk_scratch. */
uint64_t accel_refs_scratch_bytes(uint64_t primitive_count);

static inline void accel_ref_grow(struct accel_refs_result *result, const struct accel_ref *ref)
{
    simd8 box = simd8_load(ref);
    simd4 centroid = simd8_high(box) - simd8_low(box);
    result->bounds = simd8_max(result->bounds, box);
    result->centroids = simd8_max(result->centroids, simd8_join(-centroid, centroid));
}

#endif
