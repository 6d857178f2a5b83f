/* SPDX-License-Identifier: MIT
 * Opacity micromaps across the library border: pictures of a triangle with a map, compared pixel by pixel with
 * tests/ref/micromap.c, after every way that the structures can take; refusals; what happens to released arrays. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/triangle_scene.h"

#include <cdxr/d3d12_dxr.h>
#include <cmocka.h>

#include "ref/micromap.h"

enum { SIZE = 64, LEVEL = 4, STATE_BYTES = 64, STRUCTURE_BYTES = 65536, NO_ARRAY = -100 };

static struct gpu gpu;
static struct triangle_pipeline allowing, plain;
static uint8_t states[2][256]; /* of micromap 0 and 1; both of level LEVEL, 4-state and 2-state */
static const struct micromap_ref micromaps[2] = {{LEVEL, 2, states[0]}, {LEVEL, 1, states[1]}};

static UINT64 address_of(ID3D12Resource *resource)
{
    return ID3D12Resource_GetGPUVirtualAddress(resource);
}

static int set_up(void **state)
{
    gpu_init(&gpu);
    triangle_pipeline_init_flags(&allowing, gpu.device, D3D12_RAYTRACING_PIPELINE_FLAG_ALLOW_OPACITY_MICROMAPS);
    triangle_pipeline_init(&plain, gpu.device);
    for (uint32_t i = 0; i < sizeof(states); i++)
        ((uint8_t *)states)[i] = (uint8_t)(i * 2654435761u >> 11);
    return 0;
}

static int tear_down(void **state)
{
    triangle_pipeline_finish(&allowing);
    triangle_pipeline_finish(&plain);
    gpu_finish(&gpu);
    return 0;
}

/* A scene whose triangle is linked to entry index of an array. */
struct linked {
    struct triangle_scene scene;
    ID3D12Resource *input, *descs, *indices, *array, *scratch;
    D3D12_RAYTRACING_OPACITY_MICROMAP_HISTOGRAM_ENTRY histogram[2];
    D3D12_RAYTRACING_OPACITY_MICROMAP_ARRAY_DESC array_desc;
    D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC triangles;
    D3D12_RAYTRACING_GEOMETRY_OMM_LINKAGE_DESC linkage;
};

static void describe_array(struct linked *l)
{
    D3D12_RAYTRACING_OPACITY_MICROMAP_DESC descs[2] = {
        {0, LEVEL, D3D12_RAYTRACING_OPACITY_MICROMAP_FORMAT_OC1_4_STATE},
        {sizeof(states[0]), LEVEL, D3D12_RAYTRACING_OPACITY_MICROMAP_FORMAT_OC1_2_STATE}};
    l->input = gpu_upload(&gpu, states, sizeof(states));
    l->descs = gpu_upload(&gpu, descs, sizeof(descs));
    l->histogram[0] = (D3D12_RAYTRACING_OPACITY_MICROMAP_HISTOGRAM_ENTRY){
        1, LEVEL, D3D12_RAYTRACING_OPACITY_MICROMAP_FORMAT_OC1_4_STATE};
    l->histogram[1] = (D3D12_RAYTRACING_OPACITY_MICROMAP_HISTOGRAM_ENTRY){
        1, LEVEL, D3D12_RAYTRACING_OPACITY_MICROMAP_FORMAT_OC1_2_STATE};
    l->array_desc = (D3D12_RAYTRACING_OPACITY_MICROMAP_ARRAY_DESC){
        2, l->histogram, address_of(l->input), {address_of(l->descs), sizeof(descs[0])}};
}

static CDXR_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS array_inputs(const struct linked *l)
{
    return (CDXR_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS){
        .Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_OPACITY_MICROMAP_ARRAY,
        .Flags = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_ALLOW_COMPACTION,
        .NumDescs = 1,
        .pOpacityMicromapArrayDesc = &l->array_desc};
}

static void build_array(struct linked *l)
{
    CDXR_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS inputs = array_inputs(l);
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC desc = {
        .DestAccelerationStructureData = address_of(l->array), .ScratchAccelerationStructureData = address_of(l->scratch)};
    memcpy(&desc.Inputs, &inputs, sizeof(inputs));
    ID3D12GraphicsCommandList4_BuildRaytracingAccelerationStructure(gpu.list, &desc, 0, NULL);
}

