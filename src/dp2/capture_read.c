/* SPDX-License-Identifier: MIT
 * Reading captures. Every field may be anything: sizes are checked against the file before memory is taken, and what the context refuses is
 * refused here with the chunk's place in the file. The replay owns the memory of its surfaces. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "dp2/capture.h"
#include "dp2/context.h"

enum { MAX_SURFACES = 1 << 16 };

struct replay_surface {
    uint32_t handle;
    uint8_t *memory;
    size_t byte_count;
    struct replay_surface *next;
};

struct cdxr_dp2_replay {
    struct cursor file;
    struct cdxr_dp2_config config;
    struct cdxr_dp2_context *context;
    struct replay_surface *surfaces;
    size_t surface_bytes;
    uint32_t surface_count;
    uint32_t render_states[CDXR_D3DHAL_RSTATE_COUNT];
};

struct chunk {
    uint32_t kind;
    uint64_t file_offset;
    struct cursor payload;
};

static enum cdxr_dp2_error fail(char *reason, enum cdxr_dp2_error error, const char *format, ...) PRINTF_LIKE(3, 4);
static enum cdxr_dp2_error fail(char *reason, enum cdxr_dp2_error error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (reason)
        vsnprintf(reason, 512, format, arguments);
    va_end(arguments);
    return error;
}

static enum cdxr_dp2_error read_chunk(struct cdxr_dp2_replay *replay, struct chunk *chunk, char *reason)
{
    chunk->file_offset = replay->file.position;
    const uint8_t *header = cursor_take(&replay->file, CAPTURE_CHUNK_BYTES);
    if (!header)
        return fail(reason, CDXR_DP2_ERROR_CORRUPT, "file ends at 0x%llx without an END chunk", (unsigned long long)chunk->file_offset);
    uint32_t byte_count = le32(header + 4);
    chunk->kind = le32(header);
    const uint8_t *payload = cursor_take(&replay->file, byte_count);
    if (!payload || !cursor_align4(&replay->file))
        return fail(reason, CDXR_DP2_ERROR_CORRUPT, "chunk at 0x%llx: %u bytes reach past the end of the file", (unsigned long long)chunk->file_offset,
                    byte_count);
    chunk->payload = (struct cursor){payload, 0, byte_count, false};
    return CDXR_DP2_OK;
}

static uint64_t take64(struct cursor *cursor)
{
    uint64_t low = cursor_u32(cursor);
    return low | (uint64_t)cursor_u32(cursor) << 32;
}

static enum cdxr_dp2_error short_chunk(const struct chunk *chunk, char *reason)
{
    return fail(reason, CDXR_DP2_ERROR_CORRUPT, "chunk at 0x%llx (kind %u): %zu bytes are too few", (unsigned long long)chunk->file_offset, chunk->kind,
                chunk->payload.end);
}

/* ---- surfaces ---- */

static struct replay_surface *find_surface(struct cdxr_dp2_replay *replay, uint32_t handle)
{
    for (struct replay_surface *s = replay->surfaces; s; s = s->next)
        if (s->handle == handle)
            return s;
    return NULL;
}

static void remove_surface(struct cdxr_dp2_replay *replay, uint32_t handle)
{
    for (struct replay_surface **link = &replay->surfaces; *link; link = &(*link)->next) {
        struct replay_surface *s = *link;
        if (s->handle != handle)
            continue;
        *link = s->next;
        replay->surface_bytes -= s->byte_count;
        replay->surface_count--;
        free(s->memory);
        free(s);
        return;
    }
}

