/* SPDX-License-Identifier: MIT */
#include "dp2/format.h"

#include <string.h>

#include "cdxr/dp2.h"
#include "dp2/bytes.h"

enum {
    DDPF_ALPHAPIXELS = 1, DDPF_ALPHA = 2, DDPF_FOURCC = 4, DDPF_PALETTEINDEXED4 = 8, DDPF_PALETTEINDEXED8 = 0x20,
    DDPF_RGB = 0x40, DDPF_ZBUFFER = 0x400, DDPF_STENCILBUFFER = 0x4000, DDPF_LUMINANCE = 0x20000,
    DDPF_BUMPLUMINANCE = 0x40000, DDPF_BUMPDUDV = 0x80000,
};
#define FOUR_CC(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

static const struct cdxr_dp2_pixel_format named_formats[] = {
    [CDXR_DP2_FORMAT_R8G8B8] = {0x40, 0, 24, 0xFF0000, 0xFF00, 0xFF, 0},
    [CDXR_DP2_FORMAT_A8R8G8B8] = {0x41, 0, 32, 0xFF0000, 0xFF00, 0xFF, 0xFF000000},
    [CDXR_DP2_FORMAT_X8R8G8B8] = {0x40, 0, 32, 0xFF0000, 0xFF00, 0xFF, 0},
    [CDXR_DP2_FORMAT_R5G6B5] = {0x40, 0, 16, 0xF800, 0x07E0, 0x1F, 0},
    [CDXR_DP2_FORMAT_X1R5G5B5] = {0x40, 0, 16, 0x7C00, 0x03E0, 0x1F, 0},
    [CDXR_DP2_FORMAT_A1R5G5B5] = {0x41, 0, 16, 0x7C00, 0x03E0, 0x1F, 0x8000},
    [CDXR_DP2_FORMAT_A4R4G4B4] = {0x41, 0, 16, 0x0F00, 0x00F0, 0x0F, 0xF000},
    [CDXR_DP2_FORMAT_X4R4G4B4] = {0x40, 0, 16, 0x0F00, 0x00F0, 0x0F, 0},
    [CDXR_DP2_FORMAT_R3G3B2] = {0x40, 0, 8, 0xE0, 0x1C, 0x03, 0},
    [CDXR_DP2_FORMAT_A8R3G3B2] = {0x41, 0, 16, 0xE0, 0x1C, 0x03, 0xFF00},
    [CDXR_DP2_FORMAT_A8] = {DDPF_ALPHA, 0, 8, 0, 0, 0, 0xFF},
    [CDXR_DP2_FORMAT_P8] = {0x60, 0, 8, 0, 0, 0, 0},
    [CDXR_DP2_FORMAT_P4] = {0x48, 0, 4, 0, 0, 0, 0},
    [CDXR_DP2_FORMAT_L8] = {DDPF_LUMINANCE, 0, 8, 0xFF, 0, 0, 0},
    [CDXR_DP2_FORMAT_A8L8] = {DDPF_LUMINANCE | 1, 0, 16, 0xFF, 0, 0, 0xFF00},
    [CDXR_DP2_FORMAT_A4L4] = {DDPF_LUMINANCE | 1, 0, 8, 0x0F, 0, 0, 0xF0},
    [CDXR_DP2_FORMAT_V8U8] = {DDPF_BUMPDUDV, 0, 16, 0x00FF, 0xFF00, 0, 0},
    [CDXR_DP2_FORMAT_L6V5U5] = {DDPF_BUMPDUDV | DDPF_BUMPLUMINANCE, 0, 16, 0x001F, 0x03E0, 0xFC00, 0},
    [CDXR_DP2_FORMAT_X8L8V8U8] = {DDPF_BUMPDUDV | DDPF_BUMPLUMINANCE, 0, 32, 0xFF, 0xFF00, 0xFF0000, 0},
    [CDXR_DP2_FORMAT_DXT1] = {DDPF_FOURCC, FOUR_CC('D', 'X', 'T', '1')},
    [CDXR_DP2_FORMAT_DXT2] = {DDPF_FOURCC, FOUR_CC('D', 'X', 'T', '2')},
    [CDXR_DP2_FORMAT_DXT3] = {DDPF_FOURCC, FOUR_CC('D', 'X', 'T', '3')},
    [CDXR_DP2_FORMAT_DXT4] = {DDPF_FOURCC, FOUR_CC('D', 'X', 'T', '4')},
    [CDXR_DP2_FORMAT_DXT5] = {DDPF_FOURCC, FOUR_CC('D', 'X', 'T', '5')},
    [CDXR_DP2_FORMAT_UYVY] = {DDPF_FOURCC, FOUR_CC('U', 'Y', 'V', 'Y')},
    [CDXR_DP2_FORMAT_YUY2] = {DDPF_FOURCC, FOUR_CC('Y', 'U', 'Y', '2')},
    [CDXR_DP2_FORMAT_D16] = {DDPF_ZBUFFER, 0, 16, 0, 0xFFFF, 0, 0},
    [CDXR_DP2_FORMAT_D15S1] = {DDPF_ZBUFFER | DDPF_STENCILBUFFER, 0, 16, 0, 0xFFFE, 0x0001, 0},
    [CDXR_DP2_FORMAT_D24X8] = {DDPF_ZBUFFER, 0, 32, 0, 0x00FFFFFF, 0, 0},
    [CDXR_DP2_FORMAT_D24S8] = {DDPF_ZBUFFER | DDPF_STENCILBUFFER, 0, 32, 0, 0x00FFFFFF, 0xFF000000, 0},
    [CDXR_DP2_FORMAT_D24X4S4] = {DDPF_ZBUFFER | DDPF_STENCILBUFFER, 0, 32, 0, 0x00FFFFFF, 0x0F000000, 0},
    [CDXR_DP2_FORMAT_D32] = {DDPF_ZBUFFER, 0, 32, 0, 0xFFFFFFFF, 0, 0},
    [CDXR_DP2_FORMAT_S8D24] = {DDPF_ZBUFFER | DDPF_STENCILBUFFER, 0, 32, 0, 0xFFFFFF00, 0xFF, 0},
};

