/* SPDX-License-Identifier: MIT
 * Writing captures: the context's configuration, surfaces and state at the start, then every change as it happens. */
#include <stdlib.h>

#include "dp2/capture.h"
#include "dp2/context.h"

struct capture_writer {
    cdxr_dp2_capture_write_fn write;
    void *cookie;
    bool failed;
};

/* ---- chunks ---- */

struct blob {
    uint8_t *bytes;
    size_t count, capacity;
    bool failed;
};

static void put_bytes(struct blob *blob, const void *bytes, size_t count)
{
    if (blob->failed || !count)
        return;
    if (count > blob->capacity - blob->count) {
        size_t capacity = (blob->count + count) * 2;
        uint8_t *grown = realloc(blob->bytes, capacity);
        if (!grown) {
            blob->failed = true;
            return;
        }
        blob->bytes = grown;
        blob->capacity = capacity;
    }
    memcpy(blob->bytes + blob->count, bytes, count);
    blob->count += count;
}

static void put32(struct blob *blob, uint32_t value)
{
    uint8_t bytes[4];
    put_le32(bytes, value);
    put_bytes(blob, bytes, sizeof(bytes));
}

static void put64(struct blob *blob, uint64_t value)
{
    put32(blob, (uint32_t)value);
    put32(blob, (uint32_t)(value >> 32));
}

static void send(struct capture_writer *writer, const void *bytes, size_t count)
{
    if (!writer->failed && count && !writer->write(writer->cookie, bytes, count))
        writer->failed = true;
}

/* Header, payload, zeroes to the next multiple of 4. Frees the blob. */
static void write_chunk(struct capture_writer *writer, enum capture_chunk kind, struct blob *blob)
{
    static const uint8_t zero[4];
    uint8_t header[CAPTURE_CHUNK_BYTES];
    if (blob->failed || blob->count > UINT32_MAX)
        writer->failed = true;
    put_le32(header, kind);
    put_le32(header + 4, (uint32_t)blob->count);
    send(writer, header, sizeof(header));
    send(writer, blob->bytes, blob->count);
    send(writer, zero, (4 - (blob->count & 3)) & 3);
    free(blob->bytes);
}

static void write_context(struct capture_writer *writer, const struct cdxr_dp2_config *config)
{
    struct blob blob = {0};
    put32(&blob, config->ddi_level);
    put32(&blob, config->interface_level);
    put32(&blob, config->device_caps);
    put32(&blob, config->strict);
    for (size_t i = 0; i < sizeof(config->policies) / 4; i++)
        put32(&blob, ((const uint32_t *)&config->policies)[i]);
    const struct cdxr_dp2_limits *l = &config->limits;
    put32(&blob, l->command_bytes);
    put32(&blob, l->vertex_bytes);
    put64(&blob, l->vertices);
    put64(&blob, l->pixels);
    put32(&blob, l->state_sets);
    put32(&blob, l->lights);
    put32(&blob, l->shaders);
    put32(&blob, l->kept_bytes);
    write_chunk(writer, CAPTURE_CHUNK_CONTEXT, &blob);
}

static void write_surface(struct capture_writer *writer, const struct surface *surface)
{
    const struct cdxr_dp2_surface *d = &surface->description;
    struct blob blob = {0};
    const uint32_t fields[] = {d->handle, d->flags, d->width, d->height, d->depth, d->level_count, d->color_key_low, d->color_key_high,
                               d->format.flags, d->format.four_cc, d->format.bit_count, d->format.red_mask, d->format.green_mask,
                               d->format.blue_mask, d->format.alpha_mask, surface->palette, surface->lod, surface->priority};
    for (size_t i = 0; i < ARRAY_COUNT(fields); i++)
        put32(&blob, fields[i]);
    for (uint32_t i = 0; i < surface->face_count * d->level_count; i++) {
        put64(&blob, surface->levels[i].byte_count);
        put32(&blob, (uint32_t)surface->levels[i].pitch_bytes);
        put32(&blob, (uint32_t)surface->levels[i].slice_bytes);
    }
    write_chunk(writer, CAPTURE_CHUNK_SURFACE, &blob);
}

static bool is_zero(const uint8_t *bytes, size_t count)
{
    return !count || (bytes[0] == 0 && !memcmp(bytes, bytes + 1, count - 1));
}

