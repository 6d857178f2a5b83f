/* SPDX-License-Identifier: MIT
 * Graphics calls of a command list. State calls are accepted and have no effect: nothing here draws. Draws are refused
 * with one message a call; render passes do their clears. */
#include <string.h>

#include "d3d12/command_list.h"
#include "d3d12/command_list_methods.h"

/* A state call without effect. */
#define IGNORED_METHOD(Name, place, ...)                                                                     \
    void STDMETHODCALLTYPE d3d12_command_list_##Name(ID3D12GraphicsCommandList8 *self, __VA_ARGS__)          \
    {                                                                                                        \
        (void)list_begin(self, #Name, place);                                                                \
    }

IGNORED_METHOD(IASetPrimitiveTopology, LIST_PLACE_BUNDLE, D3D12_PRIMITIVE_TOPOLOGY PrimitiveTopology)
IGNORED_METHOD(RSSetViewports, LIST_PLACE_NORMAL, UINT NumViewports, const D3D12_VIEWPORT *pViewports)
IGNORED_METHOD(RSSetScissorRects, LIST_PLACE_NORMAL, UINT NumRects, const D3D12_RECT *pRects)
IGNORED_METHOD(OMSetBlendFactor, LIST_PLACE_BUNDLE, const FLOAT BlendFactor[4])
IGNORED_METHOD(OMSetStencilRef, LIST_PLACE_BUNDLE, UINT StencilRef)
IGNORED_METHOD(OMSetFrontAndBackStencilRef, LIST_PLACE_BUNDLE, UINT FrontStencilRef, UINT BackStencilRef)
IGNORED_METHOD(OMSetDepthBounds, LIST_PLACE_BUNDLE, FLOAT Min, FLOAT Max)
IGNORED_METHOD(IASetIndexBuffer, LIST_PLACE_BUNDLE, const D3D12_INDEX_BUFFER_VIEW *pView)
IGNORED_METHOD(IASetVertexBuffers, LIST_PLACE_BUNDLE, UINT StartSlot, UINT NumViews,
               const D3D12_VERTEX_BUFFER_VIEW *pViews)
IGNORED_METHOD(SOSetTargets, LIST_PLACE_NORMAL, UINT StartSlot, UINT NumViews,
               const D3D12_STREAM_OUTPUT_BUFFER_VIEW *pViews)
IGNORED_METHOD(SetSamplePositions, LIST_PLACE_NORMAL, UINT NumSamplesPerPixel, UINT NumPixels,
               D3D12_SAMPLE_POSITION *pSamplePositions)
IGNORED_METHOD(SetViewInstanceMask, LIST_PLACE_BUNDLE, UINT Mask)
IGNORED_METHOD(RSSetShadingRate, LIST_PLACE_BUNDLE, D3D12_SHADING_RATE baseShadingRate,
               const D3D12_SHADING_RATE_COMBINER *combiners)
IGNORED_METHOD(RSSetShadingRateImage, LIST_PLACE_NORMAL, ID3D12Resource *shadingRateImage)

void STDMETHODCALLTYPE d3d12_command_list_SetProtectedResourceSession(
    ID3D12GraphicsCommandList8 *self, ID3D12ProtectedResourceSession *pProtectedResourceSession)
{
    struct d3d12_command_list *list = list_begin(self, "SetProtectedResourceSession", LIST_PLACE_ALL);
    if (list && pProtectedResourceSession)
        list_fail(list, RULE_NOT_IMPLEMENTED,
                  "SetProtectedResourceSession: this device has no protected sessions, the argument must be NULL");
}

static void refuse_draw(ID3D12GraphicsCommandList8 *self, const char *call)
{
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_BUNDLE);
    if (list)
        list_note(list, RULE_GRAPHICS_IGNORED, "%s: this device has no graphics pipelines; the call is ignored", call);
}

void STDMETHODCALLTYPE d3d12_command_list_DrawInstanced(ID3D12GraphicsCommandList8 *self, UINT VertexCountPerInstance,
                                                        UINT InstanceCount, UINT StartVertexLocation,
                                                        UINT StartInstanceLocation)
{
    refuse_draw(self, "DrawInstanced");
}

void STDMETHODCALLTYPE d3d12_command_list_DrawIndexedInstanced(ID3D12GraphicsCommandList8 *self,
                                                               UINT IndexCountPerInstance, UINT InstanceCount,
                                                               UINT StartIndexLocation, INT BaseVertexLocation,
                                                               UINT StartInstanceLocation)
{
    refuse_draw(self, "DrawIndexedInstanced");
}

void STDMETHODCALLTYPE d3d12_command_list_DispatchMesh(ID3D12GraphicsCommandList8 *self, UINT ThreadGroupCountX,
                                                       UINT ThreadGroupCountY, UINT ThreadGroupCountZ)
{
    refuse_draw(self, "DispatchMesh");
}

