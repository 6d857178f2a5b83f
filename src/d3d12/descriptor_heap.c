/* SPDX-License-Identifier: MIT */
#include "d3d12/descriptor_heap.h"

#include <stdlib.h>

#include "d3d12/create.h"
#include "d3d12/resource.h"

enum { SHADER_VISIBLE_MAX = 1000000, SAMPLERS_MAX = 2048, DESCRIPTORS_MAX = 1 << 26 };

static void heap_destroy(struct com_object *object)
{
    struct d3d12_descriptor_heap *heap = (struct d3d12_descriptor_heap *)object;
    address_map_remove(d3d12_device_of(object)->address_map, heap->map_id, (uintptr_t)heap->descriptors);
    exec_mapping_finish(&heap->mapping);
    com_object_finish(object);
    free(heap);
}

static const struct com_iid_offset heap_interfaces[] = {
    {&IID_ID3D12Object, 0},
    {&IID_ID3D12DeviceChild, 0},
    {&IID_ID3D12Pageable, 0},
    {&IID_ID3D12DescriptorHeap, 0},
};
static const struct com_class heap_class = {
    .name = "ID3D12DescriptorHeap",
    .interfaces = heap_interfaces,
    .interface_count = ARRAY_COUNT(heap_interfaces),
    .destroy = heap_destroy,
    .retire = d3d12_object_retire,
};

static HRESULT check_desc(struct d3d12_device *device, const D3D12_DESCRIPTOR_HEAP_DESC *desc)
{
    if (!desc)
        return d3d12_fail(device, E_INVALIDARG, RULE_DESCRIPTOR_HEAP, "CreateDescriptorHeap: pDescriptorHeapDesc is NULL");
    if (desc->Type < 0 || desc->Type >= D3D12_DESCRIPTOR_HEAP_TYPE_NUM_TYPES)
        return d3d12_fail(device, E_INVALIDARG, RULE_DESCRIPTOR_HEAP,
                          "CreateDescriptorHeap: Type %d is no D3D12_DESCRIPTOR_HEAP_TYPE", desc->Type);
    bool visible = desc->Flags & D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE;
    if (desc->Flags & ~D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE)
        return d3d12_fail(device, E_INVALIDARG, RULE_DESCRIPTOR_HEAP, "CreateDescriptorHeap: Flags 0x%x has unknown bits",
                          desc->Flags);
    if (visible && desc->Type != D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV &&
        desc->Type != D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER)
        return d3d12_fail(device, E_INVALIDARG, RULE_DESCRIPTOR_HEAP,
                          "CreateDescriptorHeap: Type %d (RTV or DSV) cannot be SHADER_VISIBLE", desc->Type);
    UINT limit = !visible ? DESCRIPTORS_MAX
                          : desc->Type == D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER ? SAMPLERS_MAX : SHADER_VISIBLE_MAX;
    if (desc->NumDescriptors == 0 || desc->NumDescriptors > limit)
        return d3d12_fail(device, E_INVALIDARG, RULE_DESCRIPTOR_HEAP,
                          "CreateDescriptorHeap: NumDescriptors is %u, this type of heap has 1 to %u", desc->NumDescriptors,
                          limit);
    if (desc->NodeMask > 1)
        return d3d12_fail(device, E_INVALIDARG, RULE_DESCRIPTOR_HEAP,
                          "CreateDescriptorHeap: NodeMask 0x%x, the adapter has node 0 only", desc->NodeMask);
    return S_OK;
}

HRESULT d3d12_descriptor_heap_create(struct d3d12_device *device, const D3D12_DESCRIPTOR_HEAP_DESC *desc, REFIID riid,
                                     void **out)
{
    if (out)
        *out = NULL;
    HRESULT result = check_desc(device, desc);
    if (FAILED(result))
        return result;
    struct d3d12_descriptor_heap *heap = calloc(1, sizeof(*heap));
    if (!heap)
        return E_OUTOFMEMORY;
    com_object_init(&heap->object, &heap_class, &d3d12_descriptor_heap_vtbl, &device->object);
    heap->desc = *desc;
    uint64_t byte_count = (uint64_t)desc->NumDescriptors * D3D12_DESCRIPTOR_BYTES;
    enum status status = exec_mapping_init(&heap->mapping, byte_count, EXEC_MAPPING_PRIVATE);
    heap->descriptors = (struct abi_descriptor *)heap->mapping.base;
    struct address_range range = {
        .start = (uintptr_t)heap->descriptors,
        .size_bytes = byte_count,
        .owner = heap,
        .kind = ADDRESS_KIND_DESCRIPTOR_HEAP,
    };
    if (status == STATUS_OK)
        status = address_map_add(device->address_map, &range);
    if (status != STATUS_OK)
        goto fail;
    heap->map_id = range.id;
    return com_object_return(&heap->object, riid, out);
fail:
    exec_mapping_finish(&heap->mapping);
    com_object_abandon(&heap->object);
    free(heap);
    return d3d12_fail(device, E_OUTOFMEMORY, RULE_OUT_OF_MEMORY, "CreateDescriptorHeap: no memory for %u descriptors",
                      desc->NumDescriptors);
}

