/* SPDX-License-Identifier: MIT
 * Set-up shared by Dispatch and DispatchRays. */
#include "exec/dispatch_private.h"

#include <string.h>

#include "exec/structure_proof.h"
#include "trace/trace.h"

/* Signal handlers, message formatting and the traversal kernels need room after the last shader frame. */
enum { STACK_RESERVE_BYTES = 128 << 10 };

const uint8_t *exec_stack_limit(void)
{
    static _Thread_local const uint8_t *limit;
    if (limit)
        return limit;
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t stack_bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &lowest, &stack_bytes);
        pthread_attr_destroy(&attributes);
    }
    size_t reserve_bytes = stack_bytes / 4 < STACK_RESERVE_BYTES ? stack_bytes / 4 : STACK_RESERVE_BYTES;
    limit = (const uint8_t *)lowest + reserve_bytes;
    return limit;
}

void exec_dispatch_fill(struct exec_device *device, const struct exec_bindings *bindings,
                        struct exec_dispatch_state *state, struct abi_dispatch *dispatch, uint64_t *root_bytes)
{
    state->device = device;
    state->trace = trace_table();
    state->list_name = bindings->list_name;
    state->command_index = bindings->command_index;
    for (uint32_t i = 0; i < bindings->parameter_count; i++) {
        uint64_t address = 0;
        root_bytes[i] = 0;
        if (!bindings->parameters[i].is_descriptor)
            continue;
        memcpy(&address, bindings->root_arguments + bindings->parameters[i].offset, sizeof(address));
        root_bytes[i] = address ? exec_device_bytes_behind(device, address) : 0;
        if (address && !root_bytes[i])
            exec_device_message(device, RULE_ROOT_ARGUMENT,
                                "command %u of list '%s': root parameter %u holds address 0x%llx, which lies in no "
                                "buffer; shaders see a null view",
                                bindings->command_index, bindings->list_name, i, (unsigned long long)address);
        if (bindings->parameters[i].is_uav && root_bytes[i] && !exec_structure_allow_view(device, address)) {
            exec_device_message(device, RULE_ROOT_ARGUMENT,
                                "command %u of list '%s': root parameter %u is a UAV at 0x%llx, in a buffer that was created "
                                "in state RAYTRACING_ACCELERATION_STRUCTURE; shaders see a null view",
                                bindings->command_index, bindings->list_name, i, (unsigned long long)address);
            root_bytes[i] = 0;
        }
    }
    *dispatch = (struct abi_dispatch){
        .services = exec_ray_services(),
        .global_root_arguments = bindings->root_arguments,
        .resource_heap = bindings->resource_heap,
        .sampler_heap = bindings->sampler_heap,
        .resource_heap_count = bindings->resource_heap_count,
        .sampler_heap_count = bindings->sampler_heap_count,
        .abort_flag = exec_device_abort_flag(device),
        .exec = state,
        .global_root_bytes = root_bytes,
    };
}
