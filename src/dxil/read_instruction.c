/* SPDX-License-Identifier: MIT
 * Checks of the instructions that compute on values and of terminators. See function.h. */
#include <stdlib.h>
#include <string.h>

#include "dxil/function.h"

enum {
    FLAG_NO_WRAP = 3,   /* nuw 1, nsw 2 */
    FLAG_EXACT = 1,
    FLAGS_FAST_MATH = 31, /* five bits in LLVM 3.7 */
    VALUE_MAX_BYTES = 16384, /* the largest vector or struct that passes as a value */
    INDICES_MAX = 32,
    PREDICATE_FLOAT_LAST = 15,
    PREDICATE_INTEGER_FIRST = 32,
    PREDICATE_INTEGER_LAST = 41,
};

bool body_forward(struct ir_body *b, uint32_t id, uint32_t type)
{
    struct ir_reader *r = b->r;
    if (id >= b->forward_limit)
        return body_corrupt(b, "reference to value %u, which does not exist,", id);
    struct ir_value *value = &r->values[id];
    if (value->type == IR_NONE)
        value->type = type;
    if (value->type != type)
        return body_corrupt(b, "value %u is used with two types", id);
    return true;
}

bool body_typed_value(struct ir_body *b, struct ir_record *record, uint32_t *id, uint32_t *type)
{
    struct ir_reader *r = b->r;
    uint32_t relative, given;
    if (!record_next_u32(r, record, "operand", &relative))
        return false;
    *id = r->value_count - relative;
    if (*id < r->value_count) {
        *type = r->values[*id].type;
        return true;
    }
    if (!record_next_u32(r, record, "operand type", &given))
        return false;
    const struct ir_type *forward = reader_type(r, given, "an operand");
    if (!forward)
        return false;
    if (!type_is_first_class(forward))
        return body_corrupt(b, "operand of a type without values");
    *type = given;
    return body_forward(b, *id, given);
}

bool body_value(struct ir_body *b, struct ir_record *record, uint32_t type, uint32_t *id)
{
    struct ir_reader *r = b->r;
    uint32_t relative;
    if (!record_next_u32(r, record, "operand", &relative))
        return false;
    *id = r->value_count - relative;
    if (*id >= r->value_count)
        return body_forward(b, *id, type);
    if (r->values[*id].type == type)
        return true;
    char wanted[64], found[64];
    return body_corrupt(b, "record %u: operand is %s, needed is %s,", record->item->code,
                        type_text(r, r->values[*id].type, found), type_text(r, type, wanted));
}

bool body_end_of_record(struct ir_body *b, const struct ir_record *record)
{
    if (record->at != record->count)
        return body_corrupt(b, "instruction record %u has %u operands too many", record->item->code,
                            record->count - record->at);
    return true;
}

struct ir_instruction *body_begin(struct ir_body *b, const struct ir_record *record)
{
    struct ir_instruction *instruction = &b->instructions[b->instruction_count++];
    *instruction = (struct ir_instruction){
        .code = record->item->code,
        .block = b->current_block,
        .value = IR_NONE,
        .operand_index = b->operand_count,
    };
    if (record->item->code != CODE_PHI)
        b->phi_allowed = false;
    return instruction;
}

static void add_operand(struct ir_body *b, struct ir_instruction *instruction, uint32_t operand)
{
    b->operands[b->operand_count++] = operand;
    instruction->operand_count++;
}

void body_use(struct ir_body *b, struct ir_instruction *instruction, uint32_t id)
{
    const struct ir_value *value = id < b->r->value_count ? &b->r->values[id] : NULL;
    if (value && (value->kind == IR_VALUE_NULL || value->kind == IR_VALUE_UNDEF) &&
        b->r->types[value->type].kind == IR_TYPE_POINTER)
        body_corrupt(b, "null or undefined pointer as an operand");
    add_operand(b, instruction, id);
}

