/* SPDX-License-Identifier: MIT
 * Shaders of test_field_rays.c. */
#include <cdxr/shader.h>

CDXR_ACCELERATION_STRUCTURE(scene, 0, 0);
CDXR_RW_STRUCTURED_BUFFER(result, uint32_t, 0, 0);
CDXR_STRUCTURED_BUFFER(local_values, uint32_t, 0, 1);

struct payload {
    uint32_t value;
};

static inline void store(cdxr_thread *thread, uint32_t index, uint32_t value)
{
    cdxr_store(thread, cdxr_resource_handle(thread, &result, 0), index, 0, &value, 1);
}

/* A ray down the z axis through the triangle when hits, beside it otherwise. */
static inline uint32_t trace(cdxr_thread *thread, uint32_t hits, uint32_t contribution, uint32_t miss)
{
    struct payload payload = {0x1234};
    cdxr_ray ray = {{hits ? -0.25f : 5.0f, 0.25f, -1}, 0, {0, 0, 1}, 1e30f};
    cdxr_trace_ray(thread, cdxr_resource_handle(thread, &scene, 0), 0, 0xff, contribution, 0, miss, &ray, &payload);
    return payload.value;
}

CDXR_RAY_GENERATION(One)
{
    store(thread, 0, 1);
}

CDXR_RAY_GENERATION(Two)
{
    store(thread, 0, 2);
}

CDXR_RAY_GENERATION(Count)
{
    cdxr_atomic_add(thread, cdxr_resource_handle(thread, &result, 0), 0, 0, 1);
}

CDXR_RAY_GENERATION(Index)
{
    uint32_t x = cdxr_dispatch_rays_index(thread, 0), y = cdxr_dispatch_rays_index(thread, 1);
    uint32_t z = cdxr_dispatch_rays_index(thread, 2);
    cdxr_atomic_add(thread, cdxr_resource_handle(thread, &result, 0), z * 12 + y * 4 + x, 0, x + 10 * y + 100 * z);
    if (x + y + z == 0)
        for (uint32_t i = 0; i < 3; i++)
            store(thread, 24 + i, cdxr_dispatch_rays_dimensions(thread, (uint8_t)i));
}

CDXR_RAY_GENERATION(Columns)
{
    uint32_t x = cdxr_dispatch_rays_index(thread, 0);
    store(thread, x, trace(thread, 1, x & 1, 0));
}

CDXR_RAY_GENERATION(LastMiss)
{
    store(thread, 0, trace(thread, 0, 0, 65535));
}

CDXR_RAY_GENERATION(HitAndMiss)
{
    store(thread, 0, trace(thread, 1, 0, 0));
    store(thread, 1, trace(thread, 0, 0, 0));
}

CDXR_MISS(Miss, struct payload)
{
    payload->value = 0xaa;
}

CDXR_MISS(OtherMiss, struct payload)
{
    payload->value = 0xbb;
}

CDXR_CLOSEST_HIT(LocalHit, struct payload, cdxr_barycentrics)
{
    uint32_t value = 0;
    cdxr_load(thread, cdxr_resource_handle(thread, &local_values, 0), 0, 0, &value, 1);
    payload->value = value;
}
