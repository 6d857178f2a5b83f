/* SPDX-License-Identifier: MIT
 * From whole libraries to the part that one export needs. The export's module is read lazily and linked into an empty
 * module with every function but the export made linkonce, so that LLVM takes the export and what it reaches; functions
 * that are declared and not defined are looked for in the program's other modules and linked the same way.
 * Each name gets the suffix ".mN" of its module, so that equal names of different libraries stay apart and a global
 * variable of a resource tells which module's description it belongs to. */
#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/compile.h"

static bool link_is_intrinsic(const char *name)
{
    return !strncmp(name, "dx.op.", 6) || !strncmp(name, "llvm.", 5);
}

int jit_link_origin(const char *name, size_t name_bytes, char *plain, size_t plain_bytes)
{
    size_t at = name_bytes;
    while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
        at--;
    if (at == name_bytes || at < 2 || name[at - 1] != 'm' || name[at - 2] != '.')
        return -1;
    size_t length = at - 2;
    if (length >= plain_bytes)
        return -1;
    memcpy(plain, name, length);
    plain[length] = 0;
    return atoi(name + at);
}

static bool link_suffixed(char *out, size_t out_bytes, const char *name, uint32_t module_index)
{
    return (size_t)snprintf(out, out_bytes, "%s.m%u", name, module_index) < out_bytes;
}

static enum status link_rename(struct jit_unit *unit, LLVMValueRef value, uint32_t module_index)
{
    char name[4096];
    size_t bytes;
    const char *old = LLVMGetValueName2(value, &bytes);
    if (!link_suffixed(name, sizeof(name), old, module_index))
        return jit_unit_fail(unit, STATUS_UNSUPPORTED, "uses a name of %zu characters", bytes);
    LLVMSetValueName2(value, name, strlen(name));
    return STATUS_OK;
}

/* root: name of the function that must come along, NULL: whatever unit->module declares. */
static enum status link_module(struct jit_unit *unit, uint32_t module_index, const char *root)
{
    const struct dxil_module *dxil = unit->program->modules[module_index];
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange((const char *)dxil->bitcode, dxil->bitcode_bytes, "dxil", false);
    LLVMModuleRef module = NULL;
    if (LLVMGetBitcodeModuleInContext2(unit->context, buffer, &module)) {
        LLVMDisposeMemoryBuffer(buffer);
        return jit_unit_fail(unit, STATUS_CORRUPT, "its module cannot be read: %s", unit->diagnostic);
    }
    LLVMSetDataLayout(module, unit->jit->layout);
    LLVMSetTarget(module, unit->jit->triple);
    enum status status = STATUS_OK;
    IR_FOR_EACH_FUNCTION(function, module) {
        if (LLVMIsDeclaration(function) || LLVMGetLinkage(function) == LLVMInternalLinkage)
            continue;
        bool is_root = root && !strcmp(LLVMGetValueName(function), root);
        LLVMSetLinkage(function, is_root ? LLVMExternalLinkage : LLVMLinkOnceODRLinkage);
        status = link_rename(unit, function, module_index);
        if (status != STATUS_OK)
            goto fail;
    }
    for (LLVMValueRef global = LLVMGetFirstGlobal(module); global; global = LLVMGetNextGlobal(global)) {
        LLVMLinkage linkage = LLVMGetLinkage(global);
        if (linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage)
            continue;
        status = link_rename(unit, global, module_index);
        if (status != STATUS_OK)
            goto fail;
    }
    if (LLVMLinkModules2(unit->module, module))
        return jit_unit_fail(unit, STATUS_CORRUPT, "its module cannot be linked: %s", unit->diagnostic);
    return STATUS_OK;
fail:
    LLVMDisposeModule(module);
    return status;
}

/* Who defines a function that a module declares; -1: nobody. */
static int link_find(const struct jit_program *program, const char *name, const char **function)
{
    for (uint32_t i = 0; i < program->import_count; i++) {
        const struct jit_import *import = &program->imports[i];
        if (strcmp(import->name, name))
            continue;
        for (uint32_t m = 0; m < program->module_count; m++)
            if (program->modules[m] == import->module) {
                *function = import->function;
                return (int)m;
            }
    }
    for (uint32_t m = 0; m < program->module_count; m++) {
        const struct dxil_module *module = program->modules[m];
        for (uint32_t f = 0; f < module->function_count; f++)
            if (module->functions[f].defined && module->functions[f].exported &&
                !strcmp(module->functions[f].name, name)) {
                *function = module->functions[f].name;
                return (int)m;
            }
    }
    return -1;
}

static LLVMValueRef link_next_unresolved(struct jit_unit *unit)
{
    if (unit->main->is_c) /* what it calls is in the shader library or in the runtime */
        return NULL;
    IR_FOR_EACH_FUNCTION(function, unit->module) {
        if (!LLVMIsDeclaration(function) || !LLVMGetFirstUse(function))
            continue;
        char plain[4096];
        size_t bytes;
        const char *name = LLVMGetValueName2(function, &bytes);
        if (!link_is_intrinsic(name) && jit_link_origin(name, bytes, plain, sizeof(plain)) < 0)
            return function;
    }
    return NULL;
}