void cdxr_dp2_pixel_format_init(enum cdxr_dp2_format format, struct cdxr_dp2_pixel_format *pixel_format)
{
    memset(pixel_format, 0, sizeof(*pixel_format));
    if (format > 0 && (size_t)format < ARRAY_COUNT(named_formats))
        *pixel_format = named_formats[format];
}

/* Masks must be runs of bits inside the pixel. */
static bool set_channel(struct format *format, int channel, uint32_t mask)
{
    if (!mask) {
        format->bits[channel] = format->shift[channel] = 0;
        return true;
    }
    int shift = __builtin_ctz(mask);
    int bits = __builtin_popcount(mask);
    format->shift[channel] = (uint8_t)shift;
    format->bits[channel] = (uint8_t)bits;
    return (uint64_t)mask == ((1ull << bits) - 1) << shift && shift + bits <= format->bits_per_pixel;
}

static bool init_four_cc(uint32_t four_cc, struct format *format)
{
    if (four_cc == FOUR_CC('U', 'Y', 'V', 'Y') || four_cc == FOUR_CC('Y', 'U', 'Y', '2')) {
        format->kind = FORMAT_KIND_YUV;
        format->variant = four_cc == FOUR_CC('Y', 'U', 'Y', '2');
        format->bits_per_pixel = 16;
        return true;
    }
    uint32_t digit = four_cc >> 24;
    if ((four_cc & 0xFFFFFF) != (FOUR_CC('D', 'X', 'T', 0) & 0xFFFFFF) || digit < '1' || digit > '5')
        return false;
    format->kind = FORMAT_KIND_DXT;
    format->variant = (uint8_t)(digit - '0');
    format->bits_per_pixel = digit == '1' ? 4 : 8;
    format->has_alpha = true;
    return true;
}

