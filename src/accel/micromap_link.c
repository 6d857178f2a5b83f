/* SPDX-License-Identifier: MIT
 * How the geometries of a bottom level name opacity micromaps: the linkage section of accel/layout.h. It does not depend
 * on how leaves look. */
#include "accel/micromap.h"

#include <string.h>

#include "accel/refs.h"

enum { FORMAT_UNKNOWN = 0, FORMAT_R32_UINT = 42, FORMAT_R16_UINT = 57, FORMAT_R8_UINT = 62, LINKAGE_ALIGNMENT_BYTES = 64 };

static const struct accel_micromap_link *link_of(const struct accel_geometry *geometry)
{
    return geometry->type == ACCEL_GEOMETRY_OMM_TRIANGLES ? geometry->triangles.micromaps : NULL;
}

static uint32_t format_bytes(uint32_t format)
{
    return format == FORMAT_R8_UINT ? 1 : format == FORMAT_R16_UINT ? 2 : 4;
}

enum status accel_micromap_link_check(const struct accel_triangles *triangles, uint32_t geometry, struct reason *reason)
{
    const struct accel_micromap_link *link = triangles->micromaps;
    if (!link)
        return STATUS_OK;
    uint32_t format = link->index_format;
    if (format != FORMAT_UNKNOWN && format != FORMAT_R32_UINT && format != FORMAT_R16_UINT && format != FORMAT_R8_UINT)
        return reason_set(reason, STATUS_INVALID,
                          "geometry %u: OpacityMicromapIndexFormat %u is none of UNKNOWN, R8_UINT, R16_UINT, R32_UINT", geometry,
                          format);
    if (link->index_buffer && format == FORMAT_UNKNOWN)
        return reason_set(reason, STATUS_INVALID,
                          "geometry %u: OpacityMicromapIndexBuffer is given with OpacityMicromapIndexFormat UNKNOWN", geometry);
    uint32_t bytes = format_bytes(format);
    if (link->index_buffer && (link->index_buffer % bytes || link->index_stride_bytes % bytes))
        return reason_set(reason, STATUS_INVALID,
                          "geometry %u: OpacityMicromapIndexBuffer address 0x%llx and stride %llu must be multiples of %u", geometry,
                          (unsigned long long)link->index_buffer, (unsigned long long)link->index_stride_bytes, bytes);
    if (link->array % ACCEL_MICROMAP_ALIGNMENT_BYTES)
        return reason_set(reason, STATUS_INVALID, "geometry %u: OpacityMicromapArray 0x%llx is not aligned to %u bytes", geometry,
                          (unsigned long long)link->array, ACCEL_MICROMAP_ALIGNMENT_BYTES);
    return STATUS_OK;
}

/* Bytes of one index in the structure; 0: no indices are stored. A link that may change is stored so that any fits. */
static uint32_t stored_index_bytes(const struct accel_build_inputs *inputs, const struct accel_micromap_link *link)
{
    if (inputs->flags & ACCEL_BUILD_FLAG_ALLOW_OMM_UPDATE)
        return 4;
    return link->index_buffer ? format_bytes(link->index_format) : 0;
}

static uint64_t align_section(uint64_t bytes)
{
    return (bytes + LINKAGE_ALIGNMENT_BYTES - 1) / LINKAGE_ALIGNMENT_BYTES * LINKAGE_ALIGNMENT_BYTES;
}

static uint64_t index_array_bytes(const struct accel_build_inputs *inputs, const struct accel_geometry *geometry)
{
    const struct accel_micromap_link *link = link_of(geometry);
    return link ? (accel_geometry_primitive_count(geometry) * stored_index_bytes(inputs, link) + 7) / 8 * 8 : 0;
}

uint64_t accel_micromap_link_bytes(const struct accel_build_inputs *inputs)
{
    uint64_t bytes = 0;
    bool is_linked = false;
    for (uint32_t i = 0; i < inputs->count; i++) {
        is_linked |= link_of(&inputs->geometries[i]) != NULL;
        bytes += index_array_bytes(inputs, &inputs->geometries[i]);
    }
    return is_linked ? align_section(inputs->count * (uint64_t)sizeof(struct accel_micromap_linkage) + bytes) : 0;
}

/* The application's index of a triangle: an index into the array without base_location, or a value of the last four. */
static uint32_t read_index(const struct accel_micromap_link *link, uint32_t primitive)
{
    const uint8_t *at = (const uint8_t *)(uintptr_t)(link->index_buffer + primitive * link->index_stride_bytes);
    uint32_t bytes = format_bytes(link->index_format), value = 0;
    if (!link->index_buffer)
        return primitive;
    memcpy(&value, at, bytes);
    uint32_t first_special = (bytes == 4 ? ~0u : (1u << 8 * bytes) - 1) - (ACCEL_MICROMAP_SPECIAL_COUNT - 1);
    return value >= first_special ? value - first_special - ACCEL_MICROMAP_SPECIAL_COUNT : value;
}

static bool is_special(uint32_t index)
{
    return index >= (uint32_t)-ACCEL_MICROMAP_SPECIAL_COUNT;
}

