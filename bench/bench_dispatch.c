/* SPDX-License-Identifier: MIT
 * cdxr-dispatch-bench [--quick]: the same rays through the traversal alone (single-ray calls) and through DispatchRays
 * with trivial shaders, by turns on one thread, measured in the thread's CPU time. The shaders are C functions, so the
 * difference is what tiles, records, services and the call boundary cost. Prints the median overhead of each cell. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "abi/services.h"
#include "bench.h"
#include "exec/dispatch.h"
#include "exec/shader_table.h"

enum { REPETITIONS = 11, WIDTH = 512, RECORD_BYTES = 64 };

struct payload {
    float t;
};

static struct {
    const struct abi_ray *rays;
    uint64_t structure;
    uint32_t ray_flags;
    float *out;
} job;

static void raygen(struct abi_thread *thread, void *unused, const void *attributes)
{
    uint32_t index = thread->dispatch_index[1] * WIDTH + thread->dispatch_index[0];
    struct abi_trace_arguments arguments = {.acceleration_structure = job.structure, .instance_mask = 0xff,
                                            .ray_flags = job.ray_flags, .ray = job.rays[index]};
    struct payload payload = {-1};
    thread->dispatch->services->trace_ray(thread, &arguments, &payload);
    job.out[index] = payload.t;
}

static void closest_hit(struct abi_thread *thread, void *data, const void *attributes)
{
    ((struct payload *)data)->t = thread->hit->t;
}

static void miss(struct abi_thread *thread, void *data, const void *attributes)
{
    ((struct payload *)data)->t = 0;
}

static const struct abi_shader shaders[3] = {
    {.function = raygen, .name = "raygen", .kind = ABI_SHADER_RAY_GENERATION},
    {.function = miss, .name = "miss", .kind = ABI_SHADER_MISS},
    {.function = closest_hit, .name = "closest hit", .kind = ABI_SHADER_CLOSEST_HIT},
};
static struct abi_group groups[3];
static const struct abi_group *group_list[3] = {&groups[0], &groups[1], &groups[2]};
static const struct abi_pipeline pipeline = {.groups = group_list, .group_count = 3, .max_recursion_depth = 1};
static uint8_t tables[3][RECORD_BYTES] __attribute__((aligned(64)));

static void make_pipeline(void)
{
    for (uint32_t i = 0; i < 3; i++) {
        groups[i] = (struct abi_group){.kind = i == 2 ? ABI_GROUP_TRIANGLES : ABI_GROUP_SHADER, .name = shaders[i].name};
        if (i == 2)
            groups[i].closest_hit = &shaders[i];
        else
            groups[i].shader = &shaders[i];
        memcpy(groups[i].identifier, &i, sizeof(i));
        memset(groups[i].identifier + 8, 0x10 + (int)i, 24);
        memcpy(tables[i], groups[i].identifier, 32);
    }
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double run_raw(uint32_t count, bool any_hit)
{
    const struct trace_table *table = trace_table();
    double start = cpu_seconds();
    for (uint32_t i = 0; i < count; i++) {
        struct trace_hit hit;
        if (any_hit)
            job.out[i] = (float)table->occluded(job.structure, &job.rays[i], 0, 0xff);
        else {
            table->closest(job.structure, &job.rays[i], 0, 0xff, &hit);
            job.out[i] = hit.t;
        }
    }
    return cpu_seconds() - start;
}

static double run_dispatch(struct exec_device *device, uint32_t count)
{
    static struct exec_bindings bindings = {.list_name = "bench", .raytracing = &pipeline};
    struct exec_dispatch_rays_arguments arguments = {
        .raygen_address = (uintptr_t)tables[0], .raygen_bytes = RECORD_BYTES,
        .miss_address = (uintptr_t)tables[1], .miss_bytes = RECORD_BYTES, .miss_stride = RECORD_BYTES,
        .hit_address = (uintptr_t)tables[2], .hit_bytes = RECORD_BYTES, .hit_stride = RECORD_BYTES,
        .width = WIDTH, .height = count / WIDTH, .depth = 1};
    double start = cpu_seconds();
    exec_dispatch_rays_run(device, &bindings, &arguments);
    return cpu_seconds() - start;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values)
{
    qsort(values, REPETITIONS, sizeof(values[0]), compare_doubles);
    return values[REPETITIONS / 2];
}

static void run_cell(struct exec_device *device, const struct bench_scene *scene, enum bench_work work)
{
    double overhead[REPETITIONS], raw[REPETITIONS], dispatch[REPETITIONS];
    bool any_hit = bench_work_is_any_hit(work);
    job.rays = scene->rays[work];
    job.ray_flags = any_hit ? ABI_RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH | ABI_RAY_FLAG_SKIP_CLOSEST_HIT_SHADER : 0;
    for (uint32_t i = 0; i < REPETITIONS; i++) {
        raw[i] = run_raw(scene->ray_count, any_hit);
        dispatch[i] = run_dispatch(device, scene->ray_count);
        overhead[i] = 100 * (dispatch[i] / raw[i] - 1);
    }
    double count = scene->ray_count * 1e-6;
    printf("%-10s %-10s %8.2f Mray/s alone %8.2f Mray/s by DispatchRays  overhead %5.1f %%\n", scene->name,
           bench_work_names[work], count / median(raw), count / median(dispatch), median(overhead));
}

static void *pages(uint64_t bytes)
{
    return aligned_alloc(4096, (bytes + 4095) & ~4095ull);
}

static uint64_t build(const struct accel_build_inputs *inputs)
{
    struct accel_prebuild_info info;
    struct reason reason = {0};
    if (accel_prebuild_info(inputs, &info, &reason) != STATUS_OK)
        exit(1);
    struct accel_build_arguments arguments = {
        .inputs = *inputs, .result = pages(info.result_bytes), .scratch = pages(info.scratch_bytes)};
    if (accel_build(&arguments, &reason) != STATUS_OK)
        exit(1);
    free(arguments.scratch);
    return (uintptr_t)arguments.result;
}

/* One instance that is not the identity, as applications have them. */
static uint64_t build_top(uint64_t blas)
{
    struct {
        float transform[12];
        uint32_t id_and_mask, contribution_and_flags;
        uint64_t blas;
    } *instance = pages(4096);
    memset(instance, 0, 4096);
    instance->transform[0] = instance->transform[5] = instance->transform[10] = 1;
    instance->transform[3] = 0.125f;
    instance->id_and_mask = 0xff000000u;
    instance->blas = blas;
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_TOP, .count = 1, .instances = (uintptr_t)instance};
    uint64_t top = build(&inputs);
    free(instance);
    return top;
}

