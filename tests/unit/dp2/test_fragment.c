/* SPDX-License-Identifier: MIT
 * What happens to a pixel on its way into the surfaces, exhaustively: all pairs of blend factors under all blend operations, every comparison of depth, stencil
 * and alpha, every stencil operation at its limits, fog over distance. Each against a formula in double precision. */
#include "fixture.h"

#include <math.h>

static void put_plain(struct fixture *f)
{
    put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
    put_state(f, D3DRENDERSTATE_ZENABLE, 0);
}

/* ---- blending ---- */

static double channel(uint32_t argb, int i) { return (argb >> (i == 3 ? 24 : 16 - 8 * i) & 255) / 255.0; }
static double clamp1(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

static double factor(uint32_t mode, uint32_t s, uint32_t t, int i)
{
    switch (mode) {
    case D3DBLEND_ZERO: return 0;
    case D3DBLEND_SRCCOLOR: return channel(s, i);
    case D3DBLEND_INVSRCCOLOR: return 1 - channel(s, i);
    case D3DBLEND_SRCALPHA: return channel(s, 3);
    case D3DBLEND_INVSRCALPHA: return 1 - channel(s, 3);
    case D3DBLEND_DESTALPHA: return channel(t, 3);
    case D3DBLEND_INVDESTALPHA: return 1 - channel(t, 3);
    case D3DBLEND_DESTCOLOR: return channel(t, i);
    case D3DBLEND_INVDESTCOLOR: return 1 - channel(t, i);
    case D3DBLEND_SRCALPHASAT: return i == 3 ? 1 : fmin(channel(s, 3), 1 - channel(t, 3));
    default: return 1;
    }
}

static double blended(uint32_t source, uint32_t destination, uint32_t op, uint32_t s, uint32_t t, int i)
{
    if (source == D3DBLEND_BOTHSRCALPHA || source == D3DBLEND_BOTHINVSRCALPHA) { /* they set both factors */
        destination = source == D3DBLEND_BOTHSRCALPHA ? D3DBLEND_INVSRCALPHA : D3DBLEND_SRCALPHA;
        source = source == D3DBLEND_BOTHSRCALPHA ? D3DBLEND_SRCALPHA : D3DBLEND_INVSRCALPHA;
    }
    double a = channel(s, i) * factor(source, s, t, i), b = channel(t, i) * factor(destination, s, t, i);
    switch (op) {
    case D3DBLENDOP_SUBTRACT: return clamp1(a - b);
    case D3DBLENDOP_REVSUBTRACT: return clamp1(b - a);
    case D3DBLENDOP_MIN: return fmin(channel(s, i), channel(t, i)); /* factors do not count */
    case D3DBLENDOP_MAX: return fmax(channel(s, i), channel(t, i));
    default: return clamp1(a + b);
    }
}

static void check_pair(struct fixture *f, uint32_t source, uint32_t destination, uint32_t op, bool has_alpha)
{
    const uint32_t s = 0x9060A0D0, t = 0x40C08020, read = has_alpha ? t : t | 0xFF000000;
    struct tl_vertex v[4];
    quad(v, 0, 0, 4, 4, 0.5f, s);
    put_clear(f, D3DCLEAR_TARGET, t, 1, 0);
    put_state(f, D3DRENDERSTATE_SRCBLEND, source);
    put_state(f, D3DRENDERSTATE_DESTBLEND, destination);
    put_state(f, D3DRENDERSTATE_BLENDOP, op);
    put_quad(f);
    run_ok(f, v, 4);
    for (int i = 0; i < (has_alpha ? 4 : 3); i++) {
        double got = channel(pixel(f, 1, 1), i), expected = blended(source, destination, op, s, read, i);
        if (fabs(got - expected) > 0.6 / 255)
            fail_msg("source %u destination %u operation %u channel %d: %g, expected %g", source, destination, op, i, got * 255, expected * 255);
    }
}

static void every_pair_of_blend_factors_under_every_operation(void **state)
{
    for (uint32_t has_alpha = 0; has_alpha < 2; has_alpha++) {
        struct fixture *f = fixture_new(4, 4, has_alpha ? CDXR_DP2_FORMAT_A8R8G8B8 : CDXR_DP2_FORMAT_X8R8G8B8, NULL);
        put_plain(f);
        put_state(f, D3DRENDERSTATE_ALPHABLENDENABLE, 1);
        for (uint32_t source = 1; source <= 13; source++)
            for (uint32_t destination = 1; destination <= 11; destination++)
                for (uint32_t op = 1; op <= 5; op++)
                    check_pair(f, source, destination, op, has_alpha);
        fixture_free(f);
    }
}

/* ---- comparisons ---- */

static bool passes(uint32_t func, int a, int b)
{
    const bool results[9] = {true, false, a < b, a == b, a <= b, a > b, a != b, a >= b, true};
    return results[func];
}

enum comparison { COMPARE_DEPTH, COMPARE_ALPHA, COMPARE_STENCIL };

static void put_comparison(struct fixture *f, enum comparison what, uint32_t func, int value, int reference, uint32_t *color, float *z)
{
    put_clear(f, 7, 0xFF000000, what == COMPARE_DEPTH ? (float)reference / 16 : 1, what == COMPARE_STENCIL ? (uint32_t)reference : 0);
    put_state(f, D3DRENDERSTATE_ZENABLE, what == COMPARE_DEPTH);
    put_state(f, D3DRENDERSTATE_ZFUNC, func);
    put_state(f, D3DRENDERSTATE_ALPHATESTENABLE, what == COMPARE_ALPHA);
    put_state(f, D3DRENDERSTATE_ALPHAFUNC, func);
    put_state(f, D3DRENDERSTATE_ALPHAREF, (uint32_t)reference);
    put_state(f, D3DRENDERSTATE_STENCILENABLE, what == COMPARE_STENCIL);
    put_state(f, D3DRENDERSTATE_STENCILFUNC, func);
    put_state(f, D3DRENDERSTATE_STENCILREF, (uint32_t)value);
    *z = what == COMPARE_DEPTH ? (float)value / 16 : 0.5f;
    *color = what == COMPARE_ALPHA ? (uint32_t)value << 24 | 0xFFFFFF : 0xFFFFFFFF;
}

/* Fragment FUNC what is there (depth), reference (alpha); reference FUNC what is there (stencil). */
static void every_comparison_of_depth_alpha_and_stencil(void **state)
{
    struct fixture *f = fixture_new(4, 4, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
    for (int what = COMPARE_DEPTH; what <= COMPARE_STENCIL; what++)
        for (uint32_t func = 1; func <= 8; func++)
            for (int value = 7; value <= 9; value++) {
                struct tl_vertex v[4];
                uint32_t color;
                float z;
                put_comparison(f, (enum comparison)what, func, value, 8, &color, &z);
                quad(v, 0, 0, 4, 4, z, color);
                put_quad(f);
                run_ok(f, v, 4);
                if (((pixel(f, 1, 1) & 0xFFFFFF) != 0) != passes(func, value, 8))
                    fail_msg("%d: %d func %u 8 is wrong", what, value, func);
            }
    fixture_free(f);
}

/* ---- stencil operations ---- */

static uint32_t operated(uint32_t op, uint32_t s, uint32_t reference)
{
    switch (op) {
    case D3DSTENCILOP_ZERO: return 0;
    case D3DSTENCILOP_REPLACE: return reference;
    case D3DSTENCILOP_INCRSAT: return s == 255 ? 255 : s + 1;
    case D3DSTENCILOP_DECRSAT: return s ? s - 1 : 0;
    case D3DSTENCILOP_INVERT: return s ^ 255;
    case D3DSTENCILOP_INCR: return (s + 1) & 255;
    case D3DSTENCILOP_DECR: return (s - 1) & 255;
    default: return s;
    }
}

/* Which of the three operations runs, and what it makes of 0, 255 and a middle value under write masks. */
static void every_stencil_operation_at_its_limits(void **state)
{
    static const uint32_t values[] = {0, 255, 0x5A}, masks[] = {255, 0xF0, 0};
    static const uint32_t which[3] = {D3DRENDERSTATE_STENCILFAIL, D3DRENDERSTATE_STENCILZFAIL, D3DRENDERSTATE_STENCILPASS};
    struct fixture *f = fixture_new(4, 4, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
    put_state(f, D3DRENDERSTATE_ZENABLE, 1);
    put_state(f, D3DRENDERSTATE_STENCILENABLE, 1);
    put_state(f, D3DRENDERSTATE_STENCILREF, 0x33);
    for (uint32_t outcome = 0; outcome < 3; outcome++)
        for (uint32_t op = 1; op <= 8; op++)
            for (uint32_t i = 0; i < 9; i++) {
                uint32_t s = values[i % 3], mask = masks[i / 3];
                struct tl_vertex v[4];
                put_clear(f, 7, 0, 0.5f, s);
                put_state(f, D3DRENDERSTATE_STENCILFUNC, outcome == 0 ? D3DCMP_NEVER : D3DCMP_ALWAYS);
                for (uint32_t k = 0; k < 3; k++)
                    put_state(f, which[k], k == outcome ? op : k == 0 ? D3DSTENCILOP_ZERO : D3DSTENCILOP_KEEP);
                put_state(f, D3DRENDERSTATE_STENCILWRITEMASK, mask);
                quad(v, 0, 0, 4, 4, outcome == 1 ? 0.75f : 0.25f, ~0u);
                put_quad(f);
                run_ok(f, v, 4);
                uint32_t expected = (s & ~mask) | (operated(op, s, 0x33) & mask);
                if (stencil_at(f, 1, 1) != expected)
                    fail_msg("outcome %u operation %u on %02x mask %02x: %02x, expected %02x", outcome, op, s, mask, stencil_at(f, 1, 1), expected);
            }
    fixture_free(f);
}

/* ---- fog ---- */

static double fog_at(uint32_t mode, double start, double end, double density, double d)
{
    if (mode == D3DFOG_EXP)
        return exp(-density * d);
    if (mode == D3DFOG_EXP2)
        return exp(-density * d * density * d);
    return clamp1((end - d) / (end - start));
}

/* Table fog by z and vertex fog by view z or distance: all modes, start before and behind the end. */
static void fog_follows_distance_in_every_mode(void **state)
{
    static const float ranges[][3] = {{0, 1, 1}, {0.25f, 0.75f, 3}, {1, 0, 0.5f}};
    for (uint32_t kind = 0; kind < 3; kind++)
        for (uint32_t mode = D3DFOG_EXP; mode <= D3DFOG_LINEAR; mode++)
            for (uint32_t i = 0; i < 3; i++)
                for (int step = 0; step <= 4; step++) {
                    struct fixture *f = fixture_new(4, 4, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
                    float z = (float)step / 4, d = kind == 2 ? sqrtf(z * z + 0.5f) : z; /* the corners lie at (+-0.5, +-0.5) */
                    const float v[4][3] = {{-0.5f, -0.5f, z}, {-0.5f, 0.5f, z}, {0.5f, -0.5f, z}, {0.5f, 0.5f, z}};
                    put_plain(f);
                    put_state(f, D3DRENDERSTATE_LIGHTING, 0);
                    put_state(f, D3DRENDERSTATE_FOGENABLE, 1);
                    put_state(f, D3DRENDERSTATE_FOGCOLOR, 0x000000);
                    put_state(f, kind ? D3DRENDERSTATE_FOGVERTEXMODE : D3DRENDERSTATE_FOGTABLEMODE, mode);
                    put_state(f, D3DRENDERSTATE_RANGEFOGENABLE, kind == 2);
                    put_state(f, D3DRENDERSTATE_FOGSTART, float_bits(ranges[i][0]));
                    put_state(f, D3DRENDERSTATE_FOGEND, float_bits(ranges[i][1]));
                    put_state(f, D3DRENDERSTATE_FOGDENSITY, float_bits(ranges[i][2]));
                    put_quad(f);
                    run_fvf(f, D3DFVF_XYZ, v, sizeof(v), 4, 0);
                    assert_int_equal(f->call.ddrval, D3D_OK);
                    double expected = 255 * fog_at(mode, ranges[i][0], ranges[i][1], ranges[i][2], d), got = pixel(f, 2, 2) & 255;
                    if (fabs(got - expected) > 1)
                        fail_msg("kind %u mode %u range %u z %g: %g, expected %g", kind, mode, i, (double)z, got, expected);
                    fixture_free(f);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_blend_factors_under_every_operation),
        cmocka_unit_test(every_comparison_of_depth_alpha_and_stencil),
        cmocka_unit_test(every_stencil_operation_at_its_limits),
        cmocka_unit_test(fog_follows_distance_in_every_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
