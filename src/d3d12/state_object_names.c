/* SPDX-License-Identifier: MIT
 * First step of linking a state object: which functions and hit groups it exports under which names. Input: libraries
 * and collections with their export lists, hit group subobjects. Output: so_linked.exports and the name table. */
#include <stdio.h>
#include <string.h>

#include "d3d12/state_object_linker.h"

/* Open hashing: heads by hash, entries chained by index + 1. An export is entered under its name and, functions, under
 * their mangled or unmangled name too. */
struct so_name_entry {
    const char *name;
    uint32_t export_index;
    uint32_t next; /* index + 1; 0 ends */
};
struct so_name_table {
    uint32_t *heads;
    uint32_t head_mask;
    struct so_name_entry *entries;
    uint32_t entry_count;
};

/* The \01 that LLVM puts before mangled names may be left out. */
static const char *without_mark(const char *name)
{
    return name[0] == '\1' ? name + 1 : name;
}

bool so_names_equal(const char *a, const char *b)
{
    return strcmp(without_mark(a), without_mark(b)) == 0;
}

static bool is_mangled(const char *name)
{
    return without_mark(name)[0] == '?';
}

static uint32_t name_hash(const char *name)
{
    uint32_t hash = 2166136261u;
    for (const char *c = without_mark(name); *c; c++)
        hash = (hash ^ (uint8_t)*c) * 16777619u;
    return hash ^ hash >> 15;
}

