/* SPDX-License-Identifier: MIT
 * ID3D12Device11's methods: thin wrappers that hand each call to the file of its subject. */
#include <stdlib.h>

#include "base/log.h"
#include "d3d12/create.h"
#include "d3d12/feature_support.h"
#include "d3d12/heap.h"
#include "d3d12/resource_info.h"
#include "d3d12/view.h"

#define METHOD static HRESULT STDMETHODCALLTYPE
#define VOID_METHOD static void STDMETHODCALLTYPE

static struct d3d12_device *impl(ID3D12Device11 *self)
{
    return (struct d3d12_device *)self;
}

COM_OBJECT_METHODS(d3d12_device, ID3D12Device11)

static UINT STDMETHODCALLTYPE d3d12_device_GetNodeCount(ID3D12Device11 *self)
{
    return 1;
}

METHOD d3d12_device_CreateCommandQueue(ID3D12Device11 *self, const D3D12_COMMAND_QUEUE_DESC *desc, REFIID riid,
                                       void **out)
{
    return d3d12_command_queue_create(impl(self), desc, riid, out);
}

METHOD d3d12_device_CreateCommandAllocator(ID3D12Device11 *self, D3D12_COMMAND_LIST_TYPE type, REFIID riid,
                                           void **out)
{
    return d3d12_command_allocator_create(impl(self), type, riid, out);
}

METHOD d3d12_device_CreateGraphicsPipelineState(ID3D12Device11 *self,
                                                const D3D12_GRAPHICS_PIPELINE_STATE_DESC *desc, REFIID riid,
                                                void **out)
{
    return d3d12_pipeline_state_create_graphics(impl(self), desc, riid, out);
}

METHOD d3d12_device_CreateComputePipelineState(ID3D12Device11 *self,
                                               const D3D12_COMPUTE_PIPELINE_STATE_DESC *desc, REFIID riid,
                                               void **out)
{
    return d3d12_pipeline_state_create_compute(impl(self), desc, riid, out);
}

METHOD d3d12_device_CreateCommandList(ID3D12Device11 *self, UINT node_mask, D3D12_COMMAND_LIST_TYPE type,
                                      ID3D12CommandAllocator *allocator, ID3D12PipelineState *initial_state,
                                      REFIID riid, void **out)
{
    struct d3d12_command_list_desc desc = {
        .node_mask = node_mask, .type = type, .allocator = allocator, .initial_state = initial_state};
    return d3d12_command_list_create(impl(self), &desc, riid, out);
}

METHOD d3d12_device_CheckFeatureSupport(ID3D12Device11 *self, D3D12_FEATURE feature, void *data, UINT byte_count)
{
    return d3d12_feature_check(impl(self), feature, data, byte_count);
}

METHOD d3d12_device_CreateDescriptorHeap(ID3D12Device11 *self, const D3D12_DESCRIPTOR_HEAP_DESC *desc, REFIID riid,
                                         void **out)
{
    return d3d12_descriptor_heap_create(impl(self), desc, riid, out);
}

static UINT STDMETHODCALLTYPE d3d12_device_GetDescriptorHandleIncrementSize(ID3D12Device11 *self,
                                                                            D3D12_DESCRIPTOR_HEAP_TYPE type)
{
    return type >= 0 && type < D3D12_DESCRIPTOR_HEAP_TYPE_NUM_TYPES ? D3D12_DESCRIPTOR_BYTES : 0;
}

METHOD d3d12_device_CreateRootSignature(ID3D12Device11 *self, UINT node_mask, const void *bytes, SIZE_T byte_count,
                                        REFIID riid, void **out)
{
    return d3d12_root_signature_create(impl(self), bytes, byte_count, riid, out);
}

VOID_METHOD d3d12_device_CreateConstantBufferView(ID3D12Device11 *self, const D3D12_CONSTANT_BUFFER_VIEW_DESC *desc,
                                                  D3D12_CPU_DESCRIPTOR_HANDLE handle)
{
    d3d12_view_create_cbv(impl(self), desc, handle);
}

VOID_METHOD d3d12_device_CreateShaderResourceView(ID3D12Device11 *self, ID3D12Resource *resource,
                                                  const D3D12_SHADER_RESOURCE_VIEW_DESC *desc,
                                                  D3D12_CPU_DESCRIPTOR_HANDLE handle)
{
    d3d12_view_create_srv(impl(self), resource, desc, handle);
}

VOID_METHOD d3d12_device_CreateUnorderedAccessView(ID3D12Device11 *self, ID3D12Resource *resource,
                                                   ID3D12Resource *counter,
                                                   const D3D12_UNORDERED_ACCESS_VIEW_DESC *desc,
                                                   D3D12_CPU_DESCRIPTOR_HANDLE handle)
{
    d3d12_view_create_uav(impl(self), resource, counter, desc, handle);
}

