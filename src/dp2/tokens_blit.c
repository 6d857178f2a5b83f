/* SPDX-License-Identifier: MIT
 * CLEAR and the blits. They are ordered against drawing: what is queued is drawn first. Rectangles come from the
 * stream and may be anything; they are clipped to the surfaces, and their area counts against the call's limit. */
#include "dp2/context.h"

struct rect {
    int64_t left, top, right, bottom; /* right and bottom exclusive */
};

static struct rect read_rect(const uint8_t *bytes)
{
    return (struct rect){(int32_t)le32(bytes), (int32_t)le32(bytes + 4), (int32_t)le32(bytes + 8), (int32_t)le32(bytes + 12)};
}

static struct rect intersect(struct rect a, struct rect b)
{
    return (struct rect){a.left > b.left ? a.left : b.left, a.top > b.top ? a.top : b.top, a.right < b.right ? a.right : b.right,
                         a.bottom < b.bottom ? a.bottom : b.bottom};
}

static bool is_empty(struct rect r)
{
    return r.left >= r.right || r.top >= r.bottom;
}

static bool take_pixels(struct run *run, uint64_t pixels)
{
    if (pixels > run->context->pixels_left)
        return false;
    run->context->pixels_left -= pixels;
    return true;
}

/* ---- CLEAR ---- */

static void fill_words(uint8_t *row, size_t count, uint32_t raw, uint32_t keep)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, row + i * 4, 4);
        word = (word & keep) | raw;
        memcpy(row + i * 4, &word, 4);
    }
}

/* raw where mask, row by row. */
static void fill(const struct surface *surface, struct rect r, uint32_t raw, uint32_t mask)
{
    const struct cdxr_dp2_level *level = &surface->levels[0];
    uint32_t all = surface->format.pixel_bytes == 4 ? ~0u : (1u << surface->format.pixel_bytes * 8) - 1;
    for (int64_t y = r.top; y < r.bottom; y++) {
        uint8_t *row = (uint8_t *)level->memory + y * level->pitch_bytes;
        if (surface->format.pixel_bytes == 4) {
            fill_words(row + r.left * 4, (size_t)(r.right - r.left), raw & mask, ~mask);
            continue;
        }
        for (int64_t x = r.left; x < r.right; x++) {
            uint32_t old = (mask & all) == all ? 0 : dp2_format_raw_read(&surface->format, row, (uint32_t)x);
            dp2_format_raw_write(&surface->format, row, (uint32_t)x, (old & ~mask) | (raw & mask));
        }
    }
}

static struct rect extent_rect(const struct surface *surface)
{
    return (struct rect){0, 0, surface->description.width, surface->description.height};
}

static uint32_t depth_fill(const struct format *format, float depth, uint32_t stencil, uint32_t flags, uint32_t *mask)
{
    double clamped = depth > 0 ? (depth < 1 ? depth : 1) : 0; /* NaN: 0 */
    uint32_t z_max = dp2_format_channel_max(format, FORMAT_Z), stencil_max = dp2_format_channel_max(format, FORMAT_STENCIL);
    uint32_t z = (uint32_t)(clamped * z_max + 0.5);
    *mask = 0;
    if (flags & D3DCLEAR_ZBUFFER)
        *mask |= z_max << format->shift[FORMAT_Z];
    if ((flags & D3DCLEAR_STENCIL) && format->bits[FORMAT_STENCIL])
        *mask |= stencil_max << format->shift[FORMAT_STENCIL];
    return z << format->shift[FORMAT_Z] | (stencil & stencil_max) << format->shift[FORMAT_STENCIL];
}

struct clear {
    const struct surface *color, *depth;
    uint32_t flags, color_raw, depth_raw, depth_mask;
    struct rect bounds;
};

static bool clear_rect(struct run *run, const struct clear *clear, struct rect r)
{
    r = intersect(r, clear->bounds);
    if (is_empty(r))
        return true;
    if (!take_pixels(run, (uint64_t)(r.right - r.left) * (uint64_t)(r.bottom - r.top)))
        return false;
    if (clear->color) {
        struct rect c = intersect(r, extent_rect(clear->color));
        if (!is_empty(c))
            fill(clear->color, c, clear->color_raw, ~0u);
    }
    if (clear->depth && clear->depth_mask) {
        struct rect d = intersect(r, extent_rect(clear->depth));
        if (!is_empty(d))
            fill(clear->depth, d, clear->depth_raw, clear->depth_mask);
    }
    return true;
}

