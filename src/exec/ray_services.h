/* SPDX-License-Identifier: MIT
 * The services table of abi/services.h over trace/trace.h: TraceRay, CallShader, ReportHit, ray queries, faults.
 * Everything a ray needs lives on the worker's stack: no lock, no allocation, no atomic per ray. */
#ifndef CDXR_EXEC_RAY_SERVICES_H
#define CDXR_EXEC_RAY_SERVICES_H

#include "abi/services.h"
#include "exec/device.h"
#include "exec/shader_table.h"

/* Constant for a dispatch; abi_dispatch.exec points here. */
struct exec_dispatch_state {
    struct exec_device *device;
    struct exec_shader_tables tables;
    const struct trace_kernel *kernel; /* trace/'s table for this CPU */
    const char *list_name; /* for messages */
    uint32_t command_index;
    uint32_t max_recursion_depth;
    uint32_t pipeline_flags;
    uint32_t reported; /* atomic: bit per enum abi_fault, one message a dispatch and kind */
};

/* Per worker thread of a dispatch; abi_thread.context points here. */
struct exec_worker {
    struct exec_dispatch_state *state;
    const uint8_t *stack_limit; /* lowest address that shaders may reach */
};

const struct abi_services *exec_ray_services(void);

#endif
