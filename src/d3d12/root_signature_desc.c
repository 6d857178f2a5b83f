/* SPDX-License-Identifier: MIT */
#include "d3d12/root_signature_desc.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "d3d12/blob.h"

_Static_assert(offsetof(D3D12_ROOT_SIGNATURE_DESC, NumStaticSamplers) ==
                       offsetof(D3D12_ROOT_SIGNATURE_DESC1, NumStaticSamplers) &&
                   sizeof(D3D12_ROOT_PARAMETER) == sizeof(D3D12_ROOT_PARAMETER1),
               "the versions differ in ranges, descriptors and samplers only");

/* --- API to our own --- */

static uint32_t ranges_in(const D3D12_VERSIONED_ROOT_SIGNATURE_DESC *desc)
{
    uint64_t total = 0;
    for (UINT i = 0; i < desc->Desc_1_0.NumParameters; i++)
        if (desc->Desc_1_0.pParameters[i].ParameterType == D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE)
            total += desc->Desc_1_0.pParameters[i].DescriptorTable.NumDescriptorRanges;
    return total > UINT16_MAX ? UINT32_MAX : (uint32_t)total;
}

static enum status check_pointers(const D3D12_VERSIONED_ROOT_SIGNATURE_DESC *desc, struct reason *reason)
{
    const D3D12_ROOT_SIGNATURE_DESC *base = &desc->Desc_1_0;
    if ((int)desc->Version < DXIL_ROOT_SIGNATURE_VERSION_1_0 || (int)desc->Version > DXIL_ROOT_SIGNATURE_VERSION_1_2)
        return reason_set(reason, STATUS_INVALID, "Version %d is no D3D_ROOT_SIGNATURE_VERSION", desc->Version);
    if (base->NumParameters && !base->pParameters)
        return reason_set(reason, STATUS_INVALID, "pParameters is NULL but NumParameters is %u", base->NumParameters);
    if (base->NumStaticSamplers && !base->pStaticSamplers)
        return reason_set(reason, STATUS_INVALID, "pStaticSamplers is NULL but NumStaticSamplers is %u",
                          base->NumStaticSamplers);
    if (base->NumParameters > UINT16_MAX || base->NumStaticSamplers > UINT16_MAX)
        return reason_set(reason, STATUS_INVALID, "NumParameters %u or NumStaticSamplers %u is beyond any root signature",
                          base->NumParameters, base->NumStaticSamplers);
    for (UINT i = 0; i < base->NumParameters; i++) {
        const D3D12_ROOT_PARAMETER *parameter = &base->pParameters[i];
        bool is_table = parameter->ParameterType == D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE;
        if (is_table && parameter->DescriptorTable.NumDescriptorRanges && !parameter->DescriptorTable.pDescriptorRanges)
            return reason_set(reason, STATUS_INVALID, "pParameters[%u]: pDescriptorRanges is NULL but "
                              "NumDescriptorRanges is %u", i, parameter->DescriptorTable.NumDescriptorRanges);
    }
    if (ranges_in(desc) == UINT32_MAX)
        return reason_set(reason, STATUS_INVALID, "more than 65535 descriptor ranges");
    return STATUS_OK;
}

/* In version 1.0 everything is volatile. */
static uint32_t range_flags_1_0(uint32_t type)
{
    return type == D3D12_DESCRIPTOR_RANGE_TYPE_SAMPLER
               ? DXIL_RANGE_FLAG_DESCRIPTORS_VOLATILE
               : DXIL_RANGE_FLAG_DESCRIPTORS_VOLATILE | DXIL_RANGE_FLAG_DATA_VOLATILE;
}

