/* SPDX-License-Identifier: MIT
 * Load: many build/dispatch/fence cycles from many threads over many queues, large shader tables, many instances, a
 * large grid. CDXR_LOAD_CYCLES and CDXR_LOAD_THREADS_LOG2 set the sizes; the defaults are for every run of the tests,
 * 10000 and 28 are the full load. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/triangle_scene.h"

#include <cmocka.h>

enum { THREADS = 8, QUEUES = 4, DEFAULT_CYCLES = 1000, DEFAULT_GRID_LOG2 = 20 };

static struct gpu gpu;
static struct triangle_pipeline pipeline;
static ID3D12CommandQueue *queues[QUEUES];
static atomic_int next_cycle, wrong_images;
static int cycle_count;

static int from_environment(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text && atoi(text) > 0 ? atoi(text) : otherwise;
}

static int set_up(void **state)
{
    gpu_init(&gpu);
    triangle_pipeline_init(&pipeline, gpu.device);
    return 0;
}

static int tear_down(void **state)
{
    triangle_pipeline_finish(&pipeline);
    gpu_finish(&gpu);
    return 0;
}

/* One thread: its own scene, allocator and list per queue type; every cycle goes to the next queue. */
static void *cycle_thread(void *argument)
{
    struct triangle_scene scene;
    triangle_scene_init(&scene, &gpu, &pipeline, 16, 16);
    ID3D12CommandAllocator *allocators[2];
    ID3D12GraphicsCommandList4 *lists[2];
    ID3D12Fence *fence;
    static const D3D12_COMMAND_LIST_TYPE types[2] = {D3D12_COMMAND_LIST_TYPE_DIRECT, D3D12_COMMAND_LIST_TYPE_COMPUTE};
    for (int i = 0; i < 2; i++) {
        ID3D12Device5_CreateCommandAllocator(gpu.device, types[i], &IID_ID3D12CommandAllocator,
                                             (void **)&allocators[i]);
        ID3D12Device5_CreateCommandList(gpu.device, 0, types[i], allocators[i], NULL, &IID_ID3D12GraphicsCommandList4,
                                        (void **)&lists[i]);
        ID3D12GraphicsCommandList4_Close(lists[i]);
    }
    ID3D12Device5_CreateFence(gpu.device, 0, D3D12_FENCE_FLAG_NONE, &IID_ID3D12Fence, (void **)&fence);
    D3D12_DISPATCH_RAYS_DESC desc = triangle_scene_desc(&scene);
    UINT64 value = 0;
    for (int cycle; (cycle = atomic_fetch_add(&next_cycle, 1)) < cycle_count;) {
        int queue = cycle % QUEUES, type = queue % 2;
        ID3D12CommandAllocator_Reset(allocators[type]);
        ID3D12GraphicsCommandList4_Reset(lists[type], allocators[type], NULL);
        triangle_scene_build(&scene, lists[type]);
        triangle_scene_bind(&scene, lists[type]);
        ID3D12GraphicsCommandList4_DispatchRays(lists[type], &desc);
        triangle_scene_copy(&scene, lists[type]);
        ID3D12GraphicsCommandList4_Close(lists[type]);
        ID3D12CommandList *base = (ID3D12CommandList *)lists[type];
        ID3D12CommandQueue_ExecuteCommandLists(queues[queue], 1, &base);
        ID3D12CommandQueue_Signal(queues[queue], fence, ++value);
        ID3D12Fence_SetEventOnCompletion(fence, value, NULL);
        if (cycle % 16 == 0 && !triangle_scene_is_right(&scene))
            atomic_fetch_add(&wrong_images, 1);
    }
    for (int i = 0; i < 2; i++) {
        ID3D12GraphicsCommandList4_Release(lists[i]);
        ID3D12CommandAllocator_Release(allocators[i]);
    }
    ID3D12Fence_Release(fence);
    triangle_scene_finish(&scene);
    return NULL;
}

static void cycles_on_four_queues_from_eight_threads(void **state)
{
    cycle_count = from_environment("CDXR_LOAD_CYCLES", DEFAULT_CYCLES);
    atomic_store(&next_cycle, 0);
    for (int i = 0; i < QUEUES; i++) {
        D3D12_COMMAND_QUEUE_DESC desc = {.Type = i % 2 ? D3D12_COMMAND_LIST_TYPE_COMPUTE
                                                       : D3D12_COMMAND_LIST_TYPE_DIRECT};
        assert_int_equal(
            ID3D12Device5_CreateCommandQueue(gpu.device, &desc, &IID_ID3D12CommandQueue, (void **)&queues[i]), S_OK);
    }
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, cycle_thread, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < QUEUES; i++)
        ID3D12CommandQueue_Release(queues[i]);
    assert_int_equal(wrong_images, 0);
    if (gpu_message_count(&gpu))
        gpu_print_messages(&gpu);
    assert_int_equal(gpu_message_count(&gpu), 0);
    assert_int_equal(ID3D12Device5_GetDeviceRemovedReason(gpu.device), S_OK);
}

