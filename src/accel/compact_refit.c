/* SPDX-License-Identifier: MIT
 * Three passes: leaves are read again and their boxes united per node (any order), boxes of nodes are united from the last
 * to the first (children come after their parents), nodes are quantised (any order; leaf boxes are made again from the
 * leaves, which costs less than keeping them). */
#include "accel/compact_refit.h"

#include <float.h>

#include "accel/emit.h"
#include "accel/indexed.h"
#include "accel/plan.h"
#include "base/thread_pool.h"

enum { CHUNK_NODES = 256, PREFETCH_INDEX_NODES = 2, PREFETCH_VERTEX_NODES = 1 };

struct box {
    float planes[2][3]; /* lower, upper */
};

struct compact_refit {
    const struct accel_build_inputs *inputs;
    struct accel_header *header;
    struct accel_quantized_node *nodes;
    uint8_t *leaves;
    struct box *boxes; /* of nodes */
    uint32_t failed;   /* set by any thread */
};

static const struct box empty_box = {{{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}}};

static void grow(struct box *box, const struct box *by)
{
    for (int axis = 0; axis < 3; axis++) {
        box->planes[0][axis] = by->planes[0][axis] < box->planes[0][axis] ? by->planes[0][axis] : box->planes[0][axis];
        box->planes[1][axis] = by->planes[1][axis] > box->planes[1][axis] ? by->planes[1][axis] : box->planes[1][axis];
    }
}

static void refit_box_block(const struct accel_build_inputs *inputs, struct accel_box_block *block)
{
    struct accel_ref refs[ACCEL_BOX_BLOCK_WIDTH];
    uint32_t count = 0;
    for (; count < ACCEL_BOX_BLOCK_WIDTH && block->primitives[count] != ~0u; count++) {
        refs[count].primitive = block->primitives[count];
        refs[count].geometry = block->geometries[count] & ACCEL_GEOMETRY_INDEX_MASK;
    }
    accel_emit_box_block(inputs, refs, count, block);
}

static void box_leaf_box(const struct compact_refit *r, uint32_t ref, struct box *box)
{
    const struct accel_box_block *blocks = (const struct accel_box_block *)r->leaves + (ref & ACCEL_REF_BLOCK_INDEX_MASK);
    *box = empty_box;
    for (uint32_t i = 0; i < accel_ref_block_count(ref) * ACCEL_BOX_BLOCK_WIDTH; i++) {
        const struct accel_box_block *block = &blocks[i / ACCEL_BOX_BLOCK_WIDTH];
        struct box one;
        for (int plane = 0; plane < 6; plane++)
            one.planes[plane & 1][plane / 2] = block->planes[plane][i % ACCEL_BOX_BLOCK_WIDTH];
        grow(box, &one);
    }
}

static void leaf_box(const struct compact_refit *r, uint32_t ref, struct box *box)
{
    if (accel_has_indexed_leaves(r->header))
        accel_indexed_leaf_box(accel_leaf_at(r->header, ref & ACCEL_REF_UNIT_MASK), box->planes);
    else
        box_leaf_box(r, ref, box);
}

static void refit_leaf(struct compact_refit *r, uint32_t ref, struct box *box)
{
    if (accel_has_indexed_leaves(r->header)) {
        struct accel_indexed_leaf *leaf = (struct accel_indexed_leaf *)accel_leaf_at(r->header, ref & ACCEL_REF_UNIT_MASK);
        if (!accel_indexed_leaf_refit(r->inputs, leaf))
            __atomic_store_n(&r->failed, 1, __ATOMIC_RELAXED);
    } else {
        struct accel_box_block *blocks = (struct accel_box_block *)r->leaves + (ref & ACCEL_REF_BLOCK_INDEX_MASK);
        for (uint32_t i = 0; i < accel_ref_block_count(ref); i++)
            refit_box_block(r->inputs, &blocks[i]);
    }
    leaf_box(r, ref, box);
}

static bool is_leaf(uint32_t ref)
{
    return ref != ACCEL_REF_EMPTY && (ref & ACCEL_REF_LEAF_MASK);
}

