/* SPDX-License-Identifier: MIT
 * Calls of dx.op functions against the operation table: opcode, class, overload, types of all operands, shader model,
 * support, and the operands that must be constants. See function.h. */
#include <stdio.h>
#include <string.h>

#include "dxil/function.h"

/* What the letters of a signature mean for one call. */
struct op_check {
    const struct ir_reader *r;
    const struct dxil_op *op;
    uint32_t overload; /* type, IR_NONE until known */
};

static bool struct_is(const struct ir_reader *r, uint32_t type, const char *name)
{
    const struct ir_type *t = &r->types[type];
    return t->kind == IR_TYPE_STRUCT && t->name && strcmp(t->name, name) == 0;
}

/* A struct with this name, possibly with a number that linking put behind it (".0"), and members of these scalar types. */
static bool struct_of(const struct ir_reader *r, uint32_t type, const char *name, const char *letters)
{
    static const char order[] = "hfd18wil";
    const struct ir_type *t = &r->types[type];
    if (!struct_is(r, type, name) || t->count != strlen(letters))
        return false;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->elements[i] != r->scalar_types[strchr(order, letters[i]) - order])
            return false;
    return true;
}

static bool is_handle(const struct ir_reader *r, uint32_t type, const char *name)
{
    const struct ir_type *t = &r->types[type];
    if (!struct_is(r, type, name) || t->count != 1)
        return false;
    const struct ir_type *member = &r->types[t->elements[0]];
    return member->kind == IR_TYPE_POINTER && member->element == r->scalar_types[SCALAR_I8];
}

static bool all_members_are(const struct ir_type *type, uint32_t first, uint32_t end, uint32_t member)
{
    for (uint32_t i = first; i < end; i++)
        if (type->elements[i] != member)
            return false;
    return true;
}

/* %dx.types.ResRet.T: four values and a status, or one vector and a status. */
static bool is_resource_result(const struct op_check *c, uint32_t type, uint32_t overload)
{
    const struct ir_type *t = &c->r->types[type];
    uint32_t i32 = c->r->scalar_types[SCALAR_I32];
    if (t->kind != IR_TYPE_STRUCT || !t->name || strncmp(t->name, "dx.types.ResRet.", 16) != 0)
        return false;
    uint32_t values = type_lanes(c->r, overload) ? 1 : 4;
    return t->count == values + 1 && all_members_are(t, 0, values, overload) && t->elements[values] == i32;
}

/* %dx.types.CBufRet.T: 16 bytes of values; eight 16-bit ones with native types, four with minimum precision. */
static bool is_cbuffer_result(const struct op_check *c, uint32_t type, uint32_t overload)
{
    const struct ir_type *t = &c->r->types[type];
    if (t->kind != IR_TYPE_STRUCT || !t->name || strncmp(t->name, "dx.types.CBufRet.", 17) != 0)
        return false;
    uint32_t bits = type_scalar_bits(&c->r->types[overload]);
    uint32_t count = bits == 64 ? 2 : bits == 16 && c->r->module->native_16bit ? 8 : 4;
    return t->count == count && all_members_are(t, 0, count, overload);
}

static uint32_t scalar_type(const struct op_check *c, char letter)
{
    static const char order[] = "hfd18wil";
    const char *at = strchr(order, letter);
    return at ? c->r->scalar_types[at - order] : IR_NONE;
}

/* The overload type that a parameter of this letter implies; IR_NONE if the letter says nothing. */
static uint32_t implied_overload(const struct op_check *c, char letter, uint32_t type)
{
    const struct ir_type *t = &c->r->types[type];
    switch (letter) {
    case 'o':
    case 'T':
    case 'U':
        return type;
    case 'r':
    case 'c':
        return t->kind == IR_TYPE_STRUCT && t->count ? t->elements[0] : IR_NONE;
    case '4':
        return t->kind == IR_TYPE_STRUCT && t->count ? t->elements[0] : IR_NONE;
    case '9':
        return type_lanes(c->r, type) == 9 ? type_scalar(c->r, type) : IR_NONE;
    default:
        return IR_NONE;
    }
}

