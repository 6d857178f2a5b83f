/* SPDX-License-Identifier: MIT
 * Process-wide debug settings: ID3D12Debug..6, DRED settings, and ID3D12DebugDevice of a device. The objects are static:
 * their counts never destroy anything. */
#include "d3d12/debug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/log.h"

static _Atomic int debug_state; /* 0: as CDXR_DEBUG says; 1: on; -1: off */

bool d3d12_debug_is_enabled(void)
{
    int state = atomic_load(&debug_state);
    if (state)
        return state > 0;
    return environment_flag("CDXR_DEBUG");
}

/* --- ID3D12Debug6 and the two branches that are no prefix of it --- */

struct debug_object {
    struct com_object object;    /* ID3D12Debug6 */
    struct com_interface debug1; /* ID3D12Debug1: other method order */
    struct com_interface debug2; /* ID3D12Debug2 */
};

static void never_destroyed(struct com_object *object)
{
}

COM_UNKNOWN_METHODS(debug, ID3D12Debug6)
COM_UNKNOWN_METHODS_AT(debug1, ID3D12Debug1, debug_object, debug1)
COM_UNKNOWN_METHODS_AT(debug2, ID3D12Debug2, debug_object, debug2)

static void STDMETHODCALLTYPE debug_EnableDebugLayer(ID3D12Debug6 *self)
{
    atomic_store(&debug_state, 1);
}

static void STDMETHODCALLTYPE debug_DisableDebugLayer(ID3D12Debug6 *self)
{
    atomic_store(&debug_state, -1);
}

/* Everything that GPU-based validation would find is always checked; work is always in order. */
static void STDMETHODCALLTYPE debug_SetEnableGPUBasedValidation(ID3D12Debug6 *self, BOOL enable)
{
}

static void STDMETHODCALLTYPE debug_SetEnableSynchronizedCommandQueueValidation(ID3D12Debug6 *self, BOOL enable)
{
}

static void STDMETHODCALLTYPE debug_SetGPUBasedValidationFlags(ID3D12Debug6 *self,
                                                               D3D12_GPU_BASED_VALIDATION_FLAGS flags)
{
}

static void STDMETHODCALLTYPE debug_SetEnableAutoName(ID3D12Debug6 *self, BOOL enable)
{
}

static void STDMETHODCALLTYPE debug_SetForceLegacyBarrierValidation(ID3D12Debug6 *self, BOOL enable)
{
}

static void STDMETHODCALLTYPE debug1_EnableDebugLayer(ID3D12Debug1 *self)
{
    atomic_store(&debug_state, 1);
}

static void STDMETHODCALLTYPE debug1_SetEnableGPUBasedValidation(ID3D12Debug1 *self, BOOL enable)
{
}

static void STDMETHODCALLTYPE debug1_SetEnableSynchronizedCommandQueueValidation(ID3D12Debug1 *self, BOOL enable)
{
}

static void STDMETHODCALLTYPE debug2_SetGPUBasedValidationFlags(ID3D12Debug2 *self,
                                                                D3D12_GPU_BASED_VALIDATION_FLAGS flags)
{
}

static const ID3D12Debug6Vtbl debug_vtbl = {
    COM_UNKNOWN_ENTRIES(debug),
    debug_EnableDebugLayer,
    debug_SetEnableGPUBasedValidation,
    debug_SetEnableSynchronizedCommandQueueValidation,
    debug_SetGPUBasedValidationFlags,
    debug_DisableDebugLayer,
    debug_SetEnableAutoName,
    debug_SetForceLegacyBarrierValidation,
};
static const ID3D12Debug1Vtbl debug1_vtbl = {
    COM_UNKNOWN_ENTRIES(debug1),
    debug1_EnableDebugLayer,
    debug1_SetEnableGPUBasedValidation,
    debug1_SetEnableSynchronizedCommandQueueValidation,
};
static const ID3D12Debug2Vtbl debug2_vtbl = {COM_UNKNOWN_ENTRIES(debug2), debug2_SetGPUBasedValidationFlags};

static const struct com_iid_offset debug_interfaces[] = {
    {&IID_ID3D12Debug, 0},
    {&IID_ID3D12Debug3, 0},
    {&IID_ID3D12Debug4, 0},
    {&IID_ID3D12Debug5, 0},
    {&IID_ID3D12Debug6, 0},
    {&IID_ID3D12Debug1, offsetof(struct debug_object, debug1)},
    {&IID_ID3D12Debug2, offsetof(struct debug_object, debug2)},
};
static const struct com_class debug_class = {
    .name = "ID3D12Debug",
    .interfaces = debug_interfaces,
    .interface_count = ARRAY_COUNT(debug_interfaces),
    .destroy = never_destroyed,
};
static struct debug_object debug_object = {
    .object = {.vtable = &debug_vtbl, .class = &debug_class, .app_count = 0, .internal_count = 1},
    .debug1 = {&debug1_vtbl},
    .debug2 = {&debug2_vtbl},
};

/* --- DRED settings --- */

COM_UNKNOWN_METHODS(dred, ID3D12DeviceRemovedExtendedDataSettings2)

