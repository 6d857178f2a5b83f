/* SPDX-License-Identifier: MIT
 * Declarations of several streams, tweening, point sizes of DirectX 8, rectangle and triangle patches, N-patches. */
#include "fixture.h"

enum { END = 0xFFFFFFFF, EDGE = 48 };

static uint32_t stream(uint32_t number) { return 1u << 29 | number; }
static uint32_t element(uint32_t number, uint32_t type) { return 2u << 29 | type << 16 | number; }
static uint32_t leap(uint32_t dwords) { return 2u << 29 | 1u << 28 | dwords << 16; }

static void put_plain(struct fixture *f)
{
    put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
    put_state(f, D3DRENDERSTATE_ZENABLE, 1);
    put_state(f, D3DRENDERSTATE_ZFUNC, D3DCMP_ALWAYS);
    put_state(f, D3DRENDERSTATE_LIGHTING, 0);
}

static void add_buffer(struct fixture *f, uint32_t handle, void *bytes, size_t byte_count)
{
    struct cdxr_dp2_level level = {bytes, byte_count, 0, 0};
    struct cdxr_dp2_surface s = {.handle = handle, .flags = CDXR_DP2_SURFACE_BUFFER, .levels = &level};
    assert_int_equal(cdxr_dp2_surface_register(f->context, &s), CDXR_DP2_OK);
}

static void put_source(struct fixture *f, uint32_t number, uint32_t handle, uint32_t stride)
{
    put_token(f, D3DDP2OP_SETSTREAMSOURCE, 1);
    put32(f, number);
    put32(f, handle);
    put32(f, stride);
}

static void put_declaration(struct fixture *f, const uint32_t *tokens, uint32_t count)
{
    put_token(f, D3DDP2OP_CREATEVERTEXSHADER, 1);
    put32(f, 0x101);
    put32(f, count * 4);
    put32(f, 0);
    for (uint32_t i = 0; i < count; i++)
        put32(f, tokens[i]);
    put_token(f, D3DDP2OP_SETVERTEXSHADER, 1);
    put32(f, 0x101);
}

static void put_strip(struct fixture *f)
{
    put_token(f, D3DDP2OP_DRAWPRIMITIVE, 1);
    put32(f, D3DPT_TRIANGLESTRIP);
    put32(f, 0);
    put32(f, 2);
}

/* ---- declarations ---- */

static void declared_streams_feed_the_fixed_function(void **state)
{
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct { uint32_t unused; float x, y, z; } positions[4] = {{0, -1, -1, 0.5f}, {0, -1, 1, 0.5f}, {0, 1, -1, 0.5f}, {0, 1, 1, 0.5f}};
    uint32_t colors[4] = {0xFF204060, 0xFF204060, 0xFF204060, 0xFF204060};
    const uint32_t tokens[] = {stream(0), leap(1), element(0, 2), stream(3), element(5, 4), END};
    add_buffer(f, BUFFER, positions, sizeof(positions));
    add_buffer(f, BUFFER + 1, colors, sizeof(colors));
    put_plain(f);
    put_declaration(f, tokens, 6);
    put_source(f, 0, BUFFER, 16);
    put_source(f, 3, BUFFER + 1, 4);
    put_strip(f);
    run_ok(f, NULL, 0);
    assert_color(pixel(f, 8, 8), 0x204060, 0, "colour of stream 3");
    assert_color(pixel(f, 1, 14), 0x204060, 0, "the whole viewport");
    fixture_free(f);
}

static void tweening_mixes_two_positions(void **state)
{
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct { float a[3], b[3]; } v[4] = {{{-1, -1, 0.5f}, {-1, -1, 0.5f}}, {{-1, 1, 0.5f}, {-1, 1, 0.5f}}, {{-1, -1, 0.5f}, {1, -1, 0.5f}}, {{-1, 1, 0.5f}, {1, 1, 0.5f}}};
    const uint32_t tokens[] = {stream(0), element(0, 2), element(15, 2), END};
    add_buffer(f, BUFFER, v, sizeof(v));
    put_plain(f);
    put_declaration(f, tokens, 4);
    put_source(f, 0, BUFFER, 24);
    put_state(f, D3DRENDERSTATE_VERTEXBLEND, CDXR_D3DVBF_TWEENING);
    put_state(f, D3DRENDERSTATE_TWEENFACTOR, float_bits(0.5f));
    put_strip(f);
    run_ok(f, NULL, 0);
    assert_color(pixel(f, 7, 8), 0xFFFFFF, 0, "half way");
    assert_color(pixel(f, 8, 8), 0, 0, "not beyond");
    fixture_free(f);
}

