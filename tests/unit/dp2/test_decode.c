/* SPDX-License-Identifier: MIT
 * Every opcode: bytes in, primitives out; its length; where the call stops when the token is cut short at any byte. */
#include "fixture.h"

#include <ctype.h>

/* ---- tokens as hex ---- */

static uint32_t parse_hex(const char *text, uint8_t *bytes)
{
    uint32_t count = 0;
    for (; *text; text++) {
        if (!isxdigit((unsigned char)*text))
            continue;
        char digits[3] = {text[0], text[1], 0};
        bytes[count++] = (uint8_t)strtoul(digits, NULL, 16);
        text++;
    }
    return count;
}

struct listing {
    char text[4096];
};

/* Only the primitives, as "(0 1 2)(2 1 3)". */
static void keep_primitives(void *cookie, const char *line)
{
    struct listing *listing = cookie;
    const char *open = strstr(line, "triangle (");
    open = open ? open : strstr(line, "line (");
    open = open ? open : strstr(line, "point (");
    if (!open)
        return;
    size_t used = strlen(listing->text);
    for (open = strchr(open, '('); *open; open++)
        if (*open != ',' && used + 2 < sizeof(listing->text)) {
            listing->text[used++] = *open;
            listing->text[used] = 0;
            if (*open == ')')
                return;
        }
}

struct primitives_case {
    const char *name, *bytes, *expected;
};

/* Inline vertices do not matter here: FVF XYZRHW, 16 bytes each. */
#define V16 " 00000000 00000000 00000000 00000000"

static const struct primitives_case primitives_cases[] = {
    {"POINTS two records", "01 00 02 00  03 00 05 00  01 00 09 00", "(5)(6)(7)(9)"},
    {"POINTS none", "01 00 00 00", ""},
    {"INDEXEDLINELIST", "02 00 02 00  01 00 02 00  03 00 04 00", "(1 2)(3 4)"},
    {"INDEXEDTRIANGLELIST", "03 00 02 00  00 00 01 00 02 00 00 07  03 00 04 00 05 00 00 01", "(0 1 2)(3 4 5)"},
    {"LINELIST", "0F 00 02 00 14 00", "(20 21)(22 23)"},
    {"LINESTRIP", "10 00 03 00 02 00", "(2 3)(3 4)(4 5)"},
    {"INDEXEDLINESTRIP", "11 00 02 00 0A 00  01 00 00 00 05 00", "(11 10)(10 15)"},
    {"TRIANGLELIST", "12 00 02 00 01 00", "(1 2 3)(4 5 6)"},
    {"TRIANGLESTRIP n=1", "13 00 01 00 00 00", "(0 1 2)"},
    {"TRIANGLESTRIP n=2 base 4", "13 00 02 00 04 00", "(4 5 6)(5 7 6)"},
    {"TRIANGLESTRIP n=3", "13 00 03 00 00 00", "(0 1 2)(1 3 2)(2 3 4)"},
    {"TRIANGLESTRIP n=4", "13 00 04 00 00 00", "(0 1 2)(1 3 2)(2 3 4)(3 5 4)"},
    {"TRIANGLESTRIP n=0", "13 00 00 00 00 00", ""},
    {"INDEXEDTRIANGLESTRIP", "14 00 02 00 01 00  03 00 02 00 01 00 00 00", "(4 3 2)(3 1 2)"},
    {"TRIANGLEFAN", "15 00 03 00 02 00", "(3 4 2)(4 5 2)(5 6 2)"},
    {"INDEXEDTRIANGLEFAN", "16 00 02 00 00 00  07 00 01 00 02 00 03 00", "(1 2 7)(2 3 7)"},
    {"TRIANGLEFAN_IMM", "17 00 02 00 1F 00 00 00" V16 V16 V16 V16, "(1 2 0)(2 3 0)"},
    {"LINELIST_IMM", "18 00 01 00" V16 V16, "(0 1)"},
    {"INDEXEDTRIANGLELIST2", "1A 00 02 00  0A 00  00 00 01 00 02 00  02 00 01 00 03 00", "(10 11 12)(12 11 13)"},
    {"INDEXEDLINELIST2", "1B 00 01 00 05 00  01 00 00 00", "(6 5)"},
    {"DRAWPRIMITIVE strip", "34 00 01 00  05 00 00 00  03 00 00 00  02 00 00 00", "(3 4 5)(4 6 5)"},
    {"DRAWPRIMITIVE points", "34 00 01 00  01 00 00 00  03 00 00 00  02 00 00 00", "(3)(4)"},
};

