/* SPDX-License-Identifier: MIT
 * The traversal kernel, written once over lane operations. A kernel_<isa>.c file includes a lanes_<isa>.h, defines
 * TRACE_KERNEL_ISA and TRACE_KERNEL_TABLE, and includes this file.
 *
 * Lane operations (lanes8: one register of node planes; lanes4: a triangle block's lane):
 *   lanesN_load, _splat, _min, _max (second operand when one is NaN), _le_mask (bit i: a[i] <= b[i], false for NaN)
 *   lanes8_mul_add (fused or not: only for box tests, which are conservative), lanes8_store
 *   lanes4_sub, lanes4_mul (one rounding each: they decide hits and must give the same bits everywhere)
 * LANES_HAS_PUSH: the file brings its own kernel_push. LANES_HAS_PACKET: its own lanesp operations, else packets are
 * made of lanes8. */

#include <stdbool.h>

#include "accel/layout_compact.h"
#include "trace/micromap.h"
#include "trace/state.h"
#include "trace/triangle.h"

#define KERNEL_INLINE static inline __attribute__((always_inline))

#include "trace/quant_body.h"

enum kernel_mode {
    KERNEL_RESUMABLE, /* candidates come out, opaque triangles are committed in visible.committed */
    KERNEL_CLOSEST,   /* all triangles are opaque, boxes are passed over */
    KERNEL_ANY,       /* the same, ends at the first hit */
};
enum { KERNEL_CONTINUE = 3 }; /* beside enum trace_event */

struct kernel_ids {
    uint32_t instance, geometry, primitive;
};

struct kernel_best {
    struct kernel_ids ids;
    bool is_hit;
    uint32_t hit_kind;
    float barycentrics[2];
};

/* What is not usual about the structure at hand. */
enum kernel_format {
    KERNEL_FORMAT_PLAIN = 0, /* plain nodes; triangle blocks or instances */
    KERNEL_FORMAT_QUANTIZED = 1, /* nodes */
    KERNEL_FORMAT_INDEXED = 2, /* leaves */
    KERNEL_FORMAT_BOXES = 4, /* leaves */
};

/* The part of a traversal that its inner loop changes, and what it needs of the structure at hand. */
struct kernel_cursor {
    uint32_t stack_count;
    float t_max;
    const struct trace_space *space;
    const uint8_t *nodes;
    const uint8_t *leaves;
    uint32_t node_bytes, leaf_bytes, leaf_mask; /* places of what references name */
    enum kernel_format format;
    struct kernel_best best; /* direct calls only */
};

KERNEL_INLINE void kernel_load_format(struct kernel_cursor *c, const struct accel_header *structure)
{
    c->format = structure->flags & (ACCEL_FLAG_QUANTIZED_NODES | ACCEL_FLAG_INDEXED_LEAVES);
    if (c->format & KERNEL_FORMAT_QUANTIZED)
        c->node_bytes = sizeof(struct accel_quantized_node);
    if (c->format & KERNEL_FORMAT_INDEXED) {
        c->leaf_bytes = structure->leaf_unit_bytes;
        c->leaf_mask = ACCEL_REF_UNIT_MASK;
    }
    if (structure->kind == ACCEL_KIND_BOXES) {
        c->format |= KERNEL_FORMAT_BOXES;
        c->leaf_bytes = sizeof(struct accel_box_block);
    }
    if (structure->kind == ACCEL_KIND_INSTANCES) {
        c->leaf_bytes = sizeof(struct abi_instance);
        c->leaf_mask = ACCEL_REF_INSTANCE_MASK;
    }
}

KERNEL_INLINE void kernel_load_space(struct kernel_cursor *c, const struct trace_space *space,
                                     const struct accel_header *structure)
{
    c->space = space;
    c->nodes = (const uint8_t *)structure + structure->node_offset;
    c->leaves = (const uint8_t *)structure + structure->leaf_offset;
    c->format = KERNEL_FORMAT_PLAIN;
    c->node_bytes = sizeof(struct accel_node);
    c->leaf_bytes = sizeof(struct accel_triangle_block);
    c->leaf_mask = ACCEL_REF_BLOCK_INDEX_MASK;
    if (__builtin_expect((structure->flags & (ACCEL_FLAG_QUANTIZED_NODES | ACCEL_FLAG_INDEXED_LEAVES)) |
                             (structure->kind != ACCEL_KIND_TRIANGLES), 0))
        kernel_load_format(c, structure);
}

