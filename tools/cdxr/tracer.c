/* SPDX-License-Identifier: MIT */
#include "tracer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render_dxil.h" /* render_dxil[], generated from shaders/render.dxil */

enum { PARAM_SCENE, PARAM_VERTICES, PARAM_INDICES, PARAM_MESHES, PARAM_MATERIALS, PARAM_FRAME, PARAM_OUTPUTS, PARAM_TEXTURES,
       PARAM_COUNT };
enum { RECORD_BYTES = 64, FRAME_BYTES = 256 };

static bool check(HRESULT result, const char *what)
{
    if (FAILED(result))
        fprintf(stderr, "cdxr: %s failed: %s\n", what, gpu_result_text(result));
    return SUCCEEDED(result);
}

static void release(void *object)
{
    if (object)
        IUnknown_Release((IUnknown *)object);
}

static bool create_root_signature(struct tracer *t)
{
    D3D12_DESCRIPTOR_RANGE outputs = {D3D12_DESCRIPTOR_RANGE_TYPE_UAV, TRACER_OUTPUT_COUNT, 0, 0, 0};
    D3D12_DESCRIPTOR_RANGE textures = {D3D12_DESCRIPTOR_RANGE_TYPE_SRV, UINT_MAX, 0, 1, 0};
    D3D12_ROOT_PARAMETER parameters[PARAM_COUNT] = {0};
    for (UINT i = PARAM_SCENE; i <= PARAM_MATERIALS; i++) {
        parameters[i].ParameterType = D3D12_ROOT_PARAMETER_TYPE_SRV;
        parameters[i].Descriptor.ShaderRegister = i;
    }
    parameters[PARAM_FRAME].ParameterType = D3D12_ROOT_PARAMETER_TYPE_CBV;
    parameters[PARAM_OUTPUTS].ParameterType = D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE;
    parameters[PARAM_OUTPUTS].DescriptorTable = (D3D12_ROOT_DESCRIPTOR_TABLE){1, &outputs};
    parameters[PARAM_TEXTURES].ParameterType = D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE;
    parameters[PARAM_TEXTURES].DescriptorTable = (D3D12_ROOT_DESCRIPTOR_TABLE){1, &textures};
    D3D12_STATIC_SAMPLER_DESC sampler = {.Filter = D3D12_FILTER_MIN_MAG_MIP_LINEAR,
                                         .AddressU = D3D12_TEXTURE_ADDRESS_MODE_WRAP,
                                         .AddressV = D3D12_TEXTURE_ADDRESS_MODE_WRAP,
                                         .AddressW = D3D12_TEXTURE_ADDRESS_MODE_WRAP,
                                         .ComparisonFunc = D3D12_COMPARISON_FUNC_NEVER,
                                         .MaxLOD = D3D12_FLOAT32_MAX};
    D3D12_ROOT_SIGNATURE_DESC desc = {PARAM_COUNT, parameters, 1, &sampler, D3D12_ROOT_SIGNATURE_FLAG_NONE};
    ID3DBlob *blob = NULL;
    if (!check(D3D12SerializeRootSignature(&desc, D3D_ROOT_SIGNATURE_VERSION_1, &blob, NULL), "D3D12SerializeRootSignature"))
        return false;
    HRESULT hr = ID3D12Device5_CreateRootSignature(t->gpu->device, 0, ID3D10Blob_GetBufferPointer(blob),
                                                   ID3D10Blob_GetBufferSize(blob), &IID_ID3D12RootSignature,
                                                   (void **)&t->root_signature);
    ID3D10Blob_Release(blob);
    return check(hr, "CreateRootSignature");
}

static bool create_pipeline(struct tracer *t)
{
    D3D12_DXIL_LIBRARY_DESC library = {.DXILLibrary = {render_dxil, sizeof(render_dxil)}};
    D3D12_HIT_GROUP_DESC group = {.HitGroupExport = L"HitGroup", .Type = D3D12_HIT_GROUP_TYPE_TRIANGLES,
                                  .AnyHitShaderImport = L"AnyHit", .ClosestHitShaderImport = L"ClosestHit"};
    /* The payload by HLSL rules; 64 leaves room. */
    D3D12_RAYTRACING_SHADER_CONFIG shader_config = {64, 8};
    D3D12_RAYTRACING_PIPELINE_CONFIG pipeline_config = {1};
    D3D12_GLOBAL_ROOT_SIGNATURE root = {t->root_signature};
    D3D12_STATE_SUBOBJECT subobjects[] = {
        {D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &library},
        {D3D12_STATE_SUBOBJECT_TYPE_HIT_GROUP, &group},
        {D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG, &shader_config},
        {D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG, &pipeline_config},
        {D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE, &root},
    };
    D3D12_STATE_OBJECT_DESC desc = {D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE,
                                    sizeof(subobjects) / sizeof(subobjects[0]), subobjects};
    return check(ID3D12Device5_CreateStateObject(t->gpu->device, &desc, &IID_ID3D12StateObject, (void **)&t->pipeline),
                 "CreateStateObject");
}

