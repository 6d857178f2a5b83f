/* SPDX-License-Identifier: MIT
 * The resources a shader declares against the root signatures it runs with: each register must be defined by exactly
 * one of the global and local one, by a root argument that can hold the resource. Called for every entry point of a
 * state object and for compute pipelines. */
#include <stdio.h>

#include "d3d12/state_object_linker.h"

enum { /* DXIL::ResourceKind */
    KIND_RAW_BUFFER = 11,
    KIND_STRUCTURED_BUFFER = 12,
    KIND_CBUFFER = 13,
    KIND_ACCELERATION_STRUCTURE = 16,
    RESOURCE_FLAG_COUNTER = 2,
};

static bool fits_root_descriptor(const struct dxil_rdat_resource *resource)
{
    if (resource->flags & RESOURCE_FLAG_COUNTER)
        return false;
    return resource->kind == KIND_RAW_BUFFER || resource->kind == KIND_STRUCTURED_BUFFER ||
           resource->kind == KIND_CBUFFER || resource->kind == KIND_ACCELERATION_STRUCTURE;
}

static const char *resource_name(const struct dxil_rdat_resource *resource)
{
    return *resource->name ? resource->name : "unnamed resource";
}

static enum status check_found(const char *label, const struct dxil_rdat_resource *resource,
                               const struct dxil_binding *binding, struct reason *reason)
{
    char letter = dxil_register_letter((enum dxil_register_type)resource->register_type);
    bool unbounded = resource->upper_bound == UINT32_MAX;
    uint32_t wanted = resource->upper_bound - resource->lower_bound + 1;
    /* An unbounded array takes what the root signature has from its first register on; descriptors behind that are the
     * heap's, as everywhere in binding tier 3. */
    if (!unbounded && binding->available_count < wanted)
        return reason_set(reason, STATUS_INVALID,
                          "%s: '%s' takes registers %c%u to %u in space%u, but root parameter %u ends after %u of them",
                          label, resource_name(resource), letter, resource->lower_bound, resource->upper_bound,
                          resource->space, binding->parameter_index, binding->available_count);
    bool is_descriptor = binding->kind == DXIL_BINDING_ROOT_SRV || binding->kind == DXIL_BINDING_ROOT_UAV;
    if (is_descriptor && !fits_root_descriptor(resource))
        return reason_set(reason, STATUS_INVALID,
                          "%s: '%s' (%c%u, space%u) is bound to root descriptor %u; root descriptors take raw and "
                          "structured buffers without counter and acceleration structures only",
                          label, resource_name(resource), letter, resource->lower_bound, resource->space,
                          binding->parameter_index);
    return STATUS_OK;
}

enum status so_check_resource(const char *label, const struct dxil_rdat_resource *resource,
                              const struct dxil_root_signature *global, const struct dxil_root_signature *local,
                              struct reason *reason)
{
    enum dxil_register_type type = (enum dxil_register_type)resource->register_type;
    struct dxil_binding in_global = {0}, in_local = {0};
    bool has_global =
        global && dxil_root_signature_find(global, type, resource->space, resource->lower_bound, &in_global);
    bool has_local = local && dxil_root_signature_find(local, type, resource->space, resource->lower_bound, &in_local);
    if (!has_global && !has_local)
        return reason_set(reason, STATUS_INVALID,
                          "%s: register %c%u, space%u of '%s' is in no %s", label, dxil_register_letter(type),
                          resource->lower_bound, resource->space, resource_name(resource),
                          global && local ? "root signature, neither the global nor the local one"
                          : global        ? "root signature (there is a global one, no local one)"
                          : local         ? "root signature (there is a local one, no global one)"
                                          : "root signature (none is associated)");
    if (has_global && has_local)
        return reason_set(reason, STATUS_INVALID,
                          "%s: register %c%u, space%u of '%s' is in the global and in the local root signature", label,
                          dxil_register_letter(type), resource->lower_bound, resource->space, resource_name(resource));
    return check_found(label, resource, has_local ? &in_local : &in_global, reason);
}

