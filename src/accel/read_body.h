/* SPDX-License-Identifier: MIT
 * The loops of accel/read.h. A read_<isa>.c file defines READ_KERNELS and includes this. */
#include <math.h>

#include "accel/emit.h"
#include "accel/gather.h"
#include "accel/read.h"

enum { PREFETCH_INDEX_BLOCKS = 16, PREFETCH_VERTEX_BLOCKS = 8 };

static bool read_slow_ref(const struct accel_geometry *geometry, uint32_t primitive, bool keep_degenerate, simd4 v[3])
{
    float corners[3][3];
    bool active = keep_degenerate ? accel_read_corners(geometry, primitive, corners)
                                  : accel_read_triangle(geometry, primitive, corners);
    for (int i = 0; i < 3 && active; i++)
        v[i] = (simd4){corners[i][0], corners[i][1], corners[i][2], 0};
    return active;
}

static void read_refs(const struct accel_read_range *range, bool keep_degenerate, struct accel_ref *refs,
                      struct accel_refs_result *result)
{
    const struct accel_geometry *geometry = &range->inputs->geometries[range->geometry_index];
    struct gather g = gather_make(geometry);
    struct accel_refs_result grown = *result;
    for (uint32_t i = range->begin; i < range->end; i++) {
        simd4 v[3];
        bool active;
        if (gather_corners(&g, i, v))
            active = gather_is_finite(v) && (keep_degenerate || !gather_is_degenerate(v));
        else
            active = read_slow_ref(geometry, i, keep_degenerate, v);
        if (!active)
            continue;
        simd4i low = (simd4i)gather_max(gather_max(-v[0], -v[1]), -v[2]), high = (simd4i)gather_max(gather_max(v[0], v[1]), v[2]);
        low[3] = (int32_t)range->geometry_index;
        high[3] = (int32_t)i;
        simd8_store(&refs[grown.count], simd8_join((simd4)low, (simd4)high));
        accel_ref_grow(&grown, &refs[grown.count]);
        grown.count++;
    }
    *result = grown;
}

static void read_store(struct accel_triangle_block *block, const simd4 v[3][3], simd4i inactive)
{
    const simd4 nan = {NAN, NAN, NAN, NAN};
    for (int axis = 0; axis < 3; axis++)
        for (int vertex = 0; vertex < 3; vertex++) {
            simd4i value = (inactive & (simd4i)nan) | (~inactive & (simd4i)v[axis][vertex]);
            memcpy(block->vertices[axis][vertex], &value, sizeof(value));
        }
}

static void read_slow_lane(const struct accel_geometry *geometry, uint32_t primitive, uint32_t lane,
                           struct accel_triangle_block *block)
{
    float corners[3][3];
    bool active = accel_read_triangle(geometry, primitive, corners);
    for (int axis = 0; axis < 3; axis++)
        for (int vertex = 0; vertex < 3; vertex++)
            block->vertices[axis][vertex][lane] = active ? corners[vertex][axis] : NAN;
}

/* Vertices of count lanes whose ids are in the block; the other lanes get NaN. g: of the first lane's geometry. */
static inline void read_vertices(const struct accel_build_inputs *inputs, const struct gather *g, uint32_t count,
                                 struct accel_triangle_block *block)
{
    uint32_t primitives[4], first = block->geometries[0];
    bool same = true;
    for (uint32_t lane = 0; lane < ACCEL_TRIANGLE_BLOCK_WIDTH; lane++) {
        primitives[lane] = block->primitives[lane < count ? lane : 0];
        same &= lane >= count || block->geometries[lane] == first;
    }
    simd4 v[3][3];
    if (same && gather_block(g, primitives, v)) {
        int32_t n = (int32_t)count;
        simd4i unused = (simd4i){0, 1, 2, 3} >= (simd4i){n, n, n, n};
        read_store(block, v, gather_block_inactive(v) | unused);
        return;
    }
    for (uint32_t lane = 0; lane < ACCEL_TRIANGLE_BLOCK_WIDTH; lane++) {
        if (lane < count)
            read_slow_lane(&inputs->geometries[block->geometries[lane] & ACCEL_GEOMETRY_INDEX_MASK], primitives[lane], lane, block);
        for (int i = 0; i < 9 && lane >= count; i++)
            block->vertices[i / 3][i % 3][lane] = NAN;
    }
}

