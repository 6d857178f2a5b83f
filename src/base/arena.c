/* SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64 * 1024 };

struct arena_block {
    struct arena_block *next;
    size_t capacity_bytes;
    _Alignas(64) unsigned char bytes[];
};

/* Start of an allocation in block that begins at or after used_bytes, or NULL when it does not fit. */
static unsigned char *block_fit(struct arena_block *block, size_t used_bytes, size_t byte_count, size_t alignment)
{
    uintptr_t start = (uintptr_t)block->bytes + used_bytes;
    size_t offset = ((start + alignment - 1) & ~(uintptr_t)(alignment - 1)) - (uintptr_t)block->bytes;
    if (offset > block->capacity_bytes || block->capacity_bytes - offset < byte_count)
        return NULL;
    return block->bytes + offset;
}

static struct arena_block *block_create(size_t byte_count, size_t alignment)
{
    if (byte_count > SIZE_MAX / 2)
        return NULL;
    size_t capacity = byte_count + alignment;
    if (capacity < BLOCK_BYTES)
        capacity = BLOCK_BYTES;
    struct arena_block *block = NULL;
    if (posix_memalign((void **)&block, 64, sizeof(*block) + capacity))
        return NULL;
    block->next = NULL;
    block->capacity_bytes = capacity;
    return block;
}

/* Next block that has room: one kept from before a reset, or a new one put right behind the current. */
static unsigned char *arena_advance(struct arena *arena, size_t byte_count, size_t alignment)
{
    struct arena_block **link = arena->current ? &arena->current->next : &arena->first;
    unsigned char *result = *link ? block_fit(*link, 0, byte_count, alignment) : NULL;
    if (!result) {
        struct arena_block *block = block_create(byte_count, alignment);
        if (!block)
            return NULL;
        block->next = *link;
        *link = block;
        result = block_fit(block, 0, byte_count, alignment);
    }
    arena->current = *link;
    return result;
}

void *arena_allocate(struct arena *arena, size_t byte_count, size_t alignment_bytes)
{
    unsigned char *result = NULL;
    if (arena->current)
        result = block_fit(arena->current, arena->used_bytes, byte_count, alignment_bytes);
    if (!result)
        result = arena_advance(arena, byte_count, alignment_bytes);
    if (result)
        arena->used_bytes = (size_t)(result - arena->current->bytes) + byte_count;
    return result;
}

void *arena_allocate_zeroed(struct arena *arena, size_t byte_count, size_t alignment_bytes)
{
    void *result = arena_allocate(arena, byte_count, alignment_bytes);
    if (result)
        memset(result, 0, byte_count);
    return result;
}

void *arena_copy(struct arena *arena, const void *source, size_t byte_count, size_t alignment_bytes)
{
    void *result = arena_allocate(arena, byte_count, alignment_bytes);
    if (result && byte_count)
        memcpy(result, source, byte_count);
    return result;
}

char *arena_copy_text(struct arena *arena, const char *text)
{
    return arena_copy(arena, text, strlen(text) + 1, 1);
}

void arena_reset(struct arena *arena)
{
    arena->current = NULL;
    arena->used_bytes = 0;
}

void arena_finish(struct arena *arena)
{
    struct arena_block *block = arena->first;
    while (block) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
    *arena = (struct arena){0};
}

size_t arena_reserved_bytes(const struct arena *arena)
{
    size_t total = 0;
    for (const struct arena_block *block = arena->first; block; block = block->next)
        total += block->capacity_bytes;
    return total;
}
