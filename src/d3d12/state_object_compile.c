/* SPDX-License-Identifier: MIT
 * Machine code, groups and identifiers of a linked state object. A shader is compiled once for each combination of
 * function, global and local root signature, whatever number of hit groups uses it that way. Called by state_object.c. */
#include "d3d12/state_object_compile.h"

#include <stdlib.h>
#include <string.h>

#include "cdxr/d3d12_dxr.h"
#include "d3d12/shader_compiler.h"
#include "d3d12/state_object_input.h"
#include "jit/jit.h"

/* A shader to compile, and then the result. */
struct compile_item {
    const struct so_export *shader;
    const struct dxil_root_signature *global, *local;
    const struct abi_shader *result;
    uint32_t next; /* index + 1 in its hash chain */
};

struct compiler {
    struct d3d12_shader_compiler *shader_compiler;
    struct so_linked *linked;
    struct so_compiled *compiled;
    struct reason *reason;
    struct compile_item *items;
    uint32_t item_count, item_capacity;
    uint32_t *heads; /* hash chains over items */
    uint32_t head_mask;
};

static const struct dxil_root_signature *signature_of(const struct so_export *unit, enum so_slot slot)
{
    return unit->definitions[slot] ? unit->definitions[slot]->root_signature : NULL;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
    return mix(hash, 0xff);
}

static uint64_t signature_hash(const struct dxil_root_signature *signature)
{
    return signature ? dxil_root_signature_hash(signature) : 0;
}

static bool signatures_equal(const struct dxil_root_signature *a, const struct dxil_root_signature *b)
{
    return a == b || (a && b && dxil_root_signature_equal(a, b));
}

static uint64_t item_hash(const struct compile_item *item)
{
    uint64_t hash = mix(1, (uintptr_t)item->shader->function);
    return mix(mix(hash, signature_hash(item->global)), signature_hash(item->local));
}

static enum status create_items(struct compiler *compiler)
{
    compiler->item_capacity = compiler->linked->export_count * 3 + 1;
    uint32_t head_count = 16;
    while (head_count < compiler->item_capacity)
        head_count *= 2;
    compiler->head_mask = head_count - 1;
    compiler->items = calloc(compiler->item_capacity, sizeof(*compiler->items));
    compiler->heads = calloc(head_count, sizeof(*compiler->heads));
    return compiler->items && compiler->heads ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

static struct compile_item *find_or_add_item(struct compiler *compiler, const struct so_export *unit,
                                             const struct so_export *shader)
{
    struct compile_item wanted = {.shader = shader,
                                  .global = signature_of(unit, SO_SLOT_GLOBAL_ROOT_SIGNATURE),
                                  .local = signature_of(unit, SO_SLOT_LOCAL_ROOT_SIGNATURE)};
    uint32_t *head = &compiler->heads[item_hash(&wanted) & compiler->head_mask];
    for (uint32_t link = *head; link; link = compiler->items[link - 1].next) {
        struct compile_item *item = &compiler->items[link - 1];
        if (item->shader->function == shader->function && signatures_equal(item->global, wanted.global) &&
            signatures_equal(item->local, wanted.local))
            return item;
    }
    wanted.next = *head;
    compiler->items[compiler->item_count] = wanted;
    *head = ++compiler->item_count;
    return &compiler->items[*head - 1];
}

static bool needs_group(const struct so_export *export)
{
    return so_export_is_entry(export) && export->is_resolved && !export->is_dropped &&
           !(export->origin && export->origin->group);
}

static void collect_items(struct compiler *compiler)
{
    for (uint32_t i = 0; i < compiler->linked->export_count; i++) {
        const struct so_export *unit = &compiler->linked->exports[i];
        if (!needs_group(unit))
            continue;
        const struct so_export *parts[] = {unit->kind == SO_EXPORT_FUNCTION ? unit : NULL, unit->any_hit,
                                           unit->closest_hit, unit->intersection};
        for (uint32_t part = 0; part < ARRAY_COUNT(parts); part++)
            if (parts[part])
                find_or_add_item(compiler, unit, parts[part]);
    }
}

/* --- one jit_compile call a home --- */

struct program {
    const struct dxil_module **modules;
    uint32_t module_count;
    struct jit_import *imports;
    uint32_t import_count;
    struct jit_export *exports;
    struct compile_item **items; /* of exports, same order */
    uint32_t export_count;
};

static const struct dxil_module *module_of(const struct so_export *function)
{
    return ((const struct so_library *)function->library->user)->module;
}

static enum status create_program(const struct compiler *compiler, struct program *program)
{
    size_t import_count = (size_t)compiler->linked->import_count + 1, item_count = (size_t)compiler->item_count + 1;
    program->modules = calloc(import_count + item_count, sizeof(*program->modules));
    program->imports = calloc(import_count, sizeof(*program->imports));
    program->exports = calloc(item_count, sizeof(*program->exports));
    program->items = calloc(item_count, sizeof(struct compile_item *));
    return program->modules && program->imports && program->exports && program->items ? STATUS_OK
                                                                                      : STATUS_OUT_OF_MEMORY;
}

static void finish_program(struct program *program)
{
    free(program->modules);
    free(program->imports);
    free(program->exports);
    free(program->items);
}

static void add_module(struct program *program, const struct dxil_module *module)
{
    for (uint32_t i = 0; i < program->module_count; i++)
        if (program->modules[i] == module)
            return;
    program->modules[program->module_count++] = module;
}

/* Imports of the home's own functions first: the table is searched from its beginning. */
static void add_imports(const struct compiler *compiler, const struct so_linked *home, struct program *program)
{
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < compiler->linked->import_count; i++) {
            const struct so_import *import = &compiler->linked->imports[i];
            if ((import->home == home) != (pass == 0))
                continue;
            program->imports[program->import_count++] =
                (struct jit_import){import->name, module_of(import->target), import->target->function->name};
            add_module(program, module_of(import->target));
        }
}

