/* SPDX-License-Identifier: MIT
 * IEEE half bits to and from float, without hardware help so that every CPU gives the same. Freestanding. */
#ifndef CDXR_BASE_HALF_H
#define CDXR_BASE_HALF_H

#include <stdint.h>

static inline uint32_t half_bits_of_float(float x)
{
    union {
        float f;
        uint32_t u;
    } pun = {x};
    return pun.u;
}

static inline float half_float_of_bits(uint32_t bits)
{
    union {
        uint32_t u;
        float f;
    } pun = {bits};
    return pun.f;
}

/* Exact. NaN payloads keep their top bits and become quiet. */
static inline float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t magnitude = half & 0x7fff;
    if (magnitude >= 0x7c00)
        return half_float_of_bits(sign | 0x7f800000 | (magnitude & 0x3ff) << 13 | (magnitude > 0x7c00 ? 0x400000 : 0));
    if (magnitude >= 0x400)
        return half_float_of_bits(sign | ((magnitude << 13) + 0x38000000));
    float value = (float)magnitude * 0x1p-24f; /* denormal: exact */
    return half_float_of_bits(sign | half_bits_of_float(value));
}

/* Round to nearest even; overflow gives infinity; NaN gives a quiet NaN. */
static inline uint16_t half_from_float(float x)
{
    uint32_t bits = half_bits_of_float(x);
    uint32_t sign = bits >> 16 & 0x8000;
    uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return (uint16_t)(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
    if (magnitude >= 0x477ff000) /* rounds to 65536 or more */
        return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x38800000) { /* below 2^-14: adding 0.5 rounds at bit 2^-24 */
        uint32_t rounded = half_bits_of_float(half_float_of_bits(magnitude) + 0.5f);
        return (uint16_t)(sign | (rounded - 0x3f000000));
    }
    uint32_t odd = magnitude >> 13 & 1;
    return (uint16_t)(sign | (magnitude - 0x38000000 + 0xfff + odd) >> 13);
}

/* Round toward zero, as stores to 16-bit float formats do (D3D11.3 functional specification 3.2.2): values beyond the
 * range give the largest finite half, infinity stays. */
static inline uint16_t half_from_float_toward_zero(float x)
{
    uint32_t bits = half_bits_of_float(x);
    uint32_t sign = bits >> 16 & 0x8000;
    uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude >= 0x7f800000)
        return (uint16_t)(sign | 0x7c00 | (magnitude > 0x7f800000 ? 0x200 | (magnitude >> 13 & 0x3ff) : 0));
    if (magnitude >= 0x47800000)
        return (uint16_t)(sign | 0x7bff);
    if (magnitude < 0x38800000)
        return (uint16_t)(sign | (uint32_t)(half_float_of_bits(magnitude) * 0x1p24f));
    return (uint16_t)(sign | (magnitude - 0x38000000) >> 13);
}

#endif
