/* SPDX-License-Identifier: MIT
 * Arena blocks and entry appending. */
#include "exec/stream.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64 << 10, ENTRY_ALIGNMENT = 16 };

struct exec_arena_block {
    struct exec_arena_block *next;
    size_t capacity_bytes;
    size_t used_bytes;
    size_t padding; /* data starts at a multiple of 16 */
    uint8_t data[];
};
_Static_assert(offsetof(struct exec_arena_block, data) % ENTRY_ALIGNMENT == 0, "entry alignment");

static struct exec_arena_block *block_create(size_t bytes)
{
    size_t capacity_bytes = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    struct exec_arena_block *block = aligned_alloc(ENTRY_ALIGNMENT, sizeof(*block) + capacity_bytes);
    if (!block)
        return NULL;
    block->next = NULL;
    block->capacity_bytes = capacity_bytes;
    block->used_bytes = 0;
    return block;
}

/* The block behind current that has room, or a new one put behind current. */
static struct exec_arena_block *arena_advance(struct exec_arena *arena, size_t bytes)
{
    struct exec_arena_block *current = arena->current;
    struct exec_arena_block *next = current ? current->next : arena->first;
    if (!next || next->capacity_bytes < bytes) {
        struct exec_arena_block *block = block_create(bytes);
        if (!block)
            return NULL;
        block->next = next;
        if (current)
            current->next = block;
        else
            arena->first = block;
        next = block;
    }
    next->used_bytes = 0;
    arena->current = next;
    return next;
}

void *exec_arena_allocate(struct exec_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + ENTRY_ALIGNMENT - 1) & ~(size_t)(ENTRY_ALIGNMENT - 1);
    struct exec_arena_block *block = arena->current;
    if (!block || block->capacity_bytes - block->used_bytes < bytes)
        block = arena_advance(arena, bytes);
    if (!block)
        return NULL;
    void *memory = block->data + block->used_bytes;
    block->used_bytes += bytes;
    return memset(memory, 0, bytes);
}

void exec_arena_reset(struct exec_arena *arena)
{
    arena->current = NULL;
}

void exec_arena_finish(struct exec_arena *arena)
{
    struct exec_arena_block *block = arena->first;
    while (block) {
        struct exec_arena_block *next = block->next;
        free(block);
        block = next;
    }
    *arena = (struct exec_arena){0};
}

void *exec_stream_append(struct exec_stream *stream, enum exec_command_kind kind, size_t bytes)
{
    struct exec_command *command = exec_arena_allocate(stream->arena, bytes);
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
    void *copy = exec_arena_allocate(stream->arena, bytes);
    if (!copy) {
        stream->status = STATUS_OUT_OF_MEMORY;
        return NULL;
    }
    return memcpy(copy, data, bytes);
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
