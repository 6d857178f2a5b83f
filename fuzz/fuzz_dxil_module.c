/* SPDX-License-Identifier: MIT
 * The property of the module checker: what it accepts, LLVM's bitcode reader takes without a fault and LLVM's verifier
 * finds correct; what it refuses has a reason. A mutator of its own changes records inside the bitcode, since changed
 * bytes mostly break the bitstream. With debug information the verifier may object, as long as the module is correct
 * once that is stripped (jit does the same). */
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dxil/bitstream.h"
#include "dxil/module.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t byte_count);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t byte_count, size_t capacity_bytes, unsigned seed);
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t byte_count, size_t capacity_bytes);

static char diagnostic[1024];
static unsigned long accepted_count, refused_count;

static void print_counts(void)
{
    fprintf(stderr, "%lu accepted, %lu refused\n", accepted_count, refused_count);
}

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *cookie)
{
    char *text = LLVMGetDiagInfoDescription(info);
    snprintf(diagnostic, sizeof(diagnostic), "%s", text);
    LLVMDisposeMessage(text);
}

/* CDXR_FUZZ_SURVEY=1: print and go on, to see many holes in one run. */
static void hole(const struct dxil_module *module, const char *what, const char *text)
{
    fprintf(stderr, "checker hole: %s: %s\n", what, text ? text : "");
    FILE *file = fopen("hole.bc", "wb");
    if (file) {
        fwrite(module->bitcode, 1, module->bitcode_bytes, file);
        fclose(file);
    }
    if (!getenv("CDXR_FUZZ_SURVEY"))
        abort();
}

static void check_with_llvm(const struct dxil_module *module)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(context, on_diagnostic, NULL);
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange((const char *)module->bitcode, module->bitcode_bytes, "fuzz", false);
    LLVMModuleRef parsed = NULL;
    char *message = NULL;
    if (LLVMParseBitcodeInContext2(context, buffer, &parsed)) {
        hole(module, "LLVM cannot read", diagnostic);
        goto done;
    }
    bool broken = LLVMVerifyModule(parsed, LLVMReturnStatusAction, &message);
    if (broken && module->has_debug_info) {
        LLVMDisposeMessage(message);
        LLVMStripModuleDebugInfo(parsed);
        broken = LLVMVerifyModule(parsed, LLVMReturnStatusAction, &message);
    }
    if (broken)
        hole(module, "LLVM's verifier objects", message);
    LLVMDisposeMessage(message);
    LLVMDisposeModule(parsed);
done:
    LLVMDisposeMemoryBuffer(buffer);
    LLVMContextDispose(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t byte_count)
{
    if (accepted_count + refused_count == 0)
        atexit(print_counts);
    bool accepted = false;
    for (int debug = 0; debug < 2; debug++) {
        struct dxil_options options = {.allow_unsigned = true, .prefer_debug = debug};
        struct dxil_module *module = NULL;
        struct reason reason = {{0}};
        uint8_t *copy = malloc(byte_count + 1);
        if (!copy)
            return 0;
        memcpy(copy, data, byte_count);
        if (byte_count >= 32)
            memset(copy + 4, 0, 16);
        enum status status = dxil_module_create(copy, byte_count, &options, &module, &reason);
        free(copy);
        status == STATUS_OK ? accepted_count++ : refused_count++;
        accepted |= status == STATUS_OK;
        if (status == STATUS_OK) {
            check_with_llvm(module);
            dxil_module_destroy(module);
        } else if (!reason.text[0] || status == STATUS_INTERNAL) {
            abort();
        }
    }
    /* Only accepted modules are worth changing further: a refused one stays refused. */
    return accepted ? 0 : -1;
}

/* --- mutator: changes of records -------------------------------------------------------------------------------- */

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

static void mutate_record(unsigned *state, struct bitstream *stream)
{
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
