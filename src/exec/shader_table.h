/* SPDX-License-Identifier: MIT
 * Shader tables of one DispatchRays: from (kind, index) to record, function and local root arguments, by the formulas
 * of Raytracing.md "Hit group table indexing". Set up once per dispatch, then read by all workers without locks. */
#ifndef CDXR_EXEC_SHADER_TABLE_H
#define CDXR_EXEC_SHADER_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/thread.h"
#include "base/status.h"
#include "exec/stream.h"

enum { EXEC_IDENTIFIER_BYTES = 32, EXEC_TABLE_ALIGNMENT = 64, EXEC_RECORD_ALIGNMENT = 32, EXEC_MAX_STRIDE = 4096 };

enum exec_table_kind { EXEC_TABLE_RAYGEN, EXEC_TABLE_MISS, EXEC_TABLE_HIT, EXEC_TABLE_CALLABLE, EXEC_TABLE_COUNT };

struct exec_table {
    const uint8_t *start; /* NULL: no table, every record is null */
    uint64_t bytes;
    uint64_t stride;
};

struct exec_shader_tables {
    struct exec_table tables[EXEC_TABLE_COUNT];
    const struct abi_pipeline *pipeline;
};

enum exec_record_result {
    EXEC_RECORD_OK,
    EXEC_RECORD_NULL,           /* null identifier or no table: no shader */
    EXEC_RECORD_OUT_OF_RANGE,   /* index beyond SizeInBytes */
    EXEC_RECORD_UNKNOWN,        /* identifier is not one of the pipeline's */
    EXEC_RECORD_WRONG_KIND,     /* a hit group where a miss shader should be, and so on */
    EXEC_RECORD_LOCAL_TOO_LONG, /* local root arguments end behind the table */
};

struct exec_record {
    const struct abi_group *group;
    const uint8_t *local_root_arguments;
};

/* Alignment, stride and address rules of DispatchRays. reason names the field, its value and the rule. */
MUST_USE enum status exec_dispatch_rays_check(const struct exec_dispatch_rays_arguments *arguments,
                                              struct reason *reason);
/* arguments passed exec_dispatch_rays_check. */
void exec_shader_tables_init(struct exec_shader_tables *tables, const struct exec_dispatch_rays_arguments *arguments,
                             const struct abi_pipeline *pipeline);

/* RayContribution (4 bits) + GeometryMultiplier (4 bits) * geometry index + instance contribution (24 bits). */
static inline uint64_t exec_hit_record_index(uint32_t ray_contribution, uint32_t geometry_multiplier,
                                             uint32_t geometry_index, uint32_t instance_contribution)
{
    return (uint64_t)(ray_contribution & 0xf) + (uint64_t)(geometry_multiplier & 0xf) * geometry_index +
           (instance_contribution & 0xffffff);
}

/* record is written on EXEC_RECORD_OK only. */
enum exec_record_result exec_shader_table_find(const struct exec_shader_tables *tables, enum exec_table_kind kind,
                                               uint64_t index, struct exec_record *record);
const char *exec_table_name(enum exec_table_kind kind);
const char *exec_record_result_text(enum exec_record_result result);

#endif
