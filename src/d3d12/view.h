/* SPDX-License-Identifier: MIT
 * Creation and copying of descriptors. All are void methods in the API: a broken rule writes one message and leaves a
 * null descriptor of the right kind, so that a shader that uses it reads zero. */
#ifndef CDXR_D3D12_VIEW_H
#define CDXR_D3D12_VIEW_H

#include "d3d12/descriptor_heap.h"
#include "d3d12/resource.h"

void d3d12_view_create_cbv(struct d3d12_device *device, const D3D12_CONSTANT_BUFFER_VIEW_DESC *desc,
                           D3D12_CPU_DESCRIPTOR_HANDLE handle);
void d3d12_view_create_srv(struct d3d12_device *device, ID3D12Resource *resource,
                           const D3D12_SHADER_RESOURCE_VIEW_DESC *desc, D3D12_CPU_DESCRIPTOR_HANDLE handle);
void d3d12_view_create_uav(struct d3d12_device *device, ID3D12Resource *resource, ID3D12Resource *counter,
                           const D3D12_UNORDERED_ACCESS_VIEW_DESC *desc, D3D12_CPU_DESCRIPTOR_HANDLE handle);
void d3d12_view_create_rtv(struct d3d12_device *device, ID3D12Resource *resource,
                           const D3D12_RENDER_TARGET_VIEW_DESC *desc, D3D12_CPU_DESCRIPTOR_HANDLE handle);
void d3d12_view_create_dsv(struct d3d12_device *device, ID3D12Resource *resource,
                           const D3D12_DEPTH_STENCIL_VIEW_DESC *desc, D3D12_CPU_DESCRIPTOR_HANDLE handle);
void d3d12_view_create_sampler(struct d3d12_device *device, const D3D12_SAMPLER_DESC2 *desc,
                               D3D12_CPU_DESCRIPTOR_HANDLE handle);

struct d3d12_descriptor_ranges { /* sizes NULL: every range has one descriptor */
    UINT count;
    const D3D12_CPU_DESCRIPTOR_HANDLE *starts;
    const UINT *sizes;
};
void d3d12_descriptors_copy(struct d3d12_device *device, const struct d3d12_descriptor_ranges *target,
                            const struct d3d12_descriptor_ranges *source, D3D12_DESCRIPTOR_HEAP_TYPE type);

/* view_buffer.c: body of a buffer SRV or UAV. memory may be NULL (null descriptor). False: a rule is broken, reason says
 * which; *out is then a null descriptor. */
struct d3d12_buffer_view_request {
    const struct d3d12_resource *resource, *counter; /* may be NULL */
    DXGI_FORMAT format;
    uint64_t first_element, element_count;
    uint32_t stride;
    uint64_t counter_offset;
    bool is_raw, is_uav;
};
MUST_USE bool d3d12_view_buffer(const struct d3d12_buffer_view_request *request, struct abi_descriptor *out,
                                struct reason *reason);

#endif
