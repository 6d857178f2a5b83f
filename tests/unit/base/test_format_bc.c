/* SPDX-License-Identifier: MIT
 * Block-compressed formats: BC1 to BC5 against tests/ref/bc_ref.c; BC6H and BC7, which must be exact to the bit, by
 * checksums over pseudo-random blocks of every mode (the same blocks through an independent decoder gave the same
 * texels) and by blocks with results known by construction. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/format.h"
#include "base/format_bc.h"
#include "base/status.h"
#include "ref/bc_ref.h"

static uint64_t random_state;
static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void random_block(uint8_t block[16])
{
    uint64_t words[2] = {next_random(), next_random()};
    memcpy(block, words, 16);
}

struct plain_case {
    uint32_t format;
    int kind;
    bool is_signed, is_srgb;
};
static const struct plain_case plain_cases[] = {
    {FORMAT_BC1_UNORM, 1, false, false}, {FORMAT_BC1_UNORM_SRGB, 1, false, true}, {FORMAT_BC2_UNORM, 2, false, false},
    {FORMAT_BC3_UNORM, 3, false, false}, {FORMAT_BC3_UNORM_SRGB, 3, false, true}, {FORMAT_BC4_UNORM, 4, false, false},
    {FORMAT_BC4_SNORM, 4, true, false},  {FORMAT_BC5_UNORM, 5, false, false},     {FORMAT_BC5_SNORM, 5, true, false},
};

static double decode_srgb(double x)
{
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

static void test_plain_blocks(void **state)
{
    for (size_t c = 0; c < ARRAY_COUNT(plain_cases) * 400; c++) {
        const struct plain_case *test = &plain_cases[c / 400];
        uint8_t block[16];
        random_state = 77 + c * 1234567;
        next_random();
        random_block(block);
        if (c % 7 == 0) { /* equal ends, extremes */
            memcpy(block + 2, block, 2);
            block[0] = 0x80;
        }
        for (int t = 0; t < 16; t++) {
            uint32_t words[4];
            float got[4];
            double want[4];
            format_load_block_texel(test->format, block, (uint32_t)t & 3, (uint32_t)t >> 2, words);
            memcpy(got, words, 16);
            bc_ref_texel(test->kind, test->is_signed, block, t, want);
            for (int i = 0; i < 4; i++) {
                double exact = test->is_srgb && i < 3 ? decode_srgb(want[i]) : want[i];
                if (fabs(got[i] - exact) > 2e-7)
                    fail_msg("format %u texel %d component %d: got %.9g, want %.9g", test->format, t, i, got[i], exact);
            }
        }
    }
}

static uint64_t add_to_hash(uint64_t hash, const void *data, size_t bytes)
{
    const uint8_t *cursor = data;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ cursor[i]) * 0x100000001b3ull;
    return hash;
}

static void test_bc7_modes(void **state)
{
    static const uint64_t golden[8] = {
        0x313edc3fb03db57bull, 0x23e3de7e4c28dca5ull, 0xed5737268a15c5c1ull, 0xddb27bdbd6f615f6ull,
        0x1b8e7495664168cdull, 0xa05ebcc807c8f41bull, 0x4fff314369e77fadull, 0x356be469a3cb82ccull};
    for (uint32_t mode = 0; mode < 8; mode++) {
        uint64_t hash = 0xcbf29ce484222325ull;
        random_state = 1000 + mode;
        for (int i = 0; i < 2000; i++) {
            uint8_t block[16], texels[16][4];
            random_block(block);
            block[0] = (uint8_t)((block[0] & ~((2u << mode) - 1)) | 1u << mode);
            format_bc7_decode(block, texels);
            hash = add_to_hash(hash, texels, sizeof(texels));
        }
        if (hash != golden[mode])
            fail_msg("mode %u: checksum 0x%016lxull", mode, (unsigned long)hash);
    }
}

