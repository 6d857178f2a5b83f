/* SPDX-License-Identifier: MIT
 * Creation of committed, placed and reserved resources: every rule that ties a description to heap, state and clear
 * value, then memory, layout and the entry in the address map. Methods: resource.c. */
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "d3d12/resource_info.h"
#include "d3d12/resource_state.h"
#include "d3d12/tile_map.h"

#define FAIL(device, request, rule, format, ...)                                                             \
    d3d12_fail(device, E_INVALIDARG, rule, "%s: " format, (request)->call __VA_OPT__(, ) __VA_ARGS__)

static const D3D12_HEAP_PROPERTIES *properties_of(const struct d3d12_resource_request *request)
{
    static const D3D12_HEAP_PROPERTIES reserved = {.Type = D3D12_HEAP_TYPE_DEFAULT};
    if (request->is_placed)
        return &request->heap->desc.Properties;
    return request->is_reserved ? &reserved : request->heap_properties;
}

static D3D12_HEAP_FLAGS heap_flags_of(const struct d3d12_resource_request *request)
{
    return request->is_placed ? request->heap->desc.Flags : request->heap_flags;
}

static HRESULT check_committed(struct d3d12_device *device, const struct d3d12_resource_request *request)
{
    if (!request->heap_properties)
        return FAIL(device, request, RULE_RESOURCE_HEAP, "pHeapProperties is NULL");
    HRESULT result = d3d12_heap_check(device, request->call, request->heap_properties, request->heap_flags);
    if (FAILED(result))
        return result;
    unsigned deny = D3D12_HEAP_FLAG_DENY_BUFFERS | D3D12_HEAP_FLAG_DENY_RT_DS_TEXTURES |
                    D3D12_HEAP_FLAG_DENY_NON_RT_DS_TEXTURES;
    if (request->heap_flags & deny)
        return FAIL(device, request, RULE_RESOURCE_HEAP,
                    "HeapFlags 0x%x: the DENY flags are for explicit heaps, a committed resource's heap has none",
                    request->heap_flags);
    return S_OK;
}

static bool is_target(const D3D12_RESOURCE_DESC1 *desc)
{
    return desc->Flags & (D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET | D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL);
}

static HRESULT check_placed(struct d3d12_device *device, const struct d3d12_resource_request *request,
                            const D3D12_RESOURCE_DESC1 *desc, uint64_t total_bytes)
{
    const struct d3d12_heap *heap = request->heap;
    if (request->heap_offset % desc->Alignment)
        return FAIL(device, request, RULE_RESOURCE_PLACEMENT, "HeapOffset %llu is no multiple of the alignment %llu",
                    (unsigned long long)request->heap_offset, (unsigned long long)desc->Alignment);
    uint64_t heap_bytes = heap->mapping.size_bytes;
    if (request->heap_offset > heap_bytes || total_bytes > heap_bytes - request->heap_offset)
        return FAIL(device, request, RULE_RESOURCE_PLACEMENT,
                    "HeapOffset %llu + %llu bytes lies beyond the end of the heap '%s' of %llu bytes",
                    (unsigned long long)request->heap_offset, (unsigned long long)total_bytes,
                    com_object_name(&heap->object), (unsigned long long)heap->desc.SizeInBytes);
    if (desc->Alignment > heap->desc.Alignment)
        return FAIL(device, request, RULE_RESOURCE_PLACEMENT,
                    "the heap's Alignment %llu is less than the resource's %llu",
                    (unsigned long long)heap->desc.Alignment, (unsigned long long)desc->Alignment);
    bool is_buffer = desc->Dimension == D3D12_RESOURCE_DIMENSION_BUFFER;
    unsigned denied = is_buffer        ? D3D12_HEAP_FLAG_DENY_BUFFERS
                      : is_target(desc) ? D3D12_HEAP_FLAG_DENY_RT_DS_TEXTURES
                                        : D3D12_HEAP_FLAG_DENY_NON_RT_DS_TEXTURES;
    if (heap->desc.Flags & denied)
        return FAIL(device, request, RULE_RESOURCE_PLACEMENT, "the heap's Flags 0x%x deny this kind of resource (0x%x)",
                    heap->desc.Flags, denied);
    return S_OK;
}

