/* SPDX-License-Identifier: MIT
 * Reading one level of a texture at one place (ops/filter.h): addressing, footprints, borders, cube seams, reductions.
 * D3D11.3 functional specification 7.18.5 to 7.18.9, 7.18.12. */
#include "ops/filter.h"

/* The two texels of one axis and the share of the second; -1: border. */
struct axis {
    int32_t index[2];
    float weight;
};

/* Exact where it matters, below 2^30. */
OPS_HELPER float floor_small(float x)
{
#ifdef __SSE4_1__
    return __builtin_floorf(x);
#endif
    float whole = (float)(int32_t)x;
    return whole - (whole > x ? 1.0f : 0.0f);
}

/* Removes tiling, so that texel numbers stay small and precise. NaN gives 0. */
OPS_HELPER float reduce_range(float u, uint32_t mode)
{
    if (mode == FILTER_ADDRESS_WRAP || mode == FILTER_ADDRESS_MIRROR) {
        float scale = mode == FILTER_ADDRESS_MIRROR ? 2.0f : 1.0f;
        float tiles = u * (mode == FILTER_ADDRESS_MIRROR ? 0.5f : 1.0f);
        if (!(__builtin_fabsf(tiles) < 0x1p23f)) /* whole, infinite or NaN */
            return 0.0f;
        return (tiles - floor_small(tiles)) * scale;
    }
    u = u < 10.0f ? u : 10.0f;
    return u > -10.0f ? u : u == u ? -10.0f : 0.0f;
}

static int32_t wrap_outside(int32_t i, int32_t size, uint32_t mode)
{
    switch (mode) {
    case FILTER_ADDRESS_WRAP:
        i %= size;
        return i < 0 ? i + size : i;
    case FILTER_ADDRESS_MIRROR: {
        i = i < 0 ? ~i : i;
        int32_t tile = i / size;
        i -= tile * size;
        return tile & 1 ? size - 1 - i : i;
    }
    case FILTER_ADDRESS_BORDER:
        return -1;
    case FILTER_ADDRESS_MIRROR_ONCE:
        i = i < 0 ? ~i : i;
        break;
    default:
        break;
    }
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}

OPS_HELPER int32_t wrap_index(int32_t i, int32_t size, uint32_t mode)
{
    return (uint32_t)i < (uint32_t)size ? i : wrap_outside(i, size, mode);
}

OPS_HELPER struct axis axis_linear(const struct filter *filter, uint32_t axis, int32_t size)
{
    uint32_t mode = filter->sampler->address[axis];
    float scaled = reduce_range(filter->coord[axis], mode) * (float)size - 0.5f;
    float whole = floor_small(scaled);
    uint32_t first = (uint32_t)(int32_t)whole + (uint32_t)filter->offset[axis];
    return (struct axis){{wrap_index((int32_t)first, size, mode), wrap_index((int32_t)(first + 1), size, mode)}, scaled - whole};
}

OPS_HELPER int32_t axis_point(const struct filter *filter, uint32_t axis, int32_t size)
{
    uint32_t mode = filter->sampler->address[axis];
    float scaled = reduce_range(filter->coord[axis], mode) * (float)size;
    uint32_t index = (uint32_t)(int32_t)floor_small(scaled) + (uint32_t)filter->offset[axis];
    return wrap_index((int32_t)index, size, mode);
}

static float clamp_border(float x, uint32_t type)
{
    if (type == FORMAT_TYPE_UNORM || type == FORMAT_TYPE_SRGB)
        return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
    if (type == FORMAT_TYPE_SNORM)
        return x > -1.0f ? (x < 1.0f ? x : 1.0f) : -1.0f;
    return x;
}

vec4 filter_border(const struct filter *filter)
{
    const struct format_info *info = format_get_info(filter->view.format);
    uint32_t words[4], defaults[4];
    format_default(filter->view.format, defaults);
    for (uint32_t c = 0; c < 4; c++) {
        bool is_there = c < info->channel_count && info->layout != FORMAT_LAYOUT_A8;
        if (info->layout == FORMAT_LAYOUT_A8)
            is_there = c == 3;
        words[c] = is_there ? float_bits(clamp_border(bits_float(filter->sampler->border[c]), info->type)) : defaults[c];
        if (is_there && filter->sampler->border_is_uint)
            words[c] = filter->sampler->border[c];
    }
    vec4 border;
    memcpy(&border, words, 16);
    return border;
}

