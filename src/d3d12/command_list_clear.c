/* SPDX-License-Identifier: MIT
 * Clears, discards and immediate writes of a command list. CPU descriptors are read when recorded. */
#include <string.h>

#include "d3d12/command_list.h"
#include "d3d12/command_list_methods.h"

/* Append a clear of the view that a CPU handle names. values: four words. */
static void record_clear(struct d3d12_command_list *list, const char *call, uint32_t clear_kind, uint32_t clear_flags,
                         SIZE_T handle, const uint32_t values[4], UINT rect_count, const D3D12_RECT *rects)
{
    static const D3D12_DESCRIPTOR_HEAP_TYPE heap_types[] = {
        [EXEC_CLEAR_UAV_UINT] = D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV,
        [EXEC_CLEAR_UAV_FLOAT] = D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV,
        [EXEC_CLEAR_RTV] = D3D12_DESCRIPTOR_HEAP_TYPE_RTV,
        [EXEC_CLEAR_DSV] = D3D12_DESCRIPTOR_HEAP_TYPE_DSV,
    };
    const struct abi_descriptor *view =
        d3d12_descriptor_resolve(list_device(list), call, handle, 1, heap_types[clear_kind], NULL);
    bool is_fitting = view && ((clear_kind == EXEC_CLEAR_RTV && view->kind == ABI_DESCRIPTOR_RTV) ||
                               (clear_kind == EXEC_CLEAR_DSV && view->kind == ABI_DESCRIPTOR_DSV) ||
                               (clear_kind <= EXEC_CLEAR_UAV_FLOAT && view->is_uav));
    if (view && !is_fitting)
        list_fail(list, RULE_COMMAND_LIST_ARGUMENT, "%s: the descriptor at 0x%llx is no view of the kind that is needed",
                  call, (unsigned long long)handle);
    if (!is_fitting) {
        if (SUCCEEDED(list->error))
            list->error = E_INVALIDARG;
        return;
    }
    struct d3d12_resource *resource = d3d12_descriptor_resource(list_device(list), view);
    if (resource && !list_reference(list, &resource->object, &resource->memory))
        return;
    struct exec_clear_view *entry = exec_record_clear_view(list->stream, 0);
    const D3D12_RECT *copy = rect_count ? exec_stream_copy(list->stream, rects, rect_count * sizeof(rects[0])) : NULL;
    if (!entry || (rect_count && !copy)) {
        list_out_of_memory(list);
        return;
    }
    _Static_assert(sizeof(D3D12_RECT) == sizeof(struct exec_rect), "rectangles are passed on as they are");
    entry->clear_kind = clear_kind;
    entry->clear_flags = clear_flags;
    memcpy(entry->values, values, sizeof(entry->values));
    entry->rects = (const struct exec_rect *)copy;
    entry->rect_count = rect_count;
    entry->view = *view;
}

static bool arguments_are_there(struct d3d12_command_list *list, const char *call, const void *values, UINT rect_count,
                                const D3D12_RECT *rects)
{
    if (values && (!rect_count || rects))
        return true;
    list_fail(list, RULE_COMMAND_LIST_ARGUMENT, "%s: %s is NULL", call, values ? "pRects" : "the array of values");
    return false;
}

void STDMETHODCALLTYPE d3d12_command_list_ClearDepthStencilView(ID3D12GraphicsCommandList8 *self,
                                                                D3D12_CPU_DESCRIPTOR_HANDLE DepthStencilView,
                                                                D3D12_CLEAR_FLAGS ClearFlags, FLOAT Depth,
                                                                UINT8 Stencil, UINT NumRects, const D3D12_RECT *pRects)
{
    const char *call = "ClearDepthStencilView";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_NORMAL);
    uint32_t values[4] = {0, Stencil, 0, 0};
    memcpy(&values[0], &Depth, sizeof(Depth));
    if (list && arguments_are_there(list, call, values, NumRects, pRects))
        record_clear(list, call, EXEC_CLEAR_DSV, ClearFlags, DepthStencilView.ptr, values, NumRects, pRects);
}

void STDMETHODCALLTYPE d3d12_command_list_ClearRenderTargetView(ID3D12GraphicsCommandList8 *self,
                                                                D3D12_CPU_DESCRIPTOR_HANDLE RenderTargetView,
                                                                const FLOAT ColorRGBA[4], UINT NumRects,
                                                                const D3D12_RECT *pRects)
{
    const char *call = "ClearRenderTargetView";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_NORMAL);
    if (!list || !arguments_are_there(list, call, ColorRGBA, NumRects, pRects))
        return;
    uint32_t values[4];
    memcpy(values, ColorRGBA, sizeof(values));
    record_clear(list, call, EXEC_CLEAR_RTV, 0, RenderTargetView.ptr, values, NumRects, pRects);
}

