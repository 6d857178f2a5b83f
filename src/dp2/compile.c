/* SPDX-License-Identifier: MIT */
#include "dp2/compile.h"

#include "dp2/context.h"

enum { ZBIAS_STEPS = 65535, IDENTIFY_FAR = 1024 };

bool dp2_projection_is_affine(const float p[16])
{
    return p[3] == 0 && p[7] == 0 && p[11] == 0 && p[15] == 1;
}

static float finite_or(uint32_t bits, float otherwise)
{
    float value = float_from_bits(bits);
    return __builtin_isfinite(value) ? value : otherwise;
}

static uint8_t in_range(uint32_t value, uint32_t low, uint32_t high, uint32_t otherwise)
{
    return (uint8_t)(value >= low && value <= high ? value : otherwise);
}

static struct draw_target target_of(const struct surface *surface)
{
    return (struct draw_target){surface->levels[0].memory, (uint32_t)surface->levels[0].pitch_bytes, surface->description.width,
                                surface->description.height, surface->format};
}

static void unpack(uint32_t argb, float *rgb, int count)
{
    for (int i = 0; i < count; i++)
        rgb[i] = (float)(argb >> (i == 3 ? 24 : 16 - 8 * i) & 255) * (1.0f / 255);
}

/* ---- targets and scissor ---- */

static int32_t min_i64(int64_t a, int64_t b)
{
    return (int32_t)(a < b ? a : b);
}

static void compile_targets(const struct cdxr_dp2_context *context, const struct fvf_layout *layout, struct draw *draw)
{
    const struct dp2_state *state = &context->state;
    const struct surface *color = dp2_space_surface(context->space, state->target), *depth = dp2_space_surface(context->space, state->depth);
    if (color && (color->description.flags & CDXR_DP2_SURFACE_TARGET))
        draw->color = target_of(color);
    if (depth && depth->format.kind == FORMAT_KIND_DEPTH)
        draw->depth = target_of(depth);
    const struct draw_target *extent = draw->color.memory ? &draw->color : &draw->depth;
    draw->scissor[2] = (int32_t)extent->width;
    draw->scissor[3] = (int32_t)extent->height;
    if (draw->depth.memory) {
        draw->scissor[2] = min_i64(draw->scissor[2], draw->depth.width);
        draw->scissor[3] = min_i64(draw->scissor[3], draw->depth.height);
    }
    if (layout->pretransformed || !state->viewport[2])
        return;
    draw->scissor[0] = min_i64(state->viewport[0], draw->scissor[2]);
    draw->scissor[1] = min_i64(state->viewport[1], draw->scissor[3]);
    draw->scissor[2] = min_i64((int64_t)state->viewport[0] + state->viewport[2], draw->scissor[2]);
    draw->scissor[3] = min_i64((int64_t)state->viewport[1] + state->viewport[3], draw->scissor[3]);
}

/* ---- depth, stencil, blend ---- */

static void compile_depth(const struct dp2_state *state, struct draw *draw)
{
    const uint32_t *r = state->render;
    bool present = draw->depth.memory;
    draw->z_max = present ? dp2_format_channel_max(&draw->depth.format, FORMAT_Z) : 0;
    draw->z_bits = draw->z_max << (present ? draw->depth.format.shift[FORMAT_Z] : 0);
    draw->z_func = in_range(r[D3DRENDERSTATE_ZFUNC], 1, 8, D3DCMP_ALWAYS);
    bool enabled = present && r[D3DRENDERSTATE_ZENABLE];
    draw->z_test = enabled && draw->z_func != D3DCMP_ALWAYS;
    draw->z_write = enabled && r[D3DRENDERSTATE_ZWRITEENABLE];
    draw->w_buffer = r[D3DRENDERSTATE_ZENABLE] == 2;
    draw->w_near = state->w_near;
    draw->w_scale = state->w_far != state->w_near ? 1 / (state->w_far - state->w_near) : 1;
    draw->stencil = present && r[D3DRENDERSTATE_STENCILENABLE] && draw->depth.format.bits[FORMAT_STENCIL];
    uint32_t max = draw->stencil ? dp2_format_channel_max(&draw->depth.format, FORMAT_STENCIL) : 0;
    draw->stencil_func = in_range(r[D3DRENDERSTATE_STENCILFUNC], 1, 8, D3DCMP_ALWAYS);
    draw->stencil_fail = in_range(r[D3DRENDERSTATE_STENCILFAIL], 1, 8, D3DSTENCILOP_KEEP);
    draw->stencil_zfail = in_range(r[D3DRENDERSTATE_STENCILZFAIL], 1, 8, D3DSTENCILOP_KEEP);
    draw->stencil_pass = in_range(r[D3DRENDERSTATE_STENCILPASS], 1, 8, D3DSTENCILOP_KEEP);
    draw->stencil_ref = r[D3DRENDERSTATE_STENCILREF] & max;
    draw->stencil_mask = r[D3DRENDERSTATE_STENCILMASK] & max;
    draw->stencil_write = r[D3DRENDERSTATE_STENCILWRITEMASK] & max;
    uint32_t bias = r[D3DRENDERSTATE_ZBIAS] <= 16 ? r[D3DRENDERSTATE_ZBIAS] : 16;
    draw->z_bias = (float)bias / ZBIAS_STEPS;
    draw->early_depth = !draw->stencil;
}