static void copy_table(const D3D12_ROOT_PARAMETER *parameter, bool is_1_0, struct dxil_root_signature *signature,
                       struct dxil_root_parameter *out)
{
    UINT count = parameter->DescriptorTable.NumDescriptorRanges;
    const D3D12_DESCRIPTOR_RANGE *old = parameter->DescriptorTable.pDescriptorRanges;
    const D3D12_DESCRIPTOR_RANGE1 *new = (const D3D12_DESCRIPTOR_RANGE1 *)(const void *)old;
    out->first_range = signature->range_count;
    out->range_count = count;
    for (UINT i = 0; i < count; i++) {
        struct dxil_descriptor_range *range = &signature->ranges[signature->range_count++];
        if (is_1_0)
            *range = (struct dxil_descriptor_range){
                .type = old[i].RangeType,
                .descriptor_count = old[i].NumDescriptors,
                .base_register = old[i].BaseShaderRegister,
                .space = old[i].RegisterSpace,
                .flags = range_flags_1_0(old[i].RangeType),
                .table_offset = old[i].OffsetInDescriptorsFromTableStart,
            };
        else
            *range = (struct dxil_descriptor_range){
                .type = new[i].RangeType,
                .descriptor_count = new[i].NumDescriptors,
                .base_register = new[i].BaseShaderRegister,
                .space = new[i].RegisterSpace,
                .flags = new[i].Flags,
                .table_offset = new[i].OffsetInDescriptorsFromTableStart,
            };
    }
}

static void copy_parameter(const D3D12_ROOT_PARAMETER *parameter, bool is_1_0, struct dxil_root_signature *signature,
                           struct dxil_root_parameter *out)
{
    out->type = parameter->ParameterType;
    out->visibility = parameter->ShaderVisibility;
    switch (parameter->ParameterType) {
    case D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE:
        copy_table(parameter, is_1_0, signature, out);
        break;
    case D3D12_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS:
        out->shader_register = parameter->Constants.ShaderRegister;
        out->space = parameter->Constants.RegisterSpace;
        out->constant_count = parameter->Constants.Num32BitValues;
        break;
    default:
        out->shader_register = parameter->Descriptor.ShaderRegister;
        out->space = parameter->Descriptor.RegisterSpace;
        out->flags = is_1_0 ? DXIL_RANGE_FLAG_DATA_VOLATILE
                            : ((const D3D12_ROOT_PARAMETER1 *)(const void *)parameter)->Descriptor.Flags;
        break;
    }
}

static void copy_sampler(const D3D12_STATIC_SAMPLER_DESC *sampler, uint32_t flags, struct dxil_static_sampler *out)
{
    *out = (struct dxil_static_sampler){
        .filter = sampler->Filter,
        .address_u = sampler->AddressU,
        .address_v = sampler->AddressV,
        .address_w = sampler->AddressW,
        .mip_lod_bias = sampler->MipLODBias,
        .max_anisotropy = sampler->MaxAnisotropy,
        .comparison = sampler->ComparisonFunc,
        .border_color = sampler->BorderColor,
        .min_lod = sampler->MinLOD,
        .max_lod = sampler->MaxLOD,
        .shader_register = sampler->ShaderRegister,
        .space = sampler->RegisterSpace,
        .visibility = sampler->ShaderVisibility,
        .flags = flags,
    };
}

