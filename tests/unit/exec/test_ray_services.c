/* SPDX-License-Identifier: MIT
 * DispatchRays with shaders written in C: every ray goes the whole way through tables, services and traversal, without
 * the compiler. Scene: triangle T0 (clockwise unit triangle at z = 0) and boxes, several copies along z. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "accel/build.h"
#include "exec/dispatch.h"
#include "exec/shader_table.h"
#include "abi/services.h"

enum { MAX_GROUPS = 24, RECORD_BYTES = 64, MAX_RECORDS = 16, MAX_RAYS = 64, GRID_MAX = 1 << 20 };

struct payload {
    uint32_t value;
    uint32_t any_hit_count;
    float t;
    float barycentrics[2];
    uint32_t hit_kind, primitive, geometry, instance, ray_flags, local;
    uint32_t attributes[4];
    uint32_t depth_wanted;
};

/* A test: device, pipeline of named groups, shader tables, rays. */
static struct {
    struct exec_device *device;
    struct thread_pool *pool;
    struct abi_group groups[MAX_GROUPS];
    const struct abi_group *group_list[MAX_GROUPS];
    struct abi_pipeline pipeline;
    uint8_t tables[EXEC_TABLE_COUNT][MAX_RECORDS * RECORD_BYTES] __attribute__((aligned(64)));
    struct abi_trace_arguments rays[MAX_RAYS];
    struct payload payloads[MAX_RAYS];
    void *memory[16];
    uint32_t memory_count;
} t;

static uint32_t grid_hits[GRID_MAX];

/* --- shaders --- */

static void raygen_trace(struct abi_thread *thread, void *unused, const void *attributes)
{
    uint32_t x = thread->dispatch_index[0];
    thread->dispatch->services->trace_ray(thread, &t.rays[x], &t.payloads[x]);
    assert_null(thread->traversal);
}

static void note_hit(struct abi_thread *thread, struct payload *payload)
{
    payload->t = thread->hit->t;
    payload->hit_kind = thread->hit->hit_kind;
    payload->primitive = thread->hit->primitive_index;
    payload->geometry = thread->hit->geometry_index;
    payload->instance = thread->hit->instance_index;
    payload->ray_flags = thread->traversal->ray_flags;
    memcpy(&payload->local, thread->local_root_arguments, sizeof(payload->local));
}

static void closest_hit(struct abi_thread *thread, void *data, const void *attributes)
{
    struct payload *payload = data;
    payload->value = 100;
    note_hit(thread, payload);
    memcpy(payload->barycentrics, attributes, sizeof(payload->barycentrics));
}

static void closest_hit_box(struct abi_thread *thread, void *data, const void *attributes)
{
    struct payload *payload = data;
    payload->value = 101;
    note_hit(thread, payload);
    memcpy(payload->attributes, attributes, sizeof(payload->attributes));
}

static void miss(struct abi_thread *thread, void *data, const void *attributes)
{
    struct payload *payload = data;
    payload->value = 200;
    payload->t = thread->hit->t;
    payload->ray_flags = thread->traversal->ray_flags;
    memcpy(&payload->local, thread->local_root_arguments, sizeof(payload->local));
}

static void any_hit_ignore(struct abi_thread *thread, void *data, const void *attributes)
{
    struct payload *payload = data;
    payload->any_hit_count++;
    thread->ignore_hit = 1;
}

static void any_hit_end(struct abi_thread *thread, void *data, const void *attributes)
{
    struct payload *payload = data;
    payload->any_hit_count++;
    thread->end_search = 1;
}

/* Reports t = 0.75, 0.25, 0.5 of the box with attributes that tell which; a report behind a closer one fails. */
static void intersection(struct abi_thread *thread, void *data, const void *attributes)
{
    static const float offsets[3] = {0.75f, 0.25f, 0.5f};
    static const uint32_t accepted[3] = {1, 1, 0};
    float base = 1 + 2 * (float)thread->hit->primitive_index;
    bool first_box = thread->hit->primitive_index == 0;
    for (uint32_t i = 0; i < 3 && !thread->end_search; i++) {
        uint32_t block[4] = {i, i + 10, i + 20, thread->hit->primitive_index};
        uint32_t result =
            thread->dispatch->services->report_hit(thread, base + offsets[i], 7 + i, block, sizeof(block));
        if (first_box && t.rays[thread->dispatch_index[0]].ray_contribution == 2)
            assert_int_equal(result, accepted[i]);
    }
}

