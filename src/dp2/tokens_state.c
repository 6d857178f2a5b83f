/* SPDX-License-Identifier: MIT
 * Tokens that set states, and the counterpart of each that reads the present value back into a recorded token. */
#include "dp2/context.h"

/* ---- render and stage states ---- */

static bool check_value(struct run *run, const char *name, uint32_t number, uint32_t value, uint32_t low, uint32_t high)
{
    if (!high || (value >= low && value <= high))
        return false;
    return dp2_violation(run, "state %u (%s) has no value %u, it takes %u..%u", number, name, value, low, high);
}

bool dp2_apply_render_state(struct run *run, uint32_t number, uint32_t value)
{
    struct cdxr_dp2_context *context = run->context;
    uint32_t low, high = dp2_state_render_limit(number, &low);
    if (number >= 2 * STATE_RENDER_COUNT)
        return dp2_violation(run, "render state %u is out of range", number);
    if (number < STATE_RENDER_COUNT && !dp2_state_render_known(number))
        dp2_report(run, CDXR_DP2_SEVERITY_NOTE, "render state %u is unknown, kept and ignored", number);
    if (check_value(run, number < STATE_RENDER_COUNT && dp2_state_render_name(number) ? dp2_state_render_name(number) : "?", number, value, low, high))
        return true;
    dp2_state_set_render(&context->state, number, value);
    if (number == D3DRENDERSTATE_DELETERTPATCH)
        dp2_state_patch_delete(&context->state, value);
    /* The array behind lpdwRStates has 256 entries: overrides are never mirrored. */
    if (run->stream.execute_buffer && run->call->render_states && number < STATE_RENDER_COUNT)
        run->call->render_states[number] = context->state.render[number];
    return false;
}

enum token_answer dp2_token_render_state(struct run *run, const uint8_t *payload)
{
    for (uint32_t i = 0; i < run->count; i++)
        if (dp2_apply_render_state(run, le32(payload + i * 8), le32(payload + i * 8 + 4)))
            return TOKEN_BAD;
    return TOKEN_DONE;
}

void dp2_capture_render_state(struct cdxr_dp2_context *context, uint8_t *payload, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = le32(payload + i * 8);
        if (number < STATE_RENDER_COUNT)
            put_le32(payload + i * 8 + 4, context->state.render[number]);
        else if (number < 2 * STATE_RENDER_COUNT)
            put_le32(payload + i * 8 + 4, context->state.override_on[number - STATE_RENDER_COUNT]);
    }
}

enum token_answer dp2_token_texture_stage_state(struct run *run, const uint8_t *payload)
{
    for (uint32_t i = 0; i < run->count; i++) {
        uint32_t stage = le16(payload + i * 8), number = le16(payload + i * 8 + 2), value = le32(payload + i * 8 + 4);
        const char *name = dp2_state_stage_name(number);
        if (stage >= STATE_STAGES || !name) {
            if (dp2_violation(run, "stage %u state %u does not exist", stage, number))
                return TOKEN_BAD;
            continue;
        }
        uint32_t low, high = dp2_state_stage_limit(number, &low);
        if (check_value(run, name, number, value, low, high))
            return TOKEN_BAD;
        dp2_state_set_stage(&run->context->state, stage, number, value);
    }
    return TOKEN_DONE;
}

void dp2_capture_texture_stage_state(struct cdxr_dp2_context *context, uint8_t *payload, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t stage = le16(payload + i * 8), number = le16(payload + i * 8 + 2);
        if (stage < STATE_STAGES && number < STATE_STAGE_STATES)
            put_le32(payload + i * 8 + 4, context->state.stage[stage][number]);
    }
}

/* ---- viewport ---- */

enum token_answer dp2_token_viewport_info(struct run *run, const uint8_t *payload)
{
    for (uint32_t i = 0; i < run->count; i++)
        for (int j = 0; j < 4; j++)
            run->context->state.viewport[j] = le32(payload + i * 16 + j * 4);
    return TOKEN_DONE;
}

void dp2_capture_viewport_info(struct cdxr_dp2_context *context, uint8_t *payload, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (int j = 0; j < 4; j++)
            put_le32(payload + i * 16 + j * 4, context->state.viewport[j]);
}