static enum status create_names(struct so_linker *linker)
{
    struct arena *arena = &linker->linked->arena;
    uint32_t head_count = 16;
    while (head_count < linker->export_capacity * 2)
        head_count *= 2;
    struct so_name_table *names = arena_allocate_zeroed(arena, sizeof(*names), 8);
    if (!names)
        return STATUS_OUT_OF_MEMORY;
    names->head_mask = head_count - 1;
    names->heads = arena_allocate_zeroed(arena, head_count * sizeof(*names->heads), 4);
    names->entries =
        arena_allocate_zeroed(arena, ((size_t)linker->export_capacity * 2 + 1) * sizeof(*names->entries), 8);
    linker->linked->names = names;
    return names->heads && names->entries ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

static void enter_name(struct so_name_table *names, const char *name, uint32_t export_index)
{
    uint32_t *head = &names->heads[name_hash(name) & names->head_mask];
    names->entries[names->entry_count] = (struct so_name_entry){name, export_index, *head};
    *head = ++names->entry_count;
}

static const struct so_name_entry *first_entry(const struct so_name_table *names, const char *name)
{
    uint32_t link = names->heads[name_hash(name) & names->head_mask];
    return link ? &names->entries[link - 1] : NULL;
}

static const struct so_name_entry *next_entry(const struct so_name_table *names, const struct so_name_entry *entry)
{
    return entry->next ? &names->entries[entry->next - 1] : NULL;
}

struct so_export *so_linked_find(const struct so_linked *linked, const char *name, bool *is_ambiguous)
{
    struct so_export *by_unmangled = NULL;
    uint32_t unmangled_count = 0;
    if (is_ambiguous)
        *is_ambiguous = false;
    for (const struct so_name_entry *entry = first_entry(linked->names, name); entry;
         entry = next_entry(linked->names, entry)) {
        struct so_export *export = &linked->exports[entry->export_index];
        if (!so_names_equal(entry->name, name))
            continue;
        bool is_function = export->kind == SO_EXPORT_FUNCTION && !so_export_is_shader(export);
        if (!is_function || so_names_equal(export->mangled, name))
            return export;
        by_unmangled = export;
        unmangled_count++;
    }
    if (is_ambiguous)
        *is_ambiguous = unmangled_count > 1;
    return unmangled_count == 1 ? by_unmangled : NULL;
}

/* Entry points share one name space; functions are told apart by their mangled names. */
static enum status check_unique(const struct so_linker *linker, const struct so_export *export)
{
    bool is_function = export->kind == SO_EXPORT_FUNCTION && !so_export_is_shader(export);
    const char *key = is_function ? export->mangled : export->name;
    for (const struct so_name_entry *entry = first_entry(linker->linked->names, key); entry;
         entry = next_entry(linker->linked->names, entry)) {
        const struct so_export *other = &linker->linked->exports[entry->export_index];
        bool other_is_function = other->kind == SO_EXPORT_FUNCTION && !so_export_is_shader(other);
        if (is_function == other_is_function && so_names_equal(is_function ? other->mangled : other->name, key))
            return reason_set(linker->reason, STATUS_INVALID,
                              "export '%s' is defined twice; names exported into a state object must not conflict",
                              export->name);
    }
    return STATUS_OK;
}

static enum status add_export(struct so_linker *linker, const struct so_export *export)
{
    RETURN_IF_FAILED(check_unique(linker, export));
    struct so_linked *linked = linker->linked;
    if (linked->export_count >= linker->export_capacity)
        return reason_set(linker->reason, STATUS_INTERNAL, "more exports than counted");
    uint32_t index = linked->export_count++;
    linked->exports[index] = *export;
    enter_name(linked->names, export->name, index);
    if (export->mangled && !so_names_equal(export->mangled, export->name))
        enter_name(linked->names, export->mangled, index);
    return STATUS_OK;
}

/* "\01?Old@Scope@@YAIII@Z" renamed to New becomes "\01?New@Scope@@YAIII@Z". */
static const char *renamed_mangled(struct arena *arena, const char *mangled, const char *name)
{
    const char *rest = strchr(mangled, '@');
    if (!is_mangled(mangled) || !rest)
        return name;
    size_t length = strlen(name) + strlen(rest) + 3;
    char *result = arena_allocate(arena, length + 1, 1);
    if (result)
        snprintf(result, length + 1, "\1?%s%s", name, rest);
    return result;
}

static bool is_raytracing_kind(uint32_t shader_kind)
{
    return shader_kind >= SO_SHADER_LIBRARY && shader_kind <= SO_SHADER_CALLABLE;
}

static enum status add_function(struct so_linker *linker, const struct so_library_input *library,
                                const struct dxil_rdat_function *function, const char *new_name)
{
    bool is_shader = function->shader_kind != SO_SHADER_LIBRARY;
    struct so_export export = {
        .kind = SO_EXPORT_FUNCTION,
        .name = new_name ? new_name : is_shader ? function->unmangled_name : function->name,
        .mangled = function->name,
        .function = function,
        .library = library,
        .home = linker->linked,
    };
    if (new_name) {
        export.mangled = renamed_mangled(&linker->linked->arena, function->name, new_name);
        if (!export.mangled)
            return STATUS_OUT_OF_MEMORY;
    }
    RETURN_IF_FAILED(add_export(linker, &export));
    if (!is_shader && !new_name) /* also reachable by the unmangled name while that is unique */
        enter_name(linker->linked->names, function->unmangled_name, linker->linked->export_count - 1);
    return STATUS_OK;
}

static enum status export_everything(struct so_linker *linker, struct so_library_scope *scope)
{
    const struct dxil_rdat *rdat = scope->input->rdat;
    for (uint32_t i = 0; i < rdat->function_count; i++)
        if (is_raytracing_kind(rdat->functions[i].shader_kind))
            RETURN_IF_FAILED(add_function(linker, scope->input, &rdat->functions[i], NULL));
    for (uint32_t i = 0; i < rdat->subobject_count; i++)
        scope->subobject_included[i] = true;
    scope->exports_all = true;
    return STATUS_OK;
}

/* The function that an export list means: by mangled name, else the one shader or the one function of that unmangled
 * name. */
static enum status find_function(const struct so_linker *linker, const struct so_library_input *library,
                                 const char *wanted, const struct dxil_rdat_function **found)
{
    uint32_t shader_count = 0, function_count = 0;
    const struct dxil_rdat_function *shader = NULL, *plain = NULL;
    *found = NULL;
    for (uint32_t i = 0; i < library->rdat->function_count; i++) {
        const struct dxil_rdat_function *function = &library->rdat->functions[i];
        if (so_names_equal(function->name, wanted)) {
            *found = function;
            return STATUS_OK;
        }
        if (strcmp(function->unmangled_name, wanted) != 0)
            continue;
        bool is_shader = function->shader_kind != SO_SHADER_LIBRARY;
        shader_count += is_shader;
        function_count += !is_shader;
        *(is_shader ? &shader : &plain) = function;
    }
    if (shader_count > 1 || (!shader_count && function_count > 1))
        return reason_set(linker->reason, STATUS_INVALID,
                          "subobject %u: export '%s' names %u overloaded functions of the DXIL library; give the "
                          "mangled name",
                          library->subobject_index, wanted, shader_count > 1 ? shader_count : function_count);
    *found = shader_count ? shader : plain;
    return STATUS_OK;
}

static enum status check_export_input(const struct so_linker *linker, uint32_t subobject_index,
                                      const struct so_export_input *input)
{
    if (!input->name || !*input->name)
        return reason_set(linker->reason, STATUS_INVALID, "subobject %u: an export without a Name", subobject_index);
    if (input->flags)
        return reason_set(linker->reason, STATUS_INVALID,
                          "subobject %u: export '%s' has Flags 0x%x; no export flags are defined", subobject_index,
                          input->name, input->flags);
    if (input->export_to_rename && is_mangled(input->name))
        return reason_set(linker->reason, STATUS_INVALID,
                          "subobject %u: export '%s' renames '%s'; the new name must not be mangled", subobject_index,
                          without_mark(input->name), without_mark(input->export_to_rename));
    return STATUS_OK;
}

static bool include_subobject(struct so_library_scope *scope, const char *name)
{
    const struct dxil_rdat *rdat = scope->input->rdat;
    bool found = false;
    for (uint32_t i = 0; i < rdat->subobject_count; i++)
        if (!strcmp(rdat->subobjects[i].name, name))
            found = scope->subobject_included[i] = true;
    return found;
}

static enum status export_one(struct so_linker *linker, struct so_library_scope *scope,
                              const struct so_export_input *input)
{
    const struct so_library_input *library = scope->input;
    RETURN_IF_FAILED(check_export_input(linker, library->subobject_index, input));
    if (!strcmp(input->name, "*") && !input->export_to_rename)
        return export_everything(linker, scope);
    const char *wanted = input->export_to_rename ? input->export_to_rename : input->name;
    const struct dxil_rdat_function *function;
    RETURN_IF_FAILED(find_function(linker, library, wanted, &function));
    if (!function && !input->export_to_rename && include_subobject(scope, wanted))
        return STATUS_OK;
    if (!function)
        return reason_set(linker->reason, STATUS_INVALID,
                          "subobject %u: the DXIL library has no function or subobject '%s' to export",
                          library->subobject_index, without_mark(wanted));
    if (!is_raytracing_kind(function->shader_kind))
        return reason_set(linker->reason, STATUS_INVALID,
                          "subobject %u: export '%s' is a %s shader; only raytracing shaders and functions can be "
                          "exported",
                          library->subobject_index, without_mark(wanted), so_shader_kind_name(function->shader_kind));
    return add_function(linker, library, function, input->export_to_rename ? input->name : NULL);
}

static enum status add_hit_group(struct so_linker *linker, const struct so_hit_group_input *input,
                                 const struct so_library_input *library)
{
    struct reason *reason = linker->reason;
    if (!input->name || !*input->name)
        return reason_set(reason, STATUS_INVALID, "a hit group has no HitGroupExport name");
    if (input->type > 1)
        return reason_set(reason, STATUS_INVALID, "hit group '%s': Type %u is unknown", input->name, input->type);
    if (input->type == 0 && input->intersection)
        return reason_set(reason, STATUS_INVALID,
                          "hit group '%s' of type TRIANGLES has IntersectionShaderImport '%s'; only procedural "
                          "primitive hit groups have intersection shaders",
                          input->name, input->intersection);
    if (input->type == 1 && !input->intersection)
        return reason_set(reason, STATUS_INVALID,
                          "hit group '%s' of type PROCEDURAL_PRIMITIVE has no IntersectionShaderImport", input->name);
    struct so_export export = {
        .kind = SO_EXPORT_HIT_GROUP,
        .name = input->name,
        .hit_group_type = input->type,
        .library = library,
        .any_hit_name = input->any_hit,
        .closest_hit_name = input->closest_hit,
        .intersection_name = input->intersection,
        .home = linker->linked,
    };
    return add_export(linker, &export);
}

static const char *null_if_empty(const char *text)
{
    return text && *text ? text : NULL;
}

static enum status add_library_hit_groups(struct so_linker *linker, const struct so_library_scope *scope)
{
    const struct dxil_rdat *rdat = scope->input->rdat;
    for (uint32_t i = 0; i < rdat->subobject_count; i++) {
        const struct dxil_subobject *subobject = &rdat->subobjects[i];
        if (subobject->kind != DXIL_SUBOBJECT_HIT_GROUP || !scope->subobject_included[i])
            continue;
        struct so_hit_group_input input = {
            .name = subobject->name,
            .type = subobject->hit_group.type,
            .any_hit = null_if_empty(subobject->hit_group.any_hit),
            .closest_hit = null_if_empty(subobject->hit_group.closest_hit),
            .intersection = null_if_empty(subobject->hit_group.intersection),
        };
        RETURN_IF_FAILED(add_hit_group(linker, &input, scope->input));
    }
    return STATUS_OK;
}

static enum status add_library(struct so_linker *linker, uint32_t index)
{
    struct so_library_scope *scope = &linker->libraries[index];
    scope->input = &linker->input->libraries[index];
    size_t subobject_count = scope->input->rdat->subobject_count;
    struct arena *arena = &linker->linked->arena;
    scope->subobject_included = arena_allocate_zeroed(arena, subobject_count + 1, 1);
    scope->definitions = arena_allocate_zeroed(arena, (subobject_count + 1) * sizeof(void *), 8);
    if (!scope->subobject_included || !scope->definitions)
        return STATUS_OUT_OF_MEMORY;
    if (!scope->input->export_count)
        RETURN_IF_FAILED(export_everything(linker, scope));
    for (uint32_t i = 0; i < scope->input->export_count; i++)
        RETURN_IF_FAILED(export_one(linker, scope, &scope->input->exports[i]));
    return add_library_hit_groups(linker, scope);
}

static enum status add_from_collection(struct so_linker *linker, const struct so_export *origin, const char *new_name)
{
    struct so_export export = *origin;
    export.origin = origin;
    export.in_hit_group = origin->in_hit_group;
    if (new_name) {
        export.name = new_name;
        if (origin->mangled) {
            export.mangled = renamed_mangled(&linker->linked->arena, origin->mangled, new_name);
            if (!export.mangled)
                return STATUS_OUT_OF_MEMORY;
        }
    }
    export.definitions[SO_SLOT_STATE_OBJECT_CONFIG] = NULL; /* says something of the collection alone */
    for (uint32_t slot = 0; slot < SO_SLOT_COUNT; slot++)
        export.levels[slot] = export.definitions[slot] ? SO_LEVEL_INHERITED : SO_LEVEL_NONE;
    return add_export(linker, &export);
}

static enum status add_collection(struct so_linker *linker, const struct so_collection_input *input)
{
    if (!input->export_count)
        for (uint32_t i = 0; i < input->linked->export_count; i++)
            RETURN_IF_FAILED(add_from_collection(linker, &input->linked->exports[i], NULL));
    for (uint32_t i = 0; i < input->export_count; i++) {
        const struct so_export_input *item = &input->exports[i];
        RETURN_IF_FAILED(check_export_input(linker, input->subobject_index, item));
        const char *wanted = item->export_to_rename ? item->export_to_rename : item->name;
        bool is_ambiguous;
        const struct so_export *origin = so_linked_find(input->linked, wanted, &is_ambiguous);
        if (!origin)
            return reason_set(linker->reason, STATUS_INVALID,
                              is_ambiguous ? "subobject %u: export '%s' names overloaded functions of the collection; "
                                             "give the mangled name"
                                           : "subobject %u: the existing collection has no export '%s'",
                              input->subobject_index, without_mark(wanted));
        RETURN_IF_FAILED(add_from_collection(linker, origin, item->export_to_rename ? item->name : NULL));
    }
    return STATUS_OK;
}

/* Enough: what is exported twice under one name is refused before it is stored. */
static uint32_t count_exports(const struct so_input *input)
{
    uint32_t count = input->hit_group_count;
    for (uint32_t i = 0; i < input->library_count; i++)
        count += input->libraries[i].rdat->function_count + input->libraries[i].rdat->subobject_count +
                 input->libraries[i].export_count;
    for (uint32_t i = 0; i < input->collection_count; i++)
        count += input->collections[i].export_count ? input->collections[i].export_count
                                                    : input->collections[i].linked->export_count;
    return count;
}

/* Shader entry points of the object that is grown keep their names to themselves. */
static enum status check_against_grown(const struct so_linker *linker)
{
    const struct so_linked *old = linker->input->grow_from;
    for (uint32_t i = 0; old && i < linker->linked->export_count; i++) {
        const struct so_export *export = &linker->linked->exports[i];
        const struct so_export *other = so_linked_find(old, export->name, NULL);
        if (other && (so_export_is_entry(export) || so_export_is_shader(export)) &&
            (so_export_is_entry(other) || so_export_is_shader(other)))
            return reason_set(linker->reason, STATUS_INVALID,
                              "export '%s' exists in the state object to grow from; added entry points need new names",
                              export->name);
    }
    return STATUS_OK;
}

enum status so_collect_exports(struct so_linker *linker)
{
    const struct so_input *input = linker->input;
    struct so_linked *linked = linker->linked;
    linker->export_capacity = count_exports(input);
    RETURN_IF_FAILED(create_names(linker));
    linked->exports = arena_allocate_zeroed(&linked->arena,
                                            ((size_t)linker->export_capacity + 1) * sizeof(*linked->exports), 8);
    linker->libraries = arena_allocate_zeroed(&linked->arena,
                                              ((size_t)input->library_count + 1) * sizeof(*linker->libraries), 8);
    if (!linked->exports || !linker->libraries)
        return STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < input->library_count; i++)
        RETURN_IF_FAILED(add_library(linker, i));
    for (uint32_t i = 0; i < input->collection_count; i++)
        RETURN_IF_FAILED(add_collection(linker, &input->collections[i]));
    for (uint32_t i = 0; i < input->hit_group_count; i++)
        RETURN_IF_FAILED(add_hit_group(linker, &input->hit_groups[i], NULL));
    return check_against_grown(linker);
}

