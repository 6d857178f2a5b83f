/* SPDX-License-Identifier: MIT */
#include "dp2/state.h"

#include <stdlib.h>
#include <string.h>

#include "cdxr/d3dhal.h"
#include "dp2/bytes.h"

void dp2_matrix_identity(float m[16])
{
    memset(m, 0, 16 * sizeof(float));
    m[0] = m[5] = m[10] = m[15] = 1;
}

void dp2_matrix_multiply(const float a[16], const float b[16], float out[16])
{
    float result[16];
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++)
            result[row * 4 + column] = a[row * 4] * b[column] + a[row * 4 + 1] * b[4 + column] +
                                       a[row * 4 + 2] * b[8 + column] + a[row * 4 + 3] * b[12 + column];
    memcpy(out, result, sizeof(result));
}

struct render_default {
    uint8_t number;
    uint32_t value;
};

static const struct render_default render_defaults[] = {
    {3, 1}, {4, 1}, {7, 0}, {8, 3}, {9, 2}, {12, 13}, {13, 0xFFFFFFFF}, {14, 1}, {16, 1}, {17, 1}, {18, 1}, {19, 2},
    {20, 1}, {21, 2}, {22, 3}, {23, 4}, {25, 8}, {37, 0x3F800000}, {38, 0x3F800000}, {44, 1}, {45, 1}, {49, 1},
    {53, 1}, {54, 1}, {55, 1}, {56, 8}, {58, 0xFFFFFFFF}, {59, 0xFFFFFFFF}, {60, 0xFFFFFFFF}, {136, 1}, {137, 1},
    {141, 1}, {142, 1}, {145, 1}, {146, 2}, {154, 0x3F800000}, {158, 0x3F800000}, {161, 1}, {162, 0xFFFFFFFF},
    {164, 0x3F800000}, {166, 0x42800000}, {168, 15}, {171, 1}, {172, 3}, {173, 1},
};

static void stage_defaults(uint32_t *stage, uint32_t index)
{
    stage[D3DTSS_COLOROP] = index ? D3DTOP_DISABLE : D3DTOP_MODULATE;
    stage[D3DTSS_COLORARG1] = stage[D3DTSS_ALPHAARG1] = D3DTA_TEXTURE;
    stage[D3DTSS_COLORARG2] = stage[D3DTSS_ALPHAARG2] = D3DTA_CURRENT;
    stage[D3DTSS_ALPHAOP] = index ? D3DTOP_DISABLE : D3DTOP_SELECTARG1;
    stage[D3DTSS_TEXCOORDINDEX] = index;
    stage[D3DTSS_ADDRESS] = stage[D3DTSS_ADDRESSU] = stage[D3DTSS_ADDRESSV] = stage[D3DTSS_ADDRESSW] = 1;
    stage[D3DTSS_MAGFILTER] = stage[D3DTSS_MINFILTER] = stage[D3DTSS_MIPFILTER] = 1;
    stage[D3DTSS_MAXANISOTROPY] = 1;
    stage[D3DTSS_COLORARG0] = stage[D3DTSS_ALPHAARG0] = stage[D3DTSS_RESULTARG] = D3DTA_CURRENT;
}

void dp2_state_init(struct dp2_state *state, uint32_t interface_level)
{
    memset(state, 0, sizeof(*state));
    for (size_t i = 0; i < ARRAY_COUNT(render_defaults); i++)
        state->render[render_defaults[i].number] = render_defaults[i].value;
    for (uint32_t i = 0; i < STATE_STAGES; i++) {
        stage_defaults(state->stage[i], i);
        dp2_matrix_identity(state->texture[i]);
    }
    if (interface_level == 4) /* d3d8.dll's numbers, in which NONE is 0 */
        for (uint32_t i = 0; i < STATE_STAGES; i++)
            state->stage[i][D3DTSS_MIPFILTER] = 0;
    dp2_matrix_identity(state->world[0]);
    for (uint32_t i = 1; i < STATE_WORLD_MATRICES; i++)
        memcpy(state->world[i], state->world[0], sizeof(state->world[0]));
    dp2_matrix_identity(state->view);
    dp2_matrix_identity(state->projection);
    state->legacy_color = state->legacy_alpha = interface_level == 0;
    state->z_max = 1;
    state->w_far = 1;
    for (int i = 0; i < 4; i++)
        state->material.diffuse[i] = 1;
}

