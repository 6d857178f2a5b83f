/* SPDX-License-Identifier: MIT
 * Tokens that bind objects to the context: palettes, targets, shaders, streams, hints. */
#include <stdlib.h>

#include "dp2/capture.h"
#include "dp2/context.h"

/* Policy record_zero: what a count of 0 means for tokens of records. */
static enum token_answer zero_records(struct run *run)
{
    if (run->context->config.policies.record_zero != CDXR_DP2_RECORD_ZERO_ERROR)
        return TOKEN_DONE;
    dp2_report(run, CDXR_DP2_SEVERITY_ERROR, "count 0 (policy record_zero)");
    return TOKEN_BAD;
}

/* ---- palettes ---- */

enum token_answer dp2_token_set_palette(struct run *run, const uint8_t *payload)
{
    dp2_flush(run->context);
    for (uint32_t i = 0; i < run->count; i++) {
        uint32_t handle = le32(payload + i * 12), flags = le32(payload + i * 12 + 4), target = le32(payload + i * 12 + 8);
        struct palette *palette = handle ? dp2_space_palette(run->context->space, handle, true) : NULL;
        struct surface *surface = dp2_space_surface(run->context->space, target);
        if (palette)
            palette->has_alpha = (flags & DDRAWIPAL_ALPHA) != 0;
        if (!surface || (handle && !palette)) {
            if (dp2_violation(run, "palette 0x%x cannot be set on surface 0x%x: %s", handle, target, surface ? "too many palettes" : "no such surface"))
                return TOKEN_BAD;
            continue;
        }
        surface->palette = handle;
    }
    run->context->state_changed = true;
    return run->count ? TOKEN_DONE : zero_records(run);
}

static enum token_answer update_one_palette(struct run *run, const uint8_t *record)
{
    uint32_t handle = le32(record), start = le16(record + 4), count = le16(record + 6);
    struct palette *palette = dp2_space_palette(run->context->space, handle, true);
    if (!palette)
        return dp2_violation(run, "palette 0x%x: no such palette and no room for it", handle) ? TOKEN_BAD : TOKEN_DONE;
    if (start + count > PALETTE_ENTRIES) {
        if (run->context->config.policies.palette_range == CDXR_DP2_PALETTE_RANGE_REJECT) {
            dp2_report(run, CDXR_DP2_SEVERITY_ERROR, "entries %u..%u of palette 0x%x exceed 256 (policy palette_range)", start, start + count, handle);
            return TOKEN_BAD;
        }
        if (dp2_violation(run, "entries %u..%u of palette 0x%x exceed 256, the rest is dropped", start, start + count, handle))
            return TOKEN_BAD;
        count = start < PALETTE_ENTRIES ? PALETTE_ENTRIES - start : 0;
    }
    if (count)
        memcpy(palette->entries[start], record + 8, (size_t)count * 4);
    return TOKEN_DONE;
}

/* One record whatever the count says, unless the policy reads the count. */
enum token_answer dp2_token_update_palette(struct run *run, const uint8_t *payload)
{
    bool many = run->context->config.policies.palette_many == CDXR_DP2_PALETTE_COUNT_RECORDS;
    uint32_t records = many ? run->count : 1;
    enum token_answer answer = TOKEN_DONE;
    dp2_flush(run->context);
    if (run->count != 1 && !many)
        dp2_report(run, CDXR_DP2_SEVERITY_NOTE, "count %u, one record read (policy palette_many)", run->count);
    for (uint32_t i = 0; i < records && answer == TOKEN_DONE; i++) {
        answer = update_one_palette(run, payload);
        payload += 8 + 4u * le16(payload + 6);
    }
    run->context->state_changed = true;
    return answer;
}

/* ---- targets and hints ---- */

enum token_answer dp2_token_set_render_target(struct run *run, const uint8_t *payload)
{
    bool one = run->context->config.policies.target_many == CDXR_DP2_TARGET_READ_ONE;
    if (!run->count && !one)
        return zero_records(run);
    if (run->count != 1)
        dp2_report(run, CDXR_DP2_SEVERITY_NOTE, "count %u, %s (policy target_many)", run->count, one ? "one record read" : "the last record counts");
    const uint8_t *record = payload + (one || !run->count ? 0 : (run->count - 1) * 8);
    uint32_t target = le32(record), depth = le32(record + 4);
    const struct surface *color = dp2_space_surface(run->context->space, target);
    const struct surface *z = dp2_space_surface(run->context->space, depth);
    if ((!color || !(color->description.flags & CDXR_DP2_SURFACE_TARGET)) && dp2_violation(run, "surface 0x%x is no colour target", target))
        return TOKEN_BAD;
    if (depth && (!z || !(z->description.flags & CDXR_DP2_SURFACE_DEPTH)) && dp2_violation(run, "surface 0x%x is no depth buffer", depth))
        return TOKEN_BAD;
    dp2_flush(run->context);
    run->context->state.target = target;
    run->context->state.depth = depth;
    run->context->state_changed = true;
    return TOKEN_DONE;
}

