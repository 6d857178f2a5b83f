/* SPDX-License-Identifier: MIT
 * Rays through random opacity micromaps, on every instruction set and builder, after copies and updates. What lies on a
 * ray is asked of a structure without micromaps and with nothing but non-opaque triangles; what becomes of each of these
 * hits is then decided by tests/ref/micromap.c from the application's inputs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "accel/serialize.h"
#include "ref/micromap.h"
#include "ref/scene.h"
#include "trace/trace.h"

enum { MICROMAPS = 60, GEOMETRIES = 6, INSTANCES = 9, RAYS = 400, MAX_HITS = 400, TRIANGLES = 40, FORMAT_R8_UINT = 62 };

struct micromaps {
    struct micromap_ref refs[MICROMAPS];
    struct accel_micromap descs[MICROMAPS];
    struct accel_micromap_histogram histogram[MICROMAPS];
    uint8_t *input;
    void *array;
};

/* Formats and strides of the index buffers; index_bytes 0: none. kind 0: plain triangles, 1: OMM triangles without a
 * linkage, 2: linked. */
static const struct {
    uint32_t kind, index_bytes, stride_bytes, base_location, flags;
} geometry_kinds[GEOMETRIES] = {
    {2, 2, 2, 3, 0},
    {0, 0, 0, 0, ACCEL_GEOMETRY_FLAG_OPAQUE},
    {2, 0, 0, 7, ACCEL_GEOMETRY_FLAG_OPAQUE},
    {1, 0, 0, 0, 0},
    {2, 1, 3, 0, ACCEL_GEOMETRY_FLAG_NO_DUPLICATE_ANY_HIT},
    {2, 4, 8, 1, ACCEL_GEOMETRY_FLAG_OPAQUE},
};

struct geometry {
    struct scene_mesh mesh;
    struct accel_micromap_link link;
    int32_t indices[TRIANGLES]; /* special ones negative; without base_location */
    uint8_t buffer[TRIANGLES * 8] __attribute__((aligned(8)));
};

static struct micromaps maps;
static struct geometry geometries[GEOMETRIES];

static void make_micromaps(struct scene_random *random)
{
    uint32_t byte = 0;
    maps.input = aligned_alloc(128, 1 << 20);
    for (uint32_t i = 0; i < MICROMAPS; i++) {
        uint32_t level = i == 0 ? 8 : scene_random_bits(random) % 6, format = 1 + scene_random_bits(random) % 2;
        uint32_t bytes = accel_micromap_state_bytes(level, format);
        byte += scene_random_bits(random) % 5;
        maps.refs[i] = (struct micromap_ref){level, format, maps.input + byte};
        maps.descs[i] = (struct accel_micromap){byte, (uint16_t)level, (uint16_t)format};
        maps.histogram[i] = (struct accel_micromap_histogram){1, level, format};
        for (uint32_t k = 0; k < bytes; k++)
            maps.input[byte + k] = (uint8_t)scene_random_bits(random);
        byte += bytes;
    }
    struct accel_micromap_array array = {maps.histogram, MICROMAPS, (uintptr_t)maps.input, (uintptr_t)maps.descs,
                                         sizeof(maps.descs[0])};
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_MICROMAPS, .count = 1, .micromap_array = &array};
    maps.array = scene_build(NULL, &inputs);
}

static void make_indices(struct geometry *g, uint32_t kind, struct scene_random *random)
{
    uint32_t bytes = geometry_kinds[kind].index_bytes, stride = geometry_kinds[kind].stride_bytes;
    for (uint32_t i = 0; i < TRIANGLES; i++) {
        uint32_t pick = scene_random_bits(random) % 16;
        g->indices[i] = bytes && pick < 4 ? -1 - (int32_t)pick
                                          : (int32_t)(scene_random_bits(random) % (MICROMAPS - geometry_kinds[kind].base_location));
        if (!bytes)
            g->indices[i] = (int32_t)i;
        memcpy(g->buffer + i * stride, &g->indices[i], bytes);
    }
    g->link = (struct accel_micromap_link){
        .array = (uintptr_t)maps.array,
        .index_buffer = bytes ? (uintptr_t)g->buffer : 0,
        .index_stride_bytes = stride,
        .index_format = bytes == 1 ? FORMAT_R8_UINT : bytes == 2 ? SCENE_FORMAT_R16_UINT : bytes ? SCENE_FORMAT_R32_UINT : 0,
        .base_location = geometry_kinds[kind].base_location,
    };
}

