/* SPDX-License-Identifier: MIT */
#include "accel/emit.h"

#include <math.h>

#include "accel/indexed.h"
#include "accel/read.h"
#include "base/thread_pool.h"

enum { PREFETCH_INDICES = 24, PREFETCH_VERTICES = 12 };

static bool is_indexed(const struct accel_emit *emit)
{
    return emit->node_flags & ACCEL_FLAG_INDEXED_LEAVES;
}

/* Where the leaf that starts with a block of a subtree begins, in units from the subtree's first leaf: kept in the second
 * buffer of the builder, beside the leaf sizes, as there are no more blocks than references. */
static uint32_t *leaf_place(const struct accel_emit *emit, const struct sah_subtree *subtree, uint32_t block)
{
    return &emit->build->refs[1][subtree->range.begin + block].geometry;
}

/* Indexed leaves: find out how long each leaf is. */
static void measure_subtree(void *context, uint32_t index, uint32_t worker_index)
{
    const struct accel_emit *emit = context;
    struct sah_subtree *subtree = &emit->build->subtrees[index];
    uint32_t units = 0, block = 0;
    for (uint32_t place = subtree->range.begin; place < subtree->range.end;) {
        const uint32_t count = emit->build->refs[1][place].primitive;
        *leaf_place(emit, subtree, block) = units;
        uint32_t bytes = accel_indexed_leaf_measure(emit->inputs, &emit->build->refs[0][place], count);
        units += (bytes + emit->leaf_unit_bytes - 1) / emit->leaf_unit_bytes;
        block += (count + emit->build->limits.block_width - 1) / emit->build->limits.block_width;
        place += count;
    }
    subtree->leaf_units = units;
}

/* Depth-first numbering of the top nodes; a subtree takes a run of numbers. */
static void number_child(struct accel_emit *emit, struct sah_subtree *subtrees, uint32_t child)
{
    if (child == ACCEL_REF_EMPTY)
        return;
    if (child & ACCEL_REF_LEAF_MASK) {
        struct sah_subtree *subtree = &subtrees[child & ~ACCEL_REF_LEAF_MASK];
        subtree->node_base = emit->node_count;
        subtree->block_base = emit->block_count;
        emit->node_count += subtree->node_count;
        emit->block_count += is_indexed(emit) ? subtree->leaf_units : subtree->block_count;
        emit->depth = subtree->depth_reached > emit->depth ? subtree->depth_reached : emit->depth;
        return;
    }
    emit->build->top[child].index = emit->node_count++;
    for (uint32_t i = 0; i < ACCEL_NODE_WIDTH; i++)
        number_child(emit, subtrees, emit->build->top_nodes[child].children[i]);
}

/* Reference in the result of a reference inside a subtree. Instances: leaf i is the instance of the i-th reference. */
static uint32_t final_ref(const struct accel_emit *emit, const struct sah_subtree *subtree, uint32_t ref)
{
    if (ref == ACCEL_REF_EMPTY)
        return ref;
    if (!(ref & ACCEL_REF_LEAF_MASK))
        return ref + subtree->node_base;
    if (is_indexed(emit))
        return ACCEL_REF_LEAF_MASK | (subtree->block_base + *leaf_place(emit, subtree, ref & ACCEL_REF_BLOCK_INDEX_MASK));
    if (emit->kind != ACCEL_KIND_INSTANCES)
        return ref + subtree->block_base;
    uint32_t place = subtree->range.begin + (ref & ACCEL_REF_BLOCK_INDEX_MASK);
    return ACCEL_REF_LEAF_MASK | emit->build->refs[0][place].primitive;
}

static uint32_t final_child(const struct accel_emit *emit, uint32_t child)
{
    if (child == ACCEL_REF_EMPTY)
        return child;
    if (!(child & ACCEL_REF_LEAF_MASK))
        return emit->build->top[child].index;
    const struct sah_subtree *subtree = &emit->build->subtrees[child & ~ACCEL_REF_LEAF_MASK];
    return final_ref(emit, subtree, subtree->root);
}

void accel_emit_number(struct accel_emit *emit, struct sah_subtree *subtrees)
{
    uint32_t root = emit->build->top_count ? 0 : ACCEL_REF_LEAF_MASK;
    emit->node_count = emit->block_count = emit->depth = 0;
    if (is_indexed(emit))
        thread_pool_parallel_for(emit->build->pool, emit->build->subtree_count, measure_subtree, emit);
    number_child(emit, subtrees, root);
    emit->root = final_child(emit, root);
}

static void mark_unused(uint32_t *primitive, uint32_t *geometry)
{
    *primitive = ~0u;
    *geometry = 0;
}

static uint32_t geometry_word(const struct accel_build_inputs *inputs, uint32_t geometry)
{
    return geometry | inputs->geometries[geometry].flags << ACCEL_GEOMETRY_FLAGS_SHIFT;
}

void accel_emit_triangle_block(const struct accel_build_inputs *inputs, const struct accel_ref *refs, uint32_t count,
                               struct accel_triangle_block *block)
{
    accel_read_kernels()->block(inputs, refs, count, block);
}

