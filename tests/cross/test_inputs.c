/* SPDX-License-Identifier: MIT
 * Build inputs crossed: vertex formats x index formats x strides x transforms x build flags x geometry flags against the
 * brute-force reference in double; updates against fresh builds, bit for bit; boxes of all strides; instance arrays against arrays of
 * pointers. Vertices are decoded here by the rules of the formats, not by the library. Arrays end where the last needed
 * byte ends (the address sanitizer watches). */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ref/brute_force.h"
#include "ref/scene.h"
#include "trace/trace.h"

enum { TRIANGLES = 24, VERTICES = TRIANGLES * 3, RAYS = 16 };

enum code { FLOAT32, HALF16, UNORM16, SNORM16, UNORM8, SNORM8, UNORM10 };
static const struct format {
    const char *name;
    uint32_t dxgi;
    enum code code;
    uint32_t components, component_bytes, native_bytes;
} formats[] = {
    {"R32G32_FLOAT", 16, FLOAT32, 2, 4, 8},
    {"R32G32B32_FLOAT", 6, FLOAT32, 3, 4, 12},
    {"R16G16_FLOAT", 34, HALF16, 2, 2, 4},
    {"R16G16B16A16_FLOAT", 10, HALF16, 3, 2, 8},
    {"R16G16_SNORM", 37, SNORM16, 2, 2, 4},
    {"R16G16B16A16_SNORM", 13, SNORM16, 3, 2, 8},
    {"R16G16B16A16_UNORM", 11, UNORM16, 3, 2, 8},
    {"R16G16_UNORM", 35, UNORM16, 2, 2, 4},
    {"R10G10B10A2_UNORM", 24, UNORM10, 3, 4, 4},
    {"R8G8B8A8_UNORM", 28, UNORM8, 3, 1, 4},
    {"R8G8_UNORM", 49, UNORM8, 2, 1, 2},
    {"R8G8B8A8_SNORM", 31, SNORM8, 3, 1, 4},
    {"R8G8_SNORM", 51, SNORM8, 2, 1, 2},
};

/* Bytes that a vertex needs: without the fourth component. */
static uint32_t needed_bytes(const struct format *f)
{
    return f->code == UNORM10 ? 4 : f->components * f->component_bytes;
}

static const struct stride {
    const char *name;
    uint32_t native, components, extra; /* native * N + component bytes * M (+ whole vertices' worth of application data) */
    uint64_t garbage;
} strides[] = {
    {"zero", 0, 0, 0, 0},
    {"tight", 0, ~0u, 0, 0},
    {"native", 1, 0, 0, 0},
    {"native + component", 1, 1, 0, 0},
    {"with application data", 1, 3, 96, 0},
    {"upper half garbage", 1, 0, 0, 0xdeadbeef00000000u},
};

static const struct transform {
    const char *name;
    bool used;
    float matrix[12];
} transforms[] = {
    {"none", false, {0}},
    {"turned and moved", true, {0.8f, -0.6f, 0, 3, 0.6f, 0.8f, 0.1f, -2, 0.05f, 0, 1.5f, 0.25f}},
    {"mirrored", true, {-1, 0, 0, 0.5f, 0, 2, 0, 0, 0, 0.25f, 1, -1}},
    {"flat", true, {1, 0.5f, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0.5f}},
    {"a line", true, {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}},
};

static const uint32_t build_flags[] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b,
                                       0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b};
static const uint32_t index_formats[] = {0, SCENE_FORMAT_R16_UINT, SCENE_FORMAT_R32_UINT};

/* --- making and decoding vertices --- */

static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    return bits & 0x8000 ? -value : value;
}

/* A random component at p (UNORM10: of the word at p), and what it means. */
static double make_component(enum code code, uint8_t *p, uint32_t component, struct scene_random *random)
{
    uint32_t bits = scene_random_bits(random), word;
    uint16_t u16 = (uint16_t)bits;
    float f = scene_random_float(random, -2, 2);
    switch (code) {
    case FLOAT32:
        memcpy(p + component * 4, &f, 4);
        return f;
    case HALF16:
        u16 = (uint16_t)((bits & 0x83ff) | (bits >> 16 & 3) << 10 | 0x3000); /* 1/8 to 2 */
        break;
    case UNORM10:
        memcpy(&word, p, 4);
        word |= (bits & 1023) << component * 10;
        memcpy(p, &word, 4);
        return (bits & 1023) / 1023.0;
    case UNORM8:
        p[component] = (uint8_t)bits;
        return (bits & 255) / 255.0;
    case SNORM8:
        p[component] = (uint8_t)bits;
        return fmax((int8_t)bits / 127.0, -1);
    default:
        break;
    }
    memcpy(p + component * 2, &u16, 2);
    return code == HALF16 ? half_value(u16) : code == UNORM16 ? u16 / 65535.0 : fmax((int16_t)u16 / 32767.0, -1);
}

