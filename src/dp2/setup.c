/* SPDX-License-Identifier: MIT
 * Rules: docs/dp2.md, "Coverage", "Lines", "Points", "Culling". */
#include "dp2/setup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cdxr/d3dhal.h"

typedef float f4 __attribute__((vector_size(16)));

enum { ONE = 1 << RASTER_SUBPIXEL_BITS, HALF = ONE / 2 };

struct point {
    int32_t x, y; /* 1/256 pixel */
};

/* ---- output ---- */

void dp2_setup_output_reset(struct setup_output *output)
{
    dp2_arena_reset(&output->arena);
    output->count = 0;
    output->skipped = output->culled = output->clipped_away = 0;
}

void dp2_setup_output_finish(struct setup_output *output)
{
    dp2_arena_finish(&output->arena);
    free(output->list);
    free(output->clip);
    memset(output, 0, sizeof(*output));
}

static struct raster_primitive *primitive_new(struct setup_output *output, const struct draw *draw, enum raster_kind kind)
{
    if (output->count == output->capacity) {
        uint32_t capacity = output->capacity ? output->capacity * 2 : 64;
        const struct raster_primitive **list = realloc(output->list, capacity * sizeof(*list));
        if (!list)
            return NULL;
        output->list = list;
        output->capacity = capacity;
    }
    struct raster_primitive *p = dp2_arena_take(&output->arena, sizeof(*p) + draw->group_count * sizeof(struct raster_plane));
    if (!p)
        return NULL;
    p->draw = draw;
    p->kind = kind;
    p->constant_groups = 0;
    return p;
}

static void primitive_commit(struct setup_output *output, struct raster_primitive *p)
{
    if (p->x0 < p->x1 && p->y0 < p->y1)
        output->list[output->count++] = p;
}

/* ---- snapping ---- */

/* Round to nearest 1/256, ties to even; false when the vertex lies outside the guard band (or is NaN). */
static bool snap(const float *vertex, struct point *point)
{
    const float limit = RASTER_GUARD_BAND + 1;
    if (!(fabsf(vertex[VERTEX_X]) <= limit && fabsf(vertex[VERTEX_Y]) <= limit))
        return false;
    point->x = (int32_t)lrintf(vertex[VERTEX_X] * ONE);
    point->y = (int32_t)lrintf(vertex[VERTEX_Y] * ONE);
    return true;
}

static int32_t floor_pixel(int32_t fixed)
{
    return fixed >> RASTER_SUBPIXEL_BITS;
}

static int32_t ceil_pixel(int32_t fixed)
{
    return (fixed + ONE - 1) >> RASTER_SUBPIXEL_BITS;
}