static int set_up(void **state)
{
    struct scene_random random = {11};
    make_micromaps(&random);
    for (uint32_t i = 0; i < GEOMETRIES; i++) {
        scene_make_soup(&geometries[i].mesh, &random, TRIANGLES, 1, 1.5f);
        geometries[i].mesh.flags = geometry_kinds[i].flags;
        make_indices(&geometries[i], i, &random);
    }
    return 0;
}

static int tear_down(void **state)
{
    for (uint32_t i = 0; i < GEOMETRIES; i++)
        scene_mesh_finish(&geometries[i].mesh);
    free(maps.array);
    free(maps.input);
    return 0;
}

static void describe(struct accel_geometry out[GEOMETRIES], bool with_micromaps)
{
    for (uint32_t i = 0; i < GEOMETRIES; i++) {
        out[i] = scene_geometry(&geometries[i].mesh);
        if (!with_micromaps) {
            out[i].flags = 0;
            continue;
        }
        if (geometry_kinds[i].kind)
            out[i].type = ACCEL_GEOMETRY_OMM_TRIANGLES;
        if (geometry_kinds[i].kind == 2)
            out[i].triangles.micromaps = &geometries[i].link;
    }
}

static void *build_bottom(bool with_micromaps, uint32_t flags)
{
    struct accel_geometry descs[GEOMETRIES];
    describe(descs, with_micromaps);
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = flags, .count = GEOMETRIES, .geometries = descs};
    return scene_build(NULL, &inputs);
}

static const uint32_t instance_flags[INSTANCES] = {
    0, 0x10, 0x20, 0x30, ACCEL_INSTANCE_FLAG_FORCE_OPAQUE, ACCEL_INSTANCE_FLAG_FORCE_NON_OPAQUE,
    0x10 | ACCEL_INSTANCE_FLAG_FORCE_NON_OPAQUE, 0x20 | ACCEL_INSTANCE_FLAG_FORCE_OPAQUE, 0};

static void *build_top(const void *bottom, bool with_flags)
{
    uint8_t descs[INSTANCES][64] __attribute__((aligned(16)));
    for (uint32_t i = 0; i < INSTANCES; i++) {
        struct scene_instance instance = {.mask = 0xff, .flags = with_flags ? instance_flags[i] : 0,
                                          .transform = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
        instance.transform[3] = (float)(i % 3) * 1.5f - 1.5f;
        instance.transform[7] = (float)(i / 3) * 1.5f - 1.5f;
        scene_write_instance(descs[i], &instance, bottom);
    }
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_TOP, .count = INSTANCES, .instances = (uintptr_t)descs};
    return scene_build(NULL, &inputs);
}

struct hits {
    struct abi_hit hits[MAX_HITS];
    uint32_t count;
    struct abi_hit committed;
    bool has_committed;
};

static void trace(const struct trace_table *table, const void *top, const struct abi_ray *ray, uint32_t flags, bool allowed,
                  struct hits *out)
{
    static struct trace_state s;
    out->count = 0;
    table->begin(&s, (uintptr_t)top, ray, flags, allowed ? ABI_TRACE_FLAG_ALLOW_MICROMAPS : 0, 0xff);
    while (table->next(&s) != TRACE_DONE) {
        assert_true(out->count < MAX_HITS);
        out->hits[out->count++] = s.visible.candidate;
    }
    out->committed = s.visible.committed;
    out->has_committed = s.visible.committed_status != ABI_COMMITTED_NOTHING;
}

static uint32_t state_of(const struct abi_hit *hit)
{
    const struct geometry *g = &geometries[hit->geometry_index];
    if (geometry_kinds[hit->geometry_index].kind != 2)
        return MICROMAP_REF_NONE;
    int32_t index = g->indices[hit->primitive_index];
    if (index < 0)
        return (uint32_t)(-1 - index); /* FULLY_TRANSPARENT is -1, and so on */
    return micromap_ref_state(&maps.refs[(uint32_t)index + g->link.base_location], hit->barycentrics[0], hit->barycentrics[1]);
}

static bool same_hit(const struct abi_hit *a, const struct abi_hit *b)
{
    return a->t == b->t && a->instance_index == b->instance_index && a->geometry_index == b->geometry_index &&
           a->primitive_index == b->primitive_index && a->hit_kind == b->hit_kind &&
           memcmp(a->barycentrics, b->barycentrics, sizeof(a->barycentrics)) == 0;
}

