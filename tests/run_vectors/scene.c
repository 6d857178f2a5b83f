/* SPDX-License-Identifier: MIT
 * Resources and acceleration structures of a vector. */
#include <stdlib.h>
#include <string.h>

#include "vector.h"

#include "cdxr/d3d12_dxr.h"

static D3D12_RESOURCE_DESC texture_desc(const struct resource *r)
{
    D3D12_RESOURCE_DESC d = {.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE2D, .Width = r->width, .Height = r->height,
                             .DepthOrArraySize = (UINT16)r->depth, .MipLevels = (UINT16)r->mip_count,
                             .Format = r->format, .SampleDesc = {r->sample_count, 0}};
    if (strncmp(r->shape, "1d", 2) == 0)
        d.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE1D;
    if (strcmp(r->shape, "3d") == 0)
        d.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE3D;
    if (r->is_written)
        d.Flags = D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS;
    if (r->sample_count > 1)
        d.Flags |= D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET;
    return d;
}

/* Multisampled textures cannot be copied from buffers; cdxr lets WriteToSubresource fill them, the samples of a texel
 * standing together. */
static bool multisample_create(struct run *run, struct resource *r)
{
    D3D12_RESOURCE_DESC desc = texture_desc(r);
    D3D12_HEAP_PROPERTIES heap = {.Type = D3D12_HEAP_TYPE_CUSTOM, .CPUPageProperty = D3D12_CPU_PAGE_PROPERTY_WRITE_BACK,
                                  .MemoryPoolPreference = D3D12_MEMORY_POOL_L0};
    HRESULT hr = ID3D12Device5_CreateCommittedResource(run->gpu.device, &heap, D3D12_HEAP_FLAG_NONE, &desc,
                                                       D3D12_RESOURCE_STATE_COMMON, NULL, &IID_ID3D12Resource,
                                                       (void **)&r->object);
    if (SUCCEEDED(hr)) {
        UINT row = r->width * r->sample_count * format_bytes(r->format);
        hr = ID3D12Resource_WriteToSubresource(r->object, 0, NULL, r->words, row, row * r->height);
    }
    if (FAILED(hr))
        fprintf(stderr, "multisampled texture '%s': %s\n", r->name, gpu_result_text(hr));
    return SUCCEEDED(hr);
}

static bool texture_create(struct run *run, struct resource *r)
{
    if (r->sample_count > 1)
        return multisample_create(run, r);
    D3D12_RESOURCE_DESC desc = texture_desc(r);
    r->object = gpu_texture(&run->gpu, &desc, D3D12_RESOURCE_STATE_COMMON);
    if (!r->object)
        return false;
    uint32_t slices = strcmp(r->shape, "3d") == 0 ? 1 : r->depth;
    for (uint32_t mip = 0; mip < r->mip_count; mip++) {
        for (uint32_t slice = 0; slice < slices; slice++) {
            UINT subresource = mip + slice * r->mip_count;
            UINT64 bytes = gpu_texture_bytes(&run->gpu, r->object, subresource);
            const uint8_t *data = (const uint8_t *)(r->words + r->mip_start[mip]) + slice * bytes;
            if ((r->mip_start[mip + 1] - r->mip_start[mip]) * 4 < (slice + 1) * bytes) {
                fprintf(stderr, "texture '%s': too few data words for mip %u\n", r->name, mip);
                return false;
            }
            if (!gpu_texture_write(&run->gpu, r->object, subresource, data))
                return false;
        }
    }
    return true;
}

static bool buffer_create(struct run *run, struct resource *r)
{
    /* A constant buffer view's size is a multiple of 256. */
    UINT64 bytes = r->kind == RESOURCE_CBUFFER ? (r->byte_count + 255u) & ~255u : r->byte_count;
    uint8_t *data = calloc(1, bytes ? bytes : 4);
    if (!data)
        return false;
    size_t given = r->word_count * 4 < bytes ? r->word_count * 4 : bytes;
    if (r->words)
        memcpy(data, r->words, given);
    r->object = gpu_buffer(&run->gpu, D3D12_HEAP_TYPE_DEFAULT, bytes, D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS,
                           D3D12_RESOURCE_STATE_COMMON, data);
    free(data);
    if (r->kind == RESOURCE_COUNTED)
        r->counter_object = gpu_buffer(&run->gpu, D3D12_HEAP_TYPE_DEFAULT, 4, D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS,
                                       D3D12_RESOURCE_STATE_COMMON, &r->counter);
    return r->object && (r->kind != RESOURCE_COUNTED || r->counter_object);
}

static bool resource_create(struct run *run, struct resource *r)
{
    if (r->kind == RESOURCE_CONSTANTS || r->kind == RESOURCE_SAMPLER || r->kind == RESOURCE_TLAS)
        return true;
    return r->kind == RESOURCE_TEXTURE ? texture_create(run, r) : buffer_create(run, r);
}

