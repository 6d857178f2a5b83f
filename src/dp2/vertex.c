/* SPDX-License-Identifier: MIT */
#include "dp2/vertex.h"

#include <math.h>

#include "cdxr/d3dhal.h"
#include "dp2/bytes.h"

#define W_SMALLEST 1e-6f

static void unpack_color(uint32_t argb, float rgba[4])
{
    const float scale = 1.0f / 255;
    rgba[0] = (float)(argb >> 16 & 255) * scale;
    rgba[1] = (float)(argb >> 8 & 255) * scale;
    rgba[2] = (float)(argb & 255) * scale;
    rgba[3] = (float)(argb >> 24) * scale;
}

static void read_colors(const struct vertex_program *program, const uint8_t *vertex, float *out)
{
    const struct fvf_layout *layout = &program->layout;
    unpack_color(layout->diffuse_offset != FVF_ABSENT ? le32(vertex + layout->diffuse_offset) : 0xFFFFFFFF, out + VERTEX_DIFFUSE);
    unpack_color(layout->specular_offset != FVF_ABSENT ? le32(vertex + layout->specular_offset) : program->fog_alpha_missing << 24,
                 out + VERTEX_SPECULAR);
    out[VERTEX_FOG] = out[VERTEX_SPECULAR + 3];
}

/* A coordinate set as four floats: missing ones read as 0; one past the last is 1 for the texture matrices. */
static void read_set(const struct fvf_layout *layout, const uint8_t *vertex, uint32_t set, float out[4])
{
    uint32_t floats = set < FVF_TEXTURE_SETS ? layout->set_floats[set] : 0;
    for (uint32_t i = 0; i < 4; i++)
        out[i] = i < floats ? le_float(vertex + layout->set_offset[set] + i * 4) : 0;
    if (floats && floats < 4)
        out[floats] = 1;
}

static void set_outcode(float *out, uint32_t outcode)
{
    out[VERTEX_OUTCODE] = float_from_bits(outcode);
}

static bool is_wild(float x)
{
    return !(fabsf(x) <= 1e30f);
}

static float clamp_point(const struct vertex_program *program, float size)
{
    if (!(size > program->point_min))
        size = program->point_min;
    return size > program->point_max ? program->point_max : size;
}

/* Size before scaling. The DWORD of bit 0x20 counts where DirectX 8 draws, garbage of older vertices does not. */
static float plain_point_size(const struct vertex_program *program, const uint8_t *vertex)
{
    const struct fvf_layout *layout = &program->layout;
    bool own = layout->point_size_offset != FVF_ABSENT && (layout->point_size_counts || program->point_scale);
    return own ? le_float(vertex + layout->point_size_offset) : program->point_size;
}

/* ---- pretransformed ---- */

static uint32_t screen_outcode(float x, float y)
{
    const float guard = RASTER_GUARD_BAND;
    return (x < -guard ? OUTCODE_LEFT : 0) | (x > guard ? OUTCODE_RIGHT : 0) | (y < -guard ? OUTCODE_TOP : 0) |
           (y > guard ? OUTCODE_BOTTOM : 0);
}

static void process_pretransformed(const struct vertex_program *program, const uint8_t *vertex, float *out)
{
    float x = le_float(vertex), y = le_float(vertex + 4), z = le_float(vertex + 8), rhw = le_float(vertex + 12);
    bool bad = is_wild(x) || is_wild(y) || is_wild(z);
    if (is_wild(rhw))
        rhw = 0;
    out[VERTEX_X] = x;
    out[VERTEX_Y] = y;
    out[VERTEX_CLIP_Z] = z;
    out[VERTEX_Z] = z;
    out[VERTEX_RHW] = rhw;
    float w = rhw > 0 ? 1 / rhw : 1;
    out[VERTEX_H] = x * w;
    out[VERTEX_H + 1] = y * w;
    out[VERTEX_H + 2] = z * w;
    out[VERTEX_H + 3] = w;
    read_colors(program, vertex, out);
    for (uint32_t i = 0; i < program->texture_slots; i++)
        read_set(&program->layout, vertex, program->slots[i].set, out + VERTEX_TEXTURE + i * 4);
    for (uint32_t i = 0; i < program->plane_count; i++)
        out[VERTEX_TEXTURE + program->texture_slots * 4 + i] = 0; /* user planes do not apply */
    out[VERTEX_POINT_SIZE] = program->layout.point_size_counts ? clamp_point(program, plain_point_size(program, vertex)) : 1;
    set_outcode(out, bad ? OUTCODE_BAD : screen_outcode(x, y));
}

