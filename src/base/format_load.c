/* SPDX-License-Identifier: MIT
 * One element of memory to four components (base/format.h): D3D11.3 functional specification 3.2.3. */
#include <string.h>

#include "base/format.h"
#include "base/format_pack.h"
#include "base/format_srgb.h"
#include "base/half.h"

static uint32_t one_of(const struct format_info *info)
{
    bool integer = info->type == FORMAT_TYPE_UINT || info->type == FORMAT_TYPE_SINT;
    return integer ? 1 : 0x3f800000;
}

/* width bits of a component to its 32-bit word. */
static uint32_t convert_bits(uint32_t type, uint32_t bits, uint32_t width)
{
    uint32_t top = 1u << (width - 1);
    uint32_t extended = (bits ^ top) - top; /* sign extended */
    switch (type) {
    case FORMAT_TYPE_UNORM:
    case FORMAT_TYPE_SRGB:
        return half_bits_of_float((float)((double)bits / (double)(top * 2.0 - 1.0)));
    case FORMAT_TYPE_SNORM: {
        double value = (double)(int32_t)extended / (double)(top - 1);
        return half_bits_of_float((float)(value < -1.0 ? -1.0 : value));
    }
    case FORMAT_TYPE_SINT:
        return extended;
    case FORMAT_TYPE_FLOAT:
        return width == 16 ? half_bits_of_float(half_to_float((uint16_t)bits)) : bits;
    default:
        return bits;
    }
}

static void load_bytes(const struct format_info *info, const uint8_t *element, uint32_t out[4])
{
    for (uint32_t i = 0; i < info->channel_count; i++) {
        uint32_t bits = element[i];
        if (info->type == FORMAT_TYPE_SRGB && i < 3)
            out[i] = half_bits_of_float(format_srgb_to_linear[bits]);
        else
            out[i] = convert_bits(info->type, bits, 8);
    }
}

static void load_words(const struct format_info *info, const uint8_t *element, uint32_t out[4])
{
    for (uint32_t i = 0; i < info->channel_count; i++) {
        uint16_t bits;
        memcpy(&bits, element + 2 * i, 2);
        out[i] = convert_bits(info->type, bits, 16);
    }
}

static void load_packed(const struct format_info *info, const uint8_t *element, const struct format_fields *fields,
                        uint32_t out[4])
{
    uint32_t word = 0;
    memcpy(&word, element, info->block_bytes);
    for (uint32_t i = 0; i < 4; i++)
        if (fields->width[i])
            out[i] = convert_bits(info->type, word >> fields->shift[i] & ((1u << fields->width[i]) - 1), fields->width[i]);
}

static void load_bgra(const struct format_info *info, const uint8_t *element, uint32_t out[4])
{
    uint8_t swapped[4] = {element[2], element[1], element[0], element[3]};
    load_bytes(info, swapped, out); /* X: three channels, alpha stays 1 */
}

static void load_xr_bias(const uint8_t *element, uint32_t out[4])
{
    uint32_t word;
    memcpy(&word, element, 4);
    for (uint32_t i = 0; i < 3; i++)
        out[i] = half_bits_of_float((float)((int32_t)(word >> 10 * i & 0x3ff) - 0x180) / 510.0f);
    out[3] = half_bits_of_float((float)(word >> 30) / 3.0f);
}

static bool has_alpha(const struct format_info *info)
{
    return info->channel_count == 4 || info->layout == FORMAT_LAYOUT_A8;
}

void format_default(uint32_t format, uint32_t out[4])
{
    const struct format_info *info = format_get_info(format);
    out[0] = out[1] = out[2] = 0;
    out[3] = has_alpha(info) ? 0 : one_of(info);
}

void format_load(uint32_t format, const void *element, uint32_t out[4])
{
    const struct format_info *info = format_get_info(format);
    const struct format_fields *fields = format_fields_of_layout(info->layout);
    out[0] = out[1] = out[2] = 0;
    out[3] = 0;
    if (info->type < FORMAT_TYPE_FLOAT || info->block_bytes == 0)
        return;
    out[3] = one_of(info);
    uint32_t word = 0;
    if (fields) {
        load_packed(info, element, fields, out);
        return;
    }
    switch (info->layout) {
    case FORMAT_LAYOUT_8:
        load_bytes(info, element, out);
        break;
    case FORMAT_LAYOUT_16:
        load_words(info, element, out);
        break;
    case FORMAT_LAYOUT_32:
        memcpy(out, element, 4u * info->channel_count);
        break;
    case FORMAT_LAYOUT_BGRA8:
    case FORMAT_LAYOUT_BGRX8:
        load_bgra(info, element, out);
        break;
    case FORMAT_LAYOUT_A8:
        out[3] = convert_bits(info->type, *(const uint8_t *)element, 8);
        break;
    case FORMAT_LAYOUT_XR_BIAS:
        load_xr_bias(element, out);
        break;
    case FORMAT_LAYOUT_R11G11B10:
        memcpy(&word, element, 4);
        format_unpack_r11g11b10(word, out);
        break;
    case FORMAT_LAYOUT_R9G9B9E5:
        memcpy(&word, element, 4);
        format_unpack_r9g9b9e5(word, out);
        break;
    case FORMAT_LAYOUT_D32S8:
        memcpy(out, element, 4);
        break;
    case FORMAT_LAYOUT_STENCIL_G:
        out[1] = *(const uint8_t *)element;
        break;
    default: /* blocks */
        out[3] = 0;
        break;
    }
}

void format_load_float(uint32_t format, const void *element, float out[4])
{
    uint32_t words[4];
    format_load(format, element, words);
    uint32_t type = format_get_info(format)->type;
    for (uint32_t i = 0; i < 4; i++) {
        if (type == FORMAT_TYPE_UINT)
            out[i] = (float)words[i];
        else if (type == FORMAT_TYPE_SINT)
            out[i] = (float)(int32_t)words[i];
        else
            out[i] = half_float_of_bits(words[i]);
    }
}
