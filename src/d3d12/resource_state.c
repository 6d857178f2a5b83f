/* SPDX-License-Identifier: MIT */
#include "d3d12/resource_state.h"

#define KNOWN_STATES 0x1ef3fffu
#define WRITE_STATES                                                                                         \
    (D3D12_RESOURCE_STATE_RENDER_TARGET | D3D12_RESOURCE_STATE_UNORDERED_ACCESS |                            \
     D3D12_RESOURCE_STATE_DEPTH_WRITE | D3D12_RESOURCE_STATE_STREAM_OUT | D3D12_RESOURCE_STATE_COPY_DEST |    \
     D3D12_RESOURCE_STATE_RESOLVE_DEST | D3D12_RESOURCE_STATE_VIDEO_DECODE_WRITE |                           \
     D3D12_RESOURCE_STATE_VIDEO_PROCESS_WRITE | D3D12_RESOURCE_STATE_VIDEO_ENCODE_WRITE)

struct needed_flag {
    unsigned bits;  /* states, or 1 << layout */
    unsigned flags; /* any of these resource flags is needed */
    unsigned forbidden;
    const char *name;
};

static enum status check_flags(unsigned bits, unsigned flags, const struct needed_flag *rules, size_t rule_count,
                               struct reason *reason)
{
    for (size_t i = 0; i < rule_count; i++) {
        if (!(bits & rules[i].bits))
            continue;
        if (rules[i].flags && !(flags & rules[i].flags))
            return reason_set(reason, STATUS_INVALID, "0x%x (%s) needs resource flag 0x%x, the resource has 0x%x", bits,
                              rules[i].name, rules[i].flags, flags);
        if (flags & rules[i].forbidden)
            return reason_set(reason, STATUS_INVALID, "0x%x (%s) is denied by resource flag 0x%x", bits, rules[i].name,
                              rules[i].forbidden);
    }
    return STATUS_OK;
}

enum status d3d12_state_check(const D3D12_RESOURCE_DESC1 *desc, D3D12_RESOURCE_STATES state, struct reason *reason)
{
    static const struct needed_flag rules[] = {
        {D3D12_RESOURCE_STATE_RENDER_TARGET, D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET, 0, "RENDER_TARGET"},
        {D3D12_RESOURCE_STATE_UNORDERED_ACCESS, D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS, 0, "UNORDERED_ACCESS"},
        {D3D12_RESOURCE_STATE_DEPTH_WRITE, D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL, 0, "DEPTH_WRITE"},
        {D3D12_RESOURCE_STATE_DEPTH_READ, D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL, 0, "DEPTH_READ"},
        {D3D12_RESOURCE_STATE_ALL_SHADER_RESOURCE, 0, D3D12_RESOURCE_FLAG_DENY_SHADER_RESOURCE, "SHADER_RESOURCE"},
        {D3D12_RESOURCE_STATE_RAYTRACING_ACCELERATION_STRUCTURE, D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS, 0,
         "RAYTRACING_ACCELERATION_STRUCTURE"},
    };
    unsigned bits = (unsigned)state;
    if (bits & ~KNOWN_STATES)
        return reason_set(reason, STATUS_INVALID, "0x%x has bits that are no D3D12_RESOURCE_STATES", bits);
    unsigned writes = bits & WRITE_STATES;
    if (writes && bits != (writes & -writes))
        return reason_set(reason, STATUS_INVALID, "0x%x combines a write state with another state", bits);
    if (bits & D3D12_RESOURCE_STATE_RAYTRACING_ACCELERATION_STRUCTURE &&
        (bits != D3D12_RESOURCE_STATE_RAYTRACING_ACCELERATION_STRUCTURE ||
         desc->Dimension != D3D12_RESOURCE_DIMENSION_BUFFER))
        return reason_set(reason, STATUS_INVALID,
                          "0x%x: RAYTRACING_ACCELERATION_STRUCTURE stands alone and is for buffers", bits);
    unsigned texture_only = D3D12_RESOURCE_STATE_RENDER_TARGET | D3D12_RESOURCE_STATE_DEPTH_WRITE |
                            D3D12_RESOURCE_STATE_DEPTH_READ | D3D12_RESOURCE_STATE_RESOLVE_DEST |
                            D3D12_RESOURCE_STATE_RESOLVE_SOURCE;
    if (desc->Dimension == D3D12_RESOURCE_DIMENSION_BUFFER && bits & texture_only)
        return reason_set(reason, STATUS_INVALID, "0x%x is a state of textures, the resource is a buffer", bits);
    return check_flags(bits, desc->Flags, rules, ARRAY_COUNT(rules), reason);
}

