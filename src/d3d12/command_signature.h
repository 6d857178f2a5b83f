/* SPDX-License-Identifier: MIT
 * ID3D12CommandSignature: how ExecuteIndirect reads its argument buffer. */
#ifndef CDXR_D3D12_COMMAND_SIGNATURE_H
#define CDXR_D3D12_COMMAND_SIGNATURE_H

#include "d3d12/device.h"
#include "d3d12/root_signature.h"
#include "exec/stream.h"

enum { D3D12_SIGNATURE_MAX_ARGUMENTS = 66 }; /* every root parameter, and a command */

struct d3d12_command_signature {
    struct com_object object; /* ID3D12CommandSignature */
    uint32_t stride;
    uint32_t used_bytes; /* of the stride */
    bool has_draw;       /* refused when executed */
    bool has_rays;
    struct d3d12_root_signature *root_signature; /* held; NULL: no root arguments */
    uint64_t set_parameters; /* bit per root parameter that the commands set */
    uint32_t argument_count;
    struct exec_indirect_argument arguments[];
};

extern const ID3D12CommandSignatureVtbl d3d12_command_signature_vtbl;

/* NULL: NULL or not one of our command signatures. */
static inline struct d3d12_command_signature *d3d12_command_signature_from(const void *signature)
{
    return com_object_from_interface(signature, &d3d12_command_signature_vtbl);
}

#endif