KERNEL_INLINE void kernel_prefetch(const uint8_t *p, uint32_t lines)
{
    for (uint32_t i = 0; i < lines; i++)
        __builtin_prefetch(p + i * 64);
}

/* Ask for what a reference names: a node, the head of a leaf, an instance. Without branches: what a child is cannot be
 * predicted. */
KERNEL_INLINE void kernel_prefetch_child(const struct kernel_cursor *c, uint32_t ref)
{
    const uint64_t is_leaf = (uint64_t)((int64_t)(int32_t)ref >> 63); /* all bits or none */
    const uint64_t index = ref & ((is_leaf & c->leaf_mask) | ~is_leaf);
    const uint64_t stride = c->node_bytes ^ (is_leaf & (c->node_bytes ^ c->leaf_bytes));
    const uint64_t base = (uintptr_t)c->nodes ^ (is_leaf & ((uintptr_t)c->nodes ^ (uintptr_t)c->leaves));
    kernel_prefetch((const uint8_t *)(base + index * stride), 4);
}

/* What the box test needs of a space, in registers for as long as a walk stays in that space. */
struct kernel_boxes {
    const struct trace_space *space;
    lanes8 mul[3], near_add[3], far_add[3], t_min;
    uint32_t near_plane[3];
};

KERNEL_INLINE void kernel_boxes_load(struct kernel_boxes *b, const struct trace_space *space, float t_min)
{
    b->space = space;
    b->t_min = lanes8_splat(t_min);
    for (int axis = 0; axis < 3; axis++) {
        b->mul[axis] = lanes8_splat(space->mul[axis]);
        b->near_add[axis] = lanes8_splat(space->near_add[axis]);
        b->far_add[axis] = lanes8_splat(space->far_add[axis]);
        b->near_plane[axis] = space->near_plane[axis];
    }
}

/* The node, or what quant_open_node makes of it in opened. */
KERNEL_INLINE const struct accel_node *kernel_node(const struct kernel_cursor *c, uint32_t ref, struct accel_node *opened)
{
    const uint8_t *node = c->nodes + (uint64_t)ref * c->node_bytes;
    if (__builtin_expect(!(c->format & KERNEL_FORMAT_QUANTIZED), 1))
        return (const struct accel_node *)node;
    quant_open_node((const struct accel_quantized_node *)node, opened);
    return opened;
}

/* Bit i: the ray may be inside box i somewhere in [t_min, t_max]. */
KERNEL_INLINE uint32_t kernel_test_boxes(const struct kernel_boxes *b, const uint8_t *planes, float t_max, lanes8 *t_near)
{
    lanes8 enter[3], leave[3];
    for (int axis = 0; axis < 3; axis++) {
        enter[axis] = lanes8_mul_add(lanes8_load((const float *)(planes + b->near_plane[axis])), b->mul[axis], b->near_add[axis]);
        leave[axis] = lanes8_mul_add(lanes8_load((const float *)(planes + (b->near_plane[axis] ^ 32))), b->mul[axis], b->far_add[axis]);
    }
    /* as trees, not chains: a node's latency is what a ray waits for */
    lanes8 near = lanes8_max(lanes8_max(enter[0], enter[1]), lanes8_max(enter[2], b->t_min));
    lanes8 far = lanes8_min(lanes8_min(leave[0], leave[1]), lanes8_min(leave[2], lanes8_splat(t_max)));
    *t_near = near;
    return lanes8_le_mask(near, far);
}

#ifndef LANES_HAS_PUSH
/* Put the children of mask (not 0) on the stack, the nearest on top where that is asked for. Returns the new count; top
 * receives the reference on top. */
