/* SPDX-License-Identifier: MIT
 * Four components to one element of memory (base/format.h): D3D11.3 functional specification 3.2.3. */
#include <string.h>

#include "base/format.h"
#include "base/format_pack.h"
#include "base/format_srgb.h"
#include "base/half.h"

/* A component's word to width bits: clamped and rounded to nearest. */
static uint32_t convert_word(uint32_t type, uint32_t word, uint32_t width)
{
    double unsigned_scale = (double)(1ull << width) - 1.0, signed_scale = (double)(1ull << (width - 1)) - 1.0;
    uint32_t mask = (uint32_t)((1ull << width) - 1);
    float x = half_float_of_bits(word);
    switch (type) {
    case FORMAT_TYPE_UNORM:
    case FORMAT_TYPE_SRGB:
        x = x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
        return (uint32_t)((double)x * unsigned_scale + 0.5);
    case FORMAT_TYPE_SNORM: {
        x = x > -1.0f ? (x < 1.0f ? x : 1.0f) : x <= -1.0f ? -1.0f : 0.0f; /* NaN: 0 */
        double scaled = (double)x * signed_scale;
        return (uint32_t)(int32_t)(scaled + (scaled < 0.0 ? -0.5 : 0.5)) & mask;
    }
    case FORMAT_TYPE_UINT:
        return word < mask ? word : mask;
    case FORMAT_TYPE_SINT: {
        int64_t high = (int64_t)(mask >> 1), value = (int32_t)word;
        value = value > high ? high : value < -high - 1 ? -high - 1 : value;
        return (uint32_t)value & mask;
    }
    default:
        return width == 16 ? half_from_float_toward_zero(x) : word;
    }
}

static void store_bytes(const struct format_info *info, uint8_t *element, const uint32_t in[4])
{
    for (uint32_t i = 0; i < info->channel_count; i++) {
        if (info->type == FORMAT_TYPE_SRGB && i < 3)
            element[i] = (uint8_t)format_linear_to_srgb(half_float_of_bits(in[i]));
        else
            element[i] = (uint8_t)convert_word(info->type, in[i], 8);
    }
}

static void store_bgra(const struct format_info *info, uint8_t *element, const uint32_t in[4])
{
    uint8_t rgba[4] = {0, 0, 0, 255};
    store_bytes(info, rgba, in);
    element[0] = rgba[2];
    element[1] = rgba[1];
    element[2] = rgba[0];
    element[3] = rgba[3];
}

static void store_fields(const struct format_info *info, uint8_t *element, const struct format_fields *fields,
                         const uint32_t in[4])
{
    uint32_t word = 0;
    if (info->layout == FORMAT_LAYOUT_D24S8) { /* the high byte is nobody's */
        memcpy(&word, element, 4);
        word &= 0xff000000;
    }
    for (uint32_t i = 0; i < 4; i++)
        if (fields->width[i])
            word |= convert_word(info->type, in[i], fields->width[i]) << fields->shift[i];
    memcpy(element, &word, info->block_bytes);
}

static void store_xr_bias(uint8_t *element, const uint32_t in[4])
{
    uint32_t word = convert_word(FORMAT_TYPE_UNORM, in[3], 2) << 30;
    for (uint32_t i = 0; i < 3; i++) {
        float x = half_float_of_bits(in[i]);
        double scaled = (x == x ? (double)x : 0.0) * 510.0 + 0x180 + 0.5;
        scaled = scaled > 0.0 ? (scaled < 1023.0 ? scaled : 1023.0) : 0.0;
        word |= (uint32_t)scaled << 10 * i;
    }
    memcpy(element, &word, 4);
}

bool format_store(uint32_t format, void *element, const uint32_t in[4])
{
    const struct format_info *info = format_get_info(format);
    const struct format_fields *fields = format_fields_of_layout(info->layout);
    if (info->type < FORMAT_TYPE_FLOAT || info->block_bytes == 0)
        return false;
    uint32_t word;
    if (fields) {
        store_fields(info, element, fields, in);
        return true;
    }
    switch (info->layout) {
    case FORMAT_LAYOUT_8:
        store_bytes(info, element, in);
        return true;
    case FORMAT_LAYOUT_16:
        for (uint32_t i = 0; i < info->channel_count; i++) {
            uint16_t bits = (uint16_t)convert_word(info->type, in[i], 16);
            memcpy((uint8_t *)element + 2 * i, &bits, 2);
        }
        return true;
    case FORMAT_LAYOUT_32:
        memcpy(element, in, 4u * info->channel_count);
        return true;
    case FORMAT_LAYOUT_BGRA8:
    case FORMAT_LAYOUT_BGRX8:
        store_bgra(info, element, in);
        return true;
    case FORMAT_LAYOUT_A8:
        *(uint8_t *)element = (uint8_t)convert_word(info->type, in[3], 8);
        return true;
    case FORMAT_LAYOUT_XR_BIAS:
        store_xr_bias(element, in);
        return true;
    case FORMAT_LAYOUT_R11G11B10:
        word = format_pack_r11g11b10(in);
        memcpy(element, &word, 4);
        return true;
    case FORMAT_LAYOUT_R9G9B9E5:
        word = format_pack_r9g9b9e5(in);
        memcpy(element, &word, 4);
        return true;
    case FORMAT_LAYOUT_D32S8:
        memcpy(element, in, 4);
        return true;
    case FORMAT_LAYOUT_STENCIL_G:
        *(uint8_t *)element = (uint8_t)convert_word(info->type, in[1], 8);
        return true;
    default:
        return false;
    }
}
