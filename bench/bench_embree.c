/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#ifdef BENCH_HAS_EMBREE
#include <embree3/rtcore.h>
#include <stdio.h>

struct bench_embree {
    RTCDevice device;
    RTCScene scene; /* what is traced */
    RTCScene bottom; /* NULL: no instances */
    RTCGeometry geometry;
    int64_t bytes;
};

bool bench_embree_is_available(void)
{
    return true;
}

static bool count_bytes(void *user, ssize_t bytes, bool post)
{
    __atomic_add_fetch((int64_t *)user, bytes, __ATOMIC_RELAXED);
    return true;
}

static RTCDevice make_device(uint32_t threads)
{
    char config[64];
    snprintf(config, sizeof(config), "threads=%u,set_affinity=0", threads);
    return rtcNewDevice(config);
}

static enum RTCBuildQuality quality_of(enum bench_quality quality)
{
    return quality == BENCH_LOW ? RTC_BUILD_QUALITY_LOW : quality == BENCH_MEDIUM ? RTC_BUILD_QUALITY_MEDIUM : RTC_BUILD_QUALITY_HIGH;
}

static RTCGeometry make_geometry(RTCDevice device, const struct scene_mesh *mesh)
{
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, mesh->vertices, 0, 12, mesh->vertex_count);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, mesh->indices, 0, 12, mesh->triangle_count);
    return geometry;
}

static RTCScene make_scene(RTCDevice device, const struct bench_embree_settings *settings)
{
    RTCScene scene = rtcNewScene(device);
    rtcSetSceneBuildQuality(scene, quality_of(settings->quality));
    rtcSetSceneFlags(scene, (settings->robust ? RTC_SCENE_FLAG_ROBUST : RTC_SCENE_FLAG_NONE) |
                                (settings->compact ? RTC_SCENE_FLAG_COMPACT : RTC_SCENE_FLAG_NONE));
    return scene;
}

static void attach_instances(struct bench_embree *e, const struct bench_scene *scene)
{
    for (uint32_t i = 0; i < scene->instance_count; i++) {
        RTCGeometry instance = rtcNewGeometry(e->device, RTC_GEOMETRY_TYPE_INSTANCE);
        rtcSetGeometryInstancedScene(instance, e->bottom);
        rtcSetGeometryTransform(instance, 0, RTC_FORMAT_FLOAT3X4_ROW_MAJOR, scene->instances[i].transform);
        rtcCommitGeometry(instance);
        rtcAttachGeometry(e->scene, instance);
        rtcReleaseGeometry(instance);
    }
}

struct bench_embree *bench_embree_create(const struct bench_scene *scene, const struct bench_embree_settings *settings,
                                         double *build_seconds, uint64_t *bytes)
{
    struct bench_embree *e = calloc(1, sizeof(*e));
    e->device = make_device(settings->threads);
    rtcSetDeviceMemoryMonitorFunction(e->device, count_bytes, &e->bytes);
    e->scene = make_scene(e->device, settings);
    e->bottom = scene->instance_count ? make_scene(e->device, settings) : NULL;
    e->geometry = make_geometry(e->device, &scene->mesh);
    rtcSetGeometryBuildQuality(e->geometry, quality_of(settings->quality));
    rtcCommitGeometry(e->geometry);
    rtcAttachGeometry(e->bottom ? e->bottom : e->scene, e->geometry);
    double start = bench_seconds();
    if (e->bottom) {
        rtcCommitScene(e->bottom);
        attach_instances(e, scene);
    }
    rtcCommitScene(e->scene);
    *build_seconds = bench_seconds() - start;
    *bytes = (uint64_t)e->bytes;
    return e;
}

void bench_embree_destroy(struct bench_embree *e)
{
    if (!e)
        return;
    rtcReleaseGeometry(e->geometry);
    rtcReleaseScene(e->scene);
    if (e->bottom)
        rtcReleaseScene(e->bottom);
    rtcReleaseDevice(e->device);
    free(e);
}

static struct RTCRayHit convert(const struct abi_ray *ray)
{
    struct RTCRayHit r;
    r.ray.org_x = ray->origin[0];
    r.ray.org_y = ray->origin[1];
    r.ray.org_z = ray->origin[2];
    r.ray.tnear = ray->t_min;
    r.ray.dir_x = ray->direction[0];
    r.ray.dir_y = ray->direction[1];
    r.ray.dir_z = ray->direction[2];
    r.ray.tfar = ray->t_max;
    r.ray.time = 0;
    r.ray.mask = ~0u;
    r.ray.id = 0;
    r.ray.flags = 0;
    r.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    r.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    return r;
}

