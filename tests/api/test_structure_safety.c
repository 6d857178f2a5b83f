/* SPDX-License-Identifier: MIT
 * Rays over structures that are not what they should be: addresses that lead nowhere or to something else, patched pointers
 * of deserialised structures, memory that was overwritten after the build. Nothing crashes: the device is removed with one
 * message that names the address, or the rays see what the rule says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/triangle_scene.h"

#include <cmocka.h>

enum { ROOM_BYTES = 65536, BLAS_POINTER_OFFSET = 56 /* behind the serialised header */, HEADER_LEAF_OFFSET = 72 };

static struct gpu gpu;
static struct triangle_pipeline pipeline;
static struct triangle_scene scene;
static ID3D12Resource *garbage; /* 0xff everywhere, may be copied from and read by shaders */

static UINT64 address_of(ID3D12Resource *resource)
{
    return ID3D12Resource_GetGPUVirtualAddress(resource);
}

static int set_up(void **state)
{
    static UINT8 bytes[ROOM_BYTES];
    memset(bytes, 0xff, sizeof(bytes));
    gpu_init(&gpu);
    triangle_pipeline_init(&pipeline, gpu.device);
    triangle_scene_init(&scene, &gpu, &pipeline, 32, 32);
    triangle_scene_build(&scene, gpu.list);
    garbage = gpu_upload(&gpu, bytes, sizeof(bytes));
    gpu_run(&gpu);
    gpu_forget_messages(&gpu);
    return 0;
}

static int tear_down(void **state)
{
    ID3D12Resource_Release(garbage);
    triangle_scene_finish(&scene);
    triangle_pipeline_finish(&pipeline);
    gpu_finish(&gpu);
    return 0;
}

static void dispatch(UINT64 structure)
{
    triangle_scene_bind(&scene, gpu.list);
    ID3D12GraphicsCommandList4_SetComputeRootShaderResourceView(gpu.list, 0, structure);
    D3D12_DISPATCH_RAYS_DESC desc = triangle_scene_desc(&scene);
    ID3D12GraphicsCommandList4_DispatchRays(gpu.list, &desc);
}

/* The device is removed with one message, that has text. A root argument that leads nowhere has one more of its own. */
static void expect_removal(const char *name, UINT64 structure, const char *text)
{
    dispatch(structure);
    gpu_forget_messages(&gpu);
    assert_int_equal(ID3D12GraphicsCommandList4_Close(gpu.list), S_OK);
    ID3D12CommandList *list = (ID3D12CommandList *)gpu.list;
    ID3D12CommandQueue_ExecuteCommandLists(gpu.queue, 1, &list);
    UINT64 value = ++gpu.fence_value;
    ID3D12CommandQueue_Signal(gpu.queue, gpu.fence, value);
    assert_int_equal(ID3D12Fence_SetEventOnCompletion(gpu.fence, value, NULL), S_OK);
    UINT64 expected = gpu_has_message(&gpu, "which lies in no buffer") ? 2 : 1;
    if (ID3D12Device5_GetDeviceRemovedReason(gpu.device) != DXGI_ERROR_DEVICE_HUNG || !gpu_has_message(&gpu, text) ||
        gpu_message_count(&gpu) != expected) {
        gpu_print_messages(&gpu);
        fail_msg("%s: no removal with the message '%s'", name, text);
    }
}

static void expect_image(const char *name, UINT64 structure)
{
    dispatch(structure);
    triangle_scene_copy(&scene, gpu.list);
    gpu_run(&gpu);
    if (ID3D12Device5_GetDeviceRemovedReason(gpu.device) != S_OK || !triangle_scene_is_right(&scene)) {
        gpu_print_messages(&gpu);
        fail_msg("%s: the image is wrong", name);
    }
}

static void expect_empty_image(const char *name, UINT64 structure)
{
    float pixel[4];
    dispatch(structure);
    triangle_scene_copy(&scene, gpu.list);
    gpu_run(&gpu);
    assert_int_equal(ID3D12Device5_GetDeviceRemovedReason(gpu.device), S_OK);
    triangle_scene_pixel(&scene, 10, 10, pixel);
    if (pixel[3] != 0)
        fail_msg("%s: there is a hit", name);
}

/* --- the address of the top level --- */

static UINT64 nowhere(void) { return 0x10000; }
static UINT64 unaligned(void) { return address_of(scene.tlas) + 64; }
static UINT64 inside(void) { return address_of(scene.tlas) + 256; }
static UINT64 of_bottom(void) { return address_of(scene.blas); }
static UINT64 of_garbage(void) { return address_of(garbage); }
static UINT64 noncanonical(void) { return UINT64_C(0xffffdead00000000); }

