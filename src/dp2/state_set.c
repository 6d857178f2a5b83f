/* SPDX-License-Identifier: MIT
 * State sets: BEGIN and END record the state tokens between them, CAPTURE rewrites the recorded values with the present ones,
 * EXECUTE runs the recording, CREATE makes one of all states of a kind. A set is nothing but its tokens. */
#include "dp2/context.h"

enum { SET_ALL = 1, SET_PIXEL = 2, SET_VERTEX = 3, HEADER_BYTES = 4 };

static enum token_answer fail_or_skip(bool fail)
{
    return fail ? TOKEN_BAD : TOKEN_DONE;
}

static enum token_answer begin(struct run *run)
{
    struct dp2_state *state = &run->context->state;
    if (state->recording)
        return fail_or_skip(dp2_violation(run, "BEGIN while a state set is being recorded"));
    state->recording = true;
    state->open_set.byte_count = 0;
    return TOKEN_DONE;
}

static enum token_answer keep(struct run *run, uint32_t handle)
{
    struct dp2_state *state = &run->context->state;
    state->open_set.handle = handle;
    enum status status = dp2_state_set_keep(state, &state->open_set, run->context->config.limits.state_sets);
    if (status == STATUS_OK)
        return TOKEN_DONE;
    state->open_set.byte_count = 0;
    return fail_or_skip(dp2_violation(run, "state set 0x%x: %s", handle, status == STATUS_INVALID ? "more sets than the limit" : "no memory"));
}

static enum token_answer end(struct run *run, uint32_t handle)
{
    struct dp2_state *state = &run->context->state;
    if (!state->recording)
        return fail_or_skip(dp2_violation(run, "END 0x%x without BEGIN", handle));
    state->recording = false;
    return keep(run, handle);
}

static void capture(struct cdxr_dp2_context *context, struct state_set *set)
{
    struct stream stream = {8, false, 0, &context->config.policies};
    struct cursor cursor = {.bytes = set->bytes, .end = set->byte_count};
    while (cursor.position < cursor.end) {
        const uint8_t *header = cursor_take(&cursor, HEADER_BYTES);
        const struct opcode *row = header ? dp2_opcode_find(&stream, header[0]) : NULL;
        size_t start = cursor.position;
        if (!row || !dp2_opcode_measure(row, &stream, &cursor, le16(header + 2)))
            return;
        if (row->capture)
            row->capture(context, set->bytes + start, le16(header + 2));
    }
}

/* ---- CREATE: tokens of all states of a kind, with values filled in by capture ---- */

static bool append_header(struct state_set *set, uint32_t opcode, uint32_t count)
{
    uint8_t header[HEADER_BYTES] = {(uint8_t)opcode};
    put_le16(header + 2, (uint16_t)count);
    return dp2_state_set_append(set, header, sizeof(header)) == STATUS_OK;
}

/* One token with zeroed payload; keys are filled by the caller through the returned offset. */
static uint8_t *append_blank(struct state_set *set, uint32_t opcode, uint32_t count, size_t payload_bytes)
{
    static const uint8_t zero[128];
    if (!append_header(set, opcode, count))
        return NULL;
    size_t start = set->byte_count;
    for (size_t done = 0; done < payload_bytes; done += sizeof(zero))
        if (dp2_state_set_append(set, zero, payload_bytes - done < sizeof(zero) ? payload_bytes - done : sizeof(zero)) != STATUS_OK)
            return NULL;
    return set->bytes + start;
}

static bool is_vertex_state(uint32_t number)
{
    return number == D3DRENDERSTATE_CULLMODE || number == D3DRENDERSTATE_SHADEMODE || number == D3DRENDERSTATE_RANGEFOGENABLE ||
           (number >= D3DRENDERSTATE_FOGENABLE && number == D3DRENDERSTATE_SPECULARENABLE) ||
           (number >= D3DRENDERSTATE_FOGCOLOR && number <= D3DRENDERSTATE_FOGDENSITY) ||
           (number >= D3DRENDERSTATE_CLIPPING && number <= D3DRENDERSTATE_INDEXEDVERTEXBLENDENABLE);
}

