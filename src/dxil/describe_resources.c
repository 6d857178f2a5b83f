/* SPDX-License-Identifier: MIT
 * The resource lists of a module (dx.resources): one record a range of registers. See describe.h. */
#include <string.h>

#include "dxil/describe.h"

/* Operands that all records share; from 6 on each class has its own. */
enum {
    FIELD_ID = 0,
    FIELD_SYMBOL = 1,
    FIELD_NAME = 2,
    FIELD_SPACE = 3,
    FIELD_LOWER_BOUND = 4,
    FIELD_RANGE = 5,
    FIELD_KIND = 6, /* shape of SRV and UAV, bytes of CBV, kind of sampler */
};

enum extended_tag {
    EXTENDED_ELEMENT_TYPE = 0,
    EXTENDED_STRIDE = 1,
    EXTENDED_ATOMICS64 = 3,
    EXTENDED_REORDER_COHERENT = 4,
};

enum { RESOURCES_MAX = 65536, CBUFFER_MAX_BYTES = 1 << 20 };

/* The variable behind a symbol operand: itself, or through a cast; NULL for undef. */
static const struct ir_global *symbol_global(struct ir_reader *r, const struct ir_metadata *symbol)
{
    if (!symbol || symbol->kind != IR_METADATA_VALUE)
        return NULL;
    const struct ir_value *value = &r->values[symbol->value];
    for (int guard = 0; value->kind == IR_VALUE_EXPRESSION && guard < 4; guard++) {
        enum { CONSTANT_CAST = 11 };
        struct ir_record record = reader_record(r, value->index);
        if (record.item->code != CONSTANT_CAST)
            return NULL;
        value = &r->values[record.operands[2]];
    }
    return value->kind == IR_VALUE_GLOBAL ? &r->globals[value->index] : NULL;
}

static bool read_flag(struct ir_reader *r, const struct ir_metadata *node, uint32_t index, const char *what, bool *flag)
{
    uint64_t integer;
    if (!metadata_integer_at(r, node, index, 1, what, &integer))
        return false;
    *flag = integer != 0;
    return true;
}

static bool read_extended(struct ir_reader *r, const struct ir_metadata *list, struct dxil_resource *resource)
{
    if (!list)
        return true;
    if (list->kind != IR_METADATA_NODE || list->count % 2)
        return reader_corrupt(r, "malformed properties of the resource '%s'", resource->name);
    for (uint32_t i = 0; i < list->count; i += 2) {
        uint64_t tag, value = 0;
        if (!metadata_integer_at(r, list, i, UINT32_MAX, "tag of a resource property", &tag))
            return false;
        metadata_integer(r, metadata_operand(r, list, i + 1), &value);
        if (tag == EXTENDED_ELEMENT_TYPE && value > DXIL_COMPONENT_TYPE_PACKED_U8X32)
            return reader_corrupt(r, "resource '%s' has the unknown element type %llu", resource->name,
                                  (unsigned long long)value);
        if (tag == EXTENDED_ELEMENT_TYPE)
            resource->component_type = (enum dxil_component_type)value;
        else if (tag == EXTENDED_STRIDE)
            resource->stride_bytes = (uint32_t)value;
        else if (tag == EXTENDED_ATOMICS64)
            resource->atomics64 = value != 0;
        else if (tag == EXTENDED_REORDER_COHERENT)
            resource->reorder_coherent = value != 0;
    }
    return true;
}

static bool read_shape(struct ir_reader *r, const struct ir_metadata *node, struct dxil_resource *resource)
{
    uint64_t kind;
    if (!metadata_integer_at(r, node, FIELD_KIND, DXIL_RESOURCE_KIND_FEEDBACKTEXTURE2DARRAY, "shape of a resource", &kind))
        return false;
    if (kind == DXIL_RESOURCE_KIND_INVALID)
        return reader_corrupt(r, "resource '%s' has no shape", resource->name);
    if (kind >= DXIL_RESOURCE_KIND_FEEDBACKTEXTURE2D)
        return reader_fail(r, STATUS_UNSUPPORTED, "resource '%s' is a sampler feedback texture, which is not supported",
                           resource->name);
    resource->kind = (enum dxil_resource_kind)kind;
    return true;
}