static void test_top_level_addresses(void **state)
{
    static const struct {
        const char *name;
        UINT64 (*address)(void);
    } cases[] = {{"nowhere", nowhere}, {"unaligned", unaligned}, {"inside the structure", inside}, {"bottom level", of_bottom},
                 {"garbage", of_garbage}, {"no address at all", noncanonical}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (i)
            set_up(NULL);
        expect_removal(cases[i].name, cases[i].address(), "does not start a top-level acceleration structure");
        if (i + 1 < sizeof(cases) / sizeof(cases[0]))
            tear_down(NULL);
    }
}

static void test_null_and_unbuilt(void **state)
{
    ID3D12Resource *unbuilt = gpu_structure_buffer(&gpu, ROOM_BYTES);
    expect_empty_image("null", 0);
    expect_empty_image("never built", address_of(unbuilt));
    ID3D12Resource_Release(unbuilt);
}

/* --- pointers to bottom levels --- */

/* The top level with another bottom-level address, by way of its serialised form. */
static ID3D12Resource *patched_top_level(UINT64 bottom)
{
    UINT8 bytes[4096];
    ID3D12Resource *serialized = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, ROOM_BYTES), *result = gpu_structure_buffer(&gpu, ROOM_BYTES);
    ID3D12Resource *readback = gpu_buffer(&gpu, D3D12_HEAP_TYPE_READBACK, sizeof(bytes));
    ID3D12GraphicsCommandList4_CopyRaytracingAccelerationStructure(gpu.list, address_of(serialized), address_of(scene.tlas),
                                                                   D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE_SERIALIZE);
    ID3D12GraphicsCommandList4_CopyBufferRegion(gpu.list, readback, 0, serialized, 0, sizeof(bytes));
    gpu_run(&gpu);
    gpu_read(readback, 0, bytes, sizeof(bytes));
    memcpy(bytes + BLAS_POINTER_OFFSET, &bottom, sizeof(bottom));
    ID3D12Resource *upload = gpu_upload(&gpu, bytes, sizeof(bytes));
    ID3D12GraphicsCommandList4_CopyRaytracingAccelerationStructure(gpu.list, address_of(result), address_of(upload),
                                                                   D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE_DESERIALIZE);
    gpu_run(&gpu);
    ID3D12Resource_Release(upload);
    ID3D12Resource_Release(serialized);
    ID3D12Resource_Release(readback);
    return result;
}

static UINT64 of_top(void) { return address_of(scene.tlas); }
static UINT64 inside_bottom(void) { return address_of(scene.blas) + 256; }
static UINT64 far_away(void) { return UINT64_C(0x7fffffff0000); }

static void test_patched_pointers(void **state)
{
    static const struct {
        const char *name;
        UINT64 (*address)(void);
    } cases[] = {{"nowhere", nowhere}, {"top level", of_top}, {"inside a bottom level", inside_bottom}, {"garbage", of_garbage},
                 {"far away", far_away}};
    ID3D12Resource *good = patched_top_level(address_of(scene.blas));
    expect_image("unchanged pointer", address_of(good));
    ID3D12Resource_Release(good);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (i)
            set_up(NULL);
        ID3D12Resource *top = patched_top_level(cases[i].address());
        expect_removal(cases[i].name, address_of(top), "where no bottom-level structure is any more");
        ID3D12Resource_Release(top);
        if (i + 1 < sizeof(cases) / sizeof(cases[0]))
            tear_down(NULL);
    }
}

/* An unaligned pointer fails the deserialise itself; what is there then is no structure. */
static void test_unaligned_pointer(void **state)
{
    ID3D12Resource *top = patched_top_level(address_of(scene.blas) + 8);
    assert_true(gpu_has_message(&gpu, "is not aligned to 256 bytes"));
    expect_removal("unaligned", address_of(top), "does not start a top-level acceleration structure");
    ID3D12Resource_Release(top);
}

/* --- memory that was overwritten after the build --- */

static void overwrite(ID3D12Resource *structure, UINT64 offset, UINT64 bytes)
{
    ID3D12GraphicsCommandList4_CopyBufferRegion(gpu.list, structure, offset, garbage, 0, bytes);
    gpu_run(&gpu);
}

static void test_overwritten_top_level(void **state)
{
    expect_image("before", address_of(scene.tlas));
    overwrite(scene.tlas, HEADER_LEAF_OFFSET, 8); /* the rest of the header still looks right */
    expect_removal("leaf offset", address_of(scene.tlas), "is damaged");
}

