/* SPDX-License-Identifier: MIT
 * A model on the device: buffers, textures, acceleration structures, in the shapes of shaders/render.hlsl. */
#ifndef CDXR_TOOLS_SCENE_H
#define CDXR_TOOLS_SCENE_H

#include "common/gpu.h"
#include "model.h"

struct scene {
    ID3D12Resource *vertices, *indices, *meshes, *materials;
    ID3D12Resource **textures;
    size_t texture_count;
    ID3D12Resource **blas; /* one per mesh, NULL where a mesh has no triangles */
    size_t blas_count;
    ID3D12Resource *tlas;
};

/* Uploads and builds; submits. Prints one line and returns false on failure. */
bool scene_create(struct gpu *gpu, const struct model *model, struct scene *scene);
void scene_destroy(struct scene *scene);

#endif