static void read_block(const struct accel_build_inputs *inputs, const struct accel_ref *refs, uint32_t count,
                       struct accel_triangle_block *block)
{
    for (uint32_t lane = 0; lane < ACCEL_TRIANGLE_BLOCK_WIDTH; lane++) {
        bool used = lane < count;
        uint32_t geometry = used ? refs[lane].geometry : 0;
        block->primitives[lane] = used ? refs[lane].primitive : ~0u;
        block->geometries[lane] = used ? geometry | inputs->geometries[geometry].flags << ACCEL_GEOMETRY_FLAGS_SHIFT : 0;
    }
    struct gather g = gather_make(&inputs->geometries[refs[0].geometry]);
    read_vertices(inputs, &g, count, block);
}

/* Blocks name primitives in any order, so what later blocks need is asked for ahead. */
static inline void refit_prefetch(const struct accel_refit *r, const struct gather *g, uint64_t block)
{
    const struct accel_triangle_block *b = (const struct accel_triangle_block *)r->leaves + block;
    if (block + PREFETCH_INDEX_BLOCKS >= r->header->leaf_count || !g->indices)
        return;
    for (int lane = 0; lane < ACCEL_TRIANGLE_BLOCK_WIDTH; lane++) {
        uint32_t near = b[PREFETCH_VERTEX_BLOCKS].primitives[lane];
        __builtin_prefetch(g->indices + b[PREFETCH_INDEX_BLOCKS].primitives[lane] * 12ull);
        if (near >= g->primitive_limit)
            continue;
        simd4i indices = gather_load_indices(g, near);
        __builtin_prefetch(g->vertices + (uint32_t)indices[0] * g->stride_bytes);
        __builtin_prefetch(g->vertices + (uint32_t)indices[2] * g->stride_bytes);
    }
}

static inline uint32_t used_lanes(const uint32_t *primitives, uint32_t width)
{
    uint32_t count = 0;
    while (count < width && primitives[count] != ~0u)
        count++;
    return count;
}

/* { -lower, upper } of four lanes per axis, as one box. */
static inline simd8 reduce(const simd4 low[3], const simd4 high[3])
{
    simd4 rows[6] = {low[0], low[1], low[2], high[0], high[1], high[2]}, pairs[3];
    for (int i = 0; i < 3; i++)
        pairs[i] = gather_max(__builtin_shufflevector(rows[2 * i], rows[2 * i + 1], 0, 1, 4, 5),
                              __builtin_shufflevector(rows[2 * i], rows[2 * i + 1], 2, 3, 6, 7));
    simd4 a = gather_max(__builtin_shufflevector(pairs[0], pairs[1], 0, 2, 4, 6), __builtin_shufflevector(pairs[0], pairs[1], 1, 3, 5, 7));
    simd4 b = gather_max(__builtin_shufflevector(pairs[2], pairs[2], 0, 2, 4, 6), __builtin_shufflevector(pairs[2], pairs[2], 1, 3, 5, 7));
    return simd8_join((simd4){a[0], a[1], a[2], 0}, (simd4){a[3], b[0], b[1], 0});
}

static inline void start_box(simd4 low[3], simd4 high[3])
{
    for (int axis = 0; axis < 3; axis++)
        low[axis] = high[axis] = (simd4){-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX};
}

/* Grow by eight boxes in the layout of node planes. */
static inline void grow_planes(const float planes[6][8], simd4 low[3], simd4 high[3])
{
    for (int axis = 0; axis < 3; axis++)
        for (int half = 0; half < 8; half += 4) {
            low[axis] = gather_max(-gather_load(&planes[axis * 2][half]), low[axis]);
            high[axis] = gather_max(gather_load(&planes[axis * 2 + 1][half]), high[axis]);
        }
}

