/* SPDX-License-Identifier: MIT
 * Copies of finished structures and what post-build queries say about them. */
#include <string.h>

#include "accel/build.h"

enum status accel_copy(enum accel_copy_mode mode, void *destination, uint64_t destination_bytes, const void *source,
                       uint64_t source_bytes, struct reason *reason)
{
    const struct accel_header *header = source;
    if (mode != ACCEL_COPY_CLONE && mode != ACCEL_COPY_COMPACT)
        return reason_set(reason, STATUS_UNSUPPORTED, "copy mode %u is not available", mode);
    if (!accel_is_structure(source, source_bytes))
        return reason_set(reason, STATUS_INVALID, "the source of the copy is no acceleration structure");
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
    if (type != ACCEL_POSTBUILD_COMPACTED_SIZE && type != ACCEL_POSTBUILD_CURRENT_SIZE)
        return reason_set(reason, STATUS_UNSUPPORTED, "post-build info type %u is not available", type);
    out[0] = header->structure_bytes;
    *out_bytes = 8;
    return STATUS_OK;
}

/* {b4a5d0c2-6f0e-4a39-9a1d-63647872cdd1} and the layout's version. */
void accel_driver_identifier(uint8_t identifier[24])
{
    static const uint8_t guid[16] = {0xc2, 0xd0, 0xa5, 0xb4, 0x0e, 0x6f, 0x39, 0x4a,
                                     0x9a, 0x1d, 0x63, 0x64, 0x78, 0x72, 0xcd, 0xd1};
    uint64_t version = ACCEL_VERSION;
    memcpy(identifier, guid, sizeof(guid));
    memcpy(identifier + sizeof(guid), &version, sizeof(version));
}
