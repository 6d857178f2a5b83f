/* SPDX-License-Identifier: MIT
 * Shaders in C. The stages of HLSL, written in C, compiled by
 *     clang -O1 -emit-llvm -c shader.c -o shader.bc        (clang 19 or older)
 * and given to CreateStateObject (or CreateComputePipelineState) in place of DXIL. Exports, hit groups, root signatures
 * and shader tables work as with HLSL. The program must call cdxr_enable_c_shaders() first (cdxr/cdxr.h) or be run
 * with CDXR_C_SHADERS=1: this code is trusted, nothing checks it, and it can do what any C code can.
 *
 *     #include <cdxr/shader.h>
 *     CDXR_ACCELERATION_STRUCTURE(scene, 0, 0);                            t0, space0
 *     CDXR_RW_STRUCTURED_BUFFER(image, struct pixel, 0, 0);                u0, space0
 *     struct payload { float color[4]; };
 *     CDXR_RAY_GENERATION(RayGen) { ... cdxr_trace_ray(thread, &scene, ...); }
 *     CDXR_CLOSEST_HIT(Hit, struct payload, cdxr_barycentrics) { payload->color[0] = attributes->x; }
 *
 * Rules: a shader has no state of its own (no writable static variables), calls no function pointers, does not recurse. Calls of
 * the C library are limited to memcpy, memset, memmove and the float functions of math.h. Payloads that C and HLSL
 * shaders share must have the same layout: in the memory of this device an HLSL float3 takes 16 bytes, aligned to 16. */
#ifndef CDXR_SHADER_H
#define CDXR_SHADER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The running thread; every function below takes it first. In a shader it is the variable `thread`. */
typedef struct abi_thread cdxr_thread;
/* A descriptor; valid during the shader. */
typedef const struct abi_descriptor *cdxr_handle;

/* --- resources ----------------------------------------------------------------------------------------------- */

enum cdxr_resource_class { CDXR_SRV, CDXR_UAV, CDXR_CBV, CDXR_SAMPLER };
/* Numbers of DXIL::ResourceKind. */
enum cdxr_resource_kind {
    CDXR_KIND_TEXTURE_1D = 1,
    CDXR_KIND_TEXTURE_2D = 2,
    CDXR_KIND_TEXTURE_3D = 4,
    CDXR_KIND_TEXTURE_CUBE = 5,
    CDXR_KIND_TEXTURE_2D_ARRAY = 7,
    CDXR_KIND_TYPED_BUFFER = 10,
    CDXR_KIND_RAW_BUFFER = 11,
    CDXR_KIND_STRUCTURED_BUFFER = 12,
    CDXR_KIND_CONSTANT_BUFFER = 13,
    CDXR_KIND_SAMPLER = 14,
    CDXR_KIND_ACCELERATION_STRUCTURE = 16,
};
enum { CDXR_UNBOUNDED = -1 };

/* A range of registers. Read when the pipeline is made; use it through cdxr_resource_handle. */
typedef struct cdxr_resource {
    uint32_t resource_class, kind, first_register, space, count, stride_bytes;
} cdxr_resource;

#define CDXR_RESOURCE(name, resource_class, kind, first_register, space, count, stride_bytes)                 \
    const cdxr_resource name = {resource_class, kind, first_register, space, (uint32_t)(count), stride_bytes}
#define CDXR_ACCELERATION_STRUCTURE(name, t, space)                                                          \
    CDXR_RESOURCE(name, CDXR_SRV, CDXR_KIND_ACCELERATION_STRUCTURE, t, space, 1, 0)
#define CDXR_STRUCTURED_BUFFER(name, type, t, space)                                                         \
    CDXR_RESOURCE(name, CDXR_SRV, CDXR_KIND_STRUCTURED_BUFFER, t, space, 1, sizeof(type))
#define CDXR_RW_STRUCTURED_BUFFER(name, type, u, space)                                                      \
    CDXR_RESOURCE(name, CDXR_UAV, CDXR_KIND_STRUCTURED_BUFFER, u, space, 1, sizeof(type))
