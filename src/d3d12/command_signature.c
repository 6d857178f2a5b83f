/* SPDX-License-Identifier: MIT
 * ID3D12CommandSignature. */
#include "d3d12/command_signature.h"

#include <stdlib.h>

#include "d3d12/create.h"

static void signature_destroy(struct com_object *object)
{
    struct d3d12_command_signature *signature = (struct d3d12_command_signature *)object;
    if (signature->root_signature)
        com_object_drop(&signature->root_signature->object);
    com_object_finish(object);
    free(signature);
}

static const struct com_iid_offset signature_interfaces[] = {
    {&IID_ID3D12Object, 0},
    {&IID_ID3D12DeviceChild, 0},
    {&IID_ID3D12Pageable, 0},
    {&IID_ID3D12CommandSignature, 0},
};
static const struct com_class signature_class = {
    .name = "ID3D12CommandSignature",
    .interfaces = signature_interfaces,
    .interface_count = ARRAY_COUNT(signature_interfaces),
    .destroy = signature_destroy,
};

COM_DEVICE_CHILD_METHODS(d3d12_command_signature, ID3D12CommandSignature)

const ID3D12CommandSignatureVtbl d3d12_command_signature_vtbl = {
    COM_DEVICE_CHILD_ENTRIES(d3d12_command_signature)};

struct builder {
    struct d3d12_device *device;
    struct d3d12_command_signature *signature;
    const struct dxil_root_signature *root; /* NULL: none given */
    UINT index;                             /* of the argument, for messages */
};

static HRESULT refuse(const struct builder *builder, const char *what, uint32_t value)
{
    return d3d12_fail(builder->device, E_INVALIDARG, RULE_COMMAND_SIGNATURE,
                      "CreateCommandSignature: pArgumentDescs[%u] %s (%u)", builder->index, what, value);
}

static HRESULT add_root_bytes(struct builder *builder, UINT parameter_index, uint32_t first_bytes, uint32_t bytes,
                              uint32_t type)
{
    if (!builder->root)
        return refuse(builder, "changes a root argument, pRootSignature must be given", parameter_index);
    if (parameter_index >= builder->root->parameter_count)
        return refuse(builder, "names a root parameter that the root signature does not have", parameter_index);
    const struct dxil_root_parameter *parameter = &builder->root->parameters[parameter_index];
    if (parameter->type != type)
        return refuse(builder, "names a root parameter of another type", parameter_index);
    if (type == DXIL_ROOT_PARAMETER_CONSTANTS && (uint64_t)first_bytes + bytes > parameter->constant_count * 4ull)
        return refuse(builder, "writes beyond the constants of root parameter", parameter_index);
    builder->signature->set_parameters |= UINT64_C(1) << (parameter_index & 63);
    builder->signature->arguments[builder->signature->argument_count++] = (struct exec_indirect_argument){
        .kind = EXEC_INDIRECT_ROOT_BYTES, .bytes = bytes, .root_offset = parameter->argument_offset + first_bytes};
    return S_OK;
}

static void add_command(struct builder *builder, uint32_t kind, uint32_t bytes)
{
    builder->signature->arguments[builder->signature->argument_count++] =
        (struct exec_indirect_argument){.kind = kind, .bytes = bytes};
}

static HRESULT add_argument(struct builder *builder, const D3D12_INDIRECT_ARGUMENT_DESC *argument)
{
    switch (argument->Type) {
    case D3D12_INDIRECT_ARGUMENT_TYPE_DRAW:
        builder->signature->has_draw = true;
        add_command(builder, EXEC_INDIRECT_SKIP, sizeof(D3D12_DRAW_ARGUMENTS));
        return S_OK;
    case D3D12_INDIRECT_ARGUMENT_TYPE_DRAW_INDEXED:
        builder->signature->has_draw = true;
        add_command(builder, EXEC_INDIRECT_SKIP, sizeof(D3D12_DRAW_INDEXED_ARGUMENTS));
        return S_OK;
    case D3D12_INDIRECT_ARGUMENT_TYPE_DISPATCH_MESH:
        builder->signature->has_draw = true;
        add_command(builder, EXEC_INDIRECT_SKIP, sizeof(D3D12_DISPATCH_MESH_ARGUMENTS));
        return S_OK;
    case D3D12_INDIRECT_ARGUMENT_TYPE_DISPATCH:
        add_command(builder, EXEC_INDIRECT_DISPATCH, sizeof(D3D12_DISPATCH_ARGUMENTS));
        return S_OK;
    case D3D12_INDIRECT_ARGUMENT_TYPE_DISPATCH_RAYS:
        builder->signature->has_rays = true;
        add_command(builder, EXEC_INDIRECT_DISPATCH_RAYS, sizeof(D3D12_DISPATCH_RAYS_DESC));
        return S_OK;
    case D3D12_INDIRECT_ARGUMENT_TYPE_VERTEX_BUFFER_VIEW:
    case D3D12_INDIRECT_ARGUMENT_TYPE_INDEX_BUFFER_VIEW:
        add_command(builder, EXEC_INDIRECT_SKIP, sizeof(D3D12_VERTEX_BUFFER_VIEW));
        return S_OK;
    case D3D12_INDIRECT_ARGUMENT_TYPE_CONSTANT:
        return add_root_bytes(builder, argument->Constant.RootParameterIndex,
                              argument->Constant.DestOffsetIn32BitValues * 4, argument->Constant.Num32BitValuesToSet * 4,
                              DXIL_ROOT_PARAMETER_CONSTANTS);
    case D3D12_INDIRECT_ARGUMENT_TYPE_CONSTANT_BUFFER_VIEW:
        return add_root_bytes(builder, argument->ConstantBufferView.RootParameterIndex, 0, sizeof(UINT64),
                              DXIL_ROOT_PARAMETER_CBV);
    case D3D12_INDIRECT_ARGUMENT_TYPE_SHADER_RESOURCE_VIEW:
        return add_root_bytes(builder, argument->ShaderResourceView.RootParameterIndex, 0, sizeof(UINT64),
                              DXIL_ROOT_PARAMETER_SRV);
    case D3D12_INDIRECT_ARGUMENT_TYPE_UNORDERED_ACCESS_VIEW:
        return add_root_bytes(builder, argument->UnorderedAccessView.RootParameterIndex, 0, sizeof(UINT64),
                              DXIL_ROOT_PARAMETER_UAV);
    default:
        return refuse(builder, "has a type that is not known", argument->Type);
    }
}

