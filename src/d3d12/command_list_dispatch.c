/* SPDX-License-Identifier: MIT
 * Dispatch, DispatchRays and ExecuteIndirect of a command list. */
#include <string.h>

#include "d3d12/command_list.h"
#include "d3d12/command_list_methods.h"
#include "d3d12/command_signature.h"
#include "exec/shader_table.h"

/* The bound root signature must be the one that the shaders were compiled with. needed NULL: none. False: the call is
 * dropped. */
static bool root_signature_fits(struct d3d12_command_list *list, const char *call,
                                const struct d3d12_root_signature *needed)
{
    if (list->type == D3D12_COMMAND_LIST_TYPE_BUNDLE || !needed)
        return true;
    const struct d3d12_root_signature *bound = list->compute_root;
    if (bound && bound->hash == needed->hash)
        return true;
    list_note(list, RULE_ROOT_ARGUMENT, "%s: the pipeline needs root signature '%s', %s; the call is dropped", call,
              com_object_name(&needed->object),
              bound ? "the one that SetComputeRootSignature set is different" : "none is set");
    return false;
}

/* Debug layer: tables and root descriptors without an argument. Legal where no shader uses them, so nothing is dropped. */
static void note_missing_arguments(struct d3d12_command_list *list, const char *call, uint64_t set_parameters)
{
    const struct d3d12_root_signature *root = list->compute_root;
    if (!root || list->type == D3D12_COMMAND_LIST_TYPE_BUNDLE)
        return;
    for (uint32_t i = 0; i < root->signature.parameter_count; i++) {
        const struct dxil_root_parameter *parameter = &root->signature.parameters[i];
        bool is_set = (set_parameters >> i) & 1;
        if (is_set || parameter->type == DXIL_ROOT_PARAMETER_CONSTANTS ||
            parameter->visibility != D3D12_SHADER_VISIBILITY_ALL)
            continue;
        list_note(list, RULE_ROOT_ARGUMENT, "%s: root parameter %u, %s, has no argument since SetComputeRootSignature",
                  call, i, parameter->type == DXIL_ROOT_PARAMETER_TABLE ? "a descriptor table" : "a root descriptor");
        return;
    }
}

static bool compute_is_ready(struct d3d12_command_list *list, const char *call)
{
    if (list->pipeline_state)
        return root_signature_fits(list, call, list->pipeline_state->root_signature);
    if (list->type == D3D12_COMMAND_LIST_TYPE_BUNDLE && !list->state_object) /* the caller's */
        return true;
    list_note(list, RULE_DISPATCH, "%s: no compute pipeline state is set; the call is dropped", call);
    return false;
}

/* A pipeline with one global root signature runs with it when the application bound none. */
static bool rays_are_ready(struct d3d12_command_list *list, const char *call)
{
    struct d3d12_state_object *state = list->state_object;
    if (!state && list->type == D3D12_COMMAND_LIST_TYPE_BUNDLE && !list->pipeline_state)
        return true;
    if (!state) {
        list_note(list, RULE_DISPATCH_RAYS, "%s: no raytracing pipeline is set by SetPipelineState1; the call is dropped",
                  call);
        return false;
    }
    if (!state->single_global)
        return true;
    if (!list->compute_root && list->type != D3D12_COMMAND_LIST_TYPE_BUNDLE)
        return list_bind_root_signature(list, state->single_global);
    return root_signature_fits(list, call, state->single_global);
}

void STDMETHODCALLTYPE d3d12_command_list_Dispatch(ID3D12GraphicsCommandList8 *self, UINT ThreadGroupCountX,
                                                   UINT ThreadGroupCountY, UINT ThreadGroupCountZ)
{
    const char *call = "Dispatch";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_BUNDLE);
    if (!list || !compute_is_ready(list, call))
        return;
    const UINT limit = D3D12_CS_DISPATCH_MAX_THREAD_GROUPS_PER_DIMENSION;
    if (ThreadGroupCountX > limit || ThreadGroupCountY > limit || ThreadGroupCountZ > limit) {
        list_fail(list, RULE_DISPATCH, "%s: the thread group counts are %u, %u, %u, each must be at most %u", call,
                  ThreadGroupCountX, ThreadGroupCountY, ThreadGroupCountZ, limit);
        return;
    }
    struct exec_dispatch *entry = exec_record_dispatch(list->stream, 0);
    if (!entry) {
        list_out_of_memory(list);
        return;
    }
    note_missing_arguments(list, call, list->set_parameters);
    entry->groups[0] = ThreadGroupCountX;
    entry->groups[1] = ThreadGroupCountY;
    entry->groups[2] = ThreadGroupCountZ;
}

