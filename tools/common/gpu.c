/* SPDX-License-Identifier: MIT
 * See gpu.h. */
#include "gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *gpu_result_text(HRESULT result)
{
    static __thread char text[64];
    static const struct {
        HRESULT code;
        const char *name;
    } names[] = {
        {(HRESULT)0x80070057L, "E_INVALIDARG"},       {(HRESULT)0x8007000EL, "E_OUTOFMEMORY"},
        {(HRESULT)0x80004001L, "E_NOTIMPL"},          {(HRESULT)0x80004002L, "E_NOINTERFACE"},
        {(HRESULT)0x80004005L, "E_FAIL"},             {(HRESULT)0x887A0005L, "DXGI_ERROR_DEVICE_REMOVED"},
        {(HRESULT)0x887A0001L, "DXGI_ERROR_INVALID_CALL"}, {(HRESULT)0x887A0006L, "DXGI_ERROR_DEVICE_HUNG"},
    };
    const char *name = "?";
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].code == result)
            name = names[i].name;
    snprintf(text, sizeof(text), "0x%08X (%s)", (unsigned)result, name);
    return text;
}

static bool check(HRESULT result, const char *what)
{
    if (SUCCEEDED(result))
        return true;
    fprintf(stderr, "%s failed: %s\n", what, gpu_result_text(result));
    return false;
}

static void enable_debug_layer(void)
{
    ID3D12Debug *debug = NULL;
    if (FAILED(D3D12GetDebugInterface(&IID_ID3D12Debug, (void **)&debug)))
        return;
    ID3D12Debug_EnableDebugLayer(debug);
    ID3D12Debug_Release(debug);
}

bool gpu_init(struct gpu *gpu, bool debug)
{
    memset(gpu, 0, sizeof(*gpu));
    if (debug)
        enable_debug_layer();
    if (!check(D3D12CreateDevice(NULL, D3D_FEATURE_LEVEL_12_1, &IID_ID3D12Device5, (void **)&gpu->device),
               "D3D12CreateDevice"))
        return false;
    D3D12_COMMAND_QUEUE_DESC queue = {.Type = D3D12_COMMAND_LIST_TYPE_DIRECT};
    if (check(ID3D12Device5_CreateCommandQueue(gpu->device, &queue, &IID_ID3D12CommandQueue, (void **)&gpu->queue),
              "CreateCommandQueue") &&
        check(ID3D12Device5_CreateCommandAllocator(gpu->device, queue.Type, &IID_ID3D12CommandAllocator,
                                                   (void **)&gpu->allocator),
              "CreateCommandAllocator") &&
        check(ID3D12Device5_CreateCommandList(gpu->device, 0, queue.Type, gpu->allocator, NULL,
                                              &IID_ID3D12GraphicsCommandList4, (void **)&gpu->list),
              "CreateCommandList") &&
        check(ID3D12Device5_CreateFence(gpu->device, 0, D3D12_FENCE_FLAG_NONE, &IID_ID3D12Fence, (void **)&gpu->fence),
              "CreateFence"))
        return true;
    gpu_finish(gpu);
    return false;
}

static void release_kept(struct gpu *gpu)
{
    for (size_t i = 0; i < gpu->kept_count; i++)
        IUnknown_Release(gpu->kept[i]);
    gpu->kept_count = 0;
}

static void release(void *object)
{
    if (object)
        IUnknown_Release((IUnknown *)object);
}

void gpu_finish(struct gpu *gpu)
{
    release_kept(gpu);
    free(gpu->kept);
    release(gpu->fence);
    release(gpu->list);
    release(gpu->allocator);
    release(gpu->queue);
    release(gpu->device);
    memset(gpu, 0, sizeof(*gpu));
}

bool gpu_submit(struct gpu *gpu)
{
    if (!check(ID3D12GraphicsCommandList4_Close(gpu->list), "ID3D12GraphicsCommandList::Close"))
        return false;
    ID3D12CommandList *lists[] = {(ID3D12CommandList *)gpu->list};
    ID3D12CommandQueue_ExecuteCommandLists(gpu->queue, 1, lists);
    bool ok = check(ID3D12CommandQueue_Signal(gpu->queue, gpu->fence, ++gpu->fence_value), "Signal") &&
              check(ID3D12Fence_SetEventOnCompletion(gpu->fence, gpu->fence_value, NULL), "SetEventOnCompletion") &&
              check(ID3D12Device5_GetDeviceRemovedReason(gpu->device), "the device was removed; execution");
    release_kept(gpu);
    ok = ok && check(ID3D12CommandAllocator_Reset(gpu->allocator), "ID3D12CommandAllocator::Reset");
    return ok && check(ID3D12GraphicsCommandList4_Reset(gpu->list, gpu->allocator, NULL),
                       "ID3D12GraphicsCommandList::Reset");
}

void gpu_keep(struct gpu *gpu, void *object)
{
    if (gpu->kept_count == gpu->kept_capacity) {
        size_t capacity = gpu->kept_capacity ? gpu->kept_capacity * 2 : 64;
        IUnknown **kept = realloc(gpu->kept, capacity * sizeof(*kept));
        if (!kept)
            abort();
        gpu->kept = kept;
        gpu->kept_capacity = capacity;
    }
    gpu->kept[gpu->kept_count++] = object;
}

