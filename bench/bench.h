/* SPDX-License-Identifier: MIT
 * cdxr-bench: the same arrays and the same rays through cdxr and Embree, alternately, in one process. bench_main.c reads
 * the options and runs the parts: rays (bench_rays.c), builds (bench_builds.c), properties of trees (bench_trees.c); all
 * of them hand cells to bench_report.c. */
#ifndef CDXR_BENCH_BENCH_H
#define CDXR_BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/thread_pool.h"
#include "ref/scene.h"
#include "trace/trace.h"

enum { BENCH_MAX_REPETITIONS = 101, BENCH_POOL_COUNT = 2 };

struct bench_options {
    bool quick;
    const char *json;          /* file of the results, NULL: none */
    const char *scene, *work;  /* only these; NULL: all */
    const char *part;          /* "rays", "builds" or "growth"; NULL: all */
    const char *dragon;        /* mesh file that scripts/bench-dragon made */
    uint32_t threads;          /* 1 or 2; 0: both */
    uint32_t width;            /* rays of a cell are width * width; 0: 512, or 256 for slow scenes and --quick */
    uint32_t repetitions;
    int32_t single;            /* 1: only single-ray calls, 0: only arrays, -1: both */
    uint32_t build_flags;      /* of the structures that rays are traced on */
};
extern struct bench_options bench_options;
bool bench_wants(const char *part);
bool bench_wants_threads(uint32_t threads);

enum bench_work { BENCH_PRIMARY, BENCH_AO, BENCH_DIFFUSE, BENCH_RANDOM, BENCH_WORK_COUNT };
extern const char *const bench_work_names[BENCH_WORK_COUNT];
static inline bool bench_work_is_any_hit(enum bench_work work)
{
    return work == BENCH_AO;
}

/* One mesh, instances of it (none: the mesh itself), and rays for each work. rays[work][ray_count]. */
struct bench_scene {
    const char *name;
    struct scene_mesh mesh;
    struct scene_instance *instances;
    uint32_t instance_count;
    float eye[3], target[3];
    float ao_length;
    struct abi_ray *rays[BENCH_WORK_COUNT];
    uint32_t ray_count;
};

enum bench_scene_index {
    BENCH_SCENE_TERRAIN, BENCH_SCENE_SPHERES, BENCH_SCENE_NEEDLES, BENCH_SCENE_DRAGON, BENCH_SCENE_ENGINES, BENCH_SCENE_COUNT
};
/* Fill a scene. False, with one printed line that says why: it cannot be had. */
bool bench_scene_make(enum bench_scene_index index, bool quick, struct bench_scene *scene);
/* Thin triangles of one kind: needles, slivers, fans, strips; case_index in [0, 100). */
void bench_scene_make_thin(uint32_t case_index, struct bench_scene *scene);
/* rays need a structure to start secondary rays from; width is a multiple of 8. */
void bench_scene_make_rays(struct bench_scene *scene, uint64_t structure, uint32_t width);
void bench_scene_finish(struct bench_scene *scene);
/* bench_models.c: whole files as one mesh. */
bool bench_model_dragon(struct scene_mesh *mesh);
bool bench_model_engine(struct scene_mesh *mesh);

/* For work on one thread the process's CPU time, which other programs on the machine disturb less, else wall-clock time. */
void bench_use_clock(uint32_t threads);
double bench_seconds(void);
/* As exec/memory does for resources: own mapping, large pages where the system has them. */
void *bench_map(uint64_t bytes);
void bench_unmap(void *memory, uint64_t bytes);

/* cdxr's side of a build: inputs and memory. A failing build ends the program with its reason. */
struct bench_ours {
    struct accel_build_arguments arguments;
    struct accel_prebuild_info info;
    struct accel_geometry geometry;
    uint8_t (*instances)[64];
    uint32_t instance_count;
};
void bench_ours_prepare(struct bench_ours *ours, const struct scene_mesh *mesh, uint32_t flags, struct thread_pool *pool);
void bench_ours_prepare_top(struct bench_ours *ours, const struct scene_instance *instances, uint32_t count, uint32_t flags,
                            const struct bench_ours *bottom, struct thread_pool *pool);
