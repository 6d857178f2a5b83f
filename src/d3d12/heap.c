/* SPDX-License-Identifier: MIT */
#include "d3d12/heap.h"

#include <stdlib.h>

#include "d3d12/create.h"

#define HEAP_TYPE_GPU_UPLOAD 5 /* newer headers: D3D12_HEAP_TYPE_GPU_UPLOAD */
#define KNOWN_HEAP_FLAGS     0x1fed

bool d3d12_heap_is_cpu_visible(const D3D12_HEAP_PROPERTIES *properties)
{
    switch ((int)properties->Type) {
    case D3D12_HEAP_TYPE_UPLOAD:
    case D3D12_HEAP_TYPE_READBACK:
    case HEAP_TYPE_GPU_UPLOAD:
        return true;
    case D3D12_HEAP_TYPE_CUSTOM:
        return properties->CPUPageProperty != D3D12_CPU_PAGE_PROPERTY_NOT_AVAILABLE;
    default:
        return false;
    }
}

static HRESULT check_custom(struct d3d12_device *device, const char *call, const D3D12_HEAP_PROPERTIES *properties)
{
    D3D12_CPU_PAGE_PROPERTY page = properties->CPUPageProperty;
    if (page < D3D12_CPU_PAGE_PROPERTY_NOT_AVAILABLE || page > D3D12_CPU_PAGE_PROPERTY_WRITE_BACK)
        return d3d12_fail(device, E_INVALIDARG, RULE_HEAP_DESCRIPTION,
                          "%s: CPUPageProperty %d must be NOT_AVAILABLE, WRITE_COMBINE or WRITE_BACK for a CUSTOM heap",
                          call, page);
    if (properties->MemoryPoolPreference != D3D12_MEMORY_POOL_L0)
        return d3d12_fail(device, E_INVALIDARG, RULE_HEAP_DESCRIPTION,
                          "%s: MemoryPoolPreference %d must be L0 for a CUSTOM heap, the only pool of a UMA adapter", call,
                          properties->MemoryPoolPreference);
    return S_OK;
}

static HRESULT check_properties(struct d3d12_device *device, const char *call, const D3D12_HEAP_PROPERTIES *properties)
{
    int type = (int)properties->Type;
    if (type < D3D12_HEAP_TYPE_DEFAULT || type > HEAP_TYPE_GPU_UPLOAD)
        return d3d12_fail(device, E_INVALIDARG, RULE_HEAP_DESCRIPTION,
                          "%s: heap Type %d must be DEFAULT, UPLOAD, READBACK, CUSTOM or GPU_UPLOAD", call, type);
    if (properties->CreationNodeMask > 1 || properties->VisibleNodeMask > 1)
        return d3d12_fail(device, E_INVALIDARG, RULE_HEAP_DESCRIPTION,
                          "%s: CreationNodeMask 0x%x, VisibleNodeMask 0x%x: the adapter has node 0 only", call,
                          properties->CreationNodeMask, properties->VisibleNodeMask);
    if (type == D3D12_HEAP_TYPE_CUSTOM)
        return check_custom(device, call, properties);
    if (properties->CPUPageProperty != D3D12_CPU_PAGE_PROPERTY_UNKNOWN ||
        properties->MemoryPoolPreference != D3D12_MEMORY_POOL_UNKNOWN)
        return d3d12_fail(device, E_INVALIDARG, RULE_HEAP_DESCRIPTION,
                          "%s: CPUPageProperty %d and MemoryPoolPreference %d must be UNKNOWN unless Type is CUSTOM", call,
                          properties->CPUPageProperty, properties->MemoryPoolPreference);
    return S_OK;
}

HRESULT d3d12_heap_check(struct d3d12_device *device, const char *call, const D3D12_HEAP_PROPERTIES *properties,
                         D3D12_HEAP_FLAGS flags)
{
    HRESULT result = check_properties(device, call, properties);
    if (FAILED(result))
        return result;
    if (flags & ~KNOWN_HEAP_FLAGS)
        return d3d12_fail(device, E_INVALIDARG, RULE_HEAP_DESCRIPTION, "%s: heap flags 0x%x have unknown bits", call,
                          flags);
    if (flags & D3D12_HEAP_FLAG_HARDWARE_PROTECTED)
        return d3d12_fail(device, E_INVALIDARG, RULE_HEAP_DESCRIPTION,
                          "%s: heap flags 0x%x: there are no protected sessions on this device", call, flags);
    if (flags & D3D12_HEAP_FLAG_SHARED_CROSS_ADAPTER)
        return d3d12_fail(device, E_INVALIDARG, RULE_HEAP_DESCRIPTION,
                          "%s: heap flags 0x%x: there is no second adapter to share with", call, flags);
    if (flags & D3D12_HEAP_FLAG_ALLOW_WRITE_WATCH)
        return d3d12_fail(device, E_INVALIDARG, RULE_HEAP_DESCRIPTION,
                          "%s: heap flags 0x%x: ALLOW_WRITE_WATCH is not supported "
                          "(D3D12_OPTIONS1 has no WriteBufferImmediate watch here)", call, flags);
    return S_OK;
}

