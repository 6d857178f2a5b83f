/* SPDX-License-Identifier: MIT
 * TraceRay, CallShader, ReportHit and inline ray queries: thin calls through the services table. */
#include "base/vec.h"
#include "jit/device/device.h"

static inline uint64_t device_structure(struct abi_thread *thread, const struct abi_descriptor *handle)
{
    if (__builtin_expect(handle->kind == ABI_DESCRIPTOR_ACCELERATION_STRUCTURE, 1))
        return handle->buffer.address;
    if (handle->kind != ABI_DESCRIPTOR_NONE)
        thread->dispatch->services->fault(thread, ABI_FAULT_DESCRIPTOR_KIND, (uint64_t)handle);
    return 0;
}

VALUE(void, jit_trace_ray, struct abi_thread *thread, const struct abi_descriptor *scene, uint32_t ray_flags,
      uint32_t mask, uint32_t contribution, uint32_t multiplier, uint32_t miss, float ox, float oy, float oz,
      float t_min, float dx, float dy, float dz, float t_max, void *payload)
{
    struct abi_trace_arguments arguments = {device_structure(thread, scene), ray_flags, mask, contribution, multiplier,
                                            miss, 0, {{ox, oy, oz}, t_min, {dx, dy, dz}, t_max}};
    thread->dispatch->services->trace_ray(thread, &arguments, payload);
}

VALUE(void, jit_call_shader, struct abi_thread *thread, uint32_t index, void *parameter)
{
    thread->dispatch->services->call_shader(thread, index, parameter);
}

VALUE(bool, jit_report_hit, struct abi_thread *thread, float t, uint32_t kind, const void *attributes, uint32_t bytes)
{
    return thread->dispatch->services->report_hit(thread, t, kind, attributes, bytes) != 0;
}

/* Queries. A query is a block of query_bytes in the shader's frame whose head is a struct abi_traversal; the flags of the
 * RayQuery template stand in front of it. */
struct device_query {
    uint32_t template_flags;
    uint32_t query_flags; /* D3D12 RAYQUERY_FLAG */
    uint32_t reserved[14];
    struct abi_traversal traversal; /* and the private part */
};

VALUE(void, jit_query_allocate, struct abi_thread *thread, struct device_query *query, uint32_t flags,
      uint32_t query_flags)
{
    query->template_flags = flags;
    query->query_flags = query_flags;
    query->traversal = (struct abi_traversal){0};
    query->traversal.ray_flags = flags;
    /* A query that was never started has nothing to visit. */
    struct abi_trace_arguments arguments = {.ray_flags = flags, .query_flags = query_flags};
    thread->dispatch->services->query_begin(thread, &query->traversal, &arguments);
}
VALUE(void, jit_query_trace, struct abi_thread *thread, struct device_query *query, const struct abi_descriptor *scene,
      uint32_t ray_flags, uint32_t mask, float ox, float oy, float oz, float t_min, float dx, float dy, float dz,
      float t_max)
{
    struct abi_trace_arguments arguments = {device_structure(thread, scene), ray_flags | query->template_flags, mask, 0,
                                            0, 0, query->query_flags, {{ox, oy, oz}, t_min, {dx, dy, dz}, t_max}};
    thread->dispatch->services->query_begin(thread, &query->traversal, &arguments);
}
VALUE(bool, jit_query_proceed, struct abi_thread *thread, struct device_query *query)
{
    return thread->dispatch->services->query_proceed(thread, &query->traversal) != 0;
}
VALUE(void, jit_query_abort, struct abi_thread *thread, struct device_query *query)
{
    thread->dispatch->services->query_abort(thread, &query->traversal);
}
VALUE(void, jit_query_commit_triangle, struct abi_thread *thread, struct device_query *query)
{
    thread->dispatch->services->query_commit_triangle(thread, &query->traversal);
}
VALUE(void, jit_query_commit_procedural, struct abi_thread *thread, struct device_query *query, float t)
{
    thread->dispatch->services->query_commit_procedural(thread, &query->traversal, t);
}

