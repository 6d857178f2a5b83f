/* SPDX-License-Identifier: MIT
 * Third step of linking a state object: the rules of Raytracing.md "Subobject association requirements" and of each
 * subobject's section. Says of every entry point whether all it needs is there; pipelines and collections without
 * ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS fail where something is missing. */
#include <stdio.h>
#include <string.h>

#include "d3d12/state_object_linker.h"

enum {
    MAX_ATTRIBUTE_BYTES = 32,
    MAX_RECURSION_DEPTH = 31,
    PIPELINE_FLAG_SKIP_TRIANGLES = 0x100,
    PIPELINE_FLAG_SKIP_PROCEDURAL = 0x200,
    PIPELINE_FLAG_ALLOW_OPACITY_MICROMAPS = 0x400,
    PIPELINE_FLAGS_KNOWN =
        PIPELINE_FLAG_SKIP_TRIANGLES | PIPELINE_FLAG_SKIP_PROCEDURAL | PIPELINE_FLAG_ALLOW_OPACITY_MICROMAPS,
};

static bool is_open(const struct so_linker *linker)
{
    return !linker->input->is_executable &&
           (linker->linked->flags & SO_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS);
}

static enum status check_pipeline_config(const struct so_linker *linker, const struct so_definition *definition)
{
    const uint32_t both = PIPELINE_FLAG_SKIP_TRIANGLES | PIPELINE_FLAG_SKIP_PROCEDURAL;
    if (definition->values[0] > MAX_RECURSION_DEPTH)
        return reason_set(linker->reason, STATUS_INVALID,
                          "raytracing pipeline config '%s': MaxTraceRecursionDepth is %u, at most %u is allowed",
                          definition->label, definition->values[0], MAX_RECURSION_DEPTH);
    if (definition->values[1] & ~(uint32_t)PIPELINE_FLAGS_KNOWN)
        return reason_set(linker->reason, STATUS_INVALID,
                          "raytracing pipeline config '%s': Flags 0x%x have unknown or unsupported bits",
                          definition->label, definition->values[1]);
    if ((definition->values[1] & both) == both)
        return reason_set(linker->reason, STATUS_INVALID,
                          "raytracing pipeline config '%s': SKIP_TRIANGLES and SKIP_PROCEDURAL_PRIMITIVES exclude each "
                          "other",
                          definition->label);
    return STATUS_OK;
}

static enum status check_definition(const struct so_linker *linker, const struct so_definition *definition)
{
    const struct dxil_root_signature *signature = definition->root_signature;
    switch (definition->slot) {
    case SO_SLOT_GLOBAL_ROOT_SIGNATURE:
        if (signature->flags & DXIL_ROOT_SIGNATURE_FLAG_LOCAL)
            return reason_set(linker->reason, STATUS_INVALID,
                              "global root signature '%s' was created with the flag LOCAL_ROOT_SIGNATURE",
                              definition->label);
        return STATUS_OK;
    case SO_SLOT_LOCAL_ROOT_SIGNATURE:
        if (!(signature->flags & DXIL_ROOT_SIGNATURE_FLAG_LOCAL))
            return reason_set(linker->reason, STATUS_INVALID,
                              "local root signature '%s' was created without the flag LOCAL_ROOT_SIGNATURE",
                              definition->label);
        return STATUS_OK;
    case SO_SLOT_SHADER_CONFIG:
        if (definition->values[1] > MAX_ATTRIBUTE_BYTES)
            return reason_set(linker->reason, STATUS_INVALID,
                              "raytracing shader config '%s': MaxAttributeSizeInBytes is %u, at most %u is allowed",
                              definition->label, definition->values[1], MAX_ATTRIBUTE_BYTES);
        return STATUS_OK;
    case SO_SLOT_PIPELINE_CONFIG:
        return check_pipeline_config(linker, definition);
    case SO_SLOT_STATE_OBJECT_CONFIG:
        if (definition->values[0] & ~(uint32_t)SO_FLAG_ALL)
            return reason_set(linker->reason, STATUS_INVALID, "state object config '%s': Flags 0x%x have unknown bits",
                              definition->label, definition->values[0]);
        return STATUS_OK;
    default:
        return STATUS_OK;
    }
}

