/* SPDX-License-Identifier: MIT */
#include "dp2_rays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp2_rays_dxil.h" /* made by the build: a library whose ray generation shader reads rays from a buffer */

/* The shaders write five records a ray: ray generation, intersection, any-hit, closest hit, miss. */
enum { RECORDS = 5, RECORD_BYTES = 304, RECORD_CLOSEST_HIT = 3, STAGE_OFFSET = 12, T_OFFSET = 60, PRIMITIVE_OFFSET = 96, GEOMETRY_OFFSET = 100,
       STAGE_WRITTEN = 16, TABLE_STRIDE = 64, PAYLOAD_BYTES = 8, ATTRIBUTE_BYTES = 8 };
enum { TABLE_RAY_GENERATION, TABLE_MISS, TABLE_HIT, TABLE_RECORDS };

struct dp2_rays {
    struct gpu gpu;
    ID3D12Resource *vertices, *indices, *transforms, *bottom, *top, *instances, *input, *output, *table;
    ID3D12RootSignature *root_signature;
    ID3D12StateObject *pipeline;
    uint8_t *zeroes, *records;
};

static bool failed(const char *what, HRESULT result)
{
    if (SUCCEEDED(result))
        return false;
    fprintf(stderr, "cdxr: %s: %s\n", what, gpu_result_text(result));
    return true;
}

/* ---- acceleration structures ---- */

struct totals {
    uint64_t vertices, indices;
};

static struct totals count(const struct dp2_ray_geometry *g, uint32_t geometry_count)
{
    struct totals t = {0, 0};
    for (uint32_t i = 0; i < geometry_count; i++) {
        t.vertices += g[i].vertex_count;
        t.indices += g[i].index_count;
    }
    return t;
}

static ID3D12Resource *upload(struct gpu *gpu, const void *data, uint64_t byte_count)
{
    return gpu_buffer(gpu, D3D12_HEAP_TYPE_UPLOAD, byte_count ? byte_count : 4, D3D12_RESOURCE_FLAG_NONE, D3D12_RESOURCE_STATE_GENERIC_READ, data);
}

/* All geometries in three buffers. */
static bool upload_geometry(struct dp2_rays *r, const struct dp2_ray_geometry *g, uint32_t geometry_count)
{
    struct totals t = count(g, geometry_count);
    float *positions = malloc(t.vertices * 12 + 4), *transforms = malloc(geometry_count * 48u + 4);
    uint32_t *indices = malloc(t.indices * 4 + 4);
    bool done = positions && transforms && indices;
    uint64_t vertex = 0, index = 0;
    for (uint32_t i = 0; done && i < geometry_count; i++) {
        memcpy(positions + vertex * 3, g[i].positions, g[i].vertex_count * 12u);
        memcpy(indices + index, g[i].indices, g[i].index_count * 4u);
        memcpy(transforms + i * 12, g[i].transform, 48);
        vertex += g[i].vertex_count;
        index += g[i].index_count;
    }
    if (done) {
        r->vertices = upload(&r->gpu, positions, t.vertices * 12);
        r->indices = upload(&r->gpu, indices, t.indices * 4);
        r->transforms = upload(&r->gpu, transforms, geometry_count * 48u);
        done = r->vertices && r->indices && r->transforms;
    }
    free(positions);
    free(transforms);
    free(indices);
    return done;
}

static bool build_bottom(struct dp2_rays *r, const struct dp2_ray_geometry *g, uint32_t geometry_count)
{
    D3D12_RAYTRACING_GEOMETRY_DESC *descs = calloc(geometry_count + 1, sizeof(*descs));
    uint64_t vertices = ID3D12Resource_GetGPUVirtualAddress(r->vertices), indices = ID3D12Resource_GetGPUVirtualAddress(r->indices);
    uint64_t transforms = ID3D12Resource_GetGPUVirtualAddress(r->transforms);
    if (!descs)
        return false;
    for (uint32_t i = 0; i < geometry_count; i++) {
        descs[i].Type = D3D12_RAYTRACING_GEOMETRY_TYPE_TRIANGLES;
        descs[i].Flags = D3D12_RAYTRACING_GEOMETRY_FLAG_OPAQUE;
        D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC *t = &descs[i].Triangles;
        t->Transform3x4 = transforms + i * 48u;
        t->IndexFormat = DXGI_FORMAT_R32_UINT;
        t->VertexFormat = DXGI_FORMAT_R32G32B32_FLOAT;
        t->IndexCount = g[i].index_count;
        t->VertexCount = g[i].vertex_count;
        t->IndexBuffer = indices;
        t->VertexBuffer.StartAddress = vertices;
        t->VertexBuffer.StrideInBytes = 12;
        vertices += g[i].vertex_count * 12u;
        indices += g[i].index_count * 4u;
    }
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS inputs = {.Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL, .NumDescs = geometry_count,
                                                                   .DescsLayout = D3D12_ELEMENTS_LAYOUT_ARRAY, .pGeometryDescs = descs};
    r->bottom = gpu_build(&r->gpu, &inputs);
    free(descs);
    return r->bottom != NULL;
}

