/* SPDX-License-Identifier: MIT
 * Fixture 01 as objects: pipeline, shader tables, image, and a triangle built by lists. Several threads may use one
 * pipeline; a triangle_scene belongs to one thread. */
#ifndef CDXR_TESTS_HELPERS_TRIANGLE_SCENE_H
#define CDXR_TESTS_HELPERS_TRIANGLE_SCENE_H

#include "helpers/gpu.h"

struct triangle_pipeline {
    ID3D12RootSignature *global, *local;
    ID3D12StateObject *object;
    UINT8 raygen[32], miss[32], hit[32]; /* identifiers */
};
void triangle_pipeline_init(struct triangle_pipeline *pipeline, ID3D12Device5 *device);
/* From another library with the same exports. */
void triangle_pipeline_init_library(struct triangle_pipeline *pipeline, ID3D12Device5 *device, const void *code,
                                    size_t bytes);
/* With flags in the pipeline configuration. */
void triangle_pipeline_init_flags(struct triangle_pipeline *pipeline, ID3D12Device5 *device,
                                  D3D12_RAYTRACING_PIPELINE_FLAGS flags);
void triangle_pipeline_finish(struct triangle_pipeline *pipeline);

/* Offsets of the tables in a scene's table buffer. */
enum { TRIANGLE_RAYGEN = 0, TRIANGLE_MISS = 128, TRIANGLE_HIT = 192, TRIANGLE_TABLE_BYTES = 4096 };

struct triangle_scene {
    ID3D12Device5 *device;
    const struct triangle_pipeline *pipeline;
    UINT width, height;
    ID3D12Resource *vertices, *instance, *scratch, *blas, *tlas;
    ID3D12Resource *tables; /* upload, stays mapped at table_memory */
    UINT8 *table_memory;
    ID3D12Resource *image, *readback;
    ID3D12DescriptorHeap *heap;
    D3D12_RAYTRACING_GEOMETRY_DESC geometry;
};
/* width * 16 must be a multiple of 256. */
void triangle_scene_init(struct triangle_scene *scene, struct gpu *gpu, const struct triangle_pipeline *pipeline,
                         UINT width, UINT height);
void triangle_scene_finish(struct triangle_scene *scene);
/* Both structures. */
void triangle_scene_build(struct triangle_scene *scene, ID3D12GraphicsCommandList4 *list);
/* Root signature, heap, pipeline, arguments. */
void triangle_scene_bind(struct triangle_scene *scene, ID3D12GraphicsCommandList4 *list);
D3D12_DISPATCH_RAYS_DESC triangle_scene_desc(const struct triangle_scene *scene);
/* Copy of the image into the readback buffer. */
void triangle_scene_copy(struct triangle_scene *scene, ID3D12GraphicsCommandList4 *list);
/* Pixel of the readback buffer. */
void triangle_scene_pixel(struct triangle_scene *scene, UINT x, UINT y, float out[4]);
/* Is the image the right one? Compares hit (alpha 1) and miss (alpha 0) of every pixel with the fixture's triangle; the
 * pixels next to its edges are not judged. */
bool triangle_scene_is_right(struct triangle_scene *scene);

#endif