static enum status check_definitions(const struct so_linker *linker)
{
    for (uint32_t i = 0; i < linker->input->definition_count; i++)
        RETURN_IF_FAILED(check_definition(linker, &linker->input->definitions[i]));
    for (uint32_t i = 0; i < linker->input->library_count; i++)
        for (uint32_t k = 0; k < linker->libraries[i].input->rdat->subobject_count; k++)
            if (linker->libraries[i].definitions[k])
                RETURN_IF_FAILED(check_definition(linker, linker->libraries[i].definitions[k]));
    return STATUS_OK;
}

/* What runs on its own associations: entry points, and hit shaders that no hit group of the object uses. */
static bool is_unit(const struct so_export *export)
{
    if (export->kind == SO_EXPORT_HIT_GROUP)
        return true;
    return so_export_is_shader(export) && !export->in_hit_group;
}

/* The first definition at the strongest level, ray generation shaders first: what the object as a whole has. */
static const struct so_definition *object_definition(const struct so_linked *linked, enum so_slot slot)
{
    const struct so_export *best = NULL;
    uint32_t best_rank = 0;
    for (uint32_t i = 0; i < linked->export_count; i++) {
        const struct so_export *export = &linked->exports[i];
        if (!is_unit(export) || !export->definitions[slot])
            continue;
        bool is_raygen = export->kind == SO_EXPORT_FUNCTION && export->function->shader_kind == SO_SHADER_RAY_GENERATION;
        bool is_weak = export->levels[slot] <= SO_LEVEL_LIBRARY_EXPLICIT;
        uint32_t rank = 1 + is_raygen + 2 * !is_weak;
        if (rank > best_rank) {
            best = export;
            best_rank = rank;
        }
    }
    return best ? best->definitions[slot] : NULL;
}

/* A shader config that a DXIL library gives to a shader and that differs from the pipeline's costs that shader its
 * identifier instead of failing the whole library: it can never be run, everything else can. */
static bool may_drop(const struct so_export *export, enum so_slot slot)
{
    return slot == SO_SLOT_SHADER_CONFIG && export->kind == SO_EXPORT_FUNCTION && !export->origin &&
           export->levels[slot] <= SO_LEVEL_LIBRARY_EXPLICIT &&
           export->function->shader_kind != SO_SHADER_RAY_GENERATION;
}

static enum status check_match(const struct so_linker *linker, enum so_slot slot, const struct so_definition *wanted)
{
    for (uint32_t i = 0; wanted && i < linker->linked->export_count; i++) {
        struct so_export *export = &linker->linked->exports[i];
        const struct so_definition *own = export->definitions[slot];
        if (!is_unit(export) || !own || so_definition_equal(own, wanted))
            continue;
        if (slot == SO_SLOT_STATE_OBJECT_CONFIG && export->origin)
            continue; /* "doesn't need to match contained state objects" */
        if (!may_drop(export, slot))
            return reason_set(linker->reason, STATUS_INVALID,
                              "export '%s' is associated with %s '%s', other exports with '%s'; they must match in the "
                              "whole state object",
                              export->name, so_slot_name(slot), own->label, wanted->label);
        export->is_dropped = true;
        reason_set(&linker->linked->warning, STATUS_OK,
                   "export '%s' is associated with %s '%s' while the pipeline uses '%s'; it has no shader identifier",
                   export->name, so_slot_name(slot), own->label, wanted->label);
    }
    return STATUS_OK;
}

/* Optional, but all or nothing. */
static enum status check_all_or_none(const struct so_linker *linker, enum so_slot slot)
{
    const struct so_definition *wanted = object_definition(linker->linked, slot);
    RETURN_IF_FAILED(check_match(linker, slot, wanted));
    for (uint32_t i = 0; wanted && i < linker->linked->export_count; i++) {
        const struct so_export *export = &linker->linked->exports[i];
        if (is_unit(export) && !export->definitions[slot] && !(slot == SO_SLOT_STATE_OBJECT_CONFIG && export->origin))
            return reason_set(linker->reason, STATUS_INVALID,
                              "export '%s' has no %s, other exports are associated with '%s'; all or none must be",
                              export->name, so_slot_name(slot), wanted->label);
    }
    return STATUS_OK;
}

/* "If multiple shader configurations are present (such as one in each collection) they must all match when combined into a
 * raytracing pipeline": the pipeline's own one, too, although a collection's exports are never associated with it. */
