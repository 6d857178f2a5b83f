/* SPDX-License-Identifier: MIT
 * Float and double operations (ops/math.h). Compiled natively and to bitcode. */
#include "ops/inline.h"
#include "ops/math.h"
#include "ops/math_kernels.h"

/* One line per operation that is a kernel. */
#define FLOAT_UNARY(name, expression)                                                                         \
    OPS_SHORT float ops_##name##_f32(float x)                                                                 \
    {                                                                                                         \
        return expression;                                                                                    \
    }

FLOAT_UNARY(fabs, __builtin_fabsf(x))
FLOAT_UNARY(saturate, x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f)
FLOAT_UNARY(frc, x - __builtin_floorf(x))
FLOAT_UNARY(sqrt, __builtin_sqrtf(x))
FLOAT_UNARY(rsqrt, (float)(1.0 / __builtin_sqrt((double)x))) /* in float the error would exceed 1 ULP */
FLOAT_UNARY(round_ne, __builtin_roundevenf(x))
FLOAT_UNARY(round_ni, __builtin_floorf(x))
FLOAT_UNARY(round_pi, __builtin_ceilf(x))
FLOAT_UNARY(round_z, __builtin_truncf(x))
FLOAT_UNARY(flush, (float_bits(x) & 0x7f800000) ? x : bits_float(float_bits(x) & 0x80000000))

/* Long enough that LLVM should decide about inlining. */
#define FLOAT_LONG(name, kernel)                                                                              \
    float ops_##name##_f32(float x)                                                                           \
    {                                                                                                         \
        return kernel(x);                                                                                     \
    }

FLOAT_LONG(cos, kernel_cosf)
FLOAT_LONG(sin, kernel_sinf)
FLOAT_LONG(tan, kernel_tanf)
FLOAT_LONG(acos, kernel_acosf)
FLOAT_LONG(asin, kernel_asinf)
FLOAT_LONG(atan, kernel_atanf)
FLOAT_LONG(hcos, kernel_coshf)
FLOAT_LONG(hsin, kernel_sinhf)
FLOAT_LONG(htan, kernel_tanhf)
FLOAT_LONG(exp, kernel_exp2f)
FLOAT_LONG(log, kernel_log2f)

OPS_SHORT bool ops_is_nan_f32(float x)
{
    return x != x;
}

OPS_SHORT bool ops_is_inf_f32(float x)
{
    return (float_bits(x) & 0x7fffffff) == 0x7f800000;
}

OPS_SHORT bool ops_is_finite_f32(float x)
{
    return (float_bits(x) & 0x7f800000) != 0x7f800000;
}

OPS_SHORT bool ops_is_normal_f32(float x)
{
    return (float_bits(x) & 0x7f800000) - 0x00800000 < 0x7f000000;
}

/* The form maps to one maxss and a blend; NaN in a gives b, NaN in b gives a. */
OPS_SHORT float ops_fmax_f32(float a, float b)
{
    float larger = a > b ? a : b;
    return b != b ? a : larger;
}

OPS_SHORT float ops_fmin_f32(float a, float b)
{
    float smaller = a < b ? a : b;
    return b != b ? a : smaller;
}

OPS_SHORT float ops_fmad_f32(float a, float b, float c)
{
    return a * b + c;
}

OPS_SHORT float ops_dot2_f32(float ax, float ay, float bx, float by)
{
    return __builtin_fmaf(ay, by, ax * bx);
}

OPS_SHORT float ops_dot3_f32(float ax, float ay, float az, float bx, float by, float bz)
{
    return __builtin_fmaf(az, bz, __builtin_fmaf(ay, by, ax * bx));
}

OPS_SHORT float ops_dot4_f32(float ax, float ay, float az, float aw, float bx, float by, float bz, float bw)
{
    return (float)((double)ax * bx + (double)ay * by + (double)az * bz + (double)aw * bw);
}

float ops_fdot_f32(const float *a, const float *b, uint32_t count)
{
    double sum = (double)a[0] * b[0];
    for (uint32_t i = 1; i < count; i++)
        sum += (double)a[i] * b[i];
    return (float)sum;
}

OPS_SHORT float ops_dot2_add_half_f32(float accumulator, _Float16 ax, _Float16 ay, _Float16 bx, _Float16 by)
{
    return accumulator + (float)ax * (float)bx + (float)ay * (float)by;
}

OPS_SHORT double ops_fabs_f64(double x)
{
    return __builtin_fabs(x);
}

OPS_SHORT double ops_saturate_f64(double x)
{
    return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
}

OPS_SHORT bool ops_is_nan_f64(double x)
{
    return x != x;
}

OPS_SHORT bool ops_is_inf_f64(double x)
{
    return (double_bits(x) & 0x7fffffffffffffff) == 0x7ff0000000000000;
}

OPS_SHORT bool ops_is_finite_f64(double x)
{
    return (double_bits(x) & 0x7ff0000000000000) != 0x7ff0000000000000;
}

OPS_SHORT bool ops_is_normal_f64(double x)
{
    return (double_bits(x) & 0x7ff0000000000000) - 0x0010000000000000 < 0x7fe0000000000000;
}

OPS_SHORT double ops_fmax_f64(double a, double b)
{
    double larger = a > b ? a : b;
    return b != b ? a : larger;
}

OPS_SHORT double ops_fmin_f64(double a, double b)
{
    double smaller = a < b ? a : b;
    return b != b ? a : smaller;
}

OPS_SHORT double ops_fmad_f64(double a, double b, double c)
{
    return a * b + c;
}

OPS_SHORT double ops_fma_f64(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
