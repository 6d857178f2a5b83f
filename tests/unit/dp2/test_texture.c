/* SPDX-License-Identifier: MIT
 * Textures and stages: formats, addressing, mip levels, every operation, bump mapping, cubes, volumes, blits. Expected values come from
 * the formulas of docs/dp2.md, worked out in double here. */
#include "fixture.h"

#include <math.h>

static void put_plain(struct fixture *f)
{
    put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
    put_state(f, D3DRENDERSTATE_ZENABLE, 0);
}

static void put_texture(struct fixture *f, uint32_t stage)
{
    put_stage(f, stage, D3DTSS_TEXTUREMAP, TEXTURE + stage);
    put_stage(f, stage, D3DTSS_COLOROP, D3DTOP_SELECTARG1);
    put_stage(f, stage, D3DTSS_COLORARG1, D3DTA_TEXTURE);
    put_stage(f, stage, D3DTSS_ALPHAOP, D3DTOP_SELECTARG1);
    put_stage(f, stage, D3DTSS_ALPHAARG1, D3DTA_TEXTURE);
    put_stage(f, stage, D3DTSS_TEXCOORDINDEX, 0);
}

/* ---- formats ---- */

struct format_case {
    const char *name;
    enum cdxr_dp2_format format;
    uint32_t pitch;
    uint8_t bytes[16];  /* one texel or block */
    uint32_t expected;  /* ARGB */
};

static const struct format_case format_cases[] = {
    {"R8G8B8", CDXR_DP2_FORMAT_R8G8B8, 4, {0x30, 0x20, 0x10}, 0xFF102030},
    {"A8R8G8B8", CDXR_DP2_FORMAT_A8R8G8B8, 4, {0x30, 0x20, 0x10, 0x80}, 0x80102030},
    {"X8R8G8B8", CDXR_DP2_FORMAT_X8R8G8B8, 4, {0x30, 0x20, 0x10, 0x80}, 0xFF102030},
    {"R5G6B5", CDXR_DP2_FORMAT_R5G6B5, 4, {0x1F, 0xFC}, 0xFFFF82FF},
    {"X1R5G5B5", CDXR_DP2_FORMAT_X1R5G5B5, 4, {0x00, 0x7C}, 0xFFFF0000},
    {"A1R5G5B5 clear", CDXR_DP2_FORMAT_A1R5G5B5, 4, {0xE0, 0x03}, 0x0000FF00},
    {"A1R5G5B5 set", CDXR_DP2_FORMAT_A1R5G5B5, 4, {0xE0, 0x83}, 0xFF00FF00},
    {"A4R4G4B4", CDXR_DP2_FORMAT_A4R4G4B4, 4, {0xBA, 0x5C}, 0x55CCBBAA},
    {"R3G3B2", CDXR_DP2_FORMAT_R3G3B2, 4, {0xE3}, 0xFFFF00FF},
    {"A8R3G3B2", CDXR_DP2_FORMAT_A8R3G3B2, 4, {0x1C, 0x40}, 0x4000FF00},
    {"L8", CDXR_DP2_FORMAT_L8, 4, {0x7B}, 0xFF7B7B7B},
    {"A8L8", CDXR_DP2_FORMAT_A8L8, 4, {0x7B, 0x20}, 0x207B7B7B},
    {"A4L4", CDXR_DP2_FORMAT_A4L4, 4, {0x5A}, 0x55AAAAAA},
    {"A8", CDXR_DP2_FORMAT_A8, 4, {0x66}, 0x66000000},
    {"DXT1 opaque", CDXR_DP2_FORMAT_DXT1, 8, {0x00, 0xF8, 0x1F, 0x00, 0, 0, 0, 0}, 0xFFFF0000},
    {"DXT1 third", CDXR_DP2_FORMAT_DXT1, 8, {0x00, 0xF8, 0x1F, 0x00, 2, 0, 0, 0}, 0xFFAA0055},
    {"DXT1 half", CDXR_DP2_FORMAT_DXT1, 8, {0x1F, 0x00, 0x00, 0xF8, 2, 0, 0, 0}, 0xFF800080},
    {"DXT1 transparent", CDXR_DP2_FORMAT_DXT1, 8, {0x1F, 0x00, 0x00, 0xF8, 3, 0, 0, 0}, 0x00000000},
    {"DXT3", CDXR_DP2_FORMAT_DXT3, 16, {0x0A, 0, 0, 0, 0, 0, 0, 0, 0xE0, 0x07, 0, 0, 0, 0, 0, 0}, 0xAA00FF00},
    {"DXT5", CDXR_DP2_FORMAT_DXT5, 16, {0xFF, 0x00, 0x02, 0, 0, 0, 0, 0, 0xE0, 0x07, 0, 0, 0, 0, 0, 0}, 0xDB00FF00},
    {"UYVY", CDXR_DP2_FORMAT_UYVY, 4, {128, 235, 128, 235}, 0xFFFFFFFF},
    {"YUY2", CDXR_DP2_FORMAT_YUY2, 4, {16, 128, 16, 128}, 0xFF000000},
};