void dp2_state_finish(struct dp2_state *state)
{
    for (uint32_t i = 0; i < state->vertex_shader_count; i++)
        free(state->vertex_shaders[i].bytes);
    for (uint32_t i = 0; i < state->pixel_shader_count; i++)
        free(state->pixel_shaders[i].bytes);
    for (uint32_t i = 0; i < state->set_count; i++)
        free(state->sets[i].bytes);
    free(state->vertex_shaders);
    free(state->pixel_shaders);
    free(state->sets);
    free(state->patches);
    free(state->open_set.bytes);
    free(state->lights);
    memset(state, 0, sizeof(*state));
}

/* ---- render states that stand for states of stage 0 ---- */

static void set_minification(struct dp2_state *state, uint32_t value)
{
    /* D3DTEXTUREFILTER as (min, mip): the names of 4 and 5 read the other way round. */
    static const uint8_t minify[7] = {1, 1, 2, 1, 2, 1, 2};
    static const uint8_t mip[7] = {1, 1, 1, 2, 2, 3, 3};
    uint32_t index = value < 7 ? value : 1;
    state->stage[0][D3DTSS_MINFILTER] = minify[index];
    state->stage[0][D3DTSS_MIPFILTER] = mip[index];
}

static void set_alias(struct dp2_state *state, uint32_t number, uint32_t value)
{
    uint32_t *stage = state->stage[0];
    switch (number) {
    case D3DRENDERSTATE_TEXTUREHANDLE: stage[D3DTSS_TEXTUREMAP] = value; break;
    case D3DRENDERSTATE_TEXTUREADDRESS:
        stage[D3DTSS_ADDRESS] = stage[D3DTSS_ADDRESSU] = stage[D3DTSS_ADDRESSV] = value;
        break;
    case D3DRENDERSTATE_WRAPU:
        state->render[D3DRENDERSTATE_WRAP0] = (state->render[D3DRENDERSTATE_WRAP0] & ~1u) | (value != 0);
        break;
    case D3DRENDERSTATE_WRAPV:
        state->render[D3DRENDERSTATE_WRAP0] = (state->render[D3DRENDERSTATE_WRAP0] & ~2u) | (value != 0) << 1;
        break;
    case D3DRENDERSTATE_TEXTUREMAG: stage[D3DTSS_MAGFILTER] = value == 2 ? 2 : 1; break;
    case D3DRENDERSTATE_TEXTUREMIN: set_minification(state, value); break;
    case D3DRENDERSTATE_TEXTUREMAPBLEND: state->legacy_color = state->legacy_alpha = true; break;
    case D3DRENDERSTATE_BORDERCOLOR: stage[D3DTSS_BORDERCOLOR] = value; break;
    case D3DRENDERSTATE_TEXTUREADDRESSU: stage[D3DTSS_ADDRESSU] = value; break;
    case D3DRENDERSTATE_TEXTUREADDRESSV: stage[D3DTSS_ADDRESSV] = value; break;
    case D3DRENDERSTATE_MIPMAPLODBIAS: stage[D3DTSS_MIPMAPLODBIAS] = value; break;
    case D3DRENDERSTATE_ANISOTROPY: stage[D3DTSS_MAXANISOTROPY] = value; break;
    default: break;
    }
}

void dp2_state_set_render(struct dp2_state *state, uint32_t number, uint32_t value)
{
    if (number >= 2 * STATE_RENDER_COUNT)
        return;
    if (number >= STATE_RENDER_COUNT) {
        state->override_on[number - STATE_RENDER_COUNT] = value != 0;
        return;
    }
    if (state->override_on[number])
        return;
    state->render[number] = value;
    set_alias(state, number, value);
}

