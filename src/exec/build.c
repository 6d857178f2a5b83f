/* SPDX-License-Identifier: MIT
 * Checks of build, copy and post-build addresses, and the calls into accel/. */
#include "exec/build.h"

#include <string.h>

#include "accel/build.h"
#include "accel/serialize.h"
#include "accel/vertex.h"
#include "accel/micromap.h"
#include "base/format.h"
#include "exec/states.h"
#include "exec/structure_proof.h"

enum {
    TRANSFORM_BYTES = 48,
    TRANSFORM_ALIGNMENT = 16,
    INSTANCE_BYTES = 64,
    INSTANCE_ALIGNMENT = 16,
    BOX_BYTES = 24,
    BOX_ALIGNMENT = 8,
    MICROMAP_ALIGNMENT = 128,
};

struct range {
    const char *name;
    uint64_t address, bytes;
    uint32_t alignment;
};

static enum status check_range(struct exec_device *device, const struct range *range, struct reason *reason)
{
    if (range->alignment && range->address % range->alignment)
        return reason_set(reason, STATUS_INVALID, "%s is 0x%llx, it must be a multiple of %u", range->name,
                          (unsigned long long)range->address, range->alignment);
    if (!range->bytes)
        return STATUS_OK;
    uint64_t behind_bytes = exec_device_bytes_behind(device, range->address);
    if (!range->address || behind_bytes == 0)
        return reason_set(reason, STATUS_INVALID, "%s is 0x%llx, which lies in no buffer", range->name,
                          (unsigned long long)range->address);
    if (behind_bytes < range->bytes)
        return reason_set(reason, STATUS_INVALID, "%s at 0x%llx needs %llu bytes, the buffer has %llu from there",
                          range->name, (unsigned long long)range->address, (unsigned long long)range->bytes,
                          (unsigned long long)behind_bytes);
    return STATUS_OK;
}

static uint64_t strided_bytes(uint64_t count, uint64_t stride, uint64_t element_bytes)
{
    uint64_t bytes = 0;
    if (!count)
        return 0;
    if (__builtin_mul_overflow(count - 1, stride, &bytes) || __builtin_add_overflow(bytes, element_bytes, &bytes))
        return UINT64_MAX;
    return bytes;
}

static uint32_t index_bytes(uint32_t format)
{
    return format == FORMAT_R32_UINT ? 4 : format == FORMAT_R16_UINT ? 2 : 0;
}

static enum status check_triangles(struct exec_device *device, const struct accel_triangles *triangles,
                                   struct reason *reason)
{
    struct range vertices = {"VertexBuffer.StartAddress", triangles->vertices,
                             strided_bytes(triangles->vertex_count, (uint32_t)triangles->vertex_stride_bytes,
                                           accel_vertex_read_bytes(triangles->vertex_format)),
                             accel_vertex_alignment_bytes(triangles->vertex_format)};
    struct range indices = {"IndexBuffer", triangles->indices,
                            (uint64_t)triangles->index_count * index_bytes(triangles->index_format),
                            index_bytes(triangles->index_format)};
    struct range transform = {"Transform3x4", triangles->transform, TRANSFORM_BYTES, TRANSFORM_ALIGNMENT};
    RETURN_IF_FAILED(check_range(device, &vertices, reason));
    if (triangles->indices)
        RETURN_IF_FAILED(check_range(device, &indices, reason));
    if (triangles->transform)
        RETURN_IF_FAILED(check_range(device, &transform, reason));
    const struct accel_micromap_link *link = triangles->micromaps;
    if (!link || !link->index_buffer)
        return STATUS_OK;
    uint32_t element_bytes = format_plane_bytes(link->index_format, 0);
    uint64_t count = (triangles->indices ? triangles->index_count : triangles->vertex_count) / 3;
    struct range micromap_indices = {"OpacityMicromapIndexBuffer", link->index_buffer,
                                     strided_bytes(count, link->index_stride_bytes, element_bytes), element_bytes};
    return check_range(device, &micromap_indices, reason);
}