static bool init_masks(const struct cdxr_dp2_pixel_format *d, struct format *format)
{
    bool alpha = d->flags & DDPF_ALPHAPIXELS;
    if (d->flags & DDPF_ZBUFFER) {
        format->kind = FORMAT_KIND_DEPTH;
        return d->bit_count >= 16 && d->green_mask && set_channel(format, FORMAT_Z, d->green_mask) &&
               set_channel(format, FORMAT_STENCIL, d->flags & DDPF_STENCILBUFFER ? d->blue_mask : 0) &&
               format->bits[FORMAT_STENCIL] <= 8;
    }
    if (d->flags & DDPF_BUMPDUDV) {
        format->kind = FORMAT_KIND_BUMP;
        return d->red_mask && d->green_mask && set_channel(format, FORMAT_DU, d->red_mask) &&
               set_channel(format, FORMAT_DV, d->green_mask) &&
               set_channel(format, FORMAT_BUMP_LUMINANCE, d->flags & DDPF_BUMPLUMINANCE ? d->blue_mask : 0);
    }
    if (d->flags & DDPF_LUMINANCE) {
        format->kind = FORMAT_KIND_LUMINANCE;
        format->has_alpha = alpha;
        return d->red_mask && set_channel(format, FORMAT_RED, d->red_mask) &&
               set_channel(format, FORMAT_GREEN, d->red_mask) && set_channel(format, FORMAT_BLUE, d->red_mask) &&
               set_channel(format, FORMAT_ALPHA, alpha ? d->alpha_mask : 0);
    }
    if (d->flags & DDPF_ALPHA) {
        format->kind = FORMAT_KIND_ALPHA;
        format->has_alpha = true;
        return d->alpha_mask && set_channel(format, FORMAT_ALPHA, d->alpha_mask);
    }
    format->kind = FORMAT_KIND_RGB;
    format->has_alpha = alpha && d->alpha_mask;
    return (d->flags & DDPF_RGB) && (d->red_mask | d->green_mask | d->blue_mask | d->alpha_mask) &&
           set_channel(format, FORMAT_RED, d->red_mask) && set_channel(format, FORMAT_GREEN, d->green_mask) &&
           set_channel(format, FORMAT_BLUE, d->blue_mask) && set_channel(format, FORMAT_ALPHA, alpha ? d->alpha_mask : 0);
}

static bool channels_narrow(const struct format *format)
{
    if (format->kind == FORMAT_KIND_DEPTH)
        return true;
    for (int i = 0; i < FORMAT_CHANNELS; i++)
        if (format->bits[i] > 16)
            return false;
    return true;
}

enum status dp2_format_init(const struct cdxr_dp2_pixel_format *d, struct format *format, struct reason *reason)
{
    memset(format, 0, sizeof(*format));
    if (d->flags & DDPF_FOURCC)
        return init_four_cc(d->four_cc, format)
                   ? STATUS_OK
                   : reason_set(reason, STATUS_UNSUPPORTED, "pixel format: FOURCC 0x%08x is not DXT1-5, UYVY or YUY2", d->four_cc);
    if (d->flags & (DDPF_PALETTEINDEXED4 | DDPF_PALETTEINDEXED8)) {
        format->kind = FORMAT_KIND_PALETTE;
        format->bits_per_pixel = d->flags & DDPF_PALETTEINDEXED8 ? 8 : 4;
        format->pixel_bytes = d->flags & DDPF_PALETTEINDEXED8 ? 1 : 0;
        return STATUS_OK;
    }
    if (d->bit_count != 8 && d->bit_count != 16 && d->bit_count != 24 && d->bit_count != 32)
        return reason_set(reason, STATUS_UNSUPPORTED, "pixel format: %u bits per pixel, must be 8, 16, 24 or 32", d->bit_count);
    format->bits_per_pixel = (uint8_t)d->bit_count;
    format->pixel_bytes = (uint8_t)(d->bit_count / 8);
    if (!init_masks(d, format) || !channels_narrow(format))
        return reason_set(reason, STATUS_UNSUPPORTED,
                          "pixel format: flags 0x%x with masks %08x %08x %08x %08x in %u bits is not a known layout", d->flags,
                          d->red_mask, d->green_mask, d->blue_mask, d->alpha_mask, d->bit_count);
    return STATUS_OK;
}

