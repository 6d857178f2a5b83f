/* SPDX-License-Identifier: MIT
 * Hello triangle by DirectX Raytracing, off-screen: one triangle, 512 x 512 rays, hello_triangle.ppm. */
#define COBJMACROS
#include <wsl/winadapter.h>
#include <directx/d3d12.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 512, HEIGHT = 512 };

static ID3D12Device5 *device;
static ID3D12CommandQueue *queue;
static ID3D12CommandAllocator *allocator;
static ID3D12GraphicsCommandList4 *list;

static void check(HRESULT result, const char *what)
{
    if (FAILED(result)) {
        fprintf(stderr, "%s: 0x%08X\n", what, (unsigned)result);
        exit(1);
    }
}

static void *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s: cannot be opened\n", path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    void *data = malloc(*size);
    if (fread(data, 1, *size, file) != *size)
        exit(1);
    fclose(file);
    return data;
}

static ID3D12Resource *create_buffer(D3D12_HEAP_TYPE heap, UINT64 size, D3D12_RESOURCE_FLAGS flags,
                                     D3D12_RESOURCE_STATES state, const void *data)
{
    D3D12_HEAP_PROPERTIES properties = {.Type = heap};
    D3D12_RESOURCE_DESC desc = {.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER, .Width = size, .Height = 1,
                                .DepthOrArraySize = 1, .MipLevels = 1, .SampleDesc = {1, 0},
                                .Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR, .Flags = flags};
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

static ID3D12Resource *build(const D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS *inputs)
{
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO info;
    ID3D12Device5_GetRaytracingAccelerationStructurePrebuildInfo(device, inputs, &info);
    ID3D12Resource *result = create_buffer(D3D12_HEAP_TYPE_DEFAULT, info.ResultDataMaxSizeInBytes,
                                           D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS,
                                           D3D12_RESOURCE_STATE_RAYTRACING_ACCELERATION_STRUCTURE, NULL);
    ID3D12Resource *scratch = create_buffer(D3D12_HEAP_TYPE_DEFAULT, info.ScratchDataSizeInBytes,
                                            D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS,
                                            D3D12_RESOURCE_STATE_UNORDERED_ACCESS, NULL);
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC desc = {
        .DestAccelerationStructureData = ID3D12Resource_GetGPUVirtualAddress(result),
        .Inputs = *inputs,
        .ScratchAccelerationStructureData = ID3D12Resource_GetGPUVirtualAddress(scratch)};
    ID3D12GraphicsCommandList4_BuildRaytracingAccelerationStructure(list, &desc, 0, NULL);
    D3D12_RESOURCE_BARRIER barrier = {.Type = D3D12_RESOURCE_BARRIER_TYPE_UAV, .UAV = {result}};
    ID3D12GraphicsCommandList4_ResourceBarrier(list, 1, &barrier);
    return result; /* scratch lives until the process ends: this is an example */
}

static ID3D12Resource *build_scene(void)
{
    static const float vertices[3][3] = {{0.0f, 0.7f, 1}, {0.75f, -0.6f, 1}, {-0.75f, -0.6f, 1}};
    ID3D12Resource *buffer = create_buffer(D3D12_HEAP_TYPE_UPLOAD, sizeof(vertices), D3D12_RESOURCE_FLAG_NONE,
                                           D3D12_RESOURCE_STATE_GENERIC_READ, vertices);
    D3D12_RAYTRACING_GEOMETRY_DESC geometry = {
        .Type = D3D12_RAYTRACING_GEOMETRY_TYPE_TRIANGLES,
        .Flags = D3D12_RAYTRACING_GEOMETRY_FLAG_OPAQUE,
        .Triangles = {.VertexFormat = DXGI_FORMAT_R32G32B32_FLOAT, .VertexCount = 3,
                      .VertexBuffer = {ID3D12Resource_GetGPUVirtualAddress(buffer), sizeof(vertices[0])}}};
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS bottom = {
        .Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL, .NumDescs = 1,
        .DescsLayout = D3D12_ELEMENTS_LAYOUT_ARRAY, .pGeometryDescs = &geometry};
    ID3D12Resource *blas = build(&bottom);

    D3D12_RAYTRACING_INSTANCE_DESC instance = {.InstanceMask = 1,
                                               .AccelerationStructure = ID3D12Resource_GetGPUVirtualAddress(blas)};
    for (int i = 0; i < 3; i++)
        instance.Transform[i][i] = 1;
    ID3D12Resource *instances = create_buffer(D3D12_HEAP_TYPE_UPLOAD, sizeof(instance), D3D12_RESOURCE_FLAG_NONE,
                                              D3D12_RESOURCE_STATE_GENERIC_READ, &instance);
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS top = {
        .Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL, .NumDescs = 1,
        .DescsLayout = D3D12_ELEMENTS_LAYOUT_ARRAY, .InstanceDescs = ID3D12Resource_GetGPUVirtualAddress(instances)};
    return build(&top);
}

static ID3D12RootSignature *create_root_signature(const D3D12_ROOT_SIGNATURE_DESC *desc)
{
    ID3DBlob *blob, *error = NULL;
    ID3D12RootSignature *signature;
    check(D3D12SerializeRootSignature(desc, D3D_ROOT_SIGNATURE_VERSION_1, &blob, &error), "D3D12SerializeRootSignature");
    check(ID3D12Device5_CreateRootSignature(device, 0, ID3D10Blob_GetBufferPointer(blob), ID3D10Blob_GetBufferSize(blob),
                                            &IID_ID3D12RootSignature, (void **)&signature),
          "CreateRootSignature");
    ID3D10Blob_Release(blob);
    return signature;
}

static ID3D12RootSignature *create_global_signature(void)
{
    D3D12_DESCRIPTOR_RANGE range = {D3D12_DESCRIPTOR_RANGE_TYPE_UAV, 1, 0, 0, 0};
    D3D12_ROOT_PARAMETER parameters[2] = {
        {.ParameterType = D3D12_ROOT_PARAMETER_TYPE_SRV, .Descriptor = {0, 0}},
        {.ParameterType = D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE, .DescriptorTable = {1, &range}}};
    D3D12_ROOT_SIGNATURE_DESC desc = {2, parameters, 0, NULL, D3D12_ROOT_SIGNATURE_FLAG_NONE};
    return create_root_signature(&desc);
}

static ID3D12RootSignature *create_local_signature(void)
{
    D3D12_ROOT_PARAMETER parameter = {.ParameterType = D3D12_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS, .Constants = {0, 1, 8}};
    D3D12_ROOT_SIGNATURE_DESC desc = {1, &parameter, 0, NULL, D3D12_ROOT_SIGNATURE_FLAG_LOCAL_ROOT_SIGNATURE};
    return create_root_signature(&desc);
}

static ID3D12StateObject *create_pipeline(ID3D12RootSignature *global, ID3D12RootSignature *local)
{
    size_t size;
    void *code = read_file("hello_triangle.dxil", &size);
    D3D12_DXIL_LIBRARY_DESC library = {.DXILLibrary = {code, size}};
    D3D12_HIT_GROUP_DESC group = {.HitGroupExport = L"HitGroup", .ClosestHitShaderImport = L"ClosestHit"};
    D3D12_RAYTRACING_SHADER_CONFIG shaders = {16, 8};
    D3D12_RAYTRACING_PIPELINE_CONFIG pipeline = {1};
    D3D12_GLOBAL_ROOT_SIGNATURE global_root = {global};
    D3D12_LOCAL_ROOT_SIGNATURE local_root = {local};
    LPCWSTR raygen = L"RayGen";
    D3D12_STATE_SUBOBJECT subobjects[7] = {
        {D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &library},
        {D3D12_STATE_SUBOBJECT_TYPE_HIT_GROUP, &group},
        {D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG, &shaders},
        {D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG, &pipeline},
        {D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE, &global_root},
        {D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE, &local_root}};
    D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION association = {&subobjects[5], 1, &raygen};
    subobjects[6] = (D3D12_STATE_SUBOBJECT){D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION, &association};
    D3D12_STATE_OBJECT_DESC desc = {D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE, 7, subobjects};
    ID3D12StateObject *object;
    check(ID3D12Device5_CreateStateObject(device, &desc, &IID_ID3D12StateObject, (void **)&object), "CreateStateObject");
    free(code);
    return object;
}

/* Records of 64 bytes: ray generation with its eight constants, miss, hit group. */
static ID3D12Resource *create_shader_table(ID3D12StateObject *pipeline)
{
    struct {
        uint8_t identifier[32];
        float corners[4];
        float plane_z, t_min, t_max;
        uint32_t mask;
    } records[3] = {{.corners = {-1, 1, 1, -1}, .plane_z = 0, .t_min = 0, .t_max = 100, .mask = 0xff}};
    static const WCHAR *const names[3] = {L"RayGen", L"Miss", L"HitGroup"};
    ID3D12StateObjectProperties *properties;
    check(ID3D12StateObject_QueryInterface(pipeline, &IID_ID3D12StateObjectProperties, (void **)&properties),
          "QueryInterface");
    for (int i = 0; i < 3; i++)
        memcpy(records[i].identifier, ID3D12StateObjectProperties_GetShaderIdentifier(properties, names[i]), 32);
    ID3D12StateObjectProperties_Release(properties);
    return create_buffer(D3D12_HEAP_TYPE_UPLOAD, sizeof(records), D3D12_RESOURCE_FLAG_NONE,
                         D3D12_RESOURCE_STATE_GENERIC_READ, records);
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
    ID3D12Fence_Release(fence);
}

static void write_ppm(const uint8_t *rows, UINT pitch)
{
    FILE *file = fopen("hello_triangle.ppm", "wb");
    if (!file)
        exit(1);
    fprintf(file, "P6 %d %d 255\n", WIDTH, HEIGHT);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const float *rgba = (const float *)(rows + (size_t)y * pitch) + x * 4;
            for (int c = 0; c < 3; c++)
                fputc((int)(rgba[c] * 255 + 0.5f), file);
        }
    fclose(file);
    puts("hello_triangle.ppm");
}

