/* SPDX-License-Identifier: MIT
 * Makes the example captures: `make_captures FOLDER` writes strip.dp2 (the three-triangle strip of the DDK's page on
 * D3DHAL_DP2TRIANGLESTRIP), scene.dp2 (a lit, textured, fogged scene of strips, fans and lists with blending), soup.dp2 (random triangles, some
 * behind the eye) and patches.dp2 (DirectX 8: streams, a declaration with tweening, N-patches, a Bezier patch). Uses the public API alone: it
 * stands for a driver or an emulator that feeds the stream. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cdxr/d3dhal.h"
#include "cdxr/dp2.h"

enum { WIDTH = 320, HEIGHT = 240, TARGET = 1, DEPTH = 2, CHECKER = 3, PUFF = 4, WOOD = 5, SHAPES = 6, INDICES = 7, FLAG = 8, COLORS = 9, MAX_STREAM = 1 << 16, MAX_VERTICES = 4096 };

struct tl_vertex { float x, y, z, rhw; uint32_t diffuse, specular; float u, v; };
struct lit_vertex { float x, y, z, nx, ny, nz, u, v; };

struct maker {
    struct cdxr_dp2_context *context;
    uint8_t stream[MAX_STREAM];
    uint32_t length;
    union { struct tl_vertex tl[MAX_VERTICES]; struct lit_vertex lit[MAX_VERTICES]; } vertices;
    uint32_t vertex_count;
};

/* ---- tokens ---- */

static void put(struct maker *m, const void *bytes, uint32_t count)
{
    memcpy(m->stream + m->length, bytes, count);
    m->length += count;
}

static void put16(struct maker *m, uint32_t value) { put(m, &(uint16_t){(uint16_t)value}, 2); }
static void put32(struct maker *m, uint32_t value) { put(m, &value, 4); }
static void put_float(struct maker *m, float value) { put(m, &value, 4); }

static void token(struct maker *m, uint32_t opcode, uint32_t count)
{
    put16(m, opcode);
    put16(m, count);
}

static uint32_t bits(float value)
{
    uint32_t out;
    memcpy(&out, &value, 4);
    return out;
}

static void state(struct maker *m, uint32_t number, uint32_t value)
{
    token(m, D3DDP2OP_RENDERSTATE, 1);
    put32(m, number);
    put32(m, value);
}

static void stage(struct maker *m, uint32_t index, uint32_t number, uint32_t value)
{
    token(m, D3DDP2OP_TEXTURESTAGESTATE, 1);
    put16(m, index);
    put16(m, number);
    put32(m, value);
}

static void start_token(struct maker *m, uint32_t opcode, uint32_t count, uint32_t start)
{
    token(m, opcode, count);
    put16(m, start);
}

static void clear(struct maker *m, uint32_t color)
{
    token(m, D3DDP2OP_CLEAR, 1);
    put32(m, D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER);
    put32(m, color);
    put_float(m, 1);
    put32(m, 0);
    put32(m, 0);
    put32(m, 0);
    put32(m, WIDTH);
    put32(m, HEIGHT);
}

static void execute(struct maker *m, uint32_t fvf, uint32_t stride)
{
    struct cdxr_dp2_call call = {.vertex_type = fvf, .commands = m->stream, .commands_bytes = m->length, .command_length = m->length,
                                 .vertices = &m->vertices, .vertices_bytes = (size_t)m->vertex_count * stride,
                                 .vertex_count = m->vertex_count, .vertex_stride = stride};
    cdxr_dp2_execute_call(m->context, &call);
    if (call.ddrval != D3D_OK) {
        fprintf(stderr, "make_captures: the call stopped at 0x%x\n", call.error_offset);
        exit(1);
    }
    m->length = m->vertex_count = 0;
}

/* ---- surfaces ---- */

static uint32_t color_memory[WIDTH * HEIGHT], depth_memory[WIDTH * HEIGHT];
static uint32_t checker_memory[7][64 * 64];
static uint16_t puff_memory[32 * 32];
static uint8_t wood_memory[32 * 32];

