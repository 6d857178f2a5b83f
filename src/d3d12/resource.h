/* SPDX-License-Identifier: MIT
 * ID3D12Resource2: committed, placed and reserved buffers and textures. The executor works on the member `memory`. */
#ifndef CDXR_D3D12_RESOURCE_H
#define CDXR_D3D12_RESOURCE_H

#include "d3d12/device.h"
#include "d3d12/heap.h"
#include "exec/memory.h"

struct d3d12_tile_map; /* d3d12/tile_map.h */

struct d3d12_resource {
    struct com_object object; /* ID3D12Resource2 */
    struct exec_resource memory;
    D3D12_RESOURCE_DESC1 desc; /* mip count and alignment filled in */
    D3D12_HEAP_PROPERTIES heap_properties;
    D3D12_HEAP_FLAGS heap_flags;
    struct d3d12_heap *heap; /* placed: held internally; else NULL */
    uint64_t heap_offset;
    struct exec_mapping mapping; /* committed and reserved; else zeroed */
    bool is_reserved;
    struct d3d12_tile_map *tile_map; /* reserved: made by the first change on a queue's thread; NULL before */
    bool is_acceleration_structure; /* created in RAYTRACING_ACCELERATION_STRUCTURE state, or with that flag */
    uint64_t map_id;
    _Atomic uint32_t *map_counts; /* Map minus Unmap, per subresource */
    D3D12_RESIDENCY_PRIORITY residency_priority;
    DXGI_FORMAT *castable_formats;
    UINT castable_format_count;
    struct d3d12_resource *next_free;
};

/* Frees the structs kept in device->free_resources. */
void d3d12_resource_pool_finish(struct d3d12_device *device);

extern const ID3D12Resource2Vtbl d3d12_resource_vtbl;

/* NULL: NULL or not one of our resources. */
static inline struct d3d12_resource *d3d12_resource_from(const void *resource)
{
    return com_object_from_interface(resource, &d3d12_resource_vtbl);
}

static inline struct d3d12_resource *d3d12_resource_from_memory(const struct exec_resource *memory)
{
    return (struct d3d12_resource *)((char *)memory - offsetof(struct d3d12_resource, memory));
}

static inline bool d3d12_resource_is_buffer(const struct d3d12_resource *resource)
{
    return resource->desc.Dimension == D3D12_RESOURCE_DIMENSION_BUFFER;
}

/* What CreateCommittedResource .. CreateReservedResource2 ask for, in one form. */
struct d3d12_resource_request {
    const char *call; /* API name, for messages */
    const D3D12_HEAP_PROPERTIES *heap_properties; /* committed */
    D3D12_HEAP_FLAGS heap_flags;                  /* committed */
    bool is_placed;
    struct d3d12_heap *heap;                      /* placed; NULL: not one of our heaps */
    uint64_t heap_offset;                         /* placed */
    bool is_reserved;
    const D3D12_RESOURCE_DESC1 *desc;
    bool uses_layout; /* enhanced barriers: initial_layout instead of initial_state */
    D3D12_RESOURCE_STATES initial_state;
    D3D12_BARRIER_LAYOUT initial_layout;
    const D3D12_CLEAR_VALUE *clear_value;
    const DXGI_FORMAT *castable_formats;
    UINT castable_format_count;
    const void *protected_session;
};
HRESULT d3d12_resource_create(struct d3d12_device *device, const struct d3d12_resource_request *request, REFIID riid,
                              void **out);

/* resource_layout.c. Fill *texture (base NULL) and *total_bytes for a checked texture description. */
void d3d12_resource_layout(const D3D12_RESOURCE_DESC1 *desc, struct abi_texture *texture, uint64_t *total_bytes);
/* Check a description without a heap (GetResourceAllocationInfo and creation): completes MipLevels and Alignment in *out.
 * reason says which field, value and rule. */
MUST_USE enum status d3d12_resource_check_desc(const D3D12_RESOURCE_DESC1 *desc, D3D12_RESOURCE_DESC1 *out,
                                               enum rule *rule, struct reason *reason);
uint32_t d3d12_format_plane_count(DXGI_FORMAT format);

#endif
