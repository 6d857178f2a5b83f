/* SPDX-License-Identifier: MIT
 * Positions, rays, ray queries and hit objects: one row an operation, whose function is in device/. What ends the shader
 * (IgnoreHit, AcceptHitAndEndSearch, an accepted report) becomes a return. A ray query is a number in DXIL; its
 * memory is one block of the frame with a slot per AllocateRayQuery. A hit object is a value in DXIL; every operation
 * that makes one has memory of its own, and phis copy (jit_lower_hit_objects). */
#include <stddef.h>
#include <string.h>

#include "abi/services.h"
#include "jit/compile.h"

enum ray_form {
    RAY_POSITION,      /* result = f(thread, operands) */
    RAY_QUERY,         /* result = f(thread, query, other operands) */
    RAY_QUERY_NINE,    /* f(thread, query, float out[9]) -> <9 x float> */
    RAY_OBJECT,        /* result = f(object, other operands) */
    RAY_SPECIAL,
};

enum {
    OP_BARRIER = 80,
    OP_THREAD_ID = 93,
    OP_CYCLE_COUNTER = 109,
    OP_RAY_T_CURRENT = 154,
    OP_IGNORE_HIT = 155,
    OP_ACCEPT_HIT = 156,
    OP_TRACE_RAY = 157,
    OP_REPORT_HIT = 158,
    OP_CALL_SHADER = 159,
    OP_ALLOCATE_QUERY = 178,
    OP_QUERY_TRACE = 179,
    OP_BARRIER_BY_TYPE = 244,
    OP_BARRIER_BY_HANDLE = 245,
    OP_ALLOCATE_QUERY_2 = 258,
    OP_OBJECT_TRACE = 262,
    OP_OBJECT_FROM_QUERY = 263,
    OP_OBJECT_FROM_QUERY_ATTRIBUTES = 264,
    OP_OBJECT_MAKE_MISS = 265,
    OP_OBJECT_MAKE_NOP = 266,
    OP_OBJECT_INVOKE = 267,
    OP_REORDER = 268,
    OP_OBJECT_SET_TABLE_INDEX = 287,
    OP_OBJECT_RECORD_CONSTANT = 288,
    OP_OBJECT_ATTRIBUTES = 289,
};
#define OP_NOP                0x80000000u
#define OP_GROUP_WAVE_INDEX   0x80000001u
#define OP_GROUP_WAVE_COUNT   0x80000002u
#define OP_TRIANGLE_POSITION  0x80000007u
#define OP_OBJECT_POSITION    0x8000000au
#define OP_DEBUG_BREAK        0x80000021u
#define OP_IS_DEBUGGING       0x80000022u
#define OP_IS_HELPER_LANE     221u

struct ray_row {
    uint32_t opcode;
    enum ray_form form;
    const char *function;
};

