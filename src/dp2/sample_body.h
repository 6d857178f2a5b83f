/* SPDX-License-Identifier: MIT
 * Part of the raster kernel: texture lookups for eight pixels. Addressing, level choice and filters follow docs/dp2.md,
 * "Textures". Included by raster_body.h only. */

struct texel {
    vf c[4]; /* r g b a; du dv luminance - for bump formats */
};

struct coordinates {
    vf u, v, w;
};

/* Raw texels at in-range integer positions. */
INLINE vi fetch_raw(const struct texture *texture, const struct texture_level *level, vi x, vi y, vi z)
{
    vi row = y * level->pitch_bytes + z * level->slice_bytes;
    if (texture->fetch == FETCH_32)
        return vi_gather32(level->memory, row + (x << 2));
    if (texture->fetch == FETCH_PALETTE4) {
        vi pair = vi_gather8(level->memory, row + (x >> 1));
        return vi_select((vi)((x & 1) != 0), pair & 15, pair >> 4);
    }
    switch (texture->format.pixel_bytes) {
    case 1: return vi_gather8(level->memory, row + x);
    case 2: return vi_gather16(level->memory, row + (x << 1));
    case 3: return vi_gather24(level->memory, row + x * 3);
    default: return vi_gather32(level->memory, row + (x << 2));
    }
}

INLINE void decode_argb(vi argb, vf c[4])
{
    const float scale = 1.0f / 255;
    c[0] = vf_from_vi(argb >> 16 & 255) * scale;
    c[1] = vf_from_vi(argb >> 8 & 255) * scale;
    c[2] = vf_from_vi(argb & 255) * scale;
    c[3] = vf_from_vi((vi)((vu)argb >> 24)) * scale;
}

static void decode_masks(const struct format *format, vi raw, vf c[4])
{
    for (int i = 0; i < 4; i++) {
        uint32_t max = dp2_format_channel_max(format, i);
        c[i] = format->bits[i] ? vf_from_vi((vi)((vu)raw >> format->shift[i]) & (int32_t)max) / (float)max : vf_set(i == 3);
    }
}

/* Two's complement channels to -1..1; luminance to 0..1. */
static void decode_bump(const struct format *format, vi raw, vf c[4])
{
    for (int i = 0; i < 2; i++) {
        int up = 32 - format->bits[i] - format->shift[i];
        vi value = (vi)((vu)raw << up) >> (32 - format->bits[i]);
        c[i] = vf_max(vf_from_vi(value) / (float)((1 << (format->bits[i] - 1)) - 1), vf_set(-1));
    }
    uint32_t max = dp2_format_channel_max(format, FORMAT_BUMP_LUMINANCE);
    c[2] = format->bits[2] ? vf_from_vi((vi)((vu)raw >> format->shift[2]) & (int32_t)max) / (float)max : vf_set(1);
    c[3] = vf_set(1);
}

INLINE void decode(const struct texture *texture, vi raw, vf c[4])
{
    switch (texture->fetch) {
    case FETCH_32: decode_argb(raw | (int32_t)texture->or_mask, c); break;
    case FETCH_PALETTE:
    case FETCH_PALETTE4: decode_argb(vi_gather32((const uint8_t *)texture->palette, (raw & 255) << 2), c); break;
    case FETCH_BUMP: decode_bump(&texture->format, raw, c); break;
    default: decode_masks(&texture->format, raw, c); break;
    }
}

/* One axis: coordinate to a texel position in units of texels, by addressing mode. outside collects border lanes. */
INLINE vf address(vf t, uint8_t mode, int32_t extent, vi *outside)
{
    float size = (float)extent;
    switch (mode) {
    case D3DTADDRESS_MIRROR: {
        vf m = t - vf_floor(t * 0.5f) * 2.0f;
        t = vf_min(m, 2.0f - m);
        break;
    }
    case D3DTADDRESS_MIRRORONCE: t = vf_abs(t); break;
    case D3DTADDRESS_CLAMP: break;
    case D3DTADDRESS_BORDER: *outside |= (vi)(t < 0.0f) | (vi)(t >= 1.0f); break;
    default: t = t - vf_floor(t); break;
    }
    return vf_clamp(t * size, -1.0f, size + 1.0f);
}

INLINE vi clamp_index(vi i, int32_t extent)
{
    i = vi_select((vi)(i < 0), vi_set(0), i);
    return vi_select((vi)(i >= extent), vi_set(extent - 1), i);
}

