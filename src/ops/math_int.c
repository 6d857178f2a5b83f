/* SPDX-License-Identifier: MIT
 * Integer, bit and packing operations of all widths (ops/math.h). Compiled natively and to bitcode. */
#include "ops/inline.h"
#include "ops/math.h"

OPS_HELPER uint64_t reverse_bits(uint64_t x, uint32_t width)
{
    x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
    x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(x) >> (64 - width);
}

/* All operations of one width. U, S: unsigned and signed type; W: bits. */
#define INTEGER_OPS(suffix, U, S, W)                                                                          \
    OPS_SHORT U ops_bfrev_##suffix(U x)                                                                       \
    {                                                                                                         \
        return (U)reverse_bits(x, W);                                                                         \
    }                                                                                                         \
    OPS_SHORT uint32_t ops_countbits_##suffix(U x)                                                            \
    {                                                                                                         \
        return (uint32_t)__builtin_popcountll(x);                                                             \
    }                                                                                                         \
    OPS_SHORT uint32_t ops_firstbit_lo_##suffix(U x)                                                          \
    {                                                                                                         \
        return x ? (uint32_t)__builtin_ctzll(x) : 0xffffffffu;                                                \
    }                                                                                                         \
    OPS_SHORT uint32_t ops_firstbit_hi_##suffix(U x)                                                          \
    {                                                                                                         \
        return x ? (uint32_t)__builtin_clzll(x) - (64 - W) : 0xffffffffu;                                     \
    }                                                                                                         \
    OPS_SHORT uint32_t ops_firstbit_shi_##suffix(U x)                                                         \
    {                                                                                                         \
        return ops_firstbit_hi_##suffix((S)x < 0 ? (U)~x : x);                                                \
    }                                                                                                         \
    OPS_SHORT U ops_imax_##suffix(U a, U b)                                                                   \
    {                                                                                                         \
        return (S)a > (S)b ? a : b;                                                                           \
    }                                                                                                         \
    OPS_SHORT U ops_imin_##suffix(U a, U b)                                                                   \
    {                                                                                                         \
        return (S)a < (S)b ? a : b;                                                                           \
    }                                                                                                         \
    OPS_SHORT U ops_umax_##suffix(U a, U b)                                                                   \
    {                                                                                                         \
        return a > b ? a : b;                                                                                 \
    }                                                                                                         \
    OPS_SHORT U ops_umin_##suffix(U a, U b)                                                                   \
    {                                                                                                         \
        return a < b ? a : b;                                                                                 \
    }                                                                                                         \
    OPS_SHORT U ops_imad_##suffix(U a, U b, U c)                                                              \
    {                                                                                                         \
        return (U)((uint64_t)a * b + c);                                                                      \
    }                                                                                                         \
    OPS_SHORT U ops_umad_##suffix(U a, U b, U c)                                                              \
    {                                                                                                         \
        return (U)((uint64_t)a * b + c);                                                                      \
    }                                                                                                         \
    OPS_SHORT U ops_udiv_inst_##suffix(U a, U b)                                                              \
    {                                                                                                         \
        return b ? a / b : (U) ~(U)0;                                                                         \
    }                                                                                                         \
    OPS_SHORT U ops_urem_inst_##suffix(U a, U b)                                                              \
    {                                                                                                         \
        return b ? a % b : (U) ~(U)0;                                                                         \
    }                                                                                                         \
    OPS_SHORT U ops_sdiv_inst_##suffix(U a, U b)                                                              \
    {                                                                                                         \
        if (b == 0)                                                                                           \
            return (U) ~(U)0;                                                                                 \
        return b == (U) ~(U)0 ? (U)(0 - a) : (U)((S)a / (S)b);                                                \
    }                                                                                                         \
    OPS_SHORT U ops_srem_inst_##suffix(U a, U b)                                                              \
    {                                                                                                         \
        if (b == 0)                                                                                           \
            return a;                                                                                         \
        return b == (U) ~(U)0 ? (U)0 : (U)((S)a % (S)b);                                                      \
    }

INTEGER_OPS(i16, uint16_t, int16_t, 16)
INTEGER_OPS(i32, uint32_t, int32_t, 32)
INTEGER_OPS(i64, uint64_t, int64_t, 64)

OPS_SHORT void ops_imul_i32(uint32_t a, uint32_t b, struct ops_two_u32 *out)
{
    uint64_t product = (uint64_t)((int64_t)(int32_t)a * (int32_t)b);
    out->value[0] = (uint32_t)(product >> 32);
    out->value[1] = (uint32_t)product;
}