static void test_overwritten_bottom_level(void **state)
{
    expect_image("before", address_of(scene.tlas));
    overwrite(scene.blas, HEADER_LEAF_OFFSET, 8);
    expect_removal("leaf offset", address_of(scene.tlas), "where no bottom-level structure is any more");
}

static void test_overwritten_bottom_level_header(void **state)
{
    expect_image("before", address_of(scene.tlas));
    overwrite(scene.blas, 0, 256);
    expect_removal("header", address_of(scene.tlas), "where no bottom-level structure is any more");
}

static void build_bottom(UINT64 destination)
{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC desc = {
        .DestAccelerationStructureData = destination,
        .Inputs = {.Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL, .NumDescs = 1, .pGeometryDescs = &scene.geometry},
        .ScratchAccelerationStructureData = address_of(scene.scratch)};
    ID3D12GraphicsCommandList4_BuildRaytracingAccelerationStructure(gpu.list, &desc, 0, NULL);
    gpu_run(&gpu);
}

/* A build into the middle of a structure leaves its header as it was. */
static void test_overlapping_build(void **state)
{
    expect_image("before", address_of(scene.tlas));
    build_bottom(address_of(scene.blas) + 256);
    dispatch(address_of(scene.tlas)); /* looked through again: what is there now may be safe, or not */
    gpu_forget_messages(&gpu);
    assert_int_equal(ID3D12GraphicsCommandList4_Close(gpu.list), S_OK);
    ID3D12CommandList *list = (ID3D12CommandList *)gpu.list;
    ID3D12CommandQueue_ExecuteCommandLists(gpu.queue, 1, &list);
    gpu_wait(&gpu);
    assert_true(gpu_message_count(&gpu) <= 1);
}

/* The bottom level gives way to a top level, and to another bottom level. */
static void test_replaced_bottom_level(void **state)
{
    expect_image("before", address_of(scene.tlas));
    build_bottom(address_of(scene.blas));
    expect_image("built again", address_of(scene.tlas));
    ID3D12GraphicsCommandList4_CopyRaytracingAccelerationStructure(gpu.list, address_of(scene.blas), address_of(scene.tlas),
                                                                   D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE_CLONE);
    gpu_run(&gpu);
    expect_removal("a top level", address_of(scene.tlas), "where no bottom-level structure is any more");
}

/* --- writable views --- */

static void create_view(ID3D12Resource *buffer, UINT slot)
{
    D3D12_UNORDERED_ACCESS_VIEW_DESC desc = {.Format = DXGI_FORMAT_R32_TYPELESS, .ViewDimension = D3D12_UAV_DIMENSION_BUFFER,
                                             .Buffer = {.NumElements = 64, .Flags = D3D12_BUFFER_UAV_FLAG_RAW}};
    D3D12_CPU_DESCRIPTOR_HANDLE handle = ID3D12DescriptorHeap_GetCPUDescriptorHandleForHeapStart(scene.heap);
    handle.ptr += slot * ID3D12Device5_GetDescriptorHandleIncrementSize(gpu.device, D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
    ID3D12Device5_CreateUnorderedAccessView(gpu.device, buffer, NULL, &desc, handle);
}

static void test_no_writable_view(void **state)
{
    create_view(scene.scratch, 1);
    assert_int_equal(gpu_message_count(&gpu), 0);
    create_view(scene.blas, 2);
    assert_int_equal(gpu_message_count(&gpu), 1);
    assert_true(gpu_has_message(&gpu, "was created in state RAYTRACING_ACCELERATION_STRUCTURE"));
    expect_image("after", address_of(scene.tlas));
}

/* --- structures in buffers of other states: a message of the debug layer, and right pictures --- */

static void test_structures_in_other_buffers(void **state)
{
    ID3D12Resource *plain = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, ROOM_BYTES);
    build_bottom(address_of(plain));
    ID3D12Resource *top = patched_top_level(address_of(plain));
    expect_image("bottom level in a plain buffer", address_of(top));
    ID3D12GraphicsCommandList4_CopyBufferRegion(gpu.list, plain, HEADER_LEAF_OFFSET, garbage, 0, 8);
    expect_removal("overwritten", address_of(top), "where no bottom-level structure is any more");
    ID3D12Resource_Release(top);
    ID3D12Resource_Release(plain);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_top_level_addresses),
        TEST(test_null_and_unbuilt),
        TEST(test_patched_pointers),
        TEST(test_unaligned_pointer),
        TEST(test_overwritten_top_level),
        TEST(test_overwritten_bottom_level),
        TEST(test_overwritten_bottom_level_header),
        TEST(test_overlapping_build),
        TEST(test_replaced_bottom_level),
        TEST(test_no_writable_view),
        TEST(test_structures_in_other_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
