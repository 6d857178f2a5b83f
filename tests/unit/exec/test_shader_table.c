/* SPDX-License-Identifier: MIT
 * Shader table addressing against the formulas of Raytracing.md, identifier checks, rules of DispatchRays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exec/shader_table.h"

enum { GROUPS = 5, RECORDS = 64 };

static struct abi_shader raygen = {.kind = ABI_SHADER_RAY_GENERATION, .name = "raygen"};
static struct abi_shader miss = {.kind = ABI_SHADER_MISS, .name = "miss"};
static struct abi_shader callable = {.kind = ABI_SHADER_CALLABLE, .name = "callable", .local_root_bytes = 24};
static struct abi_shader closest_hit = {.kind = ABI_SHADER_CLOSEST_HIT, .name = "hit", .local_root_bytes = 8};
static struct abi_group groups[GROUPS];
static const struct abi_group *group_list[GROUPS];
static struct abi_pipeline pipeline;

static int set_up(void **state)
{
    groups[0] = (struct abi_group){.kind = ABI_GROUP_SHADER, .shader = &raygen, .name = "raygen"};
    groups[1] = (struct abi_group){.kind = ABI_GROUP_SHADER, .shader = &miss, .name = "miss"};
    groups[2] = (struct abi_group){.kind = ABI_GROUP_SHADER, .shader = &callable, .name = "callable"};
    groups[3] = (struct abi_group){.kind = ABI_GROUP_TRIANGLES, .closest_hit = &closest_hit, .name = "group"};
    groups[4] = (struct abi_group){.kind = ABI_GROUP_PROCEDURAL, .name = "boxes"};
    for (uint32_t i = 0; i < GROUPS; i++) {
        memcpy(groups[i].identifier, &i, sizeof(i));
        memset(groups[i].identifier + 8, 0x50 + (int)i, 24);
        group_list[i] = &groups[i];
    }
    pipeline = (struct abi_pipeline){.groups = group_list, .group_count = GROUPS};
    return 0;
}

static struct exec_dispatch_rays_arguments plain_arguments(void)
{
    return (struct exec_dispatch_rays_arguments){
        .raygen_address = 0x10000, .raygen_bytes = 64, .width = 4, .height = 4, .depth = 1};
}

struct index_case {
    const char *name;
    uint32_t ray, multiplier, geometry, instance;
    uint64_t index;
};

static void hit_index_follows_the_formula(void **state)
{
    static const struct index_case cases[] = {
        {"all zero", 0, 0, 0, 0, 0},
        {"ray contribution alone", 7, 0, 9, 0, 7},
        {"ray contribution keeps 4 bits", 0x13, 0, 0, 0, 3},
        {"multiplier times geometry", 1, 2, 5, 0, 11},
        {"multiplier keeps 4 bits", 0, 0x12, 5, 0, 10},
        {"instance contribution", 1, 1, 1, 100, 102},
        {"instance contribution keeps 24 bits", 0, 0, 0, 0x1000007, 7},
        {"the largest", 15, 15, 0xffffff, 0xffffff, 15 + 15ull * 0xffffff + 0xffffff},
    };
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        uint64_t index = exec_hit_record_index(cases[i].ray, cases[i].multiplier, cases[i].geometry, cases[i].instance);
        if (index != cases[i].index)
            fail_msg("%s: got %llu", cases[i].name, (unsigned long long)index);
    }
}

static void records_are_found_at_start_plus_index_times_stride(void **state)
{
    static const uint64_t strides[] = {0, 32, 64, 96, 4096};
    for (size_t s = 0; s < ARRAY_COUNT(strides); s++) {
        uint64_t bytes = strides[s] * (RECORDS - 1) + 64;
        uint8_t *memory = aligned_alloc(64, (bytes + 63) & ~63ull);
        memset(memory, 0xcc, bytes);
        for (uint64_t i = 0; i < RECORDS; i++)
            memcpy(memory + i * strides[s], groups[1].identifier, 32);
        struct exec_dispatch_rays_arguments arguments = plain_arguments();
        arguments.miss_address = (uint64_t)(uintptr_t)memory;
        arguments.miss_bytes = bytes;
        arguments.miss_stride = strides[s];
        struct exec_shader_tables tables;
        exec_shader_tables_init(&tables, &arguments, &pipeline);
        for (uint64_t i = 0; i < RECORDS; i++) {
            struct exec_record record;
            assert_int_equal(exec_shader_table_find(&tables, EXEC_TABLE_MISS, i, &record), EXEC_RECORD_OK);
            assert_ptr_equal(record.group, &groups[1]);
            assert_ptr_equal(record.local_root_arguments, memory + i * strides[s] + 32);
        }
        free(memory);
    }
}

struct record_case {
    const char *name;
    enum exec_table_kind kind;
    int group;          /* whose identifier; -1: zero, -2: garbage, -3: right index with a wrong hash */
    uint64_t bytes;     /* of the table, one record at its start */
    uint64_t index;
    enum exec_record_result result;
};