struct mesh {
    uint8_t *bytes; /* vertices */
    void *index_memory;
    struct accel_geometry geometry;
    double decoded[VERTICES][3];           /* transformed */
    uint32_t indices[TRIANGLES][3];
    bool has_index[TRIANGLES];             /* all three in range */
    float transform[12] __attribute__((aligned(16)));
};

static void make_vertices(struct mesh *mesh, const struct format *f, uint32_t stride, const struct transform *transform,
                          struct scene_random *random)
{
    uint64_t byte_count = (uint64_t)(VERTICES - 1) * stride + needed_bytes(f);
    if (!mesh->bytes)
        mesh->bytes = malloc(byte_count);
    memset(mesh->bytes, 0xff, byte_count); /* NaN as float; also the fourth component */
    for (uint32_t i = 0; i < VERTICES; i++) {
        double v[3] = {0, 0, 0};
        uint8_t *p = mesh->bytes + (uint64_t)i * stride;
        if (f->code == UNORM10)
            memset(p, 0, 4);
        for (uint32_t c = 0; c < f->components; c++)
            v[c] = make_component(f->code, p, c, random);
        memcpy(mesh->decoded[i], v, sizeof(v));
        for (int row = 0; row < 3 && transform->used; row++) {
            const float *m = &transform->matrix[row * 4];
            mesh->decoded[i][row] = m[0] * v[0] + m[1] * v[1] + m[2] * v[2] + m[3];
        }
    }
    for (uint32_t i = 0; i < VERTICES && !stride; i++) /* all of them are the one that was written last */
        memcpy(mesh->decoded[i], mesh->decoded[VERTICES - 1], sizeof(mesh->decoded[i]));
}

static void make_indices(struct mesh *mesh, uint32_t index_format, struct scene_random *random)
{
    struct accel_triangles *t = &mesh->geometry.triangles;
    uint32_t bytes = index_format == SCENE_FORMAT_R16_UINT ? 2 : 4;
    uint8_t *memory = malloc((TRIANGLES * 3 + 1) * (size_t)bytes); /* starts one index in: aligned to an index only */
    for (uint32_t i = 0; i < TRIANGLES * 3; i++) {
        uint32_t index = !index_format ? i : scene_random_bits(random) % VERTICES;
        if (index_format && i % 24 == 11)
            index = i % 48 == 11 ? VERTICES : 0xffff;
        mesh->indices[i / 3][i % 3] = index;
        memcpy(memory + (i + 1) * bytes, &index, bytes);
    }
    for (uint32_t i = 0; i < TRIANGLES; i++)
        mesh->has_index[i] = mesh->indices[i][0] < VERTICES && mesh->indices[i][1] < VERTICES && mesh->indices[i][2] < VERTICES;
    mesh->index_memory = memory;
    t->index_format = index_format;
    if (!index_format)
        return;
    t->indices = (uintptr_t)memory + bytes;
    t->index_count = TRIANGLES * 3;
}

static void mesh_init(struct mesh *mesh, const struct format *f, const struct stride *s, const struct transform *transform,
                      uint32_t index_format, struct scene_random *random)
{
    uint32_t stride = s->components == ~0u ? needed_bytes(f) : s->native * f->native_bytes + s->components * f->component_bytes + s->extra;
    *mesh = (struct mesh){0};
    memcpy(mesh->transform, transform->matrix, sizeof(mesh->transform));
    make_vertices(mesh, f, stride, transform, random);
    mesh->geometry.triangles = (struct accel_triangles){
        .vertices = (uintptr_t)mesh->bytes, .vertex_stride_bytes = stride | s->garbage, .vertex_count = VERTICES,
        .vertex_format = f->dxgi, .transform = transform->used ? (uintptr_t)mesh->transform : 0};
    make_indices(mesh, index_format, random);
}

static void mesh_finish(struct mesh *mesh)
{
    free(mesh->bytes);
    free(mesh->index_memory);
}

/* --- comparing --- */

static const char *current; /* the combination, for failures */

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* How near to an edge (in barycentrics) rounding of vertices and of the test leaves it open what is hit, and how far off t
 * may be. */
struct doubt {
    double edge, t;
};