#define CDXR_BYTE_ADDRESS_BUFFER(name, t, space) CDXR_RESOURCE(name, CDXR_SRV, CDXR_KIND_RAW_BUFFER, t, space, 1, 0)
#define CDXR_RW_BYTE_ADDRESS_BUFFER(name, u, space)                                                          \
    CDXR_RESOURCE(name, CDXR_UAV, CDXR_KIND_RAW_BUFFER, u, space, 1, 0)
#define CDXR_CONSTANT_BUFFER(name, b, space)                                                                 \
    CDXR_RESOURCE(name, CDXR_CBV, CDXR_KIND_CONSTANT_BUFFER, b, space, 1, 0)
#define CDXR_TEXTURE_2D(name, t, space) CDXR_RESOURCE(name, CDXR_SRV, CDXR_KIND_TEXTURE_2D, t, space, 1, 0)
#define CDXR_RW_TEXTURE_2D(name, u, space) CDXR_RESOURCE(name, CDXR_UAV, CDXR_KIND_TEXTURE_2D, u, space, 1, 0)
#define CDXR_SAMPLER_STATE(name, s, space) CDXR_RESOURCE(name, CDXR_SAMPLER, CDXR_KIND_SAMPLER, s, space, 1, 0)

/* Register first_register + index of resource. Resolved when the pipeline is made; resource must be a variable. */
cdxr_handle cdxr_resource_handle(cdxr_thread *thread, const cdxr_resource *resource, uint32_t index);
/* ResourceDescriptorHeap[index], SamplerDescriptorHeap[index]. */
cdxr_handle jit_heap_descriptor(cdxr_thread *thread, bool is_sampler, uint32_t index);

/* --- stages --------------------------------------------------------------------------------------------------- */

/* What the runtime must know of a shader; numbers of DXIL::ShaderKind. */
typedef struct cdxr_shader {
    uint32_t kind, payload_bytes, attribute_bytes, threads[3], groupshared_bytes;
} cdxr_shader;

/* Attributes of triangle hits: weights of the second and third vertex. */
typedef struct cdxr_barycentrics {
    float x, y;
} cdxr_barycentrics;

#define CDXR_STAGE(name, kind, payload_bytes, attribute_bytes, payload_type, attribute_type)                 \
    const cdxr_shader cdxr_shader_##name = {kind, payload_bytes, attribute_bytes, {0}, 0};                   \
    static inline void name##_body(cdxr_thread *thread, payload_type *payload, const attribute_type *attributes); \
    void name(cdxr_thread *thread, void *payload, const void *attributes)                                   \
    {                                                                                                        \
        name##_body(thread, (payload_type *)payload, (const attribute_type *)attributes);                    \
    }                                                                                                        \
    static inline void name##_body(cdxr_thread *thread, payload_type *payload, const attribute_type *attributes)

/* Each macro is followed by the body in braces. In scope: thread, and where the stage has them, payload and attributes. */
#define CDXR_RAY_GENERATION(name) CDXR_STAGE(name, 7, 0, 0, void, void)
#define CDXR_INTERSECTION(name) CDXR_STAGE(name, 8, 0, 0, void, void)
#define CDXR_ANY_HIT(name, payload_type, attribute_type)                                                     \
    CDXR_STAGE(name, 9, sizeof(payload_type), sizeof(attribute_type), payload_type, attribute_type)
#define CDXR_CLOSEST_HIT(name, payload_type, attribute_type)                                                 \
    CDXR_STAGE(name, 10, sizeof(payload_type), sizeof(attribute_type), payload_type, attribute_type)
#define CDXR_MISS(name, payload_type) CDXR_STAGE(name, 11, sizeof(payload_type), 0, payload_type, void)
#define CDXR_CALLABLE(name, parameter_type) CDXR_STAGE(name, 12, sizeof(parameter_type), 0, parameter_type, void)
/* A compute shader of x * y * z threads a group that share groupshared_bytes (cdxr_groupshared). */
#define CDXR_COMPUTE(name, x, y, z, groupshared_bytes)                                                       \
    const cdxr_shader cdxr_shader_##name = {5, 0, 0, {x, y, z}, groupshared_bytes};                          \
    static inline void name##_body(cdxr_thread *thread);                                                     \
    void name(cdxr_thread *thread, void *payload, const void *attributes)                                    \
    {                                                                                                        \
        (void)payload;                                                                                       \
        (void)attributes;                                                                                    \
        name##_body(thread);                                                                                 \
    }                                                                                                        \
    static inline void name##_body(cdxr_thread *thread)

