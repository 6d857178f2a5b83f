/* SPDX-License-Identifier: MIT
 * Tiled resources: shapes of 64 KiB tiles and the tiling of each subresource (D3D "Volume tiled resources" and
 * "Texture2D and Texture2DArray subresource tiling" in the API reference). */
#include <string.h>

#include "base/format.h"
#include "d3d12/resource_info.h"

bool d3d12_tile_shape(DXGI_FORMAT format, D3D12_RESOURCE_DIMENSION dimension, UINT sample_count,
                      D3D12_TILE_SHAPE *shape)
{
    /* Width and height in blocks of a tile for elements of 1, 2, 4, 8, 16 bytes. */
    static const struct {
        UINT width, height, depth;
    } flat[] = {{256, 256, 1}, {256, 128, 1}, {128, 128, 1}, {128, 64, 1}, {64, 64, 1}},
      volume[] = {{64, 32, 32}, {32, 32, 32}, {32, 32, 16}, {32, 16, 16}, {16, 16, 16}};
    const struct format_info *info = format_get_info(format);
    if (dimension == D3D12_RESOURCE_DIMENSION_BUFFER) {
        *shape = (D3D12_TILE_SHAPE){EXEC_TILE_BYTES, 1, 1};
        return true;
    }
    int row = 0;
    while (row < 5 && (1u << row) != info->block_bytes)
        row++;
    if (row == 5 || info->plane_count > 1 || dimension == D3D12_RESOURCE_DIMENSION_TEXTURE1D)
        return false;
    bool is_3d = dimension == D3D12_RESOURCE_DIMENSION_TEXTURE3D;
    UINT width = is_3d ? volume[row].width : flat[row].width, height = is_3d ? volume[row].height : flat[row].height;
    bool halve_width = true;
    for (UINT samples = sample_count; samples > 1; samples /= 2, halve_width = !halve_width) {
        width /= halve_width ? 2 : 1;
        height /= halve_width ? 1 : 2;
    }
    *shape = (D3D12_TILE_SHAPE){width * info->block_width, height * info->block_height, is_3d ? volume[row].depth : 1};
    return true;
}

static UINT mip_extent(uint64_t extent, UINT mip)
{
    uint64_t result = extent >> mip;
    return result ? (UINT)result : 1;
}

/* A mip whose every extent fills at least one tile is mapped tile by tile; smaller ones are packed. */
static UINT standard_mip_count(const D3D12_RESOURCE_DESC1 *desc, const D3D12_TILE_SHAPE *shape)
{
    UINT depth = desc->Dimension == D3D12_RESOURCE_DIMENSION_TEXTURE3D ? desc->DepthOrArraySize : 1;
    UINT count = 0;
    while (count < desc->MipLevels && mip_extent(desc->Width, count) >= shape->WidthInTexels &&
           mip_extent(desc->Height, count) >= shape->HeightInTexels && mip_extent(depth, count) >= shape->DepthInTexels)
        count++;
    return count;
}

static UINT tiles_across(UINT extent, UINT tile)
{
    return (extent + tile - 1) / tile;
}

static UINT packed_tile_count(const D3D12_RESOURCE_DESC1 *desc, UINT first_mip)
{
    const struct format_info *info = format_get_info(desc->Format);
    uint64_t total = 0;
    UINT depth = desc->Dimension == D3D12_RESOURCE_DIMENSION_TEXTURE3D ? desc->DepthOrArraySize : 1;
    for (UINT mip = first_mip; mip < desc->MipLevels; mip++) {
        uint64_t columns = tiles_across(mip_extent(desc->Width, mip), info->block_width);
        uint64_t rows = tiles_across(mip_extent(desc->Height, mip), info->block_height);
        total += columns * rows * mip_extent(depth, mip) * info->block_bytes * desc->SampleDesc.Count;
    }
    return (UINT)((total + EXEC_TILE_BYTES - 1) / EXEC_TILE_BYTES);
}

static void tiling_of_buffer(const D3D12_RESOURCE_DESC1 *desc, struct d3d12_tiling *tiling,
                             D3D12_SUBRESOURCE_TILING *tilings)
{
    tiling->tile_count = (UINT)((desc->Width + EXEC_TILE_BYTES - 1) / EXEC_TILE_BYTES);
    if (tilings)
        tilings[0] = (D3D12_SUBRESOURCE_TILING){tiling->tile_count, 1, 1, 0};
}

