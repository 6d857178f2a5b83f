/* SPDX-License-Identifier: MIT
 * Sampling of every dimension, filter and address mode against tests/ref/texture_ref.c at random places, and single
 * claims about borders, swizzles, clamps, seams, gathers and anisotropy. */
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
#include "ops/texture.h"
#include "ref/texture_ref.h"

enum { WIDTH = 16, HEIGHT = 8, DEPTH = 4, MIPS = 4, IDENTITY_SWIZZLE = 0x688 };

static uint32_t random_state = 1;
static float random_unit(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (float)(random_state >> 8) / 16777216.0f;
}

/* A texture of RGBA32F in the device's layout and as the reference sees it. */
struct fixture {
    struct abi_texture texture;
    struct abi_descriptor view;
    struct ref_texture ref;
    uint8_t *memory;
};

static const float *ref_texel(const struct ref_texture *ref, int mip, int slice, int x, int y, int z)
{
    const struct fixture *fixture = ref->data;
    const struct abi_texture *t = &fixture->texture;
    return (const float *)(const void *)(t->base + (uint64_t)slice * t->slice_bytes + t->mips[mip].offset +
                                         (uint64_t)z * t->mips[mip].depth_pitch + (uint64_t)y * t->mips[mip].row_pitch +
                                         (uint64_t)x * 16);
}

static uint32_t shrink(uint32_t size, uint32_t mip)
{
    return size >> mip ? size >> mip : 1;
}

static void fixture_create(struct fixture *f, uint8_t dimension, uint32_t width, uint32_t height, uint32_t depth,
                           uint32_t slices, uint32_t mips)
{
    memset(f, 0, sizeof(*f));
    struct abi_texture *t = &f->texture;
    bool is_1d = dimension <= ABI_TEXTURE_1D_ARRAY, is_3d = dimension == ABI_TEXTURE_3D;
    t->width = width;
    t->height = is_1d ? 1 : height;
    t->depth = is_3d ? depth : 1;
    t->array_size = (uint16_t)slices;
    t->mip_count = (uint8_t)mips;
    t->sample_count = 1;
    t->format = FORMAT_R32G32B32A32_FLOAT;
    t->plane_count = 1;
    t->dimension = is_1d ? 1 : is_3d ? 3 : 2;
    uint64_t offset = 0;
    for (uint32_t m = 0; m < mips; m++) {
        t->mips[m].offset = offset;
        t->mips[m].row_pitch = shrink(width, m) * 16 + 32; /* rows are not adjacent */
        t->mips[m].depth_pitch = t->mips[m].row_pitch * shrink(t->height, m);
        offset += (uint64_t)t->mips[m].depth_pitch * shrink(t->depth, m);
    }
    t->slice_bytes = offset;
    t->size_bytes = offset * slices;
    f->memory = malloc(t->size_bytes);
    t->base = f->memory;
    for (uint64_t i = 0; i < t->size_bytes / 4; i++)
        ((float *)(void *)f->memory)[i] = random_unit();
    f->view = (struct abi_descriptor){.kind = ABI_DESCRIPTOR_TEXTURE, .dimension = dimension, .format = t->format};
    f->view.texture.texture = t;
    f->view.texture.mip_count = (uint16_t)mips;
    f->view.texture.slice_count = (uint16_t)slices;
    f->view.texture.swizzle = IDENTITY_SWIZZLE;
    f->ref = (struct ref_texture){.axes = is_1d ? 1 : is_3d ? 3 : 2,
                                  .is_cube = dimension == ABI_TEXTURE_CUBE || dimension == ABI_TEXTURE_CUBE_ARRAY,
                                  .width = (int)width,
                                  .height = (int)t->height,
                                  .depth = (int)t->depth,
                                  .slice_count = (int)slices,
                                  .mip_count = (int)mips,
                                  .texel = ref_texel,
                                  .data = f};
}

static void fixture_destroy(struct fixture *f)
{
    free(f->memory);
}

