/* SPDX-License-Identifier: MIT
 * Fences and queues across the library border. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "helpers/gpu.h"

#include <cmocka.h>

static struct gpu gpu;

static int set_up(void **state)
{
    gpu_init(&gpu);
    return 0;
}

static int tear_down(void **state)
{
    gpu_finish(&gpu);
    return 0;
}

static HANDLE as_handle(int event)
{
    return (HANDLE)(intptr_t)event;
}

static uint64_t event_count(int event)
{
    uint64_t count = 0;
    return read(event, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

static ID3D12Fence *new_fence(UINT64 value)
{
    ID3D12Fence *fence = NULL;
    assert_int_equal(
        ID3D12Device5_CreateFence(gpu.device, value, D3D12_FENCE_FLAG_NONE, &IID_ID3D12Fence, (void **)&fence), S_OK);
    return fence;
}

static ID3D12CommandQueue *new_queue(D3D12_COMMAND_LIST_TYPE type)
{
    D3D12_COMMAND_QUEUE_DESC desc = {.Type = type};
    ID3D12CommandQueue *queue = NULL;
    assert_int_equal(
        ID3D12Device5_CreateCommandQueue(gpu.device, &desc, &IID_ID3D12CommandQueue, (void **)&queue), S_OK);
    return queue;
}

static void cpu_signal_sets_the_value(void **state)
{
    ID3D12Fence *fence = new_fence(42);
    assert_int_equal(ID3D12Fence_GetCompletedValue(fence), 42);
    assert_int_equal(ID3D12Fence_Signal(fence, 100), S_OK);
    assert_int_equal(ID3D12Fence_GetCompletedValue(fence), 100);
    assert_int_equal(ID3D12Fence_Signal(fence, 7), S_OK);
    assert_int_equal(ID3D12Fence_GetCompletedValue(fence), 7);
    ID3D12Fence_Release(fence);
}

static void event_is_set_when_the_queue_signals(void **state)
{
    int event = eventfd(0, 0);
    assert_int_equal(ID3D12Fence_SetEventOnCompletion(gpu.fence, 1, as_handle(event)), S_OK);
    assert_int_equal(ID3D12CommandQueue_Signal(gpu.queue, gpu.fence, 1), S_OK);
    assert_int_equal(event_count(event), 1); /* blocks until it is set */
    close(event);
}

static void event_must_be_open(void **state)
{
    int event = eventfd(0, 0);
    close(event);
    assert_int_equal(ID3D12Fence_SetEventOnCompletion(gpu.fence, 1, as_handle(event)), E_INVALIDARG);
    assert_true(gpu_has_message(&gpu, "SetEventOnCompletion: hEvent"));
}

static void queues_wait_for_each_other(void **state)
{
    ID3D12CommandQueue *compute = new_queue(D3D12_COMMAND_LIST_TYPE_COMPUTE);
    ID3D12CommandQueue *copy = new_queue(D3D12_COMMAND_LIST_TYPE_COPY);
    ID3D12Fence *first = new_fence(0), *second = new_fence(0);
    assert_int_equal(ID3D12CommandQueue_Wait(copy, second, 1), S_OK);
    assert_int_equal(ID3D12CommandQueue_Signal(copy, gpu.fence, 9), S_OK);
    assert_int_equal(ID3D12CommandQueue_Wait(compute, first, 1), S_OK);
    assert_int_equal(ID3D12CommandQueue_Signal(compute, second, 1), S_OK);
    assert_int_equal(ID3D12Fence_GetCompletedValue(gpu.fence), 0);
    assert_int_equal(ID3D12CommandQueue_Signal(gpu.queue, first, 1), S_OK);
    assert_int_equal(ID3D12Fence_SetEventOnCompletion(gpu.fence, 9, NULL), S_OK);
    assert_int_equal(ID3D12Fence_GetCompletedValue(gpu.fence), 9);
    ID3D12Fence_Release(first);
    ID3D12Fence_Release(second);
    ID3D12CommandQueue_Release(compute);
    ID3D12CommandQueue_Release(copy);
}

static void fence_released_while_queued_is_kept(void **state)
{
    ID3D12Fence *fence = new_fence(0);
    assert_int_equal(ID3D12CommandQueue_Wait(gpu.queue, gpu.fence, 1), S_OK);
    assert_int_equal(ID3D12CommandQueue_Signal(gpu.queue, fence, 5), S_OK);
    assert_int_equal(ID3D12Fence_Release(fence), 0);
    assert_int_equal(ID3D12Fence_Signal(gpu.fence, 1), S_OK);
    gpu.fence_value = 1;
    gpu_wait(&gpu);
}

static void several_fences_all_and_any(void **state)
{
    ID3D12Fence *fences[2] = {new_fence(0), new_fence(0)};
    const UINT64 values[2] = {3, 4};
    int all = eventfd(0, EFD_NONBLOCK), any = eventfd(0, EFD_NONBLOCK);
    assert_int_equal(ID3D12Device5_SetEventOnMultipleFenceCompletion(gpu.device, fences, values, 2,
                                                                     D3D12_MULTIPLE_FENCE_WAIT_FLAG_ALL,
                                                                     as_handle(all)),
                     S_OK);
    assert_int_equal(ID3D12Device5_SetEventOnMultipleFenceCompletion(gpu.device, fences, values, 2,
                                                                     D3D12_MULTIPLE_FENCE_WAIT_FLAG_ANY,
                                                                     as_handle(any)),
                     S_OK);
    ID3D12Fence_Signal(fences[1], 4);
    assert_int_equal(event_count(any), 1);
    assert_int_equal(event_count(all), 0);
    ID3D12Fence_Signal(fences[0], 3);
    assert_int_equal(event_count(all), 1);
    close(all);
    close(any);
    ID3D12Fence_Release(fences[0]);
    ID3D12Fence_Release(fences[1]);
}

