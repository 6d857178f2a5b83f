/* SPDX-License-Identifier: MIT
 * DispatchRays, ExecuteIndirect and builds through the API: results, and the message of every broken rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cdxr/cdxr.h>

#include "helpers/triangle_scene.h"

#include <cmocka.h>

static struct gpu gpu;
static struct triangle_pipeline pipeline;
static struct triangle_scene scene;

static int set_up(void **state)
{
    gpu_init(&gpu);
    triangle_pipeline_init(&pipeline, gpu.device);
    triangle_scene_init(&scene, &gpu, &pipeline, 32, 32);
    triangle_scene_build(&scene, gpu.list);
    return 0;
}

static int tear_down(void **state)
{
    triangle_scene_finish(&scene);
    triangle_pipeline_finish(&pipeline);
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

static void expect_alive_without_messages(void)
{
    if (gpu_message_count(&gpu)) {
        gpu_print_messages(&gpu);
        fail_msg("there are messages");
    }
    assert_int_equal(ID3D12Device5_GetDeviceRemovedReason(gpu.device), S_OK);
}

/* Execute without the clean-up that needs a living device. */
static void run_to_removal(void)
{
    assert_int_equal(ID3D12GraphicsCommandList4_Close(gpu.list), S_OK);
    ID3D12CommandList *list = (ID3D12CommandList *)gpu.list;
    ID3D12CommandQueue_ExecuteCommandLists(gpu.queue, 1, &list);
    UINT64 value = ++gpu.fence_value;
    ID3D12CommandQueue_Signal(gpu.queue, gpu.fence, value);
    assert_int_equal(ID3D12Fence_SetEventOnCompletion(gpu.fence, value, NULL), S_OK);
    assert_true(ID3D12Fence_GetCompletedValue(gpu.fence) == UINT64_MAX);
    assert_int_equal(ID3D12Device5_GetDeviceRemovedReason(gpu.device), DXGI_ERROR_DEVICE_HUNG);
}

static void image_is_right(void **state)
{
    triangle_scene_bind(&scene, gpu.list);
    D3D12_DISPATCH_RAYS_DESC desc = triangle_scene_desc(&scene);
    ID3D12GraphicsCommandList4_DispatchRays(gpu.list, &desc);
    triangle_scene_copy(&scene, gpu.list);
    gpu_run(&gpu);
    expect_alive_without_messages();
    assert_true(triangle_scene_is_right(&scene));
}

/* One TraceRay a thread, 32 x 32 threads a dispatch. */
static void rays_are_counted(void **state)
{
    assert_int_equal(cdxr_device_ray_count(gpu.device), 0);
    for (uint64_t dispatches = 1; dispatches <= 2; dispatches++) {
        triangle_scene_bind(&scene, gpu.list);
        D3D12_DISPATCH_RAYS_DESC desc = triangle_scene_desc(&scene);
        ID3D12GraphicsCommandList4_DispatchRays(gpu.list, &desc);
        gpu_run(&gpu);
        assert_int_equal(cdxr_device_ray_count(gpu.device), dispatches * 32 * 32);
    }
    assert_int_equal(cdxr_device_ray_count(gpu.queue), 0);
}

static void unbound_root_signature_is_taken_from_the_pipeline(void **state)
{
    ID3D12GraphicsCommandList4_SetPipelineState1(gpu.list, pipeline.object);
    D3D12_DISPATCH_RAYS_DESC desc = triangle_scene_desc(&scene);
    ID3D12GraphicsCommandList4_DispatchRays(gpu.list, &desc);
    gpu_run(&gpu);
    assert_int_equal(ID3D12Device5_GetDeviceRemovedReason(gpu.device), S_OK);
}

struct desc_case {
    const char *name;
    size_t field; /* UINT64 in the description */
    INT64 add;
    const char *text;
};
#define FIELD(name) offsetof(D3D12_DISPATCH_RAYS_DESC, name)

static const struct desc_case bad_descs[] = {
    {"raygen start", FIELD(RayGenerationShaderRecord.StartAddress), 32, "RayGenerationShaderRecord.StartAddress"},
    {"miss start", FIELD(MissShaderTable.StartAddress), 32, "MissShaderTable.StartAddress"},
    {"hit start", FIELD(HitGroupTable.StartAddress), 32, "HitGroupTable.StartAddress"},
    {"stride 48", FIELD(MissShaderTable.StrideInBytes), 16, "MissShaderTable.StrideInBytes is 48"},
    {"stride 4128", FIELD(HitGroupTable.StrideInBytes), 4096, "HitGroupTable.StrideInBytes is 4128"},
};

