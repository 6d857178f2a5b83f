/* SPDX-License-Identifier: MIT
 * Writing the compact structure of MINIMIZE_MEMORY, for accel/emit.c and the refit, and finding a triangle in a structure of
 * either kind. */
#ifndef CDXR_ACCEL_INDEXED_H
#define CDXR_ACCEL_INDEXED_H

#include "accel/layout_compact.h"

struct accel_build_inputs;
struct accel_ref;

/* Most bytes of leaves, head, indices and padding included, for so many triangles in so many leaves of one block. */
static inline uint64_t accel_leaf_bytes_at_most(uint64_t triangle_count, uint64_t block_count, uint32_t unit_bytes, bool one_geometry)
{
    return triangle_count * (one_geometry ? 40 : 44) + block_count * (sizeof(struct accel_indexed_leaf) + 12 + unit_bytes - 1);
}

/* Bytes of the leaf of refs[count], without padding. With ALLOW_UPDATE vertices are shared by index, else by position. */
uint32_t accel_indexed_leaf_measure(const struct accel_build_inputs *inputs, const struct accel_ref *refs, uint32_t count);
/* Write that leaf. */
void accel_indexed_leaf_write(const struct accel_build_inputs *inputs, const struct accel_ref *refs, uint32_t count,
                              uint32_t unit_bytes, struct accel_indexed_leaf *leaf);
/* Read the vertices of a leaf again. False: triangles share fewer vertices than when it was built (indices changed), the
 * leaf has no room for them. */
bool accel_indexed_leaf_refit(const struct accel_build_inputs *inputs, struct accel_indexed_leaf *leaf);
/* box[lower or upper][axis] of the active triangles; FLT_MAX, -FLT_MAX: there is none. */
void accel_indexed_leaf_box(const struct accel_indexed_leaf *leaf, float box[2][3]);

/* Planes and children of a node, boxes rounded outward. */
void accel_node_quantize(const struct accel_node *from, struct accel_quantized_node *to);

/* Corners v0, v1, v2 of a triangle of a structure of either kind. False: it is not there, or not active. Looks at all
 * leaves. */
bool accel_find_triangle(const struct accel_header *header, uint32_t geometry_index, uint32_t primitive, float corners[3][3]);

#endif
