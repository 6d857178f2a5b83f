/* SPDX-License-Identifier: MIT
 * Coherent rays as a packet, part of kernel_body.h. The packet is walked as one: intervals of its origins and reciprocal
 * directions give, for each child of a node, the earliest entry and the latest exit of any of its rays, so a node costs
 * about as much as for one ray. Only leaves are tested ray by ray, a lane each, with the float operations of
 * kernel_edges in the same order, and hits are settled by the same exact code: results do not depend on packing. */

#ifndef LANES_HAS_PACKET
typedef lanes8 lanesp;
enum { PACKET_WIDTH = 8 };
#define lanesp_load lanes8_load
#define lanesp_splat lanes8_splat
#define lanesp_sub lanes8_sub
#define lanesp_mul lanes8_mul
#define lanesp_mul_add lanes8_mul_add
#define lanesp_min lanes8_min
#define lanesp_max lanes8_max
#define lanesp_le_mask lanes8_le_mask
#endif

struct kernel_stream {
    uint64_t structure;
    const struct abi_ray *rays;
    uint64_t count, next;
    uint32_t flags, mask;
    struct trace_hit *hits; /* KERNEL_CLOSEST */
    uint8_t *occluded;      /* KERNEL_ANY */
};

struct kernel_packet {
    /* one lane per ray, in the packet's axis order kx, ky, kz */
    float origin[3][PACKET_WIDTH], shear[2][PACKET_WIDTH];
    float mul[3][PACKET_WIDTH], near_add[3][PACKET_WIDTH], far_add[3][PACKET_WIDTH]; /* x, y, z */
    float t_min[PACKET_WIDTH], t_max[PACKET_WIDTH];
    /* intervals over all rays: enter * mul - enter_origin is made as (enter - enter_origin) * mul */
    float mul_low[3], mul_high[3], enter_origin[3], leave_origin[3];
    float t_min_all, t_max_all;
    struct trace_space spaces[PACKET_WIDTH];
    struct kernel_cursor cursors[PACKET_WIDTH];
};

/* Packets walk one bottom-level structure in the space of the rays. */
KERNEL_INLINE bool kernel_packet_fits(const struct accel_header *structure)
{
    return structure && (structure->kind == ACCEL_KIND_TRIANGLES || (structure->flags & ACCEL_FLAG_IDENTITY_INSTANCE));
}

/* Do the next PACKET_WIDTH rays point the same way? The first two decide in nearly all cases that are not coherent. */
KERNEL_INLINE bool kernel_packet_is_coherent(const struct abi_ray *rays)
{
    setup4 first = setup_load(rays[0].direction), tolerance = setup_splat(0.05f * setup_widest(setup_abs(first)));
    setup4i differ = {0, 0, 0, 0};
    for (uint32_t i = 1; i < PACKET_WIDTH; i++) {
        setup4 d = setup_load(rays[i].direction);
        differ |= ((setup4i)d ^ (setup4i)first) < 0;
        differ |= ~(setup_abs(d - first) <= tolerance);
        if (differ[0] | differ[1] | differ[2])
            return false;
    }
    return true;
}

/* Intervals of the set-up rays. False: they do not fit together. */
KERNEL_INLINE bool kernel_packet_intervals(struct kernel_packet *p, const struct accel_header *bottom)
{
    const struct trace_space *first = &p->spaces[0];
    float extent = 0;
    for (int axis = 0; axis < 3; axis++) {
        extent = setup_max(extent, bottom->bounds[1][axis] - bottom->bounds[0][axis]);
        if (!(first->mul[axis] != 0))
            return false;
    }
    for (int axis = 0; axis < 3; axis++) {
        float low = first->origin[axis], high = low, margin = 0;
        p->mul_low[axis] = p->mul_high[axis] = first->mul[axis];
        for (uint32_t i = 0; i < PACKET_WIDTH; i++) {
            const struct trace_space *space = &p->spaces[i];
            low = space->origin[axis] < low ? space->origin[axis] : low;
            high = space->origin[axis] > high ? space->origin[axis] : high;
            p->mul_low[axis] = space->mul[axis] < p->mul_low[axis] ? space->mul[axis] : p->mul_low[axis];
            p->mul_high[axis] = space->mul[axis] > p->mul_high[axis] ? space->mul[axis] : p->mul_high[axis];
            margin = space->margin > margin ? space->margin : margin;
            if (space->axes[2] != first->axes[2] || space->exact_always || space->mul[axis] == 0)
                return false;
        }
        bool negative = first->near_plane[axis] & 32;
        p->enter_origin[axis] = negative ? low - margin : high + margin;
        p->leave_origin[axis] = negative ? high + margin : low - margin;
        if (!(high - low <= 0.01f * extent))
            return false;
    }
    return true;
}