static void closest_hit_recursive(struct abi_thread *thread, void *data, const void *attributes)
{
    struct payload *payload = data;
    payload->value++;
    if (payload->value < payload->depth_wanted)
        thread->dispatch->services->trace_ray(thread, &t.rays[thread->dispatch_index[0]], payload);
    assert_non_null(thread->traversal); /* restored after the nested ray */
    payload->t += thread->hit->t;
}

static void callable_sum(struct abi_thread *thread, void *data, const void *attributes)
{
    uint32_t *values = data; /* remaining, sum */
    values[1] += values[0];
    if (--values[0])
        thread->dispatch->services->call_shader(thread, 1, values);
}

static void raygen_call(struct abi_thread *thread, void *unused, const void *attributes)
{
    uint32_t values[2] = {t.payloads[0].depth_wanted, 0};
    thread->dispatch->services->call_shader(thread, 1, values);
    t.payloads[0].value = values[1];
}

/* Calls callable_fill, whose type takes 64 bytes, with 8 bytes in front of others that must stay. */
static void raygen_short(struct abi_thread *thread, void *unused, const void *attributes)
{
    uint32_t values[16];
    for (uint32_t i = 0; i < 16; i++)
        values[i] = 1000 + i;
    thread->payload_memory_bytes = 8;
    thread->dispatch->services->call_shader(thread, 1, values);
    assert_int_equal(thread->payload_memory_bytes, 0);
    t.payloads[0].value = values[0];
    for (uint32_t i = 2; i < 16; i++)
        t.payloads[0].any_hit_count += values[i] != 1000 + i;
    t.payloads[0].primitive = values[1];
}

static void callable_fill(struct abi_thread *thread, void *data, const void *attributes)
{
    uint32_t *values = data, behind = 0;
    for (uint32_t i = 2; i < 16; i++)
        behind |= values[i];
    values[0] += behind; /* zero */
    for (uint32_t i = 1; i < 16; i++)
        values[i] = 7;
}

static void raygen_count(struct abi_thread *thread, void *unused, const void *attributes)
{
    const uint32_t *index = thread->dispatch_index, *size = thread->dispatch->dimensions;
    grid_hits[(index[2] * size[1] + index[1]) * size[0] + index[0]]++;
}

static void raygen_endless(struct abi_thread *thread, void *unused, const void *attributes)
{
    while (!exec_is_aborted(thread->dispatch)) {
    }
}

static void raygen_query(struct abi_thread *thread, void *unused, const void *attributes)
{
    const struct abi_services *services = thread->dispatch->services;
    uint32_t x = thread->dispatch_index[0];
    void *query = aligned_alloc(64, (services->query_bytes + 63) & ~63ull);
    struct abi_traversal *visible = query;
    services->query_begin(thread, query, &t.rays[x]);
    while (services->query_proceed(thread, query)) {
        t.payloads[x].any_hit_count++;
        if (visible->candidate_type == ABI_CANDIDATE_PROCEDURAL_PRIMITIVE) {
            services->query_commit_procedural(thread, query, 1.75f);
            services->query_commit_procedural(thread, query, 1.5f);
        } else if (t.payloads[x].depth_wanted) {
            services->query_commit_triangle(thread, query);
        }
    }
    assert_false(services->query_proceed(thread, query));
    t.payloads[x].value = visible->committed_status;
    t.payloads[x].t = visible->committed.t;
    free(query);
}

static void raygen_hit_object(struct abi_thread *thread, void *unused, const void *attributes)
{
    const struct abi_services *services = thread->dispatch->services;
    uint32_t x = thread->dispatch_index[0];
    struct abi_hit_object object;
    services->hit_object_trace(thread, &t.rays[x], &t.payloads[x], &object);
    assert_int_equal(t.payloads[x].value, 0); /* neither closest-hit nor miss has run */
    t.payloads[x].attributes[3] = services->hit_object_record_constant(thread, &object, 0);
    services->hit_object_invoke(thread, &object, &t.payloads[x]);
}

#define SHADER(id, shader_kind)                                                                              \
    static const struct abi_shader shader_##id = {                                                           \
        .function = id, .name = #id, .kind = shader_kind, .local_root_bytes = 4, .stack_bytes = 128}
