/* SPDX-License-Identifier: MIT
 * The driver callback on the DDK's structures, in host memory or behind a guest's memory callbacks. Command bytes are
 * copied before they are looked at, so that nobody can change a token between its check and its use; vertices of host
 * callers are read in place, once each. */
#include <stdlib.h>

#include "dp2/context.h"

enum { MAX_COMMAND_OFFSET = 256 << 20 };

/* ---- host structures ---- */

static const uint8_t *surface_memory(const struct _DDRAWI_DDRAWSURFACE_LCL *surface)
{
    return surface && surface->lpGbl ? (const uint8_t *)surface->lpGbl->fpVidMem : NULL;
}

static uint32_t refuse(D3DHAL_DRAWPRIMITIVES2DATA *data, int32_t ddrval)
{
    data->ddrval = ddrval;
    data->dwErrorOffset = data->dwCommandOffset;
    return DDHAL_DRIVER_HANDLED;
}

static void init_call(const D3DHAL_DRAWPRIMITIVES2DATA *data, uint32_t vertex_size, struct cdxr_dp2_call *call)
{
    bool user_memory = data->dwFlags & D3DHALDP2_USERMEMVERTICES;
    *call = (struct cdxr_dp2_call){
        .flags = data->dwFlags,
        .vertex_type = data->dwVertexType,
        .commands = surface_memory(data->lpDDCommands),
        .command_offset = data->dwCommandOffset,
        .command_length = data->dwCommandLength,
        .commands_bytes = (size_t)data->dwCommandOffset + data->dwCommandLength,
        .vertices = user_memory ? data->lpVertices : surface_memory(data->lpDDVertex), /* user memory is no surface */
        .vertex_offset = data->dwVertexOffset,
        .vertex_count = data->dwVertexLength,
        .vertex_stride = vertex_size,
        .render_states = data->dwFlags & D3DHALDP2_EXECUTEBUFFER ? data->lpdwRStates : NULL,
    };
    /* The structure gives no size of the vertex memory: dwVertexLength vertices are believed to be there. */
    struct fvf_layout layout;
    dp2_fvf_layout_init(data->dwVertexType, &layout);
    uint64_t stride = vertex_size > 0xFFFF || vertex_size < layout.vertex_bytes ? layout.vertex_bytes : vertex_size;
    if (data->dwFlags & D3DHALDP2_EXECUTEBUFFER)
        stride = 32;
    call->vertices_bytes = call->vertices ? (size_t)(data->dwVertexOffset + stride * data->dwVertexLength) : 0;
}

/* Offsets far into a buffer would cost memory for nothing. */
static bool extent_allowed(struct cdxr_dp2_context *context, uint32_t offset, uint32_t length)
{
    if (length <= context->config.limits.command_bytes && offset <= MAX_COMMAND_OFFSET)
        return true;
    dp2_context_report(context, CDXR_DP2_SEVERITY_ERROR, "%u command bytes at offset 0x%x exceed the limits", length, offset);
    return false;
}

uint32_t cdxr_dp2_resume(struct cdxr_dp2_context *context, D3DHAL_DRAWPRIMITIVES2DATA *data, uint32_t vertex_size, uint32_t resume_offset)
{
    if (!data)
        return DDHAL_DRIVER_NOTHANDLED;
    if (!context || data->dwhContext != context->handle)
        return refuse(data, D3DHAL_CONTEXT_BAD);
    struct cdxr_dp2_call call;
    init_call(data, vertex_size, &call);
    call.resume_offset = resume_offset;
    uint8_t *copy = NULL;
    if (!extent_allowed(context, data->dwCommandOffset, data->dwCommandLength))
        return refuse(data, DDERR_INVALIDPARAMS);
    if (call.commands && call.command_length) {
        copy = malloc(call.commands_bytes); /* the bytes before the offset too: positions stay those of the surface */
        if (!copy)
            return refuse(data, DDERR_OUTOFMEMORY);
        memcpy(copy + call.command_offset, (const uint8_t *)call.commands + call.command_offset, call.command_length);
        call.commands = copy;
    }
    cdxr_dp2_execute_call(context, &call);
    free(copy);
    data->ddrval = call.ddrval; /* shares its storage with dwVertexSize: the stride was read long before */
    data->dwErrorOffset = call.error_offset;
    return call.handled;
}

