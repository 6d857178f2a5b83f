/* SPDX-License-Identifier: MIT
 * No ray allocates memory or takes a lock: the calls of malloc and pthread_mutex_lock are counted for a small and for a
 * large dispatch. They are interposed by this file, so the test says nothing (and passes) under sanitizers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abi/services.h"
#include "accel/build.h"
#include "exec/dispatch.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

static atomic_ullong allocations, locks;

#ifndef IS_SANITIZED
extern void *__libc_malloc(size_t bytes);
void *malloc(size_t bytes)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_malloc(bytes);
}

extern void *__libc_calloc(size_t count, size_t bytes);
void *calloc(size_t count, size_t bytes)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_calloc(count, bytes);
}

extern void *__libc_memalign(size_t alignment, size_t bytes);
void *aligned_alloc(size_t alignment, size_t bytes)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_memalign(alignment, bytes);
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    static int (*_Atomic real)(pthread_mutex_t *);
    if (!real)
        real = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
    atomic_fetch_add(&locks, 1);
    return real(mutex);
}
#endif

static uint64_t structure;
static atomic_uint hit_count, any_hit_count;

static void raygen(struct abi_thread *thread, void *unused, const void *attributes)
{
    struct abi_trace_arguments arguments = {
        .acceleration_structure = structure, .instance_mask = 0xff,
        .ray = {.origin = {(float)(thread->dispatch_index[0] % 64) / 48, .25f, -1}, .direction = {0, 0, 1}, .t_max = 9}};
    uint32_t payload = 0;
    thread->dispatch->services->trace_ray(thread, &arguments, &payload);
    atomic_fetch_add_explicit(&hit_count, payload, memory_order_relaxed);
}

static void closest_hit(struct abi_thread *thread, void *payload, const void *attributes)
{
    *(uint32_t *)payload = 1;
}

static void any_hit(struct abi_thread *thread, void *payload, const void *attributes)
{
    atomic_fetch_add_explicit(&any_hit_count, 1, memory_order_relaxed);
}

static const struct abi_shader shaders[3] = {
    {.function = raygen, .name = "raygen", .kind = ABI_SHADER_RAY_GENERATION},
    {.function = closest_hit, .name = "closest hit", .kind = ABI_SHADER_CLOSEST_HIT},
    {.function = any_hit, .name = "any hit", .kind = ABI_SHADER_ANY_HIT},
};
static const struct abi_group groups[2] = {
    {.identifier = {[8] = 1}, .kind = ABI_GROUP_SHADER, .shader = &shaders[0], .name = "raygen"},
    {.identifier = {[0] = 1, [8] = 2}, .kind = ABI_GROUP_TRIANGLES, .closest_hit = &shaders[1], .any_hit = &shaders[2],
     .name = "group"},
};
static const struct abi_group *group_list[2] = {&groups[0], &groups[1]};
static const struct abi_pipeline pipeline = {.groups = group_list, .group_count = 2, .max_recursion_depth = 1};
static uint8_t tables[2][64] __attribute__((aligned(64)));

static uint64_t build(const struct accel_build_inputs *inputs)
{
    struct accel_prebuild_info info;
    assert_int_equal(accel_prebuild_info(inputs, &info, NULL), STATUS_OK);
    struct accel_build_arguments arguments = {.inputs = *inputs,
                                              .result = aligned_alloc(256, (info.result_bytes + 255) & ~255ull),
                                              .scratch = aligned_alloc(256, (info.scratch_bytes + 255) & ~255ull)};
    assert_int_equal(accel_build(&arguments, NULL), STATUS_OK);
    free(arguments.scratch);
    return (uintptr_t)arguments.result;
}

static void dispatch(struct exec_device *device, uint32_t count)
{
    static struct exec_bindings bindings = {.list_name = "test", .raytracing = &pipeline};
    struct exec_dispatch_rays_arguments arguments = {
        .raygen_address = (uintptr_t)tables[0], .raygen_bytes = 64, .hit_address = (uintptr_t)tables[1],
        .hit_bytes = 64, .hit_stride = 64, .width = count, .height = 1, .depth = 1};
    exec_dispatch_rays_run(device, &bindings, &arguments);
}

static void rays_neither_allocate_nor_lock(void **state)
{
    static const float corners[9] = {0, 0, 0, 0, 1, 0, 1, 0, 0};
    struct accel_geometry geometry = {.type = ACCEL_GEOMETRY_TRIANGLES};
    geometry.triangles = (struct accel_triangles){
        .vertices = (uintptr_t)corners, .vertex_stride_bytes = 12, .vertex_count = 3, .vertex_format = 6};
    struct accel_build_inputs bottom = {.level = ACCEL_LEVEL_BOTTOM, .count = 1, .geometries = &geometry};
    static struct {
        float transform[12];
        uint32_t id_and_mask, contribution_and_flags;
        uint64_t blas;
    } instance __attribute__((aligned(16))) = {.transform = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, .id_and_mask = 0xff000000};
    instance.blas = build(&bottom);
    struct accel_build_inputs top = {.level = ACCEL_LEVEL_TOP, .count = 1, .instances = (uintptr_t)&instance};
    structure = build(&top);
    memcpy(tables[0], groups[0].identifier, 32);
    memcpy(tables[1], groups[1].identifier, 32);
    struct thread_pool *pool;
    struct exec_device *device;
    assert_int_equal(thread_pool_create(2, 0, &pool), STATUS_OK);
    struct exec_device_settings settings = {.pool = pool};
    assert_int_equal(exec_device_create(&settings, &device), STATUS_OK);
    dispatch(device, 1000); /* threads and watchdog are there */
    enum { RAYS = 1000000, ALLOWED = 200 };
#ifndef IS_SANITIZED
    assert_true(allocations > 0 && locks > 0); /* the counters are in place */
#endif
    unsigned long long allocations_before = allocations, locks_before = locks;
    atomic_store(&any_hit_count, 0);
    dispatch(device, RAYS);
    unsigned long long allocated = allocations - allocations_before, locked = locks - locks_before;
    assert_true(any_hit_count > RAYS / 4 && hit_count > RAYS / 4);
    if (allocated > ALLOWED || locked > ALLOWED)
        fail_msg("%d rays made %llu allocations and took %llu locks", RAYS, allocated, locked);
    assert_int_equal(exec_device_removed(device), EXEC_REMOVED_NOT);
    exec_device_destroy(device);
    thread_pool_destroy(pool);
    free((void *)(uintptr_t)instance.blas);
    free((void *)(uintptr_t)structure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rays_neither_allocate_nor_lock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
