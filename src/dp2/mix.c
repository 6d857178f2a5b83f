/* SPDX-License-Identifier: MIT */
#include "dp2/mix.h"

#include <string.h>

#include "dp2/bytes.h"

static void load_floats(const uint8_t *vertex, uint32_t offset, uint32_t count, float *out)
{
    for (uint32_t i = 0; i < count; i++) {
        float value = le_float(vertex + offset + i * 4);
        out[i] = value >= -1e30f && value <= 1e30f ? value : 0;
    }
}

static void store_floats(const float *values, uint32_t count, uint8_t *out)
{
    for (uint32_t i = 0; i < count; i++)
        put_le32(out + i * 4, bits_from_float(values[i]));
}

static void store_color(const float *values, uint8_t *out)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(values[i] > 0 ? (values[i] < 255 ? values[i] + 0.5f : 255) : 0);
}

static uint32_t weight_count(const struct fvf_layout *layout)
{
    return layout->beta_count - (layout->beta_count && layout->last_beta_indices);
}

void dp2_mix_load(const struct fvf_layout *layout, const uint8_t *vertex, float values[MIX_FLOATS])
{
    memset(values, 0, MIX_FLOATS * sizeof(float));
    load_floats(vertex, 0, layout->pretransformed ? 4 : 3, values + MIX_POSITION);
    load_floats(vertex, layout->beta_offset, weight_count(layout), values + MIX_BETAS);
    if (layout->normal_offset != FVF_ABSENT)
        load_floats(vertex, layout->normal_offset, 3, values + MIX_NORMAL);
    if (layout->point_size_offset != FVF_ABSENT)
        load_floats(vertex, layout->point_size_offset, 1, values + MIX_POINT_SIZE);
    for (int i = 0; i < 4; i++) {
        if (layout->diffuse_offset != FVF_ABSENT)
            values[MIX_DIFFUSE + i] = vertex[layout->diffuse_offset + i];
        if (layout->specular_offset != FVF_ABSENT)
            values[MIX_SPECULAR + i] = vertex[layout->specular_offset + i];
    }
    for (uint32_t i = 0; i < FVF_TEXTURE_SETS; i++)
        load_floats(vertex, layout->set_offset[i], layout->set_floats[i], values + MIX_SETS + i * 4);
}

void dp2_mix_store(const struct fvf_layout *layout, const float values[MIX_FLOATS], const uint8_t *like, uint8_t *vertex)
{
    memcpy(vertex, like, layout->vertex_bytes);
    store_floats(values + MIX_POSITION, layout->pretransformed ? 4 : 3, vertex);
    store_floats(values + MIX_BETAS, weight_count(layout), vertex + layout->beta_offset);
    if (layout->normal_offset != FVF_ABSENT)
        store_floats(values + MIX_NORMAL, 3, vertex + layout->normal_offset);
    if (layout->point_size_offset != FVF_ABSENT)
        store_floats(values + MIX_POINT_SIZE, 1, vertex + layout->point_size_offset);
    if (layout->diffuse_offset != FVF_ABSENT)
        store_color(values + MIX_DIFFUSE, vertex + layout->diffuse_offset);
    if (layout->specular_offset != FVF_ABSENT)
        store_color(values + MIX_SPECULAR, vertex + layout->specular_offset);
    for (uint32_t i = 0; i < FVF_TEXTURE_SETS; i++)
        store_floats(values + MIX_SETS + i * 4, layout->set_floats[i], vertex + layout->set_offset[i]);
}

void dp2_mix_add(float sum[MIX_FLOATS], const float values[MIX_FLOATS], float weight)
{
    for (int i = 0; i < MIX_FLOATS; i++)
        sum[i] += values[i] * weight;
}
