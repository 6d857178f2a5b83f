/* SPDX-License-Identifier: MIT
 * Life of a command list: creation, recording state, references, Close and Reset, the vtable. */
#include "d3d12/command_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "d3d12/command_list_methods.h"
#include "d3d12/create.h"

static void list_destroy(struct com_object *object)
{
    struct d3d12_command_list *list = (struct d3d12_command_list *)object;
    if (list->allocator) {
        if (list->allocator->recording == list)
            list->allocator->recording = NULL;
        com_object_drop(&list->allocator->object);
    }
    com_object_finish(object);
    free(list);
}

static const struct com_iid_offset list_interfaces[] = {
    {&IID_ID3D12Object, 0},
    {&IID_ID3D12DeviceChild, 0},
    {&IID_ID3D12CommandList, 0},
    {&IID_ID3D12GraphicsCommandList, 0},
    {&IID_ID3D12GraphicsCommandList1, 0},
    {&IID_ID3D12GraphicsCommandList2, 0},
    {&IID_ID3D12GraphicsCommandList3, 0},
    {&IID_ID3D12GraphicsCommandList4, 0},
    {&IID_ID3D12GraphicsCommandList5, 0},
    {&IID_ID3D12GraphicsCommandList6, 0},
    {&IID_ID3D12GraphicsCommandList7, 0},
    {&IID_ID3D12GraphicsCommandList8, 0},
};
static const struct com_class list_class = {
    .name = "ID3D12GraphicsCommandList",
    .interfaces = list_interfaces,
    .interface_count = ARRAY_COUNT(list_interfaces),
    .destroy = list_destroy,
};

static const char *type_name(D3D12_COMMAND_LIST_TYPE type)
{
    switch (type) {
    case D3D12_COMMAND_LIST_TYPE_DIRECT:
        return "DIRECT";
    case D3D12_COMMAND_LIST_TYPE_BUNDLE:
        return "BUNDLE";
    case D3D12_COMMAND_LIST_TYPE_COMPUTE:
        return "COMPUTE";
    case D3D12_COMMAND_LIST_TYPE_COPY:
        return "COPY";
    default:
        return "unknown";
    }
}

