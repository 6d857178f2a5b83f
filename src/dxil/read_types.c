/* SPDX-License-Identifier: MIT
 * The type table: only types that DXIL may use, each referring to earlier ones, so nothing is recursive. See reader.h. */
#include <stdio.h>
#include <string.h>

#include "dxil/reader.h"

enum {
    TYPE_NUMENTRY = 1,
    TYPE_VOID = 2,
    TYPE_FLOAT = 3,
    TYPE_DOUBLE = 4,
    TYPE_LABEL = 5,
    TYPE_INTEGER = 7,
    TYPE_POINTER = 8,
    TYPE_HALF = 10,
    TYPE_ARRAY = 11,
    TYPE_VECTOR = 12,
    TYPE_METADATA = 16,
    TYPE_STRUCT_ANONYMOUS = 18,
    TYPE_STRUCT_NAME = 19,
    TYPE_STRUCT_NAMED = 20,
    TYPE_FUNCTION = 21,
};

static uint64_t add_saturating(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t multiply_saturating(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

const struct ir_type *reader_type(struct ir_reader *r, uint64_t id, const char *what)
{
    if (id >= r->type_count) {
        reader_corrupt(r, "DXIL module: %s refers to type %llu of %u", what, (unsigned long long)id, r->type_count);
        return NULL;
    }
    return &r->types[id];
}

bool type_is_integer(const struct ir_type *type)
{
    return type->kind == IR_TYPE_INTEGER;
}

bool type_is_float(const struct ir_type *type)
{
    return type->kind == IR_TYPE_HALF || type->kind == IR_TYPE_FLOAT || type->kind == IR_TYPE_DOUBLE;
}

uint32_t type_scalar_bits(const struct ir_type *type)
{
    switch (type->kind) {
    case IR_TYPE_HALF:
        return 16;
    case IR_TYPE_FLOAT:
        return 32;
    case IR_TYPE_DOUBLE:
        return 64;
    case IR_TYPE_INTEGER:
        return type->width;
    default:
        return 0;
    }
}

bool type_is_first_class(const struct ir_type *type)
{
    return type->kind != IR_TYPE_VOID && type->kind != IR_TYPE_FUNCTION && type->kind != IR_TYPE_LABEL &&
           type->kind != IR_TYPE_METADATA;
}

uint32_t type_scalar(const struct ir_reader *r, uint32_t id)
{
    return r->types[id].kind == IR_TYPE_VECTOR ? r->types[id].element : id;
}

uint32_t type_lanes(const struct ir_reader *r, uint32_t id)
{
    return r->types[id].kind == IR_TYPE_VECTOR ? r->types[id].count : 0;
}

uint32_t type_with_shape(const struct ir_reader *r, uint32_t scalar, uint32_t shape_of)
{
    uint32_t lanes = type_lanes(r, shape_of);
    if (scalar == IR_NONE || !lanes)
        return scalar;
    const struct ir_type *type = &r->types[scalar];
    return type->vectors ? type->vectors[lanes] : IR_NONE;
}

uint32_t type_member(const struct ir_reader *r, uint32_t aggregate, uint64_t member)
{
    const struct ir_type *type = &r->types[aggregate];
    if (type->kind == IR_TYPE_STRUCT)
        return member < type->count ? type->elements[member] : IR_NONE;
    if (type->kind == IR_TYPE_ARRAY || type->kind == IR_TYPE_VECTOR)
        return type->element;
    return IR_NONE;
}

const char *type_text(const struct ir_reader *r, uint32_t id, char text[64])
{
    static const char *const plain[] = {"void", "half", "float", "double"};
    if (id >= r->type_count)
        return "?";
    const struct ir_type *type = &r->types[id];
    char inner[64];
    switch (type->kind) {
    case IR_TYPE_INTEGER:
        snprintf(text, 64, "i%u", type->width);
        break;
    case IR_TYPE_POINTER:
        snprintf(text, 64, "%.60s*", type_text(r, type->element, inner));
        break;
    case IR_TYPE_VECTOR:
        snprintf(text, 64, "<%u x %.40s>", type->count, type_text(r, type->element, inner));
        break;
    case IR_TYPE_ARRAY:
        snprintf(text, 64, "[%llu x %.36s]", (unsigned long long)type->array_count,
                 r->types[type->element].kind == IR_TYPE_ARRAY ? "[...]" : type_text(r, type->element, inner));
        break;
    case IR_TYPE_STRUCT:
        snprintf(text, 64, "%%%.60s", type->name ? type->name : "(literal struct)");
        break;
    case IR_TYPE_FUNCTION:
        return "a function type";
    case IR_TYPE_LABEL:
        return "label";
    case IR_TYPE_METADATA:
        return "metadata";
    default:
        return plain[type->kind];
    }
    return text;
}

static struct ir_type *add_type(struct ir_reader *r, enum ir_type_kind kind)
{
    if (r->type_count == r->type_capacity) {
        reader_corrupt(r, "DXIL type table has more types than it announced");
        return NULL;
    }
    struct ir_type *type = &r->types[r->type_count++];
    type->kind = (uint8_t)kind;
    type->pair_with_i1 = IR_NONE;
    for (uint32_t i = 0; i < IR_ADDRESS_SPACES; i++)
        type->pointers[i] = IR_NONE;
    return type;
}

/* half, float, double and integers appear once each, so that equal types have equal ids. */
static bool add_scalar(struct ir_reader *r, enum ir_type_kind kind, uint32_t bits, uint32_t slot)
{
    if (r->scalar_types[slot] != IR_NONE)
        return reader_corrupt(r, "DXIL type table lists a type of %u bits twice", bits);
    struct ir_type *type = add_type(r, kind);
    if (!type)
        return false;
    type->width = kind == IR_TYPE_INTEGER ? (uint8_t)bits : 0;
    type->byte_count = bits < 8 ? 1 : bits / 8;
    type->align_bytes = (uint32_t)type->byte_count;
    r->scalar_types[slot] = r->type_count - 1;
    return true;
}

static bool add_integer(struct ir_reader *r, struct ir_record *record)
{
    uint64_t width;
    if (!record_next(r, record, UINT32_MAX, "width of an integer type", &width))
        return false;
    switch (width) {
    case 1:
        return add_scalar(r, IR_TYPE_INTEGER, 1, SCALAR_I1);
    case 8:
        return add_scalar(r, IR_TYPE_INTEGER, 8, SCALAR_I8);
    case 16:
        return add_scalar(r, IR_TYPE_INTEGER, 16, SCALAR_I16);
    case 32:
        return add_scalar(r, IR_TYPE_INTEGER, 32, SCALAR_I32);
    case 64:
        return add_scalar(r, IR_TYPE_INTEGER, 64, SCALAR_I64);
    }
    return reader_corrupt(r, "DXIL type i%llu is not known, integers have 1, 8, 16, 32 or 64 bits", (unsigned long long)width);
}

static bool add_pointer(struct ir_reader *r, struct ir_record *record)
{
    uint64_t pointee = 0, space = 0;
    if (!record_next(r, record, UINT32_MAX, "pointee", &pointee) ||
        (record->count > 1 && !record_next(r, record, IR_ADDRESS_SPACES - 1, "address space", &space)))
        return false;
    const struct ir_type *target = reader_type(r, pointee, "a pointer type");
    if (!target)
        return false;
    if (target->kind == IR_TYPE_VOID || target->kind == IR_TYPE_LABEL || target->kind == IR_TYPE_METADATA)
        return reader_corrupt(r, "DXIL type table has a pointer to a type that cannot be in memory");
    if (target->pointers[space] != IR_NONE)
        return reader_corrupt(r, "DXIL type table lists a pointer type twice");
    struct ir_type *type = add_type(r, IR_TYPE_POINTER);
    if (!type)
        return false;
    type->element = (uint32_t)pointee;
    type->address_space = (uint8_t)space;
    type->byte_count = type->align_bytes = 8;
    type->not_plain = true;
    r->types[pointee].pointers[space] = r->type_count - 1;
    return true;
}

static bool add_vector(struct ir_reader *r, struct ir_record *record)
{
    uint64_t lanes, element;
    if (!record_next(r, record, IR_VECTOR_LANES_MAX, "vector length", &lanes) ||
        !record_next(r, record, UINT32_MAX, "vector element", &element) || !reader_type(r, element, "a vector type"))
        return false;
    struct ir_type *scalar = &r->types[element];
    if (!type_scalar_bits(scalar) || lanes == 0)
        return reader_corrupt(r, "DXIL type table has a vector of %llu elements that are no numbers", (unsigned long long)lanes);
    if (!scalar->vectors) {
        scalar->vectors = reader_allocate(r, &r->arena, IR_VECTOR_LANES_MAX + 1, sizeof(uint32_t));
        if (!scalar->vectors)
            return false;
        memset(scalar->vectors, 0xff, (IR_VECTOR_LANES_MAX + 1) * sizeof(uint32_t));
    }
    if (scalar->vectors[lanes] != IR_NONE)
        return reader_corrupt(r, "DXIL type table lists a vector type twice");
    struct ir_type *type = add_type(r, IR_TYPE_VECTOR);
    if (!type)
        return false;
    type->element = (uint32_t)element;
    type->count = (uint32_t)lanes;
    uint64_t stored_bytes = (lanes * type_scalar_bits(scalar) + 7) / 8;
    type->align_bytes = 1; /* vectors take the next power of two */
    while (type->align_bytes < stored_bytes)
        type->align_bytes *= 2;
    type->byte_count = type->align_bytes;
    scalar->vectors[lanes] = r->type_count - 1;
    return true;
}

static bool can_be_member(const struct ir_type *type)
{
    return type_is_first_class(type);
}

static bool add_array(struct ir_reader *r, struct ir_record *record)
{
    uint64_t count, element;
    if (!record_next(r, record, UINT32_MAX, "array length", &count) ||
        !record_next(r, record, UINT32_MAX, "array element", &element))
        return false;
    const struct ir_type *member = reader_type(r, element, "an array type");
    if (!member)
        return false;
    if (!can_be_member(member))
        return reader_corrupt(r, "DXIL type table has an array of a type that cannot be in memory");
    struct ir_type *type = add_type(r, IR_TYPE_ARRAY);
    if (!type)
        return false;
    type->element = (uint32_t)element;
    type->array_count = count;
    type->byte_count = multiply_saturating(count, r->types[element].byte_count);
    type->align_bytes = r->types[element].align_bytes;
    type->not_plain = count == 0 || r->types[element].not_plain;
    return true;
}

static bool read_elements(struct ir_reader *r, struct ir_record *record, bool parameters, uint32_t **elements)
{
    uint32_t count = record->count - record->at;
    *elements = reader_allocate(r, &r->arena, count, sizeof(uint32_t));
    if (!*elements)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t id = record->operands[record->at++];
        const struct ir_type *type = reader_type(r, id, "a struct or function type");
        if (!type)
            return false;
        if (!can_be_member(type) && !(parameters && type->kind == IR_TYPE_METADATA))
            return reader_corrupt(r, "DXIL type table has a struct or function type over a type that is no value");
        (*elements)[i] = (uint32_t)id;
    }
    return true;
}

static uint64_t align_saturating(uint64_t bytes, uint32_t alignment)
{
    return add_saturating(bytes, alignment - 1) & ~(uint64_t)(alignment - 1);
}

static void lay_out_struct(const struct ir_reader *r, struct ir_type *type)
{
    type->align_bytes = 1;
    for (uint32_t i = 0; i < type->count; i++) {
        const struct ir_type *member = &r->types[type->elements[i]];
        type->byte_count = add_saturating(align_saturating(type->byte_count, member->align_bytes), member->byte_count);
        if (member->align_bytes > type->align_bytes)
            type->align_bytes = member->align_bytes;
        type->not_plain |= member->not_plain;
    }
    type->byte_count = align_saturating(type->byte_count, type->align_bytes);
}

static bool add_struct(struct ir_reader *r, struct ir_record *record, const char *name)
{
    uint64_t packed;
    uint32_t *elements;
    if (!record_next(r, record, 1, "packed flag", &packed))
        return false;
    if (packed)
        return reader_corrupt(r, "DXIL type table has a packed struct");
    uint32_t count = record->count - record->at;
    if (!read_elements(r, record, false, &elements))
        return false;
    struct ir_type *type = add_type(r, IR_TYPE_STRUCT);
    if (!type)
        return false;
    type->count = count;
    type->elements = elements;
    type->name = name;
    lay_out_struct(r, type);
    if (!name && count == 2 && r->scalar_types[SCALAR_I1] != IR_NONE && elements[1] == r->scalar_types[SCALAR_I1])
        r->types[elements[0]].pair_with_i1 = r->type_count - 1;
    if (name && strcmp(name, "dx.types.Handle") == 0)
        r->handle_type = r->type_count - 1;
    return true;
}

static bool add_function(struct ir_reader *r, struct ir_record *record)
{
    uint64_t varargs, result;
    uint32_t *parameters;
    if (!record_next(r, record, 1, "vararg flag", &varargs) || !record_next(r, record, UINT32_MAX, "return type", &result))
        return false;
    if (varargs)
        return reader_corrupt(r, "DXIL type table has a function with variable arguments");
    const struct ir_type *return_type = reader_type(r, result, "a function type");
    if (!return_type)
        return false;
    if (return_type->kind != IR_TYPE_VOID && !type_is_first_class(return_type))
        return reader_corrupt(r, "DXIL type table has a function that returns no value type");
    uint32_t count = record->count - record->at;
    if (count > IR_PARAMETERS_MAX)
        return reader_fail(r, STATUS_UNSUPPORTED, "DXIL module has a function with %u parameters, at most %d are accepted",
                           count, IR_PARAMETERS_MAX);
    if (!read_elements(r, record, true, &parameters))
        return false;
    struct ir_type *type = add_type(r, IR_TYPE_FUNCTION);
    if (!type)
        return false;
    type->element = (uint32_t)result;
    type->count = count;
    type->elements = parameters;
    return true;
}

static bool check_depth(struct ir_reader *r, struct ir_type *type)
{
    uint32_t deepest = 0;
    bool has_element = type->kind == IR_TYPE_POINTER || type->kind == IR_TYPE_VECTOR || type->kind == IR_TYPE_ARRAY ||
                       type->kind == IR_TYPE_FUNCTION;
    if (has_element)
        deepest = r->types[type->element].depth;
    for (uint32_t i = 0; type->elements && i < type->count; i++)
        if (r->types[type->elements[i]].depth > deepest)
            deepest = r->types[type->elements[i]].depth;
    if (deepest >= IR_TYPE_DEPTH_MAX)
        return reader_fail(r, STATUS_UNSUPPORTED, "DXIL types are nested more than %d deep", IR_TYPE_DEPTH_MAX);
    type->depth = (uint8_t)(deepest + 1);
    return true;
}

static bool read_type(struct ir_reader *r, uint32_t item_index, const char **pending_name)
{
    struct ir_record record = reader_record(r, item_index);
    const char *name = *pending_name;
    switch (record.item->code) {
    case TYPE_VOID:
        return add_type(r, IR_TYPE_VOID) != NULL;
    case TYPE_HALF:
        return add_scalar(r, IR_TYPE_HALF, 16, SCALAR_HALF);
    case TYPE_FLOAT:
        return add_scalar(r, IR_TYPE_FLOAT, 32, SCALAR_FLOAT);
    case TYPE_DOUBLE:
        return add_scalar(r, IR_TYPE_DOUBLE, 64, SCALAR_DOUBLE);
    case TYPE_LABEL:
        return add_type(r, IR_TYPE_LABEL) != NULL;
    case TYPE_METADATA:
        return add_type(r, IR_TYPE_METADATA) != NULL;
    case TYPE_INTEGER:
        return add_integer(r, &record);
    case TYPE_POINTER:
        return add_pointer(r, &record);
    case TYPE_ARRAY:
        return add_array(r, &record);
    case TYPE_VECTOR:
        return add_vector(r, &record);
    case TYPE_FUNCTION:
        return add_function(r, &record);
    case TYPE_STRUCT_ANONYMOUS:
        return add_struct(r, &record, NULL);
    case TYPE_STRUCT_NAME:
        return record_text(r, &record, 0, &r->arena, pending_name);
    case TYPE_STRUCT_NAMED:
        *pending_name = NULL;
        return add_struct(r, &record, name ? name : "");
    }
    return reader_corrupt(r, "unknown type record %u in the DXIL type table", record.item->code);
}

bool reader_types(struct ir_reader *r, uint32_t enter)
{
    uint32_t exit = r->stream.items[enter].exit_index;
    const char *pending_name = NULL;
    for (uint32_t i = enter + 1; i < exit; i++) {
        const struct bitstream_item *item = &r->stream.items[i];
        if (item->kind != BITSTREAM_ITEM_RECORD)
            return reader_corrupt(r, "DXIL type table holds block %u", item->code);
        if (i != enter + 1) {
            uint32_t before = r->type_count;
            if (!read_type(r, i, &pending_name))
                return false;
            if (r->type_count > before && !check_depth(r, &r->types[before]))
                return false;
            continue;
        }
        struct ir_record record = reader_record(r, i);
        uint64_t count;
        if (item->code != TYPE_NUMENTRY)
            return reader_corrupt(r, "DXIL type table does not begin with its length");
        if (!record_next(r, &record, exit - enter, "number of types", &count))
            return false;
        r->type_capacity = (uint32_t)count;
        r->types = reader_allocate(r, &r->arena, count, sizeof(*r->types));
        if (!r->types)
            return false;
    }
    if (!r->types || r->type_count != r->type_capacity || pending_name)
        return reader_corrupt(r, "DXIL type table has %u types and announced %u", r->type_count, r->type_capacity);
    return true;
}
