/* SPDX-License-Identifier: MIT
 * Element formats (base/format.h): the table against the format names, every value of 8- and 16-bit formats, rounding and
 * clamping of stores, packed and shared-exponent formats, sRGB. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/format.h"
#include "base/format_srgb.h"
#include "base/half.h"
#include "base/status.h"

static uint32_t bits_of(float x)
{
    return half_bits_of_float(x);
}

static float float_of(uint32_t bits)
{
    return half_float_of_bits(bits);
}

/* Sum of the numbers behind the letters R G B A D X S (and E of R9G9B9E5) of a name's first part. */
static uint32_t bits_in_name(const char *name)
{
    uint32_t bits = 0;
    for (const char *c = name; *c && strncmp(c, "_TYPELESS", 9) != 0 && strncmp(c, "_UN", 3) != 0; c++)
        if (strchr("RGBADXSE", *c) && c[1] >= '0' && c[1] <= '9')
            bits += (uint32_t)atoi(c + 1);
    return bits;
}

static void test_sizes_follow_names(void **state)
{
    for (uint32_t format = 1; format < FORMAT_COUNT; format++) {
        const struct format_info *info = format_get_info(format);
        bool is_special = (info->flags & ~FORMAT_FLAG_DEPTH) != 0 || !info->name || info->block_bytes == 0;
        if (is_special)
            continue;
        if (bits_in_name(info->name) != info->block_bytes * 8u)
            fail_msg("%s: %u bits in the name, %u bytes in the table", info->name, bits_in_name(info->name), info->block_bytes);
    }
}

static void test_families(void **state)
{
    assert_int_equal(format_get_info(FORMAT_R8G8B8A8_UNORM_SRGB)->family, FORMAT_R8G8B8A8_TYPELESS);
    assert_int_equal(format_get_info(FORMAT_D32_FLOAT)->family, FORMAT_R32_TYPELESS);
    assert_int_equal(format_get_info(FORMAT_X24_TYPELESS_G8_UINT)->family, FORMAT_R24G8_TYPELESS);
    assert_int_equal(format_get_info(FORMAT_BC6H_SF16)->family, FORMAT_BC6H_TYPELESS);
    for (uint32_t format = 1; format < FORMAT_COUNT; format++) {
        const struct format_info *info = format_get_info(format);
        if (info->block_bytes)
            assert_int_equal(format_get_info(info->family)->block_bytes, info->block_bytes);
    }
}

static void test_unknown_numbers_are_harmless(void **state)
{
    static const uint32_t numbers[] = {0, 116, 150, 192, 0xffffffff};
    for (size_t i = 0; i < ARRAY_COUNT(numbers); i++) {
        uint32_t out[4], element[4] = {0};
        format_load(numbers[i], element, out);
        assert_true((out[0] | out[1] | out[2] | out[3]) == 0);
        assert_false(format_store(numbers[i], element, out));
        assert_false(format_is_supported(numbers[i]) || format_can_load(numbers[i]) || format_can_store(numbers[i]));
    }
    assert_false(format_is_supported(FORMAT_NV12));
}

/* Exact value of a component with all bits in `bits`. */
static double exact_component(uint32_t type, uint32_t bits, uint32_t width)
{
    double top = ldexp(1.0, (int)width) - 1.0, half_top = ldexp(1.0, (int)width - 1) - 1.0;
    int32_t extended = (int32_t)(bits << (32 - width)) >> (32 - width);
    switch (type) {
    case FORMAT_TYPE_UNORM:
        return bits / top;
    case FORMAT_TYPE_SNORM:
        return extended / half_top < -1.0 ? -1.0 : extended / half_top;
    case FORMAT_TYPE_UINT:
        return bits;
    default:
        return extended;
    }
}

