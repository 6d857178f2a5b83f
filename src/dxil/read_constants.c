/* SPDX-License-Identifier: MIT
 * Constant blocks, of the module and of functions. Operands of a constant may come later in the same block; they are
 * checked when the block is complete. See reader.h. */
#include <string.h>

#include "dxil/reader.h"

enum {
    CONSTANT_SETTYPE = 1,
    CONSTANT_NULL = 2,
    CONSTANT_UNDEF = 3,
    CONSTANT_INTEGER = 4,
    CONSTANT_FLOAT = 6,
    CONSTANT_AGGREGATE = 7,
    CONSTANT_CAST = 11,
    CONSTANT_GEP = 12,
    CONSTANT_INBOUNDS_GEP = 20,
    CONSTANT_DATA = 22,
    CAST_BITCAST = 11,
    CAST_ADDRESS_SPACE = 12,
    GEP_INDICES_MAX = 32,
};

struct ir_value *reader_add_value(struct ir_reader *r, enum ir_value_kind kind, uint32_t type)
{
    if (r->value_count >= r->value_capacity) {
        reader_corrupt(r, "DXIL module has more values than records");
        return NULL;
    }
    struct ir_value *value = &r->values[r->value_count];
    if (value->kind == IR_VALUE_FORWARD && value->type != IR_NONE && value->type != type) {
        char used[64], defined[64];
        reader_corrupt(r, "DXIL value %u is used as %s and defined as %s", r->value_count,
                       type_text(r, value->type, used), type_text(r, type, defined));
        return NULL;
    }
    *value = (struct ir_value){.kind = (uint8_t)kind, .type = type, .index = IR_NONE};
    r->value_count++;
    return value;
}

bool value_is_constant(const struct ir_value *value)
{
    return value->kind >= IR_VALUE_INTEGER && value->kind <= IR_VALUE_EXPRESSION;
}

static bool has_zero_value(const struct ir_type *type)
{
    return type_is_first_class(type);
}

static bool fits_width(uint64_t bits, uint32_t width)
{
    return width >= 64 || bits >> width == 0;
}

static bool read_integer(struct ir_reader *r, struct ir_record *record, uint32_t type)
{
    uint64_t encoded;
    if (!record_next(r, record, UINT64_MAX, "value of an integer", &encoded))
        return false;
    const struct ir_type *integer = &r->types[type];
    if (!type_is_integer(integer))
        return reader_corrupt(r, "DXIL integer constant of a type that is no integer");
    int64_t number = reader_signed(encoded);
    uint64_t mask = integer->width == 64 ? UINT64_MAX : (1ull << integer->width) - 1;
    bool fits = fits_width((uint64_t)number, integer->width) ||
                (number < 0 && number >= -(int64_t)(mask / 2) - 1);
    if (!fits)
        return reader_corrupt(r, "DXIL integer constant %lld does not fit i%u", (long long)number, integer->width);
    struct ir_value *value = reader_add_value(r, IR_VALUE_INTEGER, type);
    if (value)
        value->integer = (uint64_t)number & mask;
    return value != NULL;
}

static bool read_float(struct ir_reader *r, struct ir_record *record, uint32_t type)
{
    uint64_t bits;
    if (!record_next(r, record, UINT64_MAX, "value of a float", &bits))
        return false;
    if (!type_is_float(&r->types[type]) || !fits_width(bits, type_scalar_bits(&r->types[type])))
        return reader_corrupt(r, "DXIL float constant does not fit its type");
    struct ir_value *value = reader_add_value(r, IR_VALUE_FLOAT, type);
    if (value)
        value->integer = bits;
    return value != NULL;
}

static bool read_zero(struct ir_reader *r, uint32_t type, enum ir_value_kind kind)
{
    if (!has_zero_value(&r->types[type]))
        return reader_corrupt(r, "DXIL null or undef constant of a type without values");
    struct ir_value *value = reader_add_value(r, kind, type);
    if (value && kind == IR_VALUE_NULL && type_is_integer(&r->types[type]))
        value->kind = IR_VALUE_INTEGER;
    return value != NULL;
}

/* Elements that a constant of this type lists. */
static bool element_count(const struct ir_type *type, uint64_t *count)
{
    if (type->kind == IR_TYPE_STRUCT || type->kind == IR_TYPE_VECTOR)
        *count = type->count;
    else if (type->kind == IR_TYPE_ARRAY)
        *count = type->array_count;
    else
        return false;
    return true;
}

static bool read_aggregate(struct ir_reader *r, uint32_t item_index, uint32_t type)
{
    struct ir_record record = reader_record(r, item_index);
    uint64_t count;
    if (!element_count(&r->types[type], &count) || count != record.count || count == 0)
        return reader_corrupt(r, "DXIL aggregate constant does not have the elements of its type");
    struct ir_value *value = reader_add_value(r, IR_VALUE_AGGREGATE, type);
    if (value)
        value->index = item_index;
    return value != NULL;
}

