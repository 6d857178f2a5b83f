/* SPDX-License-Identifier: MIT
 * Drawing tokens to primitives: which vertices make triangle, line or point k, in the documented order, the first
 * vertex of each being the one that flat shading takes (docs/dp2.md, "Vertex order"). Pure functions. */
#ifndef CDXR_DP2_ASSEMBLE_H
#define CDXR_DP2_ASSEMBLE_H

#include <stdbool.h>
#include <stdint.h>

enum assembly_kind { /* values of D3DPRIMITIVETYPE */
    ASSEMBLY_POINTS = 1,
    ASSEMBLY_LINES,
    ASSEMBLY_LINE_STRIP,
    ASSEMBLY_TRIANGLES,
    ASSEMBLY_TRIANGLE_STRIP,
    ASSEMBLY_TRIANGLE_FAN,
};

enum assembly_indices {
    ASSEMBLY_INDICES_NONE,
    ASSEMBLY_INDICES_16,
    ASSEMBLY_INDICES_32,
    ASSEMBLY_INDICES_FLAGGED, /* records of v1, v2, v3, wFlags: triangles with edge flags */
};

struct assembly {
    enum assembly_kind kind;
    enum assembly_indices indices_kind;
    uint32_t primitive_count;
    int64_t base;             /* added to every index */
    const uint8_t *indices;   /* little-endian, any alignment; as many as assembly_vertex_count says */
    bool has_edge_flags;      /* fans of the clipper: edge_flags bit i is V(i)-V(i+1), the spokes hidden */
    uint32_t edge_flags;
};

struct primitive {
    int64_t index[3];
    uint8_t vertex_count;     /* 1, 2, 3 */
    uint8_t edge_mask;        /* triangles: bit i draws the edge from vertex i to i + 1 in wireframe */
};

/* Vertices (or indices) that n primitives of a kind consume; 0 primitives of a strip or fan consume 1 or 2. */
uint64_t dp2_assembly_vertex_count(enum assembly_kind kind, uint64_t primitive_count);
void dp2_assemble(const struct assembly *assembly, uint64_t k, struct primitive *primitive);

#endif