static void compile_blend(const struct dp2_state *state, struct draw *draw)
{
    const uint32_t *r = state->render;
    uint32_t source = in_range(r[D3DRENDERSTATE_SRCBLEND], 1, 13, D3DBLEND_ONE);
    uint32_t destination = in_range(r[D3DRENDERSTATE_DESTBLEND], 1, 11, D3DBLEND_ZERO);
    if (source == D3DBLEND_BOTHSRCALPHA || source == D3DBLEND_BOTHINVSRCALPHA) {
        destination = source == D3DBLEND_BOTHSRCALPHA ? D3DBLEND_INVSRCALPHA : D3DBLEND_SRCALPHA;
        source = source == D3DBLEND_BOTHSRCALPHA ? D3DBLEND_SRCALPHA : D3DBLEND_INVSRCALPHA;
    }
    draw->source_blend = (uint8_t)source;
    draw->destination_blend = (uint8_t)destination;
    draw->blend_op = in_range(r[D3DRENDERSTATE_BLENDOP], 1, 5, D3DBLENDOP_ADD);
    draw->blend = r[D3DRENDERSTATE_ALPHABLENDENABLE] &&
                  (source != D3DBLEND_ONE || destination != D3DBLEND_ZERO || draw->blend_op != D3DBLENDOP_ADD);
}

static void compile_write(const struct dp2_state *state, struct draw *draw)
{
    const uint32_t *r = state->render;
    const struct format *format = &draw->color.format;
    uint32_t all = format->pixel_bytes >= 4 ? ~0u : (1u << format->pixel_bytes * 8) - 1, mask = 0, named = 0;
    for (int i = 0; i < FORMAT_CHANNELS; i++) {
        uint32_t bits = format->bits[i] ? dp2_format_channel_max(format, i) << format->shift[i] : 0;
        named |= bits;
        if (r[D3DRENDERSTATE_COLORWRITEENABLE] >> i & 1)
            mask |= bits;
    }
    if (mask == named)
        mask = all; /* bits without a channel change along */
    draw->write_mask = mask & r[D3DRENDERSTATE_PLANEMASK] & all;
    draw->rop = in_range(r[D3DRENDERSTATE_ROP2], 1, 16, 13);
    draw->write_color = draw->color.memory && draw->write_mask;
    draw->dither = r[D3DRENDERSTATE_DITHERENABLE] && format->pixel_bytes && format->pixel_bytes < 3;
    draw->plain_write = draw->write_mask == all && draw->rop == 13 && !draw->dither;
}

/* ---- fog, alpha test, stipple ---- */

