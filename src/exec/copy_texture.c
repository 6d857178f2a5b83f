/* SPDX-License-Identifier: MIT
 * CopyTextureRegion, CopyResource of textures, CopyTiles. */
#include "exec/copy.h"

#include <string.h>

#include "base/format.h"

bool exec_surface_of_texture(const struct abi_texture *texture, uint32_t mip, uint32_t slice, uint32_t plane,
                             struct exec_surface *surface)
{
    const struct format_info *info = format_get_info(texture->format);
    uint32_t element_bytes = format_plane_bytes(texture->format, plane);
    if (!element_bytes)
        return false;
    *surface = (struct exec_surface){
        .base = texture->base + ((uint64_t)plane * texture->array_size + slice) * texture->slice_bytes +
                texture->mips[mip].offset,
        .row_pitch = texture->mips[mip].row_pitch,
        .slice_pitch = texture->mips[mip].depth_pitch,
        .width = exec_mip_extent(texture->width, mip),
        .height = exec_mip_extent(texture->height, mip),
        .depth = exec_mip_extent(texture->depth, mip),
        .block_width = info->block_width,
        .block_height = info->block_height,
        .element_bytes = element_bytes * texture->sample_count,
    };
    return true;
}

bool exec_surface_of(const struct exec_texture_location *location, struct exec_surface *surface)
{
    if (location->texture)
        return exec_surface_of_texture(location->texture, location->mip, location->slice, location->plane, surface);
    const struct format_info *info = format_get_info(location->format);
    uint32_t element_bytes = format_plane_bytes(location->format, 0);
    if (!element_bytes)
        return false;
    *surface = (struct exec_surface){
        .base = (uint8_t *)(uintptr_t)location->address,
        .row_pitch = location->row_pitch,
        .slice_pitch = location->slice_pitch,
        .width = location->width,
        .height = location->height,
        .depth = location->depth,
        .block_width = info->block_width,
        .block_height = info->block_height,
        .element_bytes = element_bytes,
    };
    return true;
}

static uint32_t divide_up(uint32_t value, uint32_t by)
{
    return value / by + (value % by != 0);
}

/* Elements that a box covers. */
struct extent {
    uint32_t columns, rows, slices;
};

static struct extent box_extent(const struct exec_box *box, const struct exec_surface *surface)
{
    return (struct extent){
        divide_up(box->right, surface->block_width) - box->left / surface->block_width,
        divide_up(box->bottom, surface->block_height) - box->top / surface->block_height,
        box->back - box->front,
    };
}

static enum status check_box(const struct exec_box *box, const struct exec_surface *source, struct reason *reason)
{
    if (box->right > source->width || box->bottom > source->height || box->back > source->depth)
        return reason_set(reason, STATUS_INVALID,
                          "pSrcBox ends at (%u, %u, %u), the source subresource is %u x %u x %u", box->right,
                          box->bottom, box->back, source->width, source->height, source->depth);
    if (box->left % source->block_width || box->top % source->block_height)
        return reason_set(reason, STATUS_INVALID,
                          "pSrcBox starts at (%u, %u), it must be a multiple of the block size %u x %u", box->left,
                          box->top, source->block_width, source->block_height);
    bool ends_on_block = (box->right % source->block_width == 0 || box->right == source->width) &&
                         (box->bottom % source->block_height == 0 || box->bottom == source->height);
    if (!ends_on_block)
        return reason_set(reason, STATUS_INVALID,
                          "pSrcBox ends at (%u, %u), it must be a multiple of the block size %u x %u or the edge",
                          box->right, box->bottom, source->block_width, source->block_height);
    return STATUS_OK;
}

