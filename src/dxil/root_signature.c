/* SPDX-License-Identifier: MIT
 * Life, comparison and lookup of root signature descriptions. Parsing, checking and writing are in the files beside
 * this one; d3d12/ and jit/ call the functions here on checked descriptions only. */
#include "dxil/root_signature.h"

#include <stdlib.h>
#include <string.h>

void dxil_root_signature_finish(struct dxil_root_signature *signature)
{
    free(signature->parameters);
    free(signature->ranges);
    free(signature->static_samplers);
    *signature = (struct dxil_root_signature){0};
}

static void *copy_array(const void *source, size_t count, size_t element_bytes)
{
    void *copy = count ? malloc(count * element_bytes) : NULL;
    if (copy)
        memcpy(copy, source, count * element_bytes);
    return copy;
}

enum status dxil_root_signature_copy(const struct dxil_root_signature *source, struct dxil_root_signature *copy)
{
    struct dxil_root_signature result = *source;
    result.parameters = copy_array(source->parameters, source->parameter_count, sizeof(*source->parameters));
    result.ranges = copy_array(source->ranges, source->range_count, sizeof(*source->ranges));
    result.static_samplers =
        copy_array(source->static_samplers, source->static_sampler_count, sizeof(*source->static_samplers));
    if ((source->parameter_count && !result.parameters) || (source->range_count && !result.ranges) ||
        (source->static_sampler_count && !result.static_samplers)) {
        dxil_root_signature_finish(&result);
        return STATUS_OUT_OF_MEMORY;
    }
    *copy = result;
    return STATUS_OK;
}

static bool ranges_equal(const struct dxil_descriptor_range *a, const struct dxil_descriptor_range *b)
{
    return a->type == b->type && a->descriptor_count == b->descriptor_count &&
           a->base_register == b->base_register && a->space == b->space && a->flags == b->flags &&
           a->resolved_table_offset == b->resolved_table_offset;
}

bool dxil_root_signature_equal(const struct dxil_root_signature *a, const struct dxil_root_signature *b)
{
    if (a->flags != b->flags || a->parameter_count != b->parameter_count || a->range_count != b->range_count ||
        a->static_sampler_count != b->static_sampler_count)
        return false;
    if (a->parameter_count && memcmp(a->parameters, b->parameters, a->parameter_count * sizeof(*a->parameters)))
        return false;
    for (uint32_t i = 0; i < a->range_count; i++)
        if (!ranges_equal(&a->ranges[i], &b->ranges[i]))
            return false;
    return !a->static_sampler_count ||
           !memcmp(a->static_samplers, b->static_samplers, a->static_sampler_count * sizeof(*a->static_samplers));
}

static uint64_t hash_words(uint64_t hash, const void *words, size_t word_count)
{
    for (size_t i = 0; i < word_count; i++) {
        uint32_t word;
        memcpy(&word, (const uint8_t *)words + i * 4, 4);
        hash = (hash ^ word) * 0x100000001b3u; /* FNV-1a over words, then folded to reach the low bits */
        hash ^= hash >> 29;
    }
    return hash;
}

uint64_t dxil_root_signature_hash(const struct dxil_root_signature *signature)
{
    uint32_t head[3] = {signature->flags, signature->parameter_count, signature->static_sampler_count};
    uint64_t hash = hash_words(0xcbf29ce484222325u, head, 3);
    hash = hash_words(hash, signature->parameters,
                      signature->parameter_count * sizeof(*signature->parameters) / 4);
    for (uint32_t i = 0; i < signature->range_count; i++) {
        struct dxil_descriptor_range range = signature->ranges[i];
        range.table_offset = 0; /* appended or explicit: the resolved offset counts */
        hash = hash_words(hash, &range, sizeof(range) / 4);
    }
    return hash_words(hash, signature->static_samplers,
                      signature->static_sampler_count * sizeof(*signature->static_samplers) / 4);
}

char dxil_register_letter(enum dxil_register_type type)
{
    static const char letters[] = "tubs";
    return (uint32_t)type < 4 ? letters[type] : '?';
}

static uint32_t upgraded_range_flags(const struct dxil_descriptor_range *range)
{
    if (range->type == DXIL_REGISTER_SAMPLER)
        return DXIL_RANGE_FLAG_DESCRIPTORS_VOLATILE;
    return DXIL_RANGE_FLAG_DESCRIPTORS_VOLATILE | DXIL_RANGE_FLAG_DATA_VOLATILE;
}

static bool is_root_descriptor(const struct dxil_root_parameter *parameter)
{
    return parameter->type >= DXIL_ROOT_PARAMETER_CBV && parameter->type <= DXIL_ROOT_PARAMETER_UAV;
}

