/* SPDX-License-Identifier: MIT
 * Pipelines, root signatures, root arguments and descriptor heaps of a command list. */
#include <string.h>

#include "d3d12/command_list.h"
#include "d3d12/command_list_methods.h"

void list_bind_pipeline_state(struct d3d12_command_list *list, ID3D12PipelineState *state_interface, const char *call)
{
    struct d3d12_pipeline_state *state = d3d12_pipeline_state_from(state_interface);
    if (!state_interface) {
        /* Programs hand on the result of a graphics pipeline's creation without a look: they get through. */
        list_note(list, RULE_COMMAND_LIST_ARGUMENT,
                  "%s: pPipelineState is NULL (graphics pipelines cannot be created on this device); nothing is set", call);
        list->pipeline_state = NULL;
        if (!exec_record_set_compute(list->stream, 0))
            list_out_of_memory(list);
        return;
    }
    if (!state || state->object.device != list->object.device) {
        list_fail(list, RULE_COMMAND_LIST_ARGUMENT, "%s: the pipeline state is none of this device", call);
        return;
    }
    struct exec_set_compute *entry = exec_record_set_compute(list->stream, 0);
    if (!entry || !list_reference(list, &state->object, NULL)) {
        list_out_of_memory(list);
        return;
    }
    entry->shader = state->shader;
    list->pipeline_state = state;
    list->state_object = NULL; /* Raytracing.md "SetPipelineState1": each unsets the other */
}

void STDMETHODCALLTYPE d3d12_command_list_SetPipelineState(ID3D12GraphicsCommandList8 *self,
                                                           ID3D12PipelineState *pPipelineState)
{
    struct d3d12_command_list *list = list_begin(self, "SetPipelineState", LIST_PLACE_BUNDLE);
    if (list)
        list_bind_pipeline_state(list, pPipelineState, "SetPipelineState");
}

void STDMETHODCALLTYPE d3d12_command_list_SetPipelineState1(ID3D12GraphicsCommandList8 *self,
                                                            ID3D12StateObject *pStateObject)
{
    const char *call = "SetPipelineState1";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_BUNDLE);
    if (!list)
        return;
    struct d3d12_state_object *state = d3d12_state_object_from(pStateObject);
    if (!state || state->object.device != list->object.device) {
        list_fail(list, RULE_COMMAND_LIST_ARGUMENT, "%s: pStateObject is NULL or none of this device", call);
        return;
    }
    if (state->type != D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE) {
        list_fail(list, RULE_COMMAND_LIST_ARGUMENT, "%s: '%s' is a collection, a raytracing pipeline is needed", call,
                  com_object_name(&state->object));
        return;
    }
    struct exec_set_raytracing *entry = exec_record_set_raytracing(list->stream, 0);
    if (!entry || !list_reference(list, &state->object, NULL)) {
        list_out_of_memory(list);
        return;
    }
    entry->pipeline = &state->pipeline;
    list->state_object = state;
    list->pipeline_state = NULL;
}

/* The executor's view of the parameters. It keeps the arguments where the content of the signature is the same. */
static bool record_root_signature(struct d3d12_command_list *list, const struct d3d12_root_signature *root)
{
    const struct dxil_root_signature *signature = root ? &root->signature : NULL;
    uint32_t count = signature ? signature->parameter_count : 0;
    if (count > EXEC_ROOT_PARAMETERS_MAX || (signature && signature->argument_bytes > EXEC_ROOT_BYTES_MAX)) {
        list_fail(list, RULE_ROOT_ARGUMENT, "SetComputeRootSignature: '%s' has %u parameters, at most %u are possible",
                  com_object_name(&root->object), count, EXEC_ROOT_PARAMETERS_MAX);
        return false;
    }
    struct exec_set_root_signature *entry = exec_record_set_root_signature(list->stream, 0);
    struct exec_root_parameter *parameters = count ? list_allocate(list, count * sizeof(*parameters)) : NULL;
    if (!entry || (count && !parameters)) {
        list_out_of_memory(list);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct dxil_root_parameter *parameter = &signature->parameters[i];
        parameters[i] = (struct exec_root_parameter){
            .offset = parameter->argument_offset,
            .is_descriptor = parameter->type >= DXIL_ROOT_PARAMETER_CBV,
            .is_uav = parameter->type == DXIL_ROOT_PARAMETER_UAV,
        };
    }
    entry->hash = root ? root->hash : 0;
    entry->parameters = parameters;
    entry->parameter_count = count;
    return true;
}