#define QUERY(type, name, expression)                                                                        \
    VALUE(type, jit_query_##name, struct abi_thread *thread, struct device_query *query)                     \
    {                                                                                                        \
        const struct abi_traversal *q __attribute__((unused)) = &query->traversal;                                               \
        return expression;                                                                                   \
    }
#define QUERY_COMPONENT(name, expression)                                                                    \
    VALUE(float, jit_query_##name, struct abi_thread *thread, struct device_query *query, uint8_t component) \
    {                                                                                                        \
        const struct abi_traversal *q __attribute__((unused)) = &query->traversal;                                               \
        return expression;                                                                                   \
    }
#define QUERY_MATRIX(name, hit, matrix)                                                                      \
    VALUE(float, jit_query_##name, struct abi_thread *thread, struct device_query *query, uint32_t row,      \
          uint8_t column)                                                                                    \
    {                                                                                                        \
        const struct abi_instance *instance = query->traversal.hit.instance;                                 \
        uint32_t r = row < 3 ? row : 2, c = column < 4 ? column : 3;                                         \
        return instance ? instance->matrix[r * 4 + c] : 0.0f;                                                \
    }

QUERY(uint32_t, committed_status, q->committed_status)
QUERY(uint32_t, candidate_type, q->candidate_type)
QUERY(bool, candidate_procedural_non_opaque, !q->candidate_is_opaque)
QUERY(bool, candidate_front_face, q->candidate.hit_kind == ABI_HIT_KIND_TRIANGLE_FRONT_FACE)
QUERY(bool, committed_front_face, q->committed.hit_kind == ABI_HIT_KIND_TRIANGLE_FRONT_FACE)
QUERY(uint32_t, ray_flags, q->ray_flags)
QUERY(float, ray_t_min, q->ray.t_min)
QUERY(float, candidate_t, q->candidate.t)
QUERY(float, committed_t, q->committed_status ? q->committed.t : q->ray.t_max)
QUERY(uint32_t, candidate_instance_index, q->candidate.instance_index)
QUERY(uint32_t, candidate_instance_id, q->candidate.instance ? q->candidate.instance->instance_id : 0)
QUERY(uint32_t, candidate_geometry_index, q->candidate.geometry_index)
QUERY(uint32_t, candidate_primitive_index, q->candidate.primitive_index)
QUERY(uint32_t, candidate_contribution, q->candidate.instance ? q->candidate.instance->hit_group_contribution : 0)
QUERY(uint32_t, committed_instance_index, q->committed.instance_index)
QUERY(uint32_t, committed_instance_id, q->committed.instance ? q->committed.instance->instance_id : 0)
QUERY(uint32_t, committed_geometry_index, q->committed.geometry_index)
QUERY(uint32_t, committed_primitive_index, q->committed.primitive_index)
QUERY(uint32_t, committed_contribution, q->committed.instance ? q->committed.instance->hit_group_contribution : 0)
QUERY(uint32_t, candidate_cluster_id, UINT32_MAX)
QUERY(uint32_t, committed_cluster_id, UINT32_MAX)
QUERY_COMPONENT(world_ray_origin, device_select3(q->ray.origin, component))
QUERY_COMPONENT(world_ray_direction, device_select3(q->ray.direction, component))
QUERY_COMPONENT(candidate_barycentrics, q->candidate.barycentrics[component ? 1 : 0])
QUERY_COMPONENT(committed_barycentrics, q->committed.barycentrics[component ? 1 : 0])
QUERY_MATRIX(candidate_object_to_world, candidate, object_to_world)
QUERY_MATRIX(candidate_world_to_object, candidate, world_to_object)
QUERY_MATRIX(committed_object_to_world, committed, object_to_world)
QUERY_MATRIX(committed_world_to_object, committed, world_to_object)

static inline float device_query_origin(const struct abi_traversal *q, const struct abi_hit *hit, uint32_t component)
{
    float p[3] = {0};
    if (hit->instance)
        vec_transform_point_back(hit->instance->object_to_world, hit->instance->world_to_object, q->ray.origin, p);
    return device_select3(p, component);
}
static inline float device_query_direction(const struct abi_traversal *q, const struct abi_hit *hit, uint32_t component)
{
    float v[3] = {0};
    if (hit->instance)
        vec_transform_direction(hit->instance->world_to_object, q->ray.direction, v);
    return device_select3(v, component);
}
QUERY_COMPONENT(candidate_object_ray_origin, device_query_origin(q, &q->candidate, component))
QUERY_COMPONENT(candidate_object_ray_direction, device_query_direction(q, &q->candidate, component))
QUERY_COMPONENT(committed_object_ray_origin, device_query_origin(q, &q->committed, component))
QUERY_COMPONENT(committed_object_ray_direction, device_query_direction(q, &q->committed, component))

VALUE(void, jit_query_candidate_positions, struct abi_thread *thread, struct device_query *query, float out[9])
{
    thread->dispatch->services->triangle_positions(thread, &query->traversal.candidate, out);
}
VALUE(void, jit_query_committed_positions, struct abi_thread *thread, struct device_query *query, float out[9])
{
    thread->dispatch->services->triangle_positions(thread, &query->traversal.committed, out);
}

/* HitObject::FromRayQuery: what the query committed. hit_kind and attributes are given for procedural hits. */
static inline void device_object_from_query(struct abi_hit_object *out, const struct abi_traversal *q)
{
    *out = (struct abi_hit_object){.kind = ABI_HIT_OBJECT_NOP};
    if (q->committed_status == ABI_COMMITTED_NOTHING)
        return;
    out->kind = ABI_HIT_OBJECT_HIT;
    out->shader_table_index = ABI_HIT_OBJECT_UNBOUND;
    out->ray_flags = q->ray_flags;
    out->ray = q->ray;
    out->hit = q->committed;
    out->is_procedural = q->committed_status == ABI_COMMITTED_PROCEDURAL_PRIMITIVE_HIT;
    if (!out->is_procedural) {
        __builtin_memcpy(out->attributes, q->committed.barycentrics, sizeof(q->committed.barycentrics));
        out->attribute_bytes = sizeof(q->committed.barycentrics);
    }
}
VALUE(void, jit_hit_object_from_query, struct abi_hit_object *out, struct device_query *query)
{
    device_object_from_query(out, &query->traversal);
}
VALUE(void, jit_hit_object_from_query_attributes, struct abi_hit_object *out, struct device_query *query, uint32_t kind,
      const void *attributes, uint32_t bytes)
{
    device_object_from_query(out, &query->traversal);
    if (out->kind != ABI_HIT_OBJECT_HIT)
        return;
    out->hit.hit_kind = kind;
    out->attribute_bytes = bytes;
    __builtin_memcpy(out->attributes, attributes, bytes);
}

/* For shaders in C, which return by themselves. */
VALUE(void, jit_ignore_hit, struct abi_thread *thread)
{
    thread->ignore_hit = 1;
}
VALUE(void, jit_accept_hit, struct abi_thread *thread)
{
    thread->end_search = 1;
}
VALUE(bool, jit_must_return, struct abi_thread *thread)
{
    return thread->end_search != 0;
}