void d3d12_tiling_of(const D3D12_RESOURCE_DESC1 *desc, struct d3d12_tiling *tiling, D3D12_SUBRESOURCE_TILING *tilings)
{
    *tiling = (struct d3d12_tiling){0};
    if (!d3d12_tile_shape(desc->Format, desc->Dimension, desc->SampleDesc.Count, &tiling->shape))
        return;
    if (desc->Dimension == D3D12_RESOURCE_DIMENSION_BUFFER) {
        tiling_of_buffer(desc, tiling, tilings);
        return;
    }
    bool is_3d = desc->Dimension == D3D12_RESOURCE_DIMENSION_TEXTURE3D;
    UINT slices = is_3d ? 1 : desc->DepthOrArraySize;
    UINT standard = standard_mip_count(desc, &tiling->shape);
    tiling->packed.NumStandardMips = (UINT8)standard;
    tiling->packed.NumPackedMips = (UINT8)(desc->MipLevels - standard);
    tiling->packed.NumTilesForPackedMips = packed_tile_count(desc, standard);
    for (UINT slice = 0; slice < slices; slice++) {
        for (UINT mip = 0; mip < desc->MipLevels; mip++) {
            D3D12_SUBRESOURCE_TILING entry = {0, 0, 0, D3D12_PACKED_TILE};
            if (mip < standard) {
                entry.WidthInTiles = tiles_across(mip_extent(desc->Width, mip), tiling->shape.WidthInTexels);
                entry.HeightInTiles = (UINT16)tiles_across(mip_extent(desc->Height, mip), tiling->shape.HeightInTexels);
                entry.DepthInTiles = (UINT16)tiles_across(is_3d ? mip_extent(desc->DepthOrArraySize, mip) : 1,
                                                          tiling->shape.DepthInTexels);
                entry.StartTileIndexInOverallResource = tiling->tile_count;
                tiling->tile_count += entry.WidthInTiles * entry.HeightInTiles * entry.DepthInTiles;
            }
            if (tilings)
                tilings[slice * desc->MipLevels + mip] = entry;
        }
        if (slice == 0)
            tiling->packed.StartTileIndexInOverallResource = tiling->packed.NumPackedMips ? tiling->tile_count : 0;
        tiling->tile_count += tiling->packed.NumTilesForPackedMips;
    }
}

void d3d12_resource_tiling(struct d3d12_device *device, ID3D12Resource *iface, UINT *tile_count,
                           D3D12_PACKED_MIP_INFO *packed, D3D12_TILE_SHAPE *shape, UINT *tiling_count,
                           UINT first_tiling, D3D12_SUBRESOURCE_TILING *tilings)
{
    struct d3d12_resource *resource = d3d12_resource_from(iface);
    struct d3d12_tiling tiling = {0};
    UINT available = 0;
    static const D3D12_SUBRESOURCE_TILING packed_entry = {0, 0, 0, D3D12_PACKED_TILE};
    D3D12_SUBRESOURCE_TILING all[ABI_MAX_MIPS];
    if (!resource || !resource->is_reserved) {
        message_write(device->messages, RULE_BAD_ARGUMENT,
                      "GetResourceTiling: pTiledResource is not a reserved (tiled) resource");
    } else {
        D3D12_RESOURCE_DESC1 one_slice = resource->desc;
        d3d12_tiling_of(&resource->desc, &tiling, NULL);
        available = resource->memory.subresource_count;
        if (resource->desc.Dimension == D3D12_RESOURCE_DIMENSION_TEXTURE2D)
            one_slice.DepthOrArraySize = 1;
        struct d3d12_tiling ignored;
        d3d12_tiling_of(&one_slice, &ignored, all);
    }
    UINT written = 0;
    UINT slices = resource && resource->memory.texture.array_size ? resource->memory.texture.array_size : 1;
    UINT slice_tiles = tiling.tile_count / slices;
    for (; tilings && tiling_count && written < *tiling_count && first_tiling + written < available; written++) {
        UINT index = first_tiling + written;
        tilings[written] = all[index % resource->desc.MipLevels];
        if (memcmp(&tilings[written], &packed_entry, sizeof(packed_entry)))
            tilings[written].StartTileIndexInOverallResource += index / resource->desc.MipLevels * slice_tiles;
    }
    if (tiling_count)
        *tiling_count = written;
    if (tile_count)
        *tile_count = tiling.tile_count;
    if (packed)
        *packed = tiling.packed;
    if (shape)
        *shape = tiling.shape;
}
