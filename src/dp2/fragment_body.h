/* SPDX-License-Identifier: MIT
 * Part of the raster kernel: what happens to eight shaded pixels on their way into the surfaces: depth, stencil, fog,
 * blending, masks. Included by raster_body.h only. */

INLINE vi compare(uint8_t func, vi a, vi b)
{
    switch (func) {
    case D3DCMP_NEVER: return vi_set(0);
    case D3DCMP_LESS: return (vi)(a < b);
    case D3DCMP_EQUAL: return (vi)(a == b);
    case D3DCMP_LESSEQUAL: return (vi)(a <= b);
    case D3DCMP_GREATER: return (vi)(a > b);
    case D3DCMP_NOTEQUAL: return (vi)(a != b);
    case D3DCMP_GREATEREQUAL: return (vi)(a >= b);
    default: return vi_set(-1);
    }
}

/* ---- raw pixels of a row ---- */

INLINE vi load_pixels(const uint8_t *p, uint32_t pixel_bytes, vi mask)
{
    if (pixel_bytes == 4) {
#if defined(__AVX2__)
        return (vi)_mm256_maskload_epi32((const int *)(const void *)p, (__m256i)mask);
#endif
    }
    vi out = vi_set(0);
    for (int i = 0; i < LANES; i++) {
        if (!mask[i])
            continue;
        uint32_t value = 0;
        memcpy(&value, p + (size_t)i * pixel_bytes, pixel_bytes);
        out[i] = (int32_t)value;
    }
    return out;
}

INLINE void store_pixels(uint8_t *p, uint32_t pixel_bytes, vi mask, vi value)
{
    if (pixel_bytes == 4) {
#if defined(__AVX2__)
        _mm256_maskstore_epi32((int *)(void *)p, (__m256i)mask, (__m256i)value);
        return;
#endif
    }
    for (int i = 0; i < LANES; i++) {
        uint32_t lane = (uint32_t)value[i];
        if (mask[i])
            memcpy(p + (size_t)i * pixel_bytes, &lane, pixel_bytes);
    }
}

/* ---- depth ---- */

/* 0..1 to the buffer's integer, rounded to nearest; as signed lanes offset so that comparisons order correctly. */
INLINE vi depth_to_buffer(vf z, uint32_t bits)
{
    if (bits <= 24) {
        float max = (float)((1u << bits) - 1);
        return vi_from_vf(vf_min(z * max + 0.5f, vf_set(max)));
    }
    vi out;
    double max = (double)(bits >= 32 ? 0xFFFFFFFFu : (1u << bits) - 1);
    for (int i = 0; i < LANES; i++)
        out[i] = (int32_t)(uint32_t)((double)z[i] * max + 0.5);
    return out;
}

INLINE vi depth_order(vi z, uint32_t bits)
{
    return bits == 32 ? z ^ (int32_t)0x80000000 : z;
}

struct depth_pixels {
    uint8_t *row;
    vi raw;   /* what the buffer holds */
    vi value; /* of the fragment, in buffer units */
    vi passed;
};

INLINE void depth_load(const struct draw *d, vf z, int32_t x, int32_t y, vi mask, struct depth_pixels *depth)
{
    const struct format *format = &d->depth.format;
    uint32_t bits = format->bits[FORMAT_Z];
    depth->row = d->depth.memory + (size_t)y * d->depth.pitch_bytes + (size_t)x * format->pixel_bytes;
    depth->raw = load_pixels(depth->row, format->pixel_bytes, mask);
    depth->value = depth_to_buffer(z, bits);
    vi stored = (vi)((vu)depth->raw >> format->shift[FORMAT_Z]) & (int32_t)d->z_max;
    depth->passed = d->z_test ? compare(d->z_func, depth_order(depth->value, bits), depth_order(stored, bits)) : vi_set(-1);
}

INLINE vi depth_merge(const struct draw *d, const struct depth_pixels *depth)
{
    return (depth->raw & (int32_t)~d->z_bits) | (depth->value << d->depth.format.shift[FORMAT_Z]);
}

/* ---- stencil ---- */

static vi stencil_operate(uint8_t op, vi s, int32_t ref, int32_t max)
{
    switch (op) {
    case D3DSTENCILOP_ZERO: return vi_set(0);
    case D3DSTENCILOP_REPLACE: return vi_set(ref);
    case D3DSTENCILOP_INCRSAT: return vi_select((vi)(s >= max), vi_set(max), s + 1);
    case D3DSTENCILOP_DECRSAT: return vi_select((vi)(s <= 0), vi_set(0), s - 1);
    case D3DSTENCILOP_INVERT: return ~s & max;
    case D3DSTENCILOP_INCR: return (s + 1) & max;
    case D3DSTENCILOP_DECR: return (s - 1) & max;
    default: return s;
    }
}