bool list_bind_root_signature(struct d3d12_command_list *list, struct d3d12_root_signature *root)
{
    if (root && !list_reference(list, &root->object, NULL))
        return false;
    if (!root || !list->compute_root || list->compute_root->hash != root->hash)
        list->set_parameters = 0;
    list->compute_root = root;
    return record_root_signature(list, root);
}

static bool root_signature_of(struct d3d12_command_list *list, const char *call,
                              ID3D12RootSignature *root_interface, struct d3d12_root_signature **root)
{
    *root = d3d12_root_signature_from(root_interface);
    if (root_interface && (!*root || (*root)->object.device != list->object.device)) {
        list_fail(list, RULE_COMMAND_LIST_ARGUMENT, "%s: pRootSignature is no root signature of this device", call);
        return false;
    }
    if (*root && ((*root)->signature.flags & DXIL_ROOT_SIGNATURE_FLAG_LOCAL)) {
        list_fail(list, RULE_COMMAND_LIST_ARGUMENT, "%s: '%s' is a local root signature, a global one is needed", call,
                  com_object_name(&(*root)->object));
        return false;
    }
    return true;
}

void STDMETHODCALLTYPE d3d12_command_list_SetComputeRootSignature(ID3D12GraphicsCommandList8 *self,
                                                                  ID3D12RootSignature *pRootSignature)
{
    const char *call = "SetComputeRootSignature";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_BUNDLE);
    struct d3d12_root_signature *root;
    if (list && root_signature_of(list, call, pRootSignature, &root))
        list_bind_root_signature(list, root);
}

/* Graphics bindings are checked and then only matter to draws, which do not exist here. */
void STDMETHODCALLTYPE d3d12_command_list_SetGraphicsRootSignature(ID3D12GraphicsCommandList8 *self,
                                                                   ID3D12RootSignature *pRootSignature)
{
    const char *call = "SetGraphicsRootSignature";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_BUNDLE);
    struct d3d12_root_signature *root;
    if (!list || !root_signature_of(list, call, pRootSignature, &root))
        return;
    if (root && !list_reference(list, &root->object, NULL))
        return;
    list->graphics_root = root;
}

/* A root argument: which call sets it, for compute or graphics, and of which type. */
struct argument {
    const char *call;
    bool is_graphics;
    UINT index;
    uint32_t type; /* enum dxil_root_parameter_type */
};

/* The parameter that a call sets; NULL after list_fail. */
static const struct dxil_root_parameter *find_parameter(struct d3d12_command_list *list,
                                                        const struct argument *argument)
{
    static const char *const type_names[] = {"a descriptor table", "32-bit constants", "a root CBV", "a root SRV",
                                             "a root UAV"};
    const struct d3d12_root_signature *root = argument->is_graphics ? list->graphics_root : list->compute_root;
    if (!root) {
        list_fail(list, RULE_ROOT_ARGUMENT, "%s: no %s root signature is set", argument->call,
                  argument->is_graphics ? "graphics" : "compute");
        return NULL;
    }
    if (argument->index >= root->signature.parameter_count) {
        list_fail(list, RULE_ROOT_ARGUMENT, "%s: RootParameterIndex is %u, the root signature has %u parameters",
                  argument->call, argument->index, root->signature.parameter_count);
        return NULL;
    }
    const struct dxil_root_parameter *parameter = &root->signature.parameters[argument->index];
    if (parameter->type != argument->type) {
        list_fail(list, RULE_ROOT_ARGUMENT, "%s: root parameter %u is %s, not %s", argument->call, argument->index,
                  parameter->type < ARRAY_COUNT(type_names) ? type_names[parameter->type] : "of another type",
                  type_names[argument->type]);
        return NULL;
    }
    return parameter;
}

