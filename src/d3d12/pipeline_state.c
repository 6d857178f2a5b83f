/* SPDX-License-Identifier: MIT
 * Compute pipeline states: shader container and root signature in, machine code out. Graphics and mesh pipelines are
 * refused with a message: this device executes compute and raytracing. */
#include "d3d12/pipeline_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "d3d12/blob.h"
#include "d3d12/create.h"
#include "d3d12/state_object_linker.h"
#include "d3d12/debug.h"
#include "dxil/module.h"
#include "jit/c_library.h"
#include "jit/jit.h"

static void destroy(struct com_object *com)
{
    struct d3d12_pipeline_state *state = (struct d3d12_pipeline_state *)com;
    jit_code_release(state->code);
    com_object_drop(&state->root_signature->object);
    com_object_finish(com);
    free(state);
}

static const struct com_iid_offset interfaces[] = {
    {&IID_IUnknown, 0},       {&IID_ID3D12Object, 0},        {&IID_ID3D12DeviceChild, 0},
    {&IID_ID3D12Pageable, 0}, {&IID_ID3D12PipelineState, 0},
};

static const struct com_class pipeline_state_class = {
    .name = "ID3D12PipelineState",
    .interfaces = interfaces,
    .interface_count = ARRAY_COUNT(interfaces),
    .destroy = destroy,
    .retire = d3d12_object_retire,
};

COM_DEVICE_CHILD_METHODS(d3d12_pipeline_state, ID3D12PipelineState)

/* --- cached blobs --- */

enum { CACHED_MAGIC = 0x50584443, CACHED_VERSION = 1 };

static uint64_t cached_check(const struct d3d12_cached_pipeline *cached)
{
    struct d3d12_program_key key = {{0, 0}};
    d3d12_program_key_add(&key, cached, offsetof(struct d3d12_cached_pipeline, check));
    return key.words[0] ^ key.words[1];
}

void d3d12_cached_pipeline_fill(struct d3d12_cached_pipeline *cached, const struct d3d12_program_key *key)
{
    *cached = (struct d3d12_cached_pipeline){.magic = CACHED_MAGIC, .version = CACHED_VERSION, .key = *key};
    cached->check = cached_check(cached);
}

HRESULT d3d12_cached_pipeline_check(const void *bytes, size_t byte_count, struct d3d12_program_key *key)
{
    struct d3d12_cached_pipeline cached;
    if (byte_count != sizeof(cached))
        return E_INVALIDARG;
    memcpy(&cached, bytes, sizeof(cached));
    if (cached.magic != CACHED_MAGIC || cached.check != cached_check(&cached))
        return E_INVALIDARG;
    *key = cached.key;
    return cached.version == CACHED_VERSION ? S_OK : D3D12_ERROR_DRIVER_VERSION_MISMATCH;
}

static HRESULT STDMETHODCALLTYPE d3d12_pipeline_state_GetCachedBlob(ID3D12PipelineState *self, ID3DBlob **out)
{
    struct d3d12_pipeline_state *state = (struct d3d12_pipeline_state *)self;
    if (!out)
        return d3d12_fail(d3d12_device_of(&state->object), E_INVALIDARG, RULE_PIPELINE_STATE,
                          "GetCachedBlob: ppBlob is NULL");
    struct d3d12_cached_pipeline cached;
    *out = NULL;
    d3d12_cached_pipeline_fill(&cached, &state->key);
    return d3d12_blob_create(&cached, sizeof(cached), out); /* copies */
}

const ID3D12PipelineStateVtbl d3d12_pipeline_state_vtbl = {
    COM_DEVICE_CHILD_ENTRIES(d3d12_pipeline_state),
    d3d12_pipeline_state_GetCachedBlob,
};

/* --- creation --- */

/* What a description is made into, step by step. */
struct compute_builder {
    struct d3d12_device *device;
    const char *call;
    const D3D12_COMPUTE_PIPELINE_STATE_DESC *desc;
    struct d3d12_root_signature *root_signature; /* held */
    struct dxil_module *module;
    const struct dxil_function *entry;
    struct d3d12_program_key key;
    struct jit_code *code;
};

static void finish_builder(struct compute_builder *builder)
{
    dxil_module_destroy(builder->module);
    if (builder->root_signature)
        com_object_drop(&builder->root_signature->object);
}

static HRESULT fail_with(const struct compute_builder *builder, enum status status, const char *what,
                         const struct reason *reason)
{
    HRESULT result = status == STATUS_OUT_OF_MEMORY ? E_OUTOFMEMORY
                     : status == STATUS_INTERNAL    ? E_FAIL
                                                    : E_INVALIDARG;
    return d3d12_fail(builder->device, result, RULE_PIPELINE_STATE, "%s: %s%s", builder->call, what,
                      reason->text[0] ? reason->text : "out of memory");
}

