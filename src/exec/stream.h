/* SPDX-License-Identifier: MIT
 * The command stream: typed entries in the arena of a command allocator. d3d12/command_list*.c checks arguments and
 * appends, exec/run.c executes. One list of commands (EXEC_COMMANDS) makes the enum, the recorders and the executor's
 * table, so the two sides cannot drift.
 *
 * An entry may hold pointers to other allocations of the same arena; nothing moves until the arena is reset. Entries
 * are plain numbers and host addresses: objects behind them are kept alive by d3d12/. */
#ifndef CDXR_EXEC_STREAM_H
#define CDXR_EXEC_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "abi/descriptor.h"
#include "abi/thread.h"
#include "base/arena.h"
#include "base/status.h"

struct accel_build_inputs; /* accel/ */

#define EXEC_COMMANDS(X)                                                                                     \
    X(COPY_BUFFER, copy_buffer)                                                                              \
    X(COPY_TEXTURE, copy_texture)                                                                            \
    X(COPY_TEXTURE_RESOURCE, copy_texture_resource)                                                          \
    X(COPY_TILES, copy_tiles)                                                                                \
    X(RESOLVE_SUBRESOURCE, resolve_subresource)                                                              \
    X(CLEAR_VIEW, clear_view)                                                                                \
    X(WRITE_IMMEDIATE, write_immediate)                                                                      \
    X(STATE, state)                                                                                          \
    X(END_QUERY, end_query)                                                                                  \
    X(RESOLVE_QUERY, resolve_query)                                                                          \
    X(SET_PREDICATION, set_predication)                                                                      \
    X(SET_ROOT_SIGNATURE, set_root_signature)                                                                \
    X(SET_ROOT_BYTES, set_root_bytes)                                                                        \
    X(SET_HEAPS, set_heaps)                                                                                  \
    X(SET_COMPUTE, set_compute)                                                                              \
    X(SET_RAYTRACING, set_raytracing)                                                                        \
    X(DISPATCH, dispatch)                                                                                    \
    X(DISPATCH_RAYS, dispatch_rays)                                                                          \
    X(EXECUTE_INDIRECT, execute_indirect)                                                                    \
    X(BUILD_ACCELERATION_STRUCTURE, build_acceleration_structure)                                            \
    X(EMIT_POSTBUILD_INFO, emit_postbuild_info)                                                              \
    X(COPY_ACCELERATION_STRUCTURE, copy_acceleration_structure)                                              \
    X(MARKER, marker)                                                                                        \
    X(EXECUTE_BUNDLE, execute_bundle)

enum exec_command_kind {
#define EXEC_COMMAND_ENUM(NAME, name) EXEC_COMMAND_##NAME,
    EXEC_COMMANDS(EXEC_COMMAND_ENUM)
#undef EXEC_COMMAND_ENUM
        EXEC_COMMAND_COUNT
};

/* Head of every entry. index counts the API calls recorded so far in the list, for messages. */
struct exec_command {
    struct exec_command *next;
    uint32_t kind;
    uint32_t index;
};

struct exec_stream {
    struct arena *arena;
    struct exec_command *first;
    struct exec_command *last;
    uint32_t command_count;
    enum status status; /* STATUS_OUT_OF_MEMORY once an append failed */
    const char *name;   /* of the list, for messages; in the arena or NULL */
};

enum { EXEC_ROOT_BYTES_MAX = 1024 }; /* 64 dwords of cost take at most 64 * 8 bytes plus alignment */

/* One side of a texture copy: a subresource of a texture, or rows of texels in a buffer. */
struct exec_texture_location {
    const struct abi_texture *texture; /* NULL: buffer */
    uint32_t mip;
    uint32_t slice;
    uint32_t plane;
    /* buffer (placed footprint) */
    uint64_t address;
    uint32_t format; /* DXGI_FORMAT; also set for textures: the format of the plane */
    uint32_t width, height, depth;
    uint32_t row_pitch;
    uint32_t slice_pitch; /* bytes from a depth slice to the next */
};

struct exec_box { /* texels, right/bottom/back exclusive */
    uint32_t left, top, front, right, bottom, back;
};

