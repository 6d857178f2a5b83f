/* SPDX-License-Identifier: MIT
 * Opacity micromaps from any bytes: as description, states and linkage of a build, or (first bit set) as the structure
 * that somebody hands over. What is accepted is traced, decoded and copied. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "accel/decode.h"
#include "accel/micromap.h"
#include "accel/serialize.h"
#include "accel/verify.h"
#include "trace/micromap.h"
#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t byte_count);

enum { MAX_BYTES = 1 << 20, TRIANGLES = 5, FORMAT_R32G32B32_FLOAT = 6 };

/* The first bytes of an input. */
struct plan {
    uint8_t mode; /* bit 0: a structure follows */
    uint8_t histogram_count, desc_stride_bytes, index_selector, index_stride_bytes, build_flags;
    uint16_t base_location;
    struct accel_micromap_histogram histogram[3];
};

/* An exactly sized block, so that a sanitizer sees every overrun. */
static void *aligned_block(size_t byte_count)
{
    void *block = NULL;
    if (posix_memalign(&block, 256, byte_count ? byte_count : 1) != 0)
        abort();
    return block;
}

static uint64_t behind_bytes;
static const void *behind_start;

static uint64_t bytes_behind(void *context, uint64_t address)
{
    return address == (uintptr_t)behind_start ? behind_bytes : 1 << 20;
}

static void *build(const struct accel_build_inputs *inputs)
{
    struct accel_prebuild_info info;
    struct accel_reader reader = {bytes_behind, NULL};
    if (accel_prebuild_info(inputs, &info, NULL) != STATUS_OK || info.result_bytes > MAX_BYTES)
        return NULL;
    struct accel_build_arguments arguments = {.inputs = *inputs, .reader = &reader};
    arguments.result = aligned_block(info.result_bytes);
    arguments.scratch = aligned_block(info.scratch_bytes);
    enum status status = accel_build(&arguments, NULL);
    free(arguments.scratch);
    if (status == STATUS_OK)
        return arguments.result;
    free(arguments.result);
    return NULL;
}

static void read_array(const struct accel_header *array)
{
    for (uint32_t i = 0; i < array->leaf_count + 2; i++)
        for (int k = 0; k < 9; k++) {
            float point[2] = {(float)(k % 3) * 0.49f, (float)(k / 3) * 0.5f};
            if (micromap_read(array, i, point) > ACCEL_MICROMAP_UNKNOWN_OPAQUE)
                abort();
        }
}

static void use_structure(const struct accel_header *structure, uint64_t structure_bytes)
{
    if (accel_verify(structure, structure_bytes, NULL) != STATUS_OK)
        return;
    uint64_t decoded_bytes = accel_decoded_bytes(structure), serialized_bytes = accel_serialized_bytes(structure);
    if (decoded_bytes < MAX_BYTES) {
        void *tools = aligned_block(decoded_bytes);
        if (accel_decode(tools, decoded_bytes, structure, NULL) != STATUS_OK)
            abort();
        free(tools);
    }
    uint8_t *serialized = aligned_block(serialized_bytes);
    void *again = aligned_block(structure->structure_bytes);
    if (accel_serialize(serialized, serialized_bytes, structure, NULL) == STATUS_OK)
        (void)!accel_deserialize(again, structure->structure_bytes, serialized, serialized_bytes, NULL);
    free(again);
    free(serialized);
    if (structure->kind == ACCEL_KIND_MICROMAPS)
        read_array(structure);
}

static void trace(const struct accel_header *bottom)
{
    static struct trace_state s;
    for (int i = 0; i < 16; i++) {
        struct abi_ray ray = {{(float)(i % 4) * 0.3f, (float)(i / 4) * 0.3f, -1}, 0, {0, 0, 1}, INFINITY};
        trace_table()->begin(&s, (uintptr_t)bottom, &ray, i % 3 ? 0 : ABI_RAY_FLAG_FORCE_OMM_2_STATE,
                             ABI_TRACE_FLAG_ALLOW_MICROMAPS, 0xff);
        while (trace_table()->next(&s) != TRACE_DONE)
            ;
    }
}

