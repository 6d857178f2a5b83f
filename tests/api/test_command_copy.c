/* SPDX-License-Identifier: MIT
 * Copies, clears, immediate writes and predication through the API, with data that comes back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/gpu.h"

#include <cmocka.h>

static struct gpu gpu;

static int set_up(void **state)
{
    gpu_init(&gpu);
    return 0;
}

static int tear_down(void **state)
{
    gpu_finish(&gpu);
    return 0;
}

static void expect_no_message(const char *name)
{
    if (gpu_message_count(&gpu)) {
        gpu_print_messages(&gpu);
        fail_msg("%s: there are messages", name);
    }
}

struct texture_case {
    const char *name;
    D3D12_RESOURCE_DIMENSION dimension;
    DXGI_FORMAT format;
    UINT64 width;
    UINT height;
    UINT16 depth_or_slices, mips;
};

static const struct texture_case texture_cases[] = {
    {"1D", D3D12_RESOURCE_DIMENSION_TEXTURE1D, DXGI_FORMAT_R8_UNORM, 100, 1, 3, 2},
    {"2D array with mips", D3D12_RESOURCE_DIMENSION_TEXTURE2D, DXGI_FORMAT_R8G8B8A8_UNORM, 33, 17, 3, 4},
    {"96-bit texels", D3D12_RESOURCE_DIMENSION_TEXTURE2D, DXGI_FORMAT_R32G32B32_FLOAT, 7, 5, 1, 1},
    {"3D", D3D12_RESOURCE_DIMENSION_TEXTURE3D, DXGI_FORMAT_R16G16_FLOAT, 20, 9, 6, 3},
    {"BC1", D3D12_RESOURCE_DIMENSION_TEXTURE2D, DXGI_FORMAT_BC1_UNORM, 20, 12, 2, 3},
    {"BC7", D3D12_RESOURCE_DIMENSION_TEXTURE2D, DXGI_FORMAT_BC7_UNORM, 64, 64, 1, 7},
    {"depth and stencil", D3D12_RESOURCE_DIMENSION_TEXTURE2D, DXGI_FORMAT_D32_FLOAT_S8X24_UINT, 19, 8, 2, 1},
};

static void copy_subresource(ID3D12Resource *texture, UINT subresource, ID3D12Resource *buffer,
                             const D3D12_PLACED_SUBRESOURCE_FOOTPRINT *footprint, bool to_buffer)
{
    D3D12_TEXTURE_COPY_LOCATION in_texture = {.pResource = texture, .Type = D3D12_TEXTURE_COPY_TYPE_SUBRESOURCE_INDEX,
                                              .SubresourceIndex = subresource};
    D3D12_TEXTURE_COPY_LOCATION in_buffer = {.pResource = buffer, .Type = D3D12_TEXTURE_COPY_TYPE_PLACED_FOOTPRINT,
                                             .PlacedFootprint = *footprint};
    ID3D12GraphicsCommandList4_CopyTextureRegion(gpu.list, to_buffer ? &in_buffer : &in_texture, 0, 0, 0,
                                                 to_buffer ? &in_texture : &in_buffer, NULL);
}

/* Upload buffer -> texture -> second texture by CopyResource -> readback buffer: the rows are the same. */
static void textures_go_in_and_out_by_footprints(void **state)
{
    enum { MAX_SUBRESOURCES = 32 };
    for (size_t i = 0; i < sizeof(texture_cases) / sizeof(texture_cases[0]); i++) {
        const struct texture_case *c = &texture_cases[i];
        D3D12_RESOURCE_DESC desc = {.Dimension = c->dimension, .Width = c->width, .Height = c->height,
                                    .DepthOrArraySize = c->depth_or_slices, .MipLevels = c->mips, .Format = c->format,
                                    .SampleDesc = {1, 0}};
        if (c->format == DXGI_FORMAT_D32_FLOAT_S8X24_UINT)
            desc.Flags = D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL;
        UINT planes = c->format == DXGI_FORMAT_D32_FLOAT_S8X24_UINT ? 2 : 1;
        UINT slices = c->dimension == D3D12_RESOURCE_DIMENSION_TEXTURE3D ? 1 : c->depth_or_slices;
        UINT count = c->mips * slices * planes;
        D3D12_PLACED_SUBRESOURCE_FOOTPRINT footprints[MAX_SUBRESOURCES];
        UINT rows[MAX_SUBRESOURCES];
        UINT64 row_bytes[MAX_SUBRESOURCES], total;
        ID3D12Device5_GetCopyableFootprints(gpu.device, &desc, 0, count, 0, footprints, rows, row_bytes, &total);
        UINT8 *content = malloc(total), *result = malloc(total);
        for (UINT64 j = 0; j < total; j++)
            content[j] = (UINT8)(j * 31 + j / 255);
        ID3D12Resource *upload = gpu_upload(&gpu, content, total);
        ID3D12Resource *readback = gpu_buffer(&gpu, D3D12_HEAP_TYPE_READBACK, total);
        ID3D12Resource *first = gpu_texture(&gpu, &desc), *second = gpu_texture(&gpu, &desc);
        for (UINT s = 0; s < count; s++)
            copy_subresource(first, s, upload, &footprints[s], false);
        ID3D12GraphicsCommandList4_CopyResource(gpu.list, second, first);
        for (UINT s = 0; s < count; s++)
            copy_subresource(second, s, readback, &footprints[s], true);
        gpu_run(&gpu);
        expect_no_message(c->name);
        gpu_read(readback, 0, result, total);
        for (UINT s = 0; s < count; s++)
            for (UINT row = 0; row < rows[s] * footprints[s].Footprint.Depth; row++) {
                UINT64 at = footprints[s].Offset + (UINT64)row * footprints[s].Footprint.RowPitch;
                if (memcmp(content + at, result + at, row_bytes[s]) != 0)
                    fail_msg("%s: subresource %u row %u differs", c->name, s, row);
            }
        free(content);
        free(result);
        ID3D12Resource_Release(upload);
        ID3D12Resource_Release(readback);
        ID3D12Resource_Release(first);
        ID3D12Resource_Release(second);
    }
}

