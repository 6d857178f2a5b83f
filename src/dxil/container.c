/* SPDX-License-Identifier: MIT
 * Reads the container header, checks the hash and the part table, finds parts and the program. See container.h. Every
 * number comes from outside: offsets and sizes are compared in 64 bits before they are used. */
#include "dxil/container.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"

enum { HEADER_BYTES = 32, PROGRAM_HEADER_BYTES = 24 };
#define BITCODE_MAX_BYTES (64u << 20)

static uint32_t read_u32(const uint8_t *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, 4);
    return value;
}

static const char *fourcc_text(uint32_t fourcc, char text[5])
{
    for (int i = 0; i < 4; i++) {
        uint8_t c = (uint8_t)(fourcc >> 8 * i);
        text[i] = c >= 0x20 && c < 0x7f ? (char)c : '?';
    }
    text[4] = 0;
    return text;
}

static atomic_bool unsigned_enabled;

void dxil_enable_unsigned(void)
{
    atomic_store(&unsigned_enabled, true);
}

struct dxil_options dxil_options_default(void)
{
    return (struct dxil_options){
        .allow_unsigned = atomic_load(&unsigned_enabled) || environment_flag("CDXR_UNSIGNED_DXIL"),
        .prefer_debug = environment_flag("CDXR_SHADER_DEBUG"),
    };
}

static bool all_bytes_are(const uint8_t digest[16], uint8_t value)
{
    for (int i = 0; i < 16; i++)
        if (digest[i] != value)
            return false;
    return true;
}

static enum status check_hash(const uint8_t *data, uint32_t byte_count, const struct dxil_options *options,
                              enum dxil_hash_kind *kind, struct reason *reason)
{
    const uint8_t *digest = data + 4;
    if (all_bytes_are(digest, 0)) {
        if (!options->allow_unsigned)
            return reason_set(reason, STATUS_INVALID,
                              "DXIL container is not signed (its hash is zero: it was compiled without the validator); "
                              "enable experimental shader models or set CDXR_UNSIGNED_DXIL=1 to load it");
        *kind = DXIL_HASH_KIND_UNSIGNED;
        return STATUS_OK;
    }
    if (all_bytes_are(digest, 1)) {
        *kind = DXIL_HASH_KIND_BYPASS;
        return STATUS_OK;
    }
    if (all_bytes_are(digest, 2)) {
        if (options->refuse_preview)
            return reason_set(reason, STATUS_INVALID, "DXIL container has the preview hash: it uses a shader model that "
                                                      "is not final");
        *kind = DXIL_HASH_KIND_PREVIEW;
        return STATUS_OK;
    }
    uint8_t expected[16];
    dxil_container_hash(data, byte_count, expected);
    if (memcmp(expected, digest, 16) != 0)
        return reason_set(reason, STATUS_CORRUPT, "DXIL container is damaged: its hash does not match its %u bytes",
                          byte_count);
    *kind = DXIL_HASH_KIND_SIGNED;
    return STATUS_OK;
}

static enum status read_header(const uint8_t *data, size_t byte_count, uint32_t *container_bytes, uint32_t *part_count,
                               struct reason *reason)
{
    if (!data || byte_count < HEADER_BYTES)
        return reason_set(reason, STATUS_CORRUPT, "DXIL container has %zu bytes, fewer than its header of %d", byte_count,
                          HEADER_BYTES);
    if (read_u32(data) != DXIL_PART_KIND_CONTAINER) {
        char text[5];
        return reason_set(reason, STATUS_CORRUPT, "shader bytes begin with '%s', a DXIL container begins with 'DXBC'",
                          fourcc_text(read_u32(data), text));
    }
    uint32_t version = read_u32(data + 20);
    if (version != 1)
        return reason_set(reason, STATUS_CORRUPT, "DXIL container has version %u.%u, known is 1.0", version & 0xffff,
                          version >> 16);
    *container_bytes = read_u32(data + 24);
    if (*container_bytes > byte_count || *container_bytes < HEADER_BYTES)
        return reason_set(reason, STATUS_CORRUPT, "DXIL container says it has %u bytes, %zu were given", *container_bytes,
                          byte_count);
    *part_count = read_u32(data + 28);
    if (*part_count > DXIL_CONTAINER_PARTS_MAX)
        return reason_set(reason, STATUS_CORRUPT, "DXIL container has %u parts, at most %d are accepted", *part_count,
                          DXIL_CONTAINER_PARTS_MAX);
    if (HEADER_BYTES + 4ull * *part_count > *container_bytes)
        return reason_set(reason, STATUS_CORRUPT, "DXIL container of %u bytes cannot hold a table of %u parts",
                          *container_bytes, *part_count);
    return STATUS_OK;
}

