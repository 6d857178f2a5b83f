/* SPDX-License-Identifier: MIT
 * Operations whose bodies are C functions of ops/: the row of OPS_OP_LIST for the opcode and overload says which function
 * and in what form the operands become arguments. Vectors of shader model 6.9 are taken apart, one call an element. */
#include <stdlib.h>
#include <string.h>

#include "jit/compile.h"
#include "ops/op_list.h"
#include "ops/types.h"

struct ops_row {
    uint16_t opcode;
    uint8_t type; /* enum ops_type */
    uint8_t form; /* enum ops_form */
    const char *function;
};

static const struct ops_row ops_rows[] = {
#define OPS_ROW(opcode, type, function, form) {opcode, OPS_TYPE_##type, OPS_FORM_##form, #function},
    OPS_OP_LIST(OPS_ROW)
#undef OPS_ROW
};

static bool ops_type_of_name(const char *name, size_t length, enum ops_type *type)
{
    static const struct { const char *name; enum ops_type type; } names[] = {
        {"i1", OPS_TYPE_I1},   {"i8", OPS_TYPE_I8},   {"i16", OPS_TYPE_I16}, {"i32", OPS_TYPE_I32},
        {"i64", OPS_TYPE_I64}, {"f16", OPS_TYPE_F16}, {"f32", OPS_TYPE_F32}, {"f64", OPS_TYPE_F64},
    };
    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        if (strlen(names[i].name) == length && !strncmp(names[i].name, name, length)) {
            *type = names[i].type;
            return true;
        }
    return false;
}

/* "f32" -> F32, 0 elements; "v4f32" -> F32, 4 elements; anything else counts as no overload. */
static enum ops_type ops_overload(const char *suffix, uint32_t *element_count)
{
    enum ops_type type;
    *element_count = 0;
    if (suffix[0] == 'v' && suffix[1] >= '0' && suffix[1] <= '9') {
        char *end;
        unsigned long count = strtoul(suffix + 1, &end, 10);
        if (ops_type_of_name(end, strlen(end), &type)) {
            *element_count = (uint32_t)count;
            return type;
        }
    }
    return ops_type_of_name(suffix, strlen(suffix), &type) ? type : OPS_TYPE_VOID;
}

static const struct ops_row *ops_find(uint32_t opcode, enum ops_type type)
{
    for (size_t i = 0; i < ARRAY_COUNT(ops_rows); i++)
        if (ops_rows[i].opcode == opcode && ops_rows[i].type == type)
            return &ops_rows[i];
    return NULL;
}

static const struct ops_row *ops_row_for(struct jit_unit *unit, uint32_t opcode, enum ops_type type)
{
    const struct ops_row *row = NULL;
    if (!unit->main->native_16bit && type == OPS_TYPE_F16)
        row = ops_find(opcode, OPS_TYPE_MIN_F16);
    if (!unit->main->native_16bit && type == OPS_TYPE_I16)
        row = ops_find(opcode, OPS_TYPE_MIN_I16);
    if (!row)
        row = ops_find(opcode, type);
    return row ? row : ops_find(opcode, OPS_TYPE_VOID);
}

static LLVMValueRef ops_argument(struct jit_unit *unit, struct jit_call *call, LLVMValueRef value)
{
    bool is_handle = LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMStructTypeKind;
    return is_handle ? jit_descriptor_of_handle(unit, call, value) : value;
}

/* --- forms ------------------------------------------------------------------------------------------------- */

