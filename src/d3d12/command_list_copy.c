/* SPDX-License-Identifier: MIT
 * Copies and resolves of a command list. */
#include "base/format.h"
#include "d3d12/command_list.h"
#include "d3d12/command_list_methods.h"
#include "exec/copy.h"

enum { PLACEMENT_ALIGNMENT = D3D12_TEXTURE_DATA_PLACEMENT_ALIGNMENT, PITCH_ALIGNMENT = D3D12_TEXTURE_DATA_PITCH_ALIGNMENT };

static void record_buffer_copy(struct d3d12_command_list *list, uint64_t destination, uint64_t source, uint64_t bytes)
{
    struct exec_copy_buffer *entry = exec_record_copy_buffer(list->stream, 0);
    if (!entry) {
        list_out_of_memory(list);
        return;
    }
    entry->destination = destination;
    entry->source = source;
    entry->bytes = bytes;
}

static void copy_buffer(ID3D12GraphicsCommandList8 *self, const char *call, ID3D12Resource *destination_interface,
                        UINT64 destination_offset, ID3D12Resource *source_interface, UINT64 source_offset,
                        UINT64 bytes)
{
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_COPY);
    if (!list)
        return;
    struct d3d12_resource *destination =
        list_buffer(list, call, "pDstBuffer", destination_interface, destination_offset, bytes);
    struct d3d12_resource *source =
        destination ? list_buffer(list, call, "pSrcBuffer", source_interface, source_offset, bytes) : NULL;
    if (source)
        record_buffer_copy(list, list_buffer_address(destination, destination_offset),
                           list_buffer_address(source, source_offset), bytes);
}

void STDMETHODCALLTYPE d3d12_command_list_CopyBufferRegion(ID3D12GraphicsCommandList8 *self,
                                                           ID3D12Resource *pDstBuffer, UINT64 DstOffset,
                                                           ID3D12Resource *pSrcBuffer, UINT64 SrcOffset,
                                                           UINT64 NumBytes)
{
    copy_buffer(self, "CopyBufferRegion", pDstBuffer, DstOffset, pSrcBuffer, SrcOffset, NumBytes);
}

/* Work of one list runs in order, so the dependent resources need no waiting. */
void STDMETHODCALLTYPE d3d12_command_list_AtomicCopyBufferUINT(
    ID3D12GraphicsCommandList8 *self, ID3D12Resource *pDstBuffer, UINT64 DstOffset, ID3D12Resource *pSrcBuffer,
    UINT64 SrcOffset, UINT Dependencies, ID3D12Resource *const *ppDependentResources,
    const D3D12_SUBRESOURCE_RANGE_UINT64 *pDependentSubresourceRanges)
{
    copy_buffer(self, "AtomicCopyBufferUINT", pDstBuffer, DstOffset, pSrcBuffer, SrcOffset, sizeof(UINT));
}

void STDMETHODCALLTYPE d3d12_command_list_AtomicCopyBufferUINT64(
    ID3D12GraphicsCommandList8 *self, ID3D12Resource *pDstBuffer, UINT64 DstOffset, ID3D12Resource *pSrcBuffer,
    UINT64 SrcOffset, UINT Dependencies, ID3D12Resource *const *ppDependentResources,
    const D3D12_SUBRESOURCE_RANGE_UINT64 *pDependentSubresourceRanges)
{
    copy_buffer(self, "AtomicCopyBufferUINT64", pDstBuffer, DstOffset, pSrcBuffer, SrcOffset, sizeof(UINT64));
}

