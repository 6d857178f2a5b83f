/* SPDX-License-Identifier: MIT
 * One export from bitcode to object file: the steps in order. Runs on any thread; nothing is shared with other units but
 * what is constant. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "jit/cache.h"
#include "jit/compile.h"
#include "jit/hash.h"

enum status jit_unit_fail(struct jit_unit *unit, enum status code, const char *format, ...)
{
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    return reason_set(unit->reason, code, "%s: %s", unit->export->name, text);
}

uint32_t jit_unit_wave_size(const struct jit_unit *unit)
{
    const struct dxil_function *info = unit->info;
    uint32_t wanted = unit->jit->options.wave_size;
    if (info->wave_preferred)
        return info->wave_preferred;
    if (info->wave_minimum && wanted < info->wave_minimum)
        return info->wave_minimum;
    if (info->wave_maximum && wanted > info->wave_maximum)
        return info->wave_maximum;
    return wanted;
}

/* The frame size of each function arrives as a warning about a stack of more than 0 bytes. */
static void unit_diagnostic(LLVMDiagnosticInfoRef info, void *context)
{
    struct jit_unit *unit = context;
    char *text = LLVMGetDiagInfoDescription(info);
    const char *stack = strstr(text, "stack frame size (");
    if (stack)
        unit->stack_bytes += strtoull(stack + strlen("stack frame size ("), NULL, 10);
    else if (LLVMGetDiagInfoSeverity(info) == LLVMDSError && !unit->diagnostic[0])
        snprintf(unit->diagnostic, sizeof(unit->diagnostic), "%s", text);
    LLVMDisposeMessage(text);
}

static void unit_begin(struct jit_unit *unit)
{
    unit->context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(unit->context, unit_diagnostic, unit);
    unit->module = LLVMModuleCreateWithNameInContext(unit->symbol, unit->context);
    LLVMSetDataLayout(unit->module, unit->jit->layout);
    LLVMSetTarget(unit->module, unit->jit->triple);
    unit->builder = LLVMCreateBuilderInContext(unit->context);
    unit->layout = LLVMCreateTargetData(unit->jit->layout);
}

static void unit_end(struct jit_unit *unit)
{
    if (unit->layout)
        LLVMDisposeTargetData(unit->layout);
    if (unit->builder)
        LLVMDisposeBuilder(unit->builder);
    if (unit->module)
        LLVMDisposeModule(unit->module);
    if (unit->context)
        LLVMContextDispose(unit->context);
}

static double unit_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static enum status unit_lower_c(struct jit_unit *unit)
{
    RETURN_IF_FAILED(jit_link_reachable(unit));
    jit_clean_attributes(unit);
    RETURN_IF_FAILED(jit_inline_calls(unit));
    RETURN_IF_FAILED(jit_lower_c(unit));
    if (unit->uses_wave && unit->info->kind == DXIL_SHADER_KIND_COMPUTE)
        RETURN_IF_FAILED(jit_add_convergence_keys(unit));
    return jit_library_link(unit);
}

static enum status unit_lower(struct jit_unit *unit)
{
    double start = unit_now_ms();
    RETURN_IF_FAILED(jit_link_reachable(unit));
    RETURN_IF_FAILED(jit_clean(unit));
    RETURN_IF_FAILED(jit_inline_calls(unit));
    RETURN_IF_FAILED(jit_lower_signatures(unit));
    RETURN_IF_FAILED(jit_apply_payload_qualifiers(unit));
    RETURN_IF_FAILED(jit_lower(unit));
    jit_return_payload(unit);
    if (unit->uses_wave && unit->info->kind == DXIL_SHADER_KIND_COMPUTE)
        RETURN_IF_FAILED(jit_add_convergence_keys(unit));
    jit_dump_module(unit, "lowered");
    double middle = unit_now_ms();
    enum status status = jit_library_link(unit);
    log_debug("shader %s: lowered in %.1f ms, library linked in %.1f ms", unit->export->name, middle - start,
              unit_now_ms() - middle);
    return status;
}

static enum status unit_emit(struct jit_unit *unit)
{
    const struct jit *jit = unit->jit;
    LLVMCodeGenOptLevel level = jit->options.debug ? LLVMCodeGenLevelNone : LLVMCodeGenLevelDefault;
    LLVMTargetMachineRef machine = LLVMCreateTargetMachine(jit->target, jit->triple, jit->cpu, jit->features, level,
                                                           LLVMRelocPIC, LLVMCodeModelSmall);
    if (!machine)
        return jit_unit_fail(unit, STATUS_INTERNAL, "LLVM gives no target machine");
    double start = unit_now_ms(), middle = start;
    enum status status = jit_optimize(unit, machine);
    middle = unit_now_ms();
    if (status == STATUS_OK)
        status = jit_emit_object(unit, machine);
    LLVMDisposeTargetMachine(machine);
    if (status == STATUS_OK && unit->stack_bytes > JIT_MAX_STACK_BYTES)
        status = jit_unit_fail(unit, STATUS_UNSUPPORTED, "needs %llu bytes of stack, at most %d are given",
                               (unsigned long long)unit->stack_bytes, JIT_MAX_STACK_BYTES);
    log_debug("shader %s: optimised in %.1f ms, machine code in %.1f ms", unit->export->name, middle - start,
              unit_now_ms() - middle);
    if (status != STATUS_OK && unit->object) {
        LLVMDisposeMemoryBuffer(unit->object);
        unit->object = NULL;
    }
    return status;
}

