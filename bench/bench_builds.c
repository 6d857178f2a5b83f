/* SPDX-License-Identifier: MIT
 * Builds and refits per second and what the trees are like, flag by flag; top levels; many tiny structures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

const struct bench_flag bench_flags[BENCH_FLAG_COUNT] = {
    {"fast-build", ACCEL_BUILD_FLAG_PREFER_FAST_BUILD, BENCH_LOW, false},
    {"default", 0, BENCH_MEDIUM, false},
    {"fast-trace", ACCEL_BUILD_FLAG_PREFER_FAST_TRACE, BENCH_HIGH, false},
    {"minimize-memory", ACCEL_BUILD_FLAG_MINIMIZE_MEMORY, BENCH_MEDIUM, true},
};

static struct bench_cell cell_make(const char *scene, const char *work, const char *flag, const struct thread_pool *pool)
{
    struct bench_cell cell = {.threads = thread_pool_worker_count(pool), .unit = "Mtri/s"};
    bench_use_clock(cell.threads);
    snprintf(cell.scene, sizeof(cell.scene), "%s", scene);
    snprintf(cell.work, sizeof(cell.work), "%s%s%s", work, *flag ? " " : "", flag);
    return cell;
}

static double embree_build(const struct bench_scene *scene, const struct bench_flag *flag, bool robust, uint32_t threads,
                           uint64_t *bytes)
{
    struct bench_embree_settings settings = {robust, flag->compact, flag->quality, threads};
    double seconds = 0;
    struct bench_embree *e = bench_embree_create(scene, &settings, &seconds, bytes);
    bench_embree_destroy(e);
    return e ? seconds : 0;
}

static double per_second(double units, double seconds)
{
    return seconds > 0 ? units / seconds : 0;
}

/* Embree's fast mode builds the same trees except at high quality, where only it may split. */
static void run_build(const struct bench_scene *scene, const struct bench_flag *flag, struct thread_pool *pool)
{
    struct bench_cell cell = cell_make(scene->name, "build", flag->name, pool);
    struct bench_ours ours;
    uint64_t bytes;
    double triangles = scene->mesh.triangle_count * 1e-6;
    bench_ours_prepare(&ours, &scene->mesh, flag->flags, pool);
    for (uint32_t i = 0; i <= bench_options.repetitions; i++) {
        double a = bench_ours_build(&ours), b = embree_build(scene, flag, true, cell.threads, &bytes);
        double c = flag->quality == BENCH_HIGH ? embree_build(scene, flag, false, cell.threads, &bytes) : b;
        if (i > 0)
            bench_cell_add(&cell, per_second(triangles, a), per_second(triangles, b), per_second(triangles, c));
    }
    bench_report_add(&cell);
    bench_ours_finish(&ours);
}

static void report_bytes(const struct bench_scene *scene, const char *what, const char *flag, double ours, double embree)
{
    char work[48];
    snprintf(work, sizeof(work), "%s %s", what, flag);
    bench_report_figure(scene->name, work, "bytes/tri", ours / scene->mesh.triangle_count, embree / scene->mesh.triangle_count);
}

/* Bytes before and after compaction, and the cost of the tree. */
static void run_properties(const struct bench_scene *scene, const struct bench_flag *flag, struct thread_pool *pool)
{
    struct reason reason = {{0}};
    struct bench_ours ours;
    uint64_t bytes = 0, compacted[2] = {0};
    uint32_t out_bytes;
    char work[48];
    bench_ours_prepare(&ours, &scene->mesh, flag->flags | ACCEL_BUILD_FLAG_ALLOW_COMPACTION, pool);
    bench_ours_build(&ours);
    embree_build(scene, flag, true, 2, &bytes);
    if (accel_postbuild_info(ACCEL_POSTBUILD_COMPACTED_SIZE, ours.arguments.result, compacted, &out_bytes, &reason) != STATUS_OK)
        printf("%s: %s\n", scene->name, reason.text);
    report_bytes(scene, "bytes", flag->name, (double)ours.info.result_bytes, (double)bytes);
    report_bytes(scene, "bytes compacted", flag->name, (double)compacted[0], (double)bytes);
    snprintf(work, sizeof(work), "cost %s", flag->name);
    bench_report_figure(scene->name, work, "SAH", bench_tree_cost(ours.arguments.result),
                        bench_embree_tree_cost(&scene->mesh, flag->quality));
    bench_ours_finish(&ours);
}

static void run_refit(const struct bench_scene *scene, const struct bench_flag *flag, struct thread_pool *pool)
{
    struct bench_cell cell = cell_make(scene->name, "refit", flag->name, pool);
    struct bench_embree_settings settings = {true, false, BENCH_LOW, cell.threads};
    struct bench_ours ours;
    double seconds, triangles = scene->mesh.triangle_count * 1e-6;
    uint64_t bytes;
    bench_ours_prepare(&ours, &scene->mesh, flag->flags | ACCEL_BUILD_FLAG_ALLOW_UPDATE, pool);
    bench_ours_build(&ours);
    struct bench_embree *e = bench_embree_create(scene, &settings, &seconds, &bytes);
    ours.arguments.inputs.flags |= ACCEL_BUILD_FLAG_PERFORM_UPDATE;
    ours.arguments.source = ours.arguments.result;
    for (uint32_t i = 0; i <= bench_options.repetitions; i++) {
        double a = bench_ours_build(&ours), b = e ? bench_embree_refit(e) : 0;
        if (i > 0)
            bench_cell_add(&cell, per_second(triangles, a), per_second(triangles, b), per_second(triangles, b));
    }
    bench_report_add(&cell);
    bench_embree_destroy(e);
    bench_ours_finish(&ours);
}

