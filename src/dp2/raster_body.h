/* SPDX-License-Identifier: MIT
 * The raster kernel, included once per instruction set by raster_generic.c and raster_avx2.c, which name the exported
 * table with RASTER_TILE_NAME. Walks the primitives of a tile in order, eight pixels of a row at a time. */
#include "cdxr/d3dhal.h"
#include "dp2/lanes.h"
#include "dp2/raster.h"

#include "dp2/sample_body.h"

#include "dp2/fragment_body.h"
#include "dp2/stage_body.h"

/* Where the eight pixels are, relative to a primitive's anchor. */
struct span {
    const struct draw *draw;
    const struct raster_primitive *primitive;
    struct raster_counters *counters;
    int32_t x, y;
    vf fx;          /* x - anchor of each lane */
    float fy;
    vf w;           /* 1 / rhw, or 1 for affine primitives */
    vf z;
};

INLINE uint64_t count_lanes(vi mask)
{
    return (uint64_t)__builtin_popcount((unsigned)vi_mask_bits(mask));
}

INLINE vf plane_value(const struct raster_plane *plane, int c, vf fx, float fy)
{
    return (plane->origin[c] + plane->dy[c] * fy) + fx * plane->dx[c];
}

/* A colour group: clamped to 0..1. */
INLINE void interpolate_color(const struct span *s, int group, vf c[4])
{
    const struct raster_plane *plane = &s->primitive->planes[group];
    if (s->primitive->constant_groups >> group & 1) {
        for (int i = 0; i < 4; i++)
            c[i] = vf_saturate(vf_set(plane->origin[i]));
        return;
    }
    for (int i = 0; i < 4; i++) {
        vf value = plane_value(plane, i, s->fx, s->fy);
        c[i] = vf_saturate(s->primitive->affine ? value : value * s->w);
    }
}

/* ---- texture coordinates ---- */

struct coordinate_set {
    struct coordinates at, dx, dy;
};

INLINE vf divide_projected(const struct stage *stage, const struct span *s, const struct raster_plane *plane, vf scale)
{
    vf q = plane_value(plane, stage->projected - 1, s->fx, s->fy) * scale;
    return 1.0f / vf_select((vi)(q == 0.0f), vf_set(1), q);
}

/* value and its change per pixel: for perspective the quotient rule on planes of value*rhw and rhw. */
static void interpolate_coordinates(const struct span *s, const struct stage *stage, bool derivatives, struct coordinate_set *out)
{
    const struct raster_plane *plane = &s->primitive->planes[s->draw->group_texture[stage->slot]];
    const struct raster_plane *rhw = &s->primitive->planes[0];
    bool affine = s->primitive->affine;
    vf *at[3] = {&out->at.u, &out->at.v, &out->at.w}, *dx[3] = {&out->dx.u, &out->dx.v, &out->dx.w}, *dy[3] = {&out->dy.u, &out->dy.v, &out->dy.w};
    /* Projected coordinates divide by another interpolated value in the place of (or on top of) rhw. */
    vf over = stage->projected ? divide_projected(stage, s, plane, vf_set(1)) : s->w;
    float over_dx = stage->projected ? plane->dx[stage->projected - 1] : rhw->dx[1];
    float over_dy = stage->projected ? plane->dy[stage->projected - 1] : rhw->dy[1];
    bool plain = affine && !stage->projected;
    for (int i = 0; i < stage->coordinate_count; i++) {
        vf value = plane_value(plane, i, s->fx, s->fy);
        *at[i] = plain ? value : value * over;
        if (!derivatives)
            continue;
        *dx[i] = plain ? vf_set(plane->dx[i]) : (plane->dx[i] - *at[i] * over_dx) * over;
        *dy[i] = plain ? vf_set(plane->dy[i]) : (plane->dy[i] - *at[i] * over_dy) * over;
    }
}

INLINE bool wants_derivatives(const struct stage *stage)
{
    return stage->mag_linear != stage->min_linear || (stage->mip > 1 && stage->texture->level_count > 1);
}

