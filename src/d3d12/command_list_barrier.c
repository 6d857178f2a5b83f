/* SPDX-License-Identifier: MIT
 * Barriers of a command list. Work runs in order here, so they only feed the debug layer's state tracking and are checked
 * for the rules that hold without a timeline. */
#include "d3d12/command_list.h"
#include "d3d12/command_list_methods.h"
#include "d3d12/resource_state.h"

static const D3D12_RESOURCE_STATES structure_state = D3D12_RESOURCE_STATE_RAYTRACING_ACCELERATION_STRUCTURE;

/* Rules of a transition. False after list_fail. */
static bool check_transition(struct d3d12_command_list *list, UINT index, const D3D12_RESOURCE_TRANSITION_BARRIER *t,
                             const struct d3d12_resource *resource)
{
    const char *problem = NULL;
    if (t->Subresource != D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES &&
        t->Subresource >= resource->memory.subresource_count)
        problem = "Subresource is out of range";
    else if (t->StateBefore == t->StateAfter)
        problem = "StateBefore and StateAfter are equal";
    else if ((t->StateBefore | t->StateAfter) & structure_state)
        problem = "resources never enter or leave RAYTRACING_ACCELERATION_STRUCTURE";
    else if (resource->memory.heap_type == EXEC_HEAP_UPLOAD || resource->memory.heap_type == EXEC_HEAP_READBACK)
        problem = "resources in upload and readback heaps cannot change their state";
    if (!problem)
        return true;
    list_fail(list, RULE_BARRIER,
              "ResourceBarrier: pBarriers[%u].Transition of '%s' (Subresource %u, 0x%x to 0x%x): %s", index,
              com_object_name(&resource->object), t->Subresource, t->StateBefore, t->StateAfter, problem);
    return false;
}

/* One barrier; a transition adds a change. False after list_fail. */
static bool add_barrier(struct d3d12_command_list *list, UINT index, const D3D12_RESOURCE_BARRIER *barrier,
                        struct exec_state_change *changes, uint32_t *count)
{
    const char *call = "ResourceBarrier";
    switch (barrier->Type) {
    case D3D12_RESOURCE_BARRIER_TYPE_TRANSITION: {
        const D3D12_RESOURCE_TRANSITION_BARRIER *t = &barrier->Transition;
        struct d3d12_resource *resource = list_resource(list, call, "Transition.pResource", t->pResource);
        if (!resource || !check_transition(list, index, t, resource))
            return false;
        if (barrier->Flags & D3D12_RESOURCE_BARRIER_FLAG_BEGIN_ONLY)
            return true;
        bool all = t->Subresource == D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES;
        changes[(*count)++] = (struct exec_state_change){
            .resource = &resource->memory,
            .first_subresource = all ? 0 : t->Subresource,
            .subresource_count = all ? resource->memory.subresource_count : 1,
            .before = t->StateBefore,
            .after = t->StateAfter,
        };
        return true;
    }
    case D3D12_RESOURCE_BARRIER_TYPE_UAV:
        return !barrier->UAV.pResource || list_resource(list, call, "UAV.pResource", barrier->UAV.pResource);
    case D3D12_RESOURCE_BARRIER_TYPE_ALIASING:
        return (!barrier->Aliasing.pResourceBefore ||
                list_resource(list, call, "Aliasing.pResourceBefore", barrier->Aliasing.pResourceBefore)) &&
               (!barrier->Aliasing.pResourceAfter ||
                list_resource(list, call, "Aliasing.pResourceAfter", barrier->Aliasing.pResourceAfter));
    default:
        list_fail(list, RULE_BARRIER, "%s: pBarriers[%u].Type is %d, which is not defined", call, index,
                  barrier->Type);
        return false;
    }
}

void STDMETHODCALLTYPE d3d12_command_list_ResourceBarrier(ID3D12GraphicsCommandList8 *self, UINT NumBarriers,
                                                          const D3D12_RESOURCE_BARRIER *pBarriers)
{
    struct d3d12_command_list *list = list_begin(self, "ResourceBarrier", LIST_PLACE_COPY);
    if (!list || !NumBarriers)
        return;
    if (!pBarriers) {
        list_fail(list, RULE_BARRIER, "ResourceBarrier: pBarriers is NULL");
        return;
    }
    struct exec_state *entry = exec_record_state(list->stream, 0);
    struct exec_state_change *changes = list_allocate(list, NumBarriers * sizeof(*changes));
    if (!entry || !changes) {
        list_out_of_memory(list);
        return;
    }
    entry->changes = changes;
    for (UINT i = 0; i < NumBarriers; i++)
        if (!add_barrier(list, i, &pBarriers[i], changes, &entry->count))
            return;
}

static bool check_buffer_barriers(struct d3d12_command_list *list, const D3D12_BARRIER_GROUP *group)
{
    for (UINT32 i = 0; i < group->NumBarriers; i++) {
        struct d3d12_resource *resource =
            list_resource(list, "Barrier", "pBufferBarriers.pResource", group->pBufferBarriers[i].pResource);
        if (!resource)
            return false;
        if (!d3d12_resource_is_buffer(resource)) {
            list_fail(list, RULE_BARRIER, "Barrier: pBufferBarriers[%u].pResource '%s' is a texture", i,
                      com_object_name(&resource->object));
            return false;
        }
    }
    return true;
}

