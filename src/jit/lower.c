/* SPDX-License-Identifier: MIT
 * The main step: DXIL functions become C functions of the shader ABI. Every function gets the thread as first
 * parameter (the export: thread, payload, attributes), every call of a dx.op function is replaced by the case of its
 * group (lower_handles.c, lower_rays.c, lower_waves.c, lower_ops.c), plain instructions get D3D's meaning
 * (lower_instructions.c), and what ends a shader becomes a return. */
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#include "jit/compile.h"

/* Blocks, debug information and attributes of a function move to one of another type. */
static LLVMValueRef lower_rebuild(struct jit_unit *unit, LLVMValueRef old, LLVMTypeRef type, unsigned shift)
{
    LLVMValueRef made = LLVMAddFunction(unit->module, "", type);
    LLVMSetLinkage(made, LLVMGetLinkage(old));
    LLVMAddTargetDependentFunctionAttr(made, JIT_SHADER_ATTRIBUTE, "1");
    LLVMBasicBlockRef first = LLVMAppendBasicBlockInContext(unit->context, made, ""), after = first;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(old), next; block; block = next) {
        next = LLVMGetNextBasicBlock(block);
        LLVMMoveBasicBlockAfter(block, after);
        after = block;
    }
    LLVMDeleteBasicBlock(first);
    for (unsigned i = 0; i < LLVMCountParams(old); i++) {
        if (shift + i < LLVMCountParams(made)) {
            size_t bytes;
            const char *name = LLVMGetValueName2(LLVMGetParam(old, i), &bytes);
            LLVMSetValueName2(LLVMGetParam(made, shift + i), name, bytes);
            LLVMReplaceAllUsesWith(LLVMGetParam(old, i), LLVMGetParam(made, shift + i));
        }
    }
    LLVMMetadataRef subprogram = LLVMGetSubprogram(old);
    if (subprogram) {
        LLVMSetSubprogram(made, subprogram);
        LLVMSetSubprogram(old, NULL);
    }
    return made;
}

static enum status lower_entry(struct jit_unit *unit)
{
    LLVMTypeRef pointer = ir_pointer(unit), parameters[3] = {pointer, pointer, pointer};
    LLVMTypeRef old_type = LLVMGlobalGetValueType(unit->entry);
    unsigned count = LLVMCountParams(unit->entry);
    bool fits = LLVMGetTypeKind(LLVMGetReturnType(old_type)) == LLVMVoidTypeKind && count <= 2;
    for (unsigned i = 0; fits && i < count; i++)
        fits = LLVMTypeOf(LLVMGetParam(unit->entry, i)) == pointer;
    if (!fits)
        return jit_unit_fail(unit, STATUS_INVALID, "has parameters that no shader of its kind has");
    LLVMTypeRef type = LLVMFunctionType(ir_void(unit), parameters, 3, false);
    LLVMValueRef old = unit->entry;
    unit->entry = lower_rebuild(unit, old, type, 1);
    LLVMDeleteFunction(old);
    LLVMSetValueName2(unit->entry, unit->symbol, strlen(unit->symbol));
    LLVMSetLinkage(unit->entry, LLVMExternalLinkage);
    LLVMSetVisibility(unit->entry, LLVMDefaultVisibility);
    return STATUS_OK;
}

static void lower_calls_of(struct jit_unit *unit, LLVMValueRef old, LLVMValueRef made, LLVMTypeRef type)
{
    LLVMUseRef use;
    while ((use = LLVMGetFirstUse(old))) {
        LLVMValueRef call = LLVMGetUser(use), arguments[64];
        unsigned count = LLVMGetNumArgOperands(call);
        LLVMPositionBuilderBefore(unit->builder, call);
        LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
        /* Callers that still wait for their thread parameter get it from the placeholder. */
        arguments[0] = LLVMGetParam(caller, 0);
        for (unsigned i = 0; i < count; i++)
            arguments[i + 1] = LLVMGetOperand(call, i);
        LLVMValueRef again = LLVMBuildCall2(unit->builder, type, made, arguments, count + 1, "");
        LLVMReplaceAllUsesWith(call, again);
        LLVMInstructionEraseFromParent(call);
    }
}

/* Functions that were not inlined: thread in front. First all bodies move (so that every caller has a thread), then
 * calls are rewritten. */