static void clear_uav(ID3D12GraphicsCommandList8 *self, const char *call, uint32_t clear_kind,
                      D3D12_CPU_DESCRIPTOR_HANDLE cpu_handle, ID3D12Resource *resource, const void *values_bytes,
                      UINT rect_count, const D3D12_RECT *rects)
{
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_NORMAL);
    if (!list || !arguments_are_there(list, call, values_bytes, rect_count, rects) ||
        !list_resource(list, call, "pResource", resource))
        return;
    uint32_t values[4];
    memcpy(values, values_bytes, sizeof(values));
    record_clear(list, call, clear_kind, 0, cpu_handle.ptr, values, rect_count, rects);
}

void STDMETHODCALLTYPE d3d12_command_list_ClearUnorderedAccessViewUint(
    ID3D12GraphicsCommandList8 *self, D3D12_GPU_DESCRIPTOR_HANDLE ViewGPUHandleInCurrentHeap,
    D3D12_CPU_DESCRIPTOR_HANDLE ViewCPUHandle, ID3D12Resource *pResource, const UINT Values[4], UINT NumRects,
    const D3D12_RECT *pRects)
{
    clear_uav(self, "ClearUnorderedAccessViewUint", EXEC_CLEAR_UAV_UINT, ViewCPUHandle, pResource, Values, NumRects,
              pRects);
}

void STDMETHODCALLTYPE d3d12_command_list_ClearUnorderedAccessViewFloat(
    ID3D12GraphicsCommandList8 *self, D3D12_GPU_DESCRIPTOR_HANDLE ViewGPUHandleInCurrentHeap,
    D3D12_CPU_DESCRIPTOR_HANDLE ViewCPUHandle, ID3D12Resource *pResource, const FLOAT Values[4], UINT NumRects,
    const D3D12_RECT *pRects)
{
    clear_uav(self, "ClearUnorderedAccessViewFloat", EXEC_CLEAR_UAV_FLOAT, ViewCPUHandle, pResource, Values, NumRects,
              pRects);
}

/* The content becomes undefined: leaving it as it is fulfils that. */
void STDMETHODCALLTYPE d3d12_command_list_DiscardResource(ID3D12GraphicsCommandList8 *self, ID3D12Resource *pResource,
                                                          const D3D12_DISCARD_REGION *pRegion)
{
    const char *call = "DiscardResource";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_NORMAL);
    struct d3d12_resource *resource = list ? list_resource(list, call, "pResource", pResource) : NULL;
    if (resource && pRegion &&
        (pRegion->FirstSubresource > resource->memory.subresource_count ||
         resource->memory.subresource_count - pRegion->FirstSubresource < pRegion->NumSubresources))
        list_fail(list, RULE_COMMAND_LIST_ARGUMENT, "%s: subresources %u to %u are not in '%s', which has %u", call,
                  pRegion->FirstSubresource, pRegion->FirstSubresource + pRegion->NumSubresources,
                  com_object_name(&resource->object), resource->memory.subresource_count);
}

void STDMETHODCALLTYPE d3d12_command_list_WriteBufferImmediate(ID3D12GraphicsCommandList8 *self, UINT Count,
                                                               const D3D12_WRITEBUFFERIMMEDIATE_PARAMETER *pParams,
                                                               const D3D12_WRITEBUFFERIMMEDIATE_MODE *pModes)
{
    const char *call = "WriteBufferImmediate";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_ALL);
    if (!list || !Count)
        return;
    if (!pParams) {
        list_fail(list, RULE_COMMAND_LIST_ARGUMENT, "%s: pParams is NULL", call);
        return;
    }
    for (UINT i = 0; i < Count; i++)
        if (pParams[i].Dest % sizeof(UINT) ||
            exec_device_bytes_behind(list_device(list)->exec, pParams[i].Dest) < sizeof(UINT)) {
            list_fail(list, RULE_COMMAND_LIST_ARGUMENT,
                      "%s: pParams[%u].Dest is 0x%llx, it must be a multiple of 4 inside a buffer", call, i,
                      (unsigned long long)pParams[i].Dest);
            return;
        }
    for (UINT i = 0; pModes && i < Count; i++)
        if (pModes[i] < D3D12_WRITEBUFFERIMMEDIATE_MODE_DEFAULT || pModes[i] > D3D12_WRITEBUFFERIMMEDIATE_MODE_MARKER_OUT) {
            list_fail(list, RULE_COMMAND_LIST_ARGUMENT,
                      "%s: pModes[%u] is %d, it must be DEFAULT, MARKER_IN or MARKER_OUT", call, i, pModes[i]);
            return;
        }
    struct exec_write_immediate *entry = exec_record_write_immediate(list->stream, 0);
    struct exec_immediate *writes = list_allocate(list, Count * sizeof(*writes));
    if (!entry || !writes) {
        list_out_of_memory(list);
        return;
    }
    for (UINT i = 0; i < Count; i++)
        writes[i] = (struct exec_immediate){pParams[i].Dest, pParams[i].Value,
                                            pModes ? pModes[i] : D3D12_WRITEBUFFERIMMEDIATE_MODE_DEFAULT};
    entry->count = Count;
    entry->writes = writes;
}