VOID_METHOD d3d12_device_CreateRenderTargetView(ID3D12Device11 *self, ID3D12Resource *resource,
                                                const D3D12_RENDER_TARGET_VIEW_DESC *desc,
                                                D3D12_CPU_DESCRIPTOR_HANDLE handle)
{
    d3d12_view_create_rtv(impl(self), resource, desc, handle);
}

VOID_METHOD d3d12_device_CreateDepthStencilView(ID3D12Device11 *self, ID3D12Resource *resource,
                                                const D3D12_DEPTH_STENCIL_VIEW_DESC *desc,
                                                D3D12_CPU_DESCRIPTOR_HANDLE handle)
{
    d3d12_view_create_dsv(impl(self), resource, desc, handle);
}

/* The older description has the same fields with float border colours and no flags. */
static D3D12_SAMPLER_DESC2 sampler_desc2(const D3D12_SAMPLER_DESC *desc)
{
    D3D12_SAMPLER_DESC2 result = {
        .Filter = desc->Filter,
        .AddressU = desc->AddressU,
        .AddressV = desc->AddressV,
        .AddressW = desc->AddressW,
        .MipLODBias = desc->MipLODBias,
        .MaxAnisotropy = desc->MaxAnisotropy,
        .ComparisonFunc = desc->ComparisonFunc,
        .MinLOD = desc->MinLOD,
        .MaxLOD = desc->MaxLOD,
    };
    memcpy(result.FloatBorderColor, desc->BorderColor, sizeof(result.FloatBorderColor));
    return result;
}

VOID_METHOD d3d12_device_CreateSampler(ID3D12Device11 *self, const D3D12_SAMPLER_DESC *desc,
                                       D3D12_CPU_DESCRIPTOR_HANDLE handle)
{
    D3D12_SAMPLER_DESC2 desc2 = {0};
    if (desc)
        desc2 = sampler_desc2(desc);
    d3d12_view_create_sampler(impl(self), desc ? &desc2 : NULL, handle);
}

VOID_METHOD d3d12_device_CopyDescriptors(ID3D12Device11 *self, UINT target_count,
                                         const D3D12_CPU_DESCRIPTOR_HANDLE *target_starts,
                                         const UINT *target_sizes, UINT source_count,
                                         const D3D12_CPU_DESCRIPTOR_HANDLE *source_starts,
                                         const UINT *source_sizes, D3D12_DESCRIPTOR_HEAP_TYPE type)
{
    struct d3d12_descriptor_ranges target = {target_count, target_starts, target_sizes};
    struct d3d12_descriptor_ranges source = {source_count, source_starts, source_sizes};
    d3d12_descriptors_copy(impl(self), &target, &source, type);
}

VOID_METHOD d3d12_device_CopyDescriptorsSimple(ID3D12Device11 *self, UINT count,
                                               D3D12_CPU_DESCRIPTOR_HANDLE target_start,
                                               D3D12_CPU_DESCRIPTOR_HANDLE source_start,
                                               D3D12_DESCRIPTOR_HEAP_TYPE type)
{
    struct d3d12_descriptor_ranges target = {1, &target_start, &count};
    struct d3d12_descriptor_ranges source = {1, &source_start, &count};
    d3d12_descriptors_copy(impl(self), &target, &source, type);
}

static D3D12_RESOURCE_ALLOCATION_INFO STDMETHODCALLTYPE
d3d12_device_GetResourceAllocationInfo(ID3D12Device11 *self, UINT visible_mask, UINT count,
                                       const D3D12_RESOURCE_DESC *descs)
{
    return d3d12_allocation_info(impl(self), count, descs, NULL, NULL);
}

static D3D12_HEAP_PROPERTIES STDMETHODCALLTYPE d3d12_device_GetCustomHeapProperties(ID3D12Device11 *self,
                                                                                    UINT node_mask,
                                                                                    D3D12_HEAP_TYPE type)
{
    D3D12_HEAP_PROPERTIES properties = {
        .Type = D3D12_HEAP_TYPE_CUSTOM,
        .CPUPageProperty = D3D12_CPU_PAGE_PROPERTY_NOT_AVAILABLE,
        .MemoryPoolPreference = D3D12_MEMORY_POOL_L0,
        .CreationNodeMask = node_mask,
        .VisibleNodeMask = node_mask,
    };
    /* Cache-coherent UMA: the CPU's caches work for every visible heap. */
    if (type == D3D12_HEAP_TYPE_UPLOAD || type == D3D12_HEAP_TYPE_READBACK)
        properties.CPUPageProperty = D3D12_CPU_PAGE_PROPERTY_WRITE_BACK;
    return properties;
}

