/* SPDX-License-Identifier: MIT
 * Copies between buffers and textures: the check (used when recording) and the copy (used when executing). Texture
 * memory is linear (abi/descriptor.h), so every copy is a box of rows of elements; an element is a texel with all its
 * samples, or a block. */
#ifndef CDXR_EXEC_COPY_H
#define CDXR_EXEC_COPY_H

#include <stdbool.h>

#include "base/status.h"
#include "exec/stream.h"

/* Texels of one mip of a texture. */
static inline uint32_t exec_mip_extent(uint32_t texels, uint32_t mip)
{
    return texels >> mip ? texels >> mip : 1;
}

/* Where element rows are. */
struct exec_surface {
    uint8_t *base; /* element (0, 0, 0) */
    uint64_t row_pitch, slice_pitch;
    uint32_t width, height, depth; /* texels */
    uint32_t block_width, block_height;
    uint32_t element_bytes;
};

/* A subresource, or a footprint in a buffer. False: the format has no elements (not supported). */
bool exec_surface_of(const struct exec_texture_location *location, struct exec_surface *surface);
/* A mip of a slice and plane; format 0: the resource's own. */
bool exec_surface_of_texture(const struct abi_texture *texture, uint32_t mip, uint32_t slice, uint32_t plane,
                             struct exec_surface *surface);

/* All rules of CopyTextureRegion that concern geometry and formats. box in copy->box must be filled in (the whole source
 * when the application gave none). The reason names parameter, value and rule. */
MUST_USE enum status exec_copy_texture_check(const struct exec_copy_texture *copy, struct reason *reason);
void exec_copy_texture_run(const struct exec_copy_texture *copy);
/* Same dimensions, mips, slices, planes; formats of equal element bytes. */
MUST_USE enum status exec_copy_texture_resource_check(const struct abi_texture *destination,
                                                      const struct abi_texture *source, struct reason *reason);
void exec_copy_texture_resource_run(const struct exec_copy_texture_resource *copy);
void exec_copy_tiles_run(const struct exec_copy_tiles *copy);
/* destination and source: same typed format after resolution; format decides how samples are combined. */
MUST_USE enum status exec_resolve_check(const struct exec_resolve_subresource *resolve, struct reason *reason);
void exec_resolve_run(const struct exec_resolve_subresource *resolve);

/* Texels of a 64 KiB tile (standard tile shapes): 1D, 2D and 3D textures; false: no tiling for the format. */
bool exec_tile_shape(uint32_t format, uint32_t dimension, uint32_t sample_count, uint32_t shape[3]);

/* exec/clear.c */
void exec_clear_view_run(const struct exec_clear_view *clear);

#endif
