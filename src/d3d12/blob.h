/* SPDX-License-Identifier: MIT
 * ID3DBlob: bytes that the library hands out. */
#ifndef CDXR_D3D12_BLOB_H
#define CDXR_D3D12_BLOB_H

#include "com/object.h"

/* Copies byte_count bytes (bytes NULL: zeroed). One reference for the caller. */
HRESULT d3d12_blob_create(const void *bytes, SIZE_T byte_count, ID3DBlob **out);

#endif