OPS_HELPER vec4 lerp(vec4 a, vec4 b, float weight)
{
    return a + (b - a) * weight;
}

OPS_HELPER vec4 bilinear_kind(const struct texel_level *level, uint32_t kind, struct axis x, struct axis y)
{
    vec4 t00 = texel_fetch_kind(level, kind, x.index[0], y.index[0], 0);
    vec4 t10 = texel_fetch_kind(level, kind, x.index[1], y.index[0], 0);
    vec4 t01 = texel_fetch_kind(level, kind, x.index[0], y.index[1], 0);
    vec4 t11 = texel_fetch_kind(level, kind, x.index[1], y.index[1], 0);
    return lerp(lerp(t00, t10, x.weight), lerp(t01, t11, x.weight), y.weight);
}

/* The common case, with the readers of the common formats inlined. */
static vec4 bilinear(const struct texel_level *level, struct axis x, struct axis y)
{
    switch (level->kind) {
    case TEXEL_KIND_RGBA8:
        return bilinear_kind(level, TEXEL_KIND_RGBA8, x, y);
    case TEXEL_KIND_RGBA8_SRGB:
        return bilinear_kind(level, TEXEL_KIND_RGBA8_SRGB, x, y);
    case TEXEL_KIND_BGRA8:
        return bilinear_kind(level, TEXEL_KIND_BGRA8, x, y);
    case TEXEL_KIND_RGBA32:
        return bilinear_kind(level, TEXEL_KIND_RGBA32, x, y);
    default:
        return bilinear_kind(level, level->kind, x, y);
    }
}

static vec4 fetch_or_border(const struct filter *filter, const struct texel_level *level, int32_t x, int32_t y, int32_t z)
{
    if ((x | y | z) < 0)
        return filter_border(filter);
    return texel_fetch_kind(level, level->kind, x, y, z);
}

static const struct axis no_axis = {{0, 0}, 0.0f};

static void footprint_plain(const struct filter *filter, const struct texel_level *level, struct filter_taps *taps)
{
    struct axis x = axis_linear(filter, 0, level->width);
    struct axis y = filter->axes > 1 ? axis_linear(filter, 1, level->height) : no_axis;
    struct axis z = filter->axes > 2 ? axis_linear(filter, 2, level->depth) : no_axis;
    taps->count = 1u << filter->axes;
    for (uint32_t i = 0; i < taps->count; i++) {
        uint32_t xi = i & 1, yi = i >> 1 & 1, zi = i >> 2;
        taps->texel[i] = fetch_or_border(filter, level, x.index[xi], y.index[yi], z.index[zi]);
        taps->weight[i] = (xi ? x.weight : 1.0f - x.weight) * (yi ? y.weight : 1.0f - y.weight) *
                          (zi ? z.weight : 1.0f - z.weight);
    }
}

static vec4 fetch_across_edge(const struct filter *filter, uint32_t mip, uint32_t face, int32_t x, int32_t y, int32_t size)
{
    if ((uint32_t)x >= (uint32_t)size || (uint32_t)y >= (uint32_t)size)
        face = cube_neighbour(face, size, &x, &y);
    struct texel_level level;
    texel_level_init(&level, &filter->view, mip, filter->slice + face);
    return texel_fetch_kind(&level, level.kind, x, y, 0);
}

/* A texel beyond a corner of the cube is the mean of the three that meet there: its weight goes to them. */
static void footprint_cube(const struct filter *filter, uint32_t mip, int32_t size, struct filter_taps *taps)
{
    float scaled[2], whole[2];
    uint32_t missing = 4;
    for (uint32_t a = 0; a < 2; a++) {
        float coord = filter->coord[a] == filter->coord[a] ? filter->coord[a] : 0.0f;
        scaled[a] = coord * (float)size - 0.5f;
        whole[a] = floor_small(scaled[a]);
    }
    float wx = scaled[0] - whole[0], wy = scaled[1] - whole[1];
    taps->count = 4;
    for (uint32_t i = 0; i < 4; i++) {
        int32_t x = (int32_t)whole[0] + (int32_t)(i & 1), y = (int32_t)whole[1] + (int32_t)(i >> 1);
        taps->weight[i] = (i & 1 ? wx : 1.0f - wx) * (i >> 1 ? wy : 1.0f - wy);
        if ((uint32_t)x >= (uint32_t)size && (uint32_t)y >= (uint32_t)size)
            missing = i;
        else
            taps->texel[i] = fetch_across_edge(filter, mip, filter->face, x, y, size);
    }
    if (missing == 4)
        return;
    vec4 mean = {0, 0, 0, 0};
    for (uint32_t i = 0; i < 4; i++) {
        if (i == missing)
            continue;
        taps->weight[i] += taps->weight[missing] / 3.0f;
        mean += taps->texel[i];
    }
    taps->weight[missing] = 0.0f;
    taps->texel[missing] = mean / 3.0f;
}

