// SPDX-License-Identifier: MIT
// Procedural boxes and triangles, local root signatures, and a pipeline linked from a collection; in C++ with ComPtr and
// d3dx12.h. Shoots one ray at each of four instances and prints what each ray met.
#include <wsl/winadapter.h>
#include <wsl/wrladapter.h>
#include <directx/d3d12.h>
#include <directx/d3dx12.h>
#include <dxguids/dxguids.h> // the IIDs that IID_PPV_ARGS needs, once in a program
#include <wrl/client.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using Microsoft::WRL::ComPtr;

static void Check(HRESULT result, const char *what)
{
    if (FAILED(result)) {
        std::fprintf(stderr, "%s: 0x%08X\n", what, static_cast<unsigned>(result));
        std::exit(1);
    }
}

struct Ray { // RayIn of procedural.hlsl
    float origin[3], tMin, direction[3], tMax;
    uint32_t flags, mask, contribution, multiplier, miss, unused[3];
};
struct Result {
    uint32_t stage, recordId, recordExtra, instanceId, primitive, hitKind;
    float t;
    uint32_t anyHitMask, flagsSeen, unused[3];
};
struct Record { // identifier and two local root constants, padded to a multiple of 32
    uint8_t identifier[32];
    uint32_t id, extra, padding[6];
};

class Sample {
  public:
    int Run();

  private:
    void CreateDevice();
    void BuildScene();
    void CreateSignatures();
    void CreatePipeline();
    void CreateTables();
    std::vector<Result> Trace(const std::vector<Ray> &rays);
    void Execute();
    ComPtr<ID3D12Resource> Buffer(D3D12_HEAP_TYPE heap, UINT64 size, D3D12_RESOURCE_FLAGS flags, D3D12_RESOURCE_STATES state,
                                  const void *data = nullptr);
    ComPtr<ID3D12Resource> Build(const D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS &inputs);
    ComPtr<ID3D12RootSignature> Signature(const CD3DX12_VERSIONED_ROOT_SIGNATURE_DESC &desc);

    ComPtr<ID3D12Device5> m_device;
    ComPtr<ID3D12CommandQueue> m_queue;
    ComPtr<ID3D12CommandAllocator> m_allocator;
    ComPtr<ID3D12GraphicsCommandList4> m_list;
    ComPtr<ID3D12Fence> m_fence;
    UINT64 m_fenceValue = 0;
    ComPtr<ID3D12RootSignature> m_global, m_local;
    ComPtr<ID3D12StateObject> m_collection, m_pipeline;
    ComPtr<ID3D12Resource> m_boxes, m_triangles, m_scene, m_tables;
    std::vector<ComPtr<ID3D12Resource>> m_kept;
};

void Sample::CreateDevice()
{
    Check(D3D12CreateDevice(nullptr, D3D_FEATURE_LEVEL_12_0, IID_PPV_ARGS(&m_device)), "D3D12CreateDevice");
    D3D12_COMMAND_QUEUE_DESC queue = {};
    Check(m_device->CreateCommandQueue(&queue, IID_PPV_ARGS(&m_queue)), "CreateCommandQueue");
    Check(m_device->CreateCommandAllocator(queue.Type, IID_PPV_ARGS(&m_allocator)), "CreateCommandAllocator");
    Check(m_device->CreateCommandList(0, queue.Type, m_allocator.Get(), nullptr, IID_PPV_ARGS(&m_list)), "CreateCommandList");
    Check(m_device->CreateFence(0, D3D12_FENCE_FLAG_NONE, IID_PPV_ARGS(&m_fence)), "CreateFence");
}