static void init(struct linked *l, const struct triangle_pipeline *pipeline, int32_t index)
{
    memset(l, 0, sizeof(*l));
    triangle_scene_init(&l->scene, &gpu, pipeline, SIZE, SIZE);
    describe_array(l);
    l->array = gpu_structure_buffer(&gpu, STRUCTURE_BYTES);
    l->scratch = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, STRUCTURE_BYTES);
    l->indices = gpu_upload(&gpu, &index, sizeof(index));
    build_array(l);
    l->triangles = l->scene.geometry.Triangles;
    l->linkage = (D3D12_RAYTRACING_GEOMETRY_OMM_LINKAGE_DESC){
        {address_of(l->indices), 4}, DXGI_FORMAT_R32_UINT, 0, address_of(l->array)};
    CDXR_RAYTRACING_GEOMETRY_DESC geometry = {.Type = D3D12_RAYTRACING_GEOMETRY_TYPE_OMM_TRIANGLES,
                                              .Flags = D3D12_RAYTRACING_GEOMETRY_FLAG_OPAQUE,
                                              .OmmTriangles = {&l->triangles, &l->linkage}};
    memcpy(&l->scene.geometry, &geometry, sizeof(geometry));
    ID3D12Resource_Release(l->scene.blas); /* helpers sized it without a linkage */
    l->scene.blas = gpu_structure_buffer(&gpu, STRUCTURE_BYTES);
}

/* An instance of bottom with flags. */
static void set_instance(struct linked *l, UINT64 bottom, UINT flags)
{
    D3D12_RAYTRACING_INSTANCE_DESC instance = {.Transform = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}},
                                               .InstanceMask = 0xff, .Flags = flags, .AccelerationStructure = bottom};
    ID3D12Resource_Release(l->scene.instance);
    l->scene.instance = gpu_upload(&gpu, &instance, sizeof(instance));
}

static void finish(struct linked *l)
{
    ID3D12Resource *resources[] = {l->input, l->descs, l->indices, l->array, l->scratch};
    for (size_t i = 0; i < sizeof(resources) / sizeof(resources[0]); i++)
        if (resources[i])
            ID3D12Resource_Release(resources[i]);
    triangle_scene_finish(&l->scene);
}

static void draw(struct linked *l)
{
    triangle_scene_bind(&l->scene, gpu.list);
    D3D12_DISPATCH_RAYS_DESC rays = triangle_scene_desc(&l->scene);
    ID3D12GraphicsCommandList4_DispatchRays(gpu.list, &rays);
    triangle_scene_copy(&l->scene, gpu.list);
    gpu_run(&gpu);
}

/* Without an any-hit shader, what is not ignored is a hit. index: of the triangle; NO_ARRAY: the whole triangle is hit. */
static void expect_picture(struct linked *l, int32_t index, uint32_t instance_flags)
{
    uint32_t hits = 0, holes = 0;
    for (UINT y = 0; y < SIZE; y++)
        for (UINT x = 0; x < SIZE; x++) {
            float px = -1 + 2 * ((float)x + 0.5f) / SIZE, py = 1 - 2 * ((float)y + 0.5f) / SIZE, pixel[4];
            float u = px + 0.5625f, v = 0.5625f - py;
            bool inside = u > 1e-4f && v > 1e-4f && u + v < 1 - 1e-4f;
            uint32_t state = index == NO_ARRAY ? (uint32_t)MICROMAP_REF_NONE
                             : index < 0 ? (uint32_t)(-1 - index) : micromap_ref_state(&micromaps[index], u, v);
            enum micromap_ref_outcome outcome = micromap_ref_decide(state, true, instance_flags, 0, true);
            bool expected = inside && outcome != MICROMAP_REF_NO_HIT;
            if (!inside && u >= 0 && v >= 0 && u + v <= 1)
                continue; /* next to an edge */
            triangle_scene_pixel(&l->scene, x, y, pixel);
            if ((pixel[3] == 1) != expected)
                fail_msg("pixel (%u, %u), u %g v %g, state %u: alpha %g", x, y, u, v, state, pixel[3]);
            hits += expected;
            holes += inside && !expected;
        }
    if (index >= 0 && !(instance_flags & 0x20))
        assert_true(hits > 50 && holes > 50);
}

