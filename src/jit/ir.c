/* SPDX-License-Identifier: MIT
 * Short helpers over llvm-c, used by every step of a compilation. */
#include <stdio.h>
#include <string.h>

#include "jit/compile.h"

LLVMTypeRef ir_i1(struct jit_unit *unit)
{
    return LLVMInt1TypeInContext(unit->context);
}
LLVMTypeRef ir_i8(struct jit_unit *unit)
{
    return LLVMInt8TypeInContext(unit->context);
}
LLVMTypeRef ir_i32(struct jit_unit *unit)
{
    return LLVMInt32TypeInContext(unit->context);
}
LLVMTypeRef ir_i64(struct jit_unit *unit)
{
    return LLVMInt64TypeInContext(unit->context);
}
LLVMTypeRef ir_float(struct jit_unit *unit)
{
    return LLVMFloatTypeInContext(unit->context);
}
LLVMTypeRef ir_pointer(struct jit_unit *unit)
{
    return LLVMPointerTypeInContext(unit->context, 0);
}
LLVMTypeRef ir_void(struct jit_unit *unit)
{
    return LLVMVoidTypeInContext(unit->context);
}
LLVMValueRef ir_u32(struct jit_unit *unit, uint32_t value)
{
    return LLVMConstInt(ir_i32(unit), value, false);
}
LLVMValueRef ir_u64(struct jit_unit *unit, uint64_t value)
{
    return LLVMConstInt(ir_i64(unit), value, false);
}
LLVMValueRef ir_bool(struct jit_unit *unit, bool value)
{
    return LLVMConstInt(ir_i1(unit), value, false);
}

LLVMValueRef ir_alloca(struct jit_unit *unit, LLVMValueRef function, LLVMTypeRef type, unsigned align, const char *name)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(unit->builder);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
    LLVMBasicBlockRef first = LLVMGetEntryBasicBlock(function);
    LLVMValueRef instruction = LLVMGetFirstInstruction(first);
    if (instruction)
        LLVMPositionBuilderBefore(builder, instruction);
    else
        LLVMPositionBuilderAtEnd(builder, first);
    LLVMValueRef memory = LLVMBuildAlloca(builder, type, name);
    if (align)
        LLVMSetAlignment(memory, align);
    LLVMDisposeBuilder(builder);
    (void)here;
    return memory;
}

LLVMValueRef ir_offset(struct jit_unit *unit, LLVMValueRef base, uint64_t offset_bytes)
{
    if (!offset_bytes)
        return base;
    LLVMValueRef index = ir_u64(unit, offset_bytes);
    return LLVMBuildGEP2(unit->builder, ir_i8(unit), base, &index, 1, "");
}

LLVMValueRef ir_call(struct jit_unit *unit, const char *name, LLVMTypeRef result, LLVMValueRef *arguments, unsigned count)
{
    LLVMTypeRef types[40];
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
    LLVMValueRef function = LLVMGetNamedFunction(unit->module, name);
    if (!function)
        function = LLVMAddFunction(unit->module, name, type);
    return LLVMBuildCall2(unit->builder, type, function, arguments, count, "");
}

LLVMBasicBlockRef ir_split_before(struct jit_unit *unit, LLVMValueRef instruction)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
    LLVMBasicBlockRef head = LLVMInsertBasicBlockInContext(unit->context, block, "");
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
    LLVMPositionBuilderAtEnd(builder, head);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i && i != instruction; i = next) {
        next = LLVMGetNextInstruction(i);
        char name[128]; /* LLVMInsertIntoBuilder would take it away */
        snprintf(name, sizeof(name), "%s", LLVMGetValueName(i));
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilderWithName(builder, i, name);
    }
    LLVMDisposeBuilder(builder);
    /* Not LLVMReplaceAllUsesWith: for blocks it also renames the predecessor in the phis of the successors. */
    LLVMValueRef old = LLVMBasicBlockAsValue(block), made = LLVMBasicBlockAsValue(head);
    for (LLVMUseRef use = LLVMGetFirstUse(old); use; use = LLVMGetFirstUse(old)) {
        LLVMValueRef user = LLVMGetUser(use);
        for (int i = 0; i < LLVMGetNumOperands(user); i++)
            if (LLVMGetOperand(user, (unsigned)i) == old)
                LLVMSetOperand(user, (unsigned)i, made);
    }
    return head;
}

LLVMTypeRef ir_named_type(struct jit_unit *unit, LLVMValueRef call)
{
    const char *name = LLVMGetValueName(LLVMGetCalledValue(call));
    const char *suffix = strncmp(name, "dx.op.", 6) == 0 ? strchr(name + 6, '.') : NULL;
    return suffix ? LLVMGetTypeByName2(unit->context, suffix + 1) : NULL;
}

bool ir_has_instruction_use(LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user) || (LLVMIsAConstant(user) && ir_has_instruction_use(user)))
            return true;
    }
    return false;
}

void ir_return_zero(struct jit_unit *unit, LLVMValueRef function)
{
    LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(function));
    if (LLVMGetTypeKind(type) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(unit->builder);
    else
        LLVMBuildRet(unit->builder, LLVMConstNull(type));
}

LLVMValueRef ir_constant_bytes(struct jit_unit *unit, const void *bytes, size_t byte_count, const char *name)
{
    LLVMValueRef data = LLVMConstStringInContext2(unit->context, bytes, byte_count, true);
    LLVMValueRef global = LLVMAddGlobal(unit->module, LLVMTypeOf(data), name);
    LLVMSetInitializer(global, data);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(global, true);
    LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
    LLVMSetAlignment(global, 16);
    return global;
}
