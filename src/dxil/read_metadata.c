/* SPDX-License-Identifier: MIT
 * Metadata blocks: strings, values, nodes, named nodes, kinds; attachments of instructions. Records of debug information
 * go to debug_info.c. LLVM is given the names that mean something to us; everything else is dropped. See reader.h. */
#include <string.h>

#include "dxil/reader.h"

enum {
    METADATA_STRING = 1,
    METADATA_VALUE = 2,
    METADATA_NODE = 3,
    METADATA_NAME = 4,
    METADATA_DISTINCT_NODE = 5,
    METADATA_KIND = 6,
    METADATA_LOCATION = 7,
    METADATA_NAMED_NODE = 10,
    METADATA_ATTACHMENT = 11,
    METADATA_FIRST_DEBUG = 12,
    METADATA_LAST_DEBUG = 32,
};

static struct ir_metadata *add_metadata(struct ir_reader *r, enum ir_metadata_kind kind)
{
    if (r->metadata_count == r->metadata_capacity) {
        reader_corrupt(r, "DXIL module has more metadata than records");
        return NULL;
    }
    struct ir_metadata *metadata = &r->metadata[r->metadata_count++];
    *metadata = (struct ir_metadata){.kind = (uint8_t)kind};
    return metadata;
}

static bool read_string(struct ir_reader *r, struct ir_record *record)
{
    const char *text;
    if (!record_text(r, record, 0, &r->arena, &text))
        return false;
    struct ir_metadata *metadata = add_metadata(r, IR_METADATA_STRING);
    if (!metadata)
        return false;
    metadata->text = text;
    metadata->count = record->count;
    return true;
}

static bool read_value(struct ir_reader *r, struct ir_record *record, bool in_function)
{
    uint64_t type, id;
    if (!record_next(r, record, UINT32_MAX, "type of a metadata value", &type) ||
        !record_next(r, record, UINT32_MAX, "metadata value", &id))
        return false;
    const struct ir_type *value_type = reader_type(r, type, "a metadata value");
    if (!value_type)
        return false;
    if (!type_is_first_class(value_type) || record->count != 2)
        return reader_corrupt(r, "DXIL metadata holds a value of a type without values");
    if (id >= r->value_count && !in_function)
        return reader_corrupt(r, "DXIL metadata refers to value %llu of %u", (unsigned long long)id, r->value_count);
    if (id >= r->value_capacity)
        return reader_corrupt(r, "DXIL metadata refers to a value that does not exist");
    struct ir_value *value = &r->values[id];
    if (id >= r->value_count && value->type == IR_NONE)
        value->type = (uint32_t)type; /* an instruction that follows */
    if (value->type != type)
        return reader_corrupt(r, "DXIL metadata names another type than its value has");
    struct ir_metadata *metadata = add_metadata(r, IR_METADATA_VALUE);
    if (metadata)
        metadata->value = (uint32_t)id;
    return metadata != NULL;
}

static bool read_node(struct ir_reader *r, struct ir_record *record)
{
    struct ir_metadata *metadata = add_metadata(r, IR_METADATA_NODE);
    if (!metadata)
        return false;
    metadata->operands = record->operands;
    metadata->count = record->count;
    return true;
}

static bool is_wanted_name(const char *name)
{
    return strncmp(name, "dx.", 3) == 0 || strcmp(name, "llvm.dbg.cu") == 0 ||
           strcmp(name, "llvm.module.flags") == 0;
}

static bool read_named(struct ir_reader *r, uint32_t name_item, uint32_t item_index, const char *name)
{
    struct ir_record record = reader_record(r, item_index);
    for (uint32_t i = 0; i < r->named_count; i++)
        if (strcmp(r->named[i].name, name) == 0)
            return reader_corrupt(r, "DXIL metadata %s appears twice", name);
    if (!is_wanted_name(name)) {
        r->stream.items[name_item].dropped = true;
        record.item->dropped = true;
        return true;
    }
    enum { NAMES_MAX = 64 };
    if (r->named_count == NAMES_MAX)
        return reader_corrupt(r, "DXIL module has more than %d named metadata", NAMES_MAX);
    if (!r->named) {
        r->named = reader_allocate(r, &r->arena, NAMES_MAX, sizeof(*r->named));
        if (!r->named)
            return false;
    }
    r->named[r->named_count++] = (struct ir_named_metadata){name, record.count, record.operands};
    return true;
}

