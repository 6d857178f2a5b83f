/* SPDX-License-Identifier: MIT */
#include "dp2/opcodes.h"

#include "base/status.h"
#include "cdxr/d3dhal.h"
#include "cdxr/dp2.h"

enum { LIGHT7_BYTES = 104 };

/* ---- sizes that the header's count does not give directly ---- */

static void measure_indexed_line_strip(const struct stream *stream, struct cursor *payload, uint32_t count)
{
    cursor_take(payload, 2 + 2 * ((uint64_t)count + 1));
}

static void measure_indexed_triangle_strip(const struct stream *stream, struct cursor *payload, uint32_t count)
{
    bool none = !count && stream->policies->indexed_strip_zero == CDXR_DP2_COUNT_ZERO_NO_VERTICES;
    cursor_take(payload, 2 + (none ? 0 : 2 * ((uint64_t)count + 2)));
}

void dp2_fan_imm_read(const struct stream *stream, struct cursor *payload, uint32_t count, struct fan_imm *fan)
{
    bool none = !count && stream->policies->fan_imm_zero == CDXR_DP2_COUNT_ZERO_NO_VERTICES;
    fan->vertex_count = none ? 0 : (uint64_t)count + 2;
    if (stream->policies->fan_edges == CDXR_DP2_FAN_EDGES_AFTER_PAD)
        cursor_align4(payload);
    fan->edge_flags = cursor_u32(payload);
    cursor_align4(payload);
    fan->vertices = cursor_take(payload, fan->vertex_count * stream->stride_bytes);
}

static void measure_fan_imm(const struct stream *stream, struct cursor *payload, uint32_t count)
{
    struct fan_imm fan;
    dp2_fan_imm_read(stream, payload, count, &fan);
}

static void measure_line_list_imm(const struct stream *stream, struct cursor *payload, uint32_t count)
{
    cursor_align4(payload);
    cursor_take(payload, 2ull * count * stream->stride_bytes);
}

static void measure_update_palette(const struct stream *stream, struct cursor *payload, uint32_t count)
{
    uint32_t records = stream->policies->palette_many == CDXR_DP2_PALETTE_COUNT_RECORDS ? count : 1;
    for (uint32_t i = 0; i < records && !payload->cut; i++) {
        const uint8_t *record = cursor_take(payload, 8);
        if (record)
            cursor_take(payload, 4ull * le16(record + 6));
    }
}

static void measure_set_light(const struct stream *stream, struct cursor *payload, uint32_t count)
{
    for (uint32_t i = 0; i < count && !payload->cut; i++) {
        const uint8_t *record = cursor_take(payload, 8);
        if (record && le32(record + 4) == 2)
            cursor_take(payload, LIGHT7_BYTES);
    }
}

static void measure_ext(const struct stream *stream, struct cursor *payload, uint32_t count)
{
    const uint8_t *record = cursor_take(payload, 8);
    if (record)
        cursor_take(payload, le32(record + 4));
}

static void measure_set_render_target(const struct stream *stream, struct cursor *payload, uint32_t count)
{
    cursor_take(payload, stream->policies->target_many == CDXR_DP2_TARGET_READ_ONE ? 8 : 8ull * count);
}

static void measure_clear(const struct stream *stream, struct cursor *payload, uint32_t count)
{
    bool room = !count && stream->policies->clear_zero == CDXR_DP2_CLEAR_ZERO_32_BYTES;
    cursor_take(payload, 16 + 16ull * (room ? 1 : count));
}

static void measure_create_vertex_shader(const struct stream *stream, struct cursor *payload, uint32_t count)
{
    for (uint32_t i = 0; i < count && !payload->cut; i++) {
        const uint8_t *record = cursor_take(payload, 12);
        if (record)
            cursor_take(payload, (uint64_t)le32(record + 4) + le32(record + 8));
    }
}

static void measure_create_pixel_shader(const struct stream *stream, struct cursor *payload, uint32_t count)
{
    for (uint32_t i = 0; i < count && !payload->cut; i++) {
        const uint8_t *record = cursor_take(payload, 8);
        if (record)
            cursor_take(payload, le32(record + 4));
    }
}

