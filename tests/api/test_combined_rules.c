/* SPDX-License-Identifier: MIT
 * Rules that only show when parts are put together: configurations of a pipeline and of the collections it includes,
 * growing what is no pipeline, flags that nobody defined, updates and copies into their own source. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "helpers/pipeline.h"

static struct gpu gpu;

enum { PAYLOAD_BYTES = 32, ATTRIBUTE_BYTES = 16, DEPTH = 1 };

/* Fixture 02 with everything that it needs. */
static void spheres(struct pipeline *p, D3D12_STATE_OBJECT_TYPE type)
{
    pipeline_init(p, &gpu, type);
    pipeline_library(p, "02_procedural_spheres.dxil", NULL);
    pipeline_shader_config(p, PAYLOAD_BYTES, ATTRIBUTE_BYTES);
    pipeline_pipeline_config(p, DEPTH);
    pipeline_root_signature(p, D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE, "02_procedural_spheres.global_rs.rs");
}

static ID3D12StateObject *sphere_collection(struct pipeline *p)
{
    ID3D12StateObject *collection = NULL;
    spheres(p, D3D12_STATE_OBJECT_TYPE_COLLECTION);
    assert_int_equal(pipeline_create(p, &collection), S_OK);
    return collection;
}

/* "they must all match when combined into a raytracing pipeline": 0 leaves a config out, which takes the collection's. */
static void test_pipeline_and_collection_configs_match(void **state)
{
    static const struct {
        const char *name;
        UINT payload_bytes, attribute_bytes, depth;
        const char *says; /* NULL: it works */
    } rows[] = {
        {"none", 0, 0, 0, NULL},
        {"the same", PAYLOAD_BYTES, ATTRIBUTE_BYTES, DEPTH, NULL},
        {"larger payload", PAYLOAD_BYTES + 4, ATTRIBUTE_BYTES, 0, "raytracing shader config"},
        {"larger attributes", PAYLOAD_BYTES, ATTRIBUTE_BYTES + 4, 0, "raytracing shader config"},
        {"deeper", 0, 0, DEPTH + 1, "raytracing pipeline config"},
    };
    struct pipeline c;
    ID3D12StateObject *collection = sphere_collection(&c);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pipeline p;
        ID3D12StateObject *object = NULL;
        pipeline_init(&p, &gpu, D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE);
        pipeline_collection(&p, collection);
        if (rows[i].payload_bytes)
            pipeline_shader_config(&p, rows[i].payload_bytes, rows[i].attribute_bytes);
        if (rows[i].depth)
            pipeline_pipeline_config(&p, rows[i].depth);
        gpu_forget_messages(&gpu);
        HRESULT result = pipeline_create(&p, &object);
        if (result != (rows[i].says ? E_INVALIDARG : S_OK))
            fail_msg("%s: 0x%08x", rows[i].name, (unsigned)result);
        if (rows[i].says && !(gpu_has_message(&gpu, rows[i].says) && gpu_has_message(&gpu, "must match")))
            fail_msg("%s: the message does not say why", rows[i].name);
        if (object)
            ID3D12StateObject_Release(object);
        pipeline_finish(&p);
    }
    ID3D12StateObject_Release(collection);
    pipeline_finish(&c);
}

/* Even when names clash, too, the kind of the object is what is wrong. */
static void test_collection_cannot_be_grown(void **state)
{
    struct pipeline c, p;
    ID3D12StateObject *collection = sphere_collection(&c), *object = NULL;
    spheres(&p, D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE);
    pipeline_config(&p, D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS);
    gpu_forget_messages(&gpu);
    assert_int_equal(pipeline_add_to(&p, collection, &object), E_INVALIDARG);
    assert_true(gpu_has_message(&gpu, "only raytracing pipelines can be grown"));
    ID3D12StateObject_Release(collection);
    pipeline_finish(&c);
    pipeline_finish(&p);
}

