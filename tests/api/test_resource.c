/* SPDX-License-Identifier: MIT
 * Heaps and resources: which descriptions are refused, with which message; sizes, footprints, Map, subresource access,
 * lifetime. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "helpers/gpu.h"

#include <cmocka.h>

/* The tables say "a good buffer, but": later initialisers override on purpose. */
#ifdef __clang__
#pragma GCC diagnostic ignored "-Woverride-init"
#else
#pragma GCC diagnostic ignored "-Woverride-init"
#endif

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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

#define BUFFER(width)                                                                                        \
    .Dimension = D3D12_RESOURCE_DIMENSION_BUFFER, .Width = (width), .Height = 1, .DepthOrArraySize = 1,        \
    .MipLevels = 1, .SampleDesc = {1, 0}, .Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR
#define TEXTURE(width, height)                                                                               \
    .Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE2D, .Width = (width), .Height = (height),                    \
    .DepthOrArraySize = 1, .MipLevels = 1, .Format = DXGI_FORMAT_R8G8B8A8_UNORM, .SampleDesc = {1, 0}

static HRESULT create(D3D12_HEAP_TYPE heap, const D3D12_RESOURCE_DESC *desc, D3D12_RESOURCE_STATES resource_state,
                      ID3D12Resource **out)
{
    D3D12_HEAP_PROPERTIES properties = {.Type = heap};
    if (heap == D3D12_HEAP_TYPE_CUSTOM) {
        properties.CPUPageProperty = D3D12_CPU_PAGE_PROPERTY_WRITE_BACK;
        properties.MemoryPoolPreference = D3D12_MEMORY_POOL_L0;
    }
    return ID3D12Device5_CreateCommittedResource(gpu.device, &properties, D3D12_HEAP_FLAG_NONE, desc, resource_state,
                                                 NULL, &IID_ID3D12Resource, (void **)out);
}

struct refused_case {
    const char *name;
    D3D12_HEAP_TYPE heap;
    D3D12_RESOURCE_DESC desc;
    D3D12_RESOURCE_STATES state;
    const char *message; /* a part that the message must hold */
};

#define WITH(...) {__VA_ARGS__}
#define DEFAULT_HEAP D3D12_HEAP_TYPE_DEFAULT

