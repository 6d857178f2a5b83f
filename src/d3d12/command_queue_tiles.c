/* SPDX-License-Identifier: MIT
 * UpdateTileMappings and CopyTileMappings. Tiles of buffers are pages of the heap mapped into the reserved resource, so
 * every alias sees every write. Textures are linear here and a tile is no run of pages: its texels are copied out of
 * the heap when it is mapped and back when it is unmapped; a heap tile that two textures map at once is not shared
 * between them. Both happen in queue order. */
#include "d3d12/command_queue.h"

#include <stdlib.h>
#include <string.h>

#include "d3d12/heap.h"
#include "d3d12/resource.h"
#include "d3d12/resource_info.h"
#include "d3d12/tile_map.h"
#include "exec/copy.h"

/* What one tile of a resource shows. */
struct tile {
    struct d3d12_heap *heap; /* held; NULL: a NULL tile */
    uint32_t heap_tile;
};

struct d3d12_tile_map {
    uint32_t tile_count;
    struct tile tiles[];
};

/* Mappings change on queue threads only, one at a time. */
static pthread_mutex_t tile_mutex = PTHREAD_MUTEX_INITIALIZER;

void d3d12_tile_map_destroy(struct d3d12_tile_map *map)
{
    for (uint32_t i = 0; map && i < map->tile_count; i++)
        if (map->tiles[i].heap)
            com_object_drop(&map->tiles[i].heap->object);
    free(map);
}

/* One tile to change, worked off by the queue's thread. */
struct change {
    uint32_t tile; /* of the whole resource */
    uint32_t heap_tile;
    bool is_null;
    uint32_t source_tile; /* CopyTileMappings */
};

struct job {
    struct d3d12_resource *resource; /* held */
    struct d3d12_resource *source;   /* held; CopyTileMappings */
    struct d3d12_heap *heap;         /* held; NULL: only NULL tiles */
    uint32_t change_count, change_capacity;
    struct change *changes;
};

static void job_destroy(void *context)
{
    struct job *job = context;
    com_object_drop(job->resource ? &job->resource->object : NULL);
    com_object_drop(job->source ? &job->source->object : NULL);
    com_object_drop(job->heap ? &job->heap->object : NULL);
    free(job->changes);
    free(job);
}

static struct d3d12_tile_map *tile_map_of(struct d3d12_resource *resource)
{
    if (resource->tile_map)
        return resource->tile_map;
    struct d3d12_tiling tiling;
    d3d12_tiling_of(&resource->desc, &tiling, NULL);
    resource->tile_map = calloc(1, sizeof(*resource->tile_map) + tiling.tile_count * sizeof(struct tile));
    if (resource->tile_map)
        resource->tile_map->tile_count = tiling.tile_count;
    return resource->tile_map;
}

/* Where a tile of a texture is: subresource and tile coordinates. False: a packed tile. */
static bool texture_tile_place(const struct d3d12_resource *resource, uint32_t tile, struct exec_copy_tiles *place)
{
    const struct abi_texture *texture = &resource->memory.texture;
    uint32_t count = texture->mip_count * texture->array_size;
    D3D12_SUBRESOURCE_TILING *tilings = calloc(count, sizeof(*tilings));
    struct d3d12_tiling tiling;
    bool found = false;
    if (!tilings)
        return false;
    d3d12_tiling_of(&resource->desc, &tiling, tilings);
    for (uint32_t i = 0; i < count && !found; i++) {
        const D3D12_SUBRESOURCE_TILING *t = &tilings[i];
        uint32_t tiles = t->WidthInTiles * t->HeightInTiles * t->DepthInTiles;
        if (t->StartTileIndexInOverallResource == D3D12_PACKED_TILE || tile < t->StartTileIndexInOverallResource ||
            tile - t->StartTileIndexInOverallResource >= tiles)
            continue;
        uint32_t index = tile - t->StartTileIndexInOverallResource;
        place->subresource = i;
        place->x = index % t->WidthInTiles;
        place->y = index / t->WidthInTiles % t->HeightInTiles;
        place->z = index / t->WidthInTiles / t->HeightInTiles;
        found = true;
    }
    free(tilings);
    return found;
}

static uint64_t heap_address(const struct tile *tile)
{
    return (uint64_t)(uintptr_t)tile->heap->mapping.base + (uint64_t)tile->heap_tile * EXEC_TILE_BYTES;
}

