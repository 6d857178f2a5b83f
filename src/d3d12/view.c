/* SPDX-License-Identifier: MIT
 * Shader resource, unordered access, render target and depth stencil views, and samplers: checks a description, fills
 * one struct abi_descriptor. Buffer views: view_buffer.c. */
#include "d3d12/view.h"

#include <string.h>

#include "base/format.h"
#include "exec/structure_proof.h"

#define ALL UINT32_MAX

/* A texture view in one form, whatever description it came from. */
struct texture_view_request {
    const struct d3d12_resource *resource; /* NULL: null descriptor */
    enum abi_descriptor_kind kind;
    bool is_uav;
    DXGI_FORMAT format;
    enum abi_texture_dimension dimension;
    uint32_t first_mip, mip_count;     /* ALL: to the end */
    uint32_t first_slice, slice_count; /* ALL: to the end; depth slices for 3D UAVs and RTVs */
    uint32_t plane;
    uint32_t swizzle;
    float min_lod;
};

static const uint32_t identity_swizzle = D3D12_DEFAULT_SHADER_4_COMPONENT_MAPPING;

static bool is_multisampled(enum abi_texture_dimension dimension)
{
    return dimension == ABI_TEXTURE_2DMS || dimension == ABI_TEXTURE_2DMS_ARRAY;
}

static uint8_t resource_dimension_of(enum abi_texture_dimension dimension)
{
    switch (dimension) {
    case ABI_TEXTURE_1D:
    case ABI_TEXTURE_1D_ARRAY:
        return 1;
    case ABI_TEXTURE_3D:
        return 3;
    default:
        return 2;
    }
}

static bool is_castable(const struct d3d12_resource *resource, DXGI_FORMAT format)
{
    const struct format_info *own = format_get_info(resource->desc.Format), *view = format_get_info(format);
    if (own->family == view->family)
        return true;
    for (UINT i = 0; i < resource->castable_format_count; i++)
        if (resource->castable_formats[i] == format)
            return true;
    /* Typed UAVs of R32 on 32-bit families (D3D11 rule that D3D12 kept). */
    bool is_r32 = view->family == FORMAT_R32_TYPELESS && !(view->flags & FORMAT_FLAG_DEPTH);
    return is_r32 && own->type == FORMAT_TYPE_TYPELESS && own->block_bytes == 4 && !own->flags;
}

static enum status check_format(const struct texture_view_request *request, struct reason *reason)
{
    const struct format_info *info = format_get_info(request->format);
    bool works = request->kind == ABI_DESCRIPTOR_RTV   ? format_can_render(request->format)
                 : request->kind == ABI_DESCRIPTOR_DSV ? (info->flags & FORMAT_FLAG_DEPTH) != 0
                 : request->is_uav                     ? format_can_store(request->format)
                                                       : format_can_load(request->format);
    if (!works)
        return reason_set(reason, STATUS_INVALID, "Format %d (%s) cannot be used for this kind of view", request->format,
                          info->name ? info->name : "no DXGI_FORMAT");
    if (request->resource && !is_castable(request->resource, request->format))
        return reason_set(reason, STATUS_INVALID, "Format %s cannot view resource '%s' of format %s", info->name,
                          com_object_name(&request->resource->object),
                          format_get_info(request->resource->desc.Format)->name);
    if (request->resource && request->plane >= request->resource->memory.texture.plane_count)
        return reason_set(reason, STATUS_INVALID, "PlaneSlice %u, the resource has %u planes", request->plane,
                          request->resource->memory.texture.plane_count);
    return STATUS_OK;
}

static enum status check_flags(const struct texture_view_request *request, struct reason *reason)
{
    D3D12_RESOURCE_FLAGS flags = request->resource->desc.Flags;
    unsigned needed = request->kind == ABI_DESCRIPTOR_RTV   ? D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET
                      : request->kind == ABI_DESCRIPTOR_DSV ? D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL
                      : request->is_uav                     ? D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS
                                                            : 0;
    if (needed && !(flags & needed))
        return reason_set(reason, STATUS_INVALID, "resource '%s' has Flags 0x%x but this view needs 0x%x",
                          com_object_name(&request->resource->object), flags, needed);
    if (!needed && flags & D3D12_RESOURCE_FLAG_DENY_SHADER_RESOURCE)
        return reason_set(reason, STATUS_INVALID, "resource '%s' has DENY_SHADER_RESOURCE",
                          com_object_name(&request->resource->object));
    return STATUS_OK;
}

