/* SPDX-License-Identifier: MIT
 * Static samplers in local root signatures belong to the exports that are associated with them (field case SO-04). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cdxr/cdxr.h"
#include "helpers/gpu.h"

#include <cmocka.h>

static struct gpu gpu;

static ID3D12RootSignature *new_root_signature(const D3D12_ROOT_SIGNATURE_DESC *desc)
{
    ID3DBlob *blob = NULL;
    ID3D12RootSignature *signature = NULL;
    assert_int_equal(D3D12SerializeRootSignature(desc, D3D_ROOT_SIGNATURE_VERSION_1, &blob, NULL), S_OK);
    assert_int_equal(ID3D12Device5_CreateRootSignature(gpu.device, 0, ID3D10Blob_GetBufferPointer(blob),
                                                       ID3D10Blob_GetBufferSize(blob), &IID_ID3D12RootSignature,
                                                       (void **)&signature),
                     S_OK);
    ID3D10Blob_Release(blob);
    return signature;
}

static ID3D12RootSignature *new_sampler_signature(D3D12_FILTER filter)
{
    D3D12_STATIC_SAMPLER_DESC sampler = {.Filter = filter,
                                         .AddressU = D3D12_TEXTURE_ADDRESS_MODE_CLAMP,
                                         .AddressV = D3D12_TEXTURE_ADDRESS_MODE_CLAMP,
                                         .AddressW = D3D12_TEXTURE_ADDRESS_MODE_CLAMP,
                                         .MaxLOD = D3D12_FLOAT32_MAX};
    D3D12_ROOT_SIGNATURE_DESC desc = {0, NULL, 1, &sampler, D3D12_ROOT_SIGNATURE_FLAG_LOCAL_ROOT_SIGNATURE};
    return new_root_signature(&desc);
}

static ID3D12StateObject *new_pipeline(ID3D12RootSignature *global, ID3D12RootSignature *const samplers[2])
{
    static UINT8 code[1 << 20];
    FILE *file = fopen(CDXR_BINARY_DIR "/tests/local_samplers.bc", "rb");
    assert_non_null(file);
    size_t bytes = fread(code, 1, sizeof(code), file);
    fclose(file);
    D3D12_EXPORT_DESC exports[2] = {{L"Point", L"Sample", 0}, {L"Linear", L"Sample", 0}};
    D3D12_DXIL_LIBRARY_DESC library = {{code, bytes}, 2, exports};
    D3D12_RAYTRACING_SHADER_CONFIG shader_config = {4, 8};
    D3D12_RAYTRACING_PIPELINE_CONFIG pipeline_config = {1};
    LPCWSTR point = L"Point", linear = L"Linear";
    D3D12_STATE_SUBOBJECT subobjects[8] = {
        {D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &library},
        {D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG, &shader_config},
        {D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG, &pipeline_config},
        {D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE, &global},
        {D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE, &samplers[0]},
        {D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE, &samplers[1]},
    };
    D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION associations[2] = {{&subobjects[4], 1, &point}, {&subobjects[5], 1, &linear}};
    for (int i = 0; i < 2; i++)
        subobjects[6 + i] =
            (D3D12_STATE_SUBOBJECT){D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION, &associations[i]};
    D3D12_STATE_OBJECT_DESC desc = {D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE, 8, subobjects};
    ID3D12StateObject *object = NULL;
    if (FAILED(ID3D12Device5_CreateStateObject(gpu.device, &desc, &IID_ID3D12StateObject, (void **)&object)))
        gpu_print_messages(&gpu);
    assert_non_null(object);
    return object;
}

/* Two texels, 0 and 1. */
static ID3D12Resource *new_texture(ID3D12Resource **upload)
{
    static const float texels[2] = {0, 1};
    D3D12_RESOURCE_DESC desc = {.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE2D,
                                .Width = 2,
                                .Height = 1,
                                .DepthOrArraySize = 1,
                                .MipLevels = 1,
                                .Format = DXGI_FORMAT_R32_FLOAT,
                                .SampleDesc = {1, 0}};
    ID3D12Resource *texture = gpu_texture(&gpu, &desc);
    *upload = gpu_upload(&gpu, texels, sizeof(texels));
    D3D12_TEXTURE_COPY_LOCATION to = {.pResource = texture, .Type = D3D12_TEXTURE_COPY_TYPE_SUBRESOURCE_INDEX};
    D3D12_TEXTURE_COPY_LOCATION from = {.pResource = *upload,
                                        .Type = D3D12_TEXTURE_COPY_TYPE_PLACED_FOOTPRINT,
                                        .PlacedFootprint = {0, {DXGI_FORMAT_R32_FLOAT, 2, 1, 1, 256}}};
    ID3D12GraphicsCommandList4_CopyTextureRegion(gpu.list, &to, 0, 0, 0, &from, NULL);
    return texture;
}