/* clang-format off */
static const struct ray_row ray_rows[] = {
    {OP_THREAD_ID, RAY_POSITION, "jit_thread_id"},
    {94, RAY_POSITION, "jit_group_id"},
    {95, RAY_POSITION, "jit_thread_id_in_group"},
    {96, RAY_POSITION, "jit_flattened_thread_id_in_group"},
    {OP_CYCLE_COUNTER, RAY_SPECIAL, NULL},
    {OP_BARRIER, RAY_SPECIAL, NULL},
    {OP_BARRIER_BY_TYPE, RAY_SPECIAL, NULL},
    {OP_BARRIER_BY_HANDLE, RAY_SPECIAL, NULL},
    {110, RAY_SPECIAL, NULL}, /* WaveIsFirstLane */
    {111, RAY_POSITION, "jit_wave_lane_index"},
    {112, RAY_SPECIAL, NULL}, /* WaveGetLaneCount */
    {141, RAY_POSITION, "jit_instance_id"},
    {142, RAY_POSITION, "jit_instance_index"},
    {143, RAY_POSITION, "jit_hit_kind"},
    {144, RAY_POSITION, "jit_ray_flags"},
    {145, RAY_POSITION, "jit_dispatch_rays_index"},
    {146, RAY_POSITION, "jit_dispatch_rays_dimensions"},
    {147, RAY_POSITION, "jit_world_ray_origin"},
    {148, RAY_POSITION, "jit_world_ray_direction"},
    {149, RAY_POSITION, "jit_object_ray_origin"},
    {150, RAY_POSITION, "jit_object_ray_direction"},
    {151, RAY_POSITION, "jit_object_to_world"},
    {152, RAY_POSITION, "jit_world_to_object"},
    {153, RAY_POSITION, "jit_ray_t_min"},
    {OP_RAY_T_CURRENT, RAY_SPECIAL, NULL},
    {OP_IGNORE_HIT, RAY_SPECIAL, NULL},
    {OP_ACCEPT_HIT, RAY_SPECIAL, NULL},
    {OP_TRACE_RAY, RAY_SPECIAL, NULL},
    {OP_REPORT_HIT, RAY_SPECIAL, NULL},
    {OP_CALL_SHADER, RAY_POSITION, "jit_call_shader"},
    {161, RAY_POSITION, "jit_primitive_index"},
    {213, RAY_POSITION, "jit_geometry_index"},
    {OP_ALLOCATE_QUERY, RAY_SPECIAL, NULL},
    {OP_ALLOCATE_QUERY_2, RAY_SPECIAL, NULL},
    {OP_QUERY_TRACE, RAY_SPECIAL, NULL},
    {180, RAY_QUERY, "jit_query_proceed"},
    {181, RAY_QUERY, "jit_query_abort"},
    {182, RAY_QUERY, "jit_query_commit_triangle"},
    {183, RAY_QUERY, "jit_query_commit_procedural"},
    {184, RAY_QUERY, "jit_query_committed_status"},
    {185, RAY_QUERY, "jit_query_candidate_type"},
    {186, RAY_QUERY, "jit_query_candidate_object_to_world"},
    {187, RAY_QUERY, "jit_query_candidate_world_to_object"},
    {188, RAY_QUERY, "jit_query_committed_object_to_world"},
    {189, RAY_QUERY, "jit_query_committed_world_to_object"},
    {190, RAY_QUERY, "jit_query_candidate_procedural_non_opaque"},
    {191, RAY_QUERY, "jit_query_candidate_front_face"},
    {192, RAY_QUERY, "jit_query_committed_front_face"},
    {193, RAY_QUERY, "jit_query_candidate_barycentrics"},
    {194, RAY_QUERY, "jit_query_committed_barycentrics"},
    {195, RAY_QUERY, "jit_query_ray_flags"},
    {196, RAY_QUERY, "jit_query_world_ray_origin"},
    {197, RAY_QUERY, "jit_query_world_ray_direction"},
    {198, RAY_QUERY, "jit_query_ray_t_min"},
    {199, RAY_QUERY, "jit_query_candidate_t"},
    {200, RAY_QUERY, "jit_query_committed_t"},
    {201, RAY_QUERY, "jit_query_candidate_instance_index"},
    {202, RAY_QUERY, "jit_query_candidate_instance_id"},
    {203, RAY_QUERY, "jit_query_candidate_geometry_index"},
    {204, RAY_QUERY, "jit_query_candidate_primitive_index"},
    {205, RAY_QUERY, "jit_query_candidate_object_ray_origin"},
    {206, RAY_QUERY, "jit_query_candidate_object_ray_direction"},
    {207, RAY_QUERY, "jit_query_committed_instance_index"},
    {208, RAY_QUERY, "jit_query_committed_instance_id"},
    {209, RAY_QUERY, "jit_query_committed_geometry_index"},
    {210, RAY_QUERY, "jit_query_committed_primitive_index"},
    {211, RAY_QUERY, "jit_query_committed_object_ray_origin"},
    {212, RAY_QUERY, "jit_query_committed_object_ray_direction"},
    {214, RAY_QUERY, "jit_query_candidate_contribution"},
    {215, RAY_QUERY, "jit_query_committed_contribution"},
    {OP_OBJECT_TRACE, RAY_SPECIAL, NULL},
    {OP_OBJECT_FROM_QUERY, RAY_SPECIAL, NULL},
    {OP_OBJECT_FROM_QUERY_ATTRIBUTES, RAY_SPECIAL, NULL},
    {OP_OBJECT_MAKE_MISS, RAY_SPECIAL, NULL},
    {OP_OBJECT_MAKE_NOP, RAY_SPECIAL, NULL},
    {OP_OBJECT_INVOKE, RAY_SPECIAL, NULL},
    {OP_REORDER, RAY_SPECIAL, NULL},
    {269, RAY_OBJECT, "jit_hit_object_is_miss"},
    {270, RAY_OBJECT, "jit_hit_object_is_hit"},
    {271, RAY_OBJECT, "jit_hit_object_is_nop"},
    {272, RAY_OBJECT, "jit_hit_object_ray_flags"},
    {273, RAY_OBJECT, "jit_hit_object_ray_t_min"},
    {274, RAY_OBJECT, "jit_hit_object_ray_t_current"},
    {275, RAY_OBJECT, "jit_hit_object_world_ray_origin"},
    {276, RAY_OBJECT, "jit_hit_object_world_ray_direction"},
    {277, RAY_OBJECT, "jit_hit_object_object_ray_origin"},
    {278, RAY_OBJECT, "jit_hit_object_object_ray_direction"},
    {279, RAY_OBJECT, "jit_hit_object_object_to_world"},
    {280, RAY_OBJECT, "jit_hit_object_world_to_object"},
    {281, RAY_OBJECT, "jit_hit_object_geometry_index"},
    {282, RAY_OBJECT, "jit_hit_object_instance_index"},
    {283, RAY_OBJECT, "jit_hit_object_instance_id"},
    {284, RAY_OBJECT, "jit_hit_object_primitive_index"},
    {285, RAY_OBJECT, "jit_hit_object_hit_kind"},
    {286, RAY_OBJECT, "jit_hit_object_table_index"},
    {OP_OBJECT_SET_TABLE_INDEX, RAY_SPECIAL, NULL},
    {OP_OBJECT_RECORD_CONSTANT, RAY_SPECIAL, NULL},
    {OP_OBJECT_ATTRIBUTES, RAY_SPECIAL, NULL},
    {OP_NOP, RAY_SPECIAL, NULL},
    {OP_GROUP_WAVE_INDEX, RAY_SPECIAL, NULL},
    {OP_GROUP_WAVE_COUNT, RAY_SPECIAL, NULL},
    {0x80000003u, RAY_POSITION, "jit_cluster_id"},
    {0x80000004u, RAY_QUERY, "jit_query_candidate_cluster_id"},
    {0x80000005u, RAY_QUERY, "jit_query_committed_cluster_id"},
    {0x80000006u, RAY_OBJECT, "jit_hit_object_cluster_id"},
    {OP_TRIANGLE_POSITION, RAY_SPECIAL, NULL},
    {0x80000008u, RAY_QUERY_NINE, "jit_query_candidate_positions"},
    {0x80000009u, RAY_QUERY_NINE, "jit_query_committed_positions"},
    {OP_OBJECT_POSITION, RAY_SPECIAL, NULL},
    {OP_DEBUG_BREAK, RAY_SPECIAL, NULL},
    {OP_IS_DEBUGGING, RAY_SPECIAL, NULL},
    {OP_IS_HELPER_LANE, RAY_SPECIAL, NULL},
};
/* clang-format on */

