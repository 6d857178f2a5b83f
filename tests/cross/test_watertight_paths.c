/* SPDX-License-Identifier: MIT
 * Closed and covering meshes under every build flag and on every way a structure can come about: built, updated, cloned,
 * compacted, serialised and deserialised, updated after compaction. Rays aimed at shared vertices and edges meet the surface
 * once: one any-hit call where the geometry forbids duplicates, one triangle otherwise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ref/scene.h"
#include "trace/trace.h"

enum { RAYS = 700 };

static const uint32_t build_flags[] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b,
                                       0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b};

enum path { PATH_BUILT, PATH_UPDATED, PATH_CLONED, PATH_COMPACTED, PATH_DESERIALIZED, PATH_COMPACTED_UPDATED, PATH_COUNT };
static const char *const path_names[] = {"built", "updated", "cloned", "compacted", "deserialised", "compacted, then updated"};

static bool path_needs(enum path path, uint32_t flags)
{
    bool updates = path == PATH_UPDATED || path == PATH_COMPACTED_UPDATED;
    bool compacts = path == PATH_COMPACTED || path == PATH_COMPACTED_UPDATED;
    return (!updates || flags & ACCEL_BUILD_FLAG_ALLOW_UPDATE) && (!compacts || flags & ACCEL_BUILD_FLAG_ALLOW_COMPACTION);
}

static void *block(uint64_t bytes)
{
    return aligned_alloc(256, (bytes + 255) / 256 * 256);
}

/* The copy takes exactly the bytes that the post-build information says. */
static void *copied(void *source, enum accel_copy_mode mode, enum accel_postbuild_type type)
{
    uint64_t info[2];
    uint32_t out_bytes;
    assert_int_equal(accel_postbuild_info(type, source, info, &out_bytes, NULL), STATUS_OK);
    void *copy = block(info[0]);
    assert_int_equal(accel_copy(mode, copy, info[0], source, ~0ull, NULL), STATUS_OK);
    if (mode == ACCEL_COPY_SERIALIZE) {
        uint64_t structure_bytes;
        memcpy(&structure_bytes, (const uint8_t *)copy + 40, sizeof(structure_bytes));
        void *again = block(structure_bytes);
        assert_int_equal(accel_copy(ACCEL_COPY_DESERIALIZE, again, structure_bytes, copy, info[0], NULL), STATUS_OK);
        free(copy);
        copy = again;
    }
    free(source);
    return copy;
}

static void update(void *structure, const struct accel_build_inputs *inputs)
{
    struct accel_build_inputs updating = *inputs;
    struct accel_prebuild_info info;
    updating.flags |= ACCEL_BUILD_FLAG_PERFORM_UPDATE;
    assert_int_equal(accel_prebuild_info(&updating, &info, NULL), STATUS_OK);
    struct accel_build_arguments arguments = {.inputs = updating, .result = structure, .source = structure, .scratch = block(info.update_scratch_bytes + 1)};
    assert_int_equal(accel_build(&arguments, NULL), STATUS_OK);
    free(arguments.scratch);
}

/* The mesh's structure by way of path. Where it is updated it is built of a shuffled mesh first. */
static void *make(struct scene_mesh *mesh, uint32_t flags, enum path path)
{
    struct accel_geometry geometry = scene_geometry(mesh);
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = flags, .count = 1, .geometries = &geometry};
    bool updates = path == PATH_UPDATED || path == PATH_COMPACTED_UPDATED;
    float(*moved)[3] = malloc(mesh->vertex_count * sizeof(*moved));
    struct scene_random random = {99};
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        for (int axis = 0; axis < 3; axis++)
            moved[i][axis] = mesh->vertices[i][axis] * 0.7f + scene_random_float(&random, -0.3f, 0.3f);
    if (updates)
        geometry.triangles.vertices = (uintptr_t)moved;
    void *structure = scene_build(NULL, &inputs);
    if (path == PATH_CLONED)
        structure = copied(structure, ACCEL_COPY_CLONE, ACCEL_POSTBUILD_CURRENT_SIZE);
    if (path == PATH_COMPACTED || path == PATH_COMPACTED_UPDATED)
        structure = copied(structure, ACCEL_COPY_COMPACT, ACCEL_POSTBUILD_COMPACTED_SIZE);
    if (path == PATH_DESERIALIZED)
        structure = copied(structure, ACCEL_COPY_SERIALIZE, ACCEL_POSTBUILD_SERIALIZATION);
    geometry.triangles.vertices = (uintptr_t)mesh->vertices;
    if (updates)
        update(structure, &inputs);
    free(moved);
    return structure;
}

/* Any-hit calls, and triangles met. */
static void count_hits(const struct trace_table *table, const void *blas, const struct abi_ray *ray, uint32_t counts[2])
{
    static struct trace_state s;
    uint32_t seen[16];
    counts[0] = counts[1] = 0;
    table->begin(&s, (uintptr_t)blas, ray, ABI_RAY_FLAG_FORCE_NON_OPAQUE, 0, 0xff);
    while (table->next(&s) != TRACE_DONE) {
        bool is_new = true;
        for (uint32_t i = 0; i < counts[1] && i < 16; i++)
            is_new &= seen[i] != s.visible.candidate.primitive_index;
        if (is_new && counts[1] < 16)
            seen[counts[1]] = s.visible.candidate.primitive_index;
        counts[0]++;
        counts[1] += is_new;
    }
}

struct aim {
    const char *name;
    struct scene_mesh mesh;
    struct abi_ray rays[RAYS];
    uint32_t expected; /* 0: an odd number */
};