static void heap_destroy(struct com_object *object)
{
    struct d3d12_heap *heap = (struct d3d12_heap *)object;
    struct d3d12_device *device = d3d12_device_of(object);
    address_map_remove(device->address_map, heap->map_id, (uintptr_t)heap->mapping.base);
    atomic_fetch_sub(&device->used_bytes, (int64_t)heap->mapping.size_bytes);
    exec_mapping_finish(&heap->mapping);
    com_object_finish(object);
    free(heap);
}

static const struct com_iid_offset heap_interfaces[] = {
    {&IID_ID3D12Object, 0}, {&IID_ID3D12DeviceChild, 0}, {&IID_ID3D12Pageable, 0},
    {&IID_ID3D12Heap, 0},   {&IID_ID3D12Heap1, 0},
};
static const struct com_class heap_class = {
    .name = "ID3D12Heap",
    .interfaces = heap_interfaces,
    .interface_count = ARRAY_COUNT(heap_interfaces),
    .destroy = heap_destroy,
    .retire = d3d12_object_retire,
};

static HRESULT check_desc(struct d3d12_device *device, const D3D12_HEAP_DESC *desc)
{
    if (!desc)
        return d3d12_fail(device, E_INVALIDARG, RULE_HEAP_DESCRIPTION, "CreateHeap: pDesc is NULL");
    if (desc->SizeInBytes == 0)
        return d3d12_fail(device, E_INVALIDARG, RULE_HEAP_DESCRIPTION, "CreateHeap: SizeInBytes is 0");
    if (desc->Alignment != 0 && desc->Alignment != D3D12_DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT &&
        desc->Alignment != D3D12_DEFAULT_MSAA_RESOURCE_PLACEMENT_ALIGNMENT)
        return d3d12_fail(device, E_INVALIDARG, RULE_HEAP_DESCRIPTION,
                          "CreateHeap: Alignment %llu must be 0, 65536 or 4194304", (unsigned long long)desc->Alignment);
    if (desc->Flags & D3D12_HEAP_FLAG_ALLOW_DISPLAY)
        return d3d12_fail(device, E_INVALIDARG, RULE_HEAP_DESCRIPTION,
                          "CreateHeap: heap flags 0x%x: ALLOW_DISPLAY is for committed resources", desc->Flags);
    return d3d12_heap_check(device, "CreateHeap", &desc->Properties, desc->Flags);
}

HRESULT d3d12_heap_create(struct d3d12_device *device, const D3D12_HEAP_DESC *desc, REFIID riid, void **out)
{
    if (out)
        *out = NULL;
    HRESULT result = check_desc(device, desc);
    if (FAILED(result))
        return result;
    struct d3d12_heap *heap = calloc(1, sizeof(*heap));
    if (!heap)
        return E_OUTOFMEMORY;
    com_object_init(&heap->object, &heap_class, &d3d12_heap_vtbl, &device->object);
    heap->desc = *desc;
    heap->residency_priority = D3D12_RESIDENCY_PRIORITY_NORMAL;
    if (!heap->desc.Alignment)
        heap->desc.Alignment = D3D12_DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT;
    if (!heap->desc.Properties.CreationNodeMask)
        heap->desc.Properties.CreationNodeMask = 1;
    if (!heap->desc.Properties.VisibleNodeMask)
        heap->desc.Properties.VisibleNodeMask = 1;
    enum status status = exec_mapping_init(&heap->mapping, desc->SizeInBytes, EXEC_MAPPING_SHARED);
    struct address_range range = {
        .start = (uintptr_t)heap->mapping.base,
        .size_bytes = heap->mapping.size_bytes,
        .owner = heap,
        .kind = ADDRESS_KIND_HEAP,
    };
    if (status == STATUS_OK)
        status = address_map_add(device->address_map, &range);
    if (status != STATUS_OK)
        goto fail;
    heap->map_id = range.id;
    atomic_fetch_add(&device->used_bytes, (int64_t)heap->mapping.size_bytes);
    return com_object_return(&heap->object, riid, out);
fail:
    d3d12_fail(device, E_OUTOFMEMORY, RULE_OUT_OF_MEMORY, "CreateHeap: no %llu bytes of address space or memory",
               (unsigned long long)desc->SizeInBytes);
    exec_mapping_finish(&heap->mapping);
    com_object_abandon(&heap->object);
    free(heap);
    return com_result_from_status(status);
}

COM_DEVICE_CHILD_METHODS(d3d12_heap, ID3D12Heap1)

static D3D12_HEAP_DESC STDMETHODCALLTYPE d3d12_heap_GetDesc(ID3D12Heap1 *self)
{
    return ((struct d3d12_heap *)self)->desc;
}

static HRESULT STDMETHODCALLTYPE d3d12_heap_GetProtectedResourceSession(ID3D12Heap1 *self, REFIID riid, void **out)
{
    if (out)
        *out = NULL;
    return DXGI_ERROR_NOT_FOUND;
}

const ID3D12Heap1Vtbl d3d12_heap_vtbl = {
    COM_DEVICE_CHILD_ENTRIES(d3d12_heap),
    d3d12_heap_GetDesc,
    d3d12_heap_GetProtectedResourceSession,
};