bool body_result(struct ir_body *b, struct ir_instruction *instruction, uint32_t type)
{
    struct ir_reader *r = b->r;
    if (type == IR_NONE)
        return body_corrupt(b, "the type table lacks the result type of record %u", instruction->code);
    const struct ir_type *result = &r->types[type];
    if (!type_is_first_class(result) || result->byte_count > VALUE_MAX_BYTES)
        return body_corrupt(b, "the result of record %u is too large or no value", instruction->code);
    struct ir_value *value = reader_add_value(r, IR_VALUE_INSTRUCTION, type);
    if (!value)
        return false;
    value->index = (uint32_t)(instruction - b->instructions);
    instruction->value = r->value_count - 1;
    return true;
}

bool body_constant(const struct ir_body *b, uint32_t id, uint64_t *integer)
{
    const struct ir_value *value = &b->r->values[id];
    if (id >= b->r->value_count || value->kind != IR_VALUE_INTEGER)
        return false;
    *integer = value->integer;
    return true;
}

static const struct ir_type *scalar_of(const struct ir_body *b, uint32_t type)
{
    return &b->r->types[type_scalar(b->r, type)];
}

/* Flags that an operation on integers (opcode 0 to 12) may have. */
static uint64_t integer_flags(uint64_t opcode)
{
    switch (opcode) {
    case 0: /* add, sub, mul, shl */
    case 1:
    case 2:
    case 7:
        return FLAG_NO_WRAP;
    case 3: /* udiv, sdiv, lshr, ashr */
    case 4:
    case 8:
    case 9:
        return FLAG_EXACT;
    default:
        return 0;
    }
}

bool body_binary(struct ir_body *b, struct ir_record *record)
{
    enum { LAST_INTEGER = 12 };
    uint32_t left, right, type;
    uint64_t opcode, flags = 0;
    if (!body_typed_value(b, record, &left, &type) || !body_value(b, record, type, &right) ||
        !record_next(b->r, record, LAST_INTEGER, "binary operation", &opcode) ||
        (record->at < record->count && !record_next(b->r, record, UINT32_MAX, "flags", &flags)))
        return false;
    const struct ir_type *scalar = scalar_of(b, type);
    if (type_is_integer(scalar)) {
        if (flags & ~integer_flags(opcode))
            return body_corrupt(b, "unknown flags %llu of binary operation %llu", (unsigned long long)flags,
                                (unsigned long long)opcode);
    } else if (type_is_float(scalar)) {
        bool known = opcode <= 2 || opcode == 4 || opcode == 6; /* add sub mul div rem */
        if (!known || flags > FLAGS_FAST_MATH)
            return body_corrupt(b, "unknown float operation %llu with flags %llu", (unsigned long long)opcode,
                                (unsigned long long)flags);
    } else {
        return body_corrupt(b, "binary operation on something that is no number");
    }
    struct ir_instruction *instruction = body_begin(b, record);
    body_use(b, instruction, left);
    body_use(b, instruction, right);
    return body_end_of_record(b, record) && body_result(b, instruction, type);
}

enum cast {
    CAST_TRUNC = 0,
    CAST_ZEXT = 1,
    CAST_SEXT = 2,
    CAST_FPTOUI = 3,
    CAST_FPTOSI = 4,
    CAST_UITOFP = 5,
    CAST_SITOFP = 6,
    CAST_FPTRUNC = 7,
    CAST_FPEXT = 8,
    CAST_BITCAST = 11,
    CAST_ADDRESS_SPACE = 12,
};

/* A pointer to a type may become one to a type that is no larger: what is read and written by types stays inside. */
static bool pointer_cast_is_valid(const struct ir_reader *r, uint64_t cast, const struct ir_type *from,
                                  const struct ir_type *to)
{
    bool same_space = from->address_space == to->address_space;
    const struct ir_type *memory = &r->types[from->element], *seen_as = &r->types[to->element];
    bool fits = seen_as->byte_count <= memory->byte_count && !memory->not_plain && !seen_as->not_plain;
    return fits && (cast == CAST_BITCAST ? same_space : cast == CAST_ADDRESS_SPACE && !same_space);
}

