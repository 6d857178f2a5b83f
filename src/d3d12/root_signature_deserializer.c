/* SPDX-License-Identifier: MIT
 * ID3D12RootSignatureDeserializer and ID3D12VersionedRootSignatureDeserializer. Descriptions of all versions are made
 * when the object is, so that the getters cannot fail and their results live as long as the object. */
#include <stdlib.h>

#include "base/log.h"
#include "com/object.h"
#include "d3d12/root_signature_desc.h"

enum { VERSION_COUNT = 3 };

struct deserializer {
    struct com_object object;
    struct arena arena;
    uint32_t own_version;
    const D3D12_VERSIONED_ROOT_SIGNATURE_DESC *descs[VERSION_COUNT + 1]; /* by version, from 1 */
};

static void deserializer_destroy(struct com_object *object)
{
    struct deserializer *deserializer = (struct deserializer *)object;
    arena_finish(&deserializer->arena);
    com_object_finish(object);
    free(deserializer);
}

COM_UNKNOWN_METHODS(plain, ID3D12RootSignatureDeserializer)
COM_UNKNOWN_METHODS(versioned, ID3D12VersionedRootSignatureDeserializer)

static const D3D12_ROOT_SIGNATURE_DESC *STDMETHODCALLTYPE
plain_GetRootSignatureDesc(ID3D12RootSignatureDeserializer *self)
{
    return &((struct deserializer *)self)->descs[DXIL_ROOT_SIGNATURE_VERSION_1_0]->Desc_1_0;
}

static HRESULT STDMETHODCALLTYPE
versioned_GetRootSignatureDescAtVersion(ID3D12VersionedRootSignatureDeserializer *self,
                                        D3D_ROOT_SIGNATURE_VERSION version,
                                        const D3D12_VERSIONED_ROOT_SIGNATURE_DESC **out)
{
    if (!out)
        return E_INVALIDARG;
    *out = NULL;
    if ((int)version < DXIL_ROOT_SIGNATURE_VERSION_1_0 || (int)version > DXIL_ROOT_SIGNATURE_VERSION_1_2) {
        log_warn("GetRootSignatureDescAtVersion: convertToVersion %d is no D3D_ROOT_SIGNATURE_VERSION", version);
        return E_INVALIDARG;
    }
    *out = ((struct deserializer *)self)->descs[version];
    return S_OK;
}

static const D3D12_VERSIONED_ROOT_SIGNATURE_DESC *STDMETHODCALLTYPE
versioned_GetUnconvertedRootSignatureDesc(ID3D12VersionedRootSignatureDeserializer *self)
{
    const struct deserializer *deserializer = (struct deserializer *)self;
    return deserializer->descs[deserializer->own_version];
}

static const ID3D12RootSignatureDeserializerVtbl plain_vtbl = {COM_UNKNOWN_ENTRIES(plain), plain_GetRootSignatureDesc};
static const ID3D12VersionedRootSignatureDeserializerVtbl versioned_vtbl = {
    COM_UNKNOWN_ENTRIES(versioned),
    versioned_GetRootSignatureDescAtVersion,
    versioned_GetUnconvertedRootSignatureDesc,
};
static const struct com_iid_offset plain_interfaces[] = {{&IID_ID3D12RootSignatureDeserializer, 0}};
static const struct com_iid_offset versioned_interfaces[] = {{&IID_ID3D12VersionedRootSignatureDeserializer, 0}};
static const struct com_class plain_class = {"ID3D12RootSignatureDeserializer", plain_interfaces, 1,
                                             .destroy = deserializer_destroy, .hides_unknown = true};
static const struct com_class versioned_class = {"ID3D12VersionedRootSignatureDeserializer", versioned_interfaces,
                                                 1, .destroy = deserializer_destroy, .hides_unknown = true};

static enum status fill_versions(struct deserializer *deserializer, const struct dxil_root_signature *signature)
{
    deserializer->own_version = signature->version;
    for (uint32_t version = 1; version <= VERSION_COUNT; version++) {
        struct dxil_root_signature converted;
        RETURN_IF_FAILED(dxil_root_signature_copy(signature, &converted));
        dxil_root_signature_convert(&converted, version);
        deserializer->descs[version] = d3d12_root_signature_to_desc(&converted, version, &deserializer->arena);
        dxil_root_signature_finish(&converted);
        if (!deserializer->descs[version])
            return STATUS_OUT_OF_MEMORY;
    }
    return STATUS_OK;
}

HRESULT d3d12_root_signature_deserializer_create(const void *bytes, SIZE_T byte_count, bool is_versioned, REFIID riid,
                                                 void **out)
{
    struct dxil_root_signature signature;
    struct reason reason = {{0}};
    if (out)
        *out = NULL;
    if (!bytes || !byte_count)
        return E_INVALIDARG;
    enum status status = dxil_root_signature_parse(bytes, byte_count, &signature, &reason);
    if (status != STATUS_OK) {
        log_warn("D3D12Create%sRootSignatureDeserializer: %s", is_versioned ? "Versioned" : "", reason.text);
        return com_result_from_status(status);
    }
    struct deserializer *deserializer = calloc(1, sizeof(*deserializer));
    status = deserializer ? fill_versions(deserializer, &signature) : STATUS_OUT_OF_MEMORY;
    dxil_root_signature_finish(&signature);
    if (status != STATUS_OK) {
        if (deserializer)
            arena_finish(&deserializer->arena);
        free(deserializer);
        return com_result_from_status(status);
    }
    com_object_init(&deserializer->object, is_versioned ? &versioned_class : &plain_class,
                    is_versioned ? (const void *)&versioned_vtbl : &plain_vtbl, NULL);
    return com_object_return(&deserializer->object, riid, out);
}