static enum status check_collections_match(const struct so_linker *linker, enum so_slot slot)
{
    const struct so_definition *own = linker->object_defaults[slot];
    bool is_judged = own && linker->input->is_executable;
    for (uint32_t i = 0; is_judged && i < linker->linked->export_count; i++) {
        const struct so_export *export = &linker->linked->exports[i];
        const struct so_definition *other = export->definitions[slot];
        if (is_unit(export) && other && export->levels[slot] == SO_LEVEL_INHERITED && !so_definition_equal(own, other))
            return reason_set(linker->reason, STATUS_INVALID,
                              "%s '%s' differs from the one that export '%s' has in its collection; they must match in "
                              "the whole state object",
                              so_slot_name(slot), own->label, export->name);
    }
    return STATUS_OK;
}

static enum status check_object_config(const struct so_linker *linker, enum so_slot slot,
                                       const struct so_definition **object)
{
    const struct so_definition *grown = NULL;
    if (linker->input->grow_from)
        grown = slot == SO_SLOT_SHADER_CONFIG ? linker->input->grow_from->shader_config
                                              : linker->input->grow_from->pipeline_config;
    *object = object_definition(linker->linked, slot);
    RETURN_IF_FAILED(check_match(linker, slot, *object));
    RETURN_IF_FAILED(check_collections_match(linker, slot));
    if (!*object)
        *object = linker->object_defaults[slot];
    if (!*object && linker->input->is_executable)
        return reason_set(linker->reason, STATUS_INVALID,
                          "the raytracing pipeline has no %s%s; it needs one", so_slot_name(slot),
                          linker->is_default_ambiguous[slot] ? " that is associated: several that differ are defined and "
                                                               "none is associated explicitly"
                                                             : "");
    if (*object && grown && !so_definition_equal(*object, grown))
        return reason_set(linker->reason, STATUS_INVALID,
                          "%s '%s' differs from the one of the state object to grow from", so_slot_name(slot),
                          (*object)->label);
    return STATUS_OK;
}

static bool ignores_payload_limit(const struct so_export *shader)
{
    const struct so_library_input *library = shader->library;
    return library->ignore_payload_limit && library->ignore_payload_limit[shader->function - library->rdat->functions];
}

static enum status check_sizes(const struct so_linker *linker, const struct so_export *unit,
                               const struct so_export *shader)
{
    const struct so_definition *config = unit->definitions[SO_SLOT_SHADER_CONFIG];
    if (!shader || !config)
        return STATUS_OK;
    const struct dxil_rdat_function *function = shader->function;
    bool has_payload = function->shader_kind == SO_SHADER_ANY_HIT || function->shader_kind == SO_SHADER_CLOSEST_HIT ||
                       function->shader_kind == SO_SHADER_MISS;
    if (has_payload && !ignores_payload_limit(shader) && function->payload_bytes > config->values[0])
        return reason_set(linker->reason, STATUS_INVALID,
                          "export '%s' has a payload of %u bytes, MaxPayloadSizeInBytes of '%s' is %u", shader->name,
                          function->payload_bytes, config->label, config->values[0]);
    if (function->attribute_bytes > config->values[1])
        return reason_set(linker->reason, STATUS_INVALID,
                          "export '%s' has attributes of %u bytes, MaxAttributeSizeInBytes of '%s' is %u", shader->name,
                          function->attribute_bytes, config->label, config->values[1]);
    return STATUS_OK;
}

/* --- what a unit needs; missing things go to *missing --- */

struct unit_check {
    struct so_linker *linker;
    const struct so_export *unit; /* entry point, or hit shader outside of hit groups */
    struct reason *missing;
    const struct so_export **visited; /* functions already walked */
    uint32_t visited_count, visited_capacity;
};

static const struct dxil_root_signature *unit_signature(const struct so_export *unit, enum so_slot slot)
{
    return unit->definitions[slot] ? unit->definitions[slot]->root_signature : NULL;
}