void dp2_state_set_stage(struct dp2_state *state, uint32_t stage, uint32_t number, uint32_t value)
{
    uint32_t *values = state->stage[stage];
    values[number] = value;
    if (number == D3DTSS_ADDRESS)
        values[D3DTSS_ADDRESSU] = values[D3DTSS_ADDRESSV] = value;
    if (stage == 0 && number == D3DTSS_COLOROP)
        state->legacy_color = false;
    if (stage == 0 && number == D3DTSS_ALPHAOP)
        state->legacy_alpha = false;
}

/* ---- names and ranges ---- */

struct state_row {
    const char *name;
    uint32_t low, high; /* of enumerated states */
};

static const struct state_row render_rows[STATE_RENDER_COUNT] = {
    [1] = {"TEXTUREHANDLE"}, [2] = {"ANTIALIAS", 0, 2}, [3] = {"TEXTUREADDRESS", 1, 5}, [4] = {"TEXTUREPERSPECTIVE"},
    [5] = {"WRAPU"}, [6] = {"WRAPV"}, [7] = {"ZENABLE"}, [8] = {"FILLMODE", 1, 3}, [9] = {"SHADEMODE", 1, 3},
    [10] = {"LINEPATTERN"}, [11] = {"MONOENABLE"}, [12] = {"ROP2", 1, 16}, [13] = {"PLANEMASK"},
    [14] = {"ZWRITEENABLE"}, [15] = {"ALPHATESTENABLE"}, [16] = {"LASTPIXEL"}, [17] = {"TEXTUREMAG", 1, 6},
    [18] = {"TEXTUREMIN", 1, 6}, [19] = {"SRCBLEND", 1, 13}, [20] = {"DESTBLEND", 1, 13},
    [21] = {"TEXTUREMAPBLEND", 1, 8}, [22] = {"CULLMODE", 1, 3}, [23] = {"ZFUNC", 1, 8}, [24] = {"ALPHAREF"},
    [25] = {"ALPHAFUNC", 1, 8}, [26] = {"DITHERENABLE"}, [27] = {"ALPHABLENDENABLE"}, [28] = {"FOGENABLE"},
    [29] = {"SPECULARENABLE"}, [30] = {"ZVISIBLE"}, [31] = {"SUBPIXEL"}, [32] = {"SUBPIXELX"},
    [33] = {"STIPPLEDALPHA"}, [34] = {"FOGCOLOR"}, [35] = {"FOGTABLEMODE", 0, 3}, [36] = {"FOGSTART"},
    [37] = {"FOGEND"}, [38] = {"FOGDENSITY"}, [39] = {"STIPPLEENABLE"}, [40] = {"EDGEANTIALIAS"},
    [41] = {"COLORKEYENABLE"}, [43] = {"BORDERCOLOR"}, [44] = {"TEXTUREADDRESSU", 1, 5},
    [45] = {"TEXTUREADDRESSV", 1, 5}, [46] = {"MIPMAPLODBIAS"}, [47] = {"ZBIAS", 0, 16}, [48] = {"RANGEFOGENABLE"},
    [49] = {"ANISOTROPY"}, [50] = {"FLUSHBATCH"}, [51] = {"TRANSLUCENTSORTINDEPENDENT"}, [52] = {"STENCILENABLE"},
    [53] = {"STENCILFAIL", 1, 8}, [54] = {"STENCILZFAIL", 1, 8}, [55] = {"STENCILPASS", 1, 8},
    [56] = {"STENCILFUNC", 1, 8}, [57] = {"STENCILREF"}, [58] = {"STENCILMASK"}, [59] = {"STENCILWRITEMASK"},
    [60] = {"TEXTUREFACTOR"}, [61] = {"EVICTMANAGEDTEXTURES"}, [62] = {"SCENECAPTURE"},
    [64] = {"STIPPLEPATTERN00"}, [65] = {"STIPPLEPATTERN01"}, [66] = {"STIPPLEPATTERN02"},
    [67] = {"STIPPLEPATTERN03"}, [68] = {"STIPPLEPATTERN04"}, [69] = {"STIPPLEPATTERN05"},
    [70] = {"STIPPLEPATTERN06"}, [71] = {"STIPPLEPATTERN07"}, [72] = {"STIPPLEPATTERN08"},
    [73] = {"STIPPLEPATTERN09"}, [74] = {"STIPPLEPATTERN10"}, [75] = {"STIPPLEPATTERN11"},
    [76] = {"STIPPLEPATTERN12"}, [77] = {"STIPPLEPATTERN13"}, [78] = {"STIPPLEPATTERN14"},
    [79] = {"STIPPLEPATTERN15"}, [80] = {"STIPPLEPATTERN16"}, [81] = {"STIPPLEPATTERN17"},
    [82] = {"STIPPLEPATTERN18"}, [83] = {"STIPPLEPATTERN19"}, [84] = {"STIPPLEPATTERN20"},
    [85] = {"STIPPLEPATTERN21"}, [86] = {"STIPPLEPATTERN22"}, [87] = {"STIPPLEPATTERN23"},
    [88] = {"STIPPLEPATTERN24"}, [89] = {"STIPPLEPATTERN25"}, [90] = {"STIPPLEPATTERN26"},
    [91] = {"STIPPLEPATTERN27"}, [92] = {"STIPPLEPATTERN28"}, [93] = {"STIPPLEPATTERN29"},
    [94] = {"STIPPLEPATTERN30"}, [95] = {"STIPPLEPATTERN31"},
    [128] = {"WRAP0"}, [129] = {"WRAP1"}, [130] = {"WRAP2"}, [131] = {"WRAP3"}, [132] = {"WRAP4"}, [133] = {"WRAP5"},
    [134] = {"WRAP6"}, [135] = {"WRAP7"}, [136] = {"CLIPPING"}, [137] = {"LIGHTING"}, [138] = {"EXTENTS"},
    [139] = {"AMBIENT"}, [140] = {"FOGVERTEXMODE", 0, 3}, [141] = {"COLORVERTEX"}, [142] = {"LOCALVIEWER"},
    [143] = {"NORMALIZENORMALS"}, [144] = {"COLORKEYBLENDENABLE"}, [145] = {"DIFFUSEMATERIALSOURCE", 0, 2},
    [146] = {"SPECULARMATERIALSOURCE", 0, 2}, [147] = {"AMBIENTMATERIALSOURCE", 0, 2},
    [148] = {"EMISSIVEMATERIALSOURCE", 0, 2}, [151] = {"VERTEXBLEND"}, [152] = {"CLIPPLANEENABLE"},
    [153] = {"SOFTWAREVERTEXPROCESSING"}, [154] = {"POINTSIZE"}, [155] = {"POINTSIZE_MIN"},
    [156] = {"POINTSPRITEENABLE"}, [157] = {"POINTSCALEENABLE"}, [158] = {"POINTSCALE_A"}, [159] = {"POINTSCALE_B"},
    [160] = {"POINTSCALE_C"}, [161] = {"MULTISAMPLEANTIALIAS"}, [162] = {"MULTISAMPLEMASK"},
    [163] = {"PATCHEDGESTYLE", 0, 1}, [164] = {"PATCHSEGMENTS"}, [165] = {"DEBUGMONITORTOKEN"},
    [166] = {"POINTSIZE_MAX"}, [167] = {"INDEXEDVERTEXBLENDENABLE"}, [168] = {"COLORWRITEENABLE"},
    [169] = {"DELETERTPATCH"}, [170] = {"TWEENFACTOR"}, [171] = {"BLENDOP", 1, 5}, [172] = {"POSITIONORDER", 1, 5},
    [173] = {"NORMALORDER", 1, 5},
};