/* How much of InputBuffer is needed stands in the descriptions, which the build reads. */
static enum status check_micromap_array(struct exec_device *device, const struct accel_micromap_array *array,
                                        struct reason *reason)
{
    uint64_t count = accel_micromap_desc_count(array);
    struct range input = {"InputBuffer", array->input, count ? 1 : 0, MICROMAP_ALIGNMENT};
    struct range descs = {"PerOmmDescs", array->descs,
                          strided_bytes(count, array->desc_stride_bytes, sizeof(struct accel_micromap)), 4};
    RETURN_IF_FAILED(check_range(device, &input, reason));
    return check_range(device, &descs, reason);
}

static enum status check_inputs(struct exec_device *device, const struct accel_build_inputs *inputs,
                                struct reason *reason)
{
    if (inputs->level == ACCEL_LEVEL_TOP) {
        bool pointers = inputs->instances_layout == ACCEL_INSTANCES_ARRAY_OF_POINTERS;
        struct range instances = {"InstanceDescs", inputs->instances,
                                  (uint64_t)inputs->count * (pointers ? sizeof(uint64_t) : INSTANCE_BYTES),
                                  pointers ? sizeof(uint64_t) : INSTANCE_ALIGNMENT};
        return inputs->count ? check_range(device, &instances, reason) : STATUS_OK;
    }
    if (inputs->level == ACCEL_LEVEL_MICROMAPS)
        return check_micromap_array(device, inputs->micromap_array, reason);
    for (uint32_t i = 0; i < inputs->count && inputs->level == ACCEL_LEVEL_BOTTOM; i++) {
        const struct accel_geometry *geometry = &inputs->geometries[i];
        enum status status;
        struct reason inner = {0};
        if (geometry->type == ACCEL_GEOMETRY_BOXES) {
            struct range boxes = {"AABBs.StartAddress", geometry->boxes.boxes,
                                  strided_bytes(geometry->boxes.count, (uint32_t)geometry->boxes.stride_bytes, BOX_BYTES),
                                  BOX_ALIGNMENT};
            status = check_range(device, &boxes, &inner);
        } else {
            status = check_triangles(device, &geometry->triangles, &inner);
        }
        if (status != STATUS_OK)
            return reason_set(reason, status, "geometry %u: %s", i, inner.text);
    }
    return STATUS_OK;
}

static bool is_micromap_level(const struct accel_build_inputs *inputs)
{
    return inputs->level == ACCEL_LEVEL_MICROMAPS;
}

/* An update that allows no further one needs scratch like any other. */
static struct accel_build_inputs sized_inputs(const struct accel_build_inputs *inputs)
{
    struct accel_build_inputs sized = *inputs;
    if ((inputs->flags & ACCEL_BUILD_FLAG_PERFORM_UPDATE) && !is_micromap_level(inputs))
        sized.flags |= ACCEL_BUILD_FLAG_ALLOW_UPDATE;
    return sized;
}

/* Builders keep their lists in scratch while they write the result. */
static enum status check_disjoint(const struct range *result, const struct range *scratch, struct reason *reason)
{
    if (result->address < scratch->address + scratch->bytes && scratch->address < result->address + result->bytes)
        return reason_set(reason, STATUS_INVALID, "%s 0x%llx and %s 0x%llx overlap", result->name,
                          (unsigned long long)result->address, scratch->name, (unsigned long long)scratch->address);
    return STATUS_OK;
}

