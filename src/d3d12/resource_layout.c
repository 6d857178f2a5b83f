/* SPDX-License-Identifier: MIT
 * Linear layout of textures (abi/descriptor.h), copyable footprints and allocation sizes. */
#include <string.h>

#include "base/format.h"
#include "d3d12/resource_info.h"

enum { MIP_ALIGNMENT_BYTES = 64, ROW_ALIGNMENT_BYTES = 16 };

static uint64_t round_up(uint64_t value, uint64_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

static uint32_t mip_extent(uint64_t extent, uint32_t mip)
{
    uint64_t result = extent >> mip;
    return result ? (uint32_t)result : 1;
}

uint32_t d3d12_format_plane_count(DXGI_FORMAT format)
{
    return format_get_info(format)->plane_count;
}

D3D12_RESOURCE_DESC1 d3d12_resource_desc1(const D3D12_RESOURCE_DESC *desc)
{
    D3D12_RESOURCE_DESC1 result = {0};
    /* DESC is a prefix of DESC1, less its tail padding. */
    if (desc)
        memcpy(&result, desc, offsetof(D3D12_RESOURCE_DESC1, SamplerFeedbackMipRegion));
    return result;
}
_Static_assert(offsetof(D3D12_RESOURCE_DESC1, SamplerFeedbackMipRegion) ==
                   offsetof(D3D12_RESOURCE_DESC, Flags) + sizeof(D3D12_RESOURCE_FLAGS),
               "D3D12_RESOURCE_DESC is a prefix");

void d3d12_resource_layout(const D3D12_RESOURCE_DESC1 *desc, struct abi_texture *texture, uint64_t *total_bytes)
{
    const struct format_info *info = format_get_info(desc->Format);
    bool is_3d = desc->Dimension == D3D12_RESOURCE_DIMENSION_TEXTURE3D;
    *texture = (struct abi_texture){
        .width = (uint32_t)desc->Width,
        .height = desc->Height,
        .depth = is_3d ? desc->DepthOrArraySize : 1,
        .array_size = is_3d ? 1 : desc->DepthOrArraySize,
        .mip_count = (uint8_t)desc->MipLevels,
        .sample_count = (uint8_t)desc->SampleDesc.Count,
        .format = (uint16_t)desc->Format,
        .plane_count = info->plane_count,
        .dimension = (uint8_t)(desc->Dimension - D3D12_RESOURCE_DIMENSION_TEXTURE1D + 1),
    };
    uint64_t offset = 0;
    for (uint32_t mip = 0; mip < desc->MipLevels; mip++) {
        uint64_t columns = (mip_extent(desc->Width, mip) + info->block_width - 1) / info->block_width;
        uint64_t rows = (mip_extent(desc->Height, mip) + info->block_height - 1) / info->block_height;
        uint64_t row_pitch = round_up(columns * info->block_bytes * desc->SampleDesc.Count, ROW_ALIGNMENT_BYTES);
        texture->mips[mip].offset = offset;
        texture->mips[mip].row_pitch = (uint32_t)row_pitch;
        texture->mips[mip].depth_pitch = (uint32_t)(row_pitch * rows);
        offset = round_up(offset + row_pitch * rows * mip_extent(texture->depth, mip), MIP_ALIGNMENT_BYTES);
    }
    texture->slice_bytes = offset;
    texture->size_bytes = offset * texture->array_size * texture->plane_count;
    *total_bytes = texture->size_bytes;
}

/* --- allocation infos --- */

static D3D12_RESOURCE_ALLOCATION_INFO info_of(struct d3d12_device *device, const D3D12_RESOURCE_DESC1 *desc)
{
    D3D12_RESOURCE_ALLOCATION_INFO failed = {UINT64_MAX, D3D12_DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT};
    D3D12_RESOURCE_DESC1 checked, asked = *desc;
    struct reason reason = {{0}};
    enum rule rule = RULE_RESOURCE_DESCRIPTION;
    enum status status = d3d12_resource_check_desc(&asked, &checked, &rule, &reason);
    if (status != STATUS_OK && asked.Alignment == D3D12_SMALL_RESOURCE_PLACEMENT_ALIGNMENT &&
        asked.Dimension != D3D12_RESOURCE_DIMENSION_BUFFER) {
        asked.Alignment = 0; /* programs ask for 4 KiB and look at what they get */
        reason.text[0] = 0;
        status = d3d12_resource_check_desc(&asked, &checked, &rule, &reason);
    }
    if (status != STATUS_OK) {
        message_write(device->messages, rule, "GetResourceAllocationInfo: %s", reason.text);
        return failed;
    }
    uint64_t total = checked.Width;
    struct abi_texture texture;
    if (checked.Dimension != D3D12_RESOURCE_DIMENSION_BUFFER)
        d3d12_resource_layout(&checked, &texture, &total);
    struct d3d12_tiling tiling = {0};
    if (checked.Layout == D3D12_TEXTURE_LAYOUT_64KB_UNDEFINED_SWIZZLE)
        d3d12_tiling_of(&checked, &tiling, NULL);
    if ((uint64_t)tiling.tile_count * EXEC_TILE_BYTES > total)
        total = (uint64_t)tiling.tile_count * EXEC_TILE_BYTES;
    return (D3D12_RESOURCE_ALLOCATION_INFO){round_up(total, checked.Alignment), checked.Alignment};
}

D3D12_RESOURCE_ALLOCATION_INFO d3d12_allocation_info(struct d3d12_device *device, UINT count,
                                                     const D3D12_RESOURCE_DESC *descs0,
                                                     const D3D12_RESOURCE_DESC1 *descs1,
                                                     D3D12_RESOURCE_ALLOCATION_INFO1 *infos)
{
    D3D12_RESOURCE_ALLOCATION_INFO sum = {0, D3D12_SMALL_RESOURCE_PLACEMENT_ALIGNMENT};
    if (!count)
        return (D3D12_RESOURCE_ALLOCATION_INFO){0, 1};
    if (!descs0 && !descs1) {
        message_write(device->messages, RULE_BAD_ARGUMENT,
                      "GetResourceAllocationInfo: pResourceDescs is NULL but numResourceDescs is %u", count);
        return (D3D12_RESOURCE_ALLOCATION_INFO){UINT64_MAX, D3D12_DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT};
    }
    for (UINT i = 0; i < count; i++) {
        D3D12_RESOURCE_DESC1 desc = descs1 ? descs1[i] : d3d12_resource_desc1(&descs0[i]);
        D3D12_RESOURCE_ALLOCATION_INFO one = info_of(device, &desc);
        if (one.SizeInBytes == UINT64_MAX)
            return one;
        uint64_t offset = round_up(sum.SizeInBytes, one.Alignment);
        if (infos)
            infos[i] = (D3D12_RESOURCE_ALLOCATION_INFO1){offset, one.Alignment, one.SizeInBytes};
        sum.SizeInBytes = offset + one.SizeInBytes;
        if (one.Alignment > sum.Alignment)
            sum.Alignment = one.Alignment;
    }
    sum.SizeInBytes = round_up(sum.SizeInBytes, sum.Alignment);
    return sum;
}

/* --- copyable footprints --- */

static void footprints_fail(const struct d3d12_footprint_request *request)
{
    for (UINT i = 0; i < request->subresource_count && i < D3D12_REQ_SUBRESOURCES; i++) {
        if (request->layouts)
            memset(&request->layouts[i], 0xff, sizeof(request->layouts[i]));
        if (request->row_counts)
            request->row_counts[i] = UINT32_MAX;
        if (request->row_bytes)
            request->row_bytes[i] = UINT64_MAX;
    }
    if (request->total_bytes)
        *request->total_bytes = UINT64_MAX;
}

/* Format of a plane as copies name it. */
static DXGI_FORMAT plane_format(DXGI_FORMAT format, uint32_t plane)
{
    if (format_get_info(format)->plane_count < 2)
        return format;
    return plane ? DXGI_FORMAT_R8_TYPELESS : DXGI_FORMAT_R32_TYPELESS;
}

struct footprint {
    D3D12_SUBRESOURCE_FOOTPRINT shape;
    UINT row_count;
    UINT64 row_bytes;
};

static struct footprint footprint_of(const D3D12_RESOURCE_DESC1 *desc, UINT subresource)
{
    const struct format_info *info = format_get_info(desc->Format);
    bool is_buffer = desc->Dimension == D3D12_RESOURCE_DIMENSION_BUFFER;
    bool is_3d = desc->Dimension == D3D12_RESOURCE_DIMENSION_TEXTURE3D;
    UINT mip = subresource % desc->MipLevels;
    UINT slices = is_3d ? 1 : desc->DepthOrArraySize;
    UINT plane = subresource / desc->MipLevels / slices;
    uint64_t width = is_buffer ? desc->Width : mip_extent(desc->Width, mip);
    uint32_t height = mip_extent(desc->Height, mip);
    uint32_t bytes = is_buffer ? 1 : format_plane_bytes(desc->Format, plane);
    struct footprint result = {.shape.Format = plane_format(desc->Format, plane)};
    result.shape.Width = (UINT)round_up(width, info->block_width);
    result.shape.Height = (UINT)round_up(height, info->block_height);
    result.shape.Depth = is_3d ? mip_extent(desc->DepthOrArraySize, mip) : 1;
    result.row_count = result.shape.Height / info->block_height;
    result.row_bytes = round_up(width, info->block_width) / info->block_width * bytes;
    /* The runtime aligns rows of planar formats to twice the usual 256 bytes. */
    UINT alignment = D3D12_TEXTURE_DATA_PITCH_ALIGNMENT * d3d12_format_plane_count(desc->Format);
    result.shape.RowPitch = (UINT)round_up(result.row_bytes, alignment);
    return result;
}

static bool footprints_check(struct d3d12_device *device, const D3D12_RESOURCE_DESC1 *desc,
                             const struct d3d12_footprint_request *request, D3D12_RESOURCE_DESC1 *checked)
{
    struct reason reason = {{0}};
    enum rule rule = RULE_BAD_ARGUMENT;
    if (!desc) {
        message_write(device->messages, rule, "GetCopyableFootprints: pResourceDesc is NULL");
        return false;
    }
    if (d3d12_resource_check_desc(desc, checked, &rule, &reason) != STATUS_OK) {
        message_write(device->messages, rule, "GetCopyableFootprints: %s", reason.text);
        return false;
    }
    uint64_t slices = checked->Dimension == D3D12_RESOURCE_DIMENSION_TEXTURE3D ? 1 : checked->DepthOrArraySize;
    uint64_t subresources = slices * checked->MipLevels * d3d12_format_plane_count(checked->Format);
    if ((uint64_t)request->first_subresource + request->subresource_count > subresources) {
        message_write(device->messages, RULE_BAD_ARGUMENT,
                      "GetCopyableFootprints: FirstSubresource %u + NumSubresources %u is more than the resource's %llu",
                      request->first_subresource, request->subresource_count, (unsigned long long)subresources);
        return false;
    }
    return true;
}

void d3d12_copyable_footprints(struct d3d12_device *device, const D3D12_RESOURCE_DESC1 *desc,
                               const struct d3d12_footprint_request *request)
{
    D3D12_RESOURCE_DESC1 checked;
    if (!footprints_check(device, desc, request, &checked)) {
        footprints_fail(request);
        return;
    }
    uint64_t offset = 0, total = 0;
    for (UINT i = 0; i < request->subresource_count; i++) {
        struct footprint footprint = footprint_of(&checked, request->first_subresource + i);
        offset = round_up(total, D3D12_TEXTURE_DATA_PLACEMENT_ALIGNMENT);
        if (request->layouts) {
            request->layouts[i].Offset = request->base_offset + offset;
            request->layouts[i].Footprint = footprint.shape;
        }
        if (request->row_counts)
            request->row_counts[i] = footprint.row_count;
        if (request->row_bytes)
            request->row_bytes[i] = footprint.row_bytes;
        /* The last row of the last slice is not padded. */
        uint64_t rows = (uint64_t)footprint.row_count * footprint.shape.Depth;
        total = offset + (rows - 1) * footprint.shape.RowPitch + footprint.row_bytes;
    }
    if (request->total_bytes)
        *request->total_bytes = total;
}
