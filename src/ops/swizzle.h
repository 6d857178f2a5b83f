/* SPDX-License-Identifier: MIT
 * The component mapping of shader resource views (D3D12_SHADER_COMPONENT_MAPPING). Private to ops. */
#ifndef CDXR_OPS_SWIZZLE_H
#define CDXR_OPS_SWIZZLE_H

#include "abi/descriptor.h"
#include "base/format.h"

enum { SWIZZLE_IDENTITY = 0x688, SWIZZLE_MASK = 0xfff, SWIZZLE_FORCE_ZERO = 4, SWIZZLE_FORCE_ONE = 5 };

static inline uint32_t swizzle_one(uint32_t format)
{
    uint32_t type = format_get_info(format)->type;
    return type == FORMAT_TYPE_UINT || type == FORMAT_TYPE_SINT ? 1 : 0x3f800000;
}

/* Which component of the texel the view shows as its component c; SWIZZLE_FORCE_* for constants. */
static inline uint32_t swizzle_source(const struct abi_descriptor *texture, uint32_t c)
{
    return texture->is_uav ? c : texture->texture.swizzle >> 3 * c & 7;
}

static inline uint32_t swizzle_select(const struct abi_descriptor *texture, const uint32_t texel[4], uint32_t c)
{
    uint32_t source = swizzle_source(texture, c);
    if (source < 4)
        return texel[source];
    return source == SWIZZLE_FORCE_ONE ? swizzle_one(texture->format) : 0;
}

static inline void swizzle_apply(const struct abi_descriptor *texture, uint32_t texel[4])
{
    if (texture->is_uav || (texture->texture.swizzle & SWIZZLE_MASK) == SWIZZLE_IDENTITY)
        return;
    uint32_t mapped[4];
    for (uint32_t c = 0; c < 4; c++)
        mapped[c] = swizzle_select(texture, texel, c);
    for (uint32_t c = 0; c < 4; c++)
        texel[c] = mapped[c];
}

#endif
