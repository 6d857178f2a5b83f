/* SPDX-License-Identifier: MIT */
#include "ref/dp2_reader.h"

#include <stdbool.h>
#include <string.h>

/* Payload as in the document's table: fixed bytes, bytes per record, and a letter for what is special.
 * s: n + 1 words, t: n + 2 words, f: fan with inline vertices, l: inline lines, p: palette, g: lights, e: extension,
 * v: vertex shader, x: pixel shader, c: constants, r: rectangle patch, i: triangle patch. */
struct row {
    uint8_t opcode, level, fixed, record;
    char special;
};

static const struct row rows[] = {
    {1, 6, 0, 4, 0}, {2, 6, 0, 4, 0}, {3, 6, 0, 8, 0}, {8, 6, 0, 8, 0}, {15, 6, 2, 0, 0}, {16, 6, 2, 0, 0}, {17, 6, 2, 0, 's'},
    {18, 6, 2, 0, 0}, {19, 6, 2, 0, 0}, {20, 6, 2, 0, 't'}, {21, 6, 2, 0, 0}, {22, 6, 2, 0, 't'}, {23, 6, 0, 0, 'f'}, {24, 6, 0, 0, 'l'},
    {25, 6, 0, 8, 0}, {26, 6, 2, 6, 0}, {27, 6, 2, 4, 0}, {28, 6, 0, 16, 0}, {29, 6, 0, 8, 0}, {30, 6, 0, 12, 0}, {31, 6, 0, 0, 'p'},
    {32, 7, 0, 8, 0}, {33, 7, 0, 68, 0}, {34, 7, 0, 0, 'g'}, {35, 7, 0, 4, 0}, {36, 7, 0, 68, 0}, {37, 7, 0, 0, 'e'}, {38, 7, 0, 36, 0},
    {39, 7, 0, 12, 0}, {40, 7, 0, 8, 0}, {41, 7, 0, 8, 0}, {42, 7, 16, 16, 0}, {43, 7, 0, 8, 0}, {44, 7, 0, 20, 0}, {45, 8, 0, 0, 'v'},
    {46, 8, 0, 4, 0}, {47, 8, 0, 4, 0}, {48, 8, 0, 0, 'c'}, {49, 8, 0, 12, 0}, {50, 8, 0, 8, 0}, {51, 8, 0, 8, 0}, {52, 8, 0, 12, 0},
    {53, 8, 0, 24, 0}, {54, 8, 0, 0, 'x'}, {55, 8, 0, 4, 0}, {56, 8, 0, 4, 0}, {57, 8, 0, 0, 'c'}, {58, 8, 0, 12, 0}, {59, 8, 0, 12, 0},
    {60, 8, 0, 24, 0}, {61, 8, 0, 0, 'r'}, {62, 8, 0, 0, 'i'}, {63, 8, 0, 48, 0}, {64, 8, 0, 24, 0}, {65, 8, 0, 68, 0}, {66, 8, 0, 20, 0},
    {67, 8, 0, 28, 0}};

static uint64_t word(const uint8_t *b, uint64_t at)
{
    return b[at] | (uint64_t)b[at + 1] << 8;
}

static uint64_t dword(const uint8_t *b, uint64_t at)
{
    return word(b, at) | word(b, at + 2) << 16;
}

static uint64_t align4(uint64_t at)
{
    return (at + 3) / 4 * 4;
}

