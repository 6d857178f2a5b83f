/* SPDX-License-Identifier: MIT
 * Half operations (ops/math.h): computed in float, rounded once. Every conversion is written out, because compilers
 * may keep _Float16 expressions in float. Compiled natively and to bitcode. */
#include "ops/inline.h"
#include "ops/math.h"
#include "ops/math_kernels.h"

#define HALF_UNARY(name)                                                                                      \
    OPS_SHORT _Float16 ops_##name##_f16(_Float16 x)                                                           \
    {                                                                                                         \
        return (_Float16)ops_##name##_f32((float)x);                                                          \
    }

HALF_UNARY(saturate)
HALF_UNARY(cos)
HALF_UNARY(sin)
HALF_UNARY(tan)
HALF_UNARY(acos)
HALF_UNARY(asin)
HALF_UNARY(atan)
HALF_UNARY(hcos)
HALF_UNARY(hsin)
HALF_UNARY(htan)
HALF_UNARY(exp)
HALF_UNARY(frc)
HALF_UNARY(log)
HALF_UNARY(sqrt)
HALF_UNARY(rsqrt)
HALF_UNARY(round_ne)
HALF_UNARY(round_ni)
HALF_UNARY(round_pi)
HALF_UNARY(round_z)

OPS_SHORT _Float16 ops_fabs_f16(_Float16 x)
{
    return bits_half(half_bits(x) & 0x7fff);
}

OPS_SHORT bool ops_is_nan_f16(_Float16 x)
{
    return (half_bits(x) & 0x7fff) > 0x7c00;
}

OPS_SHORT bool ops_is_inf_f16(_Float16 x)
{
    return (half_bits(x) & 0x7fff) == 0x7c00;
}

OPS_SHORT bool ops_is_finite_f16(_Float16 x)
{
    return (half_bits(x) & 0x7c00) != 0x7c00;
}

OPS_SHORT bool ops_is_normal_f16(_Float16 x)
{
    return ops_is_finite_f16(x) && (half_bits(x) & 0x7c00) != 0;
}

OPS_SHORT _Float16 ops_fmax_f16(_Float16 a, _Float16 b)
{
    return (_Float16)ops_fmax_f32((float)a, (float)b);
}

OPS_SHORT _Float16 ops_fmin_f16(_Float16 a, _Float16 b)
{
    return (_Float16)ops_fmin_f32((float)a, (float)b);
}

OPS_SHORT _Float16 ops_fmad_f16(_Float16 a, _Float16 b, _Float16 c)
{
    return (_Float16)((float)a * (float)b + (float)c);
}

OPS_SHORT _Float16 ops_dot2_f16(_Float16 ax, _Float16 ay, _Float16 bx, _Float16 by)
{
    return (_Float16)ops_dot2_f32((float)ax, (float)ay, (float)bx, (float)by);
}

OPS_SHORT _Float16 ops_dot3_f16(_Float16 ax, _Float16 ay, _Float16 az, _Float16 bx, _Float16 by, _Float16 bz)
{
    return (_Float16)ops_dot3_f32((float)ax, (float)ay, (float)az, (float)bx, (float)by, (float)bz);
}

OPS_SHORT _Float16 ops_dot4_f16(_Float16 ax, _Float16 ay, _Float16 az, _Float16 aw, _Float16 bx, _Float16 by,
                                _Float16 bz, _Float16 bw)
{
    return (_Float16)ops_dot4_f32((float)ax, (float)ay, (float)az, (float)aw, (float)bx, (float)by, (float)bz, (float)bw);
}

OPS_SHORT _Float16 ops_fdot_f16(const _Float16 *a, const _Float16 *b, uint32_t count)
{
    float sum = (float)a[0] * (float)b[0];
    for (uint32_t i = 1; i < count; i++)
        sum += (float)a[i] * (float)b[i];
    return (_Float16)sum;
}
