/* SPDX-License-Identifier: MIT
 * Levels of texture views and the readers of formats without a fast path (ops/texel.h). */
#include "ops/texel.h"

static const uint8_t kind_of_format[FORMAT_COUNT] = {
    [FORMAT_R8G8B8A8_UNORM] = TEXEL_KIND_RGBA8,
    [FORMAT_R8G8B8A8_UNORM_SRGB] = TEXEL_KIND_RGBA8_SRGB,
    [FORMAT_B8G8R8A8_UNORM] = TEXEL_KIND_BGRA8,
    [FORMAT_B8G8R8A8_UNORM_SRGB] = TEXEL_KIND_BGRA8_SRGB,
    [FORMAT_R8_UNORM] = TEXEL_KIND_R8,
    [FORMAT_R8G8_UNORM] = TEXEL_KIND_RG8,
    [FORMAT_R16G16B16A16_FLOAT] = TEXEL_KIND_RGBA16F,
    [FORMAT_R16_FLOAT] = TEXEL_KIND_R16F,
    [FORMAT_R32_FLOAT] = TEXEL_KIND_R32F,
    [FORMAT_R32G32_FLOAT] = TEXEL_KIND_RG32F,
    [FORMAT_R32G32B32A32_FLOAT] = TEXEL_KIND_RGBA32,
    [FORMAT_R32G32B32A32_UINT] = TEXEL_KIND_RGBA32,
    [FORMAT_R32G32B32A32_SINT] = TEXEL_KIND_RGBA32,
};

void texel_view_init(struct texel_view *view, const struct abi_descriptor *descriptor)
{
    const struct format_info *info = format_get_info(descriptor->format);
    view->texture = descriptor->texture.texture;
    view->view = &descriptor->texture;
    view->format = descriptor->format;
    view->kind = descriptor->format < FORMAT_COUNT ? kind_of_format[descriptor->format] : TEXEL_KIND_GENERIC;
    if (info->flags & FORMAT_FLAG_COMPRESSED)
        view->kind = TEXEL_KIND_BLOCK;
    else if (info->flags & FORMAT_FLAG_PACKED_PAIR)
        view->kind = TEXEL_KIND_PAIR;
    view->texel_bytes = format_plane_bytes(descriptor->format, descriptor->texture.plane);
}

static int32_t mip_extent(uint32_t extent, uint32_t mip)
{
    return extent >> mip ? (int32_t)(extent >> mip) : 1;
}

void texel_level_init(struct texel_level *level, const struct texel_view *view, uint32_t mip, uint32_t slice)
{
    const struct abi_texture *texture = view->texture;
    const struct abi_texture_mip *place = &texture->mips[mip];
    uint64_t plane_slice = (uint64_t)view->view->plane * texture->array_size + slice;
    level->base = texture->base + plane_slice * texture->slice_bytes + place->offset;
    level->row_pitch = place->row_pitch;
    level->depth_pitch = place->depth_pitch;
    level->texel_bytes = view->texel_bytes * (texture->sample_count > 1 ? texture->sample_count : 1u);
    level->width = mip_extent(texture->width, mip);
    level->height = mip_extent(texture->height, mip);
    level->depth = texture->dimension == 3 ? mip_extent(texture->depth, mip) : 1;
    level->kind = view->kind;
    level->format = view->format;
}

/* Decoded blocks of this thread, found again by the block's address and trusted only if its bytes and format are still
 * the same: copies and stores into textures need not know about it. */
enum { BLOCK_CACHE_COUNT = 64 };
struct cached_block {
    uint8_t bytes[16];
    uint32_t format; /* 0: empty */
    vec4 texels[16];
};
static _Thread_local struct cached_block block_cache[BLOCK_CACHE_COUNT];

static const struct cached_block *find_block(uint32_t format, const uint8_t *block, uint32_t bytes)
{
    uint64_t number = (uint64_t)(uintptr_t)block / bytes;
    struct cached_block *entry = &block_cache[(number ^ number >> 6) % BLOCK_CACHE_COUNT];
    if (entry->format == format && memcmp(entry->bytes, block, bytes) == 0)
        return entry;
    memcpy(entry->bytes, block, bytes);
    entry->format = format;
    uint32_t words[16][4];
    format_decode_block(format, entry->bytes, words);
    memcpy(entry->texels, words, sizeof(words));
    return entry;
}

vec4 texel_fetch_block(const struct texel_level *level, int32_t x, int32_t y, int32_t z)
{
    const uint8_t *block = texel_address(level, x >> 2, y >> 2, z);
    return find_block(level->format, block, level->texel_bytes)->texels[(y & 3) * 4 + (x & 3)];
}

vec4 texel_fetch_generic(const struct texel_level *level, int32_t x, int32_t y, int32_t z)
{
    uint32_t words[4];
    if (level->kind == TEXEL_KIND_PAIR)
        format_load_block_texel(level->format, texel_address(level, x >> 1, y, z), (uint32_t)x & 1, 0, words);
    else
        format_load(level->format, texel_address(level, x, y, z), words);
    vec4 texel;
    memcpy(&texel, words, 16);
    return texel;
}
