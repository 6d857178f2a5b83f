/* SPDX-License-Identifier: MIT
 * Vertices as plain numbers, to be mixed and written back: what tessellation needs. Pure functions. */
#ifndef CDXR_DP2_MIX_H
#define CDXR_DP2_MIX_H

#include <stdint.h>

#include "dp2/fvf.h"

enum mix_slot {
    MIX_POSITION = 0,  /* x y z (rhw) */
    MIX_BETAS = 4,
    MIX_NORMAL = 9,
    MIX_POINT_SIZE = 12,
    MIX_DIFFUSE = 13,  /* b g r a, 0..255 */
    MIX_SPECULAR = 17,
    MIX_SETS = 21,     /* four each */
    MIX_FLOATS = MIX_SETS + 4 * FVF_TEXTURE_SETS,
};

/* Components that the layout lacks become 0; wild ones too. */
void dp2_mix_load(const struct fvf_layout *layout, const uint8_t *vertex, float values[MIX_FLOATS]);
/* Colours are rounded and clamped. like: vertex whose blend indices are taken over. */
void dp2_mix_store(const struct fvf_layout *layout, const float values[MIX_FLOATS], const uint8_t *like, uint8_t *vertex);
/* sum += values * weight */
void dp2_mix_add(float sum[MIX_FLOATS], const float values[MIX_FLOATS], float weight);

#endif
