/* SPDX-License-Identifier: MIT
 * Texture copies, tiles, resolves and clears on hand-made textures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/format.h"
#include "exec/copy.h"

struct shape {
    uint32_t format, dimension, width, height, depth, array_size, mips, samples;
};

/* Rows packed without padding but for 16 bytes, so that pitches matter. */
static struct abi_texture make_texture(const struct shape *s)
{
    const struct format_info *info = format_get_info(s->format);
    struct abi_texture texture = {
        .width = s->width, .height = s->height, .depth = s->depth, .array_size = (uint16_t)s->array_size,
        .mip_count = (uint8_t)s->mips, .sample_count = (uint8_t)s->samples, .format = (uint16_t)s->format,
        .plane_count = info->plane_count, .dimension = (uint8_t)s->dimension,
    };
    uint64_t offset = 0;
    for (uint32_t mip = 0; mip < s->mips; mip++) {
        uint32_t columns = (exec_mip_extent(s->width, mip) + info->block_width - 1) / info->block_width;
        uint32_t rows = (exec_mip_extent(s->height, mip) + info->block_height - 1) / info->block_height;
        texture.mips[mip].offset = offset;
        texture.mips[mip].row_pitch = columns * info->block_bytes * s->samples + 16;
        texture.mips[mip].depth_pitch = texture.mips[mip].row_pitch * rows;
        offset += (uint64_t)texture.mips[mip].depth_pitch * exec_mip_extent(s->depth, mip);
    }
    texture.slice_bytes = offset;
    texture.size_bytes = offset * s->array_size * info->plane_count;
    texture.base = malloc(texture.size_bytes);
    for (uint64_t i = 0; i < texture.size_bytes; i++)
        texture.base[i] = (uint8_t)(i * 7 + i / 251);
    return texture;
}

static uint8_t *element(const struct abi_texture *t, uint32_t mip, uint32_t slice, uint32_t plane, uint32_t x,
                        uint32_t y, uint32_t z)
{
    struct exec_surface surface;
    assert_true(exec_surface_of_texture(t, mip, slice, plane, &surface));
    return surface.base + z * surface.slice_pitch + y * surface.row_pitch + (uint64_t)x * surface.element_bytes;
}

static struct exec_texture_location at(const struct abi_texture *texture, uint32_t mip, uint32_t slice, uint32_t plane)
{
    return (struct exec_texture_location){
        .texture = texture, .mip = mip, .slice = slice, .plane = plane, .format = texture->format};
}

static void texture_to_texture_with_a_box(void **state)
{
    struct shape shape = {FORMAT_R8G8B8A8_UNORM, 2, 17, 13, 1, 3, 3, 1};
    struct abi_texture from = make_texture(&shape), to = make_texture(&shape);
    memset(to.base, 0, to.size_bytes);
    struct exec_copy_texture copy = {
        .destination = at(&to, 1, 2, 0), .source = at(&from, 1, 1, 0), .x = 2, .y = 1, .box = {1, 2, 0, 5, 6, 1}};
    assert_int_equal(exec_copy_texture_check(&copy, NULL), STATUS_OK);
    exec_copy_texture_run(&copy);
    for (uint32_t y = 0; y < 6; y++)
        for (uint32_t x = 0; x < 8; x++) {
            static const uint8_t zero[4];
            bool inside = x >= 2 && x < 6 && y >= 1 && y < 5;
            const uint8_t *expected = inside ? element(&from, 1, 1, 0, x - 1, y + 1, 0) : zero;
            assert_memory_equal(element(&to, 1, 2, 0, x, y, 0), expected, 4);
        }
    free(from.base);
    free(to.base);
}

