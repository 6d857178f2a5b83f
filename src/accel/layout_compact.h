/* SPDX-License-Identifier: MIT
 * Reading the compact structure of MINIMIZE_MEMORY (struct accel_quantized_node, struct accel_indexed_leaf in accel/layout.h),
 * for every room that looks into structures. Nothing is checked here: the structure was built or verified. */
#ifndef CDXR_ACCEL_LAYOUT_COMPACT_H
#define CDXR_ACCEL_LAYOUT_COMPACT_H

#include <stdbool.h>
#include <string.h>

#include "accel/layout.h"

static inline bool accel_has_indexed_leaves(const struct accel_header *header)
{
    return (header->flags & ACCEL_FLAG_INDEXED_LEAVES) != 0;
}

static inline bool accel_has_quantized_nodes(const struct accel_header *header)
{
    return (header->flags & ACCEL_FLAG_QUANTIZED_NODES) != 0;
}

static inline uint64_t accel_node_bytes(const struct accel_header *header)
{
    return accel_has_quantized_nodes(header) ? sizeof(struct accel_quantized_node) : sizeof(struct accel_node);
}

/* plane: axis * 2 + (0 lower | 1 upper). */
static inline float accel_quantized_plane(const struct accel_quantized_node *node, int plane, uint8_t value)
{
    uint32_t bits = (uint32_t)node->exponent[plane / 2] << 23;
    float scale;
    memcpy(&scale, &bits, sizeof(scale));
    return node->origin[plane / 2] + (float)value * scale;
}

static inline const uint32_t *accel_node_children(const struct accel_header *header, uint32_t index)
{
    const uint8_t *nodes = (const uint8_t *)header + header->node_offset;
    return accel_has_quantized_nodes(header) ? ((const struct accel_quantized_node *)nodes)[index].children
                                             : ((const struct accel_node *)nodes)[index].children;
}

/* Node index of a structure of either kind. */
static inline void accel_node_read(const struct accel_header *header, uint32_t index, struct accel_node *out)
{
    const uint8_t *nodes = (const uint8_t *)header + header->node_offset;
    if (!accel_has_quantized_nodes(header)) {
        memcpy(out, nodes + index * sizeof(*out), sizeof(*out));
        return;
    }
    const struct accel_quantized_node *node = (const struct accel_quantized_node *)nodes + index;
    for (int plane = 0; plane < 6; plane++)
        for (int child = 0; child < ACCEL_NODE_WIDTH; child++)
            out->planes[plane][child] = node->children[child] == ACCEL_REF_EMPTY
                                            ? (plane & 1 ? -3.402823466e+38f : 3.402823466e+38f)
                                            : accel_quantized_plane(node, plane, node->planes[plane][child]);
    memcpy(out->children, node->children, sizeof(out->children));
}

/* Parts of a leaf. */
static inline const struct accel_indexed_leaf *accel_leaf_at(const struct accel_header *header, uint32_t unit)
{
    const uint8_t *leaves = (const uint8_t *)header + header->leaf_offset;
    return (const struct accel_indexed_leaf *)(leaves + unit * (uint64_t)header->leaf_unit_bytes);
}

static inline uint32_t accel_leaf_count(const struct accel_indexed_leaf *leaf)
{
    return leaf->count_and_format & ACCEL_LEAF_COUNT_MASK;
}

/* log2 of the bytes of a primitive. */
static inline uint32_t accel_leaf_shift(const struct accel_indexed_leaf *leaf)
{
    return leaf->count_and_format >> ACCEL_LEAF_PRIMITIVE_SHIFT & 3;
}

static inline uint32_t accel_leaf_blocks(const struct accel_indexed_leaf *leaf)
{
    return (accel_leaf_count(leaf) + ACCEL_TRIANGLE_BLOCK_WIDTH - 1u) / ACCEL_TRIANGLE_BLOCK_WIDTH;
}

static inline const float *accel_leaf_vertices(const struct accel_indexed_leaf *leaf)
{
    return (const float *)(leaf + 1);
}

static inline const uint8_t *accel_leaf_indices(const struct accel_indexed_leaf *leaf)
{
    return (const uint8_t *)(leaf + 1) + leaf->vertex_count * 12u;
}

static inline const uint8_t *accel_leaf_geometries(const struct accel_indexed_leaf *leaf)
{
    return accel_leaf_indices(leaf) + accel_leaf_blocks(leaf) * 12u;
}

static inline const uint8_t *accel_leaf_primitives(const struct accel_indexed_leaf *leaf)
{
    return accel_leaf_geometries(leaf) + ((leaf->count_and_format & ACCEL_LEAF_GEOMETRIES) ? accel_leaf_count(leaf) * 4u : 0);
}

static inline uint32_t accel_leaf_bytes(const struct accel_indexed_leaf *leaf)
{
    return (uint32_t)(accel_leaf_primitives(leaf) - (const uint8_t *)leaf) + (accel_leaf_count(leaf) << accel_leaf_shift(leaf));
}

static inline uint32_t accel_leaf_units(const struct accel_indexed_leaf *leaf, uint32_t unit_bytes)
{
    return (accel_leaf_bytes(leaf) + unit_bytes - 1) / unit_bytes;
}

/* Geometry word (index and flags) and primitive of triangle i. */
static inline uint32_t accel_leaf_geometry(const struct accel_indexed_leaf *leaf, uint32_t i)
{
    uint32_t geometry = leaf->geometry;
    if (leaf->count_and_format & ACCEL_LEAF_GEOMETRIES)
        memcpy(&geometry, accel_leaf_geometries(leaf) + i * 4u, sizeof(geometry));
    return geometry;
}

static inline uint32_t accel_leaf_primitive(const struct accel_indexed_leaf *leaf, uint32_t i)
{
    const uint8_t *ids = accel_leaf_primitives(leaf);
    uint16_t half;
    uint32_t word;
    switch (accel_leaf_shift(leaf)) {
    case 0:
        return leaf->first_primitive + ids[i];
    case 1:
        memcpy(&half, ids + i * 2u, sizeof(half));
        return leaf->first_primitive + half;
    default:
        memcpy(&word, ids + i * 4u, sizeof(word));
        return leaf->first_primitive + word;
    }
}

/* Corners of triangle i, whether it is active or not. */
static inline void accel_leaf_corners(const struct accel_indexed_leaf *leaf, uint32_t i, float corners[3][3])
{
    const uint8_t *indices = accel_leaf_indices(leaf) + i / 4 * 12 + i % 4;
    for (int v = 0; v < 3; v++)
        memcpy(corners[v], accel_leaf_vertices(leaf) + indices[v * 4], sizeof(corners[v]));
}

#endif