static struct abi_descriptor sampler_of(uint32_t filter, uint8_t mode)
{
    struct abi_descriptor sampler = {.kind = ABI_DESCRIPTOR_SAMPLER};
    sampler.sampler = (struct abi_sampler){.filter = filter, .address = {mode, mode, mode}, .comparison = 4,
                                           .min_lod = -100.0f, .max_lod = 100.0f, .max_anisotropy = 1};
    float border[4] = {0.25f, 0.5f, 2.0f, -1.0f};
    memcpy(sampler.sampler.border, border, 16);
    return sampler;
}

struct dimension_case {
    const char *name;
    uint8_t dimension;
    uint32_t width, height, depth, slices;
};
static const struct dimension_case dimensions[] = {
    {"1D", ABI_TEXTURE_1D, WIDTH, 1, 1, 1},
    {"1D array", ABI_TEXTURE_1D_ARRAY, WIDTH, 1, 1, 3},
    {"2D", ABI_TEXTURE_2D, WIDTH, HEIGHT, 1, 1},
    {"2D odd", ABI_TEXTURE_2D, 13, 5, 1, 1},
    {"2D array", ABI_TEXTURE_2D_ARRAY, WIDTH, HEIGHT, 1, 3},
    {"3D", ABI_TEXTURE_3D, WIDTH, HEIGHT, DEPTH, 1},
    {"cube", ABI_TEXTURE_CUBE, 8, 8, 1, 6},
    {"cube array", ABI_TEXTURE_CUBE_ARRAY, 8, 8, 1, 12},
};
/* Point, mip linear, mag, min linear in all combinations; then comparison, minimum, maximum. */
static const uint32_t filters[] = {0x00, 0x01, 0x04, 0x05, 0x10, 0x11, 0x14, 0x15, 0x94, 0x80, 0x95, 0x114, 0x115, 0x195, 0x180};

static struct ops_result_32 sample_level(struct fixture *f, const struct abi_descriptor *sampler,
                                         const struct ref_sample *sample, const float coord[4])
{
    struct ops_result_32 got;
    const int *o = sample->offset;
    if (sample->is_comparison)
        ops_sample_cmp_level_f32(NULL, &f->view, sampler, coord[0], coord[1], coord[2], coord[3], o[0], o[1], o[2],
                                 (float)sample->reference, (float)sample->lod, &got);
    else
        ops_sample_level_f32(NULL, &f->view, sampler, coord[0], coord[1], coord[2], coord[3], o[0], o[1], o[2],
                             (float)sample->lod, &got);
    return got;
}

static void random_sample(const struct fixture *f, const struct dimension_case *test, struct ref_sample *sample,
                          float coord[4])
{
    uint32_t axes = (uint32_t)f->ref.axes;
    bool is_cube = f->ref.is_cube;
    *sample = (struct ref_sample){.lod = (float)(random_unit() * 6.0f - 1.5f), .reference = random_unit()};
    for (uint32_t a = 0; a < 3; a++) {
        coord[a] = is_cube ? random_unit() * 2.0f - 1.0f : random_unit() * 5.0f - 2.0f;
        sample->coord[a] = coord[a];
        sample->offset[a] = is_cube || random_state & 0x10000 ? 0 : (int)(random_unit() * 16.0f) - 8;
    }
    coord[3] = 0.0f;
    float slice = (float)(int)(random_unit() * (float)(is_cube ? test->slices / 6 : test->slices));
    sample->slice = (int)slice;
    if (test->dimension == ABI_TEXTURE_CUBE_ARRAY)
        coord[3] = slice + 0.3f;
    else if (test->slices > 1 && !is_cube)
        coord[axes] = slice - 0.4f;
}

static void check_filter(const struct dimension_case *test, struct fixture *f, uint32_t filter, uint8_t mode)
{
    struct abi_descriptor sampler = sampler_of(filter, mode);
    for (int i = 0; i < 60; i++) {
        struct ref_sample sample;
        float coord[4];
        double want[4], edge;
        random_sample(f, test, &sample, coord);
        sample.is_comparison = (filter >> 7 & 3) == 1;
        texture_ref_sample(&f->ref, &sampler.sampler, &sample, want, &edge);
        if (edge < 1e-3)
            continue;
        struct ops_result_32 got = sample_level(f, &sampler, &sample, coord);
        for (int c = 0; c < 4; c++) {
            double value = half_float_of_bits(got.value[c]);
            if (!(fabs(value - want[c]) < 2e-4))
                fail_msg("%s filter 0x%x address %u at %g %g %g %g lod %g: component %d is %g, want %g", test->name, filter,
                         mode, coord[0], coord[1], coord[2], coord[3], sample.lod, c, value, want[c]);
        }
    }
}