static void test_bc6h_modes(void **state)
{
    static const uint8_t codes[14] = {0, 1, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15};
    static const uint64_t golden[2][14] = {{
        0x7ac652270047bdbdull, 0xba84c9e5e76df5dbull, 0xb4e52e0dfa048790ull, 0x2affa63f103762f1ull,
        0x94b860c5e6d93315ull, 0x48b6dd22bdf212fbull, 0x926d0acc317cb972ull, 0x3786d8bb49748a0aull,
        0xd3ad398e15c36004ull, 0xc8865ce92d4c3e69ull, 0xff0d8109c6b4d0f5ull, 0x9df0d792e9cd95baull,
        0xddb9c32883920f5cull, 0x0d9577a6db999dacull}, {
        0x28896de3fcc1610dull, 0xa59d2ca50926fca4ull, 0xa48e5413a6dffbb1ull, 0x95b8c3ce9a334412ull,
        0x1719aee4059e6082ull, 0xce789bae06caf2e2ull, 0x6e9b5c77a72aaf5full, 0xa021b17b0809166eull,
        0xefb14dc777171950ull, 0xe8f0af2fc7b4997aull, 0xae492047e3f8498bull, 0x47771f10e5e6d530ull,
        0xf880f445d1ac968dull, 0x962c0d4661397cb8ull}};
    for (uint32_t m = 0; m < 28; m++) {
        uint32_t code = codes[m % 14];
        uint64_t hash = 0xcbf29ce484222325ull;
        random_state = 5000 + m;
        for (int i = 0; i < 1000; i++) {
            uint8_t block[16];
            uint16_t texels[16][3];
            random_block(block);
            block[0] = (uint8_t)(code < 2 ? (block[0] & ~3u) | code : (block[0] & ~31u) | code);
            format_bc6h_decode(block, m >= 14, texels);
            hash = add_to_hash(hash, texels, sizeof(texels));
        }
        if (hash != golden[m / 14][m % 14])
            fail_msg("mode %02x %s: checksum 0x%016lxull", code, m >= 14 ? "signed" : "unsigned", (unsigned long)hash);
    }
}

static void test_reserved_blocks_are_black(void **state)
{
    uint8_t block[16] = {0};
    uint32_t words[16][4];
    format_decode_block(FORMAT_BC7_UNORM, block, words);
    for (int t = 0; t < 16; t++)
        assert_true((words[t][0] | words[t][1] | words[t][2] | words[t][3]) == 0);
    block[0] = 0x13;
    format_decode_block(FORMAT_BC6H_UF16, block, words);
    assert_true(words[5][0] == 0 && words[5][3] == 0x3f800000);
}

/* Mode 6 with both ends equal: one colour, 7 bits and the shared lowest bit. */
static void test_bc7_solid_colour(void **state)
{
    uint8_t block[16] = {0};
    uint32_t ends[4] = {0x55, 0x2a, 0x7f, 0x40};
    unsigned __int128 bits = 1 << 6;
    int position = 7;
    for (int c = 0; c < 4; c++)
        for (int e = 0; e < 2; e++, position += 7)
            bits |= (unsigned __int128)ends[c] << position;
    bits |= (unsigned __int128)3 << position; /* p bits */
    memcpy(block, &bits, 16);
    uint8_t texels[16][4];
    format_bc7_decode(block, texels);
    for (int t = 0; t < 16; t++)
        assert_true(texels[t][0] == 0xab && texels[t][1] == 0x55 && texels[t][2] == 0xff && texels[t][3] == 0x81);
}

static void test_packed_pairs(void **state)
{
    const uint8_t rgbg[4] = {255, 51, 0, 102}, grgb[4] = {51, 255, 102, 0};
    uint32_t a[4], b[4];
    float first[4];
    format_load_block_texel(FORMAT_R8G8_B8G8_UNORM, rgbg, 0, 0, a);
    format_load_block_texel(FORMAT_G8R8_G8B8_UNORM, grgb, 0, 0, b);
    memcpy(first, a, 16);
    assert_memory_equal(a, b, 16);
    assert_true(first[0] == 1.0f && first[1] == 0.2f && first[2] == 0.0f && first[3] == 1.0f);
    format_load_block_texel(FORMAT_R8G8_B8G8_UNORM, rgbg, 1, 0, a);
    memcpy(first, a, 16);
    assert_true(first[1] == 0.4f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_blocks),
        cmocka_unit_test(test_bc7_modes),
        cmocka_unit_test(test_bc6h_modes),
        cmocka_unit_test(test_reserved_blocks_are_black),
        cmocka_unit_test(test_bc7_solid_colour),
        cmocka_unit_test(test_packed_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
