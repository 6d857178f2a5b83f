/* SPDX-License-Identifier: MIT
 * Every operation that the table of dxil/op_table.h calls working has a lowering, and none that it refuses has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "dxil/op_table.h"
#include "jit/compile.h"

static bool is_lowered(uint32_t opcode)
{
    return jit_is_handle_op(opcode) || jit_is_ray_op(opcode) || jit_is_library_op(opcode, NULL);
}

static void test_working_operations_are_lowered(void **state)
{
    (void)state;
    unsigned missing = 0;
    for (uint32_t i = 0; i < dxil_op_count(); i++) {
        const struct dxil_op *op = dxil_op_at(i);
        if (op->support == DXIL_SUPPORT_WORKS && !is_lowered(op->number)) {
            print_message("%s (%u) has no lowering\n", op->name, op->number);
            missing++;
        }
    }
    assert_int_equal(missing, 0);
}

static void test_refused_operations_are_not_lowered(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < dxil_op_count(); i++) {
        const struct dxil_op *op = dxil_op_at(i);
        if (op->support != DXIL_SUPPORT_WORKS && is_lowered(op->number))
            fail_msg("%s (%u) is refused, but has a lowering", op->name, op->number);
    }
}

/* Letters of dxil_op.overloads that are element types of a library function. */
static const char *overload_name(char letter)
{
    static const struct {
        char letter;
        const char *name;
    } names[] = {{'h', "f16"}, {'f', "f32"}, {'d', "f64"}, {'1', "i1"}, {'8', "i8"}, {'w', "i16"}, {'i', "i32"}, {'l', "i64"}};
    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        if (names[i].letter == letter)
            return names[i].name;
    return NULL;
}

static void test_every_overload_is_lowered(void **state)
{
    (void)state;
    unsigned missing = 0;
    for (uint32_t i = 0; i < dxil_op_count(); i++) {
        const struct dxil_op *op = dxil_op_at(i);
        if (op->support != DXIL_SUPPORT_WORKS || jit_is_handle_op(op->number) || jit_is_ray_op(op->number))
            continue;
        for (const char *letter = op->overloads; *letter; letter++) {
            const char *name = overload_name(*letter);
            if (name && !jit_is_library_op(op->number, name)) {
                print_message("%s (%u) has no %s\n", op->name, op->number, name);
                missing++;
            }
        }
    }
    assert_int_equal(missing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_working_operations_are_lowered),
        cmocka_unit_test(test_every_overload_is_lowered),
        cmocka_unit_test(test_refused_operations_are_not_lowered),
    };
    return cmocka_run_group_tests_name("jit_op_coverage", tests, NULL, NULL);
}
