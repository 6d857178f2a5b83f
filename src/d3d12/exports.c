/* SPDX-License-Identifier: MIT
 * The functions that the library exports under D3D12's and DXCore's names (src/exports.map). */
#include "base/log.h"
#include "d3d12/adapter.h"
#include "d3d12/debug.h"
#include "d3d12/device.h"
#include "d3d12/root_signature_desc.h"
#include "d3d12/sdk_configuration.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT HRESULT WINAPI D3D12CreateDevice(IUnknown *adapter, D3D_FEATURE_LEVEL level, REFIID riid, void **out)
{
    if (out)
        *out = NULL;
    if (adapter && !d3d12_adapter_is_ours(adapter)) {
        log_warn("D3D12CreateDevice: pAdapter is no adapter of this library; use DXCoreCreateAdapterFactory or NULL");
        return DXGI_ERROR_UNSUPPORTED;
    }
    bool known = level == D3D_FEATURE_LEVEL_1_0_CORE || level == D3D_FEATURE_LEVEL_11_0 ||
                 level == D3D_FEATURE_LEVEL_11_1 || level == D3D_FEATURE_LEVEL_12_0 ||
                 level == D3D_FEATURE_LEVEL_12_1 || level == D3D_FEATURE_LEVEL_12_2;
    if (!known) {
        log_warn("D3D12CreateDevice: MinimumFeatureLevel 0x%x must be 11_0 to 12_2 (or 1_0_CORE)", level);
        return E_INVALIDARG;
    }
    struct d3d12_device *device;
    HRESULT result = d3d12_device_acquire(&device);
    if (FAILED(result))
        return result;
    return com_object_return(&device->object, riid, out);
}

EXPORT HRESULT WINAPI D3D12GetDebugInterface(REFIID riid, void **out)
{
    return d3d12_debug_get_interface(riid, out);
}

EXPORT HRESULT WINAPI D3D12SerializeRootSignature(const D3D12_ROOT_SIGNATURE_DESC *desc,
                                                  D3D_ROOT_SIGNATURE_VERSION version, ID3DBlob **blob,
                                                  ID3DBlob **error_blob)
{
    if (error_blob)
        *error_blob = NULL;
    if (!desc || !blob || version != D3D_ROOT_SIGNATURE_VERSION_1) {
        log_warn("D3D12SerializeRootSignature: pRootSignature and ppBlob must not be NULL and Version %d must be 1.0",
                 version);
        return E_INVALIDARG;
    }
    D3D12_VERSIONED_ROOT_SIGNATURE_DESC versioned = {.Version = version, .Desc_1_0 = *desc};
    return d3d12_root_signature_serialize(&versioned, blob, error_blob);
}

EXPORT HRESULT WINAPI D3D12SerializeVersionedRootSignature(const D3D12_VERSIONED_ROOT_SIGNATURE_DESC *desc,
                                                           ID3DBlob **blob, ID3DBlob **error_blob)
{
    if (error_blob)
        *error_blob = NULL;
    if (!desc || !blob) {
        log_warn("D3D12SerializeVersionedRootSignature: pRootSignature or ppBlob is NULL");
        return E_INVALIDARG;
    }
    return d3d12_root_signature_serialize(desc, blob, error_blob);
}

EXPORT HRESULT WINAPI D3D12CreateRootSignatureDeserializer(LPCVOID bytes, SIZE_T byte_count, REFIID riid, void **out)
{
    return d3d12_root_signature_deserializer_create(bytes, byte_count, false, riid, out);
}

EXPORT HRESULT WINAPI D3D12CreateVersionedRootSignatureDeserializer(LPCVOID bytes, SIZE_T byte_count, REFIID riid,
                                                                    void **out)
{
    return d3d12_root_signature_deserializer_create(bytes, byte_count, true, riid, out);
}

/* Experimental shader models need no switch here: what the compiler knows is always on. */
EXPORT HRESULT WINAPI D3D12EnableExperimentalFeatures(UINT count, const IID *iids, void *configurations,
                                                      UINT *configuration_bytes)
{
    static const IID shader_models = {
        0x76f5573e, 0xf13a, 0x40f5, {0xb2, 0x97, 0x81, 0xce, 0x9e, 0x18, 0x93, 0x3f}};
    if (count && !iids)
        return E_INVALIDARG;
    for (UINT i = 0; i < count; i++)
        if (!com_iid_equal(&iids[i], &shader_models)) {
            log_warn("D3D12EnableExperimentalFeatures: pIIDs[%u] {%08x-...} is no feature of this library", i,
                     iids[i].Data1);
            return E_NOINTERFACE;
        }
    return S_OK;
}

EXPORT HRESULT WINAPI D3D12GetInterface(REFCLSID clsid, REFIID riid, void **out)
{
    if (out)
        *out = NULL;
    if (!clsid)
        return E_INVALIDARG;
    if (com_iid_equal(clsid, &CLSID_D3D12Debug))
        return d3d12_debug_get_interface(riid, out);
    if (com_iid_equal(clsid, &CLSID_D3D12DeviceRemovedExtendedData))
        return d3d12_dred_settings_get_interface(riid, out);
    if (com_iid_equal(clsid, &CLSID_D3D12SDKConfiguration) || com_iid_equal(clsid, &CLSID_D3D12DeviceFactory))
        return d3d12_sdk_configuration_get_interface(clsid, riid, out);
    log_warn("D3D12GetInterface: class {%08x-...} is not known", clsid->Data1);
    return E_NOINTERFACE;
}

EXPORT HRESULT WINAPI DXCoreCreateAdapterFactory(REFIID riid, void **out);
HRESULT WINAPI DXCoreCreateAdapterFactory(REFIID riid, void **out)
{
    return d3d12_adapter_factory_create(riid, out);
}