static void bad_tables_drop_the_call_and_the_list_closes(void **state)
{
    triangle_scene_bind(&scene, gpu.list);
    for (size_t i = 0; i < sizeof(bad_descs) / sizeof(bad_descs[0]); i++) {
        D3D12_DISPATCH_RAYS_DESC desc = triangle_scene_desc(&scene);
        UINT64 value;
        memcpy(&value, (UINT8 *)&desc + bad_descs[i].field, sizeof(value));
        value += (UINT64)bad_descs[i].add;
        memcpy((UINT8 *)&desc + bad_descs[i].field, &value, sizeof(value));
        gpu_forget_messages(&gpu);
        ID3D12GraphicsCommandList4_DispatchRays(gpu.list, &desc);
        expect_message(bad_descs[i].text);
        assert_int_equal(gpu_message_count(&gpu), 1);
    }
    gpu_run(&gpu);
    assert_int_equal(ID3D12Device5_GetDeviceRemovedReason(gpu.device), S_OK);
}

static void table_behind_its_buffer_removes_the_device(void **state)
{
    triangle_scene_bind(&scene, gpu.list);
    D3D12_DISPATCH_RAYS_DESC desc = triangle_scene_desc(&scene);
    desc.MissShaderTable.SizeInBytes = 1 << 20;
    ID3D12GraphicsCommandList4_DispatchRays(gpu.list, &desc);
    run_to_removal();
    expect_message("MissShaderTable.StartAddress");
    expect_message("does not lie in a buffer");
}

static void unknown_identifier_removes_the_device(void **state)
{
    memset(scene.table_memory + TRIANGLE_MISS, 0x77, 32);
    triangle_scene_bind(&scene, gpu.list);
    D3D12_DISPATCH_RAYS_DESC desc = triangle_scene_desc(&scene);
    ID3D12GraphicsCommandList4_DispatchRays(gpu.list, &desc);
    run_to_removal();
    expect_message("record 0 of MissShaderTable holds an identifier that is not one of the bound pipeline state");
    expect_message("shader 'RayGen'");
}

static void null_identifiers_run_nothing(void **state)
{
    memset(scene.table_memory + TRIANGLE_MISS, 0, 32);
    memset(scene.table_memory + TRIANGLE_HIT, 0, 32);
    triangle_scene_bind(&scene, gpu.list);
    D3D12_DISPATCH_RAYS_DESC desc = triangle_scene_desc(&scene);
    ID3D12GraphicsCommandList4_DispatchRays(gpu.list, &desc);
    triangle_scene_copy(&scene, gpu.list);
    gpu_run(&gpu);
    expect_alive_without_messages();
    float pixel[4];
    static const float untouched[4];
    triangle_scene_pixel(&scene, 10, 10, pixel); /* hits */
    assert_memory_equal(pixel, untouched, sizeof(pixel));
    triangle_scene_pixel(&scene, 30, 30, pixel); /* misses */
    assert_memory_equal(pixel, untouched, sizeof(pixel));
}

static void tables_may_be_missing(void **state)
{
    triangle_scene_bind(&scene, gpu.list);
    D3D12_DISPATCH_RAYS_DESC desc = triangle_scene_desc(&scene);
    memset(&desc.MissShaderTable, 0, sizeof(desc.MissShaderTable));
    memset(&desc.HitGroupTable, 0, sizeof(desc.HitGroupTable));
    ID3D12GraphicsCommandList4_DispatchRays(gpu.list, &desc);
    gpu_run(&gpu);
    expect_alive_without_messages();
}

static void short_local_arguments_remove_the_device(void **state)
{
    triangle_scene_bind(&scene, gpu.list);
    D3D12_DISPATCH_RAYS_DESC desc = triangle_scene_desc(&scene);
    desc.RayGenerationShaderRecord.SizeInBytes = 48; /* 32 bytes of constants follow the identifier */
    ID3D12GraphicsCommandList4_DispatchRays(gpu.list, &desc);
    run_to_removal();
    expect_message("RayGenerationShaderRecord is too short for its local root arguments");
}