static const struct refused_case refused[] = {
    {"no dimension", DEFAULT_HEAP, WITH(.Width = 1), 0, "Dimension 0"},
    {"empty buffer", DEFAULT_HEAP, WITH(BUFFER(0)), 0, "Width is 0"},
    {"buffer with height", DEFAULT_HEAP, WITH(BUFFER(16), .Height = 2), 0, "Height 2"},
    {"buffer with format", DEFAULT_HEAP, WITH(BUFFER(16), .Format = DXGI_FORMAT_R32_UINT), 0, "Format 42"},
    {"buffer of unknown layout", DEFAULT_HEAP, WITH(BUFFER(16), .Layout = D3D12_TEXTURE_LAYOUT_UNKNOWN), 0, "Layout 0"},
    {"buffer as depth target", DEFAULT_HEAP, WITH(BUFFER(16), .Flags = D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL), 0,
     "Flags 0x2"},
    {"buffer alignment", DEFAULT_HEAP, WITH(BUFFER(16), .Alignment = 256), 0, "Alignment 256"},
    {"buffer samples", DEFAULT_HEAP, WITH(BUFFER(16), .SampleDesc = {4, 0}), 0, "SampleDesc"},
    {"unknown flags", DEFAULT_HEAP, WITH(BUFFER(16), .Flags = 0x8000), 0, "0x8000"},
    {"texture without format", DEFAULT_HEAP, WITH(TEXTURE(4, 4), .Format = DXGI_FORMAT_UNKNOWN), 0, "Format 0"},
    {"video format", DEFAULT_HEAP, WITH(TEXTURE(4, 4), .Format = DXGI_FORMAT_NV12), 0, "NV12"},
    {"too wide", DEFAULT_HEAP, WITH(TEXTURE(16385, 4)), 0, "16385"},
    {"too many mips", DEFAULT_HEAP, WITH(TEXTURE(4, 4), .MipLevels = 16), 0, "at most 15"},
    {"three samples", DEFAULT_HEAP, WITH(TEXTURE(4, 4), .SampleDesc = {3, 0}), 0, "SampleDesc.Count is 3"},
    {"samples without target", DEFAULT_HEAP, WITH(TEXTURE(4, 4), .SampleDesc = {4, 0}), 0, "multisampled"},
    {"depth format as target", DEFAULT_HEAP,
     WITH(TEXTURE(4, 4), .Format = DXGI_FORMAT_D32_FLOAT, .Flags = D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET), 0,
     "D32_FLOAT"},
    {"colour format as depth", DEFAULT_HEAP, WITH(TEXTURE(4, 4), .Flags = D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL), 0,
     "no depth format"},
    {"compressed with UAV", DEFAULT_HEAP,
     WITH(TEXTURE(4, 4), .Format = DXGI_FORMAT_BC1_UNORM, .Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS), 0,
     "BC1_UNORM"},
    {"deny without depth", DEFAULT_HEAP, WITH(TEXTURE(4, 4), .Flags = D3D12_RESOURCE_FLAG_DENY_SHADER_RESOURCE), 0,
     "DENY_SHADER_RESOURCE"},
    {"row major texture", DEFAULT_HEAP, WITH(TEXTURE(4, 4), .Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR), 0, "ROW_MAJOR"},
    {"small alignment of a large texture", DEFAULT_HEAP, WITH(TEXTURE(1024, 1024), .Alignment = 4096), 0,
     "Alignment 4096"},
    {"upload in common", D3D12_HEAP_TYPE_UPLOAD, WITH(BUFFER(16)), D3D12_RESOURCE_STATE_COMMON, "GENERIC_READ"},
    {"readback in copy source", D3D12_HEAP_TYPE_READBACK, WITH(BUFFER(16)), D3D12_RESOURCE_STATE_COPY_SOURCE,
     "COPY_DEST"},
    {"texture in upload heap", D3D12_HEAP_TYPE_UPLOAD, WITH(TEXTURE(4, 4)), D3D12_RESOURCE_STATE_GENERIC_READ,
     "UPLOAD"},
    {"unordered access in upload heap", D3D12_HEAP_TYPE_UPLOAD,
     WITH(BUFFER(16), .Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS), D3D12_RESOURCE_STATE_GENERIC_READ,
     "ALLOW_UNORDERED_ACCESS"},
    {"no heap type", 0, WITH(BUFFER(16)), 0, "heap Type 0"},
    {"two write states", DEFAULT_HEAP, WITH(BUFFER(16), .Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS),
     D3D12_RESOURCE_STATE_UNORDERED_ACCESS | D3D12_RESOURCE_STATE_COPY_DEST, "combines"},
    {"unknown state", DEFAULT_HEAP, WITH(BUFFER(16)), 0x40000000, "0x40000000"},
    {"target state without flag", DEFAULT_HEAP, WITH(TEXTURE(4, 4)), D3D12_RESOURCE_STATE_RENDER_TARGET,
     "RENDER_TARGET"},
    {"acceleration structure without UAV", DEFAULT_HEAP, WITH(BUFFER(16)),
     D3D12_RESOURCE_STATE_RAYTRACING_ACCELERATION_STRUCTURE, "RAYTRACING_ACCELERATION_STRUCTURE"},
};

