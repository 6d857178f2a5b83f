/* SPDX-License-Identifier: MIT
 * Field cases of acceleration structures that need the API: flags that were not asked for, garbage in ignored fields, packed
 * instance records, arrays of post-build sizes, order of submission, shared scratch memory, structures back to back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "helpers/gpu.h"

#include <cdxr/cdxr.h>
#include <cmocka.h>

enum { ROOM_BYTES = 1 << 18, GUARD_BYTES = 4096 };
typedef D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC build_desc;
typedef D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS build_inputs;

static struct gpu gpu;
static ID3D12Resource *structures, *scratch, *vertices, *instances;
static D3D12_RAYTRACING_GEOMETRY_DESC triangle, many; /* T0; 18 of them along x, 2 apart */
static UINT64 room; /* structures are placed one behind the other */

static UINT64 address_of(ID3D12Resource *resource)
{
    return ID3D12Resource_GetGPUVirtualAddress(resource);
}

static D3D12_RAYTRACING_GEOMETRY_DESC describe(UINT64 address, UINT count)
{
    return (D3D12_RAYTRACING_GEOMETRY_DESC){.Type = D3D12_RAYTRACING_GEOMETRY_TYPE_TRIANGLES,
                                            .Triangles = {.VertexFormat = DXGI_FORMAT_R32G32B32_FLOAT, .VertexCount = count * 3, .VertexBuffer = {address, 12}}};
}

static int set_up(void **state)
{
    float corners[18][9];
    for (int i = 0; i < 18; i++) {
        const float t[9] = {(float)i * 2, 0, 0, (float)i * 2, 1, 0, (float)i * 2 + 1, 0, 0};
        memcpy(corners[i], t, sizeof(t));
    }
    gpu_init(&gpu);
    structures = gpu_structure_buffer(&gpu, ROOM_BYTES);
    scratch = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, ROOM_BYTES);
    vertices = gpu_upload(&gpu, corners, sizeof(corners));
    instances = NULL;
    triangle = describe(address_of(vertices), 1);
    many = describe(address_of(vertices), 18);
    room = address_of(structures);
    return 0;
}

static int tear_down(void **state)
{
    ID3D12Resource *all[] = {structures, scratch, vertices, instances};
    for (int i = 0; i < 4; i++)
        if (all[i])
            ID3D12Resource_Release(all[i]);
    gpu_finish(&gpu);
    return 0;
}

static build_inputs bottom_of(const D3D12_RAYTRACING_GEOMETRY_DESC *geometry, UINT flags)
{
    return (build_inputs){.Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL, .Flags = flags, .NumDescs = 1, .pGeometryDescs = geometry};
}

static UINT64 result_bytes(const build_inputs *inputs)
{
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO info;
    ID3D12Device5_GetRaytracingAccelerationStructurePrebuildInfo(gpu.device, inputs, &info);
    return info.ResultDataMaxSizeInBytes;
}

/* Into the next room; the address. */
static UINT64 build(const build_inputs *inputs)
{
    build_desc desc = {.DestAccelerationStructureData = room, .Inputs = *inputs, .ScratchAccelerationStructureData = address_of(scratch)};
    ID3D12GraphicsCommandList4_BuildRaytracingAccelerationStructure(gpu.list, &desc, 0, NULL);
    room += result_bytes(inputs);
    return desc.DestAccelerationStructureData;
}

static UINT64 build_top(const D3D12_RAYTRACING_INSTANCE_DESC *descs, UINT count, UINT flags)
{
    instances = gpu_upload(&gpu, descs, count * sizeof(*descs));
    build_inputs inputs = {.Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL, .Flags = flags, .NumDescs = count, .InstanceDescs = address_of(instances)};
    return build(&inputs);
}

static struct cdxr_hit shoot(UINT64 structure, float x, UINT mask)
{
    struct cdxr_ray ray = {{x + .25f, .25f, -1}, 0, {0, 0, 1}, INFINITY};
    struct cdxr_hit hit;
    cdxr_trace_closest(structure, &ray, 1, 0, mask, &hit);
    return hit;
}