void STDMETHODCALLTYPE d3d12_command_list_DispatchRays(ID3D12GraphicsCommandList8 *self,
                                                       const D3D12_DISPATCH_RAYS_DESC *pDesc)
{
    const char *call = "DispatchRays";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_BUNDLE);
    if (!list)
        return;
    if (!pDesc) {
        list_fail(list, RULE_DISPATCH_RAYS, "%s: pDesc is NULL", call);
        return;
    }
    if (!rays_are_ready(list, call))
        return;
    struct exec_dispatch_rays_arguments arguments;
    _Static_assert(sizeof(arguments) == sizeof(*pDesc), "read from argument buffers in the same way");
    memcpy(&arguments, pDesc, sizeof(arguments));
    struct reason reason = {0};
    if (exec_dispatch_rays_check(&arguments, &reason) != STATUS_OK) {
        list_note(list, RULE_DISPATCH_RAYS, "%s; the call is dropped", reason.text);
        return;
    }
    struct exec_dispatch_rays *entry = exec_record_dispatch_rays(list->stream, 0);
    if (!entry) {
        list_out_of_memory(list);
        return;
    }
    note_missing_arguments(list, call, list->set_parameters);
    entry->arguments = arguments;
    entry->stack_bytes = list->state_object ? list->state_object->pipeline.stack_bytes : 0;
}

/* Can the commands of this signature run with what is bound? False: dropped with a message. */
static bool signature_is_ready(struct d3d12_command_list *list, const char *call,
                               const struct d3d12_command_signature *signature)
{
    if (signature->has_draw) {
        list_note(list, RULE_GRAPHICS_IGNORED, "%s: the command signature draws, and this device has no graphics "
                                               "pipelines; the call is ignored",
                  call);
        return false;
    }
    if (signature->root_signature && !root_signature_fits(list, call, signature->root_signature))
        return false;
    return signature->has_rays ? rays_are_ready(list, call) : compute_is_ready(list, call);
}

void STDMETHODCALLTYPE d3d12_command_list_ExecuteIndirect(ID3D12GraphicsCommandList8 *self,
                                                          ID3D12CommandSignature *pCommandSignature,
                                                          UINT MaxCommandCount, ID3D12Resource *pArgumentBuffer,
                                                          UINT64 ArgumentBufferOffset, ID3D12Resource *pCountBuffer,
                                                          UINT64 CountBufferOffset)
{
    const char *call = "ExecuteIndirect";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_BUNDLE);
    if (!list)
        return;
    struct d3d12_command_signature *signature = d3d12_command_signature_from(pCommandSignature);
    if (!signature || signature->object.device != list->object.device) {
        list_fail(list, RULE_COMMAND_LIST_ARGUMENT, "%s: pCommandSignature is NULL or none of this device", call);
        return;
    }
    if (ArgumentBufferOffset % sizeof(UINT) || CountBufferOffset % sizeof(UINT)) {
        list_fail(list, RULE_COMMAND_LIST_ARGUMENT,
                  "%s: ArgumentBufferOffset is %llu and CountBufferOffset %llu, both must be multiples of 4", call,
                  (unsigned long long)ArgumentBufferOffset, (unsigned long long)CountBufferOffset);
        return;
    }
    uint64_t used_bytes =
        MaxCommandCount ? (uint64_t)(MaxCommandCount - 1) * signature->stride + signature->used_bytes : 0;
    struct d3d12_resource *arguments =
        list_buffer(list, call, "pArgumentBuffer", pArgumentBuffer, ArgumentBufferOffset,
                    pCountBuffer && MaxCommandCount ? signature->used_bytes : used_bytes);
    struct d3d12_resource *count =
        pCountBuffer ? list_buffer(list, call, "pCountBuffer", pCountBuffer, CountBufferOffset, sizeof(UINT)) : NULL;
    if (!arguments || (pCountBuffer && !count) || !signature_is_ready(list, call, signature) ||
        !list_reference(list, &signature->object, NULL))
        return;
    struct exec_execute_indirect *entry = exec_record_execute_indirect(list->stream, 0);
    if (!entry) {
        list_out_of_memory(list);
        return;
    }
    note_missing_arguments(list, call, list->set_parameters | signature->set_parameters);
    entry->arguments = signature->arguments;
    entry->argument_count = signature->argument_count;
    entry->stride = signature->stride;
    entry->max_command_count = MaxCommandCount;
    entry->argument_address = list_buffer_address(arguments, ArgumentBufferOffset);
    entry->argument_bytes = arguments->memory.size_bytes - ArgumentBufferOffset;
    entry->count_address = count ? list_buffer_address(count, CountBufferOffset) : 0;
    entry->stack_bytes = list->state_object ? list->state_object->pipeline.stack_bytes : 0;
}
