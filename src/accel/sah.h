/* SPDX-License-Identifier: MIT
 * The default builder: binned SAH, straight into eight-wide nodes. Input: references in scratch. Output: nodes in
 * scratch, in pieces, and references in leaf order; accel/emit.c moves both into the result.
 *
 * Every choice depends on the references alone: binning is a union (maximum) and the partition is stable, so work may be
 * cut into chunks anywhere and the tree is the same for every number of threads and every instruction set. */
#ifndef CDXR_ACCEL_SAH_H
#define CDXR_ACCEL_SAH_H

#include "accel/refs.h"

/* Leaf rules of a kind of structure. A range of at most max_leaf references is a leaf. */
struct sah_limits {
    uint32_t block_width;      /* primitives in a block */
    uint32_t max_leaf;         /* a multiple of block_width */
    uint32_t whole;            /* a child of at most so many references is not opened any further */
    uint32_t slots_numerator;  /* nodes of a subtree of n references: at most n * numerator / denominator */
    uint32_t slots_denominator;
};

/* References [begin, end) in refs[buffer], with the number of blocks that they may take. */
struct sah_range {
    simd8 bounds, centroids;
    uint32_t begin, end;
    uint32_t block_budget;
    uint32_t buffer;
};

/* A part of the tree that one task built: nodes[node_slot ..] depth first with local references, leaves in the order
 * of refs[0][begin .. end); refs[1][first of a leaf].primitive is the number of references of that leaf. */
struct sah_subtree {
    struct sah_range range;
    uint32_t depth;
    uint32_t node_slot;
    uint32_t node_count;
    uint32_t block_count;
    uint32_t depth_reached; /* levels of nodes above and in the subtree */
    uint32_t root; /* local reference: node 0 or a leaf at block 0 */
    uint32_t leaf_units; /* bytes of indexed leaves, measured by emit */
    uint32_t ref_begin, ref_end; /* place of its references in leaf order; range is set to them when it is built */
    uint32_t node_base, block_base; /* where emit puts them; block_base counts units of indexed leaves */
};

struct sah_top {
    struct sah_range range;
    uint32_t depth;
    uint32_t index; /* of its node in the result */
};

/* Where what is split are groups of clusters of references (accel/fast.h): a reference's geometry is the first cluster,
 * its primitive the number of clusters (below 16) and of references (above). A cluster's geometry is its first key, its
 * primitive the number of keys; the low 29 bits of a key are the index of a source. Leaves go to refs and their sizes to
 * counts, as refs[0] and refs[1] otherwise. sources NULL: no clusters. */
enum { SAH_DEFAULT_BINS = 16, SAH_MAX_BINS = 32 };
enum { SAH_GROUP_REFS_SHIFT = 4, SAH_GROUP_CLUSTERS_MASK = 15, SAH_KEY_INDEX_MASK = 0x1fffffff };
struct sah_clusters {
    const struct accel_ref *clusters, *sources;
    const uint64_t *keys;
    struct accel_ref *refs, *counts;
};

/* children of a top node: bit 31 set: index of a subtree; else index of a top node; ~0: none. */
struct sah_build {
    struct thread_pool *pool;
    struct sah_limits limits;
    struct accel_ref *refs[2];      /* refs[0] holds the input, and the leaf order afterwards */
    struct accel_node *nodes;       /* sah_node_slot(reference_count) slots */
    struct accel_node *top_nodes;
    struct sah_top *top; /* beside top_nodes */
    struct sah_subtree *subtrees;
    uint32_t top_capacity, top_count;
    uint32_t subtree_capacity, subtree_count;
    uint32_t max_bins; /* an axis; at most SAH_MAX_BINS */
    struct sah_clusters clusters;
    uint32_t sweep_limit; /* ranges up to this are split in the order in which they lie, at the best place */
};

static inline uint64_t sah_node_slots(const struct sah_limits *limits, uint64_t reference_count)
{
    return (reference_count * limits->slots_numerator + limits->slots_denominator - 1) / limits->slots_denominator;
}

/* Top nodes hold ranges above this; fixed by the number of references. */
uint32_t sah_subtree_references(uint64_t reference_count);
uint32_t sah_top_capacity(uint64_t reference_count);

/* Build over root (buffer 0). Never fails. Leaves top_count 0 and one subtree for small inputs. */
void sah_build(struct sah_build *build, const struct sah_range *root);

/* The part that is compiled once per instruction set. */
struct sah_bins;
struct sah_split {
    float cost;
    uint32_t axis;     /* 3: none, cut the range in the middle of its order */
    uint32_t bin;      /* first bin of the right side */
    uint32_t left_count;
    float origin, scale; /* of that axis: bin = (centroid - origin) * scale */
    simd8 left_bounds, right_bounds;
};
struct sah_kernels {
    void (*subtree)(struct sah_build *build, struct sah_subtree *subtree);
    /* Split range into the children of one node (their boxes are set in node). Returns their number. */
    uint32_t (*open)(struct sah_build *build, const struct sah_range *range, uint32_t depth, struct accel_node *node,
                     struct sah_range children[ACCEL_NODE_WIDTH]);
};
const struct sah_kernels *sah_kernels(void);

#endif