/* Resolve ALL and check the range [first, first + count) against total. */
static enum status resolve_range(uint32_t first, uint32_t *count, uint32_t total, const char *name,
                                 struct reason *reason)
{
    if (first < total && *count == ALL)
        *count = total - first;
    if (first >= total || *count == 0 || *count > total - first)
        return reason_set(reason, STATUS_INVALID, "%s %u + %u is not inside the resource's %u", name, first, *count, total);
    return STATUS_OK;
}

static uint32_t slices_of(const struct texture_view_request *request)
{
    const struct abi_texture *texture = &request->resource->memory.texture;
    if (texture->dimension != 3)
        return texture->array_size;
    uint32_t depth = texture->depth >> request->first_mip;
    return depth ? depth : 1;
}

static enum status check_ranges(struct texture_view_request *request, struct reason *reason)
{
    const struct abi_texture *texture = &request->resource->memory.texture;
    if (texture->dimension != resource_dimension_of(request->dimension))
        return reason_set(reason, STATUS_INVALID, "the ViewDimension does not fit resource '%s' of %u dimensions",
                          com_object_name(&request->resource->object), texture->dimension);
    if (is_multisampled(request->dimension) != (texture->sample_count > 1))
        return reason_set(reason, STATUS_INVALID, "the ViewDimension and the resource's %u samples do not fit",
                          texture->sample_count);
    RETURN_IF_FAILED(resolve_range(request->first_mip, &request->mip_count, texture->mip_count, "mip slice", reason));
    bool slices_matter = texture->dimension != 3 || request->is_uav || request->kind == ABI_DESCRIPTOR_RTV;
    if (slices_matter)
        RETURN_IF_FAILED(
            resolve_range(request->first_slice, &request->slice_count, slices_of(request), "array or depth slice", reason));
    bool is_cube = request->dimension == ABI_TEXTURE_CUBE || request->dimension == ABI_TEXTURE_CUBE_ARRAY;
    if (is_cube && (request->slice_count % 6 || texture->width != texture->height))
        return reason_set(reason, STATUS_INVALID, "a cube view needs a square texture and a multiple of 6 slices, has %u",
                          request->slice_count);
    return STATUS_OK;
}

/* False: a rule is broken; *out is a null descriptor of the right kind then. */
static bool texture_view(struct texture_view_request *request, struct abi_descriptor *out, struct reason *reason)
{
    out->kind = (uint8_t)request->kind;
    out->is_uav = request->is_uav;
    out->dimension = (uint8_t)request->dimension;
    out->format = (uint16_t)request->format;
    out->texture.swizzle = (uint16_t)(request->swizzle & 0xfff);
    if (check_format(request, reason) != STATUS_OK)
        return false;
    if (!request->resource)
        return true;
    if (check_flags(request, reason) != STATUS_OK || check_ranges(request, reason) != STATUS_OK)
        return false;
    out->texture.texture = &request->resource->memory.texture;
    out->texture.first_mip = (uint16_t)request->first_mip;
    out->texture.mip_count = (uint16_t)request->mip_count;
    out->texture.first_slice = (uint16_t)request->first_slice;
    out->texture.slice_count = (uint16_t)request->slice_count;
    out->texture.plane = (uint8_t)request->plane;
    out->texture.min_lod = request->min_lod;
    out->resource_id = request->resource->memory.id;
    return true;
}

static enum abi_texture_dimension default_dimension(const struct d3d12_resource *resource)
{
    const struct abi_texture *texture = &resource->memory.texture;
    bool is_array = texture->array_size > 1;
    if (texture->dimension == 1)
        return is_array ? ABI_TEXTURE_1D_ARRAY : ABI_TEXTURE_1D;
    if (texture->dimension == 3)
        return ABI_TEXTURE_3D;
    if (texture->sample_count > 1)
        return is_array ? ABI_TEXTURE_2DMS_ARRAY : ABI_TEXTURE_2DMS;
    return is_array ? ABI_TEXTURE_2D_ARRAY : ABI_TEXTURE_2D;
}

