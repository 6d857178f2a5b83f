/* SPDX-License-Identifier: MIT
 * DRAWRECTPATCH and DRAWTRIPATCH: control points from the streams, evaluated on a grid, drawn as triangles (docs/dp2.md, "Patches"). Patches
 * with a handle are kept by it: their description, not their points, which are read again at each draw. */
#include <stdlib.h>

#include "dp2/context.h"
#include "dp2/mix.h"

enum { RECT_INFO_BYTES = 28, TRI_INFO_BYTES = 16, MAX_ORDER = 5, MAX_POINTS = 64 };

/* ---- one direction ---- */

struct axis {
    uint32_t order, basis, pieces, segments;
};

/* Number of pieces that count control points make, 0 when they make none. */
static uint32_t piece_count(uint32_t count, uint32_t order, uint32_t basis)
{
    if (count <= order || count > MAX_POINTS)
        return 0;
    if (basis == CDXR_D3DBASIS_BEZIER)
        return (count - 1) % order ? 0 : (count - 1) / order;
    return count - order;
}

static void bezier_weights(uint32_t order, float t, float weights[MAX_ORDER + 1])
{
    weights[0] = 1;
    for (uint32_t n = 1; n <= order; n++) { /* raise the degree, last weight first */
        weights[n] = weights[n - 1] * t;
        for (uint32_t i = n - 1; i > 0; i--)
            weights[i] = weights[i] * (1 - t) + weights[i - 1] * t;
        weights[0] *= 1 - t;
    }
}

/* Uniform B-spline: the recursion of Cox and de Boor on whole knots. */
static void spline_weights(uint32_t order, float t, float weights[MAX_ORDER + 1])
{
    weights[0] = 1;
    for (uint32_t n = 1; n <= order; n++) {
        float inverse = 1 / (float)n;
        weights[n] = weights[n - 1] * t * inverse;
        for (uint32_t i = n - 1; i > 0; i--)
            weights[i] = (weights[i - 1] * (t + (float)(n - i)) + weights[i] * ((float)(i + 1) - t)) * inverse;
        weights[0] *= (1 - t) * inverse;
    }
}

/* Catmull and Rom: through the inner points. */
static void interpolating_weights(float t, float weights[MAX_ORDER + 1])
{
    float t2 = t * t, t3 = t2 * t;
    weights[0] = (-t3 + 2 * t2 - t) / 2;
    weights[1] = (3 * t3 - 5 * t2 + 2) / 2;
    weights[2] = (-3 * t3 + 4 * t2 + t) / 2;
    weights[3] = (t3 - t2) / 2;
}

/* Weights at step of the axis and the first control point they go to. */
static uint32_t axis_weights(const struct axis *axis, uint32_t step, float weights[MAX_ORDER + 1])
{
    float along = (float)step / (float)axis->segments * (float)axis->pieces;
    uint32_t piece = (uint32_t)along < axis->pieces ? (uint32_t)along : axis->pieces - 1;
    float t = along - (float)piece;
    if (axis->basis == CDXR_D3DBASIS_BEZIER)
        bezier_weights(axis->order, t, weights);
    else if (axis->basis == CDXR_D3DBASIS_BSPLINE || axis->order == 1)
        spline_weights(axis->order, t, weights);
    else
        interpolating_weights(t, weights);
    return axis->basis == CDXR_D3DBASIS_BEZIER ? piece * axis->order : piece;
}

/* ---- meshes ---- */

struct mesh {
    uint8_t *vertices, *indices;
    uint32_t vertex_count, triangle_count;
};

static bool mesh_reserve(struct mesh *mesh, const struct fvf_layout *layout, uint32_t vertices, uint32_t triangles)
{
    mesh->vertices = malloc((size_t)vertices * layout->vertex_bytes);
    mesh->indices = malloc((size_t)triangles * 12);
    return mesh->vertices && mesh->indices;
}

static void put_triangle(struct mesh *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    uint8_t *out = mesh->indices + (size_t)mesh->triangle_count++ * 12;
    put_le32(out, a);
    put_le32(out + 4, b);
    put_le32(out + 8, c);
}

struct control_points {
    const struct vertex_source *source;
    uint64_t first, row_stride;   /* vertex of row r, column c: first + r * row_stride + c */
};

static const uint8_t *control_point(const struct control_points *points, uint32_t column, uint32_t row)
{
    uint64_t index = points->first + row * points->row_stride + column;
    return points->source->bytes + (size_t)index * points->source->stride_bytes;
}

static void rect_vertex(const struct control_points *points, const struct axis axes[2], uint32_t x, uint32_t y, uint8_t *out)
{
    const struct fvf_layout *layout = points->source->layout;
    float across[MAX_ORDER + 1], down[MAX_ORDER + 1], sum[MIX_FLOATS] = {0}, values[MIX_FLOATS];
    uint32_t column = axis_weights(&axes[0], x, across), row = axis_weights(&axes[1], y, down);
    for (uint32_t j = 0; j <= axes[1].order; j++)
        for (uint32_t i = 0; i <= axes[0].order; i++) {
            dp2_mix_load(layout, control_point(points, column + i, row + j), values);
            dp2_mix_add(sum, values, across[i] * down[j]);
        }
    dp2_mix_store(layout, sum, control_point(points, column, row), out);
}

