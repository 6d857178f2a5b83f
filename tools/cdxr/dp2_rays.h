/* SPDX-License-Identifier: MIT
 * Rays through DispatchRays: a scene of triangle geometries, a batch of rays, and which triangle each hits. A client of the public
 * D3D12 API; used by `cdxr dp2 trace`. */
#ifndef CDXR_TOOLS_DP2_RAYS_H
#define CDXR_TOOLS_DP2_RAYS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/gpu.h"

struct dp2_ray {
    float origin[3], t_min;
    float direction[3], t_max;
    uint32_t flags, unused[3];
};

struct dp2_hit {
    bool hit;
    uint32_t geometry, primitive;
    float t;
};

/* Triangles that share a transform; all arrays are copied at creation. */
struct dp2_ray_geometry {
    const float *positions;   /* [vertex_count][3] */
    const uint32_t *indices;  /* [index_count] */
    uint32_t vertex_count, index_count;
    const float *transform;   /* 3x4, rows */
};

struct dp2_rays;

enum { DP2_RAY_BATCH = 4096 };

/* Print one line and return NULL on failure. */
struct dp2_rays *dp2_rays_create(const struct dp2_ray_geometry *geometries, uint32_t geometry_count);
/* At most DP2_RAY_BATCH rays. */
bool dp2_rays_trace(struct dp2_rays *rays, const struct dp2_ray *batch, uint32_t count, struct dp2_hit *hits);
void dp2_rays_destroy(struct dp2_rays *rays);

#endif
