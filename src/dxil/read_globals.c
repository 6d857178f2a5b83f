/* SPDX-License-Identifier: MIT
 * Global variables, function declarations and their names. See reader.h. */
#include <stdlib.h>
#include <string.h>

#include "dxil/reader.h"

enum {
    LINKAGE_EXTERNAL = 0,
    LINKAGE_INTERNAL = 3,
    CALLING_C = 0,
    CALLING_FAST = 8,
    GLOBAL_IS_CONSTANT = 1,
    GLOBAL_EXPLICIT_TYPE = 2,
    SYMBOL_ENTRY = 1,
    SYMBOL_MAX_BYTES = 4096,
};

/* Every operand from index first on must be zero. */
static bool rest_is_zero(struct ir_reader *r, const struct ir_record *record, uint32_t first, const char *what)
{
    for (uint32_t i = first; i < record->count; i++)
        if (record->operands[i])
            return reader_corrupt(r, "DXIL %s record has a property (operand %u) that DXIL does not use", what, i);
    return true;
}

static bool read_linkage(struct ir_reader *r, uint64_t linkage, bool *external)
{
    if (linkage != LINKAGE_EXTERNAL && linkage != LINKAGE_INTERNAL)
        return reader_corrupt(r, "unknown linkage %llu in the DXIL module", (unsigned long long)linkage);
    *external = linkage == LINKAGE_EXTERNAL;
    return true;
}

static uint32_t pointer_to(const struct ir_reader *r, uint32_t type, uint32_t space)
{
    return r->types[type].pointers[space];
}

bool reader_global_variable(struct ir_reader *r, uint32_t item_index)
{
    struct ir_record record = reader_record(r, item_index);
    uint64_t type, flags, initializer, linkage, alignment;
    if (!record_next(r, &record, UINT32_MAX, "type of a global variable", &type) ||
        !record_next(r, &record, UINT32_MAX, "flags of a global variable", &flags) ||
        !record_next(r, &record, UINT32_MAX, "initializer", &initializer) ||
        !record_next(r, &record, UINT32_MAX, "linkage", &linkage) || !record_next(r, &record, 16, "alignment", &alignment))
        return false;
    struct ir_global *global = &r->globals[r->global_count];
    uint64_t space = flags >> 2;
    const struct ir_type *value_type = reader_type(r, type, "a global variable");
    if (!value_type || !read_linkage(r, linkage, &global->external))
        return false;
    if (!(flags & GLOBAL_EXPLICIT_TYPE) || space >= IR_ADDRESS_SPACES)
        return reader_corrupt(r, "DXIL global variable with the unknown flags %llu", (unsigned long long)flags);
    uint64_t unnamed = record.count > 8 ? record.operands[8] : 0;
    if (record.count < 6 || record.count > 13 || unnamed > 1)
        return reader_corrupt(r, "DXIL global variable record with unknown operands");
    if (record.count > 8)
        record.operands[8] = 0;
    if (!rest_is_zero(r, &record, 5, "global variable"))
        return false;
    if (!type_is_first_class(value_type))
        return reader_corrupt(r, "DXIL global variable of a type that cannot be in memory");
    if (value_type->not_plain && (initializer || !global->external || space))
        return reader_corrupt(r, "DXIL global variable of a type that is no plain memory");
    if (value_type->byte_count > IR_VARIABLE_MAX_BYTES && (initializer || !global->external))
        return reader_fail(r, STATUS_UNSUPPORTED, "DXIL global variable of %llu bytes, at most %u are accepted",
                           (unsigned long long)value_type->byte_count, IR_VARIABLE_MAX_BYTES);
    uint32_t pointer = pointer_to(r, (uint32_t)type, (uint32_t)space);
    if (pointer == IR_NONE)
        return reader_corrupt(r, "DXIL type table lacks the pointer type of a global variable");
    struct ir_value *value = reader_add_value(r, IR_VALUE_GLOBAL, pointer);
    if (!value)
        return false;
    value->index = r->global_count++;
    record.operands[4] = 0; /* the alignment is LLVM's own */
    global->value = r->value_count - 1;
    global->value_type = (uint32_t)type;
    global->initializer = initializer ? (uint32_t)initializer - 1 : IR_NONE;
    return true;
}