enum status exec_copy_texture_check(const struct exec_copy_texture *copy, struct reason *reason)
{
    struct exec_surface destination, source;
    if (!exec_surface_of(&copy->destination, &destination))
        return reason_set(reason, STATUS_INVALID, "pDst has format %u, which cannot be copied",
                          copy->destination.format);
    if (!exec_surface_of(&copy->source, &source))
        return reason_set(reason, STATUS_INVALID, "pSrc has format %u, which cannot be copied", copy->source.format);
    if (destination.element_bytes != source.element_bytes)
        return reason_set(reason, STATUS_INVALID,
                          "elements of pDst have %u bytes and those of pSrc %u: formats or sample counts do not fit",
                          destination.element_bytes, source.element_bytes);
    if (copy->box.left >= copy->box.right || copy->box.top >= copy->box.bottom || copy->box.front >= copy->box.back)
        return STATUS_OK; /* empty: nothing is copied */
    RETURN_IF_FAILED(check_box(&copy->box, &source, reason));
    struct extent extent = box_extent(&copy->box, &source);
    if (copy->x % destination.block_width || copy->y % destination.block_height)
        return reason_set(reason, STATUS_INVALID,
                          "DstX, DstY are (%u, %u), they must be multiples of the block size %u x %u", copy->x,
                          copy->y, destination.block_width, destination.block_height);
    uint64_t end_column = (uint64_t)copy->x / destination.block_width + extent.columns;
    uint64_t end_row = (uint64_t)copy->y / destination.block_height + extent.rows;
    uint64_t end_slice = (uint64_t)copy->z + extent.slices;
    if (end_column > divide_up(destination.width, destination.block_width) ||
        end_row > divide_up(destination.height, destination.block_height) || end_slice > destination.depth)
        return reason_set(reason, STATUS_INVALID,
                          "a box of %u x %u x %u at DstX, DstY, DstZ (%u, %u, %u) does not fit into the destination of "
                          "%u x %u x %u",
                          copy->box.right - copy->box.left, copy->box.bottom - copy->box.top, extent.slices, copy->x,
                          copy->y, copy->z, destination.width, destination.height, destination.depth);
    return STATUS_OK;
}

static void copy_rows(uint8_t *to, uint64_t to_row_pitch, uint64_t to_slice_pitch, const uint8_t *from,
                      const struct exec_surface *source, const struct extent *extent)
{
    size_t row_bytes = (size_t)extent->columns * source->element_bytes;
    for (uint32_t slice = 0; slice < extent->slices; slice++)
        for (uint32_t row = 0; row < extent->rows; row++)
            memmove(to + slice * to_slice_pitch + row * to_row_pitch,
                    from + slice * source->slice_pitch + row * source->row_pitch, row_bytes);
}

static uint8_t *surface_element(const struct exec_surface *surface, uint32_t x, uint32_t y, uint32_t z)
{
    return surface->base + z * surface->slice_pitch + y / surface->block_height * surface->row_pitch +
           (uint64_t)(x / surface->block_width) * surface->element_bytes;
}

void exec_copy_texture_run(const struct exec_copy_texture *copy)
{
    const struct exec_box *box = &copy->box;
    struct exec_surface destination, source;
    if (box->left >= box->right || box->top >= box->bottom || box->front >= box->back ||
        !exec_surface_of(&copy->destination, &destination) || !exec_surface_of(&copy->source, &source))
        return;
    struct extent extent = box_extent(box, &source);
    copy_rows(surface_element(&destination, copy->x, copy->y, copy->z), destination.row_pitch,
              destination.slice_pitch, surface_element(&source, box->left, box->top, box->front), &source, &extent);
}

/* Copies that take the bits as they are (CopyResource, "Format conversion and reinterpreting copies"): a block of a
 * compressed format is an element of an integer format with as many bits. */
static bool is_block_reinterpretation(const struct format_info *a, const struct format_info *b)
{
    bool a_blocks = a->block_width > 1, b_blocks = b->block_width > 1;
    const struct format_info *plain = a_blocks ? b : a;
    return a_blocks != b_blocks && a->block_bytes == b->block_bytes &&
           (plain->type == FORMAT_TYPE_UINT || plain->type == FORMAT_TYPE_SINT);
}

