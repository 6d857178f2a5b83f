/* SPDX-License-Identifier: MIT
 * Reads shaders written in C: every constant `cdxr_shader_NAME` declares the function NAME as a shader, every constant of
 * type cdxr_resource that a function refers to is a range of registers. All pieces of the descriptions lie in one block. */
#include "jit/c_library.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "cdxr/cdxr.h"
#include "dxil/module.h"
#include "dxil/rdat.h"
#include "jit/compile.h"

enum { C_MAX_SHADERS = 1024, C_MAX_RESOURCES = 1024, C_SHADER_WORDS = 7, C_RESOURCE_WORDS = 6 };
static const char c_shader_prefix[] = "cdxr_shader_";

static bool c_enabled;

void cdxr_enable_c_shaders(void)
{
    __atomic_store_n(&c_enabled, true, __ATOMIC_RELAXED);
}

static bool c_is_enabled(void)
{
    return __atomic_load_n(&c_enabled, __ATOMIC_RELAXED) || environment_flag("CDXR_C_SHADERS");
}

bool jit_is_c_library(const void *bytes, size_t byte_count)
{
    static const uint8_t magic[] = {'B', 'C', 0xc0, 0xde};
    return bytes && byte_count > sizeof(magic) && !memcmp(bytes, magic, sizeof(magic));
}

/* --- the module being read --------------------------------------------------------------------------------------- */

struct c_module {
    struct dxil_module module; /* first: dxil_module_destroy gets this address */
    struct dxil_function functions[C_MAX_SHADERS];
    struct dxil_resource resources[C_MAX_RESOURCES];
    char *names; /* all names */
    uint8_t *bitcode;
};

struct c_reader {
    LLVMContextRef context;
    LLVMModuleRef llvm;
    struct c_module *made;
    LLVMValueRef resource_globals[C_MAX_RESOURCES];
    size_t names_used;
    struct reason *reason;
};

static void c_module_destroy(struct dxil_module *module)
{
    struct c_module *made = (struct c_module *)module;
    free(made->names);
    free(made->bitcode);
    free(made);
}

/* Words of a constant struct; arrays inside count each element. */
static unsigned c_read_words(LLVMValueRef value, uint32_t *words, unsigned capacity)
{
    if (!value)
        return 0;
    if (LLVMIsAConstantInt(value) && capacity) {
        words[0] = (uint32_t)LLVMConstIntGetZExtValue(value);
        return 1;
    }
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned elements = kind == LLVMStructTypeKind  ? LLVMCountStructElementTypes(type)
                        : kind == LLVMArrayTypeKind ? (unsigned)LLVMGetArrayLength2(type)
                                                    : 0;
    unsigned count = 0;
    for (unsigned i = 0; i < elements && count < capacity; i++)
        count += c_read_words(LLVMGetAggregateElement(value, i), words + count, capacity - count);
    return count;
}

static const char *c_keep_name(struct c_reader *r, const char *name)
{
    size_t bytes = strlen(name) + 1;
    char *copy = memcpy(r->made->names + r->names_used, name, bytes);
    r->names_used += bytes;
    return copy;
}

static enum status c_read_shader(struct c_reader *r, LLVMValueRef global, const char *name)
{
    uint32_t words[C_SHADER_WORDS];
    struct dxil_module *module = &r->made->module;
    LLVMValueRef function = LLVMGetNamedFunction(r->llvm, name);
    if (!function || LLVMIsDeclaration(function))
        return reason_set(r->reason, STATUS_INVALID, "shader %s is declared but not defined", name);
    if (c_read_words(LLVMGetInitializer(global), words, C_SHADER_WORDS) != C_SHADER_WORDS || words[0] < 5 ||
        words[0] > 12 || words[0] == 6)
        return reason_set(r->reason, STATUS_INVALID, "shader %s has no usable declaration", name);
    if (module->function_count == C_MAX_SHADERS)
        return reason_set(r->reason, STATUS_UNSUPPORTED, "more than %d shaders", C_MAX_SHADERS);
    uint64_t threads = (uint64_t)words[3] * words[4] * words[5];
    if (words[0] == 5 && (!threads || threads > 1024 || words[6] > 65536))
        return reason_set(r->reason, STATUS_INVALID, "compute shader %s has %llu threads and %u shared bytes", name,
                          (unsigned long long)threads, words[6]);
    struct dxil_function *out = &r->made->functions[module->function_count++];
    out->name = out->plain_name = c_keep_name(r, name);
    out->defined = out->exported = out->is_entry = true;
    out->kind = (enum dxil_shader_kind)words[0];
    out->payload_bytes = words[1];
    out->attribute_bytes = words[2];
    out->payload_memory_bytes = words[1];
    out->attribute_memory_bytes = words[2];
    memcpy(out->thread_count, words + 3, sizeof(out->thread_count));
    out->groupshared_bytes = words[6];
    if (words[0] == 5)
        module->shader_kind = DXIL_SHADER_KIND_COMPUTE;
    return STATUS_OK;
}

