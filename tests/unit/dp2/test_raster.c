/* SPDX-License-Identifier: MIT
 * Golden pixels of the rasterisation rules: coverage, shading, fog, tests, blending (docs/dp2.md; expected values of the
 * public rules and their published tests). */
#include "fixture.h"

/* ---- coverage ---- */

static uint32_t count_pixels(const struct fixture *f, uint32_t color)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->width * f->height; i++)
        count += (f->color[i] & 0xFFFFFF) == color;
    return count;
}

static struct tl_vertex at(float x, float y, uint32_t diffuse)
{
    return (struct tl_vertex){x, y, 0.5f, 1, diffuse, 0xFF000000, 0, 0};
}

static void put_no_cull(struct fixture *f)
{
    put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
    put_state(f, D3DRENDERSTATE_ZENABLE, 0);
}

static void triangles_of_a_square_share_each_pixel_once(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct tl_vertex v[6] = {at(0, 0, 0xFFFF0000), at(5, 0, 0xFFFF0000), at(5, 5, 0xFFFF0000),
                             at(0, 5, 0xFF00FF00), at(0, 0, 0xFF00FF00), at(5, 5, 0xFF00FF00)};
    put_no_cull(f);
    put_state(f, D3DRENDERSTATE_ALPHABLENDENABLE, 1);
    put_state(f, D3DRENDERSTATE_SRCBLEND, D3DBLEND_ONE);
    put_state(f, D3DRENDERSTATE_DESTBLEND, D3DBLEND_ONE);
    put_start(f, D3DDP2OP_TRIANGLELIST, 2, 0);
    run_ok(f, v, 6);
    assert_int_equal(count_pixels(f, 0xFF0000), 15);
    assert_int_equal(count_pixels(f, 0x00FF00), 10);
    assert_int_equal(count_pixels(f, 0xFFFF00), 0);
    fixture_free(f);
}

struct filling_case {
    const char *name;
    float dx, dy;
    const char *rows[5];
};

static const struct filling_case filling_cases[] = {
    {"edge", 0, 0, {"TT.", "LT.", "LR.", "LB.", "..."}},
    {"center", -0.5f, 0.5f, {"...", "TT.", "LR.", "LR.", "BB."}},
    {"right", 1.0f / 16, 0, {".TT", ".TR", ".LR", ".BR", "..."}},
    {"left", -1.0f / 16, 0, {"TT.", "LT.", "LR.", "LB.", "..."}},
    {"up", 0, -1.0f / 16, {"LT.", "LT.", "LB.", "LB.", "..."}},
    {"down", 0, 1.0f / 16, {"...", "LT.", "LT.", "LB.", "LB."}},
};

static void filling_convention_table(void **state)
{
    static const float corners[4][3][2] = {{{2, 1}, {3, 3}, {2, 5}}, {{2, 1}, {4, 1}, {3, 3}}, {{4, 1}, {4, 5}, {3, 3}}, {{3, 3}, {4, 5}, {2, 5}}};
    static const uint32_t colors[4] = {0xFFFF0000, 0xFF00FF00, 0xFF0000FF, 0xFFFFFFFF};
    static const char letters[] = "LTRB";
    for (size_t i = 0; i < sizeof(filling_cases) / sizeof(filling_cases[0]); i++) {
        const struct filling_case *c = &filling_cases[i];
        struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
        struct tl_vertex v[12];
        for (int k = 0; k < 12; k++)
            v[k] = at(corners[k / 3][k % 3][0] + c->dx, corners[k / 3][k % 3][1] + c->dy, colors[k / 3]);
        put_no_cull(f);
        put_start(f, D3DDP2OP_TRIANGLELIST, 4, 0);
        run_ok(f, v, 12);
        for (uint32_t y = 0; y < 5; y++)
            for (uint32_t x = 0; x < 3; x++) {
                uint32_t expected = 0;
                for (int k = 0; k < 4; k++)
                    if (c->rows[y][x] == letters[k])
                        expected = colors[k] & 0xFFFFFF;
                if ((pixel(f, x + 2, y + 1) & 0xFFFFFF) != expected)
                    fail_msg("%s: pixel (%u, %u) is %06x, expected %c", c->name, x + 2, y + 1, pixel(f, x + 2, y + 1) & 0xFFFFFF, c->rows[y][x]);
            }
        fixture_free(f);
    }
}