static void compile_fog(const struct dp2_state *state, struct draw *draw)
{
    const uint32_t *r = state->render;
    draw->fog_table = in_range(r[D3DRENDERSTATE_FOGTABLEMODE], 0, 3, D3DFOG_NONE);
    draw->fog = FOG_NONE;
    if (r[D3DRENDERSTATE_FOGENABLE])
        draw->fog = draw->fog_table == D3DFOG_NONE ? FOG_VERTEX : dp2_projection_is_affine(state->projection) ? FOG_TABLE_Z : FOG_TABLE_W;
    draw->fog_start = finite_or(r[D3DRENDERSTATE_FOGSTART], 0);
    draw->fog_end = finite_or(r[D3DRENDERSTATE_FOGEND], 1);
    draw->fog_density = finite_or(r[D3DRENDERSTATE_FOGDENSITY], 1);
    float range = draw->fog_end - draw->fog_start;
    draw->fog_scale = range != 0 && __builtin_isfinite(1 / range) ? 1 / range : 0; /* 0: a step at fog_end */
    unpack(r[D3DRENDERSTATE_FOGCOLOR], draw->fog_color, 3);
}

static void compile_tests(const struct dp2_state *state, struct draw *draw)
{
    const uint32_t *r = state->render;
    draw->alpha_func = in_range(r[D3DRENDERSTATE_ALPHAFUNC], 1, 8, D3DCMP_ALWAYS);
    draw->alpha_test = r[D3DRENDERSTATE_ALPHATESTENABLE] && draw->alpha_func != D3DCMP_ALWAYS;
    draw->alpha_ref = r[D3DRENDERSTATE_ALPHAREF] & 255;
    draw->stipple = r[D3DRENDERSTATE_STIPPLEENABLE] && !r[D3DRENDERSTATE_STIPPLEDALPHA];
    memcpy(draw->stipple_rows, r + D3DRENDERSTATE_STIPPLEPATTERN00, sizeof(draw->stipple_rows));
    unpack(r[D3DRENDERSTATE_TEXTUREFACTOR], draw->factor, 4);
}

/* STIPPLEDALPHA: in the place of blending, a pixel is drawn when its alpha exceeds a screen-door threshold; the kernel takes it as
 * an alpha test against the ordered pattern (docs/dp2.md). */
static void compile_stippled_alpha(const struct dp2_state *state, struct draw *draw)
{
    if (!state->render[D3DRENDERSTATE_STIPPLEDALPHA])
        return;
    draw->blend = false;
    draw->stippled_alpha = true;
}

/* ---- geometry ---- */

static void compile_geometry(const struct cdxr_dp2_context *context, const struct fvf_layout *layout, struct draw *draw)
{
    const struct dp2_state *state = &context->state;
    const uint32_t *r = state->render;
    draw->cull = in_range(r[D3DRENDERSTATE_CULLMODE], 1, 3, D3DCULL_NONE);
    draw->fill = context->config.force_wireframe ? D3DFILL_WIREFRAME : in_range(r[D3DRENDERSTATE_FILLMODE], 1, 3, D3DFILL_SOLID);
    draw->flat |= r[D3DRENDERSTATE_SHADEMODE] == D3DSHADE_FLAT;
    draw->perspective = context->config.interface_level != 0 || r[D3DRENDERSTATE_TEXTUREPERSPECTIVE];
    draw->last_pixel = r[D3DRENDERSTATE_LASTPIXEL];
    draw->line_repeat = r[D3DRENDERSTATE_LINEPATTERN] & 0xFFFF;
    draw->line_pattern = (uint16_t)(r[D3DRENDERSTATE_LINEPATTERN] >> 16);
    if (draw->line_repeat > 255)
        draw->line_repeat = 0;
    draw->point_sprite = r[D3DRENDERSTATE_POINTSPRITEENABLE];
    draw->clip_z = !layout->pretransformed && r[D3DRENDERSTATE_CLIPPING];
    if (!layout->pretransformed && r[D3DRENDERSTATE_CLIPPING])
        draw->plane_count = (uint32_t)__builtin_popcount(r[D3DRENDERSTATE_CLIPPLANEENABLE]);
    draw->vertex_floats = (VERTEX_TEXTURE + 4u * draw->texture_slots + draw->plane_count + 3) & ~3u;
}

static bool stages_read(const struct draw *draw, uint8_t arg)
{
    for (uint32_t i = 0; i < draw->stage_count; i++)
        for (int j = 0; j < 3; j++)
            if ((draw->stages[i].color_arg[j] & D3DTA_SELECTMASK) == arg || (draw->stages[i].alpha_arg[j] & D3DTA_SELECTMASK) == arg)
                return true;
    return false;
}