static void record_results(void **state)
{
    static const struct record_case cases[] = {
        {"null identifier", EXEC_TABLE_MISS, -1, 32, 0, EXEC_RECORD_NULL},
        {"garbage identifier", EXEC_TABLE_MISS, -2, 32, 0, EXEC_RECORD_UNKNOWN},
        {"index of another pipeline", EXEC_TABLE_MISS, -3, 32, 0, EXEC_RECORD_UNKNOWN},
        {"no table", EXEC_TABLE_MISS, 1, 0, 0, EXEC_RECORD_NULL},
        {"no table, large index", EXEC_TABLE_HIT, 1, 0, 1 << 20, EXEC_RECORD_NULL},
        {"behind the end", EXEC_TABLE_MISS, 1, 32, 1, EXEC_RECORD_OUT_OF_RANGE},
        {"table shorter than an identifier", EXEC_TABLE_MISS, 1, 16, 0, EXEC_RECORD_OUT_OF_RANGE},
        {"miss shader in the miss table", EXEC_TABLE_MISS, 1, 32, 0, EXEC_RECORD_OK},
        {"miss shader in the hit table", EXEC_TABLE_HIT, 1, 32, 0, EXEC_RECORD_WRONG_KIND},
        {"hit group in the miss table", EXEC_TABLE_MISS, 3, 64, 0, EXEC_RECORD_WRONG_KIND},
        {"raygen in the callable table", EXEC_TABLE_CALLABLE, 0, 32, 0, EXEC_RECORD_WRONG_KIND},
        {"boxes in the hit table", EXEC_TABLE_HIT, 4, 32, 0, EXEC_RECORD_OK},
        {"local arguments fit exactly", EXEC_TABLE_CALLABLE, 2, 56, 0, EXEC_RECORD_OK},
        {"local arguments too long", EXEC_TABLE_CALLABLE, 2, 48, 0, EXEC_RECORD_LOCAL_TOO_LONG},
        {"local arguments of a hit group", EXEC_TABLE_HIT, 3, 32, 0, EXEC_RECORD_LOCAL_TOO_LONG},
    };
    static uint8_t memory[128] __attribute__((aligned(64)));
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        const struct record_case *c = &cases[i];
        memset(memory, 0, sizeof(memory));
        if (c->group >= 0)
            memcpy(memory, groups[c->group].identifier, 32);
        if (c->group == -2)
            memset(memory, 0xab, 32);
        if (c->group == -3) {
            memcpy(memory, groups[1].identifier, 32);
            memory[20] ^= 1;
        }
        struct exec_shader_tables tables = {.pipeline = &pipeline};
        tables.tables[c->kind] = (struct exec_table){c->bytes ? memory : NULL, c->bytes, 32};
        struct exec_record record;
        enum exec_record_result result = exec_shader_table_find(&tables, c->kind, c->index, &record);
        if (result != c->result)
            fail_msg("%s: got %d, not %d", c->name, result, c->result);
    }
}

struct rule_case {
    const char *name;
    size_t field; /* of the arguments; 64 bits, or 32 from width on */
    uint64_t value;
    const char *text; /* that the reason must hold; NULL: accepted */
};

#define FIELD(name) offsetof(struct exec_dispatch_rays_arguments, name)

static void rules_of_dispatch_rays(void **state)
{
    static const struct rule_case cases[] = {
        {"plain", FIELD(miss_bytes), 0, NULL},
        {"raygen at +32", FIELD(raygen_address), 0x10020, "RayGenerationShaderRecord.StartAddress"},
        {"raygen null", FIELD(raygen_address), 0, "RayGenerationShaderRecord.StartAddress is 0"},
        {"raygen too short", FIELD(raygen_bytes), 16, "RayGenerationShaderRecord.SizeInBytes"},
        {"raygen of 32 bytes", FIELD(raygen_bytes), 32, NULL},
        {"miss at +32", FIELD(miss_address), 0x10020, "MissShaderTable.StartAddress"},
        {"hit at +32", FIELD(hit_address), 0x10020, "HitGroupTable.StartAddress"},
        {"callable at +32", FIELD(callable_address), 0x10020, "CallableShaderTable.StartAddress"},
        {"stride 48", FIELD(miss_stride), 48, "MissShaderTable.StrideInBytes is 48"},
        {"stride 4128", FIELD(hit_stride), 4128, "HitGroupTable.StrideInBytes is 4128"},
        {"stride 4096", FIELD(hit_stride), 4096, NULL},
        {"stride 0", FIELD(hit_stride), 0, NULL},
        {"size wraps around", FIELD(hit_bytes), UINT64_MAX, NULL},
        {"2^30 threads", FIELD(width), 1u << 28, NULL},
        {"more than 2^30 threads", FIELD(width), (1u << 28) + 1, "at most 2^30"},
        {"more than 2^64 threads", FIELD(depth), UINT32_MAX, "at most 2^30"},
        {"no width", FIELD(width), 0, NULL},
    };
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct exec_dispatch_rays_arguments arguments = plain_arguments();
        size_t value_bytes = cases[i].field >= FIELD(width) ? sizeof(uint32_t) : sizeof(uint64_t);
        memcpy((uint8_t *)&arguments + cases[i].field, &cases[i].value, value_bytes);
        struct reason reason = {0};
        enum status status = exec_dispatch_rays_check(&arguments, &reason);
        bool matches = cases[i].text ? status == STATUS_INVALID && strstr(reason.text, cases[i].text) != NULL
                                     : status == STATUS_OK;
        if (!matches)
            fail_msg("%s: status %d, '%s'", cases[i].name, status, reason.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hit_index_follows_the_formula),
        cmocka_unit_test(records_are_found_at_start_plus_index_times_stride),
        cmocka_unit_test(record_results),
        cmocka_unit_test(rules_of_dispatch_rays),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