ID3D12Resource *gpu_buffer(struct gpu *gpu, D3D12_HEAP_TYPE heap, UINT64 byte_count, D3D12_RESOURCE_FLAGS flags,
                           D3D12_RESOURCE_STATES state, const void *data)
{
    D3D12_HEAP_PROPERTIES properties = {.Type = heap};
    D3D12_RESOURCE_DESC desc = {.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER, .Width = byte_count ? byte_count : 4,
                                .Height = 1, .DepthOrArraySize = 1, .MipLevels = 1, .SampleDesc = {1, 0},
                                .Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR, .Flags = flags};
    if (heap == D3D12_HEAP_TYPE_UPLOAD)
        state = D3D12_RESOURCE_STATE_GENERIC_READ;
    if (heap == D3D12_HEAP_TYPE_READBACK)
        state = D3D12_RESOURCE_STATE_COPY_DEST;
    ID3D12Resource *buffer = NULL;
    if (!check(ID3D12Device5_CreateCommittedResource(gpu->device, &properties, D3D12_HEAP_FLAG_NONE, &desc, state, NULL,
                                                     &IID_ID3D12Resource, (void **)&buffer),
               "CreateCommittedResource (buffer)"))
        return NULL;
    if (!data || !byte_count)
        return buffer;
    if (heap == D3D12_HEAP_TYPE_UPLOAD) {
        void *map = NULL;
        if (check(ID3D12Resource_Map(buffer, 0, NULL, &map), "Map")) {
            memcpy(map, data, byte_count);
            ID3D12Resource_Unmap(buffer, 0, NULL);
            return buffer;
        }
    } else if (gpu_buffer_write(gpu, buffer, 0, data, byte_count)) {
        return buffer;
    }
    ID3D12Resource_Release(buffer);
    return NULL;
}

bool gpu_buffer_write(struct gpu *gpu, ID3D12Resource *buffer, UINT64 offset, const void *data, UINT64 byte_count)
{
    ID3D12Resource *upload = gpu_buffer(gpu, D3D12_HEAP_TYPE_UPLOAD, byte_count, D3D12_RESOURCE_FLAG_NONE, 0, data);
    if (!upload)
        return false;
    ID3D12GraphicsCommandList4_CopyBufferRegion(gpu->list, buffer, offset, upload, 0, byte_count);
    gpu_keep(gpu, upload);
    return true;
}

static bool read_mapped(ID3D12Resource *readback, void *data, UINT64 byte_count)
{
    void *map = NULL;
    if (!check(ID3D12Resource_Map(readback, 0, NULL, &map), "Map"))
        return false;
    memcpy(data, map, byte_count);
    D3D12_RANGE nothing_written = {0, 0};
    ID3D12Resource_Unmap(readback, 0, &nothing_written);
    return true;
}

bool gpu_buffer_read(struct gpu *gpu, ID3D12Resource *buffer, UINT64 offset, void *data, UINT64 byte_count)
{
    ID3D12Resource *readback = gpu_buffer(gpu, D3D12_HEAP_TYPE_READBACK, byte_count, D3D12_RESOURCE_FLAG_NONE, 0, NULL);
    if (!readback)
        return false;
    ID3D12GraphicsCommandList4_CopyBufferRegion(gpu->list, readback, 0, buffer, offset, byte_count);
    bool ok = gpu_submit(gpu) && read_mapped(readback, data, byte_count);
    ID3D12Resource_Release(readback);
    return ok;
}

ID3D12Resource *gpu_texture(struct gpu *gpu, const D3D12_RESOURCE_DESC *desc, D3D12_RESOURCE_STATES state)
{
    D3D12_HEAP_PROPERTIES properties = {.Type = D3D12_HEAP_TYPE_DEFAULT};
    ID3D12Resource *texture = NULL;
    if (!check(ID3D12Device5_CreateCommittedResource(gpu->device, &properties, D3D12_HEAP_FLAG_NONE, desc, state, NULL,
                                                     &IID_ID3D12Resource, (void **)&texture),
               "CreateCommittedResource (texture)"))
        return NULL;
    return texture;
}

struct footprint {
    D3D12_PLACED_SUBRESOURCE_FOOTPRINT placed;
    UINT row_count;
    UINT64 row_bytes;
    UINT64 total_bytes;
};

static struct footprint subresource_footprint(struct gpu *gpu, ID3D12Resource *texture, UINT subresource)
{
    struct footprint f = {0};
    D3D12_RESOURCE_DESC desc = ID3D12Resource_GetDesc(texture);
    ID3D12Device5_GetCopyableFootprints(gpu->device, &desc, subresource, 1, 0, &f.placed, &f.row_count, &f.row_bytes,
                                        &f.total_bytes);
    return f;
}

UINT64 gpu_texture_bytes(struct gpu *gpu, ID3D12Resource *texture, UINT subresource)
{
    struct footprint f = subresource_footprint(gpu, texture, subresource);
    return f.row_bytes * f.row_count * f.placed.Footprint.Depth;
}