static int32_t min2(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t max2(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static void set_bounds(struct raster_primitive *p, int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    const int32_t *s = p->draw->scissor;
    p->x0 = max2(x0, s[0]);
    p->y0 = max2(y0, s[1]);
    p->x1 = min2(x1, s[2]);
    p->y1 = min2(y1, s[3]);
}

/* ---- interpolation ---- */

/* Values of a group at the vertices, ready for linear interpolation on the screen. True: a colour that is the same everywhere. */
static bool load_group(const struct draw *draw, uint32_t group, const float *const *v, const float *provoking, uint32_t count, bool affine, f4 *values)
{
    bool color = (int)group == draw->group_diffuse || (int)group == draw->group_specular;
    uint32_t source = draw->group_source[group];
    for (uint32_t i = 0; i < count; i++)
        memcpy(&values[i], v[i] + source, sizeof(f4));
    if (draw->flat && color) {
        f4 flat;
        memcpy(&flat, provoking + source, sizeof(flat));
        for (uint32_t i = 0; i < count; i++) {
            float fog_alpha = values[i][3];
            values[i] = flat;
            if ((int)group == draw->group_specular)
                values[i][3] = fog_alpha; /* the fog factor is always interpolated */
        }
    }
    if (source >= VERTEX_TEXTURE && draw->wrap[(source - VERTEX_TEXTURE) / 4])
        for (uint32_t i = 1; i < count; i++)
            for (int c = 0; c < 4; c++)
                if (draw->wrap[(source - VERTEX_TEXTURE) / 4] >> c & 1)
                    values[i][c] -= rintf(values[i][c] - values[0][c]); /* the short way round */
    if (color && !memcmp(&values[0], &values[1], sizeof(f4)) && !memcmp(&values[0], &values[count - 1], sizeof(f4)))
        return true;
    if (group > 0 && !affine)
        for (uint32_t i = 0; i < count; i++)
            values[i] *= v[i][VERTEX_RHW];
    return false;
}

/* Without a usable, varying rhw everything is linear on the screen. */
static bool is_affine(const struct draw *draw, const float *const *v, uint32_t count)
{
    float rhw = v[0][VERTEX_RHW];
    bool same = true;
    for (uint32_t i = 0; i < count; i++) {
        if (!(v[i][VERTEX_RHW] > 0) || !draw->perspective)
            return true;
        same &= v[i][VERTEX_RHW] == rhw;
    }
    return same;
}

static void set_planes(struct raster_primitive *p, const float *const *v, const float *provoking, const struct point *s, int64_t area)
{
    const struct draw *draw = p->draw;
    const float scale = 1.0f / ONE;
    float x10 = (float)(s[1].x - s[0].x) * scale, y10 = (float)(s[1].y - s[0].y) * scale;
    float x20 = (float)(s[2].x - s[0].x) * scale, y20 = (float)(s[2].y - s[0].y) * scale;
    float inverse = (float)(65536.0 / (double)area);
    p->anchor_x = (float)s[0].x * scale;
    p->anchor_y = (float)s[0].y * scale;
    p->affine = is_affine(draw, v, 3);
    for (uint32_t g = 0; g < draw->group_count; g++) {
        f4 value[3];
        p->constant_groups |= (uint16_t)(load_group(draw, g, v, provoking, 3, p->affine, value) << g);
        f4 d1 = value[1] - value[0], d2 = value[2] - value[0];
        f4 dx = (d1 * y20 - d2 * y10) * inverse, dy = (d2 * x10 - d1 * x20) * inverse;
        memcpy(p->planes[g].origin, &value[0], sizeof(f4));
        memcpy(p->planes[g].dx, &dx, sizeof(f4));
        memcpy(p->planes[g].dy, &dy, sizeof(f4));
    }
}

/* Where the vertices' colour is 1 all over, a product with it is the texel. */
static enum draw_variant choose_variant(const struct raster_primitive *p)
{
    const struct draw *draw = p->draw;
    const float *color = p->planes[draw->group_diffuse].origin;
    bool white = p->constant_groups >> draw->group_diffuse & 1 && color[0] == 1 && color[1] == 1 && color[2] == 1;
    bool opaque = color[3] == 1 || !draw->color.format.bits[FORMAT_ALPHA];
    return draw->direct_if_white && white && opaque ? VARIANT_DIRECT : draw->variant;
}

/* ---- triangles ---- */

/* a*x + b*y + c >= 0 inside, top-left rule in c. c counts whole units of 1/256 after dividing by the pixel scale. */
static void set_edge(struct raster_primitive *p, int i, struct point from, struct point to)
{
    int32_t a = from.y - to.y, b = to.x - from.x;
    bool owns = a > 0 || (a == 0 && b > 0); /* left edge, or top edge */
    int64_t c = -((int64_t)a * from.x + (int64_t)b * from.y) - (owns ? 0 : 1);
    p->edge_a[i] = a;
    p->edge_b[i] = b;
    p->edge_c[i] = c >> RASTER_SUBPIXEL_BITS;
}

static void fill_triangle(const struct draw *draw, const float *const *v, const float *provoking, const struct point *s, int64_t area,
                          struct setup_output *output)
{
    int32_t x0 = ceil_pixel(min2(min2(s[0].x, s[1].x), s[2].x)), x1 = floor_pixel(max2(max2(s[0].x, s[1].x), s[2].x)) + 1;
    int32_t y0 = ceil_pixel(min2(min2(s[0].y, s[1].y), s[2].y)), y1 = floor_pixel(max2(max2(s[0].y, s[1].y), s[2].y)) + 1;
    if (max2(x0, draw->scissor[0]) >= min2(x1, draw->scissor[2]) || max2(y0, draw->scissor[1]) >= min2(y1, draw->scissor[3]))
        return;
    struct raster_primitive *p = primitive_new(output, draw, RASTER_TRIANGLE);
    if (!p)
        return;
    set_bounds(p, x0, y0, x1, y1);
    bool positive = area > 0;
    set_edge(p, 0, positive ? s[0] : s[1], positive ? s[1] : s[0]);
    set_edge(p, 1, positive ? s[1] : s[2], positive ? s[2] : s[1]);
    set_edge(p, 2, positive ? s[2] : s[0], positive ? s[0] : s[2]);
    set_planes(p, v, provoking, s, area);
    p->variant = choose_variant(p);
    primitive_commit(output, p);
}

/* Twice the signed area in 1/65536 pixel: positive is clockwise on the screen. */
static int64_t signed_area(const struct point *s)
{
    return (int64_t)(s[1].x - s[0].x) * (s[2].y - s[0].y) - (int64_t)(s[2].x - s[0].x) * (s[1].y - s[0].y);
}

static bool is_culled(const struct draw *draw, int64_t area)
{
    if (draw->cull == D3DCULL_CW)
        return area >= 0;
    return draw->cull == D3DCULL_CCW && area < 0;
}

/* ---- points ---- */

static void setup_point(const struct draw *draw, const float *v, struct setup_output *output)
{
    struct point s;
    if (!snap(v, &s)) {
        output->skipped++;
        return;
    }
    struct raster_primitive *p = primitive_new(output, draw, RASTER_RECT);
    if (!p)
        return;
    float size = v[VERTEX_POINT_SIZE] >= 1 ? v[VERTEX_POINT_SIZE] : 1;
    int32_t half = (int32_t)lrintf(size * HALF);
    set_bounds(p, ceil_pixel(s.x - half), ceil_pixel(s.y - half), ceil_pixel(s.x + half), ceil_pixel(s.y + half));
    p->affine = true;
    p->anchor_x = (float)(s.x - half) / ONE;
    p->anchor_y = (float)(s.y - half) / ONE;
    for (uint32_t g = 0; g < draw->group_count; g++) {
        memset(&p->planes[g], 0, sizeof(p->planes[g]));
        memcpy(p->planes[g].origin, v + draw->group_source[g], sizeof(f4));
        if (draw->point_sprite && draw->group_source[g] >= VERTEX_TEXTURE)
            p->planes[g] = (struct raster_plane){{0, 0, 0, 1}, {1 / size, 0, 0, 0}, {0, 1 / size, 0, 0}};
    }
    primitive_commit(output, p);
}

/* ---- lines ---- */

/* Is the point inside the diamond |dx| + |dy| < 1/2 of its nearest pixel? */
static bool in_diamond(struct point s)
{
    int32_t dx = s.x - floor_pixel(s.x + HALF) * ONE, dy = s.y - floor_pixel(s.y + HALF) * ONE;
    return abs(dx) + abs(dy) < HALF;
}

/* Pixels along the major axis whose diamonds the line leaves; the last one's only when its end is not inside it. */
static void set_line_range(struct raster_primitive *p, const struct point *s)
{
    int32_t from = p->y_major ? s[0].y : s[0].x, to = p->y_major ? s[1].y : s[1].x;
    int32_t step = to >= from ? 1 : -1;
    int32_t first = floor_pixel(from + HALF), last = floor_pixel(to + HALF); /* nearest columns */
    /* A start beyond the column's centre, outside its diamond, has left it already. */
    if (!in_diamond(s[0]) && (from - first * ONE) * step > 0)
        first += step;
    /* An end before the column's centre, outside its diamond, never entered it. */
    bool ends_inside = in_diamond(s[1]);
    if (ends_inside ? !p->draw->last_pixel : (to - last * ONE) * step < 0)
        last -= step;
    p->line_first = first;
    p->line_last = last;
}

static void set_line_planes(struct raster_primitive *p, const float *const *v, const float *provoking, const struct point *s)
{
    const struct draw *draw = p->draw;
    float length = (float)(p->y_major ? s[1].y - s[0].y : s[1].x - s[0].x) / ONE;
    p->anchor_x = (float)s[0].x / ONE;
    p->anchor_y = (float)s[0].y / ONE;
    p->affine = is_affine(draw, v, 2);
    for (uint32_t g = 0; g < draw->group_count; g++) {
        f4 value[2];
        p->constant_groups |= (uint16_t)(load_group(draw, g, v, provoking, 2, p->affine, value) << g);
        f4 slope = length != 0 ? (value[1] - value[0]) / length : value[0] * 0.0f;
        memset(&p->planes[g], 0, sizeof(p->planes[g]));
        memcpy(p->planes[g].origin, &value[0], sizeof(f4));
        memcpy(p->y_major ? p->planes[g].dy : p->planes[g].dx, &slope, sizeof(f4));
    }
}

static void setup_unclipped_line(const struct draw *draw, const float *const *v, const float *provoking, struct setup_output *output)
{
    struct point s[2];
    if (!snap(v[0], &s[0]) || !snap(v[1], &s[1])) {
        output->skipped++;
        return;
    }
    struct raster_primitive *p = primitive_new(output, draw, RASTER_LINE);
    if (!p)
        return;
    p->y_major = abs(s[1].y - s[0].y) > abs(s[1].x - s[0].x);
    p->line_x0 = s[0].x;
    p->line_y0 = s[0].y;
    p->line_x1 = s[1].x;
    p->line_y1 = s[1].y;
    set_line_range(p, s);
    set_line_planes(p, v, provoking, s);
    set_bounds(p, floor_pixel(min2(s[0].x, s[1].x)), floor_pixel(min2(s[0].y, s[1].y)), floor_pixel(max2(s[0].x, s[1].x)) + 2,
               floor_pixel(max2(s[0].y, s[1].y)) + 2);
    primitive_commit(output, p);
}

static struct clip_buffer *clip_space(struct setup_output *output)
{
    if (!output->clip)
        output->clip = malloc(sizeof(*output->clip));
    return output->clip;
}

static void setup_line(const struct draw *draw, const float *const *v, const float *provoking, struct setup_output *output)
{
    uint32_t a = dp2_vertex_outcode(v[0]), b = dp2_vertex_outcode(v[1]);
    const float *clipped[CLIP_MAX_VERTICES];
    if ((a | b) & OUTCODE_BAD) {
        output->skipped++;
        return;
    }
    if (!(a | b)) {
        setup_unclipped_line(draw, v, provoking, output);
        return;
    }
    /* Vertices of a clipped triangle live in the buffer, but wireframe edges are clipped from the originals. */
    if ((a & b & ~(uint32_t)OUTCODE_PLANES) || !clip_space(output) || dp2_clip_polygon(draw, v, 2, a | b, output->clip, clipped) != 2) {
        output->clipped_away++;
        return;
    }
    setup_unclipped_line(draw, clipped, provoking, output);
}

/* ---- triangles by fill mode ---- */

static void setup_wireframe(const struct queued_primitive *q, struct setup_output *output)
{
    for (int i = 0; i < 3; i++) {
        const float *edge[2] = {q->vertices[i], q->vertices[(i + 1) % 3]};
        if (q->edge_mask >> i & 1)
            setup_line(q->draw, edge, q->vertices[0], output);
    }
}

/* The triangle's number where its colour would be. */
static void identify(uint32_t number, float provoking[VERTEX_SPECULAR + 4])
{
    memset(provoking, 0, (VERTEX_SPECULAR + 4) * sizeof(float));
    for (int i = 0; i < 3; i++)
        provoking[VERTEX_DIFFUSE + i] = (float)(number >> (16 - 8 * i) & 255) * (1.0f / 255);
    provoking[VERTEX_DIFFUSE + 3] = 1;
}

static void setup_fill(const struct queued_primitive *q, const float *const *v, const struct point *s, int64_t area, struct setup_output *output)
{
    if (q->draw->fill != D3DFILL_SOLID || area == 0)
        return;
    float provoking[VERTEX_SPECULAR + 4];
    if (q->draw->identify)
        identify(q->number, provoking);
    fill_triangle(q->draw, v, q->draw->identify ? provoking : q->vertices[0], s, area, output);
}

static void setup_edges_or_points(const struct queued_primitive *q, struct setup_output *output)
{
    if (q->draw->fill == D3DFILL_WIREFRAME)
        setup_wireframe(q, output);
    if (q->draw->fill == D3DFILL_POINT)
        for (int i = 0; i < 3; i++)
            if (!dp2_vertex_outcode(q->vertices[i]))
                setup_point(q->draw, q->vertices[i], output);
}

/* The clipped polygon as a fan; its first triangle of any size decides about culling. */
static void setup_clipped_triangle(const struct queued_primitive *q, uint32_t outcodes, struct setup_output *output)
{
    const float *polygon[CLIP_MAX_VERTICES];
    uint32_t count = clip_space(output) ? dp2_clip_polygon(q->draw, q->vertices, 3, outcodes, output->clip, polygon) : 0;
    bool drawn = false, culled = false;
    for (uint32_t i = 1; i + 1 < count; i++) {
        const float *v[3] = {polygon[0], polygon[i], polygon[i + 1]};
        struct point s[3];
        if (!snap(v[0], &s[0]) || !snap(v[1], &s[1]) || !snap(v[2], &s[2]))
            continue;
        int64_t area = signed_area(s);
        if (is_culled(q->draw, area)) {
            culled |= area != 0;
            continue;
        }
        drawn = true;
        setup_fill(q, v, s, area, output);
    }
    if (drawn)
        setup_edges_or_points(q, output);
    else
        *(culled ? &output->culled : &output->clipped_away) += 1;
}

static void setup_triangle(const struct queued_primitive *q, struct setup_output *output)
{
    const float *const *v = q->vertices;
    uint32_t a = dp2_vertex_outcode(v[0]), b = dp2_vertex_outcode(v[1]), c = dp2_vertex_outcode(v[2]);
    if ((a | b | c) & OUTCODE_BAD) {
        output->skipped++;
        return;
    }
    if (a & b & c & ~(uint32_t)OUTCODE_PLANES) {
        output->clipped_away++;
        return;
    }
    if (a | b | c) {
        setup_clipped_triangle(q, a | b | c, output);
        return;
    }
    struct point s[3];
    if (!snap(v[0], &s[0]) || !snap(v[1], &s[1]) || !snap(v[2], &s[2])) {
        output->skipped++;
        return;
    }
    int64_t area = signed_area(s);
    if (is_culled(q->draw, area)) {
        output->culled++;
        return;
    }
    if (q->draw->fill == D3DFILL_SOLID)
        setup_fill(q, v, s, area, output);
    else
        setup_edges_or_points(q, output);
}

void dp2_setup_primitive(const struct queued_primitive *q, struct setup_output *output)
{
    if (q->vertex_count == 3)
        setup_triangle(q, output);
    else if (q->draw->identify)
        return; /* triangles alone have numbers */
    else if (q->vertex_count == 2)
        setup_line(q->draw, q->vertices, q->vertices[0], output);
    else if (!dp2_vertex_outcode(q->vertices[0]))
        setup_point(q->draw, q->vertices[0], output);
    else
        *(dp2_vertex_outcode(q->vertices[0]) & OUTCODE_BAD ? &output->skipped : &output->clipped_away) += 1;
}
