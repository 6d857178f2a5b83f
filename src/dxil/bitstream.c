/* SPDX-License-Identifier: MIT
 * The bitstream reader of bitstream.h: a cursor over bits, abbreviation lists per block, one loop over abbreviation ids. */
#include "dxil/bitstream.h"

#include <stdlib.h>
#include <string.h>

enum {
    ID_END_BLOCK = 0,
    ID_ENTER_BLOCK = 1,
    ID_DEFINE_ABBREVIATION = 2,
    ID_UNABBREVIATED = 3,
    ID_FIRST_ABBREVIATION = 4,
    BLOCK_INFO = 0,
    BLOCK_INFO_SETBID = 1,
    BLOCK_IDS = 64,       /* ids that block information may speak of */
    DEPTH_MAX = 8,        /* DXIL nests four blocks */
    ABBREVIATION_OPS_MAX = 64,
    ID_WIDTH_MAX = 16,
};

enum encoding { ENCODING_LITERAL = 0, ENCODING_FIXED = 1, ENCODING_VBR = 2, ENCODING_ARRAY = 3, ENCODING_CHAR6 = 4 };

struct abbreviation_op {
    uint8_t encoding;
    uint64_t value; /* literal, or width in bits */
};

struct abbreviation {
    struct abbreviation *next; /* of the same list */
    uint32_t op_count;
    struct abbreviation_op ops[];
};

/* Abbreviations in order of definition; indexed by array for look-up in constant time. */
struct abbreviation_list {
    struct abbreviation **entries;
    uint32_t count, capacity;
};

struct scope {
    uint32_t id_width;
    uint32_t block_id;
    uint32_t enter_index;
    uint32_t inherited_count; /* abbreviations from block information at the time of entry */
    uint64_t end_bit;         /* where the block must end */
    struct abbreviation_list own;
};

struct bit_reader {
    const uint8_t *bytes;
    uint64_t position, end; /* bits */
    bool overrun;
    struct bitstream *stream;
    size_t operand_limit, item_limit;
    uint32_t depth;
    struct scope scopes[DEPTH_MAX];
    struct abbreviation_list info[BLOCK_IDS];
    uint32_t info_block; /* block that SETBID named, BLOCK_IDS = none */
    struct reason *reason;
};

static enum status corrupt(struct bit_reader *r, const char *what)
{
    return reason_set(r->reason, STATUS_CORRUPT, "DXIL bitcode is damaged: %s at bit %llu", what,
                      (unsigned long long)r->position);
}

/* Up to 32 bits; 0 and overrun past the end. */
static uint32_t read_bits(struct bit_reader *r, uint32_t width)
{
    if (width > r->end - r->position) {
        r->overrun = true;
        r->position = r->end;
        return 0;
    }
    if (!width)
        return 0;
    uint64_t word = 0;
    size_t byte_index = r->position / 8, available = r->end / 8 - byte_index;
    memcpy(&word, r->bytes + byte_index, available < 8 ? available : 8);
    uint32_t value = (uint32_t)(word >> (r->position % 8) & ((1ull << width) - 1));
    r->position += width;
    return value;
}

static uint64_t read_vbr(struct bit_reader *r, uint32_t width)
{
    uint64_t value = 0;
    uint32_t high = 1u << (width - 1);
    for (uint32_t shift = 0; shift < 64; shift += width - 1) {
        uint32_t chunk = read_bits(r, width);
        value |= (uint64_t)(chunk & (high - 1)) << shift;
        if (!(chunk & high))
            return value;
    }
    r->overrun = true; /* more than 64 bits: treated as running out of data */
    return 0;
}

static void align_32(struct bit_reader *r)
{
    uint64_t aligned = (r->position + 31) & ~31ull;
    if (aligned > r->end) {
        r->overrun = true;
        aligned = r->end;
    }
    r->position = aligned;
}

