/* SPDX-License-Identifier: MIT
 * The drawing tokens of DirectX 8: vertices come from bound streams, indices from a bound buffer. Bindings are
 * resolved here, at each draw, because buffers get new memory between calls. */
#include "dp2/context.h"

/* The format that the current vertex shader handle means; false (reported) when nothing can be drawn with it. */
static bool resolve_layout(struct run *run, struct fvf_layout *layout)
{
    const struct dp2_state *state = &run->context->state;
    if (state->vertex_shader & 1) {
        const struct state_shader *shader = dp2_state_shader_find(state->vertex_shaders, state->vertex_shader_count, state->vertex_shader);
        dp2_report(run, CDXR_DP2_SEVERITY_ERROR, "vertex shader 0x%x %s: programmable vertex processing is not available", state->vertex_shader,
                   shader ? "is bound" : "is bound but was never created");
        return false;
    }
    uint32_t code = state->vertex_shader ? state->vertex_shader : run->call->vertex_type;
    if (dp2_fvf_layout_init(code, layout))
        return true;
    dp2_report(run, CDXR_DP2_SEVERITY_ERROR, "vertex format 0x%x has no position", code);
    return false;
}

/* Vertices of stream 0 from byte_offset on. False: nothing usable is bound (reported). */
static bool resolve_stream(struct run *run, uint64_t byte_offset, const struct fvf_layout *layout, struct vertex_source *source)
{
    const struct state_stream *stream = &run->context->state.stream[0];
    uint64_t byte_count = 0;
    *source = (struct vertex_source){NULL, stream->stride_bytes, 0, layout};
    if (stream->user_memory) {
        source->bytes = (const uint8_t *)run->call->vertices;
        byte_count = run->call->vertices ? run->call->vertices_bytes : 0;
        byte_offset += run->call->vertex_offset;
    } else {
        const struct surface *buffer = dp2_space_surface(run->context->space, stream->handle);
        if (!buffer || buffer->format.kind != FORMAT_KIND_BUFFER) {
            dp2_report(run, CDXR_DP2_SEVERITY_WARNING, "stream 0 has no vertex buffer (handle 0x%x)", stream->handle);
            return false;
        }
        source->bytes = buffer->levels[0].memory;
        byte_count = buffer->levels[0].byte_count;
    }
    if (source->stride_bytes < layout->vertex_bytes)
        source->stride_bytes = layout->vertex_bytes;
    if (source->stride_bytes > 0xFFFF || byte_offset > byte_count)
        return true; /* no vertex at all: every index is out of range */
    source->bytes = source->bytes ? source->bytes + byte_offset : NULL;
    byte_count -= byte_offset;
    if (byte_count >= layout->vertex_bytes)
        source->limit = (byte_count - layout->vertex_bytes) / source->stride_bytes + 1;
    return true;
}

static bool check_kind(struct run *run, uint32_t kind)
{
    if (kind >= ASSEMBLY_POINTS && kind <= ASSEMBLY_TRIANGLE_FAN)
        return true;
    dp2_report(run, CDXR_DP2_SEVERITY_WARNING, "primitive type %u is not 1..6", kind);
    return false;
}

/* Skip the record in lenient mode, fail the call in strict mode; the reason was reported. */
static enum token_answer skip(struct run *run)
{
    return run->context->config.strict ? TOKEN_BAD : TOKEN_DONE;
}

static enum token_answer draw_stream(struct run *run, struct assembly *assembly, uint64_t byte_offset)
{
    struct fvf_layout layout;
    struct vertex_source source;
    if (!resolve_layout(run, &layout))
        return TOKEN_BAD;
    if (run->context->state.pixel_shader) {
        dp2_report(run, CDXR_DP2_SEVERITY_ERROR, "pixel shader 0x%x is bound: programmable pixel processing is not available",
                   run->context->state.pixel_shader);
        return TOKEN_BAD;
    }
    if (!resolve_stream(run, byte_offset, &layout, &source))
        return skip(run);
    return dp2_draw(run, assembly, &source);
}

enum token_answer dp2_token_draw_primitive(struct run *run, const uint8_t *payload)
{
    enum token_answer answer = TOKEN_DONE;
    for (uint32_t i = 0; i < run->count && answer == TOKEN_DONE; i++, payload += 12) {
        struct assembly assembly = {.kind = le32(payload), .base = le32(payload + 4), .primitive_count = le32(payload + 8)};
        answer = check_kind(run, le32(payload)) ? draw_stream(run, &assembly, 0) : skip(run);
    }
    return answer;
}

enum token_answer dp2_token_draw_primitive2(struct run *run, const uint8_t *payload)
{
    enum token_answer answer = TOKEN_DONE;
    for (uint32_t i = 0; i < run->count && answer == TOKEN_DONE; i++, payload += 12) {
        struct assembly assembly = {.kind = le32(payload), .primitive_count = le32(payload + 8)};
        answer = check_kind(run, le32(payload)) ? draw_stream(run, &assembly, le32(payload + 4)) : skip(run);
    }
    return answer;
}