/* fresh: a reader's new surface is zero already. */
static void write_data(struct capture_writer *writer, const struct surface *surface, bool fresh)
{
    for (uint32_t i = 0; i < surface->face_count * surface->description.level_count; i++) {
        struct blob blob = {0};
        if (fresh && is_zero(surface->levels[i].memory, surface->levels[i].byte_count))
            continue;
        put32(&blob, surface->description.handle);
        put32(&blob, i);
        put_bytes(&blob, surface->levels[i].memory, surface->levels[i].byte_count);
        write_chunk(writer, CAPTURE_CHUNK_DATA, &blob);
    }
}

static void write_target(struct capture_writer *writer, const struct dp2_state *state)
{
    struct blob blob = {0};
    put32(&blob, state->target);
    put32(&blob, state->depth);
    write_chunk(writer, CAPTURE_CHUNK_TARGET, &blob);
}

static void write_call(struct capture_writer *writer, const struct cdxr_dp2_call *call)
{
    struct blob blob = {0};
    bool has_states = call->render_states != NULL;
    uint64_t end = (uint64_t)call->command_offset + call->command_length;
    size_t command_bytes = !call->commands ? 0 : end < call->commands_bytes ? (size_t)end : call->commands_bytes;
    size_t vertex_bytes = call->vertices ? call->vertices_bytes : 0;
    const uint32_t fields[] = {call->flags, call->vertex_type, call->command_offset, call->command_length, call->vertex_offset,
                               call->vertex_count, call->vertex_stride, call->resume_offset, has_states};
    for (size_t i = 0; i < ARRAY_COUNT(fields); i++)
        put32(&blob, fields[i]);
    put32(&blob, (uint32_t)command_bytes);
    put32(&blob, (uint32_t)vertex_bytes);
    for (int i = 0; has_states && i < CDXR_D3DHAL_RSTATE_COUNT; i++)
        put32(&blob, call->render_states[i]);
    put_bytes(&blob, call->commands, command_bytes);
    static const uint8_t zero[4];
    put_bytes(&blob, zero, (4 - (command_bytes & 3)) & 3);
    put_bytes(&blob, call->vertices, vertex_bytes);
    write_chunk(writer, CAPTURE_CHUNK_CALL, &blob);
}

/* ---- state at the start, as calls of tokens ---- */

/* Palettes and recorded sets are what CREATE does not cover; both go out as the tokens that make them. */
static void palette_tokens(void *cookie, struct palette *palette)
{
    struct blob *blob = cookie;
    put32(blob, D3DDP2OP_UPDATEPALETTE | 1u << 16);
    put32(blob, palette->handle);
    put32(blob, 0u | (uint32_t)PALETTE_ENTRIES << 16);
    put_bytes(blob, palette->entries, sizeof(palette->entries));
}

struct attach {
    struct blob *blob;
    struct space *space;
};

static void attach_tokens(void *cookie, struct surface *surface)
{
    struct attach *attach = cookie;
    const struct palette *palette = dp2_space_palette(attach->space, surface->palette, false);
    if (!surface->palette)
        return;
    put32(attach->blob, D3DDP2OP_SETPALETTE | 1u << 16);
    put32(attach->blob, surface->palette);
    put32(attach->blob, palette && palette->has_alpha ? DDRAWIPAL_ALPHA : 0);
    put32(attach->blob, surface->description.handle);
}

static void set_tokens(struct blob *blob, const struct dp2_state *state)
{
    for (uint32_t i = 0; i < state->set_count; i++) {
        put32(blob, D3DDP2OP_STATESET | 1u << 16);
        put32(blob, D3DHAL_STATESETBEGIN);
        put64(blob, 0);
        put_bytes(blob, state->sets[i].bytes, state->sets[i].byte_count);
        put32(blob, D3DDP2OP_STATESET | 1u << 16);
        put32(blob, D3DHAL_STATESETEND);
        put32(blob, state->sets[i].handle);
        put32(blob, 0);
    }
}

static void shader_tokens(struct blob *blob, const struct dp2_state *state)
{
    for (uint32_t i = 0; i < state->vertex_shader_count; i++) {
        const struct state_shader *s = &state->vertex_shaders[i];
        put32(blob, D3DDP2OP_CREATEVERTEXSHADER | 1u << 16);
        put32(blob, s->handle);
        put32(blob, s->declaration_bytes);
        put32(blob, s->code_bytes);
        put_bytes(blob, s->bytes, (size_t)s->declaration_bytes + s->code_bytes);
    }
    for (uint32_t i = 0; i < state->pixel_shader_count; i++) {
        const struct state_shader *s = &state->pixel_shaders[i];
        put32(blob, D3DDP2OP_CREATEPIXELSHADER | 1u << 16);
        put32(blob, s->handle);
        put32(blob, s->code_bytes);
        put_bytes(blob, s->bytes, s->code_bytes);
    }
}

