/* SPDX-License-Identifier: MIT
 * Sampling operations (ops/sample_functions.h): which levels, with which filter, how they are combined. D3D11.3 functional
 * specification 7.18.10, 7.18.11, 5.8. */
#include "ops/sample.h"

#include "ops/filter.h"
#include "ops/math.h"
#include "ops/native.h"
#include "ops/sample_functions.h"
#include "ops/swizzle.h"

struct level_choice {
    uint32_t mip[2]; /* of the resource */
    float weight;    /* of mip[1]; 0: only mip[0] */
    bool is_linear;
    bool is_empty; /* the clamps leave no mip of the view */
};

static bool is_array_view(uint32_t dimension)
{
    return dimension == ABI_TEXTURE_1D_ARRAY || dimension == ABI_TEXTURE_2D_ARRAY || dimension == ABI_TEXTURE_CUBE_ARRAY;
}

/* Nearest array element, halves to even; clamped. */
static uint32_t nearest_element(float coord, uint32_t count)
{
    if (!(coord > 0.0f) || count == 0)
        return 0;
    float last = (float)(count - 1);
    float clamped = coord < last ? coord : last;
    return (uint32_t)(clamped + 0x1.8p23f - 0x1.8p23f);
}

static bool is_usable(struct abi_thread *thread, const struct abi_descriptor *texture, const struct abi_descriptor *sampler)
{
    if (texture->kind != ABI_DESCRIPTOR_TEXTURE) {
        ops_native_report_kind(thread, texture);
        return false;
    }
    if (sampler->kind != ABI_DESCRIPTOR_SAMPLER) {
        ops_native_report_kind(thread, sampler);
        return false;
    }
    return texel_is_there(&texture->texture) && texture->texture.mip_count != 0 &&
           texture->dimension != ABI_TEXTURE_2DMS && texture->dimension != ABI_TEXTURE_2DMS_ARRAY;
}

