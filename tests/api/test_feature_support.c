/* SPDX-License-Identifier: MIT
 * CheckFeatureSupport for every feature, the info queue and the life of the device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <cdxr/cdxr.h>

#include "helpers/gpu.h"

#include <cdxr/d3d12_dxr.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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

#define FEATURE(name) {#name, D3D12_FEATURE_##name, sizeof(D3D12_FEATURE_DATA_##name)}

static void every_feature_answers_its_own_size_only(void **state)
{
    static const struct {
        const char *name;
        D3D12_FEATURE feature;
        UINT size_bytes;
    } features[] = {
        FEATURE(D3D12_OPTIONS),   FEATURE(D3D12_OPTIONS1),  FEATURE(D3D12_OPTIONS2),  FEATURE(D3D12_OPTIONS3),
        FEATURE(D3D12_OPTIONS4),  FEATURE(D3D12_OPTIONS5),  FEATURE(D3D12_OPTIONS6),  FEATURE(D3D12_OPTIONS7),
        FEATURE(D3D12_OPTIONS8),  FEATURE(D3D12_OPTIONS9),  FEATURE(D3D12_OPTIONS10), FEATURE(D3D12_OPTIONS11),
        FEATURE(D3D12_OPTIONS12), FEATURE(D3D12_OPTIONS13), FEATURE(D3D12_OPTIONS14), FEATURE(D3D12_OPTIONS15),
        FEATURE(ARCHITECTURE),    FEATURE(ARCHITECTURE1),   FEATURE(FORMAT_SUPPORT),  FEATURE(FORMAT_INFO),
        FEATURE(GPU_VIRTUAL_ADDRESS_SUPPORT), FEATURE(SHADER_CACHE), FEATURE(COMMAND_QUEUE_PRIORITY),
        FEATURE(EXISTING_HEAPS),  FEATURE(SERIALIZATION),   FEATURE(CROSS_NODE),      FEATURE(DISPLAYABLE),
        FEATURE(PROTECTED_RESOURCE_SESSION_SUPPORT), FEATURE(PROTECTED_RESOURCE_SESSION_TYPE_COUNT),
        FEATURE(PROTECTED_RESOURCE_SESSION_TYPES), FEATURE(D3D12_OPTIONS22),
    };
    for (size_t i = 0; i < COUNT(features); i++) {
        uint64_t data[32] = {0};
        if (ID3D12Device5_CheckFeatureSupport(gpu.device, features[i].feature, data, features[i].size_bytes) != S_OK)
            fail_msg("%s fails", features[i].name);
        if (ID3D12Device5_CheckFeatureSupport(gpu.device, features[i].feature, data, features[i].size_bytes + 4) !=
            E_INVALIDARG)
            fail_msg("%s takes a wrong size", features[i].name);
    }
    uint32_t data = 0;
    assert_int_equal(ID3D12Device5_CheckFeatureSupport(gpu.device, 12345, &data, 4), E_INVALIDARG);
    assert_int_equal(ID3D12Device5_CheckFeatureSupport(gpu.device, 0, NULL, 4), E_INVALIDARG);
}

static void shader_models_are_lowered_to_what_there_is(void **state)
{
    static const struct {
        int asked, answer;
        HRESULT result;
    } cases[] = {{0x51, 0x51, S_OK}, {0x60, 0x60, S_OK}, {0x67, 0x67, S_OK}, {0x68, 0x68, S_OK}, {0x69, 0x69, S_OK},
                 {0x6f, 0x69, S_OK}, {0x52, 0x52, E_INVALIDARG}, {0, 0, E_INVALIDARG}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        D3D12_FEATURE_DATA_SHADER_MODEL data = {(D3D_SHADER_MODEL)cases[i].asked};
        assert_int_equal(ID3D12Device5_CheckFeatureSupport(gpu.device, D3D12_FEATURE_SHADER_MODEL, &data, sizeof(data)),
                         cases[i].result);
        assert_int_equal(data.HighestShaderModel, cases[i].answer);
    }
}

static void formats_say_what_views_do(void **state)
{
    static const struct {
        DXGI_FORMAT format;
        unsigned has1, lacks1, has2, lacks2;
    } cases[] = {
        {DXGI_FORMAT_R8G8B8A8_UNORM,
         D3D12_FORMAT_SUPPORT1_BUFFER | D3D12_FORMAT_SUPPORT1_TEXTURE2D | D3D12_FORMAT_SUPPORT1_SHADER_SAMPLE |
             D3D12_FORMAT_SUPPORT1_TYPED_UNORDERED_ACCESS_VIEW | D3D12_FORMAT_SUPPORT1_RENDER_TARGET,
         D3D12_FORMAT_SUPPORT1_DEPTH_STENCIL, D3D12_FORMAT_SUPPORT2_UAV_TYPED_LOAD, D3D12_FORMAT_SUPPORT2_UAV_ATOMIC_ADD},
        {DXGI_FORMAT_R32_UINT, D3D12_FORMAT_SUPPORT1_SHADER_LOAD, D3D12_FORMAT_SUPPORT1_SHADER_SAMPLE,
         D3D12_FORMAT_SUPPORT2_UAV_ATOMIC_ADD | D3D12_FORMAT_SUPPORT2_UAV_ATOMIC_UNSIGNED_MIN_OR_MAX,
         D3D12_FORMAT_SUPPORT2_UAV_ATOMIC_SIGNED_MIN_OR_MAX},
        {DXGI_FORMAT_BC7_UNORM, D3D12_FORMAT_SUPPORT1_SHADER_SAMPLE | D3D12_FORMAT_SUPPORT1_TEXTURE3D,
         D3D12_FORMAT_SUPPORT1_TEXTURE1D | D3D12_FORMAT_SUPPORT1_RENDER_TARGET | D3D12_FORMAT_SUPPORT1_BUFFER, 0,
         D3D12_FORMAT_SUPPORT2_UAV_TYPED_STORE},
        {DXGI_FORMAT_D32_FLOAT, D3D12_FORMAT_SUPPORT1_DEPTH_STENCIL, D3D12_FORMAT_SUPPORT1_SHADER_LOAD, 0,
         D3D12_FORMAT_SUPPORT2_UAV_TYPED_STORE},
        {DXGI_FORMAT_NV12, 0, ~0u, 0, ~0u},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        D3D12_FEATURE_DATA_FORMAT_SUPPORT data = {.Format = cases[i].format};
        assert_int_equal(ID3D12Device5_CheckFeatureSupport(gpu.device, D3D12_FEATURE_FORMAT_SUPPORT, &data, sizeof(data)),
                         S_OK);
        print_message("format %d: 0x%x 0x%x\n", data.Format, data.Support1, data.Support2);
        assert_int_equal(data.Support1 & cases[i].has1, cases[i].has1);
        assert_int_equal(data.Support1 & cases[i].lacks1, 0);
        assert_int_equal(data.Support2 & cases[i].has2, cases[i].has2);
        assert_int_equal(data.Support2 & cases[i].lacks2, 0);
    }
    D3D12_FEATURE_DATA_FORMAT_SUPPORT data = {.Format = 250};
    assert_int_equal(ID3D12Device5_CheckFeatureSupport(gpu.device, D3D12_FEATURE_FORMAT_SUPPORT, &data, sizeof(data)),
                     E_FAIL);
}

static void multisample_levels(void **state)
{
    static const struct {
        DXGI_FORMAT format;
        UINT samples, levels;
    } cases[] = {{DXGI_FORMAT_R8G8B8A8_UNORM, 4, 1}, {DXGI_FORMAT_R8G8B8A8_UNORM, 3, 0}, {DXGI_FORMAT_D32_FLOAT, 8, 1},
                 {DXGI_FORMAT_BC1_UNORM, 4, 0},      {DXGI_FORMAT_BC1_UNORM, 1, 1},      {DXGI_FORMAT_R8G8B8A8_UNORM, 32, 0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        D3D12_FEATURE_DATA_MULTISAMPLE_QUALITY_LEVELS data = {cases[i].format, cases[i].samples, 0, 77};
        assert_int_equal(ID3D12Device5_CheckFeatureSupport(gpu.device, D3D12_FEATURE_MULTISAMPLE_QUALITY_LEVELS, &data,
                                                           sizeof(data)),
                         S_OK);
        assert_int_equal(data.NumQualityLevels, cases[i].levels);
    }
}

/* --- the info queue --- */