/* The description's root signature, else the one inside the shader. */
static HRESULT find_root_signature(struct compute_builder *builder)
{
    const D3D12_SHADER_BYTECODE *shader = &builder->desc->CS;
    struct dxil_root_signature embedded;
    struct reason reason = {{0}};
    if (builder->desc->pRootSignature) {
        struct d3d12_root_signature *given = d3d12_root_signature_from(builder->desc->pRootSignature);
        if (!given || given->object.device != &builder->device->object)
            return d3d12_fail(builder->device, E_INVALIDARG, RULE_PIPELINE_STATE,
                              "%s: pRootSignature is not a root signature of this device", builder->call);
        if (given->signature.flags & DXIL_ROOT_SIGNATURE_FLAG_LOCAL)
            return d3d12_fail(builder->device, E_INVALIDARG, RULE_PIPELINE_STATE,
                              "%s: pRootSignature '%s' is a local root signature", builder->call,
                              com_object_name(&given->object));
        com_object_hold(&given->object);
        builder->root_signature = given;
        return S_OK;
    }
    if (!dxil_root_signature_is_in(shader->pShaderBytecode, shader->BytecodeLength))
        return d3d12_fail(builder->device, E_INVALIDARG, RULE_PIPELINE_STATE,
                          "%s: pRootSignature is NULL and the shader has no root signature of its own", builder->call);
    enum status status =
        dxil_root_signature_parse(shader->pShaderBytecode, shader->BytecodeLength, &embedded, &reason);
    if (status != STATUS_OK)
        return fail_with(builder, status, "root signature inside the shader: ", &reason);
    HRESULT result = d3d12_root_signature_wrap(builder->device, &embedded, &builder->root_signature);
    dxil_root_signature_finish(&embedded);
    if (FAILED(result))
        return result;
    com_object_hold(&builder->root_signature->object);
    com_object_release(&builder->root_signature->object); /* ours, not the application's */
    return S_OK;
}

static HRESULT load_module(struct compute_builder *builder)
{
    const D3D12_SHADER_BYTECODE *shader = &builder->desc->CS;
    struct reason reason = {{0}};
    struct dxil_options options = dxil_options_default();
    options.prefer_debug |= d3d12_debug_is_enabled(); /* so that messages name lines */
    enum status status =
        jit_is_c_library(shader->pShaderBytecode, shader->BytecodeLength)
            ? jit_c_library_create(shader->pShaderBytecode, shader->BytecodeLength, &builder->module, NULL, &reason)
            : dxil_module_create(shader->pShaderBytecode, shader->BytecodeLength, &options, &builder->module, &reason);
    if (status != STATUS_OK)
        return fail_with(builder, status, "CS: ", &reason);
    for (uint32_t i = 0; i < builder->module->function_count; i++) {
        const struct dxil_function *function = &builder->module->functions[i];
        if (function->is_entry && function->kind == DXIL_SHADER_KIND_COMPUTE)
            builder->entry = function;
    }
    if (builder->module->shader_kind != DXIL_SHADER_KIND_COMPUTE || !builder->entry)
        return d3d12_fail(builder->device, E_INVALIDARG, RULE_PIPELINE_STATE,
                          "%s: CS is a %s shader, a compute shader is needed", builder->call,
                          so_shader_kind_name((uint32_t)builder->module->shader_kind));
    return S_OK;
}

static struct dxil_rdat_resource resource_view(const struct dxil_resource *resource)
{
    enum { FLAG_COUNTER = 2 };
    bool unbounded = resource->range_count == DXIL_RANGE_UNBOUNDED;
    return (struct dxil_rdat_resource){
        .register_type = (uint32_t)resource->resource_class,
        .kind = (uint32_t)resource->kind,
        .id = resource->range_id,
        .space = resource->space,
        .lower_bound = resource->lower_bound,
        .upper_bound = unbounded || !resource->range_count ? UINT32_MAX
                                                           : resource->lower_bound + (resource->range_count - 1),
        .name = resource->name ? resource->name : "",
        .flags = resource->has_counter ? FLAG_COUNTER : 0,
    };
}

