/* SPDX-License-Identifier: MIT
 * Streams executed command by command, with compute shaders written in C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exec/breadcrumbs.h"
#include "exec/run.h"

enum { COUNTERS = 1 << 16 };

static struct {
    struct exec_device *device;
    struct thread_pool *pool;
    struct arena arena;
    struct exec_stream stream;
} t;

static atomic_uint counters[COUNTERS];
static uint32_t constants_seen[16];
static atomic_uint constants_count;

static void count_thread(struct abi_thread *thread, void *unused, const void *attributes)
{
    const uint32_t *index = thread->dispatch_index;
    atomic_fetch_add(&counters[index[2] * 4096 + index[1] * 64 + index[0]], 1);
}

static void note_constant(struct abi_thread *thread, void *unused, const void *attributes)
{
    uint32_t value;
    memcpy(&value, thread->dispatch->global_root_arguments + 4, sizeof(value));
    constants_seen[atomic_fetch_add(&constants_count, 1)] = value;
}

static void use_groupshared(struct abi_thread *thread, void *unused, const void *attributes)
{
    uint32_t *shared = thread->groupshared;
    if (thread->flat_thread_in_group == 0)
        atomic_fetch_add(&counters[0], shared[0]); /* zero at the start of every group */
    shared[0] = 1 + thread->group_id[0];
}

static void note_ray(struct abi_thread *thread, void *unused, const void *attributes)
{
    atomic_fetch_add(&counters[thread->dispatch_index[0]], 1);
}

static struct abi_shader shader_count = {.function = count_thread, .name = "count", .kind = ABI_SHADER_COMPUTE,
                                         .numthreads = {8, 4, 2}};
static struct abi_shader shader_constant = {.function = note_constant, .name = "constant", .kind = ABI_SHADER_COMPUTE,
                                            .numthreads = {1, 1, 1}};
static struct abi_shader shader_shared = {.function = use_groupshared, .name = "shared", .kind = ABI_SHADER_COMPUTE,
                                          .numthreads = {16, 1, 1}, .groupshared_bytes = 64};
static struct abi_shader shader_barrier = {.function = count_thread, .name = "barrier", .kind = ABI_SHADER_COMPUTE,
                                           .numthreads = {2, 1, 1}, .uses_barrier = 1};
static const struct abi_shader shader_ray = {.function = note_ray, .name = "ray", .kind = ABI_SHADER_RAY_GENERATION};
static struct abi_group ray_group = {.kind = ABI_GROUP_SHADER, .shader = &shader_ray, .name = "ray", .identifier = {[8] = 9}};
static const struct abi_group *ray_groups[] = {&ray_group};
static const struct abi_pipeline ray_pipeline = {.groups = ray_groups, .group_count = 1, .max_recursion_depth = 1};

static int set_up(void **state)
{
    memset(&t, 0, sizeof(t));
    memset(counters, 0, sizeof(counters));
    atomic_store(&constants_count, 0);
    struct exec_device_settings settings = {0};
    if (thread_pool_create(3, 0, &t.pool) != STATUS_OK)
        return 1;
    settings.pool = t.pool;
    t.stream.arena = &t.arena;
    t.stream.name = "test";
    return exec_device_create(&settings, &t.device) != STATUS_OK;
}

static int tear_down(void **state)
{
    exec_device_destroy(t.device);
    thread_pool_destroy(t.pool);
    arena_finish(&t.arena);
    return 0;
}

static void run(void)
{
    const struct exec_stream *streams[] = {&t.stream};
    assert_int_equal(t.stream.status, STATUS_OK);
    exec_run_streams(t.device, streams, 1);
}

static void set_compute(const struct abi_shader *shader)
{
    exec_record_set_compute(&t.stream, 0)->shader = shader;
}

static void dispatch(uint32_t x, uint32_t y, uint32_t z)
{
    struct exec_dispatch *entry = exec_record_dispatch(&t.stream, 0);
    entry->groups[0] = x;
    entry->groups[1] = y;
    entry->groups[2] = z;
}

static void set_constant(struct exec_stream *stream, uint32_t value)
{
    struct exec_set_root_bytes *entry = exec_record_set_root_bytes(stream, sizeof(value));
    entry->offset = 4;
    entry->bytes = sizeof(value);
    memcpy(entry->data, &value, sizeof(value));
}

static void set_root_signature(struct exec_stream *stream, uint64_t hash)
{
    exec_record_set_root_signature(stream, 0)->hash = hash;
}

