/* SPDX-License-Identifier: MIT */
#include "helpers/gpu.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* assert that also works with NDEBUG */
#define REQUIRE(condition)                                                                                   \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: %s failed\n", __FILE__, __LINE__, #condition);                           \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

void gpu_init(struct gpu *gpu)
{
    *gpu = (struct gpu){0};
    ID3D12Debug *debug = NULL;
    REQUIRE(SUCCEEDED(D3D12GetDebugInterface(&IID_ID3D12Debug, (void **)&debug)));
    ID3D12Debug_EnableDebugLayer(debug);
    ID3D12Debug_Release(debug);
    REQUIRE(SUCCEEDED(
        D3D12CreateDevice(NULL, D3D_FEATURE_LEVEL_12_0, &IID_ID3D12Device5, (void **)&gpu->device)));
    REQUIRE(SUCCEEDED(
        ID3D12Device5_QueryInterface(gpu->device, &IID_ID3D12InfoQueue, (void **)&gpu->messages)));
    ID3D12InfoQueue_SetMuteDebugOutput(gpu->messages, TRUE);
    D3D12_COMMAND_QUEUE_DESC desc = {.Type = D3D12_COMMAND_LIST_TYPE_DIRECT};
    REQUIRE(SUCCEEDED(ID3D12Device5_CreateCommandQueue(gpu->device, &desc, &IID_ID3D12CommandQueue,
                                                       (void **)&gpu->queue)));
    REQUIRE(SUCCEEDED(ID3D12Device5_CreateCommandAllocator(gpu->device, D3D12_COMMAND_LIST_TYPE_DIRECT,
                                                           &IID_ID3D12CommandAllocator, (void **)&gpu->allocator)));
    REQUIRE(SUCCEEDED(ID3D12Device5_CreateCommandList(gpu->device, 0, D3D12_COMMAND_LIST_TYPE_DIRECT, gpu->allocator,
                                                      NULL, &IID_ID3D12GraphicsCommandList4, (void **)&gpu->list)));
    REQUIRE(SUCCEEDED(
        ID3D12Device5_CreateFence(gpu->device, 0, D3D12_FENCE_FLAG_NONE, &IID_ID3D12Fence, (void **)&gpu->fence)));
}

void gpu_finish(struct gpu *gpu)
{
    ID3D12Fence_Release(gpu->fence);
    ID3D12GraphicsCommandList4_Release(gpu->list);
    ID3D12CommandAllocator_Release(gpu->allocator);
    ID3D12CommandQueue_Release(gpu->queue);
    ID3D12InfoQueue_Release(gpu->messages);
    ULONG left = ID3D12Device5_Release(gpu->device);
    REQUIRE(left == 0);
}

void gpu_wait(struct gpu *gpu)
{
    REQUIRE(SUCCEEDED(ID3D12CommandQueue_Signal(gpu->queue, gpu->fence, ++gpu->fence_value)));
    REQUIRE(SUCCEEDED(ID3D12Fence_SetEventOnCompletion(gpu->fence, gpu->fence_value, NULL)));
}

void gpu_run(struct gpu *gpu)
{
    HRESULT result = ID3D12GraphicsCommandList4_Close(gpu->list);
    if (FAILED(result))
        gpu_print_messages(gpu);
    REQUIRE(SUCCEEDED(result));
    ID3D12CommandList *list = (ID3D12CommandList *)gpu->list;
    ID3D12CommandQueue_ExecuteCommandLists(gpu->queue, 1, &list);
    gpu_wait(gpu);
    REQUIRE(SUCCEEDED(ID3D12CommandAllocator_Reset(gpu->allocator)));
    REQUIRE(SUCCEEDED(ID3D12GraphicsCommandList4_Reset(gpu->list, gpu->allocator, NULL)));
}

static ID3D12Resource *new_resource(struct gpu *gpu, D3D12_HEAP_TYPE heap, const D3D12_RESOURCE_DESC *desc,
                                    D3D12_RESOURCE_STATES state)
{
    D3D12_HEAP_PROPERTIES properties = {.Type = heap};
    ID3D12Resource *resource = NULL;
    HRESULT result = ID3D12Device5_CreateCommittedResource(gpu->device, &properties, D3D12_HEAP_FLAG_NONE, desc, state,
                                                           NULL, &IID_ID3D12Resource, (void **)&resource);
    if (FAILED(result))
        gpu_print_messages(gpu);
    REQUIRE(SUCCEEDED(result));
    return resource;
}

