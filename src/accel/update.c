/* SPDX-License-Identifier: MIT */
#include "accel/update.h"

#include <math.h>
#include <string.h>

#include "accel/emit.h"
#include "accel/micromap.h"
#include "base/thread_pool.h"

enum { CHUNK_BLOCKS = 2048, CHUNK_NODES = 512, PREFETCH_INDEX_BLOCKS = 12, PREFETCH_VERTEX_BLOCKS = 6 };

static enum status check_geometry(const struct accel_geometry *geometry, const struct accel_geometry_entry *entry,
                                  uint32_t index, struct reason *reason)
{
    if (geometry->type != entry->type || geometry->flags != entry->flags)
        return reason_set(reason, STATUS_INVALID, "update: geometry %u has another type or other flags than the source", index);
    if (accel_geometry_primitive_count(geometry) != entry->primitive_count)
        return reason_set(reason, STATUS_INVALID, "update: geometry %u has %llu primitives, the source %u", index,
                          (unsigned long long)accel_geometry_primitive_count(geometry), entry->primitive_count);
    if (geometry->type == ACCEL_GEOMETRY_BOXES)
        return STATUS_OK;
    const struct accel_triangles *t = &geometry->triangles;
    if (t->vertex_format != entry->vertex_format || t->index_format != entry->index_format ||
        t->vertex_count != entry->vertex_count)
        return reason_set(reason, STATUS_INVALID, "update: geometry %u has other formats or vertex counts than the source", index);
    return STATUS_OK;
}

/* Flags match the source's; only further updates may be given up, all kinds together. */
static bool flags_fit(uint32_t flags, uint32_t source_flags)
{
    const uint32_t allow = ACCEL_BUILD_FLAG_ALLOW_UPDATE | ACCEL_BUILD_FLAG_ALLOW_OMM_UPDATE;
    flags &= ~(uint32_t)ACCEL_BUILD_FLAG_PERFORM_UPDATE;
    return flags == source_flags || flags == (source_flags & ~allow);
}

enum status accel_update_check(const struct accel_build_arguments *arguments, struct reason *reason)
{
    const struct accel_build_inputs *inputs = &arguments->inputs;
    const struct accel_header *source = arguments->source;
    RETURN_IF_FAILED(accel_check_inputs(inputs, reason));
    if (!accel_is_structure(source, ~0ull) || source->kind == ACCEL_KIND_MICROMAPS)
        return reason_set(reason, STATUS_INVALID, "update: the source is no acceleration structure");
    if (!(source->build_flags & ACCEL_BUILD_FLAG_ALLOW_UPDATE))
        return reason_set(reason, STATUS_INVALID, "update: the source was built without ALLOW_UPDATE");
    if (!flags_fit(inputs->flags, source->build_flags))
        return reason_set(reason, STATUS_INVALID, "update: flags 0x%x differ from the source's 0x%x", inputs->flags,
                          source->build_flags);
    bool is_top = source->kind == ACCEL_KIND_INSTANCES;
    if (is_top != (inputs->level == ACCEL_LEVEL_TOP))
        return reason_set(reason, STATUS_INVALID, "update: the source is of the other level");
    uint32_t count = is_top ? source->leaf_count : source->geometry_count;
    if (inputs->count != count)
        return reason_set(reason, STATUS_INVALID, "update: NumDescs is %u, the source has %u", inputs->count, count);
    const struct accel_geometry_entry *entries = (const void *)((const uint8_t *)source + source->geometry_offset);
    for (uint32_t i = 0; !is_top && i < count; i++)
        RETURN_IF_FAILED(check_geometry(&inputs->geometries[i], &entries[i], i, reason));
    return is_top ? STATUS_OK : accel_micromap_link_check_update(inputs, source, reason);
}

struct refit {
    const struct accel_build_inputs *inputs;
    struct accel_header *header;
    struct accel_node *nodes;
    uint8_t *leaves;
    bool is_boxes;
};

