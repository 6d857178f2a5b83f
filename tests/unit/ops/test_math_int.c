/* SPDX-License-Identifier: MIT
 * Integer, bit, packing, conversion and half operations (ops/math.h) over tables of edge cases and against plain
 * formulas. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/half.h"
#include "base/status.h"
#include "ops/math.h"

struct one_operand {
    const char *name;
    uint32_t (*function)(uint32_t);
    uint32_t x, want;
};
static const struct one_operand one_operand_cases[] = {
    {"bfrev 1", ops_bfrev_i32, 1, 0x80000000},
    {"bfrev pattern", ops_bfrev_i32, 0x12345678, 0x1e6a2c48},
    {"countbits", ops_countbits_i32, 0xf0f0f0f1, 17},
    {"firstbit_lo 0", ops_firstbit_lo_i32, 0, 0xffffffff},
    {"firstbit_lo 8", ops_firstbit_lo_i32, 8, 3},
    {"firstbit_hi 0", ops_firstbit_hi_i32, 0, 0xffffffff},
    {"firstbit_hi 1", ops_firstbit_hi_i32, 1, 31},
    {"firstbit_hi top", ops_firstbit_hi_i32, 0x80000000, 0},
    {"firstbit_shi -1", ops_firstbit_shi_i32, 0xffffffff, 0xffffffff},
    {"firstbit_shi -2", ops_firstbit_shi_i32, 0xfffffffe, 31},
    {"firstbit_shi 0x40000000", ops_firstbit_shi_i32, 0x40000000, 1},
};

static void test_one_operand(void **state)
{
    for (size_t c = 0; c < ARRAY_COUNT(one_operand_cases); c++) {
        const struct one_operand *test = &one_operand_cases[c];
        if (test->function(test->x) != test->want)
            fail_msg("%s: got 0x%x, want 0x%x", test->name, test->function(test->x), test->want);
    }
}

static void test_other_widths(void **state)
{
    assert_int_equal(ops_bfrev_i16(1), 0x8000);
    assert_int_equal(ops_firstbit_hi_i16(1), 15);
    assert_int_equal(ops_firstbit_shi_i16(0xfffe), 15);
    assert_int_equal(ops_firstbit_shi_i16(0xffff), 0xffffffff);
    assert_int_equal(ops_countbits_i16(0xffff), 16);
    assert_true(ops_bfrev_i64(1) == 0x8000000000000000);
    assert_int_equal(ops_firstbit_hi_i64(1), 63);
    assert_int_equal(ops_countbits_i64(~0ull), 64);
    assert_int_equal(ops_firstbit_lo_i64(1ull << 40), 40);
    assert_int_equal(ops_imax_i16(0xffff, 1), 1);
    assert_int_equal(ops_umax_i16(0xffff, 1), 0xffff);
    assert_true(ops_imin_i64((uint64_t)-5, 3) == (uint64_t)-5);
    assert_int_equal(ops_imad_i16(0xffff, 3, 1), (uint16_t)-2);
}

struct field_case {
    uint32_t width, offset, value, unsigned_want, signed_want;
};
static const struct field_case field_cases[] = {
    {0, 5, 0xffffffff, 0, 0},
    {4, 4, 0x000000f0, 15, 0xffffffff},
    {4, 4, 0x00000070, 7, 7},
    {31, 1, 0xffffffff, 0x7fffffff, 0xffffffff},
    {8, 28, 0x70000000, 7, 7},
    {8, 28, 0x80000000, 8, 0xfffffff8},
    {36, 4, 0x000000f0, 15, 0xffffffff}, /* 5 bits count */
};

static void test_bit_fields(void **state)
{
    for (size_t c = 0; c < ARRAY_COUNT(field_cases); c++) {
        const struct field_case *test = &field_cases[c];
        assert_int_equal(ops_ubfe_i32(test->width, test->offset, test->value), test->unsigned_want);
        assert_int_equal(ops_ibfe_i32(test->width, test->offset, test->value), test->signed_want);
    }
    assert_int_equal(ops_bfi_i32(8, 4, 0xab, 0xffffffff), 0xfffffabf);
    assert_int_equal(ops_bfi_i32(0, 4, 0xab, 0x12345678), 0x12345678);
}

static void test_two_results(void **state)
{
    struct ops_two_u32 two;
    struct ops_carry carry;
    ops_umul_i32(0xffffffff, 0xffffffff, &two);
    assert_int_equal(two.value[0], 0xfffffffe);
    assert_int_equal(two.value[1], 1);
    ops_imul_i32(0xffffffff, 5, &two);
    assert_int_equal(two.value[0], 0xffffffff);
    assert_int_equal(two.value[1], 0xfffffffb);
    ops_udiv_i32(7, 2, &two);
    assert_int_equal(two.value[0], 3);
    assert_int_equal(two.value[1], 1);
    ops_udiv_i32(7, 0, &two);
    assert_int_equal(two.value[0], 0xffffffff);
    assert_int_equal(two.value[1], 0xffffffff);
    ops_uaddc_i32(0xffffffff, 2, &carry);
    assert_true(carry.value == 1 && carry.carry);
    ops_usubb_i32(1, 2, &carry);
    assert_true(carry.value == 0xffffffff && carry.carry);
    ops_usubb_i32(2, 2, &carry);
    assert_true(carry.value == 0 && !carry.carry);
}