static HRESULT check_reserved(struct d3d12_device *device, const struct d3d12_resource_request *request,
                              const D3D12_RESOURCE_DESC1 *desc)
{
    if (desc->Dimension == D3D12_RESOURCE_DIMENSION_BUFFER)
        return S_OK;
    D3D12_TILE_SHAPE shape;
    if (desc->Layout != D3D12_TEXTURE_LAYOUT_64KB_UNDEFINED_SWIZZLE)
        return FAIL(device, request, RULE_RESOURCE_LAYOUT,
                    "Layout %d must be 64KB_UNDEFINED_SWIZZLE for a reserved texture", desc->Layout);
    if (!d3d12_tile_shape(desc->Format, desc->Dimension, desc->SampleDesc.Count, &shape))
        return FAIL(device, request, RULE_RESOURCE_FORMAT, "Format %s and Dimension %d cannot be tiled",
                    format_get_info(desc->Format)->name, desc->Dimension);
    return S_OK;
}

/* Upload and readback heaps: buffers only, no GPU writes; CPU-visible memory in general takes no targets. */
static HRESULT check_heap_type(struct d3d12_device *device, const struct d3d12_resource_request *request,
                               const D3D12_RESOURCE_DESC1 *desc)
{
    D3D12_HEAP_TYPE type = properties_of(request)->Type;
    if (type != D3D12_HEAP_TYPE_UPLOAD && type != D3D12_HEAP_TYPE_READBACK)
        return S_OK;
    if (desc->Dimension != D3D12_RESOURCE_DIMENSION_BUFFER)
        return FAIL(device, request, RULE_RESOURCE_HEAP,
                    "a texture cannot be in an %s heap; use a CUSTOM heap for a texture that the CPU accesses",
                    type == D3D12_HEAP_TYPE_UPLOAD ? "UPLOAD" : "READBACK");
    if (desc->Flags & D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS)
        return FAIL(device, request, RULE_RESOURCE_FLAGS, "Flags 0x%x: ALLOW_UNORDERED_ACCESS does not go with an "
                    "UPLOAD or READBACK heap", desc->Flags);
    return S_OK;
}

static HRESULT check_state(struct d3d12_device *device, const struct d3d12_resource_request *request,
                           const D3D12_RESOURCE_DESC1 *desc)
{
    struct reason reason = {{0}};
    if (request->uses_layout) {
        if (d3d12_layout_check(desc, request->initial_layout, &reason) != STATUS_OK)
            return FAIL(device, request, RULE_RESOURCE_INITIAL_STATE, "InitialLayout %s", reason.text);
        return S_OK;
    }
    /* A buffer begins in COMMON whatever its initial state says, and is promoted: a state that its flags do not allow is no
     * error by itself. That of acceleration structures stays, it decides what the buffer may be used for. */
    D3D12_RESOURCE_STATES ignored = D3D12_RESOURCE_STATE_UNORDERED_ACCESS | D3D12_RESOURCE_STATE_RENDER_TARGET;
    bool is_ignored = desc->Dimension == D3D12_RESOURCE_DIMENSION_BUFFER && request->initial_state && !(request->initial_state & ~ignored);
    if (!is_ignored && d3d12_state_check(desc, request->initial_state, &reason) != STATUS_OK)
        return FAIL(device, request, RULE_RESOURCE_INITIAL_STATE, "InitialResourceState %s", reason.text);
    D3D12_HEAP_TYPE type = properties_of(request)->Type;
    if (type == D3D12_HEAP_TYPE_UPLOAD && request->initial_state != D3D12_RESOURCE_STATE_GENERIC_READ)
        return FAIL(device, request, RULE_RESOURCE_INITIAL_STATE,
                    "InitialResourceState 0x%x must be GENERIC_READ in an UPLOAD heap", request->initial_state);
    if (type == D3D12_HEAP_TYPE_READBACK && request->initial_state != D3D12_RESOURCE_STATE_COPY_DEST)
        return FAIL(device, request, RULE_RESOURCE_INITIAL_STATE,
                    "InitialResourceState 0x%x must be COPY_DEST in a READBACK heap", request->initial_state);
    return S_OK;
}

