/* SPDX-License-Identifier: MIT */
#include "d3d12/sdk_configuration.h"

#include "com/object.h"

static void never_destroyed(struct com_object *object)
{
}

/* --- ID3D12DeviceFactory --- */

COM_UNKNOWN_METHODS(factory, ID3D12DeviceFactory)

static _Atomic int factory_flags;

static HRESULT STDMETHODCALLTYPE factory_InitializeFromGlobalState(ID3D12DeviceFactory *self)
{
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE factory_ApplyToGlobalState(ID3D12DeviceFactory *self)
{
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE factory_SetFlags(ID3D12DeviceFactory *self, D3D12_DEVICE_FACTORY_FLAGS flags)
{
    atomic_store(&factory_flags, (int)flags);
    return S_OK;
}

static D3D12_DEVICE_FACTORY_FLAGS STDMETHODCALLTYPE factory_GetFlags(ID3D12DeviceFactory *self)
{
    return (D3D12_DEVICE_FACTORY_FLAGS)atomic_load(&factory_flags);
}

static HRESULT STDMETHODCALLTYPE factory_GetConfigurationInterface(ID3D12DeviceFactory *self, REFCLSID clsid,
                                                                   REFIID iid, void **out)
{
    return D3D12GetInterface(clsid, iid, out);
}

static HRESULT STDMETHODCALLTYPE factory_EnableExperimentalFeatures(ID3D12DeviceFactory *self, UINT count,
                                                                    const IID *iids, void *configurations,
                                                                    UINT *configuration_bytes)
{
    return D3D12EnableExperimentalFeatures(count, iids, configurations, configuration_bytes);
}

static HRESULT STDMETHODCALLTYPE factory_CreateDevice(ID3D12DeviceFactory *self, IUnknown *adapter,
                                                      D3D_FEATURE_LEVEL level, REFIID riid, void **out)
{
    return D3D12CreateDevice(adapter, level, riid, out);
}

static const ID3D12DeviceFactoryVtbl factory_vtbl = {
    COM_UNKNOWN_ENTRIES(factory),
    factory_InitializeFromGlobalState,
    factory_ApplyToGlobalState,
    factory_SetFlags,
    factory_GetFlags,
    factory_GetConfigurationInterface,
    factory_EnableExperimentalFeatures,
    factory_CreateDevice,
};
static const struct com_iid_offset factory_interfaces[] = {{&IID_ID3D12DeviceFactory, 0}};
static const struct com_class factory_class = {"ID3D12DeviceFactory", factory_interfaces, 1, never_destroyed};
static struct com_object factory_object = {
    .vtable = &factory_vtbl, .class = &factory_class, .app_count = 0, .internal_count = 1};

/* --- ID3D12SDKConfiguration1 --- */

COM_UNKNOWN_METHODS(configuration, ID3D12SDKConfiguration1)

static HRESULT STDMETHODCALLTYPE configuration_SetSDKVersion(ID3D12SDKConfiguration1 *self, UINT version, LPCSTR path)
{
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE configuration_CreateDeviceFactory(ID3D12SDKConfiguration1 *self, UINT version,
                                                                   LPCSTR path, REFIID riid, void **out)
{
    return com_object_query_interface(&factory_object, riid, out);
}

static void STDMETHODCALLTYPE configuration_FreeUnusedSDKs(ID3D12SDKConfiguration1 *self)
{
}

static const ID3D12SDKConfiguration1Vtbl configuration_vtbl = {
    COM_UNKNOWN_ENTRIES(configuration),
    configuration_SetSDKVersion,
    configuration_CreateDeviceFactory,
    configuration_FreeUnusedSDKs,
};
static const struct com_iid_offset configuration_interfaces[] = {{&IID_ID3D12SDKConfiguration, 0},
                                                                 {&IID_ID3D12SDKConfiguration1, 0}};
static const struct com_class configuration_class = {"ID3D12SDKConfiguration", configuration_interfaces, 2,
                                                     never_destroyed};
static struct com_object configuration_object = {
    .vtable = &configuration_vtbl, .class = &configuration_class, .app_count = 0, .internal_count = 1};

HRESULT d3d12_sdk_configuration_get_interface(REFCLSID clsid, REFIID riid, void **out)
{
    bool is_factory = com_iid_equal(clsid, &CLSID_D3D12DeviceFactory);
    return com_object_query_interface(is_factory ? &factory_object : &configuration_object, riid, out);
}

/* --- ID3D12DeviceConfiguration of a device --- */

COM_UNKNOWN_METHODS_AT(device_configuration, ID3D12DeviceConfiguration, d3d12_device, configuration)

static D3D12_DEVICE_CONFIGURATION_DESC STDMETHODCALLTYPE
device_configuration_GetDesc(ID3D12DeviceConfiguration *self)
{
    struct d3d12_device *device = (struct d3d12_device *)device_configuration_object(self);
    D3D12_DEVICE_CONFIGURATION_DESC desc = {.SDKVersion = D3D12_SDK_VERSION};
    if (message_store_is_debug(device->messages))
        desc.Flags = D3D12_DEVICE_FLAG_DEBUG_LAYER_ENABLED;
    return desc;
}

static HRESULT STDMETHODCALLTYPE
device_configuration_GetEnabledExperimentalFeatures(ID3D12DeviceConfiguration *self, GUID *guids, UINT guid_count)
{
    return guid_count == 0 ? S_OK : E_INVALIDARG;
}

static HRESULT STDMETHODCALLTYPE device_configuration_SerializeVersionedRootSignature(
    ID3D12DeviceConfiguration *self, const D3D12_VERSIONED_ROOT_SIGNATURE_DESC *desc, ID3DBlob **blob,
    ID3DBlob **error_blob)
{
    return D3D12SerializeVersionedRootSignature(desc, blob, error_blob);
}

static HRESULT STDMETHODCALLTYPE device_configuration_CreateVersionedRootSignatureDeserializer(
    ID3D12DeviceConfiguration *self, const void *bytes, SIZE_T byte_count, REFIID riid, void **out)
{
    return D3D12CreateVersionedRootSignatureDeserializer(bytes, byte_count, riid, out);
}

static const ID3D12DeviceConfigurationVtbl device_configuration_vtbl = {
    COM_UNKNOWN_ENTRIES(device_configuration),
    device_configuration_GetDesc,
    device_configuration_GetEnabledExperimentalFeatures,
    device_configuration_SerializeVersionedRootSignature,
    device_configuration_CreateVersionedRootSignatureDeserializer,
};

void d3d12_device_configuration_init(struct d3d12_device *device)
{
    device->configuration.vtable = &device_configuration_vtbl;
}
