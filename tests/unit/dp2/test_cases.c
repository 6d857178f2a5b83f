/* SPDX-License-Identifier: MIT
 * Field cases: faults met in drivers, emulators and wrappers of the stream, reduced to the right behaviour. */
#include "fixture.h"

static void put_plain(struct fixture *f)
{
    put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
    put_state(f, D3DRENDERSTATE_ZENABLE, 0);
    put_state(f, D3DRENDERSTATE_LIGHTING, 0);
}

static uint32_t lit_pixels(const struct fixture *f)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->width * f->height; i++)
        count += (f->color[i] & 0xFFFFFF) != 0;
    return count;
}

/* DP-01: the reserved DWORD of LVERTEX is no point size. */
static void reserved_dword_is_skipped(void **state)
{
    static const uint32_t garbage[] = {0x7F800000, 0x4E6E6B28 /* 1e9 */, 0xFFFFFFFF, 0};
    for (size_t i = 0; i < 4; i++) {
        struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
        struct { float x, y, z; uint32_t reserved, diffuse, specular; float u, v; } vertex = {0, 0, 0.5f, garbage[i], 0xFFFFFFFF, 0xFF000000, 0, 0};
        put_plain(f);
        put_token(f, D3DDP2OP_POINTS, 1);
        put16(f, 1);
        put16(f, 0);
        run_fvf(f, D3DFVF_LVERTEX, &vertex, sizeof(vertex), 1, 0);
        assert_int_equal(f->call.ddrval, D3D_OK);
        assert_int_equal(lit_pixels(f), 1);
        assert_color(pixel(f, 8, 8), 0xFFFFFF, 0, "centre");
        fixture_free(f);
    }
}

