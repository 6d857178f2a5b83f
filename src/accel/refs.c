/* SPDX-License-Identifier: MIT */
#include "accel/refs.h"

#include <math.h>

#include "accel/read.h"
#include "accel/vertex.h"
#include "base/thread_pool.h"
#include "base/vec.h"

enum { CHUNK_PRIMITIVES = 8192, FORMAT_R32_UINT = 42, FORMAT_R16_UINT = 57 };

uint64_t accel_geometry_primitive_count(const struct accel_geometry *geometry)
{
    if (geometry->type == ACCEL_GEOMETRY_BOXES)
        return geometry->boxes.count;
    return (geometry->triangles.indices ? geometry->triangles.index_count : geometry->triangles.vertex_count) / 3;
}

/* Indices of the three vertices. */
static inline void read_indices(const struct accel_triangles *t, uint32_t primitive, uint32_t indices[3])
{
    const uint8_t *base = (const uint8_t *)(uintptr_t)t->indices;
    uint64_t first = (uint64_t)primitive * 3;
    for (uint32_t i = 0; i < 3; i++) {
        if (!base) {
            indices[i] = (uint32_t)(first + i);
        } else if (t->index_format == FORMAT_R16_UINT) {
            uint16_t index;
            memcpy(&index, base + (first + i) * 2, 2);
            indices[i] = index;
        } else {
            memcpy(&indices[i], base + (first + i) * 4, 4);
        }
    }
}

static inline const uint8_t *vertex_address(const struct accel_triangles *t, uint32_t index)
{
    return (const uint8_t *)(uintptr_t)t->vertices + (uint64_t)index * (uint32_t)t->vertex_stride_bytes;
}

static inline void read_vertex(const struct accel_triangles *t, uint32_t index, float vertex[3])
{
    const uint8_t *address = vertex_address(t, index);
    if (t->vertex_format == ACCEL_VERTEX_R32G32B32_FLOAT)
        memcpy(vertex, address, 12);
    else
        accel_vertex_read(t->vertex_format, address, vertex);
}

/* Twice the area is exactly zero (in double, where edges of floats and their products are nearly always exact). */
static inline bool is_degenerate(const float c[3][3])
{
    double ax = (double)c[1][0] - c[0][0], ay = (double)c[1][1] - c[0][1], az = (double)c[1][2] - c[0][2];
    double bx = (double)c[2][0] - c[0][0], by = (double)c[2][1] - c[0][1], bz = (double)c[2][2] - c[0][2];
    return (ay * bz == az * by) & (az * bx == ax * bz) & (ax * by == ay * bx);
}

static inline bool is_finite3(const float v[3])
{
    return fabsf(v[0]) <= FLT_MAX && fabsf(v[1]) <= FLT_MAX && fabsf(v[2]) <= FLT_MAX;
}

/* The usual case: float3 vertices, 32-bit indices, no transform. Zero times what is not finite is not zero. */
static inline bool read_plain_corners(const struct accel_triangles *t, uint32_t primitive, float corners[3][3])
{
    uint32_t indices[3];
    memcpy(indices, (const uint8_t *)(uintptr_t)t->indices + primitive * 12ull, sizeof(indices));
    if ((indices[0] >= t->vertex_count) | (indices[1] >= t->vertex_count) | (indices[2] >= t->vertex_count))
        return false;
    float zero[3];
    for (int i = 0; i < 3; i++) {
        memcpy(corners[i], vertex_address(t, indices[i]), 12);
        zero[i] = (corners[i][0] * 0 + corners[i][1] * 0) + corners[i][2] * 0;
    }
    return (zero[0] + zero[1]) + zero[2] == 0;
}

bool accel_read_corners(const struct accel_geometry *geometry, uint32_t primitive, float corners[3][3])
{
    const struct accel_triangles *t = &geometry->triangles;
    uint32_t indices[3];
    if (t->vertex_format == ACCEL_VERTEX_R32G32B32_FLOAT && t->indices && t->index_format == FORMAT_R32_UINT && !t->transform)
        return read_plain_corners(t, primitive, corners);
    read_indices(t, primitive, indices);
    for (int i = 0; i < 3; i++) {
        if (indices[i] >= t->vertex_count)
            return false;
        read_vertex(t, indices[i], corners[i]);
        if (t->transform)
            vec_transform_point((const float *)(uintptr_t)t->transform, corners[i], corners[i]);
        if (!is_finite3(corners[i]))
            return false;
    }
    return true;
}

bool accel_read_triangle(const struct accel_geometry *geometry, uint32_t primitive, float corners[3][3])
{
    return accel_read_corners(geometry, primitive, corners) && !is_degenerate(corners);
}

void accel_read_indices(const struct accel_geometry *geometry, uint32_t primitive, uint32_t indices[3])
{
    read_indices(&geometry->triangles, primitive, indices);
}

void accel_read_vertex(const struct accel_geometry *geometry, uint32_t index, float vertex[3])
{
    const struct accel_triangles *t = &geometry->triangles;
    memset(vertex, 0, 3 * sizeof(float));
    if (index >= t->vertex_count)
        return;
    read_vertex(t, index, vertex);
    if (t->transform)
        vec_transform_point((const float *)(uintptr_t)t->transform, vertex, vertex);
}

