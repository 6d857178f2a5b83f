/* SPDX-License-Identifier: MIT
 * Checks of the instructions that touch memory. Alignments are rewritten to what a scalar needs: a module's word is not
 * good enough for aligned vector loads, and on x86 nothing is lost. See function.h. */
#include "dxil/function.h"

enum {
    ALLOCA_EXPLICIT_TYPE = 64,
    ALLOCA_ALIGNMENT_MASK = 31,
    ALIGNMENT_LOG2_MAX = 16,
    GEP_OPERANDS_MAX = 32,
    ATOMIC_LAST = 10, /* umin */
    ORDERING_FIRST = 2, /* monotonic */
    ORDERING_LAST = 6,  /* sequentially consistent */
};

/* Encoded alignment (log2 + 1) that accesses of this type get: that of their scalar. */
static uint64_t natural_alignment(const struct ir_reader *r, uint32_t type)
{
    const struct ir_type *t = &r->types[type];
    while (t->kind == IR_TYPE_VECTOR || t->kind == IR_TYPE_ARRAY || (t->kind == IR_TYPE_STRUCT && t->count))
        t = &r->types[t->kind == IR_TYPE_STRUCT ? t->elements[0] : t->element];
    switch (type_scalar_bits(t)) {
    case 16:
        return 2;
    case 32:
        return 3;
    default: /* 64 bits: 4 bytes are promised for doubles in groupshared structs */
        return type_scalar_bits(t) == 64 ? 3 : 1;
    }
}

bool body_alloca(struct ir_body *b, struct ir_record *record)
{
    struct ir_reader *r = b->r;
    uint64_t type, count_type, count, flags;
    if (!record_next(r, record, UINT32_MAX, "type of a local variable", &type) ||
        !record_next(r, record, UINT32_MAX, "type of its count", &count_type) ||
        !record_next(r, record, UINT32_MAX, "its count", &count) || !record_next(r, record, 255, "its flags", &flags) ||
        !reader_type(r, type, "a local variable"))
        return false;
    const struct ir_type *variable = &r->types[type];
    if (count >= r->value_count || r->values[count].kind != IR_VALUE_INTEGER || r->values[count].type != count_type ||
        r->values[count].integer != 1)
        return body_corrupt(b, "local variable with a count other than one");
    if ((flags & ~(uint64_t)ALLOCA_ALIGNMENT_MASK) != ALLOCA_EXPLICIT_TYPE ||
        (flags & ALLOCA_ALIGNMENT_MASK) > ALIGNMENT_LOG2_MAX + 1)
        return body_corrupt(b, "local variable with the unknown flags %llu", (unsigned long long)flags);
    if (!type_is_first_class(variable) || variable->not_plain || b->current_block != 0)
        return body_corrupt(b, "local variable outside the first block or of a type that is no plain memory");
    b->local_bytes += variable->byte_count < IR_VARIABLE_MAX_BYTES ? variable->byte_count : IR_VARIABLE_MAX_BYTES + 1;
    if (b->local_bytes > IR_VARIABLE_MAX_BYTES)
        return reader_fail(r, STATUS_UNSUPPORTED, "function %s has more than %u bytes of local variables", b->name,
                           IR_VARIABLE_MAX_BYTES);
    record->operands[3] = ALLOCA_EXPLICIT_TYPE; /* LLVM's own alignment */
    struct ir_instruction *instruction = body_begin(b, record);
    return body_end_of_record(b, record) && body_result(b, instruction, variable->pointers[0]);
}

/* A pointer operand to memory of a value type; *pointee is that type. */
static bool read_pointer(struct ir_body *b, struct ir_record *record, uint32_t *id, uint32_t *pointee)
{
    uint32_t type;
    if (!body_typed_value(b, record, id, &type))
        return false;
    const struct ir_type *pointer = &b->r->types[type];
    if (pointer->kind != IR_TYPE_POINTER || !type_is_first_class(&b->r->types[pointer->element]))
        return body_corrupt(b, "memory access through something that is no pointer to a value");
    *pointee = pointer->element;
    return true;
}

static bool read_alignment(struct ir_body *b, struct ir_record *record, uint32_t type)
{
    uint64_t alignment, is_volatile;
    uint32_t at = record->at;
    if (!record_next(b->r, record, ALIGNMENT_LOG2_MAX + 1, "alignment", &alignment) ||
        !record_next(b->r, record, 1, "volatile flag", &is_volatile))
        return false;
    record->operands[at] = natural_alignment(b->r, type);
    return body_end_of_record(b, record);
}

bool body_load(struct ir_body *b, struct ir_record *record)
{
    uint32_t pointer, pointee;
    uint64_t type;
    if (!read_pointer(b, record, &pointer, &pointee) || !record_next(b->r, record, UINT32_MAX, "type of a load", &type))
        return false;
    if (type != pointee)
        return body_corrupt(b, "load of another type than the pointer's");
    if (!read_alignment(b, record, pointee))
        return false;
    struct ir_instruction *instruction = body_begin(b, record);
    body_use(b, instruction, pointer);
    return body_result(b, instruction, pointee);
}

bool body_store(struct ir_body *b, struct ir_record *record)
{
    uint32_t pointer, pointee, value, type;
    if (!read_pointer(b, record, &pointer, &pointee) || !body_typed_value(b, record, &value, &type))
        return false;
    if (type != pointee)
        return body_corrupt(b, "store of another type than the pointer's");
    if (!read_alignment(b, record, pointee))
        return false;
    struct ir_instruction *instruction = body_begin(b, record);
    body_use(b, instruction, pointer);
    body_use(b, instruction, value);
    return true;
}

