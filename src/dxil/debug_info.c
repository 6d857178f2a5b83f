/* SPDX-License-Identifier: MIT
 * Debug information of -Zi modules (LLVM 3.7 forms): every operand of every record is checked against a form, every
 * reference against the records that may stand there, and scopes and base types must not run in circles, because LLVM
 * follows them without looking. See reader.h. */
#include <string.h>

#include "dxil/reader.h"

enum {
    DEBUG_LOCATION = 7,
    DEBUG_SUBRANGE = 13,
    DEBUG_ENUMERATOR = 14,
    DEBUG_BASIC_TYPE = 15,
    DEBUG_FILE = 16,
    DEBUG_DERIVED_TYPE = 17,
    DEBUG_COMPOSITE_TYPE = 18,
    DEBUG_SUBROUTINE_TYPE = 19,
    DEBUG_COMPILE_UNIT = 20,
    DEBUG_SUBPROGRAM = 21,
    DEBUG_LEXICAL_BLOCK = 22,
    DEBUG_LEXICAL_BLOCK_FILE = 23,
    DEBUG_NAMESPACE = 24,
    DEBUG_TEMPLATE_TYPE = 25,
    DEBUG_TEMPLATE_VALUE = 26,
    DEBUG_GLOBAL_VARIABLE = 27,
    DEBUG_LOCAL_VARIABLE = 28,
    DEBUG_EXPRESSION = 29,
    DEBUG_IMPORTED_ENTITY = 31,
    CODES = 33,
    PARENT_DEPTH_MAX = 256,
    COMPOSITES_MAX = 4096,
    IDENTIFIER_OPERAND = 15, /* of composite types */
};

/* Letters of a form, an operand each.
 * Numbers: b 0 or 1; n 32 bits; w 64 bits; c 16 bits; t tag (checked per record).
 * References, id + 1, 0 = none: s earlier string; F file; T type; B base type; S scope; N tuple; G subroutine type;
 * P subprogram; V value; A value, tuple or string; E any entity; I inlined-at location.
 * L: scope of code, not 0 and not biased; C: the same as id + 1; U: file, not 0. */
static const char *const forms[CODES] = {
    [DEBUG_LOCATION] = "bnnLI",
    [DEBUG_SUBRANGE] = "bww",
    [DEBUG_ENUMERATOR] = "bws",
    [DEBUG_BASIC_TYPE] = "btswnn",
    [DEBUG_FILE] = "bss",
    [DEBUG_DERIVED_TYPE] = "btsFnSBwnwnA",
    [DEBUG_COMPOSITE_TYPE] = "btsFnSBwnwnNnTNs",
    [DEBUG_SUBROUTINE_TYPE] = "bnN",
    [DEBUG_COMPILE_UNIT] = "bcUsbsnsnNNNNNw",
    [DEBUG_SUBPROGRAM] = "bSssFnGbbnTnnnbVNPN",
    [DEBUG_LEXICAL_BLOCK] = "bCFnc",
    [DEBUG_LEXICAL_BLOCK_FILE] = "bCFn",
    [DEBUG_NAMESPACE] = "bSFsn",
    [DEBUG_TEMPLATE_TYPE] = "bsT",
    [DEBUG_TEMPLATE_VALUE] = "btsTA",
    [DEBUG_GLOBAL_VARIABLE] = "bSssFnTbbVT",
    [DEBUG_LOCAL_VARIABLE] = "btCsFnTcn",
    [DEBUG_IMPORTED_ENTITY] = "btSEns",
};

static bool tag_is_known(uint32_t code, uint64_t tag)
{
    switch (code) {
    case DEBUG_BASIC_TYPE:
        return tag == 0x24 || tag == 0x3b;
    case DEBUG_DERIVED_TYPE: /* member, pointer, reference, typedef, inheritance, const, volatile, restrict, && */
        return tag == 0x0d || tag == 0x0f || tag == 0x10 || tag == 0x16 || tag == 0x1c || tag == 0x26 || tag == 0x35 ||
               tag == 0x37 || tag == 0x42;
    case DEBUG_COMPOSITE_TYPE: /* array, class, enumeration, structure, union */
        return tag == 0x01 || tag == 0x02 || tag == 0x04 || tag == 0x13 || tag == 0x17;
    case DEBUG_TEMPLATE_VALUE:
        return tag == 0x30;
    case DEBUG_LOCAL_VARIABLE:
        return tag == 0x100 || tag == 0x101;
    case DEBUG_IMPORTED_ENTITY:
        return tag == 0x08 || tag == 0x3a;
    }
    return false;
}

