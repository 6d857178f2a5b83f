/* SPDX-License-Identifier: MIT
 * Rules of command lists, allocators and ExecuteCommandLists: HRESULTs and messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

static void expect_message(const char *text)
{
    if (!gpu_has_message(&gpu, text)) {
        gpu_print_messages(&gpu);
        fail_msg("no message holds '%s'", text);
    }
}

static ID3D12CommandAllocator *new_allocator(D3D12_COMMAND_LIST_TYPE type)
{
    ID3D12CommandAllocator *allocator = NULL;
    assert_int_equal(ID3D12Device5_CreateCommandAllocator(gpu.device, type, &IID_ID3D12CommandAllocator,
                                                          (void **)&allocator),
                     S_OK);
    return allocator;
}

static HRESULT new_list(D3D12_COMMAND_LIST_TYPE type, ID3D12CommandAllocator *allocator,
                        ID3D12GraphicsCommandList4 **list)
{
    *list = NULL;
    return ID3D12Device5_CreateCommandList(gpu.device, 0, type, allocator, NULL, &IID_ID3D12GraphicsCommandList4,
                                           (void **)list);
}

static void close_of_a_closed_list_fails(void **state)
{
    assert_int_equal(ID3D12GraphicsCommandList4_Close(gpu.list), S_OK);
    assert_int_equal(gpu_message_count(&gpu), 0);
    assert_int_equal(ID3D12GraphicsCommandList4_Close(gpu.list), E_FAIL);
    expect_message("closed already");
}

static void reset_of_a_recording_list_fails(void **state)
{
    assert_int_equal(ID3D12GraphicsCommandList4_Reset(gpu.list, gpu.allocator, NULL), E_FAIL);
    expect_message("Reset: list");
}

static void allocator_reset_while_recording_fails(void **state)
{
    assert_int_equal(ID3D12CommandAllocator_Reset(gpu.allocator), E_FAIL);
    expect_message("ID3D12CommandAllocator::Reset: a command list is being recorded");
    assert_int_equal(ID3D12GraphicsCommandList4_Close(gpu.list), S_OK);
    assert_int_equal(ID3D12CommandAllocator_Reset(gpu.allocator), S_OK);
}

static void allocator_takes_one_recording_list(void **state)
{
    ID3D12GraphicsCommandList4 *list;
    assert_int_equal(new_list(D3D12_COMMAND_LIST_TYPE_DIRECT, gpu.allocator, &list), E_INVALIDARG);
    expect_message("another list is being recorded");
    assert_int_equal(ID3D12GraphicsCommandList4_Close(gpu.list), S_OK);
    assert_int_equal(new_list(D3D12_COMMAND_LIST_TYPE_DIRECT, gpu.allocator, &list), S_OK);
    ID3D12GraphicsCommandList4_Release(list);
}

static void allocator_type_must_match(void **state)
{
    ID3D12CommandAllocator *copy = new_allocator(D3D12_COMMAND_LIST_TYPE_COPY);
    ID3D12GraphicsCommandList4 *list;
    assert_int_equal(new_list(D3D12_COMMAND_LIST_TYPE_DIRECT, copy, &list), E_INVALIDARG);
    expect_message("is for lists of type COPY, the list is of type DIRECT");
    assert_int_equal(ID3D12GraphicsCommandList4_Close(gpu.list), S_OK);
    assert_int_equal(ID3D12GraphicsCommandList4_Reset(gpu.list, copy, NULL), E_INVALIDARG);
    ID3D12CommandAllocator_Release(copy);
}

static void calls_on_a_closed_list_are_reported(void **state)
{
    assert_int_equal(ID3D12GraphicsCommandList4_Close(gpu.list), S_OK);
    ID3D12GraphicsCommandList4_Dispatch(gpu.list, 1, 1, 1);
    expect_message("Dispatch: the list is closed");
}

static void copy_lists_refuse_compute(void **state)
{
    ID3D12CommandAllocator *allocator = new_allocator(D3D12_COMMAND_LIST_TYPE_COPY);
    ID3D12GraphicsCommandList4 *list;
    assert_int_equal(new_list(D3D12_COMMAND_LIST_TYPE_COPY, allocator, &list), S_OK);
    ID3D12GraphicsCommandList4_Dispatch(list, 1, 1, 1);
    expect_message("Dispatch: not allowed on lists of type COPY");
    assert_int_equal(ID3D12GraphicsCommandList4_Close(list), E_INVALIDARG);
    ID3D12GraphicsCommandList4_Release(list);
    ID3D12CommandAllocator_Release(allocator);
}

static void recording_errors_come_out_at_close(void **state)
{
    ID3D12Resource *small = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, 256);
    ID3D12GraphicsCommandList4_CopyBufferRegion(gpu.list, small, 0, small, 200, 57);
    expect_message("CopyBufferRegion: pSrcBuffer");
    expect_message("57 bytes from offset 200");
    assert_int_equal(ID3D12GraphicsCommandList4_Close(gpu.list), E_INVALIDARG);
    gpu_forget_messages(&gpu);
    ID3D12CommandList *list = (ID3D12CommandList *)gpu.list;
    ID3D12CommandQueue_ExecuteCommandLists(gpu.queue, 1, &list);
    expect_message("ExecuteCommandLists: ppCommandLists[0] 'unnamed' has errors");
    assert_int_equal(ID3D12GraphicsCommandList4_Reset(gpu.list, gpu.allocator, NULL), S_OK);
    assert_int_equal(ID3D12GraphicsCommandList4_Close(gpu.list), S_OK);
    ID3D12Resource_Release(small);
}

static void only_closed_lists_execute(void **state)
{
    ID3D12CommandList *list = (ID3D12CommandList *)gpu.list;
    assert_int_equal(ID3D12GraphicsCommandList4_Close(gpu.list), S_OK);
    assert_int_equal(ID3D12CommandAllocator_Reset(gpu.allocator), S_OK);
    ID3D12CommandQueue_ExecuteCommandLists(gpu.queue, 1, &list);
    expect_message("its allocator was reset");
}

static void list_type_must_match_the_queue(void **state)
{
    ID3D12CommandAllocator *allocator = new_allocator(D3D12_COMMAND_LIST_TYPE_COMPUTE);
    ID3D12GraphicsCommandList4 *list;
    assert_int_equal(new_list(D3D12_COMMAND_LIST_TYPE_COMPUTE, allocator, &list), S_OK);
    assert_int_equal(ID3D12GraphicsCommandList4_Close(list), S_OK);
    ID3D12CommandList *base = (ID3D12CommandList *)list;
    ID3D12CommandQueue_ExecuteCommandLists(gpu.queue, 1, &base);
    expect_message("is of another type than the queue");
    ID3D12GraphicsCommandList4_Release(list);
    ID3D12CommandAllocator_Release(allocator);
}

static void allocator_reset_while_executing_fails(void **state)
{
    ID3D12CommandQueue_Wait(gpu.queue, gpu.fence, 1);
    assert_int_equal(ID3D12GraphicsCommandList4_Close(gpu.list), S_OK);
    ID3D12CommandList *list = (ID3D12CommandList *)gpu.list;
    ID3D12CommandQueue_ExecuteCommandLists(gpu.queue, 1, &list);
    assert_int_equal(ID3D12CommandAllocator_Reset(gpu.allocator), E_FAIL);
    expect_message("are still executing");
    ID3D12Fence_Signal(gpu.fence, 1);
    gpu.fence_value = 1;
    gpu_wait(&gpu);
    assert_int_equal(ID3D12CommandAllocator_Reset(gpu.allocator), S_OK);
}

static void list_may_be_reset_and_released_while_executing(void **state)
{
    ID3D12Resource *buffer = gpu_buffer(&gpu, D3D12_HEAP_TYPE_READBACK, 64);
    ID3D12Resource *source = gpu_upload(&gpu, "abcdefgh", 8);
    ID3D12CommandQueue_Wait(gpu.queue, gpu.fence, 1);
    ID3D12CommandAllocator *allocator = new_allocator(D3D12_COMMAND_LIST_TYPE_DIRECT);
    ID3D12GraphicsCommandList4 *list;
    assert_int_equal(new_list(D3D12_COMMAND_LIST_TYPE_DIRECT, allocator, &list), S_OK);
    ID3D12GraphicsCommandList4_CopyBufferRegion(list, buffer, 0, source, 0, 8);
    assert_int_equal(ID3D12GraphicsCommandList4_Close(list), S_OK);
    ID3D12CommandList *base = (ID3D12CommandList *)list;
    ID3D12CommandQueue_ExecuteCommandLists(gpu.queue, 1, &base);
    assert_int_equal(ID3D12GraphicsCommandList4_Reset(list, allocator, NULL), S_OK);
    ID3D12GraphicsCommandList4_Release(list);
    ID3D12CommandAllocator_Release(allocator);
    ID3D12Resource_Release(source);
    expect_message("Release: the last reference of resource");
    ID3D12Fence_Signal(gpu.fence, 1);
    gpu.fence_value = 1;
    gpu_wait(&gpu);
    char text[8];
    gpu_read(buffer, 0, text, sizeof(text));
    assert_memory_equal(text, "abcdefgh", 8);
    ID3D12Resource_Release(buffer);
}

static void bundles_survive_the_reset_of_their_allocator(void **state)
{
    ID3D12Resource *buffer = gpu_buffer(&gpu, D3D12_HEAP_TYPE_READBACK, 64);
    ID3D12CommandAllocator *allocator = new_allocator(D3D12_COMMAND_LIST_TYPE_BUNDLE);
    ID3D12GraphicsCommandList4 *bundle;
    assert_int_equal(new_list(D3D12_COMMAND_LIST_TYPE_BUNDLE, allocator, &bundle), S_OK);
    D3D12_WRITEBUFFERIMMEDIATE_PARAMETER parameter = {ID3D12Resource_GetGPUVirtualAddress(buffer), 0xfeedbeef};
    ID3D12GraphicsCommandList4_WriteBufferImmediate(bundle, 1, &parameter, NULL);
    assert_int_equal(ID3D12GraphicsCommandList4_Close(bundle), S_OK);
    ID3D12GraphicsCommandList4_ExecuteBundle(gpu.list, (ID3D12GraphicsCommandList *)bundle);
    assert_int_equal(ID3D12CommandAllocator_Reset(allocator), S_OK);
    assert_int_equal(ID3D12GraphicsCommandList4_Reset(bundle, allocator, NULL), S_OK);
    ID3D12GraphicsCommandList4_SetMarker(bundle, 1, "other content", 14);
    gpu_run(&gpu);
    UINT value;
    gpu_read(buffer, 0, &value, sizeof(value));
    assert_int_equal(value, 0xfeedbeef);
    ID3D12GraphicsCommandList4_Release(bundle);
    ID3D12CommandAllocator_Release(allocator);
    ID3D12Resource_Release(buffer);
}

static void draws_are_refused_with_one_message(void **state)
{
    ID3D12GraphicsCommandList4_IASetPrimitiveTopology(gpu.list, D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
    D3D12_VIEWPORT viewport = {0, 0, 1, 1, 0, 1};
    ID3D12GraphicsCommandList4_RSSetViewports(gpu.list, 1, &viewport);
    assert_int_equal(gpu_message_count(&gpu), 0);
    ID3D12GraphicsCommandList4_DrawInstanced(gpu.list, 3, 1, 0, 0);
    assert_int_equal(gpu_message_count(&gpu), 1);
    expect_message("DrawInstanced: this device has no graphics pipelines");
    assert_int_equal(ID3D12GraphicsCommandList4_Close(gpu.list), S_OK);
}

static void root_arguments_need_a_root_signature(void **state)
{
    ID3D12GraphicsCommandList4_SetComputeRoot32BitConstant(gpu.list, 0, 1, 0);
    expect_message("SetComputeRoot32BitConstant: no compute root signature is set");
    assert_int_equal(ID3D12GraphicsCommandList4_Close(gpu.list), E_INVALIDARG);
}

static void all_versions_of_the_interface_are_one_object(void **state)
{
    const IID *iids[] = {&IID_IUnknown, &IID_ID3D12Object, &IID_ID3D12DeviceChild, &IID_ID3D12CommandList,
                         &IID_ID3D12GraphicsCommandList, &IID_ID3D12GraphicsCommandList1,
                         &IID_ID3D12GraphicsCommandList2, &IID_ID3D12GraphicsCommandList3,
                         &IID_ID3D12GraphicsCommandList4, &IID_ID3D12GraphicsCommandList5,
                         &IID_ID3D12GraphicsCommandList6, &IID_ID3D12GraphicsCommandList7,
                         &IID_ID3D12GraphicsCommandList8};
    for (size_t i = 0; i < sizeof(iids) / sizeof(iids[0]); i++) {
        IUnknown *other = NULL;
        assert_int_equal(ID3D12GraphicsCommandList4_QueryInterface(gpu.list, iids[i], (void **)&other), S_OK);
        assert_ptr_equal(other, gpu.list);
        IUnknown_Release(other);
    }
    assert_int_equal(ID3D12GraphicsCommandList4_GetType(gpu.list), D3D12_COMMAND_LIST_TYPE_DIRECT);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(close_of_a_closed_list_fails),
        TEST(reset_of_a_recording_list_fails),
        TEST(allocator_reset_while_recording_fails),
        TEST(allocator_takes_one_recording_list),
        TEST(allocator_type_must_match),
        TEST(calls_on_a_closed_list_are_reported),
        TEST(copy_lists_refuse_compute),
        TEST(recording_errors_come_out_at_close),
        TEST(only_closed_lists_execute),
        TEST(list_type_must_match_the_queue),
        TEST(allocator_reset_while_executing_fails),
        TEST(list_may_be_reset_and_released_while_executing),
        TEST(bundles_survive_the_reset_of_their_allocator),
        TEST(draws_are_refused_with_one_message),
        TEST(root_arguments_need_a_root_signature),
        TEST(all_versions_of_the_interface_are_one_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
