/* SPDX-License-Identifier: MIT
 * Clipping of processed vertices in homogeneous screen space: near and far, user planes, guard band, w. */
#ifndef CDXR_DP2_CLIP_H
#define CDXR_DP2_CLIP_H

#include "dp2/raster.h"

enum { CLIP_FIXED_PLANES = 7, CLIP_MAX_VERTICES = 3 + CLIP_FIXED_PLANES + STATE_CLIP_PLANES };

struct clip_buffer {
    float vertices[2 * CLIP_MAX_VERTICES][VERTEX_MAX_FLOATS];
};

/* Clip a triangle or line (count 3 or 2) whose outcodes are not all 0. Returns the number of vertices left (0: nothing),
 * their addresses in out; new vertices live in buffer. */
uint32_t dp2_clip_polygon(const struct draw *draw, const float *const *in, uint32_t count, uint32_t outcodes, struct clip_buffer *buffer,
                          const float **out);

static inline uint32_t dp2_vertex_outcode(const float *vertex)
{
    uint32_t bits;
    __builtin_memcpy(&bits, vertex + VERTEX_OUTCODE, sizeof(bits));
    return bits;
}

#endif