static bool read_class_fields(struct ir_reader *r, const struct ir_metadata *node, struct dxil_resource *resource)
{
    uint64_t integer;
    switch (resource->resource_class) {
    case DXIL_RESOURCE_CLASS_SRV:
        if (!read_shape(r, node, resource) || !metadata_integer_at(r, node, 7, 128, "sample count", &integer))
            return false;
        resource->sample_count = (uint32_t)integer;
        return read_extended(r, metadata_operand(r, node, 8), resource);
    case DXIL_RESOURCE_CLASS_UAV:
        return read_shape(r, node, resource) &&
               read_flag(r, node, 7, "globallycoherent flag", &resource->globally_coherent) &&
               read_flag(r, node, 8, "counter flag", &resource->has_counter) &&
               read_flag(r, node, 9, "rasterizer-ordered flag", &resource->rasterizer_ordered) &&
               read_extended(r, metadata_operand(r, node, 10), resource);
    case DXIL_RESOURCE_CLASS_CBV:
        if (!metadata_integer_at(r, node, FIELD_KIND, CBUFFER_MAX_BYTES, "size of a constant buffer", &integer))
            return false;
        resource->kind = DXIL_RESOURCE_KIND_CBUFFER;
        resource->cbuffer_bytes = (uint32_t)integer;
        return true;
    case DXIL_RESOURCE_CLASS_SAMPLER:
        if (!metadata_integer_at(r, node, FIELD_KIND, 2, "kind of a sampler", &integer))
            return false;
        resource->kind = DXIL_RESOURCE_KIND_SAMPLER;
        resource->sampler_kind = (uint32_t)integer;
        return true;
    }
    return false;
}

static bool copy_names(struct ir_reader *r, const struct ir_metadata *node, struct dxil_resource *resource)
{
    const char *name = metadata_text(metadata_operand(r, node, FIELD_NAME));
    const struct ir_global *global = symbol_global(r, metadata_operand(r, node, FIELD_SYMBOL));
    resource->name = arena_copy_text(r->output, name ? name : "");
    resource->symbol = global && global->name ? arena_copy_text(r->output, global->name) : NULL;
    if (!resource->name || (global && global->name && !resource->symbol))
        return reader_fail(r, STATUS_OUT_OF_MEMORY, "out of memory describing a DXIL module");
    return true;
}

static bool read_resource(struct ir_reader *r, const struct ir_metadata *node, struct dxil_resource *resource)
{
    uint64_t id, space, lower_bound, range;
    if (!copy_names(r, node, resource))
        return false;
    if (!metadata_integer_at(r, node, FIELD_ID, UINT32_MAX, "id of a resource", &id) ||
        !metadata_integer_at(r, node, FIELD_SPACE, UINT32_MAX, "space of a resource", &space) ||
        !metadata_integer_at(r, node, FIELD_LOWER_BOUND, UINT32_MAX, "register of a resource", &lower_bound) ||
        !metadata_integer_at(r, node, FIELD_RANGE, UINT32_MAX, "range of a resource", &range))
        return false;
    /* 0xffffffff as lower bound: not allocated, as in a library that leaves registers to the linker. */
    bool unbounded = range == DXIL_RANGE_UNBOUNDED;
    if (range == 0 || (!unbounded && lower_bound != UINT32_MAX && lower_bound + range - 1 > UINT32_MAX))
        return reader_corrupt(r, "resource '%s' has the impossible range of %llu registers from %llu", resource->name,
                              (unsigned long long)range, (unsigned long long)lower_bound);
    resource->range_id = (uint32_t)id;
    resource->space = (uint32_t)space;
    resource->lower_bound = (uint32_t)lower_bound;
    resource->range_count = (uint32_t)range;
    return read_class_fields(r, node, resource);
}

static bool count_resources(struct ir_reader *r, const struct ir_metadata *node, uint32_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const struct ir_metadata *list = metadata_operand(r, node, i);
        if (!list)
            continue;
        if (list->kind != IR_METADATA_NODE || list->count > RESOURCES_MAX)
            return reader_corrupt(r, "malformed list of resources in the DXIL module");
        *count += list->count;
    }
    return true;
}

static bool ids_are_ordered(const struct dxil_resource *resources, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (resources[i].resource_class == resources[i - 1].resource_class &&
            resources[i].range_id <= resources[i - 1].range_id)
            return false;
    return true;
}

bool reader_resources(struct ir_reader *r, const struct ir_metadata *node)
{
    uint32_t count, used = 0;
    if (!node)
        return true;
    if (!count_resources(r, node, &count))
        return false;
    struct dxil_resource *resources = reader_allocate(r, r->output, count, sizeof(*resources));
    if (!resources)
        return false;
    for (uint32_t i = 0; i < 4; i++) {
        const struct ir_metadata *list = metadata_operand(r, node, i);
        for (uint32_t k = 0; list && k < list->count; k++) {
            const struct ir_metadata *record = metadata_operand(r, list, k);
            struct dxil_resource *resource = &resources[used++];
            resource->resource_class = (enum dxil_resource_class)i;
            if (!record || record->kind != IR_METADATA_NODE)
                return reader_corrupt(r, "malformed resource record in the DXIL module");
            if (!read_resource(r, record, resource))
                return false;
        }
    }
    if (!ids_are_ordered(resources, used))
        return reader_corrupt(r, "DXIL resource records are not in the order of their ids");
    r->module->resources = resources;
    r->module->resource_count = used;
    return true;
}
