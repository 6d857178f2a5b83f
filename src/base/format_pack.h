/* SPDX-License-Identifier: MIT
 * Packed formats, shared by format_load.c and format_store.c: bit fields of a layout, and small float formats. */
#ifndef CDXR_BASE_FORMAT_PACK_H
#define CDXR_BASE_FORMAT_PACK_H

#include <stdint.h>

struct format_fields {
    uint8_t shift[4]; /* of R G B A in the little-endian word */
    uint8_t width[4]; /* bits; 0: not there */
};

/* NULL: the layout is not made of bit fields. */
const struct format_fields *format_fields_of_layout(uint32_t layout);

void format_unpack_r11g11b10(uint32_t word, uint32_t out[4]);
uint32_t format_pack_r11g11b10(const uint32_t in[4]);
void format_unpack_r9g9b9e5(uint32_t word, uint32_t out[4]);
uint32_t format_pack_r9g9b9e5(const uint32_t in[4]);

#endif