static void show_texture_tile(struct d3d12_resource *resource, uint32_t index, const struct tile *before,
                              const struct tile *after)
{
    static uint8_t zeros[EXEC_TILE_BYTES];
    struct exec_copy_tiles copy = {.texture = &resource->memory.texture, .tile_count = 1,
                                   .use_box = 1, .width = 1, .height = 1, .depth = 1};
    if (!texture_tile_place(resource, index, &copy))
        return; /* packed mips keep their texels */
    if (before->heap) {
        copy.buffer_address = heap_address(before);
        copy.to_buffer = 1;
        exec_copy_tiles_run(&copy);
    }
    copy.buffer_address = after->heap ? heap_address(after) : (uint64_t)(uintptr_t)zeros;
    copy.to_buffer = 0;
    exec_copy_tiles_run(&copy);
}

static bool show_tile(struct d3d12_resource *resource, uint32_t index, const struct tile *after)
{
    struct tile *tile = &tile_map_of(resource)->tiles[index];
    if (!d3d12_resource_is_buffer(resource))
        show_texture_tile(resource, index, tile, after);
    else if (exec_mapping_map_tiles(&resource->mapping, index, after->heap ? &after->heap->mapping : NULL,
                                    after->heap_tile, 1) != STATUS_OK)
        return false;
    com_object_hold(after->heap ? &after->heap->object : NULL);
    com_object_drop(tile->heap ? &tile->heap->object : NULL);
    *tile = *after;
    return true;
}

static void run_job(void *argument)
{
    struct job *job = argument;
    struct d3d12_device *device = d3d12_device_of(&job->resource->object);
    pthread_mutex_lock(&tile_mutex);
    bool ok = tile_map_of(job->resource) && (!job->source || tile_map_of(job->source));
    for (uint32_t i = 0; i < job->change_count && ok; i++) {
        const struct change *change = &job->changes[i];
        struct tile after = {change->is_null ? NULL : job->heap, change->is_null ? 0 : change->heap_tile};
        if (job->source)
            after = job->source->tile_map->tiles[change->source_tile];
        ok = show_tile(job->resource, change->tile, &after);
    }
    pthread_mutex_unlock(&tile_mutex);
    if (!ok)
        exec_device_remove(device->exec, EXEC_REMOVED_INTERNAL,
                           "UpdateTileMappings: tiles of '%s' cannot be mapped: out of memory or mappings",
                           com_object_name(&job->resource->object));
}

static bool job_add(struct job *job, const struct change *change)
{
    if (job->change_count == job->change_capacity) {
        uint32_t capacity = job->change_capacity ? job->change_capacity * 2 : 64;
        struct change *changes = realloc(job->changes, capacity * sizeof(*changes));
        if (!changes)
            return false;
        job->changes = changes;
        job->change_capacity = capacity;
    }
    job->changes[job->change_count++] = *change;
    return true;
}

/* Walks the tiles of one region in the order that D3D12 counts them. */
struct region {
    uint32_t start_tile; /* of the subresource, in the whole resource */
    uint32_t width, height; /* of the subresource, tiles */
    uint32_t subresource_tiles;
    D3D12_TILED_RESOURCE_COORDINATE start;
    D3D12_TILE_REGION_SIZE size;
    bool is_packed;
};

static bool region_find(const struct d3d12_resource *resource, struct region *region)
{
    const struct abi_texture *texture = &resource->memory.texture;
    uint32_t count = d3d12_resource_is_buffer(resource) ? 1 : texture->mip_count * texture->array_size;
    D3D12_SUBRESOURCE_TILING *tilings = calloc(count, sizeof(*tilings));
    struct d3d12_tiling tiling;
    if (!tilings || region->start.Subresource >= count) {
        free(tilings);
        return false;
    }
    d3d12_tiling_of(&resource->desc, &tiling, tilings);
    const D3D12_SUBRESOURCE_TILING *t = &tilings[region->start.Subresource];
    region->is_packed = t->StartTileIndexInOverallResource == D3D12_PACKED_TILE;
    uint32_t slice = count > 1 ? region->start.Subresource / texture->mip_count : 0;
    uint32_t slice_tiles = count > 1 ? tiling.tile_count / texture->array_size : tiling.tile_count;
    if (region->is_packed) {
        region->start_tile = tiling.packed.StartTileIndexInOverallResource + slice * slice_tiles;
        region->width = tiling.packed.NumTilesForPackedMips;
        region->height = 1;
        region->subresource_tiles = region->width;
    } else {
        region->start_tile = t->StartTileIndexInOverallResource;
        region->width = t->WidthInTiles;
        region->height = t->HeightInTiles;
        region->subresource_tiles = t->WidthInTiles * t->HeightInTiles * t->DepthInTiles;
    }
    free(tilings);
    return region->width && region->height;
}

