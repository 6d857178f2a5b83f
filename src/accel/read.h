/* SPDX-License-Identifier: MIT
 * Loops of builds and updates that read the application's triangles, compiled once per instruction set. All tables give
 * the same bits. */
#ifndef CDXR_ACCEL_READ_H
#define CDXR_ACCEL_READ_H

#include "accel/refs.h"

struct accel_read_range {
    const struct accel_build_inputs *inputs;
    uint32_t geometry_index;
    uint32_t begin, end; /* primitives of that geometry */
};

/* A structure of plain nodes whose leaves are read again. */
struct accel_refit {
    const struct accel_build_inputs *inputs;
    struct accel_header *header;
    struct accel_node *nodes;
    uint8_t *leaves;
    bool is_boxes;
};

struct accel_read_kernels {
    /* References of the active triangles of a range, behind result->count; result grows. */
    void (*refs)(const struct accel_read_range *range, bool keep_degenerate, struct accel_ref *refs,
                 struct accel_refs_result *result);
    /* Fill a block from refs[count]; unused lanes are marked. */
    void (*block)(const struct accel_build_inputs *inputs, const struct accel_ref *refs, uint32_t count,
                  struct accel_triangle_block *block);
    /* Leaves and boxes of everything below a reference, and its box. (Vectors by value do not cross instruction sets.) */
    void (*refit)(const struct accel_refit *refit, uint32_t ref, simd8 *box);
    /* Boxes of one node whose child nodes are done, leaves included. */
    void (*refit_node)(const struct accel_refit *refit, uint32_t node);
    /* Union of a node's eight boxes. */
    void (*node_box)(const struct accel_node *node, simd8 *box);
};
const struct accel_read_kernels *accel_read_kernels(void);

#endif