struct bench_options bench_options;

int main(int argc, char **argv)
{
    bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    struct thread_pool *pool;
    struct exec_device *device;
    if (thread_pool_create(1, 0, &pool) != STATUS_OK)
        return 1;
    struct exec_device_settings settings = {.pool = pool};
    if (exec_device_create(&settings, &device) != STATUS_OK)
        return 1;
    make_pipeline();
    for (int i = 0; i <= BENCH_SCENE_NEEDLES; i++) {
        struct bench_scene scene;
        if (!bench_scene_make(i, quick, &scene))
            continue;
        struct accel_geometry geometry = scene_geometry(&scene.mesh);
        geometry.flags = ACCEL_GEOMETRY_FLAG_OPAQUE;
        struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .count = 1, .geometries = &geometry};
        uint64_t blas = build(&inputs);
        bench_scene_make_rays(&scene, blas, WIDTH);
        job.structure = build_top(blas);
        job.out = calloc(scene.ray_count, sizeof(float));
        for (int work = 0; work < BENCH_WORK_COUNT; work++)
            run_cell(device, &scene, work);
        free(job.out);
        free((void *)(uintptr_t)job.structure);
        free((void *)(uintptr_t)blas);
        bench_scene_finish(&scene);
    }
    exec_device_destroy(device);
    thread_pool_destroy(pool);
    return 0;
}
