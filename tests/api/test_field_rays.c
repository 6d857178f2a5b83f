/* SPDX-License-Identifier: MIT
 * Field cases about shader tables and dispatch, with shaders written in C (tests/api/shaders/field_rays.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cdxr/cdxr.h"
#include "helpers/triangle_scene.h"

#include <cmocka.h>

enum { RESULT_WORDS = 64, RESULT_BYTES = RESULT_WORDS * 4 };

static struct gpu gpu;
static struct triangle_pipeline builder; /* only for the scene's structures */
static struct triangle_scene scene;
static ID3D12RootSignature *global, *local;
static ID3D12StateObject *object;
static ID3D12StateObjectProperties *properties;
static ID3D12Resource *result, *readback;

static ID3D12RootSignature *new_root_signature(const D3D12_ROOT_PARAMETER *parameters, UINT count,
                                               D3D12_ROOT_SIGNATURE_FLAGS flags)
{
    D3D12_ROOT_SIGNATURE_DESC desc = {count, parameters, 0, NULL, flags};
    ID3DBlob *blob = NULL;
    ID3D12RootSignature *signature = NULL;
    assert_int_equal(D3D12SerializeRootSignature(&desc, D3D_ROOT_SIGNATURE_VERSION_1, &blob, NULL), S_OK);
    assert_int_equal(ID3D12Device5_CreateRootSignature(gpu.device, 0, ID3D10Blob_GetBufferPointer(blob),
                                                       ID3D10Blob_GetBufferSize(blob), &IID_ID3D12RootSignature,
                                                       (void **)&signature),
                     S_OK);
    ID3D10Blob_Release(blob);
    return signature;
}

static void make_root_signatures(void)
{
    const D3D12_ROOT_PARAMETER parameters[2] = {{.ParameterType = D3D12_ROOT_PARAMETER_TYPE_SRV},
                                                {.ParameterType = D3D12_ROOT_PARAMETER_TYPE_UAV}};
    D3D12_DESCRIPTOR_RANGE range = {D3D12_DESCRIPTOR_RANGE_TYPE_SRV, 1, 0, 1, 0};
    D3D12_ROOT_PARAMETER table = {.ParameterType = D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE,
                                  .DescriptorTable = {1, &range}};
    global = new_root_signature(parameters, 2, D3D12_ROOT_SIGNATURE_FLAG_NONE);
    local = new_root_signature(&table, 1, D3D12_ROOT_SIGNATURE_FLAG_LOCAL_ROOT_SIGNATURE);
}

static void make_pipeline(void)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/tests/field_rays.bc", CDXR_BINARY_DIR);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    static UINT8 code[1 << 20];
    size_t bytes = fread(code, 1, sizeof(code), file);
    fclose(file);
    D3D12_DXIL_LIBRARY_DESC library = {.DXILLibrary = {code, bytes}};
    D3D12_HIT_GROUP_DESC group = {.HitGroupExport = L"Group", .ClosestHitShaderImport = L"LocalHit"};
    D3D12_RAYTRACING_SHADER_CONFIG shader_config = {4, 8};
    D3D12_RAYTRACING_PIPELINE_CONFIG pipeline_config = {1};
    LPCWSTR hit = L"LocalHit";
    D3D12_STATE_SUBOBJECT subobjects[7] = {
        {D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &library},
        {D3D12_STATE_SUBOBJECT_TYPE_HIT_GROUP, &group},
        {D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG, &shader_config},
        {D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG, &pipeline_config},
        {D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE, &global},
        {D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE, &local},
    };
    D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION association = {&subobjects[5], 1, &hit};
    subobjects[6] =
        (D3D12_STATE_SUBOBJECT){D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION, &association};
    D3D12_STATE_OBJECT_DESC desc = {D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE, 7, subobjects};
    if (FAILED(ID3D12Device5_CreateStateObject(gpu.device, &desc, &IID_ID3D12StateObject, (void **)&object)))
        gpu_print_messages(&gpu);
    assert_non_null(object);
    assert_int_equal(
        ID3D12StateObject_QueryInterface(object, &IID_ID3D12StateObjectProperties, (void **)&properties), S_OK);
}

static int set_up(void **state)
{
    cdxr_enable_c_shaders();
    gpu_init(&gpu);
    triangle_pipeline_init(&builder, gpu.device);
    triangle_scene_init(&scene, &gpu, &builder, 16, 16);
    make_root_signatures();
    object = NULL;
    make_pipeline();
    result = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, RESULT_BYTES);
    readback = gpu_buffer(&gpu, D3D12_HEAP_TYPE_READBACK, RESULT_BYTES);
    memset(scene.table_memory, 0, TRIANGLE_TABLE_BYTES);
    triangle_scene_build(&scene, gpu.list);
    return 0;
}

static int tear_down(void **state)
{
    ID3D12Resource_Release(result);
    ID3D12Resource_Release(readback);
    ID3D12StateObjectProperties_Release(properties);
    ID3D12StateObject_Release(object);
    ID3D12RootSignature_Release(local);
    ID3D12RootSignature_Release(global);
    triangle_scene_finish(&scene);
    triangle_pipeline_finish(&builder);
    gpu_finish(&gpu);
    return 0;
}