struct footprint_case {
    const char *name;
    UINT64 offset;
    UINT row_pitch, width;
    const char *text;
};

static void footprint_rules(void **state)
{
    static const struct footprint_case cases[] = {
        {"offset", 256, 256, 16, "an Offset that is no multiple of 512"},
        {"pitch", 0, 128, 16, "a RowPitch that is no multiple of 256"},
        {"pitch below a row", 0, 256, 65, "a RowPitch smaller than a row"},
        {"behind the buffer", 4096, 256, 16, "pSrc 'unnamed' has 4096 bytes"},
    };
    D3D12_RESOURCE_DESC desc = {.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE2D, .Width = 64, .Height = 4,
                                .DepthOrArraySize = 1, .MipLevels = 1, .Format = DXGI_FORMAT_R8G8B8A8_UNORM,
                                .SampleDesc = {1, 0}};
    ID3D12Resource *texture = gpu_texture(&gpu, &desc);
    ID3D12Resource *buffer = gpu_buffer(&gpu, D3D12_HEAP_TYPE_UPLOAD, 4096);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        D3D12_PLACED_SUBRESOURCE_FOOTPRINT footprint = {
            cases[i].offset, {DXGI_FORMAT_R8G8B8A8_UNORM, cases[i].width, 4, 1, cases[i].row_pitch}};
        copy_subresource(texture, 0, buffer, &footprint, false);
        if (!gpu_has_message(&gpu, cases[i].text)) {
            gpu_print_messages(&gpu);
            fail_msg("%s: no message", cases[i].name);
        }
        assert_int_equal(ID3D12GraphicsCommandList4_Close(gpu.list), E_INVALIDARG);
        assert_int_equal(ID3D12GraphicsCommandList4_Reset(gpu.list, gpu.allocator, NULL), S_OK);
        gpu_forget_messages(&gpu);
    }
    ID3D12Resource_Release(texture);
    ID3D12Resource_Release(buffer);
}

static void immediate_writes_land_in_order(void **state)
{
    ID3D12Resource *buffer = gpu_buffer(&gpu, D3D12_HEAP_TYPE_READBACK, 64);
    UINT64 address = ID3D12Resource_GetGPUVirtualAddress(buffer);
    D3D12_WRITEBUFFERIMMEDIATE_PARAMETER writes[] = {{address, 1}, {address + 8, 2}, {address, 3}};
    D3D12_WRITEBUFFERIMMEDIATE_MODE modes[] = {D3D12_WRITEBUFFERIMMEDIATE_MODE_DEFAULT,
                                               D3D12_WRITEBUFFERIMMEDIATE_MODE_MARKER_IN,
                                               D3D12_WRITEBUFFERIMMEDIATE_MODE_MARKER_OUT};
    ID3D12GraphicsCommandList4_WriteBufferImmediate(gpu.list, 3, writes, modes);
    gpu_run(&gpu);
    UINT values[3];
    gpu_read(buffer, 0, values, sizeof(values));
    assert_int_equal(values[0], 3);
    assert_int_equal(values[2], 2);
    ID3D12Resource_Release(buffer);
}

