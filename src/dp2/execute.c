/* SPDX-License-Identifier: MIT
 * The loop over a call's tokens: header, size, recording or execution, and what a stop answers (docs/dp2.md,
 * "Answers"). Entered from entry.c with all bytes in host memory. */
#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"
#include "dp2/capture.h"
#include "dp2/context.h"

enum { OPCODE_EXIT = CDXR_D3DOP_EXIT, OPCODE_SPAN = CDXR_D3DOP_SPAN, HEADER_BYTES = 4, EXECUTE_BUFFER_STRIDE = 32 };

/* ---- reports ---- */

static void report_text(struct cdxr_dp2_context *context, const struct cdxr_dp2_message *message)
{
    if (context->config.log)
        context->config.log(context->config.cookie, message);
    else
        log_debug("dp2: 0x%x: %s", message->offset, message->text);
}

static void report(struct run *run, uint32_t severity, const char *format, va_list arguments)
{
    char text[400];
    int used = snprintf(text, sizeof(text), "%s: ", run->row ? run->row->name : "token");
    vsnprintf(text + used, sizeof(text) - (size_t)used, format, arguments);
    report_text(run->context, &(struct cdxr_dp2_message){severity, (uint32_t)run->token_offset, run->opcode, text});
}

void dp2_report(struct run *run, uint32_t severity, const char *format, ...)
{
    if (!run->context->config.log && !log_enabled(LOG_LEVEL_DEBUG))
        return;
    va_list arguments;
    va_start(arguments, format);
    report(run, severity, format, arguments);
    va_end(arguments);
}

bool dp2_violation(struct run *run, const char *format, ...)
{
    bool strict = run->context->config.strict;
    if (run->context->config.log || log_enabled(LOG_LEVEL_DEBUG)) {
        va_list arguments;
        va_start(arguments, format);
        report(run, strict ? CDXR_DP2_SEVERITY_ERROR : CDXR_DP2_SEVERITY_WARNING, format, arguments);
        va_end(arguments);
    }
    return strict;
}

void dp2_context_report(struct cdxr_dp2_context *context, uint32_t severity, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    report_text(context, &(struct cdxr_dp2_message){severity, ~0u, 0, text});
}

/* ---- one token ---- */

static enum token_answer record_token(struct run *run, const uint8_t *header)
{
    struct cdxr_dp2_context *context = run->context;
    size_t byte_count = HEADER_BYTES + run->payload_bytes;
    if (context->state.kept_bytes + context->state.open_set.byte_count + byte_count > context->config.limits.kept_bytes)
        return dp2_violation(run, "state set would exceed the limit of %u kept bytes", context->config.limits.kept_bytes) ? TOKEN_BAD : TOKEN_DONE;
    if (dp2_state_set_append(&context->state.open_set, header, byte_count) != STATUS_OK)
        return dp2_violation(run, "no memory to record the token") ? TOKEN_BAD : TOKEN_DONE;
    return TOKEN_DONE;
}

/* Before and after hooks for tools; false: stop in front of the token. */
static bool call_token_hook(struct run *run, const uint8_t *header, const struct cdxr_dp2_statistics *statistics, uint32_t after)
{
    struct cdxr_dp2_context *context = run->context;
    if (!context->config.token)
        return true;
    struct cdxr_dp2_token token = {(uint32_t)run->token_offset, (uint32_t)(HEADER_BYTES + run->payload_bytes), run->opcode,
                                   run->count, run->row->name, header, statistics, after};
    int stop = context->config.token(context->config.cookie, &token);
    return after || !stop;
}

static void statistics_since(struct cdxr_dp2_statistics *now, const struct cdxr_dp2_statistics *before)
{
    uint64_t *a = (uint64_t *)now;
    const uint64_t *b = (const uint64_t *)before;
    for (size_t i = 0; i < sizeof(*now) / sizeof(uint64_t); i++)
        a[i] -= b[i];
}

static enum token_answer execute_row(struct run *run, const uint8_t *header)
{
    struct cdxr_dp2_context *context = run->context;
    run->context->statistics.tokens++;
    if (context->state.recording && (run->row->flags & OPCODE_STATE))
        return record_token(run, header);
    if (run->row->flags & (OPCODE_STATE))
        context->state_changed = true;
    return run->row->execute(run, header + HEADER_BYTES);
}

static enum token_answer execute_with_hooks(struct run *run, const uint8_t *header)
{
    struct cdxr_dp2_context *context = run->context;
    if (!context->config.token || run->replaying)
        return execute_row(run, header);
    if (!call_token_hook(run, header, &(struct cdxr_dp2_statistics){0}, 0)) {
        run->call->stop = CDXR_DP2_STOP_CALLBACK;
        return TOKEN_UNPARSED;
    }
    struct cdxr_dp2_statistics before = context->statistics;
    enum token_answer answer = execute_row(run, header);
    dp2_flush(context);
    struct cdxr_dp2_statistics difference = context->statistics;
    statistics_since(&difference, &before);
    call_token_hook(run, header, &difference, 1);
    return answer;
}