static void copy_rows(const struct footprint *f, uint8_t *packed, uint8_t *pitched, bool to_pitched)
{
    for (UINT row = 0; row < f->row_count * f->placed.Footprint.Depth; row++) {
        uint8_t *a = packed + row * f->row_bytes, *b = pitched + (UINT64)row * f->placed.Footprint.RowPitch;
        memcpy(to_pitched ? b : a, to_pitched ? a : b, f->row_bytes);
    }
}

bool gpu_texture_write(struct gpu *gpu, ID3D12Resource *texture, UINT subresource, const void *data)
{
    struct footprint f = subresource_footprint(gpu, texture, subresource);
    ID3D12Resource *upload = gpu_buffer(gpu, D3D12_HEAP_TYPE_UPLOAD, f.total_bytes, D3D12_RESOURCE_FLAG_NONE, 0, NULL);
    void *map = NULL;
    if (!upload)
        return false;
    gpu_keep(gpu, upload);
    if (!check(ID3D12Resource_Map(upload, 0, NULL, &map), "Map"))
        return false;
    copy_rows(&f, (uint8_t *)data, map, true);
    ID3D12Resource_Unmap(upload, 0, NULL);
    D3D12_TEXTURE_COPY_LOCATION to = {.pResource = texture, .Type = D3D12_TEXTURE_COPY_TYPE_SUBRESOURCE_INDEX,
                                      .SubresourceIndex = subresource};
    D3D12_TEXTURE_COPY_LOCATION from = {.pResource = upload, .Type = D3D12_TEXTURE_COPY_TYPE_PLACED_FOOTPRINT,
                                        .PlacedFootprint = f.placed};
    ID3D12GraphicsCommandList4_CopyTextureRegion(gpu->list, &to, 0, 0, 0, &from, NULL);
    return true;
}

bool gpu_texture_read(struct gpu *gpu, ID3D12Resource *texture, UINT subresource, void *data)
{
    struct footprint f = subresource_footprint(gpu, texture, subresource);
    ID3D12Resource *readback =
        gpu_buffer(gpu, D3D12_HEAP_TYPE_READBACK, f.total_bytes, D3D12_RESOURCE_FLAG_NONE, 0, NULL);
    if (!readback)
        return false;
    D3D12_TEXTURE_COPY_LOCATION from = {.pResource = texture, .Type = D3D12_TEXTURE_COPY_TYPE_SUBRESOURCE_INDEX,
                                        .SubresourceIndex = subresource};
    D3D12_TEXTURE_COPY_LOCATION to = {.pResource = readback, .Type = D3D12_TEXTURE_COPY_TYPE_PLACED_FOOTPRINT,
                                      .PlacedFootprint = f.placed};
    ID3D12GraphicsCommandList4_CopyTextureRegion(gpu->list, &to, 0, 0, 0, &from, NULL);
    void *map = NULL;
    bool ok = gpu_submit(gpu) && check(ID3D12Resource_Map(readback, 0, NULL, &map), "Map");
    if (ok) {
        copy_rows(&f, data, map, false);
        ID3D12Resource_Unmap(readback, 0, NULL);
    }
    ID3D12Resource_Release(readback);
    return ok;
}

ID3D12Resource *gpu_build(struct gpu *gpu, const D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS *inputs)
{
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO info = {0};
    ID3D12Device5_GetRaytracingAccelerationStructurePrebuildInfo(gpu->device, inputs, &info);
    if (!info.ResultDataMaxSizeInBytes) {
        fprintf(stderr, "GetRaytracingAccelerationStructurePrebuildInfo refused the inputs\n");
        return NULL;
    }
    ID3D12Resource *result = gpu_buffer(gpu, D3D12_HEAP_TYPE_DEFAULT, info.ResultDataMaxSizeInBytes,
                                        D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS,
                                        D3D12_RESOURCE_STATE_RAYTRACING_ACCELERATION_STRUCTURE, NULL);
    ID3D12Resource *scratch = gpu_buffer(gpu, D3D12_HEAP_TYPE_DEFAULT, info.ScratchDataSizeInBytes,
                                         D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS,
                                         D3D12_RESOURCE_STATE_UNORDERED_ACCESS, NULL);
    if (!result || !scratch) {
        release(result);
        release(scratch);
        return NULL;
    }
    gpu_keep(gpu, scratch);
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC desc = {
        .DestAccelerationStructureData = ID3D12Resource_GetGPUVirtualAddress(result),
        .Inputs = *inputs,
        .ScratchAccelerationStructureData = ID3D12Resource_GetGPUVirtualAddress(scratch)};
    ID3D12GraphicsCommandList4_BuildRaytracingAccelerationStructure(gpu->list, &desc, 0, NULL);
    D3D12_RESOURCE_BARRIER barrier = {.Type = D3D12_RESOURCE_BARRIER_TYPE_UAV, .UAV = {result}};
    ID3D12GraphicsCommandList4_ResourceBarrier(gpu->list, 1, &barrier);
    return result;
}