/* The first register of every range and root parameter of one signature, looked up in the other; both ways, since the
 * ranges may be of different lengths. */
static bool has_register_of(const struct dxil_root_signature *a, const struct dxil_root_signature *b,
                            enum dxil_register_type *type, uint32_t *space, uint32_t *shader_register)
{
    struct dxil_binding binding;
    for (uint32_t i = 0; i < a->parameter_count; i++) {
        const struct dxil_root_parameter *parameter = &a->parameters[i];
        bool is_table = parameter->type == DXIL_ROOT_PARAMETER_TABLE;
        for (uint32_t r = 0; r < (is_table ? parameter->range_count : 1); r++) {
            const struct dxil_descriptor_range *range = is_table ? &a->ranges[parameter->first_range + r] : NULL;
            *type = range                                        ? (enum dxil_register_type)range->type
                    : parameter->type == DXIL_ROOT_PARAMETER_SRV ? DXIL_REGISTER_SRV
                    : parameter->type == DXIL_ROOT_PARAMETER_UAV ? DXIL_REGISTER_UAV
                                                                 : DXIL_REGISTER_CBV;
            *space = range ? range->space : parameter->space;
            *shader_register = range ? range->base_register : parameter->shader_register;
            if (!parameter->visibility && dxil_root_signature_find(b, *type, *space, *shader_register, &binding))
                return true;
        }
    }
    for (uint32_t i = 0; i < a->static_sampler_count; i++) {
        *type = DXIL_REGISTER_SAMPLER;
        *space = a->static_samplers[i].space;
        *shader_register = a->static_samplers[i].shader_register;
        if (!a->static_samplers[i].visibility &&
            dxil_root_signature_find(b, *type, *space, *shader_register, &binding))
            return true;
    }
    return false;
}

enum status so_check_overlap(const struct dxil_root_signature *global, const struct dxil_root_signature *local,
                             const char *export_name, struct reason *reason)
{
    enum dxil_register_type type;
    uint32_t space, shader_register;
    if (!global || !local)
        return STATUS_OK;
    if (has_register_of(global, local, &type, &space, &shader_register) ||
        has_register_of(local, global, &type, &space, &shader_register))
        return reason_set(reason, STATUS_INVALID,
                          "export '%s': register %c%u, space%u is defined by the global and by the local root signature",
                          export_name, dxil_register_letter(type), shader_register, space);
    return STATUS_OK;
}

enum status so_check_bindings(const struct so_binding_check *check, struct reason *reason)
{
    enum { RESOURCE_HEAP_INDEXING = 0x2000000, SAMPLER_HEAP_INDEXING = 0x4000000 };
    char label[320];
    snprintf(label, sizeof(label), "export '%.280s'", check->export->name);
    for (uint32_t i = 0; i < check->function->resource_count; i++) {
        const struct dxil_rdat_resource *resource =
            &check->library->rdat->resources[check->function->resources[i]];
        RETURN_IF_FAILED(so_check_resource(label, resource, check->global, check->local, reason));
    }
    uint32_t flags = check->global ? check->global->flags : 0;
    if ((check->function->feature_flags1 & RESOURCE_HEAP_INDEXING) &&
        !(flags & DXIL_ROOT_SIGNATURE_FLAG_RESOURCE_HEAP_INDEXED))
        return reason_set(reason, STATUS_INVALID,
                          "%s uses ResourceDescriptorHeap; its global root signature must have the flag "
                          "CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED",
                          label);
    if ((check->function->feature_flags1 & SAMPLER_HEAP_INDEXING) &&
        !(flags & DXIL_ROOT_SIGNATURE_FLAG_SAMPLER_HEAP_INDEXED))
        return reason_set(reason, STATUS_INVALID,
                          "%s uses SamplerDescriptorHeap; its global root signature must have the flag "
                          "SAMPLER_HEAP_DIRECTLY_INDEXED",
                          label);
    return STATUS_OK;
}
