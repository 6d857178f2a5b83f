/* SPDX-License-Identifier: MIT
 * Everything that tokens set and that persists between calls of one context: render and texture-stage states,
 * transforms, material, lights, viewport, bindings, shaders, recorded state sets. */
#ifndef CDXR_DP2_STATE_H
#define CDXR_DP2_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
    STATE_RENDER_COUNT = 256,
    STATE_STAGES = 8,
    STATE_STAGE_STATES = 32,
    STATE_STREAMS = 16,
    STATE_WORLD_MATRICES = 256,
    STATE_CLIP_PLANES = 32,
    STATE_VERTEX_CONSTANTS = 96,
    STATE_PIXEL_CONSTANTS = 8,
};

struct state_material {
    float diffuse[4], ambient[4], specular[4], emissive[4];
    float power;
};

struct state_light {
    uint32_t index;
    bool enabled;
    uint32_t type;
    float diffuse[4], specular[4], ambient[4];
    float position[3], direction[3];
    float range, falloff, attenuation[3], theta, phi;
};

struct state_stream {
    uint32_t handle;      /* 0: none */
    uint32_t stride_bytes;
    bool user_memory;     /* lpVertices of the current call */
};

struct state_shader {
    uint32_t handle;
    uint32_t declaration_bytes, code_bytes;
    uint8_t *bytes;       /* declaration, then code */
};

struct state_patch {      /* description kept under a handle; its control points are not */
    uint32_t handle;
    bool rect, has_segments, has_info;
    float segments[4];
    uint32_t info[7];     /* D3DRECTPATCH_INFO, or the four of D3DTRIPATCH_INFO */
};

struct state_set {        /* recorded tokens, headers included */
    uint32_t handle;
    size_t byte_count, byte_capacity;
    uint8_t *bytes;
};

struct dp2_state {
    uint32_t render[STATE_RENDER_COUNT];
    uint8_t override_on[STATE_RENDER_COUNT];
    uint32_t stage[STATE_STAGES][STATE_STAGE_STATES];
    bool legacy_color, legacy_alpha; /* stage 0 follows TEXTUREMAPBLEND */
    float world[STATE_WORLD_MATRICES][16];
    float view[16], projection[16], texture[STATE_STAGES][16];
    struct state_material material;
    struct state_light *lights;
    uint32_t light_count, light_capacity;
    uint32_t viewport[4];            /* x, y, width, height; width 0: the whole target */
    float z_min, z_max, w_near, w_far;
    float clip_plane[STATE_CLIP_PLANES][4];
    uint32_t target, depth;          /* surface handles */
    struct state_stream stream[STATE_STREAMS];
    struct state_stream indices;
    uint32_t vertex_shader, pixel_shader;
    float vertex_constant[STATE_VERTEX_CONSTANTS][4];
    float pixel_constant[STATE_PIXEL_CONSTANTS][4];
    struct state_shader *vertex_shaders, *pixel_shaders;
    uint32_t vertex_shader_count, pixel_shader_count;
    struct state_set *sets;
    uint32_t set_count;
    struct state_patch *patches;
    uint32_t patch_count;
    bool recording;
    struct state_set open_set;       /* while recording */
    size_t kept_bytes;               /* of sets and shaders */
};

void dp2_state_init(struct dp2_state *state, uint32_t interface_level);
void dp2_state_finish(struct dp2_state *state);

/* Write one render state as the token does: overrides, aliases of stage 0, legacy texture blend. */
void dp2_state_set_render(struct dp2_state *state, uint32_t number, uint32_t value);
void dp2_state_set_stage(struct dp2_state *state, uint32_t stage, uint32_t number, uint32_t value);
/* Highest legal value of an enumerated render or stage state, 0 when any value is legal; *low its lowest. */
uint32_t dp2_state_render_limit(uint32_t number, uint32_t *low);
uint32_t dp2_state_stage_limit(uint32_t number, uint32_t *low);
bool dp2_state_render_known(uint32_t number);
const char *dp2_state_render_name(uint32_t number);
const char *dp2_state_stage_name(uint32_t number);

/* The transform that a SETTRANSFORM type names, or NULL. */
float *dp2_state_transform(struct dp2_state *state, uint32_t type);
/* Slot of a light; create: add it when missing (NULL when limit or memory is exhausted). */
struct state_light *dp2_state_light_find(struct dp2_state *state, uint32_t index, bool create, uint32_t limit);

MUST_USE enum status dp2_state_shader_add(struct state_shader **list, uint32_t *count, const struct state_shader *shader,
                                      const uint8_t *bytes);
void dp2_state_shader_remove(struct state_shader **list, uint32_t *count, uint32_t handle, size_t *kept_bytes);
const struct state_shader *dp2_state_shader_find(const struct state_shader *list, uint32_t count, uint32_t handle);

const struct state_patch *dp2_state_patch_find(const struct dp2_state *state, uint32_t handle);
/* Add or replace; false when the limit or memory is exhausted. */
MUST_USE bool dp2_state_patch_keep(struct dp2_state *state, const struct state_patch *patch, uint32_t limit);
void dp2_state_patch_delete(struct dp2_state *state, uint32_t handle);

struct state_set *dp2_state_set_find(struct dp2_state *state, uint32_t handle);
MUST_USE enum status dp2_state_set_append(struct state_set *set, const void *bytes, size_t byte_count);
/* Take the set over under its handle, replacing an older one. */
MUST_USE enum status dp2_state_set_keep(struct dp2_state *state, struct state_set *set, uint32_t limit);
void dp2_state_set_delete(struct dp2_state *state, uint32_t handle);

void dp2_matrix_identity(float m[16]);
/* out = a * b, row vectors: first a, then b. out may be a or b. */
void dp2_matrix_multiply(const float a[16], const float b[16], float out[16]);

#endif
