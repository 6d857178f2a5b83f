/* SPDX-License-Identifier: MIT
 * Acceleration structures across the library border: direct trace calls, post-build sizes, clone, compact, serialise
 * and deserialise, update. The scene is the triangle of helpers/triangle_scene.h: (-.5625, .5625), (.4375, .5625),
 * (-.5625, -.4375) at z = 1. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "helpers/triangle_scene.h"

#include <cdxr/cdxr.h>
#include <cmocka.h>

enum { COPY_BYTES = 65536 };

static struct gpu gpu;
static struct triangle_pipeline pipeline;
static struct triangle_scene scene;

static UINT64 address_of(ID3D12Resource *resource)
{
    return ID3D12Resource_GetGPUVirtualAddress(resource);
}

static int set_up(void **state)
{
    gpu_init(&gpu);
    triangle_pipeline_init(&pipeline, gpu.device);
    triangle_scene_init(&scene, &gpu, &pipeline, 16, 16);
    triangle_scene_build(&scene, gpu.list);
    gpu_run(&gpu);
    return 0;
}

static int tear_down(void **state)
{
    triangle_scene_finish(&scene);
    triangle_pipeline_finish(&pipeline);
    gpu_finish(&gpu);
    return 0;
}

static void expect_hit(UINT64 structure, float x, float y, bool expected)
{
    struct cdxr_ray ray = {{x, y, 0}, 0, {0, 0, 1}, INFINITY};
    struct cdxr_hit hit;
    uint8_t occluded = 7;
    cdxr_trace_closest(structure, &ray, 1, 0, 0xff, &hit);
    cdxr_trace_occluded(structure, &ray, 1, 0, 0xff, &occluded);
    assert_int_equal(occluded, expected);
    assert_int_equal(hit.primitive_index, expected ? 0 : ~0u);
    if (expected)
        assert_true(hit.t == 1);
}

static void expect_triangle(UINT64 structure)
{
    expect_hit(structure, -0.4f, 0.4f, true);
    expect_hit(structure, 0.4f, -0.4f, false);
}

static void test_direct_trace(void **state)
{
    expect_triangle(address_of(scene.tlas));
    expect_triangle(address_of(scene.blas));
    expect_hit(0, -0.4f, 0.4f, false);
}

static void emit_and_copy(D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_TYPE type, UINT64 source, UINT64 out[2])
{
    ID3D12Resource *info = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, 256), *readback = gpu_buffer(&gpu, D3D12_HEAP_TYPE_READBACK, 256);
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC desc = {address_of(info), type};
    ID3D12GraphicsCommandList4_EmitRaytracingAccelerationStructurePostbuildInfo(gpu.list, &desc, 1, &source);
    D3D12_RESOURCE_BARRIER barrier = {.Type = D3D12_RESOURCE_BARRIER_TYPE_TRANSITION,
                                      .Transition = {info, 0, D3D12_RESOURCE_STATE_UNORDERED_ACCESS, D3D12_RESOURCE_STATE_COPY_SOURCE}};
    ID3D12GraphicsCommandList4_ResourceBarrier(gpu.list, 1, &barrier);
    ID3D12GraphicsCommandList4_CopyBufferRegion(gpu.list, readback, 0, info, 0, 16);
    gpu_run(&gpu);
    gpu_read(readback, 0, out, 16);
    ID3D12Resource_Release(info);
    ID3D12Resource_Release(readback);
}

static void test_serialize(void **state)
{
    UINT64 size[2];
    ID3D12Resource *bytes = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, COPY_BYTES), *again = gpu_structure_buffer(&gpu, COPY_BYTES);
    emit_and_copy(D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_SERIALIZATION, address_of(scene.tlas), size);
    assert_int_equal(size[1], 1);
    assert_true(size[0] > 64 && size[0] < COPY_BYTES);
    ID3D12GraphicsCommandList4_CopyRaytracingAccelerationStructure(gpu.list, address_of(bytes), address_of(scene.tlas),
                                                                   D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE_SERIALIZE);
    ID3D12GraphicsCommandList4_CopyRaytracingAccelerationStructure(gpu.list, address_of(again), address_of(bytes),
                                                                   D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE_DESERIALIZE);
    gpu_run(&gpu);
    expect_triangle(address_of(again));
    ID3D12Resource_Release(bytes);
    ID3D12Resource_Release(again);
}

static void test_clone(void **state)
{
    UINT64 size[2];
    emit_and_copy(D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_CURRENT_SIZE, address_of(scene.blas), size);
    ID3D12Resource *copy = gpu_structure_buffer(&gpu, size[0]);
    ID3D12GraphicsCommandList4_CopyRaytracingAccelerationStructure(gpu.list, address_of(copy), address_of(scene.blas),
                                                                   D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE_CLONE);
    gpu_run(&gpu);
    expect_triangle(address_of(copy));
    ID3D12Resource_Release(copy);
}

static void build(ID3D12Resource *destination, ID3D12Resource *scratch, const D3D12_RAYTRACING_GEOMETRY_DESC *geometry,
                  D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS flags)
{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC desc = {
        .DestAccelerationStructureData = address_of(destination),
        .Inputs = {.Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL, .Flags = flags, .NumDescs = 1, .pGeometryDescs = geometry},
        .SourceAccelerationStructureData = flags & D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_PERFORM_UPDATE ? address_of(destination) : 0,
        .ScratchAccelerationStructureData = address_of(scratch)};
    ID3D12GraphicsCommandList4_BuildRaytracingAccelerationStructure(gpu.list, &desc, 0, NULL);
}

/* AS-22: the same triangle again and again somewhere else. */
static void test_update(void **state)
{
    const D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS allow = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_ALLOW_UPDATE;
    ID3D12Resource *structure = gpu_structure_buffer(&gpu, COPY_BYTES), *scratch = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, COPY_BYTES);
    ID3D12Resource *vertices[3];
    for (int i = 0; i < 3; i++) {
        float x = (float)i * 10;
        const float corners[9] = {x, 0, 1, x, 1, 1, x + 1, 0, 1};
        vertices[i] = gpu_upload(&gpu, corners, sizeof(corners));
        D3D12_RAYTRACING_GEOMETRY_DESC geometry = scene.geometry;
        geometry.Triangles.VertexBuffer.StartAddress = address_of(vertices[i]);
        build(structure, scratch, &geometry, i ? allow | D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_PERFORM_UPDATE : allow);
        gpu_run(&gpu);
        for (int place = 0; place < 3; place++)
            expect_hit(address_of(structure), (float)place * 10 + 0.25f, 0.25f, place == i);
    }
    for (int i = 0; i < 3; i++)
        ID3D12Resource_Release(vertices[i]);
    ID3D12Resource_Release(structure);
    ID3D12Resource_Release(scratch);
}

