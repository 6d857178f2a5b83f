/* SPDX-License-Identifier: MIT
 * Vectors of the builders. Boxes travel as eight floats { -lower x y z, w, upper x y z, w }, so that the union of two
 * boxes is one maximum; the two w lanes carry ids or nothing. maximum gives its second operand when one is NaN. */
#ifndef CDXR_ACCEL_SIMD_H
#define CDXR_ACCEL_SIMD_H

#include <float.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

typedef float simd4 __attribute__((vector_size(16)));
typedef int32_t simd4i __attribute__((vector_size(16)));

#if defined(__AVX__)
typedef float simd8 __attribute__((vector_size(32)));

static inline simd8 simd8_max(simd8 a, simd8 b)
{
    return (simd8)_mm256_max_ps((__m256)a, (__m256)b);
}

static inline simd8 simd8_load(const void *p)
{
    return (simd8)_mm256_load_ps(p);
}

static inline void simd8_store(void *p, simd8 a)
{
    _mm256_store_ps(p, (__m256)a);
}

static inline simd8 simd8_splat(float a)
{
    return (simd8)_mm256_set1_ps(a);
}

static inline simd4 simd8_low(simd8 a)
{
    return (simd4)_mm256_castps256_ps128((__m256)a);
}

static inline simd4 simd8_high(simd8 a)
{
    return (simd4)_mm256_extractf128_ps((__m256)a, 1);
}

static inline simd8 simd8_join(simd4 low, simd4 high)
{
    return (simd8)_mm256_insertf128_ps(_mm256_castps128_ps256((__m128)low), (__m128)high, 1);
}
#else
/* Aligned as with AVX: both kinds of files share structures. */
typedef struct {
    simd4 low, high;
} __attribute__((aligned(32))) simd8;

static inline simd4 simd4_max(simd4 a, simd4 b)
{
#if defined(__SSE2__)
    return (simd4)_mm_max_ps((__m128)a, (__m128)b);
#else
    simd4i mask = a > b;
    return (simd4)((mask & (simd4i)a) | (~mask & (simd4i)b));
#endif
}

static inline simd8 simd8_max(simd8 a, simd8 b)
{
    return (simd8){simd4_max(a.low, b.low), simd4_max(a.high, b.high)};
}

static inline simd8 simd8_load(const void *p)
{
    simd8 r;
    memcpy(&r, p, sizeof(r));
    return r;
}

static inline void simd8_store(void *p, simd8 a)
{
    memcpy(p, &a, sizeof(a));
}

static inline simd8 simd8_splat(float a)
{
    return (simd8){(simd4){a, a, a, a}, (simd4){a, a, a, a}};
}

static inline simd4 simd8_low(simd8 a)
{
    return a.low;
}

static inline simd4 simd8_high(simd8 a)
{
    return a.high;
}

static inline simd8 simd8_join(simd4 low, simd4 high)
{
    return (simd8){low, high};
}
#endif

/* A box that contains nothing. */
static inline simd8 simd8_empty_box(void)
{
    return simd8_splat(-FLT_MAX);
}

/* Half the surface of a box { -lower, upper }; 0 for an empty one. */
static inline float simd8_half_area(simd8 box)
{
    simd4 extent = simd8_low(box) + simd8_high(box);
    float x = extent[0], y = extent[1], z = extent[2];
    return x < 0 ? 0 : x * (y + z) + y * z;
}

#endif