static void link_array(const struct plan *plan, const void *array, const uint8_t *indices, size_t index_bytes)
{
    static const float corners[TRIANGLES * 9] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1, 0, 1, 0, 0, 2, 0, 1,
                                                 2, 1, 0, 2, 0, 0, 3, 0, 1, 3, 1, 0, 3, 0, 0, 4, 0, 1, 4, 1, 0, 4};
    static const uint32_t formats[] = {62, 57, 42, 0, 6};
    struct accel_micromap_link link = {(uintptr_t)array, (uintptr_t)indices, plan->index_stride_bytes,
                                       formats[plan->index_selector % 5], plan->base_location};
    if (plan->index_selector & 0x40)
        link.index_buffer = 0;
    if (plan->index_selector & 0x80)
        link.array = 0;
    if (link.index_buffer && index_bytes < (TRIANGLES - 1) * link.index_stride_bytes + 4)
        return;
    struct accel_geometry geometry = {.type = ACCEL_GEOMETRY_OMM_TRIANGLES,
                                      .triangles = {.vertices = (uintptr_t)corners, .vertex_stride_bytes = 12,
                                                    .vertex_count = TRIANGLES * 3, .vertex_format = FORMAT_R32G32B32_FLOAT,
                                                    .micromaps = &link}};
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = plan->build_flags & 0xdf, .count = 1, .geometries = &geometry};
    struct accel_header *bottom = build(&inputs);
    if (!bottom)
        return;
    trace(bottom);
    use_structure(bottom, bottom->structure_bytes);
    free(bottom);
}

static void build_and_link(struct plan *plan, const uint8_t *data, size_t byte_count)
{
    struct accel_micromap_array desc = {.histogram = plan->histogram, .histogram_count = plan->histogram_count % 4};
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_MICROMAPS, .flags = plan->build_flags & 0x1a, .count = 1, .micromap_array = &desc};
    struct accel_prebuild_info info;
    if (accel_prebuild_info(&inputs, &info, NULL) != STATUS_OK)
        return;
    uint64_t count = accel_micromap_desc_count(&desc);
    size_t desc_bytes = byte_count / 2, input_bytes = byte_count - desc_bytes;
    if (count && (desc_bytes < 8 || (count - 1) * plan->desc_stride_bytes > desc_bytes - 8))
        return;
    uint8_t *descs = malloc(desc_bytes + 1), *input = aligned_block(input_bytes);
    memcpy(descs, data, desc_bytes);
    memcpy(input, data + desc_bytes, input_bytes);
    desc.descs = (uintptr_t)descs;
    desc.desc_stride_bytes = plan->desc_stride_bytes;
    desc.input = (uintptr_t)input;
    behind_start = input;
    behind_bytes = input_bytes;
    struct accel_header *array = build(&inputs);
    if (array) {
        use_structure(array, array->structure_bytes);
        link_array(plan, array, descs, desc_bytes);
        free(array);
    }
    free(input);
    free(descs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t byte_count)
{
    struct plan plan;
    if (byte_count < sizeof(plan) || byte_count > MAX_BYTES)
        return 0;
    memcpy(&plan, data, sizeof(plan));
    data += sizeof(plan);
    byte_count -= sizeof(plan);
    if (!(plan.mode & 1)) {
        build_and_link(&plan, data, byte_count);
        return 0;
    }
    if (byte_count < sizeof(struct accel_header))
        return 0;
    struct accel_header *structure = aligned_block(byte_count);
    memcpy(structure, data, byte_count);
    structure->magic = ACCEL_MAGIC;
    structure->version = ACCEL_VERSION;
    structure->kind = ACCEL_KIND_MICROMAPS;
    use_structure(structure, byte_count);
    free(structure);
    return 0;
}