enum token_answer dp2_token_set_priority(struct run *run, const uint8_t *payload)
{
    for (uint32_t i = 0; i < run->count; i++) {
        struct surface *surface = dp2_space_surface(run->context->space, le32(payload + i * 8));
        if (surface)
            surface->priority = le32(payload + i * 8 + 4);
        else if (dp2_violation(run, "surface 0x%x does not exist", le32(payload + i * 8)))
            return TOKEN_BAD;
    }
    return TOKEN_DONE;
}

enum token_answer dp2_token_set_texture_lod(struct run *run, const uint8_t *payload)
{
    dp2_flush(run->context);
    for (uint32_t i = 0; i < run->count; i++) {
        struct surface *surface = dp2_space_surface(run->context->space, le32(payload + i * 8));
        if (surface)
            surface->lod = le32(payload + i * 8 + 4);
        else if (dp2_violation(run, "surface 0x%x does not exist", le32(payload + i * 8)))
            return TOKEN_BAD;
    }
    run->context->state_changed = true;
    return TOKEN_DONE;
}

/* Memory is read at each draw: nothing is cached that a dirty region would have to invalidate. */
enum token_answer dp2_token_add_dirty(struct run *run, const uint8_t *payload)
{
    for (uint32_t i = 0; i < run->count; i++, payload += run->row->record_bytes)
        if (!dp2_space_surface(run->context->space, le32(payload)) && dp2_violation(run, "surface 0x%x does not exist", le32(payload)))
            return TOKEN_BAD;
    return TOKEN_DONE;
}

/* ---- shaders: kept, never run ---- */

static bool keep_shader(struct run *run, struct state_shader **list, uint32_t *count, const struct state_shader *shader, const uint8_t *bytes)
{
    struct dp2_state *state = &run->context->state;
    size_t byte_count = (size_t)shader->declaration_bytes + shader->code_bytes;
    dp2_state_shader_remove(list, count, shader->handle, &state->kept_bytes);
    if (*count >= run->context->config.limits.shaders || state->kept_bytes + byte_count > run->context->config.limits.kept_bytes)
        return dp2_violation(run, "shader 0x%x of %zu bytes exceeds the limits", shader->handle, byte_count);
    if (dp2_state_shader_add(list, count, shader, bytes) != STATUS_OK)
        return dp2_violation(run, "no memory for shader 0x%x", shader->handle);
    state->kept_bytes += byte_count;
    return false;
}

enum token_answer dp2_token_create_vertex_shader(struct run *run, const uint8_t *payload)
{
    struct dp2_state *state = &run->context->state;
    for (uint32_t i = 0; i < run->count; i++) {
        struct state_shader shader = {le32(payload), le32(payload + 4), le32(payload + 8), NULL};
        if (keep_shader(run, &state->vertex_shaders, &state->vertex_shader_count, &shader, payload + 12))
            return TOKEN_BAD;
        payload += 12 + (size_t)shader.declaration_bytes + shader.code_bytes;
    }
    return TOKEN_DONE;
}

enum token_answer dp2_token_create_pixel_shader(struct run *run, const uint8_t *payload)
{
    struct dp2_state *state = &run->context->state;
    for (uint32_t i = 0; i < run->count; i++) {
        struct state_shader shader = {le32(payload), 0, le32(payload + 4), NULL};
        if (keep_shader(run, &state->pixel_shaders, &state->pixel_shader_count, &shader, payload + 8))
            return TOKEN_BAD;
        payload += 8 + (size_t)shader.code_bytes;
    }
    return TOKEN_DONE;
}

enum token_answer dp2_token_delete_vertex_shader(struct run *run, const uint8_t *payload)
{
    struct dp2_state *state = &run->context->state;
    for (uint32_t i = 0; i < run->count; i++) {
        if (!dp2_state_shader_find(state->vertex_shaders, state->vertex_shader_count, le32(payload + i * 4)) &&
            dp2_violation(run, "vertex shader 0x%x does not exist", le32(payload + i * 4)))
            return TOKEN_BAD;
        dp2_state_shader_remove(&state->vertex_shaders, &state->vertex_shader_count, le32(payload + i * 4), &state->kept_bytes);
    }
    return TOKEN_DONE;
}

enum token_answer dp2_token_delete_pixel_shader(struct run *run, const uint8_t *payload)
{
    struct dp2_state *state = &run->context->state;
    for (uint32_t i = 0; i < run->count; i++) {
        if (!dp2_state_shader_find(state->pixel_shaders, state->pixel_shader_count, le32(payload + i * 4)) &&
            dp2_violation(run, "pixel shader 0x%x does not exist", le32(payload + i * 4)))
            return TOKEN_BAD;
        dp2_state_shader_remove(&state->pixel_shaders, &state->pixel_shader_count, le32(payload + i * 4), &state->kept_bytes);
    }
    return TOKEN_DONE;
}

enum token_answer dp2_token_set_vertex_shader(struct run *run, const uint8_t *payload)
{
    for (uint32_t i = 0; i < run->count; i++)
        run->context->state.vertex_shader = le32(payload + i * 4);
    return TOKEN_DONE;
}

