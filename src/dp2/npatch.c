/* SPDX-License-Identifier: MIT
 * N-patches: with PATCHSEGMENTS above 1, triangles with normals become curved ones before transform (docs/dp2.md, "Patches"). Called by
 * dp2_draw; draws what it makes through dp2_draw again. */
#include <math.h>
#include <stdlib.h>

#include "dp2/context.h"
#include "dp2/mix.h"

enum { MAX_SEGMENTS = 64, BATCH_VERTICES = 1 << 14 };

uint32_t dp2_segment_count(float segments)
{
    if (!(segments > 1))
        return 1;
    return segments < MAX_SEGMENTS ? (uint32_t)lrintf(segments) : MAX_SEGMENTS;
}

struct batch {
    uint8_t *vertices, *indices;
    uint32_t vertex_count, triangle_count;
    uint32_t vertex_capacity, triangle_capacity;
};

struct patch_triangle {
    const uint8_t *bytes[3];
    float corners[3][MIX_FLOATS];
    float points[10][3];  /* by (i, j) with i + j <= 3: weight i of corner 1, j of corner 2 */
    float normals[6][3];  /* the same with i + j <= 2 */
};

static float dot3(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Position of control point (i, j) in a list of degree n. */
static uint32_t at(uint32_t n, uint32_t i, uint32_t j)
{
    return i * (n + 1) - i * (i - 1) / 2 + j;
}

/* Control point a third of the way from corner a to b, pulled into a's tangent plane. */
static void edge_point(const struct patch_triangle *t, int a, int b, float out[3])
{
    const float *p = t->corners[a] + MIX_POSITION, *q = t->corners[b] + MIX_POSITION, *n = t->corners[a] + MIX_NORMAL;
    float d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, length2 = dot3(n, n);
    float w = length2 > 0 ? dot3(d, n) / length2 : 0;
    for (int i = 0; i < 3; i++)
        out[i] = (2 * p[i] + q[i] - w * n[i]) / 3;
}

static void build_points(struct patch_triangle *t)
{
    static const uint8_t place[3][2] = {{0, 0}, {3, 0}, {0, 3}}; /* (i, j) of the corners */
    float center[3] = {0}, corner_mean[3] = {0};
    for (int a = 0; a < 3; a++) {
        float *corner = t->points[at(3, place[a][0], place[a][1])];
        for (int i = 0; i < 3; i++) {
            corner[i] = t->corners[a][MIX_POSITION + i];
            corner_mean[i] += corner[i] / 3;
        }
        for (int b = 0; b < 3; b++) {
            if (b == a)
                continue;
            float *edge = t->points[at(3, (2u * place[a][0] + place[b][0]) / 3u, (2u * place[a][1] + place[b][1]) / 3u)];
            edge_point(t, a, b, edge);
            for (int i = 0; i < 3; i++)
                center[i] += edge[i] / 6;
        }
    }
    for (int i = 0; i < 3; i++)
        t->points[at(3, 1, 1)][i] = center[i] + (center[i] - corner_mean[i]) / 2;
}

/* Normals of the middles: the mean of the ends', mirrored at the plane across the edge. */
static void build_normals(struct patch_triangle *t)
{
    static const uint8_t place[3][2] = {{0, 0}, {2, 0}, {0, 2}};
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3;
        const float *p = t->corners[a] + MIX_POSITION, *q = t->corners[b] + MIX_POSITION;
        const float *m = t->corners[a] + MIX_NORMAL, *n = t->corners[b] + MIX_NORMAL;
        float d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, sum[3] = {m[0] + n[0], m[1] + n[1], m[2] + n[2]};
        float length2 = dot3(d, d), v = length2 > 0 ? 2 * dot3(d, sum) / length2 : 0;
        float *middle = t->normals[at(2, (place[a][0] + place[b][0]) / 2u, (place[a][1] + place[b][1]) / 2u)];
        for (int i = 0; i < 3; i++) {
            t->normals[at(2, place[a][0], place[a][1])][i] = m[i];
            middle[i] = sum[i] - v * d[i];
        }
        float length = sqrtf(dot3(middle, middle));
        for (int i = 0; i < 3; i++)
            middle[i] = length > 0 ? middle[i] / length : 0;
    }
}

/* Bernstein weights of degree n over a triangle. */
static void evaluate(uint32_t n, const float (*points)[3], float u, float v, float out[3])
{
    static const float factorial[4] = {1, 1, 2, 6};
    float w = 1 - u - v;
    out[0] = out[1] = out[2] = 0;
    for (uint32_t i = 0; i <= n; i++)
        for (uint32_t j = 0; i + j <= n; j++) {
            uint32_t k = n - i - j;
            float weight = factorial[n] / (factorial[i] * factorial[j] * factorial[k]);
            for (uint32_t s = 0; s < i; s++)
                weight *= u;
            for (uint32_t s = 0; s < j; s++)
                weight *= v;
            for (uint32_t s = 0; s < k; s++)
                weight *= w;
            for (int c = 0; c < 3; c++)
                out[c] += points[at(n, i, j)][c] * weight;
        }
}

struct npatch_orders {
    bool cubic, quadratic;
};

static void make_vertex(const struct fvf_layout *layout, const struct patch_triangle *t, struct npatch_orders orders, float u, float v, uint8_t *out)
{
    float values[MIX_FLOATS] = {0};
    dp2_mix_add(values, t->corners[0], 1 - u - v);
    dp2_mix_add(values, t->corners[1], u);
    dp2_mix_add(values, t->corners[2], v);
    if (orders.cubic)
        evaluate(3, t->points, u, v, values + MIX_POSITION);
    if (orders.quadratic)
        evaluate(2, t->normals, u, v, values + MIX_NORMAL);
    dp2_mix_store(layout, values, t->bytes[0], out);
}

