/* SPDX-License-Identifier: MIT
 * Lane operations for AVX2 with FMA. min and max give their second operand when one is NaN (as the instructions do). */
#ifndef CDXR_TRACE_LANES_AVX2_H
#define CDXR_TRACE_LANES_AVX2_H

#include <immintrin.h>
#include <stdint.h>

typedef __m256 lanes8;
typedef __m128 lanes4;

#define lanes8_load(p) _mm256_loadu_ps(p)
#define lanes8_splat(a) _mm256_set1_ps(a)
#define lanes8_sub(a, b) _mm256_sub_ps(a, b)
#define lanes8_mul(a, b) _mm256_mul_ps(a, b)
#define lanes8_min(a, b) _mm256_min_ps(a, b)
#define lanes8_max(a, b) _mm256_max_ps(a, b)
#define lanes8_mul_add(a, b, c) _mm256_fmadd_ps(a, b, c)
#define lanes8_store(p, a) _mm256_storeu_ps(p, a)
#define lanes8_le_mask(a, b) ((uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ)))
#define lanes4_load(p) _mm_load_ps(p)
#define lanes4_splat(a) _mm_set1_ps(a)
#define lanes4_sub(a, b) _mm_sub_ps(a, b)
#define lanes4_mul(a, b) _mm_mul_ps(a, b)
#define lanes4_min(a, b) _mm_min_ps(a, b)
#define lanes4_max(a, b) _mm_max_ps(a, b)
#define lanes4_le_mask(a, b) ((uint32_t)_mm_movemask_ps(_mm_cmp_ps(a, b, _CMP_LE_OQ)))

#endif
