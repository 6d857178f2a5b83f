/* SPDX-License-Identifier: MIT
 * Serialised structures that were altered. The input names one of the structures built at the start, with every builder flag, and
 * then edits of its bytes: so it means the same when the layout changes. Identifier, sizes and hash are made right again unless
 * the mode says otherwise; or (mode 0xff) the input is the serialised data itself. What the device deserialises and lets rays
 * walk is traced, updated, copied, decoded and serialised again, with everything behind its last byte out of bounds. */
#include <stddef.h>
#include <stdint.h>

#include "structure_room.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t byte_count);

enum { SEED_FLAGS = 8, SEEDS = SEED_FLAGS * 5, MODE_RAW = 0xff, EDIT_BYTES = 7, SERIALIZED_PLACE = 8192 };
enum mode_bit { MODE_KEEP_HASH = 1, MODE_KEEP_IDENTIFIER = 2, MODE_KEEP_POINTERS = 4, MODE_UPDATE = 8, MODE_UPDATE_ELSEWHERE = 16 };

struct seed {
    uint8_t *bytes;
    uint64_t byte_count;
};
static struct seed seeds[SEEDS];

struct edit {
    uint16_t place;
    uint8_t kind;
    uint32_t value;
};

static void keep_seed(struct seed *seed)
{
    uint64_t info[2];
    uint32_t out_bytes;
    if (accel_postbuild_info(ACCEL_POSTBUILD_SERIALIZATION, room_blocks[ROOM_RESULT], info, &out_bytes, NULL) != STATUS_OK)
        abort();
    seed->byte_count = info[0];
    seed->bytes = malloc(info[0]);
    if (accel_serialize(seed->bytes, info[0], room_structure(ROOM_RESULT), NULL) != STATUS_OK)
        abort();
}

static void build_triangles(enum room_block block, uint32_t count, uint32_t flags)
{
    float *corners = (float *)room_blocks[ROOM_INPUT];
    for (uint32_t i = 0; i < count * 9; i++)
        corners[i] = (float)(i / 9 % 7) + (float)(i * 5 % 11) * 0.1f + (i % 3 == 2 ? (float)(i / 63) : 0);
    struct accel_geometry geometry[2];
    for (uint32_t i = 0; i < 2; i++)
        geometry[i] = (struct accel_geometry){.flags = i, .triangles = {.vertices = room_address(ROOM_INPUT), .vertex_stride_bytes = 12, .vertex_count = i ? 3 : count * 3, .vertex_format = 6}};
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = flags, .count = 2, .geometries = geometry};
    room_build(&inputs, block, block);
}

static void build_boxes(uint32_t count, uint32_t flags)
{
    float *boxes = (float *)room_blocks[ROOM_INPUT];
    for (uint32_t i = 0; i < count * 6; i++)
        boxes[i] = (float)(i / 6) + (i / 3 % 2 ? 0.7f : 0) + (float)(i % 3) * 0.1f;
    struct accel_geometry geometry = {.type = ACCEL_GEOMETRY_BOXES, .boxes = {room_address(ROOM_INPUT), 24, count}};
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = flags, .count = 1, .geometries = &geometry};
    room_build(&inputs, ROOM_RESULT, ROOM_RESULT);
}

static void build_instances(uint32_t count, uint32_t flags)
{
    uint8_t *descs = room_blocks[ROOM_INPUT];
    uint64_t bottom = room_address(ROOM_BOTTOM);
    memset(descs, 0, count * 64);
    for (uint32_t i = 0; i < count; i++) {
        float transform[12] = {1, 0, 0, (float)i * 3, 0, 1, 0, 0, 0, 0, 1, 0};
        memcpy(descs + i * 64, transform, sizeof(transform));
        descs[i * 64 + 51] = 0xff;
        if (i % 4 != 3)
            memcpy(descs + i * 64 + 56, &bottom, sizeof(bottom));
    }
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_TOP, .flags = flags, .count = count, .instances = room_address(ROOM_INPUT)};
    room_build(&inputs, ROOM_RESULT, ROOM_RESULT);
}

