/* SPDX-License-Identifier: MIT
 * Pipeline state streams (D3D12_PIPELINE_STATE_STREAM_DESC): a row of subobjects, each a 4-byte type followed by its
 * data at the data's alignment, each starting at a multiple of the pointer size. Compute streams become a compute
 * description; what asks for graphics is refused by name. */
#include <string.h>

#include "d3d12/pipeline_state.h"

enum stream_use { STREAM_COMPUTE, STREAM_GRAPHICS_SHADER, STREAM_GRAPHICS_STATE };

struct stream_row {
    const char *name; /* NULL: no such type */
    uint32_t byte_count, alignment_bytes;
    enum stream_use use;
};

#define ROW(NAME, type, use) [D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_##NAME] = {#NAME, sizeof(type), _Alignof(type), use}

static const struct stream_row rows[D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_MAX_VALID] = {
    ROW(ROOT_SIGNATURE, ID3D12RootSignature *, STREAM_COMPUTE),
    ROW(VS, D3D12_SHADER_BYTECODE, STREAM_GRAPHICS_SHADER),
    ROW(PS, D3D12_SHADER_BYTECODE, STREAM_GRAPHICS_SHADER),
    ROW(DS, D3D12_SHADER_BYTECODE, STREAM_GRAPHICS_SHADER),
    ROW(HS, D3D12_SHADER_BYTECODE, STREAM_GRAPHICS_SHADER),
    ROW(GS, D3D12_SHADER_BYTECODE, STREAM_GRAPHICS_SHADER),
    ROW(CS, D3D12_SHADER_BYTECODE, STREAM_COMPUTE),
    ROW(STREAM_OUTPUT, D3D12_STREAM_OUTPUT_DESC, STREAM_GRAPHICS_STATE),
    ROW(BLEND, D3D12_BLEND_DESC, STREAM_GRAPHICS_STATE),
    ROW(SAMPLE_MASK, UINT, STREAM_GRAPHICS_STATE),
    ROW(RASTERIZER, D3D12_RASTERIZER_DESC, STREAM_GRAPHICS_STATE),
    ROW(DEPTH_STENCIL, D3D12_DEPTH_STENCIL_DESC, STREAM_GRAPHICS_STATE),
    ROW(INPUT_LAYOUT, D3D12_INPUT_LAYOUT_DESC, STREAM_GRAPHICS_STATE),
    ROW(IB_STRIP_CUT_VALUE, D3D12_INDEX_BUFFER_STRIP_CUT_VALUE, STREAM_GRAPHICS_STATE),
    ROW(PRIMITIVE_TOPOLOGY, D3D12_PRIMITIVE_TOPOLOGY_TYPE, STREAM_GRAPHICS_STATE),
    ROW(RENDER_TARGET_FORMATS, struct D3D12_RT_FORMAT_ARRAY, STREAM_GRAPHICS_STATE),
    ROW(DEPTH_STENCIL_FORMAT, DXGI_FORMAT, STREAM_GRAPHICS_STATE),
    ROW(SAMPLE_DESC, DXGI_SAMPLE_DESC, STREAM_GRAPHICS_STATE),
    ROW(NODE_MASK, UINT, STREAM_COMPUTE),
    ROW(CACHED_PSO, D3D12_CACHED_PIPELINE_STATE, STREAM_COMPUTE),
    ROW(FLAGS, D3D12_PIPELINE_STATE_FLAGS, STREAM_COMPUTE),
    ROW(DEPTH_STENCIL1, D3D12_DEPTH_STENCIL_DESC1, STREAM_GRAPHICS_STATE),
    ROW(VIEW_INSTANCING, D3D12_VIEW_INSTANCING_DESC, STREAM_GRAPHICS_STATE),
    ROW(AS, D3D12_SHADER_BYTECODE, STREAM_GRAPHICS_SHADER),
    ROW(MS, D3D12_SHADER_BYTECODE, STREAM_GRAPHICS_SHADER),
    ROW(DEPTH_STENCIL2, D3D12_DEPTH_STENCIL_DESC2, STREAM_GRAPHICS_STATE),
};

