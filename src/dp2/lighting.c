/* SPDX-License-Identifier: MIT
 * Fixed-function lighting in view space (docs/dp2.md, "Lighting"). */
#include <math.h>

#include "cdxr/d3dhal.h"
#include "dp2/vertex.h"

static float dot3(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static float normalize3(float v[3])
{
    float length = sqrtf(dot3(v, v));
    if (length > 0)
        for (int i = 0; i < 3; i++)
            v[i] /= length;
    return length;
}

/* Direction towards the light and what distance and cone leave of it; false: out of reach. */
static bool reach(const struct state_light *light, const float position[3], float toward[3], float *strength)
{
    *strength = 1;
    if (light->type == D3DLIGHT_DIRECTIONAL) {
        for (int i = 0; i < 3; i++)
            toward[i] = -light->direction[i];
        normalize3(toward);
        return true;
    }
    if (light->type == D3DLIGHT_PARALLELPOINT) {
        for (int i = 0; i < 3; i++)
            toward[i] = light->position[i];
        normalize3(toward);
        return true;
    }
    for (int i = 0; i < 3; i++)
        toward[i] = light->position[i] - position[i];
    float d = normalize3(toward);
    if (d > light->range)
        return false;
    float falloff = light->attenuation[0] + light->attenuation[1] * d + light->attenuation[2] * d * d;
    *strength = falloff > 0 ? 1 / falloff : 1;
    if (light->type == D3DLIGHT_POINT)
        return true;
    float axis[3] = {-light->direction[0], -light->direction[1], -light->direction[2]};
    normalize3(axis);
    float rho = dot3(axis, toward), inner = cosf(light->theta / 2), outer = cosf(light->phi / 2);
    if (rho <= outer)
        return false;
    if (rho < inner && inner > outer)
        *strength *= powf((rho - outer) / (inner - outer), light->falloff);
    return true;
}

struct light_sums {
    float ambient[3], diffuse[3], specular[3];
};

static void add_light(const struct vertex_program *program, const struct state_light *light, const float position[3], const float normal[3],
                      struct light_sums *sums)
{
    float toward[3], strength;
    if (!reach(light, position, toward, &strength))
        return;
    for (int i = 0; i < 3; i++)
        sums->ambient[i] += light->ambient[i] * strength;
    float cosine = dot3(normal, toward);
    if (!(cosine > 0))
        return;
    for (int i = 0; i < 3; i++)
        sums->diffuse[i] += light->diffuse[i] * cosine * strength;
    float half[3] = {0, 0, -1}; /* the viewer, far away down the axis */
    if (program->local_viewer) {
        for (int i = 0; i < 3; i++)
            half[i] = -position[i];
        normalize3(half);
    }
    for (int i = 0; i < 3; i++)
        half[i] += toward[i];
    normalize3(half);
    float gloss = dot3(normal, half);
    if (!(gloss > 0))
        return;
    gloss = powf(gloss, program->material.power) * strength;
    for (int i = 0; i < 3; i++)
        sums->specular[i] += light->specular[i] * gloss;
}

/* Material colour or a vertex colour, as the *MATERIALSOURCE states choose. */
static const float *pick(const struct vertex_program *program, uint8_t source, const float *material, const float *diffuse, const float *specular)
{
    if (!program->color_vertex)
        return material;
    if (source == 1 && program->layout.diffuse_offset != FVF_ABSENT)
        return diffuse;
    if (source == 2 && program->layout.specular_offset != FVF_ABSENT)
        return specular;
    return material;
}

static float saturate(float x)
{
    return x > 0 ? (x < 1 ? x : 1) : 0;
}

void dp2_light_vertex(const struct vertex_program *program, const float position[3], const float normal[3], const float diffuse_in[4],
                      const float specular_in[4], float diffuse[4], float specular[4])
{
    const struct state_material *m = &program->material;
    const float *md = pick(program, program->diffuse_source, m->diffuse, diffuse_in, specular_in);
    const float *ms = pick(program, program->specular_source, m->specular, diffuse_in, specular_in);
    const float *ma = pick(program, program->ambient_source, m->ambient, diffuse_in, specular_in);
    const float *me = pick(program, program->emissive_source, m->emissive, diffuse_in, specular_in);
    struct light_sums sums = {{program->ambient[0], program->ambient[1], program->ambient[2]}, {0}, {0}};
    for (uint32_t i = 0; i < program->light_count; i++)
        add_light(program, &program->lights[i], position, normal, &sums);
    float out_diffuse[4], out_specular[4];
    for (int i = 0; i < 3; i++) {
        out_diffuse[i] = saturate(me[i] + ma[i] * sums.ambient[i] + md[i] * sums.diffuse[i]);
        out_specular[i] = saturate(ms[i] * sums.specular[i]);
    }
    out_diffuse[3] = saturate(md[3]);
    out_specular[3] = specular_in[3]; /* the fog factor travels here */
    for (int i = 0; i < 4; i++) {
        diffuse[i] = out_diffuse[i];
        specular[i] = out_specular[i];
    }
}
