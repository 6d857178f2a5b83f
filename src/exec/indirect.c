/* SPDX-License-Identifier: MIT
 * ExecuteIndirect. */
#include "exec/indirect.h"

#include <string.h>

static uint32_t command_count(struct exec_device *device, const struct exec_bindings *bindings,
                              const struct exec_execute_indirect *entry)
{
    uint32_t count = entry->max_command_count;
    if (!entry->count_address)
        return count;
    uint32_t wanted;
    if (exec_device_bytes_behind(device, entry->count_address) < sizeof(wanted)) {
        exec_device_message(device, RULE_DISPATCH,
                            "ExecuteIndirect (command %u of list '%s'): pCountBuffer address 0x%llx lies in no buffer",
                            bindings->command_index, bindings->list_name, (unsigned long long)entry->count_address);
        return 0;
    }
    memcpy(&wanted, (const void *)(uintptr_t)entry->count_address, sizeof(wanted));
    return wanted < count ? wanted : count;
}

static uint32_t arguments_bytes(const struct exec_execute_indirect *entry)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < entry->argument_count; i++)
        bytes += entry->arguments[i].bytes;
    return bytes;
}

static void run_command(struct exec_device *device, struct exec_bindings *bindings,
                        const struct exec_execute_indirect *entry, const uint8_t *memory)
{
    for (uint32_t i = 0; i < entry->argument_count; i++) {
        const struct exec_indirect_argument *argument = &entry->arguments[i];
        union {
            uint32_t groups[3];
            struct exec_dispatch_rays_arguments rays;
        } values;
        switch (argument->kind) {
        case EXEC_INDIRECT_ROOT_BYTES:
            memcpy(bindings->root_arguments + argument->root_offset, memory, argument->bytes);
            break;
        case EXEC_INDIRECT_DISPATCH:
            memcpy(&values.groups, memory, sizeof(values.groups));
            exec_dispatch_compute_run(device, bindings, values.groups);
            break;
        case EXEC_INDIRECT_DISPATCH_RAYS:
            memcpy(&values.rays, memory, sizeof(values.rays));
            exec_dispatch_rays_run(device, bindings, &values.rays);
            break;
        default: /* draws are refused when the list is recorded */
            break;
        }
        memory += argument->bytes;
    }
}

void exec_indirect_run(struct exec_device *device, struct exec_bindings *bindings,
                       const struct exec_execute_indirect *entry)
{
    uint32_t count = command_count(device, bindings, entry);
    uint32_t used_bytes = arguments_bytes(entry);
    bindings->raytracing_stack_bytes = entry->stack_bytes;
    for (uint32_t i = 0; i < count && exec_device_removed(device) == EXEC_REMOVED_NOT; i++) {
        uint64_t offset = (uint64_t)i * entry->stride;
        if (offset > entry->argument_bytes || entry->argument_bytes - offset < used_bytes) {
            exec_device_message(device, RULE_DISPATCH,
                                "ExecuteIndirect (command %u of list '%s'): command %u of %u lies beyond the end of "
                                "pArgumentBuffer; the rest is dropped",
                                bindings->command_index, bindings->list_name, i, count);
            break;
        }
        run_command(device, bindings, entry, (const uint8_t *)(uintptr_t)entry->argument_address + offset);
    }
    for (uint32_t i = 0; i < entry->argument_count; i++)
        if (entry->arguments[i].kind == EXEC_INDIRECT_ROOT_BYTES)
            memset(bindings->root_arguments + entry->arguments[i].root_offset, 0, entry->arguments[i].bytes);
}
