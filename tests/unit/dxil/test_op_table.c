/* SPDX-License-Identifier: MIT
 * The operation table: look-up, order, and that its letters mean something. */
#include "module_helpers.h"

#include "dxil/op_table.h"

static void every_row_is_found(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < dxil_op_count(); i++) {
        assert_ptr_equal(dxil_op_find(dxil_op_at(i)->number), dxil_op_at(i));
        if (i)
            assert_true(dxil_op_at(i - 1)->number < dxil_op_at(i)->number);
    }
    assert_null(dxil_op_at(dxil_op_count()));
}

static void unknown_and_reserved_numbers_are_not_found(void **state)
{
    (void)state;
    static const uint32_t numbers[] = {226, 290, 302, 305, 312, 999, 0x7fffffff, 0x80000020, 0x80000023, UINT32_MAX};
    for (size_t i = 0; i < ARRAY_COUNT(numbers); i++)
        assert_null(dxil_op_find(numbers[i]));
}

static void known_rows_are_right(void **state)
{
    (void)state;
    static const struct {
        uint32_t number;
        const char *name, *class_name, *signature;
        uint32_t minor;
    } cases[] = {
        {6, "FAbs", "unary", "oio", 0},
        {59, "CBufferLoadLegacy", "cbufferLoadLegacy", "ciHi", 0},
        {157, "TraceRay", "traceRay", "viHiiiiiffffffffU", 3},
        {216, "AnnotateHandle", "annotateHandle", "HiHP", 6},
        {222, "QuadVote", "quadVote", "oi18", 7},
        {309, "VectorReduceAnd", "vectorReduce", "eio", 9},
        {0x80000007, "TriangleObjectPosition", "triangleObjectPosition", "9i", 10},
    };
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        const struct dxil_op *op = dxil_op_find(cases[i].number);
        assert_non_null(op);
        assert_string_equal(op->name, cases[i].name);
        assert_string_equal(op->class_name, cases[i].class_name);
        assert_string_equal(op->signature, cases[i].signature);
        assert_int_equal(op->minor_version, cases[i].minor);
    }
    assert_int_equal(DXIL_OPCODE_TraceRay, 157);
}

static void letters_are_known(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < dxil_op_count(); i++) {
        const struct dxil_op *op = dxil_op_at(i);
        if (op->support != DXIL_SUPPORT_WORKS) {
            assert_string_equal(op->signature, "");
            assert_non_null(dxil_support_text(op->support));
            continue;
        }
        assert_int_equal(strspn(op->signature, "vorcbje49HOUTDStCpqPBhfd18wil"), strlen(op->signature));
        assert_int_equal(strspn(op->overloads, "hfd18wiluo<"), strlen(op->overloads));
        assert_int_equal(op->signature[1], 'i'); /* the opcode */
        assert_true(op->stages_mask != 0);
        /* An overloaded operation shows its overload somewhere, another never. */
        assert_int_equal(op->overloads[0] != 0, strpbrk(op->signature, "orcbje49UT") != NULL);
    }
    assert_null(dxil_support_text(DXIL_SUPPORT_WORKS));
}

static void stages_name_kinds(void **state)
{
    (void)state;
    assert_string_equal(dxil_shader_kind_name(DXIL_SHADER_KIND_CLOSESTHIT), "closesthit");
    assert_string_equal(dxil_shader_kind_name(DXIL_SHADER_KIND_INVALID), "invalid");
    assert_true(dxil_op_find(DXIL_OPCODE_IgnoreHit)->stages_mask == 1u << DXIL_SHADER_KIND_ANYHIT);
    assert_true(dxil_op_find(DXIL_OPCODE_ReportHit)->stages_mask & 1u << DXIL_SHADER_KIND_INTERSECTION);
    assert_false(dxil_op_find(DXIL_OPCODE_TraceRay)->stages_mask & 1u << DXIL_SHADER_KIND_ANYHIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_found),  cmocka_unit_test(unknown_and_reserved_numbers_are_not_found),
        cmocka_unit_test(known_rows_are_right), cmocka_unit_test(letters_are_known),
        cmocka_unit_test(stages_name_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
