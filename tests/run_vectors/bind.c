/* SPDX-License-Identifier: MIT
 * From the register bindings of a vector to root arguments and descriptor heaps. The root signature says which
 * kind of root parameter a register uses; where there is none, one is made from the bindings. */
#include <stdlib.h>
#include <string.h>

#include "vector.h"

enum { HEAP_SLOTS = 8192, SAMPLER_SLOTS = 1024, FIRST_TABLE_SLOT = 1024, FIRST_TABLE_SAMPLER = 64 };

bool bind_heaps(struct run *run)
{
    D3D12_DESCRIPTOR_HEAP_DESC d = {.Type = D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV, .NumDescriptors = HEAP_SLOTS,
                                    .Flags = D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE};
    HRESULT hr = ID3D12Device5_CreateDescriptorHeap(run->gpu.device, &d, &IID_ID3D12DescriptorHeap, (void **)&run->heap);
    d.Type = D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER;
    d.NumDescriptors = SAMPLER_SLOTS;
    if (SUCCEEDED(hr))
        hr = ID3D12Device5_CreateDescriptorHeap(run->gpu.device, &d, &IID_ID3D12DescriptorHeap,
                                                (void **)&run->sampler_heap);
    run->heap_used = FIRST_TABLE_SLOT;
    run->sampler_heap_used = FIRST_TABLE_SAMPLER;
    return SUCCEEDED(hr);
}

