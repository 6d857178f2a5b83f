/* SPDX-License-Identifier: MIT */
#include "helpers/triangle_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(condition)                                                                                   \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: %s failed\n", __FILE__, __LINE__, #condition);                           \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

static void *read_fixture(const char *name, size_t *bytes)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/dxil/%s", CDXR_FIXTURES, name);
    FILE *file = fopen(path, "rb");
    REQUIRE(file);
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    rewind(file);
    void *data = malloc(*bytes);
    REQUIRE(data && fread(data, 1, *bytes, file) == *bytes);
    fclose(file);
    return data;
}

static ID3D12RootSignature *read_root_signature(ID3D12Device5 *device, const char *name)
{
    size_t bytes;
    void *data = read_fixture(name, &bytes);
    ID3D12RootSignature *signature = NULL;
    REQUIRE(SUCCEEDED(ID3D12Device5_CreateRootSignature(device, 0, data, bytes, &IID_ID3D12RootSignature,
                                                        (void **)&signature)));
    free(data);
    return signature;
}

static void read_identifiers(struct triangle_pipeline *pipeline)
{
    ID3D12StateObjectProperties *properties = NULL;
    REQUIRE(SUCCEEDED(ID3D12StateObject_QueryInterface(pipeline->object, &IID_ID3D12StateObjectProperties,
                                                       (void **)&properties)));
    memcpy(pipeline->raygen, ID3D12StateObjectProperties_GetShaderIdentifier(properties, L"RayGen"), 32);
    memcpy(pipeline->miss, ID3D12StateObjectProperties_GetShaderIdentifier(properties, L"Miss"), 32);
    memcpy(pipeline->hit, ID3D12StateObjectProperties_GetShaderIdentifier(properties, L"HitGroup"), 32);
    ID3D12StateObjectProperties_Release(properties);
}

static void init_pipeline(struct triangle_pipeline *pipeline, ID3D12Device5 *device, const void *code, size_t bytes,
                          D3D12_RAYTRACING_PIPELINE_FLAGS flags);

void triangle_pipeline_init(struct triangle_pipeline *pipeline, ID3D12Device5 *device)
{
    size_t bytes;
    void *dxil = read_fixture("01_hello_triangle.dxil", &bytes);
    triangle_pipeline_init_library(pipeline, device, dxil, bytes);
    free(dxil);
}

void triangle_pipeline_init_flags(struct triangle_pipeline *pipeline, ID3D12Device5 *device,
                                  D3D12_RAYTRACING_PIPELINE_FLAGS flags)
{
    size_t bytes;
    void *dxil = read_fixture("01_hello_triangle.dxil", &bytes);
    init_pipeline(pipeline, device, dxil, bytes, flags);
    free(dxil);
}

void triangle_pipeline_init_library(struct triangle_pipeline *pipeline, ID3D12Device5 *device, const void *code,
                                    size_t bytes)
{
    init_pipeline(pipeline, device, code, bytes, D3D12_RAYTRACING_PIPELINE_FLAG_NONE);
}

static void init_pipeline(struct triangle_pipeline *pipeline, ID3D12Device5 *device, const void *code, size_t bytes,
                          D3D12_RAYTRACING_PIPELINE_FLAGS flags)
{
    *pipeline = (struct triangle_pipeline){0};
    pipeline->global = read_root_signature(device, "01_hello_triangle.global_rs.rs");
    pipeline->local = read_root_signature(device, "01_hello_triangle.raygen_local_rs.rs");
    D3D12_DXIL_LIBRARY_DESC library = {.DXILLibrary = {code, bytes}};
    D3D12_HIT_GROUP_DESC group = {.HitGroupExport = L"HitGroup", .Type = D3D12_HIT_GROUP_TYPE_TRIANGLES,
                                  .ClosestHitShaderImport = L"ClosestHit"};
    D3D12_RAYTRACING_SHADER_CONFIG shader_config = {16, 8};
    D3D12_RAYTRACING_PIPELINE_CONFIG1 pipeline_config = {1, flags};
    LPCWSTR raygen = L"RayGen";
    D3D12_STATE_SUBOBJECT subobjects[7] = {
        {D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &library},
        {D3D12_STATE_SUBOBJECT_TYPE_HIT_GROUP, &group},
        {D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG, &shader_config},
        {D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG1, &pipeline_config},
        {D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE, &pipeline->global},
        {D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE, &pipeline->local},
    };
    D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION association = {&subobjects[5], 1, &raygen};
    subobjects[6] =
        (D3D12_STATE_SUBOBJECT){D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION, &association};
    D3D12_STATE_OBJECT_DESC desc = {D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE, 7, subobjects};
    REQUIRE(SUCCEEDED(
        ID3D12Device5_CreateStateObject(device, &desc, &IID_ID3D12StateObject, (void **)&pipeline->object)));
    read_identifiers(pipeline);
}

