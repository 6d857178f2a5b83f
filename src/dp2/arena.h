/* SPDX-License-Identifier: MIT
 * Bump allocator of the queue: everything of one flush, freed at once. */
#ifndef CDXR_DP2_ARENA_H
#define CDXR_DP2_ARENA_H

#include <stddef.h>

struct dp2_arena_block;
struct dp2_arena {
    struct dp2_arena_block *blocks;
    size_t used_bytes;     /* in all blocks, for limits */
};

/* 32-byte aligned, not cleared; NULL without memory. */
void *dp2_arena_take(struct dp2_arena *arena, size_t byte_count);
/* Forget everything; keeps one block for the next round. */
void dp2_arena_reset(struct dp2_arena *arena);
void dp2_arena_finish(struct dp2_arena *arena);

#endif