SHADER(raygen_trace, ABI_SHADER_RAY_GENERATION);
SHADER(raygen_call, ABI_SHADER_RAY_GENERATION);
SHADER(raygen_count, ABI_SHADER_RAY_GENERATION);
SHADER(raygen_endless, ABI_SHADER_RAY_GENERATION);
SHADER(raygen_query, ABI_SHADER_RAY_GENERATION);
SHADER(raygen_hit_object, ABI_SHADER_RAY_GENERATION);
SHADER(closest_hit, ABI_SHADER_CLOSEST_HIT);
SHADER(closest_hit_box, ABI_SHADER_CLOSEST_HIT);
SHADER(closest_hit_recursive, ABI_SHADER_CLOSEST_HIT);
SHADER(miss, ABI_SHADER_MISS);
SHADER(any_hit_ignore, ABI_SHADER_ANY_HIT);
SHADER(any_hit_end, ABI_SHADER_ANY_HIT);
SHADER(intersection, ABI_SHADER_INTERSECTION);
SHADER(callable_sum, ABI_SHADER_CALLABLE);
SHADER(raygen_short, ABI_SHADER_RAY_GENERATION);
static const struct abi_shader shader_callable_fill = {.function = callable_fill, .name = "callable_fill",
                                                       .kind = ABI_SHADER_CALLABLE, .local_root_bytes = 4,
                                                       .stack_bytes = 128, .payload_memory_bytes = 64};

/* --- harness --- */

static struct abi_group *add_group(struct abi_group group)
{
    uint32_t index = t.pipeline.group_count++;
    memcpy(group.identifier, &index, sizeof(index));
    memset(group.identifier + 8, 0xa0 + (int)index, 24);
    t.groups[index] = group;
    t.group_list[index] = &t.groups[index];
    return &t.groups[index];
}

/* group NULL: a null record. */
static void set_record(enum exec_table_kind kind, uint32_t index, const struct abi_group *group, uint32_t local)
{
    uint8_t *record = t.tables[kind] + index * RECORD_BYTES;
    memset(record, 0, RECORD_BYTES);
    if (group)
        memcpy(record, group->identifier, 32);
    memcpy(record + 32, &local, sizeof(local));
}

static struct abi_group shader_group(const struct abi_shader *shader)
{
    return (struct abi_group){.kind = ABI_GROUP_SHADER, .shader = shader, .name = shader->name};
}

static struct abi_group triangle_group(const struct abi_shader *any_hit, const struct abi_shader *closest)
{
    return (struct abi_group){
        .kind = ABI_GROUP_TRIANGLES, .any_hit = any_hit, .closest_hit = closest, .name = "triangles"};
}

static int set_up(void **state)
{
    memset(&t, 0, sizeof(t));
    if (thread_pool_create(3, 0, &t.pool) != STATUS_OK)
        return 1;
    struct exec_device_settings settings = {.pool = t.pool};
    if (exec_device_create(&settings, &t.device) != STATUS_OK)
        return 1;
    t.pipeline = (struct abi_pipeline){.groups = t.group_list, .max_recursion_depth = 1};
    set_record(EXEC_TABLE_RAYGEN, 0, add_group(shader_group(&shader_raygen_trace)), 0);
    set_record(EXEC_TABLE_MISS, 0, add_group(shader_group(&shader_miss)), 1000);
    set_record(EXEC_TABLE_HIT, 0, add_group(triangle_group(NULL, &shader_closest_hit)), 2000);
    struct abi_group boxes = {.kind = ABI_GROUP_PROCEDURAL, .name = "boxes", .closest_hit = &shader_closest_hit_box,
                              .intersection = &shader_intersection};
    set_record(EXEC_TABLE_HIT, 2, add_group(boxes), 2002);
    return 0;
}

static int tear_down(void **state)
{
    exec_device_destroy(t.device);
    thread_pool_destroy(t.pool);
    for (uint32_t i = 0; i < t.memory_count; i++)
        free(t.memory[i]);
    return 0;
}

static void *new_memory(uint64_t bytes)
{
    void *memory = aligned_alloc(256, (bytes + 255) & ~255ull);
    memset(memory, 0, (bytes + 255) & ~255ull);
    t.memory[t.memory_count++] = memory;
    return memory;
}

static uint64_t build(const struct accel_build_inputs *inputs)
{
    struct accel_prebuild_info info;
    struct reason reason = {0};
    if (accel_prebuild_info(inputs, &info, &reason) != STATUS_OK)
        fail_msg("prebuild: %s", reason.text);
    struct accel_build_arguments arguments = {
        .inputs = *inputs, .result = new_memory(info.result_bytes), .scratch = new_memory(info.scratch_bytes)};
    if (accel_build(&arguments, &reason) != STATUS_OK)
        fail_msg("build: %s", reason.text);
    return (uint64_t)(uintptr_t)arguments.result;
}