ComPtr<ID3D12Resource> Sample::Buffer(D3D12_HEAP_TYPE heap, UINT64 size, D3D12_RESOURCE_FLAGS flags,
                                      D3D12_RESOURCE_STATES state, const void *data)
{
    CD3DX12_HEAP_PROPERTIES properties(heap);
    CD3DX12_RESOURCE_DESC desc = CD3DX12_RESOURCE_DESC::Buffer(size, flags);
    ComPtr<ID3D12Resource> buffer;
    Check(m_device->CreateCommittedResource(&properties, D3D12_HEAP_FLAG_NONE, &desc, state, nullptr, IID_PPV_ARGS(&buffer)),
          "CreateCommittedResource");
    if (data) {
        void *map = nullptr;
        Check(buffer->Map(0, nullptr, &map), "Map");
        std::memcpy(map, data, size);
        buffer->Unmap(0, nullptr);
    }
    m_kept.push_back(buffer);
    return buffer;
}

ComPtr<ID3D12Resource> Sample::Build(const D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS &inputs)
{
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO info = {};
    m_device->GetRaytracingAccelerationStructurePrebuildInfo(&inputs, &info);
    auto result = Buffer(D3D12_HEAP_TYPE_DEFAULT, info.ResultDataMaxSizeInBytes, D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS,
                         D3D12_RESOURCE_STATE_RAYTRACING_ACCELERATION_STRUCTURE);
    auto scratch = Buffer(D3D12_HEAP_TYPE_DEFAULT, info.ScratchDataSizeInBytes, D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS,
                          D3D12_RESOURCE_STATE_UNORDERED_ACCESS);
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC desc = {};
    desc.DestAccelerationStructureData = result->GetGPUVirtualAddress();
    desc.ScratchAccelerationStructureData = scratch->GetGPUVirtualAddress();
    desc.Inputs = inputs;
    m_list->BuildRaytracingAccelerationStructure(&desc, 0, nullptr);
    auto barrier = CD3DX12_RESOURCE_BARRIER::UAV(result.Get());
    m_list->ResourceBarrier(1, &barrier);
    return result;
}

void Sample::BuildScene()
{
    const D3D12_RAYTRACING_AABB box = {-0.5f, -0.5f, -0.5f, 0.5f, 0.5f, 0.5f};
    D3D12_RAYTRACING_GEOMETRY_DESC geometry = {};
    geometry.Type = D3D12_RAYTRACING_GEOMETRY_TYPE_PROCEDURAL_PRIMITIVE_AABBS;
    geometry.AABBs.AABBCount = 1;
    geometry.AABBs.AABBs = {Buffer(D3D12_HEAP_TYPE_UPLOAD, sizeof(box), D3D12_RESOURCE_FLAG_NONE,
                                   D3D12_RESOURCE_STATE_GENERIC_READ, &box)->GetGPUVirtualAddress(), sizeof(box)};
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS inputs = {};
    inputs.Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL;
    inputs.NumDescs = 1;
    inputs.pGeometryDescs = &geometry;
    m_boxes = Build(inputs);

    const float triangle[9] = {-1, -1, 0, -1, 1, 0, 1, -1, 0};
    geometry = {};
    geometry.Triangles.VertexFormat = DXGI_FORMAT_R32G32B32_FLOAT;
    geometry.Triangles.VertexCount = 3;
    geometry.Triangles.VertexBuffer = {Buffer(D3D12_HEAP_TYPE_UPLOAD, sizeof(triangle), D3D12_RESOURCE_FLAG_NONE,
                                              D3D12_RESOURCE_STATE_GENERIC_READ, triangle)->GetGPUVirtualAddress(), 12};
    m_triangles = Build(inputs);

    D3D12_RAYTRACING_INSTANCE_DESC instances[4] = {};
    for (UINT i = 0; i < 4; i++) {
        bool isBox = i % 2 == 0;
        for (int k = 0; k < 3; k++)
            instances[i].Transform[k][k] = 1;
        instances[i].Transform[0][3] = 4.0f * static_cast<float>(i);
        instances[i].InstanceID = 100 + i;
        instances[i].InstanceMask = 0xff;
        instances[i].InstanceContributionToHitGroupIndex = isBox ? i : i; // a record each
        instances[i].AccelerationStructure = (isBox ? m_boxes : m_triangles)->GetGPUVirtualAddress();
    }
    inputs = {};
    inputs.Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL;
    inputs.NumDescs = 4;
    inputs.InstanceDescs = Buffer(D3D12_HEAP_TYPE_UPLOAD, sizeof(instances), D3D12_RESOURCE_FLAG_NONE,
                                  D3D12_RESOURCE_STATE_GENERIC_READ, instances)->GetGPUVirtualAddress();
    m_scene = Build(inputs);
}