/* Leaves name primitives in any order, so their indices and vertices are asked for ahead. */
static void prefetch_node(const struct compact_refit *r, uint64_t index, bool vertices)
{
    if (index >= r->header->node_count || !accel_has_indexed_leaves(r->header))
        return;
    for (int child = 0; child < ACCEL_NODE_WIDTH; child++) {
        uint32_t ref = r->nodes[index].children[child];
        if (!is_leaf(ref))
            continue;
        const struct accel_indexed_leaf *leaf = accel_leaf_at(r->header, ref & ACCEL_REF_UNIT_MASK);
        for (uint32_t i = 0; i < accel_leaf_count(leaf); i++) {
            const struct accel_geometry *geometry = &r->inputs->geometries[accel_leaf_geometry(leaf, i) & ACCEL_GEOMETRY_INDEX_MASK];
            if (vertices)
                accel_prefetch_triangle_vertices(geometry, accel_leaf_primitive(leaf, i));
            else
                accel_prefetch_triangle_indices(geometry, accel_leaf_primitive(leaf, i));
        }
    }
}

static void refit_leaves(void *context, uint32_t chunk, uint32_t worker_index)
{
    struct compact_refit *r = context;
    uint64_t begin = (uint64_t)chunk * CHUNK_NODES, end = begin + CHUNK_NODES;
    for (uint64_t i = begin; i < end && i < r->header->node_count; i++) {
        prefetch_node(r, i + PREFETCH_INDEX_NODES, false);
        prefetch_node(r, i + PREFETCH_VERTEX_NODES, true);
        r->boxes[i] = empty_box;
        for (int child = 0; child < ACCEL_NODE_WIDTH; child++) {
            struct box box;
            if (!is_leaf(r->nodes[i].children[child]))
                continue;
            refit_leaf(r, r->nodes[i].children[child], &box);
            grow(&r->boxes[i], &box);
        }
    }
}

static void unite_nodes(struct compact_refit *r)
{
    for (uint32_t i = r->header->node_count; i-- > 0;)
        for (int child = 0; child < ACCEL_NODE_WIDTH; child++) {
            uint32_t ref = r->nodes[i].children[child];
            if (!(ref & ACCEL_REF_LEAF_MASK))
                grow(&r->boxes[i], &r->boxes[ref]);
        }
}

static void quantize_nodes(void *context, uint32_t chunk, uint32_t worker_index)
{
    struct compact_refit *r = context;
    uint64_t begin = (uint64_t)chunk * CHUNK_NODES, end = begin + CHUNK_NODES;
    for (uint64_t i = begin; i < end && i < r->header->node_count; i++) {
        struct accel_node node;
        memcpy(node.children, r->nodes[i].children, sizeof(node.children));
        for (int child = 0; child < ACCEL_NODE_WIDTH; child++) {
            uint32_t ref = node.children[child];
            struct box box = empty_box;
            if (is_leaf(ref))
                leaf_box(r, ref, &box);
            else if (ref != ACCEL_REF_EMPTY)
                box = r->boxes[ref];
            for (int plane = 0; plane < 6; plane++)
                node.planes[plane][child] = box.planes[plane & 1][plane / 2];
        }
        accel_node_quantize(&node, &r->nodes[i]);
    }
}

uint64_t accel_compact_refit_scratch_bytes(uint64_t node_count)
{
    return node_count * sizeof(struct box);
}

enum status accel_compact_refit(const struct accel_build_arguments *arguments, struct accel_header *header, struct reason *reason)
{
    uint8_t *base = (uint8_t *)header;
    struct accel_plan plan;
    RETURN_IF_FAILED(accel_plan_make(&plan, &arguments->inputs, reason));
    if (header->node_count > plan.node_count) /* nodes without primitives, which only a foreign structure has */
        return reason_set(reason, STATUS_INVALID, "update: the source has more nodes than its primitives can fill");
    struct compact_refit r = {&arguments->inputs, header, (struct accel_quantized_node *)(base + header->node_offset),
                              base + header->leaf_offset, arguments->scratch, 0};
    const uint32_t chunk_count = header->node_count / CHUNK_NODES + 1;
    struct box box = empty_box;
    thread_pool_parallel_for(arguments->pool, chunk_count, refit_leaves, &r);
    unite_nodes(&r);
    thread_pool_parallel_for(arguments->pool, chunk_count, quantize_nodes, &r);
    if (is_leaf(header->root))
        refit_leaf(&r, header->root, &box);
    else if (header->root != ACCEL_REF_EMPTY)
        box = r.boxes[header->root];
    if (header->root != ACCEL_REF_EMPTY)
        memcpy(header->bounds, box.planes, sizeof(box.planes));
    return r.failed ? reason_set(reason, STATUS_INVALID, "update: the indices are not those of the build") : STATUS_OK;
}
