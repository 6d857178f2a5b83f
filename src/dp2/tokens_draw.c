/* SPDX-License-Identifier: MIT
 * The drawing tokens of DirectX 6: each describes its primitives and hands them to dp2_draw. Payloads were measured
 * by the caller, so reads here stay inside them. */
#include "dp2/context.h"

static enum token_answer draw_call_vertices(struct run *run, const struct assembly *assembly)
{
    const struct cdxr_dp2_call *call = run->call;
    struct vertex_source source = {NULL, run->stream.stride_bytes, run->vertex_limit, &run->layout};
    if (run->vertex_limit)
        source.bytes = (const uint8_t *)call->vertices + call->vertex_offset;
    return dp2_draw(run, assembly, &source);
}

static enum token_answer draw_plain(struct run *run, enum assembly_kind kind, const uint8_t *payload)
{
    return draw_call_vertices(run, &(struct assembly){.kind = kind, .primitive_count = run->count, .base = le16(payload)});
}

static enum token_answer draw_indexed(struct run *run, enum assembly_kind kind, uint16_t base, const uint8_t *indices)
{
    return draw_call_vertices(run, &(struct assembly){.kind = kind, .indices_kind = ASSEMBLY_INDICES_16, .primitive_count = run->count,
                                                      .base = base, .indices = indices});
}

/* n counts records, each a run of points. */
enum token_answer dp2_token_points(struct run *run, const uint8_t *payload)
{
    enum token_answer answer = TOKEN_DONE;
    for (uint32_t i = 0; i < run->count && answer == TOKEN_DONE; i++) {
        const uint8_t *record = payload + i * 4;
        answer = draw_call_vertices(run, &(struct assembly){.kind = ASSEMBLY_POINTS, .primitive_count = le16(record), .base = le16(record + 2)});
    }
    return answer;
}

enum token_answer dp2_token_indexed_line_list(struct run *run, const uint8_t *payload)
{
    return draw_indexed(run, ASSEMBLY_LINES, 0, payload);
}

enum token_answer dp2_token_indexed_triangle_list(struct run *run, const uint8_t *payload)
{
    return draw_call_vertices(run, &(struct assembly){.kind = ASSEMBLY_TRIANGLES, .indices_kind = ASSEMBLY_INDICES_FLAGGED,
                                                      .primitive_count = run->count, .indices = payload});
}

enum token_answer dp2_token_line_list(struct run *run, const uint8_t *payload)
{
    return draw_plain(run, ASSEMBLY_LINES, payload);
}

enum token_answer dp2_token_line_strip(struct run *run, const uint8_t *payload)
{
    return draw_plain(run, ASSEMBLY_LINE_STRIP, payload);
}

enum token_answer dp2_token_indexed_line_strip(struct run *run, const uint8_t *payload)
{
    return draw_indexed(run, ASSEMBLY_LINE_STRIP, le16(payload), payload + 2);
}

enum token_answer dp2_token_triangle_list(struct run *run, const uint8_t *payload)
{
    return draw_plain(run, ASSEMBLY_TRIANGLES, payload);
}

enum token_answer dp2_token_triangle_strip(struct run *run, const uint8_t *payload)
{
    return draw_plain(run, ASSEMBLY_TRIANGLE_STRIP, payload);
}

static void note_zero_count(struct run *run)
{
    if (!run->count)
        dp2_report(run, CDXR_DP2_SEVERITY_NOTE, "count 0: %zu bytes of payload read (policy indexed_strip_zero)", run->payload_bytes);
}

enum token_answer dp2_token_indexed_triangle_strip(struct run *run, const uint8_t *payload)
{
    note_zero_count(run);
    return draw_indexed(run, ASSEMBLY_TRIANGLE_STRIP, le16(payload), payload + 2);
}

enum token_answer dp2_token_triangle_fan(struct run *run, const uint8_t *payload)
{
    return draw_plain(run, ASSEMBLY_TRIANGLE_FAN, payload);
}

enum token_answer dp2_token_indexed_triangle_fan(struct run *run, const uint8_t *payload)
{
    note_zero_count(run);
    return draw_indexed(run, ASSEMBLY_TRIANGLE_FAN, le16(payload), payload + 2);
}

enum token_answer dp2_token_triangle_fan_imm(struct run *run, const uint8_t *payload)
{
    struct cursor cursor = run->cursor; /* stands behind the payload; the fan is read again for its parts */
    struct fan_imm fan;
    cursor.position -= run->payload_bytes;
    dp2_fan_imm_read(&run->stream, &cursor, run->count, &fan);
    if (!run->count)
        dp2_report(run, CDXR_DP2_SEVERITY_NOTE, "count 0: %llu inline vertices read (policy fan_imm_zero)", (unsigned long long)fan.vertex_count);
    if (run->token_offset & 3)
        dp2_report(run, CDXR_DP2_SEVERITY_NOTE, "token at 2 mod 4: edge flags 0x%x read %s (policy fan_edges)", fan.edge_flags,
                   run->stream.policies->fan_edges == CDXR_DP2_FAN_EDGES_AFTER_PAD ? "after the pad" : "after the header");
    if ((run->token_offset & 3) != 0 && (run->call->command_offset & 3) != 0)
        dp2_report(run, CDXR_DP2_SEVERITY_NOTE, "command offset 0x%x is odd: inline vertices are aligned from the buffer's start",
                   run->call->command_offset);
    struct vertex_source source = {fan.vertices, run->stream.stride_bytes, fan.vertex_count, &run->layout};
    return dp2_draw(run, &(struct assembly){.kind = ASSEMBLY_TRIANGLE_FAN, .primitive_count = run->count, .has_edge_flags = true,
                                            .edge_flags = fan.edge_flags}, &source);
}

enum token_answer dp2_token_line_list_imm(struct run *run, const uint8_t *payload)
{
    uint64_t vertex_bytes = 2ull * run->count * run->stream.stride_bytes; /* the pad lies in front */
    struct vertex_source source = {payload + run->payload_bytes - vertex_bytes, run->stream.stride_bytes, 2ull * run->count, &run->layout};
    return dp2_draw(run, &(struct assembly){.kind = ASSEMBLY_LINES, .primitive_count = run->count}, &source);
}

enum token_answer dp2_token_indexed_triangle_list2(struct run *run, const uint8_t *payload)
{
    return draw_indexed(run, ASSEMBLY_TRIANGLES, le16(payload), payload + 2);
}

enum token_answer dp2_token_indexed_line_list2(struct run *run, const uint8_t *payload)
{
    return draw_indexed(run, ASSEMBLY_LINES, le16(payload), payload + 2);
}
