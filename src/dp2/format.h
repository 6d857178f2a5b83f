/* SPDX-License-Identifier: MIT
 * Pixel formats: DDPIXELFORMAT descriptions to shifts and widths, and scalar pack/unpack. The rasteriser's kernels do
 * the same on lanes; DXT blocks and YUV pairs are decoded here for both. */
#ifndef CDXR_DP2_FORMAT_H
#define CDXR_DP2_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct cdxr_dp2_pixel_format;

enum format_kind {
    FORMAT_KIND_RGB,
    FORMAT_KIND_PALETTE,
    FORMAT_KIND_LUMINANCE,
    FORMAT_KIND_ALPHA,
    FORMAT_KIND_BUMP,           /* du, dv signed; perhaps luminance */
    FORMAT_KIND_DXT,
    FORMAT_KIND_YUV,
    FORMAT_KIND_DEPTH,
    FORMAT_KIND_BUFFER,
};

enum format_channel { FORMAT_RED, FORMAT_GREEN, FORMAT_BLUE, FORMAT_ALPHA, FORMAT_CHANNELS };
/* Other names of the channels by kind. */
enum {
    FORMAT_DU = FORMAT_RED, FORMAT_DV = FORMAT_GREEN, FORMAT_BUMP_LUMINANCE = FORMAT_BLUE,
    FORMAT_Z = FORMAT_RED, FORMAT_STENCIL = FORMAT_GREEN,
};

struct format {
    uint8_t kind;               /* enum format_kind */
    uint8_t bits_per_pixel;     /* 4 for P4 and DXT1, 8 for DXT2-5 */
    uint8_t pixel_bytes;        /* 1..4; 0 where a pixel has no bytes of its own */
    uint8_t variant;            /* DXT: 1..5. YUV: 0 UYVY, 1 YUY2 */
    bool has_alpha;
    uint8_t shift[FORMAT_CHANNELS], bits[FORMAT_CHANNELS]; /* bits 0: absent */
};

MUST_USE enum status dp2_format_init(const struct cdxr_dp2_pixel_format *description, struct format *format, struct reason *reason);

/* Bytes from the start of a row to behind its last pixel; rows of DXT are rows of blocks. */
uint64_t dp2_format_row_bytes(const struct format *format, uint32_t width);
uint32_t dp2_format_row_count(const struct format *format, uint32_t height);

uint32_t dp2_format_raw_read(const struct format *format, const uint8_t *row, uint32_t x);
void dp2_format_raw_write(const struct format *format, uint8_t *row, uint32_t x, uint32_t raw);
/* ARGB8888 to a raw pixel of an RGB, luminance or alpha format, rounded to nearest. */
uint32_t dp2_format_pack_argb(const struct format *format, uint32_t argb);
/* Raw pixel to ARGB8888; palette: 256 ARGB entries for palettised formats, else NULL. */
uint32_t dp2_format_unpack_argb(const struct format *format, uint32_t raw, const uint32_t *palette);
/* Texel (x, y) of a DXT or YUV level. */
uint32_t dp2_format_block_argb(const struct format *format, const uint8_t *memory, uint32_t pitch_bytes, uint32_t x, uint32_t y);

static inline uint32_t dp2_format_channel_max(const struct format *format, int channel)
{
    return format->bits[channel] >= 32 ? 0xFFFFFFFFu : (1u << format->bits[channel]) - 1;
}

#endif
