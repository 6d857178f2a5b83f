/* SPDX-License-Identifier: MIT
 * ID3D12CommandQueue: hands closed lists, signals and waits to the queue's thread. */
#include "d3d12/command_queue.h"

#include <stdlib.h>

#include "d3d12/command_list.h"
#include "d3d12/create.h"
#include "d3d12/fence.h"

static void queue_destroy(struct com_object *object)
{
    struct d3d12_command_queue *queue = (struct d3d12_command_queue *)object;
    exec_queue_destroy(queue->queue);
    com_object_finish(object);
    free(queue);
}

static const struct com_iid_offset queue_interfaces[] = {
    {&IID_ID3D12Object, 0},
    {&IID_ID3D12DeviceChild, 0},
    {&IID_ID3D12Pageable, 0},
    {&IID_ID3D12CommandQueue, 0},
};
static const struct com_class queue_class = {
    .name = "ID3D12CommandQueue",
    .interfaces = queue_interfaces,
    .interface_count = ARRAY_COUNT(queue_interfaces),
    .destroy = queue_destroy,
};

/* What an ExecuteCommandLists call keeps alive: the allocators whose memory is executed, and a ticket so that objects
 * released meanwhile live on (exec/retire.h). */
struct batch {
    struct exec_retire_ticket ticket;
    struct d3d12_device *device;
    UINT count;
    struct d3d12_command_allocator *allocators[];
};

static void batch_done(void *context)
{
    struct batch *batch = context;
    for (UINT i = 0; i < batch->count; i++) {
        atomic_fetch_sub_explicit(&batch->allocators[i]->in_flight_count, 1, memory_order_release);
        com_object_drop(&batch->allocators[i]->object);
    }
    exec_retire_end(&batch->device->retire, &batch->ticket);
    free(batch);
}

static const char *list_problem(const struct d3d12_command_queue *queue, const struct d3d12_command_list *list)
{
    if (!list || list->object.device != queue->object.device)
        return "is no command list of this device";
    if (list->type != queue->desc.Type)
        return "is of another type than the queue";
    if (list->is_recording)
        return "is not closed";
    if (!list->stream)
        return "was never recorded";
    if (FAILED(list->error))
        return "has errors: its Close failed";
    if (list->generation != list->allocator->generation)
        return "lost its commands: its allocator was reset";
    return NULL;
}

static bool lists_are_executable(struct d3d12_command_queue *queue, UINT count, ID3D12CommandList *const *lists)
{
    if (!lists) {
        d3d12_fail(d3d12_device_of(&queue->object), E_INVALIDARG, RULE_COMMAND_QUEUE,
                   "ExecuteCommandLists: ppCommandLists is NULL");
        return false;
    }
    for (UINT i = 0; i < count; i++) {
        const struct d3d12_command_list *list = d3d12_command_list_from(lists[i]);
        const char *problem = list_problem(queue, list);
        if (!problem)
            continue;
        struct d3d12_device *device = d3d12_device_of(&queue->object);
        d3d12_fail(device, E_INVALIDARG, RULE_COMMAND_LIST_STATE,
                   "ExecuteCommandLists: ppCommandLists[%u] '%s' %s; nothing is executed", i,
                   list ? com_object_name(&list->object) : "NULL", problem);
        if (list && list->object.device == queue->object.device && list->is_recording) /* as the runtime does */
            d3d12_device_remove(device, DXGI_ERROR_INVALID_CALL,
                                "ExecuteCommandLists was called with a list that is still recording");
        return false;
    }
    return true;
}

static void mark_resources(const struct d3d12_command_list *list, uint64_t serial)
{
    for (const struct d3d12_list_reference *reference = list->references; reference; reference = reference->next)
        if (reference->resource)
            atomic_store_explicit(&reference->resource->last_use_serial, serial, memory_order_relaxed);
}

static struct batch *batch_create(struct d3d12_device *device, UINT count, ID3D12CommandList *const *lists,
                                  const struct exec_stream **streams)
{
    struct batch *batch = calloc(1, sizeof(*batch) + count * sizeof(batch->allocators[0]));
    if (!batch)
        return NULL;
    batch->device = device;
    batch->count = count;
    uint64_t serial = exec_retire_begin(&device->retire, &batch->ticket);
    for (UINT i = 0; i < count; i++) {
        struct d3d12_command_list *list = d3d12_command_list_from(lists[i]);
        batch->allocators[i] = list->allocator;
        com_object_hold(&list->allocator->object);
        atomic_fetch_add_explicit(&list->allocator->in_flight_count, 1, memory_order_relaxed);
        mark_resources(list, serial);
        streams[i] = list->stream;
    }
    return batch;
}