static bool wants_work(const char *work, const char *flag)
{
    return !bench_options.work || strcmp(bench_options.work, work) == 0 || strcmp(bench_options.work, flag) == 0;
}

void bench_builds_scene(const struct bench_scene *scene, struct thread_pool *pools[BENCH_POOL_COUNT])
{
    for (int k = 0; k < BENCH_FLAG_COUNT; k++) {
        const struct bench_flag *flag = &bench_flags[k];
        for (uint32_t i = 0; i < BENCH_POOL_COUNT; i++) {
            if (bench_wants_threads(i + 1) && wants_work("build", flag->name))
                run_build(scene, flag, pools[i]);
            if (bench_wants_threads(i + 1) && wants_work("refit", flag->name))
                run_refit(scene, flag, pools[i]);
        }
        if (wants_work("trees", flag->name))
            run_properties(scene, flag, pools[1]);
    }
}

static void run_top(uint32_t count, struct thread_pool *pool)
{
    struct bench_cell cell = cell_make("instances", "tlas", count == 10000 ? "10000" : "100000", pool);
    struct scene_mesh mesh = {0};
    struct scene_random random = {5};
    const float center[3] = {0};
    struct bench_ours bottom, top;
    cell.unit = "Minst/s";
    scene_make_sphere(&mesh, center, 1, 8, 8, NULL);
    bench_ours_prepare(&bottom, &mesh, 0, pool);
    bench_ours_build(&bottom);
    struct scene_instance *instances = calloc(count, sizeof(*instances));
    for (uint32_t i = 0; i < count; i++) {
        instances[i].mask = 0xff;
        for (int k = 0; k < 12; k++)
            instances[i].transform[k] = scene_random_float(&random, -1, 1) * (k % 4 == 3 ? 100 : 1);
    }
    bench_ours_prepare_top(&top, instances, count, 0, &bottom, pool);
    for (uint32_t i = 0; i <= bench_options.repetitions; i++) {
        double a = bench_ours_build(&top), b = bench_embree_build_instances(&mesh, instances, count, cell.threads);
        if (i > 0)
            bench_cell_add(&cell, per_second(count * 1e-6, a), per_second(count * 1e-6, b), per_second(count * 1e-6, b));
    }
    bench_report_add(&cell);
    bench_ours_finish(&top);
    bench_ours_finish(&bottom);
    free(instances);
    scene_mesh_finish(&mesh);
}

struct tiny_job {
    struct accel_build_arguments *builds;
};

static void build_tiny(void *context, uint32_t index, uint32_t worker_index)
{
    struct reason reason = {{0}};
    if (accel_build(&((struct tiny_job *)context)->builds[index], &reason) != STATUS_OK)
        printf("tiny: %s\n", reason.text);
}

/* The builds of one command list run side by side, as exec/build_batch.c runs them. */
static void run_tiny(struct thread_pool *pool)
{
    enum { COUNT = 1000 };
    struct bench_cell cell = cell_make("tiny", "1000 tiny blas", "", pool);
    struct scene_mesh mesh = {0};
    const float center[3] = {0};
    struct tiny_job job = {calloc(COUNT, sizeof(*job.builds))};
    struct bench_ours first;
    cell.unit = "kBLAS/s";
    scene_make_sphere(&mesh, center, 1, 4, 6, NULL);
    bench_ours_prepare(&first, &mesh, 0, NULL);
    uint64_t result_bytes = (first.info.result_bytes + 255) / 256 * 256, scratch_bytes = (first.info.scratch_bytes + 255) / 256 * 256;
    uint8_t *memory = bench_map(COUNT * (result_bytes + scratch_bytes));
    for (uint64_t i = 0; i < COUNT; i++) {
        job.builds[i] = first.arguments;
        job.builds[i].result = memory + i * result_bytes;
        job.builds[i].scratch = memory + COUNT * result_bytes + i * scratch_bytes;
    }
    for (uint32_t i = 0; i <= bench_options.repetitions; i++) {
        double start = bench_seconds();
        thread_pool_parallel_for(pool, COUNT, build_tiny, &job);
        double a = bench_seconds() - start, b = bench_embree_build_tiny(&mesh, COUNT, cell.threads);
        if (i > 0)
            bench_cell_add(&cell, per_second(COUNT * 1e-3, a), per_second(COUNT * 1e-3, b), per_second(COUNT * 1e-3, b));
    }
    bench_report_add(&cell);
    bench_unmap(memory, COUNT * (result_bytes + scratch_bytes));
    bench_ours_finish(&first);
    free(job.builds);
    scene_mesh_finish(&mesh);
}

void bench_builds_small(struct thread_pool *pools[BENCH_POOL_COUNT])
{
    for (uint32_t i = 0; i < BENCH_POOL_COUNT && !bench_options.scene; i++) {
        if (!bench_wants_threads(i + 1))
            continue;
        if (wants_work("tlas", "")) {
            run_top(10000, pools[i]);
            run_top(100000, pools[i]);
        }
        if (wants_work("tiny", ""))
            run_tiny(pools[i]);
    }
}