static bool number_fits(uint32_t code, char letter, uint64_t value)
{
    switch (letter) {
    case 'b':
        return value <= 1;
    case 'c':
        return value <= 0xffff;
    case 't':
        return tag_is_known(code, value);
    case 'w':
        return true;
    default:
        return value <= UINT32_MAX;
    }
}

static bool is_number(char letter)
{
    return strchr("bcntw", letter) != NULL;
}

/* [distinct], or [distinct, DW_OP_bit_piece, offset, length in bits], or with DW_OP_deref before. */
static bool check_expression(struct ir_reader *r, struct ir_record *record)
{
    enum { DW_OP_DEREF = 0x06, DW_OP_BIT_PIECE = 0x9d, BITS_MAX = 1 << 24 };
    uint32_t at = 1;
    bool valid = record->count >= 1 && record->operands[0] <= 1;
    if (valid && at < record->count && record->operands[at] == DW_OP_DEREF)
        at++;
    if (valid && at + 3 == record->count && record->operands[at] == DW_OP_BIT_PIECE &&
        record->operands[at + 1] < BITS_MAX && record->operands[at + 2] && record->operands[at + 2] < BITS_MAX)
        at += 3;
    if (!valid || at != record->count)
        return reader_corrupt(r, "debug information has an expression that DXC does not write");
    return true;
}

bool reader_debug_record(struct ir_reader *r, struct ir_record *record)
{
    uint32_t code = record->item->code;
    if (code == DEBUG_EXPRESSION)
        return check_expression(r, record);
    if (code >= CODES || !forms[code])
        return reader_corrupt(r, "unknown metadata record %u in the DXIL module", code);
    const char *form = forms[code];
    bool old_inlined_at = code == DEBUG_LOCAL_VARIABLE && record->count == strlen(form) + 1 && record->operands[9] == 0;
    if (record->count != strlen(form) && !old_inlined_at)
        return reader_corrupt(r, "debug information record %u has %u operands", code, record->count);
    for (uint32_t i = 0; form[i]; i++) {
        uint64_t value = record->operands[i];
        if (is_number(form[i]) && !number_fits(code, form[i], value))
            return reader_corrupt(r, "debug information record %u: operand %u is %llu", code, i, (unsigned long long)value);
        if (form[i] != 's' || !value)
            continue;
        if (value - 1 >= r->metadata_count - 1 || r->metadata[value - 1].kind != IR_METADATA_STRING)
            return reader_corrupt(r, "debug information record %u: operand %u is no string before it", code, i);
    }
    if (code == DEBUG_COMPILE_UNIT && (record->operands[8] > 2 || !record->operands[0]))
        return reader_corrupt(r, "debug information with an unknown kind of compile unit");
    if (code == DEBUG_SUBPROGRAM && record->operands[11] > 2)
        return reader_corrupt(r, "debug information with an unknown virtuality");
    /* Identifiers would unite types of several modules; nothing refers to types by them here. */
    if (code == DEBUG_COMPOSITE_TYPE)
        record->operands[IDENTIFIER_OPERAND] = 0;
    return true;
}

static bool is_type_code(uint32_t code)
{
    return code >= DEBUG_BASIC_TYPE && code <= DEBUG_SUBROUTINE_TYPE && code != DEBUG_FILE;
}

static bool is_code_scope(uint32_t code)
{
    return code >= DEBUG_SUBPROGRAM && code <= DEBUG_LEXICAL_BLOCK_FILE;
}

