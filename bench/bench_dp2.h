/* SPDX-License-Identifier: MIT
 * The legacy stream's benchmark scenes: made once, drawn by cdxr and by an OpenGL software driver. */
#ifndef CDXR_BENCH_DP2_H
#define CDXR_BENCH_DP2_H

#include <stdbool.h>
#include <stdint.h>

enum { DP2_BENCH_WIDTH = 640, DP2_BENCH_HEIGHT = 480, DP2_BENCH_TEXTURE = 256 };

struct dp2_bench_vertex { /* D3DTLVERTEX */
    float x, y, z, rhw;
    uint32_t diffuse, specular;
    float u, v;
};

struct dp2_bench_scene {
    const char *name;
    bool textured, blended, depth;
    uint32_t vertex_count, index_count, triangle_count;
    struct dp2_bench_vertex *vertices;
    uint16_t *indices;          /* triangle list */
    uint64_t pixels;            /* covered, about */
};

/* Triangles per second of an OpenGL software driver that draws the scene with thread_count threads; 0 when there is none.
 * name gets the renderer's name. Runs in a child process. */
double dp2_bench_gl(const struct dp2_bench_scene *scene, const uint32_t *texture, uint32_t thread_count, double seconds, char name[128]);

#endif
