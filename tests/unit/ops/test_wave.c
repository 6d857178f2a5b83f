/* SPDX-License-Identifier: MIT
 * Wave, quad and derivative operations (ops/wave.h) against plain loops, for all lane counts and several active masks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"
#include "ops/op_list.h"
#include "ops/ops.h"

static struct ops_wave_step step;

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static float float_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, 4);
    return x;
}

static bool active(uint32_t lane)
{
    return step.active[lane >> 6] >> (lane & 63) & 1;
}

static void start(uint32_t opcode, uint32_t type, uint32_t op, uint32_t sign)
{
    step.opcode = opcode;
    step.type = type;
    step.op = op;
    step.sign = sign;
}

static const uint32_t lane_counts[] = {4, 8, 16, 32, 64, 128};
static const uint64_t masks[] = {~0ull, 1, 0x8000000000000008, 0x5555555555555555, 0xfffffff7fffffff6};

/* Calls check for every lane count and mask, with values set by lane. */
static void for_each_wave(void (*check)(void))
{
    for (size_t c = 0; c < ARRAY_COUNT(lane_counts); c++) {
        for (size_t m = 0; m < ARRAY_COUNT(masks); m++) {
            memset(&step, 0, sizeof(step));
            step.lane_count = lane_counts[c];
            uint64_t low = lane_counts[c] >= 64 ? ~0ull : (1ull << lane_counts[c]) - 1;
            step.active[0] = masks[m] & low;
            step.active[1] = lane_counts[c] == 128 ? masks[m] : 0;
            check();
        }
    }
}

static void check_integer_reductions(void)
{
    uint32_t sum = 0, product = 1, smallest = 0x7fffffff, largest = 0, all = ~0u, any = 0, odd = 0;
    for (uint32_t lane = 0; lane < step.lane_count; lane++) {
        uint32_t value = lane * 0x9e3779b9u + 7;
        step.value[lane] = value;
        if (!active(lane))
            continue;
        sum += value;
        product *= value;
        smallest = (int32_t)value < (int32_t)smallest ? value : smallest;
        largest = value > largest ? value : largest;
        all &= value;
        any |= value;
        odd ^= value;
    }
    const struct {
        uint32_t opcode, op, sign, want;
    } cases[] = {{119, 0, 1, sum}, {119, 1, 0, product}, {119, 2, 0, smallest}, {119, 3, 1, largest},
                 {120, 0, 0, all}, {120, 1, 0, any},     {120, 2, 0, odd}};
    for (size_t c = 0; c < ARRAY_COUNT(cases); c++) {
        start(cases[c].opcode, OPS_TYPE_I32, cases[c].op, cases[c].sign);
        ops_wave_run(&step);
        for (uint32_t lane = 0; lane < step.lane_count; lane++)
            if (active(lane) && step.result[lane] != cases[c].want)
                fail_msg("opcode %u op %u, %u lanes: got %lx, want %x", cases[c].opcode, cases[c].op, step.lane_count,
                         (unsigned long)step.result[lane], cases[c].want);
    }
}

static void test_integer_reductions(void **state)
{
    for_each_wave(check_integer_reductions);
}

static void check_float_prefix(void)
{
    for (uint32_t lane = 0; lane < step.lane_count; lane++)
        step.value[lane] = bits_of(1.0f / (float)(lane + 1));
    start(121, OPS_TYPE_F32, 0, 0);
    ops_wave_run(&step);
    float sum = 0.0f; /* ascending order, bit for bit */
    for (uint32_t lane = 0; lane < step.lane_count; lane++) {
        if (!active(lane))
            continue;
        assert_int_equal(step.result[lane], bits_of(sum));
        sum += float_of(step.value[lane]);
    }
    start(121, OPS_TYPE_F32, 1, 0);
    ops_wave_run(&step);
    float product = 1.0f;
    for (uint32_t lane = 0; lane < step.lane_count; lane++) {
        if (!active(lane))
            continue;
        assert_int_equal(step.result[lane], bits_of(product));
        product *= float_of(step.value[lane]);
    }
}

static void test_float_prefix_is_exclusive_and_ordered(void **state)
{
    for_each_wave(check_float_prefix);
}