/* Texel of a stage; bump: du, dv, luminance of the stage before, or NULL. Returns lanes that its colour key drops. */
static vi sample_stage(const struct span *s, const struct stage *stage, const struct stage *before, const struct color *bump, vi mask, struct color *texel)
{
    struct coordinate_set set = {{vf_set(0), vf_set(0), vf_set(0)}, {vf_set(0), vf_set(0), vf_set(0)}, {vf_set(0), vf_set(0), vf_set(0)}};
    interpolate_coordinates(s, stage, wants_derivatives(stage), &set);
    if (bump) {
        set.at.u += bump->c[0] * before->bump[0] + bump->c[1] * before->bump[2];
        set.at.v += bump->c[0] * before->bump[1] + bump->c[1] * before->bump[3];
    }
    struct lookup lookup = {.stage = stage, .texture = stage->texture, .at = set.at,
                            .want_key = s->draw->color_key && stage->texture->has_color_key, .keyed = vi_set(0)};
    sample(&lookup, &set.dx, &set.dy, mask, texel->c);
    if (bump && before->color_op == D3DTOP_BUMPENVMAPLUMINANCE)
        for (int i = 0; i < 3; i++)
            texel->c[i] = vf_saturate(texel->c[i] * (bump->c[2] * before->bump_scale + before->bump_offset));
    return lookup.keyed;
}

/* Colour of the fragments; takes lanes out of *mask where a colour key matches. */
static void shade(const struct span *s, vi *mask, vf c[4])
{
    const struct draw *d = s->draw;
    struct cascade cascade;
    struct color bump;
    bool bumped = false;
    interpolate_color(s, d->group_diffuse, cascade.diffuse.c);
    for (int i = 0; i < 4; i++) {
        cascade.specular.c[i] = cascade.temp.c[i] = vf_set(0);
        cascade.factor.c[i] = vf_set(d->factor[i]);
        cascade.texel.c[i] = vf_set(1);
    }
    if (d->group_specular >= 0)
        interpolate_color(s, d->group_specular, cascade.specular.c);
    cascade.current = cascade.diffuse;
    vi keyed = vi_set(0);
    for (uint32_t i = 0; i < d->stage_count; i++) {
        const struct stage *stage = &d->stages[i], *before = i ? &d->stages[i - 1] : NULL;
        if (stage->texture)
            keyed |= sample_stage(s, stage, before, bumped && stage->bumped ? &bump : NULL, *mask, &cascade.texel);
        run_stage(stage, before, &cascade);
        bumped = is_bump_op(stage->color_op) && stage->texture;
        if (bumped)
            bump = cascade.texel;
    }
    if (d->color_key) {
        s->counters->failed_color_key += count_lanes(*mask & keyed);
        *mask &= ~keyed;
    }
    for (int i = 0; i < 4; i++)
        c[i] = cascade.current.c[i];
    if (d->specular_add)
        for (int i = 0; i < 3; i++)
            c[i] = vf_saturate(c[i] + cascade.specular.c[i]);
}

/* ---- one span ---- */

INLINE vi stipple_mask(const struct draw *d, int32_t x, int32_t y)
{
    uint32_t row = d->stipple_rows[y & 31];
    vi out;
    for (int i = 0; i < LANES; i++)
        out[i] = -(int32_t)(row >> (31 - ((x + i) & 31)) & 1); /* leftmost pixel in the highest bit */
    return out;
}

INLINE vi alpha_mask(const struct draw *d, vf alpha)
{
    return compare(d->alpha_func, vi_from_vf(alpha * 255.0f + 0.5f), vi_set((int32_t)d->alpha_ref));
}

/* z for the buffer and for fog, and w. */
INLINE void span_depth(struct span *s)
{
    const struct raster_plane *plane = &s->primitive->planes[0];
    s->z = vf_clamp(plane_value(plane, 0, s->fx, s->fy), 0, 1);
    vf rhw = plane_value(plane, 1, s->fx, s->fy);
    bool needs_w = !s->primitive->affine || s->draw->w_buffer || s->draw->fog == FOG_TABLE_W;
    s->w = needs_w ? 1.0f / vf_select((vi)(rhw > 0.0f), rhw, vf_set(1)) : vf_set(1);
}

INLINE vf span_depth_value(const struct span *s)
{
    const struct draw *d = s->draw;
    vf value = d->w_buffer ? (s->w - d->w_near) * d->w_scale : s->z;
    return vf_clamp(value - d->z_bias, 0, 1);
}