/* Neighbour positions beyond the edge: the other side when wrapping, the edge otherwise. */
INLINE vi edge_index(vi i, uint8_t mode, int32_t extent)
{
    if (mode == D3DTADDRESS_WRAP) {
        i = vi_select((vi)(i < 0), i + extent, i);
        i = vi_select((vi)(i >= extent), i - extent, i);
    }
    return clamp_index(i, extent);
}

INLINE vi nearest(vf position, int32_t extent)
{
    return clamp_index(vi_from_vf(vf_floor(position)), extent);
}

static void apply_border(const struct stage *stage, vi outside, vf c[4])
{
    for (int i = 0; i < 4; i++)
        c[i] = vf_select(outside, vf_set(stage->border[i]), c[i]);
}

/* Lanes whose raw texel lies in the colour key's range. */
static vi key_match(const struct texture *texture, vi raw)
{
    vi match = vi_set(-1);
    int channels = texture->format.kind == FORMAT_KIND_PALETTE ? 1 : FORMAT_CHANNELS;
    for (int i = 0; i < channels; i++) {
        vi value = raw;
        if (channels > 1)
            value = (vi)((vu)raw >> texture->format.shift[i]) & (int32_t)(texture->format.bits[i] ? dp2_format_channel_max(&texture->format, i) : 0);
        match &= (vi)(value >= (int32_t)texture->key_low[i]) & (vi)(value <= (int32_t)texture->key_high[i]);
    }
    return match;
}

struct lookup {
    const struct stage *stage;
    const struct texture *texture;
    const struct texture_level *level;
    struct coordinates at;
    bool want_key;
    vi keyed; /* out: lanes that the colour key drops */
};

/* A face of a cube ends at its edges whatever the stage says. */
INLINE const uint8_t *address_modes(const struct lookup *l)
{
    static const uint8_t clamped[3] = {D3DTADDRESS_CLAMP, D3DTADDRESS_CLAMP, D3DTADDRESS_CLAMP};
    return l->texture->is_cube ? clamped : l->stage->address;
}

static void sample_nearest(struct lookup *l, vf c[4])
{
    const struct texture_level *level = l->level;
    const uint8_t *mode = address_modes(l);
    vi outside = vi_set(0), z = vi_set(0);
    vi x = nearest(address(l->at.u, mode[0], level->width, &outside), level->width);
    vi y = nearest(address(l->at.v, mode[1], level->height, &outside), level->height);
    if (l->texture->is_volume)
        z = nearest(address(l->at.w, mode[2], level->depth, &outside), level->depth);
    vi raw = fetch_raw(l->texture, level, x, y, z);
    decode(l->texture, raw, c);
    if (l->want_key)
        l->keyed = key_match(l->texture, raw) & ~outside;
    if (vi_any(outside))
        apply_border(l->stage, outside, c);
}

/* Weighted sum of two texels in place of the first. */
INLINE void mix4(vf a[4], const vf b[4], vf t)
{
    for (int i = 0; i < 4; i++)
        a[i] = a[i] + (b[i] - a[i]) * t;
}

/* ARGB texels as two registers of 16-bit fields; weight in 1/256, the same in both fields of a lane. */
INLINE vh mix_fields(vh a, vh b, vh weight)
{
    return (a * (256 - weight) + b * weight + 128) >> 8;
}

INLINE vh weight_fields(vf t)
{
    vi w = vi_from_vf(t * 256.0f + 0.5f);
    return (vh)(w | w << 16);
}

INLINE vi fetch_argb(const struct lookup *l, vi x, vi y, vi z)
{
    vi raw = fetch_raw(l->texture, l->level, x, y, z);
    if (l->texture->fetch == FETCH_32)
        return raw | (int32_t)l->texture->or_mask;
    return vi_gather32((const uint8_t *)l->texture->palette, (raw & 255) << 2);
}

/* Bilinear mix of four ARGB texels in 8-bit steps: blue and red in the fields of *rb, green and alpha in those of *ag. */
INLINE void mix_argb_fields(const vi texels[4], vf fx, vf fy, vh *rb, vh *ag)
{
    const int32_t low = 0x00FF00FF;
    vh wx = weight_fields(fx), wy = weight_fields(fy);
    *rb = mix_fields(mix_fields((vh)(texels[0] & low), (vh)(texels[1] & low), wx), mix_fields((vh)(texels[2] & low), (vh)(texels[3] & low), wx), wy);
    *ag = mix_fields(mix_fields((vh)(texels[0] >> 8 & low), (vh)(texels[1] >> 8 & low), wx),
                     mix_fields((vh)(texels[2] >> 8 & low), (vh)(texels[3] >> 8 & low), wx), wy);
}

