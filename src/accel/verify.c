/* SPDX-License-Identifier: MIT */
#include "accel/verify.h"

#include "accel/indexed.h"
#include "accel/micromap.h"

#include <math.h>

struct verify {
    const struct accel_header *header;
    uint64_t next_node;  /* nodes and blocks are numbered depth first: the only number that may come next */
    uint64_t next_block;
    struct reason *reason;
};

static bool section_fits(const struct accel_header *h, uint64_t offset, uint64_t count, uint64_t element_bytes, uint64_t alignment)
{
    if (offset < sizeof(*h) || offset % alignment || offset > h->structure_bytes)
        return false;
    return count <= (h->structure_bytes - offset) / element_bytes;
}

static uint64_t leaf_bytes(const struct accel_header *h)
{
    if (accel_has_indexed_leaves(h))
        return h->leaf_unit_bytes;
    return h->kind == ACCEL_KIND_TRIANGLES ? sizeof(struct accel_triangle_block)
           : h->kind == ACCEL_KIND_BOXES   ? sizeof(struct accel_box_block)
                                           : sizeof(struct abi_instance);
}

static enum status verify_header(const struct accel_header *h, uint64_t available_bytes, struct reason *reason)
{
    const uint32_t known_flags = ACCEL_FLAG_ALL_OPAQUE | ACCEL_FLAG_IDENTITY_INSTANCE | ACCEL_FLAG_HAS_MICROMAPS |
                                 ACCEL_FLAG_QUANTIZED_NODES | ACCEL_FLAG_INDEXED_LEAVES;
    if (!accel_is_structure(h, available_bytes) || h->kind == ACCEL_KIND_MICROMAPS || (h->flags & ~known_flags))
        return reason_set(reason, STATUS_CORRUPT, "the header is not that of a structure of this version");
    /* what an update goes by */
    if (accel_has_quantized_nodes(h) != !!(h->build_flags & ACCEL_BUILD_FLAG_MINIMIZE_MEMORY))
        return reason_set(reason, STATUS_CORRUPT, "the nodes are not of the kind that the build flags give");
    if (accel_has_indexed_leaves(h) && (h->kind != ACCEL_KIND_TRIANGLES || !accel_has_quantized_nodes(h)))
        return reason_set(reason, STATUS_CORRUPT, "indexed leaves where none can be");
    const uint32_t unit = h->leaf_unit_bytes;
    if (accel_has_indexed_leaves(h) ? unit < ACCEL_LEAF_MIN_UNIT_BYTES || unit > ACCEL_LEAF_MAX_UNIT_BYTES || (unit & (unit - 1)) : unit)
        return reason_set(reason, STATUS_CORRUPT, "leaves in units of %u bytes", unit);
    if (!section_fits(h, h->node_offset, h->node_count, accel_node_bytes(h), 32))
        return reason_set(reason, STATUS_CORRUPT, "%u nodes do not fit", h->node_count);
    if (!section_fits(h, h->leaf_offset, h->leaf_count, leaf_bytes(h), 16))
        return reason_set(reason, STATUS_CORRUPT, "%u leaf blocks do not fit", h->leaf_count);
    if (h->geometry_offset > h->structure_bytes || (!h->geometry_offset && h->geometry_count))
        return reason_set(reason, STATUS_CORRUPT, "the geometry table does not fit");
    if (h->geometry_count && !section_fits(h, h->geometry_offset, h->geometry_count, sizeof(struct accel_geometry_entry), 8))
        return reason_set(reason, STATUS_CORRUPT, "%u geometries do not fit", h->geometry_count);
    if (h->update_offset || h->reserved_offset || h->state_offset)
        return reason_set(reason, STATUS_CORRUPT, "sections that this version does not have");
    return accel_micromap_link_verify(h, reason);
}

