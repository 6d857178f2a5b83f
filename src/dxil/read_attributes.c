/* SPDX-License-Identifier: MIT
 * Attribute groups and lists. LLVM is given only the function attributes that steer inlining and cannot do harm when they
 * lie; promises about memory, pointers or return (readnone, noalias, dereferenceable, noreturn, ...) are dropped, since a
 * hostile module could promise what it does not keep, and alwaysinline, since calls of calls of calls would grow without
 * limit (jit decides what to inline). The denormal mode goes into the description. See reader.h. */
#include <string.h>

#include "dxil/reader.h"

enum { ATTRIBUTE_ENTRY_GROUP = 3, ATTRIBUTE_ENTRY_LIST = 2, GROUPS_PER_LIST_MAX = 64 };
#define POSITION_FUNCTION 0xffffffffu

enum {
    ATTRIBUTE_BYVAL = 3,
    ATTRIBUTE_INLINEHINT = 4,
    ATTRIBUTE_MINSIZE = 6,
    ATTRIBUTE_NEST = 8,
    ATTRIBUTE_NODUPLICATE = 12,
    ATTRIBUTE_NOINLINE = 14,
    ATTRIBUTE_NOUNWIND = 18,
    ATTRIBUTE_OPTSIZE = 19,
    ATTRIBUTE_INALLOCA = 38,
    ATTRIBUTE_CONVERGENT = 43,
    ATTRIBUTE_LAST = 45, /* highest number of LLVM 3.7 */
};

static bool is_kept(uint64_t key)
{
    switch (key) {
    case ATTRIBUTE_INLINEHINT:
    case ATTRIBUTE_MINSIZE:
    case ATTRIBUTE_NODUPLICATE:
    case ATTRIBUTE_NOINLINE:
    case ATTRIBUTE_NOUNWIND:
    case ATTRIBUTE_OPTSIZE:
    case ATTRIBUTE_CONVERGENT:
        return true;
    }
    return false;
}

static bool read_enum(struct ir_reader *r, struct ir_record *record, bool with_value, struct ir_attribute_group *group,
                      uint32_t *kept)
{
    uint64_t key, value;
    if (!record_next(r, record, UINT64_MAX, "attribute", &key) ||
        (with_value && !record_next(r, record, UINT64_MAX, "attribute value", &value)))
        return false;
    if (key == 0 || key > ATTRIBUTE_LAST)
        return reader_corrupt(r, "unknown attribute %llu in the DXIL module", (unsigned long long)key);
    if (key == ATTRIBUTE_BYVAL || key == ATTRIBUTE_INALLOCA || key == ATTRIBUTE_NEST)
        return reader_corrupt(r, "attribute %llu (byval, inalloca or nest) is not allowed in DXIL", (unsigned long long)key);
    if (with_value || group->position != POSITION_FUNCTION || !is_kept(key))
        return true;
    record->operands[(*kept)++] = 0;
    record->operands[(*kept)++] = key;
    return true;
}

/* Zero-terminated text inside a record; longer than capacity reads as "". */
static bool read_text(struct ir_reader *r, struct ir_record *record, char *text, uint32_t capacity)
{
    uint32_t length = 0;
    for (;;) {
        uint64_t character;
        if (!record_next(r, record, 255, "character of an attribute", &character))
            return false;
        if (!character)
            break;
        if (length < capacity)
            text[length] = (char)character;
        length++;
    }
    text[length < capacity ? length : 0] = 0;
    return true;
}

static bool read_string(struct ir_reader *r, struct ir_record *record, bool with_value, struct ir_attribute_group *group)
{
    char key[64], value[64] = "";
    if (!read_text(r, record, key, sizeof(key)) || (with_value && !read_text(r, record, value, sizeof(value))))
        return false;
    if (strcmp(key, "fp32-denorm-mode") != 0)
        return true;
    if (strcmp(value, "preserve") == 0)
        group->denorm_mode = DXIL_DENORM_MODE_PRESERVE;
    else if (strcmp(value, "ftz") == 0)
        group->denorm_mode = DXIL_DENORM_MODE_FLUSH;
    else if (strcmp(value, "any") != 0)
        return reader_corrupt(r, "attribute fp32-denorm-mode has the value '%s'", value);
    return true;
}

