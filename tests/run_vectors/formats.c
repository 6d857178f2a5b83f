/* SPDX-License-Identifier: MIT
 * The formats that vectors name: sizes, and decoding of one element for expectations. */
#include <math.h>
#include <string.h>

#include "vector.h"

enum component_kind { KIND_FLOAT, KIND_UNORM, KIND_SNORM, KIND_UINT, KIND_SINT };

static const struct format_row {
    const char *name;
    DXGI_FORMAT format;
    uint8_t count, bits;
    uint8_t kind;
} rows[] = {
#define ROW(suffix, count, bits, kind) {#suffix, DXGI_FORMAT_##suffix, count, bits, kind}
    ROW(R32G32B32A32_FLOAT, 4, 32, KIND_FLOAT), ROW(R32G32B32A32_UINT, 4, 32, KIND_UINT),
    ROW(R32G32B32A32_SINT, 4, 32, KIND_SINT),   ROW(R32G32B32_FLOAT, 3, 32, KIND_FLOAT),
    ROW(R32G32B32_UINT, 3, 32, KIND_UINT),      ROW(R32G32B32_SINT, 3, 32, KIND_SINT),
    ROW(R16G16B16A16_FLOAT, 4, 16, KIND_FLOAT), ROW(R16G16B16A16_UNORM, 4, 16, KIND_UNORM),
    ROW(R16G16B16A16_UINT, 4, 16, KIND_UINT),   ROW(R16G16B16A16_SNORM, 4, 16, KIND_SNORM),
    ROW(R16G16B16A16_SINT, 4, 16, KIND_SINT),   ROW(R32G32_FLOAT, 2, 32, KIND_FLOAT),
    ROW(R32G32_UINT, 2, 32, KIND_UINT),         ROW(R32G32_SINT, 2, 32, KIND_SINT),
    ROW(R8G8B8A8_UNORM, 4, 8, KIND_UNORM),      ROW(R8G8B8A8_UNORM_SRGB, 4, 8, KIND_UNORM),
    ROW(R8G8B8A8_UINT, 4, 8, KIND_UINT),        ROW(R8G8B8A8_SNORM, 4, 8, KIND_SNORM),
    ROW(R8G8B8A8_SINT, 4, 8, KIND_SINT),        ROW(R16G16_FLOAT, 2, 16, KIND_FLOAT),
    ROW(R16G16_UNORM, 2, 16, KIND_UNORM),       ROW(R16G16_UINT, 2, 16, KIND_UINT),
    ROW(R16G16_SNORM, 2, 16, KIND_SNORM),       ROW(R16G16_SINT, 2, 16, KIND_SINT),
    ROW(R32_FLOAT, 1, 32, KIND_FLOAT),          ROW(R32_UINT, 1, 32, KIND_UINT),
    ROW(R32_SINT, 1, 32, KIND_SINT),            ROW(R8G8_UNORM, 2, 8, KIND_UNORM),
    ROW(R8G8_UINT, 2, 8, KIND_UINT),            ROW(R8G8_SNORM, 2, 8, KIND_SNORM),
    ROW(R8G8_SINT, 2, 8, KIND_SINT),            ROW(R16_FLOAT, 1, 16, KIND_FLOAT),
    ROW(R16_UNORM, 1, 16, KIND_UNORM),          ROW(R16_UINT, 1, 16, KIND_UINT),
    ROW(R16_SNORM, 1, 16, KIND_SNORM),          ROW(R16_SINT, 1, 16, KIND_SINT),
    ROW(R8_UNORM, 1, 8, KIND_UNORM),            ROW(R8_UINT, 1, 8, KIND_UINT),
    ROW(R8_SNORM, 1, 8, KIND_SNORM),            ROW(R8_SINT, 1, 8, KIND_SINT),
    ROW(D32_FLOAT, 1, 32, KIND_FLOAT),          ROW(D16_UNORM, 1, 16, KIND_UNORM),
#undef ROW
};

static const struct format_row *find(DXGI_FORMAT format)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].format == format)
            return &rows[i];
    return NULL;
}

DXGI_FORMAT format_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].format;
    return DXGI_FORMAT_UNKNOWN;
}

uint32_t format_bytes(DXGI_FORMAT format)
{
    const struct format_row *row = find(format);
    return row ? row->count * row->bits / 8 : 0;
}

static float half_to_float(uint32_t h)
{
    int exponent = h >> 10 & 31, mantissa = h & 1023;
    float sign = h & 0x8000 ? -1.0f : 1.0f;
    if (exponent == 31)
        return mantissa ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexpf((float)(1024 + mantissa), exponent - 25) : ldexpf((float)mantissa, -24));
}

static uint32_t float_word(float value)
{
    uint32_t word;
    memcpy(&word, &value, 4);
    return word;
}

static uint32_t decode_component(const struct format_row *row, uint32_t raw)
{
    int32_t is = row->bits == 32 ? (int32_t)raw : (int32_t)(raw << (32 - row->bits)) >> (32 - row->bits);
    switch (row->kind) {
    case KIND_FLOAT:
        return row->bits == 16 ? float_word(half_to_float(raw)) : raw;
    case KIND_UNORM:
        return float_word((float)((double)raw / (double)((1u << row->bits) - 1)));
    case KIND_SNORM: {
        double v = (double)is / (double)((1 << (row->bits - 1)) - 1);
        return float_word((float)(v < -1 ? -1 : v));
    }
    default:
        return row->kind == KIND_SINT ? (uint32_t)is : raw;
    }
}

void format_decode(DXGI_FORMAT format, const void *element, uint32_t out[4])
{
    const struct format_row *row = find(format);
    bool is_float = row && row->kind <= KIND_SNORM;
    out[0] = out[1] = out[2] = 0;
    out[3] = is_float ? 0x3f800000 : 1;
    for (int i = 0; row && i < row->count; i++) {
        uint32_t raw = 0;
        memcpy(&raw, (const char *)element + i * row->bits / 8, row->bits / 8);
        out[i] = decode_component(row, raw);
    }
}
