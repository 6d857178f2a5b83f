/* SPDX-License-Identifier: MIT */
#include "accel/serialize.h"

#include <string.h>

#include "accel/verify.h"

/* Four independent lanes of multiply and rotate: catches accidents, not attackers (accel/verify.h does). */
static uint64_t hash_bytes(const uint8_t *bytes, uint64_t count)
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

uint64_t accel_serialized_bytes(const struct accel_header *structure)
{
    return sizeof(struct accel_serialized_header) + structure->blas_pointer_count * sizeof(uint64_t) +
           sizeof(struct accel_serialized_tail) + structure->structure_bytes;
}

static struct abi_instance *instances_of(struct accel_header *header)
{
    return (struct abi_instance *)((uint8_t *)header + header->leaf_offset);
}

enum status accel_serialize(void *destination, uint64_t destination_bytes, const struct accel_header *source,
                            struct reason *reason)
{
    struct accel_serialized_header header = {.serialized_bytes = accel_serialized_bytes(source),
                                             .deserialized_bytes = source->structure_bytes,
                                             .pointer_count = source->blas_pointer_count};
    if (destination_bytes < header.serialized_bytes)
        return reason_set(reason, STATUS_INVALID, "SERIALIZE needs %llu bytes, the destination has %llu",
                          (unsigned long long)header.serialized_bytes, (unsigned long long)destination_bytes);
    accel_driver_identifier(header.identifier);
    uint8_t *out = destination;
    memcpy(out, &header, sizeof(header));
    out += sizeof(header);
    const struct abi_instance *instances = instances_of((struct accel_header *)source);
    for (uint32_t i = 0; source->kind == ACCEL_KIND_INSTANCES && i < source->leaf_count; i++)
        if (instances[i].blas) {
            memcpy(out, &instances[i].blas, sizeof(uint64_t));
            out += sizeof(uint64_t);
        }
    struct accel_serialized_tail tail = {hash_bytes((const uint8_t *)source, source->structure_bytes), source->structure_bytes};
    memcpy(out, &tail, sizeof(tail));
    memcpy(out + sizeof(tail), source, source->structure_bytes);
    return STATUS_OK;
}

static enum status check_serialized(const uint8_t *source, uint64_t source_bytes, struct accel_serialized_header *header,
                                    struct accel_serialized_tail *tail, struct reason *reason)
{
    uint8_t identifier[32];
    const uint64_t fixed_bytes = sizeof(*header) + sizeof(*tail);
    if (source_bytes < fixed_bytes)
        return reason_set(reason, STATUS_CORRUPT, "DESERIALIZE: %llu bytes are no serialised structure", (unsigned long long)source_bytes);
    memcpy(header, source, sizeof(*header));
    accel_driver_identifier(identifier);
    if (memcmp(identifier, header->identifier, sizeof(identifier)) != 0)
        return reason_set(reason, STATUS_CORRUPT, "DESERIALIZE: the driver matching identifier is that of another driver or version");
    if (header->serialized_bytes > source_bytes || header->serialized_bytes < fixed_bytes ||
        header->pointer_count > (header->serialized_bytes - fixed_bytes) / 8)
        return reason_set(reason, STATUS_CORRUPT, "DESERIALIZE: the data is cut off or its counts are damaged");
    memcpy(tail, source + sizeof(*header) + header->pointer_count * 8, sizeof(*tail));
    if (tail->structure_bytes != header->serialized_bytes - fixed_bytes - header->pointer_count * 8 ||
        tail->structure_bytes < sizeof(struct accel_header))
        return reason_set(reason, STATUS_CORRUPT, "DESERIALIZE: the sizes contradict each other");
    if (hash_bytes(source + header->serialized_bytes - tail->structure_bytes, tail->structure_bytes) != tail->hash)
        return reason_set(reason, STATUS_CORRUPT, "DESERIALIZE: the data was changed (its hash differs)");
    return STATUS_OK;
}

/* Put the application's addresses in place of the old ones. */
static enum status patch_pointers(struct accel_header *header, const uint8_t *pointers, uint64_t count, struct reason *reason)
{
    uint64_t used = 0;
    struct abi_instance *instances = instances_of(header);
    for (uint32_t i = 0; header->kind == ACCEL_KIND_INSTANCES && i < header->leaf_count; i++) {
        if (!instances[i].blas)
            continue;
        if (used == count)
            return reason_set(reason, STATUS_CORRUPT, "DESERIALIZE: more instances than bottom-level addresses");
        memcpy(&instances[i].blas, pointers + used++ * 8, 8);
        if (!instances[i].blas || instances[i].blas % ACCEL_ALIGNMENT_BYTES)
            return reason_set(reason, STATUS_CORRUPT, "DESERIALIZE: bottom-level address 0x%llx is not aligned to 256 bytes",
                              (unsigned long long)instances[i].blas);
    }
    return used == count ? STATUS_OK
                         : reason_set(reason, STATUS_CORRUPT, "DESERIALIZE: fewer instances than bottom-level addresses");
}

enum status accel_deserialize(void *destination, uint64_t destination_bytes, const void *source, uint64_t source_bytes,
                              struct reason *reason)
{
    struct accel_serialized_header header;
    struct accel_serialized_tail tail;
    struct accel_header *result = destination;
    RETURN_IF_FAILED(check_serialized(source, source_bytes, &header, &tail, reason));
    if (destination_bytes < tail.structure_bytes)
        return reason_set(reason, STATUS_INVALID, "DESERIALIZE needs %llu bytes, the destination has %llu",
                          (unsigned long long)tail.structure_bytes, (unsigned long long)destination_bytes);
    memcpy(result, (const uint8_t *)source + header.serialized_bytes - tail.structure_bytes, tail.structure_bytes);
    enum status status = accel_verify(result, tail.structure_bytes, reason);
    if (status == STATUS_OK)
        status = patch_pointers(result, (const uint8_t *)source + sizeof(header), header.pointer_count, reason);
    if (status != STATUS_OK)
        result->magic = 0;
    return status;
}