struct exec_copy_buffer {
    struct exec_command command;
    uint64_t destination, source; /* addresses; ranges were checked when recorded */
    uint64_t bytes;
};
struct exec_copy_texture {
    struct exec_command command;
    struct exec_texture_location destination, source;
    uint32_t x, y, z; /* in the destination, texels */
    struct exec_box box;
};
struct exec_copy_texture_resource { /* same shape on both sides */
    struct exec_command command;
    const struct abi_texture *destination, *source;
};
struct exec_copy_tiles {
    struct exec_command command;
    const struct abi_texture *texture; /* NULL: the tiled resource is a buffer at tiled_address */
    uint64_t tiled_address;
    uint64_t buffer_address; /* of the linear side */
    uint32_t x, y, z, subresource; /* tile coordinates */
    uint32_t tile_count;
    uint32_t use_box, width, height, depth; /* tiles */
    uint32_t to_buffer;
};
struct exec_resolve_subresource {
    struct exec_command command;
    struct exec_texture_location destination, source;
    struct exec_box box;
    uint32_t x, y;
    uint32_t format;
    uint32_t mode; /* D3D12_RESOLVE_MODE */
};

struct exec_rect { /* D3D12_RECT */
    int32_t left, top, right, bottom;
};
enum exec_clear_kind { EXEC_CLEAR_UAV_UINT, EXEC_CLEAR_UAV_FLOAT, EXEC_CLEAR_RTV, EXEC_CLEAR_DSV };
struct exec_clear_view { /* clears the view; a copy of the descriptor is taken when recorded */
    struct exec_command command;
    uint32_t clear_kind;
    uint32_t clear_flags; /* D3D12_CLEAR_FLAGS of depth-stencil clears */
    uint32_t values[4]; /* float or integer bits; DSV: depth as float, stencil */
    uint32_t rect_count; /* 0: everything */
    const struct exec_rect *rects;
    struct abi_descriptor view;
};

struct exec_immediate {
    uint64_t address;
    uint32_t value;
    uint32_t mode;
};
struct exec_write_immediate {
    struct exec_command command;
    uint32_t count;
    const struct exec_immediate *writes;
};

/* Barriers: work is done in order here, so only the debug layer's state tracking sees them. */
struct exec_resource; /* exec/memory.h */
struct exec_state_change {
    struct exec_resource *resource;
    uint32_t first_subresource, subresource_count;
    uint32_t before, after; /* D3D12_RESOURCE_STATES */
    uint32_t is_unchecked;  /* enhanced barriers: before is not compared */
};
struct exec_state {
    struct exec_command command;
    uint32_t count;
    const struct exec_state_change *changes;
};

struct exec_end_query {
    struct exec_command command;
    uint64_t *slot; /* in the query heap */
    uint32_t kind;  /* D3D12_QUERY_TYPE */
};
struct exec_resolve_query {
    struct exec_command command;
    const uint64_t *first;
    uint32_t slot_bytes, count;
    uint64_t destination;
    uint32_t as_binary; /* occlusion queries of the binary kind */
};
struct exec_set_predication {
    struct exec_command command;
    uint64_t address; /* 0: off */
    uint32_t skip_if_not_zero; /* D3D12_PREDICATION_OP_NOT_EQUAL_ZERO */
};
/* What the executor must know of a root parameter. */
struct exec_root_parameter {
    uint32_t offset;        /* of its argument */
    uint32_t is_descriptor; /* root CBV, SRV, UAV: an address */
    uint32_t is_uav;
};
enum { EXEC_ROOT_PARAMETERS_MAX = 64 };
struct exec_set_root_signature { /* all arguments become zero, unless the signature has the same content as before */
    struct exec_command command;
    uint64_t hash; /* of the content; 0: no signature */
    uint32_t parameter_count;
    const struct exec_root_parameter *parameters; /* in the arena */
};
struct exec_set_root_bytes {
    struct exec_command command;
    uint32_t offset, bytes;
    uint8_t data[]; /* bytes */
};
struct exec_set_heaps {
    struct exec_command command;
    const struct abi_descriptor *resources, *samplers;
    uint64_t resource_count, sampler_count;
};
struct exec_set_compute {
    struct exec_command command;
    const struct abi_shader *shader; /* NULL: none */
};
struct exec_set_raytracing {
    struct exec_command command;
    const struct abi_pipeline *pipeline;
};
struct exec_dispatch {
    struct exec_command command;
    uint32_t groups[3];
};

