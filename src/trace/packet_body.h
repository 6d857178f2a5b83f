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
    float margin[PACKET_WIDTH];
    uint32_t near_plane[3], axes[3];
    struct trace_space spaces[PACKET_WIDTH];
    struct kernel_cursor cursors[PACKET_WIDTH];
    struct kernel_cursor place; /* of the structure; nothing else of it is used */
};

/* Packets walk one bottom-level structure of triangles in the space of the rays; NULL: this is none. */
KERNEL_INLINE const struct accel_header *kernel_packet_structure(const struct accel_header *structure)
{
    if (structure && (structure->flags & ACCEL_FLAG_IDENTITY_INSTANCE)) {
        const uint8_t *instances = (const uint8_t *)structure + structure->leaf_offset;
        uint32_t index = structure->root & ACCEL_REF_INSTANCE_MASK;
        structure = (const struct accel_header *)(uintptr_t)((const struct abi_instance *)instances)[index].blas;
    }
    return structure && structure->kind == ACCEL_KIND_TRIANGLES ? structure : NULL;
}

/* Do the next PACKET_WIDTH rays point the same way: signs, longest axis, little angle between them? The first two decide
 * in nearly all cases that are not coherent. */
KERNEL_INLINE bool kernel_packet_is_coherent(const struct abi_ray *rays)
{
    setup4 first = setup_load(rays[0].direction), first_length = setup_abs(first);
    float longest = setup_widest(first_length);
    setup4 tolerance = setup_splat(0.05f * longest), low = first_length, high = first_length;
    for (uint32_t i = 1; i < PACKET_WIDTH; i++) {
        setup4 d = setup_load(rays[i].direction), length = setup_abs(d);
        setup4i differ = (((setup4i)d ^ (setup4i)first) < 0) | ~(setup_abs(d - first) <= tolerance);
        if (differ[0] | differ[1] | differ[2])
            return false;
        low = setup_select(length < low, length, low);
        high = setup_max4(length, high);
    }
    setup4i above = {low[0] > setup_max(high[1], high[2]), low[1] > setup_max(high[0], high[2]),
                     low[2] > setup_max(high[0], high[1]), 0};
    return longest > 0 && (above[0] | above[1] | above[2]);
}

KERNEL_INLINE bool kernel_packet_rays_are_valid(const struct abi_ray *rays)
{
    bool valid = true;
    for (uint32_t i = 0; i < PACKET_WIDTH; i++)
        valid &= state_ray_is_valid(&rays[i]);
    return valid;
}

/* setup_space for all rays at once: loops over lanes that the compiler turns into vectors. bottom is the structure, first
 * the set-up ray 0, whose signs and longest axis all others share (kernel_packet_is_coherent). */
KERNEL_INLINE void kernel_packet_setup(struct kernel_packet *p, const struct accel_header *bottom,
                                       const struct trace_space *first, const struct abi_ray *rays)
{
    float origin[3][PACKET_WIDTH], direction[3][PACKET_WIDTH], distance[PACKET_WIDTH], magnitude[PACKET_WIDTH];
    float bound = 0;
    for (int axis = 0; axis < 3; axis++) {
        bound = setup_max(bound, setup_max(fabsf(bottom->bounds[0][axis]), fabsf(bottom->bounds[1][axis])));
        for (uint32_t i = 0; i < PACKET_WIDTH; i++) {
            origin[axis][i] = rays[i].origin[axis];
            direction[axis][i] = rays[i].direction[axis];
        }
    }
    for (uint32_t i = 0; i < PACKET_WIDTH; i++) {
        distance[i] = 0;
        magnitude[i] = bound;
    }
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t i = 0; i < PACKET_WIDTH; i++) {
            float o = origin[axis][i];
            float span = setup_max(fabsf(bottom->bounds[0][axis] - o), fabsf(bottom->bounds[1][axis] - o));
            distance[i] = setup_max(distance[i], span);
            magnitude[i] = setup_max(magnitude[i], fabsf(o));
        }
    for (uint32_t i = 0; i < PACKET_WIDTH; i++)
        p->margin[i] = 0x1p-24f * bottom->transform_condition * (16.0f * distance[i] + 8.0f * magnitude[i]) + 0x1p-144f;
    const uint32_t kz = first->axes[2];
    for (int axis = 0; axis < 3; axis++) {
        const bool negative = first->near_plane[axis] & 32;
        for (uint32_t i = 0; i < PACKET_WIDTH; i++) {
            float length = setup_max(fabsf(direction[axis][i]), fabsf(direction[kz][i]) * 0x1p-40f);
            float outward = negative ? -p->margin[i] : p->margin[i];
            float mul = 1.0f / (negative ? -length : length);
            p->mul[axis][i] = mul;
            p->near_add[axis][i] = -(origin[axis][i] + outward) * mul;
            p->far_add[axis][i] = -(origin[axis][i] - outward) * mul;
        }
        for (uint32_t i = 0; i < PACKET_WIDTH; i++)
            p->origin[axis][i] = origin[first->axes[axis]][i];
    }
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < PACKET_WIDTH; i++)
            p->shear[k][i] = direction[first->axes[k]][i] / direction[kz][i];
}

