/* SPDX-License-Identifier: MIT
 * From D3D12's build descriptions to accel/build.h. Used by prebuild queries and by command lists. */
#ifndef CDXR_D3D12_ACCELERATION_STRUCTURE_H
#define CDXR_D3D12_ACCELERATION_STRUCTURE_H

#include "accel/build.h"
#include "base/arena.h"
#include "d3d12/device.h"

/* A copy in the arena of all that the description points at on the CPU; NULL with a reason: out of memory
 * (STATUS_OUT_OF_MEMORY) or a field that is not defined (STATUS_INVALID). */
MUST_USE enum status d3d12_build_inputs_translate(struct arena *arena,
                                                  const D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS *inputs,
                                                  const struct accel_build_inputs **out, struct reason *reason);

#endif