static void formats_unpack(void **state)
{
    for (size_t i = 0; i < sizeof(format_cases) / sizeof(format_cases[0]); i++) {
        const struct format_case *c = &format_cases[i];
        for (uint32_t filter = 1; filter <= 2; filter++) {
            struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_A8R8G8B8, NULL);
            uint8_t bytes[16];
            struct tl_vertex v[4];
            memcpy(bytes, c->bytes, sizeof(bytes));
            fixture_surface(f, TEXTURE, CDXR_DP2_SURFACE_TEXTURE, c->format, 1, 1, bytes, c->pitch);
            quad(v, 0, 0, 8, 8, 0.5f, 0xFFFFFFFF);
            put_plain(f);
            put_texture(f, 0);
            put_stage(f, 0, D3DTSS_MAGFILTER, filter);
            put_stage(f, 0, D3DTSS_MINFILTER, filter);
            put_quad(f);
            run_ok(f, v, 4);
            assert_color(pixel(f, 4, 4), c->expected, 1, c->name);
            assert_color(pixel(f, 4, 4) >> 24, c->expected >> 24, 1, c->name);
            fixture_free(f);
        }
    }
}

struct target_case {
    enum cdxr_dp2_format format;
    uint32_t expected; /* raw pixel of 0x8040C0FF */
};

static void targets_pack(void **state)
{
    static const struct target_case cases[] = {{CDXR_DP2_FORMAT_R5G6B5, 0x45FF}, {CDXR_DP2_FORMAT_X1R5G5B5, 0x22FF}, {CDXR_DP2_FORMAT_A1R5G5B5, 0xA2FF},
                                               {CDXR_DP2_FORMAT_A4R4G4B4, 0x84BF}, {CDXR_DP2_FORMAT_R3G3B2, 0x57}, {CDXR_DP2_FORMAT_R8G8B8, 0x40C0FF}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
        uint8_t memory[256] = {0};
        struct tl_vertex v[4];
        fixture_surface(f, TEXTURE, CDXR_DP2_SURFACE_TARGET, cases[i].format, 8, 8, memory, 32);
        quad(v, 0, 0, 8, 8, 0.5f, 0x8040C0FF);
        put_plain(f);
        put_token(f, D3DDP2OP_SETRENDERTARGET, 1);
        put32(f, TEXTURE);
        put32(f, 0);
        put_quad(f);
        run_ok(f, v, 4);
        uint32_t raw = 0;
        struct cdxr_dp2_pixel_format format;
        cdxr_dp2_pixel_format_init(cases[i].format, &format);
        memcpy(&raw, memory + 3 * 32 + 3 * (format.bit_count / 8), format.bit_count / 8);
        if (raw != cases[i].expected)
            fail_msg("format %d: raw %x, expected %x", cases[i].format, raw, cases[i].expected);
        fixture_free(f);
    }
}

/* ---- addressing ---- */

struct address_case {
    const char *name;
    uint32_t mode;
    float u;
    uint32_t expected; /* texel of a 4-wide row: 0x10, 0x20, 0x30, 0x40 */
};

