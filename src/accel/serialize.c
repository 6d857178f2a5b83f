/* SPDX-License-Identifier: MIT */
#include "accel/serialize.h"

#include <string.h>

#include "accel/micromap.h"
#include "accel/verify.h"

/* Four independent lanes of multiply and rotate: catches accidents, not attackers (accel/verify.h does). */
uint64_t accel_serialized_hash(const uint8_t *bytes, uint64_t count)
{
    uint64_t lanes[4] = {1, 2, 3, 4}, word;
    for (uint64_t i = 0; i < count; i += 8) {
        word = 0;
        memcpy(&word, bytes + i, count - i < 8 ? count - i : 8);
        uint64_t *lane = &lanes[i / 8 % 4];
        *lane = (*lane ^ word) * 0x9fb21c651e98df25ull;
        *lane ^= *lane >> 29;
    }
    for (int i = 1; i < 4; i++)
        lanes[0] = (lanes[0] ^ lanes[i]) * 0xd6e8feb86659fd93ull + (lanes[0] >> 31);
    return lanes[0] ^ count;
}

static bool has_block(const struct accel_header *structure)
{
    return structure->kind == ACCEL_KIND_TRIANGLES && structure->micromap_count;
}

uint64_t accel_serialized_postamble_count(const struct accel_header *structure)
{
    if (has_block(structure))
        return 1;
    return structure->kind == ACCEL_KIND_INSTANCES ? structure->blas_pointer_count : 0;
}

static uint64_t postamble_bytes(const struct accel_header *structure)
{
    if (has_block(structure))
        return sizeof(struct accel_serialized_block) + structure->micromap_count * sizeof(uint64_t);
    return accel_serialized_postamble_count(structure) * sizeof(uint64_t);
}

uint64_t accel_serialized_bytes(const struct accel_header *structure)
{
    return sizeof(struct accel_serialized_header) + postamble_bytes(structure) + sizeof(struct accel_serialized_tail) +
           structure->structure_bytes;
}

static struct abi_instance *instances_of(struct accel_header *header)
{
    return (struct abi_instance *)((uint8_t *)header + header->leaf_offset);
}

/* The address fields of a structure, in order: index counts instances or geometries. NULL: no such instance. */
static uint64_t *pointer_field(struct accel_header *header, uint32_t index)
{
    if (header->kind == ACCEL_KIND_INSTANCES)
        return index < header->leaf_count ? &instances_of(header)[index].blas : NULL;
    struct accel_micromap_linkage *links = header->kind == ACCEL_KIND_TRIANGLES ? accel_micromap_links(header) : NULL;
    return links && index < header->geometry_count ? &links[index].array : NULL;
}

static uint8_t *write_postamble(uint8_t *out, const struct accel_header *source)
{
    struct accel_serialized_block block = {.pointer_count = source->micromap_count};
    if (has_block(source)) {
        memcpy(out, &block, sizeof(block));
        out += sizeof(block);
    }
    const uint64_t *field;
    for (uint32_t i = 0; (field = pointer_field((struct accel_header *)source, i)); i++)
        if (*field) {
            memcpy(out, field, sizeof(*field));
            out += sizeof(*field);
        }
    return out;
}

enum status accel_serialize(void *destination, uint64_t destination_bytes, const struct accel_header *source,
                            struct reason *reason)
{
    struct accel_serialized_header header = {
        .serialized_bytes = accel_serialized_bytes(source),
        .deserialized_bytes = source->structure_bytes,
        .postamble_count = (uint32_t)accel_serialized_postamble_count(source),
        .postamble_type = has_block(source) ? ACCEL_POSTAMBLE_BLOCKS : ACCEL_POSTAMBLE_POINTERS};
    if (destination_bytes < header.serialized_bytes)
        return reason_set(reason, STATUS_INVALID, "SERIALIZE needs %llu bytes, the destination has %llu",
                          (unsigned long long)header.serialized_bytes, (unsigned long long)destination_bytes);
    accel_driver_identifier(header.identifier);
    memcpy(destination, &header, sizeof(header));
    uint8_t *out = write_postamble((uint8_t *)destination + sizeof(header), source);
    struct accel_serialized_tail tail = {accel_serialized_hash((const uint8_t *)source, source->structure_bytes), source->structure_bytes};
    memcpy(out, &tail, sizeof(tail));
    memcpy(out + sizeof(tail), source, source->structure_bytes);
    return STATUS_OK;
}

/* What lies between header and tail. */
struct postamble {
    const uint8_t *pointers;
    uint64_t pointer_count;
    uint64_t bytes;
};