static void provoke(void)
{
    D3D12_HEAP_DESC desc = {0};
    assert_int_equal(ID3D12Device5_CreateHeap(gpu.device, &desc, &IID_ID3D12Heap, NULL), E_INVALIDARG);
}

static void messages_are_read_with_their_size(void **state)
{
    ID3D12InfoQueue_ClearStoredMessages(gpu.messages);
    provoke();
    SIZE_T size = 0;
    assert_int_equal(ID3D12InfoQueue_GetNumStoredMessages(gpu.messages), 1);
    assert_int_equal(ID3D12InfoQueue_GetMessage(gpu.messages, 0, NULL, &size), S_FALSE);
    D3D12_MESSAGE *message = malloc(size);
    SIZE_T short_size = size - 1;
    assert_int_equal(ID3D12InfoQueue_GetMessage(gpu.messages, 0, message, &short_size), E_INVALIDARG);
    assert_int_equal(ID3D12InfoQueue_GetMessage(gpu.messages, 0, message, &size), S_OK);
    assert_int_equal(message->Severity, D3D12_MESSAGE_SEVERITY_ERROR);
    assert_int_equal(message->ID, D3D12_MESSAGE_ID_CREATEHEAP_INVALIDARG_RETURN);
    assert_int_equal(message->DescriptionByteLength, strlen(message->pDescription) + 1);
    assert_non_null(strstr(message->pDescription, "SizeInBytes is 0"));
    assert_int_equal(ID3D12InfoQueue_GetMessage(gpu.messages, 1, message, &size), E_INVALIDARG);
    free(message);
}

