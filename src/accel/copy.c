/* SPDX-License-Identifier: MIT
 * Copies of finished structures and what post-build queries say about them. */
#include <string.h>

#include "accel/decode.h"
#include "accel/serialize.h"

enum status accel_copy(enum accel_copy_mode mode, void *destination, uint64_t destination_bytes, const void *source,
                       uint64_t source_bytes, struct reason *reason)
{
    const struct accel_header *header = source;
    if (mode == ACCEL_COPY_DESERIALIZE)
        return accel_deserialize(destination, destination_bytes, source, source_bytes, reason);
    if (mode > ACCEL_COPY_DESERIALIZE)
        return reason_set(reason, STATUS_INVALID, "copy mode %u is unknown", mode);
    if (!accel_is_structure(source, source_bytes))
        return reason_set(reason, STATUS_INVALID, "the source of the copy is no acceleration structure");
    if (mode == ACCEL_COPY_SERIALIZE)
        return accel_serialize(destination, destination_bytes, header, reason);
    if (mode == ACCEL_COPY_DECODE_FOR_TOOLS)
        return accel_decode(destination, destination_bytes, header, reason);
    if (mode == ACCEL_COPY_COMPACT && !(header->build_flags & ACCEL_BUILD_FLAG_ALLOW_COMPACTION))
        return reason_set(reason, STATUS_INVALID, "COMPACT: the source was built without ALLOW_COMPACTION");
    if (destination_bytes < header->structure_bytes)
        return reason_set(reason, STATUS_INVALID, "the copy needs %llu bytes, the destination has %llu",
                          (unsigned long long)header->structure_bytes, (unsigned long long)destination_bytes);
    memmove(destination, source, header->structure_bytes);
    return STATUS_OK;
}

enum status accel_postbuild_info(enum accel_postbuild_type type, const void *structure, uint64_t out[2],
                                 uint32_t *out_bytes, struct reason *reason)
{
    const struct accel_header *header = structure;
    if (!accel_is_structure(structure, ~0ull))
        return reason_set(reason, STATUS_INVALID, "post-build info asked of something that is no acceleration structure");
    *out_bytes = type == ACCEL_POSTBUILD_SERIALIZATION ? 16 : 8;
    switch (type) {
    case ACCEL_POSTBUILD_COMPACTED_SIZE:
        if (!(header->build_flags & ACCEL_BUILD_FLAG_ALLOW_COMPACTION))
            return reason_set(reason, STATUS_INVALID, "COMPACTED_SIZE asked of a structure built without ALLOW_COMPACTION");
        out[0] = header->structure_bytes;
        return STATUS_OK;
    case ACCEL_POSTBUILD_CURRENT_SIZE:
        out[0] = header->structure_bytes;
        return STATUS_OK;
    case ACCEL_POSTBUILD_SERIALIZATION:
        out[0] = accel_serialized_bytes(header);
        out[1] = accel_serialized_postamble_count(header);
        return STATUS_OK;
    case ACCEL_POSTBUILD_TOOLS_VISUALIZATION:
        out[0] = accel_decoded_bytes(header);
        return STATUS_OK;
    }
    return reason_set(reason, STATUS_INVALID, "post-build info type %u is unknown", type);
}

/* {b4a5d0c2-6f0e-4a39-9a1d-63647872cdd1} and the layout's version. */
void accel_driver_identifier(uint8_t identifier[32])
{
    static const uint8_t guid[16] = {0xc2, 0xd0, 0xa5, 0xb4, 0x0e, 0x6f, 0x39, 0x4a,
                                     0x9a, 0x1d, 0x63, 0x64, 0x78, 0x72, 0xcd, 0xd1};
    uint64_t version[2] = {ACCEL_VERSION, 0};
    memcpy(identifier, guid, sizeof(guid));
    memcpy(identifier + sizeof(guid), version, sizeof(version));
}
