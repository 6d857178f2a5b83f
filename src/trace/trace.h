/* SPDX-License-Identifier: MIT
 * Traversal of acceleration structures. One kernel body (trace/kernel_body.h) is compiled once per instruction set;
 * trace_table() gives the best one that this CPU has. A traversal is resumable: begin, then next until it says done;
 * at each candidate the caller may run a shader, and may commit before it calls next again. Pipeline TraceRay and
 * RayQuery both work this way (exec/ray_services.c). CPU code that needs no shaders uses closest and occluded.
 * No function here locks, allocates or fails; any number of threads may trace the same structure. */
#ifndef CDXR_TRACE_TRACE_H
#define CDXR_TRACE_TRACE_H

#include <stdint.h>

#include "abi/ray.h"
#include "accel/layout.h"
#include "base/cpu.h"

enum trace_event {
    TRACE_DONE = 0,                 /* visible.committed holds the result */
    TRACE_CANDIDATE_TRIANGLE = 1,   /* non-opaque triangle, all of visible.candidate is set */
    TRACE_CANDIDATE_PROCEDURAL = 2, /* box hit; visible.candidate has ids and instance, candidate_is_opaque is set */
};

enum { TRACE_STACK_ENTRIES = 2 * (ACCEL_MAX_DEPTH * (ACCEL_NODE_WIDTH - 1) + 8) };

struct trace_stack_entry {
    float t_near;
    uint32_t ref;
};

/* The ray in the space of one structure, ready for box and triangle tests (trace/ray_setup.h). A plane p of an axis is
 * crossed at p * mul + near_add (box side where the ray enters) or p * mul + far_add (side where it leaves); the two
 * differ so that no hit of the triangle test is ever lost to rounding. */
struct trace_space {
    float mul[4], near_add[4], far_add[4]; /* x, y, z, unused */
    float origin[4];        /* in x, y, z order */
    float direction[4];
    uint32_t near_plane[4]; /* byte offset of the near planes of an axis in struct accel_node; far: that ^ 32 */
    uint32_t axes[3];       /* kx, ky, kz: kz is the longest axis of the direction */
    float origin_permuted[3]; /* origin[axes[i]] */
    float margin;           /* how far planes were moved outward */
    float shear[2];         /* direction[kx] / direction[kz], direction[ky] / direction[kz] */
    uint32_t exact_always;  /* coordinates so large that float edge functions could overflow */
} __attribute__((aligned(16)));

/* 64-byte aligned. The head is what shaders see; the rest is private to trace/. */
struct trace_state {
    struct abi_traversal visible;
    float t_max;                /* current: the committed t, or the ray's t_max */
    uint32_t flags;             /* ray and pipeline flags together */
    uint32_t done;
    uint32_t committed_is_opaque;
    uint32_t stack_count;
    uint32_t stack_base;        /* entries below belong to the top level */
    uint32_t instance_index;
    uint32_t instance_flags;
    uint32_t opacity_or, opacity_and; /* opacity of a primitive after instance and ray flags */
    uint32_t micromap_state_mask; /* bits of a micromap's state that count: 3, in 2-state mode 1 */
    uint32_t leaf_ref;          /* leaf that was left at a candidate; ACCEL_REF_EMPTY: none */
    uint32_t leaf_block;        /* block in that leaf */
    uint32_t leaf_lanes;        /* lanes of that block still to be looked at */
    uint32_t facing_mask;       /* signs of the edge functions that survive culling: bit 0 positive, bit 1 negative */
    uint32_t front_sign;        /* that mask's bit for front faces */
    const struct accel_header *top;    /* NULL: the ray starts in a bottom level structure */
    const struct accel_header *bottom; /* structure being walked; NULL: at the top level */
    const struct abi_instance *instance;
    const struct accel_micromap_linkage *micromaps; /* of bottom, by geometry; NULL: none that counts for this ray */
    struct trace_space world;
    struct trace_space object;
    struct trace_stack_entry stack[TRACE_STACK_ENTRIES];
} __attribute__((aligned(64)));

/* Result of the direct calls, 32 bytes. A miss leaves t = the ray's t_max and instance_index = ~0u. */
struct trace_hit {
    float t;
    float barycentrics[2];
    uint32_t hit_kind;
    uint32_t instance_index;
    uint32_t geometry_index;
    uint32_t primitive_index;
    uint32_t reserved;
};

struct trace_table {
    enum cpu_isa isa;

    /* Start a traversal. structure: address of a top-level (or, for direct calls, bottom-level) structure, 0 = null:
     * every ray misses. Sets all of state->visible except the unused parts of committed and candidate; committed.t
     * starts as ray->t_max. A ray with a NaN in any field, or whose direction is zero or infinite, misses. */
    void (*begin)(struct trace_state *state, uint64_t structure, const struct abi_ray *ray, uint32_t ray_flags,
                  uint32_t pipeline_flags, uint32_t instance_mask);
    /* Go on to the next candidate or to the end: enum trace_event. Opaque triangle hits are committed inside. After
     * TRACE_DONE it keeps returning TRACE_DONE. */
    uint32_t (*next)(struct trace_state *state);
    /* Accept the candidate triangle: it becomes the committed hit and t_max its t. Ends the search when the flags say
     * ACCEPT_FIRST_HIT_AND_END_SEARCH. */
    void (*commit_triangle)(struct trace_state *state);
    /* Report a hit of the candidate procedural primitive. Returns 1 and commits when t_min <= t <= t_max (NaN: no),
     * else 0 and nothing changes. Several reports for one candidate are legal. Ends the search as above. */
    uint32_t (*commit_procedural)(struct trace_state *state, float t, uint32_t hit_kind);
    /* End the search now; the committed hit stays. */
    void (*abort)(struct trace_state *state);

    /* Direct calls: all geometry counts as opaque, procedural primitives are not hit. structure as in begin. flags: enum
     * abi_ray_flag (culling, skip); mask: instance mask. */
    void (*closest)(uint64_t structure, const struct abi_ray *ray, uint32_t flags, uint32_t mask, struct trace_hit *hit);
    uint32_t (*occluded)(uint64_t structure, const struct abi_ray *ray, uint32_t flags, uint32_t mask);
    /* The same for arrays: hits[count], occluded[count] (0 or 1). Faster than count single calls. */
    void (*closest_array)(uint64_t structure, const struct abi_ray *rays, uint64_t count, uint32_t flags, uint32_t mask,
                          struct trace_hit *hits);
    void (*occluded_array)(uint64_t structure, const struct abi_ray *rays, uint64_t count, uint32_t flags, uint32_t mask,
                           uint8_t *occluded);
};

/* Table for the best instruction set of this CPU (base/cpu.h: CDXR_ISA limits it). */
const struct trace_table *trace_table(void);
/* Table for one instruction set; NULL when it was not built or this CPU lacks it. */
const struct trace_table *trace_table_for(enum cpu_isa isa);

/* t up to which a hit of the running candidate is still of interest: the committed t, or the ray's t_max. */
static inline float trace_current_t_max(const struct trace_state *state)
{
    return state->t_max;
}

#endif