KERNEL_INLINE uint32_t kernel_push(struct trace_stack_entry *stack, uint32_t count, uint32_t mask, lanes8 t_near,
                                   const uint32_t *children, bool nearest_on_top, uint32_t *top)
{
    float t[8];
    lanes8_store(t, t_near);
    for (uint32_t first = count; mask; mask &= mask - 1, count++) {
        uint32_t child = (uint32_t)__builtin_ctz(mask), slot = count;
        for (; nearest_on_top && slot > first && stack[slot - 1].t_near < t[child]; slot--)
            stack[slot] = stack[slot - 1];
        stack[slot] = (struct trace_stack_entry){t[child], children[child]};
    }
    *top = stack[count - 1].ref;
    return count;
}
#endif

/* Signs of the float edge functions of a block's four triangles. Bits 0..3: none of the lane's three is below zero;
 * 4..7: none is above zero; 8..11: none is zero. Lanes without a triangle hold NaN and give 0. */
KERNEL_INLINE uint32_t kernel_edges(const struct accel_triangle_block *block, const struct trace_space *space)
{
    lanes4 x[3], y[3];
    for (int i = 0; i < 3; i++) {
        lanes4 z = lanes4_sub(lanes4_load(block->vertices[space->axes[2]][i]), lanes4_splat(space->origin_permuted[2]));
        x[i] = lanes4_sub(lanes4_load(block->vertices[space->axes[0]][i]), lanes4_splat(space->origin_permuted[0]));
        y[i] = lanes4_sub(lanes4_load(block->vertices[space->axes[1]][i]), lanes4_splat(space->origin_permuted[1]));
        x[i] = lanes4_sub(x[i], lanes4_mul(lanes4_splat(space->shear[0]), z));
        y[i] = lanes4_sub(y[i], lanes4_mul(lanes4_splat(space->shear[1]), z));
    }
    lanes4 u = lanes4_sub(lanes4_mul(x[2], y[1]), lanes4_mul(y[2], x[1]));
    lanes4 v = lanes4_sub(lanes4_mul(x[0], y[2]), lanes4_mul(y[0], x[2]));
    lanes4 w = lanes4_sub(lanes4_mul(x[1], y[0]), lanes4_mul(y[1], x[0]));
    lanes4 low = lanes4_min(lanes4_min(u, v), w), high = lanes4_max(lanes4_max(u, v), w), zero = lanes4_splat(0);
    uint32_t positive = lanes4_le_mask(zero, low), negative = lanes4_le_mask(high, zero);
    if (!(positive | negative))
        return 0;
    uint32_t touching = (positive & lanes4_le_mask(low, zero)) | (negative & lanes4_le_mask(zero, high));
    return positive | negative << 4 | (~touching & 15) << 8;
}

/* Lanes that may be hit, after culling: as kernel_edges. */
KERNEL_INLINE uint32_t kernel_block_lanes(const struct trace_state *s, const struct accel_triangle_block *block,
                                          const struct trace_space *space)
{
    if (__builtin_expect(space->exact_always, 0)) {
        uint32_t lanes = 0;
        for (uint32_t i = 0; i < ACCEL_TRIANGLE_BLOCK_WIDTH; i++)
            lanes |= block->primitives[i] != ~0u ? 0x11u << i : 0;
        return lanes;
    }
    return kernel_edges(block, space);
}

/* Settle one lane of kernel_block_lanes. False: no hit of a facing that counts inside (t_min, t_max], t = t_max only
 * where may_tie. */
KERNEL_INLINE bool kernel_test_lane(const struct trace_state *s, const struct kernel_cursor *c,
                                    const struct accel_triangle_block *block, uint32_t lane, uint32_t signs,
                                    struct triangle_hit *hit)
{
    float v[3][3];
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i < 3; i++)
            v[axis][i] = block->vertices[c->space->axes[axis]][i][lane];
    int sign = (signs >> (8 + lane)) & 1 ? ((signs >> lane) & 1 ? 1 : -1) : 0;
    if (!triangle_hit_exact(v, c->space, sign, hit))
        return false;
    uint32_t facing = hit->sign > 0 ? STATE_FACING_POSITIVE : STATE_FACING_NEGATIVE;
    return (s->facing_mask & facing) && hit->t > s->visible.ray.t_min && hit->t <= c->t_max;
}

