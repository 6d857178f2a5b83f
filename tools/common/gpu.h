/* SPDX-License-Identifier: MIT
 * A small client of the public D3D12 API: device, queue, one command list that is executed and waited for, buffers,
 * textures, acceleration structures. Used by the cdxr program and by the tests; nothing here knows cdxr's insides.
 * Not thread-safe. Every function that can fail prints one line to stderr and returns false or NULL. */
#ifndef CDXR_TOOLS_GPU_H
#define CDXR_TOOLS_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef COBJMACROS
#define COBJMACROS
#endif
#include <wsl/winadapter.h>
#include <directx/d3d12.h>
#include <directx/d3d12sdklayers.h>

enum { GPU_MAX_KEPT = 4096 };

struct gpu {
    ID3D12Device5 *device;
    ID3D12CommandQueue *queue;
    ID3D12CommandAllocator *allocator;
    ID3D12GraphicsCommandList4 *list; /* always open between gpu_submit() calls */
    ID3D12Fence *fence;
    UINT64 fence_value;
    IUnknown **kept; /* upload buffers and scratch, released after the next submit */
    size_t kept_count, kept_capacity;
};

/* Prints the messages of the debug layer as they come when debug is true. */
bool gpu_init(struct gpu *gpu, bool debug);
void gpu_finish(struct gpu *gpu);

/* Close, execute, wait, reset. False when a call failed or the device was removed. */
bool gpu_submit(struct gpu *gpu);

/* Ownership of object goes to gpu, which releases it after the next submit. */
void gpu_keep(struct gpu *gpu, void *object);

/* Committed buffer; data (may be NULL) is copied in by the open list for default heaps, directly for upload heaps. */
ID3D12Resource *gpu_buffer(struct gpu *gpu, D3D12_HEAP_TYPE heap, UINT64 byte_count, D3D12_RESOURCE_FLAGS flags,
                           D3D12_RESOURCE_STATES state, const void *data);
/* Copy data into a default-heap buffer by the open list. */
bool gpu_buffer_write(struct gpu *gpu, ID3D12Resource *buffer, UINT64 offset, const void *data, UINT64 byte_count);
/* Submit and read byte_count bytes. */
bool gpu_buffer_read(struct gpu *gpu, ID3D12Resource *buffer, UINT64 offset, void *data, UINT64 byte_count);

/* Texture in a default heap. */
ID3D12Resource *gpu_texture(struct gpu *gpu, const D3D12_RESOURCE_DESC *desc, D3D12_RESOURCE_STATES state);
/* Write or read one subresource as tightly packed rows (row_bytes = bytes of a packed row); the open list copies. */
bool gpu_texture_write(struct gpu *gpu, ID3D12Resource *texture, UINT subresource, const void *data);
bool gpu_texture_read(struct gpu *gpu, ID3D12Resource *texture, UINT subresource, void *data);
/* Bytes of a subresource packed without row padding. */
UINT64 gpu_texture_bytes(struct gpu *gpu, ID3D12Resource *texture, UINT subresource);

/* Build on the open list; returns the structure's buffer. Scratch is kept until the next submit. */
ID3D12Resource *gpu_build(struct gpu *gpu, const D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS *inputs);

/* "0x80070057 (E_INVALIDARG)" and the like; static storage per thread. */
const char *gpu_result_text(HRESULT result);

#endif