/* ---- shading ---- */

static void put_shade_quad(struct fixture *f, uint32_t shade, uint32_t opcode, uint32_t count)
{
    put_no_cull(f);
    put_state(f, D3DRENDERSTATE_SHADEMODE, shade);
    put_start(f, opcode, count, 0);
}

static void flat_strip_takes_the_first_vertex(void **state)
{
    struct fixture *f = fixture_new(64, 64, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct tl_vertex v[4] = {at(0, 64, 0xFFFF0000), at(0, 0, 0xFF00FF00), at(64, 64, 0xFF0000FF), at(64, 0, 0xFFFFFFFF)};
    put_shade_quad(f, D3DSHADE_FLAT, D3DDP2OP_TRIANGLESTRIP, 2);
    run_ok(f, v, 4);
    assert_color(pixel(f, 10, 20), 0xFF0000, 0, "first triangle");
    assert_color(pixel(f, 60, 50), 0x00FF00, 0, "second triangle");
    fixture_free(f);
}

static void flat_list_takes_the_first_vertex(void **state)
{
    struct fixture *f = fixture_new(64, 64, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct tl_vertex v[6] = {at(0, 64, 0xFFFF0000), at(0, 0, 0xFF00FF00), at(64, 64, 0xFF0000FF),
                             at(64, 64, 0xFF0000FF), at(0, 0, 0xFF00FF00), at(64, 0, 0xFFFFFFFF)};
    put_shade_quad(f, D3DSHADE_FLAT, D3DDP2OP_TRIANGLELIST, 2);
    run_ok(f, v, 6);
    assert_color(pixel(f, 10, 20), 0xFF0000, 0, "first triangle");
    assert_color(pixel(f, 60, 50), 0x0000FF, 0, "second triangle");
    fixture_free(f);
}

static void flat_fan_takes_the_second_vertex(void **state)
{
    struct fixture *f = fixture_new(64, 64, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct tl_vertex v[4] = {at(0, 64, 0xFFFF0000), at(0, 0, 0xFF00FF00), at(64, 0, 0xFF0000FF), at(64, 64, 0xFFFFFFFF)};
    put_shade_quad(f, D3DSHADE_FLAT, D3DDP2OP_TRIANGLEFAN, 2);
    run_ok(f, v, 4);
    assert_color(pixel(f, 10, 20), 0x00FF00, 0, "first triangle");
    assert_color(pixel(f, 60, 50), 0x0000FF, 0, "second triangle");
    fixture_free(f);
}

static void gouraud_interpolates(void **state)
{
    struct fixture *f = fixture_new(640, 480, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct tl_vertex v[4] = {at(0, 480, 0xFFFF0000), at(0, 0, 0xFF00FF00), at(640, 480, 0xFF0000FF), at(640, 0, 0xFFFFFFFF)};
    put_shade_quad(f, D3DSHADE_GOURAUD, D3DDP2OP_TRIANGLESTRIP, 2);
    run_ok(f, v, 4);
    assert_color(pixel(f, 100, 100), 0x0DCA28, 1, "left top");
    assert_color(pixel(f, 500, 350), 0x0D45C7, 1, "right bottom");
    fixture_free(f);
}

/* ---- culling ---- */

struct cull_case {
    const char *name;
    uint32_t mode;
    bool clockwise_drawn, counter_drawn;
};

static void cull_modes(void **state)
{
    static const struct cull_case cases[] = {
        {"none", D3DCULL_NONE, true, true}, {"cw", D3DCULL_CW, false, true}, {"ccw", D3DCULL_CCW, true, false}};
    for (size_t i = 0; i < 3; i++) {
        struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
        struct tl_vertex v[6] = {at(0, 0, 0xFFFF0000), at(7, 0, 0xFFFF0000), at(0, 7, 0xFFFF0000),
                                 at(8, 8, 0xFF00FF00), at(8, 15, 0xFF00FF00), at(15, 8, 0xFF00FF00)};
        put_state(f, D3DRENDERSTATE_ZENABLE, 0);
        put_state(f, D3DRENDERSTATE_CULLMODE, cases[i].mode);
        put_start(f, D3DDP2OP_TRIANGLELIST, 2, 0);
        run_ok(f, v, 6);
        if ((count_pixels(f, 0xFF0000) > 0) != cases[i].clockwise_drawn || (count_pixels(f, 0x00FF00) > 0) != cases[i].counter_drawn)
            fail_msg("cull %s: %u clockwise, %u counter-clockwise pixels", cases[i].name, count_pixels(f, 0xFF0000), count_pixels(f, 0x00FF00));
        fixture_free(f);
    }
}

/* ---- clamping, alpha test ---- */

static void colors_are_clamped_between_stages(void **state)
{
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    float v[4][4] = {{0, 16, 0.5f, 1}, {0, 0, 0.5f, 1}, {16, 16, 0.5f, 1}, {16, 0, 0.5f, 1}};
    put_no_cull(f);
    put_state(f, D3DRENDERSTATE_TEXTUREFACTOR, 0xFF404040);
    put_stage(f, 0, D3DTSS_COLOROP, D3DTOP_ADD);
    put_stage(f, 0, D3DTSS_COLORARG1, D3DTA_DIFFUSE);
    put_stage(f, 0, D3DTSS_COLORARG2, D3DTA_SPECULAR);
    put_stage(f, 1, D3DTSS_COLOROP, D3DTOP_MODULATE);
    put_stage(f, 1, D3DTSS_COLORARG1, D3DTA_TFACTOR);
    put_stage(f, 1, D3DTSS_COLORARG2, D3DTA_CURRENT);
    put_quad(f);
    run_fvf(f, D3DFVF_XYZRHW, v, sizeof(v), 4, 16);
    assert_int_equal(f->call.ddrval, D3D_OK);
    assert_color(pixel(f, 8, 8), 0x404040, 1, "clamped");
    fixture_free(f);
}

struct alpha_case {
    const char *name;
    uint32_t func, ref;
    bool drawn;
};

static void alpha_test_uses_eight_bits(void **state)
{
    static const struct alpha_case cases[] = {
        {"never", 1, 0x70, false}, {"less", 2, 0x70, false}, {"equal", 3, 0x70, false}, {"lessequal", 4, 0x70, false},
        {"greater", 5, 0x70, true}, {"notequal", 6, 0x70, true}, {"greaterequal", 7, 0x70, true}, {"always", 8, 0x70, true},
        {"greater high bits", 5, 0xFF70, true}, {"less high bits", 2, 0xFF70, false}, {"equal 80", 3, 0x80, true}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
        struct tl_vertex v[4];
        quad(v, 0, 0, 16, 16, 0.5f, 0x8000FF00);
        put_no_cull(f);
        put_state(f, D3DRENDERSTATE_ALPHATESTENABLE, 1);
        put_state(f, D3DRENDERSTATE_ALPHAFUNC, cases[i].func);
        put_state(f, D3DRENDERSTATE_ALPHAREF, cases[i].ref);
        put_quad(f);
        run_ok(f, v, 4);
        if ((pixel(f, 8, 8) & 0xFF00) != (cases[i].drawn ? 0xFF00u : 0u))
            fail_msg("alpha test %s: pixel %06x", cases[i].name, pixel(f, 8, 8));
        if (cdxr_dp2_render_state(f->context, D3DRENDERSTATE_ALPHAREF) != cases[i].ref)
            fail_msg("alpha test %s: the reference does not read back", cases[i].name);
        fixture_free(f);
    }
}

/* ---- fog ---- */

static void put_fog(struct fixture *f, uint32_t table, float start, float end, uint32_t color)
{
    put_no_cull(f);
    put_state(f, D3DRENDERSTATE_FOGENABLE, 1);
    put_state(f, D3DRENDERSTATE_FOGCOLOR, color);
    put_state(f, D3DRENDERSTATE_FOGTABLEMODE, table);
    put_state(f, D3DRENDERSTATE_FOGSTART, float_bits(start));
    put_state(f, D3DRENDERSTATE_FOGEND, float_bits(end));
}

static void table_fog_follows_z_whatever_rhw(void **state)
{
    static const float rhws[] = {0, 0.3f, 3.0f};
    for (int i = 0; i < 6; i++) {
        struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
        struct tl_vertex v[4];
        float z = i < 3 ? 0.7f : 0.3f;
        quad(v, 0, 0, 16, 16, z, 0xFFFF0000);
        for (int k = 0; k < 4; k++)
            v[k].rhw = rhws[i % 3];
        put_fog(f, D3DFOG_LINEAR, 0, 1, 0x0000FF00);
        put_quad(f);
        run_ok(f, v, 4);
        assert_color(pixel(f, 8, 8), i < 3 ? 0x4CB200 : 0xB24C00, 2, "table fog");
        fixture_free(f);
    }
}

static void vertex_fog_comes_from_specular_alpha(void **state)
{
    for (uint32_t shade = D3DSHADE_FLAT; shade <= D3DSHADE_GOURAUD; shade++) {
        struct fixture *f = fixture_new(64, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
        struct tl_vertex v[4];
        quad(v, 0, 0, 64, 16, 0.5f, 0xFFFFFFFF);
        v[2].specular = v[3].specular = 0; /* fully fogged at the right edge */
        put_fog(f, D3DFOG_NONE, 0, 1, 0x0000FF00);
        put_state(f, D3DRENDERSTATE_SHADEMODE, shade);
        put_state(f, D3DRENDERSTATE_TEXTUREFACTOR, 0x000000FF);
        put_stage(f, 0, D3DTSS_COLOROP, D3DTOP_SELECTARG1);
        put_stage(f, 0, D3DTSS_COLORARG1, D3DTA_TFACTOR);
        put_quad(f);
        run_ok(f, v, 4);
        assert_color(pixel(f, 32, 8), 0x007F80, 2, "middle");
        fixture_free(f);
    }
}

static void exponential_table_fog(void **state)
{
    struct fixture *f = fixture_new(640, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct tl_vertex v[4];
    quad(v, 0, 0, 640, 16, 0, 0xFFFFFFFF);
    v[2].z = v[3].z = 1;
    put_fog(f, D3DFOG_EXP, 0, 1, 0x0000FF00);
    put_state(f, D3DRENDERSTATE_FOGDENSITY, float_bits(5));
    put_state(f, D3DRENDERSTATE_TEXTUREFACTOR, 0x000000FF);
    put_stage(f, 0, D3DTSS_COLOROP, D3DTOP_SELECTARG1);
    put_stage(f, 0, D3DTSS_COLORARG1, D3DTA_TFACTOR);
    put_quad(f);
    run_ok(f, v, 4);
    assert_color(pixel(f, 320, 8), 0x00EA15, 2, "middle");
    assert_color(pixel(f, 639, 8), 0x00FD02, 2, "right edge");
    fixture_free(f);
}

static void fog_of_no_range_is_a_step(void **state)
{
    struct fixture *f = fixture_new(64, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct tl_vertex v[4];
    quad(v, 0, 0, 64, 16, 0, 0xFFFF0000);
    v[2].z = v[3].z = 1;
    put_fog(f, D3DFOG_LINEAR, 0.5f, 0.5f, 0x0000FF00);
    put_quad(f);
    run_ok(f, v, 4);
    assert_color(pixel(f, 10, 8), 0xFF0000, 0, "left: clear");
    assert_color(pixel(f, 54, 8), 0x00FF00, 0, "right: fogged");
    fixture_free(f);
}

/* ---- blending ---- */

struct blend_case {
    const char *name;
    enum cdxr_dp2_format format;
    uint32_t clear, color, source, destination, expected;
};

static void blend_factors(void **state)
{
    static const struct blend_case cases[] = {
        {"srcalpha/inv", CDXR_DP2_FORMAT_X8R8G8B8, 0xFFFF0000, 0x4000FF00, 5, 6, 0xBF4000},
        {"destalpha/inv, alpha 80", CDXR_DP2_FORMAT_A8R8G8B8, 0x80FF0000, 0xC00000FF, 7, 8, 0x7F0080},
        {"destalpha/inv, no alpha", CDXR_DP2_FORMAT_X8R8G8B8, 0x80FF0000, 0xC00000FF, 7, 8, 0x0000FF},
        {"srcalpha/destalpha", CDXR_DP2_FORMAT_A8R8G8B8, 0xCCFF0000, 0x7F00FF00, 5, 7, 0xCC7F00},
        {"zero/zero", CDXR_DP2_FORMAT_X8R8G8B8, 0xFFFFFFFF, 0xFFFFFFFF, 1, 1, 0},
        {"one/one", CDXR_DP2_FORMAT_X8R8G8B8, 0x00102030, 0xFF405060, 2, 2, 0x507090},
        {"srccolor/zero", CDXR_DP2_FORMAT_X8R8G8B8, 0, 0xFF800000, 3, 1, 0x400000},
        {"zero/srccolor", CDXR_DP2_FORMAT_X8R8G8B8, 0x00FF8040, 0xFF8080FF, 1, 3, 0x804040},
        {"zero/invsrccolor", CDXR_DP2_FORMAT_X8R8G8B8, 0x00FF8040, 0xFF8080FF, 1, 4, 0x7F4000},
        {"destcolor/zero", CDXR_DP2_FORMAT_X8R8G8B8, 0x00FF8040, 0xFF8080FF, 9, 1, 0x804040},
        {"invdestcolor/zero", CDXR_DP2_FORMAT_X8R8G8B8, 0x00FF8040, 0xFF8080FF, 10, 1, 0x0040BF},
        {"bothsrcalpha", CDXR_DP2_FORMAT_X8R8G8B8, 0xFFFF0000, 0x4000FF00, 12, 1, 0xBF4000},
        {"bothinvsrcalpha", CDXR_DP2_FORMAT_X8R8G8B8, 0xFFFF0000, 0x4000FF00, 13, 1, 0x40BF00},
        {"srcalphasat", CDXR_DP2_FORMAT_A8R8G8B8, 0xC0000000, 0x80FFFFFF, 11, 1, 0x3F3F3F},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct blend_case *c = &cases[i];
        struct fixture *f = fixture_new(16, 16, c->format, NULL);
        struct tl_vertex v[4];
        quad(v, 0, 0, 16, 16, 0.5f, c->color);
        put_clear(f, D3DCLEAR_TARGET, c->clear, 1, 0);
        put_no_cull(f);
        put_state(f, D3DRENDERSTATE_ALPHABLENDENABLE, 1);
        put_state(f, D3DRENDERSTATE_SRCBLEND, c->source);
        put_state(f, D3DRENDERSTATE_DESTBLEND, c->destination);
        put_quad(f);
        run_ok(f, v, 4);
        assert_color(pixel(f, 8, 8), c->expected, 1, c->name);
        fixture_free(f);
    }
}

/* ---- depth and stencil ---- */

static void z_outside_0_to_1_is_clamped(void **state)
{
    static const struct { float z; uint32_t depth; } cases[] = {{1.5f, 0xFFFFFF}, {-0.25f, 0}, {0.5f, 0x800000}};
    for (int i = 0; i < 3; i++) {
        struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
        struct tl_vertex v[4];
        quad(v, 0, 0, 16, 16, cases[i].z, 0xFF00FF00);
        put_clear(f, D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER, 0, 1, 0);
        put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
        put_state(f, D3DRENDERSTATE_ZFUNC, D3DCMP_LESSEQUAL);
        put_quad(f);
        run_ok(f, v, 4);
        assert_color(pixel(f, 8, 8), 0x00FF00, 0, "drawn");
        assert_int_equal(depth_at(f, 8, 8), cases[i].depth);
        fixture_free(f);
    }
}

static void stencil_counts_and_masks(void **state)
{
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct tl_vertex v[4];
    quad(v, 0, 0, 8, 16, 0.5f, 0xFF00FF00);
    put_clear(f, D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER | D3DCLEAR_STENCIL, 0, 1, 5);
    put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
    put_state(f, D3DRENDERSTATE_STENCILENABLE, 1);
    put_state(f, D3DRENDERSTATE_STENCILPASS, D3DSTENCILOP_INCR);
    put_quad(f);
    run_ok(f, v, 4);
    assert_int_equal(stencil_at(f, 4, 4), 6);
    assert_int_equal(stencil_at(f, 12, 4), 5);
    put_state(f, D3DRENDERSTATE_STENCILFUNC, D3DCMP_EQUAL);
    put_state(f, D3DRENDERSTATE_STENCILREF, 5);
    put_state(f, D3DRENDERSTATE_STENCILPASS, D3DSTENCILOP_KEEP);
    put_state(f, D3DRENDERSTATE_STENCILFAIL, D3DSTENCILOP_INVERT);
    put_state(f, D3DRENDERSTATE_STENCILWRITEMASK, 0xF0);
    put_quad(f);
    quad(v, 0, 0, 16, 16, 0.25f, 0xFFFF0000);
    run_ok(f, v, 4);
    assert_color(pixel(f, 12, 4), 0xFF0000, 0, "equal passes");
    assert_color(pixel(f, 4, 4), 0x00FF00, 0, "unequal fails");
    assert_int_equal(stencil_at(f, 4, 4), 0xF6);
    fixture_free(f);
}

/* ---- lines and points ---- */

static void line_pixels(void **state)
{
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct tl_vertex v[2] = {at(2, 3, 0xFFFFFFFF), at(7, 3, 0xFFFFFFFF)};
    put_no_cull(f);
    put_start(f, D3DDP2OP_LINELIST, 1, 0);
    run_ok(f, v, 2);
    assert_int_equal(count_pixels(f, 0xFFFFFF), 6);
    put_clear(f, D3DCLEAR_TARGET, 0, 1, 0);
    put_state(f, D3DRENDERSTATE_LASTPIXEL, 0);
    put_start(f, D3DDP2OP_LINELIST, 1, 0);
    run_ok(f, v, 2);
    assert_int_equal(count_pixels(f, 0xFFFFFF), 5);
    assert_color(pixel(f, 7, 3), 0, 0, "last pixel");
    fixture_free(f);
}

static void line_pattern_repeats(void **state)
{
    struct fixture *f = fixture_new(32, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct tl_vertex v[2] = {at(0, 3, 0xFFFFFFFF), at(31, 3, 0xFFFFFFFF)};
    put_no_cull(f);
    put_state(f, D3DRENDERSTATE_LINEPATTERN, 0x55550002);
    put_start(f, D3DDP2OP_LINELIST, 1, 0);
    run_ok(f, v, 2);
    for (uint32_t x = 0; x < 32; x++)
        assert_int_equal(pixel(f, x, 3) & 0xFFFFFF, x / 2 & 1 ? 0 : 0xFFFFFF);
    fixture_free(f);
}

static void point_is_one_pixel(void **state)
{
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct tl_vertex v[2] = {at(4, 5, 0xFFFFFFFF), at(9.25f, 9.75f, 0xFFFFFFFF)};
    put_no_cull(f);
    put_token(f, D3DDP2OP_POINTS, 1);
    put16(f, 2);
    put16(f, 0);
    run_ok(f, v, 2);
    assert_int_equal(count_pixels(f, 0xFFFFFF), 2);
    assert_color(pixel(f, 4, 5), 0xFFFFFF, 0, "at its centre");
    assert_color(pixel(f, 9, 10), 0xFFFFFF, 0, "nearest");
    fixture_free(f);
}

static void wireframe_draws_edges_only(void **state)
{
    struct fixture *f = fixture_new(32, 32, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct tl_vertex v[3] = {at(2, 2, 0xFFFFFFFF), at(20, 2, 0xFFFFFFFF), at(2, 20, 0xFFFFFFFF)};
    put_no_cull(f);
    put_state(f, D3DRENDERSTATE_FILLMODE, D3DFILL_WIREFRAME);
    put_token(f, D3DDP2OP_INDEXEDTRIANGLELIST, 1);
    put16(f, 0);
    put16(f, 1);
    put16(f, 2);
    put16(f, D3DTRIFLAG_EDGEENABLE1 | D3DTRIFLAG_EDGEENABLE3);
    run_ok(f, v, 3);
    assert_color(pixel(f, 10, 2), 0xFFFFFF, 0, "edge 1");
    assert_color(pixel(f, 2, 10), 0xFFFFFF, 0, "edge 3");
    assert_color(pixel(f, 11, 11), 0, 0, "hidden edge 2");
    assert_color(pixel(f, 5, 5), 0, 0, "inside");
    fixture_free(f);
}

/* ---- threads and instruction sets ---- */

static uint32_t picture(uint32_t threads, uint32_t *pixels)
{
    struct cdxr_dp2_config config;
    struct cdxr_dp2_context *context;
    enum { EDGE = 200, COUNT = 3000 };
    static uint32_t target[EDGE * EDGE], depth[EDGE * EDGE];
    static struct tl_vertex v[COUNT];
    uint32_t seed = 12345;
    cdxr_dp2_config_init(&config);
    config.thread_count = threads;
    assert_int_equal(cdxr_dp2_create(&config, &context), CDXR_DP2_OK);
    struct fixture f = {.context = context, .width = EDGE, .height = EDGE};
    memset(target, 0, sizeof(target));
    fixture_surface(&f, TARGET, CDXR_DP2_SURFACE_TARGET, CDXR_DP2_FORMAT_X8R8G8B8, EDGE, EDGE, target, EDGE * 4);
    fixture_surface(&f, DEPTH, CDXR_DP2_SURFACE_DEPTH, CDXR_DP2_FORMAT_D24S8, EDGE, EDGE, depth, EDGE * 4);
    cdxr_dp2_set_render_target(context, TARGET, DEPTH);
    for (int i = 0; i < COUNT; i++) {
        float r[4];
        for (int k = 0; k < 4; k++) {
            seed = seed * 1664525 + 1013904223;
            r[k] = (float)(seed >> 8) / (1 << 24);
        }
        v[i] = (struct tl_vertex){r[0] * EDGE, r[1] * EDGE, r[2], 0.2f + r[3], seed | 0x80000000, 0, 0, 0};
    }
    put_clear(&f, 3, 0xFF203040, 1, 0);
    put_no_cull(&f);
    put_state(&f, D3DRENDERSTATE_ZENABLE, 1);
    put_state(&f, D3DRENDERSTATE_ALPHABLENDENABLE, 1);
    put_state(&f, D3DRENDERSTATE_SRCBLEND, D3DBLEND_SRCALPHA);
    put_state(&f, D3DRENDERSTATE_DESTBLEND, D3DBLEND_INVSRCALPHA);
    put_start(&f, D3DDP2OP_TRIANGLELIST, COUNT / 3, 0);
    run_ok(&f, v, COUNT);
    memcpy(pixels, target, sizeof(target));
    cdxr_dp2_destroy(context);
    return EDGE * EDGE;
}

/* The specialised spans against the general one, which a black specular colour to add asks for. */
static void special_spans_draw_the_pixels_of_the_general_one(void **state)
{
    static const struct {
        const char *name;
        uint32_t corner[4], blend, alpha_op;
    } cases[] = {{"white", {~0u, ~0u, ~0u, ~0u}, 0, D3DTOP_MODULATE}, {"white, half transparent", {0x80FFFFFF, 0x80FFFFFF, 0x80FFFFFF, 0x80FFFFFF}, 0, D3DTOP_MODULATE},
                 {"one colour", {0xFF406080, 0xFF406080, 0xFF406080, 0xFF406080}, 0, D3DTOP_SELECTARG1}, {"four colours", {0xFFFF0000, 0xFF00FF00, 0x800000FF, 0x40FFFFFF}, 0, D3DTOP_MODULATE},
                 {"white, blended", {0x80FFFFFF, 0x80FFFFFF, 0x80FFFFFF, 0x80FFFFFF}, 1, D3DTOP_MODULATE}};
    uint32_t texels[16 * 16];
    for (uint32_t i = 0; i < 256; i++)
        texels[i] = i * 2654435761u;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t *first = calloc(64 * 64, 4);
        for (uint32_t general = 0; general < 2; general++) {
            struct fixture *f = fixture_new(64, 64, CDXR_DP2_FORMAT_A8R8G8B8, NULL);
            fixture_surface(f, TEXTURE, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_A8R8G8B8, 16, 16, texels, 64);
            struct tl_vertex v[4];
            quad(v, 0, 0, 64, 64, 0.5f, 0);
            for (int k = 0; k < 4; k++) {
                v[k].diffuse = cases[i].corner[k];
                v[k].rhw = k & 1 ? 0.5f : 1;
                v[k].u *= 3;
                v[k].v *= 2.5f;
            }
            put_clear(f, 3, 0x80204060, 1, 0);
            put_stage(f, 0, D3DTSS_TEXTUREMAP, TEXTURE);
            put_stage(f, 0, D3DTSS_MAGFILTER, 2);
            put_stage(f, 0, D3DTSS_MINFILTER, 2);
            put_stage(f, 0, D3DTSS_ALPHAOP, cases[i].alpha_op);
            put_state(f, D3DRENDERSTATE_ALPHABLENDENABLE, cases[i].blend);
            put_state(f, D3DRENDERSTATE_SRCBLEND, D3DBLEND_SRCALPHA);
            put_state(f, D3DRENDERSTATE_DESTBLEND, D3DBLEND_INVSRCALPHA);
            put_state(f, D3DRENDERSTATE_SPECULARENABLE, general);
            put_quad(f);
            run_ok(f, v, 4);
            if (!general)
                memcpy(first, f->color, 64 * 64 * 4);
            else if (memcmp(first, f->color, 64 * 64 * 4))
                fail_msg("%s: pixels differ", cases[i].name);
            fixture_free(f);
        }
        free(first);
    }
}

static void same_pixels_for_any_thread_count(void **state)
{
    static uint32_t one[200 * 200], many[200 * 200];
    uint32_t count = picture(1, one);
    for (uint32_t threads = 2; threads <= 7; threads += 5) {
        picture(threads, many);
        assert_memory_equal(one, many, count * 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_of_a_square_share_each_pixel_once),
        cmocka_unit_test(filling_convention_table),
        cmocka_unit_test(flat_strip_takes_the_first_vertex),
        cmocka_unit_test(flat_list_takes_the_first_vertex),
        cmocka_unit_test(flat_fan_takes_the_second_vertex),
        cmocka_unit_test(gouraud_interpolates),
        cmocka_unit_test(cull_modes),
        cmocka_unit_test(colors_are_clamped_between_stages),
        cmocka_unit_test(alpha_test_uses_eight_bits),
        cmocka_unit_test(table_fog_follows_z_whatever_rhw),
        cmocka_unit_test(vertex_fog_comes_from_specular_alpha),
        cmocka_unit_test(exponential_table_fog),
        cmocka_unit_test(fog_of_no_range_is_a_step),
        cmocka_unit_test(blend_factors),
        cmocka_unit_test(z_outside_0_to_1_is_clamped),
        cmocka_unit_test(stencil_counts_and_masks),
        cmocka_unit_test(line_pixels),
        cmocka_unit_test(line_pattern_repeats),
        cmocka_unit_test(point_is_one_pixel),
        cmocka_unit_test(wireframe_draws_edges_only),
        cmocka_unit_test(special_spans_draw_the_pixels_of_the_general_one), cmocka_unit_test(same_pixels_for_any_thread_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
