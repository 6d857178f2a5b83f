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

typedef float setup4 __attribute__((vector_size(16)));
typedef int32_t setup4i __attribute__((vector_size(16)));

static inline setup4 setup_load(const float *p)
{
    setup4 r;
    __builtin_memcpy(&r, p, sizeof(r));
    return r;
}

static inline void setup_store(float *p, setup4 a)
{
    __builtin_memcpy(p, &a, sizeof(a));
}

static inline setup4 setup_splat(float a)
{
    return (setup4){a, a, a, a};
}

static inline setup4 setup_select(setup4i mask, setup4 a, setup4 b)
{
    return (setup4)((mask & (setup4i)a) | (~mask & (setup4i)b));
}

static inline setup4 setup_abs(setup4 a)
{
    return (setup4)((setup4i)a & (setup4i){INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX});
}

static inline setup4 setup_max4(setup4 a, setup4 b)
{
    return setup_select(a > b, a, b);
}

/* x, y, z of four floats in memory, and 0. */
static inline setup4 setup_load_xyz(const float *p)
{
    const setup4i xyz = {-1, -1, -1, 0};
    return (setup4)((setup4i)setup_load(p) & xyz);
}

static inline bool setup_is_finite(setup4 a, setup4 b)
{
    setup4i finite = (setup_abs(a) <= setup_splat(FLT_MAX)) & (setup_abs(b) <= setup_splat(FLT_MAX));
    return finite[0] & finite[1] & finite[2];
}

/* Origin and direction of a ray in the space of an instance: vec_transform_point_back and vec_transform_direction, both
 * at once and a row a lane. */
static inline void setup_transform(const struct abi_instance *instance, const struct abi_ray *ray, setup4 *o, setup4 *d)
{
    const float *m = instance->object_to_world;
    const setup4i xyz = {-1, -1, -1, 0};
    setup4 r0 = setup_load(instance->world_to_object), r1 = setup_load(instance->world_to_object + 4);
    setup4 r2 = setup_load(instance->world_to_object + 8);
    setup4 low = __builtin_shufflevector(r0, r1, 0, 4, 1, 5), high = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
    setup4 x = __builtin_shufflevector(low, r2, 0, 1, 4, 4), y = __builtin_shufflevector(low, r2, 2, 3, 5, 5);
    setup4 z = __builtin_shufflevector(high, r2, 0, 1, 6, 6);
    setup4 from = setup_load(ray->origin) - (setup4){m[3], m[7], m[11], 0}, along = setup_load(ray->direction);
    setup4 origin = x * setup_splat(from[0]) + y * setup_splat(from[1]) + z * setup_splat(from[2]);
    setup4 direction = x * setup_splat(along[0]) + y * setup_splat(along[1]) + z * setup_splat(along[2]);
    *o = (setup4)((setup4i)origin & xyz);
    *d = (setup4)((setup4i)direction & xyz);
}

static inline float setup_widest(setup4 a)
{
    return setup_max(setup_max(a[0], a[1]), a[2]);
}

/* How far planes move outward for this origin, given bounds[2][3] of a structure's header. condition:
 * accel_header.transform_condition. */
static inline float setup_margin(setup4 origin, const struct accel_header *structure, uint32_t *exact_always)
{
    setup4 lower = setup_load(structure->bounds[0]), upper = setup_load(structure->bounds[1]);
    float distance = setup_widest(setup_max4(setup_abs(lower - origin), setup_abs(upper - origin)));
    float magnitude = setup_widest(setup_max4(setup_abs(origin), setup_max4(setup_abs(lower), setup_abs(upper))));
    *exact_always = !(distance < 0x1p60f);
    return 0x1p-24f * structure->transform_condition * (16.0f * distance + 8.0f * magnitude) + 0x1p-144f;
}

/* The box test's constants. shortest: components of the direction below this count as this (their crossing is then
 * still far behind every hit, see setup_space). Where a constant would overflow, the axis is not tested at all. */
static inline void setup_boxes(struct trace_space *space, setup4 o, setup4 d, float margin, float shortest)
{
    const setup4i sign_bits = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
    setup4i sign = (setup4i)d & sign_bits;
    setup4 length = (setup4)((setup4i)setup_max4(setup_abs(d), setup_splat(shortest)) | sign);
    setup4 outward = (setup4)((setup4i)setup_splat(margin) | sign);
    setup4 mul = setup_splat(1) / length;
    setup4 near_add = -(o + outward) * mul, far_add = -(o - outward) * mul, limit = setup_splat(FLT_MAX);
    setup4i usable = (setup_abs(mul) <= limit) & (setup_abs(near_add) <= limit) & (setup_abs(far_add) <= limit);
    mul = (setup4)((setup4i)mul & usable);
    near_add = setup_select(usable, near_add, setup_splat(-INFINITY));
    far_add = setup_select(usable, far_add, setup_splat(INFINITY));
    setup4i plane = (setup4i){0, 64, 128, 192} + ((sign >> 31) & (setup4i){32, 32, 32, 32});
    __builtin_memcpy(space->mul, &mul, sizeof(mul));
    __builtin_memcpy(space->near_add, &near_add, sizeof(near_add));
    __builtin_memcpy(space->far_add, &far_add, sizeof(far_add));
    __builtin_memcpy(space->near_plane, &plane, sizeof(plane));
}

/* Fill everything from origin o and direction d (x, y, z, 0), which are finite. False: the direction is zero, nothing can
 * be hit. A component below 2^-40 of the longest moves the ray by less than 2^-38 M over any distance at which there is
 * something to hit, far less than the margin. */
static inline bool setup_space(struct trace_space *space, const struct accel_header *structure, setup4 o, setup4 d)
{
    static const uint32_t next_axis[4] = {1, 2, 0, 1};
    setup_store(space->origin, o);
    setup_store(space->direction, d);
    setup4 length = setup_abs(d);
    uint32_t kz = length[1] >= length[0];
    kz = length[2] >= setup_max(length[0], length[1]) ? 2 : kz;
    uint32_t kx = next_axis[kz], ky = next_axis[kx];
    float longest = setup_widest(length);
    if (!(longest > 0))
        return false;
    space->margin = setup_margin(o, structure, &space->exact_always);
    setup_boxes(space, o, d, space->margin, longest * 0x1p-40f);
    space->axes[0] = kx;
    space->axes[1] = ky;
    space->axes[2] = kz;
    space->origin_permuted[0] = space->origin[kx];
    space->origin_permuted[1] = space->origin[ky];
    space->origin_permuted[2] = space->origin[kz];
    setup4 across = {space->direction[kx], space->direction[ky], 0, 0};
    setup4 shear = across / setup_splat(space->direction[kz]);
    space->shear[0] = shear[0];
    space->shear[1] = shear[1];
    return true;
}

#endif