static void wrong_declarations_stop_at_the_draw(void **state)
{
    static const struct { const char *name, *reason; uint32_t tokens[4], count; } cases[] = {
        {"no end", "end token", {1u << 29, 2u << 29 | 2u << 16}, 2}, {"no position", "POSITION", {1u << 29, 2u << 29 | 2u << 16 | 3, END}, 3},
        {"two floats of position", "POSITION", {1u << 29, 2u << 29 | 1u << 16, END}, 3}, {"type 9", "unknown type", {1u << 29, 2u << 29 | 9u << 16, END}, 3},
        {"register 20", "register", {1u << 29, 2u << 29 | 2u << 16 | 20, END}, 3}, {"token kind 6", "unknown token", {6u << 29, END}, 2},
        {"normal of two floats", "does not take", {1u << 29, 2u << 29 | 2u << 16, 2u << 29 | 1u << 16 | 3, END}, 4}, {"empty", "end token", {0}, 0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
        put_declaration(f, cases[i].tokens, cases[i].count);
        uint32_t at = f->length;
        put_strip(f);
        run_tl(f, NULL, 0);
        if (f->call.stop != CDXR_DP2_STOP_BAD || f->call.error_offset != at || !f->log_count || !strstr(f->log_text[f->log_count - 1], cases[i].reason))
            fail_msg("%s: stop %u at 0x%x: %s", cases[i].name, f->call.stop, f->call.error_offset, f->log_count ? f->log_text[f->log_count - 1] : "");
        fixture_free(f);
    }
}

/* ---- point sizes ---- */

static void point_sizes_count_where_directx_8_draws(void **state)
{
    static const struct { const char *name; uint32_t fvf; bool token8; float state, low, high, own; uint32_t pixels; } cases[] = {
        {"state", D3DFVF_XYZ, true, 4, 0, 64, 0, 16}, {"vertex over state", D3DFVF_XYZ | D3DFVF_PSIZE, true, 4, 0, 64, 6, 36},
        {"most", D3DFVF_XYZ | D3DFVF_PSIZE, true, 4, 0, 5, 10, 25}, {"least", D3DFVF_XYZ | D3DFVF_PSIZE, true, 4, 3, 64, 1, 9},
        {"pretransformed", D3DFVF_XYZRHW | D3DFVF_PSIZE, true, 1, 0, 64, 8, 64}, {"garbage of older vertices", D3DFVF_XYZ | D3DFVF_PSIZE, false, 1, 0, 64, 10, 1},
        {"wild", D3DFVF_XYZ | D3DFVF_PSIZE, true, 4, 0, 64, -__builtin_inff(), 1}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture *f = fixture_new(32, 32, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
        float v[5] = {0, 0, 0.5f, cases[i].own, 0};
        if (cases[i].fvf & D3DFVF_XYZRHW)
            memcpy(v, (float[]){16, 16, 0.5f, 1, cases[i].own}, sizeof(v));
        add_buffer(f, BUFFER, v, sizeof(v));
        put_plain(f);
        put_state(f, D3DRENDERSTATE_POINTSIZE, float_bits(cases[i].state));
        put_state(f, D3DRENDERSTATE_POINTSIZE_MIN, float_bits(cases[i].low));
        put_state(f, D3DRENDERSTATE_POINTSIZE_MAX, float_bits(cases[i].high));
        put_source(f, 0, BUFFER, 0);
        put_token(f, cases[i].token8 ? D3DDP2OP_DRAWPRIMITIVE : D3DDP2OP_POINTS, 1);
        put32(f, cases[i].token8 ? D3DPT_POINTLIST : 1);
        if (cases[i].token8) {
            put32(f, 0);
            put32(f, 1);
        }
        run_fvf(f, cases[i].fvf, v, sizeof(v), 1, 0);
        uint32_t count = 0;
        for (uint32_t k = 0; k < 32 * 32; k++)
            count += f->color[k] != 0;
        if (count != cases[i].pixels)
            fail_msg("%s: %u pixels, expected %u", cases[i].name, count, cases[i].pixels);
        fixture_free(f);
    }
}

/* ---- patches ---- */

/* Control points 16 pixels apart; inner ones at depth 0.5, others at 0. */
static void make_grid(float v[16][4])
{
    for (int i = 0; i < 16; i++) {
        int x = i % 4, y = i / 4;
        float z = x > 0 && x < 3 && y > 0 && y < 3 ? 0.5f : 0;
        memcpy(v[i], (float[]){(float)x * 16, (float)y * 16, z, 1}, sizeof(v[i]));
    }
}

static void put_rect_patch(struct fixture *f, uint32_t handle, float segments, const uint32_t info[7])
{
    put_token(f, D3DDP2OP_DRAWRECTPATCH, 1);
    put32(f, handle);
    put32(f, RTPATCHFLAG_HASSEGS | (info ? RTPATCHFLAG_HASINFO : 0));
    for (int i = 0; i < 4; i++)
        put_float(f, segments);
    for (int i = 0; info && i < 7; i++)
        put32(f, info[i]);
}

static void put_shader(struct fixture *f, uint32_t fvf)
{
    put_token(f, D3DDP2OP_SETVERTEXSHADER, 1);
    put32(f, fvf);
}

static void rect_patches_follow_their_basis(void **state)
{
    static const struct { const char *name; uint32_t basis, order, width; float depth; uint32_t first; } cases[] = {
        {"Bezier cubic", CDXR_D3DBASIS_BEZIER, 3, 4, 0.75f * 0.75f, 0}, {"B-spline cubic", CDXR_D3DBASIS_BSPLINE, 3, 4, (46.0f / 48) * (46.0f / 48), 0},
        {"through the points", CDXR_D3DBASIS_INTERPOLATE, 3, 4, 1.125f * 1.125f, 0}, {"Bezier linear", CDXR_D3DBASIS_BEZIER, 1, 4, 1, 0},
        {"B-spline linear", CDXR_D3DBASIS_BSPLINE, 1, 4, 1, 0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture *f = fixture_new(EDGE, EDGE, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
        float v[16][4];
        const uint32_t info[7] = {0, 0, 4, 4, 4, cases[i].basis, cases[i].order};
        make_grid(v);
        add_buffer(f, BUFFER, v, sizeof(v));
        put_plain(f);
        put_shader(f, D3DFVF_XYZRHW);
        put_source(f, 0, BUFFER, 16);
        put_rect_patch(f, 0, 6, info);
        run_ok(f, NULL, 0);
        struct cdxr_dp2_statistics s;
        cdxr_dp2_statistics(f->context, &s);
        assert_int_equal(s.triangles, 72);
        double depth = depth_at(f, 24, 24) / 16777215.0, expected = 0.5 * cases[i].depth;
        if (depth < expected - 0.002 || depth > expected + 0.002)
            fail_msg("%s: depth %g, expected %g", cases[i].name, depth, expected);
        fixture_free(f);
    }
}

static void patches_cover_their_area_and_are_kept_by_handle(void **state)
{
    struct fixture *f = fixture_new(EDGE, EDGE, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    float v[16][4];
    const uint32_t info[7] = {0, 0, 4, 4, 4, CDXR_D3DBASIS_BEZIER, 3};
    make_grid(v);
    add_buffer(f, BUFFER, v, sizeof(v));
    put_plain(f);
    put_shader(f, D3DFVF_XYZRHW);
    put_source(f, 0, BUFFER, 16);
    put_rect_patch(f, 7, 4, info);
    run_ok(f, NULL, 0);
    struct cdxr_dp2_statistics s;
    cdxr_dp2_statistics(f->context, &s);
    assert_int_equal(s.pixels_written, EDGE * EDGE);
    put_rect_patch(f, 7, 2, NULL); /* by handle, other segments */
    run_ok(f, NULL, 0);
    cdxr_dp2_statistics(f->context, &s);
    assert_int_equal(s.triangles, 32 + 8);
    put_state(f, D3DRENDERSTATE_DELETERTPATCH, 7);
    put_rect_patch(f, 7, 2, NULL);
    f->log_count = 0;
    run_ok(f, NULL, 0);
    assert_int_equal(f->log_count, 1);
    assert_non_null(strstr(f->log_text[0], "no description"));
    fixture_free(f);
}

static void triangle_patches_follow_bernstein(void **state)
{
    struct fixture *f = fixture_new(EDGE, EDGE, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    float v[10][4];
    for (int row = 0, i = 0; row < 4; row++)
        for (int column = 0; column <= row; column++, i++)
            memcpy(v[i], (float[]){24 + 16 * ((float)column - (float)row / 2), (float)row * 15, i == 4 ? 0.9f : 0, 1}, sizeof(v[i]));
    add_buffer(f, BUFFER, v, sizeof(v));
    put_plain(f);
    put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_CCW); /* front is clockwise */
    put_shader(f, D3DFVF_XYZRHW);
    put_source(f, 0, BUFFER, 16);
    put_token(f, D3DDP2OP_DRAWTRIPATCH, 1);
    put32(f, 0);
    put32(f, 3);
    for (int i = 0; i < 3; i++)
        put_float(f, 3);
    static const uint32_t info[4] = {0, 10, CDXR_D3DBASIS_BEZIER, 3};
    for (int i = 0; i < 4; i++)
        put32(f, info[i]);
    run_ok(f, NULL, 0);
    struct cdxr_dp2_statistics s;
    cdxr_dp2_statistics(f->context, &s);
    assert_int_equal(s.triangles, 9);
    assert_int_equal(s.triangles_culled, 0);
    assert_float_equal(depth_at(f, 24, 30) / 16777215.0, 0.9 * 6 / 27, 0.002);
    fixture_free(f);
}

static void wrong_patches_are_skipped_or_stop_strict_calls(void **state)
{
    static const struct { const char *name; uint32_t info[7]; } cases[] = {
        {"width of no whole pieces", {0, 0, 3, 4, 4, 0, 3}}, {"order 2", {0, 0, 3, 3, 3, 0, 2}}, {"basis 3", {0, 0, 4, 4, 4, 3, 3}}, {"quintic through points", {0, 0, 6, 6, 6, 2, 5}},
        {"beyond the buffer", {1, 0, 4, 4, 4, 0, 3}}, {"stride of everything", {0, 0, 4, 4, 0xFFFFFFFF, 0, 3}}, {"row of everything", {0xFFFFFFFF, 0xFFFFFFFF, 4, 4, 4, 0, 3}},
        {"nothing", {0}}};
    for (uint32_t strict = 0; strict < 2; strict++)
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            struct fixture *f = fixture_new(EDGE, EDGE, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
            struct cdxr_dp2_config config = f->config;
            config.strict = strict;
            cdxr_dp2_destroy(f->context);
            assert_int_equal(cdxr_dp2_create(&config, &f->context), CDXR_DP2_OK);
            fixture_surface(f, TARGET, CDXR_DP2_SURFACE_TARGET, CDXR_DP2_FORMAT_X8R8G8B8, EDGE, EDGE, f->color, EDGE * 4);
            cdxr_dp2_set_render_target(f->context, TARGET, 0);
            float v[16][4];
            make_grid(v);
            add_buffer(f, BUFFER, v, sizeof(v));
            put_shader(f, D3DFVF_XYZRHW);
            put_source(f, 0, BUFFER, 16);
            uint32_t at = f->length;
            put_rect_patch(f, 0, 4, cases[i].info);
            run_tl(f, NULL, 0);
            if ((f->call.ddrval != D3D_OK) != strict || (strict && f->call.error_offset != at) || !f->log_count)
                fail_msg("%s, strict %u: 0x%x at 0x%x", cases[i].name, strict, (unsigned)f->call.ddrval, f->call.error_offset);
            fixture_free(f);
        }
}

/* ---- N-patches ---- */

static double bulge(uint32_t position_order, float segments, uint64_t *triangles)
{
    struct fixture *f = fixture_new(32, 32, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    const float r = 0.70710678f;
    const float v[3][6] = {{-1, -1, 0.5f, -r, 0, -r}, {-1, 1, 0.5f, 0, 0, -1}, {1, -1, 0.5f, r, 0, -r}};
    put_plain(f);
    put_state(f, D3DRENDERSTATE_PATCHSEGMENTS, float_bits(segments));
    put_state(f, D3DRENDERSTATE_POSITIONORDER, position_order);
    put_start(f, D3DDP2OP_TRIANGLELIST, 1, 0);
    run_fvf(f, D3DFVF_XYZ | D3DFVF_NORMAL, v, sizeof(v), 3, 0);
    assert_int_equal(f->call.ddrval, D3D_OK);
    struct cdxr_dp2_statistics s;
    cdxr_dp2_statistics(f->context, &s);
    *triangles = s.triangles;
    double depth = depth_at(f, 15, 31) / 16777215.0;
    fixture_free(f);
    return depth;
}

/* Normals 45 degrees to either side lift the middle of their edge from 0.5 to 0.25: (1 + 0.5 + 0.5) / 8. */
static void n_patches_bend_edges_by_their_normals(void **state)
{
    uint64_t triangles;
    assert_float_equal(bulge(3, 1, &triangles), 0.5, 0.001);
    assert_int_equal(triangles, 1);
    assert_float_equal(bulge(3, 16, &triangles), 0.25, 0.03);
    assert_int_equal(triangles, 256);
    assert_float_equal(bulge(1, 16, &triangles), 0.5, 0.001);
    assert_int_equal(triangles, 256);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declared_streams_feed_the_fixed_function),
        cmocka_unit_test(tweening_mixes_two_positions),
        cmocka_unit_test(wrong_declarations_stop_at_the_draw),
        cmocka_unit_test(point_sizes_count_where_directx_8_draws),
        cmocka_unit_test(rect_patches_follow_their_basis),
        cmocka_unit_test(patches_cover_their_area_and_are_kept_by_handle),
        cmocka_unit_test(triangle_patches_follow_bernstein),
        cmocka_unit_test(wrong_patches_are_skipped_or_stop_strict_calls),
        cmocka_unit_test(n_patches_bend_edges_by_their_normals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