enum token_answer dp2_token_set_pixel_shader(struct run *run, const uint8_t *payload)
{
    for (uint32_t i = 0; i < run->count; i++)
        run->context->state.pixel_shader = le32(payload + i * 4);
    return TOKEN_DONE;
}

void dp2_capture_set_vertex_shader(struct cdxr_dp2_context *context, uint8_t *payload, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        put_le32(payload + i * 4, context->state.vertex_shader);
}

void dp2_capture_set_pixel_shader(struct cdxr_dp2_context *context, uint8_t *payload, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        put_le32(payload + i * 4, context->state.pixel_shader);
}

static enum token_answer set_constants(struct run *run, const uint8_t *payload, float (*constants)[4], uint32_t register_count)
{
    for (uint32_t i = 0; i < run->count; i++) {
        uint32_t first = le32(payload), count = le32(payload + 4);
        if ((uint64_t)first + count > register_count &&
            dp2_violation(run, "constants %u + %u exceed %u registers", first, count, register_count))
            return TOKEN_BAD;
        for (uint32_t j = 0; j < count && (uint64_t)first + j < register_count; j++)
            for (int k = 0; k < 4; k++)
                constants[first + j][k] = le_float(payload + 8 + (size_t)j * 16 + k * 4);
        payload += 8 + (size_t)count * 16;
    }
    return TOKEN_DONE;
}

static void capture_constants(uint8_t *payload, uint32_t records, float (*constants)[4], uint32_t register_count)
{
    for (uint32_t i = 0; i < records; i++) {
        uint32_t first = le32(payload), count = le32(payload + 4);
        for (uint32_t j = 0; j < count && (uint64_t)first + j < register_count; j++)
            for (int k = 0; k < 4; k++)
                put_le32(payload + 8 + (size_t)j * 16 + k * 4, bits_from_float(constants[first + j][k]));
        payload += 8 + (size_t)count * 16;
    }
}

enum token_answer dp2_token_set_vertex_shader_const(struct run *run, const uint8_t *payload)
{
    return set_constants(run, payload, run->context->state.vertex_constant, STATE_VERTEX_CONSTANTS);
}

enum token_answer dp2_token_set_pixel_shader_const(struct run *run, const uint8_t *payload)
{
    return set_constants(run, payload, run->context->state.pixel_constant, STATE_PIXEL_CONSTANTS);
}

void dp2_capture_set_vertex_shader_const(struct cdxr_dp2_context *context, uint8_t *payload, uint32_t count)
{
    capture_constants(payload, count, context->state.vertex_constant, STATE_VERTEX_CONSTANTS);
}

void dp2_capture_set_pixel_shader_const(struct cdxr_dp2_context *context, uint8_t *payload, uint32_t count)
{
    capture_constants(payload, count, context->state.pixel_constant, STATE_PIXEL_CONSTANTS);
}

/* ---- streams ---- */

enum token_answer dp2_token_set_stream_source(struct run *run, const uint8_t *payload)
{
    for (uint32_t i = 0; i < run->count; i++) {
        uint32_t index = le32(payload + i * 12);
        if (index < STATE_STREAMS)
            run->context->state.stream[index] = (struct state_stream){le32(payload + i * 12 + 4), le32(payload + i * 12 + 8), false};
        else if (dp2_violation(run, "stream %u is not 0..%d", index, STATE_STREAMS - 1))
            return TOKEN_BAD;
    }
    return TOKEN_DONE;
}

void dp2_capture_set_stream_source(struct cdxr_dp2_context *context, uint8_t *payload, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = le32(payload + i * 12);
        if (index >= STATE_STREAMS)
            continue;
        put_le32(payload + i * 12 + 4, context->state.stream[index].handle);
        put_le32(payload + i * 12 + 8, context->state.stream[index].stride_bytes);
    }
}

enum token_answer dp2_token_set_stream_source_um(struct run *run, const uint8_t *payload)
{
    for (uint32_t i = 0; i < run->count; i++) {
        uint32_t index = le32(payload + i * 8);
        if (index < STATE_STREAMS)
            run->context->state.stream[index] = (struct state_stream){0, le32(payload + i * 8 + 4), true};
        else if (dp2_violation(run, "stream %u is not 0..%d", index, STATE_STREAMS - 1))
            return TOKEN_BAD;
    }
    return TOKEN_DONE;
}

enum token_answer dp2_token_set_indices(struct run *run, const uint8_t *payload)
{
    for (uint32_t i = 0; i < run->count; i++) {
        uint32_t handle = le32(payload + i * 8), stride = le32(payload + i * 8 + 4);
        if (handle && stride != 2 && stride != 4 && dp2_violation(run, "index stride %u is not 2 or 4", stride))
            return TOKEN_BAD;
        run->context->state.indices = (struct state_stream){handle, stride, false};
    }
    return TOKEN_DONE;
}

void dp2_capture_set_indices(struct cdxr_dp2_context *context, uint8_t *payload, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        put_le32(payload + i * 8, context->state.indices.handle);
        put_le32(payload + i * 8 + 4, context->state.indices.stride_bytes);
    }
}
