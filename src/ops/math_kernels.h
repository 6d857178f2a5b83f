/* SPDX-License-Identifier: MIT
 * Transcendental functions of float arguments, computed in double with polynomials whose relative error is below
 * 2^-34, so that the float result is within 1 ULP (nearly always the nearest). Coefficients: Chebyshev fits of
 * the named function over the named interval. Used by math_float.c and math_half.c. */
#ifndef CDXR_OPS_MATH_KERNELS_H
#define CDXR_OPS_MATH_KERNELS_H

#include "ops/inline.h"

#define OPS_INFINITY bits_float(0x7f800000)
#define OPS_NAN bits_float(0x7fc00000)

/* Adding and subtracting it rounds a double below 2^51 to the nearest integer, which stands in the low bits. */
#define OPS_ROUNDER 0x1.8p52

OPS_HELPER double polynomial_5(double z, double c0, double c1, double c2, double c3, double c4)
{
    double z2 = z * z;
    return (c0 + c1 * z) + z2 * ((c2 + c3 * z) + z2 * c4);
}

/* sin(r) and cos(r), |r| <= pi/4 */
OPS_HELPER double kernel_sin(double r)
{
    double z = r * r;
    return r * polynomial_5(z, 0.9999999999956688, -0.16666666631563162, 0.008333328779736226, -0.00019839201388559692,
                            2.717338055746829e-06);
}

OPS_HELPER double kernel_cos(double r)
{
    return polynomial_5(r * r, 0.999999999952442, -0.49999999614550283, 0.041666616662651895, -0.0013886617095704495,
                        2.4379747535470243e-05);
}