void dxil_root_signature_convert(struct dxil_root_signature *signature, uint32_t version)
{
    bool was_1_0 = signature->version == DXIL_ROOT_SIGNATURE_VERSION_1_0;
    bool is_1_0 = version == DXIL_ROOT_SIGNATURE_VERSION_1_0;
    if (was_1_0 != is_1_0) {
        for (uint32_t i = 0; i < signature->range_count; i++)
            signature->ranges[i].flags = is_1_0 ? 0 : upgraded_range_flags(&signature->ranges[i]);
        for (uint32_t i = 0; i < signature->parameter_count; i++)
            if (is_root_descriptor(&signature->parameters[i]))
                signature->parameters[i].flags = is_1_0 ? 0 : DXIL_RANGE_FLAG_DATA_VOLATILE;
    }
    if (version < DXIL_ROOT_SIGNATURE_VERSION_1_2)
        for (uint32_t i = 0; i < signature->static_sampler_count; i++)
            signature->static_samplers[i].flags = 0;
    signature->version = version;
}

static bool find_in_table(const struct dxil_root_signature *signature, const struct dxil_root_parameter *parameter,
                          enum dxil_register_type type, uint32_t space, uint32_t shader_register,
                          struct dxil_binding *binding)
{
    for (uint32_t i = 0; i < parameter->range_count; i++) {
        const struct dxil_descriptor_range *range = &signature->ranges[parameter->first_range + i];
        if (range->type != (uint32_t)type || range->space != space || shader_register < range->base_register)
            continue;
        uint32_t within = shader_register - range->base_register;
        bool unbounded = range->descriptor_count == DXIL_UNBOUNDED;
        if (!unbounded && within >= range->descriptor_count)
            continue;
        binding->kind = DXIL_BINDING_TABLE;
        binding->table_offset = range->resolved_table_offset + within;
        binding->available_count = unbounded ? DXIL_UNBOUNDED : range->descriptor_count - within;
        binding->flags = range->flags;
        return true;
    }
    return false;
}

static bool find_in_root(const struct dxil_root_parameter *parameter, enum dxil_register_type type, uint32_t space,
                         uint32_t shader_register, struct dxil_binding *binding)
{
    static const struct {
        enum dxil_register_type type;
        enum dxil_binding_kind kind;
    } rows[] = {
        [DXIL_ROOT_PARAMETER_CONSTANTS] = {DXIL_REGISTER_CBV, DXIL_BINDING_CONSTANTS},
        [DXIL_ROOT_PARAMETER_CBV] = {DXIL_REGISTER_CBV, DXIL_BINDING_ROOT_CBV},
        [DXIL_ROOT_PARAMETER_SRV] = {DXIL_REGISTER_SRV, DXIL_BINDING_ROOT_SRV},
        [DXIL_ROOT_PARAMETER_UAV] = {DXIL_REGISTER_UAV, DXIL_BINDING_ROOT_UAV},
    };
    if (rows[parameter->type].type != type || parameter->space != space ||
        parameter->shader_register != shader_register)
        return false;
    binding->kind = rows[parameter->type].kind;
    binding->available_count = 1;
    binding->constant_count = parameter->constant_count;
    binding->flags = parameter->flags;
    return true;
}

static bool find_static_sampler(const struct dxil_root_signature *signature, uint32_t space,
                                uint32_t shader_register, struct dxil_binding *binding)
{
    for (uint32_t i = 0; i < signature->static_sampler_count; i++) {
        const struct dxil_static_sampler *sampler = &signature->static_samplers[i];
        if (sampler->visibility || sampler->space != space || sampler->shader_register != shader_register)
            continue;
        binding->kind = DXIL_BINDING_STATIC_SAMPLER;
        binding->static_sampler_index = i;
        binding->available_count = 1;
        return true;
    }
    return false;
}

bool dxil_root_signature_find(const struct dxil_root_signature *signature, enum dxil_register_type type,
                              uint32_t space, uint32_t shader_register, struct dxil_binding *binding)
{
    *binding = (struct dxil_binding){0};
    for (uint32_t i = 0; i < signature->parameter_count; i++) {
        const struct dxil_root_parameter *parameter = &signature->parameters[i];
        if (parameter->visibility) /* compute and raytracing see ALL only */
            continue;
        bool found = parameter->type == DXIL_ROOT_PARAMETER_TABLE
                         ? find_in_table(signature, parameter, type, space, shader_register, binding)
                         : find_in_root(parameter, type, space, shader_register, binding);
        if (!found)
            continue;
        binding->parameter_index = i;
        binding->argument_offset = parameter->argument_offset;
        return true;
    }
    return type == DXIL_REGISTER_SAMPLER && find_static_sampler(signature, space, shader_register, binding);
}