static bool reference_fits(const struct ir_metadata *target, char letter)
{
    uint32_t code = target->kind == IR_METADATA_DEBUG ? target->code : 0;
    switch (letter) {
    case 'F':
    case 'U':
        return code == DEBUG_FILE;
    case 'T':
    case 'B':
        return is_type_code(code);
    case 'S':
        return code == DEBUG_FILE || code == DEBUG_COMPILE_UNIT || code == DEBUG_NAMESPACE ||
               code == DEBUG_COMPOSITE_TYPE || is_code_scope(code);
    case 'L':
    case 'C':
        return is_code_scope(code);
    case 'N':
        return target->kind == IR_METADATA_NODE;
    case 'G':
        return code == DEBUG_SUBROUTINE_TYPE;
    case 'P':
        return code == DEBUG_SUBPROGRAM;
    case 'V':
        return target->kind == IR_METADATA_VALUE;
    case 'A':
        return target->kind == IR_METADATA_VALUE || target->kind == IR_METADATA_STRING;
    case 'E':
        return code == DEBUG_NAMESPACE || is_type_code(code) || code == DEBUG_SUBPROGRAM || code == DEBUG_GLOBAL_VARIABLE;
    case 'I':
        return code == DEBUG_LOCATION;
    }
    return true;
}

/* Codes that may stand in a tuple of a record, by record and operand. */
static bool tuple_element_fits(uint32_t code, uint32_t operand, const struct ir_metadata *element)
{
    uint32_t inner = element && element->kind == IR_METADATA_DEBUG ? element->code : 0;
    if (!element)
        return code == DEBUG_SUBROUTINE_TYPE; /* void */
    switch (code) {
    case DEBUG_SUBROUTINE_TYPE:
        return is_type_code(inner);
    case DEBUG_COMPOSITE_TYPE:
        if (operand == 14)
            return inner == DEBUG_TEMPLATE_TYPE || inner == DEBUG_TEMPLATE_VALUE;
        return inner == DEBUG_SUBRANGE || inner == DEBUG_ENUMERATOR || inner == DEBUG_SUBPROGRAM || is_type_code(inner);
    case DEBUG_SUBPROGRAM:
        if (operand == 16)
            return inner == DEBUG_TEMPLATE_TYPE || inner == DEBUG_TEMPLATE_VALUE;
        return inner == DEBUG_LOCAL_VARIABLE;
    case DEBUG_COMPILE_UNIT:
        if (operand == 9)
            return inner == DEBUG_COMPOSITE_TYPE;
        if (operand == 10)
            return is_type_code(inner);
        if (operand == 11)
            return inner == DEBUG_SUBPROGRAM;
        return inner == (operand == 12 ? DEBUG_GLOBAL_VARIABLE : DEBUG_IMPORTED_ENTITY);
    }
    return true;
}

static bool check_tuple(struct ir_reader *r, const struct ir_metadata *record, uint32_t operand,
                        const struct ir_metadata *tuple)
{
    for (uint32_t i = 0; i < tuple->count; i++)
        if (!tuple_element_fits(record->code, operand, metadata_operand(r, tuple, i)))
            return reader_corrupt(r, "debug information record %u: list %u holds something that does not belong there",
                                  record->code, operand);
    return true;
}

static bool check_references(struct ir_reader *r, const struct ir_metadata *record)
{
    const char *form = record->code == DEBUG_EXPRESSION ? "" : forms[record->code];
    for (uint32_t i = 0; form[i]; i++) {
        if (is_number(form[i]) || form[i] == 's')
            continue;
        uint64_t id = record->operands[i];
        bool required = strchr("LCU", form[i]) != NULL;
        if (form[i] != 'L' && id-- == 0 && !required)
            continue;
        if (id >= r->metadata_count || !reference_fits(&r->metadata[id], form[i]))
            return reader_corrupt(r, "debug information record %u: operand %u refers to something that does not belong "
                                  "there", record->code, i);
        /* LLVM looks into the value of a global variable at once. */
        if (form[i] == 'V' && record->code == DEBUG_GLOBAL_VARIABLE && &r->metadata[id] > record)
            return reader_corrupt(r, "debug information has a global variable before its value");
        if (form[i] == 'N' && !check_tuple(r, record, i, &r->metadata[id]))
            return false;
    }
    return true;
}