static HRESULT check_clear_value(struct d3d12_device *device, const struct d3d12_resource_request *request,
                                 const D3D12_RESOURCE_DESC1 *desc)
{
    const D3D12_CLEAR_VALUE *clear = request->clear_value;
    if (!clear)
        return S_OK;
    if (desc->Dimension == D3D12_RESOURCE_DIMENSION_BUFFER || !is_target(desc))
        return FAIL(device, request, RULE_RESOURCE_CLEAR_VALUE,
                    "pOptimizedClearValue must be NULL unless Flags has ALLOW_RENDER_TARGET or ALLOW_DEPTH_STENCIL");
    const struct format_info *info = format_get_info(clear->Format);
    if (info->type == FORMAT_TYPE_TYPELESS || !info->name ||
        info->family != format_get_info(desc->Format)->family)
        return FAIL(device, request, RULE_RESOURCE_CLEAR_VALUE,
                    "pOptimizedClearValue->Format %d must be a typed format of the family of Format %d", clear->Format,
                    desc->Format);
    return S_OK;
}

static HRESULT check_castable(struct d3d12_device *device, const struct d3d12_resource_request *request)
{
    if (request->castable_format_count && !request->castable_formats)
        return FAIL(device, request, RULE_RESOURCE_FORMAT, "pCastableFormats is NULL but NumCastableFormats is %u",
                    request->castable_format_count);
    const struct format_info *own = format_get_info(request->desc->Format);
    for (UINT i = 0; i < request->castable_format_count; i++) {
        const struct format_info *info = format_get_info(request->castable_formats[i]);
        if (!info->name || info->block_bytes != own->block_bytes || info->type == FORMAT_TYPE_TYPELESS)
            return FAIL(device, request, RULE_RESOURCE_FORMAT,
                        "pCastableFormats[%u] %d is no typed format with the %u bytes per element of Format %d", i,
                        request->castable_formats[i], own->block_bytes, request->desc->Format);
    }
    return S_OK;
}

/* Is the resource written through a format that it is cast to, while its own takes no stores? */
static bool castable_stores(const struct d3d12_resource_request *request)
{
    if (request->desc->Dimension == D3D12_RESOURCE_DIMENSION_BUFFER || !request->castable_formats)
        return false;
    for (UINT i = 0; i < request->castable_format_count; i++)
        if (format_can_store(request->castable_formats[i]))
            return true;
    return false;
}

static HRESULT check_request(struct d3d12_device *device, const struct d3d12_resource_request *request,
                             D3D12_RESOURCE_DESC1 *desc)
{
    if (!request->desc)
        return FAIL(device, request, RULE_RESOURCE_DESCRIPTION, "pDesc is NULL");
    if (request->is_placed && !request->heap)
        return FAIL(device, request, RULE_RESOURCE_PLACEMENT, "pHeap is NULL or no heap of this library");
    if (request->protected_session)
        return FAIL(device, request, RULE_RESOURCE_DESCRIPTION, "pProtectedSession must be NULL, there are none");
    enum rule rule = RULE_RESOURCE_DESCRIPTION;
    struct reason reason = {{0}};
    D3D12_RESOURCE_DESC1 asked = *request->desc;
    bool stores_cast = (asked.Flags & D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS) && castable_stores(request);
    if (stores_cast)
        asked.Flags &= ~D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS;
    if (d3d12_resource_check_desc(&asked, desc, &rule, &reason) != STATUS_OK)
        return FAIL(device, request, rule, "%s", reason.text);
    desc->Flags = request->desc->Flags;
    if (desc->Layout == D3D12_TEXTURE_LAYOUT_64KB_UNDEFINED_SWIZZLE && request->is_reserved == false &&
        !request->is_placed)
        return FAIL(device, request, RULE_RESOURCE_LAYOUT, "Layout 64KB_UNDEFINED_SWIZZLE is for reserved textures");
    HRESULT (*const checks[])(struct d3d12_device *, const struct d3d12_resource_request *,
                              const D3D12_RESOURCE_DESC1 *) = {check_heap_type, check_state, check_clear_value};
    HRESULT result = S_OK;
    if (request->is_reserved)
        result = check_reserved(device, request, desc);
    else if (!request->is_placed)
        result = check_committed(device, request);
    for (size_t i = 0; SUCCEEDED(result) && i < ARRAY_COUNT(checks); i++)
        result = checks[i](device, request, desc);
    return SUCCEEDED(result) ? check_castable(device, request) : result;
}

