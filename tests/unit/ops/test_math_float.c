/* SPDX-License-Identifier: MIT
 * Transcendental float operations against long double libm over dense and special arguments, with the error limits that
 * ops/math.h states (the D3D11.3 functional specification allows more). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"
#include "ops/math.h"

static float from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

/* Distance to the exact value in units of the last place of the float next to it. */
static double ulp_error(float got, long double exact)
{
    if (isnan(got) || isnan(exact))
        return isnan(got) && isnan(exact) ? 0.0 : INFINITY;
    if (isinf(got))
        return fabsl(exact) >= 0x1.ffffffp127L && (got > 0) == (exact > 0) ? 0.0 : INFINITY;
    int exponent;
    frexpl(exact, &exponent);
    long double unit = ldexpl(1.0L, (exponent < -125 ? -125 : exponent) - 24);
    return (double)(fabsl((long double)got - exact) / unit);
}

static long double rsqrt_exact(long double x)
{
    return 1.0L / sqrtl(x);
}

struct unary_case {
    const char *name;
    float (*function)(float);
    long double (*exact)(long double);
    double limit_ulp;
    float low, high; /* dense interval */
};

static const struct unary_case unary_cases[] = {
    {"sin", ops_sin_f32, sinl, 0.51, -400.0f, 400.0f},
    {"sin far", ops_sin_f32, sinl, 0.51, 1e5f, 3e38f},
    {"cos", ops_cos_f32, cosl, 0.51, -400.0f, 400.0f},
    {"cos far", ops_cos_f32, cosl, 0.51, 1e5f, 3e38f},
    {"tan", ops_tan_f32, tanl, 0.51, -400.0f, 400.0f},
    {"asin", ops_asin_f32, asinl, 0.51, -1.0f, 1.0f},
    {"acos", ops_acos_f32, acosl, 0.51, -1.0f, 1.0f},
    {"atan", ops_atan_f32, atanl, 0.51, -50.0f, 50.0f},
    {"atan far", ops_atan_f32, atanl, 0.51, 1e3f, 3e38f},
    {"hcos", ops_hcos_f32, coshl, 0.51, -89.0f, 89.0f},
    {"hsin", ops_hsin_f32, sinhl, 0.51, -89.0f, 89.0f},
    {"htan", ops_htan_f32, tanhl, 0.51, -20.0f, 20.0f},
    {"exp", ops_exp_f32, exp2l, 0.51, -149.0f, 127.9f},
    {"log", ops_log_f32, log2l, 0.51, 1e-3f, 1e3f},
    {"log far", ops_log_f32, log2l, 0.51, 1e-38f, 3e38f},
    {"sqrt", ops_sqrt_f32, sqrtl, 0.5, 0.0f, 1e6f},
    {"rsqrt", ops_rsqrt_f32, rsqrt_exact, 0.51, 1e-6f, 1e6f},
};

static void test_unary_errors(void **state)
{
    for (size_t c = 0; c < ARRAY_COUNT(unary_cases); c++) {
        const struct unary_case *test = &unary_cases[c];
        double worst = 0.0;
        float worst_at = 0.0f;
        bool is_far = test->high > 1e30f;
        for (int i = 0; i <= 40000; i++) {
            double part = i / 40000.0;
            float x = is_far ? (float)(test->low * pow((double)test->high / test->low, part))
                             : (float)(test->low + ((double)test->high - test->low) * part);
            double error = ulp_error(test->function(x), test->exact((long double)x));
            if (error > worst) {
                worst = error;
                worst_at = x;
            }
        }
        if (worst > test->limit_ulp)
            fail_msg("%s: error %.3f ulp at %a, at most %.2f", test->name, worst, worst_at, test->limit_ulp);
    }
}

/* Exact or NaN results at special arguments. */
struct special_case {
    const char *name;
    float (*function)(float);
    uint32_t argument, result; /* bits; a NaN result stands for any NaN */
};
enum { PLUS_INF = 0x7f800000, MINUS_INF = 0xff800000u, QUIET_NAN = 0x7fc00000, ONE = 0x3f800000, MINUS_ONE = 0xbf800000u,
       MINUS_ZERO = 0x80000000u };

