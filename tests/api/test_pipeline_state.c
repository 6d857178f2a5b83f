/* SPDX-License-Identifier: MIT
 * Compute pipeline states, streams, cached blobs and pipeline libraries across the library border. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/pipeline.h"

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

struct shader {
    D3D12_COMPUTE_PIPELINE_STATE_DESC desc;
    void *code, *root;
};

static void load(struct shader *s, const char *fixture, const char *root_fixture)
{
    SIZE_T root_bytes;
    memset(s, 0, sizeof(*s));
    s->code = fixture_read(fixture, &s->desc.CS.BytecodeLength);
    s->desc.CS.pShaderBytecode = s->code;
    if (!root_fixture)
        return;
    s->root = fixture_read(root_fixture, &root_bytes);
    assert_int_equal(ID3D12Device5_CreateRootSignature(gpu.device, 0, s->root, root_bytes, &IID_ID3D12RootSignature,
                                                       (void **)&s->desc.pRootSignature),
                     S_OK);
}

static void unload(struct shader *s)
{
    if (s->desc.pRootSignature)
        ID3D12RootSignature_Release(s->desc.pRootSignature);
    free(s->code);
    free(s->root);
}

static HRESULT create(const struct shader *s, ID3D12PipelineState **out)
{
    *out = (ID3D12PipelineState *)s;
    gpu_forget_messages(&gpu);
    return ID3D12Device5_CreateComputePipelineState(gpu.device, &s->desc, &IID_ID3D12PipelineState, (void **)out);
}

static ID3D12PipelineState *must_create(const struct shader *s)
{
    ID3D12PipelineState *state = NULL;
    if (FAILED(create(s, &state))) {
        gpu_print_messages(&gpu);
        fail_msg("CreateComputePipelineState fails");
    }
    return state;
}

static void create_and_release(const struct shader *s)
{
    ID3D12PipelineState *state = must_create(s);
    assert_int_equal(ID3D12PipelineState_Release(state), 0);
}

static void expect_invalid(const struct shader *s, const char *says)
{
    ID3D12PipelineState *state;
    assert_int_equal(create(s, &state), E_INVALIDARG);
    assert_null(state);
    if (!gpu_has_message(&gpu, says)) {
        gpu_print_messages(&gpu);
        fail_msg("no message says '%s'", says);
    }
}

static void test_compute_with_given_root_signature(void **state)
{
    struct shader s;
    load(&s, "18_groupshared.dxil", "18_groupshared.rs.rs");
    ID3D12PipelineState *pipeline = must_create(&s);
    assert_int_equal(ID3D12PipelineState_Release(pipeline), 0);
    unload(&s);
}

static void test_root_signature_of_the_shader(void **state)
{
    struct shader s;
    load(&s, "15_math.dxil", NULL); /* its RTS0 part */
    create_and_release(&s);
    unload(&s);
}

static void test_mistakes(void **state)
{
    struct shader s;
    load(&s, "18_groupshared.dxil", "19a_atomics.rs.rs");
    expect_invalid(&s, "is in no root signature");
    s.desc.CS.BytecodeLength = 0;
    expect_invalid(&s, "CS is empty");
    unload(&s);
    load(&s, "18_groupshared.dxil", "18_groupshared.rs.rs");
    s.desc.NodeMask = 2;
    expect_invalid(&s, "NodeMask is 0x2");
    s.desc.NodeMask = 0;
    s.desc.CS.BytecodeLength /= 2;
    expect_invalid(&s, "CS: ");
    unload(&s);
    load(&s, "01_hello_triangle.dxil", "01_hello_triangle.global_rs.rs");
    expect_invalid(&s, "a compute shader is needed");
    unload(&s);
    load(&s, "01_hello_triangle.dxil", NULL);
    expect_invalid(&s, "pRootSignature is NULL");
    unload(&s);
    load(&s, "18_groupshared.dxil", "01_hello_triangle.raygen_local_rs.rs");
    expect_invalid(&s, "is a local root signature");
    unload(&s);
}