static void broken_rules_are_refused_with_one_message(void **state)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        const struct refused_case *one = &refused[i];
        ID3D12Resource *resource = (void *)1;
        gpu_forget_messages(&gpu);
        HRESULT result = create(one->heap, &one->desc, one->state, &resource);
        bool named = gpu_has_message(&gpu, "CreateCommittedResource") && gpu_has_message(&gpu, one->message);
        if (result != E_INVALIDARG || resource || gpu_message_count(&gpu) != 1 || !named) {
            gpu_print_messages(&gpu);
            fail_msg("%s: result 0x%x, %u messages", one->name, result, (unsigned)gpu_message_count(&gpu));
        }
    }
}

static void good_descriptions_are_taken(void **state)
{
    static const struct {
        const char *name;
        D3D12_HEAP_TYPE heap;
        D3D12_RESOURCE_DESC desc;
        D3D12_RESOURCE_STATES state;
    } good[] = {
        {"one byte", DEFAULT_HEAP, WITH(BUFFER(1)), 0},
        {"upload", D3D12_HEAP_TYPE_UPLOAD, WITH(BUFFER(16)), D3D12_RESOURCE_STATE_GENERIC_READ},
        {"readback", D3D12_HEAP_TYPE_READBACK, WITH(BUFFER(16)), D3D12_RESOURCE_STATE_COPY_DEST},
        {"acceleration structure", DEFAULT_HEAP,
         WITH(BUFFER(16), .Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS),
         D3D12_RESOURCE_STATE_RAYTRACING_ACCELERATION_STRUCTURE},
        {"full mip chain", DEFAULT_HEAP, WITH(TEXTURE(100, 30), .MipLevels = 0), 0},
        {"small alignment", DEFAULT_HEAP, WITH(TEXTURE(64, 64), .Alignment = 4096), 0},
        {"target", DEFAULT_HEAP, WITH(TEXTURE(64, 64), .Flags = D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET),
         D3D12_RESOURCE_STATE_RENDER_TARGET},
        {"multisampled target", DEFAULT_HEAP,
         WITH(TEXTURE(64, 64), .SampleDesc = {4, 0}, .Flags = D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET), 0},
        {"depth", DEFAULT_HEAP,
         WITH(TEXTURE(64, 64), .Format = DXGI_FORMAT_R32_TYPELESS, .Flags = D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL),
         D3D12_RESOURCE_STATE_DEPTH_WRITE},
        {"odd compressed", DEFAULT_HEAP, WITH(TEXTURE(5, 7), .Format = DXGI_FORMAT_BC7_UNORM, .MipLevels = 3), 0},
        {"texture that the CPU sees", D3D12_HEAP_TYPE_CUSTOM, WITH(TEXTURE(5, 7)), 0},
        {"256 GiB, never touched", DEFAULT_HEAP, WITH(BUFFER(1ull << 38)), 0},
    };
    for (size_t i = 0; i < COUNT(good); i++) {
        ID3D12Resource *resource = NULL;
        HRESULT result = create(good[i].heap, &good[i].desc, good[i].state, &resource);
        if (result != S_OK)
            gpu_print_messages(&gpu);
        if (result != S_OK)
            fail_msg("%s: 0x%x", good[i].name, result);
        ID3D12Resource_Release(resource);
    }
    assert_int_equal(gpu_message_count(&gpu), 0);
}

