/* SPDX-License-Identifier: MIT
 * Texture access by integer coordinates: every storable format, multisampling, UAV ranges, planes, atomics, dimensions,
 * sample positions, and that fast readers of sampling agree with format_load. */
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
#include "base/half.h"
#include "base/status.h"
#include "ops/buffer.h"
#include "ops/texture.h"

enum { SIZE = 8, IDENTITY_SWIZZLE = 0x688, CANARY_BYTES = 64 };

struct fixture {
    struct abi_texture texture;
    struct abi_descriptor view;
    uint8_t *memory;
};

/* One mip; rows of blocks without gaps; a canary behind. */
static void fixture_create(struct fixture *f, uint8_t dimension, uint32_t format, uint32_t slices, uint32_t depth,
                           uint32_t samples, bool is_uav)
{
    memset(f, 0, sizeof(*f));
    const struct format_info *info = format_get_info(format);
    struct abi_texture *t = &f->texture;
    bool is_1d = dimension <= ABI_TEXTURE_1D_ARRAY;
    t->width = SIZE;
    t->height = is_1d ? 1 : SIZE;
    t->depth = depth;
    t->array_size = (uint16_t)slices;
    t->mip_count = 1;
    t->sample_count = (uint8_t)samples;
    t->plane_count = info->plane_count;
    t->dimension = is_1d ? 1 : dimension == ABI_TEXTURE_3D ? 3 : 2;
    t->mips[0].row_pitch = SIZE / info->block_width * info->block_bytes * samples;
    t->mips[0].depth_pitch = t->mips[0].row_pitch * t->height / info->block_height;
    t->slice_bytes = (uint64_t)t->mips[0].depth_pitch * depth;
    t->size_bytes = t->slice_bytes * slices * info->plane_count;
    f->memory = calloc(1, t->size_bytes + CANARY_BYTES);
    memset(f->memory + t->size_bytes, 0xcd, CANARY_BYTES);
    t->base = f->memory;
    f->view = (struct abi_descriptor){.kind = ABI_DESCRIPTOR_TEXTURE, .is_uav = is_uav, .dimension = dimension,
                                      .format = (uint16_t)format};
    f->view.texture.texture = t;
    f->view.texture.mip_count = 1;
    f->view.texture.slice_count = (uint16_t)(dimension == ABI_TEXTURE_3D ? depth : slices);
    f->view.texture.swizzle = IDENTITY_SWIZZLE;
}

static void fixture_destroy(struct fixture *f)
{
    for (int i = 0; i < CANARY_BYTES; i++)
        assert_int_equal(f->memory[f->texture.size_bytes + i], 0xcd);
    free(f->memory);
}

static void test_stores_to_every_format_read_back(void **state)
{
    uint32_t tested = 0;
    for (uint32_t format = 1; format < FORMAT_COUNT; format++) {
        if (!format_can_store(format))
            continue;
        struct fixture f;
        struct ops_result_32 got;
        uint32_t want[4], element[4] = {0};
        fixture_create(&f, ABI_TEXTURE_2D, format, 1, 1, 1, true);
        uint32_t type = format_get_info(format)->type;
        bool is_integer = type == FORMAT_TYPE_UINT || type == FORMAT_TYPE_SINT;
        uint32_t in[4] = {1, 0, 1, 1};
        for (int i = 0; i < 4 && !is_integer; i++)
            in[i] = half_bits_of_float(in[i] ? 1.0f : 0.0f);
        ops_texture_store_i32(NULL, &f.view, 3, 5, 0, in[0], in[1], in[2], in[3], 15);
        format_store(format, element, in);
        format_load(format, element, want);
        ops_texture_load_i32(NULL, &f.view, 0, 3, 5, 0, 0, 0, 0, &got);
        if (memcmp(got.value, want, 16) != 0)
            fail_msg("%s: read %x %x %x %x", format_get_info(format)->name, got.value[0], got.value[1], got.value[2], got.value[3]);
        ops_texture_load_i32(NULL, &f.view, 0, 2, 5, 0, 0, 0, 0, &got);
        assert_int_equal(got.value[0], 0);
        static const int outside[5][2] = {{SIZE, 0}, {0, SIZE}, {-1, 0}, {0, -1}, {2147483647, 5}};
        for (int i = 0; i < 5; i++) {
            ops_texture_store_i32(NULL, &f.view, outside[i][0], outside[i][1], 0, in[0], in[1], in[2], in[3], 15);
            ops_texture_load_i32(NULL, &f.view, 0, outside[i][0], outside[i][1], 0, 0, 0, 0, &got);
            uint32_t defaults[4];
            format_default(format, defaults);
            assert_memory_equal(got.value, defaults, 16);
        }
        fixture_destroy(&f);
        tested++;
    }
    assert_true(tested > 40);
}