static void addressing_modes(void **state)
{
    static const struct address_case cases[] = {
        {"wrap 1.1", 1, 1.1f, 0x10}, {"wrap -0.1", 1, -0.1f, 0x40}, {"wrap 7.6", 1, 7.6f, 0x30}, {"mirror 1.1", 2, 1.1f, 0x40}, {"mirror -0.1", 2, -0.1f, 0x10},
        {"mirror 2.3", 2, 2.3f, 0x20}, {"clamp 1.5", 3, 1.5f, 0x40}, {"clamp -3", 3, -3, 0x10}, {"border 1.5", 4, 1.5f, 0x77}, {"border 0.6", 4, 0.6f, 0x30},
        {"mirroronce -0.3", 5, -0.3f, 0x20}, {"mirroronce -5", 5, -5, 0x40}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (uint32_t filter = 1; filter <= 2; filter++) {
            struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
            uint32_t texels[4] = {0xFF000010, 0xFF000020, 0xFF000030, 0xFF000040};
            struct tl_vertex v[4];
            fixture_surface(f, TEXTURE, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_A8R8G8B8, 4, 1, texels, 16);
            quad(v, 0, 0, 8, 8, 0.5f, 0xFFFFFFFF);
            float u = cases[i].u;
            if (filter == 2) /* at a texel's centre, where bilinear gives the texel alone */
                u = (floorf(u * 4) + 0.5f) / 4;
            for (int k = 0; k < 4; k++)
                v[k].u = u;
            put_plain(f);
            put_texture(f, 0);
            put_stage(f, 0, D3DTSS_ADDRESS, cases[i].mode);
            put_stage(f, 0, D3DTSS_BORDERCOLOR, 0xFF000077);
            put_stage(f, 0, D3DTSS_MAGFILTER, filter);
            put_stage(f, 0, D3DTSS_MINFILTER, filter);
            put_quad(f);
            run_ok(f, v, 4);
            assert_color(pixel(f, 4, 4), cases[i].expected, 0, cases[i].name);
            fixture_free(f);
        }
}

static void wrapped_coordinates_take_the_short_way(void **state)
{
    struct fixture *f = fixture_new(64, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    uint32_t texels[4] = {0xFF000010, 0xFF000020, 0xFF000030, 0xFF000040};
    struct tl_vertex v[4];
    fixture_surface(f, TEXTURE, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_A8R8G8B8, 4, 1, texels, 16);
    quad(v, 0, 0, 64, 8, 0.5f, 0xFFFFFFFF);
    v[0].u = v[1].u = 0.9f; /* to 0.1 through 1.0, not back through 0.5 */
    v[2].u = v[3].u = 0.1f;
    put_plain(f);
    put_texture(f, 0);
    put_state(f, D3DRENDERSTATE_WRAP0, 1);
    put_quad(f);
    run_ok(f, v, 4);
    assert_color(pixel(f, 20, 4), 0x40, 0, "before the seam");
    assert_color(pixel(f, 44, 4), 0x10, 0, "behind the seam");
    fixture_free(f);
}

/* ---- mip levels ---- */

static void add_levels(struct fixture *f, uint32_t *memory)
{
    struct cdxr_dp2_level levels[4];
    size_t offset = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t edge = 8u >> i;
        for (uint32_t k = 0; k < edge * edge; k++)
            memory[offset + k] = 0xFF000000 | 0x40 * i;
        levels[i] = (struct cdxr_dp2_level){memory + offset, edge * edge * 4, (int32_t)edge * 4, 0};
        offset += edge * edge;
    }
    struct cdxr_dp2_surface s = {.handle = TEXTURE, .flags = CDXR_DP2_SURFACE_TEXTURE, .width = 8, .height = 8, .depth = 1, .level_count = 4, .levels = levels};
    cdxr_dp2_pixel_format_init(CDXR_DP2_FORMAT_A8R8G8B8, &s.format);
    assert_int_equal(cdxr_dp2_surface_register(f->context, &s), CDXR_DP2_OK);
}

struct mip_case {
    const char *name;
    float texels_per_pixel;
    uint32_t mip, bias_bits, max_level, lod, expected;
};

static void mip_levels_follow_the_footprint(void **state)
{
    const struct mip_case cases[] = {
        {"magnified", 0.5f, 2, 0, 0, 0, 0x00}, {"1:1", 1, 2, 0, 0, 0, 0x00}, {"2:1", 2, 2, 0, 0, 0, 0x40}, {"4:1", 4, 2, 0, 0, 0, 0x80}, {"8:1", 8, 2, 0, 0, 0, 0xC0},
        {"32:1", 32, 2, 0, 0, 0, 0xC0}, {"2:1 none", 2, 1, 0, 0, 0, 0x00}, {"2:1 bias 1", 2, 2, 0x3F800000, 0, 0, 0x80}, {"1:1 max level 2", 1, 2, 0, 2, 0, 0x80},
        {"2.83:1 linear", 2.8284271f, 3, 0, 0, 0, 0x60}, {"1:1 settexlod 1", 1, 2, 0, 0, 1, 0x40}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture *f = fixture_new(32, 32, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
        uint32_t memory[85];
        struct tl_vertex v[4];
        add_levels(f, memory);
        quad(v, 0, 0, 32, 32, 0.5f, 0xFFFFFFFF);
        for (int k = 0; k < 4; k++) {
            v[k].u *= cases[i].texels_per_pixel * 32 / 8;
            v[k].v *= cases[i].texels_per_pixel * 32 / 8;
        }
        put_plain(f);
        put_texture(f, 0);
        put_stage(f, 0, D3DTSS_MIPFILTER, cases[i].mip - 1); /* d3d8's numbers at level 8 */
        put_stage(f, 0, D3DTSS_MIPMAPLODBIAS, cases[i].bias_bits);
        put_stage(f, 0, D3DTSS_MAXMIPLEVEL, cases[i].max_level);
        put_token(f, D3DDP2OP_SETTEXLOD, 1);
        put32(f, TEXTURE);
        put32(f, cases[i].lod);
        put_quad(f);
        run_ok(f, v, 4);
        assert_color(pixel(f, 16, 16), cases[i].expected, 2, cases[i].name);
        fixture_free(f);
    }
}

/* ---- stage operations ---- */

struct rgba {
    double c[4];
};

static double clamp1(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static double expected_channel(uint32_t op, const struct rgba *a0, const struct rgba *a1, const struct rgba *a2, const struct rgba *diffuse,
                               const struct rgba *texel, const struct rgba *factor, int i)
{
    double x = a1->c[i], y = a2->c[i];
    switch (op) {
    case 2: return x;
    case 3: return y;
    case 4: return x * y;
    case 5: return x * y * 2;
    case 6: return x * y * 4;
    case 7: return x + y;
    case 8: return x + y - 0.5;
    case 9: return (x + y - 0.5) * 2;
    case 10: return x - y;
    case 11: return x + y - x * y;
    case 12: return x * diffuse->c[3] + y * (1 - diffuse->c[3]);
    case 13: return x * texel->c[3] + y * (1 - texel->c[3]);
    case 14: return x * factor->c[3] + y * (1 - factor->c[3]);
    case 15: return x + y * (1 - texel->c[3]);
    case 16: return x * diffuse->c[3] + y * (1 - diffuse->c[3]); /* current is diffuse in stage 0 */
    case 18: return x + a1->c[3] * y;
    case 19: return x * y + a1->c[3];
    case 20: return (1 - a1->c[3]) * y + x;
    case 21: return (1 - x) * y + a1->c[3];
    case 24: return 4 * ((a1->c[0] - 0.5) * (a2->c[0] - 0.5) + (a1->c[1] - 0.5) * (a2->c[1] - 0.5) + (a1->c[2] - 0.5) * (a2->c[2] - 0.5));
    case 25: return a0->c[i] + x * y;
    case 26: return a0->c[i] * x + (1 - a0->c[i]) * y;
    default: return x;
    }
}

static struct rgba unpack(uint32_t argb)
{
    struct rgba out = {{(argb >> 16 & 255) / 255.0, (argb >> 8 & 255) / 255.0, (argb & 255) / 255.0, (argb >> 24) / 255.0}};
    return out;
}

static void every_operation_follows_its_formula(void **state)
{
    static const uint32_t ops[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 20, 21, 24, 25, 26};
    const uint32_t colors[3] = {0xA0C08040 /* diffuse */, 0x60307090 /* texel */, 0x50F020B0 /* factor */};
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
        struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_A8R8G8B8, NULL);
        uint32_t texel = colors[1];
        struct tl_vertex v[4];
        struct rgba diffuse = unpack(colors[0]), texture = unpack(colors[1]), factor = unpack(colors[2]);
        fixture_surface(f, TEXTURE, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_A8R8G8B8, 1, 1, &texel, 4);
        quad(v, 0, 0, 8, 8, 0.5f, colors[0]);
        put_plain(f);
        put_texture(f, 0);
        put_state(f, D3DRENDERSTATE_TEXTUREFACTOR, colors[2]);
        put_stage(f, 0, D3DTSS_COLOROP, ops[i]);
        put_stage(f, 0, D3DTSS_COLORARG2, D3DTA_DIFFUSE);
        put_stage(f, 0, D3DTSS_COLORARG0, D3DTA_TFACTOR);
        put_quad(f);
        run_ok(f, v, 4);
        for (int c = 0; c < 3; c++) {
            double expected = clamp1(expected_channel(ops[i], &factor, &texture, &diffuse, &diffuse, &texture, &factor, c)) * 255;
            double actual = pixel(f, 4, 4) >> (16 - 8 * c) & 255;
            if (fabs(actual - expected) > 1)
                fail_msg("colour op %u channel %d: %g, expected %g", ops[i], c, actual, expected);
        }
        double alpha = ops[i] == 24 ? clamp1(expected_channel(24, &factor, &texture, &diffuse, &diffuse, &texture, &factor, 3)) * 255 : texture.c[3] * 255;
        if (fabs((pixel(f, 4, 4) >> 24) - alpha) > 1)
            fail_msg("colour op %u: alpha %u, expected %g", ops[i], pixel(f, 4, 4) >> 24, alpha);
        fixture_free(f);
    }
}

static void alpha_operations_follow_their_formulas(void **state)
{
    static const uint32_t ops[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 25, 26};
    const uint32_t colors[3] = {0xA0C08040, 0x60307090, 0x50F020B0};
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
        struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_A8R8G8B8, NULL);
        uint32_t texel = colors[1];
        struct tl_vertex v[4];
        struct rgba diffuse = unpack(colors[0]), texture = unpack(colors[1]), factor = unpack(colors[2]);
        fixture_surface(f, TEXTURE, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_A8R8G8B8, 1, 1, &texel, 4);
        quad(v, 0, 0, 8, 8, 0.5f, colors[0]);
        put_plain(f);
        put_texture(f, 0);
        put_state(f, D3DRENDERSTATE_TEXTUREFACTOR, colors[2]);
        put_stage(f, 0, D3DTSS_ALPHAOP, ops[i]);
        put_stage(f, 0, D3DTSS_ALPHAARG2, D3DTA_DIFFUSE);
        put_stage(f, 0, D3DTSS_ALPHAARG0, D3DTA_TFACTOR);
        put_quad(f);
        run_ok(f, v, 4);
        double expected = clamp1(expected_channel(ops[i], &factor, &texture, &diffuse, &diffuse, &texture, &factor, 3)) * 255;
        if (fabs((pixel(f, 4, 4) >> 24) - expected) > 1)
            fail_msg("alpha op %u: %u, expected %g", ops[i], pixel(f, 4, 4) >> 24, expected);
        fixture_free(f);
    }
}