static void test_division_instructions(void **state)
{
    assert_int_equal(ops_udiv_inst_i32(5, 0), 0xffffffff);
    assert_int_equal(ops_urem_inst_i32(5, 0), 0xffffffff);
    assert_int_equal(ops_sdiv_inst_i32(0x80000000, 0xffffffff), 0x80000000);
    assert_int_equal(ops_srem_inst_i32(0x80000000, 0xffffffff), 0);
    assert_int_equal(ops_sdiv_inst_i32((uint32_t)-7, 2), (uint32_t)-3);
    assert_int_equal(ops_srem_inst_i32((uint32_t)-7, 2), (uint32_t)-1);
    assert_int_equal(ops_sdiv_inst_i16(0x8000, 0xffff), 0x8000);
    assert_true(ops_sdiv_inst_i64(1ull << 63, ~0ull) == 1ull << 63);
    assert_true(ops_udiv_inst_i64(7, 0) == ~0ull);
}

static void test_sums_of_bytes(void **state)
{
    assert_int_equal(ops_msad_i32(0x01020304, 0x04030201, 10), 10 + 3 + 1 + 1 + 3);
    assert_int_equal(ops_msad_i32(0x00ff00ff, 0xffffffff, 1), 1);
    assert_int_equal(ops_dot4_add_i8_packed_i32(5, 0xff02fe01, 0x01020304), 5 + 4 - 6 + 4 - 1);
    assert_int_equal(ops_dot4_add_u8_packed_i32(5, 0xff000001, 0xff000002), 5 + 65025 + 2);
}

static void test_packing(void **state)
{
    struct ops_four_u32 four;
    struct ops_four_u16 short_four;
    ops_unpack4x8_i32(0, 0x80ff7f01, &four);
    assert_true(four.value[0] == 1 && four.value[1] == 0x7f && four.value[2] == 0xff && four.value[3] == 0x80);
    ops_unpack4x8_i32(1, 0x80ff7f01, &four);
    assert_true(four.value[2] == 0xffffffff && four.value[3] == 0xffffff80);
    ops_unpack4x8_i16(1, 0x80ff7f01, &short_four);
    assert_true(short_four.value[2] == 0xffff && short_four.value[1] == 0x7f);
    assert_int_equal(ops_pack4x8_i32(0, 0x101, 0x1ff, 3, 4), 0x0403ff01);
    assert_int_equal(ops_pack4x8_i32(1, (uint32_t)-5, 300, 3, 255), 0xff03ff00);
    assert_int_equal(ops_pack4x8_i32(2, (uint32_t)-500, 300, 3, (uint32_t)-1), 0xff037f80);
    assert_int_equal(ops_pack4x8_i16(2, (uint16_t)-500, 300, 3, (uint16_t)-1), 0xff037f80);
}

struct conversion_case {
    const char *name;
    double x;
    uint32_t signed_want, unsigned_want;
};
static const struct conversion_case conversion_cases[] = {
    {"NaN", NAN, 0, 0},
    {"inf", INFINITY, 0x7fffffff, 0xffffffff},
    {"-inf", -INFINITY, 0x80000000, 0},
    {"2^31", 0x1p31, 0x7fffffff, 0x80000000},
    {"-2^31", -0x1p31, 0x80000000, 0},
    {"2^32", 0x1p32, 0x7fffffff, 0xffffffff},
    {"-0.9", -0.9, 0, 0},
    {"-1.9", -1.9, 0xffffffff, 0},
    {"3.99", 3.99, 3, 3},
    {"denormal", 1e-40, 0, 0},
};

static void test_float_to_integer(void **state)
{
    for (size_t c = 0; c < ARRAY_COUNT(conversion_cases); c++) {
        const struct conversion_case *test = &conversion_cases[c];
        float x = (float)test->x;
        bool right = ops_fptosi_f32_i32(x) == test->signed_want && ops_fptoui_f32_i32(x) == test->unsigned_want &&
                     ops_fptosi_f64_i32(test->x) == test->signed_want &&
                     ops_legacy_double_to_sint32(test->x) == test->signed_want &&
                     ops_legacy_double_to_uint32(test->x) == test->unsigned_want;
        if (!right)
            fail_msg("%s: got %x %x", test->name, ops_fptosi_f32_i32(x), ops_fptoui_f32_i32(x));
    }
    assert_int_equal(ops_fptosi_f32_i16(40000.0f), 0x7fff);
    assert_int_equal(ops_fptoui_f32_i16(70000.0f), 0xffff);
    assert_true(ops_fptosi_f32_i64(1e30f) == INT64_MAX && ops_fptoui_f32_i64(1e30f) == UINT64_MAX);
    assert_int_equal(ops_fptosi_f16_i32((_Float16)-3.5f), (uint32_t)-3);
}