static void compile_groups(const struct dp2_state *state, struct draw *draw)
{
    draw->group_source[0] = VERTEX_Z;
    draw->group_count = 1;
    draw->group_diffuse = (int8_t)draw->group_count;
    draw->group_source[draw->group_count++] = VERTEX_DIFFUSE;
    draw->specular_add = state->render[D3DRENDERSTATE_SPECULARENABLE] && !draw->identify;
    draw->group_specular = -1;
    if (draw->specular_add || stages_read(draw, D3DTA_SPECULAR)) {
        draw->group_specular = (int8_t)draw->group_count;
        draw->group_source[draw->group_count++] = VERTEX_SPECULAR;
    }
    for (uint32_t i = 0; i < draw->texture_slots; i++) {
        draw->group_texture[i] = (int8_t)draw->group_count;
        draw->group_source[draw->group_count++] = (uint8_t)(VERTEX_TEXTURE + 4 * i);
    }
}

/* Wrap flags of the coordinate set that feeds each slot, and the divisor of projected coordinates. */
static void compile_coordinates(const struct dp2_state *state, const struct fvf_layout *layout, struct draw *draw)
{
    for (uint32_t i = 0; i < draw->stage_count; i++) {
        struct stage *stage = &draw->stages[i];
        if (!stage->texture)
            continue;
        uint32_t set = state->stage[i][D3DTSS_TEXCOORDINDEX] & 0xFFFF, flags = state->stage[i][D3DTSS_TEXTURETRANSFORMFLAGS];
        uint32_t floats = flags & 255;
        draw->wrap[stage->slot] = (uint8_t)(set < 8 ? state->render[D3DRENDERSTATE_WRAP0 + set] & 15 : 0);
        if (layout->pretransformed || floats < 2 || floats > 4)
            floats = set < FVF_TEXTURE_SETS ? layout->set_floats[set] : 0;
        if ((flags & D3DTTFF_PROJECTED) && floats >= 2)
            stage->projected = (uint8_t)floats; /* 1 + the last component */
    }
}

/* Numbers in place of colours: everything off that could hide or tint a nearest triangle. */
static void compile_identify(uint32_t mode, struct draw *draw)
{
    draw->identify = draw->flat = true;
    draw->stage_count = 0;
    draw->texture_slots = 0;
    draw->stencil = draw->alpha_test = draw->stippled_alpha = draw->stipple = draw->blend = draw->color_key = draw->specular_add = false;
    draw->fog = FOG_NONE;
    draw->z_bias = 0;
    draw->early_depth = true;
    draw->z_test = draw->z_write = draw->depth.memory != NULL;
    draw->z_func = D3DCMP_LESSEQUAL;
    draw->w_buffer = mode == 2;
    draw->w_near = 0;
    draw->w_scale = 1.0f / IDENTIFY_FAR;
}

/* ---- specialised spans ---- */

static bool is_8888(const struct format *format)
{
    return format->pixel_bytes == 4 && format->bits[0] == 8 && format->bits[1] == 8 && format->bits[2] == 8 && format->shift[0] == 16 &&
           format->shift[1] == 8 && format->shift[2] == 0 && (!format->bits[3] || (format->bits[3] == 8 && format->shift[3] == 24));
}

static bool is_diffuse(uint8_t arg)
{
    return arg == D3DTA_DIFFUSE || arg == D3DTA_CURRENT; /* of stage 0 the same */
}

/* Stage 0 hands its input on. */
static bool passes_diffuse(uint8_t op, const uint8_t arg[3])
{
    return (op == D3DTOP_SELECTARG1 && is_diffuse(arg[1])) || (op == D3DTOP_SELECTARG2 && is_diffuse(arg[2]));
}

static bool is_texture_or_product(uint8_t op, const uint8_t arg[3])
{
    if (op == D3DTOP_SELECTARG1)
        return arg[1] == D3DTA_TEXTURE;
    return op == D3DTOP_MODULATE && ((arg[1] == D3DTA_TEXTURE && is_diffuse(arg[2])) || (arg[2] == D3DTA_TEXTURE && is_diffuse(arg[1])));
}