static void write_state(struct capture_writer *writer, struct cdxr_dp2_context *context)
{
    struct blob tokens = {0};
    struct state_set all = {0};
    dp2_space_each_palette(context->space, palette_tokens, &tokens);
    dp2_space_each(context->space, attach_tokens, &(struct attach){&tokens, context->space});
    shader_tokens(&tokens, &context->state);
    set_tokens(&tokens, &context->state);
    if (dp2_state_tokens(context, &all))
        put_bytes(&tokens, all.bytes, all.byte_count);
    else
        writer->failed = true;
    free(all.bytes);
    struct cdxr_dp2_call call = {.commands = tokens.bytes, .commands_bytes = tokens.count, .command_length = (uint32_t)tokens.count};
    writer->failed |= tokens.failed || tokens.count > UINT32_MAX;
    write_call(writer, &call);
    free(tokens.bytes);
}

static void write_each_surface(void *cookie, struct surface *surface)
{
    write_surface(cookie, surface);
    write_data(cookie, surface, true);
}

enum cdxr_dp2_error cdxr_dp2_capture_start(struct cdxr_dp2_context *context, cdxr_dp2_capture_write_fn write, void *cookie)
{
    if (!write || context->capture)
        return CDXR_DP2_ERROR_INVALID;
    struct capture_writer *writer = calloc(1, sizeof(*writer));
    if (!writer)
        return CDXR_DP2_ERROR_MEMORY;
    *writer = (struct capture_writer){write, cookie, false};
    uint8_t header[CAPTURE_HEADER_BYTES] = CAPTURE_MAGIC;
    put_le32(header + 8, CAPTURE_VERSION);
    send(writer, header, sizeof(header));
    write_context(writer, &context->config);
    dp2_space_each(context->space, write_each_surface, writer);
    write_target(writer, &context->state);
    if (context->called)
        write_state(writer, context);
    context->capture = writer;
    return writer->failed ? CDXR_DP2_ERROR_INVALID : CDXR_DP2_OK;
}

enum cdxr_dp2_error cdxr_dp2_capture_surface(struct cdxr_dp2_context *context, uint32_t handle)
{
    const struct surface *surface = dp2_space_surface(context->space, handle);
    if (!context->capture || !surface)
        return CDXR_DP2_ERROR_INVALID;
    write_data(context->capture, surface, false);
    return context->capture->failed ? CDXR_DP2_ERROR_INVALID : CDXR_DP2_OK;
}

enum cdxr_dp2_error cdxr_dp2_capture_stop(struct cdxr_dp2_context *context)
{
    if (!context->capture)
        return CDXR_DP2_ERROR_INVALID;
    struct blob blob = {0};
    write_chunk(context->capture, CAPTURE_CHUNK_END, &blob);
    bool failed = context->capture->failed;
    free(context->capture);
    context->capture = NULL;
    return failed ? CDXR_DP2_ERROR_INVALID : CDXR_DP2_OK;
}

/* ---- hooks ---- */

void dp2_capture_call(struct cdxr_dp2_context *context, const struct cdxr_dp2_call *call)
{
    write_call(context->capture, call);
}

void dp2_capture_registered(struct cdxr_dp2_context *context, uint32_t handle)
{
    write_each_surface(context->capture, dp2_space_surface(context->space, handle));
}

void dp2_capture_unregistered(struct cdxr_dp2_context *context, uint32_t handle)
{
    struct blob blob = {0};
    put32(&blob, handle);
    write_chunk(context->capture, CAPTURE_CHUNK_UNREGISTER, &blob);
}

void dp2_capture_target(struct cdxr_dp2_context *context)
{
    write_target(context->capture, &context->state);
}

void dp2_capture_color_key(struct cdxr_dp2_context *context, uint32_t handle)
{
    const struct surface *surface = dp2_space_surface(context->space, handle);
    struct blob blob = {0};
    put32(&blob, handle);
    put32(&blob, surface->description.flags & CDXR_DP2_SURFACE_COLOR_KEY ? 1 : 0);
    put32(&blob, surface->description.color_key_low);
    put32(&blob, surface->description.color_key_high);
    write_chunk(context->capture, CAPTURE_CHUNK_COLOR_KEY, &blob);
}