INLINE void mix_argb(const vi texels[4], vf fx, vf fy, vf c[4])
{
    vh rb, ag;
    mix_argb_fields(texels, fx, fy, &rb, &ag);
    const float scale = 1.0f / 255;
    c[0] = vf_from_vi((vi)((vu)rb >> 16)) * scale;
    c[1] = vf_from_vi((vi)ag & 0xFFFF) * scale;
    c[2] = vf_from_vi((vi)rb & 0xFFFF) * scale;
    c[3] = vf_from_vi((vi)((vu)ag >> 16)) * scale;
}

INLINE void fetch4(const struct lookup *l, vi x0, vi x1, vi y0, vi y1, vi z, vf fx, vf fy, vf c[4])
{
    if (l->texture->fetch == FETCH_32 || l->texture->fetch == FETCH_PALETTE || l->texture->fetch == FETCH_PALETTE4) {
        const vi texels[4] = {fetch_argb(l, x0, y0, z), fetch_argb(l, x1, y0, z), fetch_argb(l, x0, y1, z), fetch_argb(l, x1, y1, z)};
        mix_argb(texels, fx, fy, c);
        return;
    }
    vf b[4], d[4], e[4];
    decode(l->texture, fetch_raw(l->texture, l->level, x0, y0, z), c);
    decode(l->texture, fetch_raw(l->texture, l->level, x1, y0, z), b);
    decode(l->texture, fetch_raw(l->texture, l->level, x0, y1, z), d);
    decode(l->texture, fetch_raw(l->texture, l->level, x1, y1, z), e);
    mix4(c, b, fx);
    mix4(d, e, fx);
    mix4(c, d, fy);
}

/* Border neighbours are not blended in: a sample is border or texture as a whole. */
static void sample_linear(struct lookup *l, vf c[4])
{
    const struct texture_level *level = l->level;
    const uint8_t *mode = address_modes(l);
    vi outside = vi_set(0), z0 = vi_set(0);
    vf pu = address(l->at.u, mode[0], level->width, &outside), pv = address(l->at.v, mode[1], level->height, &outside);
    vf fu = vf_floor(pu - 0.5f), fv = vf_floor(pv - 0.5f);
    vi iu = vi_from_vf(fu), iv = vi_from_vf(fv);
    vi x0 = edge_index(iu, mode[0], level->width), x1 = edge_index(iu + 1, mode[0], level->width);
    vi y0 = edge_index(iv, mode[1], level->height), y1 = edge_index(iv + 1, mode[1], level->height);
    vf tx = pu - 0.5f - fu, ty = pv - 0.5f - fv;
    if (l->texture->is_volume) {
        vf pw = address(l->at.w, mode[2], level->depth, &outside), fw = vf_floor(pw - 0.5f), far[4];
        vi iw = vi_from_vf(fw);
        z0 = edge_index(iw, mode[2], level->depth);
        fetch4(l, x0, x1, y0, y1, z0, tx, ty, c);
        fetch4(l, x0, x1, y0, y1, edge_index(iw + 1, mode[2], level->depth), tx, ty, far);
        mix4(c, far, pw - 0.5f - fw);
    } else {
        fetch4(l, x0, x1, y0, y1, z0, tx, ty, c);
    }
    if (l->want_key) /* the texel under the sample decides, before filtering */
        l->keyed = key_match(l->texture, fetch_raw(l->texture, level, nearest(pu, level->width), nearest(pv, level->height), z0)) & ~outside;
    if (vi_any(outside))
        apply_border(l->stage, outside, c);
}

/* ---- cube faces ---- */

/* The direction's components as a face sees them: along it, down it, towards it (positive). */
struct cube_axes {
    vi is_x, is_y, negative;
};

INLINE void cube_project(const struct cube_axes *axes, const struct coordinates *d, vf *s, vf *t, vf *major)
{
    vi negative = axes->negative;
    vf along = vf_select(axes->is_x, d->u, vf_select(axes->is_y, d->v, d->w));
    *major = vf_select(negative, -along, along);
    *s = vf_select(axes->is_x, vf_select(negative, d->w, -d->w), vf_select(axes->is_y, d->u, vf_select(negative, -d->u, d->u)));
    *t = vf_select(axes->is_y, vf_select(negative, -d->w, d->w), -d->v);
}