/* Field case AS-31. */
static void structure_flag_needs_unordered_access_and_is_not_echoed(void **state)
{
    ID3D12Device10 *device = NULL;
    assert_int_equal(ID3D12Device5_QueryInterface(gpu.device, &IID_ID3D12Device10, (void **)&device), S_OK);
    D3D12_HEAP_PROPERTIES properties = {.Type = D3D12_HEAP_TYPE_DEFAULT};
    D3D12_RESOURCE_DESC1 desc = {BUFFER(256), .Flags = D3D12_RESOURCE_FLAG_RAYTRACING_ACCELERATION_STRUCTURE};
    ID3D12Resource *resource = NULL;
    assert_int_equal(ID3D12Device10_CreateCommittedResource3(device, &properties, 0, &desc, D3D12_BARRIER_LAYOUT_UNDEFINED,
                                                             NULL, NULL, 0, NULL, &IID_ID3D12Resource, (void **)&resource),
                     E_INVALIDARG);
    desc.Flags |= D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS;
    assert_int_equal(ID3D12Device10_CreateCommittedResource3(device, &properties, 0, &desc, D3D12_BARRIER_LAYOUT_UNDEFINED,
                                                             NULL, NULL, 0, NULL, &IID_ID3D12Resource, (void **)&resource),
                     S_OK);
    assert_int_equal(ID3D12Resource_GetDesc(resource).Flags, desc.Flags);
    ID3D12Resource_Release(resource);
    D3D12_RESOURCE_DESC old = {BUFFER(256), .Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS};
    assert_int_equal(create(D3D12_HEAP_TYPE_DEFAULT, &old, D3D12_RESOURCE_STATE_RAYTRACING_ACCELERATION_STRUCTURE,
                            &resource),
                     S_OK);
    assert_int_equal(ID3D12Resource_GetDesc(resource).Flags, D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS);
    ID3D12Resource_Release(resource);
    assert_int_equal(ID3D12Device10_CreateCommittedResource3(device, &properties, 0, &desc, D3D12_BARRIER_LAYOUT_COMMON,
                                                             NULL, NULL, 0, NULL, &IID_ID3D12Resource, (void **)&resource),
                     E_INVALIDARG);
    ID3D12Device10_Release(device);
}

static void descriptions_come_back_completed(void **state)
{
    D3D12_RESOURCE_DESC desc = {TEXTURE(100, 30), .MipLevels = 0};
    ID3D12Resource *resource = gpu_texture(&gpu, &desc);
    D3D12_RESOURCE_DESC back = ID3D12Resource_GetDesc(resource);
    assert_int_equal(back.MipLevels, 7);
    assert_int_equal(back.Alignment, 65536);
    assert_int_equal(back.Width, 100);
    assert_int_equal(ID3D12Resource_GetGPUVirtualAddress(resource), 0);
    D3D12_HEAP_PROPERTIES properties;
    D3D12_HEAP_FLAGS flags;
    assert_int_equal(ID3D12Resource_GetHeapProperties(resource, &properties, &flags), S_OK);
    assert_int_equal(properties.Type, D3D12_HEAP_TYPE_DEFAULT);
    assert_int_equal(properties.CreationNodeMask, 1);
    ID3D12Resource_Release(resource);
}

static void creation_without_output_only_checks(void **state)
{
    D3D12_HEAP_PROPERTIES properties = {.Type = D3D12_HEAP_TYPE_DEFAULT};
    D3D12_RESOURCE_DESC desc = {BUFFER(16)};
    assert_int_equal(ID3D12Device5_CreateCommittedResource(gpu.device, &properties, 0, &desc, 0, NULL,
                                                           &IID_ID3D12Resource, NULL),
                     S_FALSE);
    desc.Width = 0;
    assert_int_equal(ID3D12Device5_CreateCommittedResource(gpu.device, &properties, 0, &desc, 0, NULL,
                                                           &IID_ID3D12Resource, NULL),
                     E_INVALIDARG);
}

static void map_follows_the_heap(void **state)
{
    ID3D12Resource *upload = gpu_buffer(&gpu, D3D12_HEAP_TYPE_UPLOAD, 256);
    ID3D12Resource *hidden = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, 256);
    void *data = NULL, *again = NULL;
    assert_int_equal(ID3D12Resource_Map(upload, 0, NULL, &data), S_OK);
    assert_int_equal((uintptr_t)data, ID3D12Resource_GetGPUVirtualAddress(upload));
    assert_int_equal(ID3D12Resource_Map(upload, 0, NULL, &again), S_OK);
    assert_ptr_equal(data, again);
    ID3D12Resource_Unmap(upload, 0, NULL);
    ID3D12Resource_Unmap(upload, 0, NULL);
    assert_int_equal(gpu_message_count(&gpu), 0);
    ID3D12Resource_Unmap(upload, 0, NULL);
    assert_true(gpu_has_message(&gpu, "Unmap: subresource 0"));
    assert_int_equal(ID3D12Resource_Map(upload, 1, NULL, &data), E_INVALIDARG);
    assert_int_equal(ID3D12Resource_Map(hidden, 0, NULL, &data), E_INVALIDARG);
    assert_ptr_equal(data, again); /* as it was */
    ID3D12Resource_Release(upload);
    ID3D12Resource_Release(hidden);
}