static enum status lower_callees(struct jit_unit *unit)
{
    LLVMValueRef old[JIT_MAX_FUNCTIONS], made[JIT_MAX_FUNCTIONS];
    unsigned count = 0;
    IR_FOR_EACH_FUNCTION(function, unit->module) {
        if (LLVMIsDeclaration(function) || function == unit->entry)
            continue;
        if (count == JIT_MAX_FUNCTIONS || LLVMCountParams(function) > 60)
            return jit_unit_fail(unit, STATUS_UNSUPPORTED, "has too many functions or parameters");
        old[count++] = function;
    }
    for (unsigned i = 0; i < count; i++) {
        LLVMTypeRef parameters[64], type = LLVMGlobalGetValueType(old[i]);
        LLVMGetParamTypes(type, parameters + 1);
        parameters[0] = ir_pointer(unit);
        type = LLVMFunctionType(LLVMGetReturnType(type), parameters, LLVMCountParams(old[i]) + 1, false);
        made[i] = lower_rebuild(unit, old[i], type, 1);
    }
    for (unsigned i = 0; i < count; i++) {
        size_t bytes;
        const char *name = LLVMGetValueName2(old[i], &bytes);
        char *copy = strndup(name, bytes);
        lower_calls_of(unit, old[i], made[i], LLVMGlobalGetValueType(made[i]));
        LLVMDeleteFunction(old[i]);
        if (copy)
            LLVMSetValueName2(made[i], copy, strlen(copy));
        free(copy);
    }
    return STATUS_OK;
}

enum status jit_lower_signatures(struct jit_unit *unit)
{
    RETURN_IF_FAILED(lower_entry(unit));
    return lower_callees(unit);
}

static enum status lower_describe(struct jit_unit *unit, LLVMValueRef function, LLVMValueRef instruction,
                                  const char *name, struct jit_call *call)
{
    *call = (struct jit_call){.call = instruction, .function = function, .thread = LLVMGetParam(function, 0)};
    unsigned count = LLVMGetNumArgOperands(instruction);
    LLVMValueRef opcode = count ? LLVMGetOperand(instruction, 0) : NULL;
    if (!opcode || !LLVMIsAConstantInt(opcode) || count - 1 > ARRAY_COUNT(call->arguments))
        return jit_unit_fail(unit, STATUS_CORRUPT, "calls %s without a constant opcode", name);
    call->op = dxil_op_find((uint32_t)LLVMConstIntGetZExtValue(opcode));
    if (!call->op || call->op->support != DXIL_SUPPORT_WORKS)
        return jit_unit_fail(unit, STATUS_UNSUPPORTED, "uses the operation %s: %s", call->op ? call->op->name : name,
                             call->op ? dxil_support_text(call->op->support) : "it is not known");
    if (!(call->op->stages_mask >> unit->info->kind & 1))
        return jit_unit_fail(unit, STATUS_INVALID, "uses the operation %s, which a %s shader does not have",
                             call->op->name, dxil_shader_kind_name(unit->info->kind));
    call->argument_count = count - 1;
    for (unsigned i = 1; i < count; i++) {
        LLVMValueRef argument = LLVMGetOperand(instruction, i);
        /* Undefined operands mean "not used". */
        call->arguments[i - 1] = LLVMIsUndef(argument) ? LLVMConstNull(LLVMTypeOf(argument)) : argument;
    }
    const char *suffix = strchr(name + 6, '.');
    if (suffix && strlen(suffix + 1) < sizeof(call->overload))
        strcpy(call->overload, suffix + 1);
    return STATUS_OK;
}

static enum status lower_call(struct jit_unit *unit, struct jit_call *call, LLVMValueRef *result)
{
    uint32_t opcode = call->op->number;
    if (jit_is_handle_op(opcode))
        return jit_lower_handle(unit, call, result);
    if (jit_is_ray_op(opcode))
        return jit_lower_ray_op(unit, call, result);
    return jit_lower_library_op(unit, call, result);
}

struct lower_list {
    LLVMValueRef *calls;
    size_t count;
};

static bool lower_collect(LLVMValueRef function, struct lower_list *list)
{
    size_t capacity = 0;
    *list = (struct lower_list){0};
    IR_FOR_EACH_BLOCK(block, function) {
        IR_FOR_EACH_INSTRUCTION(instruction, block) {
            if (!LLVMIsACallInst(instruction) || strncmp(LLVMGetValueName(LLVMGetCalledValue(instruction)), "dx.op.", 6))
                continue;
            if (list->count == capacity) {
                capacity = capacity ? capacity * 2 : 256;
                LLVMValueRef *grown = realloc(list->calls, capacity * sizeof(*grown));
                if (!grown)
                    return false;
                list->calls = grown;
            }
            list->calls[list->count++] = instruction;
        }
    }
    return true;
}

/* Messages about a fault name the line. Costs a store in front of an operation, with debug information only. */
static void lower_note_line(struct jit_unit *unit, const struct jit_call *call)
{
    unsigned line = LLVMGetDebugLocLine(call->call);
    if (line)
        LLVMBuildStore(unit->builder, ir_u32(unit, line),
                       ir_offset(unit, call->thread, offsetof(struct abi_thread, source_line)));
}

