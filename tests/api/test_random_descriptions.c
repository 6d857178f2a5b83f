/* SPDX-License-Identifier: MIT
 * Random descriptions of resources, views, samplers, heaps and root signatures: never a crash, failures leave no object,
 * and the answers of calls that ask the same question agree. Seeds are fixed and printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/gpu.h"

#include <cmocka.h>

static struct gpu gpu;
static uint64_t seed;

static int set_up(void **state)
{
    gpu_init(&gpu);
    seed = 0x9e3779b97f4a7c15u;
    return 0;
}

static int tear_down(void **state)
{
    gpu_finish(&gpu);
    return 0;
}

static uint32_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 32);
}

/* Mostly small, sometimes zero, sometimes huge. */
static uint32_t extent(void)
{
    switch (next() % 8) {
    case 0:
        return 0;
    case 1:
        return next();
    case 2:
        return 1u << next() % 15;
    default:
        return 1 + next() % 200;
    }
}

static D3D12_RESOURCE_DESC random_desc(void)
{
    D3D12_RESOURCE_DESC desc = {
        .Dimension = next() % 6,
        .Alignment = next() % 4 ? 0 : (UINT64)4096 << next() % 12,
        .Width = extent(),
        .Height = extent(),
        .DepthOrArraySize = (UINT16)(next() % 3 ? 1 : extent()),
        .MipLevels = (UINT16)(next() % 2 ? 1 : next() % 17),
        .Format = next() % 140,
        .SampleDesc = {next() % 4 ? 1 : next() % 20, next() % 8 ? 0 : next()},
        .Layout = next() % 3 ? 0 : next() % 5,
        .Flags = next() % 2 ? 0 : 1u << next() % 10,
    };
    if (next() % 4 == 0) {
        desc.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER;
        desc.Height = desc.DepthOrArraySize = desc.MipLevels = desc.SampleDesc.Count = 1;
        desc.Format = 0;
        desc.Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR;
    }
    return desc;
}

static void resources_and_sizes_agree(void **state)
{
    int created = 0;
    for (int i = 0; i < 20000; i++) {
        D3D12_RESOURCE_DESC desc = random_desc();
        D3D12_HEAP_PROPERTIES properties = {.Type = D3D12_HEAP_TYPE_DEFAULT};
        ID3D12Resource *resource = (void *)1;
        HRESULT result = ID3D12Device5_CreateCommittedResource(gpu.device, &properties, 0, &desc, 0, NULL,
                                                               &IID_ID3D12Resource, (void **)&resource);
        D3D12_RESOURCE_ALLOCATION_INFO info = ID3D12Device5_GetResourceAllocationInfo(gpu.device, 0, 1, &desc);
        UINT64 total = 0;
        D3D12_PLACED_SUBRESOURCE_FOOTPRINT footprint;
        ID3D12Device5_GetCopyableFootprints(gpu.device, &desc, 0, 1, 0, &footprint, NULL, NULL, &total);
        if (FAILED(result)) {
            assert_null(resource);
            assert_true(result == E_INVALIDARG || result == E_OUTOFMEMORY);
            continue;
        }
        created++;
        assert_true(info.SizeInBytes != UINT64_MAX && info.SizeInBytes % info.Alignment == 0);
        assert_true(total != UINT64_MAX);
        D3D12_RESOURCE_DESC back = ID3D12Resource_GetDesc(resource);
        assert_true(back.Width == desc.Width && back.MipLevels >= 1 && back.Flags == desc.Flags);
        ID3D12Resource_Release(resource);
    }
    print_message("%d of 20000 created\n", created);
    assert_true(created > 500);
}

static ID3D12DescriptorHeap *new_heap(D3D12_DESCRIPTOR_HEAP_TYPE type)
{
    ID3D12DescriptorHeap *heap = NULL;
    D3D12_DESCRIPTOR_HEAP_DESC desc = {type, 4, 0, 0};
    assert_int_equal(ID3D12Device5_CreateDescriptorHeap(gpu.device, &desc, &IID_ID3D12DescriptorHeap, (void **)&heap),
                     S_OK);
    return heap;
}

static void fill_random(void *out, size_t bytes)
{
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        uint32_t word = next() % 3 ? next() % 8 : extent();
        memcpy((char *)out + i, &word, 4);
    }
}