static struct doubt doubt(const struct brute_ray *ray, const double c[3][3])
{
    double e1[3], e2[3], n[3], distance = 0, length = 0;
    for (int i = 0; i < 3; i++) {
        e1[i] = c[1][i] - c[0][i];
        e2[i] = c[2][i] - c[0][i];
        for (int v = 0; v < 3; v++)
            distance = fmax(distance, fmax(fabs(c[v][i]), 0) + fabs(ray->origin[i]));
        length += fabs(e1[i]) + fabs(e2[i]);
    }
    n[0] = e1[1] * e2[2] - e1[2] * e2[1];
    n[1] = e1[2] * e2[0] - e1[0] * e2[2];
    n[2] = e1[0] * e2[1] - e1[1] * e2[0];
    double area = fabs(n[0] * ray->direction[0] + n[1] * ray->direction[1] + n[2] * ray->direction[2]);
    if (!(area > 0))
        return (struct doubt){INFINITY, INFINITY};
    return (struct doubt){64 * 0x1p-24 * distance * length * length_of(ray->direction) / area,
                          64 * 0x1p-24 * distance * length_of(n) / area};
}

static void triangle_of(const struct mesh *mesh, uint32_t triangle, double corners[3][3], float rounded[3][3])
{
    for (int v = 0; v < 3; v++)
        for (int axis = 0; axis < 3; axis++) {
            corners[v][axis] = mesh->decoded[mesh->indices[triangle][v]][axis];
            rounded[v][axis] = (float)corners[v][axis];
        }
}

static struct abi_ray make_ray(const struct mesh *mesh, uint32_t number, struct scene_random *random)
{
    uint32_t triangle = scene_random_bits(random) % TRIANGLES;
    struct abi_ray ray = {.t_max = INFINITY};
    float u = scene_random_float(random, 0.1f, 0.5f), v = scene_random_float(random, 0.1f, 0.4f);
    for (int axis = 0; axis < 3; axis++) {
        float target = scene_random_float(random, -2, 2);
        if (mesh->has_index[triangle] && number % 4) {
            const uint32_t *t = mesh->indices[triangle];
            double a = mesh->decoded[t[0]][axis], b = mesh->decoded[t[1]][axis], c = mesh->decoded[t[2]][axis];
            target = (float)(a + u * (b - a) + v * (c - a));
        }
        ray.origin[axis] = scene_random_float(random, -6, 6);
        ray.direction[axis] = target - ray.origin[axis];
    }
    return ray;
}

struct tally {
    uint32_t hits, sure;
};

static void check_hit(const struct mesh *mesh, const struct abi_ray *ray, const struct trace_hit *hit, struct tally *tally)
{
    struct brute_ray r = {.t_max = INFINITY};
    double nearest = INFINITY; /* of the hits beyond doubt, the farthest that it can be */
    bool found = false;
    for (int axis = 0; axis < 3; axis++) {
        r.origin[axis] = ray->origin[axis];
        r.direction[axis] = ray->direction[axis];
    }
    for (uint32_t i = 0; i < TRIANGLES; i++) {
        double c[3][3];
        float f[3][3];
        if (!mesh->has_index[i])
            continue;
        triangle_of(mesh, i, c, f);
        struct doubt margin = doubt(&r, c);
        bool is_named = hit->primitive_index == i;
        struct brute_hit b = brute_triangle(&r, f[0], f[1], f[2], is_named ? margin.edge : 0);
        if (is_named && b.hit)
            found = fabs(b.t - hit->t) <= margin.t;
        if (b.hit && b.edge_distance > margin.edge)
            nearest = fmin(nearest, b.t + margin.t);
    }
    if (hit->primitive_index == ~0u) {
        if (nearest < INFINITY)
            fail_msg("%s: a hit at %.9g was missed", current, nearest);
        return;
    }
    tally->hits++;
    tally->sure += nearest < INFINITY;
    if (!found)
        fail_msg("%s: primitive %u is not hit at %.9g", current, hit->primitive_index, hit->t);
    if (nearest < hit->t)
        fail_msg("%s: hit at %.9g, but one at %.9g is nearer", current, hit->t, nearest);
}

static void trace_all(const void *blas, const struct abi_ray *rays, struct trace_hit *hits)
{
    for (uint32_t i = 0; i < RAYS; i++)
        trace_table()->closest((uintptr_t)blas, &rays[i], 0, 0xff, &hits[i]);
}