METHOD d3d12_device_CreateCommittedResource(ID3D12Device11 *self, const D3D12_HEAP_PROPERTIES *properties,
                                            D3D12_HEAP_FLAGS flags, const D3D12_RESOURCE_DESC *desc,
                                            D3D12_RESOURCE_STATES initial_state, const D3D12_CLEAR_VALUE *clear,
                                            REFIID riid, void **out)
{
    D3D12_RESOURCE_DESC1 desc1 = d3d12_resource_desc1(desc);
    struct d3d12_resource_request request = {
        .call = "CreateCommittedResource",
        .heap_properties = properties,
        .heap_flags = flags,
        .desc = desc ? &desc1 : NULL,
        .initial_state = initial_state,
        .clear_value = clear,
    };
    return d3d12_resource_create(impl(self), &request, riid, out);
}

METHOD d3d12_device_CreateHeap(ID3D12Device11 *self, const D3D12_HEAP_DESC *desc, REFIID riid, void **out)
{
    return d3d12_heap_create(impl(self), desc, riid, out);
}

METHOD d3d12_device_CreatePlacedResource(ID3D12Device11 *self, ID3D12Heap *heap, UINT64 offset,
                                         const D3D12_RESOURCE_DESC *desc, D3D12_RESOURCE_STATES initial_state,
                                         const D3D12_CLEAR_VALUE *clear, REFIID riid, void **out)
{
    D3D12_RESOURCE_DESC1 desc1 = d3d12_resource_desc1(desc);
    struct d3d12_resource_request request = {
        .call = "CreatePlacedResource",
        .is_placed = true,
        .heap = d3d12_heap_from(heap),
        .heap_offset = offset,
        .desc = desc ? &desc1 : NULL,
        .initial_state = initial_state,
        .clear_value = clear,
    };
    return d3d12_resource_create(impl(self), &request, riid, out);
}

METHOD d3d12_device_CreateReservedResource(ID3D12Device11 *self, const D3D12_RESOURCE_DESC *desc,
                                           D3D12_RESOURCE_STATES initial_state, const D3D12_CLEAR_VALUE *clear,
                                           REFIID riid, void **out)
{
    D3D12_RESOURCE_DESC1 desc1 = d3d12_resource_desc1(desc);
    struct d3d12_resource_request request = {
        .call = "CreateReservedResource",
        .is_reserved = true,
        .desc = desc ? &desc1 : NULL,
        .initial_state = initial_state,
        .clear_value = clear,
    };
    return d3d12_resource_create(impl(self), &request, riid, out);
}

/* Sharing between processes or APIs does not exist here; the documented failure for what cannot be shared. */
METHOD d3d12_device_CreateSharedHandle(ID3D12Device11 *self, ID3D12DeviceChild *object,
                                       const SECURITY_ATTRIBUTES *attributes, DWORD access, LPCWSTR name,
                                       HANDLE *handle)
{
    if (handle)
        *handle = NULL;
    return d3d12_fail(impl(self), E_INVALIDARG, RULE_SHARED_HANDLE,
                      "CreateSharedHandle: no object can be shared between processes on this device");
}

METHOD d3d12_device_OpenSharedHandle(ID3D12Device11 *self, HANDLE handle, REFIID riid, void **out)
{
    if (out)
        *out = NULL;
    return d3d12_fail(impl(self), E_INVALIDARG, RULE_SHARED_HANDLE,
                      "OpenSharedHandle: NTHandle %p is not a handle of a shared object; this device shares none", handle);
}

METHOD d3d12_device_OpenSharedHandleByName(ID3D12Device11 *self, LPCWSTR name, DWORD access, HANDLE *handle)
{
    if (handle)
        *handle = NULL;
    return d3d12_fail(impl(self), E_INVALIDARG, RULE_SHARED_HANDLE,
                      "OpenSharedHandleByName: no shared object has that Name; this device shares none");
}

/* Everything is always resident; only the arguments are checked. */
static HRESULT residency_check(ID3D12Device11 *self, const char *call, UINT count, ID3D12Pageable *const *objects)
{
    if (count && !objects)
        return d3d12_fail(impl(self), E_INVALIDARG, RULE_BAD_ARGUMENT, "%s: ppObjects is NULL but NumObjects is %u",
                          call, count);
    for (UINT i = 0; i < count; i++)
        if (!objects[i])
            return d3d12_fail(impl(self), E_INVALIDARG, RULE_BAD_ARGUMENT, "%s: ppObjects[%u] is NULL", call, i);
    return S_OK;
}

METHOD d3d12_device_MakeResident(ID3D12Device11 *self, UINT count, ID3D12Pageable *const *objects)
{
    return residency_check(self, "MakeResident", count, objects);
}

METHOD d3d12_device_Evict(ID3D12Device11 *self, UINT count, ID3D12Pageable *const *objects)
{
    return residency_check(self, "Evict", count, objects);
}