static const struct state_row stage_rows[STATE_STAGE_STATES] = {
    [0] = {"TEXTUREMAP"}, [1] = {"COLOROP", 1, 26}, [2] = {"COLORARG1", 0, 0x35}, [3] = {"COLORARG2", 0, 0x35},
    [4] = {"ALPHAOP", 1, 26}, [5] = {"ALPHAARG1", 0, 0x35}, [6] = {"ALPHAARG2", 0, 0x35}, [7] = {"BUMPENVMAT00"},
    [8] = {"BUMPENVMAT01"}, [9] = {"BUMPENVMAT10"}, [10] = {"BUMPENVMAT11"}, [11] = {"TEXCOORDINDEX"},
    [12] = {"ADDRESS", 1, 5}, [13] = {"ADDRESSU", 1, 5}, [14] = {"ADDRESSV", 1, 5}, [15] = {"BORDERCOLOR"},
    [16] = {"MAGFILTER", 0, 5}, [17] = {"MINFILTER", 0, 3}, [18] = {"MIPFILTER", 0, 3}, [19] = {"MIPMAPLODBIAS"},
    [20] = {"MAXMIPLEVEL"}, [21] = {"MAXANISOTROPY"}, [22] = {"BUMPENVLSCALE"}, [23] = {"BUMPENVLOFFSET"},
    [24] = {"TEXTURETRANSFORMFLAGS"}, [25] = {"ADDRESSW", 1, 5}, [26] = {"COLORARG0", 0, 0x35},
    [27] = {"ALPHAARG0", 0, 0x35}, [28] = {"RESULTARG", 0, 0x35},
};