/* Tile number index of the region; UINT32_MAX when it leaves the subresource. Without a box, tiles run on to the next
 * rows; buffers and whole resources run on to the end. */
static uint32_t region_tile(const struct region *region, uint32_t index, uint32_t resource_tiles)
{
    const D3D12_TILED_RESOURCE_COORDINATE *start = &region->start;
    uint32_t x = start->X, y = start->Y, z = start->Z;
    uint64_t tile;
    if (region->size.UseBox) {
        x += index % region->size.Width;
        y += index / region->size.Width % region->size.Height;
        z += index / region->size.Width / region->size.Height;
        if (x >= region->width || y >= region->height)
            return UINT32_MAX;
        index = 0;
    }
    tile = region->start_tile + x + (uint64_t)region->width * (y + (uint64_t)region->height * z) + index;
    return tile < resource_tiles ? (uint32_t)tile : UINT32_MAX;
}

/* Heap tiles in the order of the ranges. */
struct ranges {
    UINT count;
    const D3D12_TILE_RANGE_FLAGS *flags;
    const UINT *offsets, *tile_counts;
    UINT range, used; /* cursor */
};

/* False: the ranges are used up. */
static bool ranges_next(struct ranges *ranges, UINT *flags, UINT *heap_tile)
{
    while (ranges->range < ranges->count && ranges->tile_counts &&
           ranges->used >= ranges->tile_counts[ranges->range]) {
        ranges->range++;
        ranges->used = 0;
    }
    if (ranges->range >= ranges->count)
        return false;
    *flags = ranges->flags ? ranges->flags[ranges->range] : D3D12_TILE_RANGE_FLAG_NONE;
    UINT offset = ranges->offsets ? ranges->offsets[ranges->range] : 0;
    *heap_tile = offset + (*flags & D3D12_TILE_RANGE_FLAG_REUSE_SINGLE_TILE ? 0 : ranges->used);
    ranges->used++;
    return true;
}

static HRESULT tiles_fail(struct d3d12_device *device, const char *call, const char *problem)
{
    return d3d12_fail(device, E_INVALIDARG, RULE_COMMAND_QUEUE, "ID3D12CommandQueue::%s: %s", call, problem);
}

static uint32_t resource_tile_count(const struct d3d12_resource *resource)
{
    struct d3d12_tiling tiling;
    d3d12_tiling_of(&resource->desc, &tiling, NULL);
    return tiling.tile_count;
}

/* Changes for one region. NULL: good, else what is wrong. */
static const char *add_region(struct job *job, struct region *region, struct ranges *ranges)
{
    uint32_t resource_tiles = resource_tile_count(job->resource);
    if (!region_find(job->resource, region))
        return "a region names a subresource that does not exist";
    if (region->size.UseBox &&
        (uint64_t)region->size.Width * region->size.Height * region->size.Depth != region->size.NumTiles)
        return "NumTiles of a region is not Width * Height * Depth";
    for (uint32_t i = 0; i < region->size.NumTiles; i++) {
        UINT flags, heap_tile;
        if (!ranges_next(ranges, &flags, &heap_tile))
            return "the ranges hold fewer tiles than the regions";
        struct change change = {.tile = region_tile(region, i, resource_tiles), .heap_tile = heap_tile,
                                .is_null = (flags & D3D12_TILE_RANGE_FLAG_NULL) != 0};
        if (change.tile == UINT32_MAX)
            return "a region leaves the resource";
        if (flags & D3D12_TILE_RANGE_FLAG_SKIP)
            continue;
        if (!change.is_null && (!job->heap || (uint64_t)(heap_tile + 1ull) * EXEC_TILE_BYTES > job->heap->desc.SizeInBytes))
            return "a range leaves pHeap, or pHeap is NULL";
        if (!job_add(job, &change))
            return "out of memory";
    }
    return NULL;
}

static struct job *job_create(struct d3d12_resource *resource, struct d3d12_resource *source, struct d3d12_heap *heap)
{
    struct job *job = calloc(1, sizeof(*job));
    if (!job)
        return NULL;
    *job = (struct job){.resource = resource, .source = source, .heap = heap};
    com_object_hold(&resource->object);
    com_object_hold(source ? &source->object : NULL);
    com_object_hold(heap ? &heap->object : NULL);
    return job;
}

static void job_submit(struct d3d12_command_queue *queue, const char *call, struct job *job, const char *problem)
{
    if (!problem && exec_queue_call(queue->queue, run_job, job, job_destroy, job) != STATUS_OK)
        problem = "out of memory";
    if (!problem)
        return;
    tiles_fail(d3d12_device_of(&queue->object), call, problem);
    job_destroy(job);
}