static bool read_finite_pair(struct run *run, const uint8_t *payload, float pair[2], enum token_answer *answer)
{
    float a = le_float(payload), b = le_float(payload + 4);
    if (!__builtin_isfinite(a) || !__builtin_isfinite(b)) {
        if (dp2_violation(run, "range %g..%g is not finite", (double)a, (double)b))
            *answer = TOKEN_BAD;
        return false;
    }
    pair[0] = a;
    pair[1] = b;
    return true;
}

enum token_answer dp2_token_w_info(struct run *run, const uint8_t *payload)
{
    enum token_answer answer = TOKEN_DONE;
    for (uint32_t i = 0; i < run->count && answer == TOKEN_DONE; i++) {
        float pair[2];
        if (!read_finite_pair(run, payload + i * 8, pair, &answer))
            continue;
        run->context->state.w_near = pair[0];
        run->context->state.w_far = pair[1];
    }
    return answer;
}

void dp2_capture_w_info(struct cdxr_dp2_context *context, uint8_t *payload, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        put_le32(payload + i * 8, bits_from_float(context->state.w_near));
        put_le32(payload + i * 8 + 4, bits_from_float(context->state.w_far));
    }
}

enum token_answer dp2_token_z_range(struct run *run, const uint8_t *payload)
{
    enum token_answer answer = TOKEN_DONE;
    for (uint32_t i = 0; i < run->count && answer == TOKEN_DONE; i++) {
        float pair[2];
        if (!read_finite_pair(run, payload + i * 8, pair, &answer))
            continue;
        run->context->state.z_min = pair[0];
        run->context->state.z_max = pair[1];
    }
    return answer;
}

void dp2_capture_z_range(struct cdxr_dp2_context *context, uint8_t *payload, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        put_le32(payload + i * 8, bits_from_float(context->state.z_min));
        put_le32(payload + i * 8 + 4, bits_from_float(context->state.z_max));
    }
}

/* ---- lights and material ---- */

enum { MATERIAL_FLOATS = 17, LIGHT_BYTES = 104, LIGHT_FLOATS = 25 };
_Static_assert(sizeof(struct state_material) == MATERIAL_FLOATS * sizeof(float), "the order of D3DMATERIAL7");
_Static_assert(sizeof(struct state_light) - offsetof(struct state_light, diffuse) == LIGHT_FLOATS * sizeof(float), "the order of D3DLIGHT7");

static void read_floats(float *values, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        values[i] = le_float(bytes + i * 4);
}

static void write_floats(uint8_t *bytes, const float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        put_le32(bytes + i * 4, bits_from_float(values[i]));
}

enum token_answer dp2_token_set_material(struct run *run, const uint8_t *payload)
{
    for (uint32_t i = 0; i < run->count; i++)
        read_floats(run->context->state.material.diffuse, payload + i * 68, MATERIAL_FLOATS);
    return TOKEN_DONE;
}

void dp2_capture_set_material(struct cdxr_dp2_context *context, uint8_t *payload, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        write_floats(payload + i * 68, context->state.material.diffuse, MATERIAL_FLOATS);
}

enum token_answer dp2_token_set_light(struct run *run, const uint8_t *payload)
{
    for (uint32_t i = 0; i < run->count; i++) {
        uint32_t index = le32(payload), type = le32(payload + 4);
        const uint8_t *data = payload + 8;
        payload += 8 + (type == D3DHAL_SETLIGHT_DATA ? LIGHT_BYTES : 0);
        struct state_light *light = dp2_state_light_find(&run->context->state, index, true, run->context->config.limits.lights);
        if (!light || type > D3DHAL_SETLIGHT_DATA) {
            if (dp2_violation(run, "light %u: %s (type %u)", index, light ? "no such operation" : "more lights than the limit", type))
                return TOKEN_BAD;
            continue;
        }
        if (type != D3DHAL_SETLIGHT_DATA) {
            light->enabled = type == D3DHAL_SETLIGHT_ENABLE;
            continue;
        }
        light->type = le32(data);
        read_floats(light->diffuse, data + 4, LIGHT_FLOATS);
        if ((light->type < D3DLIGHT_POINT || light->type > D3DLIGHT_GLSPOT) &&
            dp2_violation(run, "light %u has type %u, it takes 1..5", index, light->type))
            return TOKEN_BAD;
    }
    return TOKEN_DONE;
}