static enum status read_postamble(const uint8_t *source, const struct accel_serialized_header *header, uint64_t available_bytes,
                                  struct postamble *postamble, struct reason *reason)
{
    struct accel_serialized_block block = {0};
    *postamble = (struct postamble){source + sizeof(*header), header->postamble_count, 0};
    if (header->postamble_type == ACCEL_POSTAMBLE_BLOCKS) {
        if (available_bytes < sizeof(block) || header->postamble_count != 1)
            return reason_set(reason, STATUS_CORRUPT, "DESERIALIZE: %u blocks behind the header, there can be one",
                              header->postamble_count);
        memcpy(&block, postamble->pointers, sizeof(block));
        if (block.type)
            return reason_set(reason, STATUS_CORRUPT, "DESERIALIZE: block type %u is none of this version", block.type);
        postamble->pointers += sizeof(block);
        postamble->pointer_count = block.pointer_count;
        postamble->bytes = sizeof(block);
    } else if (header->postamble_type != ACCEL_POSTAMBLE_POINTERS) {
        return reason_set(reason, STATUS_CORRUPT, "DESERIALIZE: HeaderPostambleType 0x%x is unknown", header->postamble_type);
    }
    if (postamble->pointer_count > (available_bytes - postamble->bytes) / sizeof(uint64_t))
        return reason_set(reason, STATUS_CORRUPT, "DESERIALIZE: the data is cut off or its counts are damaged");
    postamble->bytes += postamble->pointer_count * sizeof(uint64_t);
    return STATUS_OK;
}

static enum status check_serialized(const uint8_t *source, uint64_t source_bytes, struct accel_serialized_header *header,
                                    struct postamble *postamble, struct accel_serialized_tail *tail, struct reason *reason)
{
    uint8_t identifier[32];
    const uint64_t fixed_bytes = sizeof(*header) + sizeof(*tail);
    if (source_bytes < fixed_bytes)
        return reason_set(reason, STATUS_CORRUPT, "DESERIALIZE: %llu bytes are no serialised structure", (unsigned long long)source_bytes);
    memcpy(header, source, sizeof(*header));
    accel_driver_identifier(identifier);
    if (memcmp(identifier, header->identifier, sizeof(identifier)) != 0)
        return reason_set(reason, STATUS_CORRUPT, "DESERIALIZE: the driver matching identifier is that of another driver or version");
    if (header->serialized_bytes > source_bytes || header->serialized_bytes < fixed_bytes)
        return reason_set(reason, STATUS_CORRUPT, "DESERIALIZE: the data is cut off or its counts are damaged");
    RETURN_IF_FAILED(read_postamble(source, header, header->serialized_bytes - fixed_bytes, postamble, reason));
    memcpy(tail, source + sizeof(*header) + postamble->bytes, sizeof(*tail));
    if (tail->structure_bytes != header->serialized_bytes - fixed_bytes - postamble->bytes ||
        tail->structure_bytes < sizeof(struct accel_header))
        return reason_set(reason, STATUS_CORRUPT, "DESERIALIZE: the sizes contradict each other");
    if (accel_serialized_hash(source + header->serialized_bytes - tail->structure_bytes, tail->structure_bytes) != tail->hash)
        return reason_set(reason, STATUS_CORRUPT, "DESERIALIZE: the data was changed (its hash differs)");
    return STATUS_OK;
}

/* Put the application's addresses in place of the old ones. */
static enum status patch_pointers(struct accel_header *header, const struct postamble *postamble, struct reason *reason)
{
    uint64_t used = 0, *field;
    bool is_top = header->kind == ACCEL_KIND_INSTANCES;
    const char *kind = is_top ? "bottom-level" : "micromap array";
    const uint32_t alignment = is_top ? ACCEL_ALIGNMENT_BYTES : ACCEL_MICROMAP_ALIGNMENT_BYTES;
    for (uint32_t i = 0; (field = pointer_field(header, i)); i++) {
        if (!*field)
            continue;
        if (used == postamble->pointer_count)
            return reason_set(reason, STATUS_CORRUPT, "DESERIALIZE: more %s references than addresses", kind);
        memcpy(field, postamble->pointers + used++ * sizeof(*field), sizeof(*field));
        if (!*field || *field % alignment)
            return reason_set(reason, STATUS_CORRUPT, "DESERIALIZE: %s address 0x%llx is not aligned to %u bytes", kind,
                              (unsigned long long)*field, alignment);
    }
    return used == postamble->pointer_count
               ? STATUS_OK
               : reason_set(reason, STATUS_CORRUPT, "DESERIALIZE: fewer %s references than addresses", kind);
}

enum status accel_deserialize(void *destination, uint64_t destination_bytes, const void *source, uint64_t source_bytes,
                              struct reason *reason)
{
    struct accel_serialized_header header;
    struct accel_serialized_tail tail;
    struct postamble postamble;
    struct accel_header *result = destination;
    RETURN_IF_FAILED(check_serialized(source, source_bytes, &header, &postamble, &tail, reason));
    if (destination_bytes < tail.structure_bytes)
        return reason_set(reason, STATUS_INVALID, "DESERIALIZE needs %llu bytes, the destination has %llu",
                          (unsigned long long)tail.structure_bytes, (unsigned long long)destination_bytes);
    memcpy(result, (const uint8_t *)source + header.serialized_bytes - tail.structure_bytes, tail.structure_bytes);
    enum status status = accel_verify(result, tail.structure_bytes, reason);
    uint32_t alignment = result->kind == ACCEL_KIND_MICROMAPS ? ACCEL_MICROMAP_ALIGNMENT_BYTES : ACCEL_ALIGNMENT_BYTES;
    if (status == STATUS_OK && (uintptr_t)destination % alignment)
        status = reason_set(reason, STATUS_INVALID, "DESERIALIZE: the destination is not aligned to %u bytes", alignment);
    if (status == STATUS_OK)
        status = patch_pointers(result, &postamble, reason);
    if (status != STATUS_OK)
        result->magic = 0;
    return status;
}