/* ---- transform ---- */

static void transform4(const float m[16], const float p[3], float out[4])
{
    for (int i = 0; i < 4; i++)
        out[i] = p[0] * m[i] + p[1] * m[4 + i] + p[2] * m[8 + i] + m[12 + i];
}

static void transform4_full(const float m[16], const float p[4], float out[4])
{
    for (int i = 0; i < 4; i++)
        out[i] = p[0] * m[i] + p[1] * m[4 + i] + p[2] * m[8 + i] + p[3] * m[12 + i];
}

static void normalize(float v[3])
{
    float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (length > 0)
        for (int i = 0; i < 3; i++)
            v[i] /= length;
}

struct blend {
    float weight[MAX_BLEND_MATRICES];
    uint8_t matrix[MAX_BLEND_MATRICES];
};

static void read_blend(const struct vertex_program *program, const uint8_t *vertex, struct blend *blend)
{
    const struct fvf_layout *layout = &program->layout;
    uint32_t weights = layout->beta_count - (layout->last_beta_indices && layout->beta_count ? 1 : 0);
    float rest = 1;
    for (uint32_t i = 0; i < program->matrix_count; i++) {
        bool last = i + 1 == program->matrix_count;
        float weight = last ? rest : i < weights ? le_float(vertex + layout->beta_offset + i * 4) : 0;
        blend->weight[i] = weight;
        rest -= weight;
        blend->matrix[i] = (uint8_t)i;
        if (program->indexed && layout->last_beta_indices)
            blend->matrix[i] = vertex[layout->beta_offset + weights * 4 + i];
    }
}

bool dp2_vertex_blends(const struct vertex_program *program)
{
    return program->matrix_count > 1 || program->indexed;
}

void dp2_vertex_world(const struct vertex_program *program, const uint8_t *vertex, const float position[3], float world[4])
{
    struct blend blend;
    read_blend(program, vertex, &blend);
    for (int i = 0; i < 4; i++)
        world[i] = 0;
    for (uint32_t i = 0; i < program->matrix_count; i++) {
        float p[4];
        transform4(program->world[blend.matrix[i]], position, p);
        for (int j = 0; j < 4; j++)
            world[j] += p[j] * blend.weight[i];
    }
}

/* The normal in view space, blended like the position. */
static void view_normal_of(const struct vertex_program *program, const uint8_t *vertex, float out[3])
{
    const struct fvf_layout *layout = &program->layout;
    struct blend blend;
    out[0] = out[1] = out[2] = 0;
    if (layout->normal_offset == FVF_ABSENT || !program->normal)
        return;
    float n[3];
    for (int i = 0; i < 3; i++)
        n[i] = le_float(vertex + layout->normal_offset + i * 4);
    read_blend(program, vertex, &blend);
    for (uint32_t i = 0; i < program->matrix_count; i++) {
        const float *m = program->normal[blend.matrix[i]];
        for (int j = 0; j < 3; j++)
            out[j] += (n[0] * m[j] + n[1] * m[3 + j] + n[2] * m[6 + j]) * blend.weight[i];
    }
    if (program->normalize)
        normalize(out);
}