static D3D12_CPU_DESCRIPTOR_HANDLE slot(struct run *run, bool is_sampler, uint32_t index)
{
    ID3D12DescriptorHeap *heap = is_sampler ? run->sampler_heap : run->heap;
    D3D12_CPU_DESCRIPTOR_HANDLE h = ID3D12DescriptorHeap_GetCPUDescriptorHandleForHeapStart(heap);
    h.ptr += (SIZE_T)index * ID3D12Device5_GetDescriptorHandleIncrementSize(
                                 run->gpu.device, is_sampler ? D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER
                                                             : D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
    return h;
}

static D3D12_GPU_DESCRIPTOR_HANDLE gpu_slot(struct run *run, bool is_sampler, uint32_t index)
{
    ID3D12DescriptorHeap *heap = is_sampler ? run->sampler_heap : run->heap;
    D3D12_GPU_DESCRIPTOR_HANDLE h = ID3D12DescriptorHeap_GetGPUDescriptorHandleForHeapStart(heap);
    h.ptr += (UINT64)index * ID3D12Device5_GetDescriptorHandleIncrementSize(
                                 run->gpu.device, is_sampler ? D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER
                                                             : D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV);
    return h;
}

static void texture_srv(const struct resource *r, D3D12_SHADER_RESOURCE_VIEW_DESC *d)
{
    static const struct {
        const char *shape;
        D3D12_SRV_DIMENSION dimension;
    } shapes[] = {{"1d", D3D12_SRV_DIMENSION_TEXTURE1D},     {"1darray", D3D12_SRV_DIMENSION_TEXTURE1DARRAY},
                  {"2d", D3D12_SRV_DIMENSION_TEXTURE2D},     {"2darray", D3D12_SRV_DIMENSION_TEXTURE2DARRAY},
                  {"3d", D3D12_SRV_DIMENSION_TEXTURE3D},     {"cube", D3D12_SRV_DIMENSION_TEXTURECUBE},
                  {"cubearray", D3D12_SRV_DIMENSION_TEXTURECUBEARRAY}, {"2dms", D3D12_SRV_DIMENSION_TEXTURE2DMS}};
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        if (strcmp(shapes[i].shape, r->shape) == 0)
            d->ViewDimension = shapes[i].dimension;
    if (d->ViewDimension == D3D12_SRV_DIMENSION_TEXTURECUBEARRAY) {
        d->TextureCubeArray.MipLevels = (UINT)-1;
        d->TextureCubeArray.NumCubes = r->depth / 6;
    } else if (d->ViewDimension == D3D12_SRV_DIMENSION_TEXTURE1DARRAY) {
        d->Texture1DArray.MipLevels = (UINT)-1;
        d->Texture1DArray.ArraySize = r->depth;
    } else if (d->ViewDimension == D3D12_SRV_DIMENSION_TEXTURE2DARRAY) {
        d->Texture2DArray.MipLevels = (UINT)-1;
        d->Texture2DArray.ArraySize = r->depth;
    } else if (d->ViewDimension != D3D12_SRV_DIMENSION_TEXTURE2DMS) {
        d->Texture2D.MipLevels = (UINT)-1; /* the first two fields are the same in the other shapes */
    }
}

static void create_srv(struct run *run, const struct resource *r, D3D12_CPU_DESCRIPTOR_HANDLE to)
{
    D3D12_SHADER_RESOURCE_VIEW_DESC d = {.Format = r->format, .ViewDimension = D3D12_SRV_DIMENSION_BUFFER,
                                         .Shader4ComponentMapping = D3D12_DEFAULT_SHADER_4_COMPONENT_MAPPING};
    if (r->kind == RESOURCE_TLAS) {
        d.Format = DXGI_FORMAT_UNKNOWN;
        d.ViewDimension = D3D12_SRV_DIMENSION_RAYTRACING_ACCELERATION_STRUCTURE;
        d.RaytracingAccelerationStructure.Location = run->tlas ? ID3D12Resource_GetGPUVirtualAddress(run->tlas) : 0;
        ID3D12Device5_CreateShaderResourceView(run->gpu.device, NULL, &d, to);
        return;
    }
    if (r->kind == RESOURCE_TEXTURE) {
        texture_srv(r, &d);
    } else if (r->kind == RESOURCE_TYPED) {
        d.Buffer.NumElements = r->byte_count / format_bytes(r->format);
    } else if (r->kind == RESOURCE_RAW) {
        d.Format = DXGI_FORMAT_R32_TYPELESS;
        d.Buffer.Flags = D3D12_BUFFER_SRV_FLAG_RAW;
        d.Buffer.NumElements = r->byte_count / 4;
    } else {
        d.Format = DXGI_FORMAT_UNKNOWN;
        d.Buffer.StructureByteStride = r->stride;
        d.Buffer.NumElements = r->stride ? r->byte_count / r->stride : 0;
    }
    ID3D12Device5_CreateShaderResourceView(run->gpu.device, r->object, &d, to);
}

static void texture_uav(const struct resource *r, D3D12_UNORDERED_ACCESS_VIEW_DESC *d)
{
    d->ViewDimension = D3D12_UAV_DIMENSION_TEXTURE2D;
    if (strcmp(r->shape, "1d") == 0) {
        d->ViewDimension = D3D12_UAV_DIMENSION_TEXTURE1D;
    } else if (strcmp(r->shape, "1darray") == 0) {
        d->ViewDimension = D3D12_UAV_DIMENSION_TEXTURE1DARRAY;
        d->Texture1DArray.ArraySize = r->depth;
    } else if (strcmp(r->shape, "3d") == 0) {
        d->ViewDimension = D3D12_UAV_DIMENSION_TEXTURE3D;
        d->Texture3D.WSize = (UINT)-1;
    } else if (strcmp(r->shape, "2dms") == 0) {
        d->ViewDimension = (D3D12_UAV_DIMENSION)6; /* D3D12_UAV_DIMENSION_TEXTURE2DMS of newer headers */
    } else if (strcmp(r->shape, "2d") != 0) {
        d->ViewDimension = D3D12_UAV_DIMENSION_TEXTURE2DARRAY;
        d->Texture2DArray.ArraySize = r->depth;
    }
}

static void create_uav(struct run *run, const struct resource *r, D3D12_CPU_DESCRIPTOR_HANDLE to)
{
    D3D12_UNORDERED_ACCESS_VIEW_DESC d = {.Format = r->format, .ViewDimension = D3D12_UAV_DIMENSION_BUFFER};
    if (r->kind == RESOURCE_TEXTURE) {
        texture_uav(r, &d);
    } else if (r->kind == RESOURCE_TYPED) {
        d.Buffer.NumElements = r->byte_count / format_bytes(r->format);
    } else if (r->kind == RESOURCE_RAW) {
        d.Format = DXGI_FORMAT_R32_TYPELESS;
        d.Buffer.Flags = D3D12_BUFFER_UAV_FLAG_RAW;
        d.Buffer.NumElements = r->byte_count / 4;
    } else {
        d.Format = DXGI_FORMAT_UNKNOWN;
        d.Buffer.StructureByteStride = r->stride;
        d.Buffer.NumElements = r->stride ? r->byte_count / r->stride : 0;
    }
    ID3D12Device5_CreateUnorderedAccessView(run->gpu.device, r->object, r->counter_object, &d, to);
}

static void create_view(struct run *run, char register_class, const struct resource *r, D3D12_CPU_DESCRIPTOR_HANDLE to)
{
    if (register_class == 's') {
        ID3D12Device5_CreateSampler(run->gpu.device, &r->sampler, to);
    } else if (register_class == 'b') {
        D3D12_CONSTANT_BUFFER_VIEW_DESC d = {ID3D12Resource_GetGPUVirtualAddress(r->object), (r->byte_count + 255u) & ~255u};
        ID3D12Device5_CreateConstantBufferView(run->gpu.device, &d, to);
    } else if (register_class == 'u') {
        create_uav(run, r, to);
    } else {
        create_srv(run, r, to);
    }
}

static void fill_direct_heaps(struct run *run)
{
    for (size_t i = 0; i < run->vector->binding_count; i++) {
        const struct binding *b = &run->vector->bindings[i];
        const struct resource *r = vector_resource(run->vector, b->resource);
        if (!r || (b->register_class != 'h' && b->register_class != 'p'))
            continue;
        char as = b->register_class == 'p' ? 's' : r->kind == RESOURCE_CBUFFER ? 'b' : r->is_written ? 'u' : 't';
        create_view(run, as, r, slot(run, b->register_class == 'p', b->index));
    }
}

static const struct binding *find_binding(const struct binding *list, size_t count, char register_class, uint32_t index,
                                          uint32_t space)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].register_class == register_class && list[i].index == index && list[i].space == space)
            return &list[i];
    return NULL;
}

