/* SPDX-License-Identifier: MIT
 * Texture stages of the state to stages of the kernel: legacy blend modes, operations without a texture, filters by the
 * runtime's numbering. */
#include "dp2/compile.h"
#include "dp2/context.h"

enum { D3D8_LEVEL = 4 };

static uint8_t clamp_op(uint32_t op)
{
    return op >= D3DTOP_DISABLE && op <= D3DTOP_LERP ? (uint8_t)op : D3DTOP_SELECTARG1;
}

static uint8_t clamp_arg(uint32_t arg)
{
    uint32_t select = arg & D3DTA_SELECTMASK;
    return (uint8_t)((select > D3DTA_TEMP ? D3DTA_CURRENT : select) | (arg & (D3DTA_COMPLEMENT | D3DTA_ALPHAREPLICATE)));
}

static void set_color(struct stage *stage, uint8_t op, uint8_t arg1, uint8_t arg2)
{
    stage->color_op = op;
    stage->color_arg[1] = arg1;
    stage->color_arg[2] = arg2;
}

static void set_alpha(struct stage *stage, uint8_t op, uint8_t arg1, uint8_t arg2)
{
    stage->alpha_op = op;
    stage->alpha_arg[1] = arg1;
    stage->alpha_arg[2] = arg2;
}

/* TEXTUREMAPBLEND as operations; with no texture it yields the diffuse colour and alpha. */
static void legacy_color(uint32_t blend, struct stage *stage)
{
    if (!stage->texture) {
        set_color(stage, D3DTOP_SELECTARG1, D3DTA_CURRENT, D3DTA_CURRENT);
        return;
    }
    switch (blend) {
    case D3DTBLEND_DECAL:
    case D3DTBLEND_DECALMASK:
    case D3DTBLEND_COPY: set_color(stage, D3DTOP_SELECTARG1, D3DTA_TEXTURE, D3DTA_CURRENT); break;
    case D3DTBLEND_DECALALPHA: set_color(stage, D3DTOP_BLENDTEXTUREALPHA, D3DTA_TEXTURE, D3DTA_CURRENT); break;
    case D3DTBLEND_ADD: set_color(stage, D3DTOP_ADD, D3DTA_TEXTURE, D3DTA_CURRENT); break;
    default: set_color(stage, D3DTOP_MODULATE, D3DTA_TEXTURE, D3DTA_CURRENT); break;
    }
}

static void legacy_alpha(uint32_t blend, struct stage *stage)
{
    if (!stage->texture) {
        set_alpha(stage, D3DTOP_SELECTARG1, D3DTA_CURRENT, D3DTA_CURRENT);
        return;
    }
    switch (blend) {
    case D3DTBLEND_DECAL:
    case D3DTBLEND_DECALMASK:
    case D3DTBLEND_COPY: set_alpha(stage, D3DTOP_SELECTARG1, D3DTA_TEXTURE, D3DTA_CURRENT); break;
    case D3DTBLEND_MODULATEALPHA: set_alpha(stage, D3DTOP_MODULATE, D3DTA_TEXTURE, D3DTA_CURRENT); break;
    case D3DTBLEND_DECALALPHA:
    case D3DTBLEND_ADD: set_alpha(stage, D3DTOP_SELECTARG1, D3DTA_CURRENT, D3DTA_CURRENT); break;
    default: set_alpha(stage, D3DTOP_SELECTARG1, stage->texture->has_alpha ? D3DTA_TEXTURE : D3DTA_CURRENT, D3DTA_CURRENT); break;
    }
}

static bool uses_texture(uint8_t op, const uint8_t arg[3])
{
    bool one = (arg[1] & D3DTA_SELECTMASK) == D3DTA_TEXTURE, two = (arg[2] & D3DTA_SELECTMASK) == D3DTA_TEXTURE;
    if (op == D3DTOP_SELECTARG1)
        return one;
    if (op == D3DTOP_SELECTARG2)
        return two;
    if (op == D3DTOP_BLENDTEXTUREALPHA || op == D3DTOP_BLENDTEXTUREALPHAPM || op == D3DTOP_BUMPENVMAP || op == D3DTOP_BUMPENVMAPLUMINANCE)
        return true;
    return one || two || (op >= D3DTOP_MULTIPLYADD && (arg[0] & D3DTA_SELECTMASK) == D3DTA_TEXTURE);
}

/* An operation on a texture that is not there hands the current colour on. */
static void without_texture(struct stage *stage)
{
    if (stage->texture)
        return;
    if (uses_texture(stage->color_op, stage->color_arg))
        set_color(stage, D3DTOP_SELECTARG1, D3DTA_CURRENT, D3DTA_CURRENT);
    if (uses_texture(stage->alpha_op, stage->alpha_arg))
        set_alpha(stage, D3DTOP_SELECTARG1, D3DTA_CURRENT, D3DTA_CURRENT);
}

