/* SPDX-License-Identifier: MIT
 * cdxr-bench: rays and builds, cdxr and Embree by turns. usage() lists the options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

struct bench_options bench_options = {.repetitions = 9, .single = -1};

static clockid_t build_clock = CLOCK_MONOTONIC;

void bench_use_clock(uint32_t threads)
{
    build_clock = threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
}

double bench_seconds(void)
{
    struct timespec t;
    clock_gettime(build_clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

bool bench_wants(const char *part)
{
    return !bench_options.part || strcmp(bench_options.part, part) == 0;
}

bool bench_wants_threads(uint32_t threads)
{
    return !bench_options.threads || bench_options.threads == threads;
}

static void run_scene(enum bench_scene_index index, struct thread_pool *pools[BENCH_POOL_COUNT])
{
    struct bench_scene scene;
    if (!bench_scene_make(index, bench_options.quick, &scene))
        return;
    bool has_flag_table = index == BENCH_SCENE_TERRAIN || index == BENCH_SCENE_DRAGON;
    if (bench_wants("builds") && has_flag_table)
        bench_builds_scene(&scene, pools);
    if (bench_wants("rays"))
        bench_rays_scene(&scene, pools);
    if (bench_wants("builds") && has_flag_table)
        bench_rays_flags(&scene, pools[0]);
    bench_scene_finish(&scene);
}

static __attribute__((noreturn)) void usage(const char *program)
{
    fprintf(stderr,
            "usage: %s [--quick] [--json FILE] [--part rays|builds|growth] [--scene NAME] [--work NAME]\n"
            "  [--threads 1|2] [--repetitions N] [--single | --arrays] [--flags fast-build|default|fast-trace|minimize-memory]\n"
            "  [--width N] [--dragon FILE]\n"
            "--quick: small scenes, three repetitions. --flags: of the structures that rays are traced on.\n"
            "--width: N * N rays a cell (512).\n"
            "--dragon: mesh made by scripts/bench-dragon (default: beside the program)\n",
            program);
    exit(2);
}

static uint32_t flags_of(const char *name, const char *program)
{
    for (int i = 0; i < BENCH_FLAG_COUNT; i++)
        if (strcmp(name, bench_flags[i].name) == 0)
            return bench_flags[i].flags;
    usage(program);
}

/* Options with a value. False: the name is unknown. */
static bool parse_value(const char *name, const char *value, const char *program)
{
    struct bench_options *o = &bench_options;
    if (strcmp(name, "--json") == 0)
        o->json = value;
    else if (strcmp(name, "--part") == 0)
        o->part = value;
    else if (strcmp(name, "--scene") == 0)
        o->scene = value;
    else if (strcmp(name, "--work") == 0)
        o->work = value;
    else if (strcmp(name, "--dragon") == 0)
        o->dragon = value;
    else if (strcmp(name, "--threads") == 0)
        o->threads = (uint32_t)atoi(value);
    else if (strcmp(name, "--repetitions") == 0)
        o->repetitions = (uint32_t)atoi(value);
    else if (strcmp(name, "--width") == 0)
        o->width = (uint32_t)atoi(value) / 8 * 8;
    else if (strcmp(name, "--flags") == 0)
        o->build_flags = flags_of(value, program);
    else
        return false;
    return true;
}

static void parse(int argc, char **argv)
{
    static char beside[1024];
    const char *slash = strrchr(argv[0], '/');
    snprintf(beside, sizeof(beside), "%.*sdragon.mesh", slash ? (int)(slash + 1 - argv[0]) : 0, argv[0]);
    bench_options.dragon = beside;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0) {
            bench_options.quick = true;
            bench_options.repetitions = 3;
        } else if (strcmp(argv[i], "--single") == 0) {
            bench_options.single = 1;
        } else if (strcmp(argv[i], "--arrays") == 0) {
            bench_options.single = 0;
        } else if (i + 1 < argc && parse_value(argv[i], argv[i + 1], argv[0])) {
            i++;
        } else {
            usage(argv[0]);
        }
    }
    if (bench_options.repetitions >= BENCH_MAX_REPETITIONS)
        bench_options.repetitions = BENCH_MAX_REPETITIONS - 1;
}

int main(int argc, char **argv)
{
    struct thread_pool *pools[BENCH_POOL_COUNT];
    parse(argc, argv);
    printf("%s, %s%s\n", cpu_model_name(), cpu_isa_name(cpu_isa_best()),
           bench_embree_is_available() ? "" : "; without Embree (install libembree-dev and configure again)");
    for (uint32_t i = 0; i < BENCH_POOL_COUNT; i++)
        if (thread_pool_create(i + 1, 0, &pools[i]) != STATUS_OK)
            return 1;
    for (int i = 0; i < BENCH_SCENE_COUNT; i++)
        run_scene(i, pools);
    if (bench_wants("rays"))
        bench_rays_thin(pools);
    if (bench_wants("builds"))
        bench_builds_small(pools);
    if (bench_wants("growth"))
        bench_growth(pools);
    bench_report_finish(bench_options.json);
    for (uint32_t i = 0; i < BENCH_POOL_COUNT; i++)
        thread_pool_destroy(pools[i]);
    return 0;
}
