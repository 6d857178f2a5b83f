/* SPDX-License-Identifier: MIT */
#include "dp2/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { FIRST_BLOCK_BYTES = 16 << 10, MAX_BLOCK_BYTES = 1 << 20, ALIGNMENT = 32 };

struct dp2_arena_block {
    struct dp2_arena_block *next;
    size_t used, capacity;
    _Alignas(ALIGNMENT) uint8_t bytes[];
};

static struct dp2_arena_block *block_create(size_t capacity)
{
    size_t total = (sizeof(struct dp2_arena_block) + capacity + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct dp2_arena_block *block = aligned_alloc(ALIGNMENT, total);
    if (block)
        *block = (struct dp2_arena_block){NULL, 0, capacity};
    return block;
}

void *dp2_arena_take(struct dp2_arena *arena, size_t byte_count)
{
    byte_count = (byte_count + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct dp2_arena_block *block = arena->blocks;
    if (!block || byte_count > block->capacity - block->used) {
        size_t capacity = block ? block->capacity * 2 : FIRST_BLOCK_BYTES;
        capacity = capacity > MAX_BLOCK_BYTES ? MAX_BLOCK_BYTES : capacity;
        block = block_create(byte_count > capacity ? byte_count : capacity);
        if (!block)
            return NULL;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    void *bytes = block->bytes + block->used;
    block->used += byte_count;
    arena->used_bytes += byte_count;
    return bytes;
}

void dp2_arena_reset(struct dp2_arena *arena)
{
    struct dp2_arena_block *keep = NULL;
    while (arena->blocks) {
        struct dp2_arena_block *block = arena->blocks;
        arena->blocks = block->next;
        bool better = block->capacity <= MAX_BLOCK_BYTES && (!keep || block->capacity > keep->capacity);
        free(better ? keep : block);
        keep = better ? block : keep;
    }
    if (keep) {
        keep->used = 0;
        keep->next = NULL;
    }
    arena->blocks = keep;
    arena->used_bytes = 0;
}

void dp2_arena_finish(struct dp2_arena *arena)
{
    dp2_arena_reset(arena);
    free(arena->blocks);
    arena->blocks = NULL;
}