static void views_of_anything_never_crash(void **state)
{
    static const D3D12_DESCRIPTOR_HEAP_TYPE types[] = {D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER,
                                                       D3D12_DESCRIPTOR_HEAP_TYPE_RTV, D3D12_DESCRIPTOR_HEAP_TYPE_DSV};
    ID3D12DescriptorHeap *heaps[4];
    ID3D12Resource *resources[12] = {NULL};
    D3D12_CPU_DESCRIPTOR_HANDLE handles[4];
    for (int i = 0; i < 4; i++) {
        heaps[i] = new_heap(types[i]);
        handles[i] = ID3D12DescriptorHeap_GetCPUDescriptorHandleForHeapStart(heaps[i]);
    }
    for (int i = 1, tries = 0; i < 12 && tries < 10000; tries++) {
        D3D12_RESOURCE_DESC desc = random_desc();
        D3D12_HEAP_PROPERTIES properties = {.Type = D3D12_HEAP_TYPE_DEFAULT};
        i += SUCCEEDED(ID3D12Device5_CreateCommittedResource(gpu.device, &properties, 0, &desc, 0, NULL,
                                                             &IID_ID3D12Resource, (void **)&resources[i]));
    }
    for (int i = 0; i < 40000; i++) {
        ID3D12Resource *resource = resources[next() % 12];
        D3D12_SHADER_RESOURCE_VIEW_DESC srv;
        D3D12_UNORDERED_ACCESS_VIEW_DESC uav;
        D3D12_RENDER_TARGET_VIEW_DESC rtv;
        D3D12_DEPTH_STENCIL_VIEW_DESC dsv;
        D3D12_SAMPLER_DESC sampler;
        D3D12_CONSTANT_BUFFER_VIEW_DESC cbv;
        fill_random(&srv, sizeof(srv)), fill_random(&uav, sizeof(uav)), fill_random(&rtv, sizeof(rtv));
        fill_random(&dsv, sizeof(dsv)), fill_random(&sampler, sizeof(sampler)), fill_random(&cbv, sizeof(cbv));
        srv.Format = uav.Format = rtv.Format = dsv.Format = next() % 140;
        srv.ViewDimension = next() % 12;
        uav.ViewDimension = next() % 10;
        rtv.ViewDimension = next() % 10;
        dsv.ViewDimension = next() % 8;
        ID3D12Device5_CreateShaderResourceView(gpu.device, resource, next() % 16 ? &srv : NULL, handles[0]);
        ID3D12Device5_CreateUnorderedAccessView(gpu.device, resource, resources[next() % 12], next() % 16 ? &uav : NULL,
                                                handles[0]);
        ID3D12Device5_CreateRenderTargetView(gpu.device, resource, next() % 16 ? &rtv : NULL, handles[2]);
        ID3D12Device5_CreateDepthStencilView(gpu.device, resource, next() % 16 ? &dsv : NULL, handles[3]);
        ID3D12Device5_CreateSampler(gpu.device, next() % 16 ? &sampler : NULL, handles[1]);
        ID3D12Device5_CreateConstantBufferView(gpu.device, next() % 16 ? &cbv : NULL, handles[0]);
        D3D12_CPU_DESCRIPTOR_HANDLE wild = {handles[next() % 4].ptr + next() % 700};
        ID3D12Device5_CopyDescriptorsSimple(gpu.device, next() % 6, wild, handles[next() % 4], next() % 5);
    }
    for (int i = 0; i < 12; i++)
        if (resources[i])
            ID3D12Resource_Release(resources[i]);
    for (int i = 0; i < 4; i++)
        ID3D12DescriptorHeap_Release(heaps[i]);
}

/* A root signature that the library wrote, with single bytes changed, and pure noise. */
static void root_signatures_of_noise_are_refused_or_taken(void **state)
{
    D3D12_DESCRIPTOR_RANGE range = {D3D12_DESCRIPTOR_RANGE_TYPE_SRV, 4, 1, 0, D3D12_DESCRIPTOR_RANGE_OFFSET_APPEND};
    D3D12_ROOT_PARAMETER parameters[] = {
        {.ParameterType = D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE, .DescriptorTable = {1, &range}},
        {.ParameterType = D3D12_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS, .Constants = {0, 0, 3}},
    };
    D3D12_ROOT_SIGNATURE_DESC desc = {2, parameters, 0, NULL, 0};
    ID3DBlob *blob = NULL;
    assert_int_equal(D3D12SerializeRootSignature(&desc, D3D_ROOT_SIGNATURE_VERSION_1, &blob, NULL), S_OK);
    size_t bytes = ID3D10Blob_GetBufferSize(blob);
    unsigned char *copy = malloc(bytes);
    for (int i = 0; i < 5000; i++) {
        memcpy(copy, ID3D10Blob_GetBufferPointer(blob), bytes);
        for (uint32_t changes = next() % 3; changes > 0; changes--)
            copy[next() % bytes] = (unsigned char)next();
        ID3D12RootSignature *signature = NULL;
        HRESULT result = ID3D12Device5_CreateRootSignature(gpu.device, 0, copy, next() % 4 ? bytes : next() % (bytes + 1),
                                                           &IID_ID3D12RootSignature, (void **)&signature);
        assert_true(result == S_OK || result == E_INVALIDARG);
        assert_int_equal(signature != NULL, result == S_OK);
        if (signature)
            ID3D12RootSignature_Release(signature);
    }
    free(copy);
    ID3D10Blob_Release(blob);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(resources_and_sizes_agree),
        TEST(views_of_anything_never_crash),
        TEST(root_signatures_of_noise_are_refused_or_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
