/* SPDX-License-Identifier: MIT
 * Policies that change values rather than lengths, and what a driver that does not multi-buffer leaves alone. */
#include "fixture.h"

static void tune_reject(struct cdxr_dp2_config *config) { config->policies.palette_range = CDXR_DP2_PALETTE_RANGE_REJECT; }
static void tune_fog(struct cdxr_dp2_config *config) { config->policies.fog_alpha = CDXR_DP2_FOG_ALPHA_MISSING_IS_255; }

/* Entries 254..257: the two that exist are set, or none. */
static void palette_ranges_are_clipped_or_rejected(void **state)
{
    for (uint32_t reject = 0; reject < 2; reject++) {
        struct fixture *f = fixture_new(4, 4, CDXR_DP2_FORMAT_X8R8G8B8, reject ? tune_reject : NULL);
        uint8_t texel = 255;
        struct tl_vertex v[4];
        fixture_surface(f, TEXTURE, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_P8, 1, 1, &texel, 1);
        put_token(f, D3DDP2OP_SETPALETTE, 1);
        put32(f, 5);
        put32(f, 0);
        put32(f, TEXTURE);
        uint32_t at = f->length;
        put_token(f, D3DDP2OP_UPDATEPALETTE, 1);
        put32(f, 5);
        put16(f, 254);
        put16(f, 4);
        for (uint32_t i = 0; i < 4; i++)
            put32(f, 0x00302010 + i); /* R G B in memory order */
        run_tl(f, NULL, 0);
        assert_int_equal(f->call.ddrval, reject ? D3DERR_COMMAND_UNPARSED : D3D_OK);
        assert_int_equal(f->call.error_offset, reject ? at : 0);
        assert_non_null(strstr(f->log_text[0], "exceed 256"));
        put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
        put_state(f, D3DRENDERSTATE_ZENABLE, 0);
        put_stage(f, 0, D3DTSS_TEXTUREMAP, TEXTURE);
        put_stage(f, 0, D3DTSS_COLOROP, D3DTOP_SELECTARG1);
        put_quad(f);
        quad(v, 0, 0, 4, 4, 0.5f, ~0u);
        run_ok(f, v, 4);
        assert_color(pixel(f, 2, 2), reject ? 0 : 0x112030, 0, "entry 255");
        fixture_free(f);
    }
}

/* Vertex fog of vertices without a specular colour: all fog, or none. */
static void missing_fog_alpha_is_0_or_255(void **state)
{
    for (uint32_t full = 0; full < 2; full++) {
        struct fixture *f = fixture_new(4, 4, CDXR_DP2_FORMAT_X8R8G8B8, full ? tune_fog : NULL);
        const struct { float x, y, z, rhw; uint32_t diffuse; } v[4] = {
            {0, 4, 0.5f, 1, 0xFF0000FF}, {0, 0, 0.5f, 1, 0xFF0000FF}, {4, 4, 0.5f, 1, 0xFF0000FF}, {4, 0, 0.5f, 1, 0xFF0000FF}};
        put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
        put_state(f, D3DRENDERSTATE_ZENABLE, 0);
        put_state(f, D3DRENDERSTATE_FOGENABLE, 1);
        put_state(f, D3DRENDERSTATE_FOGCOLOR, 0x00FF00);
        put_quad(f);
        run_fvf(f, D3DFVF_XYZRHW | D3DFVF_DIFFUSE, v, sizeof(v), 4, 0);
        assert_color(pixel(f, 2, 2), full ? 0x0000FF : 0x00FF00, 0, full ? "no fog" : "full fog");
        fixture_free(f);
    }
}

/* Swap and size requests are for drivers with several buffers: pointers, sizes and driver flags stay. */
static void swap_and_size_requests_are_left_alone(void **state)
{
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct tl_vertex v[4];
    quad(v, 0, 0, 16, 16, 0.5f, 0xFF102030);
    put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
    put_state(f, D3DRENDERSTATE_ZENABLE, 0);
    put_quad(f);
    DDRAWI_DDRAWSURFACE_GBL command_memory = {.fpVidMem = (uintptr_t)f->stream}, vertex_memory = {.fpVidMem = (uintptr_t)v};
    DDRAWI_DDRAWSURFACE_LCL commands = {.lpGbl = &command_memory}, vertices = {.lpGbl = &vertex_memory};
    const uint32_t requests = D3DHALDP2_SWAPVERTEXBUFFER | D3DHALDP2_SWAPCOMMANDBUFFER | D3DHALDP2_REQVERTEXBUFSIZE | D3DHALDP2_REQCOMMANDBUFSIZE;
    D3DHAL_DRAWPRIMITIVES2DATA data = {.dwhContext = cdxr_dp2_context_handle(f->context), .dwFlags = requests, .dwVertexType = D3DFVF_TLVERTEX, .lpDDCommands = &commands,
                                       .dwCommandLength = f->length, .lpDDVertex = &vertices, .dwVertexLength = 4, .dwVertexSize = 32,
                                       .dwReqVertexBufSize = 0x12345, .dwReqCommandBufSize = 0x54321};
    assert_int_equal(cdxr_dp2_execute(f->context, &data), DDHAL_DRIVER_HANDLED);
    assert_int_equal(data.ddrval, D3D_OK);
    assert_int_equal(data.dwFlags, requests);
    assert_ptr_equal(data.lpDDCommands, &commands);
    assert_ptr_equal(data.lpDDVertex, &vertices);
    assert_int_equal(data.dwReqVertexBufSize, 0x12345);
    assert_int_equal(data.dwReqCommandBufSize, 0x54321);
    assert_color(pixel(f, 8, 8), 0x102030, 0, "drawn");
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(palette_ranges_are_clipped_or_rejected),
        cmocka_unit_test(missing_fog_alpha_is_0_or_255),
        cmocka_unit_test(swap_and_size_requests_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