uint64_t dp2_format_row_bytes(const struct format *format, uint32_t width)
{
    if (format->kind == FORMAT_KIND_DXT)
        return (uint64_t)((width + 3) / 4) * (format->bits_per_pixel * 2);
    if (format->kind == FORMAT_KIND_YUV)
        return (uint64_t)((width + 1) / 2) * 4;
    return ((uint64_t)width * format->bits_per_pixel + 7) / 8;
}

uint32_t dp2_format_row_count(const struct format *format, uint32_t height)
{
    return format->kind == FORMAT_KIND_DXT ? (height + 3) / 4 : height;
}

uint32_t dp2_format_raw_read(const struct format *format, const uint8_t *row, uint32_t x)
{
    const uint8_t *p = row + (size_t)x * format->pixel_bytes;
    switch (format->pixel_bytes) {
    case 0: return x & 1 ? row[x / 2] & 15 : row[x / 2] >> 4; /* P4: left pixel in the high half */
    case 1: return *p;
    case 2: return le16(p);
    case 3: return le16(p) | (uint32_t)p[2] << 16;
    default: return le32(p);
    }
}

void dp2_format_raw_write(const struct format *format, uint8_t *row, uint32_t x, uint32_t raw)
{
    uint8_t *p = row + (size_t)x * format->pixel_bytes;
    switch (format->pixel_bytes) {
    case 0:
        row[x / 2] = (uint8_t)(x & 1 ? (row[x / 2] & 0xF0) | (raw & 15) : (row[x / 2] & 0x0F) | (raw & 15) << 4);
        break;
    case 1: *p = (uint8_t)raw; break;
    case 2: put_le16(p, (uint16_t)raw); break;
    case 3:
        put_le16(p, (uint16_t)raw);
        p[2] = (uint8_t)(raw >> 16);
        break;
    default: put_le32(p, raw); break;
    }
}

uint32_t dp2_format_pack_argb(const struct format *format, uint32_t argb)
{
    static const uint8_t argb_shift[FORMAT_CHANNELS] = {16, 8, 0, 24};
    int channels = FORMAT_CHANNELS;
    uint32_t raw = 0;
    for (int i = 0; i < channels; i++) {
        uint32_t value = argb >> argb_shift[i] & 255;
        if (format->kind == FORMAT_KIND_LUMINANCE && (i == FORMAT_GREEN || i == FORMAT_BLUE))
            continue;
        if (format->bits[i])
            raw |= (value * dp2_format_channel_max(format, i) + 127) / 255 << format->shift[i];
    }
    return raw;
}

uint32_t dp2_format_unpack_argb(const struct format *format, uint32_t raw, const uint32_t *palette)
{
    static const uint8_t argb_shift[FORMAT_CHANNELS] = {16, 8, 0, 24};
    if (format->kind == FORMAT_KIND_PALETTE)
        return palette ? palette[raw & 255] : 0xFF000000;
    uint32_t argb = 0;
    for (int i = 0; i < FORMAT_CHANNELS; i++) {
        uint32_t max = dp2_format_channel_max(format, i);
        uint32_t value = i == FORMAT_ALPHA ? 255 : 0;
        if (format->bits[i])
            value = ((raw >> format->shift[i] & max) * 255 + max / 2) / max;
        argb |= value << argb_shift[i];
    }
    return argb;
}

