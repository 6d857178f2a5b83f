/* SPDX-License-Identifier: MIT
 * Which micro-triangle a point belongs to and which state that has, against the recursion of tests/ref. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ref/micromap.h"
#include "ref/scene.h"
#include "trace/micromap.h"

/* Every micro-triangle of level: each place on the curve is taken once, and the same as in the recursion. */
static void check_level(uint32_t level)
{
    uint32_t n = 1u << level;
    uint8_t *seen = calloc((size_t)n * n, 1);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; i + j < n; j++)
            for (uint32_t far = 0; far < (i + j + 1 < n ? 2u : 1u); far++) {
                uint32_t index = micromap_curve(i, j, n - 1 - i - j - far, level);
                assert_int_equal(index, micromap_ref_curve(level, i, j, far));
                assert_int_equal(seen[index]++, 0);
                float centroid[2] = {((float)i + (far ? 2 / 3.0f : 1 / 3.0f)) / (float)n,
                                     ((float)j + (far ? 2 / 3.0f : 1 / 3.0f)) / (float)n};
                assert_int_equal(micromap_index(centroid, level), index);
            }
    free(seen);
}

static void test_every_micro_triangle(void **state)
{
    for (uint32_t level = 0; level <= 8; level++)
        check_level(level);
}

/* The deepest levels on a sample. */
static void test_deep_levels(void **state)
{
    struct scene_random random = {5};
    for (uint32_t level = 9; level <= ACCEL_MICROMAP_MAX_LEVEL; level++)
        for (int sample = 0; sample < 20000; sample++) {
            uint32_t n = 1u << level, i = scene_random_bits(&random) % n, j = scene_random_bits(&random) % (n - i);
            uint32_t far = i + j + 1 < n ? scene_random_bits(&random) & 1 : 0;
            assert_int_equal(micromap_curve(i, j, n - 1 - i - j - far, level), micromap_ref_curve(level, i, j, far));
        }
}

/* The published picture, in numbers (level 1 and 2, u v of centroids in twelfths). */
static void test_published_order(void **state)
{
    static const float level1[4][2] = {{2, 2}, {4, 4}, {8, 2}, {2, 8}};
    static const float level2[16][2] = {{1, 1}, {2, 2}, {4, 1}, {1, 4}, {2, 5}, {4, 4}, {5, 5}, {5, 2},
                                        {7, 1}, {8, 2}, {10, 1}, {7, 4}, {4, 7}, {2, 8}, {1, 7}, {1, 10}};
    for (uint32_t i = 0; i < 16; i++) {
        float point[2] = {level2[i][0] / 12, level2[i][1] / 12};
        assert_int_equal(micromap_index(point, 2), i);
        point[0] = level1[i % 4][0] / 12;
        point[1] = level1[i % 4][1] / 12;
        assert_int_equal(micromap_index(point, 1), i % 4);
    }
}

static float nudge(float value, int steps)
{
    for (; steps > 0; steps--)
        value = nextafterf(value, 2);
    for (; steps < 0; steps++)
        value = nextafterf(value, -1);
    return value;
}

/* Grid points and their neighbours, on all edges, inside and outside by rounding. */
static void test_edges(void **state)
{
    for (uint32_t level = 0; level <= 6; level++) {
        uint32_t n = 1u << level;
        for (uint32_t i = 0; i <= 2 * n; i++)
            for (uint32_t j = 0; i + j <= 2 * n; j++)
                for (int step = 0; step < 25; step++) {
                    float point[2] = {nudge((float)i / (float)(2 * n), step % 5 - 2), nudge((float)j / (float)(2 * n), step / 5 - 2)};
                    uint32_t index = micromap_index(point, level);
                    assert_true(index < n * n);
                    assert_int_equal(index, micromap_ref_index(point[0], point[1], level));
                }
    }
}

static void test_random_points(void **state)
{
    struct scene_random random = {6};
    for (int i = 0; i < 100000; i++) {
        float point[2];
        do {
            for (int k = 0; k < 2; k++)
                point[k] = scene_random_float(&random, 0, 1) * (i % 3 ? 1 : ldexpf(1, -(int)(scene_random_bits(&random) % 60)));
        } while (point[0] + point[1] > 1);
        uint32_t level = (uint32_t)i % (ACCEL_MICROMAP_MAX_LEVEL + 1);
        assert_int_equal(micromap_index(point, level), micromap_ref_index(point[0], point[1], level));
    }
}

/* Whatever comes in, the result is a micro-triangle. */
static void test_points_that_are_none(void **state)
{
    static const float values[] = {NAN, INFINITY, -INFINITY, -0.0f, -1e-30f, 1e-45f, 1, 0x1.000002p0f, 1e30f, -1e30f, 0.5f};
    for (uint32_t level = 0; level <= ACCEL_MICROMAP_MAX_LEVEL; level++)
        for (uint32_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
            for (uint32_t j = 0; j < sizeof(values) / sizeof(values[0]); j++) {
                float point[2] = {values[i], values[j]};
                assert_true(micromap_index(point, level) < 1u << 2 * level);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_micro_triangle), cmocka_unit_test(test_deep_levels), cmocka_unit_test(test_published_order),
        cmocka_unit_test(test_edges),                cmocka_unit_test(test_random_points), cmocka_unit_test(test_points_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
