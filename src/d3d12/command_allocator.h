/* SPDX-License-Identifier: MIT
 * ID3D12CommandAllocator: owns the memory of recorded streams and the references that they need. Not thread-safe, as in
 * D3D12; only in_flight_count is changed by queues. */
#ifndef CDXR_D3D12_COMMAND_ALLOCATOR_H
#define CDXR_D3D12_COMMAND_ALLOCATOR_H

#include "base/arena.h"
#include "d3d12/device.h"
#include "exec/memory.h"

/* An object that a list names, kept alive until the allocator is reset. In the arena. */
struct d3d12_list_reference {
    struct d3d12_list_reference *next; /* of the same list, newest first */
    struct d3d12_list_reference *next_in_allocator;
    struct com_object *object;
    struct exec_resource *resource; /* NULL: the object is none */
};

struct d3d12_list_memory;
struct d3d12_memory_reference { /* memory of a bundle that a list calls. In the arena */
    struct d3d12_memory_reference *next;
    struct d3d12_list_memory *memory;
};

/* Streams, and what they hold. Counted: an allocator that is reset while a list still calls one of its bundles leaves
 * the memory to that list. */
struct d3d12_list_memory {
    _Atomic uint32_t count;
    struct arena arena;
    struct d3d12_list_reference *references;
    struct d3d12_memory_reference *memories;
};

struct d3d12_command_allocator {
    struct com_object object; /* ID3D12CommandAllocator */
    D3D12_COMMAND_LIST_TYPE type;
    struct d3d12_list_memory *memory;
    struct d3d12_command_list *recording; /* the one list that may record now, or NULL */
    uint64_t generation;                  /* counted up by Reset: streams of older generations are gone */
    _Atomic uint32_t in_flight_count;     /* submissions that use a stream of it */
};

extern const ID3D12CommandAllocatorVtbl d3d12_command_allocator_vtbl;

/* NULL: NULL or not one of our allocators. */
static inline struct d3d12_command_allocator *d3d12_command_allocator_from(const void *allocator)
{
    return com_object_from_interface(allocator, &d3d12_command_allocator_vtbl);
}

void d3d12_list_memory_acquire(struct d3d12_list_memory *memory);
void d3d12_list_memory_release(struct d3d12_list_memory *memory);

#endif
