/* SPDX-License-Identifier: MIT
 * `cdxr dp2 dump` and `cdxr dp2 check`. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dp2_file.h"

/* ---- dump ---- */

struct dumper {
    uint64_t token; /* number of the next one, counted over the capture */
};

static void print_line(void *cookie, const char *text)
{
    struct dumper *dumper = cookie;
    bool is_token = strlen(text) > 8 && text[0] != ' ' && text[8] == ' ';
    if (is_token)
        printf("#%-6" PRIu64 " %s\n", dumper->token++, text);
    else
        printf("        %s\n", text);
}

static void print_surface(struct cdxr_dp2_context *context, uint32_t handle)
{
    struct cdxr_dp2_surface s;
    if (cdxr_dp2_surface_query(context, handle, &s) != CDXR_DP2_OK)
        return;
    if (s.flags & CDXR_DP2_SURFACE_BUFFER)
        printf("surface 0x%x: buffer of %zu bytes\n", handle, s.levels[0].byte_count);
    else
        printf("surface 0x%x: %ux%ux%u, %u levels, %u bits%s%s%s\n", handle, s.width, s.height, s.depth, s.level_count, s.format.bit_count,
               s.flags & CDXR_DP2_SURFACE_TEXTURE ? ", texture" : "", s.flags & CDXR_DP2_SURFACE_TARGET ? ", target" : "",
               s.flags & CDXR_DP2_SURFACE_DEPTH ? ", depth" : "");
}

/* Walk the capture; each event to visit. Returns the exit status of a broken file, or 0. */
static int walk(const struct dp2_options *options, struct cdxr_dp2_config *overrides,
                void (*visit)(void *cookie, struct cdxr_dp2_replay *replay, struct cdxr_dp2_event *event), void *cookie)
{
    struct dp2_file file;
    if (!dp2_file_read(options->input_path, &file))
        return 1;
    int status = 1;
    struct cdxr_dp2_replay *replay = dp2_file_replay(&file, options->input_path, overrides);
    if (replay) {
        struct cdxr_dp2_event event;
        char reason[512] = "no memory";
        enum cdxr_dp2_error error;
        while ((error = cdxr_dp2_replay_next(replay, &event, reason)) == CDXR_DP2_OK)
            visit(cookie, replay, &event);
        status = error != CDXR_DP2_END;
        if (status)
            fprintf(stderr, "cdxr: %s: %s\n", options->input_path, reason);
    }
    cdxr_dp2_replay_close(replay);
    dp2_file_free(&file);
    return status;
}

struct dump {
    struct dumper dumper;
    bool triangles;
};

static void dump_event(void *cookie, struct cdxr_dp2_replay *replay, struct cdxr_dp2_event *event)
{
    struct dump *dump = cookie;
    switch (event->kind) {
    case CDXR_DP2_EVENT_SURFACE: print_surface(cdxr_dp2_replay_context(replay), event->handle); break;
    case CDXR_DP2_EVENT_DATA: printf("data of surface 0x%x\n", event->handle); break;
    case CDXR_DP2_EVENT_TARGET: printf("render target 0x%x\n", event->handle); break;
    default: cdxr_dp2_describe(cdxr_dp2_replay_config(replay), &event->call, dump->triangles, print_line, &dump->dumper); break;
    }
}

int dp2_command_dump(const struct dp2_options *options)
{
    struct dump dump = {.triangles = options->triangles};
    struct cdxr_dp2_config overrides;
    cdxr_dp2_config_init(&overrides);
    overrides.thread_count = 1;
    return walk(options, &overrides, dump_event, &dump);
}

/* ---- check ---- */

struct check {
    uint64_t call, violations;
};

static void print_violation(void *cookie, const struct cdxr_dp2_message *message)
{
    struct check *check = cookie;
    if (message->severity == CDXR_DP2_SEVERITY_NOTE)
        return;
    check->violations++;
    if (message->offset == ~0u)
        printf("call %" PRIu64 ": %s\n", check->call, message->text);
    else
        printf("call %" PRIu64 " offset 0x%x: %s\n", check->call, message->offset, message->text);
}

/* The call is executed (leniently, so that one violation does not hide the next) for what only execution shows. */
static void check_event(void *cookie, struct cdxr_dp2_replay *replay, struct cdxr_dp2_event *event)
{
    struct check *check = cookie;
    if (event->kind != CDXR_DP2_EVENT_CALL)
        return;
    cdxr_dp2_execute_call(cdxr_dp2_replay_context(replay), &event->call);
    if (event->call.ddrval != 0)
        printf("call %" PRIu64 ": stopped at offset 0x%x with 0x%08x\n", check->call, event->call.error_offset, (unsigned)event->call.ddrval);
    check->call++;
}

int dp2_command_check(const struct dp2_options *options)
{
    struct check check = {0};
    struct cdxr_dp2_config overrides;
    cdxr_dp2_config_init(&overrides);
    overrides.cookie = &check;
    overrides.log = print_violation;
    overrides.thread_count = options->thread_count;
    overrides.strict = options->strict;
    int status = walk(options, &overrides, check_event, &check);
    printf("%" PRIu64 " calls, %" PRIu64 " violations%s\n", check.call, check.violations, status ? ", the file is not readable to its end" : "");
    return status || check.violations != 0;
}
