/* SPDX-License-Identifier: MIT
 * Rays per second: arrays of rays and calls of one ray, on one and two threads. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench.h"

enum { CHUNK_RAYS = 1024, THIN_CASE_COUNT = 100 };

struct trace_job {
    const struct abi_ray *rays;
    uint32_t ray_count;
    uint64_t structure;
    const struct bench_embree *embree; /* NULL: cdxr */
    bool any_hit, single;
    uint64_t hits;
};

static uint64_t trace_single(const struct trace_job *job, uint32_t begin, uint32_t end)
{
    uint64_t hits = 0;
    const struct trace_table *table = trace_table();
    for (uint32_t i = begin; i < end; i++) {
        struct trace_hit hit;
        if (job->any_hit) {
            hits += table->occluded(job->structure, &job->rays[i], 0, 0xff);
            continue;
        }
        table->closest(job->structure, &job->rays[i], 0, 0xff, &hit);
        hits += hit.primitive_index != ~0u;
    }
    return hits;
}

static uint64_t trace_arrays(const struct trace_job *job, uint32_t begin, uint32_t end)
{
    uint64_t hits = 0;
    const struct trace_table *table = trace_table();
    struct trace_hit results[CHUNK_RAYS];
    uint8_t occluded[CHUNK_RAYS];
    if (job->any_hit) {
        table->occluded_array(job->structure, job->rays + begin, end - begin, 0, 0xff, occluded);
        for (uint32_t i = 0; i < end - begin; i++)
            hits += occluded[i];
        return hits;
    }
    table->closest_array(job->structure, job->rays + begin, end - begin, 0, 0xff, results);
    for (uint32_t i = 0; i < end - begin; i++)
        hits += results[i].primitive_index != ~0u;
    return hits;
}

static void trace_chunk(void *context, uint32_t index, uint32_t worker_index)
{
    struct trace_job *job = context;
    uint32_t begin = index * CHUNK_RAYS, end = begin + CHUNK_RAYS;
    if (end > job->ray_count)
        end = job->ray_count;
    uint64_t hits = job->embree   ? bench_embree_trace(job->embree, job->rays, begin, end, job->any_hit)
                    : job->single ? trace_single(job, begin, end)
                                  : trace_arrays(job, begin, end);
    __atomic_add_fetch(&job->hits, hits, __ATOMIC_RELAXED);
}