bool reader_function_declaration(struct ir_reader *r, uint32_t item_index)
{
    struct ir_record record = reader_record(r, item_index);
    uint64_t type, calling, prototype, linkage, attributes;
    if (!record_next(r, &record, UINT32_MAX, "type of a function", &type) ||
        !record_next(r, &record, UINT32_MAX, "calling convention", &calling) ||
        !record_next(r, &record, 1, "prototype flag", &prototype) ||
        !record_next(r, &record, UINT32_MAX, "linkage", &linkage) ||
        !record_next(r, &record, r->attribute_list_count, "attribute list", &attributes))
        return false;
    struct ir_function *function = &r->functions[r->function_count];
    const struct ir_type *function_type = reader_type(r, type, "a function");
    if (!function_type || !read_linkage(r, linkage, &function->external))
        return false;
    if (function_type->kind != IR_TYPE_FUNCTION)
        return reader_corrupt(r, "DXIL function record has a type that is no function type");
    if (calling != CALLING_C && calling != CALLING_FAST)
        return reader_corrupt(r, "unknown calling convention %llu of a DXIL function", (unsigned long long)calling);
    if (prototype && !function->external)
        return reader_corrupt(r, "internal DXIL function without a body");
    if (record.count < 8 || record.count > 15)
        return reader_corrupt(r, "DXIL function record has %u operands", record.count);
    record.operands[5] = 0; /* alignment of the code */
    if (record.count > 9 && record.operands[9] <= 1)
        record.operands[9] = 0; /* unnamed_addr */
    if (!rest_is_zero(r, &record, 5, "function"))
        return false;
    uint32_t pointer = pointer_to(r, (uint32_t)type, 0);
    if (pointer == IR_NONE)
        return reader_corrupt(r, "DXIL type table lacks the pointer type of a function");
    struct ir_value *value = reader_add_value(r, IR_VALUE_FUNCTION, pointer);
    if (!value)
        return false;
    value->index = r->function_count++;
    function->value = r->value_count - 1;
    function->type = (uint32_t)type;
    function->attributes = (uint32_t)attributes;
    function->defined = !prototype;
    function->fast_calling = calling == CALLING_FAST;
    function->body_item = IR_NONE;
    function->listed = IR_NONE;
    return true;
}

bool reader_check_initializers(struct ir_reader *r)
{
    for (uint32_t i = 0; i < r->global_count; i++) {
        const struct ir_global *global = &r->globals[i];
        if (global->initializer == IR_NONE) {
            if (!global->external)
                return reader_corrupt(r, "internal DXIL global variable %u has no initializer", i);
            continue;
        }
        if (global->initializer >= r->value_count)
            return reader_corrupt(r, "initializer of DXIL global variable %u is no value", i);
        const struct ir_value *value = &r->values[global->initializer];
        if (!value_is_constant(value) || value->kind == IR_VALUE_EXPRESSION || value->type != global->value_type)
            return reader_corrupt(r, "initializer of DXIL global variable %u does not fit it", i);
    }
    return true;
}

static bool name_value(struct ir_reader *r, uint32_t id, const char *name)
{
    const struct ir_value *value = &r->values[id];
    const char **slot = NULL;
    if (value->kind == IR_VALUE_GLOBAL)
        slot = &r->globals[value->index].name;
    else if (value->kind == IR_VALUE_FUNCTION)
        slot = &r->functions[value->index].name;
    if (!slot)
        return reader_corrupt(r, "DXIL symbol table names value %u, which is no function or variable", id);
    if (*slot)
        return reader_corrupt(r, "DXIL symbol table names value %u twice", id);
    if (!name[0] || strlen(name) > SYMBOL_MAX_BYTES)
        return reader_corrupt(r, "DXIL symbol table has an empty or overlong name");
    *slot = name;
    return true;
}

bool reader_symbols(struct ir_reader *r, uint32_t enter)
{
    uint32_t exit = r->stream.items[enter].exit_index;
    for (uint32_t i = enter + 1; i < exit; i++) {
        struct ir_record record = reader_record(r, i);
        uint64_t id;
        const char *name;
        if (record.item->kind != BITSTREAM_ITEM_RECORD || record.item->code != SYMBOL_ENTRY)
            return reader_corrupt(r, "unknown record %u in the DXIL symbol table", record.item->code);
        if (!record_next(r, &record, UINT32_MAX, "value of a symbol", &id))
            return false;
        if (id >= r->module_value_count)
            return reader_corrupt(r, "DXIL symbol table names value %llu of %u", (unsigned long long)id, r->module_value_count);
        if (!record_text(r, &record, 1, &r->arena, &name) || !name_value(r, (uint32_t)id, name))
            return false;
    }
    return true;
}

