/* SPDX-License-Identifier: MIT
 * Serialised structures: D3D12_SERIALIZED_RAYTRACING_ACCELERATION_STRUCTURE_HEADER (56 bytes), the addresses of the bottom
 * levels that a top level refers to (one for each instance that has one, in instance order; the application patches
 * them), struct accel_serialized_tail, then the structure's own bytes. */
#ifndef CDXR_ACCEL_SERIALIZE_H
#define CDXR_ACCEL_SERIALIZE_H

#include "accel/build.h"

struct accel_serialized_header {
    uint8_t identifier[32];
    uint64_t serialized_bytes; /* all of it */
    uint64_t deserialized_bytes;
    uint64_t pointer_count;
};
_Static_assert(sizeof(struct accel_serialized_header) == 56, "serialised header bytes");

struct accel_serialized_tail {
    uint64_t hash; /* of the structure's bytes as they are here */
    uint64_t structure_bytes;
};

uint64_t accel_serialized_bytes(const struct accel_header *structure);
MUST_USE enum status accel_serialize(void *destination, uint64_t destination_bytes, const struct accel_header *source,
                                     struct reason *reason);
/* destination must not overlap source. On failure it holds no structure. */
MUST_USE enum status accel_deserialize(void *destination, uint64_t destination_bytes, const void *source,
                                       uint64_t source_bytes, struct reason *reason);

#endif