static char range_class(D3D12_DESCRIPTOR_RANGE_TYPE type)
{
    return "tubs"[type];
}

/* Registers that a range covers here: an unbounded one ends at the last register that is bound. */
static uint32_t range_count(const D3D12_DESCRIPTOR_RANGE1 *range, const struct binding *list, size_t count)
{
    if (range->NumDescriptors != UINT_MAX)
        return range->NumDescriptors;
    uint32_t end = range->BaseShaderRegister;
    for (size_t i = 0; i < count; i++)
        if (list[i].register_class == range_class(range->RangeType) && list[i].space == range->RegisterSpace &&
            list[i].index >= end)
            end = list[i].index + 1;
    return end - range->BaseShaderRegister;
}

static D3D12_GPU_DESCRIPTOR_HANDLE fill_table(struct run *run, const D3D12_ROOT_DESCRIPTOR_TABLE1 *table,
                                              const struct binding *list, size_t count)
{
    bool is_sampler = table->NumDescriptorRanges && table->pDescriptorRanges[0].RangeType == D3D12_DESCRIPTOR_RANGE_TYPE_SAMPLER;
    uint32_t *used = is_sampler ? &run->sampler_heap_used : &run->heap_used;
    uint32_t first = *used, next = 0, end = 0;
    for (UINT i = 0; i < table->NumDescriptorRanges; i++) {
        const D3D12_DESCRIPTOR_RANGE1 *range = &table->pDescriptorRanges[i];
        uint32_t offset = range->OffsetInDescriptorsFromTableStart;
        if (offset == D3D12_DESCRIPTOR_RANGE_OFFSET_APPEND)
            offset = next;
        uint32_t registers = range_count(range, list, count);
        for (uint32_t k = 0; k < registers; k++) {
            const struct binding *b = find_binding(list, count, range_class(range->RangeType),
                                                   range->BaseShaderRegister + k, range->RegisterSpace);
            const struct resource *r = b ? vector_resource(run->vector, b->resource) : NULL;
            if (r)
                create_view(run, b->register_class, r, slot(run, is_sampler, first + offset + k));
        }
        next = offset + registers;
        end = next > end ? next : end;
    }
    *used += end;
    return gpu_slot(run, is_sampler, first);
}