void filter_footprint(const struct filter *filter, uint32_t mip, struct filter_taps *taps)
{
    struct texel_level level;
    texel_level_init(&level, &filter->view, mip, filter->slice + filter->face);
    if (filter->is_cube)
        footprint_cube(filter, mip, level.width, taps);
    else
        footprint_plain(filter, &level, taps);
}

bool filter_compare(uint32_t comparison, float reference, float texel)
{
    switch (comparison) { /* D3D12_COMPARISON_FUNC */
    case 2:
        return reference < texel;
    case 3:
        return reference == texel;
    case 4:
        return reference <= texel;
    case 5:
        return reference > texel;
    case 6:
        return reference != texel;
    case 7:
        return reference >= texel;
    case 8:
        return true;
    default:
        return false;
    }
}

static vec4 choose_extreme(vec4 a, vec4 b, bool minimum)
{
    for (int i = 0; i < 4; i++)
        a[i] = minimum ? (b[i] < a[i] ? b[i] : a[i]) : (b[i] > a[i] ? b[i] : a[i]);
    return a;
}

static vec4 reduce_taps(const struct filter *filter, const struct filter_taps *taps)
{
    vec4 sum = {0, 0, 0, 0};
    bool is_first = true;
    for (uint32_t i = 0; i < taps->count; i++) {
        float weight = taps->weight[i];
        if (!(weight > 0.0f))
            continue;
        if (filter->reduction == FILTER_REDUCTION_STANDARD)
            sum += taps->texel[i] * weight;
        else if (filter->reduction == FILTER_REDUCTION_COMPARISON)
            sum[0] += filter_compare(filter->comparison, filter->reference, taps->texel[i][0]) ? weight : 0.0f;
        else
            sum = is_first ? taps->texel[i]
                           : choose_extreme(sum, taps->texel[i], filter->reduction == FILTER_REDUCTION_MINIMUM);
        is_first = false;
    }
    return sum;
}

static vec4 point_level(const struct filter *filter, const struct texel_level *level)
{
    int32_t x, y = 0, z = 0;
    if (filter->is_cube) {
        x = (int32_t)(filter->coord[0] * (float)level->width);
        y = (int32_t)(filter->coord[1] * (float)level->width);
        x = x < 0 ? 0 : x >= level->width ? level->width - 1 : x;
        y = y < 0 ? 0 : y >= level->width ? level->width - 1 : y;
    } else {
        x = axis_point(filter, 0, level->width);
        y = filter->axes > 1 ? axis_point(filter, 1, level->height) : 0;
        z = filter->axes > 2 ? axis_point(filter, 2, level->depth) : 0;
    }
    vec4 texel = fetch_or_border(filter, level, x, y, z);
    if (filter->reduction != FILTER_REDUCTION_COMPARISON)
        return texel;
    return (vec4){filter_compare(filter->comparison, filter->reference, texel[0]) ? 1.0f : 0.0f, 0, 0, 0};
}

vec4 filter_level(const struct filter *filter, uint32_t mip, bool is_linear)
{
    struct texel_level level;
    texel_level_init(&level, &filter->view, mip, filter->slice + filter->face);
    if (!is_linear)
        return point_level(filter, &level);
    struct filter_taps taps;
    if (filter->is_cube) {
        footprint_cube(filter, mip, level.width, &taps);
        return reduce_taps(filter, &taps);
    }
    if (filter->reduction == FILTER_REDUCTION_STANDARD && filter->axes < 3) {
        struct axis x = axis_linear(filter, 0, level.width);
        struct axis y = filter->axes > 1 ? axis_linear(filter, 1, level.height) : no_axis;
        if ((x.index[0] | x.index[1] | y.index[0] | y.index[1]) >= 0)
            return bilinear(&level, x, y);
    }
    footprint_plain(filter, &level, &taps);
    return reduce_taps(filter, &taps);
}