/* The same for a lane of a block that triangle_block_solve has looked at. */
KERNEL_INLINE bool kernel_test_solved(const struct trace_state *s, const struct kernel_cursor *c,
                                      const struct accel_triangle_block *block, uint32_t lane, uint32_t signs,
                                      const struct triangle_block_hits *solved, struct triangle_hit *hit)
{
    if (__builtin_expect(!(solved->inside & signs >> 8 & 1u << lane), 0))
        return kernel_test_lane(s, c, block, lane, signs, hit);
    hit->sign = (signs >> lane) & 1 ? 1 : -1;
    hit->t = solved->t[lane];
    hit->barycentrics[0] = solved->barycentrics[0][lane];
    hit->barycentrics[1] = solved->barycentrics[1][lane];
    uint32_t facing = hit->sign > 0 ? STATE_FACING_POSITIVE : STATE_FACING_NEGATIVE;
    return (s->facing_mask & facing) && hit->t > s->visible.ray.t_min && hit->t <= c->t_max;
}

KERNEL_INLINE bool kernel_ids_below(struct kernel_ids a, struct kernel_ids b)
{
    if (a.instance != b.instance)
        return a.instance < b.instance;
    if (a.geometry != b.geometry)
        return a.geometry < b.geometry;
    return a.primitive < b.primitive;
}

KERNEL_INLINE struct kernel_ids kernel_lane_ids(uint32_t instance, const struct accel_triangle_block *block, uint32_t lane)
{
    return (struct kernel_ids){instance, block->geometries[lane] & ACCEL_GEOMETRY_INDEX_MASK, block->primitives[lane]};
}

KERNEL_INLINE uint32_t kernel_hit_kind(const struct trace_state *s, int sign)
{
    uint32_t bit = sign > 0 ? STATE_FACING_POSITIVE : STATE_FACING_NEGATIVE;
    return bit == s->front_sign ? ABI_HIT_KIND_TRIANGLE_FRONT_FACE : ABI_HIT_KIND_TRIANGLE_BACK_FACE;
}

/* A triangle hit of a direct call. */
KERNEL_INLINE uint32_t kernel_take_direct(const struct trace_state *s, struct kernel_cursor *c,
                                          const struct accel_triangle_block *block, uint32_t lane,
                                          const struct triangle_hit *hit, enum kernel_mode mode)
{
    if (!(hit->t < c->t_max) &&
        !(c->best.is_hit && kernel_ids_below(kernel_lane_ids(s->instance_index, block, lane), c->best.ids)))
        return KERNEL_CONTINUE;
    c->t_max = hit->t;
    c->best.is_hit = true;
    c->best.ids = kernel_lane_ids(s->instance_index, block, lane);
    c->best.barycentrics[0] = hit->barycentrics[0];
    c->best.barycentrics[1] = hit->barycentrics[1];
    c->best.hit_kind = kernel_hit_kind(s, hit->sign);
    return mode == KERNEL_ANY ? TRACE_DONE : KERNEL_CONTINUE;
}

KERNEL_INLINE void kernel_fill_hit(const struct trace_state *s, struct abi_hit *out, uint32_t geometry, uint32_t primitive)
{
    out->instance_index = s->instance_index;
    out->geometry_index = geometry & ACCEL_GEOMETRY_INDEX_MASK;
    out->primitive_index = primitive;
    out->geometry_flags = geometry >> ACCEL_GEOMETRY_FLAGS_SHIFT;
    out->instance = s->instance;
}