static bool cast_is_valid(const struct ir_body *b, uint64_t cast, uint32_t from_id, uint32_t to_id)
{
    const struct ir_reader *r = b->r;
    const struct ir_type *from_type = &r->types[from_id], *to_type = &r->types[to_id];
    if (from_type->kind == IR_TYPE_POINTER && to_type->kind == IR_TYPE_POINTER)
        return pointer_cast_is_valid(r, cast, from_type, to_type);
    const struct ir_type *from = scalar_of(b, from_id), *to = scalar_of(b, to_id);
    uint32_t from_bits = type_scalar_bits(from), to_bits = type_scalar_bits(to);
    uint32_t from_lanes = type_lanes(r, from_id), to_lanes = type_lanes(r, to_id);
    if (!from_bits || !to_bits)
        return false;
    if (cast == CAST_BITCAST)
        return (uint64_t)from_bits * (from_lanes ? from_lanes : 1) == (uint64_t)to_bits * (to_lanes ? to_lanes : 1);
    if (from_lanes != to_lanes)
        return false;
    bool from_int = type_is_integer(from), to_int = type_is_integer(to);
    switch (cast) {
    case CAST_TRUNC:
        return from_int && to_int && from_bits > to_bits;
    case CAST_ZEXT:
    case CAST_SEXT:
        return from_int && to_int && from_bits < to_bits;
    case CAST_FPTOUI:
    case CAST_FPTOSI:
        return !from_int && to_int;
    case CAST_UITOFP:
    case CAST_SITOFP:
        return from_int && !to_int;
    case CAST_FPTRUNC:
        return !from_int && !to_int && from_bits > to_bits;
    case CAST_FPEXT:
        return !from_int && !to_int && from_bits < to_bits;
    }
    return false;
}

bool body_cast(struct ir_body *b, struct ir_record *record)
{
    uint32_t operand, from;
    uint64_t to, cast;
    if (!body_typed_value(b, record, &operand, &from) || !record_next(b->r, record, UINT32_MAX, "type of a cast", &to) ||
        !record_next(b->r, record, UINT32_MAX, "cast", &cast) || !reader_type(b->r, to, "a cast"))
        return false;
    if (!cast_is_valid(b, cast, from, (uint32_t)to)) {
        char from_text[64], to_text[64];
        return body_corrupt(b, "cast %llu from %s to %s is not allowed", (unsigned long long)cast,
                            type_text(b->r, from, from_text), type_text(b->r, (uint32_t)to, to_text));
    }
    struct ir_instruction *instruction = body_begin(b, record);
    body_use(b, instruction, operand);
    return body_end_of_record(b, record) && body_result(b, instruction, (uint32_t)to);
}

bool body_compare(struct ir_body *b, struct ir_record *record)
{
    uint32_t left, right, type;
    uint64_t predicate, flags = 0;
    if (!body_typed_value(b, record, &left, &type) || !body_value(b, record, type, &right) ||
        !record_next(b->r, record, PREDICATE_INTEGER_LAST, "predicate", &predicate) ||
        (record->at < record->count && !record_next(b->r, record, FLAGS_FAST_MATH, "fast-math flags", &flags)))
        return false;
    const struct ir_type *scalar = scalar_of(b, type);
    bool valid = type_is_float(scalar)     ? predicate <= PREDICATE_FLOAT_LAST
                 : type_is_integer(scalar) ? predicate >= PREDICATE_INTEGER_FIRST && !flags
                                           : false;
    if (!valid)
        return body_corrupt(b, "comparison %llu does not fit its operands", (unsigned long long)predicate);
    struct ir_instruction *instruction = body_begin(b, record);
    body_use(b, instruction, left);
    body_use(b, instruction, right);
    return body_end_of_record(b, record) &&
           body_result(b, instruction, type_with_shape(b->r, b->r->scalar_types[SCALAR_I1], type));
}