METHOD d3d12_device_CreateFence(ID3D12Device11 *self, UINT64 initial_value, D3D12_FENCE_FLAGS flags, REFIID riid,
                                void **out)
{
    return d3d12_fence_create(impl(self), initial_value, flags, riid, out);
}

METHOD d3d12_device_GetDeviceRemovedReason(ID3D12Device11 *self)
{
    return atomic_load(&impl(self)->removed_reason);
}

VOID_METHOD d3d12_device_GetCopyableFootprints(ID3D12Device11 *self, const D3D12_RESOURCE_DESC *desc, UINT first,
                                               UINT count, UINT64 base_offset,
                                               D3D12_PLACED_SUBRESOURCE_FOOTPRINT *layouts, UINT *row_counts,
                                               UINT64 *row_bytes, UINT64 *total_bytes)
{
    D3D12_RESOURCE_DESC1 desc1 = d3d12_resource_desc1(desc);
    struct d3d12_footprint_request request = {first, count, base_offset, layouts, row_counts, row_bytes, total_bytes};
    d3d12_copyable_footprints(impl(self), desc ? &desc1 : NULL, &request);
}

METHOD d3d12_device_CreateQueryHeap(ID3D12Device11 *self, const D3D12_QUERY_HEAP_DESC *desc, REFIID riid, void **out)
{
    return d3d12_query_heap_create(impl(self), desc, riid, out);
}

METHOD d3d12_device_SetStablePowerState(ID3D12Device11 *self, BOOL enable)
{
    return S_OK; /* timestamps are those of a monotonic clock whatever the CPU's frequency does */
}

METHOD d3d12_device_CreateCommandSignature(ID3D12Device11 *self, const D3D12_COMMAND_SIGNATURE_DESC *desc,
                                           ID3D12RootSignature *root_signature, REFIID riid, void **out)
{
    return d3d12_command_signature_create(impl(self), desc, root_signature, riid, out);
}

VOID_METHOD d3d12_device_GetResourceTiling(ID3D12Device11 *self, ID3D12Resource *resource, UINT *tile_count,
                                           D3D12_PACKED_MIP_INFO *packed, D3D12_TILE_SHAPE *shape,
                                           UINT *tiling_count, UINT first_tiling,
                                           D3D12_SUBRESOURCE_TILING *tilings)
{
    d3d12_resource_tiling(impl(self), resource, tile_count, packed, shape, tiling_count, first_tiling, tilings);
}

static LUID STDMETHODCALLTYPE d3d12_device_GetAdapterLuid(ID3D12Device11 *self)
{
    return impl(self)->adapter_luid;
}

METHOD d3d12_device_CreatePipelineLibrary(ID3D12Device11 *self, const void *blob, SIZE_T blob_bytes, REFIID riid,
                                          void **out)
{
    return d3d12_pipeline_library_create(impl(self), blob, blob_bytes, riid, out);
}

METHOD d3d12_device_SetEventOnMultipleFenceCompletion(ID3D12Device11 *self, ID3D12Fence *const *fences,
                                                      const UINT64 *values, UINT count,
                                                      D3D12_MULTIPLE_FENCE_WAIT_FLAGS flags, HANDLE event)
{
    return d3d12_fence_wait_multiple(impl(self), fences, values, count, flags, event);
}

METHOD d3d12_device_SetResidencyPriority(ID3D12Device11 *self, UINT count, ID3D12Pageable *const *objects,
                                         const D3D12_RESIDENCY_PRIORITY *priorities)
{
    if (count && !priorities)
        return d3d12_fail(impl(self), E_INVALIDARG, RULE_BAD_ARGUMENT,
                          "SetResidencyPriority: pPriorities is NULL but NumObjects is %u", count);
    return residency_check(self, "SetResidencyPriority", count, objects);
}

METHOD d3d12_device_CreatePipelineState(ID3D12Device11 *self, const D3D12_PIPELINE_STATE_STREAM_DESC *desc,
                                        REFIID riid, void **out)
{
    return d3d12_pipeline_state_create_stream(impl(self), desc, riid, out);
}

METHOD d3d12_device_OpenExistingHeapFromAddress(ID3D12Device11 *self, const void *address, REFIID riid, void **out)
{
    if (out)
        *out = NULL;
    return d3d12_fail(impl(self), E_NOTIMPL, RULE_NOT_IMPLEMENTED,
                      "OpenExistingHeapFromAddress: existing host memory cannot become a heap on this device "
                      "(D3D12_OPTIONS: D3D12_FEATURE_EXISTING_HEAPS is not supported)");
}

METHOD d3d12_device_OpenExistingHeapFromFileMapping(ID3D12Device11 *self, HANDLE mapping, REFIID riid, void **out)
{
    if (out)
        *out = NULL;
    return d3d12_fail(impl(self), E_NOTIMPL, RULE_NOT_IMPLEMENTED,
                      "OpenExistingHeapFromFileMapping: file mappings cannot become heaps on this device "
                      "(D3D12_FEATURE_EXISTING_HEAPS is not supported)");
}

