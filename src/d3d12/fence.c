/* SPDX-License-Identifier: MIT
 * ID3D12Fence1. Event handles are eventfd descriptors cast to HANDLE; NULL blocks the caller. */
#include "d3d12/fence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "d3d12/create.h"

enum { MAX_FENCES = 1 << 16 };

static void fence_destroy(struct com_object *object)
{
    struct d3d12_fence *fence = (struct d3d12_fence *)object;
    exec_fence_destroy(fence->fence);
    com_object_finish(object);
    free(fence);
}

static const struct com_iid_offset fence_interfaces[] = {
    {&IID_ID3D12Object, 0},   {&IID_ID3D12DeviceChild, 0}, {&IID_ID3D12Pageable, 0},
    {&IID_ID3D12Fence, 0}, {&IID_ID3D12Fence1, 0},
};
static const struct com_class fence_class = {
    .name = "ID3D12Fence",
    .interfaces = fence_interfaces,
    .interface_count = ARRAY_COUNT(fence_interfaces),
    .destroy = fence_destroy,
};

/* The descriptor in an event handle, or -1 and a message. */
static int event_descriptor(struct d3d12_device *device, const char *call, HANDLE event)
{
    int descriptor = (int)(intptr_t)event;
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF)
        return descriptor;
    d3d12_fail(device, E_INVALIDARG, RULE_FENCE, "%s: hEvent is %d, it must be an open eventfd descriptor or NULL", call,
               descriptor);
    return -1;
}

COM_DEVICE_CHILD_METHODS(d3d12_fence, ID3D12Fence1)

static UINT64 STDMETHODCALLTYPE d3d12_fence_GetCompletedValue(ID3D12Fence1 *self)
{
    return exec_fence_value(d3d12_fence_from(self)->fence);
}

static HRESULT STDMETHODCALLTYPE d3d12_fence_SetEventOnCompletion(ID3D12Fence1 *self, UINT64 value, HANDLE event)
{
    struct d3d12_fence *fence = d3d12_fence_from(self);
    struct d3d12_device *device = d3d12_device_of(&fence->object);
    if (!event) {
        exec_fence_wait(fence->fence, value);
        return S_OK;
    }
    int descriptor = event_descriptor(device, "ID3D12Fence::SetEventOnCompletion", event);
    if (descriptor < 0)
        return E_INVALIDARG;
    return com_result_from_status(exec_fence_notify(fence->fence, value, descriptor));
}

static HRESULT STDMETHODCALLTYPE d3d12_fence_Signal(ID3D12Fence1 *self, UINT64 value)
{
    struct d3d12_fence *fence = d3d12_fence_from(self);
    if (d3d12_device_is_removed(d3d12_device_of(&fence->object)))
        return DXGI_ERROR_DEVICE_REMOVED;
    exec_fence_signal(fence->fence, value);
    return S_OK;
}

static D3D12_FENCE_FLAGS STDMETHODCALLTYPE d3d12_fence_GetCreationFlags(ID3D12Fence1 *self)
{
    return d3d12_fence_from(self)->flags;
}

const ID3D12Fence1Vtbl d3d12_fence_vtbl = {
    COM_DEVICE_CHILD_ENTRIES(d3d12_fence),
    /* ID3D12Fence */
    d3d12_fence_GetCompletedValue,
    d3d12_fence_SetEventOnCompletion,
    d3d12_fence_Signal,
    /* ID3D12Fence1 */
    d3d12_fence_GetCreationFlags,
};

HRESULT d3d12_fence_create(struct d3d12_device *device, UINT64 initial_value, D3D12_FENCE_FLAGS flags, REFIID riid,
                           void **out)
{
    const D3D12_FENCE_FLAGS known = D3D12_FENCE_FLAG_SHARED | D3D12_FENCE_FLAG_SHARED_CROSS_ADAPTER |
                                    D3D12_FENCE_FLAG_NON_MONITORED;
    if (flags & ~known)
        return d3d12_fail(device, E_INVALIDARG, RULE_FENCE, "CreateFence: Flags is 0x%x, bits 0x%x are not defined",
                          flags, flags & ~known);
    struct d3d12_fence *fence = calloc(1, sizeof(*fence));
    if (!fence)
        return E_OUTOFMEMORY;
    fence->flags = flags;
    enum status status = exec_fence_create(device->exec, initial_value, &fence->fence);
    if (status != STATUS_OK) {
        free(fence);
        return com_result_from_status(status);
    }
    com_object_init(&fence->object, &fence_class, &d3d12_fence_vtbl, &device->object);
    return com_object_return(&fence->object, riid, out);
}

HRESULT d3d12_fence_wait_multiple(struct d3d12_device *device, ID3D12Fence *const *fences, const UINT64 *values,
                                  UINT fence_count, D3D12_MULTIPLE_FENCE_WAIT_FLAGS flags, HANDLE event)
{
    const char *call = "SetEventOnMultipleFenceCompletion";
    if (!fences || !values || !fence_count || fence_count > MAX_FENCES)
        return d3d12_fail(device, E_INVALIDARG, RULE_FENCE,
                          "%s: ppFences and pFenceValues must be given and NumFences, %u, be 1 to %u", call,
                          fence_count, MAX_FENCES);
    if (flags & ~D3D12_MULTIPLE_FENCE_WAIT_FLAG_ANY)
        return d3d12_fail(device, E_INVALIDARG, RULE_FENCE, "%s: Flags 0x%x must be NONE or ANY", call, flags);
    int descriptor = event ? event_descriptor(device, call, event) : -1;
    if (event && descriptor < 0)
        return E_INVALIDARG;
    struct exec_fence **inner = calloc(fence_count, sizeof(*inner));
    if (!inner)
        return E_OUTOFMEMORY;
    HRESULT result = S_OK;
    for (UINT i = 0; i < fence_count && SUCCEEDED(result); i++) {
        struct d3d12_fence *fence = d3d12_fence_from(fences[i]);
        if (fence)
            inner[i] = fence->fence;
        else
            result = d3d12_fail(device, E_INVALIDARG, RULE_FENCE, "%s: ppFences[%u] is no fence", call, i);
    }
    if (SUCCEEDED(result))
        result = com_result_from_status(exec_fence_wait_multiple(
            device->exec, inner, values, fence_count, !(flags & D3D12_MULTIPLE_FENCE_WAIT_FLAG_ANY), descriptor));
    free(inner);
    return result;
}