static uint32_t times_seen(const struct hits *seen, const struct abi_hit *hit)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < seen->count; i++)
        count += same_hit(&seen->hits[i], hit);
    return count;
}

struct tally {
    uint32_t outcomes[3];
};

/* All hits of a ray against what a traversal with flags made of them. */
static void judge(const struct hits *all, const struct hits *seen, uint32_t flags, bool allowed, struct tally *tally)
{
    const struct abi_hit *nearest = NULL;
    uint32_t expected = 0;
    enum micromap_ref_outcome outcomes[MAX_HITS];
    for (uint32_t i = 0; i < all->count; i++) {
        const struct abi_hit *hit = &all->hits[i];
        bool is_opaque = geometry_kinds[hit->geometry_index].flags & ACCEL_GEOMETRY_FLAG_OPAQUE;
        outcomes[i] = micromap_ref_decide(state_of(hit), is_opaque, instance_flags[hit->instance_index], flags, allowed);
        tally->outcomes[outcomes[i]]++;
        if (outcomes[i] == MICROMAP_REF_COMMIT && (!nearest || hit->t < nearest->t))
            nearest = hit;
    }
    assert_int_equal(seen->has_committed, nearest != NULL);
    if (nearest)
        assert_true(same_hit(nearest, &seen->committed));
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t times = times_seen(seen, &all->hits[i]);
        if (outcomes[i] != MICROMAP_REF_ANY_HIT)
            assert_int_equal(times, 0);
        else if (!nearest || all->hits[i].t < nearest->t)
            assert_true(times >= 1);
        if (geometry_kinds[all->hits[i].geometry_index].flags & ACCEL_GEOMETRY_FLAG_NO_DUPLICATE_ANY_HIT)
            assert_true(times <= 1);
        expected += times;
    }
    assert_int_equal(expected, seen->count);
}

static const uint32_t ray_flags[] = {0, 0x400, 0x1, 0x2, 0x40, 0x80, 0x401, 0x440, 0x480};

static void check_top(const void *plain_top, const void *top)
{
    struct tally tally = {0};
    for (enum cpu_isa isa = CPU_ISA_SCALAR; isa < CPU_ISA_COUNT; isa++) {
        const struct trace_table *table = trace_table_for(isa);
        struct scene_random random = {23};
        for (uint32_t i = 0; i < RAYS && table; i++) {
            static struct hits all, seen;
            struct abi_ray ray = {.t_max = INFINITY};
            for (int axis = 0; axis < 3; axis++) {
                ray.origin[axis] = scene_random_float(&random, -4, 4);
                ray.direction[axis] = scene_random_float(&random, -2, 2) - ray.origin[axis];
            }
            uint32_t flags = ray_flags[i % (sizeof(ray_flags) / sizeof(ray_flags[0]))];
            bool allowed = i % 7 != 0;
            trace(table, plain_top, &ray, 0, false, &all);
            trace(table, top, &ray, flags, allowed, &seen);
            judge(&all, &seen, flags, allowed, &tally);
        }
    }
    for (int i = 0; i < 3; i++)
        assert_true(tally.outcomes[i] > 1000);
}

static void check_bottom(const void *bottom)
{
    void *plain = build_bottom(false, 0), *plain_top = build_top(plain, false), *top = build_top(bottom, true);
    check_top(plain_top, top);
    free(top);
    free(plain_top);
    free(plain);
}

static void test_builders(void **state)
{
    static const uint32_t flags[] = {0, ACCEL_BUILD_FLAG_PREFER_FAST_TRACE, ACCEL_BUILD_FLAG_PREFER_FAST_BUILD,
                                     ACCEL_BUILD_FLAG_MINIMIZE_MEMORY,
                                     ACCEL_BUILD_FLAG_ALLOW_UPDATE | ACCEL_BUILD_FLAG_ALLOW_OMM_UPDATE};
    for (uint32_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        void *bottom = build_bottom(true, flags[i] | ACCEL_BUILD_FLAG_ALLOW_DISABLE_OMMS);
        check_bottom(bottom);
        free(bottom);
    }
}