/* Without a description, and for Format UNKNOWN: the whole resource in its own format. */
static struct texture_view_request default_request(const struct d3d12_resource *resource, enum abi_descriptor_kind kind,
                                                   bool is_uav)
{
    struct texture_view_request request = {
        .resource = resource,
        .kind = kind,
        .is_uav = is_uav,
        .mip_count = is_uav || kind != ABI_DESCRIPTOR_TEXTURE ? 1 : ALL,
        .slice_count = ALL,
        .swizzle = identity_swizzle,
    };
    if (resource && !d3d12_resource_is_buffer(resource)) {
        request.format = resource->desc.Format;
        request.dimension = default_dimension(resource);
    }
    return request;
}

static void report(struct d3d12_device *device, enum rule rule, const char *call, const struct reason *reason)
{
    message_write(device->messages, rule, "%s: %s; a null descriptor is written", call, reason->text);
}

/* --- shader resource views --- */

static enum status srv_texture_request(const D3D12_SHADER_RESOURCE_VIEW_DESC *desc,
                                       struct texture_view_request *request, struct reason *reason)
{
#define MIPS(part) (request->first_mip = desc->part.MostDetailedMip, request->mip_count = desc->part.MipLevels)
#define LOD(part)  (request->min_lod = desc->part.ResourceMinLODClamp)
#define SLICES(part)                                                                                         \
    (request->first_slice = desc->part.FirstArraySlice, request->slice_count = desc->part.ArraySize)
    switch (desc->ViewDimension) {
    case D3D12_SRV_DIMENSION_TEXTURE1D:
        request->dimension = ABI_TEXTURE_1D, MIPS(Texture1D), LOD(Texture1D), request->slice_count = 1;
        break;
    case D3D12_SRV_DIMENSION_TEXTURE1DARRAY:
        request->dimension = ABI_TEXTURE_1D_ARRAY, MIPS(Texture1DArray), LOD(Texture1DArray), SLICES(Texture1DArray);
        break;
    case D3D12_SRV_DIMENSION_TEXTURE2D:
        request->dimension = ABI_TEXTURE_2D, MIPS(Texture2D), LOD(Texture2D), request->slice_count = 1;
        request->plane = desc->Texture2D.PlaneSlice;
        break;
    case D3D12_SRV_DIMENSION_TEXTURE2DARRAY:
        request->dimension = ABI_TEXTURE_2D_ARRAY, MIPS(Texture2DArray), LOD(Texture2DArray), SLICES(Texture2DArray);
        request->plane = desc->Texture2DArray.PlaneSlice;
        break;
    case D3D12_SRV_DIMENSION_TEXTURE2DMS:
        request->dimension = ABI_TEXTURE_2DMS, request->mip_count = 1, request->slice_count = 1;
        break;
    case D3D12_SRV_DIMENSION_TEXTURE2DMSARRAY:
        request->dimension = ABI_TEXTURE_2DMS_ARRAY, request->mip_count = 1, SLICES(Texture2DMSArray);
        break;
    case D3D12_SRV_DIMENSION_TEXTURE3D:
        request->dimension = ABI_TEXTURE_3D, MIPS(Texture3D), LOD(Texture3D), request->slice_count = 1;
        break;
    case D3D12_SRV_DIMENSION_TEXTURECUBE:
        request->dimension = ABI_TEXTURE_CUBE, MIPS(TextureCube), LOD(TextureCube), request->slice_count = 6;
        break;
    case D3D12_SRV_DIMENSION_TEXTURECUBEARRAY:
        request->dimension = ABI_TEXTURE_CUBE_ARRAY, MIPS(TextureCubeArray), LOD(TextureCubeArray);
        request->first_slice = desc->TextureCubeArray.First2DArrayFace;
        request->slice_count = desc->TextureCubeArray.NumCubes == ALL ? ALL : desc->TextureCubeArray.NumCubes * 6;
        break;
    default:
        return reason_set(reason, STATUS_INVALID, "ViewDimension %d is no dimension of a texture view", desc->ViewDimension);
    }
#undef MIPS
#undef LOD
#undef SLICES
    return STATUS_OK;
}

static bool is_stencil_view(DXGI_FORMAT format)
{
    return format == DXGI_FORMAT_X24_TYPELESS_G8_UINT || format == DXGI_FORMAT_X32_TYPELESS_G8X24_UINT;
}