static bool is_power_of_two(int32_t value)
{
    return (value & (value - 1)) == 0;
}

static bool is_plain_bilinear(const struct stage *stage)
{
    const struct texture *texture = stage->texture;
    const struct texture_level *level = &texture->levels[texture->first_level];
    return texture->fetch == FETCH_32 && stage->mag_linear && stage->min_linear && (stage->mip == 1 || texture->level_count == 1) &&
           stage->max_level <= texture->first_level && stage->address[0] == D3DTADDRESS_WRAP && stage->address[1] == D3DTADDRESS_WRAP &&
           !stage->projected && is_power_of_two(level->width) && is_power_of_two(level->height);
}

static void choose_variant(struct draw *draw)
{
    bool plain = draw->write_color && draw->plain_write && !draw->stencil && !draw->stipple && !draw->color_key && !draw->stippled_alpha &&
                 !draw->specular_add && draw->fog == FOG_NONE && is_8888(&draw->color.format) && !draw->w_buffer &&
                 (!draw->blend || draw->blend_op == D3DBLENDOP_ADD) && (!draw->depth.memory || draw->depth.format.bits[FORMAT_Z] <= 24);
    const struct stage *stage = &draw->stages[0];
    draw->variant = VARIANT_GENERIC;
    if (!plain || draw->stage_count > 1 || (draw->stage_count && stage->to_temp))
        return;
    if (!draw->stage_count || (passes_diffuse(stage->color_op, stage->color_arg) &&
                               (passes_diffuse(stage->alpha_op, stage->alpha_arg) || stage->alpha_op == D3DTOP_DISABLE)))
        draw->variant = VARIANT_DIFFUSE;
    else if (stage->texture && !stage->texture->is_cube && !stage->texture->is_volume && is_texture_or_product(stage->color_op, stage->color_arg) &&
             (is_texture_or_product(stage->alpha_op, stage->alpha_arg) || passes_diffuse(stage->alpha_op, stage->alpha_arg)))
        draw->variant = is_plain_bilinear(stage) ? VARIANT_BILINEAR : VARIANT_TEXTURE;
    bool alpha_kept = draw->color.format.bits[FORMAT_ALPHA] != 0;
    draw->direct_if_white = draw->variant == VARIANT_BILINEAR && !draw->blend && !draw->alpha_test &&
                            (!alpha_kept || is_texture_or_product(stage->alpha_op, stage->alpha_arg));
}

const struct draw *dp2_compile_draw(struct cdxr_dp2_context *context, struct dp2_arena *arena, struct texture_cache *cache,
                                    const struct fvf_layout *layout)
{
    struct draw *draw = dp2_arena_take(arena, sizeof(*draw));
    if (!draw)
        return NULL;
    memset(draw, 0, sizeof(*draw));
    const struct dp2_state *state = &context->state;
    compile_targets(context, layout, draw);
    dp2_compile_stages(context, arena, cache, draw);
    compile_depth(state, draw);
    compile_blend(state, draw);
    compile_write(state, draw);
    compile_fog(state, draw);
    compile_tests(state, draw);
    compile_stippled_alpha(state, draw);
    if (context->config.identify)
        compile_identify(context->config.identify, draw);
    compile_geometry(context, layout, draw);
    compile_groups(state, draw);
    compile_coordinates(state, layout, draw);
    choose_variant(draw);
    return draw;
}

/* ---- vertex programs ---- */

static void compile_slots(const struct dp2_state *state, const struct draw *draw, struct vertex_program *program)
{
    program->texture_slots = draw->texture_slots;
    for (uint32_t i = 0; i < draw->stage_count; i++) {
        const struct stage *stage = &draw->stages[i];
        if (!stage->texture)
            continue;
        struct vertex_slot_program *slot = &program->slots[stage->slot];
        uint32_t index = state->stage[i][D3DTSS_TEXCOORDINDEX], flags = state->stage[i][D3DTSS_TEXTURETRANSFORMFLAGS];
        slot->set = (uint8_t)((index & 0xFFFF) < FVF_TEXTURE_SETS ? index & 0xFFFF : FVF_TEXTURE_SETS);
        slot->source = program->layout.pretransformed ? COORDINATE_SET : (uint8_t)(index >> 16 <= 3 ? index >> 16 : 0);
        slot->transform = (flags & 255) != 0 && !program->layout.pretransformed;
        memcpy(slot->matrix, state->texture[i], sizeof(slot->matrix));
        program->need_view |= slot->source != COORDINATE_SET;
    }
}

