/* SPDX-License-Identifier: MIT
 * Answers that programs and public test suites know from the runtime of Windows and that the API reference leaves open
 * or says in passing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/pipeline.h"

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

static D3D12_RESOURCE_DESC texture_desc(DXGI_FORMAT format, UINT64 width, UINT height, UINT16 mips)
{
    return (D3D12_RESOURCE_DESC){.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE2D,
                                 .Width = width,
                                 .Height = height,
                                 .DepthOrArraySize = 1,
                                 .MipLevels = mips,
                                 .Format = format,
                                 .SampleDesc = {1, 0}};
}

static void private_data_is_removed_once(void **state)
{
    static const GUID guid = {0x1d6a2f10, 0x7c45, 0x4e7b, {0x91, 0x3a, 0x55, 0x20, 0x8e, 0xc4, 0x77, 0x01}};
    ID3D12CommandQueue *queue = gpu.queue;
    const void *nothing = &gpu;
    UINT byte_count = sizeof(nothing), data = 5;
    assert_int_equal(ID3D12CommandQueue_SetPrivateData(queue, &guid, 0, NULL), S_FALSE);
    assert_int_equal(ID3D12CommandQueue_SetPrivateData(queue, &guid, sizeof(data), &data), S_OK);
    assert_int_equal(ID3D12CommandQueue_SetPrivateData(queue, &guid, 77, NULL), S_OK);
    assert_int_equal(ID3D12CommandQueue_SetPrivateData(queue, &guid, 77, NULL), S_FALSE);
    assert_int_equal(ID3D12CommandQueue_SetPrivateDataInterface(queue, &guid, NULL), S_OK); /* NULL is kept */
    assert_int_equal(ID3D12CommandQueue_GetPrivateData(queue, &guid, &byte_count, (void *)&nothing), S_OK);
    assert_int_equal(byte_count, sizeof(nothing));
    assert_null(nothing);
}

static void more_mips_than_the_size_has_are_accepted(void **state)
{
    D3D12_RESOURCE_DESC desc = texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, 32, 32, 10);
    ID3D12Resource *texture = gpu_texture(&gpu, &desc);
    assert_int_equal(ID3D12Resource_GetDesc(texture).MipLevels, 10);
    D3D12_PLACED_SUBRESOURCE_FOOTPRINT layout;
    ID3D12Device5_GetCopyableFootprints(gpu.device, &desc, 9, 1, 0, &layout, NULL, NULL, NULL);
    assert_int_equal(layout.Footprint.Width, 1);
    ID3D12Resource_Release(texture);
    static const D3D12_HEAP_PROPERTIES heap = {.Type = D3D12_HEAP_TYPE_DEFAULT};
    desc.MipLevels = 16;
    assert_int_equal(ID3D12Device5_CreateCommittedResource(gpu.device, &heap, 0, &desc, 0, NULL, &IID_ID3D12Resource,
                                                           (void **)&texture),
                     E_INVALIDARG);
    assert_true(gpu_has_message(&gpu, "MipLevels is 16"));
}

static void null_pipeline_state_does_not_spoil_the_list(void **state)
{
    ID3D12Resource *buffer = gpu_buffer(&gpu, D3D12_HEAP_TYPE_READBACK, 256);
    ID3D12GraphicsCommandList4_SetPipelineState(gpu.list, NULL);
    assert_true(gpu_has_message(&gpu, "SetPipelineState: pPipelineState is NULL"));
    ID3D12GraphicsCommandList4_DrawInstanced(gpu.list, 3, 1, 0, 0);
    gpu_run(&gpu);
    ID3D12Resource_Release(buffer);
}

static void failed_map_leaves_the_pointer(void **state)
{
    ID3D12Resource *buffer = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, 256);
    void *data = &gpu;
    assert_int_equal(ID3D12Resource_Map(buffer, 0, NULL, &data), E_INVALIDARG);
    assert_ptr_equal(data, &gpu);
    ID3D12Resource_Release(buffer);
}

