/* SPDX-License-Identifier: MIT
 * The independent reader (tests/ref/structure_reader.h, written from docs/bvh.md) over structures of every build flag and every way
 * they come about: what it decodes are the inputs, bit for bit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "accel/micromap.h"
#include "ref/scene.h"
#include "ref/structure_reader.h"

enum { GEOMETRIES = 3, BOXES = 150, INSTANCES = 70, MICROMAPS = 20 };

static const uint32_t build_flags[] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b,
                                       0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b};

static struct scene_mesh meshes[GEOMETRIES];
static struct accel_geometry geometries[GEOMETRIES];

/* Soup with inactive, degenerate and out-of-range triangles, in geometries with different flags. */
static int set_up(void **state)
{
    struct scene_random random = {21};
    for (uint32_t i = 0; i < GEOMETRIES; i++) {
        struct scene_mesh *mesh = &meshes[i];
        scene_make_soup(mesh, &random, 30 + 70 * i, 1, 0.2f);
        mesh->vertices[7][0] = NAN;
        mesh->indices[5][2] = mesh->indices[5][1];
        mesh->indices[6][0] = mesh->vertex_count;
        mesh->flags = i;
        geometries[i] = scene_geometry(mesh);
    }
    return 0;
}

static int tear_down(void **state)
{
    for (uint32_t i = 0; i < GEOMETRIES; i++)
        scene_mesh_finish(&meshes[i]);
    return 0;
}

static void read_or_fail(const char *name, uint32_t flags, const void *structure, struct reader_contents *contents)
{
    uint64_t byte_count;
    memcpy(&byte_count, (const uint8_t *)structure + 48, sizeof(byte_count));
    if (!reader_read(structure, byte_count, contents))
        fail_msg("%s, flags 0x%x: %s", name, flags, contents->error);
    if (contents->build_flags != flags)
        fail_msg("%s: build flags 0x%x, given 0x%x", name, contents->build_flags, flags);
}

/* Corners of a triangle; false where an index is out of range or a vertex is not finite. */
static bool corners_of(uint32_t geometry, uint32_t primitive, float corners[9])
{
    const struct scene_mesh *mesh = &meshes[geometry];
    bool alive = true;
    for (int v = 0; v < 3; v++) {
        uint32_t index = mesh->indices[primitive][v];
        if (index >= mesh->vertex_count)
            return false;
        for (int axis = 0; axis < 3; axis++) {
            corners[v * 3 + axis] = mesh->vertices[index][axis];
            alive &= isfinite(mesh->vertices[index][axis]) != 0;
        }
    }
    return alive;
}

static void compare_triangles(const char *name, uint32_t flags, const struct reader_contents *contents)
{
    static uint32_t seen[GEOMETRIES][512];
    memset(seen, 0, sizeof(seen));
    assert_int_equal(contents->geometry_count, GEOMETRIES);
    for (uint32_t i = 0; i < GEOMETRIES; i++) {
        const struct reader_geometry *g = &contents->geometries[i];
        assert_int_equal(g->type, 0);
        assert_int_equal(g->flags, meshes[i].flags);
        assert_int_equal(g->primitive_count, meshes[i].triangle_count);
        assert_int_equal(g->vertex_count, meshes[i].vertex_count);
        assert_int_equal(g->index_format, SCENE_FORMAT_R32_UINT);
        assert_int_equal(g->vertex_format, SCENE_FORMAT_R32G32B32_FLOAT);
    }
    for (uint32_t i = 0; i < contents->found_count; i++) {
        const struct reader_primitive *p = &contents->primitives[i];
        float corners[9];
        seen[p->geometry][p->primitive]++;
        if (p->is_dead)
            continue;
        if (!corners_of(p->geometry, p->primitive, corners) || memcmp(corners, p->values, sizeof(corners)) != 0)
            fail_msg("%s, flags 0x%x: triangle %u of geometry %u has other corners", name, flags, p->primitive, p->geometry);
    }
    for (uint32_t i = 0; i < GEOMETRIES; i++)
        for (uint32_t k = 0; k < meshes[i].triangle_count; k++) {
            float corners[9];
            bool alive = corners_of(i, k, corners) && k != 5;
            if (alive ? !seen[i][k] : seen[i][k] && !(flags & ACCEL_BUILD_FLAG_ALLOW_UPDATE))
                fail_msg("%s, flags 0x%x: triangle %u of geometry %u is %s", name, flags, k, i, alive ? "missing" : "there");
        }
}

