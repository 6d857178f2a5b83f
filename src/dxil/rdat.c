/* SPDX-License-Identifier: MIT
 * Reader of the RDAT part. A header with part offsets; parts are a string buffer, index arrays (rows of a count and
 * that many words), raw bytes, and tables of records with a stride, so that later versions can append fields. Input:
 * bytes from the application. Output: struct dxil_rdat. Called by d3d12/state_object*.c and the fuzzer. */
#include "dxil/rdat.h"

#include <stdlib.h>
#include <string.h>

enum rdat_part_type { /* as stored */
    RDAT_PART_STRINGS = 1,
    RDAT_PART_INDICES = 2,
    RDAT_PART_RESOURCES = 3,
    RDAT_PART_FUNCTIONS = 4,
    RDAT_PART_RAW_BYTES = 5,
    RDAT_PART_SUBOBJECTS = 6,
    RDAT_PART_COUNT = 7, /* later ones describe work graphs and are not needed */
};

enum {
    RDAT_VERSION = 0x10,
    RESOURCE_BYTES = 32,
    FUNCTION_BYTES = 44,
    FUNCTION2_BYTES = 48, /* with wave lane counts and shader flags */
    SUBOBJECT_BYTES = 24,
    LAST_SHADER_KIND = 16,
    LAST_RESOURCE_KIND = 18,
};
#define RDAT_NULL UINT32_MAX

enum { STORAGE_STRINGS, STORAGE_INDICES, STORAGE_STRING_LISTS, STORAGE_RAW_BYTES };

struct table {
    const uint8_t *records;
    uint32_t count, stride_bytes;
};

struct reader {
    const uint8_t *bytes;
    size_t byte_count;
    struct reason *reason;
    struct dxil_rdat *rdat;
    struct {
        const uint8_t *data;
        uint32_t byte_count;
    } parts[RDAT_PART_COUNT];
    const char *strings;
    const uint32_t *indices;
    const char *const *string_lists; /* indices as strings, NULL where out of range */
    uint32_t string_bytes, index_count, raw_byte_count;
    const uint8_t *raw_bytes;
    uint64_t list_budget; /* entries that may still be checked: rows can be shared, so work could be quadratic */
};

static uint32_t word_at(const uint8_t *bytes, size_t offset)
{
    uint32_t word;
    memcpy(&word, bytes + offset, 4);
    return word;
}

static enum status read_part_header(struct reader *reader, uint32_t index)
{
    uint32_t offset = word_at(reader->bytes, 8 + (size_t)index * 4);
    if (offset & 3 || offset > reader->byte_count || reader->byte_count - offset < 8)
        return reason_set(reader->reason, STATUS_CORRUPT, "RDAT part %u: offset %u lies outside the %zu bytes", index,
                          offset, reader->byte_count);
    uint32_t type = word_at(reader->bytes, offset), byte_count = word_at(reader->bytes, offset + 4);
    if (byte_count > reader->byte_count - offset - 8)
        return reason_set(reader->reason, STATUS_CORRUPT, "RDAT part %u (type %u): %u bytes do not fit into %zu", index,
                          type, byte_count, reader->byte_count);
    if (type == 0 || type >= RDAT_PART_COUNT)
        return STATUS_OK; /* of a later version */
    if (reader->parts[type].data)
        return reason_set(reader->reason, STATUS_CORRUPT, "RDAT part %u: type %u occurs twice", index, type);
    reader->parts[type].data = reader->bytes + offset + 8;
    reader->parts[type].byte_count = byte_count;
    return STATUS_OK;
}

static enum status read_part_headers(struct reader *reader)
{
    if (reader->byte_count < 8)
        return reason_set(reader->reason, STATUS_CORRUPT, "RDAT of %zu bytes is shorter than its header",
                          reader->byte_count);
    uint32_t version = word_at(reader->bytes, 0), count = word_at(reader->bytes, 4);
    if (version != RDAT_VERSION)
        return reason_set(reader->reason, STATUS_CORRUPT, "RDAT version 0x%x is unknown (0x10 expected)", version);
    if (count > (reader->byte_count - 8) / 4)
        return reason_set(reader->reason, STATUS_CORRUPT, "RDAT with %u parts does not fit into %zu bytes", count,
                          reader->byte_count);
    reader->rdat->version = version;
    for (uint32_t i = 0; i < count; i++)
        RETURN_IF_FAILED(read_part_header(reader, i));
    return STATUS_OK;
}

