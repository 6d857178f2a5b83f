/* SPDX-License-Identifier: MIT
 * Settings of the process that D3D12GetDebugInterface and D3D12GetInterface hand out, and the device's debug
 * interfaces. */
#ifndef CDXR_D3D12_DEBUG_H
#define CDXR_D3D12_DEBUG_H

#include "d3d12/device.h"

/* Has the debug layer been switched on (EnableDebugLayer, or CDXR_DEBUG=1 in the environment)? */
bool d3d12_debug_is_enabled(void);
/* ID3D12Debug .. 6 and the DRED settings; E_NOINTERFACE otherwise. */
HRESULT d3d12_debug_get_interface(REFIID riid, void **out);

/* DRED settings alone (D3D12GetInterface with CLSID_D3D12DeviceRemovedExtendedData). */
HRESULT d3d12_dred_settings_get_interface(REFIID riid, void **out);

/* Put the info queue and debug device vtables into device. */
void d3d12_info_queue_init(struct d3d12_device *device);
void d3d12_debug_device_init(struct d3d12_device *device);

#endif