static void argument_modifiers_and_temp(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct tl_vertex v[4];
    quad(v, 0, 0, 8, 8, 0.5f, 0x40102030);
    put_plain(f);
    put_stage(f, 0, D3DTSS_COLOROP, D3DTOP_SELECTARG1);
    put_stage(f, 0, D3DTSS_COLORARG1, D3DTA_DIFFUSE | D3DTA_COMPLEMENT);
    put_quad(f);
    run_ok(f, v, 4);
    assert_color(pixel(f, 4, 4), 0xEFDFCF, 1, "complement");
    put_stage(f, 0, D3DTSS_COLORARG1, D3DTA_DIFFUSE | D3DTA_ALPHAREPLICATE);
    put_quad(f);
    run_ok(f, v, 4);
    assert_color(pixel(f, 4, 4), 0x404040, 1, "alpha replicate");
    put_stage(f, 0, D3DTSS_COLORARG1, D3DTA_DIFFUSE); /* to TEMP; stage 1 adds it to CURRENT, still diffuse */
    put_stage(f, 0, D3DTSS_RESULTARG, D3DTA_TEMP);
    put_stage(f, 1, D3DTSS_COLOROP, D3DTOP_ADD);
    put_stage(f, 1, D3DTSS_COLORARG1, D3DTA_TEMP);
    put_stage(f, 1, D3DTSS_COLORARG2, D3DTA_CURRENT);
    put_quad(f);
    run_ok(f, v, 4);
    assert_color(pixel(f, 4, 4), 0x204060, 1, "temp");
    fixture_free(f);
}

struct legacy_case {
    uint32_t blend;
    enum cdxr_dp2_format format;
    uint32_t expected; /* ARGB */
};