static const struct ray_row *ray_find(uint32_t opcode)
{
    for (size_t i = 0; i < ARRAY_COUNT(ray_rows); i++)
        if (ray_rows[i].opcode == opcode)
            return &ray_rows[i];
    return NULL;
}

bool jit_is_ray_op(uint32_t opcode)
{
    return ray_find(opcode) != NULL;
}

static LLVMValueRef ray_pointer(struct jit_unit *unit, LLVMValueRef handle_or_object)
{
    return LLVMBuildExtractValue(unit->builder, handle_or_object, 0, "");
}

/* A void call has no value to hand on. */
static LLVMValueRef ray_emit(struct jit_unit *unit, const char *function, LLVMTypeRef type, LLVMValueRef *arguments,
                             unsigned count)
{
    LLVMValueRef value = ir_call(unit, function, type, arguments, count);
    return LLVMGetTypeKind(type) == LLVMVoidTypeKind ? NULL : value;
}

static unsigned ray_copy_arguments(const struct jit_call *call, unsigned first, LLVMValueRef *arguments, unsigned count)
{
    for (unsigned i = first; i < call->argument_count; i++)
        arguments[count++] = call->arguments[i];
    return count;
}

/* --- payloads ----------------------------------------------------------------------------------------------- */

static uint64_t ray_type_bytes(struct jit_unit *unit, LLVMTypeRef type)
{
    return type && LLVMTypeIsSized(type) ? LLVMABISizeOfType(unit->layout, type) : 0;
}

enum { RAY_PAYLOAD_DEPTH = 8 };

/* The type that a getelementptr points at. */
static LLVMTypeRef ray_element_type(LLVMValueRef gep)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    for (unsigned i = 2; i < (unsigned)LLVMGetNumOperands(gep); i++)
        type = LLVMGetTypeKind(type) == LLVMStructTypeKind
                   ? LLVMStructGetTypeAtIndex(type, (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(gep, i)))
                   : LLVMGetElementType(type);
    return type;
}

/* Memory that is certainly there behind a payload pointer. Casts never widen (dxil/read_instruction.c), so a pointer's type
 * would tell; LLVM's pointers have none any more, and the struct that the operation is named after stands for it. */