static HRESULT check_bindings(const struct compute_builder *builder)
{
    enum { RESOURCE_HEAP_INDEXING = 0x2000000, SAMPLER_HEAP_INDEXING = 0x4000000 };
    const struct dxil_root_signature *signature = &builder->root_signature->signature;
    struct reason reason = {{0}};
    char label[160];
    snprintf(label, sizeof(label), "compute shader '%.120s'", builder->entry->plain_name);
    for (uint32_t i = 0; i < builder->module->resource_count; i++) {
        struct dxil_rdat_resource resource = resource_view(&builder->module->resources[i]);
        enum status status = so_check_resource(label, &resource, signature, NULL, &reason);
        if (status != STATUS_OK)
            return fail_with(builder, status, "", &reason);
    }
    if ((builder->module->feature_flags & RESOURCE_HEAP_INDEXING) &&
        !(signature->flags & DXIL_ROOT_SIGNATURE_FLAG_RESOURCE_HEAP_INDEXED))
        return d3d12_fail(builder->device, E_INVALIDARG, RULE_PIPELINE_STATE,
                          "%s: %s uses ResourceDescriptorHeap; its root signature must have the flag "
                          "CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED",
                          builder->call, label);
    if ((builder->module->feature_flags & SAMPLER_HEAP_INDEXING) &&
        !(signature->flags & DXIL_ROOT_SIGNATURE_FLAG_SAMPLER_HEAP_INDEXED))
        return d3d12_fail(builder->device, E_INVALIDARG, RULE_PIPELINE_STATE,
                          "%s: %s uses SamplerDescriptorHeap; its root signature must have the flag "
                          "SAMPLER_HEAP_DIRECTLY_INDEXED",
                          builder->call, label);
    return S_OK;
}

static HRESULT compile(struct compute_builder *builder)
{
    struct d3d12_shader_compiler *compiler;
    struct reason reason = {{0}};
    const struct dxil_module *module = builder->module;
    struct jit_export export = {module, builder->entry->name, builder->entry->plain_name,
                                &builder->root_signature->signature, NULL};
    struct jit_program program = {.modules = &module, .module_count = 1, .exports = &export, .export_count = 1};
    enum status status = d3d12_shader_compiler_get(builder->device, &compiler, &reason);
    if (status == STATUS_OK)
        status = d3d12_shader_compiler_run(compiler, &builder->key, &program, &builder->code, &reason);
    return status == STATUS_OK ? S_OK : fail_with(builder, status, "", &reason);
}

static HRESULT check_cached(const struct compute_builder *builder)
{
    const D3D12_CACHED_PIPELINE_STATE *cached = &builder->desc->CachedPSO;
    struct d3d12_program_key key;
    if (!cached->pCachedBlob && !cached->CachedBlobSizeInBytes)
        return S_OK;
    HRESULT result = cached->pCachedBlob && cached->CachedBlobSizeInBytes
                         ? d3d12_cached_pipeline_check(cached->pCachedBlob, cached->CachedBlobSizeInBytes, &key)
                         : E_INVALIDARG;
    if (FAILED(result))
        return d3d12_fail(builder->device, result, RULE_PIPELINE_STATE,
                          result == D3D12_ERROR_DRIVER_VERSION_MISMATCH
                              ? "%s: CachedPSO was made by another version of this library"
                              : "%s: CachedPSO is not a blob of ID3D12PipelineState::GetCachedBlob",
                          builder->call);
    if (memcmp(&key, &builder->key, sizeof(key)) != 0)
        return d3d12_fail(builder->device, E_INVALIDARG, RULE_PIPELINE_STATE,
                          "%s: CachedPSO belongs to another shader or root signature", builder->call);
    return S_OK;
}

static HRESULT check_desc(const struct compute_builder *builder)
{
    const D3D12_COMPUTE_PIPELINE_STATE_DESC *desc = builder->desc;
    if (!desc->CS.pShaderBytecode || !desc->CS.BytecodeLength)
        return d3d12_fail(builder->device, E_INVALIDARG, RULE_PIPELINE_STATE, "%s: CS is empty", builder->call);
    if (desc->NodeMask > 1)
        return d3d12_fail(builder->device, E_INVALIDARG, RULE_PIPELINE_STATE,
                          "%s: NodeMask is 0x%x, the device has one node", builder->call, desc->NodeMask);
    if (desc->Flags & ~(unsigned)D3D12_PIPELINE_STATE_FLAG_TOOL_DEBUG)
        return d3d12_fail(builder->device, E_INVALIDARG, RULE_PIPELINE_STATE,
                          "%s: Flags is 0x%x, which compute pipelines do not take", builder->call,
                          (unsigned)desc->Flags);
    return S_OK;
}

