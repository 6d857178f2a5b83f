/* SPDX-License-Identifier: MIT
 * The executor removes a device with one text that names command, list, shader and thread. That text is handed out as
 * the context of one breadcrumb, a marker that was begun and not ended. */
#include "d3d12/dred.h"

#include <stdlib.h>
#include <string.h>

#include "com/text.h"

#define DXGI_ERROR_NOT_CURRENTLY_AVAILABLE ((HRESULT)0x887A0022L)

struct d3d12_dred {
    HRESULT reason;
    WCHAR *text;
    UINT last_value; /* 0: the breadcrumb did not complete */
    D3D12_AUTO_BREADCRUMB_OP history[1];
    D3D12_DRED_BREADCRUMB_CONTEXT context;
    D3D12_AUTO_BREADCRUMB_NODE node;
    D3D12_AUTO_BREADCRUMB_NODE1 node1;
};

void d3d12_dred_record(struct d3d12_device *device, HRESULT reason, const char *text)
{
    struct d3d12_dred *dred = calloc(1, sizeof(*dred));
    if (!dred)
        return;
    dred->reason = reason;
    dred->text = com_text_to_wide(text);
    dred->history[0] = D3D12_AUTO_BREADCRUMB_OP_SETMARKER;
    dred->context = (D3D12_DRED_BREADCRUMB_CONTEXT){.BreadcrumbIndex = 0, .pContextString = dred->text};
    dred->node = (D3D12_AUTO_BREADCRUMB_NODE){
        .BreadcrumbCount = 1, .pLastBreadcrumbValue = &dred->last_value, .pCommandHistory = dred->history};
    dred->node1 = (D3D12_AUTO_BREADCRUMB_NODE1){.BreadcrumbCount = 1,
                                                .pLastBreadcrumbValue = &dred->last_value,
                                                .pCommandHistory = dred->history,
                                                .BreadcrumbContextsCount = dred->text != NULL,
                                                .pBreadcrumbContexts = &dred->context};
    atomic_store_explicit(&device->dred, dred, memory_order_release);
}

void d3d12_dred_finish(struct d3d12_device *device)
{
    struct d3d12_dred *dred = atomic_load(&device->dred);
    if (dred)
        free(dred->text);
    free(dred);
}

COM_UNKNOWN_METHODS_AT(dred, ID3D12DeviceRemovedExtendedData2, d3d12_device, dred_data)

/* NULL while the device works. */
static const struct d3d12_dred *dred_of(ID3D12DeviceRemovedExtendedData2 *self)
{
    struct d3d12_device *device = (struct d3d12_device *)dred_object(self);
    return atomic_load_explicit(&device->dred, memory_order_acquire);
}

static HRESULT STDMETHODCALLTYPE dred_GetAutoBreadcrumbsOutput(ID3D12DeviceRemovedExtendedData2 *self,
                                                               D3D12_DRED_AUTO_BREADCRUMBS_OUTPUT *out)
{
    const struct d3d12_dred *dred = dred_of(self);
    if (!out)
        return E_INVALIDARG;
    out->pHeadAutoBreadcrumbNode = dred ? &dred->node : NULL;
    return dred ? S_OK : DXGI_ERROR_NOT_CURRENTLY_AVAILABLE;
}

static HRESULT STDMETHODCALLTYPE dred_GetAutoBreadcrumbsOutput1(ID3D12DeviceRemovedExtendedData2 *self,
                                                                D3D12_DRED_AUTO_BREADCRUMBS_OUTPUT1 *out)
{
    const struct d3d12_dred *dred = dred_of(self);
    if (!out)
        return E_INVALIDARG;
    out->pHeadAutoBreadcrumbNode = dred ? &dred->node1 : NULL;
    return dred ? S_OK : DXGI_ERROR_NOT_CURRENTLY_AVAILABLE;
}

/* Addresses are checked before they are used, so there are no page faults to tell of: an address of 0. */
static HRESULT page_fault(ID3D12DeviceRemovedExtendedData2 *self, void *out, size_t byte_count)
{
    if (!out)
        return E_INVALIDARG;
    memset(out, 0, byte_count);
    return dred_of(self) ? S_OK : DXGI_ERROR_NOT_CURRENTLY_AVAILABLE;
}

static HRESULT STDMETHODCALLTYPE dred_GetPageFaultAllocationOutput(ID3D12DeviceRemovedExtendedData2 *self,
                                                                   D3D12_DRED_PAGE_FAULT_OUTPUT *out)
{
    return page_fault(self, out, sizeof(*out));
}

static HRESULT STDMETHODCALLTYPE dred_GetPageFaultAllocationOutput1(ID3D12DeviceRemovedExtendedData2 *self,
                                                                    D3D12_DRED_PAGE_FAULT_OUTPUT1 *out)
{
    return page_fault(self, out, sizeof(*out));
}

static HRESULT STDMETHODCALLTYPE dred_GetPageFaultAllocationOutput2(ID3D12DeviceRemovedExtendedData2 *self,
                                                                    D3D12_DRED_PAGE_FAULT_OUTPUT2 *out)
{
    return page_fault(self, out, sizeof(*out));
}

static D3D12_DRED_DEVICE_STATE STDMETHODCALLTYPE dred_GetDeviceState(ID3D12DeviceRemovedExtendedData2 *self)
{
    const struct d3d12_dred *dred = dred_of(self);
    if (!dred)
        return D3D12_DRED_DEVICE_STATE_UNKNOWN;
    return dred->reason == DXGI_ERROR_DEVICE_HUNG ? D3D12_DRED_DEVICE_STATE_HUNG : D3D12_DRED_DEVICE_STATE_FAULT;
}

static const ID3D12DeviceRemovedExtendedData2Vtbl dred_vtbl = {
    COM_UNKNOWN_ENTRIES(dred),
    dred_GetAutoBreadcrumbsOutput,
    dred_GetPageFaultAllocationOutput,
    dred_GetAutoBreadcrumbsOutput1,
    dred_GetPageFaultAllocationOutput1,
    dred_GetPageFaultAllocationOutput2,
    dred_GetDeviceState,
};

void d3d12_dred_init(struct d3d12_device *device)
{
    device->dred_data.vtable = &dred_vtbl;
}