static bool build_top(struct dp2_rays *r)
{
    D3D12_RAYTRACING_INSTANCE_DESC instance = {.Transform = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}, .InstanceMask = 0xFF,
                                               .AccelerationStructure = ID3D12Resource_GetGPUVirtualAddress(r->bottom)};
    r->instances = upload(&r->gpu, &instance, sizeof(instance));
    if (!r->instances)
        return false;
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS inputs = {.Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL, .NumDescs = 1,
                                                                   .DescsLayout = D3D12_ELEMENTS_LAYOUT_ARRAY,
                                                                   .InstanceDescs = ID3D12Resource_GetGPUVirtualAddress(r->instances)};
    r->top = gpu_build(&r->gpu, &inputs);
    return r->top != NULL;
}

/* ---- pipeline ---- */

static bool create_root_signature(struct dp2_rays *r)
{
    D3D12_ROOT_PARAMETER parameters[3] = {{.ParameterType = D3D12_ROOT_PARAMETER_TYPE_SRV, .Descriptor = {.ShaderRegister = 0}},
                                          {.ParameterType = D3D12_ROOT_PARAMETER_TYPE_SRV, .Descriptor = {.ShaderRegister = 1}},
                                          {.ParameterType = D3D12_ROOT_PARAMETER_TYPE_UAV, .Descriptor = {.ShaderRegister = 0}}};
    D3D12_ROOT_SIGNATURE_DESC desc = {.NumParameters = 3, .pParameters = parameters};
    ID3D10Blob *blob = NULL, *error = NULL;
    HRESULT result = D3D12SerializeRootSignature(&desc, D3D_ROOT_SIGNATURE_VERSION_1, &blob, &error);
    if (SUCCEEDED(result))
        result = ID3D12Device5_CreateRootSignature(r->gpu.device, 0, ID3D10Blob_GetBufferPointer(blob), ID3D10Blob_GetBufferSize(blob),
                                                   &IID_ID3D12RootSignature, (void **)&r->root_signature);
    if (blob)
        ID3D10Blob_Release(blob);
    if (error)
        ID3D10Blob_Release(error);
    return !failed("root signature", result);
}

static bool create_pipeline(struct dp2_rays *r)
{
    D3D12_EXPORT_DESC exports[3] = {{.Name = L"SysRayGen"}, {.Name = L"SysClosestHit"}, {.Name = L"SysMiss"}};
    D3D12_DXIL_LIBRARY_DESC library = {.DXILLibrary = {dp2_rays_dxil, sizeof(dp2_rays_dxil)}, .NumExports = 3, .pExports = exports};
    D3D12_HIT_GROUP_DESC group = {.HitGroupExport = L"Hit", .Type = D3D12_HIT_GROUP_TYPE_TRIANGLES, .ClosestHitShaderImport = L"SysClosestHit"};
    D3D12_RAYTRACING_SHADER_CONFIG shader = {PAYLOAD_BYTES, ATTRIBUTE_BYTES};
    D3D12_RAYTRACING_PIPELINE_CONFIG pipeline = {1};
    D3D12_GLOBAL_ROOT_SIGNATURE global = {r->root_signature};
    D3D12_STATE_SUBOBJECT subobjects[] = {{D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &library}, {D3D12_STATE_SUBOBJECT_TYPE_HIT_GROUP, &group},
                                          {D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG, &shader},
                                          {D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG, &pipeline},
                                          {D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE, &global}};
    D3D12_STATE_OBJECT_DESC desc = {D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE, sizeof(subobjects) / sizeof(subobjects[0]), subobjects};
    return !failed("raytracing pipeline", ID3D12Device5_CreateStateObject(r->gpu.device, &desc, &IID_ID3D12StateObject, (void **)&r->pipeline));
}

static bool create_table(struct dp2_rays *r)
{
    static const wchar_t *const names[TABLE_RECORDS] = {L"SysRayGen", L"SysMiss", L"Hit"};
    uint8_t bytes[TABLE_RECORDS * TABLE_STRIDE] = {0};
    ID3D12StateObjectProperties *properties = NULL;
    if (failed("state object properties", ID3D12StateObject_QueryInterface(r->pipeline, &IID_ID3D12StateObjectProperties, (void **)&properties)))
        return false;
    bool found = true;
    for (int i = 0; i < TABLE_RECORDS; i++) {
        const void *identifier = ID3D12StateObjectProperties_GetShaderIdentifier(properties, names[i]);
        found &= identifier != NULL;
        if (identifier)
            memcpy(bytes + i * TABLE_STRIDE, identifier, D3D12_SHADER_IDENTIFIER_SIZE_IN_BYTES);
    }
    ID3D12StateObjectProperties_Release(properties);
    r->table = found ? upload(&r->gpu, bytes, sizeof(bytes)) : NULL;
    if (!found)
        fprintf(stderr, "cdxr: the pipeline lacks an export\n");
    return r->table != NULL;
}

