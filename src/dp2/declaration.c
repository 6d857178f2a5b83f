/* SPDX-License-Identifier: MIT */
#include "dp2/declaration.h"

#include <string.h>

#include "dp2/bytes.h"

enum { TOKEN_NOP, TOKEN_STREAM, TOKEN_STREAM_DATA, TOKEN_TESSELLATOR, TOKEN_CONSTANTS, TOKEN_EXTENSION, TOKEN_END = 7, SKIP_BIT = 28 };

static const uint8_t type_bytes[DECLARATION_TYPES] = {4, 8, 12, 16, 4, 4, 4, 8};

/* ---- tokens ---- */

struct reader {
    uint32_t stream, offset_bytes;
    const char *reason;
};

static bool refuse(struct reader *reader, const char *reason)
{
    reader->reason = reason;
    return false;
}

static bool read_element(struct reader *reader, uint32_t token, struct declaration *d)
{
    uint32_t type = token >> 16 & 15, number = token & 31;
    if (token >> SKIP_BIT & 1) {
        reader->offset_bytes += type * 4; /* the field counts DWORDs to leap over */
        return true;
    }
    if (type >= DECLARATION_TYPES || number >= DECLARATION_REGISTERS)
        return refuse(reader, "an element has an unknown type or register");
    d->elements[number] = (struct declaration_element){(uint8_t)type, (uint8_t)reader->stream, (uint16_t)reader->offset_bytes};
    reader->offset_bytes += type_bytes[type];
    if (reader->offset_bytes > 2048)
        return refuse(reader, "a vertex is longer than 2048 bytes");
    d->streams_mask |= 1u << reader->stream;
    if (reader->offset_bytes > d->stream_bytes[reader->stream])
        d->stream_bytes[reader->stream] = reader->offset_bytes;
    return true;
}

static bool read_tokens(struct reader *reader, const uint8_t *bytes, size_t byte_count, struct declaration *d)
{
    for (size_t i = 0; i + 4 <= byte_count; i += 4) {
        uint32_t token = le32(bytes + i);
        switch (token >> 29) {
        case TOKEN_NOP:
        case TOKEN_TESSELLATOR: break;
        case TOKEN_STREAM:
            reader->stream = token & (STATE_STREAMS - 1);
            reader->offset_bytes = 0;
            break;
        case TOKEN_STREAM_DATA:
            if (!read_element(reader, token, d))
                return false;
            break;
        case TOKEN_CONSTANTS: i += (token >> 25 & 15) * (size_t)16; break; /* of shaders alone */
        case TOKEN_EXTENSION: i += (token >> 24 & 31) * (size_t)4; break;
        case TOKEN_END: return true;
        default: return refuse(reader, "an unknown token");
        }
    }
    return refuse(reader, "the end token is missing");
}

/* ---- the packed vertex ---- */

static bool is_fed(const struct declaration *d, uint32_t number)
{
    return d->elements[number].type != DECLARATION_NONE;
}

static bool has_type(const struct declaration *d, uint32_t number, uint32_t low, uint32_t high)
{
    uint32_t type = d->elements[number].type;
    return type == DECLARATION_NONE || (type >= low && type <= high);
}

static bool check_types(struct reader *reader, const struct declaration *d)
{
    uint32_t position = d->elements[DECLARATION_POSITION].type;
    if (position != DECLARATION_FLOAT3 && position != DECLARATION_FLOAT4)
        return refuse(reader, "POSITION is missing or neither FLOAT3 nor FLOAT4");
    bool fits = has_type(d, DECLARATION_BLEND_WEIGHT, DECLARATION_FLOAT1, DECLARATION_FLOAT4) &&
                has_type(d, DECLARATION_BLEND_INDICES, DECLARATION_UBYTE4, DECLARATION_UBYTE4) &&
                has_type(d, DECLARATION_NORMAL, DECLARATION_FLOAT3, DECLARATION_FLOAT3) &&
                has_type(d, DECLARATION_POINT_SIZE, DECLARATION_FLOAT1, DECLARATION_FLOAT1) &&
                has_type(d, DECLARATION_DIFFUSE, DECLARATION_COLOR, DECLARATION_COLOR) &&
                has_type(d, DECLARATION_SPECULAR, DECLARATION_COLOR, DECLARATION_COLOR) &&
                has_type(d, DECLARATION_POSITION2, DECLARATION_FLOAT3, DECLARATION_FLOAT3) &&
                has_type(d, DECLARATION_NORMAL2, DECLARATION_FLOAT3, DECLARATION_FLOAT3);
    return fits || refuse(reader, "an element has a type that the fixed function does not take");
}

static uint8_t coordinate_floats(uint32_t type)
{
    static const uint8_t floats[DECLARATION_TYPES] = {1, 2, 3, 4, 0, 0, 2, 4};
    return type < DECLARATION_TYPES ? floats[type] : 0;
}

static uint8_t place(bool present, uint32_t byte_count, uint32_t *offset)
{
    uint8_t here = present ? (uint8_t)*offset : FVF_ABSENT;
    *offset += present ? byte_count : 0;
    return here;
}