/* A triangle hit of a resumable traversal: cull by opacity, commit if opaque, else it is the next candidate. */
KERNEL_INLINE uint32_t kernel_take_resumable(struct trace_state *s, struct kernel_cursor *c,
                                             const struct accel_triangle_block *block, uint32_t lane,
                                             const struct triangle_hit *hit)
{
    uint32_t geometry = block->geometries[lane];
    if (__builtin_expect(s->micromaps != NULL, 0)) {
        geometry = micromap_apply(s, geometry, block->primitives[lane], hit->barycentrics);
        if (geometry == MICROMAP_IGNORE)
            return KERNEL_CONTINUE;
    }
    bool opaque = ((geometry | s->opacity_or) & s->opacity_and) != 0;
    if (s->flags & (opaque ? ABI_RAY_FLAG_CULL_OPAQUE : ABI_RAY_FLAG_CULL_NON_OPAQUE))
        return KERNEL_CONTINUE;
    const struct abi_hit *old = &s->visible.committed;
    if (!(hit->t < c->t_max) &&
        !(opaque && s->committed_is_opaque &&
          kernel_ids_below(kernel_lane_ids(s->instance_index, block, lane),
                           (struct kernel_ids){old->instance_index, old->geometry_index, old->primitive_index})))
        return KERNEL_CONTINUE;
    struct abi_hit *out = opaque ? &s->visible.committed : &s->visible.candidate;
    kernel_fill_hit(s, out, block->geometries[lane], block->primitives[lane]);
    out->t = hit->t;
    out->barycentrics[0] = hit->barycentrics[0];
    out->barycentrics[1] = hit->barycentrics[1];
    out->hit_kind = kernel_hit_kind(s, hit->sign);
    if (!opaque) {
        s->visible.candidate_type = ABI_CANDIDATE_NON_OPAQUE_TRIANGLE;
        return TRACE_CANDIDATE_TRIANGLE;
    }
    c->t_max = hit->t;
    s->visible.committed_status = ABI_COMMITTED_TRIANGLE_HIT;
    s->committed_is_opaque = 1;
    return s->flags & ABI_RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH ? TRACE_DONE : KERNEL_CONTINUE;
}

/* Remember where in a leaf a candidate came out. */
KERNEL_INLINE void kernel_suspend(struct trace_state *s, uint32_t ref, uint32_t block, uint32_t lanes)
{
    s->leaf_ref = ref;
    s->leaf_block = block;
    s->leaf_lanes = lanes;
}

KERNEL_INLINE const struct accel_indexed_leaf *kernel_leaf_at(const struct kernel_cursor *c, uint32_t ref)
{
    return (const struct accel_indexed_leaf *)(c->leaves + (uint64_t)(ref & ACCEL_REF_UNIT_MASK) * c->leaf_bytes);
}

/* Blocks first.. of a leaf, of the first one only the lanes in lanes. */
KERNEL_INLINE uint32_t kernel_triangle_blocks(struct trace_state *s, struct kernel_cursor *c, uint32_t ref, uint32_t first,
                                              uint32_t lanes, enum kernel_mode mode, bool is_indexed)
{
    const struct accel_triangle_block *blocks = (const struct accel_triangle_block *)c->leaves + (ref & ACCEL_REF_BLOCK_INDEX_MASK);
    const struct accel_indexed_leaf *leaf = kernel_leaf_at(c, ref);
    struct accel_triangle_block opened __attribute__((aligned(16)));
    uint32_t count = is_indexed ? accel_leaf_blocks(leaf) : accel_ref_block_count(ref);
    for (uint32_t i = first; i < count; i++, lanes = 15) {
        const struct accel_triangle_block *block = is_indexed ? &opened : &blocks[i];
        if (is_indexed)
            quant_open_block(leaf, i, &opened);
        uint32_t signs = kernel_block_lanes(s, block, c->space);
        lanes &= (signs | signs >> 4) & 15;
        if (!lanes)
            continue;
        struct triangle_block_hits solved;
        triangle_block_solve(block, c->space, &solved);
        for (; lanes; lanes &= lanes - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(lanes);
            struct triangle_hit hit;
            if (!kernel_test_solved(s, c, block, lane, signs, &solved, &hit))
                continue;
            uint32_t event = mode == KERNEL_RESUMABLE ? kernel_take_resumable(s, c, block, lane, &hit)
                                                      : kernel_take_direct(s, c, block, lane, &hit, mode);
            if (event == KERNEL_CONTINUE)
                continue;
            if (mode == KERNEL_RESUMABLE)
                kernel_suspend(s, ref, i, lanes & (lanes - 1));
            return event;
        }
    }
    return KERNEL_CONTINUE;
}

KERNEL_INLINE uint32_t kernel_triangle_leaf(struct trace_state *s, struct kernel_cursor *c, uint32_t ref, uint32_t first,
                                            uint32_t lanes, enum kernel_mode mode)
{
    return kernel_triangle_blocks(s, c, ref, first, lanes, mode, false);
}