enum status exec_build_check(struct exec_device *device, const struct exec_build_acceleration_structure *build,
                             struct reason *reason)
{
    const struct accel_build_inputs *inputs = build->inputs;
    struct accel_prebuild_info info;
    struct accel_build_inputs sized = sized_inputs(inputs);
    bool is_update = inputs->flags & ACCEL_BUILD_FLAG_PERFORM_UPDATE;
    RETURN_IF_FAILED(accel_prebuild_info(&sized, &info, reason));
    if (is_update && inputs->level == ACCEL_LEVEL_BOTTOM)
        info.result_bytes = sizeof(struct accel_header); /* as large as the source, which may be compacted: check_source */
    uint32_t alignment = is_micromap_level(inputs) ? MICROMAP_ALIGNMENT : ACCEL_ALIGNMENT_BYTES;
    struct range result = {"DestAccelerationStructureData", build->destination, info.result_bytes, alignment};
    /* Applications may ask for sizes without ALLOW_UPDATE and build with it: what counts is the room that is there. */
    struct range scratch = {"ScratchAccelerationStructureData", build->scratch,
                            is_update ? info.update_scratch_bytes : info.scratch_bytes, ACCEL_ALIGNMENT_BYTES};
    struct range source = {"SourceAccelerationStructureData", build->source, sizeof(struct accel_header), alignment};
    RETURN_IF_FAILED(check_range(device, &result, reason));
    RETURN_IF_FAILED(check_range(device, &scratch, reason));
    RETURN_IF_FAILED(check_disjoint(&result, &scratch, reason));
    if (is_update)
        RETURN_IF_FAILED(check_range(device, &source, reason));
    RETURN_IF_FAILED(check_inputs(device, inputs, reason));
    for (uint32_t i = 0; i < build->postbuild_count; i++)
        RETURN_IF_FAILED(exec_postbuild_check(device, &build->postbuild[i], 1, reason));
    return STATUS_OK;
}

static uint64_t reader_bytes_behind(void *context, uint64_t address)
{
    return exec_device_bytes_behind(((const struct exec_proof_cache *)context)->device, address);
}

static bool reader_is_sound(void *context, uint64_t address)
{
    return exec_proof_cache_ask(context, address);
}

/* A structure that a command reads. */
static enum status check_structure(struct exec_device *device, const char *name, uint64_t address, struct reason *reason)
{
    struct reason inner = {0};
    if (address && exec_structure_prove(device, address, &inner) != EXEC_PROOF_NONE)
        return STATUS_OK;
    return reason_set(reason, STATUS_INVALID, "%s 0x%llx holds no acceleration structure: %s", name,
                      (unsigned long long)address, address ? inner.text : "it is null");
}

static enum status check_source(struct exec_device *device, const struct exec_build_acceleration_structure *build,
                                struct reason *reason)
{
    const struct accel_header *source = (const struct accel_header *)(uintptr_t)build->source;
    RETURN_IF_FAILED(check_structure(device, "SourceAccelerationStructureData", build->source, reason));
    struct range result = {"DestAccelerationStructureData", build->destination, source->structure_bytes, 0};
    struct range from = {"SourceAccelerationStructureData", build->source, source->structure_bytes, 0};
    RETURN_IF_FAILED(check_range(device, &result, reason));
    return build->source == build->destination ? STATUS_OK : check_disjoint(&result, &from, reason); /* in place, or apart */
}

static enum status write_postbuild(struct exec_device *device, uint32_t kind, uint64_t structure, uint64_t *destination,
                                   struct reason *reason)
{
    uint64_t out[2];
    uint32_t out_bytes = 0;
    const void *memory = (const void *)(uintptr_t)structure;
    RETURN_IF_FAILED(check_structure(device, "source", structure, reason));
    RETURN_IF_FAILED(accel_postbuild_info((enum accel_postbuild_type)kind, memory, out, &out_bytes, reason));
    exec_structure_overwrite(device, *destination, out_bytes);
    memcpy((void *)(uintptr_t)*destination, out, out_bytes);
    *destination += out_bytes;
    return STATUS_OK;
}