static enum status fill_program(const struct compiler *compiler, const struct so_linked *home, struct program *program)
{
    RETURN_IF_FAILED(create_program(compiler, program));
    for (uint32_t i = 0; i < compiler->item_count; i++) {
        struct compile_item *item = &compiler->items[i];
        if (item->shader->home != home)
            continue;
        if (!module_of(item->shader))
            return reason_set(compiler->reason, STATUS_INTERNAL, "export '%s': its module is gone", item->shader->name);
        program->items[program->export_count] = item;
        program->exports[program->export_count++] = (struct jit_export){
            module_of(item->shader), item->shader->function->name, item->shader->name, item->global, item->local};
        add_module(program, module_of(item->shader));
    }
    add_imports(compiler, home, program);
    return STATUS_OK;
}

static void add_function_to_key(struct d3d12_program_key *key, const struct so_export *shader)
{
    const struct so_library *library = shader->library->user;
    d3d12_program_key_add(key, library->hash, sizeof(library->hash));
    d3d12_program_key_add(key, shader->function->name, strlen(shader->function->name));
}

static struct d3d12_program_key program_key(const struct compiler *compiler, const struct program *program)
{
    struct d3d12_program_key key = {{program->export_count, 1}};
    for (uint32_t i = 0; i < program->export_count; i++) {
        const struct compile_item *item = program->items[i];
        const uint64_t hashes[2] = {signature_hash(item->global), signature_hash(item->local)};
        add_function_to_key(&key, item->shader);
        d3d12_program_key_add(&key, program->exports[i].name, strlen(program->exports[i].name));
        d3d12_program_key_add(&key, hashes, sizeof(hashes));
    }
    for (uint32_t i = 0; i < compiler->linked->import_count; i++) {
        d3d12_program_key_add(&key, compiler->linked->imports[i].name, strlen(compiler->linked->imports[i].name));
        add_function_to_key(&key, compiler->linked->imports[i].target);
    }
    return key;
}

