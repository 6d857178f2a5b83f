/* SPDX-License-Identifier: MIT
 * Which resource does a GPU virtual address (= host address) belong to? Read by executor and shaders on any thread
 * without a lock; written when resources are created and destroyed.
 *
 * A three-level radix table over 64 KiB granules, each holding a chain of the ranges that touch it, newest first
 * (placed resources may overlap). Ranges live in type-stable memory and carry a sequence number, so a reader that
 * races with a removal restarts instead of reading freed memory. */
#ifndef CDXR_VALIDATE_ADDRESS_MAP_H
#define CDXR_VALIDATE_ADDRESS_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct address_map;

enum address_kind {
    ADDRESS_KIND_BUFFER,
    ADDRESS_KIND_TEXTURE,         /* no GPU virtual address by API rules; found for messages */
    ADDRESS_KIND_DESCRIPTOR_HEAP, /* handles */
    ADDRESS_KIND_HEAP,            /* an explicit heap; hidden where a placed resource covers the address */
};

/* What lookup gives: a copy, valid after the range is gone. owner: struct exec_resource * (BUFFER, TEXTURE), the heap's
 * object otherwise; alive as long as the application keeps its rules, else until the work in flight has ended. */
struct address_range {
    uint64_t start;
    uint64_t size_bytes;
    uint64_t id; /* never used twice */
    void *owner;
    enum address_kind kind;
};

MUST_USE enum status address_map_create(struct address_map **map);
void address_map_destroy(struct address_map *map);

/* Add a range; range->id is assigned and written back. STATUS_INVALID: size_bytes 0 or beyond 2^47. */
MUST_USE enum status address_map_add(struct address_map *map, struct address_range *range);
void address_map_remove(struct address_map *map, uint64_t id, uint64_t start);

/* Counts removals, and additions over what is there already: while it stays the same, every range that was found before is
 * still there, and no other one shows its memory. */
uint64_t address_map_change_count(const struct address_map *map);
/* Does another range touch a 64 KiB granule of [start, start + size_bytes) too (placed resources may overlap)? */
bool address_map_is_shared(const struct address_map *map, uint64_t start, uint64_t size_bytes);

/* Range of kind BUFFER (the newest where several overlap) that holds address; lock-free. */
bool address_map_find_buffer(const struct address_map *map, uint64_t address, struct address_range *range);
/* The newest range of any kind that holds address; HEAP only when nothing else does. */
bool address_map_find(const struct address_map *map, uint64_t address, struct address_range *range);
/* Bytes from address to the end of its buffer; 0 when it is in none. With overlapping placed buffers: the largest. */
uint64_t address_map_bytes_behind(const struct address_map *map, uint64_t address);

#endif