/* --- construction --- */

static const char *memory_name(const struct exec_resource *memory)
{
    return com_object_name(&d3d12_resource_from_memory(memory)->object);
}

static enum status init_memory(struct d3d12_resource *resource, const struct d3d12_resource_request *request)
{
    struct exec_resource *memory = &resource->memory;
    uint64_t total_bytes = resource->desc.Width;
    if (!d3d12_resource_is_buffer(resource))
        d3d12_resource_layout(&resource->desc, &memory->texture, &total_bytes);
    if (request->is_placed) {
        memory->base = request->heap->mapping.base + request->heap_offset;
    } else {
        enum exec_mapping_kind kind = request->is_reserved ? EXEC_MAPPING_RESERVED : EXEC_MAPPING_PRIVATE;
        RETURN_IF_FAILED(exec_mapping_init(&resource->mapping, total_bytes, kind));
        memory->base = resource->mapping.base;
    }
    memory->size_bytes = total_bytes;
    if (!d3d12_resource_is_buffer(resource))
        memory->texture.base = memory->base;
    return STATUS_OK;
}

static enum status init_states(struct d3d12_resource *resource, const struct d3d12_resource_request *request)
{
    struct exec_resource *memory = &resource->memory;
    const struct abi_texture *texture = &memory->texture;
    memory->subresource_count =
        texture->dimension ? (uint32_t)texture->mip_count * texture->array_size * texture->plane_count : 1;
    memory->states = calloc(memory->subresource_count, sizeof(*memory->states));
    resource->map_counts = calloc(memory->subresource_count, sizeof(*resource->map_counts));
    if (!memory->states || !resource->map_counts)
        return STATUS_OUT_OF_MEMORY;
    D3D12_RESOURCE_STATES state =
        request->uses_layout ? d3d12_state_of_layout(request->initial_layout) : request->initial_state;
    for (uint32_t i = 0; i < memory->subresource_count; i++)
        atomic_init(&memory->states[i], (uint32_t)state);
    return STATUS_OK;
}

static enum status init_map_entry(struct d3d12_device *device, struct d3d12_resource *resource)
{
    struct address_range range = {
        .start = (uintptr_t)resource->memory.base,
        .size_bytes = resource->memory.size_bytes,
        .owner = &resource->memory,
        .kind = d3d12_resource_is_buffer(resource) ? ADDRESS_KIND_BUFFER : ADDRESS_KIND_TEXTURE,
    };
    RETURN_IF_FAILED(address_map_add(device->address_map, &range));
    resource->map_id = resource->memory.id = range.id;
    return STATUS_OK;
}

static enum status init_castable(struct d3d12_resource *resource, const struct d3d12_resource_request *request)
{
    size_t byte_count = request->castable_format_count * sizeof(*request->castable_formats);
    if (!byte_count)
        return STATUS_OK;
    resource->castable_formats = malloc(byte_count);
    if (!resource->castable_formats)
        return STATUS_OUT_OF_MEMORY;
    memcpy(resource->castable_formats, request->castable_formats, byte_count);
    resource->castable_format_count = request->castable_format_count;
    return STATUS_OK;
}

