/* SPDX-License-Identifier: MIT
 * Descriptor heaps and views: which descriptions are taken in silence, and which give one message. What views do is
 * tested by shaders (run-vectors). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "helpers/gpu.h"

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SWIZZLE      .Shader4ComponentMapping = D3D12_DEFAULT_SHADER_4_COMPONENT_MAPPING

static struct gpu gpu;
static ID3D12DescriptorHeap *views, *rtvs, *dsvs, *samplers;
static ID3D12Resource *buffer, *texture, *array, *volume, *depth, *target;

static ID3D12DescriptorHeap *new_heap(D3D12_DESCRIPTOR_HEAP_TYPE type, D3D12_DESCRIPTOR_HEAP_FLAGS flags)
{
    ID3D12DescriptorHeap *heap = NULL;
    D3D12_DESCRIPTOR_HEAP_DESC desc = {type, 8, flags, 0};
    assert_int_equal(ID3D12Device5_CreateDescriptorHeap(gpu.device, &desc, &IID_ID3D12DescriptorHeap, (void **)&heap),
                     S_OK);
    return heap;
}

static int set_up(void **state)
{
    gpu_init(&gpu);
    views = new_heap(D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, D3D12_DESCRIPTOR_HEAP_FLAG_NONE);
    rtvs = new_heap(D3D12_DESCRIPTOR_HEAP_TYPE_RTV, D3D12_DESCRIPTOR_HEAP_FLAG_NONE);
    dsvs = new_heap(D3D12_DESCRIPTOR_HEAP_TYPE_DSV, D3D12_DESCRIPTOR_HEAP_FLAG_NONE);
    samplers = new_heap(D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER, D3D12_DESCRIPTOR_HEAP_FLAG_NONE);
    buffer = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, 8192);
    D3D12_RESOURCE_DESC desc = {.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE2D, .Width = 64, .Height = 64,
                                .DepthOrArraySize = 1, .MipLevels = 3, .Format = DXGI_FORMAT_R8G8B8A8_TYPELESS,
                                .SampleDesc = {1, 0}, .Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS};
    texture = gpu_texture(&gpu, &desc);
    desc.DepthOrArraySize = 12;
    array = gpu_texture(&gpu, &desc);
    desc.Flags = D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET;
    target = gpu_texture(&gpu, &desc);
    desc.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE3D;
    desc.Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS;
    volume = gpu_texture(&gpu, &desc);
    D3D12_RESOURCE_DESC depth_desc = {.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE2D, .Width = 64, .Height = 64,
                                      .DepthOrArraySize = 1, .MipLevels = 1, .Format = DXGI_FORMAT_R24G8_TYPELESS,
                                      .SampleDesc = {1, 0}, .Flags = D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL};
    depth = gpu_texture(&gpu, &depth_desc);
    return 0;
}

static int tear_down(void **state)
{
    ID3D12DescriptorHeap *const heaps[] = {views, rtvs, dsvs, samplers};
    ID3D12Resource *const resources[] = {buffer, texture, array, volume, depth, target};
    for (size_t i = 0; i < COUNT(heaps); i++)
        ID3D12DescriptorHeap_Release(heaps[i]);
    for (size_t i = 0; i < COUNT(resources); i++)
        ID3D12Resource_Release(resources[i]);
    gpu_finish(&gpu);
    return 0;
}

static D3D12_CPU_DESCRIPTOR_HANDLE handle(ID3D12DescriptorHeap *heap, UINT index)
{
    D3D12_CPU_DESCRIPTOR_HANDLE result = ID3D12DescriptorHeap_GetCPUDescriptorHandleForHeapStart(heap);
    result.ptr += index * ID3D12Device5_GetDescriptorHandleIncrementSize(gpu.device, 0);
    return result;
}

/* message NULL: nothing may be said. */
static void expect(const char *name, const char *call, const char *message)
{
    bool good = message ? gpu_message_count(&gpu) == 1 && gpu_has_message(&gpu, call) && gpu_has_message(&gpu, message)
                        : gpu_message_count(&gpu) == 0;
    if (!good) {
        gpu_print_messages(&gpu);
        fail_msg("%s: %u messages, expected %s", name, (unsigned)gpu_message_count(&gpu), message ? message : "none");
    }
    gpu_forget_messages(&gpu);
}