static void no_descriptions_need_no_memory(void **state)
{
    D3D12_RESOURCE_ALLOCATION_INFO info = ID3D12Device5_GetResourceAllocationInfo(gpu.device, 0, 0, NULL);
    assert_int_equal(info.SizeInBytes, 0);
    assert_int_equal(info.Alignment, 1);
}

/* Rows of two-plane formats are aligned to 512 bytes; samples do not count. */
static void footprints_of_planes_and_samples(void **state)
{
    D3D12_RESOURCE_DESC desc = texture_desc(DXGI_FORMAT_D32_FLOAT_S8X24_UINT, 130, 4, 1);
    D3D12_PLACED_SUBRESOURCE_FOOTPRINT layouts[2];
    desc.Flags = D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL;
    ID3D12Device5_GetCopyableFootprints(gpu.device, &desc, 0, 2, 0, layouts, NULL, NULL, NULL);
    assert_int_equal(layouts[0].Footprint.RowPitch, 1024);
    assert_int_equal(layouts[1].Footprint.RowPitch, 512);
    desc = texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, 512, 512, 1);
    desc.SampleDesc.Count = 4;
    desc.Flags = D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET;
    UINT64 total = 0;
    ID3D12Device5_GetCopyableFootprints(gpu.device, &desc, 0, 1, 0, layouts, NULL, NULL, &total);
    assert_int_equal(layouts[0].Footprint.RowPitch, 2048);
    assert_int_equal(total, 1048576);
}

static void unknown_modes_and_flags_are_refused(void **state)
{
    ID3D12Resource *buffer = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, 256);
    ID3D12GraphicsCommandList2 *list2;
    ID3D12Device1 *device1;
    ID3D12GraphicsCommandList4_QueryInterface(gpu.list, &IID_ID3D12GraphicsCommandList2, (void **)&list2);
    ID3D12Device5_QueryInterface(gpu.device, &IID_ID3D12Device1, (void **)&device1);
    D3D12_WRITEBUFFERIMMEDIATE_PARAMETER parameter = {ID3D12Resource_GetGPUVirtualAddress(buffer), 1};
    D3D12_WRITEBUFFERIMMEDIATE_MODE mode = (D3D12_WRITEBUFFERIMMEDIATE_MODE)0x7fffffff;
    ID3D12GraphicsCommandList2_WriteBufferImmediate(list2, 1, &parameter, &mode);
    assert_true(gpu_has_message(&gpu, "WriteBufferImmediate: pModes[0]"));
    assert_int_equal(ID3D12GraphicsCommandList4_Close(gpu.list), E_INVALIDARG);
    UINT64 value = 0;
    assert_int_equal(ID3D12Device1_SetEventOnMultipleFenceCompletion(device1, &gpu.fence, &value, 1,
                                                                     (D3D12_MULTIPLE_FENCE_WAIT_FLAGS)0xf0, NULL),
                     E_INVALIDARG);
    ID3D12Device1_Release(device1);
    ID3D12GraphicsCommandList2_Release(list2);
    ID3D12Resource_Release(buffer);
}

/* A queue's wait counts from the call on: a value that the fence had for a moment ends it. */
static void queue_remembers_a_passing_fence_value(void **state)
{
    ID3D12Fence *first, *second, *done;
    ID3D12Fence **fences[] = {&first, &second, &done};
    for (int i = 0; i < 3; i++)
        ID3D12Device5_CreateFence(gpu.device, 0, D3D12_FENCE_FLAG_NONE, &IID_ID3D12Fence, (void **)fences[i]);
    ID3D12CommandQueue_Wait(gpu.queue, first, 1);
    ID3D12CommandQueue_Wait(gpu.queue, second, 8);
    ID3D12CommandQueue_Signal(gpu.queue, done, 1);
    ID3D12Fence_Signal(second, 8);
    ID3D12Fence_Signal(second, 0); /* before the queue comes to that wait */
    ID3D12Fence_Signal(first, 1);
    assert_int_equal(ID3D12Fence_SetEventOnCompletion(done, 1, NULL), S_OK);
    assert_int_equal(ID3D12Fence_GetCompletedValue(second), 0);
    for (int i = 0; i < 3; i++)
        ID3D12Fence_Release(*fences[i]);
}

