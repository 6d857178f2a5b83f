/* SPDX-License-Identifier: MIT
 * Descriptors behind root arguments. lower_handles.c calls these with constants wherever the root signature gives them,
 * so that after inlining a handle is one or two loads. */
#include "jit/device/device.h"

const struct abi_descriptor jit_null_descriptor = {.kind = ABI_DESCRIPTOR_NONE};

static inline const uint8_t *device_root(const struct abi_thread *thread, bool is_local)
{
    return is_local ? thread->local_root_arguments : thread->dispatch->global_root_arguments;
}

static __attribute__((noinline)) const struct abi_descriptor *device_bad_descriptor(struct abi_thread *thread,
                                                                                    uint64_t index)
{
    thread->dispatch->services->fault(thread, ABI_FAULT_DESCRIPTOR_OUT_OF_HEAP, index);
    return &jit_null_descriptor;
}

/* Descriptor number first + index of the table whose handle is at argument_offset; index is below available unless
 * the range is unbounded. Everything outside the bound heap is reported and reads as a null descriptor. */
DEVICE const struct abi_descriptor *jit_table_descriptor(struct abi_thread *thread, bool is_local, bool is_sampler,
                                                         uint32_t argument_offset, uint32_t first, uint32_t index,
                                                         uint32_t available);
DEVICE const struct abi_descriptor *jit_table_descriptor(struct abi_thread *thread, bool is_local, bool is_sampler,
                                                         uint32_t argument_offset, uint32_t first, uint32_t index,
                                                         uint32_t available)
{
    const struct abi_dispatch *dispatch = thread->dispatch;
    const uint8_t *root = device_root(thread, is_local);
    if (__builtin_expect(!root || index >= available, 0))
        return device_bad_descriptor(thread, index);
    uint64_t table;
    __builtin_memcpy(&table, root + argument_offset, sizeof(table));
    uint64_t heap = (uint64_t)(is_sampler ? dispatch->sampler_heap : dispatch->resource_heap);
    uint64_t count = is_sampler ? dispatch->sampler_heap_count : dispatch->resource_heap_count;
    uint64_t offset = table - heap + ((uint64_t)first + index) * sizeof(struct abi_descriptor);
    if (__builtin_expect(offset >= count * sizeof(struct abi_descriptor) || offset % sizeof(struct abi_descriptor), 0))
        return device_bad_descriptor(thread, index);
    return (const struct abi_descriptor *)(heap + offset);
}

/* ResourceDescriptorHeap[index] and SamplerDescriptorHeap[index]. */
DEVICE const struct abi_descriptor *jit_heap_descriptor(struct abi_thread *thread, bool is_sampler, uint32_t index);
DEVICE const struct abi_descriptor *jit_heap_descriptor(struct abi_thread *thread, bool is_sampler, uint32_t index)
{
    const struct abi_dispatch *dispatch = thread->dispatch;
    uint64_t count = is_sampler ? dispatch->sampler_heap_count : dispatch->resource_heap_count;
    if (__builtin_expect(index >= count, 0))
        return device_bad_descriptor(thread, index);
    return (is_sampler ? dispatch->sampler_heap : dispatch->resource_heap) + index;
}

/* GPU virtual address of a root descriptor. */
VALUE(uint64_t, jit_root_address, struct abi_thread *thread, bool is_local, uint32_t argument_offset)
{
    const uint8_t *root = device_root(thread, is_local);
    uint64_t address = 0;
    if (!is_local || root)
        __builtin_memcpy(&address, root + argument_offset, sizeof(address));
    return address;
}

/* Bytes that a shader may reach behind it. limit_bytes: 65536 for constant buffers. */
VALUE(uint64_t, jit_root_bytes, struct abi_thread *thread, bool is_local, uint32_t parameter_index, uint64_t address,
      uint64_t limit_bytes)
{
    const struct abi_dispatch *dispatch = thread->dispatch;
    uint64_t bytes = is_local ? dispatch->services->bytes_behind(thread, address)
                              : dispatch->global_root_bytes[parameter_index];
    return bytes < limit_bytes ? bytes : limit_bytes;
}

/* Address of root constants, which are read as a constant buffer. */
VALUE(uint64_t, jit_constants_address, struct abi_thread *thread, bool is_local, uint32_t argument_offset)
{
    const uint8_t *root = device_root(thread, is_local);
    return !is_local || root ? (uint64_t)root + argument_offset : 0;
}

/* A root argument has no descriptor in memory: make one in the shader's frame. kind, is_uav and stride are those of the
 * shader's declaration. */
VALUE(void, jit_make_descriptor, struct abi_descriptor *out, uint8_t kind, bool is_uav, uint32_t stride,
      uint64_t address, uint64_t bytes)
{
    out->kind = kind;
    out->is_uav = is_uav;
    out->dimension = 0;
    out->reserved = 0;
    out->format = 0;
    out->reserved2 = 0;
    out->buffer.address = bytes || kind == ABI_DESCRIPTOR_ACCELERATION_STRUCTURE ? address : 0;
    out->buffer.size_bytes = bytes;
    out->buffer.counter_address = 0;
    out->buffer.stride = stride;
    out->buffer.reserved = 0;
    out->resource_id = 0;
}
