/* SPDX-License-Identifier: MIT
 * Everything of a traversal that is not inner loop: starting it, entering and leaving instances, committing. Scalar
 * code shared by all kernels (included by kernel_body.h, so that direct calls can be inlined whole). */
#ifndef CDXR_TRACE_STATE_H
#define CDXR_TRACE_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/ray_setup.h"
#include "trace/trace.h"

enum state_instance_flag { /* D3D12_RAYTRACING_INSTANCE_FLAGS */
    STATE_INSTANCE_CULL_DISABLE = 0x1,
    STATE_INSTANCE_FRONT_COUNTERCLOCKWISE = 0x2,
    STATE_INSTANCE_FORCE_OPAQUE = 0x4,
    STATE_INSTANCE_FORCE_NON_OPAQUE = 0x8,
    STATE_INSTANCE_FORCE_OMM_2_STATE = 0x10,
    STATE_INSTANCE_DISABLE_OMMS = 0x20,
};
enum { STATE_FACING_POSITIVE = 1, STATE_FACING_NEGATIVE = 2 };

/* Which signs of the edge functions are front faces and survive culling (Raytracing.md, instance and ray flags). The
 * edge functions' sum has the sign of -(normal . direction) / direction[kz], and a front face has normal . direction
 * below zero. */
static inline void state_set_facing(struct trace_state *s, uint32_t instance_flags)
{
    bool negative = signbit(s->object.direction[s->object.axes[2]]);
    bool counterclockwise = (instance_flags & STATE_INSTANCE_FRONT_COUNTERCLOCKWISE) != 0;
    s->front_sign = negative != counterclockwise ? STATE_FACING_NEGATIVE : STATE_FACING_POSITIVE;
    uint32_t back_sign = s->front_sign ^ 3u;
    s->facing_mask = 3;
    if (instance_flags & STATE_INSTANCE_CULL_DISABLE)
        return;
    if (s->flags & ABI_RAY_FLAG_CULL_BACK_FACING_TRIANGLES)
        s->facing_mask &= ~back_sign;
    if (s->flags & ABI_RAY_FLAG_CULL_FRONT_FACING_TRIANGLES)
        s->facing_mask &= ~s->front_sign;
}

/* opaque = ((geometry flag | or) & and): the instance replaces the geometry, the ray replaces both. */
static inline void state_set_opacity(struct trace_state *s, uint32_t instance_flags)
{
    s->opacity_or = (instance_flags & STATE_INSTANCE_FORCE_OPAQUE) ? ACCEL_GEOMETRY_OPAQUE : 0;
    s->opacity_and = (instance_flags & STATE_INSTANCE_FORCE_NON_OPAQUE) ? s->opacity_or : ACCEL_GEOMETRY_OPAQUE;
    if (s->flags & ABI_RAY_FLAG_FORCE_OPAQUE)
        s->opacity_or = s->opacity_and = ACCEL_GEOMETRY_OPAQUE;
    else if (s->flags & ABI_RAY_FLAG_FORCE_NON_OPAQUE)
        s->opacity_or = s->opacity_and = 0;
}

/* Where the micromaps of a bottom level are, if they count for this ray and instance. */
static inline void state_set_micromaps(struct trace_state *s, const struct accel_header *bottom, uint32_t instance_flags)
{
    s->micromaps = NULL;
    if (__builtin_expect(!bottom->micromap_link_offset, 1) || !(s->flags & ABI_TRACE_FLAG_ALLOW_MICROMAPS) ||
        (instance_flags & STATE_INSTANCE_DISABLE_OMMS))
        return;
    bool force = (s->flags & ABI_RAY_FLAG_FORCE_OMM_2_STATE) || (instance_flags & STATE_INSTANCE_FORCE_OMM_2_STATE);
    s->micromaps = (const struct accel_micromap_linkage *)((const uint8_t *)bottom + bottom->micromap_link_offset);
    s->micromap_state_mask = force ? 1 : 3;
}

static inline void state_push_root(struct trace_state *s, uint32_t root)
{
    s->stack[s->stack_count++] = (struct trace_stack_entry){s->visible.ray.t_min, root};
}

/* Prepare to walk a bottom-level structure with a ray in its space. False: nothing to find there. */
static inline bool state_enter_bottom(struct trace_state *s, const struct accel_header *bottom, uint32_t instance_flags,
                                      setup4 origin, setup4 direction)
{
    uint32_t skip = bottom->kind == ACCEL_KIND_BOXES ? ABI_RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES : ABI_RAY_FLAG_SKIP_TRIANGLES;
    if (bottom->root == ACCEL_REF_EMPTY || (s->flags & skip))
        return false;
    if (!setup_space(&s->object, bottom, origin, direction))
        return false;
    state_set_facing(s, instance_flags);
    state_set_opacity(s, instance_flags);
    state_set_micromaps(s, bottom, instance_flags);
    s->bottom = bottom;
    s->stack_base = s->stack_count;
    state_push_root(s, bottom->root);
    return true;
}