/* An 8 x 8 BC1 texture has 2 x 2 blocks of 64 bits. */
static void blocks_are_copied_as_integers(void **state)
{
    D3D12_RESOURCE_DESC blocks_desc = texture_desc(DXGI_FORMAT_BC1_UNORM, 8, 8, 1);
    D3D12_RESOURCE_DESC plain_desc = texture_desc(DXGI_FORMAT_R32G32_UINT, 2, 2, 1);
    ID3D12Resource *blocks = gpu_texture(&gpu, &blocks_desc), *plain = gpu_texture(&gpu, &plain_desc);
    UINT8 data[512] = {0};
    for (int i = 0; i < 16; i++)
        data[i] = data[256 + i] = (UINT8)(17 * i + 3);
    ID3D12Resource *upload = gpu_upload(&gpu, data, sizeof(data));
    ID3D12Resource *back = gpu_buffer(&gpu, D3D12_HEAP_TYPE_READBACK, 512);
    D3D12_TEXTURE_COPY_LOCATION texture = {.pResource = plain, .Type = D3D12_TEXTURE_COPY_TYPE_SUBRESOURCE_INDEX};
    D3D12_TEXTURE_COPY_LOCATION buffer = {.pResource = upload,
                                          .Type = D3D12_TEXTURE_COPY_TYPE_PLACED_FOOTPRINT,
                                          .PlacedFootprint = {0, {DXGI_FORMAT_R32G32_UINT, 2, 2, 1, 256}}};
    ID3D12GraphicsCommandList4_CopyTextureRegion(gpu.list, &texture, 0, 0, 0, &buffer, NULL);
    ID3D12GraphicsCommandList4_CopyResource(gpu.list, blocks, plain);
    texture.pResource = blocks;
    buffer.pResource = back;
    buffer.PlacedFootprint.Footprint = (D3D12_SUBRESOURCE_FOOTPRINT){DXGI_FORMAT_BC1_UNORM, 8, 8, 1, 256};
    ID3D12GraphicsCommandList4_CopyTextureRegion(gpu.list, &buffer, 0, 0, 0, &texture, NULL);
    gpu_run(&gpu);
    UINT8 got[272];
    gpu_read(back, 0, got, sizeof(got));
    assert_memory_equal(got, data, 16);
    assert_memory_equal(got + 256, data + 256, 16);
    ID3D12Resource_Release(back);
    ID3D12Resource_Release(upload);
    ID3D12Resource_Release(plain);
    ID3D12Resource_Release(blocks);
}

static void deserializers_answer_their_own_interface_only(void **state)
{
    SIZE_T byte_count;
    void *bytes = fixture_read("27_nonuniform.global_rs.rs", &byte_count);
    IUnknown *unknown;
    assert_int_equal(D3D12CreateRootSignatureDeserializer(bytes, byte_count, &IID_IUnknown, (void **)&unknown),
                     E_NOINTERFACE);
    assert_int_equal(D3D12CreateVersionedRootSignatureDeserializer(bytes, byte_count, &IID_IUnknown, (void **)&unknown),
                     E_NOINTERFACE);
    free(bytes);
}