static void missing_root_arguments_are_reported(void **state)
{
    ID3D12GraphicsCommandList4_SetPipelineState1(gpu.list, pipeline.object);
    ID3D12GraphicsCommandList4_SetComputeRootSignature(gpu.list, pipeline.global);
    D3D12_DISPATCH_RAYS_DESC desc = triangle_scene_desc(&scene);
    ID3D12GraphicsCommandList4_DispatchRays(gpu.list, &desc);
    expect_message("DispatchRays: root parameter 0, a root descriptor, has no argument");
    gpu_run(&gpu);
}

static void zero_dimensions_do_nothing(void **state)
{
    triangle_scene_bind(&scene, gpu.list);
    D3D12_DISPATCH_RAYS_DESC desc = triangle_scene_desc(&scene);
    desc.Height = 0;
    ID3D12GraphicsCommandList4_DispatchRays(gpu.list, &desc);
    gpu_run(&gpu);
    expect_alive_without_messages();
}

/* Three commands of which the count buffer allows two: rows 0 and 1 of the image are written by them. */
static void indirect_rays_obey_the_count_buffer(void **state)
{
    D3D12_INDIRECT_ARGUMENT_DESC argument = {.Type = D3D12_INDIRECT_ARGUMENT_TYPE_DISPATCH_RAYS};
    D3D12_COMMAND_SIGNATURE_DESC signature_desc = {104, 1, &argument, 0};
    ID3D12CommandSignature *signature = NULL;
    assert_int_equal(ID3D12Device5_CreateCommandSignature(gpu.device, &signature_desc, NULL,
                                                          &IID_ID3D12CommandSignature, (void **)&signature),
                     S_OK);
    D3D12_DISPATCH_RAYS_DESC commands[3];
    for (UINT i = 0; i < 3; i++) {
        commands[i] = triangle_scene_desc(&scene);
        commands[i].Width = i < 2 ? 8 : 32; /* the third would write column 20 */
        commands[i].Height = i == 1 ? 16 : 4;
    }
    const UINT count = 2;
    ID3D12Resource *buffer = gpu_upload(&gpu, commands, sizeof(commands));
    ID3D12Resource *counter = gpu_upload(&gpu, &count, sizeof(count));
    triangle_scene_bind(&scene, gpu.list);
    ID3D12GraphicsCommandList4_ExecuteIndirect(gpu.list, signature, 3, buffer, 0, counter, 0);
    triangle_scene_copy(&scene, gpu.list);
    gpu_run(&gpu);
    expect_alive_without_messages();
    float pixel[4];
    triangle_scene_pixel(&scene, 7, 15, pixel);
    assert_true(pixel[0] != 0 || pixel[1] != 0 || pixel[2] != 0);
    triangle_scene_pixel(&scene, 20, 2, pixel);
    assert_true(pixel[0] == 0 && pixel[1] == 0);
    ID3D12CommandSignature_Release(signature);
    ID3D12Resource_Release(buffer);
    ID3D12Resource_Release(counter);
}

struct build_case {
    const char *name;
    const char *text;
    void (*damage)(D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC *desc, D3D12_RAYTRACING_GEOMETRY_DESC *geometry);
};

static void misalign_result(D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC *desc, D3D12_RAYTRACING_GEOMETRY_DESC *g)
{
    desc->DestAccelerationStructureData += 64;
}
static void misalign_scratch(D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC *desc, D3D12_RAYTRACING_GEOMETRY_DESC *g)
{
    desc->ScratchAccelerationStructureData += 64;
}
static void no_scratch(D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC *desc, D3D12_RAYTRACING_GEOMETRY_DESC *g)
{
    desc->ScratchAccelerationStructureData = 0;
}
static void small_result(D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC *desc, D3D12_RAYTRACING_GEOMETRY_DESC *g)
{
    desc->DestAccelerationStructureData += 256;
}
static void many_vertices(D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC *desc, D3D12_RAYTRACING_GEOMETRY_DESC *g)
{
    g->Triangles.IndexFormat = DXGI_FORMAT_R32_UINT;
    g->Triangles.IndexCount = 3;
    g->Triangles.IndexBuffer = g->Triangles.VertexBuffer.StartAddress + 28;
}
static void dangling_vertices(D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC *desc, D3D12_RAYTRACING_GEOMETRY_DESC *g)
{
    g->Triangles.VertexBuffer.StartAddress = 0x1000;
}
static void update_without_source(D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC *desc, D3D12_RAYTRACING_GEOMETRY_DESC *g)
{
    desc->Inputs.Flags = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_PERFORM_UPDATE |
                         D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_ALLOW_UPDATE;
    desc->SourceAccelerationStructureData = 0;
}
static void unknown_geometry(D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC *desc, D3D12_RAYTRACING_GEOMETRY_DESC *g)
{
    g->Type = (D3D12_RAYTRACING_GEOMETRY_TYPE)9;
}