static bool srv_texture(const struct d3d12_resource *resource, const D3D12_SHADER_RESOURCE_VIEW_DESC *desc,
                        struct abi_descriptor *out, struct reason *reason)
{
    struct texture_view_request request = default_request(resource, ABI_DESCRIPTOR_TEXTURE, false);
    if (desc) {
        if (desc->Format != DXGI_FORMAT_UNKNOWN)
            request.format = desc->Format;
        request.swizzle = desc->Shader4ComponentMapping;
        if (srv_texture_request(desc, &request, reason) != STATUS_OK)
            return false;
    }
    if (is_stencil_view(request.format))
        request.plane = 1; /* the only plane that these formats read */
    return texture_view(&request, out, reason);
}

static bool srv_acceleration_structure(struct d3d12_device *device, const struct d3d12_resource *resource,
                                       const D3D12_SHADER_RESOURCE_VIEW_DESC *desc, struct abi_descriptor *out,
                                       struct reason *reason)
{
    uint64_t address = desc->RaytracingAccelerationStructure.Location;
    struct address_range range = {0};
    out->kind = ABI_DESCRIPTOR_ACCELERATION_STRUCTURE;
    if (resource) /* drivers look at Location alone */
        message_write(device->messages, RULE_SHADER_RESOURCE_VIEW,
                      "CreateShaderResourceView: pResource must be NULL for an acceleration structure; Location 0x%llx names it",
                      (unsigned long long)address);
    if (!address)
        return true;
    if (address % D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BYTE_ALIGNMENT) {
        reason_set(reason, STATUS_INVALID, "Location 0x%llx is no multiple of 256", (unsigned long long)address);
        return false;
    }
    if (!address_map_find_buffer(device->address_map, address, &range)) {
        reason_set(reason, STATUS_INVALID, "Location 0x%llx lies in no buffer", (unsigned long long)address);
        return false;
    }
    out->buffer.address = address;
    out->buffer.size_bytes = range.start + range.size_bytes - address;
    out->resource_id = range.id;
    return true;
}

static bool srv_buffer(const struct d3d12_resource *resource, const D3D12_SHADER_RESOURCE_VIEW_DESC *desc,
                       struct abi_descriptor *out, struct reason *reason)
{
    struct d3d12_buffer_view_request request = {
        .resource = resource,
        .format = desc->Format,
        .first_element = desc->Buffer.FirstElement,
        .element_count = desc->Buffer.NumElements,
        .stride = desc->Buffer.StructureByteStride,
        .is_raw = desc->Buffer.Flags & D3D12_BUFFER_SRV_FLAG_RAW,
    };
    if (resource && !d3d12_resource_is_buffer(resource)) {
        reason_set(reason, STATUS_INVALID, "ViewDimension BUFFER but the resource is a texture");
        out->kind = ABI_DESCRIPTOR_TYPED_BUFFER;
        return false;
    }
    return d3d12_view_buffer(&request, out, reason);
}

/* pResource as one of our resources. False: it is none, nor NULL. */
static bool resource_of(ID3D12Resource *iface, struct d3d12_resource **out, struct reason *reason)
{
    *out = d3d12_resource_from(iface);
    if (iface && !*out)
        reason_set(reason, STATUS_INVALID, "pResource is no resource of this library");
    return !iface || *out;
}

void d3d12_view_create_srv(struct d3d12_device *device, ID3D12Resource *iface,
                           const D3D12_SHADER_RESOURCE_VIEW_DESC *desc, D3D12_CPU_DESCRIPTOR_HANDLE handle)
{
    const char *call = "CreateShaderResourceView";
    struct abi_descriptor *target =
        d3d12_descriptor_resolve(device, call, handle.ptr, 1, D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, NULL);
    if (!target)
        return;
    struct abi_descriptor view = {.kind = ABI_DESCRIPTOR_TEXTURE, .dimension = ABI_TEXTURE_2D};
    struct reason reason = {{0}};
    struct d3d12_resource *resource;
    bool good = resource_of(iface, &resource, &reason);
    if (good && !desc && (!resource || d3d12_resource_is_buffer(resource))) {
        reason_set(&reason, STATUS_INVALID, "pDesc may be NULL only for a texture");
        good = false;
    } else if (good && desc && desc->ViewDimension == D3D12_SRV_DIMENSION_RAYTRACING_ACCELERATION_STRUCTURE) {
        good = srv_acceleration_structure(device, resource, desc, &view, &reason);
    } else if (good && desc && desc->ViewDimension == D3D12_SRV_DIMENSION_BUFFER) {
        good = srv_buffer(resource, desc, &view, &reason);
    } else if (good) {
        good = srv_texture(resource, desc, &view, &reason);
    }
    if (!good)
        report(device, RULE_SHADER_RESOURCE_VIEW, call, &reason);
    *target = view;
}