static uint64_t ray_payload_bytes(struct jit_unit *unit, const struct jit_call *call, LLVMValueRef pointer, unsigned depth)
{
    if (LLVMIsAAllocaInst(pointer))
        return ray_type_bytes(unit, LLVMGetAllocatedType(pointer));
    if (LLVMIsAGlobalVariable(pointer))
        return ray_type_bytes(unit, LLVMGlobalGetValueType(pointer));
    if (pointer == LLVMGetParam(unit->entry, 1))
        return unit->info->payload_memory_bytes;
    if (LLVMIsAPHINode(pointer) && depth < RAY_PAYLOAD_DEPTH) {
        uint64_t least = UINT64_MAX;
        for (unsigned i = 0; i < LLVMCountIncoming(pointer); i++) {
            uint64_t bytes = ray_payload_bytes(unit, call, LLVMGetIncomingValue(pointer, i), depth + 1);
            least = bytes < least ? bytes : least;
        }
        return least;
    }
    if (LLVMIsAGetElementPtrInst(pointer))
        return ray_type_bytes(unit, ray_element_type(pointer));
    return ray_type_bytes(unit, ir_named_type(unit, call->call));
}

/* Tell the service how much memory the last argument, the payload, points at. */
static void ray_note_payload(struct jit_unit *unit, const struct jit_call *call)
{
    uint64_t bytes = ray_payload_bytes(unit, call, call->arguments[call->argument_count - 1], 0);
    bytes = bytes < 1 ? 1 : bytes; /* 0 stands for "not known" */
    LLVMBuildStore(unit->builder, ir_u32(unit, bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX),
                   ir_offset(unit, call->thread, offsetof(struct abi_thread, payload_memory_bytes)));
}

/* --- what ends the shader ----------------------------------------------------------------------------------- */

static void ray_store_flag(struct jit_unit *unit, LLVMValueRef thread, size_t offset)
{
    LLVMBuildStore(unit->builder, ir_u32(unit, 1), ir_offset(unit, thread, offset));
}

/* Cut behind the call: the part in front of it, with the call, ends in a return. */
static void ray_end(struct jit_unit *unit, struct jit_call *call, size_t flag_offset)
{
    ray_store_flag(unit, call->thread, flag_offset);
    LLVMBasicBlockRef head = ir_split_before(unit, LLVMGetNextInstruction(call->call));
    LLVMPositionBuilderAtEnd(unit->builder, head);
    ir_return_zero(unit, call->function);
    LLVMPositionBuilderBefore(unit->builder, call->call);
}

/* Size of the attribute struct that a pointer leads to: the frame variable's, or the type that the operation is
 * named after. */
static uint64_t ray_struct_bytes(struct jit_unit *unit, const struct jit_call *call, LLVMValueRef pointer)
{
    LLVMTypeRef type = LLVMIsAAllocaInst(pointer) ? LLVMGetAllocatedType(pointer) : ir_named_type(unit, call->call);
    return type && LLVMTypeIsSized(type) ? LLVMABISizeOfType(unit->layout, type) : ABI_ATTRIBUTE_STORAGE_BYTES;
}

/* As shader configs count: scalars of 4 bytes, or of 8. */
static uint32_t ray_scalar_bytes(LLVMTypeRef type)
{
    uint32_t bytes = 0;
    switch (LLVMGetTypeKind(type)) {
    case LLVMDoubleTypeKind:
        return 8;
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type) > 32 ? 8 : 4;
    case LLVMVectorTypeKind:
        return LLVMGetVectorSize(type) * ray_scalar_bytes(LLVMGetElementType(type));
    case LLVMArrayTypeKind:
        return (uint32_t)LLVMGetArrayLength2(type) * ray_scalar_bytes(LLVMGetElementType(type));
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            bytes += ray_scalar_bytes(LLVMStructGetTypeAtIndex(type, i));
        return bytes;
    default:
        return 4;
    }
}

static void ray_note_attributes(struct jit_unit *unit, const struct jit_call *call, LLVMValueRef pointer)
{
    LLVMTypeRef type = LLVMIsAAllocaInst(pointer) ? LLVMGetAllocatedType(pointer)
                                                  : LLVMGetTypeByName2(unit->context, call->overload);
    uint32_t bytes = type && LLVMTypeIsSized(type) ? ray_scalar_bytes(type) : 0;
    if (bytes > unit->reported_attribute_bytes)
        unit->reported_attribute_bytes = bytes;
}