void accel_emit_box_block(const struct accel_build_inputs *inputs, const struct accel_ref *refs, uint32_t count,
                          struct accel_box_block *block)
{
    for (uint32_t lane = 0; lane < ACCEL_BOX_BLOCK_WIDTH; lane++) {
        float box[2][3];
        bool active = false;
        if (lane < count) {
            active = accel_read_box(&inputs->geometries[refs[lane].geometry], refs[lane].primitive, box);
            block->primitives[lane] = refs[lane].primitive;
            block->geometries[lane] = geometry_word(inputs, refs[lane].geometry);
        } else {
            mark_unused(&block->primitives[lane], &block->geometries[lane]);
        }
        for (int axis = 0; axis < 3; axis++) {
            block->planes[axis * 2][lane] = active ? box[0][axis] : FLT_MAX;
            block->planes[axis * 2 + 1][lane] = active ? box[1][axis] : -FLT_MAX;
        }
    }
}

static void prefetch(const struct accel_emit *emit, uint32_t place, uint32_t end)
{
    const struct accel_ref *refs = emit->build->refs[0];
    for (uint32_t i = place; i < place + ACCEL_TRIANGLE_BLOCK_WIDTH; i++) {
        if (i + PREFETCH_INDICES < end) {
            const struct accel_ref *ref = &refs[i + PREFETCH_INDICES];
            accel_prefetch_triangle_indices(&emit->inputs->geometries[ref->geometry], ref->primitive);
        }
        if (i + PREFETCH_VERTICES < end) {
            const struct accel_ref *ref = &refs[i + PREFETCH_VERTICES];
            accel_prefetch_triangle_vertices(&emit->inputs->geometries[ref->geometry], ref->primitive);
        }
    }
}

/* The blocks of one leaf, which starts at reference place. Returns the number of references that it takes. */
static uint32_t emit_leaf(const struct accel_emit *emit, uint32_t block, uint32_t block_count, uint32_t place,
                          uint32_t count, uint32_t end)
{
    const struct accel_ref *refs = &emit->build->refs[0][place];
    uint32_t width = emit->build->limits.block_width;
    for (uint32_t i = 0; i < block_count; i++) {
        uint32_t done = i * width, lanes = count - done < width ? count - done : width;
        if (emit->kind == ACCEL_KIND_BOXES) {
            accel_emit_box_block(emit->inputs, refs + done, lanes, (struct accel_box_block *)emit->blocks + block + i);
            continue;
        }
        prefetch(emit, place + done, end);
        accel_emit_triangle_block(emit->inputs, refs + done, lanes, (struct accel_triangle_block *)emit->blocks + block + i);
    }
    return count;
}

static void write_node(const struct accel_emit *emit, uint32_t index, const struct accel_node *node)
{
    if (emit->node_flags & ACCEL_FLAG_QUANTIZED_NODES)
        accel_node_quantize(node, (struct accel_quantized_node *)emit->nodes + index);
    else
        memcpy((struct accel_node *)emit->nodes + index, node, sizeof(*node));
}

static void write_indexed_leaves(const struct accel_emit *emit, const struct sah_subtree *subtree)
{
    uint32_t unit = subtree->block_base;
    for (uint32_t place = subtree->range.begin; place < subtree->range.end;) {
        const uint32_t count = emit->build->refs[1][place].primitive;
        struct accel_indexed_leaf *leaf = (void *)((uint8_t *)emit->blocks + unit * (uint64_t)emit->leaf_unit_bytes);
        prefetch(emit, place, subtree->range.end);
        prefetch(emit, place + ACCEL_TRIANGLE_BLOCK_WIDTH, subtree->range.end);
        accel_indexed_leaf_write(emit->inputs, &emit->build->refs[0][place], count, emit->leaf_unit_bytes, leaf);
        unit += accel_leaf_units(leaf, emit->leaf_unit_bytes);
        place += count;
    }
}

/* Leaves of a subtree lie in reference order; their counts are in leaf_counts order of the builder. */
static void write_subtree(void *context, uint32_t index, uint32_t worker_index)
{
    const struct accel_emit *emit = context;
    const struct sah_subtree *subtree = &emit->build->subtrees[index];
    const struct accel_node *from = emit->build->nodes + subtree->node_slot;
    for (uint32_t i = 0; i < subtree->node_count; i++) {
        struct accel_node node;
        memcpy(node.planes, from[i].planes, sizeof(node.planes));
        for (uint32_t child = 0; child < ACCEL_NODE_WIDTH; child++)
            node.children[child] = final_ref(emit, subtree, from[i].children[child]);
        write_node(emit, subtree->node_base + i, &node);
    }
    if (emit->kind == ACCEL_KIND_INSTANCES)
        return;
    if (is_indexed(emit)) {
        write_indexed_leaves(emit, subtree);
        return;
    }
    for (uint32_t place = subtree->range.begin, block = 0; place < subtree->range.end;) {
        /* the builder left the leaf's size in its first reference's slot of the second buffer */
        const uint32_t count = emit->build->refs[1][place].primitive;
        uint32_t blocks = (count + emit->build->limits.block_width - 1) / emit->build->limits.block_width;
        place += emit_leaf(emit, subtree->block_base + block, blocks, place, count, subtree->range.end);
        block += blocks;
    }
}

void accel_emit_write(struct accel_emit *emit)
{
    for (uint32_t i = 0; i < emit->build->top_count; i++) {
        struct accel_node node = emit->build->top_nodes[i];
        for (uint32_t child = 0; child < ACCEL_NODE_WIDTH; child++)
            node.children[child] = final_child(emit, node.children[child]);
        write_node(emit, emit->build->top[i].index, &node);
    }
    thread_pool_parallel_for(emit->build->pool, emit->build->subtree_count, write_subtree, emit);
}
