/* SPDX-License-Identifier: MIT
 * ID3D12RootSignature: the parsed description (dxil/root_signature.h) as an object. */
#ifndef CDXR_D3D12_ROOT_SIGNATURE_H
#define CDXR_D3D12_ROOT_SIGNATURE_H

#include "d3d12/device.h"
#include "dxil/root_signature.h"

struct d3d12_root_signature {
    struct com_object object; /* ID3D12RootSignature */
    struct dxil_root_signature signature;
    uint64_t hash; /* of content: equal signatures are interchangeable for bound arguments */
};

extern const ID3D12RootSignatureVtbl d3d12_root_signature_vtbl;

/* NULL: NULL or not one of our root signatures. */
static inline struct d3d12_root_signature *d3d12_root_signature_from(const void *signature)
{
    return com_object_from_interface(signature, &d3d12_root_signature_vtbl);
}

/* An object around a description found elsewhere (a subobject in a library): copies it. The caller owns one application
 * reference. */
HRESULT d3d12_root_signature_wrap(struct d3d12_device *device, const struct dxil_root_signature *signature,
                                  struct d3d12_root_signature **out);

#endif
