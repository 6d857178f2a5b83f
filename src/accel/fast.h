/* SPDX-License-Identifier: MIT
 * The fast builder (PREFER_FAST_BUILD): references are sorted along a Morton curve and cut, in that order, into clusters of
 * one block each, so that the sum of the clusters' surfaces is smallest; clusters are cut into groups of one node each in
 * the same way, and accel/sah.h makes a tree over the groups: the default's work on a twentieth of its references. Every
 * step depends on the references alone: any number of threads gives the same tree. */
#ifndef CDXR_ACCEL_FAST_H
#define CDXR_ACCEL_FAST_H

#include "accel/sah.h"

enum { FAST_CHUNK_REFS = 2048, FAST_SORT_CHUNKS = 32, FAST_SORT_BITS = 11, FAST_SORT_PASSES = 3 };

struct fast_chunk {
    struct accel_refs_result groups; /* of one chunk: how many, and their unions */
};

struct fast_build {
    struct sah_build *sah;           /* refs[0], refs[1]: leaf order as accel/sah.h says, written by the leaves */
    const struct accel_ref *sources; /* the input */
    uint64_t *keys[2];               /* code << 29 | reference */
    uint32_t *counts;                /* FAST_SORT_CHUNKS << FAST_SORT_BITS */
    struct accel_ref *clusters;      /* fast_cluster_capacity(), in pieces; geometry: first key, primitive: count */
    struct accel_ref *groups[2];     /* fast_group_capacity() each; geometry: first cluster, primitive: counts of sah.h */
    struct fast_chunk *chunks;       /* fast_chunk_count() */
    uint32_t width;                  /* references in a block */
};

static inline uint64_t fast_chunk_count(uint64_t reference_count)
{
    return reference_count / FAST_CHUNK_REFS + 1;
}

/* Two clusters that follow each other in a chunk hold a block's width together, so there are few; groups likewise. */
static inline uint32_t fast_chunk_clusters(uint32_t width)
{
    return FAST_CHUNK_REFS * 2 / width + 1;
}

static inline uint32_t fast_chunk_groups(uint32_t width)
{
    return fast_chunk_clusters(width) * 2 / ACCEL_NODE_WIDTH + 1;
}

static inline uint64_t fast_cluster_capacity(uint64_t reference_count, uint32_t width)
{
    uint64_t rest = reference_count % FAST_CHUNK_REFS * 2 / width + 1;
    return reference_count / FAST_CHUNK_REFS * fast_chunk_clusters(width) + rest;
}

static inline uint64_t fast_group_capacity(uint64_t reference_count, uint32_t width)
{
    uint64_t rest = (reference_count % FAST_CHUNK_REFS * 2 / width + 1) * 2 / ACCEL_NODE_WIDTH + 1;
    return reference_count / FAST_CHUNK_REFS * fast_chunk_groups(width) + rest;
}

/* refs: bounds and count of the input. Fills fast->sah as sah_build does. */
void fast_build(struct fast_build *fast, const struct accel_refs_result *refs);

/* The part that is compiled once per instruction set. */
struct fast_job {
    const struct fast_build *fast;
    simd4 origin, scale; /* of centroids, to the grid of the curve */
    uint32_t count;
};
struct fast_kernels {
    void (*keys)(const struct fast_job *job, uint32_t begin, uint32_t end);
    /* Clusters and groups of keys[1][begin .. end), to the chunk's places. */
    void (*clusters)(const struct fast_job *job, uint32_t chunk, uint32_t begin, uint32_t end);
};
extern const struct fast_kernels fast_kernels_baseline;
#if defined(__x86_64__)
extern const struct fast_kernels fast_kernels_avx2;
#endif

#endif
