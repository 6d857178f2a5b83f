/* SPDX-License-Identifier: MIT
 * Methods of ID3D12GraphicsCommandList8, in vtable order; parameters have the API's names. */
#ifndef CDXR_D3D12_COMMAND_LIST_METHODS_H
#define CDXR_D3D12_COMMAND_LIST_METHODS_H

#include "com/windows.h"

/* ID3D12CommandList */
D3D12_COMMAND_LIST_TYPE STDMETHODCALLTYPE d3d12_command_list_GetType(ID3D12GraphicsCommandList8 *self);
/* ID3D12GraphicsCommandList */
HRESULT STDMETHODCALLTYPE d3d12_command_list_Close(ID3D12GraphicsCommandList8 *self);
HRESULT STDMETHODCALLTYPE d3d12_command_list_Reset(ID3D12GraphicsCommandList8 *self,
    ID3D12CommandAllocator *pAllocator, ID3D12PipelineState *pInitialState);
void STDMETHODCALLTYPE d3d12_command_list_ClearState(ID3D12GraphicsCommandList8 *self,
    ID3D12PipelineState *pPipelineState);
void STDMETHODCALLTYPE d3d12_command_list_DrawInstanced(ID3D12GraphicsCommandList8 *self,
    UINT VertexCountPerInstance, UINT InstanceCount, UINT StartVertexLocation, UINT StartInstanceLocation);
void STDMETHODCALLTYPE d3d12_command_list_DrawIndexedInstanced(ID3D12GraphicsCommandList8 *self,
    UINT IndexCountPerInstance, UINT InstanceCount, UINT StartIndexLocation, INT BaseVertexLocation,
    UINT StartInstanceLocation);
void STDMETHODCALLTYPE d3d12_command_list_Dispatch(ID3D12GraphicsCommandList8 *self, UINT ThreadGroupCountX,
    UINT ThreadGroupCountY, UINT ThreadGroupCountZ);
void STDMETHODCALLTYPE d3d12_command_list_CopyBufferRegion(ID3D12GraphicsCommandList8 *self,
    ID3D12Resource *pDstBuffer, UINT64 DstOffset, ID3D12Resource *pSrcBuffer, UINT64 SrcOffset,
    UINT64 NumBytes);
void STDMETHODCALLTYPE d3d12_command_list_CopyTextureRegion(ID3D12GraphicsCommandList8 *self,
    const D3D12_TEXTURE_COPY_LOCATION *pDst, UINT DstX, UINT DstY, UINT DstZ,
    const D3D12_TEXTURE_COPY_LOCATION *pSrc, const D3D12_BOX *pSrcBox);
void STDMETHODCALLTYPE d3d12_command_list_CopyResource(ID3D12GraphicsCommandList8 *self,
    ID3D12Resource *pDstResource, ID3D12Resource *pSrcResource);
void STDMETHODCALLTYPE d3d12_command_list_CopyTiles(ID3D12GraphicsCommandList8 *self,
    ID3D12Resource *pTiledResource, const D3D12_TILED_RESOURCE_COORDINATE *pTileRegionStartCoordinate,
    const D3D12_TILE_REGION_SIZE *pTileRegionSize, ID3D12Resource *pBuffer, UINT64 BufferStartOffsetInBytes,
    D3D12_TILE_COPY_FLAGS Flags);
void STDMETHODCALLTYPE d3d12_command_list_ResolveSubresource(ID3D12GraphicsCommandList8 *self,
    ID3D12Resource *pDstResource, UINT DstSubresource, ID3D12Resource *pSrcResource, UINT SrcSubresource,
    DXGI_FORMAT Format);
void STDMETHODCALLTYPE d3d12_command_list_IASetPrimitiveTopology(ID3D12GraphicsCommandList8 *self,
    D3D12_PRIMITIVE_TOPOLOGY PrimitiveTopology);
void STDMETHODCALLTYPE d3d12_command_list_RSSetViewports(ID3D12GraphicsCommandList8 *self, UINT NumViewports,
    const D3D12_VIEWPORT *pViewports);