static bool read_kind(struct ir_reader *r, struct ir_record *record)
{
    uint64_t id;
    const char *name;
    if (!record_next(r, record, IR_METADATA_KINDS_MAX - 1, "metadata kind", &id) ||
        !record_text(r, record, 1, &r->arena, &name))
        return false;
    if (!name[0] || r->metadata_kinds[id])
        return reader_corrupt(r, "DXIL metadata kind %llu has no name or two", (unsigned long long)id);
    for (uint32_t i = 0; i < IR_METADATA_KINDS_MAX; i++)
        if (r->metadata_kinds[i] && strcmp(r->metadata_kinds[i], name) == 0)
            return reader_corrupt(r, "DXIL metadata kind %s has two numbers", name);
    r->metadata_kinds[id] = name;
    return true;
}

static bool read_debug(struct ir_reader *r, struct ir_record *record)
{
    struct ir_metadata *metadata = add_metadata(r, IR_METADATA_DEBUG);
    if (!metadata)
        return false;
    metadata->code = (uint8_t)record->item->code;
    metadata->operands = record->operands;
    metadata->count = record->count;
    return reader_debug_record(r, record);
}

static bool read_item(struct ir_reader *r, uint32_t index, uint32_t *name_item, const char **name)
{
    struct ir_record record = reader_record(r, index);
    if (*name) {
        if (record.item->kind != BITSTREAM_ITEM_RECORD || record.item->code != METADATA_NAMED_NODE)
            return reader_corrupt(r, "a name in the DXIL metadata is not followed by its node");
        const char *used = *name;
        *name = NULL;
        return read_named(r, *name_item, index, used);
    }
    uint32_t code = record.item->code;
    if (record.item->kind != BITSTREAM_ITEM_RECORD)
        return reader_corrupt(r, "DXIL metadata holds block %u", code);
    switch (code) {
    case METADATA_STRING:
        return read_string(r, &record);
    case METADATA_VALUE:
        return read_value(r, &record, false);
    case METADATA_NODE:
    case METADATA_DISTINCT_NODE:
        return read_node(r, &record);
    case METADATA_NAME:
        *name_item = index;
        return record_text(r, &record, 0, &r->arena, name);
    case METADATA_KIND:
        return read_kind(r, &record);
    }
    if (code == METADATA_LOCATION || (code >= METADATA_FIRST_DEBUG && code <= METADATA_LAST_DEBUG))
        return read_debug(r, &record);
    return reader_corrupt(r, "unknown metadata record %u in the DXIL module", code);
}

static bool check_nodes(struct ir_reader *r, uint32_t first)
{
    for (uint32_t i = first; i < r->metadata_count; i++) {
        const struct ir_metadata *node = &r->metadata[i];
        if (node->kind != IR_METADATA_NODE)
            continue;
        for (uint32_t k = 0; k < node->count; k++)
            if (node->operands[k] > r->metadata_count)
                return reader_corrupt(r, "DXIL metadata node %u refers to metadata %llu of %u", i,
                                      (unsigned long long)node->operands[k] - 1, r->metadata_count);
    }
    return true;
}

static bool check_named(struct ir_reader *r, uint32_t first)
{
    for (uint32_t i = first; i < r->named_count; i++) {
        const struct ir_named_metadata *named = &r->named[i];
        for (uint32_t k = 0; k < named->count; k++) {
            uint64_t id = named->ids[k];
            if (id >= r->metadata_count || (r->metadata[id].kind != IR_METADATA_NODE &&
                                            r->metadata[id].kind != IR_METADATA_DEBUG))
                return reader_corrupt(r, "DXIL metadata %s refers to something that is no node", named->name);
        }
    }
    return true;
}

