/* SPDX-License-Identifier: MIT
 * Second step of linking a state object: which subobject is associated with which export (Raytracing.md "Subobject
 * association behavior"). Associations are applied from the strongest level to the weakest, so that one that is
 * overridden is never seen; two explicit ones of the same level that differ are a conflict. Input: definitions and
 * associations of the API and of DXIL libraries. Output: so_export.definitions. */
#include <stdio.h>
#include <string.h>

#include "d3d12/state_object_linker.h"

bool so_definition_equal(const struct so_definition *a, const struct so_definition *b)
{
    if (a == b)
        return true;
    if (a->slot != b->slot)
        return false;
    if (a->root_signature && b->root_signature)
        return a->root_signature == b->root_signature ||
               dxil_root_signature_equal(a->root_signature, b->root_signature);
    return !a->root_signature == !b->root_signature && a->values[0] == b->values[0] && a->values[1] == b->values[1];
}

static enum so_slot slot_of_kind(uint32_t kind)
{
    switch (kind) {
    case DXIL_SUBOBJECT_STATE_OBJECT_CONFIG:
        return SO_SLOT_STATE_OBJECT_CONFIG;
    case DXIL_SUBOBJECT_GLOBAL_ROOT_SIGNATURE:
        return SO_SLOT_GLOBAL_ROOT_SIGNATURE;
    case DXIL_SUBOBJECT_LOCAL_ROOT_SIGNATURE:
        return SO_SLOT_LOCAL_ROOT_SIGNATURE;
    case DXIL_SUBOBJECT_SHADER_CONFIG:
        return SO_SLOT_SHADER_CONFIG;
    case DXIL_SUBOBJECT_PIPELINE_CONFIG:
    case DXIL_SUBOBJECT_PIPELINE_CONFIG1:
        return SO_SLOT_PIPELINE_CONFIG;
    default:
        return SO_SLOT_COUNT;
    }
}

static enum status parse_root_signature(struct so_linker *linker, const struct dxil_subobject *subobject,
                                        const struct dxil_root_signature **out)
{
    struct so_linked *linked = linker->linked;
    struct reason why = {0};
    struct dxil_root_signature *signature = arena_allocate_zeroed(&linked->arena, sizeof(*signature), 8);
    if (!signature)
        return STATUS_OUT_OF_MEMORY;
    enum status status = dxil_root_signature_parse(subobject->root_signature.bytes,
                                                   subobject->root_signature.byte_count, signature, &why);
    if (status == STATUS_OUT_OF_MEMORY)
        return status;
    if (status != STATUS_OK)
        return reason_set(linker->reason, STATUS_INVALID, "root signature '%s' of a DXIL library: %s",
                          subobject->name, why.text);
    linked->root_signatures[linked->root_signature_count++] = signature;
    *out = signature;
    return STATUS_OK;
}

static enum status define(struct so_linker *linker, const struct dxil_subobject *subobject,
                          struct so_definition **out)
{
    enum so_slot slot = slot_of_kind(subobject->kind);
    if (slot == SO_SLOT_COUNT)
        return STATUS_OK;
    struct so_definition *definition = arena_allocate_zeroed(&linker->linked->arena, sizeof(*definition), 8);
    if (!definition)
        return STATUS_OUT_OF_MEMORY;
    definition->slot = slot;
    definition->label = subobject->name;
    if (slot == SO_SLOT_GLOBAL_ROOT_SIGNATURE || slot == SO_SLOT_LOCAL_ROOT_SIGNATURE) {
        RETURN_IF_FAILED(parse_root_signature(linker, subobject, &definition->root_signature));
    } else if (slot == SO_SLOT_STATE_OBJECT_CONFIG) {
        definition->values[0] = subobject->state_object_flags;
    } else if (slot == SO_SLOT_SHADER_CONFIG) {
        definition->values[0] = subobject->shader_config.max_payload_bytes;
        definition->values[1] = subobject->shader_config.max_attribute_bytes;
    } else {
        definition->values[0] = subobject->pipeline_config.max_recursion_depth;
        definition->values[1] = subobject->pipeline_config.flags;
    }
    *out = definition;
    return STATUS_OK;
}

