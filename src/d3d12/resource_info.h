/* SPDX-License-Identifier: MIT
 * Sizes and shapes of resources that need no resource: allocation infos, copyable footprints, tilings. */
#ifndef CDXR_D3D12_RESOURCE_INFO_H
#define CDXR_D3D12_RESOURCE_INFO_H

#include "d3d12/resource.h"

/* D3D12_RESOURCE_DESC and DESC1 in one: sampler feedback region zero. */
D3D12_RESOURCE_DESC1 d3d12_resource_desc1(const D3D12_RESOURCE_DESC *desc);

/* Exactly one of descs0 and descs1; infos may be NULL. SizeInBytes UINT64_MAX and a message when a description is wrong. */
D3D12_RESOURCE_ALLOCATION_INFO d3d12_allocation_info(struct d3d12_device *device, UINT count,
                                                     const D3D12_RESOURCE_DESC *descs0,
                                                     const D3D12_RESOURCE_DESC1 *descs1,
                                                     D3D12_RESOURCE_ALLOCATION_INFO1 *infos);

struct d3d12_footprint_request {
    UINT first_subresource, subresource_count;
    UINT64 base_offset;
    D3D12_PLACED_SUBRESOURCE_FOOTPRINT *layouts; /* outputs, each may be NULL */
    UINT *row_counts;
    UINT64 *row_bytes;
    UINT64 *total_bytes;
};
/* Outputs are filled with ~0 when the description or range is wrong (and a message is written). */
void d3d12_copyable_footprints(struct d3d12_device *device, const D3D12_RESOURCE_DESC1 *desc,
                               const struct d3d12_footprint_request *request);

/* Tile shape of a format: texels of 64 KiB. dimension: D3D12_RESOURCE_DIMENSION. False: not tileable. */
bool d3d12_tile_shape(DXGI_FORMAT format, D3D12_RESOURCE_DIMENSION dimension, UINT sample_count,
                      D3D12_TILE_SHAPE *shape);
/* Tiles of a whole reserved resource, and where its packed mips begin. */
struct d3d12_tiling {
    D3D12_TILE_SHAPE shape;
    D3D12_PACKED_MIP_INFO packed;
    UINT tile_count;
};
/* tilings: room for mips * slices entries, or NULL. Buffers: one subresource. */
void d3d12_tiling_of(const D3D12_RESOURCE_DESC1 *desc, struct d3d12_tiling *tiling,
                     D3D12_SUBRESOURCE_TILING *tilings);
void d3d12_resource_tiling(struct d3d12_device *device, ID3D12Resource *resource, UINT *tile_count,
                           D3D12_PACKED_MIP_INFO *packed, D3D12_TILE_SHAPE *shape, UINT *tiling_count,
                           UINT first_tiling, D3D12_SUBRESOURCE_TILING *tilings);

#endif
