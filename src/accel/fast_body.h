/* SPDX-License-Identifier: MIT
 * Loops of the fast builder. A fast_<isa>.c file defines FAST_KERNELS and includes this. */
#include <math.h>

#include "accel/fast.h"

enum { FAST_PREFETCH_REFS = 16, FAST_INDEX_BITS = 29 };
/* What a cluster and a group cost beside their surface, in mean surfaces of what they hold: larger ones are fuller. */
#define FAST_CLUSTER_CHARGE 2.0f
#define FAST_GROUP_CHARGE 4.0f

/* Eleven bits to every third of 31. */
static inline simd4i spread(simd4i x)
{
    x = (x | x << 16) & (0x070000ff + (simd4i){0});
    x = (x | x << 8) & (0x0700f00f + (simd4i){0});
    x = (x | x << 4) & (0x430c30c3 + (simd4i){0});
    return (x | x << 2) & (0x49249249 + (simd4i){0});
}

static void fast_keys(const struct fast_job *job, uint32_t begin, uint32_t end)
{
    const simd4 zero = {0, 0, 0, 0}, top = {2047, 2047, 2047, 2047};
    for (uint32_t i = begin; i < end; i++) {
        simd8 box = simd8_load(&job->fast->sources[i]);
        simd4 place = (simd8_high(box) - simd8_low(box) - job->origin) * job->scale;
        simd4i inside = (place > zero) & (place < top), above = place >= top;
        place = (simd4)(((simd4i)place & inside) | ((simd4i)top & above));
        simd4i bits = spread(__builtin_convertvector(place, simd4i));
        uint64_t code = (uint64_t)(uint32_t)bits[0] << 2 | (uint64_t)(uint32_t)bits[1] << 1 | (uint32_t)bits[2];
        job->fast->keys[0][i] = code << FAST_INDEX_BITS | i;
    }
}

static inline uint32_t key_index(uint64_t key)
{
    return key & ((1u << FAST_INDEX_BITS) - 1);
}

struct cut {
    simd8 boxes[FAST_CHUNK_REFS];
    float costs[FAST_CHUNK_REFS + 1]; /* of the best cut of the first i references */
    uint8_t lengths[FAST_CHUNK_REFS]; /* its last cluster */
    uint8_t clusters[FAST_CHUNK_REFS];
};

static void load_boxes(const struct fast_job *job, uint32_t begin, uint32_t count, struct cut *cut)
{
    const uint64_t *keys = job->fast->keys[1];
    for (uint32_t i = 0; i < count; i++) {
        if (begin + i + FAST_PREFETCH_REFS < job->count)
            __builtin_prefetch(&job->fast->sources[key_index(keys[begin + i + FAST_PREFETCH_REFS])]);
        cut->boxes[i] = simd8_load(&job->fast->sources[key_index(keys[begin + i])]);
    }
}

/* The cut of the sequence into clusters of at most width whose surfaces, and a charge for each, have the smallest sum. */
static void find_cut(struct cut *cut, uint32_t count, uint32_t width, float charge)
{
    cut->costs[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        simd8 box = cut->boxes[i];
        float best = cut->costs[i] + simd8_half_area(box);
        uint32_t length = 1, limit = i + 1 < width ? i + 1 : width;
        for (uint32_t k = 2; k <= limit; k++) {
            box = simd8_max(cut->boxes[i - k + 1], box);
            float cost = cut->costs[i - k + 1] + simd8_half_area(box);
            length = cost <= best ? k : length;
            best = cost <= best ? cost : best;
        }
        cut->costs[i + 1] = best + charge;
        cut->lengths[i] = (uint8_t)length;
    }
}

/* Cluster lengths in order; two neighbours that fit one block become one. Returns their number. */
static uint32_t list_clusters(struct cut *cut, uint32_t count, uint32_t width)
{
    uint32_t first = FAST_CHUNK_REFS;
    for (uint32_t end = count; end > 0; end -= cut->lengths[end - 1])
        cut->clusters[--first] = cut->lengths[end - 1];
    uint32_t n = 0;
    for (; first < FAST_CHUNK_REFS; first++) {
        if (n && cut->clusters[n - 1] + cut->clusters[first] < (int)width)
            cut->clusters[n - 1] = (uint8_t)(cut->clusters[n - 1] + cut->clusters[first]);
        else
            cut->clusters[n++] = cut->clusters[first];
    }
    return n;
}

/* Unions of what the cut puts together, in place. */
static void merge_boxes(struct cut *cut, uint32_t count)
{
    for (uint32_t i = 0, first = 0; i < count; first += cut->clusters[i++]) {
        simd8 box = cut->boxes[first];
        for (uint32_t k = 1; k < cut->clusters[i]; k++)
            box = simd8_max(cut->boxes[first + k], box);
        cut->boxes[i] = box;
    }
}

static float mean_area(const struct cut *cut, uint32_t count)
{
    float area = 0;
    for (uint32_t i = 0; i < count; i++)
        area += simd8_half_area(cut->boxes[i]);
    return area / (float)count;
}

static void write_items(const struct cut *cut, uint32_t first, uint32_t count, struct accel_ref *out)
{
    for (uint32_t i = 0; i < count; first += cut->clusters[i++]) {
        simd8_store(&out[i], cut->boxes[i]);
        out[i].geometry = first;
        out[i].primitive = cut->clusters[i];
    }
}

static void fast_clusters(const struct fast_job *job, uint32_t chunk, uint32_t begin, uint32_t end)
{
    struct cut cut;
    const struct fast_build *fast = job->fast;
    uint32_t width = fast->width, count = end - begin;
    uint32_t first_cluster = chunk * fast_chunk_clusters(width);
    struct accel_ref *clusters = fast->clusters + first_cluster;
    struct accel_ref *groups = fast->groups[1] + chunk * fast_chunk_groups(width);
    struct accel_refs_result result = {0, simd8_empty_box(), simd8_empty_box()};
    load_boxes(job, begin, count, &cut);
    find_cut(&cut, count, width, FAST_CLUSTER_CHARGE * mean_area(&cut, count));
    uint32_t cluster_count = list_clusters(&cut, count, width);
    merge_boxes(&cut, cluster_count);
    write_items(&cut, begin, cluster_count, clusters);
    find_cut(&cut, cluster_count, ACCEL_NODE_WIDTH, FAST_GROUP_CHARGE * mean_area(&cut, cluster_count));
    result.count = list_clusters(&cut, cluster_count, ACCEL_NODE_WIDTH);
    merge_boxes(&cut, result.count);
    write_items(&cut, first_cluster, result.count, groups);
    for (uint32_t i = 0; i < result.count; i++) {
        uint32_t references = 0;
        for (uint32_t k = 0; k < groups[i].primitive; k++)
            references += fast->clusters[groups[i].geometry + k].primitive;
        groups[i].primitive |= references << SAH_GROUP_REFS_SHIFT;
        accel_ref_grow(&result, &groups[i]);
    }
    fast->chunks[chunk].groups = result;
}

const struct fast_kernels FAST_KERNELS = {fast_keys, fast_clusters};