METHOD d3d12_device_EnqueueMakeResident(ID3D12Device11 *self, D3D12_RESIDENCY_FLAGS flags, UINT count,
                                        ID3D12Pageable *const *objects, ID3D12Fence *fence, UINT64 value)
{
    HRESULT result = residency_check(self, "EnqueueMakeResident", count, objects);
    if (FAILED(result))
        return result;
    if (!fence)
        return d3d12_fail(impl(self), E_INVALIDARG, RULE_BAD_ARGUMENT, "EnqueueMakeResident: pFenceToSignal is NULL");
    return ID3D12Fence_Signal(fence, value);
}

METHOD d3d12_device_CreateCommandList1(ID3D12Device11 *self, UINT node_mask, D3D12_COMMAND_LIST_TYPE type,
                                       D3D12_COMMAND_LIST_FLAGS flags, REFIID riid, void **out)
{
    struct d3d12_command_list_desc desc = {.node_mask = node_mask, .type = type, .flags = flags, .closed = true};
    return d3d12_command_list_create(impl(self), &desc, riid, out);
}

static HRESULT protected_session_fail(ID3D12Device11 *self, const char *call, void **out)
{
    if (out)
        *out = NULL;
    return d3d12_fail(impl(self), E_NOTIMPL, RULE_NOT_IMPLEMENTED,
                      "%s: protected resource sessions are not supported "
                      "(D3D12_FEATURE_PROTECTED_RESOURCE_SESSION_SUPPORT says none)", call);
}

METHOD d3d12_device_CreateProtectedResourceSession(ID3D12Device11 *self,
                                                   const D3D12_PROTECTED_RESOURCE_SESSION_DESC *desc, REFIID riid,
                                                   void **out)
{
    return protected_session_fail(self, "CreateProtectedResourceSession", out);
}

METHOD d3d12_device_CreateCommittedResource1(ID3D12Device11 *self, const D3D12_HEAP_PROPERTIES *properties,
                                             D3D12_HEAP_FLAGS flags, const D3D12_RESOURCE_DESC *desc,
                                             D3D12_RESOURCE_STATES initial_state, const D3D12_CLEAR_VALUE *clear,
                                             ID3D12ProtectedResourceSession *session, REFIID riid, void **out)
{
    D3D12_RESOURCE_DESC1 desc1 = d3d12_resource_desc1(desc);
    struct d3d12_resource_request request = {
        .call = "CreateCommittedResource1",
        .heap_properties = properties,
        .heap_flags = flags,
        .desc = desc ? &desc1 : NULL,
        .initial_state = initial_state,
        .clear_value = clear,
        .protected_session = session,
    };
    return d3d12_resource_create(impl(self), &request, riid, out);
}

METHOD d3d12_device_CreateHeap1(ID3D12Device11 *self, const D3D12_HEAP_DESC *desc,
                                ID3D12ProtectedResourceSession *session, REFIID riid, void **out)
{
    if (session)
        return protected_session_fail(self, "CreateHeap1", out);
    return d3d12_heap_create(impl(self), desc, riid, out);
}

METHOD d3d12_device_CreateReservedResource1(ID3D12Device11 *self, const D3D12_RESOURCE_DESC *desc,
                                            D3D12_RESOURCE_STATES initial_state, const D3D12_CLEAR_VALUE *clear,
                                            ID3D12ProtectedResourceSession *session, REFIID riid, void **out)
{
    D3D12_RESOURCE_DESC1 desc1 = d3d12_resource_desc1(desc);
    struct d3d12_resource_request request = {
        .call = "CreateReservedResource1",
        .is_reserved = true,
        .desc = desc ? &desc1 : NULL,
        .initial_state = initial_state,
        .clear_value = clear,
        .protected_session = session,
    };
    return d3d12_resource_create(impl(self), &request, riid, out);
}

static D3D12_RESOURCE_ALLOCATION_INFO STDMETHODCALLTYPE
d3d12_device_GetResourceAllocationInfo1(ID3D12Device11 *self, UINT visible_mask, UINT count,
                                        const D3D12_RESOURCE_DESC *descs, D3D12_RESOURCE_ALLOCATION_INFO1 *infos)
{
    return d3d12_allocation_info(impl(self), count, descs, NULL, infos);
}

METHOD d3d12_device_CreateLifetimeTracker(ID3D12Device11 *self, ID3D12LifetimeOwner *owner, REFIID riid, void **out)
{
    if (out)
        *out = NULL;
    return com_not_implemented("ID3D12Device5::CreateLifetimeTracker");
}