/* What is looked at ray by ray. */
KERNEL_INLINE void kernel_packet_spaces(struct kernel_packet *p, const struct trace_space *first, const struct abi_ray *rays)
{
    for (uint32_t i = 0; i < PACKET_WIDTH; i++) {
        struct trace_space *space = &p->spaces[i];
        for (int axis = 0; axis < 3; axis++) {
            space->direction[axis] = rays[i].direction[axis];
            space->axes[axis] = first->axes[axis];
            space->origin_permuted[axis] = p->origin[axis][i];
        }
        space->shear[0] = p->shear[0][i];
        space->shear[1] = p->shear[1][i];
        space->exact_always = 0;
        p->t_min[i] = rays[i].t_min;
        p->cursors[i].t_max = p->t_max[i] = rays[i].t_max;
        p->cursors[i].best.is_hit = false;
        p->cursors[i].space = space;
    }
}

KERNEL_INLINE void kernel_packet_range(const float values[PACKET_WIDTH], float *low, float *high)
{
    float l[PACKET_WIDTH], h[PACKET_WIDTH];
    __builtin_memcpy(l, values, sizeof(l));
    __builtin_memcpy(h, values, sizeof(h));
    for (uint32_t half = PACKET_WIDTH / 2; half; half /= 2)
        for (uint32_t i = 0; i < half; i++) {
            l[i] = l[i] < l[i + half] ? l[i] : l[i + half];
            h[i] = h[i] > h[i + half] ? h[i] : h[i + half];
        }
    *low = l[0];
    *high = h[0];
}

/* Intervals over the rays. False: constants that overflow, or origins too far apart for a packet to be of use. */
KERNEL_INLINE bool kernel_packet_intervals(struct kernel_packet *p, const struct accel_header *bottom,
                                           const struct trace_space *first)
{
    float extent = 0, unused, margin;
    for (int axis = 0; axis < 3; axis++)
        extent = setup_max(extent, bottom->bounds[1][axis] - bottom->bounds[0][axis]);
    kernel_packet_range(p->margin, &unused, &margin);
    kernel_packet_range(p->t_min, &p->t_min_all, &unused);
    kernel_packet_range(p->t_max, &unused, &p->t_max_all);
    for (int k = 0; k < 3; k++) {
        uint32_t axis = first->axes[k];
        bool negative = first->near_plane[axis] & 32;
        float low, high, add_low, add_high;
        kernel_packet_range(p->origin[k], &low, &high);
        kernel_packet_range(p->mul[axis], &p->mul_low[axis], &p->mul_high[axis]);
        kernel_packet_range(p->near_add[axis], &add_low, &add_high);
        p->enter_origin[axis] = negative ? low - margin : high + margin;
        p->leave_origin[axis] = negative ? high + margin : low - margin;
        if (!(high - low <= 0.01f * extent) || !(setup_max(fabsf(add_low), fabsf(add_high)) <= 0x1p100f) ||
            !(setup_max(fabsf(p->mul_low[axis]), fabsf(p->mul_high[axis])) <= 0x1p60f))
            return false;
    }
    return margin < 0x1p40f;
}