static void view_light(const float view[16], struct state_light *light)
{
    float p[3], d[3];
    for (int i = 0; i < 3; i++) {
        p[i] = light->position[0] * view[i] + light->position[1] * view[4 + i] + light->position[2] * view[8 + i] + view[12 + i];
        d[i] = light->direction[0] * view[i] + light->direction[1] * view[4 + i] + light->direction[2] * view[8 + i];
    }
    memcpy(light->position, p, sizeof(p));
    memcpy(light->direction, d, sizeof(d));
}

static bool compile_lights(const struct dp2_state *state, struct dp2_arena *arena, struct vertex_program *program)
{
    uint32_t enabled = 0;
    for (uint32_t i = 0; i < state->light_count; i++)
        enabled += state->lights[i].enabled;
    struct state_light *lights = dp2_arena_take(arena, (enabled + 1) * sizeof(*lights));
    if (!lights)
        return false;
    program->lights = lights;
    for (uint32_t i = 0; i < state->light_count; i++) {
        if (!state->lights[i].enabled)
            continue;
        *lights = state->lights[i];
        view_light(state->view, lights++);
        program->light_count++;
    }
    return true;
}

static bool compile_normals(const struct dp2_state *state, struct dp2_arena *arena, uint32_t count, struct vertex_program *program)
{
    float(*normal)[9] = dp2_arena_take(arena, count * sizeof(*normal));
    if (!normal)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        float world_view[16];
        dp2_matrix_multiply(state->world[i], state->view, world_view);
        dp2_normal_matrix(world_view, normal[i]);
    }
    program->normal = (const float(*)[9])normal;
    return true;
}

static bool compile_matrices(const struct dp2_state *state, struct dp2_arena *arena, struct vertex_program *program)
{
    uint32_t blend = state->render[D3DRENDERSTATE_VERTEXBLEND];
    bool weighted = program->layout.beta_count && blend >= 1 && blend <= 3;
    program->matrix_count = weighted ? blend + 1 : 1;
    program->indexed = state->render[D3DRENDERSTATE_INDEXEDVERTEXBLENDENABLE] && program->layout.beta_count && (weighted || blend == CDXR_D3DVBF_0WEIGHTS);
    uint32_t copied = program->indexed ? STATE_WORLD_MATRICES : program->matrix_count;
    float(*world)[16] = dp2_arena_take(arena, copied * sizeof(*world));
    if (!world)
        return false;
    memcpy(world, state->world, copied * sizeof(*world));
    program->world = (const float(*)[16])world;
    memcpy(program->view, state->view, sizeof(program->view));
    memcpy(program->projection, state->projection, sizeof(program->projection));
    dp2_matrix_multiply(state->world[0], state->view, program->world_view);
    dp2_matrix_multiply(program->world_view, state->projection, program->world_view_projection);
    bool normals = program->layout.normal_offset != FVF_ABSENT && program->need_view;
    return !normals || compile_normals(state, arena, copied, program);
}

static void compile_viewport(const struct dp2_state *state, const struct draw *draw, struct vertex_program *program)
{
    const struct draw_target *extent = draw->color.memory ? &draw->color : &draw->depth;
    for (int i = 0; i < 4; i++)
        program->viewport[i] = (float)state->viewport[i];
    if (!state->viewport[2]) {
        program->viewport[0] = program->viewport[1] = 0;
        program->viewport[2] = (float)extent->width;
        program->viewport[3] = (float)extent->height;
    }
    program->z_min = state->z_min;
    program->z_max = state->z_max;
}

