/* SPDX-License-Identifier: MIT
 * The executor: a loop over entries and one small handler a command. */
#include "exec/run.h"

#include <string.h>

#include "exec/breadcrumbs.h"
#include "exec/build.h"
#include "exec/copy.h"
#include "exec/device_private.h"
#include "exec/dispatch.h"
#include "exec/indirect.h"
#include "exec/run_private.h"
#include "exec/states.h"
#include "exec/structure_proof.h"

static void run_copy_buffer(struct exec_context *context, const struct exec_copy_buffer *entry)
{
    if (context->predicate_skips)
        return;
    exec_structure_overwrite(context->device, entry->destination, entry->bytes);
    memmove((void *)(uintptr_t)entry->destination, (const void *)(uintptr_t)entry->source, entry->bytes);
}

static void run_copy_texture(struct exec_context *context, const struct exec_copy_texture *entry)
{
    if (context->predicate_skips)
        return;
    if (!entry->destination.texture)
        exec_structure_overwrite(context->device, entry->destination.address, UINT64_MAX);
    exec_copy_texture_run(entry);
}

static void run_copy_texture_resource(struct exec_context *context, const struct exec_copy_texture_resource *entry)
{
    if (!context->predicate_skips)
        exec_copy_texture_resource_run(entry);
}

static void run_copy_tiles(struct exec_context *context, const struct exec_copy_tiles *entry)
{
    if (context->predicate_skips)
        return;
    exec_structure_overwrite(context->device, entry->to_buffer ? entry->buffer_address : entry->tiled_address, UINT64_MAX);
    exec_copy_tiles_run(entry);
}

static void run_resolve_subresource(struct exec_context *context, const struct exec_resolve_subresource *entry)
{
    if (!context->predicate_skips)
        exec_resolve_run(entry);
}

static void run_clear_view(struct exec_context *context, const struct exec_clear_view *entry)
{
    if (!context->predicate_skips)
        exec_clear_view_run(entry);
}

static void run_write_immediate(struct exec_context *context, const struct exec_write_immediate *entry)
{
    for (uint32_t i = 0; i < entry->count; i++) {
        const struct exec_immediate *write = &entry->writes[i];
        exec_structure_overwrite(context->device, write->address, sizeof(uint32_t));
        if (exec_device_bytes_behind(context->device, write->address) >= sizeof(uint32_t))
            memcpy((void *)(uintptr_t)write->address, &write->value, sizeof(uint32_t));
        else
            exec_device_message(context->device, RULE_COMMAND_LIST_ARGUMENT,
                                "WriteBufferImmediate (command %u of list '%s'): Dest 0x%llx lies in no buffer any more",
                                entry->command.index, context->bindings.list_name, (unsigned long long)write->address);
    }
}

static void run_state(struct exec_context *context, const struct exec_state *entry)
{
    exec_states_apply(context->device, &context->touched, context->bindings.list_name, entry);
}

static void run_end_query(struct exec_context *context, const struct exec_end_query *entry)
{
    enum { QUERY_TYPE_TIMESTAMP = 2 };
    *entry->slot = entry->kind == QUERY_TYPE_TIMESTAMP ? exec_timestamp() : 0;
}

static void run_resolve_query(struct exec_context *context, const struct exec_resolve_query *entry)
{
    exec_structure_overwrite(context->device, entry->destination, (uint64_t)entry->slot_bytes * entry->count);
    memcpy((void *)(uintptr_t)entry->destination, entry->first, (size_t)entry->slot_bytes * entry->count);
}

static void run_set_predication(struct exec_context *context, const struct exec_set_predication *entry)
{
    uint64_t value = 0;
    if (entry->address)
        memcpy(&value, (const void *)(uintptr_t)entry->address, sizeof(value));
    context->predicate_skips = entry->address && (value != 0) == (entry->skip_if_not_zero != 0);
}

static void run_set_root_signature(struct exec_context *context, const struct exec_set_root_signature *entry)
{
    if (!entry->hash || entry->hash != context->bindings.root_hash)
        memset(context->bindings.root_arguments, 0, sizeof(context->bindings.root_arguments));
    context->bindings.root_hash = entry->hash;
    context->bindings.parameters = entry->parameters;
    context->bindings.parameter_count = entry->parameter_count;
}

static void run_set_root_bytes(struct exec_context *context, const struct exec_set_root_bytes *entry)
{
    memcpy(context->bindings.root_arguments + entry->offset, entry->data, entry->bytes);
}