static inline bool state_enter_instance(struct trace_state *s, uint32_t index)
{
    const uint8_t *block = (const uint8_t *)s->top;
    const struct abi_instance *instance = (const struct abi_instance *)(block + s->top->leaf_offset) + index;
    if (!(instance->mask & s->visible.instance_mask & 0xff))
        return false;
    s->instance = instance;
    s->instance_index = index;
    setup4 origin, direction;
    if (s->top->flags & ACCEL_FLAG_IDENTITY_INSTANCE) {
        origin = setup_load_xyz(s->visible.ray.origin);
        direction = setup_load_xyz(s->visible.ray.direction);
    } else {
        setup_transform(instance, &s->visible.ray, &origin, &direction);
        if (!setup_is_finite(origin, direction))
            return false;
    }
    return state_enter_bottom(s, (const struct accel_header *)(uintptr_t)instance->blas, instance->flags, origin, direction);
}

static inline bool state_ray_is_valid(const struct abi_ray *ray)
{
    return setup_is_finite(setup_load(ray->origin), setup_load(ray->direction)) && ray->t_min <= ray->t_max;
}

/* Start on the structure. visible.ray, visible.instance_mask and flags are set. False: every ray misses it. */
static inline bool state_start(struct trace_state *s, const struct accel_header *structure)
{
    s->t_max = s->visible.ray.t_max;
    s->done = 0;
    s->committed_is_opaque = 0;
    s->stack_count = 0;
    s->stack_base = 0;
    s->leaf_ref = ACCEL_REF_EMPTY;
    s->instance_index = 0;
    s->instance = NULL;
    s->bottom = NULL;
    s->top = NULL;
    if (!structure || structure->root == ACCEL_REF_EMPTY || !state_ray_is_valid(&s->visible.ray))
        return false;
    setup4 origin = setup_load_xyz(s->visible.ray.origin), direction = setup_load_xyz(s->visible.ray.direction);
    if (structure->kind != ACCEL_KIND_INSTANCES)
        return state_enter_bottom(s, structure, 0, origin, direction);
    s->top = structure;
    if (structure->flags & ACCEL_FLAG_IDENTITY_INSTANCE)
        return state_enter_instance(s, structure->root & ACCEL_REF_INSTANCE_MASK);
    if (!setup_space(&s->world, structure, origin, direction))
        return false;
    state_push_root(s, structure->root);
    return true;
}

static inline void state_begin(struct trace_state *s, uint64_t structure, const struct abi_ray *ray, uint32_t ray_flags,
                               uint32_t pipeline_flags, uint32_t instance_mask)
{
    struct abi_traversal *visible = &s->visible;
    visible->ray = *ray;
    visible->ray_flags = ray_flags;
    visible->pipeline_flags = pipeline_flags;
    visible->instance_mask = instance_mask;
    visible->committed_status = ABI_COMMITTED_NOTHING;
    visible->candidate_type = 0;
    visible->candidate_is_opaque = 0;
    visible->committed = (struct abi_hit){.t = ray->t_max};
    visible->candidate = (struct abi_hit){.t = ray->t_max};
    s->flags = (ray_flags & ~ABI_TRACE_FLAG_ALLOW_MICROMAPS) | pipeline_flags;
    s->done = !state_start(s, (const struct accel_header *)(uintptr_t)structure);
}

static inline void state_commit(struct trace_state *s, uint32_t status)
{
    s->visible.committed = s->visible.candidate;
    s->visible.committed_status = status;
    s->committed_is_opaque = 0;
    s->t_max = s->visible.candidate.t;
    if (s->flags & ABI_RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH)
        s->done = 1;
}

static inline void state_commit_triangle(struct trace_state *s)
{
    state_commit(s, ABI_COMMITTED_TRIANGLE_HIT);
}

static inline uint32_t state_commit_procedural(struct trace_state *s, float t, uint32_t hit_kind)
{
    if (!(t >= s->visible.ray.t_min && t <= s->t_max))
        return 0;
    s->visible.candidate.t = t;
    s->visible.candidate.hit_kind = hit_kind;
    state_commit(s, ABI_COMMITTED_PROCEDURAL_PRIMITIVE_HIT);
    return 1;
}

static inline void state_abort(struct trace_state *s)
{
    s->done = 1;
}

#endif
