/* SPDX-License-Identifier: MIT
 * LLVM bitstream: bytes to a flat list of blocks and records, and back. Abbreviations are expanded while reading; what
 * comes back is written without any. Internal to the room: module.c reads the bitcode with it, the reader (reader.h)
 * walks the items, and the checked items are written again for LLVM. Cost is linear in the input: the numbers of items
 * and operands are limited by the number of bytes. */
#ifndef CDXR_DXIL_BITSTREAM_H
#define CDXR_DXIL_BITSTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum bitstream_item_kind { BITSTREAM_ITEM_ENTER, BITSTREAM_ITEM_RECORD, BITSTREAM_ITEM_EXIT };

struct bitstream_item {
    uint8_t kind;           /* enum bitstream_item_kind */
    bool dropped;           /* not written; for ENTER: the whole block */
    uint32_t code;          /* block id or record code */
    uint32_t operand_count; /* RECORD */
    uint32_t exit_index;    /* ENTER: index of the matching EXIT */
    size_t operand_index;   /* RECORD: first operand in bitstream.operands */
};

struct bitstream {
    struct bitstream_item *items;
    uint32_t item_count, item_capacity;
    uint64_t *operands;
    size_t operand_count, operand_capacity;
};

/* Read bitcode from its magic number to the end of its one top-level block. bytes: a multiple of 4, any alignment. On
 * failure nothing is kept. */
MUST_USE enum status bitstream_read(const uint8_t *bytes, size_t byte_count, struct bitstream *stream,
                                    struct reason *reason);
/* Frees the lists; accepts a zeroed stream. */
void bitstream_finish(struct bitstream *stream);
/* Write the magic number and every item that is not dropped. *bytes: malloc'ed, ends with a zero byte that is not counted;
 * the caller frees it. */
MUST_USE enum status bitstream_write(const struct bitstream *stream, uint8_t **bytes, size_t *byte_count);

#endif
