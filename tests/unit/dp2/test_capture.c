/* SPDX-License-Identifier: MIT
 * Captures: what is written reads back to the same pixels and state; broken files are refused with a reason; the committed
 * examples are what their generator makes. The DDK structures and the guest path. */
#include "fixture.h"

#include "ref/dp2_reader.h"

struct memory_file {
    uint8_t bytes[1 << 20];
    size_t count;
};

static int write_memory(void *cookie, const void *bytes, size_t count)
{
    struct memory_file *file = cookie;
    assert_true(file->count + count <= sizeof(file->bytes));
    memcpy(file->bytes + file->count, bytes, count);
    file->count += count;
    return 1;
}

static void draw_something(struct fixture *f)
{
    struct tl_vertex v[4];
    quad(v, 2, 2, 14, 12, 0.5f, 0xFF4080C0);
    put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
    put_state(f, D3DRENDERSTATE_ZENABLE, 0);
    put_quad(f);
    run_ok(f, v, 4);
}

/* Replay a capture; the target's pixels go to color. */
static void replay(const struct memory_file *file, uint32_t *color, struct cdxr_dp2_context **keep, struct cdxr_dp2_replay **out)
{
    struct cdxr_dp2_event event;
    char reason[512] = "";
    enum cdxr_dp2_error error;
    if (cdxr_dp2_replay_open(file->bytes, file->count, NULL, out, reason) != CDXR_DP2_OK)
        fail_msg("open: %s", reason);
    *keep = cdxr_dp2_replay_context(*out);
    while ((error = cdxr_dp2_replay_next(*out, &event, reason)) == CDXR_DP2_OK)
        if (event.kind == CDXR_DP2_EVENT_CALL) {
            cdxr_dp2_execute_call(*keep, &event.call);
            assert_int_equal(event.call.ddrval, D3D_OK);
        }
    if (error != CDXR_DP2_END)
        fail_msg("next: %s", reason);
    struct cdxr_dp2_surface surface;
    assert_int_equal(cdxr_dp2_surface_query(*keep, TARGET, &surface), CDXR_DP2_OK);
    memcpy(color, surface.levels[0].memory, surface.levels[0].byte_count);
}

static void captures_replay_to_the_same_pixels(void **state)
{
    static struct memory_file file;
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    file.count = 0;
    uint32_t copy[16 * 16], texel = 0xFF808080;
    fixture_surface(f, TEXTURE, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_A8R8G8B8, 1, 1, &texel, 4);
    /* State from before the capture: a texture with MODULATE2X, a state set, a palette. */
    put_stage(f, 0, D3DTSS_TEXTUREMAP, TEXTURE);
    put_stage(f, 0, D3DTSS_COLOROP, D3DTOP_MODULATE2X);
    put_token(f, D3DDP2OP_STATESET, 1);
    put32(f, D3DHAL_STATESETBEGIN);
    put32(f, 0);
    put32(f, 0);
    put_state(f, D3DRENDERSTATE_FOGCOLOR, 0x123456);
    put_token(f, D3DDP2OP_STATESET, 1);
    put32(f, D3DHAL_STATESETEND);
    put32(f, 5);
    put32(f, 0);
    run_ok(f, NULL, 0);
    assert_int_equal(cdxr_dp2_capture_start(f->context, write_memory, &file), CDXR_DP2_OK);
    draw_something(f);
    put_token(f, D3DDP2OP_STATESET, 1);
    put32(f, D3DHAL_STATESETEXECUTE);
    put32(f, 5);
    put32(f, 0);
    run_ok(f, NULL, 0);
    assert_int_equal(cdxr_dp2_capture_stop(f->context), CDXR_DP2_OK);
    assert_true(dp2_ref_capture_chunks(file.bytes, (uint32_t)file.count) > 5);
    struct cdxr_dp2_context *context;
    struct cdxr_dp2_replay *opened;
    replay(&file, copy, &context, &opened);
    assert_memory_equal(copy, f->color, sizeof(copy));
    assert_color(pixel(f, 8, 8), 0x4080C0, 1, "twice one half of it");
    assert_int_equal(cdxr_dp2_render_state(context, D3DRENDERSTATE_FOGCOLOR), 0x123456);
    assert_int_equal(cdxr_dp2_texture_stage_state(context, 0, D3DTSS_COLOROP), D3DTOP_MODULATE2X);
    cdxr_dp2_replay_close(opened);
    fixture_free(f);
}

