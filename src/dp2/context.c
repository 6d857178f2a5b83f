/* SPDX-License-Identifier: MIT
 * Life of a context, registration of surfaces, inspection. */
#include "dp2/context.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/thread_pool.h"
#include "dp2/capture.h"
#include "dp2/queue.h"

static const struct cdxr_dp2_limits default_limits = {
    .command_bytes = 16 << 20, .vertex_bytes = 32 << 20, .vertices = 16 << 20, .pixels = 16ull << 30,
    .state_sets = 4096, .lights = 4096, .shaders = 4096, .kept_bytes = 64 << 20,
    .capture_bytes = 1 << 30,
};

void cdxr_dp2_config_init(struct cdxr_dp2_config *config)
{
    memset(config, 0, sizeof(*config));
    config->struct_bytes = sizeof(*config);
    config->ddi_level = 8;
    config->interface_level = ~0u;
    config->device_caps = D3DDEVCAPS_DRAWPRIMTLVERTEX | D3DDEVCAPS_DRAWPRIMITIVES2 | D3DDEVCAPS_DRAWPRIMITIVES2EX |
                          D3DDEVCAPS_HWTRANSFORMANDLIGHT | D3DDEVCAPS_HWRASTERIZATION;
    config->limits = default_limits;
}

static void fill_limits(struct cdxr_dp2_limits *limits)
{
#define FILL(field) limits->field = limits->field ? limits->field : default_limits.field
    FILL(command_bytes);
    FILL(vertex_bytes);
    FILL(vertices);
    FILL(pixels);
    FILL(state_sets);
    FILL(lights);
    FILL(shaders);
    FILL(kept_bytes);
    FILL(capture_bytes);
#undef FILL
}

static bool check_config(const struct cdxr_dp2_config *config)
{
    return config && config->struct_bytes == sizeof(*config) && config->ddi_level >= 6 && config->ddi_level <= 8 &&
           (config->interface_level <= 4 || config->interface_level == ~0u);
}

static enum status init_parts(struct cdxr_dp2_context *context)
{
    if (context->config.share_with) {
        context->space = context->config.share_with->space;
        dp2_space_acquire(context->space);
    } else {
        RETURN_IF_FAILED(dp2_space_create(&context->space));
    }
    if (context->config.thread_count != 1)
        RETURN_IF_FAILED(thread_pool_create(context->config.thread_count, 1 << 20, &context->pool));
    return dp2_queue_create(&context->queue);
}

enum cdxr_dp2_error cdxr_dp2_create(const struct cdxr_dp2_config *config, struct cdxr_dp2_context **out)
{
    static atomic_uint next_handle = 1;
    if (!check_config(config) || !out)
        return CDXR_DP2_ERROR_INVALID;
    struct cdxr_dp2_context *context = calloc(1, sizeof(*context));
    if (!context)
        return CDXR_DP2_ERROR_MEMORY;
    context->config = *config;
    if (context->config.interface_level == ~0u)
        context->config.interface_level = config->ddi_level == 8 ? 4 : 3;
    fill_limits(&context->config.limits);
    context->handle = atomic_fetch_add(&next_handle, 1);
    dp2_state_init(&context->state, context->config.interface_level);
    context->state_changed = true;
    if (init_parts(context) != STATUS_OK) {
        cdxr_dp2_destroy(context);
        return CDXR_DP2_ERROR_MEMORY;
    }
    *out = context;
    return CDXR_DP2_OK;
}

void cdxr_dp2_destroy(struct cdxr_dp2_context *context)
{
    if (!context)
        return;
    if (context->capture)
        (void)cdxr_dp2_capture_stop(context);
    dp2_queue_destroy(context->queue);
    thread_pool_destroy(context->pool);
    dp2_space_release(context->space);
    dp2_state_finish(&context->state);
    free(context);
}

uint32_t cdxr_dp2_context_handle(const struct cdxr_dp2_context *context)
{
    return context->handle;
}

static enum cdxr_dp2_error report_status(struct cdxr_dp2_context *context, enum status status, const struct reason *reason)
{
    if (status == STATUS_OK)
        return CDXR_DP2_OK;
    if (status == STATUS_OUT_OF_MEMORY)
        return CDXR_DP2_ERROR_MEMORY;
    dp2_context_report(context, CDXR_DP2_SEVERITY_ERROR, "%s", reason->text);
    return status == STATUS_UNSUPPORTED ? CDXR_DP2_ERROR_UNSUPPORTED : CDXR_DP2_ERROR_INVALID;
}

enum cdxr_dp2_error cdxr_dp2_surface_register(struct cdxr_dp2_context *context, const struct cdxr_dp2_surface *surface)
{
    struct reason reason = {0};
    enum status status = dp2_space_register(context->space, surface, &reason);
    context->state_changed = true;
    if (status == STATUS_OK && context->capture)
        dp2_capture_registered(context, surface->handle);
    return report_status(context, status, &reason);
}

void cdxr_dp2_surface_unregister(struct cdxr_dp2_context *context, uint32_t handle)
{
    if (context->capture)
        dp2_capture_unregistered(context, handle);
    dp2_space_unregister(context->space, handle);
    context->state_changed = true;
}