void dp2_normal_matrix(const float m[16], float out[9])
{
    /* The cofactors of a 3x3 are its inverse transpose times its determinant. */
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            out[r * 3 + c] = m[r1 * 4 + c1] * m[r2 * 4 + c2] - m[r1 * 4 + c2] * m[r2 * 4 + c1];
        }
    float determinant = m[0] * out[0] + m[1] * out[1] + m[2] * out[2];
    bool singular = determinant == 0 || !__builtin_isfinite(1 / determinant);
    for (int i = 0; i < 9; i++)
        out[i] = singular ? m[i / 3 * 4 + i % 3] : out[i] / determinant;
}

static float vertex_fog(const struct vertex_program *program, const float view[3])
{
    float d = program->range_fog ? sqrtf(view[0] * view[0] + view[1] * view[1] + view[2] * view[2]) : fabsf(view[2]);
    float f;
    switch (program->vertex_fog) {
    case D3DFOG_EXP: f = expf(-program->fog_density * d); break;
    case D3DFOG_EXP2: f = expf(-(program->fog_density * d) * (program->fog_density * d)); break;
    default:
        if (program->fog_start == program->fog_end)
            return 0; /* a step that vertices never see from the clear side */
        f = (program->fog_end - d) / (program->fog_end - program->fog_start);
        break;
    }
    return f > 0 ? (f < 1 ? f : 1) : 0;
}

/* ---- texture coordinates ---- */

static void coordinates(const struct vertex_program *program, const struct vertex_slot_program *slot, const uint8_t *vertex,
                        const float view[3], const float normal[3], float out[4])
{
    float in[4] = {0, 0, 0, 1};
    switch (slot->source) {
    case COORDINATE_SET: read_set(&program->layout, vertex, slot->set, in); break;
    case COORDINATE_NORMAL: memcpy(in, normal, 3 * sizeof(float)); break;
    case COORDINATE_POSITION: memcpy(in, view, 3 * sizeof(float)); break;
    default: {
        float eye[3] = {view[0], view[1], view[2]};
        normalize(eye);
        float twice = 2 * (eye[0] * normal[0] + eye[1] * normal[1] + eye[2] * normal[2]);
        for (int i = 0; i < 3; i++)
            in[i] = eye[i] - twice * normal[i];
        break;
    }
    }
    if (slot->transform)
        transform4_full(slot->matrix, in, out);
    else
        memcpy(out, in, 4 * sizeof(float));
}

/* ---- untransformed ---- */

static void to_screen(const struct vertex_program *program, const float clip[4], float *out)
{
    const float *v = program->viewport;
    float w = clip[3];
    out[VERTEX_H] = v[0] * w + (w + clip[0]) * (v[2] * 0.5f);
    out[VERTEX_H + 1] = v[1] * w + (w - clip[1]) * (v[3] * 0.5f);
    out[VERTEX_H + 2] = program->z_min * w + clip[2] * (program->z_max - program->z_min);
    out[VERTEX_H + 3] = w;
    out[VERTEX_CLIP_Z] = clip[2];
    float rhw = w > W_SMALLEST ? 1 / w : 0;
    out[VERTEX_X] = out[VERTEX_H] * rhw;
    out[VERTEX_Y] = out[VERTEX_H + 1] * rhw;
    out[VERTEX_Z] = out[VERTEX_H + 2] * rhw;
    out[VERTEX_RHW] = rhw;
}

static uint32_t clip_outcode(const struct vertex_program *program, const float clip[4], const float *out)
{
    if (is_wild(clip[0]) || is_wild(clip[1]) || is_wild(clip[2]) || is_wild(clip[3]))
        return OUTCODE_BAD;
    uint32_t code = clip[3] > W_SMALLEST ? screen_outcode(out[VERTEX_X], out[VERTEX_Y]) : OUTCODE_W;
    if (program->clip_enabled)
        code |= (clip[2] < 0 ? OUTCODE_NEAR : 0) | (clip[2] > clip[3] ? OUTCODE_FAR : 0);
    return code;
}