static void add_surface(struct maker *m, uint32_t handle, uint32_t flags, enum cdxr_dp2_format format, uint32_t width, uint32_t height,
                        uint32_t level_count, const struct cdxr_dp2_level *levels)
{
    struct cdxr_dp2_surface surface = {.handle = handle, .flags = flags, .width = width, .height = height, .depth = 1, .level_count = level_count,
                                       .levels = levels};
    cdxr_dp2_pixel_format_init(format, &surface.format);
    if (cdxr_dp2_surface_register(m->context, &surface) != CDXR_DP2_OK)
        exit(1);
}

static void add_plain(struct maker *m, uint32_t handle, uint32_t flags, enum cdxr_dp2_format format, uint32_t width, uint32_t height, void *memory,
                      uint32_t pitch)
{
    struct cdxr_dp2_level level = {memory, (size_t)pitch * height, (int32_t)pitch, 0};
    add_surface(m, handle, flags, format, width, height, 1, &level);
}

static void add_checker(struct maker *m)
{
    struct cdxr_dp2_level levels[7];
    for (uint32_t level = 0; level < 7; level++) {
        uint32_t edge = 64u >> level;
        for (uint32_t i = 0; i < edge * edge; i++) {
            uint32_t x = (i % edge) << level, y = (i / edge) << level;
            uint32_t dark = ((x >> 3) ^ (y >> 3)) & 1;
            checker_memory[level][i] = level > 3 ? 0xFF9A9A8A : dark ? 0xFF5A6A5A : 0xFFDACABA;
        }
        levels[level] = (struct cdxr_dp2_level){checker_memory[level], edge * edge * 4, (int32_t)edge * 4, 0};
    }
    add_surface(m, CHECKER, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_X8R8G8B8, 64, 64, 7, levels);
}

static void add_textures(struct maker *m)
{
    add_checker(m);
    for (int i = 0; i < 32 * 32; i++) {
        float x = (float)(i % 32) - 15.5f, y = (float)(i / 32) - 15.5f, r = sqrtf(x * x + y * y) / 16;
        uint32_t alpha = r < 1 ? (uint32_t)((1 - r) * 15) : 0;
        puff_memory[i] = (uint16_t)(alpha << 12 | 0xFEC);
        wood_memory[i] = (uint8_t)(((i % 32) * 3 + (int)(4 * sinf((float)(i / 32) * 0.4f))) & 31);
    }
    add_plain(m, PUFF, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_A4R4G4B4, 32, 32, puff_memory, 64);
    add_plain(m, WOOD, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_P8, 32, 32, wood_memory, 32);
}

/* ---- the strip of the DDK page ---- */

static void draw_strip(struct maker *m)
{
    static const float corners[5][2] = {{40, 200}, {80, 40}, {140, 200}, {180, 40}, {240, 200}};
    static const uint32_t colors[5] = {0xFFE04030, 0xFF40C050, 0xFF4060E0, 0xFFF0D040, 0xFFFFFFFF};
    clear(m, 0xFF202028);
    state(m, D3DRENDERSTATE_CULLMODE, D3DCULL_CCW);
    state(m, D3DRENDERSTATE_SHADEMODE, D3DSHADE_FLAT);
    start_token(m, D3DDP2OP_TRIANGLESTRIP, 3, 0);
    for (int i = 0; i < 5; i++)
        m->vertices.tl[m->vertex_count++] = (struct tl_vertex){corners[i][0], corners[i][1], 0.5f, 1, colors[i], 0xFF000000, 0, 0};
    execute(m, D3DFVF_TLVERTEX, sizeof(struct tl_vertex));
}

/* ---- the scene ---- */

static void matrix(struct maker *m, uint32_t type, const float values[16])
{
    token(m, D3DDP2OP_SETTRANSFORM, 1);
    put32(m, type);
    for (int i = 0; i < 16; i++)
        put_float(m, values[i]);
}