static void shader_resource_views(void **state)
{
    const struct {
        const char *name;
        ID3D12Resource *resource;
        D3D12_SHADER_RESOURCE_VIEW_DESC desc;
        const char *message;
    } cases[] = {
        {"typed", buffer,
         {DXGI_FORMAT_R32G32B32_FLOAT, D3D12_SRV_DIMENSION_BUFFER, SWIZZLE, .Buffer = {1, 100}}, NULL},
        {"structured", buffer, {0, D3D12_SRV_DIMENSION_BUFFER, SWIZZLE, .Buffer = {2, 10, 12}}, NULL},
        {"raw", buffer,
         {DXGI_FORMAT_R32_TYPELESS, D3D12_SRV_DIMENSION_BUFFER, SWIZZLE, .Buffer = {4, 2044, 0, D3D12_BUFFER_SRV_FLAG_RAW}},
         NULL},
        {"null buffer", NULL, {DXGI_FORMAT_R32_UINT, D3D12_SRV_DIMENSION_BUFFER, SWIZZLE, .Buffer = {0, 4}}, NULL},
        {"null texture", NULL, {DXGI_FORMAT_R32_UINT, D3D12_SRV_DIMENSION_TEXTURE2D, SWIZZLE, .Texture2D = {0, 1}}, NULL},
        {"null structure", NULL, {0, D3D12_SRV_DIMENSION_RAYTRACING_ACCELERATION_STRUCTURE, SWIZZLE}, NULL},
        {"all mips", texture,
         {DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, D3D12_SRV_DIMENSION_TEXTURE2D, SWIZZLE, .Texture2D = {1, UINT32_MAX}}, NULL},
        {"cube array", array,
         {DXGI_FORMAT_R8G8B8A8_UNORM, D3D12_SRV_DIMENSION_TEXTURECUBEARRAY, SWIZZLE, .TextureCubeArray = {0, 3, 0, 2}},
         NULL},
        {"stencil", depth,
         {DXGI_FORMAT_X24_TYPELESS_G8_UINT, D3D12_SRV_DIMENSION_TEXTURE2D, SWIZZLE, .Texture2D = {0, 1, 1}}, NULL},
        {"beyond the end", buffer, {DXGI_FORMAT_R32_UINT, D3D12_SRV_DIMENSION_BUFFER, SWIZZLE, .Buffer = {2000, 49}},
         "beyond"},
        {"first element near 2^64", buffer,
         {DXGI_FORMAT_R32_UINT, D3D12_SRV_DIMENSION_BUFFER, SWIZZLE, .Buffer = {UINT64_MAX / 4, 1}}, "beyond"},
        {"stride of 3", buffer, {0, D3D12_SRV_DIMENSION_BUFFER, SWIZZLE, .Buffer = {0, 1, 3}}, "multiple of 4"},
        {"stride 0 without format", buffer, {0, D3D12_SRV_DIMENSION_BUFFER, SWIZZLE, .Buffer = {0, 1}}, "UNKNOWN"},
        {"stride with format", buffer,
         {DXGI_FORMAT_R32_UINT, D3D12_SRV_DIMENSION_BUFFER, SWIZZLE, .Buffer = {0, 1, 4}}, "must be 0"},
        {"raw with a format", buffer,
         {DXGI_FORMAT_R32_UINT, D3D12_SRV_DIMENSION_BUFFER, SWIZZLE, .Buffer = {0, 4, 0, D3D12_BUFFER_SRV_FLAG_RAW}},
         "R32_TYPELESS"},
        {"buffer view of a texture", texture, {DXGI_FORMAT_R32_UINT, D3D12_SRV_DIMENSION_BUFFER, SWIZZLE, .Buffer = {0, 1}},
         "is a texture"},
        {"mip beyond", texture, {DXGI_FORMAT_R8G8B8A8_UNORM, D3D12_SRV_DIMENSION_TEXTURE2D, SWIZZLE, .Texture2D = {3, 1}},
         "mip slice 3"},
        {"other family", texture, {DXGI_FORMAT_R16_UINT, D3D12_SRV_DIMENSION_TEXTURE2D, SWIZZLE, .Texture2D = {0, 1}},
         "R16_UINT"},
        {"typeless", texture,
         {DXGI_FORMAT_R8G8B8A8_TYPELESS, D3D12_SRV_DIMENSION_TEXTURE2D, SWIZZLE, .Texture2D = {0, 1}}, "TYPELESS"},
        {"slices beyond", array,
         {DXGI_FORMAT_R8G8B8A8_UNORM, D3D12_SRV_DIMENSION_TEXTURE2DARRAY, SWIZZLE, .Texture2DArray = {0, 1, 10, 3}},
         "slice 10 + 3"},
        {"wrong dimension", texture, {DXGI_FORMAT_R8G8B8A8_UNORM, D3D12_SRV_DIMENSION_TEXTURE3D, SWIZZLE, .Texture3D = {0, 1}},
         "ViewDimension"},
        {"no dimension", texture, {DXGI_FORMAT_R8G8B8A8_UNORM, 99, SWIZZLE}, "ViewDimension 99"},
        {"structure with resource", buffer,
         {0, D3D12_SRV_DIMENSION_RAYTRACING_ACCELERATION_STRUCTURE, SWIZZLE,
          .RaytracingAccelerationStructure = {ID3D12Resource_GetGPUVirtualAddress(buffer)}}, "pResource must be NULL"},
        {"structure not aligned", NULL,
         {0, D3D12_SRV_DIMENSION_RAYTRACING_ACCELERATION_STRUCTURE, SWIZZLE,
          .RaytracingAccelerationStructure = {ID3D12Resource_GetGPUVirtualAddress(buffer) + 4}}, "multiple of 256"},
        {"structure nowhere", NULL,
         {0, D3D12_SRV_DIMENSION_RAYTRACING_ACCELERATION_STRUCTURE, SWIZZLE,
          .RaytracingAccelerationStructure = {0xdeadbeef00}}, "no buffer"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        ID3D12Device5_CreateShaderResourceView(gpu.device, cases[i].resource, &cases[i].desc, handle(views, 0));
        expect(cases[i].name, "CreateShaderResourceView", cases[i].message);
    }
    ID3D12Device5_CreateShaderResourceView(gpu.device, buffer, NULL, handle(views, 0));
    expect("buffer without description", "CreateShaderResourceView", "pDesc");
    ID3D12Device5_CreateShaderResourceView(gpu.device, depth, NULL, handle(views, 0));
    expect("typeless texture without description", "CreateShaderResourceView", "R24G8_TYPELESS");
}

static void unordered_access_views(void **state)
{
    const struct {
        const char *name;
        ID3D12Resource *resource, *counter;
        D3D12_UNORDERED_ACCESS_VIEW_DESC desc;
        const char *message;
    } cases[] = {
        {"typed", buffer, NULL, {DXGI_FORMAT_R32_UINT, D3D12_UAV_DIMENSION_BUFFER, .Buffer = {0, 10}}, NULL},
        {"counter", buffer, buffer, {0, D3D12_UAV_DIMENSION_BUFFER, .Buffer = {0, 10, 16, 4096}}, NULL},
        {"null", NULL, NULL, {DXGI_FORMAT_R32_UINT, D3D12_UAV_DIMENSION_TEXTURE2D}, NULL},
        {"mip", texture, NULL, {DXGI_FORMAT_R32_UINT, D3D12_UAV_DIMENSION_TEXTURE2D, .Texture2D = {2}}, NULL},
        {"volume slices", volume, NULL,
         {DXGI_FORMAT_R8G8B8A8_UNORM, D3D12_UAV_DIMENSION_TEXTURE3D, .Texture3D = {1, 2, UINT32_MAX}}, NULL},
        {"counter not aligned", buffer, buffer, {0, D3D12_UAV_DIMENSION_BUFFER, .Buffer = {0, 10, 16, 16}},
         "multiple of 4096"},
        {"counter at the end", buffer, buffer, {0, D3D12_UAV_DIMENSION_BUFFER, .Buffer = {0, 10, 16, 8192}},
         "inside the counter buffer"},
        {"counter of a typed view", buffer, buffer, {DXGI_FORMAT_R32_UINT, D3D12_UAV_DIMENSION_BUFFER, .Buffer = {0, 10}},
         "structured"},
        {"without flag", target, NULL,
         {DXGI_FORMAT_R8G8B8A8_UNORM, D3D12_UAV_DIMENSION_TEXTURE2DARRAY, .Texture2DArray = {0, 0, 1}}, "needs 0x4"},
        {"sRGB", texture, NULL, {DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, D3D12_UAV_DIMENSION_TEXTURE2D}, "SRGB"},
        {"depth slices beyond", volume, NULL,
         {DXGI_FORMAT_R8G8B8A8_UNORM, D3D12_UAV_DIMENSION_TEXTURE3D, .Texture3D = {1, 2, 5}}, "2 + 5"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        ID3D12Device5_CreateUnorderedAccessView(gpu.device, cases[i].resource, cases[i].counter, &cases[i].desc,
                                                handle(views, 1));
        expect(cases[i].name, "CreateUnorderedAccessView", cases[i].message);
    }
}

static void constant_buffer_views(void **state)
{
    UINT64 base = ID3D12Resource_GetGPUVirtualAddress(buffer);
    const struct {
        const char *name;
        D3D12_CONSTANT_BUFFER_VIEW_DESC desc;
        const char *message;
    } cases[] = {
        {"whole", {base, 8192}, NULL},
        {"null", {0, 0}, NULL},
        {"not aligned", {base + 16, 256}, "multiples of 256"},
        {"odd size", {base, 100}, "multiples of 256"},
        {"too large", {base, 65536 + 256}, "at most 65536"},
        {"beyond the end", {base + 256, 8192}, "SizeInBytes is 8192"},
        {"nowhere", {0x1000, 256}, "0 bytes behind"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        ID3D12Device5_CreateConstantBufferView(gpu.device, &cases[i].desc, handle(views, 2));
        expect(cases[i].name, "CreateConstantBufferView", cases[i].message);
    }
    ID3D12Device5_CreateConstantBufferView(gpu.device, NULL, handle(views, 2));
    expect("NULL description", "CreateConstantBufferView", NULL);
}

static void target_views(void **state)
{
    D3D12_RENDER_TARGET_VIEW_DESC slices = {DXGI_FORMAT_R8G8B8A8_UNORM, D3D12_RTV_DIMENSION_TEXTURE2DARRAY,
                                            .Texture2DArray = {1, 2, 3}};
    ID3D12Device5_CreateRenderTargetView(gpu.device, target, &slices, handle(rtvs, 0));
    expect("slices", "CreateRenderTargetView", NULL);
    ID3D12Device5_CreateRenderTargetView(gpu.device, array, &slices, handle(rtvs, 0));
    expect("no flag", "CreateRenderTargetView", "needs 0x1");
    D3D12_DEPTH_STENCIL_VIEW_DESC plain = {DXGI_FORMAT_D24_UNORM_S8_UINT, D3D12_DSV_DIMENSION_TEXTURE2D};
    ID3D12Device5_CreateDepthStencilView(gpu.device, depth, &plain, handle(dsvs, 0));
    expect("depth", "CreateDepthStencilView", NULL);
    plain.Format = DXGI_FORMAT_R24_UNORM_X8_TYPELESS;
    ID3D12Device5_CreateDepthStencilView(gpu.device, depth, &plain, handle(dsvs, 0));
    expect("no depth format", "CreateDepthStencilView", "R24_UNORM_X8_TYPELESS");
}

static void sampler_rules(void **state)
{
    D3D12_SAMPLER_DESC desc = {.Filter = D3D12_FILTER_MIN_MAG_MIP_LINEAR,
                               .AddressU = D3D12_TEXTURE_ADDRESS_MODE_WRAP,
                               .AddressV = D3D12_TEXTURE_ADDRESS_MODE_BORDER,
                               .AddressW = D3D12_TEXTURE_ADDRESS_MODE_MIRROR_ONCE};
    ID3D12Device5_CreateSampler(gpu.device, &desc, handle(samplers, 0));
    expect("good", "CreateSampler", NULL);
    desc.AddressV = 0;
    ID3D12Device5_CreateSampler(gpu.device, &desc, handle(samplers, 0));
    expect("address mode", "CreateSampler", "AddressV 0");
    desc.AddressV = D3D12_TEXTURE_ADDRESS_MODE_WRAP;
    desc.Filter = 0x2;
    ID3D12Device5_CreateSampler(gpu.device, &desc, handle(samplers, 0));
    expect("filter", "CreateSampler", "Filter 0x2");
    desc.Filter = D3D12_FILTER_COMPARISON_ANISOTROPIC;
    ID3D12Device5_CreateSampler(gpu.device, &desc, handle(samplers, 0));
    expect("comparison", "CreateSampler", "ComparisonFunc 0");
}

static void handles_are_checked(void **state)
{
    D3D12_CONSTANT_BUFFER_VIEW_DESC desc = {0, 0};
    ID3D12Device5_CreateConstantBufferView(gpu.device, &desc, (D3D12_CPU_DESCRIPTOR_HANDLE){0});
    expect("null handle", "CreateConstantBufferView", "no descriptor heap");
    ID3D12Device5_CreateConstantBufferView(gpu.device, &desc, (D3D12_CPU_DESCRIPTOR_HANDLE){12345});
    expect("wild handle", "CreateConstantBufferView", "no descriptor heap");
    ID3D12Device5_CreateConstantBufferView(gpu.device, &desc, handle(views, 8));
    expect("one too far", "CreateConstantBufferView", "no descriptor heap");
    ID3D12Device5_CreateConstantBufferView(gpu.device, &desc, (D3D12_CPU_DESCRIPTOR_HANDLE){handle(views, 0).ptr + 8});
    expect("between", "CreateConstantBufferView", "multiples of 64");
    ID3D12Device5_CreateConstantBufferView(gpu.device, &desc, handle(samplers, 0));
    expect("other type", "CreateConstantBufferView", "of Type 1");
}

static void descriptors_are_copied_over_range_borders(void **state)
{
    ID3D12DescriptorHeap *visible =
        new_heap(D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE);
    D3D12_CPU_DESCRIPTOR_HANDLE to[] = {handle(visible, 0), handle(visible, 4)}, from[] = {handle(views, 1), handle(views, 5)};
    UINT to_sizes[] = {3, 2}, from_sizes[] = {2, 3}, wrong[] = {2, 2};
    ID3D12Device5_CopyDescriptors(gpu.device, 2, to, to_sizes, 2, from, from_sizes,
                                  D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
    expect("ranges", "CopyDescriptors", NULL);
    ID3D12Device5_CopyDescriptors(gpu.device, 2, to, NULL, 1, from, from_sizes, D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
    expect("ones", "CopyDescriptors", NULL);
    ID3D12Device5_CopyDescriptors(gpu.device, 2, to, to_sizes, 2, from, wrong, D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
    expect("totals differ", "CopyDescriptors", "have 5 descriptors");
    ID3D12Device5_CopyDescriptorsSimple(gpu.device, 8, to[0], from[0], D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
    expect("over the end", "CopyDescriptors", "do not lie in the heap");
    ID3D12Device5_CopyDescriptorsSimple(gpu.device, 1, from[0], to[0], D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
    expect("source is shader visible", "CopyDescriptors", "shader visible");
    ID3D12Device5_CopyDescriptorsSimple(gpu.device, 1, to[0], handle(rtvs, 0), D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
    expect("types differ", "CopyDescriptors", "of Type 2");
    ID3D12DescriptorHeap_Release(visible);
}

static void wrong_heaps_are_refused(void **state)
{
    static const struct {
        const char *name;
        D3D12_DESCRIPTOR_HEAP_DESC desc;
    } cases[] = {
        {"no type", {7, 1, 0, 0}},
        {"visible RTV", {D3D12_DESCRIPTOR_HEAP_TYPE_RTV, 1, D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE, 0}},
        {"too many samplers", {D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER, 2049, D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE, 0}},
        {"too many views",
         {D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, 1000001, D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE, 0}},
        {"unknown flag", {D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, 1, 4, 0}},
        {"second node", {D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, 1, 0, 2}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        ID3D12DescriptorHeap *heap = (void *)1;
        HRESULT result =
            ID3D12Device5_CreateDescriptorHeap(gpu.device, &cases[i].desc, &IID_ID3D12DescriptorHeap, (void **)&heap);
        assert_int_equal(result, E_INVALIDARG);
        assert_null(heap);
        expect(cases[i].name, "CreateDescriptorHeap", "CreateDescriptorHeap");
    }
    D3D12_GPU_DESCRIPTOR_HANDLE hidden = ID3D12DescriptorHeap_GetGPUDescriptorHandleForHeapStart(views);
    assert_int_equal(hidden.ptr, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(shader_resource_views),
        TEST(unordered_access_views),
        TEST(constant_buffer_views),
        TEST(target_views),
        TEST(sampler_rules),
        TEST(handles_are_checked),
        TEST(descriptors_are_copied_over_range_borders),
        TEST(wrong_heaps_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
