/* SPDX-License-Identifier: MIT
 * What accel_verify must refuse: one field after the other of good structures is damaged, and lanes that nobody uses get
 * content that a ray could meet or an update would believe. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "accel/verify.h"
#include "ref/scene.h"

enum { TRIANGLES = 6 }; /* two blocks at least, one of them with unused lanes */

static struct accel_header *build(bool boxes)
{
    struct scene_random random = {1};
    struct scene_mesh mesh = {0};
    float corners[TRIANGLES][6];
    scene_make_soup(&mesh, &random, TRIANGLES, 10, 0.1f);
    for (int i = 0; i < TRIANGLES; i++)
        for (int k = 0; k < 6; k++)
            corners[i][k] = (float)(i * 3 + k / 3);
    struct accel_geometry geometry = scene_geometry(&mesh);
    if (boxes)
        geometry = (struct accel_geometry){.type = ACCEL_GEOMETRY_BOXES, .boxes = {(uintptr_t)corners, 24, TRIANGLES}};
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = ACCEL_BUILD_FLAG_ALLOW_UPDATE, .count = 1, .geometries = &geometry};
    void *structure = scene_build(NULL, &inputs);
    scene_mesh_finish(&mesh);
    return structure;
}

static struct accel_triangle_block *blocks_of(struct accel_header *h)
{
    return (struct accel_triangle_block *)((uint8_t *)h + h->leaf_offset);
}

/* Block and lane of the first unused lane. */
static struct accel_triangle_block *unused_lane(struct accel_header *h, uint32_t *lane)
{
    for (uint32_t i = 0; i < h->leaf_count; i++)
        for (*lane = 0; *lane < ACCEL_TRIANGLE_BLOCK_WIDTH; ++*lane)
            if (blocks_of(h)[i].primitives[*lane] == ~0u)
                return &blocks_of(h)[i];
    fail_msg("all lanes are used");
    return NULL;
}

static void damage_nothing(struct accel_header *h) { }
static void damage_vertices(struct accel_header *h)
{
    uint32_t lane;
    struct accel_triangle_block *block = unused_lane(h, &lane);
    for (int i = 0; i < 9; i++)
        block->vertices[i / 3][i % 3][lane] = (float)(i % 4);
}
static void damage_one_vertex(struct accel_header *h)
{
    uint32_t lane;
    unused_lane(h, &lane)->vertices[1][2][lane] = 0;
}
static void damage_first_lane(struct accel_header *h)
{
    struct accel_triangle_block *block = blocks_of(h);
    for (int lane = 0; lane < ACCEL_TRIANGLE_BLOCK_WIDTH; lane++) {
        block->primitives[lane] = ~0u;
        block->geometries[lane] = 0xffff;
        for (int i = 0; i < 9; i++)
            block->vertices[i / 3][i % 3][lane] = NAN;
    }
}
static void damage_geometry(struct accel_header *h) { blocks_of(h)->geometries[0] |= 1; }
static void damage_primitive(struct accel_header *h) { blocks_of(h)->primitives[0] = TRIANGLES; }
static void damage_geometry_count(struct accel_header *h) { h->geometry_count = 0; }
static void damage_geometry_offset(struct accel_header *h) { h->geometry_offset = 1u << 30; }
static void damage_leaf_count(struct accel_header *h) { h->leaf_count = 1u << 28; }
static void damage_node_count(struct accel_header *h) { h->node_count++; }
static void damage_node_offset(struct accel_header *h) { h->node_offset = ~UINT64_C(0) - 31; }
static void damage_leaf_offset(struct accel_header *h) { h->leaf_offset += 8; }
static void damage_structure_bytes(struct accel_header *h) { h->structure_bytes = sizeof(*h); }
static void damage_root(struct accel_header *h) { h->root = 7; }
static void damage_root_block(struct accel_header *h) { h->root = ACCEL_REF_LEAF_MASK | 9; }
static void damage_kind(struct accel_header *h) { h->kind = ACCEL_KIND_BOXES; }
static void damage_flags(struct accel_header *h) { h->flags |= ACCEL_FLAG_IDENTITY_INSTANCE; }
static void damage_micromaps(struct accel_header *h) { h->flags |= ACCEL_FLAG_HAS_MICROMAPS; }
static void damage_primitive_count(struct accel_header *h) { h->primitive_count = 1000; }

static void test_triangles(void **state)
{
    static const struct {
        const char *name;
        void (*damage)(struct accel_header *h);
    } cases[] = {
#define CASE(name) {#name, damage_##name}
        CASE(vertices), CASE(one_vertex), CASE(first_lane), CASE(geometry), CASE(primitive), CASE(geometry_count),
        CASE(geometry_offset), CASE(leaf_count), CASE(node_count), CASE(node_offset), CASE(leaf_offset), CASE(structure_bytes),
        CASE(root), CASE(root_block), CASE(kind), CASE(flags), CASE(micromaps), CASE(primitive_count),
    };
    struct accel_header *good = build(false);
    uint64_t byte_count = good->structure_bytes;
    damage_nothing(good);
    assert_int_equal(accel_verify(good, byte_count, NULL), STATUS_OK);
    for (uint32_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct reason reason = {{0}};
        struct accel_header *bad = aligned_alloc(256, (byte_count + 255) / 256 * 256);
        memcpy(bad, good, byte_count);
        cases[i].damage(bad);
        if (accel_verify(bad, byte_count, &reason) != STATUS_CORRUPT || !reason.text[0])
            fail_msg("%s is accepted", cases[i].name);
        free(bad);
    }
    free(good);
}

static void test_boxes(void **state)
{
    struct accel_header *h = build(true);
    assert_int_equal(accel_verify(h, h->structure_bytes, NULL), STATUS_OK);
    struct accel_box_block *block = (struct accel_box_block *)((uint8_t *)h + h->leaf_offset);
    for (int lane = 0; lane < ACCEL_BOX_BLOCK_WIDTH; lane++)
        block->primitives[lane] = ~0u;
    assert_int_equal(accel_verify(h, h->structure_bytes, NULL), STATUS_CORRUPT);
    free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_triangles), cmocka_unit_test(test_boxes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
