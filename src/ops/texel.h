/* SPDX-License-Identifier: MIT
 * Texels in memory: from a view, a mip and a slice to a level that can be read quickly, and reading one texel. Private to
 * the texture files of ops. */
#ifndef CDXR_OPS_TEXEL_H
#define CDXR_OPS_TEXEL_H

#include <stdbool.h>
#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

#include "abi/descriptor.h"
#include "base/format.h"
#include "base/format_srgb.h"
#include "base/half.h"
#include "ops/inline.h"

typedef float vec4 __attribute__((vector_size(16)));
typedef uint32_t uvec4 __attribute__((vector_size(16)));

/* Formats with a reader of their own; the rest goes through format_load. */
enum texel_kind {
    TEXEL_KIND_GENERIC,
    TEXEL_KIND_RGBA8,
    TEXEL_KIND_RGBA8_SRGB,
    TEXEL_KIND_BGRA8,
    TEXEL_KIND_BGRA8_SRGB,
    TEXEL_KIND_R8,
    TEXEL_KIND_RG8,
    TEXEL_KIND_RGBA16F,
    TEXEL_KIND_R16F,
    TEXEL_KIND_R32F,
    TEXEL_KIND_RG32F,
    TEXEL_KIND_RGBA32, /* float or integer words */
    TEXEL_KIND_BLOCK,  /* BC */
    TEXEL_KIND_PAIR,   /* R8G8_B8G8 */
};

struct texel_level {
    const uint8_t *base; /* of the first texel, block, of depth slice 0 */
    uint32_t row_pitch, depth_pitch;
    uint32_t texel_bytes; /* of a texel or block, times the samples */
    int32_t width, height, depth;
    uint32_t kind; /* enum texel_kind */
    uint32_t format;
};

/* Properties of a format as sampling needs them, in one small row. */
struct texel_format {
    uint8_t kind;        /* enum texel_kind */
    uint8_t texel_bytes; /* of plane 0, of a texel or block; plane 1 has bytes */
    bool is_integer;
    bool is_unorm;
};
extern const struct texel_format texel_formats[FORMAT_COUNT];

/* What the view says once for all its levels. */
struct texel_view {
    const struct abi_texture *texture;
    const struct abi_texture_view *view;
    struct texel_format properties;
    uint32_t texel_bytes; /* in the view's plane, all samples */
    uint32_t format;      /* of the view */
};

OPS_HELPER void texel_view_init(struct texel_view *view, const struct abi_descriptor *descriptor)
{
    view->texture = descriptor->texture.texture;
    view->view = &descriptor->texture;
    view->format = descriptor->format < FORMAT_COUNT ? descriptor->format : 0;
    view->properties = texel_formats[view->format];
    uint32_t samples = view->texture->sample_count > 1 ? view->texture->sample_count : 1;
    view->texel_bytes = (descriptor->texture.plane ? 1u : view->properties.texel_bytes) * samples;
}

/* Has the view a texture, and has that not been destroyed? */
OPS_HELPER bool texel_is_there(const struct abi_texture_view *view)
{
    return view->texture && view->texture->base;
}

OPS_HELPER int32_t texel_mip_extent(uint32_t extent, uint32_t mip)
{
    return extent >> mip ? (int32_t)(extent >> mip) : 1;
}

/* mip and slice: of the resource, already checked. */
OPS_HELPER void texel_level_init(struct texel_level *level, const struct texel_view *view, uint32_t mip, uint32_t slice)
{
    const struct abi_texture *texture = view->texture;
    const struct abi_texture_mip *place = &texture->mips[mip];
    uint64_t plane_slice = (uint64_t)view->view->plane * texture->array_size + slice;
    level->base = texture->base + plane_slice * texture->slice_bytes + place->offset;
    level->row_pitch = place->row_pitch;
    level->depth_pitch = place->depth_pitch;
    level->texel_bytes = view->texel_bytes;
    level->width = texel_mip_extent(texture->width, mip);
    level->height = texel_mip_extent(texture->height, mip);
    level->depth = texture->dimension == 3 ? texel_mip_extent(texture->depth, mip) : 1;
    level->kind = view->properties.kind;
    level->format = view->format;
}