static void tokens_make_their_primitives(void **state)
{
    struct cdxr_dp2_config config;
    cdxr_dp2_config_init(&config);
    for (size_t i = 0; i < sizeof(primitives_cases) / sizeof(primitives_cases[0]); i++) {
        const struct primitives_case *c = &primitives_cases[i];
        uint8_t bytes[512];
        uint32_t length = parse_hex(c->bytes, bytes);
        struct listing listing = {""};
        struct cdxr_dp2_call call = {.vertex_type = D3DFVF_XYZRHW, .commands = bytes, .commands_bytes = length, .command_length = length, .vertex_count = 65535};
        assert_int_equal(cdxr_dp2_describe(&config, &call, 1, keep_primitives, &listing), 0);
        if (strcmp(listing.text, c->expected))
            fail_msg("%s: %s, expected %s", c->name, listing.text, c->expected);
    }
}

/* ---- the worked example of docs/dp2.md ---- */

static uint32_t worked_example(uint8_t *bytes)
{
    uint32_t n = parse_hex("08 00 01 00  16 00 00 00  01 00 00 00  13 00 02 00  04 00  17 00 01 00  07 00 00 00  CC CC", bytes);
    memset(bytes + n, 0, 3 * 32);
    n += 3 * 32;
    n += parse_hex("1A 00 01 00  0A 00  00 00 01 00 02 00  03 00 01 00  00 00 01 00 02 00 00 07  0F 00 01 00 14 00  18 00 01 00  CC CC", bytes + n);
    memset(bytes + n, 0, 2 * 32);
    return n + 2 * 32;
}

static void worked_example_is_read_as_documented(void **state)
{
    struct cdxr_dp2_config config;
    uint8_t bytes[512];
    uint32_t length = worked_example(bytes);
    struct listing listing = {""};
    cdxr_dp2_config_init(&config);
    struct cdxr_dp2_call call = {.vertex_type = D3DFVF_TLVERTEX, .commands = bytes, .commands_bytes = length, .command_length = length, .vertex_count = 100};
    assert_int_equal(length, 0xE0);
    assert_int_equal(cdxr_dp2_describe(&config, &call, 1, keep_primitives, &listing), 0);
    assert_string_equal(listing.text, "(4 5 6)(5 7 6)(1 2 0)(10 11 12)(0 1 2)(20 21)(0 1)");
}

struct offsets {
    uint32_t offsets[16], count;
};

static int note_offset(void *cookie, const struct cdxr_dp2_token *token)
{
    struct fixture *f = cookie;
    struct offsets *o = (struct offsets *)f->stream; /* the builder is not used meanwhile */
    if (!token->after && o->count < 16)
        o->offsets[o->count++] = token->offset;
    return 0;
}

static void set_token_callback(struct cdxr_dp2_config *config)
{
    config->token = note_offset;
}

static void worked_example_executes_at_the_documented_offsets(void **state)
{
    static const uint32_t expected[] = {0x00, 0x0C, 0x12, 0x7C, 0x88, 0x94, 0x9A};
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, set_token_callback);
    struct offsets *o = (struct offsets *)f->stream;
    static struct tl_vertex v[32];
    uint8_t bytes[512];
    uint32_t length = worked_example(bytes);
    f->call = (struct cdxr_dp2_call){.vertex_type = D3DFVF_TLVERTEX, .commands = bytes, .commands_bytes = length, .command_length = length,
                                     .vertices = v, .vertices_bytes = sizeof(v), .vertex_count = 32};
    cdxr_dp2_execute_call(f->context, &f->call);
    assert_int_equal(f->call.ddrval, D3D_OK);
    assert_int_equal(f->call.error_offset, 0);
    assert_int_equal(o->count, 7);
    assert_memory_equal(o->offsets, expected, sizeof(expected));
    assert_int_equal(cdxr_dp2_render_state(f->context, D3DRENDERSTATE_CULLMODE), D3DCULL_NONE);
    fixture_free(f);
}

/* ---- lengths ---- */

struct length_case {
    const char *name, *bytes;
    uint32_t tail_bytes; /* zeroes behind the hex */
};

