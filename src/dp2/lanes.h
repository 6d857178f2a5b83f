/* SPDX-License-Identifier: MIT
 * Eight lanes of float and int32 on compiler vectors, with the handful of operations the kernels need. Results do not depend
 * on the instruction set: no estimates, no contraction. Masks are all ones or zero per lane. */
#ifndef CDXR_DP2_LANES_H
#define CDXR_DP2_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

enum { LANES = 8 };
typedef float vf __attribute__((vector_size(32)));
typedef int32_t vi __attribute__((vector_size(32)));
typedef uint32_t vu __attribute__((vector_size(32)));
typedef uint16_t vh __attribute__((vector_size(32)));

#define INLINE static inline __attribute__((always_inline))

INLINE vf vf_set(float x)
{
    return (vf){x, x, x, x, x, x, x, x};
}

INLINE vi vi_set(int32_t x)
{
    return (vi){x, x, x, x, x, x, x, x};
}

INLINE vi vi_lanes(void)
{
    return (vi){0, 1, 2, 3, 4, 5, 6, 7};
}

/* Vectors of 32 bytes by pointer keep the ABI of static functions out of the question; everything here is inlined. */
INLINE vf vf_select(vi mask, vf a, vf b)
{
#if defined(__AVX2__)
    return (vf)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)mask);
#else
    return (vf)((mask & (vi)a) | (~mask & (vi)b));
#endif
}

INLINE vi vi_select(vi mask, vi a, vi b)
{
    return (mask & a) | (~mask & b);
}

/* a < b ? a : b, so NaN in a gives b. */
INLINE vf vf_min(vf a, vf b)
{
#if defined(__AVX2__)
    return (vf)_mm256_min_ps((__m256)a, (__m256)b);
#else
    return vf_select((vi)(a < b), a, b);
#endif
}

/* a > b ? a : b, so NaN in a gives b. */
INLINE vf vf_max(vf a, vf b)
{
#if defined(__AVX2__)
    return (vf)_mm256_max_ps((__m256)a, (__m256)b);
#else
    return vf_select((vi)(a > b), a, b);
#endif
}

/* NaN becomes low. */
INLINE vf vf_clamp(vf x, float low, float high)
{
    return vf_min(vf_max(x, vf_set(low)), vf_set(high));
}

INLINE vf vf_saturate(vf x)
{
    return vf_clamp(x, 0, 1);
}

INLINE vf vf_floor(vf x)
{
#if defined(__AVX2__)
    return (vf)_mm256_floor_ps((__m256)x);
#else
    vf out;
    for (int i = 0; i < LANES; i++)
        out[i] = floorf(x[i]);
    return out;
#endif
}

INLINE vf vf_abs(vf x)
{
    return (vf)((vi)x & vi_set(0x7FFFFFFF));
}

/* Truncates; the caller has clamped x to what fits. */
INLINE vi vi_from_vf(vf x)
{
    return __builtin_convertvector(x, vi);
}

INLINE vf vf_from_vi(vi x)
{
    return __builtin_convertvector(x, vf);
}

INLINE int vi_mask_bits(vi mask)
{
#if defined(__AVX2__)
    return _mm256_movemask_ps((__m256)mask);
#else
    vu bits = (vu)mask & (vu){1, 2, 4, 8, 16, 32, 64, 128};
    return (int)(bits[0] | bits[1] | bits[2] | bits[3] | bits[4] | bits[5] | bits[6] | bits[7]);
#endif
}

INLINE bool vi_any(vi mask)
{
    return vi_mask_bits(mask) != 0;
}

INLINE vf vf_sqrt(vf x)
{
#if defined(__AVX2__)
    return (vf)_mm256_sqrt_ps((__m256)x);
#else
    vf out;
    for (int i = 0; i < LANES; i++)
        out[i] = __builtin_sqrtf(x[i]);
    return out;
#endif
}

/* 32-bit little-endian words at base + offset[lane]; every lane is read, so every offset must be valid. */
INLINE vi vi_gather32(const uint8_t *base, vi offset)
{
#if defined(__AVX2__)
    return (vi)_mm256_i32gather_epi32((const int *)(const void *)base, (__m256i)offset, 1);
#else
    vi out;
    for (int i = 0; i < LANES; i++)
        memcpy((char *)&out + i * 4, base + offset[i], 4);
    return out;
#endif
}

/* Two neighbouring words at base + offset[lane] in one access each. */
INLINE void vi_gather_pairs(const uint8_t *base, vi offset, vi *first, vi *second)
{
#if defined(__AVX2__)
    __m128i low = _mm256_castsi256_si128((__m256i)offset), high = _mm256_extracti128_si256((__m256i)offset, 1);
    const long long *words = (const long long *)(const void *)base;
    __m256 a = (__m256)_mm256_i32gather_epi64(words, _mm_unpacklo_epi64(low, high), 1); /* lanes 0 1 4 5 */
    __m256 b = (__m256)_mm256_i32gather_epi64(words, _mm_unpackhi_epi64(low, high), 1); /* lanes 2 3 6 7 */
    *first = (vi)_mm256_shuffle_ps(a, b, 0x88);
    *second = (vi)_mm256_shuffle_ps(a, b, 0xDD);
#else
    for (int i = 0; i < LANES; i++) {
        memcpy((char *)first + i * 4, base + offset[i], 4);
        memcpy((char *)second + i * 4, base + offset[i] + 4, 4);
    }
#endif
}

INLINE vi vi_gather8(const uint8_t *base, vi offset)
{
    vi out;
    for (int i = 0; i < LANES; i++)
        out[i] = base[offset[i]];
    return out;
}

INLINE vi vi_gather16(const uint8_t *base, vi offset)
{
    vi out;
    for (int i = 0; i < LANES; i++) {
        uint16_t value;
        memcpy(&value, base + offset[i], 2);
        out[i] = value;
    }
    return out;
}

INLINE vi vi_gather24(const uint8_t *base, vi offset)
{
    vi out;
    for (int i = 0; i < LANES; i++) {
        const uint8_t *p = base + offset[i];
        out[i] = p[0] | p[1] << 8 | p[2] << 16;
    }
    return out;
}

/* log2 of positive normal numbers: exponent plus a parabola through the mantissa, exact at powers of two,
 * off by less than 0.009 between. Part of the mip level rule (docs/dp2.md). */
INLINE vf vf_log2(vf x)
{
    vi bits = (vi)x;
    vf exponent = vf_from_vi(((bits >> 23) & 255) - 127);
    vf f = (vf)((bits & 0x7FFFFF) | 0x3F800000) - 1.0f;
    return exponent + f * (1.3465f - 0.3465f * f);
}

/* 2^x for x <= 0, relative error below 1e-6; the polynomial is the Taylor series around 0 on [-1/2, 1/2]. */
INLINE vf vf_exp2(vf x)
{
    x = vf_clamp(x, -126, 126);
    vf whole = vf_floor(x + 0.5f);
    vf t = (x - whole) * 0.69314718f;
    vf p = 1.0f + t * (1.0f + t * (0.5f + t * (0.16666667f + t * (0.041666667f + t * (0.0083333333f + t * 0.0013888889f)))));
    vf scale = (vf)((vi_from_vf(whole) + 127) << 23);
    return p * scale;
}

#endif