static void test_flags_that_nobody_defined(void **state)
{
    static const struct {
        const char *name;
        int build_flags, geometry_flags;
        const char *says; /* NULL: it works */
    } rows[] = {
        {"all geometry flags", 0, 3, NULL},
        {"ALLOW_DATA_ACCESS", 0x100, 0, NULL},
        {"build flag 0x200", 0x201, 0, "Inputs.Flags is 0x201, bits 0x200 are not defined"},
        {"geometry flag 4", 0, 5, "Flags 0x5, bits 0x4 are not defined"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        D3D12_RAYTRACING_GEOMETRY_DESC geometry = {
            .Type = D3D12_RAYTRACING_GEOMETRY_TYPE_TRIANGLES,
            .Flags = (D3D12_RAYTRACING_GEOMETRY_FLAGS)rows[i].geometry_flags,
            .Triangles = {.VertexFormat = DXGI_FORMAT_R32G32B32_FLOAT, .VertexCount = 3, .VertexBuffer = {256, 12}}};
        D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS inputs = {
            .Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL,
            .Flags = (D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS)rows[i].build_flags,
            .NumDescs = 1,
            .pGeometryDescs = &geometry};
        D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO info;
        gpu_forget_messages(&gpu);
        ID3D12Device5_GetRaytracingAccelerationStructurePrebuildInfo(gpu.device, &inputs, &info);
        if (!info.ResultDataMaxSizeInBytes != (rows[i].says != NULL))
            fail_msg("%s: %llu bytes", rows[i].name, (unsigned long long)info.ResultDataMaxSizeInBytes);
        if (rows[i].says && !gpu_has_message(&gpu, rows[i].says))
            fail_msg("%s: the message does not say why", rows[i].name);
    }
}

/* "If the addresses of the source and destination acceleration structures are identical, the update is performed in-place.
 * Any other overlapping of address ranges of the source and destination is invalid." */
static void test_sources_are_not_overwritten(void **state)
{
    static const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const struct {
        const char *name;
        UINT64 offset;
        bool is_refused;
    } rows[] = {{"overlapping", 256, true}, {"in place", 0, false}, {"apart", 4096, false}};
    ID3D12Resource *vertices = gpu_upload(&gpu, corners, sizeof(corners));
    ID3D12Resource *structures = gpu_structure_buffer(&gpu, 65536);
    ID3D12Resource *scratch = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, 65536);
    D3D12_RAYTRACING_GEOMETRY_DESC geometry = {
        .Type = D3D12_RAYTRACING_GEOMETRY_TYPE_TRIANGLES,
        .Triangles = {.VertexFormat = DXGI_FORMAT_R32G32B32_FLOAT, .VertexCount = 3,
                      .VertexBuffer = {ID3D12Resource_GetGPUVirtualAddress(vertices), 12}}};
    UINT64 source = ID3D12Resource_GetGPUVirtualAddress(structures);
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC desc = {
        .DestAccelerationStructureData = source,
        .Inputs = {.Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL,
                   .Flags = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_ALLOW_UPDATE, .NumDescs = 1,
                   .pGeometryDescs = &geometry},
        .ScratchAccelerationStructureData = ID3D12Resource_GetGPUVirtualAddress(scratch)};
    ID3D12GraphicsCommandList4_BuildRaytracingAccelerationStructure(gpu.list, &desc, 0, NULL);
    gpu_run(&gpu);
    desc.Inputs.Flags |= D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAG_PERFORM_UPDATE;
    desc.SourceAccelerationStructureData = source;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        gpu_forget_messages(&gpu);
        desc.DestAccelerationStructureData = source + rows[i].offset;
        ID3D12GraphicsCommandList4_BuildRaytracingAccelerationStructure(gpu.list, &desc, 0, NULL);
        gpu_run(&gpu);
        if (gpu_message_count(&gpu) != rows[i].is_refused || gpu_has_message(&gpu, "overlap") != rows[i].is_refused) {
            gpu_print_messages(&gpu);
            fail_msg("%s: wrong messages", rows[i].name);
        }
    }
    static const char *const copies[] = {"clone", "compact", "decode", "serialise"};
    for (int mode = 0; mode < 4; mode++) {
        gpu_forget_messages(&gpu);
        ID3D12GraphicsCommandList4_CopyRaytracingAccelerationStructure(
            gpu.list, source + 256, source, (D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE)mode);
        gpu_run(&gpu);
        if (!gpu_has_message(&gpu, "overlap"))
            fail_msg("%s: no message", copies[mode]);
    }
    UINT64 packed = ID3D12Resource_GetGPUVirtualAddress(scratch);
    ID3D12GraphicsCommandList4_CopyRaytracingAccelerationStructure(
        gpu.list, packed, source, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE_SERIALIZE);
    ID3D12GraphicsCommandList4_CopyRaytracingAccelerationStructure(
        gpu.list, packed + 256, packed, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE_DESERIALIZE);
    gpu_forget_messages(&gpu);
    gpu_run(&gpu);
    assert_true(gpu_has_message(&gpu, "overlap"));
    ID3D12Resource_Release(vertices);
    ID3D12Resource_Release(structures);
    ID3D12Resource_Release(scratch);
}

static int open_gpu(void **state)
{
    gpu_init(&gpu);
    return 0;
}

static int close_gpu(void **state)
{
    gpu_finish(&gpu);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pipeline_and_collection_configs_match),
        cmocka_unit_test(test_collection_cannot_be_grown),
        cmocka_unit_test(test_flags_that_nobody_defined),
        cmocka_unit_test(test_sources_are_not_overwritten),
    };
    return cmocka_run_group_tests(tests, open_gpu, close_gpu);
}