enum status d3d12_layout_check(const D3D12_RESOURCE_DESC1 *desc, D3D12_BARRIER_LAYOUT layout, struct reason *reason)
{
#define LAYOUT(name) (1u << D3D12_BARRIER_LAYOUT_##name)
    static const struct needed_flag rules[] = {
        {LAYOUT(RENDER_TARGET), D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET, 0, "layout RENDER_TARGET"},
        {LAYOUT(UNORDERED_ACCESS) | LAYOUT(DIRECT_QUEUE_UNORDERED_ACCESS) | LAYOUT(COMPUTE_QUEUE_UNORDERED_ACCESS),
         D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS, 0, "layout UNORDERED_ACCESS"},
        {LAYOUT(DEPTH_STENCIL_WRITE) | LAYOUT(DEPTH_STENCIL_READ), D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL, 0,
         "layout DEPTH_STENCIL"},
        {LAYOUT(SHADER_RESOURCE) | LAYOUT(DIRECT_QUEUE_SHADER_RESOURCE) | LAYOUT(COMPUTE_QUEUE_SHADER_RESOURCE), 0,
         D3D12_RESOURCE_FLAG_DENY_SHADER_RESOURCE, "layout SHADER_RESOURCE"},
    };
#undef LAYOUT
    if (layout == D3D12_BARRIER_LAYOUT_UNDEFINED)
        return STATUS_OK;
    if (desc->Dimension == D3D12_RESOURCE_DIMENSION_BUFFER)
        return reason_set(reason, STATUS_INVALID, "0x%x must be UNDEFINED (0xffffffff) for a buffer", layout);
    if ((unsigned)layout > D3D12_BARRIER_LAYOUT_VIDEO_QUEUE_COMMON)
        return reason_set(reason, STATUS_INVALID, "0x%x is no D3D12_BARRIER_LAYOUT", layout);
    return check_flags(1u << layout, desc->Flags, rules, ARRAY_COUNT(rules), reason);
}

D3D12_RESOURCE_STATES d3d12_state_of_layout(D3D12_BARRIER_LAYOUT layout)
{
    switch (layout) {
    case D3D12_BARRIER_LAYOUT_RENDER_TARGET:
        return D3D12_RESOURCE_STATE_RENDER_TARGET;
    case D3D12_BARRIER_LAYOUT_UNORDERED_ACCESS:
    case D3D12_BARRIER_LAYOUT_DIRECT_QUEUE_UNORDERED_ACCESS:
    case D3D12_BARRIER_LAYOUT_COMPUTE_QUEUE_UNORDERED_ACCESS:
        return D3D12_RESOURCE_STATE_UNORDERED_ACCESS;
    case D3D12_BARRIER_LAYOUT_DEPTH_STENCIL_WRITE:
        return D3D12_RESOURCE_STATE_DEPTH_WRITE;
    case D3D12_BARRIER_LAYOUT_DEPTH_STENCIL_READ:
        return D3D12_RESOURCE_STATE_DEPTH_READ;
    case D3D12_BARRIER_LAYOUT_SHADER_RESOURCE:
    case D3D12_BARRIER_LAYOUT_DIRECT_QUEUE_SHADER_RESOURCE:
    case D3D12_BARRIER_LAYOUT_COMPUTE_QUEUE_SHADER_RESOURCE:
        return D3D12_RESOURCE_STATE_ALL_SHADER_RESOURCE;
    case D3D12_BARRIER_LAYOUT_COPY_SOURCE:
    case D3D12_BARRIER_LAYOUT_DIRECT_QUEUE_COPY_SOURCE:
    case D3D12_BARRIER_LAYOUT_COMPUTE_QUEUE_COPY_SOURCE:
        return D3D12_RESOURCE_STATE_COPY_SOURCE;
    case D3D12_BARRIER_LAYOUT_COPY_DEST:
    case D3D12_BARRIER_LAYOUT_DIRECT_QUEUE_COPY_DEST:
    case D3D12_BARRIER_LAYOUT_COMPUTE_QUEUE_COPY_DEST:
        return D3D12_RESOURCE_STATE_COPY_DEST;
    case D3D12_BARRIER_LAYOUT_RESOLVE_SOURCE:
        return D3D12_RESOURCE_STATE_RESOLVE_SOURCE;
    case D3D12_BARRIER_LAYOUT_RESOLVE_DEST:
        return D3D12_RESOURCE_STATE_RESOLVE_DEST;
    case D3D12_BARRIER_LAYOUT_GENERIC_READ:
    case D3D12_BARRIER_LAYOUT_DIRECT_QUEUE_GENERIC_READ:
    case D3D12_BARRIER_LAYOUT_COMPUTE_QUEUE_GENERIC_READ:
        return D3D12_RESOURCE_STATE_GENERIC_READ;
    default:
        return D3D12_RESOURCE_STATE_COMMON;
    }
}
