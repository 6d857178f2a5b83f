/* SPDX-License-Identifier: MIT
 * ResolveSubresource and ResolveSubresourceRegion: the samples of each texel become one. */
#include "exec/copy.h"

#include <string.h>

#include "base/format.h"

enum resolve_mode { /* D3D12_RESOLVE_MODE */
    RESOLVE_MODE_DECOMPRESS = 0,
    RESOLVE_MODE_MIN = 1,
    RESOLVE_MODE_MAX = 2,
    RESOLVE_MODE_AVERAGE = 3,
};

enum status exec_resolve_check(const struct exec_resolve_subresource *resolve, struct reason *reason)
{
    const struct abi_texture *to = resolve->destination.texture, *from = resolve->source.texture;
    const struct format_info *info = format_get_info(resolve->format);
    if (to->sample_count != 1)
        return reason_set(reason, STATUS_INVALID, "pDstResource has %u samples, it must have one", to->sample_count);
    if (format_get_info(to->format)->family != info->family || format_get_info(from->format)->family != info->family)
        return reason_set(reason, STATUS_INVALID, "Format %s does not fit to the formats %u and %u of the resources",
                          info->name ? info->name : "UNKNOWN", to->format, from->format);
    if (info->type == FORMAT_TYPE_TYPELESS || info->type == FORMAT_TYPE_NONE || info->block_width != 1)
        return reason_set(reason, STATUS_INVALID, "Format %s is typeless or compressed, it cannot be resolved",
                          info->name ? info->name : "UNKNOWN");
    struct exec_surface destination, source;
    if (!exec_surface_of(&resolve->destination, &destination) || !exec_surface_of(&resolve->source, &source))
        return reason_set(reason, STATUS_INVALID, "Format %u is not supported", resolve->format);
    const struct exec_box *box = &resolve->box;
    if (box->right > source.width || box->bottom > source.height || box->left > box->right || box->top > box->bottom)
        return reason_set(reason, STATUS_INVALID, "the source rectangle (%u, %u, %u, %u) leaves the %u x %u source",
                          box->left, box->top, box->right, box->bottom, source.width, source.height);
    if ((uint64_t)resolve->x + box->right - box->left > destination.width ||
        (uint64_t)resolve->y + box->bottom - box->top > destination.height)
        return reason_set(reason, STATUS_INVALID, "the rectangle at (%u, %u) leaves the %u x %u destination",
                          resolve->x, resolve->y, destination.width, destination.height);
    return STATUS_OK;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static float combine_float(float a, float b, uint32_t mode)
{
    if (mode == RESOLVE_MODE_MIN)
        return b < a ? b : a;
    if (mode == RESOLVE_MODE_MAX)
        return b > a ? b : a;
    return a + b;
}

static uint32_t combine_integer(uint32_t a, uint32_t b, uint32_t mode, bool is_signed)
{
    bool less = is_signed ? (int32_t)b < (int32_t)a : b < a;
    if (mode == RESOLVE_MODE_MIN)
        return less ? b : a;
    if (mode == RESOLVE_MODE_MAX)
        return less ? a : b;
    return a; /* averages of integers are not defined: the first sample */
}

static void resolve_texel(const struct exec_resolve_subresource *resolve, uint32_t sample_count,
                          const uint8_t *samples, uint32_t sample_bytes, uint8_t *out)
{
    const struct format_info *info = format_get_info(resolve->format);
    bool is_integer = info->type == FORMAT_TYPE_UINT || info->type == FORMAT_TYPE_SINT;
    bool is_signed = info->type == FORMAT_TYPE_SINT;
    uint32_t sum[4];
    format_load(resolve->format, samples, sum);
    for (uint32_t sample = 1; sample < sample_count; sample++) {
        uint32_t value[4];
        format_load(resolve->format, samples + sample * sample_bytes, value);
        for (uint32_t c = 0; c < 4; c++) {
            float f = combine_float(float_of(sum[c]), float_of(value[c]), resolve->mode);
            if (is_integer)
                sum[c] = combine_integer(sum[c], value[c], resolve->mode, is_signed);
            else
                memcpy(&sum[c], &f, sizeof(f));
        }
    }
    bool average = !is_integer && resolve->mode != RESOLVE_MODE_MIN && resolve->mode != RESOLVE_MODE_MAX;
    for (uint32_t c = 0; c < 4 && average; c++) {
        float mean = float_of(sum[c]) / (float)sample_count;
        memcpy(&sum[c], &mean, sizeof(mean));
    }
    format_store(resolve->format, out, sum);
}

void exec_resolve_run(const struct exec_resolve_subresource *resolve)
{
    struct exec_surface to, from;
    if (!exec_surface_of(&resolve->destination, &to) || !exec_surface_of(&resolve->source, &from))
        return;
    const struct exec_box *box = &resolve->box;
    uint32_t sample_count = resolve->source.texture->sample_count;
    uint32_t sample_bytes = from.element_bytes / sample_count;
    for (uint32_t y = box->top; y < box->bottom; y++)
        for (uint32_t x = box->left; x < box->right; x++) {
            const uint8_t *samples = from.base + y * from.row_pitch + (uint64_t)x * from.element_bytes;
            uint8_t *out = to.base + (resolve->y + y - box->top) * to.row_pitch +
                           (uint64_t)(resolve->x + x - box->left) * to.element_bytes;
            if (sample_count == 1)
                memcpy(out, samples, sample_bytes);
            else
                resolve_texel(resolve, sample_count, samples, sample_bytes, out);
        }
}