/* One index of a getelementptr behind the first; *type becomes the member's. */
static bool step_into(struct ir_body *b, uint32_t index, uint32_t *type)
{
    struct ir_reader *r = b->r;
    const struct ir_type *aggregate = &r->types[*type];
    uint64_t member = 0;
    bool constant = body_constant(b, index, &member);
    bool valid;
    if (aggregate->kind == IR_TYPE_STRUCT)
        valid = constant && r->values[index].type == r->scalar_types[SCALAR_I32] && member < aggregate->count;
    else if (aggregate->kind == IR_TYPE_VECTOR)
        valid = !constant || member < aggregate->count;
    else
        valid = aggregate->kind == IR_TYPE_ARRAY && (!constant || !aggregate->array_count || member < aggregate->array_count);
    if (!valid)
        return body_corrupt(b, "getelementptr with an index outside its type");
    *type = type_member(r, *type, member);
    return true;
}

bool body_gep(struct ir_body *b, struct ir_record *record)
{
    struct ir_reader *r = b->r;
    uint64_t inbounds, source;
    uint32_t base, base_type;
    if (!record_next(r, record, 1, "inbounds flag", &inbounds) ||
        !record_next(r, record, UINT32_MAX, "type of a getelementptr", &source) || !reader_type(r, source, "a getelementptr") ||
        !body_typed_value(b, record, &base, &base_type))
        return false;
    const struct ir_type *pointer = &r->types[base_type];
    if (pointer->kind != IR_TYPE_POINTER || pointer->element != source || !type_is_first_class(&r->types[source]))
        return body_corrupt(b, "getelementptr over something that is no pointer to its type");
    if (record->count - record->at > 2 * GEP_OPERANDS_MAX || record->at == record->count)
        return body_corrupt(b, "getelementptr with too many indices or none");
    struct ir_instruction *instruction = body_begin(b, record);
    body_use(b, instruction, base);
    uint32_t type = (uint32_t)source;
    for (bool first = true; record->at < record->count; first = false) {
        uint32_t index, index_type;
        if (!body_typed_value(b, record, &index, &index_type))
            return false;
        if (!type_is_integer(&r->types[index_type]))
            return body_corrupt(b, "getelementptr with an index that is no integer");
        body_use(b, instruction, index);
        if (!first && !step_into(b, index, &type))
            return false;
    }
    return body_result(b, instruction, r->types[type].pointers[pointer->address_space]);
}

static bool read_atomic_tail(struct ir_body *b, struct ir_record *record)
{
    uint64_t is_volatile, ordering, scope;
    if (!record_next(b->r, record, 1, "volatile flag", &is_volatile) ||
        !record_next(b->r, record, ORDERING_LAST, "memory ordering", &ordering) ||
        !record_next(b->r, record, 1, "synchronisation scope", &scope))
        return false;
    if (ordering < ORDERING_FIRST)
        return body_corrupt(b, "atomic with the memory ordering %llu", (unsigned long long)ordering);
    return true;
}

static bool check_atomic_type(struct ir_body *b, uint32_t type)
{
    if (type != b->r->scalar_types[SCALAR_I32] && type != b->r->scalar_types[SCALAR_I64])
        return body_corrupt(b, "atomic on something that is no i32 or i64");
    return true;
}

bool body_atomic(struct ir_body *b, struct ir_record *record)
{
    uint32_t pointer, pointee, value;
    uint64_t operation;
    if (!read_pointer(b, record, &pointer, &pointee) || !check_atomic_type(b, pointee) ||
        !body_value(b, record, pointee, &value) ||
        !record_next(b->r, record, ATOMIC_LAST, "atomic operation", &operation) || !read_atomic_tail(b, record))
        return false;
    struct ir_instruction *instruction = body_begin(b, record);
    body_use(b, instruction, pointer);
    body_use(b, instruction, value);
    return body_end_of_record(b, record) && body_result(b, instruction, pointee);
}

bool body_compare_exchange(struct ir_body *b, struct ir_record *record)
{
    uint32_t pointer, pointee, compared, compared_type, value;
    uint64_t failure, weak;
    if (!read_pointer(b, record, &pointer, &pointee) || !check_atomic_type(b, pointee) ||
        !body_typed_value(b, record, &compared, &compared_type))
        return false;
    if (compared_type != pointee)
        return body_corrupt(b, "cmpxchg of another type than the pointer's");
    if (!body_value(b, record, pointee, &value) || !read_atomic_tail(b, record))
        return false;
    uint64_t success = record->operands[record->at - 2];
    if (!record_next(b->r, record, success, "memory ordering of a failure", &failure) ||
        !record_next(b->r, record, 1, "weak flag", &weak))
        return false;
    if (failure < ORDERING_FIRST || failure == 4 || failure == 5) /* release has no meaning there */
        return body_corrupt(b, "cmpxchg with the failure ordering %llu", (unsigned long long)failure);
    struct ir_instruction *instruction = body_begin(b, record);
    body_use(b, instruction, pointer);
    body_use(b, instruction, compared);
    body_use(b, instruction, value);
    return body_end_of_record(b, record) && body_result(b, instruction, b->r->types[pointee].pair_with_i1);
}
