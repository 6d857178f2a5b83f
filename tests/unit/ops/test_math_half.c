/* SPDX-License-Identifier: MIT
 * Unary half operations for every half value against long double libm: at most 0.51 units in the last place of half. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/half.h"
#include "base/status.h"
#include "ops/math.h"

static long double rsqrt_exact(long double x)
{
    return 1.0L / sqrtl(x);
}

static long double saturate_exact(long double x)
{
    return x > 0.0L ? (x < 1.0L ? x : 1.0L) : 0.0L;
}

static long double fraction_exact(long double x)
{
    return x - floorl(x);
}

struct half_unary {
    const char *name;
    _Float16 (*function)(_Float16);
    long double (*exact)(long double);
    double limit_ulp;
};
static const struct half_unary half_unaries[] = {
    {"fabs", ops_fabs_f16, fabsl, 0.0},         {"saturate", ops_saturate_f16, saturate_exact, 0.0},
    {"cos", ops_cos_f16, cosl, 0.51},           {"sin", ops_sin_f16, sinl, 0.51},
    {"tan", ops_tan_f16, tanl, 0.51},           {"acos", ops_acos_f16, acosl, 0.51},
    {"asin", ops_asin_f16, asinl, 0.51},        {"atan", ops_atan_f16, atanl, 0.51},
    {"hcos", ops_hcos_f16, coshl, 0.51},        {"hsin", ops_hsin_f16, sinhl, 0.51},
    {"htan", ops_htan_f16, tanhl, 0.51},        {"exp", ops_exp_f16, exp2l, 0.51},
    {"frc", ops_frc_f16, fraction_exact, 0.51}, {"log", ops_log_f16, log2l, 0.51},
    {"sqrt", ops_sqrt_f16, sqrtl, 0.51},        {"rsqrt", ops_rsqrt_f16, rsqrt_exact, 0.51},
    {"round_ne", ops_round_ne_f16, rintl, 0.0}, {"round_ni", ops_round_ni_f16, floorl, 0.0},
    {"round_pi", ops_round_pi_f16, ceill, 0.0}, {"round_z", ops_round_z_f16, truncl, 0.0},
};

static double ulp_error(float got, long double exact)
{
    if (isnan(got) || isnan(exact))
        return isnan(got) && isnan(exact) ? 0.0 : INFINITY;
    if (isinf(got))
        return fabsl(exact) >= 65520.0L && (got > 0.0f) == (exact > 0.0L) ? 0.0 : INFINITY;
    int exponent;
    frexpl(exact, &exponent);
    return (double)(fabsl(got - exact) / ldexpl(1.0L, (exponent < -13 ? -13 : exponent) - 11));
}

static void test_every_half(void **state)
{
    for (size_t c = 0; c < ARRAY_COUNT(half_unaries); c++) {
        const struct half_unary *test = &half_unaries[c];
        for (uint32_t bits = 0; bits < 0x10000; bits++) {
            _Float16 x = ops_bitcast_i16_to_f16((uint16_t)bits);
            float wide = half_to_float((uint16_t)bits);
            long double exact = test->exact((long double)wide);
            if (isnan(wide))
                exact = test->exact == saturate_exact ? 0.0L : (long double)NAN;
            float got = (float)test->function(x);
            if (ulp_error(got, exact) > test->limit_ulp)
                fail_msg("%s(%g): got %.9g, want %.9Lg", test->name, wide, got, exact);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_half),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
