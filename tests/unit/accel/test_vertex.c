/* SPDX-License-Identifier: MIT
 * Every vertex format: values at the ends of its range, unread fourth components, alignment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "accel/vertex.h"
#include "base/status.h"

static const struct {
    const char *name;
    uint32_t format, alignment_bytes, read_bytes;
    uint8_t bytes[12];
    float expected[3];
} cases[] = {
    {"R32G32_FLOAT", 16, 4, 8, {0, 0, 128, 63, 0, 0, 0, 192}, {1, -2, 0}},
    {"R16G16_FLOAT", 34, 2, 4, {0, 0x3c, 0, 0xc0}, {1, -2, 0}},
    {"R16G16B16A16_FLOAT", 10, 2, 6, {0, 0x3c, 0, 0xc0, 1, 0, 0xff, 0x7f}, {1, -2, 0x1p-24f}},
    {"R16G16_SNORM", 37, 2, 4, {0xff, 0x7f, 0x00, 0x80}, {1, -1, 0}},
    {"R16G16B16A16_SNORM", 13, 2, 6, {0x01, 0x80, 0, 0, 0xff, 0x7f, 9, 9}, {-1, 0, 1}},
    {"R16G16B16A16_UNORM", 11, 2, 6, {0xff, 0xff, 0, 0, 0x33, 0x33, 9, 9}, {1, 0, 0.2f}},
    {"R16G16_UNORM", 35, 2, 4, {0xff, 0xff, 0x33, 0x33}, {1, 0.2f, 0}},
    {"R10G10B10A2_UNORM", 24, 4, 4, {0xff, 0x03, 0xf0, 0xff}, {1, 0, 1}},
    {"R8G8B8A8_UNORM", 28, 1, 3, {255, 0, 51, 77}, {1, 0, 0.2f}},
    {"R8G8_UNORM", 49, 1, 2, {255, 51}, {1, 0.2f, 0}},
    {"R8G8B8A8_SNORM", 31, 1, 3, {0x7f, 0x80, 0x81, 77}, {1, -1, -1}},
    {"R8G8_SNORM", 51, 1, 2, {0x81, 0}, {-1, 0, 0}},
};

static void test_formats(void **state)
{
    for (uint32_t i = 0; i < ARRAY_COUNT(cases); i++) {
        float vertex[3];
        accel_vertex_read(cases[i].format, cases[i].bytes, vertex);
        if (memcmp(vertex, cases[i].expected, sizeof(vertex)) != 0)
            fail_msg("%s: %g %g %g", cases[i].name, vertex[0], vertex[1], vertex[2]);
        assert_int_equal(accel_vertex_alignment_bytes(cases[i].format), cases[i].alignment_bytes);
        assert_int_equal(accel_vertex_read_bytes(cases[i].format), cases[i].read_bytes);
    }
    assert_int_equal(accel_vertex_alignment_bytes(ACCEL_VERTEX_R32G32B32_FLOAT), 4);
    assert_int_equal(accel_vertex_alignment_bytes(2), 0);
    assert_int_equal(accel_vertex_alignment_bytes(87), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_formats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