static void *copy_of(const void *source, enum accel_copy_mode mode, uint64_t *out_bytes)
{
    static const enum accel_postbuild_type types[] = {ACCEL_POSTBUILD_CURRENT_SIZE, ACCEL_POSTBUILD_COMPACTED_SIZE, 0, ACCEL_POSTBUILD_SERIALIZATION};
    uint64_t info[2];
    uint32_t info_bytes;
    assert_int_equal(accel_postbuild_info(types[mode], source, info, &info_bytes, NULL), STATUS_OK);
    void *copy = aligned_alloc(256, (info[0] + 255) / 256 * 256);
    assert_int_equal(accel_copy(mode, copy, info[0], source, ~0ull, NULL), STATUS_OK);
    *out_bytes = info[0];
    return copy;
}

static void check_copy(uint32_t flags, const void *source, enum accel_copy_mode mode, void (*compare)(const char *, uint32_t, const struct reader_contents *))
{
    struct reader_contents contents;
    uint64_t bytes, structure_bytes;
    void *copy = copy_of(source, mode, &bytes);
    const void *structure = copy;
    const char *name = mode == ACCEL_COPY_SERIALIZE ? "serialised" : mode == ACCEL_COPY_COMPACT ? "compacted" : "cloned";
    if (mode == ACCEL_COPY_SERIALIZE) {
        char error[200];
        uint64_t pointers[INSTANCES];
        uint32_t count;
        if (!reader_open_serialized(copy, bytes, &structure, &structure_bytes, pointers, INSTANCES, &count, error))
            fail_msg("flags 0x%x: %s", flags, error);
    }
    read_or_fail(name, flags, structure, &contents);
    compare(name, flags, &contents);
    reader_finish(&contents);
    free(copy);
}

static void check_structure(uint32_t flags, const void *structure, void (*compare)(const char *, uint32_t, const struct reader_contents *))
{
    struct reader_contents contents;
    read_or_fail("built", flags, structure, &contents);
    compare("built", flags, &contents);
    reader_finish(&contents);
    check_copy(flags, structure, ACCEL_COPY_CLONE, compare);
    check_copy(flags, structure, ACCEL_COPY_SERIALIZE, compare);
    if (flags & ACCEL_BUILD_FLAG_ALLOW_COMPACTION)
        check_copy(flags, structure, ACCEL_COPY_COMPACT, compare);
}

static void update(void *structure, const struct accel_build_inputs *inputs)
{
    struct accel_build_inputs updating = *inputs;
    struct accel_prebuild_info info;
    updating.flags |= ACCEL_BUILD_FLAG_PERFORM_UPDATE;
    assert_int_equal(accel_prebuild_info(&updating, &info, NULL), STATUS_OK);
    struct accel_build_arguments arguments = {.inputs = updating, .result = structure, .source = structure,
                                              .scratch = aligned_alloc(256, info.update_scratch_bytes + 256)};
    assert_int_equal(accel_build(&arguments, NULL), STATUS_OK);
    free(arguments.scratch);
}

static void test_triangles(void **state)
{
    for (uint32_t b = 0; b < ARRAY_COUNT(build_flags); b++) {
        struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = build_flags[b], .count = GEOMETRIES, .geometries = geometries};
        void *structure = scene_build(NULL, &inputs);
        check_structure(build_flags[b], structure, compare_triangles);
        if (build_flags[b] & ACCEL_BUILD_FLAG_ALLOW_UPDATE) {
            struct scene_random random = {b};
            for (uint32_t i = 0; i < GEOMETRIES; i++)
                for (uint32_t v = 30; v < meshes[i].vertex_count; v++)
                    meshes[i].vertices[v][0] += scene_random_float(&random, -1, 1);
            update(structure, &inputs);
            check_structure(build_flags[b], structure, compare_triangles);
        }
        free(structure);
    }
}

static void test_small_counts(void **state)
{
    for (uint32_t n = 0; n < 40; n++)
        for (uint32_t b = 0; b < ARRAY_COUNT(build_flags); b++) {
            struct scene_random random = {n};
            struct scene_mesh mesh = {0};
            struct reader_contents contents;
            scene_make_soup(&mesh, &random, n, 1, 0.3f);
            struct accel_geometry geometry = scene_geometry(&mesh);
            struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = build_flags[b], .count = n ? 1 : b % 2, .geometries = &geometry};
            void *structure = scene_build(NULL, &inputs);
            read_or_fail("small", build_flags[b], structure, &contents);
            bool splits = build_flags[b] & ACCEL_BUILD_FLAG_PREFER_FAST_TRACE;
            assert_true(splits ? contents.found_count >= n : contents.found_count == n);
            reader_finish(&contents);
            free(structure);
            scene_mesh_finish(&mesh);
        }
}

static float boxes[BOXES][6];

