/* SPDX-License-Identifier: MIT
 * The library against two references: a second reader written from docs/dp2.md, on random streams; exact coverage, on random
 * triangles. Seeds are fixed and printed on failure. */
#include "fixture.h"

#include "ref/dp2_reader.h"

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* ---- random streams ---- */

static const uint8_t all_opcodes[] = {1, 2, 3, 8, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
                                      41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67};

/* Valid in length: payload bytes are random, but lengths inside it are kept small. */
static uint32_t random_token(uint8_t *out, uint32_t *seed, uint32_t at, uint32_t stride)
{
    uint32_t opcode = all_opcodes[next_random(seed) % sizeof(all_opcodes)], n = next_random(seed) % 4;
    if (opcode == 42 && !n)
        n = 1; /* its length at 0 is a policy */
    static const uint8_t fixed[68] = {[1] = 0, [15] = 2, [16] = 2, [17] = 4, [18] = 2, [19] = 2, [20] = 6, [21] = 2, [22] = 6, [26] = 2, [27] = 2, [42] = 16};
    static const uint8_t record[68] = {[1] = 4, [2] = 4, [3] = 8, [8] = 8, [17] = 2, [20] = 2, [22] = 2, [25] = 8, [26] = 6, [27] = 4, [28] = 16, [29] = 8,
                                       [30] = 12, [32] = 8, [33] = 68, [35] = 4, [36] = 68, [38] = 36, [39] = 12, [40] = 8, [41] = 8, [42] = 16, [43] = 8,
                                       [44] = 20, [46] = 4, [47] = 4, [49] = 12, [50] = 8, [51] = 8, [52] = 12, [53] = 24, [55] = 4, [56] = 4, [58] = 12,
                                       [59] = 12, [60] = 24, [63] = 48, [64] = 24, [65] = 68, [66] = 20, [67] = 28};
    uint8_t *p = out + 4;
    for (uint32_t i = 0; i < 2048; i++)
        p[i] = (uint8_t)next_random(seed);
    uint32_t length = fixed[opcode] + record[opcode] * n;
    uint32_t pad = (4 - ((at + 4) & 3)) & 3;
    if (opcode == 1)
        for (uint32_t i = 0; i < n; i++)
            p[i * 4 + 1] = 0; /* at most 255 points each */
    if (opcode == 23)
        length = 4 + ((4 - ((at + 8) & 3)) & 3) + (n + 2) * stride;
    if (opcode == 24)
        length = pad + 2 * n * stride;
    if (opcode == 31) {
        memset(p + 6, 0, 2);
        p[6] = (uint8_t)n;
        length = 8 + 4 * n;
    }
    if (opcode == 37) {
        memset(p + 4, 0, 4);
        p[4] = 6;
        length = 14;
    }
    static const uint8_t variable[] = {34, 45, 48, 54, 57, 61, 62};
    if (memchr(variable, (int)opcode, sizeof(variable))) {
        length = 0;
        for (uint32_t i = 0; i < n; i++) {
            uint8_t *r = p + length;
            uint32_t second = next_random(seed) % 4, extra;
            memset(r + 4, 0, 8);
            r[4] = (uint8_t)second;
            if (opcode == 45)
                r[8] = 3;
            extra = opcode == 34 ? (second == 2 ? 104 : 0) : opcode == 45 ? 4 + second + 3 : opcode == 54 ? second
                    : opcode == 61 ? (second & 1 ? 16 : 0) + (second & 2 ? 28 : 0) : opcode == 62 ? (second & 1 ? 12 : 0) + (second & 2 ? 16 : 0) : 16 * second;
            length += 8 + extra;
        }
    }
    out[0] = (uint8_t)opcode;
    out[1] = (uint8_t)next_random(seed);
    out[2] = (uint8_t)n;
    out[3] = 0;
    return 4 + length;
}

static void text_append(char *text, size_t room, const char *item)
{
    size_t used = strlen(text);
    snprintf(text + used, room - used, "%s", item);
}

enum { TEXT_BYTES = 1 << 17 };

static void note_reference(void *cookie, uint32_t token_offset, uint32_t count, const int64_t *v)
{
    char item[100];
    if (count == 3)
        snprintf(item, sizeof(item), "(%lld, %lld, %lld)", (long long)v[0], (long long)v[1], (long long)v[2]);
    else if (count == 2)
        snprintf(item, sizeof(item), "(%lld, %lld)", (long long)v[0], (long long)v[1]);
    else
        snprintf(item, sizeof(item), "(%lld)", (long long)v[0]);
    text_append(cookie, TEXT_BYTES, item);
}

