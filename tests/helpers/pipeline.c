/* SPDX-License-Identifier: MIT */
#include "helpers/pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(bool condition, const char *text)
{
    if (condition)
        return;
    fprintf(stderr, "test set-up failed: %s\n", text);
    abort();
}

void *fixture_read(const char *name, SIZE_T *byte_count)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/dxil/%s", CDXR_FIXTURES, name);
    FILE *file = fopen(path, "rb");
    require(file, path);
    fseek(file, 0, SEEK_END);
    *byte_count = (SIZE_T)ftell(file);
    rewind(file);
    void *bytes = malloc(*byte_count);
    require(bytes && fread(bytes, 1, *byte_count, file) == *byte_count, path);
    fclose(file);
    return bytes;
}

static void *keep(struct pipeline *pipeline, void *block)
{
    require(block && pipeline->block_count < 64, "too many blocks");
    return pipeline->blocks[pipeline->block_count++] = block;
}

void pipeline_init(struct pipeline *pipeline, struct gpu *gpu, D3D12_STATE_OBJECT_TYPE type)
{
    memset(pipeline, 0, sizeof(*pipeline));
    pipeline->gpu = gpu;
    pipeline->type = type;
}

void pipeline_finish(struct pipeline *pipeline)
{
    for (UINT i = 0; i < pipeline->block_count; i++)
        free(pipeline->blocks[i]);
    for (UINT i = 0; i < pipeline->root_signature_count; i++)
        ID3D12RootSignature_Release(pipeline->root_signatures[i]);
}

UINT pipeline_add(struct pipeline *pipeline, D3D12_STATE_SUBOBJECT_TYPE type)
{
    require(pipeline->count < PIPELINE_MAX_SUBOBJECTS, "too many subobjects");
    UINT index = pipeline->count++;
    pipeline->subobjects[index] = (D3D12_STATE_SUBOBJECT){type, &pipeline->data[index]};
    return index;
}

UINT pipeline_library(struct pipeline *pipeline, const char *fixture, const WCHAR *const (*exports)[2])
{
    UINT index = pipeline_add(pipeline, D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY);
    D3D12_DXIL_LIBRARY_DESC *library = &pipeline->data[index].library;
    library->DXILLibrary.pShaderBytecode =
        keep(pipeline, fixture_read(fixture, &library->DXILLibrary.BytecodeLength));
    library->pExports = &pipeline->exports[pipeline->export_count];
    for (; exports && (*exports)[0]; exports++, library->NumExports++) {
        require(pipeline->export_count < 32, "too many exports");
        pipeline->exports[pipeline->export_count++] = (D3D12_EXPORT_DESC){(*exports)[0], (*exports)[1], 0};
    }
    return index;
}

UINT pipeline_config(struct pipeline *pipeline, UINT flags)
{
    UINT index = pipeline_add(pipeline, D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG);
    pipeline->data[index].config.Flags = (D3D12_STATE_OBJECT_FLAGS)flags;
    return index;
}

UINT pipeline_shader_config(struct pipeline *pipeline, UINT payload_bytes, UINT attribute_bytes)
{
    UINT index = pipeline_add(pipeline, D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG);
    pipeline->data[index].shader_config = (D3D12_RAYTRACING_SHADER_CONFIG){payload_bytes, attribute_bytes};
    return index;
}

UINT pipeline_pipeline_config(struct pipeline *pipeline, UINT depth)
{
    UINT index = pipeline_add(pipeline, D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG);
    pipeline->data[index].pipeline_config.MaxTraceRecursionDepth = depth;
    return index;
}

UINT pipeline_root_signature(struct pipeline *pipeline, D3D12_STATE_SUBOBJECT_TYPE type, const char *fixture)
{
    UINT index = pipeline_add(pipeline, type);
    SIZE_T byte_count;
    void *bytes = keep(pipeline, fixture_read(fixture, &byte_count));
    ID3D12RootSignature *signature = NULL;
    require(SUCCEEDED(ID3D12Device5_CreateRootSignature(pipeline->gpu->device, 0, bytes, byte_count,
                                                        &IID_ID3D12RootSignature, (void **)&signature)),
            fixture);
    pipeline->root_signatures[pipeline->root_signature_count++] = signature;
    pipeline->data[index].root_signature.pGlobalRootSignature = signature;
    return index;
}

UINT pipeline_hit_group(struct pipeline *pipeline, const WCHAR *name, const WCHAR *closest_hit, const WCHAR *any_hit,
                        const WCHAR *intersection)
{
    UINT index = pipeline_add(pipeline, D3D12_STATE_SUBOBJECT_TYPE_HIT_GROUP);
    pipeline->data[index].hit_group = (D3D12_HIT_GROUP_DESC){
        .HitGroupExport = name,
        .Type = intersection ? D3D12_HIT_GROUP_TYPE_PROCEDURAL_PRIMITIVE : D3D12_HIT_GROUP_TYPE_TRIANGLES,
        .AnyHitShaderImport = any_hit,
        .ClosestHitShaderImport = closest_hit,
        .IntersectionShaderImport = intersection,
    };
    return index;
}

UINT pipeline_associate(struct pipeline *pipeline, UINT subobject, const WCHAR **exports)
{
    UINT index = pipeline_add(pipeline, D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION);
    D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION *association = &pipeline->data[index].association;
    association->pSubobjectToAssociate = &pipeline->subobjects[subobject];
    association->pExports = exports;
    while (exports && exports[association->NumExports])
        association->NumExports++;
    return index;
}

UINT pipeline_collection(struct pipeline *pipeline, ID3D12StateObject *collection)
{
    UINT index = pipeline_add(pipeline, D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION);
    pipeline->data[index].collection.pExistingCollection = collection;
    return index;
}

HRESULT pipeline_create(struct pipeline *pipeline, ID3D12StateObject **out)
{
    D3D12_STATE_OBJECT_DESC desc = {pipeline->type, pipeline->count, pipeline->subobjects};
    return ID3D12Device5_CreateStateObject(pipeline->gpu->device, &desc, &IID_ID3D12StateObject, (void **)out);
}

HRESULT pipeline_add_to(struct pipeline *pipeline, ID3D12StateObject *grow_from, ID3D12StateObject **out)
{
    D3D12_STATE_OBJECT_DESC desc = {pipeline->type, pipeline->count, pipeline->subobjects};
    ID3D12Device7 *device = NULL;
    require(SUCCEEDED(ID3D12Device5_QueryInterface(pipeline->gpu->device, &IID_ID3D12Device7, (void **)&device)),
            "ID3D12Device7");
    HRESULT result = ID3D12Device7_AddToStateObject(device, &desc, grow_from, &IID_ID3D12StateObject, (void **)out);
    ID3D12Device7_Release(device);
    return result;
}

ID3D12StateObjectProperties *pipeline_properties(ID3D12StateObject *object)
{
    ID3D12StateObjectProperties *properties = NULL;
    require(SUCCEEDED(
                ID3D12StateObject_QueryInterface(object, &IID_ID3D12StateObjectProperties, (void **)&properties)),
            "ID3D12StateObjectProperties");
    return properties;
}
