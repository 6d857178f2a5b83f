/* SPDX-License-Identifier: MIT
 * Lane operations for AVX-512: those of AVX2, and packets of sixteen rays. */
#ifndef CDXR_TRACE_LANES_AVX512_H
#define CDXR_TRACE_LANES_AVX512_H

#include "trace/lanes_avx2.h"

#define LANES_HAS_PACKET
typedef __m512 lanesp;
enum { PACKET_WIDTH = 16 };
#define lanesp_load(p) _mm512_loadu_ps(p)
#define lanesp_splat(a) _mm512_set1_ps(a)
#define lanesp_sub(a, b) _mm512_sub_ps(a, b)
#define lanesp_mul(a, b) _mm512_mul_ps(a, b)
#define lanesp_mul_add(a, b, c) _mm512_fmadd_ps(a, b, c)
#define lanesp_min(a, b) _mm512_min_ps(a, b)
#define lanesp_max(a, b) _mm512_max_ps(a, b)
#define lanesp_le_mask(a, b) ((uint32_t)_mm512_cmp_ps_mask(a, b, _CMP_LE_OQ))

#endif