static bool is_four(const struct op_check *c, uint32_t type)
{
    return struct_of(c->r, type, "dx.types.fouri32", "iiii") || struct_of(c->r, type, "dx.types.fouri16", "wwww");
}

static bool letter_fits(const struct op_check *c, char letter, uint32_t type)
{
    const struct ir_reader *r = c->r;
    uint32_t overload = c->overload;
    switch (letter) {
    case 'v':
        return r->types[type].kind == IR_TYPE_VOID;
    case 'o':
    case 'T':
    case 'U':
        return type == overload;
    case 'r':
        return is_resource_result(c, type, overload);
    case 'c':
        return is_cbuffer_result(c, type, overload);
    case 'b':
        return type == type_with_shape(r, r->scalar_types[SCALAR_I1], overload);
    case 'j':
        return type == type_with_shape(r, r->scalar_types[SCALAR_I32], overload);
    case 'e':
        return type == type_scalar(r, overload);
    case '4':
        return is_four(c, type) && r->types[type].elements[0] == overload;
    case '9':
        return type_lanes(r, type) == 9 && type_scalar(r, type) == overload;
    case 'H':
        return is_handle(r, type, "dx.types.Handle");
    case 'O':
        return is_handle(r, type, "dx.types.HitObject");
    case 'D':
        return struct_of(r, type, "dx.types.Dimensions", "iiii");
    case 'S':
        return struct_of(r, type, "dx.types.splitdouble", "ii");
    case 't':
        return struct_of(r, type, "dx.types.twoi32", "ii");
    case 'C':
        return struct_of(r, type, "dx.types.i32c", "i1");
    case 'p':
        return struct_of(r, type, "dx.types.SamplePos", "ff");
    case 'q':
        return struct_of(r, type, "dx.types.fouri32", "iiii");
    case 'P':
        return struct_of(r, type, "dx.types.ResourceProperties", "ii");
    case 'B':
        return struct_of(r, type, "dx.types.ResBind", "iii8");
    default:
        return type == scalar_type(c, letter);
    }
}

/* Letter of a scalar type as in dxil_op.overloads, 0 if it has none. */
static char letter_of(const struct ir_reader *r, uint32_t type)
{
    for (uint32_t i = 0; i < 8; i++)
        if (r->scalar_types[i] == type)
            return "hfd18wil"[i];
    return 0;
}

static bool overload_is_legal(const struct op_check *c)
{
    const char *legal = c->op->overloads, *vectors = strchr(legal, '<');
    const struct ir_type *type = &c->r->types[c->overload];
    if (strcmp(legal, "u") == 0)
        return type->kind == IR_TYPE_POINTER && type->address_space == 0 &&
               c->r->types[type->element].kind == IR_TYPE_STRUCT;
    if (strcmp(legal, "o") == 0)
        return type->kind == IR_TYPE_STRUCT;
    bool vector = type->kind == IR_TYPE_VECTOR;
    char letter = letter_of(c->r, type_scalar(c->r, c->overload));
    if (!letter || (vector && (!vectors || c->r->module->minor < 9)))
        return false;
    const char *found = strchr(vector ? vectors : legal, letter);
    return found && (vector || !vectors || found < vectors);
}

/* jit finds the size of a payload or attribute struct by the name behind the operation: it may not be that of a larger one. */
static bool struct_suffix_is_right(struct ir_reader *r, uint32_t pointer, uint32_t function, const char *suffix)
{
    const struct ir_type *type = &r->types[r->types[pointer].element];
    if (r->functions[function].has_checked_suffix || (type->name && strcmp(type->name, suffix) == 0))
        return true;
    for (uint32_t i = 0; i < r->type_count; i++)
        if (r->types[i].kind == IR_TYPE_STRUCT && r->types[i].name && strcmp(r->types[i].name, suffix) == 0 &&
            r->types[i].byte_count > type->byte_count)
            return false;
    r->functions[function].has_checked_suffix = true;
    return true;
}

