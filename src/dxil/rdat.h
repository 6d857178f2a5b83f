/* SPDX-License-Identifier: MIT
 * Runtime data (part RDAT of a DXIL container): what a library exports, which resources its functions use, and the
 * subobjects that were written in HLSL. Bytes in, checked description out; nothing in the bytes is trusted. Called by
 * d3d12/state_object*.c, which knows the library's functions from here before anything is compiled.
 * Numbers are those of DXIL and D3D12. Strings point into one block owned by the description, always terminated. */
#ifndef CDXR_DXIL_RDAT_H
#define CDXR_DXIL_RDAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "dxil/root_signature.h"

struct dxil_rdat_resource {
    uint32_t register_type; /* enum dxil_register_type */
    uint32_t kind;          /* DXIL::ResourceKind */
    uint32_t id;            /* in its class, of the module */
    uint32_t space;
    uint32_t lower_bound;
    uint32_t upper_bound; /* inclusive; UINT32_MAX: unbounded */
    const char *name;
    uint32_t flags; /* DxilResourceFlag: 1 globally coherent, 2 counter, 4 ROV, 8 dynamic indexing, 0x10 atomics64 */
};

struct dxil_rdat_function {
    const char *name;          /* mangled, as in the module */
    const char *unmangled_name;
    uint32_t shader_kind;      /* DXIL::ShaderKind; 6 (library) is an ordinary function */
    uint32_t payload_bytes;    /* payload or callable parameter */
    uint32_t attribute_bytes;
    uint32_t feature_flags1, feature_flags2;
    uint32_t shader_stage_flag; /* bit per kind it may be called from */
    uint32_t min_shader_target; /* kind << 16 | major << 4 | minor */
    const uint32_t *resources;  /* indices into dxil_rdat.resources, transitively of called functions in the module */
    uint32_t resource_count;
    const char *const *dependencies; /* mangled names of functions that are called and not defined here */
    uint32_t dependency_count;
    /* Runtime data of validator version 1.8 (shader model 6.8) and later; 0 elsewhere. */
    uint32_t wave_lane_min, wave_lane_max;
    uint32_t shader_flags;
};

enum dxil_subobject_kind { /* D3D12_STATE_SUBOBJECT_TYPE */
    DXIL_SUBOBJECT_STATE_OBJECT_CONFIG = 0,
    DXIL_SUBOBJECT_GLOBAL_ROOT_SIGNATURE = 1,
    DXIL_SUBOBJECT_LOCAL_ROOT_SIGNATURE = 2,
    DXIL_SUBOBJECT_EXPORTS_ASSOCIATION = 8,
    DXIL_SUBOBJECT_SHADER_CONFIG = 9,
    DXIL_SUBOBJECT_PIPELINE_CONFIG = 10,
    DXIL_SUBOBJECT_HIT_GROUP = 11,
    DXIL_SUBOBJECT_PIPELINE_CONFIG1 = 12,
};

struct dxil_subobject {
    uint32_t kind; /* enum dxil_subobject_kind */
    const char *name;
    union {
        uint32_t state_object_flags;
        struct {
            const void *bytes; /* into the description's own copy */
            uint32_t byte_count;
        } root_signature;
        struct {
            const char *subobject;
            const char *const *exports; /* none: a default association */
            uint32_t export_count;
        } association;
        struct {
            uint32_t max_payload_bytes, max_attribute_bytes;
        } shader_config;
        struct {
            uint32_t max_recursion_depth;
            uint32_t flags; /* D3D12_RAYTRACING_PIPELINE_FLAGS; 0 for the kind without */
        } pipeline_config;
        struct {
            uint32_t type; /* D3D12_HIT_GROUP_TYPE */
            const char *any_hit, *closest_hit, *intersection; /* "" = none */
        } hit_group;
    };
};

/* Owns everything it points at. */
struct dxil_rdat {
    uint32_t version; /* 0x10 */
    struct dxil_rdat_resource *resources;
    uint32_t resource_count;
    struct dxil_rdat_function *functions;
    uint32_t function_count;
    struct dxil_subobject *subobjects;
    uint32_t subobject_count;
    void *storage[4]; /* strings, index lists, string lists, raw bytes: what the pointers above point into */
};

/* bytes: content of the RDAT part. On failure (STATUS_CORRUPT, the reason names table, record and field) *rdat is
 * zeroed. */
MUST_USE enum status dxil_rdat_parse(const void *bytes, size_t byte_count, struct dxil_rdat *rdat,
                                     struct reason *reason);

void dxil_rdat_finish(struct dxil_rdat *rdat);

#endif