static bool ops_is_vector(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

static LLVMValueRef ops_flushed(struct jit_unit *unit, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMTypeRef element = ops_is_vector(type) ? LLVMGetElementType(type) : type;
    return LLVMGetTypeKind(element) == LLVMFloatTypeKind ? jit_flush_denormals(unit, value) : value;
}

/* fp32-denorm-mode ftz: float arithmetic flushes what it reads and gives; FAbs, the class tests (IsNaN to IsNormal) and
 * conversions of bits do not. */
static bool ops_flushes(const struct jit_unit *unit, const struct jit_call *call)
{
    enum { OP_FABS = 6, OP_IS_NAN = 8, OP_IS_NORMAL = 11, OP_FIRST_BITCAST = 124, OP_LAST_BITCAST = 129 };
    uint32_t opcode = call->op->number;
    return unit->info->denorm_mode == DXIL_DENORM_MODE_FLUSH && opcode != OP_FABS &&
           !(opcode >= OP_IS_NAN && opcode <= OP_IS_NORMAL) &&
           !(opcode >= OP_FIRST_BITCAST && opcode <= OP_LAST_BITCAST);
}

static LLVMValueRef ops_call_value(struct jit_unit *unit, struct jit_call *call, const struct ops_row *row)
{
    LLVMTypeRef type = LLVMTypeOf(call->call);
    unsigned lanes = ops_is_vector(type) ? LLVMGetVectorSize(type) : 0;
    if (!lanes)
        return ir_call(unit, row->function, type, call->arguments, call->argument_count);
    LLVMValueRef result = LLVMGetPoison(type);
    for (unsigned lane = 0; lane < lanes; lane++) {
        LLVMValueRef arguments[ARRAY_COUNT(call->arguments)], index = ir_u32(unit, lane);
        for (unsigned i = 0; i < call->argument_count; i++)
            arguments[i] = ops_is_vector(LLVMTypeOf(call->arguments[i]))
                               ? LLVMBuildExtractElement(unit->builder, call->arguments[i], index, "")
                               : call->arguments[i];
        LLVMValueRef one = ir_call(unit, row->function, LLVMGetElementType(type), arguments, call->argument_count);
        result = LLVMBuildInsertElement(unit->builder, result, one, index, "");
    }
    return result;
}

static LLVMValueRef ops_value(struct jit_unit *unit, struct jit_call *call, const struct ops_row *row)
{
    if (!ops_flushes(unit, call))
        return ops_call_value(unit, call, row);
    for (unsigned i = 0; i < call->argument_count; i++)
        call->arguments[i] = ops_flushed(unit, call->arguments[i]);
    return ops_flushed(unit, ops_call_value(unit, call, row));
}

/* Differences of the coordinates in a quad: ddx of c0..c2, ddy of c0..c2. */
static enum status ops_add_derivatives(struct jit_unit *unit, struct jit_call *call, LLVMValueRef *arguments,
                                       unsigned *count, unsigned first_coordinate, unsigned coordinate_count)
{
    bool has_quads = unit->info->kind == DXIL_SHADER_KIND_COMPUTE;
    for (uint32_t axis = 0; axis < 2; axis++) {
        for (unsigned i = 0; i < 3; i++) {
            LLVMValueRef value = LLVMConstReal(ir_float(unit), 0.0);
            if (has_quads && i < coordinate_count) {
                struct jit_call derivative = *call;
                derivative.op = dxil_op_find(axis ? 84 : 83);
                derivative.argument_count = 1;
                derivative.arguments[0] = call->arguments[first_coordinate + i];
                strcpy(derivative.overload, "f32");
                RETURN_IF_FAILED(jit_lower_wave_op(unit, &derivative, &value));
            }
            arguments[(*count)++] = value;
        }
    }
    return STATUS_OK;
}

static enum status ops_with_handles(struct jit_unit *unit, struct jit_call *call, const struct ops_row *row,
                                    LLVMValueRef *result)
{
    LLVMValueRef arguments[48];
    unsigned count = 0;
    bool has_thread = row->form != OPS_FORM_OUT;
    bool has_out = row->form == OPS_FORM_OUT || row->form == OPS_FORM_HANDLE_OUT || row->form == OPS_FORM_QUAD_OUT;
    if (has_thread)
        arguments[count++] = call->thread;
    for (unsigned i = 0; i < call->argument_count; i++)
        arguments[count++] = ops_argument(unit, call, call->arguments[i]);
    if (row->form == OPS_FORM_QUAD_OUT || row->form == OPS_FORM_QUAD)
        RETURN_IF_FAILED(ops_add_derivatives(unit, call, arguments, &count, 2, 3));
    LLVMTypeRef type = LLVMTypeOf(call->call);
    if (!has_out) {
        *result = ir_call(unit, row->function, type, arguments, count);
        if (LLVMGetTypeKind(type) == LLVMVoidTypeKind)
            *result = NULL;
        return STATUS_OK;
    }
    LLVMValueRef out = ir_alloca(unit, call->function, type, 16, "result");
    arguments[count++] = out;
    ir_call(unit, row->function, ir_void(unit), arguments, count);
    *result = LLVMBuildLoad2(unit->builder, type, out, "");
    return STATUS_OK;
}

/* Elements of a vector stand one behind the other in memory. */
static LLVMValueRef ops_vector_memory(struct jit_unit *unit, struct jit_call *call, LLVMTypeRef vector, LLVMValueRef value)
{
    LLVMTypeRef array = LLVMArrayType2(LLVMGetElementType(vector), LLVMGetVectorSize(vector));
    LLVMValueRef memory = ir_alloca(unit, call->function, array, 16, "elements");
    for (unsigned i = 0; value && i < LLVMGetVectorSize(vector); i++) {
        LLVMValueRef indices[] = {ir_u32(unit, 0), ir_u32(unit, i)};
        LLVMValueRef at = LLVMBuildGEP2(unit->builder, array, memory, indices, 2, "");
        LLVMBuildStore(unit->builder, LLVMBuildExtractElement(unit->builder, value, ir_u32(unit, i), ""), at);
    }
    return memory;
}

static LLVMValueRef ops_vector_load(struct jit_unit *unit, struct jit_call *call, const struct ops_row *row)
{
    LLVMTypeRef type = LLVMTypeOf(call->call), vector = LLVMStructGetTypeAtIndex(type, 0);
    unsigned lanes = LLVMGetVectorSize(vector);
    LLVMTypeRef array = LLVMArrayType2(LLVMGetElementType(vector), lanes);
    LLVMValueRef memory = ops_vector_memory(unit, call, vector, NULL);
    LLVMValueRef arguments[] = {call->thread,         ops_argument(unit, call, call->arguments[0]), call->arguments[1],
                                call->arguments[2],   call->arguments[3], ir_u32(unit, lanes), memory};
    LLVMValueRef status = ir_call(unit, row->function, ir_i32(unit), arguments, ARRAY_COUNT(arguments));
    LLVMValueRef value = LLVMGetPoison(vector);
    for (unsigned i = 0; i < lanes; i++) {
        LLVMValueRef indices[] = {ir_u32(unit, 0), ir_u32(unit, i)};
        LLVMValueRef at = LLVMBuildGEP2(unit->builder, array, memory, indices, 2, "");
        LLVMValueRef element = LLVMBuildLoad2(unit->builder, LLVMGetElementType(vector), at, "");
        value = LLVMBuildInsertElement(unit->builder, value, element, ir_u32(unit, i), "");
    }
    LLVMValueRef result = LLVMBuildInsertValue(unit->builder, LLVMGetPoison(type), value, 0, "");
    return LLVMBuildInsertValue(unit->builder, result, status, 1, "");
}

/* rawBufferVectorStore(handle, index, offset, value, alignment) */
static void ops_vector_store(struct jit_unit *unit, struct jit_call *call, const struct ops_row *row)
{
    LLVMTypeRef vector = LLVMTypeOf(call->arguments[3]);
    LLVMValueRef memory = ops_vector_memory(unit, call, vector, call->arguments[3]);
    LLVMValueRef arguments[] = {call->thread,       ops_argument(unit, call, call->arguments[0]),   call->arguments[1],
                                call->arguments[2], call->arguments[4], ir_u32(unit, LLVMGetVectorSize(vector)), memory};
    ir_call(unit, row->function, ir_void(unit), arguments, ARRAY_COUNT(arguments));
}

static LLVMValueRef ops_vector_fold(struct jit_unit *unit, struct jit_call *call, const struct ops_row *row)
{
    LLVMTypeRef vector = LLVMTypeOf(call->arguments[0]);
    LLVMValueRef arguments[] = {ops_vector_memory(unit, call, vector, call->arguments[0]),
                                ops_vector_memory(unit, call, vector, call->arguments[1]),
                                ir_u32(unit, LLVMGetVectorSize(vector))};
    return ir_call(unit, row->function, LLVMTypeOf(call->call), arguments, ARRAY_COUNT(arguments));
}

enum { OP_VECTOR_REDUCE_AND = 309, OP_VECTOR_REDUCE_OR = 310 }; /* over all elements of one vector */

static LLVMValueRef ops_vector_reduce(struct jit_unit *unit, struct jit_call *call, bool is_or)
{
    LLVMValueRef vector = call->arguments[0], result = NULL;
    for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(vector)); i++) {
        LLVMValueRef element = LLVMBuildExtractElement(unit->builder, vector, ir_u32(unit, i), "");
        result = !result ? element
                 : is_or ? LLVMBuildOr(unit->builder, result, element, "")
                         : LLVMBuildAnd(unit->builder, result, element, "");
    }
    return result;
}