static const struct special_case special_cases[] = {
    {"saturate NaN", ops_saturate_f32, QUIET_NAN, 0},
    {"saturate inf", ops_saturate_f32, PLUS_INF, ONE},
    {"saturate -inf", ops_saturate_f32, MINUS_INF, 0},
    {"saturate 0.5", ops_saturate_f32, 0x3f000000, 0x3f000000},
    {"fabs -1", ops_fabs_f32, MINUS_ONE, ONE},
    {"sin inf", ops_sin_f32, PLUS_INF, QUIET_NAN},
    {"sin -0", ops_sin_f32, MINUS_ZERO, MINUS_ZERO},
    {"cos -inf", ops_cos_f32, MINUS_INF, QUIET_NAN},
    {"cos 0", ops_cos_f32, 0, ONE},
    {"tan NaN", ops_tan_f32, QUIET_NAN, QUIET_NAN},
    {"asin 2", ops_asin_f32, 0x40000000, QUIET_NAN},
    {"acos 1", ops_acos_f32, ONE, 0},
    {"acos -1", ops_acos_f32, MINUS_ONE, 0x40490fdb},
    {"acos NaN", ops_acos_f32, QUIET_NAN, QUIET_NAN},
    {"atan inf", ops_atan_f32, PLUS_INF, 0x3fc90fdb},
    {"atan -inf", ops_atan_f32, MINUS_INF, 0xbfc90fdb},
    {"atan NaN", ops_atan_f32, QUIET_NAN, QUIET_NAN},
    {"hcos inf", ops_hcos_f32, PLUS_INF, PLUS_INF},
    {"hcos -inf", ops_hcos_f32, MINUS_INF, PLUS_INF},
    {"hsin -inf", ops_hsin_f32, MINUS_INF, MINUS_INF},
    {"htan inf", ops_htan_f32, PLUS_INF, ONE},
    {"htan NaN", ops_htan_f32, QUIET_NAN, QUIET_NAN},
    {"exp 128", ops_exp_f32, 0x43000000, PLUS_INF},
    {"exp 10", ops_exp_f32, 0x41200000, 0x44800000},
    {"exp -inf", ops_exp_f32, MINUS_INF, 0},
    {"exp -149", ops_exp_f32, 0xc3150000, 1},
    {"exp NaN", ops_exp_f32, QUIET_NAN, QUIET_NAN},
    {"log 0", ops_log_f32, 0, MINUS_INF},
    {"log -0", ops_log_f32, MINUS_ZERO, MINUS_INF},
    {"log -1", ops_log_f32, MINUS_ONE, QUIET_NAN},
    {"log inf", ops_log_f32, PLUS_INF, PLUS_INF},
    {"log denormal 2^-149", ops_log_f32, 1, 0xc3150000},
    {"log 1", ops_log_f32, ONE, 0},
    {"sqrt -1", ops_sqrt_f32, MINUS_ONE, QUIET_NAN},
    {"rsqrt 0", ops_rsqrt_f32, 0, PLUS_INF},
    {"rsqrt -0", ops_rsqrt_f32, MINUS_ZERO, MINUS_INF},
    {"rsqrt inf", ops_rsqrt_f32, PLUS_INF, 0},
    {"round_ne 2.5", ops_round_ne_f32, 0x40200000, 0x40000000},
    {"round_ne 3.5", ops_round_ne_f32, 0x40600000, 0x40800000},
    {"round_ne -0.5", ops_round_ne_f32, 0xbf000000, MINUS_ZERO},
    {"round_ne 8388609", ops_round_ne_f32, 0x4b000001, 0x4b000001},
    {"round_ni -0.5", ops_round_ni_f32, 0xbf000000, MINUS_ONE},
    {"round_pi 0.5", ops_round_pi_f32, 0x3f000000, ONE},
    {"round_z -1.5", ops_round_z_f32, 0xbfc00000, MINUS_ONE},
    {"frc -0.25", ops_frc_f32, 0xbe800000, 0x3f400000},
    {"frc inf", ops_frc_f32, PLUS_INF, QUIET_NAN},
    {"flush denormal", ops_flush_f32, 0x807fffff, MINUS_ZERO},
    {"flush normal", ops_flush_f32, 0x00800000, 0x00800000},
    {"flush NaN", ops_flush_f32, QUIET_NAN, QUIET_NAN},
};

