/* SPDX-License-Identifier: MIT
 * Top-level inputs: D3D12_RAYTRACING_INSTANCE_DESC to struct abi_instance and a reference with its box in the world. */
#ifndef CDXR_ACCEL_INSTANCES_H
#define CDXR_ACCEL_INSTANCES_H

#include "accel/refs.h"

struct accel_instances_result {
    struct accel_refs_result refs;
    float condition;          /* accel_header.transform_condition */
    uint32_t pointer_count;   /* instances that name a bottom level */
    bool is_single_identity;  /* one reference, with the identity as its transform */
};

/* instances[count] are all written, refs for active ones only. STATUS_INVALID: a pointer that reader does not know as
 * a bottom-level structure. */
MUST_USE enum status accel_instances_make(const struct accel_build_arguments *arguments, struct abi_instance *instances,
                                          struct accel_ref *refs, struct accel_instances_result *result,
                                          struct reason *reason);

#endif