/* Records of 64 bytes: raygen, two miss records, one hit group. */
static bool create_shader_table(struct tracer *t)
{
    static const WCHAR *const names[] = {L"RayGen", L"Miss", L"ShadowMiss", L"HitGroup"};
    uint8_t records[4 * RECORD_BYTES] = {0};
    ID3D12StateObjectProperties *properties = NULL;
    if (!check(ID3D12StateObject_QueryInterface(t->pipeline, &IID_ID3D12StateObjectProperties, (void **)&properties),
               "QueryInterface(ID3D12StateObjectProperties)"))
        return false;
    bool ok = true;
    for (size_t i = 0; i < 4 && ok; i++) {
        const void *identifier = ID3D12StateObjectProperties_GetShaderIdentifier(properties, names[i]);
        ok = identifier != NULL;
        if (ok)
            memcpy(records + i * RECORD_BYTES, identifier, D3D12_SHADER_IDENTIFIER_SIZE_IN_BYTES);
    }
    ID3D12StateObjectProperties_Release(properties);
    t->shader_table = ok ? gpu_buffer(t->gpu, D3D12_HEAP_TYPE_UPLOAD, sizeof(records), D3D12_RESOURCE_FLAG_NONE, 0, records)
                         : NULL;
    return t->shader_table != NULL;
}

static bool create_outputs(struct tracer *t)
{
    D3D12_RESOURCE_DESC desc = {.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE2D, .Width = t->width, .Height = t->height,
                                .DepthOrArraySize = 1, .MipLevels = 1, .SampleDesc = {1, 0},
                                .Format = DXGI_FORMAT_R32G32B32A32_FLOAT,
                                .Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS};
    for (int i = 0; i < TRACER_OUTPUT_COUNT; i++) {
        t->outputs[i] = gpu_texture(t->gpu, &desc, D3D12_RESOURCE_STATE_UNORDERED_ACCESS);
        if (!t->outputs[i])
            return false;
    }
    return true;
}

static bool create_descriptors(struct tracer *t, const struct scene *scene)
{
    D3D12_DESCRIPTOR_HEAP_DESC desc = {.Type = D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV,
                                       .NumDescriptors = TRACER_OUTPUT_COUNT + (UINT)scene->texture_count + 1,
                                       .Flags = D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE};
    if (!check(ID3D12Device5_CreateDescriptorHeap(t->gpu->device, &desc, &IID_ID3D12DescriptorHeap, (void **)&t->heap),
               "CreateDescriptorHeap"))
        return false;
    UINT step = ID3D12Device5_GetDescriptorHandleIncrementSize(t->gpu->device, desc.Type);
    D3D12_CPU_DESCRIPTOR_HANDLE to = ID3D12DescriptorHeap_GetCPUDescriptorHandleForHeapStart(t->heap);
    for (int i = 0; i < TRACER_OUTPUT_COUNT; i++, to.ptr += step)
        ID3D12Device5_CreateUnorderedAccessView(t->gpu->device, t->outputs[i], NULL, NULL, to);
    for (size_t i = 0; i < scene->texture_count; i++, to.ptr += step)
        ID3D12Device5_CreateShaderResourceView(t->gpu->device, scene->textures[i], NULL, to);
    return true;
}

static bool create_frames(struct tracer *t)
{
    t->frames = gpu_buffer(t->gpu, D3D12_HEAP_TYPE_UPLOAD, FRAME_BYTES * TRACER_MAX_BATCH, D3D12_RESOURCE_FLAG_NONE, 0, NULL);
    return t->frames && check(ID3D12Resource_Map(t->frames, 0, NULL, (void **)&t->frames_mapped), "Map");
}

