/* SPDX-License-Identifier: MIT
 * Translation of build descriptions, prebuild information, serialized data matching. */
#include "d3d12/acceleration_structure.h"

#include <string.h>

#include "d3d12/create.h"

enum {
    MAX_GEOMETRIES = 1 << 24,
    GEOMETRY_TYPE_OMM_TRIANGLES = 2, /* D3D12_RAYTRACING_GEOMETRY_TYPE_OMM_TRIANGLES of newer headers */
    TYPE_OMM_ARRAY = 2,              /* D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_OPACITY_MICROMAP_ARRAY */
};

/* Newer headers: D3D12_RAYTRACING_GEOMETRY_OMM_LINKAGE_DESC and the geometry that points at it. */
struct omm_linkage {
    D3D12_GPU_VIRTUAL_ADDRESS_AND_STRIDE index_buffer;
    DXGI_FORMAT index_format;
    UINT base_location;
    D3D12_GPU_VIRTUAL_ADDRESS array;
};
struct omm_triangles {
    const D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC *triangles;
    const struct omm_linkage *linkage;
};

static void translate_triangles(const D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC *from, struct accel_triangles *to)
{
    *to = (struct accel_triangles){
        .vertices = from->VertexBuffer.StartAddress,
        .vertex_stride_bytes = (uint32_t)from->VertexBuffer.StrideInBytes, /* the upper half is ignored by rule */
        .vertex_count = from->VertexCount,
        .vertex_format = from->VertexFormat,
        .indices = from->IndexFormat == DXGI_FORMAT_UNKNOWN ? 0 : from->IndexBuffer,
        .index_count = from->IndexCount,
        .index_format = from->IndexFormat,
        .transform = from->Transform3x4,
    };
}

static enum status translate_omm(struct arena *arena, const struct omm_triangles *from, struct accel_triangles *to,
                                 struct reason *reason)
{
    if (!from->triangles)
        return reason_set(reason, STATUS_INVALID, "OmmTriangles.pTriangles is NULL");
    translate_triangles(from->triangles, to);
    if (!from->linkage)
        return STATUS_OK;
    struct accel_micromap_link *link = arena_allocate_zeroed(arena, sizeof(*link), _Alignof(max_align_t));
    if (!link)
        return reason_set(reason, STATUS_OUT_OF_MEMORY, "out of memory");
    link->array = from->linkage->array;
    link->index_buffer = from->linkage->index_buffer.StartAddress;
    link->index_stride_bytes = from->linkage->index_buffer.StrideInBytes;
    link->index_format = from->linkage->index_format;
    link->base_location = from->linkage->base_location;
    to->micromaps = link;
    return STATUS_OK;
}

static enum status translate_geometry(struct arena *arena, const D3D12_RAYTRACING_GEOMETRY_DESC *from,
                                      struct accel_geometry *to, struct reason *reason)
{
    *to = (struct accel_geometry){.type = from->Type, .flags = from->Flags};
    switch ((int)from->Type) {
    case D3D12_RAYTRACING_GEOMETRY_TYPE_TRIANGLES:
        translate_triangles(&from->Triangles, &to->triangles);
        return STATUS_OK;
    case D3D12_RAYTRACING_GEOMETRY_TYPE_PROCEDURAL_PRIMITIVE_AABBS:
        to->boxes = (struct accel_boxes){from->AABBs.AABBs.StartAddress, from->AABBs.AABBs.StrideInBytes,
                                         from->AABBs.AABBCount};
        return STATUS_OK;
    case GEOMETRY_TYPE_OMM_TRIANGLES: {
        struct omm_triangles omm;
        memcpy(&omm, &from->Triangles, sizeof(omm));
        return translate_omm(arena, &omm, &to->triangles, reason);
    }
    default:
        return reason_set(reason, STATUS_INVALID, "a geometry has Type %d, which is not defined", from->Type);
    }
}

static const D3D12_RAYTRACING_GEOMETRY_DESC *
geometry_at(const D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS *inputs, UINT index)
{
    return inputs->DescsLayout == D3D12_ELEMENTS_LAYOUT_ARRAY_OF_POINTERS ? inputs->ppGeometryDescs[index]
                                                                          : &inputs->pGeometryDescs[index];
}