/* LLVM's pointers have no types: a definition that takes a larger struct than a declaration promises would pass. */
static bool link_parameters_fit(const struct jit_program *program, const char *declared, const struct dxil_function *definition)
{
    for (uint32_t m = 0; m < program->module_count; m++)
        for (uint32_t f = 0; f < program->modules[m]->function_count; f++) {
            const struct dxil_function *other = &program->modules[m]->functions[f];
            if (other->defined || strcmp(other->name, declared))
                continue;
            if (other->parameter_count != definition->parameter_count)
                return false;
            for (uint32_t i = 0; i < other->parameter_count; i++)
                if (other->parameter_memory_bytes[i] < definition->parameter_memory_bytes[i])
                    return false;
        }
    return true;
}

static enum status link_resolve(struct jit_unit *unit, LLVMValueRef declared)
{
    const char *name = LLVMGetValueName(declared), *function = NULL;
    int index = link_find(unit->program, name, &function);
    if (index < 0) {
        size_t plain_bytes;
        const char *plain = dxil_name_plain(name, &plain_bytes);
        return jit_unit_fail(unit, STATUS_INVALID, "calls the function %.*s (%s), which no library defines",
                             (int)plain_bytes, plain, name[0] == 1 ? name + 1 : name);
    }
    char target_name[4096];
    if (!link_suffixed(target_name, sizeof(target_name), function, (uint32_t)index))
        return jit_unit_fail(unit, STATUS_UNSUPPORTED, "calls a function with too long a name");
    LLVMTypeRef type = LLVMGlobalGetValueType(declared);
    const struct dxil_function *definition =
        dxil_module_find_function(unit->program->modules[index], function, NULL);
    if (!definition || !link_parameters_fit(unit->program, name, definition))
        goto fail;
    LLVMValueRef target = LLVMGetNamedFunction(unit->module, target_name);
    if (target) {
        if (LLVMGlobalGetValueType(target) != type)
            goto fail;
        LLVMReplaceAllUsesWith(declared, target);
        LLVMDeleteFunction(declared);
        if (!LLVMIsDeclaration(target))
            return STATUS_OK;
    } else {
        LLVMSetValueName2(declared, target_name, strlen(target_name));
    }
    RETURN_IF_FAILED(link_module(unit, (uint32_t)index, NULL));
    target = LLVMGetNamedFunction(unit->module, target_name);
    if (target && !LLVMIsDeclaration(target) && LLVMGlobalGetValueType(target) == type)
        return STATUS_OK;
fail:
    return jit_unit_fail(unit, STATUS_INVALID, "calls the function %s with other types than its library defines",
                         function);
}

enum status jit_link_reachable(struct jit_unit *unit)
{
    uint32_t main_index = 0;
    while (main_index < unit->program->module_count && unit->program->modules[main_index] != unit->main)
        main_index++;
    if (main_index == unit->program->module_count)
        return jit_unit_fail(unit, STATUS_INTERNAL, "its module is not in the program");
    RETURN_IF_FAILED(link_module(unit, main_index, unit->info->name));
    char name[4096];
    if (link_suffixed(name, sizeof(name), unit->info->name, main_index))
        unit->entry = LLVMGetNamedFunction(unit->module, name);
    if (!unit->entry || LLVMIsDeclaration(unit->entry))
        return jit_unit_fail(unit, STATUS_CORRUPT, "the module does not define it");
    for (LLVMValueRef declared = link_next_unresolved(unit); declared; declared = link_next_unresolved(unit))
        RETURN_IF_FAILED(link_resolve(unit, declared));
    IR_FOR_EACH_FUNCTION(function, unit->module)
        if (!LLVMIsDeclaration(function) && function != unit->entry)
            LLVMSetLinkage(function, LLVMInternalLinkage);
    return STATUS_OK;
}

bool jit_find_unresolved(const struct jit_program *program, const struct jit_export *wanted, const char **missing)
{
    struct { const struct dxil_module *module; const struct dxil_function *function; } stack[256];
    uint32_t depth = 0, visited = 0;
    const struct dxil_function *first = dxil_module_find_function(wanted->module, wanted->function, NULL);
    if (!first)
        return false;
    stack[depth].module = wanted->module;
    stack[depth++].function = first;
    while (depth && visited++ < 65536) {
        const struct dxil_module *module = stack[--depth].module;
        const struct dxil_function *function = stack[depth].function;
        if (!function->defined) {
            const char *name = NULL;
            int index = link_find(program, function->name, &name);
            if (index < 0) {
                *missing = function->name;
                return true;
            }
            module = program->modules[index];
            function = dxil_module_find_function(module, name, NULL);
            if (!function)
                continue;
        }
        for (uint32_t c = 0; c < function->callee_count && depth < ARRAY_COUNT(stack); c++) {
            stack[depth].module = module;
            stack[depth++].function = &module->functions[function->callees[c]];
        }
    }
    return false;
}