static D3D12_RESOURCE_DESC buffer_desc(UINT64 bytes, D3D12_RESOURCE_FLAGS flags)
{
    return (D3D12_RESOURCE_DESC){.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER, .Width = bytes, .Height = 1,
                                 .DepthOrArraySize = 1, .MipLevels = 1, .SampleDesc = {1, 0},
                                 .Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR, .Flags = flags};
}

ID3D12Resource *gpu_buffer(struct gpu *gpu, D3D12_HEAP_TYPE heap, UINT64 bytes)
{
    D3D12_RESOURCE_DESC desc = buffer_desc(
        bytes, heap == D3D12_HEAP_TYPE_DEFAULT ? D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS : D3D12_RESOURCE_FLAG_NONE);
    D3D12_RESOURCE_STATES state = heap == D3D12_HEAP_TYPE_UPLOAD     ? D3D12_RESOURCE_STATE_GENERIC_READ
                                  : heap == D3D12_HEAP_TYPE_READBACK ? D3D12_RESOURCE_STATE_COPY_DEST
                                                                     : D3D12_RESOURCE_STATE_COMMON;
    return new_resource(gpu, heap, &desc, state);
}

ID3D12Resource *gpu_structure_buffer(struct gpu *gpu, UINT64 bytes)
{
    D3D12_RESOURCE_DESC desc = buffer_desc(bytes, D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS);
    return new_resource(gpu, D3D12_HEAP_TYPE_DEFAULT, &desc,
                        D3D12_RESOURCE_STATE_RAYTRACING_ACCELERATION_STRUCTURE);
}

ID3D12Resource *gpu_upload(struct gpu *gpu, const void *data, UINT64 bytes)
{
    ID3D12Resource *buffer = gpu_buffer(gpu, D3D12_HEAP_TYPE_UPLOAD, bytes);
    void *memory = NULL;
    REQUIRE(SUCCEEDED(ID3D12Resource_Map(buffer, 0, NULL, &memory)));
    memcpy(memory, data, bytes);
    ID3D12Resource_Unmap(buffer, 0, NULL);
    return buffer;
}

ID3D12Resource *gpu_texture(struct gpu *gpu, const D3D12_RESOURCE_DESC *desc)
{
    return new_resource(gpu, D3D12_HEAP_TYPE_DEFAULT, desc, D3D12_RESOURCE_STATE_COMMON);
}

void gpu_read(ID3D12Resource *readback, UINT64 offset, void *out, UINT64 bytes)
{
    const UINT8 *memory = NULL;
    REQUIRE(SUCCEEDED(ID3D12Resource_Map(readback, 0, NULL, (void **)&memory)));
    memcpy(out, memory + offset, bytes);
    ID3D12Resource_Unmap(readback, 0, NULL);
}

UINT64 gpu_message_count(struct gpu *gpu)
{
    return ID3D12InfoQueue_GetNumStoredMessages(gpu->messages);
}

void gpu_forget_messages(struct gpu *gpu)
{
    ID3D12InfoQueue_ClearStoredMessages(gpu->messages);
}

static D3D12_MESSAGE *message_at(struct gpu *gpu, UINT64 index)
{
    SIZE_T bytes = 0;
    ID3D12InfoQueue_GetMessage(gpu->messages, index, NULL, &bytes);
    D3D12_MESSAGE *message = calloc(1, bytes);
    REQUIRE(message && SUCCEEDED(ID3D12InfoQueue_GetMessage(gpu->messages, index, message, &bytes)));
    return message;
}

bool gpu_has_message(struct gpu *gpu, const char *text)
{
    bool found = false;
    for (UINT64 i = 0; i < gpu_message_count(gpu) && !found; i++) {
        D3D12_MESSAGE *message = message_at(gpu, i);
        found = strstr(message->pDescription, text) != NULL;
        free(message);
    }
    return found;
}

void gpu_print_messages(struct gpu *gpu)
{
    for (UINT64 i = 0; i < gpu_message_count(gpu); i++) {
        D3D12_MESSAGE *message = message_at(gpu, i);
        fprintf(stderr, "message: %s\n", message->pDescription);
        free(message);
    }
}