void STDMETHODCALLTYPE d3d12_command_list_RSSetScissorRects(ID3D12GraphicsCommandList8 *self, UINT NumRects,
    const D3D12_RECT *pRects);
void STDMETHODCALLTYPE d3d12_command_list_OMSetBlendFactor(ID3D12GraphicsCommandList8 *self,
    const FLOAT BlendFactor[4]);
void STDMETHODCALLTYPE d3d12_command_list_OMSetStencilRef(ID3D12GraphicsCommandList8 *self, UINT StencilRef);
void STDMETHODCALLTYPE d3d12_command_list_SetPipelineState(ID3D12GraphicsCommandList8 *self,
    ID3D12PipelineState *pPipelineState);
void STDMETHODCALLTYPE d3d12_command_list_ResourceBarrier(ID3D12GraphicsCommandList8 *self, UINT NumBarriers,
    const D3D12_RESOURCE_BARRIER *pBarriers);
void STDMETHODCALLTYPE d3d12_command_list_ExecuteBundle(ID3D12GraphicsCommandList8 *self,
    ID3D12GraphicsCommandList *pCommandList);
void STDMETHODCALLTYPE d3d12_command_list_SetDescriptorHeaps(ID3D12GraphicsCommandList8 *self,
    UINT NumDescriptorHeaps, ID3D12DescriptorHeap *const *ppDescriptorHeaps);
void STDMETHODCALLTYPE d3d12_command_list_SetComputeRootSignature(ID3D12GraphicsCommandList8 *self,
    ID3D12RootSignature *pRootSignature);
void STDMETHODCALLTYPE d3d12_command_list_SetGraphicsRootSignature(ID3D12GraphicsCommandList8 *self,
    ID3D12RootSignature *pRootSignature);
void STDMETHODCALLTYPE d3d12_command_list_SetComputeRootDescriptorTable(ID3D12GraphicsCommandList8 *self,
    UINT RootParameterIndex, D3D12_GPU_DESCRIPTOR_HANDLE BaseDescriptor);
void STDMETHODCALLTYPE d3d12_command_list_SetGraphicsRootDescriptorTable(ID3D12GraphicsCommandList8 *self,
    UINT RootParameterIndex, D3D12_GPU_DESCRIPTOR_HANDLE BaseDescriptor);
void STDMETHODCALLTYPE d3d12_command_list_SetComputeRoot32BitConstant(ID3D12GraphicsCommandList8 *self,
    UINT RootParameterIndex, UINT SrcData, UINT DestOffsetIn32BitValues);
void STDMETHODCALLTYPE d3d12_command_list_SetGraphicsRoot32BitConstant(ID3D12GraphicsCommandList8 *self,
    UINT RootParameterIndex, UINT SrcData, UINT DestOffsetIn32BitValues);
void STDMETHODCALLTYPE d3d12_command_list_SetComputeRoot32BitConstants(ID3D12GraphicsCommandList8 *self,
    UINT RootParameterIndex, UINT Num32BitValuesToSet, const void *pSrcData, UINT DestOffsetIn32BitValues);
void STDMETHODCALLTYPE d3d12_command_list_SetGraphicsRoot32BitConstants(ID3D12GraphicsCommandList8 *self,
    UINT RootParameterIndex, UINT Num32BitValuesToSet, const void *pSrcData, UINT DestOffsetIn32BitValues);
void STDMETHODCALLTYPE d3d12_command_list_SetComputeRootConstantBufferView(ID3D12GraphicsCommandList8 *self,
    UINT RootParameterIndex, D3D12_GPU_VIRTUAL_ADDRESS BufferLocation);
void STDMETHODCALLTYPE d3d12_command_list_SetGraphicsRootConstantBufferView(ID3D12GraphicsCommandList8 *self,
    UINT RootParameterIndex, D3D12_GPU_VIRTUAL_ADDRESS BufferLocation);
void STDMETHODCALLTYPE d3d12_command_list_SetComputeRootShaderResourceView(ID3D12GraphicsCommandList8 *self,
    UINT RootParameterIndex, D3D12_GPU_VIRTUAL_ADDRESS BufferLocation);
