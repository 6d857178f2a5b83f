/* SPDX-License-Identifier: MIT
 * How result and scratch memory are laid out for a build: computed from counts and flags alone, once for the prebuild
 * info and again, with the same numbers, for the build. */
#ifndef CDXR_ACCEL_PLAN_H
#define CDXR_ACCEL_PLAN_H

#include "accel/build.h"
#include "accel/sah.h"

enum { ACCEL_MAX_PRIMITIVES = 1 << 29, ACCEL_MAX_GEOMETRIES = 1 << 24, ACCEL_MAX_INSTANCES = 1 << 24 };

/* Which builder makes the tree: chosen by flags alone, in plan.c. */
enum accel_builder {
    ACCEL_BUILDER_DEFAULT,    /* accel/sah.h */
    ACCEL_BUILDER_FAST_BUILD, /* accel/fast.h */
    ACCEL_BUILDER_FAST_TRACE, /* as the default, with more borders to choose from */
};

struct accel_plan {
    enum accel_builder builder;
    uint32_t kind;            /* enum accel_kind */
    uint64_t primitive_count; /* or instances; inactive ones included */
    uint64_t reference_count; /* at most */
    uint64_t block_count;     /* at most: the builder's budget */
    uint64_t node_count;      /* at most */
    struct sah_limits limits;
    uint32_t node_flags;      /* enum accel_flag: QUANTIZED_NODES, INDEXED_LEAVES */
    uint64_t node_bytes;      /* of one node */
    uint64_t leaf_bytes;      /* of one block, or of a unit of indexed leaves */
    uint64_t leaf_section_bytes; /* at most */
    uint32_t leaf_unit_bytes; /* indexed leaves, else 0 */
    uint64_t micromap_link_bytes; /* section behind the geometry table; 0: no geometry is linked */
    uint64_t result_bytes;
    /* scratch */
    uint64_t first_primitives_offset, chunks_offset, refs_offset[2], nodes_offset, top_nodes_offset, top_offset,
        subtrees_offset;
    uint64_t sources_offset, keys_offset[2], counts_offset, clusters_offset, groups_offset[2], fast_chunks_offset; /* fast builder */
    uint32_t top_capacity, subtree_capacity;
    uint64_t scratch_bytes;
    uint64_t update_scratch_bytes;
};

/* Check the description (counts, formats, alignment; no address is read) and lay everything out. */
MUST_USE enum status accel_plan_make(struct accel_plan *plan, const struct accel_build_inputs *inputs, struct reason *reason);

/* The same description's rules, without sizes (accel/check.c). */
MUST_USE enum status accel_check_inputs(const struct accel_build_inputs *inputs, struct reason *reason);

#endif