static void world(struct maker *m, float x, float y, float z, float scale)
{
    const float values[16] = {scale, 0, 0, 0, 0, scale, 0, 0, 0, 0, scale, 0, x, y, z, 1};
    matrix(m, D3DTRANSFORMSTATE_WORLD, values);
}

static void camera(struct maker *m)
{
    const float n = 0.5f, f = 40, s = sinf(0.25f), c = cosf(0.25f);
    const float view[16] = {1, 0, 0, 0, 0, c, -s, 0, 0, s, c, 0, 0, -1.2f * c, 1.2f * s + 1, 1};
    const float projection[16] = {1.35f, 0, 0, 0, 0, 1.8f, 0, 0, 0, 0, f / (f - n), 1, 0, 0, -n * f / (f - n), 0};
    matrix(m, D3DTRANSFORMSTATE_VIEW, view);
    matrix(m, D3DTRANSFORMSTATE_PROJECTION, projection);
    token(m, D3DDP2OP_VIEWPORTINFO, 1);
    put32(m, 0);
    put32(m, 0);
    put32(m, WIDTH);
    put32(m, HEIGHT);
    token(m, D3DDP2OP_ZRANGE, 1);
    put_float(m, 0);
    put_float(m, 1);
}

static void light(struct maker *m, uint32_t index, uint32_t type, const float color[3], const float position[3], const float direction[3])
{
    token(m, D3DDP2OP_CREATELIGHT, 1);
    put32(m, index);
    token(m, D3DDP2OP_SETLIGHT, 2);
    put32(m, index);
    put32(m, D3DHAL_SETLIGHT_DATA);
    put32(m, type);
    for (int i = 0; i < 12; i++)
        put_float(m, i % 4 == 3 ? 1 : i < 4 ? color[i] : i < 8 ? color[i - 4] * 0.7f : 0);
    for (int i = 0; i < 3; i++)
        put_float(m, position[i]);
    for (int i = 0; i < 3; i++)
        put_float(m, direction[i]);
    static const float rest[7] = {30, 1, 1, 0, 0.08f, 0, 0};
    for (int i = 0; i < 7; i++)
        put_float(m, rest[i]);
    put32(m, index);
    put32(m, D3DHAL_SETLIGHT_ENABLE);
}

static void material(struct maker *m, float r, float g, float b, float gloss)
{
    const float values[17] = {r, g, b, 1, r, g, b, 1, gloss, gloss, gloss, 1, 0, 0, 0, 1, 24};
    token(m, D3DDP2OP_SETMATERIAL, 1);
    for (int i = 0; i < 17; i++)
        put_float(m, values[i]);
}

