/* SPDX-License-Identifier: MIT
 * VISUALIZATION_DECODE_FOR_TOOLS: a structure back to descriptions that a tool can show. Output:
 * D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_TOOLS_VISUALIZATION_HEADER (type, number of descriptions), then
 * D3D12_RAYTRACING_INSTANCE_DESC[] or D3D12_RAYTRACING_GEOMETRY_DESC[] with their data behind them: three float3 a
 * triangle, not indexed, or boxes of 24 bytes; inactive primitives have NaN. Addresses point into the output. */
#ifndef CDXR_ACCEL_DECODE_H
#define CDXR_ACCEL_DECODE_H

#include "accel/build.h"

uint64_t accel_decoded_bytes(const struct accel_header *structure);
MUST_USE enum status accel_decode(void *destination, uint64_t destination_bytes, const struct accel_header *source,
                                  struct reason *reason);

#endif
