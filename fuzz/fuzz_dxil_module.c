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

#include "dxil/module.h"
#include "module_mutator.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t byte_count);

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