/* Out of line, so that the usual loops stay as small as they are. */
static __attribute__((noinline)) uint32_t kernel_indexed_blocks(struct trace_state *s, struct kernel_cursor *c, uint32_t ref,
                                                                uint32_t first, uint32_t lanes, enum kernel_mode mode)
{
    if (mode == KERNEL_RESUMABLE)
        return kernel_triangle_blocks(s, c, ref, first, lanes, KERNEL_RESUMABLE, true);
    if (mode == KERNEL_CLOSEST)
        return kernel_triangle_blocks(s, c, ref, first, lanes, KERNEL_CLOSEST, true);
    return kernel_triangle_blocks(s, c, ref, first, lanes, KERNEL_ANY, true);
}

/* The cursor is copied: one whose address is given away could not live in registers. */
KERNEL_INLINE uint32_t kernel_indexed_leaf(struct trace_state *s, struct kernel_cursor *c, uint32_t ref, uint32_t first,
                                           uint32_t lanes, enum kernel_mode mode)
{
    struct kernel_cursor copy = *c;
    uint32_t event = kernel_indexed_blocks(s, &copy, ref, first, lanes, mode);
    *c = copy;
    return event;
}

/* The same for boxes: each box met is a candidate. */
KERNEL_INLINE uint32_t kernel_box_leaf(struct trace_state *s, struct kernel_cursor *c, uint32_t ref, uint32_t first,
                                       uint32_t lanes)
{
    const struct accel_box_block *blocks = (const struct accel_box_block *)c->leaves + (ref & ACCEL_REF_BLOCK_INDEX_MASK);
    uint32_t count = accel_ref_block_count(ref);
    for (uint32_t i = first; i < count; i++, lanes = 255) {
        struct kernel_boxes boxes;
        lanes8 t_near;
        kernel_boxes_load(&boxes, c->space, s->visible.ray.t_min);
        lanes &= kernel_test_boxes(&boxes, (const uint8_t *)blocks[i].planes, c->t_max, &t_near);
        for (; lanes; lanes &= lanes - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(lanes);
            uint32_t opaque = ((blocks[i].geometries[lane] | s->opacity_or) & s->opacity_and) != 0;
            if (blocks[i].primitives[lane] == ~0u ||
                (s->flags & (opaque ? ABI_RAY_FLAG_CULL_OPAQUE : ABI_RAY_FLAG_CULL_NON_OPAQUE)))
                continue;
            kernel_fill_hit(s, &s->visible.candidate, blocks[i].geometries[lane], blocks[i].primitives[lane]);
            s->visible.candidate_type = ABI_CANDIDATE_PROCEDURAL_PRIMITIVE;
            s->visible.candidate_is_opaque = opaque;
            kernel_suspend(s, ref, i, lanes & (lanes - 1));
            return TRACE_CANDIDATE_PROCEDURAL;
        }
    }
    return KERNEL_CONTINUE;
}

KERNEL_INLINE uint32_t kernel_leaf(struct trace_state *s, struct kernel_cursor *c, uint32_t ref, uint32_t first,
                                   uint32_t lanes, enum kernel_mode mode)
{
    if (__builtin_expect(ref == ACCEL_REF_EMPTY, 0))
        return KERNEL_CONTINUE;
    if (__builtin_expect(c->format & KERNEL_FORMAT_BOXES, 0))
        return mode == KERNEL_RESUMABLE ? kernel_box_leaf(s, c, ref, first, lanes) : KERNEL_CONTINUE;
    if (__builtin_expect(c->format & KERNEL_FORMAT_INDEXED, 0))
        return kernel_indexed_leaf(s, c, ref, first, lanes, mode);
    return kernel_triangle_leaf(s, c, ref, first, lanes, mode);
}

/* A leaf of the top level: go on inside the instance, if there is something. */
KERNEL_INLINE void kernel_enter(struct trace_state *s, struct kernel_cursor *c, uint32_t ref)
{
    if (ref == ACCEL_REF_EMPTY)
        return;
    s->stack_count = c->stack_count;
    if (!state_enter_instance(s, ref & ACCEL_REF_INSTANCE_MASK))
        return;
    c->stack_count = s->stack_count;
    kernel_load_space(c, &s->object, s->bottom);
}

