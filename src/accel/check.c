/* SPDX-License-Identifier: MIT
 * Rules of build descriptions that hold whatever is in memory: types, counts, formats, alignment
 * (Raytracing.md, D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS and the structures below it). */
#include "accel/micromap.h"
#include "accel/plan.h"
#include "accel/vertex.h"

enum { FORMAT_UNKNOWN = 0, FORMAT_R32_UINT = 42, FORMAT_R16_UINT = 57 };

static enum status check_triangles(const struct accel_triangles *t, uint32_t geometry, struct reason *reason)
{
    uint32_t alignment_bytes = accel_vertex_alignment_bytes(t->vertex_format);
    if (!alignment_bytes)
        return reason_set(reason, STATUS_INVALID, "geometry %u: VertexFormat %u is not a vertex format", geometry,
                          t->vertex_format);
    if (t->index_format != FORMAT_UNKNOWN && t->index_format != FORMAT_R32_UINT && t->index_format != FORMAT_R16_UINT)
        return reason_set(reason, STATUS_INVALID, "geometry %u: IndexFormat %u is none of UNKNOWN, R16_UINT, R32_UINT",
                          geometry, t->index_format);
    uint32_t index_bytes = t->index_format == FORMAT_R16_UINT ? 2 : 4;
    if (t->indices && t->indices % index_bytes)
        return reason_set(reason, STATUS_INVALID, "geometry %u: IndexBuffer 0x%llx is not aligned to %u bytes", geometry,
                          (unsigned long long)t->indices, index_bytes);
    if (t->indices && t->index_format == FORMAT_UNKNOWN)
        return reason_set(reason, STATUS_INVALID, "geometry %u: IndexBuffer is given with IndexFormat UNKNOWN", geometry);
    if (!t->indices && t->index_count)
        return reason_set(reason, STATUS_INVALID, "geometry %u: IndexCount is %u, must be 0 without an IndexBuffer", geometry,
                          t->index_count);
    if (t->vertices % alignment_bytes || (uint32_t)t->vertex_stride_bytes % alignment_bytes)
        return reason_set(reason, STATUS_INVALID, "geometry %u: VertexBuffer 0x%llx and stride %u must be multiples of %u",
                          geometry, (unsigned long long)t->vertices, (uint32_t)t->vertex_stride_bytes, alignment_bytes);
    if (t->transform % 16)
        return reason_set(reason, STATUS_INVALID, "geometry %u: Transform3x4 0x%llx is not aligned to 16 bytes", geometry,
                          (unsigned long long)t->transform);
    return STATUS_OK;
}

static enum status check_boxes(const struct accel_boxes *boxes, uint32_t geometry, struct reason *reason)
{
    if (boxes->boxes % 8 || (uint32_t)boxes->stride_bytes % 8)
        return reason_set(reason, STATUS_INVALID, "geometry %u: AABBs address and stride must be multiples of 8", geometry);
    return STATUS_OK;
}

static enum status check_bottom(const struct accel_build_inputs *inputs, struct reason *reason)
{
    uint64_t primitives = 0;
    if (inputs->count > ACCEL_MAX_GEOMETRIES)
        return reason_set(reason, STATUS_INVALID, "NumDescs is %u, at most 2^24 geometries", inputs->count);
    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct accel_geometry *geometry = &inputs->geometries[i];
        if ((geometry->type == ACCEL_GEOMETRY_BOXES) != (inputs->geometries[0].type == ACCEL_GEOMETRY_BOXES))
            return reason_set(reason, STATUS_INVALID, "geometry %u has another type than geometry 0", i);
        if (geometry->type > ACCEL_GEOMETRY_OMM_TRIANGLES)
            return reason_set(reason, STATUS_INVALID, "geometry %u: type %u is unknown", i, geometry->type);
        if (geometry->type == ACCEL_GEOMETRY_BOXES)
            RETURN_IF_FAILED(check_boxes(&geometry->boxes, i, reason));
        else
            RETURN_IF_FAILED(check_triangles(&geometry->triangles, i, reason));
        if (geometry->type == ACCEL_GEOMETRY_OMM_TRIANGLES)
            RETURN_IF_FAILED(accel_micromap_link_check(&geometry->triangles, i, reason));
        uint64_t count = accel_geometry_primitive_count(geometry);
        if (count > ACCEL_MAX_PRIMITIVES || (primitives += count) > ACCEL_MAX_PRIMITIVES)
            return reason_set(reason, STATUS_INVALID, "geometry %u: more than 2^29 primitives in one structure", i);
    }
    return STATUS_OK;
}

enum status accel_check_inputs(const struct accel_build_inputs *inputs, struct reason *reason)
{
    uint32_t both = ACCEL_BUILD_FLAG_PREFER_FAST_TRACE | ACCEL_BUILD_FLAG_PREFER_FAST_BUILD;
    if ((inputs->flags & both) == both)
        return reason_set(reason, STATUS_INVALID, "Flags: PREFER_FAST_TRACE and PREFER_FAST_BUILD exclude each other");
    if (inputs->level == ACCEL_LEVEL_MICROMAPS)
        return accel_micromap_check(inputs, reason);
    if ((inputs->flags & ACCEL_BUILD_FLAG_ALLOW_OMM_UPDATE) && !(inputs->flags & ACCEL_BUILD_FLAG_ALLOW_UPDATE))
        return reason_set(reason, STATUS_INVALID, "Flags: ALLOW_OMM_LINKAGE_UPDATE needs ALLOW_UPDATE");
    if (inputs->level == ACCEL_LEVEL_BOTTOM)
        return check_bottom(inputs, reason);
    if (inputs->level != ACCEL_LEVEL_TOP)
        return reason_set(reason, STATUS_INVALID, "Type %u is unknown", inputs->level);
    if (inputs->count > ACCEL_MAX_INSTANCES)
        return reason_set(reason, STATUS_INVALID, "NumDescs is %u, at most 2^24 instances", inputs->count);
    uint32_t alignment_bytes = inputs->instances_layout == ACCEL_INSTANCES_ARRAY_OF_POINTERS ? 8 : 16;
    if (inputs->instances % alignment_bytes)
        return reason_set(reason, STATUS_INVALID, "InstanceDescs 0x%llx is not aligned to %u bytes",
                          (unsigned long long)inputs->instances, alignment_bytes);
    return STATUS_OK;
}