/* The references that LLVM follows upwards: scope, base type, inlined-at. Returns how many. */
static uint32_t parents_of(const struct ir_metadata *record, uint32_t parents[4])
{
    uint32_t count = 0;
    const char *form = record->kind != IR_METADATA_DEBUG || record->code == DEBUG_EXPRESSION ? "" : forms[record->code];
    for (uint32_t i = 0; form[i]; i++) {
        if (form[i] == 'L')
            parents[count++] = (uint32_t)record->operands[i];
        else if (strchr("SCBI", form[i]) && record->operands[i])
            parents[count++] = (uint32_t)record->operands[i] - 1;
    }
    return count;
}

struct walk_step {
    uint32_t node;
    uint8_t next_parent;
};

/* Depth-first from one record; state: 0 not seen, 1 on the path, 2 done. */
static bool walk_parents(struct ir_reader *r, uint32_t start, uint8_t *state, struct walk_step *path)
{
    uint32_t depth = 0;
    path[depth++] = (struct walk_step){start, 0};
    state[start] = 1;
    while (depth) {
        struct walk_step *step = &path[depth - 1];
        uint32_t parents[4];
        uint32_t count = parents_of(&r->metadata[step->node], parents);
        if (step->next_parent == count) {
            state[step->node] = 2;
            depth--;
            continue;
        }
        uint32_t parent = parents[step->next_parent++];
        if (state[parent] == 2)
            continue;
        if (state[parent] == 1)
            return reader_corrupt(r, "debug information runs in a circle");
        if (depth == PARENT_DEPTH_MAX)
            return reader_corrupt(r, "debug information is nested more than %d deep", PARENT_DEPTH_MAX);
        state[parent] = 1;
        path[depth++] = (struct walk_step){parent, 0};
    }
    return true;
}

static bool check_parents(struct ir_reader *r)
{
    uint8_t *state = reader_allocate(r, &r->arena, r->metadata_count, 1);
    struct walk_step *path = reader_allocate(r, &r->arena, PARENT_DEPTH_MAX, sizeof(*path));
    if (!state || !path)
        return false;
    for (uint32_t i = 0; i < r->metadata_count; i++)
        if (r->metadata[i].kind == IR_METADATA_DEBUG && state[i] == 0 && !walk_parents(r, i, state, path))
            return false;
    return true;
}

/* Every compile unit and nothing else, once. */
static bool check_units(struct ir_reader *r)
{
    const struct ir_named_metadata *units = reader_named(r, "llvm.dbg.cu");
    uint8_t *listed = reader_allocate(r, &r->arena, r->metadata_count, 1);
    if (!listed)
        return false;
    for (uint32_t i = 0; units && i < units->count; i++) {
        const struct ir_metadata *unit = &r->metadata[units->ids[i]];
        if (unit->kind != IR_METADATA_DEBUG || unit->code != DEBUG_COMPILE_UNIT || listed[units->ids[i]]++)
            return reader_corrupt(r, "DXIL metadata llvm.dbg.cu holds something that is no compile unit");
    }
    for (uint32_t i = 0; i < r->metadata_count; i++)
        if (r->metadata[i].kind == IR_METADATA_DEBUG && r->metadata[i].code == DEBUG_COMPILE_UNIT && !listed[i])
            return reader_corrupt(r, "debug information has a compile unit that llvm.dbg.cu does not list");
    return true;
}

static bool holds_debug_info(const struct ir_reader *r, const struct ir_metadata *node)
{
    for (uint32_t i = 0; node->kind == IR_METADATA_NODE && i < node->count; i++) {
        const struct ir_metadata *element = metadata_operand(r, node, i);
        if (element && element->kind == IR_METADATA_DEBUG)
            return true;
    }
    return false;
}