static D3D12_GPU_VIRTUAL_ADDRESS root_address(struct run *run, const struct resource *r)
{
    if (r && r->kind == RESOURCE_TLAS)
        return run->tlas ? ID3D12Resource_GetGPUVirtualAddress(run->tlas) : 0;
    return r && r->object ? ID3D12Resource_GetGPUVirtualAddress(r->object) : 0;
}

static void set_constants(struct run *run, UINT index, const D3D12_ROOT_CONSTANTS *c)
{
    const struct vector *v = run->vector;
    const struct binding *b = find_binding(v->bindings, v->binding_count, 'b', c->ShaderRegister, c->RegisterSpace);
    const struct resource *r = b ? vector_resource(run->vector, b->resource) : NULL;
    if (r && r->words) {
        size_t count = r->word_count < c->Num32BitValues ? r->word_count : c->Num32BitValues;
        ID3D12GraphicsCommandList4_SetComputeRoot32BitConstants(run->gpu.list, index, (UINT)count, r->words, 0);
    }
}

static void set_root_descriptor(struct run *run, UINT index, const D3D12_ROOT_PARAMETER1 *p)
{
    const struct vector *v = run->vector;
    char c = p->ParameterType == D3D12_ROOT_PARAMETER_TYPE_CBV ? 'b' : p->ParameterType == D3D12_ROOT_PARAMETER_TYPE_SRV ? 't' : 'u';
    const struct binding *b =
        find_binding(v->bindings, v->binding_count, c, p->Descriptor.ShaderRegister, p->Descriptor.RegisterSpace);
    D3D12_GPU_VIRTUAL_ADDRESS address = root_address(run, b ? vector_resource(run->vector, b->resource) : NULL);
    if (c == 'b')
        ID3D12GraphicsCommandList4_SetComputeRootConstantBufferView(run->gpu.list, index, address);
    else if (c == 't')
        ID3D12GraphicsCommandList4_SetComputeRootShaderResourceView(run->gpu.list, index, address);
    else
        ID3D12GraphicsCommandList4_SetComputeRootUnorderedAccessView(run->gpu.list, index, address);
}

bool bind_global(struct run *run)
{
    if (!run->heap)
        return false;
    fill_direct_heaps(run);
    ID3D12DescriptorHeap *heaps[] = {run->heap, run->sampler_heap};
    ID3D12GraphicsCommandList4_SetDescriptorHeaps(run->gpu.list, 2, heaps);
    if (!run->root_signature)
        return true;
    ID3D12GraphicsCommandList4_SetComputeRootSignature(run->gpu.list, run->root_signature);
    for (UINT i = 0; i < run->root_desc.NumParameters; i++) {
        const D3D12_ROOT_PARAMETER1 *p = &run->root_desc.pParameters[i];
        if (p->ParameterType == D3D12_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS)
            set_constants(run, i, &p->Constants);
        else if (p->ParameterType == D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE)
            ID3D12GraphicsCommandList4_SetComputeRootDescriptorTable(
                run->gpu.list, i,
                fill_table(run, &p->DescriptorTable, run->vector->bindings, run->vector->binding_count));
        else
            set_root_descriptor(run, i, p);
    }
    return true;
}

