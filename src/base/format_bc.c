/* SPDX-License-Identifier: MIT
 * Texels of blocks (base/format.h): BC1 to BC5 here, BC6H and BC7 through format_bc67.c, and the two formats that
 * share colour between two texels. D3D11.3 functional specification 19.5. */
#include "base/format_bc.h"

#include <string.h>

#include "base/format.h"
#include "base/format_srgb.h"
#include "base/half.h"

static const uint32_t one_bits = 0x3f800000;

static uint32_t colour_word(double value, uint32_t type)
{
    float x = (float)value;
    return half_bits_of_float(type == FORMAT_TYPE_SRGB ? format_srgb_decode(x) : x);
}

static void unpack_565(uint32_t colour, double out[3])
{
    out[0] = (double)(colour >> 11) / 31.0;
    out[1] = (double)(colour >> 5 & 63) / 63.0;
    out[2] = (double)(colour & 31) / 31.0;
}

/* The 8 bytes of colour that BC1 to BC3 have. has_punch_through: BC1. */
static void decode_colour(const uint8_t *block, uint32_t type, bool has_punch_through, uint32_t out[16][4])
{
    uint16_t colours[2];
    uint32_t indices;
    memcpy(colours, block, 4);
    memcpy(&indices, block + 4, 4);
    bool is_three = has_punch_through && colours[0] <= colours[1];
    double ends[2][3];
    uint32_t palette[4][4];
    unpack_565(colours[0], ends[0]);
    unpack_565(colours[1], ends[1]);
    for (uint32_t c = 0; c < 3; c++) {
        double a = ends[0][c], b = ends[1][c];
        palette[0][c] = colour_word(a, type);
        palette[1][c] = colour_word(b, type);
        palette[2][c] = colour_word(is_three ? (a + b) / 2.0 : (2.0 * a + b) / 3.0, type);
        palette[3][c] = is_three ? 0 : colour_word((a + 2.0 * b) / 3.0, type);
    }
    for (uint32_t i = 0; i < 4; i++)
        palette[i][3] = i == 3 && is_three ? 0 : one_bits;
    for (uint32_t t = 0; t < 16; t++)
        memcpy(out[t], palette[indices >> 2 * t & 3], 16);
}

/* The 8 bytes of one component that BC3 (alpha), BC4 and BC5 have. */
static void decode_component(const uint8_t *block, uint32_t type, uint32_t component, uint32_t out[16][4])
{
    uint64_t bits;
    memcpy(&bits, block, 8);
    bits >>= 16;
    bool is_signed = type == FORMAT_TYPE_SNORM;
    int32_t a = is_signed ? (int8_t)block[0] : block[0], b = is_signed ? (int8_t)block[1] : block[1];
    bool is_eight = a > b;
    double scale = is_signed ? 127.0 : 255.0;
    if (is_signed && a < -127)
        a = -127;
    if (is_signed && b < -127)
        b = -127;
    int32_t parts = is_eight ? 7 : 5;
    uint32_t palette[8];
    palette[0] = half_bits_of_float((float)(a / scale));
    palette[1] = half_bits_of_float((float)(b / scale));
    for (int32_t i = 2; i < 8; i++)
        palette[i] = half_bits_of_float((float)((a * (parts + 1 - i) + b * (i - 1)) / (parts * scale)));
    if (!is_eight) {
        palette[6] = is_signed ? 0xbf800000 : 0;
        palette[7] = one_bits;
    }
    for (uint32_t t = 0; t < 16; t++)
        out[t][component] = palette[bits >> 3 * t & 7];
}

static void decode_bc2_alpha(const uint8_t *block, uint32_t out[16][4])
{
    uint64_t bits;
    memcpy(&bits, block, 8);
    for (uint32_t t = 0; t < 16; t++)
        out[t][3] = half_bits_of_float((float)(bits >> 4 * t & 15) / 15.0f);
}

static void decode_bc7(const uint8_t *block, uint32_t type, uint32_t out[16][4])
{
    uint8_t texels[16][4];
    format_bc7_decode(block, texels);
    for (uint32_t t = 0; t < 16; t++)
        for (uint32_t c = 0; c < 4; c++)
            out[t][c] = half_bits_of_float(type == FORMAT_TYPE_SRGB && c < 3 ? format_srgb_to_linear[texels[t][c]]
                                                                             : (float)texels[t][c] / 255.0f);
}

static void decode_bc6h(const uint8_t *block, bool is_signed, uint32_t out[16][4])
{
    uint16_t texels[16][3];
    format_bc6h_decode(block, is_signed, texels);
    for (uint32_t t = 0; t < 16; t++)
        for (uint32_t c = 0; c < 3; c++)
            out[t][c] = half_bits_of_float(half_to_float(texels[t][c]));
}

void format_decode_block(uint32_t format, const void *block, uint32_t out[16][4])
{
    const struct format_info *info = format_get_info(format);
    const uint8_t *bytes = block;
    for (uint32_t t = 0; t < 16; t++) {
        out[t][0] = out[t][1] = out[t][2] = 0;
        out[t][3] = info->type < FORMAT_TYPE_FLOAT ? 0 : one_bits;
    }
    if (info->type < FORMAT_TYPE_FLOAT)
        return;
    switch (info->layout) {
    case FORMAT_LAYOUT_BC1:
        decode_colour(bytes, info->type, true, out);
        break;
    case FORMAT_LAYOUT_BC2:
        decode_colour(bytes + 8, info->type, false, out);
        decode_bc2_alpha(bytes, out);
        break;
    case FORMAT_LAYOUT_BC3:
        decode_colour(bytes + 8, info->type, false, out);
        decode_component(bytes, FORMAT_TYPE_UNORM, 3, out);
        break;
    case FORMAT_LAYOUT_BC4:
        decode_component(bytes, info->type, 0, out);
        break;
    case FORMAT_LAYOUT_BC5:
        decode_component(bytes, info->type, 0, out);
        decode_component(bytes + 8, info->type, 1, out);
        break;
    case FORMAT_LAYOUT_BC6H_UF16:
    case FORMAT_LAYOUT_BC6H_SF16:
        decode_bc6h(bytes, info->layout == FORMAT_LAYOUT_BC6H_SF16, out);
        break;
    case FORMAT_LAYOUT_BC7:
        decode_bc7(bytes, info->type, out);
        break;
    default:
        break;
    }
}

/* Two texels: own green, shared red and blue. */
static void load_pair(uint32_t layout, const uint8_t *block, uint32_t x, uint32_t out[4])
{
    bool green_first = layout == FORMAT_LAYOUT_G8R8_G8B8;
    uint32_t red = block[green_first ? 1 : 0], blue = block[green_first ? 3 : 2];
    uint32_t green = block[(green_first ? 0 : 1) + 2 * (x & 1)];
    out[0] = half_bits_of_float((float)red / 255.0f);
    out[1] = half_bits_of_float((float)green / 255.0f);
    out[2] = half_bits_of_float((float)blue / 255.0f);
    out[3] = one_bits;
}

void format_load_block_texel(uint32_t format, const void *block, uint32_t x, uint32_t y, uint32_t out[4])
{
    const struct format_info *info = format_get_info(format);
    if (info->flags & FORMAT_FLAG_PACKED_PAIR) {
        load_pair(info->layout, block, x, out);
        return;
    }
    uint32_t texels[16][4];
    format_decode_block(format, block, texels);
    memcpy(out, texels[(y & 3) * 4 + (x & 3)], 16);
}