/* Levels as recorded, with memory for all of them in one block. */
static enum cdxr_dp2_error read_levels(struct cdxr_dp2_replay *replay, struct chunk *chunk, uint32_t count, struct cdxr_dp2_level *levels,
                                       struct replay_surface *surface, char *reason)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t byte_count = take64(&chunk->payload);
        levels[i] = (struct cdxr_dp2_level){NULL, (size_t)byte_count, (int32_t)cursor_u32(&chunk->payload), (int32_t)cursor_u32(&chunk->payload)};
        if (chunk->payload.cut)
            return short_chunk(chunk, reason);
        if (byte_count > replay->config.limits.capture_bytes - replay->surface_bytes - total)
            return fail(reason, CDXR_DP2_ERROR_CORRUPT, "surface 0x%x: level %u asks for %llu bytes, beyond the limit for captures", surface->handle, i,
                        (unsigned long long)byte_count);
        total += byte_count;
    }
    surface->memory = calloc(1, total ? (size_t)total : 1);
    surface->byte_count = (size_t)total;
    if (!surface->memory)
        return fail(reason, CDXR_DP2_ERROR_MEMORY, "no memory for surface 0x%x", surface->handle);
    size_t offset = 0;
    for (uint32_t i = 0; i < count; i++) {
        levels[i].memory = surface->memory + offset;
        offset += levels[i].byte_count;
    }
    return CDXR_DP2_OK;
}

static void read_description(struct cursor *in, struct cdxr_dp2_surface *d, uint32_t extra[3])
{
    uint32_t *fields[] = {&d->handle, &d->flags, &d->width, &d->height, &d->depth, &d->level_count, &d->color_key_low, &d->color_key_high,
                          &d->format.flags, &d->format.four_cc, &d->format.bit_count, &d->format.red_mask, &d->format.green_mask,
                          &d->format.blue_mask, &d->format.alpha_mask, &extra[0], &extra[1], &extra[2]};
    for (size_t i = 0; i < ARRAY_COUNT(fields); i++)
        *fields[i] = cursor_u32(in);
}

static enum cdxr_dp2_error apply_surface(struct cdxr_dp2_replay *replay, struct chunk *chunk, char *reason)
{
    struct cdxr_dp2_surface d = {0};
    struct cdxr_dp2_level levels[SURFACE_FACES * SURFACE_MAX_LEVELS] = {{0}};
    uint32_t extra[3];
    read_description(&chunk->payload, &d, extra);
    uint32_t count = d.level_count * (d.flags & CDXR_DP2_SURFACE_CUBE ? SURFACE_FACES : 1);
    if (chunk->payload.cut)
        return short_chunk(chunk, reason);
    if (!d.level_count || d.level_count > SURFACE_MAX_LEVELS || replay->surface_count >= MAX_SURFACES)
        return fail(reason, CDXR_DP2_ERROR_CORRUPT, "surface 0x%x: %u levels", d.handle, d.level_count);
    remove_surface(replay, d.handle);
    struct replay_surface *surface = calloc(1, sizeof(*surface));
    if (!surface)
        return CDXR_DP2_ERROR_MEMORY;
    surface->handle = d.handle;
    enum cdxr_dp2_error error = read_levels(replay, chunk, count, levels, surface, reason);
    d.levels = levels;
    if (error == CDXR_DP2_OK && cdxr_dp2_surface_register(replay->context, &d) != CDXR_DP2_OK)
        error = fail(reason, CDXR_DP2_ERROR_CORRUPT, "chunk at 0x%llx: surface 0x%x is refused", (unsigned long long)chunk->file_offset, d.handle);
    if (error != CDXR_DP2_OK) {
        cdxr_dp2_surface_unregister(replay->context, d.handle); /* an older one of this handle has lost its memory */
        free(surface->memory);
        free(surface);
        return error;
    }
    surface->next = replay->surfaces;
    replay->surfaces = surface;
    replay->surface_bytes += surface->byte_count;
    replay->surface_count++;
    struct surface *registered = dp2_space_surface(replay->context->space, d.handle);
    registered->palette = extra[0];
    registered->lod = extra[1];
    registered->priority = extra[2];
    return CDXR_DP2_OK;
}