static void put_triangle(struct batch *batch, uint32_t a, uint32_t b, uint32_t c)
{
    uint8_t *out = batch->indices + (size_t)batch->triangle_count++ * 12;
    put_le32(out, a);
    put_le32(out + 4, b);
    put_le32(out + 8, c);
}

static void tessellate(const struct fvf_layout *layout, struct patch_triangle *t, struct npatch_orders orders, uint32_t segments, struct batch *batch)
{
    uint32_t base = batch->vertex_count;
    build_points(t);
    build_normals(t);
    for (uint32_t i = 0; i <= segments; i++)
        for (uint32_t j = 0; i + j <= segments; j++)
            make_vertex(layout, t, orders, (float)i / (float)segments, (float)j / (float)segments,
                        batch->vertices + (size_t)batch->vertex_count++ * layout->vertex_bytes);
    for (uint32_t i = 0; i < segments; i++)
        for (uint32_t j = 0; i + j < segments; j++) {
            uint32_t a = base + at(segments, i, j), b = base + at(segments, i + 1, j), c = base + at(segments, i, j + 1);
            put_triangle(batch, a, b, c);
            if (i + j + 1 < segments)
                put_triangle(batch, b, base + at(segments, i + 1, j + 1), c);
        }
}

static enum token_answer draw_batch(struct run *run, const struct fvf_layout *layout, struct batch *batch)
{
    struct assembly assembly = {.kind = ASSEMBLY_TRIANGLES, .indices_kind = ASSEMBLY_INDICES_32, .primitive_count = batch->triangle_count,
                                .indices = batch->indices};
    struct vertex_source source = {batch->vertices, layout->vertex_bytes, batch->vertex_count, layout};
    enum token_answer answer = dp2_draw(run, &assembly, &source);
    dp2_flush(run->context); /* the vertices are read until then */
    batch->vertex_count = batch->triangle_count = 0;
    return answer;
}

static bool load_triangle(const struct assembly *assembly, uint32_t k, const struct vertex_source *source, struct patch_triangle *t)
{
    struct primitive primitive;
    dp2_assemble(assembly, k, &primitive);
    for (int i = 0; i < 3; i++) {
        if (primitive.index[i] < 0 || (uint64_t)primitive.index[i] >= source->limit)
            return false;
        t->bytes[i] = source->bytes + (size_t)primitive.index[i] * source->stride_bytes;
        dp2_mix_load(source->layout, t->bytes[i], t->corners[i]);
    }
    return true;
}

static enum token_answer draw_all(struct run *run, const struct assembly *assembly, const struct vertex_source *source, uint32_t segments,
                                  struct batch *batch)
{
    const uint32_t *r = run->context->state.render;
    struct npatch_orders orders = {r[D3DRENDERSTATE_POSITIONORDER] == CDXR_D3DORDER_CUBIC, r[D3DRENDERSTATE_NORMALORDER] == 2};
    enum token_answer answer = TOKEN_DONE;
    uint64_t each = 3ull * segments * segments, room = run->vertices_left / each;
    uint32_t count = assembly->primitive_count < room ? assembly->primitive_count : (uint32_t)room, skipped = assembly->primitive_count - count;
    for (uint32_t k = 0; k < count && answer == TOKEN_DONE; k++) {
        struct patch_triangle t;
        if (!load_triangle(assembly, k, source, &t)) {
            skipped++;
            continue;
        }
        tessellate(source->layout, &t, orders, segments, batch);
        if (batch->vertex_count + (segments + 1) * (segments + 2) / 2 > batch->vertex_capacity ||
            batch->triangle_count + segments * segments > batch->triangle_capacity)
            answer = draw_batch(run, source->layout, batch);
    }
    if (answer == TOKEN_DONE && batch->triangle_count)
        answer = draw_batch(run, source->layout, batch);
    run->context->statistics.primitives_skipped += skipped;
    if (skipped)
        dp2_report(run, CDXR_DP2_SEVERITY_WARNING, "%u of %u N-patches skipped: vertices that are not there, or the call's limit", skipped,
                   assembly->primitive_count);
    return answer;
}

bool dp2_npatches_apply(const struct run *run, const struct assembly *assembly, const struct fvf_layout *layout)
{
    return assembly->kind >= ASSEMBLY_TRIANGLES && !run->tessellated && !layout->pretransformed && layout->normal_offset != FVF_ABSENT &&
           dp2_segment_count(float_from_bits(run->context->state.render[D3DRENDERSTATE_PATCHSEGMENTS])) > 1;
}

enum token_answer dp2_draw_npatches(struct run *run, const struct assembly *assembly, const struct vertex_source *source)
{
    uint32_t segments = dp2_segment_count(float_from_bits(run->context->state.render[D3DRENDERSTATE_PATCHSEGMENTS]));
    struct batch batch = {.vertex_capacity = BATCH_VERTICES, .triangle_capacity = 2 * BATCH_VERTICES};
    batch.vertices = malloc((size_t)batch.vertex_capacity * source->layout->vertex_bytes);
    batch.indices = malloc((size_t)batch.triangle_capacity * 12);
    enum token_answer answer = TOKEN_DONE;
    run->tessellated = true;
    if (batch.vertices && batch.indices)
        answer = draw_all(run, assembly, source, segments, &batch);
    else
        dp2_report(run, CDXR_DP2_SEVERITY_ERROR, "no memory for N-patches");
    run->tessellated = false;
    free(batch.vertices);
    free(batch.indices);
    return answer;
}