/* Debug layer: states of all buffers that the build uses. */
static void expect_states(struct exec_device *device, const struct exec_build_acceleration_structure *build)
{
    const char *call = "BuildRaytracingAccelerationStructure";
    const struct accel_build_inputs *inputs = build->inputs;
    exec_states_expect(device, EXEC_USE_STRUCTURE, build->destination, call, "DestAccelerationStructureData");
    if (inputs->flags & ACCEL_BUILD_FLAG_PERFORM_UPDATE)
        exec_states_expect(device, EXEC_USE_STRUCTURE, build->source, call, "SourceAccelerationStructureData");
    exec_states_expect(device, EXEC_USE_SCRATCH, build->scratch, call, "ScratchAccelerationStructureData");
    if (inputs->level == ACCEL_LEVEL_TOP)
        exec_states_expect(device, EXEC_USE_SHADER_READ, inputs->instances, call, "InstanceDescs");
    if (inputs->level == ACCEL_LEVEL_MICROMAPS) {
        exec_states_expect(device, EXEC_USE_SHADER_READ, inputs->micromap_array->input, call, "InputBuffer");
        exec_states_expect(device, EXEC_USE_SHADER_READ, inputs->micromap_array->descs, call, "PerOmmDescs");
    }
    for (uint32_t i = 0; i < inputs->count && inputs->level == ACCEL_LEVEL_BOTTOM; i++) {
        const struct accel_geometry *geometry = &inputs->geometries[i];
        if (geometry->type == ACCEL_GEOMETRY_BOXES) {
            exec_states_expect(device, EXEC_USE_SHADER_READ, geometry->boxes.boxes, call, "AABBs.StartAddress");
            continue;
        }
        exec_states_expect(device, EXEC_USE_SHADER_READ, geometry->triangles.vertices, call,
                           "VertexBuffer.StartAddress");
        exec_states_expect(device, EXEC_USE_SHADER_READ, geometry->triangles.indices, call, "IndexBuffer");
        exec_states_expect(device, EXEC_USE_SHADER_READ, geometry->triangles.transform, call, "Transform3x4");
        const struct accel_micromap_link *link = geometry->triangles.micromaps;
        if (!link)
            continue;
        exec_states_expect(device, EXEC_USE_SHADER_READ, link->index_buffer, call, "OpacityMicromapIndexBuffer");
        exec_states_expect(device, EXEC_USE_STRUCTURE, link->array, call, "OpacityMicromapArray");
    }
}

void exec_build_withdraw(struct exec_device *device, const struct exec_build_acceleration_structure *build)
{
    struct accel_prebuild_info info;
    struct accel_build_inputs sized = sized_inputs(build->inputs);
    if (accel_prebuild_info(&sized, &info, NULL) != STATUS_OK)
        return;
    bool is_update = build->inputs->flags & ACCEL_BUILD_FLAG_PERFORM_UPDATE;
    if (is_update && build->inputs->level == ACCEL_LEVEL_BOTTOM) /* the source was checked */
        info.result_bytes = ((const struct accel_header *)(uintptr_t)build->source)->structure_bytes;
    exec_structure_overwrite(device, build->destination, info.result_bytes);
    exec_structure_overwrite(device, build->scratch, is_update ? info.update_scratch_bytes : info.scratch_bytes);
}