static enum status add_import(struct so_linker *linker, const struct so_linked *home, const char *name,
                              const struct so_export *target)
{
    struct so_linked *linked = linker->linked;
    for (uint32_t i = 0; i < linked->import_count; i++)
        if (linked->imports[i].target == target && linked->imports[i].home == home &&
            so_names_equal(linked->imports[i].name, name))
            return STATUS_OK;
    if ((linked->import_count & (linked->import_count - 1)) == 0) { /* grow at powers of two */
        uint32_t capacity = linked->import_count ? linked->import_count * 2 : 1;
        struct so_import *grown = arena_allocate(&linked->arena, capacity * sizeof(*grown), 8);
        if (!grown)
            return STATUS_OUT_OF_MEMORY;
        if (linked->import_count)
            memcpy(grown, linked->imports, linked->import_count * sizeof(*grown));
        linked->imports = grown;
    }
    linked->imports[linked->import_count++] = (struct so_import){home, name, target};
    return STATUS_OK;
}

static bool visit(struct unit_check *check, const struct so_export *function, enum status *status)
{
    for (uint32_t i = 0; i < check->visited_count; i++)
        if (check->visited[i] == function)
            return false;
    if (check->visited_count == check->visited_capacity) {
        uint32_t capacity = check->visited_capacity ? check->visited_capacity * 2 : 16;
        const struct so_export **grown =
            arena_allocate(&check->linker->linked->arena, capacity * sizeof(*grown), 8);
        if (!grown) {
            *status = STATUS_OUT_OF_MEMORY;
            return false;
        }
        if (check->visited_count)
            memcpy(grown, check->visited, check->visited_count * sizeof(*grown));
        check->visited = grown;
        check->visited_capacity = capacity;
    }
    check->visited[check->visited_count++] = function;
    return true;
}

/* "any other functions in the graph must either be associated with the same root signature or none" */
static enum status check_call_signature(const struct unit_check *check, const struct so_export *callee, enum so_slot slot)
{
    const struct so_definition *own = callee->definitions[slot], *entry = check->unit->definitions[slot];
    if (!own || callee == check->unit || so_export_is_shader(callee))
        return STATUS_OK;
    if (!entry || !so_definition_equal(own, entry))
        return reason_set(check->linker->reason, STATUS_INVALID,
                          "function '%s' is associated with %s '%s', but is called from '%s', which is not",
                          callee->function->unmangled_name, so_slot_name(slot), own->label, check->unit->name);
    return STATUS_OK;
}

static enum status check_own_function(struct unit_check *check, const struct so_export *function)
{
    struct so_binding_check binding = {check->unit, function->library, function->function,
                                       unit_signature(check->unit, SO_SLOT_GLOBAL_ROOT_SIGNATURE),
                                       unit_signature(check->unit, SO_SLOT_LOCAL_ROOT_SIGNATURE)};
    struct reason why = {0};
    RETURN_IF_FAILED(check_call_signature(check, function, SO_SLOT_GLOBAL_ROOT_SIGNATURE));
    RETURN_IF_FAILED(check_call_signature(check, function, SO_SLOT_LOCAL_ROOT_SIGNATURE));
    if (so_check_bindings(&binding, &why) != STATUS_OK)
        reason_set(check->missing, STATUS_INVALID, "%s%s", why.text,
                   check->linker->is_default_ambiguous[SO_SLOT_LOCAL_ROOT_SIGNATURE] && !binding.local
                       ? "; several local root signatures are defined and none is associated"
                       : "");
    return STATUS_OK;
}

static enum status check_call(struct unit_check *check, const struct so_export *caller, const char *name,
                              const struct so_export **target)
{
    bool is_forbidden;
    *target = so_find_import(check->linker, caller, name, &is_forbidden);
    const char *shown = name[0] == '\1' ? name + 1 : name;
    if (is_forbidden)
        reason_set(check->missing, STATUS_INVALID,
                   "export '%s' calls '%s' of a collection without ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS",
                   check->unit->name, shown);
    else if (!*target)
        reason_set(check->missing, STATUS_INVALID,
                   "export '%s' calls the function '%s', which nothing in the state object defines", check->unit->name,
                   shown);
    else if ((*target)->kind != SO_EXPORT_FUNCTION || so_export_is_shader(*target)) {
        reason_set(check->missing, STATUS_INVALID, "export '%s' calls '%s', which is not a library function",
                   check->unit->name, shown);
        *target = NULL;
    } else {
        return add_import(check->linker, caller->home, name, *target);
    }
    return STATUS_OK;
}

