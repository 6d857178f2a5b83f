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

/* A root descriptor has no descriptor in memory: make one in the shader's frame. kind, is_uav and stride are those of
 * the shader's declaration. limit_bytes: 65536 for constant buffers. */
DEVICE void jit_root_descriptor(struct abi_thread *thread, bool is_local, uint32_t argument_offset,
                                uint32_t parameter_index, uint32_t kind, bool is_uav, uint32_t stride,
                                uint64_t limit_bytes, struct abi_descriptor *out);
DEVICE void jit_root_descriptor(struct abi_thread *thread, bool is_local, uint32_t argument_offset,
                                uint32_t parameter_index, uint32_t kind, bool is_uav, uint32_t stride,
                                uint64_t limit_bytes, struct abi_descriptor *out)
{
    const struct abi_dispatch *dispatch = thread->dispatch;
    const uint8_t *root = device_root(thread, is_local);
    uint64_t address = 0, bytes = 0;
    if (root)
        __builtin_memcpy(&address, root + argument_offset, sizeof(address));
    if (kind != ABI_DESCRIPTOR_ACCELERATION_STRUCTURE && address) {
        if (!is_local && dispatch->global_root_bytes)
            bytes = dispatch->global_root_bytes[parameter_index];
        else
            bytes = dispatch->services->bytes_behind(thread, address);
        if (!bytes)
            address = 0;
    }
    *out = (struct abi_descriptor){.kind = (uint8_t)kind, .is_uav = is_uav};
    out->buffer.address = address;
    out->buffer.size_bytes = bytes < limit_bytes ? bytes : limit_bytes;
    out->buffer.stride = stride;
}

/* Root constants read as a constant buffer of count values. */
DEVICE void jit_constants_descriptor(struct abi_thread *thread, bool is_local, uint32_t argument_offset,
                                     uint32_t count, struct abi_descriptor *out);
DEVICE void jit_constants_descriptor(struct abi_thread *thread, bool is_local, uint32_t argument_offset,
                                     uint32_t count, struct abi_descriptor *out)
{
    const uint8_t *root = device_root(thread, is_local);
    *out = (struct abi_descriptor){.kind = ABI_DESCRIPTOR_CBV};
    out->buffer.address = root ? (uint64_t)root + argument_offset : 0;
    out->buffer.size_bytes = root ? (uint64_t)count * 4 : 0;
}