/* ---- blocks ---- */

static uint32_t from_565(uint32_t c)
{
    uint32_t r = c >> 11, g = c >> 5 & 63, b = c & 31;
    return (r * 255 + 15) / 31 << 16 | (g * 255 + 31) / 63 << 8 | (b * 255 + 15) / 31;
}

static uint32_t mix(uint32_t a, uint32_t b, uint32_t weight_b, uint32_t whole)
{
    uint32_t out = 0;
    for (int shift = 0; shift < 24; shift += 8)
        out |= (((a >> shift & 255) * (whole - weight_b) + (b >> shift & 255) * weight_b + whole / 2) / whole) << shift;
    return out;
}

static uint32_t dxt_color(const uint8_t *block, uint32_t texel, bool may_be_transparent)
{
    uint32_t c0 = le16(block), c1 = le16(block + 2);
    uint32_t a = from_565(c0), b = from_565(c1);
    uint32_t code = le32(block + 4) >> (2 * texel) & 3;
    bool four = c0 > c1 || !may_be_transparent;
    switch (code) {
    case 0: return 0xFF000000 | a;
    case 1: return 0xFF000000 | b;
    case 2: return 0xFF000000 | (four ? mix(a, b, 1, 3) : mix(a, b, 1, 2));
    default: return four ? 0xFF000000 | mix(a, b, 2, 3) : 0;
    }
}

static uint32_t dxt5_alpha(const uint8_t *block, uint32_t texel)
{
    uint32_t a0 = block[0], a1 = block[1];
    uint64_t codes = (uint64_t)le32(block + 2) | (uint64_t)le16(block + 6) << 32;
    uint32_t code = (uint32_t)(codes >> (3 * texel)) & 7;
    if (code < 2)
        return code ? a1 : a0;
    if (a0 > a1)
        return ((8 - code) * a0 + (code - 1) * a1 + 3) / 7;
    return code < 6 ? ((6 - code) * a0 + (code - 1) * a1 + 2) / 5 : code == 6 ? 0 : 255;
}

static uint32_t clamp255(int value)
{
    return value < 0 ? 0 : value > 255 ? 255 : (uint32_t)value;
}

/* ITU-R BT.601, 8-bit studio range. */
static uint32_t yuv_argb(int y, int u, int v)
{
    int c = 298 * (y - 16), d = u - 128, e = v - 128;
    return 0xFF000000 | clamp255((c + 409 * e + 128) >> 8) << 16 | clamp255((c - 100 * d - 208 * e + 128) >> 8) << 8 |
           clamp255((c + 516 * d + 128) >> 8);
}

/* Colours premultiplied by alpha (DXT2, DXT4) are taken as they are. */
uint32_t dp2_format_block_argb(const struct format *format, const uint8_t *memory, uint32_t pitch_bytes, uint32_t x, uint32_t y)
{
    if (format->kind == FORMAT_KIND_YUV) {
        const uint8_t *pair = memory + (size_t)y * pitch_bytes + (size_t)(x / 2) * 4;
        int luma = format->variant ? (x & 1 ? 2 : 0) : (x & 1 ? 3 : 1);
        int chroma = format->variant ? 1 : 0;
        return yuv_argb(pair[luma], pair[chroma], pair[chroma + 2]);
    }
    uint32_t block_bytes = format->bits_per_pixel * 2u;
    const uint8_t *block = memory + (size_t)(y / 4) * pitch_bytes + (size_t)(x / 4) * block_bytes;
    uint32_t texel = (y & 3) * 4 + (x & 3);
    if (format->variant == 1)
        return dxt_color(block, texel, true);
    uint32_t color = dxt_color(block + 8, texel, false) & 0xFFFFFF;
    if (format->variant <= 3)
        return color | ((block[texel / 2] >> (texel & 1) * 4) & 15) * 17u << 24;
    return color | dxt5_alpha(block, texel) << 24;
}