static void predication_skips_copies_but_not_writes(void **state)
{
    const UINT64 predicates[2] = {0, 5};
    ID3D12Resource *predicate = gpu_upload(&gpu, predicates, sizeof(predicates));
    ID3D12Resource *source = gpu_upload(&gpu, "12345678", 8);
    ID3D12Resource *out = gpu_buffer(&gpu, D3D12_HEAP_TYPE_READBACK, 64);
    static const D3D12_PREDICATION_OP operations[2] = {D3D12_PREDICATION_OP_EQUAL_ZERO,
                                                       D3D12_PREDICATION_OP_NOT_EQUAL_ZERO};
    for (UINT i = 0; i < 4; i++) {
        ID3D12GraphicsCommandList4_SetPredication(gpu.list, predicate, i % 2 * 8, operations[i / 2]);
        ID3D12GraphicsCommandList4_CopyBufferRegion(gpu.list, out, i * 8, source, 0, 8);
    }
    D3D12_WRITEBUFFERIMMEDIATE_PARAMETER write = {ID3D12Resource_GetGPUVirtualAddress(out) + 32, 77};
    ID3D12GraphicsCommandList4_WriteBufferImmediate(gpu.list, 1, &write, NULL);
    ID3D12GraphicsCommandList4_SetPredication(gpu.list, NULL, 0, D3D12_PREDICATION_OP_EQUAL_ZERO);
    ID3D12GraphicsCommandList4_CopyBufferRegion(gpu.list, out, 40, source, 0, 8);
    gpu_run(&gpu);
    expect_no_message("predication");
    UINT8 bytes[48];
    static const UINT8 zero[8];
    gpu_read(out, 0, bytes, sizeof(bytes));
    assert_memory_equal(bytes, zero, 8);          /* 0 == 0: skipped */
    assert_memory_equal(bytes + 8, "12345678", 8); /* 5 == 0 is false */
    assert_memory_equal(bytes + 16, "12345678", 8);
    assert_memory_equal(bytes + 24, zero, 8);
    assert_int_equal(bytes[32], 77);
    assert_memory_equal(bytes + 40, "12345678", 8);
    ID3D12Resource_Release(predicate);
    ID3D12Resource_Release(source);
    ID3D12Resource_Release(out);
}

static ID3D12DescriptorHeap *new_heap(D3D12_DESCRIPTOR_HEAP_TYPE type, D3D12_DESCRIPTOR_HEAP_FLAGS flags)
{
    D3D12_DESCRIPTOR_HEAP_DESC desc = {.Type = type, .NumDescriptors = 4, .Flags = flags};
    ID3D12DescriptorHeap *heap = NULL;
    assert_int_equal(
        ID3D12Device5_CreateDescriptorHeap(gpu.device, &desc, &IID_ID3D12DescriptorHeap, (void **)&heap), S_OK);
    return heap;
}

static void buffer_uavs_are_cleared(void **state)
{
    ID3D12Resource *buffer = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, 256);
    ID3D12Resource *readback = gpu_buffer(&gpu, D3D12_HEAP_TYPE_READBACK, 256);
    ID3D12DescriptorHeap *heap =
        new_heap(D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE);
    D3D12_UNORDERED_ACCESS_VIEW_DESC view = {.Format = DXGI_FORMAT_R32_UINT, .ViewDimension = D3D12_UAV_DIMENSION_BUFFER,
                                             .Buffer = {.FirstElement = 4, .NumElements = 8}};
    D3D12_CPU_DESCRIPTOR_HANDLE cpu = ID3D12DescriptorHeap_GetCPUDescriptorHandleForHeapStart(heap);
    ID3D12Device5_CreateUnorderedAccessView(gpu.device, buffer, NULL, &view, cpu);
    ID3D12GraphicsCommandList4_SetDescriptorHeaps(gpu.list, 1, &heap);
    const UINT values[4] = {0xabcd1234, 0, 0, 0};
    ID3D12GraphicsCommandList4_ClearUnorderedAccessViewUint(
        gpu.list, ID3D12DescriptorHeap_GetGPUDescriptorHandleForHeapStart(heap), cpu, buffer, values, 0, NULL);
    ID3D12GraphicsCommandList4_CopyResource(gpu.list, readback, buffer);
    gpu_run(&gpu);
    expect_no_message("clear");
    UINT words[64];
    gpu_read(readback, 0, words, sizeof(words));
    for (UINT i = 0; i < 64; i++)
        assert_int_equal(words[i], i >= 4 && i < 12 ? 0xabcd1234 : 0);
    ID3D12DescriptorHeap_Release(heap);
    ID3D12Resource_Release(buffer);
    ID3D12Resource_Release(readback);
}