/* Function blocks hold metadata for values of the function, named by llvm.dbg calls. */
static bool read_function_metadata(struct ir_reader *r, uint32_t enter)
{
    for (uint32_t i = enter + 1; i < r->stream.items[enter].exit_index; i++) {
        struct ir_record record = reader_record(r, i);
        if (record.item->kind != BITSTREAM_ITEM_RECORD || record.item->code != METADATA_VALUE)
            return reader_corrupt(r, "unknown metadata record %u in a DXIL function", record.item->code);
        if (!read_value(r, &record, true))
            return false;
    }
    return true;
}

bool reader_metadata(struct ir_reader *r, uint32_t enter, bool in_function)
{
    if (in_function)
        return read_function_metadata(r, enter);
    uint32_t first = r->metadata_count, first_named = r->named_count, name_item = 0;
    const char *name = NULL;
    for (uint32_t i = enter + 1; i < r->stream.items[enter].exit_index; i++)
        if (!read_item(r, i, &name_item, &name))
            return false;
    if (name)
        return reader_corrupt(r, "a name in the DXIL metadata is not followed by its node");
    return check_nodes(r, first) && check_named(r, first_named);
}

/* Keep the pairs (kind, node) from position first on that speak about DXIL. Returns the new operand count. */
static bool filter_pairs(struct ir_reader *r, struct ir_record *record, uint32_t first, uint32_t *kept)
{
    *kept = first;
    for (uint32_t i = first; i < record->count; i += 2) {
        uint64_t kind = record->operands[i], id = record->operands[i + 1];
        if (kind >= IR_METADATA_KINDS_MAX || !r->metadata_kinds[kind])
            return reader_corrupt(r, "DXIL metadata attachment of the unknown kind %llu", (unsigned long long)kind);
        if (id >= r->module_metadata_count)
            return reader_corrupt(r, "DXIL metadata attachment %s refers to nothing", r->metadata_kinds[kind]);
        if (strncmp(r->metadata_kinds[kind], "dx.", 3) != 0)
            continue;
        if (r->metadata[id].kind != IR_METADATA_NODE || r->debug_lists[id])
            return reader_corrupt(r, "DXIL metadata attachment %s is no node", r->metadata_kinds[kind]);
        record->operands[(*kept)++] = kind;
        record->operands[(*kept)++] = id;
    }
    return true;
}

bool reader_attachments(struct ir_reader *r, uint32_t enter, uint32_t instruction_count)
{
    for (uint32_t i = enter + 1; i < r->stream.items[enter].exit_index; i++) {
        struct ir_record record = reader_record(r, i);
        if (record.item->kind != BITSTREAM_ITEM_RECORD || record.item->code != METADATA_ATTACHMENT)
            return reader_corrupt(r, "unknown record %u in the DXIL attachments", record.item->code);
        uint32_t first = record.count % 2, kept;
        if (first && record.operands[0] >= instruction_count)
            return reader_corrupt(r, "DXIL metadata attachment to instruction %llu of %u",
                                  (unsigned long long)record.operands[0], instruction_count);
        if (!filter_pairs(r, &record, first, &kept))
            return false;
        record.item->operand_count = kept;
        record.item->dropped = kept == first;
    }
    return true;
}

const struct ir_named_metadata *reader_named(const struct ir_reader *r, const char *name)
{
    for (uint32_t i = 0; i < r->named_count; i++)
        if (strcmp(r->named[i].name, name) == 0)
            return &r->named[i];
    return NULL;
}

const struct ir_metadata *metadata_operand(const struct ir_reader *r, const struct ir_metadata *node, uint32_t index)
{
    if (!node || node->kind != IR_METADATA_NODE || index >= node->count || !node->operands[index])
        return NULL;
    return &r->metadata[node->operands[index] - 1];
}
