/* SPDX-License-Identifier: MIT
 * State to compiled draws: everything that decides about pixels and vertices is looked up, clamped to what exists and copied once
 * per state change, so that the kernels meet only legal values. */
#ifndef CDXR_DP2_COMPILE_H
#define CDXR_DP2_COMPILE_H

#include "dp2/arena.h"
#include "dp2/raster.h"
#include "dp2/vertex.h"

struct cdxr_dp2_context;

enum { COMPILE_TEXTURE_CACHE = 256 };

/* Textures compiled since the last flush: the same surface is read once. */
struct texture_cache {
    const struct texture *textures[COMPILE_TEXTURE_CACHE];
    uint32_t count;
};

/* NULL without memory. layout: of the vertices that will be drawn. */
const struct draw *dp2_compile_draw(struct cdxr_dp2_context *context, struct dp2_arena *arena, struct texture_cache *cache,
                                    const struct fvf_layout *layout);
const struct vertex_program *dp2_compile_vertices(struct cdxr_dp2_context *context, struct dp2_arena *arena, const struct draw *draw,
                                                  const struct fvf_layout *layout);

/* Stages, textures: compile_stage.c, compile_texture.c. */
void dp2_compile_stages(struct cdxr_dp2_context *context, struct dp2_arena *arena, struct texture_cache *cache, struct draw *draw);
const struct texture *dp2_compile_texture(struct cdxr_dp2_context *context, struct dp2_arena *arena, struct texture_cache *cache,
                                          uint32_t handle, const struct draw *draw);
/* True when the projection keeps w at 1: fog and depth then follow z. */
bool dp2_projection_is_affine(const float projection[16]);

#endif
