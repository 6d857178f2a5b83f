/* SPDX-License-Identifier: MIT
 * Weak constructors for classes whose own file is not in the build: one log line, E_NOTIMPL, *out NULL. A class's real
 * constructor replaces its line here by being defined. */
#include "d3d12/create.h"

#define WEAK __attribute__((weak))

static HRESULT refuse(const char *method, void **out)
{
    if (out)
        *out = NULL;
    return com_not_implemented(method);
}

WEAK HRESULT d3d12_command_queue_create(struct d3d12_device *device, const D3D12_COMMAND_QUEUE_DESC *desc,
                                        REFIID riid, void **out)
{
    return refuse("ID3D12Device::CreateCommandQueue", out);
}

WEAK HRESULT d3d12_command_allocator_create(struct d3d12_device *device, D3D12_COMMAND_LIST_TYPE type, REFIID riid,
                                            void **out)
{
    return refuse("ID3D12Device::CreateCommandAllocator", out);
}

WEAK HRESULT d3d12_command_list_create(struct d3d12_device *device, const struct d3d12_command_list_desc *desc,
                                       REFIID riid, void **out)
{
    return refuse("ID3D12Device::CreateCommandList", out);
}

WEAK HRESULT d3d12_fence_create(struct d3d12_device *device, UINT64 initial_value, D3D12_FENCE_FLAGS flags,
                                REFIID riid, void **out)
{
    return refuse("ID3D12Device::CreateFence", out);
}

WEAK HRESULT d3d12_fence_wait_multiple(struct d3d12_device *device, ID3D12Fence *const *fences, const UINT64 *values,
                                       UINT fence_count, D3D12_MULTIPLE_FENCE_WAIT_FLAGS flags, HANDLE event)
{
    return refuse("ID3D12Device1::SetEventOnMultipleFenceCompletion", NULL);
}

WEAK HRESULT d3d12_query_heap_create(struct d3d12_device *device, const D3D12_QUERY_HEAP_DESC *desc, REFIID riid,
                                     void **out)
{
    return refuse("ID3D12Device::CreateQueryHeap", out);
}

WEAK HRESULT d3d12_command_signature_create(struct d3d12_device *device, const D3D12_COMMAND_SIGNATURE_DESC *desc,
                                            ID3D12RootSignature *root_signature, REFIID riid, void **out)
{
    return refuse("ID3D12Device::CreateCommandSignature", out);
}

WEAK void d3d12_acceleration_structure_prebuild(struct d3d12_device *device,
                                                const D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS *inputs,
                                                D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO *info)
{
    if (info)
        *info = (D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO){0};
    com_not_implemented("ID3D12Device5::GetRaytracingAccelerationStructurePrebuildInfo");
}

WEAK D3D12_DRIVER_MATCHING_IDENTIFIER_STATUS
d3d12_acceleration_structure_match(struct d3d12_device *device, D3D12_SERIALIZED_DATA_TYPE type,
                                   const D3D12_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER *identifier)
{
    com_not_implemented("ID3D12Device5::CheckDriverMatchingIdentifier");
    return D3D12_DRIVER_MATCHING_IDENTIFIER_UNSUPPORTED_TYPE;
}

WEAK HRESULT d3d12_pipeline_state_create_compute(struct d3d12_device *device,
                                                 const D3D12_COMPUTE_PIPELINE_STATE_DESC *desc, REFIID riid,
                                                 void **out)
{
    return refuse("ID3D12Device::CreateComputePipelineState", out);
}

WEAK HRESULT d3d12_pipeline_state_create_graphics(struct d3d12_device *device,
                                                  const D3D12_GRAPHICS_PIPELINE_STATE_DESC *desc, REFIID riid,
                                                  void **out)
{
    return refuse("ID3D12Device::CreateGraphicsPipelineState", out);
}

WEAK HRESULT d3d12_pipeline_state_create_stream(struct d3d12_device *device,
                                                const D3D12_PIPELINE_STATE_STREAM_DESC *desc, REFIID riid,
                                                void **out)
{
    return refuse("ID3D12Device2::CreatePipelineState", out);
}

WEAK HRESULT d3d12_pipeline_library_create(struct d3d12_device *device, const void *blob, SIZE_T blob_bytes,
                                           REFIID riid, void **out)
{
    return refuse("ID3D12Device1::CreatePipelineLibrary", out);
}

WEAK HRESULT d3d12_state_object_create(struct d3d12_device *device, const D3D12_STATE_OBJECT_DESC *desc,
                                       ID3D12StateObject *grow_from, REFIID riid, void **out)
{
    return refuse(grow_from ? "ID3D12Device7::AddToStateObject" : "ID3D12Device5::CreateStateObject", out);
}
