/* SPDX-License-Identifier: MIT
 * Loading: one LLJIT instance per program, so that releasing the program frees everything. Shader code may call only what
 * is defined here: the native functions of ops/ and the C library functions that LLVM itself introduces. gdb and perf
 * hear about every object. */
#include "jit/code.h"

#include <llvm-c/Error.h>
#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/OrcEE.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "ops/bitcode.h"

struct jit_code {
    atomic_uint references;
    LLVMOrcLLJITRef loader;
    struct abi_shader *shaders;
    char *names;
    uint32_t count;
};

static enum status code_error(LLVMErrorRef error, struct reason *reason, const char *what)
{
    char *message = LLVMGetErrorMessage(error);
    enum status status = reason_set(reason, STATUS_INTERNAL, "%s: %s", what, message);
    LLVMDisposeErrorMessage(message);
    return status;
}

/* --- listeners ---------------------------------------------------------------------------------------------- */

static LLVMJITEventListenerRef code_gdb_listener, code_perf_listener;
static pthread_once_t code_listeners_once = PTHREAD_ONCE_INIT;

static void code_make_listeners(void)
{
    code_gdb_listener = LLVMCreateGDBRegistrationListener();
    if (environment_flag("CDXR_PERF"))
        code_perf_listener = LLVMCreatePerfJITEventListener();
}

static LLVMOrcObjectLayerRef code_make_layer(void *context, LLVMOrcExecutionSessionRef session, const char *triple)
{
    (void)context;
    (void)triple;
    LLVMOrcObjectLayerRef layer = LLVMOrcCreateRTDyldObjectLinkingLayerWithSectionMemoryManager(session);
    pthread_once(&code_listeners_once, code_make_listeners);
    if (code_gdb_listener)
        LLVMOrcRTDyldObjectLinkingLayerRegisterJITEventListener(layer, code_gdb_listener);
    if (code_perf_listener)
        LLVMOrcRTDyldObjectLinkingLayerRegisterJITEventListener(layer, code_perf_listener);
    return layer;
}

/* --- symbols ------------------------------------------------------------------------------------------------ */

/* Half conversions on CPUs without instructions for them; named as compiler-rt names them. */
static float code_extend_half(_Float16 value)
{
    return (float)value;
}
static _Float16 code_truncate_float(float value)
{
    return (_Float16)value;
}
static _Float16 code_truncate_double(double value)
{
    return (_Float16)value;
}

#define SYMBOL(name) {#name, (const void *)(uintptr_t)name}
static const struct ops_native_symbol code_runtime[] = {
    SYMBOL(memcpy), SYMBOL(memmove), SYMBOL(memset), SYMBOL(memcmp), SYMBOL(fmodf), SYMBOL(fmod), SYMBOL(floorf),
    SYMBOL(floor), SYMBOL(ceilf), SYMBOL(ceil), SYMBOL(truncf), SYMBOL(trunc), SYMBOL(rintf), SYMBOL(rint),
    SYMBOL(nearbyintf), SYMBOL(nearbyint), SYMBOL(roundf), SYMBOL(roundevenf), SYMBOL(roundeven), SYMBOL(fmaf),
    SYMBOL(fma), SYMBOL(sqrtf), SYMBOL(sqrt), SYMBOL(sinf), SYMBOL(cosf), SYMBOL(tanf), SYMBOL(asinf), SYMBOL(acosf),
    SYMBOL(atanf), SYMBOL(atan2f), SYMBOL(sinhf), SYMBOL(coshf), SYMBOL(tanhf), SYMBOL(expf), SYMBOL(exp2f),
    SYMBOL(logf), SYMBOL(log2f), SYMBOL(powf), SYMBOL(ldexpf), SYMBOL(fminf), SYMBOL(fmaxf), SYMBOL(sincosf),
    SYMBOL(sin), SYMBOL(cos), SYMBOL(exp2), SYMBOL(log2), SYMBOL(pow),
    {"__extendhfsf2", (const void *)(uintptr_t)code_extend_half},
    {"__gnu_h2f_ieee", (const void *)(uintptr_t)code_extend_half},
    {"__truncsfhf2", (const void *)(uintptr_t)code_truncate_float},
    {"__gnu_f2h_ieee", (const void *)(uintptr_t)code_truncate_float},
    {"__truncdfhf2", (const void *)(uintptr_t)code_truncate_double},
};

static LLVMOrcCSymbolMapPair code_pair(LLVMOrcLLJITRef loader, const struct ops_native_symbol *symbol)
{
    LLVMOrcCSymbolMapPair pair = {.Name = LLVMOrcLLJITMangleAndIntern(loader, symbol->name)};
    pair.Sym.Address = (LLVMOrcExecutorAddress)(uintptr_t)symbol->address;
    pair.Sym.Flags.GenericFlags = LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable;
    return pair;
}