static const struct length_case length_cases[] = {
    {"POINTS", "01 00 02 00", 8},
    {"INDEXEDLINELIST", "02 00 03 00", 12},
    {"INDEXEDTRIANGLELIST", "03 00 02 00", 16},
    {"RENDERSTATE", "08 00 02 00  16 00 00 00 01 00 00 00  16 00 00 00 01 00 00 00", 0},
    {"LINELIST", "0F 00 01 00", 2},
    {"LINESTRIP", "10 00 01 00", 2},
    {"INDEXEDLINESTRIP", "11 00 02 00", 8},
    {"TRIANGLELIST", "12 00 01 00", 2},
    {"TRIANGLESTRIP", "13 00 02 00", 2},
    {"INDEXEDTRIANGLESTRIP", "14 00 02 00", 10},
    {"TRIANGLEFAN", "15 00 02 00", 2},
    {"INDEXEDTRIANGLEFAN", "16 00 02 00", 10},
    {"TRIANGLEFAN_IMM", "17 00 02 00", 4 + 4 * 32},
    {"LINELIST_IMM", "18 00 02 00", 4 * 32},
    {"TEXTURESTAGESTATE", "19 00 02 00  00 00 01 00 04 00 00 00  00 00 01 00 04 00 00 00", 0},
    {"INDEXEDTRIANGLELIST2", "1A 00 02 00", 14},
    {"INDEXEDLINELIST2", "1B 00 02 00", 10},
    {"VIEWPORTINFO", "1C 00 01 00", 16},
    {"WINFO", "1D 00 01 00", 8},
    {"SETPALETTE", "1E 00 01 00  07 00 00 00 00 00 00 00 10 00 00 00", 0},
    {"UPDATEPALETTE", "1F 00 01 00  07 00 00 00 00 00 03 00", 12},
    {"ZRANGE", "20 00 01 00", 8},
    {"SETMATERIAL", "21 00 01 00", 68},
    {"SETLIGHT", "22 00 02 00  00 00 00 00 00 00 00 00  01 00 00 00 02 00 00 00 01 00 00 00", 100},
    {"CREATELIGHT", "23 00 02 00", 8},
    {"SETTRANSFORM", "24 00 01 00 01 00 00 00", 64},
    {"EXT", "25 00 01 00 05 00 00 00 06 00 00 00", 6},
    {"TEXBLT", "26 00 01 00 10 00 00 00 10 00 00 00", 28},
    {"STATESET", "27 00 01 00 05 00 00 00 09 00 00 00 01 00 00 00", 0},
    {"SETPRIORITY", "28 00 01 00 10 00 00 00", 4},
    {"SETRENDERTARGET", "29 00 01 00 10 00 00 00 20 00 00 00", 0},
    {"CLEAR", "2A 00 02 00 03 00 00 00", 12 + 32},
    {"CLEAR n=0", "2A 00 00 00 03 00 00 00", 12},
    {"SETTEXLOD", "2B 00 01 00 10 00 00 00", 4},
    {"SETCLIPPLANE", "2C 00 01 00", 20},
    {"CREATEVERTEXSHADER", "2D 00 01 00 03 00 00 00 08 00 00 00 0C 00 00 00", 20},
    {"DELETEVERTEXSHADER", "2E 00 01 00 03 00 00 00", 0},
    {"SETVERTEXSHADER", "2F 00 01 00 C4 01 00 00", 0},
    {"SETVERTEXSHADERCONST", "30 00 01 00 04 00 00 00 02 00 00 00", 32},
    {"SETSTREAMSOURCE", "31 00 01 00", 12},
    {"SETSTREAMSOURCEUM", "32 00 01 00 00 00 00 00 20 00 00 00", 0},
    {"SETINDICES", "33 00 01 00", 8},
    {"DRAWPRIMITIVE", "34 00 01 00 04 00 00 00", 8},
    {"DRAWINDEXEDPRIMITIVE", "35 00 01 00 04 00 00 00", 20},
    {"CREATEPIXELSHADER", "36 00 01 00 03 00 00 00 08 00 00 00", 8},
    {"DELETEPIXELSHADER", "37 00 01 00 03 00 00 00", 0},
    {"SETPIXELSHADER", "38 00 01 00", 4},
    {"SETPIXELSHADERCONST", "39 00 01 00 04 00 00 00 02 00 00 00", 32},
    {"CLIPPEDTRIANGLEFAN", "3A 00 01 00", 12},
    {"DRAWPRIMITIVE2", "3B 00 01 00 04 00 00 00", 8},
    {"DRAWINDEXEDPRIMITIVE2", "3C 00 01 00 04 00 00 00", 20},
    {"DRAWRECTPATCH", "3D 00 01 00 01 00 00 00 03 00 00 00", 44},
    {"DRAWTRIPATCH", "3E 00 01 00 01 00 00 00 03 00 00 00", 28},
    {"VOLUMEBLT", "3F 00 01 00 10 00 00 00 10 00 00 00", 40},
    {"BUFFERBLT", "40 00 01 00 40 00 00 00 40 00 00 00", 16},
    {"MULTIPLYTRANSFORM", "41 00 01 00 01 00 00 00", 64},
    {"ADDDIRTYRECT", "42 00 01 00 10 00 00 00", 16},
    {"ADDDIRTYBOX", "43 00 01 00 10 00 00 00", 24},
};
enum { LENGTH_CASES = sizeof(length_cases) / sizeof(length_cases[0]) };