/* D3D12_RAYTRACING_INSTANCE_DESC */
struct instance {
    float transform[12];
    uint32_t id_and_mask, contribution_and_flags;
    uint64_t blas;
};

static uint64_t build_top(uint64_t blas, uint32_t contribution)
{
    struct instance *instance = new_memory(sizeof(*instance));
    *instance = (struct instance){.transform = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, .id_and_mask = 0xff000000u | 77,
                                  .contribution_and_flags = contribution, .blas = blas};
    struct accel_build_inputs inputs = {
        .level = ACCEL_LEVEL_TOP, .count = 1, .instances = (uint64_t)(uintptr_t)instance};
    return build(&inputs);
}

/* count copies of T0 at z = 0, 1, 2 .. in one geometry each. */
static uint64_t scene_triangles(uint32_t count, uint32_t geometry_flags, uint32_t contribution)
{
    struct accel_geometry *geometries = calloc(count, sizeof(*geometries));
    for (uint32_t i = 0; i < count; i++) {
        float *vertices = new_memory(9 * sizeof(float));
        const float corners[9] = {0, 0, (float)i, 0, 1, (float)i, 1, 0, (float)i};
        memcpy(vertices, corners, sizeof(corners));
        geometries[i].type = ACCEL_GEOMETRY_TRIANGLES;
        geometries[i].flags = geometry_flags;
        geometries[i].triangles = (struct accel_triangles){.vertices = (uint64_t)(uintptr_t)vertices,
                                                           .vertex_stride_bytes = 12, .vertex_count = 3,
                                                           .vertex_format = 6};
    }
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .count = count, .geometries = geometries};
    uint64_t blas = build(&inputs);
    free(geometries);
    return build_top(blas, contribution);
}

/* Boxes around (0..1, 0..1) from z = 0 and z = 2, one unit deep. */
static uint64_t scene_boxes(uint32_t geometry_flags)
{
    float *boxes = new_memory(12 * sizeof(float));
    const float corners[12] = {0, 0, 0, 1, 1, 1, 0, 0, 2, 1, 1, 3};
    memcpy(boxes, corners, sizeof(corners));
    struct accel_geometry geometry = {.type = ACCEL_GEOMETRY_BOXES, .flags = geometry_flags};
    geometry.boxes = (struct accel_boxes){(uint64_t)(uintptr_t)boxes, 24, 2};
    struct accel_build_inputs inputs = {.level = ACCEL_LEVEL_BOTTOM, .count = 1, .geometries = &geometry};
    return build_top(build(&inputs), 2);
}

static struct abi_trace_arguments z_ray(uint64_t structure)
{
    return (struct abi_trace_arguments){
        .acceleration_structure = structure, .instance_mask = 0xff,
        .ray = {.origin = {.25f, .25f, -1}, .direction = {0, 0, 1}, .t_max = 123.5f}};
}

static void dispatch_sized(uint32_t width, uint32_t height, uint32_t depth)
{
    static struct exec_bindings bindings = {.list_name = "test"};
    bindings.raytracing = &t.pipeline;
    struct exec_dispatch_rays_arguments arguments = {
        .raygen_address = (uint64_t)(uintptr_t)t.tables[EXEC_TABLE_RAYGEN], .raygen_bytes = RECORD_BYTES,
        .miss_address = (uint64_t)(uintptr_t)t.tables[EXEC_TABLE_MISS], .miss_bytes = sizeof(t.tables[0]),
        .miss_stride = RECORD_BYTES,
        .hit_address = (uint64_t)(uintptr_t)t.tables[EXEC_TABLE_HIT], .hit_bytes = sizeof(t.tables[0]),
        .hit_stride = RECORD_BYTES,
        .callable_address = (uint64_t)(uintptr_t)t.tables[EXEC_TABLE_CALLABLE], .callable_bytes = sizeof(t.tables[0]),
        .callable_stride = RECORD_BYTES, .width = width, .height = height, .depth = depth};
    exec_dispatch_rays_run(t.device, &bindings, &arguments);
}

static void dispatch(uint32_t ray_count)
{
    dispatch_sized(ray_count, 1, 1);
}