static void broken_captures_are_refused(void **state)
{
    static struct memory_file file;
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    file.count = 0;
    cdxr_dp2_capture_start(f->context, write_memory, &file);
    draw_something(f);
    cdxr_dp2_capture_stop(f->context);
    fixture_free(f);
    for (size_t cut = 0; cut < file.count; cut++) {
        uint8_t *bytes = malloc(cut + 1);
        struct cdxr_dp2_replay *opened;
        struct cdxr_dp2_event event;
        char reason[512] = "";
        memcpy(bytes, file.bytes, cut);
        enum cdxr_dp2_error error = cdxr_dp2_replay_open(bytes, cut, NULL, &opened, reason);
        if (error == CDXR_DP2_OK) {
            while ((error = cdxr_dp2_replay_next(opened, &event, reason)) == CDXR_DP2_OK)
                ;
            cdxr_dp2_replay_close(opened);
        }
        if (error == CDXR_DP2_END || !*reason)
            fail_msg("cut to %zu of %zu bytes: error %d, reason '%s'", cut, file.count, error, reason);
        free(bytes);
    }
}

static void examples_are_what_the_generator_makes(void **state)
{
    static const char *const names[] = {"strip.dp2", "scene.dp2", "soup.dp2", "patches.dp2"};
    static struct memory_file committed, made;
    char command[2048];
    snprintf(command, sizeof(command), "mkdir -p %s/dp2-examples && %s/tests/dp2-make-captures %s/dp2-examples", CDXR_BINARY_DIR, CDXR_BINARY_DIR, CDXR_BINARY_DIR);
    assert_int_equal(system(command), 0);
    for (int i = 0; i < 4; i++) {
        char path[1024];
        struct memory_file *files[2] = {&committed, &made};
        for (int k = 0; k < 2; k++) {
            snprintf(path, sizeof(path), "%s/%s", k ? CDXR_BINARY_DIR "/dp2-examples" : CDXR_SOURCE_DIR "/examples/dp2", names[i]);
            FILE *stream = fopen(path, "rb");
            assert_non_null(stream);
            files[k]->count = fread(files[k]->bytes, 1, sizeof(files[k]->bytes), stream);
            fclose(stream);
        }
        assert_int_equal(committed.count, made.count);
        assert_memory_equal(committed.bytes, made.bytes, made.count);
        assert_true(dp2_ref_capture_chunks(made.bytes, (uint32_t)made.count) > 3);
    }
}

/* ---- the DDK's structures ---- */

static void host_structures_execute(void **state)
{
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct tl_vertex v[5];
    quad(v + 1, 2, 2, 14, 12, 0.5f, 0xFF4080C0);
    f->length = 4; /* tokens do not begin at the surface's start */
    put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
    put_state(f, D3DRENDERSTATE_ZENABLE, 0);
    put_quad(f);
    put_token(f, 200, 0);
    DDRAWI_DDRAWSURFACE_GBL command_memory = {.fpVidMem = (uintptr_t)f->stream}, vertex_memory = {.fpVidMem = (uintptr_t)v};
    DDRAWI_DDRAWSURFACE_LCL commands = {.lpGbl = &command_memory}, vertices = {.lpGbl = &vertex_memory};
    D3DHAL_DRAWPRIMITIVES2DATA data = {.dwhContext = cdxr_dp2_context_handle(f->context), .dwVertexType = D3DFVF_TLVERTEX, .lpDDCommands = &commands,
                                       .dwCommandOffset = 4, .dwCommandLength = f->length - 4, .lpDDVertex = &vertices, .dwVertexOffset = 32,
                                       .dwVertexLength = 4, .dwVertexSize = 32};
    assert_int_equal(cdxr_dp2_execute(f->context, &data), DDHAL_DRIVER_HANDLED);
    assert_int_equal(data.ddrval, D3DERR_COMMAND_UNPARSED);
    assert_int_equal(data.dwErrorOffset, f->length - 4);
    assert_color(pixel(f, 8, 8), 0x4080C0, 0, "drawn before the unknown token");
    data.dwCommandLength -= 4;
    assert_int_equal(cdxr_dp2_resume(f->context, &data, 32, f->length - 4), DDHAL_DRIVER_HANDLED);
    assert_int_equal(data.ddrval, D3D_OK);
    assert_int_equal(data.dwErrorOffset, 0);
    data.dwhContext = 0xBAD;
    assert_int_equal(cdxr_dp2_execute(f->context, &data), DDHAL_DRIVER_HANDLED);
    assert_int_equal(data.ddrval, D3DHAL_CONTEXT_BAD);
    fixture_free(f);
}