/* One texel of a BC block through a small cache of decoded blocks. */
vec4 texel_fetch_block(const struct texel_level *level, int32_t x, int32_t y, int32_t z);
vec4 texel_fetch_generic(const struct texel_level *level, int32_t x, int32_t y, int32_t z);

OPS_HELPER const uint8_t *texel_address(const struct texel_level *level, int32_t x, int32_t y, int32_t z)
{
    return level->base + (uint64_t)(uint32_t)z * level->depth_pitch + (uint64_t)(uint32_t)y * level->row_pitch +
           (uint64_t)(uint32_t)x * level->texel_bytes;
}

OPS_HELPER vec4 vec4_of_bytes(uint32_t word)
{
    typedef uint8_t bytes4 __attribute__((vector_size(4)));
    bytes4 bytes;
    memcpy(&bytes, &word, 4);
    return __builtin_convertvector(bytes, vec4) / 255.0f;
}

OPS_HELPER vec4 vec4_of_srgb(uint32_t word)
{
    return (vec4){format_srgb_to_linear[word & 255], format_srgb_to_linear[word >> 8 & 255],
                  format_srgb_to_linear[word >> 16 & 255], (float)(word >> 24) / 255.0f};
}

OPS_HELPER vec4 vec4_of_halves(const uint16_t halves[4])
{
#ifdef __F16C__
    __m128i packed = _mm_loadl_epi64((const __m128i *)(const void *)halves);
    return (vec4)_mm_cvtph_ps(packed);
#else
    return (vec4){half_to_float(halves[0]), half_to_float(halves[1]), half_to_float(halves[2]), half_to_float(halves[3])};
#endif
}

/* kind: a constant where it is worth it. */
OPS_HELPER vec4 texel_fetch_kind(const struct texel_level *level, uint32_t kind, int32_t x, int32_t y, int32_t z)
{
    const uint8_t *address = texel_address(level, x, y, z);
    uint32_t word;
    uint16_t halves[4];
    float floats[4];
    switch (kind) {
    case TEXEL_KIND_RGBA8:
        memcpy(&word, address, 4);
        return vec4_of_bytes(word);
    case TEXEL_KIND_RGBA8_SRGB:
        memcpy(&word, address, 4);
        return vec4_of_srgb(word);
    case TEXEL_KIND_BGRA8:
        memcpy(&word, address, 4);
        return vec4_of_bytes((word & 0xff00ff00) | (word >> 16 & 0xff) | (word & 0xff) << 16);
    case TEXEL_KIND_BGRA8_SRGB:
        memcpy(&word, address, 4);
        return vec4_of_srgb((word & 0xff00ff00) | (word >> 16 & 0xff) | (word & 0xff) << 16);
    case TEXEL_KIND_R8:
        return (vec4){(float)address[0] / 255.0f, 0, 0, 1};
    case TEXEL_KIND_RG8:
        return (vec4){(float)address[0] / 255.0f, (float)address[1] / 255.0f, 0, 1};
    case TEXEL_KIND_RGBA16F:
        memcpy(halves, address, 8);
        return vec4_of_halves(halves);
    case TEXEL_KIND_R16F:
        memcpy(halves, address, 2);
        return (vec4){half_to_float(halves[0]), 0, 0, 1};
    case TEXEL_KIND_R32F:
        memcpy(floats, address, 4);
        return (vec4){floats[0], 0, 0, 1};
    case TEXEL_KIND_RG32F:
        memcpy(floats, address, 8);
        return (vec4){floats[0], floats[1], 0, 1};
    case TEXEL_KIND_RGBA32:
        memcpy(floats, address, 16);
        return (vec4){floats[0], floats[1], floats[2], floats[3]};
    case TEXEL_KIND_BLOCK:
        return texel_fetch_block(level, x, y, z);
    default:
        return texel_fetch_generic(level, x, y, z);
    }
}

#endif