double bench_ours_build(struct bench_ours *ours); /* seconds */
void bench_ours_finish(struct bench_ours *ours);
static inline uint64_t bench_ours_address(const struct bench_ours *ours)
{
    return (uintptr_t)ours->arguments.result;
}

/* Parts. pools: one and two threads. */
void bench_rays_scene(struct bench_scene *scene, struct thread_pool *pools[BENCH_POOL_COUNT]);
void bench_rays_thin(struct thread_pool *pools[BENCH_POOL_COUNT]);
void bench_rays_flags(struct bench_scene *scene, struct thread_pool *pool);
void bench_builds_scene(const struct bench_scene *scene, struct thread_pool *pools[BENCH_POOL_COUNT]);
void bench_builds_small(struct thread_pool *pools[BENCH_POOL_COUNT]);
void bench_growth(struct thread_pool *pools[BENCH_POOL_COUNT]);
/* Expected work of a ray that meets the bounds: area of every node and of every block of four triangles over the area of
 * the root, plus one for the root. */
double bench_tree_cost(const void *structure);

enum bench_quality { BENCH_LOW, BENCH_MEDIUM, BENCH_HIGH };
/* The flags that are compared, each with Embree's equal. */
struct bench_flag {
    const char *name;
    uint32_t flags;
    enum bench_quality quality;
    bool compact;
};
enum { BENCH_FLAG_COUNT = 4, BENCH_FLAG_DEFAULT = 1 };
extern const struct bench_flag bench_flags[BENCH_FLAG_COUNT];

/* Embree side. All functions are no-ops that return NULL or 0 where Embree is absent. */
struct bench_embree;
struct bench_embree_settings {
    bool robust, compact;
    enum bench_quality quality;
    uint32_t threads;
};
struct bench_embree *bench_embree_create(const struct bench_scene *scene, const struct bench_embree_settings *settings,
                                         double *build_seconds, uint64_t *bytes);
void bench_embree_destroy(struct bench_embree *embree);
/* Rays [begin, end); returns hits. */
uint64_t bench_embree_trace(const struct bench_embree *embree, const struct abi_ray *rays, uint32_t begin, uint32_t end,
                            bool any_hit);
bool bench_embree_is_available(void);
/* A top level over count instances of one mesh; count structures of one mesh; seconds of the builds alone. */
double bench_embree_build_instances(const struct scene_mesh *mesh, const struct scene_instance *instances, uint32_t count,
                                    uint32_t threads);
double bench_embree_build_tiny(const struct scene_mesh *mesh, uint32_t count, uint32_t threads);
double bench_embree_refit(struct bench_embree *embree);
/* bench_tree_cost of the tree that rtcBuildBVH makes with the settings of Embree's own 8-wide triangle builders. The
 * trees inside scenes are not public. */
double bench_embree_tree_cost(const struct scene_mesh *mesh, enum bench_quality quality);

/* Results. Speeds: ratio is cdxr's over Embree's, above 1 cdxr is better. Sizes and costs (smaller_is_better): the same
 * quotient, below 1 cdxr is better. */
struct bench_cell {
    char scene[32], work[48];
    uint32_t threads;
    uint32_t count;
    double ratios_robust[BENCH_MAX_REPETITIONS], ratios_fast[BENCH_MAX_REPETITIONS];
    double ours[BENCH_MAX_REPETITIONS], robust[BENCH_MAX_REPETITIONS], fast[BENCH_MAX_REPETITIONS]; /* in unit */
    const char *unit;
    bool smaller_is_better;
};
/* Append one repetition; 0: not measured. */
void bench_cell_add(struct bench_cell *cell, double ours, double robust, double fast);
void bench_report_add(const struct bench_cell *cell);
/* One figure of each side. */
void bench_report_figure(const char *scene, const char *work, const char *unit, double ours, double embree);
void bench_report_missing(const char *scene, const char *why);
void bench_report_finish(const char *json_path);

#endif