/* Are the geometry flags those of the description? */
static void check_flags(const void *blas, const struct abi_ray *rays, const struct trace_hit *hits, uint32_t geometry_flags)
{
    static struct trace_state s;
    for (uint32_t i = 0; i < RAYS; i++) {
        trace_table()->begin(&s, (uintptr_t)blas, &rays[i], 0, 0, 0xff);
        bool candidate = trace_table()->next(&s) == TRACE_CANDIDATE_TRIANGLE;
        if (candidate != (hits[i].primitive_index != ~0u && !(geometry_flags & ACCEL_GEOMETRY_FLAG_OPAQUE)))
            fail_msg("%s: ray %u: opacity is not that of flags %u", current, i, geometry_flags);
    }
}

static void update_and_compare(struct mesh *mesh, const struct accel_build_inputs *inputs, void *blas,
                               const struct format *f, const struct transform *transform, struct scene_random *random)
{
    struct accel_build_inputs update = *inputs;
    struct abi_ray rays[RAYS];
    struct trace_hit updated[RAYS], fresh[RAYS];
    struct accel_prebuild_info info;
    make_vertices(mesh, f, (uint32_t)mesh->geometry.triangles.vertex_stride_bytes, transform, random);
    update.flags |= ACCEL_BUILD_FLAG_PERFORM_UPDATE;
    assert_int_equal(accel_prebuild_info(&update, &info, NULL), STATUS_OK);
    struct accel_build_arguments arguments = {.inputs = update, .result = blas, .source = blas,
                                              .scratch = aligned_alloc(256, info.update_scratch_bytes + 256)};
    assert_int_equal(accel_build(&arguments, NULL), STATUS_OK);
    void *again = scene_build(NULL, inputs);
    for (uint32_t i = 0; i < RAYS; i++)
        rays[i] = make_ray(mesh, i, random);
    trace_all(blas, rays, updated);
    trace_all(again, rays, fresh);
    if (memcmp(updated, fresh, sizeof(fresh)) != 0)
        fail_msg("%s: hits after the update are not those of a fresh build", current);
    free(arguments.scratch);
    free(again);
}

static void run_combination(const struct format *f, const struct stride *s, const struct transform *transform, uint32_t index_format,
                            uint32_t flags, struct tally *tally)
{
    static uint64_t seed;
    struct scene_random random = {++seed};
    char name[160];
    snprintf(name, sizeof(name), "%s, indices %u, stride %s, transform %s, flags 0x%x", f->name, index_format, s->name,
             transform->name, flags);
    current = name;
    struct mesh mesh;
    mesh_init(&mesh, f, s, transform, index_format, &random);
    mesh.geometry.flags = (uint32_t)seed % 4;
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = flags, .count = 1, .geometries = &mesh.geometry};
    void *blas = scene_build(NULL, &inputs);
    struct abi_ray rays[RAYS];
    struct trace_hit hits[RAYS];
    for (uint32_t i = 0; i < RAYS; i++)
        rays[i] = make_ray(&mesh, i, &random);
    trace_all(blas, rays, hits);
    for (uint32_t i = 0; i < RAYS; i++)
        check_hit(&mesh, &rays[i], &hits[i], tally);
    check_flags(blas, rays, hits, mesh.geometry.flags);
    if (flags & ACCEL_BUILD_FLAG_ALLOW_UPDATE)
        update_and_compare(&mesh, &inputs, blas, f, transform, &random);
    free(blas);
    mesh_finish(&mesh);
}

static void test_triangles(void **state)
{
    struct tally all = {0};
    for (uint32_t f = 0; f < ARRAY_COUNT(formats); f++) {
        struct tally tally = {0};
        for (uint32_t s = 0; s < ARRAY_COUNT(strides); s++)
            for (uint32_t t = 0; t < ARRAY_COUNT(transforms); t++)
                for (uint32_t i = 0; i < ARRAY_COUNT(index_formats); i++)
                    for (uint32_t b = 0; b < ARRAY_COUNT(build_flags); b++)
                        run_combination(&formats[f], &strides[s], &transforms[t], index_formats[i], build_flags[b], &tally);
        if (tally.sure < 1000)
            fail_msg("%s: only %u rays hit", formats[f].name, tally.sure);
        all.hits += tally.hits;
    }
    print_message("%u hits\n", all.hits);
}

/* --- boxes --- */