static void refit_triangles(const struct refit *r, struct accel_triangle_block *block)
{
    struct accel_ref refs[ACCEL_TRIANGLE_BLOCK_WIDTH];
    uint32_t count = 0;
    for (; count < ACCEL_TRIANGLE_BLOCK_WIDTH && block->primitives[count] != ~0u; count++) {
        refs[count].primitive = block->primitives[count];
        refs[count].geometry = block->geometries[count] & ACCEL_GEOMETRY_INDEX_MASK;
    }
    accel_emit_triangle_block(r->inputs, refs, count, block);
}

static void refit_boxes(const struct refit *r, struct accel_box_block *block)
{
    struct accel_ref refs[ACCEL_BOX_BLOCK_WIDTH];
    uint32_t count = 0;
    for (; count < ACCEL_BOX_BLOCK_WIDTH && block->primitives[count] != ~0u; count++) {
        refs[count].primitive = block->primitives[count];
        refs[count].geometry = block->geometries[count] & ACCEL_GEOMETRY_INDEX_MASK;
    }
    accel_emit_box_block(r->inputs, refs, count, block);
}

/* Blocks name primitives in any order, so their indices and vertices are asked for ahead. */
static void prefetch_block(const struct refit *r, uint64_t block, bool vertices)
{
    if (block >= r->header->leaf_count || r->is_boxes)
        return;
    const struct accel_triangle_block *b = (const struct accel_triangle_block *)r->leaves + block;
    for (uint32_t lane = 0; lane < ACCEL_TRIANGLE_BLOCK_WIDTH && b->primitives[lane] != ~0u; lane++) {
        const struct accel_geometry *geometry = &r->inputs->geometries[b->geometries[lane] & ACCEL_GEOMETRY_INDEX_MASK];
        if (vertices)
            accel_prefetch_triangle_vertices(geometry, b->primitives[lane]);
        else
            accel_prefetch_triangle_indices(geometry, b->primitives[lane]);
    }
}

static void refit_blocks(void *context, uint32_t chunk, uint32_t worker_index)
{
    const struct refit *r = context;
    uint64_t begin = (uint64_t)chunk * CHUNK_BLOCKS, end = begin + CHUNK_BLOCKS;
    for (uint64_t i = begin; i < end && i < r->header->leaf_count; i++) {
        prefetch_block(r, i + PREFETCH_INDEX_BLOCKS, false);
        prefetch_block(r, i + PREFETCH_VERTEX_BLOCKS, true);
        if (r->is_boxes)
            refit_boxes(r, (struct accel_box_block *)r->leaves + i);
        else
            refit_triangles(r, (struct accel_triangle_block *)r->leaves + i);
    }
}

/* Lane by lane; what compares false (the NaN of unused lanes) changes nothing. */
static void grow(simd4 *lower, simd4 *upper, const float *low, const float *high)
{
    simd4 l, u;
    memcpy(&l, low, sizeof(l));
    memcpy(&u, high, sizeof(u));
    simd4i below = l < *lower, above = u > *upper;
    *lower = (simd4)((below & (simd4i)l) | (~below & (simd4i)*lower));
    *upper = (simd4)((above & (simd4i)u) | (~above & (simd4i)*upper));
}

static void reduce(simd4 lower, simd4 upper, float box[2][3], int axis)
{
    box[0][axis] = lower[0];
    box[1][axis] = upper[0];
    for (int i = 1; i < 4; i++) {
        box[0][axis] = lower[i] < box[0][axis] ? lower[i] : box[0][axis];
        box[1][axis] = upper[i] > box[1][axis] ? upper[i] : box[1][axis];
    }
}

/* Union of eight boxes in the layout of node planes. */
static void planes_box(const float planes[6][8], simd4 *lower, simd4 *upper, int axis)
{
    grow(lower, upper, planes[axis * 2], planes[axis * 2 + 1]);
    grow(lower, upper, planes[axis * 2] + 4, planes[axis * 2 + 1] + 4);
}