/* --- positions and hits ----------------------------------------------------------------------------------------- */

uint32_t jit_dispatch_rays_index(cdxr_thread *thread, uint8_t component);
uint32_t jit_dispatch_rays_dimensions(cdxr_thread *thread, uint8_t component);
uint32_t jit_thread_id(cdxr_thread *thread, uint32_t component);
uint32_t jit_group_id(cdxr_thread *thread, uint32_t component);
uint32_t jit_thread_id_in_group(cdxr_thread *thread, uint32_t component);
uint32_t jit_flattened_thread_id_in_group(cdxr_thread *thread);
float jit_world_ray_origin(cdxr_thread *thread, uint8_t component);
float jit_world_ray_direction(cdxr_thread *thread, uint8_t component);
float jit_object_ray_origin(cdxr_thread *thread, uint8_t component);
float jit_object_ray_direction(cdxr_thread *thread, uint8_t component);
float jit_object_to_world(cdxr_thread *thread, uint32_t row, uint8_t column);
float jit_world_to_object(cdxr_thread *thread, uint32_t row, uint8_t column);
float jit_ray_t_min(cdxr_thread *thread);
float jit_ray_t_hit(cdxr_thread *thread);       /* any hit, closest hit */
float jit_ray_t_committed(cdxr_thread *thread); /* intersection */
float jit_ray_t_max(cdxr_thread *thread);       /* miss */
uint32_t jit_ray_flags(cdxr_thread *thread);
uint32_t jit_hit_kind(cdxr_thread *thread);
uint32_t jit_instance_id(cdxr_thread *thread);
uint32_t jit_instance_index(cdxr_thread *thread);
uint32_t jit_primitive_index(cdxr_thread *thread);
uint32_t jit_geometry_index(cdxr_thread *thread);

#define cdxr_dispatch_rays_index      jit_dispatch_rays_index
#define cdxr_dispatch_rays_dimensions jit_dispatch_rays_dimensions
#define cdxr_dispatch_thread_id       jit_thread_id
#define cdxr_group_id                 jit_group_id
#define cdxr_group_thread_id          jit_thread_id_in_group
#define cdxr_group_index              jit_flattened_thread_id_in_group
#define cdxr_world_ray_origin         jit_world_ray_origin
#define cdxr_world_ray_direction      jit_world_ray_direction
#define cdxr_object_ray_origin        jit_object_ray_origin
#define cdxr_object_ray_direction     jit_object_ray_direction
#define cdxr_object_to_world          jit_object_to_world
#define cdxr_world_to_object          jit_world_to_object
#define cdxr_ray_t_min                jit_ray_t_min
#define cdxr_hit_t                    jit_ray_t_hit
#define cdxr_committed_t              jit_ray_t_committed
#define cdxr_ray_t_max                jit_ray_t_max
#define cdxr_ray_flags                jit_ray_flags
#define cdxr_hit_kind                 jit_hit_kind
#define cdxr_instance_id              jit_instance_id
#define cdxr_instance_index           jit_instance_index
#define cdxr_primitive_index          jit_primitive_index
#define cdxr_geometry_index           jit_geometry_index
#define cdxr_heap_handle              jit_heap_descriptor

/* --- rays --------------------------------------------------------------------------------------------------------- */

typedef struct cdxr_ray {
    float origin[3];
    float t_min;
    float direction[3];
    float t_max;
} cdxr_ray;

void jit_trace_ray(cdxr_thread *thread, cdxr_handle scene, uint32_t ray_flags, uint32_t mask, uint32_t contribution,
                   uint32_t multiplier, uint32_t miss, float ox, float oy, float oz, float t_min, float dx, float dy,
                   float dz, float t_max, void *payload);
void jit_call_shader(cdxr_thread *thread, uint32_t index, void *parameter);
bool jit_report_hit(cdxr_thread *thread, float t, uint32_t kind, const void *attributes, uint32_t bytes);
void jit_ignore_hit(cdxr_thread *thread);
void jit_accept_hit(cdxr_thread *thread);
bool jit_must_return(cdxr_thread *thread);