static enum cdxr_dp2_error apply_data(struct cdxr_dp2_replay *replay, struct chunk *chunk, uint32_t *handle, char *reason)
{
    *handle = cursor_u32(&chunk->payload);
    uint32_t index = cursor_u32(&chunk->payload);
    if (chunk->payload.cut)
        return short_chunk(chunk, reason);
    const struct surface *surface = find_surface(replay, *handle) ? dp2_space_surface(replay->context->space, *handle) : NULL;
    if (!surface || index >= surface->face_count * surface->description.level_count)
        return fail(reason, CDXR_DP2_ERROR_CORRUPT, "chunk at 0x%llx: surface 0x%x has no level %u", (unsigned long long)chunk->file_offset, *handle, index);
    size_t left = chunk->payload.end - chunk->payload.position;
    if (left != surface->levels[index].byte_count)
        return fail(reason, CDXR_DP2_ERROR_CORRUPT, "chunk at 0x%llx: %zu bytes for a level of %zu", (unsigned long long)chunk->file_offset, left,
                    surface->levels[index].byte_count);
    if (left)
        memcpy(surface->levels[index].memory, cursor_take(&chunk->payload, left), left);
    return CDXR_DP2_OK;
}

/* ---- calls ---- */

static enum cdxr_dp2_error read_call(struct cdxr_dp2_replay *replay, struct chunk *chunk, struct cdxr_dp2_call *call, char *reason)
{
    struct cursor *in = &chunk->payload;
    uint32_t has_states = 0, command_bytes = 0, vertex_bytes = 0;
    uint32_t *fields[] = {&call->flags, &call->vertex_type, &call->command_offset, &call->command_length, &call->vertex_offset, &call->vertex_count,
                          &call->vertex_stride, &call->resume_offset, &has_states, &command_bytes, &vertex_bytes};
    memset(call, 0, sizeof(*call));
    for (size_t i = 0; i < ARRAY_COUNT(fields); i++)
        *fields[i] = cursor_u32(in);
    const uint8_t *states = has_states ? cursor_take(in, sizeof(replay->render_states)) : NULL;
    for (int i = 0; states && i < CDXR_D3DHAL_RSTATE_COUNT; i++)
        replay->render_states[i] = le32(states + i * 4);
    call->render_states = states ? replay->render_states : NULL;
    call->commands = cursor_take(in, command_bytes);
    cursor_align4(in);
    call->vertices = cursor_take(in, vertex_bytes);
    if (in->cut)
        return short_chunk(chunk, reason);
    call->commands_bytes = command_bytes;
    call->vertices_bytes = vertex_bytes;
    if (!vertex_bytes)
        call->vertices = NULL;
    return CDXR_DP2_OK;
}

/* ---- the file ---- */

static void read_policies(struct cursor *in, struct cdxr_dp2_config *config)
{
    for (size_t i = 0; i < sizeof(config->policies) / 4; i++)
        ((uint32_t *)&config->policies)[i] = cursor_u32(in);
}

/* Recorded limits may only lower the present ones: a capture must not make its reader work without bound. */
static uint64_t lower(uint64_t recorded, uint64_t present)
{
    return recorded && recorded < present ? recorded : present;
}

static void read_limits(struct cursor *in, struct cdxr_dp2_limits *l)
{
    l->command_bytes = (uint32_t)lower(cursor_u32(in), l->command_bytes);
    l->vertex_bytes = (uint32_t)lower(cursor_u32(in), l->vertex_bytes);
    l->vertices = lower(take64(in), l->vertices);
    l->pixels = lower(take64(in), l->pixels);
    l->state_sets = (uint32_t)lower(cursor_u32(in), l->state_sets);
    l->lights = (uint32_t)lower(cursor_u32(in), l->lights);
    l->shaders = (uint32_t)lower(cursor_u32(in), l->shaders);
    l->kept_bytes = (uint32_t)lower(cursor_u32(in), l->kept_bytes);
}

static void take_lower_limits(struct cdxr_dp2_limits *l, const struct cdxr_dp2_limits *given)
{
    l->command_bytes = (uint32_t)lower(given->command_bytes, l->command_bytes);
    l->vertex_bytes = (uint32_t)lower(given->vertex_bytes, l->vertex_bytes);
    l->vertices = lower(given->vertices, l->vertices);
    l->pixels = lower(given->pixels, l->pixels);
    l->state_sets = (uint32_t)lower(given->state_sets, l->state_sets);
    l->lights = (uint32_t)lower(given->lights, l->lights);
    l->shaders = (uint32_t)lower(given->shaders, l->shaders);
    l->kept_bytes = (uint32_t)lower(given->kept_bytes, l->kept_bytes);
    l->capture_bytes = (uint32_t)lower(given->capture_bytes, l->capture_bytes);
}

