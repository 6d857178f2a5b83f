/* SPDX-License-Identifier: MIT
 * Inline raytracing: a compute shader walks a RayQuery over four triangles in a row, some of them not opaque, and says what it
 * committed. The root signature comes out of the compiled shader. */
#define COBJMACROS
#include <wsl/winadapter.h>
#include <directx/d3d12.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ray { /* RayIn of rayquery.hlsl */
    float origin[3], t_min, direction[3], t_max;
    uint32_t flags, mask, action, unused;
};
struct summary {
    uint32_t status, triangle_candidates, box_candidates, box_non_opaque;
    float t;
    uint32_t ray_flags, candidate_id_sum, second_status;
    float world_origin[3], t_min, world_direction[3], second_t;
};
enum { COMMIT_ALL, COMMIT_NONE, RAY_COUNT = 3, DETAIL_BYTES = 256 };

static ID3D12Device5 *device;
static ID3D12CommandQueue *queue;
static ID3D12GraphicsCommandList4 *list;

static void check(HRESULT result, const char *what)
{
    if (FAILED(result)) {
        fprintf(stderr, "%s: 0x%08X\n", what, (unsigned)result);
        exit(1);
    }
}

static ID3D12Resource *create_buffer(D3D12_HEAP_TYPE heap, UINT64 size, D3D12_RESOURCE_STATES state, const void *data)
{
    D3D12_HEAP_PROPERTIES properties = {.Type = heap};
    D3D12_RESOURCE_DESC desc = {.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER, .Width = size, .Height = 1,
                                .DepthOrArraySize = 1, .MipLevels = 1, .SampleDesc = {1, 0},
                                .Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR};
    if (heap == D3D12_HEAP_TYPE_DEFAULT)
        desc.Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS;
    ID3D12Resource *buffer;
    check(ID3D12Device5_CreateCommittedResource(device, &properties, D3D12_HEAP_FLAG_NONE, &desc, state, NULL,
                                                &IID_ID3D12Resource, (void **)&buffer),
          "CreateCommittedResource");
    if (data) {
        void *map;
        check(ID3D12Resource_Map(buffer, 0, NULL, &map), "Map");
        memcpy(map, data, size);
        ID3D12Resource_Unmap(buffer, 0, NULL);
    }
    return buffer;
}

static D3D12_GPU_VIRTUAL_ADDRESS upload(const void *data, UINT64 size)
{
    return ID3D12Resource_GetGPUVirtualAddress(
        create_buffer(D3D12_HEAP_TYPE_UPLOAD, size, D3D12_RESOURCE_STATE_GENERIC_READ, data));
}

static D3D12_GPU_VIRTUAL_ADDRESS build(const D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS *inputs)
{
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO info;
    ID3D12Device5_GetRaytracingAccelerationStructurePrebuildInfo(device, inputs, &info);
    ID3D12Resource *result = create_buffer(D3D12_HEAP_TYPE_DEFAULT, info.ResultDataMaxSizeInBytes,
                                           D3D12_RESOURCE_STATE_RAYTRACING_ACCELERATION_STRUCTURE, NULL);
    ID3D12Resource *scratch = create_buffer(D3D12_HEAP_TYPE_DEFAULT, info.ScratchDataSizeInBytes,
                                            D3D12_RESOURCE_STATE_UNORDERED_ACCESS, NULL);
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC desc = {
        .DestAccelerationStructureData = ID3D12Resource_GetGPUVirtualAddress(result),
        .Inputs = *inputs,
        .ScratchAccelerationStructureData = ID3D12Resource_GetGPUVirtualAddress(scratch)};
    ID3D12GraphicsCommandList4_BuildRaytracingAccelerationStructure(list, &desc, 0, NULL);
    D3D12_RESOURCE_BARRIER barrier = {.Type = D3D12_RESOURCE_BARRIER_TYPE_UAV, .UAV = {result}};
    ID3D12GraphicsCommandList4_ResourceBarrier(list, 1, &barrier);
    return desc.DestAccelerationStructureData;
}

/* Triangles at z = 1, 2, 3, 4; none is opaque, so that each is a candidate for the shader. */
static D3D12_GPU_VIRTUAL_ADDRESS build_scene(void)
{
    static const float triangle[3][3] = {{-1, -1, 0}, {-1, 3, 0}, {3, -1, 0}};
    D3D12_RAYTRACING_GEOMETRY_DESC geometry = {
        .Triangles = {.VertexFormat = DXGI_FORMAT_R32G32B32_FLOAT, .VertexCount = 3,
                      .VertexBuffer = {upload(triangle, sizeof(triangle)), sizeof(triangle[0])}}};
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS bottom = {
        .Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL, .NumDescs = 1, .pGeometryDescs = &geometry};
    D3D12_GPU_VIRTUAL_ADDRESS blas = build(&bottom);
    D3D12_RAYTRACING_INSTANCE_DESC instances[4] = {0};
    for (UINT i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++)
            instances[i].Transform[k][k] = 1;
        instances[i].Transform[2][3] = (float)(i + 1);
        instances[i].InstanceID = i;
        instances[i].InstanceMask = 0xff;
        instances[i].AccelerationStructure = blas;
    }
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS top = {
        .Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL, .NumDescs = 4,
        .InstanceDescs = upload(instances, sizeof(instances))};
    return build(&top);
}

