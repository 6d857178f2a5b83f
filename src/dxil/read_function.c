/* SPDX-License-Identifier: MIT
 * Function blocks: their constants, metadata and attachments, and the loop over instruction records. See function.h. */
#include <string.h>

#include "dxil/function.h"

static bool body_debug_location(struct ir_body *b, struct ir_record *record)
{
    struct ir_reader *r = b->r;
    uint64_t line, column, scope, inlined_at;
    if (!record_next(r, record, UINT32_MAX, "line", &line) || !record_next(r, record, UINT32_MAX, "column", &column) ||
        !record_next(r, record, r->module_metadata_count, "scope of a line", &scope) ||
        !record_next(r, record, r->module_metadata_count, "inlined-at of a line", &inlined_at))
        return false;
    bool valid = b->instruction_count && scope && metadata_is_code_scope(&r->metadata[scope - 1]) &&
                 (!inlined_at || metadata_is_location(&r->metadata[inlined_at - 1]));
    if (!valid)
        return body_corrupt(b, "malformed line information");
    b->has_location = true;
    b->needs_location = false;
    return body_end_of_record(b, record);
}

static bool body_instruction(struct ir_body *b, struct ir_record *record)
{
    switch (record->item->code) {
    case CODE_BINOP:
        return body_binary(b, record);
    case CODE_CAST:
        return body_cast(b, record);
    case CODE_EXTRACTELT:
        return body_extract_element(b, record);
    case CODE_INSERTELT:
        return body_insert_element(b, record);
    case CODE_SHUFFLEVEC:
        return body_shuffle(b, record);
    case CODE_RET:
        return body_return(b, record);
    case CODE_BR:
        return body_branch(b, record);
    case CODE_SWITCH:
        return body_switch(b, record);
    case CODE_UNREACHABLE:
        return body_unreachable(b, record);
    case CODE_PHI:
        return body_phi(b, record);
    case CODE_ALLOCA:
        return body_alloca(b, record);
    case CODE_LOAD:
        return body_load(b, record);
    case CODE_STORE:
        return body_store(b, record);
    case CODE_GEP:
        return body_gep(b, record);
    case CODE_EXTRACTVAL:
        return body_extract_value(b, record);
    case CODE_INSERTVAL:
        return body_insert_value(b, record);
    case CODE_CMP2:
        return body_compare(b, record);
    case CODE_SELECT:
        return body_select(b, record);
    case CODE_CALL:
        return body_call(b, record);
    case CODE_ATOMICRMW:
        return body_atomic(b, record);
    case CODE_CMPXCHG:
        return body_compare_exchange(b, record);
    }
    return body_corrupt(b, "unknown instruction record %u", record->item->code);
}

static bool read_record(struct ir_body *b, uint32_t index)
{
    struct ir_record record = reader_record(b->r, index);
    uint32_t code = record.item->code;
    if (code == CODE_DEBUG_LOC)
        return body_debug_location(b, &record);
    if (code == CODE_DEBUG_LOC_AGAIN) {
        b->needs_location = false;
        return b->instruction_count && b->has_location ? body_end_of_record(b, &record)
                                                       : body_corrupt(b, "line information for nothing");
    }
    if (b->needs_location)
        return body_corrupt(b, "debug information call without a line");
    if (b->current_block >= b->block_count)
        return body_corrupt(b, "instruction behind the last block");
    return body_instruction(b, &record);
}

static bool read_nested(struct ir_body *b, uint32_t enter)
{
    struct ir_reader *r = b->r;
    struct bitstream_item *item = &r->stream.items[enter];
    switch (item->code) {
    case BLOCK_CONSTANTS:
        if (b->instruction_count)
            return body_corrupt(b, "constants behind instructions");
        return reader_constants(r, enter);
    case BLOCK_METADATA:
        if (b->instruction_count)
            return body_corrupt(b, "metadata behind instructions");
        return reader_metadata(r, enter, true);
    case BLOCK_ATTACHMENTS:
        if (b->current_block < b->block_count)
            return body_corrupt(b, "attachments before the last block");
        return reader_attachments(r, enter, b->instruction_count);
    case BLOCK_SYMBOLS: /* names of values and orders of uses mean nothing */
    case BLOCK_USELIST:
        item->dropped = true;
        return true;
    }
    return body_corrupt(b, "unknown block %u", item->code);
}

