/* SPDX-License-Identifier: MIT
 * Cutting blocks: instructions that move to the new block keep their names and their order, jumps reach the new block. An
 * any-hit shader whose IgnoreHit stood in its first block lost its copy of a qualified payload when names were lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jit/compile.h"

static void splitting_keeps_names_and_jumps(void **state)
{
    struct jit_unit unit = {.context = LLVMContextCreate()};
    unit.module = LLVMModuleCreateWithNameInContext("test", unit.context);
    unit.builder = LLVMCreateBuilderInContext(unit.context);
    LLVMTypeRef word = LLVMInt32TypeInContext(unit.context);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(unit.context), &word, 1, false);
    LLVMValueRef function = LLVMAddFunction(unit.module, "f", type);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(unit.context, function, "entry");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(unit.context, function, "body");
    LLVMPositionBuilderAtEnd(unit.builder, entry);
    LLVMValueRef jump = LLVMBuildBr(unit.builder, body);
    LLVMPositionBuilderAtEnd(unit.builder, body);
    LLVMValueRef memory = LLVMBuildAlloca(unit.builder, word, "own_payload");
    LLVMValueRef store = LLVMBuildStore(unit.builder, LLVMGetParam(function, 0), memory);
    LLVMValueRef last = LLVMBuildRetVoid(unit.builder);

    LLVMBasicBlockRef head = ir_split_before(&unit, last);
    assert_ptr_equal(LLVMGetFirstInstruction(head), memory);
    assert_ptr_equal(LLVMGetNextInstruction(memory), store);
    assert_null(LLVMGetNextInstruction(store));
    assert_string_equal(LLVMGetValueName(memory), "own_payload");
    assert_ptr_equal(LLVMGetFirstInstruction(body), last);
    assert_ptr_equal(LLVMBasicBlockAsValue(head), LLVMGetOperand(jump, 0));

    LLVMDisposeBuilder(unit.builder);
    LLVMDisposeModule(unit.module);
    LLVMContextDispose(unit.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(splitting_keeps_names_and_jumps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