/* Types of parameters as letters: l i64, b i8*, m metadata. */
static bool signature_is(const struct ir_reader *r, const struct ir_function *function, const char *letters)
{
    const struct ir_type *type = &r->types[function->type];
    if (function->defined || type->count != strlen(letters) || r->types[type->element].kind != IR_TYPE_VOID)
        return false;
    for (uint32_t i = 0; i < type->count; i++) {
        const struct ir_type *parameter = &r->types[type->elements[i]];
        if (letters[i] == 'm' && parameter->kind != IR_TYPE_METADATA)
            return false;
        if (letters[i] == 'l' && type->elements[i] != r->scalar_types[SCALAR_I64])
            return false;
        if (letters[i] == 'b' && (parameter->kind != IR_TYPE_POINTER || parameter->address_space ||
                                  parameter->element != r->scalar_types[SCALAR_I8]))
            return false;
    }
    return true;
}

static bool check_intrinsic(struct ir_reader *r, struct ir_function *function)
{
    static const struct {
        const char *name, *letters;
        enum ir_intrinsic intrinsic;
    } known[] = {
        {"llvm.lifetime.start", "lb", IR_INTRINSIC_LIFETIME_START},
        {"llvm.lifetime.end", "lb", IR_INTRINSIC_LIFETIME_END},
        {"llvm.dbg.declare", "mmm", IR_INTRINSIC_DBG_DECLARE},
        {"llvm.dbg.value", "mlmm", IR_INTRINSIC_DBG_VALUE},
    };
    for (uint32_t i = 0; i < ARRAY_COUNT(known); i++) {
        if (strcmp(function->name, known[i].name) != 0)
            continue;
        if (!signature_is(r, function, known[i].letters))
            return reader_corrupt(r, "function %s does not have the type of LLVM's intrinsic", function->name);
        function->intrinsic = known[i].intrinsic;
        return true;
    }
    return reader_corrupt(r, "function %s is not known: DXIL uses of LLVM's intrinsics only lifetime and dbg",
                          function->name);
}

static bool check_function_name(struct ir_reader *r, struct ir_function *function)
{
    if (!function->name)
        return reader_corrupt(r, "DXIL module has a function without a name");
    if (strncmp(function->name, "llvm.", 5) == 0)
        return check_intrinsic(r, function);
    const struct ir_type *type = &r->types[function->type];
    for (uint32_t i = 0; i < type->count; i++)
        if (!type_is_first_class(&r->types[type->elements[i]]))
            return reader_corrupt(r, "function %s has a metadata parameter", reader_symbol(function->name));
    if (strncmp(function->name, "dx.op.", 6) == 0) {
        if (function->defined)
            return reader_corrupt(r, "function %s has a body, dx.op functions are declarations", function->name);
        function->op_class = function->name + 6;
    }
    return true;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool check_unique(struct ir_reader *r)
{
    uint32_t count = r->function_count + r->global_count, used = 0;
    const char **names = reader_allocate(r, &r->arena, count, sizeof(*names));
    if (!names)
        return false;
    for (uint32_t i = 0; i < r->function_count; i++)
        names[used++] = r->functions[i].name;
    for (uint32_t i = 0; i < r->global_count; i++)
        if (r->globals[i].name)
            names[used++] = r->globals[i].name;
    qsort(names, used, sizeof(*names), compare_names);
    for (uint32_t i = 1; i < used; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            return reader_corrupt(r, "DXIL symbol %s names two things", reader_symbol(names[i]));
    return true;
}

bool reader_check_symbols(struct ir_reader *r)
{
    for (uint32_t i = 0; i < r->function_count; i++)
        if (!check_function_name(r, &r->functions[i]))
            return false;
    for (uint32_t i = 0; i < r->global_count; i++) {
        const struct ir_global *global = &r->globals[i];
        if (!global->name && global->external)
            return reader_corrupt(r, "DXIL module has an external variable without a name");
        if (global->name && strncmp(global->name, "llvm.", 5) == 0)
            return reader_corrupt(r, "DXIL module has the variable %s, which means something to LLVM", global->name);
    }
    return check_unique(r);
}
