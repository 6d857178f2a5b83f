/* SPDX-License-Identifier: MIT
 * Where a thread is and what it hit: system values of compute and raytracing stages. */
#include "base/vec.h"
#include "jit/device/device.h"

VALUE(uint32_t, jit_thread_id, struct abi_thread *thread, uint32_t component)
{
    return device_select3_u32(thread->dispatch_index, component);
}
VALUE(uint32_t, jit_group_id, struct abi_thread *thread, uint32_t component)
{
    return device_select3_u32(thread->group_id, component);
}
VALUE(uint32_t, jit_thread_id_in_group, struct abi_thread *thread, uint32_t component)
{
    return device_select3_u32(thread->thread_in_group, component);
}
VALUE(uint32_t, jit_flattened_thread_id_in_group, struct abi_thread *thread)
{
    return thread->flat_thread_in_group;
}
VALUE(uint32_t, jit_dispatch_rays_index, struct abi_thread *thread, uint8_t component)
{
    return device_select3_u32(thread->dispatch_index, component);
}
VALUE(uint32_t, jit_dispatch_rays_dimensions, struct abi_thread *thread, uint8_t component)
{
    return device_select3_u32(thread->dispatch->dimensions, component);
}
VALUE(void, jit_cycle_counter, struct abi_thread *thread, uint32_t out[2])
{
    uint64_t count = __builtin_readcyclecounter();
    out[0] = (uint32_t)count;
    out[1] = (uint32_t)(count >> 32);
}

VALUE(float, jit_world_ray_origin, struct abi_thread *thread, uint8_t component)
{
    return device_select3(thread->traversal->ray.origin, component);
}
VALUE(float, jit_world_ray_direction, struct abi_thread *thread, uint8_t component)
{
    return device_select3(thread->traversal->ray.direction, component);
}
VALUE(float, jit_ray_t_min, struct abi_thread *thread)
{
    return thread->traversal->ray.t_min;
}
/* Closest hit: the committed hit; any hit: the candidate. */
VALUE(float, jit_ray_t_hit, struct abi_thread *thread)
{
    return thread->hit->t;
}
/* Intersection: what is committed so far. */
VALUE(float, jit_ray_t_committed, struct abi_thread *thread)
{
    const struct abi_traversal *traversal = thread->traversal;
    return traversal->committed_status ? traversal->committed.t : traversal->ray.t_max;
}
VALUE(float, jit_ray_t_max, struct abi_thread *thread)
{
    return thread->traversal->ray.t_max;
}
VALUE(uint32_t, jit_ray_flags, struct abi_thread *thread)
{
    return thread->traversal->ray_flags;
}
VALUE(uint32_t, jit_hit_kind, struct abi_thread *thread)
{
    return thread->hit->hit_kind;
}
VALUE(uint32_t, jit_instance_id, struct abi_thread *thread)
{
    return thread->hit->instance->instance_id;
}
VALUE(uint32_t, jit_instance_index, struct abi_thread *thread)
{
    return thread->hit->instance_index;
}
VALUE(uint32_t, jit_primitive_index, struct abi_thread *thread)
{
    return thread->hit->primitive_index;
}
VALUE(uint32_t, jit_geometry_index, struct abi_thread *thread)
{
    return thread->hit->geometry_index;
}
VALUE(uint32_t, jit_cluster_id, struct abi_thread *thread)
{
    return UINT32_MAX; /* no cluster structures on this device */
}

static inline float device_object_origin(const struct abi_traversal *traversal, const struct abi_hit *hit,
                                         uint32_t component)
{
    float p[3];
    vec_transform_point_back(hit->instance->object_to_world, hit->instance->world_to_object, traversal->ray.origin, p);
    return device_select3(p, component);
}
static inline float device_object_direction(const struct abi_traversal *traversal, const struct abi_hit *hit,
                                            uint32_t component)
{
    float v[3];
    vec_transform_direction(hit->instance->world_to_object, traversal->ray.direction, v);
    return device_select3(v, component);
}
static inline float device_matrix(const float m[12], uint32_t row, uint32_t column)
{
    row = row < 3 ? row : 2;
    column = column < 4 ? column : 3;
    return m[row * 4 + column];
}

VALUE(float, jit_object_ray_origin, struct abi_thread *thread, uint8_t component)
{
    return device_object_origin(thread->traversal, thread->hit, component);
}
VALUE(float, jit_object_ray_direction, struct abi_thread *thread, uint8_t component)
{
    return device_object_direction(thread->traversal, thread->hit, component);
}
VALUE(float, jit_object_to_world, struct abi_thread *thread, uint32_t row, uint8_t column)
{
    return device_matrix(thread->hit->instance->object_to_world, row, column);
}
VALUE(float, jit_world_to_object, struct abi_thread *thread, uint32_t row, uint8_t column)
{
    return device_matrix(thread->hit->instance->world_to_object, row, column);
}
VALUE(void, jit_triangle_object_position, struct abi_thread *thread, float out[9])
{
    thread->dispatch->services->triangle_positions(thread, thread->hit, out);
}
