/* SPDX-License-Identifier: MIT */
#include "ref/micromap.h"

#include <math.h>

/* A triangle with corners on the grid of the finest level. */
struct triangle {
    int corners[3][2];
};

static void midpoint(const int a[2], const int b[2], int out[2])
{
    out[0] = (a[0] + b[0]) / 2;
    out[1] = (a[1] + b[1]) / 2;
}

static struct triangle child(const struct triangle *t, int number)
{
    const int *a = t->corners[0], *b = t->corners[1], *c = t->corners[2];
    int ab[2], bc[2], ca[2];
    midpoint(a, b, ab);
    midpoint(b, c, bc);
    midpoint(c, a, ca);
    const int *corners[4][3] = {{a, ab, ca}, {ca, bc, ab}, {ab, b, bc}, {bc, ca, c}};
    struct triangle out;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            out.corners[i][k] = corners[number][i][k];
    return out;
}

/* Three times the centroid decides: the grid's cells and their halves are told apart by it. */
static bool contains(const struct triangle *t, int x, int y)
{
    int sign = 0;
    for (int i = 0; i < 3; i++) {
        const int *p = t->corners[i], *q = t->corners[(i + 1) % 3];
        int64_t edge = (int64_t)(q[0] - p[0]) * (y - 3 * p[1]) - (int64_t)(q[1] - p[1]) * (x - 3 * p[0]);
        int s = (edge > 0) - (edge < 0);
        if (sign && s != sign)
            return false;
        sign = s;
    }
    return true;
}

uint32_t micromap_ref_curve(uint32_t level, uint32_t i, uint32_t j, bool far)
{
    int n = 1 << level, x = (int)(3 * i) + (far ? 2 : 1), y = (int)(3 * j) + (far ? 2 : 1);
    struct triangle t = {{{0, 0}, {n, 0}, {0, n}}};
    uint32_t index = 0;
    for (uint32_t l = 0; l < level; l++)
        for (int number = 0; number < 4; number++) {
            struct triangle inner = child(&t, number);
            if (!contains(&inner, x, y))
                continue;
            t = inner;
            index = index * 4 + (uint32_t)number;
            break;
        }
    return index;
}

/* value * 2^80, towards zero; finer bits cannot decide anything. */
static __int128 fixed(float value)
{
    if (!(value > 0))
        return 0;
    if (value > 1)
        value = 1;
    return (__int128)ldexp(value, 60) << 20 | (__int128)(uint64_t)(ldexp(ldexp(value, 60) - floor(ldexp(value, 60)), 20));
}

uint32_t micromap_ref_index(float u, float v, uint32_t level)
{
    const __int128 one = (__int128)1 << 80;
    __int128 n = (__int128)1 << level, x = fixed(u) * n, y = fixed(v) * n;
    __int128 i = x / one < n - 1 ? x / one : n - 1;
    __int128 j = y / one < n - 1 - i ? y / one : n - 1 - i;
    bool far = i + j < n - 1 && (x - i * one) + (y - j * one) >= one;
    return micromap_ref_curve(level, (uint32_t)i, (uint32_t)j, far);
}

uint32_t micromap_ref_state(const struct micromap_ref *micromap, float u, float v)
{
    uint32_t index = micromap_ref_index(u, v, micromap->level), state = 0;
    for (uint32_t bit = 0; bit < micromap->format; bit++) {
        uint32_t at = index * micromap->format + bit;
        state |= (uint32_t)((micromap->states[at / 8] >> at % 8) & 1) << bit;
    }
    return state;
}

enum micromap_ref_outcome micromap_ref_decide(uint32_t state, bool geometry_is_opaque, uint32_t instance_flags,
                                              uint32_t ray_flags, bool allowed)
{
    bool opaque = geometry_is_opaque;
    if (state != MICROMAP_REF_NONE && allowed && !(instance_flags & 0x20)) {
        bool two_states = (instance_flags & 0x10) || (ray_flags & 0x400);
        if (state == 0 || (state == 2 && two_states))
            return MICROMAP_REF_NO_HIT;
        opaque = state == 1 || (state == 3 && two_states);
    }
    if (instance_flags & 0x4)
        opaque = true;
    else if (instance_flags & 0x8)
        opaque = false;
    if (ray_flags & 0x1)
        opaque = true;
    else if (ray_flags & 0x2)
        opaque = false;
    if (ray_flags & (opaque ? 0x40 : 0x80))
        return MICROMAP_REF_NO_HIT;
    return opaque ? MICROMAP_REF_COMMIT : MICROMAP_REF_ANY_HIT;
}