static bool is_table(const struct resource *r)
{
    return r->kind == RESOURCE_TYPED || r->kind == RESOURCE_TEXTURE || r->kind == RESOURCE_SAMPLER ||
           r->kind == RESOURCE_COUNTED;
}

static void local_parameter(const struct binding *b, const struct resource *r, D3D12_ROOT_PARAMETER1 *p,
                            D3D12_DESCRIPTOR_RANGE1 *range)
{
    p->ShaderVisibility = D3D12_SHADER_VISIBILITY_ALL;
    if (r->kind == RESOURCE_CONSTANTS) {
        p->ParameterType = D3D12_ROOT_PARAMETER_TYPE_32BIT_CONSTANTS;
        p->Constants = (D3D12_ROOT_CONSTANTS){b->index, b->space, r->byte_count / 4};
    } else if (is_table(r)) {
        range->RangeType = b->register_class == 't'   ? D3D12_DESCRIPTOR_RANGE_TYPE_SRV
                           : b->register_class == 'u' ? D3D12_DESCRIPTOR_RANGE_TYPE_UAV
                                                      : D3D12_DESCRIPTOR_RANGE_TYPE_SAMPLER;
        range->NumDescriptors = 1;
        range->BaseShaderRegister = b->index;
        range->RegisterSpace = b->space;
        range->Flags = D3D12_DESCRIPTOR_RANGE_FLAG_DESCRIPTORS_VOLATILE;
        p->ParameterType = D3D12_ROOT_PARAMETER_TYPE_DESCRIPTOR_TABLE;
        p->DescriptorTable = (D3D12_ROOT_DESCRIPTOR_TABLE1){1, range};
    } else {
        p->ParameterType = b->register_class == 'b'   ? D3D12_ROOT_PARAMETER_TYPE_CBV
                           : b->register_class == 't' ? D3D12_ROOT_PARAMETER_TYPE_SRV
                                                      : D3D12_ROOT_PARAMETER_TYPE_UAV;
        p->Descriptor = (D3D12_ROOT_DESCRIPTOR1){b->index, b->space, D3D12_ROOT_DESCRIPTOR_FLAG_NONE};
    }
}

static ID3D12RootSignature *serialize_and_create(struct run *run, const D3D12_ROOT_SIGNATURE_DESC1 *desc)
{
    D3D12_VERSIONED_ROOT_SIGNATURE_DESC versioned = {.Version = D3D_ROOT_SIGNATURE_VERSION_1_1, .Desc_1_1 = *desc};
    ID3DBlob *blob = NULL, *error = NULL;
    ID3D12RootSignature *signature = NULL;
    HRESULT hr = D3D12SerializeVersionedRootSignature(&versioned, &blob, &error);
    if (SUCCEEDED(hr))
        hr = ID3D12Device5_CreateRootSignature(run->gpu.device, 0, ID3D10Blob_GetBufferPointer(blob),
                                               ID3D10Blob_GetBufferSize(blob), &IID_ID3D12RootSignature,
                                               (void **)&signature);
    if (FAILED(hr))
        fprintf(stderr, "root signature: %s %s\n", gpu_result_text(hr),
                error ? (const char *)ID3D10Blob_GetBufferPointer(error) : "");
    if (blob)
        ID3D10Blob_Release(blob);
    if (error)
        ID3D10Blob_Release(error);
    return signature;
}

ID3D12RootSignature *bind_local_signature(struct run *run, const struct record *record)
{
    enum { MAX_LOCALS = 32 };
    D3D12_ROOT_PARAMETER1 parameters[MAX_LOCALS] = {0};
    D3D12_DESCRIPTOR_RANGE1 ranges[MAX_LOCALS] = {0};
    UINT count = 0;
    for (size_t i = 0; i < record->local_count && count < MAX_LOCALS; i++, count++) {
        const struct resource *r = vector_resource(run->vector, record->locals[i].resource);
        if (!r)
            return NULL;
        local_parameter(&record->locals[i], r, &parameters[count], &ranges[count]);
    }
    D3D12_ROOT_SIGNATURE_DESC1 desc = {.NumParameters = count, .pParameters = parameters,
                                       .Flags = D3D12_ROOT_SIGNATURE_FLAG_LOCAL_ROOT_SIGNATURE};
    return count ? serialize_and_create(run, &desc) : NULL;
}