static void measure_shader_const(const struct stream *stream, struct cursor *payload, uint32_t count)
{
    for (uint32_t i = 0; i < count && !payload->cut; i++) {
        const uint8_t *record = cursor_take(payload, 8);
        if (record)
            cursor_take(payload, 16ull * le32(record + 4));
    }
}

static void measure_patch(struct cursor *payload, uint32_t count, uint32_t segments_bytes, uint32_t info_bytes)
{
    for (uint32_t i = 0; i < count && !payload->cut; i++) {
        const uint8_t *record = cursor_take(payload, 8);
        if (!record)
            return;
        uint32_t flags = le32(record + 4);
        cursor_take(payload, (flags & RTPATCHFLAG_HASSEGS ? segments_bytes : 0) + (flags & RTPATCHFLAG_HASINFO ? info_bytes : 0));
    }
}

static void measure_rect_patch(const struct stream *stream, struct cursor *payload, uint32_t count)
{
    measure_patch(payload, count, 16, 28);
}

static void measure_tri_patch(const struct stream *stream, struct cursor *payload, uint32_t count)
{
    measure_patch(payload, count, 12, 16);
}

/* ---- the table ---- */

#define DRAW OPCODE_DRAWS
#define STATE OPCODE_STATE
#define EXECUTE OPCODE_EXECUTE_BUFFER
#define MATRIX_FIELDS "type:d _11:f _12:f _13:f _14:f _21:f _22:f _23:f _24:f _31:f _32:f _33:f _34:f _41:f _42:f _43:f _44:f"
#define MATERIAL_FIELDS "diffuse.r:f .g:f .b:f .a:f ambient.r:f .g:f .b:f .a:f specular.r:f .g:f .b:f .a:f " \
                        "emissive.r:f .g:f .b:f .a:f power:f"