static bool is_command(D3D12_INDIRECT_ARGUMENT_TYPE type)
{
    return type == D3D12_INDIRECT_ARGUMENT_TYPE_DRAW || type == D3D12_INDIRECT_ARGUMENT_TYPE_DRAW_INDEXED ||
           type == D3D12_INDIRECT_ARGUMENT_TYPE_DISPATCH || type == D3D12_INDIRECT_ARGUMENT_TYPE_DISPATCH_RAYS ||
           type == D3D12_INDIRECT_ARGUMENT_TYPE_DISPATCH_MESH;
}

static HRESULT add_all(struct builder *builder, const D3D12_COMMAND_SIGNATURE_DESC *desc)
{
    for (UINT i = 0; i < desc->NumArgumentDescs; i++) {
        builder->index = i;
        HRESULT result = add_argument(builder, &desc->pArgumentDescs[i]);
        if (FAILED(result))
            return result;
        if (is_command(desc->pArgumentDescs[i].Type) != (i + 1 == desc->NumArgumentDescs))
            return refuse(builder, "breaks the rule that the last argument, and only it, is a draw or dispatch",
                          desc->pArgumentDescs[i].Type);
        builder->signature->used_bytes += builder->signature->arguments[i].bytes;
    }
    if (desc->ByteStride < builder->signature->used_bytes || desc->ByteStride % 4)
        return d3d12_fail(builder->device, E_INVALIDARG, RULE_COMMAND_SIGNATURE,
                          "CreateCommandSignature: ByteStride is %u, the arguments take %u bytes and it must be a "
                          "multiple of 4",
                          desc->ByteStride, builder->signature->used_bytes);
    return S_OK;
}

HRESULT d3d12_command_signature_create(struct d3d12_device *device, const D3D12_COMMAND_SIGNATURE_DESC *desc,
                                       ID3D12RootSignature *root_signature, REFIID riid, void **out)
{
    if (!desc || !desc->pArgumentDescs || !desc->NumArgumentDescs ||
        desc->NumArgumentDescs > D3D12_SIGNATURE_MAX_ARGUMENTS)
        return d3d12_fail(device, E_INVALIDARG, RULE_COMMAND_SIGNATURE,
                          "CreateCommandSignature: pDesc and pArgumentDescs must be given, with 1 to %u arguments",
                          D3D12_SIGNATURE_MAX_ARGUMENTS);
    struct d3d12_root_signature *root = d3d12_root_signature_from(root_signature);
    if (root_signature && !root)
        return d3d12_fail(device, E_INVALIDARG, RULE_COMMAND_SIGNATURE,
                          "CreateCommandSignature: pRootSignature is no root signature of this device");
    struct d3d12_command_signature *signature =
        calloc(1, sizeof(*signature) + desc->NumArgumentDescs * sizeof(signature->arguments[0]));
    if (!signature)
        return E_OUTOFMEMORY;
    struct builder builder = {.device = device, .signature = signature, .root = root ? &root->signature : NULL};
    HRESULT result = add_all(&builder, desc);
    if (FAILED(result)) {
        free(signature);
        return result;
    }
    signature->stride = desc->ByteStride;
    signature->root_signature = root;
    if (root)
        com_object_hold(&root->object);
    com_object_init(&signature->object, &signature_class, &d3d12_command_signature_vtbl, &device->object);
    return com_object_return(&signature->object, riid, out);
}
