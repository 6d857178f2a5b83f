/* SPDX-License-Identifier: MIT
 * ID3D12Resource2's methods. */
#include "d3d12/resource.h"

#include <string.h>

#include "base/format.h"

static struct d3d12_resource *impl(ID3D12Resource2 *self)
{
    return (struct d3d12_resource *)self;
}

COM_DEVICE_CHILD_METHODS(d3d12_resource, ID3D12Resource2)

static HRESULT check_cpu_access(struct d3d12_resource *resource, const char *call, UINT subresource)
{
    struct d3d12_device *device = d3d12_device_of(&resource->object);
    const char *name = com_object_name(&resource->object);
    if (subresource >= resource->memory.subresource_count)
        return d3d12_fail(device, E_INVALIDARG, RULE_RESOURCE_MAP, "%s: Subresource %u, resource '%s' has %u", call,
                          subresource, name, resource->memory.subresource_count);
    if (resource->is_reserved || !d3d12_heap_is_cpu_visible(&resource->heap_properties))
        return d3d12_fail(device, E_INVALIDARG, RULE_RESOURCE_MAP,
                          "%s: resource '%s' is in a heap of Type %d that the CPU does not see", call, name,
                          resource->heap_properties.Type);
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE d3d12_resource_Map(ID3D12Resource2 *self, UINT subresource, const D3D12_RANGE *read,
                                                    void **data)
{
    struct d3d12_resource *resource = impl(self);
    HRESULT result = check_cpu_access(resource, "Map", subresource); /* a failed call leaves *ppData as it is */
    if (FAILED(result))
        return result;
    if (data && !d3d12_resource_is_buffer(resource))
        return d3d12_fail(d3d12_device_of(&resource->object), E_INVALIDARG, RULE_RESOURCE_MAP,
                          "Map: ppData must be NULL for texture '%s' of unknown layout; use WriteToSubresource",
                          com_object_name(&resource->object));
    if (d3d12_device_is_removed(d3d12_device_of(&resource->object)))
        return DXGI_ERROR_DEVICE_REMOVED;
    atomic_fetch_add(&resource->map_counts[subresource], 1);
    if (data)
        *data = resource->memory.base;
    return S_OK;
}

static void STDMETHODCALLTYPE d3d12_resource_Unmap(ID3D12Resource2 *self, UINT subresource, const D3D12_RANGE *written)
{
    struct d3d12_resource *resource = impl(self);
    struct d3d12_device *device = d3d12_device_of(&resource->object);
    if (subresource >= resource->memory.subresource_count) {
        message_write(device->messages, RULE_RESOURCE_UNMAP, "Unmap: Subresource %u, resource '%s' has %u", subresource,
                      com_object_name(&resource->object), resource->memory.subresource_count);
        return;
    }
    uint32_t count = atomic_load(&resource->map_counts[subresource]);
    while (count && !atomic_compare_exchange_weak(&resource->map_counts[subresource], &count, count - 1))
        ;
    if (!count)
        message_write(device->messages, RULE_RESOURCE_UNMAP, "Unmap: subresource %u of resource '%s' is not mapped",
                      subresource, com_object_name(&resource->object));
}

static D3D12_RESOURCE_DESC1 STDMETHODCALLTYPE d3d12_resource_GetDesc1(ID3D12Resource2 *self)
{
    return impl(self)->desc;
}

static D3D12_RESOURCE_DESC STDMETHODCALLTYPE d3d12_resource_GetDesc(ID3D12Resource2 *self)
{
    D3D12_RESOURCE_DESC desc = {0};
    memcpy(&desc, &impl(self)->desc, offsetof(D3D12_RESOURCE_DESC1, SamplerFeedbackMipRegion)); /* a prefix of DESC1 */
    return desc;
}

static D3D12_GPU_VIRTUAL_ADDRESS STDMETHODCALLTYPE d3d12_resource_GetGPUVirtualAddress(ID3D12Resource2 *self)
{
    struct d3d12_resource *resource = impl(self);
    return d3d12_resource_is_buffer(resource) ? (uintptr_t)resource->memory.base : 0;
}

/* A box of a subresource in blocks. */
struct block_box {
    uint8_t *start; /* first block */
    uint64_t row_bytes;
    uint32_t row_count, slice_count;
    uint32_t row_pitch, slice_pitch; /* of the resource */
};

static uint32_t mip_extent(uint32_t extent, uint32_t mip)
{
    return extent >> mip ? extent >> mip : 1;
}

static bool box_is_inside(const D3D12_BOX *box, const uint32_t extent[3], const struct format_info *info)
{
    bool ordered = box->left < box->right && box->top < box->bottom && box->front < box->back;
    bool aligned = box->left % info->block_width == 0 && box->top % info->block_height == 0 &&
                   (box->right % info->block_width == 0 || box->right == extent[0]) &&
                   (box->bottom % info->block_height == 0 || box->bottom == extent[1]);
    return ordered && aligned && box->right <= extent[0] && box->bottom <= extent[1] && box->back <= extent[2];
}

/* box NULL: the whole subresource. */
static HRESULT resolve_box(struct d3d12_resource *resource, const char *call, UINT subresource, const D3D12_BOX *box,
                           struct block_box *out)
{
    HRESULT result = check_cpu_access(resource, call, subresource);
    if (FAILED(result))
        return result;
    struct d3d12_device *device = d3d12_device_of(&resource->object);
    const struct abi_texture *texture = &resource->memory.texture;
    if (d3d12_resource_is_buffer(resource))
        return d3d12_fail(device, E_INVALIDARG, RULE_SUBRESOURCE_ACCESS, "%s: '%s' is a buffer; use Map", call,
                          com_object_name(&resource->object));
    const struct format_info *info = format_get_info(texture->format);
    uint32_t mip = subresource % texture->mip_count, slice = subresource / texture->mip_count;
    uint32_t plane = slice / texture->array_size;
    uint32_t extent[3] = {mip_extent(texture->width, mip), mip_extent(texture->height, mip),
                          mip_extent(texture->depth, mip)};
    D3D12_BOX whole = {0, 0, 0, extent[0], extent[1], extent[2]};
    box = box ? box : &whole;
    bool is_empty = box->left == box->right || box->top == box->bottom || box->front == box->back;
    bool lies_inside = box->right <= extent[0] && box->bottom <= extent[1] && box->back <= extent[2];
    if (is_empty && lies_inside)
        return S_FALSE; /* legal, copies nothing */
    if (!box_is_inside(box, extent, info))
        return d3d12_fail(device, E_INVALIDARG, RULE_SUBRESOURCE_ACCESS,
                          "%s: box (%u, %u, %u)-(%u, %u, %u) does not lie in the %u x %u x %u texels of subresource %u, or "
                          "not on its %u x %u blocks", call, box->left, box->top, box->front, box->right, box->bottom,
                          box->back, extent[0], extent[1], extent[2], subresource, info->block_width, info->block_height);
    uint32_t bytes = format_plane_bytes(texture->format, plane) * texture->sample_count;
    uint32_t columns = (box->right + info->block_width - 1) / info->block_width - box->left / info->block_width;
    out->row_pitch = texture->mips[mip].row_pitch;
    out->slice_pitch = texture->mips[mip].depth_pitch;
    out->row_bytes = (uint64_t)columns * bytes;
    out->row_count = (box->bottom + info->block_height - 1) / info->block_height - box->top / info->block_height;
    out->slice_count = box->back - box->front;
    out->start = texture->base + slice * texture->slice_bytes + texture->mips[mip].offset +
                 (uint64_t)box->front * out->slice_pitch + (uint64_t)(box->top / info->block_height) * out->row_pitch +
                 (uint64_t)(box->left / info->block_width) * bytes;
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE d3d12_resource_WriteToSubresource(ID3D12Resource2 *self, UINT subresource,
                                                                   const D3D12_BOX *box, const void *source,
                                                                   UINT row_pitch, UINT depth_pitch)
{
    struct block_box target;
    HRESULT result = resolve_box(impl(self), "WriteToSubresource", subresource, box, &target);
    if (result != S_OK)
        return FAILED(result) ? result : S_OK;
    if (!source)
        return d3d12_fail(d3d12_device_of(&impl(self)->object), E_INVALIDARG, RULE_SUBRESOURCE_ACCESS,
                          "WriteToSubresource: pSrcData is NULL");
    for (uint32_t slice = 0; slice < target.slice_count; slice++)
        for (uint32_t row = 0; row < target.row_count; row++)
            memcpy(target.start + (uint64_t)slice * target.slice_pitch + (uint64_t)row * target.row_pitch,
                   (const uint8_t *)source + (uint64_t)slice * depth_pitch + (uint64_t)row * row_pitch,
                   target.row_bytes);
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE d3d12_resource_ReadFromSubresource(ID3D12Resource2 *self, void *out, UINT row_pitch,
                                                                    UINT depth_pitch, UINT subresource,
                                                                    const D3D12_BOX *box)
{
    struct block_box source;
    HRESULT result = resolve_box(impl(self), "ReadFromSubresource", subresource, box, &source);
    if (result != S_OK)
        return FAILED(result) ? result : S_OK;
    if (!out)
        return d3d12_fail(d3d12_device_of(&impl(self)->object), E_INVALIDARG, RULE_SUBRESOURCE_ACCESS,
                          "ReadFromSubresource: pDstData is NULL");
    for (uint32_t slice = 0; slice < source.slice_count; slice++)
        for (uint32_t row = 0; row < source.row_count; row++)
            memcpy((uint8_t *)out + (uint64_t)slice * depth_pitch + (uint64_t)row * row_pitch,
                   source.start + (uint64_t)slice * source.slice_pitch + (uint64_t)row * source.row_pitch,
                   source.row_bytes);
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE d3d12_resource_GetHeapProperties(ID3D12Resource2 *self,
                                                                  D3D12_HEAP_PROPERTIES *properties,
                                                                  D3D12_HEAP_FLAGS *flags)
{
    struct d3d12_resource *resource = impl(self);
    if (resource->is_reserved)
        return d3d12_fail(d3d12_device_of(&resource->object), E_INVALIDARG, RULE_RESOURCE_HEAP,
                          "GetHeapProperties: reserved resource '%s' has no heap", com_object_name(&resource->object));
    if (properties)
        *properties = resource->heap_properties;
    if (flags)
        *flags = resource->heap_flags;
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE d3d12_resource_GetProtectedResourceSession(ID3D12Resource2 *self, REFIID riid,
                                                                            void **out)
{
    if (out)
        *out = NULL;
    return DXGI_ERROR_NOT_FOUND;
}

const ID3D12Resource2Vtbl d3d12_resource_vtbl = {
    COM_DEVICE_CHILD_ENTRIES(d3d12_resource),
    /* ID3D12Resource */
    d3d12_resource_Map,
    d3d12_resource_Unmap,
    d3d12_resource_GetDesc,
    d3d12_resource_GetGPUVirtualAddress,
    d3d12_resource_WriteToSubresource,
    d3d12_resource_ReadFromSubresource,
    d3d12_resource_GetHeapProperties,
    /* ID3D12Resource1, ID3D12Resource2 */
    d3d12_resource_GetProtectedResourceSession,
    d3d12_resource_GetDesc1,
};