static void broken_builds_are_dropped_with_a_message(void **state)
{
    static const struct build_case cases[] = {
        {"result alignment", "DestAccelerationStructureData is 0x", misalign_result},
        {"scratch alignment", "ScratchAccelerationStructureData is 0x", misalign_scratch},
        {"scratch missing", "ScratchAccelerationStructureData is 0x0, which lies in no buffer", no_scratch},
        {"result too small", "DestAccelerationStructureData at 0x", small_result},
        {"indices behind the buffer", "geometry 0: IndexBuffer at 0x", many_vertices},
        {"vertices nowhere", "geometry 0: VertexBuffer.StartAddress is 0x1000, which lies in no buffer",
         dangling_vertices},
        {"update without source", "SourceAccelerationStructureData is 0x0", update_without_source},
        {"geometry type", "a geometry has Type 9", unknown_geometry},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        D3D12_RAYTRACING_GEOMETRY_DESC geometry = scene.geometry;
        D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC desc = {
            .DestAccelerationStructureData = ID3D12Resource_GetGPUVirtualAddress(scene.blas),
            .Inputs = {.Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL, .NumDescs = 1,
                       .pGeometryDescs = &geometry},
            .ScratchAccelerationStructureData = ID3D12Resource_GetGPUVirtualAddress(scene.scratch)};
        cases[i].damage(&desc, &geometry);
        gpu_forget_messages(&gpu);
        ID3D12GraphicsCommandList4_BuildRaytracingAccelerationStructure(gpu.list, &desc, 0, NULL);
        if (gpu_message_count(&gpu) != 1 || !gpu_has_message(&gpu, cases[i].text)) {
            gpu_print_messages(&gpu);
            fail_msg("%s: not one message with '%s'", cases[i].name, cases[i].text);
        }
    }
    gpu_run(&gpu);
    assert_int_equal(ID3D12Device5_GetDeviceRemovedReason(gpu.device), S_OK);
}

/* The bottom level is gone before the work is submitted: no crash, and the pointer is named. */
static void released_bottom_level_removes_the_device(void **state)
{
    gpu_run(&gpu);
    ID3D12Resource_Release(scene.blas);
    scene.blas = gpu_structure_buffer(&gpu, 65536 * 4);
    triangle_scene_bind(&scene, gpu.list);
    D3D12_DISPATCH_RAYS_DESC desc = triangle_scene_desc(&scene);
    ID3D12GraphicsCommandList4_DispatchRays(gpu.list, &desc);
    run_to_removal();
    expect_message("where no bottom-level structure is any more");
}

/* A descriptor that outlived its texture, and root arguments and tables that outlived their buffers. */
static void released_resources_do_no_harm(void **state)
{
    gpu_run(&gpu);
    UINT64 tables = ID3D12Resource_GetGPUVirtualAddress(scene.tables);
    ID3D12Resource_Release(scene.image);
    D3D12_RESOURCE_DESC desc = {.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE2D, .Width = 32, .Height = 32,
                                .DepthOrArraySize = 1, .MipLevels = 1, .Format = DXGI_FORMAT_R32G32B32A32_FLOAT,
                                .SampleDesc = {1, 0}};
    scene.image = NULL;
    triangle_scene_bind(&scene, gpu.list);
    D3D12_DISPATCH_RAYS_DESC rays = triangle_scene_desc(&scene);
    ID3D12GraphicsCommandList4_DispatchRays(gpu.list, &rays);
    gpu_run(&gpu);
    assert_int_equal(ID3D12Device5_GetDeviceRemovedReason(gpu.device), S_OK);
    scene.image = gpu_texture(&gpu, &desc);
    ID3D12Resource_Release(scene.tables);
    scene.tables = gpu_buffer(&gpu, D3D12_HEAP_TYPE_UPLOAD, TRIANGLE_TABLE_BYTES * 64);
    triangle_scene_bind(&scene, gpu.list);
    rays.RayGenerationShaderRecord.StartAddress = tables;
    ID3D12GraphicsCommandList4_DispatchRays(gpu.list, &rays);
    run_to_removal();
    expect_message("RayGenerationShaderRecord.StartAddress");
}

