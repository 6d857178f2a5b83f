/* SPDX-License-Identifier: MIT
 * Shaders written in C through the D3D12 API: the same image as from HLSL, refusal while not enabled, and a shader that never
 * ends, which removes the device and is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cdxr/cdxr.h"
#include "helpers/triangle_scene.h"

static void *read_bitcode(const char *name, size_t *bytes)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/tests/%s.bc", CDXR_BINARY_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    rewind(file);
    void *data = malloc(*bytes);
    assert_int_equal(fread(data, 1, *bytes, file), *bytes);
    fclose(file);
    return data;
}

static void test_refused_unless_enabled(void **state)
{
    (void)state;
    struct gpu gpu;
    size_t bytes;
    void *code = read_bitcode("hello_triangle", &bytes);
    gpu_init(&gpu);
    D3D12_DXIL_LIBRARY_DESC library = {.DXILLibrary = {code, bytes}};
    D3D12_STATE_SUBOBJECT subobject = {D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &library};
    D3D12_STATE_OBJECT_DESC desc = {D3D12_STATE_OBJECT_TYPE_COLLECTION, 1, &subobject};
    ID3D12StateObject *object = NULL;
    assert_true(FAILED(
        ID3D12Device5_CreateStateObject(gpu.device, &desc, &IID_ID3D12StateObject, (void **)&object)));
    assert_true(gpu_has_message(&gpu, "cdxr_enable_c_shaders"));
    gpu_finish(&gpu);
    free(code);
}

enum { WIDTH = 64, HEIGHT = 48 };

static void render(struct gpu *gpu, const struct triangle_pipeline *pipeline, float (*pixels)[4])
{
    struct triangle_scene scene;
    triangle_scene_init(&scene, gpu, pipeline, WIDTH, HEIGHT);
    triangle_scene_build(&scene, gpu->list);
    triangle_scene_bind(&scene, gpu->list);
    D3D12_DISPATCH_RAYS_DESC desc = triangle_scene_desc(&scene);
    ID3D12GraphicsCommandList4_DispatchRays(gpu->list, &desc);
    triangle_scene_copy(&scene, gpu->list);
    gpu_run(gpu);
    for (UINT y = 0; y < HEIGHT; y++)
        for (UINT x = 0; x < WIDTH; x++)
            triangle_scene_pixel(&scene, x, y, pixels[y * WIDTH + x]);
    assert_true(triangle_scene_is_right(&scene));
    triangle_scene_finish(&scene);
}

static void test_same_image_as_hlsl(void **state)
{
    (void)state;
    static float from_hlsl[WIDTH * HEIGHT][4], from_c[WIDTH * HEIGHT][4];
    struct gpu gpu;
    struct triangle_pipeline hlsl, c;
    size_t bytes;
    void *code = read_bitcode("hello_triangle", &bytes);
    cdxr_enable_c_shaders();
    gpu_init(&gpu);
    triangle_pipeline_init(&hlsl, gpu.device);
    triangle_pipeline_init_library(&c, gpu.device, code, bytes);
    render(&gpu, &hlsl, from_hlsl);
    render(&gpu, &c, from_c);
    assert_memory_equal(from_hlsl, from_c, sizeof(from_c));
    triangle_pipeline_finish(&hlsl);
    triangle_pipeline_finish(&c);
    gpu_finish(&gpu);
    free(code);
}

static ID3D12RootSignature *root_with_uav(struct gpu *gpu)
{
    D3D12_ROOT_PARAMETER parameter = {.ParameterType = D3D12_ROOT_PARAMETER_TYPE_UAV};
    D3D12_ROOT_SIGNATURE_DESC desc = {1, &parameter, 0, NULL, D3D12_ROOT_SIGNATURE_FLAG_NONE};
    ID3DBlob *blob = NULL;
    ID3D12RootSignature *signature = NULL;
    assert_int_equal(D3D12SerializeRootSignature(&desc, D3D_ROOT_SIGNATURE_VERSION_1, &blob, NULL), S_OK);
    assert_int_equal(ID3D12Device5_CreateRootSignature(gpu->device, 0, ID3D10Blob_GetBufferPointer(blob),
                                                       ID3D10Blob_GetBufferSize(blob), &IID_ID3D12RootSignature,
                                                       (void **)&signature),
                     S_OK);
    ID3D10Blob_Release(blob);
    return signature;
}

/* The library's only shader must be the entry: a file of its own. */
static void test_endless_shader_is_stopped_and_named(void **state)
{
    (void)state;
    struct gpu gpu;
    size_t bytes;
    void *code = read_bitcode("endless", &bytes);
    setenv("CDXR_TIMEOUT", "1", 1);
    cdxr_enable_c_shaders();
    gpu_init(&gpu);
    ID3D12RootSignature *root = root_with_uav(&gpu);
    ID3D12PipelineState *pipeline = NULL;
    D3D12_COMPUTE_PIPELINE_STATE_DESC desc = {.pRootSignature = root, .CS = {code, bytes}};
    assert_int_equal(ID3D12Device5_CreateComputePipelineState(gpu.device, &desc, &IID_ID3D12PipelineState,
                                                              (void **)&pipeline),
                     S_OK);
    ID3D12Resource *buffer = gpu_buffer(&gpu, D3D12_HEAP_TYPE_DEFAULT, 4096);
    ID3D12GraphicsCommandList4_SetComputeRootSignature(gpu.list, root);
    ID3D12GraphicsCommandList4_SetPipelineState(gpu.list, pipeline);
    ID3D12GraphicsCommandList4_SetComputeRootUnorderedAccessView(gpu.list, 0,
                                                                 ID3D12Resource_GetGPUVirtualAddress(buffer));
    ID3D12GraphicsCommandList4_Dispatch(gpu.list, 1, 1, 1);
    assert_int_equal(ID3D12GraphicsCommandList4_Close(gpu.list), S_OK);
    ID3D12CommandList *list = (ID3D12CommandList *)gpu.list;
    ID3D12CommandQueue_ExecuteCommandLists(gpu.queue, 1, &list);
    assert_int_equal(ID3D12CommandQueue_Signal(gpu.queue, gpu.fence, 77), S_OK);
    ID3D12Fence_SetEventOnCompletion(gpu.fence, 77, NULL); /* a removed device completes every fence */
    assert_true(FAILED(ID3D12Device5_GetDeviceRemovedReason(gpu.device)));
    assert_true(gpu_has_message(&gpu, "Endless"));
    ID3D12Resource_Release(buffer);
    ID3D12PipelineState_Release(pipeline);
    ID3D12RootSignature_Release(root);
    gpu_finish(&gpu);
    free(code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused_unless_enabled),
        cmocka_unit_test(test_same_image_as_hlsl),
        cmocka_unit_test(test_endless_shader_is_stopped_and_named),
    };
    return cmocka_run_group_tests_name("c_shaders", tests, NULL, NULL);
}