void dp2_capture_set_light(struct cdxr_dp2_context *context, uint8_t *payload, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t type = le32(payload + 4);
        const struct state_light *light = dp2_state_light_find(&context->state, le32(payload), false, 0);
        if (type == D3DHAL_SETLIGHT_DATA && light) {
            put_le32(payload + 8, light->type);
            write_floats(payload + 12, light->diffuse, LIGHT_FLOATS);
        } else if (type < D3DHAL_SETLIGHT_DATA && light) {
            put_le32(payload + 4, light->enabled ? D3DHAL_SETLIGHT_ENABLE : D3DHAL_SETLIGHT_DISABLE);
        }
        payload += 8 + (type == D3DHAL_SETLIGHT_DATA ? LIGHT_BYTES : 0);
    }
}

enum token_answer dp2_token_create_light(struct run *run, const uint8_t *payload)
{
    for (uint32_t i = 0; i < run->count; i++)
        if (!dp2_state_light_find(&run->context->state, le32(payload + i * 4), true, run->context->config.limits.lights) &&
            dp2_violation(run, "light %u: more lights than the limit of %u", le32(payload + i * 4), run->context->config.limits.lights))
            return TOKEN_BAD;
    run->context->state_changed = true;
    return TOKEN_DONE;
}

/* ---- transforms and planes ---- */

enum token_answer dp2_token_set_transform(struct run *run, const uint8_t *payload)
{
    for (uint32_t i = 0; i < run->count; i++) {
        float *matrix = dp2_state_transform(&run->context->state, le32(payload + i * 68));
        if (matrix)
            read_floats(matrix, payload + i * 68 + 4, 16);
        else if (dp2_violation(run, "transform %u does not exist", le32(payload + i * 68)))
            return TOKEN_BAD;
    }
    return TOKEN_DONE;
}

void dp2_capture_set_transform(struct cdxr_dp2_context *context, uint8_t *payload, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const float *matrix = dp2_state_transform(&context->state, le32(payload + i * 68));
        if (matrix)
            write_floats(payload + i * 68 + 4, matrix, 16);
    }
}

enum token_answer dp2_token_multiply_transform(struct run *run, const uint8_t *payload)
{
    for (uint32_t i = 0; i < run->count; i++) {
        float *matrix = dp2_state_transform(&run->context->state, le32(payload + i * 68));
        float given[16];
        read_floats(given, payload + i * 68 + 4, 16);
        if (matrix)
            dp2_matrix_multiply(given, matrix, matrix);
        else if (dp2_violation(run, "transform %u does not exist", le32(payload + i * 68)))
            return TOKEN_BAD;
    }
    return TOKEN_DONE;
}

enum token_answer dp2_token_set_clip_plane(struct run *run, const uint8_t *payload)
{
    for (uint32_t i = 0; i < run->count; i++) {
        uint32_t index = le32(payload + i * 20);
        if (index < STATE_CLIP_PLANES)
            read_floats(run->context->state.clip_plane[index], payload + i * 20 + 4, 4);
        else if (dp2_violation(run, "clip plane %u is not 0..%d", index, STATE_CLIP_PLANES - 1))
            return TOKEN_BAD;
    }
    return TOKEN_DONE;
}

void dp2_capture_set_clip_plane(struct cdxr_dp2_context *context, uint8_t *payload, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (le32(payload + i * 20) < STATE_CLIP_PLANES)
            write_floats(payload + i * 20 + 4, context->state.clip_plane[le32(payload + i * 20)], 4);
}

/* No public extension exists; the payload of dwSize bytes is stepped over. */
enum token_answer dp2_token_ext(struct run *run, const uint8_t *payload)
{
    return dp2_violation(run, "extension token 0x%x is unknown, %u bytes skipped", le32(payload), le32(payload + 4)) ? TOKEN_BAD : TOKEN_DONE;
}
