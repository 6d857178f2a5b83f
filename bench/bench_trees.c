/* SPDX-License-Identifier: MIT
 * The cost of a tree of ours, from its bytes (docs/bvh.md). */
#include <math.h>

#include "accel/indexed.h"
#include "bench.h"

static float area_of(const float planes[6][ACCEL_NODE_WIDTH], int child)
{
    float x = planes[1][child] - planes[0][child], y = planes[3][child] - planes[2][child], z = planes[5][child] - planes[4][child];
    return x * y + y * z + z * x;
}

/* Children come after their parent, so one pass over all nodes sees every box once. */
double bench_tree_cost(const void *structure)
{
    const struct accel_header *header = structure;
    const float *lower = header->bounds[0], *upper = header->bounds[1];
    float x = upper[0] - lower[0], y = upper[1] - lower[1], z = upper[2] - lower[2];
    double root = x * y + y * z + z * x, sum = root;
    for (uint32_t i = 0; i < header->node_count; i++) {
        struct accel_node node;
        accel_node_read(header, i, &node);
        for (int child = 0; child < ACCEL_NODE_WIDTH; child++) {
            uint32_t ref = node.children[child];
            if (ref == ACCEL_REF_EMPTY)
                continue;
            uint32_t blocks = !(ref & ACCEL_REF_LEAF_MASK)             ? 1
                              : accel_has_indexed_leaves(header) ? accel_leaf_blocks(accel_leaf_at(header, ref & ACCEL_REF_UNIT_MASK))
                                                                 : accel_ref_block_count(ref);
            sum += (double)area_of(node.planes, child) * blocks;
        }
    }
    return root > 0 ? sum / root : 0;
}