static bool read_data(struct ir_reader *r, uint32_t item_index, uint32_t type)
{
    struct ir_record record = reader_record(r, item_index);
    const struct ir_type *aggregate = &r->types[type];
    uint64_t count;
    if (aggregate->kind == IR_TYPE_STRUCT || !element_count(aggregate, &count) || count != record.count || count == 0)
        return reader_corrupt(r, "DXIL data constant does not have the elements of its type");
    uint32_t bits = type_scalar_bits(&r->types[aggregate->element]);
    if (bits < 8)
        return reader_corrupt(r, "DXIL data constant of elements that are no numbers");
    for (uint32_t i = 0; i < record.count; i++)
        if (!fits_width(record.operands[i], bits))
            return reader_corrupt(r, "element %u of a DXIL data constant does not fit %u bits", i, bits);
    struct ir_value *value = reader_add_value(r, IR_VALUE_DATA, type);
    if (value)
        value->index = item_index;
    return value != NULL;
}

static bool read_expression(struct ir_reader *r, uint32_t item_index, uint32_t type)
{
    if (r->types[type].kind != IR_TYPE_POINTER)
        return reader_corrupt(r, "DXIL constant expression that is no pointer");
    struct ir_value *value = reader_add_value(r, IR_VALUE_EXPRESSION, type);
    if (value)
        value->index = item_index;
    return value != NULL;
}

static bool read_constant(struct ir_reader *r, uint32_t item_index, uint32_t *type)
{
    struct ir_record record = reader_record(r, item_index);
    uint64_t new_type;
    if (record.item->kind != BITSTREAM_ITEM_RECORD)
        return reader_corrupt(r, "DXIL constants hold block %u", record.item->code);
    if (*type == IR_NONE && record.item->code != CONSTANT_SETTYPE)
        return reader_corrupt(r, "DXIL constant before any type was set");
    switch (record.item->code) {
    case CONSTANT_SETTYPE:
        if (!record_next(r, &record, UINT32_MAX, "type of constants", &new_type) ||
            !reader_type(r, new_type, "a constant"))
            return false;
        *type = (uint32_t)new_type;
        return true;
    case CONSTANT_NULL:
        return read_zero(r, *type, IR_VALUE_NULL);
    case CONSTANT_UNDEF:
        return read_zero(r, *type, IR_VALUE_UNDEF);
    case CONSTANT_INTEGER:
        return read_integer(r, &record, *type);
    case CONSTANT_FLOAT:
        return read_float(r, &record, *type);
    case CONSTANT_AGGREGATE:
        return read_aggregate(r, item_index, *type);
    case CONSTANT_DATA:
        return read_data(r, item_index, *type);
    case CONSTANT_CAST:
    case CONSTANT_GEP:
    case CONSTANT_INBOUNDS_GEP:
        return read_expression(r, item_index, *type);
    }
    return reader_corrupt(r, "unknown constant record %u in the DXIL module", record.item->code);
}

static bool check_aggregate(struct ir_reader *r, const struct ir_value *value)
{
    struct ir_record record = reader_record(r, value->index);
    if (r->types[value->type].not_plain)
        return reader_corrupt(r, "DXIL aggregate constant with pointers");
    for (uint32_t i = 0; i < record.count; i++) {
        uint64_t id = record.operands[i];
        if (id >= r->value_count || !value_is_constant(&r->values[id]) ||
            r->values[id].kind == IR_VALUE_EXPRESSION ||
            r->values[id].type != type_member(r, value->type, i))
            return reader_corrupt(r, "element %u of a DXIL aggregate constant does not fit its type", i);
    }
    return true;
}

/* The pointer that an expression starts from: a variable or an earlier expression, so that there are no circles. */
static bool check_base(struct ir_reader *r, const struct ir_value *value, uint64_t type, uint64_t id)
{
    uint32_t self = (uint32_t)(value - r->values);
    if (id >= r->value_count || r->values[id].type != type || r->types[type].kind != IR_TYPE_POINTER)
        return reader_corrupt(r, "DXIL constant expression over something that is no pointer of its type");
    const struct ir_value *base = &r->values[id];
    if (base->kind != IR_VALUE_GLOBAL && base->kind != IR_VALUE_EXPRESSION)
        return reader_corrupt(r, "DXIL constant expression over something that is no variable");
    if (base->kind == IR_VALUE_EXPRESSION && id >= self && id < r->value_count) {
        /* A later one: follow the chain; every link must come to a variable within the number of values. */
        uint32_t steps = 0;
        while (base->kind == IR_VALUE_EXPRESSION) {
            struct ir_record record = reader_record(r, base->index);
            uint32_t at = record.item->code == CONSTANT_CAST ? 2 : record.count % 2 ? 2 : 1;
            if (at >= record.count || record.operands[at] >= r->value_count || ++steps > GEP_INDICES_MAX)
                return reader_corrupt(r, "DXIL constant expression that does not lead to a variable");
            base = &r->values[record.operands[at]];
        }
    }
    return true;
}