static bool init_clear(struct run *run, const uint8_t *payload, struct clear *clear)
{
    const struct dp2_state *state = &run->context->state;
    clear->flags = le32(payload);
    clear->color = clear->flags & D3DCLEAR_TARGET ? dp2_space_surface(run->context->space, state->target) : NULL;
    if (clear->color && !(clear->color->description.flags & CDXR_DP2_SURFACE_TARGET))
        clear->color = NULL;
    bool wants_depth = clear->flags & (D3DCLEAR_ZBUFFER | D3DCLEAR_STENCIL);
    clear->depth = wants_depth ? dp2_space_surface(run->context->space, state->depth) : NULL;
    if (clear->depth && clear->depth->format.kind != FORMAT_KIND_DEPTH)
        clear->depth = NULL;
    if ((clear->flags & ~15u) && dp2_violation(run, "flags 0x%x outside 0xf", clear->flags))
        return false;
    if ((((clear->flags & D3DCLEAR_TARGET) && !clear->color) || (wants_depth && !clear->depth)) &&
        dp2_violation(run, "flags 0x%x without such a surface bound", clear->flags))
        return false;
    if (clear->color)
        clear->color_raw = run->context->config.identify ? 0 : dp2_format_pack_argb(&clear->color->format, le32(payload + 4));
    if (clear->depth)
        clear->depth_raw = depth_fill(&clear->depth->format, le_float(payload + 8), le32(payload + 12), clear->flags, &clear->depth_mask);
    clear->bounds = (struct rect){0, 0, SURFACE_MAX_EDGE, SURFACE_MAX_EDGE};
    if ((clear->flags & D3DCLEAR_COMPUTERECTS) && state->viewport[2])
        clear->bounds = (struct rect){state->viewport[0], state->viewport[1], (int64_t)state->viewport[0] + state->viewport[2],
                                      (int64_t)state->viewport[1] + state->viewport[3]};
    return true;
}

/* Without rectangles: the viewport with COMPUTERECTS, the whole target otherwise. */
enum token_answer dp2_token_clear(struct run *run, const uint8_t *payload)
{
    struct clear clear;
    dp2_flush(run->context);
    if (!init_clear(run, payload, &clear))
        return TOKEN_BAD;
    if (run->context->collector)
        return TOKEN_DONE;
    bool enough = true;
    if (!run->count) {
        dp2_report(run, CDXR_DP2_SEVERITY_NOTE, "no rectangles: %zu bytes of payload read (policy clear_zero)", run->payload_bytes);
        enough = clear_rect(run, &clear, clear.bounds);
    }
    for (uint32_t i = 0; i < run->count && enough; i++)
        enough = clear_rect(run, &clear, read_rect(payload + 16 + i * 16));
    if (!enough && dp2_violation(run, "the call visits more pixels than the limit, the rest is not cleared"))
        return TOKEN_BAD;
    return TOKEN_DONE;
}

/* ---- TEXBLT ---- */

/* Pixels to units of the format's blocks: one, or 4x4. */
static struct rect to_blocks(const struct format *format, struct rect r)
{
    if (format->kind != FORMAT_KIND_DXT)
        return r;
    return (struct rect){r.left >> 2, r.top >> 2, (r.right + 3) >> 2, (r.bottom + 3) >> 2};
}

static void copy_rows(const struct surface *from, const struct cdxr_dp2_level *source, const struct cdxr_dp2_level *destination, struct rect r,
                      int64_t x, int64_t y, int64_t source_slice, int64_t destination_slice)
{
    const struct format *format = &from->format;
    struct rect blocks = to_blocks(format, r);
    struct rect to = to_blocks(format, (struct rect){x, y, x, y});
    size_t start = (size_t)dp2_format_row_bytes(format, (uint32_t)r.left), width = (size_t)dp2_format_row_bytes(format, (uint32_t)r.right) - start;
    size_t to_start = (size_t)dp2_format_row_bytes(format, (uint32_t)x);
    int64_t rows = blocks.bottom - blocks.top;
    const uint8_t *in = (const uint8_t *)source->memory + source_slice + blocks.top * source->pitch_bytes + start;
    uint8_t *out = (uint8_t *)destination->memory + destination_slice + to.top * destination->pitch_bytes + to_start;
    bool backwards = out > in; /* the two may be one surface */
    for (int64_t i = 0; i < rows; i++) {
        int64_t row = backwards ? rows - 1 - i : i;
        memmove(out + row * destination->pitch_bytes, in + row * source->pitch_bytes, width);
    }
}