static enum status ray_report(struct jit_unit *unit, struct jit_call *call, LLVMValueRef *result)
{
    uint64_t bytes = ray_struct_bytes(unit, call, call->arguments[2]);
    if (bytes > ABI_ATTRIBUTE_STORAGE_BYTES)
        return jit_unit_fail(unit, STATUS_INVALID, "reports attributes of %llu bytes, at most %d are kept",
                             (unsigned long long)bytes, ABI_ATTRIBUTE_STORAGE_BYTES);
    ray_note_attributes(unit, call, call->arguments[2]);
    LLVMValueRef arguments[] = {call->thread, call->arguments[0], call->arguments[1], call->arguments[2],
                                ir_u32(unit, (uint32_t)bytes)};
    *result = ir_call(unit, "jit_report_hit", ir_i1(unit), arguments, 5);
    LLVMValueRef flag = LLVMBuildLoad2(unit->builder, ir_i32(unit),
                                       ir_offset(unit, call->thread, offsetof(struct abi_thread, end_search)), "");
    LLVMValueRef ends = LLVMBuildICmp(unit->builder, LLVMIntNE, flag, ir_u32(unit, 0), "");
    LLVMBasicBlockRef tail = LLVMGetInstructionParent(call->call);
    LLVMBasicBlockRef head = ir_split_before(unit, call->call);
    LLVMBasicBlockRef leave = LLVMInsertBasicBlockInContext(unit->context, tail, "");
    LLVMPositionBuilderAtEnd(unit->builder, head);
    LLVMBuildCondBr(unit->builder, ends, leave, tail);
    LLVMPositionBuilderAtEnd(unit->builder, leave);
    ir_return_zero(unit, call->function);
    LLVMPositionBuilderBefore(unit->builder, call->call);
    return STATUS_OK;
}

/* --- ray queries -------------------------------------------------------------------------------------------- */

enum { QUERY_HEAD_BYTES = 64 }; /* struct device_query of device/rays.c: template flags in front of the traversal */

/* The frame's block of queries is made on first use; its size is that of services->query_bytes. */
static LLVMValueRef ray_query_block(struct jit_unit *unit, struct jit_call *call)
{
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(call->function));
    for (LLVMValueRef i = first; i; i = LLVMGetNextInstruction(i))
        if (LLVMIsAAllocaInst(i) && !strcmp(LLVMGetValueName(i), "ray_queries"))
            return i;
    uint32_t count = 0;
    IR_FOR_EACH_BLOCK(block, call->function) {
        IR_FOR_EACH_INSTRUCTION(instruction, block) {
            if (LLVMIsACallInst(instruction) &&
                !strncmp(LLVMGetValueName(LLVMGetCalledValue(instruction)), "dx.op.allocateRayQuery", 22))
                count++;
        }
    }
    unit->query_count += count;
    uint64_t bytes = (unit->query_bytes + QUERY_HEAD_BYTES + 63) & ~63ull;
    return ir_alloca(unit, call->function, LLVMArrayType2(ir_i8(unit), bytes * count), 64, "ray_queries");
}

static LLVMValueRef ray_query_at(struct jit_unit *unit, struct jit_call *call, LLVMValueRef block, LLVMValueRef number)
{
    uint64_t bytes = (unit->query_bytes + QUERY_HEAD_BYTES + 63) & ~63ull;
    uint64_t count = LLVMGetArrayLength2(LLVMGetAllocatedType(block)) / bytes;
    LLVMValueRef last = ir_u32(unit, (uint32_t)(count ? count - 1 : 0));
    if (!LLVMIsAConstantInt(number)) {
        number = LLVMBuildFreeze(unit->builder, number, "");
        LLVMValueRef inside = LLVMBuildICmp(unit->builder, LLVMIntULE, number, last, "");
        number = LLVMBuildSelect(unit->builder, inside, number, last, "");
    }
    LLVMValueRef offset = LLVMBuildMul(unit->builder, LLVMBuildZExt(unit->builder, number, ir_i64(unit), ""),
                                       ir_u64(unit, bytes), "");
    return LLVMBuildGEP2(unit->builder, ir_i8(unit), block, &offset, 1, "");
}

static enum status ray_query_pointer(struct jit_unit *unit, struct jit_call *call, LLVMValueRef *pointer)
{
    LLVMValueRef number = call->arguments[0];
    if (LLVMIsUndef(LLVMGetOperand(call->call, 1)))
        return jit_unit_fail(unit, STATUS_INVALID, "uses an undefined ray query in %s", call->op->name);
    LLVMValueRef block = ray_query_block(unit, call);
    if (!LLVMGetArrayLength2(LLVMGetAllocatedType(block)) && !unit->query_count)
        return jit_unit_fail(unit, STATUS_INVALID, "uses a ray query that was never allocated in %s", call->op->name);
    *pointer = ray_query_at(unit, call, block, number);
    return STATUS_OK;
}

/* Its slot: how many allocations stand in front of this one. */
static uint32_t ray_query_number(struct jit_unit *unit)
{
    return unit->query_next++;
}