KERNEL_INLINE uint32_t kernel_packet_boxes(const struct kernel_packet *p, const uint8_t *planes, lanes8 *t_near)
{
    lanes8 near = lanes8_splat(p->t_min_all), far = lanes8_splat(p->t_max_all);
    for (int axis = 0; axis < 3; axis++) {
        uint32_t plane = p->near_plane[axis];
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
        uint32_t plane = p->near_plane[axis] / 4;
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
    const uint32_t *axes = p->axes;
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
    const struct kernel_cursor *c = &p->place;
    const struct accel_triangle_block *blocks = (const struct accel_triangle_block *)c->leaves + (ref & ACCEL_REF_BLOCK_INDEX_MASK);
    const struct accel_indexed_leaf *leaf = kernel_leaf_at(c, ref);
    const bool is_narrow = __builtin_popcount(active) <= KERNEL_PACKET_NARROW_RAYS, is_indexed = c->format & KERNEL_FORMAT_INDEXED;
    const uint32_t count = is_indexed ? accel_leaf_blocks(leaf) : accel_ref_block_count(ref);
    for (uint32_t i = 0; i < count; i++) {
        struct accel_triangle_block opened __attribute__((aligned(16)));
        const struct accel_triangle_block *block = &blocks[i];
        if (__builtin_expect(is_indexed, 0)) {
            quant_open_block(leaf, i, &opened);
            block = &opened;
        }
        if (is_narrow)
            kernel_packet_block_narrow(s, p, active, block, mode);
        else
            kernel_packet_block_wide(s, p, active, block, mode);
    }
    p->t_max_all = kernel_packet_t_max(p);
}

/* Entries on the stack are node * 8 + child, so that a child's box is at hand again when its turn comes. */
KERNEL_INLINE uint32_t kernel_packet_open(struct trace_state *s, const struct kernel_packet *p, uint32_t index, uint32_t count)
{
    uint32_t names[8] __attribute__((aligned(32)));
    lanes8 t_near;
    struct accel_node opened __attribute__((aligned(32)));
    const struct accel_node *node = kernel_node(&p->place, index, &opened);
    uint32_t mask = kernel_packet_boxes(p, (const uint8_t *)node->planes, &t_near);
    for (uint32_t i = 0; i < 8; i++)
        names[i] = index * 8 + i;
    for (uint32_t todo = mask; todo; todo &= todo - 1)
        kernel_prefetch_child(&p->place, node->children[__builtin_ctz(todo)]);
    uint32_t top;
    return mask ? kernel_push(s->stack, count, mask, t_near, names, true, &top) : count;
}

KERNEL_INLINE void kernel_packet_walk(struct trace_state *s, struct kernel_packet *p, enum kernel_mode mode)
{
    const uint32_t all = (uint32_t)((1ull << PACKET_WIDTH) - 1);
    if (s->bottom->root & ACCEL_REF_LEAF_MASK) {
        kernel_packet_leaf(s, p, all, s->bottom->root, mode);
        return;
    }
    uint32_t count = kernel_packet_open(s, p, s->bottom->root, 0);
    while (count) {
        struct trace_stack_entry entry = s->stack[--count];
        if (entry.t_near > p->t_max_all)
            continue;
        struct accel_node opened __attribute__((aligned(32)));
        const struct accel_node *node = kernel_node(&p->place, entry.ref / 8, &opened);
        uint32_t ref = node->children[entry.ref % 8];
        uint32_t active = kernel_packet_rays(p, node, entry.ref % 8);
        if (!active || ref == ACCEL_REF_EMPTY)
            continue;
        if (ref & ACCEL_REF_LEAF_MASK)
            kernel_packet_leaf(s, p, active, ref, mode);
        else
            count = kernel_packet_open(s, p, ref, count);
    }
}

KERNEL_INLINE void kernel_packet_store(struct kernel_stream *stream, const struct trace_state *s,
                                       const struct kernel_cursor *c, float t_max, uint64_t index, enum kernel_mode mode)
{
    if (mode == KERNEL_ANY) {
        stream->occluded[index] = c->best.is_hit;
        return;
    }
    struct trace_hit *hit = &stream->hits[index];
    kernel_store_hit(s, c, hit);
    if (!c->best.is_hit)
        hit->t = t_max;
}

/* Trace rays [first, first + PACKET_WIDTH). False: they do not fit together after all, nothing was done. */
KERNEL_INLINE bool kernel_packet_run(struct kernel_stream *stream, uint64_t first, enum kernel_mode mode)
{
    const struct abi_ray *rays = &stream->rays[first];
    const struct accel_header *structure = (const struct accel_header *)(uintptr_t)stream->structure;
    struct trace_state s;
    struct kernel_packet p;
    s.visible.instance_mask = stream->mask;
    s.visible.ray = rays[0];
    s.flags = stream->flags;
    if (!kernel_packet_rays_are_valid(rays) || !state_start(&s, structure) || s.bottom->kind != ACCEL_KIND_TRIANGLES ||
        s.object.exact_always)
        return false;
    for (int axis = 0; axis < 3; axis++) {
        p.near_plane[axis] = s.object.near_plane[axis];
        p.axes[axis] = s.object.axes[axis];
    }
    kernel_packet_setup(&p, s.bottom, &s.object, rays);
    kernel_packet_spaces(&p, &s.object, rays);
    if (!kernel_packet_intervals(&p, s.bottom, &s.object))
        return false;
    kernel_load_space(&p.place, &s.object, s.bottom);
    kernel_packet_walk(&s, &p, mode);
    for (uint32_t i = 0; i < PACKET_WIDTH; i++)
        kernel_packet_store(stream, &s, &p.cursors[i], rays[i].t_max, first + i, mode);
    return true;
}