/* exec/structure_proof.h */
static uint32_t structure_use(const struct d3d12_resource *resource, const struct d3d12_resource_request *request)
{
    const D3D12_HEAP_PROPERTIES *heap = &resource->heap_properties;
    bool is_cpu_visible = heap->Type != D3D12_HEAP_TYPE_DEFAULT &&
                          (heap->Type != D3D12_HEAP_TYPE_CUSTOM || heap->CPUPageProperty != D3D12_CPU_PAGE_PROPERTY_NOT_AVAILABLE);
    if (!resource->is_acceleration_structure || is_cpu_visible || request->is_reserved || !d3d12_resource_is_buffer(resource))
        return EXEC_STRUCTURES_NOT;
    bool by_state = !request->uses_layout && request->initial_state == D3D12_RESOURCE_STATE_RAYTRACING_ACCELERATION_STRUCTURE;
    return by_state ? EXEC_STRUCTURES_ONLY : EXEC_STRUCTURES_BY_FLAG;
}

static void init_description(struct d3d12_resource *resource, const struct d3d12_resource_request *request)
{
    resource->heap_properties = *properties_of(request);
    if (!resource->heap_properties.CreationNodeMask)
        resource->heap_properties.CreationNodeMask = 1;
    if (!resource->heap_properties.VisibleNodeMask)
        resource->heap_properties.VisibleNodeMask = 1;
    resource->heap_flags = heap_flags_of(request);
    resource->is_reserved = request->is_reserved;
    resource->heap_offset = request->heap_offset;
    resource->residency_priority = D3D12_RESIDENCY_PRIORITY_NORMAL;
    resource->is_acceleration_structure =
        resource->desc.Flags & D3D12_RESOURCE_FLAG_RAYTRACING_ACCELERATION_STRUCTURE ||
        (!request->uses_layout && request->initial_state == D3D12_RESOURCE_STATE_RAYTRACING_ACCELERATION_STRUCTURE);
    resource->memory.dimension = resource->desc.Dimension;
    resource->memory.flags = resource->desc.Flags;
    resource->memory.heap_type = resource->heap_properties.Type;
    resource->memory.name = memory_name;
    resource->memory.heap_mapping = request->is_placed ? &request->heap->mapping : NULL;
    atomic_init(&resource->memory.structure_use, structure_use(resource, request));
}

static enum status resource_init(struct d3d12_device *device, struct d3d12_resource *resource,
                                 const struct d3d12_resource_request *request)
{
    init_description(resource, request);
    RETURN_IF_FAILED(init_memory(resource, request));
    RETURN_IF_FAILED(init_states(resource, request));
    RETURN_IF_FAILED(init_castable(resource, request));
    RETURN_IF_FAILED(init_map_entry(device, resource));
    if (request->is_placed) {
        resource->heap = request->heap;
        com_object_hold(&request->heap->object);
    } else if (!request->is_reserved) {
        atomic_fetch_add(&device->used_bytes, (int64_t)resource->mapping.size_bytes);
    }
    return STATUS_OK;
}

static struct d3d12_resource *struct_take(struct d3d12_device *device)
{
    pthread_mutex_lock(&device->lazy_mutex);
    struct d3d12_resource *resource = device->free_resources;
    if (resource)
        device->free_resources = resource->next_free;
    pthread_mutex_unlock(&device->lazy_mutex);
    if (!resource)
        return calloc(1, sizeof(*resource));
    memset(resource, 0, sizeof(*resource));
    return resource;
}

static void struct_give_back(struct d3d12_device *device, struct d3d12_resource *resource)
{
    memset(&resource->memory, 0, sizeof(resource->memory));
    pthread_mutex_lock(&device->lazy_mutex);
    resource->next_free = device->free_resources;
    device->free_resources = resource;
    pthread_mutex_unlock(&device->lazy_mutex);
}

void d3d12_resource_pool_finish(struct d3d12_device *device)
{
    while (device->free_resources) {
        struct d3d12_resource *resource = device->free_resources;
        device->free_resources = resource->next_free;
        free(resource);
    }
}