/* DECLAREBLOCKS comes first. */
static bool declare_blocks(struct ir_body *b, uint32_t enter)
{
    struct ir_reader *r = b->r;
    uint32_t exit = r->stream.items[enter].exit_index;
    struct ir_record record = reader_record(r, enter + 1);
    uint64_t count;
    if (enter + 1 == exit || record.item->kind != BITSTREAM_ITEM_RECORD || record.item->code != CODE_DECLAREBLOCKS)
        return body_corrupt(b, "the number of blocks is missing");
    if (!record_next(r, &record, exit - enter, "number of blocks", &count))
        return false;
    if (!count)
        return body_corrupt(b, "no blocks");
    b->block_count = (uint32_t)count;
    b->blocks = reader_allocate(r, &r->scratch, count, sizeof(*b->blocks));
    return b->blocks && body_end_of_record(b, &record);
}

static bool allocate_lists(struct ir_body *b, uint32_t enter)
{
    struct ir_reader *r = b->r;
    uint32_t exit = r->stream.items[enter].exit_index;
    size_t operand_count = 0;
    for (uint32_t i = enter + 1; i < exit; i++)
        operand_count += r->stream.items[i].operand_count;
    b->instructions = reader_allocate(r, &r->scratch, exit - enter, sizeof(*b->instructions));
    b->operands = reader_allocate(r, &r->scratch, operand_count, sizeof(*b->operands));
    b->successors = reader_allocate(r, &r->scratch, operand_count, sizeof(*b->successors));
    return b->instructions && b->operands && b->successors;
}

static bool add_arguments(struct ir_body *b)
{
    struct ir_reader *r = b->r;
    const struct ir_type *type = &r->types[b->function->type];
    for (uint32_t i = 0; i < type->count; i++) {
        struct ir_value *value = reader_add_value(r, IR_VALUE_ARGUMENT, type->elements[i]);
        if (!value)
            return false;
        value->index = i;
    }
    return true;
}

static bool all_defined(struct ir_body *b)
{
    struct ir_reader *r = b->r;
    for (uint32_t i = r->value_count; i < b->forward_limit; i++)
        if (r->values[i].type != IR_NONE)
            return body_corrupt(b, "value %u is used and never defined", i);
    if (b->current_block != b->block_count)
        return body_corrupt(b, "block %u has no terminator", b->current_block);
    return true;
}

static bool read_body(struct ir_body *b, uint32_t enter)
{
    struct ir_reader *r = b->r;
    if (!declare_blocks(b, enter) || !allocate_lists(b, enter) || !add_arguments(b))
        return false;
    for (uint32_t i = enter + 2; i < r->stream.items[enter].exit_index; i++) {
        bool nested = r->stream.items[i].kind == BITSTREAM_ITEM_ENTER;
        if (nested ? !read_nested(b, i) : !read_record(b, i))
            return false;
        if (nested)
            i = r->stream.items[i].exit_index;
    }
    return all_defined(b) && body_check_flow(b) && reader_end_notes(r, b->function);
}

bool reader_function_body(struct ir_reader *r, uint32_t enter)
{
    while (r->next_body < r->function_count && !r->functions[r->next_body].defined)
        r->next_body++;
    if (r->next_body == r->function_count)
        return reader_corrupt(r, "DXIL module has more function bodies than functions");
    struct ir_function *function = &r->functions[r->next_body];
    uint64_t limit = (uint64_t)r->value_count + (r->stream.items[enter].exit_index - enter) + IR_PARAMETERS_MAX;
    struct ir_body body = {
        .r = r,
        .function = function,
        .function_index = r->next_body++,
        .name = reader_symbol(function->name),
        .forward_limit = limit < r->value_capacity ? (uint32_t)limit : r->value_capacity,
        .phi_allowed = true,
    };
    function->body_item = enter;
    bool valid = read_body(&body, enter);
    for (uint32_t i = r->module_value_count; i < body.forward_limit; i++)
        r->values[i] = (struct ir_value){.kind = IR_VALUE_FORWARD, .type = IR_NONE};
    r->value_count = r->module_value_count;
    r->metadata_count = r->module_metadata_count;
    arena_reset(&r->scratch);
    return valid;
}
