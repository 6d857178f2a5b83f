/* SPDX-License-Identifier: MIT
 * Primitives of processed vertices to set-up primitives: clipping, culling, fill modes, snapping to 1/256 pixel, edge functions and
 * interpolation planes. */
#ifndef CDXR_DP2_SETUP_H
#define CDXR_DP2_SETUP_H

#include "dp2/arena.h"
#include "dp2/clip.h"
#include "dp2/raster.h"

struct queued_primitive {
    const struct draw *draw;
    const float *vertices[3];
    uint8_t vertex_count, edge_mask;
    uint32_t number;       /* of the triangle, for draws that identify */
};

/* Where set-up primitives go. One per chunk of work, used by one thread. */
struct setup_output {
    struct dp2_arena arena;
    const struct raster_primitive **list;
    uint32_t count, capacity;
    uint64_t skipped, culled, clipped_away;
    struct clip_buffer *clip;
};

void dp2_setup_primitive(const struct queued_primitive *primitive, struct setup_output *output);
void dp2_setup_output_reset(struct setup_output *output);
void dp2_setup_output_finish(struct setup_output *output);

#endif