enum status so_collect_definitions(struct so_linker *linker)
{
    size_t subobject_count = 0;
    for (uint32_t i = 0; i < linker->input->library_count; i++)
        subobject_count += linker->libraries[i].input->rdat->subobject_count;
    linker->linked->root_signatures =
        arena_allocate_zeroed(&linker->linked->arena, (subobject_count + 1) * sizeof(void *), 8);
    if (!linker->linked->root_signatures)
        return STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < linker->input->library_count; i++) {
        struct so_library_scope *scope = &linker->libraries[i];
        for (uint32_t k = 0; k < scope->input->rdat->subobject_count; k++)
            if (scope->subobject_included[k])
                RETURN_IF_FAILED(define(linker, &scope->input->rdat->subobjects[k], &scope->definitions[k]));
    }
    return STATUS_OK;
}

static const struct so_definition *find_in_scope(const struct so_library_scope *scope, const char *name)
{
    for (uint32_t i = 0; i < scope->input->rdat->subobject_count; i++)
        if (scope->definitions[i] && !strcmp(scope->input->rdat->subobjects[i].name, name))
            return scope->definitions[i];
    return NULL;
}

/* A subobject of a library by name: the library's own first (preferred may be NULL), then any other. */
static enum status find_library_definition(const struct so_linker *linker, const struct so_library_scope *preferred,
                                           const char *name, const struct so_definition **found)
{
    *found = preferred ? find_in_scope(preferred, name) : NULL;
    if (*found)
        return STATUS_OK;
    for (uint32_t i = 0; i < linker->input->library_count; i++) {
        const struct so_definition *candidate = find_in_scope(&linker->libraries[i], name);
        if (candidate && *found && !so_definition_equal(candidate, *found))
            return reason_set(linker->reason, STATUS_INVALID,
                              "association with '%s': several DXIL libraries define it differently", name);
        *found = candidate ? candidate : *found;
    }
    return STATUS_OK;
}

static enum status conflict(const struct so_linker *linker, const struct so_export *export,
                            const struct so_definition *a, const struct so_definition *b, const char *why)
{
    return reason_set(linker->reason, STATUS_INVALID, "export '%s' is associated with two different %ss, '%s' and '%s'%s",
                      export->name, so_slot_name(a->slot), a->label, b->label, why);
}

static enum status assign(const struct so_linker *linker, struct so_export *export,
                          const struct so_definition *definition, enum so_level level)
{
    enum so_slot slot = definition->slot;
    const struct so_definition *old = export->definitions[slot];
    bool is_explicit = level == SO_LEVEL_OBJECT_EXPLICIT || level == SO_LEVEL_LIBRARY_EXPLICIT;
    if (!old) {
        export->definitions[slot] = definition;
        export->levels[slot] = (uint8_t)level;
        return STATUS_OK;
    }
    if (!is_explicit || so_definition_equal(old, definition))
        return STATUS_OK;
    if (export->levels[slot] == SO_LEVEL_INHERITED && slot != SO_SLOT_STATE_OBJECT_CONFIG)
        return conflict(linker, export, old, definition, "; what a collection associates cannot be overridden");
    if (export->levels[slot] == (uint8_t)level)
        return conflict(linker, export, old, definition, "");
    return STATUS_OK;
}

/* Apply one explicit association. where: for messages. must_exist: the names must be exports. */
struct explicit_association {
    uint32_t subobject_index;
    const struct so_definition *definition;
    const char *const *exports;
    uint32_t export_count;
    enum so_level level;
    bool must_exist;
    const char *where;
};