static inline void cdxr_trace_ray(cdxr_thread *thread, cdxr_handle scene, uint32_t ray_flags, uint32_t mask,
                                  uint32_t contribution, uint32_t multiplier, uint32_t miss, const cdxr_ray *ray,
                                  void *payload)
{
    jit_trace_ray(thread, scene, ray_flags, mask, contribution, multiplier, miss, ray->origin[0], ray->origin[1],
                  ray->origin[2], ray->t_min, ray->direction[0], ray->direction[1], ray->direction[2], ray->t_max,
                  payload);
}
#define cdxr_call_shader jit_call_shader
/* Any hit: return right behind these two, as HLSL's IgnoreHit and AcceptHitAndEndSearch never come back. */
#define cdxr_ignore_hit jit_ignore_hit
#define cdxr_accept_hit_and_end_search jit_accept_hit
/* Intersection: true when the hit was accepted. Return at once when cdxr_must_return says so. attributes: at most 32 bytes. */
#define cdxr_report_hit  jit_report_hit
#define cdxr_must_return jit_must_return

/* --- buffers and textures --------------------------------------------------------------------------------------------- */

typedef struct cdxr_texel {
    uint32_t value[4]; /* float bits or integers */
    uint32_t status;
} cdxr_texel;

uint32_t ops_raw_buffer_vector_load_i32(cdxr_thread *thread, cdxr_handle buffer, uint32_t index, uint32_t offset,
                                        uint32_t alignment, uint32_t count, void *out);
void ops_raw_buffer_vector_store_i32(cdxr_thread *thread, cdxr_handle buffer, uint32_t index, uint32_t offset,
                                     uint32_t alignment, uint32_t count, const void *values);
void ops_cbuffer_load_legacy_i32(cdxr_thread *thread, cdxr_handle cbuffer, uint32_t register_index, void *out);
uint32_t ops_atomic_bin_op_i32(cdxr_thread *thread, cdxr_handle uav, uint32_t op, uint32_t c0, uint32_t c1, uint32_t c2,
                               uint32_t value);
void ops_texture_load_f32(cdxr_thread *thread, cdxr_handle texture, uint32_t mip, uint32_t x, uint32_t y, uint32_t z,
                          uint32_t offset_x, uint32_t offset_y, uint32_t offset_z, void *out);
void ops_texture_store_f32(cdxr_thread *thread, cdxr_handle uav, uint32_t x, uint32_t y, uint32_t z, float v0, float v1,
                           float v2, float v3, uint8_t mask);
void ops_sample_level_f32(cdxr_thread *thread, cdxr_handle texture, cdxr_handle sampler, float u, float v, float w,
                          float layer, uint32_t offset_x, uint32_t offset_y, uint32_t offset_z, float level, void *out);

/* Structured buffers: dword_count dwords of element index from byte offset on. Byte-address buffers: index is the byte
 * offset, offset is 0. Out of bounds: zeros are read, stores are dropped. */
static inline void cdxr_load(cdxr_thread *thread, cdxr_handle buffer, uint32_t index, uint32_t offset, void *out,
                             uint32_t dword_count)
{
    ops_raw_buffer_vector_load_i32(thread, buffer, index, offset, 4, dword_count, out);
}
static inline void cdxr_store(cdxr_thread *thread, cdxr_handle buffer, uint32_t index, uint32_t offset,
                              const void *values, uint32_t dword_count)
{
    ops_raw_buffer_vector_store_i32(thread, buffer, index, offset, 4, dword_count, values);
}
/* 16 bytes of a constant buffer from byte 16 * register_index on. */
#define cdxr_load_constants ops_cbuffer_load_legacy_i32
/* InterlockedAdd on the dword at byte offset of element index; the value before. */
static inline uint32_t cdxr_atomic_add(cdxr_thread *thread, cdxr_handle uav, uint32_t index, uint32_t offset,
                                       uint32_t value)
{
    return ops_atomic_bin_op_i32(thread, uav, 0, index, offset, 0, value);
}
static inline void cdxr_texture_store(cdxr_thread *thread, cdxr_handle uav, uint32_t x, uint32_t y, const float v[4])
{
    ops_texture_store_f32(thread, uav, x, y, 0, v[0], v[1], v[2], v[3], 15);
}
static inline void cdxr_texture_load(cdxr_thread *thread, cdxr_handle texture, uint32_t mip, uint32_t x, uint32_t y,
                                     float out[4])
{
    cdxr_texel texel;
    ops_texture_load_f32(thread, texture, mip, x, y, 0, 0, 0, 0, &texel);
    __builtin_memcpy(out, texel.value, sizeof(texel.value));
}
static inline void cdxr_sample_level(cdxr_thread *thread, cdxr_handle texture, cdxr_handle sampler, float u, float v,
                                     float level, float out[4])
{
    cdxr_texel texel;
    ops_sample_level_f32(thread, texture, sampler, u, v, 0, 0, 0, 0, 0, level, &texel);
    __builtin_memcpy(out, texel.value, sizeof(texel.value));
}

