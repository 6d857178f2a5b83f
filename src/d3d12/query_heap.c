/* SPDX-License-Identifier: MIT
 * ID3D12QueryHeap. */
#include "d3d12/query_heap.h"

#include <stdlib.h>

#include "d3d12/create.h"

static void heap_destroy(struct com_object *object)
{
    struct d3d12_query_heap *heap = (struct d3d12_query_heap *)object;
    free(heap->slots);
    com_object_finish(object);
    free(heap);
}

static const struct com_iid_offset heap_interfaces[] = {
    {&IID_ID3D12Object, 0},
    {&IID_ID3D12DeviceChild, 0},
    {&IID_ID3D12Pageable, 0},
    {&IID_ID3D12QueryHeap, 0},
};
static const struct com_class heap_class = {
    .name = "ID3D12QueryHeap",
    .interfaces = heap_interfaces,
    .interface_count = ARRAY_COUNT(heap_interfaces),
    .destroy = heap_destroy,
};

COM_DEVICE_CHILD_METHODS(d3d12_query_heap, ID3D12QueryHeap)

const ID3D12QueryHeapVtbl d3d12_query_heap_vtbl = {COM_DEVICE_CHILD_ENTRIES(d3d12_query_heap)};

static uint32_t slot_bytes_of(D3D12_QUERY_HEAP_TYPE type)
{
    switch (type) {
    case D3D12_QUERY_HEAP_TYPE_OCCLUSION:
    case D3D12_QUERY_HEAP_TYPE_TIMESTAMP:
    case D3D12_QUERY_HEAP_TYPE_COPY_QUEUE_TIMESTAMP:
        return sizeof(UINT64);
    case D3D12_QUERY_HEAP_TYPE_PIPELINE_STATISTICS:
        return sizeof(D3D12_QUERY_DATA_PIPELINE_STATISTICS);
    case D3D12_QUERY_HEAP_TYPE_PIPELINE_STATISTICS1:
        return sizeof(D3D12_QUERY_DATA_PIPELINE_STATISTICS1);
    case D3D12_QUERY_HEAP_TYPE_SO_STATISTICS:
        return sizeof(D3D12_QUERY_DATA_SO_STATISTICS);
    default:
        return 0;
    }
}

bool d3d12_query_heap_holds(const struct d3d12_query_heap *heap, D3D12_QUERY_TYPE type)
{
    switch (type) {
    case D3D12_QUERY_TYPE_TIMESTAMP:
        return heap->desc.Type == D3D12_QUERY_HEAP_TYPE_TIMESTAMP ||
               heap->desc.Type == D3D12_QUERY_HEAP_TYPE_COPY_QUEUE_TIMESTAMP;
    case D3D12_QUERY_TYPE_OCCLUSION:
    case D3D12_QUERY_TYPE_BINARY_OCCLUSION:
        return heap->desc.Type == D3D12_QUERY_HEAP_TYPE_OCCLUSION;
    case D3D12_QUERY_TYPE_PIPELINE_STATISTICS:
        return heap->desc.Type == D3D12_QUERY_HEAP_TYPE_PIPELINE_STATISTICS;
    case D3D12_QUERY_TYPE_PIPELINE_STATISTICS1:
        return heap->desc.Type == D3D12_QUERY_HEAP_TYPE_PIPELINE_STATISTICS1;
    case D3D12_QUERY_TYPE_SO_STATISTICS_STREAM0:
    case D3D12_QUERY_TYPE_SO_STATISTICS_STREAM1:
    case D3D12_QUERY_TYPE_SO_STATISTICS_STREAM2:
    case D3D12_QUERY_TYPE_SO_STATISTICS_STREAM3:
        return heap->desc.Type == D3D12_QUERY_HEAP_TYPE_SO_STATISTICS;
    default:
        return false;
    }
}

HRESULT d3d12_query_heap_create(struct d3d12_device *device, const D3D12_QUERY_HEAP_DESC *desc, REFIID riid,
                                void **out)
{
    if (!desc)
        return d3d12_fail(device, E_INVALIDARG, RULE_QUERY, "CreateQueryHeap: pDesc is NULL");
    uint32_t slot_bytes = slot_bytes_of(desc->Type);
    if (!slot_bytes)
        return d3d12_fail(device, E_INVALIDARG, RULE_QUERY, "CreateQueryHeap: Type is %d, which is not supported",
                          desc->Type);
    if (!desc->Count)
        return d3d12_fail(device, E_INVALIDARG, RULE_QUERY, "CreateQueryHeap: Count is 0, it must be at least 1");
    struct d3d12_query_heap *heap = calloc(1, sizeof(*heap));
    if (!heap)
        return E_OUTOFMEMORY;
    heap->desc = *desc;
    heap->slot_bytes = slot_bytes;
    heap->slots = calloc(desc->Count, slot_bytes);
    if (!heap->slots) {
        free(heap);
        return E_OUTOFMEMORY;
    }
    com_object_init(&heap->object, &heap_class, &d3d12_query_heap_vtbl, &device->object);
    return com_object_return(&heap->object, riid, out);
}