int main(void)
{
    check(D3D12CreateDevice(NULL, D3D_FEATURE_LEVEL_12_0, &IID_ID3D12Device5, (void **)&device), "D3D12CreateDevice");
    D3D12_COMMAND_QUEUE_DESC queue_desc = {.Type = D3D12_COMMAND_LIST_TYPE_DIRECT};
    check(ID3D12Device5_CreateCommandQueue(device, &queue_desc, &IID_ID3D12CommandQueue, (void **)&queue), "queue");
    check(ID3D12Device5_CreateCommandAllocator(device, queue_desc.Type, &IID_ID3D12CommandAllocator, (void **)&allocator),
          "allocator");
    check(ID3D12Device5_CreateCommandList(device, 0, queue_desc.Type, allocator, NULL, &IID_ID3D12GraphicsCommandList4,
                                          (void **)&list),
          "list");

    ID3D12Resource *tlas = build_scene();
    ID3D12RootSignature *global = create_global_signature();
    ID3D12StateObject *pipeline = create_pipeline(global, create_local_signature());
    D3D12_GPU_VIRTUAL_ADDRESS table = ID3D12Resource_GetGPUVirtualAddress(create_shader_table(pipeline));

    D3D12_HEAP_PROPERTIES heap = {.Type = D3D12_HEAP_TYPE_DEFAULT};
    D3D12_RESOURCE_DESC image_desc = {.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE2D, .Width = WIDTH, .Height = HEIGHT,
                                      .DepthOrArraySize = 1, .MipLevels = 1, .SampleDesc = {1, 0},
                                      .Format = DXGI_FORMAT_R32G32B32A32_FLOAT,
                                      .Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS};
    ID3D12Resource *image;
    check(ID3D12Device5_CreateCommittedResource(device, &heap, D3D12_HEAP_FLAG_NONE, &image_desc,
                                                D3D12_RESOURCE_STATE_UNORDERED_ACCESS, NULL, &IID_ID3D12Resource,
                                                (void **)&image),
          "image");
    D3D12_DESCRIPTOR_HEAP_DESC heap_desc = {.Type = D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, .NumDescriptors = 1,
                                            .Flags = D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE};
    ID3D12DescriptorHeap *descriptors;
    check(ID3D12Device5_CreateDescriptorHeap(device, &heap_desc, &IID_ID3D12DescriptorHeap, (void **)&descriptors), "heap");
    ID3D12Device5_CreateUnorderedAccessView(device, image, NULL, NULL,
                                            ID3D12DescriptorHeap_GetCPUDescriptorHandleForHeapStart(descriptors));

    ID3D12GraphicsCommandList4_SetDescriptorHeaps(list, 1, &descriptors);
    ID3D12GraphicsCommandList4_SetComputeRootSignature(list, global);
    ID3D12GraphicsCommandList4_SetComputeRootShaderResourceView(list, 0, ID3D12Resource_GetGPUVirtualAddress(tlas));
    ID3D12GraphicsCommandList4_SetComputeRootDescriptorTable(
        list, 1, ID3D12DescriptorHeap_GetGPUDescriptorHandleForHeapStart(descriptors));
    ID3D12GraphicsCommandList4_SetPipelineState1(list, pipeline);
    D3D12_DISPATCH_RAYS_DESC rays = {.RayGenerationShaderRecord = {table, 64}, .MissShaderTable = {table + 64, 64, 64},
                                     .HitGroupTable = {table + 128, 64, 64}, .Width = WIDTH, .Height = HEIGHT, .Depth = 1};
    ID3D12GraphicsCommandList4_DispatchRays(list, &rays);

    D3D12_RESOURCE_BARRIER barrier = {.Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION,
                                      .Transition = {image, 0, D3D12_RESOURCE_STATE_UNORDERED_ACCESS,
                                                     D3D12_RESOURCE_STATE_COPY_SOURCE}};
    ID3D12GraphicsCommandList4_ResourceBarrier(list, 1, &barrier);
    D3D12_TEXTURE_COPY_LOCATION from = {.pResource = image, .Type = D3D12_TEXTURE_COPY_TYPE_SUBRESOURCE_INDEX};
    D3D12_TEXTURE_COPY_LOCATION to = {.Type = D3D12_TEXTURE_COPY_TYPE_PLACED_FOOTPRINT};
    UINT64 total;
    ID3D12Device5_GetCopyableFootprints(device, &image_desc, 0, 1, 0, &to.PlacedFootprint, NULL, NULL, &total);
    ID3D12Resource *readback = create_buffer(D3D12_HEAP_TYPE_READBACK, total, D3D12_RESOURCE_FLAG_NONE,
                                             D3D12_RESOURCE_STATE_COPY_DEST, NULL);
    to.pResource = readback;
    ID3D12GraphicsCommandList4_CopyTextureRegion(list, &to, 0, 0, 0, &from, NULL);
    execute_and_wait();

    void *pixels;
    check(ID3D12Resource_Map(readback, 0, NULL, &pixels), "Map");
    write_ppm(pixels, to.PlacedFootprint.Footprint.RowPitch);
    return 0;
}
