/* SPDX-License-Identifier: MIT
 * Opacity micromaps during traversal: from a triangle hit to the state of the micro-triangle there. Called by the kernels
 * for triangles of structures with ACCEL_FLAG_HAS_MICROMAPS, and there only where micromaps are allowed and not
 * disabled, so all else pays for one test of a pointer per triangle hit.
 *
 * The curve (docs/bvh.md): a triangle (A, B, C) of level L is four of level L - 1, in the order (A, ab, ca), (ca, bc, ab),
 * (ab, B, bc), (bc, ca, C). Let i, j, k be the integer parts of u, v, w times 2^L. Going down a level, the bits of i, j, k
 * there say which child: i, k or j set for child 2, 0 or 3, none for child 1 - seen from a parent whose u and w have been
 * swapped once for each child 1 and 3 above, and whose bits have been inverted once for each child 1. Where the child is 1
 * or 3, which is where the bits of i and k are equal, i therefore holds the inversion itself, and the two bits of the
 * child's number come out of words at a time. */
#ifndef CDXR_TRACE_MICROMAP_H
#define CDXR_TRACE_MICROMAP_H

#include <stddef.h>

#include "trace/trace.h"

/* Bits 0..11 of x to the even bits. */
static inline uint32_t micromap_spread(uint32_t x)
{
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    return (x | x << 1) & 0x55555555;
}

/* Place on the curve of the micro-triangle whose u, v, w times 2^level have the integer parts i, j, k. */
static inline uint32_t micromap_curve(uint32_t i, uint32_t j, uint32_t k, uint32_t level)
{
    uint32_t all = (1u << level) - 1;
    uint32_t low = ~(i ^ k) & all;   /* child 1 or 3 */
    uint32_t third = (i ^ j) & low;  /* child 3 */
    uint32_t parity = third;         /* bit b: child 3 an odd number of times at the levels of bits b and above */
    for (uint32_t shift = 1; shift < 16; shift *= 2)
        parity ^= parity >> shift;
    uint32_t high = third | ((i ^ parity) & ~low & all);
    return micromap_spread(low) | micromap_spread(high) << 1;
}

/* Micro-triangle of a point, for every pair of floats. Its edges u, v = m / 2^level belong to the side above, the edge
 * in between to the triangle that points the other way than the whole one; points outside by rounding count as on the
 * edge they left by. Scaling by a power of two and the sum of the fractions are exact in double. */
static inline uint32_t micromap_index(const float barycentrics[2], uint32_t level)
{
    const uint32_t n = 1u << level;
    double u = barycentrics[0] * (double)n, v = barycentrics[1] * (double)n;
    u = u > 0 ? u : 0; /* NaN too */
    v = v > 0 ? v : 0;
    uint32_t i = u < n ? (uint32_t)u : n - 1;
    uint32_t j = v < n - i ? (uint32_t)v : n - 1 - i;
    uint32_t k = n - 1 - i - j;
    if (k && (u - i) + (v - j) >= 1)
        k--;
    return micromap_curve(i, j, k, level);
}

static inline enum accel_micromap_state micromap_read(const struct accel_header *array, uint32_t entry, const float barycentrics[2])
{
    const uint8_t *base = (const uint8_t *)array;
    if (!array || array->magic != ACCEL_MAGIC || array->kind != ACCEL_KIND_MICROMAPS || entry >= array->leaf_count)
        return ACCEL_MICROMAP_UNKNOWN_OPAQUE; /* the array was replaced: let the shader decide */
    struct accel_micromap micromap = ((const struct accel_micromap *)(base + array->leaf_offset))[entry];
    uint32_t bit = micromap_index(barycentrics, micromap.level) * micromap.format;
    uint8_t byte = base[array->state_offset + micromap.state_byte + bit / 8];
    return (enum accel_micromap_state)((byte >> bit % 8) & ((1u << micromap.format) - 1));
}

/* Index of a triangle; the last four values of 32 bits are the special ones. */
static inline uint32_t micromap_triangle_index(const struct accel_header *bottom, const struct accel_micromap_linkage *link,
                                               uint32_t primitive)
{
    const uint8_t *indices = (const uint8_t *)bottom + link->index_offset;
    if (!link->index_offset)
        return primitive;
    if (link->index_bytes == 4)
        return ((const uint32_t *)indices)[primitive];
    uint32_t index = link->index_bytes == 1 ? indices[primitive] : ((const uint16_t *)indices)[primitive];
    uint32_t all = link->index_bytes == 1 ? 0xff : 0xffff;
    return index > all - ACCEL_MICROMAP_SPECIAL_COUNT ? index | ~all : index;
}

#define MICROMAP_IGNORE 0xffffffffu

/* The geometry word (accel/layout.h) with the opacity of the point that was hit, or MICROMAP_IGNORE where nothing is
 * there. Instance and ray flags have their say after this. */
static __attribute__((noinline, unused)) uint32_t micromap_apply(const struct trace_state *s, uint32_t geometry, uint32_t primitive,
                                                              const float barycentrics[2])
{
    const struct accel_micromap_linkage *link = &s->micromaps[geometry & ACCEL_GEOMETRY_INDEX_MASK];
    if (!link->is_linked)
        return geometry;
    uint32_t index = micromap_triangle_index(s->bottom, link, primitive), state = ~index;
    if (index < (uint32_t)-ACCEL_MICROMAP_SPECIAL_COUNT)
        state = index > ~link->base_location
                    ? ACCEL_MICROMAP_UNKNOWN_OPAQUE
                    : micromap_read((const struct accel_header *)(uintptr_t)link->array, index + link->base_location, barycentrics);
    state &= s->micromap_state_mask;
    if (state == ACCEL_MICROMAP_TRANSPARENT)
        return MICROMAP_IGNORE;
    geometry &= ~ACCEL_GEOMETRY_OPAQUE;
    return state == ACCEL_MICROMAP_OPAQUE ? geometry | ACCEL_GEOMETRY_OPAQUE : geometry;
}

#endif