static enum status code_define_symbols(LLVMOrcLLJITRef loader, struct reason *reason)
{
    size_t runtime = ARRAY_COUNT(code_runtime), total = runtime + ops_native_symbol_count;
    LLVMOrcCSymbolMapPair *pairs = calloc(total, sizeof(*pairs));
    if (!pairs)
        return reason_set(reason, STATUS_OUT_OF_MEMORY, "no memory for symbols");
    for (size_t i = 0; i < total; i++)
        pairs[i] = code_pair(loader, i < runtime ? &code_runtime[i] : &ops_native_symbols[i - runtime]);
    LLVMErrorRef error = LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(loader), LLVMOrcAbsoluteSymbols(pairs, total));
    free(pairs);
    return error ? code_error(error, reason, "cannot define the runtime of shaders") : STATUS_OK;
}

/* --- the code object ---------------------------------------------------------------------------------------- */

static void code_destroy(struct jit_code *code)
{
    if (code->loader)
        LLVMConsumeError(LLVMOrcDisposeLLJIT(code->loader));
    free(code->shaders);
    free(code->names);
    free(code);
}

/* What fails is reported by the call that fails. */
static void code_ignore_error(void *context, LLVMErrorRef error)
{
    (void)context;
    LLVMConsumeError(error);
}

static enum status code_start_loader(struct jit_code *code, struct reason *reason)
{
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetObjectLinkingLayerCreator(builder, code_make_layer, NULL);
    LLVMErrorRef error = LLVMOrcCreateLLJIT(&code->loader, builder);
    if (error) {
        code->loader = NULL;
        return code_error(error, reason, "cannot start the loader of machine code");
    }
    LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(code->loader), code_ignore_error, NULL);
    return code_define_symbols(code->loader, reason);
}

static bool code_is_repeated(const struct jit_compiled *compiled, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (!strcmp(compiled[i].symbol, compiled[index].symbol))
            return true;
    return false;
}

static enum status code_add_objects(struct jit_code *code, struct jit_compiled *compiled, struct reason *reason)
{
    LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(code->loader);
    for (uint32_t i = 0; i < code->count; i++) {
        if (code_is_repeated(compiled, i))
            continue;
        LLVMMemoryBufferRef object = compiled[i].object;
        compiled[i].object = NULL;
        LLVMErrorRef error = LLVMOrcLLJITAddObjectFile(code->loader, library, object);
        if (error)
            return code_error(error, reason, compiled[i].shader.name);
    }
    return STATUS_OK;
}

static enum status code_look_up(struct jit_code *code, const struct jit_compiled *compiled, struct reason *reason)
{
    char *name = code->names;
    for (uint32_t i = 0; i < code->count; i++) {
        LLVMOrcExecutorAddress address = 0;
        LLVMErrorRef error = LLVMOrcLLJITLookup(code->loader, &address, compiled[i].symbol);
        if (error)
            return code_error(error, reason, compiled[i].shader.name);
        code->shaders[i] = compiled[i].shader;
        code->shaders[i].function = (abi_shader_fn)(uintptr_t)address;
        strcpy(name, compiled[i].shader.name);
        code->shaders[i].name = name;
        name += strlen(name) + 1;
    }
    return STATUS_OK;
}

enum status jit_code_create(struct jit_compiled *compiled, uint32_t count, struct jit_code **code,
                            struct reason *reason)
{
    struct jit_code *made = calloc(1, sizeof(*made));
    enum status status = STATUS_OUT_OF_MEMORY;
    size_t name_bytes = 1;
    for (uint32_t i = 0; i < count; i++)
        name_bytes += strlen(compiled[i].shader.name) + 1;
    if (made) {
        atomic_init(&made->references, 1);
        made->count = count;
        made->shaders = calloc(count ? count : 1, sizeof(*made->shaders));
        made->names = malloc(name_bytes);
        status = made->shaders && made->names ? code_start_loader(made, reason)
                                              : reason_set(reason, STATUS_OUT_OF_MEMORY, "no memory for shaders");
    }
    if (status == STATUS_OK)
        status = code_add_objects(made, compiled, reason);
    if (status == STATUS_OK)
        status = code_look_up(made, compiled, reason);
    for (uint32_t i = 0; i < count; i++) {
        if (compiled[i].object)
            LLVMDisposeMemoryBuffer(compiled[i].object);
        compiled[i].object = NULL;
    }
    if (status != STATUS_OK)
        goto fail;
    *code = made;
    return STATUS_OK;
fail:
    if (made)
        code_destroy(made);
    return status;
}

void jit_code_acquire(struct jit_code *code)
{
    atomic_fetch_add_explicit(&code->references, 1, memory_order_relaxed);
}

void jit_code_release(struct jit_code *code)
{
    if (code && atomic_fetch_sub_explicit(&code->references, 1, memory_order_acq_rel) == 1)
        code_destroy(code);
}

const struct abi_shader *jit_code_shader(const struct jit_code *code, uint32_t index)
{
    return index < code->count ? &code->shaders[index] : NULL;
}
