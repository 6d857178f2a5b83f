/* SPDX-License-Identifier: MIT
 * The library as a C++ program sees it: ComPtr, d3dx12.h, DXCore, methods that return structures, wide strings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string>
#include <vector>

#include <wsl/winadapter.h>

#include <directx/d3d12.h>
#include <directx/d3d12sdklayers.h>
#include <directx/d3dx12.h>
#include <directx/dxcore.h>
#include <dxguids/dxguids.h>
#include <wrl/client.h>

#include <cdxr/d3d12_dxr.h>

extern "C" {
#include <cmocka.h>
}

using Microsoft::WRL::ComPtr;

static ComPtr<ID3D12Device5> create_device()
{
    ComPtr<ID3D12Device5> device;
    assert_int_equal(D3D12CreateDevice(nullptr, D3D_FEATURE_LEVEL_12_1, IID_PPV_ARGS(&device)), S_OK);
    return device;
}

static void structures_come_back_by_value(void **)
{
    ComPtr<ID3D12Device5> device = create_device();
    CD3DX12_HEAP_PROPERTIES upload(D3D12_HEAP_TYPE_UPLOAD);
    auto desc = CD3DX12_RESOURCE_DESC::Buffer(12345);
    ComPtr<ID3D12Resource> buffer;
    assert_int_equal(device->CreateCommittedResource(&upload, D3D12_HEAP_FLAG_NONE, &desc,
                                                     D3D12_RESOURCE_STATE_GENERIC_READ, nullptr, IID_PPV_ARGS(&buffer)),
                     S_OK);
    D3D12_RESOURCE_DESC back = buffer->GetDesc();
    assert_int_equal(back.Width, 12345);
    assert_int_equal(back.Dimension, D3D12_RESOURCE_DIMENSION_BUFFER);
    ComPtr<ID3D12Resource2> newest;
    assert_int_equal(buffer.As(&newest), S_OK);
    assert_int_equal(newest->GetDesc1().Width, 12345);
    LUID luid = device->GetAdapterLuid();
    assert_int_not_equal(luid.LowPart, 0);
    D3D12_HEAP_PROPERTIES custom = device->GetCustomHeapProperties(0, D3D12_HEAP_TYPE_READBACK);
    assert_int_equal(custom.CPUPageProperty, D3D12_CPU_PAGE_PROPERTY_WRITE_BACK);
    D3D12_RESOURCE_ALLOCATION_INFO info = device->GetResourceAllocationInfo(0, 1, &desc);
    assert_int_equal(info.SizeInBytes, 65536);
}

static void descriptor_handles_come_back_by_value(void **)
{
    ComPtr<ID3D12Device5> device = create_device();
    D3D12_DESCRIPTOR_HEAP_DESC desc = {D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, 16,
                                       D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE, 0};
    ComPtr<ID3D12DescriptorHeap> heap;
    assert_int_equal(device->CreateDescriptorHeap(&desc, IID_PPV_ARGS(&heap)), S_OK);
    D3D12_CPU_DESCRIPTOR_HANDLE cpu = heap->GetCPUDescriptorHandleForHeapStart();
    D3D12_GPU_DESCRIPTOR_HANDLE gpu = heap->GetGPUDescriptorHandleForHeapStart();
    assert_int_not_equal(cpu.ptr, 0);
    assert_int_equal(cpu.ptr, gpu.ptr);
    assert_int_equal(heap->GetDesc().NumDescriptors, 16);
    assert_int_equal(device->GetDescriptorHandleIncrementSize(desc.Type), 64);
    CD3DX12_CPU_DESCRIPTOR_HANDLE second(cpu, 1, 64);
    device->CreateShaderResourceView(nullptr, nullptr, second); /* reported, not fatal */
}

static void names_are_wide_strings(void **)
{
    ComPtr<ID3D12Device5> device = create_device();
    assert_int_equal(device->SetName(L"a device \u00fc"), S_OK);
    WCHAR name[32] = {};
    UINT size = sizeof(name);
    assert_int_equal(device->GetPrivateData(WKPDID_D3DDebugObjectNameW, &size, name), S_OK);
    assert_true(std::wstring(name) == L"a device \u00fc");
}

static void references_follow_comptr(void **)
{
    ComPtr<ID3D12Device5> device = create_device();
    ComPtr<ID3D12Device> same;
    assert_int_equal(D3D12CreateDevice(nullptr, D3D_FEATURE_LEVEL_11_0, IID_PPV_ARGS(&same)), S_OK);
    assert_ptr_equal(device.Get(), same.Get());
    same.Reset();
    device->AddRef();
    assert_int_equal(device->Release(), 1);
    ComPtr<IUnknown> unknown;
    assert_int_equal(device.As(&unknown), S_OK);
    device.Reset();
    unknown->AddRef();
    assert_int_equal(unknown->Release(), 1);
}