/* The suffix that a scalar or vector overload gives the function's name: "f32", "v4i1". */
static bool suffix_is_right(struct ir_reader *r, const struct op_check *c, uint32_t function, const char *suffix)
{
    static const char *const names[] = {"f16", "f32", "f64", "i1", "i8", "i16", "i32", "i64"};
    const struct ir_type *type = &c->r->types[c->overload];
    if (type->kind == IR_TYPE_POINTER)
        return *suffix && struct_suffix_is_right(r, c->overload, function, suffix);
    if (type->kind == IR_TYPE_STRUCT)
        return *suffix != 0;
    char expected[16];
    const char *at = strchr("hfd18wil", letter_of(c->r, type_scalar(c->r, c->overload)));
    const char *scalar = names[at - "hfd18wil"];
    if (type->kind == IR_TYPE_VECTOR)
        snprintf(expected, sizeof(expected), "v%u%s", type->count, scalar);
    else
        snprintf(expected, sizeof(expected), "%s", scalar);
    return strcmp(suffix, expected) == 0;
}

static bool check_types(struct ir_body *b, struct op_check *c, const struct ir_function *callee)
{
    const struct ir_type *type = &b->r->types[callee->type];
    const char *signature = c->op->signature;
    uint32_t count = (uint32_t)strlen(signature) - 1;
    if (type->count != count)
        return body_corrupt(b, "%s takes %u operands, %s has %u,", callee->name, type->count, c->op->name, count);
    for (uint32_t i = 0; i <= count && c->overload == IR_NONE; i++)
        c->overload = implied_overload(c, signature[i], i ? type->elements[i - 1] : type->element);
    if (c->op->overloads[0] && (c->overload == IR_NONE || !overload_is_legal(c)))
        return body_corrupt(b, "%s has no overload of %s (%s)", c->op->name, callee->name, c->op->overloads);
    for (uint32_t i = 0; i <= count; i++) {
        uint32_t given = i ? type->elements[i - 1] : type->element;
        char text[64];
        if (!letter_fits(c, signature[i], given))
            return body_corrupt(b, "%s: %s %u of %s is %s,", callee->name, i ? "operand" : "result", i ? i - 1 : 0,
                                c->op->name, type_text(b->r, given, text));
    }
    return true;
}

/* Operands that must be constant integers, bit k = operand k with the opcode as 0. */
static uint32_t constant_operands(uint32_t opcode)
{
    switch (opcode) {
    case DXIL_OPCODE_CreateHandle:
        return 1 << 1 | 1 << 2 | 1 << 4;
    case DXIL_OPCODE_CreateHandleFromBinding:
        return 1 << 3;
    case DXIL_OPCODE_CreateHandleFromHeap:
        return 1 << 2 | 1 << 3;
    case DXIL_OPCODE_Barrier:
    case DXIL_OPCODE_AllocateRayQuery:
        return 1 << 1;
    case DXIL_OPCODE_AllocateRayQuery2:
    case DXIL_OPCODE_BarrierByMemoryType:
        return 1 << 1 | 1 << 2;
    case DXIL_OPCODE_BarrierByMemoryHandle:
    case DXIL_OPCODE_WaveActiveBit:
    case DXIL_OPCODE_QuadOp:
    case DXIL_OPCODE_QuadVote:
        return 1 << 2;
    case DXIL_OPCODE_WaveActiveOp:
    case DXIL_OPCODE_WavePrefixOp:
        return 1 << 2 | 1 << 3;
    case DXIL_OPCODE_WaveMultiPrefixOp:
        return 1 << 6 | 1 << 7;
    case DXIL_OPCODE_RawBufferLoad:
        return 1 << 4;
    case DXIL_OPCODE_RawBufferStore:
        return 1 << 8;
    default:
        return 0;
    }
}

/* Handles must come from somewhere: an undefined one would reach memory. */
static bool check_handle(struct ir_body *b, const struct dxil_op *op, uint32_t operand, uint32_t id, char letter)
{
    const struct ir_value *value = &b->r->values[id];
    bool constant = id < b->r->value_count && value_is_constant(value);
    bool query = operand == 1 && (strncmp(op->class_name, "rayQuery_", 9) == 0);
    if (op->number == DXIL_OPCODE_HitObject_FromRayQuery || op->number == DXIL_OPCODE_HitObject_FromRayQueryWithAttrs)
        query = operand == 1;
    if (constant && (letter == 'H' || letter == 'O' || query))
        return reader_fail(b->r, STATUS_INVALID, "%s in function %s: its %s is %s, not an object", op->name, b->name,
                           query ? "ray query" : letter == 'H' ? "resource handle" : "hit object",
                           value->kind == IR_VALUE_UNDEF ? "undefined" : "a constant");
    return true;
}