/* A subresource of a texture. False after list_fail. */
static bool texture_location(struct d3d12_command_list *list, const char *call, const char *parameter,
                             ID3D12Resource *resource_interface, UINT subresource, struct exec_texture_location *out)
{
    struct d3d12_resource *resource = list_resource(list, call, parameter, resource_interface);
    if (!resource)
        return false;
    const struct abi_texture *texture = &resource->memory.texture;
    if (d3d12_resource_is_buffer(resource) || subresource >= resource->memory.subresource_count) {
        list_fail(list, RULE_COPY, "%s: %s names subresource %u of '%s', which has %u%s", call, parameter, subresource,
                  com_object_name(&resource->object), resource->memory.subresource_count,
                  d3d12_resource_is_buffer(resource) ? " and is a buffer" : "");
        return false;
    }
    *out = (struct exec_texture_location){
        .texture = texture,
        .mip = subresource % texture->mip_count,
        .slice = subresource / texture->mip_count % texture->array_size,
        .plane = subresource / texture->mip_count / texture->array_size,
        .format = texture->format,
    };
    return true;
}

/* Bytes from the footprint's offset to the end of its last row. */
static uint64_t footprint_bytes(const D3D12_SUBRESOURCE_FOOTPRINT *footprint, const struct format_info *info,
                                uint64_t slice_pitch)
{
    uint64_t columns = (footprint->Width + info->block_width - 1) / info->block_width;
    uint64_t rows = (footprint->Height + info->block_height - 1) / info->block_height;
    if (!columns || !rows || !footprint->Depth)
        return 0;
    return (footprint->Depth - 1) * slice_pitch + (rows - 1) * footprint->RowPitch + columns * info->block_bytes;
}

static const char *footprint_problem(const D3D12_PLACED_SUBRESOURCE_FOOTPRINT *placed, const struct format_info *info)
{
    if (!info->block_bytes)
        return "a Format that cannot be copied";
    if (placed->Offset % PLACEMENT_ALIGNMENT)
        return "an Offset that is no multiple of 512";
    if (placed->Footprint.RowPitch % PITCH_ALIGNMENT)
        return "a RowPitch that is no multiple of 256";
    uint64_t columns = ((uint64_t)placed->Footprint.Width + info->block_width - 1) / info->block_width;
    if (columns * info->block_bytes > placed->Footprint.RowPitch)
        return "a RowPitch smaller than a row";
    return NULL;
}

static bool buffer_location(struct d3d12_command_list *list, const char *call, const char *parameter,
                            const D3D12_TEXTURE_COPY_LOCATION *location, struct exec_texture_location *out)
{
    const D3D12_PLACED_SUBRESOURCE_FOOTPRINT *placed = &location->PlacedFootprint;
    const D3D12_SUBRESOURCE_FOOTPRINT *footprint = &placed->Footprint;
    const struct format_info *info = format_get_info(footprint->Format);
    const char *problem = footprint_problem(placed, info);
    if (problem) {
        list_fail(list, RULE_COPY, "%s: %s has %s (Offset %llu, Format %d, Width %u, RowPitch %u)", call, parameter,
                  problem, (unsigned long long)placed->Offset, footprint->Format, footprint->Width,
                  footprint->RowPitch);
        return false;
    }
    uint64_t rows = (footprint->Height + info->block_height - 1) / info->block_height;
    uint64_t slice_pitch = rows * footprint->RowPitch;
    if (slice_pitch > UINT32_MAX) {
        list_fail(list, RULE_COPY, "%s: %s has slices of %llu bytes, at most 2^32 are supported", call, parameter,
                  (unsigned long long)slice_pitch);
        return false;
    }
    struct d3d12_resource *buffer = list_buffer(list, call, parameter, location->pResource, placed->Offset,
                                                footprint_bytes(footprint, info, slice_pitch));
    if (!buffer)
        return false;
    *out = (struct exec_texture_location){
        .address = list_buffer_address(buffer, placed->Offset),
        .format = footprint->Format,
        .width = footprint->Width,
        .height = footprint->Height,
        .depth = footprint->Depth,
        .row_pitch = footprint->RowPitch,
        .slice_pitch = (uint32_t)slice_pitch,
    };
    return true;
}