/* Targets are checked, since a wrong handle is a mistake even where nothing is drawn. */
void STDMETHODCALLTYPE d3d12_command_list_OMSetRenderTargets(
    ID3D12GraphicsCommandList8 *self, UINT NumRenderTargetDescriptors,
    const D3D12_CPU_DESCRIPTOR_HANDLE *pRenderTargetDescriptors, BOOL RTsSingleHandleToDescriptorRange,
    const D3D12_CPU_DESCRIPTOR_HANDLE *pDepthStencilDescriptor)
{
    const char *call = "OMSetRenderTargets";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_NORMAL);
    if (!list)
        return;
    if (NumRenderTargetDescriptors > LIST_MAX_RENDER_TARGETS ||
        (NumRenderTargetDescriptors && !pRenderTargetDescriptors)) {
        list_fail(list, RULE_COMMAND_LIST_ARGUMENT, "%s: %u render targets at %p, at most %u are possible", call,
                  NumRenderTargetDescriptors, (const void *)pRenderTargetDescriptors, LIST_MAX_RENDER_TARGETS);
        return;
    }
    UINT handle_count = RTsSingleHandleToDescriptorRange && NumRenderTargetDescriptors ? 1 : NumRenderTargetDescriptors;
    UINT range = RTsSingleHandleToDescriptorRange ? NumRenderTargetDescriptors : 1;
    for (UINT i = 0; i < handle_count; i++)
        (void)d3d12_descriptor_resolve(list_device(list), call, pRenderTargetDescriptors[i].ptr, range,
                                       D3D12_DESCRIPTOR_HEAP_TYPE_RTV, NULL);
    if (pDepthStencilDescriptor)
        (void)d3d12_descriptor_resolve(list_device(list), call, pDepthStencilDescriptor->ptr, 1,
                                       D3D12_DESCRIPTOR_HEAP_TYPE_DSV, NULL);
}

static void clear_target(ID3D12GraphicsCommandList8 *self, const D3D12_RENDER_PASS_RENDER_TARGET_DESC *target)
{
    if (target->BeginningAccess.Type == D3D12_RENDER_PASS_BEGINNING_ACCESS_TYPE_CLEAR)
        d3d12_command_list_ClearRenderTargetView(self, target->cpuDescriptor,
                                                 target->BeginningAccess.Clear.ClearValue.Color, 0, NULL);
}

static void clear_depth(ID3D12GraphicsCommandList8 *self, const D3D12_RENDER_PASS_DEPTH_STENCIL_DESC *target)
{
    D3D12_CLEAR_FLAGS flags = 0;
    if (target->DepthBeginningAccess.Type == D3D12_RENDER_PASS_BEGINNING_ACCESS_TYPE_CLEAR)
        flags |= D3D12_CLEAR_FLAG_DEPTH;
    if (target->StencilBeginningAccess.Type == D3D12_RENDER_PASS_BEGINNING_ACCESS_TYPE_CLEAR)
        flags |= D3D12_CLEAR_FLAG_STENCIL;
    if (flags)
        d3d12_command_list_ClearDepthStencilView(
            self, target->cpuDescriptor, flags, target->DepthBeginningAccess.Clear.ClearValue.DepthStencil.Depth,
            target->StencilBeginningAccess.Clear.ClearValue.DepthStencil.Stencil, 0, NULL);
}

void STDMETHODCALLTYPE d3d12_command_list_BeginRenderPass(ID3D12GraphicsCommandList8 *self, UINT NumRenderTargets,
                                                          const D3D12_RENDER_PASS_RENDER_TARGET_DESC *pRenderTargets,
                                                          const D3D12_RENDER_PASS_DEPTH_STENCIL_DESC *pDepthStencil,
                                                          D3D12_RENDER_PASS_FLAGS Flags)
{
    const char *call = "BeginRenderPass";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_NORMAL);
    if (!list)
        return;
    if (list->in_render_pass || NumRenderTargets > LIST_MAX_RENDER_TARGETS || (NumRenderTargets && !pRenderTargets)) {
        list_fail(list, RULE_COMMAND_LIST_ARGUMENT, "%s: %u render targets at %p%s", call, NumRenderTargets,
                  (const void *)pRenderTargets, list->in_render_pass ? " while a render pass is open" : "");
        return;
    }
    list->in_render_pass = true;
    for (UINT i = 0; i < NumRenderTargets; i++) {
        clear_target(self, &pRenderTargets[i]);
        if (pRenderTargets[i].EndingAccess.Type == D3D12_RENDER_PASS_ENDING_ACCESS_TYPE_RESOLVE)
            list_note(list, RULE_GRAPHICS_IGNORED,
                      "%s: render target %u asks for a resolve at the end, nothing is drawn or resolved", call, i);
    }
    if (pDepthStencil)
        clear_depth(self, pDepthStencil);
}

void STDMETHODCALLTYPE d3d12_command_list_EndRenderPass(ID3D12GraphicsCommandList8 *self)
{
    struct d3d12_command_list *list = list_begin(self, "EndRenderPass", LIST_PLACE_NORMAL);
    if (!list)
        return;
    if (!list->in_render_pass)
        list_fail(list, RULE_COMMAND_LIST_STATE, "EndRenderPass: no render pass is open");
    list->in_render_pass = false;
}
