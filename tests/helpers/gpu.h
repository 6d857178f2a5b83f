/* SPDX-License-Identifier: MIT
 * What every API test needs: a device with its debug layer, one queue, one list, buffers, and a look at the messages.
 * Failures of set-up end the test (assert). */
#ifndef CDXR_TESTS_HELPERS_GPU_H
#define CDXR_TESTS_HELPERS_GPU_H

#define COBJMACROS
#include <stdbool.h>
#include <wsl/winadapter.h>

#include <directx/d3d12.h>
#include <directx/d3d12sdklayers.h>

struct gpu {
    ID3D12Device5 *device;
    ID3D12InfoQueue *messages; /* muted on the log */
    ID3D12CommandQueue *queue; /* DIRECT */
    ID3D12CommandAllocator *allocator;
    ID3D12GraphicsCommandList4 *list; /* recording */
    ID3D12Fence *fence;
    UINT64 fence_value;
};

void gpu_init(struct gpu *gpu);
void gpu_finish(struct gpu *gpu);
/* Close, execute, wait for the end, reset allocator and list. */
void gpu_run(struct gpu *gpu);
/* Signal the queue and wait for it. */
void gpu_wait(struct gpu *gpu);

/* Buffer in the state its heap asks for; DEFAULT buffers in COMMON with unordered access. */
ID3D12Resource *gpu_buffer(struct gpu *gpu, D3D12_HEAP_TYPE heap, UINT64 bytes);
/* A buffer that holds acceleration structures. */
ID3D12Resource *gpu_structure_buffer(struct gpu *gpu, UINT64 bytes);
/* Upload buffer with content. */
ID3D12Resource *gpu_upload(struct gpu *gpu, const void *data, UINT64 bytes);
/* Texture in the DEFAULT heap, COMMON. */
ID3D12Resource *gpu_texture(struct gpu *gpu, const D3D12_RESOURCE_DESC *desc);
/* Bytes of a readback buffer. */
void gpu_read(ID3D12Resource *readback, UINT64 offset, void *out, UINT64 bytes);

/* Messages stored since the last gpu_forget_messages. */
UINT64 gpu_message_count(struct gpu *gpu);
/* Is there a message that holds all of text? */
bool gpu_has_message(struct gpu *gpu, const char *text);
void gpu_forget_messages(struct gpu *gpu);
/* Prints all of them to stderr. */
void gpu_print_messages(struct gpu *gpu);

#endif