static D3D12_GPU_VIRTUAL_ADDRESS upload(struct run *run, const void *data, size_t byte_count)
{
    if (!byte_count)
        return 0;
    ID3D12Resource *buffer = gpu_buffer(&run->gpu, D3D12_HEAP_TYPE_UPLOAD, byte_count, D3D12_RESOURCE_FLAG_NONE, 0, data);
    if (!buffer)
        return 0;
    gpu_keep(&run->gpu, buffer);
    return ID3D12Resource_GetGPUVirtualAddress(buffer);
}

static void describe_geometry(struct run *run, const struct geometry *g, D3D12_RAYTRACING_GEOMETRY_DESC *d)
{
    d->Flags = (D3D12_RAYTRACING_GEOMETRY_FLAGS)g->flags;
    D3D12_GPU_VIRTUAL_ADDRESS floats = upload(run, g->floats, g->float_count * 4);
    if (g->is_boxes) {
        d->Type = D3D12_RAYTRACING_GEOMETRY_TYPE_PROCEDURAL_PRIMITIVE_AABBS;
        d->AABBs.AABBCount = g->vertex_count;
        d->AABBs.AABBs.StartAddress = floats;
        d->AABBs.AABBs.StrideInBytes = 24;
        return;
    }
    d->Type = D3D12_RAYTRACING_GEOMETRY_TYPE_TRIANGLES;
    d->Triangles.VertexFormat = DXGI_FORMAT_R32G32B32_FLOAT;
    d->Triangles.VertexCount = g->vertex_count;
    d->Triangles.VertexBuffer.StartAddress = floats;
    d->Triangles.VertexBuffer.StrideInBytes = 12;
    if (g->indices) {
        d->Triangles.IndexFormat = DXGI_FORMAT_R32_UINT;
        d->Triangles.IndexCount = g->index_count;
        d->Triangles.IndexBuffer = upload(run, g->indices, (size_t)g->index_count * 4);
    }
}

static bool is_omm_of(const struct omm *o, const struct blas *b, size_t geometry)
{
    return strcmp(o->blas, b->name) == 0 && o->geometry == geometry;
}

/* The micromap array of a geometry: its 'omm' statements in order. NULL: failed. */
static ID3D12Resource *omm_array_build(struct run *run, const struct blas *b, size_t geometry)
{
    const struct vector *v = run->vector;
    D3D12_RAYTRACING_OPACITY_MICROMAP_HISTOGRAM_ENTRY histogram[64];
    D3D12_RAYTRACING_OPACITY_MICROMAP_DESC descs[64];
    UINT count = 0;
    uint8_t *data = calloc(64, sizeof(v->omms[0].data));
    for (size_t i = 0; data && i < v->omm_count && count < 64; i++) {
        const struct omm *o = &v->omms[i];
        if (!is_omm_of(o, b, geometry))
            continue;
        UINT format = o->is_4state ? D3D12_RAYTRACING_OPACITY_MICROMAP_FORMAT_OC1_4_STATE
                                   : D3D12_RAYTRACING_OPACITY_MICROMAP_FORMAT_OC1_2_STATE;
        memcpy(data + count * sizeof(o->data), o->data, o->data_bytes);
        descs[count].ByteOffset = (UINT)(count * sizeof(o->data));
        descs[count].SubdivisionLevel = o->level;
        descs[count].Format = format;
        histogram[count++] = (D3D12_RAYTRACING_OPACITY_MICROMAP_HISTOGRAM_ENTRY){
            1, o->level, (D3D12_RAYTRACING_OPACITY_MICROMAP_FORMAT)format};
    }
    D3D12_RAYTRACING_OPACITY_MICROMAP_ARRAY_DESC array = {
        count, histogram, upload(run, data, count * sizeof(v->omms[0].data)),
        {upload(run, descs, count * sizeof(descs[0])), sizeof(descs[0])}};
    CDXR_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS inputs = {
        .Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_OPACITY_MICROMAP_ARRAY,
        .NumDescs = 1,
        .pOpacityMicromapArrayDesc = &array};
    ID3D12Resource *built =
        gpu_build(&run->gpu, (const D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS *)&inputs);
    free(data);
    return built;
}

struct omm_geometry { /* what the description of a geometry with micromaps points at */
    D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC triangles;
    D3D12_RAYTRACING_GEOMETRY_OMM_LINKAGE_DESC linkage;
};

/* Turn the description of geometry's triangles into one with its micromaps. Triangles without an 'omm' statement are
 * unknown everywhere. */