/* Load and point sampling of all formats, also by the readers with a fast path, give what format_load gives. */
static void test_readers_agree(void **state)
{
    for (uint32_t format = 1; format < FORMAT_COUNT; format++) {
        const struct format_info *info = format_get_info(format);
        if (!format_can_load(format))
            continue;
        struct fixture f;
        fixture_create(&f, ABI_TEXTURE_2D, format, 1, 1, 1, false);
        f.view.texture.plane = info->layout == FORMAT_LAYOUT_STENCIL_G;
        for (uint64_t i = 0; i < f.texture.size_bytes; i++)
            f.memory[i] = (uint8_t)(i * 37 + 11) & 0x77; /* no NaN */
        struct abi_descriptor sampler = {.kind = ABI_DESCRIPTOR_SAMPLER};
        sampler.sampler = (struct abi_sampler){.address = {3, 3, 3}, .max_lod = 100.0f};
        for (int y = 0; y < SIZE; y++) {
            for (int x = 0; x < SIZE; x++) {
                struct ops_result_32 loaded, sampled;
                uint32_t want[4];
                uint64_t plane = f.view.texture.plane ? f.texture.slice_bytes : 0;
                uint32_t bytes = format_plane_bytes(format, f.view.texture.plane);
                uint8_t *block = f.memory + plane + (uint64_t)(y / info->block_height) * f.texture.mips[0].row_pitch +
                                 (uint64_t)(x / info->block_width) * bytes;
                if (info->block_width > 1)
                    format_load_block_texel(format, block, (uint32_t)x % info->block_width, (uint32_t)y % info->block_height, want);
                else
                    format_load(format, block, want);
                ops_texture_load_i32(NULL, &f.view, 0, x, y, 0, 0, 0, 0, &loaded);
                ops_sample_level_i32(NULL, &f.view, &sampler, (x + 0.5f) / SIZE, (y + 0.5f) / SIZE, 0, 0, 0, 0, 0, 0, &sampled);
                if (memcmp(loaded.value, want, 16) != 0 || memcmp(sampled.value, want, 16) != 0)
                    fail_msg("%s texel %d %d: %x %x, want %x", info->name, x, y, loaded.value[0], sampled.value[0], want[0]);
            }
        }
        fixture_destroy(&f);
    }
}

static void test_multisampled(void **state)
{
    struct fixture f;
    struct ops_result_32 got;
    fixture_create(&f, ABI_TEXTURE_2DMS_ARRAY, FORMAT_R32_FLOAT, 2, 1, 4, true);
    for (int sample = 0; sample < 5; sample++)
        ops_texture_store_sample_f32(NULL, &f.view, 1, 2, 1, (float)sample + 1, 0, 0, 0, 15, sample);
    for (int sample = -1; sample < 6; sample++) {
        ops_texture_load_f32(NULL, &f.view, sample, 1, 2, 1, 0, 0, 0, &got);
        assert_true(half_float_of_bits(got.value[0]) == (sample >= 0 && sample < 4 ? (float)sample + 1 : 0.0f));
    }
    struct ops_two_float position;
    ops_texture_2dms_get_sample_position(NULL, &f.view, 1, &position);
    assert_true(position.value[0] == 0.375f && position.value[1] == -0.125f);
    ops_texture_2dms_get_sample_position(NULL, &f.view, 4, &position);
    assert_true(position.value[0] == 0.0f && position.value[1] == 0.0f);
    struct ops_four_u32 size;
    ops_get_dimensions(NULL, &f.view, 0, &size);
    assert_true(size.value[0] == SIZE && size.value[2] == 2 && size.value[3] == 4);
    fixture_destroy(&f);
}