/* Lists of debug information are used by debug information only, so that stripping it leaves nothing behind. */
static bool check_confined(struct ir_reader *r)
{
    bool *holds = reader_allocate(r, &r->arena, r->metadata_count, sizeof(*holds));
    if (!holds)
        return false;
    for (uint32_t i = 0; i < r->metadata_count; i++)
        holds[i] = holds_debug_info(r, &r->metadata[i]);
    for (uint32_t i = 0; i < r->metadata_count; i++) {
        const struct ir_metadata *node = &r->metadata[i];
        for (uint32_t k = 0; node->kind == IR_METADATA_NODE && k < node->count; k++)
            if (node->operands[k] && holds[node->operands[k] - 1])
                return reader_corrupt(r, "DXIL metadata node %u mixes debug information with other metadata", i);
    }
    for (uint32_t i = 0; i < r->named_count; i++) {
        const struct ir_named_metadata *named = &r->named[i];
        bool units = strcmp(named->name, "llvm.dbg.cu") == 0;
        for (uint32_t k = 0; !units && k < named->count; k++)
            if (holds[named->ids[k]] || r->metadata[named->ids[k]].kind == IR_METADATA_DEBUG)
                return reader_corrupt(r, "DXIL metadata %s refers to debug information", named->name);
    }
    r->debug_lists = holds;
    return true;
}

static bool is_module_flag(const struct ir_reader *r, const struct ir_metadata *node)
{
    const struct ir_metadata *behaviour = metadata_operand(r, node, 0), *name = metadata_operand(r, node, 1),
                             *value = metadata_operand(r, node, 2);
    if (node->kind != IR_METADATA_NODE || node->count != 3 || !behaviour || !name || !value)
        return false;
    if (behaviour->kind != IR_METADATA_VALUE || value->kind != IR_METADATA_VALUE || name->kind != IR_METADATA_STRING)
        return false;
    const struct ir_value *number = &r->values[behaviour->value];
    if (number->kind != IR_VALUE_INTEGER || number->integer != 2 || r->values[value->value].kind != IR_VALUE_INTEGER)
        return false;
    return number->type == r->scalar_types[SCALAR_I32] && r->values[value->value].type == number->type &&
           (strcmp(name->text, "Dwarf Version") == 0 || strcmp(name->text, "Debug Info Version") == 0);
}

static bool check_module_flags(struct ir_reader *r)
{
    const struct ir_named_metadata *flags = reader_named(r, "llvm.module.flags");
    for (uint32_t i = 0; flags && i < flags->count; i++)
        if (!is_module_flag(r, &r->metadata[flags->ids[i]]))
            return reader_corrupt(r, "DXIL module has an unknown module flag (llvm.module.flags operand %u)", i);
    return true;
}

bool reader_check_debug_info(struct ir_reader *r)
{
    uint32_t composites = 0;
    for (uint32_t i = 0; i < r->metadata_count; i++) {
        if (r->metadata[i].kind != IR_METADATA_DEBUG)
            continue;
        composites += r->metadata[i].code == DEBUG_COMPOSITE_TYPE;
        r->module->has_debug_info = true;
        if (!check_references(r, &r->metadata[i]))
            return false;
    }
    if (composites > COMPOSITES_MAX)
        return reader_fail(r, STATUS_UNSUPPORTED, "debug information with %u composite types, at most %d are accepted",
                           composites, COMPOSITES_MAX);
    return check_units(r) && check_module_flags(r) && check_parents(r) && check_confined(r);
}

bool metadata_is_code_scope(const struct ir_metadata *metadata)
{
    return metadata->kind == IR_METADATA_DEBUG && is_code_scope(metadata->code);
}

bool metadata_is_location(const struct ir_metadata *metadata)
{
    return metadata->kind == IR_METADATA_DEBUG && metadata->code == DEBUG_LOCATION;
}

bool metadata_is_local_variable(const struct ir_metadata *metadata)
{
    return metadata->kind == IR_METADATA_DEBUG && metadata->code == DEBUG_LOCAL_VARIABLE;
}

bool metadata_is_expression(const struct ir_metadata *metadata)
{
    return metadata->kind == IR_METADATA_DEBUG && metadata->code == DEBUG_EXPRESSION;
}