static enum cdxr_dp2_error read_config(struct cdxr_dp2_replay *replay, const struct cdxr_dp2_config *overrides, char *reason)
{
    struct chunk chunk;
    enum cdxr_dp2_error error = read_chunk(replay, &chunk, reason);
    if (error != CDXR_DP2_OK)
        return error;
    if (chunk.kind != CAPTURE_CHUNK_CONTEXT)
        return fail(reason, CDXR_DP2_ERROR_CORRUPT, "the first chunk is of kind %u, not a context", chunk.kind);
    struct cdxr_dp2_config *config = &replay->config;
    cdxr_dp2_config_init(config);
    if (overrides)
        take_lower_limits(&config->limits, &overrides->limits);
    config->ddi_level = cursor_u32(&chunk.payload);
    config->interface_level = cursor_u32(&chunk.payload);
    config->device_caps = cursor_u32(&chunk.payload);
    config->strict = cursor_u32(&chunk.payload);
    read_policies(&chunk.payload, config);
    read_limits(&chunk.payload, &config->limits);
    if (chunk.payload.cut)
        return short_chunk(&chunk, reason);
    if (!overrides)
        return CDXR_DP2_OK;
    config->strict = overrides->strict;
    config->thread_count = overrides->thread_count;
    config->force_wireframe = overrides->force_wireframe;
    config->identify = overrides->identify;
    config->cookie = overrides->cookie;
    config->log = overrides->log;
    config->parse_unknown = overrides->parse_unknown;
    config->token = overrides->token;
    return CDXR_DP2_OK;
}

enum cdxr_dp2_error cdxr_dp2_replay_open(const void *bytes, size_t byte_count, const struct cdxr_dp2_config *overrides, struct cdxr_dp2_replay **out,
                                         char reason[512])
{
    struct cdxr_dp2_replay *replay = calloc(1, sizeof(*replay));
    if (!replay)
        return CDXR_DP2_ERROR_MEMORY;
    replay->file = (struct cursor){bytes, 0, byte_count, false};
    const uint8_t *header = cursor_take(&replay->file, CAPTURE_HEADER_BYTES);
    enum cdxr_dp2_error error = CDXR_DP2_OK;
    if (!header || memcmp(header, CAPTURE_MAGIC, 8))
        error = fail(reason, CDXR_DP2_ERROR_CORRUPT, "not a capture: the file does not begin with its magic number");
    else if (le32(header + 8) != CAPTURE_VERSION)
        error = fail(reason, CDXR_DP2_ERROR_UNSUPPORTED, "capture version %u, this library reads %d", le32(header + 8), CAPTURE_VERSION);
    if (error == CDXR_DP2_OK)
        error = read_config(replay, overrides, reason);
    if (error == CDXR_DP2_OK) {
        error = cdxr_dp2_create(&replay->config, &replay->context);
        if (error == CDXR_DP2_ERROR_INVALID)
            error = fail(reason, CDXR_DP2_ERROR_CORRUPT, "context chunk: DDI level %u, interface level %u", replay->config.ddi_level,
                         replay->config.interface_level);
    }
    if (error != CDXR_DP2_OK) {
        cdxr_dp2_replay_close(replay);
        return error;
    }
    *out = replay;
    return CDXR_DP2_OK;
}

static enum cdxr_dp2_error apply_target(struct cdxr_dp2_replay *replay, struct chunk *chunk, uint32_t *handle, char *reason)
{
    uint32_t target = cursor_u32(&chunk->payload), depth = cursor_u32(&chunk->payload);
    *handle = target;
    if (chunk->payload.cut)
        return short_chunk(chunk, reason);
    if (cdxr_dp2_set_render_target(replay->context, target, depth) != CDXR_DP2_OK)
        return fail(reason, CDXR_DP2_ERROR_CORRUPT, "chunk at 0x%llx: 0x%x, 0x%x are no target and depth buffer", (unsigned long long)chunk->file_offset,
                    target, depth);
    return CDXR_DP2_OK;
}