static void test_uav_ranges(void **state)
{
    struct fixture f;
    struct ops_result_32 got;
    fixture_create(&f, ABI_TEXTURE_3D, FORMAT_R32_UINT, 1, 6, 1, true);
    f.view.texture.first_slice = 2;
    f.view.texture.slice_count = 3;
    ops_texture_store_i32(NULL, &f.view, 0, 0, 2, 77, 0, 0, 0, 15);
    ops_texture_store_i32(NULL, &f.view, 0, 0, 3, 99, 0, 0, 0, 15); /* outside the view */
    uint32_t *words = (uint32_t *)(void *)f.memory;
    assert_int_equal(words[4 * SIZE * SIZE], 77);
    assert_int_equal(words[5 * SIZE * SIZE], 0);
    ops_texture_load_i32(NULL, &f.view, 0, 0, 0, 2, 0, 0, 0, &got);
    assert_int_equal(got.value[0], 77);
    struct ops_four_u32 size;
    ops_get_dimensions(NULL, &f.view, 0, &size);
    assert_int_equal(size.value[2], 3);
    assert_int_equal(ops_atomic_bin_op_i32(NULL, &f.view, 0, 0, 0, 2, 3), 77);
    assert_int_equal(words[4 * SIZE * SIZE], 80);
    assert_int_equal(ops_atomic_bin_op_i32(NULL, &f.view, 0, 0, 0, 3, 3), 0);
    assert_int_equal(ops_atomic_compare_exchange_i32(NULL, &f.view, 0, 0, 2, 80, 5), 80);
    assert_int_equal(words[4 * SIZE * SIZE], 5);
    fixture_destroy(&f);
}

static void test_load_offsets(void **state)
{
    struct fixture f;
    struct ops_result_32 got;
    fixture_create(&f, ABI_TEXTURE_1D_ARRAY, FORMAT_R32_UINT, 3, 1, 1, false);
    for (uint32_t i = 0; i < 3 * SIZE; i++)
        ((uint32_t *)(void *)f.memory)[i] = i;
    ops_texture_load_i32(NULL, &f.view, 0, 3, 2, 0, 2, 55, 55, &got); /* the offset does not move the slice */
    assert_int_equal(got.value[0], 2 * SIZE + 5);
    ops_texture_load_i32(NULL, &f.view, 0, 1, 2, 0, -2, 0, 0, &got);
    assert_true(got.value[0] == 0 && got.value[3] == 1);
    fixture_destroy(&f);
}

static void test_half_and_short_results(void **state)
{
    struct fixture f;
    struct ops_result_16 got;
    fixture_create(&f, ABI_TEXTURE_2D, FORMAT_R16_FLOAT, 1, 1, 1, true);
    ops_texture_store_f16(NULL, &f.view, 0, 0, 0, (_Float16)0.5f, 0, 0, 0, 15);
    ops_texture_load_f16(NULL, &f.view, 0, 0, 0, 0, 0, 0, 0, &got);
    assert_int_equal(got.value[0], 0x3800);
    fixture_destroy(&f);
    fixture_create(&f, ABI_TEXTURE_2D, FORMAT_R32_SINT, 1, 1, 1, true);
    ops_texture_store_i16(NULL, &f.view, 0, 0, 0, 0xfffe, 0, 0, 0, 15);
    assert_int_equal(((uint32_t *)(void *)f.memory)[0], 0xfffffffe);
    fixture_destroy(&f);
}

static void test_gather_raw(void **state)
{
    struct fixture f;
    struct abi_descriptor sampler = {.kind = ABI_DESCRIPTOR_SAMPLER};
    sampler.sampler = (struct abi_sampler){.address = {3, 3, 3}};
    fixture_create(&f, ABI_TEXTURE_2D, FORMAT_R32G32_UINT, 1, 1, 1, false);
    for (uint32_t i = 0; i < 2 * SIZE * SIZE; i++)
        ((uint32_t *)(void *)f.memory)[i] = i;
    struct ops_result_64 wide;
    ops_texture_gather_raw_i64(NULL, &f.view, &sampler, 1.0f / SIZE, 1.0f / SIZE, 0, 0, 0, 0, &wide);
    assert_true(wide.value[3] == 1ull << 32);
    assert_true(wide.value[0] == ((uint64_t)(2 * SIZE + 1) << 32 | 2 * SIZE));
    fixture_destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stores_to_every_format_read_back),
        cmocka_unit_test(test_readers_agree),
        cmocka_unit_test(test_multisampled),
        cmocka_unit_test(test_uav_ranges),
        cmocka_unit_test(test_load_offsets),
        cmocka_unit_test(test_half_and_short_results),
        cmocka_unit_test(test_gather_raw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
