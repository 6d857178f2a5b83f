/* SPDX-License-Identifier: MIT
 * Linking a state object: the order of the steps, what decides its flags, and small questions about exports. The steps
 * themselves are in state_object_names.c, _associate.c, _check.c and _bindings.c. */
#include "d3d12/state_object_link.h"

#include <stdlib.h>

#include "d3d12/state_object_linker.h"

const char *so_slot_name(enum so_slot slot)
{
    static const char *const names[SO_SLOT_COUNT] = {
        [SO_SLOT_STATE_OBJECT_CONFIG] = "state object config",
        [SO_SLOT_GLOBAL_ROOT_SIGNATURE] = "global root signature",
        [SO_SLOT_LOCAL_ROOT_SIGNATURE] = "local root signature",
        [SO_SLOT_NODE_MASK] = "node mask",
        [SO_SLOT_SHADER_CONFIG] = "raytracing shader config",
        [SO_SLOT_PIPELINE_CONFIG] = "raytracing pipeline config",
    };
    return slot < SO_SLOT_COUNT ? names[slot] : "subobject";
}

const char *so_shader_kind_name(uint32_t shader_kind)
{
    static const char *const names[] = {
        "pixel",          "vertex",  "geometry",    "hull", "domain",   "compute", "library function", "ray generation",
        "intersection",   "any hit", "closest hit", "miss", "callable", "mesh",    "amplification",    "node",
    };
    return shader_kind < ARRAY_COUNT(names) ? names[shader_kind] : "unknown";
}

bool so_export_is_shader(const struct so_export *export)
{
    return export->kind == SO_EXPORT_FUNCTION && export->function->shader_kind != SO_SHADER_LIBRARY;
}

bool so_export_is_entry(const struct so_export *export)
{
    if (export->kind == SO_EXPORT_HIT_GROUP)
        return true;
    uint32_t kind = export->function->shader_kind;
    return kind == SO_SHADER_RAY_GENERATION || kind == SO_SHADER_MISS || kind == SO_SHADER_CALLABLE;
}

/* The flags decide what may stay open, so they are needed before associations are resolved: those of the API's state
 * object configs, else those of the libraries'. That all match is checked with the associations. */
static void find_flags(struct so_linker *linker)
{
    const struct so_definition *found = NULL;
    for (uint32_t i = 0; i < linker->input->definition_count; i++)
        if (linker->input->definitions[i].slot == SO_SLOT_STATE_OBJECT_CONFIG)
            found = &linker->input->definitions[i];
    for (uint32_t i = 0; !found && i < linker->input->library_count; i++)
        for (uint32_t k = 0; k < linker->libraries[i].input->rdat->subobject_count; k++) {
            const struct so_definition *definition = linker->libraries[i].definitions[k];
            if (definition && definition->slot == SO_SLOT_STATE_OBJECT_CONFIG)
                found = definition;
        }
    linker->linked->flags = found ? found->values[0] : 0;
}

static enum status check_collections(const struct so_linker *linker)
{
    bool additions = linker->linked->flags & SO_FLAG_ALLOW_STATE_OBJECT_ADDITIONS;
    for (uint32_t i = 0; i < linker->input->collection_count; i++) {
        const struct so_collection_input *collection = &linker->input->collections[i];
        if (!linker->input->is_executable)
            return reason_set(linker->reason, STATUS_INVALID,
                              "subobject %u: collections cannot be made of other collections",
                              collection->subobject_index);
        if (collection->linked->is_executable)
            return reason_set(linker->reason, STATUS_INVALID,
                              "subobject %u: pExistingCollection is a raytracing pipeline, not a collection",
                              collection->subobject_index);
        if (additions && !(collection->linked->flags & SO_FLAG_ALLOW_STATE_OBJECT_ADDITIONS))
            return reason_set(linker->reason, STATUS_INVALID,
                              "subobject %u: a state object with ALLOW_STATE_OBJECT_ADDITIONS can only include "
                              "collections that have this flag",
                              collection->subobject_index);
    }
    return STATUS_OK;
}

static enum status check_growth(const struct so_linker *linker)
{
    const struct so_linked *old = linker->input->grow_from;
    if (!old)
        return STATUS_OK;
    if (!(old->flags & SO_FLAG_ALLOW_STATE_OBJECT_ADDITIONS))
        return reason_set(linker->reason, STATUS_INVALID,
                          "the state object to grow from was created without ALLOW_STATE_OBJECT_ADDITIONS");
    if (!(linker->linked->flags & SO_FLAG_ALLOW_STATE_OBJECT_ADDITIONS))
        return reason_set(linker->reason, STATUS_INVALID,
                          "the addition's state object config lacks ALLOW_STATE_OBJECT_ADDITIONS");
    return STATUS_OK;
}

static enum status check_growth_types(const struct so_linker *linker)
{
    const struct so_linked *old = linker->input->grow_from;
    if (old && (!old->is_executable || !linker->input->is_executable))
        return reason_set(linker->reason, STATUS_INVALID,
                          "only raytracing pipelines can be grown, by descriptions of raytracing pipelines");
    return STATUS_OK;
}

static enum status run_steps(struct so_linker *linker)
{
    RETURN_IF_FAILED(check_growth_types(linker));
    RETURN_IF_FAILED(so_collect_exports(linker));
    RETURN_IF_FAILED(so_collect_definitions(linker));
    find_flags(linker);
    RETURN_IF_FAILED(check_collections(linker));
    RETURN_IF_FAILED(check_growth(linker));
    RETURN_IF_FAILED(so_resolve_hit_groups(linker));
    RETURN_IF_FAILED(so_associate(linker));
    return so_check(linker);
}

enum status so_link(const struct so_input *input, struct so_linked **linked, struct reason *reason)
{
    struct so_linker linker = {.input = input, .reason = reason};
    linker.linked = calloc(1, sizeof(*linker.linked));
    if (!linker.linked)
        return STATUS_OUT_OF_MEMORY;
    linker.linked->is_executable = input->is_executable;
    enum status status = run_steps(&linker);
    if (status != STATUS_OK)
        goto fail;
    *linked = linker.linked;
    return STATUS_OK;

fail:
    so_linked_destroy(linker.linked);
    return status;
}

void so_linked_destroy(struct so_linked *linked)
{
    if (!linked)
        return;
    for (uint32_t i = 0; i < linked->root_signature_count; i++)
        dxil_root_signature_finish(linked->root_signatures[i]);
    arena_finish(&linked->arena);
    free(linked);
}