KERNEL_INLINE void kernel_packet_lanes(struct kernel_packet *p, const struct abi_ray *rays)
{
    p->t_min_all = INFINITY;
    p->t_max_all = 0;
    for (uint32_t i = 0; i < PACKET_WIDTH; i++) {
        const struct trace_space *space = &p->spaces[i];
        for (int axis = 0; axis < 3; axis++) {
            p->origin[axis][i] = space->origin_permuted[axis];
            p->mul[axis][i] = space->mul[axis];
            p->near_add[axis][i] = space->near_add[axis];
            p->far_add[axis][i] = space->far_add[axis];
        }
        p->t_min[i] = rays[i].t_min;
        p->shear[0][i] = space->shear[0];
        p->shear[1][i] = space->shear[1];
        p->cursors[i].t_max = p->t_max[i] = rays[i].t_max;
        p->cursors[i].best.block = NULL;
        p->cursors[i].space = space;
        p->t_min_all = rays[i].t_min < p->t_min_all ? rays[i].t_min : p->t_min_all;
        p->t_max_all = rays[i].t_max > p->t_max_all ? rays[i].t_max : p->t_max_all;
    }
}

KERNEL_INLINE uint32_t kernel_packet_boxes(const struct kernel_packet *p, const uint8_t *planes, lanes8 *t_near)
{
    lanes8 near = lanes8_splat(p->t_min_all), far = lanes8_splat(p->t_max_all);
    for (int axis = 0; axis < 3; axis++) {
        uint32_t plane = p->spaces[0].near_plane[axis];
        lanes8 low = lanes8_splat(p->mul_low[axis]), high = lanes8_splat(p->mul_high[axis]);
        lanes8 enter = lanes8_sub(lanes8_load((const float *)(planes + plane)), lanes8_splat(p->enter_origin[axis]));
        lanes8 leave = lanes8_sub(lanes8_load((const float *)(planes + (plane ^ 32))), lanes8_splat(p->leave_origin[axis]));
        near = lanes8_max(lanes8_min(lanes8_mul(enter, low), lanes8_mul(enter, high)), near);
        far = lanes8_min(lanes8_max(lanes8_mul(leave, low), lanes8_mul(leave, high)), far);
    }
    *t_near = near;
    return lanes8_le_mask(near, far);
}

/* Rays that may be inside one child's box: the box test of kernel_test_boxes with a lane per ray. */
KERNEL_INLINE uint32_t kernel_packet_rays(const struct kernel_packet *p, const struct accel_node *node, uint32_t child)
{
    const float *planes = &node->planes[0][child];
    lanesp near = lanesp_load(p->t_min), far = lanesp_load(p->t_max);
    for (int axis = 0; axis < 3; axis++) {
        uint32_t plane = p->spaces[0].near_plane[axis] / 4;
        lanesp mul = lanesp_load(p->mul[axis]);
        near = lanesp_max(lanesp_mul_add(lanesp_splat(planes[plane]), mul, lanesp_load(p->near_add[axis])), near);
        far = lanesp_min(lanesp_mul_add(lanesp_splat(planes[plane ^ 8]), mul, lanesp_load(p->far_add[axis])), far);
    }
    return lanesp_le_mask(near, far);
}