/* x = quadrant * pi/2 + result for 2^20 <= x < infinity: the product with 2/pi modulo 4 in integers (Payne, Hanek). */
static __attribute__((noinline)) double kernel_reduce_large(uint32_t bits, uint32_t *quadrant)
{
    static const uint32_t two_over_pi[] = {0, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
    uint32_t mantissa = (bits & 0x7fffff) | 0x800000;
    int32_t exponent = (int32_t)(bits >> 23 & 255) - 150;
    /* Bits of 2/pi that count more than 4 when multiplied by 2^exponent do not matter; 96 bits after them do. */
    uint32_t start = (uint32_t)(exponent + 30);
    uint32_t word = start >> 5, shift = start & 31;
    unsigned __int128 window = (unsigned __int128)two_over_pi[word] << 96 | (unsigned __int128)two_over_pi[word + 1] << 64 |
                               (uint64_t)two_over_pi[word + 2] << 32 | two_over_pi[word + 3];
    window = (window << shift) >> 32;
    unsigned __int128 product = window * mantissa; /* in units of 2^-94 quadrants */
    unsigned __int128 half = (unsigned __int128)1 << 93;
    *quadrant = (uint32_t)((product + half) >> 94) & 3;
    /* In units of 2^-62 modulo 4; less the nearest quadrant it is between -1/2 and 1/2. */
    int64_t fraction = (int64_t)((uint64_t)(product >> 32) - ((uint64_t)*quadrant << 62));
    return (double)fraction * 0x1p-62 * 1.5707963267948966;
}

/* |x| = n * pi/2 + *r, |*r| <= pi/4 (a little more by rounding); result n modulo 4. NaN and infinity: *r is NaN. */
OPS_HELPER uint32_t kernel_reduce(float x, double *r)
{
    uint32_t bits = float_bits(x) & 0x7fffffff;
    double a = bits_float(bits);
    if (__builtin_expect(bits >= 0x49800000, 0)) {
        uint32_t quadrant = 0;
        *r = bits >= 0x7f800000 ? (double)OPS_NAN : kernel_reduce_large(bits, &quadrant);
        return quadrant;
    }
    double shifted = a * 0x1.45f306dc9c883p-1 + OPS_ROUNDER;
    double n = shifted - OPS_ROUNDER;
    *r = (a - n * 0x1.921fb544p+0) - n * 0x1.0b4611a626331p-34;
    return (uint32_t)double_bits(shifted);
}

OPS_HELPER float kernel_sinf(float x)
{
    double r;
    uint32_t n = kernel_reduce(x, &r);
    double s = kernel_sin(r), c = kernel_cos(r);
    float value = (float)(n & 1 ? c : s);
    return bits_float(float_bits(value) ^ ((n & 2) << 30) ^ (float_bits(x) & 0x80000000));
}

OPS_HELPER float kernel_cosf(float x)
{
    double r;
    uint32_t n = kernel_reduce(x, &r);
    double s = kernel_sin(r), c = kernel_cos(r);
    float value = (float)(n & 1 ? s : c);
    return bits_float(float_bits(value) ^ ((n + 1) & 2) << 30);
}

OPS_HELPER float kernel_tanf(float x)
{
    double r;
    uint32_t n = kernel_reduce(x, &r);
    double s = kernel_sin(r), c = kernel_cos(r);
    float value = (float)(n & 1 ? -c / s : s / c);
    return bits_float(float_bits(value) ^ (float_bits(x) & 0x80000000));
}

/* 2^x for |x| < 1000 */
OPS_HELPER double kernel_exp2(double x)
{
    double shifted = x + OPS_ROUNDER;
    double f = x - (shifted - OPS_ROUNDER);
    double f2 = f * f, f4 = f2 * f2;
    double low = (0.999999999959497 + 0.6931471805568274 * f) + f2 * (0.24022651214120053 + 0.05550410906373737 * f);
    double high = (0.009618025530398209 + 0.0013333478409865399 * f) +
                  f2 * (0.00015469755744925822 + 1.5303721130801367e-05 * f);
    double scale = bits_double((double_bits(shifted) + 1023) << 52);
    return (low + f4 * high) * scale;
}

OPS_HELPER float kernel_exp2f(float x)
{
    double a = x;
    a = a < 130.0 ? a : 130.0;
    a = a > -160.0 ? a : -160.0;
    float value = (float)kernel_exp2(a);
    return x != x ? x : value;
}

/* log2 of a positive, finite double that came from a float */
OPS_HELPER double kernel_log2(double a)
{
    uint64_t bits = double_bits(a);
    /* m in [sqrt(1/2), sqrt(2)) */
    uint64_t shifted = bits - 0x3fe6a09e667f3bcdull;
    int32_t exponent = (int32_t)((int64_t)shifted >> 52);
    double m = bits_double(bits - ((shifted >> 52) << 52));
    double s = (m - 1.0) / (m + 1.0);
    double p = polynomial_5(s * s, 2.88539008179011, 0.961796673284573, 0.577083600061585, 0.41167160620240695,
                            0.34075396761187643);
    return exponent + s * p;
}

OPS_HELPER float kernel_log2f(float x)
{
    float value = (float)kernel_log2((double)x);
    if (__builtin_expect(!(x > 0.0f && x < OPS_INFINITY), 0))
        value = x == 0.0f ? -OPS_INFINITY : x > 0.0f ? x : OPS_NAN;
    return value;
}

/* asin(x) for 0 <= x <= 1/2 */
OPS_HELPER double kernel_asin_small(double x)
{
    double z = x * x, z2 = z * z, z4 = z2 * z2;
    double low = (0.9999999999863043 + 0.16666667366429844 * z) + z2 * (0.07499941745425001 + 0.04466118325586939 * z);
    double high = (0.03010195032607909 + 0.024654446783243526 * z) + z2 * (0.00738965262637267 + 0.03476246242227901 * z);
    return x * (low + z4 * high);
}

OPS_HELPER float kernel_asinf(float x)
{
    double a = bits_float(float_bits(x) & 0x7fffffff);
    bool large = a > 0.5;
    double s = kernel_asin_small(large ? __builtin_sqrt((1.0 - a) * 0.5) : a);
    float value = (float)(large ? 1.5707963267948966 - 2.0 * s : s);
    return bits_float(float_bits(value) | (float_bits(x) & 0x80000000));
}

OPS_HELPER float kernel_acosf(float x)
{
    double a = bits_float(float_bits(x) & 0x7fffffff);
    bool large = a > 0.5;
    double s = kernel_asin_small(large ? __builtin_sqrt((1.0 - a) * 0.5) : a);
    if (large)
        return (float)(x < 0.0f ? 3.141592653589793 - 2.0 * s : 2.0 * s);
    return (float)(1.5707963267948966 - (x < 0.0f ? -s : s));
}

OPS_HELPER float kernel_atanf(float x)
{
    double a = bits_float(float_bits(x) & 0x7fffffff);
    bool middle = a > 0.4142135623730950, high = a > 2.414213562373095;
    double numerator = high ? -1.0 : middle ? a - 1.0 : a;
    double denominator = high ? a : middle ? a + 1.0 : 1.0;
    double base = high ? 1.5707963267948966 : middle ? 0.7853981633974483 : 0.0;
    double t = numerator / denominator, z = t * t;
    double p = polynomial_5(z, 0.9999999999781151, -0.3333333208387739, 0.19999882798604635, -0.14281559378657047,
                            0.11040124194899133 + z * (-0.08454122605181413 + z * 0.047029785942189456));
    float value = (float)(base + t * p);
    return bits_float(float_bits(value) | (float_bits(x) & 0x80000000));
}

/* e^x for finite float x, clamped where float overflows or vanishes */
OPS_HELPER double kernel_exp(double x)
{
    x = x < 120.0 ? x : 120.0;
    x = x > -120.0 ? x : -120.0;
    return kernel_exp2(x * 1.4426950408889634);
}

OPS_HELPER double kernel_sinh_small(double x)
{
    double z = x * x;
    return x * polynomial_5(z, 1.00000000004997, 0.16666666417098025, 0.008333353265495955, 0.00019835702681552926,
                            2.8190827411474153e-06);
}

OPS_HELPER float kernel_coshf(float x)
{
    double e = kernel_exp(x);
    float value = (float)(0.5 * (e + 1.0 / e));
    return x != x ? x : value;
}

OPS_HELPER float kernel_sinhf(float x)
{
    double e = kernel_exp(x);
    double value = 0.5 * (e - 1.0 / e);
    double small = kernel_sinh_small(x);
    return x > -1.0f && x < 1.0f ? (float)small : x != x ? x : (float)value;
}

OPS_HELPER float kernel_tanhf(float x)
{
    double a = x;
    a = a < 20.0 ? a : 20.0;
    a = a > -20.0 ? a : -20.0;
    double e = kernel_exp(a), inverse = 1.0 / e;
    double numerator = a > -1.0 && a < 1.0 ? 2.0 * kernel_sinh_small(a) : e - inverse;
    return x != x ? x : (float)(numerator / (e + inverse));
}

#endif
