/* SPDX-License-Identifier: MIT
 * The functions that machine code from shaders may call upward. Implemented by exec/ray_services.c (and by tests).
 * Owner of this file: jit; exec implements it. */
#ifndef CDXR_ABI_SERVICES_H
#define CDXR_ABI_SERVICES_H

#include <stdint.h>

#include "abi/thread.h"

struct abi_trace_arguments {
    uint64_t acceleration_structure; /* address, 0 = null: every ray misses */
    uint32_t ray_flags;
    uint32_t instance_mask;
    uint32_t ray_contribution;
    uint32_t geometry_multiplier;
    uint32_t miss_index;
    uint32_t query_flags; /* inline queries: RAYQUERY_FLAG (1: opacity micromaps allowed); else 0 */
    struct abi_ray ray;
};

/* shader_table_index of a hit object from a query before SetShaderTableIndex: reads as 0, invokes nothing. */
#define ABI_HIT_OBJECT_UNBOUND 0xffffffffu

enum abi_hit_object_kind { ABI_HIT_OBJECT_NOP = 0, ABI_HIT_OBJECT_MISS = 1, ABI_HIT_OBJECT_HIT = 2 };

/* Value of an HLSL HitObject (shader model 6.9). Lives in the shader's frame; copied by value. */
struct abi_hit_object {
    uint32_t kind;               /* enum abi_hit_object_kind */
    uint32_t shader_table_index; /* MISS: record of the miss table. HIT: record of the hit group table */
    uint32_t ray_flags;          /* as given to TraceRay, MakeMiss or the query */
    uint32_t is_procedural;      /* HIT */
    struct abi_ray ray;          /* world space, t_max as given */
    struct abi_hit hit;          /* HIT */
    uint32_t attribute_bytes;    /* HIT: by LLVM size; triangles 8 */
    uint32_t reserved[3];
    uint8_t attributes[ABI_ATTRIBUTE_STORAGE_BYTES] __attribute__((aligned(16)));
};

/* What a shader did that a GPU would answer with a hang or a fault. */
enum abi_fault {
    ABI_FAULT_DESCRIPTOR_OUT_OF_HEAP, /* detail: index */
    ABI_FAULT_DESCRIPTOR_KIND,        /* detail: address of the descriptor */
    ABI_FAULT_ENDLESS_LOOP,
    ABI_FAULT_RECURSION,
    ABI_FAULT_STACK,
    ABI_FAULT_UNDEF_HANDLE,
    ABI_FAULT_ACCELERATION_STRUCTURE, /* detail: address */
    ABI_FAULT_ROOT_ADDRESS,           /* detail: address */
};

struct abi_services {
    void (*trace_ray)(struct abi_thread *thread, const struct abi_trace_arguments *arguments, void *payload);
    void (*call_shader)(struct abi_thread *thread, uint32_t shader_index, void *parameter);
    /* ReportHit of the running intersection shader. Returns 1 when the hit was accepted; thread->end_search is set
     * when the shader must return at once. attributes: attribute_bytes by LLVM size. */
    uint32_t (*report_hit)(struct abi_thread *thread, float t, uint32_t hit_kind, const void *attributes,
                           uint32_t attribute_bytes);
    /* Inline ray tracing. query: storage of query_bytes, 64-byte aligned; its head is a struct abi_traversal. */
    uint64_t query_bytes;
    void (*query_begin)(struct abi_thread *thread, void *query, const struct abi_trace_arguments *arguments);
    uint32_t (*query_proceed)(struct abi_thread *thread, void *query);
    void (*query_abort)(struct abi_thread *thread, void *query);
    void (*query_commit_triangle)(struct abi_thread *thread, void *query);
    void (*query_commit_procedural)(struct abi_thread *thread, void *query, float t);
    /* Reports once per dispatch and kind; the caller goes on with the value that the specification or DESIGN.md gives
     * (zero for reads), or returns where the dispatch is being aborted. */
    void (*fault)(struct abi_thread *thread, uint32_t fault, uint64_t detail);
    /* Size of the buffer resource behind a root descriptor: bytes from address to the end of its resource, 0 when
     * address is in none. */
    uint64_t (*bytes_behind)(struct abi_thread *thread, uint64_t address);
    /* Hit objects. trace: TraceRay without the final closest-hit or miss shader; fills *object. */
    void (*hit_object_trace)(struct abi_thread *thread, const struct abi_trace_arguments *arguments, void *payload,
                             struct abi_hit_object *object);
    /* Runs closest-hit (unless the ray flags skip it) or miss of object->shader_table_index; NOP: nothing. */
    void (*hit_object_invoke)(struct abi_thread *thread, const struct abi_hit_object *object, void *payload);
    /* 32-bit value at offset bytes of the local root arguments of the object's record, 0 when there is none. */
    uint32_t (*hit_object_record_constant)(struct abi_thread *thread, const struct abi_hit_object *object,
                                           uint32_t offset);
    /* Object-space corners of the triangle that was hit, v0 v1 v2. */
    void (*triangle_positions)(struct abi_thread *thread, const struct abi_hit *hit, float positions[9]);
};

#endif