static ID3D12PipelineState *create_pipeline(ID3D12RootSignature **signature)
{
    static uint8_t code[1 << 20];
    FILE *file = fopen("rayquery.dxil", "rb");
    if (!file) {
        fprintf(stderr, "rayquery.dxil: cannot be opened\n");
        exit(1);
    }
    size_t size = fread(code, 1, sizeof(code), file);
    fclose(file);
    check(ID3D12Device5_CreateRootSignature(device, 0, code, size, &IID_ID3D12RootSignature, (void **)signature),
          "CreateRootSignature");
    D3D12_COMPUTE_PIPELINE_STATE_DESC desc = {.pRootSignature = *signature, .CS = {code, size}};
    ID3D12PipelineState *pipeline;
    check(ID3D12Device5_CreateComputePipelineState(device, &desc, &IID_ID3D12PipelineState, (void **)&pipeline),
          "CreateComputePipelineState");
    return pipeline;
}

static void execute_and_wait(void)
{
    ID3D12Fence *fence;
    check(ID3D12GraphicsCommandList4_Close(list), "Close");
    ID3D12CommandQueue_ExecuteCommandLists(queue, 1, (ID3D12CommandList **)&list);
    check(ID3D12Device5_CreateFence(device, 0, D3D12_FENCE_FLAG_NONE, &IID_ID3D12Fence, (void **)&fence), "CreateFence");
    check(ID3D12CommandQueue_Signal(queue, fence, 1), "Signal");
    check(ID3D12Fence_SetEventOnCompletion(fence, 1, NULL), "SetEventOnCompletion");
    check(ID3D12Device5_GetDeviceRemovedReason(device), "device removed");
}

int main(void)
{
    check(D3D12CreateDevice(NULL, D3D_FEATURE_LEVEL_12_0, &IID_ID3D12Device5, (void **)&device), "D3D12CreateDevice");
    D3D12_COMMAND_QUEUE_DESC queue_desc = {.Type = D3D12_COMMAND_LIST_TYPE_COMPUTE};
    check(ID3D12Device5_CreateCommandQueue(device, &queue_desc, &IID_ID3D12CommandQueue, (void **)&queue), "queue");
    ID3D12CommandAllocator *allocator;
    check(ID3D12Device5_CreateCommandAllocator(device, queue_desc.Type, &IID_ID3D12CommandAllocator, (void **)&allocator),
          "allocator");
    check(ID3D12Device5_CreateCommandList(device, 0, queue_desc.Type, allocator, NULL, &IID_ID3D12GraphicsCommandList4,
                                          (void **)&list),
          "list");
    ID3D12RootSignature *signature;
    ID3D12PipelineState *pipeline = create_pipeline(&signature);
    D3D12_GPU_VIRTUAL_ADDRESS scene = build_scene();

    const struct ray rays[RAY_COUNT] = {
        {{0, 0, 0}, 0, {0, 0, 1}, 100, 0, 0xff, COMMIT_ALL, 0},    /* the nearest of four */
        {{0, 0, 2.5f}, 0, {0, 0, 1}, 100, 0, 0xff, COMMIT_ALL, 0}, /* starts behind two */
        {{0, 0, 0}, 0, {0, 0, 1}, 100, 0, 0xff, COMMIT_NONE, 0},   /* sees four, takes none */
    };
    ID3D12Resource *summary = create_buffer(D3D12_HEAP_TYPE_DEFAULT, sizeof(struct summary) * RAY_COUNT,
                                            D3D12_RESOURCE_STATE_UNORDERED_ACCESS, NULL);
    ID3D12Resource *details = create_buffer(D3D12_HEAP_TYPE_DEFAULT, 2 * DETAIL_BYTES * RAY_COUNT,
                                            D3D12_RESOURCE_STATE_UNORDERED_ACCESS, NULL);
    D3D12_GPU_VIRTUAL_ADDRESS committed = ID3D12Resource_GetGPUVirtualAddress(details);

    ID3D12GraphicsCommandList4_SetComputeRootSignature(list, signature);
    ID3D12GraphicsCommandList4_SetPipelineState(list, pipeline);
    ID3D12GraphicsCommandList4_SetComputeRootShaderResourceView(list, 0, scene);
    ID3D12GraphicsCommandList4_SetComputeRootShaderResourceView(list, 1, upload(rays, sizeof(rays)));
    ID3D12GraphicsCommandList4_SetComputeRootUnorderedAccessView(list, 2, ID3D12Resource_GetGPUVirtualAddress(summary));
    ID3D12GraphicsCommandList4_SetComputeRootUnorderedAccessView(list, 3, committed);
    ID3D12GraphicsCommandList4_SetComputeRootUnorderedAccessView(list, 4, committed + DETAIL_BYTES * RAY_COUNT);
    ID3D12GraphicsCommandList4_Dispatch(list, 1, 1, 1);

    D3D12_RESOURCE_BARRIER barrier = {.Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION,
                                      .Transition = {summary, 0, D3D12_RESOURCE_STATE_UNORDERED_ACCESS,
                                                     D3D12_RESOURCE_STATE_COPY_SOURCE}};
    ID3D12GraphicsCommandList4_ResourceBarrier(list, 1, &barrier);
    ID3D12Resource *readback = create_buffer(D3D12_HEAP_TYPE_READBACK, sizeof(struct summary) * RAY_COUNT,
                                             D3D12_RESOURCE_STATE_COPY_DEST, NULL);
    ID3D12GraphicsCommandList4_CopyResource(list, readback, summary);
    execute_and_wait();

    const struct summary *s;
    check(ID3D12Resource_Map(readback, 0, NULL, (void **)&s), "Map");
    for (int i = 0; i < RAY_COUNT; i++)
        printf("ray %d: %s, t %g, %u candidates\n", i, s[i].status ? "triangle" : "nothing", s[i].t,
               s[i].triangle_candidates);
    return s[0].t == 1 && s[1].t == 0.5f && s[2].status == 0 && s[2].triangle_candidates == 4 ? 0 : 1;
}
