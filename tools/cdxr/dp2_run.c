/* SPDX-License-Identifier: MIT
 * `cdxr dp2 run`: draw a capture, up to a token if asked, and tell token by token what happened. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cdxr/d3dhal.h"
#include "dp2_file.h"

struct runner {
    const struct dp2_options *options;
    struct cdxr_dp2_context *context;
    uint64_t token;          /* number of the present one */
    bool stopped;
    uint8_t *before, *after; /* RGBA of the target around the present token */
    uint32_t target, width, height;
};

/* ---- pictures ---- */

static uint32_t target_of(struct cdxr_dp2_context *context)
{
    uint32_t target, depth;
    cdxr_dp2_render_target(context, &target, &depth);
    return target;
}

/* RGBA of a surface's first level; NULL when there is none. */
static uint8_t *read_surface(struct cdxr_dp2_context *context, uint32_t handle, uint32_t *width, uint32_t *height)
{
    struct cdxr_dp2_surface surface;
    if (cdxr_dp2_surface_query(context, handle, &surface) != CDXR_DP2_OK)
        return NULL;
    uint8_t *rgba = malloc((size_t)surface.width * surface.height * 4);
    if (rgba && cdxr_dp2_surface_read_rgba(context, handle, 0, rgba) != CDXR_DP2_OK) {
        free(rgba);
        return NULL;
    }
    *width = surface.width;
    *height = surface.height;
    return rgba;
}

/* ---- trace lines ---- */

static void print_changes(const struct runner *r)
{
    uint64_t changed = 0;
    uint32_t x0 = UINT32_MAX, y0 = UINT32_MAX, x1 = 0, y1 = 0;
    for (uint32_t y = 0; y < r->height; y++)
        for (uint32_t x = 0; x < r->width; x++) {
            size_t at = ((size_t)y * r->width + x) * 4;
            if (!memcmp(r->before + at, r->after + at, 4))
                continue;
            changed++;
            x0 = x < x0 ? x : x0;
            x1 = x > x1 ? x : x1;
            y0 = y < y0 ? y : y0;
            y1 = y > y1 ? y : y1;
        }
    if (changed)
        printf("        %" PRIu64 " pixels changed in (%u, %u)-(%u, %u)\n", changed, x0, y0, x1, y1);
    else
        printf("        no pixel changed\n");
}

static void print_reason(const struct runner *r, uint64_t count, const char *what, const uint32_t *states, const char *const *names)
{
    if (!count)
        return;
    printf("        %" PRIu64 " %s:", count, what);
    for (int i = 0; names[i]; i++)
        printf(" %s=%u", names[i], cdxr_dp2_render_state(r->context, states[i]));
    printf("\n");
}

#define REASON(count, what, ...)                                                                                    \
    do {                                                                                                            \
        static const struct { uint32_t state; const char *name; } rows[] = {__VA_ARGS__};                           \
        uint32_t states[8];                                                                                         \
        const char *names[8] = {NULL};                                                                              \
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {                                               \
            states[i] = rows[i].state;                                                                              \
            names[i] = rows[i].name;                                                                                \
        }                                                                                                           \
        print_reason(r, count, what, states, names);                                                                \
    } while (0)

/* Which state decided about what was not drawn, and about how the rest was. */
static void print_reasons(const struct runner *r, const struct cdxr_dp2_statistics *s)
{
    REASON(s->primitives_skipped, "primitives skipped (bad index, not finite, or over a limit)", {D3DRENDERSTATE_CLIPPING, "CLIPPING"});
    REASON(s->triangles_culled, "triangles culled", {D3DRENDERSTATE_CULLMODE, "CULLMODE"});
    REASON(s->triangles_clipped_away, "primitives outside the volume", {D3DRENDERSTATE_CLIPPING, "CLIPPING"}, {D3DRENDERSTATE_CLIPPLANEENABLE, "CLIPPLANEENABLE"});
    REASON(s->pixels_failed_stipple, "pixels dropped by the stipple pattern", {D3DRENDERSTATE_STIPPLEENABLE, "STIPPLEENABLE"});
    REASON(s->pixels_failed_depth, "pixels failed the depth test", {D3DRENDERSTATE_ZENABLE, "ZENABLE"}, {D3DRENDERSTATE_ZFUNC, "ZFUNC"},
           {D3DRENDERSTATE_ZBIAS, "ZBIAS"});
    REASON(s->pixels_failed_color_key, "pixels dropped by the colour key", {D3DRENDERSTATE_COLORKEYENABLE, "COLORKEYENABLE"});
    REASON(s->pixels_failed_alpha, "pixels failed the alpha test", {D3DRENDERSTATE_ALPHAFUNC, "ALPHAFUNC"}, {D3DRENDERSTATE_ALPHAREF, "ALPHAREF"},
           {D3DRENDERSTATE_STIPPLEDALPHA, "STIPPLEDALPHA"});
    REASON(s->pixels_failed_stencil, "pixels failed the stencil test", {D3DRENDERSTATE_STENCILFUNC, "STENCILFUNC"}, {D3DRENDERSTATE_STENCILREF, "STENCILREF"},
           {D3DRENDERSTATE_STENCILMASK, "STENCILMASK"});
    REASON(s->pixels_written, "pixels written", {D3DRENDERSTATE_ALPHABLENDENABLE, "ALPHABLENDENABLE"}, {D3DRENDERSTATE_SRCBLEND, "SRCBLEND"},
           {D3DRENDERSTATE_DESTBLEND, "DESTBLEND"}, {D3DRENDERSTATE_FOGENABLE, "FOGENABLE"}, {D3DRENDERSTATE_ZWRITEENABLE, "ZWRITEENABLE"});
}