static void buffer_and_volume_round_trip(void **state)
{
    struct shape shape = {FORMAT_R16G16B16A16_FLOAT, 3, 6, 5, 4, 1, 1, 1};
    struct abi_texture from = make_texture(&shape), to = make_texture(&shape);
    memset(to.base, 0, to.size_bytes);
    uint8_t *buffer = calloc(1, 256 * 5 * 4);
    struct exec_texture_location footprint = {.address = (uint64_t)(uintptr_t)buffer, .format = shape.format,
                                              .width = 6, .height = 5, .depth = 4, .row_pitch = 256,
                                              .slice_pitch = 256 * 5};
    struct exec_copy_texture out = {.destination = footprint, .source = at(&from, 0, 0, 0), .box = {0, 0, 0, 6, 5, 4}};
    struct exec_copy_texture in = {.destination = at(&to, 0, 0, 0), .source = footprint, .box = {0, 0, 0, 6, 5, 4}};
    assert_int_equal(exec_copy_texture_check(&out, NULL), STATUS_OK);
    assert_int_equal(exec_copy_texture_check(&in, NULL), STATUS_OK);
    exec_copy_texture_run(&out);
    assert_memory_equal(buffer + 2 * 256 * 5 + 3 * 256 + 4 * 8, element(&from, 0, 0, 0, 4, 3, 2), 8);
    exec_copy_texture_run(&in);
    for (uint32_t z = 0; z < 4; z++)
        for (uint32_t y = 0; y < 5; y++)
            assert_memory_equal(element(&to, 0, 0, 0, 0, y, z), element(&from, 0, 0, 0, 0, y, z), 6 * 8);
    free(buffer);
    free(from.base);
    free(to.base);
}

static void blocks_copy_whole_and_meet_integers(void **state)
{
    struct shape blocks = {FORMAT_BC1_UNORM, 2, 14, 10, 1, 1, 1, 1}; /* 4 x 3 blocks, the last ones partial */
    struct shape words = {FORMAT_R32G32_UINT, 2, 4, 3, 1, 1, 1, 1};
    struct abi_texture from = make_texture(&blocks), to = make_texture(&words);
    memset(to.base, 0, to.size_bytes);
    struct exec_copy_texture copy = {
        .destination = at(&to, 0, 0, 0), .source = at(&from, 0, 0, 0), .x = 1, .y = 1, .box = {4, 4, 0, 14, 10, 1}};
    assert_int_equal(exec_copy_texture_check(&copy, NULL), STATUS_OK);
    exec_copy_texture_run(&copy);
    for (uint32_t y = 1; y < 3; y++)
        assert_memory_equal(element(&to, 0, 0, 0, 1, y, 0), element(&from, 0, 0, 0, 1, y, 0), 3 * 8);
    assert_int_equal(element(&to, 0, 0, 0, 0, 0, 0)[0], 0);
    free(from.base);
    free(to.base);
}

static void planes_are_copied_apart(void **state)
{
    struct shape shape = {FORMAT_D32_FLOAT_S8X24_UINT, 2, 4, 4, 1, 2, 1, 1};
    struct abi_texture from = make_texture(&shape), to = make_texture(&shape);
    memset(to.base, 0, to.size_bytes);
    struct exec_copy_texture copy = {
        .destination = at(&to, 0, 1, 1), .source = at(&from, 0, 0, 1), .box = {0, 0, 0, 4, 4, 1}};
    assert_int_equal(exec_copy_texture_check(&copy, NULL), STATUS_OK);
    exec_copy_texture_run(&copy);
    for (uint32_t y = 0; y < 4; y++)
        assert_memory_equal(element(&to, 0, 1, 1, 0, y, 0), element(&from, 0, 0, 1, 0, y, 0), 4);
    assert_int_equal(element(&to, 0, 1, 0, 0, 0, 0)[0], 0);
    struct exec_copy_texture_resource all = {.destination = &to, .source = &from};
    assert_int_equal(exec_copy_texture_resource_check(&to, &from, NULL), STATUS_OK);
    exec_copy_texture_resource_run(&all);
    for (uint32_t slice = 0; slice < 2; slice++)
        for (uint32_t y = 0; y < 4; y++) {
            assert_memory_equal(element(&to, 0, slice, 0, 0, y, 0), element(&from, 0, slice, 0, 0, y, 0), 16);
            assert_memory_equal(element(&to, 0, slice, 1, 0, y, 0), element(&from, 0, slice, 1, 0, y, 0), 4);
        }
    free(from.base);
    free(to.base);
}