ComPtr<ID3D12RootSignature> Sample::Signature(const CD3DX12_VERSIONED_ROOT_SIGNATURE_DESC &desc)
{
    ComPtr<ID3DBlob> blob, error;
    ComPtr<ID3D12RootSignature> signature;
    Check(D3D12SerializeVersionedRootSignature(&desc, &blob, &error), "D3D12SerializeVersionedRootSignature");
    Check(m_device->CreateRootSignature(0, blob->GetBufferPointer(), blob->GetBufferSize(), IID_PPV_ARGS(&signature)),
          "CreateRootSignature");
    return signature;
}

void Sample::CreateSignatures()
{
    CD3DX12_ROOT_PARAMETER1 global[3];
    global[0].InitAsShaderResourceView(0);
    global[1].InitAsShaderResourceView(1);
    global[2].InitAsUnorderedAccessView(0);
    m_global = Signature(CD3DX12_VERSIONED_ROOT_SIGNATURE_DESC(3, global));
    CD3DX12_ROOT_PARAMETER1 local[1];
    local[0].InitAsConstants(2, 0, 1);
    m_local = Signature(
        CD3DX12_VERSIONED_ROOT_SIGNATURE_DESC(1, local, 0, nullptr, D3D12_ROOT_SIGNATURE_FLAG_LOCAL_ROOT_SIGNATURE));
}

static std::vector<uint8_t> ReadFile(const char *path)
{
    std::FILE *file = std::fopen(path, "rb");
    if (!file) {
        std::fprintf(stderr, "%s: cannot be opened\n", path);
        std::exit(1);
    }
    std::fseek(file, 0, SEEK_END);
    std::vector<uint8_t> data(static_cast<size_t>(std::ftell(file)));
    std::rewind(file);
    if (std::fread(data.data(), 1, data.size(), file) != data.size())
        std::exit(1);
    std::fclose(file);
    return data;
}

static void AddConfigs(CD3DX12_STATE_OBJECT_DESC &desc, ID3D12RootSignature *global)
{
    desc.CreateSubobject<CD3DX12_RAYTRACING_SHADER_CONFIG_SUBOBJECT>()->Config(36, 8);
    desc.CreateSubobject<CD3DX12_RAYTRACING_PIPELINE_CONFIG_SUBOBJECT>()->Config(1);
    desc.CreateSubobject<CD3DX12_GLOBAL_ROOT_SIGNATURE_SUBOBJECT>()->SetRootSignature(global);
}