static void test_against_reference(void **state)
{
    for (size_t d = 0; d < ARRAY_COUNT(dimensions); d++) {
        const struct dimension_case *test = &dimensions[d];
        struct fixture f;
        uint32_t mips = test->width == 13 ? 4 : MIPS;
        fixture_create(&f, test->dimension, test->width, test->height, test->depth, test->slices, mips);
        for (size_t i = 0; i < ARRAY_COUNT(filters); i++)
            for (uint8_t mode = 1; mode <= 5; mode++)
                check_filter(test, &f, filters[i], mode);
        fixture_destroy(&f);
    }
}

static float value_of(const struct ops_result_32 *result, int component)
{
    return half_float_of_bits(result->value[component]);
}

static void test_gradients_choose_the_level(void **state)
{
    struct fixture f;
    fixture_create(&f, ABI_TEXTURE_2D, WIDTH, HEIGHT, 1, 1, MIPS);
    struct abi_descriptor sampler = sampler_of(0x15, 1);
    for (int i = 0; i < 300; i++) {
        float scale = exp2f(random_unit() * 6.0f - 5.0f);
        float ddx[2] = {random_unit() * scale, random_unit() * scale}, ddy[2] = {random_unit() * scale, -random_unit() * scale};
        double dx[3] = {ddx[0], ddx[1], 0}, dy[3] = {ddy[0], ddy[1], 0}, want[4], edge;
        struct ref_sample sample = {.coord = {0.3, 0.7, 0}, .lod = texture_ref_lod(&f.ref, dx, dy) + 0.25};
        texture_ref_sample(&f.ref, &sampler.sampler, &sample, want, &edge);
        struct ops_result_32 got, by_quad;
        sampler.sampler.mip_lod_bias = 0.25f;
        ops_sample_grad_f32(NULL, &f.view, &sampler, 0.3f, 0.7f, 0, 0, 0, 0, 0, ddx[0], ddx[1], 0, ddy[0], ddy[1], 0, 0.0f, &got);
        float lod = ops_calculate_lod_f32(NULL, &f.view, &sampler, 0.3f, 0.7f, 0, false, ddx[0], ddx[1], 0, ddy[0], ddy[1], 0);
        sampler.sampler.mip_lod_bias = 0.0f;
        ops_sample_bias_f32(NULL, &f.view, &sampler, 0.3f, 0.7f, 0, 0, 0, 0, 0, 0.25f, 0.0f, ddx[0], ddx[1], 0, ddy[0],
                            ddy[1], 0, &by_quad);
        for (int c = 0; c < 4; c++)
            assert_true(fabs(value_of(&got, c) - want[c]) < 2e-4 && fabs(value_of(&by_quad, c) - want[c]) < 2e-4);
        assert_true(fabs(lod - sample.lod) < 1e-5);
    }
    fixture_destroy(&f);
}

/* The place on the face of a direction, as texels. */
static void cube_place(const double d[3], int axis, double size, double place[2])
{
    place[0] = d[(axis + 1) % 3] / fabs(d[axis]) * 0.5 * size;
    place[1] = d[(axis + 2) % 3] / fabs(d[axis]) * 0.5 * size;
}

static void test_cube_gradients_are_projected(void **state)
{
    struct fixture f;
    fixture_create(&f, ABI_TEXTURE_CUBE, 8, 8, 1, 6, MIPS);
    struct abi_descriptor sampler = sampler_of(0x15, 1);
    for (int i = 0; i < 200; i++) {
        float d[3], g[2][3];
        double squares[2];
        int axis = i % 3;
        for (int a = 0; a < 3; a++) {
            d[a] = random_unit() * 1.8f - 0.9f;
            g[0][a] = random_unit() - 0.5f;
            g[1][a] = random_unit() - 0.5f;
        }
        d[axis] = i & 1 ? 1.0f : -1.0f;
        for (int k = 0; k < 2; k++) { /* numeric derivative of the place */
            double step = 1e-6, low[3], high[3], from[2], to[2];
            for (int a = 0; a < 3; a++) {
                low[a] = d[a] - step * g[k][a];
                high[a] = d[a] + step * g[k][a];
            }
            cube_place(low, axis, 8.0, from);
            cube_place(high, axis, 8.0, to);
            squares[k] = (pow(to[0] - from[0], 2) + pow(to[1] - from[1], 2)) / (4 * step * step);
        }
        float lod = ops_calculate_lod_f32(NULL, &f.view, &sampler, d[0], d[1], d[2], false, g[0][0], g[0][1], g[0][2],
                                          g[1][0], g[1][1], g[1][2]);
        assert_true(fabs(lod - 0.5 * log2(fmax(squares[0], squares[1]))) < 1e-3);
    }
    fixture_destroy(&f);
}