static bool read_group(struct ir_reader *r, uint32_t item_index)
{
    struct ir_record record = reader_record(r, item_index);
    if (record.item->kind != BITSTREAM_ITEM_RECORD || record.item->code != ATTRIBUTE_ENTRY_GROUP)
        return reader_corrupt(r, "unknown record %u in the DXIL attribute groups", record.item->code);
    struct ir_attribute_group *group = &r->groups[r->group_count];
    if (!record_next_u32(r, &record, "attribute group", &group->id) ||
        !record_next_u32(r, &record, "attribute position", &group->position))
        return false;
    if (group->id != r->group_count + 1)
        return reader_corrupt(r, "DXIL attribute groups are not numbered in order");
    uint32_t kept = record.at;
    while (record.at < record.count) {
        uint64_t form = record.operands[record.at++];
        bool valid = form <= 1 ? read_enum(r, &record, form == 1, group, &kept)
                     : form == 3 || form == 4
                         ? read_string(r, &record, form == 4, group)
                         : reader_corrupt(r, "attribute of the unknown form %llu", (unsigned long long)form);
        if (!valid)
            return false;
    }
    record.item->operand_count = kept;
    record.item->dropped = kept == 2; /* LLVM refuses empty groups */
    group->dropped = record.item->dropped;
    r->group_count++;
    return true;
}

bool reader_attribute_groups(struct ir_reader *r, uint32_t enter)
{
    uint32_t exit = r->stream.items[enter].exit_index;
    r->groups = reader_allocate(r, &r->arena, exit - enter, sizeof(*r->groups));
    if (!r->groups)
        return false;
    for (uint32_t i = enter + 1; i < exit; i++)
        if (!read_group(r, i))
            return false;
    return true;
}

static const struct ir_attribute_group *find_group(const struct ir_reader *r, uint64_t id)
{
    return id && id <= r->group_count ? &r->groups[id - 1] : NULL;
}

static bool read_list(struct ir_reader *r, uint32_t item_index, struct ir_attribute_list *list)
{
    struct ir_record record = reader_record(r, item_index);
    if (record.item->kind != BITSTREAM_ITEM_RECORD || record.item->code != ATTRIBUTE_ENTRY_LIST)
        return reader_corrupt(r, "unknown record %u in the DXIL attribute lists", record.item->code);
    if (record.count > GROUPS_PER_LIST_MAX)
        return reader_corrupt(r, "DXIL attribute list of %u groups, at most %d are accepted", record.count,
                              GROUPS_PER_LIST_MAX);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < record.count; i++) {
        const struct ir_attribute_group *group = find_group(r, record.operands[i]);
        if (!group)
            return reader_corrupt(r, "DXIL attribute list refers to group %llu, which does not exist",
                                  (unsigned long long)record.operands[i]);
        if (!group->dropped)
            record.operands[kept++] = record.operands[i];
        if (group->denorm_mode != DXIL_DENORM_MODE_ANY)
            list->denorm_mode = group->denorm_mode;
    }
    record.item->operand_count = kept;
    return true;
}

bool reader_attribute_lists(struct ir_reader *r, uint32_t enter)
{
    uint32_t exit = r->stream.items[enter].exit_index;
    r->attribute_lists = reader_allocate(r, &r->arena, exit - enter, sizeof(*r->attribute_lists));
    if (!r->attribute_lists)
        return false;
    for (uint32_t i = enter + 1; i < exit; i++)
        if (!read_list(r, i, &r->attribute_lists[r->attribute_list_count++]))
            return false;
    return true;
}
