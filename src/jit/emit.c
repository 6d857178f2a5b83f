/* SPDX-License-Identifier: MIT
 * Optimisation and machine code: LLVM's default pipeline for the host CPU, then the abort polls on the loops that are
 * left, then an object file in memory. Also the dumps that CDXR_DUMP asks for. */
#include <llvm-c/Analysis.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "jit/compile.h"

/* --- dumps -------------------------------------------------------------------------------------------------- */

static bool dump_path(const struct jit_unit *unit, const char *ending, char *path, size_t path_bytes)
{
    const char *directory = unit->jit->options.dump_directory;
    if (!directory || !*directory)
        return false;
    mkdir(directory, 0777);
    char symbol[sizeof(unit->symbol)];
    strcpy(symbol, unit->symbol);
    for (char *c = symbol; *c; c++)
        if (*c == '/')
            *c = '_';
    return (size_t)snprintf(path, path_bytes, "%s/%s.%s", directory, symbol, ending) < path_bytes;
}

void jit_dump_module(const struct jit_unit *unit, const char *stage)
{
    char path[4096], *message = NULL, ending[32];
    snprintf(ending, sizeof(ending), "%s.ll", stage);
    if (!dump_path(unit, ending, path, sizeof(path)))
        return;
    if (LLVMPrintModuleToFile(unit->module, path, &message)) {
        log_warn("cannot write the shader dump %s: %s", path, message ? message : "unknown reason");
        LLVMDisposeMessage(message);
    }
}

static void dump_assembly(const struct jit_unit *unit, LLVMTargetMachineRef machine)
{
    char path[4096], *message = NULL;
    if (!dump_path(unit, "s", path, sizeof(path)))
        return;
    LLVMModuleRef copy = LLVMCloneModule(unit->module);
    if (LLVMTargetMachineEmitToFile(machine, copy, path, LLVMAssemblyFile, &message)) {
        log_warn("cannot write the shader dump %s: %s", path, message ? message : "unknown reason");
        LLVMDisposeMessage(message);
    }
    LLVMDisposeModule(copy);
}

/* --- abort polls -------------------------------------------------------------------------------------------- */

static LLVMValueRef poll_flag_address(struct jit_unit *unit, LLVMValueRef function)
{
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
    while (LLVMIsAAllocaInst(first))
        first = LLVMGetNextInstruction(first);
    LLVMPositionBuilderBefore(unit->builder, first);
    LLVMValueRef thread = LLVMGetParam(function, 0);
    LLVMValueRef dispatch = LLVMBuildLoad2(unit->builder, ir_pointer(unit),
                                           ir_offset(unit, thread, offsetof(struct abi_thread, dispatch)), "");
    return LLVMBuildLoad2(unit->builder, ir_pointer(unit),
                          ir_offset(unit, dispatch, offsetof(struct abi_dispatch, abort_flag)), "");
}

static void poll_at(struct jit_unit *unit, LLVMValueRef terminator, LLVMValueRef address, LLVMBasicBlockRef leave)
{
    LLVMBasicBlockRef tail = LLVMGetInstructionParent(terminator), head = ir_split_before(unit, terminator);
    LLVMPositionBuilderAtEnd(unit->builder, head);
    LLVMValueRef flag = LLVMBuildLoad2(unit->builder, ir_i32(unit), address, "");
    LLVMSetVolatile(flag, true);
    LLVMValueRef goes_on = LLVMBuildICmp(unit->builder, LLVMIntEQ, flag, ir_u32(unit, 0), "");
    LLVMBuildCondBr(unit->builder, goes_on, tail, leave);
}

/* Blocks with an edge to a block that is not behind them in order: at least one stands in every cycle. */
static enum status poll_function(struct jit_unit *unit, LLVMValueRef function)
{
    struct flow flow;
    if (flow_create(function, &flow) != STATUS_OK)
        return jit_unit_fail(unit, STATUS_OUT_OF_MEMORY, "no memory for its control flow");
    LLVMValueRef address = NULL;
    LLVMBasicBlockRef leave = NULL;
    for (uint32_t i = 0; i < flow.count; i++) {
        bool goes_back = false;
        for (uint32_t s = 0; s < flow.blocks[i].successor_count; s++)
            goes_back |= flow.blocks[i].successors[s] <= i;
        if (!goes_back)
            continue;
        if (!leave) {
            address = poll_flag_address(unit, function);
            leave = LLVMAppendBasicBlockInContext(unit->context, function, "aborted");
            LLVMPositionBuilderAtEnd(unit->builder, leave);
            ir_return_zero(unit, function);
        }
        poll_at(unit, LLVMGetBasicBlockTerminator(flow.blocks[i].block), address, leave);
    }
    flow_finish(&flow);
    return STATUS_OK;
}

