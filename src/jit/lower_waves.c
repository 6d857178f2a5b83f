/* SPDX-License-Identifier: MIT
 * Wave, quad and derivative operations, barriers: each becomes a call that names its place in the shader (site) and hands
 * over the lane's operands as bits; the group runner (group.c) lets lanes meet there. */
#include <string.h>

#include "jit/compile.h"
#include "ops/types.h"

enum {
    OP_BARRIER = 80,
    OP_FIRST_DERIVATIVE = 83,
    OP_LAST_DERIVATIVE = 86,
    OP_IS_FIRST_LANE = 110,
    OP_LANE_COUNT = 112,
    OP_ALL_EQUAL = 115,
    OP_BALLOT = 116,
    OP_READ_LANE_AT = 117,
    OP_ACTIVE_OP = 119,
    OP_ACTIVE_BIT = 120,
    OP_PREFIX_OP = 121,
    OP_QUAD_READ = 122,
    OP_QUAD_OP = 123,
    OP_MATCH = 165,
    OP_MULTI_PREFIX = 166,
    OP_MULTI_PREFIX_COUNT = 167,
    OP_QUAD_VOTE = 222,
    OP_BARRIER_BY_TYPE = 244,
    OP_BARRIER_BY_HANDLE = 245,
};

static uint32_t wave_constant(LLVMValueRef value)
{
    return LLVMIsAConstantInt(value) ? (uint32_t)LLVMConstIntGetZExtValue(value) : 0;
}

static uint32_t wave_type(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
        return OPS_TYPE_F16;
    case LLVMFloatTypeKind:
        return OPS_TYPE_F32;
    case LLVMDoubleTypeKind:
        return OPS_TYPE_F64;
    default:
        break;
    }
    switch (LLVMGetIntTypeWidth(type)) {
    case 1:
        return OPS_TYPE_I1;
    case 8:
        return OPS_TYPE_I8;
    case 16:
        return OPS_TYPE_I16;
    case 64:
        return OPS_TYPE_I64;
    default:
        return OPS_TYPE_I32;
    }
}

static unsigned wave_width(LLVMTypeRef type)
{
    static const unsigned widths[] = {[OPS_TYPE_I1] = 1,   [OPS_TYPE_I8] = 8,   [OPS_TYPE_I16] = 16, [OPS_TYPE_I32] = 32,
                                      [OPS_TYPE_I64] = 64, [OPS_TYPE_F16] = 16, [OPS_TYPE_F32] = 32, [OPS_TYPE_F64] = 64};
    return widths[wave_type(type)];
}

static LLVMValueRef wave_to_bits(struct jit_unit *unit, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value), integer = LLVMIntTypeInContext(unit->context, wave_width(type));
    if (type != integer)
        value = LLVMBuildBitCast(unit->builder, value, integer, "");
    return LLVMBuildZExt(unit->builder, value, ir_i64(unit), "");
}

static LLVMValueRef wave_from_bits(struct jit_unit *unit, LLVMValueRef bits, LLVMTypeRef type)
{
    LLVMTypeRef integer = LLVMIntTypeInContext(unit->context, wave_width(type));
    bits = LLVMBuildTrunc(unit->builder, bits, integer, "");
    return type == integer ? bits : LLVMBuildBitCast(unit->builder, bits, type, "");
}

/* Where the constant operands and the lane arguments stand among the operands behind the value. */
static void wave_operands(struct jit_call *call, struct abi_wave_call *wave, LLVMValueRef *lane_arguments,
                          unsigned *lane_argument_count)
{
    unsigned next = 1, lanes = 0;
    *lane_argument_count = 0;
    switch (call->op->number) {
    case OP_READ_LANE_AT:
    case OP_QUAD_READ:
        lanes = 1;
        break;
    case OP_MULTI_PREFIX:
    case OP_MULTI_PREFIX_COUNT:
        lanes = 4;
        break;
    default:
        break;
    }
    while (lanes-- && next < call->argument_count)
        lane_arguments[(*lane_argument_count)++] = call->arguments[next++];
    if (next < call->argument_count)
        wave->op = wave_constant(call->arguments[next++]);
    if (next < call->argument_count)
        wave->sign = wave_constant(call->arguments[next++]);
}

static LLVMValueRef wave_call_constant(struct jit_unit *unit, struct abi_wave_call *wave)
{
    wave->site = ++unit->wave_site_count;
    return ir_constant_bytes(unit, wave, sizeof(*wave), "wave_call");
}

static LLVMValueRef wave_lane_memory(struct jit_unit *unit, struct jit_call *call, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMArrayType2(ir_i64(unit), sizeof(struct abi_wave_lane) / 8);
    LLVMValueRef lane = ir_alloca(unit, call->function, type, 16, "lane");
    LLVMBuildStore(unit->builder, wave_to_bits(unit, value), lane);
    return lane;
}