/* Fixture 27 declares unbounded arrays; ranges of any length that begin where the array does will do. */
static void unbounded_arrays_take_bounded_ranges(void **state)
{
    SIZE_T byte_count;
    void *bytes = fixture_read("27_nonuniform.global_rs.rs", &byte_count);
    ID3D12RootSignatureDeserializer *deserializer;
    assert_int_equal(D3D12CreateRootSignatureDeserializer(bytes, byte_count, &IID_ID3D12RootSignatureDeserializer,
                                                          (void **)&deserializer),
                     S_OK);
    D3D12_ROOT_SIGNATURE_DESC desc = *ID3D12RootSignatureDeserializer_GetRootSignatureDesc(deserializer);
    UINT bounded = 0;
    for (UINT i = 0; i < desc.NumParameters; i++) {
        const D3D12_ROOT_PARAMETER *parameter = &desc.pParameters[i];
        if (parameter->ParameterType != D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE)
            continue;
        D3D12_DESCRIPTOR_RANGE *range = (D3D12_DESCRIPTOR_RANGE *)parameter->DescriptorTable.pDescriptorRanges;
        if (range->NumDescriptors == UINT_MAX) {
            range->NumDescriptors = 1;
            bounded++;
        }
    }
    assert_int_equal(bounded, 2);
    ID3DBlob *blob = NULL;
    assert_int_equal(D3D12SerializeRootSignature(&desc, D3D_ROOT_SIGNATURE_VERSION_1_0, &blob, NULL), S_OK);
    struct pipeline pipeline;
    pipeline_init(&pipeline, &gpu, D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE);
    pipeline_library(&pipeline, "27_nonuniform.dxil", NULL);
    pipeline_shader_config(&pipeline, 32, 8);
    pipeline_pipeline_config(&pipeline, 1);
    UINT index = pipeline_add(&pipeline, D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE);
    ID3D12RootSignature *signature;
    assert_int_equal(ID3D12Device5_CreateRootSignature(gpu.device, 0, ID3D10Blob_GetBufferPointer(blob),
                                                       ID3D10Blob_GetBufferSize(blob), &IID_ID3D12RootSignature,
                                                       (void **)&signature),
                     S_OK);
    pipeline.data[index].root_signature.pGlobalRootSignature = signature;
    ID3D12StateObject *object = NULL;
    HRESULT result = pipeline_create(&pipeline, &object);
    if (FAILED(result))
        gpu_print_messages(&gpu);
    assert_int_equal(result, S_OK);
    ID3D12StateObject_Release(object);
    pipeline_finish(&pipeline);
    ID3D12RootSignature_Release(signature);
    ID3D10Blob_Release(blob);
    ID3D12RootSignatureDeserializer_Release(deserializer);
    free(bytes);
}

static void open_list_on_a_queue_removes_the_device(void **state)
{
    ID3D12CommandList *list = (ID3D12CommandList *)gpu.list;
    ID3D12CommandQueue *queue = NULL;
    D3D12_COMMAND_QUEUE_DESC desc = {.Type = D3D12_COMMAND_LIST_TYPE_DIRECT};
    ID3D12CommandQueue_ExecuteCommandLists(gpu.queue, 1, &list);
    assert_true(gpu_has_message(&gpu, "ExecuteCommandLists: ppCommandLists[0] 'unnamed' is not closed"));
    assert_int_equal(ID3D12Device5_GetDeviceRemovedReason(gpu.device), (HRESULT)0x887a0001); /* INVALID_CALL */
    assert_int_equal(ID3D12Device5_CreateCommandQueue(gpu.device, &desc, &IID_ID3D12CommandQueue, (void **)&queue),
                     (HRESULT)0x887a0005); /* DEVICE_REMOVED */
    assert_null(queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(private_data_is_removed_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(more_mips_than_the_size_has_are_accepted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(null_pipeline_state_does_not_spoil_the_list, set_up, tear_down),
        cmocka_unit_test_setup_teardown(failed_map_leaves_the_pointer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_descriptions_need_no_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(footprints_of_planes_and_samples, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unknown_modes_and_flags_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(queue_remembers_a_passing_fence_value, set_up, tear_down),
        cmocka_unit_test_setup_teardown(blocks_are_copied_as_integers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(deserializers_answer_their_own_interface_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unbounded_arrays_take_bounded_ranges, set_up, tear_down),
        cmocka_unit_test_setup_teardown(open_list_on_a_queue_removes_the_device, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