static void ray_query_allocate(struct jit_unit *unit, struct jit_call *call, LLVMValueRef *result)
{
    LLVMValueRef block = ray_query_block(unit, call);
    LLVMValueRef number = ir_u32(unit, ray_query_number(unit));
    LLVMValueRef flags2 = call->op->number == OP_ALLOCATE_QUERY_2 ? call->arguments[1] : ir_u32(unit, 0);
    LLVMValueRef arguments[] = {call->thread, ray_query_at(unit, call, block, number), call->arguments[0], flags2};
    ir_call(unit, "jit_query_allocate", ir_void(unit), arguments, 4);
    *result = number;
}

static LLVMValueRef ray_nine(struct jit_unit *unit, struct jit_call *call, const char *function, LLVMValueRef *arguments,
                             unsigned count)
{
    LLVMTypeRef type = LLVMTypeOf(call->call), array = LLVMArrayType2(ir_float(unit), 9);
    LLVMValueRef out = ir_alloca(unit, call->function, array, 16, "positions"), result = LLVMGetPoison(type);
    arguments[count++] = out;
    ir_call(unit, function, ir_void(unit), arguments, count);
    for (uint32_t i = 0; i < 9; i++) {
        LLVMValueRef at = ir_offset(unit, out, i * sizeof(float));
        LLVMValueRef element = LLVMBuildLoad2(unit->builder, ir_float(unit), at, "");
        result = LLVMBuildInsertElement(unit->builder, result, element, ir_u32(unit, i), "");
    }
    return result;
}

/* --- hit objects -------------------------------------------------------------------------------------------- */

static LLVMValueRef ray_object_memory(struct jit_unit *unit, LLVMValueRef function)
{
    LLVMTypeRef type = LLVMArrayType2(ir_i64(unit), (sizeof(struct abi_hit_object) + 7) / 8);
    return ir_alloca(unit, function, type, 16, "hit_object");
}

static LLVMValueRef ray_object_value(struct jit_unit *unit, LLVMTypeRef type, LLVMValueRef pointer)
{
    return LLVMBuildInsertValue(unit->builder, LLVMGetPoison(type), pointer, 0, "");
}

static enum status ray_object_make(struct jit_unit *unit, struct jit_call *call, LLVMValueRef *result)
{
    LLVMValueRef arguments[32], memory = ray_object_memory(unit, call->function), query = NULL;
    unsigned count = 0;
    const char *function = "jit_hit_object_make_nop";
    switch (call->op->number) {
    case OP_OBJECT_TRACE:
        function = "jit_hit_object_trace";
        arguments[count++] = call->thread;
        arguments[count++] = memory;
        arguments[count++] = jit_descriptor_of_handle(unit, call, call->arguments[0]);
        count = ray_copy_arguments(call, 1, arguments, count);
        ray_note_payload(unit, call);
        break;
    case OP_OBJECT_FROM_QUERY:
    case OP_OBJECT_FROM_QUERY_ATTRIBUTES:
        function = "jit_hit_object_from_query";
        RETURN_IF_FAILED(ray_query_pointer(unit, call, &query));
        arguments[count++] = memory;
        arguments[count++] = query;
        if (call->op->number == OP_OBJECT_FROM_QUERY_ATTRIBUTES) {
            function = "jit_hit_object_from_query_attributes";
            uint64_t bytes = ray_struct_bytes(unit, call, call->arguments[2]);
            count = ray_copy_arguments(call, 1, arguments, count);
            arguments[count++] = ir_u32(unit, bytes < ABI_ATTRIBUTE_STORAGE_BYTES ? (uint32_t)bytes
                                                                                    : ABI_ATTRIBUTE_STORAGE_BYTES);
        }
        break;
    case OP_OBJECT_MAKE_MISS:
        function = "jit_hit_object_make_miss";
        arguments[count++] = memory;
        count = ray_copy_arguments(call, 0, arguments, count);
        break;
    case OP_OBJECT_SET_TABLE_INDEX:
        function = "jit_hit_object_set_table_index";
        arguments[count++] = memory;
        arguments[count++] = ray_pointer(unit, call->arguments[0]);
        arguments[count++] = call->arguments[1];
        break;
    default:
        arguments[count++] = memory;
        break;
    }
    ir_call(unit, function, ir_void(unit), arguments, count);
    *result = ray_object_value(unit, LLVMTypeOf(call->call), memory);
    return STATUS_OK;
}

