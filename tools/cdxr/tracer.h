/* SPDX-License-Identifier: MIT
 * The path tracer's pipeline: root signature, state object, shader table, outputs, descriptors. */
#ifndef CDXR_TOOLS_TRACER_H
#define CDXR_TOOLS_TRACER_H

#include "scene.h"

struct tracer_frame { /* cbuffer Frame of shaders/render.hlsl */
    float eye[3];
    uint32_t sample;
    float forward[3];
    uint32_t max_bounces;
    float right[3]; /* scaled by tan(fov / 2) * aspect */
    uint32_t seed;
    float up[3]; /* scaled by tan(fov / 2) */
    float lens_radius;
    float sun_direction[3]; /* towards the sun */
    float sun_cos_angle;
    float sun_radiance[3];
    float focus_distance;
    float zenith[3];
    float sky_scale;
    float horizon[3];
    float ground_albedo;
};

enum tracer_output { TRACER_OUTPUT_COLOR, TRACER_OUTPUT_ALBEDO, TRACER_OUTPUT_NORMAL, TRACER_OUTPUT_COUNT };

struct tracer {
    struct gpu *gpu;
    uint32_t width, height;
    ID3D12RootSignature *root_signature;
    ID3D12StateObject *pipeline;
    ID3D12Resource *shader_table;
    ID3D12Resource *outputs[TRACER_OUTPUT_COUNT]; /* R32G32B32A32_FLOAT */
    ID3D12DescriptorHeap *heap;                   /* three UAVs, then the textures */
    ID3D12Resource *frames;                       /* upload buffer, 256 bytes a sample of the batch */
    uint8_t *frames_mapped;
};

enum { TRACER_MAX_BATCH = 16 };

bool tracer_create(struct gpu *gpu, const struct scene *scene, uint32_t width, uint32_t height, struct tracer *tracer);
void tracer_destroy(struct tracer *tracer);
/* Trace samples frame->sample .. + count - 1 (count at most TRACER_MAX_BATCH) and wait. */
bool tracer_run(struct tracer *tracer, const struct scene *scene, const struct tracer_frame *frame, uint32_t count);
/* pixels: [height][width][4] float. */
bool tracer_read(struct tracer *tracer, enum tracer_output output, float *pixels);

#endif
