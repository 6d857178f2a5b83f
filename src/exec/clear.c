/* SPDX-License-Identifier: MIT
 * ClearUnorderedAccessView*, ClearRenderTargetView, ClearDepthStencilView: one element is made from the values, then
 * written over the view's box or the rectangles. */
#include "exec/copy.h"

#include <math.h>
#include <string.h>

#include "base/format.h"

enum { MAX_ELEMENT_BYTES = 16 };

/* Bits of the components in an element, for clears that write integers into any format. */
struct bit_field {
    uint8_t first[4], count[4]; /* R, G, B, A; count 0: absent */
};

static bool packed_fields(uint32_t layout, struct bit_field *field)
{
    static const struct bit_field fields[] = {
        [FORMAT_LAYOUT_BGRA8] = {{16, 8, 0, 24}, {8, 8, 8, 8}},
        [FORMAT_LAYOUT_BGRX8] = {{16, 8, 0, 0}, {8, 8, 8, 0}},
        [FORMAT_LAYOUT_A8] = {{0, 0, 0, 0}, {0, 0, 0, 8}},
        [FORMAT_LAYOUT_R10G10B10A2] = {{0, 10, 20, 30}, {10, 10, 10, 2}},
        [FORMAT_LAYOUT_XR_BIAS] = {{0, 10, 20, 30}, {10, 10, 10, 2}},
        [FORMAT_LAYOUT_R11G11B10] = {{0, 11, 22, 0}, {11, 11, 10, 0}},
        [FORMAT_LAYOUT_R9G9B9E5] = {{0, 9, 18, 27}, {9, 9, 9, 5}},
        [FORMAT_LAYOUT_B5G6R5] = {{11, 5, 0, 0}, {5, 6, 5, 0}},
        [FORMAT_LAYOUT_B5G5R5A1] = {{10, 5, 0, 15}, {5, 5, 5, 1}},
        [FORMAT_LAYOUT_B4G4R4A4] = {{8, 4, 0, 12}, {4, 4, 4, 4}},
        [FORMAT_LAYOUT_A4B4G4R4] = {{12, 8, 4, 0}, {4, 4, 4, 4}},
    };
    if (layout >= ARRAY_COUNT(fields))
        return false;
    *field = fields[layout];
    return field->count[0] || field->count[3];
}

static bool store_bits(uint32_t format, uint8_t *element, const uint32_t values[4])
{
    const struct format_info *info = format_get_info(format);
    uint32_t component_bytes = info->layout == FORMAT_LAYOUT_8    ? 1
                               : info->layout == FORMAT_LAYOUT_16 ? 2
                               : info->layout == FORMAT_LAYOUT_32 ? 4
                                                                  : 0;
    if (component_bytes) {
        for (uint32_t c = 0; c < info->channel_count; c++)
            memcpy(element + c * component_bytes, &values[c], component_bytes);
        return true;
    }
    struct bit_field field;
    if (!packed_fields(info->layout, &field))
        return false;
    uint32_t word = 0;
    for (uint32_t c = 0; c < 4; c++)
        if (field.count[c])
            word |= (values[c] & (uint32_t)((UINT64_C(1) << field.count[c]) - 1)) << field.first[c];
    memcpy(element, &word, info->block_bytes < 4 ? info->block_bytes : 4);
    return true;
}

static uint32_t integer_of(float value, bool is_signed)
{
    if (isnan(value))
        return 0;
    if (is_signed)
        return value <= -2147483648.0f   ? 0x80000000u
               : value >= 2147483647.0f ? 0x7fffffffu
                                         : (uint32_t)(int32_t)value;
    return value <= 0 ? 0 : value >= 4294967295.0f ? UINT32_MAX : (uint32_t)value;
}

/* values are float bits. */
static bool store_float(uint32_t format, uint8_t *element, const uint32_t values[4])
{
    const struct format_info *info = format_get_info(format);
    if (info->type != FORMAT_TYPE_UINT && info->type != FORMAT_TYPE_SINT)
        return format_store(format, element, values);
    uint32_t integers[4];
    for (uint32_t c = 0; c < 4; c++) {
        float value;
        memcpy(&value, &values[c], sizeof(value));
        integers[c] = integer_of(value, info->type == FORMAT_TYPE_SINT);
    }
    return format_store(format, element, integers);
}