static void fence1_tells_its_flags(void **state)
{
    ID3D12Fence1 *fence = NULL;
    assert_int_equal(
        ID3D12Device5_CreateFence(gpu.device, 0, D3D12_FENCE_FLAG_SHARED, &IID_ID3D12Fence1, (void **)&fence), S_OK);
    assert_int_equal(ID3D12Fence1_GetCreationFlags(fence), D3D12_FENCE_FLAG_SHARED);
    ID3D12Fence1_Release(fence);
}

static void queue_description_comes_back(void **state)
{
    ID3D12CommandQueue *queue = new_queue(D3D12_COMMAND_LIST_TYPE_COMPUTE);
    D3D12_COMMAND_QUEUE_DESC desc = ID3D12CommandQueue_GetDesc(queue);
    assert_int_equal(desc.Type, D3D12_COMMAND_LIST_TYPE_COMPUTE);
    assert_int_equal(desc.NodeMask, 1);
    ID3D12CommandQueue_Release(queue);
    D3D12_COMMAND_QUEUE_DESC bad = {.Type = D3D12_COMMAND_LIST_TYPE_BUNDLE};
    assert_int_equal(ID3D12Device5_CreateCommandQueue(gpu.device, &bad, &IID_ID3D12CommandQueue, (void **)&queue),
                     E_INVALIDARG);
    assert_true(gpu_has_message(&gpu, "CreateCommandQueue: Type is 1"));
}

static void timestamps_and_clocks_agree(void **state)
{
    UINT64 frequency = 0, gpu_time = 0, cpu_time = 0, stamps[2];
    assert_int_equal(ID3D12CommandQueue_GetTimestampFrequency(gpu.queue, &frequency), S_OK);
    assert_int_equal(frequency, 1000000000);
    assert_int_equal(ID3D12CommandQueue_GetClockCalibration(gpu.queue, &gpu_time, &cpu_time), S_OK);
    D3D12_QUERY_HEAP_DESC desc = {.Type = D3D12_QUERY_HEAP_TYPE_TIMESTAMP, .Count = 4};
    ID3D12QueryHeap *heap = NULL;
    assert_int_equal(ID3D12Device5_CreateQueryHeap(gpu.device, &desc, &IID_ID3D12QueryHeap, (void **)&heap), S_OK);
    ID3D12Resource *readback = gpu_buffer(&gpu, D3D12_HEAP_TYPE_READBACK, 64);
    ID3D12GraphicsCommandList4_EndQuery(gpu.list, heap, D3D12_QUERY_TYPE_TIMESTAMP, 1);
    ID3D12GraphicsCommandList4_EndQuery(gpu.list, heap, D3D12_QUERY_TYPE_TIMESTAMP, 2);
    ID3D12GraphicsCommandList4_ResolveQueryData(gpu.list, heap, D3D12_QUERY_TYPE_TIMESTAMP, 1, 2, readback, 8);
    gpu_run(&gpu);
    gpu_read(readback, 8, stamps, sizeof(stamps));
    assert_true(gpu_time <= stamps[0] && stamps[0] <= stamps[1]);
    assert_true(stamps[1] - gpu_time < 60 * frequency);
    ID3D12QueryHeap_Release(heap);
    ID3D12Resource_Release(readback);
}

static void removal_completes_everything(void **state)
{
    ID3D12Fence *fence = new_fence(0);
    int event = eventfd(0, EFD_NONBLOCK);
    assert_int_equal(ID3D12Fence_SetEventOnCompletion(fence, 1000, as_handle(event)), S_OK);
    assert_int_equal(ID3D12CommandQueue_Wait(gpu.queue, fence, 500), S_OK);
    assert_int_equal(ID3D12Device5_GetDeviceRemovedReason(gpu.device), S_OK);
    ID3D12Device5_RemoveDevice(gpu.device);
    assert_int_equal(ID3D12Device5_GetDeviceRemovedReason(gpu.device), DXGI_ERROR_DEVICE_REMOVED);
    assert_true(ID3D12Fence_GetCompletedValue(fence) == UINT64_MAX);
    assert_int_equal(event_count(event), 1);
    assert_int_equal(ID3D12CommandQueue_Signal(gpu.queue, fence, 1), DXGI_ERROR_DEVICE_REMOVED);
    assert_int_equal(ID3D12GraphicsCommandList4_Close(gpu.list), DXGI_ERROR_DEVICE_REMOVED);
    close(event);
    ID3D12Fence_Release(fence);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(cpu_signal_sets_the_value),
        TEST(event_is_set_when_the_queue_signals),
        TEST(event_must_be_open),
        TEST(queues_wait_for_each_other),
        TEST(fence_released_while_queued_is_kept),
        TEST(several_fences_all_and_any),
        TEST(fence1_tells_its_flags),
        TEST(queue_description_comes_back),
        TEST(timestamps_and_clocks_agree),
        TEST(removal_completes_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