static void filters_of_the_application_work(void **state)
{
    ID3D12InfoQueue_ClearStoredMessages(gpu.messages);
    D3D12_MESSAGE_ID id = D3D12_MESSAGE_ID_CREATEHEAP_INVALIDARG_RETURN;
    D3D12_INFO_QUEUE_FILTER filter = {.DenyList = {.NumIDs = 1, .pIDList = &id}};
    assert_int_equal(ID3D12InfoQueue_PushStorageFilter(gpu.messages, &filter), S_OK);
    provoke();
    assert_int_equal(ID3D12InfoQueue_GetNumStoredMessages(gpu.messages), 0);
    SIZE_T size = 0;
    assert_int_equal(ID3D12InfoQueue_GetStorageFilter(gpu.messages, NULL, &size), S_FALSE);
    D3D12_INFO_QUEUE_FILTER *copy = malloc(size);
    assert_int_equal(ID3D12InfoQueue_GetStorageFilter(gpu.messages, copy, &size), S_OK);
    assert_int_equal(copy->DenyList.NumIDs, 1);
    assert_int_equal(copy->DenyList.pIDList[0], id);
    free(copy);
    ID3D12InfoQueue_PopStorageFilter(gpu.messages);
    provoke();
    assert_int_equal(ID3D12InfoQueue_GetNumStoredMessages(gpu.messages), 1);
    filter.DenyList.pIDList = NULL;
    assert_int_equal(ID3D12InfoQueue_PushStorageFilter(gpu.messages, &filter), E_INVALIDARG);
}

static int called;
static void on_message(D3D12_MESSAGE_CATEGORY category, D3D12_MESSAGE_SEVERITY severity, D3D12_MESSAGE_ID id,
                       LPCSTR description, void *context)
{
    called += context == &called && id == D3D12_MESSAGE_ID_CREATEHEAP_INVALIDARG_RETURN && strlen(description) > 0;
}

static void callbacks_of_the_application_are_called(void **state)
{
    ID3D12InfoQueue1 *queue = NULL;
    DWORD cookie = 0;
    called = 0;
    assert_int_equal(ID3D12InfoQueue_QueryInterface(gpu.messages, &IID_ID3D12InfoQueue1, (void **)&queue), S_OK);
    assert_int_equal(ID3D12InfoQueue1_RegisterMessageCallback(queue, on_message, D3D12_MESSAGE_CALLBACK_FLAG_NONE, &called,
                                                              &cookie),
                     S_OK);
    assert_int_not_equal(cookie, 0);
    provoke();
    assert_int_equal(called, 1);
    assert_int_equal(ID3D12InfoQueue1_UnregisterMessageCallback(queue, cookie), S_OK);
    provoke();
    assert_int_equal(called, 1);
    assert_int_equal(ID3D12InfoQueue1_UnregisterMessageCallback(queue, cookie), E_INVALIDARG);
    ID3D12InfoQueue1_Release(queue);
}