static void every_thread_of_every_group_runs_once(void **state)
{
    set_compute(&shader_count);
    dispatch(5, 7, 3);
    dispatch(0, 7, 3);
    run();
    for (uint32_t z = 0; z < 16; z++)
        for (uint32_t y = 0; y < 64; y++)
            for (uint32_t x = 0; x < 64; x++)
                assert_int_equal(counters[z * 4096 + y * 64 + x], x < 40 && y < 28 && z < 6);
}

static void groupshared_starts_as_zero(void **state)
{
    set_compute(&shader_shared);
    dispatch(1000, 1, 1);
    run();
    assert_int_equal(counters[0], 0);
}

static void barriers_without_a_runner_are_refused(void **state)
{
    set_compute(&shader_barrier);
    dispatch(1, 1, 1);
    run();
    assert_int_equal(counters[0], 0);
}

static void root_arguments_last_until_the_signature_changes(void **state)
{
    set_compute(&shader_constant);
    set_root_signature(&t.stream, 1);
    set_constant(&t.stream, 11);
    dispatch(1, 1, 1);
    set_root_signature(&t.stream, 1); /* the same content: arguments stay */
    dispatch(1, 1, 1);
    set_root_signature(&t.stream, 2);
    dispatch(1, 1, 1);
    run();
    assert_int_equal(constants_seen[0], 11);
    assert_int_equal(constants_seen[1], 11);
    assert_int_equal(constants_seen[2], 0);
}

static void state_does_not_pass_to_the_next_list(void **state)
{
    struct exec_stream second = {.arena = &t.arena, .name = "second"};
    set_compute(&shader_constant);
    set_constant(&t.stream, 11);
    exec_record_dispatch(&second, 0)->groups[0] = 1;
    const struct exec_stream *streams[] = {&t.stream, &second};
    exec_run_streams(t.device, streams, 2);
    assert_int_equal(constants_count, 0); /* no pipeline in the second list */
}

static void bundles_inherit_and_leave_their_bindings(void **state)
{
    struct exec_stream bundle = {.arena = &t.arena, .name = "bundle"};
    set_constant(&bundle, 5);
    set_compute(&shader_constant);
    set_constant(&t.stream, 4);
    dispatch(1, 1, 1);
    exec_record_execute_bundle(&t.stream, 0)->stream = &bundle;
    dispatch(1, 1, 1);
    run();
    assert_int_equal(constants_seen[0], 4);
    assert_int_equal(constants_seen[1], 5);
}

static void predication_skips_dispatches_and_indirect_calls(void **state)
{
    static const uint64_t zero = 0;
    set_compute(&shader_constant);
    struct exec_set_predication *predication = exec_record_set_predication(&t.stream, 0);
    predication->address = (uint64_t)(uintptr_t)&zero;
    dispatch(1, 1, 1);
    exec_record_set_predication(&t.stream, 0);
    dispatch(1, 1, 1);
    run();
    assert_int_equal(constants_count, 1);
}

/* Arguments: a constant, then three group counts. */
static struct exec_execute_indirect *indirect_constant_dispatch(const uint32_t *buffer, uint32_t words)
{
    static const struct exec_indirect_argument arguments[] = {{EXEC_INDIRECT_ROOT_BYTES, 4, 4},
                                                              {EXEC_INDIRECT_DISPATCH, 12, 0}};
    struct exec_execute_indirect *entry = exec_record_execute_indirect(&t.stream, 0);
    entry->arguments = arguments;
    entry->argument_count = 2;
    entry->stride = 20;
    entry->max_command_count = 3;
    entry->argument_address = (uint64_t)(uintptr_t)buffer;
    entry->argument_bytes = words * sizeof(uint32_t);
    return entry;
}

static const uint32_t indirect_buffer[15] = {21, 1, 1, 1, 0, 22, 1, 1, 1, 0, 23, 1, 1, 1, 0};

static void indirect_commands_set_constants_and_reset_them(void **state)
{
    set_compute(&shader_constant);
    set_constant(&t.stream, 4);
    indirect_constant_dispatch(indirect_buffer, 15);
    dispatch(1, 1, 1);
    run();
    assert_int_equal(constants_count, 4);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(constants_seen[i], 21 + i);
    assert_int_equal(constants_seen[3], 0);
}

struct count_case {
    const char *name;
    uint32_t count, runs;
};

static void count_buffer_is_read_when_executed(void **state)
{
    static const struct count_case cases[] = {{"none", 0, 0}, {"two", 2, 2}, {"three", 3, 3}, {"too many", 99, 3}};
    static uint32_t count;
    set_compute(&shader_constant);
    indirect_constant_dispatch(indirect_buffer, 15)->count_address = (uint64_t)(uintptr_t)&count;
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        count = cases[i].count;
        atomic_store(&constants_count, 0);
        run();
        if (constants_count != cases[i].runs)
            fail_msg("%s: %u runs", cases[i].name, constants_count);
    }
}

