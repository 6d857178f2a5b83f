/* SPDX-License-Identifier: MIT
 * The device's one shader compiler, made when the first state object or pipeline state needs it. */
#ifndef CDXR_D3D12_SHADER_COMPILER_H
#define CDXR_D3D12_SHADER_COMPILER_H

#include "d3d12/device.h"

struct jit;

/* Thread-safe. The compiler lives as long as the device. */
MUST_USE enum status d3d12_shader_compiler_get(struct d3d12_device *device, struct jit **jit, struct reason *reason);

#endif