static void compile_planes(const struct dp2_state *state, const struct draw *draw, struct vertex_program *program)
{
    uint32_t enabled = state->render[D3DRENDERSTATE_CLIPPLANEENABLE];
    program->plane_count = draw->plane_count;
    for (uint32_t i = 0, count = 0; i < STATE_CLIP_PLANES && count < draw->plane_count; i++)
        if (enabled >> i & 1)
            memcpy(program->planes[count++], state->clip_plane[i], sizeof(program->planes[0]));
}

static void compile_points(const struct dp2_state *state, struct vertex_program *program)
{
    const uint32_t *r = state->render;
    program->point_size = finite_or(r[D3DRENDERSTATE_POINTSIZE], 1);
    program->point_min = finite_or(r[D3DRENDERSTATE_POINTSIZE_MIN], 0);
    program->point_max = finite_or(r[D3DRENDERSTATE_POINTSIZE_MAX], 64);
    if (!(program->point_max <= 256))
        program->point_max = 256;
    program->point_scale = r[D3DRENDERSTATE_POINTSCALEENABLE] && !program->layout.pretransformed;
    program->point_a = finite_or(r[D3DRENDERSTATE_POINTSCALE_A], 1);
    program->point_b = finite_or(r[D3DRENDERSTATE_POINTSCALE_B], 0);
    program->point_c = finite_or(r[D3DRENDERSTATE_POINTSCALE_C], 0);
}

static void compile_lighting(const struct dp2_state *state, struct vertex_program *program)
{
    const uint32_t *r = state->render;
    program->lighting = r[D3DRENDERSTATE_LIGHTING];
    program->normalize = r[D3DRENDERSTATE_NORMALIZENORMALS];
    program->local_viewer = r[D3DRENDERSTATE_LOCALVIEWER];
    program->color_vertex = r[D3DRENDERSTATE_COLORVERTEX];
    program->diffuse_source = in_range(r[D3DRENDERSTATE_DIFFUSEMATERIALSOURCE], 0, 2, 0);
    program->specular_source = in_range(r[D3DRENDERSTATE_SPECULARMATERIALSOURCE], 0, 2, 0);
    program->ambient_source = in_range(r[D3DRENDERSTATE_AMBIENTMATERIALSOURCE], 0, 2, 0);
    program->emissive_source = in_range(r[D3DRENDERSTATE_EMISSIVEMATERIALSOURCE], 0, 2, 0);
    program->material = state->material;
    unpack(r[D3DRENDERSTATE_AMBIENT], program->ambient, 4);
    if (r[D3DRENDERSTATE_FOGENABLE] && !r[D3DRENDERSTATE_FOGTABLEMODE])
        program->vertex_fog = in_range(r[D3DRENDERSTATE_FOGVERTEXMODE], 0, 3, D3DFOG_NONE);
    program->range_fog = r[D3DRENDERSTATE_RANGEFOGENABLE];
    program->fog_start = finite_or(r[D3DRENDERSTATE_FOGSTART], 0);
    program->fog_end = finite_or(r[D3DRENDERSTATE_FOGEND], 1);
    program->fog_density = finite_or(r[D3DRENDERSTATE_FOGDENSITY], 1);
    program->clip_enabled = r[D3DRENDERSTATE_CLIPPING];
}

const struct vertex_program *dp2_compile_vertices(struct cdxr_dp2_context *context, struct dp2_arena *arena, const struct draw *draw,
                                                  const struct fvf_layout *layout)
{
    struct vertex_program *program = dp2_arena_take(arena, sizeof(*program));
    if (!program)
        return NULL;
    memset(program, 0, sizeof(*program));
    const struct dp2_state *state = &context->state;
    program->layout = *layout;
    program->vertex_floats = draw->vertex_floats;
    program->fog_alpha_missing = context->config.policies.fog_alpha == CDXR_DP2_FOG_ALPHA_MISSING_IS_255 ? 255 : 0;
    compile_slots(state, draw, program);
    compile_points(state, program);
    if (layout->pretransformed)
        return program;
    compile_lighting(state, program);
    compile_viewport(state, draw, program);
    compile_planes(state, draw, program);
    program->need_view |= program->lighting || program->vertex_fog != D3DFOG_NONE || program->point_scale;
    if (!compile_matrices(state, arena, program) || (program->lighting && !compile_lights(state, arena, program)))
        return NULL;
    return program;
}
