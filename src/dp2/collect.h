/* SPDX-License-Identifier: MIT
 * Gathering triangles for the ray tracer in place of drawing them. */
#ifndef CDXR_DP2_COLLECT_H
#define CDXR_DP2_COLLECT_H

#include "dp2/context.h"

/* Append the token's triangles to context->collector; false without memory. */
bool dp2_collect_draw(struct run *run, const struct assembly *assembly, const struct vertex_source *source, uint32_t primitive_count);

#endif