uint64_t bench_embree_trace(const struct bench_embree *e, const struct abi_ray *rays, uint32_t begin, uint32_t end, bool any_hit)
{
    uint64_t hits = 0;
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    for (uint32_t i = begin; i < end; i++) {
        struct RTCRayHit r = convert(&rays[i]);
        if (any_hit) {
            rtcOccluded1(e->scene, &context, &r.ray);
            hits += r.ray.tfar < 0;
        } else {
            rtcIntersect1(e->scene, &context, &r);
            hits += r.hit.geomID != RTC_INVALID_GEOMETRY_ID;
        }
    }
    return hits;
}

double bench_embree_build_instances(const struct scene_mesh *mesh, const struct scene_instance *instances, uint32_t count,
                                    uint32_t threads)
{
    RTCDevice device = make_device(threads);
    RTCScene inner = rtcNewScene(device), outer = rtcNewScene(device);
    rtcSetSceneFlags(inner, RTC_SCENE_FLAG_ROBUST);
    rtcSetSceneFlags(outer, RTC_SCENE_FLAG_ROBUST);
    RTCGeometry geometry = make_geometry(device, mesh);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(inner, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(inner);
    for (uint32_t i = 0; i < count; i++) {
        RTCGeometry instance = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_INSTANCE);
        rtcSetGeometryInstancedScene(instance, inner);
        rtcSetGeometryTransform(instance, 0, RTC_FORMAT_FLOAT3X4_ROW_MAJOR, instances[i].transform);
        rtcCommitGeometry(instance);
        rtcAttachGeometry(outer, instance);
        rtcReleaseGeometry(instance);
    }
    double start = bench_seconds();
    rtcCommitScene(outer);
    double seconds = bench_seconds() - start;
    rtcReleaseScene(outer);
    rtcReleaseScene(inner);
    rtcReleaseDevice(device);
    return seconds;
}

double bench_embree_build_tiny(const struct scene_mesh *mesh, uint32_t count, uint32_t threads)
{
    RTCDevice device = make_device(threads);
    RTCScene *scenes = calloc(count, sizeof(*scenes));
    for (uint32_t i = 0; i < count; i++) {
        scenes[i] = rtcNewScene(device);
        rtcSetSceneFlags(scenes[i], RTC_SCENE_FLAG_ROBUST);
        RTCGeometry geometry = make_geometry(device, mesh);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scenes[i], geometry);
        rtcReleaseGeometry(geometry);
    }
    double start = bench_seconds();
    for (uint32_t i = 0; i < count; i++)
        rtcCommitScene(scenes[i]);
    double seconds = bench_seconds() - start;
    for (uint32_t i = 0; i < count; i++)
        rtcReleaseScene(scenes[i]);
    free(scenes);
    rtcReleaseDevice(device);
    return seconds;
}

double bench_embree_refit(struct bench_embree *e)
{
    rtcSetSceneFlags(e->scene, RTC_SCENE_FLAG_ROBUST | RTC_SCENE_FLAG_DYNAMIC); /* without it Embree builds anew */
    rtcSetGeometryBuildQuality(e->geometry, RTC_BUILD_QUALITY_REFIT);
    rtcUpdateGeometryBuffer(e->geometry, RTC_BUFFER_TYPE_VERTEX, 0);
    rtcCommitGeometry(e->geometry);
    double start = bench_seconds();
    rtcCommitScene(e->scene);
    return bench_seconds() - start;
}
#else
bool bench_embree_is_available(void)
{
    return false;
}

struct bench_embree *bench_embree_create(const struct bench_scene *scene, const struct bench_embree_settings *settings,
                                         double *build_seconds, uint64_t *bytes)
{
    *build_seconds = 0;
    *bytes = 0;
    return NULL;
}

void bench_embree_destroy(struct bench_embree *embree)
{
}

uint64_t bench_embree_trace(const struct bench_embree *embree, const struct abi_ray *rays, uint32_t begin, uint32_t end,
                            bool any_hit)
{
    return 0;
}

double bench_embree_build_instances(const struct scene_mesh *mesh, const struct scene_instance *instances, uint32_t count,
                                    uint32_t threads)
{
    return 0;
}

double bench_embree_build_tiny(const struct scene_mesh *mesh, uint32_t count, uint32_t threads)
{
    return 0;
}

double bench_embree_refit(struct bench_embree *embree)
{
    return 0;
}
#endif