static bool create_buffers(struct dp2_rays *r)
{
    size_t output_bytes = (size_t)DP2_RAY_BATCH * RECORDS * RECORD_BYTES;
    r->zeroes = calloc(1, output_bytes);
    r->records = malloc(output_bytes);
    r->input = gpu_buffer(&r->gpu, D3D12_HEAP_TYPE_DEFAULT, DP2_RAY_BATCH * sizeof(struct dp2_ray), D3D12_RESOURCE_FLAG_NONE, D3D12_RESOURCE_STATE_COMMON, NULL);
    r->output = gpu_buffer(&r->gpu, D3D12_HEAP_TYPE_DEFAULT, output_bytes, D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS, D3D12_RESOURCE_STATE_COMMON, NULL);
    return r->zeroes && r->records && r->input && r->output;
}

struct dp2_rays *dp2_rays_create(const struct dp2_ray_geometry *geometries, uint32_t geometry_count)
{
    struct dp2_rays *r = calloc(1, sizeof(*r));
    if (!r || !gpu_init(&r->gpu, false)) {
        free(r);
        return NULL;
    }
    bool done = upload_geometry(r, geometries, geometry_count) && build_bottom(r, geometries, geometry_count) && build_top(r) && gpu_submit(&r->gpu) &&
                create_root_signature(r) && create_pipeline(r) && create_table(r) && create_buffers(r) && gpu_submit(&r->gpu);
    if (done)
        return r;
    dp2_rays_destroy(r);
    return NULL;
}

void dp2_rays_destroy(struct dp2_rays *r)
{
    if (!r)
        return;
    IUnknown *objects[] = {(IUnknown *)r->vertices, (IUnknown *)r->indices, (IUnknown *)r->transforms, (IUnknown *)r->bottom, (IUnknown *)r->top,
                           (IUnknown *)r->instances, (IUnknown *)r->input, (IUnknown *)r->output, (IUnknown *)r->table, (IUnknown *)r->root_signature,
                           (IUnknown *)r->pipeline};
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
        if (objects[i])
            IUnknown_Release(objects[i]);
    gpu_finish(&r->gpu);
    free(r->zeroes);
    free(r->records);
    free(r);
}

/* ---- tracing ---- */

static void dispatch(struct dp2_rays *r, uint32_t ray_count)
{
    ID3D12GraphicsCommandList4 *list = r->gpu.list;
    uint64_t table = ID3D12Resource_GetGPUVirtualAddress(r->table);
    D3D12_DISPATCH_RAYS_DESC desc = {.RayGenerationShaderRecord = {table + TABLE_RAY_GENERATION * TABLE_STRIDE, TABLE_STRIDE},
                                     .MissShaderTable = {table + TABLE_MISS * TABLE_STRIDE, TABLE_STRIDE, TABLE_STRIDE},
                                     .HitGroupTable = {table + TABLE_HIT * TABLE_STRIDE, TABLE_STRIDE, 0},
                                     .Width = ray_count, .Height = 1, .Depth = 1};
    ID3D12GraphicsCommandList4_SetComputeRootSignature(list, r->root_signature);
    ID3D12GraphicsCommandList4_SetPipelineState1(list, r->pipeline);
    ID3D12GraphicsCommandList4_SetComputeRootShaderResourceView(list, 0, ID3D12Resource_GetGPUVirtualAddress(r->top));
    ID3D12GraphicsCommandList4_SetComputeRootShaderResourceView(list, 1, ID3D12Resource_GetGPUVirtualAddress(r->input));
    ID3D12GraphicsCommandList4_SetComputeRootUnorderedAccessView(list, 2, ID3D12Resource_GetGPUVirtualAddress(r->output));
    ID3D12GraphicsCommandList4_DispatchRays(list, &desc);
}

static uint32_t word_at(const uint8_t *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, 4);
    return value;
}

bool dp2_rays_trace(struct dp2_rays *r, const struct dp2_ray *batch, uint32_t ray_count, struct dp2_hit *hits)
{
    size_t output_bytes = (size_t)ray_count * RECORDS * RECORD_BYTES;
    if (!gpu_buffer_write(&r->gpu, r->input, 0, batch, ray_count * sizeof(*batch)) || !gpu_buffer_write(&r->gpu, r->output, 0, r->zeroes, output_bytes) ||
        !gpu_submit(&r->gpu))
        return false;
    dispatch(r, ray_count);
    if (!gpu_submit(&r->gpu) || !gpu_buffer_read(&r->gpu, r->output, 0, r->records, output_bytes))
        return false;
    for (uint32_t i = 0; i < ray_count; i++) {
        const uint8_t *record = r->records + ((size_t)i * RECORDS + RECORD_CLOSEST_HIT) * RECORD_BYTES;
        hits[i].hit = word_at(record + STAGE_OFFSET) == RECORD_CLOSEST_HIT + STAGE_WRITTEN;
        hits[i].primitive = word_at(record + PRIMITIVE_OFFSET);
        hits[i].geometry = word_at(record + GEOMETRY_OFFSET);
        memcpy(&hits[i].t, record + T_OFFSET, 4);
    }
    return true;
}