static void each_export_uses_its_own_sampler(void **state)
{
    cdxr_enable_c_shaders();
    gpu_init(&gpu);
    D3D12_DESCRIPTOR_RANGE range = {D3D12_DESCRIPTOR_RANGE_TYPE_SRV, 1, 0, 0, 0};
    D3D12_ROOT_PARAMETER parameters[2] = {
        {.ParameterType = D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE, .DescriptorTable = {1, &range}},
        {.ParameterType = D3D12_ROOT_PARAMETER_TYPE_UAV}};
    D3D12_ROOT_SIGNATURE_DESC root_desc = {2, parameters, 0, NULL, D3D12_ROOT_SIGNATURE_FLAG_NONE};
    ID3D12RootSignature *global = new_root_signature(&root_desc);
    ID3D12RootSignature *samplers[2] = {new_sampler_signature(D3D12_FILTER_MIN_MAG_MIP_POINT),
                                        new_sampler_signature(D3D12_FILTER_MIN_MAG_MIP_LINEAR)};
    ID3D12StateObject *object = new_pipeline(global, samplers);
    ID3D12StateObjectProperties *properties;
    ID3D12StateObject_QueryInterface(object, &IID_ID3D12StateObjectProperties, (void **)&properties);
    ID3D12Resource *upload, *texture = new_texture(&upload);
    ID3D12Resource *table = gpu_buffer(&gpu, D3D12_HEAP_TYPE_UPLOAD, 256);
    ID3D12Resource *result = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, 256);
    ID3D12Resource *back = gpu_buffer(&gpu, D3D12_HEAP_TYPE_READBACK, 512);
    D3D12_DESCRIPTOR_HEAP_DESC heap_desc = {D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, 1,
                                            D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE, 0};
    ID3D12DescriptorHeap *heap;
    ID3D12Device5_CreateDescriptorHeap(gpu.device, &heap_desc, &IID_ID3D12DescriptorHeap, (void **)&heap);
    ID3D12Device5_CreateShaderResourceView(gpu.device, texture, NULL,
                                           ID3D12DescriptorHeap_GetCPUDescriptorHandleForHeapStart(heap));
    UINT8 *records;
    ID3D12Resource_Map(table, 0, NULL, (void **)&records);
    memcpy(records, ID3D12StateObjectProperties_GetShaderIdentifier(properties, L"Point"), 32);
    memcpy(records + 64, ID3D12StateObjectProperties_GetShaderIdentifier(properties, L"Linear"), 32);
    assert_memory_not_equal(records, records + 64, 32);
    ID3D12GraphicsCommandList4_SetDescriptorHeaps(gpu.list, 1, &heap);
    ID3D12GraphicsCommandList4_SetComputeRootSignature(gpu.list, global);
    ID3D12GraphicsCommandList4_SetComputeRootDescriptorTable(
        gpu.list, 0, ID3D12DescriptorHeap_GetGPUDescriptorHandleForHeapStart(heap));
    ID3D12GraphicsCommandList4_SetComputeRootUnorderedAccessView(gpu.list, 1,
                                                                 ID3D12Resource_GetGPUVirtualAddress(result));
    ID3D12GraphicsCommandList4_SetPipelineState1(gpu.list, object);
    for (UINT i = 0; i < 2; i++) {
        D3D12_DISPATCH_RAYS_DESC dispatch = {.Width = 1, .Height = 1, .Depth = 1};
        dispatch.RayGenerationShaderRecord.StartAddress = ID3D12Resource_GetGPUVirtualAddress(table) + 64 * i;
        dispatch.RayGenerationShaderRecord.SizeInBytes = 32;
        ID3D12GraphicsCommandList4_DispatchRays(gpu.list, &dispatch);
        ID3D12GraphicsCommandList4_CopyBufferRegion(gpu.list, back, 256 * i, result, 0, 4);
    }
    gpu_run(&gpu);
    float point = -1, linear = -1;
    gpu_read(back, 0, &point, 4);
    gpu_read(back, 256, &linear, 4);
    assert_true(point == 0);
    assert_true(fabsf(linear - 0.3f) <= 1.0f / 256);
    IUnknown *const objects[] = {(IUnknown *)heap,    (IUnknown *)back,       (IUnknown *)result,
                                 (IUnknown *)table,   (IUnknown *)texture,    (IUnknown *)upload,
                                 (IUnknown *)properties, (IUnknown *)object,  (IUnknown *)samplers[0],
                                 (IUnknown *)samplers[1], (IUnknown *)global};
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
        ID3D12Resource_Release((ID3D12Resource *)objects[i]); /* Release stands at one place in every table */
    gpu_finish(&gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_export_uses_its_own_sampler)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
