/* SPDX-License-Identifier: MIT
 * ID3D12SDKConfiguration1 and ID3D12DeviceFactory: the library is one version; choosing another is accepted and changes
 * nothing, so that programs that ship an SDK path run. */
#ifndef CDXR_D3D12_SDK_CONFIGURATION_H
#define CDXR_D3D12_SDK_CONFIGURATION_H

#include "d3d12/device.h"

HRESULT d3d12_sdk_configuration_get_interface(REFCLSID clsid, REFIID riid, void **out);

/* Put the vtable of ID3D12DeviceConfiguration into device. */
void d3d12_device_configuration_init(struct d3d12_device *device);

#endif
