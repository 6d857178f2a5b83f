/* SPDX-License-Identifier: MIT
 * Every opcode with a payload of the right length and a wrong value in it: strict calls stop at its header with a message, lenient ones log, go on and draw what follows. */
#include "fixture.h"

#include <ctype.h>

enum { FIRST = 12 }; /* a render state goes before */

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

#define Z4 " 00000000 00000000 00000000 00000000"
#define V32 Z4 Z4
#define M16 Z4 Z4 Z4 Z4

struct wrong_case {
    const char *name, *bytes, *message;
    bool stops_lenient; /* a draw that cannot be done at all fails lenient calls too */
    bool draws_nothing; /* until the target exists */
};

/* Four vertices there are. */
static const struct wrong_case cases[] = {
    {"POINTS beyond", "01 00 01 00  02 00 03 00", "vertex"},
    {"POINTS far beyond", "01 00 01 00  FF FF FF FF", "vert"},
    {"INDEXEDLINELIST", "02 00 01 00  00 00 04 00", "vertex 4"},
    {"INDEXEDTRIANGLELIST", "03 00 01 00  00 00 01 00 05 00 00 07", "vertex 5"},
    {"RENDERSTATE value", "08 00 01 00  16 00 00 00  04 00 00 00", "CULLMODE"},
    {"RENDERSTATE number", "08 00 01 00  00 02 00 00  00 00 00 00", "out of range"},
    {"LINELIST", "0F 00 02 00  01 00", "vertex 4"},
    {"LINESTRIP", "10 00 01 00  03 00", "vertex 4"},
    {"INDEXEDLINESTRIP", "11 00 01 00  01 00  00 00 03 00", "vertex 4"},
    {"TRIANGLELIST", "12 00 01 00  02 00", "vertex 4"},
    {"TRIANGLESTRIP", "13 00 03 00  00 00", "vertex 4"},
    {"INDEXEDTRIANGLESTRIP", "14 00 01 00  FF FF  00 00 01 00 02 00", "vertex 655"},
    {"TRIANGLEFAN", "15 00 03 00  00 00", "vertex 4"},
    {"INDEXEDTRIANGLEFAN", "16 00 01 00  00 00  00 00 01 00 FF FF", "vertex 65535"},
    {"TEXTURESTAGESTATE stage", "19 00 01 00  08 00 01 00 01 00 00 00", "stage 8"},
    {"TEXTURESTAGESTATE state", "19 00 01 00  00 00 1F 00 01 00 00 00", "state 31"},
    {"TEXTURESTAGESTATE value", "19 00 01 00  00 00 01 00 1B 00 00 00", "COLOROP"},
    {"INDEXEDTRIANGLELIST2", "1A 00 01 00  02 00  00 00 01 00 02 00", "vertex 4"},
    {"INDEXEDLINELIST2", "1B 00 01 00  03 00  00 00 01 00", "vertex 4"},
    {"WINFO infinite", "1D 00 01 00  00 00 00 00  00 00 80 7F", "not finite"},
    {"SETPALETTE surface", "1E 00 01 00  01 00 00 00 00 00 00 00 99 00 00 00", "no such surface"},
    {"UPDATEPALETTE range", "1F 00 01 00  01 00 00 00  FF 00 02 00  00000000 00000000", "exceed 256"},
    {"ZRANGE not a number", "20 00 01 00  00 00 C0 7F  00 00 80 3F", "not finite"},
    {"SETLIGHT operation", "22 00 01 00  00 00 00 00  03 00 00 00", "no such operation"},
    {"SETLIGHT type", "22 00 01 00  00 00 00 00  02 00 00 00  09 00 00 00" Z4 Z4 Z4 Z4 Z4 Z4 " 00000000", "type 9"},
    {"SETTRANSFORM type", "24 00 01 00  07 00 00 00" M16, "transform 7"},
    {"EXT", "25 00 01 00  01 00 00 00 04 00 00 00  00000000", "extension"},
    {"TEXBLT source", "26 00 01 00  10 00 00 00 99 00 00 00" Z4 " 00000000 00000000 00000000", "0x99"},
    {"STATESET operation", "27 00 01 00  09 00 00 00 01 00 00 00 00 00 00 00", "operation"},
    {"STATESET execute of none", "27 00 01 00  03 00 00 00 77 00 00 00 00 00 00 00", "0x77"},
    {"SETPRIORITY", "28 00 01 00  99 00 00 00 00 00 00 00", "0x99"},
    {"SETRENDERTARGET target", "29 00 01 00  99 00 00 00 00 00 00 00", "no colour target", false, true},
    {"SETRENDERTARGET depth", "29 00 01 00  10 00 00 00 10 00 00 00", "no depth buffer"},
    {"CLEAR flags", "2A 00 01 00  10 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00" Z4, "flags"},
    {"SETTEXLOD", "2B 00 01 00  99 00 00 00 00 00 00 00", "0x99"},
    {"SETCLIPPLANE", "2C 00 01 00  20 00 00 00" Z4, "clip plane 32"},
    {"DELETEVERTEXSHADER", "2E 00 01 00  11 00 00 00", "0x11"},
    {"SETVERTEXSHADERCONST", "30 00 01 00  60 00 00 00 01 00 00 00" Z4, "96 registers"},
    {"SETSTREAMSOURCE", "31 00 01 00  10 00 00 00 00 00 00 00 00 00 00 00", "stream 16"},
    {"SETSTREAMSOURCEUM", "32 00 01 00  FF FF FF FF 00 00 00 00", "stream 4294967295"},
    {"SETINDICES", "33 00 01 00  01 00 00 00 03 00 00 00", "stride 3"},
    {"DRAWPRIMITIVE type", "34 00 01 00  07 00 00 00 00 00 00 00 01 00 00 00", "type 7"},
    {"DRAWPRIMITIVE without a stream", "34 00 01 00  04 00 00 00 00 00 00 00 01 00 00 00", "no vertex buffer"},
    {"DRAWINDEXEDPRIMITIVE without indices", "35 00 01 00  04 00 00 00" Z4 " 01 00 00 00", "no index buffer"},
    {"DELETEPIXELSHADER", "37 00 01 00  11 00 00 00", "0x11"},
    {"SETPIXELSHADERCONST", "39 00 01 00  08 00 00 00 01 00 00 00" Z4, "8 registers"},
    {"CLIPPEDTRIANGLEFAN without a stream", "3A 00 01 00  00 00 00 00 07 00 00 00 01 00 00 00", "no vertex buffer"},
    {"DRAWPRIMITIVE2 type", "3B 00 01 00  00 00 00 00 00 00 00 00 01 00 00 00", "type 0"},
    {"DRAWINDEXEDPRIMITIVE2", "3C 00 01 00  04 00 00 00" Z4 " 01 00 00 00", "no index buffer"},
    {"DRAWRECTPATCH without info", "3D 00 01 00  05 00 00 00 00 00 00 00", "no description"},
    {"DRAWTRIPATCH of no points", "3E 00 01 00  00 00 00 00 02 00 00 00" Z4, "no vertex buffer"},
    {"VOLUMEBLT", "3F 00 01 00  99 00 00 00 99 00 00 00" Z4 Z4 " 00000000 00000000", "0x99"},
    {"BUFFERBLT", "40 00 01 00  99 00 00 00 99 00 00 00" Z4, "0x99"},
    {"MULTIPLYTRANSFORM", "41 00 01 00  20 00 00 00" M16, "transform 32"},
    {"ADDDIRTYRECT", "42 00 01 00  99 00 00 00" Z4, "0x99"},
    {"ADDDIRTYBOX", "43 00 01 00  99 00 00 00" Z4 " 00000000 00000000", "0x99"},
    {"vertex shader bound", "2F 00 01 00  11 00 00 00  34 00 01 00  01 00 00 00 00 00 00 00 01 00 00 00", "never created", true},
    {"pixel shader bound", "38 00 01 00  11 00 00 00  34 00 01 00  01 00 00 00 00 00 00 00 01 00 00 00", "pixel shader", true},
};

