/* SPDX-License-Identifier: MIT
 * ID3D12Heap1: one mapping of host memory that placed and reserved resources live in. */
#ifndef CDXR_D3D12_HEAP_H
#define CDXR_D3D12_HEAP_H

#include "d3d12/device.h"
#include "exec/memory.h"

struct d3d12_heap {
    struct com_object object; /* ID3D12Heap1 */
    D3D12_HEAP_DESC desc;     /* as given, alignment filled in */
    struct exec_mapping mapping;
    bool is_foreign; /* OpenExistingHeapFromAddress: the memory is the application's */
    uint64_t map_id; /* address map */
    D3D12_RESIDENCY_PRIORITY residency_priority;
};

extern const ID3D12Heap1Vtbl d3d12_heap_vtbl;

/* NULL: NULL or not one of our heaps. */
static inline struct d3d12_heap *d3d12_heap_from(const void *heap)
{
    return com_object_from_interface(heap, &d3d12_heap_vtbl);
}

/* May the CPU map resources in a heap of these properties? */
bool d3d12_heap_is_cpu_visible(const D3D12_HEAP_PROPERTIES *properties);
/* Check the properties and flags of a heap, explicit or implicit; writes the message. call: API name. */
HRESULT d3d12_heap_check(struct d3d12_device *device, const char *call, const D3D12_HEAP_PROPERTIES *properties,
                         D3D12_HEAP_FLAGS flags);

#endif
