/* SPDX-License-Identifier: MIT
 * What cdxr offers beyond Direct3D 12. */
#ifndef CDXR_CDXR_H
#define CDXR_CDXR_H

#ifndef CDXR_API
#define CDXR_API __attribute__((visibility("default")))
#endif

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "major.minor.patch" of the library. Static storage; any thread. */
CDXR_API const char *cdxr_version(void);

/* What the library runs on: the CPU's model name ("unknown" where the system does not tell), the instruction set that rays
 * are traced with (scalar, sse42, avx2, avx512, neon), the compiler of shaders ("LLVM 19.1.7"). Static storage; any thread. */
CDXR_API const char *cdxr_cpu_name(void);
CDXR_API const char *cdxr_instruction_set(void);
CDXR_API const char *cdxr_compiler_version(void);

/* Threads that work on one command of the device. device: an ID3D12Device of this library, else 0. Any thread. */
CDXR_API uint32_t cdxr_device_thread_count(void *device);

/* Why a device was removed: which command, list, shader, thread and rule; the text that its debug layer stored as a
 * message. device: an ID3D12Device of this library. Copies at most capacity_bytes with the terminating NUL to text (which
 * may be NULL when capacity_bytes is 0) and returns the bytes that the whole text needs, NUL included; 0, and nothing
 * written, when device is not one of ours or works. Any thread. */
CDXR_API size_t cdxr_device_removed_text(void *device, char *text, size_t capacity_bytes);

/* Rays traced by shaders of the device since its creation: every TraceRay, HitObject::TraceRay and
 * RayQuery::TraceRayInline. Work whose fence is signalled is counted wholly, running work in part. device: an ID3D12Device
 * of this library, else 0 is returned. Any thread. */
CDXR_API uint64_t cdxr_device_ray_count(void *device);

/* From now on CreateStateObject and CreateComputePipelineState of this process take LLVM bitcode of shaders written in C
 * (cdxr/shader.h) in place of DXIL. Such code is trusted: it runs unchecked. Any thread, any time; cannot be taken back.
 * The environment variable CDXR_C_SHADERS=1 does the same. */
CDXR_API void cdxr_enable_c_shaders(void);

/* Direct ray tracing for CPU code (collision, audio, baking): the same traversal that DispatchRays uses, without shaders.
 *
 * A ray is origin + t * direction for t_min < t < t_max, in the units of the vertices; direction need not have unit
 * length, t is in lengths of direction. */
struct cdxr_ray {
    float origin[3];
    float t_min; /* not negative */
    float direction[3];
    float t_max; /* may be infinite */
};

/* The closest hit. A miss has instance_index, geometry_index and primitive_index ~0 and t = the ray's t_max. */
struct cdxr_hit {
    float t;
    float barycentrics[2]; /* weights of the triangle's second and third vertex */
    uint32_t hit_kind;     /* 254 front face, 255 back face, as in D3D12 */
    uint32_t instance_index; /* 0 on a bottom-level structure */
    uint32_t geometry_index;
    uint32_t primitive_index;
    uint32_t reserved;
};

/* Trace rays[ray_count] on one acceleration structure and fill hits[ray_count] or occluded[ray_count] (1: something is
 * hit, 0: nothing is).
 * acceleration_structure: GPU virtual address of a finished top-level or bottom-level structure of this library (a
 * fence told that its build is done), 0: everything misses. The address is trusted.
 * ray_flags: D3D12 RAY_FLAG_* of culling and skipping; instance_mask: its low 8 bits count. All triangles are opaque,
 * opacity micromaps and procedural primitives are passed over.
 * Rays of one call that are neighbours in space should be neighbours in the array: coherent ones are traced
 * together. Any number of threads may trace the same structure while no build, update or copy writes it. Nothing is
 * allocated, nothing can fail. */
CDXR_API void cdxr_trace_closest(uint64_t acceleration_structure, const struct cdxr_ray *rays, size_t ray_count,
                                 uint32_t ray_flags, uint32_t instance_mask, struct cdxr_hit *hits);
CDXR_API void cdxr_trace_occluded(uint64_t acceleration_structure, const struct cdxr_ray *rays, size_t ray_count,
                                  uint32_t ray_flags, uint32_t instance_mask, uint8_t *occluded);

#ifdef __cplusplus
}
#endif

#endif
