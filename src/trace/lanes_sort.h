/* SPDX-License-Identifier: MIT
 * Pushing a node's children without a branch, for AVX2 and above: eight keys are sorted in one register by Batcher's
 * network, and all eight stack entries are written at once; only the count tells how many are real. A key is the float
 * distance as an integer (distances are not negative) with the child's number in its three lowest bits. */
#ifndef CDXR_TRACE_LANES_SORT_H
#define CDXR_TRACE_LANES_SORT_H

#include <immintrin.h>
#include <stdbool.h>

#include "trace/trace.h"

#define LANES_HAS_PUSH

/* One layer of the network: each lane meets partner, lanes whose bit in keep_high is set keep the greater one. */
#define LANES_SORT_LAYER(keys, partner, keep_high)                                                            \
    do {                                                                                                      \
        __m256i other_ = (partner);                                                                           \
        (keys) = _mm256_blend_epi32(_mm256_min_epi32(keys, other_), _mm256_max_epi32(keys, other_), keep_high); \
    } while (0)

/* Ascending. Bitonic: pairs, then fours, then eight. */
static inline __attribute__((always_inline)) __m256i lanes_sort(__m256i keys)
{
    LANES_SORT_LAYER(keys, _mm256_shuffle_epi32(keys, 0xb1), 0x66);
    LANES_SORT_LAYER(keys, _mm256_shuffle_epi32(keys, 0x4e), 0x3c);
    LANES_SORT_LAYER(keys, _mm256_shuffle_epi32(keys, 0xb1), 0x5a);
    LANES_SORT_LAYER(keys, _mm256_permute2x128_si256(keys, keys, 1), 0xf0);
    LANES_SORT_LAYER(keys, _mm256_shuffle_epi32(keys, 0x4e), 0xcc);
    LANES_SORT_LAYER(keys, _mm256_shuffle_epi32(keys, 0xb1), 0xaa);
    return keys;
}

/* As kernel_push in kernel_body.h. Writes eight entries above count. The keys are sorted ascending, so that the reference
 * on top is in the lowest lane and need not go through memory; what is stored is turned round. */
static inline __attribute__((always_inline)) uint32_t kernel_push(struct trace_stack_entry *stack, uint32_t count,
                                                                  uint32_t mask, __m256 t_near, const uint32_t *children,
                                                                  bool nearest_on_top, uint32_t *top)
{
    uint32_t pushed = (uint32_t)__builtin_popcount(mask);
    __m256i refs = _mm256_load_si256((const __m256i *)children), near = _mm256_castps_si256(t_near);
#if defined(__AVX512VL__)
    if (!nearest_on_top) {
        const __m512i pairs = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        __m512i entries = _mm512_permutex2var_epi32(_mm512_castsi256_si512(near), pairs, _mm512_castsi256_si512(refs));
        _mm512_storeu_si512(&stack[count], _mm512_maskz_compress_epi64((__mmask8)mask, entries));
        *top = children[31 - __builtin_clz(mask)];
        return count + pushed;
    }
#endif
    const __m256i low_bits = _mm256_set1_epi32(7), lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i is_hit = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)mask), bits), bits);
    __m256i keys = _mm256_or_si256(_mm256_andnot_si256(low_bits, near), lanes);
    keys = lanes_sort(_mm256_blendv_epi8(_mm256_set1_epi32(INT32_MAX), keys, is_hit));
    refs = _mm256_permutevar8x32_epi32(refs, keys);
    *top = (uint32_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(refs));
    __m256i turn = _mm256_sub_epi32(_mm256_set1_epi32((int)pushed - 1), lanes);
    refs = _mm256_permutevar8x32_epi32(refs, turn);
    near = _mm256_permutevar8x32_epi32(_mm256_andnot_si256(low_bits, keys), turn);
    __m256i even = _mm256_unpacklo_epi32(near, refs), odd = _mm256_unpackhi_epi32(near, refs);
    _mm256_storeu_si256((__m256i *)&stack[count], _mm256_permute2x128_si256(even, odd, 0x20));
    _mm256_storeu_si256((__m256i *)&stack[count + 4], _mm256_permute2x128_si256(even, odd, 0x31));
    return count + pushed;
}

#endif
