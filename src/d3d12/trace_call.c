/* SPDX-License-Identifier: MIT
 * The direct trace calls of cdxr/cdxr.h. */
#include <cdxr/cdxr.h>

#include "accel/build.h"
#include "trace/trace.h"

_Static_assert(sizeof(struct cdxr_ray) == sizeof(struct abi_ray), "rays are passed on as they are");
_Static_assert(offsetof(struct cdxr_ray, direction) == offsetof(struct abi_ray, direction), "rays are passed on as they are");
_Static_assert(sizeof(struct cdxr_hit) == sizeof(struct trace_hit), "hits are passed on as they are");
_Static_assert(offsetof(struct cdxr_hit, primitive_index) == offsetof(struct trace_hit, primitive_index),
               "hits are passed on as they are");

/* 0 where the address holds no structure. */
static uint64_t checked(uint64_t acceleration_structure)
{
    const void *structure = (const void *)(uintptr_t)acceleration_structure;
    return acceleration_structure && accel_is_structure(structure, UINT64_MAX) ? acceleration_structure : 0;
}

void cdxr_trace_closest(uint64_t acceleration_structure, const struct cdxr_ray *rays, size_t ray_count, uint32_t ray_flags,
                        uint32_t instance_mask, struct cdxr_hit *hits)
{
    trace_table()->closest_array(checked(acceleration_structure), (const struct abi_ray *)rays, ray_count, ray_flags,
                                 instance_mask, (struct trace_hit *)hits);
}

void cdxr_trace_occluded(uint64_t acceleration_structure, const struct cdxr_ray *rays, size_t ray_count, uint32_t ray_flags,
                         uint32_t instance_mask, uint8_t *occluded)
{
    trace_table()->occluded_array(checked(acceleration_structure), (const struct abi_ray *)rays, ray_count, ray_flags,
                                  instance_mask, occluded);
}