static void shade_span(struct span *s, vi mask)
{
    const struct draw *d = s->draw;
    struct raster_counters *counters = s->counters;
    counters->covered += count_lanes(mask);
    if (d->stipple) {
        vi keep = stipple_mask(d, s->x, s->y);
        counters->failed_stipple += count_lanes(mask & ~keep);
        mask &= keep;
    }
    span_depth(s);
    struct depth_pixels depth = {0};
    bool depth_used = d->z_test || d->z_write || d->stencil;
    if (depth_used) {
        depth_load(d, span_depth_value(s), s->x, s->y, mask, &depth);
        if (d->early_depth) {
            counters->failed_depth += count_lanes(mask & ~depth.passed);
            mask &= depth.passed;
        }
    }
    if (!vi_any(mask))
        return;
    vf c[4];
    shade(s, &mask, c);
    if (d->fog != FOG_NONE) {
        vf f = fog_factor(d, plane_value(&s->primitive->planes[0], 2, s->fx, s->fy), s->z, s->w);
        for (int i = 0; i < 3; i++)
            c[i] = d->fog_color[i] + (c[i] - d->fog_color[i]) * f;
    }
    if (d->alpha_test || d->stippled_alpha) {
        vi keep = d->alpha_test ? alpha_mask(d, c[3]) : vi_set(-1);
        if (d->stippled_alpha)
            keep &= (vi)(c[3] > ordered(s->x, s->y));
        counters->failed_alpha += count_lanes(mask & ~keep);
        mask &= keep;
    }
    if (d->stencil)
        mask = stencil_and_depth(d, &depth, mask, counters);
    else if (d->z_write)
        store_pixels(depth.row, d->depth.format.pixel_bytes, mask, depth_merge(d, &depth));
    counters->written += count_lanes(mask);
    if (d->write_color)
        write_color(d, c, s->x, s->y, mask);
}

/* ---- the plain variants ---- */

INLINE vf channel_of(uint8_t op, const uint8_t arg[3], vf diffuse, vf texel)
{
    if (op == D3DTOP_MODULATE)
        return diffuse * texel;
    return op == D3DTOP_SELECTARG1 && arg[1] == D3DTA_TEXTURE ? texel : diffuse;
}

/* Filtered texels straight into the target. */
INLINE void write_direct(const struct span *s, const struct depth_pixels *depth, vi mask)
{
    const struct draw *d = s->draw;
    const struct raster_plane *plane = &s->primitive->planes[d->group_texture[0]];
    vi argb = sample_bilinear_argb(d->stages[0].texture, plane_value(plane, 0, s->fx, s->fy) * s->w, plane_value(plane, 1, s->fx, s->fy) * s->w);
    if (!d->color.format.bits[FORMAT_ALPHA])
        argb &= 0xFFFFFF;
    if (d->z_write)
        store_pixels(depth->row, d->depth.format.pixel_bytes, mask, depth_merge(d, depth));
    s->counters->written += count_lanes(mask);
    store_pixels(d->color.memory + (size_t)s->y * d->color.pitch_bytes + (size_t)s->x * 4, 4, mask, argb);
}

/* What shade_span does when nothing but depth, alpha test and blending is on (compile.c, choose_variant). */
INLINE void shade_plain(struct span *s, vi mask, enum draw_variant variant)
{
    const struct draw *d = s->draw;
    struct raster_counters *counters = s->counters;
    counters->covered += count_lanes(mask);
    span_depth(s);
    struct depth_pixels depth = {0};
    if (d->z_test || d->z_write) {
        depth_load(d, vf_clamp(s->z - d->z_bias, 0, 1), s->x, s->y, mask, &depth);
        counters->failed_depth += count_lanes(mask & ~depth.passed);
        mask &= depth.passed;
        if (!vi_any(mask))
            return;
    }
    if (variant == VARIANT_DIRECT) {
        write_direct(s, &depth, mask);
        return;
    }
    vf c[4];
    interpolate_color(s, d->group_diffuse, c);
    if (variant != VARIANT_DIFFUSE) {
        const struct stage *stage = &d->stages[0];
        struct color texel;
        if (variant == VARIANT_BILINEAR) {
            const struct raster_plane *plane = &s->primitive->planes[d->group_texture[0]];
            sample_bilinear_wrapped(stage->texture, plane_value(plane, 0, s->fx, s->fy) * s->w, plane_value(plane, 1, s->fx, s->fy) * s->w, texel.c);
        } else {
            sample_stage(s, stage, NULL, NULL, mask, &texel);
        }
        for (int i = 0; i < 3; i++)
            c[i] = channel_of(stage->color_op, stage->color_arg, c[i], texel.c[i]);
        c[3] = channel_of(stage->alpha_op, stage->alpha_arg, c[3], texel.c[3]);
    }
    if (d->alpha_test) {
        vi keep = alpha_mask(d, c[3]);
        counters->failed_alpha += count_lanes(mask & ~keep);
        mask &= keep;
    }
    if (d->z_write)
        store_pixels(depth.row, d->depth.format.pixel_bytes, mask, depth_merge(d, &depth));
    counters->written += count_lanes(mask);
    write_8888(d, c, s->x, s->y, mask);
}

