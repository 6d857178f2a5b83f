/* SPDX-License-Identifier: MIT
 * Builds, updates and copies from hostile descriptions, by way of the executor: any formats, strides, counts, addresses,
 * flags, transforms and instance descriptions. Whatever comes, nothing outside the buffers is touched, and what was built is
 * a structure that verification accepts and rays can walk, as built, updated, copied, serialised and deserialised. */
#include <stddef.h>
#include <stdint.h>

#include "structure_room.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t byte_count);

enum { MAX_GEOMETRIES = 3, INSTANCE_BYTES = 64 };

enum address_kind_code { ADDRESS_GOOD, ADDRESS_NULL, ADDRESS_ODD, ADDRESS_FAR, ADDRESS_END, ADDRESS_WRAPS, ADDRESS_KINDS };

struct geometry_plan {
    uint8_t type, flags, format, index_format;
    uint8_t address_kinds[4]; /* vertices or boxes, indices, transform, unused */
    uint16_t address_offsets[3];
    uint16_t stride; /* 0xffxx: see wide */
    uint16_t vertex_count, index_count;
    uint8_t wide; /* bits: counts and stride shifted up */
    uint8_t reserved;
};

/* The first bytes of an input; what follows is the content of the input buffer, which else holds a grid. */
struct plan {
    uint8_t level, flags, layout, count;
    uint8_t follow_ups; /* bits: update, update elsewhere, clone, serialise, decode, update with other content */
    uint8_t instance_kind;
    uint16_t instance_offset;
    struct geometry_plan geometries[MAX_GEOMETRIES];
};

static struct plan plan;
static struct accel_geometry geometries[MAX_GEOMETRIES];

static uint64_t place(uint8_t kind, uint16_t offset)
{
    uint64_t base = room_address(ROOM_INPUT);
    switch (kind % ADDRESS_KINDS) {
    case ADDRESS_GOOD:
        return base + offset % ROOM_INPUT_BYTES / 16 * 16;
    case ADDRESS_NULL:
        return 0;
    case ADDRESS_ODD:
        return base + offset % ROOM_INPUT_BYTES;
    case ADDRESS_FAR:
        return (uint64_t)offset << (offset % 48);
    case ADDRESS_END:
        return base + ROOM_INPUT_BYTES - offset % 64;
    default:
        return 0 - (uint64_t)(offset % 4096);
    }
}

static uint64_t widen(uint64_t value, uint8_t wide, uint32_t bit)
{
    return wide >> bit & 1 ? value << (8 + (wide >> 4) * 3) : value;
}

static void make_geometry(const struct geometry_plan *p, struct accel_geometry *geometry)
{
    static const uint16_t formats[] = {6, 16, 10, 34, 13, 37, 11, 35, 24, 28, 49, 31, 51, 0, 2, 41, 999};
    static const uint16_t index_formats[] = {0, 42, 57, 62, 3};
    *geometry = (struct accel_geometry){.type = p->type % 8 < 4 ? p->type % 8 % 2 : p->type, .flags = p->flags};
    if (geometry->type == ACCEL_GEOMETRY_BOXES) {
        geometry->boxes = (struct accel_boxes){place(p->address_kinds[0], p->address_offsets[0]), widen(p->stride, p->wide, 0),
                                               widen(p->vertex_count, p->wide, 1)};
        return;
    }
    geometry->triangles = (struct accel_triangles){
        .vertices = place(p->address_kinds[0], p->address_offsets[0]),
        .vertex_stride_bytes = widen(p->stride, p->wide, 0),
        .vertex_count = (uint32_t)widen(p->vertex_count, p->wide, 1),
        .vertex_format = formats[p->format % ARRAY_COUNT(formats)],
        .indices = p->index_format % 8 ? place(p->address_kinds[1], p->address_offsets[1]) : 0,
        .index_count = (uint32_t)widen(p->index_count, p->wide, 2),
        .index_format = index_formats[p->index_format % ARRAY_COUNT(index_formats)],
        .transform = p->flags & 0x80 ? place(p->address_kinds[2], p->address_offsets[2]) : 0,
    };
}

/* 12-byte vertices of a bent grid, small whole numbers in between: something to build when the input ends early. */
static void fill_input(const uint8_t *data, size_t byte_count, float shift)
{
    float *floats = (float *)room_blocks[ROOM_INPUT];
    for (uint32_t i = 0; i < ROOM_INPUT_BYTES / 4; i++)
        floats[i] = (float)(i * 7 % 23) * 0.125f + (float)(i % 3) * shift;
    memcpy(floats, data, byte_count < ROOM_INPUT_BYTES ? byte_count : ROOM_INPUT_BYTES);
}