uint32_t dp2_state_render_limit(uint32_t number, uint32_t *low)
{
    *low = number < STATE_RENDER_COUNT ? render_rows[number].low : 0;
    return number < STATE_RENDER_COUNT ? render_rows[number].high : 0;
}

uint32_t dp2_state_stage_limit(uint32_t number, uint32_t *low)
{
    *low = number < STATE_STAGE_STATES ? stage_rows[number].low : 0;
    return number < STATE_STAGE_STATES ? stage_rows[number].high : 0;
}

bool dp2_state_render_known(uint32_t number)
{
    return dp2_state_render_name(number) != NULL;
}

const char *dp2_state_render_name(uint32_t number)
{
    return number < STATE_RENDER_COUNT ? render_rows[number].name : NULL;
}

const char *dp2_state_stage_name(uint32_t number)
{
    return number < STATE_STAGE_STATES ? stage_rows[number].name : NULL;
}

/* ---- lists ---- */

float *dp2_state_transform(struct dp2_state *state, uint32_t type)
{
    if (type >= D3DTRANSFORMSTATE_TEXTURE0 && type <= D3DTRANSFORMSTATE_TEXTURE7)
        return state->texture[type - D3DTRANSFORMSTATE_TEXTURE0];
    if (type >= D3DTRANSFORMSTATE_WORLDMATRIX0 && type < D3DTRANSFORMSTATE_WORLDMATRIX0 + STATE_WORLD_MATRICES)
        return state->world[type - D3DTRANSFORMSTATE_WORLDMATRIX0];
    switch (type) {
    case D3DTRANSFORMSTATE_WORLD: return state->world[0];
    case D3DTRANSFORMSTATE_VIEW: return state->view;
    case D3DTRANSFORMSTATE_PROJECTION: return state->projection;
    case D3DTRANSFORMSTATE_WORLD1: return state->world[1];
    case D3DTRANSFORMSTATE_WORLD2: return state->world[2];
    case D3DTRANSFORMSTATE_WORLD3: return state->world[3];
    default: return NULL;
    }
}

static void light_defaults(struct state_light *light, uint32_t index)
{
    memset(light, 0, sizeof(*light));
    light->index = index;
    light->type = D3DLIGHT_DIRECTIONAL;
    light->diffuse[0] = light->diffuse[1] = light->diffuse[2] = 1;
    light->direction[2] = 1;
}

struct state_light *dp2_state_light_find(struct dp2_state *state, uint32_t index, bool create, uint32_t limit)
{
    uint32_t low = 0, high = state->light_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (state->lights[middle].index == index)
            return &state->lights[middle];
        if (state->lights[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    if (!create || state->light_count >= limit)
        return NULL;
    if (state->light_count == state->light_capacity) {
        uint32_t capacity = state->light_capacity ? state->light_capacity * 2 : 16;
        struct state_light *lights = realloc(state->lights, capacity * sizeof(*lights));
        if (!lights)
            return NULL;
        state->lights = lights;
        state->light_capacity = capacity;
    }
    memmove(state->lights + low + 1, state->lights + low, (state->light_count - low) * sizeof(*state->lights));
    state->light_count++;
    light_defaults(&state->lights[low], index);
    return &state->lights[low];
}

const struct state_shader *dp2_state_shader_find(const struct state_shader *list, uint32_t count, uint32_t handle)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i].handle == handle)
            return &list[i];
    return NULL;
}