/* The stack of the structure is empty. False: the whole traversal is done. */
KERNEL_INLINE bool kernel_leave(struct trace_state *s, struct kernel_cursor *c)
{
    if (!s->bottom || !s->stack_base)
        return false;
    s->bottom = NULL;
    s->stack_base = 0;
    kernel_load_space(c, &s->world, s->top);
    return true;
}

/* Take the next entry off the stack that is still near enough. False: the traversal is done. */
KERNEL_INLINE bool kernel_pop(struct trace_state *s, struct kernel_cursor *c, uint32_t *ref)
{
    for (;;) {
        if (c->stack_count == s->stack_base) {
            if (!kernel_leave(s, c))
                return false;
            continue;
        }
        struct trace_stack_entry entry = s->stack[--c->stack_count];
        *ref = entry.ref;
        if (!(entry.t_near > c->t_max))
            return true;
    }
}

/* Nodes from ref on, always the nearest child next, until a leaf or a dead end. A node met by one child alone goes on
 * there at once: nothing is sorted or stored. Returns the leaf, or ACCEL_REF_EMPTY. */
KERNEL_INLINE uint32_t kernel_descend(struct trace_state *s, struct kernel_cursor *c, const struct kernel_boxes *boxes, uint32_t ref,
                                      enum kernel_mode mode)
{
    struct accel_node opened __attribute__((aligned(32)));
    while (!(ref & ACCEL_REF_LEAF_MASK)) {
        const struct accel_node *node = kernel_node(c, ref, &opened);
        lanes8 t_near;
        uint32_t mask = kernel_test_boxes(boxes, (const uint8_t *)node->planes, c->t_max, &t_near);
        if (!mask)
            return ACCEL_REF_EMPTY;
        if (!(mask & (mask - 1))) {
            ref = node->children[__builtin_ctz(mask)];
            continue;
        }
        uint32_t a = (uint32_t)__builtin_ctz(mask), rest = mask & (mask - 1);
        if (!(rest & (rest - 1))) {
            float t[8];
            uint32_t b = (uint32_t)__builtin_ctz(rest);
            lanes8_store(t, t_near);
            uint32_t swap = -(uint32_t)(t[b] < t[a]) & (a ^ b);
            a ^= swap;
            b ^= swap;
            s->stack[c->stack_count++] = (struct trace_stack_entry){t[b], node->children[b]};
            kernel_prefetch_child(c, node->children[b]);
            ref = node->children[a];
            continue;
        }
        for (uint32_t todo = mask; todo; todo &= todo - 1)
            kernel_prefetch_child(c, node->children[__builtin_ctz(todo)]);
        c->stack_count = kernel_push(s->stack, c->stack_count, mask, t_near, node->children, mode != KERNEL_ANY, &ref) - 1;
    }
    return ref;
}

KERNEL_INLINE uint32_t kernel_walk(struct trace_state *s, struct kernel_cursor *c, enum kernel_mode mode)
{
    struct kernel_boxes boxes;
    kernel_boxes_load(&boxes, c->space, s->visible.ray.t_min);
    for (uint32_t ref; kernel_pop(s, c, &ref);) {
        if (__builtin_expect(boxes.space != c->space, 0))
            kernel_boxes_load(&boxes, c->space, s->visible.ray.t_min);
        ref = kernel_descend(s, c, &boxes, ref, mode);
        if (ref == ACCEL_REF_EMPTY)
            continue;
        if (!s->bottom) {
            kernel_enter(s, c, ref);
            continue;
        }
        uint32_t event = kernel_leaf(s, c, ref, 0, ~0u, mode);
        if (event != KERNEL_CONTINUE)
            return event;
    }
    return TRACE_DONE;
}

KERNEL_INLINE void kernel_cursor_load(struct kernel_cursor *c, const struct trace_state *s)
{
    c->stack_count = s->stack_count;
    c->t_max = s->t_max;
    c->best.is_hit = false;
    if (s->bottom)
        kernel_load_space(c, &s->object, s->bottom);
    else
        kernel_load_space(c, &s->world, s->top);
}