/* Stencil test, depth test and both updates; returns the lanes that go on to the colour buffer. */
static vi stencil_and_depth(const struct draw *d, struct depth_pixels *depth, vi mask, struct raster_counters *counters)
{
    const struct format *format = &d->depth.format;
    int32_t max = (int32_t)dp2_format_channel_max(format, FORMAT_STENCIL), shift = format->shift[FORMAT_STENCIL];
    vi s = (vi)((vu)depth->raw >> shift) & max;
    vi passed = compare(d->stencil_func, vi_set((int32_t)(d->stencil_ref & d->stencil_mask)), s & (int32_t)d->stencil_mask);
    vi z_passed = passed & depth->passed, z_failed = passed & ~depth->passed;
    vi updated = vi_select(passed, s, stencil_operate(d->stencil_fail, s, (int32_t)d->stencil_ref, max));
    updated = vi_select(z_failed, stencil_operate(d->stencil_zfail, s, (int32_t)d->stencil_ref, max), updated);
    updated = vi_select(z_passed, stencil_operate(d->stencil_pass, s, (int32_t)d->stencil_ref, max), updated);
    updated = (s & (int32_t)~d->stencil_write) | (updated & (int32_t)d->stencil_write);
    vi merged = d->z_write ? vi_select(z_passed, depth_merge(d, depth), depth->raw) : depth->raw;
    merged = (merged & (int32_t)~((uint32_t)max << shift)) | (updated << shift);
    store_pixels(depth->row, format->pixel_bytes, mask, merged);
    counters->failed_stencil += (uint64_t)__builtin_popcount((unsigned)vi_mask_bits(mask & ~passed));
    counters->failed_depth += (uint64_t)__builtin_popcount((unsigned)vi_mask_bits(mask & z_failed));
    return mask & z_passed;
}

/* ---- fog ---- */

static vf fog_factor(const struct draw *d, vf vertex_fog, vf z, vf w)
{
    if (d->fog == FOG_VERTEX)
        return vf_saturate(vertex_fog);
    vf distance = d->fog == FOG_TABLE_Z ? z : w;
    vf scaled = distance * d->fog_density;
    switch (d->fog_table) {
    case D3DFOG_EXP: return vf_saturate(vf_exp2(vf_clamp(scaled, 0, 1e6f) * -1.44269504f));
    case D3DFOG_EXP2:
        scaled = vf_clamp(scaled, -1e6f, 1e6f);
        return vf_saturate(vf_exp2(scaled * scaled * -1.44269504f));
    default:
        if (d->fog_scale == 0)
            return vf_select((vi)(distance < d->fog_end), vf_set(1), vf_set(0));
        return vf_saturate((d->fog_end - distance) * d->fog_scale);
    }
}

/* ---- colour ---- */

static void unpack_target(const struct format *format, vi raw, vf c[4])
{
    for (int i = 0; i < 4; i++) {
        uint32_t max = dp2_format_channel_max(format, i);
        c[i] = format->bits[i] ? vf_from_vi((vi)((vu)raw >> format->shift[i]) & (int32_t)max) * (1.0f / (float)max) : vf_set(i == 3);
    }
}

INLINE vi pack_target(const struct format *format, const vf c[4], vf dither)
{
    vi raw = vi_set(0);
    for (int i = 0; i < 4; i++) {
        if (!format->bits[i])
            continue;
        float max = (float)dp2_format_channel_max(format, i);
        raw |= vi_from_vf(vf_min(c[i] * max + dither, vf_set(max))) << format->shift[i];
    }
    return raw;
}

static void blend_factor(uint8_t mode, const vf s[4], const vf t[4], vf f[4])
{
    vf all = vf_set(1);
    switch (mode) {
    case D3DBLEND_ZERO: all = vf_set(0); break;
    case D3DBLEND_SRCALPHA: all = s[3]; break;
    case D3DBLEND_INVSRCALPHA: all = 1.0f - s[3]; break;
    case D3DBLEND_DESTALPHA: all = t[3]; break;
    case D3DBLEND_INVDESTALPHA: all = 1.0f - t[3]; break;
    case D3DBLEND_SRCALPHASAT: all = vf_min(s[3], 1.0f - t[3]); break;
    default: break;
    }
    for (int i = 0; i < 4; i++)
        f[i] = mode == D3DBLEND_SRCCOLOR ? s[i] : mode == D3DBLEND_INVSRCCOLOR ? 1.0f - s[i] : mode == D3DBLEND_DESTCOLOR ? t[i]
               : mode == D3DBLEND_INVDESTCOLOR ? 1.0f - t[i] : all;
    if (mode == D3DBLEND_SRCALPHASAT)
        f[3] = vf_set(1);
}