static enum status run_program(struct compiler *compiler, const struct program *program)
{
    struct so_compiled *compiled = compiler->compiled;
    struct jit_program input = {program->modules,      program->module_count, program->imports,
                                program->import_count, program->exports,      program->export_count};
    struct jit_code *code;
    struct jit_code **grown = realloc(compiled->codes, (compiled->code_count + 1) * sizeof(*grown));
    if (!grown)
        return STATUS_OUT_OF_MEMORY;
    compiled->codes = grown;
    struct d3d12_program_key key = program_key(compiler, program);
    RETURN_IF_FAILED(d3d12_shader_compiler_run(compiler->shader_compiler, &key, &input, &code, compiler->reason));
    compiled->codes[compiled->code_count++] = code;
    for (uint32_t i = 0; i < program->export_count; i++)
        program->items[i]->result = jit_code_shader(code, i);
    return STATUS_OK;
}

static enum status compile_home(struct compiler *compiler, const struct so_linked *home)
{
    struct program program = {0};
    enum status status = fill_program(compiler, home, &program);
    if (status == STATUS_OK && program.export_count)
        status = run_program(compiler, &program);
    finish_program(&program);
    return status;
}

/* Homes are few: the object itself and collections that left something open or are used from outside. */
static enum status compile_items(struct compiler *compiler)
{
    for (uint32_t i = 0; i < compiler->item_count; i++)
        if (!compiler->items[i].result)
            RETURN_IF_FAILED(compile_home(compiler, compiler->items[i].shader->home));
    return STATUS_OK;
}

/* --- groups --- */

struct group_hash {
    uint64_t words[3];
};

static void hash_shader(const struct compiler *compiler, struct group_hash *hash, const struct so_export *shader)
{
    if (!shader)
        return;
    const struct so_library *library = shader->library->user;
    hash->words[0] = mix_text(mix(hash->words[0], library->hash[0]), shader->function->name);
    hash->words[1] = mix(mix_text(hash->words[1], shader->function->name), library->hash[1]);
    for (uint32_t i = 0; shader->function->dependency_count && i < compiler->linked->import_count; i++) {
        const struct so_export *target = compiler->linked->imports[i].target;
        const struct so_library *other = target->library->user;
        hash->words[0] = mix(hash->words[0], other->hash[1]);
        hash->words[1] = mix_text(mix(hash->words[1], other->hash[0]), target->function->name);
    }
}

/* { index, kind, hash, more hash }: all from what the group is made of, nothing from where it is. */
static void make_identifier(const struct compiler *compiler, const struct so_export *unit, struct abi_group *group)
{
    struct group_hash hash = {{mix_text(3, unit->name), mix_text(5, unit->name), 0}};
    hash_shader(compiler, &hash, unit->kind == SO_EXPORT_FUNCTION ? unit : NULL);
    const struct so_export *parts[] = {unit->any_hit, unit->closest_hit, unit->intersection};
    for (uint32_t i = 0; i < ARRAY_COUNT(parts); i++) {
        hash.words[0] = mix(hash.words[0], i + 1);
        hash_shader(compiler, &hash, parts[i]);
    }
    for (uint32_t i = 0; i < 2; i++) {
        hash.words[i] = mix(hash.words[i], signature_hash(signature_of(unit, SO_SLOT_GLOBAL_ROOT_SIGNATURE)));
        hash.words[i] = mix(hash.words[i], signature_hash(signature_of(unit, SO_SLOT_LOCAL_ROOT_SIGNATURE)));
        hash.words[i] = mix(hash.words[i], group->kind);
    }
    hash.words[2] = mix(mix(7, hash.words[0]), hash.words[1]);
    uint32_t head[2] = {(uint32_t)(hash.words[2] >> 32), group->kind + 1};
    memcpy(group->identifier, head, 8);
    memcpy(group->identifier + 8, hash.words, 24);
}

static const struct abi_shader *shader_of(struct compiler *compiler, const struct so_export *unit,
                                          const struct so_export *shader)
{
    return shader ? find_or_add_item(compiler, unit, shader)->result : NULL;
}