bool tracer_create(struct gpu *gpu, const struct scene *scene, uint32_t width, uint32_t height, struct tracer *t)
{
    *t = (struct tracer){.gpu = gpu, .width = width, .height = height};
    return create_root_signature(t) && create_pipeline(t) && create_shader_table(t) && create_outputs(t) &&
           create_descriptors(t, scene) && create_frames(t);
}

void tracer_destroy(struct tracer *t)
{
    release(t->frames);
    release(t->heap);
    for (int i = 0; i < TRACER_OUTPUT_COUNT; i++)
        release(t->outputs[i]);
    release(t->shader_table);
    release(t->pipeline);
    release(t->root_signature);
    memset(t, 0, sizeof(*t));
}

static void set_root_arguments(struct tracer *t, const struct scene *s)
{
    ID3D12GraphicsCommandList4 *list = t->gpu->list;
    ID3D12GraphicsCommandList4_SetDescriptorHeaps(list, 1, &t->heap);
    ID3D12GraphicsCommandList4_SetComputeRootSignature(list, t->root_signature);
    ID3D12Resource *const srvs[] = {s->tlas, s->vertices, s->indices, s->meshes, s->materials};
    for (UINT i = 0; i < 5; i++)
        ID3D12GraphicsCommandList4_SetComputeRootShaderResourceView(list, i, ID3D12Resource_GetGPUVirtualAddress(srvs[i]));
    D3D12_GPU_DESCRIPTOR_HANDLE table = ID3D12DescriptorHeap_GetGPUDescriptorHandleForHeapStart(t->heap);
    ID3D12GraphicsCommandList4_SetComputeRootDescriptorTable(list, PARAM_OUTPUTS, table);
    table.ptr += (UINT64)TRACER_OUTPUT_COUNT * ID3D12Device5_GetDescriptorHandleIncrementSize(
                                                   t->gpu->device, D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
    ID3D12GraphicsCommandList4_SetComputeRootDescriptorTable(list, PARAM_TEXTURES, table);
}

bool tracer_run(struct tracer *t, const struct scene *scene, const struct tracer_frame *frame, uint32_t count)
{
    ID3D12GraphicsCommandList4 *list = t->gpu->list;
    D3D12_GPU_VIRTUAL_ADDRESS table = ID3D12Resource_GetGPUVirtualAddress(t->shader_table);
    D3D12_DISPATCH_RAYS_DESC rays = {
        .RayGenerationShaderRecord = {table, RECORD_BYTES},
        .MissShaderTable = {table + RECORD_BYTES, 2 * RECORD_BYTES, RECORD_BYTES},
        .HitGroupTable = {table + 3 * RECORD_BYTES, RECORD_BYTES, RECORD_BYTES},
        .Width = t->width,
        .Height = t->height,
        .Depth = 1};
    set_root_arguments(t, scene);
    ID3D12GraphicsCommandList4_SetPipelineState1(list, t->pipeline);
    D3D12_RESOURCE_BARRIER barrier = {.Type = D3D12_RESOURCE_BARRIER_TYPE_UAV};
    for (uint32_t i = 0; i < count; i++) {
        struct tracer_frame f = *frame;
        f.sample += i;
        memcpy(t->frames_mapped + i * FRAME_BYTES, &f, sizeof(f));
        ID3D12GraphicsCommandList4_SetComputeRootConstantBufferView(
            list, PARAM_FRAME, ID3D12Resource_GetGPUVirtualAddress(t->frames) + i * FRAME_BYTES);
        ID3D12GraphicsCommandList4_DispatchRays(list, &rays);
        ID3D12GraphicsCommandList4_ResourceBarrier(list, 1, &barrier);
    }
    return gpu_submit(t->gpu);
}

bool tracer_read(struct tracer *t, enum tracer_output output, float *pixels)
{
    D3D12_RESOURCE_BARRIER barrier = {.Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION,
                                      .Transition = {t->outputs[output], 0, D3D12_RESOURCE_STATE_UNORDERED_ACCESS,
                                                     D3D12_RESOURCE_STATE_COPY_SOURCE}};
    ID3D12GraphicsCommandList4_ResourceBarrier(t->gpu->list, 1, &barrier);
    if (!gpu_texture_read(t->gpu, t->outputs[output], 0, pixels))
        return false;
    barrier.Transition.StateBefore = D3D12_RESOURCE_STATE_COPY_SOURCE;
    barrier.Transition.StateAfter = D3D12_RESOURCE_STATE_UNORDERED_ACCESS;
    ID3D12GraphicsCommandList4_ResourceBarrier(t->gpu->list, 1, &barrier);
    return true;
}
