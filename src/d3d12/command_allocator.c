/* SPDX-License-Identifier: MIT
 * ID3D12CommandAllocator. */
#include "d3d12/command_allocator.h"

#include <stdlib.h>

#include "d3d12/create.h"

static void memory_forget(struct d3d12_list_memory *memory)
{
    struct d3d12_list_reference *reference = memory->references;
    while (reference) {
        struct d3d12_list_reference *next = reference->next_in_allocator;
        com_object_drop(reference->object);
        reference = next;
    }
    memory->references = NULL;
    struct d3d12_memory_reference *other = memory->memories;
    while (other) {
        struct d3d12_memory_reference *next = other->next;
        d3d12_list_memory_release(other->memory);
        other = next;
    }
    memory->memories = NULL;
}

void d3d12_list_memory_acquire(struct d3d12_list_memory *memory)
{
    atomic_fetch_add_explicit(&memory->count, 1, memory_order_relaxed);
}

void d3d12_list_memory_release(struct d3d12_list_memory *memory)
{
    if (atomic_fetch_sub_explicit(&memory->count, 1, memory_order_acq_rel) != 1)
        return;
    memory_forget(memory);
    arena_finish(&memory->arena);
    free(memory);
}

static struct d3d12_list_memory *memory_create(void)
{
    struct d3d12_list_memory *memory = calloc(1, sizeof(*memory));
    if (memory)
        atomic_init(&memory->count, 1);
    return memory;
}

static void allocator_destroy(struct com_object *object)
{
    struct d3d12_command_allocator *allocator = (struct d3d12_command_allocator *)object;
    d3d12_list_memory_release(allocator->memory);
    com_object_finish(object);
    free(allocator);
}

static const struct com_iid_offset allocator_interfaces[] = {
    {&IID_ID3D12Object, 0},
    {&IID_ID3D12DeviceChild, 0},
    {&IID_ID3D12Pageable, 0},
    {&IID_ID3D12CommandAllocator, 0},
};
static const struct com_class allocator_class = {
    .name = "ID3D12CommandAllocator",
    .interfaces = allocator_interfaces,
    .interface_count = ARRAY_COUNT(allocator_interfaces),
    .destroy = allocator_destroy,
};

COM_DEVICE_CHILD_METHODS(d3d12_command_allocator, ID3D12CommandAllocator)

static HRESULT STDMETHODCALLTYPE d3d12_command_allocator_Reset(ID3D12CommandAllocator *self)
{
    struct d3d12_command_allocator *allocator = d3d12_command_allocator_from(self);
    struct d3d12_device *device = d3d12_device_of(&allocator->object);
    if (allocator->recording)
        return d3d12_fail(device, E_FAIL, RULE_COMMAND_ALLOCATOR,
                          "ID3D12CommandAllocator::Reset: a command list is being recorded into '%s'; close it first",
                          com_object_name(&allocator->object));
    if (atomic_load_explicit(&allocator->in_flight_count, memory_order_acquire))
        return d3d12_fail(device, E_FAIL, RULE_COMMAND_ALLOCATOR,
                          "ID3D12CommandAllocator::Reset: command lists recorded into '%s' are still executing",
                          com_object_name(&allocator->object));
    struct d3d12_list_memory *memory = allocator->memory;
    if (atomic_load_explicit(&memory->count, memory_order_acquire) > 1) {
        struct d3d12_list_memory *fresh = memory_create();
        if (!fresh)
            return E_OUTOFMEMORY;
        d3d12_list_memory_release(memory);
        allocator->memory = fresh;
    } else {
        memory_forget(memory);
        arena_reset(&memory->arena);
    }
    allocator->generation++;
    return S_OK;
}

const ID3D12CommandAllocatorVtbl d3d12_command_allocator_vtbl = {
    COM_DEVICE_CHILD_ENTRIES(d3d12_command_allocator),
    d3d12_command_allocator_Reset,
};

HRESULT d3d12_command_allocator_create(struct d3d12_device *device, D3D12_COMMAND_LIST_TYPE type, REFIID riid,
                                       void **out)
{
    if (type != D3D12_COMMAND_LIST_TYPE_DIRECT && type != D3D12_COMMAND_LIST_TYPE_BUNDLE &&
        type != D3D12_COMMAND_LIST_TYPE_COMPUTE && type != D3D12_COMMAND_LIST_TYPE_COPY)
        return d3d12_fail(device, E_INVALIDARG, RULE_COMMAND_ALLOCATOR,
                          "CreateCommandAllocator: type is %d, only DIRECT, BUNDLE, COMPUTE and COPY are supported",
                          type);
    struct d3d12_command_allocator *allocator = calloc(1, sizeof(*allocator));
    if (!allocator)
        return E_OUTOFMEMORY;
    allocator->memory = memory_create();
    if (!allocator->memory) {
        free(allocator);
        return E_OUTOFMEMORY;
    }
    allocator->type = type;
    allocator->generation = 1;
    com_object_init(&allocator->object, &allocator_class, &d3d12_command_allocator_vtbl, &device->object);
    return com_object_return(&allocator->object, riid, out);
}