static void tune_strict(struct cdxr_dp2_config *config) { config->strict = 1; }

static bool message_has(const struct fixture *f, const char *text)
{
    for (uint32_t i = 0; i < f->log_count; i++)
        if (strstr(f->log_text[i], text))
            return true;
    return false;
}

static void run_case(const struct wrong_case *c, bool strict)
{
    struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, strict ? tune_strict : NULL);
    struct tl_vertex v[4];
    quad(v, 0, 0, 8, 8, 0.5f, 0xFF00FF00);
    put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
    f->length += parse_hex(c->bytes, f->stream + f->length);
    put_token(f, D3DDP2OP_CLEAR, 1); /* shows that the call went on */
    put32(f, D3DCLEAR_TARGET);
    put32(f, 0x123456);
    for (int i = 0; i < 4; i++)
        put32(f, 0);
    put32(f, 8);
    put32(f, 8);
    run_tl(f, v, 4);
    bool stops = strict || c->stops_lenient;
    uint32_t at = FIRST + (c->stops_lenient ? 8 : 0);
    if ((f->call.ddrval == D3D_OK) == stops || (stops && (f->call.error_offset != at || f->call.stop != CDXR_DP2_STOP_BAD)))
        fail_msg("%s, strict %d: 0x%x at 0x%x", c->name, strict, (unsigned)f->call.ddrval, f->call.error_offset);
    if (!stops && (pixel(f, 4, 4) & 0xFFFFFF) != (c->draws_nothing ? 0 : 0x123456))
        fail_msg("%s: the call did not go on", c->name);
    if (!message_has(f, c->message) && (strict || !message_has(f, "skipped")))
        fail_msg("%s, strict %d: no message with \"%s\" but \"%s\"", c->name, strict, c->message, f->log_count ? f->log_text[0] : "");
    fixture_free(f);
}

static void strict_calls_stop_at_the_header(void **state)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        run_case(&cases[i], true);
}

static void lenient_calls_log_and_go_on(void **state)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        run_case(&cases[i], false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strict_calls_stop_at_the_header),
        cmocka_unit_test(lenient_calls_log_and_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