INLINE void shade_variant(const struct raster_tile *tile, const struct raster_primitive *p, int32_t x, int32_t y, vi mask, enum draw_variant variant)
{
    struct span s = {.draw = p->draw, .primitive = p, .counters = tile->counters, .x = x, .y = y};
    s.fx = vf_from_vi(vi_lanes() + x) - p->anchor_x;
    s.fy = (float)y - p->anchor_y;
    if (variant == VARIANT_GENERIC)
        shade_span(&s, mask);
    else
        shade_plain(&s, mask, variant);
}

static void shade_at(const struct raster_tile *tile, const struct raster_primitive *p, int32_t x, int32_t y, vi mask)
{
    shade_variant(tile, p, x, y, mask, VARIANT_GENERIC);
}

/* ---- coverage ---- */

struct bounds {
    int32_t x0, y0, x1, y1;
};

INLINE struct bounds clip_bounds(const struct raster_tile *tile, const struct raster_primitive *p)
{
    struct bounds b = {p->x0 > tile->x0 ? p->x0 : tile->x0, p->y0 > tile->y0 ? p->y0 : tile->y0, p->x1 < tile->x1 ? p->x1 : tile->x1,
                       p->y1 < tile->y1 ? p->y1 : tile->y1};
    return b;
}

INLINE vi tail_mask(int32_t pixels)
{
    return (vi)(vi_lanes() < pixels);
}

/* An edge function inside the tile in 32 bits: one that is far from zero has one sign all over the tile. */
struct tile_edge {
    int32_t value, a, b;
};

INLINE bool tile_edge_init(const struct raster_primitive *p, int i, const struct bounds *at, struct tile_edge *edge)
{
    const int64_t far = (int64_t)1 << 30;
    int64_t value = (int64_t)p->edge_a[i] * at->x0 + (int64_t)p->edge_b[i] * at->y0 + p->edge_c[i];
    if (value < -far)
        return false;
    if (value > far)
        *edge = (struct tile_edge){0, 0, 0}; /* inside everywhere */
    else
        *edge = (struct tile_edge){(int32_t)value, p->edge_a[i], p->edge_b[i]};
    return true;
}

INLINE vi inside_mask(const vi step[3], const int32_t value[3], int32_t pixels)
{
    vi inside = ~(((step[0] + value[0]) | (step[1] + value[1]) | (step[2] + value[2])) >> 31);
    return pixels < LANES ? inside & tail_mask(pixels) : inside;
}

INLINE void advance(int32_t value[3], const struct tile_edge e[3], int32_t pixels)
{
    for (int i = 0; i < 3; i++)
        value[i] += e[i].a * pixels;
}

/* One row: the first span begins at the first pixel inside, so that narrow rows take one span instead of two. */
INLINE void draw_row(const struct raster_tile *tile, const struct raster_primitive *p, const struct bounds *at, const struct tile_edge e[3],
                     const vi step[3], int32_t y, enum draw_variant variant)
{
    int32_t value[3] = {e[0].value, e[1].value, e[2].value};
    bool entered = false;
    for (int32_t x = at->x0; x < at->x1; x += LANES) {
        vi inside = inside_mask(step, value, at->x1 - x);
        int bits = vi_mask_bits(inside);
        if (!bits && entered)
            return;
        int skip = bits && !entered ? __builtin_ctz((unsigned)bits) : 0;
        if (skip) {
            advance(value, e, skip);
            x += skip;
            inside = inside_mask(step, value, at->x1 - x);
        }
        if (bits) {
            entered = true;
            shade_variant(tile, p, x, y, inside, variant);
        }
        advance(value, e, LANES);
    }
}

INLINE void draw_triangle(const struct raster_tile *tile, const struct raster_primitive *p, enum draw_variant variant)
{
    struct bounds at = clip_bounds(tile, p);
    struct tile_edge e[3];
    if (at.x0 >= at.x1 || at.y0 >= at.y1)
        return;
    for (int i = 0; i < 3; i++)
        if (!tile_edge_init(p, i, &at, &e[i]))
            return;
    const vi step[3] = {vi_lanes() * e[0].a, vi_lanes() * e[1].a, vi_lanes() * e[2].a};
    for (int32_t y = at.y0; y < at.y1; y++) {
        draw_row(tile, p, &at, e, step, y, variant);
        for (int i = 0; i < 3; i++)
            e[i].value += e[i].b;
    }
}