static void messages_of_the_application_are_stored(void **state)
{
    ID3D12InfoQueue_ClearStoredMessages(gpu.messages);
    assert_int_equal(ID3D12InfoQueue_AddApplicationMessage(gpu.messages, D3D12_MESSAGE_SEVERITY_INFO, "hello"), S_OK);
    assert_true(gpu_has_message(&gpu, "hello"));
    assert_int_equal(ID3D12InfoQueue_AddApplicationMessage(gpu.messages, 99, "hello"), E_INVALIDARG);
    ID3D12InfoQueue_ClearStoredMessages(gpu.messages);
}

static void unsupported_calls_say_so(void **state)
{
    void *out = &out;
    HANDLE shared = &out;
    ID3D12Resource *buffer = gpu_buffer(&gpu, D3D12_HEAP_TYPE_UPLOAD, 16);
    assert_int_equal(ID3D12Device5_CreateSharedHandle(gpu.device, (ID3D12DeviceChild *)buffer, NULL, GENERIC_ALL, NULL,
                                                      &shared),
                     E_INVALIDARG);
    assert_null(shared);
    assert_int_equal(ID3D12Device5_OpenExistingHeapFromAddress(gpu.device, &out, &IID_ID3D12Heap, &out), E_NOTIMPL);
    assert_null(out);
    UINT count = 7;
    assert_int_equal(ID3D12Device5_EnumerateMetaCommands(gpu.device, &count, NULL), S_OK);
    assert_int_equal(count, 0);
    ID3D12Pageable *pageable = (ID3D12Pageable *)buffer;
    assert_int_equal(ID3D12Device5_MakeResident(gpu.device, 1, &pageable), S_OK);
    assert_int_equal(ID3D12Device5_Evict(gpu.device, 1, &pageable), S_OK);
    assert_int_equal(ID3D12Device5_MakeResident(gpu.device, 1, NULL), E_INVALIDARG);
    assert_int_equal(ID3D12Device5_EnqueueMakeResident(gpu.device, 0, 1, &pageable, gpu.fence, 1000), S_OK);
    assert_int_equal(ID3D12Fence_GetCompletedValue(gpu.fence), 1000);
    ID3D12Resource_Release(buffer);
}

static void shader_cache_sessions_keep_values(void **state)
{
    ID3D12Device9 *device = NULL;
    ID3D12ShaderCacheSession *session = NULL;
    assert_int_equal(ID3D12Device5_QueryInterface(gpu.device, &IID_ID3D12Device9, (void **)&device), S_OK);
    D3D12_SHADER_CACHE_SESSION_DESC desc = {.Identifier = {1, 2, 3, {4}}, .Mode = D3D12_SHADER_CACHE_MODE_MEMORY,
                                            .MaximumInMemoryCacheEntries = 2};
    assert_int_equal(ID3D12Device9_CreateShaderCacheSession(device, &desc, &IID_ID3D12ShaderCacheSession, (void **)&session),
                     S_OK);
    char value[8] = {0};
    UINT size = sizeof(value);
    assert_int_equal(ID3D12ShaderCacheSession_FindValue(session, "key", 3, value, &size), DXGI_ERROR_NOT_FOUND);
    assert_int_equal(ID3D12ShaderCacheSession_StoreValue(session, "key", 3, "value", 6), S_OK);
    assert_int_equal(ID3D12ShaderCacheSession_StoreValue(session, "key", 3, "other", 6), (HRESULT)0x887A0036);
    size = 0;
    assert_int_equal(ID3D12ShaderCacheSession_FindValue(session, "key", 3, NULL, &size), S_OK);
    assert_int_equal(size, 6);
    size = 5;
    assert_int_equal(ID3D12ShaderCacheSession_FindValue(session, "key", 3, value, &size), DXGI_ERROR_MORE_DATA);
    assert_int_equal(ID3D12ShaderCacheSession_FindValue(session, "key", 3, value, &size), S_OK);
    assert_string_equal(value, "value");
    assert_int_equal(ID3D12ShaderCacheSession_StoreValue(session, "key2", 4, "b", 1), S_OK);
    assert_int_equal(ID3D12ShaderCacheSession_StoreValue(session, "key3", 4, "c", 1), (HRESULT)0x887A0045);
    assert_int_equal(ID3D12ShaderCacheSession_GetDesc(session).MaximumInMemoryCacheEntries, 2);
    ID3D12ShaderCacheSession_Release(session);
    desc.Mode = D3D12_SHADER_CACHE_MODE_DISK;
    assert_int_equal(ID3D12Device9_CreateShaderCacheSession(device, &desc, &IID_ID3D12ShaderCacheSession, (void **)&session),
                     DXGI_ERROR_UNSUPPORTED);
    ID3D12Device9_Release(device);
}

