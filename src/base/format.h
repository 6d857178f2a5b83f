/* SPDX-License-Identifier: MIT
 * Element formats: one row of properties per DXGI_FORMAT, and conversion of one element in memory to and from four 32-bit
 * components. Input: DXGI_FORMAT numbers and bytes; used by ops (views), accel (vertices), exec (clears, copies) and
 * d3d12 (sizes, feature tables). Conversion rules: D3D11.3 functional specification 3.2. */
#ifndef CDXR_BASE_FORMAT_H
#define CDXR_BASE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/format_list.h"

#define FORMAT_ENUM_VALUE(number, name, ...) FORMAT_##name = number,
enum format { /* the numbers of DXGI_FORMAT */
    FORMAT_UNKNOWN = 0,
    FORMAT_LIST(FORMAT_ENUM_VALUE)
    FORMAT_COUNT = 192, /* bound of the table; numbers between that are no format have rows with block_bytes 0 */
};

/* How the bits of a component are read. */
enum format_type {
    FORMAT_TYPE_NONE,
    FORMAT_TYPE_TYPELESS,
    FORMAT_TYPE_FLOAT, /* also 11, 10 bit floats, shared exponent, BC6H */
    FORMAT_TYPE_UNORM,
    FORMAT_TYPE_SRGB, /* UNORM, colour in sRGB encoding, alpha linear */
    FORMAT_TYPE_SNORM,
    FORMAT_TYPE_UINT,
    FORMAT_TYPE_SINT,
};

/* Where the bits of an element lie. */
enum format_layout {
    FORMAT_LAYOUT_NONE,
    FORMAT_LAYOUT_8,  /* channel_count components of 8 bits, R first */
    FORMAT_LAYOUT_16,
    FORMAT_LAYOUT_32,
    FORMAT_LAYOUT_BGRA8,        /* B G R A bytes */
    FORMAT_LAYOUT_BGRX8,        /* B G R unused bytes; A reads 1 */
    FORMAT_LAYOUT_A8,           /* one byte: A */
    FORMAT_LAYOUT_R10G10B10A2,
    FORMAT_LAYOUT_XR_BIAS,      /* R10G10B10_XR_BIAS_A2 */
    FORMAT_LAYOUT_R11G11B10,
    FORMAT_LAYOUT_R9G9B9E5,
    FORMAT_LAYOUT_B5G6R5,
    FORMAT_LAYOUT_B5G5R5A1,
    FORMAT_LAYOUT_B4G4R4A4,
    FORMAT_LAYOUT_A4B4G4R4,     /* A in the lowest nibble */
    FORMAT_LAYOUT_D24S8,        /* plane 0: 4 bytes, depth in the low 24 bits; plane 1: 1 byte of stencil */
    FORMAT_LAYOUT_D32S8,        /* plane 0: float; plane 1: 1 byte of stencil */
    FORMAT_LAYOUT_STENCIL_G,    /* views of plane 1: 1 byte, read as G */
    FORMAT_LAYOUT_R1,           /* R1_UNORM: not supported */
    FORMAT_LAYOUT_R8G8_B8G8,    /* 4 bytes: R G0 B G1, two texels */
    FORMAT_LAYOUT_G8R8_G8B8,    /* 4 bytes: G0 R G1 B, two texels */
    FORMAT_LAYOUT_BC1,
    FORMAT_LAYOUT_BC2,
    FORMAT_LAYOUT_BC3,
    FORMAT_LAYOUT_BC4,
    FORMAT_LAYOUT_BC5,
    FORMAT_LAYOUT_BC6H_UF16,
    FORMAT_LAYOUT_BC6H_SF16,
    FORMAT_LAYOUT_BC7,
    FORMAT_LAYOUT_VIDEO, /* not supported by the device */
};

enum format_flag {
    FORMAT_FLAG_DEPTH = 1,       /* may be a depth-stencil view or resource format */
    FORMAT_FLAG_STENCIL = 2,     /* has a stencil plane */
    FORMAT_FLAG_COMPRESSED = 4,  /* BC */
    FORMAT_FLAG_VIDEO = 8,
    FORMAT_FLAG_PACKED_PAIR = 16, /* R8G8_B8G8, G8R8_G8B8 */
};

struct format_info {
    const char *name;      /* DXGI name without prefix; NULL: no such format */
    uint16_t family;       /* the typeless format of the cast family, or the format itself */
    uint8_t type;          /* enum format_type */
    uint8_t layout;        /* enum format_layout */
    uint8_t channel_count; /* 1 to 4 */
    uint8_t block_bytes;   /* bytes of one element or block in plane 0; 0: not supported */
    uint8_t block_width, block_height; /* texels of a block, 1 for plain formats */
    uint8_t plane_count;   /* 1 or 2 */
    uint8_t flags;         /* enum format_flag */
};

/* Never NULL; a number that is no format gives a row with name NULL and block_bytes 0. */
const struct format_info *format_get_info(uint32_t format);

/* Bytes of one element or block in the given plane; 0 for what does not exist. */
uint32_t format_plane_bytes(uint32_t format, uint32_t plane);

/* Components as 32-bit words: float bits for FLOAT, UNORM, SRGB and SNORM, integers for UINT and SINT (sign extended).
 * Missing components read 0, 0, 0, 1. TYPELESS and compressed formats: all zero. element: block_bytes, any alignment. */
void format_load(uint32_t format, const void *element, uint32_t out[4]);
/* What an access out of bounds reads: 0 for components of the format, 0, 0, 0, 1 for missing ones (D3D11.3 functional
 * specification 19.1.3.3). */
void format_default(uint32_t format, uint32_t out[4]);
/* format_load as float4 for vertex data and colours; integer formats are converted by value. */
void format_load_float(uint32_t format, const void *element, float out[4]);

/* Clamp, round (to nearest for integers and normalised formats, toward zero for floats) and write block_bytes. False, nothing written: the format cannot be
 * stored (compressed, typeless, video). sRGB formats encode. */
bool format_store(uint32_t format, void *element, const uint32_t in[4]);

/* One texel of a block (BC and packed-pair formats), x < block_width, y < block_height; components as in format_load. */
void format_load_block_texel(uint32_t format, const void *block, uint32_t x, uint32_t y, uint32_t out[4]);
/* All texels of a BC block, row by row. */
void format_decode_block(uint32_t format, const void *block, uint32_t out[16][4]);

/* What a view of this format may be used for on this device. */
bool format_is_supported(uint32_t format);
bool format_can_sample(uint32_t format);      /* filtered sampling */
bool format_can_load(uint32_t format);        /* shader resource of a texture */
bool format_can_store(uint32_t format);       /* typed UAV store */
bool format_can_load_uav(uint32_t format);    /* typed UAV load */
bool format_can_buffer(uint32_t format);      /* typed buffer view */
bool format_can_atomic(uint32_t format);      /* R32_UINT, R32_SINT (64 bit: R32G32_UINT) */
bool format_can_render(uint32_t format);      /* clear as render target */

#endif
