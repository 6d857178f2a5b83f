/* SPDX-License-Identifier: MIT
 * Texture accesses that end inside the shader: loads, stores and bilinear samples of two-dimensional views of the common
 * formats. What depends on the descriptor alone is read without branches, so that LLVM moves it out of loops; everything
 * else (other shapes, formats, filters, places outside) is left to the native functions of ops/sample.h, with equal
 * results. Included by texture_entry.c. */
#ifndef CDXR_OPS_QUICK_H
#define CDXR_OPS_QUICK_H

#include "abi/descriptor.h"
#include "base/format.h"
#include "ops/filter.h"
#include "ops/inline.h"
#include "ops/swizzle.h"

/* One level of a view; width 0: not for quick accesses. */
struct quick_level {
    uint8_t *base;
    uint32_t row_pitch, width, height;
};

/* Stands in for the texture of other descriptors: its fields may be read like any texture's. */
static const struct abi_texture quick_nothing = {0};

/* mip: of the view. */
OPS_HELPER struct quick_level quick_level_of(const struct abi_descriptor *d, uint32_t mip)
{
    const struct abi_texture_view *view = &d->texture;
    bool fits = (d->kind == ABI_DESCRIPTOR_TEXTURE) & (d->dimension == ABI_TEXTURE_2D) & (view->texture != 0) &
                (view->plane == 0) & !(view->min_lod > 0.0f) & (mip < view->mip_count) &
                ((d->is_uav != 0) | ((view->swizzle & SWIZZLE_MASK) == SWIZZLE_IDENTITY));
    const struct abi_texture *texture = fits ? view->texture : &quick_nothing;
    uint32_t first_mip = view->first_mip, level = fits ? mip + first_mip : 0;
    level = level < ABI_MAX_MIPS ? level : 0;
    uint32_t width = texture->width >> level, height = texture->height >> level;
    const struct abi_texture_mip *place = &texture->mips[level];
    fits &= texture->base != 0;
    uintptr_t start = (uintptr_t)texture->base + view->first_slice * texture->slice_bytes + place->offset; /* base may be 0 */
    return (struct quick_level){(uint8_t *)start, place->row_pitch,
                                fits ? (width ? width : 1) : 0, height ? height : 1};
}

/* Bytes of a texel that is read or written here; 0: none. */
OPS_HELPER uint32_t quick_texel_bytes(const struct abi_descriptor *d)
{
    uint32_t format = d->format;
    return format == FORMAT_R32G32B32A32_FLOAT                                  ? 16
           : format == FORMAT_R8G8B8A8_UNORM || format == FORMAT_R32_FLOAT ? 4
                                                                           : 0;
}

/* NULL: outside, or not quick. */
OPS_HELPER uint8_t *quick_texel(const struct abi_descriptor *d, uint32_t mip, uint32_t x, uint32_t y, uint32_t bytes)
{
    struct quick_level level = quick_level_of(d, mip);
    level.width = bytes ? level.width : 0;
    if (x >= level.width || y >= level.height)
        return 0;
    return level.base + (uint64_t)y * level.row_pitch + (uint64_t)x * bytes;
}

OPS_HELPER vec4 quick_unorm8(const uint8_t *texel)
{
    typedef uint8_t bytes4 __attribute__((vector_size(4)));
    bytes4 bytes;
    __builtin_memcpy(&bytes, texel, 4);
    return __builtin_convertvector(bytes, vec4) / 255.0f;
}

OPS_HELPER bool quick_load(const struct abi_descriptor *d, uint32_t mip, uint32_t x, uint32_t y, uint32_t words[4])
{
    uint32_t bytes = quick_texel_bytes(d);
    const uint8_t *texel = quick_texel(d, d->is_uav ? 0 : mip, x, y, bytes);
    if (__builtin_expect(!texel, 0))
        return false;
    if (bytes == 16) {
        __builtin_memcpy(words, texel, 16);
    } else if (d->format == FORMAT_R32_FLOAT) {
        __builtin_memcpy(words, texel, 4);
        words[1] = words[2] = 0;
        words[3] = float_bits(1.0f);
    } else {
        vec4 value = quick_unorm8(texel);
        __builtin_memcpy(words, &value, 16);
    }
    return true;
}

OPS_HELPER bool quick_store(const struct abi_descriptor *d, uint32_t x, uint32_t y, const uint32_t words[4])
{
    uint32_t bytes = d->format == FORMAT_R32G32B32A32_FLOAT ? 16 : d->format == FORMAT_R32_FLOAT ? 4 : 0;
    uint8_t *texel = quick_texel(d, 0, x, y, bytes);
    if (texel)
        __builtin_memcpy(texel, words, bytes);
    return texel != 0;
}

/* --- bilinear samples --------------------------------------------------------------------------------------------------- */

struct quick_axis {
    uint32_t index[2];
    float weight;
};

