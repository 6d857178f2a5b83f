/* SPDX-License-Identifier: MIT
 * ID3D12DescriptorHeap: an array of struct abi_descriptor. CPU handle = GPU handle = host address of a descriptor. */
#ifndef CDXR_D3D12_DESCRIPTOR_HEAP_H
#define CDXR_D3D12_DESCRIPTOR_HEAP_H

#include "abi/descriptor.h"
#include "d3d12/device.h"
#include "exec/memory.h"

enum { D3D12_DESCRIPTOR_BYTES = sizeof(struct abi_descriptor) };

struct d3d12_descriptor_heap {
    struct com_object object; /* ID3D12DescriptorHeap */
    D3D12_DESCRIPTOR_HEAP_DESC desc;
    struct abi_descriptor *descriptors;
    struct exec_mapping mapping;
    uint64_t map_id;
};

extern const ID3D12DescriptorHeapVtbl d3d12_descriptor_heap_vtbl;

/* NULL: NULL or not one of our heaps. */
static inline struct d3d12_descriptor_heap *d3d12_descriptor_heap_from(const void *heap)
{
    return com_object_from_interface(heap, &d3d12_descriptor_heap_vtbl);
}

/* Descriptors of one heap from handle on: NULL (and a message naming call) unless [handle, handle + count) lies in a live
 * heap of the type. type -1: CBV_SRV_UAV of any kind. *heap may be NULL. */
struct abi_descriptor *d3d12_descriptor_resolve(struct d3d12_device *device, const char *call, uint64_t handle,
                                                uint64_t count, D3D12_DESCRIPTOR_HEAP_TYPE type,
                                                struct d3d12_descriptor_heap **heap);

/* Resource that a view descriptor was made from, or NULL (null descriptor, or the resource is gone). For clears and
 * copies through descriptors; buffer views by address, texture views by their struct abi_texture. */
struct d3d12_resource *d3d12_descriptor_resource(struct d3d12_device *device, const struct abi_descriptor *descriptor);

#endif