static void test_pictures(void **state)
{
    static const struct {
        const char *name;
        int32_t index;
        uint32_t instance_flags;
    } cases[] = {
        {"4-state", 0, 0},
        {"2-state", 1, 0},
        {"4-state, FORCE_OMM_2_STATE", 0, D3D12_RAYTRACING_INSTANCE_FLAG_FORCE_OMM_2_STATE},
        {"DISABLE_OMMS wins", 0, D3D12_RAYTRACING_INSTANCE_FLAG_FORCE_OMM_2_STATE | D3D12_RAYTRACING_INSTANCE_FLAG_DISABLE_OMMS},
        {"FORCE_OPAQUE fills no hole", 0, D3D12_RAYTRACING_INSTANCE_FLAG_FORCE_OPAQUE},
        {"fully transparent", D3D12_RAYTRACING_OPACITY_MICROMAP_SPECIAL_INDEX_FULLY_TRANSPARENT, 0},
        {"fully opaque", D3D12_RAYTRACING_OPACITY_MICROMAP_SPECIAL_INDEX_FULLY_OPAQUE, 0},
        {"fully unknown-transparent", D3D12_RAYTRACING_OPACITY_MICROMAP_SPECIAL_INDEX_FULLY_UNKNOWN_TRANSPARENT, 0},
        {"the same in 2-state mode", D3D12_RAYTRACING_OPACITY_MICROMAP_SPECIAL_INDEX_FULLY_UNKNOWN_TRANSPARENT,
         D3D12_RAYTRACING_INSTANCE_FLAG_FORCE_OMM_2_STATE},
        {"fully unknown-opaque in 2-state mode", D3D12_RAYTRACING_OPACITY_MICROMAP_SPECIAL_INDEX_FULLY_UNKNOWN_OPAQUE,
         D3D12_RAYTRACING_INSTANCE_FLAG_FORCE_OMM_2_STATE},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct linked l;
        init(&l, &allowing, cases[i].index);
        set_instance(&l, address_of(l.scene.blas), cases[i].instance_flags);
        gpu_forget_messages(&gpu);
        triangle_scene_build(&l.scene, gpu.list);
        draw(&l);
        bool disables = cases[i].instance_flags & D3D12_RAYTRACING_INSTANCE_FLAG_DISABLE_OMMS;
        assert_int_equal(gpu_has_message(&gpu, "ALLOW_DISABLE_OMMS"), disables);
        assert_int_equal(gpu_message_count(&gpu), disables);
        expect_picture(&l, cases[i].index, cases[i].instance_flags);
        finish(&l);
    }
}

static void test_pipeline_without_the_flag(void **state)
{
    struct linked l;
    init(&l, &plain, 0);
    set_instance(&l, address_of(l.scene.blas), 0);
    gpu_forget_messages(&gpu);
    triangle_scene_build(&l.scene, gpu.list);
    draw(&l);
    assert_true(gpu_has_message(&gpu, "ALLOW_OPACITY_MICROMAPS"));
    assert_int_equal(gpu_message_count(&gpu), 1);
    expect_picture(&l, NO_ARRAY, 0);
    finish(&l);
}

static void copy(ID3D12Resource *to, ID3D12Resource *from, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE mode)
{
    ID3D12GraphicsCommandList4_CopyRaytracingAccelerationStructure(gpu.list, address_of(to), address_of(from), mode);
    gpu_run(&gpu);
}

static void postbuild(D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_TYPE type, ID3D12Resource *source, UINT64 out[2])
{
    ID3D12Resource *info = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, 256), *readback = gpu_buffer(&gpu, D3D12_HEAP_TYPE_READBACK, 256);
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC desc = {address_of(info), type};
    UINT64 address = address_of(source);
    ID3D12GraphicsCommandList4_EmitRaytracingAccelerationStructurePostbuildInfo(gpu.list, &desc, 1, &address);
    ID3D12GraphicsCommandList4_CopyResource(gpu.list, readback, info);
    gpu_run(&gpu);
    gpu_read(readback, 0, out, 16);
    ID3D12Resource_Release(info);
    ID3D12Resource_Release(readback);
}