static void assert_alive(void)
{
    if (exec_device_removed(t.device) != EXEC_REMOVED_NOT)
        fail_msg("device removed: %s", exec_device_removed_text(t.device));
}

static void assert_removed_because(const char *text)
{
    assert_int_equal(exec_device_removed(t.device), EXEC_REMOVED_HUNG);
    if (!strstr(exec_device_removed_text(t.device), text))
        fail_msg("'%s' is not in '%s'", text, exec_device_removed_text(t.device));
}

/* --- tests --- */

static void hit_and_miss_run_their_shaders(void **state)
{
    t.rays[0] = t.rays[1] = z_ray(scene_triangles(1, ACCEL_GEOMETRY_FLAG_OPAQUE, 0));
    t.rays[1].ray.origin[0] = 5;
    dispatch(2);
    assert_alive();
    const struct payload *hit = &t.payloads[0];
    assert_int_equal(hit->value, 100);
    assert_true(hit->t == 1 && hit->barycentrics[0] == .25f && hit->barycentrics[1] == .25f);
    assert_int_equal(hit->hit_kind, ABI_HIT_KIND_TRIANGLE_FRONT_FACE);
    assert_int_equal(hit->local, 2000);
    assert_int_equal(t.payloads[1].value, 200);
    assert_int_equal(t.payloads[1].local, 1000);
    assert_true(t.payloads[1].t == 123.5f);
}

static void ignored_hits_keep_the_payload_and_miss_sees_t_max(void **state)
{
    set_record(EXEC_TABLE_HIT, 1, add_group(triangle_group(&shader_any_hit_ignore, &shader_closest_hit)), 1);
    t.rays[0] = z_ray(scene_triangles(5, ACCEL_GEOMETRY_FLAG_NO_DUPLICATE_ANY_HIT, 1));
    dispatch(1);
    assert_alive();
    assert_int_equal(t.payloads[0].any_hit_count, 5);
    assert_int_equal(t.payloads[0].value, 200);
    assert_true(t.payloads[0].t == 123.5f);
}

static void accept_and_end_search_stops_at_once(void **state)
{
    set_record(EXEC_TABLE_HIT, 1, add_group(triangle_group(&shader_any_hit_end, &shader_closest_hit)), 1);
    t.rays[0] = z_ray(scene_triangles(5, 0, 1));
    dispatch(1);
    assert_alive();
    assert_int_equal(t.payloads[0].any_hit_count, 1);
    assert_int_equal(t.payloads[0].value, 100);
}

static void record_index_has_all_its_parts(void **state)
{
    const struct abi_group *group = &t.groups[2];
    for (uint32_t i = 0; i < MAX_RECORDS; i++)
        set_record(EXEC_TABLE_HIT, i, group, i);
    uint64_t scene = scene_triangles(3, ACCEL_GEOMETRY_FLAG_OPAQUE, 4);
    for (uint32_t i = 0; i < 4; i++)
        t.rays[i] = z_ray(scene);
    t.rays[1].ray_contribution = 3; /* 4 + 3 */
    t.rays[2].ray.origin[2] = 1.5f; /* geometry 2: 4 + 2 * 5 */
    t.rays[2].geometry_multiplier = 5;
    t.rays[3].ray_contribution = 0x12; /* 4 bits: 4 + 2 */
    dispatch(4);
    assert_alive();
    assert_int_equal(t.payloads[0].local, 4);
    assert_int_equal(t.payloads[1].local, 7);
    assert_int_equal(t.payloads[2].local, 14);
    assert_int_equal(t.payloads[3].local, 6);
}

static void null_records_run_nothing(void **state)
{
    set_record(EXEC_TABLE_MISS, 3, NULL, 0);
    set_record(EXEC_TABLE_HIT, 1, NULL, 0);
    uint64_t scene = scene_triangles(2, 0, 1); /* not opaque: the null group accepts like an opaque one */
    t.rays[0] = t.rays[1] = z_ray(scene);
    t.rays[1].ray.origin[0] = 5;
    t.rays[1].miss_index = 0x10003; /* 16 bits */
    t.payloads[0].value = t.payloads[1].value = 0x1234;
    dispatch(2);
    assert_alive();
    assert_int_equal(t.payloads[0].value, 0x1234);
    assert_int_equal(t.payloads[1].value, 0x1234);
}