static uint32_t put_length_case(struct fixture *f, const struct length_case *c)
{
    uint32_t start = f->length;
    f->length += parse_hex(c->bytes, f->stream + f->length);
    memset(f->stream + f->length, 0, c->tail_bytes);
    f->length += c->tail_bytes;
    return f->length - start;
}

/* What the tokens of the table refer to. */
static struct fixture *length_fixture(uint8_t *buffer, size_t buffer_bytes)
{
    struct fixture *f = fixture_new(16, 16, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    struct cdxr_dp2_level level = {buffer, buffer_bytes, 0, 0};
    struct cdxr_dp2_surface surface = {.handle = BUFFER, .flags = CDXR_DP2_SURFACE_BUFFER, .levels = &level};
    assert_int_equal(cdxr_dp2_surface_register(f->context, &surface), CDXR_DP2_OK);
    return f;
}

static void every_opcode_has_a_length_case(void **state)
{
    for (uint32_t opcode = 0; opcode < 256; opcode++) {
        const char *name = cdxr_dp2_opcode_name(opcode);
        if (!name)
            continue;
        bool found = false;
        for (size_t i = 0; i < LENGTH_CASES; i++)
            found |= strtoul(length_cases[i].bytes, NULL, 16) == opcode;
        if (!found)
            fail_msg("opcode %u (%s) is not covered", opcode, name);
    }
}

/* Each token between two markers: the second one is found only if the length is right. */
static void lengths_are_exact(void **state)
{
    static uint8_t buffer[256];
    static struct tl_vertex v[64];
    for (size_t i = 0; i < LENGTH_CASES; i++) {
        struct fixture *f = length_fixture(buffer, sizeof(buffer));
        put_length_case(f, &length_cases[i]);
        put_state(f, D3DRENDERSTATE_TEXTUREFACTOR, 0x1234567 + (uint32_t)i);
        uint32_t length = f->length;
        run_tl(f, v, 64);
        if (f->call.ddrval != D3D_OK)
            fail_msg("%s: stopped at 0x%x of 0x%x", length_cases[i].name, f->call.error_offset, length);
        if (cdxr_dp2_render_state(f->context, D3DRENDERSTATE_TEXTUREFACTOR) != 0x1234567 + (uint32_t)i)
            fail_msg("%s: the token behind it was not executed", length_cases[i].name);
        fixture_free(f);
    }
}

/* Cut at every byte: the marker in front is done, the call fails at the token, nothing behind the buffer is read
 * (the copy is exactly as long as the cut stream, which the sanitizer build checks). */
static void cut_tokens_stop_the_call_at_their_header(void **state)
{
    static uint8_t buffer[256];
    static struct tl_vertex v[64];
    for (size_t i = 0; i < LENGTH_CASES; i++) {
        struct fixture *f = length_fixture(buffer, sizeof(buffer));
        put_state(f, D3DRENDERSTATE_TEXTUREFACTOR, 0x77);
        uint32_t start = f->length, length = put_length_case(f, &length_cases[i]);
        for (uint32_t cut = 1; cut < length; cut++) {
            uint8_t *bytes = malloc(start + cut);
            memcpy(bytes, f->stream, start + cut);
            struct cdxr_dp2_call call = {.vertex_type = D3DFVF_TLVERTEX, .commands = bytes, .commands_bytes = start + cut, .command_length = start + cut,
                                         .vertices = v, .vertices_bytes = sizeof(v), .vertex_count = 64};
            cdxr_dp2_execute_call(f->context, &call);
            free(bytes);
            if (call.handled != DDHAL_DRIVER_HANDLED || call.ddrval != D3DERR_COMMAND_UNPARSED || call.error_offset != start)
                fail_msg("%s cut to %u bytes: ddrval 0x%x at 0x%x", length_cases[i].name, cut, (unsigned)call.ddrval, call.error_offset);
            assert_int_equal(cdxr_dp2_render_state(f->context, D3DRENDERSTATE_TEXTUREFACTOR), 0x77);
        }
        fixture_free(f);
    }
}

/* ---- answers ---- */

static void empty_stream_succeeds(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    f->call = (struct cdxr_dp2_call){.error_offset = 99};
    cdxr_dp2_execute_call(f->context, &f->call);
    assert_int_equal(f->call.ddrval, D3D_OK);
    assert_int_equal(f->call.error_offset, 0);
    assert_int_equal(f->call.handled, DDHAL_DRIVER_HANDLED);
    fixture_free(f);
}

static void missing_command_memory_is_refused(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    f->call = (struct cdxr_dp2_call){.command_length = 8};
    cdxr_dp2_execute_call(f->context, &f->call);
    assert_int_equal(f->call.ddrval, DDERR_INVALIDPARAMS);
    fixture_free(f);
}

static void unknown_opcodes_stop_by_level(void **state)
{
    static const struct { uint32_t level, opcode; } cases[] = {{6, 32}, {6, 42}, {7, 45}, {7, 52}, {8, 68}, {8, 0}, {8, 4}, {8, 9}, {8, 255}, {8, 71}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
        struct cdxr_dp2_config config = f->config;
        struct cdxr_dp2_context *context;
        config.ddi_level = cases[i].level;
        assert_int_equal(cdxr_dp2_create(&config, &context), CDXR_DP2_OK);
        put_state(f, D3DRENDERSTATE_TEXTUREFACTOR, 5);
        put_token(f, cases[i].opcode, 1);
        for (int k = 0; k < 64; k++)
            put32(f, 0);
        f->call = (struct cdxr_dp2_call){.commands = f->stream, .commands_bytes = f->length, .command_length = f->length};
        cdxr_dp2_execute_call(context, &f->call);
        if (f->call.ddrval != D3DERR_COMMAND_UNPARSED || f->call.error_offset != 12)
            fail_msg("opcode %u at level %u: 0x%x at 0x%x", cases[i].opcode, cases[i].level, (unsigned)f->call.ddrval, f->call.error_offset);
        assert_int_equal(cdxr_dp2_render_state(context, D3DRENDERSTATE_TEXTUREFACTOR), 5);
        cdxr_dp2_destroy(context);
        fixture_free(f);
    }
}

static void offsets_count_from_the_surface_or_the_first_token(void **state)
{
    for (uint32_t policy = 0; policy < 2; policy++) {
        struct cdxr_dp2_config config;
        struct cdxr_dp2_context *context;
        uint8_t bytes[64] = {0};
        bytes[16] = D3DDP2OP_RENDERSTATE;
        bytes[16 + 4] = 200;
        cdxr_dp2_config_init(&config);
        config.policies.offset_base = policy;
        assert_int_equal(cdxr_dp2_create(&config, &context), CDXR_DP2_OK);
        struct cdxr_dp2_call call = {.commands = bytes, .commands_bytes = sizeof(bytes), .command_offset = 16, .command_length = 24};
        cdxr_dp2_execute_call(context, &call); /* RENDERSTATE n=0, then opcode 200 */
        assert_int_equal(call.error_offset, policy ? 4 : 20);
        cdxr_dp2_destroy(context);
    }
}

static void exit_ends_the_stream(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    put_token(f, 11, 0);
    put_token(f, 200, 0);
    run_ok(f, NULL, 0);
    fixture_free(f);
}

/* ---- resuming ---- */

static int32_t skip_six_bytes(void *cookie, const void *token, size_t byte_count, size_t *resume_bytes)
{
    *resume_bytes = 6;
    return *(const uint8_t *)token == 200 ? D3D_OK : D3DERR_COMMAND_UNPARSED;
}

static void set_parse_unknown(struct cdxr_dp2_config *config)
{
    config->parse_unknown = skip_six_bytes;
}

static void unknown_tokens_go_to_the_callback(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, set_parse_unknown);
    put_token(f, 200, 1);
    put16(f, 0);
    put_state(f, D3DRENDERSTATE_TEXTUREFACTOR, 0x55);
    put_token(f, 201, 1);
    run_tl(f, NULL, 0);
    assert_int_equal(cdxr_dp2_render_state(f->context, D3DRENDERSTATE_TEXTUREFACTOR), 0x55);
    assert_int_equal(f->call.ddrval, D3DERR_COMMAND_UNPARSED);
    assert_int_equal(f->call.error_offset, 18);
    put_token(f, 200, 1); /* the callback resumes past the end: refused */
    run_tl(f, NULL, 0);
    assert_int_equal(f->call.error_offset, 0);
    assert_int_equal(f->call.ddrval, D3DERR_COMMAND_UNPARSED);
    fixture_free(f);
}