void STDMETHODCALLTYPE d3d12_command_list_SetGraphicsRootShaderResourceView(ID3D12GraphicsCommandList8 *self,
    UINT RootParameterIndex, D3D12_GPU_VIRTUAL_ADDRESS BufferLocation);
void STDMETHODCALLTYPE d3d12_command_list_SetComputeRootUnorderedAccessView(ID3D12GraphicsCommandList8 *self,
    UINT RootParameterIndex, D3D12_GPU_VIRTUAL_ADDRESS BufferLocation);
void STDMETHODCALLTYPE d3d12_command_list_SetGraphicsRootUnorderedAccessView(ID3D12GraphicsCommandList8 *self, UINT RootParameterIndex, D3D12_GPU_VIRTUAL_ADDRESS BufferLocation);
void STDMETHODCALLTYPE d3d12_command_list_IASetIndexBuffer(ID3D12GraphicsCommandList8 *self,
    const D3D12_INDEX_BUFFER_VIEW *pView);
void STDMETHODCALLTYPE d3d12_command_list_IASetVertexBuffers(ID3D12GraphicsCommandList8 *self,
    UINT StartSlot, UINT NumViews, const D3D12_VERTEX_BUFFER_VIEW *pViews);
void STDMETHODCALLTYPE d3d12_command_list_SOSetTargets(ID3D12GraphicsCommandList8 *self, UINT StartSlot,
    UINT NumViews, const D3D12_STREAM_OUTPUT_BUFFER_VIEW *pViews);
void STDMETHODCALLTYPE d3d12_command_list_OMSetRenderTargets(ID3D12GraphicsCommandList8 *self,
    UINT NumRenderTargetDescriptors, const D3D12_CPU_DESCRIPTOR_HANDLE *pRenderTargetDescriptors,
    BOOL RTsSingleHandleToDescriptorRange, const D3D12_CPU_DESCRIPTOR_HANDLE *pDepthStencilDescriptor);
void STDMETHODCALLTYPE d3d12_command_list_ClearDepthStencilView(ID3D12GraphicsCommandList8 *self,
    D3D12_CPU_DESCRIPTOR_HANDLE DepthStencilView, D3D12_CLEAR_FLAGS ClearFlags, FLOAT Depth, UINT8 Stencil,
    UINT NumRects, const D3D12_RECT *pRects);
void STDMETHODCALLTYPE d3d12_command_list_ClearRenderTargetView(ID3D12GraphicsCommandList8 *self,
    D3D12_CPU_DESCRIPTOR_HANDLE RenderTargetView, const FLOAT ColorRGBA[4], UINT NumRects,
    const D3D12_RECT *pRects);
void STDMETHODCALLTYPE d3d12_command_list_ClearUnorderedAccessViewUint(ID3D12GraphicsCommandList8 *self,
    D3D12_GPU_DESCRIPTOR_HANDLE ViewGPUHandleInCurrentHeap, D3D12_CPU_DESCRIPTOR_HANDLE ViewCPUHandle,
    ID3D12Resource *pResource, const UINT Values[4], UINT NumRects, const D3D12_RECT *pRects);
void STDMETHODCALLTYPE d3d12_command_list_ClearUnorderedAccessViewFloat(ID3D12GraphicsCommandList8 *self,
    D3D12_GPU_DESCRIPTOR_HANDLE ViewGPUHandleInCurrentHeap, D3D12_CPU_DESCRIPTOR_HANDLE ViewCPUHandle,
    ID3D12Resource *pResource, const FLOAT Values[4], UINT NumRects, const D3D12_RECT *pRects);
void STDMETHODCALLTYPE d3d12_command_list_DiscardResource(ID3D12GraphicsCommandList8 *self,
    ID3D12Resource *pResource, const D3D12_DISCARD_REGION *pRegion);
void STDMETHODCALLTYPE d3d12_command_list_BeginQuery(ID3D12GraphicsCommandList8 *self,
    ID3D12QueryHeap *pQueryHeap, D3D12_QUERY_TYPE Type, UINT Index);
