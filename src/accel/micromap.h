/* SPDX-License-Identifier: MIT
 * Opacity micromaps (Raytracing.md, "Opacity micromaps"): arrays as structures of their own, and their links from
 * bottom levels. Called by accel/build.c, plan.c, check.c, update.c, verify.c, serialize.c and decode.c, each at one
 * place; bytes are those of accel/layout.h. */
#ifndef CDXR_ACCEL_MICROMAP_H
#define CDXR_ACCEL_MICROMAP_H

#include <stddef.h>

#include "accel/build.h"

enum { ACCEL_MICROMAP_ALIGNMENT_BYTES = 128 };

/* --- arrays (accel/micromap.c) --- */

/* Rules of the description: flags, counts, histogram, alignment. No GPU address is read. */
MUST_USE enum status accel_micromap_check(const struct accel_build_inputs *inputs, struct reason *reason);
/* Checked description. */
void accel_micromap_prebuild(const struct accel_build_inputs *inputs, struct accel_prebuild_info *info);
/* Micromaps of the histogram: descriptions that a build reads. */
uint64_t accel_micromap_desc_count(const struct accel_micromap_array *array);
/* Checked description. Refuses descriptions in memory that break a rule: level, format, states outside the input buffer,
 * counts other than the histogram's. */
MUST_USE enum status accel_micromap_build(const struct accel_build_arguments *arguments, struct reason *reason);
/* The sections of an array from outside. */
MUST_USE enum status accel_micromap_verify(const struct accel_header *array, uint64_t available_bytes, struct reason *reason);
/* Tools: D3D12_RAYTRACING_OPACITY_MICROMAP_ARRAY_DESC behind the tools header, then what it points at. */
uint64_t accel_micromap_decoded_bytes(const struct accel_header *array);
void accel_micromap_decode(uint8_t *destination, const struct accel_header *array);

/* --- links of a bottom level (accel/micromap_link.c) --- */

MUST_USE enum status accel_micromap_link_check(const struct accel_triangles *triangles, uint32_t geometry,
                                               struct reason *reason);
/* Bytes of the linkage section, 0 without a linked geometry. Depends on counts, flags and formats alone. */
uint64_t accel_micromap_link_bytes(const struct accel_build_inputs *inputs);
/* Do the arrays exist and have what the indices name? Reads both. */
MUST_USE enum status accel_micromap_link_resolve(const struct accel_build_arguments *arguments, struct reason *reason);
/* Write the section at header->micromap_link_offset and header->micromap_count. Resolved before. */
void accel_micromap_link_write(const struct accel_build_inputs *inputs, struct accel_header *header);
/* May an update of source have these links? */
MUST_USE enum status accel_micromap_link_check_update(const struct accel_build_inputs *inputs,
                                                      const struct accel_header *source, struct reason *reason);
/* The section of a bottom level from outside. */
MUST_USE enum status accel_micromap_link_verify(const struct accel_header *header, struct reason *reason);

/* Linkage table of a bottom level; NULL: none. */
static inline struct accel_micromap_linkage *accel_micromap_links(const struct accel_header *header)
{
    if (!(header->flags & ACCEL_FLAG_HAS_MICROMAPS))
        return NULL;
    return (struct accel_micromap_linkage *)((uintptr_t)header + header->micromap_link_offset);
}

/* Tools: what D3D12_RAYTRACING_GEOMETRY_OMM_TRIANGLES_DESC of all linked geometries points at, and the indices. */
uint64_t accel_micromap_link_decoded_bytes(const struct accel_header *header);
/* For geometry: writes behind *out (which moves) a triangle description copied from triangles (48 bytes) and a linkage
 * with its indices, and replaces triangles by the two pointers. */
void accel_micromap_link_decode(const struct accel_header *header, uint32_t geometry, uint8_t **out, uint8_t *triangles);

#endif