static void put(UINT8 *record, LPCWSTR name)
{
    const void *identifier = ID3D12StateObjectProperties_GetShaderIdentifier(properties, name);
    assert_non_null(identifier);
    memcpy(record, identifier, 32);
}

static UINT64 tables(UINT64 offset)
{
    return ID3D12Resource_GetGPUVirtualAddress(scene.tables) + offset;
}

/* Layout of the tables in these tests: two raygen records at 0 and 64, misses at 128, hit records of 64 bytes at 192. */
static D3D12_DISPATCH_RAYS_DESC plain_desc(UINT width, UINT height, UINT depth)
{
    return (D3D12_DISPATCH_RAYS_DESC){.RayGenerationShaderRecord = {tables(0), 32},
                                      .MissShaderTable = {tables(128), 64, 32},
                                      .HitGroupTable = {tables(192), 128, 64},
                                      .Width = width, .Height = height, .Depth = depth};
}

static void bind(UINT64 structure)
{
    ID3D12GraphicsCommandList4_SetDescriptorHeaps(gpu.list, 1, &scene.heap);
    ID3D12GraphicsCommandList4_SetComputeRootSignature(gpu.list, global);
    ID3D12GraphicsCommandList4_SetComputeRootShaderResourceView(gpu.list, 0, structure);
    ID3D12GraphicsCommandList4_SetComputeRootUnorderedAccessView(gpu.list, 1,
                                                                 ID3D12Resource_GetGPUVirtualAddress(result));
    ID3D12GraphicsCommandList4_SetPipelineState1(gpu.list, object);
}

static void dispatch(const D3D12_DISPATCH_RAYS_DESC *desc, UINT *words)
{
    ID3D12GraphicsCommandList4_DispatchRays(gpu.list, desc);
    ID3D12GraphicsCommandList4_CopyResource(gpu.list, readback, result);
    gpu_run(&gpu);
    if (gpu_message_count(&gpu))
        gpu_print_messages(&gpu);
    assert_int_equal(gpu_message_count(&gpu), 0);
    gpu_read(readback, 0, words, RESULT_BYTES);
}

/* ST-04 */
static void second_raygen_record(void **state)
{
    UINT words[RESULT_WORDS];
    put(scene.table_memory, L"One");
    put(scene.table_memory + 64, L"Two");
    static const struct {
        UINT64 offset, bytes;
        UINT expected;
    } cases[] = {{0, 32, 1}, {64, 32, 2}, {0, 64, 1}, {64, 64, 2}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bind(ID3D12Resource_GetGPUVirtualAddress(scene.tlas));
        D3D12_DISPATCH_RAYS_DESC desc = plain_desc(1, 1, 1);
        desc.RayGenerationShaderRecord =
            (D3D12_GPU_VIRTUAL_ADDRESS_RANGE){tables(cases[i].offset), cases[i].bytes};
        dispatch(&desc, words);
        assert_int_equal(words[0], cases[i].expected);
    }
}

