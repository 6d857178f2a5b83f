/* SPDX-License-Identifier: MIT
 * Triangles from the application's buffers in vectors: one triangle to a reference, or four to the lanes of a block. For
 * the usual case of float3 vertices, 32-bit indices and no transform, and only where loads of 16 bytes stay inside the
 * buffers; everything else goes through accel/refs.h one by one. Same bits as those functions. Included by
 * accel/read_body.h once per instruction set. */
#ifndef CDXR_ACCEL_GATHER_H
#define CDXR_ACCEL_GATHER_H

#include <math.h>

#include "accel/refs.h"
#include "accel/vertex.h"

typedef double gather4d __attribute__((vector_size(32)));
typedef int64_t gather4l __attribute__((vector_size(32)));

/* Buffers of a geometry. limit: primitives and vertices below these may be loaded whole. indices NULL: never. */
struct gather {
    const uint8_t *indices, *vertices;
    uint64_t stride_bytes;
    uint32_t primitive_limit, vertex_limit;
};

#define GATHER_INLINE static inline __attribute__((always_inline))

enum { GATHER_FORMAT_R32_UINT = 42 };

GATHER_INLINE struct gather gather_make(const struct accel_geometry *geometry)
{
    const struct accel_triangles *t = &geometry->triangles;
    struct gather g = {0};
    if (geometry->type == ACCEL_GEOMETRY_BOXES || t->vertex_format != ACCEL_VERTEX_R32G32B32_FLOAT || !t->indices ||
        t->index_format != GATHER_FORMAT_R32_UINT || t->transform || (uint32_t)t->vertex_stride_bytes < 4 ||
        t->index_count < 6 || t->vertex_count < 2 || t->vertex_count > INT32_MAX)
        return g;
    g.indices = (const uint8_t *)(uintptr_t)t->indices;
    g.vertices = (const uint8_t *)(uintptr_t)t->vertices;
    g.stride_bytes = (uint32_t)t->vertex_stride_bytes;
    g.primitive_limit = t->index_count / 3 - 1;
    g.vertex_limit = t->vertex_count - 1;
    return g;
}

GATHER_INLINE simd4 gather_load(const void *p)
{
    simd4 v;
    memcpy(&v, p, sizeof(v));
    return v;
}

GATHER_INLINE simd4i gather_load_indices(const struct gather *g, uint32_t primitive)
{
    simd4i v;
    memcpy(&v, g->indices + primitive * 12ull, sizeof(v));
    return v;
}

GATHER_INLINE simd4 gather_vertex(const struct gather *g, int32_t index)
{
    return gather_load(g->vertices + (uint32_t)index * g->stride_bytes);
}

GATHER_INLINE simd4 gather_max(simd4 a, simd4 b)
{
#if defined(__SSE2__)
    return (simd4)_mm_max_ps((__m128)a, (__m128)b);
#else
    simd4i mask = a > b;
    return (simd4)((mask & (simd4i)a) | (~mask & (simd4i)b));
#endif
}

/* Bit i: lane i of the mask is set. */
GATHER_INLINE uint32_t gather_bits(simd4i mask)
{
#if defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)mask);
#else
    return (mask[0] & 1u) | (mask[1] & 2u) | (mask[2] & 4u) | (mask[3] & 8u);
#endif
}

/* All of the low three indices are below the limit. A negative one is not. */
GATHER_INLINE bool gather_indices_fit(const struct gather *g, simd4i indices)
{
    int32_t limit = (int32_t)g->vertex_limit;
    simd4i bound = {limit, limit, limit, limit}, zero = {0, 0, 0, 0};
    return (gather_bits((indices < bound) & (indices >= zero)) & 7) == 7;
}

