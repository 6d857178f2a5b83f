/* SPDX-License-Identifier: MIT
 * ID3D12GraphicsCommandList8: checks arguments and appends entries to a stream (exec/stream.h) in its allocator's memory.
 * command_list.c: life, Close, Reset; _copy, _clear, _barrier, _bind, _dispatch, _raytracing, _query, _graphics: the API
 * calls by subject; all methods are declared in command_list_methods.h. One thread at a time, as in D3D12. */
#ifndef CDXR_D3D12_COMMAND_LIST_H
#define CDXR_D3D12_COMMAND_LIST_H

#include "d3d12/command_allocator.h"
#include "d3d12/descriptor_heap.h"
#include "d3d12/device.h"
#include "d3d12/pipeline_state.h"
#include "d3d12/resource.h"
#include "d3d12/root_signature.h"
#include "d3d12/state_object.h"
#include "exec/stream.h"

enum { LIST_RECENT_REFERENCES = 16, LIST_MAX_RENDER_TARGETS = 8 };

struct d3d12_command_list {
    struct com_object object; /* ID3D12GraphicsCommandList8 */
    D3D12_COMMAND_LIST_TYPE type;
    bool is_recording;
    HRESULT error; /* first error since Reset: what Close returns, and why the list cannot be executed */
    struct d3d12_command_allocator *allocator; /* held; NULL: never reset */
    uint64_t generation;                       /* of the allocator when the stream was begun */
    struct d3d12_list_memory *memory;          /* the allocator's, while recording */
    struct exec_stream *stream;                /* in memory */
    struct d3d12_list_reference *references;
    struct com_object *recent[LIST_RECENT_REFERENCES]; /* referenced already: saves the entry */

    /* bindings while recording; kept alive by references */
    struct d3d12_root_signature *compute_root, *graphics_root;
    uint64_t set_parameters; /* bit per root parameter of compute_root that has an argument */
    struct d3d12_pipeline_state *pipeline_state;
    struct d3d12_state_object *state_object;
    struct d3d12_descriptor_heap *resource_heap, *sampler_heap;
    uint32_t event_depth;
    bool in_render_pass;
};

extern const ID3D12GraphicsCommandList8Vtbl d3d12_command_list_vtbl;

/* NULL: NULL or not one of our lists. */
static inline struct d3d12_command_list *d3d12_command_list_from(const void *list)
{
    return com_object_from_interface(list, &d3d12_command_list_vtbl);
}

/* Where a call is allowed; graphics and compute lists allow all. */
enum list_place { LIST_PLACE_NORMAL = 0, LIST_PLACE_COPY = 1, LIST_PLACE_BUNDLE = 2, LIST_PLACE_ALL = 3 };

/* First line of every method: the list behind self, or NULL (after a message) when it is not recording, or the call is
 * not allowed on its type. */
struct d3d12_command_list *list_begin(ID3D12GraphicsCommandList8 *self, const char *call, enum list_place place);
/* Message, and the list cannot be closed any more: Close returns the error. */
void list_fail(struct d3d12_command_list *list, enum rule rule, const char *format, ...) PRINTF_LIKE(3, 4);
/* Message only: the call is dropped, the list stays usable. */
void list_note(struct d3d12_command_list *list, enum rule rule, const char *format, ...) PRINTF_LIKE(3, 4);
/* Append failed: E_OUTOFMEMORY at Close. */
void list_out_of_memory(struct d3d12_command_list *list);
/* Keep an object alive until the allocator is reset. False: out of memory, recorded in the list. */
bool list_reference(struct d3d12_command_list *list, struct com_object *object, struct exec_resource *resource);
/* Resource of a parameter, referenced; NULL after list_fail. */
struct d3d12_resource *list_resource(struct d3d12_command_list *list, const char *call, const char *parameter,
                                     ID3D12Resource *resource);
/* The same for buffers, with [offset, offset + byte_count) checked. */
struct d3d12_resource *list_buffer(struct d3d12_command_list *list, const char *call, const char *parameter,
                                   ID3D12Resource *resource, uint64_t offset, uint64_t byte_count);

static inline struct d3d12_device *list_device(const struct d3d12_command_list *list)
{
    return d3d12_device_of(&list->object);
}

static inline uint64_t list_buffer_address(const struct d3d12_resource *buffer, uint64_t offset)
{
    return (uint64_t)(uintptr_t)buffer->memory.base + offset;
}

/* Bindings at the start of a stream. */
void list_bind_pipeline_state(struct d3d12_command_list *list, ID3D12PipelineState *state, const char *call);
/* root NULL: none. False: not bound, the list has the error. */
bool list_bind_root_signature(struct d3d12_command_list *list, struct d3d12_root_signature *root);
/* Memory in the list's stream, or NULL with the list's error set. */
void *list_allocate(struct d3d12_command_list *list, size_t bytes);

#endif