static void test_every_half_converts_both_ways(void **state)
{
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        float wide = ops_legacy_f16_to_f32(bits | 0xabcd0000);
        float portable = half_to_float((uint16_t)bits);
        bool is_nan = (bits & 0x7fff) > 0x7c00;
        assert_true(is_nan ? isnan(wide) && isnan(portable) : memcmp(&wide, &portable, 4) == 0);
        uint32_t back = ops_legacy_f32_to_f16(portable);
        assert_true(is_nan ? (back & 0x7fff) > 0x7c00 : back == bits);
        assert_true(is_nan || half_from_float(portable) == bits);
        assert_true(is_nan || half_from_float_toward_zero(portable) == bits);
    }
}

struct half_case {
    const char *name;
    float x;
    uint16_t nearest, toward_zero;
};
static const struct half_case half_cases[] = {
    {"65504", 65504.0f, 0x7bff, 0x7bff},
    {"65519.996", 65519.996f, 0x7bff, 0x7bff},
    {"65520 ties to infinity", 65520.0f, 0x7c00, 0x7bff},
    {"-70000", -70000.0f, 0xfc00, 0xfbff},
    {"infinity", INFINITY, 0x7c00, 0x7c00},
    {"-1/3", -1.0f / 3.0f, 0xb555, 0xb555},
    {"2/3", 2.0f / 3.0f, 0x3955, 0x3955},
    {"1 + 3/2048 ties to even", 1.0f + 3.0f / 2048.0f, 0x3c02, 0x3c01},
    {"half of the least denormal", 0x1p-25f, 0, 0},
    {"above half of the least denormal", 0x1.8p-25f, 1, 0},
    {"largest denormal and a bit", 0x1.ff8p-15f + 0x1p-26f, 0x3ff, 0x3ff},
};

static void test_float_to_half_rounding(void **state)
{
    for (size_t c = 0; c < ARRAY_COUNT(half_cases); c++) {
        const struct half_case *test = &half_cases[c];
        if (half_from_float(test->x) != test->nearest || ops_legacy_f32_to_f16(test->x) != test->nearest)
            fail_msg("%s: nearest %04x, want %04x", test->name, half_from_float(test->x), test->nearest);
        if (half_from_float_toward_zero(test->x) != test->toward_zero)
            fail_msg("%s: toward zero %04x, want %04x", test->name, half_from_float_toward_zero(test->x), test->toward_zero);
    }
}

static void test_half_arithmetic_rounds_once(void **state)
{
    _Float16 a = (_Float16)(1.0f + 0x1p-10f);
    assert_int_equal(ops_bitcast_f16_to_i16(ops_fmad_f16(a, a, (_Float16)-1.0f)),
                     half_from_float((1.0f + 0x1p-10f) * (1.0f + 0x1p-10f) - 1.0f));
    assert_true(ops_saturate_f16((_Float16)NAN) == (_Float16)0.0f);
    assert_true((float)ops_fmax_f16((_Float16)NAN, (_Float16)2.0f) == 2.0f);
    assert_true((float)ops_round_ne_f16((_Float16)2.5f) == 2.0f);
    assert_true((float)ops_exp_f16((_Float16)-24.0f) == 0x1p-24f);
    assert_true(!ops_is_normal_f16((_Float16)0x1p-24f) && ops_is_finite_f16((_Float16)0x1p-24f));
    assert_true(ops_dot2_add_half_f32(1.0f, (_Float16)2.0f, (_Float16)3.0f, (_Float16)4.0f, (_Float16)5.0f) == 24.0f);
}

static void test_doubles_split_and_join(void **state)
{
    struct ops_two_u32 parts;
    ops_split_double_f64(-1.5, &parts);
    assert_int_equal(parts.value[0], 0);
    assert_int_equal(parts.value[1], 0xbff80000);
    assert_true(ops_make_double_f64(0, 0xbff80000) == -1.5);
    assert_true(ops_legacy_double_to_float(1e300) == INFINITY);
    assert_true(ops_saturate_f64(NAN) == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_operand),
        cmocka_unit_test(test_other_widths),
        cmocka_unit_test(test_bit_fields),
        cmocka_unit_test(test_two_results),
        cmocka_unit_test(test_division_instructions),
        cmocka_unit_test(test_sums_of_bytes),
        cmocka_unit_test(test_packing),
        cmocka_unit_test(test_float_to_integer),
        cmocka_unit_test(test_every_half_converts_both_ways),
        cmocka_unit_test(test_float_to_half_rounding),
        cmocka_unit_test(test_half_arithmetic_rounds_once),
        cmocka_unit_test(test_doubles_split_and_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