/* DP-03: a count of zero, or too few vertices, draws nothing and the next token runs. */
static void zero_counts_draw_nothing_and_go_on(void **state)
{
    static const struct { uint8_t opcode; uint32_t payload; } cases[] = {
        {D3DDP2OP_POINTS, 0}, {D3DDP2OP_INDEXEDLINELIST, 0}, {D3DDP2OP_INDEXEDTRIANGLELIST, 0}, {D3DDP2OP_LINELIST, 2}, {D3DDP2OP_LINESTRIP, 2},
        {D3DDP2OP_INDEXEDLINESTRIP, 4}, {D3DDP2OP_TRIANGLELIST, 2}, {D3DDP2OP_TRIANGLESTRIP, 2}, {D3DDP2OP_INDEXEDTRIANGLESTRIP, 6},
        {D3DDP2OP_TRIANGLEFAN, 2}, {D3DDP2OP_INDEXEDTRIANGLEFAN, 6}, {D3DDP2OP_TRIANGLEFAN_IMM, 4 + 64}, {D3DDP2OP_LINELIST_IMM, 0},
        {D3DDP2OP_INDEXEDTRIANGLELIST2, 2}, {D3DDP2OP_INDEXEDLINELIST2, 2}, {D3DDP2OP_DRAWPRIMITIVE, 0}, {D3DDP2OP_DRAWPRIMITIVE2, 0},
        {D3DDP2OP_DRAWINDEXEDPRIMITIVE, 0}, {D3DDP2OP_DRAWINDEXEDPRIMITIVE2, 0}, {D3DDP2OP_CLIPPEDTRIANGLEFAN, 0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
        struct tl_vertex v[2] = {{0, 0, 0, 1, 0xFFFFFFFF, 0, 0, 0}, {8, 8, 0, 1, 0xFFFFFFFF, 0, 0, 0}};
        put_token(f, cases[i].opcode, 0);
        for (uint32_t k = 0; k < cases[i].payload; k += 2)
            put16(f, 0);
        put_clear(f, D3DCLEAR_TARGET, 0xFF123456, 1, 0);
        run_ok(f, v, 2);
        assert_color(pixel(f, 3, 3), 0x123456, 0, cdxr_dp2_opcode_name(cases[i].opcode));
        struct cdxr_dp2_statistics s;
        cdxr_dp2_statistics(f->context, &s);
        assert_int_equal(s.triangles + s.lines + s.points, 0);
        fixture_free(f);
    }
}

/* DP-05: begin and end record without executing; execute applies; capture refreshes; delete then execute is harmless. */
static void put_set(struct fixture *f, uint32_t operation, uint32_t handle)
{
    put_token(f, D3DDP2OP_STATESET, 1);
    put32(f, operation);
    put32(f, handle);
    put32(f, 0);
}

static void state_sets_record_execute_capture_delete(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    put_state(f, D3DRENDERSTATE_ZENABLE, 1);
    put_set(f, D3DHAL_STATESETBEGIN, 0);
    put_state(f, D3DRENDERSTATE_ZENABLE, 0);
    put_stage(f, 2, D3DTSS_COLOROP, D3DTOP_ADD);
    put_set(f, D3DHAL_STATESETEND, 7);
    run_ok(f, NULL, 0);
    assert_int_equal(cdxr_dp2_render_state(f->context, D3DRENDERSTATE_ZENABLE), 1);
    assert_int_equal(cdxr_dp2_texture_stage_state(f->context, 2, D3DTSS_COLOROP), D3DTOP_DISABLE);
    put_set(f, D3DHAL_STATESETEXECUTE, 7);
    run_ok(f, NULL, 0);
    assert_int_equal(cdxr_dp2_render_state(f->context, D3DRENDERSTATE_ZENABLE), 0);
    assert_int_equal(cdxr_dp2_texture_stage_state(f->context, 2, D3DTSS_COLOROP), D3DTOP_ADD);
    put_state(f, D3DRENDERSTATE_ZENABLE, 2);
    put_state(f, D3DRENDERSTATE_FOGCOLOR, 0x111111); /* not in the set */
    put_set(f, D3DHAL_STATESETCAPTURE, 7);
    put_state(f, D3DRENDERSTATE_ZENABLE, 0);
    put_state(f, D3DRENDERSTATE_FOGCOLOR, 0x222222);
    put_set(f, D3DHAL_STATESETEXECUTE, 7);
    run_ok(f, NULL, 0);
    assert_int_equal(cdxr_dp2_render_state(f->context, D3DRENDERSTATE_ZENABLE), 2);
    assert_int_equal(cdxr_dp2_render_state(f->context, D3DRENDERSTATE_FOGCOLOR), 0x222222);
    put_set(f, D3DHAL_STATESETDELETE, 7);
    put_state(f, D3DRENDERSTATE_ZENABLE, 1);
    put_set(f, D3DHAL_STATESETEXECUTE, 7);
    f->log_count = 0;
    run_ok(f, NULL, 0); /* lenient: logged, no damage */
    assert_int_equal(f->log_count, 1);
    assert_int_equal(cdxr_dp2_render_state(f->context, D3DRENDERSTATE_ZENABLE), 1);
    fixture_free(f);
}

static void state_sets_of_everything_restore_everything(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    put_state(f, D3DRENDERSTATE_AMBIENT, 0xAABBCC);
    put_stage(f, 3, D3DTSS_TEXCOORDINDEX, 1);
    put_token(f, D3DDP2OP_STATESET, 1);
    put32(f, D3DHAL_STATESETCREATE);
    put32(f, 9);
    put32(f, 1);
    put_state(f, D3DRENDERSTATE_AMBIENT, 0);
    put_stage(f, 3, D3DTSS_TEXCOORDINDEX, 5);
    put_set(f, D3DHAL_STATESETEXECUTE, 9);
    run_ok(f, NULL, 0);
    assert_int_equal(cdxr_dp2_render_state(f->context, D3DRENDERSTATE_AMBIENT), 0xAABBCC);
    assert_int_equal(cdxr_dp2_texture_stage_state(f->context, 3, D3DTSS_TEXCOORDINDEX), 1);
    fixture_free(f);
}

/* DP-08: pixel centres at integers; a quad at -0.5 copies texels exactly, point and bilinear. */
static void put_texture(struct fixture *f)
{
    put_stage(f, 0, D3DTSS_TEXTUREMAP, TEXTURE);
    put_stage(f, 0, D3DTSS_COLOROP, D3DTOP_SELECTARG1);
    put_stage(f, 0, D3DTSS_COLORARG1, D3DTA_TEXTURE);
}

static void texels_copy_exactly_at_minus_one_half(void **state)
{
    for (uint32_t filter = 1; filter <= 2; filter++) {
        struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
        uint32_t texels[16];
        struct tl_vertex v[4];
        for (uint32_t i = 0; i < 16; i++)
            texels[i] = 0xFF000000 | i * 0x0F0B07;
        fixture_surface(f, TEXTURE, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_A8R8G8B8, 4, 4, texels, 16);
        quad(v, -0.5f, -0.5f, 3.5f, 3.5f, 0.5f, 0xFFFFFFFF);
        put_plain(f);
        put_texture(f);
        put_stage(f, 0, D3DTSS_MAGFILTER, filter);
        put_stage(f, 0, D3DTSS_MINFILTER, filter);
        put_quad(f);
        run_ok(f, v, 4);
        for (uint32_t i = 0; i < 16; i++)
            assert_color(pixel(f, i % 4, i / 4), texels[i], 0, filter == 1 ? "point" : "bilinear");
        assert_color(pixel(f, 4, 4), 0, 0, "outside");
        fixture_free(f);
    }
}

static void quad_at_integers_fills_its_pixels(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct tl_vertex v[4];
    quad(v, 0, 0, 4, 4, 0.5f, 0xFFFFFFFF);
    put_plain(f);
    put_quad(f);
    run_ok(f, v, 4);
    assert_int_equal(lit_pixels(f), 16);
    assert_color(pixel(f, 3, 3), 0xFFFFFF, 0, "last");
    fixture_free(f);
}

/* DP-10: two contexts with different states on shared surfaces do not leak into each other. */
static void contexts_keep_their_own_state(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct cdxr_dp2_config config = f->config;
    struct cdxr_dp2_context *first = f->context, *second;
    config.share_with = first;
    assert_int_equal(cdxr_dp2_create(&config, &second), CDXR_DP2_OK);
    assert_int_equal(cdxr_dp2_set_render_target(second, TARGET, DEPTH), CDXR_DP2_OK);
    uint32_t texel = 0xFFFF0000;
    fixture_surface(f, TEXTURE, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_A8R8G8B8, 1, 1, &texel, 4);
    struct tl_vertex v[4];
    for (int round = 0; round < 2; round++) {
        quad(v, 0, 0, 8, 8, 0.9f, 0xFF00FF00);
        put_clear(f, 3, 0, 0.5f, 0);
        if (!round)
            put_plain(f);
        if (!round)
            put_texture(f);
        put_quad(f);
        run_ok(f, v, 4);
        assert_color(pixel(f, 4, 4), 0xFF0000, 0, "first: no depth test, texture");
        f->context = second;
        put_clear(f, 3, 0, 0.5f, 0);
        put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
        put_quad(f);
        run_ok(f, v, 4);
        assert_color(pixel(f, 4, 4), 0, 0, "second: depth test on by default");
        quad(v, 0, 0, 8, 8, 0.1f, 0xFF00FF00);
        put_quad(f);
        run_ok(f, v, 4);
        assert_color(pixel(f, 4, 4), 0x00FF00, 0, "second: no texture");
        f->context = first;
    }
    cdxr_dp2_destroy(second);
    fixture_free(f);
}

/* DP-11: user memory is read at each call. */
static void user_memory_is_read_at_each_call(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct tl_vertex v[4];
    static const uint32_t colors[] = {0xFF0000, 0x0000FF};
    for (int i = 0; i < 2; i++) {
        quad(v, 0, 0, 8, 8, 0.5f, 0xFF000000 | colors[i]);
        put_plain(f);
        put_quad(f);
        f->call = (struct cdxr_dp2_call){.flags = D3DHALDP2_USERMEMVERTICES, .vertex_type = D3DFVF_TLVERTEX, .commands = f->stream,
                                         .commands_bytes = f->length, .command_length = f->length, .vertices = v, .vertices_bytes = sizeof(v),
                                         .vertex_count = 4};
        cdxr_dp2_execute_call(f->context, &f->call);
        f->length = 0;
        assert_color(pixel(f, 4, 4), colors[i], 0, "this call's data");
    }
    fixture_free(f);
}

/* DP-13: ADDSIGNED subtracts one half, then clamps. */
static void addsigned_subtracts_one_half(void **state)
{
    static const struct { uint32_t a, b, expected; } cases[] = {{0xBFBFBF, 0x808080, 0xC0C0C0}, {0x404040, 0, 0}, {0xFFFFFF, 0xFFFFFF, 0xFFFFFF}};
    for (int i = 0; i < 3; i++) {
        struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
        uint32_t texel = 0xFF000000 | cases[i].a;
        struct tl_vertex v[4];
        fixture_surface(f, TEXTURE, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_A8R8G8B8, 1, 1, &texel, 4);
        quad(v, 0, 0, 8, 8, 0.5f, 0xFF000000 | cases[i].b);
        put_plain(f);
        put_texture(f);
        put_stage(f, 0, D3DTSS_COLOROP, D3DTOP_ADDSIGNED);
        put_stage(f, 0, D3DTSS_COLORARG2, D3DTA_DIFFUSE);
        put_quad(f);
        run_ok(f, v, 4);
        assert_color(pixel(f, 4, 4), cases[i].expected, 1, "addsigned");
        fixture_free(f);
    }
}

/* DP-14: palettised textures show their palette, updates count from the next draw on, alpha follows the flag. */
static void put_palette_entry(struct fixture *f, uint32_t palette, uint32_t index, uint32_t r, uint32_t g, uint32_t b, uint32_t a)
{
    put_token(f, D3DDP2OP_UPDATEPALETTE, 1);
    put32(f, palette);
    put16(f, index);
    put16(f, 1);
    put32(f, r | g << 8 | b << 16 | a << 24);
}

static void put_set_palette(struct fixture *f, uint32_t palette, uint32_t flags, uint32_t surface)
{
    put_token(f, D3DDP2OP_SETPALETTE, 1);
    put32(f, palette);
    put32(f, flags);
    put32(f, surface);
}

static void palettes_apply_and_update(void **state)
{
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    uint8_t texels[256];
    struct tl_vertex v[4];
    for (int i = 0; i < 256; i++)
        texels[i] = (uint8_t)i;
    fixture_surface(f, TEXTURE, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_P8, 16, 16, texels, 16);
    put_plain(f);
    put_texture(f);
    put_set_palette(f, 3, 0, TEXTURE);
    for (uint32_t i = 0; i < 256; i++)
        put_palette_entry(f, 3, i, i, 255 - i, 7, 0);
    quad(v, -0.5f, -0.5f, 15.5f, 15.5f, 0.5f, 0xFFFFFFFF);
    put_quad(f);
    run_ok(f, v, 4);
    for (uint32_t i = 0; i < 256; i++)
        assert_color(pixel(f, i % 16, i / 16), i << 16 | (255 - i) << 8 | 7, 0, "entry");
    put_palette_entry(f, 3, 5, 1, 2, 3, 0);
    put_quad(f);
    run_ok(f, v, 4);
    assert_color(pixel(f, 5, 0), 0x010203, 0, "updated");
    /* Alpha: 255 without the flag, the entry's with it. */
    put_palette_entry(f, 3, 5, 1, 2, 3, 0x20);
    put_state(f, D3DRENDERSTATE_ALPHATESTENABLE, 1);
    put_state(f, D3DRENDERSTATE_ALPHAFUNC, D3DCMP_LESS);
    put_state(f, D3DRENDERSTATE_ALPHAREF, 0x80);
    put_clear(f, D3DCLEAR_TARGET, 0, 1, 0);
    put_quad(f);
    run_ok(f, v, 4);
    assert_int_equal(lit_pixels(f), 0);
    put_set_palette(f, 3, DDRAWIPAL_ALPHA, TEXTURE);
    put_quad(f);
    run_ok(f, v, 4);
    assert_color(pixel(f, 5, 0), 0x010203, 0, "alpha of the entry");
    fixture_free(f);
}

/* DP-17: transform, then the viewport once; lighting of one half gives 127 or 128. */
static void put_viewport(struct fixture *f, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    put_token(f, D3DDP2OP_VIEWPORTINFO, 1);
    put32(f, x);
    put32(f, y);
    put32(f, width);
    put32(f, height);
}

static void object_origin_lands_in_the_middle_of_the_viewport(void **state)
{
    struct fixture *f = fixture_new(640, 480, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct { float x, y, z; uint32_t diffuse; } v = {0, 0, 0, 0xFFFFFFFF};
    put_plain(f);
    put_viewport(f, 0, 0, 640, 480);
    put_token(f, D3DDP2OP_POINTS, 1);
    put16(f, 1);
    put16(f, 0);
    run_fvf(f, D3DFVF_XYZ | D3DFVF_DIFFUSE, &v, sizeof(v), 1, 0);
    assert_int_equal(f->call.ddrval, D3D_OK);
    assert_int_equal(lit_pixels(f), 1);
    assert_color(pixel(f, 320, 240), 0xFFFFFF, 0, "middle");
    fixture_free(f);
}

static void put_directional_light(struct fixture *f, float x, float y, float z)
{
    put_token(f, D3DDP2OP_SETLIGHT, 2);
    put32(f, 0);
    put32(f, D3DHAL_SETLIGHT_DATA);
    put32(f, D3DLIGHT_DIRECTIONAL);
    static const float colors[12] = {1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0};
    for (int i = 0; i < 12; i++)
        put_float(f, colors[i]);
    const float rest[] = {0, 0, 0, x, y, z, 1000, 0, 1, 0, 0, 0, 0};
    for (int i = 0; i < 13; i++)
        put_float(f, rest[i]);
    put32(f, 0);
    put32(f, D3DHAL_SETLIGHT_ENABLE);
}

static void light_at_sixty_degrees_gives_one_half(void **state)
{
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct { float x, y, z, nx, ny, nz; } v[3] = {{-1, 1, 0.5f, 0, 0, -1}, {3, 1, 0.5f, 0, 0, -1}, {-1, -3, 0.5f, 0, 0, -1}};
    put_plain(f);
    put_state(f, D3DRENDERSTATE_LIGHTING, 1);
    put_directional_light(f, 0.8660254f, 0, 0.5f);
    put_start(f, D3DDP2OP_TRIANGLELIST, 1, 0);
    run_fvf(f, D3DFVF_XYZ | D3DFVF_NORMAL, v, sizeof(v), 3, 0);
    assert_int_equal(f->call.ddrval, D3D_OK);
    assert_color(pixel(f, 8, 8), 0x808080, 1, "half");
    fixture_free(f);
}

static void put_no_tnl(struct cdxr_dp2_config *config)
{
    config->device_caps &= ~(uint32_t)D3DDEVCAPS_HWTRANSFORMANDLIGHT;
}

static void untransformed_vertices_need_the_cap(void **state)
{
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, put_no_tnl);
    float v[9] = {0};
    put_state(f, D3DRENDERSTATE_FOGCOLOR, 3);
    put_start(f, D3DDP2OP_TRIANGLELIST, 1, 0);
    run_fvf(f, D3DFVF_XYZ, v, sizeof(v), 3, 0);
    assert_int_equal(f->call.ddrval, D3DERR_COMMAND_UNPARSED);
    assert_int_equal(f->call.error_offset, 12);
    assert_int_equal(cdxr_dp2_render_state(f->context, D3DRENDERSTATE_FOGCOLOR), 3); /* state tokens ran */
    fixture_free(f);
}

/* The clip flag: geometry behind the near plane is cut off, user planes too. */
static void near_plane_and_user_planes_clip(void **state)
{
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct { float x, y, z; uint32_t diffuse; } v[4] = {{-1, 1, -1, ~0u}, {1, 1, 1, ~0u}, {-1, -1, -1, ~0u}, {1, -1, 1, ~0u}}; /* z from -1 to 1 */
    put_plain(f);
    put_viewport(f, 0, 0, 16, 16);
    put_start(f, D3DDP2OP_TRIANGLESTRIP, 2, 0);
    run_fvf(f, D3DFVF_XYZ | D3DFVF_DIFFUSE, v, sizeof(v), 4, 0);
    assert_color(pixel(f, 4, 8), 0, 0, "z below 0");
    assert_color(pixel(f, 12, 8), 0xFFFFFF, 0, "z above 0");
    put_clear(f, D3DCLEAR_TARGET, 0, 1, 0);
    put_token(f, D3DDP2OP_SETCLIPPLANE, 1);
    put32(f, 2);
    put_float(f, 0);
    put_float(f, 1);
    put_float(f, 0);
    put_float(f, 0); /* y >= 0 stays */
    put_state(f, D3DRENDERSTATE_CLIPPLANEENABLE, 4);
    put_start(f, D3DDP2OP_TRIANGLESTRIP, 2, 0);
    run_fvf(f, D3DFVF_XYZ | D3DFVF_DIFFUSE, v, sizeof(v), 4, 0);
    assert_color(pixel(f, 12, 3), 0xFFFFFF, 0, "above the plane");
    assert_color(pixel(f, 12, 12), 0, 0, "below the plane");
    fixture_free(f);
}

/* DX8 streams: bindings persist, buffers are resolved at the draw. */
static void streams_persist_across_calls(void **state)
{
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct tl_vertex v[4];
    uint16_t indices[6] = {0, 1, 2, 1, 3, 2};
    quad(v, 0, 0, 16, 16, 0.5f, 0xFF00FF00);
    struct cdxr_dp2_level vl = {v, sizeof(v), 0, 0}, il = {indices, sizeof(indices), 0, 0};
    struct cdxr_dp2_surface vb = {.handle = BUFFER, .flags = CDXR_DP2_SURFACE_BUFFER, .levels = &vl};
    struct cdxr_dp2_surface ib = {.handle = BUFFER + 1, .flags = CDXR_DP2_SURFACE_BUFFER, .levels = &il};
    assert_int_equal(cdxr_dp2_surface_register(f->context, &vb), CDXR_DP2_OK);
    assert_int_equal(cdxr_dp2_surface_register(f->context, &ib), CDXR_DP2_OK);
    put_plain(f);
    put_token(f, D3DDP2OP_SETVERTEXSHADER, 1);
    put32(f, D3DFVF_TLVERTEX);
    put_token(f, D3DDP2OP_SETSTREAMSOURCE, 1);
    put32(f, 0);
    put32(f, BUFFER);
    put32(f, sizeof(v[0]));
    put_token(f, D3DDP2OP_SETINDICES, 1);
    put32(f, BUFFER + 1);
    put32(f, 2);
    run_ok(f, NULL, 0);
    static const uint32_t draw[] = {D3DPT_TRIANGLELIST, 0, 0, 4, 0, 2};
    put_token(f, D3DDP2OP_DRAWINDEXEDPRIMITIVE, 1);
    for (int i = 0; i < 6; i++)
        put32(f, draw[i]);
    run_ok(f, NULL, 0);
    assert_int_equal(lit_pixels(f), 256);
    put_token(f, D3DDP2OP_SETVERTEXSHADER, 1); /* programmable: kept, refused at the draw */
    put32(f, 0x11);
    put_token(f, D3DDP2OP_DRAWPRIMITIVE, 1);
    put32(f, D3DPT_TRIANGLESTRIP);
    put32(f, 0);
    put32(f, 2);
    f->log_count = 0;
    run_tl(f, NULL, 0);
    assert_int_equal(f->call.stop, CDXR_DP2_STOP_BAD);
    assert_int_equal(f->call.error_offset, 8);
    assert_non_null(strstr(f->log_text[0], "programmable"));
    fixture_free(f);
}

/* Colour keys drop texels by their raw value; a discarded texel writes neither colour nor depth. */
static void color_key_discards(void **state)
{
    struct fixture *f = fixture_new(4, 4, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    uint16_t texels[4] = {0xF800, 0x07E0, 0x001F, 0xFFFF};
    struct tl_vertex v[4];
    fixture_surface(f, TEXTURE, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_R5G6B5, 2, 2, texels, 4);
    assert_int_equal(cdxr_dp2_set_color_key(f->context, TEXTURE, 1, 0x07E0, 0x07E0), CDXR_DP2_OK);
    quad(v, -0.5f, -0.5f, 3.5f, 3.5f, 0.25f, 0xFFFFFFFF);
    put_clear(f, 3, 0xFF111111, 1, 0);
    put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
    put_state(f, D3DRENDERSTATE_ZENABLE, 1);
    put_state(f, D3DRENDERSTATE_COLORKEYENABLE, 1);
    put_texture(f);
    put_quad(f);
    run_ok(f, v, 4);
    assert_color(pixel(f, 0, 0), 0xFF0000, 0, "red");
    assert_color(pixel(f, 3, 0), 0x111111, 0, "keyed");
    assert_int_equal(depth_at(f, 3, 0), 0xFFFFFF);
    assert_color(pixel(f, 3, 3), 0xFFFFFF, 0, "white");
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reserved_dword_is_skipped),
        cmocka_unit_test(zero_counts_draw_nothing_and_go_on),
        cmocka_unit_test(state_sets_record_execute_capture_delete),
        cmocka_unit_test(state_sets_of_everything_restore_everything),
        cmocka_unit_test(texels_copy_exactly_at_minus_one_half),
        cmocka_unit_test(quad_at_integers_fills_its_pixels),
        cmocka_unit_test(contexts_keep_their_own_state),
        cmocka_unit_test(user_memory_is_read_at_each_call),
        cmocka_unit_test(addsigned_subtracts_one_half),
        cmocka_unit_test(palettes_apply_and_update),
        cmocka_unit_test(object_origin_lands_in_the_middle_of_the_viewport),
        cmocka_unit_test(light_at_sixty_degrees_gives_one_half),
        cmocka_unit_test(untransformed_vertices_need_the_cap),
        cmocka_unit_test(near_plane_and_user_planes_clip),
        cmocka_unit_test(streams_persist_across_calls),
        cmocka_unit_test(color_key_discards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
