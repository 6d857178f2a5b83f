/* SPDX-License-Identifier: MIT
 * Texture access by integer coordinates: loads, stores, atomics, dimensions, sample positions (ops/sample.h, ops/native.h).
 * D3D11.3 functional specification 7.1 and 22.4 (ld, store_uav_typed, resinfo, samplepos). */
#include "base/format.h"
#include "ops/native.h"
#include "ops/sample.h"
#include "ops/swizzle.h"
#include "ops/texel.h"

/* Where integer coordinates point: filled by locate. */
struct place {
    struct texel_level level;
    int32_t x, y, z;
};

static bool is_multisampled(const struct abi_descriptor *texture)
{
    return texture->dimension == ABI_TEXTURE_2DMS || texture->dimension == ABI_TEXTURE_2DMS_ARRAY;
}

static bool is_array(uint32_t dimension)
{
    return dimension == ABI_TEXTURE_1D_ARRAY || dimension == ABI_TEXTURE_2D_ARRAY || dimension == ABI_TEXTURE_2DMS_ARRAY ||
           dimension == ABI_TEXTURE_CUBE || dimension == ABI_TEXTURE_CUBE_ARRAY;
}

static uint32_t axis_count(uint32_t dimension) /* coordinates that are no array slice */
{
    if (dimension == ABI_TEXTURE_1D || dimension == ABI_TEXTURE_1D_ARRAY)
        return 1;
    return dimension == ABI_TEXTURE_3D ? 3 : 2;
}

static bool is_usable(struct abi_thread *thread, const struct abi_descriptor *texture)
{
    if (texture->kind == ABI_DESCRIPTOR_TEXTURE)
        return texel_is_there(&texture->texture);
    ops_native_report_kind(thread, texture);
    return false;
}

/* False: out of bounds of the view. coord: x y z and slice as the dimension has them; mip: of the view. */
static bool locate(const struct abi_descriptor *texture, uint32_t mip, const int32_t coord[3], struct place *place)
{
    const struct abi_texture_view *view = &texture->texture;
    uint32_t axes = axis_count(texture->dimension);
    struct texel_view texels;
    if (mip >= view->mip_count)
        return false;
    if (view->min_lod > 0.0f && (float)(view->first_mip + mip) < (float)(int32_t)view->min_lod)
        return false;
    uint32_t slice = is_array(texture->dimension) ? (uint32_t)coord[axes] : 0;
    if (is_array(texture->dimension) && slice >= view->slice_count)
        return false;
    texel_view_init(&texels, texture);
    uint32_t resource_slice = texture->dimension == ABI_TEXTURE_3D ? 0 : view->first_slice + slice;
    texel_level_init(&place->level, &texels, view->first_mip + mip, resource_slice);
    place->x = coord[0];
    place->y = axes > 1 ? coord[1] : 0;
    place->z = axes > 2 ? coord[2] : 0;
    uint32_t depth = (uint32_t)place->level.depth;
    if (texture->is_uav && axes > 2) { /* a range of depth slices */
        if ((uint32_t)place->z >= view->slice_count)
            return false;
        place->z += view->first_slice;
    }
    return (uint32_t)place->x < (uint32_t)place->level.width && (uint32_t)place->y < (uint32_t)place->level.height &&
           (uint32_t)place->z < depth;
}

void ops_native_texture_load(struct abi_thread *thread, const struct abi_descriptor *texture, int32_t mip_or_sample,
                             const int32_t coord[3], const int32_t offset[3], uint32_t out[4])
{
    out[0] = out[1] = out[2] = out[3] = 0;
    if (!is_usable(thread, texture))
        return;
    int32_t moved[3] = {coord[0], coord[1], coord[2]};
    for (uint32_t i = 0; i < axis_count(texture->dimension); i++)
        moved[i] = (int32_t)((uint32_t)moved[i] + (uint32_t)offset[i]);
    bool has_samples = is_multisampled(texture);
    uint32_t mip = has_samples || texture->is_uav ? 0 : (uint32_t)mip_or_sample;
    struct place place;
    if (!locate(texture, mip, moved, &place) ||
        (has_samples && (uint32_t)mip_or_sample >= texture->texture.texture->sample_count)) {
        format_default(texture->format, out);
    } else {
        if (has_samples)
            place.level.base += (uint32_t)mip_or_sample * format_plane_bytes(texture->format, texture->texture.plane);
        vec4 texel = texel_fetch_kind(&place.level, place.level.kind, place.x, place.y, place.z);
        memcpy(out, &texel, 16);
    }
    swizzle_apply(texture, out);
}

void ops_native_texture_store(struct abi_thread *thread, const struct abi_descriptor *texture, const int32_t coord[3],
                              int32_t sample, const uint32_t in[4])
{
    struct place place;
    if (!is_usable(thread, texture) || !locate(texture, 0, coord, &place))
        return;
    uint8_t *address = (uint8_t *)(uintptr_t)texel_address(&place.level, place.x, place.y, place.z);
    if (is_multisampled(texture)) {
        if ((uint32_t)sample >= texture->texture.texture->sample_count)
            return;
        address += (uint32_t)sample * format_plane_bytes(texture->format, texture->texture.plane);
    }
    if (format_can_store(texture->format))
        format_store(texture->format, address, in);
}

static void *texture_atomic_address(const struct abi_descriptor *uav, const int32_t coord[3], uint32_t bytes)
{
    struct place place;
    if (!texel_is_there(&uav->texture) || format_plane_bytes(uav->format, uav->texture.plane) < bytes ||
        !locate(uav, 0, coord, &place))
        return NULL;
    return (void *)(uintptr_t)texel_address(&place.level, place.x, place.y, place.z);
}