static void missing_structures_are_missed(void **state)
{
    t.rays[0] = z_ray(0);
    t.rays[1] = z_ray((uint64_t)(uintptr_t)new_memory(4096)); /* zero-filled: never built */
    dispatch(2);
    assert_alive();
    assert_int_equal(t.payloads[0].value, 200);
    assert_int_equal(t.payloads[1].value, 200);
}

static void garbage_structure_removes_the_device(void **state)
{
    uint64_t *garbage = new_memory(4096);
    for (int i = 0; i < 512; i++)
        garbage[i] = 0x5a5a5a5a5a5a5a5a;
    t.rays[0] = z_ray((uint64_t)(uintptr_t)garbage);
    dispatch(1);
    assert_removed_because("does not start a top-level acceleration structure");
}

static void unknown_identifier_removes_the_device(void **state)
{
    set_record(EXEC_TABLE_MISS, 2, &t.groups[1], 0);
    t.tables[EXEC_TABLE_MISS][2 * RECORD_BYTES + 9] ^= 0xff;
    t.rays[0] = z_ray(0);
    t.rays[0].miss_index = 2;
    dispatch(1);
    assert_removed_because("shader 'raygen_trace', thread (0, 0, 0): record 2 of MissShaderTable holds an identifier");
}

static void index_behind_the_table_removes_the_device(void **state)
{
    t.rays[0] = z_ray(0);
    t.rays[0].miss_index = MAX_RECORDS;
    dispatch(1);
    assert_removed_because("record 16 of MissShaderTable lies beyond");
}

static void wrong_geometry_type_removes_the_device(void **state)
{
    t.rays[0] = z_ray(scene_triangles(1, ACCEL_GEOMETRY_FLAG_OPAQUE, 2));
    dispatch(1);
    assert_removed_because("hit group 'boxes' of type PROCEDURAL_PRIMITIVE, the geometry is triangles");
}

static void reports_commit_with_their_attributes(void **state)
{
    t.rays[0] = z_ray(scene_boxes(ACCEL_GEOMETRY_FLAG_OPAQUE));
    dispatch(1);
    assert_alive();
    const struct payload *hit = &t.payloads[0];
    assert_int_equal(hit->value, 101);
    assert_true(hit->t == 1.25f);
    assert_int_equal(hit->hit_kind, 8);
    assert_int_equal(hit->primitive, 0);
    assert_int_equal(hit->attributes[0], 1);
    assert_int_equal(hit->attributes[2], 21);
}

static void ignored_reports_leave_nothing(void **state)
{
    t.groups[3].any_hit = &shader_any_hit_ignore;
    t.rays[0] = z_ray(scene_boxes(0));
    t.rays[0].ray_contribution = 0;
    dispatch(1);
    assert_alive();
    assert_int_equal(t.payloads[0].value, 200);
    assert_int_equal(t.payloads[0].any_hit_count, 6);
    assert_true(t.payloads[0].t == 123.5f);
}

static void report_ends_the_search(void **state)
{
    t.groups[3].any_hit = &shader_any_hit_end;
    t.rays[0] = z_ray(scene_boxes(0));
    t.rays[1] = z_ray(scene_boxes(ACCEL_GEOMETRY_FLAG_OPAQUE));
    t.rays[1].ray_flags = ABI_RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH;
    dispatch(2);
    assert_alive();
    assert_int_equal(t.payloads[0].any_hit_count, 1);
    assert_int_equal(t.payloads[0].value, 101);
    assert_int_equal(t.payloads[0].attributes[0], 0);
    assert_int_equal(t.payloads[1].attributes[0], 0);
}

static void pipeline_flags_act_and_stay_hidden(void **state)
{
    t.pipeline.pipeline_flags = ABI_RAY_FLAG_SKIP_TRIANGLES;
    t.rays[0] = z_ray(scene_triangles(1, ACCEL_GEOMETRY_FLAG_OPAQUE, 0));
    t.rays[0].ray_flags = ABI_RAY_FLAG_CULL_BACK_FACING_TRIANGLES;
    dispatch(1);
    assert_int_equal(t.payloads[0].value, 200);
    assert_int_equal(t.payloads[0].ray_flags, ABI_RAY_FLAG_CULL_BACK_FACING_TRIANGLES);
}

static void skip_closest_hit_leaves_the_payload(void **state)
{
    t.rays[0] = z_ray(scene_triangles(1, ACCEL_GEOMETRY_FLAG_OPAQUE, 0));
    t.rays[0].ray_flags = ABI_RAY_FLAG_SKIP_CLOSEST_HIT_SHADER;
    t.payloads[0].value = 0xaaaa;
    dispatch(1);
    assert_int_equal(t.payloads[0].value, 0xaaaa);
}