static void stopped_calls_go_on_where_they_are_told(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    put_state(f, D3DRENDERSTATE_TEXTUREFACTOR, 1);
    put_token(f, 200, 1);
    put32(f, 0);
    put_state(f, D3DRENDERSTATE_FOGCOLOR, 2);
    uint32_t length = f->length;
    run_tl(f, NULL, 0);
    assert_int_equal(f->call.stop, CDXR_DP2_STOP_UNPARSED);
    assert_int_equal(f->call.error_offset, 12);
    f->call.resume_offset = 12 + 8;
    cdxr_dp2_execute_call(f->context, &f->call);
    assert_int_equal(f->call.ddrval, D3D_OK);
    assert_int_equal(cdxr_dp2_render_state(f->context, D3DRENDERSTATE_FOGCOLOR), 2);
    f->call.resume_offset = length + 1;
    cdxr_dp2_execute_call(f->context, &f->call);
    assert_int_equal(f->call.ddrval, DDERR_INVALIDPARAMS);
    fixture_free(f);
}

/* ---- execute buffers ---- */

static void execute_buffers_stop_in_front_of_the_runtimes_opcodes(void **state)
{
    static const uint8_t opcodes[] = {4, 5, 6, 7, 9, 10, 12, 14, 15, 19, 25, 42};
    for (size_t i = 0; i < sizeof(opcodes); i++) {
        struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
        uint32_t states[256] = {0};
        put_state(f, D3DRENDERSTATE_FOGCOLOR, 0xABC);
        put16(f, 13 | 8 << 8); /* SPAN: two records of eight bytes */
        put16(f, 2);
        for (int k = 0; k < 4; k++)
            put32(f, 0);
        put_token(f, opcodes[i], 1);
        put32(f, 0);
        f->call = (struct cdxr_dp2_call){.flags = D3DHALDP2_EXECUTEBUFFER, .commands = f->stream, .commands_bytes = f->length,
                                         .command_length = f->length, .render_states = states};
        cdxr_dp2_execute_call(f->context, &f->call);
        if (f->call.ddrval != D3DERR_COMMAND_UNPARSED || f->call.error_offset != 32)
            fail_msg("opcode %u: 0x%x at 0x%x", opcodes[i], (unsigned)f->call.ddrval, f->call.error_offset);
        assert_int_equal(states[D3DRENDERSTATE_FOGCOLOR], 0xABC);
        fixture_free(f);
    }
}

