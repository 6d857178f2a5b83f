/* SPDX-License-Identifier: MIT
 * The one adapter: what DXCore says of it (dxcore.c). */
#ifndef CDXR_D3D12_ADAPTER_H
#define CDXR_D3D12_ADAPTER_H

#include "com/windows.h"

enum { D3D12_ADAPTER_VENDOR_ID = 0x1414, D3D12_ADAPTER_DEVICE_ID = 0xcd12 };

LUID d3d12_adapter_luid(void);
/* Is this pointer, which D3D12CreateDevice was given, our IDXCoreAdapter? */
bool d3d12_adapter_is_ours(IUnknown *adapter);
/* Bytes of memory that the process may use: RAM, or less where a control group limits it. */
uint64_t d3d12_adapter_memory_bytes(void);
/* The living device's committed bytes; 0 without one. */
uint64_t d3d12_adapter_used_bytes(void);

HRESULT d3d12_adapter_factory_create(REFIID riid, void **out);

#endif