enum status d3d12_root_signature_from_desc(const D3D12_VERSIONED_ROOT_SIGNATURE_DESC *desc,
                                           struct dxil_root_signature *signature, struct reason *reason)
{
    *signature = (struct dxil_root_signature){0};
    RETURN_IF_FAILED(check_pointers(desc, reason));
    const D3D12_ROOT_SIGNATURE_DESC *base = &desc->Desc_1_0;
    uint32_t range_count = ranges_in(desc);
    bool is_1_0 = (int)desc->Version == DXIL_ROOT_SIGNATURE_VERSION_1_0;
    bool is_1_2 = (int)desc->Version == DXIL_ROOT_SIGNATURE_VERSION_1_2;
    signature->version = desc->Version;
    signature->flags = base->Flags;
    signature->parameters = calloc(base->NumParameters + 1, sizeof(*signature->parameters));
    signature->ranges = calloc(range_count + 1, sizeof(*signature->ranges));
    signature->static_samplers = calloc(base->NumStaticSamplers + 1, sizeof(*signature->static_samplers));
    if (!signature->parameters || !signature->ranges || !signature->static_samplers)
        goto fail;
    for (UINT i = 0; i < base->NumParameters; i++)
        copy_parameter(&base->pParameters[i], is_1_0, signature, &signature->parameters[i]);
    signature->parameter_count = base->NumParameters;
    const struct d3d12_static_sampler_desc1 *samplers1 = (const void *)base->pStaticSamplers;
    for (UINT i = 0; i < base->NumStaticSamplers; i++)
        copy_sampler(is_1_2 ? &samplers1[i].desc : &base->pStaticSamplers[i], is_1_2 ? samplers1[i].flags : 0,
                     &signature->static_samplers[i]);
    signature->static_sampler_count = base->NumStaticSamplers;
    return STATUS_OK;
fail:
    dxil_root_signature_finish(signature);
    return reason_set(reason, STATUS_OUT_OF_MEMORY, "out of memory");
}

HRESULT d3d12_root_signature_serialize(const D3D12_VERSIONED_ROOT_SIGNATURE_DESC *desc, ID3DBlob **blob,
                                       ID3DBlob **error_blob)
{
    struct dxil_root_signature signature = {0};
    struct reason reason = {{0}};
    void *bytes = NULL;
    size_t byte_count = 0;
    enum status status = d3d12_root_signature_from_desc(desc, &signature, &reason);
    if (status == STATUS_OK)
        status = dxil_root_signature_finish_layout(&signature, &reason);
    if (status == STATUS_OK)
        status = dxil_root_signature_serialize(&signature, desc->Version, &bytes, &byte_count, &reason);
    HRESULT result = com_result_from_status(status);
    if (status == STATUS_OK)
        result = d3d12_blob_create(bytes, byte_count, blob);
    else
        log_warn("D3D12SerializeRootSignature: %s", reason.text);
    if (status != STATUS_OK && error_blob)
        d3d12_blob_create(reason.text, strlen(reason.text) + 1, error_blob);
    free(bytes);
    dxil_root_signature_finish(&signature);
    return result;
}

/* --- our own to API --- */

static bool fill_table(const struct dxil_root_signature *signature, const struct dxil_root_parameter *parameter,
                       bool is_1_0, struct arena *arena, D3D12_ROOT_PARAMETER *out)
{
    uint32_t count = parameter->range_count;
    size_t range_bytes = is_1_0 ? sizeof(D3D12_DESCRIPTOR_RANGE) : sizeof(D3D12_DESCRIPTOR_RANGE1);
    void *ranges = arena_allocate_zeroed(arena, (count + 1) * range_bytes, 16);
    if (!ranges)
        return false;
    out->DescriptorTable.NumDescriptorRanges = count;
    out->DescriptorTable.pDescriptorRanges = ranges;
    for (uint32_t i = 0; i < count; i++) {
        const struct dxil_descriptor_range *range = &signature->ranges[parameter->first_range + i];
        if (is_1_0)
            ((D3D12_DESCRIPTOR_RANGE *)ranges)[i] = (D3D12_DESCRIPTOR_RANGE){
                range->type, range->descriptor_count, range->base_register, range->space, range->table_offset};
        else
            ((D3D12_DESCRIPTOR_RANGE1 *)ranges)[i] = (D3D12_DESCRIPTOR_RANGE1){
                range->type,  range->descriptor_count, range->base_register,
                range->space, range->flags,            range->table_offset};
    }
    return true;
}