static enum status add_item(struct bit_reader *r, struct bitstream_item item)
{
    struct bitstream *s = r->stream;
    if (s->item_count >= r->item_limit)
        return corrupt(r, "more records than its size allows");
    if (s->item_count == s->item_capacity) {
        uint32_t capacity = s->item_capacity ? 2 * s->item_capacity : 256;
        struct bitstream_item *items = realloc(s->items, capacity * sizeof(*items));
        if (!items)
            return reason_set(r->reason, STATUS_OUT_OF_MEMORY, "out of memory reading DXIL bitcode");
        s->items = items;
        s->item_capacity = capacity;
    }
    s->items[s->item_count++] = item;
    return STATUS_OK;
}

static enum status add_operand(struct bit_reader *r, uint64_t value)
{
    struct bitstream *s = r->stream;
    if (s->operand_count >= r->operand_limit)
        return corrupt(r, "more operands than its size allows");
    if (s->operand_count == s->operand_capacity) {
        size_t capacity = s->operand_capacity ? 2 * s->operand_capacity : 1024;
        uint64_t *operands = realloc(s->operands, capacity * sizeof(*operands));
        if (!operands)
            return reason_set(r->reason, STATUS_OUT_OF_MEMORY, "out of memory reading DXIL bitcode");
        s->operands = operands;
        s->operand_capacity = capacity;
    }
    s->operands[s->operand_count++] = value;
    return STATUS_OK;
}

static void list_finish(struct abbreviation_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        free(list->entries[i]);
    free(list->entries);
    *list = (struct abbreviation_list){0};
}

static enum status list_add(struct bit_reader *r, struct abbreviation_list *list, struct abbreviation *entry)
{
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity ? 2 * list->capacity : 8;
        struct abbreviation **entries = realloc(list->entries, capacity * sizeof(*entries));
        if (!entries) {
            free(entry);
            return reason_set(r->reason, STATUS_OUT_OF_MEMORY, "out of memory reading DXIL bitcode");
        }
        list->entries = entries;
        list->capacity = capacity;
    }
    list->entries[list->count++] = entry;
    return STATUS_OK;
}

static enum status read_abbreviation_op(struct bit_reader *r, struct abbreviation_op *op)
{
    if (read_bits(r, 1)) {
        *op = (struct abbreviation_op){ENCODING_LITERAL, read_vbr(r, 8)};
        return STATUS_OK;
    }
    uint8_t encoding = (uint8_t)read_bits(r, 3);
    *op = (struct abbreviation_op){encoding, 0};
    if (encoding == ENCODING_ARRAY || encoding == ENCODING_CHAR6)
        return STATUS_OK;
    if (encoding != ENCODING_FIXED && encoding != ENCODING_VBR)
        return corrupt(r, "abbreviation with an unknown encoding");
    op->value = read_vbr(r, 5);
    if (op->value > 32 || (encoding == ENCODING_VBR && op->value == 1))
        return corrupt(r, "abbreviation with an impossible width");
    if (op->value == 0)
        *op = (struct abbreviation_op){ENCODING_LITERAL, 0};
    return STATUS_OK;
}

static bool shape_is_valid(const struct abbreviation *entry)
{
    if (!entry->op_count || entry->ops[0].encoding == ENCODING_ARRAY)
        return false;
    for (uint32_t i = 0; i < entry->op_count; i++)
        if (entry->ops[i].encoding == ENCODING_ARRAY &&
            (i + 2 != entry->op_count || entry->ops[i + 1].encoding == ENCODING_ARRAY))
            return false;
    return true;
}

static enum status define_abbreviation(struct bit_reader *r)
{
    uint64_t op_count = read_vbr(r, 5);
    if (!op_count || op_count > ABBREVIATION_OPS_MAX)
        return corrupt(r, "abbreviation with an unreasonable number of operands");
    struct abbreviation *entry = calloc(1, sizeof(*entry) + op_count * sizeof(entry->ops[0]));
    if (!entry)
        return reason_set(r->reason, STATUS_OUT_OF_MEMORY, "out of memory reading DXIL bitcode");
    entry->op_count = (uint32_t)op_count;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < op_count && status == STATUS_OK; i++)
        status = read_abbreviation_op(r, &entry->ops[i]);
    if (status == STATUS_OK && (r->overrun || !shape_is_valid(entry)))
        status = corrupt(r, "malformed abbreviation");
    if (status != STATUS_OK) {
        free(entry);
        return status;
    }
    struct scope *scope = &r->scopes[r->depth - 1];
    if (scope->block_id != BLOCK_INFO)
        return list_add(r, &scope->own, entry);
    if (r->info_block >= BLOCK_IDS) {
        free(entry);
        return corrupt(r, "abbreviation for no block");
    }
    return list_add(r, &r->info[r->info_block], entry);
}