/* --- unordered access views --- */

static enum status uav_texture_request(const D3D12_UNORDERED_ACCESS_VIEW_DESC *desc,
                                       struct texture_view_request *request, struct reason *reason)
{
#define SLICES(part)                                                                                         \
    (request->first_slice = desc->part.FirstArraySlice, request->slice_count = desc->part.ArraySize)
    request->mip_count = 1;
    request->slice_count = 1;
    switch (desc->ViewDimension) {
    case D3D12_UAV_DIMENSION_TEXTURE1D:
        request->dimension = ABI_TEXTURE_1D, request->first_mip = desc->Texture1D.MipSlice;
        break;
    case D3D12_UAV_DIMENSION_TEXTURE1DARRAY:
        request->dimension = ABI_TEXTURE_1D_ARRAY, request->first_mip = desc->Texture1DArray.MipSlice;
        SLICES(Texture1DArray);
        break;
    case D3D12_UAV_DIMENSION_TEXTURE2D:
        request->dimension = ABI_TEXTURE_2D, request->first_mip = desc->Texture2D.MipSlice;
        request->plane = desc->Texture2D.PlaneSlice;
        break;
    case D3D12_UAV_DIMENSION_TEXTURE2DARRAY:
        request->dimension = ABI_TEXTURE_2D_ARRAY, request->first_mip = desc->Texture2DArray.MipSlice;
        request->plane = desc->Texture2DArray.PlaneSlice;
        SLICES(Texture2DArray);
        break;
    case D3D12_UAV_DIMENSION_TEXTURE2DMS: /* shader model 6.7, WriteableMSAATextures */
        request->dimension = ABI_TEXTURE_2DMS;
        break;
    case D3D12_UAV_DIMENSION_TEXTURE2DMSARRAY:
        request->dimension = ABI_TEXTURE_2DMS_ARRAY;
        SLICES(Texture2DMSArray);
        break;
    case D3D12_UAV_DIMENSION_TEXTURE3D:
        request->dimension = ABI_TEXTURE_3D, request->first_mip = desc->Texture3D.MipSlice;
        request->first_slice = desc->Texture3D.FirstWSlice, request->slice_count = desc->Texture3D.WSize;
        break;
    default:
        return reason_set(reason, STATUS_INVALID, "ViewDimension %d is not supported for a texture UAV",
                          desc->ViewDimension);
    }
#undef SLICES
    return STATUS_OK;
}

/* Shaders write to no structures: traversal believes what is in them. */
static bool allows_writes(const struct d3d12_resource *resource)
{
    return exec_structure_allow_view(d3d12_device_of(&resource->object)->exec, (uintptr_t)resource->memory.base);
}

static bool uav_buffer(const struct d3d12_resource *resource, const struct d3d12_resource *counter,
                       const D3D12_UNORDERED_ACCESS_VIEW_DESC *desc, struct abi_descriptor *out, struct reason *reason)
{
    struct d3d12_buffer_view_request request = {
        .resource = resource,
        .counter = counter,
        .format = desc->Format,
        .first_element = desc->Buffer.FirstElement,
        .element_count = desc->Buffer.NumElements,
        .stride = desc->Buffer.StructureByteStride,
        .counter_offset = desc->Buffer.CounterOffsetInBytes,
        .is_raw = desc->Buffer.Flags & D3D12_BUFFER_UAV_FLAG_RAW,
        .is_uav = true,
    };
    out->kind = ABI_DESCRIPTOR_TYPED_BUFFER;
    out->is_uav = true;
    if (resource && !d3d12_resource_is_buffer(resource)) {
        reason_set(reason, STATUS_INVALID, "ViewDimension BUFFER but the resource is a texture");
        return false;
    }
    if (resource && !(resource->desc.Flags & D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS)) {
        reason_set(reason, STATUS_INVALID, "buffer '%s' has no ALLOW_UNORDERED_ACCESS (Flags 0x%x)",
                   com_object_name(&resource->object), resource->desc.Flags);
        return false;
    }
    if ((resource && !allows_writes(resource)) || (counter && !allows_writes(counter))) {
        reason_set(reason, STATUS_INVALID, "buffer '%s' was created in state RAYTRACING_ACCELERATION_STRUCTURE, which has no "
                   "unordered access", com_object_name(&(resource ? resource : counter)->object));
        return false;
    }
    return d3d12_view_buffer(&request, out, reason);
}