void exec_build_run(struct exec_device *device, const struct exec_build_acceleration_structure *build)
{
    struct reason reason = {0};
    struct exec_proof_cache proofs = {.device = device};
    struct accel_reader reader = {reader_bytes_behind, &proofs, reader_is_sound};
    struct accel_build_arguments arguments = {
        .inputs = *build->inputs,
        .pool = exec_device_pool(device),
        .result = (void *)(uintptr_t)build->destination,
        .scratch = (void *)(uintptr_t)build->scratch,
        .source = (const void *)(uintptr_t)build->source,
        .reader = exec_device_addresses(device) ? &reader : NULL,
    };
    enum status status = exec_build_check(device, build, &reason);
    if (status == STATUS_OK && (build->inputs->flags & ACCEL_BUILD_FLAG_PERFORM_UPDATE))
        status = check_source(device, build, &reason);
    if (status == STATUS_OK) {
        expect_states(device, build);
        exec_build_withdraw(device, build);
        status = accel_build(&arguments, &reason);
    }
    if (status == STATUS_OK)
        exec_structure_proven(device, build->destination);
    for (uint32_t i = 0; i < build->postbuild_count && status == STATUS_OK; i++) {
        uint64_t destination = build->postbuild[i].destination;
        status = write_postbuild(device, build->postbuild[i].kind, build->destination, &destination, &reason);
    }
    if (status != STATUS_OK)
        exec_device_message(device, RULE_ACCELERATION_STRUCTURE_BUILD,
                            "BuildRaytracingAccelerationStructure (command %u): %s; nothing is built",
                            build->command.index, reason.text);
}

enum status exec_postbuild_check(struct exec_device *device, const struct exec_postbuild *postbuild,
                                 uint32_t source_count, struct reason *reason)
{
    if (postbuild->kind > ACCEL_POSTBUILD_CURRENT_SIZE)
        return reason_set(reason, STATUS_INVALID, "InfoType is %u, which is no post-build information",
                          postbuild->kind);
    uint32_t entry_bytes = postbuild->kind == ACCEL_POSTBUILD_SERIALIZATION ? 16 : 8;
    struct range range = {"DestBuffer", postbuild->destination, (uint64_t)source_count * entry_bytes, 8};
    return check_range(device, &range, reason);
}

void exec_emit_postbuild_run(struct exec_device *device, const struct exec_emit_postbuild_info *emit)
{
    struct reason reason = {0};
    enum status status = exec_postbuild_check(device, &emit->postbuild, emit->source_count, &reason);
    uint64_t destination = emit->postbuild.destination;
    for (uint32_t i = 0; i < emit->source_count && status == STATUS_OK; i++)
        status = write_postbuild(device, emit->postbuild.kind, emit->sources[i], &destination, &reason);
    if (status != STATUS_OK)
        exec_device_message(device, RULE_ACCELERATION_STRUCTURE_COPY,
                            "EmitRaytracingAccelerationStructurePostbuildInfo (command %u): %s", emit->command.index,
                            reason.text);
}

enum status exec_copy_structure_check(struct exec_device *device, const struct exec_copy_acceleration_structure *copy,
                                      struct reason *reason)
{
    if (copy->mode > ACCEL_COPY_DESERIALIZE)
        return reason_set(reason, STATUS_INVALID, "Mode is %u, which is no copy mode", copy->mode);
    struct range destination = {"DestAccelerationStructureData", copy->destination, 1, MICROMAP_ALIGNMENT};
    struct range source = {"SourceAccelerationStructureData", copy->source, 1, MICROMAP_ALIGNMENT};
    RETURN_IF_FAILED(check_range(device, &destination, reason));
    return check_range(device, &source, reason);
}

/* What needs more than the 128 bytes of opacity micromap arrays can be told only when the source is there. */
static enum status check_copy_alignment(struct exec_device *device, const struct exec_copy_acceleration_structure *copy,
                                        struct reason *reason)
{
    const struct accel_header *source = (const struct accel_header *)(uintptr_t)copy->source;
    if (copy->mode == ACCEL_COPY_DESERIALIZE || !accel_is_structure(source, exec_device_bytes_behind(device, copy->source)) ||
        source->kind == ACCEL_KIND_MICROMAPS)
        return STATUS_OK;
    struct range addresses[] = {{"DestAccelerationStructureData", copy->destination, 0, ACCEL_ALIGNMENT_BYTES},
                                {"SourceAccelerationStructureData", copy->source, 0, ACCEL_ALIGNMENT_BYTES}};
    RETURN_IF_FAILED(check_range(device, &addresses[0], reason));
    return check_range(device, &addresses[1], reason);
}

