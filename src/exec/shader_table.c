/* SPDX-License-Identifier: MIT
 * Shader table addressing and identifier checks. */
#include "exec/shader_table.h"

#include <string.h>

static const char *const table_names[EXEC_TABLE_COUNT] = {
    [EXEC_TABLE_RAYGEN] = "RayGenerationShaderRecord",
    [EXEC_TABLE_MISS] = "MissShaderTable",
    [EXEC_TABLE_HIT] = "HitGroupTable",
    [EXEC_TABLE_CALLABLE] = "CallableShaderTable",
};

const char *exec_table_name(enum exec_table_kind kind)
{
    return table_names[kind];
}

const char *exec_record_result_text(enum exec_record_result result)
{
    switch (result) {
    case EXEC_RECORD_OK:
        return "is valid";
    case EXEC_RECORD_NULL:
        return "is null";
    case EXEC_RECORD_OUT_OF_RANGE:
        return "lies beyond SizeInBytes of the table";
    case EXEC_RECORD_UNKNOWN:
        return "holds an identifier that is not one of the bound pipeline state";
    case EXEC_RECORD_WRONG_KIND:
        return "holds the identifier of a shader of another kind";
    case EXEC_RECORD_LOCAL_TOO_LONG:
        return "is too short for its local root arguments: they end beyond SizeInBytes of the table";
    }
    return "is invalid";
}

static enum status table_check(const char *name, uint64_t address, uint64_t bytes, uint64_t stride,
                               struct reason *reason)
{
    if (address % EXEC_TABLE_ALIGNMENT)
        return reason_set(reason, STATUS_INVALID,
                          "DispatchRays: %s.StartAddress is 0x%llx, it must be a multiple of 64", name,
                          (unsigned long long)address);
    if (stride % EXEC_RECORD_ALIGNMENT)
        return reason_set(reason, STATUS_INVALID,
                          "DispatchRays: %s.StrideInBytes is %llu, it must be a multiple of 32", name,
                          (unsigned long long)stride);
    if (stride > EXEC_MAX_STRIDE)
        return reason_set(reason, STATUS_INVALID, "DispatchRays: %s.StrideInBytes is %llu, it must be at most 4096",
                          name, (unsigned long long)stride);
    if (address > UINT64_MAX - bytes)
        return reason_set(reason, STATUS_INVALID, "DispatchRays: %s.SizeInBytes is %llu, the range wraps around",
                          name, (unsigned long long)bytes);
    return STATUS_OK;
}

enum status exec_dispatch_rays_check(const struct exec_dispatch_rays_arguments *a, struct reason *reason)
{
    enum { MAX_THREADS_LOG2 = 30 };
    RETURN_IF_FAILED(table_check(table_names[EXEC_TABLE_RAYGEN], a->raygen_address, a->raygen_bytes, 0, reason));
    RETURN_IF_FAILED(table_check(table_names[EXEC_TABLE_MISS], a->miss_address, a->miss_bytes, a->miss_stride, reason));
    RETURN_IF_FAILED(table_check(table_names[EXEC_TABLE_HIT], a->hit_address, a->hit_bytes, a->hit_stride, reason));
    RETURN_IF_FAILED(table_check(table_names[EXEC_TABLE_CALLABLE], a->callable_address, a->callable_bytes,
                                 a->callable_stride, reason));
    uint64_t plane = (uint64_t)a->width * a->height;
    if (a->depth && plane > (UINT64_C(1) << MAX_THREADS_LOG2) / a->depth)
        return reason_set(reason, STATUS_INVALID,
                          "DispatchRays: Width * Height * Depth is %u * %u * %u, it must be at most 2^30", a->width,
                          a->height, a->depth);
    if (!plane || !a->depth)
        return STATUS_OK;
    if (!a->raygen_address)
        return reason_set(reason, STATUS_INVALID, "DispatchRays: RayGenerationShaderRecord.StartAddress is 0, "
                                                  "a ray generation shader record is required");
    if (a->raygen_bytes < EXEC_IDENTIFIER_BYTES)
        return reason_set(reason, STATUS_INVALID,
                          "DispatchRays: RayGenerationShaderRecord.SizeInBytes is %llu, it must hold a 32-byte "
                          "shader identifier",
                          (unsigned long long)a->raygen_bytes);
    return STATUS_OK;
}