/* ReportHit's attributes are known after compilation only. */
static enum status check_intersection(const struct compiler *compiler, const struct so_export *unit,
                                      const struct abi_shader *intersection)
{
    const struct so_definition *config = unit->definitions[SO_SLOT_SHADER_CONFIG];
    if (intersection && config && intersection->attribute_bytes > config->values[1])
        return reason_set(compiler->reason, STATUS_INVALID,
                          "hit group '%s': intersection shader '%s' reports attributes of %u bytes, "
                          "MaxAttributeSizeInBytes of '%s' is %u",
                          unit->name, unit->intersection->name, intersection->attribute_bytes, config->label,
                          config->values[1]);
    return STATUS_OK;
}

static enum status make_group(struct compiler *compiler, struct so_export *unit)
{
    struct abi_group *group = arena_allocate_zeroed(&compiler->compiled->arena, sizeof(*group), 8);
    if (!group)
        return STATUS_OUT_OF_MEMORY;
    group->name = unit->name;
    if (unit->kind == SO_EXPORT_FUNCTION) {
        group->kind = ABI_GROUP_SHADER;
        group->shader = shader_of(compiler, unit, unit);
    } else {
        group->kind = unit->hit_group_type ? ABI_GROUP_PROCEDURAL : ABI_GROUP_TRIANGLES;
        group->any_hit = shader_of(compiler, unit, unit->any_hit);
        group->closest_hit = shader_of(compiler, unit, unit->closest_hit);
        group->intersection = shader_of(compiler, unit, unit->intersection);
        RETURN_IF_FAILED(check_intersection(compiler, unit, group->intersection));
    }
    make_identifier(compiler, unit, group);
    unit->group = group;
    return STATUS_OK;
}

static enum status make_groups(struct compiler *compiler)
{
    for (uint32_t i = 0; i < compiler->linked->export_count; i++) {
        struct so_export *export = &compiler->linked->exports[i];
        if (export->origin && export->origin->group)
            export->group = export->origin->group;
        else if (needs_group(export))
            RETURN_IF_FAILED(make_group(compiler, export));
    }
    return STATUS_OK;
}

enum status so_compile(struct d3d12_shader_compiler *shader_compiler, struct so_linked *linked,
                       struct so_compiled *compiled, struct reason *reason)
{
    struct compiler compiler = {.shader_compiler = shader_compiler, .linked = linked, .compiled = compiled,
                                .reason = reason};
    enum status status = create_items(&compiler);
    if (status == STATUS_OK) {
        collect_items(&compiler);
        status = compile_items(&compiler);
    }
    if (status == STATUS_OK)
        status = make_groups(&compiler);
    free(compiler.items);
    free(compiler.heads);
    return status;
}

void so_compiled_finish(struct so_compiled *compiled)
{
    for (uint32_t i = 0; i < compiled->code_count; i++)
        jit_code_release(compiled->codes[i]);
    free(compiled->codes);
    arena_finish(&compiled->arena);
    *compiled = (struct so_compiled){0};
}

/* --- the pipeline --- */

static void insert_slot(const struct abi_group **slots, uint32_t slot_mask, const struct abi_group *group)
{
    uint32_t hash;
    memcpy(&hash, group->identifier + 8, 4);
    uint32_t slot = hash & slot_mask;
    for (; slots[slot]; slot = (slot + 1) & slot_mask)
        if (!memcmp(slots[slot]->identifier, group->identifier, 32))
            return; /* one shader under two names */
    slots[slot] = group;
}

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t shader_stack(const struct abi_shader *shader)
{
    return shader ? shader->stack_bytes : 0;
}