/* The mips of one slice and plane that a texture barrier covers. */
struct mip_run {
    uint32_t first, count;
};

/* Number of runs; runs NULL: only count them. Ranges outside the texture are cut off. */
static uint32_t barrier_runs(const struct exec_resource *resource, const D3D12_BARRIER_SUBRESOURCE_RANGE *range,
                             struct mip_run *runs)
{
    const struct abi_texture *texture = &resource->texture;
    if (!range->NumMipLevels) { /* a subresource index, or all */
        bool all = range->IndexOrFirstMipLevel == D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES;
        if (!all && range->IndexOrFirstMipLevel >= resource->subresource_count)
            return 0;
        if (runs)
            runs[0] = all ? (struct mip_run){0, resource->subresource_count}
                          : (struct mip_run){range->IndexOrFirstMipLevel, 1};
        return 1;
    }
    uint32_t count = 0;
    for (uint32_t p = 0; p < range->NumPlanes && range->FirstPlane + p < texture->plane_count; p++)
        for (uint32_t s = 0; s < range->NumArraySlices && range->FirstArraySlice + s < texture->array_size; s++) {
            uint32_t mip = range->IndexOrFirstMipLevel;
            uint32_t left = mip < texture->mip_count ? texture->mip_count - mip : 0;
            uint32_t slice = range->FirstArraySlice + s, plane = range->FirstPlane + p;
            if (runs && left)
                runs[count] = (struct mip_run){exec_subresource_index(texture, mip, slice, plane),
                                               range->NumMipLevels < left ? range->NumMipLevels : left};
            count += left != 0;
        }
    return count;
}

/* New layouts become the states that stand for them, so that legacy barriers after this one are judged rightly. */
static void record_layout(struct d3d12_command_list *list, struct d3d12_resource *resource,
                          const D3D12_TEXTURE_BARRIER *barrier)
{
    uint32_t count = barrier_runs(&resource->memory, &barrier->Subresources, NULL);
    if (!count || barrier->LayoutAfter == D3D12_BARRIER_LAYOUT_UNDEFINED)
        return;
    struct exec_state *entry = exec_record_state(list->stream, 0);
    struct mip_run *runs = list_allocate(list, count * sizeof(*runs));
    struct exec_state_change *changes = list_allocate(list, count * sizeof(*changes));
    if (!entry || !runs || !changes) {
        list_out_of_memory(list);
        return;
    }
    barrier_runs(&resource->memory, &barrier->Subresources, runs);
    for (uint32_t i = 0; i < count; i++)
        changes[i] = (struct exec_state_change){.resource = &resource->memory,
                                                .first_subresource = runs[i].first,
                                                .subresource_count = runs[i].count,
                                                .after = d3d12_state_of_layout(barrier->LayoutAfter),
                                                .is_unchecked = 1};
    entry->changes = changes;
    entry->count = count;
}

static bool add_texture_barriers(struct d3d12_command_list *list, const D3D12_BARRIER_GROUP *group)
{
    for (UINT32 i = 0; i < group->NumBarriers; i++) {
        const D3D12_TEXTURE_BARRIER *barrier = &group->pTextureBarriers[i];
        struct d3d12_resource *resource =
            list_resource(list, "Barrier", "pTextureBarriers.pResource", barrier->pResource);
        if (!resource)
            return false;
        bool is_buffer = d3d12_resource_is_buffer(resource);
        bool is_known = barrier->LayoutAfter != D3D12_BARRIER_LAYOUT_UNDEFINED ||
                        barrier->LayoutBefore == D3D12_BARRIER_LAYOUT_UNDEFINED ||
                        barrier->AccessAfter == D3D12_BARRIER_ACCESS_NO_ACCESS;
        if (is_buffer || !is_known) {
            list_fail(list, RULE_BARRIER, "Barrier: pTextureBarriers[%u] of '%s' %s", i,
                      com_object_name(&resource->object),
                      is_buffer ? "names a buffer" : "changes the layout to UNDEFINED with an access after it");
            return false;
        }
        record_layout(list, resource, barrier);
    }
    return true;
}

void STDMETHODCALLTYPE d3d12_command_list_Barrier(ID3D12GraphicsCommandList8 *self, UINT32 NumBarrierGroups,
                                                  const D3D12_BARRIER_GROUP *pBarrierGroups)
{
    struct d3d12_command_list *list = list_begin(self, "Barrier", LIST_PLACE_COPY);
    if (!list || !NumBarrierGroups)
        return;
    if (!pBarrierGroups) {
        list_fail(list, RULE_BARRIER, "Barrier: pBarrierGroups is NULL");
        return;
    }
    for (UINT32 i = 0; i < NumBarrierGroups; i++) {
        const D3D12_BARRIER_GROUP *group = &pBarrierGroups[i];
        if (group->Type > D3D12_BARRIER_TYPE_BUFFER || (group->NumBarriers && !group->pGlobalBarriers)) {
            list_fail(list, RULE_BARRIER, "Barrier: pBarrierGroups[%u] has Type %d and %u barriers at %p", i,
                      group->Type, group->NumBarriers, (const void *)group->pGlobalBarriers);
            return;
        }
        if (group->Type == D3D12_BARRIER_TYPE_BUFFER && !check_buffer_barriers(list, group))
            return;
        if (group->Type == D3D12_BARRIER_TYPE_TEXTURE && !add_texture_barriers(list, group))
            return;
    }
}