/* Walk the functions that root reaches through imports, breadth first. */
static enum status check_call_graph(struct unit_check *check, const struct so_export *root)
{
    enum status status = STATUS_OK;
    uint32_t next = check->visited_count;
    visit(check, root, &status);
    for (; status == STATUS_OK && next < check->visited_count; next++) {
        const struct so_export *function = check->visited[next];
        RETURN_IF_FAILED(check_own_function(check, function));
        for (uint32_t i = 0; i < function->function->dependency_count; i++) {
            const struct so_export *target;
            RETURN_IF_FAILED(check_call(check, function, function->function->dependencies[i], &target));
            if (target)
                visit(check, target, &status);
        }
    }
    return status;
}

static enum status check_component(struct unit_check *check, const struct so_export *component, const char *name,
                                   const char *field)
{
    if (!name)
        return STATUS_OK;
    if (!component) {
        reason_set(check->missing, STATUS_INVALID,
                   "hit group '%s': %s '%s' is not an export of the state object", check->unit->name, field, name);
        return STATUS_OK;
    }
    RETURN_IF_FAILED(check_sizes(check->linker, check->unit, component));
    return check_call_graph(check, component);
}

static void check_required_config(const struct unit_check *check, enum so_slot slot)
{
    if (!check->unit->definitions[slot])
        reason_set(check->missing, STATUS_INVALID, "export '%s' has no %s associated%s", check->unit->name,
                   so_slot_name(slot),
                   check->linker->is_default_ambiguous[slot] ? "; several that differ are defined and none is "
                                                               "associated explicitly"
                                                             : "");
}

static enum status check_unit_parts(struct unit_check *check)
{
    const struct so_export *unit = check->unit;
    RETURN_IF_FAILED(so_check_overlap(unit_signature(unit, SO_SLOT_GLOBAL_ROOT_SIGNATURE),
                                      unit_signature(unit, SO_SLOT_LOCAL_ROOT_SIGNATURE), unit->name,
                                      check->linker->reason));
    check_required_config(check, SO_SLOT_SHADER_CONFIG);
    check_required_config(check, SO_SLOT_PIPELINE_CONFIG);
    if (unit->kind == SO_EXPORT_FUNCTION) {
        RETURN_IF_FAILED(check_sizes(check->linker, unit, unit));
        return check_call_graph(check, unit);
    }
    RETURN_IF_FAILED(check_component(check, unit->any_hit, unit->any_hit_name, "AnyHitShaderImport"));
    RETURN_IF_FAILED(check_component(check, unit->closest_hit, unit->closest_hit_name, "ClosestHitShaderImport"));
    return check_component(check, unit->intersection, unit->intersection_name, "IntersectionShaderImport");
}

static enum status check_unit(struct so_linker *linker, struct so_export *unit)
{
    struct reason missing = {0};
    struct unit_check check = {.linker = linker, .unit = unit, .missing = &missing};
    if (unit->origin && unit->origin->is_resolved) {
        unit->is_resolved = true;
        return STATUS_OK;
    }
    if (unit->is_dropped)
        return STATUS_OK;
    RETURN_IF_FAILED(check_unit_parts(&check));
    unit->is_resolved = !missing.text[0];
    if (unit->is_resolved)
        return STATUS_OK;
    linker->linked->has_unresolved = true;
    if (is_open(linker))
        return STATUS_OK;
    return reason_set(linker->reason, STATUS_INVALID, "%s%s", missing.text,
                      linker->input->is_executable
                          ? ""
                          : " (a collection needs ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS to leave this open)");
}

enum status so_check(struct so_linker *linker)
{
    struct so_linked *linked = linker->linked;
    RETURN_IF_FAILED(check_definitions(linker));
    RETURN_IF_FAILED(check_all_or_none(linker, SO_SLOT_STATE_OBJECT_CONFIG));
    RETURN_IF_FAILED(check_all_or_none(linker, SO_SLOT_NODE_MASK));
    RETURN_IF_FAILED(check_object_config(linker, SO_SLOT_SHADER_CONFIG, &linked->shader_config));
    RETURN_IF_FAILED(check_object_config(linker, SO_SLOT_PIPELINE_CONFIG, &linked->pipeline_config));
    for (uint32_t i = 0; i < linked->export_count; i++)
        if (is_unit(&linked->exports[i]))
            RETURN_IF_FAILED(check_unit(linker, &linked->exports[i]));
    return STATUS_OK;
}
