/* SPDX-License-Identifier: MIT */
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void release(void *object)
{
    if (object)
        IUnknown_Release((IUnknown *)object);
}

static ID3D12Resource *upload(struct gpu *gpu, const void *data, size_t byte_count)
{
    return gpu_buffer(gpu, D3D12_HEAP_TYPE_DEFAULT, byte_count, D3D12_RESOURCE_FLAG_NONE, D3D12_RESOURCE_STATE_COMMON,
                      data);
}

static bool create_buffers(struct gpu *gpu, const struct model *m, struct scene *s)
{
    s->vertices = upload(gpu, m->vertices, m->vertex_count * sizeof(*m->vertices));
    s->indices = upload(gpu, m->indices, m->index_count * sizeof(*m->indices));
    s->meshes = upload(gpu, m->meshes, m->mesh_count * sizeof(*m->meshes));
    s->materials = upload(gpu, m->materials, m->material_count * sizeof(*m->materials));
    return s->vertices && s->indices && s->meshes && s->materials;
}

static bool create_textures(struct gpu *gpu, const struct model *m, struct scene *s)
{
    s->textures = calloc(m->texture_count + 1, sizeof(*s->textures));
    if (!s->textures)
        return false;
    for (size_t i = 0; i < m->texture_count; i++) {
        const struct model_texture *t = &m->textures[i];
        D3D12_RESOURCE_DESC desc = {.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE2D, .Width = t->width,
                                    .Height = t->height, .DepthOrArraySize = 1, .MipLevels = 1, .SampleDesc = {1, 0},
                                    .Format = t->is_srgb ? DXGI_FORMAT_R8G8B8A8_UNORM_SRGB : DXGI_FORMAT_R8G8B8A8_UNORM};
        s->textures[s->texture_count++] = gpu_texture(gpu, &desc, D3D12_RESOURCE_STATE_COMMON);
        if (!s->textures[i] || !gpu_texture_write(gpu, s->textures[i], 0, t->pixels))
            return false;
    }
    return true;
}

static ID3D12Resource *build_mesh(struct gpu *gpu, const struct model *m, const struct scene *s, size_t index)
{
    const struct model_mesh *mesh = &m->meshes[index];
    const struct model_range *range = &m->ranges[index];
    bool is_opaque = m->materials[mesh->material].alpha_cutoff < 0;
    D3D12_RAYTRACING_GEOMETRY_DESC geometry = {
        .Type = D3D12_RAYTRACING_GEOMETRY_TYPE_TRIANGLES,
        .Flags = is_opaque ? D3D12_RAYTRACING_GEOMETRY_FLAG_OPAQUE : D3D12_RAYTRACING_GEOMETRY_FLAG_NONE,
        .Triangles = {.IndexFormat = DXGI_FORMAT_R32_UINT,
                      .VertexFormat = DXGI_FORMAT_R32G32B32_FLOAT,
                      .IndexCount = range->index_count,
                      .VertexCount = range->vertex_count,
                      .IndexBuffer = ID3D12Resource_GetGPUVirtualAddress(s->indices) + mesh->first_index * 4ull,
                      .VertexBuffer = {ID3D12Resource_GetGPUVirtualAddress(s->vertices) +
                                           mesh->first_vertex * sizeof(struct model_vertex),
                                       sizeof(struct model_vertex)}}};
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS inputs = {
        .Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL,
        .Flags = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_PREFER_FAST_TRACE,
        .NumDescs = 1,
        .DescsLayout = D3D12_ELEMENTS_LAYOUT_ARRAY,
        .pGeometryDescs = &geometry};
    return gpu_build(gpu, &inputs);
}

static bool build_instances(struct gpu *gpu, const struct model *m, struct scene *s)
{
    D3D12_RAYTRACING_INSTANCE_DESC *descs = calloc(m->instance_count, sizeof(*descs));
    if (!descs)
        return false;
    for (size_t i = 0; i < m->instance_count; i++) {
        const struct model_instance *n = &m->instances[i];
        memcpy(descs[i].Transform, n->transform, sizeof(n->transform));
        descs[i].InstanceID = n->mesh & 0xffffff;
        descs[i].InstanceMask = 0xff;
        descs[i].AccelerationStructure = ID3D12Resource_GetGPUVirtualAddress(s->blas[n->mesh]);
    }
    ID3D12Resource *buffer = gpu_buffer(gpu, D3D12_HEAP_TYPE_UPLOAD, m->instance_count * sizeof(*descs),
                                        D3D12_RESOURCE_FLAG_NONE, 0, descs);
    free(descs);
    if (!buffer)
        return false;
    gpu_keep(gpu, buffer);
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS inputs = {
        .Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL,
        .Flags = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_PREFER_FAST_TRACE,
        .NumDescs = (UINT)m->instance_count,
        .DescsLayout = D3D12_ELEMENTS_LAYOUT_ARRAY,
        .InstanceDescs = ID3D12Resource_GetGPUVirtualAddress(buffer)};
    s->tlas = gpu_build(gpu, &inputs);
    return s->tlas != NULL;
}

bool scene_create(struct gpu *gpu, const struct model *m, struct scene *s)
{
    memset(s, 0, sizeof(*s));
    if (!create_buffers(gpu, m, s) || !create_textures(gpu, m, s))
        return false;
    s->blas = calloc(m->mesh_count, sizeof(*s->blas));
    if (!s->blas)
        return false;
    s->blas_count = m->mesh_count;
    for (size_t i = 0; i < m->mesh_count; i++) {
        if (!m->ranges[i].index_count)
            continue;
        s->blas[i] = build_mesh(gpu, m, s, i);
        if (!s->blas[i])
            return false;
    }
    return build_instances(gpu, m, s) && gpu_submit(gpu);
}

void scene_destroy(struct scene *s)
{
    for (size_t i = 0; i < s->texture_count; i++)
        release(s->textures[i]);
    for (size_t i = 0; i < s->blas_count; i++)
        release(s->blas[i]);
    free(s->textures);
    free(s->blas);
    release(s->vertices);
    release(s->indices);
    release(s->meshes);
    release(s->materials);
    release(s->tlas);
    memset(s, 0, sizeof(*s));
}