static void run_boxes(uint64_t stride, uint32_t flags, struct scene_random *random)
{
    enum { BOXES = 40 };
    uint64_t step = (uint32_t)stride;
    uint8_t *bytes = malloc((BOXES - 1) * step + 24);
    float boxes[BOXES][2][3];
    memset(bytes, 0xff, (BOXES - 1) * step + 24);
    for (uint32_t i = 0; i < BOXES; i++) {
        for (int axis = 0; axis < 3; axis++) {
            boxes[i][0][axis] = scene_random_float(random, -2, 2);
            boxes[i][1][axis] = boxes[i][0][axis] + scene_random_float(random, -0.1f, 1);
        }
        memcpy(bytes + i * step, boxes[i], 24);
    }
    for (uint32_t i = 0; i < BOXES && !step; i++)
        memcpy(boxes[i], boxes[BOXES - 1], sizeof(boxes[i]));
    struct accel_geometry geometry = {.type = ACCEL_GEOMETRY_BOXES, .boxes = {(uintptr_t)bytes, stride, BOXES}};
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = flags, .count = 1, .geometries = &geometry};
    void *blas = scene_build(NULL, &inputs);
    static struct trace_state s;
    for (uint32_t k = 0; k < 20; k++) {
        struct abi_ray ray = {.t_max = INFINITY};
        struct brute_ray r = {.t_max = INFINITY};
        bool met[BOXES] = {false};
        for (int axis = 0; axis < 3; axis++) {
            r.origin[axis] = ray.origin[axis] = scene_random_float(random, -4, 4);
            r.direction[axis] = ray.direction[axis] = scene_random_float(random, -2, 2) - ray.origin[axis];
        }
        trace_table()->begin(&s, (uintptr_t)blas, &ray, 0, 0, 0xff);
        while (trace_table()->next(&s) != TRACE_DONE) {
            assert_false(met[s.visible.candidate.primitive_index]);
            met[s.visible.candidate.primitive_index] = true;
        }
        for (uint32_t i = 0; i < BOXES; i++) {
            bool inverted = false;
            for (int axis = 0; axis < 3; axis++)
                inverted |= boxes[i][0][axis] > boxes[i][1][axis];
            if (inverted ? met[i] : brute_box(&r, boxes[i][0], boxes[i][1]) && !met[i])
                fail_msg("boxes, stride 0x%llx, flags 0x%x: box %u", (unsigned long long)stride, flags, i);
        }
    }
    free(blas);
    free(bytes);
}

static void test_boxes(void **state)
{
    static const uint64_t box_strides[] = {24, 32, 40, 256, 0, 0xffffffff00000018u};
    struct scene_random random = {3};
    for (uint32_t i = 0; i < ARRAY_COUNT(box_strides); i++)
        for (uint32_t b = 0; b < ARRAY_COUNT(build_flags); b++)
            run_boxes(box_strides[i], build_flags[b], &random);
}

/* --- instances --- */

/* An array and an array of pointers in another order of memory give the same bytes. */
static void test_instance_layouts(void **state)
{
    enum { COUNT = 37 };
    struct scene_random random = {5};
    struct scene_mesh mesh = {0};
    scene_make_soup(&mesh, &random, 20, 1, 0.3f);
    struct accel_geometry geometry = scene_geometry(&mesh);
    for (uint32_t b = 0; b < ARRAY_COUNT(build_flags); b++) {
        struct accel_build_inputs bottom = {.level = ACCEL_LEVEL_BOTTOM, .flags = build_flags[b], .count = 1, .geometries = &geometry};
        void *blas = scene_build(NULL, &bottom);
        uint8_t(*descs)[64] = aligned_alloc(64, COUNT * 64), (*shuffled)[64] = aligned_alloc(64, COUNT * 64);
        uint64_t pointers[COUNT];
        for (uint32_t i = 0; i < COUNT; i++) {
            struct scene_instance instance = {.mask = 1 + i, .id = i * 1000, .contribution = i, .flags = i % 16};
            for (int k = 0; k < 12; k++)
                instance.transform[k] = scene_random_float(&random, -2, 2);
            scene_write_instance(descs[i], &instance, i % 7 == 3 ? NULL : blas);
            memcpy(shuffled[(i * 5) % COUNT], descs[i], 64);
            pointers[i] = (uintptr_t)shuffled[(i * 5) % COUNT];
        }
        struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_TOP, .flags = build_flags[b], .count = COUNT, .instances = (uintptr_t)descs};
        struct accel_header *array = scene_build(NULL, &inputs);
        inputs.instances_layout = ACCEL_INSTANCES_ARRAY_OF_POINTERS;
        inputs.instances = (uintptr_t)pointers;
        struct accel_header *by_pointers = scene_build(NULL, &inputs);
        assert_true(array->structure_bytes == by_pointers->structure_bytes);
        assert_memory_equal(array, by_pointers, array->structure_bytes);
        void *all[] = {array, by_pointers, descs, shuffled, blas};
        for (uint32_t i = 0; i < ARRAY_COUNT(all); i++)
            free(all[i]);
    }
    scene_mesh_finish(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_triangles), cmocka_unit_test(test_boxes),
                                       cmocka_unit_test(test_instance_layouts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