struct round_trip {
    uint32_t format;
    uint32_t width;
};
static const struct round_trip round_trips[] = {
    {FORMAT_R8_UNORM, 8},   {FORMAT_R8_SNORM, 8},   {FORMAT_R8_UINT, 8},   {FORMAT_R8_SINT, 8},
    {FORMAT_R16_UNORM, 16}, {FORMAT_R16_SNORM, 16}, {FORMAT_R16_UINT, 16}, {FORMAT_R16_SINT, 16}, {FORMAT_D16_UNORM, 16},
};

static void test_every_value_round_trips(void **state)
{
    for (size_t c = 0; c < ARRAY_COUNT(round_trips); c++) {
        uint32_t format = round_trips[c].format, width = round_trips[c].width;
        uint32_t type = format_get_info(format)->type;
        bool is_integer = type == FORMAT_TYPE_UINT || type == FORMAT_TYPE_SINT;
        for (uint32_t bits = 0; bits < 1u << width; bits++) {
            uint32_t words[4], element = bits, back = 0;
            format_load(format, &element, words);
            double exact = exact_component(type, bits, width);
            bool right = is_integer ? (double)(type == FORMAT_TYPE_UINT ? words[0] : (double)(int32_t)words[0]) == exact
                                    : float_of(words[0]) == (float)exact;
            if (!right || words[3] != (is_integer ? 1 : bits_of(1.0f)))
                fail_msg("%s 0x%x: loaded 0x%x", format_get_info(format)->name, bits, words[0]);
            assert_true(format_store(format, &back, words));
            bool lowest = type == FORMAT_TYPE_SNORM && bits == 1u << (width - 1); /* two codes for -1 */
            if (back != (lowest ? bits + 1 : bits))
                fail_msg("%s 0x%x: stored 0x%x", format_get_info(format)->name, bits, back);
        }
    }
}

static void test_every_word_of_packed_16_bit_formats_round_trips(void **state)
{
    static const uint32_t formats[] = {FORMAT_B5G6R5_UNORM, FORMAT_B5G5R5A1_UNORM, FORMAT_B4G4R4A4_UNORM,
                                       FORMAT_A4B4G4R4_UNORM, FORMAT_R8G8_UNORM, FORMAT_R8G8_SINT};
    for (size_t c = 0; c < ARRAY_COUNT(formats); c++) {
        for (uint32_t word = 0; word < 0x10000; word++) {
            uint32_t words[4];
            uint16_t element = (uint16_t)word, back = 0;
            format_load(formats[c], &element, words);
            assert_true(format_store(formats[c], &back, words));
            assert_int_equal(back, word);
        }
    }
}

static void test_every_half_round_trips(void **state)
{
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        uint32_t words[4];
        uint16_t element = (uint16_t)bits, back = 0;
        format_load(FORMAT_R16_FLOAT, &element, words);
        format_store(FORMAT_R16_FLOAT, &back, words);
        assert_true((bits & 0x7fff) > 0x7c00 ? (back & 0x7fff) > 0x7c00 : back == bits);
    }
}

