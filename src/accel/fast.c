/* SPDX-License-Identifier: MIT */
#include "accel/fast.h"

#include "base/cpu.h"
#include "base/thread_pool.h"

enum { KEYS_CHUNK_REFS = 16384, SORT_BUCKETS = 1 << FAST_SORT_BITS, SORT_FIRST_BIT = 29, FEW_REFS = 512, SWEEP_LIMIT = 128 };

static const struct fast_kernels *kernels(void)
{
#if defined(__x86_64__)
    if (cpu_isa_best() == CPU_ISA_AVX2 || cpu_isa_best() == CPU_ISA_AVX512)
        return &fast_kernels_avx2;
#endif
    return &fast_kernels_baseline;
}

static void make_keys(void *context, uint32_t chunk, uint32_t worker_index)
{
    const struct fast_job *job = context;
    uint32_t begin = chunk * KEYS_CHUNK_REFS, end = job->count - begin > KEYS_CHUNK_REFS ? begin + KEYS_CHUNK_REFS : job->count;
    kernels()->keys(job, begin, end);
}

struct sort {
    const uint64_t *from;
    uint64_t *to;
    uint32_t *counts; /* [chunk][bucket] */
    uint32_t count, chunk_count, shift;
};

static uint32_t sort_border(const struct sort *s, uint32_t chunk)
{
    return (uint32_t)((uint64_t)s->count * chunk / s->chunk_count);
}

static void sort_count(void *context, uint32_t chunk, uint32_t worker_index)
{
    const struct sort *s = context;
    uint32_t *counts = s->counts + (size_t)chunk * SORT_BUCKETS;
    memset(counts, 0, SORT_BUCKETS * sizeof(*counts));
    for (uint32_t i = sort_border(s, chunk), end = sort_border(s, chunk + 1); i < end; i++)
        counts[(s->from[i] >> s->shift) & (SORT_BUCKETS - 1)]++;
}

static void sort_move(void *context, uint32_t chunk, uint32_t worker_index)
{
    const struct sort *s = context;
    uint32_t *places = s->counts + (size_t)chunk * SORT_BUCKETS;
    for (uint32_t i = sort_border(s, chunk), end = sort_border(s, chunk + 1); i < end; i++)
        s->to[places[(s->from[i] >> s->shift) & (SORT_BUCKETS - 1)]++] = s->from[i];
}

/* Stable, so the result does not depend on how many chunks there are. */
static void sort_pass(struct sort *s, struct thread_pool *pool)
{
    thread_pool_parallel_for(pool, s->chunk_count, sort_count, s);
    for (uint32_t bucket = 0, place = 0; bucket < SORT_BUCKETS; bucket++)
        for (uint32_t chunk = 0; chunk < s->chunk_count; chunk++) {
            uint32_t *slot = &s->counts[(size_t)chunk * SORT_BUCKETS + bucket];
            uint32_t count = *slot;
            *slot = place;
            place += count;
        }
    thread_pool_parallel_for(pool, s->chunk_count, sort_move, s);
}

static void sort_few(const uint64_t *from, uint64_t *to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = i;
        for (; place > 0 && to[place - 1] > from[i]; place--)
            to[place] = to[place - 1];
        to[place] = from[i];
    }
}

/* From keys[0] to keys[1]. */
static void sort_keys(const struct fast_build *fast, uint32_t count)
{
    if (count <= FEW_REFS) {
        sort_few(fast->keys[0], fast->keys[1], count);
        return;
    }
    struct thread_pool *pool = fast->sah->pool;
    uint32_t chunks = thread_pool_worker_count(pool) > 1 && count >= 65536 ? FAST_SORT_CHUNKS : 1;
    for (int pass = 0; pass < FAST_SORT_PASSES; pass++) {
        struct sort s = {fast->keys[pass % 2], fast->keys[(pass + 1) % 2], fast->counts, count, chunks,
                         SORT_FIRST_BIT + (uint32_t)pass * FAST_SORT_BITS};
        sort_pass(&s, pool);
    }
}

static void cut_chunk(void *context, uint32_t chunk, uint32_t worker_index)
{
    const struct fast_job *job = context;
    uint32_t begin = chunk * FAST_CHUNK_REFS, end = job->count - begin > FAST_CHUNK_REFS ? begin + FAST_CHUNK_REFS : job->count;
    kernels()->clusters(job, chunk, begin, end);
}

/* Groups of all chunks in a row. */
static void collect(const struct fast_build *fast, uint32_t chunk_count, struct accel_refs_result *all)
{
    *all = (struct accel_refs_result){0, simd8_empty_box(), simd8_empty_box()};
    for (uint32_t i = 0; i < chunk_count; i++) {
        const struct accel_refs_result *chunk = &fast->chunks[i].groups;
        memcpy(fast->groups[0] + all->count, fast->groups[1] + i * fast_chunk_groups(fast->width),
               chunk->count * sizeof(struct accel_ref));
        all->count += chunk->count;
        all->bounds = simd8_max(chunk->bounds, all->bounds);
        all->centroids = simd8_max(chunk->centroids, all->centroids);
    }
}

static struct fast_job make_job(const struct fast_build *fast, const struct accel_refs_result *refs)
{
    struct fast_job job = {.fast = fast, .count = refs->count, .origin = -simd8_low(refs->centroids)};
    simd4 extent = simd8_high(refs->centroids) - job.origin;
    float largest = extent[0] > extent[1] ? extent[0] : extent[1];
    largest = extent[2] > largest ? extent[2] : largest;
    float scale = largest > 0 && 2047.0f / largest <= FLT_MAX ? 2047.0f / largest : 0;
    job.scale = (simd4){scale, scale, scale, 0};
    return job;
}

/* Slots: the tree over the groups, and a node for each of them. */
static const struct sah_limits group_limits = {1, 1, 1, 11, 7};

void fast_build(struct fast_build *fast, const struct accel_refs_result *refs)
{
    struct sah_build *sah = fast->sah;
    struct fast_job job = make_job(fast, refs);
    thread_pool_parallel_for(sah->pool, (refs->count + KEYS_CHUNK_REFS - 1) / KEYS_CHUNK_REFS, make_keys, &job);
    sort_keys(fast, refs->count);
    uint32_t chunk_count = (refs->count + FAST_CHUNK_REFS - 1) / FAST_CHUNK_REFS;
    thread_pool_parallel_for(sah->pool, chunk_count, cut_chunk, &job);
    struct accel_refs_result all;
    collect(fast, chunk_count, &all);
    struct accel_ref *leaf_refs[2] = {sah->refs[0], sah->refs[1]};
    sah->refs[0] = fast->groups[0];
    sah->refs[1] = fast->groups[1];
    sah->clusters = (struct sah_clusters){fast->clusters, fast->sources, fast->keys[1], leaf_refs[0], leaf_refs[1]};
    sah->sweep_limit = SWEEP_LIMIT;
    struct sah_range root = {all.bounds, all.centroids, 0, all.count, all.count, 0};
    struct sah_limits limits = sah->limits;
    sah->limits = group_limits;
    sah_build(sah, &root);
    sah->limits = limits;
    sah->refs[0] = leaf_refs[0];
    sah->refs[1] = leaf_refs[1];
}