static enum status read_part(const uint8_t *data, uint32_t byte_count, uint32_t index, struct dxil_part *part,
                             struct reason *reason)
{
    uint32_t offset = read_u32(data + HEADER_BYTES + 4 * index);
    if (offset % 4 || (uint64_t)offset + 8 > byte_count)
        return reason_set(reason, STATUS_CORRUPT, "DXIL container part %u starts at offset %u, outside %u bytes or not a "
                          "multiple of 4", index, offset, byte_count);
    uint32_t part_bytes = read_u32(data + offset + 4);
    if ((uint64_t)offset + 8 + part_bytes > byte_count) {
        char text[5];
        return reason_set(reason, STATUS_CORRUPT, "DXIL container part %u (%s) of %u bytes at offset %u ends outside the "
                          "container of %u bytes", index, fourcc_text(read_u32(data + offset), text), part_bytes, offset,
                          byte_count);
    }
    *part = (struct dxil_part){read_u32(data + offset), offset + 8, part_bytes, data + offset + 8};
    return STATUS_OK;
}

enum status dxil_container_parse(const void *bytes, size_t byte_count, const struct dxil_options *options,
                                 struct dxil_container *container, struct reason *reason)
{
    struct dxil_options defaults = dxil_options_default();
    struct dxil_container result = {.data = bytes};
    RETURN_IF_FAILED(read_header(bytes, byte_count, &result.data_bytes, &result.part_count, reason));
    RETURN_IF_FAILED(
        check_hash(bytes, result.data_bytes, options ? options : &defaults, &result.hash_kind, reason));
    for (uint32_t i = 0; i < result.part_count; i++)
        RETURN_IF_FAILED(read_part(bytes, result.data_bytes, i, &result.parts[i], reason));
    *container = result;
    return STATUS_OK;
}

const struct dxil_part *dxil_container_find(const struct dxil_container *container, uint32_t fourcc)
{
    for (uint32_t i = 0; i < container->part_count; i++)
        if (container->parts[i].fourcc == fourcc)
            return &container->parts[i];
    return NULL;
}

static enum status missing_program(const struct dxil_container *container, struct reason *reason)
{
    if (dxil_container_find(container, DXIL_FOURCC('S', 'H', 'E', 'X')) ||
        dxil_container_find(container, DXIL_FOURCC('S', 'H', 'D', 'R')))
        return reason_set(reason, STATUS_UNSUPPORTED,
                          "container holds DXBC bytecode of shader model 5 or below, needed is DXIL");
    return reason_set(reason, STATUS_INVALID, "DXIL container has no DXIL part");
}

enum status dxil_container_program(const struct dxil_container *container, bool prefer_debug, struct dxil_program *program,
                                   struct reason *reason)
{
    const struct dxil_part *part = NULL;
    if (prefer_debug)
        part = dxil_container_find(container, DXIL_PART_KIND_DEBUG_PROGRAM);
    bool debug = part != NULL;
    if (!part)
        part = dxil_container_find(container, DXIL_PART_KIND_PROGRAM);
    if (!part)
        return missing_program(container, reason);
    const char *name = debug ? "ILDB" : "DXIL";
    if (part->data_bytes < PROGRAM_HEADER_BYTES)
        return reason_set(reason, STATUS_CORRUPT, "%s part has %u bytes, fewer than its header", name, part->data_bytes);
    if (read_u32(part->data + 8) != DXIL_PART_KIND_PROGRAM)
        return reason_set(reason, STATUS_CORRUPT, "%s part lacks the magic number of its bitcode header", name);
    uint32_t version = read_u32(part->data);
    uint64_t offset = 8ull + read_u32(part->data + 16);
    uint32_t bitcode_bytes = read_u32(part->data + 20);
    if (offset < PROGRAM_HEADER_BYTES || offset % 4 || bitcode_bytes % 4 || offset + bitcode_bytes > part->data_bytes)
        return reason_set(reason, STATUS_CORRUPT, "%s part of %u bytes places %u bytes of bitcode at offset %u", name,
                          part->data_bytes, bitcode_bytes, (uint32_t)offset);
    if (bitcode_bytes > BITCODE_MAX_BYTES)
        return reason_set(reason, STATUS_UNSUPPORTED, "%s part has %u bytes of bitcode, at most %u are accepted", name,
                          bitcode_bytes, BITCODE_MAX_BYTES);
    *program = (struct dxil_program){
        .shader_kind = (enum dxil_shader_kind)(version >> 16),
        .major = version >> 4 & 15,
        .minor = version & 15,
        .bitcode = part->data + offset,
        .bitcode_bytes = bitcode_bytes,
        .debug = debug,
    };
    return STATUS_OK;
}