/* A leaf that lies in its section, whose indices name vertices of its own. */
static enum status verify_indexed_leaf(struct verify *v, uint64_t unit)
{
    const struct accel_header *h = v->header;
    if (unit != v->next_block || unit >= h->leaf_count)
        return reason_set(v->reason, STATUS_CORRUPT, "a leaf is at %llu where %llu must come", (unsigned long long)unit,
                          (unsigned long long)v->next_block);
    const struct accel_indexed_leaf *leaf = accel_leaf_at(h, (uint32_t)unit);
    const uint64_t left_bytes = (h->leaf_count - unit) * h->leaf_unit_bytes;
    const uint32_t count = left_bytes < sizeof(*leaf) ? 0 : accel_leaf_count(leaf);
    if (!count || count > ACCEL_LEAF_MAX_TRIANGLES || !leaf->vertex_count || leaf->vertex_count > 3 * count ||
        (leaf->active_mask >> count) || accel_leaf_shift(leaf) > 2 || accel_leaf_bytes(leaf) > left_bytes)
        return reason_set(v->reason, STATUS_CORRUPT, "the leaf at %llu has a damaged head", (unsigned long long)unit);
    const uint8_t *indices = accel_leaf_indices(leaf);
    for (uint32_t i = 0; i < accel_leaf_blocks(leaf) * 12; i++)
        if (indices[i] % 3 || indices[i] >= 3 * leaf->vertex_count)
            return reason_set(v->reason, STATUS_CORRUPT, "the leaf at %llu names vertex %u of %u", (unsigned long long)unit,
                              indices[i] / 3, leaf->vertex_count);
    v->next_block += accel_leaf_units(leaf, h->leaf_unit_bytes);
    return STATUS_OK;
}

/* Instances may come in any order: their number is bounded by that of child slots. */
static enum status verify_leaf(struct verify *v, uint32_t ref)
{
    const struct accel_header *h = v->header;
    if (h->kind == ACCEL_KIND_INSTANCES) {
        if ((ref & ACCEL_REF_INSTANCE_MASK) >= h->leaf_count)
            return reason_set(v->reason, STATUS_CORRUPT, "leaf names instance %u of %u", ref & ACCEL_REF_INSTANCE_MASK, h->leaf_count);
        const struct abi_instance *instances = (const void *)((const uint8_t *)h + h->leaf_offset);
        if (!instances[ref & ACCEL_REF_INSTANCE_MASK].blas)
            return reason_set(v->reason, STATUS_CORRUPT, "leaf names instance %u, which has no bottom level",
                              ref & ACCEL_REF_INSTANCE_MASK);
        return STATUS_OK;
    }
    if (accel_has_indexed_leaves(h))
        return verify_indexed_leaf(v, ref & ACCEL_REF_UNIT_MASK);
    uint64_t first = ref & ACCEL_REF_BLOCK_INDEX_MASK, count = accel_ref_block_count(ref);
    if (first != v->next_block || first + count > h->leaf_count)
        return reason_set(v->reason, STATUS_CORRUPT, "leaf names block %llu where %llu must come", (unsigned long long)first,
                          (unsigned long long)v->next_block);
    v->next_block += count;
    return STATUS_OK;
}

static enum status verify_ref(struct verify *v, uint32_t ref, uint32_t depth)
{
    if (ref == ACCEL_REF_EMPTY)
        return STATUS_OK;
    if (ref & ACCEL_REF_LEAF_MASK)
        return verify_leaf(v, ref);
    if (ref != v->next_node || ref >= v->header->node_count)
        return reason_set(v->reason, STATUS_CORRUPT, "a child is node %u where node %llu must come", ref,
                          (unsigned long long)v->next_node);
    if (depth >= ACCEL_MAX_DEPTH)
        return reason_set(v->reason, STATUS_CORRUPT, "more than %u levels of nodes", ACCEL_MAX_DEPTH);
    v->next_node++;
    const uint32_t *children = accel_node_children(v->header, ref);
    for (int child = 0; child < ACCEL_NODE_WIDTH; child++)
        RETURN_IF_FAILED(verify_ref(v, children[child], depth + 1));
    return STATUS_OK;
}

static enum status verify_geometries(const struct accel_header *h, struct reason *reason)
{
    const struct accel_geometry_entry *entries = (const void *)((const uint8_t *)h + h->geometry_offset);
    uint64_t primitive_count = 0;
    for (uint32_t i = 0; i < h->geometry_count; i++) {
        primitive_count += entries[i].primitive_count;
        if (entries[i].type > ACCEL_GEOMETRY_OMM_TRIANGLES ||
            (entries[i].type == ACCEL_GEOMETRY_BOXES) != (h->kind == ACCEL_KIND_BOXES))
            return reason_set(reason, STATUS_CORRUPT, "geometry %u is of another type", i);
    }
    if (primitive_count != h->primitive_count)
        return reason_set(reason, STATUS_CORRUPT, "the geometries have %llu primitives, the header says %u",
                          (unsigned long long)primitive_count, h->primitive_count);
    return STATUS_OK;
}

/* No ray may hit an unused lane: its ids mean nothing. Lanes of boxes are known by their primitive alone. */
static bool unused_lane_is_empty(const struct accel_header *h, uint64_t block_index, uint32_t lane)
{
    const struct accel_triangle_block *block = (const void *)((const uint8_t *)h + h->leaf_offset + block_index * sizeof(*block));
    bool is_empty = true;
    for (int i = 0; h->kind == ACCEL_KIND_TRIANGLES && i < 9; i++)
        is_empty &= isnan(block->vertices[i / 3][i % 3][lane]) != 0;
    return is_empty && lane; /* no block is all unused */
}

