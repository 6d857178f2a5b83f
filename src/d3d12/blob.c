/* SPDX-License-Identifier: MIT
 * ID3DBlob around a malloc block. No device, no private data: IUnknown and two getters. */
#include "d3d12/blob.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "com/object.h"

struct d3d12_blob {
    ID3D10Blob iface; /* its lpVtbl */
    _Atomic ULONG count;
    void *bytes;
    SIZE_T byte_count;
};

static HRESULT STDMETHODCALLTYPE d3d12_blob_QueryInterface(ID3D10Blob *self, REFIID riid, void **out)
{
    if (!out)
        return E_POINTER;
    *out = NULL;
    if (!com_iid_equal(riid, &IID_IUnknown) && !com_iid_equal(riid, &IID_ID3D10Blob))
        return E_NOINTERFACE;
    self->lpVtbl->AddRef(self);
    *out = self;
    return S_OK;
}

static ULONG STDMETHODCALLTYPE d3d12_blob_AddRef(ID3D10Blob *self)
{
    return atomic_fetch_add(&((struct d3d12_blob *)self)->count, 1) + 1;
}

static ULONG STDMETHODCALLTYPE d3d12_blob_Release(ID3D10Blob *self)
{
    struct d3d12_blob *blob = (struct d3d12_blob *)self;
    ULONG count = atomic_fetch_sub(&blob->count, 1) - 1;
    if (!count) {
        free(blob->bytes);
        free(blob);
    }
    return count;
}

static void *STDMETHODCALLTYPE d3d12_blob_GetBufferPointer(ID3D10Blob *self)
{
    return ((struct d3d12_blob *)self)->bytes;
}

static SIZE_T STDMETHODCALLTYPE d3d12_blob_GetBufferSize(ID3D10Blob *self)
{
    return ((struct d3d12_blob *)self)->byte_count;
}

static const ID3D10BlobVtbl d3d12_blob_vtbl = {
    d3d12_blob_QueryInterface,   d3d12_blob_AddRef,        d3d12_blob_Release,
    d3d12_blob_GetBufferPointer, d3d12_blob_GetBufferSize,
};

HRESULT d3d12_blob_create(void *bytes, SIZE_T byte_count, ID3DBlob **out)
{
    struct d3d12_blob *blob = calloc(1, sizeof(*blob));
    *out = NULL;
    if (!blob) {
        free(bytes);
        return E_OUTOFMEMORY;
    }
    blob->iface.lpVtbl = (ID3D10BlobVtbl *)&d3d12_blob_vtbl; /* the header's field is not const */
    blob->count = 1;
    blob->bytes = bytes;
    blob->byte_count = byte_count;
    *out = (ID3DBlob *)blob;
    return S_OK;
}

void d3d12_blob_create_text(const char *text, ID3DBlob **out)
{
    if (!out)
        return;
    char *copy = strdup(text);
    *out = NULL;
    if (copy)
        (void)d3d12_blob_create(copy, strlen(copy) + 1, out);
}
