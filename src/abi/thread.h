/* SPDX-License-Identifier: MIT
 * What one running shader thread sees: its position, its root arguments, the ray and hit it works on, and the
 * services it may call. Written by exec/, read by machine code from shaders and by ops/. Owner of this file: jit. */
#ifndef CDXR_ABI_THREAD_H
#define CDXR_ABI_THREAD_H

#include <stdint.h>

#include "abi/descriptor.h"
#include "abi/ray.h"

struct abi_thread;
struct abi_services;
struct abi_wave;

/* Every compiled export: payload is the caller's payload or callable parameter (read and written in place);
 * attributes is the hit's attribute block (triangles: two floats). Raygen and compute: both NULL. */
typedef void (*abi_shader_fn)(struct abi_thread *thread, void *payload, const void *attributes);

enum abi_shader_kind { /* DXIL::ShaderKind */
    ABI_SHADER_COMPUTE = 5,
    ABI_SHADER_LIBRARY = 6,
    ABI_SHADER_RAY_GENERATION = 7,
    ABI_SHADER_INTERSECTION = 8,
    ABI_SHADER_ANY_HIT = 9,
    ABI_SHADER_CLOSEST_HIT = 10,
    ABI_SHADER_MISS = 11,
    ABI_SHADER_CALLABLE = 12,
};

enum { ABI_MAX_ATTRIBUTE_BYTES = 32, ABI_ATTRIBUTE_STORAGE_BYTES = 64 /* by LLVM sizes, see fixtures README */ };

struct abi_shader {
    abi_shader_fn function;
    const char *name;         /* unmangled export name, for messages */
    uint32_t kind;            /* enum abi_shader_kind */
    uint32_t payload_bytes;   /* by HLSL rules, from the metadata */
    uint32_t attribute_bytes; /* by HLSL rules */
    uint32_t payload_memory_bytes;   /* what the function may touch behind its payload, by LLVM sizes */
    uint32_t attribute_memory_bytes; /* and behind its attributes */
    uint32_t stack_bytes;     /* native frames of the shader and of all functions it calls, without services */
    uint32_t local_root_bytes; /* bytes of root arguments that the shader record must hold after the identifier */
    uint32_t numthreads[3];   /* compute */
    uint32_t groupshared_bytes;
    uint32_t wave_size;   /* lanes; 0: uses no wave, quad or derivative operation */
    uint32_t uses_quads;   /* compute: quads of a two-dimensional group are 2 x 2 threads */
    uint32_t uses_barrier; /* compute: threads of a group run together (barriers, or wave_size != 0) */
};

/* What an identifier names. */
enum abi_group_kind { ABI_GROUP_SHADER, ABI_GROUP_TRIANGLES, ABI_GROUP_PROCEDURAL };
struct abi_group {
    uint8_t identifier[32];
    uint32_t kind;                          /* enum abi_group_kind */
    const struct abi_shader *shader;        /* raygen, miss, callable */
    const struct abi_shader *closest_hit;   /* hit groups: any may be NULL */
    const struct abi_shader *any_hit;
    const struct abi_shader *intersection;
    const char *name;
};

/* Identifiers are { uint32 index, uint32 kind, uint64 hash, 16 bytes more of hash }; the hashes come from the content
 * (code, name, root signatures), so that a collection and the pipelines made of it have equal ones. Pipelines of state
 * objects find a group by its hash in an open-addressing table; where slots is NULL, index is the place in groups. */
struct abi_pipeline {
    const struct abi_group *const *groups;
    uint32_t group_count;
    uint32_t slot_mask;                   /* number of slots - 1, a power of two less one */
    const struct abi_group *const *slots; /* group of hash h: the first match from slot (h & slot_mask) on; NULL ends */
    uint32_t max_recursion_depth;
    uint32_t pipeline_flags; /* enum abi_ray_flag, or'ed into every TraceRay */
    uint32_t max_payload_bytes;
    uint32_t max_attribute_bytes;
    uint64_t stack_bytes;
};

/* The group that a 32-byte identifier names in this pipeline, or NULL. */
static inline const struct abi_group *abi_pipeline_find(const struct abi_pipeline *pipeline, const void *identifier)
{
    uint32_t index, hash;
    __builtin_memcpy(&index, identifier, 4);
    __builtin_memcpy(&hash, (const uint8_t *)identifier + 8, 4);
    if (!pipeline->slots) {
        const struct abi_group *only = index < pipeline->group_count ? pipeline->groups[index] : 0;
        return only && !__builtin_memcmp(only->identifier, identifier, 32) ? only : 0;
    }
    for (uint32_t slot = hash & pipeline->slot_mask; pipeline->slots[slot]; slot = (slot + 1) & pipeline->slot_mask)
        if (!__builtin_memcmp(pipeline->slots[slot]->identifier, identifier, 32))
            return pipeline->slots[slot];
    return 0;
}

