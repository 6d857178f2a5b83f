/* SPDX-License-Identifier: MIT
 * The drawing tokens of DirectX 8: vertices come from bound streams, indices from a bound buffer. Bindings are
 * resolved here, at each draw, because buffers get new memory between calls. */
#include <stdlib.h>

#include "dp2/context.h"
#include "dp2/declaration.h"

/* The format that the current vertex shader handle means; false (reported) when nothing can be drawn with it. A handle of a declaration
 * without code is the fixed function: *declared points to the declaration then. */
static bool resolve_layout(struct run *run, struct fvf_layout *layout, const struct state_shader **declared)
{
    const struct dp2_state *state = &run->context->state;
    *declared = NULL;
    if (state->vertex_shader & 1) {
        const struct state_shader *shader = dp2_state_shader_find(state->vertex_shaders, state->vertex_shader_count, state->vertex_shader);
        *declared = shader && !shader->code_bytes ? shader : NULL;
        if (*declared)
            return true;
        dp2_report(run, CDXR_DP2_SEVERITY_ERROR, "vertex shader 0x%x %s: programmable vertex processing is not available", state->vertex_shader,
                   shader ? "is bound" : "is bound but was never created");
        return false;
    }
    uint32_t code = state->vertex_shader ? state->vertex_shader : run->call->vertex_type;
    if (dp2_fvf_layout_init(code, layout)) {
        layout->point_size_counts = true;
        return true;
    }
    dp2_report(run, CDXR_DP2_SEVERITY_ERROR, "vertex format 0x%x has no position", code);
    return false;
}

