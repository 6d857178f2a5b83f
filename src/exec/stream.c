/* SPDX-License-Identifier: MIT
 * Appending entries to a stream. */
#include "exec/stream.h"

enum { ENTRY_ALIGNMENT = 16 };

void *exec_stream_append(struct exec_stream *stream, enum exec_command_kind kind, size_t bytes)
{
    struct exec_command *command = arena_allocate_zeroed(stream->arena, bytes, ENTRY_ALIGNMENT);
    if (!command) {
        stream->status = STATUS_OUT_OF_MEMORY;
        return NULL;
    }
    command->kind = kind;
    command->index = stream->command_count++;
    if (stream->last)
        stream->last->next = command;
    else
        stream->first = command;
    stream->last = command;
    return command;
}

void *exec_stream_copy(struct exec_stream *stream, const void *data, size_t bytes)
{
    if (!bytes)
        return NULL;
    void *copy = arena_copy(stream->arena, data, bytes, ENTRY_ALIGNMENT);
    if (!copy)
        stream->status = STATUS_OUT_OF_MEMORY;
    return copy;
}

const char *exec_command_name(uint32_t kind)
{
    static const char *const names[] = {
        [EXEC_COMMAND_COPY_BUFFER] = "CopyBufferRegion",
        [EXEC_COMMAND_COPY_TEXTURE] = "CopyTextureRegion",
        [EXEC_COMMAND_COPY_TEXTURE_RESOURCE] = "CopyResource",
        [EXEC_COMMAND_COPY_TILES] = "CopyTiles",
        [EXEC_COMMAND_RESOLVE_SUBRESOURCE] = "ResolveSubresource",
        [EXEC_COMMAND_CLEAR_VIEW] = "Clear view",
        [EXEC_COMMAND_WRITE_IMMEDIATE] = "WriteBufferImmediate",
        [EXEC_COMMAND_STATE] = "ResourceBarrier",
        [EXEC_COMMAND_END_QUERY] = "EndQuery",
        [EXEC_COMMAND_RESOLVE_QUERY] = "ResolveQueryData",
        [EXEC_COMMAND_SET_PREDICATION] = "SetPredication",
        [EXEC_COMMAND_SET_ROOT_SIGNATURE] = "SetComputeRootSignature",
        [EXEC_COMMAND_SET_ROOT_BYTES] = "SetComputeRoot arguments",
        [EXEC_COMMAND_SET_HEAPS] = "SetDescriptorHeaps",
        [EXEC_COMMAND_SET_COMPUTE] = "SetPipelineState",
        [EXEC_COMMAND_SET_RAYTRACING] = "SetPipelineState1",
        [EXEC_COMMAND_DISPATCH] = "Dispatch",
        [EXEC_COMMAND_DISPATCH_RAYS] = "DispatchRays",
        [EXEC_COMMAND_EXECUTE_INDIRECT] = "ExecuteIndirect",
        [EXEC_COMMAND_BUILD_ACCELERATION_STRUCTURE] = "BuildRaytracingAccelerationStructure",
        [EXEC_COMMAND_EMIT_POSTBUILD_INFO] = "EmitRaytracingAccelerationStructurePostbuildInfo",
        [EXEC_COMMAND_COPY_ACCELERATION_STRUCTURE] = "CopyRaytracingAccelerationStructure",
        [EXEC_COMMAND_MARKER] = "SetMarker",
        [EXEC_COMMAND_EXECUTE_BUNDLE] = "ExecuteBundle",
    };
    _Static_assert(ARRAY_COUNT(names) == EXEC_COMMAND_COUNT, "a name for each command");
    return kind < EXEC_COMMAND_COUNT ? names[kind] : "unknown command";
}
