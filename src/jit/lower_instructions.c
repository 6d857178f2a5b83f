/* SPDX-License-Identifier: MIT
 * Plain LLVM instructions whose D3D meaning is narrower than LLVM's: shift counts wrap, division by zero gives all
 * ones, floats clamp when they become integers, denormals flush where the export asks for it. And groupshared
 * variables, which become offsets into the group's memory. */
#include <string.h>

#include "jit/compile.h"

/* --- integers ----------------------------------------------------------------------------------------------- */

static LLVMTypeRef instruction_scalar(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

/* The constant in every element. */
static LLVMValueRef instruction_splat(LLVMTypeRef type, uint64_t value)
{
    LLVMValueRef elements[256], one = LLVMConstInt(instruction_scalar(type), value, false);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return one;
    unsigned count = LLVMGetVectorSize(type);
    for (unsigned i = 0; i < count && i < 256; i++)
        elements[i] = one;
    return LLVMConstVector(elements, count < 256 ? count : 256);
}

static void instruction_shift(struct jit_unit *unit, LLVMValueRef shift)
{
    LLVMTypeRef type = LLVMTypeOf(shift);
    unsigned width = LLVMGetIntTypeWidth(instruction_scalar(type));
    LLVMValueRef count = LLVMGetOperand(shift, 1);
    LLVMSetOperand(shift, 1, LLVMBuildAnd(unit->builder, count, instruction_splat(type, width - 1), ""));
}

static LLVMValueRef instruction_divide(struct jit_unit *unit, LLVMValueRef division)
{
    LLVMBuilderRef b = unit->builder;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(division);
    LLVMTypeRef type = LLVMTypeOf(division);
    unsigned width = LLVMGetIntTypeWidth(instruction_scalar(type));
    LLVMValueRef x = LLVMGetOperand(division, 0), y = LLVMGetOperand(division, 1);
    LLVMValueRef one = instruction_splat(type, 1), ones = instruction_splat(type, UINT64_MAX);
    if (LLVMIsAConstantInt(y) && LLVMConstIntGetZExtValue(y) != 0 && LLVMConstIntGetSExtValue(y) != -1)
        return division;
    LLVMValueRef is_zero = LLVMBuildICmp(b, LLVMIntEQ, y, instruction_splat(type, 0), "");
    LLVMValueRef unsafe = is_zero;
    bool is_signed = opcode == LLVMSDiv || opcode == LLVMSRem;
    if (is_signed) { /* the smallest number / -1 overflows: x / 1 and x % 1 are what two's complement gives */
        LLVMValueRef smallest = instruction_splat(type, 1ull << (width - 1));
        LLVMValueRef overflow = LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntEQ, x, smallest, ""),
                                             LLVMBuildICmp(b, LLVMIntEQ, y, ones, ""), "");
        unsafe = LLVMBuildOr(b, is_zero, overflow, "");
    }
    LLVMValueRef divisor = LLVMBuildSelect(b, unsafe, one, y, "");
    LLVMValueRef result = LLVMBuildBinOp(b, opcode, x, divisor, "");
    LLVMValueRef at_zero = opcode == LLVMSRem ? x : ones;
    return LLVMBuildSelect(b, is_zero, at_zero, result, "");
}

/* --- floats ------------------------------------------------------------------------------------------------- */

static LLVMValueRef instruction_to_integer(struct jit_unit *unit, LLVMValueRef conversion, bool is_signed)
{
    const char *name = is_signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef types[] = {LLVMTypeOf(conversion), LLVMTypeOf(LLVMGetOperand(conversion, 0))};
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(unit->module, id, types, 2);
    LLVMValueRef argument = LLVMGetOperand(conversion, 0);
    return LLVMBuildCall2(unit->builder, LLVMGlobalGetValueType(function), function, &argument, 1, "");
}

LLVMValueRef jit_flush_denormals(struct jit_unit *unit, LLVMValueRef value)
{
    LLVMBuilderRef b = unit->builder;
    LLVMTypeRef type = LLVMTypeOf(value), integer = ir_i32(unit);
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        integer = LLVMVectorType(integer, LLVMGetVectorSize(type));
    LLVMValueRef bits = LLVMBuildBitCast(b, value, integer, "");
    LLVMValueRef exponent = LLVMBuildAnd(b, bits, instruction_splat(integer, 0x7f800000), "");
    LLVMValueRef tiny = LLVMBuildICmp(b, LLVMIntEQ, exponent, instruction_splat(integer, 0), "");
    LLVMValueRef zero = LLVMBuildAnd(b, bits, instruction_splat(integer, 0x80000000), "");
    return LLVMBuildBitCast(b, LLVMBuildSelect(b, tiny, zero, bits, ""), type, "");
}

static bool instruction_is_float32(LLVMValueRef value)
{
    return LLVMGetTypeKind(instruction_scalar(LLVMTypeOf(value))) == LLVMFloatTypeKind;
}

/* fp32-denorm-mode ftz: inputs and results of float arithmetic. */
static void instruction_flush_denormals(struct jit_unit *unit, LLVMValueRef instruction)
{
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
        LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);
        if (instruction_is_float32(operand))
            LLVMSetOperand(instruction, (unsigned)i, jit_flush_denormals(unit, operand));
    }
    LLVMValueRef next = LLVMGetNextInstruction(instruction);
    if (!instruction_is_float32(instruction) || !next)
        return;
    LLVMPositionBuilderBefore(unit->builder, next);
    LLVMValueRef raw = LLVMBuildFreeze(unit->builder, instruction, "");
    LLVMValueRef flushed = jit_flush_denormals(unit, raw);
    LLVMReplaceAllUsesWith(instruction, flushed);
    LLVMSetOperand(raw, 0, instruction);
}