/* Raytracing.md "Default pipeline stack size". */
static uint64_t default_stack_bytes(const struct abi_pipeline *pipeline)
{
    uint64_t of_kind[ABI_SHADER_CALLABLE + 1] = {0};
    for (uint32_t i = 0; i < pipeline->group_count; i++) {
        const struct abi_group *group = pipeline->groups[i];
        const struct abi_shader *shaders[] = {group->shader, group->closest_hit, group->any_hit, group->intersection};
        for (uint32_t s = 0; s < ARRAY_COUNT(shaders); s++)
            if (shaders[s] && shaders[s]->kind <= ABI_SHADER_CALLABLE)
                of_kind[shaders[s]->kind] = greater(of_kind[shaders[s]->kind], shader_stack(shaders[s]));
    }
    uint64_t depth = pipeline->max_recursion_depth;
    uint64_t hit_or_miss = greater(of_kind[ABI_SHADER_CLOSEST_HIT], of_kind[ABI_SHADER_MISS]);
    uint64_t candidate = of_kind[ABI_SHADER_INTERSECTION] + of_kind[ABI_SHADER_ANY_HIT];
    return of_kind[ABI_SHADER_RAY_GENERATION] + greater(hit_or_miss, candidate) * (depth ? 1 : 0) +
           hit_or_miss * (depth ? depth - 1 : 0) + 2 * of_kind[ABI_SHADER_CALLABLE];
}

enum status so_make_pipeline(struct so_compiled *compiled, const struct so_linked *linked,
                             const struct abi_pipeline *grown_from, struct abi_pipeline *pipeline)
{
    uint32_t capacity = linked->export_count + (grown_from ? grown_from->group_count : 0) + 1, slot_count = 8;
    while (slot_count < capacity * 2)
        slot_count *= 2;
    const struct abi_group **groups = arena_allocate_zeroed(&compiled->arena, capacity * sizeof(*groups), 8);
    const struct abi_group **slots = arena_allocate_zeroed(&compiled->arena, slot_count * sizeof(*slots), 8);
    if (!groups || !slots)
        return STATUS_OUT_OF_MEMORY;
    uint32_t count = 0;
    for (uint32_t i = 0; grown_from && i < grown_from->group_count; i++)
        groups[count++] = grown_from->groups[i];
    for (uint32_t i = 0; i < linked->export_count; i++)
        if (linked->exports[i].group)
            groups[count++] = linked->exports[i].group;
    for (uint32_t i = 0; i < count; i++)
        insert_slot(slots, slot_count - 1, groups[i]);
    *pipeline = (struct abi_pipeline){.groups = groups, .group_count = count, .slots = slots,
                                      .slot_mask = slot_count - 1};
    pipeline->max_recursion_depth = linked->pipeline_config->values[0];
    /* The two SKIP flags are ray flags; ALLOW_OPACITY_MICROMAPS has the number of another ray flag. */
    pipeline->pipeline_flags = linked->pipeline_config->values[1] &
                               (ABI_RAY_FLAG_SKIP_TRIANGLES | ABI_RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES);
    if (linked->pipeline_config->values[1] & D3D12_RAYTRACING_PIPELINE_FLAG_ALLOW_OPACITY_MICROMAPS)
        pipeline->pipeline_flags |= ABI_TRACE_FLAG_ALLOW_MICROMAPS;
    pipeline->max_payload_bytes = linked->shader_config->values[0];
    pipeline->max_attribute_bytes = linked->shader_config->values[1];
    pipeline->stack_bytes = grown_from ? grown_from->stack_bytes : default_stack_bytes(pipeline);
    return STATUS_OK;
}

uint64_t so_stack_bytes(const struct so_export *export, const char *shader)
{
    const struct abi_group *group = export->group;
    const struct abi_shader *found = NULL;
    if (!group)
        return UINT32_MAX;
    if (!shader)
        found = group->shader;
    else if (!strcmp(shader, SO_PART_CLOSEST_HIT))
        found = group->closest_hit;
    else if (!strcmp(shader, SO_PART_ANY_HIT))
        found = group->any_hit;
    else if (!strcmp(shader, SO_PART_INTERSECTION))
        found = group->intersection;
    return found ? found->stack_bytes : UINT32_MAX;
}
