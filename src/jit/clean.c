/* SPDX-License-Identifier: MIT
 * DXIL promises LLVM more than HLSL means ("fast" on every float operation, nsw on wrapping integers, inbounds on
 * indices that may be out of bounds, attributes of parameters). All of it goes, and every dynamic index into an array or
 * vector is clamped, so that a shader cannot leave its own memory. Then calls are inlined. */
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

#include "jit/compile.h"

static void clean_attributes(LLVMValueRef function)
{
    unsigned params = LLVMCountParams(function);
    for (unsigned i = 0; i <= params + 1; i++) {
        LLVMAttributeIndex index = i == params + 1 ? (LLVMAttributeIndex)LLVMAttributeFunctionIndex : i;
        LLVMAttributeRef attributes[64];
        unsigned count = LLVMGetAttributeCountAtIndex(function, index);
        if (count > ARRAY_COUNT(attributes))
            continue;
        LLVMGetAttributesAtIndex(function, index, attributes);
        for (unsigned a = 0; a < count; a++) {
            unsigned length;
            if (LLVMIsEnumAttribute(attributes[a]) || LLVMIsTypeAttribute(attributes[a])) {
                LLVMRemoveEnumAttributeAtIndex(function, index, LLVMGetEnumAttributeKind(attributes[a]));
            } else if (LLVMIsStringAttribute(attributes[a])) {
                const char *kind = LLVMGetStringAttributeKind(attributes[a], &length);
                LLVMRemoveStringAttributeAtIndex(function, index, kind, length);
            }
        }
    }
}

static void clean_call(LLVMValueRef call)
{
    unsigned params = LLVMGetNumArgOperands(call);
    for (unsigned i = 0; i <= params + 1; i++) {
        LLVMAttributeIndex index = i == params + 1 ? (LLVMAttributeIndex)LLVMAttributeFunctionIndex : i;
        LLVMAttributeRef attributes[64];
        unsigned count = LLVMGetCallSiteAttributeCount(call, index);
        if (count > ARRAY_COUNT(attributes))
            continue;
        LLVMGetCallSiteAttributes(call, index, attributes);
        for (unsigned a = 0; a < count; a++)
            if (LLVMIsEnumAttribute(attributes[a]) || LLVMIsTypeAttribute(attributes[a]))
                LLVMRemoveCallSiteEnumAttribute(call, index, LLVMGetEnumAttributeKind(attributes[a]));
    }
    LLVMSetTailCall(call, false);
}

static void clean_metadata(LLVMValueRef instruction)
{
    size_t count = 0;
    LLVMValueMetadataEntry *entries = LLVMInstructionGetAllMetadataOtherThanDebugLoc(instruction, &count);
    enum { KIND_DEBUG_LOCATION = 0 }; /* is among the entries in spite of the function's name */
    for (size_t i = 0; i < count; i++) {
        unsigned kind = LLVMValueMetadataEntriesGetKind(entries, (unsigned)i);
        if (kind != KIND_DEBUG_LOCATION)
            LLVMSetMetadata(instruction, kind, NULL);
    }
    LLVMDisposeValueMetadataEntries(entries);
}

static LLVMValueRef clean_clamped(struct jit_unit *unit, LLVMValueRef index, uint64_t count)
{
    LLVMTypeRef type = LLVMTypeOf(index);
    index = LLVMBuildFreeze(unit->builder, index, ""); /* an undefined one must be the same in test and use */
    LLVMValueRef last = LLVMConstInt(type, count ? count - 1 : 0, false);
    LLVMValueRef inside = LLVMBuildICmp(unit->builder, LLVMIntULE, index, last, "");
    return LLVMBuildSelect(unit->builder, inside, index, last, "");
}

static uint64_t clean_element_count(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMArrayTypeKind ? LLVMGetArrayLength2(type) : LLVMGetVectorSize(type);
}

/* Arrays of resources are ranges of registers, not memory: lower_handles.c looks at their indices. */
static bool clean_is_resource(LLVMValueRef base)
{
    return LLVMIsAGlobalVariable(base) && LLVMIsDeclaration(base) && LLVMGetPointerAddressSpace(LLVMTypeOf(base)) == 0;
}

static enum status clean_gep(struct jit_unit *unit, LLVMValueRef gep)
{
    LLVMSetIsInBounds(gep, false);
    if (clean_is_resource(LLVMGetOperand(gep, 0)))
        return STATUS_OK;
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    int count = LLVMGetNumOperands(gep);
    LLVMValueRef first = LLVMGetOperand(gep, 1);
    if (!LLVMIsAConstantInt(first) || LLVMConstIntGetZExtValue(first) != 0)
        return jit_unit_fail(unit, STATUS_UNSUPPORTED, "does arithmetic on a pointer that is no array");
    LLVMPositionBuilderBefore(unit->builder, gep);
    for (int i = 2; i < count; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
        if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            type = LLVMStructGetTypeAtIndex(type, (unsigned)LLVMConstIntGetZExtValue(index));
            continue;
        }
        uint64_t elements = clean_element_count(type);
        if (!LLVMIsAConstantInt(index))
            LLVMSetOperand(gep, (unsigned)i, clean_clamped(unit, index, elements));
        else if (LLVMConstIntGetZExtValue(index) >= elements)
            LLVMSetOperand(gep, (unsigned)i, LLVMConstInt(LLVMTypeOf(index), elements ? elements - 1 : 0, false));
        type = LLVMGetElementType(type);
    }
    return STATUS_OK;
}