static void *copy(enum accel_copy_mode mode, const void *source, uint64_t bytes)
{
    struct reason reason = {0};
    void *to = aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (accel_copy(mode, to, bytes, source, ~0ull, &reason) != STATUS_OK)
        fail_msg("%s", reason.text);
    return to;
}

static uint64_t info(enum accel_postbuild_type type, const void *structure)
{
    uint64_t out[2];
    uint32_t out_bytes;
    assert_int_equal(accel_postbuild_info(type, structure, out, &out_bytes, NULL), STATUS_OK);
    return out[0];
}

/* Structures and arrays through every copy; the application puts the address of the copied array into the serialised
 * bottom level. */
static void test_copies(void **state)
{
    void *bottom = build_bottom(true, ACCEL_BUILD_FLAG_ALLOW_COMPACTION | ACCEL_BUILD_FLAG_MINIMIZE_MEMORY);
    void *compacted = copy(ACCEL_COPY_COMPACT, bottom, info(ACCEL_POSTBUILD_COMPACTED_SIZE, bottom));
    check_bottom(compacted);
    uint8_t *serialized = copy(ACCEL_COPY_SERIALIZE, compacted, info(ACCEL_POSTBUILD_SERIALIZATION, compacted));
    uint8_t *serialized_array = copy(ACCEL_COPY_SERIALIZE, maps.array, info(ACCEL_POSTBUILD_SERIALIZATION, maps.array));
    void *array = copy(ACCEL_COPY_DESERIALIZE, serialized_array, info(ACCEL_POSTBUILD_CURRENT_SIZE, maps.array));
    void *clone = copy(ACCEL_COPY_CLONE, array, info(ACCEL_POSTBUILD_CURRENT_SIZE, array));
    struct accel_serialized_header header;
    struct accel_serialized_block block;
    memcpy(&header, serialized, sizeof(header));
    memcpy(&block, serialized + sizeof(header), sizeof(block));
    assert_int_equal(header.postamble_type, ACCEL_POSTAMBLE_BLOCKS);
    assert_int_equal(header.postamble_count, 1);
    assert_int_equal(block.type, 0);
    assert_int_equal(block.pointer_count, 4);
    uint64_t *pointers = (uint64_t *)(serialized + sizeof(header) + sizeof(block));
    for (uint32_t i = 0; i < block.pointer_count; i++) {
        assert_int_equal(pointers[i], (uintptr_t)maps.array);
        pointers[i] = (uintptr_t)(i % 2 ? clone : array);
    }
    void *restored = copy(ACCEL_COPY_DESERIALIZE, serialized, info(ACCEL_POSTBUILD_CURRENT_SIZE, compacted));
    check_bottom(restored);
    free(restored);
    free(clone);
    free(array);
    free(serialized_array);
    free(serialized);
    free(compacted);
    free(bottom);
}

/* The linkage changes with an update: other indices, another format, none, another array. */
static void test_linkage_update(void **state)
{
    const uint32_t flags = ACCEL_BUILD_FLAG_ALLOW_UPDATE | ACCEL_BUILD_FLAG_ALLOW_OMM_UPDATE | ACCEL_BUILD_FLAG_ALLOW_DISABLE_OMMS;
    struct accel_geometry descs[GEOMETRIES];
    struct scene_random random = {31};
    void *bottom = build_bottom(true, flags), *array = copy(ACCEL_COPY_CLONE, maps.array, info(ACCEL_POSTBUILD_CURRENT_SIZE, maps.array));
    for (int round = 0; round < 2; round++) {
        struct geometry before[GEOMETRIES];
        memcpy(before, geometries, sizeof(before));
        for (uint32_t i = 0; i < GEOMETRIES; i++)
            if (geometry_kinds[i].kind == 2)
                make_indices(&geometries[i], i, &random);
        geometries[0].link.array = (uintptr_t)array;
        for (uint32_t i = 0; i < TRIANGLES && round; i++) { /* from R8 to not indexed */
            geometries[4].indices[i] = (int32_t)i;
            geometries[4].link.index_buffer = geometries[4].link.index_format = 0;
        }
        describe(descs, true);
        struct accel_build_arguments arguments = {
            .inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = flags | ACCEL_BUILD_FLAG_PERFORM_UPDATE, .count = GEOMETRIES, .geometries = descs},
            .result = bottom, .source = bottom};
        struct accel_prebuild_info sizes;
        assert_int_equal(accel_prebuild_info(&arguments.inputs, &sizes, NULL), STATUS_OK);
        arguments.scratch = aligned_alloc(256, sizes.update_scratch_bytes + 256);
        assert_int_equal(accel_build(&arguments, NULL), STATUS_OK);
        free(arguments.scratch);
        check_bottom(bottom);
        memcpy(geometries, before, sizeof(before));
    }
    free(array);
    free(bottom);
}