/* Field of a 3D texture with mips: write a box of a mip, read it back, texels around it stay zero. */
static void subresources_are_written_and_read_by_boxes(void **state)
{
    D3D12_RESOURCE_DESC desc = {TEXTURE(9, 6), .MipLevels = 2};
    desc.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE3D;
    desc.DepthOrArraySize = 4;
    desc.Format = DXGI_FORMAT_R16_UINT;
    ID3D12Resource *texture = NULL;
    assert_int_equal(create(D3D12_HEAP_TYPE_CUSTOM, &desc, 0, &texture), S_OK);
    uint16_t in[2][2][3], out[2][3][4] = {{{0}}};
    for (int i = 0; i < 12; i++)
        (&in[0][0][0])[i] = (uint16_t)(i + 1);
    D3D12_BOX box = {1, 1, 0, 4, 3, 2};
    assert_int_equal(ID3D12Resource_Map(texture, 1, NULL, NULL), S_OK);
    assert_int_equal(ID3D12Resource_WriteToSubresource(texture, 1, &box, in, sizeof(in[0][0]), sizeof(in[0])), S_OK);
    assert_int_equal(ID3D12Resource_ReadFromSubresource(texture, out, sizeof(out[0][0]), sizeof(out[0]), 1, NULL), S_OK);
    ID3D12Resource_Unmap(texture, 1, NULL);
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 4; x++)
                assert_int_equal(out[z][y][x], x && y ? in[z][y - 1][x - 1] : 0);
    D3D12_BOX outside = {1, 1, 0, 5, 3, 2};
    assert_int_equal(ID3D12Resource_WriteToSubresource(texture, 1, &outside, in, 6, 12), E_INVALIDARG);
    assert_int_equal(ID3D12Resource_WriteToSubresource(texture, 2, NULL, in, 6, 12), E_INVALIDARG);
    void *data;
    assert_int_equal(ID3D12Resource_Map(texture, 0, NULL, &data), E_INVALIDARG);
    ID3D12Resource_Release(texture);
}

static void allocation_sizes(void **state)
{
    static const struct {
        const char *name;
        D3D12_RESOURCE_DESC desc;
        UINT64 size_bytes, alignment;
    } cases[] = {
        {"buffer of a byte", {BUFFER(1)}, 65536, 65536},
        {"buffer just over", {BUFFER(65537)}, 131072, 65536},
        {"texture", {TEXTURE(128, 128)}, 65536, 65536},
        {"small texture", {TEXTURE(16, 16), .Alignment = 4096}, 4096, 4096},
        {"too large to be small", {TEXTURE(256, 256), .Alignment = 4096}, 262144, 65536},
        {"multisampled", {TEXTURE(16, 16), .SampleDesc = {4, 0}, .Flags = D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET},
         4194304, 4194304},
        {"wrong", {BUFFER(0)}, UINT64_MAX, 65536},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        D3D12_RESOURCE_ALLOCATION_INFO info = ID3D12Device5_GetResourceAllocationInfo(gpu.device, 0, 1, &cases[i].desc);
        print_message("%s\n", cases[i].name);
        assert_int_equal(info.SizeInBytes, cases[i].size_bytes);
        assert_int_equal(info.Alignment, cases[i].alignment);
    }
    D3D12_RESOURCE_DESC both[] = {{BUFFER(100)}, {TEXTURE(16, 16), .Alignment = 4096}, {BUFFER(100)}};
    D3D12_RESOURCE_ALLOCATION_INFO1 infos[3];
    D3D12_RESOURCE_ALLOCATION_INFO sum = ID3D12Device5_GetResourceAllocationInfo1(gpu.device, 0, 3, both, infos);
    assert_int_equal(sum.SizeInBytes, 3 * 65536);
    assert_int_equal(infos[1].Offset, 65536);
    assert_int_equal(infos[2].Offset, 2 * 65536);
}