bool body_select(struct ir_body *b, struct ir_record *record)
{
    uint32_t yes, no, condition, type, condition_type;
    if (!body_typed_value(b, record, &yes, &type) || !body_value(b, record, type, &no) ||
        !body_typed_value(b, record, &condition, &condition_type))
        return false;
    uint32_t i1 = b->r->scalar_types[SCALAR_I1];
    bool lanes_fit = type_lanes(b->r, condition_type) == type_lanes(b->r, type);
    if (i1 == IR_NONE || (condition_type != i1 && !(type_scalar(b->r, condition_type) == i1 && lanes_fit)))
        return body_corrupt(b, "select with a condition that does not fit");
    struct ir_instruction *instruction = body_begin(b, record);
    body_use(b, instruction, yes);
    body_use(b, instruction, no);
    body_use(b, instruction, condition);
    return body_end_of_record(b, record) && body_result(b, instruction, type);
}

static bool read_lane(struct ir_body *b, struct ir_record *record, uint32_t *id)
{
    uint32_t type;
    if (!body_typed_value(b, record, id, &type))
        return false;
    if (type != b->r->scalar_types[SCALAR_I32] && type != b->r->scalar_types[SCALAR_I64])
        return body_corrupt(b, "vector index that is no i32 or i64");
    return true;
}

bool body_extract_element(struct ir_body *b, struct ir_record *record)
{
    uint32_t vector, type, lane;
    if (!body_typed_value(b, record, &vector, &type) || !read_lane(b, record, &lane))
        return false;
    if (!type_lanes(b->r, type))
        return body_corrupt(b, "extractelement from something that is no vector");
    struct ir_instruction *instruction = body_begin(b, record);
    body_use(b, instruction, vector);
    body_use(b, instruction, lane);
    return body_end_of_record(b, record) && body_result(b, instruction, type_scalar(b->r, type));
}

bool body_insert_element(struct ir_body *b, struct ir_record *record)
{
    uint32_t vector, type, element, lane;
    if (!body_typed_value(b, record, &vector, &type))
        return false;
    if (!type_lanes(b->r, type))
        return body_corrupt(b, "insertelement into something that is no vector");
    if (!body_value(b, record, type_scalar(b->r, type), &element) || !read_lane(b, record, &lane))
        return false;
    struct ir_instruction *instruction = body_begin(b, record);
    body_use(b, instruction, vector);
    body_use(b, instruction, element);
    body_use(b, instruction, lane);
    return body_end_of_record(b, record) && body_result(b, instruction, type);
}

/* The mask: a constant vector of i32, each undef or below limit. */
static bool mask_is_valid(const struct ir_body *b, uint32_t mask, uint64_t limit)
{
    struct ir_reader *r = b->r;
    const struct ir_value *value = &r->values[mask];
    if (mask >= r->value_count)
        return false;
    if (value->kind == IR_VALUE_NULL || value->kind == IR_VALUE_UNDEF)
        return true;
    if (value->kind != IR_VALUE_DATA && value->kind != IR_VALUE_AGGREGATE)
        return false;
    struct ir_record elements = reader_record(r, value->index);
    for (uint32_t i = 0; i < elements.count; i++) {
        uint64_t lane = elements.operands[i];
        if (value->kind == IR_VALUE_AGGREGATE) {
            const struct ir_value *element = &r->values[lane];
            if (element->kind == IR_VALUE_UNDEF)
                continue;
            if (element->kind != IR_VALUE_INTEGER)
                return false;
            lane = element->integer;
        }
        if (lane >= limit)
            return false;
    }
    return true;
}