static bool uav_texture(const struct d3d12_resource *resource, const D3D12_UNORDERED_ACCESS_VIEW_DESC *desc,
                        struct abi_descriptor *out, struct reason *reason)
{
    struct texture_view_request request = default_request(resource, ABI_DESCRIPTOR_TEXTURE, true);
    if (desc && desc->Format != DXGI_FORMAT_UNKNOWN)
        request.format = desc->Format;
    if (desc && uav_texture_request(desc, &request, reason) != STATUS_OK)
        return false;
    return texture_view(&request, out, reason);
}

void d3d12_view_create_uav(struct d3d12_device *device, ID3D12Resource *iface, ID3D12Resource *counter_iface,
                           const D3D12_UNORDERED_ACCESS_VIEW_DESC *desc, D3D12_CPU_DESCRIPTOR_HANDLE handle)
{
    const char *call = "CreateUnorderedAccessView";
    struct abi_descriptor *target =
        d3d12_descriptor_resolve(device, call, handle.ptr, 1, D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, NULL);
    if (!target)
        return;
    struct abi_descriptor view = {.kind = ABI_DESCRIPTOR_TEXTURE, .is_uav = 1, .dimension = ABI_TEXTURE_2D};
    struct reason reason = {{0}};
    struct d3d12_resource *resource, *counter;
    bool good = resource_of(iface, &resource, &reason) && resource_of(counter_iface, &counter, &reason);
    if (good && !desc && (!resource || d3d12_resource_is_buffer(resource))) {
        reason_set(&reason, STATUS_INVALID, "pDesc may be NULL only for a texture");
        good = false;
    } else if (good && desc && desc->ViewDimension == D3D12_UAV_DIMENSION_BUFFER) {
        good = uav_buffer(resource, counter, desc, &view, &reason);
    } else if (good && counter) {
        reason_set(&reason, STATUS_INVALID, "pCounterResource is for structured buffers");
        good = false;
    } else if (good) {
        good = uav_texture(resource, desc, &view, &reason);
    }
    if (!good)
        report(device, RULE_UNORDERED_ACCESS_VIEW, call, &reason);
    *target = view;
}

/* --- samplers --- */

static enum status check_sampler(const D3D12_SAMPLER_DESC2 *desc, struct reason *reason)
{
    const D3D12_TEXTURE_ADDRESS_MODE modes[] = {desc->AddressU, desc->AddressV, desc->AddressW};
    for (int i = 0; i < 3; i++)
        if (modes[i] < D3D12_TEXTURE_ADDRESS_MODE_WRAP || modes[i] > D3D12_TEXTURE_ADDRESS_MODE_MIRROR_ONCE)
            return reason_set(reason, STATUS_INVALID, "Address%c %d is no D3D12_TEXTURE_ADDRESS_MODE", "UVW"[i], modes[i]);
    unsigned filter = desc->Filter, reduction = filter >> 7 & 3;
    if (filter & ~0x1d5u)
        return reason_set(reason, STATUS_INVALID, "Filter 0x%x is no D3D12_FILTER", filter);
    if (reduction == D3D12_FILTER_REDUCTION_TYPE_COMPARISON &&
        (desc->ComparisonFunc < D3D12_COMPARISON_FUNC_NEVER || desc->ComparisonFunc > D3D12_COMPARISON_FUNC_ALWAYS))
        return reason_set(reason, STATUS_INVALID, "ComparisonFunc %d is needed by Filter 0x%x and is no D3D12_COMPARISON_FUNC",
                          desc->ComparisonFunc, filter);
    if (filter & 0x40 && (desc->MaxAnisotropy < 1 || desc->MaxAnisotropy > 16))
        return reason_set(reason, STATUS_INVALID, "MaxAnisotropy %u must be 1 to 16", desc->MaxAnisotropy);
    if (desc->Flags & ~D3D12_SAMPLER_FLAG_UINT_BORDER_COLOR)
        return reason_set(reason, STATUS_INVALID, "Flags 0x%x has unknown bits", desc->Flags);
    return STATUS_OK;
}