static void d3dx12_reads_the_features(void **)
{
    ComPtr<ID3D12Device5> device = create_device();
    CD3DX12FeatureSupport support;
    assert_int_equal(support.Init(device.Get()), S_OK);
    assert_int_equal(support.RaytracingTier(), D3D12_RAYTRACING_TIER_1_2);
    assert_int_equal(support.ResourceBindingTier(), D3D12_RESOURCE_BINDING_TIER_3);
    assert_true(support.HighestShaderModel() >= D3D_SHADER_MODEL_6_7);
    assert_int_equal(support.HighestRootSignatureVersion(), D3D_ROOT_SIGNATURE_VERSION_1_1);
    assert_true(support.UMA());
    assert_true(support.WaveOps());
    assert_true(support.EnhancedBarriersSupported());
    assert_int_equal(support.MaxSupportedFeatureLevel(), D3D_FEATURE_LEVEL_12_2);
    assert_int_equal(support.MeshShaderTier(), D3D12_MESH_SHADER_TIER_NOT_SUPPORTED);
}

static void root_signatures_go_both_ways(void **)
{
    CD3DX12_DESCRIPTOR_RANGE1 ranges[2];
    ranges[0].Init(D3D12_DESCRIPTOR_RANGE_TYPE_UAV, 1, 0, 0, D3D12_DESCRIPTOR_RANGE_FLAG_DATA_VOLATILE);
    ranges[1].Init(D3D12_DESCRIPTOR_RANGE_TYPE_SRV, UINT_MAX, 5, 2, D3D12_DESCRIPTOR_RANGE_FLAG_DESCRIPTORS_VOLATILE);
    CD3DX12_ROOT_PARAMETER1 parameters[3];
    parameters[0].InitAsDescriptorTable(2, ranges);
    parameters[1].InitAsShaderResourceView(0);
    parameters[2].InitAsConstants(7, 3, 1);
    CD3DX12_STATIC_SAMPLER_DESC sampler(0);
    CD3DX12_VERSIONED_ROOT_SIGNATURE_DESC desc;
    desc.Init_1_1(3, parameters, 1, &sampler);
    ComPtr<ID3DBlob> blob, error;
    assert_int_equal(D3D12SerializeVersionedRootSignature(&desc, &blob, &error), S_OK);
    assert_null(error.Get());
    ComPtr<ID3D12Device5> device = create_device();
    ComPtr<ID3D12RootSignature> signature;
    assert_int_equal(device->CreateRootSignature(0, blob->GetBufferPointer(), blob->GetBufferSize(),
                                                 IID_PPV_ARGS(&signature)),
                     S_OK);
    ComPtr<ID3D12VersionedRootSignatureDeserializer> deserializer;
    assert_int_equal(D3D12CreateVersionedRootSignatureDeserializer(blob->GetBufferPointer(), blob->GetBufferSize(),
                                                                   IID_PPV_ARGS(&deserializer)),
                     S_OK);
    const D3D12_VERSIONED_ROOT_SIGNATURE_DESC *back = deserializer->GetUnconvertedRootSignatureDesc();
    assert_int_equal(back->Version, D3D_ROOT_SIGNATURE_VERSION_1_1);
    assert_int_equal(back->Desc_1_1.NumParameters, 3);
    assert_int_equal(back->Desc_1_1.pParameters[0].DescriptorTable.pDescriptorRanges[1].RegisterSpace, 2);
    assert_int_equal(back->Desc_1_1.pParameters[0].DescriptorTable.pDescriptorRanges[0].Flags,
                     D3D12_DESCRIPTOR_RANGE_FLAG_DATA_VOLATILE);
    assert_int_equal(back->Desc_1_1.pParameters[2].Constants.Num32BitValues, 7);
    assert_int_equal(back->Desc_1_1.pStaticSamplers[0].MaxAnisotropy, 16);
    const D3D12_VERSIONED_ROOT_SIGNATURE_DESC *old = nullptr;
    assert_int_equal(deserializer->GetRootSignatureDescAtVersion(D3D_ROOT_SIGNATURE_VERSION_1_0, &old), S_OK);
    assert_int_equal(old->Version, D3D_ROOT_SIGNATURE_VERSION_1_0);
    assert_int_equal(old->Desc_1_0.pParameters[0].DescriptorTable.pDescriptorRanges[1].BaseShaderRegister, 5);
    ComPtr<ID3D12RootSignatureDeserializer> plain;
    assert_int_equal(D3D12CreateRootSignatureDeserializer(blob->GetBufferPointer(), blob->GetBufferSize(),
                                                          IID_PPV_ARGS(&plain)),
                     S_OK);
    assert_int_equal(plain->GetRootSignatureDesc()->NumParameters, 3);
    /* And a second round gives the same bytes. */
    ComPtr<ID3DBlob> again;
    assert_int_equal(D3D12SerializeVersionedRootSignature(back, &again, nullptr), S_OK);
    assert_int_equal(again->GetBufferSize(), blob->GetBufferSize());
    assert_memory_equal(again->GetBufferPointer(), blob->GetBufferPointer(), blob->GetBufferSize());
}

