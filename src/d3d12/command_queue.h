/* SPDX-License-Identifier: MIT
 * ID3D12CommandQueue over exec/queue.h. */
#ifndef CDXR_D3D12_COMMAND_QUEUE_H
#define CDXR_D3D12_COMMAND_QUEUE_H

#include "d3d12/device.h"
#include "exec/queue.h"

struct d3d12_command_queue {
    struct com_object object; /* ID3D12CommandQueue */
    D3D12_COMMAND_QUEUE_DESC desc;
    struct exec_queue *queue;
};

extern const ID3D12CommandQueueVtbl d3d12_command_queue_vtbl;

/* NULL: NULL or not one of our queues. */
static inline struct d3d12_command_queue *d3d12_command_queue_from(const void *queue)
{
    return com_object_from_interface(queue, &d3d12_command_queue_vtbl);
}

/* command_queue_tiles.c */
void STDMETHODCALLTYPE d3d12_command_queue_UpdateTileMappings(
    ID3D12CommandQueue *self, ID3D12Resource *pResource, UINT NumResourceRegions,
    const D3D12_TILED_RESOURCE_COORDINATE *pResourceRegionStartCoordinates,
    const D3D12_TILE_REGION_SIZE *pResourceRegionSizes, ID3D12Heap *pHeap, UINT NumRanges,
    const D3D12_TILE_RANGE_FLAGS *pRangeFlags, const UINT *pHeapRangeStartOffsets, const UINT *pRangeTileCounts,
    D3D12_TILE_MAPPING_FLAGS Flags);
void STDMETHODCALLTYPE d3d12_command_queue_CopyTileMappings(
    ID3D12CommandQueue *self, ID3D12Resource *pDstResource,
    const D3D12_TILED_RESOURCE_COORDINATE *pDstRegionStartCoordinate, ID3D12Resource *pSrcResource,
    const D3D12_TILED_RESOURCE_COORDINATE *pSrcRegionStartCoordinate, const D3D12_TILE_REGION_SIZE *pRegionSize,
    D3D12_TILE_MAPPING_FLAGS Flags);

#endif