static void leaf_box(const struct refit *r, uint32_t ref, float box[2][3])
{
    uint32_t first = ref & ACCEL_REF_BLOCK_INDEX_MASK, end = first + accel_ref_block_count(ref);
    for (int axis = 0; axis < 3; axis++) {
        simd4 lower = {FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX}, upper = -lower;
        for (uint32_t i = first; i < end; i++) {
            const struct accel_triangle_block *block = (const struct accel_triangle_block *)r->leaves + i;
            if (r->is_boxes)
                planes_box(((const struct accel_box_block *)r->leaves + i)->planes, &lower, &upper, axis);
            for (int vertex = 0; !r->is_boxes && vertex < 3; vertex++)
                grow(&lower, &upper, block->vertices[axis][vertex], block->vertices[axis][vertex]);
        }
        reduce(lower, upper, box, axis);
    }
}

static void node_box(const struct accel_node *node, float box[2][3])
{
    for (int axis = 0; axis < 3; axis++) {
        simd4 lower = {FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX}, upper = -lower;
        planes_box(node->planes, &lower, &upper, axis);
        reduce(lower, upper, box, axis);
    }
}

static void set_box(struct accel_node *node, int child, const float box[2][3])
{
    for (int axis = 0; axis < 3; axis++) {
        node->planes[axis * 2][child] = box[0][axis];
        node->planes[axis * 2 + 1][child] = box[1][axis];
    }
}

/* Boxes of leaves: any order. */
static void refit_leaf_boxes(void *context, uint32_t chunk, uint32_t worker_index)
{
    const struct refit *r = context;
    uint64_t begin = (uint64_t)chunk * CHUNK_NODES, end = begin + CHUNK_NODES;
    for (uint64_t i = begin; i < end && i < r->header->node_count; i++)
        for (int child = 0; child < ACCEL_NODE_WIDTH; child++) {
            uint32_t ref = r->nodes[i].children[child];
            float box[2][3];
            if (ref == ACCEL_REF_EMPTY || !(ref & ACCEL_REF_LEAF_MASK))
                continue;
            leaf_box(r, ref, box);
            set_box(&r->nodes[i], child, box);
        }
}

/* Boxes of nodes: children come after their parents, so from the last to the first. */
static void refit_node_boxes(const struct refit *r)
{
    float box[2][3];
    for (uint32_t i = r->header->node_count; i-- > 0;)
        for (int child = 0; child < ACCEL_NODE_WIDTH; child++) {
            uint32_t ref = r->nodes[i].children[child];
            if (ref & ACCEL_REF_LEAF_MASK)
                continue;
            node_box(&r->nodes[ref], box);
            set_box(&r->nodes[i], child, box);
        }
    uint32_t root = r->header->root;
    if (root == ACCEL_REF_EMPTY)
        return;
    if (root & ACCEL_REF_LEAF_MASK)
        leaf_box(r, root, box);
    else
        node_box(&r->nodes[root], box);
    memcpy(r->header->bounds, box, sizeof(box));
}

void accel_update_bottom(const struct accel_build_arguments *arguments)
{
    const struct accel_header *source = arguments->source;
    struct accel_header *header = arguments->result;
    if (header != source)
        memmove(header, source, source->structure_bytes);
    uint8_t *base = (uint8_t *)header;
    struct refit r = {&arguments->inputs, header, (struct accel_node *)(base + header->node_offset), base + header->leaf_offset,
                      header->kind == ACCEL_KIND_BOXES};
    header->magic = 0;
    thread_pool_parallel_for(arguments->pool, header->leaf_count / CHUNK_BLOCKS + 1, refit_blocks, &r);
    thread_pool_parallel_for(arguments->pool, header->node_count / CHUNK_NODES + 1, refit_leaf_boxes, &r);
    refit_node_boxes(&r);
    if (accel_micromap_links(header) && (header->build_flags & ACCEL_BUILD_FLAG_ALLOW_OMM_UPDATE))
        accel_micromap_link_write(&arguments->inputs, header);
    header->build_flags = arguments->inputs.flags & ~(uint32_t)ACCEL_BUILD_FLAG_PERFORM_UPDATE;
    header->updates++;
    header->magic = ACCEL_MAGIC;
}