static float clamp_to_unit(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

static void filter_init(struct filter *filter, const struct abi_descriptor *texture, const struct abi_descriptor *sampler,
                        const struct ops_sample_arguments *arguments)
{
    uint32_t dimension = texture->dimension;
    const struct abi_texture_view *view = &texture->texture;
    texel_view_init(&filter->view, texture);
    filter->texture = texture;
    filter->sampler = &sampler->sampler;
    filter->axes = dimension <= ABI_TEXTURE_1D_ARRAY ? 1 : dimension == ABI_TEXTURE_3D ? 3 : 2;
    filter->is_cube = dimension == ABI_TEXTURE_CUBE || dimension == ABI_TEXTURE_CUBE_ARRAY;
    filter->slice = dimension == ABI_TEXTURE_3D ? 0 : view->first_slice;
    filter->face = 0;
    for (uint32_t i = 0; i < 3; i++) {
        filter->coord[i] = arguments->coord[i];
        filter->offset[i] = arguments->offset[i];
    }
    if (filter->is_cube)
        filter->face = cube_face_of(arguments->coord, filter->coord);
    if (dimension == ABI_TEXTURE_CUBE_ARRAY)
        filter->slice += 6 * nearest_element(arguments->coord[3], view->slice_count / 6u);
    else if (is_array_view(dimension))
        filter->slice += nearest_element(arguments->coord[filter->axes], view->slice_count);
    filter->reduction = sampler->sampler.filter >> FILTER_REDUCTION_SHIFT & 3;
    if (arguments->is_comparison)
        filter->reduction = FILTER_REDUCTION_COMPARISON;
    else if (filter->reduction == FILTER_REDUCTION_COMPARISON)
        filter->reduction = FILTER_REDUCTION_STANDARD;
    filter->comparison = sampler->sampler.comparison;
    filter->reference = filter->view.properties.is_unorm ? clamp_to_unit(arguments->compare) : arguments->compare;
}

static void view_size(const struct filter *filter, float size[3])
{
    const struct abi_texture *texture = filter->view.texture;
    uint32_t mip = filter->view.view->first_mip;
    size[0] = (float)(texture->width >> mip ? texture->width >> mip : 1);
    size[1] = (float)(texture->height >> mip ? texture->height >> mip : 1);
    size[2] = (float)(texture->depth >> mip ? texture->depth >> mip : 1);
}

/* With the sampler's and the instruction's bias, before any clamp. */
static void biased_lod(const struct filter *filter, const struct ops_sample_arguments *arguments, struct filter_lod *lod)
{
    if (arguments->lod_mode == OPS_LOD_EXPLICIT) {
        *lod = (struct filter_lod){arguments->lod, 1, {0.0f, 0.0f}};
    } else {
        float size[3];
        view_size(filter, size);
        filter_gradient_lod(filter, arguments, size, lod);
        lod->lod += arguments->lod;
    }
    lod->lod += filter->sampler->mip_lod_bias;
}

/* The least LOD that the view's resource clamp allows, in mips of the view. */
static float view_min_lod(const struct abi_texture_view *view)
{
    float least = view->min_lod - (float)view->first_mip;
    return least > 0.0f ? least : 0.0f;
}

/* The order of minimum and maximum lets the least LOD win; NaN gives it. */
static float clamp_lod(const struct filter *filter, float lod, float least)
{
    float high = filter->sampler->max_lod, low = filter->sampler->min_lod;
    lod = lod < high ? lod : high;
    lod = lod > low ? lod : low;
    lod = lod > least ? lod : least;
    return lod;
}

static struct level_choice choose_levels(const struct filter *filter, float lod, float clamp)
{
    const struct abi_texture_view *view = filter->view.view;
    uint32_t bits = filter->sampler->filter;
    float resource_least = view_min_lod(view), last = (float)(view->mip_count - 1);
    lod = clamp_lod(filter, lod, clamp);
    bool is_linear = bits & (lod <= 0.0f ? FILTER_BIT_MAG_LINEAR : FILTER_BIT_MIN_LINEAR);
    struct level_choice choice = {{view->first_mip, view->first_mip}, 0.0f, is_linear, false};
    choice.is_empty = resource_least > last || clamp > last;
    if (filter->view.properties.is_integer)
        choice.is_linear = false;
    lod = lod > resource_least ? lod : resource_least;
    lod = lod < last ? lod : last;
    float whole = (float)(uint32_t)lod;
    if (bits & FILTER_BIT_MIP_LINEAR)
        choice.weight = lod - whole;
    else
        whole = (float)(uint32_t)(lod + 0.5f);
    choice.mip[0] += (uint32_t)whole;
    choice.mip[1] = choice.mip[0] + (choice.weight > 0.0f ? 1 : 0);
    return choice;
}

static vec4 combine_levels(const struct filter *filter, vec4 a, vec4 b, float weight)
{
    if (filter->reduction <= FILTER_REDUCTION_COMPARISON)
        return a + (b - a) * weight;
    bool minimum = filter->reduction == FILTER_REDUCTION_MINIMUM;
    for (int i = 0; i < 4; i++)
        a[i] = (minimum ? b[i] < a[i] : b[i] > a[i]) ? b[i] : a[i];
    return a;
}

static vec4 sample_levels(const struct filter *filter, const struct level_choice *choice)
{
    vec4 value = filter_level(filter, choice->mip[0], choice->is_linear);
    if (choice->weight > 0.0f)
        value = combine_levels(filter, value, filter_level(filter, choice->mip[1], choice->is_linear), choice->weight);
    return value;
}

/* Samples along the line of anisotropy, evenly spread and evenly weighted. */
static vec4 sample_line(struct filter *filter, const struct level_choice *choice, const struct filter_lod *lod)
{
    float base[2] = {filter->coord[0], filter->coord[1]};
    float share = 1.0f / (float)lod->tap_count, step = 1.0f / (float)(lod->tap_count + 1);
    vec4 sum = {0, 0, 0, 0};
    for (uint32_t i = 0; i < lod->tap_count; i++) {
        float along = (float)(i + 1) * step - 0.5f;
        filter->coord[0] = base[0] + lod->line[0] * along;
        filter->coord[1] = base[1] + lod->line[1] * along;
        vec4 value = sample_levels(filter, choice);
        if (filter->reduction <= FILTER_REDUCTION_COMPARISON)
            sum += value * share;
        else
            sum = i == 0 ? value : combine_levels(filter, sum, value, 1.0f);
    }
    return sum;
}

static void sample_run(struct abi_thread *thread, const struct abi_descriptor *texture,
                       const struct abi_descriptor *sampler, const struct ops_sample_arguments *arguments, uint32_t out[4])
{
    out[0] = out[1] = out[2] = out[3] = 0;
    if (!is_usable(thread, texture, sampler))
        return;
    struct filter filter;
    struct filter_lod lod;
    filter_init(&filter, texture, sampler, arguments);
    biased_lod(&filter, arguments, &lod);
    struct level_choice choice = choose_levels(&filter, lod.lod, arguments->clamp);
    if (choice.is_empty) {
        format_default(texture->format, out);
        if (!arguments->is_comparison) {
            swizzle_apply(texture, out);
            return;
        }
        out[0] = filter_compare(filter.comparison, filter.reference, bits_float(out[0])) ? 0x3f800000 : 0;
        out[3] = 0;
        return;
    }
    vec4 value = lod.tap_count > 1 ? sample_line(&filter, &choice, &lod) : sample_levels(&filter, &choice);
    memcpy(out, &value, 16);
    if (!arguments->is_comparison)
        swizzle_apply(texture, out);
}

static float sample_calculate_lod(struct abi_thread *thread, const struct abi_descriptor *texture,
                               const struct abi_descriptor *sampler, const struct ops_sample_arguments *arguments,
                               bool clamped)
{
    if (!is_usable(thread, texture, sampler))
        return 0.0f;
    struct filter filter;
    struct filter_lod lod;
    filter_init(&filter, texture, sampler, arguments);
    biased_lod(&filter, arguments, &lod);
    if (!clamped)
        return lod.lod;
    float last = (float)(texture->texture.mip_count - 1), least = view_min_lod(&texture->texture);
    if (least > last)
        return 0.0f;
    float value = clamp_lod(&filter, lod.lod, least);
    return value > 0.0f ? (value < last ? value : last) : 0.0f;
}

/* The texel's own bits, up to 64. */
static uint64_t raw_bits(const struct filter *filter, vec4 texel)
{
    uint32_t words[4];
    uint64_t bits = 0;
    memcpy(words, &texel, 16);
    if (filter->view.texel_bytes <= 2)
        return words[0] & 0xffff;
    memcpy(&bits, words, filter->view.texel_bytes < 8 ? 4 : 8);
    return bits;
}

static void sample_gather(struct abi_thread *thread, const struct abi_descriptor *texture,
                       const struct abi_descriptor *sampler, const struct ops_sample_arguments *arguments,
                       uint32_t channel, uint32_t mode, uint64_t out[4])
{
    static const uint8_t order[4] = {2, 3, 1, 0};
    out[0] = out[1] = out[2] = out[3] = 0;
    if (!is_usable(thread, texture, sampler))
        return;
    struct filter filter;
    struct filter_taps taps;
    filter_init(&filter, texture, sampler, arguments);
    bool is_empty = view_min_lod(&texture->texture) >= 1.0f;
    if (filter.axes != 2)
        return;
    filter_footprint(&filter, texture->texture.first_mip, &taps);
    for (uint32_t i = 0; i < 4; i++) {
        vec4 texel = taps.texel[order[i]];
        uint32_t words[4];
        if (is_empty)
            format_default(texture->format, words);
        else
            memcpy(words, &texel, 16);
        if (mode == OPS_GATHER_RAW)
            out[i] = raw_bits(&filter, texel);
        else if (mode == OPS_GATHER_COMPARE)
            out[i] = filter_compare(filter.comparison, filter.reference, bits_float(words[0])) ? 0x3f800000 : 0;
        else
            out[i] = swizzle_select(texture, words, channel & 3);
    }
}

const struct sample_functions sample_functions_baseline = {sample_run, sample_calculate_lod, sample_gather};