static void record_root_bytes(struct d3d12_command_list *list, const struct argument *argument, uint32_t offset,
                              const void *data, uint32_t bytes)
{
    if (argument->is_graphics)
        return;
    list->set_parameters |= UINT64_C(1) << argument->index;
    struct exec_set_root_bytes *entry = exec_record_set_root_bytes(list->stream, bytes);
    if (!entry) {
        list_out_of_memory(list);
        return;
    }
    entry->offset = offset;
    entry->bytes = bytes;
    memcpy(entry->data, data, bytes);
}

static void set_constants(ID3D12GraphicsCommandList8 *self, const struct argument *argument, UINT count,
                          const void *data, UINT first)
{
    struct d3d12_command_list *list = list_begin(self, argument->call, LIST_PLACE_BUNDLE);
    const struct dxil_root_parameter *parameter = list ? find_parameter(list, argument) : NULL;
    if (!parameter)
        return;
    if (first > parameter->constant_count || parameter->constant_count - first < count || (count && !data)) {
        list_fail(list, RULE_ROOT_ARGUMENT, "%s: constants %u to %u of root parameter %u are set%s, it has %u",
                  argument->call, first, first + count, argument->index, data ? "" : " from NULL",
                  parameter->constant_count);
        return;
    }
    if (count)
        record_root_bytes(list, argument, parameter->argument_offset + first * (uint32_t)sizeof(UINT), data,
                          count * (uint32_t)sizeof(UINT));
}

/* Where an application may point a root descriptor is checked when a shader reads it; here only the alignment. */
static void set_address(ID3D12GraphicsCommandList8 *self, const struct argument *argument, uint64_t address)
{
    struct d3d12_command_list *list = list_begin(self, argument->call, LIST_PLACE_BUNDLE);
    const struct dxil_root_parameter *parameter = list ? find_parameter(list, argument) : NULL;
    if (!parameter)
        return;
    uint32_t alignment =
        argument->type == DXIL_ROOT_PARAMETER_CBV ? D3D12_CONSTANT_BUFFER_DATA_PLACEMENT_ALIGNMENT : sizeof(UINT);
    if (address % alignment)
        list_note(list, RULE_ROOT_ARGUMENT, "%s: BufferLocation is 0x%llx, it must be a multiple of %u",
                  argument->call, (unsigned long long)address, alignment);
    record_root_bytes(list, argument, parameter->argument_offset, &address, sizeof(address));
}

static bool heap_holds(const struct d3d12_descriptor_heap *heap, uint64_t handle)
{
    uint64_t start = heap ? (uint64_t)(uintptr_t)heap->descriptors : 0;
    return heap && handle >= start && handle - start < (uint64_t)heap->desc.NumDescriptors * D3D12_DESCRIPTOR_BYTES;
}

static void set_table(ID3D12GraphicsCommandList8 *self, const struct argument *argument, uint64_t handle)
{
    struct d3d12_command_list *list = list_begin(self, argument->call, LIST_PLACE_BUNDLE);
    const struct dxil_root_parameter *parameter = list ? find_parameter(list, argument) : NULL;
    if (!parameter)
        return;
    bool is_bound = heap_holds(list->resource_heap, handle) || heap_holds(list->sampler_heap, handle);
    if ((!is_bound && list->type != D3D12_COMMAND_LIST_TYPE_BUNDLE) || handle % sizeof(uint64_t)) {
        list_note(list, RULE_ROOT_ARGUMENT,
                  "%s: BaseDescriptor 0x%llx of root parameter %u is in none of the heaps that SetDescriptorHeaps set; "
                  "the table is set to NULL",
                  argument->call, (unsigned long long)handle, argument->index);
        handle = 0;
    }
    record_root_bytes(list, argument, parameter->argument_offset, &handle, sizeof(handle));
}

