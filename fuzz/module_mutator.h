/* SPDX-License-Identifier: MIT
 * libFuzzer's mutator for containers with DXIL: changes records inside the bitcode, since changed bytes mostly break the
 * bitstream. Included once by each target that takes modules. */
#ifndef CDXR_FUZZ_MODULE_MUTATOR_H
#define CDXR_FUZZ_MODULE_MUTATOR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dxil/bitstream.h"
#include "dxil/container.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t byte_count, size_t capacity_bytes, unsigned seed);
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t byte_count, size_t capacity_bytes);

static uint32_t random_below(unsigned *state, uint32_t limit)
{
    *state = *state * 1664525u + 1013904223u;
    return limit ? (uint32_t)(((uint64_t)(*state >> 4) * limit) >> 28) : 0;
}

static uint64_t changed_operand(unsigned *state, uint64_t value, const struct bitstream *stream)
{
    static const uint64_t interesting[] = {0, 1, 2, 3, 7, 31, 32, 255, 256, 65535, 0x7fffffff, 0xffffffff, 1ull << 32, UINT64_MAX};
    switch (random_below(state, 6)) {
    case 0:
        return value + 1;
    case 1:
        return value - 1;
    case 2:
        return value ^ 1ull << random_below(state, 33);
    case 3:
        return interesting[random_below(state, ARRAY_COUNT(interesting))];
    case 4:
        return stream->operands[random_below(state, (uint32_t)stream->operand_count)];
    default:
        return random_below(state, 64);
    }
}

/* A number of the constants changes: mostly a valid module with other values, indices, flags and opcodes. */
static bool mutate_constant(unsigned *state, struct bitstream *stream)
{
    enum { BLOCK_OF_CONSTANTS = 11, RECORD_INTEGER = 4, RECORD_FLOAT = 6, LOOK_BACK = 400 };
    for (int attempt = 0; attempt < 64; attempt++) {
        uint32_t index = random_below(state, stream->item_count), enter = index;
        const struct bitstream_item *item = &stream->items[index];
        if (item->kind != BITSTREAM_ITEM_RECORD || item->operand_count != 1 ||
            (item->code != RECORD_INTEGER && item->code != RECORD_FLOAT))
            continue;
        while (enter && index - enter < LOOK_BACK && stream->items[enter].kind == BITSTREAM_ITEM_RECORD)
            enter--;
        if (stream->items[enter].kind != BITSTREAM_ITEM_ENTER || stream->items[enter].code != BLOCK_OF_CONSTANTS)
            continue;
        uint64_t *operand = &stream->operands[item->operand_index];
        *operand = changed_operand(state, *operand, stream);
        return true;
    }
    return false;
}

static void mutate_record(unsigned *state, struct bitstream *stream)
{
    if (random_below(state, 2) == 0 && mutate_constant(state, stream))
        return;
    for (int attempt = 0; attempt < 64; attempt++) {
        uint32_t index = random_below(state, stream->item_count);
        struct bitstream_item *item = &stream->items[index];
        if (item->kind != BITSTREAM_ITEM_RECORD) {
            if (item->kind == BITSTREAM_ITEM_ENTER && index && random_below(state, 16) == 0)
                item->dropped = true;
            continue;
        }
        switch (random_below(state, 12)) {
        case 0:
            item->dropped = true;
            return;
        case 1:
            item->code = random_below(state, 50);
            return;
        case 2:
            item->operand_count = random_below(state, item->operand_count + 1);
            return;
        case 3: { /* become a copy of another record */
            const struct bitstream_item *other = &stream->items[random_below(state, stream->item_count)];
            if (other->kind != BITSTREAM_ITEM_RECORD)
                continue;
            *item = *other;
            return;
        }
        default:
            if (!item->operand_count)
                continue;
            uint64_t *operand = &stream->operands[item->operand_index + random_below(state, item->operand_count)];
            *operand = changed_operand(state, *operand, stream);
            return;
        }
    }
}

/* The container with the bitcode of its program replaced; the part grows or shrinks, so only the last one may change:
 * DXC writes DXIL last; ILDB modules are put in its place. */
static size_t rebuild(const struct dxil_program *program, const uint8_t *bitcode, size_t bitcode_bytes, uint8_t *data,
                      size_t capacity_bytes)
{
    uint32_t total = (uint32_t)(32 + 4 + 8 + 24 + bitcode_bytes);
    if (total > capacity_bytes)
        return 0;
    uint32_t words[17] = {DXIL_PART_KIND_CONTAINER, 0, 0, 0, 0, 1, total, 1, 36, DXIL_PART_KIND_PROGRAM,
                          (uint32_t)(24 + bitcode_bytes),
                          program->shader_kind << 16 | program->major << 4 | program->minor,
                          (uint32_t)(24 + bitcode_bytes) / 4, DXIL_PART_KIND_PROGRAM, 0x100, 16, (uint32_t)bitcode_bytes};
    memcpy(data, words, sizeof(words));
    memcpy(data + sizeof(words), bitcode, bitcode_bytes);
    return total;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t byte_count, size_t capacity_bytes, unsigned seed)
{
    struct dxil_options options = {.allow_unsigned = true};
    struct dxil_container container;
    struct dxil_program program;
    struct bitstream stream;
    unsigned state = seed;
    if (byte_count >= 32)
        memset(data + 4, 0, 16);
    if (random_below(&state, 20) == 0 ||
        dxil_container_parse(data, byte_count, &options, &container, NULL) != STATUS_OK ||
        dxil_container_program(&container, random_below(&state, 2), &program, NULL) != STATUS_OK ||
        bitstream_read(program.bitcode, program.bitcode_bytes, &stream, NULL) != STATUS_OK)
        return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, byte_count, capacity_bytes) : byte_count;
    uint32_t changes = 1 + (random_below(&state, 4) == 0 ? random_below(&state, 4) : 0);
    for (uint32_t i = 0; i < changes; i++)
        mutate_record(&state, &stream);
    uint8_t *bitcode = NULL;
    size_t bitcode_bytes = 0, result = 0;
    if (bitstream_write(&stream, &bitcode, &bitcode_bytes) == STATUS_OK)
        result = rebuild(&program, bitcode, bitcode_bytes, data, capacity_bytes);
    free(bitcode);
    bitstream_finish(&stream);
    return result ? result : byte_count;
}

#endif
