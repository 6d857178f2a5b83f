/* SPDX-License-Identifier: MIT
 * Shaders written in C have the shader ABI already and call the functions of device/ and ops/ themselves. What is left is
 * to resolve their resources, and to see what they use. */
#include <string.h>

#include "jit/compile.h"

static enum status c_resolve_handles(struct jit_unit *unit, LLVMValueRef function)
{
    IR_FOR_EACH_BLOCK(block, function) {
        IR_FOR_EACH_INSTRUCTION(instruction, block) {
            if (!LLVMIsACallInst(instruction) ||
                strcmp(LLVMGetValueName(LLVMGetCalledValue(instruction)), "cdxr_resource_handle"))
                continue;
            struct jit_call call = {.call = instruction, .function = function, .thread = LLVMGetParam(function, 0)};
            LLVMValueRef pointer = NULL;
            LLVMPositionBuilderBefore(unit->builder, instruction);
            RETURN_IF_FAILED(jit_resource_pointer(unit, &call, LLVMGetOperand(instruction, 1),
                                                  LLVMGetOperand(instruction, 2), &pointer));
            LLVMReplaceAllUsesWith(instruction, pointer);
            LLVMInstructionEraseFromParent(instruction);
        }
    }
    return STATUS_OK;
}

static bool c_calls(struct jit_unit *unit, const char *name)
{
    LLVMValueRef function = LLVMGetNamedFunction(unit->module, name);
    return function && ir_has_instruction_use(function);
}

enum status jit_lower_c(struct jit_unit *unit)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(unit->entry);
    if (LLVMCountParams(unit->entry) != 3 || LLVMGetTypeKind(LLVMGetReturnType(type)) != LLVMVoidTypeKind)
        return jit_unit_fail(unit, STATUS_INVALID, "is not declared with the macros of cdxr/shader.h");
    IR_FOR_EACH_FUNCTION(function, unit->module) {
        if (LLVMIsDeclaration(function))
            continue;
        bool has_thread = LLVMCountParams(function) &&
                          LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(function, 0))) == LLVMPointerTypeKind;
        if (function == unit->entry)
            LLVMAddTargetDependentFunctionAttr(function, JIT_SHADER_ATTRIBUTE, "1");
        if (has_thread)
            RETURN_IF_FAILED(c_resolve_handles(unit, function));
    }
    if (c_calls(unit, "cdxr_resource_handle"))
        return jit_unit_fail(unit, STATUS_UNSUPPORTED, "asks for a resource in a function without thread");
    LLVMSetValueName2(unit->entry, unit->symbol, strlen(unit->symbol));
    unit->uses_wave = c_calls(unit, "jit_wave_operate");
    unit->uses_barrier = c_calls(unit, "jit_barrier");
    unit->groupshared_bytes = unit->info->groupshared_bytes;
    return STATUS_OK;
}