VOID_METHOD d3d12_device_RemoveDevice(ID3D12Device11 *self)
{
    d3d12_device_remove(impl(self), DXGI_ERROR_DEVICE_REMOVED, "ID3D12Device5::RemoveDevice was called");
}

METHOD d3d12_device_EnumerateMetaCommands(ID3D12Device11 *self, UINT *count, D3D12_META_COMMAND_DESC *descs)
{
    if (!count)
        return E_INVALIDARG;
    *count = 0;
    return S_OK;
}

METHOD d3d12_device_EnumerateMetaCommandParameters(ID3D12Device11 *self, REFGUID command,
                                                   D3D12_META_COMMAND_PARAMETER_STAGE stage, UINT *total_bytes,
                                                   UINT *count, D3D12_META_COMMAND_PARAMETER_DESC *descs)
{
    return d3d12_fail(impl(self), E_INVALIDARG, RULE_BAD_ARGUMENT,
                      "EnumerateMetaCommandParameters: CommandId names no meta command; this device has none");
}

METHOD d3d12_device_CreateMetaCommand(ID3D12Device11 *self, REFGUID command, UINT node_mask, const void *data,
                                      SIZE_T byte_count, REFIID riid, void **out)
{
    if (out)
        *out = NULL;
    return d3d12_fail(impl(self), DXGI_ERROR_UNSUPPORTED, RULE_BAD_ARGUMENT,
                      "CreateMetaCommand: CommandId names no meta command; this device has none");
}

METHOD d3d12_device_CreateStateObject(ID3D12Device11 *self, const D3D12_STATE_OBJECT_DESC *desc, REFIID riid,
                                      void **out)
{
    return d3d12_state_object_create(impl(self), desc, NULL, riid, out);
}

VOID_METHOD d3d12_device_GetRaytracingAccelerationStructurePrebuildInfo(
    ID3D12Device11 *self, const D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS *inputs,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO *info)
{
    d3d12_acceleration_structure_prebuild(impl(self), inputs, info);
}

static D3D12_DRIVER_MATCHING_IDENTIFIER_STATUS STDMETHODCALLTYPE
d3d12_device_CheckDriverMatchingIdentifier(ID3D12Device11 *self, D3D12_SERIALIZED_DATA_TYPE type,
                                           const D3D12_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER *identifier)
{
    return d3d12_acceleration_structure_match(impl(self), type, identifier);
}

/* Nothing is optimised in the background. */
METHOD d3d12_device_SetBackgroundProcessingMode(ID3D12Device11 *self, D3D12_BACKGROUND_PROCESSING_MODE mode,
                                                D3D12_MEASUREMENTS_ACTION action, HANDLE event,
                                                BOOL *further_measurements)
{
    if (mode > D3D12_BACKGROUND_PROCESSING_MODE_DISABLE_PROFILING_BY_SYSTEM ||
        action > D3D12_MEASUREMENTS_ACTION_DISCARD_PREVIOUS)
        return d3d12_fail(impl(self), E_INVALIDARG, RULE_BAD_ARGUMENT,
                          "SetBackgroundProcessingMode: Mode %d or MeasurementsAction %d is no value of its enum", mode,
                          action);
    if (further_measurements)
        *further_measurements = FALSE;
    return event ? d3d12_event_signal(event) : S_OK;
}

METHOD d3d12_device_AddToStateObject(ID3D12Device11 *self, const D3D12_STATE_OBJECT_DESC *desc,
                                     ID3D12StateObject *grow_from, REFIID riid, void **out)
{
    if (!grow_from) {
        if (out)
            *out = NULL;
        return d3d12_fail(impl(self), E_INVALIDARG, RULE_STATE_OBJECT,
                          "AddToStateObject: pStateObjectToGrowFrom is NULL");
    }
    return d3d12_state_object_create(impl(self), desc, grow_from, riid, out);
}

METHOD d3d12_device_CreateProtectedResourceSession1(ID3D12Device11 *self,
                                                    const D3D12_PROTECTED_RESOURCE_SESSION_DESC1 *desc,
                                                    REFIID riid, void **out)
{
    return protected_session_fail(self, "CreateProtectedResourceSession1", out);
}

static D3D12_RESOURCE_ALLOCATION_INFO STDMETHODCALLTYPE
d3d12_device_GetResourceAllocationInfo2(ID3D12Device11 *self, UINT visible_mask, UINT count,
                                        const D3D12_RESOURCE_DESC1 *descs, D3D12_RESOURCE_ALLOCATION_INFO1 *infos)
{
    return d3d12_allocation_info(impl(self), count, NULL, descs, infos);
}

