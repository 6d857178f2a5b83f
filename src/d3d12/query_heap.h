/* SPDX-License-Identifier: MIT
 * ID3D12QueryHeap: slots that EndQuery writes and ResolveQueryData copies. Timestamps are real; without draws,
 * occlusion, statistics and stream-output queries are zero. */
#ifndef CDXR_D3D12_QUERY_HEAP_H
#define CDXR_D3D12_QUERY_HEAP_H

#include "d3d12/device.h"

struct d3d12_query_heap {
    struct com_object object; /* ID3D12QueryHeap */
    D3D12_QUERY_HEAP_DESC desc;
    uint32_t slot_bytes; /* a multiple of 8 */
    uint64_t *slots;
};

extern const ID3D12QueryHeapVtbl d3d12_query_heap_vtbl;

/* NULL: NULL or not one of our query heaps. */
static inline struct d3d12_query_heap *d3d12_query_heap_from(const void *heap)
{
    return com_object_from_interface(heap, &d3d12_query_heap_vtbl);
}

/* Do queries of this type live in this heap? */
bool d3d12_query_heap_holds(const struct d3d12_query_heap *heap, D3D12_QUERY_TYPE type);

#endif
