/* SPDX-License-Identifier: MIT
 * Levels of texture views and the readers of formats without a fast path (ops/texel.h). */
#include "ops/texel.h"

/* The kind of a row of the format table, as a constant expression. */
#define IS(l, t, c, layout, type, channels)                                                                   \
    (FORMAT_LAYOUT_##l == FORMAT_LAYOUT_##layout && FORMAT_TYPE_##t == FORMAT_TYPE_##type && (c) == (channels))
#define KIND(l, t, c, flags)                                                                                  \
    ((flags) & FORMAT_FLAG_COMPRESSED                                  ? TEXEL_KIND_BLOCK                     \
     : (flags) & FORMAT_FLAG_PACKED_PAIR                               ? TEXEL_KIND_PAIR                      \
     : IS(l, t, c, 8, UNORM, 4)                                        ? TEXEL_KIND_RGBA8                     \
     : IS(l, t, c, 8, SRGB, 4)                                         ? TEXEL_KIND_RGBA8_SRGB                \
     : IS(l, t, c, BGRA8, UNORM, 4)                                    ? TEXEL_KIND_BGRA8                     \
     : IS(l, t, c, BGRA8, SRGB, 4)                                     ? TEXEL_KIND_BGRA8_SRGB                \
     : IS(l, t, c, 8, UNORM, 1)                                        ? TEXEL_KIND_R8                        \
     : IS(l, t, c, 8, UNORM, 2)                                        ? TEXEL_KIND_RG8                       \
     : IS(l, t, c, 16, FLOAT, 4)                                       ? TEXEL_KIND_RGBA16F                   \
     : IS(l, t, c, 16, FLOAT, 1)                                       ? TEXEL_KIND_R16F                      \
     : IS(l, t, c, 32, FLOAT, 1)                                       ? TEXEL_KIND_R32F                      \
     : IS(l, t, c, 32, FLOAT, 2)                                       ? TEXEL_KIND_RG32F                     \
     : FORMAT_LAYOUT_##l == FORMAT_LAYOUT_32 && FORMAT_TYPE_##t != FORMAT_TYPE_TYPELESS && (c) == 4           \
         ? TEXEL_KIND_RGBA32                                                                                  \
         : TEXEL_KIND_GENERIC)
#define ROW(number, name, family, type, layout, channels, bytes, width, height, planes, flags)               \
    [number] = {KIND(layout, type, channels, flags), bytes,                                                   \
                FORMAT_TYPE_##type == FORMAT_TYPE_UINT || FORMAT_TYPE_##type == FORMAT_TYPE_SINT,             \
                FORMAT_TYPE_##type == FORMAT_TYPE_UNORM},
const struct texel_format texel_formats[FORMAT_COUNT] = {FORMAT_LIST(ROW)};

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