METHOD d3d12_device_CreateCommittedResource2(ID3D12Device11 *self, const D3D12_HEAP_PROPERTIES *properties,
                                             D3D12_HEAP_FLAGS flags, const D3D12_RESOURCE_DESC1 *desc,
                                             D3D12_RESOURCE_STATES initial_state, const D3D12_CLEAR_VALUE *clear,
                                             ID3D12ProtectedResourceSession *session, REFIID riid, void **out)
{
    struct d3d12_resource_request request = {
        .call = "CreateCommittedResource2",
        .heap_properties = properties,
        .heap_flags = flags,
        .desc = desc,
        .initial_state = initial_state,
        .clear_value = clear,
        .protected_session = session,
    };
    return d3d12_resource_create(impl(self), &request, riid, out);
}

METHOD d3d12_device_CreatePlacedResource1(ID3D12Device11 *self, ID3D12Heap *heap, UINT64 offset,
                                          const D3D12_RESOURCE_DESC1 *desc, D3D12_RESOURCE_STATES initial_state,
                                          const D3D12_CLEAR_VALUE *clear, REFIID riid, void **out)
{
    struct d3d12_resource_request request = {
        .call = "CreatePlacedResource1",
        .is_placed = true,
        .heap = d3d12_heap_from(heap),
        .heap_offset = offset,
        .desc = desc,
        .initial_state = initial_state,
        .clear_value = clear,
    };
    return d3d12_resource_create(impl(self), &request, riid, out);
}

VOID_METHOD d3d12_device_CreateSamplerFeedbackUnorderedAccessView(ID3D12Device11 *self, ID3D12Resource *target,
                                                                  ID3D12Resource *feedback,
                                                                  D3D12_CPU_DESCRIPTOR_HANDLE handle)
{
    d3d12_fail(impl(self), E_NOTIMPL, RULE_NOT_IMPLEMENTED,
               "CreateSamplerFeedbackUnorderedAccessView: sampler feedback is not supported "
               "(D3D12_OPTIONS7.SamplerFeedbackTier says so); a null descriptor is written");
    D3D12_UNORDERED_ACCESS_VIEW_DESC null_view = {.Format = DXGI_FORMAT_R32_UINT,
                                                  .ViewDimension = D3D12_UAV_DIMENSION_TEXTURE2D};
    d3d12_view_create_uav(impl(self), NULL, NULL, &null_view, handle);
}

VOID_METHOD d3d12_device_GetCopyableFootprints1(ID3D12Device11 *self, const D3D12_RESOURCE_DESC1 *desc, UINT first,
                                                UINT count, UINT64 base_offset,
                                                D3D12_PLACED_SUBRESOURCE_FOOTPRINT *layouts, UINT *row_counts,
                                                UINT64 *row_bytes, UINT64 *total_bytes)
{
    struct d3d12_footprint_request request = {first, count, base_offset, layouts, row_counts, row_bytes, total_bytes};
    d3d12_copyable_footprints(impl(self), desc, &request);
}

METHOD d3d12_device_CreateShaderCacheSession(ID3D12Device11 *self, const D3D12_SHADER_CACHE_SESSION_DESC *desc,
                                             REFIID riid, void **out)
{
    return d3d12_shader_cache_session_create(impl(self), desc, riid, out);
}

METHOD d3d12_device_ShaderCacheControl(ID3D12Device11 *self, D3D12_SHADER_CACHE_KIND_FLAGS kinds,
                                       D3D12_SHADER_CACHE_CONTROL_FLAGS control)
{
    return d3d12_shader_cache_control(impl(self), kinds, control);
}

METHOD d3d12_device_CreateCommandQueue1(ID3D12Device11 *self, const D3D12_COMMAND_QUEUE_DESC *desc, REFIID creator,
                                        REFIID riid, void **out)
{
    return d3d12_command_queue_create(impl(self), desc, riid, out);
}

METHOD d3d12_device_CreateCommittedResource3(ID3D12Device11 *self, const D3D12_HEAP_PROPERTIES *properties,
                                             D3D12_HEAP_FLAGS flags, const D3D12_RESOURCE_DESC1 *desc,
                                             D3D12_BARRIER_LAYOUT initial_layout, const D3D12_CLEAR_VALUE *clear,
                                             ID3D12ProtectedResourceSession *session, UINT32 castable_count,
                                             DXGI_FORMAT *castable, REFIID riid, void **out)
{
    struct d3d12_resource_request request = {
        .call = "CreateCommittedResource3",
        .heap_properties = properties,
        .heap_flags = flags,
        .desc = desc,
        .uses_layout = true,
        .initial_layout = initial_layout,
        .clear_value = clear,
        .protected_session = session,
        .castable_formats = castable,
        .castable_format_count = castable_count,
    };
    return d3d12_resource_create(impl(self), &request, riid, out);
}

