/* SPDX-License-Identifier: MIT
 * Arrays of rays, part of kernel_body.h. Coherent neighbours go through the structure together (packet_body.h), all
 * others in turns. */

#include "trace/packet_body.h"

/* Arrays: several rays are walked in turns, a node or leaf at a time, so that the memory that one of them will need is
 * on its way while the others work. */
enum { KERNEL_SLOTS = 8 };

struct kernel_slot {
    struct trace_state s;
    struct kernel_cursor c;
    uint64_t ray_index;
    uint32_t ref; /* what is walked next */
};

/* What the ray walks next, and ask for the memory there. */
KERNEL_INLINE void kernel_stream_go(struct kernel_slot *slot, uint32_t ref)
{
    slot->ref = ref;
    kernel_prefetch_child(&slot->c, ref);
}

/* Go on with what waits on the stack. False: the ray is done. */
KERNEL_INLINE bool kernel_stream_advance(struct kernel_slot *slot)
{
    uint32_t ref;
    if (!kernel_pop(&slot->s, &slot->c, &ref))
        return false;
    kernel_stream_go(slot, ref);
    return true;
}

KERNEL_INLINE void kernel_stream_store(struct kernel_stream *stream, struct kernel_slot *slot, enum kernel_mode mode)
{
    if (mode == KERNEL_CLOSEST)
        kernel_store_hit(&slot->s, &slot->c, &stream->hits[slot->ray_index]);
    else
        stream->occluded[slot->ray_index] = slot->c.best.is_hit;
}

/* Start the next ray that has something to walk through. False: there is none. */
KERNEL_INLINE bool kernel_stream_start(struct kernel_stream *stream, struct kernel_slot *slot, enum kernel_mode mode)
{
    struct trace_state *s = &slot->s;
    while (stream->next < stream->count) {
        slot->ray_index = stream->next++;
        s->visible.ray = stream->rays[slot->ray_index];
        s->visible.instance_mask = stream->mask;
        s->flags = stream->flags;
        slot->c.best.is_hit = false;
        if (state_start(s, (const struct accel_header *)(uintptr_t)stream->structure)) {
            kernel_cursor_load(&slot->c, s);
            return kernel_stream_advance(slot);
        }
        kernel_stream_store(stream, slot, mode);
    }
    return false;
}

/* Open a node. True: the nearest child is next. False: no child is met. */
KERNEL_INLINE bool kernel_stream_open(struct kernel_slot *slot, enum kernel_mode mode)
{
    struct kernel_cursor *c = &slot->c;
    struct accel_node opened __attribute__((aligned(32)));
    const struct accel_node *node = kernel_node(c, slot->ref, &opened);
    struct kernel_boxes boxes;
    lanes8 t_near;
    uint32_t top;
    kernel_boxes_load(&boxes, c->space, slot->s.visible.ray.t_min);
    uint32_t mask = kernel_test_boxes(&boxes, (const uint8_t *)node->planes, c->t_max, &t_near);
    if (!mask)
        return false;
    c->stack_count = kernel_push(slot->s.stack, c->stack_count, mask, t_near, node->children, mode != KERNEL_ANY, &top) - 1;
    kernel_stream_go(slot, top);
    return true;
}

/* One node or leaf. False: the ray is done. */
KERNEL_INLINE bool kernel_stream_step(struct kernel_slot *slot, enum kernel_mode mode)
{
    struct trace_state *s = &slot->s;
    const uint32_t ref = slot->ref;
    if (!(ref & ACCEL_REF_LEAF_MASK)) {
        if (kernel_stream_open(slot, mode))
            return true;
    } else if (!s->bottom) {
        kernel_enter(s, &slot->c, ref);
    } else if (kernel_leaf(s, &slot->c, ref, 0, ~0u, mode) == TRACE_DONE) {
        return false;
    }
    return kernel_stream_advance(slot);
}

KERNEL_INLINE void kernel_stream_run(struct kernel_stream *stream, enum kernel_mode mode)
{
    struct kernel_slot slots[KERNEL_SLOTS], *active[KERNEL_SLOTS];
    uint32_t count = 0;
    while (count < KERNEL_SLOTS && kernel_stream_start(stream, &slots[count], mode)) {
        active[count] = &slots[count];
        count++;
    }
    while (count) {
        for (uint32_t i = 0; i < count; i++) {
            if (kernel_stream_step(active[i], mode))
                continue;
            kernel_stream_store(stream, active[i], mode);
            if (!kernel_stream_start(stream, active[i], mode))
                active[i--] = active[--count];
        }
    }
}

/* Walk [first, end) in turns. */
KERNEL_INLINE void kernel_array_stream(struct kernel_stream *stream, uint64_t first, uint64_t end, enum kernel_mode mode)
{
    stream->next = first;
    stream->count = end;
    if (end > first)
        kernel_stream_run(stream, mode);
}

/* Walk [first, end) one after the other. Not inlined: the walk is there once more in the single calls. */
static __attribute__((noinline)) void kernel_array_single(struct kernel_stream *stream, uint64_t first, uint64_t end,
                                                          enum kernel_mode mode)
{
    for (uint64_t i = first; i < end; i++) {
        if (mode == KERNEL_CLOSEST)
            kernel_closest(stream->structure, &stream->rays[i], stream->flags, stream->mask, &stream->hits[i]);
        else
            stream->occluded[i] = (uint8_t)kernel_occluded(stream->structure, &stream->rays[i], stream->flags, stream->mask);
    }
}

/* A structure that lies in a core's own cache has no waits for memory that turns could hide. */
enum { KERNEL_CACHED_BYTES = 1 << 20 };

KERNEL_INLINE void kernel_array_part(struct kernel_stream *stream, bool is_cached, uint64_t first, uint64_t end,
                                     enum kernel_mode mode)
{
    if (is_cached)
        kernel_array_single(stream, first, end, mode);
    else
        kernel_array_stream(stream, first, end, mode);
}

/* Coherent groups as packets, what lies between them in turns. */
KERNEL_INLINE void kernel_array(struct kernel_stream *stream, enum kernel_mode mode)
{
    const struct accel_header *bottom = kernel_packet_structure((const struct accel_header *)(uintptr_t)stream->structure);
    const bool is_cached = bottom && bottom->structure_bytes <= KERNEL_CACHED_BYTES;
    const uint64_t count = stream->count;
    uint64_t waiting = 0, i = 0; /* [waiting, i) has still to be walked */
    while (bottom && count - i >= PACKET_WIDTH) {
        bool packed = kernel_packet_is_coherent(&stream->rays[i]) && kernel_packet_run(stream, i, mode);
        i += PACKET_WIDTH;
        if (!packed)
            continue;
        kernel_array_part(stream, is_cached, waiting, i - PACKET_WIDTH, mode);
        waiting = i;
    }
    kernel_array_part(stream, is_cached, waiting, count, mode);
}

static void kernel_closest_array(uint64_t structure, const struct abi_ray *rays, uint64_t count, uint32_t flags,
                                 uint32_t mask, struct trace_hit *hits)
{
    struct kernel_stream stream = {structure, rays, count, 0, flags, mask, hits, NULL};
    kernel_array(&stream, KERNEL_CLOSEST);
}

static void kernel_occluded_array(uint64_t structure, const struct abi_ray *rays, uint64_t count, uint32_t flags,
                                  uint32_t mask, uint8_t *occluded)
{
    struct kernel_stream stream = {structure, rays, count, 0, flags, mask, NULL, occluded};
    kernel_array(&stream, KERNEL_ANY);
}
