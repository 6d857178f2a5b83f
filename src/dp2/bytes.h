/* SPDX-License-Identifier: MIT
 * Unaligned little-endian reads and the checked cursor: the only way in which bytes of a stream or a capture are
 * read. Positions count from the start of the whole buffer, so that offsets in messages need no base. */
#ifndef CDXR_DP2_BYTES_H
#define CDXR_DP2_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t le16(const void *bytes)
{
    const uint8_t *b = bytes;
    return (uint16_t)(b[0] | b[1] << 8);
}

static inline uint32_t le32(const void *bytes)
{
    const uint8_t *b = bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline uint64_t le64(const void *bytes)
{
    return le32(bytes) | (uint64_t)le32((const uint8_t *)bytes + 4) << 32;
}

static inline float le_float(const void *bytes)
{
    uint32_t bits = le32(bytes);
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline float float_from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline uint32_t bits_from_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static inline void put_le16(void *bytes, uint16_t value)
{
    uint8_t *b = bytes;
    b[0] = (uint8_t)value;
    b[1] = (uint8_t)(value >> 8);
}

static inline void put_le32(void *bytes, uint32_t value)
{
    put_le16(bytes, (uint16_t)value);
    put_le16((uint8_t *)bytes + 2, (uint16_t)(value >> 16));
}

struct cursor {
    const uint8_t *bytes;
    size_t position; /* <= end */
    size_t end;
    bool cut;        /* some read went past the end; sticky */
};

/* The next byte_count bytes, or NULL (and nothing is consumed) when fewer are left. */
static inline const uint8_t *cursor_take(struct cursor *cursor, uint64_t byte_count)
{
    if (cursor->cut || byte_count > cursor->end - cursor->position) {
        cursor->cut = true;
        return NULL;
    }
    const uint8_t *bytes = cursor->bytes + cursor->position;
    cursor->position += (size_t)byte_count;
    return bytes;
}

/* Skip to the next multiple of 4 of the position. */
static inline bool cursor_align4(struct cursor *cursor)
{
    return cursor_take(cursor, (4 - (cursor->position & 3)) & 3) != NULL;
}

static inline uint32_t cursor_u32(struct cursor *cursor)
{
    const uint8_t *bytes = cursor_take(cursor, 4);
    return bytes ? le32(bytes) : 0;
}

#endif