void dp2_state_shader_remove(struct state_shader **list, uint32_t *count, uint32_t handle, size_t *kept_bytes)
{
    struct state_shader *shader = (struct state_shader *)dp2_state_shader_find(*list, *count, handle);
    if (!shader)
        return;
    *kept_bytes -= (size_t)shader->declaration_bytes + shader->code_bytes;
    free(shader->bytes);
    *shader = (*list)[--*count];
}

enum status dp2_state_shader_add(struct state_shader **list, uint32_t *count, const struct state_shader *shader,
                             const uint8_t *bytes)
{
    size_t byte_count = (size_t)shader->declaration_bytes + shader->code_bytes;
    struct state_shader *grown = realloc(*list, (*count + 1) * sizeof(*grown));
    if (!grown)
        return STATUS_OUT_OF_MEMORY;
    *list = grown;
    uint8_t *copy = malloc(byte_count ? byte_count : 1);
    if (!copy)
        return STATUS_OUT_OF_MEMORY;
    if (byte_count)
        memcpy(copy, bytes, byte_count);
    grown[*count] = *shader;
    grown[*count].bytes = copy;
    ++*count;
    return STATUS_OK;
}

const struct state_patch *dp2_state_patch_find(const struct dp2_state *state, uint32_t handle)
{
    for (uint32_t i = 0; i < state->patch_count; i++)
        if (state->patches[i].handle == handle)
            return &state->patches[i];
    return NULL;
}

bool dp2_state_patch_keep(struct dp2_state *state, const struct state_patch *patch, uint32_t limit)
{
    struct state_patch *old = (struct state_patch *)dp2_state_patch_find(state, patch->handle);
    if (!old) {
        if (state->patch_count >= limit)
            return false;
        struct state_patch *grown = realloc(state->patches, (state->patch_count + 1) * sizeof(*grown));
        if (!grown)
            return false;
        state->patches = grown;
        old = &grown[state->patch_count++];
    }
    *old = *patch;
    return true;
}

void dp2_state_patch_delete(struct dp2_state *state, uint32_t handle)
{
    struct state_patch *patch = (struct state_patch *)dp2_state_patch_find(state, handle);
    if (patch)
        *patch = state->patches[--state->patch_count];
}

struct state_set *dp2_state_set_find(struct dp2_state *state, uint32_t handle)
{
    for (uint32_t i = 0; i < state->set_count; i++)
        if (state->sets[i].handle == handle)
            return &state->sets[i];
    return NULL;
}

enum status dp2_state_set_append(struct state_set *set, const void *bytes, size_t byte_count)
{
    if (byte_count > set->byte_capacity - set->byte_count) {
        size_t capacity = (set->byte_count + byte_count) * 2;
        uint8_t *grown = realloc(set->bytes, capacity);
        if (!grown)
            return STATUS_OUT_OF_MEMORY;
        set->bytes = grown;
        set->byte_capacity = capacity;
    }
    if (byte_count)
        memcpy(set->bytes + set->byte_count, bytes, byte_count);
    set->byte_count += byte_count;
    return STATUS_OK;
}

void dp2_state_set_delete(struct dp2_state *state, uint32_t handle)
{
    struct state_set *set = dp2_state_set_find(state, handle);
    if (!set)
        return;
    state->kept_bytes -= set->byte_count;
    free(set->bytes);
    *set = state->sets[--state->set_count];
}

enum status dp2_state_set_keep(struct dp2_state *state, struct state_set *set, uint32_t limit)
{
    struct state_set *old = dp2_state_set_find(state, set->handle);
    if (!old) {
        if (state->set_count >= limit)
            return STATUS_INVALID;
        struct state_set *grown = realloc(state->sets, (state->set_count + 1) * sizeof(*grown));
        if (!grown)
            return STATUS_OUT_OF_MEMORY;
        state->sets = grown;
        old = &grown[state->set_count++];
        memset(old, 0, sizeof(*old));
    }
    state->kept_bytes -= old->byte_count;
    free(old->bytes);
    *old = *set;
    state->kept_bytes += old->byte_count;
    memset(set, 0, sizeof(*set));
    return STATUS_OK;
}