static uint32_t kernel_next(struct trace_state *s)
{
    if (s->done)
        return TRACE_DONE;
    struct kernel_cursor c;
    kernel_cursor_load(&c, s);
    uint32_t event = KERNEL_CONTINUE, ref = s->leaf_ref;
    s->leaf_ref = ACCEL_REF_EMPTY;
    if (ref != ACCEL_REF_EMPTY)
        event = kernel_leaf(s, &c, ref, s->leaf_block, s->leaf_lanes, KERNEL_RESUMABLE);
    if (event == KERNEL_CONTINUE)
        event = kernel_walk(s, &c, KERNEL_RESUMABLE);
    s->stack_count = c.stack_count;
    s->t_max = c.t_max;
    s->done = event == TRACE_DONE;
    return event;
}

static void kernel_begin(struct trace_state *s, uint64_t structure, const struct abi_ray *ray, uint32_t ray_flags,
                         uint32_t pipeline_flags, uint32_t instance_mask)
{
    state_begin(s, structure, ray, ray_flags, pipeline_flags, instance_mask);
}

static void kernel_commit_triangle(struct trace_state *s)
{
    state_commit_triangle(s);
}

static uint32_t kernel_commit_procedural(struct trace_state *s, float t, uint32_t hit_kind)
{
    return state_commit_procedural(s, t, hit_kind);
}

static void kernel_abort(struct trace_state *s)
{
    state_abort(s);
}

/* One ray of a direct call. Leaves t_max and best in the cursor. True: something was hit. */
KERNEL_INLINE bool kernel_direct(struct trace_state *s, struct kernel_cursor *c, uint64_t structure,
                                 const struct abi_ray *ray, uint32_t flags, uint32_t mask, enum kernel_mode mode)
{
    s->visible.ray = *ray;
    s->visible.instance_mask = mask;
    s->flags = flags;
    c->best.is_hit = false;
    if (!state_start(s, (const struct accel_header *)(uintptr_t)structure))
        return false;
    kernel_cursor_load(c, s);
    kernel_walk(s, c, mode);
    return c->best.is_hit;
}

KERNEL_INLINE void kernel_store_hit(const struct trace_state *s, const struct kernel_cursor *c, struct trace_hit *hit)
{
    if (!c->best.is_hit) {
        *hit = (struct trace_hit){.t = s->visible.ray.t_max, .instance_index = ~0u, .geometry_index = ~0u, .primitive_index = ~0u};
        return;
    }
    hit->t = c->t_max;
    hit->barycentrics[0] = c->best.barycentrics[0];
    hit->barycentrics[1] = c->best.barycentrics[1];
    hit->hit_kind = c->best.hit_kind;
    hit->instance_index = c->best.ids.instance;
    hit->geometry_index = c->best.ids.geometry;
    hit->primitive_index = c->best.ids.primitive;
    hit->reserved = 0;
}

static void kernel_closest(uint64_t structure, const struct abi_ray *ray, uint32_t flags, uint32_t mask,
                           struct trace_hit *hit)
{
    struct trace_state s;
    struct kernel_cursor c;
    kernel_direct(&s, &c, structure, ray, flags, mask, KERNEL_CLOSEST);
    kernel_store_hit(&s, &c, hit);
}

static uint32_t kernel_occluded(uint64_t structure, const struct abi_ray *ray, uint32_t flags, uint32_t mask)
{
    struct trace_state s;
    struct kernel_cursor c;
    return kernel_direct(&s, &c, structure, ray, flags, mask, KERNEL_ANY);
}

#include "trace/stream_body.h"

const struct trace_table TRACE_KERNEL_TABLE = {
    .isa = TRACE_KERNEL_ISA,
    .begin = kernel_begin,
    .next = kernel_next,
    .commit_triangle = kernel_commit_triangle,
    .commit_procedural = kernel_commit_procedural,
    .abort = kernel_abort,
    .closest = kernel_closest,
    .occluded = kernel_occluded,
    .closest_array = kernel_closest_array,
    .occluded_array = kernel_occluded_array,
};