static void broken_root_signatures_say_why(void **)
{
    CD3DX12_ROOT_PARAMETER parameters[2];
    parameters[0].InitAsConstants(60, 0);
    parameters[1].InitAsConstants(10, 0, 1);
    CD3DX12_ROOT_SIGNATURE_DESC desc(2, parameters);
    ComPtr<ID3DBlob> blob, error;
    assert_int_equal(D3D12SerializeRootSignature(&desc, D3D_ROOT_SIGNATURE_VERSION_1, &blob, &error), E_INVALIDARG);
    assert_null(blob.Get());
    assert_non_null(error.Get());
    std::string text(static_cast<const char *>(error->GetBufferPointer()));
    assert_true(text.find("64") != std::string::npos);
    parameters[1].InitAsConstants(4, 0);
    assert_int_equal(D3D12SerializeRootSignature(&desc, D3D_ROOT_SIGNATURE_VERSION_1, &blob, &error), E_INVALIDARG);
    ComPtr<ID3D12Device5> device = create_device();
    ComPtr<ID3D12RootSignature> signature;
    assert_int_equal(device->CreateRootSignature(0, "rubbish", 7, IID_PPV_ARGS(&signature)), E_INVALIDARG);
    assert_int_equal(device->CreateRootSignature(0, nullptr, 7, IID_PPV_ARGS(&signature)), E_INVALIDARG);
}

static void dxcore_lists_one_adapter(void **)
{
    ComPtr<IDXCoreAdapterFactory> factory;
    assert_int_equal(DXCoreCreateAdapterFactory(IID_PPV_ARGS(&factory)), S_OK);
    GUID attributes[] = {DXCORE_ADAPTER_ATTRIBUTE_D3D12_CORE_COMPUTE, DXCORE_ADAPTER_ATTRIBUTE_D3D12_GRAPHICS};
    ComPtr<IDXCoreAdapterList> list;
    assert_int_equal(factory->CreateAdapterList(2, attributes, IID_PPV_ARGS(&list)), S_OK);
    assert_int_equal(list->GetAdapterCount(), 1);
    assert_false(list->IsStale());
    DXCoreAdapterPreference preferences[] = {DXCoreAdapterPreference::Hardware,
                                             DXCoreAdapterPreference::HighPerformance};
    assert_true(list->IsAdapterPreferenceSupported(preferences[0]));
    assert_int_equal(list->Sort(2, preferences), S_OK);
    ComPtr<IDXCoreAdapter> adapter;
    assert_int_equal(list->GetAdapter(1, IID_PPV_ARGS(&adapter)), E_INVALIDARG);
    assert_int_equal(list->GetAdapter(0, IID_PPV_ARGS(&adapter)), S_OK);
    assert_true(adapter->IsValid());
    bool is_hardware = true;
    assert_int_equal(adapter->GetProperty(DXCoreAdapterProperty::IsHardware, &is_hardware), S_OK);
    assert_false(is_hardware);
    size_t size = 0;
    assert_int_equal(adapter->GetPropertySize(DXCoreAdapterProperty::DriverDescription, &size), S_OK);
    std::vector<char> text(size);
    assert_int_equal(adapter->GetProperty(DXCoreAdapterProperty::DriverDescription, size, text.data()), S_OK);
    assert_int_equal(std::string(text.data()).size() + 1, size);
    assert_int_equal(adapter->GetProperty(DXCoreAdapterProperty::DriverDescription, 3, text.data()), E_INVALIDARG);
    for (uint32_t property = 0; property <= 14; property++) {
        uint8_t value[512];
        assert_true(adapter->IsPropertySupported(static_cast<DXCoreAdapterProperty>(property)));
        assert_int_equal(adapter->GetProperty(static_cast<DXCoreAdapterProperty>(property), sizeof(value), value), S_OK);
    }
    DXCoreAdapterMemoryBudgetNodeSegmentGroup group = {0, DXCoreSegmentGroup::Local};
    DXCoreAdapterMemoryBudget budget = {};
    assert_int_equal(adapter->QueryState(DXCoreAdapterState::AdapterMemoryBudget, &group, &budget), S_OK);
    assert_true(budget.budget > 0);
    ComPtr<ID3D12Device> device;
    assert_int_equal(D3D12CreateDevice(adapter.Get(), D3D_FEATURE_LEVEL_12_2, IID_PPV_ARGS(&device)), S_OK);
    LUID luid = {};
    assert_int_equal(adapter->GetProperty(DXCoreAdapterProperty::InstanceLuid, &luid), S_OK);
    assert_int_equal(luid.LowPart, device->GetAdapterLuid().LowPart);
    ComPtr<IDXCoreAdapter> found;
    assert_int_equal(factory->GetAdapterByLuid(luid, IID_PPV_ARGS(&found)), S_OK);
    assert_ptr_equal(found.Get(), adapter.Get());
    GUID d3d11 = DXCORE_ADAPTER_ATTRIBUTE_D3D11_GRAPHICS;
    assert_int_equal(factory->CreateAdapterList(1, &d3d11, IID_PPV_ARGS(&list)), S_OK);
    assert_int_equal(list->GetAdapterCount(), 0);
    uint32_t cookie = 1;
    assert_false(factory->IsNotificationTypeSupported(DXCoreNotificationType::AdapterListStale));
    assert_true(FAILED(factory->RegisterEventNotification(adapter.Get(), DXCoreNotificationType::AdapterListStale, nullptr,
                                                          nullptr, &cookie)));
}