void triangle_pipeline_finish(struct triangle_pipeline *pipeline)
{
    ID3D12StateObject_Release(pipeline->object);
    ID3D12RootSignature_Release(pipeline->global);
    ID3D12RootSignature_Release(pipeline->local);
}

static void init_tables(struct triangle_scene *scene, struct gpu *gpu)
{
    scene->tables = gpu_buffer(gpu, D3D12_HEAP_TYPE_UPLOAD, TRIANGLE_TABLE_BYTES);
    REQUIRE(SUCCEEDED(ID3D12Resource_Map(scene->tables, 0, NULL, (void **)&scene->table_memory)));
    struct {
        float corners[4], plane, t_min, t_max;
        UINT mask;
    } window = {{-1, 1, 1, -1}, 0, 0, 100, 0xff};
    memcpy(scene->table_memory + TRIANGLE_RAYGEN, scene->pipeline->raygen, 32);
    memcpy(scene->table_memory + TRIANGLE_RAYGEN + 32, &window, sizeof(window));
    memcpy(scene->table_memory + TRIANGLE_MISS, scene->pipeline->miss, 32);
    memcpy(scene->table_memory + TRIANGLE_HIT, scene->pipeline->hit, 32);
}

static void init_image(struct triangle_scene *scene, struct gpu *gpu)
{
    D3D12_RESOURCE_DESC desc = {.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE2D, .Width = scene->width,
                                .Height = scene->height, .DepthOrArraySize = 1, .MipLevels = 1,
                                .Format = DXGI_FORMAT_R32G32B32A32_FLOAT, .SampleDesc = {1, 0},
                                .Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS};
    scene->image = gpu_texture(gpu, &desc);
    scene->readback = gpu_buffer(gpu, D3D12_HEAP_TYPE_READBACK, (UINT64)scene->width * scene->height * 16);
    D3D12_DESCRIPTOR_HEAP_DESC heap = {.Type = D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, .NumDescriptors = 4,
                                       .Flags = D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE};
    REQUIRE(SUCCEEDED(ID3D12Device5_CreateDescriptorHeap(scene->device, &heap, &IID_ID3D12DescriptorHeap,
                                                         (void **)&scene->heap)));
    ID3D12Device5_CreateUnorderedAccessView(scene->device, scene->image, NULL, NULL,
                                            ID3D12DescriptorHeap_GetCPUDescriptorHandleForHeapStart(scene->heap));
}

static D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS inputs_of(const struct triangle_scene *scene, bool top)
{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS inputs = {
        .Type = top ? D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL
                    : D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL,
        .NumDescs = 1, .DescsLayout = D3D12_ELEMENTS_LAYOUT_ARRAY};
    if (top)
        inputs.InstanceDescs = scene->instance ? ID3D12Resource_GetGPUVirtualAddress(scene->instance) : 0;
    else
        inputs.pGeometryDescs = &scene->geometry;
    return inputs;
}

static ID3D12Resource *new_structure(struct triangle_scene *scene, struct gpu *gpu, bool top, UINT64 *scratch_bytes)
{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS inputs = inputs_of(scene, top);
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO info;
    ID3D12Device5_GetRaytracingAccelerationStructurePrebuildInfo(scene->device, &inputs, &info);
    REQUIRE(info.ResultDataMaxSizeInBytes);
    if (info.ScratchDataSizeInBytes > *scratch_bytes)
        *scratch_bytes = info.ScratchDataSizeInBytes;
    return gpu_structure_buffer(gpu, info.ResultDataMaxSizeInBytes);
}

void triangle_scene_init(struct triangle_scene *scene, struct gpu *gpu, const struct triangle_pipeline *pipeline,
                         UINT width, UINT height)
{
    *scene = (struct triangle_scene){.device = gpu->device, .pipeline = pipeline, .width = width, .height = height};
    static const float corners[9] = {-0.5625f, 0.5625f, 1, 0.4375f, 0.5625f, 1, -0.5625f, -0.4375f, 1};
    scene->vertices = gpu_upload(gpu, corners, sizeof(corners));
    scene->geometry = (D3D12_RAYTRACING_GEOMETRY_DESC){
        .Type = D3D12_RAYTRACING_GEOMETRY_TYPE_TRIANGLES, .Flags = D3D12_RAYTRACING_GEOMETRY_FLAG_OPAQUE,
        .Triangles = {.VertexFormat = DXGI_FORMAT_R32G32B32_FLOAT, .VertexCount = 3,
                      .VertexBuffer = {ID3D12Resource_GetGPUVirtualAddress(scene->vertices), 12}}};
    UINT64 scratch_bytes = 0;
    scene->blas = new_structure(scene, gpu, false, &scratch_bytes);
    D3D12_RAYTRACING_INSTANCE_DESC instance = {.Transform = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}},
                                               .InstanceMask = 0xff,
                                               .AccelerationStructure =
                                                   ID3D12Resource_GetGPUVirtualAddress(scene->blas)};
    scene->instance = gpu_upload(gpu, &instance, sizeof(instance));
    scene->tlas = new_structure(scene, gpu, true, &scratch_bytes);
    scene->scratch = gpu_buffer(gpu, D3D12_HEAP_TYPE_DEFAULT, scratch_bytes);
    init_tables(scene, gpu);
    init_image(scene, gpu);
}