static void test_lod_clamps(void **state)
{
    struct fixture f;
    fixture_create(&f, ABI_TEXTURE_2D, WIDTH, HEIGHT, 1, 1, MIPS);
    struct abi_descriptor sampler = sampler_of(0x15, 1);
    const float *ddx = (float[]){4.0f / WIDTH, 0}, *ddy = (float[]){0, 0};
    assert_true(ops_calculate_lod_f32(NULL, &f.view, &sampler, 0, 0, 0, true, ddx[0], 0, 0, ddy[0], 0, 0) == 2.0f);
    sampler.sampler.max_lod = 1.0f;
    assert_true(ops_calculate_lod_f32(NULL, &f.view, &sampler, 0, 0, 0, true, ddx[0], 0, 0, ddy[0], 0, 0) == 1.0f);
    sampler.sampler.min_lod = 1.5f; /* wins over the maximum */
    assert_true(ops_calculate_lod_f32(NULL, &f.view, &sampler, 0, 0, 0, true, ddx[0], 0, 0, ddy[0], 0, 0) == 1.5f);
    sampler = sampler_of(0x15, 1);
    f.view.texture.min_lod = 2.0f;
    struct ops_result_32 clamped, direct;
    ops_sample_level_f32(NULL, &f.view, &sampler, 0.3f, 0.3f, 0, 0, 0, 0, 0, 0.0f, &clamped);
    f.view.texture.min_lod = 0.0f;
    ops_sample_level_f32(NULL, &f.view, &sampler, 0.3f, 0.3f, 0, 0, 0, 0, 0, 2.0f, &direct);
    assert_memory_equal(&clamped, &direct, sizeof(direct));
    f.view.texture.min_lod = 3.5f; /* no mip is left */
    ops_sample_level_f32(NULL, &f.view, &sampler, 0.3f, 0.3f, 0, 0, 0, 0, 0, 0.0f, &clamped);
    assert_true((clamped.value[0] | clamped.value[3]) == 0);
    fixture_destroy(&f);
}

static void test_view_of_mips_and_slices(void **state)
{
    struct fixture f;
    fixture_create(&f, ABI_TEXTURE_2D_ARRAY, WIDTH, HEIGHT, 1, 4, MIPS);
    struct abi_descriptor sampler = sampler_of(0x00, 1);
    f.view.texture.first_mip = 1;
    f.view.texture.mip_count = 2;
    f.view.texture.first_slice = 2;
    f.view.texture.slice_count = 2;
    struct ops_result_32 got;
    ops_sample_level_f32(NULL, &f.view, &sampler, 1.5f / 4, 0.5f / 2, 9.0f, 0, 0, 0, 0, 5.0f, &got);
    assert_memory_equal(got.value, ref_texel(&f.ref, 2, 3, 1, 0, 0), 16);
    ops_texture_load_f32(NULL, &f.view, 1, 3, 1, 1, 0, 0, 0, &got);
    assert_memory_equal(got.value, ref_texel(&f.ref, 2, 3, 3, 1, 0), 16);
    ops_texture_load_f32(NULL, &f.view, 2, 0, 0, 0, 0, 0, 0, &got); /* mip outside the view */
    assert_true((got.value[0] | got.value[1] | got.value[2] | got.value[3]) == 0);
    ops_texture_load_f32(NULL, &f.view, 0, 0, 0, 2, 0, 0, 0, &got); /* slice outside the view */
    assert_int_equal(got.value[0], 0);
    fixture_destroy(&f);
}