/* Face number per lane; direction and its derivatives become coordinates on the face and theirs. */
static vi cube_face(struct coordinates *at, struct coordinates *dx, struct coordinates *dy)
{
    struct cube_axes axes;
    vf ax = vf_abs(at->u), ay = vf_abs(at->v), az = vf_abs(at->w), s, t, major;
    axes.is_x = (vi)(ax >= ay) & (vi)(ax >= az);
    axes.is_y = ~axes.is_x & (vi)(ay >= az);
    axes.negative = (vi)(vf_select(axes.is_x, at->u, vf_select(axes.is_y, at->v, at->w)) < 0.0f);
    cube_project(&axes, at, &s, &t, &major);
    vf half = 0.5f / vf_max(major, vf_set(1e-30f));
    at->u = s * half + 0.5f;
    at->v = t * half + 0.5f;
    struct coordinates *derivatives[2] = {dx, dy};
    for (int i = 0; i < 2; i++) { /* the quotient rule */
        vf ds, dt, dm;
        cube_project(&axes, derivatives[i], &ds, &dt, &dm);
        derivatives[i]->u = (ds - s * dm * half * 2.0f) * half;
        derivatives[i]->v = (dt - t * dm * half * 2.0f) * half;
    }
    vi face = vi_select(axes.is_x, vi_set(0), vi_select(axes.is_y, vi_set(2), vi_set(4)));
    return face - axes.negative; /* the mask is -1 */
}

/* ---- level choice ---- */

/* lod of each pixel: log2 of the longer of the two texel footprints (docs/dp2.md). Derivatives are per pixel. */
static vf level_of_detail(const struct stage *stage, const struct coordinates *dx, const struct coordinates *dy)
{
    const struct texture_level *level = &stage->texture->levels[stage->texture->first_level];
    float w = (float)level->width, h = (float)level->height;
    vf ux = dx->u * w, vx = dx->v * h, uy = dy->u * w, vy = dy->v * h;
    vf x2 = ux * ux + vx * vx, y2 = uy * uy + vy * vy;
    if (stage->texture->is_volume) {
        vf wx = dx->w * (float)level->depth, wy = dy->w * (float)level->depth;
        x2 += wx * wx;
        y2 += wy * wy;
    }
    vf longest = vf_clamp(vf_max(x2, y2), 1e-20f, 1e20f);
    return vf_log2(longest) * 0.5f + stage->lod_bias;
}

INLINE const struct texture_level *level_at(const struct texture *texture, uint32_t face, uint32_t level)
{
    return &texture->levels[face * texture->level_count + level];
}

struct level_range {
    uint32_t first, last;
};

INLINE struct level_range levels_of(const struct stage *stage)
{
    const struct texture *texture = stage->texture;
    struct level_range range = {texture->first_level, texture->level_count - 1};
    if (stage->max_level > range.first) /* MAXMIPLEVEL: the largest level that may be used */
        range.first = stage->max_level < range.last ? stage->max_level : range.last;
    if (stage->mip == 1)
        range.last = range.first;
    return range;
}

/* Lanes of one level and one face at a time; most spans have a single one. */
static void sample_levels(struct lookup *l, vi level, vi face, vi mask, bool linear, vf c[4])
{
    int left = vi_mask_bits(mask);
    bool first = true;
    while (left) {
        int lane = __builtin_ctz((unsigned)left);
        vi same = (vi)(level == level[lane]) & (vi)(face == face[lane]);
        vf part[4];
        l->level = level_at(l->texture, (uint32_t)face[lane], (uint32_t)level[lane]);
        vi keyed = l->keyed;
        if (linear)
            sample_linear(l, part);
        else
            sample_nearest(l, part);
        l->keyed = first ? l->keyed : vi_select(same, l->keyed, keyed);
        for (int i = 0; i < 4; i++)
            c[i] = first ? part[i] : vf_select(same, part[i], c[i]);
        first = false;
        left &= ~vi_mask_bits(same);
    }
}

