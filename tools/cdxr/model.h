/* SPDX-License-Identifier: MIT
 * A model file, flattened for the path tracer: what assimp reads, in the layouts of shaders/render.hlsl. */
#ifndef CDXR_TOOLS_MODEL_H
#define CDXR_TOOLS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model_vertex {
    float position[3];
    float normal[3];
    float uv[2];
};

struct model_mesh { /* gMeshes; also one BLAS each */
    uint32_t first_index, first_vertex, material, unused;
};

struct model_range { /* what the BLAS build needs beside */
    uint32_t index_count, vertex_count;
};

struct model_material { /* 80 bytes, see the shader */
    float base_color[4];
    float emissive[3];
    float metallic;
    float roughness;
    float alpha_cutoff; /* < 0: opaque */
    int32_t base_color_texture;
    int32_t metal_rough_texture;
    int32_t emissive_texture;
    float specular;
    float uv_scale[2];
    float uv_offset[2];
    float unused[2];
};
_Static_assert(sizeof(struct model_material) == 80, "layout of render.hlsl");

struct model_texture {
    uint32_t width, height;
    bool is_srgb;
    uint8_t *pixels; /* [height][width][4], row-major, no padding */
};

struct model_instance {
    float transform[12]; /* object to world, row-major 3x4 */
    uint32_t mesh;
};

struct model {
    struct model_vertex *vertices;
    size_t vertex_count;
    uint32_t *indices;
    size_t index_count;
    struct model_mesh *meshes;
    struct model_range *ranges;
    size_t mesh_count;
    struct model_material *materials;
    size_t material_count;
    struct model_texture *textures;
    size_t texture_count;
    struct model_instance *instances;
    size_t instance_count;
    float bounds_min[3], bounds_max[3]; /* world space */
};

/* Read a file. On failure prints one line that names the file and the reason, and returns false; *model is then empty. */
bool model_load(const char *path, struct model *model);
/* A square in the plane y = bottom of the bounds, half_width to each side of their centre. */
bool model_add_ground(struct model *model, float half_width);
void model_free(struct model *model);

/* PNG or JPEG bytes to RGBA. False when they are neither or broken. */
bool image_decode(const void *bytes, size_t byte_count, struct model_texture *texture);

#endif