static void *typed_atomic_address(const struct abi_descriptor *uav, uint32_t index, uint32_t bytes)
{
    uint32_t element_bytes = format_get_info(uav->format)->block_bytes;
    uint64_t end = ((uint64_t)index + 1) * element_bytes;
    if (element_bytes < bytes || end > uav->buffer.size_bytes)
        return NULL;
    return (uint8_t *)(uintptr_t)uav->buffer.address + (uint64_t)index * element_bytes;
}

void *ops_native_atomic_address(struct abi_thread *thread, const struct abi_descriptor *uav, uint32_t c0, uint32_t c1,
                                uint32_t c2, uint32_t bytes)
{
    const int32_t coord[3] = {(int32_t)c0, (int32_t)c1, (int32_t)c2};
    if (uav->kind == ABI_DESCRIPTOR_TYPED_BUFFER)
        return typed_atomic_address(uav, c0, bytes);
    if (uav->kind == ABI_DESCRIPTOR_TEXTURE)
        return texture_atomic_address(uav, coord, bytes);
    ops_native_report_kind(thread, uav);
    return NULL;
}

static void buffer_dimensions(const struct abi_descriptor *buffer, uint32_t out[4])
{
    uint64_t unit = 1;
    if (buffer->kind == ABI_DESCRIPTOR_STRUCTURED_BUFFER)
        unit = buffer->buffer.stride;
    else if (buffer->kind == ABI_DESCRIPTOR_TYPED_BUFFER)
        unit = format_get_info(buffer->format)->block_bytes;
    out[0] = unit ? (uint32_t)(buffer->buffer.size_bytes / unit) : 0;
    out[1] = buffer->kind == ABI_DESCRIPTOR_STRUCTURED_BUFFER ? buffer->buffer.stride : 0;
}

static uint32_t extent_at(uint32_t extent, uint32_t mip)
{
    return extent >> mip ? extent >> mip : 1;
}

static void texture_dimensions(const struct abi_descriptor *texture, uint32_t mip, uint32_t out[4])
{
    const struct abi_texture_view *view = &texture->texture;
    uint32_t axes = axis_count(texture->dimension);
    bool has_samples = is_multisampled(texture);
    out[3] = has_samples ? view->texture->sample_count : view->mip_count;
    if (has_samples || texture->is_uav)
        mip = 0;
    if (mip >= view->mip_count)
        return;
    mip += view->first_mip;
    out[0] = extent_at(view->texture->width, mip);
    if (axes > 1)
        out[1] = extent_at(view->texture->height, mip);
    if (axes > 2)
        out[2] = texture->is_uav ? view->slice_count : extent_at(view->texture->depth, mip);
    if (texture->dimension == ABI_TEXTURE_CUBE_ARRAY)
        out[2] = view->slice_count / 6;
    else if (is_array(texture->dimension) && texture->dimension != ABI_TEXTURE_CUBE)
        out[axes] = view->slice_count;
}

void ops_native_get_dimensions(struct abi_thread *thread, const struct abi_descriptor *resource, uint32_t mip,
                               uint32_t out[4])
{
    out[0] = out[1] = out[2] = out[3] = 0;
    switch (resource->kind) {
    case ABI_DESCRIPTOR_TYPED_BUFFER:
    case ABI_DESCRIPTOR_STRUCTURED_BUFFER:
    case ABI_DESCRIPTOR_RAW_BUFFER:
        buffer_dimensions(resource, out);
        break;
    case ABI_DESCRIPTOR_TEXTURE:
        if (resource->texture.texture)
            texture_dimensions(resource, mip, out);
        break;
    default:
        ops_native_report_kind(thread, resource);
        break;
    }
}

/* Standard patterns (D3D11.3 functional specification 19.2.4) in sixteenths of a pixel from its centre. */
static const int8_t positions_1[1][2] = {{0, 0}};
static const int8_t positions_2[2][2] = {{4, 4}, {-4, -4}};
static const int8_t positions_4[4][2] = {{-2, -6}, {6, -2}, {-6, 2}, {2, 6}};
static const int8_t positions_8[8][2] = {{1, -3}, {-1, 3}, {5, 1}, {-3, -5}, {-5, 5}, {-7, -1}, {3, 7}, {7, -7}};
static const int8_t positions_16[16][2] = {{1, 1},   {-1, -3}, {-3, 2}, {4, -1}, {-5, -2}, {2, 5},   {5, 3},  {3, -5},
                                           {-2, 6},  {0, -7},  {-4, -6}, {-6, 4}, {-8, 0}, {7, -4}, {6, 7}, {-7, -8}};

void ops_native_sample_position(struct abi_thread *thread, const struct abi_descriptor *texture, uint32_t index,
                                float out[2])
{
    out[0] = out[1] = 0.0f;
    if (!is_usable(thread, texture))
        return;
    uint32_t count = texture->texture.texture->sample_count;
    if (index >= count)
        return;
    const int8_t(*positions)[2] = positions_1;
    if (count == 2)
        positions = positions_2;
    else if (count == 4)
        positions = positions_4;
    else if (count == 8)
        positions = positions_8;
    else if (count == 16)
        positions = positions_16;
    else
        index = 0;
    out[0] = (float)positions[index][0] / 16.0f;
    out[1] = (float)positions[index][1] / 16.0f;
}