static void make_seeds(void)
{
    static const uint32_t flags[SEED_FLAGS] = {0x3, 0x0, 0x4, 0x8, 0x10, 0x17, 0x1b, 0x6};
    build_triangles(ROOM_BOTTOM, 5, 0);
    for (uint32_t i = 0; i < SEEDS; i++) {
        uint32_t flag = flags[i % SEED_FLAGS];
        switch (i / SEED_FLAGS) {
        case 0:
            build_triangles(ROOM_RESULT, 3, flag);
            break;
        case 1:
            build_triangles(ROOM_RESULT, 50, flag);
            break;
        case 2:
            build_boxes(40, flag);
            break;
        case 3:
            build_instances(1, flag);
            break;
        default:
            build_instances(13, flag);
        }
        keep_seed(&seeds[i]);
    }
}

static uint32_t word_at(const uint8_t *bytes, uint64_t place)
{
    uint32_t word;
    memcpy(&word, bytes + place, sizeof(word));
    return word;
}

/* Most edits go to whole words; the last kinds exchange pieces as large as nodes and blocks. */
static void apply(const struct edit *edit, uint8_t *bytes, uint64_t *byte_count)
{
    uint64_t count = *byte_count, place = edit->place % count, word = place / 4 * 4, other = edit->value % count / 4 * 4;
    static const uint32_t sizes[] = {4, 32, 80, 96, 128, 176, 224, 256};
    uint32_t value = edit->value, size_bytes = sizes[edit->kind / 8 % 8];
    if (count - word < 4 || count - other < 4)
        return;
    switch (edit->kind % 8) {
    case 0:
        break;
    case 1:
        value = word_at(bytes, word) + (edit->value & 0xff) - 128;
        break;
    case 2:
        value = word_at(bytes, word) ^ 1u << edit->value % 32;
        break;
    case 3:
        value = word_at(bytes, other);
        break;
    case 4:
        bytes[place] = (uint8_t)edit->value;
        return;
    case 5:
        *byte_count = edit->value % 16 ? count : place + 1;
        return;
    default:
        size_bytes = size_bytes < count - word ? size_bytes : (uint32_t)(count - word);
        size_bytes = size_bytes < count - other ? size_bytes : (uint32_t)(count - other);
        memmove(bytes + word, bytes + other, size_bytes);
        return;
    }
    memcpy(bytes + word, &value, sizeof(value));
}

/* Make the envelope right, so that the structure inside is what is looked at. */
static void seal(uint8_t *bytes, uint64_t byte_count, uint32_t mode, const struct seed *seed)
{
    struct accel_serialized_header header;
    struct accel_serialized_tail tail;
    const uint64_t bottom = room_address(ROOM_BOTTOM);
    if (byte_count < sizeof(header))
        return;
    memcpy(&header, bytes, sizeof(header));
    if (!(mode & MODE_KEEP_IDENTIFIER))
        accel_driver_identifier(header.identifier);
    if (!(mode & MODE_KEEP_HASH)) {
        struct accel_serialized_header original;
        memcpy(&original, seed->bytes, sizeof(original));
        header.serialized_bytes = byte_count;
        header.postamble_count = original.postamble_count;
        header.postamble_type = original.postamble_type;
    }
    memcpy(bytes, &header, sizeof(header));
    uint64_t tail_place = sizeof(header) + header.postamble_count * 8ull;
    if (header.postamble_count > 64 || tail_place + sizeof(tail) > byte_count)
        return;
    for (uint32_t i = 0; !(mode & MODE_KEEP_POINTERS) && i < header.postamble_count; i++)
        memcpy(bytes + sizeof(header) + i * 8, &bottom, sizeof(bottom));
    if (mode & MODE_KEEP_HASH)
        return;
    uint64_t structure_place = tail_place + sizeof(tail);
    tail.structure_bytes = byte_count - structure_place;
    tail.hash = accel_serialized_hash(bytes + structure_place, tail.structure_bytes);
    memcpy(bytes + tail_place, &tail, sizeof(tail));
}