OPS_SHORT void ops_umul_i32(uint32_t a, uint32_t b, struct ops_two_u32 *out)
{
    uint64_t product = (uint64_t)a * b;
    out->value[0] = (uint32_t)(product >> 32);
    out->value[1] = (uint32_t)product;
}

OPS_SHORT void ops_udiv_i32(uint32_t a, uint32_t b, struct ops_two_u32 *out)
{
    out->value[0] = b ? a / b : 0xffffffffu;
    out->value[1] = b ? a % b : 0xffffffffu;
}

OPS_SHORT void ops_uaddc_i32(uint32_t a, uint32_t b, struct ops_carry *out)
{
    out->value = a + b;
    out->carry = a + b < a;
}

OPS_SHORT void ops_usubb_i32(uint32_t a, uint32_t b, struct ops_carry *out)
{
    out->value = a - b;
    out->carry = a < b;
}

OPS_SHORT uint32_t ops_msad_i32(uint32_t a, uint32_t b, uint32_t c)
{
    for (uint32_t shift = 0; shift < 32; shift += 8) {
        uint32_t reference = a >> shift & 0xff, source = b >> shift & 0xff;
        uint32_t difference = reference > source ? reference - source : source - reference;
        c += reference ? difference : 0;
    }
    return c;
}

OPS_SHORT uint32_t ops_ibfe_i32(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t width = a & 31, offset = b & 31;
    if (width == 0)
        return 0;
    if (width + offset >= 32)
        return (uint32_t)((int32_t)c >> offset);
    return (uint32_t)((int32_t)(c << (32 - width - offset)) >> (32 - width));
}

OPS_SHORT uint32_t ops_ubfe_i32(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t width = a & 31, offset = b & 31;
    return c >> offset & ((1u << width) - 1);
}

OPS_SHORT uint32_t ops_bfi_i32(uint32_t width, uint32_t offset, uint32_t value, uint32_t replaced)
{
    uint32_t mask = ((1u << (width & 31)) - 1) << (offset & 31);
    return (value << (offset & 31) & mask) | (replaced & ~mask);
}

OPS_SHORT uint32_t ops_dot4_add_i8_packed_i32(uint32_t accumulator, uint32_t a, uint32_t b)
{
    for (uint32_t shift = 0; shift < 32; shift += 8)
        accumulator += (uint32_t)((int32_t)(int8_t)(a >> shift) * (int8_t)(b >> shift));
    return accumulator;
}

OPS_SHORT uint32_t ops_dot4_add_u8_packed_i32(uint32_t accumulator, uint32_t a, uint32_t b)
{
    for (uint32_t shift = 0; shift < 32; shift += 8)
        accumulator += (a >> shift & 0xff) * (b >> shift & 0xff);
    return accumulator;
}

OPS_SHORT void ops_unpack4x8_i32(uint8_t mode, uint32_t packed, struct ops_four_u32 *out)
{
    for (uint32_t i = 0; i < 4; i++)
        out->value[i] = mode ? (uint32_t)(int8_t)(packed >> 8 * i) : packed >> 8 * i & 0xff;
}

OPS_SHORT void ops_unpack4x8_i16(uint8_t mode, uint32_t packed, struct ops_four_u16 *out)
{
    for (uint32_t i = 0; i < 4; i++)
        out->value[i] = mode ? (uint16_t)(int8_t)(packed >> 8 * i) : (uint16_t)(packed >> 8 * i & 0xff);
}

OPS_HELPER uint32_t pack_byte(uint8_t mode, int32_t x)
{
    int32_t low = mode == 1 ? 0 : -128, high = mode == 1 ? 255 : 127;
    int32_t clamped = x < low ? low : x > high ? high : x;
    return (uint32_t)(mode ? clamped : x) & 0xff;
}

OPS_SHORT uint32_t ops_pack4x8_i32(uint8_t mode, uint32_t x, uint32_t y, uint32_t z, uint32_t w)
{
    return pack_byte(mode, (int32_t)x) | pack_byte(mode, (int32_t)y) << 8 | pack_byte(mode, (int32_t)z) << 16 |
           pack_byte(mode, (int32_t)w) << 24;
}

OPS_SHORT uint32_t ops_pack4x8_i16(uint8_t mode, uint16_t x, uint16_t y, uint16_t z, uint16_t w)
{
    return ops_pack4x8_i32(mode, (uint32_t)(int16_t)x, (uint32_t)(int16_t)y, (uint32_t)(int16_t)z, (uint32_t)(int16_t)w);
}

OPS_SHORT bool ops_check_access_fully_mapped_i32(uint32_t status)
{
    return status != OPS_STATUS_NOT_MAPPED;
}