struct abi_descriptor *d3d12_descriptor_resolve(struct d3d12_device *device, const char *call, uint64_t handle,
                                                uint64_t count, D3D12_DESCRIPTOR_HEAP_TYPE type,
                                                struct d3d12_descriptor_heap **heap_out)
{
    struct address_range range;
    bool found = handle && address_map_find(device->address_map, handle, &range) &&
                 range.kind == ADDRESS_KIND_DESCRIPTOR_HEAP;
    if (!found) {
        message_write(device->messages, RULE_DESCRIPTOR_HANDLE, "%s: handle 0x%llx is in no descriptor heap", call,
                      (unsigned long long)handle);
        return NULL;
    }
    struct d3d12_descriptor_heap *heap = range.owner;
    uint64_t offset = handle - range.start;
    if (offset % D3D12_DESCRIPTOR_BYTES || count > (range.size_bytes - offset) / D3D12_DESCRIPTOR_BYTES) {
        message_write(device->messages, RULE_DESCRIPTOR_HANDLE,
                      "%s: %llu descriptors from handle 0x%llx (byte %llu of heap '%s' of %u descriptors) do not lie in the "
                      "heap at multiples of %d", call, (unsigned long long)count, (unsigned long long)handle,
                      (unsigned long long)offset, com_object_name(&heap->object), heap->desc.NumDescriptors,
                      D3D12_DESCRIPTOR_BYTES);
        return NULL;
    }
    if (heap->desc.Type != type) {
        message_write(device->messages, RULE_DESCRIPTOR_HANDLE, "%s: handle 0x%llx is in heap '%s' of Type %d, not %d", call,
                      (unsigned long long)handle, com_object_name(&heap->object), heap->desc.Type, type);
        return NULL;
    }
    if (heap_out)
        *heap_out = heap;
    return (struct abi_descriptor *)(uintptr_t)handle;
}

struct d3d12_resource *d3d12_descriptor_resource(struct d3d12_device *device, const struct abi_descriptor *descriptor)
{
    struct address_range range;
    uint64_t address = 0;
    switch (descriptor->kind) {
    case ABI_DESCRIPTOR_TEXTURE:
    case ABI_DESCRIPTOR_RTV:
    case ABI_DESCRIPTOR_DSV:
        address = descriptor->texture.texture ? (uintptr_t)descriptor->texture.texture->base : 0;
        break;
    case ABI_DESCRIPTOR_CBV:
    case ABI_DESCRIPTOR_TYPED_BUFFER:
    case ABI_DESCRIPTOR_STRUCTURED_BUFFER:
    case ABI_DESCRIPTOR_RAW_BUFFER:
    case ABI_DESCRIPTOR_ACCELERATION_STRUCTURE:
        address = descriptor->buffer.address;
        break;
    default:
        break;
    }
    if (!address || !address_map_find(device->address_map, address, &range) || range.kind > ADDRESS_KIND_TEXTURE)
        return NULL;
    return d3d12_resource_from_memory(range.owner);
}

COM_DEVICE_CHILD_METHODS(d3d12_descriptor_heap, ID3D12DescriptorHeap)

static D3D12_DESCRIPTOR_HEAP_DESC STDMETHODCALLTYPE d3d12_descriptor_heap_GetDesc(ID3D12DescriptorHeap *self)
{
    return ((struct d3d12_descriptor_heap *)self)->desc;
}

static D3D12_CPU_DESCRIPTOR_HANDLE STDMETHODCALLTYPE
d3d12_descriptor_heap_GetCPUDescriptorHandleForHeapStart(ID3D12DescriptorHeap *self)
{
    return (D3D12_CPU_DESCRIPTOR_HANDLE){(uintptr_t)((struct d3d12_descriptor_heap *)self)->descriptors};
}

static D3D12_GPU_DESCRIPTOR_HANDLE STDMETHODCALLTYPE
d3d12_descriptor_heap_GetGPUDescriptorHandleForHeapStart(ID3D12DescriptorHeap *self)
{
    const struct d3d12_descriptor_heap *heap = (struct d3d12_descriptor_heap *)self;
    bool visible = heap->desc.Flags & D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE;
    return (D3D12_GPU_DESCRIPTOR_HANDLE){visible ? (uintptr_t)heap->descriptors : 0};
}

const ID3D12DescriptorHeapVtbl d3d12_descriptor_heap_vtbl = {
    COM_DEVICE_CHILD_ENTRIES(d3d12_descriptor_heap),
    d3d12_descriptor_heap_GetDesc,
    d3d12_descriptor_heap_GetCPUDescriptorHandleForHeapStart,
    d3d12_descriptor_heap_GetGPUDescriptorHandleForHeapStart,
};