static bool copy_location(struct d3d12_command_list *list, const char *call, const char *parameter,
                          const D3D12_TEXTURE_COPY_LOCATION *location, struct exec_texture_location *out)
{
    if (location->Type == D3D12_TEXTURE_COPY_TYPE_SUBRESOURCE_INDEX)
        return texture_location(list, call, parameter, location->pResource, location->SubresourceIndex, out);
    if (location->Type == D3D12_TEXTURE_COPY_TYPE_PLACED_FOOTPRINT)
        return buffer_location(list, call, parameter, location, out);
    list_fail(list, RULE_COPY, "%s: %s->Type is %d, which is not defined", call, parameter, location->Type);
    return false;
}

/* Everything of a surface. */
static bool whole_box(const struct exec_texture_location *location, struct exec_box *box)
{
    struct exec_surface surface;
    if (!exec_surface_of(location, &surface))
        return false;
    *box = (struct exec_box){0, 0, 0, surface.width, surface.height, surface.depth};
    return true;
}

void STDMETHODCALLTYPE d3d12_command_list_CopyTextureRegion(ID3D12GraphicsCommandList8 *self,
                                                            const D3D12_TEXTURE_COPY_LOCATION *pDst, UINT DstX,
                                                            UINT DstY, UINT DstZ,
                                                            const D3D12_TEXTURE_COPY_LOCATION *pSrc,
                                                            const D3D12_BOX *pSrcBox)
{
    const char *call = "CopyTextureRegion";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_COPY);
    if (!list)
        return;
    if (!pDst || !pSrc) {
        list_fail(list, RULE_COPY, "%s: %s is NULL", call, pDst ? "pSrc" : "pDst");
        return;
    }
    struct exec_copy_texture copy = {.x = DstX, .y = DstY, .z = DstZ};
    if (!copy_location(list, call, "pDst", pDst, &copy.destination) ||
        !copy_location(list, call, "pSrc", pSrc, &copy.source))
        return;
    if (pSrcBox)
        copy.box = (struct exec_box){pSrcBox->left,  pSrcBox->top,    pSrcBox->front,
                                     pSrcBox->right, pSrcBox->bottom, pSrcBox->back};
    struct reason reason = {0};
    if ((!pSrcBox && !whole_box(&copy.source, &copy.box)) || exec_copy_texture_check(&copy, &reason) != STATUS_OK) {
        list_fail(list, RULE_COPY, "%s: %s", call, reason.text[0] ? reason.text : "pSrc has no copyable format");
        return;
    }
    struct exec_copy_texture *entry = exec_record_copy_texture(list->stream, 0);
    if (!entry) {
        list_out_of_memory(list);
        return;
    }
    copy.command = entry->command;
    *entry = copy;
}

void STDMETHODCALLTYPE d3d12_command_list_CopyResource(ID3D12GraphicsCommandList8 *self,
                                                       ID3D12Resource *pDstResource, ID3D12Resource *pSrcResource)
{
    const char *call = "CopyResource";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_COPY);
    struct d3d12_resource *destination = list ? list_resource(list, call, "pDstResource", pDstResource) : NULL;
    struct d3d12_resource *source = destination ? list_resource(list, call, "pSrcResource", pSrcResource) : NULL;
    if (!source)
        return;
    if (d3d12_resource_is_buffer(destination) != d3d12_resource_is_buffer(source) ||
        (d3d12_resource_is_buffer(source) && destination->memory.size_bytes != source->memory.size_bytes)) {
        list_fail(list, RULE_COPY, "%s: '%s' (%llu bytes) and '%s' (%llu bytes) are not of the same kind and size", call,
                  com_object_name(&destination->object), (unsigned long long)destination->memory.size_bytes,
                  com_object_name(&source->object), (unsigned long long)source->memory.size_bytes);
        return;
    }
    if (d3d12_resource_is_buffer(source)) {
        record_buffer_copy(list, list_buffer_address(destination, 0), list_buffer_address(source, 0),
                           source->memory.size_bytes);
        return;
    }
    struct reason reason = {0};
    if (exec_copy_texture_resource_check(&destination->memory.texture, &source->memory.texture, &reason) !=
        STATUS_OK) {
        list_fail(list, RULE_COPY, "%s: %s", call, reason.text);
        return;
    }
    struct exec_copy_texture_resource *entry = exec_record_copy_texture_resource(list->stream, 0);
    if (!entry) {
        list_out_of_memory(list);
        return;
    }
    entry->destination = &destination->memory.texture;
    entry->source = &source->memory.texture;
}