static uint64_t unit_hash(const struct jit_unit *unit, uint64_t seed)
{
    uint64_t hash = jit_hash_u64(unit->jit->target_hash, seed);
    const struct jit_program *program = unit->program;
    hash = jit_hash_text(hash, unit->export->function);
    hash = jit_hash_text(hash, unit->export->name);
    hash = jit_hash_bytes(hash, unit->main->bitcode, unit->main->bitcode_bytes);
    for (uint32_t m = 0; m < program->module_count && program->module_count > 1; m++)
        hash = jit_hash_bytes(hash, program->modules[m]->bitcode, program->modules[m]->bitcode_bytes);
    for (uint32_t i = 0; i < program->import_count; i++) {
        hash = jit_hash_text(hash, program->imports[i].name);
        hash = jit_hash_text(hash, program->imports[i].function);
    }
    hash = jit_hash_u64(hash, unit->export->global ? dxil_root_signature_hash(unit->export->global) : 1);
    return jit_hash_u64(hash, unit->export->local ? dxil_root_signature_hash(unit->export->local) : 2);
}

static void unit_describe(const struct jit_unit *unit, struct abi_shader *shader)
{
    const struct dxil_function *info = unit->info;
    *shader = (struct abi_shader){
        .name = unit->export->name,
        .kind = (uint32_t)info->kind,
        .payload_bytes = info->payload_bytes,
        .attribute_bytes = info->attribute_bytes > unit->reported_attribute_bytes ? info->attribute_bytes
                                                                                  : unit->reported_attribute_bytes,
        .payload_memory_bytes = info->payload_memory_bytes,
        .attribute_memory_bytes = info->attribute_memory_bytes,
        .stack_bytes = (uint32_t)(unit->stack_bytes < UINT32_MAX ? unit->stack_bytes : UINT32_MAX),
        .local_root_bytes = unit->export->local ? unit->export->local->argument_bytes : 0,
        .numthreads = {info->thread_count[0], info->thread_count[1], info->thread_count[2]},
        .groupshared_bytes = unit->groupshared_bytes,
        .wave_size = unit->uses_wave ? jit_unit_wave_size(unit) : 0,
        .uses_quads = unit->uses_quads,
        .uses_barrier = unit->uses_barrier || (unit->uses_wave && info->kind == DXIL_SHADER_KIND_COMPUTE),
    };
}

static enum status unit_prepare(struct jit_unit *unit)
{
    unit->main = unit->export->module;
    for (uint32_t i = 0; i < unit->main->function_count && !unit->info; i++)
        if (!strcmp(unit->main->functions[i].name, unit->export->function))
            unit->info = &unit->main->functions[i];
    if (!unit->info || !unit->info->defined)
        return jit_unit_fail(unit, STATUS_INVALID, "the module has no function %s", unit->export->function);
    snprintf(unit->symbol, sizeof(unit->symbol), "%.60s.%016llx%016llx", unit->export->name,
             (unsigned long long)unit_hash(unit, 1), (unsigned long long)unit_hash(unit, 2));
    unit->query_bytes = unit->jit->options.query_bytes ? unit->jit->options.query_bytes : JIT_DEFAULT_QUERY_BYTES;
    return STATUS_OK;
}

enum status jit_unit_compile(struct jit *jit, const struct jit_program *program, const struct jit_export *wanted,
                             struct jit_compiled *compiled, struct reason *reason)
{
    struct jit_unit unit = {.jit = jit, .program = program, .export = wanted, .reason = reason};
    RETURN_IF_FAILED(unit_prepare(&unit));
    strcpy(compiled->symbol, unit.symbol);
    if (jit_cache_load(jit->options.cache_directory, unit.symbol, compiled)) {
        compiled->shader.name = wanted->name;
        return STATUS_OK;
    }
    unit_begin(&unit);
    enum status status = unit.main->is_c ? unit_lower_c(&unit) : unit_lower(&unit);
    if (status == STATUS_OK)
        status = unit_emit(&unit);
    if (status == STATUS_OK) {
        unit_describe(&unit, &compiled->shader);
        compiled->object = unit.object;
        jit_cache_store(jit->options.cache_directory, unit.symbol, compiled);
    }
    unit_end(&unit);
    return status;
}