struct refusal_case {
    const char *name;
    uint32_t to_format, x, y;
    struct exec_box box;
    const char *text; /* NULL: accepted */
};

static void rules_of_copy_texture_region(void **state)
{
    static const struct refusal_case cases[] = {
        {"whole", FORMAT_R32_FLOAT, 0, 0, {0, 0, 0, 8, 8, 1}, NULL},
        {"empty box", FORMAT_R32_FLOAT, 99, 99, {3, 3, 0, 3, 8, 1}, NULL},
        {"box leaves source", FORMAT_R32_FLOAT, 0, 0, {0, 0, 0, 9, 8, 1}, "pSrcBox ends at"},
        {"box leaves destination", FORMAT_R32_FLOAT, 1, 0, {0, 0, 0, 8, 8, 1}, "does not fit"},
        {"destination far outside", FORMAT_R32_FLOAT, UINT32_MAX, 0, {0, 0, 0, 8, 8, 1}, "does not fit"},
        {"other element size", FORMAT_R16_FLOAT, 0, 0, {0, 0, 0, 8, 8, 1}, "bytes and those of pSrc"},
    };
    struct shape shape = {FORMAT_R32_FLOAT, 2, 8, 8, 1, 1, 1, 1};
    struct abi_texture from = make_texture(&shape);
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        shape.format = cases[i].to_format;
        struct abi_texture to = make_texture(&shape);
        struct exec_copy_texture copy = {.destination = at(&to, 0, 0, 0), .source = at(&from, 0, 0, 0),
                                         .x = cases[i].x, .y = cases[i].y, .box = cases[i].box};
        struct reason reason = {0};
        enum status status = exec_copy_texture_check(&copy, &reason);
        bool matches = cases[i].text ? status == STATUS_INVALID && strstr(reason.text, cases[i].text) != NULL
                                     : status == STATUS_OK;
        if (!matches)
            fail_msg("%s: status %d, '%s'", cases[i].name, status, reason.text);
        free(to.base);
    }
    free(from.base);
}

struct tile_case {
    uint32_t format, dimension, samples, shape[3];
};

static void standard_tile_shapes(void **state)
{
    static const struct tile_case cases[] = {
        {FORMAT_R8_UNORM, 2, 1, {256, 256, 1}},          {FORMAT_R16_FLOAT, 2, 1, {256, 128, 1}},
        {FORMAT_R32_FLOAT, 2, 1, {128, 128, 1}},         {FORMAT_R32G32_FLOAT, 2, 1, {128, 64, 1}},
        {FORMAT_R32G32B32A32_FLOAT, 2, 1, {64, 64, 1}},  {FORMAT_BC1_UNORM, 2, 1, {512, 256, 1}},
        {FORMAT_BC7_UNORM, 2, 1, {256, 256, 1}},         {FORMAT_R32_FLOAT, 2, 2, {64, 128, 1}},
        {FORMAT_R32_FLOAT, 2, 4, {64, 64, 1}},           {FORMAT_R32_FLOAT, 2, 8, {32, 64, 1}},
        {FORMAT_R8_UNORM, 3, 1, {64, 32, 32}},           {FORMAT_R16_FLOAT, 3, 1, {32, 32, 32}},
        {FORMAT_R32_FLOAT, 3, 1, {32, 32, 16}},          {FORMAT_R32G32_FLOAT, 3, 1, {32, 16, 16}},
        {FORMAT_R32G32B32A32_FLOAT, 3, 1, {16, 16, 16}}, {FORMAT_BC1_UNORM, 3, 1, {128, 64, 16}},
    };
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        uint32_t shape[3];
        assert_true(exec_tile_shape(cases[i].format, cases[i].dimension, cases[i].samples, shape));
        for (int axis = 0; axis < 3; axis++)
            if (shape[axis] != cases[i].shape[axis])
                fail_msg("case %zu: %u x %u x %u", i, shape[0], shape[1], shape[2]);
    }
    uint32_t shape[3];
    assert_false(exec_tile_shape(FORMAT_R32G32B32_FLOAT, 2, 1, shape));
}