static void fill(uint8_t *to, const uint8_t *element, uint32_t element_bytes, uint64_t count)
{
    bool same = true;
    for (uint32_t i = 1; i < element_bytes; i++)
        same &= element[i] == element[0];
    if (same) {
        memset(to, element[0], count * element_bytes);
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        memcpy(to + i * element_bytes, element, element_bytes);
}

static void clear_buffer(const struct exec_clear_view *clear)
{
    const struct abi_buffer_view *view = &clear->view.buffer;
    uint8_t *to = (uint8_t *)(uintptr_t)view->address;
    uint8_t element[MAX_ELEMENT_BYTES];
    uint32_t element_bytes = sizeof(uint32_t);
    bool stored = true;
    if (clear->view.kind == ABI_DESCRIPTOR_TYPED_BUFFER) {
        element_bytes = format_plane_bytes(clear->view.format, 0);
        stored = clear->clear_kind == EXEC_CLEAR_UAV_UINT ? store_bits(clear->view.format, element, clear->values)
                                                          : store_float(clear->view.format, element, clear->values);
    } else {
        memcpy(element, &clear->values[0], sizeof(uint32_t));
    }
    if (!to || !stored || !element_bytes)
        return;
    uint64_t count = view->size_bytes / element_bytes;
    if (!clear->rect_count)
        fill(to, element, element_bytes, count);
    for (uint32_t i = 0; i < clear->rect_count; i++) { /* rectangles of a buffer are ranges of elements */
        int64_t left = clear->rects[i].left > 0 ? clear->rects[i].left : 0;
        int64_t right = clear->rects[i].right < (int64_t)count ? clear->rects[i].right : (int64_t)count;
        if (left < right && clear->rects[i].top < clear->rects[i].bottom)
            fill(to + left * element_bytes, element, element_bytes, (uint64_t)(right - left));
    }
}

static uint32_t clip(int32_t value, uint32_t limit)
{
    return value < 0 ? 0 : (uint32_t)value < limit ? (uint32_t)value : limit;
}

/* element: one sample; all samples of a texel are written. */
static void clear_surface_rect(const struct exec_surface *surface, const struct exec_rect *rect, uint32_t z,
                               const uint8_t *element, uint32_t sample_bytes)
{
    uint32_t left = clip(rect->left, surface->width), right = clip(rect->right, surface->width);
    uint32_t top = clip(rect->top, surface->height), bottom = clip(rect->bottom, surface->height);
    uint32_t samples = surface->element_bytes / sample_bytes;
    for (uint32_t y = top; y < bottom && left < right; y++)
        fill(surface->base + z * surface->slice_pitch + y * surface->row_pitch +
                 (uint64_t)left * surface->element_bytes,
             element, sample_bytes, (uint64_t)(right - left) * samples);
}

static void clear_surface(const struct exec_clear_view *clear, const struct exec_surface *surface, uint32_t z,
                          const uint8_t *element, uint32_t sample_bytes)
{
    static const struct exec_rect everything = {0, 0, INT32_MAX, INT32_MAX};
    if (!clear->rect_count)
        clear_surface_rect(surface, &everything, z, element, sample_bytes);
    for (uint32_t i = 0; i < clear->rect_count; i++)
        clear_surface_rect(surface, &clear->rects[i], z, element, sample_bytes);
}

/* Every slice of the view with one element. Depth slices of 3D textures are slices of the view. */
static void clear_texture(const struct exec_clear_view *clear, uint32_t plane, const uint8_t *element)
{
    const struct abi_texture_view *view = &clear->view.texture;
    const struct abi_texture *texture = view->texture;
    bool is_3d = texture->dimension == 3;
    for (uint32_t i = 0; i < view->slice_count; i++) {
        uint32_t slice = view->first_slice + i;
        struct exec_surface surface;
        if (!exec_surface_of_texture(texture, view->first_mip, is_3d ? 0 : slice, plane, &surface))
            return;
        if (is_3d && slice >= surface.depth)
            return;
        clear_surface(clear, &surface, is_3d ? slice : 0, element, surface.element_bytes / texture->sample_count);
    }
}

static void clear_depth_stencil(const struct exec_clear_view *clear)
{
    enum { CLEAR_DEPTH = 1, CLEAR_STENCIL = 2 }; /* D3D12_CLEAR_FLAGS */
    const struct abi_texture *texture = clear->view.texture.texture;
    uint8_t element[MAX_ELEMENT_BYTES] = {0};
    if (clear->clear_flags & CLEAR_DEPTH) {
        uint32_t values[4] = {clear->values[0], 0, 0, 0};
        uint32_t format = clear->view.format;
        const struct format_info *info = format_get_info(format);
        if (info->layout == FORMAT_LAYOUT_D24S8) {
            float depth;
            memcpy(&depth, &values[0], sizeof(depth));
            depth = depth > 1 ? 1 : depth > 0 ? depth : 0;
            uint32_t word = (uint32_t)(depth * 16777215.0 + 0.5);
            memcpy(element, &word, sizeof(word));
            clear_texture(clear, 0, element);
        } else if (info->layout == FORMAT_LAYOUT_D32S8) {
            memcpy(element, &values[0], sizeof(values[0]));
            clear_texture(clear, 0, element);
        } else if (store_float(format, element, values)) {
            clear_texture(clear, 0, element);
        }
    }
    if ((clear->clear_flags & CLEAR_STENCIL) && texture->plane_count > 1) {
        element[0] = (uint8_t)clear->values[1];
        clear_texture(clear, 1, element);
    }
}

void exec_clear_view_run(const struct exec_clear_view *clear)
{
    uint8_t element[MAX_ELEMENT_BYTES] = {0};
    bool is_texture = clear->view.kind == ABI_DESCRIPTOR_TEXTURE || clear->view.kind == ABI_DESCRIPTOR_RTV ||
                      clear->view.kind == ABI_DESCRIPTOR_DSV;
    if (!is_texture) {
        clear_buffer(clear);
        return;
    }
    if (!clear->view.texture.texture) /* null descriptor */
        return;
    if (clear->clear_kind == EXEC_CLEAR_DSV) {
        clear_depth_stencil(clear);
        return;
    }
    bool stored = clear->clear_kind == EXEC_CLEAR_UAV_UINT ? store_bits(clear->view.format, element, clear->values)
                                                           : store_float(clear->view.format, element, clear->values);
    if (stored)
        clear_texture(clear, clear->view.texture.plane, element);
}