/* Remember what an open collection associates beyond itself. */
static enum status add_pending(const struct so_linker *linker, const struct so_pending *pending)
{
    struct so_linked *linked = linker->linked;
    if ((linked->pending_count & (linked->pending_count - 1)) == 0) { /* grow at powers of two */
        uint32_t capacity = linked->pending_count ? linked->pending_count * 2 : 1;
        struct so_pending *grown = arena_allocate(&linked->arena, capacity * sizeof(*grown), 8);
        if (!grown)
            return STATUS_OUT_OF_MEMORY;
        if (linked->pending_count)
            memcpy(grown, linked->pending, linked->pending_count * sizeof(*grown));
        linked->pending = grown;
    }
    linked->pending[linked->pending_count++] = *pending;
    return STATUS_OK;
}

static enum status apply_explicit(const struct so_linker *linker, const struct explicit_association *association)
{
    for (uint32_t i = 0; i < association->export_count; i++) {
        bool is_ambiguous;
        const char *name = association->exports[i];
        if (!name)
            return reason_set(linker->reason, STATUS_INVALID, "%s: export name %u is NULL", association->where, i);
        struct so_export *export = so_linked_find(linker->linked, name, &is_ambiguous);
        if (is_ambiguous)
            return reason_set(linker->reason, STATUS_INVALID,
                              "%s: '%s' names overloaded functions; give the mangled name", association->where, name);
        if (export)
            RETURN_IF_FAILED(assign(linker, export, association->definition, association->level));
        else if (association->must_exist)
            return reason_set(linker->reason, STATUS_INVALID,
                              "%s associates %s '%s' with '%s', which the state object does not export",
                              association->where, so_slot_name(association->definition->slot),
                              association->definition->label, name);
        else if (association->level == SO_LEVEL_OBJECT_EXPLICIT)
            RETURN_IF_FAILED(add_pending(linker, &(struct so_pending){association->subobject_index,
                                                                      association->definition, NULL, name}));
    }
    return STATUS_OK;
}

/* The definition of an API association; NULL: a name that is not defined yet, allowed in open collections. */
static enum status api_definition(const struct so_linker *linker, const struct so_association_input *input,
                                  const struct so_definition **definition)
{
    *definition = input->definition;
    if (*definition)
        return STATUS_OK;
    RETURN_IF_FAILED(find_library_definition(linker, NULL, input->dxil_name, definition));
    bool may_be_open = !linker->input->is_executable &&
                       (linker->linked->flags & SO_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS);
    if (!*definition && !may_be_open)
        return reason_set(linker->reason, STATUS_INVALID,
                          "subobject %u: the DXIL subobject '%s' to associate is in no DXIL library of the state object",
                          input->subobject_index, input->dxil_name);
    return STATUS_OK;
}

static enum status leave_open(const struct so_linker *linker, const struct so_association_input *input)
{
    struct so_pending pending = {input->subobject_index, NULL, input->dxil_name, NULL};
    if (!input->export_count)
        return add_pending(linker, &pending);
    for (uint32_t i = 0; i < input->export_count; i++) {
        pending.export = input->exports[i];
        RETURN_IF_FAILED(add_pending(linker, &pending));
    }
    return STATUS_OK;
}

static enum status apply_api_explicit(const struct so_linker *linker)
{
    bool may_name_others = !linker->input->is_executable &&
                           (linker->linked->flags & SO_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS);
    for (uint32_t i = 0; i < linker->input->association_count; i++) {
        const struct so_association_input *input = &linker->input->associations[i];
        char where[64];
        const struct so_definition *definition;
        RETURN_IF_FAILED(api_definition(linker, input, &definition));
        snprintf(where, sizeof(where), "subobject %u", input->subobject_index);
        struct explicit_association association = {input->subobject_index,   definition,
                                                   input->exports,           input->export_count,
                                                   SO_LEVEL_OBJECT_EXPLICIT, !may_name_others, where};
        RETURN_IF_FAILED(definition ? apply_explicit(linker, &association) : leave_open(linker, input));
    }
    return STATUS_OK;
}