/* The closed mesh, each of its triangles with the same map. */
static void *build_sphere(struct scene_mesh *mesh, const uint8_t *states, uint32_t level, void **array)
{
    struct accel_micromap_histogram histogram = {1, level, ACCEL_MICROMAP_2_STATE};
    struct accel_micromap desc = {0, (uint16_t)level, ACCEL_MICROMAP_2_STATE};
    struct accel_micromap_array array_desc = {&histogram, 1, (uintptr_t)states, (uintptr_t)&desc, sizeof(desc)};
    struct accel_build_inputs array_inputs = {.level = ACCEL_LEVEL_MICROMAPS, .count = 1, .micromap_array = &array_desc};
    *array = scene_build(NULL, &array_inputs);
    const uint32_t zero = 0;
    struct accel_micromap_link link = {(uintptr_t)*array, (uintptr_t)&zero, 0, SCENE_FORMAT_R32_UINT, 0};
    struct accel_geometry geometry = scene_geometry(mesh);
    geometry.type = ACCEL_GEOMETRY_OMM_TRIANGLES;
    geometry.triangles.micromaps = &link;
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .count = 1, .geometries = &geometry};
    return scene_build(NULL, &inputs);
}

/* From the middle of the sphere through corners, edges and micro-edges of its triangles: of a map and its inverse exactly
 * one is hit, so no point is without a state or has two, on whichever triangle of an edge it is found. */
static void test_edges_belong_to_one_side(void **state)
{
    enum { LEVEL = 3, STEPS = 16 };
    uint8_t states[2][128] __attribute__((aligned(128)));
    struct scene_random random = {3};
    struct scene_mesh mesh = {0};
    const float center[3] = {0.1f, 0.2f, 0.3f};
    void *arrays[2], *spheres[2];
    scene_make_sphere(&mesh, center, 1, 6, 7, &random);
    for (int i = 0; i < 128; i++) {
        states[0][i] = (uint8_t)scene_random_bits(&random);
        states[1][i] = (uint8_t)~states[0][i];
    }
    for (int i = 0; i < 2; i++)
        spheres[i] = build_sphere(&mesh, states[i], LEVEL, &arrays[i]);
    for (enum cpu_isa isa = CPU_ISA_SCALAR; isa < CPU_ISA_COUNT; isa++)
        for (uint32_t t = 0; t < mesh.triangle_count && trace_table_for(isa); t++)
            for (int step = 0; step < (STEPS + 1) * (STEPS + 1); step++) {
                static struct hits seen[2];
                float u = (float)(step % (STEPS + 1)) / STEPS, v = (float)(step / (STEPS + 1)) / STEPS;
                struct abi_ray ray = {.t_max = INFINITY};
                for (int axis = 0; axis < 3; axis++) {
                    const float *corner[3] = {mesh.vertices[mesh.indices[t][0]], mesh.vertices[mesh.indices[t][1]],
                                              mesh.vertices[mesh.indices[t][2]]};
                    ray.origin[axis] = center[axis];
                    ray.direction[axis] = corner[0][axis] + u * (corner[1][axis] - corner[0][axis]) +
                                          v * (corner[2][axis] - corner[0][axis]) - center[axis];
                }
                if (u + v > 1)
                    continue;
                trace(trace_table_for(isa), spheres[0], &ray, 0, true, &seen[0]);
                trace(trace_table_for(isa), spheres[1], &ray, 0, true, &seen[1]);
                assert_int_equal(seen[0].has_committed + seen[1].has_committed, 1);
                /* without micromaps and with everything non-opaque there is one hit to decide about */
                trace(trace_table_for(isa), spheres[0], &ray, 0x2, false, &seen[0]);
                assert_int_equal(seen[0].count, 1);
            }
    for (int i = 0; i < 2; i++) {
        free(spheres[i]);
        free(arrays[i]);
    }
    scene_mesh_finish(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builders),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_linkage_update),
        cmocka_unit_test(test_edges_belong_to_one_side),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
