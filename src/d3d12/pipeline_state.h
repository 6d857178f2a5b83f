/* SPDX-License-Identifier: MIT
 * ID3D12PipelineState: a compiled compute shader and its root signature. Created by pipeline_state.c; command lists
 * (SetPipelineState, Dispatch) read shader and root_signature, pipeline_library.c stores and reloads them. */
#ifndef CDXR_D3D12_PIPELINE_STATE_H
#define CDXR_D3D12_PIPELINE_STATE_H

#include "abi/thread.h"
#include "d3d12/device.h"
#include "d3d12/root_signature.h"

struct jit_code;

struct d3d12_pipeline_state {
    struct com_object object; /* ID3D12PipelineState */
    struct d3d12_root_signature *root_signature; /* held */
    const struct abi_shader *shader;             /* of code */
    struct jit_code *code;                       /* referenced */
    void *bytecode; /* own copy of the container: what GetCachedBlob and pipeline libraries store */
    size_t bytecode_bytes;
    uint64_t key[2]; /* content of bytecode and root signature */
};

extern const ID3D12PipelineStateVtbl d3d12_pipeline_state_vtbl;

/* NULL: NULL or not one of our pipeline states. */
static inline struct d3d12_pipeline_state *d3d12_pipeline_state_from(const void *state)
{
    return com_object_from_interface(state, &d3d12_pipeline_state_vtbl);
}

#endif