/* An update with a description that fits what the structure says of itself. */
static void update(enum room_block destination, const struct accel_header *h)
{
    const struct accel_geometry_entry *entries = (const void *)((const uint8_t *)h + h->geometry_offset);
    struct accel_build_inputs inputs = {.level = h->kind == ACCEL_KIND_INSTANCES ? ACCEL_LEVEL_TOP : ACCEL_LEVEL_BOTTOM,
                                        .flags = h->build_flags | ACCEL_BUILD_FLAG_PERFORM_UPDATE};
    inputs.count = h->kind == ACCEL_KIND_INSTANCES ? h->leaf_count : h->geometry_count;
    inputs.instances = room_address(ROOM_INPUT);
    if (h->kind == ACCEL_KIND_MICROMAPS || inputs.count > 64)
        return;
    struct accel_geometry *geometries = malloc(inputs.count * sizeof(*geometries)); /* exactly as many: a sanitizer sees */
    inputs.geometries = geometries;
    for (uint32_t i = 0; i < inputs.count && h->kind != ACCEL_KIND_INSTANCES; i++) {
        geometries[i] = (struct accel_geometry){.type = entries[i].type, .flags = entries[i].flags};
        if (entries[i].type == ACCEL_GEOMETRY_BOXES)
            geometries[i].boxes = (struct accel_boxes){room_address(ROOM_INPUT), 24, entries[i].primitive_count};
        else
            geometries[i].triangles = (struct accel_triangles){.vertices = room_address(ROOM_INPUT), .vertex_stride_bytes = 12,
                                                               .vertex_count = entries[i].vertex_count, .vertex_format = entries[i].vertex_format};
    }
    room_build(&inputs, destination, ROOM_RESULT);
    free(geometries);
    if (room_is_finished(destination))
        room_trace_checked(destination);
}

static void use_result(uint32_t mode)
{
    struct exec_structure_cache cache = {0};
    struct exec_structure_report report;
    const struct accel_header *h = room_structure(ROOM_RESULT);
    bool is_top = h->kind == ACCEL_KIND_INSTANCES;
    if (exec_structure_prove(room_device, room_address(ROOM_RESULT), NULL) == EXEC_PROOF_NONE)
        abort(); /* deserialise accepted it */
    if (is_top && exec_structure_check(room_device, &cache, room_address(ROOM_RESULT), &report) != EXEC_STRUCTURE_SOUND &&
        !(mode & MODE_KEEP_POINTERS))
        abort();
    room_trace_checked(ROOM_RESULT);
    room_copy(ACCEL_COPY_SERIALIZE, ROOM_OTHER, ROOM_RESULT);
    room_copy(ACCEL_COPY_DECODE_FOR_TOOLS, ROOM_OTHER, ROOM_RESULT);
    room_copy(ACCEL_COPY_COMPACT, ROOM_OTHER, ROOM_RESULT);
    if (mode & MODE_UPDATE_ELSEWHERE)
        update(ROOM_OTHER, h);
    if (mode & MODE_UPDATE)
        update(ROOM_RESULT, h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t byte_count)
{
    if (room_init())
        make_seeds();
    if (byte_count < 2)
        return 0;
    uint32_t mode = data[0];
    const struct seed *seed = &seeds[data[1] % SEEDS];
    uint8_t *serialized = room_blocks[ROOM_SCRATCH];
    uint64_t serialized_bytes = byte_count - 1;
    if (mode == MODE_RAW) {
        if (serialized_bytes > ROOM_BYTES)
            return 0;
        memcpy(serialized, data + 1, serialized_bytes);
    } else {
        serialized_bytes = seed->byte_count;
        memcpy(serialized, seed->bytes, serialized_bytes);
        for (size_t at = 2; at + EDIT_BYTES <= byte_count; at += EDIT_BYTES) {
            struct edit edit = {.kind = data[at + 2]};
            memcpy(&edit.place, data + at, 2);
            memcpy(&edit.value, data + at + 3, 4);
            apply(&edit, serialized, &serialized_bytes);
        }
        seal(serialized, serialized_bytes, mode, seed);
    }
    room_structure(ROOM_RESULT)->magic = 0;
    room_copy(ACCEL_COPY_DESERIALIZE, ROOM_RESULT, ROOM_SCRATCH);
    if (room_is_finished(ROOM_RESULT))
        use_result(mode);
    return 0;
}