static float point_size(const struct vertex_program *program, const uint8_t *vertex, const float view[3])
{
    float size = plain_point_size(program, vertex);
    if (program->point_scale) {
        float d = sqrtf(view[0] * view[0] + view[1] * view[1] + view[2] * view[2]);
        size *= program->viewport[3] * sqrtf(1 / (program->point_a + program->point_b * d + program->point_c * d * d));
    }
    return clamp_point(program, size);
}

static void light_and_fog(const struct vertex_program *program, const float view[3], const float normal[3], float *out)
{
    if (program->lighting) {
        float diffuse[4], specular[4];
        memcpy(diffuse, out + VERTEX_DIFFUSE, sizeof(diffuse));
        memcpy(specular, out + VERTEX_SPECULAR, sizeof(specular));
        dp2_light_vertex(program, view, normal, diffuse, specular, out + VERTEX_DIFFUSE, out + VERTEX_SPECULAR);
    }
    if (program->vertex_fog != D3DFOG_NONE)
        out[VERTEX_FOG] = vertex_fog(program, view);
}

static uint32_t clip_distances(const struct vertex_program *program, const float world[4], float *distances)
{
    uint32_t code = 0;
    for (uint32_t i = 0; i < program->plane_count; i++) {
        const float *plane = program->planes[i];
        distances[i] = plane[0] * world[0] + plane[1] * world[1] + plane[2] * world[2] + plane[3] * world[3];
        if (!(distances[i] >= 0))
            code = OUTCODE_PLANES;
    }
    return code;
}

/* The short way: one world matrix, nothing that needs view space. */
static void process_plain(const struct vertex_program *program, const uint8_t *vertex, float *out)
{
    float position[3] = {le_float(vertex), le_float(vertex + 4), le_float(vertex + 8)}, clip[4];
    transform4(program->world_view_projection, position, clip);
    to_screen(program, clip, out);
    out[VERTEX_POINT_SIZE] = clamp_point(program, plain_point_size(program, vertex));
    read_colors(program, vertex, out);
    for (uint32_t i = 0; i < program->texture_slots; i++)
        coordinates(program, &program->slots[i], vertex, position, position, out + VERTEX_TEXTURE + i * 4);
    set_outcode(out, clip_outcode(program, clip, out));
}

static void process_full(const struct vertex_program *program, const uint8_t *vertex, float *out)
{
    float position[3] = {le_float(vertex), le_float(vertex + 4), le_float(vertex + 8)}, world[4], view[4], view_normal[3], clip[4];
    dp2_vertex_world(program, vertex, position, world);
    transform4_full(program->view, world, view);
    view_normal_of(program, vertex, view_normal);
    transform4_full(program->projection, view, clip);
    to_screen(program, clip, out);
    read_colors(program, vertex, out);
    light_and_fog(program, view, view_normal, out);
    out[VERTEX_POINT_SIZE] = point_size(program, vertex, view);
    for (uint32_t i = 0; i < program->texture_slots; i++)
        coordinates(program, &program->slots[i], vertex, view, view_normal, out + VERTEX_TEXTURE + i * 4);
    uint32_t code = clip_outcode(program, clip, out);
    set_outcode(out, code | clip_distances(program, world, out + VERTEX_TEXTURE + program->texture_slots * 4));
}

void dp2_vertices_process(const struct vertex_program *program, const uint8_t *bytes, uint32_t stride_bytes, const uint32_t *indices,
                          uint32_t count, float *out)
{
    bool plain = !program->need_view && program->matrix_count == 1 && !program->plane_count && !program->indexed;
    for (uint32_t i = 0; i < count; i++, out += program->vertex_floats) {
        const uint8_t *vertex = bytes + (size_t)(indices ? indices[i] : i) * stride_bytes;
        if (program->layout.pretransformed)
            process_pretransformed(program, vertex, out);
        else if (plain)
            process_plain(program, vertex, out);
        else
            process_full(program, vertex, out);
    }
}