/* A guest of 64 KiB at address 0x1000. */
static uint8_t guest[1 << 16];

static uint32_t reads_until_failure; /* 0: never */

static int read_guest(void *cookie, uint64_t address, void *bytes, size_t count)
{
    if (reads_until_failure && !--reads_until_failure)
        return 0;
    if (count > sizeof(guest) || address < 0x1000 || address - 0x1000 > sizeof(guest) - count)
        return 0;
    memcpy(bytes, guest + (address - 0x1000), count);
    return 1;
}

static int write_guest(void *cookie, uint64_t address, const void *bytes, size_t count)
{
    if (count > sizeof(guest) || address < 0x1000 || address - 0x1000 > sizeof(guest) - count)
        return 0;
    memcpy(guest + (address - 0x1000), bytes, count);
    return 1;
}

static void poke(uint32_t address, uint32_t value)
{
    memcpy(guest + (address - 0x1000), &value, 4);
}

static uint32_t peek(uint32_t address)
{
    uint32_t value;
    memcpy(&value, guest + (address - 0x1000), 4);
    return value;
}

static void set_guest(struct cdxr_dp2_config *config)
{
    config->read = read_guest;
    config->write = write_guest;
}

static void set_guest_nt(struct cdxr_dp2_config *config)
{
    set_guest(config);
    config->guest_is_nt = 1;
}

static void guest_call(bool nt)
{
    /* Unaligned on purpose: data 0x1801, local object 0x2001, global object 0x2103, commands 0x3002, vertices 0x4001. */
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, nt ? set_guest_nt : set_guest);
    struct tl_vertex v[4];
    memset(guest, 0, sizeof(guest));
    quad(v, 2, 2, 14, 12, 0.5f, 0xFF4080C0);
    put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
    put_state(f, D3DRENDERSTATE_ZENABLE, 0);
    put_quad(f);
    memcpy(guest + 0x3002 - 0x1000, f->stream, f->length);
    memcpy(guest + 0x4001 - 0x1000, v, sizeof(v));
    poke(0x2001 + (nt ? 0 : 4), 0x2103);
    poke(0x2103 + (nt ? 8 : 20), 0x3002);
    const uint32_t fields[14] = {cdxr_dp2_context_handle(f->context), D3DHALDP2_USERMEMVERTICES, D3DFVF_TLVERTEX, 0x2001, 0, f->length, 0x4001, 0, 4, 0, 0, 0, 32, 77};
    for (uint32_t i = 0; i < 14; i++)
        poke(0x1801 + i * 4, fields[i]);
    assert_int_equal(cdxr_dp2_execute_guest(f->context, 0x1801, 0), DDHAL_DRIVER_HANDLED);
    assert_int_equal(peek(0x1801 + 48), D3D_OK);
    assert_int_equal(peek(0x1801 + 52), 0);
    assert_color(pixel(f, 8, 8), 0x4080C0, 0, "drawn");
    poke(0x1801 + 12, 0xFFFFFFF0); /* a dangling command surface */
    assert_int_equal(cdxr_dp2_execute_guest(f->context, 0x1801, 0), DDHAL_DRIVER_HANDLED);
    assert_int_equal((int32_t)peek(0x1801 + 48), DDERR_INVALIDPARAMS);
    assert_int_equal(cdxr_dp2_execute_guest(f->context, 0xFFFFFFFF, 0), DDHAL_DRIVER_NOTHANDLED);
    fixture_free(f);
}

static void guests_of_windows_9x_execute(void **state)
{
    guest_call(false);
}

static void guests_of_xp_execute(void **state)
{
    guest_call(true);
}