static bool append_render_states(struct state_set *set, uint32_t kind)
{
    for (uint32_t i = 0; i < STATE_RENDER_COUNT; i++) {
        if (!dp2_state_render_known(i) || (kind != SET_ALL && (kind == SET_VERTEX) != is_vertex_state(i)))
            continue;
        uint8_t *payload = append_blank(set, D3DDP2OP_RENDERSTATE, 1, 8);
        if (!payload)
            return false;
        put_le32(payload, i);
    }
    return true;
}

static bool append_stage_states(struct state_set *set)
{
    for (uint32_t stage = 0; stage < STATE_STAGES; stage++)
        for (uint32_t i = 0; dp2_state_stage_name(i); i++) {
            uint8_t *payload = append_blank(set, D3DDP2OP_TEXTURESTAGESTATE, 1, 8);
            if (!payload)
                return false;
            put_le16(payload, (uint16_t)stage);
            put_le16(payload + 2, (uint16_t)i);
        }
    return true;
}

static bool append_transform(struct state_set *set, uint32_t type)
{
    uint8_t *payload = append_blank(set, D3DDP2OP_SETTRANSFORM, 1, 68);
    if (payload)
        put_le32(payload, type);
    return payload != NULL;
}

static bool append_geometry(struct state_set *set, const struct dp2_state *state, uint32_t level)
{
    bool done = append_blank(set, D3DDP2OP_VIEWPORTINFO, 1, 16) && append_blank(set, D3DDP2OP_WINFO, 1, 8);
    if (level < 7)
        return done;
    done = done && append_blank(set, D3DDP2OP_ZRANGE, 1, 8) && append_blank(set, D3DDP2OP_SETMATERIAL, 1, 68);
    for (uint32_t type = 1; type <= 6 && done; type++)
        done = append_transform(set, type);
    for (uint32_t type = 16; type <= 23 && done; type++)
        done = append_transform(set, type);
    for (uint32_t i = 0; i < STATE_CLIP_PLANES && done; i++) {
        uint8_t *payload = append_blank(set, D3DDP2OP_SETCLIPPLANE, 1, 20);
        done = payload != NULL;
        if (payload)
            put_le32(payload, i);
    }
    for (uint32_t i = 0; i < state->light_count && done; i++) {
        uint8_t *payload = append_blank(set, D3DDP2OP_SETLIGHT, 2, 120); /* its data, then its switch */
        done = payload != NULL;
        if (payload) {
            put_le32(payload, state->lights[i].index);
            put_le32(payload + 4, D3DHAL_SETLIGHT_DATA);
            put_le32(payload + 112, state->lights[i].index);
        }
    }
    return done;
}

static bool append_bindings(struct state_set *set)
{
    bool done = append_blank(set, D3DDP2OP_SETINDICES, 1, 8) != NULL;
    for (uint32_t i = 0; i < STATE_STREAMS && done; i++) {
        uint8_t *payload = append_blank(set, D3DDP2OP_SETSTREAMSOURCE, 1, 12);
        done = payload != NULL;
        if (payload)
            put_le32(payload, i);
    }
    return done;
}

static bool append_shader_state(struct state_set *set, uint32_t set_opcode, uint32_t const_opcode, uint32_t registers)
{
    uint8_t *payload = append_blank(set, const_opcode, 1, 8 + 16 * (size_t)registers);
    if (payload)
        put_le32(payload + 4, registers);
    return payload && append_blank(set, set_opcode, 1, 4);
}

static bool append_kind(struct state_set *set, const struct dp2_state *state, uint32_t kind, uint32_t level)
{
    bool done = append_render_states(set, kind);
    if (kind != SET_VERTEX)
        done = done && append_stage_states(set);
    if (kind != SET_PIXEL)
        done = done && append_geometry(set, state, level);
    if (level < 8)
        return done;
    if (kind != SET_VERTEX)
        done = done && append_shader_state(set, D3DDP2OP_SETPIXELSHADER, D3DDP2OP_SETPIXELSHADERCONST, STATE_PIXEL_CONSTANTS);
    if (kind != SET_PIXEL)
        done = done && append_shader_state(set, D3DDP2OP_SETVERTEXSHADER, D3DDP2OP_SETVERTEXSHADERCONST, STATE_VERTEX_CONSTANTS);
    if (kind == SET_ALL)
        done = done && append_bindings(set);
    return done;
}

