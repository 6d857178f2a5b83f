/* SPDX-License-Identifier: MIT
 * Upper part of the default builder: opens large ranges one by one with all threads on each, then gives the small ones to
 * the pool, one task each. */
#include "accel/sah.h"

#include "base/cpu.h"
#include "base/thread_pool.h"

extern const struct sah_kernels sah_kernels_baseline;
#if defined(__x86_64__)
extern const struct sah_kernels sah_kernels_avx2;
#endif

enum { MIN_SUBTREE_REFERENCES = 2048, SUBTREES_PER_BUILD = 512 };

const struct sah_kernels *sah_kernels(void)
{
#if defined(__x86_64__)
    if (cpu_isa_best() >= CPU_ISA_AVX2)
        return &sah_kernels_avx2;
#endif
    return &sah_kernels_baseline;
}

uint32_t sah_subtree_references(uint64_t reference_count)
{
    uint64_t share = reference_count / SUBTREES_PER_BUILD;
    return (uint32_t)(share > MIN_SUBTREE_REFERENCES ? share : MIN_SUBTREE_REFERENCES);
}

/* Also the end of pathological inputs that lose a few references a node: what is left then is one large subtree. */
uint32_t sah_top_capacity(uint64_t reference_count)
{
    return 4 + (uint32_t)(reference_count / MIN_SUBTREE_REFERENCES < 1024 ? reference_count / MIN_SUBTREE_REFERENCES : 1024);
}

static uint32_t add_subtree(struct sah_build *build, const struct sah_range *range, uint32_t depth)
{
    struct sah_subtree *subtree = &build->subtrees[build->subtree_count];
    *subtree = (struct sah_subtree){.range = *range, .depth = depth, .depth_reached = depth};
    subtree->node_slot = (uint32_t)sah_node_slots(&build->limits, range->begin);
    return ACCEL_REF_LEAF_MASK | build->subtree_count++;
}

static uint32_t add_top(struct sah_build *build, const struct sah_range *range, uint32_t depth)
{
    build->top[build->top_count] = (struct sah_top){.range = *range, .depth = depth};
    return build->top_count++;
}

static void run_subtree(void *context, uint32_t index, uint32_t worker_index)
{
    struct sah_build *build = context;
    struct sah_subtree *subtree = &build->subtrees[index];
    sah_kernels()->subtree(build, subtree);
    subtree->range.begin = subtree->ref_begin;
    subtree->range.end = subtree->ref_end;
}

static void count_subtree(void *context, uint32_t index, uint32_t worker_index)
{
    const struct sah_build *build = context;
    struct sah_subtree *subtree = &build->subtrees[index];
    const struct accel_ref *groups = build->refs[subtree->range.buffer];
    subtree->ref_end = 0;
    for (uint32_t i = subtree->range.begin; i < subtree->range.end; i++)
        subtree->ref_end += groups[i].primitive >> SAH_GROUP_REFS_SHIFT;
}

/* Where the references of each subtree go. */
static void place_subtrees(struct sah_build *build)
{
    if (build->clusters.sources)
        thread_pool_parallel_for(build->pool, build->subtree_count, count_subtree, build);
    for (uint32_t i = 0, place = 0; i < build->subtree_count; i++) {
        struct sah_subtree *subtree = &build->subtrees[i];
        subtree->ref_begin = build->clusters.sources ? place : subtree->range.begin;
        place += subtree->ref_end;
        subtree->ref_end = subtree->ref_begin;
    }
}

void sah_build(struct sah_build *build, const struct sah_range *root)
{
    const struct sah_kernels *kernels = sah_kernels();
    uint32_t limit = sah_subtree_references(root->end - root->begin);
    build->top_count = build->subtree_count = 0;
    if (root->end - root->begin <= limit)
        add_subtree(build, root, 0);
    else
        (void)add_top(build, root, 0);
    for (uint32_t i = 0; i < build->top_count; i++) {
        struct sah_top top = build->top[i];
        struct sah_range children[ACCEL_NODE_WIDTH];
        struct accel_node *node = &build->top_nodes[i];
        uint32_t count = kernels->open(build, &top.range, top.depth, node, children);
        for (uint32_t child = 0; child < count; child++) {
            bool large = children[child].end - children[child].begin > limit && build->top_count < build->top_capacity;
            node->children[child] = large ? add_top(build, &children[child], top.depth + 1)
                                          : add_subtree(build, &children[child], top.depth + 1);
        }
    }
    place_subtrees(build);
    thread_pool_parallel_for(build->pool, build->subtree_count, run_subtree, build);
}