static void states_are_mirrored_for_execute_buffers_only(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    uint32_t states[256 + 8] = {0};
    put_state(f, D3DRENDERSTATE_FOGCOLOR, 0xABC);
    put_state(f, 256 + 7, 1); /* an override: beyond the array */
    put_token(f, 11, 0);
    f->call = (struct cdxr_dp2_call){.flags = D3DHALDP2_EXECUTEBUFFER, .commands = f->stream, .commands_bytes = f->length, .command_length = f->length,
                                     .render_states = states};
    cdxr_dp2_execute_call(f->context, &f->call);
    assert_int_equal(f->call.ddrval, D3D_OK);
    assert_int_equal(states[D3DRENDERSTATE_FOGCOLOR], 0xABC);
    for (int i = 256; i < 264; i++)
        assert_int_equal(states[i], 0);
    states[D3DRENDERSTATE_FOGCOLOR] = 0;
    f->call.flags = 0;
    cdxr_dp2_execute_call(f->context, &f->call);
    assert_int_equal(states[D3DRENDERSTATE_FOGCOLOR], 0);
    fixture_free(f);
}

/* ---- indices and limits ---- */

static struct tl_vertex covering[3] = {{0, 0, 0.5f, 1, 0xFFFFFFFF, 0xFF000000, 0, 0}, {30, 0, 0.5f, 1, 0xFFFFFFFF, 0xFF000000, 0, 0},
                                       {0, 30, 0.5f, 1, 0xFFFFFFFF, 0xFF000000, 0, 0}};

