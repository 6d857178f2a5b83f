/* SPDX-License-Identifier: MIT
 * ID3D12Fence1 over exec/queue.h. */
#ifndef CDXR_D3D12_FENCE_H
#define CDXR_D3D12_FENCE_H

#include "d3d12/device.h"
#include "exec/queue.h"

struct d3d12_fence {
    struct com_object object; /* ID3D12Fence1 */
    struct exec_fence *fence;
    D3D12_FENCE_FLAGS flags;
};

extern const ID3D12Fence1Vtbl d3d12_fence_vtbl;

/* NULL: NULL or not one of our fences. */
static inline struct d3d12_fence *d3d12_fence_from(const void *fence)
{
    return com_object_from_interface(fence, &d3d12_fence_vtbl);
}

#endif