/* An open collection names a subobject that only a later library defines. */
static enum status apply_pending_default(const struct so_linker *linker, const struct so_linked *collection,
                                         const struct so_definition *definition)
{
    for (uint32_t i = 0; i < linker->linked->export_count; i++) {
        struct so_export *export = &linker->linked->exports[i];
        bool is_candidate = export->origin && export->home == collection &&
                            (export->kind == SO_EXPORT_HIT_GROUP || so_export_is_shader(export));
        if (!is_candidate || export->definitions[definition->slot])
            continue;
        export->definitions[definition->slot] = definition;
        export->levels[definition->slot] = SO_LEVEL_OBJECT_DEFAULT;
    }
    return STATUS_OK;
}

static enum status apply_pending(const struct so_linker *linker, const struct so_linked *collection,
                                 const struct so_pending *pending)
{
    const struct so_definition *definition = pending->definition;
    if (!definition)
        RETURN_IF_FAILED(find_library_definition(linker, NULL, pending->dxil_name, &definition));
    if (!definition)
        return reason_set(linker->reason, STATUS_INVALID,
                          "subobject %u of an included collection: the DXIL subobject '%s' to associate is in no DXIL "
                          "library of the state object",
                          pending->subobject_index, pending->dxil_name);
    if (!pending->export)
        return apply_pending_default(linker, collection, definition);
    char where[80];
    snprintf(where, sizeof(where), "subobject %u of an included collection", pending->subobject_index);
    struct explicit_association association = {pending->subobject_index, definition, &pending->export, 1,
                                               SO_LEVEL_OBJECT_EXPLICIT, true, where};
    return apply_explicit(linker, &association);
}

static enum status apply_collections(const struct so_linker *linker)
{
    for (uint32_t i = 0; i < linker->input->collection_count; i++) {
        const struct so_linked *collection = linker->input->collections[i].linked;
        for (uint32_t k = 0; k < collection->pending_count; k++)
            RETURN_IF_FAILED(apply_pending(linker, collection, &collection->pending[k]));
    }
    return STATUS_OK;
}

static bool api_mentions(const struct so_linker *linker, const struct so_definition *definition)
{
    for (uint32_t i = 0; i < linker->input->association_count; i++)
        if (linker->input->associations[i].definition == definition)
            return true;
    return false;
}

/* Defaults of one scope: an explicit default association wins over subobjects that nothing mentions; several of the
 * latter that differ cancel each other out. */
struct scope_defaults {
    const struct so_definition *declared[SO_SLOT_COUNT];
    const struct so_definition *implicit[SO_SLOT_COUNT];
    bool is_ambiguous[SO_SLOT_COUNT];
};

static enum status declare_default(const struct so_linker *linker, struct scope_defaults *defaults,
                                   const struct so_definition *definition)
{
    const struct so_definition **slot = &defaults->declared[definition->slot];
    if (*slot && !so_definition_equal(*slot, definition))
        return reason_set(linker->reason, STATUS_INVALID,
                          "two different %ss, '%s' and '%s', are both associated by default (empty export lists)",
                          so_slot_name(definition->slot), (*slot)->label, definition->label);
    *slot = definition;
    return STATUS_OK;
}

static void add_implicit(struct scope_defaults *defaults, const struct so_definition *definition)
{
    const struct so_definition **slot = &defaults->implicit[definition->slot];
    if (*slot && !so_definition_equal(*slot, definition))
        defaults->is_ambiguous[definition->slot] = true;
    *slot = definition;
}

/* Default associations reach shaders and hit groups; plain functions run under what their caller has. */
static void apply_default(struct so_export *export, const struct scope_defaults *defaults, enum so_level implicit_level,
                          enum so_level declared_level)
{
    if (export->kind == SO_EXPORT_FUNCTION && !so_export_is_shader(export))
        return;
    for (uint32_t slot = 0; slot < SO_SLOT_COUNT; slot++) {
        const struct so_definition *definition = defaults->declared[slot];
        enum so_level level = declared_level;
        if (!definition && !defaults->is_ambiguous[slot]) {
            definition = defaults->implicit[slot];
            level = implicit_level;
        }
        if (!definition || export->definitions[slot])
            continue;
        export->definitions[slot] = definition;
        export->levels[slot] = (uint8_t)level;
    }
}