static void tiles_go_out_and_come_back(void **state)
{
    struct shape shape = {FORMAT_R8G8B8A8_UNORM, 2, 300, 200, 1, 1, 1, 1}; /* 3 x 2 tiles, the outer ones partial */
    struct abi_texture from = make_texture(&shape), to = make_texture(&shape);
    memset(to.base, 0, to.size_bytes);
    uint8_t *buffer = calloc(6, 65536);
    struct exec_copy_tiles copy = {
        .texture = &from, .buffer_address = (uint64_t)(uintptr_t)buffer, .tile_count = 6, .to_buffer = 1};
    exec_copy_tiles_run(&copy);
    assert_memory_equal(buffer + 4 * 65536 + (5 * 128 + 7) * 4, element(&from, 0, 0, 0, 128 + 7, 128 + 5, 0), 4);
    copy.texture = &to;
    copy.to_buffer = 0;
    exec_copy_tiles_run(&copy);
    for (uint32_t y = 0; y < 200; y++)
        assert_memory_equal(element(&to, 0, 0, 0, 0, y, 0), element(&from, 0, 0, 0, 0, y, 0), 300 * 4);
    free(buffer);
    free(from.base);
    free(to.base);
}

static void resolve_averages_samples(void **state)
{
    struct shape many = {FORMAT_R32_FLOAT, 2, 2, 1, 1, 1, 1, 4}, one = {FORMAT_R32_FLOAT, 2, 2, 1, 1, 1, 1, 1};
    struct abi_texture from = make_texture(&many), to = make_texture(&one);
    const float samples[8] = {1, 2, 3, 4, -8, 0, 8, 16};
    memcpy(element(&from, 0, 0, 0, 0, 0, 0), samples, sizeof(samples));
    static const float expected[4][2] = {[1] = {1, -8}, [2] = {4, 16}, [3] = {2.5f, 4}}; /* MIN, MAX, AVERAGE */
    for (uint32_t mode = 1; mode <= 3; mode++) {
        struct exec_resolve_subresource resolve = {.destination = at(&to, 0, 0, 0), .source = at(&from, 0, 0, 0),
                                                   .box = {0, 0, 0, 2, 1, 1}, .format = FORMAT_R32_FLOAT, .mode = mode};
        assert_int_equal(exec_resolve_check(&resolve, NULL), STATUS_OK);
        exec_resolve_run(&resolve);
        assert_memory_equal(element(&to, 0, 0, 0, 0, 0, 0), expected[mode], sizeof(expected[mode]));
    }
    free(from.base);
    free(to.base);
}

struct clear_case {
    const char *name;
    uint32_t kind, format;
    uint32_t values[4];
    uint8_t bytes[16];
};