static bool fill_parameter(const struct dxil_root_signature *signature, const struct dxil_root_parameter *parameter,
                           bool is_1_0, struct arena *arena, D3D12_ROOT_PARAMETER *out)
{
    out->ParameterType = parameter->type;
    out->ShaderVisibility = parameter->visibility;
    switch (parameter->type) {
    case DXIL_ROOT_PARAMETER_TABLE:
        return fill_table(signature, parameter, is_1_0, arena, out);
    case DXIL_ROOT_PARAMETER_CONSTANTS:
        out->Constants = (D3D12_ROOT_CONSTANTS){parameter->shader_register, parameter->space, parameter->constant_count};
        return true;
    default:
        out->Descriptor = (D3D12_ROOT_DESCRIPTOR){parameter->shader_register, parameter->space};
        if (!is_1_0)
            ((D3D12_ROOT_PARAMETER1 *)(void *)out)->Descriptor.Flags = parameter->flags;
        return true;
    }
}

static D3D12_STATIC_SAMPLER_DESC sampler_to_desc(const struct dxil_static_sampler *sampler)
{
    return (D3D12_STATIC_SAMPLER_DESC){
        .Filter = sampler->filter,
        .AddressU = sampler->address_u,
        .AddressV = sampler->address_v,
        .AddressW = sampler->address_w,
        .MipLODBias = sampler->mip_lod_bias,
        .MaxAnisotropy = sampler->max_anisotropy,
        .ComparisonFunc = sampler->comparison,
        .BorderColor = sampler->border_color,
        .MinLOD = sampler->min_lod,
        .MaxLOD = sampler->max_lod,
        .ShaderRegister = sampler->shader_register,
        .RegisterSpace = sampler->space,
        .ShaderVisibility = sampler->visibility,
    };
}

const D3D12_VERSIONED_ROOT_SIGNATURE_DESC *d3d12_root_signature_to_desc(const struct dxil_root_signature *signature,
                                                                        uint32_t version, struct arena *arena)
{
    bool is_1_0 = version == DXIL_ROOT_SIGNATURE_VERSION_1_0, is_1_2 = version == DXIL_ROOT_SIGNATURE_VERSION_1_2;
    size_t sampler_bytes = is_1_2 ? sizeof(struct d3d12_static_sampler_desc1) : sizeof(D3D12_STATIC_SAMPLER_DESC);
    D3D12_VERSIONED_ROOT_SIGNATURE_DESC *desc = arena_allocate_zeroed(arena, sizeof(*desc), 16);
    D3D12_ROOT_PARAMETER *parameters =
        arena_allocate_zeroed(arena, (signature->parameter_count + 1) * sizeof(*parameters), 16);
    uint8_t *samplers = arena_allocate_zeroed(arena, (signature->static_sampler_count + 1) * sampler_bytes, 16);
    if (!desc || !parameters || !samplers)
        return NULL;
    for (uint32_t i = 0; i < signature->parameter_count; i++)
        if (!fill_parameter(signature, &signature->parameters[i], is_1_0, arena, &parameters[i]))
            return NULL;
    for (uint32_t i = 0; i < signature->static_sampler_count; i++) {
        D3D12_STATIC_SAMPLER_DESC sampler = sampler_to_desc(&signature->static_samplers[i]);
        memcpy(samplers + i * sampler_bytes, &sampler, sizeof(sampler));
        if (is_1_2)
            ((struct d3d12_static_sampler_desc1 *)(void *)samplers)[i].flags = signature->static_samplers[i].flags;
    }
    desc->Version = version;
    desc->Desc_1_0 = (D3D12_ROOT_SIGNATURE_DESC){
        .NumParameters = signature->parameter_count,
        .pParameters = signature->parameter_count ? parameters : NULL,
        .NumStaticSamplers = signature->static_sampler_count,
        .pStaticSamplers =
            signature->static_sampler_count ? (const D3D12_STATIC_SAMPLER_DESC *)(const void *)samplers : NULL,
        .Flags = signature->flags,
    };
    return desc;
}