static void render_targets_are_cleared(void **state)
{
    D3D12_RESOURCE_DESC desc = {.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE2D, .Width = 16, .Height = 8,
                                .DepthOrArraySize = 1, .MipLevels = 1, .Format = DXGI_FORMAT_R8G8B8A8_UNORM,
                                .SampleDesc = {1, 0}, .Flags = D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET};
    ID3D12Resource *texture = gpu_texture(&gpu, &desc);
    ID3D12DescriptorHeap *heap = new_heap(D3D12_DESCRIPTOR_HEAP_TYPE_RTV, D3D12_DESCRIPTOR_HEAP_FLAG_NONE);
    D3D12_CPU_DESCRIPTOR_HANDLE rtv = ID3D12DescriptorHeap_GetCPUDescriptorHandleForHeapStart(heap);
    ID3D12Device5_CreateRenderTargetView(gpu.device, texture, NULL, rtv);
    D3D12_RESOURCE_BARRIER barrier = {.Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION,
                                      .Transition = {texture, 0, D3D12_RESOURCE_STATE_COMMON,
                                                     D3D12_RESOURCE_STATE_RENDER_TARGET}};
    ID3D12GraphicsCommandList4_ResourceBarrier(gpu.list, 1, &barrier);
    ID3D12GraphicsCommandList4_OMSetRenderTargets(gpu.list, 1, &rtv, FALSE, NULL);
    const FLOAT color[4] = {1, 0.5f, 0, 1};
    D3D12_RECT rect = {4, 2, 8, 100};
    ID3D12GraphicsCommandList4_ClearRenderTargetView(gpu.list, rtv, color, 1, &rect);
    barrier.Transition.StateBefore = D3D12_RESOURCE_STATE_RENDER_TARGET;
    barrier.Transition.StateAfter = D3D12_RESOURCE_STATE_COPY_SOURCE;
    ID3D12GraphicsCommandList4_ResourceBarrier(gpu.list, 1, &barrier);
    ID3D12Resource *readback = gpu_buffer(&gpu, D3D12_HEAP_TYPE_READBACK, 8 * 256);
    D3D12_PLACED_SUBRESOURCE_FOOTPRINT footprint = {0, {DXGI_FORMAT_R8G8B8A8_UNORM, 16, 8, 1, 256}};
    copy_subresource(texture, 0, readback, &footprint, true);
    gpu_run(&gpu);
    expect_no_message("render target");
    UINT8 bytes[8 * 256];
    gpu_read(readback, 0, bytes, sizeof(bytes));
    static const UINT8 clear[4] = {255, 128, 0, 255}, black[4];
    assert_memory_equal(bytes + 2 * 256 + 4 * 4, clear, 4);
    assert_memory_equal(bytes + 7 * 256 + 7 * 4, clear, 4);
    assert_memory_equal(bytes + 1 * 256 + 4 * 4, black, 4);
    assert_memory_equal(bytes + 2 * 256 + 8 * 4, black, 4);
    ID3D12DescriptorHeap_Release(heap);
    ID3D12Resource_Release(texture);
    ID3D12Resource_Release(readback);
}

static void wrong_state_before_is_reported(void **state)
{
    D3D12_RESOURCE_DESC desc = {.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE2D, .Width = 4, .Height = 4,
                                .DepthOrArraySize = 1, .MipLevels = 1, .Format = DXGI_FORMAT_R8G8B8A8_UNORM,
                                .SampleDesc = {1, 0}, .Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS};
    ID3D12Resource *texture = gpu_texture(&gpu, &desc);
    D3D12_RESOURCE_BARRIER barrier = {.Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION,
                                      .Transition = {texture, D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES,
                                                     D3D12_RESOURCE_STATE_RENDER_TARGET,
                                                     D3D12_RESOURCE_STATE_UNORDERED_ACCESS}};
    ID3D12GraphicsCommandList4_ResourceBarrier(gpu.list, 1, &barrier);
    gpu_run(&gpu);
    assert_true(gpu_has_message(&gpu, "ResourceBarrier (command 0 of list 'unnamed'): StateBefore 0x4"));
    ID3D12Resource_Release(texture);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(textures_go_in_and_out_by_footprints),
        TEST(footprint_rules),
        TEST(immediate_writes_land_in_order),
        TEST(predication_skips_copies_but_not_writes),
        TEST(buffer_uavs_are_cleared),
        TEST(render_targets_are_cleared),
        TEST(wrong_state_before_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