void d3d12_view_create_sampler(struct d3d12_device *device, const D3D12_SAMPLER_DESC2 *desc,
                               D3D12_CPU_DESCRIPTOR_HANDLE handle)
{
    struct abi_descriptor *target =
        d3d12_descriptor_resolve(device, "CreateSampler", handle.ptr, 1, D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER, NULL);
    if (!target)
        return;
    static const D3D12_SAMPLER_DESC2 fallback = {
        .AddressU = D3D12_TEXTURE_ADDRESS_MODE_CLAMP,
        .AddressV = D3D12_TEXTURE_ADDRESS_MODE_CLAMP,
        .AddressW = D3D12_TEXTURE_ADDRESS_MODE_CLAMP,
        .ComparisonFunc = D3D12_COMPARISON_FUNC_NEVER,
        .MaxLOD = D3D12_FLOAT32_MAX,
    };
    struct reason reason = {{0}};
    if (!desc || check_sampler(desc, &reason) != STATUS_OK) {
        message_write(device->messages, RULE_SAMPLER, "CreateSampler: %s; a point sampler is written",
                      desc ? reason.text : "pDesc is NULL");
        desc = &fallback;
    }
    struct abi_descriptor view = {.kind = ABI_DESCRIPTOR_SAMPLER};
    view.sampler = (struct abi_sampler){
        .filter = desc->Filter,
        .address = {(uint8_t)desc->AddressU, (uint8_t)desc->AddressV, (uint8_t)desc->AddressW},
        .comparison = (uint8_t)desc->ComparisonFunc,
        .mip_lod_bias = desc->MipLODBias,
        .max_anisotropy = desc->MaxAnisotropy,
        .min_lod = desc->MinLOD,
        .max_lod = desc->MaxLOD,
        .border_is_uint = desc->Flags & D3D12_SAMPLER_FLAG_UINT_BORDER_COLOR,
    };
    memcpy(view.sampler.border, desc->FloatBorderColor, sizeof(view.sampler.border));
    *target = view;
}

/* --- render target and depth stencil views: for clears --- */

static enum status rtv_request(const D3D12_RENDER_TARGET_VIEW_DESC *desc, struct texture_view_request *request,
                               struct reason *reason)
{
#define SLICES(part)                                                                                         \
    (request->first_slice = desc->part.FirstArraySlice, request->slice_count = desc->part.ArraySize)
    request->slice_count = 1;
    switch (desc->ViewDimension) {
    case D3D12_RTV_DIMENSION_TEXTURE1D:
        request->dimension = ABI_TEXTURE_1D, request->first_mip = desc->Texture1D.MipSlice;
        break;
    case D3D12_RTV_DIMENSION_TEXTURE1DARRAY:
        request->dimension = ABI_TEXTURE_1D_ARRAY, request->first_mip = desc->Texture1DArray.MipSlice;
        SLICES(Texture1DArray);
        break;
    case D3D12_RTV_DIMENSION_TEXTURE2D:
        request->dimension = ABI_TEXTURE_2D, request->first_mip = desc->Texture2D.MipSlice;
        request->plane = desc->Texture2D.PlaneSlice;
        break;
    case D3D12_RTV_DIMENSION_TEXTURE2DARRAY:
        request->dimension = ABI_TEXTURE_2D_ARRAY, request->first_mip = desc->Texture2DArray.MipSlice;
        request->plane = desc->Texture2DArray.PlaneSlice;
        SLICES(Texture2DArray);
        break;
    case D3D12_RTV_DIMENSION_TEXTURE2DMS:
        request->dimension = ABI_TEXTURE_2DMS;
        break;
    case D3D12_RTV_DIMENSION_TEXTURE2DMSARRAY:
        request->dimension = ABI_TEXTURE_2DMS_ARRAY;
        SLICES(Texture2DMSArray);
        break;
    case D3D12_RTV_DIMENSION_TEXTURE3D:
        request->dimension = ABI_TEXTURE_3D, request->first_mip = desc->Texture3D.MipSlice;
        request->first_slice = desc->Texture3D.FirstWSlice, request->slice_count = desc->Texture3D.WSize;
        break;
    default:
        return reason_set(reason, STATUS_INVALID, "ViewDimension %d is not supported for a render target view",
                          desc->ViewDimension);
    }
#undef SLICES
    return STATUS_OK;
}

