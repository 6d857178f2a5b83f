/* SPDX-License-Identifier: MIT
 * Lane operations in the compiler's vector types: SSE4.2 and NEON, as the file's flags say. Eight lanes are two
 * registers. min and max give their second operand when one is NaN. */
#ifndef CDXR_TRACE_LANES_VECTOR_H
#define CDXR_TRACE_LANES_VECTOR_H

#include <stdint.h>
#include <string.h>
#if defined(__SSE4_2__)
#include <nmmintrin.h>
#endif

typedef float lanes4 __attribute__((vector_size(16)));
typedef int32_t lanes4_mask __attribute__((vector_size(16)));
typedef struct { lanes4 low, high; } lanes8;

static inline lanes4 lanes4_load(const float *p)
{
    lanes4 r;
    memcpy(&r, p, sizeof(r));
    return r;
}

static inline lanes4 lanes4_splat(float a)
{
    return (lanes4){a, a, a, a};
}

static inline lanes4 lanes4_select(lanes4_mask mask, lanes4 a, lanes4 b)
{
    return (lanes4)((mask & (lanes4_mask)a) | (~mask & (lanes4_mask)b));
}

#if defined(__SSE4_2__)
static inline lanes4 lanes4_min(lanes4 a, lanes4 b)
{
    return (lanes4)_mm_min_ps((__m128)a, (__m128)b);
}

static inline lanes4 lanes4_max(lanes4 a, lanes4 b)
{
    return (lanes4)_mm_max_ps((__m128)a, (__m128)b);
}

static inline uint32_t lanes4_mask_bits(lanes4_mask mask)
{
    return (uint32_t)_mm_movemask_ps((__m128)mask);
}
#else
static inline lanes4 lanes4_min(lanes4 a, lanes4 b)
{
    return lanes4_select(a < b, a, b);
}

static inline lanes4 lanes4_max(lanes4 a, lanes4 b)
{
    return lanes4_select(a > b, a, b);
}

static inline uint32_t lanes4_mask_bits(lanes4_mask mask)
{
    lanes4_mask bits = mask & (lanes4_mask){1, 2, 4, 8};
    return (uint32_t)(bits[0] | bits[1] | bits[2] | bits[3]);
}
#endif

static inline lanes4 lanes4_sub(lanes4 a, lanes4 b)
{
    return a - b;
}

static inline lanes4 lanes4_mul(lanes4 a, lanes4 b)
{
    return a * b;
}

static inline uint32_t lanes4_le_mask(lanes4 a, lanes4 b)
{
    return lanes4_mask_bits(a <= b);
}

static inline lanes8 lanes8_load(const float *p)
{
    return (lanes8){lanes4_load(p), lanes4_load(p + 4)};
}

static inline lanes8 lanes8_splat(float a)
{
    return (lanes8){lanes4_splat(a), lanes4_splat(a)};
}

static inline lanes8 lanes8_sub(lanes8 a, lanes8 b)
{
    return (lanes8){a.low - b.low, a.high - b.high};
}

static inline lanes8 lanes8_mul(lanes8 a, lanes8 b)
{
    return (lanes8){a.low * b.low, a.high * b.high};
}

static inline lanes8 lanes8_min(lanes8 a, lanes8 b)
{
    return (lanes8){lanes4_min(a.low, b.low), lanes4_min(a.high, b.high)};
}

static inline lanes8 lanes8_max(lanes8 a, lanes8 b)
{
    return (lanes8){lanes4_max(a.low, b.low), lanes4_max(a.high, b.high)};
}

static inline lanes8 lanes8_mul_add(lanes8 a, lanes8 b, lanes8 c)
{
    return (lanes8){a.low * b.low + c.low, a.high * b.high + c.high};
}

static inline uint32_t lanes8_le_mask(lanes8 a, lanes8 b)
{
    return lanes4_le_mask(a.low, b.low) | lanes4_le_mask(a.high, b.high) << 4;
}

static inline void lanes8_store(float *p, lanes8 a)
{
    memcpy(p, &a, sizeof(a));
}

#endif