static uint64_t read_scalar(struct bit_reader *r, const struct abbreviation_op *op)
{
    static const char char6[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    switch (op->encoding) {
    case ENCODING_LITERAL:
        return op->value;
    case ENCODING_FIXED:
        return read_bits(r, (uint32_t)op->value);
    case ENCODING_VBR:
        return read_vbr(r, (uint32_t)op->value);
    default:
        return (uint8_t)char6[read_bits(r, 6)];
    }
}

static const struct abbreviation *find_abbreviation(struct bit_reader *r, uint32_t id)
{
    struct scope *scope = &r->scopes[r->depth - 1];
    uint32_t index = id - ID_FIRST_ABBREVIATION;
    if (index < scope->inherited_count)
        return r->info[scope->block_id].entries[index];
    index -= scope->inherited_count;
    return index < scope->own.count ? scope->own.entries[index] : NULL;
}

static enum status read_array(struct bit_reader *r, const struct abbreviation_op *element)
{
    uint64_t length = read_vbr(r, 6);
    if (length > r->operand_limit)
        return corrupt(r, "array longer than the module");
    for (uint64_t i = 0; i < length && !r->overrun; i++)
        RETURN_IF_FAILED(add_operand(r, read_scalar(r, element)));
    return STATUS_OK;
}

static enum status read_abbreviated(struct bit_reader *r, uint32_t id, struct bitstream_item *item)
{
    const struct abbreviation *entry = find_abbreviation(r, id);
    if (!entry)
        return corrupt(r, "record with an abbreviation that is not defined");
    uint64_t code = read_scalar(r, &entry->ops[0]);
    if (code > UINT32_MAX)
        return corrupt(r, "record with an unreasonable code");
    item->code = (uint32_t)code;
    for (uint32_t i = 1; i < entry->op_count; i++) {
        if (entry->ops[i].encoding == ENCODING_ARRAY)
            return read_array(r, &entry->ops[i + 1]);
        RETURN_IF_FAILED(add_operand(r, read_scalar(r, &entry->ops[i])));
    }
    return STATUS_OK;
}

static enum status read_unabbreviated(struct bit_reader *r, struct bitstream_item *item)
{
    uint64_t code = read_vbr(r, 6), count = read_vbr(r, 6);
    if (code > UINT32_MAX || count > r->operand_limit)
        return corrupt(r, "record with an unreasonable code or length");
    item->code = (uint32_t)code;
    for (uint64_t i = 0; i < count && !r->overrun; i++)
        RETURN_IF_FAILED(add_operand(r, read_vbr(r, 6)));
    return STATUS_OK;
}

static enum status read_record(struct bit_reader *r, uint32_t id)
{
    struct bitstream_item item = {.kind = BITSTREAM_ITEM_RECORD, .operand_index = r->stream->operand_count};
    RETURN_IF_FAILED(id == ID_UNABBREVIATED ? read_unabbreviated(r, &item) : read_abbreviated(r, id, &item));
    if (r->overrun)
        return corrupt(r, "record runs past the end");
    item.operand_count = (uint32_t)(r->stream->operand_count - item.operand_index);
    if (r->scopes[r->depth - 1].block_id != BLOCK_INFO)
        return add_item(r, item);
    if (item.code == BLOCK_INFO_SETBID) {
        uint64_t block = item.operand_count ? r->stream->operands[item.operand_index] : BLOCK_IDS;
        if (block >= BLOCK_IDS)
            return corrupt(r, "block information for an unknown block");
        r->info_block = (uint32_t)block;
    }
    r->stream->operand_count = item.operand_index; /* names of blocks and records carry nothing */
    return STATUS_OK;
}

static enum status enter_block(struct bit_reader *r)
{
    uint64_t block_id = read_vbr(r, 8), id_width = read_vbr(r, 4);
    align_32(r);
    uint32_t word_count = read_bits(r, 32);
    if (r->overrun)
        return corrupt(r, "block header runs past the end");
    if (block_id >= BLOCK_IDS)
        return corrupt(r, "unknown block");
    if (id_width < 2 || id_width > ID_WIDTH_MAX)
        return corrupt(r, "block with an impossible abbreviation width");
    if (r->depth == DEPTH_MAX)
        return corrupt(r, "blocks nested too deeply");
    uint64_t outer_end = r->depth ? r->scopes[r->depth - 1].end_bit : r->end;
    if ((uint64_t)word_count * 32 > outer_end - r->position)
        return corrupt(r, "block longer than what holds it");
    r->scopes[r->depth++] = (struct scope){
        .id_width = (uint32_t)id_width,
        .block_id = (uint32_t)block_id,
        .enter_index = r->stream->item_count,
        .inherited_count = r->info[block_id].count,
        .end_bit = r->position + (uint64_t)word_count * 32,
    };
    r->info_block = BLOCK_IDS;
    if (block_id == BLOCK_INFO)
        return STATUS_OK;
    return add_item(r, (struct bitstream_item){.kind = BITSTREAM_ITEM_ENTER, .code = (uint32_t)block_id});
}

static enum status exit_block(struct bit_reader *r)
{
    align_32(r);
    struct scope *scope = &r->scopes[r->depth - 1];
    if (r->overrun || r->position != scope->end_bit)
        return corrupt(r, "block does not end where its header says");
    uint32_t block_id = scope->block_id, enter_index = scope->enter_index;
    list_finish(&scope->own);
    r->depth--;
    if (block_id == BLOCK_INFO)
        return STATUS_OK;
    r->stream->items[enter_index].exit_index = r->stream->item_count;
    return add_item(r, (struct bitstream_item){.kind = BITSTREAM_ITEM_EXIT, .code = block_id});
}

static enum status read_top_level(struct bit_reader *r)
{
    if (read_bits(r, 32) != 0xdec04342) /* 'B' 'C' 0xC0DE */
        return corrupt(r, "it lacks the magic number of LLVM bitcode");
    if (read_bits(r, 2) != ID_ENTER_BLOCK)
        return corrupt(r, "no block follows the magic number");
    RETURN_IF_FAILED(enter_block(r));
    while (r->depth) {
        uint32_t id = read_bits(r, r->scopes[r->depth - 1].id_width);
        if (r->overrun)
            return corrupt(r, "the data ends inside a block");
        if (id == ID_END_BLOCK)
            RETURN_IF_FAILED(exit_block(r));
        else if (id == ID_ENTER_BLOCK)
            RETURN_IF_FAILED(enter_block(r));
        else if (id == ID_DEFINE_ABBREVIATION)
            RETURN_IF_FAILED(define_abbreviation(r));
        else
            RETURN_IF_FAILED(read_record(r, id));
    }
    return STATUS_OK;
}

enum status bitstream_read(const uint8_t *bytes, size_t byte_count, struct bitstream *stream, struct reason *reason)
{
    struct bitstream result = {0};
    struct bit_reader *reader = calloc(1, sizeof(*reader));
    if (!reader)
        return reason_set(reason, STATUS_OUT_OF_MEMORY, "out of memory reading DXIL bitcode");
    reader->bytes = bytes;
    reader->end = (uint64_t)byte_count * 8;
    reader->stream = &result;
    /* DXC writes about 6 bits an operand and 20 bits a record. */
    reader->operand_limit = byte_count * 4;
    reader->item_limit = byte_count;
    reader->info_block = BLOCK_IDS;
    reader->reason = reason;
    enum status status = read_top_level(reader);
    for (uint32_t i = 0; i < BLOCK_IDS; i++)
        list_finish(&reader->info[i]);
    while (reader->depth)
        list_finish(&reader->scopes[--reader->depth].own);
    free(reader);
    if (status != STATUS_OK) {
        bitstream_finish(&result);
        return status;
    }
    *stream = result;
    return STATUS_OK;
}

void bitstream_finish(struct bitstream *stream)
{
    free(stream->items);
    free(stream->operands);
    *stream = (struct bitstream){0};
}