static D3D12_RAYTRACING_INSTANCE_DESC instance_of(UINT64 bottom, float x)
{
    return (D3D12_RAYTRACING_INSTANCE_DESC){.Transform = {{1, 0, 0, x}, {0, 1, 0, 0}, {0, 0, 1, 0}}, .InstanceMask = 0xff, .AccelerationStructure = bottom};
}

/* AS-08: sizes asked without ALLOW_UPDATE, built with it, at the very end of the buffer: built or refused, never beyond. */
static void test_flags_not_asked_for(void **state)
{
    UINT8 guard[GUARD_BYTES], after[GUARD_BYTES];
    memset(guard, 0xcd, sizeof(guard));
    build_inputs asked = bottom_of(&many, 0), used = bottom_of(&many, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_ALLOW_UPDATE);
    UINT64 bytes = result_bytes(&asked);
    ID3D12Resource *fill = gpu_upload(&gpu, guard, sizeof(guard)), *readback = gpu_buffer(&gpu, D3D12_HEAP_TYPE_READBACK, GUARD_BYTES);
    ID3D12GraphicsCommandList4_CopyBufferRegion(gpu.list, structures, bytes, fill, 0, GUARD_BYTES);
    UINT64 built = build(&used);
    ID3D12GraphicsCommandList4_CopyBufferRegion(gpu.list, readback, 0, structures, bytes, GUARD_BYTES);
    gpu_run(&gpu);
    gpu_read(readback, 0, after, sizeof(after));
    if (result_bytes(&used) == bytes) { /* sizes do not depend on the flag */
        assert_memory_equal(guard, after, sizeof(guard));
        assert_int_equal(shoot(built, 34, 0xff).primitive_index, 17);
    }
    build_desc update = {.DestAccelerationStructureData = room, .Inputs = used, .SourceAccelerationStructureData = build(&asked), .ScratchAccelerationStructureData = address_of(scratch)};
    update.DestAccelerationStructureData = room;
    update.Inputs.Flags |= D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_PERFORM_UPDATE;
    gpu_forget_messages(&gpu);
    ID3D12GraphicsCommandList4_BuildRaytracingAccelerationStructure(gpu.list, &update, 0, NULL);
    gpu_run(&gpu);
    assert_true(gpu_has_message(&gpu, "without ALLOW_UPDATE"));
    ID3D12Resource_Release(fill);
    ID3D12Resource_Release(readback);
}

/* AS-09 */
static void test_source_is_not_read(void **state)
{
    build_desc desc = {.DestAccelerationStructureData = room, .Inputs = bottom_of(&triangle, 0),
                       .SourceAccelerationStructureData = UINT64_C(0xffffdead00000000), .ScratchAccelerationStructureData = address_of(scratch)};
    ID3D12GraphicsCommandList4_BuildRaytracingAccelerationStructure(gpu.list, &desc, 0, NULL);
    gpu_run(&gpu);
    assert_int_equal(gpu_message_count(&gpu), 0);
    assert_true(shoot(room, 0, 0xff).t == 1);
}

/* AS-15: the mask and the flags of a full record. From behind, the triangle is there although back faces are culled. */
static void test_instance_record(void **state)
{
    build_inputs bottom = bottom_of(&triangle, 0);
    D3D12_RAYTRACING_INSTANCE_DESC desc = instance_of(build(&bottom), 0);
    desc.InstanceID = 0xabcdef;
    desc.InstanceMask = 0x5a;
    desc.InstanceContributionToHitGroupIndex = 0xffffff;
    desc.Flags = D3D12_RAYTRACING_INSTANCE_FLAG_TRIANGLE_CULL_DISABLE | D3D12_RAYTRACING_INSTANCE_FLAG_FORCE_OPAQUE;
    UINT64 top = build_top(&desc, 1, 0);
    gpu_run(&gpu);
    assert_int_equal(shoot(top, 0, 0xa5).primitive_index, ~0u);
    assert_int_equal(shoot(top, 0, 0x40).primitive_index, 0);
    struct cdxr_ray behind = {{.25f, .25f, 1}, 0, {0, 0, -1}, INFINITY};
    struct cdxr_hit hit;
    cdxr_trace_closest(top, &behind, 1, 0x10 /* CULL_BACK_FACING_TRIANGLES */, 0xff, &hit);
    assert_int_equal(hit.primitive_index, 0);
}