uint32_t cdxr_dp2_execute(struct cdxr_dp2_context *context, D3DHAL_DRAWPRIMITIVES2DATA *data)
{
    return data ? cdxr_dp2_resume(context, data, data->dwVertexSize, 0) : DDHAL_DRIVER_NOTHANDLED;
}

/* ---- 32-bit guests ---- */

struct guest {
    struct cdxr_dp2_context *context;
    uint8_t *commands, *vertices;
    uint32_t render_states[CDXR_D3DHAL_RSTATE_COUNT], render_states_before[CDXR_D3DHAL_RSTATE_COUNT];
};

static bool read_guest(const struct cdxr_dp2_context *context, uint64_t address, void *bytes, size_t byte_count)
{
    return context->config.read && byte_count <= 1ull << 32 && address <= (1ull << 32) - byte_count && context->config.read(context->config.cookie, address, bytes, byte_count);
}

static bool resolve_guest(const struct cdxr_dp2_context *context, uint32_t object, uint64_t *memory)
{
    if (!object)
        return false;
    if (context->config.resolve)
        return context->config.resolve(context->config.cookie, object, memory) != 0;
    bool nt = context->config.guest_is_nt;
    uint8_t pointer[4];
    if (!read_guest(context, (uint64_t)object + (nt ? CDXR_LCL32_NT_LPGBL_OFFSET : CDXR_LCL32_LPGBL_OFFSET), pointer, 4))
        return false;
    uint64_t global = le32(pointer);
    if (!global || !read_guest(context, global + (nt ? CDXR_GBL32_NT_FPVIDMEM_OFFSET : CDXR_GBL32_FPVIDMEM_OFFSET), pointer, 4))
        return false;
    *memory = le32(pointer);
    return *memory != 0;
}

static int32_t read_guest_commands(struct guest *guest, const struct cdxr_d3dhal_drawprimitives2data32 *data, struct cdxr_dp2_call *call)
{
    uint64_t memory;
    if (!data->dwCommandLength)
        return D3D_OK;
    if (!extent_allowed(guest->context, data->dwCommandOffset, data->dwCommandLength) || !resolve_guest(guest->context, data->lpDDCommands, &memory))
        return DDERR_INVALIDPARAMS;
    size_t byte_count = (size_t)data->dwCommandOffset + data->dwCommandLength;
    guest->commands = malloc(byte_count);
    if (!guest->commands)
        return DDERR_OUTOFMEMORY;
    if (!read_guest(guest->context, memory + data->dwCommandOffset, guest->commands + data->dwCommandOffset, data->dwCommandLength))
        return DDERR_INVALIDPARAMS;
    call->commands = guest->commands;
    call->commands_bytes = byte_count;
    return D3D_OK;
}

/* Vertices that cannot be read are absent: streams of states alone do not need them. */
static int32_t read_guest_vertices(struct guest *guest, const struct cdxr_d3dhal_drawprimitives2data32 *data, struct cdxr_dp2_call *call)
{
    uint64_t memory = data->lpVertices;
    struct fvf_layout layout;
    dp2_fvf_layout_init(data->dwVertexType, &layout);
    uint64_t stride = data->dwVertexSize_ddrval;
    if (data->dwFlags & D3DHALDP2_EXECUTEBUFFER)
        stride = 32;
    else if (stride > 0xFFFF || stride < layout.vertex_bytes)
        stride = layout.vertex_bytes;
    uint64_t byte_count = stride * data->dwVertexLength;
    if (!memory || !byte_count || (!(data->dwFlags & D3DHALDP2_USERMEMVERTICES) && !resolve_guest(guest->context, data->lpVertices, &memory)))
        return D3D_OK;
    if (byte_count > guest->context->config.limits.vertex_bytes) {
        dp2_context_report(guest->context, CDXR_DP2_SEVERITY_WARNING, "%u vertices of %u bytes exceed the limit of %u bytes", data->dwVertexLength,
                           (uint32_t)stride, guest->context->config.limits.vertex_bytes);
        byte_count = guest->context->config.limits.vertex_bytes / stride * stride;
    }
    guest->vertices = malloc((size_t)byte_count);
    if (!guest->vertices)
        return DDERR_OUTOFMEMORY;
    if (!read_guest(guest->context, memory + data->dwVertexOffset, guest->vertices, (size_t)byte_count)) {
        dp2_context_report(guest->context, CDXR_DP2_SEVERITY_WARNING, "guest vertices at 0x%llx are not readable", (unsigned long long)memory);
        return D3D_OK;
    }
    call->vertices = guest->vertices; /* dwVertexOffset is behind us */
    call->vertices_bytes = (size_t)byte_count;
    return D3D_OK;
}