static void clean_vector_index(struct jit_unit *unit, LLVMValueRef instruction, unsigned operand)
{
    LLVMValueRef index = LLVMGetOperand(instruction, operand);
    LLVMPositionBuilderBefore(unit->builder, instruction);
    uint64_t count = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(instruction, 0)));
    if (!LLVMIsAConstantInt(index))
        LLVMSetOperand(instruction, operand, clean_clamped(unit, index, count));
}

static void clean_memory(LLVMValueRef instruction)
{
    /* Payloads and attributes come from other shaders' frames: promise nothing about them. */
    if (LLVMGetAlignment(instruction) > 4)
        LLVMSetAlignment(instruction, 4);
}

/* llvm-c can only add fast-math flags: build the instruction again. True when it is gone. */
static bool clean_fast_math(struct jit_unit *unit, LLVMValueRef instruction, LLVMOpcode opcode)
{
    bool is_binary = opcode == LLVMFAdd || opcode == LLVMFSub || opcode == LLVMFMul || opcode == LLVMFDiv ||
                     opcode == LLVMFRem;
    if ((!is_binary && opcode != LLVMFCmp && opcode != LLVMFNeg) || !LLVMGetFastMathFlags(instruction))
        return false;
    LLVMValueRef x = LLVMGetOperand(instruction, 0), made;
    LLVMPositionBuilderBefore(unit->builder, instruction);
    if (opcode == LLVMFNeg)
        made = LLVMBuildFNeg(unit->builder, x, "");
    else if (is_binary)
        made = LLVMBuildBinOp(unit->builder, opcode, x, LLVMGetOperand(instruction, 1), "");
    else
        made = LLVMBuildFCmp(unit->builder, LLVMGetFCmpPredicate(instruction), x, LLVMGetOperand(instruction, 1), "");
    LLVMReplaceAllUsesWith(instruction, made);
    LLVMInstructionEraseFromParent(instruction);
    return true;
}

enum { FRAME_LIMIT_BYTES = 1 << 20 }; /* of a function's variables; HLSL's indexable arrays take a few KiB */

/* Variables live in the frame: their size is bounded, and none is made again by a loop. */
static enum status clean_variable(struct jit_unit *unit, LLVMValueRef alloca)
{
    LLVMValueRef count = LLVMGetOperand(alloca, 0);
    LLVMTypeRef type = LLVMGetAllocatedType(alloca);
    uint64_t bytes = LLVMIsAConstantInt(count) && LLVMTypeIsSized(type)
                         ? LLVMConstIntGetZExtValue(count) * LLVMABISizeOfType(unit->layout, type)
                         : UINT64_MAX;
    if (bytes > FRAME_LIMIT_BYTES || unit->variable_bytes + bytes > FRAME_LIMIT_BYTES)
        return jit_unit_fail(unit, STATUS_UNSUPPORTED, "has more than %d bytes of variables", FRAME_LIMIT_BYTES);
    unit->variable_bytes += bytes;
    if (LLVMGetAlignment(alloca) < 16)
        LLVMSetAlignment(alloca, 16);
    LLVMBasicBlockRef block = LLVMGetInstructionParent(alloca);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(block));
    if (block != entry) {
        LLVMInstructionRemoveFromParent(alloca);
        LLVMPositionBuilderBefore(unit->builder, LLVMGetFirstInstruction(entry));
        LLVMInsertIntoBuilder(unit->builder, alloca);
    }
    return STATUS_OK;
}

static enum status clean_instruction(struct jit_unit *unit, LLVMValueRef instruction)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    if (clean_fast_math(unit, instruction, opcode))
        return STATUS_OK;
    switch (opcode) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMShl:
        LLVMSetNSW(instruction, false);
        LLVMSetNUW(instruction, false);
        break;
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMLShr:
    case LLVMAShr:
        LLVMSetExact(instruction, false);
        break;
    case LLVMCall:
        clean_call(instruction);
        break;
    case LLVMGetElementPtr:
        return clean_gep(unit, instruction);
    case LLVMExtractElement:
        clean_vector_index(unit, instruction, 1);
        break;
    case LLVMInsertElement:
        clean_vector_index(unit, instruction, 2);
        break;
    case LLVMLoad:
    case LLVMStore:
        clean_memory(instruction);
        break;
    case LLVMAlloca:
        return clean_variable(unit, instruction);
    default:
        break;
    }
    return STATUS_OK;
}

