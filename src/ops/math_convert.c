/* SPDX-License-Identifier: MIT
 * Conversions between floats, integers and bits (ops/math.h). Compiled natively and to bitcode. */
#include "ops/inline.h"
#include "ops/math.h"

/* Clamping conversion; NaN fails both comparisons of the first test and gives 0. low, high: powers of two, exact. */
#define FLOAT_TO_SIGNED(from, F, to, U, S, limit, minimum, maximum)                                           \
    OPS_SHORT U ops_fptosi_##from##_##to(F x)                                                                 \
    {                                                                                                         \
        if (x >= -(limit) && x < (limit))                                                                     \
            return (U)(S)x;                                                                                   \
        return x > 0 ? (U)(maximum) : x < 0 ? (U)(minimum) : (U)0;                                            \
    }
#define FLOAT_TO_UNSIGNED(from, F, to, U, limit)                                                              \
    OPS_SHORT U ops_fptoui_##from##_##to(F x)                                                                 \
    {                                                                                                         \
        if (x > 0 && x < (limit))                                                                             \
            return (U)x;                                                                                      \
        return x > 0 ? (U) ~(U)0 : (U)0;                                                                      \
    }
#define FLOAT_CONVERSIONS(from, F)                                                                            \
    FLOAT_TO_SIGNED(from, F, i16, uint16_t, int16_t, (F)0x1p15, INT16_MIN, INT16_MAX)                         \
    FLOAT_TO_SIGNED(from, F, i32, uint32_t, int32_t, (F)0x1p31, INT32_MIN, INT32_MAX)                         \
    FLOAT_TO_SIGNED(from, F, i64, uint64_t, int64_t, (F)0x1p63, INT64_MIN, INT64_MAX)                         \
    FLOAT_TO_UNSIGNED(from, F, i16, uint16_t, (F)0x1p16)                                                      \
    FLOAT_TO_UNSIGNED(from, F, i32, uint32_t, (F)0x1p32)                                                      \
    FLOAT_TO_UNSIGNED(from, F, i64, uint64_t, (F)0x1p64)

FLOAT_CONVERSIONS(f32, float)
FLOAT_CONVERSIONS(f64, double)

#define HALF_CONVERSION(name, to, U)                                                                          \
    OPS_SHORT U ops_##name##_f16_##to(_Float16 x)                                                             \
    {                                                                                                         \
        return ops_##name##_f32_##to((float)x);                                                               \
    }
HALF_CONVERSION(fptosi, i16, uint16_t)
HALF_CONVERSION(fptosi, i32, uint32_t)
HALF_CONVERSION(fptosi, i64, uint64_t)
HALF_CONVERSION(fptoui, i16, uint16_t)
HALF_CONVERSION(fptoui, i32, uint32_t)
HALF_CONVERSION(fptoui, i64, uint64_t)

OPS_SHORT double ops_make_double_f64(uint32_t low, uint32_t high)
{
    return bits_double((uint64_t)high << 32 | low);
}

OPS_SHORT void ops_split_double_f64(double x, struct ops_two_u32 *out)
{
    out->value[0] = (uint32_t)double_bits(x);
    out->value[1] = (uint32_t)(double_bits(x) >> 32);
}

OPS_SHORT _Float16 ops_bitcast_i16_to_f16(uint16_t x)
{
    return bits_half(x);
}

OPS_SHORT uint16_t ops_bitcast_f16_to_i16(_Float16 x)
{
    return half_bits(x);
}

OPS_SHORT float ops_bitcast_i32_to_f32(uint32_t x)
{
    return bits_float(x);
}

OPS_SHORT uint32_t ops_bitcast_f32_to_i32(float x)
{
    return float_bits(x);
}

OPS_SHORT double ops_bitcast_i64_to_f64(uint64_t x)
{
    return bits_double(x);
}

OPS_SHORT uint64_t ops_bitcast_f64_to_i64(double x)
{
    return double_bits(x);
}

OPS_SHORT uint32_t ops_legacy_f32_to_f16(float x)
{
    return half_bits((_Float16)x);
}

OPS_SHORT float ops_legacy_f16_to_f32(uint32_t x)
{
    return (float)bits_half((uint16_t)x);
}

OPS_SHORT float ops_legacy_double_to_float(double x)
{
    return (float)x;
}

OPS_SHORT uint32_t ops_legacy_double_to_sint32(double x)
{
    return ops_fptosi_f64_i32(x);
}

OPS_SHORT uint32_t ops_legacy_double_to_uint32(double x)
{
    return ops_fptoui_f64_i32(x);
}
