/* SPDX-License-Identifier: MIT
 * The exact part of the triangle test, run for the few lanes whose float edge functions do not rule a hit out.
 *
 * Whether a triangle is hit is decided in the sheared plane of Woop, Benthin and Wald (JCGT 2(1), 2013): each vertex is
 * moved by the ray's origin and shear in float, which gives the same point for every triangle that shares it, and the
 * signs of the three edge functions of these points are taken exactly: a float result that is not zero has the right
 * sign (rounding is monotone); zero is looked at again in double, where the products are exact. When the ray meets an
 * edge exactly, the ray is thought to be moved by (-e, e^2) for an infinitely small e, so that it never meets an edge:
 * of the triangles around a shared edge or vertex exactly those count that this moved ray goes through.
 *
 * Where a triangle is hit (t, barycentrics) is computed in double from the unrounded vertices, so that t has no error
 * of its own and box tests need only a small margin. If double puts the ray outside (it is within float rounding of
 * an edge), the sheared float points are used instead; in both cases t lies between the vertices' depths. */
#ifndef CDXR_TRACE_TRIANGLE_H
#define CDXR_TRACE_TRIANGLE_H

#include <stdbool.h>

#include "trace/trace.h"

struct triangle_hit {
    float t;
    float barycentrics[2];
    int sign; /* of the edge functions: +1 or -1; 0: no hit */
};

static inline int triangle_sign(double value)
{
    return (value > 0) - (value < 0);
}

/* Sign of the edge function of p -> q at the origin moved by (-e, e^2); 0 only when p equals q. */
static inline int triangle_edge_sign(const float p[2], const float q[2])
{
    int sign = triangle_sign((double)p[0] * q[1] - (double)p[1] * q[0]);
    if (sign)
        return sign;
    if (q[1] != p[1])
        return q[1] < p[1] ? -1 : 1;
    return (q[0] > p[0]) - (q[0] < p[0]);
}

/* Three vertices and an unused lane. Functions that take these by value are inlined, so their ABI does not matter. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
typedef double triangle4 __attribute__((vector_size(32)));
typedef float triangle4f __attribute__((vector_size(16)));

static inline __attribute__((always_inline)) triangle4 triangle_widen(const float v[3])
{
    return __builtin_convertvector(((triangle4f){v[0], v[1], v[2], 0}), triangle4);
}

static inline __attribute__((always_inline)) triangle4 triangle_splat(double a)
{
    return (triangle4){a, a, a, a};
}

/* t and barycentrics from points (x, y) of a plane in which the ray is the origin, and their depths z along kz. Returns
 * false when the origin is not inside. */
static inline bool triangle_solve(const triangle4 *x, const triangle4 *y, const triangle4 *z, double depth_scale,
                                  struct triangle_hit *hit)
{
    triangle4 xa = __builtin_shufflevector(*x, *x, 2, 0, 1, 3), xb = __builtin_shufflevector(*x, *x, 1, 2, 0, 3);
    triangle4 ya = __builtin_shufflevector(*y, *y, 2, 0, 1, 3), yb = __builtin_shufflevector(*y, *y, 1, 2, 0, 3);
    triangle4 e = xa * yb - ya * xb, depths = e * *z;
    /* without branches: which side it is cannot be predicted */
    bool inside = ((e[0] >= 0) & (e[1] >= 0) & (e[2] >= 0)) | ((e[0] <= 0) & (e[1] <= 0) & (e[2] <= 0));
    double determinant = e[0] + e[1] + e[2];
    if (!inside || determinant == 0)
        return false;
    double scale = 1.0 / determinant;
    hit->t = (float)((depths[0] + depths[1] + depths[2]) * scale * depth_scale);
    hit->barycentrics[0] = (float)(e[1] * scale);
    hit->barycentrics[1] = (float)(e[2] * scale);
    return true;
}

static inline int triangle_sheared_sign(const float p[3][2])
{
    int u = triangle_edge_sign(p[2], p[1]);
    if (!u || triangle_edge_sign(p[0], p[2]) != u || triangle_edge_sign(p[1], p[0]) != u)
        return 0;
    return u;
}

/* v[axis kx, ky, kz][vertex]: the triangle's coordinates in the ray's axis order. */
static __attribute__((noinline)) bool triangle_solve_sheared(const float v[3][3], const struct trace_space *space,
                                                             struct triangle_hit *hit)
{
    const float *o = space->origin_permuted;
    float p[3][2];
    triangle4 x = {0}, y = {0}, z = {0};
    for (int i = 0; i < 3; i++) {
        float depth = v[2][i] - o[2];
        p[i][0] = (v[0][i] - o[0]) - space->shear[0] * depth;
        p[i][1] = (v[1][i] - o[1]) - space->shear[1] * depth;
        x[i] = p[i][0];
        y[i] = p[i][1];
        z[i] = depth;
    }
    hit->sign = triangle_sheared_sign(p);
    return hit->sign && triangle_solve(&x, &y, &z, 1.0 / space->direction[space->axes[2]], hit);
}

