/* SPDX-License-Identifier: MIT
 * Attributes and bit casts for the files that are also compiled to bitcode (bitcode/unity.c). */
#ifndef CDXR_OPS_INLINE_H
#define CDXR_OPS_INLINE_H

#include <stdint.h>

/* Short functions, and all that take or return types narrower than 32 bits (their extension attributes would have to
 * be repeated at each call otherwise), vanish into the shader. */
#ifdef OPS_BITCODE
#define OPS_SHORT __attribute__((always_inline))
#else
#define OPS_SHORT
#endif
#define OPS_HELPER static inline __attribute__((always_inline))

OPS_HELPER uint32_t float_bits(float x)
{
    union {
        float f;
        uint32_t u;
    } pun = {x};
    return pun.u;
}

OPS_HELPER float bits_float(uint32_t x)
{
    union {
        uint32_t u;
        float f;
    } pun = {x};
    return pun.f;
}

OPS_HELPER uint64_t double_bits(double x)
{
    union {
        double d;
        uint64_t u;
    } pun = {x};
    return pun.u;
}

OPS_HELPER double bits_double(uint64_t x)
{
    union {
        uint64_t u;
        double d;
    } pun = {x};
    return pun.d;
}

OPS_HELPER uint16_t half_bits(_Float16 x)
{
    union {
        _Float16 h;
        uint16_t u;
    } pun = {x};
    return pun.u;
}

OPS_HELPER _Float16 bits_half(uint16_t x)
{
    union {
        uint16_t u;
        _Float16 h;
    } pun = {x};
    return pun.h;
}

#endif