/* The application reads the serialised bottom level, replaces the address of the array, and writes it back. */
static ID3D12Resource *patch(ID3D12Resource *serialized, UINT64 bytes, UINT64 old_array, UINT64 new_array)
{
    ID3D12Resource *readback = gpu_buffer(&gpu, D3D12_HEAP_TYPE_READBACK, STRUCTURE_BYTES);
    uint8_t *data = malloc(bytes);
    D3D12_SERIALIZED_RAYTRACING_ACCELERATION_STRUCTURE_HEADER1 header;
    D3D12_RAYTRACING_SERIALIZED_BLOCK block;
    UINT64 pointer;
    ID3D12GraphicsCommandList4_CopyResource(gpu.list, readback, serialized);
    gpu_run(&gpu);
    gpu_read(readback, 0, data, bytes);
    memcpy(&header, data, sizeof(header));
    memcpy(&block, data + sizeof(header), sizeof(block));
    memcpy(&pointer, data + sizeof(header) + sizeof(block), sizeof(pointer));
    assert_int_equal(header.SerializedSizeInBytesIncludingHeader, bytes);
    assert_int_equal(header.NumBlocks, 1);
    assert_int_equal(header.HeaderPostambleType,
                     D3D12_SERIALIZED_RAYTRACING_ACCELERATION_STRUCTURE_HEADER_POSTAMBLE_TYPE_BLOCKS);
    assert_int_equal(block.Type, D3D12_RAYTRACING_SERIALIZED_BLOCK_TYPE_OPACITY_MICROMAPS);
    assert_int_equal(block.NumBlockPointersAfterHeader, 1);
    assert_int_equal(pointer, old_array);
    memcpy(data + sizeof(header) + sizeof(block), &new_array, sizeof(new_array));
    ID3D12Resource *patched = gpu_upload(&gpu, data, bytes);
    free(data);
    ID3D12Resource_Release(readback);
    return patched;
}

static void test_copies(void **state)
{
    struct linked l;
    UINT64 size[2], array_size[2];
    init(&l, &allowing, 1);
    triangle_scene_build(&l.scene, gpu.list);
    gpu_run(&gpu);
    ID3D12Resource *bytes = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, STRUCTURE_BYTES);
    ID3D12Resource *bottom = gpu_structure_buffer(&gpu, STRUCTURE_BYTES), *array = gpu_structure_buffer(&gpu, STRUCTURE_BYTES);
    ID3D12Resource *compacted = gpu_structure_buffer(&gpu, STRUCTURE_BYTES);
    postbuild(D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_COMPACTED_SIZE, l.array, array_size);
    assert_true(array_size[0] >= 256 + 2 * STATE_BYTES && array_size[0] < 1024);
    copy(compacted, l.array, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE_COMPACT);
    postbuild(D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_SERIALIZATION, compacted, size);
    assert_int_equal(size[1], 0);
    copy(bytes, compacted, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE_SERIALIZE);
    copy(array, bytes, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE_DESERIALIZE);
    postbuild(D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_SERIALIZATION, l.scene.blas, size);
    assert_int_equal(size[1], 1);
    copy(bytes, l.scene.blas, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE_SERIALIZE);
    ID3D12Resource *patched = patch(bytes, size[0], address_of(l.array), address_of(array));
    copy(bottom, patched, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE_DESERIALIZE);
    ID3D12Resource_Release(l.array); /* nothing needs it any more */
    ID3D12Resource_Release(l.scene.blas);
    l.array = NULL;
    l.scene.blas = bottom;
    set_instance(&l, address_of(bottom), 0);
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC top = {
        .DestAccelerationStructureData = address_of(l.scene.tlas),
        .Inputs = {.NumDescs = 1, .InstanceDescs = address_of(l.scene.instance)},
        .ScratchAccelerationStructureData = address_of(l.scene.scratch)};
    ID3D12GraphicsCommandList4_BuildRaytracingAccelerationStructure(gpu.list, &top, 0, NULL);
    draw(&l);
    expect_picture(&l, 1, 0);
    ID3D12Resource *resources[] = {bytes, array, compacted, patched};
    for (int i = 0; i < 4; i++)
        ID3D12Resource_Release(resources[i]);
    finish(&l);
}