static void footprints(void **state)
{
    static const struct {
        const char *name;
        D3D12_RESOURCE_DESC desc;
        UINT subresource;
        UINT width, height, depth, row_pitch, rows;
        UINT64 row_bytes, total;
    } cases[] = {
        {"buffer", {BUFFER(1000)}, 0, 1000, 1, 1, 1024, 1, 1000, 1000},
        {"odd texture", {TEXTURE(65, 3)}, 0, 65, 3, 1, 512, 3, 260, 2 * 512 + 260},
        {"second mip", {TEXTURE(65, 3), .MipLevels = 2}, 1, 32, 1, 1, 256, 1, 128, 128},
        {"blocks", {TEXTURE(6, 6), .Format = DXGI_FORMAT_BC1_UNORM}, 0, 8, 8, 1, 256, 2, 16, 256 + 16},
        {"stencil plane",
         {TEXTURE(16, 2), .Format = DXGI_FORMAT_D24_UNORM_S8_UINT, .Flags = D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL}, 1,
         16, 2, 1, 512, 2, 16, 512 + 16},
        {"volume", {TEXTURE(4, 4), .Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE3D, .DepthOrArraySize = 3}, 0, 4, 4, 3,
         256, 4, 16, 11 * 256 + 16},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        D3D12_PLACED_SUBRESOURCE_FOOTPRINT layout;
        UINT rows;
        UINT64 row_bytes, total;
        print_message("%s\n", cases[i].name);
        ID3D12Device5_GetCopyableFootprints(gpu.device, &cases[i].desc, cases[i].subresource, 1, 4096, &layout, &rows,
                                            &row_bytes, &total);
        assert_int_equal(layout.Offset, 4096);
        assert_int_equal(layout.Footprint.Width, cases[i].width);
        assert_int_equal(layout.Footprint.Height, cases[i].height);
        assert_int_equal(layout.Footprint.Depth, cases[i].depth);
        assert_int_equal(layout.Footprint.RowPitch, cases[i].row_pitch);
        assert_int_equal(rows, cases[i].rows);
        assert_int_equal(row_bytes, cases[i].row_bytes);
        assert_int_equal(total, cases[i].total);
    }
    UINT64 total = 0;
    D3D12_RESOURCE_DESC desc = {TEXTURE(4, 4)};
    ID3D12Device5_GetCopyableFootprints(gpu.device, &desc, 1, 1, 0, NULL, NULL, NULL, &total);
    assert_true(total == UINT64_MAX);
}