/* End of the payload that starts at `at`; UINT64_MAX when a length inside it cannot be read. */
static uint64_t payload_end(const struct dp2_ref_stream *s, const struct row *row, uint64_t at, uint64_t n)
{
    uint64_t end = at + row->fixed + row->record * n;
    uint64_t count = s->byte_count;
    switch (row->special) {
    case 's': return end + 2 * (n + 1);
    case 't': return end + 2 * (n + 2);
    case 'f': return align4(at + 4) + (n + 2) * s->stride;
    case 'l': return align4(at) + 2 * n * s->stride;
    case 'p': return at + 8 > count ? UINT64_MAX : at + 8 + 4 * word(s->bytes, at + 6);
    case 'e': return at + 8 > count ? UINT64_MAX : at + 8 + dword(s->bytes, at + 4);
    default: break;
    }
    if (!row->special)
        return end;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t record = row->special == 'v' ? 12 : 8;
        if (at + record > count)
            return UINT64_MAX;
        uint64_t second = dword(s->bytes, at + 4);
        uint64_t extra = 0;
        if (row->special == 'g')
            extra = second == 2 ? 104 : 0;
        else if (row->special == 'v')
            extra = second + dword(s->bytes, at + 8);
        else if (row->special == 'x')
            extra = second;
        else if (row->special == 'c')
            extra = second * 16;
        else if (row->special == 'r')
            extra = (second & 1 ? 16 : 0) + (second & 2 ? 28 : 0);
        else
            extra = (second & 1 ? 12 : 0) + (second & 2 ? 16 : 0);
        at += record + extra;
        if (at > count)
            return UINT64_MAX;
    }
    return at;
}

struct out {
    dp2_ref_primitive_fn call;
    void *cookie;
    uint32_t token_offset;
};

static void emit(const struct out *o, uint32_t count, int64_t a, int64_t b, int64_t c)
{
    int64_t v[3] = {a, b, c};
    if (o->call)
        o->call(o->cookie, o->token_offset, count, v);
}

/* The i-th vertex of an indexed or plain token. */
static int64_t nth(const uint8_t *indices, int64_t start, int64_t i)
{
    return start + (indices ? (int64_t)word(indices, (uint64_t)i * 2) : i);
}

static void triangles(const struct out *o, char kind, const uint8_t *indices, int64_t start, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        if (kind == 'L')
            emit(o, 3, nth(indices, start, 3 * k), nth(indices, start, 3 * k + 1), nth(indices, start, 3 * k + 2));
        else if (kind == 'F')
            emit(o, 3, nth(indices, start, k + 1), nth(indices, start, k + 2), nth(indices, start, 0));
        else if (k % 2 == 0)
            emit(o, 3, nth(indices, start, k), nth(indices, start, k + 1), nth(indices, start, k + 2));
        else
            emit(o, 3, nth(indices, start, k), nth(indices, start, k + 2), nth(indices, start, k + 1));
    }
}

static void lines(const struct out *o, int64_t step, const uint8_t *indices, int64_t start, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        emit(o, 2, nth(indices, start, step * k), nth(indices, start, step * k + 1), 0);
}

static void primitives(const struct out *o, uint32_t opcode, const uint8_t *p, int64_t n)
{
    int64_t start = opcode == 1 || opcode == 2 || opcode == 3 || opcode == 23 || opcode == 24 ? 0 : opcode < 28 && opcode >= 15 && opcode != 25 ? (int64_t)word(p, 0) : 0;
    switch (opcode) {
    case 1:
        for (int64_t i = 0; i < n; i++)
            for (uint64_t k = 0; k < word(p, (uint64_t)i * 4); k++)
                emit(o, 1, (int64_t)(word(p, (uint64_t)i * 4 + 2) + k), 0, 0);
        break;
    case 2: lines(o, 2, p, 0, n); break;
    case 3:
        for (int64_t k = 0; k < n; k++)
            emit(o, 3, (int64_t)word(p, (uint64_t)k * 8), (int64_t)word(p, (uint64_t)k * 8 + 2), (int64_t)word(p, (uint64_t)k * 8 + 4));
        break;
    case 15: lines(o, 2, NULL, start, n); break;
    case 16: lines(o, 1, NULL, start, n); break;
    case 17: lines(o, 1, p + 2, start, n); break;
    case 18: triangles(o, 'L', NULL, start, n); break;
    case 19: triangles(o, 'S', NULL, start, n); break;
    case 20: triangles(o, 'S', p + 2, start, n); break;
    case 21: triangles(o, 'F', NULL, start, n); break;
    case 22: triangles(o, 'F', p + 2, start, n); break;
    case 23: triangles(o, 'F', NULL, 0, n); break;
    case 24: lines(o, 2, NULL, 0, n); break;
    case 26: triangles(o, 'L', p + 2, start, n); break;
    case 27: lines(o, 2, p + 2, start, n); break;
    default: break;
    }
}