struct described {
    char text[TEXT_BYTES];
    uint32_t tokens;
    bool truncated, skip; /* more than the describer lists; primitives of DX8 draws, which the reader leaves out */
};

static void note_described(void *cookie, const char *line)
{
    struct described *d = cookie;
    const char *open = strchr(line, '(');
    if (line[0] != ' ' && line[8] == ' ') {
        d->tokens++;
        d->skip = strstr(line, "DRAWPRIMITIVE ") != NULL;
    }
    d->truncated |= strstr(line, "... ") && strstr(line, "primitives");
    if (!d->skip && open && (strstr(line, "triangle (") || strstr(line, " line (") || strstr(line, "point (")))
        for (const char *close = strchr(open, ')'); close; close = NULL) {
            char item[100];
            snprintf(item, sizeof(item), "%.*s", (int)(close + 1 - open), open);
            text_append(d->text, TEXT_BYTES, item);
        }
}

static void readers_agree_on_random_streams(void **state)
{
    static uint8_t bytes[1 << 16];
    static struct described described;
    static char reference[TEXT_BYTES];
    struct cdxr_dp2_config config;
    uint32_t compared = 0;
    for (uint32_t seed0 = 1; seed0 <= 3000; seed0++) {
        uint32_t seed = seed0 * 7919, length = 0, tokens = 1 + next_random(&seed) % 20, read = 0, stride = 32;
        for (uint32_t i = 0; i < tokens; i++)
            length += random_token(bytes + length, &seed, length, stride);
        cdxr_dp2_config_init(&config);
        config.ddi_level = 6 + next_random(&seed) % 3;
        struct cdxr_dp2_call call = {.vertex_type = D3DFVF_TLVERTEX, .commands = bytes, .commands_bytes = length, .command_length = length, .vertex_count = 65535};
        struct dp2_ref_stream stream = {bytes, length, config.ddi_level, stride};
        described.text[0] = reference[0] = 0;
        described.tokens = 0;
        described.truncated = described.skip = false;
        cdxr_dp2_describe(&config, &call, 1, note_described, &described);
        uint32_t stop = dp2_ref_read(&stream, note_reference, reference, &read);
        if (config.ddi_level == 8 && (stop != length || read != tokens))
            fail_msg("seed %u: the reference stops at %u of %u", seed0, stop, length);
        if (stop != length)
            described.tokens--; /* the line of the violation */
        if (described.tokens != read)
            fail_msg("seed %u: %u tokens, the reference has %u", seed0, described.tokens, read);
        if (described.truncated)
            continue;
        if (strcmp(described.text, reference))
            fail_msg("seed %u: primitives differ:\n%s\n%s", seed0, described.text, reference);
        compared++;
    }
    assert_true(compared > 500);
}