/* One triangle against all rays: bits as kernel_edges, three masks. */
KERNEL_INLINE bool kernel_packet_edges(const struct kernel_packet *p, const struct accel_triangle_block *block, uint32_t lane,
                                       uint32_t masks[3])
{
    const uint32_t *axes = p->spaces[0].axes;
    lanesp x[3], y[3];
    for (int i = 0; i < 3; i++) {
        lanesp z = lanesp_sub(lanesp_splat(block->vertices[axes[2]][i][lane]), lanesp_load(p->origin[2]));
        x[i] = lanesp_sub(lanesp_splat(block->vertices[axes[0]][i][lane]), lanesp_load(p->origin[0]));
        y[i] = lanesp_sub(lanesp_splat(block->vertices[axes[1]][i][lane]), lanesp_load(p->origin[1]));
        x[i] = lanesp_sub(x[i], lanesp_mul(lanesp_load(p->shear[0]), z));
        y[i] = lanesp_sub(y[i], lanesp_mul(lanesp_load(p->shear[1]), z));
    }
    lanesp u = lanesp_sub(lanesp_mul(x[2], y[1]), lanesp_mul(y[2], x[1]));
    lanesp v = lanesp_sub(lanesp_mul(x[0], y[2]), lanesp_mul(y[0], x[2]));
    lanesp w = lanesp_sub(lanesp_mul(x[1], y[0]), lanesp_mul(y[1], x[0]));
    lanesp low = lanesp_min(lanesp_min(u, v), w), high = lanesp_max(lanesp_max(u, v), w), zero = lanesp_splat(0);
    masks[0] = lanesp_le_mask(zero, low);
    masks[1] = lanesp_le_mask(high, zero);
    if (!(masks[0] | masks[1]))
        return false;
    masks[2] = ~((masks[0] & lanesp_le_mask(low, zero)) | (masks[1] & lanesp_le_mask(zero, high)));
    return true;
}

/* A ray and a lane that may meet. signs: as kernel_edges gives them. */
KERNEL_INLINE void kernel_packet_settle(struct trace_state *s, struct kernel_packet *p, uint32_t ray,
                                        const struct accel_triangle_block *block, uint32_t lane, uint32_t signs,
                                        enum kernel_mode mode)
{
    struct kernel_cursor *c = &p->cursors[ray];
    struct triangle_hit hit;
    s->visible.ray.t_min = p->t_min[ray];
    if (!kernel_test_lane(s, c, block, lane, signs, &hit))
        return;
    /* a finished ray of KERNEL_ANY has an empty interval from here on */
    p->t_max[ray] = kernel_take_direct(s, c, block, lane, &hit, mode) == TRACE_DONE ? -1 : c->t_max;
}

/* Many rays: each triangle against all of them. */
KERNEL_INLINE void kernel_packet_block_wide(struct trace_state *s, struct kernel_packet *p, uint32_t active,
                                            const struct accel_triangle_block *block, enum kernel_mode mode)
{
    for (uint32_t lane = 0; lane < ACCEL_TRIANGLE_BLOCK_WIDTH && block->primitives[lane] != ~0u; lane++) {
        uint32_t masks[3];
        if (!kernel_packet_edges(p, block, lane, masks))
            continue;
        for (uint32_t todo = (masks[0] | masks[1]) & active; todo; todo &= todo - 1) {
            uint32_t ray = (uint32_t)__builtin_ctz(todo);
            uint32_t signs = (masks[0] >> ray & 1) | (masks[1] >> ray & 1) << 4 | (masks[2] >> ray & 1) << 8;
            if (p->t_max[ray] >= 0)
                kernel_packet_settle(s, p, ray, block, lane, signs << lane, mode);
        }
    }
}

/* Few rays: each of them against the four triangles. */
KERNEL_INLINE void kernel_packet_block_narrow(struct trace_state *s, struct kernel_packet *p, uint32_t active,
                                              const struct accel_triangle_block *block, enum kernel_mode mode)
{
    for (; active; active &= active - 1) {
        uint32_t ray = (uint32_t)__builtin_ctz(active);
        uint32_t signs = kernel_edges(block, &p->spaces[ray]);
        for (uint32_t lanes = (signs | signs >> 4) & 15; lanes && p->t_max[ray] >= 0; lanes &= lanes - 1)
            kernel_packet_settle(s, p, ray, block, (uint32_t)__builtin_ctz(lanes), signs, mode);
    }
}

/* Farthest t that any unfinished ray still looks at. */
KERNEL_INLINE float kernel_packet_t_max(const struct kernel_packet *p)
{
    float t[PACKET_WIDTH];
    __builtin_memcpy(t, p->t_max, sizeof(t));
    for (uint32_t half = PACKET_WIDTH / 2; half; half /= 2)
        for (uint32_t i = 0; i < half; i++)
            t[i] = t[i] > t[i + half] ? t[i] : t[i + half];
    return t[0];
}