static void *copy_with_zero(const void *data, size_t byte_count)
{
    uint8_t *copy = malloc(byte_count + 4);
    if (!copy)
        return NULL;
    if (byte_count)
        memcpy(copy, data, byte_count);
    memset(copy + byte_count, 0, 4);
    return copy;
}

/* Own copies of everything records point at. A string offset is valid below string_bytes + 1: the appended zero makes
 * offset 0 of an absent buffer the empty string. */
static enum status read_pools(struct reader *reader)
{
    void **storage = reader->rdat->storage;
    reader->string_bytes = reader->parts[RDAT_PART_STRINGS].byte_count;
    reader->index_count = reader->parts[RDAT_PART_INDICES].byte_count / 4;
    reader->raw_byte_count = reader->parts[RDAT_PART_RAW_BYTES].byte_count;
    storage[STORAGE_STRINGS] = copy_with_zero(reader->parts[RDAT_PART_STRINGS].data, reader->string_bytes);
    storage[STORAGE_INDICES] =
        copy_with_zero(reader->parts[RDAT_PART_INDICES].data, (size_t)reader->index_count * 4);
    storage[STORAGE_RAW_BYTES] = copy_with_zero(reader->parts[RDAT_PART_RAW_BYTES].data, reader->raw_byte_count);
    storage[STORAGE_STRING_LISTS] = calloc((size_t)reader->index_count + 1, sizeof(char *));
    for (uint32_t i = 0; i < 4; i++)
        if (!storage[i])
            return STATUS_OUT_OF_MEMORY;
    reader->strings = storage[STORAGE_STRINGS];
    reader->indices = storage[STORAGE_INDICES];
    reader->raw_bytes = storage[STORAGE_RAW_BYTES];
    const char **lists = storage[STORAGE_STRING_LISTS];
    for (uint32_t i = 0; i < reader->index_count; i++)
        lists[i] = reader->indices[i] <= reader->string_bytes ? reader->strings + reader->indices[i] : NULL;
    reader->string_lists = lists;
    reader->list_budget = (uint64_t)reader->byte_count * 64 + 4096;
    return STATUS_OK;
}

static enum status open_table(const struct reader *reader, enum rdat_part_type type, const char *name,
                              uint32_t record_bytes, struct table *table)
{
    const uint8_t *data = reader->parts[type].data;
    uint32_t byte_count = reader->parts[type].byte_count;
    *table = (struct table){0};
    if (!data)
        return STATUS_OK;
    if (byte_count < 8)
        return reason_set(reader->reason, STATUS_CORRUPT, "RDAT %s table of %u bytes is shorter than its header", name,
                          byte_count);
    table->records = data + 8;
    table->count = word_at(data, 0);
    table->stride_bytes = word_at(data, 4);
    if (table->count && table->stride_bytes < record_bytes)
        return reason_set(reader->reason, STATUS_CORRUPT, "RDAT %s table: record stride %u, at least %u expected",
                          name, table->stride_bytes, record_bytes);
    if ((uint64_t)table->count * table->stride_bytes > byte_count - 8)
        return reason_set(reader->reason, STATUS_CORRUPT,
                          "RDAT %s table: %u records of %u bytes do not fit into %u bytes", name, table->count,
                          table->stride_bytes, byte_count - 8);
    return STATUS_OK;
}

static const uint8_t *record_at(const struct table *table, uint32_t index)
{
    return table->records + (size_t)index * table->stride_bytes;
}

/* Names a field for messages. */
struct place {
    const char *table;
    uint32_t record;
    const char *field;
};

static enum status read_string(const struct reader *reader, struct place place, uint32_t offset, const char **string)
{
    if (offset > reader->string_bytes)
        return reason_set(reader->reason, STATUS_CORRUPT, "RDAT %s %u: %s: string offset %u, the buffer has %u bytes",
                          place.table, place.record, place.field, offset, reader->string_bytes);
    *string = reader->strings + offset;
    return STATUS_OK;
}