METHOD d3d12_device_CreatePlacedResource2(ID3D12Device11 *self, ID3D12Heap *heap, UINT64 offset,
                                          const D3D12_RESOURCE_DESC1 *desc, D3D12_BARRIER_LAYOUT initial_layout,
                                          const D3D12_CLEAR_VALUE *clear, UINT32 castable_count,
                                          DXGI_FORMAT *castable, REFIID riid, void **out)
{
    struct d3d12_resource_request request = {
        .call = "CreatePlacedResource2",
        .is_placed = true,
        .heap = d3d12_heap_from(heap),
        .heap_offset = offset,
        .desc = desc,
        .uses_layout = true,
        .initial_layout = initial_layout,
        .clear_value = clear,
        .castable_formats = castable,
        .castable_format_count = castable_count,
    };
    return d3d12_resource_create(impl(self), &request, riid, out);
}

METHOD d3d12_device_CreateReservedResource2(ID3D12Device11 *self, const D3D12_RESOURCE_DESC *desc,
                                            D3D12_BARRIER_LAYOUT initial_layout, const D3D12_CLEAR_VALUE *clear,
                                            ID3D12ProtectedResourceSession *session, UINT32 castable_count,
                                            DXGI_FORMAT *castable, REFIID riid, void **out)
{
    D3D12_RESOURCE_DESC1 desc1 = d3d12_resource_desc1(desc);
    struct d3d12_resource_request request = {
        .call = "CreateReservedResource2",
        .is_reserved = true,
        .desc = desc ? &desc1 : NULL,
        .uses_layout = true,
        .initial_layout = initial_layout,
        .clear_value = clear,
        .protected_session = session,
        .castable_formats = castable,
        .castable_format_count = castable_count,
    };
    return d3d12_resource_create(impl(self), &request, riid, out);
}

VOID_METHOD d3d12_device_CreateSampler2(ID3D12Device11 *self, const D3D12_SAMPLER_DESC2 *desc,
                                        D3D12_CPU_DESCRIPTOR_HANDLE handle)
{
    d3d12_view_create_sampler(impl(self), desc, handle);
}

#define M(name) .name = d3d12_device_##name
const ID3D12Device11Vtbl d3d12_device_vtbl = {
    M(QueryInterface), M(AddRef), M(Release),
    /* ID3D12Object */
    M(GetPrivateData), M(SetPrivateData), M(SetPrivateDataInterface), M(SetName),
    /* ID3D12Device */
    M(GetNodeCount), M(CreateCommandQueue), M(CreateCommandAllocator), M(CreateGraphicsPipelineState),
    M(CreateComputePipelineState), M(CreateCommandList), M(CheckFeatureSupport), M(CreateDescriptorHeap),
    M(GetDescriptorHandleIncrementSize), M(CreateRootSignature), M(CreateConstantBufferView),
    M(CreateShaderResourceView), M(CreateUnorderedAccessView), M(CreateRenderTargetView), M(CreateDepthStencilView),
    M(CreateSampler), M(CopyDescriptors), M(CopyDescriptorsSimple), M(GetResourceAllocationInfo),
    M(GetCustomHeapProperties), M(CreateCommittedResource), M(CreateHeap), M(CreatePlacedResource),
    M(CreateReservedResource), M(CreateSharedHandle), M(OpenSharedHandle), M(OpenSharedHandleByName), M(MakeResident),
    M(Evict), M(CreateFence), M(GetDeviceRemovedReason), M(GetCopyableFootprints), M(CreateQueryHeap),
    M(SetStablePowerState), M(CreateCommandSignature), M(GetResourceTiling), M(GetAdapterLuid),
    /* ID3D12Device1 to 4 */
    M(CreatePipelineLibrary), M(SetEventOnMultipleFenceCompletion), M(SetResidencyPriority), M(CreatePipelineState),
    M(OpenExistingHeapFromAddress), M(OpenExistingHeapFromFileMapping), M(EnqueueMakeResident), M(CreateCommandList1),
    M(CreateProtectedResourceSession), M(CreateCommittedResource1), M(CreateHeap1), M(CreateReservedResource1),
    M(GetResourceAllocationInfo1),
    /* ID3D12Device5 to 8 */
    M(CreateLifetimeTracker), M(RemoveDevice), M(EnumerateMetaCommands), M(EnumerateMetaCommandParameters),
    M(CreateMetaCommand), M(CreateStateObject), M(GetRaytracingAccelerationStructurePrebuildInfo),
    M(CheckDriverMatchingIdentifier), M(SetBackgroundProcessingMode), M(AddToStateObject),
    M(CreateProtectedResourceSession1), M(GetResourceAllocationInfo2), M(CreateCommittedResource2),
    M(CreatePlacedResource1), M(CreateSamplerFeedbackUnorderedAccessView), M(GetCopyableFootprints1),
    /* ID3D12Device9 to 11 */
    M(CreateShaderCacheSession), M(ShaderCacheControl), M(CreateCommandQueue1), M(CreateCommittedResource3),
    M(CreatePlacedResource2), M(CreateReservedResource2), M(CreateSampler2),
};
