/* SPDX-License-Identifier: MIT
 * The table of the stream's tokens: one row per opcode with its size rule, fields, execution and state-set capture.
 * The execute loop, the describer and the capture of state sets all read this table and nothing else. */
#ifndef CDXR_DP2_OPCODES_H
#define CDXR_DP2_OPCODES_H

#include <stdbool.h>
#include <stdint.h>

#include "dp2/bytes.h"

struct run;
struct cdxr_dp2_context;
struct cdxr_dp2_policies;

/* What the sizes of tokens depend on besides their bytes. */
struct stream {
    uint32_t ddi_level;
    bool execute_buffer;                      /* DirectX 3 instruction list */
    uint32_t stride_bytes;                    /* of inline vertices */
    const struct cdxr_dp2_policies *policies;
};

enum token_answer {
    TOKEN_DONE,
    TOKEN_END,      /* the stream ends here, successfully */
    TOKEN_UNPARSED, /* cut short, unknown, or for the runtime */
    TOKEN_BAD,      /* breaks a rule; already reported */
};

enum opcode_flag {
    OPCODE_DRAWS = 1,
    OPCODE_STATE = 2,          /* recorded between STATESET begin and end */
    OPCODE_EXECUTE_BUFFER = 4, /* legal in DirectX 3 instruction lists */
};

struct opcode {
    const char *name;
    uint8_t ddi_level;
    uint8_t flags;             /* enum opcode_flag */
    uint8_t head_bytes;        /* fixed part of the payload */
    uint8_t record_bytes;      /* times the count of the header */
    /* Advance over the payload where head + count * record is not the rule; cut on the cursor says it does not fit. */
    void (*measure)(const struct stream *stream, struct cursor *payload, uint32_t count);
    enum token_answer (*execute)(struct run *run, const uint8_t *payload);
    /* Overwrite the values in a recorded payload with the context's present ones. */
    void (*capture)(struct cdxr_dp2_context *context, uint8_t *payload, uint32_t count);
    /* "name:type ..." of head and records. Types: w word, h hex word, d unsigned, i signed, x hex, f float. */
    const char *head_fields, *record_fields;
};

enum { OPCODE_COUNT = 68 };

/* The row of an opcode that this stream knows, or NULL. */
const struct opcode *dp2_opcode_find(const struct stream *stream, uint32_t opcode);
const struct opcode *dp2_opcode_row(uint32_t opcode);
/* Advance payload over a token's payload: false when it is cut short. */
bool dp2_opcode_measure(const struct opcode *row, const struct stream *stream, struct cursor *payload, uint32_t count);

/* Where the parts of a TRIANGLEFAN_IMM lie, from the position behind its header. */
struct fan_imm {
    uint32_t edge_flags;
    const uint8_t *vertices;
    uint64_t vertex_count;
};
void dp2_fan_imm_read(const struct stream *stream, struct cursor *payload, uint32_t count, struct fan_imm *fan);

/* ---- executions, by file ---- */
#define TOKEN_EXECUTE(name) enum token_answer dp2_token_##name(struct run *run, const uint8_t *payload)
/* tokens_draw.c */
TOKEN_EXECUTE(points);
TOKEN_EXECUTE(indexed_line_list);
TOKEN_EXECUTE(indexed_triangle_list);
TOKEN_EXECUTE(line_list);
TOKEN_EXECUTE(line_strip);
TOKEN_EXECUTE(indexed_line_strip);
TOKEN_EXECUTE(triangle_list);
TOKEN_EXECUTE(triangle_strip);
TOKEN_EXECUTE(indexed_triangle_strip);
TOKEN_EXECUTE(triangle_fan);
TOKEN_EXECUTE(indexed_triangle_fan);
TOKEN_EXECUTE(triangle_fan_imm);
TOKEN_EXECUTE(line_list_imm);
TOKEN_EXECUTE(indexed_triangle_list2);
TOKEN_EXECUTE(indexed_line_list2);
/* tokens_draw8.c */
TOKEN_EXECUTE(draw_primitive);
TOKEN_EXECUTE(draw_indexed_primitive);
TOKEN_EXECUTE(clipped_triangle_fan);
TOKEN_EXECUTE(draw_primitive2);
TOKEN_EXECUTE(draw_indexed_primitive2);
/* tokens_patch.c */
TOKEN_EXECUTE(draw_rect_patch);
TOKEN_EXECUTE(draw_tri_patch);
/* tokens_state.c */
TOKEN_EXECUTE(render_state);
TOKEN_EXECUTE(texture_stage_state);
TOKEN_EXECUTE(viewport_info);
TOKEN_EXECUTE(w_info);
TOKEN_EXECUTE(z_range);
TOKEN_EXECUTE(set_material);
TOKEN_EXECUTE(set_light);
TOKEN_EXECUTE(create_light);
TOKEN_EXECUTE(set_transform);
TOKEN_EXECUTE(multiply_transform);
TOKEN_EXECUTE(set_clip_plane);
TOKEN_EXECUTE(ext);
/* tokens_bind.c */
TOKEN_EXECUTE(set_palette);
TOKEN_EXECUTE(update_palette);
TOKEN_EXECUTE(set_priority);
TOKEN_EXECUTE(set_render_target);
TOKEN_EXECUTE(set_texture_lod);
TOKEN_EXECUTE(create_vertex_shader);
TOKEN_EXECUTE(delete_vertex_shader);
TOKEN_EXECUTE(set_vertex_shader);
TOKEN_EXECUTE(set_vertex_shader_const);
TOKEN_EXECUTE(create_pixel_shader);
TOKEN_EXECUTE(delete_pixel_shader);
TOKEN_EXECUTE(set_pixel_shader);
TOKEN_EXECUTE(set_pixel_shader_const);
TOKEN_EXECUTE(set_stream_source);
TOKEN_EXECUTE(set_stream_source_um);
TOKEN_EXECUTE(set_indices);
TOKEN_EXECUTE(add_dirty);
/* tokens_blit.c */
TOKEN_EXECUTE(clear);
TOKEN_EXECUTE(texture_blit);
TOKEN_EXECUTE(volume_blit);
TOKEN_EXECUTE(buffer_blit);
/* state_set.c */
TOKEN_EXECUTE(state_set);
#undef TOKEN_EXECUTE

#define TOKEN_CAPTURE(name) void dp2_capture_##name(struct cdxr_dp2_context *context, uint8_t *payload, uint32_t count)
TOKEN_CAPTURE(render_state);
TOKEN_CAPTURE(texture_stage_state);
TOKEN_CAPTURE(viewport_info);
TOKEN_CAPTURE(w_info);
TOKEN_CAPTURE(z_range);
TOKEN_CAPTURE(set_material);
TOKEN_CAPTURE(set_light);
TOKEN_CAPTURE(set_transform);
TOKEN_CAPTURE(set_clip_plane);
TOKEN_CAPTURE(set_vertex_shader);
TOKEN_CAPTURE(set_pixel_shader);
TOKEN_CAPTURE(set_vertex_shader_const);
TOKEN_CAPTURE(set_pixel_shader_const);
TOKEN_CAPTURE(set_stream_source);
TOKEN_CAPTURE(set_indices);
#undef TOKEN_CAPTURE

#endif