static void scene_states(struct maker *m)
{
    state(m, D3DRENDERSTATE_NORMALIZENORMALS, 1); /* world matrices scale */
    state(m, D3DRENDERSTATE_AMBIENT, 0xFF303840);
    state(m, D3DRENDERSTATE_SPECULARENABLE, 1);
    state(m, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
    state(m, D3DRENDERSTATE_FOGENABLE, 1);
    state(m, D3DRENDERSTATE_FOGCOLOR, 0xFF8090B0);
    state(m, D3DRENDERSTATE_FOGVERTEXMODE, D3DFOG_LINEAR);
    state(m, D3DRENDERSTATE_FOGSTART, bits(4));
    state(m, D3DRENDERSTATE_FOGEND, bits(16));
    stage(m, 0, D3DTSS_COLOROP, D3DTOP_MODULATE);
    stage(m, 0, D3DTSS_MAGFILTER, 2);
    stage(m, 0, D3DTSS_MINFILTER, 2);
    stage(m, 0, D3DTSS_MIPFILTER, 3);
}

static void add_lit(struct maker *m, float x, float y, float z, float nx, float ny, float nz, float u, float v)
{
    m->vertices.lit[m->vertex_count++] = (struct lit_vertex){x, y, z, nx, ny, nz, u, v};
}

/* A floor of strips, one token a row. */
static void floor_strips(struct maker *m)
{
    enum { ROWS = 12, COLUMNS = 12 };
    world(m, 0, 0, 6, 1);
    material(m, 0.9f, 0.9f, 0.85f, 0);
    stage(m, 0, D3DTSS_TEXTUREMAP, CHECKER);
    for (int row = 0; row < ROWS; row++) {
        start_token(m, D3DDP2OP_TRIANGLESTRIP, 2 * COLUMNS, m->vertex_count);
        for (int i = 0; i <= COLUMNS; i++)
            for (int k = 0; k < 2; k++) {
                float x = (float)(i - COLUMNS / 2), z = (float)(row + k - ROWS / 2);
                add_lit(m, x, 0, z, 0, 1, 0, x * 0.5f, z * 0.5f);
            }
    }
}

/* A sphere: fans at the poles, indexed strips between. */
static void sphere(struct maker *m, float x, float y, float z, float radius)
{
    enum { RINGS = 12, SEGMENTS = 20 };
    uint32_t base = m->vertex_count;
    world(m, x, y, z, radius);
    add_lit(m, 0, 1, 0, 0, 1, 0, 0.5f, 0);
    for (int ring = 1; ring < RINGS; ring++)
        for (int i = 0; i <= SEGMENTS; i++) {
            float a = (float)M_PI * (float)ring / RINGS, b = 2 * (float)M_PI * (float)i / SEGMENTS;
            float nx = sinf(a) * cosf(b), ny = cosf(a), nz = sinf(a) * sinf(b);
            add_lit(m, nx, ny, nz, nx, ny, nz, 3 * (float)i / SEGMENTS, 2 * (float)ring / RINGS);
        }
    add_lit(m, 0, -1, 0, 0, -1, 0, 0.5f, 1);
    start_token(m, D3DDP2OP_TRIANGLEFAN, SEGMENTS, base);
    for (int ring = 1; ring + 1 < RINGS; ring++) {
        start_token(m, D3DDP2OP_INDEXEDTRIANGLESTRIP, 2 * SEGMENTS, base + 1);
        for (int i = 0; i <= SEGMENTS; i++) {
            put16(m, (uint32_t)((ring - 1) * (SEGMENTS + 1) + i));
            put16(m, (uint32_t)(ring * (SEGMENTS + 1) + i));
        }
    }
    uint32_t last = 1 + (RINGS - 1) * (SEGMENTS + 1);
    start_token(m, D3DDP2OP_INDEXEDTRIANGLEFAN, SEGMENTS, base);
    put16(m, last);
    for (int i = 0; i <= SEGMENTS; i++)
        put16(m, last - 1 - (uint32_t)i);
}

static void box(struct maker *m, float x, float y, float z, float half)
{
    uint32_t base = m->vertex_count;
    world(m, x, y, z, half);
    token(m, D3DDP2OP_INDEXEDTRIANGLELIST2, 12);
    put16(m, base);
    for (int face = 0; face < 6; face++) {
        int axis = face / 2, sign = face & 1 ? 1 : -1;
        for (int i = 0; i < 4; i++) {
            float p[3], n[3] = {0, 0, 0};
            p[axis] = n[axis] = (float)sign;
            p[(axis + 1) % 3] = i & 1 ? 1 : -1;
            p[(axis + 2) % 3] = i & 2 ? 1 : -1;
            add_lit(m, p[0], p[1], p[2], n[0], n[1], n[2], (float)(i & 1), (float)(i >> 1));
        }
        static const uint16_t order[6] = {0, 1, 2, 2, 1, 3};
        for (int i = 0; i < 6; i++)
            put16(m, (uint32_t)(face * 4 + order[i]));
    }
}

static void palette(struct maker *m)
{
    token(m, D3DDP2OP_SETPALETTE, 1);
    put32(m, 8);
    put32(m, 0);
    put32(m, WOOD);
    token(m, D3DDP2OP_UPDATEPALETTE, 1);
    put32(m, 8);
    put16(m, 0);
    put16(m, 32);
    for (uint32_t i = 0; i < 32; i++)
        put32(m, (110 + i * 4) | (60 + i * 3) << 8 | (30 + i) << 16);
}

static void draw_scene(struct maker *m)
{
    static const float warm[3] = {1, 0.95f, 0.8f}, blue[3] = {0.3f, 0.4f, 0.9f};
    static const float sun[3] = {0.5f, -0.8f, 0.6f}, at[3] = {-2.5f, 1.5f, 4}, none[3] = {0, 0, 0};
    clear(m, 0xFF8090B0);
    camera(m);
    scene_states(m);
    palette(m);
    light(m, 0, D3DLIGHT_DIRECTIONAL, warm, none, sun);
    light(m, 1, D3DLIGHT_POINT, blue, at, none);
    floor_strips(m);
    stage(m, 0, D3DTSS_TEXTUREMAP, WOOD);
    material(m, 1, 1, 1, 0.1f);
    box(m, 1.6f, 0.6f, 5.2f, 0.6f);
    stage(m, 0, D3DTSS_TEXTUREMAP, 0);
    material(m, 0.8f, 0.25f, 0.2f, 0.8f);
    sphere(m, -1.1f, 0.9f, 5, 0.9f);
    execute(m, D3DFVF_VERTEX, sizeof(struct lit_vertex));
}

/* Pretransformed: puffs of smoke blended over the scene, a frame of lines, points. */
static void draw_overlay(struct maker *m)
{
    state(m, D3DRENDERSTATE_FOGENABLE, 0);
    state(m, D3DRENDERSTATE_SPECULARENABLE, 0);
    state(m, D3DRENDERSTATE_ALPHABLENDENABLE, 1);
    state(m, D3DRENDERSTATE_SRCBLEND, D3DBLEND_SRCALPHA);
    state(m, D3DRENDERSTATE_DESTBLEND, D3DBLEND_INVSRCALPHA);
    state(m, D3DRENDERSTATE_ZWRITEENABLE, 0);
    stage(m, 0, D3DTSS_TEXTUREMAP, PUFF);
    start_token(m, D3DDP2OP_TRIANGLELIST, 6, 0);
    for (int i = 0; i < 3; i++) {
        float x = 90 + 45 * (float)i, y = 60 - 9 * (float)i, r = 30 + 6 * (float)i;
        const struct tl_vertex corner[4] = {{x - r, y - r, 0.9f, 0.2f, 0xFFFFFFFF, 0xFF000000, 0, 0}, {x + r, y - r, 0.9f, 0.2f, 0xFFFFFFFF, 0xFF000000, 1, 0},
                                            {x - r, y + r, 0.9f, 0.2f, 0xFFFFFFFF, 0xFF000000, 0, 1}, {x + r, y + r, 0.9f, 0.2f, 0xFFFFFFFF, 0xFF000000, 1, 1}};
        static const int order[6] = {0, 1, 2, 2, 1, 3};
        for (int k = 0; k < 6; k++)
            m->vertices.tl[m->vertex_count++] = corner[order[k]];
    }
    stage(m, 0, D3DTSS_TEXTUREMAP, 0);
    state(m, D3DRENDERSTATE_ZENABLE, 0);
    start_token(m, D3DDP2OP_LINESTRIP, 4, m->vertex_count);
    static const float frame[5][2] = {{8, 8}, {311, 8}, {311, 231}, {8, 231}, {8, 8}};
    for (int i = 0; i < 5; i++)
        m->vertices.tl[m->vertex_count++] = (struct tl_vertex){frame[i][0], frame[i][1], 0, 1, 0xC0FFFFFF, 0xFF000000, 0, 0};
    token(m, D3DDP2OP_POINTS, 1);
    put16(m, 9);
    put16(m, m->vertex_count);
    for (int i = 0; i < 9; i++)
        m->vertices.tl[m->vertex_count++] = (struct tl_vertex){16 + 8 * (float)i, 224, 0, 1, 0xFFFFFF00, 0xFF000000, 0, 0};
    execute(m, D3DFVF_TLVERTEX, sizeof(struct tl_vertex));
}

/* ---- random triangles: pretransformed ones, and untransformed ones that reach behind the eye ---- */

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static float random_between(uint32_t *seed, float low, float high)
{
    return low + (high - low) * (float)next_random(seed) / (1 << 24);
}

static void soup_behind_the_eye(struct maker *m)
{
    uint32_t seed = 5;
    clear(m, 0xFF101018);
    camera(m);
    state(m, D3DRENDERSTATE_LIGHTING, 0);
    state(m, D3DRENDERSTATE_CULLMODE, D3DCULL_CCW);
    world(m, 0, 0, 0, 1);
    start_token(m, D3DDP2OP_TRIANGLELIST, 150, 0);
    for (int i = 0; i < 150; i++) {
        float x = random_between(&seed, -5, 5), y = random_between(&seed, -2, 5), z = random_between(&seed, -2, 12);
        for (int k = 0; k < 3; k++)
            add_lit(m, x + random_between(&seed, -2, 2), y + random_between(&seed, -2, 2), z + random_between(&seed, -2, 2), 0, 0, -1, 0, 0);
    }
    execute(m, D3DFVF_VERTEX, sizeof(struct lit_vertex));
}

static void soup_pretransformed(struct maker *m)
{
    uint32_t seed = 9;
    state(m, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
    start_token(m, D3DDP2OP_TRIANGLELIST, 200, 0);
    for (int i = 0; i < 600; i++) {
        float w = random_between(&seed, 1, 20);
        m->vertices.tl[m->vertex_count++] = (struct tl_vertex){random_between(&seed, -60, WIDTH + 60), random_between(&seed, -60, HEIGHT + 60), 0.98f - 0.4f / w, 1 / w,
                                                               0xFF000000 | next_random(&seed), 0xFF000000, 0, 0};
    }
    execute(m, D3DFVF_TLVERTEX, sizeof(struct tl_vertex));
}

/* ---- patches of DirectX 8 ---- */

enum { BALL_VERTICES = 6, BALL_TRIANGLES = 8, PATCH_EDGE = 4 };
static struct lit_vertex shape_memory[BALL_VERTICES + PATCH_EDGE * PATCH_EDGE];
static uint16_t index_memory[BALL_TRIANGLES * 3];
static struct { float from[3], to[3]; } flag_memory[4];
static uint32_t flag_colors[4];

static void add_buffer(struct maker *m, uint32_t handle, void *memory, size_t byte_count)
{
    struct cdxr_dp2_level level = {memory, byte_count, 0, 0};
    struct cdxr_dp2_surface surface = {.handle = handle, .flags = CDXR_DP2_SURFACE_BUFFER, .levels = &level};
    if (cdxr_dp2_surface_register(m->context, &surface) != CDXR_DP2_OK)
        exit(1);
}

/* An octahedron whose normals make a ball of it, and a sheet of control points. */
static void fill_shapes(void)
{
    static const uint16_t faces[BALL_TRIANGLES][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    memset(shape_memory, 0, sizeof(shape_memory));
    for (int i = 0; i < BALL_VERTICES; i++) {
        float sign = i & 1 ? -1.0f : 1.0f;
        float *p = &shape_memory[i].x + i / 2, *n = &shape_memory[i].nx + i / 2;
        *p = *n = sign;
    }
    memcpy(index_memory, faces, sizeof(faces));
    for (int i = 0; i < PATCH_EDGE * PATCH_EDGE; i++) {
        int column = i % PATCH_EDGE, row = i / PATCH_EDGE;
        bool inner = column > 0 && column < 3 && row > 0 && row < 3;
        struct lit_vertex *v = &shape_memory[BALL_VERTICES + i];
        *v = (struct lit_vertex){(float)column / 1.5f - 1, 1 - (float)row / 1.5f, inner ? -1.5f : 0.2f, ((float)column - 1.5f) * 0.5f, (1.5f - (float)row) * 0.5f, -1, (float)column / 3,
                                 (float)row / 3};
    }
}

static void fill_flag(void)
{
    static const uint32_t colors[4] = {0xFFE0C040, 0xFFE04030, 0xFF4060E0, 0xFF40C050};
    for (int i = 0; i < 4; i++) {
        float x = i < 2 ? -0.5f : 0.5f, y = i & 1 ? 0.35f : -0.35f;
        flag_memory[i].from[0] = flag_memory[i].to[0] = x;
        flag_memory[i].from[1] = y;
        flag_memory[i].to[1] = y + (i < 2 ? 0 : 0.6f);
        flag_memory[i].from[2] = flag_memory[i].to[2] = 0;
        flag_colors[i] = colors[i];
    }
}

static void source(struct maker *m, uint32_t stream, uint32_t buffer, uint32_t stride)
{
    token(m, D3DDP2OP_SETSTREAMSOURCE, 1);
    put32(m, stream);
    put32(m, buffer);
    put32(m, stride);
}

static void put_all(struct maker *m, uint32_t opcode, const uint32_t *values, uint32_t count)
{
    token(m, opcode, 1);
    for (uint32_t i = 0; i < count; i++)
        put32(m, values[i]);
}

static void ball(struct maker *m)
{
    static const uint32_t shader = D3DFVF_VERTEX, indices[2] = {INDICES, 2}, draw[6] = {D3DPT_TRIANGLELIST, 0, 0, BALL_VERTICES, 0, BALL_TRIANGLES};
    world(m, -1.5f, 1, 4.5f, 0.8f);
    material(m, 0.8f, 0.3f, 0.2f, 0.8f);
    put_all(m, D3DDP2OP_SETVERTEXSHADER, &shader, 1);
    source(m, 0, SHAPES, sizeof(struct lit_vertex));
    put_all(m, D3DDP2OP_SETINDICES, indices, 2);
    state(m, D3DRENDERSTATE_PATCHSEGMENTS, bits(8));
    state(m, D3DRENDERSTATE_NORMALORDER, 2);
    put_all(m, D3DDP2OP_DRAWINDEXEDPRIMITIVE, draw, 6);
    state(m, D3DRENDERSTATE_PATCHSEGMENTS, bits(1));
}

static void sheet(struct maker *m)
{
    static const uint32_t info[7] = {BALL_VERTICES, 0, PATCH_EDGE, PATCH_EDGE, PATCH_EDGE, CDXR_D3DBASIS_BEZIER, CDXR_D3DORDER_CUBIC};
    world(m, 1.4f, 1.1f, 4.5f, 0.9f);
    material(m, 0.3f, 0.6f, 0.8f, 0.5f);
    token(m, D3DDP2OP_DRAWRECTPATCH, 1);
    put32(m, 1);
    put32(m, RTPATCHFLAG_HASSEGS | RTPATCHFLAG_HASINFO);
    for (int i = 0; i < 4; i++)
        put_float(m, 12);
    for (int i = 0; i < 7; i++)
        put32(m, info[i]);
}

/* Positions that move, of one stream, colours of another. */
static void flag(struct maker *m)
{
    static const uint32_t tokens[] = {0x20000000, 0x40020000, 0x4002000F, 0x20000001, 0x40040005, 0xFFFFFFFF};
    static const uint32_t shader = 0x11, draw[3] = {D3DPT_TRIANGLESTRIP, 0, 2};
    token(m, D3DDP2OP_CREATEVERTEXSHADER, 1);
    put32(m, shader);
    put32(m, sizeof(tokens));
    put32(m, 0);
    put(m, tokens, sizeof(tokens));
    put_all(m, D3DDP2OP_SETVERTEXSHADER, &shader, 1);
    source(m, 0, FLAG, sizeof(flag_memory[0]));
    source(m, 1, COLORS, 4);
    state(m, D3DRENDERSTATE_LIGHTING, 0);
    state(m, D3DRENDERSTATE_VERTEXBLEND, CDXR_D3DVBF_TWEENING);
    state(m, D3DRENDERSTATE_TWEENFACTOR, bits(0.7f));
    world(m, 0, 1.2f, 5, 1);
    put_all(m, D3DDP2OP_DRAWPRIMITIVE, draw, 3);
}

static void draw_patches(struct maker *m)
{
    static const float warm[3] = {1, 0.95f, 0.8f}, sun[3] = {0.5f, -0.8f, 0.6f}, none[3] = {0, 0, 0};
    clear(m, 0xFF303848);
    camera(m);
    state(m, D3DRENDERSTATE_NORMALIZENORMALS, 1);
    state(m, D3DRENDERSTATE_AMBIENT, 0xFF303840);
    state(m, D3DRENDERSTATE_SPECULARENABLE, 1);
    state(m, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
    light(m, 0, D3DLIGHT_DIRECTIONAL, warm, none, sun);
    ball(m);
    sheet(m);
    flag(m);
    execute(m, D3DFVF_VERTEX, sizeof(struct lit_vertex));
}

static void add_buffers(struct maker *m)
{
    fill_shapes();
    fill_flag();
    add_buffer(m, SHAPES, shape_memory, sizeof(shape_memory));
    add_buffer(m, INDICES, index_memory, sizeof(index_memory));
    add_buffer(m, FLAG, flag_memory, sizeof(flag_memory));
    add_buffer(m, COLORS, flag_colors, sizeof(flag_colors));
}

/* ---- files ---- */

static int write_file(void *cookie, const void *bytes, size_t count)
{
    return fwrite(bytes, 1, count, cookie) == count;
}

static int make(const char *folder, const char *name, uint32_t ddi_level, void (*draw)(struct maker *m), void (*overlay)(struct maker *m))
{
    static struct maker m;
    char path[1024];
    struct cdxr_dp2_config config;
    memset(&m, 0, sizeof(m));
    memset(color_memory, 0, sizeof(color_memory));
    memset(depth_memory, 0, sizeof(depth_memory));
    cdxr_dp2_config_init(&config);
    config.ddi_level = ddi_level;
    config.thread_count = 1;
    if (cdxr_dp2_create(&config, &m.context) != CDXR_DP2_OK)
        return 1;
    add_plain(&m, TARGET, CDXR_DP2_SURFACE_TARGET, CDXR_DP2_FORMAT_X8R8G8B8, WIDTH, HEIGHT, color_memory, WIDTH * 4);
    add_plain(&m, DEPTH, CDXR_DP2_SURFACE_DEPTH, CDXR_DP2_FORMAT_D24S8, WIDTH, HEIGHT, depth_memory, WIDTH * 4);
    if (overlay)
        add_textures(&m);
    if (ddi_level == 8)
        add_buffers(&m);
    cdxr_dp2_set_render_target(m.context, TARGET, DEPTH);
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        return 1;
    }
    int failed = cdxr_dp2_capture_start(m.context, write_file, file) != CDXR_DP2_OK;
    draw(&m);
    if (overlay)
        overlay(&m);
    failed |= cdxr_dp2_capture_stop(m.context) != CDXR_DP2_OK;
    failed |= fclose(file) != 0;
    cdxr_dp2_destroy(m.context);
    return failed;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    return make(folder, "strip.dp2", 7, draw_strip, NULL) || make(folder, "scene.dp2", 7, draw_scene, draw_overlay) ||
           make(folder, "soup.dp2", 7, soup_behind_the_eye, soup_pretransformed) || make(folder, "patches.dp2", 8, draw_patches, NULL);
}
