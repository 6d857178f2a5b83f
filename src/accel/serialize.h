/* SPDX-License-Identifier: MIT
 * Serialised structures: D3D12_SERIALIZED_RAYTRACING_ACCELERATION_STRUCTURE_HEADER1 (56 bytes), the addresses that the
 * application patches, struct accel_serialized_tail, then the structure's own bytes. Addresses of a top level: bottom
 * levels, one for each instance that has one, in instance order. Of a bottom level with micromap arrays: one struct
 * accel_serialized_block, then the arrays, one for each geometry that has one, in geometry order. */
#ifndef CDXR_ACCEL_SERIALIZE_H
#define CDXR_ACCEL_SERIALIZE_H

#include "accel/build.h"

struct accel_serialized_header {
    uint8_t identifier[32];
    uint64_t serialized_bytes; /* all of it */
    uint64_t deserialized_bytes;
    uint32_t postamble_count; /* addresses of a top level, blocks of a bottom level */
    uint32_t postamble_type;  /* ACCEL_POSTAMBLE_* */
};
_Static_assert(sizeof(struct accel_serialized_header) == 56, "serialised header bytes");

/* D3D12_SERIALIZED_RAYTRACING_ACCELERATION_STRUCTURE_HEADER_POSTAMBLE_TYPE. */
#define ACCEL_POSTAMBLE_POINTERS 0u
#define ACCEL_POSTAMBLE_BLOCKS 0xffffffffu

/* D3D12_RAYTRACING_SERIALIZED_BLOCK. */
struct accel_serialized_block {
    uint32_t type; /* 0: opacity micromap arrays */
    uint32_t padding;
    uint64_t pointer_count;
};
_Static_assert(sizeof(struct accel_serialized_block) == 16, "serialised block bytes");

struct accel_serialized_tail {
    uint64_t hash; /* of the structure's bytes as they are here */
    uint64_t structure_bytes;
};

/* Of the tail (docs/bvh.md). */
uint64_t accel_serialized_hash(const uint8_t *bytes, uint64_t count);
uint64_t accel_serialized_bytes(const struct accel_header *structure);
/* The second number of the post-build info: bottom-level addresses of a top level, blocks of a bottom level. */
uint64_t accel_serialized_postamble_count(const struct accel_header *structure);
MUST_USE enum status accel_serialize(void *destination, uint64_t destination_bytes, const struct accel_header *source,
                                     struct reason *reason);
/* destination must not overlap source. On failure it holds no structure. */
MUST_USE enum status accel_deserialize(void *destination, uint64_t destination_bytes, const void *source,
                                       uint64_t source_bytes, struct reason *reason);

#endif
