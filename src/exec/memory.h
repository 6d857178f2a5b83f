/* SPDX-License-Identifier: MIT
 * Memory of heaps and resources, and what the executor knows of a resource. Host address = GPU virtual address.
 * Created by d3d12/ (resource.c, heap.c); read by the executor, by descriptors and, through them, by shaders. */
#ifndef CDXR_EXEC_MEMORY_H
#define CDXR_EXEC_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "abi/descriptor.h"
#include "base/status.h"

enum { EXEC_MEMORY_ALIGNMENT_BYTES = 65536, EXEC_TILE_BYTES = 65536 };

/* A host mapping: zero-filled, committed page by page when first touched, base aligned to 64 KiB, an inaccessible guard
 * page behind it. */
struct exec_mapping {
    uint8_t *base;
    uint64_t size_bytes; /* whole pages */
    uint64_t reserved_bytes;
    int file; /* memfd behind the pages when they can appear at several addresses (heaps, for tiles), or -1 */
    _Atomic bool has_aliases; /* some of its pages were shown elsewhere too */
};

enum exec_mapping_kind {
    EXEC_MAPPING_PRIVATE,  /* committed resources */
    EXEC_MAPPING_SHARED,   /* explicit heaps: backed by a memfd, tiles of it can be mapped elsewhere */
    EXEC_MAPPING_RESERVED, /* reserved resources: pages of a private mapping until tiles are mapped over them */
};

MUST_USE enum status exec_mapping_init(struct exec_mapping *mapping, uint64_t size_bytes, enum exec_mapping_kind kind);
void exec_mapping_finish(struct exec_mapping *mapping);
/* Show tile_count tiles of heap from heap_tile at tile target_tile of a RESERVED mapping; heap NULL: the tiles become
 * NULL tiles again (zero, private). */
MUST_USE enum status exec_mapping_map_tiles(struct exec_mapping *mapping, uint64_t target_tile,
                                            struct exec_mapping *heap, uint64_t heap_tile, uint64_t tile_count);
/* Give the pages back to the system; reads are zero afterwards. */
void exec_mapping_discard(struct exec_mapping *mapping, uint64_t offset, uint64_t byte_count);

enum exec_heap_type { /* D3D12_HEAP_TYPE */
    EXEC_HEAP_DEFAULT = 1,
    EXEC_HEAP_UPLOAD = 2,
    EXEC_HEAP_READBACK = 3,
    EXEC_HEAP_CUSTOM = 4,
};

/* A resource as the executor sees it: member of struct d3d12_resource (d3d12/resource.h). The descriptors of its texture
 * views point at `texture`. */
enum exec_structure_use {
    EXEC_STRUCTURES_NOT,     /* shaders, copies or the CPU may write here whenever they like */
    EXEC_STRUCTURES_ONLY,    /* made in state RAYTRACING_ACCELERATION_STRUCTURE, which it never leaves */
    EXEC_STRUCTURES_BY_FLAG, /* made with the flag of that name: until somebody asks for a writable view */
};

struct exec_resource {
    uint8_t *base;       /* NULL when the resource was destroyed, or is a reserved texture without layout */
    uint64_t size_bytes; /* of the resource, not rounded */
    struct abi_texture texture; /* dimension 0 for buffers */
    uint64_t id;         /* of the address map; never used twice */
    uint32_t dimension;  /* D3D12_RESOURCE_DIMENSION: 1 buffer, 2..4 texture */
    uint32_t flags;      /* D3D12_RESOURCE_FLAGS */
    uint32_t heap_type;  /* D3D12_HEAP_TYPE */
    uint32_t subresource_count;
    /* D3D12_RESOURCE_STATES of each subresource at the point of the timeline that the executor has reached; one entry for
     * buffers. Written by barriers in the executor, read by checks. */
    _Atomic uint32_t *states;
    /* exec/structure_proof.h: may its structures be remembered as sound, and the bits that say which are; NULL: none */
    _Atomic uint32_t structure_use; /* enum exec_structure_use */
    _Atomic(_Atomic uint64_t *) proofs;
    const struct exec_mapping *heap_mapping; /* placed: where else its pages might be shown */
    _Atomic uint64_t last_use_serial; /* newest submission that names the resource (exec/retire.h) */
    const char *(*name)(const struct exec_resource *resource); /* for messages */
};

/* Does [address, address + byte_count) lie in the resource? Overflow-safe. */
static inline bool exec_resource_holds(const struct exec_resource *resource, uint64_t address, uint64_t byte_count)
{
    uint64_t start = (uint64_t)(uintptr_t)resource->base;
    return address >= start && address - start <= resource->size_bytes &&
           resource->size_bytes - (address - start) >= byte_count;
}

/* Subresource index = mip + mips * (slice + slices * plane), as D3D12CalcSubresource. */
static inline uint32_t exec_subresource_index(const struct abi_texture *texture, uint32_t mip, uint32_t slice,
                                              uint32_t plane)
{
    return mip + texture->mip_count * (slice + texture->array_size * plane);
}

#endif
