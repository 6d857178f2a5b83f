/* SPDX-License-Identifier: MIT
 * Payload access qualifiers (shader model 6.7, Raytracing.md "Payload access qualifiers"). A hit or miss shader whose payload
 * type is qualified works on a copy of its own; on the way out only the fields that its stage may write go back. Fields
 * that it may not read are undefined on entry by the specification: they are copied in like the others.
 * The qualifiers are metadata: {0, undef of a struct type, list of {0, mask} per field, ...}; four bits a stage (1 read, 2
 * write) in the order caller, closest hit, miss, any hit; mask 0 is a nested struct that is qualified itself. */
#include <stdlib.h>
#include <string.h>

#include "jit/compile.h"

enum { PAYLOAD_WRITE = 2, PAYLOAD_MAX_NODES = 64, PAYLOAD_MAX_FIELDS = 256, PAYLOAD_MAX_DEPTH = 16 };

struct payload_qualifiers {
    LLVMValueRef nodes[PAYLOAD_MAX_NODES];
    unsigned node_count;
    unsigned stage; /* index of the four bits */
};

static bool payload_stage(enum dxil_shader_kind kind, unsigned *stage)
{
    *stage = kind == DXIL_SHADER_KIND_CLOSESTHIT ? 1 : kind == DXIL_SHADER_KIND_MISS ? 2 : 3;
    return kind == DXIL_SHADER_KIND_CLOSESTHIT || kind == DXIL_SHADER_KIND_MISS || kind == DXIL_SHADER_KIND_ANYHIT;
}

/* Operands of a metadata node; 0 when there are none or too many. */
static unsigned payload_operands(LLVMValueRef node, LLVMValueRef *operands, unsigned capacity)
{
    if (!node || !LLVMIsAMDNode(node))
        return 0;
    unsigned count = LLVMGetMDNodeNumOperands(node);
    if (count > capacity)
        return 0;
    LLVMGetMDNodeOperands(node, operands);
    return count;
}

/* The list of field masks of a struct type, NULL when it is not qualified. */
static LLVMValueRef payload_fields_of(const struct payload_qualifiers *q, LLVMTypeRef type)
{
    for (unsigned n = 0; n < q->node_count; n++) {
        LLVMValueRef operands[PAYLOAD_MAX_FIELDS];
        unsigned count = payload_operands(q->nodes[n], operands, PAYLOAD_MAX_FIELDS);
        for (unsigned i = 1; i + 1 < count; i += 2)
            if (operands[i] && LLVMIsAConstant(operands[i]) && LLVMTypeOf(operands[i]) == type)
                return operands[i + 1];
    }
    return NULL;
}

/* The type of the payload, seen where the shader takes fields of it or hands it on; NULL: it never does. */
static LLVMTypeRef payload_type(struct jit_unit *unit, LLVMValueRef payload)
{
    for (LLVMUseRef use = LLVMGetFirstUse(payload); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAGetElementPtrInst(user) &&
            LLVMGetTypeKind(LLVMGetGEPSourceElementType(user)) == LLVMStructTypeKind)
            return LLVMGetGEPSourceElementType(user);
        if (!LLVMIsACallInst(user))
            continue;
        LLVMTypeRef type = ir_named_type(unit, user);
        if (type)
            return type;
    }
    return NULL;
}

static uint32_t payload_mask(LLVMValueRef field)
{
    LLVMValueRef operands[PAYLOAD_MAX_FIELDS];
    unsigned count = payload_operands(field, operands, PAYLOAD_MAX_FIELDS);
    return count >= 2 && operands[1] && LLVMIsAConstantInt(operands[1])
               ? (uint32_t)LLVMConstIntGetZExtValue(operands[1])
               : 0;
}

/* Copies the writable fields of type, offset bytes into the payload. */
static void payload_copy_out(struct jit_unit *unit, const struct payload_qualifiers *q, LLVMTypeRef type,
                             LLVMValueRef own, LLVMValueRef payload, uint64_t offset, unsigned depth)
{
    LLVMValueRef list = payload_fields_of(q, type), fields[PAYLOAD_MAX_FIELDS];
    unsigned count = payload_operands(list, fields, PAYLOAD_MAX_FIELDS);
    if (depth > PAYLOAD_MAX_DEPTH)
        return;
    for (unsigned i = 0; i < count && i < LLVMCountStructElementTypes(type); i++) {
        LLVMTypeRef field = LLVMStructGetTypeAtIndex(type, i);
        uint64_t at = offset + LLVMOffsetOfElement(unit->layout, type, i);
        uint32_t mask = payload_mask(fields[i]);
        if (!mask && LLVMGetTypeKind(field) == LLVMStructTypeKind) {
            payload_copy_out(unit, q, field, own, payload, at, depth + 1);
        } else if (mask >> (4 * q->stage) & PAYLOAD_WRITE) {
            LLVMValueRef bytes = ir_u64(unit, LLVMStoreSizeOfType(unit->layout, field));
            LLVMBuildMemCpy(unit->builder, ir_offset(unit, payload, at), 4, ir_offset(unit, own, at), 4, bytes);
        }
    }
}

enum status jit_apply_payload_qualifiers(struct jit_unit *unit)
{
    static const char node_name[] = "dx.dxrPayloadAnnotations";
    struct payload_qualifiers q = {.node_count = LLVMGetNamedMetadataNumOperands(unit->module, node_name)};
    if (!unit->main->has_payload_qualifiers || !payload_stage(unit->info->kind, &q.stage) || !q.node_count)
        return STATUS_OK;
    if (q.node_count > PAYLOAD_MAX_NODES)
        return jit_unit_fail(unit, STATUS_UNSUPPORTED, "has too many qualified payload types");
    LLVMGetNamedMetadataOperands(unit->module, node_name, q.nodes);
    LLVMValueRef payload = LLVMGetParam(unit->entry, 1);
    LLVMTypeRef type = payload_type(unit, payload);
    if (!type || !payload_fields_of(&q, type))
        return STATUS_OK;
    LLVMValueRef own = ir_alloca(unit, unit->entry, type, 16, "own_payload");
    LLVMReplaceAllUsesWith(payload, own);
    unit->own_payload = own;
    LLVMPositionBuilderBefore(unit->builder, LLVMGetNextInstruction(own));
    LLVMBuildMemCpy(unit->builder, own, 4, payload, 4, ir_u64(unit, LLVMStoreSizeOfType(unit->layout, type)));
    return STATUS_OK;
}

void jit_return_payload(struct jit_unit *unit)
{
    static const char node_name[] = "dx.dxrPayloadAnnotations";
    struct payload_qualifiers q = {.node_count = LLVMGetNamedMetadataNumOperands(unit->module, node_name)};
    LLVMValueRef own = unit->own_payload;
    if (!own || !payload_stage(unit->info->kind, &q.stage))
        return;
    LLVMGetNamedMetadataOperands(unit->module, node_name, q.nodes);
    IR_FOR_EACH_BLOCK(block, unit->entry) {
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);
        if (!LLVMIsAReturnInst(terminator))
            continue;
        LLVMPositionBuilderBefore(unit->builder, terminator);
        payload_copy_out(unit, &q, LLVMGetAllocatedType(own), own, LLVMGetParam(unit->entry, 1), 0, 0);
    }
}