/* Columns run along the width, rows along the height; (0,0) (1,0) (0,1) is the order of the first triangle. */
static void rect_mesh(const struct control_points *points, const struct axis axes[2], struct mesh *mesh)
{
    uint32_t across = axes[0].segments, down = axes[1].segments;
    for (uint32_t y = 0; y <= down; y++)
        for (uint32_t x = 0; x <= across; x++)
            rect_vertex(points, axes, x, y, mesh->vertices + (size_t)mesh->vertex_count++ * points->source->layout->vertex_bytes);
    for (uint32_t y = 0; y < down; y++)
        for (uint32_t x = 0; x < across; x++) {
            uint32_t a = y * (across + 1) + x, c = a + across + 1;
            put_triangle(mesh, a, a + 1, c);
            put_triangle(mesh, c, a + 1, c + 1);
        }
}

static float triangle_weight(uint32_t order, uint32_t i, uint32_t j, float u, float v)
{
    static const float factorial[MAX_ORDER + 1] = {1, 1, 2, 6, 24, 120};
    uint32_t k = order - i - j;
    float weight = factorial[order] / (factorial[i] * factorial[j] * factorial[k]);
    for (uint32_t s = 0; s < i; s++)
        weight *= u;
    for (uint32_t s = 0; s < j; s++)
        weight *= v;
    for (uint32_t s = 0; s < k; s++)
        weight *= 1 - u - v;
    return weight;
}

/* Rows of 1, 2, 3 ... control points; u grows down the rows, v along a row. */
static void tri_vertex(const struct control_points *points, uint32_t order, float down, float along, uint8_t *out)
{
    const struct fvf_layout *layout = points->source->layout;
    float sum[MIX_FLOATS] = {0}, values[MIX_FLOATS];
    for (uint32_t row = 0; row <= order; row++)
        for (uint32_t column = 0; column <= row; column++) {
            dp2_mix_load(layout, control_point(points, row * (row + 1) / 2 + column, 0), values);
            dp2_mix_add(sum, values, triangle_weight(order, row - column, column, down - along, along));
        }
    dp2_mix_store(layout, sum, control_point(points, 0, 0), out);
}

static void tri_mesh(const struct control_points *points, uint32_t order, uint32_t segments, struct mesh *mesh)
{
    for (uint32_t row = 0; row <= segments; row++)
        for (uint32_t column = 0; column <= row; column++)
            tri_vertex(points, order, (float)row / (float)segments, (float)column / (float)segments,
                       mesh->vertices + (size_t)mesh->vertex_count++ * points->source->layout->vertex_bytes);
    for (uint32_t row = 0; row < segments; row++)
        for (uint32_t column = 0; column <= row; column++) {
            uint32_t a = row * (row + 1) / 2 + column, b = a + row + 1;
            put_triangle(mesh, a, b + 1, b);
            if (column < row)
                put_triangle(mesh, a, a + 1, b + 1);
        }
}

/* ---- records ---- */