bool jit_is_library_op(uint32_t opcode, const char *overload)
{
    uint32_t lanes;
    if (opcode == OP_VECTOR_REDUCE_AND || opcode == OP_VECTOR_REDUCE_OR)
        return true;
    if (overload)
        return ops_find(opcode, ops_overload(overload, &lanes)) || ops_find(opcode, OPS_TYPE_VOID);
    for (size_t i = 0; i < ARRAY_COUNT(ops_rows); i++)
        if (ops_rows[i].opcode == opcode)
            return true;
    return false;
}

enum status jit_lower_library_op(struct jit_unit *unit, struct jit_call *call, LLVMValueRef *result)
{
    uint32_t lanes, opcode = call->op->number;
    enum ops_type type = ops_overload(call->overload, &lanes);
    if (opcode == OP_VECTOR_REDUCE_AND || opcode == OP_VECTOR_REDUCE_OR) {
        *result = ops_vector_reduce(unit, call, opcode == OP_VECTOR_REDUCE_OR);
        return STATUS_OK;
    }
    const struct ops_row *row = ops_row_for(unit, opcode, type);
    if (!row)
        return jit_unit_fail(unit, STATUS_UNSUPPORTED, "uses the operation %s%s%s, which is not implemented",
                             call->op->name, *call->overload ? "." : "", call->overload);
    switch ((enum ops_form)row->form) {
    case OPS_FORM_VALUE:
        *result = ops_value(unit, call, row);
        return STATUS_OK;
    case OPS_FORM_VECTOR_LOAD:
        *result = ops_vector_load(unit, call, row);
        return STATUS_OK;
    case OPS_FORM_VECTOR_STORE:
        ops_vector_store(unit, call, row);
        return STATUS_OK;
    case OPS_FORM_VECTOR_FOLD:
        *result = ops_vector_fold(unit, call, row);
        return STATUS_OK;
    case OPS_FORM_WAVE:
        return jit_lower_wave_op(unit, call, result);
    default:
        return ops_with_handles(unit, call, row, result);
    }
}