enum status jit_clean(struct jit_unit *unit)
{
    IR_FOR_EACH_FUNCTION(function, unit->module) {
        if (LLVMGetIntrinsicID(function))
            continue;
        clean_attributes(function);
        LLVMSetFunctionCallConv(function, LLVMCCallConv);
        IR_FOR_EACH_BLOCK(block, function) {
            IR_FOR_EACH_INSTRUCTION(instruction, block) {
                if (LLVMIsACallInst(instruction))
                    LLVMSetInstructionCallConv(instruction, LLVMCCallConv);
                clean_metadata(instruction);
                RETURN_IF_FAILED(clean_instruction(unit, instruction));
            }
        }
    }
    return STATUS_OK;
}

void jit_clean_attributes(struct jit_unit *unit)
{
    IR_FOR_EACH_FUNCTION(function, unit->module)
        if (!LLVMIsDeclaration(function))
            clean_attributes(function);
}

/* Size of everything a function becomes when all calls are inlined, and the call chain's end. */
enum { INLINE_LIMIT = 60000 };

struct inline_state {
    LLVMValueRef functions[JIT_MAX_FUNCTIONS];
    uint64_t sizes[JIT_MAX_FUNCTIONS]; /* 0: being visited */
    uint32_t count;
};

static uint32_t inline_index(struct inline_state *state, LLVMValueRef function)
{
    uint32_t i = 0;
    while (i < state->count && state->functions[i] != function)
        i++;
    return i;
}

static enum status inline_measure(struct jit_unit *unit, struct inline_state *state, LLVMValueRef function,
                                  uint32_t depth, uint64_t *inlined_size)
{
    uint32_t index = inline_index(state, function);
    if (index < state->count) {
        *inlined_size = state->sizes[index];
        if (!*inlined_size)
            return jit_unit_fail(unit, STATUS_INVALID, "calls the function %s recursively", LLVMGetValueName(function));
        return STATUS_OK;
    }
    if (state->count == JIT_MAX_FUNCTIONS || depth > 512)
        return jit_unit_fail(unit, STATUS_UNSUPPORTED, "has more than %d functions", JIT_MAX_FUNCTIONS);
    state->functions[state->count++] = function;
    uint64_t total = 1;
    IR_FOR_EACH_BLOCK(block, function) {
        IR_FOR_EACH_INSTRUCTION(instruction, block) {
            total++;
            if (!LLVMIsACallInst(instruction))
                continue;
            LLVMValueRef callee = LLVMGetCalledValue(instruction);
            uint64_t inner = 0;
            if (!LLVMIsAFunction(callee))
                return jit_unit_fail(unit, STATUS_INVALID, "calls through a pointer");
            if (LLVMIsDeclaration(callee))
                continue;
            RETURN_IF_FAILED(inline_measure(unit, state, callee, depth + 1, &inner));
            total += inner;
        }
    }
    state->sizes[index] = total;
    *inlined_size = total;
    return STATUS_OK;
}

/* Functions that are kept apart need these parts of the caller's frame or control flow: always inlined. */
static bool inline_must(LLVMValueRef function)
{
    IR_FOR_EACH_BLOCK(block, function) {
        IR_FOR_EACH_INSTRUCTION(instruction, block) {
            if (!LLVMIsACallInst(instruction))
                continue;
            const char *name = LLVMGetValueName(LLVMGetCalledValue(instruction));
            static const char *const prefixes[] = {"dx.op.rayQuery", "dx.op.allocateRayQuery", "dx.op.hitObject",
                                                   "dx.op.maybeReorder", "dx.op.ignoreHit", "dx.op.acceptHit",
                                                   "dx.op.reportHit", "dx.op.wave", "dx.op.quad", "dx.op.barrier",
                                                   "dx.op.sample", "dx.op.calculateLOD"};
            for (size_t i = 0; i < ARRAY_COUNT(prefixes); i++)
                if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
                    return true;
        }
    }
    return false;
}

static bool inline_takes_handle(LLVMValueRef function)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    if (LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMStructTypeKind)
        return true;
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(function, i))) == LLVMStructTypeKind)
            return true;
    return false;
}

enum status jit_inline_calls(struct jit_unit *unit)
{
    struct inline_state *state = calloc(1, sizeof(*state));
    if (!state)
        return jit_unit_fail(unit, STATUS_OUT_OF_MEMORY, "no memory");
    uint64_t total = 0;
    enum status status = inline_measure(unit, state, unit->entry, 0, &total);
    unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    LLVMAttributeRef attribute = LLVMCreateEnumAttribute(unit->context, always, 0);
    for (uint32_t i = 0; status == STATUS_OK && i < state->count; i++) {
        LLVMValueRef function = state->functions[i];
        if (function != unit->entry && (total <= INLINE_LIMIT || inline_must(function) || inline_takes_handle(function)))
            LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
    }
    free(state);
    if (status != STATUS_OK)
        return status;
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(unit->module, "always-inline,globaldce,function(sroa)", NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) {
        LLVMConsumeError(error);
        return jit_unit_fail(unit, STATUS_INTERNAL, "cannot be inlined");
    }
    return STATUS_OK;
}