static enum status read_name(const struct reader *reader, struct place place, uint32_t offset, const char **string)
{
    RETURN_IF_FAILED(read_string(reader, place, offset, string));
    if (!**string)
        return reason_set(reader->reason, STATUS_CORRUPT, "RDAT %s %u: %s is empty", place.table, place.record,
                          place.field);
    return STATUS_OK;
}

/* first: index of the first entry in the index arrays. */
static enum status read_row(struct reader *reader, struct place place, uint32_t row, uint32_t *first, uint32_t *count)
{
    *first = *count = 0;
    if (row == RDAT_NULL || (!row && !reader->index_count))
        return STATUS_OK;
    if (row >= reader->index_count || reader->indices[row] > reader->index_count - row - 1)
        return reason_set(reader->reason, STATUS_CORRUPT, "RDAT %s %u: %s: index row %u leaves the %u index words",
                          place.table, place.record, place.field, row, reader->index_count);
    *first = row + 1;
    *count = reader->indices[row];
    if (*count > reader->list_budget)
        return reason_set(reader->reason, STATUS_CORRUPT, "RDAT %s %u: %s: lists of all records are too long together",
                          place.table, place.record, place.field);
    reader->list_budget -= *count;
    return STATUS_OK;
}

static enum status read_string_row(struct reader *reader, struct place place, uint32_t row, const char *const **list,
                                   uint32_t *count)
{
    uint32_t first;
    RETURN_IF_FAILED(read_row(reader, place, row, &first, count));
    for (uint32_t i = 0; i < *count; i++)
        if (!reader->string_lists[first + i])
            return reason_set(reader->reason, STATUS_CORRUPT,
                              "RDAT %s %u: %s: string offset %u, the buffer has %u bytes", place.table, place.record,
                              place.field, reader->indices[first + i], reader->string_bytes);
    *list = reader->string_lists + first;
    return STATUS_OK;
}

static enum status read_resource(const struct reader *reader, const uint8_t *record, uint32_t index)
{
    struct dxil_rdat_resource *resource = &reader->rdat->resources[index];
    *resource = (struct dxil_rdat_resource){
        .register_type = word_at(record, 0),
        .kind = word_at(record, 4),
        .id = word_at(record, 8),
        .space = word_at(record, 12),
        .lower_bound = word_at(record, 16),
        .upper_bound = word_at(record, 20),
        .flags = word_at(record, 28),
    };
    if (resource->register_type > DXIL_REGISTER_SAMPLER || resource->kind > LAST_RESOURCE_KIND)
        return reason_set(reader->reason, STATUS_CORRUPT, "RDAT resource %u: class %u or kind %u is unknown", index,
                          resource->register_type, resource->kind);
    if (resource->upper_bound < resource->lower_bound)
        return reason_set(reader->reason, STATUS_CORRUPT, "RDAT resource %u: registers %u to %u", index,
                          resource->lower_bound, resource->upper_bound);
    return read_string(reader, (struct place){"resource", index, "Name"}, word_at(record, 24), &resource->name);
}

static enum status read_resources(struct reader *reader)
{
    struct table table;
    RETURN_IF_FAILED(open_table(reader, RDAT_PART_RESOURCES, "resource", RESOURCE_BYTES, &table));
    reader->rdat->resources = calloc((size_t)table.count + 1, sizeof(*reader->rdat->resources));
    if (!reader->rdat->resources)
        return STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < table.count; i++)
        RETURN_IF_FAILED(read_resource(reader, record_at(&table, i), i));
    reader->rdat->resource_count = table.count;
    return STATUS_OK;
}