static simd8 refit_box_leaf(const struct accel_refit *r, uint32_t first, uint32_t end)
{
    simd4 low[3], high[3];
    start_box(low, high);
    for (uint32_t i = first; i < end; i++) {
        struct accel_box_block *block = (struct accel_box_block *)r->leaves + i;
        struct accel_ref refs[ACCEL_BOX_BLOCK_WIDTH];
        uint32_t count = used_lanes(block->primitives, ACCEL_BOX_BLOCK_WIDTH);
        for (uint32_t lane = 0; lane < count; lane++) {
            refs[lane].primitive = block->primitives[lane];
            refs[lane].geometry = block->geometries[lane] & ACCEL_GEOMETRY_INDEX_MASK;
        }
        accel_emit_box_block(r->inputs, refs, count, block);
        grow_planes(block->planes, low, high);
    }
    return reduce(low, high);
}

static inline simd8 refit_leaf(const struct accel_refit *r, const struct gather *first_geometry, uint32_t ref)
{
    uint32_t first = ref & ACCEL_REF_BLOCK_INDEX_MASK, end = first + accel_ref_block_count(ref);
    if (r->is_boxes)
        return refit_box_leaf(r, first, end);
    simd4 low[3], high[3];
    start_box(low, high);
    for (uint32_t i = first; i < end; i++) {
        struct accel_triangle_block *block = (struct accel_triangle_block *)r->leaves + i;
        uint32_t count = used_lanes(block->primitives, ACCEL_TRIANGLE_BLOCK_WIDTH);
        uint32_t geometry = block->geometries[0] & ACCEL_GEOMETRY_INDEX_MASK;
        struct gather g = geometry ? gather_make(&r->inputs->geometries[geometry]) : *first_geometry;
        refit_prefetch(r, &g, i);
        read_vertices(r->inputs, &g, count, block);
        for (int axis = 0; axis < 3; axis++)
            for (int vertex = 0; vertex < 3; vertex++) {
                simd4 v = gather_load(block->vertices[axis][vertex]);
                low[axis] = gather_max(-v, low[axis]);
                high[axis] = gather_max(v, high[axis]);
            }
    }
    return reduce(low, high);
}

static inline void refit_set_box(struct accel_node *node, uint32_t child, simd8 box)
{
    simd4 low = -simd8_low(box), high = simd8_high(box);
    for (int axis = 0; axis < 3; axis++) {
        node->planes[axis * 2][child] = low[axis];
        node->planes[axis * 2 + 1][child] = high[axis];
    }
}

static simd8 refit_planes_box(const struct accel_node *node)
{
    simd4 low[3], high[3];
    start_box(low, high);
    grow_planes(node->planes, low, high);
    return reduce(low, high);
}

/* Depth first, so that nodes and blocks are met in the order in which they lie. */
static simd8 refit_inside(const struct accel_refit *r, const struct gather *g, uint32_t ref)
{
    if (ref & ACCEL_REF_LEAF_MASK)
        return refit_leaf(r, g, ref);
    struct accel_node *node = &r->nodes[ref];
    simd8 box = simd8_empty_box();
    for (uint32_t child = 0; child < ACCEL_NODE_WIDTH; child++) {
        if (node->children[child] == ACCEL_REF_EMPTY)
            continue;
        simd8 inside = refit_inside(r, g, node->children[child]);
        refit_set_box(node, child, inside);
        box = simd8_max(inside, box);
    }
    return box;
}

static void read_refit(const struct accel_refit *refit, uint32_t ref, simd8 *box)
{
    *box = simd8_empty_box();
    if (ref == ACCEL_REF_EMPTY)
        return;
    struct gather g = gather_make(&refit->inputs->geometries[0]);
    *box = refit_inside(refit, &g, ref);
}

static void read_node_box(const struct accel_node *node, simd8 *box)
{
    *box = refit_planes_box(node);
}

static void read_refit_node(const struct accel_refit *refit, uint32_t index)
{
    struct gather g = gather_make(&refit->inputs->geometries[0]);
    struct accel_node *node = &refit->nodes[index];
    for (uint32_t child = 0; child < ACCEL_NODE_WIDTH; child++) {
        uint32_t ref = node->children[child];
        if (ref == ACCEL_REF_EMPTY)
            continue;
        refit_set_box(node, child, ref & ACCEL_REF_LEAF_MASK ? refit_leaf(refit, &g, ref) : refit_planes_box(&refit->nodes[ref]));
    }
}

const struct accel_read_kernels READ_KERNELS = {read_refs, read_block, read_refit, read_refit_node, read_node_box};
