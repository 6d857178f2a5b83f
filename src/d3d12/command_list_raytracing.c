/* SPDX-License-Identifier: MIT
 * Acceleration structure calls of a command list. A broken rule drops the call with a message; the list stays usable. */
#include "d3d12/acceleration_structure.h"
#include "d3d12/command_list.h"
#include "d3d12/command_list_methods.h"
#include "exec/build.h"

static void copy_postbuild(const D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC *from,
                           struct exec_postbuild *to)
{
    *to = (struct exec_postbuild){.destination = from->DestBuffer, .kind = from->InfoType};
}

/* Everything of a build description that is read now. False: dropped. */
static bool make_build(struct d3d12_command_list *list, const char *call,
                       const D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC *desc, UINT postbuild_count,
                       const D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC *postbuild_descs,
                       struct exec_build_acceleration_structure *build)
{
    struct reason reason = {0};
    enum status status =
        d3d12_build_inputs_translate(&list->memory->arena, &desc->Inputs, &build->inputs, &reason);
    if (status == STATUS_OUT_OF_MEMORY) {
        list_out_of_memory(list);
        return false;
    }
    build->destination = desc->DestAccelerationStructureData;
    build->source = desc->SourceAccelerationStructureData;
    build->scratch = desc->ScratchAccelerationStructureData;
    if (status == STATUS_OK && postbuild_count) {
        struct exec_postbuild *postbuild = list_allocate(list, postbuild_count * sizeof(*postbuild));
        if (!postbuild)
            return false;
        for (UINT i = 0; i < postbuild_count; i++)
            copy_postbuild(&postbuild_descs[i], &postbuild[i]);
        build->postbuild = postbuild;
        build->postbuild_count = postbuild_count;
    }
    if (status == STATUS_OK)
        status = exec_build_check(list_device(list)->exec, build, &reason);
    if (status != STATUS_OK)
        list_note(list, RULE_ACCELERATION_STRUCTURE_BUILD, "%s: %s; the call is dropped", call, reason.text);
    return status == STATUS_OK;
}

void STDMETHODCALLTYPE d3d12_command_list_BuildRaytracingAccelerationStructure(
    ID3D12GraphicsCommandList8 *self, const D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC *pDesc,
    UINT NumPostbuildInfoDescs, const D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC *pPostbuildInfoDescs)
{
    const char *call = "BuildRaytracingAccelerationStructure";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_NORMAL);
    if (!list)
        return;
    if (!pDesc || (NumPostbuildInfoDescs && !pPostbuildInfoDescs)) {
        list_fail(list, RULE_ACCELERATION_STRUCTURE_BUILD, "%s: %s is NULL", call,
                  pDesc ? "pPostbuildInfoDescs" : "pDesc");
        return;
    }
    struct exec_build_acceleration_structure build = {0};
    if (!make_build(list, call, pDesc, NumPostbuildInfoDescs, pPostbuildInfoDescs, &build))
        return;
    struct exec_build_acceleration_structure *entry = exec_record_build_acceleration_structure(list->stream, 0);
    if (!entry) {
        list_out_of_memory(list);
        return;
    }
    build.command = entry->command;
    *entry = build;
}

void STDMETHODCALLTYPE d3d12_command_list_EmitRaytracingAccelerationStructurePostbuildInfo(
    ID3D12GraphicsCommandList8 *self, const D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC *pDesc,
    UINT NumSourceAccelerationStructures, const D3D12_GPU_VIRTUAL_ADDRESS *pSourceAccelerationStructureData)
{
    const char *call = "EmitRaytracingAccelerationStructurePostbuildInfo";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_NORMAL);
    if (!list)
        return;
    if (!pDesc || (NumSourceAccelerationStructures && !pSourceAccelerationStructureData)) {
        list_fail(list, RULE_ACCELERATION_STRUCTURE_COPY, "%s: %s is NULL", call,
                  pDesc ? "pSourceAccelerationStructureData" : "pDesc");
        return;
    }
    struct exec_postbuild postbuild;
    struct reason reason = {0};
    copy_postbuild(pDesc, &postbuild);
    if (exec_postbuild_check(list_device(list)->exec, &postbuild, NumSourceAccelerationStructures, &reason) !=
        STATUS_OK) {
        list_note(list, RULE_ACCELERATION_STRUCTURE_COPY, "%s: %s; the call is dropped", call, reason.text);
        return;
    }
    struct exec_emit_postbuild_info *entry = exec_record_emit_postbuild_info(list->stream, 0);
    const uint64_t *sources = exec_stream_copy(list->stream, pSourceAccelerationStructureData,
                                               NumSourceAccelerationStructures * sizeof(uint64_t));
    if (!entry || (NumSourceAccelerationStructures && !sources)) {
        list_out_of_memory(list);
        return;
    }
    entry->postbuild = postbuild;
    entry->sources = sources;
    entry->source_count = NumSourceAccelerationStructures;
}

void STDMETHODCALLTYPE d3d12_command_list_CopyRaytracingAccelerationStructure(
    ID3D12GraphicsCommandList8 *self, D3D12_GPU_VIRTUAL_ADDRESS DestAccelerationStructureData,
    D3D12_GPU_VIRTUAL_ADDRESS SourceAccelerationStructureData, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE Mode)
{
    const char *call = "CopyRaytracingAccelerationStructure";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_NORMAL);
    if (!list)
        return;
    struct exec_copy_acceleration_structure copy = {
        .destination = DestAccelerationStructureData, .source = SourceAccelerationStructureData, .mode = Mode};
    struct reason reason = {0};
    if (exec_copy_structure_check(list_device(list)->exec, &copy, &reason) != STATUS_OK) {
        list_note(list, RULE_ACCELERATION_STRUCTURE_COPY, "%s: %s; the call is dropped", call, reason.text);
        return;
    }
    struct exec_copy_acceleration_structure *entry = exec_record_copy_acceleration_structure(list->stream, 0);
    if (!entry) {
        list_out_of_memory(list);
        return;
    }
    copy.command = entry->command;
    *entry = copy;
}

void STDMETHODCALLTYPE d3d12_command_list_InitializeMetaCommand(ID3D12GraphicsCommandList8 *self,
                                                                ID3D12MetaCommand *pMetaCommand,
                                                                const void *pInitializationParametersData,
                                                                SIZE_T InitializationParametersDataSizeInBytes)
{
    struct d3d12_command_list *list = list_begin(self, "InitializeMetaCommand", LIST_PLACE_NORMAL);
    if (list)
        list_fail(list, RULE_NOT_IMPLEMENTED, "InitializeMetaCommand: this device has no meta commands");
}

void STDMETHODCALLTYPE d3d12_command_list_ExecuteMetaCommand(ID3D12GraphicsCommandList8 *self,
                                                             ID3D12MetaCommand *pMetaCommand,
                                                             const void *pExecutionParametersData,
                                                             SIZE_T ExecutionParametersDataSizeInBytes)
{
    struct d3d12_command_list *list = list_begin(self, "ExecuteMetaCommand", LIST_PLACE_NORMAL);
    if (list)
        list_fail(list, RULE_NOT_IMPLEMENTED, "ExecuteMetaCommand: this device has no meta commands");
}
