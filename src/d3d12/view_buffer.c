/* SPDX-License-Identifier: MIT
 * Buffer views: typed, structured, raw, constant, with counters; and copying of descriptors. */
#include <string.h>

#include "base/format.h"
#include "d3d12/view.h"

static enum status check_view(const struct d3d12_buffer_view_request *request, uint64_t element_bytes,
                              struct reason *reason)
{
    uint64_t first = request->first_element, count = request->element_count;
    if (request->is_raw && request->format != DXGI_FORMAT_R32_TYPELESS)
        return reason_set(reason, STATUS_INVALID, "Format %d must be R32_TYPELESS for a raw view", request->format);
    if (request->is_raw && request->stride)
        return reason_set(reason, STATUS_INVALID, "StructureByteStride %u must be 0 for a raw view", request->stride);
    if (request->format != DXGI_FORMAT_UNKNOWN && !request->is_raw) {
        if (request->stride)
            return reason_set(reason, STATUS_INVALID, "StructureByteStride %u must be 0 for typed Format %s",
                              request->stride, format_get_info(request->format)->name);
        if (!format_can_buffer(request->format) || (request->is_uav && !format_can_store(request->format)))
            return reason_set(reason, STATUS_INVALID, "Format %d works for no typed buffer view of this kind",
                              request->format);
    }
    if (element_bytes == 0)
        return reason_set(reason, STATUS_INVALID, "Format UNKNOWN needs a StructureByteStride above 0");
    if (request->stride % 4 || request->stride > 2048)
        return reason_set(reason, STATUS_INVALID, "StructureByteStride %u must be a multiple of 4, at most 2048",
                          request->stride);
    if (request->is_raw && first % 4)
        return reason_set(reason, STATUS_INVALID, "FirstElement %llu of a raw view must be a multiple of 4 (16 bytes)",
                          (unsigned long long)first);
    uint64_t size_bytes = request->resource ? request->resource->memory.size_bytes : UINT64_MAX;
    if (first > size_bytes / element_bytes || count > size_bytes / element_bytes - first)
        return reason_set(reason, STATUS_INVALID,
                          "FirstElement %llu + NumElements %llu of %llu bytes lies beyond the %llu bytes of the resource",
                          (unsigned long long)first, (unsigned long long)count, (unsigned long long)element_bytes,
                          (unsigned long long)size_bytes);
    return STATUS_OK;
}

static enum status check_counter(const struct d3d12_buffer_view_request *request, struct reason *reason)
{
    uint64_t offset = request->counter_offset;
    if (!request->counter)
        return offset ? reason_set(reason, STATUS_INVALID, "CounterOffsetInBytes %llu without a counter resource",
                                   (unsigned long long)offset)
                      : STATUS_OK;
    if (!request->stride)
        return reason_set(reason, STATUS_INVALID, "pCounterResource needs a structured view");
    if (!d3d12_resource_is_buffer(request->counter) || offset % D3D12_UAV_COUNTER_PLACEMENT_ALIGNMENT ||
        offset > request->counter->memory.size_bytes || request->counter->memory.size_bytes - offset < 4)
        return reason_set(reason, STATUS_INVALID,
                          "CounterOffsetInBytes %llu must be a multiple of 4096 inside the counter buffer",
                          (unsigned long long)offset);
    return STATUS_OK;
}

bool d3d12_view_buffer(const struct d3d12_buffer_view_request *request, struct abi_descriptor *out,
                       struct reason *reason)
{
    uint64_t element_bytes = request->is_raw                               ? 4
                             : request->format != DXGI_FORMAT_UNKNOWN ? format_get_info(request->format)->block_bytes
                                                                      : request->stride;
    out->kind = request->is_raw                               ? ABI_DESCRIPTOR_RAW_BUFFER
                : request->format != DXGI_FORMAT_UNKNOWN ? ABI_DESCRIPTOR_TYPED_BUFFER
                                                         : ABI_DESCRIPTOR_STRUCTURED_BUFFER;
    out->is_uav = request->is_uav;
    out->format = (uint16_t)request->format;
    out->buffer.stride = request->stride;
    if (check_view(request, element_bytes, reason) != STATUS_OK || check_counter(request, reason) != STATUS_OK)
        return false;
    if (!request->resource)
        return true;
    out->buffer.address = (uintptr_t)request->resource->memory.base + request->first_element * element_bytes;
    out->buffer.size_bytes = request->element_count * element_bytes;
    out->resource_id = request->resource->memory.id;
    if (request->counter)
        out->buffer.counter_address = (uintptr_t)request->counter->memory.base + request->counter_offset;
    return true;
}