static void compare_boxes(const char *name, uint32_t flags, const struct reader_contents *contents)
{
    uint32_t seen[BOXES] = {0};
    for (uint32_t i = 0; i < contents->found_count; i++) {
        const struct reader_primitive *p = &contents->primitives[i];
        seen[p->primitive]++;
        if (!p->is_dead && memcmp(p->values, boxes[p->primitive], sizeof(boxes[0])) != 0)
            fail_msg("%s, flags 0x%x: box %u is another one", name, flags, p->primitive);
    }
    for (uint32_t i = 0; i < BOXES; i++)
        if (i == 8 || i == 9 ? seen[i] && !(flags & ACCEL_BUILD_FLAG_ALLOW_UPDATE) : seen[i] != 1)
            fail_msg("%s, flags 0x%x: box %u is there %u times", name, flags, i, seen[i]);
}

static void test_boxes(void **state)
{
    struct scene_random random = {4};
    for (uint32_t i = 0; i < BOXES; i++)
        for (int k = 0; k < 6; k++)
            boxes[i][k] = k < 3 ? scene_random_float(&random, -1, 1) : boxes[i][k - 3] + scene_random_float(&random, 0, 0.2f);
    boxes[8][0] = NAN;
    boxes[9][0] = boxes[9][3] + 1; /* inverted */
    struct accel_geometry geometry = {.type = ACCEL_GEOMETRY_BOXES, .boxes = {(uintptr_t)boxes, sizeof(boxes[0]), BOXES}};
    for (uint32_t b = 0; b < ARRAY_COUNT(build_flags); b++) {
        struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = build_flags[b], .count = 1, .geometries = &geometry};
        void *structure = scene_build(NULL, &inputs);
        check_structure(build_flags[b], structure, compare_boxes);
        if (build_flags[b] & ACCEL_BUILD_FLAG_ALLOW_UPDATE) {
            for (uint32_t i = 10; i < BOXES; i++)
                boxes[i][3] += 0.5f;
            update(structure, &inputs);
            check_structure(build_flags[b], structure, compare_boxes);
        }
        free(structure);
    }
}

static struct scene_instance instances[INSTANCES];
static const void *instance_bottom;

static void compare_instances(const char *name, uint32_t flags, const struct reader_contents *contents)
{
    assert_int_equal(contents->instance_count, INSTANCES);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        const struct reader_instance *r = &contents->instances[i];
        const struct scene_instance *s = &instances[i];
        bool same = memcmp(r->object_to_world, s->transform, sizeof(s->transform)) == 0 && r->id == s->id && r->mask == s->mask &&
                    r->contribution == s->contribution && r->flags == s->flags &&
                    r->bottom_level == (s->blas_index ? 0 : (uintptr_t)instance_bottom);
        if (!same || r->is_active != (!s->blas_index && i != 5))
            fail_msg("%s, flags 0x%x: instance %u is another one", name, flags, i);
        for (int row = 0; row < 3 && r->is_active; row++)
            for (int column = 0; column < 4; column++) { /* the product is the identity */
                double sum = column == 3 ? r->object_to_world[row * 4 + 3] : 0;
                for (int k = 0; k < 3; k++)
                    sum += (double)r->object_to_world[row * 4 + k] * r->world_to_object[k * 4 + column];
                if (fabs(sum - (row == column)) > 1e-3)
                    fail_msg("%s: instance %u: the matrices are not each other's inverses", name, i);
            }
    }
}

static void test_instances(void **state)
{
    struct scene_random random = {6};
    struct accel_build_inputs bottom = {.level = ACCEL_LEVEL_BOTTOM, .count = GEOMETRIES, .geometries = geometries};
    uint8_t descs[INSTANCES][64] __attribute__((aligned(16)));
    instance_bottom = scene_build(NULL, &bottom);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        instances[i] = (struct scene_instance){.blas_index = i % 9 == 4, .id = 0xffffff - i, .mask = 255 - i, .contribution = i * 1111, .flags = i % 16};
        for (int k = 0; k < 12; k++)
            instances[i].transform[k] = scene_random_float(&random, -1, 1) + (k % 5 == 0 ? 3 : 0);
        if (i == 5)
            memcpy(instances[i].transform + 4, instances[i].transform, 12); /* not invertible */
        scene_write_instance(descs[i], &instances[i], instances[i].blas_index ? NULL : instance_bottom);
    }
    for (uint32_t b = 0; b < ARRAY_COUNT(build_flags); b++) {
        struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_TOP, .flags = build_flags[b], .count = INSTANCES, .instances = (uintptr_t)descs};
        void *structure = scene_build(NULL, &inputs);
        check_structure(build_flags[b], structure, compare_instances);
        free(structure);
    }
    free((void *)instance_bottom);
}