void STDMETHODCALLTYPE d3d12_command_list_EndQuery(ID3D12GraphicsCommandList8 *self,
    ID3D12QueryHeap *pQueryHeap, D3D12_QUERY_TYPE Type, UINT Index);
void STDMETHODCALLTYPE d3d12_command_list_ResolveQueryData(ID3D12GraphicsCommandList8 *self,
    ID3D12QueryHeap *pQueryHeap, D3D12_QUERY_TYPE Type, UINT StartIndex, UINT NumQueries,
    ID3D12Resource *pDestinationBuffer, UINT64 AlignedDestinationBufferOffset);
void STDMETHODCALLTYPE d3d12_command_list_SetPredication(ID3D12GraphicsCommandList8 *self,
    ID3D12Resource *pBuffer, UINT64 AlignedBufferOffset, D3D12_PREDICATION_OP Operation);
void STDMETHODCALLTYPE d3d12_command_list_SetMarker(ID3D12GraphicsCommandList8 *self, UINT Metadata,
    const void *pData, UINT Size);
void STDMETHODCALLTYPE d3d12_command_list_BeginEvent(ID3D12GraphicsCommandList8 *self, UINT Metadata,
    const void *pData, UINT Size);
void STDMETHODCALLTYPE d3d12_command_list_EndEvent(ID3D12GraphicsCommandList8 *self);
void STDMETHODCALLTYPE d3d12_command_list_ExecuteIndirect(ID3D12GraphicsCommandList8 *self,
    ID3D12CommandSignature *pCommandSignature, UINT MaxCommandCount, ID3D12Resource *pArgumentBuffer,
    UINT64 ArgumentBufferOffset, ID3D12Resource *pCountBuffer, UINT64 CountBufferOffset);
/* ID3D12GraphicsCommandList1 */
void STDMETHODCALLTYPE d3d12_command_list_AtomicCopyBufferUINT(ID3D12GraphicsCommandList8 *self,
    ID3D12Resource *pDstBuffer, UINT64 DstOffset, ID3D12Resource *pSrcBuffer, UINT64 SrcOffset,
    UINT Dependencies, ID3D12Resource *const *ppDependentResources,
    const D3D12_SUBRESOURCE_RANGE_UINT64 *pDependentSubresourceRanges);
void STDMETHODCALLTYPE d3d12_command_list_AtomicCopyBufferUINT64(ID3D12GraphicsCommandList8 *self,
    ID3D12Resource *pDstBuffer, UINT64 DstOffset, ID3D12Resource *pSrcBuffer, UINT64 SrcOffset,
    UINT Dependencies, ID3D12Resource *const *ppDependentResources,
    const D3D12_SUBRESOURCE_RANGE_UINT64 *pDependentSubresourceRanges);
void STDMETHODCALLTYPE d3d12_command_list_OMSetDepthBounds(ID3D12GraphicsCommandList8 *self, FLOAT Min,
    FLOAT Max);
void STDMETHODCALLTYPE d3d12_command_list_SetSamplePositions(ID3D12GraphicsCommandList8 *self,
    UINT NumSamplesPerPixel, UINT NumPixels, D3D12_SAMPLE_POSITION *pSamplePositions);
void STDMETHODCALLTYPE d3d12_command_list_ResolveSubresourceRegion(ID3D12GraphicsCommandList8 *self,
    ID3D12Resource *pDstResource, UINT DstSubresource, UINT DstX, UINT DstY, ID3D12Resource *pSrcResource,
    UINT SrcSubresource, D3D12_RECT *pSrcRect, DXGI_FORMAT Format, D3D12_RESOLVE_MODE ResolveMode);
void STDMETHODCALLTYPE d3d12_command_list_SetViewInstanceMask(ID3D12GraphicsCommandList8 *self, UINT Mask);
/* ID3D12GraphicsCommandList2 */
void STDMETHODCALLTYPE d3d12_command_list_WriteBufferImmediate(ID3D12GraphicsCommandList8 *self, UINT Count,
    const D3D12_WRITEBUFFERIMMEDIATE_PARAMETER *pParams, const D3D12_WRITEBUFFERIMMEDIATE_MODE *pModes);
