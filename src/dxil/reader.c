/* SPDX-License-Identifier: MIT
 * Helpers of the checker's steps: failing, records, texts. See reader.h. */
#include "dxil/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void reader_set_reason(struct ir_reader *r, enum status status, const char *format, ...)
{
    if (r->status == STATUS_OK) {
        char text[sizeof(r->reason->text)];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof(text), format, arguments);
        va_end(arguments);
        r->status = reason_set(r->reason, status, "%s", text);
    }
}

void *reader_allocate(struct ir_reader *r, struct arena *arena, size_t count, size_t element_bytes)
{
    void *memory = arena_allocate_zeroed(arena, count * element_bytes + 1, 16);
    if (!memory)
        reader_fail(r, STATUS_OUT_OF_MEMORY, "out of memory checking a DXIL module");
    return memory;
}

struct ir_record reader_record(struct ir_reader *r, uint32_t item_index)
{
    struct bitstream_item *item = &r->stream.items[item_index];
    return (struct ir_record){item, r->stream.operands + item->operand_index, item->operand_count, 0};
}

bool record_next(struct ir_reader *r, struct ir_record *record, uint64_t maximum, const char *what, uint64_t *value)
{
    if (record->at >= record->count)
        return reader_corrupt(r, "DXIL record %u is too short: %s is missing", record->item->code, what);
    *value = record->operands[record->at++];
    if (*value > maximum)
        return reader_corrupt(r, "DXIL record %u: %s is %llu, at most %llu", record->item->code, what,
                              (unsigned long long)*value, (unsigned long long)maximum);
    return true;
}

bool record_next_u32(struct ir_reader *r, struct ir_record *record, const char *what, uint32_t *value)
{
    uint64_t wide;
    if (!record_next(r, record, UINT32_MAX, what, &wide))
        return false;
    *value = (uint32_t)wide;
    return true;
}

bool record_text(struct ir_reader *r, const struct ir_record *record, uint32_t first, struct arena *arena,
                 const char **text)
{
    uint32_t count = record->count > first ? record->count - first : 0;
    char *characters = reader_allocate(r, arena, (size_t)count + 1, 1);
    if (!characters)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t character = record->operands[first + i];
        if (character == 0 || character > 255)
            return reader_corrupt(r, "DXIL record %u: a name holds the character %llu", record->item->code,
                                  (unsigned long long)character);
        characters[i] = (char)character;
    }
    *text = characters;
    return true;
}

int64_t reader_signed(uint64_t value)
{
    if (!(value & 1))
        return (int64_t)(value >> 1);
    if (value == 1) /* "minus zero" is the smallest number */
        return INT64_MIN;
    return -(int64_t)(value >> 1);
}

const char *reader_symbol(const char *name)
{
    if (!name)
        return "(unnamed)";
    return name[0] == 1 ? name + 1 : name;
}