static bool c_is_resource(LLVMValueRef global)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(global);
    const char *name = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMGetStructName(type) : NULL;
    return name && !strcmp(name, "struct.cdxr_resource") && LLVMGetInitializer(global);
}

static enum status c_read_resource(struct c_reader *r, LLVMValueRef global)
{
    uint32_t words[C_RESOURCE_WORDS];
    const char *name = LLVMGetValueName(global);
    struct dxil_module *module = &r->made->module;
    LLVMValueRef initializer = LLVMGetInitializer(global);
    memset(words, 0, sizeof(words));
    bool good = LLVMIsNull(initializer) || c_read_words(initializer, words, C_RESOURCE_WORDS) == C_RESOURCE_WORDS;
    if (!good || words[0] > 3 || words[1] < 1 || words[1] > 16 || !words[4])
        return reason_set(r->reason, STATUS_INVALID, "resource %s has no usable declaration", name);
    if (module->resource_count == C_MAX_RESOURCES)
        return reason_set(r->reason, STATUS_UNSUPPORTED, "more than %d resources", C_MAX_RESOURCES);
    r->resource_globals[module->resource_count] = global;
    struct dxil_resource *out = &r->made->resources[module->resource_count];
    *out = (struct dxil_resource){
        .resource_class = (enum dxil_resource_class)words[0],
        .range_id = module->resource_count++,
        .kind = (enum dxil_resource_kind)words[1],
        .lower_bound = words[2],
        .space = words[3],
        .range_count = words[4],
        .stride_bytes = words[5],
        .symbol = c_keep_name(r, name),
    };
    out->name = out->symbol;
    return STATUS_OK;
}

static enum status c_read_module(struct c_reader *r)
{
    for (LLVMValueRef global = LLVMGetFirstGlobal(r->llvm); global; global = LLVMGetNextGlobal(global)) {
        const char *name = LLVMGetValueName(global);
        size_t prefix = sizeof(c_shader_prefix) - 1;
        if (!strncmp(name, c_shader_prefix, prefix))
            RETURN_IF_FAILED(c_read_shader(r, global, name + prefix));
        else if (c_is_resource(global))
            RETURN_IF_FAILED(c_read_resource(r, global));
    }
    if (!r->made->module.function_count)
        return reason_set(r->reason, STATUS_INVALID, "it declares no shader (CDXR_RAY_GENERATION and so on)");
    return STATUS_OK;
}

/* --- which resources a shader uses, as runtime data tells it ------------------------------------------------------- */

static bool c_function_calls(LLVMValueRef caller, LLVMValueRef callee)
{
    for (LLVMUseRef use = LLVMGetFirstUse(callee); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user) && LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == caller)
            return true;
    }
    return false;
}

static bool c_uses(struct c_reader *r, LLVMValueRef function, LLVMValueRef value, unsigned depth)
{
    if (c_function_calls(function, value))
        return true;
    if (depth > 64)
        return true;
    IR_FOR_EACH_FUNCTION(callee, r->llvm)
        if (callee != function && !LLVMIsDeclaration(callee) && c_function_calls(function, callee) &&
            c_uses(r, callee, value, depth + 1))
            return true;
    return false;
}