static void build_layout(struct declaration *d)
{
    struct fvf_layout *layout = &d->layout;
    bool pretransformed = d->elements[DECLARATION_POSITION].type == DECLARATION_FLOAT4, indices = is_fed(d, DECLARATION_BLEND_INDICES);
    uint32_t weights = is_fed(d, DECLARATION_BLEND_WEIGHT) ? d->elements[DECLARATION_BLEND_WEIGHT].type + 1u : 0;
    uint32_t offset = pretransformed ? 16 : 12;
    memset(layout, 0, sizeof(*layout));
    memset(layout->set_offset, FVF_ABSENT, sizeof(layout->set_offset));
    layout->pretransformed = pretransformed;
    layout->point_size_counts = true;
    layout->beta_count = pretransformed ? 0 : (uint8_t)(weights + indices);
    layout->last_beta_indices = indices;
    layout->beta_offset = place(layout->beta_count, 4u * layout->beta_count, &offset);
    layout->normal_offset = place(is_fed(d, DECLARATION_NORMAL), 12, &offset);
    layout->point_size_offset = place(is_fed(d, DECLARATION_POINT_SIZE), 4, &offset);
    layout->diffuse_offset = place(is_fed(d, DECLARATION_DIFFUSE), 4, &offset);
    layout->specular_offset = place(is_fed(d, DECLARATION_SPECULAR), 4, &offset);
    for (uint32_t i = 0; i < FVF_TEXTURE_SETS; i++) {
        layout->set_floats[i] = coordinate_floats(d->elements[DECLARATION_TEXTURE0 + i].type);
        layout->set_offset[i] = place(layout->set_floats[i], 4u * layout->set_floats[i], &offset);
        if (layout->set_floats[i])
            layout->set_count = (uint8_t)(i + 1);
    }
    layout->vertex_bytes = (uint8_t)offset; /* at most 12 + 20 + 12 + 4 + 8 + 128 */
}

bool dp2_declaration_read(const uint8_t *bytes, size_t byte_count, struct declaration *declaration, const char **reason)
{
    struct reader reader = {0};
    memset(declaration, 0, sizeof(*declaration));
    for (uint32_t i = 0; i < DECLARATION_REGISTERS; i++)
        declaration->elements[i].type = DECLARATION_NONE;
    bool read = read_tokens(&reader, bytes, byte_count, declaration) && check_types(&reader, declaration);
    *reason = reader.reason;
    if (read)
        build_layout(declaration);
    return read;
}

/* ---- one vertex ---- */

static const uint8_t *element_at(const struct declaration *d, const struct declaration_stream *streams, uint32_t number, uint64_t index)
{
    const struct declaration_element *element = &d->elements[number];
    return streams[element->stream].bytes + index * streams[element->stream].stride_bytes + element->offset_bytes;
}

static void copy(const struct declaration *d, const struct declaration_stream *streams, uint32_t number, uint64_t index, uint8_t *out, uint32_t offset)
{
    if (offset != FVF_ABSENT && is_fed(d, number))
        memcpy(out + offset, element_at(d, streams, number, index), type_bytes[d->elements[number].type]);
}

static void copy_coordinates(const struct declaration *d, const struct declaration_stream *streams, uint32_t set, uint64_t index, uint8_t *out)
{
    uint32_t number = DECLARATION_TEXTURE0 + set, offset = d->layout.set_offset[set];
    if (d->elements[number].type < DECLARATION_SHORT2) {
        copy(d, streams, number, index, out, offset);
        return;
    }
    const uint8_t *from = element_at(d, streams, number, index);
    for (uint32_t i = 0; i < d->layout.set_floats[set]; i++)
        put_le32(out + offset + i * 4, bits_from_float((float)(int16_t)le16(from + i * 2)));
}

/* out = out + (other - out) * t, three floats. */
static void tween_floats(const uint8_t *other, float t, uint8_t *out)
{
    for (int i = 0; i < 3; i++) {
        float a = le_float(out + i * 4);
        put_le32(out + i * 4, bits_from_float(a + (le_float(other + i * 4) - a) * t));
    }
}

void dp2_declaration_gather(const struct declaration *declaration, const struct declaration_stream streams[STATE_STREAMS], uint64_t index,
                            float tween, uint8_t *out)
{
    const struct fvf_layout *layout = &declaration->layout;
    copy(declaration, streams, DECLARATION_POSITION, index, out, 0);
    copy(declaration, streams, DECLARATION_BLEND_WEIGHT, index, out, layout->beta_offset);
    if (layout->last_beta_indices && layout->beta_count)
        copy(declaration, streams, DECLARATION_BLEND_INDICES, index, out, layout->beta_offset + 4u * (layout->beta_count - 1u));
    copy(declaration, streams, DECLARATION_NORMAL, index, out, layout->normal_offset);
    copy(declaration, streams, DECLARATION_POINT_SIZE, index, out, layout->point_size_offset);
    copy(declaration, streams, DECLARATION_DIFFUSE, index, out, layout->diffuse_offset);
    copy(declaration, streams, DECLARATION_SPECULAR, index, out, layout->specular_offset);
    for (uint32_t i = 0; i < FVF_TEXTURE_SETS; i++)
        if (layout->set_floats[i])
            copy_coordinates(declaration, streams, i, index, out);
    if (!(tween >= 0))
        return;
    if (is_fed(declaration, DECLARATION_POSITION2))
        tween_floats(element_at(declaration, streams, DECLARATION_POSITION2, index), tween, out);
    if (is_fed(declaration, DECLARATION_NORMAL2) && layout->normal_offset != FVF_ABSENT)
        tween_floats(element_at(declaration, streams, DECLARATION_NORMAL2, index), tween, out + layout->normal_offset);
}