static void make_key(struct compute_builder *builder)
{
    uint64_t signature = builder->root_signature->hash;
    d3d12_program_key_add(&builder->key, builder->desc->CS.pShaderBytecode, builder->desc->CS.BytecodeLength);
    d3d12_program_key_add(&builder->key, &signature, sizeof(signature));
}

HRESULT d3d12_pipeline_state_key(struct d3d12_device *device, const char *call,
                                 const D3D12_COMPUTE_PIPELINE_STATE_DESC *desc, struct d3d12_program_key *key)
{
    struct compute_builder builder = {.device = device, .call = call, .desc = desc};
    HRESULT result = check_desc(&builder);
    if (SUCCEEDED(result))
        result = find_root_signature(&builder);
    if (SUCCEEDED(result))
        make_key(&builder);
    *key = builder.key;
    finish_builder(&builder);
    return result;
}

static HRESULT run_builder(struct compute_builder *builder)
{
    HRESULT result = check_desc(builder);
    if (SUCCEEDED(result))
        result = find_root_signature(builder);
    if (FAILED(result))
        return result;
    make_key(builder);
    result = check_cached(builder);
    if (SUCCEEDED(result))
        result = load_module(builder);
    if (SUCCEEDED(result))
        result = check_bindings(builder);
    return SUCCEEDED(result) ? compile(builder) : result;
}

static HRESULT create_compute(struct d3d12_device *device, const char *call,
                              const D3D12_COMPUTE_PIPELINE_STATE_DESC *desc, REFIID riid, void **out)
{
    struct compute_builder builder = {.device = device, .call = call, .desc = desc};
    struct d3d12_pipeline_state *state = calloc(1, sizeof(*state));
    HRESULT result = state ? run_builder(&builder) : E_OUTOFMEMORY;
    if (FAILED(result)) {
        finish_builder(&builder);
        free(state);
        return result;
    }
    state->root_signature = builder.root_signature;
    builder.root_signature = NULL;
    state->code = builder.code;
    state->shader = jit_code_shader(builder.code, 0);
    state->key = builder.key;
    finish_builder(&builder);
    com_object_init(&state->object, &pipeline_state_class, &d3d12_pipeline_state_vtbl, &device->object);
    return com_object_return(&state->object, riid, out);
}

HRESULT d3d12_pipeline_state_share(struct d3d12_device *device, struct d3d12_pipeline_state *source, REFIID riid,
                                   void **out)
{
    struct d3d12_pipeline_state *state = calloc(1, sizeof(*state));
    if (!state)
        return E_OUTOFMEMORY;
    state->root_signature = source->root_signature;
    com_object_hold(&state->root_signature->object);
    state->code = source->code;
    jit_code_acquire(state->code);
    state->shader = source->shader;
    state->key = source->key;
    com_object_init(&state->object, &pipeline_state_class, &d3d12_pipeline_state_vtbl, &device->object);
    return com_object_return(&state->object, riid, out);
}

HRESULT d3d12_pipeline_state_create_compute(struct d3d12_device *device, const D3D12_COMPUTE_PIPELINE_STATE_DESC *desc,
                                            REFIID riid, void **out)
{
    if (out)
        *out = NULL;
    if (!desc)
        return d3d12_fail(device, E_INVALIDARG, RULE_PIPELINE_STATE, "CreateComputePipelineState: pDesc is NULL");
    return create_compute(device, "CreateComputePipelineState", desc, riid, out);
}

HRESULT d3d12_pipeline_state_create_graphics(struct d3d12_device *device,
                                             const D3D12_GRAPHICS_PIPELINE_STATE_DESC *desc, REFIID riid, void **out)
{
    if (out)
        *out = NULL;
    if (!desc)
        return d3d12_fail(device, E_INVALIDARG, RULE_PIPELINE_STATE, "CreateGraphicsPipelineState: pDesc is NULL");
    return d3d12_fail(device, E_NOTIMPL, RULE_NOT_IMPLEMENTED,
                      "CreateGraphicsPipelineState: this device executes compute and raytracing pipelines only; there is "
                      "no rasteriser");
}

HRESULT d3d12_pipeline_state_create_stream(struct d3d12_device *device, const D3D12_PIPELINE_STATE_STREAM_DESC *desc,
                                           REFIID riid, void **out)
{
    D3D12_COMPUTE_PIPELINE_STATE_DESC compute;
    if (out)
        *out = NULL;
    HRESULT result = d3d12_pipeline_stream_read(device, "CreatePipelineState", desc, &compute);
    return SUCCEEDED(result) ? create_compute(device, "CreatePipelineState", &compute, riid, out) : result;
}