static struct exec_table table_make(uint64_t address, uint64_t bytes, uint64_t stride)
{
    struct exec_table table = {0};
    if (!address || !bytes) /* no table: what is looked up there is a null record */
        return table;
    table.start = (const uint8_t *)(uintptr_t)address;
    table.bytes = bytes;
    table.stride = stride;
    return table;
}

void exec_shader_tables_init(struct exec_shader_tables *tables, const struct exec_dispatch_rays_arguments *a,
                             const struct abi_pipeline *pipeline)
{
    tables->tables[EXEC_TABLE_RAYGEN] = table_make(a->raygen_address, a->raygen_bytes, 0);
    tables->tables[EXEC_TABLE_MISS] = table_make(a->miss_address, a->miss_bytes, a->miss_stride);
    tables->tables[EXEC_TABLE_HIT] = table_make(a->hit_address, a->hit_bytes, a->hit_stride);
    tables->tables[EXEC_TABLE_CALLABLE] = table_make(a->callable_address, a->callable_bytes, a->callable_stride);
    tables->pipeline = pipeline;
}

static bool identifier_is_null(const uint8_t *identifier)
{
    uint64_t words[EXEC_IDENTIFIER_BYTES / 8];
    memcpy(words, identifier, sizeof(words));
    return !(words[0] | words[1] | words[2] | words[3]);
}

static bool kind_fits(const struct abi_group *group, enum exec_table_kind kind)
{
    static const uint32_t shader_kinds[] = {
        [EXEC_TABLE_RAYGEN] = ABI_SHADER_RAY_GENERATION,
        [EXEC_TABLE_MISS] = ABI_SHADER_MISS,
        [EXEC_TABLE_HIT] = 0,
        [EXEC_TABLE_CALLABLE] = ABI_SHADER_CALLABLE,
    };
    if (kind == EXEC_TABLE_HIT)
        return group->kind != ABI_GROUP_SHADER;
    return group->kind == ABI_GROUP_SHADER && group->shader && group->shader->kind == shader_kinds[kind];
}

static uint32_t shader_local_bytes(const struct abi_shader *shader)
{
    return shader ? shader->local_root_bytes : 0;
}

static uint32_t group_local_bytes(const struct abi_group *group)
{
    uint32_t bytes = shader_local_bytes(group->shader);
    uint32_t others[] = {shader_local_bytes(group->closest_hit), shader_local_bytes(group->any_hit),
                         shader_local_bytes(group->intersection)};
    for (uint32_t i = 0; i < ARRAY_COUNT(others); i++)
        bytes = others[i] > bytes ? others[i] : bytes;
    return bytes;
}

enum exec_record_result exec_shader_table_find(const struct exec_shader_tables *tables, enum exec_table_kind kind,
                                               uint64_t index, struct exec_record *record)
{
    const struct exec_table *table = &tables->tables[kind];
    if (!table->start)
        return EXEC_RECORD_NULL;
    uint64_t offset = index * table->stride; /* index < 2^37, stride <= 2^12 */
    if (table->bytes < EXEC_IDENTIFIER_BYTES || offset > table->bytes - EXEC_IDENTIFIER_BYTES)
        return EXEC_RECORD_OUT_OF_RANGE;
    const struct abi_group *group = abi_pipeline_find(tables->pipeline, table->start + offset);
    if (!group)
        return identifier_is_null(table->start + offset) ? EXEC_RECORD_NULL : EXEC_RECORD_UNKNOWN;
    if (!kind_fits(group, kind))
        return EXEC_RECORD_WRONG_KIND;
    if (group_local_bytes(group) > table->bytes - EXEC_IDENTIFIER_BYTES - offset)
        return EXEC_RECORD_LOCAL_TOO_LONG;
    record->group = group;
    record->local_root_arguments = table->start + offset + EXEC_IDENTIFIER_BYTES;
    return EXEC_RECORD_OK;
}