static void test_graphics_is_refused_with_a_reason(void **state)
{
    D3D12_GRAPHICS_PIPELINE_STATE_DESC desc = {0};
    void *pipeline = &desc;
    gpu_forget_messages(&gpu);
    assert_int_equal(
        ID3D12Device5_CreateGraphicsPipelineState(gpu.device, &desc, &IID_ID3D12PipelineState, &pipeline), E_NOTIMPL);
    assert_null(pipeline);
    assert_true(gpu_has_message(&gpu, "compute and raytracing pipelines only"));
}

/* --- streams --- */

struct stream {
    _Alignas(void *) uint32_t root_type;
    ID3D12RootSignature *root;
    _Alignas(void *) uint32_t code_type;
    D3D12_SHADER_BYTECODE code;
    _Alignas(void *) uint32_t mask_type;
    UINT mask;
};

static HRESULT create_stream(void *stream, SIZE_T bytes, ID3D12PipelineState **out)
{
    D3D12_PIPELINE_STATE_STREAM_DESC desc = {bytes, stream};
    *out = stream;
    gpu_forget_messages(&gpu);
    return ID3D12Device2_CreatePipelineState((ID3D12Device2 *)gpu.device, &desc, &IID_ID3D12PipelineState,
                                             (void **)out);
}

static void test_compute_stream(void **state)
{
    struct shader s;
    ID3D12PipelineState *pipeline;
    load(&s, "18_groupshared.dxil", "18_groupshared.rs.rs");
    struct stream stream = {
        .root_type = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_ROOT_SIGNATURE,
        .root = s.desc.pRootSignature,
        .code_type = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS,
        .code = s.desc.CS,
        .mask_type = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_NODE_MASK,
        .mask = 1,
    };
    assert_int_equal(create_stream(&stream, sizeof(stream), &pipeline), S_OK);
    ID3D12PipelineState_Release(pipeline);
    assert_int_equal(create_stream(&stream, sizeof(stream) - 2, &pipeline), E_INVALIDARG);
    assert_true(gpu_has_message(&gpu, "ends inside a subobject"));
    assert_null(pipeline);
    stream.mask_type = 99;
    assert_int_equal(create_stream(&stream, sizeof(stream), &pipeline), E_INVALIDARG);
    assert_true(gpu_has_message(&gpu, "type is unknown"));
    stream.mask_type = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_CS;
    assert_int_equal(create_stream(&stream, sizeof(stream), &pipeline), E_INVALIDARG);
    stream.code_type = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_MS;
    stream.mask_type = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_NODE_MASK;
    assert_int_equal(create_stream(&stream, sizeof(stream), &pipeline), E_NOTIMPL);
    assert_true(gpu_has_message(&gpu, "(MS)"));
    assert_int_equal(create_stream(&stream, 0, &pipeline), E_INVALIDARG);
    unload(&s);
}

/* --- cached blobs --- */

static void test_cached_blob(void **state)
{
    struct shader s, other;
    ID3DBlob *blob = NULL;
    load(&s, "18_groupshared.dxil", "18_groupshared.rs.rs");
    load(&other, "19a_atomics.dxil", "19a_atomics.rs.rs");
    ID3D12PipelineState *pipeline = must_create(&s);
    assert_int_equal(ID3D12PipelineState_GetCachedBlob(pipeline, &blob), S_OK);
    ID3D12PipelineState_Release(pipeline);
    uint8_t *bytes = ID3D10Blob_GetBufferPointer(blob);
    D3D12_CACHED_PIPELINE_STATE cached = {bytes, ID3D10Blob_GetBufferSize(blob)};
    s.desc.CachedPSO = other.desc.CachedPSO = cached;
    create_and_release(&s);
    expect_invalid(&other, "another shader or root signature");
    s.desc.CachedPSO.CachedBlobSizeInBytes--;
    expect_invalid(&s, "CachedPSO");
    s.desc.CachedPSO.CachedBlobSizeInBytes++;
    for (SIZE_T i = 0; i < cached.CachedBlobSizeInBytes; i++) {
        ID3D12PipelineState *none;
        bytes[i] ^= 0x10;
        assert_true(FAILED(create(&s, &none)));
        bytes[i] ^= 0x10;
    }
    ID3D10Blob_Release(blob);
    unload(&s);
    unload(&other);
}

/* --- libraries --- */