static void sample_filtered(struct lookup *l, vf lod, vi face, vi mask, vf c[4])
{
    const struct stage *stage = l->stage;
    struct level_range range = levels_of(stage);
    float top = (float)(range.last - l->texture->first_level);
    vi magnified = (vi)(lod <= 0.0f);
    vf level = vf_clamp(lod, (float)(range.first - l->texture->first_level), top);
    vf base = vf_floor(stage->mip == 3 ? level : level + 0.5f);
    base = vf_min(base, vf_set(top));
    vi index = vi_from_vf(base) + (int32_t)l->texture->first_level;
    bool both = stage->mag_linear != stage->min_linear && vi_any(magnified & mask) && vi_any(~magnified & mask);
    bool linear = vi_any(magnified & mask) ? stage->mag_linear : stage->min_linear;
    sample_levels(l, index, face, mask, linear, c);
    if (both) {
        vf other[4];
        vi keyed = l->keyed;
        sample_levels(l, index, face, mask & ~magnified, stage->min_linear, other);
        l->keyed = vi_select(magnified, keyed, l->keyed);
        for (int i = 0; i < 4; i++)
            c[i] = vf_select(magnified, c[i], other[i]);
    }
    vf blend = level - base;
    if (stage->mip == 3 && vi_any((vi)(blend > 0.0f) & mask)) {
        vf below[4];
        vi keyed = l->keyed;
        sample_levels(l, vi_from_vf(vf_min(base + 1.0f, vf_set(top))) + (int32_t)l->texture->first_level, face, mask, stage->min_linear, below);
        l->keyed = keyed;
        mix4(c, below, blend);
    }
}

/* The whole lookup. dx and dy are read only when a level or a filter has to be chosen. */
static void sample(struct lookup *l, struct coordinates *dx, struct coordinates *dy, vi mask, vf c[4])
{
    const struct stage *stage = l->stage;
    vi face = vi_set(0);
    if (l->texture->is_cube)
        face = cube_face(&l->at, dx, dy);
    bool needs_lod = stage->mag_linear != stage->min_linear || (stage->mip > 1 && l->texture->level_count > 1);
    if (!needs_lod && !l->texture->is_cube) {
        l->level = level_at(l->texture, 0, levels_of(stage).first);
        if (stage->mag_linear)
            sample_linear(l, c);
        else
            sample_nearest(l, c);
        return;
    }
    sample_filtered(l, needs_lod ? level_of_detail(stage, dx, dy) : vf_set(0), face, mask, c);
}

/* The four texels of VARIANT_BILINEAR's lookup and their weights. */
INLINE void fetch_bilinear_wrapped(const struct texture *texture, vf u, vf v, vi texels[4], vf *fx, vf *fy)
{
    const struct texture_level *level = &texture->levels[texture->first_level];
    vf pu = vf_max(u - vf_floor(u), vf_set(0)) * (float)level->width - 0.5f, pv = vf_max(v - vf_floor(v), vf_set(0)) * (float)level->height - 0.5f;
    vf fu = vf_floor(pu), fv = vf_floor(pv);
    vi iu = vi_from_vf(fu), iv = vi_from_vf(fv);
    vi x0 = iu & (level->width - 1), x1 = ((iu + 1) & (level->width - 1)) << 2;
    vi y0 = (iv & (level->height - 1)) * level->pitch_bytes, y1 = ((iv + 1) & (level->height - 1)) * level->pitch_bytes;
    vi at_end = (vi)(x0 == level->width - 1), opaque = vi_set((int32_t)texture->or_mask);
    x0 <<= 2;
    if (!vi_any(at_end)) {
        vi_gather_pairs(level->memory, y0 + x0, &texels[0], &texels[1]);
        vi_gather_pairs(level->memory, y1 + x0, &texels[2], &texels[3]);
    } else { /* the right neighbour is the first of the row */
        texels[0] = vi_gather32(level->memory, y0 + x0);
        texels[1] = vi_gather32(level->memory, y0 + x1);
        texels[2] = vi_gather32(level->memory, y1 + x0);
        texels[3] = vi_gather32(level->memory, y1 + x1);
    }
    for (int i = 0; i < 4; i++)
        texels[i] |= opaque;
    *fx = pu - fu;
    *fy = pv - fv;
}

/* The lookup of VARIANT_BILINEAR; the same texel as sample_linear gives. */
INLINE void sample_bilinear_wrapped(const struct texture *texture, vf u, vf v, vf c[4])
{
    vi texels[4];
    vf fx, fy;
    fetch_bilinear_wrapped(texture, u, v, texels, &fx, &fy);
    mix_argb(texels, fx, fy, c);
}

/* The same as ARGB, for VARIANT_DIRECT. */
INLINE vi sample_bilinear_argb(const struct texture *texture, vf u, vf v)
{
    vi texels[4];
    vh rb, ag;
    vf fx, fy;
    fetch_bilinear_wrapped(texture, u, v, texels, &fx, &fy);
    mix_argb_fields(texels, fx, fy, &rb, &ag);
    return (vi)rb | (vi)ag << 8;
}