void list_note(struct d3d12_command_list *list, enum rule rule, const char *format, ...)
{
    char text[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    message_write(list_device(list)->messages, rule, "%s (list '%s')", text, com_object_name(&list->object));
}

void list_fail(struct d3d12_command_list *list, enum rule rule, const char *format, ...)
{
    char text[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    message_write(list_device(list)->messages, rule, "%s (list '%s'; Close will fail)", text,
                  com_object_name(&list->object));
    if (SUCCEEDED(list->error))
        list->error = E_INVALIDARG;
}

void list_out_of_memory(struct d3d12_command_list *list)
{
    if (SUCCEEDED(list->error))
        list->error = E_OUTOFMEMORY;
}

struct d3d12_command_list *list_begin(ID3D12GraphicsCommandList8 *self, const char *call, enum list_place place)
{
    struct d3d12_command_list *list = d3d12_command_list_from(self);
    if (!list->is_recording) {
        list_note(list, RULE_COMMAND_LIST_STATE, "%s: the list is closed; Reset opens it", call);
        return NULL;
    }
    bool is_refused = (list->type == D3D12_COMMAND_LIST_TYPE_COPY && !(place & LIST_PLACE_COPY)) ||
                      (list->type == D3D12_COMMAND_LIST_TYPE_BUNDLE && !(place & LIST_PLACE_BUNDLE));
    if (is_refused) {
        list_fail(list, RULE_COMMAND_LIST_STATE, "%s: not allowed on lists of type %s", call, type_name(list->type));
        return NULL;
    }
    return list;
}

void *list_allocate(struct d3d12_command_list *list, size_t bytes)
{
    void *memory = arena_allocate(&list->memory->arena, bytes, _Alignof(max_align_t));
    if (!memory)
        list_out_of_memory(list);
    return memory;
}

bool list_reference(struct d3d12_command_list *list, struct com_object *object, struct exec_resource *resource)
{
    struct com_object **recent = &list->recent[((uintptr_t)object >> 6) % LIST_RECENT_REFERENCES];
    if (*recent == object)
        return true;
    struct d3d12_list_reference *reference = list_allocate(list, sizeof(*reference));
    if (!reference)
        return false;
    *reference = (struct d3d12_list_reference){list->references, list->memory->references, object, resource};
    list->references = reference;
    list->memory->references = reference;
    com_object_hold(object);
    *recent = object;
    return true;
}

struct d3d12_resource *list_resource(struct d3d12_command_list *list, const char *call, const char *parameter,
                                     ID3D12Resource *resource_interface)
{
    struct d3d12_resource *resource = d3d12_resource_from(resource_interface);
    if (!resource || resource->object.device != list->object.device) {
        list_fail(list, RULE_COMMAND_LIST_ARGUMENT, "%s: %s is %s", call, parameter,
                  resource_interface ? "no resource of this device" : "NULL");
        return NULL;
    }
    if (!resource->memory.base) {
        list_fail(list, RULE_COMMAND_LIST_ARGUMENT, "%s: %s '%s' has no memory", call, parameter,
                  com_object_name(&resource->object));
        return NULL;
    }
    return list_reference(list, &resource->object, &resource->memory) ? resource : NULL;
}

struct d3d12_resource *list_buffer(struct d3d12_command_list *list, const char *call, const char *parameter,
                                   ID3D12Resource *resource_interface, uint64_t offset, uint64_t byte_count)
{
    struct d3d12_resource *resource = list_resource(list, call, parameter, resource_interface);
    if (!resource)
        return NULL;
    if (!d3d12_resource_is_buffer(resource)) {
        list_fail(list, RULE_COMMAND_LIST_ARGUMENT, "%s: %s '%s' is a texture, a buffer is needed", call, parameter,
                  com_object_name(&resource->object));
        return NULL;
    }
    if (offset > resource->memory.size_bytes || resource->memory.size_bytes - offset < byte_count) {
        list_fail(list, RULE_COMMAND_LIST_ARGUMENT,
                  "%s: %s '%s' has %llu bytes, the call uses %llu bytes from offset %llu", call, parameter,
                  com_object_name(&resource->object), (unsigned long long)resource->memory.size_bytes,
                  (unsigned long long)byte_count, (unsigned long long)offset);
        return NULL;
    }
    return resource;
}

/* Begin a stream in the allocator. The caller has checked everything. */
static HRESULT begin_stream(struct d3d12_command_list *list, struct d3d12_command_allocator *allocator)
{
    struct arena *arena = &allocator->memory->arena;
    struct exec_stream *stream = arena_allocate_zeroed(arena, sizeof(*stream), _Alignof(max_align_t));
    if (!stream)
        return E_OUTOFMEMORY;
    stream->arena = arena;
    list->memory = allocator->memory;
    com_object_hold(&allocator->object);
    if (list->allocator)
        com_object_drop(&list->allocator->object);
    list->allocator = allocator;
    list->generation = allocator->generation;
    list->stream = stream;
    list->references = NULL;
    memset(list->recent, 0, sizeof(list->recent));
    list->compute_root = list->graphics_root = NULL;
    list->set_parameters = 0;
    list->pipeline_state = NULL;
    list->state_object = NULL;
    list->resource_heap = list->sampler_heap = NULL;
    list->event_depth = 0;
    list->in_render_pass = false;
    list->error = S_OK;
    list->is_recording = true;
    allocator->recording = list;
    return S_OK;
}

static HRESULT check_allocator(struct d3d12_device *device, const char *call, D3D12_COMMAND_LIST_TYPE type,
                               const struct d3d12_command_allocator *allocator)
{
    if (!allocator || allocator->object.device != &device->object)
        return d3d12_fail(device, E_INVALIDARG, RULE_COMMAND_ALLOCATOR,
                          "%s: pAllocator is NULL or no allocator of this device", call);
    if (allocator->type != type)
        return d3d12_fail(device, E_INVALIDARG, RULE_COMMAND_ALLOCATOR,
                          "%s: pAllocator '%s' is for lists of type %s, the list is of type %s", call,
                          com_object_name(&allocator->object), type_name(allocator->type), type_name(type));
    if (allocator->recording)
        return d3d12_fail(device, E_INVALIDARG, RULE_COMMAND_ALLOCATOR,
                          "%s: another list is being recorded into pAllocator '%s'; close it first", call,
                          com_object_name(&allocator->object));
    return S_OK;
}

COM_DEVICE_CHILD_METHODS(d3d12_command_list, ID3D12GraphicsCommandList8)

D3D12_COMMAND_LIST_TYPE STDMETHODCALLTYPE d3d12_command_list_GetType(ID3D12GraphicsCommandList8 *self)
{
    return d3d12_command_list_from(self)->type;
}

/* The name is for messages of the executor; it may change while the list waits, so a copy goes with the stream. */
static void copy_name(struct d3d12_command_list *list)
{
    const char *name = com_object_name(&list->object);
    list->stream->name = exec_stream_copy(list->stream, name, strlen(name) + 1);
}

HRESULT STDMETHODCALLTYPE d3d12_command_list_Close(ID3D12GraphicsCommandList8 *self)
{
    struct d3d12_command_list *list = d3d12_command_list_from(self);
    if (!list->is_recording)
        return d3d12_fail(list_device(list), E_FAIL, RULE_COMMAND_LIST_STATE,
                          "ID3D12GraphicsCommandList::Close: list '%s' is closed already",
                          com_object_name(&list->object));
    if (list->in_render_pass)
        list_fail(list, RULE_COMMAND_LIST_STATE, "ID3D12GraphicsCommandList::Close: a render pass is still open");
    copy_name(list);
    if (list->stream->status != STATUS_OK)
        list_out_of_memory(list);
    list->is_recording = false;
    list->allocator->recording = NULL;
    if (d3d12_device_is_removed(list_device(list)))
        return DXGI_ERROR_DEVICE_REMOVED;
    return list->error;
}

HRESULT STDMETHODCALLTYPE d3d12_command_list_Reset(ID3D12GraphicsCommandList8 *self,
                                                   ID3D12CommandAllocator *pAllocator,
                                                   ID3D12PipelineState *pInitialState)
{
    struct d3d12_command_list *list = d3d12_command_list_from(self);
    const char *call = "ID3D12GraphicsCommandList::Reset";
    struct d3d12_device *device = list_device(list);
    if (list->is_recording)
        return d3d12_fail(device, E_FAIL, RULE_COMMAND_LIST_STATE, "%s: list '%s' is recording; close it first", call,
                          com_object_name(&list->object));
    struct d3d12_command_allocator *allocator = d3d12_command_allocator_from(pAllocator);
    HRESULT result = check_allocator(device, call, list->type, allocator);
    if (FAILED(result))
        return result;
    if (d3d12_device_is_removed(device))
        return DXGI_ERROR_DEVICE_REMOVED;
    result = begin_stream(list, allocator);
    if (SUCCEEDED(result) && pInitialState)
        list_bind_pipeline_state(list, pInitialState, call);
    return result;
}

void STDMETHODCALLTYPE d3d12_command_list_ClearState(ID3D12GraphicsCommandList8 *self,
                                                     ID3D12PipelineState *pPipelineState)
{
    const char *call = "ClearState";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_NORMAL);
    if (!list)
        return;
    struct exec_set_root_signature *root = exec_record_set_root_signature(list->stream, 0);
    struct exec_set_heaps *heaps = exec_record_set_heaps(list->stream, 0);
    struct exec_set_predication *predication = exec_record_set_predication(list->stream, 0);
    struct exec_set_compute *compute = exec_record_set_compute(list->stream, 0);
    if (!root || !heaps || !predication || !compute) /* all zero: nothing bound */
        list_out_of_memory(list);
    list->compute_root = list->graphics_root = NULL;
    list->set_parameters = 0;
    list->pipeline_state = NULL;
    list->state_object = NULL;
    list->resource_heap = list->sampler_heap = NULL;
    if (pPipelineState)
        list_bind_pipeline_state(list, pPipelineState, call);
}

const ID3D12GraphicsCommandList8Vtbl d3d12_command_list_vtbl = {
    COM_DEVICE_CHILD_ENTRIES(d3d12_command_list),
    /* ID3D12CommandList */
    d3d12_command_list_GetType,
    /* ID3D12GraphicsCommandList */
    d3d12_command_list_Close,
    d3d12_command_list_Reset,
    d3d12_command_list_ClearState,
    d3d12_command_list_DrawInstanced,
    d3d12_command_list_DrawIndexedInstanced,
    d3d12_command_list_Dispatch,
    d3d12_command_list_CopyBufferRegion,
    d3d12_command_list_CopyTextureRegion,
    d3d12_command_list_CopyResource,
    d3d12_command_list_CopyTiles,
    d3d12_command_list_ResolveSubresource,
    d3d12_command_list_IASetPrimitiveTopology,
    d3d12_command_list_RSSetViewports,
    d3d12_command_list_RSSetScissorRects,
    d3d12_command_list_OMSetBlendFactor,
    d3d12_command_list_OMSetStencilRef,
    d3d12_command_list_SetPipelineState,
    d3d12_command_list_ResourceBarrier,
    d3d12_command_list_ExecuteBundle,
    d3d12_command_list_SetDescriptorHeaps,
    d3d12_command_list_SetComputeRootSignature,
    d3d12_command_list_SetGraphicsRootSignature,
    d3d12_command_list_SetComputeRootDescriptorTable,
    d3d12_command_list_SetGraphicsRootDescriptorTable,
    d3d12_command_list_SetComputeRoot32BitConstant,
    d3d12_command_list_SetGraphicsRoot32BitConstant,
    d3d12_command_list_SetComputeRoot32BitConstants,
    d3d12_command_list_SetGraphicsRoot32BitConstants,
    d3d12_command_list_SetComputeRootConstantBufferView,
    d3d12_command_list_SetGraphicsRootConstantBufferView,
    d3d12_command_list_SetComputeRootShaderResourceView,
    d3d12_command_list_SetGraphicsRootShaderResourceView,
    d3d12_command_list_SetComputeRootUnorderedAccessView,
    d3d12_command_list_SetGraphicsRootUnorderedAccessView,
    d3d12_command_list_IASetIndexBuffer,
    d3d12_command_list_IASetVertexBuffers,
    d3d12_command_list_SOSetTargets,
    d3d12_command_list_OMSetRenderTargets,
    d3d12_command_list_ClearDepthStencilView,
    d3d12_command_list_ClearRenderTargetView,
    d3d12_command_list_ClearUnorderedAccessViewUint,
    d3d12_command_list_ClearUnorderedAccessViewFloat,
    d3d12_command_list_DiscardResource,
    d3d12_command_list_BeginQuery,
    d3d12_command_list_EndQuery,
    d3d12_command_list_ResolveQueryData,
    d3d12_command_list_SetPredication,
    d3d12_command_list_SetMarker,
    d3d12_command_list_BeginEvent,
    d3d12_command_list_EndEvent,
    d3d12_command_list_ExecuteIndirect,
    /* ID3D12GraphicsCommandList1 */
    d3d12_command_list_AtomicCopyBufferUINT,
    d3d12_command_list_AtomicCopyBufferUINT64,
    d3d12_command_list_OMSetDepthBounds,
    d3d12_command_list_SetSamplePositions,
    d3d12_command_list_ResolveSubresourceRegion,
    d3d12_command_list_SetViewInstanceMask,
    /* ID3D12GraphicsCommandList2 */
    d3d12_command_list_WriteBufferImmediate,
    /* ID3D12GraphicsCommandList3 */
    d3d12_command_list_SetProtectedResourceSession,
    /* ID3D12GraphicsCommandList4 */
    d3d12_command_list_BeginRenderPass,
    d3d12_command_list_EndRenderPass,
    d3d12_command_list_InitializeMetaCommand,
    d3d12_command_list_ExecuteMetaCommand,
    d3d12_command_list_BuildRaytracingAccelerationStructure,
    d3d12_command_list_EmitRaytracingAccelerationStructurePostbuildInfo,
    d3d12_command_list_CopyRaytracingAccelerationStructure,
    d3d12_command_list_SetPipelineState1,
    d3d12_command_list_DispatchRays,
    /* ID3D12GraphicsCommandList5 */
    d3d12_command_list_RSSetShadingRate,
    d3d12_command_list_RSSetShadingRateImage,
    /* ID3D12GraphicsCommandList6 */
    d3d12_command_list_DispatchMesh,
    /* ID3D12GraphicsCommandList7 */
    d3d12_command_list_Barrier,
    /* ID3D12GraphicsCommandList8 */
    d3d12_command_list_OMSetFrontAndBackStencilRef,
};

static HRESULT check_desc(struct d3d12_device *device, const struct d3d12_command_list_desc *desc,
                          const struct d3d12_command_allocator *allocator)
{
    if (desc->type != D3D12_COMMAND_LIST_TYPE_DIRECT && desc->type != D3D12_COMMAND_LIST_TYPE_BUNDLE &&
        desc->type != D3D12_COMMAND_LIST_TYPE_COMPUTE && desc->type != D3D12_COMMAND_LIST_TYPE_COPY)
        return d3d12_fail(device, E_INVALIDARG, RULE_COMMAND_LIST_STATE,
                          "CreateCommandList: type is %d, only DIRECT, BUNDLE, COMPUTE and COPY are supported",
                          desc->type);
    if (desc->node_mask > 1)
        return d3d12_fail(device, E_INVALIDARG, RULE_COMMAND_LIST_STATE,
                          "CreateCommandList: nodeMask is 0x%x, there is one node: 0 or 1", desc->node_mask);
    if (desc->flags != D3D12_COMMAND_LIST_FLAG_NONE)
        return d3d12_fail(device, E_INVALIDARG, RULE_COMMAND_LIST_STATE,
                          "CreateCommandList1: flags are 0x%x, no flag is defined", desc->flags);
    return desc->closed ? S_OK : check_allocator(device, "CreateCommandList", desc->type, allocator);
}

HRESULT d3d12_command_list_create(struct d3d12_device *device, const struct d3d12_command_list_desc *desc, REFIID riid,
                                  void **out)
{
    struct d3d12_command_allocator *allocator = d3d12_command_allocator_from(desc->allocator);
    HRESULT result = check_desc(device, desc, allocator);
    if (FAILED(result))
        return result;
    struct d3d12_command_list *list = calloc(1, sizeof(*list));
    if (!list)
        return E_OUTOFMEMORY;
    list->type = desc->type;
    com_object_init(&list->object, &list_class, &d3d12_command_list_vtbl, &device->object);
    if (!desc->closed) {
        result = begin_stream(list, allocator);
        if (FAILED(result)) {
            com_object_abandon(&list->object);
            free(list);
            return result;
        }
        if (desc->initial_state)
            list_bind_pipeline_state(list, desc->initial_state, "CreateCommandList");
    }
    return com_object_return(&list->object, riid, out);
}
