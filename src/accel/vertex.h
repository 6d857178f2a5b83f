/* SPDX-License-Identifier: MIT
 * The thirteen vertex formats of bottom-level inputs (Raytracing.md, D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC). Formats
 * without a z have z = 0; a fourth component is neither read nor checked, so its place may hold other data. */
#ifndef CDXR_ACCEL_VERTEX_H
#define CDXR_ACCEL_VERTEX_H

#include <stdint.h>

enum accel_vertex_format { /* DXGI_FORMAT */
    ACCEL_VERTEX_R32G32B32_FLOAT = 6,
    ACCEL_VERTEX_R16G16B16A16_FLOAT = 10,
    ACCEL_VERTEX_R16G16B16A16_UNORM = 11,
    ACCEL_VERTEX_R16G16B16A16_SNORM = 13,
    ACCEL_VERTEX_R32G32_FLOAT = 16,
    ACCEL_VERTEX_R10G10B10A2_UNORM = 24,
    ACCEL_VERTEX_R8G8B8A8_UNORM = 28,
    ACCEL_VERTEX_R8G8B8A8_SNORM = 31,
    ACCEL_VERTEX_R16G16_FLOAT = 34,
    ACCEL_VERTEX_R16G16_UNORM = 35,
    ACCEL_VERTEX_R16G16_SNORM = 37,
    ACCEL_VERTEX_R8G8_UNORM = 49,
    ACCEL_VERTEX_R8G8_SNORM = 51,
};

/* Alignment of address and stride: the component's bytes (the whole element's for R10G10B10A2). 0: no vertex format. */
uint32_t accel_vertex_alignment_bytes(uint32_t format);
/* Bytes that are read of one vertex. */
uint32_t accel_vertex_read_bytes(uint32_t format);
/* Any format but R32G32B32_FLOAT. */
void accel_vertex_read(uint32_t format, const void *address, float vertex[3]);

#endif
