/* SPDX-License-Identifier: MIT
 * HitObject (shader model 6.9): values in the shader's frame. Accessors of a hit on a miss or NOP object give 0, as those
 * of a miss give the ray. */
#include "base/vec.h"
#include "jit/device/device.h"

VALUE(void, jit_hit_object_trace, struct abi_thread *thread, struct abi_hit_object *out,
      const struct abi_descriptor *scene, uint32_t ray_flags, uint32_t mask, uint32_t contribution, uint32_t multiplier,
      uint32_t miss, float ox, float oy, float oz, float t_min, float dx, float dy, float dz, float t_max,
      void *payload)
{
    uint64_t address = scene->kind == ABI_DESCRIPTOR_ACCELERATION_STRUCTURE ? scene->buffer.address : 0;
    if (scene->kind != ABI_DESCRIPTOR_ACCELERATION_STRUCTURE && scene->kind != ABI_DESCRIPTOR_NONE)
        thread->dispatch->services->fault(thread, ABI_FAULT_DESCRIPTOR_KIND, (uint64_t)scene);
    struct abi_trace_arguments arguments = {address, ray_flags, mask, contribution, multiplier, miss, 0,
                                            {{ox, oy, oz}, t_min, {dx, dy, dz}, t_max}};
    *out = (struct abi_hit_object){.kind = ABI_HIT_OBJECT_NOP};
    thread->dispatch->services->hit_object_trace(thread, &arguments, payload, out);
}
VALUE(void, jit_hit_object_make_miss, struct abi_hit_object *out, uint32_t ray_flags, uint32_t miss, float ox, float oy,
      float oz, float t_min, float dx, float dy, float dz, float t_max)
{
    *out = (struct abi_hit_object){.kind = ABI_HIT_OBJECT_MISS, .shader_table_index = miss, .ray_flags = ray_flags,
                                   .ray = {{ox, oy, oz}, t_min, {dx, dy, dz}, t_max}};
}
VALUE(void, jit_hit_object_make_nop, struct abi_hit_object *out)
{
    *out = (struct abi_hit_object){.kind = ABI_HIT_OBJECT_NOP};
}
VALUE(void, jit_hit_object_invoke, struct abi_thread *thread, const struct abi_hit_object *object, void *payload)
{
    if (object->kind != ABI_HIT_OBJECT_NOP)
        thread->dispatch->services->hit_object_invoke(thread, object, payload);
}
VALUE(void, jit_hit_object_set_table_index, struct abi_hit_object *out, const struct abi_hit_object *object,
      uint32_t index)
{
    *out = *object;
    if (object->kind != ABI_HIT_OBJECT_NOP)
        out->shader_table_index = index;
}
VALUE(uint32_t, jit_hit_object_record_constant, struct abi_thread *thread, const struct abi_hit_object *object,
      uint32_t offset)
{
    if (object->kind == ABI_HIT_OBJECT_NOP)
        return 0;
    return thread->dispatch->services->hit_object_record_constant(thread, object, offset);
}
VALUE(void, jit_hit_object_attributes, const struct abi_hit_object *object, void *out, uint32_t bytes)
{
    if (object->kind == ABI_HIT_OBJECT_HIT)
        __builtin_memcpy(out, object->attributes, bytes);
    else
        __builtin_memset(out, 0, bytes);
}

#define OBJECT(type, name, expression)                                                                       \
    VALUE(type, jit_hit_object_##name, const struct abi_hit_object *object)                                  \
    {                                                                                                        \
        bool is_hit = object->kind == ABI_HIT_OBJECT_HIT;                                                    \
        (void)is_hit;                                                                                        \
        return expression;                                                                                   \
    }

OBJECT(bool, is_miss, object->kind == ABI_HIT_OBJECT_MISS)
OBJECT(bool, is_hit, is_hit)
OBJECT(bool, is_nop, object->kind == ABI_HIT_OBJECT_NOP)
OBJECT(uint32_t, ray_flags, object->ray_flags)
OBJECT(float, ray_t_min, object->ray.t_min)
OBJECT(float, ray_t_current, is_hit ? object->hit.t : object->ray.t_max)
OBJECT(uint32_t, geometry_index, is_hit ? object->hit.geometry_index : 0)
OBJECT(uint32_t, instance_index, is_hit ? object->hit.instance_index : 0)
OBJECT(uint32_t, instance_id, is_hit &&object->hit.instance ? object->hit.instance->instance_id : 0)
OBJECT(uint32_t, primitive_index, is_hit ? object->hit.primitive_index : 0)
OBJECT(uint32_t, hit_kind, is_hit ? object->hit.hit_kind : 0)
OBJECT(uint32_t, table_index, object->shader_table_index == ABI_HIT_OBJECT_UNBOUND ? 0 : object->shader_table_index)
OBJECT(uint32_t, cluster_id, UINT32_MAX)

VALUE(float, jit_hit_object_world_ray_origin, const struct abi_hit_object *object, uint32_t component)
{
    return device_select3(object->ray.origin, component);
}
VALUE(float, jit_hit_object_world_ray_direction, const struct abi_hit_object *object, uint32_t component)
{
    return device_select3(object->ray.direction, component);
}
/* Without an instance, object space is world space. */
VALUE(float, jit_hit_object_object_ray_origin, const struct abi_hit_object *object, uint32_t component)
{
    float p[3] = {object->ray.origin[0], object->ray.origin[1], object->ray.origin[2]};
    if (object->kind == ABI_HIT_OBJECT_HIT && object->hit.instance)
        vec_transform_point_back(object->hit.instance->object_to_world, object->hit.instance->world_to_object,
                                 object->ray.origin, p);
    return device_select3(p, component);
}
VALUE(float, jit_hit_object_object_ray_direction, const struct abi_hit_object *object, uint32_t component)
{
    float v[3] = {object->ray.direction[0], object->ray.direction[1], object->ray.direction[2]};
    if (object->kind == ABI_HIT_OBJECT_HIT && object->hit.instance)
        vec_transform_direction(object->hit.instance->world_to_object, object->ray.direction, v);
    return device_select3(v, component);
}
static inline float device_object_matrix(const struct abi_hit_object *object, bool to_world, uint32_t row,
                                         uint32_t column)
{
    uint32_t r = row < 3 ? row : 2, c = column < 4 ? column : 3;
    const struct abi_instance *instance = object->kind == ABI_HIT_OBJECT_HIT ? object->hit.instance : 0;
    if (!instance)
        return r == c ? 1.0f : 0.0f;
    return (to_world ? instance->object_to_world : instance->world_to_object)[r * 4 + c];
}
VALUE(float, jit_hit_object_object_to_world, const struct abi_hit_object *object, uint32_t row, uint32_t column)
{
    return device_object_matrix(object, true, row, column);
}
VALUE(float, jit_hit_object_world_to_object, const struct abi_hit_object *object, uint32_t row, uint32_t column)
{
    return device_object_matrix(object, false, row, column);
}
VALUE(void, jit_hit_object_positions, struct abi_thread *thread, const struct abi_hit_object *object, float out[9])
{
    __builtin_memset(out, 0, 9 * sizeof(float));
    if (object->kind == ABI_HIT_OBJECT_HIT && !object->is_procedural)
        thread->dispatch->services->triangle_positions(thread, &object->hit, out);
}