enum status exec_copy_texture_resource_check(const struct abi_texture *destination, const struct abi_texture *source,
                                             struct reason *reason)
{
    const struct format_info *to = format_get_info(destination->format), *from = format_get_info(source->format);
    if (divide_up(destination->width, to->block_width) != divide_up(source->width, from->block_width) ||
        divide_up(destination->height, to->block_height) != divide_up(source->height, from->block_height) ||
        (to->block_width == from->block_width &&
         (destination->width != source->width || destination->height != source->height)) ||
        destination->depth != source->depth || destination->array_size != source->array_size ||
        destination->mip_count != source->mip_count || destination->sample_count != source->sample_count ||
        destination->dimension != source->dimension)
        return reason_set(reason, STATUS_INVALID,
                          "pDstResource is %u x %u x %u with %u slices, %u mips, %u samples and pSrcResource %u x %u x %u "
                          "with %u, %u, %u: they must be alike",
                          destination->width, destination->height, destination->depth, destination->array_size,
                          destination->mip_count, destination->sample_count, source->width, source->height,
                          source->depth, source->array_size, source->mip_count, source->sample_count);
    if (to->family != from->family && !is_block_reinterpretation(to, from))
        return reason_set(reason, STATUS_INVALID,
                          "pDstResource has format %s and pSrcResource %s: they must be of one typeless family",
                          to->name ? to->name : "UNKNOWN", from->name ? from->name : "UNKNOWN");
    return STATUS_OK;
}

void exec_copy_texture_resource_run(const struct exec_copy_texture_resource *copy)
{
    const struct abi_texture *texture = copy->destination;
    for (uint32_t plane = 0; plane < texture->plane_count; plane++)
        for (uint32_t slice = 0; slice < texture->array_size; slice++)
            for (uint32_t mip = 0; mip < texture->mip_count; mip++) {
                struct exec_surface to, from;
                if (!exec_surface_of_texture(texture, mip, slice, plane, &to) ||
                    !exec_surface_of_texture(copy->source, mip, slice, plane, &from))
                    continue;
                struct extent extent = {divide_up(to.width, to.block_width), divide_up(to.height, to.block_height),
                                        to.depth};
                struct extent given = {divide_up(from.width, from.block_width),
                                       divide_up(from.height, from.block_height), from.depth};
                /* The small mips of a block format hold a whole block, those of the integer format may hold less. */
                extent.columns = given.columns < extent.columns ? given.columns : extent.columns;
                extent.rows = given.rows < extent.rows ? given.rows : extent.rows;
                copy_rows(to.base, to.row_pitch, to.slice_pitch, from.base, &from, &extent);
            }
}

/* Standard tile shapes: 64 KiB as square as powers of two allow, wider before higher; samples halve it in turn,
 * blocks multiply it. */
bool exec_tile_shape(uint32_t format, uint32_t dimension, uint32_t sample_count, uint32_t shape[3])
{
    const struct format_info *info = format_get_info(format);
    uint32_t element_bytes = format_plane_bytes(format, 0);
    if (!element_bytes || (element_bytes & (element_bytes - 1)) || !sample_count)
        return false;
    uint32_t elements_log2 = 16 - (uint32_t)__builtin_ctz(element_bytes);
    uint32_t log2[3] = {elements_log2, 0, 0};
    if (dimension == 2) {
        log2[0] = (elements_log2 + 1) / 2;
        log2[1] = elements_log2 / 2;
        uint32_t samples_log2 = (uint32_t)__builtin_ctz(sample_count);
        log2[0] -= (samples_log2 + 1) / 2;
        log2[1] -= samples_log2 / 2;
    } else if (dimension == 3) {
        log2[0] = (elements_log2 + 2) / 3;
        log2[1] = (elements_log2 + 1) / 3;
        log2[2] = elements_log2 / 3;
    }
    shape[0] = (1u << log2[0]) * info->block_width;
    shape[1] = (1u << log2[1]) * info->block_height;
    shape[2] = 1u << log2[2];
    return true;
}