struct stream_reader {
    struct d3d12_device *device;
    const char *call;
    const uint8_t *bytes;
    size_t byte_count, offset;
    uint64_t seen; /* bit per type */
    const char *graphics_shader; /* name of the first one that is not empty */
};

static HRESULT refuse(const struct stream_reader *reader, const char *text)
{
    return d3d12_fail(reader->device, E_INVALIDARG, RULE_PIPELINE_STATE, "%s: pipeline state stream at byte %zu: %s",
                      reader->call, reader->offset, text);
}

static void store(D3D12_COMPUTE_PIPELINE_STATE_DESC *compute, uint32_t type, const void *data)
{
    switch (type) {
    case D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_ROOT_SIGNATURE:
        memcpy(&compute->pRootSignature, data, sizeof(compute->pRootSignature));
        return;
    case D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS:
        memcpy(&compute->CS, data, sizeof(compute->CS));
        return;
    case D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_NODE_MASK:
        memcpy(&compute->NodeMask, data, sizeof(compute->NodeMask));
        return;
    case D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CACHED_PSO:
        memcpy(&compute->CachedPSO, data, sizeof(compute->CachedPSO));
        return;
    case D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_FLAGS:
        memcpy(&compute->Flags, data, sizeof(compute->Flags));
        return;
    default:
        return; /* graphics state has no meaning for compute */
    }
}

static size_t align(size_t value, size_t alignment_bytes)
{
    return (value + alignment_bytes - 1) & ~(alignment_bytes - 1);
}

static HRESULT read_one(struct stream_reader *reader, D3D12_COMPUTE_PIPELINE_STATE_DESC *compute)
{
    uint32_t type;
    if (reader->byte_count - reader->offset < sizeof(type))
        return refuse(reader, "ends inside a subobject's type");
    memcpy(&type, reader->bytes + reader->offset, sizeof(type));
    if (type >= ARRAY_COUNT(rows) || !rows[type].name)
        return refuse(reader, "the subobject type is unknown");
    if (reader->seen >> type & 1)
        return refuse(reader, "a subobject type occurs twice");
    reader->seen |= UINT64_C(1) << type;
    size_t data = align(reader->offset + sizeof(type), rows[type].alignment_bytes);
    if (data > reader->byte_count || rows[type].byte_count > reader->byte_count - data)
        return refuse(reader, "ends inside a subobject");
    D3D12_SHADER_BYTECODE code;
    if (rows[type].use == STREAM_GRAPHICS_SHADER) {
        memcpy(&code, reader->bytes + data, sizeof(code));
        if (code.pShaderBytecode && !reader->graphics_shader)
            reader->graphics_shader = rows[type].name;
    }
    store(compute, type, reader->bytes + data);
    reader->offset = align(data + rows[type].byte_count, sizeof(void *));
    return S_OK;
}

HRESULT d3d12_pipeline_stream_read(struct d3d12_device *device, const char *call,
                                   const D3D12_PIPELINE_STATE_STREAM_DESC *stream,
                                   D3D12_COMPUTE_PIPELINE_STATE_DESC *compute)
{
    *compute = (D3D12_COMPUTE_PIPELINE_STATE_DESC){0};
    if (!stream || !stream->pPipelineStateSubobjectStream || !stream->SizeInBytes)
        return d3d12_fail(device, E_INVALIDARG, RULE_PIPELINE_STATE, "%s: the pipeline state stream is empty", call);
    struct stream_reader reader = {.device = device, .call = call, .bytes = stream->pPipelineStateSubobjectStream,
                                   .byte_count = stream->SizeInBytes};
    while (reader.offset < reader.byte_count) {
        HRESULT result = read_one(&reader, compute);
        if (FAILED(result))
            return result;
    }
    if (reader.graphics_shader && compute->CS.pShaderBytecode)
        return d3d12_fail(device, E_INVALIDARG, RULE_PIPELINE_STATE, "%s: the stream has both CS and %s", call,
                          reader.graphics_shader);
    if (reader.graphics_shader)
        return d3d12_fail(device, E_NOTIMPL, RULE_NOT_IMPLEMENTED,
                          "%s: the stream describes a graphics or mesh pipeline (%s); this device executes compute and "
                          "raytracing pipelines only, there is no rasteriser",
                          call, reader.graphics_shader);
    return S_OK;
}