static void creation_checks_its_arguments(void **)
{
    ComPtr<ID3D12Device> device;
    assert_int_equal(D3D12CreateDevice(nullptr, D3D_FEATURE_LEVEL_10_0, IID_PPV_ARGS(&device)), E_INVALIDARG);
    assert_int_equal(D3D12CreateDevice(nullptr, D3D_FEATURE_LEVEL_11_0, __uuidof(ID3D12Device), nullptr), S_FALSE);
    ComPtr<ID3D12Fence> fence;
    assert_int_equal(D3D12CreateDevice(nullptr, D3D_FEATURE_LEVEL_11_0, IID_PPV_ARGS(&fence)), E_NOINTERFACE);
    ComPtr<IDXCoreAdapterFactory> factory;
    assert_int_equal(DXCoreCreateAdapterFactory(IID_PPV_ARGS(&factory)), S_OK);
    assert_int_equal(D3D12CreateDevice(factory.Get(), D3D_FEATURE_LEVEL_11_0, IID_PPV_ARGS(&device)),
                     DXGI_ERROR_UNSUPPORTED);
}

static void configuration_interfaces(void **)
{
    ComPtr<ID3D12Debug5> debug;
    ComPtr<ID3D12Debug1> debug1;
    assert_int_equal(D3D12GetDebugInterface(IID_PPV_ARGS(&debug)), S_OK);
    assert_int_equal(debug.As(&debug1), S_OK);
    ComPtr<ID3D12DeviceRemovedExtendedDataSettings> dred;
    assert_int_equal(D3D12GetDebugInterface(IID_PPV_ARGS(&dred)), S_OK);
    dred->SetAutoBreadcrumbsEnablement(D3D12_DRED_ENABLEMENT_FORCED_ON);
    ComPtr<ID3D12SDKConfiguration1> sdk;
    assert_int_equal(D3D12GetInterface(CLSID_D3D12SDKConfiguration, IID_PPV_ARGS(&sdk)), S_OK);
    ComPtr<ID3D12DeviceFactory> factory;
    assert_int_equal(sdk->CreateDeviceFactory(606, "", IID_PPV_ARGS(&factory)), S_OK);
    ComPtr<ID3D12Device> device;
    assert_int_equal(factory->CreateDevice(nullptr, D3D_FEATURE_LEVEL_12_0, IID_PPV_ARGS(&device)), S_OK);
    GUID unknown = {1, 2, 3, {4}};
    ComPtr<IUnknown> out;
    assert_int_equal(D3D12GetInterface(unknown, IID_PPV_ARGS(&out)), E_NOINTERFACE);
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structures_come_back_by_value),
        cmocka_unit_test(descriptor_handles_come_back_by_value),
        cmocka_unit_test(names_are_wide_strings),
        cmocka_unit_test(references_follow_comptr),
        cmocka_unit_test(d3dx12_reads_the_features),
        cmocka_unit_test(root_signatures_go_both_ways),
        cmocka_unit_test(broken_root_signatures_say_why),
        cmocka_unit_test(dxcore_lists_one_adapter),
        cmocka_unit_test(creation_checks_its_arguments),
        cmocka_unit_test(configuration_interfaces),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