/* One triangle as in accel_read_corners, v[vertex] with a lane that means nothing. False: not for this path. */
GATHER_INLINE bool gather_corners(const struct gather *g, uint32_t primitive, simd4 v[3])
{
    if (primitive >= g->primitive_limit)
        return false;
    simd4i indices = gather_load_indices(g, primitive);
    if (!gather_indices_fit(g, indices))
        return false;
    for (int i = 0; i < 3; i++)
        v[i] = gather_vertex(g, indices[i]);
    return true;
}

GATHER_INLINE bool gather_is_finite(const simd4 v[3])
{
    simd4 zero = v[0] * 0 + v[1] * 0 + v[2] * 0;
    return (gather_bits(zero == (simd4){0, 0, 0, 0}) & 7) == 7;
}

/* As is_degenerate of accel/refs.c. */
GATHER_INLINE bool gather_is_degenerate(const simd4 v[3])
{
    gather4d o = __builtin_convertvector(v[0], gather4d);
    gather4d a = __builtin_convertvector(v[1], gather4d) - o, b = __builtin_convertvector(v[2], gather4d) - o;
    gather4d a1 = __builtin_shufflevector(a, a, 1, 2, 0, 3), a2 = __builtin_shufflevector(a, a, 2, 0, 1, 3);
    gather4d b1 = __builtin_shufflevector(b, b, 1, 2, 0, 3), b2 = __builtin_shufflevector(b, b, 2, 0, 1, 3);
    gather4l equal = a1 * b2 == a2 * b1;
    return equal[0] & equal[1] & equal[2];
}

GATHER_INLINE void gather_transpose(simd4 a, simd4 b, simd4 c, simd4 d, simd4 out[3])
{
    simd4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    simd4 ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7), cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    out[0] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    out[2] = __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5);
}

/* Lanes of v[axis][vertex] that are no triangle: not finite, or without area. */
GATHER_INLINE simd4i gather_block_inactive(const simd4 v[3][3])
{
    simd4 zero = {0, 0, 0, 0};
    gather4d a[3], b[3];
    for (int axis = 0; axis < 3; axis++) {
        zero += v[axis][0] * 0 + v[axis][1] * 0 + v[axis][2] * 0;
        gather4d o = __builtin_convertvector(v[axis][0], gather4d);
        a[axis] = __builtin_convertvector(v[axis][1], gather4d) - o;
        b[axis] = __builtin_convertvector(v[axis][2], gather4d) - o;
    }
    gather4l equal = (a[1] * b[2] == a[2] * b[1]) & (a[2] * b[0] == a[0] * b[2]) & (a[0] * b[1] == a[1] * b[0]);
    return __builtin_convertvector(equal, simd4i) | ~(zero == (simd4){0, 0, 0, 0});
}

/* Vertices of four primitives of one geometry, v[axis][vertex]. False: not for this path. */
GATHER_INLINE bool gather_block(const struct gather *g, const uint32_t primitives[4], simd4 v[3][3])
{
    simd4i indices[4];
    if ((primitives[0] >= g->primitive_limit) | (primitives[1] >= g->primitive_limit) |
        (primitives[2] >= g->primitive_limit) | (primitives[3] >= g->primitive_limit))
        return false;
    int32_t limit = (int32_t)g->vertex_limit;
    simd4i bound = {limit, limit, limit, limit}, zero = {0, 0, 0, 0}, fits = ~zero;
    for (int lane = 0; lane < 4; lane++) {
        indices[lane] = gather_load_indices(g, primitives[lane]);
        fits &= (indices[lane] < bound) & (indices[lane] >= zero);
    }
    if ((gather_bits(fits) & 7) != 7)
        return false;
    for (int i = 0; i < 3; i++) {
        simd4 axes[3];
        gather_transpose(gather_vertex(g, indices[0][i]), gather_vertex(g, indices[1][i]), gather_vertex(g, indices[2][i]),
                         gather_vertex(g, indices[3][i]), axes);
        for (int axis = 0; axis < 3; axis++)
            v[axis][i] = axes[axis];
    }
    return true;
}

#endif
