/* SPDX-License-Identifier: MIT
 * Vertex processing: stream vertices to processed vertices (raster.h). Pretransformed ones are unpacked; others go through
 * fixed-function transform, lighting, fog and texture coordinate generation. */
#ifndef CDXR_DP2_VERTEX_H
#define CDXR_DP2_VERTEX_H

#include "dp2/fvf.h"
#include "dp2/raster.h"
#include "dp2/state.h"

enum coordinate_source { COORDINATE_SET, COORDINATE_NORMAL, COORDINATE_POSITION, COORDINATE_REFLECTION };

struct vertex_slot_program {
    uint8_t source;             /* enum coordinate_source */
    uint8_t set;
    bool transform;
    float matrix[16];
};

enum { MAX_BLEND_MATRICES = 4 };

/* Everything vertex processing needs, copied from the state when the draw was queued. */
struct vertex_program {
    struct fvf_layout layout;
    uint32_t vertex_floats, texture_slots;
    struct vertex_slot_program slots[STATE_STAGES];
    uint32_t fog_alpha_missing; /* 0 or 255 */
    /* untransformed vertices only */
    bool lighting, normalize, local_viewer, color_vertex, range_fog, clip_enabled, need_view, point_scale;
    uint8_t vertex_fog;         /* D3DFOG_* */
    uint8_t diffuse_source, specular_source, ambient_source, emissive_source;
    float fog_start, fog_end, fog_density;
    uint32_t matrix_count;      /* 1..4 world matrices blended */
    const float (*world)[16];   /* 1..4, or 256 with indexed blending */
    bool indexed;
    const float (*normal)[9];   /* per world matrix: inverse transpose of world * view, rows; NULL when normals are not used */
    float view[16], projection[16];
    float world_view[16], world_view_projection[16]; /* with one matrix */
    float viewport[4], z_min, z_max;                 /* x, y, width, height in pixels */
    float ambient[4];
    struct state_material material;
    const struct state_light *lights;                /* enabled ones; positions and directions in view space */
    uint32_t light_count;
    float point_size, point_min, point_max, point_a, point_b, point_c;
    uint32_t plane_count;
    float planes[STATE_CLIP_PLANES][4];              /* world space */
};

/* Process count vertices from bytes on. indices: NULL, or which vertices to take. */
void dp2_vertices_process(const struct vertex_program *program, const uint8_t *bytes, uint32_t stride_bytes, const uint32_t *indices,
                          uint32_t count, float *out);

/* World position of a vertex, blended over the world matrices. blends: is it more than the product with the first? */
void dp2_vertex_world(const struct vertex_program *program, const uint8_t *vertex, const float position[3], float world[4]);
bool dp2_vertex_blends(const struct vertex_program *program);
/* Inverse transpose of the upper 3x3 of a matrix; of a singular one the 3x3 itself. */
void dp2_normal_matrix(const float m[16], float out[9]);

/* Light one vertex: normal and position in view space; used by processing, tested alone. */
void dp2_light_vertex(const struct vertex_program *program, const float position[3], const float normal[3], const float diffuse_in[4],
                      const float specular_in[4], float diffuse[4], float specular[4]);

#endif
