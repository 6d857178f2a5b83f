/* SPDX-License-Identifier: MIT
 * cdxr-bench: the same arrays and the same rays through cdxr and Embree, alternately, in one process. */
#ifndef CDXR_BENCH_BENCH_H
#define CDXR_BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/thread_pool.h"
#include "ref/scene.h"
#include "trace/trace.h"

enum { BENCH_MAX_REPETITIONS = 51 };

enum bench_work { BENCH_PRIMARY, BENCH_AO, BENCH_DIFFUSE, BENCH_RANDOM, BENCH_WORK_COUNT };
extern const char *const bench_work_names[BENCH_WORK_COUNT];
static inline bool bench_work_is_any_hit(enum bench_work work)
{
    return work == BENCH_AO;
}

/* One mesh and rays for each work. rays[work][ray_count]. */
struct bench_scene {
    const char *name;
    struct scene_mesh mesh;
    float eye[3], target[3];
    float ao_length;
    struct abi_ray *rays[BENCH_WORK_COUNT];
    uint32_t ray_count;
};

uint32_t bench_scene_count(void);
/* Fill a scene; rays need a structure to start secondary rays from. */
void bench_scene_make(uint32_t index, bool quick, struct bench_scene *scene);
void bench_scene_make_rays(struct bench_scene *scene, uint64_t structure, uint32_t width);
void bench_scene_finish(struct bench_scene *scene);

double bench_seconds(void);

/* Embree side. All functions are no-ops that return 0 where Embree is absent. */
struct bench_embree;
enum bench_quality { BENCH_LOW, BENCH_MEDIUM, BENCH_HIGH };
struct bench_embree *bench_embree_create(const struct scene_mesh *mesh, bool robust, enum bench_quality quality,
                                         uint32_t threads, double *build_seconds, uint64_t *bytes);
void bench_embree_destroy(struct bench_embree *embree);
/* Rays [begin, end); returns hits. */
uint64_t bench_embree_trace(const struct bench_embree *embree, const struct abi_ray *rays, uint32_t begin, uint32_t end,
                            bool any_hit);
bool bench_embree_is_available(void);
/* A top level over count instances of the scene, one tiny mesh; build seconds. */
double bench_embree_build_instances(const struct scene_mesh *mesh, const struct scene_instance *instances, uint32_t count,
                                    uint32_t threads);
double bench_embree_build_tiny(const struct scene_mesh *mesh, uint32_t count, uint32_t threads);
double bench_embree_refit(struct bench_embree *embree, const struct scene_mesh *mesh);

/* Results. ratio: cdxr's speed over Embree's (above 1: cdxr is faster). */
struct bench_cell {
    char scene[32], work[32];
    uint32_t threads;
    uint32_t count;
    double ratios_robust[BENCH_MAX_REPETITIONS], ratios_fast[BENCH_MAX_REPETITIONS];
    double ours[BENCH_MAX_REPETITIONS], robust[BENCH_MAX_REPETITIONS], fast[BENCH_MAX_REPETITIONS]; /* work units per second */
    const char *unit;
};
void bench_report_add(const struct bench_cell *cell);
void bench_report_value(const char *scene, const char *name, double value, const char *unit);
void bench_report_finish(const char *json_path);

#endif