/* Clip a source rectangle and its destination point to both extents; false when nothing is left. */
static bool clip_copy(struct rect *r, int64_t *x, int64_t *y, struct surface_extent from, struct surface_extent to)
{
    struct rect clipped = intersect(*r, (struct rect){0, 0, from.width, from.height});
    *x += clipped.left - r->left;
    *y += clipped.top - r->top;
    if (*x < 0) {
        clipped.left -= *x;
        *x = 0;
    }
    if (*y < 0) {
        clipped.top -= *y;
        *y = 0;
    }
    if (clipped.right - clipped.left > to.width - *x)
        clipped.right = clipped.left + to.width - *x;
    if (clipped.bottom - clipped.top > to.height - *y)
        clipped.bottom = clipped.top + to.height - *y;
    *r = clipped;
    return !is_empty(clipped);
}

static struct rect halve(struct rect r)
{
    struct rect half = {r.left >> 1, r.top >> 1, (r.right + 1) >> 1, (r.bottom + 1) >> 1};
    half.right += half.right == half.left;
    half.bottom += half.bottom == half.top;
    return half;
}

static bool same_format(const struct surface *a, const struct surface *b)
{
    return !memcmp(&a->format, &b->format, sizeof(a->format)) && a->face_count == b->face_count;
}

/* Copies snap to whole blocks on both sides, so that a block is never torn. */
static void snap_to_blocks(const struct format *format, struct rect *r, int64_t *x, int64_t *y, struct surface_extent from)
{
    if (format->kind != FORMAT_KIND_DXT && format->kind != FORMAT_KIND_YUV && format->pixel_bytes)
        return;
    int64_t wide = format->kind == FORMAT_KIND_DXT ? 3 : 1, high = format->kind == FORMAT_KIND_DXT ? 3 : 0;
    r->left &= ~wide;
    r->top &= ~high;
    *x &= ~wide;
    *y &= ~high;
    r->right = (r->right + wide) & ~wide;
    r->bottom = (r->bottom + high) & ~high;
    r->right = r->right > from.width ? from.width : r->right;
    r->bottom = r->bottom > from.height ? from.height : r->bottom;
}

/* Levels match by size: a smaller destination begins at a lower level of the source. */
static bool blit_levels(struct run *run, const struct surface *to, const struct surface *from, struct rect r, int64_t x, int64_t y)
{
    uint32_t skip = 0;
    while (skip + 1 < from->description.level_count && dp2_surface_level_extent(from, skip).width > to->description.width) {
        r = halve(r);
        skip++;
    }
    for (uint32_t i = 0; i < to->description.level_count && skip + i < from->description.level_count; i++) {
        struct surface_extent a = dp2_surface_level_extent(from, skip + i), b = dp2_surface_level_extent(to, i);
        struct rect part = r;
        int64_t px = x, py = y;
        snap_to_blocks(&from->format, &part, &px, &py, a);
        if (clip_copy(&part, &px, &py, a, b)) {
            if (!take_pixels(run, (uint64_t)(part.right - part.left) * (uint64_t)(part.bottom - part.top) * from->face_count))
                return false;
            for (uint32_t face = 0; face < from->face_count; face++)
                copy_rows(from, dp2_surface_level(from, face, skip + i), dp2_surface_level(to, face, i), part, px, py, 0, 0);
        }
        r = halve(r);
        x >>= 1;
        y >>= 1;
    }
    return true;
}

enum token_answer dp2_token_texture_blit(struct run *run, const uint8_t *payload)
{
    dp2_flush(run->context);
    if (!run->count && run->context->config.policies.record_zero == CDXR_DP2_RECORD_ZERO_ERROR) {
        dp2_report(run, CDXR_DP2_SEVERITY_ERROR, "count 0 (policy record_zero)");
        return TOKEN_BAD;
    }
    for (uint32_t i = 0; i < run->count; i++, payload += 36) {
        const struct surface *to = dp2_space_surface(run->context->space, le32(payload));
        const struct surface *from = dp2_space_surface(run->context->space, le32(payload + 4));
        if (!le32(payload) && from)
            continue; /* preload: everything is at hand already */
        bool usable = to && from && from->format.kind != FORMAT_KIND_BUFFER && same_format(to, from);
        if (!usable && dp2_violation(run, "0x%x to 0x%x: %s", le32(payload + 4), le32(payload), to && from ? "formats differ" : "no such surface"))
            return TOKEN_BAD;
        if (usable && !blit_levels(run, to, from, read_rect(payload + 16), (int32_t)le32(payload + 8), (int32_t)le32(payload + 12)) &&
            dp2_violation(run, "the call visits more pixels than the limit"))
            return TOKEN_BAD;
    }
    run->context->state_changed = true;
    return TOKEN_DONE;
}

