/* SPDX-License-Identifier: MIT
 * The cost of a tree of ours, from its bytes (docs/bvh.md). */
#include <math.h>

#include "bench.h"

static float area_of(const float planes[6][ACCEL_NODE_WIDTH], int child)
{
    float x = planes[1][child] - planes[0][child], y = planes[3][child] - planes[2][child], z = planes[5][child] - planes[4][child];
    return x * y + y * z + z * x;
}

/* Planes and children of a node, whatever its format. */
static void read_node(const struct accel_header *header, uint32_t index, struct accel_node *out)
{
    const uint8_t *nodes = (const uint8_t *)header + header->node_offset;
    if (!(header->flags & ACCEL_FLAG_QUANTIZED_NODES)) {
        *out = ((const struct accel_node *)nodes)[index];
        return;
    }
    const struct accel_quantized_node *q = (const struct accel_quantized_node *)nodes + index;
    for (int plane = 0; plane < 6; plane++)
        for (int child = 0; child < ACCEL_NODE_WIDTH; child++)
            out->planes[plane][child] = q->origin[plane / 2] + ldexpf(q->planes[plane][child], q->exponent[plane / 2]);
    for (int child = 0; child < ACCEL_NODE_WIDTH; child++)
        out->children[child] = q->children[child];
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
        read_node(header, i, &node);
        for (int child = 0; child < ACCEL_NODE_WIDTH; child++) {
            uint32_t ref = node.children[child];
            if (ref == ACCEL_REF_EMPTY)
                continue;
            uint32_t blocks = ref & ACCEL_REF_LEAF_MASK ? accel_ref_block_count(ref) : 1;
            sum += (double)area_of(node.planes, child) * blocks;
        }
    }
    return root > 0 ? sum / root : 0;
}
