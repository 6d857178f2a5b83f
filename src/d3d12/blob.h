/* SPDX-License-Identifier: MIT
 * ID3DBlob: bytes that the library hands out (serialised root signatures, cached pipelines, error texts). */
#ifndef CDXR_D3D12_BLOB_H
#define CDXR_D3D12_BLOB_H

#include "com/windows.h"

/* Takes bytes (malloc) over, also on failure. *out has one reference. */
HRESULT d3d12_blob_create(void *bytes, SIZE_T byte_count, ID3DBlob **out);
/* A blob with this text and its terminator, as the error blobs of D3D12 are; *out is NULL when memory runs out. out may
 * be NULL. */
void d3d12_blob_create_text(const char *text, ID3DBlob **out);

#endif