/* Only functions that came from DXIL can loop for ever. */
static bool poll_is_shader(LLVMValueRef function)
{
    return LLVMGetStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, JIT_SHADER_ATTRIBUTE,
                                         (unsigned)strlen(JIT_SHADER_ATTRIBUTE)) != NULL;
}

/* What cannot happen by the rules of LLVM can happen by mistakes of a shader (a branch on an undefined value): leave the
 * function instead of running into whatever lies behind it. */
static void poll_close_ends(struct jit_unit *unit, LLVMValueRef function)
{
    IR_FOR_EACH_BLOCK(block, function) {
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);
        if (!LLVMIsAUnreachableInst(terminator))
            continue;
        LLVMPositionBuilderBefore(unit->builder, terminator);
        ir_return_zero(unit, function);
        LLVMInstructionEraseFromParent(terminator);
    }
}

enum status jit_add_abort_polls(struct jit_unit *unit)
{
    IR_FOR_EACH_FUNCTION(function, unit->module) {
        if (LLVMIsDeclaration(function))
            continue;
        poll_close_ends(unit, function);
        if (poll_is_shader(function))
            RETURN_IF_FAILED(poll_function(unit, function));
    }
    return STATUS_OK;
}

/* --- machine code ------------------------------------------------------------------------------------------- */

static enum status emit_verify(struct jit_unit *unit, const char *stage)
{
    char *message = NULL;
    enum status status = STATUS_OK;
    if (LLVMVerifyModule(unit->module, LLVMReturnStatusAction, &message)) {
        jit_dump_module(unit, "broken");
        status = jit_unit_fail(unit, STATUS_INTERNAL, "makes broken code after %s: %s", stage, message);
    }
    LLVMDisposeMessage(message);
    return status;
}

static void emit_internalize(struct jit_unit *unit)
{
    IR_FOR_EACH_FUNCTION(function, unit->module) {
        if (LLVMIsDeclaration(function))
            continue;
        if (function != unit->entry)
            LLVMSetLinkage(function, LLVMInternalLinkage);
        LLVMAddTargetDependentFunctionAttr(function, "frame-pointer", "all");
        LLVMAddTargetDependentFunctionAttr(function, "warn-stack-size", "0");
    }
    for (LLVMValueRef global = LLVMGetFirstGlobal(unit->module); global; global = LLVMGetNextGlobal(global))
        if (!LLVMIsDeclaration(global))
            LLVMSetLinkage(global, LLVMInternalLinkage);
}

enum status jit_optimize(struct jit_unit *unit, LLVMTargetMachineRef machine)
{
    emit_internalize(unit);
    RETURN_IF_FAILED(emit_verify(unit, "lowering"));
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    const char *passes = unit->jit->options.debug ? "always-inline,globaldce" : "default<O2>";
    LLVMErrorRef error = LLVMRunPasses(unit->module, passes, machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) {
        char *message = LLVMGetErrorMessage(error);
        enum status status = jit_unit_fail(unit, STATUS_INTERNAL, "cannot be optimised: %s", message);
        LLVMDisposeErrorMessage(message);
        return status;
    }
    RETURN_IF_FAILED(jit_add_abort_polls(unit));
    return emit_verify(unit, "optimisation");
}

enum status jit_emit_object(struct jit_unit *unit, LLVMTargetMachineRef machine)
{
    char *message = NULL;
    jit_dump_module(unit, "optimized");
    dump_assembly(unit, machine);
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, unit->module, LLVMObjectFile, &message, &unit->object)) {
        enum status status = jit_unit_fail(unit, STATUS_INTERNAL, "gives no machine code: %s", message);
        LLVMDisposeMessage(message);
        return status;
    }
    return STATUS_OK;
}