/* A structure compacted to its exact size is updated in place, and gives up further updates the second time. */
static void test_update_of_compacted(void **state)
{
    enum { TRIANGLES = 500 };
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS flags = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_ALLOW_UPDATE |
                                                                D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_ALLOW_COMPACTION;
    static float corners[TRIANGLES][9];
    for (int i = 0; i < TRIANGLES; i++) {
        const float x = (float)i, corner[9] = {x, 0, 1, x, 1, 1, x + 1, 0, 1};
        memcpy(corners[i], corner, sizeof(corner));
    }
    UINT64 size[2];
    ID3D12Resource *vertices = gpu_upload(&gpu, corners, sizeof(corners)), *scratch = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, 1 << 20);
    ID3D12Resource *structure = gpu_structure_buffer(&gpu, 1 << 20);
    D3D12_RAYTRACING_GEOMETRY_DESC geometry = scene.geometry;
    geometry.Triangles.VertexBuffer.StartAddress = address_of(vertices);
    geometry.Triangles.VertexCount = TRIANGLES * 3;
    build(structure, scratch, &geometry, flags);
    emit_and_copy(D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_COMPACTED_SIZE, address_of(structure), size);
    ID3D12Resource *compacted = gpu_structure_buffer(&gpu, size[0]);
    ID3D12GraphicsCommandList4_CopyRaytracingAccelerationStructure(gpu.list, address_of(compacted), address_of(structure),
                                                                   D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE_COMPACT);
    gpu_run(&gpu);
    gpu_forget_messages(&gpu);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < TRIANGLES * 3; i++)
            corners[i / 3][i % 3 * 3 + 1] += 10; /* up */
        ID3D12Resource_Release(vertices);
        vertices = gpu_upload(&gpu, corners, sizeof(corners));
        geometry.Triangles.VertexBuffer.StartAddress = address_of(vertices);
        D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS now =
            round ? D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_ALLOW_COMPACTION : flags;
        build(compacted, scratch, &geometry, now | D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_PERFORM_UPDATE);
        gpu_run(&gpu);
        float y = round < 2 ? 10.25f + (float)round * 10 : 20.25f; /* the third is refused */
        expect_hit(address_of(compacted), 0.25f, y, true);
        assert_int_equal(gpu_message_count(&gpu), round == 2);
    }
    ID3D12Resource *resources[] = {vertices, scratch, structure, compacted};
    for (int i = 0; i < 4; i++)
        ID3D12Resource_Release(resources[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_direct_trace, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_serialize, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_clone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_update, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_update_of_compacted, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