static void indirect_commands_stay_in_their_buffer(void **state)
{
    set_compute(&shader_constant);
    indirect_constant_dispatch(indirect_buffer, 9); /* the third command does not fit, the second just does */
    run();
    assert_int_equal(constants_count, 2);
}

static void indirect_rays_take_104_bytes(void **state)
{
    static uint8_t record[64] __attribute__((aligned(64)));
    static struct exec_dispatch_rays_arguments commands[2];
    static const struct exec_indirect_argument argument = {EXEC_INDIRECT_DISPATCH_RAYS, 104, 0};
    memcpy(record, ray_group.identifier, 32);
    for (uint32_t i = 0; i < 2; i++)
        commands[i] = (struct exec_dispatch_rays_arguments){
            .raygen_address = (uint64_t)(uintptr_t)record, .raygen_bytes = 32, .width = 10 + i, .height = 1, .depth = 1};
    exec_record_set_raytracing(&t.stream, 0)->pipeline = &ray_pipeline;
    struct exec_execute_indirect *entry = exec_record_execute_indirect(&t.stream, 0);
    entry->arguments = &argument;
    entry->argument_count = 1;
    entry->stride = 104;
    entry->max_command_count = 2;
    entry->argument_address = (uint64_t)(uintptr_t)commands;
    entry->argument_bytes = sizeof(commands);
    run();
    assert_int_equal(exec_device_removed(t.device), EXEC_REMOVED_NOT);
    assert_int_equal(counters[9], 2);
    assert_int_equal(counters[10], 1);
    assert_int_equal(counters[11], 0);
}

static void pipelines_unset_each_other(void **state)
{
    set_compute(&shader_constant);
    exec_record_set_raytracing(&t.stream, 0)->pipeline = &ray_pipeline;
    dispatch(1, 1, 1);
    run();
    assert_int_equal(constants_count, 0);
}

static void copies_and_writes_run_in_order(void **state)
{
    static uint32_t words[8];
    memset(words, 0, sizeof(words));
    struct exec_immediate *write = arena_allocate(&t.arena, sizeof(*write), 8);
    *write = (struct exec_immediate){.address = (uint64_t)(uintptr_t)&words[0], .value = 77};
    struct exec_write_immediate *immediate = exec_record_write_immediate(&t.stream, 0);
    immediate->count = 1;
    immediate->writes = write;
    struct exec_copy_buffer *copy = exec_record_copy_buffer(&t.stream, 0);
    copy->source = (uint64_t)(uintptr_t)&words[0];
    copy->destination = (uint64_t)(uintptr_t)&words[4];
    copy->bytes = 8;
    run();
    assert_int_equal(words[4], 77);
}

static void remove_device(struct abi_thread *thread, void *unused, const void *attributes)
{
    exec_device_remove(t.device, EXEC_REMOVED_HUNG, "by the test");
}

static void breadcrumbs_tell_the_running_command(void **state)
{
    static const struct abi_shader shader = {.function = remove_device, .name = "removes", .numthreads = {1, 1, 1}};
    assert_null(exec_device_breadcrumbs(t.device));
    set_compute(&shader);
    exec_record_marker(&t.stream, 0);
    dispatch(1, 1, 1);
    exec_record_marker(&t.stream, 0);
    run();
    const struct exec_breadcrumbs *crumbs = exec_device_breadcrumbs(t.device);
    assert_non_null(crumbs);
    assert_null(crumbs->next);
    assert_string_equal(crumbs->list_name, "test");
    assert_int_equal(crumbs->command_count, 4);
    assert_int_equal(crumbs->completed_count, 2);
    assert_int_equal(crumbs->kinds[2], EXEC_COMMAND_DISPATCH);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(every_thread_of_every_group_runs_once),
        TEST(groupshared_starts_as_zero),
        TEST(barriers_without_a_runner_are_refused),
        TEST(root_arguments_last_until_the_signature_changes),
        TEST(state_does_not_pass_to_the_next_list),
        TEST(bundles_inherit_and_leave_their_bindings),
        TEST(predication_skips_dispatches_and_indirect_calls),
        TEST(indirect_commands_set_constants_and_reset_them),
        TEST(count_buffer_is_read_when_executed),
        TEST(indirect_commands_stay_in_their_buffer),
        TEST(indirect_rays_take_104_bytes),
        TEST(pipelines_unset_each_other),
        TEST(copies_and_writes_run_in_order),
        TEST(breadcrumbs_tell_the_running_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
