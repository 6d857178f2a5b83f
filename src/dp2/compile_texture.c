/* SPDX-License-Identifier: MIT
 * Surfaces as textures. Packed formats are sampled in place; DXT and YUV are unpacked to ARGB8888 first, and so is a
 * texture that shares memory with the target (its contents of before the draw count). */
#include "dp2/compile.h"

#include <stdint.h>

#include "dp2/context.h"

static const struct texture *find(const struct texture_cache *cache, uint32_t handle)
{
    for (uint32_t i = 0; i < cache->count; i++)
        if (cache->textures[i]->handle == handle)
            return cache->textures[i];
    return NULL;
}

static bool overlaps(const struct surface *surface, const struct draw_target *target)
{
    if (!target->memory)
        return false;
    uintptr_t start = (uintptr_t)target->memory, end = start + (size_t)target->pitch_bytes * (target->height - 1) + target->width * 4u;
    for (uint32_t i = 0; i < surface->face_count * surface->description.level_count; i++) {
        uintptr_t memory = (uintptr_t)surface->levels[i].memory;
        if (memory < end && memory + surface->levels[i].byte_count > start)
            return true;
    }
    return false;
}

static uint32_t texel(const struct surface *surface, const struct cdxr_dp2_level *level, uint32_t z, uint32_t x, uint32_t y, const uint32_t *palette)
{
    const uint8_t *slice = (const uint8_t *)level->memory + (size_t)z * (uint32_t)level->slice_bytes;
    if (surface->format.kind == FORMAT_KIND_DXT || surface->format.kind == FORMAT_KIND_YUV)
        return dp2_format_block_argb(&surface->format, slice, (uint32_t)level->pitch_bytes, x, y);
    uint32_t raw = dp2_format_raw_read(&surface->format, slice + (size_t)y * (uint32_t)level->pitch_bytes, x);
    return dp2_format_unpack_argb(&surface->format, raw, palette);
}

static bool unpack_level(struct dp2_arena *arena, const struct surface *surface, const struct cdxr_dp2_level *from, const uint32_t *palette,
                         struct texture_level *to)
{
    size_t count = (size_t)to->width * (size_t)to->height * (size_t)to->depth;
    uint32_t *out = dp2_arena_take(arena, count * 4);
    if (!out)
        return false;
    to->memory = (const uint8_t *)out;
    to->pitch_bytes = to->width * 4;
    to->slice_bytes = to->pitch_bytes * to->height;
    for (int32_t z = 0; z < to->depth; z++)
        for (int32_t y = 0; y < to->height; y++)
            for (int32_t x = 0; x < to->width; x++)
                *out++ = texel(surface, from, (uint32_t)z, (uint32_t)x, (uint32_t)y, palette);
    return true;
}

static uint8_t choose_fetch(const struct format *format)
{
    switch (format->kind) {
    case FORMAT_KIND_PALETTE: return format->pixel_bytes ? FETCH_PALETTE : FETCH_PALETTE4;
    case FORMAT_KIND_BUMP: return FETCH_BUMP;
    case FORMAT_KIND_RGB:
        if (format->pixel_bytes == 4 && format->bits[0] == 8 && format->bits[1] == 8 && format->bits[2] == 8 && format->shift[0] == 16 &&
            format->shift[1] == 8 && format->shift[2] == 0 && (format->bits[3] == 0 || (format->bits[3] == 8 && format->shift[3] == 24)))
            return FETCH_32;
        return FETCH_MASKS;
    default: return FETCH_MASKS;
    }
}

static void compile_key(const struct surface *surface, struct texture *texture)
{
    const struct format *format = &surface->format;
    uint32_t low = surface->description.color_key_low, high = surface->description.color_key_high;
    texture->has_color_key = surface->description.flags & CDXR_DP2_SURFACE_COLOR_KEY;
    for (int i = 0; i < FORMAT_CHANNELS; i++) {
        uint32_t max = dp2_format_channel_max(format, i);
        texture->key_low[i] = format->bits[i] ? low >> format->shift[i] & max : 0;
        texture->key_high[i] = format->bits[i] ? high >> format->shift[i] & max : 0;
    }
    if (format->kind == FORMAT_KIND_PALETTE) {
        texture->key_low[0] = low & 255;
        texture->key_high[0] = high & 255;
    }
}

static bool compile_levels(struct dp2_arena *arena, const struct surface *surface, bool unpack, struct texture *texture)
{
    uint32_t levels = surface->description.level_count;
    for (uint32_t i = 0; i < surface->face_count * levels; i++) {
        struct surface_extent extent = dp2_surface_level_extent(surface, i % levels);
        const struct cdxr_dp2_level *from = &surface->levels[i];
        struct texture_level *to = &texture->levels[i];
        *to = (struct texture_level){from->memory, from->pitch_bytes, from->slice_bytes, (int32_t)extent.width, (int32_t)extent.height,
                                     (int32_t)extent.depth};
        if (unpack && !unpack_level(arena, surface, from, texture->palette, to))
            return false;
    }
    return true;
}

const struct texture *dp2_compile_texture(struct cdxr_dp2_context *context, struct dp2_arena *arena, struct texture_cache *cache,
                                          uint32_t handle, const struct draw *draw)
{
    const struct surface *surface = dp2_space_surface(context->space, handle);
    if (!surface || surface->format.kind == FORMAT_KIND_BUFFER || surface->format.kind == FORMAT_KIND_DEPTH)
        return NULL;
    const struct texture *found = find(cache, handle);
    if (found)
        return found;
    struct texture *texture = dp2_arena_take(arena, sizeof(*texture));
    if (!texture)
        return NULL;
    bool unpack = surface->format.kind == FORMAT_KIND_DXT || surface->format.kind == FORMAT_KIND_YUV ||
                  (surface->format.kind != FORMAT_KIND_BUMP && (overlaps(surface, &draw->color) || overlaps(surface, &draw->depth)));
    memset(texture, 0, offsetof(struct texture, levels));
    texture->handle = handle;
    texture->format = surface->format;
    texture->fetch = unpack ? FETCH_32 : choose_fetch(&surface->format);
    texture->has_alpha = surface->format.has_alpha;
    const struct palette *palette = dp2_space_palette(context->space, surface->palette, false);
    if (surface->format.kind == FORMAT_KIND_PALETTE) {
        dp2_palette_argb(palette, texture->palette);
        texture->has_alpha = palette && palette->has_alpha;
    }
    texture->or_mask = !unpack && !surface->format.has_alpha ? 0xFF000000 : 0;
    texture->is_cube = surface->face_count == SURFACE_FACES;
    texture->is_volume = surface->description.flags & CDXR_DP2_SURFACE_VOLUME;
    texture->level_count = surface->description.level_count;
    texture->first_level = surface->lod < texture->level_count ? surface->lod : texture->level_count - 1;
    compile_key(surface, texture);
    texture->has_color_key &= !unpack;
    if (!compile_levels(arena, surface, unpack, texture))
        return NULL;
    if (cache->count < COMPILE_TEXTURE_CACHE)
        cache->textures[cache->count++] = texture;
    return texture;
}
