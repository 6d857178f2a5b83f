/* SPDX-License-Identifier: MIT */
#include "dp2/assemble.h"

#include "dp2/bytes.h"

enum { ALL_EDGES = 7, FLAGGED_BYTES = 8 };

uint64_t dp2_assembly_vertex_count(enum assembly_kind kind, uint64_t n)
{
    switch (kind) {
    case ASSEMBLY_POINTS: return n;
    case ASSEMBLY_LINES: return 2 * n;
    case ASSEMBLY_LINE_STRIP: return n + 1;
    case ASSEMBLY_TRIANGLES: return 3 * n;
    default: return n + 2;
    }
}

static int64_t vertex_at(const struct assembly *assembly, uint64_t position)
{
    switch (assembly->indices_kind) {
    case ASSEMBLY_INDICES_NONE: return assembly->base + (int64_t)position;
    case ASSEMBLY_INDICES_16: return assembly->base + le16(assembly->indices + position * 2);
    case ASSEMBLY_INDICES_32: return assembly->base + le32(assembly->indices + position * 4);
    default: return assembly->base + le16(assembly->indices + position / 3 * FLAGGED_BYTES + position % 3 * 2);
    }
}

static uint8_t fan_edges(const struct assembly *assembly, uint64_t k)
{
    if (!assembly->has_edge_flags)
        return ALL_EDGES;
    uint64_t rim = k + 1, last = (uint64_t)assembly->primitive_count + 1;
    uint32_t flags = assembly->edge_flags;
    uint8_t mask = rim > 31 || flags >> rim & 1; /* 32 bits do not reach further: visible */
    if (k + 1 == assembly->primitive_count && (last > 31 || flags >> last & 1))
        mask |= 2;
    if (k == 0 && (flags & 1))
        mask |= 4;
    return mask;
}

static void set3(const struct assembly *assembly, struct primitive *p, uint64_t a, uint64_t b, uint64_t c)
{
    p->vertex_count = 3;
    p->index[0] = vertex_at(assembly, a);
    p->index[1] = vertex_at(assembly, b);
    p->index[2] = vertex_at(assembly, c);
}

static void set2(const struct assembly *assembly, struct primitive *p, uint64_t a, uint64_t b)
{
    p->vertex_count = 2;
    p->index[0] = vertex_at(assembly, a);
    p->index[1] = vertex_at(assembly, b);
}

void dp2_assemble(const struct assembly *assembly, uint64_t k, struct primitive *p)
{
    p->edge_mask = ALL_EDGES;
    switch (assembly->kind) {
    case ASSEMBLY_POINTS:
        p->vertex_count = 1;
        p->index[0] = vertex_at(assembly, k);
        break;
    case ASSEMBLY_LINES: set2(assembly, p, 2 * k, 2 * k + 1); break;
    case ASSEMBLY_LINE_STRIP: set2(assembly, p, k, k + 1); break;
    case ASSEMBLY_TRIANGLES:
        set3(assembly, p, 3 * k, 3 * k + 1, 3 * k + 2);
        if (assembly->indices_kind == ASSEMBLY_INDICES_FLAGGED)
            p->edge_mask = le16(assembly->indices + k * FLAGGED_BYTES + 6) >> 8 & ALL_EDGES;
        break;
    case ASSEMBLY_TRIANGLE_STRIP:
        /* Swapping the LAST two of odd triangles keeps the winding and leaves vertex k in front. */
        set3(assembly, p, k, k & 1 ? k + 2 : k + 1, k & 1 ? k + 1 : k + 2);
        break;
    case ASSEMBLY_TRIANGLE_FAN:
        set3(assembly, p, k + 1, k + 2, 0);
        p->edge_mask = fan_edges(assembly, k);
        break;
    }
}