static void resolve(struct d3d12_command_list *list, const char *call, struct exec_resolve_subresource *wanted)
{
    struct reason reason = {0};
    if (exec_resolve_check(wanted, &reason) != STATUS_OK) {
        list_fail(list, RULE_COPY, "%s: %s", call, reason.text);
        return;
    }
    struct exec_resolve_subresource *entry = exec_record_resolve_subresource(list->stream, 0);
    if (!entry) {
        list_out_of_memory(list);
        return;
    }
    wanted->command = entry->command;
    *entry = *wanted;
}

void STDMETHODCALLTYPE d3d12_command_list_ResolveSubresource(ID3D12GraphicsCommandList8 *self,
                                                             ID3D12Resource *pDstResource, UINT DstSubresource,
                                                             ID3D12Resource *pSrcResource, UINT SrcSubresource,
                                                             DXGI_FORMAT Format)
{
    const char *call = "ResolveSubresource";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_NORMAL);
    struct exec_resolve_subresource wanted = {.format = Format, .mode = D3D12_RESOLVE_MODE_AVERAGE};
    if (list && texture_location(list, call, "pDstResource", pDstResource, DstSubresource, &wanted.destination) &&
        texture_location(list, call, "pSrcResource", pSrcResource, SrcSubresource, &wanted.source) &&
        whole_box(&wanted.source, &wanted.box))
        resolve(list, call, &wanted);
}

void STDMETHODCALLTYPE d3d12_command_list_ResolveSubresourceRegion(ID3D12GraphicsCommandList8 *self,
                                                                   ID3D12Resource *pDstResource, UINT DstSubresource,
                                                                   UINT DstX, UINT DstY, ID3D12Resource *pSrcResource,
                                                                   UINT SrcSubresource, D3D12_RECT *pSrcRect,
                                                                   DXGI_FORMAT Format, D3D12_RESOLVE_MODE ResolveMode)
{
    const char *call = "ResolveSubresourceRegion";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_NORMAL);
    struct exec_resolve_subresource wanted = {.format = Format, .mode = ResolveMode, .x = DstX, .y = DstY};
    if (!list || !texture_location(list, call, "pDstResource", pDstResource, DstSubresource, &wanted.destination) ||
        !texture_location(list, call, "pSrcResource", pSrcResource, SrcSubresource, &wanted.source) ||
        !whole_box(&wanted.source, &wanted.box))
        return;
    if (ResolveMode > D3D12_RESOLVE_MODE_AVERAGE) {
        list_fail(list, RULE_COPY, "%s: ResolveMode is %d, only DECOMPRESS, MIN, MAX and AVERAGE are supported", call,
                  ResolveMode);
        return;
    }
    if (pSrcRect && (pSrcRect->left < 0 || pSrcRect->top < 0)) {
        list_fail(list, RULE_COPY, "%s: pSrcRect starts at (%d, %d), it must not be negative", call,
                  (int)pSrcRect->left, (int)pSrcRect->top);
        return;
    }
    if (pSrcRect) {
        wanted.box.left = (uint32_t)pSrcRect->left;
        wanted.box.top = (uint32_t)pSrcRect->top;
        wanted.box.right = pSrcRect->right < pSrcRect->left ? wanted.box.left : (uint32_t)pSrcRect->right;
        wanted.box.bottom = pSrcRect->bottom < pSrcRect->top ? wanted.box.top : (uint32_t)pSrcRect->bottom;
    }
    resolve(list, call, &wanted);
}