static void test_refusals(void **state)
{
    struct linked l;
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO info;
    init(&l, &allowing, 0);
    CDXR_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS inputs = array_inputs(&l);
    const D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS *standard = (const void *)&inputs;
    gpu_run(&gpu);
    gpu_forget_messages(&gpu);
    ID3D12Device5_GetRaytracingAccelerationStructurePrebuildInfo(gpu.device, standard, &info);
    assert_true(info.ResultDataMaxSizeInBytes && info.ScratchDataSizeInBytes && !info.UpdateScratchDataSizeInBytes);
    assert_int_equal(gpu_message_count(&gpu), 0);
    inputs.Flags |= D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_ALLOW_UPDATE;
    ID3D12Device5_GetRaytracingAccelerationStructurePrebuildInfo(gpu.device, standard, &info);
    assert_int_equal(info.ResultDataMaxSizeInBytes, 0);
    assert_true(gpu_has_message(&gpu, "cannot be updated"));
    inputs.Flags = 0;
    inputs.pOpacityMicromapArrayDesc = NULL;
    ID3D12Device5_GetRaytracingAccelerationStructurePrebuildInfo(gpu.device, standard, &info);
    assert_true(gpu_has_message(&gpu, "pOpacityMicromapArrayDesc is NULL"));
    l.array_desc.InputBuffer += 128 * 512; /* at the end of the buffer: found when the list is recorded */
    build_array(&l);
    assert_true(gpu_has_message(&gpu, "InputBuffer"));
    l.array_desc.InputBuffer = address_of(l.input);
    D3D12_RAYTRACING_OPACITY_MICROMAP_DESC descs[2] = {{0x7fffffff, LEVEL, 2}, {0, LEVEL, 1}};
    ID3D12Resource *bad = gpu_upload(&gpu, descs, sizeof(descs));
    l.array_desc.PerOmmDescs.StartAddress = address_of(bad);
    build_array(&l);
    gpu_run(&gpu);
    assert_true(gpu_has_message(&gpu, "PerOmmDescs[0].ByteOffset is 2147483647"));
    ID3D12Resource_Release(bad);
    triangle_scene_build(&l.scene, gpu.list); /* the array is gone: the linkage leads nowhere */
    gpu_run(&gpu);
    assert_true(gpu_has_message(&gpu, "is no opacity micromap array"));
    finish(&l);
}

/* The last test: the device is gone after it. */
static void test_released_array(void **state)
{
    struct linked l;
    init(&l, &allowing, 0);
    triangle_scene_build(&l.scene, gpu.list);
    gpu_run(&gpu);
    set_instance(&l, address_of(l.scene.blas), 0);
    triangle_scene_build(&l.scene, gpu.list);
    draw(&l);
    expect_picture(&l, 0, 0);
    ID3D12Resource_Release(l.array);
    l.array = NULL;
    triangle_scene_bind(&l.scene, gpu.list);
    D3D12_DISPATCH_RAYS_DESC rays = triangle_scene_desc(&l.scene);
    ID3D12GraphicsCommandList4_DispatchRays(gpu.list, &rays);
    ID3D12GraphicsCommandList4_Close(gpu.list);
    ID3D12CommandQueue_ExecuteCommandLists(gpu.queue, 1, (ID3D12CommandList *const *)&gpu.list);
    ID3D12CommandQueue_Signal(gpu.queue, gpu.fence, gpu.fence_value + 1); /* fails where the removal came first */
    ID3D12Fence_SetEventOnCompletion(gpu.fence, gpu.fence_value + 1, NULL);
    assert_int_equal(ID3D12Device5_GetDeviceRemovedReason(gpu.device), DXGI_ERROR_DEVICE_HUNG);
    assert_true(gpu_has_message(&gpu, "opacity micromap array"));
    finish(&l);
}

static void test_tier(void **state)
{
    D3D12_FEATURE_DATA_D3D12_OPTIONS5 options;
    assert_int_equal(ID3D12Device5_CheckFeatureSupport(gpu.device, D3D12_FEATURE_D3D12_OPTIONS5, &options, sizeof(options)), S_OK);
    assert_int_equal(options.RaytracingTier, D3D12_RAYTRACING_TIER_1_2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pictures), cmocka_unit_test(test_pipeline_without_the_flag), cmocka_unit_test(test_copies),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_tier),                      cmocka_unit_test(test_released_array),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