/* Byte for byte D3D12_DISPATCH_RAYS_DESC (104 bytes), as ExecuteIndirect reads it from memory. */
struct exec_dispatch_rays_arguments {
    uint64_t raygen_address, raygen_bytes;
    uint64_t miss_address, miss_bytes, miss_stride;
    uint64_t hit_address, hit_bytes, hit_stride;
    uint64_t callable_address, callable_bytes, callable_stride;
    uint32_t width, height, depth;
    uint32_t padding;
};
_Static_assert(sizeof(struct exec_dispatch_rays_arguments) == 104, "D3D12_DISPATCH_RAYS_DESC");
struct exec_dispatch_rays {
    struct exec_command command;
    uint64_t stack_bytes; /* pipeline stack size when the call was recorded; 0: the pipeline's own */
    struct exec_dispatch_rays_arguments arguments;
};

enum exec_indirect_kind { EXEC_INDIRECT_ROOT_BYTES, EXEC_INDIRECT_DISPATCH, EXEC_INDIRECT_DISPATCH_RAYS, EXEC_INDIRECT_SKIP };
struct exec_indirect_argument {
    uint32_t kind; /* enum exec_indirect_kind */
    uint32_t bytes;       /* in the argument buffer */
    uint32_t root_offset; /* ROOT_BYTES */
};
struct exec_execute_indirect {
    struct exec_command command;
    const struct exec_indirect_argument *arguments; /* in the arena */
    uint32_t argument_count;
    uint32_t stride;
    uint32_t max_command_count;
    uint64_t argument_address; /* buffer + offset */
    uint64_t argument_bytes;   /* from there to the buffer's end */
    uint64_t count_address;    /* 0: max_command_count */
    uint64_t stack_bytes;      /* as in exec_dispatch_rays */
};

struct exec_build_acceleration_structure {
    struct exec_command command;
    const struct accel_build_inputs *inputs; /* with all it points at: in the arena */
    uint64_t destination, source, scratch;
    uint32_t postbuild_count;
    const struct exec_postbuild *postbuild;
};
struct exec_postbuild {
    uint64_t destination;
    uint32_t kind; /* D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_TYPE */
    uint32_t reserved;
};
struct exec_emit_postbuild_info {
    struct exec_command command;
    struct exec_postbuild postbuild;
    uint32_t source_count;
    const uint64_t *sources;
};
struct exec_copy_acceleration_structure {
    struct exec_command command;
    uint64_t destination, source;
    uint32_t mode; /* D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE */
};
struct exec_marker { /* breadcrumbs of device removal; also calls that are recorded and ignored */
    struct exec_command command;
    const char *text;
};
struct exec_execute_bundle {
    struct exec_command command;
    const struct exec_stream *stream;
};

/* A zeroed entry of bytes at the end of the stream, or NULL (the stream's status then says so). */
void *exec_stream_append(struct exec_stream *stream, enum exec_command_kind kind, size_t bytes);
/* Copy of count_bytes in the stream's arena, or NULL (also when bytes is 0). */
void *exec_stream_copy(struct exec_stream *stream, const void *data, size_t bytes);
/* The API call behind a command, for messages. */
const char *exec_command_name(uint32_t kind);

/* exec_record_<name>(stream, extra_bytes): one typed recorder a command. */
#define EXEC_COMMAND_RECORDER(NAME, name)                                                                    \
    static inline struct exec_##name *exec_record_##name(struct exec_stream *stream, size_t extra_bytes)     \
    {                                                                                                        \
        return exec_stream_append(stream, EXEC_COMMAND_##NAME, sizeof(struct exec_##name) + extra_bytes);    \
    }
EXEC_COMMANDS(EXEC_COMMAND_RECORDER)
#undef EXEC_COMMAND_RECORDER

#endif