uint32_t dp2_ref_read(const struct dp2_ref_stream *s, dp2_ref_primitive_fn primitive, void *cookie, uint32_t *token_count)
{
    uint64_t at = 0;
    *token_count = 0;
    while (at < s->byte_count) {
        if (at + 4 > s->byte_count)
            return (uint32_t)at;
        if (s->bytes[at] == 11) /* EXIT */
            return s->byte_count;
        const struct row *row = NULL;
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
            if (rows[i].opcode == s->bytes[at] && rows[i].level <= s->level)
                row = &rows[i];
        if (!row)
            return (uint32_t)at;
        uint64_t n = word(s->bytes, at + 2), end = payload_end(s, row, at + 4, n);
        if (end > s->byte_count)
            return (uint32_t)at;
        struct out o = {primitive, cookie, (uint32_t)at};
        primitives(&o, row->opcode, s->bytes + at + 4, (int64_t)n);
        ++*token_count;
        at = end;
    }
    return s->byte_count;
}

int dp2_ref_capture_chunks(const uint8_t *bytes, uint32_t byte_count)
{
    uint64_t at = 16;
    int chunks = 0;
    if (byte_count < 16 || memcmp(bytes, "CDXRDP2\x1A", 8) || dword(bytes, 8) != 1)
        return -1;
    while (at + 8 <= byte_count) {
        uint64_t kind = dword(bytes, at), length = dword(bytes, at + 4);
        if (kind < 1 || kind > 8 || (chunks == 0) != (kind == 1))
            return -1;
        at += 8 + (length + 3) / 4 * 4;
        chunks++;
        if (at > byte_count)
            return -1;
        if (kind == 8)
            return at == byte_count ? chunks : -1;
    }
    return -1;
}

/* ---- coverage ---- */

uint32_t dp2_ref_cover(const int64_t corners[3][2], uint32_t width, uint32_t height, uint8_t *covered)
{
    __int128 area = (__int128)(corners[1][0] - corners[0][0]) * (corners[2][1] - corners[0][1]) -
                    (__int128)(corners[2][0] - corners[0][0]) * (corners[1][1] - corners[0][1]);
    uint32_t count = 0;
    if (area == 0)
        return 0;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            bool inside = true;
            for (int i = 0; i < 3; i++) {
                const int64_t *a = corners[i], *b = corners[(i + 1) % 3], *third = corners[(i + 2) % 3];
                __int128 here = (__int128)(b[0] - a[0]) * ((int64_t)y * 256 - a[1]) - (__int128)(b[1] - a[1]) * ((int64_t)x * 256 - a[0]);
                here = area < 0 ? -here : here; /* positive: on the inner side */
                bool horizontal = a[1] == b[1];
                /* A left edge has its third corner to the right of the line, a top edge below it. */
                bool top = horizontal && third[1] > a[1];
                bool left = false;
                if (!horizontal) {
                    /* x of the line at the third corner's height, compared without dividing */
                    __int128 line = (__int128)(b[0] - a[0]) * (third[1] - a[1]), span = b[1] - a[1];
                    __int128 reach = (__int128)(third[0] - a[0]) * span;
                    left = span > 0 ? reach > line : reach < line;
                }
                inside &= here > 0 || (here == 0 && (top || left));
            }
            if (inside) {
                covered[(size_t)y * width + x]++;
                count++;
            }
        }
    return count;
}