/* ---- VOLUMEBLT ---- */

struct box {
    struct rect rect;
    int64_t front, back, x, y, z;
};

static bool blit_box(struct run *run, const struct surface *to, const struct surface *from, struct box box)
{
    uint32_t levels = to->description.level_count < from->description.level_count ? to->description.level_count : from->description.level_count;
    for (uint32_t i = 0; i < levels; i++) {
        struct surface_extent a = dp2_surface_level_extent(from, i), b = dp2_surface_level_extent(to, i);
        struct rect part = box.rect;
        int64_t x = box.x, y = box.y;
        int64_t back = box.back < a.depth ? box.back : a.depth;
        snap_to_blocks(&from->format, &part, &x, &y, a);
        bool some = clip_copy(&part, &x, &y, a, b);
        for (int64_t z = box.front; some && z < back && z - box.front + box.z < b.depth; z++) {
            if (!take_pixels(run, (uint64_t)(part.right - part.left) * (uint64_t)(part.bottom - part.top)))
                return false;
            const struct cdxr_dp2_level *source = dp2_surface_level(from, 0, i), *destination = dp2_surface_level(to, 0, i);
            copy_rows(from, source, destination, part, x, y, z * source->slice_bytes, (z - box.front + box.z) * destination->slice_bytes);
        }
        box = (struct box){halve(box.rect), box.front >> 1, (box.back + 1) >> 1, box.x >> 1, box.y >> 1, box.z >> 1};
        box.back += box.back == box.front;
    }
    return true;
}

enum token_answer dp2_token_volume_blit(struct run *run, const uint8_t *payload)
{
    dp2_flush(run->context);
    for (uint32_t i = 0; i < run->count; i++, payload += 48) {
        const struct surface *to = dp2_space_surface(run->context->space, le32(payload));
        const struct surface *from = dp2_space_surface(run->context->space, le32(payload + 4));
        bool usable = to && from && from->format.kind != FORMAT_KIND_BUFFER && same_format(to, from) && from->face_count == 1;
        if (!usable && dp2_violation(run, "0x%x to 0x%x: no such volumes of one format", le32(payload + 4), le32(payload)))
            return TOKEN_BAD;
        /* left, top, right, bottom, front, back: unsigned, so larger than any surface is merely clipped */
        struct box box = {{le32(payload + 20), le32(payload + 24), le32(payload + 28), le32(payload + 32)},
                          le32(payload + 36), le32(payload + 40), le32(payload + 8), le32(payload + 12), le32(payload + 16)};
        if (usable && !blit_box(run, to, from, box) && dp2_violation(run, "the call visits more pixels than the limit"))
            return TOKEN_BAD;
    }
    run->context->state_changed = true;
    return TOKEN_DONE;
}

/* ---- BUFFERBLT ---- */

enum token_answer dp2_token_buffer_blit(struct run *run, const uint8_t *payload)
{
    dp2_flush(run->context);
    for (uint32_t i = 0; i < run->count; i++, payload += 24) {
        const struct surface *to = dp2_space_surface(run->context->space, le32(payload));
        const struct surface *from = dp2_space_surface(run->context->space, le32(payload + 4));
        uint64_t to_offset = le32(payload + 8), from_offset = le32(payload + 12), byte_count = le32(payload + 16);
        bool usable = to && from && to->format.kind == FORMAT_KIND_BUFFER && from->format.kind == FORMAT_KIND_BUFFER &&
                      to_offset + byte_count <= to->levels[0].byte_count && from_offset + byte_count <= from->levels[0].byte_count;
        if (!usable && dp2_violation(run, "0x%x + %u to 0x%x + %u, %u bytes: no such buffers, or out of their bounds", le32(payload + 4),
                                     (uint32_t)from_offset, le32(payload), (uint32_t)to_offset, (uint32_t)byte_count))
            return TOKEN_BAD;
        if (usable && !take_pixels(run, byte_count)) {
            if (dp2_violation(run, "the call visits more bytes than the limit"))
                return TOKEN_BAD;
            continue;
        }
        if (usable && byte_count)
            memmove((uint8_t *)to->levels[0].memory + to_offset, (const uint8_t *)from->levels[0].memory + from_offset, (size_t)byte_count);
    }
    return TOKEN_DONE;
}