static void clears_write_the_element_of_the_format(void **state)
{
    static const struct clear_case cases[] = {
        {"uint into rgba8", EXEC_CLEAR_UAV_UINT, FORMAT_R8G8B8A8_UNORM, {1, 2, 0x103, 4}, {1, 2, 3, 4}},
        {"uint into 11 11 10", EXEC_CLEAR_UAV_UINT, FORMAT_R11G11B10_FLOAT, {1, 1, 1, 9}, {1, 0x08, 0x40, 0}},
        {"uint into bgra8", EXEC_CLEAR_UAV_UINT, FORMAT_B8G8R8A8_UNORM, {1, 2, 3, 4}, {3, 2, 1, 4}},
        {"uint into r32", EXEC_CLEAR_UAV_UINT, FORMAT_R32_UINT, {0x01020304, 0, 0, 0}, {4, 3, 2, 1}},
        {"float into unorm", EXEC_CLEAR_UAV_FLOAT, FORMAT_R8G8B8A8_UNORM, /* 1, 0, 0.5, 2 */
         {0x3f800000, 0, 0x3f000000, 0x40000000}, {255, 0, 128, 255}},
        {"render target", EXEC_CLEAR_RTV, FORMAT_R32G32_FLOAT, {0x3f800000, 0x40000000, 0, 0},
         {0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}},
        {"integer render target", EXEC_CLEAR_RTV, FORMAT_R8G8B8A8_UINT,
         {0x40400000, 0x43960000, 0xbf800000, 0}, {3, 255, 0, 0}},
    };
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct shape shape = {cases[i].format, 2, 5, 4, 1, 2, 1, 1};
        struct abi_texture texture = make_texture(&shape);
        uint32_t bytes = format_get_info(cases[i].format)->block_bytes;
        uint8_t before[16];
        memcpy(before, element(&texture, 0, 1, 0, 0, 0, 0), bytes);
        struct exec_rect rect = {1, 1, 99, 3};
        struct exec_clear_view clear = {.clear_kind = cases[i].kind, .rect_count = 1, .rects = &rect};
        memcpy(clear.values, cases[i].values, sizeof(clear.values));
        clear.view.kind = cases[i].kind == EXEC_CLEAR_RTV ? ABI_DESCRIPTOR_RTV : ABI_DESCRIPTOR_TEXTURE;
        clear.view.format = (uint16_t)cases[i].format;
        clear.view.texture = (struct abi_texture_view){
            .texture = &texture, .mip_count = 1, .first_slice = 1, .slice_count = 1};
        exec_clear_view_run(&clear);
        if (memcmp(element(&texture, 0, 1, 0, 4, 2, 0), cases[i].bytes, bytes) != 0)
            fail_msg("%s: wrong element", cases[i].name);
        assert_memory_equal(element(&texture, 0, 1, 0, 0, 0, 0), before, bytes);
        free(texture.base);
    }
}

static void depth_and_stencil_clear_apart(void **state)
{
    struct shape shape = {FORMAT_D24_UNORM_S8_UINT, 2, 3, 3, 1, 1, 1, 1};
    struct abi_texture texture = make_texture(&shape);
    struct exec_clear_view clear = {.clear_kind = EXEC_CLEAR_DSV, .clear_flags = 1, .values = {0x3f800000, 7}};
    clear.view.kind = ABI_DESCRIPTOR_DSV;
    clear.view.format = (uint16_t)shape.format;
    clear.view.texture = (struct abi_texture_view){.texture = &texture, .mip_count = 1, .slice_count = 1};
    uint8_t stencil = *element(&texture, 0, 0, 1, 1, 1, 0);
    exec_clear_view_run(&clear);
    uint32_t depth;
    memcpy(&depth, element(&texture, 0, 0, 0, 1, 1, 0), sizeof(depth));
    assert_int_equal(depth & 0xffffff, 0xffffff);
    assert_int_equal(*element(&texture, 0, 0, 1, 1, 1, 0), stencil);
    clear.clear_flags = 2;
    exec_clear_view_run(&clear);
    assert_int_equal(*element(&texture, 0, 0, 1, 1, 1, 0), 7);
    free(texture.base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texture_to_texture_with_a_box),
        cmocka_unit_test(buffer_and_volume_round_trip),
        cmocka_unit_test(blocks_copy_whole_and_meet_integers),
        cmocka_unit_test(planes_are_copied_apart),
        cmocka_unit_test(rules_of_copy_texture_region),
        cmocka_unit_test(standard_tile_shapes),
        cmocka_unit_test(tiles_go_out_and_come_back),
        cmocka_unit_test(resolve_averages_samples),
        cmocka_unit_test(clears_write_the_element_of_the_format),
        cmocka_unit_test(depth_and_stencil_clear_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
