/* SPDX-License-Identifier: MIT
 * Constructors that ID3D12Device's methods call: each checks its description, creates the object and returns it by
 * com_object_return. One file per class implements its own. Parameters are those of the API method. */
#ifndef CDXR_D3D12_CREATE_H
#define CDXR_D3D12_CREATE_H

#include "d3d12/device.h"

/* command_queue.c and its neighbours */
HRESULT d3d12_command_queue_create(struct d3d12_device *device, const D3D12_COMMAND_QUEUE_DESC *desc, REFIID riid,
                                   void **out);
HRESULT d3d12_command_allocator_create(struct d3d12_device *device, D3D12_COMMAND_LIST_TYPE type, REFIID riid,
                                       void **out);
struct d3d12_command_list_desc {
    UINT node_mask;
    D3D12_COMMAND_LIST_TYPE type;
    D3D12_COMMAND_LIST_FLAGS flags;
    bool closed; /* CreateCommandList1: no allocator, the list starts closed */
    ID3D12CommandAllocator *allocator;
    ID3D12PipelineState *initial_state;
};
HRESULT d3d12_command_list_create(struct d3d12_device *device, const struct d3d12_command_list_desc *desc, REFIID riid,
                                  void **out);
HRESULT d3d12_fence_create(struct d3d12_device *device, UINT64 initial_value, D3D12_FENCE_FLAGS flags, REFIID riid,
                           void **out);
HRESULT d3d12_fence_wait_multiple(struct d3d12_device *device, ID3D12Fence *const *fences, const UINT64 *values,
                                  UINT fence_count, D3D12_MULTIPLE_FENCE_WAIT_FLAGS flags, HANDLE event);
HRESULT d3d12_query_heap_create(struct d3d12_device *device, const D3D12_QUERY_HEAP_DESC *desc, REFIID riid,
                                void **out);
HRESULT d3d12_command_signature_create(struct d3d12_device *device, const D3D12_COMMAND_SIGNATURE_DESC *desc,
                                       ID3D12RootSignature *root_signature, REFIID riid, void **out);
/* acceleration_structure.c: zeroes *info and writes a message when the inputs are invalid. */
void d3d12_acceleration_structure_prebuild(struct d3d12_device *device,
                                           const D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS *inputs,
                                           D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO *info);
D3D12_DRIVER_MATCHING_IDENTIFIER_STATUS
d3d12_acceleration_structure_match(struct d3d12_device *device, D3D12_SERIALIZED_DATA_TYPE type,
                                   const D3D12_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER *identifier);

/* pipeline_state.c, pipeline_library.c, state_object.c */
HRESULT d3d12_pipeline_state_create_compute(struct d3d12_device *device, const D3D12_COMPUTE_PIPELINE_STATE_DESC *desc,
                                            REFIID riid, void **out);
HRESULT d3d12_pipeline_state_create_graphics(struct d3d12_device *device,
                                             const D3D12_GRAPHICS_PIPELINE_STATE_DESC *desc, REFIID riid, void **out);
HRESULT d3d12_pipeline_state_create_stream(struct d3d12_device *device, const D3D12_PIPELINE_STATE_STREAM_DESC *desc,
                                           REFIID riid, void **out);
HRESULT d3d12_pipeline_library_create(struct d3d12_device *device, const void *blob, SIZE_T blob_bytes, REFIID riid,
                                      void **out);
/* grow_from: NULL for CreateStateObject, the object to extend for AddToStateObject. */
HRESULT d3d12_state_object_create(struct d3d12_device *device, const D3D12_STATE_OBJECT_DESC *desc,
                                  ID3D12StateObject *grow_from, REFIID riid, void **out);
HRESULT d3d12_shader_cache_session_create(struct d3d12_device *device, const D3D12_SHADER_CACHE_SESSION_DESC *desc,
                                          REFIID riid, void **out);

/* shader_cache.c */
HRESULT d3d12_shader_cache_control(struct d3d12_device *device, D3D12_SHADER_CACHE_KIND_FLAGS kinds,
                                   D3D12_SHADER_CACHE_CONTROL_FLAGS control);

/* heap.c, resource.c, descriptor_heap.c, root_signature.c */
HRESULT d3d12_heap_create(struct d3d12_device *device, const D3D12_HEAP_DESC *desc, REFIID riid, void **out);
HRESULT d3d12_descriptor_heap_create(struct d3d12_device *device, const D3D12_DESCRIPTOR_HEAP_DESC *desc, REFIID riid,
                                     void **out);
HRESULT d3d12_root_signature_create(struct d3d12_device *device, const void *bytes, SIZE_T byte_count, REFIID riid,
                                    void **out);

#endif