void d3d12_view_create_cbv(struct d3d12_device *device, const D3D12_CONSTANT_BUFFER_VIEW_DESC *desc,
                           D3D12_CPU_DESCRIPTOR_HANDLE handle)
{
    const char *call = "CreateConstantBufferView";
    struct abi_descriptor *target =
        d3d12_descriptor_resolve(device, call, handle.ptr, 1, D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, NULL);
    if (!target)
        return;
    struct abi_descriptor view = {.kind = ABI_DESCRIPTOR_CBV};
    struct address_range range;
    if (desc && desc->BufferLocation) {
        uint64_t behind = address_map_bytes_behind(device->address_map, desc->BufferLocation);
        if (desc->BufferLocation % 256 || desc->SizeInBytes % 256 || desc->SizeInBytes > 65536)
            message_write(device->messages, RULE_CONSTANT_BUFFER_VIEW,
                          "%s: BufferLocation 0x%llx and SizeInBytes %u must be multiples of 256, and the size at most 65536",
                          call, (unsigned long long)desc->BufferLocation, desc->SizeInBytes);
        else if (behind < desc->SizeInBytes ||
                 !address_map_find_buffer(device->address_map, desc->BufferLocation, &range))
            message_write(device->messages, RULE_CONSTANT_BUFFER_VIEW,
                          "%s: BufferLocation 0x%llx has %llu bytes behind it in its buffer, SizeInBytes is %u", call,
                          (unsigned long long)desc->BufferLocation, (unsigned long long)behind, desc->SizeInBytes);
        else
            view.buffer = (struct abi_buffer_view){.address = desc->BufferLocation, .size_bytes = desc->SizeInBytes},
            view.resource_id = range.id;
    }
    *target = view;
}

/* --- copying --- */

/* Walks over the descriptors of ranges in runs that lie in one range. */
struct cursor {
    const struct d3d12_descriptor_ranges *ranges;
    UINT range_index;
    UINT offset;
};

static UINT range_size(const struct d3d12_descriptor_ranges *ranges, UINT index)
{
    return ranges->sizes ? ranges->sizes[index] : 1;
}

/* Descriptors left in the cursor's range; skips empty ranges. 0: at the end. */
static UINT cursor_left(struct cursor *cursor)
{
    const struct d3d12_descriptor_ranges *ranges = cursor->ranges;
    while (cursor->range_index < ranges->count && cursor->offset == range_size(ranges, cursor->range_index)) {
        cursor->range_index++;
        cursor->offset = 0;
    }
    return cursor->range_index < ranges->count ? range_size(ranges, cursor->range_index) - cursor->offset : 0;
}

static struct abi_descriptor *cursor_resolve(struct d3d12_device *device, const struct cursor *cursor, UINT count,
                                             D3D12_DESCRIPTOR_HEAP_TYPE type, struct d3d12_descriptor_heap **heap)
{
    uint64_t start = cursor->ranges->starts[cursor->range_index].ptr;
    return d3d12_descriptor_resolve(device, "CopyDescriptors", start + (uint64_t)cursor->offset * D3D12_DESCRIPTOR_BYTES,
                                    count, type, heap);
}

static uint64_t ranges_total(const struct d3d12_descriptor_ranges *ranges)
{
    uint64_t total = 0;
    for (UINT i = 0; i < ranges->count; i++)
        total += range_size(ranges, i);
    return total;
}

static bool ranges_check(struct d3d12_device *device, const struct d3d12_descriptor_ranges *target,
                         const struct d3d12_descriptor_ranges *source, D3D12_DESCRIPTOR_HEAP_TYPE type)
{
    if (type < 0 || type >= D3D12_DESCRIPTOR_HEAP_TYPE_NUM_TYPES) {
        message_write(device->messages, RULE_COPY_DESCRIPTORS, "CopyDescriptors: DescriptorHeapsType %d is no type", type);
        return false;
    }
    if ((target->count && !target->starts) || (source->count && !source->starts)) {
        message_write(device->messages, RULE_COPY_DESCRIPTORS, "CopyDescriptors: an array of range starts is NULL");
        return false;
    }
    uint64_t target_total = ranges_total(target), source_total = ranges_total(source);
    if (target_total != source_total) {
        message_write(device->messages, RULE_COPY_DESCRIPTORS,
                      "CopyDescriptors: the target ranges have %llu descriptors, the source ranges %llu",
                      (unsigned long long)target_total, (unsigned long long)source_total);
        return false;
    }
    return true;
}

void d3d12_descriptors_copy(struct d3d12_device *device, const struct d3d12_descriptor_ranges *target,
                            const struct d3d12_descriptor_ranges *source, D3D12_DESCRIPTOR_HEAP_TYPE type)
{
    if (!ranges_check(device, target, source, type))
        return;
    struct cursor to = {target, 0, 0}, from = {source, 0, 0};
    for (;;) {
        UINT to_left = cursor_left(&to), from_left = cursor_left(&from);
        UINT count = to_left < from_left ? to_left : from_left;
        if (!count)
            return;
        struct d3d12_descriptor_heap *source_heap = NULL;
        struct abi_descriptor *to_first = cursor_resolve(device, &to, count, type, NULL);
        const struct abi_descriptor *from_first = cursor_resolve(device, &from, count, type, &source_heap);
        if (!to_first || !from_first)
            return;
        if (source_heap->desc.Flags & D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE) {
            message_write(device->messages, RULE_COPY_DESCRIPTORS,
                          "CopyDescriptors: source heap '%s' is shader visible, which the CPU may only write",
                          com_object_name(&source_heap->object));
        }
        memmove(to_first, from_first, (size_t)count * sizeof(*to_first));
        to.offset += count;
        from.offset += count;
    }
}