/* ID3D12GraphicsCommandList3 */
void STDMETHODCALLTYPE d3d12_command_list_SetProtectedResourceSession(ID3D12GraphicsCommandList8 *self,
    ID3D12ProtectedResourceSession *pProtectedResourceSession);
/* ID3D12GraphicsCommandList4 */
void STDMETHODCALLTYPE d3d12_command_list_BeginRenderPass(ID3D12GraphicsCommandList8 *self,
    UINT NumRenderTargets, const D3D12_RENDER_PASS_RENDER_TARGET_DESC *pRenderTargets,
    const D3D12_RENDER_PASS_DEPTH_STENCIL_DESC *pDepthStencil, D3D12_RENDER_PASS_FLAGS Flags);
void STDMETHODCALLTYPE d3d12_command_list_EndRenderPass(ID3D12GraphicsCommandList8 *self);
void STDMETHODCALLTYPE d3d12_command_list_InitializeMetaCommand(ID3D12GraphicsCommandList8 *self,
    ID3D12MetaCommand *pMetaCommand, const void *pInitializationParametersData,
    SIZE_T InitializationParametersDataSizeInBytes);
void STDMETHODCALLTYPE d3d12_command_list_ExecuteMetaCommand(ID3D12GraphicsCommandList8 *self,
    ID3D12MetaCommand *pMetaCommand, const void *pExecutionParametersData,
    SIZE_T ExecutionParametersDataSizeInBytes);
void STDMETHODCALLTYPE d3d12_command_list_BuildRaytracingAccelerationStructure(ID3D12GraphicsCommandList8 *self, const D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC *pDesc, UINT NumPostbuildInfoDescs, const D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC *pPostbuildInfoDescs);
void STDMETHODCALLTYPE d3d12_command_list_EmitRaytracingAccelerationStructurePostbuildInfo(ID3D12GraphicsCommandList8 *self, const D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC *pDesc, UINT NumSourceAccelerationStructures, const D3D12_GPU_VIRTUAL_ADDRESS *pSourceAccelerationStructureData);
void STDMETHODCALLTYPE d3d12_command_list_CopyRaytracingAccelerationStructure(ID3D12GraphicsCommandList8 *self, D3D12_GPU_VIRTUAL_ADDRESS DestAccelerationStructureData, D3D12_GPU_VIRTUAL_ADDRESS SourceAccelerationStructureData, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE Mode);
void STDMETHODCALLTYPE d3d12_command_list_SetPipelineState1(ID3D12GraphicsCommandList8 *self,
    ID3D12StateObject *pStateObject);
void STDMETHODCALLTYPE d3d12_command_list_DispatchRays(ID3D12GraphicsCommandList8 *self,
    const D3D12_DISPATCH_RAYS_DESC *pDesc);
/* ID3D12GraphicsCommandList5 */
void STDMETHODCALLTYPE d3d12_command_list_RSSetShadingRate(ID3D12GraphicsCommandList8 *self,
    D3D12_SHADING_RATE baseShadingRate, const D3D12_SHADING_RATE_COMBINER *combiners);
void STDMETHODCALLTYPE d3d12_command_list_RSSetShadingRateImage(ID3D12GraphicsCommandList8 *self,
    ID3D12Resource *shadingRateImage);
/* ID3D12GraphicsCommandList6 */
void STDMETHODCALLTYPE d3d12_command_list_DispatchMesh(ID3D12GraphicsCommandList8 *self,
    UINT ThreadGroupCountX, UINT ThreadGroupCountY, UINT ThreadGroupCountZ);
/* ID3D12GraphicsCommandList7 */
void STDMETHODCALLTYPE d3d12_command_list_Barrier(ID3D12GraphicsCommandList8 *self, UINT32 NumBarrierGroups,
    const D3D12_BARRIER_GROUP *pBarrierGroups);
/* ID3D12GraphicsCommandList8 */
void STDMETHODCALLTYPE d3d12_command_list_OMSetFrontAndBackStencilRef(ID3D12GraphicsCommandList8 *self,
    UINT FrontStencilRef, UINT BackStencilRef);

#endif