#define TABLE_METHOD(Kind, graphics)                                                                         \
    void STDMETHODCALLTYPE d3d12_command_list_Set##Kind##RootDescriptorTable(                                \
        ID3D12GraphicsCommandList8 *self, UINT RootParameterIndex, D3D12_GPU_DESCRIPTOR_HANDLE BaseDescriptor) \
    {                                                                                                        \
        struct argument argument = {"Set" #Kind "RootDescriptorTable", graphics, RootParameterIndex,         \
                                    DXIL_ROOT_PARAMETER_TABLE};                                              \
        set_table(self, &argument, BaseDescriptor.ptr);                                                      \
    }
#define CONSTANT_METHODS(Kind, graphics)                                                                     \
    void STDMETHODCALLTYPE d3d12_command_list_Set##Kind##Root32BitConstant(                                  \
        ID3D12GraphicsCommandList8 *self, UINT RootParameterIndex, UINT SrcData, UINT DestOffsetIn32BitValues) \
    {                                                                                                        \
        struct argument argument = {"Set" #Kind "Root32BitConstant", graphics, RootParameterIndex,           \
                                    DXIL_ROOT_PARAMETER_CONSTANTS};                                          \
        set_constants(self, &argument, 1, &SrcData, DestOffsetIn32BitValues);                                \
    }                                                                                                        \
    void STDMETHODCALLTYPE d3d12_command_list_Set##Kind##Root32BitConstants(                                 \
        ID3D12GraphicsCommandList8 *self, UINT RootParameterIndex, UINT Num32BitValuesToSet,                 \
        const void *pSrcData, UINT DestOffsetIn32BitValues)                                                  \
    {                                                                                                        \
        struct argument argument = {"Set" #Kind "Root32BitConstants", graphics, RootParameterIndex,          \
                                    DXIL_ROOT_PARAMETER_CONSTANTS};                                          \
        set_constants(self, &argument, Num32BitValuesToSet, pSrcData, DestOffsetIn32BitValues);              \
    }