/* A token without a row: EXIT, SPAN, or somebody else's. */
static enum token_answer execute_unknown(struct run *run, const uint8_t *header)
{
    struct cdxr_dp2_context *context = run->context;
    bool execute_buffer = run->stream.execute_buffer;
    if (run->opcode == OPCODE_EXIT && (execute_buffer || context->config.policies.exit == CDXR_DP2_EXIT_ENDS)) {
        if (!execute_buffer)
            dp2_report(run, CDXR_DP2_SEVERITY_NOTE, "EXIT outside an execute buffer ends the stream (policy exit)");
        return TOKEN_END;
    }
    if (execute_buffer && run->opcode == OPCODE_SPAN)
        return cursor_take(&run->cursor, (uint64_t)header[1] * run->count) ? TOKEN_DONE : TOKEN_UNPARSED;
    size_t left = run->cursor.end - run->token_offset, resume_bytes = 0;
    if (!execute_buffer && context->config.parse_unknown) {
        dp2_flush(context); /* the callback may look at the target */
        int32_t answer = context->config.parse_unknown(context->config.cookie, header, left, &resume_bytes);
        if (answer == D3D_OK && resume_bytes && resume_bytes <= left) {
            run->cursor.position = run->token_offset + resume_bytes;
            return TOKEN_DONE;
        }
        if (answer == D3D_OK)
            dp2_report(run, CDXR_DP2_SEVERITY_ERROR, "parse-unknown callback resumes %zu bytes behind opcode %u, %zu are left",
                       resume_bytes, run->opcode, left);
    }
    dp2_report(run, execute_buffer ? CDXR_DP2_SEVERITY_NOTE : CDXR_DP2_SEVERITY_ERROR, "opcode %u is not for DDI level %u%s", run->opcode,
               run->stream.ddi_level, execute_buffer ? " execute buffers" : "");
    return TOKEN_UNPARSED;
}

static enum token_answer execute_token(struct run *run)
{
    run->token_offset = run->cursor.position;
    run->row = NULL;
    run->opcode = 0;
    const uint8_t *header = cursor_take(&run->cursor, HEADER_BYTES);
    if (!header) {
        dp2_report(run, CDXR_DP2_SEVERITY_ERROR, "header cut: %zu bytes left", run->cursor.end - run->token_offset);
        return TOKEN_UNPARSED;
    }
    run->opcode = header[0];
    run->count = le16(header + 2);
    run->row = dp2_opcode_find(&run->stream, run->opcode);
    if (!run->row)
        return execute_unknown(run, header);
    size_t payload_start = run->cursor.position;
    if (!dp2_opcode_measure(run->row, &run->stream, &run->cursor, run->count)) {
        dp2_report(run, CDXR_DP2_SEVERITY_ERROR, "payload of count %u reaches past the end of the stream at 0x%zx", run->count, run->cursor.end);
        return TOKEN_UNPARSED;
    }
    run->payload_bytes = run->cursor.position - payload_start;
    return execute_with_hooks(run, header);
}

/* ---- state sets ---- */

enum token_answer dp2_run_set(struct run *run, const struct state_set *set)
{
    struct run inner = *run;
    inner.replaying = true;
    inner.cursor = (struct cursor){.bytes = set->bytes, .end = set->byte_count};
    inner.stream.ddi_level = 8; /* what was recorded was legal then */
    inner.stream.execute_buffer = false;
    enum token_answer answer = TOKEN_DONE;
    while (inner.cursor.position < inner.cursor.end && answer == TOKEN_DONE) {
        const uint8_t *header = cursor_take(&inner.cursor, HEADER_BYTES);
        if (!header)
            break;
        inner.opcode = header[0];
        inner.count = le16(header + 2);
        inner.row = dp2_opcode_find(&inner.stream, inner.opcode);
        size_t start = inner.cursor.position;
        if (!inner.row || !dp2_opcode_measure(inner.row, &inner.stream, &inner.cursor, inner.count))
            break;
        inner.payload_bytes = inner.cursor.position - start;
        answer = inner.row->execute(&inner, header + HEADER_BYTES);
    }
    run->context->state_changed = true;
    return answer;
}

/* ---- one call ---- */