bool body_shuffle(struct ir_body *b, struct ir_record *record)
{
    struct ir_reader *r = b->r;
    uint32_t left, right, type, mask, mask_type;
    if (!body_typed_value(b, record, &left, &type) || !body_value(b, record, type, &right) ||
        !body_typed_value(b, record, &mask, &mask_type))
        return false;
    uint32_t lanes = type_lanes(r, type), result_lanes = type_lanes(r, mask_type);
    if (!lanes || !result_lanes || type_scalar(r, mask_type) != r->scalar_types[SCALAR_I32] ||
        !mask_is_valid(b, mask, 2ull * lanes))
        return body_corrupt(b, "malformed shufflevector");
    const struct ir_type *scalar = &r->types[type_scalar(r, type)];
    struct ir_instruction *instruction = body_begin(b, record);
    body_use(b, instruction, left);
    body_use(b, instruction, right);
    return body_end_of_record(b, record) && body_result(b, instruction, scalar->vectors[result_lanes]);
}

/* Constant member indices from position at on; *type becomes the member's. */
static bool read_members(struct ir_body *b, struct ir_record *record, uint32_t *type)
{
    if (record->at == record->count || record->count - record->at > INDICES_MAX)
        return body_corrupt(b, "extractvalue or insertvalue with %u indices", record->count - record->at);
    while (record->at < record->count) {
        uint64_t member = record->operands[record->at++];
        const struct ir_type *aggregate = &b->r->types[*type];
        bool valid = aggregate->kind == IR_TYPE_STRUCT  ? member < aggregate->count
                     : aggregate->kind == IR_TYPE_ARRAY ? member < aggregate->array_count
                                                        : false;
        if (!valid)
            return body_corrupt(b, "extractvalue or insertvalue outside its type");
        *type = type_member(b->r, *type, member);
    }
    return true;
}

bool body_extract_value(struct ir_body *b, struct ir_record *record)
{
    uint32_t aggregate, type;
    if (!body_typed_value(b, record, &aggregate, &type) || !read_members(b, record, &type))
        return false;
    if (b->r->types[type].not_plain)
        return body_corrupt(b, "extractvalue of a pointer");
    struct ir_instruction *instruction = body_begin(b, record);
    body_use(b, instruction, aggregate);
    return body_result(b, instruction, type);
}

bool body_insert_value(struct ir_body *b, struct ir_record *record)
{
    uint32_t aggregate, type, element, element_type;
    if (!body_typed_value(b, record, &aggregate, &type) || !body_typed_value(b, record, &element, &element_type))
        return false;
    uint32_t member_type = type;
    if (!read_members(b, record, &member_type))
        return false;
    if (member_type != element_type)
        return body_corrupt(b, "insertvalue of another type than the member's");
    if (b->r->types[member_type].not_plain)
        return body_corrupt(b, "insertvalue of a pointer");
    struct ir_instruction *instruction = body_begin(b, record);
    body_use(b, instruction, aggregate);
    body_use(b, instruction, element);
    return body_result(b, instruction, type);
}

bool body_phi(struct ir_body *b, struct ir_record *record)
{
    struct ir_reader *r = b->r;
    uint64_t type;
    if (!record_next(r, record, UINT32_MAX, "type of a phi", &type))
        return false;
    const struct ir_type *result = reader_type(r, type, "a phi");
    if (!result)
        return false;
    if (!b->phi_allowed || record->count % 2 == 0 || record->count < 3 || !type_is_first_class(result))
        return body_corrupt(b, "malformed phi");
    struct ir_instruction *instruction = body_begin(b, record);
    while (record->at < record->count) {
        int64_t relative = reader_signed(record->operands[record->at++]);
        uint64_t block = record->operands[record->at++];
        bool is_near = relative <= UINT32_MAX && relative >= -(int64_t)UINT32_MAX; /* the difference cannot overflow */
        int64_t id = is_near ? (int64_t)r->value_count - relative : -1;
        if (id < 0 || id >= UINT32_MAX || block >= b->block_count)
            return body_corrupt(b, "phi of a value or block that does not exist");
        if (id < r->value_count ? r->values[id].type != type : !body_forward(b, (uint32_t)id, (uint32_t)type))
            return body_corrupt(b, "phi of a value of another type");
        body_use(b, instruction, (uint32_t)id);
        add_operand(b, instruction, (uint32_t)block);
    }
    return body_result(b, instruction, (uint32_t)type);
}