static uint64_t tiles_of(const struct d3d12_resource *resource)
{
    return (resource->memory.size_bytes + EXEC_TILE_BYTES - 1) / EXEC_TILE_BYTES;
}

static bool tile_region_fits(const struct d3d12_resource *resource, const D3D12_TILED_RESOURCE_COORDINATE *start,
                             const D3D12_TILE_REGION_SIZE *region)
{
    if (d3d12_resource_is_buffer(resource))
        return !region->UseBox && start->Subresource == 0 && start->X <= tiles_of(resource) &&
               tiles_of(resource) - start->X >= region->NumTiles &&
               ((uint64_t)start->X + region->NumTiles) * EXEC_TILE_BYTES <= resource->memory.size_bytes;
    if (region->UseBox && (uint64_t)region->Width * region->Height * region->Depth != region->NumTiles)
        return false;
    return start->Subresource < resource->memory.subresource_count && resource->memory.texture.plane_count == 1;
}

void STDMETHODCALLTYPE d3d12_command_list_CopyTiles(ID3D12GraphicsCommandList8 *self, ID3D12Resource *pTiledResource,
                                                    const D3D12_TILED_RESOURCE_COORDINATE *pTileRegionStartCoordinate,
                                                    const D3D12_TILE_REGION_SIZE *pTileRegionSize,
                                                    ID3D12Resource *pBuffer, UINT64 BufferStartOffsetInBytes,
                                                    D3D12_TILE_COPY_FLAGS Flags)
{
    const char *call = "CopyTiles";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_COPY);
    if (!list)
        return;
    if (!pTileRegionStartCoordinate || !pTileRegionSize) {
        list_fail(list, RULE_COPY, "%s: the start coordinate or the region is NULL", call);
        return;
    }
    struct d3d12_resource *tiled = list_resource(list, call, "pTiledResource", pTiledResource);
    struct d3d12_resource *buffer =
        tiled ? list_buffer(list, call, "pBuffer", pBuffer, BufferStartOffsetInBytes,
                            (uint64_t)pTileRegionSize->NumTiles * EXEC_TILE_BYTES)
              : NULL;
    if (!buffer)
        return;
    const D3D12_TILED_RESOURCE_COORDINATE *start = pTileRegionStartCoordinate;
    if (!tiled->is_reserved || !tile_region_fits(tiled, start, pTileRegionSize)) {
        list_fail(list, RULE_COPY, "%s: %u tiles at (%u, %u, %u) of subresource %u are not a region of reserved "
                                   "resource '%s'",
                  call, pTileRegionSize->NumTiles, start->X, start->Y, start->Z, start->Subresource,
                  com_object_name(&tiled->object));
        return;
    }
    struct exec_copy_tiles *entry = exec_record_copy_tiles(list->stream, 0);
    if (!entry) {
        list_out_of_memory(list);
        return;
    }
    entry->texture = d3d12_resource_is_buffer(tiled) ? NULL : &tiled->memory.texture;
    entry->tiled_address = list_buffer_address(tiled, 0);
    entry->buffer_address = list_buffer_address(buffer, BufferStartOffsetInBytes);
    entry->x = start->X;
    entry->y = start->Y;
    entry->z = start->Z;
    entry->subresource = start->Subresource;
    entry->tile_count = pTileRegionSize->NumTiles;
    entry->use_box = pTileRegionSize->UseBox != 0;
    entry->width = pTileRegionSize->Width;
    entry->height = pTileRegionSize->Height;
    entry->depth = pTileRegionSize->Depth;
    entry->to_buffer = !(Flags & D3D12_TILE_COPY_FLAG_LINEAR_BUFFER_TO_SWIZZLED_TILED_RESOURCE); /* NONE reads too */
}