static const struct opcode opcodes[OPCODE_COUNT] = {
    [D3DDP2OP_POINTS] = {"POINTS", 6, DRAW | EXECUTE, 0, 4, NULL, dp2_token_points, NULL, "", "count:w start:w"},
    [D3DDP2OP_INDEXEDLINELIST] = {"INDEXEDLINELIST", 6, DRAW | EXECUTE, 0, 4, NULL, dp2_token_indexed_line_list, NULL, "", "v1:w v2:w"},
    [D3DDP2OP_INDEXEDTRIANGLELIST] = {"INDEXEDTRIANGLELIST", 6, DRAW | EXECUTE, 0, 8, NULL, dp2_token_indexed_triangle_list, NULL, "",
                                      "v1:w v2:w v3:w flags:h"},
    [D3DDP2OP_RENDERSTATE] = {"RENDERSTATE", 6, STATE | EXECUTE, 0, 8, NULL, dp2_token_render_state, dp2_capture_render_state, "",
                              "state:d value:x"},
    [D3DDP2OP_LINELIST] = {"LINELIST", 6, DRAW, 2, 0, NULL, dp2_token_line_list, NULL, "start:w", ""},
    [D3DDP2OP_LINESTRIP] = {"LINESTRIP", 6, DRAW, 2, 0, NULL, dp2_token_line_strip, NULL, "start:w", ""},
    [D3DDP2OP_INDEXEDLINESTRIP] = {"INDEXEDLINESTRIP", 6, DRAW, 2, 0, measure_indexed_line_strip, dp2_token_indexed_line_strip, NULL,
                                   "start:w", "v:w"},
    [D3DDP2OP_TRIANGLELIST] = {"TRIANGLELIST", 6, DRAW, 2, 0, NULL, dp2_token_triangle_list, NULL, "start:w", ""},
    [D3DDP2OP_TRIANGLESTRIP] = {"TRIANGLESTRIP", 6, DRAW, 2, 0, NULL, dp2_token_triangle_strip, NULL, "start:w", ""},
    [D3DDP2OP_INDEXEDTRIANGLESTRIP] = {"INDEXEDTRIANGLESTRIP", 6, DRAW, 2, 0, measure_indexed_triangle_strip,
                                       dp2_token_indexed_triangle_strip, NULL, "start:w", "v:w"},
    [D3DDP2OP_TRIANGLEFAN] = {"TRIANGLEFAN", 6, DRAW, 2, 0, NULL, dp2_token_triangle_fan, NULL, "start:w", ""},
    [D3DDP2OP_INDEXEDTRIANGLEFAN] = {"INDEXEDTRIANGLEFAN", 6, DRAW, 2, 0, measure_indexed_triangle_strip,
                                     dp2_token_indexed_triangle_fan, NULL, "start:w", "v:w"},
    [D3DDP2OP_TRIANGLEFAN_IMM] = {"TRIANGLEFAN_IMM", 6, DRAW, 4, 0, measure_fan_imm, dp2_token_triangle_fan_imm, NULL, "", ""},
    [D3DDP2OP_LINELIST_IMM] = {"LINELIST_IMM", 6, DRAW, 0, 0, measure_line_list_imm, dp2_token_line_list_imm, NULL, "", ""},
    [D3DDP2OP_TEXTURESTAGESTATE] = {"TEXTURESTAGESTATE", 6, STATE, 0, 8, NULL, dp2_token_texture_stage_state,
                                    dp2_capture_texture_stage_state, "", "stage:w state:w value:x"},
    [D3DDP2OP_INDEXEDTRIANGLELIST2] = {"INDEXEDTRIANGLELIST2", 6, DRAW, 2, 6, NULL, dp2_token_indexed_triangle_list2, NULL, "start:w",
                                       "v1:w v2:w v3:w"},
    [D3DDP2OP_INDEXEDLINELIST2] = {"INDEXEDLINELIST2", 6, DRAW, 2, 4, NULL, dp2_token_indexed_line_list2, NULL, "start:w", "v1:w v2:w"},
    [D3DDP2OP_VIEWPORTINFO] = {"VIEWPORTINFO", 6, STATE, 0, 16, NULL, dp2_token_viewport_info, dp2_capture_viewport_info, "",
                               "x:d y:d width:d height:d"},
    [D3DDP2OP_WINFO] = {"WINFO", 6, STATE, 0, 8, NULL, dp2_token_w_info, dp2_capture_w_info, "", "near:f far:f"},
    [D3DDP2OP_SETPALETTE] = {"SETPALETTE", 6, 0, 0, 12, NULL, dp2_token_set_palette, NULL, "", "palette:x flags:x surface:x"},
    [D3DDP2OP_UPDATEPALETTE] = {"UPDATEPALETTE", 6, 0, 8, 0, measure_update_palette, dp2_token_update_palette, NULL,
                                "palette:x start:w count:w", ""},
    [D3DDP2OP_ZRANGE] = {"ZRANGE", 7, STATE, 0, 8, NULL, dp2_token_z_range, dp2_capture_z_range, "", "min:f max:f"},
    [D3DDP2OP_SETMATERIAL] = {"SETMATERIAL", 7, STATE, 0, 68, NULL, dp2_token_set_material, dp2_capture_set_material, "", MATERIAL_FIELDS},
    [D3DDP2OP_SETLIGHT] = {"SETLIGHT", 7, STATE, 0, 0, measure_set_light, dp2_token_set_light, dp2_capture_set_light, "", ""},
    [D3DDP2OP_CREATELIGHT] = {"CREATELIGHT", 7, 0, 0, 4, NULL, dp2_token_create_light, NULL, "", "index:d"},
    [D3DDP2OP_SETTRANSFORM] = {"SETTRANSFORM", 7, STATE, 0, 68, NULL, dp2_token_set_transform, dp2_capture_set_transform, "", MATRIX_FIELDS},
    [D3DDP2OP_EXT] = {"EXT", 7, 0, 8, 0, measure_ext, dp2_token_ext, NULL, "token:x size:d", ""},
    [D3DDP2OP_TEXBLT] = {"TEXBLT", 7, 0, 0, 36, NULL, dp2_token_texture_blit, NULL, "",
                         "destination:x source:x x:i y:i left:i top:i right:i bottom:i flags:x"},
    [D3DDP2OP_STATESET] = {"STATESET", 7, 0, 0, 12, NULL, dp2_token_state_set, NULL, "", "operation:d handle:x type:d"},
    [D3DDP2OP_SETPRIORITY] = {"SETPRIORITY", 7, 0, 0, 8, NULL, dp2_token_set_priority, NULL, "", "surface:x priority:d"},
    [D3DDP2OP_SETRENDERTARGET] = {"SETRENDERTARGET", 7, 0, 0, 8, measure_set_render_target, dp2_token_set_render_target, NULL, "",
                                  "target:x depth:x"},
    [D3DDP2OP_CLEAR] = {"CLEAR", 7, DRAW, 16, 16, measure_clear, dp2_token_clear, NULL, "flags:x colour:x depth:f stencil:x",
                        "left:i top:i right:i bottom:i"},
    [D3DDP2OP_SETTEXLOD] = {"SETTEXLOD", 7, 0, 0, 8, NULL, dp2_token_set_texture_lod, NULL, "", "surface:x lod:d"},
    [D3DDP2OP_SETCLIPPLANE] = {"SETCLIPPLANE", 7, STATE, 0, 20, NULL, dp2_token_set_clip_plane, dp2_capture_set_clip_plane, "",
                               "index:d a:f b:f c:f d:f"},
    [D3DDP2OP_CREATEVERTEXSHADER] = {"CREATEVERTEXSHADER", 8, 0, 0, 0, measure_create_vertex_shader, dp2_token_create_vertex_shader, NULL,
                                     "", ""},
    [D3DDP2OP_DELETEVERTEXSHADER] = {"DELETEVERTEXSHADER", 8, 0, 0, 4, NULL, dp2_token_delete_vertex_shader, NULL, "", "handle:x"},
    [D3DDP2OP_SETVERTEXSHADER] = {"SETVERTEXSHADER", 8, STATE, 0, 4, NULL, dp2_token_set_vertex_shader, dp2_capture_set_vertex_shader, "",
                                  "handle:x"},
    [D3DDP2OP_SETVERTEXSHADERCONST] = {"SETVERTEXSHADERCONST", 8, STATE, 0, 0, measure_shader_const, dp2_token_set_vertex_shader_const,
                                       dp2_capture_set_vertex_shader_const, "", ""},
    [D3DDP2OP_SETSTREAMSOURCE] = {"SETSTREAMSOURCE", 8, STATE, 0, 12, NULL, dp2_token_set_stream_source, dp2_capture_set_stream_source, "",
                                  "stream:d buffer:x stride:d"},
    [D3DDP2OP_SETSTREAMSOURCEUM] = {"SETSTREAMSOURCEUM", 8, 0, 0, 8, NULL, dp2_token_set_stream_source_um, NULL, "", "stream:d stride:d"},
    [D3DDP2OP_SETINDICES] = {"SETINDICES", 8, STATE, 0, 8, NULL, dp2_token_set_indices, dp2_capture_set_indices, "", "buffer:x stride:d"},
    [D3DDP2OP_DRAWPRIMITIVE] = {"DRAWPRIMITIVE", 8, DRAW, 0, 12, NULL, dp2_token_draw_primitive, NULL, "", "type:d start:d count:d"},
    [D3DDP2OP_DRAWINDEXEDPRIMITIVE] = {"DRAWINDEXEDPRIMITIVE", 8, DRAW, 0, 24, NULL, dp2_token_draw_indexed_primitive, NULL, "",
                                       "type:d base:d min:d vertices:d start:d count:d"},
    [D3DDP2OP_CREATEPIXELSHADER] = {"CREATEPIXELSHADER", 8, 0, 0, 0, measure_create_pixel_shader, dp2_token_create_pixel_shader, NULL, "", ""},
    [D3DDP2OP_DELETEPIXELSHADER] = {"DELETEPIXELSHADER", 8, 0, 0, 4, NULL, dp2_token_delete_pixel_shader, NULL, "", "handle:x"},
    [D3DDP2OP_SETPIXELSHADER] = {"SETPIXELSHADER", 8, STATE, 0, 4, NULL, dp2_token_set_pixel_shader, dp2_capture_set_pixel_shader, "",
                                 "handle:x"},
    [D3DDP2OP_SETPIXELSHADERCONST] = {"SETPIXELSHADERCONST", 8, STATE, 0, 0, measure_shader_const, dp2_token_set_pixel_shader_const,
                                      dp2_capture_set_pixel_shader_const, "", ""},
    [D3DDP2OP_CLIPPEDTRIANGLEFAN] = {"CLIPPEDTRIANGLEFAN", 8, DRAW, 0, 12, NULL, dp2_token_clipped_triangle_fan, NULL, "",
                                     "offset:d edges:x count:d"},
    [D3DDP2OP_DRAWPRIMITIVE2] = {"DRAWPRIMITIVE2", 8, DRAW, 0, 12, NULL, dp2_token_draw_primitive2, NULL, "", "type:d offset:d count:d"},
    [D3DDP2OP_DRAWINDEXEDPRIMITIVE2] = {"DRAWINDEXEDPRIMITIVE2", 8, DRAW, 0, 24, NULL, dp2_token_draw_indexed_primitive2, NULL, "",
                                        "type:d base:i min:d vertices:d start:d count:d"},
    [D3DDP2OP_DRAWRECTPATCH] = {"DRAWRECTPATCH", 8, DRAW, 0, 0, measure_rect_patch, dp2_token_draw_rect_patch, NULL, "", ""},
    [D3DDP2OP_DRAWTRIPATCH] = {"DRAWTRIPATCH", 8, DRAW, 0, 0, measure_tri_patch, dp2_token_draw_tri_patch, NULL, "", ""},
    [D3DDP2OP_VOLUMEBLT] = {"VOLUMEBLT", 8, 0, 0, 48, NULL, dp2_token_volume_blit, NULL, "",
                            "destination:x source:x x:d y:d z:d left:d top:d right:d bottom:d front:d back:d flags:x"},
    [D3DDP2OP_BUFFERBLT] = {"BUFFERBLT", 8, 0, 0, 24, NULL, dp2_token_buffer_blit, NULL, "",
                            "destination:x source:x offset:d source_offset:d size:d flags:x"},
    [D3DDP2OP_MULTIPLYTRANSFORM] = {"MULTIPLYTRANSFORM", 8, STATE, 0, 68, NULL, dp2_token_multiply_transform, NULL, "", MATRIX_FIELDS},
    [D3DDP2OP_ADDDIRTYRECT] = {"ADDDIRTYRECT", 8, 0, 0, 20, NULL, dp2_token_add_dirty, NULL, "",
                               "surface:x left:i top:i right:i bottom:i"},
    [D3DDP2OP_ADDDIRTYBOX] = {"ADDDIRTYBOX", 8, 0, 0, 28, NULL, dp2_token_add_dirty, NULL, "",
                              "surface:x left:d top:d right:d bottom:d front:d back:d"},
};

const struct opcode *dp2_opcode_row(uint32_t opcode)
{
    return opcode < OPCODE_COUNT && opcodes[opcode].name ? &opcodes[opcode] : NULL;
}

const char *cdxr_dp2_opcode_name(uint32_t opcode)
{
    const struct opcode *row = dp2_opcode_row(opcode);
    return row ? row->name : NULL;
}

const struct opcode *dp2_opcode_find(const struct stream *stream, uint32_t opcode)
{
    const struct opcode *row = dp2_opcode_row(opcode);
    if (!row || row->ddi_level > stream->ddi_level)
        return NULL;
    return stream->execute_buffer && !(row->flags & OPCODE_EXECUTE_BUFFER) ? NULL : row;
}

bool dp2_opcode_measure(const struct opcode *row, const struct stream *stream, struct cursor *payload, uint32_t count)
{
    if (row->measure)
        row->measure(stream, payload, count);
    else
        cursor_take(payload, row->head_bytes + (uint64_t)row->record_bytes * count);
    return !payload->cut;
}
