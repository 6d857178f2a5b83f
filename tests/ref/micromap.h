/* SPDX-License-Identifier: MIT
 * Opacity micromaps the slow way: the curve as a recursion over triangles, points located in integers, the order in
 * which the specification lets flags decide written out. Knows the application's inputs, not the structures. */
#ifndef CDXR_TESTS_REF_MICROMAP_H
#define CDXR_TESTS_REF_MICROMAP_H

#include <stdbool.h>
#include <stdint.h>

/* Number of states along the curve before the micro-triangle of cell (i, j), the far one or not. */
uint32_t micromap_ref_curve(uint32_t level, uint32_t i, uint32_t j, bool far);
/* The micro-triangle of a point: cell and side, then place on the curve. */
uint32_t micromap_ref_index(float u, float v, uint32_t level);

/* One micromap as the application gives it. format: bits a state. */
struct micromap_ref {
    uint32_t level, format;
    const uint8_t *states;
};
uint32_t micromap_ref_state(const struct micromap_ref *micromap, float u, float v);

enum { MICROMAP_REF_NONE = 4 }; /* beside the four states: the triangle has no micromap */
enum micromap_ref_outcome {
    MICROMAP_REF_NO_HIT,
    MICROMAP_REF_COMMIT,
    MICROMAP_REF_ANY_HIT,
};

/* Flags as in D3D12 and HLSL. allowed: the pipeline or query flag. */
enum micromap_ref_outcome micromap_ref_decide(uint32_t state, bool geometry_is_opaque, uint32_t instance_flags,
                                              uint32_t ray_flags, bool allowed);

#endif
