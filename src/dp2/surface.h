/* SPDX-License-Identifier: MIT
 * Surfaces and palettes by handle, common to the contexts that share them. Handles come from the stream and may be
 * anything; a lookup of one that was never registered gives NULL. Memory belongs to the caller. */
#ifndef CDXR_DP2_SURFACE_H
#define CDXR_DP2_SURFACE_H

#include <stdbool.h>

#include "cdxr/dp2.h"
#include "dp2/format.h"

enum { SURFACE_MAX_LEVELS = 14, SURFACE_MAX_EDGE = 8192, SURFACE_MAX_DEPTH = 512, SURFACE_FACES = 6, PALETTE_ENTRIES = 256, PALETTE_LIMIT = 8192 };

struct surface {
    struct cdxr_dp2_surface description; /* levels points to the array below */
    struct format format;
    uint32_t face_count;                 /* 1 or 6 */
    uint32_t palette;                    /* handle, 0: none */
    uint32_t lod, priority;
    struct cdxr_dp2_level levels[];      /* [face][level] */
};

struct palette {
    uint32_t handle;
    bool has_alpha;                      /* DDRAWIPAL_ALPHA */
    uint8_t entries[PALETTE_ENTRIES][4]; /* R, G, B, flags or alpha */
};

struct space;

MUST_USE enum status dp2_space_create(struct space **space);
void dp2_space_acquire(struct space *space);
void dp2_space_release(struct space *space);

MUST_USE enum status dp2_space_register(struct space *space, const struct cdxr_dp2_surface *description, struct reason *reason);
void dp2_space_unregister(struct space *space, uint32_t handle);
struct surface *dp2_space_surface(const struct space *space, uint32_t handle);
/* create: add it when missing; NULL without memory. */
struct palette *dp2_space_palette(struct space *space, uint32_t handle, bool create);
/* Each surface, in no particular order. */
void dp2_space_each(const struct space *space, void (*visit)(void *cookie, struct surface *surface), void *cookie);
void dp2_space_each_palette(const struct space *space, void (*visit)(void *cookie, struct palette *palette), void *cookie);

struct surface_extent {
    uint32_t width, height, depth;
};
struct surface_extent dp2_surface_level_extent(const struct surface *surface, uint32_t level);
const struct cdxr_dp2_level *dp2_surface_level(const struct surface *surface, uint32_t face, uint32_t level);
/* The palette's entries as ARGB. palette NULL: greys. */
void dp2_palette_argb(const struct palette *palette, uint32_t argb[PALETTE_ENTRIES]);

#endif