static void test_component_order(void **state)
{
    static const struct {
        uint32_t format, word;
        float want[4];
    } cases[] = {
        {FORMAT_R8G8B8A8_UNORM, 0x00ff0033, {0.2f, 0, 1, 0}},
        {FORMAT_B8G8R8A8_UNORM, 0x00ff0033, {1, 0, 0.2f, 0}},
        {FORMAT_B8G8R8X8_UNORM, 0x00ff0033, {1, 0, 0.2f, 1}},
        {FORMAT_A8_UNORM, 0x33, {0, 0, 0, 0.2f}},
        {FORMAT_B5G6R5_UNORM, 0xf800, {1, 0, 0, 1}},
        {FORMAT_B5G5R5A1_UNORM, 0x801f, {0, 0, 1, 1}},
        {FORMAT_B4G4R4A4_UNORM, 0xf00f, {0, 0, 1, 1}},
        {FORMAT_A4B4G4R4_UNORM, 0xf00f, {1, 0, 0, 1}},
        {FORMAT_R10G10B10A2_UNORM, 0xc00003ff, {1, 0, 0, 1}},
        {FORMAT_R10G10B10_XR_BIAS_A2_UNORM, 0xc0000180 | 0x37e << 10, {0, 1, -384.0f / 510.0f, 1}},
        {FORMAT_R11G11B10_FLOAT, 0x3c0 | 0x780 << 11, {1, 0x1p15f, 0, 1}},
        {FORMAT_R9G9B9E5_SHAREDEXP, 0x80000100u | 0x80 << 9, {1, 0.5f, 0, 1}},
        {FORMAT_D24_UNORM_S8_UINT, 0xabffffff, {1, 0, 0, 1}},
    };
    for (size_t c = 0; c < ARRAY_COUNT(cases); c++) {
        float got[4];
        format_load_float(cases[c].format, &cases[c].word, got);
        for (int i = 0; i < 4; i++)
            if (got[i] != cases[c].want[i])
                fail_msg("%s component %d: %g", format_get_info(cases[c].format)->name, i, got[i]);
    }
    uint32_t stencil[4];
    const uint8_t byte = 0x7f;
    format_load(FORMAT_X24_TYPELESS_G8_UINT, &byte, stencil);
    assert_true(stencil[0] == 0 && stencil[1] == 0x7f && stencil[3] == 1);
    assert_int_equal(format_plane_bytes(FORMAT_D24_UNORM_S8_UINT, 1), 1);
    assert_int_equal(format_plane_bytes(FORMAT_R8_UNORM, 1), 0);
}

struct store_case {
    const char *name;
    uint32_t format;
    float in;
    uint32_t want; /* low bits of the element */
};
static const struct store_case store_cases[] = {
    {"UNORM rounds up from half", FORMAT_R8_UNORM, 0.5f, 128},
    {"UNORM clamps above", FORMAT_R8_UNORM, 1e30f, 255},
    {"UNORM clamps below", FORMAT_R8_UNORM, -1.0f, 0},
    {"UNORM NaN", FORMAT_R8_UNORM, NAN, 0},
    {"SNORM clamps", FORMAT_R8_SNORM, -5.0f, 0x81},
    {"SNORM rounds away", FORMAT_R8_SNORM, -0.5f, 0xc0},
    {"SNORM NaN", FORMAT_R16_SNORM, NAN, 0},
    {"half goes toward zero", FORMAT_R16_FLOAT, 70000.0f, 0x7bff},
    {"half keeps infinity", FORMAT_R16_FLOAT, INFINITY, 0x7c00},
    {"11-bit float drops the sign", FORMAT_R11G11B10_FLOAT, -2.0f, 0},
    {"11-bit float limit", FORMAT_R11G11B10_FLOAT, 1e9f, 0x7bf},
    {"11-bit float infinity", FORMAT_R11G11B10_FLOAT, INFINITY, 0x7c0},
    {"shared exponent 1", FORMAT_R9G9B9E5_SHAREDEXP, 1.0f, 0x80000100},
    {"shared exponent limit", FORMAT_R9G9B9E5_SHAREDEXP, 1e9f, 0xf80001ff},
    {"shared exponent rounds up to the next", FORMAT_R9G9B9E5_SHAREDEXP, 0.9999f, 0x80000100},
    {"shared exponent least", FORMAT_R9G9B9E5_SHAREDEXP, 0x1p-24f, 1},
    {"24-bit depth", FORMAT_D24_UNORM_S8_UINT, 0.5f, 0x800000},
    {"sRGB encodes", FORMAT_R8G8B8A8_UNORM_SRGB, 0.5f, 188},
};