static void placed_resources_obey_their_heap(void **state)
{
    ID3D12Heap *heap = NULL;
    D3D12_HEAP_DESC desc = {.SizeInBytes = 3 * 65536, .Properties = {.Type = D3D12_HEAP_TYPE_DEFAULT},
                            .Flags = D3D12_HEAP_FLAG_ALLOW_ONLY_BUFFERS};
    assert_int_equal(ID3D12Device5_CreateHeap(gpu.device, &desc, &IID_ID3D12Heap, (void **)&heap), S_OK);
    assert_int_equal(ID3D12Heap_GetDesc(heap).Alignment, 65536);
    static const struct {
        const char *name;
        UINT64 offset;
        D3D12_RESOURCE_DESC desc;
        HRESULT result;
    } cases[] = {
        {"at the start", 0, {BUFFER(65536)}, S_OK},
        {"at the end", 2 * 65536, {BUFFER(65536)}, S_OK},
        {"over it", 65536, {BUFFER(100000)}, S_OK},
        {"beyond the end", 2 * 65536, {BUFFER(65537)}, E_INVALIDARG},
        {"offset beyond", 1ull << 40, {BUFFER(1)}, E_INVALIDARG},
        {"not aligned", 4096, {BUFFER(1)}, E_INVALIDARG},
        {"texture in buffer heap", 0, {TEXTURE(4, 4)}, E_INVALIDARG},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        ID3D12Resource *resource = NULL;
        print_message("%s\n", cases[i].name);
        assert_int_equal(ID3D12Device5_CreatePlacedResource(gpu.device, heap, cases[i].offset, &cases[i].desc, 0, NULL,
                                                            &IID_ID3D12Resource, (void **)&resource),
                         cases[i].result);
        if (resource)
            ID3D12Resource_Release(resource);
    }
    ID3D12Heap_Release(heap);
}

static void placed_resource_keeps_its_heap(void **state)
{
    ID3D12Heap *heap = NULL;
    ID3D12Resource *resource = NULL;
    D3D12_HEAP_DESC desc = {.SizeInBytes = 65536, .Properties = {.Type = D3D12_HEAP_TYPE_UPLOAD},
                            .Flags = D3D12_HEAP_FLAG_ALLOW_ONLY_BUFFERS};
    D3D12_RESOURCE_DESC buffer = {BUFFER(65536)};
    assert_int_equal(ID3D12Device5_CreateHeap(gpu.device, &desc, &IID_ID3D12Heap, (void **)&heap), S_OK);
    assert_int_equal(ID3D12Device5_CreatePlacedResource(gpu.device, heap, 0, &buffer, D3D12_RESOURCE_STATE_GENERIC_READ,
                                                        NULL, &IID_ID3D12Resource, (void **)&resource),
                     S_OK);
    assert_int_equal(ID3D12Heap_Release(heap), 0);
    void *data = NULL;
    assert_int_equal(ID3D12Resource_Map(resource, 0, NULL, &data), S_OK);
    memset(data, 0x5a, 65536);
    ID3D12Resource_Unmap(resource, 0, NULL);
    assert_int_equal(ID3D12Resource_Release(resource), 0);
}

