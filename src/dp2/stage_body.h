/* SPDX-License-Identifier: MIT
 * Part of the raster kernel: the texture stage cascade for eight pixels. Included by raster_body.h only. */

struct color {
    vf c[4];
};

struct cascade {
    struct color diffuse, specular, current, temp, texel, factor;
};

INLINE const struct color *cascade_source(const struct cascade *s, uint8_t arg)
{
    switch (arg & D3DTA_SELECTMASK) {
    case D3DTA_DIFFUSE: return &s->diffuse;
    case D3DTA_TEXTURE: return &s->texel;
    case D3DTA_TFACTOR: return &s->factor;
    case D3DTA_SPECULAR: return &s->specular;
    case D3DTA_TEMP: return &s->temp;
    default: return &s->current;
    }
}

INLINE vf cascade_channel(const struct cascade *s, uint8_t arg, int channel)
{
    vf value = cascade_source(s, arg)->c[arg & D3DTA_ALPHAREPLICATE ? 3 : channel];
    return arg & D3DTA_COMPLEMENT ? 1.0f - value : value;
}

/* Blend factor of the BLEND*ALPHA operations. */
INLINE vf cascade_blend_factor(const struct cascade *s, uint8_t op)
{
    switch (op) {
    case D3DTOP_BLENDDIFFUSEALPHA: return s->diffuse.c[3];
    case D3DTOP_BLENDTEXTUREALPHA: return s->texel.c[3];
    case D3DTOP_BLENDFACTORALPHA: return s->factor.c[3];
    default: return s->current.c[3];
    }
}

/* One channel of one operation; a.. are the arguments' channels, alpha those of ARG1. */
static vf operate(const struct cascade *s, uint8_t op, vf a0, vf a1, vf a2, vf alpha1)
{
    switch (op) {
    case D3DTOP_SELECTARG2: return a2;
    case D3DTOP_MODULATE: return a1 * a2;
    case D3DTOP_MODULATE2X: return a1 * a2 * 2.0f;
    case D3DTOP_MODULATE4X: return a1 * a2 * 4.0f;
    case D3DTOP_ADD: return a1 + a2;
    case D3DTOP_ADDSIGNED: return a1 + a2 - 0.5f;
    case D3DTOP_ADDSIGNED2X: return (a1 + a2 - 0.5f) * 2.0f;
    case D3DTOP_SUBTRACT: return a1 - a2;
    case D3DTOP_ADDSMOOTH: return a1 + a2 - a1 * a2;
    case D3DTOP_BLENDDIFFUSEALPHA:
    case D3DTOP_BLENDTEXTUREALPHA:
    case D3DTOP_BLENDFACTORALPHA:
    case D3DTOP_BLENDCURRENTALPHA: return a2 + (a1 - a2) * cascade_blend_factor(s, op);
    case D3DTOP_BLENDTEXTUREALPHAPM: return a1 + a2 * (1.0f - s->texel.c[3]);
    case D3DTOP_MODULATEALPHA_ADDCOLOR: return a1 + alpha1 * a2;
    case D3DTOP_MODULATECOLOR_ADDALPHA: return a1 * a2 + alpha1;
    case D3DTOP_MODULATEINVALPHA_ADDCOLOR: return (1.0f - alpha1) * a2 + a1;
    case D3DTOP_MODULATEINVCOLOR_ADDALPHA: return (1.0f - a1) * a2 + alpha1;
    case D3DTOP_MULTIPLYADD: return a0 + a1 * a2;
    case D3DTOP_LERP: return a0 * a1 + (1.0f - a0) * a2;
    default: return a1; /* SELECTARG1; PREMODULATE and the bump operations hand on the current colour */
    }
}

/* ARG channels of the four-term operations are read with the replicate and complement flags applied. */
static vf dot_product(const struct cascade *s, const uint8_t arg[3])
{
    vf sum = vf_set(0);
    for (int i = 0; i < 3; i++)
        sum += (cascade_channel(s, arg[1], i) - 0.5f) * (cascade_channel(s, arg[2], i) - 0.5f);
    return vf_saturate(sum * 4.0f);
}

INLINE bool is_bump_op(uint8_t op)
{
    return op == D3DTOP_BUMPENVMAP || op == D3DTOP_BUMPENVMAPLUMINANCE;
}

/* Run one stage's operations. The texel is in place. Results are clamped to 0..1. */
static void run_stage(const struct stage *stage, const struct stage *before, struct cascade *s)
{
    struct color out = s->current;
    if (before && before->color_op == D3DTOP_PREMODULATE) /* modulates with this stage's texture */
        for (int i = 0; i < 3; i++)
            s->current.c[i] *= s->texel.c[i];
    if (before && before->alpha_op == D3DTOP_PREMODULATE)
        s->current.c[3] *= s->texel.c[3];
    if (stage->color_op == D3DTOP_DOTPRODUCT3) {
        vf dot = dot_product(s, stage->color_arg);
        out.c[0] = out.c[1] = out.c[2] = out.c[3] = dot;
    } else if (!is_bump_op(stage->color_op)) {
        vf alpha1 = cascade_channel(s, stage->color_arg[1], 3);
        for (int i = 0; i < 3; i++)
            out.c[i] = vf_saturate(operate(s, stage->color_op, cascade_channel(s, stage->color_arg[0], i),
                                           cascade_channel(s, stage->color_arg[1], i), cascade_channel(s, stage->color_arg[2], i), alpha1));
    }
    if (stage->alpha_op != D3DTOP_DISABLE && stage->color_op != D3DTOP_DOTPRODUCT3 && !is_bump_op(stage->alpha_op)) {
        vf a1 = cascade_channel(s, stage->alpha_arg[1], 3);
        out.c[3] = stage->alpha_op == D3DTOP_DOTPRODUCT3
                       ? dot_product(s, stage->alpha_arg)
                       : vf_saturate(operate(s, stage->alpha_op, cascade_channel(s, stage->alpha_arg[0], 3), a1,
                                             cascade_channel(s, stage->alpha_arg[2], 3), a1));
    } else if (stage->alpha_op == D3DTOP_DISABLE) {
        out.c[3] = s->current.c[3];
    }
    *(stage->to_temp ? &s->temp : &s->current) = out;
}