static enum status apply_api_defaults(struct so_linker *linker)
{
    struct scope_defaults defaults = {0};
    for (uint32_t i = 0; i < linker->input->association_count; i++) {
        const struct so_definition *definition;
        RETURN_IF_FAILED(api_definition(linker, &linker->input->associations[i], &definition));
        if (definition && !linker->input->associations[i].export_count)
            RETURN_IF_FAILED(declare_default(linker, &defaults, definition));
    }
    for (uint32_t i = 0; i < linker->input->definition_count; i++)
        if (!api_mentions(linker, &linker->input->definitions[i]))
            add_implicit(&defaults, &linker->input->definitions[i]);
    for (uint32_t i = 0; i < linker->linked->export_count; i++)
        apply_default(&linker->linked->exports[i], &defaults, SO_LEVEL_OBJECT_IMPLICIT, SO_LEVEL_OBJECT_DEFAULT);
    for (uint32_t slot = 0; slot < SO_SLOT_COUNT; slot++) {
        bool is_declared = defaults.declared[slot];
        linker->is_default_ambiguous[slot] |= !is_declared && defaults.is_ambiguous[slot];
        linker->object_defaults[slot] = is_declared                   ? defaults.declared[slot]
                                        : defaults.is_ambiguous[slot] ? NULL
                                                                      : defaults.implicit[slot];
    }
    return STATUS_OK;
}

static bool is_association(const struct so_library_scope *scope, uint32_t index)
{
    return scope->subobject_included[index] &&
           scope->input->rdat->subobjects[index].kind == DXIL_SUBOBJECT_EXPORTS_ASSOCIATION;
}

static enum status library_association_definition(const struct so_linker *linker, const struct so_library_scope *scope,
                                                  const struct dxil_subobject *subobject,
                                                  const struct so_definition **definition)
{
    RETURN_IF_FAILED(find_library_definition(linker, scope, subobject->association.subobject, definition));
    if (!*definition && linker->input->is_executable && scope->exports_all)
        return reason_set(linker->reason, STATUS_INVALID,
                          "association '%s' of a DXIL library: no subobject '%s' is in the state object",
                          subobject->name, subobject->association.subobject);
    return STATUS_OK;
}

static enum status apply_library_explicit(const struct so_linker *linker, const struct so_library_scope *scope)
{
    for (uint32_t i = 0; i < scope->input->rdat->subobject_count; i++) {
        const struct dxil_subobject *subobject = &scope->input->rdat->subobjects[i];
        const struct so_definition *definition;
        if (!is_association(scope, i))
            continue;
        RETURN_IF_FAILED(library_association_definition(linker, scope, subobject, &definition));
        char where[160];
        snprintf(where, sizeof(where), "association '%.100s' of a DXIL library", subobject->name);
        struct explicit_association association = {0,
                                                   definition,
                                                   subobject->association.exports,
                                                   subobject->association.export_count,
                                                   SO_LEVEL_LIBRARY_EXPLICIT,
                                                   linker->input->is_executable && scope->exports_all,
                                                   where};
        if (definition)
            RETURN_IF_FAILED(apply_explicit(linker, &association));
    }
    return STATUS_OK;
}

static bool library_mentions(const struct so_library_scope *scope, const char *name)
{
    for (uint32_t i = 0; i < scope->input->rdat->subobject_count; i++)
        if (is_association(scope, i) && !strcmp(scope->input->rdat->subobjects[i].association.subobject, name))
            return true;
    return false;
}