static enum cdxr_dp2_error apply_color_key(struct cdxr_dp2_replay *replay, struct chunk *chunk, char *reason)
{
    uint32_t fields[4];
    for (int i = 0; i < 4; i++)
        fields[i] = cursor_u32(&chunk->payload);
    if (chunk->payload.cut)
        return short_chunk(chunk, reason);
    if (cdxr_dp2_set_color_key(replay->context, fields[0], (int)fields[1], fields[2], fields[3]) != CDXR_DP2_OK)
        return fail(reason, CDXR_DP2_ERROR_CORRUPT, "chunk at 0x%llx: surface 0x%x does not exist", (unsigned long long)chunk->file_offset, fields[0]);
    return CDXR_DP2_OK;
}

static enum cdxr_dp2_error apply(struct cdxr_dp2_replay *replay, struct chunk *chunk, struct cdxr_dp2_event *event, char *reason)
{
    event->file_offset = chunk->file_offset;
    switch (chunk->kind) {
    case CAPTURE_CHUNK_SURFACE:
        event->kind = CDXR_DP2_EVENT_SURFACE;
        event->handle = chunk->payload.end >= 4 ? le32(chunk->payload.bytes) : 0;
        return apply_surface(replay, chunk, reason);
    case CAPTURE_CHUNK_DATA:
        event->kind = CDXR_DP2_EVENT_DATA;
        return apply_data(replay, chunk, &event->handle, reason);
    case CAPTURE_CHUNK_TARGET:
        event->kind = CDXR_DP2_EVENT_TARGET;
        return apply_target(replay, chunk, &event->handle, reason);
    case CAPTURE_CHUNK_COLOR_KEY: return apply_color_key(replay, chunk, reason);
    case CAPTURE_CHUNK_UNREGISTER: {
        uint32_t handle = cursor_u32(&chunk->payload);
        cdxr_dp2_surface_unregister(replay->context, handle);
        remove_surface(replay, handle);
        return chunk->payload.cut ? short_chunk(chunk, reason) : CDXR_DP2_OK;
    }
    case CAPTURE_CHUNK_CALL: event->kind = CDXR_DP2_EVENT_CALL; return read_call(replay, chunk, &event->call, reason);
    default:
        return fail(reason, CDXR_DP2_ERROR_CORRUPT, "chunk at 0x%llx has the unknown kind %u", (unsigned long long)chunk->file_offset, chunk->kind);
    }
}

enum cdxr_dp2_error cdxr_dp2_replay_next(struct cdxr_dp2_replay *replay, struct cdxr_dp2_event *event, char reason[512])
{
    for (;;) {
        struct chunk chunk;
        enum cdxr_dp2_error error = read_chunk(replay, &chunk, reason);
        if (error != CDXR_DP2_OK)
            return error;
        if (chunk.kind == CAPTURE_CHUNK_END)
            return CDXR_DP2_END;
        error = apply(replay, &chunk, event, reason);
        if (error != CDXR_DP2_OK || (chunk.kind != CAPTURE_CHUNK_COLOR_KEY && chunk.kind != CAPTURE_CHUNK_UNREGISTER))
            return error;
    }
}

struct cdxr_dp2_context *cdxr_dp2_replay_context(struct cdxr_dp2_replay *replay)
{
    return replay->context;
}

const struct cdxr_dp2_config *cdxr_dp2_replay_config(const struct cdxr_dp2_replay *replay)
{
    return &replay->config;
}

void cdxr_dp2_replay_close(struct cdxr_dp2_replay *replay)
{
    if (!replay)
        return;
    cdxr_dp2_destroy(replay->context);
    while (replay->surfaces)
        remove_surface(replay, replay->surfaces->handle);
    free(replay);
}
