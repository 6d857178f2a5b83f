/* SPDX-License-Identifier: MIT
 * DispatchRays and Dispatch: cut the grid into tiles for the worker pool. Called by exec/run.c with the state of a
 * list at the moment of the call. */
#ifndef CDXR_EXEC_DISPATCH_H
#define CDXR_EXEC_DISPATCH_H

#include "exec/device.h"
#include "exec/stream.h"

/* Bindings of a list when a dispatch is executed. */
struct exec_bindings {
    uint8_t root_arguments[EXEC_ROOT_BYTES_MAX] __attribute__((aligned(64)));
    const struct exec_root_parameter *parameters;
    uint32_t parameter_count;
    uint64_t root_hash; /* of the root signature */
    const struct abi_descriptor *resource_heap, *sampler_heap;
    uint64_t resource_heap_count, sampler_heap_count;
    const struct abi_shader *compute;
    const struct abi_pipeline *raytracing;
    uint64_t raytracing_stack_bytes; /* 0: the pipeline's own */
    const char *list_name; /* for messages */
    uint32_t command_index;
};

/* Blocks until done. A broken rule removes the device or drops the dispatch with a message. */
void exec_dispatch_rays_run(struct exec_device *device, const struct exec_bindings *bindings,
                            const struct exec_dispatch_rays_arguments *arguments);
void exec_dispatch_compute_run(struct exec_device *device, const struct exec_bindings *bindings,
                               const uint32_t groups[3]);

#endif
