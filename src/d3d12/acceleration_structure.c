/* SPDX-License-Identifier: MIT
 * Translation of build descriptions, prebuild information, serialized data matching. */
#include "d3d12/acceleration_structure.h"

#include <string.h>

#include "cdxr/d3d12_dxr.h"
#include "d3d12/create.h"

enum {
    MAX_GEOMETRIES = 1 << 24,
    BUILD_FLAGS = 0x1ff, /* all that Raytracing.md defines; 0x100 is ALLOW_DATA_ACCESS of shader model 6.10 */
    GEOMETRY_FLAGS = D3D12_RAYTRACING_GEOMETRY_FLAG_OPAQUE | D3D12_RAYTRACING_GEOMETRY_FLAG_NO_DUPLICATE_ANYHIT_INVOCATION,
};

/* What only newer headers have must lie where they have it. */
_Static_assert(sizeof(CDXR_RAYTRACING_GEOMETRY_DESC) == sizeof(D3D12_RAYTRACING_GEOMETRY_DESC), "geometry bytes");
_Static_assert(sizeof(CDXR_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS) ==
                   sizeof(D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS), "inputs bytes");
_Static_assert(sizeof(D3D12_RAYTRACING_OPACITY_MICROMAP_DESC) == 8, "micromap description bytes");
_Static_assert(sizeof(D3D12_RAYTRACING_OPACITY_MICROMAP_HISTOGRAM_ENTRY) == 12, "histogram entry bytes");
_Static_assert(sizeof(D3D12_RAYTRACING_OPACITY_MICROMAP_ARRAY_DESC) == 40, "array description bytes");
_Static_assert(sizeof(D3D12_RAYTRACING_GEOMETRY_OMM_LINKAGE_DESC) == 32, "linkage bytes");
_Static_assert(sizeof(D3D12_SERIALIZED_RAYTRACING_ACCELERATION_STRUCTURE_HEADER1) ==
                   sizeof(D3D12_SERIALIZED_RAYTRACING_ACCELERATION_STRUCTURE_HEADER), "serialised header bytes");

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

/* A geometry without pOmmLinkage has no micromaps. */
static enum status translate_omm(struct arena *arena, const D3D12_RAYTRACING_GEOMETRY_OMM_TRIANGLES_DESC *from,
                                 struct accel_triangles *to, struct reason *reason)
{
    if (!from->pTriangles)
        return reason_set(reason, STATUS_INVALID, "OmmTriangles.pTriangles is NULL");
    translate_triangles(from->pTriangles, to);
    const D3D12_RAYTRACING_GEOMETRY_OMM_LINKAGE_DESC *linkage = from->pOmmLinkage;
    if (!linkage)
        return STATUS_OK;
    struct accel_micromap_link *link = arena_allocate_zeroed(arena, sizeof(*link), _Alignof(max_align_t));
    if (!link)
        return reason_set(reason, STATUS_OUT_OF_MEMORY, "out of memory");
    link->array = linkage->OpacityMicromapArray;
    link->index_buffer = linkage->OpacityMicromapIndexBuffer.StartAddress;
    link->index_stride_bytes = linkage->OpacityMicromapIndexBuffer.StrideInBytes;
    link->index_format = linkage->OpacityMicromapIndexFormat;
    link->base_location = linkage->OpacityMicromapBaseLocation;
    to->micromaps = link;
    return STATUS_OK;
}

static enum status translate_geometry(struct arena *arena, const D3D12_RAYTRACING_GEOMETRY_DESC *from,
                                      struct accel_geometry *to, struct reason *reason)
{
    *to = (struct accel_geometry){.type = from->Type, .flags = from->Flags};
    if (from->Flags & ~GEOMETRY_FLAGS)
        return reason_set(reason, STATUS_INVALID, "a geometry has Flags 0x%x, bits 0x%x are not defined", from->Flags,
                          from->Flags & ~GEOMETRY_FLAGS);
    switch ((int)from->Type) {
    case D3D12_RAYTRACING_GEOMETRY_TYPE_TRIANGLES:
        translate_triangles(&from->Triangles, &to->triangles);
        return STATUS_OK;
    case D3D12_RAYTRACING_GEOMETRY_TYPE_PROCEDURAL_PRIMITIVE_AABBS:
        to->boxes = (struct accel_boxes){from->AABBs.AABBs.StartAddress, from->AABBs.AABBs.StrideInBytes,
                                         from->AABBs.AABBCount};
        return STATUS_OK;
    case D3D12_RAYTRACING_GEOMETRY_TYPE_OMM_TRIANGLES: {
        D3D12_RAYTRACING_GEOMETRY_OMM_TRIANGLES_DESC omm;
        memcpy(&omm, &from->Triangles, sizeof(omm)); /* member of the union in newer headers */
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

/* The histogram is copied: it is CPU memory that the application may reuse after the call. */
static enum status translate_micromap_array(struct arena *arena,
                                            const D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS *inputs,
                                            struct accel_build_inputs *to, struct reason *reason)
{
    const D3D12_RAYTRACING_OPACITY_MICROMAP_ARRAY_DESC *from;
    memcpy(&from, &inputs->pGeometryDescs, sizeof(from)); /* member of the union in newer headers */
    if (!from || (from->NumOmmHistogramEntries && !from->pOmmHistogram))
        return reason_set(reason, STATUS_INVALID, "Inputs.pOpacityMicromapArrayDesc%s is NULL",
                          from ? "->pOmmHistogram" : "");
    struct accel_micromap_array *array = arena_allocate_zeroed(arena, sizeof(*array), _Alignof(max_align_t));
    struct accel_micromap_histogram *histogram = arena_allocate(
        arena, (from->NumOmmHistogramEntries + (uint64_t)1) * sizeof(*histogram), _Alignof(max_align_t));
    if (!array || !histogram)
        return reason_set(reason, STATUS_OUT_OF_MEMORY, "out of memory");
    for (UINT i = 0; i < from->NumOmmHistogramEntries; i++)
        histogram[i] = (struct accel_micromap_histogram){from->pOmmHistogram[i].Count,
                                                         from->pOmmHistogram[i].SubdivisionLevel,
                                                         from->pOmmHistogram[i].Format};
    *array = (struct accel_micromap_array){histogram, from->NumOmmHistogramEntries, from->InputBuffer,
                                           from->PerOmmDescs.StartAddress, from->PerOmmDescs.StrideInBytes};
    to->micromap_array = array;
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
    if (inputs->Flags & ~BUILD_FLAGS)
        return reason_set(reason, STATUS_INVALID, "Inputs.Flags is 0x%x, bits 0x%x are not defined", inputs->Flags,
                          inputs->Flags & ~BUILD_FLAGS);
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
    case D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_OPACITY_MICROMAP_ARRAY:
        RETURN_IF_FAILED(translate_micromap_array(arena, inputs, to, reason));
        break;
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