static enum status verify_id(const struct accel_header *h, uint32_t geometry_word, uint32_t primitive, uint64_t where,
                             struct reason *reason)
{
    const struct accel_geometry_entry *entries = (const void *)((const uint8_t *)h + h->geometry_offset);
    uint32_t geometry = geometry_word & ACCEL_GEOMETRY_INDEX_MASK;
    if (geometry < h->geometry_count && primitive < entries[geometry].primitive_count)
        return STATUS_OK;
    return reason_set(reason, STATUS_CORRUPT, "block %llu names primitive %u of geometry %u", (unsigned long long)where, primitive,
                      geometry);
}

/* All of the section belongs to leaves of the tree. */
static enum status verify_indexed_ids(const struct accel_header *h, struct reason *reason)
{
    for (uint32_t unit = 0; unit < h->leaf_count;) {
        const struct accel_indexed_leaf *leaf = accel_leaf_at(h, unit);
        for (uint32_t i = 0; i < accel_leaf_count(leaf); i++)
            RETURN_IF_FAILED(verify_id(h, accel_leaf_geometry(leaf, i), accel_leaf_primitive(leaf, i), unit, reason));
        unit += accel_leaf_units(leaf, h->leaf_unit_bytes);
    }
    return STATUS_OK;
}

/* Updates read the inputs by these ids. */
static enum status verify_ids(const struct accel_header *h, struct reason *reason)
{
    if (accel_has_indexed_leaves(h))
        return verify_indexed_ids(h, reason);
    const uint8_t *leaves = (const uint8_t *)h + h->leaf_offset;
    uint32_t lanes = h->kind == ACCEL_KIND_BOXES ? ACCEL_BOX_BLOCK_WIDTH : ACCEL_TRIANGLE_BLOCK_WIDTH;
    for (uint64_t i = 0; i < h->leaf_count; i++) {
        const uint32_t *primitives = ((const struct accel_triangle_block *)leaves + i)->primitives;
        if (h->kind == ACCEL_KIND_BOXES)
            primitives = ((const struct accel_box_block *)leaves + i)->primitives;
        const uint32_t *geometries = primitives + lanes;
        for (uint32_t lane = 0; lane < lanes; lane++) {
            if (primitives[lane] == ~0u && !unused_lane_is_empty(h, i, lane))
                return reason_set(reason, STATUS_CORRUPT, "block %llu has something in the unused lane %u", (unsigned long long)i, lane);
            if (primitives[lane] != ~0u)
                RETURN_IF_FAILED(verify_id(h, geometries[lane], primitives[lane], i, reason));
        }
    }
    return STATUS_OK;
}

enum status accel_verify(const struct accel_header *structure, uint64_t available_bytes, struct reason *reason)
{
    if (accel_is_structure(structure, available_bytes) && structure->kind == ACCEL_KIND_MICROMAPS)
        return accel_micromap_verify(structure, available_bytes, reason);
    RETURN_IF_FAILED(verify_header(structure, available_bytes, reason));
    struct verify v = {structure, 0, 0, reason};
    RETURN_IF_FAILED(verify_ref(&v, structure->root, 0));
    if (v.next_node != structure->node_count)
        return reason_set(reason, STATUS_CORRUPT, "%u nodes, but only %llu are reached", structure->node_count,
                          (unsigned long long)v.next_node);
    if (accel_has_indexed_leaves(structure) && v.next_block != structure->leaf_count)
        return reason_set(reason, STATUS_CORRUPT, "leaves end at %llu of %u", (unsigned long long)v.next_block, structure->leaf_count);
    if (structure->kind != ACCEL_KIND_INSTANCES) {
        RETURN_IF_FAILED(verify_geometries(structure, reason));
        return structure->flags & ACCEL_FLAG_IDENTITY_INSTANCE
                   ? reason_set(reason, STATUS_CORRUPT, "a bottom level with the flag of a top level")
                   : verify_ids(structure, reason);
    }
    bool has_root_instance = structure->root != ACCEL_REF_EMPTY && (structure->root & ACCEL_REF_LEAF_MASK);
    if ((structure->flags & ACCEL_FLAG_IDENTITY_INSTANCE) && !has_root_instance)
        return reason_set(reason, STATUS_CORRUPT, "the single instance is not the root");
    return STATUS_OK;
}
