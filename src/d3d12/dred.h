/* SPDX-License-Identifier: MIT
 * ID3D12DeviceRemovedExtendedData2 of the device: why it was removed, as breadcrumb with a text. */
#ifndef CDXR_D3D12_DRED_H
#define CDXR_D3D12_DRED_H

#include "d3d12/device.h"

/* Put the vtable into device. */
void d3d12_dred_init(struct d3d12_device *device);
/* Called once, when the device is removed: keep the reason. Out of memory: nothing is kept. */
void d3d12_dred_record(struct d3d12_device *device, HRESULT reason, const char *text);
void d3d12_dred_finish(struct d3d12_device *device);

#endif