static void read_guest_states(struct guest *guest, const struct cdxr_d3dhal_drawprimitives2data32 *data, struct cdxr_dp2_call *call)
{
    uint8_t bytes[CDXR_D3DHAL_RSTATE_COUNT * 4];
    if (!(data->dwFlags & D3DHALDP2_EXECUTEBUFFER) || !data->lpdwRStates || !read_guest(guest->context, data->lpdwRStates, bytes, sizeof(bytes)))
        return;
    for (int i = 0; i < CDXR_D3DHAL_RSTATE_COUNT; i++)
        guest->render_states[i] = guest->render_states_before[i] = le32(bytes + i * 4);
    call->render_states = guest->render_states;
}

/* Only what changed is written: the guest's array may be read by others meanwhile. */
static void write_guest_states(const struct guest *guest, uint32_t address)
{
    for (uint32_t i = 0; i < CDXR_D3DHAL_RSTATE_COUNT; i++) {
        if (guest->render_states[i] == guest->render_states_before[i] || !guest->context->config.write)
            continue;
        uint8_t bytes[4];
        put_le32(bytes, guest->render_states[i]);
        guest->context->config.write(guest->context->config.cookie, (uint64_t)address + i * 4, bytes, sizeof(bytes));
    }
}

uint32_t cdxr_dp2_execute32(struct cdxr_dp2_context *context, struct cdxr_d3dhal_drawprimitives2data32 *data, uint32_t resume_offset)
{
    if (!data)
        return DDHAL_DRIVER_NOTHANDLED;
    struct guest guest = {.context = context};
    struct cdxr_dp2_call call = {.flags = data->dwFlags, .vertex_type = data->dwVertexType, .command_offset = data->dwCommandOffset,
                                 .command_length = data->dwCommandLength, .vertex_count = data->dwVertexLength,
                                 .vertex_stride = data->dwVertexSize_ddrval, .resume_offset = resume_offset,
                                 .handled = DDHAL_DRIVER_HANDLED, .error_offset = data->dwCommandOffset};
    call.ddrval = !context || data->dwhContext != context->handle ? D3DHAL_CONTEXT_BAD : D3D_OK;
    if (call.ddrval == D3D_OK)
        call.ddrval = read_guest_commands(&guest, data, &call);
    if (call.ddrval == D3D_OK)
        call.ddrval = read_guest_vertices(&guest, data, &call);
    if (call.ddrval == D3D_OK) {
        read_guest_states(&guest, data, &call);
        cdxr_dp2_execute_call(context, &call);
        if (call.render_states)
            write_guest_states(&guest, data->lpdwRStates);
    }
    free(guest.commands);
    free(guest.vertices);
    data->dwVertexSize_ddrval = (uint32_t)call.ddrval;
    data->dwErrorOffset = call.error_offset;
    return call.handled;
}

uint32_t cdxr_dp2_execute_guest(struct cdxr_dp2_context *context, uint64_t address, uint32_t resume_offset)
{
    enum { FIELDS = 14, DDRVAL_OFFSET = 48 };
    uint8_t bytes[FIELDS * 4];
    uint32_t fields[FIELDS];
    if (!context || !read_guest(context, address, bytes, sizeof(bytes)))
        return DDHAL_DRIVER_NOTHANDLED;
    for (int i = 0; i < FIELDS; i++)
        fields[i] = le32(bytes + i * 4);
    struct cdxr_d3dhal_drawprimitives2data32 data;
    _Static_assert(sizeof(data) == sizeof(fields), "56 bytes");
    memcpy(&data, fields, sizeof(data));
    uint32_t handled = cdxr_dp2_execute32(context, &data, resume_offset);
    put_le32(bytes, data.dwVertexSize_ddrval);
    put_le32(bytes + 4, data.dwErrorOffset);
    if (!context->config.write || !context->config.write(context->config.cookie, address + DDRVAL_OFFSET, bytes, 8))
        return DDHAL_DRIVER_NOTHANDLED;
    return handled;
}