static ID3D12PipelineLibrary1 *make_library(const void *blob, SIZE_T bytes, HRESULT expected)
{
    ID3D12PipelineLibrary1 *library = NULL;
    gpu_forget_messages(&gpu);
    assert_int_equal(ID3D12Device1_CreatePipelineLibrary((ID3D12Device1 *)gpu.device, blob, bytes,
                                                         &IID_ID3D12PipelineLibrary1, (void **)&library),
                     expected);
    return library;
}

static HRESULT load_named(ID3D12PipelineLibrary1 *library, const WCHAR *name, const struct shader *s)
{
    ID3D12PipelineState *state = NULL;
    HRESULT result = ID3D12PipelineLibrary1_LoadComputePipeline(library, name, &s->desc, &IID_ID3D12PipelineState,
                                                                (void **)&state);
    if (SUCCEEDED(result))
        assert_int_equal(ID3D12PipelineState_Release(state), 0);
    else
        assert_null(state);
    return result;
}

static void test_pipeline_library(void **state)
{
    struct shader s, other;
    load(&s, "18_groupshared.dxil", "18_groupshared.rs.rs");
    load(&other, "19a_atomics.dxil", "19a_atomics.rs.rs");
    ID3D12PipelineLibrary1 *library = make_library(NULL, 0, S_OK);
    ID3D12PipelineState *pipeline = must_create(&s);
    assert_int_equal(load_named(library, L"one", &s), E_INVALIDARG);
    assert_int_equal(ID3D12PipelineLibrary1_StorePipeline(library, L"one", pipeline), S_OK);
    assert_int_equal(ID3D12PipelineLibrary1_StorePipeline(library, L"one", pipeline), E_INVALIDARG);
    assert_int_equal(ID3D12PipelineLibrary1_StorePipeline(library, L"zwei \x20ac", pipeline), S_OK);
    assert_int_equal(ID3D12PipelineLibrary1_StorePipeline(library, NULL, pipeline), E_INVALIDARG);
    assert_int_equal(ID3D12PipelineLibrary1_StorePipeline(library, L"x", NULL), E_INVALIDARG);
    ID3D12PipelineState_Release(pipeline);
    assert_int_equal(load_named(library, L"one", &s), S_OK);
    assert_int_equal(load_named(library, L"one", &other), E_INVALIDARG);

    SIZE_T bytes = ID3D12PipelineLibrary1_GetSerializedSize(library);
    uint8_t *blob = malloc(bytes + 16);
    assert_int_equal(ID3D12PipelineLibrary1_Serialize(library, blob, bytes - 1), E_INVALIDARG);
    assert_int_equal(ID3D12PipelineLibrary1_Serialize(library, blob, bytes), S_OK);
    ID3D12PipelineLibrary1_Release(library);

    library = make_library(blob, bytes, S_OK);
    assert_int_equal(load_named(library, L"zwei \x20ac", &s), S_OK);
    assert_int_equal(load_named(library, L"zwei \x20ac", &other), E_INVALIDARG);
    assert_int_equal(load_named(library, L"absent", &s), E_INVALIDARG);
    assert_int_equal(ID3D12PipelineLibrary1_GetSerializedSize(library), bytes);
    ID3D12PipelineLibrary1_Release(library);
    for (SIZE_T i = 1; i < bytes; i++)
        assert_null(make_library(blob, i, E_INVALIDARG));
    for (SIZE_T i = 0; i < bytes; i++) {
        ID3D12PipelineLibrary1 *damaged = NULL;
        blob[i] ^= 0x40;
        HRESULT result = ID3D12Device1_CreatePipelineLibrary((ID3D12Device1 *)gpu.device, blob, bytes,
                                                             &IID_ID3D12PipelineLibrary1, (void **)&damaged);
        if (i < 12 || i >= 16)
            assert_true(FAILED(result));
        if (damaged)
            ID3D12PipelineLibrary1_Release(damaged);
        blob[i] ^= 0x40;
    }
    free(blob);
    unload(&s);
    unload(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compute_with_given_root_signature),
        cmocka_unit_test(test_root_signature_of_the_shader),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_graphics_is_refused_with_a_reason),
        cmocka_unit_test(test_compute_stream),
        cmocka_unit_test(test_cached_blob),
        cmocka_unit_test(test_pipeline_library),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