/* Vertices of one stream from byte_offset on, each of at least vertex_bytes. False: nothing usable is bound (reported). */
static bool resolve_stream(struct run *run, uint32_t number, uint64_t byte_offset, uint32_t vertex_bytes, struct vertex_source *source)
{
    const struct state_stream *stream = &run->context->state.stream[number];
    uint64_t byte_count = 0;
    *source = (struct vertex_source){NULL, stream->stride_bytes, 0, source->layout};
    if (stream->user_memory) {
        source->bytes = (const uint8_t *)run->call->vertices;
        byte_count = run->call->vertices ? run->call->vertices_bytes : 0;
        byte_offset += run->call->vertex_offset;
    } else {
        const struct surface *buffer = dp2_space_surface(run->context->space, stream->handle);
        if (!buffer || buffer->format.kind != FORMAT_KIND_BUFFER) {
            dp2_report(run, CDXR_DP2_SEVERITY_WARNING, "stream %u has no vertex buffer (handle 0x%x)", number, stream->handle);
            return false;
        }
        source->bytes = buffer->levels[0].memory;
        byte_count = buffer->levels[0].byte_count;
    }
    if (source->stride_bytes < vertex_bytes)
        source->stride_bytes = vertex_bytes;
    if (source->stride_bytes > 0xFFFF || byte_offset > byte_count)
        return true; /* no vertex at all: every index is out of range */
    source->bytes = source->bytes ? source->bytes + byte_offset : NULL;
    byte_count -= byte_offset;
    if (byte_count >= vertex_bytes)
        source->limit = (byte_count - vertex_bytes) / source->stride_bytes + 1;
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

/* ---- declarations: packed vertices gathered from all streams ---- */

struct gathered {
    struct declaration declaration;
    struct declaration_stream streams[STATE_STREAMS];
    uint64_t limit;             /* vertices that every stream has */
};

static bool resolve_streams(struct run *run, uint64_t byte_offset, struct gathered *g)
{
    g->limit = UINT64_MAX;
    for (uint32_t i = 0; i < STATE_STREAMS; i++) {
        struct vertex_source source = {.layout = &g->declaration.layout};
        if (!(g->declaration.streams_mask >> i & 1))
            continue;
        if (!resolve_stream(run, i, i ? 0 : byte_offset, g->declaration.stream_bytes[i], &source))
            return false;
        g->streams[i] = (struct declaration_stream){source.bytes, source.stride_bytes};
        g->limit = source.limit < g->limit ? source.limit : g->limit;
    }
    return true;
}

/* The lowest and highest vertex in range that the primitives use; false: none. */
static bool used_range(const struct assembly *assembly, uint64_t limit, uint64_t *low, uint64_t *high)
{
    *low = UINT64_MAX;
    *high = 0;
    for (uint32_t k = 0; k < assembly->primitive_count; k++) {
        struct primitive primitive;
        dp2_assemble(assembly, k, &primitive);
        for (int i = 0; i < primitive.vertex_count; i++) {
            uint64_t index = (uint64_t)primitive.index[i];
            if (index >= limit)
                continue;
            *low = index < *low ? index : *low;
            *high = index > *high ? index : *high;
        }
    }
    return *low <= *high;
}

static float tween_factor(const struct dp2_state *state)
{
    float factor = float_from_bits(state->render[D3DRENDERSTATE_TWEENFACTOR]);
    if (state->render[D3DRENDERSTATE_VERTEXBLEND] != CDXR_D3DVBF_TWEENING)
        return -1;
    return factor > 0 ? (factor < 1 ? factor : 1) : 0;
}

/* Nothing outlives the call of the token: gather, draw, flush, free. */
static enum token_answer draw_gathered(struct run *run, struct assembly *assembly, const struct gathered *g)
{
    uint64_t low, high, packed = g->declaration.layout.vertex_bytes;
    if (assembly->primitive_count > run->vertices_left)
        assembly->primitive_count = (uint32_t)run->vertices_left;
    if (!used_range(assembly, g->limit, &low, &high))
        return dp2_draw(run, assembly, &(struct vertex_source){NULL, (uint32_t)packed, 0, &g->declaration.layout});
    uint8_t *bytes = high - low < run->vertices_left ? malloc((high - low + 1) * packed) : NULL;
    if (!bytes) {
        dp2_report(run, CDXR_DP2_SEVERITY_WARNING, "vertices %llu..%llu are beyond the call's limit, or memory", (unsigned long long)low, (unsigned long long)high);
        return skip(run);
    }
    float tween = tween_factor(&run->context->state);
    for (uint64_t i = low; i <= high; i++)
        dp2_declaration_gather(&g->declaration, g->streams, i, tween, bytes + (i - low) * packed);
    assembly->base -= (int64_t)low;
    enum token_answer answer = dp2_draw(run, assembly, &(struct vertex_source){bytes, (uint32_t)packed, high - low + 1, &g->declaration.layout});
    assembly->base += (int64_t)low;
    dp2_flush(run->context);
    free(bytes);
    return answer;
}

static enum token_answer draw_declared(struct run *run, struct assembly *assembly, uint64_t byte_offset, const struct state_shader *shader)
{
    struct gathered g = {.limit = 0};
    const char *reason;
    if (!dp2_declaration_read(shader->bytes, shader->declaration_bytes, &g.declaration, &reason)) {
        dp2_report(run, CDXR_DP2_SEVERITY_ERROR, "declaration of vertex shader 0x%x: %s", shader->handle, reason);
        return TOKEN_BAD;
    }
    return resolve_streams(run, byte_offset, &g) ? draw_gathered(run, assembly, &g) : skip(run);
}

static bool pixel_shader_bound(struct run *run)
{
    uint32_t handle = run->context->state.pixel_shader;
    if (handle)
        dp2_report(run, CDXR_DP2_SEVERITY_ERROR, "pixel shader 0x%x is bound: programmable pixel processing is not available", handle);
    return handle != 0;
}

static enum token_answer draw_stream(struct run *run, struct assembly *assembly, uint64_t byte_offset)
{
    struct fvf_layout layout;
    const struct state_shader *declared;
    if (!resolve_layout(run, &layout, &declared) || pixel_shader_bound(run))
        return TOKEN_BAD;
    if (declared)
        return draw_declared(run, assembly, byte_offset, declared);
    struct vertex_source source = {.layout = &layout};
    if (!resolve_stream(run, 0, byte_offset, layout.vertex_bytes, &source))
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

/* ---- patches ---- */

static enum token_answer draw_patch(struct run *run, const struct state_patch *patch, const struct vertex_source *source)
{
    return patch->rect ? dp2_draw_rect_patch(run, patch, source) : dp2_draw_tri_patch(run, patch, source);
}

/* All vertices there are, packed: patches pick theirs. */
static enum token_answer draw_declared_patch(struct run *run, const struct state_patch *patch, const struct state_shader *shader)
{
    struct gathered g = {.limit = 0};
    const char *reason;
    if (!dp2_declaration_read(shader->bytes, shader->declaration_bytes, &g.declaration, &reason)) {
        dp2_report(run, CDXR_DP2_SEVERITY_ERROR, "declaration of vertex shader 0x%x: %s", shader->handle, reason);
        return TOKEN_BAD;
    }
    if (!resolve_streams(run, 0, &g))
        return skip(run);
    uint64_t packed = g.declaration.layout.vertex_bytes, count = g.limit < 0xFFFF ? g.limit : 0xFFFF;
    uint8_t *bytes = count < run->vertices_left ? malloc(count * packed + 1) : NULL;
    if (!bytes)
        return skip(run);
    run->vertices_left -= count;
    for (uint64_t i = 0; i < count; i++)
        dp2_declaration_gather(&g.declaration, g.streams, i, tween_factor(&run->context->state), bytes + i * packed);
    enum token_answer answer = draw_patch(run, patch, &(struct vertex_source){bytes, (uint32_t)packed, count, &g.declaration.layout});
    free(bytes);
    return answer;
}

enum token_answer dp2_draw_patch_from_streams(struct run *run, const struct state_patch *patch)
{
    struct fvf_layout layout;
    const struct state_shader *declared;
    if (!resolve_layout(run, &layout, &declared) || pixel_shader_bound(run))
        return TOKEN_BAD;
    if (declared)
        return draw_declared_patch(run, patch, declared);
    struct vertex_source source = {.layout = &layout};
    return resolve_stream(run, 0, 0, layout.vertex_bytes, &source) ? draw_patch(run, patch, &source) : skip(run);
}