static void test_stores(void **state)
{
    for (size_t c = 0; c < ARRAY_COUNT(store_cases); c++) {
        uint32_t in[4] = {bits_of(store_cases[c].in), 0, 0, 0}, element = 0;
        assert_true(format_store(store_cases[c].format, &element, in));
        if (element != store_cases[c].want)
            fail_msg("%s: 0x%x, want 0x%x", store_cases[c].name, element, store_cases[c].want);
    }
    uint32_t integers[4] = {300, 0, 0, 0}, element = 0;
    format_store(FORMAT_R8_UINT, &element, integers);
    assert_int_equal(element, 255);
    integers[0] = (uint32_t)-300;
    format_store(FORMAT_R8_SINT, &element, integers);
    assert_int_equal(element & 255, 0x80);
}

static void test_depth_store_keeps_the_other_byte(void **state)
{
    uint32_t element = 0xab000000, in[4] = {bits_of(1.0f), 0, 0, 0};
    format_store(FORMAT_D24_UNORM_S8_UINT, &element, in);
    assert_int_equal(element, 0xabffffff);
}

static void test_srgb_codes(void **state)
{
    for (uint32_t code = 0; code < 256; code++) {
        double encoded = code / 255.0;
        double exact = encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
        assert_true(fabs(format_srgb_to_linear[code] - exact) <= exact * 0x1p-24 + 1e-12);
        assert_true(fabs(format_srgb_decode((float)encoded) - exact) <= exact * 0x1p-21);
        assert_int_equal(format_linear_to_srgb(format_srgb_to_linear[code]), code);
    }
    assert_int_equal(format_linear_to_srgb(NAN), 0);
    assert_int_equal(format_linear_to_srgb(7.0f), 255);
    assert_int_equal(format_linear_to_srgb(-7.0f), 0);
    uint32_t previous = 0;
    for (int i = 0; i <= 100000; i++) { /* within 0.5 (a little more at the curve's joint) of the exact code, never falling */
        float x = (float)i / 100000.0f;
        double exact = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
        uint32_t code = format_linear_to_srgb(x);
        assert_true(fabs(code - exact * 255.0) <= 0.5001 && code >= previous);
        previous = code;
    }
}

static void test_defaults(void **state)
{
    uint32_t out[4];
    format_default(FORMAT_R8G8B8A8_UNORM, out);
    assert_int_equal(out[3], 0);
    format_default(FORMAT_R32_FLOAT, out);
    assert_int_equal(out[3], 0x3f800000);
    format_default(FORMAT_R32G32_UINT, out);
    assert_int_equal(out[3], 1);
}

static void test_capabilities(void **state)
{
    assert_true(format_can_store(FORMAT_R8G8B8A8_UNORM) && format_can_store(FORMAT_R11G11B10_FLOAT));
    assert_false(format_can_store(FORMAT_R8G8B8A8_UNORM_SRGB) || format_can_store(FORMAT_BC1_UNORM) ||
                 format_can_store(FORMAT_R9G9B9E5_SHAREDEXP) || format_can_store(FORMAT_R32G32B32_FLOAT));
    assert_true(format_can_sample(FORMAT_BC7_UNORM) && format_can_sample(FORMAT_R24_UNORM_X8_TYPELESS));
    assert_false(format_can_sample(FORMAT_R32_UINT) || format_can_sample(FORMAT_D32_FLOAT) ||
                 format_can_load(FORMAT_R8G8B8A8_TYPELESS));
    assert_true(format_can_buffer(FORMAT_R32G32B32_FLOAT) && format_can_atomic(FORMAT_R32_UINT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_follow_names),
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_unknown_numbers_are_harmless),
        cmocka_unit_test(test_every_value_round_trips),
        cmocka_unit_test(test_every_word_of_packed_16_bit_formats_round_trips),
        cmocka_unit_test(test_every_half_round_trips),
        cmocka_unit_test(test_component_order),
        cmocka_unit_test(test_stores),
        cmocka_unit_test(test_depth_store_keeps_the_other_byte),
        cmocka_unit_test(test_srgb_codes),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_capabilities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