static void test_gather(void **state)
{
    struct fixture f;
    fixture_create(&f, ABI_TEXTURE_2D, WIDTH, HEIGHT, 1, 1, MIPS);
    struct abi_descriptor sampler = sampler_of(0x00, 1);
    struct ops_result_32 got;
    ops_texture_gather_f32(NULL, &f.view, &sampler, 5.0f / WIDTH, 3.0f / HEIGHT, 0, 0, 1, -1, 2, &got);
    static const int at[4][2] = {{5, 2}, {6, 2}, {6, 1}, {5, 1}};
    for (int i = 0; i < 4; i++)
        assert_true(value_of(&got, i) == ref_texel(&f.ref, 0, 0, at[i][0], at[i][1], 0)[2]);
    ops_texture_gather_cmp_f32(NULL, &f.view, &sampler, 5.0f / WIDTH, 3.0f / HEIGHT, 0, 0, 1, -1, 0, 0.5f, &got);
    for (int i = 0; i < 4; i++)
        assert_true(value_of(&got, i) == (0.5f <= ref_texel(&f.ref, 0, 0, at[i][0], at[i][1], 0)[0] ? 1.0f : 0.0f));
    fixture_destroy(&f);
}

static void test_swizzle(void **state)
{
    struct fixture f;
    fixture_create(&f, ABI_TEXTURE_2D, WIDTH, HEIGHT, 1, 1, 1);
    struct abi_descriptor sampler = sampler_of(0x00, 1);
    struct ops_result_32 got;
    f.view.texture.swizzle = 3 | 4 << 3 | 5 << 6 | 0 << 9; /* A, 0, 1, R */
    const float *texel = ref_texel(&f.ref, 0, 0, 2, 1, 0);
    ops_sample_level_f32(NULL, &f.view, &sampler, 2.5f / WIDTH, 1.5f / HEIGHT, 0, 0, 0, 0, 0, 0, &got);
    assert_true(value_of(&got, 0) == texel[3] && value_of(&got, 1) == 0.0f && value_of(&got, 2) == 1.0f &&
                value_of(&got, 3) == texel[0]);
    ops_texture_load_f32(NULL, &f.view, 0, 2, 1, 0, 0, 0, 0, &got);
    assert_true(value_of(&got, 0) == texel[3] && value_of(&got, 2) == 1.0f);
    ops_texture_gather_f32(NULL, &f.view, &sampler, 3.0f / WIDTH, 2.0f / HEIGHT, 0, 0, 0, 0, 3, &got);
    assert_true(value_of(&got, 3) == texel[0]);
    fixture_destroy(&f);
}

static void test_anisotropy_blurs_along_the_line_only(void **state)
{
    /* Columns alternate, rows are equal: a footprint long in y must keep the columns, one long in x must mix them. */
    struct fixture f;
    fixture_create(&f, ABI_TEXTURE_2D, 64, 64, 1, 1, 1);
    for (int y = 0; y < 64; y++)
        for (int x = 0; x < 64; x++)
            for (int c = 0; c < 4; c++)
                ((float *)(uintptr_t)ref_texel(&f.ref, 0, 0, x, y, 0))[c] = (float)(x & 1);
    struct abi_descriptor sampler = sampler_of(0x55, 1);
    sampler.sampler.max_anisotropy = 16;
    struct ops_result_32 along, across;
    ops_sample_grad_f32(NULL, &f.view, &sampler, 9.5f / 64, 0.5f, 0, 0, 0, 0, 0, 1.0f / 64, 0, 0, 0, 8.0f / 64, 0, 0, &along);
    ops_sample_grad_f32(NULL, &f.view, &sampler, 9.5f / 64, 0.5f, 0, 0, 0, 0, 0, 8.0f / 64, 0, 0, 0, 1.0f / 64, 0, 0, &across);
    assert_true(value_of(&along, 0) == 1.0f);
    assert_true(fabsf(value_of(&across, 0) - 0.5f) < 0.15f);
    assert_true(ops_calculate_lod_f32(NULL, &f.view, &sampler, 0, 0, 0, false, 1.0f / 64, 0, 0, 0, 8.0f / 64, 0) == 0.0f);
    sampler.sampler.max_anisotropy = 2; /* clamped ratio: the LOD keeps the area */
    assert_true(ops_calculate_lod_f32(NULL, &f.view, &sampler, 0, 0, 0, false, 1.0f / 64, 0, 0, 0, 8.0f / 64, 0) == 2.0f);
    fixture_destroy(&f);
}