static void compile_operations(const struct dp2_state *state, uint32_t index, struct stage *stage)
{
    const uint32_t *s = state->stage[index];
    set_color(stage, clamp_op(s[D3DTSS_COLOROP]), clamp_arg(s[D3DTSS_COLORARG1]), clamp_arg(s[D3DTSS_COLORARG2]));
    set_alpha(stage, clamp_op(s[D3DTSS_ALPHAOP]), clamp_arg(s[D3DTSS_ALPHAARG1]), clamp_arg(s[D3DTSS_ALPHAARG2]));
    stage->color_arg[0] = clamp_arg(s[D3DTSS_COLORARG0]);
    stage->alpha_arg[0] = clamp_arg(s[D3DTSS_ALPHAARG0]);
    stage->to_temp = (s[D3DTSS_RESULTARG] & D3DTA_SELECTMASK) == D3DTA_TEMP;
    uint32_t blend = state->render[D3DRENDERSTATE_TEXTUREMAPBLEND];
    if (index == 0 && state->legacy_color)
        legacy_color(blend, stage);
    if (index == 0 && state->legacy_alpha)
        legacy_alpha(blend, stage);
    without_texture(stage);
}

static float finite_or(uint32_t bits, float otherwise)
{
    float value = float_from_bits(bits);
    return __builtin_isfinite(value) ? value : otherwise;
}

static void compile_sampler(const struct cdxr_dp2_context *context, const uint32_t *s, struct stage *stage)
{
    bool d3d8 = context->config.interface_level == D3D8_LEVEL;
    uint32_t mip = d3d8 ? s[D3DTSS_MIPFILTER] + 1 : s[D3DTSS_MIPFILTER];
    stage->mag_linear = d3d8 ? s[D3DTSS_MAGFILTER] >= 2 : s[D3DTSS_MAGFILTER] >= 2; /* cubic and anisotropic: linear */
    stage->min_linear = s[D3DTSS_MINFILTER] >= 2;
    stage->mip = (uint8_t)(mip >= 1 && mip <= 3 ? mip : 1);
    stage->lod_bias = finite_or(s[D3DTSS_MIPMAPLODBIAS], 0);
    stage->max_level = s[D3DTSS_MAXMIPLEVEL];
    for (int i = 0; i < 3; i++) {
        uint32_t mode = s[i == 2 ? D3DTSS_ADDRESSW : D3DTSS_ADDRESSU + i];
        stage->address[i] = (uint8_t)(mode >= 1 && mode <= 5 ? mode : D3DTADDRESS_WRAP);
    }
    for (int i = 0; i < 4; i++)
        stage->border[i] = (float)(s[D3DTSS_BORDERCOLOR] >> (i == 3 ? 24 : 16 - 8 * i) & 255) * (1.0f / 255);
    for (int i = 0; i < 4; i++)
        stage->bump[i] = finite_or(s[D3DTSS_BUMPENVMAT00 + i], 0);
    stage->bump_scale = finite_or(s[D3DTSS_BUMPENVLSCALE], 0);
    stage->bump_offset = finite_or(s[D3DTSS_BUMPENVLOFFSET], 0);
}

static bool is_bump(const struct stage *stage)
{
    return stage->texture && (stage->color_op == D3DTOP_BUMPENVMAP || stage->color_op == D3DTOP_BUMPENVMAPLUMINANCE);
}

static bool reads_texture(const struct draw *draw, uint32_t index)
{
    const struct stage *stage = &draw->stages[index];
    if (!stage->texture)
        return false;
    bool premodulated = index > 0 && (draw->stages[index - 1].color_op == D3DTOP_PREMODULATE || draw->stages[index - 1].alpha_op == D3DTOP_PREMODULATE);
    return premodulated || stage->texture->has_color_key || uses_texture(stage->color_op, stage->color_arg) ||
           uses_texture(stage->alpha_op, stage->alpha_arg);
}

void dp2_compile_stages(struct cdxr_dp2_context *context, struct dp2_arena *arena, struct texture_cache *cache, struct draw *draw)
{
    const struct dp2_state *state = &context->state;
    draw->stage_count = 0;
    for (uint32_t i = 0; i < STATE_STAGES; i++) {
        struct stage *stage = &draw->stages[i];
        bool legacy = i == 0 && state->legacy_color;
        if (state->stage[i][D3DTSS_COLOROP] == D3DTOP_DISABLE && !legacy)
            break;
        stage->texture = dp2_compile_texture(context, arena, cache, state->stage[i][D3DTSS_TEXTUREMAP], draw);
        compile_operations(state, i, stage);
        compile_sampler(context, state->stage[i], stage);
        stage->bumped = i > 0 && is_bump(&draw->stages[i - 1]);
        draw->stage_count++;
    }
    bool keyed = state->render[D3DRENDERSTATE_COLORKEYENABLE];
    draw->texture_slots = 0;
    for (uint32_t i = 0; i < draw->stage_count; i++) {
        struct stage *stage = &draw->stages[i];
        if (!reads_texture(draw, i) || draw->texture_slots >= STATE_STAGES) {
            stage->texture = NULL;
            continue;
        }
        stage->slot = draw->texture_slots++;
        stage->coordinate_count = stage->texture->is_cube || stage->texture->is_volume ? 3 : 2;
        draw->color_key |= keyed && stage->texture->has_color_key;
    }
}