/* sign: of the float edge functions where all three are non-zero and agree, else 0 (then it is settled here). */
static inline __attribute__((always_inline)) bool triangle_hit_exact(const float v[3][3], const struct trace_space *space, int sign,
                                      struct triangle_hit *hit)
{
    if (!sign) {
        if (!triangle_solve_sheared(v, space, hit))
            return false;
        sign = hit->sign;
    }
    hit->sign = sign;
    const float *o = space->origin_permuted;
    const double dx = space->direction[space->axes[0]], dy = space->direction[space->axes[1]];
    const double dz = space->direction[space->axes[2]];
    triangle4 z = triangle_widen(v[2]) - triangle_splat(o[2]);
    triangle4 x = (triangle_widen(v[0]) - triangle_splat(o[0])) * triangle_splat(dz) - triangle_splat(dx) * z;
    triangle4 y = (triangle_widen(v[1]) - triangle_splat(o[1])) * triangle_splat(dz) - triangle_splat(dy) * z;
    if (triangle_solve(&x, &y, &z, 1.0 / dz, hit))
        return true;
    return triangle_solve_sheared(v, space, hit);
}

/* The double solution of triangle_hit_exact for the four triangles of a block at once, a lane each: the same operations
 * in the same order. Bit i of inside: lane i is solved; the others have to go through triangle_hit_exact. */
struct triangle_block_hits {
    float t[4], barycentrics[2][4];
    uint32_t inside;
};

static inline __attribute__((always_inline)) triangle4 triangle_load(const float v[4])
{
    triangle4f f;
    __builtin_memcpy(&f, v, sizeof(f));
    return __builtin_convertvector(f, triangle4);
}

static inline __attribute__((always_inline)) void triangle_store(float out[4], triangle4 v)
{
    triangle4f f = __builtin_convertvector(v, triangle4f);
    __builtin_memcpy(out, &f, sizeof(f));
}

typedef int64_t triangle4_mask __attribute__((vector_size(32)));

static inline __attribute__((always_inline)) uint32_t triangle_mask_bits(triangle4_mask m)
{
#if defined(__AVX__)
    return (uint32_t)__builtin_ia32_movmskpd256((triangle4)m);
#else
    return (uint32_t)((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
#endif
}

static inline __attribute__((always_inline)) void triangle_block_solve(const struct accel_triangle_block *block,
                                                                       const struct trace_space *space,
                                                                       struct triangle_block_hits *hits)
{
    const float *o = space->origin_permuted;
    const triangle4 dx = triangle_splat(space->direction[space->axes[0]]), dy = triangle_splat(space->direction[space->axes[1]]);
    const double depth = space->direction[space->axes[2]];
    const triangle4 dz = triangle_splat(depth), zero = triangle_splat(0);
    triangle4 x[3], y[3], z[3];
    for (int i = 0; i < 3; i++) {
        z[i] = triangle_load(block->vertices[space->axes[2]][i]) - triangle_splat(o[2]);
        x[i] = (triangle_load(block->vertices[space->axes[0]][i]) - triangle_splat(o[0])) * dz - dx * z[i];
        y[i] = (triangle_load(block->vertices[space->axes[1]][i]) - triangle_splat(o[1])) * dz - dy * z[i];
    }
    triangle4 e0 = x[2] * y[1] - y[2] * x[1], e1 = x[0] * y[2] - y[0] * x[2], e2 = x[1] * y[0] - y[1] * x[0];
    triangle4_mask inside = ((e0 >= zero) & (e1 >= zero) & (e2 >= zero)) | ((e0 <= zero) & (e1 <= zero) & (e2 <= zero));
    triangle4 determinant = e0 + e1 + e2, scale = triangle_splat(1) / determinant;
    hits->inside = triangle_mask_bits(inside & (determinant != zero));
    triangle_store(hits->t, (e0 * z[0] + e1 * z[1] + e2 * z[2]) * scale * triangle_splat(1.0 / depth));
    triangle_store(hits->barycentrics[0], e1 * scale);
    triangle_store(hits->barycentrics[1], e2 * scale);
}

#pragma GCC diagnostic pop
#endif