static void legacy_blend_modes(void **state)
{
    /* texel 0x80FF8040, diffuse 0x40804020 */
    static const struct legacy_case cases[] = {
        {D3DTBLEND_DECAL, CDXR_DP2_FORMAT_A8R8G8B8, 0x80FF8040}, {D3DTBLEND_COPY, CDXR_DP2_FORMAT_A8R8G8B8, 0x80FF8040},
        {D3DTBLEND_MODULATE, CDXR_DP2_FORMAT_A8R8G8B8, 0x80802008}, {D3DTBLEND_MODULATE, CDXR_DP2_FORMAT_X8R8G8B8, 0x40802008},
        {D3DTBLEND_MODULATEALPHA, CDXR_DP2_FORMAT_A8R8G8B8, 0x20802008}, {D3DTBLEND_DECALALPHA, CDXR_DP2_FORMAT_A8R8G8B8, 0x40C06030},
        {D3DTBLEND_ADD, CDXR_DP2_FORMAT_A8R8G8B8, 0x40FFC060}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_A8R8G8B8, NULL);
        uint32_t texel = 0x80FF8040;
        struct tl_vertex v[4];
        fixture_surface(f, TEXTURE, CDXR_DP2_SURFACE_TEXTURE, cases[i].format, 1, 1, &texel, 4);
        quad(v, 0, 0, 8, 8, 0.5f, 0x40804020);
        put_plain(f);
        put_state(f, D3DRENDERSTATE_TEXTUREMAPBLEND, cases[i].blend);
        put_state(f, D3DRENDERSTATE_TEXTUREHANDLE, TEXTURE);
        put_quad(f);
        run_ok(f, v, 4);
        assert_color(pixel(f, 4, 4), cases[i].expected, 1, "legacy colour");
        assert_color(pixel(f, 4, 4) >> 24, cases[i].expected >> 24, 1, "legacy alpha");
        put_state(f, D3DRENDERSTATE_TEXTUREHANDLE, 0);
        put_quad(f);
        run_ok(f, v, 4);
        assert_color(pixel(f, 4, 4), 0x804020, 0, "no texture: diffuse");
        fixture_free(f);
    }
}

static void bump_maps_move_the_next_lookup(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    uint8_t bump[2] = {127, 0}; /* du = 1 */
    uint32_t texels[4] = {0xFF000010, 0xFF000020, 0xFF000030, 0xFF000040};
    struct tl_vertex v[4];
    fixture_surface(f, TEXTURE, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_V8U8, 1, 1, bump, 4);
    fixture_surface(f, TEXTURE + 1, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_A8R8G8B8, 4, 1, texels, 16);
    quad(v, 0, 0, 8, 8, 0.5f, 0xFFFFFFFF);
    for (int k = 0; k < 4; k++)
        v[k].u = 0.1f;
    put_plain(f);
    put_texture(f, 0);
    put_texture(f, 1);
    put_stage(f, 0, D3DTSS_COLOROP, D3DTOP_BUMPENVMAP);
    put_stage(f, 0, D3DTSS_BUMPENVMAT00, float_bits(0.5f));
    put_quad(f);
    run_ok(f, v, 4);
    assert_color(pixel(f, 4, 4), 0x30, 0, "0.1 + 0.5");
    fixture_free(f);
}

static void projected_coordinates_divide(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    uint32_t texels[4] = {0xFF000010, 0xFF000020, 0xFF000030, 0xFF000040};
    struct { float x, y, z, rhw, u, v, q; } v[4] = {{0, 8, 0.5f, 1, 1.2f, 0, 2}, {0, 0, 0.5f, 1, 1.2f, 0, 2}, {8, 8, 0.5f, 1, 1.2f, 0, 2}, {8, 0, 0.5f, 1, 1.2f, 0, 2}};
    fixture_surface(f, TEXTURE, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_A8R8G8B8, 4, 1, texels, 16);
    put_plain(f);
    put_texture(f, 0);
    put_stage(f, 0, D3DTSS_TEXTURETRANSFORMFLAGS, 3 | D3DTTFF_PROJECTED);
    put_quad(f);
    run_fvf(f, D3DFVF_XYZRHW | D3DFVF_TEX1 | 1 << 16, v, sizeof(v), 4, 0);
    assert_int_equal(f->call.ddrval, D3D_OK);
    assert_color(pixel(f, 4, 4), 0x30, 0, "1.2 / 2");
    fixture_free(f);
}

/* ---- cubes and volumes ---- */