/* 65536 hit records; the instance points at the last one, all others are garbage that would remove the device. */
static void last_of_64k_shader_records_is_found(void **state)
{
    enum { RECORDS = 65536, RECORD_BYTES = 32 };
    struct triangle_scene scene;
    triangle_scene_init(&scene, &gpu, &pipeline, 16, 16);
    ID3D12Resource *table = gpu_buffer(&gpu, D3D12_HEAP_TYPE_UPLOAD, RECORDS * RECORD_BYTES);
    UINT8 *memory = NULL;
    assert_int_equal(ID3D12Resource_Map(table, 0, NULL, (void **)&memory), S_OK);
    memset(memory, 0x11, RECORDS * RECORD_BYTES);
    memcpy(memory + (RECORDS - 1) * RECORD_BYTES, pipeline.hit, 32);
    D3D12_RAYTRACING_INSTANCE_DESC *instance = NULL;
    assert_int_equal(ID3D12Resource_Map(scene.instance, 0, NULL, (void **)&instance), S_OK);
    instance->InstanceContributionToHitGroupIndex = RECORDS - 1;
    triangle_scene_build(&scene, gpu.list);
    triangle_scene_bind(&scene, gpu.list);
    D3D12_DISPATCH_RAYS_DESC desc = triangle_scene_desc(&scene);
    desc.HitGroupTable = (D3D12_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE){
        ID3D12Resource_GetGPUVirtualAddress(table), RECORDS * RECORD_BYTES, RECORD_BYTES};
    ID3D12GraphicsCommandList4_DispatchRays(gpu.list, &desc);
    triangle_scene_copy(&scene, gpu.list);
    gpu_run(&gpu);
    assert_int_equal(ID3D12Device5_GetDeviceRemovedReason(gpu.device), S_OK);
    assert_true(triangle_scene_is_right(&scene));
    ID3D12Resource_Release(table);
    triangle_scene_finish(&scene);
}

/* 100000 instances side by side behind the image's window, the first in front of it. */
static void hundred_thousand_instances(void **state)
{
    enum { INSTANCES = 100000 };
    struct triangle_scene scene;
    triangle_scene_init(&scene, &gpu, &pipeline, 16, 16);
    D3D12_RAYTRACING_INSTANCE_DESC *instances = calloc(INSTANCES, sizeof(*instances));
    for (UINT i = 0; i < INSTANCES; i++) {
        instances[i] = (D3D12_RAYTRACING_INSTANCE_DESC){
            .Transform = {{1, 0, 0, i ? 10 + 3.0f * (float)(i % 300) : 0}, {0, 1, 0, i ? 3.0f * (float)(i / 300) : 0}, {0, 0, 1, 0}},
            .InstanceID = i, .InstanceMask = 0xff,
            .AccelerationStructure = ID3D12Resource_GetGPUVirtualAddress(scene.blas)};
    }
    ID3D12Resource *buffer = gpu_upload(&gpu, instances, INSTANCES * sizeof(*instances));
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC desc = {
        .Inputs = {.Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL, .NumDescs = INSTANCES,
                   .InstanceDescs = ID3D12Resource_GetGPUVirtualAddress(buffer)}};
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO info;
    ID3D12Device5_GetRaytracingAccelerationStructurePrebuildInfo(gpu.device, &desc.Inputs, &info);
    ID3D12Resource *result = gpu_structure_buffer(&gpu, info.ResultDataMaxSizeInBytes);
    ID3D12Resource *scratch = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, info.ScratchDataSizeInBytes);
    desc.DestAccelerationStructureData = ID3D12Resource_GetGPUVirtualAddress(result);
    desc.ScratchAccelerationStructureData = ID3D12Resource_GetGPUVirtualAddress(scratch);
    triangle_scene_build(&scene, gpu.list);
    ID3D12GraphicsCommandList4_BuildRaytracingAccelerationStructure(gpu.list, &desc, 0, NULL);
    triangle_scene_bind(&scene, gpu.list);
    ID3D12GraphicsCommandList4_SetComputeRootShaderResourceView(gpu.list, 0, desc.DestAccelerationStructureData);
    D3D12_DISPATCH_RAYS_DESC rays = triangle_scene_desc(&scene);
    ID3D12GraphicsCommandList4_DispatchRays(gpu.list, &rays);
    triangle_scene_copy(&scene, gpu.list);
    gpu_run(&gpu);
    assert_true(triangle_scene_is_right(&scene));
    assert_int_equal(gpu_message_count(&gpu), 0);
    free(instances);
    ID3D12Resource_Release(buffer);
    ID3D12Resource_Release(result);
    ID3D12Resource_Release(scratch);
    triangle_scene_finish(&scene);
}

/* A grid far larger than the image: writes outside it are dropped. */
static void large_grid_completes(void **state)
{
    struct triangle_scene scene;
    triangle_scene_init(&scene, &gpu, &pipeline, 16, 16);
    triangle_scene_build(&scene, gpu.list);
    triangle_scene_bind(&scene, gpu.list);
    D3D12_DISPATCH_RAYS_DESC desc = triangle_scene_desc(&scene);
    int log2 = from_environment("CDXR_LOAD_THREADS_LOG2", DEFAULT_GRID_LOG2);
    desc.Width = 1u << (log2 + 1) / 2;
    desc.Height = 1u << log2 / 2;
    ID3D12GraphicsCommandList4_DispatchRays(gpu.list, &desc);
    gpu_run(&gpu);
    assert_int_equal(ID3D12Device5_GetDeviceRemovedReason(gpu.device), S_OK);
    assert_int_equal(gpu_message_count(&gpu), 0);
    triangle_scene_finish(&scene);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(cycles_on_four_queues_from_eight_threads),
        TEST(last_of_64k_shader_records_is_found),
        TEST(hundred_thousand_instances),
        TEST(large_grid_completes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
