/* SPDX-License-Identifier: MIT
 * Tokens as text: offset, name, fields by the opcode table, and the primitives they make. Reads only; a token that the execute
 * loop would reject for its size ends the listing the same way. */
#include <stdarg.h>
#include <stdio.h>

#include "dp2/context.h"

enum { LINE_BYTES = 1024, MAX_LISTED = 64 };

struct describer {
    cdxr_dp2_line_fn line;
    void *cookie;
    struct stream stream;
    struct cursor cursor;
    uint64_t vertex_limit;
    bool triangles;
    uint32_t violations;
    uint32_t indices_stride; /* of SETINDICES, for listing only */
};

static void say(struct describer *d, const char *format, ...) PRINTF_LIKE(2, 3);
static void say(struct describer *d, const char *format, ...)
{
    char text[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    d->line(d->cookie, text);
}

/* ---- fields ---- */

static int print_field(char *out, size_t room, char type, const uint8_t *bytes)
{
    switch (type) {
    case 'w': return snprintf(out, room, "%u", le16(bytes));
    case 'h': return snprintf(out, room, "0x%04x", le16(bytes));
    case 'i': return snprintf(out, room, "%d", (int32_t)le32(bytes));
    case 'x': return snprintf(out, room, "0x%08x", le32(bytes));
    case 'f': return snprintf(out, room, "%g", (double)le_float(bytes));
    default: return snprintf(out, room, "%u", le32(bytes));
    }
}

static uint32_t type_bytes(char type)
{
    return type == 'w' || type == 'h' ? 2 : 4;
}

/* "name:type ..." over bytes into text; returns how many bytes were described. */
static uint32_t print_fields(char *text, size_t room, const char *fields, const uint8_t *bytes)
{
    uint32_t position = 0;
    size_t used = strlen(text);
    while (*fields && used + 40 < room) {
        size_t name = strcspn(fields, ":");
        char type = fields[name + 1];
        used += (size_t)snprintf(text + used, room - used, " %.*s=", (int)name, fields);
        used += (size_t)print_field(text + used, room - used, type, bytes + position);
        position += type_bytes(type);
        fields += name + 2;
        fields += *fields == ' ';
    }
    return position;
}

static const char *state_note(uint32_t opcode, const uint8_t *record)
{
    const char *name = NULL;
    if (opcode == D3DDP2OP_RENDERSTATE)
        name = le32(record) >= STATE_RENDER_COUNT ? dp2_state_render_name(le32(record) - STATE_RENDER_COUNT) : dp2_state_render_name(le32(record));
    if (opcode == D3DDP2OP_TEXTURESTAGESTATE)
        name = dp2_state_stage_name(le16(record + 2));
    return name ? name : "";
}

static void describe_records(struct describer *d, const struct opcode *row, uint32_t opcode, uint32_t count, const uint8_t *payload, size_t byte_count)
{
    if (!*row->record_fields)
        return;
    uint32_t record_bytes = row->record_bytes;
    if (!record_bytes) /* index lists: as many words as there are */
        record_bytes = 2;
    size_t at = row->head_bytes;
    for (uint32_t i = 0; at + record_bytes <= byte_count; i++, at += record_bytes) {
        char text[LINE_BYTES] = "";
        if (i == MAX_LISTED) {
            say(d, "          ... %zu more", (byte_count - at) / record_bytes);
            return;
        }
        print_fields(text, sizeof(text), row->record_fields, payload + at);
        say(d, "          [%u]%s %s", i, text, state_note(opcode, payload + at));
    }
}

#define COLOR_FIELDS(name) name ".r:f .g:f .b:f .a:f "
#define AXES_FIELDS(name) name ".x:f .y:f .z:f "
#define LIGHT_FIELDS "type:d " COLOR_FIELDS("diffuse") COLOR_FIELDS("specular") COLOR_FIELDS("ambient") AXES_FIELDS("position") AXES_FIELDS("direction") \
                     "range:f falloff:f attenuation0:f attenuation1:f attenuation2:f theta:f phi:f"

/* A part of a record, when it is there: its fields on a line of their own. */
static void describe_part(struct describer *d, struct cursor *in, bool present, uint64_t byte_count, const char *fields)
{
    char text[LINE_BYTES] = "";
    const uint8_t *part = present ? cursor_take(in, byte_count) : NULL;
    if (!part)
        return;
    print_fields(text, sizeof(text), fields, part);
    say(d, "             %s", text);
}

/* DWORDs of a declaration, or registers of constants. */
static void describe_array(struct describer *d, struct cursor *in, uint64_t count, uint32_t item_bytes, const char *fields)
{
    for (uint64_t i = 0; i < count && i < MAX_LISTED; i++)
        describe_part(d, in, true, item_bytes, fields);
    if (count > MAX_LISTED) {
        say(d, "              ... %llu more", (unsigned long long)(count - MAX_LISTED));
        cursor_take(in, (count - MAX_LISTED) * item_bytes);
    }
}

static void describe_shader(struct describer *d, uint32_t i, const uint8_t *record, uint32_t declaration_bytes, uint32_t code_bytes, struct cursor *in)
{
    say(d, "          [%u] handle=0x%x declaration=%u code=%u bytes", i, le32(record), declaration_bytes, code_bytes);
    describe_array(d, in, declaration_bytes / 4, 4, "declare:x");
    cursor_take(in, declaration_bytes % 4 + (uint64_t)code_bytes);
}

static void describe_patch(struct describer *d, uint32_t i, const uint8_t *record, bool rect, struct cursor *in)
{
    uint32_t flags = le32(record + 4);
    say(d, "          [%u] handle=0x%x flags=0x%x", i, le32(record), flags);
    describe_part(d, in, flags & RTPATCHFLAG_HASSEGS, rect ? 16 : 12, rect ? "segments.0:f .1:f .2:f .3:f" : "segments.0:f .1:f .2:f");
    describe_part(d, in, flags & RTPATCHFLAG_HASINFO, rect ? 28 : 16,
                  rect ? "column:d row:d width:d height:d stride:d basis:d order:d" : "start:d vertices:d basis:d order:d");
}

/* Tokens whose records have no fixed size. */
static void describe_variable(struct describer *d, uint32_t opcode, uint32_t count, const uint8_t *payload, size_t byte_count)
{
    struct cursor in = {payload, 0, byte_count, false};
    for (uint32_t i = 0; i < count && i < MAX_LISTED && in.position < in.end; i++) {
        const uint8_t *record = cursor_take(&in, opcode == D3DDP2OP_CREATEVERTEXSHADER ? 12 : 8);
        if (!record)
            return;
        uint32_t a = le32(record), b = le32(record + 4);
        switch (opcode) {
        case D3DDP2OP_SETLIGHT:
            say(d, "          [%u] index=%u %s", i, a, b == 0 ? "ENABLE" : b == 1 ? "DISABLE" : b == 2 ? "DATA" : "?");
            describe_part(d, &in, b == 2, 104, LIGHT_FIELDS);
            break;
        case D3DDP2OP_CREATEVERTEXSHADER: describe_shader(d, i, record, b, le32(record + 8), &in); break;
        case D3DDP2OP_CREATEPIXELSHADER: describe_shader(d, i, record, 0, b, &in); break;
        case D3DDP2OP_SETVERTEXSHADERCONST:
        case D3DDP2OP_SETPIXELSHADERCONST:
            say(d, "          [%u] register=%u count=%u", i, a, b);
            describe_array(d, &in, b, 16, "x:f y:f z:f w:f");
            break;
        case D3DDP2OP_DRAWRECTPATCH:
        case D3DDP2OP_DRAWTRIPATCH: describe_patch(d, i, record, opcode == D3DDP2OP_DRAWRECTPATCH, &in); break;
        default: return;
        }
    }
    if (count > MAX_LISTED)
        say(d, "          ... %u more", count - MAX_LISTED);
}

/* ---- primitives ---- */

static bool assembly_of(const struct describer *d, uint32_t opcode, uint32_t count, const uint8_t *payload, struct assembly *a)
{
    static const uint8_t plain[] = {[D3DDP2OP_LINELIST] = ASSEMBLY_LINES, [D3DDP2OP_LINESTRIP] = ASSEMBLY_LINE_STRIP,
                                    [D3DDP2OP_TRIANGLELIST] = ASSEMBLY_TRIANGLES, [D3DDP2OP_TRIANGLESTRIP] = ASSEMBLY_TRIANGLE_STRIP,
                                    [D3DDP2OP_TRIANGLEFAN] = ASSEMBLY_TRIANGLE_FAN};
    static const uint8_t indexed[] = {[D3DDP2OP_INDEXEDLINESTRIP] = ASSEMBLY_LINE_STRIP, [D3DDP2OP_INDEXEDTRIANGLESTRIP] = ASSEMBLY_TRIANGLE_STRIP,
                                      [D3DDP2OP_INDEXEDTRIANGLEFAN] = ASSEMBLY_TRIANGLE_FAN, [D3DDP2OP_INDEXEDTRIANGLELIST2] = ASSEMBLY_TRIANGLES,
                                      [D3DDP2OP_INDEXEDLINELIST2] = ASSEMBLY_LINES};
    *a = (struct assembly){.primitive_count = count};
    if (opcode < ARRAY_COUNT(plain) && plain[opcode]) {
        a->kind = plain[opcode];
        a->base = le16(payload);
    } else if (opcode < ARRAY_COUNT(indexed) && indexed[opcode]) {
        *a = (struct assembly){indexed[opcode], ASSEMBLY_INDICES_16, count, le16(payload), payload + 2, false, 0};
    } else if (opcode == D3DDP2OP_INDEXEDLINELIST) {
        *a = (struct assembly){ASSEMBLY_LINES, ASSEMBLY_INDICES_16, count, 0, payload, false, 0};
    } else if (opcode == D3DDP2OP_INDEXEDTRIANGLELIST) {
        *a = (struct assembly){ASSEMBLY_TRIANGLES, ASSEMBLY_INDICES_FLAGGED, count, 0, payload, false, 0};
    } else if (opcode == D3DDP2OP_LINELIST_IMM) {
        a->kind = ASSEMBLY_LINES;
    } else if (opcode == D3DDP2OP_DRAWPRIMITIVE && count) {
        *a = (struct assembly){.kind = le32(payload), .base = le32(payload + 4), .primitive_count = le32(payload + 8)};
        return a->kind >= ASSEMBLY_POINTS && a->kind <= ASSEMBLY_TRIANGLE_FAN;
    } else {
        return false;
    }
    return true;
}

static void list_primitives(struct describer *d, const struct assembly *a, bool inline_vertices)
{
    uint64_t limit = inline_vertices ? UINT64_MAX : d->vertex_limit;
    for (uint32_t k = 0; k < a->primitive_count; k++) {
        struct primitive p;
        if (k == MAX_LISTED) {
            say(d, "          ... %u more primitives", a->primitive_count - k);
            return;
        }
        dp2_assemble(a, k, &p);
        bool bad = false;
        for (int i = 0; i < p.vertex_count; i++)
            bad |= p.index[i] < 0 || (uint64_t)p.index[i] >= limit;
        d->violations += bad;
        if (p.vertex_count == 3)
            say(d, "          triangle (%lld, %lld, %lld)%s%s", (long long)p.index[0], (long long)p.index[1], (long long)p.index[2],
                p.edge_mask != 7 ? " with hidden edges" : "", bad ? "  VIOLATION: no such vertex" : "");
        else if (p.vertex_count == 2)
            say(d, "          line (%lld, %lld)%s", (long long)p.index[0], (long long)p.index[1], bad ? "  VIOLATION: no such vertex" : "");
        else
            say(d, "          point (%lld)%s", (long long)p.index[0], bad ? "  VIOLATION: no such vertex" : "");
    }
}

static void describe_primitives(struct describer *d, uint32_t opcode, uint32_t count, struct cursor payload)
{
    struct assembly a;
    const uint8_t *bytes = payload.bytes + payload.position;
    if (opcode == D3DDP2OP_POINTS) {
        for (uint32_t i = 0; i < count && i < MAX_LISTED; i++)
            list_primitives(d, &(struct assembly){.kind = ASSEMBLY_POINTS, .primitive_count = le16(bytes + i * 4), .base = le16(bytes + i * 4 + 2)}, false);
    } else if (opcode == D3DDP2OP_TRIANGLEFAN_IMM) {
        struct fan_imm fan;
        dp2_fan_imm_read(&d->stream, &payload, count, &fan);
        say(d, "          edge flags 0x%08x, inline vertices at 0x%zx", fan.edge_flags, fan.vertices ? (size_t)(fan.vertices - payload.bytes) : 0);
        a = (struct assembly){.kind = ASSEMBLY_TRIANGLE_FAN, .primitive_count = count, .has_edge_flags = true, .edge_flags = fan.edge_flags};
        list_primitives(d, &a, true);
    } else if (assembly_of(d, opcode, count, bytes, &a)) {
        list_primitives(d, &a, opcode == D3DDP2OP_LINELIST_IMM || opcode == D3DDP2OP_DRAWPRIMITIVE);
    }
}

/* ---- one token ---- */

static bool describe_unknown(struct describer *d, size_t offset, const uint8_t *header)
{
    if (header[0] == CDXR_D3DOP_EXIT) {
        say(d, "%08zx  EXIT", offset);
        return false;
    }
    if (d->stream.execute_buffer && header[0] == CDXR_D3DOP_SPAN) {
        say(d, "%08zx  SPAN n=%u", offset, le16(header + 2));
        return cursor_take(&d->cursor, (uint64_t)header[1] * le16(header + 2)) != NULL;
    }
    say(d, "%08zx  VIOLATION: opcode %u is unknown at DDI level %u", offset, header[0], d->stream.ddi_level);
    d->violations++;
    return false;
}

static bool describe_token(struct describer *d)
{
    size_t offset = d->cursor.position;
    const uint8_t *header = cursor_take(&d->cursor, 4);
    if (!header) {
        say(d, "%08zx  VIOLATION: header cut, %zu bytes left", offset, d->cursor.end - offset);
        d->violations++;
        return false;
    }
    uint32_t opcode = header[0], count = le16(header + 2);
    const struct opcode *row = dp2_opcode_find(&d->stream, opcode);
    if (!row)
        return describe_unknown(d, offset, header);
    struct cursor payload = d->cursor;
    if (!dp2_opcode_measure(row, &d->stream, &d->cursor, count)) {
        say(d, "%08zx  %s n=%u VIOLATION: payload reaches past the end at 0x%zx", offset, row->name, count, d->cursor.end);
        d->violations++;
        return false;
    }
    size_t byte_count = d->cursor.position - payload.position;
    const uint8_t *bytes = payload.bytes + payload.position;
    char text[LINE_BYTES] = "";
    if (byte_count >= row->head_bytes)
        print_fields(text, sizeof(text), row->head_fields, bytes);
    say(d, "%08zx  %s n=%u bytes=%zu%s", offset, row->name, count, byte_count + 4, text);
    describe_records(d, row, opcode, count, bytes, byte_count);
    if (!*row->record_fields && !*row->head_fields)
        describe_variable(d, opcode, count, bytes, byte_count);
    payload.end = d->cursor.position;
    if (d->triangles && (row->flags & OPCODE_DRAWS))
        describe_primitives(d, opcode, count, payload);
    return true;
}

uint32_t cdxr_dp2_describe(const struct cdxr_dp2_config *config, const struct cdxr_dp2_call *call, int triangles, cdxr_dp2_line_fn line, void *cookie)
{
    struct describer d = {.line = line, .cookie = cookie, .triangles = triangles != 0};
    struct fvf_layout layout;
    d.stream = (struct stream){config->ddi_level, (call->flags & D3DHALDP2_EXECUTEBUFFER) != 0, 0, &config->policies};
    dp2_fvf_layout_init(d.stream.execute_buffer ? D3DFVF_TLVERTEX : call->vertex_type, &layout);
    bool plausible = call->vertex_stride >= layout.vertex_bytes && call->vertex_stride <= 0xFFFF && call->vertex_stride;
    d.stream.stride_bytes = d.stream.execute_buffer ? 32 : plausible ? call->vertex_stride : layout.vertex_bytes;
    d.vertex_limit = call->vertex_count;
    uint64_t end = (uint64_t)call->command_offset + call->command_length;
    if (!call->command_length || !call->commands || call->command_offset > call->commands_bytes)
        return 0;
    d.cursor = (struct cursor){call->commands, call->command_offset, end < call->commands_bytes ? (size_t)end : call->commands_bytes, false};
    say(&d, "call: flags=0x%x fvf=0x%x stride=%u vertices=%u tokens=0x%x..0x%zx", call->flags, call->vertex_type, d.stream.stride_bytes,
        call->vertex_count, call->command_offset, d.cursor.end);
    while (d.cursor.position < d.cursor.end && describe_token(&d))
        ;
    return d.violations;
}
