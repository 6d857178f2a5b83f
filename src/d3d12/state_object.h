/* SPDX-License-Identifier: MIT
 * ID3D12StateObject: a collection or raytracing pipeline. state_object_input.c turns the API's description into plain
 * structures, state_object_link.c (with _names, _associate, _check) resolves them without knowing COM or LLVM,
 * state_object_compile.c makes machine code, groups and identifiers of the result, state_object.c is the COM object.
 * Command lists (SetPipelineState1, DispatchRays) read pipeline and single_global. Immutable but for the stack size. */
#ifndef CDXR_D3D12_STATE_OBJECT_H
#define CDXR_D3D12_STATE_OBJECT_H

#include "abi/thread.h"
#include "d3d12/device.h"
#include "d3d12/root_signature.h"
#include "d3d12/state_object_compile.h"
#include "d3d12/state_object_input.h"
#include "d3d12/state_object_link.h"

struct d3d12_state_object {
    struct com_object object;        /* ID3D12StateObject */
    struct com_interface properties; /* ID3D12StateObjectProperties */
    D3D12_STATE_OBJECT_TYPE type;

    /* Raytracing pipelines; zeroed in collections. stack_bytes changes with SetPipelineStackSize. */
    struct abi_pipeline pipeline;
    /* The global root signature when all exports that have one have the same: used by dispatches of lists that bound
     * none. NULL otherwise. Held. */
    struct d3d12_root_signature *single_global;

    struct so_parsed parsed;
    struct so_linked *linked;
    struct so_compiled compiled;
    struct d3d12_state_object *grown_from; /* AddToStateObject: its exports are ours too. Held */
};

extern const ID3D12StateObjectVtbl d3d12_state_object_vtbl;

/* NULL: NULL or not one of our state objects. */
static inline struct d3d12_state_object *d3d12_state_object_from(const void *state_object)
{
    return com_object_from_interface(state_object, &d3d12_state_object_vtbl);
}

#endif