static enum status translate_bottom(struct arena *arena,
                                    const D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS *inputs,
                                    struct accel_build_inputs *to, struct reason *reason)
{
    if (!inputs->NumDescs)
        return STATUS_OK;
    if (inputs->NumDescs > MAX_GEOMETRIES)
        return reason_set(reason, STATUS_INVALID, "Inputs.NumDescs is %u, at most 2^24 geometries are possible",
                          inputs->NumDescs);
    if (!inputs->pGeometryDescs)
        return reason_set(reason, STATUS_INVALID, "Inputs.pGeometryDescs is NULL with NumDescs %u",
                          inputs->NumDescs);
    struct accel_geometry *geometries =
        arena_allocate(arena, inputs->NumDescs * sizeof(*geometries), _Alignof(max_align_t));
    if (!geometries)
        return reason_set(reason, STATUS_OUT_OF_MEMORY, "out of memory");
    for (UINT i = 0; i < inputs->NumDescs; i++) {
        const D3D12_RAYTRACING_GEOMETRY_DESC *geometry = geometry_at(inputs, i);
        if (!geometry)
            return reason_set(reason, STATUS_INVALID, "Inputs.ppGeometryDescs[%u] is NULL", i);
        RETURN_IF_FAILED(translate_geometry(arena, geometry, &geometries[i], reason));
    }
    to->geometries = geometries;
    return STATUS_OK;
}

enum status d3d12_build_inputs_translate(struct arena *arena,
                                         const D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS *inputs,
                                         const struct accel_build_inputs **out, struct reason *reason)
{
    struct accel_build_inputs *to = arena_allocate_zeroed(arena, sizeof(*to), _Alignof(max_align_t));
    if (!to)
        return reason_set(reason, STATUS_OUT_OF_MEMORY, "out of memory");
    to->level = inputs->Type;
    to->flags = inputs->Flags;
    to->count = inputs->NumDescs;
    to->instances_layout = inputs->DescsLayout;
    if (inputs->DescsLayout > D3D12_ELEMENTS_LAYOUT_ARRAY_OF_POINTERS)
        return reason_set(reason, STATUS_INVALID, "Inputs.DescsLayout is %d, which is not defined",
                          inputs->DescsLayout);
    switch ((int)inputs->Type) {
    case D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL:
        to->instances = inputs->InstanceDescs;
        break;
    case D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL:
        RETURN_IF_FAILED(translate_bottom(arena, inputs, to, reason));
        break;
    case TYPE_OMM_ARRAY:
        return reason_set(reason, STATUS_UNSUPPORTED,
                          "Inputs.Type is OPACITY_MICROMAP_ARRAY, which this version cannot build");
    default:
        return reason_set(reason, STATUS_INVALID, "Inputs.Type is %d, which is not defined", inputs->Type);
    }
    *out = to;
    return STATUS_OK;
}

void d3d12_acceleration_structure_prebuild(struct d3d12_device *device,
                                           const D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS *inputs,
                                           D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO *info)
{
    if (!info)
        return;
    *info = (D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO){0};
    struct reason reason = {0};
    struct arena arena = {0};
    const struct accel_build_inputs *translated = NULL;
    struct accel_prebuild_info sizes;
    enum status status =
        inputs ? d3d12_build_inputs_translate(&arena, inputs, &translated, &reason)
               : reason_set(&reason, STATUS_INVALID, "pDesc is NULL");
    if (status == STATUS_OK)
        status = accel_prebuild_info(translated, &sizes, &reason);
    arena_finish(&arena);
    if (status != STATUS_OK) {
        message_write(device->messages, RULE_ACCELERATION_STRUCTURE_BUILD,
                      "GetRaytracingAccelerationStructurePrebuildInfo: %s; all sizes are 0", reason.text);
        return;
    }
    info->ResultDataMaxSizeInBytes = sizes.result_bytes;
    info->ScratchDataSizeInBytes = sizes.scratch_bytes;
    info->UpdateScratchDataSizeInBytes = sizes.update_scratch_bytes;
}

D3D12_DRIVER_MATCHING_IDENTIFIER_STATUS
d3d12_acceleration_structure_match(struct d3d12_device *device, D3D12_SERIALIZED_DATA_TYPE type,
                                   const D3D12_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER *identifier)
{
    uint8_t ours[sizeof(*identifier)] = {0}; /* GUID and 16 bytes of version */
    if (!identifier || type != D3D12_SERIALIZED_DATA_RAYTRACING_ACCELERATION_STRUCTURE)
        return D3D12_DRIVER_MATCHING_IDENTIFIER_UNSUPPORTED_TYPE;
    accel_driver_identifier(ours);
    if (memcmp(ours, identifier, sizeof(ours)) == 0)
        return D3D12_DRIVER_MATCHING_IDENTIFIER_COMPATIBLE_WITH_DEVICE;
    return memcmp(ours, identifier, sizeof(GUID)) == 0 ? D3D12_DRIVER_MATCHING_IDENTIFIER_INCOMPATIBLE_VERSION
                                                       : D3D12_DRIVER_MATCHING_IDENTIFIER_UNRECOGNIZED;
}