static enum status read_function_resources(struct reader *reader, struct dxil_rdat_function *function,
                                           uint32_t index, uint32_t row)
{
    uint32_t first;
    RETURN_IF_FAILED(
        read_row(reader, (struct place){"function", index, "Resources"}, row, &first, &function->resource_count));
    function->resources = reader->indices + first;
    for (uint32_t i = 0; i < function->resource_count; i++)
        if (function->resources[i] >= reader->rdat->resource_count)
            return reason_set(reader->reason, STATUS_CORRUPT, "RDAT function %u (%s): resource %u, there are %u", index,
                              function->name, function->resources[i], reader->rdat->resource_count);
    return STATUS_OK;
}

static enum status read_function(struct reader *reader, const uint8_t *record, uint32_t stride_bytes, uint32_t index)
{
    struct dxil_rdat_function *function = &reader->rdat->functions[index];
    *function = (struct dxil_rdat_function){
        .shader_kind = word_at(record, 16),
        .payload_bytes = word_at(record, 20),
        .attribute_bytes = word_at(record, 24),
        .feature_flags1 = word_at(record, 28),
        .feature_flags2 = word_at(record, 32),
        .shader_stage_flag = word_at(record, 36),
        .min_shader_target = word_at(record, 40),
    };
    if (stride_bytes >= FUNCTION2_BYTES) {
        function->wave_lane_min = record[44];
        function->wave_lane_max = record[45];
        function->shader_flags = word_at(record, 44) >> 16;
    }
    struct place name = {"function", index, "Name"}, unmangled = {"function", index, "UnmangledName"};
    RETURN_IF_FAILED(read_name(reader, name, word_at(record, 0), &function->name));
    RETURN_IF_FAILED(read_name(reader, unmangled, word_at(record, 4), &function->unmangled_name));
    if (function->shader_kind > LAST_SHADER_KIND)
        return reason_set(reader->reason, STATUS_CORRUPT, "RDAT function %u (%s): shader kind %u is unknown", index,
                          function->name, function->shader_kind);
    RETURN_IF_FAILED(read_function_resources(reader, function, index, word_at(record, 8)));
    return read_string_row(reader, (struct place){"function", index, "FunctionDependencies"}, word_at(record, 12),
                           &function->dependencies, &function->dependency_count);
}

static enum status read_functions(struct reader *reader)
{
    struct table table;
    RETURN_IF_FAILED(open_table(reader, RDAT_PART_FUNCTIONS, "function", FUNCTION_BYTES, &table));
    reader->rdat->functions = calloc((size_t)table.count + 1, sizeof(*reader->rdat->functions));
    if (!reader->rdat->functions)
        return STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < table.count; i++)
        RETURN_IF_FAILED(read_function(reader, record_at(&table, i), table.stride_bytes, i));
    reader->rdat->function_count = table.count;
    return STATUS_OK;
}

static enum status read_root_signature(const struct reader *reader, struct dxil_subobject *subobject, uint32_t index,
                                       const uint8_t *payload)
{
    uint32_t offset = word_at(payload, 0), byte_count = word_at(payload, 4);
    if (offset > reader->raw_byte_count || byte_count > reader->raw_byte_count - offset)
        return reason_set(reader->reason, STATUS_CORRUPT,
                          "RDAT subobject %u (%s): %u root signature bytes at %u leave the %u raw bytes", index,
                          subobject->name, byte_count, offset, reader->raw_byte_count);
    subobject->root_signature.bytes = reader->raw_bytes + offset;
    subobject->root_signature.byte_count = byte_count;
    return STATUS_OK;
}

static enum status read_association(struct reader *reader, struct dxil_subobject *subobject, uint32_t index,
                                    const uint8_t *payload)
{
    RETURN_IF_FAILED(read_name(reader, (struct place){"subobject", index, "Subobject"}, word_at(payload, 0),
                               &subobject->association.subobject));
    return read_string_row(reader, (struct place){"subobject", index, "Exports"}, word_at(payload, 4),
                           &subobject->association.exports, &subobject->association.export_count);
}