static bool is_visible_from_outside(const struct so_export *export)
{
    return !export->origin ||
           (export->origin->home->flags & SO_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS);
}

const struct so_export *so_find_import(const struct so_linker *linker, const struct so_export *from, const char *name,
                                       bool *is_forbidden)
{
    *is_forbidden = false;
    if (from->home != linker->linked) {
        const struct so_export *own = so_linked_find(from->home, name, NULL);
        if (own)
            return own;
    }
    const struct so_export *export = so_linked_find(linker->linked, name, NULL);
    if (export && export->home != from->home && !is_visible_from_outside(export)) {
        *is_forbidden = true;
        return NULL;
    }
    return export;
}

static enum status resolve_component(const struct so_linker *linker, const struct so_export *group, const char *field,
                                     const char *name, uint32_t shader_kind, struct so_export **component)
{
    bool is_forbidden;
    if (!name || *component)
        return STATUS_OK;
    const struct so_export *found = so_find_import(linker, group, name, &is_forbidden);
    if (is_forbidden)
        return reason_set(linker->reason, STATUS_INVALID,
                          "hit group '%s': %s '%s' is in a collection without "
                          "ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS",
                          group->name, field, name);
    if (!found)
        return STATUS_OK; /* judged later: collections may leave it open */
    if (found->kind != SO_EXPORT_FUNCTION || found->function->shader_kind != shader_kind)
        return reason_set(linker->reason, STATUS_INVALID, "hit group '%s': %s '%s' must be of kind %s, it is of kind %s",
                          group->name, field, name, so_shader_kind_name(shader_kind),
                          found->kind == SO_EXPORT_HIT_GROUP ? "hit group"
                                                             : so_shader_kind_name(found->function->shader_kind));
    *component = (struct so_export *)found;
    if (found->home == linker->linked)
        (*component)->in_hit_group = true;
    return STATUS_OK;
}

enum status so_resolve_hit_groups(struct so_linker *linker)
{
    for (uint32_t i = 0; i < linker->linked->export_count; i++) {
        struct so_export *group = &linker->linked->exports[i];
        if (group->kind != SO_EXPORT_HIT_GROUP || (group->origin && group->origin->is_resolved))
            continue;
        RETURN_IF_FAILED(resolve_component(linker, group, "AnyHitShaderImport", group->any_hit_name,
                                           SO_SHADER_ANY_HIT, &group->any_hit));
        RETURN_IF_FAILED(resolve_component(linker, group, "ClosestHitShaderImport", group->closest_hit_name,
                                           SO_SHADER_CLOSEST_HIT, &group->closest_hit));
        RETURN_IF_FAILED(resolve_component(linker, group, "IntersectionShaderImport", group->intersection_name,
                                           SO_SHADER_INTERSECTION, &group->intersection));
    }
    return STATUS_OK;
}