static void ray_object_use(struct jit_unit *unit, struct jit_call *call, LLVMValueRef *result)
{
    LLVMValueRef object = ray_pointer(unit, call->arguments[0]);
    uint64_t bytes = 0;
    switch (call->op->number) {
    case OP_OBJECT_INVOKE:
        ray_note_payload(unit, call);
        ir_call(unit, "jit_hit_object_invoke", ir_void(unit), (LLVMValueRef[]){call->thread, object, call->arguments[1]}, 3);
        break;
    case OP_OBJECT_RECORD_CONSTANT:
        *result = ir_call(unit, "jit_hit_object_record_constant", ir_i32(unit),
                          (LLVMValueRef[]){call->thread, object, call->arguments[1]}, 3);
        break;
    case OP_OBJECT_ATTRIBUTES:
        bytes = ray_struct_bytes(unit, call, call->arguments[1]);
        bytes = bytes < ABI_ATTRIBUTE_STORAGE_BYTES ? bytes : ABI_ATTRIBUTE_STORAGE_BYTES;
        ir_call(unit, "jit_hit_object_attributes", ir_void(unit),
                (LLVMValueRef[]){object, call->arguments[1], ir_u32(unit, (uint32_t)bytes)}, 3);
        break;
    default:
        *result = ray_nine(unit, call, "jit_hit_object_positions", (LLVMValueRef[3]){call->thread, object}, 2);
        break;
    }
}

/* A phi of hit objects copies at the end of each predecessor to memory of its own, and from there at the start of its
 * block: two steps, because phis of one block read each other's old values. */
static enum status ray_object_phi(struct jit_unit *unit, LLVMValueRef function, LLVMValueRef phi)
{
    LLVMTypeRef type = LLVMTypeOf(phi);
    LLVMValueRef bytes = ir_u64(unit, sizeof(struct abi_hit_object));
    LLVMValueRef passed = ray_object_memory(unit, function), own = ray_object_memory(unit, function);
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef value = LLVMGetIncomingValue(phi, i);
        LLVMPositionBuilderBefore(unit->builder, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, i)));
        if (LLVMIsUndef(value) || LLVMIsNull(value))
            ir_call(unit, "jit_hit_object_make_nop", ir_void(unit), &passed, 1);
        else
            LLVMBuildMemCpy(unit->builder, passed, 16, ray_pointer(unit, value), 16, bytes);
    }
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetInstructionParent(phi));
    while (LLVMIsAPHINode(first))
        first = LLVMGetNextInstruction(first);
    LLVMPositionBuilderBefore(unit->builder, first);
    LLVMBuildMemCpy(unit->builder, own, 16, passed, 16, bytes);
    LLVMReplaceAllUsesWith(phi, ray_object_value(unit, type, own));
    LLVMInstructionEraseFromParent(phi);
    return STATUS_OK;
}

enum status jit_lower_hit_objects(struct jit_unit *unit, LLVMValueRef function)
{
    LLVMTypeRef type = LLVMGetTypeByName2(unit->context, "dx.types.HitObject");
    if (!type)
        return STATUS_OK;
    IR_FOR_EACH_BLOCK(block, function)
        IR_FOR_EACH_INSTRUCTION(instruction, block)
            if (LLVMIsAPHINode(instruction) && LLVMTypeOf(instruction) == type)
                RETURN_IF_FAILED(ray_object_phi(unit, function, instruction));
    return STATUS_OK;
}

/* --- the rest ----------------------------------------------------------------------------------------------- */

static void ray_trace(struct jit_unit *unit, struct jit_call *call)
{
    LLVMValueRef arguments[32] = {call->thread, jit_descriptor_of_handle(unit, call, call->arguments[0])};
    unsigned count = ray_copy_arguments(call, 1, arguments, 2);
    ray_note_payload(unit, call);
    ir_call(unit, "jit_trace_ray", ir_void(unit), arguments, count);
}

static enum status ray_query_trace(struct jit_unit *unit, struct jit_call *call)
{
    LLVMValueRef arguments[32] = {call->thread};
    RETURN_IF_FAILED(ray_query_pointer(unit, call, &arguments[1]));
    arguments[2] = jit_descriptor_of_handle(unit, call, call->arguments[1]);
    unsigned count = ray_copy_arguments(call, 2, arguments, 3);
    ir_call(unit, "jit_query_trace", ir_void(unit), arguments, count);
    return STATUS_OK;
}

static LLVMValueRef ray_t_current(struct jit_unit *unit, struct jit_call *call)
{
    const char *function = unit->info->kind == DXIL_SHADER_KIND_INTERSECTION ? "jit_ray_t_committed"
                           : unit->info->kind == DXIL_SHADER_KIND_MISS       ? "jit_ray_t_max"
                                                                             : "jit_ray_t_hit";
    return ir_call(unit, function, ir_float(unit), &call->thread, 1);
}

static LLVMValueRef ray_cycle_counter(struct jit_unit *unit, struct jit_call *call)
{
    LLVMTypeRef type = LLVMTypeOf(call->call);
    LLVMValueRef out = ir_alloca(unit, call->function, type, 16, "");
    ir_call(unit, "jit_cycle_counter", ir_void(unit), (LLVMValueRef[]){call->thread, out}, 2);
    return LLVMBuildLoad2(unit->builder, type, out, "");
}