static void wrong_heaps_are_refused(void **state)
{
    static const struct {
        const char *name;
        D3D12_HEAP_DESC desc;
    } cases[] = {
        {"no bytes", {0, {.Type = D3D12_HEAP_TYPE_DEFAULT}, 0, 0}},
        {"alignment", {65536, {.Type = D3D12_HEAP_TYPE_DEFAULT}, 12345, 0}},
        {"no type", {65536, {0}, 0, 0}},
        {"custom without page property", {65536, {.Type = D3D12_HEAP_TYPE_CUSTOM, .MemoryPoolPreference = D3D12_MEMORY_POOL_L0}, 0, 0}},
        {"pool L1 of a UMA adapter",
         {65536,
          {.Type = D3D12_HEAP_TYPE_CUSTOM,
           .CPUPageProperty = D3D12_CPU_PAGE_PROPERTY_NOT_AVAILABLE,
           .MemoryPoolPreference = D3D12_MEMORY_POOL_L1},
          0, 0}},
        {"second node", {65536, {.Type = D3D12_HEAP_TYPE_DEFAULT, .CreationNodeMask = 2}, 0, 0}},
        {"unknown flags", {65536, {.Type = D3D12_HEAP_TYPE_DEFAULT}, 0, 0x100000}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        ID3D12Heap *heap = (void *)1;
        print_message("%s\n", cases[i].name);
        gpu_forget_messages(&gpu);
        assert_int_equal(ID3D12Device5_CreateHeap(gpu.device, &cases[i].desc, &IID_ID3D12Heap, (void **)&heap),
                         E_INVALIDARG);
        assert_null(heap);
        assert_int_equal(gpu_message_count(&gpu), 1);
    }
}

static void resources_count_as_device_references(void **state)
{
    ID3D12Device5_AddRef(gpu.device);
    ULONG before = ID3D12Device5_Release(gpu.device);
    ID3D12Resource *resource = gpu_buffer(&gpu, D3D12_HEAP_TYPE_UPLOAD, 16);
    ID3D12Device5_AddRef(gpu.device);
    assert_int_equal(ID3D12Device5_Release(gpu.device), before + 1);
    ID3D12Resource *other = NULL;
    assert_int_equal(ID3D12Resource_QueryInterface(resource, &IID_ID3D12Resource2, (void **)&other), S_OK);
    assert_ptr_equal(other, resource);
    ID3D12Device *device = NULL;
    assert_int_equal(ID3D12Resource_GetDevice(resource, &IID_ID3D12Device, (void **)&device), S_OK);
    assert_ptr_equal(device, gpu.device);
    assert_int_equal(ID3D12Device_Release(device), before + 1);
    assert_int_equal(ID3D12Resource_Release(other), 1);
    assert_int_equal(ID3D12Resource_Release(resource), 0);
    ID3D12Device5_AddRef(gpu.device);
    assert_int_equal(ID3D12Device5_Release(gpu.device), before);
}

static void tilings(void **state)
{
    D3D12_RESOURCE_DESC desc = {TEXTURE(512, 256), .MipLevels = 0, .DepthOrArraySize = 2,
                                .Layout = D3D12_TEXTURE_LAYOUT_64KB_UNDEFINED_SWIZZLE};
    ID3D12Resource *resource = NULL;
    assert_int_equal(ID3D12Device5_CreateReservedResource(gpu.device, &desc, 0, NULL, &IID_ID3D12Resource,
                                                          (void **)&resource),
                     S_OK);
    UINT tiles = 0, count = 20;
    D3D12_PACKED_MIP_INFO packed;
    D3D12_TILE_SHAPE shape;
    D3D12_SUBRESOURCE_TILING tiling[20];
    ID3D12Device5_GetResourceTiling(gpu.device, resource, &tiles, &packed, &shape, &count, 0, tiling);
    assert_int_equal(shape.WidthInTexels, 128);
    assert_int_equal(shape.HeightInTexels, 128);
    assert_int_equal(packed.NumStandardMips, 2); /* 512 x 256, 256 x 128 */
    assert_int_equal(packed.NumPackedMips, 8);
    assert_int_equal(packed.NumTilesForPackedMips, 1);
    assert_int_equal(packed.StartTileIndexInOverallResource, 10);
    assert_int_equal(tiles, 2 * (8 + 2 + 1));
    assert_int_equal(count, 20);
    assert_int_equal(tiling[1].WidthInTiles, 2);
    assert_int_equal(tiling[1].StartTileIndexInOverallResource, 8);
    assert_int_equal(tiling[2].StartTileIndexInOverallResource, D3D12_PACKED_TILE);
    assert_int_equal(tiling[10].StartTileIndexInOverallResource, 11);
    ID3D12Resource_Release(resource);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(broken_rules_are_refused_with_one_message),
        TEST(good_descriptions_are_taken),
        TEST(structure_flag_needs_unordered_access_and_is_not_echoed),
        TEST(descriptions_come_back_completed),
        TEST(creation_without_output_only_checks),
        TEST(map_follows_the_heap),
        TEST(subresources_are_written_and_read_by_boxes),
        TEST(allocation_sizes),
        TEST(footprints),
        TEST(placed_resources_obey_their_heap),
        TEST(placed_resource_keeps_its_heap),
        TEST(wrong_heaps_are_refused),
        TEST(resources_count_as_device_references),
        TEST(tilings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