// Hit groups are compiled once, into a collection; the pipeline adds ray generation and miss to it.
void Sample::CreatePipeline()
{
    const std::vector<uint8_t> code = ReadFile("procedural.dxil");
    CD3DX12_SHADER_BYTECODE bytecode(code.data(), code.size());

    CD3DX12_STATE_OBJECT_DESC hits(D3D12_STATE_OBJECT_TYPE_COLLECTION);
    auto library = hits.CreateSubobject<CD3DX12_DXIL_LIBRARY_SUBOBJECT>();
    library->SetDXILLibrary(&bytecode);
    const WCHAR *hitExports[] = {L"FlagsClosestHit", L"FlagsAnyHit", L"FlagsBoxIntersection", L"FlagsBoxClosestHit"};
    library->DefineExports(hitExports);
    auto triangles = hits.CreateSubobject<CD3DX12_HIT_GROUP_SUBOBJECT>();
    triangles->SetHitGroupExport(L"Triangles");
    triangles->SetClosestHitShaderImport(L"FlagsClosestHit");
    triangles->SetAnyHitShaderImport(L"FlagsAnyHit");
    auto boxes = hits.CreateSubobject<CD3DX12_HIT_GROUP_SUBOBJECT>();
    boxes->SetHitGroupExport(L"Boxes");
    boxes->SetHitGroupType(D3D12_HIT_GROUP_TYPE_PROCEDURAL_PRIMITIVE);
    boxes->SetIntersectionShaderImport(L"FlagsBoxIntersection");
    boxes->SetClosestHitShaderImport(L"FlagsBoxClosestHit");
    auto local = hits.CreateSubobject<CD3DX12_LOCAL_ROOT_SIGNATURE_SUBOBJECT>();
    local->SetRootSignature(m_local.Get());
    auto association = hits.CreateSubobject<CD3DX12_SUBOBJECT_TO_EXPORTS_ASSOCIATION_SUBOBJECT>();
    association->SetSubobjectToAssociate(*local);
    association->AddExport(L"Triangles");
    association->AddExport(L"Boxes");
    AddConfigs(hits, m_global.Get());
    Check(m_device->CreateStateObject(hits, IID_PPV_ARGS(&m_collection)), "CreateStateObject (collection)");

    CD3DX12_STATE_OBJECT_DESC pipeline(D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE);
    library = pipeline.CreateSubobject<CD3DX12_DXIL_LIBRARY_SUBOBJECT>();
    library->SetDXILLibrary(&bytecode);
    library->DefineExport(L"FlagsRayGen");
    library->DefineExport(L"Sky", L"FlagsMiss"); // renamed
    local = pipeline.CreateSubobject<CD3DX12_LOCAL_ROOT_SIGNATURE_SUBOBJECT>();
    local->SetRootSignature(m_local.Get());
    association = pipeline.CreateSubobject<CD3DX12_SUBOBJECT_TO_EXPORTS_ASSOCIATION_SUBOBJECT>();
    association->SetSubobjectToAssociate(*local);
    association->AddExport(L"Sky");
    pipeline.CreateSubobject<CD3DX12_EXISTING_COLLECTION_SUBOBJECT>()->SetExistingCollection(m_collection.Get());
    AddConfigs(pipeline, m_global.Get());
    Check(m_device->CreateStateObject(pipeline, IID_PPV_ARGS(&m_pipeline)), "CreateStateObject (pipeline)");
}

// Record 0: ray generation. 1: miss. 2 to 5: one hit record an instance, told apart by its local constants.
void Sample::CreateTables()
{
    ComPtr<ID3D12StateObjectProperties> properties;
    Check(m_pipeline.As(&properties), "ID3D12StateObjectProperties");
    const WCHAR *names[6] = {L"FlagsRayGen", L"Sky", L"Boxes", L"Triangles", L"Boxes", L"Triangles"};
    Record records[6] = {};
    for (uint32_t i = 0; i < 6; i++) {
        const void *identifier = properties->GetShaderIdentifier(names[i]);
        Check(identifier ? S_OK : E_FAIL, "GetShaderIdentifier");
        std::memcpy(records[i].identifier, identifier, sizeof(records[i].identifier));
        records[i].id = i;
        records[i].extra = 1000 + i;
    }
    m_tables = Buffer(D3D12_HEAP_TYPE_UPLOAD, sizeof(records), D3D12_RESOURCE_FLAG_NONE, D3D12_RESOURCE_STATE_GENERIC_READ,
                      records);
}

void Sample::Execute()
{
    Check(m_list->Close(), "Close");
    ID3D12CommandList *lists[] = {m_list.Get()};
    m_queue->ExecuteCommandLists(1, lists);
    Check(m_queue->Signal(m_fence.Get(), ++m_fenceValue), "Signal");
    Check(m_fence->SetEventOnCompletion(m_fenceValue, nullptr), "SetEventOnCompletion");
    Check(m_device->GetDeviceRemovedReason(), "device removed");
    Check(m_allocator->Reset(), "Reset");
    Check(m_list->Reset(m_allocator.Get(), nullptr), "Reset");
}