/* The current block ends with this instruction; its successors follow. */
static void end_block(struct ir_body *b)
{
    b->blocks[b->current_block].end_instruction = b->instruction_count;
    b->current_block++;
    b->phi_allowed = true;
    if (b->current_block < b->block_count) {
        b->blocks[b->current_block].first_instruction = b->instruction_count;
        b->blocks[b->current_block].successor_index = b->successor_count;
    }
}

static bool add_successor(struct ir_body *b, uint64_t block)
{
    if (block >= b->block_count || block == 0)
        return body_corrupt(b, "branch to block %llu of %u", (unsigned long long)block, b->block_count);
    b->successors[b->successor_count++] = (uint32_t)block;
    b->blocks[b->current_block].successor_count++;
    return true;
}

bool body_return(struct ir_body *b, struct ir_record *record)
{
    uint32_t wanted = b->r->types[b->function->type].element, id, type;
    struct ir_instruction *instruction = body_begin(b, record);
    if (b->r->types[wanted].kind != IR_TYPE_VOID) {
        if (!body_typed_value(b, record, &id, &type))
            return false;
        if (type != wanted)
            return body_corrupt(b, "return of another type than the function's");
        body_use(b, instruction, id);
    }
    end_block(b);
    return body_end_of_record(b, record);
}

bool body_branch(struct ir_body *b, struct ir_record *record)
{
    uint64_t yes, no;
    uint32_t condition, i1 = b->r->scalar_types[SCALAR_I1];
    struct ir_instruction *instruction = body_begin(b, record);
    if (!record_next(b->r, record, UINT32_MAX, "target of a branch", &yes) || !add_successor(b, yes))
        return false;
    if (record->at < record->count) {
        if (i1 == IR_NONE)
            return body_corrupt(b, "conditional branch without the type i1");
        if (!record_next(b->r, record, UINT32_MAX, "target of a branch", &no) || !add_successor(b, no) ||
            !body_value(b, record, i1, &condition))
            return false;
        body_use(b, instruction, condition);
    }
    end_block(b);
    return body_end_of_record(b, record);
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

bool body_switch(struct ir_body *b, struct ir_record *record)
{
    struct ir_reader *r = b->r;
    uint64_t type, otherwise;
    uint32_t condition;
    if (!record_next(r, record, UINT32_MAX, "type of a switch", &type) || !reader_type(r, type, "a switch"))
        return false;
    if (!type_is_integer(&r->types[type]) || record->count % 2 == 0)
        return body_corrupt(b, "malformed switch");
    struct ir_instruction *instruction = body_begin(b, record);
    if (!body_value(b, record, (uint32_t)type, &condition) ||
        !record_next(r, record, UINT32_MAX, "target of a switch", &otherwise) || !add_successor(b, otherwise))
        return false;
    body_use(b, instruction, condition);
    uint32_t case_count = (record->count - record->at) / 2;
    uint64_t *cases = reader_allocate(r, &r->scratch, case_count, sizeof(*cases));
    if (!cases)
        return false;
    for (uint32_t i = 0; i < case_count; i++) {
        uint64_t id = record->operands[record->at++], target = record->operands[record->at++];
        if (id >= r->value_count || r->values[id].kind != IR_VALUE_INTEGER || r->values[id].type != type)
            return body_corrupt(b, "switch case that is no constant of its type");
        cases[i] = r->values[id].integer;
        if (!add_successor(b, target))
            return false;
    }
    qsort(cases, case_count, sizeof(*cases), compare_u64);
    for (uint32_t i = 1; i < case_count; i++)
        if (cases[i - 1] == cases[i])
            return body_corrupt(b, "switch with the case %llu twice", (unsigned long long)cases[i]);
    end_block(b);
    return true;
}

bool body_unreachable(struct ir_body *b, struct ir_record *record)
{
    body_begin(b, record);
    end_block(b);
    return body_end_of_record(b, record);
}