static void draw_rect(const struct raster_tile *tile, const struct raster_primitive *p)
{
    struct bounds at = clip_bounds(tile, p);
    for (int32_t y = at.y0; y < at.y1; y++)
        for (int32_t x = at.x0; x < at.x1; x += LANES)
            shade_at(tile, p, x, y, tail_mask(at.x1 - x));
}

/* ---- lines ---- */

/* Minor coordinate of the line at the centre of a column (or row), rounded to the nearest pixel, halves up. */
INLINE int32_t line_minor(const struct raster_primitive *p, int32_t major)
{
    int64_t a0 = p->y_major ? p->line_y0 : p->line_x0, a1 = p->y_major ? p->line_y1 : p->line_x1;
    int64_t b0 = p->y_major ? p->line_x0 : p->line_y0, b1 = p->y_major ? p->line_x1 : p->line_y1;
    int64_t length = a1 - a0, t = (int64_t)major * (1 << RASTER_SUBPIXEL_BITS) - a0;
    if (length < 0) {
        length = -length;
        t = -t;
    }
    t = t < 0 ? 0 : t > length ? length : t;
    int64_t twice = length ? 2 * (b0 * length + (b1 - b0) * t) : 2 * b0; /* in 1/256 pixel, times length */
    int64_t unit = length ? length : 1;
    int64_t whole = twice + unit * (1 << RASTER_SUBPIXEL_BITS), divisor = unit * (2 << RASTER_SUBPIXEL_BITS);
    int64_t quotient = whole / divisor;
    return (int32_t)(quotient - (whole % divisor < 0));
}

INLINE bool pattern_on(const struct draw *d, int32_t position)
{
    return !d->line_repeat || d->line_pattern >> (position / d->line_repeat & 15) & 1;
}

static void draw_line(const struct raster_tile *tile, const struct raster_primitive *p)
{
    struct bounds at = clip_bounds(tile, p);
    int32_t step = p->y_major ? (p->line_y1 >= p->line_y0 ? 1 : -1) : (p->line_x1 >= p->line_x0 ? 1 : -1);
    int32_t low = p->y_major ? at.y0 : at.x0, high = (p->y_major ? at.y1 : at.x1) - 1;
    if ((p->line_last - p->line_first) * step < 0)
        return;
    int32_t first = p->line_first, last = p->line_last;
    if (step > 0 ? first < low : first > high)
        first = step > 0 ? low : high;
    if (step > 0 ? last > high : last < low)
        last = step > 0 ? high : low;
    for (int32_t major = first; (last - major) * step >= 0; major += step) {
        int32_t minor = line_minor(p, major);
        int32_t x = p->y_major ? minor : major, y = p->y_major ? major : minor;
        bool inside = x >= at.x0 && x < at.x1 && y >= at.y0 && y < at.y1;
        if (inside && pattern_on(p->draw, (major - p->line_first) * step))
            shade_at(tile, p, x, y, tail_mask(1));
    }
}

static void draw_triangle_generic(const struct raster_tile *tile, const struct raster_primitive *p)
{
    draw_triangle(tile, p, VARIANT_GENERIC);
}

static void draw_triangle_diffuse(const struct raster_tile *tile, const struct raster_primitive *p)
{
    draw_triangle(tile, p, VARIANT_DIFFUSE);
}

static void draw_triangle_texture(const struct raster_tile *tile, const struct raster_primitive *p)
{
    draw_triangle(tile, p, VARIANT_TEXTURE);
}

static void draw_triangle_bilinear(const struct raster_tile *tile, const struct raster_primitive *p)
{
    draw_triangle(tile, p, VARIANT_BILINEAR);
}

static void draw_triangle_direct(const struct raster_tile *tile, const struct raster_primitive *p)
{
    draw_triangle(tile, p, VARIANT_DIRECT);
}

static void raster_tile(const struct raster_tile *tile)
{
    static void (*const triangles[])(const struct raster_tile *tile, const struct raster_primitive *p) = {
        [VARIANT_GENERIC] = draw_triangle_generic, [VARIANT_DIFFUSE] = draw_triangle_diffuse, [VARIANT_TEXTURE] = draw_triangle_texture,
        [VARIANT_BILINEAR] = draw_triangle_bilinear, [VARIANT_DIRECT] = draw_triangle_direct};
    for (uint32_t i = 0; i < tile->primitive_count; i++) {
        const struct raster_primitive *p = tile->primitives[i];
        if (p->kind == RASTER_TRIANGLE)
            triangles[p->variant](tile, p);
        else if (p->kind == RASTER_RECT)
            draw_rect(tile, p);
        else
            draw_line(tile, p);
    }
}

const raster_tile_fn RASTER_TILE_NAME = raster_tile;