static void test_special_values(void **state)
{
    for (size_t c = 0; c < ARRAY_COUNT(special_cases); c++) {
        const struct special_case *test = &special_cases[c];
        float got = test->function(from_bits(test->argument)), want = from_bits(test->result);
        bool same = isnan(want) ? isnan(got) : memcmp(&got, &want, 4) == 0;
        if (!same)
            fail_msg("%s: got %a, want %a", test->name, got, want);
    }
}

struct class_case {
    const char *name;
    uint32_t bits;
    bool is_nan, is_inf, is_finite, is_normal;
};
static const struct class_case class_cases[] = {
    {"0", 0, false, false, true, false},
    {"-0", MINUS_ZERO, false, false, true, false},
    {"denormal", 0x007fffff, false, false, true, false},
    {"smallest normal", 0x00800000, false, false, true, true},
    {"largest", 0x7f7fffff, false, false, true, true},
    {"-1", MINUS_ONE, false, false, true, true},
    {"inf", PLUS_INF, false, true, false, false},
    {"-inf", MINUS_INF, false, true, false, false},
    {"NaN", QUIET_NAN, true, false, false, false},
    {"signalling NaN", 0x7f800001, true, false, false, false},
};

static void test_classes(void **state)
{
    for (size_t c = 0; c < ARRAY_COUNT(class_cases); c++) {
        const struct class_case *test = &class_cases[c];
        float x = from_bits(test->bits);
        if (ops_is_nan_f32(x) != test->is_nan || ops_is_inf_f32(x) != test->is_inf ||
            ops_is_finite_f32(x) != test->is_finite || ops_is_normal_f32(x) != test->is_normal)
            fail_msg("%s: wrong class", test->name);
    }
}

static void test_min_max_take_the_number(void **state)
{
    float nan = from_bits(QUIET_NAN), inf = INFINITY;
    assert_true(ops_fmax_f32(nan, 1.0f) == 1.0f && ops_fmax_f32(1.0f, nan) == 1.0f);
    assert_true(ops_fmin_f32(nan, 1.0f) == 1.0f && ops_fmin_f32(1.0f, nan) == 1.0f);
    assert_true(isnan(ops_fmax_f32(nan, nan)) && isnan(ops_fmin_f32(nan, nan)));
    assert_true(ops_fmax_f32(-inf, nan) == -inf && ops_fmin_f32(inf, nan) == inf);
    assert_true(ops_fmax_f64(NAN, 1.0) == 1.0 && ops_fmin_f64(1.0, NAN) == 1.0);
    assert_true(ops_fmax_f32(2.0f, 3.0f) == 3.0f && ops_fmin_f32(2.0f, 3.0f) == 2.0f);
}

static void test_sums_have_the_written_order(void **state)
{
    /* In this order the large terms cancel first. */
    assert_true(ops_dot3_f32(1e8f, -1e8f, 1.0f, 1.0f, 1.0f, 1.0f) == 1.0f);
    /* Four components: nothing is lost or overflows between. */
    assert_true(ops_dot4_f32(1.0f, 1e8f, -1e8f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f) == 2.0f);
    assert_true(ops_dot4_f32(3e38f, -2.0f, 0.5f, -3e38f, 2.0f, 0.5f, 1.0f, 1.0f) == 3e38f);
    const float a[4] = {1.0f, 1e8f, -1e8f, 1.0f}, b[4] = {1.0f, 1.0f, 1.0f, 1.0f};
    assert_true(ops_fdot_f32(a, b, 4) == 2.0f);
    /* fmad rounds twice, fma once. */
    double e = 0x1p-30, x = 1.0 + e;
    assert_true(ops_fma_f64(x, x, -1.0 - 2 * e) == 0x1p-60);
    assert_true(ops_fmad_f32(1.0f + 0x1p-12f, 1.0f + 0x1p-12f, -1.0f - 0x1p-11f) == 0.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unary_errors),
        cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_min_max_take_the_number),
        cmocka_unit_test(test_sums_have_the_written_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