std::vector<Result> Sample::Trace(const std::vector<Ray> &rays)
{
    auto input = Buffer(D3D12_HEAP_TYPE_UPLOAD, rays.size() * sizeof(Ray), D3D12_RESOURCE_FLAG_NONE,
                        D3D12_RESOURCE_STATE_GENERIC_READ, rays.data());
    UINT64 size = rays.size() * sizeof(Result);
    auto output = Buffer(D3D12_HEAP_TYPE_DEFAULT, size, D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS,
                         D3D12_RESOURCE_STATE_UNORDERED_ACCESS);
    auto readback = Buffer(D3D12_HEAP_TYPE_READBACK, size, D3D12_RESOURCE_FLAG_NONE, D3D12_RESOURCE_STATE_COPY_DEST);
    m_list->SetComputeRootSignature(m_global.Get());
    m_list->SetComputeRootShaderResourceView(0, m_scene->GetGPUVirtualAddress());
    m_list->SetComputeRootShaderResourceView(1, input->GetGPUVirtualAddress());
    m_list->SetComputeRootUnorderedAccessView(2, output->GetGPUVirtualAddress());
    m_list->SetPipelineState1(m_pipeline.Get());
    D3D12_GPU_VIRTUAL_ADDRESS table = m_tables->GetGPUVirtualAddress();
    D3D12_DISPATCH_RAYS_DESC desc = {};
    desc.RayGenerationShaderRecord = {table, sizeof(Record)};
    desc.MissShaderTable = {table + sizeof(Record), sizeof(Record), sizeof(Record)};
    desc.HitGroupTable = {table + 2 * sizeof(Record), 4 * sizeof(Record), sizeof(Record)};
    desc.Width = static_cast<UINT>(rays.size());
    desc.Height = desc.Depth = 1;
    m_list->DispatchRays(&desc);
    auto barrier = CD3DX12_RESOURCE_BARRIER::Transition(output.Get(), D3D12_RESOURCE_STATE_UNORDERED_ACCESS,
                                                        D3D12_RESOURCE_STATE_COPY_SOURCE);
    m_list->ResourceBarrier(1, &barrier);
    m_list->CopyResource(readback.Get(), output.Get());
    Execute();
    std::vector<Result> results(rays.size());
    void *map = nullptr;
    Check(readback->Map(0, nullptr, &map), "Map");
    std::memcpy(results.data(), map, size);
    readback->Unmap(0, nullptr);
    return results;
}

int Sample::Run()
{
    CreateDevice();
    BuildScene();
    CreateSignatures();
    CreatePipeline();
    CreateTables();
    std::vector<Ray> rays;
    for (int i = 0; i < 5; i++) { // the fifth flies past everything
        Ray ray = {{4.0f * static_cast<float>(i) - 0.25f, -0.25f, -2}, 0, {0, 0, 1}, 100, 0, 0xff, 0, 0, 0, {}};
        rays.push_back(ray);
    }
    static const char *const stages[] = {"nothing", "triangle", "box", "miss"};
    const std::vector<Result> results = Trace(rays);
    for (size_t i = 0; i < results.size(); i++) {
        const Result &r = results[i];
        std::printf("ray %zu: %-8s record %u (%u)", i, r.stage < 4 ? stages[r.stage] : "?", r.recordId, r.recordExtra);
        if (r.stage == 1 || r.stage == 2)
            std::printf(", instance %u, t %g, hit kind %u", r.instanceId, r.t, r.hitKind);
        std::printf("\n");
    }
    bool right = results[0].stage == 2 && results[1].stage == 1 && results[1].recordId == 3 && results[4].stage == 3;
    return right ? 0 : 1;
}

int main()
{
    return Sample().Run();
}