static void finish(struct run *run, enum token_answer answer)
{
    struct cdxr_dp2_call *call = run->call;
    call->handled = DDHAL_DRIVER_HANDLED;
    if (answer == TOKEN_DONE || answer == TOKEN_END) {
        call->ddrval = D3D_OK;
        call->error_offset = 0;
        call->stop = CDXR_DP2_STOP_END;
        return;
    }
    bool from_first = run->context->config.policies.offset_base == CDXR_DP2_OFFSET_FROM_FIRST_TOKEN;
    call->ddrval = D3DERR_COMMAND_UNPARSED;
    call->error_offset = (uint32_t)(run->token_offset - (from_first ? call->command_offset : 0));
    if (call->stop != CDXR_DP2_STOP_CALLBACK)
        call->stop = answer == TOKEN_BAD ? CDXR_DP2_STOP_BAD : CDXR_DP2_STOP_UNPARSED;
}

static void refuse(struct cdxr_dp2_call *call, int32_t ddrval)
{
    call->handled = DDHAL_DRIVER_HANDLED;
    call->ddrval = ddrval;
    call->error_offset = call->command_offset;
    call->stop = CDXR_DP2_STOP_REFUSED;
}

static void init_vertices(struct run *run)
{
    struct cdxr_dp2_call *call = run->call;
    if (run->stream.execute_buffer)
        call->vertex_type = D3DFVF_TLVERTEX;
    run->layout_valid = dp2_fvf_layout_init(call->vertex_type, &run->layout);
    uint32_t stride = call->vertex_stride;
    if (run->stream.execute_buffer)
        stride = EXECUTE_BUFFER_STRIDE;
    else if (stride < run->layout.vertex_bytes || stride > 0xFFFF || !stride)
        stride = run->layout.vertex_bytes;
    run->stream.stride_bytes = stride;
    uint64_t memory = call->vertices && call->vertices_bytes > call->vertex_offset ? call->vertices_bytes - call->vertex_offset : 0;
    uint64_t fit = !run->layout_valid || !stride || memory < run->layout.vertex_bytes ? 0 : (memory - run->layout.vertex_bytes) / stride + 1;
    run->vertex_limit = fit < call->vertex_count ? fit : call->vertex_count;
}

/* The stream's extent inside the command memory; false: no such memory. */
static bool init_cursor(struct run *run)
{
    struct cdxr_dp2_call *call = run->call;
    struct cdxr_dp2_context *context = run->context;
    uint64_t end = (uint64_t)call->command_offset + call->command_length;
    if (call->command_length && (!call->commands || call->command_offset > call->commands_bytes)) {
        dp2_context_report(context, CDXR_DP2_SEVERITY_ERROR, "command offset 0x%x lies outside a buffer of %zu bytes", call->command_offset,
                           call->commands_bytes);
        return false;
    }
    if (end > call->commands_bytes)
        end = call->commands_bytes;
    if (end - call->command_offset > context->config.limits.command_bytes)
        end = call->command_offset + (uint64_t)context->config.limits.command_bytes;
    uint64_t start = call->command_offset;
    if (call->resume_offset) {
        bool from_first = context->config.policies.offset_base == CDXR_DP2_OFFSET_FROM_FIRST_TOKEN;
        start = call->resume_offset + (from_first ? (uint64_t)call->command_offset : 0);
        if (start < call->command_offset || start > end) {
            dp2_context_report(context, CDXR_DP2_SEVERITY_ERROR, "resume offset 0x%x lies outside the stream", call->resume_offset);
            return false;
        }
    }
    run->cursor = (struct cursor){call->commands, (size_t)start, (size_t)end, false};
    return true;
}

static enum token_answer execute_tokens(struct run *run)
{
    enum token_answer answer = TOKEN_DONE;
    while (answer == TOKEN_DONE && run->cursor.position < run->cursor.end)
        answer = execute_token(run);
    return answer;
}

void cdxr_dp2_execute_call(struct cdxr_dp2_context *context, struct cdxr_dp2_call *call)
{
    struct run run = {.context = context, .call = call};
    run.stream = (struct stream){context->config.ddi_level, (call->flags & D3DHALDP2_EXECUTEBUFFER) != 0, 0, &context->config.policies};
    run.vertices_left = context->config.limits.vertices;
    context->pixels_left = context->config.limits.pixels;
    call->stop = CDXR_DP2_STOP_END;
    if (context->capture)
        dp2_capture_call(context, call);
    context->called = true;
    context->statistics.calls++;
    if (context->flip_pending) {
        refuse(call, DDERR_WASSTILLDRAWING);
        return;
    }
    if (!call->command_length) {
        finish(&run, TOKEN_DONE);
        return;
    }
    if (!init_cursor(&run)) {
        refuse(call, DDERR_INVALIDPARAMS);
        return;
    }
    init_vertices(&run);
    enum token_answer answer = execute_tokens(&run);
    dp2_flush(context);
    finish(&run, answer);
}