static bool check_operands(struct ir_body *b, const struct dxil_op *op, const uint32_t *arguments, uint32_t count)
{
    uint32_t constants = constant_operands(op->number);
    for (uint32_t i = 1; i < count; i++) {
        uint64_t integer;
        if (constants >> i & 1 && !body_constant(b, arguments[i], &integer))
            return body_corrupt(b, "operand %u of %s is no constant", i, op->name);
        char letter = op->signature[i + 1];
        if ((letter == 'B' || letter == 'P') && !value_is_constant(&b->r->values[arguments[i]]))
            return body_corrupt(b, "operand %u of %s is no constant", i, op->name);
        if (!check_handle(b, op, i, arguments[i], letter))
            return false;
    }
    return true;
}

/* A query that forces the two states of opacity micromaps must be one that looks at them. */
static bool check_query_flags(struct ir_body *b, const struct dxil_op *op, const uint32_t *arguments)
{
    const uint32_t force_omm_2_state = 0x400, allow_opacity_micromaps = 0x1; /* RAY_FLAG, RAYQUERY_FLAG */
    uint64_t ray_flags, query_flags;
    if (op->number != DXIL_OPCODE_AllocateRayQuery2 || !body_constant(b, arguments[1], &ray_flags) ||
        !body_constant(b, arguments[2], &query_flags) || !(ray_flags & force_omm_2_state) ||
        (query_flags & allow_opacity_micromaps))
        return true;
    return reader_fail(b->r, STATUS_INVALID,
                       "%s in function %s: RAY_FLAG_FORCE_OMM_2_STATE without RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS",
                       op->name, b->name);
}

static bool class_is(const char *name, const char *class_name, const char **suffix)
{
    size_t length = strlen(class_name);
    if (strncmp(name, class_name, length) != 0 || (name[length] != 0 && name[length] != '.'))
        return false;
    *suffix = name[length] ? name + length + 1 : "";
    return true;
}

bool body_check_op(struct ir_body *b, const struct ir_function *callee, const uint32_t *arguments, uint32_t count)
{
    struct ir_reader *r = b->r;
    uint64_t opcode;
    if (!count || !body_constant(b, arguments[0], &opcode) ||
        r->values[arguments[0]].type != r->scalar_types[SCALAR_I32])
        return body_corrupt(b, "%s is called without a constant opcode", callee->name);
    const struct dxil_op *op = dxil_op_find((uint32_t)opcode);
    if (!op)
        return reader_fail(r, STATUS_UNSUPPORTED, "dx.op opcode %llu (called through %s in function %s) is not known",
                           (unsigned long long)opcode, callee->name, b->name);
    const char *suffix;
    if (!class_is(callee->op_class, op->class_name, &suffix))
        return body_corrupt(b, "opcode %llu %s is called through %s", (unsigned long long)opcode, op->name, callee->name);
    if (op->support != DXIL_SUPPORT_WORKS)
        return reader_fail(r, STATUS_UNSUPPORTED, "operation %s (opcode %u, in function %s) is refused: %s", op->name,
                           (uint32_t)opcode, b->name, dxil_support_text(op->support));
    if (r->module->minor < op->minor_version)
        return reader_fail(r, STATUS_INVALID, "opcode %u %s in function %s needs shader model 6.%u, the module has 6.%u",
                           (uint32_t)opcode, op->name, b->name, op->minor_version, r->module->minor);
    struct op_check check = {r, op, IR_NONE};
    if (!check_types(b, &check, callee))
        return false;
    if (op->overloads[0] ? !suffix_is_right(r, &check, (uint32_t)(callee - r->functions), suffix) : *suffix != 0)
        return body_corrupt(b, "%s is not named after its overload", callee->name);
    return check_operands(b, op, arguments, count) && check_query_flags(b, op, arguments) && reader_note_op(r, b->function, op);
}
