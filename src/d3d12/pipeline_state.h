/* SPDX-License-Identifier: MIT
 * ID3D12PipelineState: a compiled compute shader and its root signature. Created by pipeline_state.c; command lists
 * (SetPipelineState, Dispatch) read shader and root_signature, pipeline_library.c stores and reloads them. */
#ifndef CDXR_D3D12_PIPELINE_STATE_H
#define CDXR_D3D12_PIPELINE_STATE_H

#include "abi/thread.h"
#include "d3d12/device.h"
#include "d3d12/root_signature.h"
#include "d3d12/shader_compiler.h"

struct jit_code;

struct d3d12_pipeline_state {
    struct com_object object; /* ID3D12PipelineState */
    struct d3d12_root_signature *root_signature; /* held */
    const struct abi_shader *shader;             /* of code */
    struct jit_code *code;                       /* referenced */
    struct d3d12_program_key key; /* content of bytecode and root signature: what cached blobs and libraries go by */
};

extern const ID3D12PipelineStateVtbl d3d12_pipeline_state_vtbl;

/* NULL: NULL or not one of our pipeline states. */
static inline struct d3d12_pipeline_state *d3d12_pipeline_state_from(const void *state)
{
    return com_object_from_interface(state, &d3d12_pipeline_state_vtbl);
}

/* Key that a description would have; E_INVALIDARG with a message when it has neither shader nor root signature. */
HRESULT d3d12_pipeline_state_key(struct d3d12_device *device, const char *call,
                                 const D3D12_COMPUTE_PIPELINE_STATE_DESC *desc, struct d3d12_program_key *key);

/* A new object around the machine code and root signature of another. */
HRESULT d3d12_pipeline_state_share(struct d3d12_device *device, struct d3d12_pipeline_state *source, REFIID riid,
                                   void **out);

/* pipeline_stream.c: a stream of subobjects as a compute description. E_NOTIMPL with a message for graphics and mesh
 * pipelines, E_INVALIDARG for what is no stream. Pointers of *compute point into the stream. */
HRESULT d3d12_pipeline_stream_read(struct d3d12_device *device, const char *call,
                                   const D3D12_PIPELINE_STATE_STREAM_DESC *stream,
                                   D3D12_COMPUTE_PIPELINE_STATE_DESC *compute);

/* What GetCachedBlob returns and CachedPSO takes: which pipeline it is, for which build of the library. */
struct d3d12_cached_pipeline {
    uint32_t magic;
    uint32_t version;
    struct d3d12_program_key key;
    uint64_t check; /* over the above */
};
void d3d12_cached_pipeline_fill(struct d3d12_cached_pipeline *cached, const struct d3d12_program_key *key);
/* E_INVALIDARG: no such blob or damaged; D3D12_ERROR_DRIVER_VERSION_MISMATCH: of another version of the library. */
HRESULT d3d12_cached_pipeline_check(const void *bytes, size_t byte_count, struct d3d12_program_key *key);

#endif