/* --- groups and waves --------------------------------------------------------------------------------------------------- */

void *jit_groupshared(cdxr_thread *thread);
void jit_barrier(cdxr_thread *thread, uint32_t site, bool meets);
#define cdxr_groupshared jit_groupshared
/* GroupMemoryBarrierWithGroupSync. */
static inline void cdxr_barrier(cdxr_thread *thread)
{
    jit_barrier(thread, 0, true);
}

typedef struct cdxr_wave_call {
    uint32_t opcode, type, op, sign, site, reserved;
} cdxr_wave_call;
typedef struct cdxr_wave_lane {
    uint64_t value;
    uint32_t argument[4];
    uint64_t result;
    uint32_t result4[4];
    uint32_t key_word_count;
    uint32_t key[15];
} cdxr_wave_lane;
void jit_wave_operate(cdxr_thread *thread, const cdxr_wave_call *call, cdxr_wave_lane *lane);
uint32_t jit_wave_lane_index(cdxr_thread *thread);
#define cdxr_wave_lane_index jit_wave_lane_index

enum { CDXR_WAVE_TYPE_BOOL = 1, CDXR_WAVE_TYPE_UINT = 4 };
enum cdxr_wave_operation { CDXR_WAVE_SUM, CDXR_WAVE_PRODUCT, CDXR_WAVE_MIN, CDXR_WAVE_MAX };

/* WaveActiveSum and so on over unsigned integers. A macro, because each place where lanes meet is a place of its own. */
#define cdxr_wave_active(thread, operation, operand)                                                         \
    __extension__({                                                                                          \
        static const cdxr_wave_call cdxr_call = {119, CDXR_WAVE_TYPE_UINT, operation, 1, 0, 0};              \
        cdxr_wave_lane cdxr_lane = {.value = (uint32_t)(operand)};                                           \
        jit_wave_operate(thread, &cdxr_call, &cdxr_lane);                                                    \
        (uint32_t)cdxr_lane.result;                                                                          \
    })
/* WavePrefixSum. */
#define cdxr_wave_prefix_sum(thread, operand)                                                                \
    __extension__({                                                                                          \
        static const cdxr_wave_call cdxr_call = {121, CDXR_WAVE_TYPE_UINT, CDXR_WAVE_SUM, 1, 0, 0};          \
        cdxr_wave_lane cdxr_lane = {.value = (uint32_t)(operand)};                                           \
        jit_wave_operate(thread, &cdxr_call, &cdxr_lane);                                                    \
        (uint32_t)cdxr_lane.result;                                                                          \
    })
/* WaveActiveCountBits. */
#define cdxr_wave_count(thread, condition)                                                                   \
    __extension__({                                                                                          \
        static const cdxr_wave_call cdxr_call = {135, CDXR_WAVE_TYPE_BOOL, 0, 0, 0, 0};                      \
        cdxr_wave_lane cdxr_lane = {.value = (condition) ? 1 : 0};                                           \
        jit_wave_operate(thread, &cdxr_call, &cdxr_lane);                                                    \
        (uint32_t)cdxr_lane.result;                                                                          \
    })

#ifdef __cplusplus
}
#endif

#endif