/* Handles before everything else, so that all other operations see pointers. */
static enum status lower_function(struct jit_unit *unit, LLVMValueRef function, bool handles)
{
    struct lower_list list;
    if (!lower_collect(function, &list))
        return jit_unit_fail(unit, STATUS_OUT_OF_MEMORY, "no memory");
    enum status status = STATUS_OK;
    for (size_t i = 0; i < list.count && status == STATUS_OK; i++) {
        struct jit_call call;
        LLVMValueRef result = NULL;
        status = lower_describe(unit, function, list.calls[i], LLVMGetValueName(LLVMGetCalledValue(list.calls[i])), &call);
        if (status != STATUS_OK || jit_is_handle_op(call.op->number) != handles)
            continue;
        LLVMPositionBuilderBefore(unit->builder, call.call);
        lower_note_line(unit, &call);
        status = lower_call(unit, &call, &result);
        if (status != STATUS_OK)
            continue;
        if (result)
            LLVMReplaceAllUsesWith(call.call, result);
        LLVMInstructionEraseFromParent(call.call);
    }
    free(list.calls);
    return status;
}

/* Operands that are undefined handles become null descriptors, so that no operation follows a wild pointer. */
static void lower_undefined_handles(struct jit_unit *unit, LLVMValueRef function, LLVMTypeRef handle)
{
    LLVMValueRef null_descriptor = LLVMGetNamedGlobal(unit->module, "jit_null_descriptor");
    if (!null_descriptor) {
        null_descriptor = LLVMAddGlobal(unit->module, LLVMArrayType2(ir_i8(unit), 64), "jit_null_descriptor");
        LLVMSetGlobalConstant(null_descriptor, true);
    }
    LLVMValueRef replacement = LLVMConstNamedStruct(handle, &null_descriptor, 1);
    IR_FOR_EACH_BLOCK(block, function) {
        IR_FOR_EACH_INSTRUCTION(instruction, block) {
            int count = LLVMGetNumOperands(instruction);
            for (int i = 0; i < count; i++) {
                LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);
                if (LLVMTypeOf(operand) == handle && (LLVMIsUndef(operand) || LLVMIsNull(operand)) &&
                    !LLVMIsAInsertValueInst(instruction))
                    LLVMSetOperand(instruction, (unsigned)i, replacement);
            }
        }
    }
}

/* Loads of resource variables have no meaning once their handles are resolved. */
static void lower_drop_unused(LLVMValueRef value)
{
    for (LLVMUseRef use = LLVMGetFirstUse(value), next; use; use = next) {
        next = LLVMGetNextUse(use);
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAConstantExpr(user) || LLVMIsAGetElementPtrInst(user))
            lower_drop_unused(user);
        bool droppable = LLVMIsALoadInst(user) || LLVMIsAGetElementPtrInst(user);
        if (droppable && !LLVMGetFirstUse(user))
            LLVMInstructionEraseFromParent(user);
    }
}

static void lower_drop_resource_loads(LLVMModuleRef module)
{
    for (LLVMValueRef global = LLVMGetFirstGlobal(module); global; global = LLVMGetNextGlobal(global))
        if (LLVMIsDeclaration(global))
            lower_drop_unused(global);
}

/* What cannot go on ends the shader. */
static void lower_unreachable(struct jit_unit *unit, LLVMValueRef function)
{
    IR_FOR_EACH_BLOCK(block, function) {
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);
        if (!terminator || !LLVMIsAUnreachableInst(terminator))
            continue;
        LLVMPositionBuilderBefore(unit->builder, terminator);
        ir_return_zero(unit, function);
        LLVMInstructionEraseFromParent(terminator);
    }
}

static enum status lower_check_globals(struct jit_unit *unit)
{
    for (LLVMValueRef global = LLVMGetFirstGlobal(unit->module); global; global = LLVMGetNextGlobal(global)) {
        const char *name = LLVMGetValueName(global);
        if (LLVMIsDeclaration(global) && ir_has_instruction_use(global) && strcmp(name, "jit_null_descriptor"))
            return jit_unit_fail(unit, STATUS_UNSUPPORTED, "uses the variable %s outside a handle", name);
    }
    return STATUS_OK;
}

enum status jit_lower(struct jit_unit *unit)
{
    LLVMTypeRef handle = LLVMGetTypeByName2(unit->context, "dx.types.Handle");
    RETURN_IF_FAILED(jit_lower_groupshared(unit));
    for (int pass = 0; pass < 2; pass++) {
        IR_FOR_EACH_FUNCTION(function, unit->module) {
            if (LLVMIsDeclaration(function))
                continue;
            RETURN_IF_FAILED(lower_function(unit, function, pass == 0));
            if (pass == 0 && handle)
                lower_undefined_handles(unit, function, handle);
            if (pass == 1) {
                RETURN_IF_FAILED(jit_lower_hit_objects(unit, function));
                lower_unreachable(unit, function);
                RETURN_IF_FAILED(jit_lower_instructions(unit, function));
            }
        }
    }
    lower_drop_resource_loads(unit->module);
    return lower_check_globals(unit);
}