static void emit(ID3D12GraphicsCommandList4 *list, ID3D12Resource *info, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_TYPE type,
                 const UINT64 *sources, UINT count)
{
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC desc = {address_of(info), type};
    ID3D12GraphicsCommandList4_EmitRaytracingAccelerationStructurePostbuildInfo(list, &desc, count, sources);
}

static void read_info(ID3D12Resource *info, UINT64 out[4])
{
    ID3D12Resource *readback = gpu_buffer(&gpu, D3D12_HEAP_TYPE_READBACK, 32);
    ID3D12GraphicsCommandList4_CopyBufferRegion(gpu.list, readback, 0, info, 0, 32);
    gpu_run(&gpu);
    gpu_read(readback, 0, out, 32);
    ID3D12Resource_Release(readback);
}

/* AS-25 */
static void test_three_compacted_sizes(void **state)
{
    UINT64 sources[3], limits[3], sizes[4];
    ID3D12Resource *info = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, 256);
    for (UINT i = 0; i < 3; i++) {
        D3D12_RAYTRACING_GEOMETRY_DESC geometry = describe(address_of(vertices), 1 + i * 8);
        build_inputs inputs = bottom_of(&geometry, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_ALLOW_COMPACTION);
        limits[i] = result_bytes(&inputs);
        sources[i] = build(&inputs);
    }
    emit(gpu.list, info, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_COMPACTED_SIZE, sources, 3);
    gpu_run(&gpu);
    read_info(info, sizes);
    for (int i = 0; i < 3; i++)
        assert_true(sizes[i] > 0 && sizes[i] <= limits[i] && sizes[i] >> 32 == 0);
    ID3D12Resource_Release(info);
}

/* AS-30: the query is recorded first and submitted last. */
static void test_query_recorded_before_the_build(void **state)
{
    ID3D12CommandAllocator *allocator;
    ID3D12GraphicsCommandList4 *later;
    UINT64 source = room, out[4];
    ID3D12Resource *info = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, 256);
    assert_int_equal(ID3D12Device5_CreateCommandAllocator(gpu.device, D3D12_COMMAND_LIST_TYPE_DIRECT, &IID_ID3D12CommandAllocator, (void **)&allocator), S_OK);
    assert_int_equal(ID3D12Device5_CreateCommandList(gpu.device, 0, D3D12_COMMAND_LIST_TYPE_DIRECT, allocator, NULL, &IID_ID3D12GraphicsCommandList4, (void **)&later), S_OK);
    emit(later, info, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_SERIALIZATION, &source, 1);
    assert_int_equal(ID3D12GraphicsCommandList4_Close(later), S_OK);
    build_inputs inputs = bottom_of(&triangle, 0);
    build(&inputs);
    gpu_run(&gpu);
    ID3D12CommandList *list = (ID3D12CommandList *)later;
    ID3D12CommandQueue_ExecuteCommandLists(gpu.queue, 1, &list);
    gpu_wait(&gpu);
    read_info(info, out);
    assert_true(out[0] > 56);
    assert_int_equal(out[1], 0);
    assert_int_equal(gpu_message_count(&gpu), 0);
    ID3D12GraphicsCommandList4_Release(later);
    ID3D12CommandAllocator_Release(allocator);
    ID3D12Resource_Release(info);
}

/* AS-32, AS-33: bottom levels back to back in one buffer, all with the same scratch memory, the top level behind them, no
 * barrier: every instance has its own mesh. */
static void test_no_barriers(void **state)
{
    D3D12_RAYTRACING_INSTANCE_DESC descs[4];
    for (UINT i = 0; i < 4; i++) {
        build_inputs inputs = bottom_of(i % 2 ? &triangle : &many, 0);
        descs[i] = instance_of(build(&inputs), (float)i * 100);
    }
    UINT64 top = build_top(descs, 4, 0);
    gpu_run(&gpu);
    for (UINT i = 0; i < 4; i++)
        for (UINT k = 0; k < 18; k++) {
            struct cdxr_hit hit = shoot(top, (float)i * 100 + (float)k * 2, 0xff);
            bool expected = i % 2 == 0 || k == 0;
            assert_int_equal(hit.primitive_index, expected ? k : ~0u);
            assert_int_equal(hit.instance_index, expected ? i : ~0u);
        }
}

