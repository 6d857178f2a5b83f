/* SPDX-License-Identifier: MIT
 * Decoders of block-compressed formats, for base/format_bc.c. A block becomes 16 texels row by row. */
#ifndef CDXR_BASE_FORMAT_BC_H
#define CDXR_BASE_FORMAT_BC_H

#include <stdbool.h>
#include <stdint.h>

/* 8-bit components. A block of reserved mode gives zeros. */
void format_bc7_decode(const uint8_t block[16], uint8_t texels[16][4]);

/* Half bits of R, G, B. A block of a reserved mode gives zeros. */
void format_bc6h_decode(const uint8_t block[16], bool is_signed, uint16_t texels[16][3]);

#endif