static void put_bad_and_good_triangle(struct fixture *f)
{
    put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
    put_state(f, D3DRENDERSTATE_ZENABLE, 0);
    put_token(f, D3DDP2OP_INDEXEDTRIANGLELIST2, 2);
    put16(f, 0);
    static const uint16_t indices[] = {0, 1, 3, 0, 1, 2}; /* vertex 3 does not exist */
    for (int i = 0; i < 6; i++)
        put16(f, indices[i]);
}

static void bad_indices_skip_the_primitive(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    put_bad_and_good_triangle(f);
    run_ok(f, covering, 3);
    struct cdxr_dp2_statistics s;
    cdxr_dp2_statistics(f->context, &s);
    assert_int_equal(s.primitives_skipped, 1);
    assert_color(pixel(f, 4, 4), 0xFFFFFF, 0, "the good one");
    assert_int_equal(f->log_count, 1);
    fixture_free(f);
}

static void set_strict(struct cdxr_dp2_config *config)
{
    config->strict = 1;
}

static void strict_mode_rejects_the_token_undrawn(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, set_strict);
    put_bad_and_good_triangle(f);
    run_tl(f, covering, 3);
    assert_int_equal(f->call.ddrval, D3DERR_COMMAND_UNPARSED);
    assert_int_equal(f->call.stop, CDXR_DP2_STOP_BAD);
    assert_int_equal(f->call.error_offset, 24);
    assert_color(pixel(f, 4, 4), 0, 0, "nothing drawn");
    fixture_free(f);
}

static void base_plus_index_does_not_wrap_at_16_bits(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
    put_token(f, D3DDP2OP_INDEXEDTRIANGLELIST2, 1);
    put16(f, 0xFFFF);
    put16(f, 1); /* 0xFFFF + 1 is 65536, not 0 */
    put16(f, 2);
    put16(f, 3);
    run_ok(f, covering, 3);
    assert_color(pixel(f, 4, 4), 0, 0, "nothing drawn");
    fixture_free(f);
}

static void set_small_limit(struct cdxr_dp2_config *config)
{
    config->limits.vertices = 1000;
}

static void points_cannot_ask_for_unbounded_work(void **state)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, set_small_limit);
    put_token(f, D3DDP2OP_POINTS, 4096);
    for (int i = 0; i < 4096; i++) {
        put16(f, 0xFFFF);
        put16(f, 0);
    }
    run_ok(f, covering, 3);
    struct cdxr_dp2_statistics s;
    cdxr_dp2_statistics(f->context, &s);
    assert_int_equal(s.points, 1000);
    fixture_free(f);
}

/* ---- policies ---- */

static uint32_t policy_length(uint32_t opcode, uint32_t count, void (*tune)(struct cdxr_dp2_config *))
{
    /* The error offset of an unknown token behind tells where this token ended. */
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, tune);
    put_token(f, opcode, count);
    for (int i = 0; i < 100; i++)
        put_token(f, 200, 0);
    run_tl(f, NULL, 0);
    uint32_t at = f->call.error_offset;
    fixture_free(f);
    return at;
}

static void tune_clear(struct cdxr_dp2_config *config) { config->policies.clear_zero = CDXR_DP2_CLEAR_ZERO_32_BYTES; }
static void tune_fan(struct cdxr_dp2_config *config) { config->policies.fan_imm_zero = CDXR_DP2_COUNT_ZERO_NO_VERTICES; }
static void tune_strip(struct cdxr_dp2_config *config) { config->policies.indexed_strip_zero = CDXR_DP2_COUNT_ZERO_NO_VERTICES; }
static void tune_target(struct cdxr_dp2_config *config) { config->policies.target_many = CDXR_DP2_TARGET_READ_ONE; }
static void tune_record(struct cdxr_dp2_config *config) { config->policies.record_zero = CDXR_DP2_RECORD_ZERO_ERROR; }
static void tune_palette(struct cdxr_dp2_config *config) { config->policies.palette_many = CDXR_DP2_PALETTE_COUNT_RECORDS; }
static void tune_exit(struct cdxr_dp2_config *config) { config->policies.exit = CDXR_DP2_EXIT_ENDS_EXECUTE_BUFFER_ONLY; }