enum cdxr_dp2_error cdxr_dp2_surface_query(struct cdxr_dp2_context *context, uint32_t handle, struct cdxr_dp2_surface *surface)
{
    const struct surface *found = dp2_space_surface(context->space, handle);
    if (!found)
        return CDXR_DP2_ERROR_INVALID;
    *surface = found->description;
    return CDXR_DP2_OK;
}

enum cdxr_dp2_error cdxr_dp2_set_color_key(struct cdxr_dp2_context *context, uint32_t handle, int enable, uint32_t low, uint32_t high)
{
    struct surface *surface = dp2_space_surface(context->space, handle);
    if (!surface)
        return CDXR_DP2_ERROR_INVALID;
    surface->description.flags = (surface->description.flags & ~(uint32_t)CDXR_DP2_SURFACE_COLOR_KEY) | (enable ? CDXR_DP2_SURFACE_COLOR_KEY : 0);
    surface->description.color_key_low = low;
    surface->description.color_key_high = high;
    context->state_changed = true;
    if (context->capture)
        dp2_capture_color_key(context, handle);
    return CDXR_DP2_OK;
}

/* As ContextCreate does: with a depth buffer the z test starts out enabled. */
enum cdxr_dp2_error cdxr_dp2_set_render_target(struct cdxr_dp2_context *context, uint32_t target, uint32_t depth)
{
    const struct surface *color = dp2_space_surface(context->space, target), *z = dp2_space_surface(context->space, depth);
    if ((target && (!color || !(color->description.flags & CDXR_DP2_SURFACE_TARGET))) ||
        (depth && (!z || !(z->description.flags & CDXR_DP2_SURFACE_DEPTH)))) {
        dp2_context_report(context, CDXR_DP2_SEVERITY_ERROR, "set_render_target: 0x%x, 0x%x are not a target and a depth buffer", target, depth);
        return CDXR_DP2_ERROR_INVALID;
    }
    context->state.target = target;
    context->state.depth = depth;
    if (!context->called)
        context->state.render[D3DRENDERSTATE_ZENABLE] = depth != 0;
    context->state_changed = true;
    if (context->capture)
        dp2_capture_target(context);
    return CDXR_DP2_OK;
}

void cdxr_dp2_set_flip_pending(struct cdxr_dp2_context *context, int pending)
{
    context->flip_pending = pending != 0;
}

void cdxr_dp2_statistics(const struct cdxr_dp2_context *context, struct cdxr_dp2_statistics *statistics)
{
    *statistics = context->statistics;
}

uint32_t cdxr_dp2_render_state(const struct cdxr_dp2_context *context, uint32_t state)
{
    return state < STATE_RENDER_COUNT ? context->state.render[state] : 0;
}

uint32_t cdxr_dp2_texture_stage_state(const struct cdxr_dp2_context *context, uint32_t stage, uint32_t state)
{
    return stage < STATE_STAGES && state < STATE_STAGE_STATES ? context->state.stage[stage][state] : 0;
}

void cdxr_dp2_render_target(const struct cdxr_dp2_context *context, uint32_t *target, uint32_t *depth)
{
    *target = context->state.target;
    *depth = context->state.depth;
}

void dp2_flush(struct cdxr_dp2_context *context)
{
    dp2_queue_flush(context);
}

/* Depth as grey: the far end is white. */
static uint32_t read_argb(const struct surface *surface, const struct cdxr_dp2_level *level, uint32_t x, uint32_t y, const uint32_t *palette)
{
    const struct format *format = &surface->format;
    const uint8_t *row = (const uint8_t *)level->memory + (size_t)y * (uint32_t)level->pitch_bytes;
    if (format->kind == FORMAT_KIND_DXT || format->kind == FORMAT_KIND_YUV)
        return dp2_format_block_argb(format, level->memory, (uint32_t)level->pitch_bytes, x, y);
    uint32_t raw = dp2_format_raw_read(format, row, x);
    if (format->kind != FORMAT_KIND_DEPTH)
        return dp2_format_unpack_argb(format, raw, palette);
    uint64_t max = dp2_format_channel_max(format, FORMAT_Z);
    return 0xFF000000 | 0x010101u * (uint32_t)((raw >> format->shift[FORMAT_Z] & max) * 255 / max);
}

enum cdxr_dp2_error cdxr_dp2_surface_read_rgba(struct cdxr_dp2_context *context, uint32_t handle, uint32_t level, uint8_t *rgba)
{
    const struct surface *surface = dp2_space_surface(context->space, handle);
    if (!surface || surface->format.kind == FORMAT_KIND_BUFFER || level >= surface->description.level_count)
        return CDXR_DP2_ERROR_INVALID;
    struct surface_extent extent = dp2_surface_level_extent(surface, level);
    const struct cdxr_dp2_level *l = dp2_surface_level(surface, 0, level);
    uint32_t palette[PALETTE_ENTRIES];
    dp2_palette_argb(dp2_space_palette(context->space, surface->palette, false), palette);
    for (uint32_t y = 0; y < extent.height; y++)
        for (uint32_t x = 0; x < extent.width; x++, rgba += 4) {
            uint32_t argb = read_argb(surface, l, x, y, palette);
            rgba[0] = (uint8_t)(argb >> 16);
            rgba[1] = (uint8_t)(argb >> 8);
            rgba[2] = (uint8_t)argb;
            rgba[3] = (uint8_t)(argb >> 24);
        }
    return CDXR_DP2_OK;
}