/* Entries that the array must have; 0 when all indices are special. */
static uint64_t used_entries(const struct accel_geometry *geometry, const struct accel_micromap_link *link, uint32_t *primitive)
{
    uint64_t count = accel_geometry_primitive_count(geometry), used = 0;
    *primitive = 0;
    if (!link->index_buffer && count) {
        *primitive = (uint32_t)count - 1;
        return count + link->base_location;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = read_index(link, i);
        if (is_special(index) || (uint64_t)index + link->base_location < used)
            continue;
        used = (uint64_t)index + link->base_location + 1;
        *primitive = i;
    }
    return used;
}

static enum status resolve(const struct accel_build_arguments *arguments, uint32_t geometry, struct reason *reason)
{
    const struct accel_micromap_link *link = link_of(&arguments->inputs.geometries[geometry]);
    uint32_t primitive;
    if (!link)
        return STATUS_OK;
    uint64_t used = used_entries(&arguments->inputs.geometries[geometry], link, &primitive), available_bytes = ~0ull;
    if (!link->array)
        return used ? reason_set(reason, STATUS_INVALID,
                                 "geometry %u: triangle %u names a micromap, but OpacityMicromapArray is NULL", geometry, primitive)
                    : STATUS_OK;
    const struct accel_header *array = (const struct accel_header *)(uintptr_t)link->array;
    if (arguments->reader)
        available_bytes = arguments->reader->bytes_behind(arguments->reader->context, link->array);
    if (arguments->reader && arguments->reader->is_sound && !arguments->reader->is_sound(arguments->reader->context, link->array))
        available_bytes = 0;
    if (!accel_is_structure(array, available_bytes) || array->kind != ACCEL_KIND_MICROMAPS)
        return reason_set(reason, STATUS_INVALID, "geometry %u: OpacityMicromapArray 0x%llx is no opacity micromap array", geometry,
                          (unsigned long long)link->array);
    if (used > array->leaf_count)
        return reason_set(reason, STATUS_INVALID, "geometry %u: triangle %u names micromap %llu, the array has %u", geometry,
                          primitive, (unsigned long long)used - 1, array->leaf_count);
    return STATUS_OK;
}

enum status accel_micromap_link_resolve(const struct accel_build_arguments *arguments, struct reason *reason)
{
    for (uint32_t i = 0; i < arguments->inputs.count; i++)
        RETURN_IF_FAILED(resolve(arguments, i, reason));
    return STATUS_OK;
}

static void write_indices(const struct accel_geometry *geometry, const struct accel_micromap_link *link, uint8_t *to,
                          uint32_t index_bytes)
{
    uint64_t count = accel_geometry_primitive_count(geometry);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = read_index(link, i);
        memcpy(to + (uint64_t)i * index_bytes, &index, index_bytes); /* special ones are -4 .. -1 in any width */
    }
}

void accel_micromap_link_write(const struct accel_build_inputs *inputs, struct accel_header *header)
{
    uint8_t *base = (uint8_t *)header;
    struct accel_micromap_linkage *links = accel_micromap_links(header);
    uint64_t index_offset = header->micromap_link_offset + inputs->count * (uint64_t)sizeof(*links);
    header->micromap_count = 0;
    memset(links, 0, accel_micromap_link_bytes(inputs));
    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct accel_geometry *geometry = &inputs->geometries[i];
        const struct accel_micromap_link *link = link_of(geometry);
        if (!link)
            continue;
        uint32_t primitive, index_bytes = stored_index_bytes(inputs, link);
        links[i].array = link->array;
        links[i].base_location = link->base_location;
        links[i].used_count = (uint32_t)used_entries(geometry, link, &primitive);
        links[i].is_linked = 1;
        links[i].index_bytes = index_bytes;
        links[i].index_offset = index_bytes ? index_offset : 0;
        if (index_bytes)
            write_indices(geometry, link, base + index_offset, index_bytes);
        index_offset += index_array_bytes(inputs, geometry);
        header->micromap_count += link->array != 0;
    }
}

enum status accel_micromap_link_check_update(const struct accel_build_inputs *inputs, const struct accel_header *source,
                                             struct reason *reason)
{
    const struct accel_micromap_linkage *links = accel_micromap_links(source);
    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct accel_micromap_link *link = link_of(&inputs->geometries[i]);
        if ((link != NULL) != (links && links[i].is_linked))
            return reason_set(reason, STATUS_INVALID, "update: geometry %u %s opacity micromaps, other than the source", i,
                              link ? "has" : "has no");
        if (!link || (source->build_flags & ACCEL_BUILD_FLAG_ALLOW_OMM_UPDATE))
            continue;
        if (link->array != links[i].array || link->base_location != links[i].base_location ||
            (link->index_buffer ? format_bytes(link->index_format) : 0) != links[i].index_bytes)
            return reason_set(reason, STATUS_INVALID,
                              "update: geometry %u has another micromap linkage, but the source was built without "
                              "ALLOW_OMM_LINKAGE_UPDATE", i);
    }
    return STATUS_OK;
}