static void cube_faces_are_chosen_by_the_major_axis(void **state)
{
    static const float directions[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    uint32_t texels[6];
    struct cdxr_dp2_level levels[6];
    for (uint32_t i = 0; i < 6; i++) {
        texels[i] = 0xFF000010 * 1 + i * 0x10;
        levels[i] = (struct cdxr_dp2_level){&texels[i], 4, 4, 0};
    }
    struct cdxr_dp2_surface s = {.handle = TEXTURE, .flags = CDXR_DP2_SURFACE_TEXTURE | CDXR_DP2_SURFACE_CUBE, .width = 1, .height = 1, .depth = 1, .level_count = 1,
                                 .levels = levels};
    cdxr_dp2_pixel_format_init(CDXR_DP2_FORMAT_A8R8G8B8, &s.format);
    assert_int_equal(cdxr_dp2_surface_register(f->context, &s), CDXR_DP2_OK);
    for (int face = 0; face < 6; face++) {
        struct { float x, y, z, rhw, u, v, w; } v[4] = {{0, 8, 0.5f, 1}, {0, 0, 0.5f, 1}, {8, 8, 0.5f, 1}, {8, 0, 0.5f, 1}};
        for (int k = 0; k < 4; k++) {
            v[k].u = directions[face][0];
            v[k].v = directions[face][1];
            v[k].w = directions[face][2];
        }
        put_plain(f);
        put_texture(f, 0);
        put_quad(f);
        run_fvf(f, D3DFVF_XYZRHW | D3DFVF_TEX1 | 1 << 16, v, sizeof(v), 4, 0);
        assert_color(pixel(f, 4, 4), texels[face], 0, "face");
    }
    fixture_free(f);
}

/* Eight texels of a face over so many pixels: the level follows the footprint on the face. */
static void cube_levels_follow_the_footprint_on_the_face(void **state)
{
    static const struct { const char *name; float pixels; uint32_t expected; } cases[] = {{"1:1", 8, 0x00}, {"2:1", 4, 0x40}, {"4:1", 2, 0x80}, {"magnified", 16, 0x00}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
        uint32_t texels[4][64];
        struct cdxr_dp2_level levels[6 * 4];
        for (int k = 0; k < 24; k++)
            levels[k] = (struct cdxr_dp2_level){texels[k % 4], (size_t)(8 >> k % 4) * (size_t)(8 >> k % 4) * 4, (8 >> k % 4) * 4, 0};
        for (int k = 0; k < 256; k++)
            texels[k / 64][k % 64] = 0xFF000000 | (uint32_t)(k / 64) * 0x40;
        struct cdxr_dp2_surface s = {.handle = TEXTURE, .flags = CDXR_DP2_SURFACE_TEXTURE | CDXR_DP2_SURFACE_CUBE, .width = 8, .height = 8, .depth = 1, .level_count = 4, .levels = levels};
        cdxr_dp2_pixel_format_init(CDXR_DP2_FORMAT_A8R8G8B8, &s.format);
        assert_int_equal(cdxr_dp2_surface_register(f->context, &s), CDXR_DP2_OK);
        float e = cases[i].pixels; /* the face spans -1..1 over e pixels, the middle of which is drawn */
        struct { float x, y, z, rhw, u, v, w; } v[4] = {{0, e, 0.5f, 1, -1, -1, 1}, {0, 0, 0.5f, 1, -1, 1, 1}, {e, e, 0.5f, 1, 1, -1, 1}, {e, 0, 0.5f, 1, 1, 1, 1}};
        put_plain(f);
        put_texture(f, 0);
        put_stage(f, 0, D3DTSS_MIPFILTER, 1);
        put_quad(f);
        run_fvf(f, D3DFVF_XYZRHW | D3DFVF_TEX1 | 1 << 16, v, sizeof(v), 4, 0);
        assert_color(pixel(f, 1, 1), cases[i].expected, 0, cases[i].name);
        fixture_free(f);
    }
}

/* A face ends at its edge: filtering does not reach round to its other side. */
static void cube_faces_do_not_wrap(void **state)
{
    struct fixture *f = fixture_new(4, 4, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    uint32_t texels[4] = {0xFF000000, 0xFFFFFFFF, 0xFF000000, 0xFFFFFFFF};
    struct cdxr_dp2_level levels[6];
    for (int k = 0; k < 6; k++)
        levels[k] = (struct cdxr_dp2_level){texels, sizeof(texels), 8, 0};
    struct cdxr_dp2_surface s = {.handle = TEXTURE, .flags = CDXR_DP2_SURFACE_TEXTURE | CDXR_DP2_SURFACE_CUBE, .width = 2, .height = 2, .depth = 1, .level_count = 1, .levels = levels};
    cdxr_dp2_pixel_format_init(CDXR_DP2_FORMAT_A8R8G8B8, &s.format);
    assert_int_equal(cdxr_dp2_surface_register(f->context, &s), CDXR_DP2_OK);
    struct { float x, y, z, rhw, u, v, w; } v[4] = {{0, 4, 0.5f, 1, 0.98f, 0, 1}, {0, 0, 0.5f, 1, 0.98f, 0, 1}, {4, 4, 0.5f, 1, 0.98f, 0, 1}, {4, 0, 0.5f, 1, 0.98f, 0, 1}};
    put_plain(f);
    put_texture(f, 0);
    put_stage(f, 0, D3DTSS_MAGFILTER, 2);
    put_stage(f, 0, D3DTSS_MINFILTER, 2);
    put_quad(f);
    run_fvf(f, D3DFVF_XYZRHW | D3DFVF_TEX1 | 1 << 16, v, sizeof(v), 4, 0);
    assert_color(pixel(f, 2, 2), 0xFFFFFF, 0, "right edge");
    fixture_free(f);
}

/* ---- blits ---- */

static void put_texblt(struct fixture *f, uint32_t to, uint32_t from, int32_t x, int32_t y, const int32_t rect[4])
{
    put_token(f, D3DDP2OP_TEXBLT, 1);
    put32(f, to);
    put32(f, from);
    put32(f, (uint32_t)x);
    put32(f, (uint32_t)y);
    for (int i = 0; i < 4; i++)
        put32(f, (uint32_t)rect[i]);
    put32(f, 0);
}

static void texture_blits_copy_levels(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    uint32_t from[16], to[16] = {0};
    static const int32_t rect[4] = {1, 1, 3, 4};
    for (uint32_t i = 0; i < 16; i++)
        from[i] = i + 1;
    fixture_surface(f, TEXTURE, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_A8R8G8B8, 4, 4, from, 16);
    fixture_surface(f, TEXTURE + 1, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_A8R8G8B8, 4, 4, to, 16);
    put_texblt(f, TEXTURE + 1, TEXTURE, 2, 0, rect);
    put_texblt(f, 0, TEXTURE, 0, 0, rect); /* preload */
    run_ok(f, NULL, 0);
    static const uint32_t expected[16] = {0, 0, 6, 7, 0, 0, 10, 11, 0, 0, 14, 15, 0, 0, 0, 0};
    assert_memory_equal(to, expected, sizeof(expected));
    fixture_free(f);
}

static void wild_blits_stay_inside(void **state)
{
    static const int32_t rects[][4] = {{-100, -100, 100, 100}, {INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX}, {3, 3, 1, 1}, {INT32_MAX, 0, INT32_MIN, 4}, {2, 2, 2, 2}};
    static const int32_t points[][2] = {{0, 0}, {-3, -3}, {INT32_MIN, INT32_MAX}, {100, 100}, {3, 3}};
    static const enum cdxr_dp2_format formats[] = {CDXR_DP2_FORMAT_A8R8G8B8, CDXR_DP2_FORMAT_DXT1, CDXR_DP2_FORMAT_P4, CDXR_DP2_FORMAT_UYVY, CDXR_DP2_FORMAT_R8G8B8};
    for (size_t format = 0; format < 5; format++) {
        struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
        uint8_t *from = calloc(4, 16), *to = calloc(4, 16); /* exact sizes: a sanitizer sees any overrun */
        fixture_surface(f, TEXTURE, CDXR_DP2_SURFACE_TEXTURE, formats[format], 4, 4, from, 16);
        fixture_surface(f, TEXTURE + 1, CDXR_DP2_SURFACE_TEXTURE, formats[format], 4, 4, to, 16);
        for (size_t r = 0; r < 5; r++)
            for (size_t p = 0; p < 5; p++)
                put_texblt(f, TEXTURE + (p & 1), TEXTURE + (r & 1), points[p][0], points[p][1], rects[r]);
        run_ok(f, NULL, 0);
        free(from);
        free(to);
        fixture_free(f);
    }
}

static void buffer_blits_are_ordered_against_draws(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct tl_vertex v[8];
    quad(v, 0, 0, 4, 8, 0.5f, 0xFF0000FF);
    quad(v + 4, 4, 0, 8, 8, 0.5f, 0xFF00FF00);
    struct cdxr_dp2_level level = {v, sizeof(v), 0, 0};
    struct cdxr_dp2_surface s = {.handle = BUFFER, .flags = CDXR_DP2_SURFACE_BUFFER, .levels = &level};
    assert_int_equal(cdxr_dp2_surface_register(f->context, &s), CDXR_DP2_OK);
    put_plain(f);
    put_token(f, D3DDP2OP_SETVERTEXSHADER, 1);
    put32(f, D3DFVF_TLVERTEX);
    put_token(f, D3DDP2OP_SETSTREAMSOURCE, 1);
    put32(f, 0);
    put32(f, BUFFER);
    put32(f, 32);
    for (int i = 0; i < 2; i++) {
        put_token(f, D3DDP2OP_DRAWPRIMITIVE, 1);
        put32(f, D3DPT_TRIANGLESTRIP);
        put32(f, 0);
        put32(f, 2);
        put_token(f, D3DDP2OP_BUFFERBLT, 1); /* the second quad over the first, after it was drawn */
        put32(f, BUFFER);
        put32(f, BUFFER);
        put32(f, 0);
        put32(f, 128);
        put32(f, 128);
        put32(f, 0);
    }
    run_ok(f, NULL, 0);
    assert_color(pixel(f, 2, 4), 0x0000FF, 0, "first draw");
    assert_color(pixel(f, 6, 4), 0x00FF00, 0, "second draw");
    fixture_free(f);
}

static void clear_touches_what_its_flags_say(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    put_clear(f, 7, 0xFF123456, 0.5f, 0x33);
    run_ok(f, NULL, 0);
    assert_color(pixel(f, 3, 3), 0x123456, 0, "colour");
    assert_int_equal(depth_at(f, 3, 3), 0x800000);
    assert_int_equal(stencil_at(f, 3, 3), 0x33);
    put_clear(f, D3DCLEAR_ZBUFFER, 0, 1, 0x44);
    run_ok(f, NULL, 0);
    assert_color(pixel(f, 3, 3), 0x123456, 0, "colour stays");
    assert_int_equal(depth_at(f, 3, 3), 0xFFFFFF);
    assert_int_equal(stencil_at(f, 3, 3), 0x33);
    put_clear(f, D3DCLEAR_STENCIL, 0, 0, 0x44);
    run_ok(f, NULL, 0);
    assert_int_equal(depth_at(f, 3, 3), 0xFFFFFF);
    assert_int_equal(stencil_at(f, 3, 3), 0x44);
    put_token(f, D3DDP2OP_CLEAR, 3); /* inverted, empty, partly outside */
    put32(f, 1);
    put32(f, 0xFF00FF00);
    put32(f, 0);
    put32(f, 0);
    static const int32_t rects[12] = {5, 5, 2, 2, 3, 3, 3, 9, 6, -5, 100, 2};
    for (int i = 0; i < 12; i++)
        put32(f, (uint32_t)rects[i]);
    run_ok(f, NULL, 0);
    assert_color(pixel(f, 3, 3), 0x123456, 0, "inverted and empty rectangles do nothing");
    assert_color(pixel(f, 7, 1), 0x00FF00, 0, "clipped");
    assert_color(pixel(f, 7, 2), 0x123456, 0, "bottom excluded");
    fixture_free(f);
}

/* ---- the other fragment states ---- */

static void stipple_plane_mask_and_rop(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct tl_vertex v[4];
    quad(v, 0, 0, 8, 8, 0.5f, 0xFFFFFFFF);
    put_plain(f);
    put_state(f, D3DRENDERSTATE_STIPPLEENABLE, 1);
    for (uint32_t i = 0; i < 32; i++)
        put_state(f, D3DRENDERSTATE_STIPPLEPATTERN00 + i, i & 1 ? 0 : 0x80000000);
    put_quad(f);
    run_ok(f, v, 4);
    assert_color(pixel(f, 0, 0), 0xFFFFFF, 0, "bit 31 is the leftmost");
    assert_color(pixel(f, 1, 0), 0, 0, "clear bit");
    assert_color(pixel(f, 0, 1), 0, 0, "clear row");
    put_state(f, D3DRENDERSTATE_STIPPLEENABLE, 0);
    put_state(f, D3DRENDERSTATE_PLANEMASK, 0x00FF00);
    put_clear(f, 1, 0xFF0000AA, 1, 0);
    put_quad(f);
    run_ok(f, v, 4);
    assert_color(pixel(f, 4, 4), 0x00FFAA, 0, "plane mask");
    put_state(f, D3DRENDERSTATE_PLANEMASK, 0xFFFFFFFF);
    put_state(f, D3DRENDERSTATE_ROP2, 7); /* XOR */
    put_quad(f);
    run_ok(f, v, 4);
    assert_color(pixel(f, 4, 4), 0xFF0055, 0, "xor");
    put_state(f, D3DRENDERSTATE_ROP2, 13);
    put_state(f, D3DRENDERSTATE_COLORWRITEENABLE, 1);
    put_clear(f, 1, 0, 1, 0);
    put_quad(f);
    run_ok(f, v, 4);
    assert_color(pixel(f, 4, 4), 0xFF0000, 0, "red alone");
    fixture_free(f);
}

static void w_buffer_and_z_bias(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct tl_vertex v[4];
    quad(v, 0, 0, 8, 8, 0.9f, 0xFFFFFFFF);
    for (int k = 0; k < 4; k++)
        v[k].rhw = 0.25f; /* w = 4 */
    put_clear(f, 2, 0, 1, 0);
    put_plain(f);
    put_state(f, D3DRENDERSTATE_ZENABLE, 2);
    put_token(f, D3DDP2OP_WINFO, 1);
    put_float(f, 0);
    put_float(f, 8);
    put_quad(f);
    run_ok(f, v, 4);
    assert_int_equal(depth_at(f, 4, 4), 0x800000); /* 4 of 0..8 */
    put_state(f, D3DRENDERSTATE_ZENABLE, 1);
    put_clear(f, 2, 0, 0.9f, 0);
    put_state(f, D3DRENDERSTATE_ZFUNC, D3DCMP_LESS);
    put_state(f, D3DRENDERSTATE_ZBIAS, 1);
    put_state(f, D3DRENDERSTATE_TEXTUREFACTOR, 0);
    put_quad(f);
    quad(v, 0, 0, 8, 8, 0.9f, 0xFF00FF00);
    run_ok(f, v, 4);
    assert_color(pixel(f, 4, 4), 0x00FF00, 0, "one step of bias is nearer");
    fixture_free(f);
}

static void depth_formats_round_trip(void **state)
{
    static const struct { enum cdxr_dp2_format format; uint32_t pitch, raw; } cases[] = {
        {CDXR_DP2_FORMAT_D16, 16, 0x8000}, {CDXR_DP2_FORMAT_D15S1, 16, 0x8000}, {CDXR_DP2_FORMAT_D24X8, 32, 0x800000}, {CDXR_DP2_FORMAT_D32, 32, 0x80000000},
        {CDXR_DP2_FORMAT_S8D24, 32, 0x80000000}, {CDXR_DP2_FORMAT_D24X4S4, 32, 0x800000}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
        uint8_t memory[256] = {0};
        struct tl_vertex v[4];
        fixture_surface(f, TEXTURE, CDXR_DP2_SURFACE_DEPTH, cases[i].format, 8, 8, memory, cases[i].pitch);
        quad(v, 0, 0, 8, 8, 0.5f, 0xFFFFFFFF);
        put_plain(f);
        put_token(f, D3DDP2OP_SETRENDERTARGET, 1);
        put32(f, TARGET);
        put32(f, TEXTURE);
        put_clear(f, 2, 0, 1, 0);
        put_state(f, D3DRENDERSTATE_ZENABLE, 1);
        put_quad(f);
        run_ok(f, v, 4);
        uint32_t raw = 0;
        memcpy(&raw, memory + 4 * cases[i].pitch, cases[i].pitch / 8);
        if (raw != cases[i].raw)
            fail_msg("depth format %d: raw %x, expected %x", cases[i].format, raw, cases[i].raw);
        fixture_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_unpack),
        cmocka_unit_test(targets_pack),
        cmocka_unit_test(addressing_modes),
        cmocka_unit_test(wrapped_coordinates_take_the_short_way),
        cmocka_unit_test(mip_levels_follow_the_footprint),
        cmocka_unit_test(every_operation_follows_its_formula),
        cmocka_unit_test(alpha_operations_follow_their_formulas),
        cmocka_unit_test(argument_modifiers_and_temp),
        cmocka_unit_test(legacy_blend_modes),
        cmocka_unit_test(bump_maps_move_the_next_lookup),
        cmocka_unit_test(projected_coordinates_divide),
        cmocka_unit_test(cube_faces_are_chosen_by_the_major_axis),
        cmocka_unit_test(cube_levels_follow_the_footprint_on_the_face),
        cmocka_unit_test(cube_faces_do_not_wrap),
        cmocka_unit_test(texture_blits_copy_levels),
        cmocka_unit_test(wild_blits_stay_inside),
        cmocka_unit_test(buffer_blits_are_ordered_against_draws),
        cmocka_unit_test(clear_touches_what_its_flags_say),
        cmocka_unit_test(stipple_plane_mask_and_rop),
        cmocka_unit_test(w_buffer_and_z_bias),
        cmocka_unit_test(depth_formats_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