bool accel_read_box(const struct accel_geometry *geometry, uint32_t primitive, float box[2][3])
{
    const struct accel_boxes *boxes = &geometry->boxes;
    memcpy(box, (const uint8_t *)(uintptr_t)boxes->boxes + primitive * (uint64_t)(uint32_t)boxes->stride_bytes, 24);
    if (!is_finite3(box[0]) || !is_finite3(box[1]))
        return false;
    return box[0][0] <= box[1][0] && box[0][1] <= box[1][1] && box[0][2] <= box[1][2];
}

void accel_prefetch_triangle_indices(const struct accel_geometry *geometry, uint32_t primitive)
{
    const struct accel_triangles *t = &geometry->triangles;
    uint64_t bytes = t->index_format == FORMAT_R16_UINT ? 6 : 12;
    if (t->indices)
        __builtin_prefetch((const uint8_t *)(uintptr_t)t->indices + primitive * bytes);
}

void accel_prefetch_triangle_vertices(const struct accel_geometry *geometry, uint32_t primitive)
{
    uint32_t indices[3];
    read_indices(&geometry->triangles, primitive, indices);
    for (int i = 0; i < 3; i++)
        __builtin_prefetch(vertex_address(&geometry->triangles, indices[i]));
}

static inline bool make_box_ref(const struct accel_geometry *geometry, uint32_t primitive, struct accel_ref *ref)
{
    float box[2][3];
    if (!accel_read_box(geometry, primitive, box))
        return false;
    for (int axis = 0; axis < 3; axis++) {
        ref->negated_lower[axis] = -box[0][axis];
        ref->upper[axis] = box[1][axis];
    }
    return true;
}

struct make_context {
    const struct accel_build_inputs *inputs;
    const uint32_t *first_primitives;
    struct accel_ref *refs;
    struct accel_refs_result *chunks;
};

static uint32_t geometry_of(const struct make_context *c, uint32_t primitive)
{
    uint32_t low = 0, high = c->inputs->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (c->first_primitives[middle] <= primitive)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void make_box_refs(const struct accel_read_range *range, struct accel_ref *refs, struct accel_refs_result *result)
{
    const struct accel_geometry *geometry = &range->inputs->geometries[range->geometry_index];
    for (uint32_t i = range->begin; i < range->end; i++) {
        struct accel_ref *ref = &refs[result->count];
        if (!make_box_ref(geometry, i, ref))
            continue;
        ref->geometry = range->geometry_index;
        ref->primitive = i;
        accel_ref_grow(result, ref);
        result->count++;
    }
}

/* A point or line can become a triangle by an update, so it has its place where updates are allowed. */
static void make_chunk(void *context, uint32_t chunk_index, uint32_t worker_index)
{
    struct make_context *c = context;
    uint32_t begin = chunk_index * CHUNK_PRIMITIVES, total = c->first_primitives[c->inputs->count];
    uint32_t end = total - begin > CHUNK_PRIMITIVES ? begin + CHUNK_PRIMITIVES : total;
    struct accel_refs_result result = {0, simd8_empty_box(), simd8_empty_box()};
    bool keep_degenerate = c->inputs->flags & ACCEL_BUILD_FLAG_ALLOW_UPDATE;
    for (uint32_t geometry = geometry_of(c, begin), i = begin; i < end; geometry++) {
        uint32_t first = c->first_primitives[geometry], next = c->first_primitives[geometry + 1];
        struct accel_read_range range = {c->inputs, geometry, i - first, (next < end ? next : end) - first};
        if (c->inputs->geometries[geometry].type == ACCEL_GEOMETRY_BOXES)
            make_box_refs(&range, c->refs + begin, &result);
        else
            accel_read_kernels()->refs(&range, keep_degenerate, c->refs + begin, &result);
        i = range.end + first;
    }
    c->chunks[chunk_index] = result;
}

uint64_t accel_refs_scratch_bytes(uint64_t primitive_count)
{
    return (primitive_count / CHUNK_PRIMITIVES + 1) * sizeof(struct accel_refs_result);
}

void accel_refs_make(struct thread_pool *pool, const struct accel_build_inputs *inputs, const uint32_t *first_primitives,
                     struct accel_ref *refs, void *chunk_scratch, struct accel_refs_result *result)
{
    struct make_context context = {inputs, first_primitives, refs, chunk_scratch};
    uint32_t chunk_count = (first_primitives[inputs->count] + CHUNK_PRIMITIVES - 1) / CHUNK_PRIMITIVES;
    thread_pool_parallel_for(pool, chunk_count, make_chunk, &context);
    *result = (struct accel_refs_result){0, simd8_empty_box(), simd8_empty_box()};
    for (uint32_t i = 0; i < chunk_count; i++) {
        const struct accel_refs_result *chunk = &context.chunks[i];
        if (result->count != i * CHUNK_PRIMITIVES)
            memmove(&refs[result->count], &refs[i * (size_t)CHUNK_PRIMITIVES], chunk->count * sizeof(*refs));
        result->count += chunk->count;
        result->bounds = simd8_max(result->bounds, chunk->bounds);
        result->centroids = simd8_max(result->centroids, chunk->centroids);
    }
}