static void test_constant_texture_stays_constant(void **state)
{
    struct fixture f;
    fixture_create(&f, ABI_TEXTURE_2D, WIDTH, HEIGHT, 1, 1, MIPS);
    for (uint64_t i = 0; i < f.texture.size_bytes / 4; i++)
        ((float *)(void *)f.memory)[i] = 0.3f;
    struct abi_descriptor sampler = sampler_of(0x15, 1);
    for (int i = 0; i < 500; i++) {
        struct ops_result_32 got;
        ops_sample_level_f32(NULL, &f.view, &sampler, random_unit(), random_unit(), 0, 0, 0, 0, 0, random_unit() * 3, &got);
        assert_true(value_of(&got, 0) == 0.3f);
    }
    fixture_destroy(&f);
}

static void test_hostile_coordinates(void **state)
{
    static const float places[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-40f, -0.0f, -1e-9f, 16777217.0f};
    struct fixture f, cube;
    fixture_create(&f, ABI_TEXTURE_3D, WIDTH, HEIGHT, DEPTH, 1, MIPS);
    fixture_create(&cube, ABI_TEXTURE_CUBE, 8, 8, 1, 6, MIPS);
    for (size_t i = 0; i < ARRAY_COUNT(places) * 5 * 2; i++) {
        struct abi_descriptor sampler = sampler_of(i % 2 ? 0x15 : 0x00, (uint8_t)(1 + i / 2 % 5));
        float u = places[i / 10], v = places[(i + 4) % ARRAY_COUNT(places)];
        struct ops_result_32 got;
        ops_sample_level_f32(NULL, &f.view, &sampler, u, v, u, v, 2147483647, -2147483647 - 1, 7, v, &got);
        ops_sample_level_f32(NULL, &cube.view, &sampler, u, v, 0.5f, v, 0, 0, 0, u, &got);
        ops_sample_grad_f32(NULL, &f.view, &sampler, u, v, u, v, 0, 0, 0, u, v, u, v, u, v, u, &got);
        ops_texture_gather_f32(NULL, &cube.view, &sampler, u, v, u, v, 0, 0, 9, &got);
    }
    fixture_destroy(&f);
    fixture_destroy(&cube);
}

static void test_null_views_give_zero(void **state)
{
    struct abi_descriptor view = {.kind = ABI_DESCRIPTOR_TEXTURE, .dimension = ABI_TEXTURE_2D,
                                  .format = FORMAT_R8G8B8A8_UNORM, .texture = {.swizzle = IDENTITY_SWIZZLE}};
    struct abi_descriptor sampler = sampler_of(0x15, 1);
    struct ops_result_32 got;
    struct ops_four_u32 dimensions_got;
    ops_sample_level_f32(NULL, &view, &sampler, 0.5f, 0.5f, 0, 0, 0, 0, 0, 0, &got);
    assert_true((got.value[0] | got.value[3]) == 0);
    ops_texture_load_f32(NULL, &view, 0, 0, 0, 0, 0, 0, 0, &got);
    assert_true((got.value[0] | got.value[3]) == 0);
    ops_texture_store_f32(NULL, &view, 0, 0, 0, 1, 1, 1, 1, 15);
    ops_get_dimensions(NULL, &view, 0, &dimensions_got);
    assert_int_equal(dimensions_got.value[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_reference),
        cmocka_unit_test(test_gradients_choose_the_level),
        cmocka_unit_test(test_cube_gradients_are_projected),
        cmocka_unit_test(test_lod_clamps),
        cmocka_unit_test(test_view_of_mips_and_slices),
        cmocka_unit_test(test_gather),
        cmocka_unit_test(test_swizzle),
        cmocka_unit_test(test_anisotropy_blurs_along_the_line_only),
        cmocka_unit_test(test_constant_texture_stays_constant),
        cmocka_unit_test(test_hostile_coordinates),
        cmocka_unit_test(test_null_views_give_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