/* ST-09: the records of one hit group carry different descriptor tables; lanes alternate between them. */
static void every_record_has_its_own_table(void **state)
{
    const UINT values[2] = {10, 20};
    D3D12_CPU_DESCRIPTOR_HANDLE cpu = ID3D12DescriptorHeap_GetCPUDescriptorHandleForHeapStart(scene.heap);
    D3D12_GPU_DESCRIPTOR_HANDLE handle = ID3D12DescriptorHeap_GetGPUDescriptorHandleForHeapStart(scene.heap);
    UINT increment =
        ID3D12Device5_GetDescriptorHandleIncrementSize(gpu.device, D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
    ID3D12Resource *buffers[2];
    put(scene.table_memory, L"Columns");
    for (UINT i = 0; i < 2; i++) {
        buffers[i] = gpu_upload(&gpu, &values[i], 4);
        D3D12_SHADER_RESOURCE_VIEW_DESC view = {.ViewDimension = D3D12_SRV_DIMENSION_BUFFER,
                                                .Shader4ComponentMapping = D3D12_DEFAULT_SHADER_4_COMPONENT_MAPPING,
                                                .Buffer = {.NumElements = 1, .StructureByteStride = 4}};
        D3D12_CPU_DESCRIPTOR_HANDLE place = {cpu.ptr + (1 + i) * increment};
        ID3D12Device5_CreateShaderResourceView(gpu.device, buffers[i], &view, place);
        UINT64 table = handle.ptr + (1 + i) * increment;
        put(scene.table_memory + 192 + i * 64, L"Group");
        memcpy(scene.table_memory + 192 + i * 64 + 32, &table, sizeof(table));
    }
    UINT words[RESULT_WORDS];
    bind(ID3D12Resource_GetGPUVirtualAddress(scene.tlas));
    D3D12_DISPATCH_RAYS_DESC desc = plain_desc(RESULT_WORDS, 1, 1);
    dispatch(&desc, words);
    for (UINT i = 0; i < RESULT_WORDS; i++)
        assert_int_equal(words[i], values[i & 1]);
    ID3D12Resource_Release(buffers[0]);
    ID3D12Resource_Release(buffers[1]);
}

/* ST-10 */
static void last_of_65536_miss_records(void **state)
{
    enum { RECORDS = 65536 };
    ID3D12Resource *buffer = gpu_buffer(&gpu, D3D12_HEAP_TYPE_UPLOAD, RECORDS * 32);
    UINT8 *memory = NULL;
    assert_int_equal(ID3D12Resource_Map(buffer, 0, NULL, (void **)&memory), S_OK);
    for (UINT i = 0; i < RECORDS; i++)
        put(memory + i * 32, i == RECORDS - 1 ? L"OtherMiss" : L"Miss");
    put(scene.table_memory, L"LastMiss");
    UINT words[RESULT_WORDS];
    bind(ID3D12Resource_GetGPUVirtualAddress(scene.tlas));
    D3D12_DISPATCH_RAYS_DESC desc = plain_desc(1, 1, 1);
    desc.MissShaderTable = (D3D12_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE){
        ID3D12Resource_GetGPUVirtualAddress(buffer), RECORDS * 32, 32};
    dispatch(&desc, words);
    assert_int_equal(words[0], 0xbb);
    ID3D12Resource_Release(buffer);
}

/* ST-02, ST-03: null records and missing tables leave the payload. */
static void null_records_leave_the_payload(void **state)
{
    UINT words[RESULT_WORDS];
    put(scene.table_memory, L"HitAndMiss");
    for (int tables_given = 0; tables_given < 2; tables_given++) {
        bind(ID3D12Resource_GetGPUVirtualAddress(scene.tlas));
        D3D12_DISPATCH_RAYS_DESC desc = plain_desc(1, 1, 1);
        if (!tables_given) {
            memset(&desc.MissShaderTable, 0, sizeof(desc.MissShaderTable));
            memset(&desc.HitGroupTable, 0, sizeof(desc.HitGroupTable));
        }
        dispatch(&desc, words);
        assert_int_equal(words[0], 0x1234);
        assert_int_equal(words[1], 0x1234);
    }
}

/* RB-07, TR-29: structures that were never built, and null, are missed. */
static void unbuilt_and_null_structures_are_missed(void **state)
{
    UINT words[RESULT_WORDS];
    ID3D12Resource *empty = gpu_structure_buffer(&gpu, 65536);
    const UINT64 structures[2] = {0, ID3D12Resource_GetGPUVirtualAddress(empty)};
    put(scene.table_memory, L"HitAndMiss");
    put(scene.table_memory + 128, L"Miss");
    for (int i = 0; i < 2; i++) {
        bind(structures[i]);
        D3D12_DISPATCH_RAYS_DESC desc = plain_desc(1, 1, 1);
        dispatch(&desc, words);
        assert_int_equal(words[0], 0xaa);
        assert_int_equal(words[1], 0xaa);
    }
    ID3D12Resource_Release(empty);
}

/* RB-02: the group limits of compute do not count. */
static void wide_and_empty_grids(void **state)
{
    UINT words[RESULT_WORDS];
    put(scene.table_memory, L"Count");
    bind(ID3D12Resource_GetGPUVirtualAddress(scene.tlas));
    D3D12_DISPATCH_RAYS_DESC desc = plain_desc(100000, 1, 1);
    dispatch(&desc, words);
    assert_int_equal(words[0], 100000);
    static const UINT shapes[3][3] = {{0, 5, 5}, {5, 0, 5}, {5, 5, 0}};
    for (int i = 0; i < 3; i++) {
        bind(ID3D12Resource_GetGPUVirtualAddress(scene.tlas));
        desc = plain_desc(shapes[i][0], shapes[i][1], shapes[i][2]);
        dispatch(&desc, words);
        assert_int_equal(words[0], 100000);
    }
}

/* DX-06 */
static void index_and_dimensions_have_three_components(void **state)
{
    UINT words[RESULT_WORDS];
    put(scene.table_memory, L"Index");
    bind(ID3D12Resource_GetGPUVirtualAddress(scene.tlas));
    D3D12_DISPATCH_RAYS_DESC desc = plain_desc(4, 3, 2);
    dispatch(&desc, words);
    for (UINT z = 0; z < 2; z++)
        for (UINT y = 0; y < 3; y++)
            for (UINT x = 0; x < 4; x++)
                assert_int_equal(words[z * 12 + y * 4 + x], x + 10 * y + 100 * z);
    assert_int_equal(words[24], 4);
    assert_int_equal(words[25], 3);
    assert_int_equal(words[26], 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(second_raygen_record),
        TEST(every_record_has_its_own_table),
        TEST(last_of_65536_miss_records),
        TEST(null_records_leave_the_payload),
        TEST(unbuilt_and_null_structures_are_missed),
        TEST(wide_and_empty_grids),
        TEST(index_and_dimensions_have_three_components),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