static void guests_get_their_render_states_back(void **state)
{
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, set_guest);
    memset(guest, 0, sizeof(guest));
    put_state(f, D3DRENDERSTATE_FOGCOLOR, 0x5678);
    put_token(f, CDXR_D3DOP_PROCESSVERTICES, 1);
    memcpy(guest + 0x3000 - 0x1000, f->stream, f->length);
    poke(0x2004, 0x2100);
    poke(0x2114, 0x3000);
    struct cdxr_d3dhal_drawprimitives2data32 data = {.dwhContext = cdxr_dp2_context_handle(f->context), .dwFlags = D3DHALDP2_EXECUTEBUFFER, .lpDDCommands = 0x2000,
                                                     .dwCommandLength = f->length, .lpdwRStates = 0x5000};
    assert_int_equal(cdxr_dp2_execute32(f->context, &data, 0), DDHAL_DRIVER_HANDLED);
    assert_int_equal((int32_t)data.dwVertexSize_ddrval, D3DERR_COMMAND_UNPARSED);
    assert_int_equal(data.dwErrorOffset, 12);
    assert_int_equal(peek(0x5000 + D3DRENDERSTATE_FOGCOLOR * 4), 0x5678);
    fixture_free(f);
}

/* Structure, local object, global object, commands, vertices: whichever read fails, the call is answered and nothing is half drawn. */
static void guest_reads_that_fail_are_answered(void **state)
{
    static const struct { uint32_t handled; int32_t ddrval; bool drawn; } expected[] = {
        {DDHAL_DRIVER_NOTHANDLED, 0, false}, {DDHAL_DRIVER_HANDLED, DDERR_INVALIDPARAMS, false}, {DDHAL_DRIVER_HANDLED, DDERR_INVALIDPARAMS, false},
        {DDHAL_DRIVER_HANDLED, DDERR_INVALIDPARAMS, false}, {DDHAL_DRIVER_HANDLED, D3D_OK, false}, {DDHAL_DRIVER_HANDLED, D3D_OK, true}};
    for (uint32_t k = 0; k < 6; k++) {
        struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, set_guest);
        struct tl_vertex v[4];
        memset(guest, 0, sizeof(guest));
        quad(v, 0, 0, 16, 16, 0.5f, 0xFF4080C0);
        put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
        put_state(f, D3DRENDERSTATE_ZENABLE, 0);
        put_quad(f);
        memcpy(guest + 0x3000 - 0x1000, f->stream, f->length);
        memcpy(guest + 0x4000 - 0x1000, v, sizeof(v));
        poke(0x2004, 0x2100);
        poke(0x2114, 0x3000);
        const uint32_t fields[14] = {cdxr_dp2_context_handle(f->context), D3DHALDP2_USERMEMVERTICES, D3DFVF_TLVERTEX, 0x2000, 0, f->length, 0x4000, 0, 4, 0, 0, 0, 32, 0};
        for (uint32_t i = 0; i < 14; i++)
            poke(0x1800 + i * 4, fields[i]);
        reads_until_failure = k + 1;
        uint32_t handled = cdxr_dp2_execute_guest(f->context, 0x1800, 0);
        reads_until_failure = 0;
        if (handled != expected[k].handled || (handled && (int32_t)peek(0x1800 + 48) != expected[k].ddrval) || (pixel(f, 8, 8) != 0) != expected[k].drawn)
            fail_msg("read %u fails: handled %u, ddrval 0x%x", k, handled, peek(0x1800 + 48));
        fixture_free(f);
    }
}

/* Any structure over any memory; the sanitizers see what is wrong. */
static void wild_guests_are_answered(void **state)
{
    uint32_t seed = 1;
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, set_guest);
    for (uint32_t i = 0; i < sizeof(guest); i++) {
        seed = seed * 1664525 + 1013904223;
        guest[i] = (seed >> 16 & 3) ? (uint8_t)(seed >> 24 & 31) : 0;
    }
    for (uint32_t round = 0; round < 4000; round++) {
        struct cdxr_d3dhal_drawprimitives2data32 data;
        uint32_t *fields = (uint32_t *)&data;
        for (uint32_t i = 0; i < 14; i++) {
            seed = seed * 1664525 + 1013904223;
            fields[i] = seed >> 30 == 0 ? seed : 0x1000 + (seed >> 8 & 0xFFFF);
        }
        data.dwhContext = cdxr_dp2_context_handle(f->context);
        data.dwFlags &= 0xFF;
        data.dwCommandOffset &= 0xFFF;
        data.dwVertexType = round & 1 ? D3DFVF_TLVERTEX : data.dwVertexType;
        uint32_t offset = data.dwCommandOffset, length = data.dwCommandLength;
        assert_int_equal(cdxr_dp2_execute32(f->context, &data, 0), DDHAL_DRIVER_HANDLED);
        if (data.dwVertexSize_ddrval == D3D_OK)
            assert_int_equal(data.dwErrorOffset, 0);
        else
            assert_true(data.dwErrorOffset >= offset && data.dwErrorOffset <= (uint64_t)offset + length);
    }
    fixture_free(f);
}