/* RemoveDevice is sticky; nothing is created on a removed device, and a new one comes after the last release. */
static void removal_is_sticky(void **state)
{
    assert_int_equal(ID3D12Device5_GetDeviceRemovedReason(gpu.device), S_OK);
    ID3D12Device5_RemoveDevice(gpu.device);
    assert_int_equal(ID3D12Device5_GetDeviceRemovedReason(gpu.device), DXGI_ERROR_DEVICE_REMOVED);
    assert_true(gpu_has_message(&gpu, "RemoveDevice"));
    assert_true(ID3D12Fence_GetCompletedValue(gpu.fence) == UINT64_MAX);
    ID3D12DeviceRemovedExtendedData2 *dred = NULL;
    assert_int_equal(ID3D12Device5_QueryInterface(gpu.device, &IID_ID3D12DeviceRemovedExtendedData2, (void **)&dred), S_OK);
    D3D12_DRED_AUTO_BREADCRUMBS_OUTPUT1 output;
    assert_int_equal(ID3D12DeviceRemovedExtendedData2_GetAutoBreadcrumbsOutput1(dred, &output), S_OK);
    assert_non_null(wcsstr(output.pHeadAutoBreadcrumbNode->pBreadcrumbContexts[0].pContextString, L"RemoveDevice"));
    assert_int_equal(*output.pHeadAutoBreadcrumbNode->pLastBreadcrumbValue, 0);
    assert_int_equal(ID3D12DeviceRemovedExtendedData2_GetDeviceState(dred), D3D12_DRED_DEVICE_STATE_FAULT);
    ID3D12DeviceRemovedExtendedData2_Release(dred);
    char text[64] = "", cut[8];
    size_t needed = cdxr_device_removed_text(gpu.device, text, sizeof(text));
    assert_int_equal(needed, strlen(text) + 1);
    assert_non_null(strstr(text, "RemoveDevice"));
    assert_int_equal(cdxr_device_removed_text(gpu.device, cut, sizeof(cut)), needed);
    assert_int_equal(strlen(cut), 7);
    assert_int_equal(cdxr_device_removed_text(gpu.queue, NULL, 0), 0);
    ID3D12Device *again = (void *)1;
    assert_int_equal(D3D12CreateDevice(NULL, D3D_FEATURE_LEVEL_11_0, &IID_ID3D12Device, (void **)&again),
                     DXGI_ERROR_DEVICE_REMOVED);
    assert_null(again);
    D3D12_HEAP_PROPERTIES properties = {.Type = D3D12_HEAP_TYPE_UPLOAD};
    D3D12_RESOURCE_DESC desc = {.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER, .Width = 16, .Height = 1,
                                .DepthOrArraySize = 1, .MipLevels = 1, .SampleDesc = {1, 0},
                                .Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR};
    assert_int_equal(ID3D12Device5_CreateCommittedResource(gpu.device, &properties, 0, &desc,
                                                           D3D12_RESOURCE_STATE_GENERIC_READ, NULL,
                                                           &IID_ID3D12Resource, NULL),
                     DXGI_ERROR_DEVICE_REMOVED);
}

static void a_new_device_follows_a_removed_one(void **state)
{
    assert_int_equal(ID3D12Device5_GetDeviceRemovedReason(gpu.device), S_OK);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(every_feature_answers_its_own_size_only),
        TEST(shader_models_are_lowered_to_what_there_is),
        TEST(formats_say_what_views_do),
        TEST(multisample_levels),
        TEST(messages_are_read_with_their_size),
        TEST(filters_of_the_application_work),
        TEST(callbacks_of_the_application_are_called),
        TEST(messages_of_the_application_are_stored),
        TEST(unsupported_calls_say_so),
        TEST(shader_cache_sessions_keep_values),
        TEST(removal_is_sticky),
        TEST(a_new_device_follows_a_removed_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