/* Pointers of instance descriptions: real, null, or as the bytes are. */
static void patch_instances(void)
{
    uint8_t *input = room_blocks[ROOM_INPUT];
    uint64_t pointers[4] = {room_address(ROOM_BOTTOM), 0, room_address(ROOM_RESULT), room_address(ROOM_INPUT)};
    if (plan.level % 2 || plan.instance_kind & 0x80)
        return;
    if (plan.layout & 1) {
        for (uint32_t i = 0; i < 8; i++) {
            uint64_t address = room_address(ROOM_INPUT) + 256 + (plan.instance_kind >> i & 1 ? 8 : i * INSTANCE_BYTES);
            memcpy(input + i * 8, &address, sizeof(address));
        }
    }
    for (uint32_t i = plan.layout & 1 ? 4 : 0; i < ROOM_INPUT_BYTES / INSTANCE_BYTES; i++)
        if (input[i * INSTANCE_BYTES + 56] % 8 < 7)
            memcpy(input + i * INSTANCE_BYTES + 56, &pointers[input[i * INSTANCE_BYTES + 56] % 8 < 4 ? 0 : input[i * INSTANCE_BYTES + 56] % 4], 8);
}

static void expect_sound(enum room_block block)
{
    struct reason reason = {0};
    if (!room_is_finished(block))
        return;
    if (accel_verify(room_structure(block), ROOM_BYTES, &reason) != STATUS_OK)
        abort();
    room_trace_checked(block);
}

static void follow_up(struct accel_build_inputs *inputs, const uint8_t *data, size_t byte_count)
{
    if (plan.follow_ups & 0x20) {
        fill_input(data, byte_count / 2, 0.25f);
        patch_instances();
    }
    inputs->flags |= ACCEL_BUILD_FLAG_PERFORM_UPDATE;
    if (plan.follow_ups & 1) {
        room_build(inputs, ROOM_RESULT, ROOM_RESULT);
        expect_sound(ROOM_RESULT);
    }
    if (plan.follow_ups & 2) {
        room_build(inputs, ROOM_OTHER, ROOM_RESULT);
        expect_sound(ROOM_OTHER);
    }
    if (plan.follow_ups & 4) {
        room_copy(plan.follow_ups & 0x40 ? ACCEL_COPY_CLONE : ACCEL_COPY_COMPACT, ROOM_OTHER, ROOM_RESULT);
        expect_sound(ROOM_OTHER);
    }
    if (plan.follow_ups & 8) {
        room_copy(ACCEL_COPY_SERIALIZE, ROOM_OTHER, ROOM_RESULT);
        room_copy(ACCEL_COPY_DESERIALIZE, ROOM_SCRATCH, ROOM_OTHER);
        expect_sound(ROOM_SCRATCH);
    }
    if (plan.follow_ups & 16)
        room_copy(ACCEL_COPY_DECODE_FOR_TOOLS, ROOM_OTHER, ROOM_RESULT);
}

static void build_bottom(void)
{
    static const float corners[] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1, 0, 1};
    memcpy(room_blocks[ROOM_INPUT], corners, sizeof(corners));
    struct accel_geometry geometry = {.triangles = {.vertices = room_address(ROOM_INPUT), .vertex_stride_bytes = 12, .vertex_count = 6, .vertex_format = 6}};
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .count = 1, .geometries = &geometry};
    room_build(&inputs, ROOM_BOTTOM, ROOM_BOTTOM);
    if (!room_is_finished(ROOM_BOTTOM))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t byte_count)
{
    if (room_init())
        build_bottom();
    memset(&plan, 0, sizeof(plan));
    size_t plan_bytes = byte_count < sizeof(plan) ? byte_count : sizeof(plan);
    memcpy(&plan, data, plan_bytes);
    data += plan_bytes;
    byte_count -= plan_bytes;
    fill_input(data, byte_count, 0);
    patch_instances();
    struct accel_build_inputs inputs = {
        .level = plan.level < 0xf0 ? plan.level % 2 : plan.level,
        .flags = plan.flags,
        .count = plan.count % (MAX_GEOMETRIES + 1),
        .instances_layout = plan.layout < 0xf0 ? plan.layout % 2 : plan.layout,
        .instances = place(plan.instance_kind & 0x7f, plan.instance_offset),
        .geometries = geometries,
    };
    if (inputs.level == ACCEL_LEVEL_MICROMAPS) /* another target's */
        inputs.level = 9;
    if (inputs.level == ACCEL_LEVEL_TOP)
        inputs.count = plan.count < 0xf0 ? plan.count % 32 : 0xffffffffu >> (plan.count & 15);
    for (uint32_t i = 0; i < MAX_GEOMETRIES; i++)
        make_geometry(&plan.geometries[i], &geometries[i]);
    room_structure(ROOM_RESULT)->magic = 0;
    room_build(&inputs, ROOM_RESULT, ROOM_BOTTOM);
    expect_sound(ROOM_RESULT);
    if (room_is_finished(ROOM_RESULT))
        follow_up(&inputs, data, byte_count);
    return 0;
}
