/* SPDX-License-Identifier: MIT
 * Root signature descriptions of the API (versions 1.0, 1.1, 1.2) to and from struct dxil_root_signature. */
#ifndef CDXR_D3D12_ROOT_SIGNATURE_DESC_H
#define CDXR_D3D12_ROOT_SIGNATURE_DESC_H

#include "base/arena.h"
#include "com/windows.h"
#include "dxil/root_signature.h"

/* What Debian's d3d12.h lacks of version 1.2: static samplers with flags. */
struct d3d12_static_sampler_desc1 {
    D3D12_STATIC_SAMPLER_DESC desc;
    UINT flags;
};

/* Fill *signature (arrays malloc'ed, to be freed by dxil_root_signature_finish) from a versioned description; layout not
 * finished. Pointers that are NULL with a count are STATUS_INVALID. */
MUST_USE enum status d3d12_root_signature_from_desc(const D3D12_VERSIONED_ROOT_SIGNATURE_DESC *desc,
                                                    struct dxil_root_signature *signature, struct reason *reason);
/* A description of the wanted version in arena. NULL when out of memory. */
const D3D12_VERSIONED_ROOT_SIGNATURE_DESC *d3d12_root_signature_to_desc(const struct dxil_root_signature *signature,
                                                                        uint32_t version, struct arena *arena);

HRESULT d3d12_root_signature_serialize(const D3D12_VERSIONED_ROOT_SIGNATURE_DESC *desc, ID3DBlob **blob,
                                       ID3DBlob **error_blob);
HRESULT d3d12_root_signature_deserializer_create(const void *bytes, SIZE_T byte_count, bool is_versioned, REFIID riid,
                                                 void **out);

#endif