static void check(struct aim *aim, uint32_t flags, enum path path, bool no_duplicates)
{
    aim->mesh.flags = no_duplicates ? ACCEL_GEOMETRY_FLAG_NO_DUPLICATE_ANY_HIT : 0;
    void *blas = make(&aim->mesh, flags, path);
    for (enum cpu_isa isa = CPU_ISA_SCALAR; isa < CPU_ISA_COUNT; isa++) {
        const struct trace_table *table = trace_table_for(isa);
        for (uint32_t i = 0; table && i < RAYS; i++) {
            uint32_t counts[2];
            count_hits(table, blas, &aim->rays[i], counts);
            bool right = aim->expected ? counts[1] == aim->expected : counts[1] % 2 == 1;
            if (!right || (no_duplicates && counts[0] != counts[1]))
                fail_msg("%s, flags 0x%x, %s, on %s: ray %u: %u calls, %u triangles, expected %u", aim->name, flags, path_names[path],
                         cpu_isa_name(isa), i, counts[0], counts[1], aim->expected);
            assert_true(table->occluded((uintptr_t)blas, &aim->rays[i], 0, 0xff));
        }
    }
    free(blas);
}

static void check_all(struct aim *aim)
{
    for (uint32_t b = 0; b < ARRAY_COUNT(build_flags); b++)
        for (enum path path = 0; path < PATH_COUNT; path++)
            if (path_needs(path, build_flags[b]))
                check(aim, build_flags[b], path, (b + path) % 2);
    scene_mesh_finish(&aim->mesh);
}

/* A vertex, an edge's middle, or another point of an edge. */
static void point_of(const struct scene_mesh *mesh, uint32_t number, struct scene_random *random, float point[3])
{
    const uint32_t *t = mesh->indices[number % mesh->triangle_count];
    uint32_t kind = number % 7;
    const float *a = mesh->vertices[t[kind % 3]], *b = mesh->vertices[t[(kind + 1) % 3]];
    float u = kind < 3 ? 0 : kind < 6 ? 0.5f : scene_random_float(random, 0, 1);
    for (int axis = 0; axis < 3; axis++)
        point[axis] = a[axis] + u * (b[axis] - a[axis]);
}

static void aim_from_inside(struct aim *aim, const float center[3], float scale, struct scene_random *random)
{
    for (uint32_t i = 0; i < RAYS; i++) {
        struct abi_ray *ray = &aim->rays[i];
        float target[3];
        *ray = (struct abi_ray){.t_max = INFINITY};
        point_of(&aim->mesh, i, random, target);
        for (int axis = 0; axis < 3; axis++) {
            ray->origin[axis] = center[axis] + scene_random_float(random, -0.3f, 0.3f) * scale;
            ray->direction[axis] = target[axis] - ray->origin[axis];
        }
    }
}

static void test_convex(void **state)
{
    static struct aim aim;
    struct scene_random random = {1};
    const float center[3] = {0, 0, 0};
    aim = (struct aim){.name = "convex", .expected = 1};
    scene_make_sphere(&aim.mesh, center, 1, 12, 17, NULL);
    aim_from_inside(&aim, center, 1, &random);
    check_all(&aim);
}

/* Star-shaped, far from the origin, with long thin triangles. */
static void test_star(void **state)
{
    static struct aim aim;
    struct scene_random random = {2};
    const float center[3] = {1000, 500, -1000};
    aim = (struct aim){.name = "star"};
    scene_make_sphere(&aim.mesh, center, 1, 5, 60, &random);
    aim_from_inside(&aim, center, 1, &random);
    check_all(&aim);
}

/* Two separate bodies of very different size and a ray through both: in and out of the outer, in and out of the inner. */
static void test_nested(void **state)
{
    static struct aim aim;
    const float center[3] = {0, 0, 0};
    aim = (struct aim){.name = "nested", .expected = 4};
    scene_make_sphere(&aim.mesh, center, 100, 16, 16, NULL);
    scene_make_sphere(&aim.mesh, center, 0.5f, 16, 16, NULL);
    struct scene_random random = {3};
    for (uint32_t i = 0; i < RAYS; i++) {
        float target[3];
        point_of(&aim.mesh, i, &random, target);
        aim.rays[i] = (struct abi_ray){.t_max = INFINITY};
        for (int axis = 0; axis < 3; axis++) { /* through the middle: the mesh is point symmetric */
            aim.rays[i].origin[axis] = target[axis] * 400;
            aim.rays[i].direction[axis] = -target[axis];
        }
    }
    check_all(&aim);
}

static void test_grid(void **state)
{
    enum { N = 33 };
    static struct aim aim;
    aim = (struct aim){.name = "grid", .expected = 1};
    for (int z = 0; z < N; z++)
        for (int x = 0; x < N; x++)
            scene_mesh_add_vertex(&aim.mesh, (float)x, (float)((x * 7 + z * 13) % 5), (float)z);
    for (uint32_t z = 0; z + 1 < N; z++)
        for (uint32_t x = 0; x + 1 < N; x++) {
            uint32_t a = z * N + x;
            scene_mesh_add_triangle(&aim.mesh, a, a + N, a + 1);
            scene_mesh_add_triangle(&aim.mesh, a + 1, a + N, a + N + 1);
        }
    for (uint32_t i = 0; i < RAYS; i++)
        aim.rays[i] = (struct abi_ray){.origin = {(float)(1 + i * 5 % 62) * .5f, 100, (float)(1 + i * 3 % 61) * .5f}, .direction = {0, -1, 0}, .t_max = INFINITY};
    check_all(&aim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_convex), cmocka_unit_test(test_star), cmocka_unit_test(test_nested),
                                       cmocka_unit_test(test_grid)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