/* One thread is measured in its own CPU time, so that other programs on the machine disturb less. */
static double clock_of(const struct thread_pool *pool)
{
    struct timespec t;
    clock_gettime(thread_pool_worker_count(pool) == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint32_t ray_width(bool is_slow)
{
    return bench_options.width ? bench_options.width : bench_options.quick || is_slow ? 256 : 512;
}

/* Million rays per second. */
static double trace_once(struct thread_pool *pool, struct trace_job *job)
{
    uint32_t chunks = (job->ray_count + CHUNK_RAYS - 1) / CHUNK_RAYS;
    job->hits = 0;
    double start = clock_of(pool);
    thread_pool_parallel_for(pool, chunks, trace_chunk, job);
    return job->ray_count / (clock_of(pool) - start) * 1e-6;
}

/* One scene on both sides. embrees: robust, fast. */
struct stage {
    const struct bench_scene *scene;
    uint64_t structure;
    struct bench_embree *embrees[2];
    struct thread_pool *pool;
};

static void add_repetitions(const struct stage *stage, enum bench_work work, bool single, uint32_t repetitions,
                            struct bench_cell *cell)
{
    struct trace_job ours = {stage->scene->rays[work], stage->scene->ray_count, stage->structure, NULL,
                             bench_work_is_any_hit(work), single, 0};
    struct trace_job others[2] = {ours, ours};
    for (int i = 0; i < 2; i++)
        others[i].embree = stage->embrees[i];
    for (uint32_t i = 0; i <= repetitions; i++) {
        double a = trace_once(stage->pool, &ours), b[2] = {0};
        for (int k = 0; k < 2; k++)
            b[k] = others[k].embree ? trace_once(stage->pool, &others[k]) : 0;
        if (i > 0) /* the first run warms up */
            bench_cell_add(cell, a, b[0], b[1]);
    }
    if (stage->embrees[0] && (ours.hits > others[0].hits * 1.001 + 20 || others[0].hits > ours.hits * 1.001 + 20))
        printf("%s %s: hits differ: %llu, Embree %llu\n", stage->scene->name, cell->work, (unsigned long long)ours.hits,
               (unsigned long long)others[0].hits);
}

static void run_work(const struct stage *stage, enum bench_work work, bool single)
{
    struct bench_cell cell = {.threads = thread_pool_worker_count(stage->pool), .unit = "Mray/s"};
    snprintf(cell.scene, sizeof(cell.scene), "%s", stage->scene->name);
    snprintf(cell.work, sizeof(cell.work), "%s%s", bench_work_names[work], single ? " single" : "");
    add_repetitions(stage, work, single, bench_options.repetitions, &cell);
    bench_report_add(&cell);
}

static bool wants_cell(enum bench_work work, bool single)
{
    return (!bench_options.work || strcmp(bench_options.work, bench_work_names[work]) == 0) &&
           (bench_options.single < 0 || bench_options.single == single);
}

struct structures {
    struct bench_ours bottom, top;
};

static uint64_t build_structures(struct structures *s, const struct bench_scene *scene, uint32_t flags, struct thread_pool *pool)
{
    bench_ours_prepare(&s->bottom, &scene->mesh, flags, pool);
    bench_ours_build(&s->bottom);
    s->top = (struct bench_ours){0};
    if (!scene->instance_count)
        return bench_ours_address(&s->bottom);
    bench_ours_prepare_top(&s->top, scene->instances, scene->instance_count, flags, &s->bottom, pool);
    bench_ours_build(&s->top);
    return bench_ours_address(&s->top);
}

static void finish_structures(struct structures *s)
{
    bench_ours_finish(&s->bottom);
    bench_ours_finish(&s->top);
}

static void make_embrees(struct stage *stage, enum bench_quality quality, bool compact)
{
    double seconds;
    uint64_t bytes;
    for (int i = 0; i < 2; i++) {
        struct bench_embree_settings settings = {.robust = i == 0, .compact = compact, .quality = quality, .threads = 2};
        stage->embrees[i] = bench_embree_create(stage->scene, &settings, &seconds, &bytes);
    }
}

static void destroy_embrees(struct stage *stage)
{
    for (int i = 0; i < 2; i++)
        bench_embree_destroy(stage->embrees[i]);
}

void bench_rays_scene(struct bench_scene *scene, struct thread_pool *pools[BENCH_POOL_COUNT])
{
    struct structures structures;
    struct stage stage = {.scene = scene, .structure = build_structures(&structures, scene, bench_options.build_flags, pools[1])};
    bool is_slow = strcmp(scene->name, "needles") == 0;
    bench_scene_make_rays(scene, stage.structure, ray_width(is_slow));
    make_embrees(&stage, BENCH_MEDIUM, false);
    for (int i = 0; i < BENCH_POOL_COUNT; i++) {
        if (!bench_wants_threads((uint32_t)i + 1))
            continue;
        stage.pool = pools[i];
        for (int single = 0; single < 2; single++)
            for (int work = 0; work < BENCH_WORK_COUNT; work++)
                if (wants_cell(work, single))
                    run_work(&stage, work, single);
    }
    destroy_embrees(&stage);
    finish_structures(&structures);
}

/* The rays of the per-flag table: diffuse, arrays, on one thread. */
void bench_rays_flags(struct bench_scene *scene, struct thread_pool *pool)
{
    for (int i = 0; i < BENCH_FLAG_COUNT; i++) {
        struct structures structures;
        struct stage stage = {.scene = scene, .pool = pool,
                              .structure = build_structures(&structures, scene, bench_flags[i].flags, pool)};
        if (!scene->ray_count)
            bench_scene_make_rays(scene, stage.structure, ray_width(false));
        make_embrees(&stage, bench_flags[i].quality, bench_flags[i].compact);
        for (int work = 0; work < BENCH_WORK_COUNT; work++) {
            struct bench_cell cell = {.threads = 1, .unit = "Mray/s"};
            if ((work != BENCH_PRIMARY && work != BENCH_DIFFUSE) || !wants_cell(work, false))
                continue;
            snprintf(cell.scene, sizeof(cell.scene), "%s", scene->name);
            snprintf(cell.work, sizeof(cell.work), "%s by %s", bench_work_names[work], bench_flags[i].name);
            add_repetitions(&stage, work, false, bench_options.repetitions, &cell);
            bench_report_add(&cell);
        }
        destroy_embrees(&stage);
        finish_structures(&structures);
    }
}

/* One hundred small meshes; a cell's repetitions are its cases. */
void bench_rays_thin(struct thread_pool *pools[BENCH_POOL_COUNT])
{
    struct bench_cell cells[BENCH_POOL_COUNT][BENCH_WORK_COUNT] = {0};
    if (bench_options.scene && strcmp(bench_options.scene, "thin") != 0)
        return;
    for (uint32_t i = 0; i < THIN_CASE_COUNT; i += bench_options.quick ? 10 : 1) {
        struct bench_scene scene;
        struct structures structures;
        bench_scene_make_thin(i, &scene);
        struct stage stage = {.scene = &scene, .structure = build_structures(&structures, &scene, bench_options.build_flags, pools[1])};
        bench_scene_make_rays(&scene, stage.structure, 64);
        make_embrees(&stage, BENCH_MEDIUM, false);
        for (uint32_t k = 0; k < BENCH_POOL_COUNT * BENCH_WORK_COUNT; k++) {
            uint32_t pool = k / BENCH_WORK_COUNT, work = k % BENCH_WORK_COUNT;
            stage.pool = pools[pool];
            if (bench_wants_threads(pool + 1) && wants_cell(work, false))
                add_repetitions(&stage, work, false, 1, &cells[pool][work]);
        }
        destroy_embrees(&stage);
        finish_structures(&structures);
        bench_scene_finish(&scene);
    }
    for (uint32_t k = 0; k < BENCH_POOL_COUNT * BENCH_WORK_COUNT; k++) {
        struct bench_cell *cell = &cells[k / BENCH_WORK_COUNT][k % BENCH_WORK_COUNT];
        if (!cell->count)
            continue;
        cell->threads = k / BENCH_WORK_COUNT + 1;
        cell->unit = "Mray/s";
        snprintf(cell->scene, sizeof(cell->scene), "thin");
        snprintf(cell->work, sizeof(cell->work), "%s", bench_work_names[k % BENCH_WORK_COUNT]);
        bench_report_add(cell);
    }
}

static void growth_of(uint32_t n, const char *name, uint32_t repetitions, struct thread_pool *pools[BENCH_POOL_COUNT])
{
    struct bench_scene scene = {.name = name, .eye = {-10, 30, -10}, .target = {50, 0, 50}, .ao_length = 5};
    struct structures structures;
    scene_make_terrain(&scene.mesh, n, 100, 20, 10);
    struct bench_cell build = {.threads = 1, .unit = "Mtri/s", .work = "build default"};
    snprintf(build.scene, sizeof(build.scene), "%s", name);
    struct bench_ours ours;
    bench_use_clock(1);
    bench_ours_prepare(&ours, &scene.mesh, 0, pools[0]);
    for (uint32_t i = 0; i <= repetitions; i++) {
        struct bench_embree_settings settings = {.robust = true, .quality = BENCH_MEDIUM, .threads = 1};
        double seconds = bench_ours_build(&ours), embree_seconds, triangles = scene.mesh.triangle_count * 1e-6;
        uint64_t bytes;
        struct bench_embree *e = bench_embree_create(&scene, &settings, &embree_seconds, &bytes);
        bench_embree_destroy(e);
        if (i > 0)
            bench_cell_add(&build, triangles / seconds, e ? triangles / embree_seconds : 0, 0);
    }
    bench_report_add(&build);
    bench_ours_finish(&ours);
    struct stage stage = {.scene = &scene, .pool = pools[0], .structure = build_structures(&structures, &scene, 0, pools[1])};
    bench_scene_make_rays(&scene, stage.structure, ray_width(false));
    make_embrees(&stage, BENCH_MEDIUM, false);
    for (int work = 0; work < BENCH_WORK_COUNT; work++)
        if (wants_cell(work, false))
            run_work(&stage, work, false);
    destroy_embrees(&stage);
    finish_structures(&structures);
    bench_scene_finish(&scene);
}

/* The same terrain in three sizes. */
void bench_growth(struct thread_pool *pools[BENCH_POOL_COUNT])
{
    static const struct {
        uint32_t n;
        const char *name;
    } steps[] = {{224, "terrain 0.1M"}, {708, "terrain 1M"}, {2236, "terrain 10M"}};
    if (bench_options.scene)
        return;
    for (uint32_t i = 0; i < (bench_options.quick ? 2u : 3u); i++)
        growth_of(steps[i].n, steps[i].name, i == 2 && bench_options.repetitions > 3 ? 3 : bench_options.repetitions, pools);
}