COM_DEVICE_CHILD_METHODS(d3d12_command_queue, ID3D12CommandQueue)

static void STDMETHODCALLTYPE d3d12_command_queue_ExecuteCommandLists(ID3D12CommandQueue *self, UINT count,
                                                                      ID3D12CommandList *const *lists)
{
    struct d3d12_command_queue *queue = d3d12_command_queue_from(self);
    struct d3d12_device *device = d3d12_device_of(&queue->object);
    if (!count || !lists_are_executable(queue, count, lists) || d3d12_device_is_removed(device))
        return;
    const struct exec_stream **streams = calloc(count, sizeof(*streams));
    struct batch *batch = streams ? batch_create(device, count, lists, streams) : NULL;
    enum status status = STATUS_OUT_OF_MEMORY;
    if (batch) {
        status = exec_queue_execute(queue->queue, streams, count, batch_done, batch);
        if (status != STATUS_OK)
            batch_done(batch);
    }
    if (status != STATUS_OK)
        exec_device_remove(device->exec, EXEC_REMOVED_INTERNAL, "ExecuteCommandLists: out of memory");
    free(streams);
}

static void STDMETHODCALLTYPE d3d12_command_queue_SetMarker(ID3D12CommandQueue *self, UINT metadata, const void *data,
                                                            UINT byte_count)
{
}

static void STDMETHODCALLTYPE d3d12_command_queue_BeginEvent(ID3D12CommandQueue *self, UINT metadata,
                                                             const void *data, UINT byte_count)
{
}

static void STDMETHODCALLTYPE d3d12_command_queue_EndEvent(ID3D12CommandQueue *self)
{
}

static void drop_object(void *object)
{
    com_object_drop(object);
}

/* Signal and Wait: fence checked, and held until the queue has come to it. */
static HRESULT queue_fence(ID3D12CommandQueue *self, ID3D12Fence *fence_interface, UINT64 value, bool is_wait)
{
    struct d3d12_command_queue *queue = d3d12_command_queue_from(self);
    struct d3d12_device *device = d3d12_device_of(&queue->object);
    struct d3d12_fence *fence = d3d12_fence_from(fence_interface);
    if (!fence || fence->object.device != queue->object.device)
        return d3d12_fail(device, E_INVALIDARG, RULE_FENCE, "ID3D12CommandQueue::%s: pFence is %s",
                          is_wait ? "Wait" : "Signal", fence_interface ? "no fence of this device" : "NULL");
    if (d3d12_device_is_removed(device))
        return DXGI_ERROR_DEVICE_REMOVED;
    com_object_hold(&fence->object);
    enum status status =
        is_wait ? exec_queue_wait(queue->queue, fence->fence, value, drop_object, &fence->object)
                : exec_queue_signal(queue->queue, fence->fence, value, drop_object, &fence->object);
    if (status != STATUS_OK)
        com_object_drop(&fence->object);
    return com_result_from_status(status);
}

static HRESULT STDMETHODCALLTYPE d3d12_command_queue_Signal(ID3D12CommandQueue *self, ID3D12Fence *fence,
                                                            UINT64 value)
{
    return queue_fence(self, fence, value, false);
}

static HRESULT STDMETHODCALLTYPE d3d12_command_queue_Wait(ID3D12CommandQueue *self, ID3D12Fence *fence, UINT64 value)
{
    return queue_fence(self, fence, value, true);
}

static HRESULT STDMETHODCALLTYPE d3d12_command_queue_GetTimestampFrequency(ID3D12CommandQueue *self,
                                                                           UINT64 *frequency)
{
    if (!frequency)
        return E_INVALIDARG;
    *frequency = EXEC_TIMESTAMP_FREQUENCY;
    return S_OK;
}

