/* SPDX-License-Identifier: MIT
 * From the builder's pieces to the bytes of accel/layout.h: numbers nodes and blocks depth first, copies nodes, and fills
 * leaf blocks from the application's inputs. */
#ifndef CDXR_ACCEL_EMIT_H
#define CDXR_ACCEL_EMIT_H

#include "accel/plan.h"

struct accel_emit {
    const struct sah_build *build;
    const struct accel_build_inputs *inputs;
    uint32_t kind; /* enum accel_kind */
    uint32_t node_flags; /* enum accel_flag: QUANTIZED_NODES, INDEXED_LEAVES */
    uint32_t leaf_unit_bytes; /* of indexed leaves */
    void *nodes;         /* where the result's nodes go */
    void *blocks;        /* and its leaves (not instances: they are there already) */
    uint32_t node_count, block_count, root, depth; /* results of accel_emit_number; block_count: header's leaf_count */
};

/* Give every node and block its place. Sets the results above. */
void accel_emit_number(struct accel_emit *emit, struct sah_subtree *subtrees);
/* Write nodes and blocks; nodes and blocks must be set. */
void accel_emit_write(struct accel_emit *emit);

/* Fill one triangle or box block from refs[count]; unused lanes are marked. */
void accel_emit_triangle_block(const struct accel_build_inputs *inputs, const struct accel_ref *refs, uint32_t count,
                               struct accel_triangle_block *block);
void accel_emit_box_block(const struct accel_build_inputs *inputs, const struct accel_ref *refs, uint32_t count,
                          struct accel_box_block *block);

#endif
