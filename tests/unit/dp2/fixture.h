/* SPDX-License-Identifier: MIT
 * A context on small surfaces and a builder of token streams, for the tests of the dp2 room. */
#ifndef CDXR_TESTS_DP2_FIXTURE_H
#define CDXR_TESTS_DP2_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cdxr/d3dhal.h"
#include "cdxr/dp2.h"

enum { TARGET = 0x10, DEPTH = 0x20, TEXTURE = 0x30, BUFFER = 0x40, MAX_STREAM = 1 << 16, MAX_LOG = 64 };

struct tl_vertex {
    float x, y, z, rhw;
    uint32_t diffuse, specular;
    float u, v;
};

struct fixture {
    struct cdxr_dp2_config config;
    struct cdxr_dp2_context *context;
    uint32_t width, height;
    uint32_t *color;   /* A8R8G8B8 or X8R8G8B8 */
    uint32_t *depth;   /* D24S8 */
    uint8_t stream[MAX_STREAM];
    uint32_t length;
    struct cdxr_dp2_call call;
    uint32_t log_count;
    struct cdxr_dp2_message log[MAX_LOG];
    char log_text[MAX_LOG][200];
};

static inline void fixture_log(void *cookie, const struct cdxr_dp2_message *message)
{
    struct fixture *f = cookie;
    if (f->log_count >= MAX_LOG)
        return;
    f->log[f->log_count] = *message;
    snprintf(f->log_text[f->log_count], sizeof(f->log_text[0]), "%s", message->text);
    f->log_count++;
}

static inline void fixture_surface(struct fixture *f, uint32_t handle, uint32_t flags, enum cdxr_dp2_format format, uint32_t width, uint32_t height,
                                   void *memory, uint32_t pitch)
{
    bool blocks = format >= CDXR_DP2_FORMAT_DXT1 && format <= CDXR_DP2_FORMAT_DXT5;
    struct cdxr_dp2_level level = {memory, (size_t)pitch * (blocks ? (height + 3) / 4 : height), (int32_t)pitch, 0};
    struct cdxr_dp2_surface surface = {.handle = handle, .flags = flags, .width = width, .height = height, .depth = 1, .level_count = 1, .levels = &level};
    cdxr_dp2_pixel_format_init(format, &surface.format);
    assert_int_equal(cdxr_dp2_surface_register(f->context, &surface), CDXR_DP2_OK);
}

static inline struct fixture *fixture_new(uint32_t width, uint32_t height, enum cdxr_dp2_format format, void (*tune)(struct cdxr_dp2_config *config))
{
    struct fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->width = width;
    f->height = height;
    cdxr_dp2_config_init(&f->config);
    f->config.cookie = f;
    f->config.log = fixture_log;
    f->config.thread_count = 1;
    if (tune)
        tune(&f->config);
    assert_int_equal(cdxr_dp2_create(&f->config, &f->context), CDXR_DP2_OK);
    f->color = calloc(width * ((height + 3) & ~3u), 4);
    f->depth = calloc(width * ((height + 3) & ~3u), 4);
    fixture_surface(f, TARGET, CDXR_DP2_SURFACE_TARGET | CDXR_DP2_SURFACE_TEXTURE, format, width, height, f->color, width * 4);
    fixture_surface(f, DEPTH, CDXR_DP2_SURFACE_DEPTH, CDXR_DP2_FORMAT_D24S8, width, height, f->depth, width * 4);
    assert_int_equal(cdxr_dp2_set_render_target(f->context, TARGET, DEPTH), CDXR_DP2_OK);
    return f;
}

static inline void fixture_free(struct fixture *f)
{
    cdxr_dp2_destroy(f->context);
    free(f->color);
    free(f->depth);
    free(f);
}

/* ---- tokens ---- */

static inline void put16(struct fixture *f, uint32_t value)
{
    assert_true(f->length + 2 <= MAX_STREAM);
    f->stream[f->length++] = (uint8_t)value;
    f->stream[f->length++] = (uint8_t)(value >> 8);
}

static inline void put32(struct fixture *f, uint32_t value)
{
    put16(f, value & 0xFFFF);
    put16(f, value >> 16);
}

static inline void put_float(struct fixture *f, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    put32(f, bits);
}

static inline void put_token(struct fixture *f, uint32_t opcode, uint32_t count)
{
    put16(f, opcode);
    put16(f, count);
}