enum { KERNEL_PACKET_NARROW_RAYS = 4 };

KERNEL_INLINE void kernel_packet_leaf(struct trace_state *s, struct kernel_packet *p, uint32_t active, uint32_t ref,
                                      enum kernel_mode mode)
{
    const uint8_t *leaves = (const uint8_t *)s->bottom + s->bottom->leaf_offset;
    const struct accel_triangle_block *blocks = (const struct accel_triangle_block *)leaves + (ref & ACCEL_REF_BLOCK_INDEX_MASK);
    bool is_narrow = __builtin_popcount(active) <= KERNEL_PACKET_NARROW_RAYS;
    for (uint32_t i = 0; i < accel_ref_block_count(ref); i++) {
        if (is_narrow)
            kernel_packet_block_narrow(s, p, active, &blocks[i], mode);
        else
            kernel_packet_block_wide(s, p, active, &blocks[i], mode);
    }
    p->t_max_all = kernel_packet_t_max(p);
}

/* Entries on the stack are node * 8 + child, so that a child's box is at hand again when its turn comes. */
KERNEL_INLINE uint32_t kernel_packet_open(struct trace_state *s, const struct kernel_packet *p, const struct accel_node *nodes,
                                          uint32_t index, uint32_t count)
{
    uint32_t names[8] __attribute__((aligned(32)));
    lanes8 t_near;
    uint32_t mask = kernel_packet_boxes(p, (const uint8_t *)nodes[index].planes, &t_near);
    for (uint32_t i = 0; i < 8; i++)
        names[i] = index * 8 + i;
    return kernel_push(s->stack, count, mask, t_near, names);
}

KERNEL_INLINE void kernel_packet_walk(struct trace_state *s, struct kernel_packet *p, enum kernel_mode mode)
{
    const uint32_t all = (uint32_t)((1ull << PACKET_WIDTH) - 1);
    if (s->bottom->root & ACCEL_REF_LEAF_MASK) {
        kernel_packet_leaf(s, p, all, s->bottom->root, mode);
        return;
    }
    const struct accel_node *nodes = (const struct accel_node *)((const uint8_t *)s->bottom + s->bottom->node_offset);
    uint32_t count = kernel_packet_open(s, p, nodes, s->bottom->root, 0);
    while (count) {
        struct trace_stack_entry entry = s->stack[--count];
        if (entry.t_near > p->t_max_all)
            continue;
        const struct accel_node *node = &nodes[entry.ref / 8];
        uint32_t ref = node->children[entry.ref % 8];
        uint32_t active = kernel_packet_rays(p, node, entry.ref % 8);
        if (!active || ref == ACCEL_REF_EMPTY)
            continue;
        if (ref & ACCEL_REF_LEAF_MASK)
            kernel_packet_leaf(s, p, active, ref, mode);
        else
            count = kernel_packet_open(s, p, nodes, ref, count);
    }
}

/* Trace rays [first, first + PACKET_WIDTH). False: they do not fit together after all, nothing was done. */
KERNEL_INLINE bool kernel_packet_run(struct kernel_stream *stream, uint64_t first, enum kernel_mode mode)
{
    const struct abi_ray *rays = &stream->rays[first];
    const struct accel_header *structure = (const struct accel_header *)(uintptr_t)stream->structure;
    struct trace_state s;
    struct kernel_packet p;
    s.visible.instance_mask = stream->mask;
    s.flags = stream->flags;
    for (uint32_t i = 0; i < PACKET_WIDTH; i++) {
        s.visible.ray = rays[i];
        if (!state_start(&s, structure) || s.bottom->kind != ACCEL_KIND_TRIANGLES)
            return false;
        p.spaces[i] = s.object;
    }
    if (!kernel_packet_intervals(&p, s.bottom))
        return false;
    kernel_packet_lanes(&p, rays);
    kernel_packet_walk(&s, &p, mode);
    for (uint32_t i = 0; i < PACKET_WIDTH; i++) {
        s.visible.ray.t_max = rays[i].t_max;
        if (mode == KERNEL_CLOSEST)
            kernel_store_hit(&s, &p.cursors[i], &stream->hits[first + i]);
        else
            stream->occluded[first + i] = p.cursors[i].best.block != NULL;
    }
    return true;
}