/* ---- collection ---- */

static void strips_become_lists(void **state)
{
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct tl_vertex v[5];
    struct cdxr_dp2_collection *c;
    for (int i = 0; i < 5; i++)
        v[i] = (struct tl_vertex){(float)i, (float)(i % 2), 0.25f, 0.5f, 0xFF000000u + (uint32_t)i, 0, 0, 0};
    put_start(f, D3DDP2OP_TRIANGLESTRIP, 3, 0);
    f->call = (struct cdxr_dp2_call){.vertex_type = D3DFVF_TLVERTEX, .commands = f->stream, .commands_bytes = f->length, .command_length = f->length, .vertices = v,
                                     .vertices_bytes = sizeof(v), .vertex_count = 5};
    assert_int_equal(cdxr_dp2_collect(f->context, &f->call, CDXR_DP2_SPACE_PERSPECTIVE, &c), CDXR_DP2_OK);
    static const uint32_t expected[9] = {0, 1, 2, 1, 3, 2, 2, 3, 4};
    assert_int_equal(c->triangle_count, 3);
    assert_int_equal(c->geometry_count, 1);
    for (int i = 0; i < 9; i++) {
        uint32_t vertex = c->indices[i];
        assert_int_equal(c->diffuse[vertex] & 0xFF, expected[i]);
        assert_float_equal(c->positions[vertex * 3], 2 * (float)expected[i], 0); /* x times w, w = 2 */
        assert_float_equal(c->positions[vertex * 3 + 2], 2, 0);
    }
    assert_int_equal(c->geometries[0].pretransformed, 1);
    cdxr_dp2_collection_destroy(c);
    assert_color(pixel(f, 1, 0), 0, 0, "nothing is drawn");
    fixture_free(f);
}

static void object_space_gets_its_matrix(void **state)
{
    struct fixture *f = fixture_new(640, 480, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    float v[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    struct cdxr_dp2_collection *c;
    put_token(f, D3DDP2OP_VIEWPORTINFO, 1);
    put32(f, 0);
    put32(f, 0);
    put32(f, 640);
    put32(f, 480);
    put_start(f, D3DDP2OP_TRIANGLELIST, 1, 0);
    f->call = (struct cdxr_dp2_call){.vertex_type = D3DFVF_XYZ, .commands = f->stream, .commands_bytes = f->length, .command_length = f->length, .vertices = v,
                                     .vertices_bytes = sizeof(v), .vertex_count = 3};
    assert_int_equal(cdxr_dp2_collect(f->context, &f->call, CDXR_DP2_SPACE_SCREEN, &c), CDXR_DP2_OK);
    const float *t = c->geometries[0].transform;
    static const float expected[12] = {320, 0, 0, 320, 0, -240, 0, 240, 0, 0, 1, 0};
    for (int i = 0; i < 12; i++)
        assert_float_equal(t[i], expected[i], 1e-4f);
    cdxr_dp2_collection_destroy(c);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captures_replay_to_the_same_pixels),
        cmocka_unit_test(broken_captures_are_refused),
        cmocka_unit_test(examples_are_what_the_generator_makes),
        cmocka_unit_test(host_structures_execute),
        cmocka_unit_test(guests_of_windows_9x_execute),
        cmocka_unit_test(guests_of_xp_execute),
        cmocka_unit_test(guests_get_their_render_states_back),
        cmocka_unit_test(guest_reads_that_fail_are_answered),
        cmocka_unit_test(wild_guests_are_answered),
        cmocka_unit_test(strips_become_lists),
        cmocka_unit_test(object_space_gets_its_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