static void run_set_heaps(struct exec_context *context, const struct exec_set_heaps *entry)
{
    context->bindings.resource_heap = entry->resources;
    context->bindings.resource_heap_count = entry->resource_count;
    context->bindings.sampler_heap = entry->samplers;
    context->bindings.sampler_heap_count = entry->sampler_count;
}

static void run_set_compute(struct exec_context *context, const struct exec_set_compute *entry)
{
    context->bindings.compute = entry->shader;
    context->bindings.raytracing = NULL;
}

static void run_set_raytracing(struct exec_context *context, const struct exec_set_raytracing *entry)
{
    context->bindings.raytracing = entry->pipeline;
    context->bindings.compute = NULL;
}

static void run_dispatch(struct exec_context *context, const struct exec_dispatch *entry)
{
    if (!context->predicate_skips)
        exec_dispatch_compute_run(context->device, &context->bindings, entry->groups);
}

/* Predication is defined for Dispatch and ExecuteIndirect, not for DispatchRays. */
static void run_dispatch_rays(struct exec_context *context, const struct exec_dispatch_rays *entry)
{
    context->bindings.raytracing_stack_bytes = entry->stack_bytes;
    exec_dispatch_rays_run(context->device, &context->bindings, &entry->arguments);
}

static void run_execute_indirect(struct exec_context *context, const struct exec_execute_indirect *entry)
{
    if (!context->predicate_skips)
        exec_indirect_run(context->device, &context->bindings, entry);
}

/* Not reached from run_entries, which runs neighbouring builds together. */
static void run_build_acceleration_structure(struct exec_context *context,
                                             const struct exec_build_acceleration_structure *entry)
{
    exec_build_run(context->device, entry);
}

static void run_emit_postbuild_info(struct exec_context *context, const struct exec_emit_postbuild_info *entry)
{
    exec_emit_postbuild_run(context->device, entry);
}

static void run_copy_acceleration_structure(struct exec_context *context,
                                            const struct exec_copy_acceleration_structure *entry)
{
    exec_copy_structure_run(context->device, entry);
}

static void run_marker(struct exec_context *context, const struct exec_marker *entry)
{
}

static void run_entries(struct exec_context *context, const struct exec_stream *stream,
                        struct exec_running_list *running);

/* A bundle sees the list's bindings; what it sets stays set. */
static void run_execute_bundle(struct exec_context *context, const struct exec_execute_bundle *entry)
{
    run_entries(context, entry->stream, NULL);
}

typedef void (*handler_fn)(struct exec_context *context, const struct exec_command *command);

#define RUN_HANDLER(NAME, name)                                                                              \
    static void handle_##name(struct exec_context *context, const struct exec_command *command)              \
    {                                                                                                        \
        run_##name(context, (const struct exec_##name *)command);                                            \
    }
EXEC_COMMANDS(RUN_HANDLER)
#undef RUN_HANDLER

static void run_entries(struct exec_context *context, const struct exec_stream *stream,
                        struct exec_running_list *running)
{
    static const handler_fn handlers[EXEC_COMMAND_COUNT] = {
#define RUN_HANDLER_ENTRY(NAME, name) [EXEC_COMMAND_##NAME] = handle_##name,
        EXEC_COMMANDS(RUN_HANDLER_ENTRY)
#undef RUN_HANDLER_ENTRY
    };
    for (const struct exec_command *command = stream->first; command; command = command->next) {
        if (exec_device_removed(context->device) != EXEC_REMOVED_NOT)
            return;
        context->bindings.command_index = command->index;
        if (running)
            __atomic_store_n(&running->current, command, __ATOMIC_RELEASE);
        if (command->kind == EXEC_COMMAND_BUILD_ACCELERATION_STRUCTURE)
            command = exec_build_batch_run(context->device, command);
        else
            handlers[command->kind](context, command);
    }
}

void exec_run_streams(struct exec_device *device, const struct exec_stream *const *streams, uint32_t count)
{
    struct exec_context context = {.device = device};
    for (uint32_t i = 0; i < count; i++) {
        context.bindings = (struct exec_bindings){.list_name = streams[i]->name ? streams[i]->name : "unnamed"};
        context.predicate_skips = false;
        struct exec_running_list running = {.stream = streams[i], .name = context.bindings.list_name};
        exec_running_begin(device, &running);
        run_entries(&context, streams[i], &running);
        exec_running_end(device, &running);
    }
    exec_states_decay(&context.touched);
}