/* Constant for one Dispatch or DispatchRays. */
struct abi_dispatch {
    const struct abi_services *services;
    const uint8_t *global_root_arguments; /* laid out by dxil/root_signature.h */
    const struct abi_descriptor *resource_heap;
    const struct abi_descriptor *sampler_heap;
    uint64_t resource_heap_count;
    uint64_t sampler_heap_count;
    uint32_t dimensions[3];      /* threads (rays) or groups (compute) */
    uint32_t reserved;
    const volatile uint32_t *abort_flag; /* non-zero: leave loops, the device is gone */
    const struct abi_pipeline *pipeline;
    void *exec;                  /* exec's own: shader tables, queue, message context */
    /* [parameter of the global root signature]: bytes from the address of a root descriptor to the end of its
     * resource, 0 for other parameters. Made once per dispatch, so that shaders need no look-up per thread; for local
     * root descriptors they ask services->bytes_behind. */
    const uint64_t *global_root_bytes;
};

struct abi_thread {
    const struct abi_dispatch *dispatch;
    const uint8_t *local_root_arguments; /* in the shader record, after the identifier; NULL: none */
    const struct abi_shader *shader;     /* running now, for messages */
    uint32_t dispatch_index[3];          /* DispatchRaysIndex or SV_DispatchThreadID */
    uint32_t recursion_depth;            /* TraceRay calls on the stack */
    const struct abi_traversal *traversal; /* hit, miss, any-hit, intersection: the ray in flight */
    const struct abi_hit *hit;             /* closest hit: committed; any-hit, intersection: candidate */
    uint32_t ignore_hit;                   /* set by IgnoreHit before the shader returns */
    uint32_t end_search;                   /* set by AcceptHitAndEndSearch before the shader returns */
    uint32_t source_line; /* of the operation that runs, where the module has debug information; 0: not known */
    /* Memory behind the payload or parameter of the TraceRay, CallShader, hit object trace or invoke that is about to be
     * called; the service takes it and puts 0. 0: not known, trusted (shaders in C). */
    uint32_t payload_memory_bytes;
    /* compute only */
    uint32_t group_id[3];
    uint32_t thread_in_group[3];
    uint32_t flat_thread_in_group;
    uint32_t lane_index;
    void *groupshared;
    struct abi_wave *wave; /* set by the group runner; NULL: the thread is the only lane of its wave */
    void *context;         /* exec's own per-worker data */
};

/* A wave, quad or derivative operation at one place of a shader; constant data of the compiled shader. */
struct abi_wave_call {
    uint32_t opcode; /* DXIL opcode */
    uint32_t type;   /* enum ops_type of the overload */
    uint32_t op, sign; /* constant operands, see ops/types.h */
    uint32_t site;   /* number of the place in its shader */
    uint32_t reserved;
};

enum { ABI_WAVE_KEY_WORDS = 15 };

/* Operands and result of one lane. key says where in the control flow the lane is, as numbers that compare word by
 * word: position of the outermost loop, iteration in it, position of the next loop, its iteration, ..., position of the
 * operation. Positions grow along every path through a loop's body, so lanes with smaller keys are behind the others. */
struct abi_wave_lane {
    uint64_t value;       /* bits of the operand, zero extended */
    uint32_t argument[4]; /* lane to read, or the four mask words of multi-prefix */
    uint64_t result;
    uint32_t result4[4];
    uint32_t key_word_count;
    uint32_t key[ABI_WAVE_KEY_WORDS];
};

/* Head of what the group runner (jit/group.c) keeps for a wave. The functions switch to other lanes of the group and
 * come back when the operation is done; after an abort they may come back early with zeros. */
struct abi_wave {
    uint32_t lane_count;
    uint32_t reserved;
    /* Lanes of the wave with equal keys take part together; those that are behind go first. */
    void (*operate)(struct abi_thread *thread, const struct abi_wave_call *call, struct abi_wave_lane *lane);
    /* Barrier(GROUP_SYNC): returns when every thread of the group that has not ended is there. */
    void (*barrier)(struct abi_thread *thread, uint32_t site);
};

#endif