size_t bind_local(struct run *run, const struct record *record, uint8_t *out)
{
    size_t used = 0;
    for (size_t i = 0; i < record->local_count; i++) {
        const struct binding *b = &record->locals[i];
        const struct resource *r = vector_resource(run->vector, b->resource);
        if (!r)
            continue;
        if (r->kind == RESOURCE_CONSTANTS) {
            memcpy(out + used, r->words, r->word_count * 4);
            used += r->byte_count;
            continue;
        }
        used = (used + 7) & ~(size_t)7;
        uint64_t value = root_address(run, r);
        if (is_table(r)) {
            bool is_sampler = r->kind == RESOURCE_SAMPLER;
            uint32_t index = is_sampler ? run->sampler_heap_used++ : run->heap_used++;
            create_view(run, b->register_class, r, slot(run, is_sampler, index));
            value = gpu_slot(run, is_sampler, index).ptr;
        }
        memcpy(out + used, &value, 8);
        used += 8;
    }
    return used;
}

bool root_signature_use(struct run *run, const void *bytes, size_t byte_count)
{
    HRESULT hr = ID3D12Device5_CreateRootSignature(run->gpu.device, 0, bytes, byte_count, &IID_ID3D12RootSignature,
                                                   (void **)&run->root_signature);
    if (FAILED(hr)) {
        fprintf(stderr, "CreateRootSignature: %s\n", gpu_result_text(hr));
        return false;
    }
    hr = D3D12CreateVersionedRootSignatureDeserializer(bytes, byte_count, &IID_ID3D12VersionedRootSignatureDeserializer,
                                                       (void **)&run->root_deserializer);
    const D3D12_VERSIONED_ROOT_SIGNATURE_DESC *desc = NULL;
    if (SUCCEEDED(hr))
        hr = ID3D12VersionedRootSignatureDeserializer_GetRootSignatureDescAtVersion(
            run->root_deserializer, D3D_ROOT_SIGNATURE_VERSION_1_1, &desc);
    if (FAILED(hr) || !desc) {
        fprintf(stderr, "root signature deserializer: %s\n", gpu_result_text(hr));
        return false;
    }
    run->root_desc = desc->Desc_1_1;
    return true;
}

/* MODULES_DIR/STEM.global_rs.rs or STEM.rs.rs, where STEM is the module's name without .dxil and, if need be,
 * without a variant suffix such as ".zi"; else the signature inside the module, if there is one. */
bool root_signature_load(struct run *run, const void *module, size_t module_bytes)
{
    char stem[256];
    snprintf(stem, sizeof(stem), "%s", run->vector->modules[0]);
    for (char *dot = strrchr(stem, '.'); dot; dot = strrchr(stem, '.')) {
        *dot = 0;
        static const char *const endings[] = {"global_rs.rs", "rs.rs"};
        for (size_t i = 0; i < 2; i++) {
            char path[1024];
            snprintf(path, sizeof(path), "%s/%s.%s", run->modules_dir, stem, endings[i]);
            FILE *probe = fopen(path, "rb");
            if (!probe)
                continue;
            fclose(probe);
            size_t bytes = 0;
            void *data = file_read(path, &bytes);
            bool ok = data && root_signature_use(run, data, bytes);
            free(data);
            return ok;
        }
    }
    for (size_t i = 0; i + 4 <= module_bytes && i < 4096; i++)
        if (memcmp((const char *)module + i, "RTS0", 4) == 0)
            return root_signature_use(run, module, module_bytes);
    return true;
}
