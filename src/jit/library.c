/* SPDX-License-Identifier: MIT
 * The C functions that lowered shaders call (device/ and ops/), as bitcode. Prepared once per device: linkage becomes
 * linkonce_odr, so that the linker takes only what a shader uses, and promises that hold for C callers but not for shaders
 * (noundef arguments, a CPU older than the host's, type-based aliasing) are taken away. */
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Linker.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "jit/bitcode.h"
#include "jit/compile.h"
#include "jit/hash.h"
#include "ops/bitcode.h"

enum { LIBRARY_COUNT = 2 };

struct jit_library {
    LLVMMemoryBufferRef bitcode[LIBRARY_COUNT]; /* in link order: device may call ops */
    uint64_t hash;
    pthread_mutex_t mutex; /* over preparation */
};

static void library_strip_attributes(LLVMValueRef function)
{
    static const char *const by_name[] = {"target-cpu", "target-features", "tune-cpu", "min-legal-vector-width",
                                          "stack-protector-buffer-size", "no-trapping-math", "frame-pointer"};
    static const char *const promises[] = {"noundef", "dereferenceable", "nonnull", "noalias"};
    for (size_t i = 0; i < ARRAY_COUNT(by_name); i++)
        LLVMRemoveStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, by_name[i],
                                         (unsigned)strlen(by_name[i]));
    unsigned count = LLVMCountParams(function);
    for (size_t i = 0; i < ARRAY_COUNT(promises); i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(promises[i], strlen(promises[i]));
        for (unsigned p = 0; p <= count; p++)
            LLVMRemoveEnumAttributeAtIndex(function, p, kind);
    }
}

static void library_strip_aliasing(LLVMValueRef function, unsigned kind)
{
    IR_FOR_EACH_BLOCK(block, function)
        IR_FOR_EACH_INSTRUCTION(instruction, block)
            LLVMSetMetadata(instruction, kind, NULL);
}

/* The native functions that only look: they write behind their pointer arguments and into what shaders do not see (messages).
 * So what a shader knows about a descriptor stays known across the call, and moves out of loops. */
static void library_add(LLVMValueRef function, LLVMAttributeIndex index, const char *name, uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMAddAttributeAtIndex(function, index, LLVMCreateEnumAttribute(context, kind, value));
}

static void library_note_reader(LLVMValueRef function)
{
    static const struct {
        const char *name;
        bool has_out; /* its last parameter */
    } readers[] = {{"ops_native_typed_load", true},     {"ops_native_texture_load", true},
                   {"ops_native_sample", true},         {"ops_native_calculate_lod", false},
                   {"ops_native_gather", true},         {"ops_native_report_kind", false},
                   {"ops_native_get_dimensions", true}, {"ops_native_sample_position", true}};
    /* llvm::MemoryEffects: two bits each (1 reads, 2 writes) for argument, inaccessible and other memory. */
    enum { READS = 1, READS_WRITES = 3, EFFECTS = READS_WRITES | READS_WRITES << 2 | READS << 4 };
    unsigned count = LLVMCountParams(function);
    for (size_t i = 0; i < ARRAY_COUNT(readers); i++) {
        if (strcmp(LLVMGetValueName(function), readers[i].name))
            continue;
        library_add(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "memory", EFFECTS);
        library_add(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind", 0);
        library_add(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "willreturn", 0);
        for (unsigned p = 0; p < count; p++) {
            if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(function, p))) != LLVMPointerTypeKind)
                continue;
            library_add(function, p + 1, "nocapture", 0);
            if (!readers[i].has_out || p + 1 < count)
                library_add(function, p + 1, "readonly", 0);
        }
    }
}

static void library_prepare_module(LLVMModuleRef module)
{
    unsigned tbaa = LLVMGetMDKindIDInContext(LLVMGetModuleContext(module), "tbaa", 4);
    IR_FOR_EACH_FUNCTION(function, module) {
        library_strip_attributes(function);
        library_note_reader(function);
        if (LLVMIsDeclaration(function))
            continue;
        library_strip_aliasing(function, tbaa);
        if (LLVMGetLinkage(function) == LLVMExternalLinkage)
            LLVMSetLinkage(function, LLVMLinkOnceODRLinkage);
    }
    for (LLVMValueRef global = LLVMGetFirstGlobal(module); global; global = LLVMGetNextGlobal(global))
        if (!LLVMIsDeclaration(global) && LLVMGetLinkage(global) == LLVMExternalLinkage)
            LLVMSetLinkage(global, LLVMLinkOnceODRLinkage);
}

