/* SPDX-License-Identifier: MIT
 * Rays, hits and the visible part of a traversal: read by shaders, written by trace/. Fixed layout. */
#ifndef CDXR_ABI_RAY_H
#define CDXR_ABI_RAY_H

#include <stdint.h>

/* Raytracing.md "RAY_FLAG"; the two skip flags can also come from the pipeline config (tier 1.1). */
enum abi_ray_flag {
    ABI_RAY_FLAG_FORCE_OPAQUE = 0x1,
    ABI_RAY_FLAG_FORCE_NON_OPAQUE = 0x2,
    ABI_RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH = 0x4,
    ABI_RAY_FLAG_SKIP_CLOSEST_HIT_SHADER = 0x8,
    ABI_RAY_FLAG_CULL_BACK_FACING_TRIANGLES = 0x10,
    ABI_RAY_FLAG_CULL_FRONT_FACING_TRIANGLES = 0x20,
    ABI_RAY_FLAG_CULL_OPAQUE = 0x40,
    ABI_RAY_FLAG_CULL_NON_OPAQUE = 0x80,
    ABI_RAY_FLAG_SKIP_TRIANGLES = 0x100,
    ABI_RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES = 0x200,
    ABI_RAY_FLAG_FORCE_OMM_2_STATE = 0x400,
    /* Never a shader's: where pipeline or ray query allow opacity micromaps, in pipeline_flags of a traversal (the flag of
     * the pipeline configuration, 0x400, is another one than the ray flag of that number). */
    ABI_TRACE_FLAG_ALLOW_MICROMAPS = 0x10000,
};

enum abi_hit_kind { ABI_HIT_KIND_TRIANGLE_FRONT_FACE = 254, ABI_HIT_KIND_TRIANGLE_BACK_FACE = 255 };

struct abi_ray {
    float origin[3];
    float t_min;
    float direction[3];
    float t_max;
};

/* One instance of a TLAS as traversal and shaders need it; lives inside the TLAS block. Matrices are row-major 3x4. */
struct abi_instance {
    float object_to_world[12];
    float world_to_object[12];
    uint64_t blas;                   /* address; 0 = inactive */
    uint32_t instance_id;            /* 24 bits */
    uint32_t hit_group_contribution; /* 24 bits */
    uint8_t mask;
    uint8_t flags; /* D3D12_RAYTRACING_INSTANCE_FLAGS */
    uint8_t reserved[14]; /* 128 bytes in all */
};

struct abi_hit {
    float t;
    float barycentrics[2]; /* weights of vertex 1 and 2; triangles only */
    uint32_t hit_kind;
    uint32_t instance_index;
    uint32_t geometry_index;
    uint32_t primitive_index;
    uint32_t geometry_flags; /* D3D12_RAYTRACING_GEOMETRY_FLAGS */
    const struct abi_instance *instance;
};

enum abi_committed_status {
    ABI_COMMITTED_NOTHING = 0,
    ABI_COMMITTED_TRIANGLE_HIT = 1,
    ABI_COMMITTED_PROCEDURAL_PRIMITIVE_HIT = 2,
};
enum abi_candidate_type { ABI_CANDIDATE_NON_OPAQUE_TRIANGLE = 0, ABI_CANDIDATE_PROCEDURAL_PRIMITIVE = 1 };

/* Head of every traversal (trace/trace.h appends the private part: stack, cursor). */
struct abi_traversal {
    struct abi_ray ray;            /* world space, as given; t_max is not shortened here */
    uint32_t ray_flags;            /* as given by the shader */
    uint32_t pipeline_flags;       /* or'ed in while tracing, never shown to shaders */
    uint32_t instance_mask;        /* low 8 bits count */
    uint32_t committed_status;     /* enum abi_committed_status */
    uint32_t candidate_type;       /* enum abi_candidate_type, valid after a step that gave a candidate */
    uint32_t candidate_is_opaque;  /* procedural candidates only */
    struct abi_hit committed;
    struct abi_hit candidate;      /* t of a procedural candidate: not set */
};

#endif