enum token_answer dp2_token_clipped_triangle_fan(struct run *run, const uint8_t *payload)
{
    enum token_answer answer = TOKEN_DONE;
    for (uint32_t i = 0; i < run->count && answer == TOKEN_DONE; i++, payload += 12) {
        struct assembly assembly = {.kind = ASSEMBLY_TRIANGLE_FAN, .has_edge_flags = true, .edge_flags = le32(payload + 4),
                                    .primitive_count = le32(payload + 8)};
        answer = draw_stream(run, &assembly, le32(payload));
    }
    return answer;
}

/* Indices from byte_offset of the bound index buffer on; trims the primitive count to the indices there are. */
static bool resolve_indices(struct run *run, uint64_t byte_offset, struct assembly *assembly)
{
    const struct state_stream *binding = &run->context->state.indices;
    const struct surface *buffer = dp2_space_surface(run->context->space, binding->handle);
    if (!buffer || buffer->format.kind != FORMAT_KIND_BUFFER || (binding->stride_bytes != 2 && binding->stride_bytes != 4)) {
        dp2_report(run, CDXR_DP2_SEVERITY_WARNING, "no index buffer (handle 0x%x, stride %u)", binding->handle, binding->stride_bytes);
        return false;
    }
    assembly->indices_kind = binding->stride_bytes == 2 ? ASSEMBLY_INDICES_16 : ASSEMBLY_INDICES_32;
    uint64_t byte_count = buffer->levels[0].byte_count;
    uint64_t there = byte_offset < byte_count ? (byte_count - byte_offset) / binding->stride_bytes : 0;
    if (dp2_assembly_vertex_count(assembly->kind, assembly->primitive_count) > there) {
        dp2_report(run, CDXR_DP2_SEVERITY_WARNING, "%u primitives need more than the %llu indices of buffer 0x%x from byte %llu on",
                   assembly->primitive_count, (unsigned long long)there, binding->handle, (unsigned long long)byte_offset);
        if (run->context->config.strict)
            return false;
        uint64_t first = dp2_assembly_vertex_count(assembly->kind, 0);
        uint64_t each = dp2_assembly_vertex_count(assembly->kind, 1) - first;
        assembly->primitive_count = there > first ? (uint32_t)((there - first) / each) : 0;
    }
    assembly->indices = there ? (const uint8_t *)buffer->levels[0].memory + byte_offset : NULL;
    return true;
}

enum token_answer dp2_token_draw_indexed_primitive(struct run *run, const uint8_t *payload)
{
    enum token_answer answer = TOKEN_DONE;
    for (uint32_t i = 0; i < run->count && answer == TOKEN_DONE; i++, payload += 24) {
        struct assembly assembly = {.kind = le32(payload), .base = le32(payload + 4), .primitive_count = le32(payload + 20)};
        uint64_t byte_offset = (uint64_t)le32(payload + 16) * run->context->state.indices.stride_bytes;
        bool usable = check_kind(run, le32(payload)) && resolve_indices(run, byte_offset, &assembly);
        answer = usable ? draw_stream(run, &assembly, 0) : skip(run);
    }
    return answer;
}

/* The base is a signed byte offset into stream 0. One that is negative counts back from the indices: it becomes a vertex base
 * when the stride divides it, as every runtime makes it. */
enum token_answer dp2_token_draw_indexed_primitive2(struct run *run, const uint8_t *payload)
{
    enum token_answer answer = TOKEN_DONE;
    for (uint32_t i = 0; i < run->count && answer == TOKEN_DONE; i++, payload += 24) {
        struct assembly assembly = {.kind = le32(payload), .primitive_count = le32(payload + 20)};
        int64_t base = (int32_t)le32(payload + 4), stride = run->context->state.stream[0].stride_bytes;
        if (stride && base % stride == 0) {
            assembly.base = base / stride;
            base = 0;
        }
        bool usable = check_kind(run, le32(payload)) && resolve_indices(run, le32(payload + 16), &assembly);
        if (base < 0)
            dp2_report(run, CDXR_DP2_SEVERITY_WARNING, "base offset %lld is negative and no multiple of the stride", (long long)base);
        answer = usable && base >= 0 ? draw_stream(run, &assembly, (uint64_t)base) : skip(run);
    }
    return answer;
}

enum token_answer dp2_token_draw_patch(struct run *run, const uint8_t *payload)
{
    if (!run->count)
        return TOKEN_DONE;
    dp2_report(run, CDXR_DP2_SEVERITY_ERROR, "patch 0x%x: higher-order primitives are not available", le32(payload));
    return skip(run);
}