static void trace_after(struct runner *r, const struct cdxr_dp2_token *token)
{
    const struct cdxr_dp2_statistics *s = token->statistics;
    uint32_t width, height;
    printf("#%-6" PRIu64 " %08x  %s n=%u", r->token, token->offset, token->name, token->count);
    if (s->triangles + s->lines + s->points)
        printf("  %" PRIu64 " triangles, %" PRIu64 " lines, %" PRIu64 " points, %" PRIu64 " pixels covered", s->triangles, s->lines, s->points,
               s->pixels_covered);
    printf("\n");
    print_reasons(r, s);
    r->after = r->before ? read_surface(r->context, r->target, &width, &height) : NULL;
    if (r->after && width == r->width && height == r->height)
        print_changes(r);
    free(r->before);
    free(r->after);
    r->before = r->after = NULL;
}

static int on_token(void *cookie, const struct cdxr_dp2_token *token)
{
    struct runner *r = cookie;
    if (token->after) {
        if (r->options->trace)
            trace_after(r, token);
        r->token++;
        return 0;
    }
    if (r->token > r->options->last_token) {
        r->stopped = true;
        return 1;
    }
    if (r->options->trace) {
        r->target = target_of(r->context);
        r->before = read_surface(r->context, r->target, &r->width, &r->height);
    }
    return 0;
}

static void on_message(void *cookie, const struct cdxr_dp2_message *message)
{
    struct runner *r = cookie;
    if (message->severity == CDXR_DP2_SEVERITY_NOTE && !r->options->trace)
        return;
    fprintf(r->options->trace ? stdout : stderr, r->options->trace ? "        note: %s\n" : "cdxr: dp2: %s\n", message->text);
}

/* ---- the command ---- */

static bool replay_all(struct runner *r, struct cdxr_dp2_replay *replay)
{
    struct cdxr_dp2_event event;
    char reason[512] = "no memory";
    enum cdxr_dp2_error error = CDXR_DP2_OK;
    while (!r->stopped && (error = cdxr_dp2_replay_next(replay, &event, reason)) == CDXR_DP2_OK)
        if (event.kind == CDXR_DP2_EVENT_CALL) {
            cdxr_dp2_execute_call(r->context, &event.call);
            if (event.call.ddrval != 0 && !r->stopped)
                fprintf(stderr, "cdxr: %s: the call at 0x%" PRIx64 " stopped at token offset 0x%x with 0x%08x\n", r->options->input_path,
                        event.file_offset, event.call.error_offset, (unsigned)event.call.ddrval);
        }
    if (error != CDXR_DP2_OK && error != CDXR_DP2_END) {
        fprintf(stderr, "cdxr: %s: %s\n", r->options->input_path, reason);
        return false;
    }
    return true;
}

static bool write_result(struct runner *r)
{
    uint32_t width, height, handle = r->options->surface ? r->options->surface : target_of(r->context);
    uint8_t *rgba = read_surface(r->context, handle, &width, &height);
    if (!rgba) {
        fprintf(stderr, "cdxr: %s: there is no surface 0x%x to write\n", r->options->input_path, handle);
        return false;
    }
    bool done = dp2_write_png(r->options->output_path, rgba, width, height);
    free(rgba);
    return done;
}

int dp2_command_run(const struct dp2_options *options)
{
    struct dp2_file file;
    struct runner r = {.options = options};
    struct cdxr_dp2_config overrides;
    if (!options->output_path && !options->trace) {
        fputs("cdxr dp2: run needs -o OUT.png or --trace\n", stderr);
        return 2;
    }
    cdxr_dp2_config_init(&overrides);
    overrides.cookie = &r;
    overrides.log = on_message;
    overrides.token = options->trace || options->last_token != UINT64_MAX ? on_token : NULL;
    overrides.thread_count = options->thread_count;
    overrides.strict = options->strict;
    overrides.force_wireframe = options->wireframe;
    if (!dp2_file_read(options->input_path, &file))
        return 1;
    struct cdxr_dp2_replay *replay = dp2_file_replay(&file, options->input_path, &overrides);
    bool done = replay != NULL;
    if (replay) {
        r.context = cdxr_dp2_replay_context(replay);
        done = replay_all(&r, replay) && (!options->output_path || write_result(&r));
    }
    cdxr_dp2_replay_close(replay);
    dp2_file_free(&file);
    return !done;
}