static enum status c_fill_rdat(struct c_reader *r, struct dxil_rdat *rdat)
{
    const struct dxil_module *module = &r->made->module;
    uint32_t functions = module->function_count, resources = module->resource_count;
    uint32_t *lists = calloc((size_t)functions * resources + 1, sizeof(*lists));
    rdat->functions = calloc(functions, sizeof(*rdat->functions));
    rdat->resources = calloc(resources + 1, sizeof(*rdat->resources));
    rdat->subobjects = calloc(1, sizeof(*rdat->subobjects));
    rdat->storage[0] = lists;
    char *names = malloc(r->names_used + 1); /* of its own: the module may go first */
    rdat->storage[1] = names;
    if (!names || !lists || !rdat->functions || !rdat->resources || !rdat->subobjects)
        return reason_set(r->reason, STATUS_OUT_OF_MEMORY, "no memory for a C shader library");
    memcpy(names, r->made->names, r->names_used);
    rdat->version = 0x10;
    rdat->function_count = functions;
    rdat->resource_count = resources;
    for (uint32_t i = 0; i < resources; i++) {
        const struct dxil_resource *from = &module->resources[i];
        bool unbounded = from->range_count == DXIL_RANGE_UNBOUNDED;
        rdat->resources[i] = (struct dxil_rdat_resource){
            (uint32_t)from->resource_class, (uint32_t)from->kind, from->range_id, from->space, from->lower_bound,
            unbounded ? UINT32_MAX : from->lower_bound + from->range_count - 1,
            names + (from->name - r->made->names), 0};
    }
    for (uint32_t f = 0; f < functions; f++) {
        const struct dxil_function *from = &module->functions[f];
        struct dxil_rdat_function *to = &rdat->functions[f];
        const char *name = names + (from->name - r->made->names);
        *to = (struct dxil_rdat_function){.name = name, .unmangled_name = name,
                                          .shader_kind = (uint32_t)from->kind, .payload_bytes = from->payload_bytes,
                                          .attribute_bytes = from->attribute_bytes,
                                          .shader_stage_flag = 1u << from->kind,
                                          .resources = lists + (size_t)f * resources};
        LLVMValueRef function = LLVMGetNamedFunction(r->llvm, from->name);
        for (uint32_t i = 0; i < resources; i++)
            if (c_uses(r, function, r->resource_globals[i], 0))
                lists[(size_t)f * resources + to->resource_count++] = i;
    }
    return STATUS_OK;
}

/* --- entry --------------------------------------------------------------------------------------------------------- */

static void c_first_error(LLVMDiagnosticInfoRef info, void *context)
{
    char *text = LLVMGetDiagInfoDescription(info);
    if (LLVMGetDiagInfoSeverity(info) == LLVMDSError)
        reason_set(context, STATUS_CORRUPT, "bitcode: %s", text);
    LLVMDisposeMessage(text);
}

static enum status c_parse(struct c_reader *r, const void *bytes, size_t byte_count)
{
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, byte_count, "c_library");
    int failed = LLVMParseBitcodeInContext2(r->context, buffer, &r->llvm);
    LLVMDisposeMemoryBuffer(buffer);
    if (failed)
        return reason_set(r->reason, STATUS_CORRUPT, "bitcode cannot be read");
    r->made = calloc(1, sizeof(*r->made));
    if (!r->made)
        return reason_set(r->reason, STATUS_OUT_OF_MEMORY, "no memory for a C shader library");
    struct dxil_module *module = &r->made->module;
    size_t name_bytes = 1; /* each variable gives at most one name, a part of its own */
    for (LLVMValueRef global = LLVMGetFirstGlobal(r->llvm); global; global = LLVMGetNextGlobal(global))
        name_bytes += strlen(LLVMGetValueName(global)) + 1;
    r->made->names = malloc(name_bytes);
    r->made->bitcode = malloc(byte_count + 1);
    if (!r->made->names || !r->made->bitcode)
        return reason_set(r->reason, STATUS_OUT_OF_MEMORY, "no memory for a C shader library");
    memcpy(r->made->bitcode, bytes, byte_count);
    r->made->bitcode[byte_count] = 0;
    *module = (struct dxil_module){.shader_kind = DXIL_SHADER_KIND_LIBRARY, .major = 6, .minor = 9,
                                   .native_16bit = true, .is_c = true, .destroy = c_module_destroy,
                                   .resources = r->made->resources, .functions = r->made->functions,
                                   .bitcode = r->made->bitcode, .bitcode_bytes = byte_count};
    return c_read_module(r);
}

enum status jit_c_library_create(const void *bytes, size_t byte_count, struct dxil_module **module,
                                 struct dxil_rdat *rdat, struct reason *reason)
{
    struct reason own = {{0}};
    struct dxil_rdat described = {0};
    struct c_reader r = {.reason = reason ? reason : &own};
    if (!c_is_enabled())
        return reason_set(r.reason, STATUS_UNSUPPORTED,
                          "it is LLVM bitcode; shaders in C are taken after cdxr_enable_c_shaders() or with "
                          "CDXR_C_SHADERS=1 only");
    r.context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(r.context, c_first_error, r.reason);
    enum status status = c_parse(&r, bytes, byte_count);
    if (status == STATUS_OK && rdat)
        status = c_fill_rdat(&r, &described);
    if (r.llvm)
        LLVMDisposeModule(r.llvm);
    LLVMContextDispose(r.context);
    if (status != STATUS_OK)
        goto fail;
    *module = &r.made->module;
    if (rdat)
        *rdat = described;
    return STATUS_OK;
fail:
    dxil_rdat_finish(&described);
    if (r.made)
        c_module_destroy(&r.made->module);
    return status;
}
