/* SPDX-License-Identifier: MIT
 * From a ray to struct trace_space: once per ray and structure, before the kernel walks it. Plain scalar float code in
 * one fixed order, so that every instruction set gets the same bits.
 *
 * Box tests must never lose a hit of the triangle test (Ize 2013). In units u = 2^-24, with D the largest distance
 * from the origin to a bound along an axis and M the largest absolute coordinate, a hit's position can be off by 6uD
 * (shear of the vertices), and a crossing by 3uD + 3uM (reciprocal, product, sum, rounding of t); so planes are moved
 * outward by u(16D + 8M) in the two additive constants, and the test itself is one multiply-add a plane. */
#ifndef CDXR_TRACE_RAY_SETUP_H
#define CDXR_TRACE_RAY_SETUP_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/vec.h"
#include "trace/trace.h"

static inline float setup_max(float a, float b)
{
    return a > b ? a : b;
}

static inline bool setup_is_finite3(const float v[3])
{
    return fabsf(v[0]) <= FLT_MAX && fabsf(v[1]) <= FLT_MAX && fabsf(v[2]) <= FLT_MAX;
}

/* How far planes move outward for this origin, given bounds[2][3]. condition: accel_header.transform_condition. */
static inline float setup_margin(const float origin[3], const float bounds[2][3], float condition, uint32_t *exact_always)
{
    float distance = 0, magnitude = 0;
    for (int axis = 0; axis < 3; axis++) {
        distance = setup_max(distance, fabsf(bounds[0][axis] - origin[axis]));
        distance = setup_max(distance, fabsf(bounds[1][axis] - origin[axis]));
        magnitude = setup_max(magnitude, fabsf(origin[axis]));
        magnitude = setup_max(magnitude, fabsf(bounds[0][axis]));
        magnitude = setup_max(magnitude, fabsf(bounds[1][axis]));
    }
    *exact_always = !(distance < 0x1p60f);
    return 0x1p-24f * condition * (16.0f * distance + 8.0f * magnitude) + 0x1p-144f;
}

/* One axis of the box test. shortest: components of the direction below this count as this (their crossing is then
 * still far behind every hit, see setup_space). Where a constant would overflow, the axis is not tested at all. */
static inline void setup_axis(struct trace_space *space, int axis, float margin, float shortest)
{
    float d = space->direction[axis], o = space->origin[axis];
    bool negative = signbit(d);
    float length = setup_max(fabsf(d), shortest);
    float mul = 1.0f / (negative ? -length : length);
    float outward = negative ? -margin : margin;
    float near_add = -(o + outward) * mul, far_add = -(o - outward) * mul;
    bool usable = fabsf(mul) <= FLT_MAX && fabsf(near_add) <= FLT_MAX && fabsf(far_add) <= FLT_MAX;
    space->mul[axis] = usable ? mul : 0.0f;
    space->near_add[axis] = usable ? near_add : -INFINITY;
    space->far_add[axis] = usable ? far_add : INFINITY;
    space->near_plane[axis] = (uint32_t)axis * 64u + (negative ? 32u : 0u);
}

/* Fill everything from origin and direction, which are finite. False: the direction is zero, nothing can be hit.
 * A component below 2^-40 of the longest moves the ray by less than 2^-38 M over any distance at which there is
 * something to hit, far less than the margin. */
static inline bool setup_space(struct trace_space *space, const float bounds[2][3], float condition)
{
    const float *d = space->direction;
    float ax = fabsf(d[0]), ay = fabsf(d[1]), az = fabsf(d[2]);
    uint32_t kz = ax > ay ? (ax > az ? 0 : 2) : (ay > az ? 1 : 2);
    uint32_t kx = kz == 2 ? 0 : kz + 1, ky = kx == 2 ? 0 : kx + 1;
    float longest = fabsf(d[kz]);
    if (!(longest > 0))
        return false;
    float margin = setup_margin(space->origin, bounds, condition, &space->exact_always);
    for (int axis = 0; axis < 3; axis++)
        setup_axis(space, axis, margin, longest * 0x1p-40f);
    space->axes[0] = kx;
    space->axes[1] = ky;
    space->axes[2] = kz;
    for (int i = 0; i < 3; i++)
        space->origin_permuted[i] = space->origin[space->axes[i]];
    space->shear[0] = d[kx] / d[kz];
    space->shear[1] = d[ky] / d[kz];
    return true;
}

#endif