/* As axis_linear of filter.c for WRAP and CLAMP without offsets. False: another mode, or too far away. */
OPS_HELPER bool quick_axis(float u, uint32_t mode, uint32_t size, struct quick_axis *axis)
{
    bool wraps = mode == FILTER_ADDRESS_WRAP;
    if (!(__builtin_fabsf(u) < 0x1p23f) || (!wraps && mode != FILTER_ADDRESS_CLAMP))
        return false;
    float least = u < 10.0f ? u : 10.0f, inside = wraps ? u - __builtin_floorf(u) : least > -10.0f ? least : -10.0f;
    float scaled = inside * (float)size - 0.5f, whole = __builtin_floorf(scaled);
    int32_t first = (int32_t)whole, second = first + 1, last = (int32_t)size - 1;
    axis->weight = scaled - whole;
    axis->index[0] = (uint32_t)(first < 0 ? (wraps ? last : 0) : first > last ? last : first);
    axis->index[1] = (uint32_t)(second < 0 ? 0 : second > last ? (wraps ? 0 : last) : second);
    return true;
}

/* The level that sample.c chooses for this LOD, or UINT32_MAX where it mixes two. No clamps but the sampler's. */
OPS_HELPER uint32_t quick_mip(const struct abi_descriptor *texture, const struct abi_sampler *sampler, float lod)
{
    float last = texture->texture.mip_count ? (float)(texture->texture.mip_count - 1) : 0.0f; /* 0: no texture */
    lod += sampler->mip_lod_bias;
    lod = lod < sampler->max_lod ? lod : sampler->max_lod;
    lod = lod > sampler->min_lod ? lod : sampler->min_lod;
    lod = lod > 0.0f ? lod : 0.0f;
    lod = lod < last ? lod : last;
    if (!(sampler->filter & FILTER_BIT_MIP_LINEAR))
        return (uint32_t)(lod + 0.5f);
    return lod > (float)(uint32_t)lod ? UINT32_MAX : (uint32_t)lod;
}

OPS_HELPER bool quick_sampler_fits(const struct abi_descriptor *sampler)
{
    uint32_t linear = FILTER_BIT_MAG_LINEAR | FILTER_BIT_MIN_LINEAR;
    return sampler->kind == ABI_DESCRIPTOR_SAMPLER && (sampler->sampler.filter & linear) == linear &&
           sampler->sampler.filter >> FILTER_REDUCTION_SHIFT == FILTER_REDUCTION_STANDARD;
}

OPS_HELPER vec4 quick_lerp(vec4 a, vec4 b, float weight)
{
    return a + (b - a) * weight;
}

OPS_HELPER vec4 quick_fetch(const struct quick_level *level, uint32_t x, uint32_t y, bool is_unorm8)
{
    const uint8_t *texel = level->base + (uint64_t)y * level->row_pitch + (uint64_t)x * (is_unorm8 ? 4 : 16);
    if (is_unorm8)
        return quick_unorm8(texel);
    vec4 value;
    __builtin_memcpy(&value, texel, 16);
    return value;
}

OPS_HELPER vec4 quick_bilinear(const struct quick_level *level, const struct quick_axis *x, const struct quick_axis *y,
                               bool is_unorm8)
{
    vec4 t00 = quick_fetch(level, x->index[0], y->index[0], is_unorm8);
    vec4 t10 = quick_fetch(level, x->index[1], y->index[0], is_unorm8);
    vec4 t01 = quick_fetch(level, x->index[0], y->index[1], is_unorm8);
    vec4 t11 = quick_fetch(level, x->index[1], y->index[1], is_unorm8);
    return quick_lerp(quick_lerp(t00, t10, x->weight), quick_lerp(t01, t11, x->weight), y->weight);
}

/* The sample at (u, v) of a level given by lod; false: ask the native function. */
static bool quick_sample(const struct abi_descriptor *texture, const struct abi_descriptor *sampler, float u, float v,
                         float lod, uint32_t words[4])
{
    uint32_t format = texture->format;
    bool is_unorm8 = format == FORMAT_R8G8B8A8_UNORM;
    if ((!is_unorm8 && format != FORMAT_R32G32B32A32_FLOAT) || texture->kind != ABI_DESCRIPTOR_TEXTURE ||
        texture->is_uav || !quick_sampler_fits(sampler))
        return false;
    struct quick_level level = quick_level_of(texture, quick_mip(texture, &sampler->sampler, lod));
    struct quick_axis x, y;
    if (!level.width || !quick_axis(u, sampler->sampler.address[0], level.width, &x) ||
        !quick_axis(v, sampler->sampler.address[1], level.height, &y))
        return false;
    vec4 value = is_unorm8 ? quick_bilinear(&level, &x, &y, true) : quick_bilinear(&level, &x, &y, false);
    __builtin_memcpy(words, &value, 16);
    return true;
}

#endif