void triangle_scene_finish(struct triangle_scene *scene)
{
    ID3D12Resource *resources[] = {scene->vertices, scene->instance, scene->scratch, scene->blas,
                                   scene->tlas,     scene->tables,   scene->image,   scene->readback};
    for (size_t i = 0; i < sizeof(resources) / sizeof(resources[0]); i++)
        ID3D12Resource_Release(resources[i]);
    ID3D12DescriptorHeap_Release(scene->heap);
}

void triangle_scene_build(struct triangle_scene *scene, ID3D12GraphicsCommandList4 *list)
{
    for (int top = 0; top < 2; top++) {
        D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC desc = {
            .DestAccelerationStructureData = ID3D12Resource_GetGPUVirtualAddress(top ? scene->tlas : scene->blas),
            .Inputs = inputs_of(scene, top),
            .ScratchAccelerationStructureData = ID3D12Resource_GetGPUVirtualAddress(scene->scratch)};
        ID3D12GraphicsCommandList4_BuildRaytracingAccelerationStructure(list, &desc, 0, NULL);
        D3D12_RESOURCE_BARRIER barrier = {.Type = D3D12_RESOURCE_BARRIER_TYPE_UAV};
        ID3D12GraphicsCommandList4_ResourceBarrier(list, 1, &barrier);
    }
}

void triangle_scene_bind(struct triangle_scene *scene, ID3D12GraphicsCommandList4 *list)
{
    ID3D12GraphicsCommandList4_SetDescriptorHeaps(list, 1, &scene->heap);
    ID3D12GraphicsCommandList4_SetComputeRootSignature(list, scene->pipeline->global);
    ID3D12GraphicsCommandList4_SetComputeRootShaderResourceView(list, 0,
                                                                ID3D12Resource_GetGPUVirtualAddress(scene->tlas));
    ID3D12GraphicsCommandList4_SetComputeRootDescriptorTable(
        list, 1, ID3D12DescriptorHeap_GetGPUDescriptorHandleForHeapStart(scene->heap));
    ID3D12GraphicsCommandList4_SetPipelineState1(list, scene->pipeline->object);
}

D3D12_DISPATCH_RAYS_DESC triangle_scene_desc(const struct triangle_scene *scene)
{
    UINT64 tables = ID3D12Resource_GetGPUVirtualAddress(scene->tables);
    return (D3D12_DISPATCH_RAYS_DESC){
        .RayGenerationShaderRecord = {tables + TRIANGLE_RAYGEN, 64},
        .MissShaderTable = {tables + TRIANGLE_MISS, 32, 32},
        .HitGroupTable = {tables + TRIANGLE_HIT, 32, 32},
        .Width = scene->width, .Height = scene->height, .Depth = 1};
}

void triangle_scene_copy(struct triangle_scene *scene, ID3D12GraphicsCommandList4 *list)
{
    D3D12_TEXTURE_COPY_LOCATION from = {.pResource = scene->image, .Type = D3D12_TEXTURE_COPY_TYPE_SUBRESOURCE_INDEX};
    D3D12_TEXTURE_COPY_LOCATION to = {
        .pResource = scene->readback, .Type = D3D12_TEXTURE_COPY_TYPE_PLACED_FOOTPRINT,
        .PlacedFootprint = {0, {DXGI_FORMAT_R32G32B32A32_FLOAT, scene->width, scene->height, 1, scene->width * 16}}};
    ID3D12GraphicsCommandList4_CopyTextureRegion(list, &to, 0, 0, 0, &from, NULL);
}

void triangle_scene_pixel(struct triangle_scene *scene, UINT x, UINT y, float out[4])
{
    gpu_read(scene->readback, ((UINT64)y * scene->width + x) * 16, out, 16);
}

bool triangle_scene_is_right(struct triangle_scene *scene)
{
    for (UINT y = 0; y < scene->height; y++)
        for (UINT x = 0; x < scene->width; x++) {
            float px = -1 + 2 * ((float)x + 0.5f) / (float)scene->width;
            float py = 1 - 2 * ((float)y + 0.5f) / (float)scene->height;
            float u = px + 0.5625f, v = 0.5625f - py, w = 1 - u - v; /* barycentrics of vertices 1, 2, 0 */
            float inside = fminf(fminf(u, v), w), pixel[4];
            if (fabsf(inside) < 1e-4f)
                continue;
            triangle_scene_pixel(scene, x, y, pixel);
            bool right = inside > 0 ? pixel[3] == 1 && fabsf(pixel[1] - u) < 1e-5f && fabsf(pixel[2] - v) < 1e-5f
                                    : pixel[3] == 0 && pixel[0] == 0.25f;
            if (!right)
                return false;
        }
    return true;
}