enum status accel_micromap_link_verify(const struct accel_header *header, struct reason *reason)
{
    const struct accel_geometry_entry *entries = (const void *)((const uint8_t *)header + header->geometry_offset);
    const struct accel_micromap_linkage *links = accel_micromap_links(header);
    const uint64_t offset = header->micromap_link_offset, end = header->structure_bytes;
    uint32_t pointer_count = 0;
    if (!links)
        return offset || header->micromap_count
                   ? reason_set(reason, STATUS_CORRUPT, "micromap links without the flag")
                   : STATUS_OK;
    if (header->flags & ACCEL_FLAG_ALL_OPAQUE)
        return reason_set(reason, STATUS_CORRUPT, "opaque geometry with micromap links");
    if (header->kind != ACCEL_KIND_TRIANGLES || !header->geometry_offset || offset < sizeof(*header) || offset % 8 || offset > end ||
        header->geometry_count > (end - offset) / sizeof(*links))
        return reason_set(reason, STATUS_CORRUPT, "the micromap links do not fit");
    for (uint32_t i = 0; i < header->geometry_count; i++) {
        const struct accel_micromap_linkage *link = &links[i];
        pointer_count += link->array != 0;
        if (!link->is_linked && link->array)
            return reason_set(reason, STATUS_CORRUPT, "geometry %u has a micromap array without a link", i);
        if (!link->index_offset)
            continue;
        if (link->index_bytes != 1 && link->index_bytes != 2 && link->index_bytes != 4)
            return reason_set(reason, STATUS_CORRUPT, "micromap indices of geometry %u have %u bytes", i, link->index_bytes);
        if (link->index_offset < sizeof(*header) || link->index_offset % link->index_bytes || link->index_offset > end ||
            entries[i].primitive_count > (end - link->index_offset) / link->index_bytes)
            return reason_set(reason, STATUS_CORRUPT, "micromap indices of geometry %u do not fit", i);
    }
    return pointer_count == header->micromap_count
               ? STATUS_OK
               : reason_set(reason, STATUS_CORRUPT, "%u micromap arrays, the header says %u", pointer_count, header->micromap_count);
}

/* D3D12_RAYTRACING_GEOMETRY_OMM_LINKAGE_DESC. */
struct tools_linkage {
    uint64_t index_buffer, index_stride_bytes;
    uint32_t index_format, base_location;
    uint64_t array;
};
_Static_assert(sizeof(struct tools_linkage) == 32, "linkage description bytes");

enum { TOOLS_TRIANGLES_BYTES = 48 };

static const struct accel_geometry_entry *entry_of(const struct accel_header *header, uint32_t geometry)
{
    return (const struct accel_geometry_entry *)((const uint8_t *)header + header->geometry_offset) + geometry;
}

static uint64_t decoded_index_bytes(const struct accel_header *header, uint32_t geometry)
{
    const struct accel_micromap_linkage *links = accel_micromap_links(header);
    if (!links || !links[geometry].index_offset)
        return 0;
    return ((uint64_t)entry_of(header, geometry)->primitive_count * links[geometry].index_bytes + 7) / 8 * 8;
}

uint64_t accel_micromap_link_decoded_bytes(const struct accel_header *header)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < header->geometry_count; i++)
        if (entry_of(header, i)->type == ACCEL_GEOMETRY_OMM_TRIANGLES)
            bytes += TOOLS_TRIANGLES_BYTES + sizeof(struct tools_linkage) + decoded_index_bytes(header, i);
    return bytes;
}

static uint64_t decode_linkage(const struct accel_header *header, uint32_t geometry, uint8_t *out)
{
    const struct accel_micromap_linkage *link = &accel_micromap_links(header)[geometry];
    struct tools_linkage desc = {.base_location = link->base_location, .array = link->array};
    uint8_t *indices = out + sizeof(desc);
    uint64_t index_bytes = decoded_index_bytes(header, geometry);
    if (link->index_offset) {
        desc.index_buffer = (uintptr_t)indices;
        desc.index_stride_bytes = link->index_bytes;
        desc.index_format = link->index_bytes == 1 ? FORMAT_R8_UINT : link->index_bytes == 2 ? FORMAT_R16_UINT : FORMAT_R32_UINT;
        memset(indices, 0, index_bytes);
        memcpy(indices, (const uint8_t *)header + link->index_offset,
               (uint64_t)entry_of(header, geometry)->primitive_count * link->index_bytes);
    }
    memcpy(out, &desc, sizeof(desc));
    return sizeof(desc) + index_bytes;
}

void accel_micromap_link_decode(const struct accel_header *header, uint32_t geometry, uint8_t **out, uint8_t *triangles)
{
    const struct accel_micromap_linkage *links = accel_micromap_links(header);
    uint64_t pointers[2] = {(uintptr_t)*out, 0};
    memcpy(*out, triangles, TOOLS_TRIANGLES_BYTES);
    *out += TOOLS_TRIANGLES_BYTES;
    if (links && links[geometry].is_linked) {
        pointers[1] = (uintptr_t)*out;
        *out += decode_linkage(header, geometry, *out);
    }
    memset(triangles, 0, TOOLS_TRIANGLES_BYTES);
    memcpy(triangles, pointers, sizeof(pointers));
}