static void recursion_runs_to_its_limit(void **state)
{
    set_record(EXEC_TABLE_HIT, 0, add_group(triangle_group(NULL, &shader_closest_hit_recursive)), 0);
    t.pipeline.max_recursion_depth = 4;
    t.rays[0] = z_ray(scene_triangles(1, ACCEL_GEOMETRY_FLAG_OPAQUE, 0));
    t.payloads[0].depth_wanted = 4;
    dispatch(1);
    assert_alive();
    assert_int_equal(t.payloads[0].value, 4);
    assert_true(t.payloads[0].t == 4);
}

static void recursion_beyond_its_limit_removes_the_device(void **state)
{
    set_record(EXEC_TABLE_HIT, 0, add_group(triangle_group(NULL, &shader_closest_hit_recursive)), 0);
    t.pipeline.max_recursion_depth = 3;
    t.rays[0] = z_ray(scene_triangles(1, ACCEL_GEOMETRY_FLAG_OPAQUE, 0));
    t.payloads[0].depth_wanted = 4;
    dispatch(1);
    assert_removed_because("TraceRay at depth 3 exceeds MaxTraceRecursionDepth");
}

static void callables_are_not_bound_by_ray_recursion(void **state)
{
    set_record(EXEC_TABLE_RAYGEN, 0, add_group(shader_group(&shader_raygen_call)), 0);
    set_record(EXEC_TABLE_CALLABLE, 1, add_group(shader_group(&shader_callable_sum)), 0);
    t.payloads[0].depth_wanted = 8;
    t.pipeline.stack_bytes = 9 * 128;
    dispatch(1);
    assert_alive();
    assert_int_equal(t.payloads[0].value, 36);
}

static void stack_overflow_removes_the_device(void **state)
{
    set_record(EXEC_TABLE_RAYGEN, 0, add_group(shader_group(&shader_raygen_call)), 0);
    set_record(EXEC_TABLE_CALLABLE, 1, add_group(shader_group(&shader_callable_sum)), 0);
    t.payloads[0].depth_wanted = 9;
    t.pipeline.stack_bytes = 9 * 128;
    dispatch(1);
    assert_removed_because("shader calls need 1280 bytes of stack");
}

static void short_parameters_are_copied(void **state)
{
    set_record(EXEC_TABLE_RAYGEN, 0, add_group(shader_group(&shader_raygen_short)), 0);
    set_record(EXEC_TABLE_CALLABLE, 1, add_group(shader_group(&shader_callable_fill)), 0);
    dispatch(1);
    assert_alive();
    assert_int_equal(t.payloads[0].value, 1000);
    assert_int_equal(t.payloads[0].primitive, 7);
    assert_int_equal(t.payloads[0].any_hit_count, 0);
}

static void endless_callables_do_not_smash_the_native_stack(void **state)
{
    set_record(EXEC_TABLE_RAYGEN, 0, add_group(shader_group(&shader_raygen_call)), 0);
    set_record(EXEC_TABLE_CALLABLE, 1, add_group(shader_group(&shader_callable_sum)), 0);
    t.payloads[0].depth_wanted = UINT32_MAX;
    dispatch(1);
    assert_removed_because("stack");
}

struct grid_case {
    const char *name;
    uint32_t width, height, depth;
};

static void every_thread_runs_once(void **state)
{
    static const struct grid_case cases[] = {
        {"one", 1, 1, 1},           {"a line", 100000, 1, 1},  {"a column", 1, 100003, 1}, {"a needle", 1, 1, 70001},
        {"4 x 3 x 2", 4, 3, 2},     {"odd", 37, 29, 11},       {"flat", 3, 70000, 2},      {"wide", 70000, 3, 1},
        {"square", 1000, 1000, 1},  {"no width", 0, 5, 5},     {"no height", 5, 0, 5},     {"no depth", 5, 5, 0},
    };
    set_record(EXEC_TABLE_RAYGEN, 0, add_group(shader_group(&shader_raygen_count)), 0);
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        memset(grid_hits, 0, sizeof(grid_hits));
        dispatch_sized(cases[i].width, cases[i].height, cases[i].depth);
        uint64_t count = (uint64_t)cases[i].width * cases[i].height * cases[i].depth;
        for (uint64_t j = 0; j < GRID_MAX; j++)
            if (grid_hits[j] != (j < count))
                fail_msg("%s: thread %llu ran %u times", cases[i].name, (unsigned long long)j, grid_hits[j]);
    }
    assert_alive();
}