/* One operation on one (element) value; four: the result is four words. */
static LLVMValueRef wave_step(struct jit_unit *unit, struct jit_call *call, LLVMValueRef value, LLVMTypeRef result_type,
                              bool four)
{
    struct abi_wave_call wave = {.opcode = call->op->number, .type = wave_type(LLVMTypeOf(value))};
    LLVMValueRef lane_arguments[4];
    unsigned lane_argument_count;
    wave_operands(call, &wave, lane_arguments, &lane_argument_count);
    LLVMValueRef lane = wave_lane_memory(unit, call, value);
    for (unsigned i = 0; i < lane_argument_count; i++)
        LLVMBuildStore(unit->builder, lane_arguments[i],
                       ir_offset(unit, lane, offsetof(struct abi_wave_lane, argument) + i * sizeof(uint32_t)));
    LLVMValueRef arguments[] = {call->thread, wave_call_constant(unit, &wave), lane};
    ir_call(unit, "jit_wave_operate", ir_void(unit), arguments, 3);
    if (four)
        return LLVMBuildLoad2(unit->builder, result_type,
                              ir_offset(unit, lane, offsetof(struct abi_wave_lane, result4)), "");
    LLVMValueRef bits = LLVMBuildLoad2(unit->builder, ir_i64(unit),
                                       ir_offset(unit, lane, offsetof(struct abi_wave_lane, result)), "");
    return wave_from_bits(unit, bits, result_type);
}

static bool wave_is_vector(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

static LLVMValueRef wave_operate(struct jit_unit *unit, struct jit_call *call)
{
    LLVMTypeRef type = LLVMTypeOf(call->call);
    bool four = call->op->number == OP_BALLOT || call->op->number == OP_MATCH;
    LLVMValueRef value = call->arguments[0];
    LLVMTypeRef value_type = LLVMTypeOf(value);
    if (call->op->number >= OP_FIRST_DERIVATIVE && call->op->number <= OP_LAST_DERIVATIVE && !wave_is_vector(value_type))
        return wave_step(unit, call, value, value_type, false); /* also those that a sample operation needs */
    if (!wave_is_vector(value_type))
        return wave_step(unit, call, value, type, four);
    LLVMValueRef result = LLVMGetPoison(type);
    for (unsigned i = 0; i < LLVMGetVectorSize(value_type); i++) {
        LLVMValueRef index = ir_u32(unit, i);
        LLVMValueRef element = LLVMBuildExtractElement(unit->builder, value, index, "");
        element = wave_step(unit, call, element, LLVMGetElementType(type), false);
        result = LLVMBuildInsertElement(unit->builder, result, element, index, "");
    }
    return result;
}

static LLVMValueRef wave_is_first_lane(struct jit_unit *unit, struct jit_call *call)
{
    struct abi_wave_call ballot = {.opcode = OP_BALLOT, .type = OPS_TYPE_VOID};
    LLVMValueRef lane = wave_lane_memory(unit, call, ir_bool(unit, true));
    LLVMValueRef arguments[] = {call->thread, wave_call_constant(unit, &ballot), lane};
    ir_call(unit, "jit_wave_operate", ir_void(unit), arguments, 3);
    arguments[1] = lane;
    return ir_call(unit, "jit_wave_is_first_lane", ir_i1(unit), arguments, 2);
}

/* Barrier(mode): bit 0 is the meeting of the group; the rest are fences. ByMemoryType and ByMemoryHandle: bit 0 of the
 * last operand. */
static void wave_barrier(struct jit_unit *unit, struct jit_call *call)
{
    uint32_t flags = wave_constant(call->arguments[call->op->number == OP_BARRIER ? 0 : 1]);
    bool meets = (flags & 1) != 0;
    unit->uses_barrier |= meets;
    LLVMValueRef arguments[] = {call->thread, ir_u32(unit, meets ? ++unit->wave_site_count : 0), ir_bool(unit, meets)};
    ir_call(unit, "jit_barrier", ir_void(unit), arguments, 3);
}

static bool wave_is_quad(uint32_t opcode)
{
    bool is_derivative = opcode >= OP_FIRST_DERIVATIVE && opcode <= OP_LAST_DERIVATIVE;
    return is_derivative || opcode == OP_QUAD_READ || opcode == OP_QUAD_OP || opcode == OP_QUAD_VOTE;
}

enum status jit_lower_wave_op(struct jit_unit *unit, struct jit_call *call, LLVMValueRef *result)
{
    switch (call->op->number) {
    case OP_BARRIER:
    case OP_BARRIER_BY_TYPE:
    case OP_BARRIER_BY_HANDLE:
        wave_barrier(unit, call);
        return STATUS_OK;
    case OP_LANE_COUNT:
        *result = ir_u32(unit, jit_unit_wave_size(unit));
        return STATUS_OK;
    case OP_IS_FIRST_LANE:
        unit->uses_wave = true;
        *result = wave_is_first_lane(unit, call);
        return STATUS_OK;
    default:
        unit->uses_wave = true;
        unit->uses_quads |= wave_is_quad(call->op->number);
        *result = wave_operate(unit, call);
        return STATUS_OK;
    }
}