static enum status read_hit_group(const struct reader *reader, struct dxil_subobject *subobject, uint32_t index,
                                  const uint8_t *payload)
{
    subobject->hit_group.type = word_at(payload, 0);
    RETURN_IF_FAILED(read_string(reader, (struct place){"subobject", index, "AnyHit"}, word_at(payload, 4),
                                 &subobject->hit_group.any_hit));
    RETURN_IF_FAILED(read_string(reader, (struct place){"subobject", index, "ClosestHit"}, word_at(payload, 8),
                                 &subobject->hit_group.closest_hit));
    return read_string(reader, (struct place){"subobject", index, "Intersection"}, word_at(payload, 12),
                       &subobject->hit_group.intersection);
}

static enum status read_subobject(struct reader *reader, const uint8_t *record, uint32_t index)
{
    struct dxil_subobject *subobject = &reader->rdat->subobjects[index];
    const uint8_t *payload = record + 8;
    subobject->kind = word_at(record, 0);
    RETURN_IF_FAILED(
        read_name(reader, (struct place){"subobject", index, "Name"}, word_at(record, 4), &subobject->name));
    switch (subobject->kind) {
    case DXIL_SUBOBJECT_STATE_OBJECT_CONFIG:
        subobject->state_object_flags = word_at(payload, 0);
        return STATUS_OK;
    case DXIL_SUBOBJECT_GLOBAL_ROOT_SIGNATURE:
    case DXIL_SUBOBJECT_LOCAL_ROOT_SIGNATURE:
        return read_root_signature(reader, subobject, index, payload);
    case DXIL_SUBOBJECT_EXPORTS_ASSOCIATION:
        return read_association(reader, subobject, index, payload);
    case DXIL_SUBOBJECT_SHADER_CONFIG:
        subobject->shader_config.max_payload_bytes = word_at(payload, 0);
        subobject->shader_config.max_attribute_bytes = word_at(payload, 4);
        return STATUS_OK;
    case DXIL_SUBOBJECT_PIPELINE_CONFIG:
    case DXIL_SUBOBJECT_PIPELINE_CONFIG1:
        subobject->pipeline_config.max_recursion_depth = word_at(payload, 0);
        subobject->pipeline_config.flags =
            subobject->kind == DXIL_SUBOBJECT_PIPELINE_CONFIG1 ? word_at(payload, 4) : 0;
        return STATUS_OK;
    case DXIL_SUBOBJECT_HIT_GROUP:
        return read_hit_group(reader, subobject, index, payload);
    default:
        return reason_set(reader->reason, STATUS_CORRUPT, "RDAT subobject %u (%s): kind %u is unknown", index,
                          subobject->name, subobject->kind);
    }
}

static enum status read_subobjects(struct reader *reader)
{
    struct table table;
    RETURN_IF_FAILED(open_table(reader, RDAT_PART_SUBOBJECTS, "subobject", SUBOBJECT_BYTES, &table));
    reader->rdat->subobjects = calloc((size_t)table.count + 1, sizeof(*reader->rdat->subobjects));
    if (!reader->rdat->subobjects)
        return STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < table.count; i++)
        RETURN_IF_FAILED(read_subobject(reader, record_at(&table, i), i));
    reader->rdat->subobject_count = table.count;
    return STATUS_OK;
}

static enum status read_all(struct reader *reader)
{
    RETURN_IF_FAILED(read_part_headers(reader));
    RETURN_IF_FAILED(read_pools(reader));
    RETURN_IF_FAILED(read_resources(reader));
    RETURN_IF_FAILED(read_functions(reader));
    return read_subobjects(reader);
}

enum status dxil_rdat_parse(const void *bytes, size_t byte_count, struct dxil_rdat *rdat, struct reason *reason)
{
    struct dxil_rdat result = {0};
    struct reader reader = {.bytes = bytes, .byte_count = bytes ? byte_count : 0, .reason = reason, .rdat = &result};
    *rdat = result;
    enum status status = read_all(&reader);
    if (status != STATUS_OK)
        goto fail;
    *rdat = result;
    return STATUS_OK;

fail:
    dxil_rdat_finish(&result);
    return status;
}

void dxil_rdat_finish(struct dxil_rdat *rdat)
{
    free(rdat->resources);
    free(rdat->functions);
    free(rdat->subobjects);
    for (uint32_t i = 0; i < 4; i++)
        free(rdat->storage[i]);
    *rdat = (struct dxil_rdat){0};
}