enum { TILE_BYTES = 65536 };

/* One tile of a texture to or from 64 KiB of buffer, rows one after the other; what lies beyond the edge of the
 * subresource is left alone. */
static void copy_texture_tile(const struct exec_surface *surface, const uint32_t shape[3], const uint32_t tile[3],
                              uint8_t *linear, bool to_buffer)
{
    uint32_t columns = shape[0] / surface->block_width, rows = shape[1] / surface->block_height;
    uint32_t first_column = tile[0] * columns, first_row = tile[1] * rows, first_slice = tile[2] * shape[2];
    uint32_t all_columns = divide_up(surface->width, surface->block_width);
    uint32_t all_rows = divide_up(surface->height, surface->block_height);
    if (first_column >= all_columns || first_row >= all_rows || first_slice >= surface->depth)
        return;
    uint32_t used_columns = columns < all_columns - first_column ? columns : all_columns - first_column;
    size_t row_bytes = (size_t)used_columns * surface->element_bytes;
    for (uint32_t slice = 0; slice < shape[2] && first_slice + slice < surface->depth; slice++)
        for (uint32_t row = 0; row < rows && first_row + row < all_rows; row++) {
            uint8_t *texels = surface->base + (first_slice + slice) * surface->slice_pitch +
                              (first_row + row) * surface->row_pitch +
                              (uint64_t)first_column * surface->element_bytes;
            uint8_t *bytes = linear + (uint64_t)(slice * rows + row) * columns * surface->element_bytes;
            memcpy(to_buffer ? bytes : texels, to_buffer ? texels : bytes, row_bytes);
        }
}

/* Tiles of a subresource are counted x first, then y, then z. */
static void copy_texture_tiles(const struct exec_copy_tiles *copy)
{
    const struct abi_texture *texture = copy->texture;
    uint32_t mip = copy->subresource % texture->mip_count;
    uint32_t slice = copy->subresource / texture->mip_count % texture->array_size;
    uint32_t shape[3];
    struct exec_surface surface;
    if (!exec_tile_shape(texture->format, texture->dimension, texture->sample_count, shape) ||
        !exec_surface_of_texture(texture, mip, slice, 0, &surface))
        return;
    uint32_t tiles_x = copy->use_box ? copy->width : divide_up(surface.width, shape[0]);
    uint32_t tiles_y = copy->use_box ? copy->height : divide_up(surface.height, shape[1]);
    uint64_t start =
        copy->use_box ? 0 : copy->x + (uint64_t)tiles_x * (copy->y + (uint64_t)tiles_y * copy->z);
    for (uint32_t i = 0; i < copy->tile_count; i++) {
        uint64_t index = start + i;
        uint32_t tile[3] = {(uint32_t)(index % tiles_x), (uint32_t)(index / tiles_x % tiles_y),
                            (uint32_t)(index / tiles_x / tiles_y)};
        if (copy->use_box) {
            tile[0] += copy->x;
            tile[1] += copy->y;
            tile[2] += copy->z;
        }
        copy_texture_tile(&surface, shape, tile, (uint8_t *)(uintptr_t)copy->buffer_address + (uint64_t)i * TILE_BYTES,
                          copy->to_buffer);
    }
}

void exec_copy_tiles_run(const struct exec_copy_tiles *copy)
{
    if (copy->texture) {
        copy_texture_tiles(copy);
        return;
    }
    uint8_t *tiled = (uint8_t *)(uintptr_t)copy->tiled_address + (uint64_t)copy->x * TILE_BYTES;
    uint8_t *linear = (uint8_t *)(uintptr_t)copy->buffer_address;
    memcpy(copy->to_buffer ? linear : tiled, copy->to_buffer ? tiled : linear,
           (size_t)copy->tile_count * TILE_BYTES);
}
