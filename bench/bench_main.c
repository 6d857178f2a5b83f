/* SPDX-License-Identifier: MIT
 * cdxr-bench [--quick] [--json FILE] [--scene NAME] [--work NAME] [--threads N] [--repetitions N]
 * Rays and builds, cdxr and Embree by turns. --single: one call a ray instead of arrays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "bench.h"

static struct options {
    bool quick;
    const char *json, *scene, *work;
    uint32_t threads, repetitions;
    bool no_trace, no_build, single;
} options = {.repetitions = 9};

double bench_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* As exec/memory does for resources: own mapping, large pages where the system has them. */
static void *map(uint64_t bytes)
{
    uint64_t unit = 2 << 20;
    uint8_t *p = mmap(NULL, bytes + unit, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        abort();
    uint8_t *aligned = (uint8_t *)(((uintptr_t)p + unit - 1) / unit * unit);
    madvise(aligned, bytes, MADV_HUGEPAGE);
    return aligned;
}

struct ours {
    struct accel_build_arguments arguments;
    struct accel_prebuild_info info;
    struct accel_geometry geometry;
};

static void ours_prepare(struct ours *o, const struct scene_mesh *mesh, uint32_t flags, struct thread_pool *pool)
{
    struct reason reason = {{0}};
    o->geometry = scene_geometry(mesh);
    o->geometry.flags = ACCEL_GEOMETRY_FLAG_OPAQUE;
    o->arguments = (struct accel_build_arguments){
        .inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = flags, .count = 1, .geometries = &o->geometry}, .pool = pool};
    if (accel_prebuild_info(&o->arguments.inputs, &o->info, &reason) != STATUS_OK) {
        fprintf(stderr, "%s\n", reason.text);
        exit(1);
    }
    o->arguments.result = map(o->info.result_bytes);
    o->arguments.scratch = map(o->info.scratch_bytes);
}

static double ours_build(struct ours *o)
{
    struct reason reason = {{0}};
    double start = bench_seconds();
    if (accel_build(&o->arguments, &reason) != STATUS_OK) {
        fprintf(stderr, "%s\n", reason.text);
        exit(1);
    }
    return bench_seconds() - start;
}

enum { CHUNK_RAYS = 1024 };
struct trace_job {
    const struct bench_scene *scene;
    const struct abi_ray *rays;
    uint64_t structure;
    const struct bench_embree *embree; /* NULL: cdxr */
    bool any_hit;
    uint64_t hits;
};

static uint64_t trace_ours(const struct trace_job *job, uint32_t begin, uint32_t end)
{
    uint64_t hits = 0;
    const struct trace_table *table = trace_table();
    struct trace_hit results[CHUNK_RAYS];
    uint8_t occluded[CHUNK_RAYS];
    for (uint32_t i = begin; options.single && i < end; i++) {
        if (job->any_hit) {
            hits += table->occluded(job->structure, &job->rays[i], 0, 0xff);
            continue;
        }
        table->closest(job->structure, &job->rays[i], 0, 0xff, &results[0]);
        hits += results[0].primitive_index != ~0u;
    }
    if (options.single)
        return hits;
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
    if (end > job->scene->ray_count)
        end = job->scene->ray_count;
    uint64_t hits = job->embree ? bench_embree_trace(job->embree, job->rays, begin, end, job->any_hit) : trace_ours(job, begin, end);
    __atomic_add_fetch(&job->hits, hits, __ATOMIC_RELAXED);
}