/* The text of a removal is always kept, so there is nothing to switch. */
static void STDMETHODCALLTYPE dred_SetAutoBreadcrumbsEnablement(ID3D12DeviceRemovedExtendedDataSettings2 *self,
                                                                D3D12_DRED_ENABLEMENT enablement)
{
}

static void STDMETHODCALLTYPE dred_SetPageFaultEnablement(ID3D12DeviceRemovedExtendedDataSettings2 *self,
                                                          D3D12_DRED_ENABLEMENT enablement)
{
}

static void STDMETHODCALLTYPE dred_SetWatsonDumpEnablement(ID3D12DeviceRemovedExtendedDataSettings2 *self,
                                                           D3D12_DRED_ENABLEMENT enablement)
{
}

static void STDMETHODCALLTYPE dred_SetBreadcrumbContextEnablement(ID3D12DeviceRemovedExtendedDataSettings2 *self,
                                                                  D3D12_DRED_ENABLEMENT enablement)
{
}

static void STDMETHODCALLTYPE dred_UseMarkersOnlyAutoBreadcrumbs(ID3D12DeviceRemovedExtendedDataSettings2 *self,
                                                                 BOOL markers_only)
{
}

static const ID3D12DeviceRemovedExtendedDataSettings2Vtbl dred_vtbl = {
    COM_UNKNOWN_ENTRIES(dred),
    dred_SetAutoBreadcrumbsEnablement,
    dred_SetPageFaultEnablement,
    dred_SetWatsonDumpEnablement,
    dred_SetBreadcrumbContextEnablement,
    dred_UseMarkersOnlyAutoBreadcrumbs,
};
static const struct com_iid_offset dred_interfaces[] = {
    {&IID_ID3D12DeviceRemovedExtendedDataSettings, 0},
    {&IID_ID3D12DeviceRemovedExtendedDataSettings1, 0},
    {&IID_ID3D12DeviceRemovedExtendedDataSettings2, 0},
};
static const struct com_class dred_class = {
    .name = "ID3D12DeviceRemovedExtendedDataSettings",
    .interfaces = dred_interfaces,
    .interface_count = ARRAY_COUNT(dred_interfaces),
    .destroy = never_destroyed,
};
static struct com_object dred_object = {
    .vtable = &dred_vtbl, .class = &dred_class, .app_count = 0, .internal_count = 1};

HRESULT d3d12_debug_get_interface(REFIID riid, void **out)
{
    if (!out)
        return S_FALSE;
    HRESULT result = com_object_query_interface(&debug_object.object, riid, out);
    return SUCCEEDED(result) ? result : com_object_query_interface(&dred_object, riid, out);
}

HRESULT d3d12_dred_settings_get_interface(REFIID riid, void **out)
{
    return out ? com_object_query_interface(&dred_object, riid, out) : S_FALSE;
}

/* --- ID3D12DebugDevice2 of a device --- */

COM_UNKNOWN_METHODS_AT(debug_device, ID3D12DebugDevice2, d3d12_device, debug_device)

static HRESULT STDMETHODCALLTYPE debug_device_SetFeatureMask(ID3D12DebugDevice2 *self, D3D12_DEBUG_FEATURE mask)
{
    return S_OK;
}

static D3D12_DEBUG_FEATURE STDMETHODCALLTYPE debug_device_GetFeatureMask(ID3D12DebugDevice2 *self)
{
    return D3D12_DEBUG_FEATURE_NONE;
}

static HRESULT STDMETHODCALLTYPE debug_device_ReportLiveDeviceObjects(ID3D12DebugDevice2 *self, D3D12_RLDO_FLAGS flags)
{
    struct com_object *object = debug_device_object(self);
    struct d3d12_device *device = (struct d3d12_device *)object;
    char text[160];
    snprintf(text, sizeof(text), "live device '%s': Refcount %u, references of the library %u", com_object_name(object),
             atomic_load(&object->app_count), atomic_load(&object->internal_count));
    message_write_raw(device->messages, MESSAGE_CATEGORY_STATE_CREATION, MESSAGE_SEVERITY_INFO,
                      D3D12_MESSAGE_ID_LIVE_OBJECT_SUMMARY, text);
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE debug_device_SetDebugParameter(ID3D12DebugDevice2 *self,
                                                                D3D12_DEBUG_DEVICE_PARAMETER_TYPE type,
                                                                const void *data, UINT byte_count)
{
    return data && byte_count ? S_OK : E_INVALIDARG;
}

static HRESULT STDMETHODCALLTYPE debug_device_GetDebugParameter(ID3D12DebugDevice2 *self,
                                                                D3D12_DEBUG_DEVICE_PARAMETER_TYPE type, void *data,
                                                                UINT byte_count)
{
    if (!data || !byte_count)
        return E_INVALIDARG;
    memset(data, 0, byte_count);
    return S_OK;
}

static const ID3D12DebugDevice2Vtbl debug_device_vtbl = {
    COM_UNKNOWN_ENTRIES(debug_device),     debug_device_SetFeatureMask,    debug_device_GetFeatureMask,
    debug_device_ReportLiveDeviceObjects,  debug_device_SetDebugParameter, debug_device_GetDebugParameter,
};

void d3d12_debug_device_init(struct d3d12_device *device)
{
    device->debug_device.vtable = &debug_device_vtbl;
}