static void blend_colors(const struct draw *d, vf s[4], const vf t[4])
{
    vf fs[4], ft[4];
    blend_factor(d->source_blend, s, t, fs);
    blend_factor(d->destination_blend, s, t, ft);
    for (int i = 0; i < 4; i++) {
        vf a = s[i] * fs[i], b = t[i] * ft[i];
        switch (d->blend_op) {
        case D3DBLENDOP_SUBTRACT: s[i] = vf_saturate(a - b); break;
        case D3DBLENDOP_REVSUBTRACT: s[i] = vf_saturate(b - a); break;
        case D3DBLENDOP_MIN: s[i] = vf_min(s[i], t[i]); break;
        case D3DBLENDOP_MAX: s[i] = vf_max(s[i], t[i]); break;
        default: s[i] = vf_saturate(a + b); break;
        }
    }
}

/* ---- 8888 targets, blending by ADD or not at all ---- */

INLINE void write_8888(const struct draw *d, vf c[4], int32_t x, int32_t y, vi mask)
{
    uint8_t *p = d->color.memory + (size_t)y * d->color.pitch_bytes + (size_t)x * 4;
    if (d->blend) {
        vf t[4];
        const float scale = 1.0f / 255;
        vi old = load_pixels(p, 4, mask);
        t[0] = vf_from_vi(old >> 16 & 255) * scale;
        t[1] = vf_from_vi(old >> 8 & 255) * scale;
        t[2] = vf_from_vi(old & 255) * scale;
        t[3] = d->color.format.bits[FORMAT_ALPHA] ? vf_from_vi((vi)((vu)old >> 24)) * scale : vf_set(1);
        if (d->source_blend == D3DBLEND_SRCALPHA && d->destination_blend == D3DBLEND_INVSRCALPHA) {
            vf alpha = c[3], rest = 1.0f - alpha;
            for (int i = 0; i < 4; i++)
                c[i] = vf_saturate(c[i] * alpha + t[i] * rest);
        } else {
            blend_colors(d, c, t);
        }
    }
    vi raw = vi_from_vf(c[0] * 255.0f + 0.5f) << 16 | vi_from_vf(c[1] * 255.0f + 0.5f) << 8 | vi_from_vf(c[2] * 255.0f + 0.5f);
    if (d->color.format.bits[FORMAT_ALPHA])
        raw |= vi_from_vf(c[3] * 255.0f + 0.5f) << 24;
    store_pixels(p, 4, mask, raw);
}

/* GDI's raster operations R2_BLACK (1) to R2_WHITE (16): p is the new pixel, t the old one. */
static vi raster_operate(uint8_t rop, vi p, vi t)
{
    switch (rop) {
    case 1: return vi_set(0);
    case 2: return ~(p | t);
    case 3: return t & ~p;
    case 4: return ~p;
    case 5: return p & ~t;
    case 6: return ~t;
    case 7: return p ^ t;
    case 8: return ~(p & t);
    case 9: return p & t;
    case 10: return ~(p ^ t);
    case 11: return t;
    case 12: return t | ~p;
    case 14: return p | ~t;
    case 15: return p | t;
    case 16: return vi_set(-1);
    default: return p;
    }
}

/* 4x4 ordered pattern, values (k + 1/2) / 16. */
static vf ordered(int32_t x, int32_t y)
{
    static const uint8_t bayer[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    vf out;
    for (int i = 0; i < LANES; i++)
        out[i] = ((float)bayer[y & 3][(x + i) & 3] + 0.5f) * (1.0f / 16);
    return out;
}

static void write_color(const struct draw *d, vf c[4], int32_t x, int32_t y, vi mask)
{
    const struct format *format = &d->color.format;
    uint8_t *p = d->color.memory + (size_t)y * d->color.pitch_bytes + (size_t)x * format->pixel_bytes;
    vi old = vi_set(0);
    if (d->blend || !d->plain_write) {
        old = load_pixels(p, format->pixel_bytes, mask);
        if (d->blend) {
            vf t[4];
            unpack_target(format, old, t);
            blend_colors(d, c, t);
        }
    }
    vi raw = pack_target(format, c, d->dither ? ordered(x, y) : vf_set(0.5f));
    if (!d->plain_write) {
        raw = raster_operate(d->rop, raw, old);
        raw = (raw & (int32_t)d->write_mask) | (old & (int32_t)~d->write_mask);
    }
    store_pixels(p, format->pixel_bytes, mask, raw);
}
