/* SPDX-License-Identifier: MIT
 * Calls: of functions of the library, of LLVM's few intrinsics, of dx.op functions (check_op.c). See function.h. */
#include <string.h>

#include "dxil/function.h"

enum {
    CALL_TAIL = 1,
    CALL_CONVENTION_SHIFT = 1,
    CALL_CONVENTION_MASK = 0x3ff,
    CALL_EXPLICIT_TYPE = 1 << 15,
    CONVENTION_FAST = 8,
};

/* Tail marks are dropped: they promise that the callee does not touch the caller's variables. */
static bool read_flags(struct ir_body *b, struct ir_record *record, const struct ir_function **callee)
{
    struct ir_reader *r = b->r;
    uint64_t attributes, flags, type;
    uint32_t id, id_type;
    if (!record_next(r, record, r->attribute_list_count, "attribute list of a call", &attributes) ||
        !record_next(r, record, 0xffff, "flags of a call", &flags) ||
        !record_next(r, record, UINT32_MAX, "function type of a call", &type) ||
        !body_typed_value(b, record, &id, &id_type))
        return false;
    uint64_t convention = flags >> CALL_CONVENTION_SHIFT & CALL_CONVENTION_MASK;
    uint64_t known = CALL_EXPLICIT_TYPE | CALL_TAIL | (uint64_t)CALL_CONVENTION_MASK << CALL_CONVENTION_SHIFT;
    if (!(flags & CALL_EXPLICIT_TYPE) || flags & ~known)
        return body_corrupt(b, "call with the unknown flags %llu", (unsigned long long)flags);
    if (id >= r->value_count || r->values[id].kind != IR_VALUE_FUNCTION)
        return body_corrupt(b, "call of something that is no function");
    *callee = &r->functions[r->values[id].index];
    if ((*callee)->type != type)
        return body_corrupt(b, "call of %s with another type than its own", reader_symbol((*callee)->name));
    if (convention != ((*callee)->fast_calling ? CONVENTION_FAST : 0))
        return body_corrupt(b, "call of %s with another calling convention than its own", reader_symbol((*callee)->name));
    record->operands[1] = flags & ~(uint64_t)CALL_TAIL;
    return true;
}

static bool read_metadata_argument(struct ir_body *b, struct ir_record *record, uint32_t *id)
{
    uint32_t relative;
    if (!record_next_u32(b->r, record, "metadata argument", &relative))
        return false;
    *id = b->r->value_count - relative;
    if (*id >= b->r->metadata_count)
        return body_corrupt(b, "metadata argument that does not exist");
    return true;
}

/* llvm.dbg.declare(variable's address, variable, expression), llvm.dbg.value(value, 0, variable, expression). */
static bool check_debug_call(struct ir_body *b, const struct ir_function *callee, const uint32_t *arguments)
{
    const struct ir_reader *r = b->r;
    bool declare = callee->intrinsic == IR_INTRINSIC_DBG_DECLARE;
    const struct ir_metadata *what = &r->metadata[arguments[0]];
    uint64_t offset = 0;
    bool valid = what->kind == IR_METADATA_VALUE || (what->kind == IR_METADATA_NODE && what->count == 0);
    if (valid && declare && what->kind == IR_METADATA_VALUE) {
        uint32_t type = r->values[what->value].type;
        valid = type != IR_NONE && r->types[type].kind == IR_TYPE_POINTER;
    }
    valid = valid && (declare || (body_constant(b, arguments[1], &offset) && offset == 0));
    valid = valid && metadata_is_local_variable(&r->metadata[arguments[declare ? 1 : 2]]);
    valid = valid && metadata_is_expression(&r->metadata[arguments[declare ? 2 : 3]]);
    if (!valid)
        return body_corrupt(b, "malformed call of %s", callee->name);
    b->needs_location = true;
    return true;
}

static bool check_intrinsic(struct ir_body *b, const struct ir_function *callee, const uint32_t *arguments)
{
    uint64_t byte_count;
    switch (callee->intrinsic) {
    case IR_INTRINSIC_DBG_DECLARE:
    case IR_INTRINSIC_DBG_VALUE:
        return check_debug_call(b, callee, arguments);
    case IR_INTRINSIC_LIFETIME_START:
    case IR_INTRINSIC_LIFETIME_END:
        if (!body_constant(b, arguments[0], &byte_count))
            return body_corrupt(b, "%s with a size that is no constant", callee->name);
        return true;
    case IR_INTRINSIC_NONE:
        break;
    }
    return true;
}

static bool read_arguments(struct ir_body *b, struct ir_record *record, const struct ir_type *type, uint32_t *arguments,
                           struct ir_instruction *instruction)
{
    for (uint32_t i = 0; i < type->count; i++) {
        bool metadata = b->r->types[type->elements[i]].kind == IR_TYPE_METADATA;
        if (metadata ? !read_metadata_argument(b, record, &arguments[i])
                     : !body_value(b, record, type->elements[i], &arguments[i]))
            return false;
        if (!metadata)
            body_use(b, instruction, arguments[i]);
    }
    return body_end_of_record(b, record);
}

bool body_call(struct ir_body *b, struct ir_record *record)
{
    const struct ir_function *callee;
    uint32_t arguments[IR_PARAMETERS_MAX];
    if (!read_flags(b, record, &callee))
        return false;
    const struct ir_type *type = &b->r->types[callee->type];
    struct ir_instruction *instruction = body_begin(b, record);
    if (!read_arguments(b, record, type, arguments, instruction))
        return false;
    if (callee->op_class ? !body_check_op(b, callee, arguments, type->count) : !check_intrinsic(b, callee, arguments))
        return false;
    if (!callee->op_class && callee->intrinsic == IR_INTRINSIC_NONE && !reader_note_call(b->r, b->function, callee))
        return false;
    if (b->r->types[type->element].kind == IR_TYPE_VOID)
        return true;
    return body_result(b, instruction, type->element);
}
