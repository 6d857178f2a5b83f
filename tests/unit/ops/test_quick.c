/* SPDX-License-Identifier: MIT
 * The quick paths inside shaders (ops/quick.h) give the bits that the native functions give: samples and loads at random
 * places, near edges, far away, NaN and infinity. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/format.h"
#include "base/status.h"
#include "ops/sample.h"
#include "ops/texture.h"

enum { WIDTH = 16, HEIGHT = 8, MIPS = 3, TURNS = 20000 };

static uint32_t random_state = 7;
static uint32_t random_bits(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

static float random_coordinate(void)
{
    static const float special[] = {0, -0.0f, 1, -1, 0.5f, 1e-30f, -1e-30f, 0x1p23f, 0x1p24f, -0x1p30f, 1e38f, NAN, INFINITY, -INFINITY};
    if (random_bits() % 8 == 0)
        return special[random_bits() % ARRAY_COUNT(special)];
    float unit = (float)random_bits() / 16777216.0f;
    return random_bits() % 4 ? unit : (unit - 0.5f) * 40.0f;
}

static uint8_t memory[2 * WIDTH * HEIGHT * 16 * 2];

static struct abi_texture make_texture(uint32_t format, uint32_t texel_bytes)
{
    struct abi_texture texture = {.base = memory, .width = WIDTH, .height = HEIGHT, .depth = 1, .array_size = 2,
                                  .mip_count = MIPS, .sample_count = 1, .format = (uint16_t)format, .plane_count = 1,
                                  .dimension = 2};
    uint32_t offset = 0;
    for (uint32_t m = 0; m < MIPS; m++) {
        texture.mips[m] = (struct abi_texture_mip){offset, (WIDTH >> m) * texel_bytes, 0};
        offset += (WIDTH >> m) * (HEIGHT >> m) * texel_bytes;
    }
    texture.slice_bytes = offset;
    texture.size_bytes = 2 * offset;
    return texture;
}

static struct abi_descriptor make_view(const struct abi_texture *texture)
{
    struct abi_descriptor view = {.kind = ABI_DESCRIPTOR_TEXTURE, .dimension = ABI_TEXTURE_2D, .format = texture->format};
    view.texture = (struct abi_texture_view){.texture = texture, .first_mip = (uint16_t)(random_bits() % 2),
                                             .mip_count = 2, .first_slice = (uint16_t)(random_bits() % 2), .slice_count = 1,
                                             .swizzle = random_bits() % 16 ? 0x688 : 0x0d1,
                                             .min_lod = random_bits() % 16 ? 0 : 1.5f};
    return view;
}

static struct abi_descriptor make_sampler(void)
{
    static const uint32_t filters[] = {0x14, 0x15, 0x14, 0x10, 0x4, 0x55, 0x95, 0x115};
    struct abi_descriptor sampler = {.kind = ABI_DESCRIPTOR_SAMPLER};
    sampler.sampler = (struct abi_sampler){
        .filter = filters[random_bits() % ARRAY_COUNT(filters)], .max_anisotropy = 4, .max_lod = random_bits() % 4 ? 100 : 0.25f,
        .mip_lod_bias = random_bits() % 4 ? 0 : -0.75f, .min_lod = random_bits() % 8 ? 0 : 0.5f, .comparison = 1,
        .address = {(uint8_t)(1 + random_bits() % 5), (uint8_t)(1 + random_bits() % 5), 1}};
    return sampler;
}

static const struct {
    uint32_t format, texel_bytes;
} formats[] = {{FORMAT_R8G8B8A8_UNORM, 4}, {FORMAT_R32G32B32A32_FLOAT, 16}, {FORMAT_R32_FLOAT, 4}, {FORMAT_R8G8B8A8_UNORM_SRGB, 4}};

static void fill(uint32_t format)
{
    for (uint32_t i = 0; i < sizeof(memory); i++)
        memory[i] = (uint8_t)random_bits();
    if (format == FORMAT_R32G32B32A32_FLOAT || format == FORMAT_R32_FLOAT)
        for (uint32_t i = 0; i < sizeof(memory) / 4; i++)
            ((float *)(void *)memory)[i] = (float)random_bits() / 65536.0f - 100.0f;
}

static void samples_are_those_of_the_native_function(void **state)
{
    for (uint32_t f = 0; f < ARRAY_COUNT(formats); f++) {
        struct abi_texture texture = make_texture(formats[f].format, formats[f].texel_bytes);
        fill(formats[f].format);
        for (uint32_t turn = 0; turn < TURNS; turn++) {
            struct abi_descriptor view = make_view(&texture), sampler = make_sampler();
            float lod = random_bits() % 3 ? 0 : random_coordinate();
            struct ops_sample_arguments a = {.coord = {random_coordinate(), random_coordinate()}, .lod = lod,
                                             .lod_mode = OPS_LOD_EXPLICIT, .offset = {random_bits() % 8 == 0, 0, 0}};
            uint32_t wanted[4];
            struct ops_result_32 got, flat;
            ops_native_sample(NULL, &view, &sampler, &a, wanted);
            ops_sample_level_f32(NULL, &view, &sampler, a.coord[0], a.coord[1], 0, 0, a.offset[0], 0, 0, lod, &got);
            if (memcmp(got.value, wanted, 16))
                fail_msg("format %u, (%a, %a), lod %a, filter %x, address %u %u", formats[f].format, (double)a.coord[0],
                         (double)a.coord[1], (double)lod, sampler.sampler.filter, sampler.sampler.address[0],
                         sampler.sampler.address[1]);
            a.lod_mode = OPS_LOD_GRADIENT;
            a.lod = 0;
            ops_native_sample(NULL, &view, &sampler, &a, wanted);
            ops_sample_f32(NULL, &view, &sampler, a.coord[0], a.coord[1], 0, 0, a.offset[0], 0, 0, 0, 0, 0, 0, 0, 0, 0, &flat);
            assert_memory_equal(flat.value, wanted, 16);
        }
    }
}

static void loads_are_those_of_the_native_function(void **state)
{
    for (uint32_t f = 0; f < ARRAY_COUNT(formats); f++) {
        struct abi_texture texture = make_texture(formats[f].format, formats[f].texel_bytes);
        fill(formats[f].format);
        for (uint32_t turn = 0; turn < TURNS; turn++) {
            struct abi_descriptor view = make_view(&texture);
            view.is_uav = random_bits() % 4 == 0;
            int32_t coord[3] = {(int32_t)(random_bits() % 20) - 2, (int32_t)(random_bits() % 12) - 2, 0};
            int32_t offset[3] = {(int32_t)(random_bits() % 3) - 1, 0, 0}, mip = (int32_t)(random_bits() % 4) - 1;
            uint32_t wanted[4];
            struct ops_result_32 got;
            ops_native_texture_load(NULL, &view, mip, coord, offset, wanted);
            ops_texture_load_f32(NULL, &view, mip, coord[0], coord[1], 0, offset[0], 0, 0, &got);
            assert_memory_equal(got.value, wanted, 16);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_those_of_the_native_function),
        cmocka_unit_test(loads_are_those_of_the_native_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