/* An array of all kinds of micromaps, and a bottom level linked to it with special indices. */
static void test_micromaps(void **state)
{
    static uint8_t input[1 << 16] __attribute__((aligned(128)));
    struct accel_micromap descs[MICROMAPS];
    struct accel_micromap_histogram histogram[MICROMAPS];
    uint32_t used = 0;
    for (uint32_t i = 0; i < MICROMAPS; i++) {
        uint32_t level = i % 7, format = 1 + i % 2, bytes = accel_micromap_state_bytes(level, format);
        descs[i] = (struct accel_micromap){used, (uint16_t)level, (uint16_t)format};
        histogram[i] = (struct accel_micromap_histogram){1, level, format};
        for (uint32_t k = 0; k < bytes; k++)
            input[used + k] = (uint8_t)(k * 37 + i * 11);
        used += bytes + i % 3;
    }
    struct accel_micromap_array desc = {histogram, MICROMAPS, (uintptr_t)input, (uintptr_t)descs, sizeof(descs[0])};
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_MICROMAPS, .count = 1, .micromap_array = &desc};
    void *array = scene_build(NULL, &inputs);
    struct reader_contents contents;
    read_or_fail("array", 0, array, &contents);
    assert_int_equal(contents.micromap_count, MICROMAPS);
    for (uint32_t i = 0; i < MICROMAPS; i++) {
        assert_int_equal(contents.micromaps[i].level, descs[i].level);
        assert_int_equal(contents.micromaps[i].bits, descs[i].format);
        for (uint32_t k = 0; k < 1u << 2 * descs[i].level; k++) {
            uint32_t bit = k * descs[i].format;
            assert_int_equal(contents.micromaps[i].states[k], input[descs[i].state_byte + bit / 8] >> bit % 8 & ((1 << descs[i].format) - 1));
        }
    }
    reader_finish(&contents);

    static const uint16_t indices[4] = {3, 0xffff, 0xfffc, 9};
    struct accel_micromap_link link = {(uintptr_t)array, (uintptr_t)indices, 2, SCENE_FORMAT_R16_UINT, 5};
    struct scene_random random = {8};
    struct scene_mesh mesh = {0};
    scene_make_soup(&mesh, &random, 4, 1, 1);
    struct accel_geometry geometry = scene_geometry(&mesh);
    geometry.type = ACCEL_GEOMETRY_OMM_TRIANGLES;
    geometry.triangles.micromaps = &link;
    for (uint32_t b = 0; b < ARRAY_COUNT(build_flags); b++) {
        struct accel_build_inputs bottom = {.level = ACCEL_LEVEL_BOTTOM, .flags = build_flags[b], .count = 1, .geometries = &geometry};
        void *structure = scene_build(NULL, &bottom);
        static const uint32_t expected[4] = {3, 0xffffffff, 0xfffffffc, 9};
        read_or_fail("linked", build_flags[b], structure, &contents);
        const struct reader_geometry *g = &contents.geometries[0];
        assert_int_equal(g->is_linked, 1);
        assert_true(g->micromap_array == (uintptr_t)array);
        assert_int_equal(g->micromap_base, 5);
        assert_int_equal(g->micromap_used_count, 9 + 5 + 1);
        assert_memory_equal(g->micromap_indices, expected, sizeof(expected));
        reader_finish(&contents);
        uint64_t bytes, structure_bytes, pointers[2];
        uint32_t count;
        char error[200];
        const void *inner;
        void *serialized = copy_of(structure, ACCEL_COPY_SERIALIZE, &bytes);
        if (!reader_open_serialized(serialized, bytes, &inner, &structure_bytes, pointers, 2, &count, error))
            fail_msg("linked: %s", error);
        assert_int_equal(count, 1);
        assert_true(pointers[0] == (uintptr_t)array);
        free(serialized);
        free(structure);
    }
    scene_mesh_finish(&mesh);
    free(array);
}

/* The reader itself can fail. */
static void test_damage_is_seen(void **state)
{
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .count = GEOMETRIES, .geometries = geometries};
    uint8_t *structure = scene_build(NULL, &inputs);
    static const struct {
        const char *name;
        uint32_t offset;
    } cases[] = {{"magic", 0}, {"kind", 8}, {"flags", 14}, {"root", 20}, {"node count", 108}, {"leaf count", 112},
                 {"active count", 120}, {"depth", 124}, {"reserved", 90}, {"primitive count", 116}};
    for (uint32_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct reader_contents contents;
        structure[cases[i].offset] ^= 0x41;
        if (reader_read(structure, 1 << 20, &contents))
            fail_msg("%s: not seen", cases[i].name);
        assert_true(contents.error[0] != 0);
        reader_finish(&contents);
        structure[cases[i].offset] ^= 0x41;
    }
    free(structure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_triangles), cmocka_unit_test(test_small_counts), cmocka_unit_test(test_boxes),
                                       cmocka_unit_test(test_instances), cmocka_unit_test(test_micromaps), cmocka_unit_test(test_damage_is_seen)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