static bool instruction_is_arithmetic(LLVMOpcode opcode)
{
    return opcode == LLVMFAdd || opcode == LLVMFSub || opcode == LLVMFMul || opcode == LLVMFDiv || opcode == LLVMFRem;
}

static LLVMValueRef instruction_lowered(struct jit_unit *unit, LLVMValueRef instruction)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    switch (opcode) {
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
        instruction_shift(unit, instruction);
        return instruction;
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        return instruction_divide(unit, instruction);
    case LLVMFPToSI:
    case LLVMFPToUI:
        return instruction_to_integer(unit, instruction, opcode == LLVMFPToSI);
    default:
        return instruction;
    }
}

enum status jit_lower_instructions(struct jit_unit *unit, LLVMValueRef function)
{
    bool flush = unit->info->denorm_mode == DXIL_DENORM_MODE_FLUSH;
    IR_FOR_EACH_BLOCK(block, function) {
        IR_FOR_EACH_INSTRUCTION(instruction, block) {
            LLVMPositionBuilderBefore(unit->builder, instruction);
            LLVMValueRef lowered = instruction_lowered(unit, instruction);
            LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
            if (lowered != instruction) {
                LLVMReplaceAllUsesWith(instruction, lowered);
                LLVMInstructionEraseFromParent(instruction);
            } else if (flush && (instruction_is_arithmetic(opcode) || opcode == LLVMFCmp)) {
                instruction_flush_denormals(unit, instruction);
            }
        }
    }
    return STATUS_OK;
}

/* --- groupshared --------------------------------------------------------------------------------------------- */

static LLVMValueRef shared_address(struct jit_unit *unit, LLVMValueRef function, uint64_t offset, LLVMTypeRef pointer)
{
    /* At the start of the function, so that it stands before every use. */
    LLVMPositionBuilderBefore(unit->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    LLVMValueRef thread = LLVMGetParam(function, 0);
    LLVMValueRef slot = ir_offset(unit, thread, offsetof(struct abi_thread, groupshared));
    LLVMValueRef base = LLVMBuildLoad2(unit->builder, ir_pointer(unit), slot, "groupshared");
    return LLVMBuildAddrSpaceCast(unit->builder, ir_offset(unit, base, offset), pointer, "");
}

/* Constant expressions cannot hold an instruction: make instructions of the chain between the variable and its user. */
static LLVMValueRef shared_expand(struct jit_unit *unit, LLVMValueRef expression, LLVMValueRef global, LLVMValueRef address)
{
    if (expression == global)
        return address;
    if (!LLVMIsAConstantExpr(expression))
        return NULL;
    LLVMValueRef base = shared_expand(unit, LLVMGetOperand(expression, 0), global, address);
    if (!base)
        return NULL;
    if (LLVMGetConstOpcode(expression) != LLVMGetElementPtr)
        return LLVMGetConstOpcode(expression) == LLVMBitCast ? base : NULL;
    LLVMValueRef indices[16];
    int count = LLVMGetNumOperands(expression) - 1;
    if (count > 16)
        return NULL;
    for (int i = 0; i < count; i++)
        indices[i] = LLVMGetOperand(expression, (unsigned)i + 1);
    return LLVMBuildGEP2(unit->builder, LLVMGetGEPSourceElementType(expression), base, indices, (unsigned)count, "");
}

static void shared_replace_in(struct jit_unit *unit, LLVMValueRef function, LLVMValueRef global, LLVMValueRef address)
{
    IR_FOR_EACH_BLOCK(block, function) {
        IR_FOR_EACH_INSTRUCTION(instruction, block) {
            for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
                LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);
                if (operand != global && !LLVMIsAConstantExpr(operand))
                    continue;
                LLVMValueRef before = LLVMIsAPHINode(instruction) ? LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(
                                                                        instruction, (unsigned)i))
                                                                  : instruction;
                LLVMPositionBuilderBefore(unit->builder, before);
                LLVMValueRef expanded = shared_expand(unit, operand, global, address);
                if (expanded)
                    LLVMSetOperand(instruction, (unsigned)i, expanded);
            }
        }
    }
}

static bool shared_reaches(LLVMValueRef value, LLVMValueRef function)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user) ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == function
                                     : LLVMIsAConstantExpr(user) && shared_reaches(user, function))
            return true;
    }
    return false;
}

enum status jit_lower_groupshared(struct jit_unit *unit)
{
    uint64_t offset = 0;
    for (LLVMValueRef global = LLVMGetFirstGlobal(unit->module); global; global = LLVMGetNextGlobal(global)) {
        LLVMTypeRef pointer = LLVMTypeOf(global);
        if (LLVMGetPointerAddressSpace(pointer) != 3)
            continue;
        offset = (offset + 15) & ~15ull;
        IR_FOR_EACH_FUNCTION(function, unit->module) {
            if (LLVMIsDeclaration(function) || !shared_reaches(global, function))
                continue;
            shared_replace_in(unit, function, global, shared_address(unit, function, offset, pointer));
        }
        offset += LLVMABISizeOfType(unit->layout, LLVMGlobalGetValueType(global));
    }
    if (offset > UINT32_MAX / 2)
        return jit_unit_fail(unit, STATUS_UNSUPPORTED, "uses too much groupshared memory");
    unit->groupshared_bytes = (uint32_t)offset;
    return STATUS_OK;
}