static LLVMValueRef ray_group_wave(struct jit_unit *unit, struct jit_call *call, bool is_count)
{
    uint32_t threads = unit->info->thread_count[0] * unit->info->thread_count[1] * unit->info->thread_count[2];
    uint32_t lanes = jit_unit_wave_size(unit);
    if (is_count)
        return ir_u32(unit, (threads + lanes - 1) / lanes);
    LLVMValueRef flat = ir_call(unit, "jit_flattened_thread_id_in_group", ir_i32(unit), &call->thread, 1);
    return LLVMBuildUDiv(unit->builder, flat, ir_u32(unit, lanes), "");
}

static enum status ray_special(struct jit_unit *unit, struct jit_call *call, LLVMValueRef *result)
{
    switch (call->op->number) {
    case OP_RAY_T_CURRENT:
        *result = ray_t_current(unit, call);
        return STATUS_OK;
    case OP_IGNORE_HIT:
        ray_end(unit, call, offsetof(struct abi_thread, ignore_hit));
        return STATUS_OK;
    case OP_ACCEPT_HIT:
        ray_end(unit, call, offsetof(struct abi_thread, end_search));
        return STATUS_OK;
    case OP_TRACE_RAY:
        ray_trace(unit, call);
        return STATUS_OK;
    case OP_REPORT_HIT:
        return ray_report(unit, call, result);
    case OP_ALLOCATE_QUERY:
    case OP_ALLOCATE_QUERY_2:
        ray_query_allocate(unit, call, result);
        return STATUS_OK;
    case OP_QUERY_TRACE:
        return ray_query_trace(unit, call);
    case OP_CYCLE_COUNTER:
        *result = ray_cycle_counter(unit, call);
        return STATUS_OK;
    case OP_GROUP_WAVE_INDEX:
    case OP_GROUP_WAVE_COUNT:
        *result = ray_group_wave(unit, call, call->op->number == OP_GROUP_WAVE_COUNT);
        return STATUS_OK;
    case OP_TRIANGLE_POSITION:
        *result = ray_nine(unit, call, "jit_triangle_object_position", (LLVMValueRef[2]){call->thread}, 1);
        return STATUS_OK;
    case OP_IS_DEBUGGING:
    case OP_IS_HELPER_LANE: /* only pixel shaders have them */
        *result = ir_bool(unit, false);
        return STATUS_OK;
    case OP_REORDER: /* a hint: threads run alone here */
    case OP_NOP:
    case OP_DEBUG_BREAK:
        return STATUS_OK;
    case OP_OBJECT_INVOKE:
    case OP_OBJECT_RECORD_CONSTANT:
    case OP_OBJECT_ATTRIBUTES:
    case OP_OBJECT_POSITION:
        ray_object_use(unit, call, result);
        return STATUS_OK;
    case OP_OBJECT_TRACE:
    case OP_OBJECT_FROM_QUERY:
    case OP_OBJECT_FROM_QUERY_ATTRIBUTES:
    case OP_OBJECT_MAKE_MISS:
    case OP_OBJECT_MAKE_NOP:
    case OP_OBJECT_SET_TABLE_INDEX:
        return ray_object_make(unit, call, result);
    default:
        return jit_lower_wave_op(unit, call, result);
    }
}

enum status jit_lower_ray_op(struct jit_unit *unit, struct jit_call *call, LLVMValueRef *result)
{
    const struct ray_row *row = ray_find(call->op->number);
    LLVMTypeRef type = LLVMTypeOf(call->call);
    LLVMValueRef arguments[40] = {call->thread};
    unsigned count;
    switch (row->form) {
    case RAY_POSITION:
        count = ray_copy_arguments(call, 0, arguments, 1);
        if (row->opcode == OP_CALL_SHADER)
            ray_note_payload(unit, call);
        *result = ray_emit(unit, row->function, type, arguments, count);
        return STATUS_OK;
    case RAY_QUERY:
        RETURN_IF_FAILED(ray_query_pointer(unit, call, &arguments[1]));
        count = ray_copy_arguments(call, 1, arguments, 2);
        *result = ray_emit(unit, row->function, type, arguments, count);
        return STATUS_OK;
    case RAY_QUERY_NINE:
        RETURN_IF_FAILED(ray_query_pointer(unit, call, &arguments[1]));
        *result = ray_nine(unit, call, row->function, arguments, 2);
        return STATUS_OK;
    case RAY_OBJECT:
        arguments[0] = ray_pointer(unit, call->arguments[0]);
        count = ray_copy_arguments(call, 1, arguments, 1);
        *result = ray_emit(unit, row->function, type, arguments, count);
        return STATUS_OK;
    default:
        return ray_special(unit, call, result);
    }
}
