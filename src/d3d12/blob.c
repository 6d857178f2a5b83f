/* SPDX-License-Identifier: MIT */
#include "d3d12/blob.h"

#include <stdlib.h>
#include <string.h>

struct blob {
    struct com_object object; /* ID3D10Blob, which ID3DBlob is another name of */
    SIZE_T byte_count;
    _Alignas(16) unsigned char bytes[];
};

static void blob_destroy(struct com_object *object)
{
    com_object_finish(object);
    free(object);
}

static const struct com_iid_offset blob_interfaces[] = {{&IID_ID3D10Blob, 0}};
static const struct com_class blob_class = {"ID3DBlob", blob_interfaces, ARRAY_COUNT(blob_interfaces), blob_destroy};

COM_UNKNOWN_METHODS(blob, ID3D10Blob)

static LPVOID STDMETHODCALLTYPE blob_GetBufferPointer(ID3D10Blob *self)
{
    return ((struct blob *)self)->bytes;
}

static SIZE_T STDMETHODCALLTYPE blob_GetBufferSize(ID3D10Blob *self)
{
    return ((struct blob *)self)->byte_count;
}

static const ID3D10BlobVtbl blob_vtbl = {COM_UNKNOWN_ENTRIES(blob), blob_GetBufferPointer, blob_GetBufferSize};

HRESULT d3d12_blob_create(const void *bytes, SIZE_T byte_count, ID3DBlob **out)
{
    struct blob *blob = calloc(1, sizeof(*blob) + byte_count);
    if (!blob)
        return E_OUTOFMEMORY;
    com_object_init(&blob->object, &blob_class, &blob_vtbl, NULL);
    blob->byte_count = byte_count;
    if (bytes && byte_count)
        memcpy(blob->bytes, bytes, byte_count);
    *out = (ID3DBlob *)blob;
    return S_OK;
}