static struct d3d12_resource *reserved_resource(struct d3d12_command_queue *queue, const char *call,
                                                ID3D12Resource *resource_interface)
{
    struct d3d12_resource *resource = d3d12_resource_from(resource_interface);
    if (resource && resource->is_reserved && resource->object.device == queue->object.device)
        return resource;
    tiles_fail(d3d12_device_of(&queue->object), call, "the resource is not a reserved resource of this device");
    return NULL;
}

void STDMETHODCALLTYPE d3d12_command_queue_UpdateTileMappings(
    ID3D12CommandQueue *self, ID3D12Resource *pResource, UINT NumResourceRegions,
    const D3D12_TILED_RESOURCE_COORDINATE *pResourceRegionStartCoordinates,
    const D3D12_TILE_REGION_SIZE *pResourceRegionSizes, ID3D12Heap *pHeap, UINT NumRanges,
    const D3D12_TILE_RANGE_FLAGS *pRangeFlags, const UINT *pHeapRangeStartOffsets, const UINT *pRangeTileCounts,
    D3D12_TILE_MAPPING_FLAGS Flags)
{
    const char *call = "UpdateTileMappings";
    struct d3d12_command_queue *queue = d3d12_command_queue_from(self);
    struct d3d12_resource *resource = reserved_resource(queue, call, pResource);
    if (!resource)
        return;
    struct job *job = job_create(resource, NULL, d3d12_heap_from(pHeap));
    if (!job) {
        tiles_fail(d3d12_device_of(&queue->object), call, "out of memory");
        return;
    }
    const char *problem = NULL;
    if (NumRanges > 1 && !pRangeTileCounts)
        problem = "pRangeTileCounts is NULL with several ranges";
    if (NumResourceRegions > 1 && !pResourceRegionStartCoordinates)
        problem = "pResourceRegionStartCoordinates is NULL with several regions";
    struct ranges ranges = {NumRanges, pRangeFlags, pHeapRangeStartOffsets, pRangeTileCounts, 0, 0};
    for (UINT i = 0; i < NumResourceRegions && !problem; i++) {
        struct region region = {0};
        if (pResourceRegionStartCoordinates)
            region.start = pResourceRegionStartCoordinates[i];
        region.size.NumTiles = pResourceRegionStartCoordinates ? 1 : resource_tile_count(resource);
        if (pResourceRegionSizes)
            region.size = pResourceRegionSizes[i];
        problem = add_region(job, &region, &ranges);
    }
    job_submit(queue, call, job, problem);
}

void STDMETHODCALLTYPE d3d12_command_queue_CopyTileMappings(
    ID3D12CommandQueue *self, ID3D12Resource *pDstResource,
    const D3D12_TILED_RESOURCE_COORDINATE *pDstRegionStartCoordinate, ID3D12Resource *pSrcResource,
    const D3D12_TILED_RESOURCE_COORDINATE *pSrcRegionStartCoordinate, const D3D12_TILE_REGION_SIZE *pRegionSize,
    D3D12_TILE_MAPPING_FLAGS Flags)
{
    const char *call = "CopyTileMappings";
    struct d3d12_command_queue *queue = d3d12_command_queue_from(self);
    struct d3d12_resource *destination = reserved_resource(queue, call, pDstResource);
    struct d3d12_resource *source = destination ? reserved_resource(queue, call, pSrcResource) : NULL;
    if (!source)
        return;
    struct job *job = job_create(destination, source, NULL);
    if (!job || !pDstRegionStartCoordinate || !pSrcRegionStartCoordinate || !pRegionSize) {
        tiles_fail(d3d12_device_of(&queue->object), call, job ? "a coordinate or the size is NULL" : "out of memory");
        if (job)
            job_destroy(job);
        return;
    }
    struct region to = {.start = *pDstRegionStartCoordinate, .size = *pRegionSize};
    struct region from = {.start = *pSrcRegionStartCoordinate, .size = *pRegionSize};
    const char *problem = NULL;
    if (!region_find(destination, &to) || !region_find(source, &from))
        problem = "a region names a subresource that does not exist";
    for (uint32_t i = 0; i < pRegionSize->NumTiles && !problem; i++) {
        struct change change = {.tile = region_tile(&to, i, resource_tile_count(destination)),
                                .source_tile = region_tile(&from, i, resource_tile_count(source))};
        if (change.tile == UINT32_MAX || change.source_tile == UINT32_MAX)
            problem = "a region leaves its resource";
        else if (!job_add(job, &change))
            problem = "out of memory";
    }
    job_submit(queue, call, job, problem);
}
