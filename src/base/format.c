/* SPDX-License-Identifier: MIT
 * The format table and its queries (base/format.h). Conversion of elements: format_load.c, format_store.c; blocks:
 * format_bc.c. */
#include "base/format.h"

#include <stddef.h>

#define ROW(number, name, family, type, layout, channels, bytes, width, height, planes, flags)               \
    [number] = {#name, FORMAT_##family, FORMAT_TYPE_##type, FORMAT_LAYOUT_##layout, channels, bytes, width, height, \
                planes, flags},
static const struct format_info formats[FORMAT_COUNT] = {
    [0] = {"UNKNOWN", 0, FORMAT_TYPE_NONE, FORMAT_LAYOUT_NONE, 0, 0, 1, 1, 1, 0},
    FORMAT_LIST(ROW)
};
static const struct format_info no_format = {NULL, 0, FORMAT_TYPE_NONE, FORMAT_LAYOUT_NONE, 0, 0, 1, 1, 1, 0};

const struct format_info *format_get_info(uint32_t format)
{
    return format < FORMAT_COUNT && formats[format].name ? &formats[format] : &no_format;
}

uint32_t format_plane_bytes(uint32_t format, uint32_t plane)
{
    const struct format_info *info = format_get_info(format);
    if (plane >= info->plane_count)
        return 0;
    return plane == 0 ? info->block_bytes : 1; /* plane 1 is always stencil */
}

bool format_is_supported(uint32_t format)
{
    return format_get_info(format)->block_bytes != 0;
}

static bool is_typed(const struct format_info *info)
{
    return info->block_bytes != 0 && info->type >= FORMAT_TYPE_FLOAT;
}

static bool is_integer(const struct format_info *info)
{
    return info->type == FORMAT_TYPE_UINT || info->type == FORMAT_TYPE_SINT;
}

bool format_can_load(uint32_t format)
{
    const struct format_info *info = format_get_info(format);
    return is_typed(info) && !(info->flags & FORMAT_FLAG_DEPTH);
}

bool format_can_sample(uint32_t format)
{
    return format_can_load(format) && !is_integer(format_get_info(format));
}

bool format_can_store(uint32_t format)
{
    const struct format_info *info = format_get_info(format);
    if (!is_typed(info) || info->flags || info->type == FORMAT_TYPE_SRGB)
        return false;
    return info->layout != FORMAT_LAYOUT_R9G9B9E5 && info->layout != FORMAT_LAYOUT_XR_BIAS &&
           !(info->layout == FORMAT_LAYOUT_32 && info->channel_count == 3);
}

bool format_can_load_uav(uint32_t format)
{
    return format_can_store(format);
}

bool format_can_buffer(uint32_t format)
{
    const struct format_info *info = format_get_info(format);
    if (!is_typed(info) || info->flags || info->type == FORMAT_TYPE_SRGB)
        return false;
    return info->layout != FORMAT_LAYOUT_R9G9B9E5 && info->layout != FORMAT_LAYOUT_XR_BIAS;
}

bool format_can_atomic(uint32_t format)
{
    return format == FORMAT_R32_UINT || format == FORMAT_R32_SINT || format == FORMAT_R32G32_UINT;
}

bool format_can_render(uint32_t format)
{
    const struct format_info *info = format_get_info(format);
    return is_typed(info) && !info->flags && info->layout != FORMAT_LAYOUT_R9G9B9E5;
}