#define VIEW_METHOD(Kind, View, parameter_type, graphics)                                                    \
    void STDMETHODCALLTYPE d3d12_command_list_Set##Kind##Root##View(                                         \
        ID3D12GraphicsCommandList8 *self, UINT RootParameterIndex, D3D12_GPU_VIRTUAL_ADDRESS BufferLocation) \
    {                                                                                                        \
        struct argument argument = {"Set" #Kind "Root" #View, graphics, RootParameterIndex, parameter_type}; \
        set_address(self, &argument, BufferLocation);                                                        \
    }

TABLE_METHOD(Compute, false)
TABLE_METHOD(Graphics, true)
CONSTANT_METHODS(Compute, false)
CONSTANT_METHODS(Graphics, true)
VIEW_METHOD(Compute, ConstantBufferView, DXIL_ROOT_PARAMETER_CBV, false)
VIEW_METHOD(Graphics, ConstantBufferView, DXIL_ROOT_PARAMETER_CBV, true)
VIEW_METHOD(Compute, ShaderResourceView, DXIL_ROOT_PARAMETER_SRV, false)
VIEW_METHOD(Graphics, ShaderResourceView, DXIL_ROOT_PARAMETER_SRV, true)
VIEW_METHOD(Compute, UnorderedAccessView, DXIL_ROOT_PARAMETER_UAV, false)
VIEW_METHOD(Graphics, UnorderedAccessView, DXIL_ROOT_PARAMETER_UAV, true)

/* One heap of SetDescriptorHeaps. False after list_fail. */
static bool add_heap(struct d3d12_command_list *list, UINT index, ID3D12DescriptorHeap *heap_interface,
                     struct d3d12_descriptor_heap **resources, struct d3d12_descriptor_heap **samplers)
{
    struct d3d12_descriptor_heap *heap = d3d12_descriptor_heap_from(heap_interface);
    const char *problem = NULL;
    struct d3d12_descriptor_heap **place = NULL;
    if (!heap || heap->object.device != list->object.device)
        problem = "is NULL or no descriptor heap of this device";
    else if (!(heap->desc.Flags & D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE))
        problem = "is not shader visible";
    else
        place = heap->desc.Type == D3D12_DESCRIPTOR_HEAP_TYPE_SAMPLER ? samplers : resources;
    if (place && *place)
        problem = "is the second of its type";
    if (problem) {
        list_fail(list, RULE_COMMAND_LIST_ARGUMENT, "SetDescriptorHeaps: ppDescriptorHeaps[%u] %s", index, problem);
        return false;
    }
    *place = heap;
    return list_reference(list, &heap->object, NULL);
}

void STDMETHODCALLTYPE d3d12_command_list_SetDescriptorHeaps(ID3D12GraphicsCommandList8 *self,
                                                             UINT NumDescriptorHeaps,
                                                             ID3D12DescriptorHeap *const *ppDescriptorHeaps)
{
    struct d3d12_command_list *list = list_begin(self, "SetDescriptorHeaps", LIST_PLACE_BUNDLE);
    if (!list)
        return;
    if (NumDescriptorHeaps && !ppDescriptorHeaps) {
        list_fail(list, RULE_COMMAND_LIST_ARGUMENT, "SetDescriptorHeaps: ppDescriptorHeaps is NULL");
        return;
    }
    struct d3d12_descriptor_heap *resources = NULL, *samplers = NULL;
    for (UINT i = 0; i < NumDescriptorHeaps; i++)
        if (!add_heap(list, i, ppDescriptorHeaps[i], &resources, &samplers))
            return;
    struct exec_set_heaps *entry = exec_record_set_heaps(list->stream, 0);
    if (!entry) {
        list_out_of_memory(list);
        return;
    }
    list->resource_heap = resources;
    list->sampler_heap = samplers;
    entry->resources = resources ? resources->descriptors : NULL;
    entry->resource_count = resources ? resources->desc.NumDescriptors : 0;
    entry->samplers = samplers ? samplers->descriptors : NULL;
    entry->sampler_count = samplers ? samplers->desc.NumDescriptors : 0;
}

void STDMETHODCALLTYPE d3d12_command_list_ExecuteBundle(ID3D12GraphicsCommandList8 *self,
                                                        ID3D12GraphicsCommandList *pCommandList)
{
    const char *call = "ExecuteBundle";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_NORMAL);
    if (!list)
        return;
    struct d3d12_command_list *bundle = d3d12_command_list_from(pCommandList);
    const char *problem = NULL;
    if (!bundle || bundle->object.device != list->object.device)
        problem = "is no command list of this device";
    else if (bundle->type != D3D12_COMMAND_LIST_TYPE_BUNDLE)
        problem = "is no bundle";
    else if (bundle->is_recording || !bundle->stream || FAILED(bundle->error))
        problem = "is not closed, or was closed with errors";
    else if (bundle->generation != bundle->allocator->generation)
        problem = "lost its commands: its allocator was reset";
    if (problem) {
        list_fail(list, RULE_COMMAND_LIST_STATE, "%s: pCommandList %s", call, problem);
        return;
    }
    struct exec_execute_bundle *entry = exec_record_execute_bundle(list->stream, 0);
    struct d3d12_memory_reference *reference = list_allocate(list, sizeof(*reference));
    if (!entry || !reference) {
        list_out_of_memory(list);
        return;
    }
    *reference = (struct d3d12_memory_reference){list->memory->memories, bundle->memory};
    list->memory->memories = reference;
    d3d12_list_memory_acquire(bundle->memory);
    entry->stream = bundle->stream;
    if (bundle->pipeline_state || bundle->state_object) { /* what the bundle sets stays set */
        list->pipeline_state = bundle->pipeline_state;
        list->state_object = bundle->state_object;
    }
    if (bundle->compute_root) {
        bool is_same = list->compute_root && list->compute_root->hash == bundle->compute_root->hash;
        list->set_parameters = (is_same ? list->set_parameters : 0) | bundle->set_parameters;
        list->compute_root = bundle->compute_root;
    }
}
