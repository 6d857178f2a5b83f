/* SPDX-License-Identifier: MIT
 * Builds state object descriptions from the fixtures, for API tests. Everything added stays valid until
 * pipeline_finish. */
#ifndef CDXR_TESTS_HELPERS_PIPELINE_H
#define CDXR_TESTS_HELPERS_PIPELINE_H

#include "helpers/gpu.h"

#include <directx/d3d12.h>

enum { PIPELINE_MAX_SUBOBJECTS = 32 };

/* Storage for one subobject of any type. */
union pipeline_data {
    D3D12_STATE_OBJECT_CONFIG config;
    D3D12_GLOBAL_ROOT_SIGNATURE root_signature;
    D3D12_NODE_MASK node_mask;
    D3D12_DXIL_LIBRARY_DESC library;
    D3D12_EXISTING_COLLECTION_DESC collection;
    D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION association;
    D3D12_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION dxil_association;
    D3D12_RAYTRACING_SHADER_CONFIG shader_config;
    D3D12_RAYTRACING_PIPELINE_CONFIG1 pipeline_config;
    D3D12_HIT_GROUP_DESC hit_group;
};

struct pipeline {
    struct gpu *gpu;
    D3D12_STATE_OBJECT_TYPE type;
    D3D12_STATE_SUBOBJECT subobjects[PIPELINE_MAX_SUBOBJECTS];
    union pipeline_data data[PIPELINE_MAX_SUBOBJECTS];
    UINT count;
    D3D12_EXPORT_DESC exports[32];
    UINT export_count;
    void *blocks[64]; /* freed at the end */
    UINT block_count;
    ID3D12RootSignature *root_signatures[16];
    UINT root_signature_count;
};

/* Content of tests/fixtures/dxil/name; malloc. */
void *fixture_read(const char *name, SIZE_T *byte_count);

void pipeline_init(struct pipeline *pipeline, struct gpu *gpu, D3D12_STATE_OBJECT_TYPE type);
void pipeline_finish(struct pipeline *pipeline);

/* A subobject of any type with room for its data; the index. */
UINT pipeline_add(struct pipeline *pipeline, D3D12_STATE_SUBOBJECT_TYPE type);

/* Library from a fixture; exports: pairs { name, name to rename or NULL }, ended by a NULL name. NULL: everything. */
UINT pipeline_library(struct pipeline *pipeline, const char *fixture, const WCHAR *const (*exports)[2]);
UINT pipeline_config(struct pipeline *pipeline, UINT flags);
UINT pipeline_shader_config(struct pipeline *pipeline, UINT payload_bytes, UINT attribute_bytes);
UINT pipeline_pipeline_config(struct pipeline *pipeline, UINT depth);
/* Root signature from a fixture. */
UINT pipeline_root_signature(struct pipeline *pipeline, D3D12_STATE_SUBOBJECT_TYPE type, const char *fixture);
UINT pipeline_hit_group(struct pipeline *pipeline, const WCHAR *name, const WCHAR *closest_hit, const WCHAR *any_hit,
                        const WCHAR *intersection);
/* exports: NULL-terminated */
UINT pipeline_associate(struct pipeline *pipeline, UINT subobject, const WCHAR **exports);
UINT pipeline_collection(struct pipeline *pipeline, ID3D12StateObject *collection);

HRESULT pipeline_create(struct pipeline *pipeline, ID3D12StateObject **out);
HRESULT pipeline_add_to(struct pipeline *pipeline, ID3D12StateObject *grow_from, ID3D12StateObject **out);

ID3D12StateObjectProperties *pipeline_properties(ID3D12StateObject *object);

#endif