static void check_votes_and_counts(void)
{
    uint32_t count = 0, total = 0;
    bool all = true;
    uint32_t want[4] = {0};
    for (uint32_t lane = 0; lane < step.lane_count; lane++) {
        step.value[lane] = lane % 3 == 0;
        if (!active(lane))
            continue;
        total += lane % 3 == 0;
        all = all && lane % 3 == 0;
        want[lane >> 5] |= (uint32_t)(lane % 3 == 0) << (lane & 31);
    }
    const struct {
        uint32_t opcode;
        uint64_t want;
    } cases[] = {{113, total != 0}, {114, all}, {135, total}};
    for (size_t c = 0; c < ARRAY_COUNT(cases); c++) {
        start(cases[c].opcode, OPS_TYPE_VOID, 0, 0);
        ops_wave_run(&step);
        for (uint32_t lane = 0; lane < step.lane_count; lane++)
            assert_true(!active(lane) || step.result[lane] == cases[c].want);
    }
    start(116, OPS_TYPE_VOID, 0, 0);
    ops_wave_run(&step);
    for (uint32_t lane = 0; lane < step.lane_count; lane++)
        assert_true(!active(lane) || memcmp(step.result4[lane], want, 16) == 0);
    start(136, OPS_TYPE_VOID, 0, 0);
    ops_wave_run(&step);
    for (uint32_t lane = 0; lane < step.lane_count; lane++) {
        if (active(lane))
            assert_int_equal(step.result[lane], count);
        count += active(lane) && lane % 3 == 0;
    }
}

static void test_votes_and_counts(void **state)
{
    for_each_wave(check_votes_and_counts);
}

static void check_match_and_multi_prefix(void)
{
    for (uint32_t lane = 0; lane < step.lane_count; lane++)
        step.value[lane] = lane % 5;
    start(165, OPS_TYPE_I32, 0, 0);
    ops_wave_run(&step);
    for (uint32_t self = 0; self < step.lane_count; self++) {
        for (uint32_t lane = 0; active(self) && lane < step.lane_count; lane++) {
            bool in = step.result4[self][lane >> 5] >> (lane & 31) & 1;
            assert_int_equal(in, active(lane) && lane % 5 == self % 5);
        }
        memcpy(step.argument[self], step.result4[self], 16);
    }
    for (uint32_t lane = 0; lane < step.lane_count; lane++)
        step.value[lane] = lane + 1;
    start(166, OPS_TYPE_I32, 0, 1);
    ops_wave_run(&step);
    for (uint32_t self = 0; self < step.lane_count; self++) {
        uint32_t sum = 0;
        for (uint32_t lane = 0; lane < self; lane++)
            sum += active(lane) && lane % 5 == self % 5 ? lane + 1 : 0;
        assert_true(!active(self) || step.result[self] == sum);
    }
    start(166, OPS_TYPE_I32, 1, 1); /* and: starts from all ones */
    ops_wave_run(&step);
    for (uint32_t self = 0; self < step.lane_count && self < 5; self++)
        assert_true(!active(self) || step.result[self] == 0xffffffff);
}

static void test_match_and_multi_prefix(void **state)
{
    for_each_wave(check_match_and_multi_prefix);
}

static void check_reads(void)
{
    uint32_t first = 0;
    while (!active(first))
        first++;
    for (uint32_t lane = 0; lane < step.lane_count; lane++) {
        step.value[lane] = 100 + lane;
        step.argument[lane][0] = step.lane_count - 1 - lane;
    }
    start(118, OPS_TYPE_I32, 0, 0);
    ops_wave_run(&step);
    for (uint32_t lane = 0; lane < step.lane_count; lane++)
        assert_true(!active(lane) || step.result[lane] == 100 + first);
    start(117, OPS_TYPE_I32, 0, 0);
    ops_wave_run(&step);
    for (uint32_t lane = 0; lane < step.lane_count; lane++) {
        uint32_t source = step.lane_count - 1 - lane;
        assert_true(!active(lane) || step.result[lane] == (active(source) ? 100 + source : 0));
    }
    for (uint32_t op = 0; op < 3; op++) { /* across x, y, diagonal */
        start(123, OPS_TYPE_I32, op, 0);
        ops_wave_run(&step);
        for (uint32_t lane = 0; lane < step.lane_count; lane++) {
            uint32_t source = lane ^ (op == 0 ? 1 : op == 1 ? 2 : 3);
            assert_true(!active(lane) || step.result[lane] == (active(source) ? 100 + source : 0));
        }
    }
    start(122, OPS_TYPE_I32, 0, 0);
    for (uint32_t lane = 0; lane < step.lane_count; lane++)
        step.argument[lane][0] = 2;
    ops_wave_run(&step);
    for (uint32_t lane = 0; lane < step.lane_count; lane++) {
        uint32_t source = (lane & ~3u) + 2;
        assert_true(!active(lane) || step.result[lane] == (active(source) ? 100 + source : 0));
    }
}