/* An array of pointers to geometries, the second one elsewhere. */
static void test_geometry_pointers(void **state)
{
    const D3D12_RAYTRACING_GEOMETRY_DESC *pointers[2] = {&many, &triangle};
    D3D12_RAYTRACING_GEOMETRY_DESC array[2] = {many, triangle};
    build_inputs by_pointers = {.Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL, .NumDescs = 2, .DescsLayout = D3D12_ELEMENTS_LAYOUT_ARRAY_OF_POINTERS, .ppGeometryDescs = pointers};
    build_inputs by_array = {.Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL, .NumDescs = 2, .pGeometryDescs = array};
    UINT64 first = build(&by_pointers), second = build(&by_array);
    gpu_run(&gpu);
    assert_memory_equal((const void *)(uintptr_t)first, (const void *)(uintptr_t)second, 256);
    for (UINT k = 0; k < 18; k++) {
        struct cdxr_hit a = shoot(first, (float)k * 2, 0xff), b = shoot(second, (float)k * 2, 0xff);
        assert_int_equal(a.primitive_index, k);
        assert_memory_equal(&a, &b, sizeof(a));
    }
}

/* A compacted top level in a room of exactly its size is updated in place. */
static void test_update_of_a_compacted_top_level(void **state)
{
    const UINT flags = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_ALLOW_UPDATE | D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_ALLOW_COMPACTION;
    D3D12_RAYTRACING_INSTANCE_DESC descs[20];
    UINT64 sizes[4];
    build_inputs inputs = bottom_of(&triangle, 0);
    UINT64 bottom = build(&inputs);
    for (UINT i = 0; i < 20; i++)
        descs[i] = instance_of(bottom, i ? NAN : 0); /* inactive: a small tree at first */
    UINT64 top = build_top(descs, 20, flags);
    ID3D12Resource *info = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, 256);
    emit(gpu.list, info, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_COMPACTED_SIZE, &top, 1);
    gpu_run(&gpu);
    read_info(info, sizes);
    ID3D12Resource *compacted = gpu_structure_buffer(&gpu, sizes[0]), *first = instances;
    ID3D12GraphicsCommandList4_CopyRaytracingAccelerationStructure(gpu.list, address_of(compacted), top, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE_COMPACT);
    for (UINT i = 0; i < 20; i++)
        descs[i] = instance_of(bottom, (float)i * 3);
    instances = gpu_upload(&gpu, descs, sizeof(descs));
    build_desc update = {.DestAccelerationStructureData = address_of(compacted), .SourceAccelerationStructureData = address_of(compacted),
                         .ScratchAccelerationStructureData = address_of(scratch),
                         .Inputs = {.Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL, .NumDescs = 20, .InstanceDescs = address_of(instances),
                                    .Flags = flags | D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_PERFORM_UPDATE}};
    ID3D12GraphicsCommandList4_BuildRaytracingAccelerationStructure(gpu.list, &update, 0, NULL);
    gpu_run(&gpu);
    if (gpu_message_count(&gpu)) {
        gpu_print_messages(&gpu);
        fail_msg("there are messages");
    }
    for (UINT i = 0; i < 20; i++)
        assert_int_equal(shoot(address_of(compacted), (float)i * 3, 0xff).instance_index, i);
    ID3D12Resource_Release(compacted);
    ID3D12Resource_Release(first);
    ID3D12Resource_Release(info);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_flags_not_asked_for), TEST(test_source_is_not_read),   TEST(test_instance_record),
        TEST(test_three_compacted_sizes), TEST(test_query_recorded_before_the_build), TEST(test_no_barriers),
        TEST(test_geometry_pointers),   TEST(test_update_of_a_compacted_top_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