static void watchdog_ends_an_endless_shader(void **state)
{
    setenv("CDXR_TIMEOUT", "0.5", 1);
    struct exec_device_settings settings = {.pool = t.pool};
    exec_device_destroy(t.device);
    assert_int_equal(exec_device_create(&settings, &t.device), STATUS_OK);
    unsetenv("CDXR_TIMEOUT");
    set_record(EXEC_TABLE_RAYGEN, 0, add_group(shader_group(&shader_raygen_endless)), 0);
    dispatch(1);
    assert_removed_because("shader 'raygen_endless') made no progress");
}

static void queries_step_through_candidates(void **state)
{
    set_record(EXEC_TABLE_RAYGEN, 0, add_group(shader_group(&shader_raygen_query)), 0);
    uint64_t triangles = scene_triangles(3, ACCEL_GEOMETRY_FLAG_NO_DUPLICATE_ANY_HIT, 0);
    t.rays[0] = t.rays[1] = z_ray(triangles);
    t.payloads[1].depth_wanted = 1; /* commit */
    t.rays[2] = z_ray(scene_boxes(0));
    t.rays[3] = z_ray(0);
    dispatch(4);
    assert_alive();
    assert_int_equal(t.payloads[0].value, ABI_COMMITTED_NOTHING);
    assert_int_equal(t.payloads[0].any_hit_count, 3);
    assert_int_equal(t.payloads[1].value, ABI_COMMITTED_TRIANGLE_HIT);
    assert_true(t.payloads[1].t == 1);
    assert_int_equal(t.payloads[2].value, ABI_COMMITTED_PROCEDURAL_PRIMITIVE_HIT);
    assert_true(t.payloads[2].t == 1.5f);
    assert_int_equal(t.payloads[3].value, ABI_COMMITTED_NOTHING);
}

static void hit_objects_invoke_what_they_hold(void **state)
{
    set_record(EXEC_TABLE_RAYGEN, 0, add_group(shader_group(&shader_raygen_hit_object)), 0);
    t.rays[0] = t.rays[1] = z_ray(scene_triangles(1, ACCEL_GEOMETRY_FLAG_OPAQUE, 0));
    t.rays[1].ray.origin[0] = 5;
    t.rays[2] = z_ray(scene_boxes(ACCEL_GEOMETRY_FLAG_OPAQUE));
    dispatch(3);
    assert_alive();
    assert_int_equal(t.payloads[0].value, 100);
    assert_int_equal(t.payloads[0].attributes[3], 2000);
    assert_true(t.payloads[0].barycentrics[1] == .25f);
    assert_int_equal(t.payloads[1].value, 200);
    assert_int_equal(t.payloads[1].attributes[3], 1000);
    assert_int_equal(t.payloads[2].value, 101);
    assert_int_equal(t.payloads[2].attributes[2], 21);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(hit_and_miss_run_their_shaders),
        TEST(ignored_hits_keep_the_payload_and_miss_sees_t_max),
        TEST(accept_and_end_search_stops_at_once),
        TEST(record_index_has_all_its_parts),
        TEST(null_records_run_nothing),
        TEST(missing_structures_are_missed),
        TEST(garbage_structure_removes_the_device),
        TEST(unknown_identifier_removes_the_device),
        TEST(index_behind_the_table_removes_the_device),
        TEST(wrong_geometry_type_removes_the_device),
        TEST(reports_commit_with_their_attributes),
        TEST(ignored_reports_leave_nothing),
        TEST(report_ends_the_search),
        TEST(pipeline_flags_act_and_stay_hidden),
        TEST(skip_closest_hit_leaves_the_payload),
        TEST(recursion_runs_to_its_limit),
        TEST(recursion_beyond_its_limit_removes_the_device),
        TEST(short_parameters_are_copied),
        TEST(callables_are_not_bound_by_ray_recursion),
        TEST(stack_overflow_removes_the_device),
        TEST(endless_callables_do_not_smash_the_native_stack),
        TEST(every_thread_runs_once),
        TEST(watchdog_ends_an_endless_shader),
        TEST(queries_step_through_candidates),
        TEST(hit_objects_invoke_what_they_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