static bool order_exists(uint32_t order, uint32_t basis)
{
    if (basis == CDXR_D3DBASIS_INTERPOLATE)
        return order == CDXR_D3DORDER_CUBIC;
    return basis <= CDXR_D3DBASIS_BSPLINE && (order == CDXR_D3DORDER_LINEAR || order == CDXR_D3DORDER_CUBIC || order == CDXR_D3DORDER_QUINTIC);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Segments of edge i: of the record, or PATCHSEGMENTS. */
static uint32_t edge_segments(struct run *run, const struct state_patch *patch, uint32_t i)
{
    return dp2_segment_count(patch->has_segments ? patch->segments[i] : float_from_bits(run->context->state.render[D3DRENDERSTATE_PATCHSEGMENTS]));
}

static enum token_answer refuse(struct run *run, const char *reason)
{
    return dp2_violation(run, "patch: %s", reason) ? TOKEN_BAD : TOKEN_DONE;
}

static enum token_answer draw_mesh(struct run *run, const struct fvf_layout *layout, const struct mesh *mesh)
{
    struct assembly assembly = {.kind = ASSEMBLY_TRIANGLES, .indices_kind = ASSEMBLY_INDICES_32, .primitive_count = mesh->triangle_count,
                                .indices = mesh->indices};
    struct vertex_source source = {mesh->vertices, layout->vertex_bytes, mesh->vertex_count, layout};
    run->tessellated = true;
    enum token_answer answer = dp2_draw(run, &assembly, &source);
    run->tessellated = false;
    dp2_flush(run->context);
    return answer;
}

enum token_answer dp2_draw_rect_patch(struct run *run, const struct state_patch *patch, const struct vertex_source *source)
{
    const uint32_t *info = patch->info; /* StartVertexOffsetWidth, StartVertexOffsetHeight, Width, Height, Stride, Basis, Order */
    struct axis axes[2];
    for (int i = 0; i < 2; i++)
        axes[i] = (struct axis){info[6], info[5], order_exists(info[6], info[5]) ? piece_count(info[2 + i], info[6], info[5]) : 0,
                                larger(edge_segments(run, patch, (uint32_t)i), edge_segments(run, patch, (uint32_t)i + 2))};
    if (!axes[0].pieces || !axes[1].pieces)
        return refuse(run, "width, height, basis and order do not make one");
    struct control_points points = {source, info[0] + (uint64_t)info[1] * info[4], info[4]};
    uint64_t last = points.first + (uint64_t)(info[3] - 1) * info[4] + info[2] - 1;
    uint32_t triangles = axes[0].segments * axes[1].segments * 2;
    if (last >= source->limit || info[4] > 0xFFFF || info[1] > 0xFFFF)
        return refuse(run, "control points beyond the vertices there are");
    if (3ull * triangles > run->vertices_left)
        return refuse(run, "the call's limit of vertices is reached");
    struct mesh mesh = {0};
    enum token_answer answer = TOKEN_DONE;
    if (mesh_reserve(&mesh, source->layout, (axes[0].segments + 1) * (axes[1].segments + 1), triangles)) {
        rect_mesh(&points, axes, &mesh);
        answer = draw_mesh(run, source->layout, &mesh);
    }
    free(mesh.vertices);
    free(mesh.indices);
    return answer;
}

enum token_answer dp2_draw_tri_patch(struct run *run, const struct state_patch *patch, const struct vertex_source *source)
{
    const uint32_t *info = patch->info; /* StartVertexOffset, NumVertices, Basis, Order */
    uint32_t order = info[3], segments = 1;
    for (uint32_t i = 0; i < 3; i++)
        segments = larger(segments, edge_segments(run, patch, i));
    if (info[2] != CDXR_D3DBASIS_BEZIER || !order_exists(order, info[2]) || info[1] != (order + 1) * (order + 2) / 2)
        return refuse(run, "a triangle takes the Bezier basis and (order + 1)(order + 2) / 2 vertices");
    if ((uint64_t)info[0] + info[1] > source->limit)
        return refuse(run, "control points beyond the vertices there are");
    if (3ull * segments * segments > run->vertices_left)
        return refuse(run, "the call's limit of vertices is reached");
    struct control_points points = {source, info[0], 0};
    struct mesh mesh = {0};
    enum token_answer answer = TOKEN_DONE;
    if (mesh_reserve(&mesh, source->layout, (segments + 1) * (segments + 2) / 2, segments * segments)) {
        tri_mesh(&points, order, segments, &mesh);
        answer = draw_mesh(run, source->layout, &mesh);
    }
    free(mesh.vertices);
    free(mesh.indices);
    return answer;
}

/* One record: what it brings, over what is kept under its handle. False: nothing to draw (reported). */
static bool read_record(struct run *run, const uint8_t *record, bool rect, struct state_patch *patch)
{
    uint32_t handle = le32(record), flags = le32(record + 4), edges = rect ? 4 : 3, info = (rect ? RECT_INFO_BYTES : TRI_INFO_BYTES) / 4;
    const struct state_patch *kept = handle ? dp2_state_patch_find(&run->context->state, handle) : NULL;
    *patch = kept && kept->rect == rect ? *kept : (struct state_patch){.handle = handle, .rect = rect};
    record += 8;
    if (flags & RTPATCHFLAG_HASSEGS) {
        patch->has_segments = true;
        for (uint32_t i = 0; i < edges; i++)
            patch->segments[i] = le_float(record + i * 4);
        record += edges * 4;
    }
    if (flags & RTPATCHFLAG_HASINFO) {
        patch->has_info = true;
        for (uint32_t i = 0; i < info; i++)
            patch->info[i] = le32(record + i * 4);
    }
    if (handle && patch->has_info && !dp2_state_patch_keep(&run->context->state, patch, run->context->config.limits.shaders))
        dp2_report(run, CDXR_DP2_SEVERITY_WARNING, "patch 0x%x is not kept: more patches than the limit, or no memory", handle);
    return patch->has_info;
}

static uint32_t record_bytes(const uint8_t *record, bool rect)
{
    uint32_t flags = le32(record + 4);
    return 8 + (flags & RTPATCHFLAG_HASSEGS ? (rect ? 16 : 12) : 0) + (flags & RTPATCHFLAG_HASINFO ? (rect ? RECT_INFO_BYTES : TRI_INFO_BYTES) : 0);
}

static enum token_answer draw_patches(struct run *run, const uint8_t *payload, bool rect)
{
    enum token_answer answer = TOKEN_DONE;
    for (uint32_t i = 0; i < run->count && answer == TOKEN_DONE; i++, payload += record_bytes(payload, rect)) {
        struct state_patch patch;
        if (read_record(run, payload, rect, &patch))
            answer = dp2_draw_patch_from_streams(run, &patch);
        else
            answer = refuse(run, "no description is kept under its handle");
    }
    return answer;
}

enum token_answer dp2_token_draw_rect_patch(struct run *run, const uint8_t *payload)
{
    return draw_patches(run, payload, true);
}

enum token_answer dp2_token_draw_tri_patch(struct run *run, const uint8_t *payload)
{
    return draw_patches(run, payload, false);
}
