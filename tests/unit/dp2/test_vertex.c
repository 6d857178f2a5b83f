/* SPDX-License-Identifier: MIT
 * Vertex formats, transform and lighting: layouts of all components, generated and transformed coordinates, blending, attenuation, cones,
 * material sources, vertex fog, point sizes. */
#include "fixture.h"

#include <math.h>

#include "dp2/fvf.h"
#include "dp2/vertex.h"

/* ---- formats ---- */

struct format_case {
    const char *name;
    uint32_t fvf, bytes;
    int normal, reserved, diffuse, specular, set0;
};

static void formats_have_their_documented_layout(void **state)
{
    enum { NO = FVF_ABSENT };
    static const struct format_case cases[] = {
        {"VERTEX", 0x112, 32, 12, NO, NO, NO, 24}, {"LVERTEX", 0x1E2, 32, NO, 12, 16, 20, 24}, {"TLVERTEX", 0x1C4, 32, NO, NO, 16, 20, 24},
        {"XYZ", 0x002, 12, NO, NO, NO, NO, NO}, {"XYZB1", 0x006, 16, NO, NO, NO, NO, NO}, {"XYZB5 normal", 0x01E, 44, 32, NO, NO, NO, NO},
        {"everything", 0x8F2, 12 + 12 + 4 + 8 + 64, 12, 24, 28, 32, 36}, {"3D set", 0x102 | 1 << 16, 24, NO, NO, NO, NO, 12}, {"4D set", 0x102 | 2 << 16, 28, NO, NO, NO, NO, 12},
        {"1D set", 0x102 | 3 << 16, 16, NO, NO, NO, NO, 12}, {"no position", 0x1C0, 0, 0, 0, 0, 0, 0}, {"nine sets", 0x902, 0, 0, 0, 0, 0, 0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct format_case *c = &cases[i];
        struct fvf_layout layout;
        bool valid = dp2_fvf_layout_init(c->fvf, &layout);
        if (valid != (c->bytes != 0))
            fail_msg("%s: validity", c->name);
        if (valid && (layout.vertex_bytes != c->bytes || layout.normal_offset != c->normal || layout.point_size_offset != c->reserved ||
                      layout.diffuse_offset != c->diffuse || layout.specular_offset != c->specular || layout.set_offset[0] != c->set0))
            fail_msg("%s: %u bytes, normal %u reserved %u diffuse %u specular %u set %u", c->name, layout.vertex_bytes, layout.normal_offset, layout.point_size_offset,
                     layout.diffuse_offset, layout.specular_offset, layout.set_offset[0]);
    }
}

/* ---- lighting, function by function ---- */

static void light_at(struct vertex_program *program, struct state_light *light, uint32_t type)
{
    memset(program, 0, sizeof(*program));
    memset(light, 0, sizeof(*light));
    dp2_fvf_layout_init(D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_DIFFUSE | D3DFVF_SPECULAR, &program->layout);
    light->type = type;
    light->range = 100;
    light->attenuation[0] = 1;
    light->falloff = 1;
    for (int i = 0; i < 3; i++)
        light->diffuse[i] = light->specular[i] = program->material.diffuse[i] = program->material.specular[i] = 1;
    program->material.diffuse[3] = 0.25f;
    program->material.power = 1;
    program->lights = light;
    program->light_count = 1;
    program->local_viewer = true;
}

static float lit(struct vertex_program *program, float z, float *specular)
{
    const float position[3] = {0, 0, z}, normal[3] = {0, 0, -1}, white[4] = {0.5f, 0.5f, 0.5f, 0.5f}, black[4] = {0, 0, 0, 0.75f};
    float diffuse[4], spec[4];
    dp2_light_vertex(program, position, normal, white, black, diffuse, spec);
    assert_float_equal(spec[3], 0.75f, 0); /* the fog factor passes */
    if (specular)
        *specular = spec[0];
    return diffuse[0];
}

static void point_lights_attenuate_and_end_at_their_range(void **state)
{
    struct vertex_program program;
    struct state_light light;
    light_at(&program, &light, D3DLIGHT_POINT);
    light.position[2] = 0;
    light.attenuation[0] = 0;
    light.attenuation[1] = 1;
    assert_float_equal(lit(&program, 4, NULL), 0.25f, 1e-6f);
    light.attenuation[1] = 0;
    light.attenuation[2] = 1;
    assert_float_equal(lit(&program, 2, NULL), 0.25f, 1e-6f);
    light.range = 1.5f;
    assert_float_equal(lit(&program, 2, NULL), 0, 0);
}

static void spot_lights_fall_off_between_their_cones(void **state)
{
    struct vertex_program program;
    struct state_light light;
    light_at(&program, &light, D3DLIGHT_SPOT);
    light.theta = 0.5f;
    light.phi = 1.0f;
    light.direction[2] = 1;
    assert_float_equal(lit(&program, 4, NULL), 1, 1e-6f);
    light.direction[0] = tanf(0.375f); /* half way between 0.25 and 0.5 */
    double expected = (cos(0.375) - cos(0.5)) / (cos(0.25) - cos(0.5));
    assert_float_equal(lit(&program, 4, NULL), expected, 1e-4f);
    light.direction[0] = tanf(0.6f);
    assert_float_equal(lit(&program, 4, NULL), 0, 0);
}

static void specular_uses_the_half_vector(void **state)
{
    struct vertex_program program;
    struct state_light light;
    float specular;
    light_at(&program, &light, D3DLIGHT_DIRECTIONAL);
    light.direction[0] = 1; /* 45 degrees to the normal; the half vector is 22.5 degrees off */
    light.direction[2] = 1;
    program.material.power = 4;
    lit(&program, 4, &specular);
    assert_float_equal(specular, powf(cosf((float)M_PI / 8), 4), 1e-4f);
    light.direction[2] = -1; /* from behind */
    lit(&program, 4, &specular);
    assert_float_equal(specular, 0, 0);
}

static void material_sources_need_color_vertex_and_the_color(void **state)
{
    struct vertex_program program;
    struct state_light light;
    light_at(&program, &light, D3DLIGHT_DIRECTIONAL);
    light.direction[2] = 1;
    program.diffuse_source = 1;
    assert_float_equal(lit(&program, 1, NULL), 1, 1e-6f);    /* COLORVERTEX off: material */
    program.color_vertex = true;
    assert_float_equal(lit(&program, 1, NULL), 0.5f, 1e-6f); /* the vertex's diffuse */
    program.diffuse_source = 2;
    assert_float_equal(lit(&program, 1, NULL), 0, 0);        /* its specular */
    dp2_fvf_layout_init(D3DFVF_XYZ | D3DFVF_NORMAL, &program.layout);
    assert_float_equal(lit(&program, 1, NULL), 1, 1e-6f);    /* no such colour: material */
}

/* Normals go by the inverse transpose: a plane stretched along x tilts towards y. */
static void normal_matrices_are_inverse_transposes(void **state)
{
    static const struct {
        const char *name;
        float m[16], in[3], out[3];
    } cases[] = {{"stretched", {2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 5, 5, 1}, {1, 1, 0}, {0.5f, 1, 0}},
                 {"turned", {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, {1, 0, 0}, {0, 1, 0}},
                 {"mirrored", {-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, {1, 1, 0}, {-1, 1, 0}},
                 {"flattened: as it is", {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, {1, 1, 1}, {1, 1, 0}}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        float n[9];
        dp2_normal_matrix(cases[i].m, n);
        for (int c = 0; c < 3; c++) {
            float value = cases[i].in[0] * n[c] + cases[i].in[1] * n[3 + c] + cases[i].in[2] * n[6 + c];
            if (fabsf(value - cases[i].out[c]) > 1e-6f)
                fail_msg("%s: component %d is %g", cases[i].name, c, (double)value);
        }
    }
}

/* ---- through the stream ---- */

static void put_identity_viewport(struct fixture *f)
{
    put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
    put_state(f, D3DRENDERSTATE_ZENABLE, 0);
    put_state(f, D3DRENDERSTATE_LIGHTING, 0);
    put_token(f, D3DDP2OP_VIEWPORTINFO, 1);
    put32(f, 0);
    put32(f, 0);
    put32(f, f->width);
    put32(f, f->height);
}

static uint32_t one_point(struct fixture *f, uint32_t fvf, const void *vertex, size_t bytes, uint32_t *x, uint32_t *y)
{
    put_token(f, D3DDP2OP_POINTS, 1);
    put16(f, 1);
    put16(f, 0);
    run_fvf(f, fvf, vertex, bytes, 1, 0);
    assert_int_equal(f->call.ddrval, D3D_OK);
    for (uint32_t i = 0; i < f->width * f->height; i++)
        if (f->color[i]) {
            *x = i % f->width;
            *y = i / f->width;
            return f->color[i];
        }
    fail_msg("no pixel was drawn");
    return 0;
}

static void vertices_blend_over_world_matrices(void **state)
{
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct { float x, y, z, weight; } v = {0, 0, 0.5f, 0.25f};
    static const float left[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -0.5f, 0, 0, 1}, right[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5f, 0, 0, 1};
    uint32_t x, y;
    put_identity_viewport(f);
    put_matrix(f, D3DDP2OP_SETTRANSFORM, D3DTRANSFORMSTATE_WORLD, left);
    put_matrix(f, D3DDP2OP_SETTRANSFORM, D3DTRANSFORMSTATE_WORLD1, right);
    put_state(f, D3DRENDERSTATE_VERTEXBLEND, 1);
    one_point(f, D3DFVF_XYZB1, &v, sizeof(v), &x, &y);
    assert_int_equal(x, 10); /* -0.5 / 4 + 0.5 * 3 / 4 = 0.25: (1 + 0.25) * 8 */
    assert_int_equal(y, 8);
    fixture_free(f);
}

static void indexed_blending_picks_its_matrices(void **state)
{
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct { float x, y, z, weight; uint8_t index[4]; } v = {0, 0, 0.5f, 1, {7, 0, 0, 0}};
    static const float right[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5f, 0, 0, 1};
    uint32_t x, y;
    put_identity_viewport(f);
    put_matrix(f, D3DDP2OP_SETTRANSFORM, 256 + 7, right);
    put_state(f, D3DRENDERSTATE_VERTEXBLEND, 1);
    put_state(f, D3DRENDERSTATE_INDEXEDVERTEXBLENDENABLE, 1);
    one_point(f, D3DFVF_XYZB2 | D3DFVF_LASTBETA_UBYTE4, &v, sizeof(v), &x, &y);
    assert_int_equal(x, 12);
    fixture_free(f);
}

static void transforms_multiply_on_the_left(void **state)
{
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    float v[3] = {0, 0, 0.5f};
    static const float twice[16] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, move[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.25f, 0, 0, 1};
    uint32_t x, y;
    put_identity_viewport(f);
    put_matrix(f, D3DDP2OP_SETTRANSFORM, D3DTRANSFORMSTATE_WORLD, twice);
    put_matrix(f, D3DDP2OP_MULTIPLYTRANSFORM, D3DTRANSFORMSTATE_WORLD, move); /* move first, then scale */
    one_point(f, D3DFVF_XYZ, v, sizeof(v), &x, &y);
    assert_int_equal(x, 12); /* (0 + 0.25) * 2 = 0.5 */
    fixture_free(f);
}

static void camera_space_position_generates_coordinates(void **state)
{
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    uint32_t texels[4] = {0xFF000010, 0xFF000020, 0xFF000030, 0xFF000040}, x, y;
    float v[3] = {0, 0, 0.5f};
    static const float shift[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.6f, 0.5f, 0, 1};
    fixture_surface(f, TEXTURE, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_A8R8G8B8, 4, 1, texels, 16);
    put_identity_viewport(f);
    put_stage(f, 0, D3DTSS_TEXTUREMAP, TEXTURE);
    put_stage(f, 0, D3DTSS_COLOROP, D3DTOP_SELECTARG1);
    put_stage(f, 0, D3DTSS_TEXCOORDINDEX, D3DTSS_TCI_CAMERASPACEPOSITION);
    put_stage(f, 0, D3DTSS_TEXTURETRANSFORMFLAGS, 2);
    put_matrix(f, D3DDP2OP_SETTRANSFORM, D3DTRANSFORMSTATE_TEXTURE0, shift);
    assert_color(one_point(f, D3DFVF_XYZ, v, sizeof(v), &x, &y), 0x30, 0, "u = 0 + 0.6");
    fixture_free(f);
}

static void two_dimensional_sets_are_translated_by_the_third_row(void **state)
{
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    uint32_t texels[4] = {0xFF000010, 0xFF000020, 0xFF000030, 0xFF000040}, x, y;
    float v[5] = {0, 0, 0.5f, 0.1f, 0};
    static const float shift[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0.5f, 0, 1, 0, 0, 0, 0, 1};
    fixture_surface(f, TEXTURE, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_A8R8G8B8, 4, 1, texels, 16);
    put_identity_viewport(f);
    put_stage(f, 0, D3DTSS_TEXTUREMAP, TEXTURE);
    put_stage(f, 0, D3DTSS_COLOROP, D3DTOP_SELECTARG1);
    put_stage(f, 0, D3DTSS_TEXTURETRANSFORMFLAGS, 2);
    put_matrix(f, D3DDP2OP_SETTRANSFORM, D3DTRANSFORMSTATE_TEXTURE0, shift);
    assert_color(one_point(f, D3DFVF_XYZ | D3DFVF_TEX1, v, sizeof(v), &x, &y), 0x30, 0, "0.1 + 0.5");
    fixture_free(f);
}

static void vertex_fog_follows_view_depth(void **state)
{
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    float v[3] = {0, 0, 0.25f};
    uint32_t x, y;
    put_identity_viewport(f);
    put_state(f, D3DRENDERSTATE_FOGENABLE, 1);
    put_state(f, D3DRENDERSTATE_FOGVERTEXMODE, D3DFOG_LINEAR);
    put_state(f, D3DRENDERSTATE_FOGSTART, float_bits(0));
    put_state(f, D3DRENDERSTATE_FOGEND, float_bits(1));
    put_state(f, D3DRENDERSTATE_FOGCOLOR, 0xFF0000);
    assert_color(one_point(f, D3DFVF_XYZ, v, sizeof(v), &x, &y), 0xFFBFBF, 1, "a quarter of the way");
    fixture_free(f);
}

static void points_scale_with_the_viewport(void **state)
{
    struct fixture *f = fixture_new(32, 32, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    float v[3] = {0, 0, 0.5f};
    put_identity_viewport(f);
    put_state(f, D3DRENDERSTATE_POINTSCALEENABLE, 1);
    put_state(f, D3DRENDERSTATE_POINTSIZE, float_bits(0.25f)); /* of 32 pixels: 8 */
    put_token(f, D3DDP2OP_POINTS, 1);
    put16(f, 1);
    put16(f, 0);
    run_fvf(f, D3DFVF_XYZ, v, sizeof(v), 1, 0);
    uint32_t count = 0;
    for (uint32_t i = 0; i < 32 * 32; i++)
        count += f->color[i] != 0;
    assert_int_equal(count, 64);
    assert_color(pixel(f, 12, 12), 0xFFFFFF, 0, "left top");
    assert_color(pixel(f, 20, 20), 0, 0, "right bottom excluded");
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_have_their_documented_layout),
        cmocka_unit_test(point_lights_attenuate_and_end_at_their_range),
        cmocka_unit_test(spot_lights_fall_off_between_their_cones),
        cmocka_unit_test(specular_uses_the_half_vector),
        cmocka_unit_test(material_sources_need_color_vertex_and_the_color),
        cmocka_unit_test(normal_matrices_are_inverse_transposes),
        cmocka_unit_test(vertices_blend_over_world_matrices),
        cmocka_unit_test(indexed_blending_picks_its_matrices),
        cmocka_unit_test(transforms_multiply_on_the_left),
        cmocka_unit_test(camera_space_position_generates_coordinates),
        cmocka_unit_test(two_dimensional_sets_are_translated_by_the_third_row),
        cmocka_unit_test(vertex_fog_follows_view_depth),
        cmocka_unit_test(points_scale_with_the_viewport),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