static bool check_cast(struct ir_reader *r, const struct ir_value *value)
{
    struct ir_record record = reader_record(r, value->index);
    uint64_t opcode, type, id;
    if (!record_next(r, &record, UINT32_MAX, "constant cast", &opcode) ||
        !record_next(r, &record, UINT32_MAX, "type of a constant cast", &type) ||
        !record_next(r, &record, UINT32_MAX, "operand of a constant cast", &id) || !reader_type(r, type, "a constant cast"))
        return false;
    if (record.count != 3 || !check_base(r, value, type, id))
        return reader_corrupt(r, "malformed constant cast in the DXIL module");
    bool same_space = r->types[type].address_space == r->types[value->type].address_space;
    const struct ir_type *from = &r->types[r->types[type].element], *to = &r->types[r->types[value->type].element];
    /* Resource variables are names of registers, no memory: DXC casts between their class and a handle. */
    bool is_register = r->values[id].kind == IR_VALUE_GLOBAL && r->globals[r->values[id].index].external &&
                       r->types[type].address_space == 0;
    if ((to->byte_count > from->byte_count || to->not_plain || from->not_plain) && !is_register)
        return reader_corrupt(r, "constant cast of a pointer to one to a larger type");
    if (!(opcode == CAST_BITCAST && same_space) && !(opcode == CAST_ADDRESS_SPACE && !same_space))
        return reader_corrupt(r, "constant cast %llu is not allowed in DXIL", (unsigned long long)opcode);
    return true;
}

static bool index_in_bounds(const struct ir_reader *r, uint32_t type, uint64_t index)
{
    const struct ir_type *aggregate = &r->types[type];
    if (aggregate->kind == IR_TYPE_STRUCT || aggregate->kind == IR_TYPE_VECTOR)
        return index < aggregate->count;
    return aggregate->kind == IR_TYPE_ARRAY && (index < aggregate->array_count || aggregate->array_count == 0);
}

static bool check_gep(struct ir_reader *r, const struct ir_value *value)
{
    struct ir_record record = reader_record(r, value->index);
    if (record.count % 2 == 0 || record.count < 5 || record.count > 2 * GEP_INDICES_MAX)
        return reader_corrupt(r, "malformed constant getelementptr in the DXIL module");
    uint64_t pointee = record.operands[0], base_type = record.operands[1];
    if (!reader_type(r, pointee, "a constant getelementptr") || !reader_type(r, base_type, "a constant getelementptr") ||
        !check_base(r, value, base_type, record.operands[2]))
        return false;
    if (r->types[base_type].element != pointee)
        return reader_corrupt(r, "constant getelementptr over a pointer to another type");
    uint32_t current = (uint32_t)pointee;
    for (uint32_t i = 3; i < record.count; i += 2) {
        uint64_t id = record.operands[i + 1];
        if (id >= r->value_count || r->values[id].kind != IR_VALUE_INTEGER || r->values[id].type != record.operands[i])
            return reader_corrupt(r, "constant getelementptr with an index that is no integer");
        if (i == 3 && r->values[id].integer != 0)
            return reader_corrupt(r, "constant getelementptr that leaves its variable");
        if (i == 3)
            continue;
        const struct ir_type *aggregate = &r->types[current];
        bool i32 = r->values[id].type == r->scalar_types[SCALAR_I32];
        if (!index_in_bounds(r, current, r->values[id].integer) || (aggregate->kind == IR_TYPE_STRUCT && !i32))
            return reader_corrupt(r, "constant getelementptr with an index outside its type");
        current = type_member(r, current, r->values[id].integer);
    }
    if (r->types[current].pointers[r->types[base_type].address_space] != value->type)
        return reader_corrupt(r, "constant getelementptr does not have the type of what it points to");
    return true;
}

static bool check_complete(struct ir_reader *r, uint32_t first)
{
    for (uint32_t i = first; i < r->value_count; i++) {
        const struct ir_value *value = &r->values[i];
        bool valid = true;
        if (value->kind == IR_VALUE_AGGREGATE)
            valid = check_aggregate(r, value);
        else if (value->kind == IR_VALUE_EXPRESSION)
            valid = r->stream.items[value->index].code == CONSTANT_CAST ? check_cast(r, value) : check_gep(r, value);
        if (!valid)
            return false;
    }
    return true;
}

bool reader_constants(struct ir_reader *r, uint32_t enter)
{
    uint32_t exit = r->stream.items[enter].exit_index, first = r->value_count, type = IR_NONE;
    for (uint32_t i = enter + 1; i < exit; i++)
        if (!read_constant(r, i, &type))
            return false;
    return check_complete(r, first);
}
