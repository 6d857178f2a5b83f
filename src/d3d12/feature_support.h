/* SPDX-License-Identifier: MIT
 * ID3D12Device::CheckFeatureSupport. */
#ifndef CDXR_D3D12_FEATURE_SUPPORT_H
#define CDXR_D3D12_FEATURE_SUPPORT_H

#include "d3d12/device.h"

enum { D3D12_WAVE_LANE_COUNT_MIN = 4, D3D12_WAVE_LANE_COUNT_MAX = 128 }; /* jit/jit.h */

HRESULT d3d12_feature_check(struct d3d12_device *device, D3D12_FEATURE feature, void *data, UINT byte_count);

/* format_support.c: the two words of D3D12_FEATURE_DATA_FORMAT_SUPPORT. False: not a format. */
bool d3d12_format_support(DXGI_FORMAT format, D3D12_FORMAT_SUPPORT1 *support1, D3D12_FORMAT_SUPPORT2 *support2);

#endif