static inline void put_state(struct fixture *f, uint32_t state, uint32_t value)
{
    put_token(f, D3DDP2OP_RENDERSTATE, 1);
    put32(f, state);
    put32(f, value);
}

static inline uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static inline void put_stage(struct fixture *f, uint32_t stage, uint32_t state, uint32_t value)
{
    put_token(f, D3DDP2OP_TEXTURESTAGESTATE, 1);
    put16(f, stage);
    put16(f, state);
    put32(f, value);
}

static inline void put_start(struct fixture *f, uint32_t opcode, uint32_t count, uint32_t start)
{
    put_token(f, opcode, count);
    put16(f, start);
}

static inline void put_clear(struct fixture *f, uint32_t flags, uint32_t color, float z, uint32_t stencil)
{
    put_token(f, D3DDP2OP_CLEAR, 1);
    put32(f, flags);
    put32(f, color);
    put_float(f, z);
    put32(f, stencil);
    put32(f, 0);
    put32(f, 0);
    put32(f, f->width);
    put32(f, f->height);
}

static inline void put_matrix(struct fixture *f, uint32_t opcode, uint32_t type, const float m[16])
{
    put_token(f, opcode, 1);
    put32(f, type);
    for (int i = 0; i < 16; i++)
        put_float(f, m[i]);
}

/* Execute what was put, with these vertices; leaves the builder empty. */
static inline void run_fvf(struct fixture *f, uint32_t fvf, const void *vertices, size_t vertices_bytes, uint32_t count, uint32_t stride)
{
    f->call = (struct cdxr_dp2_call){.vertex_type = fvf, .commands = f->stream, .commands_bytes = f->length, .command_length = f->length,
                                     .vertices = vertices, .vertices_bytes = vertices_bytes, .vertex_count = count, .vertex_stride = stride};
    cdxr_dp2_execute_call(f->context, &f->call);
    f->length = 0;
}

static inline void run_tl(struct fixture *f, const struct tl_vertex *vertices, uint32_t count)
{
    run_fvf(f, D3DFVF_TLVERTEX, vertices, count * sizeof(*vertices), count, sizeof(*vertices));
}

static inline void run_ok(struct fixture *f, const struct tl_vertex *vertices, uint32_t count)
{
    run_tl(f, vertices, count);
    if (f->call.ddrval != D3D_OK)
        fail_msg("ddrval 0x%x at 0x%x: %s", (unsigned)f->call.ddrval, f->call.error_offset, f->log_count ? f->log_text[f->log_count - 1] : "");
}

static inline uint32_t pixel(const struct fixture *f, uint32_t x, uint32_t y)
{
    return f->color[y * f->width + x];
}

static inline uint32_t depth_at(const struct fixture *f, uint32_t x, uint32_t y)
{
    return f->depth[y * f->width + x] & 0xFFFFFF;
}

static inline uint32_t stencil_at(const struct fixture *f, uint32_t x, uint32_t y)
{
    return f->depth[y * f->width + x] >> 24;
}

static inline void assert_color(uint32_t actual, uint32_t expected, int tolerance, const char *name)
{
    for (int shift = 0; shift < 24; shift += 8) {
        int a = (int)(actual >> shift & 255), e = (int)(expected >> shift & 255);
        if (abs(a - e) > tolerance)
            fail_msg("%s: colour %06x, expected %06x within %d", name, actual & 0xFFFFFF, expected & 0xFFFFFF, tolerance);
    }
}

/* Two triangles over (x0, y0)..(x1, y1), clockwise; four vertices of a strip. */
static inline void quad(struct tl_vertex v[4], float x0, float y0, float x1, float y1, float z, uint32_t diffuse)
{
    v[0] = (struct tl_vertex){x0, y1, z, 1, diffuse, 0xFF000000, 0, 1};
    v[1] = (struct tl_vertex){x0, y0, z, 1, diffuse, 0xFF000000, 0, 0};
    v[2] = (struct tl_vertex){x1, y1, z, 1, diffuse, 0xFF000000, 1, 1};
    v[3] = (struct tl_vertex){x1, y0, z, 1, diffuse, 0xFF000000, 1, 0};
}

static inline void put_quad(struct fixture *f)
{
    put_start(f, D3DDP2OP_TRIANGLESTRIP, 2, 0);
}

#endif
