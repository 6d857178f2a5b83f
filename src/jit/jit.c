/* SPDX-License-Identifier: MIT
 * The compiler object: host target, prepared library, options; and the parallel compilation of a program's exports. */
#include "jit/jit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <llvm/Config/llvm-config.h>

#include "base/environment.h"
#include "jit/code.h"
#include "jit/compile.h"
#include "jit/hash.h"

void jit_options_init(struct jit_options *options)
{
    static const char *const lane_counts[] = {"4", "8", "16", "32", "64", "128"};
    *options = (struct jit_options){
        .wave_size = 4u << environment_choice("CDXR_WAVE_SIZE", lane_counts, ARRAY_COUNT(lane_counts), 3),
        .debug = environment_flag("CDXR_SHADER_DEBUG"),
        .dump_directory = getenv("CDXR_DUMP"),
        .cache_directory = getenv("CDXR_CACHE_DIR"),
    };
}

const char *jit_compiler_version(void)
{
    return "LLVM " LLVM_VERSION_STRING;
}

static pthread_once_t jit_llvm_once = PTHREAD_ONCE_INIT;

static void jit_start_llvm(void)
{
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser();
}

static char *jit_take_message(char *message)
{
    char *copy = message ? strdup(message) : NULL;
    LLVMDisposeMessage(message);
    return copy;
}

static enum status jit_find_target(struct jit *jit, struct reason *reason)
{
    char *message = NULL;
    jit->triple = jit_take_message(LLVMGetDefaultTargetTriple());
    jit->cpu = jit_take_message(LLVMGetHostCPUName());
    jit->features = jit_take_message(LLVMGetHostCPUFeatures());
    if (!jit->triple || !jit->cpu || !jit->features)
        return reason_set(reason, STATUS_OUT_OF_MEMORY, "no memory for the compiler");
    if (LLVMGetTargetFromTriple(jit->triple, &jit->target, &message)) {
        enum status status = reason_set(reason, STATUS_INTERNAL, "no LLVM target %s: %s", jit->triple, message);
        LLVMDisposeMessage(message);
        return status;
    }
    LLVMTargetMachineRef machine = LLVMCreateTargetMachine(jit->target, jit->triple, jit->cpu, jit->features,
                                                           LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelSmall);
    if (!machine)
        return reason_set(reason, STATUS_INTERNAL, "no LLVM target machine for %s", jit->cpu);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    jit->layout = jit_take_message(LLVMCopyStringRepOfTargetData(layout));
    LLVMDisposeTargetData(layout);
    LLVMDisposeTargetMachine(machine);
    return jit->layout ? STATUS_OK : reason_set(reason, STATUS_OUT_OF_MEMORY, "no memory for the compiler");
}

static uint64_t jit_hash_target(const struct jit *jit)
{
    uint64_t hash = jit_library_hash(jit->library);
    hash = jit_hash_text(hash, CDXR_VERSION);
    hash = jit_hash_text(hash, jit->triple);
    hash = jit_hash_text(hash, jit->cpu);
    hash = jit_hash_text(hash, jit->features);
    hash = jit_hash_u64(hash, jit->options.wave_size);
    hash = jit_hash_u64(hash, jit->options.debug);
    return jit_hash_u64(hash, jit->options.query_bytes);
}

enum status jit_create(const struct jit_options *options, struct jit **jit, struct reason *reason)
{
    pthread_once(&jit_llvm_once, jit_start_llvm);
    struct jit *made = calloc(1, sizeof(*made));
    if (!made)
        return reason_set(reason, STATUS_OUT_OF_MEMORY, "no memory for the compiler");
    made->options = *options;
    enum status status = jit_find_target(made, reason);
    if (status == STATUS_OK)
        status = jit_library_create(&made->library, reason);
    if (status != STATUS_OK)
        goto fail;
    made->target_hash = jit_hash_target(made);
    *jit = made;
    return STATUS_OK;
fail:
    jit_destroy(made);
    return status;
}

void jit_destroy(struct jit *jit)
{
    if (!jit)
        return;
    jit_library_destroy(jit->library);
    free(jit->triple);
    free(jit->cpu);
    free(jit->features);
    free(jit->layout);
    free(jit);
}

uint32_t jit_wave_size(const struct jit *jit)
{
    return jit->options.wave_size;
}

/* --- programs ----------------------------------------------------------------------------------------------- */

struct jit_batch {
    struct jit *jit;
    const struct jit_program *program;
    struct jit_compiled *compiled;
    enum status *statuses;
    struct reason *reasons;
};

static void jit_compile_one(void *context, uint32_t index, uint32_t worker_index)
{
    struct jit_batch *batch = context;
    (void)worker_index;
    batch->statuses[index] = jit_unit_compile(batch->jit, batch->program, &batch->program->exports[index],
                                              &batch->compiled[index], &batch->reasons[index]);
}

/* The first failure in the order of exports, whatever the order of work was. */
static enum status jit_first_failure(const struct jit_batch *batch, uint32_t count, struct reason *reason)
{
    for (uint32_t i = 0; i < count; i++)
        if (batch->statuses[i] != STATUS_OK)
            return reason_set(reason, batch->statuses[i], "%s", batch->reasons[i].text);
    return STATUS_OK;
}

enum status jit_compile(struct jit *jit, const struct jit_program *program, struct jit_code **code,
                        struct reason *reason)
{
    uint32_t count = program->export_count;
    struct jit_batch batch = {.jit = jit, .program = program};
    batch.compiled = calloc(count + 1, sizeof(*batch.compiled));
    batch.statuses = calloc(count + 1, sizeof(*batch.statuses));
    batch.reasons = calloc(count + 1, sizeof(*batch.reasons));
    enum status status = STATUS_OUT_OF_MEMORY;
    if (batch.compiled && batch.statuses && batch.reasons) {
        thread_pool_parallel_for(jit->options.pool, count, jit_compile_one, &batch);
        status = jit_first_failure(&batch, count, reason);
        if (status == STATUS_OK)
            status = jit_code_create(batch.compiled, count, code, reason);
        for (uint32_t i = 0; i < count; i++)
            if (batch.compiled[i].object)
                LLVMDisposeMemoryBuffer(batch.compiled[i].object);
    } else {
        status = reason_set(reason, STATUS_OUT_OF_MEMORY, "no memory to compile %u exports", count);
    }
    free(batch.compiled);
    free(batch.statuses);
    free(batch.reasons);
    return status;
}
