/* SPDX-License-Identifier: MIT
 * Shaders in C through the compiler and the group runner: how threads of a group meet, at several group and wave sizes and
 * in divergent flow, against values computed here. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "abi/services.h"
#include "cdxr/cdxr.h"
#include "dxil/module.h"
#include "dxil/root_signature.h"
#include "jit/c_library.h"
#include "jit/group.h"
#include "jit/jit.h"

enum { MAX_THREADS = 1024 };

static struct dxil_module *module;
static struct dxil_root_signature root;
static uint32_t out[2 * MAX_THREADS];
static volatile uint32_t abort_flag;

static void *read_file(const char *path, size_t *byte_count)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *byte_count = (size_t)ftell(file);
    rewind(file);
    void *bytes = malloc(*byte_count);
    assert_int_equal(fread(bytes, 1, *byte_count, file), *byte_count);
    fclose(file);
    return bytes;
}

static int load(void **state)
{
    (void)state;
    size_t byte_count;
    struct reason reason = {0};
    void *bytes = read_file(CDXR_BINARY_DIR "/tests/groups.bc", &byte_count);
    assert_int_equal(jit_c_library_create(bytes, byte_count, &module, NULL, &reason), STATUS_UNSUPPORTED);
    cdxr_enable_c_shaders();
    if (jit_c_library_create(bytes, byte_count, &module, NULL, &reason) != STATUS_OK)
        fail_msg("%s", reason.text);
    free(bytes);
    root.version = DXIL_ROOT_SIGNATURE_VERSION_1_1;
    root.parameter_count = 1;
    root.parameters = calloc(1, sizeof(*root.parameters));
    root.parameters[0].type = DXIL_ROOT_PARAMETER_UAV;
    assert_int_equal(dxil_root_signature_finish_layout(&root, &reason), STATUS_OK);
    return 0;
}

static int unload(void **state)
{
    (void)state;
    dxil_module_destroy(module);
    dxil_root_signature_finish(&root);
    return 0;
}

static uint64_t bytes_behind(struct abi_thread *thread, uint64_t address)
{
    (void)thread;
    (void)address;
    return sizeof(out);
}

static void run(const char *name, uint32_t wave_size, uint32_t group_count)
{
    struct jit_options options;
    struct reason reason = {0};
    struct jit *jit = NULL;
    struct jit_code *code = NULL;
    jit_options_init(&options);
    options.wave_size = wave_size;
    assert_int_equal(jit_create(&options, &jit, &reason), STATUS_OK);
    struct jit_export export = {module, name, name, &root, NULL};
    const struct dxil_module *modules[] = {module};
    struct jit_program program = {.modules = modules, .module_count = 1, .exports = &export, .export_count = 1};
    if (jit_compile(jit, &program, &code, &reason) != STATUS_OK)
        fail_msg("%s", reason.text);
    const struct abi_services services = {.bytes_behind = bytes_behind};
    uint64_t argument = (uint64_t)(uintptr_t)out, bytes = sizeof(out);
    struct abi_dispatch dispatch = {.services = &services, .global_root_arguments = (const uint8_t *)&argument,
                                    .abort_flag = &abort_flag, .global_root_bytes = &bytes,
                                    .dimensions = {group_count, 1, 1}};
    struct abi_thread thread = {.dispatch = &dispatch, .shader = jit_code_shader(code, 0)};
    void *shared = calloc(1, thread.shader->groupshared_bytes + 64);
    memset(out, 0xee, sizeof(out));
    for (uint32_t group = 0; group < group_count; group++) {
        thread.group_id[0] = group;
        jit_group_run(thread.shader, &thread, shared);
    }
    free(shared);
    jit_code_release(code);
    jit_destroy(jit);
}

static void expect(const char *name, uint32_t index, uint32_t wanted)
{
    if (out[index] != wanted)
        fail_msg("%s: thread %u gives %u, not %u", name, index, out[index], wanted);
}

static const uint32_t sizes[] = {1, 4, 32, 64, 1024};

static void test_barriers_order_memory(void **state)
{
    (void)state;
    for (size_t s = 0; s < ARRAY_COUNT(sizes); s++) {
        char name[32];
        uint32_t threads = sizes[s], sum = threads * (threads + 1) / 2, groups = threads == 1024 ? 2 : 1;
        snprintf(name, sizeof(name), "Barrier%u", threads);
        run(name, 32, groups);
        for (uint32_t i = 0; i < threads * groups; i++)
            expect(name, i, sum);
    }
}

static void test_wave_operations_see_active_lanes(void **state)
{
    (void)state;
    static const uint32_t waves[] = {4, 32, 128};
    for (size_t w = 0; w < ARRAY_COUNT(waves); w++)
        for (size_t s = 0; s < ARRAY_COUNT(sizes); s++) {
            char name[32];
            uint32_t threads = sizes[s];
            snprintf(name, sizeof(name), "Wave%u", threads);
            run(name, waves[w], 1);
            uint32_t lanes = threads < waves[w] ? threads : waves[w];
            for (uint32_t i = 0; i < threads; i++)
                expect(name, i, lanes + (i & 1 ? 1000 * (lanes / 2) : 0) + 1000000 * ((lanes + 3) / 4));
        }
}

static uint32_t count_lanes(bool (*is_there)(uint32_t lane, uint32_t step), uint32_t step)
{
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < 32; lane++)
        count += is_there(lane, step);
    return count;
}

static bool still_loops(uint32_t lane, uint32_t step)
{
    return lane % 5 > step;
}

static void test_loops_reconverge(void **state)
{
    (void)state;
    run("Loop", 32, 1);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t value = 0;
        for (uint32_t k = 0; k < i % 5; k++)
            value = value * 100 + count_lanes(still_loops, k);
        expect("Loop", i, value * 100 + 32);
    }
}

static bool leaves(uint32_t lane, uint32_t step)
{
    return lane % 7 == step;
}

static void test_lanes_that_break_together_meet(void **state)
{
    (void)state;
    run("Break", 32, 1);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t there = 0, step = i % 7;
        for (uint32_t later = step; later < 7; later++)
            there += count_lanes(leaves, later);
        expect("Break", i, (there * 100 + count_lanes(leaves, step)) * 100 + 32);
    }
}

static void test_nested_flow(void **state)
{
    (void)state;
    run("Nested", 32, 1);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t value = 0;
        for (uint32_t b = 0; b <= i % 3; b++)
            for (uint32_t lane = 0; lane < 32; lane++)
                value += lane % 2 == i % 2 && lane % 3 >= b;
        if (i % 4 == 0)
            value += 1000 * (0 + 4 + 8 + 12 + 16 + 20 + 24 + 28);
        else if (i % 4 == 1)
            value += 1000 * 29;
        expect("Nested", i, value + 32000000);
    }
}

static void test_ended_threads_are_not_waited_for(void **state)
{
    (void)state;
    run("EarlyEnd", 32, 1);
    for (uint32_t i = 0; i < 64; i++)
        expect("EarlyEnd", i, i >= 40 ? 7 : 500 + (i < 32 ? 32 : 8));
}

static void *raise_abort(void *context)
{
    (void)context;
    usleep(100000);
    abort_flag = 1;
    return NULL;
}

static void test_endless_loop_is_left_on_abort(void **state)
{
    (void)state;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, raise_abort, NULL), 0);
    run("Endless", 32, 1);
    pthread_join(thread, NULL);
    abort_flag = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barriers_order_memory),
        cmocka_unit_test(test_wave_operations_see_active_lanes),
        cmocka_unit_test(test_loops_reconverge),
        cmocka_unit_test(test_lanes_that_break_together_meet),
        cmocka_unit_test(test_nested_flow),
        cmocka_unit_test(test_ended_threads_are_not_waited_for),
        cmocka_unit_test(test_endless_loop_is_left_on_abort),
    };
    return cmocka_run_group_tests_name("jit_c_library", tests, load, unload);
}