static bool link_omms(struct run *run, const struct blas *b, size_t geometry, struct omm_geometry *link,
                      D3D12_RAYTRACING_GEOMETRY_DESC *d)
{
    const struct vector *v = run->vector;
    uint32_t triangle_count = (d->Triangles.IndexCount ? d->Triangles.IndexCount : d->Triangles.VertexCount) / 3, next = 0;
    int32_t *indices = calloc(triangle_count + 1, sizeof(*indices));
    if (!indices)
        return false;
    for (uint32_t i = 0; i < triangle_count; i++)
        indices[i] = D3D12_RAYTRACING_OPACITY_MICROMAP_SPECIAL_INDEX_FULLY_UNKNOWN_OPAQUE;
    for (size_t i = 0; i < v->omm_count; i++)
        if (is_omm_of(&v->omms[i], b, geometry)) {
            if (v->omms[i].primitive < triangle_count)
                indices[v->omms[i].primitive] = (int32_t)next;
            next++;
        }
    if (next) {
        ID3D12Resource *array = omm_array_build(run, b, geometry);
        if (!array) {
            free(indices);
            return false;
        }
        b->geometries[geometry].omm_array = array;
        link->triangles = d->Triangles;
        link->linkage = (D3D12_RAYTRACING_GEOMETRY_OMM_LINKAGE_DESC){
            {upload(run, indices, triangle_count * 4), 4}, DXGI_FORMAT_R32_UINT, 0, ID3D12Resource_GetGPUVirtualAddress(array)};
        CDXR_RAYTRACING_GEOMETRY_DESC linked = {.Type = D3D12_RAYTRACING_GEOMETRY_TYPE_OMM_TRIANGLES, .Flags = d->Flags,
                                                .OmmTriangles = {&link->triangles, &link->linkage}};
        memcpy(d, &linked, sizeof(linked));
    }
    free(indices);
    return true;
}

static bool blas_build(struct run *run, struct blas *b)
{
    D3D12_RAYTRACING_GEOMETRY_DESC *descs = calloc(b->geometry_count + 1, sizeof(*descs));
    struct omm_geometry *links = calloc(b->geometry_count + 1, sizeof(*links));
    bool is_described = descs && links;
    for (size_t i = 0; i < b->geometry_count && is_described; i++) {
        describe_geometry(run, &b->geometries[i], &descs[i]);
        if (!b->geometries[i].is_boxes && run->vector->omm_count)
            is_described = link_omms(run, b, i, &links[i], &descs[i]);
    }
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS inputs = {
        .Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL,
        .NumDescs = (UINT)b->geometry_count,
        .DescsLayout = D3D12_ELEMENTS_LAYOUT_ARRAY,
        .pGeometryDescs = descs};
    b->object = is_described ? gpu_build(&run->gpu, &inputs) : NULL;
    free(descs);
    free(links);
    return b->object != NULL;
}

static struct blas *find_blas(struct vector *v, const char *name)
{
    for (size_t i = 0; i < v->blas_count; i++)
        if (strcmp(v->blases[i].name, name) == 0)
            return &v->blases[i];
    return NULL;
}

static bool tlas_build(struct run *run)
{
    struct vector *v = run->vector;
    D3D12_RAYTRACING_INSTANCE_DESC *descs = calloc(v->instance_count + 1, sizeof(*descs));
    if (!descs)
        return false;
    for (size_t i = 0; i < v->instance_count; i++) {
        const struct instance *n = &v->instances[i];
        const struct blas *b = find_blas(v, n->blas);
        memcpy(descs[i].Transform, n->transform, sizeof(n->transform));
        descs[i].InstanceID = n->id & 0xffffff;
        descs[i].InstanceMask = n->mask & 0xff;
        descs[i].InstanceContributionToHitGroupIndex = n->contribution & 0xffffff;
        descs[i].Flags = n->flags & 0xff;
        descs[i].AccelerationStructure = b ? ID3D12Resource_GetGPUVirtualAddress(b->object) : 0;
    }
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS inputs = {
        .Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL,
        .NumDescs = (UINT)v->instance_count,
        .DescsLayout = D3D12_ELEMENTS_LAYOUT_ARRAY,
        .InstanceDescs = upload(run, descs, v->instance_count * sizeof(*descs))};
    free(descs);
    run->tlas = gpu_build(&run->gpu, &inputs);
    return run->tlas != NULL;
}

bool scene_build(struct run *run)
{
    struct vector *v = run->vector;
    for (size_t i = 0; i < v->resource_count; i++)
        if (!resource_create(run, &v->resources[i]))
            return false;
    for (size_t i = 0; i < v->blas_count; i++)
        if (!blas_build(run, &v->blases[i]))
            return false;
    return (!v->blas_count && !v->instance_count) || tlas_build(run);
}