static void policies_decide_disputed_lengths(void **state)
{
    assert_int_equal(policy_length(D3DDP2OP_CLEAR, 0, NULL), 20);
    assert_int_equal(policy_length(D3DDP2OP_CLEAR, 0, tune_clear), 36);
    assert_int_equal(policy_length(D3DDP2OP_TRIANGLEFAN_IMM, 0, NULL), 8 + 2 * 32);
    assert_int_equal(policy_length(D3DDP2OP_TRIANGLEFAN_IMM, 0, tune_fan), 8);
    assert_int_equal(policy_length(D3DDP2OP_INDEXEDTRIANGLESTRIP, 0, NULL), 10);
    assert_int_equal(policy_length(D3DDP2OP_INDEXEDTRIANGLEFAN, 0, tune_strip), 6);
    assert_int_equal(policy_length(D3DDP2OP_SETRENDERTARGET, 3, NULL), 28);
    assert_int_equal(policy_length(D3DDP2OP_SETRENDERTARGET, 3, tune_target), 12);
    assert_int_equal(policy_length(D3DDP2OP_SETPALETTE, 0, NULL), 4);
    assert_int_equal(policy_length(D3DDP2OP_SETPALETTE, 0, tune_record), 0);
    assert_int_equal(policy_length(D3DDP2OP_TEXBLT, 0, NULL), 4);
    assert_int_equal(policy_length(D3DDP2OP_TEXBLT, 0, tune_record), 0);
    assert_int_equal(policy_length(D3DDP2OP_UPDATEPALETTE, 0, tune_palette), 4);
    assert_int_equal(policy_length(11, 0, tune_exit), 0);
}

static void fan_edges_behind_the_pad_are_a_policy(void **state)
{
    struct cdxr_dp2_config config;
    cdxr_dp2_config_init(&config);
    for (uint32_t policy = 0; policy < 2; policy++) {
        uint8_t bytes[512];
        uint32_t length = worked_example(bytes);
        struct listing listing = {""};
        config.policies.fan_edges = policy;
        struct cdxr_dp2_call call = {.vertex_type = D3DFVF_TLVERTEX, .commands = bytes, .commands_bytes = length, .command_length = length, .vertex_count = 99};
        assert_int_equal(cdxr_dp2_describe(&config, &call, 1, keep_primitives, &listing), 0);
        assert_non_null(strstr(listing.text, "(1 2 0)(10 11 12)")); /* the same vertices, and the same end */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_make_their_primitives),
        cmocka_unit_test(worked_example_is_read_as_documented),
        cmocka_unit_test(worked_example_executes_at_the_documented_offsets),
        cmocka_unit_test(every_opcode_has_a_length_case),
        cmocka_unit_test(lengths_are_exact),
        cmocka_unit_test(cut_tokens_stop_the_call_at_their_header),
        cmocka_unit_test(empty_stream_succeeds),
        cmocka_unit_test(missing_command_memory_is_refused),
        cmocka_unit_test(unknown_opcodes_stop_by_level),
        cmocka_unit_test(offsets_count_from_the_surface_or_the_first_token),
        cmocka_unit_test(exit_ends_the_stream),
        cmocka_unit_test(unknown_tokens_go_to_the_callback),
        cmocka_unit_test(stopped_calls_go_on_where_they_are_told),
        cmocka_unit_test(execute_buffers_stop_in_front_of_the_runtimes_opcodes),
        cmocka_unit_test(states_are_mirrored_for_execute_buffers_only),
        cmocka_unit_test(bad_indices_skip_the_primitive),
        cmocka_unit_test(strict_mode_rejects_the_token_undrawn),
        cmocka_unit_test(base_plus_index_does_not_wrap_at_16_bits),
        cmocka_unit_test(points_cannot_ask_for_unbounded_work),
        cmocka_unit_test(policies_decide_disputed_lengths),
        cmocka_unit_test(fan_edges_behind_the_pad_are_a_policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