/* One thread is measured in its own CPU time, so that other programs on the machine disturb less. */
static double clock_of(const struct thread_pool *pool)
{
    struct timespec t;
    clock_gettime(thread_pool_worker_count(pool) == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Million rays per second. */
static double trace_once(struct thread_pool *pool, struct trace_job *job)
{
    uint32_t chunks = (job->scene->ray_count + CHUNK_RAYS - 1) / CHUNK_RAYS;
    job->hits = 0;
    double start = clock_of(pool);
    thread_pool_parallel_for(pool, chunks, trace_chunk, job);
    return job->scene->ray_count / (clock_of(pool) - start) * 1e-6;
}

static void bench_rays(const struct bench_scene *scene, enum bench_work work, uint64_t structure,
                       struct bench_embree *embrees[2], struct thread_pool *pool)
{
    struct bench_cell cell = {.threads = thread_pool_worker_count(pool), .unit = "Mray/s"};
    snprintf(cell.scene, sizeof(cell.scene), "%s", scene->name);
    snprintf(cell.work, sizeof(cell.work), "%s", bench_work_names[work]);
    struct trace_job ours = {scene, scene->rays[work], structure, NULL, bench_work_is_any_hit(work), 0};
    struct trace_job robust = ours, fast = ours;
    robust.embree = embrees[0];
    fast.embree = embrees[1];
    for (uint32_t i = 0; i <= options.repetitions; i++) {
        uint32_t slot = cell.count;
        cell.ours[slot] = trace_once(pool, &ours);
        cell.robust[slot] = embrees[0] ? trace_once(pool, &robust) : 0;
        cell.fast[slot] = embrees[1] ? trace_once(pool, &fast) : 0;
        cell.ratios_robust[slot] = embrees[0] ? cell.ours[slot] / cell.robust[slot] : 0;
        cell.ratios_fast[slot] = embrees[1] ? cell.ours[slot] / cell.fast[slot] : 0;
        cell.count += i > 0; /* the first run warms up */
    }
    if (robust.embree && (ours.hits > robust.hits * 1.001 + 20 || robust.hits > ours.hits * 1.001 + 20))
        printf("%s %s: hits differ: %llu, Embree %llu\n", scene->name, cell.work, (unsigned long long)ours.hits,
               (unsigned long long)robust.hits);
    bench_report_add(&cell);
}

static void bench_build(const struct bench_scene *scene, const char *name, uint32_t flags, enum bench_quality quality,
                        struct thread_pool *pool)
{
    struct bench_cell cell = {.threads = thread_pool_worker_count(pool), .unit = "Mtri/s"};
    struct ours ours;
    uint64_t bytes = 0;
    ours_prepare(&ours, &scene->mesh, flags, pool);
    snprintf(cell.scene, sizeof(cell.scene), "%s", scene->name);
    snprintf(cell.work, sizeof(cell.work), "build %s", name);
    for (uint32_t i = 0; i <= (options.repetitions + 1) / 2; i++) {
        uint32_t slot = cell.count;
        double triangles = scene->mesh.triangle_count * 1e-6, seconds;
        cell.ours[slot] = triangles / ours_build(&ours);
        struct bench_embree *e = bench_embree_create(&scene->mesh, true, quality, cell.threads, &seconds, &bytes);
        bench_embree_destroy(e);
        cell.robust[slot] = e ? triangles / seconds : 0;
        e = bench_embree_create(&scene->mesh, false, quality, cell.threads, &seconds, &bytes);
        bench_embree_destroy(e);
        cell.fast[slot] = e ? triangles / seconds : 0;
        cell.ratios_robust[slot] = cell.robust[slot] > 0 ? cell.ours[slot] / cell.robust[slot] : 0;
        cell.ratios_fast[slot] = cell.fast[slot] > 0 ? cell.ours[slot] / cell.fast[slot] : 0;
        cell.count += i > 0;
    }
    bench_report_add(&cell);
    const struct accel_header *header = ours.arguments.result;
    double n = scene->mesh.triangle_count;
    printf("%-10s bytes/triangle: cdxr %.1f (result size %.1f), Embree %.1f; nodes %u blocks %u depth %u\n", scene->name,
           header->structure_bytes / n, ours.info.result_bytes / n, bytes / n, header->node_count, header->leaf_count,
           header->depth);
    munmap(ours.arguments.result, ours.info.result_bytes);
    munmap(ours.arguments.scratch, ours.info.scratch_bytes);
}

/* Fill a cell of build-like work: units over seconds for both sides. */
static void add_pair(struct bench_cell *cell, uint32_t repetition, double units, double ours_seconds, double embree_seconds)
{
    uint32_t slot = cell->count;
    cell->ours[slot] = units / ours_seconds;
    cell->robust[slot] = cell->fast[slot] = embree_seconds > 0 ? units / embree_seconds : 0;
    cell->ratios_robust[slot] = cell->ratios_fast[slot] = embree_seconds > 0 ? embree_seconds / ours_seconds : 0;
    cell->count += repetition > 0;
}

static void bench_refit(const struct bench_scene *scene, struct thread_pool *pool)
{
    struct bench_cell cell = {.threads = thread_pool_worker_count(pool), .unit = "Mtri/s", .work = "refit"};
    struct ours ours;
    double seconds;
    uint64_t bytes;
    snprintf(cell.scene, sizeof(cell.scene), "%s", scene->name);
    ours_prepare(&ours, &scene->mesh, ACCEL_BUILD_FLAG_ALLOW_UPDATE, pool);
    ours_build(&ours);
    struct bench_embree *e = bench_embree_create(&scene->mesh, true, BENCH_LOW, cell.threads, &seconds, &bytes);
    ours.arguments.inputs.flags |= ACCEL_BUILD_FLAG_PERFORM_UPDATE;
    ours.arguments.source = ours.arguments.result;
    for (uint32_t i = 0; i <= options.repetitions; i++) {
        double ours_seconds = ours_build(&ours);
        add_pair(&cell, i, scene->mesh.triangle_count * 1e-6, ours_seconds, e ? bench_embree_refit(e, &scene->mesh) : 0);
    }
    bench_report_add(&cell);
    bench_embree_destroy(e);
    munmap(ours.arguments.result, ours.info.result_bytes);
    munmap(ours.arguments.scratch, ours.info.scratch_bytes);
}

static void bench_instances(uint32_t count, struct thread_pool *pool)
{
    struct bench_cell cell = {.threads = thread_pool_worker_count(pool), .unit = "Minst/s", .scene = "instances"};
    struct scene_mesh mesh = {0};
    struct scene_random random = {5};
    const float center[3] = {0};
    struct ours bottom;
    struct reason reason = {{0}};
    struct accel_prebuild_info info;
    snprintf(cell.work, sizeof(cell.work), "tlas %u", count);
    scene_make_sphere(&mesh, center, 1, 8, 8, NULL);
    ours_prepare(&bottom, &mesh, 0, pool);
    ours_build(&bottom);
    struct scene_instance *instances = calloc(count, sizeof(*instances));
    uint8_t(*descs)[64] = map(count * 64ull);
    for (uint32_t i = 0; i < count; i++) {
        instances[i] = (struct scene_instance){.mask = 0xff};
        for (int k = 0; k < 12; k++)
            instances[i].transform[k] = scene_random_float(&random, -1, 1) * (k % 4 == 3 ? 100 : 1);
        scene_write_instance(descs[i], &instances[i], bottom.arguments.result);
    }
    struct accel_build_arguments top = {.inputs = {.level = ACCEL_LEVEL_TOP, .count = count, .instances = (uintptr_t)descs}, .pool = pool};
    if (accel_prebuild_info(&top.inputs, &info, &reason) != STATUS_OK)
        exit(1);
    top.result = map(info.result_bytes);
    top.scratch = map(info.scratch_bytes);
    for (uint32_t i = 0; i <= options.repetitions; i++) {
        double start = bench_seconds();
        if (accel_build(&top, &reason) != STATUS_OK)
            exit(1);
        double ours_seconds = bench_seconds() - start;
        add_pair(&cell, i, count * 1e-6, ours_seconds, bench_embree_build_instances(&mesh, instances, count, cell.threads));
    }
    bench_report_add(&cell);
    free(instances);
    scene_mesh_finish(&mesh);
}

static void bench_tiny(struct thread_pool *pool)
{
    enum { COUNT = 1000 };
    struct bench_cell cell = {.threads = thread_pool_worker_count(pool), .unit = "kBLAS/s", .scene = "tiny", .work = "1000 tiny blas"};
    struct scene_mesh mesh = {0};
    const float center[3] = {0};
    struct ours ours;
    scene_make_sphere(&mesh, center, 1, 4, 6, NULL);
    ours_prepare(&ours, &mesh, 0, pool);
    for (uint32_t i = 0; i <= options.repetitions; i++) {
        double start = bench_seconds();
        for (int k = 0; k < COUNT; k++)
            ours_build(&ours);
        double ours_seconds = bench_seconds() - start;
        add_pair(&cell, i, COUNT * 1e-3, ours_seconds, bench_embree_build_tiny(&mesh, COUNT, cell.threads));
    }
    bench_report_add(&cell);
    scene_mesh_finish(&mesh);
}

static void bench_small_builds(struct thread_pool *pools[2])
{
    for (int i = 0; i < 2; i++) {
        if (options.threads && options.threads != (uint32_t)i + 1)
            continue;
        bench_instances(10000, pools[i]);
        if (!options.quick)
            bench_instances(100000, pools[i]);
        bench_tiny(pools[i]);
    }
}

static void bench_scene_run(uint32_t index, struct thread_pool *pools[2])
{
    struct bench_scene scene;
    struct ours ours;
    double seconds;
    uint64_t bytes;
    bench_scene_make(index, options.quick, &scene);
    if (options.scene && strcmp(options.scene, scene.name) != 0) {
        scene_mesh_finish(&scene.mesh);
        return;
    }
    for (int i = 0; i < 2 && !options.no_build; i++)
        if (!options.threads || options.threads == (uint32_t)i + 1)
            bench_build(&scene, "default", 0, BENCH_MEDIUM, pools[i]);
    for (int i = 0; i < 2 && !options.no_build; i++)
        if (!options.threads || options.threads == (uint32_t)i + 1)
            bench_refit(&scene, pools[i]);
    ours_prepare(&ours, &scene.mesh, 0, pools[1]);
    ours_build(&ours);
    uint64_t structure = (uintptr_t)ours.arguments.result;
    bench_scene_make_rays(&scene, structure, options.quick ? 256 : 512);
    struct bench_embree *embrees[2] = {bench_embree_create(&scene.mesh, true, BENCH_MEDIUM, 2, &seconds, &bytes),
                                       bench_embree_create(&scene.mesh, false, BENCH_MEDIUM, 2, &seconds, &bytes)};
    for (int i = 0; i < 2; i++)
        for (int work = 0; work < BENCH_WORK_COUNT && !options.no_trace; work++)
            if ((!options.threads || options.threads == (uint32_t)i + 1) &&
                (!options.work || strcmp(options.work, bench_work_names[work]) == 0))
                bench_rays(&scene, work, structure, embrees, pools[i]);
    for (int i = 0; i < 2; i++)
        bench_embree_destroy(embrees[i]);
    munmap(ours.arguments.result, ours.info.result_bytes);
    munmap(ours.arguments.scratch, ours.info.scratch_bytes);
    bench_scene_finish(&scene);
}

static void parse(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--quick") == 0)
            options.quick = true;
        else if (strcmp(argv[i], "--no-trace") == 0)
            options.no_trace = true;
        else if (strcmp(argv[i], "--no-build") == 0)
            options.no_build = true;
        else if (strcmp(argv[i], "--single") == 0)
            options.single = true;
        else if (strcmp(argv[i], "--json") == 0)
            options.json = value, i++;
        else if (strcmp(argv[i], "--scene") == 0)
            options.scene = value, i++;
        else if (strcmp(argv[i], "--work") == 0)
            options.work = value, i++;
        else if (strcmp(argv[i], "--threads") == 0)
            options.threads = (uint32_t)atoi(value), i++;
        else if (strcmp(argv[i], "--repetitions") == 0)
            options.repetitions = (uint32_t)atoi(value), i++;
        else {
            fprintf(stderr, "usage: %s [--quick] [--json FILE] [--scene NAME] [--work NAME] [--threads 1|2] [--repetitions N] "
                            "[--no-trace] [--no-build] [--single]\n", argv[0]);
            exit(2);
        }
    }
    if (options.repetitions >= BENCH_MAX_REPETITIONS)
        options.repetitions = BENCH_MAX_REPETITIONS - 1;
}

int main(int argc, char **argv)
{
    struct thread_pool *pools[2];
    parse(argc, argv);
    printf("%s, %s%s\n", cpu_model_name(), cpu_isa_name(cpu_isa_best()),
           bench_embree_is_available() ? "" : "; without Embree (install libembree-dev and configure again)");
    for (uint32_t i = 0; i < 2; i++)
        if (thread_pool_create(i + 1, 0, &pools[i]) != STATUS_OK)
            return 1;
    for (uint32_t i = 0; i < bench_scene_count(); i++)
        bench_scene_run(i, pools);
    if (!options.no_build && !options.scene)
        bench_small_builds(pools);
    bench_report_finish(options.json);
    for (int i = 0; i < 2; i++)
        thread_pool_destroy(pools[i]);
    return 0;
}