/* What values alone do not say: streams in user memory, and a stage 0 that still follows TEXTUREMAPBLEND. */
static bool append_modes(struct state_set *set, const struct dp2_state *state)
{
    bool done = true;
    for (uint32_t i = 0; i < STATE_STREAMS && done; i++) {
        if (!state->stream[i].user_memory)
            continue;
        uint8_t *payload = append_blank(set, D3DDP2OP_SETSTREAMSOURCEUM, 1, 8);
        done = payload != NULL;
        if (payload) {
            put_le32(payload, i);
            put_le32(payload + 4, state->stream[i].stride_bytes);
        }
    }
    if (!state->legacy_color && !state->legacy_alpha)
        return done;
    uint8_t *blend = append_blank(set, D3DDP2OP_RENDERSTATE, 1, 8);
    if (!blend)
        return false;
    put_le32(blend, D3DRENDERSTATE_TEXTUREMAPBLEND);
    put_le32(blend + 4, state->render[D3DRENDERSTATE_TEXTUREMAPBLEND]);
    if (state->legacy_color && state->legacy_alpha)
        return done;
    uint8_t *ended = append_blank(set, D3DDP2OP_TEXTURESTAGESTATE, 1, 8); /* the half that an operation of its own has ended */
    uint32_t number = state->legacy_color ? D3DTSS_ALPHAOP : D3DTSS_COLOROP;
    if (!ended)
        return false;
    put_le16(ended + 2, (uint16_t)number);
    put_le32(ended + 4, state->stage[0][number]);
    return done;
}

bool dp2_state_tokens(struct cdxr_dp2_context *context, struct state_set *set)
{
    if (!append_kind(set, &context->state, SET_ALL, context->config.ddi_level))
        return false;
    capture(context, set);
    return append_modes(set, &context->state);
}

static enum token_answer create(struct run *run, uint32_t handle, uint32_t kind)
{
    struct dp2_state *state = &run->context->state;
    if (state->recording || kind < SET_ALL || kind > SET_VERTEX)
        return fail_or_skip(dp2_violation(run, "CREATE 0x%x of type %u%s", handle, kind, state->recording ? " while recording" : ", it takes 1..3"));
    struct state_set *set = &state->open_set;
    set->byte_count = 0;
    bool done = append_kind(set, state, kind, 8);
    if (!done || state->kept_bytes + set->byte_count > run->context->config.limits.kept_bytes) {
        set->byte_count = 0;
        return fail_or_skip(dp2_violation(run, "state set 0x%x exceeds memory or the limit of kept bytes", handle));
    }
    capture(run->context, set);
    return keep(run, handle);
}

static enum token_answer use(struct run *run, uint32_t operation, uint32_t handle)
{
    struct dp2_state *state = &run->context->state;
    struct state_set *set = dp2_state_set_find(state, handle);
    static const char *const names[] = {"DELETE", "EXECUTE", "CAPTURE"};
    const char *name = names[operation - D3DHAL_STATESETDELETE];
    if (state->recording && operation != D3DHAL_STATESETDELETE)
        return fail_or_skip(dp2_violation(run, "%s 0x%x while a state set is being recorded", name, handle));
    if (!set)
        return fail_or_skip(dp2_violation(run, "%s: state set 0x%x does not exist", name, handle));
    if (operation == D3DHAL_STATESETDELETE)
        dp2_state_set_delete(state, handle);
    else if (operation == D3DHAL_STATESETCAPTURE)
        capture(run->context, set);
    else
        return dp2_run_set(run, set);
    return TOKEN_DONE;
}

enum token_answer dp2_token_state_set(struct run *run, const uint8_t *payload)
{
    enum token_answer answer = TOKEN_DONE;
    for (uint32_t i = 0; i < run->count && answer == TOKEN_DONE; i++, payload += 12) {
        uint32_t operation = le32(payload), handle = le32(payload + 4), kind = le32(payload + 8);
        switch (operation) {
        case D3DHAL_STATESETBEGIN: answer = begin(run); break;
        case D3DHAL_STATESETEND: answer = end(run, handle); break;
        case D3DHAL_STATESETDELETE:
        case D3DHAL_STATESETEXECUTE:
        case D3DHAL_STATESETCAPTURE: answer = use(run, operation, handle); break;
        case D3DHAL_STATESETCREATE: answer = create(run, handle, kind); break;
        default: answer = fail_or_skip(dp2_violation(run, "operation %u is not 0..5", operation)); break;
        }
    }
    return answer;
}