void d3d12_view_create_rtv(struct d3d12_device *device, ID3D12Resource *iface,
                           const D3D12_RENDER_TARGET_VIEW_DESC *desc, D3D12_CPU_DESCRIPTOR_HANDLE handle)
{
    const char *call = "CreateRenderTargetView";
    struct abi_descriptor *target =
        d3d12_descriptor_resolve(device, call, handle.ptr, 1, D3D12_DESCRIPTOR_HEAP_TYPE_RTV, NULL);
    if (!target)
        return;
    struct abi_descriptor view = {.kind = ABI_DESCRIPTOR_RTV, .dimension = ABI_TEXTURE_2D};
    struct reason reason = {{0}};
    struct d3d12_resource *resource;
    bool good = resource_of(iface, &resource, &reason);
    struct texture_view_request request = default_request(resource, ABI_DESCRIPTOR_RTV, false);
    if (desc && desc->Format != DXGI_FORMAT_UNKNOWN)
        request.format = desc->Format;
    good = good && (!desc || rtv_request(desc, &request, &reason) == STATUS_OK) && texture_view(&request, &view, &reason);
    if (!good)
        report(device, RULE_RENDER_TARGET_VIEW, call, &reason);
    *target = view;
}

static enum status dsv_request(const D3D12_DEPTH_STENCIL_VIEW_DESC *desc, struct texture_view_request *request,
                               struct reason *reason)
{
#define SLICES(part)                                                                                         \
    (request->first_slice = desc->part.FirstArraySlice, request->slice_count = desc->part.ArraySize)
    request->slice_count = 1;
    switch (desc->ViewDimension) {
    case D3D12_DSV_DIMENSION_TEXTURE1D:
        request->dimension = ABI_TEXTURE_1D, request->first_mip = desc->Texture1D.MipSlice;
        break;
    case D3D12_DSV_DIMENSION_TEXTURE1DARRAY:
        request->dimension = ABI_TEXTURE_1D_ARRAY, request->first_mip = desc->Texture1DArray.MipSlice;
        SLICES(Texture1DArray);
        break;
    case D3D12_DSV_DIMENSION_TEXTURE2D:
        request->dimension = ABI_TEXTURE_2D, request->first_mip = desc->Texture2D.MipSlice;
        break;
    case D3D12_DSV_DIMENSION_TEXTURE2DARRAY:
        request->dimension = ABI_TEXTURE_2D_ARRAY, request->first_mip = desc->Texture2DArray.MipSlice;
        SLICES(Texture2DArray);
        break;
    case D3D12_DSV_DIMENSION_TEXTURE2DMS:
        request->dimension = ABI_TEXTURE_2DMS;
        break;
    case D3D12_DSV_DIMENSION_TEXTURE2DMSARRAY:
        request->dimension = ABI_TEXTURE_2DMS_ARRAY;
        SLICES(Texture2DMSArray);
        break;
    default:
        return reason_set(reason, STATUS_INVALID, "ViewDimension %d is not supported for a depth stencil view",
                          desc->ViewDimension);
    }
#undef SLICES
    return STATUS_OK;
}

void d3d12_view_create_dsv(struct d3d12_device *device, ID3D12Resource *iface,
                           const D3D12_DEPTH_STENCIL_VIEW_DESC *desc, D3D12_CPU_DESCRIPTOR_HANDLE handle)
{
    const char *call = "CreateDepthStencilView";
    struct abi_descriptor *target =
        d3d12_descriptor_resolve(device, call, handle.ptr, 1, D3D12_DESCRIPTOR_HEAP_TYPE_DSV, NULL);
    if (!target)
        return;
    struct abi_descriptor view = {.kind = ABI_DESCRIPTOR_DSV, .dimension = ABI_TEXTURE_2D};
    struct reason reason = {{0}};
    struct d3d12_resource *resource;
    bool good = resource_of(iface, &resource, &reason);
    struct texture_view_request request = default_request(resource, ABI_DESCRIPTOR_DSV, false);
    if (desc && desc->Format != DXGI_FORMAT_UNKNOWN)
        request.format = desc->Format;
    good = good && (!desc || dsv_request(desc, &request, &reason) == STATUS_OK) && texture_view(&request, &view, &reason);
    if (!good)
        report(device, RULE_DEPTH_STENCIL_VIEW, call, &reason);
    *target = view;
}