static enum status library_prepare(const uint8_t *bytes, size_t byte_count, LLVMMemoryBufferRef *prepared,
                                   struct reason *reason)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMMemoryBufferRef raw = LLVMCreateMemoryBufferWithMemoryRangeCopy((const char *)bytes, byte_count, "library");
    LLVMModuleRef module = NULL;
    enum status status = STATUS_OK;
    if (LLVMParseBitcodeInContext2(context, raw, &module)) {
        status = reason_set(reason, STATUS_INTERNAL, "the built-in shader library cannot be read");
    } else {
        library_prepare_module(module);
        *prepared = LLVMWriteBitcodeToMemoryBuffer(module);
        LLVMDisposeModule(module);
    }
    LLVMDisposeMemoryBuffer(raw);
    LLVMContextDispose(context);
    return status;
}

enum status jit_library_create(struct jit_library **library, struct reason *reason)
{
    struct jit_library *made = calloc(1, sizeof(*made));
    if (!made)
        return reason_set(reason, STATUS_OUT_OF_MEMORY, "no memory for the shader library");
    pthread_mutex_init(&made->mutex, NULL);
    made->hash = jit_hash_bytes(JIT_HASH_SEED, jit_device_bitcode, (size_t)(jit_device_bitcode_end - jit_device_bitcode));
    made->hash = jit_hash_bytes(made->hash, ops_bitcode, ops_bitcode_bytes);
    *library = made;
    return STATUS_OK;
}

/* On the first compilation: programs that find all their code in the cache never come here. */
static enum status library_prepare_once(struct jit_library *library, struct reason *reason)
{
    enum status status = STATUS_OK;
    pthread_mutex_lock(&library->mutex);
    if (!library->bitcode[0])
        status = library_prepare(jit_device_bitcode, (size_t)(jit_device_bitcode_end - jit_device_bitcode),
                                 &library->bitcode[0], reason);
    if (status == STATUS_OK && !library->bitcode[1])
        status = library_prepare(ops_bitcode, ops_bitcode_bytes, &library->bitcode[1], reason);
    pthread_mutex_unlock(&library->mutex);
    return status;
}

void jit_library_destroy(struct jit_library *library)
{
    if (!library)
        return;
    for (int i = 0; i < LIBRARY_COUNT; i++)
        if (library->bitcode[i])
            LLVMDisposeMemoryBuffer(library->bitcode[i]);
    pthread_mutex_destroy(&library->mutex);
    free(library);
}

uint64_t jit_library_hash(const struct jit_library *library)
{
    return library->hash;
}

static bool library_is_native(const char *name)
{
    for (size_t i = 0; i < ops_native_symbol_count; i++)
        if (!strcmp(ops_native_symbols[i].name, name))
            return true;
    return false;
}

/* A function of ops/ that nobody wrote yet is an operation that is refused by name. */
static enum status library_check_defined(struct jit_unit *unit)
{
    IR_FOR_EACH_FUNCTION(function, unit->module) {
        const char *name = LLVMGetValueName(function);
        bool is_ours = !strncmp(name, "ops_", 4) || !strncmp(name, "jit_", 4);
        if (LLVMIsDeclaration(function) && is_ours && LLVMGetFirstUse(function) && !library_is_native(name))
            return jit_unit_fail(unit, STATUS_UNSUPPORTED, "uses an operation that is not implemented (%s)", name);
    }
    return STATUS_OK;
}

/* A call whose type is not that of the function would be undefined behaviour: our own mistake in lowering. */
static enum status library_check_calls(struct jit_unit *unit)
{
    IR_FOR_EACH_FUNCTION(function, unit->module) {
        LLVMTypeRef type = LLVMGlobalGetValueType(function);
        for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (LLVMIsACallInst(user) && LLVMGetCalledValue(user) == function && LLVMGetCalledFunctionType(user) != type)
                return jit_unit_fail(unit, STATUS_INTERNAL, "calls %s with wrong types", LLVMGetValueName(function));
        }
    }
    return STATUS_OK;
}

enum status jit_library_link(struct jit_unit *unit)
{
    struct jit_library *library = unit->jit->library;
    RETURN_IF_FAILED(library_prepare_once(library, unit->reason));
    for (int i = 0; i < LIBRARY_COUNT; i++) {
        LLVMMemoryBufferRef buffer =
            LLVMCreateMemoryBufferWithMemoryRange(LLVMGetBufferStart(library->bitcode[i]),
                                                  LLVMGetBufferSize(library->bitcode[i]), "library", false);
        LLVMModuleRef module = NULL;
        if (LLVMGetBitcodeModuleInContext2(unit->context, buffer, &module)) {
            LLVMDisposeMemoryBuffer(buffer);
            return jit_unit_fail(unit, STATUS_INTERNAL, "cannot read the shader library: %s", unit->diagnostic);
        }
        LLVMSetDataLayout(module, unit->jit->layout);
        LLVMSetTarget(module, unit->jit->triple);
        if (LLVMLinkModules2(unit->module, module))
            return jit_unit_fail(unit, STATUS_INTERNAL, "cannot link the shader library: %s", unit->diagnostic);
    }
    RETURN_IF_FAILED(library_check_defined(unit));
    return library_check_calls(unit);
}
