/* SPDX-License-Identifier: MIT
 * Packed formats (base/format_pack.h): D3D11.3 functional specification 3.1.3.4 and 3.2. */
#include "base/format_pack.h"

#include <stddef.h>

#include "base/format.h"
#include "base/half.h"

const struct format_fields *format_fields_of_layout(uint32_t layout)
{
    static const struct format_fields r10g10b10a2 = {{0, 10, 20, 30}, {10, 10, 10, 2}};
    static const struct format_fields b5g6r5 = {{11, 5, 0, 0}, {5, 6, 5, 0}};
    static const struct format_fields b5g5r5a1 = {{10, 5, 0, 15}, {5, 5, 5, 1}};
    static const struct format_fields b4g4r4a4 = {{8, 4, 0, 12}, {4, 4, 4, 4}};
    static const struct format_fields a4b4g4r4 = {{12, 8, 4, 0}, {4, 4, 4, 4}};
    static const struct format_fields d24s8 = {{0, 0, 0, 0}, {24, 0, 0, 0}};
    switch (layout) {
    case FORMAT_LAYOUT_R10G10B10A2:
        return &r10g10b10a2;
    case FORMAT_LAYOUT_B5G6R5:
        return &b5g6r5;
    case FORMAT_LAYOUT_B5G5R5A1:
        return &b5g5r5a1;
    case FORMAT_LAYOUT_B4G4R4A4:
        return &b4g4r4a4;
    case FORMAT_LAYOUT_A4B4G4R4:
        return &a4b4g4r4;
    case FORMAT_LAYOUT_D24S8:
        return &d24s8;
    default:
        return NULL;
    }
}

/* Unsigned float of 5 exponent bits: a half without sign and with fewer mantissa bits. */
static uint32_t unpack_small_float(uint32_t bits, uint32_t mantissa_bits)
{
    return half_bits_of_float(half_to_float((uint16_t)(bits << (10 - mantissa_bits))));
}

/* Round toward zero; negative gives 0, NaN stays NaN, beyond the range the largest finite value. */
static uint32_t pack_small_float(uint32_t bits, uint32_t mantissa_bits)
{
    uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return 31u << mantissa_bits | 1u << (mantissa_bits - 1);
    if (bits >> 31)
        return 0;
    return (uint32_t)half_from_float_toward_zero(half_float_of_bits(magnitude)) >> (10 - mantissa_bits);
}

void format_unpack_r11g11b10(uint32_t word, uint32_t out[4])
{
    out[0] = unpack_small_float(word & 0x7ff, 6);
    out[1] = unpack_small_float(word >> 11 & 0x7ff, 6);
    out[2] = unpack_small_float(word >> 22, 5);
}

uint32_t format_pack_r11g11b10(const uint32_t in[4])
{
    return pack_small_float(in[0], 6) | pack_small_float(in[1], 6) << 11 | pack_small_float(in[2], 5) << 22;
}

void format_unpack_r9g9b9e5(uint32_t word, uint32_t out[4])
{
    float scale = half_float_of_bits(((word >> 27) + 127 - 15 - 9) << 23);
    for (uint32_t i = 0; i < 3; i++)
        out[i] = half_bits_of_float((float)(word >> 9 * i & 0x1ff) * scale);
}

uint32_t format_pack_r9g9b9e5(const uint32_t in[4])
{
    float clamped[3], largest = 0.0f;
    for (uint32_t i = 0; i < 3; i++) {
        float x = half_float_of_bits(in[i]);
        clamped[i] = x > 0.0f ? (x < 65408.0f ? x : 65408.0f) : 0.0f; /* 511/512 * 2^16; NaN gives 0 */
        largest = clamped[i] > largest ? clamped[i] : largest;
    }
    int32_t exponent = (int32_t)(half_bits_of_float(largest) >> 23) - 127 + 1; /* largest < 2^exponent */
    exponent = (exponent < -15 ? -15 : exponent) + 15;
    double unit = (double)half_float_of_bits((uint32_t)(exponent + 127 - 15 - 9) << 23);
    if ((uint32_t)(largest / unit + 0.5) == 512) {
        unit *= 2.0;
        exponent++;
    }
    uint32_t word = (uint32_t)exponent << 27;
    for (uint32_t i = 0; i < 3; i++)
        word |= (uint32_t)(clamped[i] / unit + 0.5) << 9 * i;
    return word;
}