static void resource_finish(struct d3d12_device *device, struct d3d12_resource *resource)
{
    address_map_remove(device->address_map, resource->map_id, (uintptr_t)resource->memory.base);
    if (resource->map_id && !resource->heap && !resource->is_reserved)
        atomic_fetch_sub(&device->used_bytes, (int64_t)resource->mapping.size_bytes);
    exec_mapping_finish(&resource->mapping);
    d3d12_tile_map_destroy(resource->tile_map);
    free(resource->memory.proofs);
    free(resource->memory.states);
    free(resource->map_counts);
    free(resource->castable_formats);
}

static void resource_destroy(struct com_object *object)
{
    struct d3d12_resource *resource = (struct d3d12_resource *)object;
    struct d3d12_device *device = d3d12_device_of(object);
    struct d3d12_heap *heap = resource->heap;
    resource_finish(device, resource);
    com_object_hold(&device->object);
    com_object_finish(object);
    struct_give_back(device, resource);
    com_object_drop(heap ? &heap->object : NULL);
    com_object_drop(&device->object);
}

/* Work that was submitted before keeps the memory alive; a resource that a list in flight names was released too early. */
static void resource_retire(struct com_object *object)
{
    struct d3d12_resource *resource = (struct d3d12_resource *)object;
    struct d3d12_device *device = d3d12_device_of(object);
    uint64_t serial = atomic_load(&resource->memory.last_use_serial);
    if (serial && !exec_retire_is_done(&device->retire, serial))
        message_write(device->messages, RULE_RELEASED_WHILE_IN_USE,
                      "Release: the last reference of resource '%s' is given up while a command list that uses it is in flight",
                      com_object_name(object));
    d3d12_object_retire(object);
}

static const struct com_iid_offset resource_interfaces[] = {
    {&IID_ID3D12Object, 0},   {&IID_ID3D12DeviceChild, 0}, {&IID_ID3D12Pageable, 0},
    {&IID_ID3D12Resource, 0}, {&IID_ID3D12Resource1, 0},   {&IID_ID3D12Resource2, 0},
};
static const struct com_class resource_class = {
    .name = "ID3D12Resource",
    .interfaces = resource_interfaces,
    .interface_count = ARRAY_COUNT(resource_interfaces),
    .destroy = resource_destroy,
    .retire = resource_retire,
};

static HRESULT resource_new(struct d3d12_device *device, const struct d3d12_resource_request *request,
                            const D3D12_RESOURCE_DESC1 *desc, struct d3d12_resource **out)
{
    struct d3d12_resource *resource = struct_take(device);
    if (!resource)
        return E_OUTOFMEMORY;
    com_object_init(&resource->object, &resource_class, &d3d12_resource_vtbl, &device->object);
    resource->desc = *desc;
    enum status status = resource_init(device, resource, request);
    if (status != STATUS_OK)
        goto fail;
    *out = resource;
    return S_OK;
fail:
    resource_finish(device, resource);
    com_object_abandon(&resource->object);
    struct_give_back(device, resource);
    return d3d12_fail(device, com_result_from_status(status), RULE_OUT_OF_MEMORY,
                      "%s: no memory or address space for %llu x %u x %u of format %d", request->call,
                      (unsigned long long)desc->Width, desc->Height, desc->DepthOrArraySize, desc->Format);
}

HRESULT d3d12_resource_create(struct d3d12_device *device, const struct d3d12_resource_request *request, REFIID riid,
                              void **out)
{
    if (out)
        *out = NULL;
    D3D12_RESOURCE_DESC1 desc;
    HRESULT result = check_request(device, request, &desc);
    if (FAILED(result))
        return result;
    if (request->is_placed) {
        uint64_t total_bytes = desc.Width;
        struct abi_texture texture;
        if (desc.Dimension != D3D12_RESOURCE_DIMENSION_BUFFER)
            d3d12_resource_layout(&desc, &texture, &total_bytes);
        result = check_placed(device, request, &desc, total_bytes);
        if (FAILED(result))
            return result;
    }
    if (d3d12_device_is_removed(device))
        return DXGI_ERROR_DEVICE_REMOVED;
    struct d3d12_resource *resource;
    result = resource_new(device, request, &desc, &resource);
    return FAILED(result) ? result : com_object_return(&resource->object, riid, out);
}