static enum status apply_library_defaults(struct so_linker *linker, const struct so_library_scope *scope)
{
    struct scope_defaults defaults = {0};
    const struct dxil_rdat *rdat = scope->input->rdat;
    for (uint32_t i = 0; i < rdat->subobject_count; i++) {
        const struct so_definition *definition = scope->definitions[i];
        if (definition && !library_mentions(scope, rdat->subobjects[i].name))
            add_implicit(&defaults, definition);
        if (!is_association(scope, i) || rdat->subobjects[i].association.export_count)
            continue;
        RETURN_IF_FAILED(library_association_definition(linker, scope, &rdat->subobjects[i], &definition));
        if (definition)
            RETURN_IF_FAILED(declare_default(linker, &defaults, definition));
    }
    for (uint32_t i = 0; i < linker->linked->export_count; i++)
        if (linker->linked->exports[i].library == scope->input && !linker->linked->exports[i].origin)
            apply_default(&linker->linked->exports[i], &defaults, SO_LEVEL_LIBRARY_IMPLICIT, SO_LEVEL_LIBRARY_DEFAULT);
    for (uint32_t slot = 0; slot < SO_SLOT_COUNT; slot++)
        linker->is_default_ambiguous[slot] |= !defaults.declared[slot] && defaults.is_ambiguous[slot];
    return STATUS_OK;
}

/* "If both a hit group has an association and its component shaders have associations, they must match. If a hit group
 * doesn't have a particular subobject association, the associations for all component shaders must match." A default
 * yields to an explicit association of another member: the strongest level counts. */
static enum status merge_slot(const struct so_linker *linker, struct so_export *group, enum so_slot slot)
{
    const struct so_export *members[4] = {group, group->any_hit, group->closest_hit, group->intersection};
    const struct so_export *best = NULL;
    for (uint32_t i = 0; i < 4; i++)
        if (members[i] && members[i]->definitions[slot] && (!best || members[i]->levels[slot] > best->levels[slot]) &&
            (slot != SO_SLOT_STATE_OBJECT_CONFIG || members[i]->home == linker->linked))
            best = members[i];
    for (uint32_t i = 0; best && i < 4; i++) {
        const struct so_export *member = members[i];
        if (!member || !member->definitions[slot] || so_definition_equal(member->definitions[slot], best->definitions[slot]))
            continue;
        bool both_explicit = best->levels[slot] >= SO_LEVEL_OBJECT_EXPLICIT && member->levels[slot] >= SO_LEVEL_OBJECT_EXPLICIT;
        if (member->levels[slot] == best->levels[slot] || both_explicit)
            return reason_set(linker->reason, STATUS_INVALID,
                              "hit group '%s': '%s' and '%s' are associated with different %ss, '%s' and '%s'; a hit "
                              "group and its shaders must match",
                              group->name, best->name, member->name, so_slot_name(slot),
                              best->definitions[slot]->label, member->definitions[slot]->label);
    }
    if (best) {
        group->levels[slot] = best->levels[slot];
        group->definitions[slot] = best->definitions[slot];
    }
    return STATUS_OK;
}

static enum status merge_hit_groups(const struct so_linker *linker)
{
    for (uint32_t i = 0; i < linker->linked->export_count; i++) {
        struct so_export *group = &linker->linked->exports[i];
        if (group->kind != SO_EXPORT_HIT_GROUP || (group->origin && group->origin->is_resolved))
            continue;
        for (uint32_t slot = 0; slot < SO_SLOT_COUNT; slot++)
            RETURN_IF_FAILED(merge_slot(linker, group, (enum so_slot)slot));
    }
    return STATUS_OK;
}

enum status so_associate(struct so_linker *linker)
{
    RETURN_IF_FAILED(apply_api_explicit(linker));
    RETURN_IF_FAILED(apply_collections(linker));
    RETURN_IF_FAILED(apply_api_defaults(linker));
    for (uint32_t i = 0; i < linker->input->library_count; i++)
        RETURN_IF_FAILED(apply_library_explicit(linker, &linker->libraries[i]));
    for (uint32_t i = 0; i < linker->input->library_count; i++)
        RETURN_IF_FAILED(apply_library_defaults(linker, &linker->libraries[i]));
    return merge_hit_groups(linker);
}