/* Both clocks are the monotonic clock in nanoseconds. */
static HRESULT STDMETHODCALLTYPE d3d12_command_queue_GetClockCalibration(ID3D12CommandQueue *self,
                                                                         UINT64 *gpu_timestamp,
                                                                         UINT64 *cpu_timestamp)
{
    if (!gpu_timestamp || !cpu_timestamp)
        return E_INVALIDARG;
    *gpu_timestamp = *cpu_timestamp = exec_timestamp();
    return S_OK;
}

static D3D12_COMMAND_QUEUE_DESC STDMETHODCALLTYPE d3d12_command_queue_GetDesc(ID3D12CommandQueue *self)
{
    return d3d12_command_queue_from(self)->desc;
}

const ID3D12CommandQueueVtbl d3d12_command_queue_vtbl = {
    COM_DEVICE_CHILD_ENTRIES(d3d12_command_queue),
    d3d12_command_queue_UpdateTileMappings,
    d3d12_command_queue_CopyTileMappings,
    d3d12_command_queue_ExecuteCommandLists,
    d3d12_command_queue_SetMarker,
    d3d12_command_queue_BeginEvent,
    d3d12_command_queue_EndEvent,
    d3d12_command_queue_Signal,
    d3d12_command_queue_Wait,
    d3d12_command_queue_GetTimestampFrequency,
    d3d12_command_queue_GetClockCalibration,
    d3d12_command_queue_GetDesc,
};

static HRESULT check_desc(struct d3d12_device *device, const D3D12_COMMAND_QUEUE_DESC *desc)
{
    if (!desc)
        return d3d12_fail(device, E_INVALIDARG, RULE_COMMAND_QUEUE, "CreateCommandQueue: pDesc is NULL");
    if (desc->Type != D3D12_COMMAND_LIST_TYPE_DIRECT && desc->Type != D3D12_COMMAND_LIST_TYPE_COMPUTE &&
        desc->Type != D3D12_COMMAND_LIST_TYPE_COPY)
        return d3d12_fail(device, E_INVALIDARG, RULE_COMMAND_QUEUE,
                          "CreateCommandQueue: Type is %d, only DIRECT, COMPUTE and COPY are supported", desc->Type);
    if (desc->NodeMask > 1)
        return d3d12_fail(device, E_INVALIDARG, RULE_COMMAND_QUEUE,
                          "CreateCommandQueue: NodeMask is 0x%x, there is one node: 0 or 1", desc->NodeMask);
    if (desc->Priority != D3D12_COMMAND_QUEUE_PRIORITY_NORMAL && desc->Priority != D3D12_COMMAND_QUEUE_PRIORITY_HIGH &&
        desc->Priority != D3D12_COMMAND_QUEUE_PRIORITY_GLOBAL_REALTIME)
        return d3d12_fail(device, E_INVALIDARG, RULE_COMMAND_QUEUE,
                          "CreateCommandQueue: Priority is %d, it must be 0, 100 or 10000", desc->Priority);
    return S_OK;
}

HRESULT d3d12_command_queue_create(struct d3d12_device *device, const D3D12_COMMAND_QUEUE_DESC *desc, REFIID riid,
                                   void **out)
{
    HRESULT result = check_desc(device, desc);
    if (FAILED(result))
        return result;
    if (d3d12_device_is_removed(device)) {
        if (out)
            *out = NULL;
        return d3d12_fail(device, DXGI_ERROR_DEVICE_REMOVED, RULE_COMMAND_QUEUE,
                          "CreateCommandQueue: the device was removed");
    }
    struct d3d12_command_queue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return E_OUTOFMEMORY;
    queue->desc = *desc;
    if (!queue->desc.NodeMask)
        queue->desc.NodeMask = 1;
    enum exec_queue_kind kind = desc->Type == D3D12_COMMAND_LIST_TYPE_COPY      ? EXEC_QUEUE_COPY
                                : desc->Type == D3D12_COMMAND_LIST_TYPE_COMPUTE ? EXEC_QUEUE_COMPUTE
                                                                                : EXEC_QUEUE_DIRECT;
    enum status status = exec_queue_create(device->exec, kind, &queue->queue);
    if (status != STATUS_OK) {
        free(queue);
        return com_result_from_status(status);
    }
    com_object_init(&queue->object, &queue_class, &d3d12_command_queue_vtbl, &device->object);
    return com_object_return(&queue->object, riid, out);
}
