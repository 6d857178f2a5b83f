/* SPDX-License-Identifier: MIT
 * Bump allocator: many small blocks with one lifetime (recorded commands, parse results). Not thread-safe. */
#ifndef CDXR_BASE_ARENA_H
#define CDXR_BASE_ARENA_H

#include <stddef.h>

#include "base/status.h"

struct arena_block;

/* A zeroed arena is valid and empty. */
struct arena {
    struct arena_block *first;
    struct arena_block *current;
    size_t used_bytes; /* in current */
};

/* NULL when out of memory. Contents are not initialised. alignment_bytes: a power of two, at most 4096. */
MUST_USE void *arena_allocate(struct arena *arena, size_t byte_count, size_t alignment_bytes);
/* As above, zero-filled. */
MUST_USE void *arena_allocate_zeroed(struct arena *arena, size_t byte_count, size_t alignment_bytes);
/* Copy byte_count bytes in. source may be NULL when byte_count is 0. */
MUST_USE void *arena_copy(struct arena *arena, const void *source, size_t byte_count, size_t alignment_bytes);
/* Copy of a NUL-terminated text. */
MUST_USE char *arena_copy_text(struct arena *arena, const char *text);

/* Forget everything; keeps the blocks for reuse. */
void arena_reset(struct arena *arena);
/* Free everything; leaves a valid empty arena. */
void arena_finish(struct arena *arena);
/* Bytes held, for memory accounting. */
size_t arena_reserved_bytes(const struct arena *arena);

#endif