static void test_reads_between_lanes(void **state)
{
    for_each_wave(check_reads);
}

static void test_quad_vote(void **state)
{
    memset(&step, 0, sizeof(step));
    step.lane_count = 8;
    step.active[0] = 0xbf; /* lane 6 does not take part */
    for (uint32_t lane = 0; lane < 8; lane++)
        step.value[lane] = lane == 1 || lane >= 4;
    step.value[6] = 0;
    start(222, OPS_TYPE_I1, 0, 0);
    ops_wave_run(&step);
    assert_true(step.result[0] == 1 && step.result[4] == 1);
    start(222, OPS_TYPE_I1, 1, 0);
    ops_wave_run(&step);
    assert_true(step.result[0] == 0 && step.result[4] == 1);
}

static void test_all_equal_follows_float_rules(void **state)
{
    memset(&step, 0, sizeof(step));
    step.lane_count = 4;
    step.active[0] = 15;
    start(115, OPS_TYPE_F32, 0, 0);
    step.value[1] = 0x80000000; /* -0 equals 0 */
    ops_wave_run(&step);
    assert_int_equal(step.result[3], 1);
    step.value[2] = bits_of(NAN);
    ops_wave_run(&step);
    assert_int_equal(step.result[3], 0);
    start(115, OPS_TYPE_I32, 0, 0);
    step.value[2] = 0;
    ops_wave_run(&step);
    assert_int_equal(step.result[3], 0);
}

static void test_derivatives(void **state)
{
    static const float values[4] = {1.0f, 4.0f, 11.0f, 24.0f}; /* (0,0) (1,0) (0,1) (1,1) */
    static const struct {
        uint32_t opcode;
        float want[4];
    } cases[] = {{83, {3, 3, 3, 3}}, {84, {10, 10, 10, 10}}, {85, {3, 3, 13, 13}}, {86, {10, 20, 10, 20}}};
    memset(&step, 0, sizeof(step));
    step.lane_count = 4;
    step.active[0] = 15;
    for (uint32_t lane = 0; lane < 4; lane++)
        step.value[lane] = bits_of(values[lane]);
    for (size_t c = 0; c < ARRAY_COUNT(cases); c++) {
        start(cases[c].opcode, OPS_TYPE_F32, 0, 0);
        ops_wave_run(&step);
        for (uint32_t lane = 0; lane < 4; lane++)
            assert_true(float_of(step.result[lane]) == cases[c].want[lane]);
    }
}

static void test_widths_wrap(void **state)
{
    memset(&step, 0, sizeof(step));
    step.lane_count = 4;
    step.active[0] = 15;
    step.value[0] = 0xffff;
    step.value[1] = 2;
    start(119, OPS_TYPE_I16, 0, 1);
    ops_wave_run(&step);
    assert_int_equal(step.result[0], 1);
    start(119, OPS_TYPE_I16, 2, 0); /* signed minimum: -1 */
    ops_wave_run(&step);
    assert_int_equal(step.result[0], 0xffff);
    step.value[0] = 0x3ff0000000000000;
    step.value[1] = 0x4000000000000000;
    start(119, OPS_TYPE_F64, 0, 0);
    ops_wave_run(&step);
    assert_true(step.result[2] == 0x4008000000000000);
    step.value[0] = 0x3c00;
    step.value[1] = 0x4000;
    start(119, OPS_TYPE_F16, 0, 0);
    ops_wave_run(&step);
    assert_int_equal(step.result[2], 0x4200);
}

/* Every row of the table names a function that exists. */
#define ROW(opcode, type, function, form) (const void *)(uintptr_t)function,
static const void *const op_functions[] = {OPS_OP_LIST(ROW)};
#undef ROW

static void test_table_is_complete(void **state)
{
    for (size_t i = 0; i < ARRAY_COUNT(op_functions); i++)
        assert_non_null(op_functions[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integer_reductions),
        cmocka_unit_test(test_float_prefix_is_exclusive_and_ordered),
        cmocka_unit_test(test_votes_and_counts),
        cmocka_unit_test(test_match_and_multi_prefix),
        cmocka_unit_test(test_reads_between_lanes),
        cmocka_unit_test(test_quad_vote),
        cmocka_unit_test(test_all_equal_follows_float_rules),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_widths_wrap),
        cmocka_unit_test(test_table_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