/* "Destination memory range cannot overlap source": a structure would be read while it is overwritten. What serialising and
 * decoding write is not known here; it is taken to be as large as the structure. */
static enum status check_copy_disjoint(struct exec_device *device, const struct exec_copy_acceleration_structure *copy,
                                       struct reason *reason)
{
    struct range to = {"DestAccelerationStructureData", copy->destination, 0, 1};
    struct range from = {"SourceAccelerationStructureData", copy->source, 0, 1};
    if (copy->mode != ACCEL_COPY_DESERIALIZE) {
        to.bytes = from.bytes = ((const struct accel_header *)(uintptr_t)copy->source)->structure_bytes;
    } else {
        const struct accel_serialized_header *header = (const void *)(uintptr_t)copy->source;
        uint64_t room = exec_device_bytes_behind(device, copy->source);
        if (room < sizeof(*header))
            return STATUS_OK; /* refused by the copy itself, as sizes are that no buffer has */
        from.bytes = header->serialized_bytes < room ? header->serialized_bytes : room;
        room = exec_device_bytes_behind(device, copy->destination);
        to.bytes = header->deserialized_bytes < room ? header->deserialized_bytes : room;
    }
    return check_disjoint(&to, &from, reason);
}

/* Bytes that the copy writes; whatever is there loses its proof, more of it than necessary does no harm. */
static uint64_t copied_bytes(struct exec_device *device, const struct exec_copy_acceleration_structure *copy)
{
    const struct accel_header *source = (const struct accel_header *)(uintptr_t)copy->source;
    return copy->mode <= ACCEL_COPY_COMPACT ? source->structure_bytes : exec_device_bytes_behind(device, copy->destination);
}

static enum status copy_structure(struct exec_device *device, const struct exec_copy_acceleration_structure *copy,
                                  struct reason *reason)
{
    exec_structure_overwrite(device, copy->destination, copied_bytes(device, copy));
    enum status status = accel_copy((enum accel_copy_mode)copy->mode, (void *)(uintptr_t)copy->destination,
                                    exec_device_bytes_behind(device, copy->destination),
                                    (const void *)(uintptr_t)copy->source,
                                    exec_device_bytes_behind(device, copy->source), reason);
    if (status == STATUS_OK && (copy->mode <= ACCEL_COPY_COMPACT || copy->mode == ACCEL_COPY_DESERIALIZE))
        exec_structure_proven(device, copy->destination);
    return status;
}

void exec_copy_structure_run(struct exec_device *device, const struct exec_copy_acceleration_structure *copy)
{
    struct reason reason = {0};
    enum status status = exec_copy_structure_check(device, copy, &reason);
    if (status == STATUS_OK)
        status = check_copy_alignment(device, copy, &reason);
    if (status == STATUS_OK && copy->mode <= ACCEL_COPY_COMPACT) {
        const char *call = "CopyRaytracingAccelerationStructure";
        exec_states_expect(device, EXEC_USE_STRUCTURE, copy->destination, call, "DestAccelerationStructureData");
        exec_states_expect(device, EXEC_USE_STRUCTURE, copy->source, call, "SourceAccelerationStructureData");
    }
    if (status == STATUS_OK && copy->mode != ACCEL_COPY_DESERIALIZE)
        status = check_structure(device, "SourceAccelerationStructureData", copy->source, &reason);
    if (status == STATUS_OK)
        status = check_copy_disjoint(device, copy, &reason);
    if (status == STATUS_OK)
        status = copy_structure(device, copy, &reason);
    if (status != STATUS_OK)
        exec_device_message(device, RULE_ACCELERATION_STRUCTURE_COPY,
                            "CopyRaytracingAccelerationStructure (command %u): %s; nothing is copied",
                            copy->command.index, reason.text);
}
