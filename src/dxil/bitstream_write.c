/* SPDX-License-Identifier: MIT
 * The bitstream writer of bitstream.h: every record unabbreviated, abbreviation ids of two bits. The result is larger
 * than DXC's bitcode by about a half, which does not matter: it lives until LLVM has read it. */
#include <stdlib.h>
#include <string.h>

#include "dxil/bitstream.h"

enum { ID_WIDTH = 2, DEPTH_MAX = 8 };

struct bit_writer {
    uint8_t *bytes;
    size_t byte_count, capacity;
    uint64_t pending; /* bits not yet in bytes */
    uint32_t pending_bits;
    bool failed; /* out of memory */
};

static void flush_words(struct bit_writer *w)
{
    while (w->pending_bits >= 32) {
        if (w->byte_count + 8 > w->capacity) {
            size_t capacity = w->capacity ? 2 * w->capacity : 4096;
            uint8_t *bytes = realloc(w->bytes, capacity);
            if (!bytes) {
                w->failed = true;
                w->pending_bits = 0;
                return;
            }
            w->bytes = bytes;
            w->capacity = capacity;
        }
        uint32_t word = (uint32_t)w->pending;
        memcpy(w->bytes + w->byte_count, &word, 4);
        w->byte_count += 4;
        w->pending >>= 32;
        w->pending_bits -= 32;
    }
}

static void put_bits(struct bit_writer *w, uint32_t value, uint32_t width)
{
    w->pending |= (uint64_t)value << w->pending_bits;
    w->pending_bits += width;
    flush_words(w);
}

static void put_vbr(struct bit_writer *w, uint64_t value, uint32_t width)
{
    uint32_t high = 1u << (width - 1);
    while (value >= high) {
        put_bits(w, (uint32_t)(value & (high - 1)) | high, width);
        value >>= width - 1;
    }
    put_bits(w, (uint32_t)value, width);
}

static void align_32(struct bit_writer *w)
{
    if (w->pending_bits)
        put_bits(w, 0, 32 - w->pending_bits);
}

static void put_record(struct bit_writer *w, const struct bitstream *s, const struct bitstream_item *item)
{
    put_bits(w, 3, ID_WIDTH);
    put_vbr(w, item->code, 6);
    put_vbr(w, item->operand_count, 6);
    for (uint32_t i = 0; i < item->operand_count; i++)
        put_vbr(w, s->operands[item->operand_index + i], 6);
}

static size_t put_enter(struct bit_writer *w, uint32_t block_id)
{
    put_bits(w, 1, ID_WIDTH);
    put_vbr(w, block_id, 8);
    put_vbr(w, ID_WIDTH, 4);
    align_32(w);
    size_t length_offset = w->byte_count;
    put_bits(w, 0, 32);
    return length_offset;
}

static void put_exit(struct bit_writer *w, size_t length_offset)
{
    put_bits(w, 0, ID_WIDTH);
    align_32(w);
    if (w->failed)
        return;
    uint32_t word_count = (uint32_t)((w->byte_count - length_offset - 4) / 4);
    memcpy(w->bytes + length_offset, &word_count, 4);
}

enum status bitstream_write(const struct bitstream *stream, uint8_t **bytes, size_t *byte_count)
{
    struct bit_writer w = {0};
    size_t length_offsets[DEPTH_MAX];
    uint32_t depth = 0;
    put_bits(&w, 0xdec04342, 32);
    for (uint32_t i = 0; i < stream->item_count; i++) {
        const struct bitstream_item *item = &stream->items[i];
        if (item->kind == BITSTREAM_ITEM_ENTER && item->dropped)
            i = item->exit_index;
        else if (item->kind == BITSTREAM_ITEM_ENTER)
            length_offsets[depth++] = put_enter(&w, item->code);
        else if (item->kind == BITSTREAM_ITEM_EXIT)
            put_exit(&w, length_offsets[--depth]);
        else if (!item->dropped)
            put_record(&w, stream, item);
    }
    if (w.failed) {
        free(w.bytes);
        return STATUS_OUT_OF_MEMORY;
    }
    w.bytes[w.byte_count] = 0; /* flush_words keeps four bytes spare */
    *bytes = w.bytes;
    *byte_count = w.byte_count;
    return STATUS_OK;
}