/* Executing says the same about where a stream ends as the reference does. */
static void execution_stops_where_the_reference_stops(void **state)
{
    static uint8_t bytes[1 << 16];
    static struct tl_vertex v[300];
    for (uint32_t seed0 = 1; seed0 <= 1000; seed0++) {
        struct fixture *f = fixture_new(8, 8, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
        uint32_t seed = seed0 * 104729, length = 0, read;
        for (uint32_t i = 0; i < 8; i++)
            length += random_token(bytes + length, &seed, length, 32);
        uint32_t cut = 1 + next_random(&seed) % length;
        struct dp2_ref_stream stream = {bytes, cut, 8, 32};
        uint32_t stop = dp2_ref_read(&stream, NULL, NULL, &read);
        f->call = (struct cdxr_dp2_call){.vertex_type = D3DFVF_TLVERTEX, .commands = bytes, .commands_bytes = cut, .command_length = cut, .vertices = v,
                                         .vertices_bytes = sizeof(v), .vertex_count = 300};
        cdxr_dp2_execute_call(f->context, &f->call);
        bool stopped_for_length = f->call.stop == CDXR_DP2_STOP_UNPARSED;
        if (f->call.stop != CDXR_DP2_STOP_BAD && (stop == cut ? f->call.ddrval != D3D_OK : !stopped_for_length || f->call.error_offset != stop))
            fail_msg("seed %u: stop %u at %u, the reference stops at %u of %u", seed0, f->call.stop, f->call.error_offset, stop, cut);
        fixture_free(f);
    }
}

/* ---- coverage ---- */

enum { EDGE = 48 };

static void put_additive(struct fixture *f)
{
    put_clear(f, D3DCLEAR_TARGET, 0, 1, 0);
    put_state(f, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
    put_state(f, D3DRENDERSTATE_ZENABLE, 0);
    put_state(f, D3DRENDERSTATE_ALPHABLENDENABLE, 1);
    put_state(f, D3DRENDERSTATE_SRCBLEND, D3DBLEND_ONE);
    put_state(f, D3DRENDERSTATE_DESTBLEND, D3DBLEND_ONE);
}

static float random_coordinate(uint32_t *seed, uint32_t kind)
{
    switch (kind) {
    case 0: return (float)(next_random(seed) % (EDGE + 1));                      /* on pixel centres */
    case 1: return (float)(next_random(seed) % (EDGE * 4)) * 0.25f;              /* on quarters */
    case 2: return (float)(next_random(seed) % (EDGE * 256)) / 256.0f;           /* on the grid */
    case 3: return (float)((int32_t)(next_random(seed) % 4000000) - 2000000) / 256.0f; /* far away, inside the guard band */
    default: return (float)next_random(seed) / (1 << 24) * EDGE * 1.5f - EDGE / 4.0f;
    }
}

static void coverage_is_exact_on_random_triangles(void **state)
{
    struct fixture *f = fixture_new(EDGE, EDGE, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    for (uint32_t seed0 = 1; seed0 <= 6000; seed0++) {
        uint32_t seed = seed0 * 31337;
        struct tl_vertex v[3];
        int64_t corners[3][2];
        uint8_t covered[EDGE * EDGE] = {0};
        for (int i = 0; i < 3; i++) {
            float x = random_coordinate(&seed, seed0 % 5), y = random_coordinate(&seed, seed0 % 5);
            v[i] = (struct tl_vertex){x, y, 0.5f, 1, 0xFF010101, 0xFF000000, 0, 0};
            corners[i][0] = (int64_t)__builtin_rintf(x * 256);
            corners[i][1] = (int64_t)__builtin_rintf(y * 256);
        }
        dp2_ref_cover(corners, EDGE, EDGE, covered);
        put_additive(f);
        put_start(f, D3DDP2OP_TRIANGLELIST, 1, 0);
        run_ok(f, v, 3);
        for (uint32_t i = 0; i < EDGE * EDGE; i++)
            if ((f->color[i] & 0xFF) != covered[i])
                fail_msg("seed %u: pixel (%u, %u) drawn %u times, the reference says %u", seed0, i % EDGE, i / EDGE, f->color[i] & 0xFF, covered[i]);
    }
    fixture_free(f);
}

/* A random grid mesh over the whole target: every pixel exactly once. */
static void meshes_cover_each_pixel_once(void **state)
{
    enum { CELLS = 8, VERTICES = (CELLS + 1) * (CELLS + 1) };
    struct fixture *f = fixture_new(EDGE, EDGE, CDXR_DP2_FORMAT_X8R8G8B8, NULL);
    for (uint32_t seed0 = 1; seed0 <= 200; seed0++) {
        uint32_t seed = seed0 * 2654435;
        struct tl_vertex v[VERTICES];
        for (int i = 0; i < VERTICES; i++) {
            int cx = i % (CELLS + 1), cy = i / (CELLS + 1);
            float jitter_x = cx && cx < CELLS ? (float)next_random(&seed) / (1 << 24) * 2.8f - 1.4f : 0; /* less than folds a cell */
            float jitter_y = cy && cy < CELLS ? (float)next_random(&seed) / (1 << 24) * 2.8f - 1.4f : 0; /* less than folds a cell */
            v[i] = (struct tl_vertex){(float)cx * (EDGE / CELLS) + jitter_x, (float)cy * (EDGE / CELLS) + jitter_y, 0.5f, 1, 0xFF010101, 0xFF000000, 0, 0};
        }
        put_additive(f);
        for (uint32_t row = 0; row < CELLS; row++) {
            put_start(f, D3DDP2OP_INDEXEDTRIANGLESTRIP, 2 * CELLS, row * (CELLS + 1));
            for (uint32_t i = 0; i <= CELLS; i++) {
                put16(f, i);
                put16(f, i + CELLS + 1);
            }
        }
        run_ok(f, v, VERTICES);
        for (uint32_t i = 0; i < EDGE * EDGE; i++)
            if ((f->color[i] & 0xFF) != 1)
                fail_msg("seed %u: pixel (%u, %u) drawn %u times", seed0, i % EDGE, i / EDGE, f->color[i] & 0xFF);
    }
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_agree_on_random_streams),
        cmocka_unit_test(execution_stops_where_the_reference_stops),
        cmocka_unit_test(coverage_is_exact_on_random_triangles),
        cmocka_unit_test(meshes_cover_each_pixel_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
