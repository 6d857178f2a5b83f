/* SPDX-License-Identifier: MIT */
#include "dp2/clip.h"

#define W_SMALLEST 1e-6f

/* Signed distance to plane number index: 0 w, 1 near, 2 far, 3..6 guard band, 7.. user planes. Keep >= 0. */
static float distance(const struct draw *draw, const float *v, uint32_t index)
{
    const float *h = v + VERTEX_H;
    const float guard = RASTER_GUARD_BAND;
    switch (index) {
    case 0: return h[3] - W_SMALLEST;
    case 1: return v[VERTEX_CLIP_Z];
    case 2: return h[3] - v[VERTEX_CLIP_Z];
    case 3: return h[0] + guard * h[3];
    case 4: return guard * h[3] - h[0];
    case 5: return h[1] + guard * h[3];
    case 6: return guard * h[3] - h[1];
    default: return v[VERTEX_TEXTURE + 4 * draw->texture_slots + index - CLIP_FIXED_PLANES];
    }
}

static bool plane_applies(const struct draw *draw, uint32_t index, uint32_t outcodes)
{
    static const uint32_t bits[CLIP_FIXED_PLANES] = {OUTCODE_W, OUTCODE_NEAR, OUTCODE_FAR, OUTCODE_LEFT, OUTCODE_RIGHT, OUTCODE_TOP, OUTCODE_BOTTOM};
    if (index >= CLIP_FIXED_PLANES)
        return outcodes & OUTCODE_PLANES;
    /* Behind the eye nothing is known about the sides: test all of them. */
    return (outcodes & bits[index]) || ((outcodes & OUTCODE_W) && (index >= 3 || (draw->clip_z && index >= 1)));
}

static void intersect(const struct draw *draw, const float *a, const float *b, float t, float *out)
{
    for (uint32_t i = 0; i < draw->vertex_floats; i++)
        out[i] = a[i] + (b[i] - a[i]) * t;
    const float *h = out + VERTEX_H;
    float rhw = 1 / h[3];
    out[VERTEX_X] = h[0] * rhw;
    out[VERTEX_Y] = h[1] * rhw;
    out[VERTEX_Z] = h[2] * rhw;
    out[VERTEX_RHW] = rhw;
}

struct polygon {
    const float *vertices[CLIP_MAX_VERTICES];
    uint32_t count;
};

/* One plane against a polygon; lines are open (closed == false). New vertices come from the pool. */
static void clip_plane(const struct draw *draw, uint32_t index, bool closed, struct polygon *polygon, struct clip_buffer *buffer, uint32_t *used)
{
    struct polygon out = {.count = 0};
    for (uint32_t i = 0; i < polygon->count; i++) {
        const float *a = polygon->vertices[i], *b = polygon->vertices[(i + 1) % polygon->count];
        float da = distance(draw, a, index), db = distance(draw, b, index);
        if (da >= 0 && out.count < CLIP_MAX_VERTICES)
            out.vertices[out.count++] = a;
        if (!closed && i + 1 == polygon->count)
            break;
        if ((da >= 0) == (db >= 0) || out.count >= CLIP_MAX_VERTICES || *used >= 2 * CLIP_MAX_VERTICES)
            continue;
        /* From the inside vertex outwards, so that two triangles cut their common edge at the same point. */
        float *vertex = buffer->vertices[(*used)++];
        if (da >= 0)
            intersect(draw, a, b, da / (da - db), vertex);
        else
            intersect(draw, b, a, db / (db - da), vertex);
        out.vertices[out.count++] = vertex;
    }
    *polygon = out;
}

uint32_t dp2_clip_polygon(const struct draw *draw, const float *const *in, uint32_t count, uint32_t outcodes, struct clip_buffer *buffer,
                          const float **out)
{
    struct polygon polygon = {.count = count};
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++)
        polygon.vertices[i] = in[i];
    for (uint32_t i = 0; i < CLIP_FIXED_PLANES + draw->plane_count && polygon.count; i++)
        if (plane_applies(draw, i, outcodes))
            clip_plane(draw, i, count > 2, &polygon, buffer, &used);
    for (uint32_t i = 0; i < polygon.count; i++)
        out[i] = polygon.vertices[i];
    return polygon.count >= count ? polygon.count : 0;
}