/* A descriptor that was never written: one message that names shader, line and thread; nothing is removed. The library has
 * debug information. */
static void unwritten_descriptor_is_named_with_its_line(void **state)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/dxil/01_hello_triangle.zi.dxil", CDXR_FIXTURES);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    static UINT8 code[1 << 16];
    size_t bytes = fread(code, 1, sizeof(code), file);
    fclose(file);
    struct triangle_pipeline debug;
    triangle_pipeline_init_library(&debug, gpu.device, code, bytes);
    memcpy(scene.table_memory + TRIANGLE_RAYGEN, debug.raygen, 32);
    memcpy(scene.table_memory + TRIANGLE_MISS, debug.miss, 32);
    memcpy(scene.table_memory + TRIANGLE_HIT, debug.hit, 32);
    triangle_scene_bind(&scene, gpu.list);
    D3D12_GPU_DESCRIPTOR_HANDLE handle = ID3D12DescriptorHeap_GetGPUDescriptorHandleForHeapStart(scene.heap);
    handle.ptr += 3 * ID3D12Device5_GetDescriptorHandleIncrementSize(gpu.device,
                                                                     D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
    ID3D12GraphicsCommandList4_SetComputeRootDescriptorTable(gpu.list, 1, handle);
    ID3D12GraphicsCommandList4_SetPipelineState1(gpu.list, debug.object);
    D3D12_DISPATCH_RAYS_DESC desc = triangle_scene_desc(&scene);
    ID3D12GraphicsCommandList4_DispatchRays(gpu.list, &desc);
    gpu_run(&gpu);
    assert_int_equal(gpu_message_count(&gpu), 1);
    expect_message("shader 'RayGen', line 42, thread (");
    expect_message("is not set or is of another kind than the shader declares");
    assert_int_equal(ID3D12Device5_GetDeviceRemovedReason(gpu.device), S_OK);
    triangle_pipeline_finish(&debug);
}

static void structures_belong_into_their_state(void **state)
{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC desc = {
        .Inputs = {.Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL, .NumDescs = 1,
                   .pGeometryDescs = &scene.geometry},
        .ScratchAccelerationStructureData = ID3D12Resource_GetGPUVirtualAddress(scene.scratch)};
    ID3D12Resource *plain = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, 65536);
    desc.DestAccelerationStructureData = ID3D12Resource_GetGPUVirtualAddress(plain);
    ID3D12GraphicsCommandList4_BuildRaytracingAccelerationStructure(gpu.list, &desc, 0, NULL);
    gpu_run(&gpu);
    expect_message("must be in RAYTRACING_ACCELERATION_STRUCTURE");
    gpu_forget_messages(&gpu);
    D3D12_RESOURCE_BARRIER barrier = {.Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION,
                                      .Transition = {scene.scratch, 0, D3D12_RESOURCE_STATE_COMMON,
                                                     D3D12_RESOURCE_STATE_COPY_SOURCE}};
    ID3D12GraphicsCommandList4_ResourceBarrier(gpu.list, 1, &barrier);
    desc.DestAccelerationStructureData = ID3D12Resource_GetGPUVirtualAddress(scene.blas);
    ID3D12GraphicsCommandList4_BuildRaytracingAccelerationStructure(gpu.list, &desc, 0, NULL);
    gpu_run(&gpu);
    expect_message("which is in state 0x800 and must be in UNORDERED_ACCESS");
    ID3D12Resource_Release(plain);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(image_is_right),
        TEST(rays_are_counted),
        TEST(unbound_root_signature_is_taken_from_the_pipeline),
        TEST(bad_tables_drop_the_call_and_the_list_closes),
        TEST(table_behind_its_buffer_removes_the_device),
        TEST(unknown_identifier_removes_the_device),
        TEST(null_identifiers_run_nothing),
        TEST(tables_may_be_missing),
        TEST(short_local_arguments_remove_the_device),
        TEST(missing_root_arguments_are_reported),
        TEST(zero_dimensions_do_nothing),
        TEST(indirect_rays_obey_the_count_buffer),
        TEST(broken_builds_are_dropped_with_a_message),
        TEST(structures_belong_into_their_state),
        TEST(released_bottom_level_removes_the_device),
        TEST(released_resources_do_no_harm),
        TEST(unwritten_descriptor_is_named_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
