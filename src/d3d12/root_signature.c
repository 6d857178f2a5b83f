/* SPDX-License-Identifier: MIT */
#include "d3d12/root_signature.h"

#include <stdlib.h>

#include "d3d12/create.h"

static void root_signature_destroy(struct com_object *object)
{
    struct d3d12_root_signature *signature = (struct d3d12_root_signature *)object;
    dxil_root_signature_finish(&signature->signature);
    com_object_finish(object);
    free(signature);
}

static const struct com_iid_offset root_signature_interfaces[] = {
    {&IID_ID3D12Object, 0},
    {&IID_ID3D12DeviceChild, 0},
    {&IID_ID3D12RootSignature, 0},
};
static const struct com_class root_signature_class = {
    .name = "ID3D12RootSignature",
    .interfaces = root_signature_interfaces,
    .interface_count = ARRAY_COUNT(root_signature_interfaces),
    .destroy = root_signature_destroy,
    .retire = d3d12_object_retire,
};

/* Takes description over on success. */
static HRESULT signature_new(struct d3d12_device *device, struct dxil_root_signature *description,
                             struct d3d12_root_signature **out)
{
    struct d3d12_root_signature *signature = calloc(1, sizeof(*signature));
    if (!signature)
        return E_OUTOFMEMORY;
    com_object_init(&signature->object, &root_signature_class, &d3d12_root_signature_vtbl, &device->object);
    signature->signature = *description;
    signature->hash = dxil_root_signature_hash(&signature->signature);
    *out = signature;
    return S_OK;
}

HRESULT d3d12_root_signature_create(struct d3d12_device *device, const void *bytes, SIZE_T byte_count, REFIID riid,
                                    void **out)
{
    struct dxil_root_signature description;
    struct reason reason = {{0}};
    if (out)
        *out = NULL;
    if (!bytes || !byte_count)
        return d3d12_fail(device, E_INVALIDARG, RULE_ROOT_SIGNATURE,
                          "CreateRootSignature: pBlobWithRootSignature is NULL or blobLengthInBytes is 0");
    enum status status = dxil_root_signature_parse(bytes, byte_count, &description, &reason);
    if (status == STATUS_ABSENT) { /* a shader without a root signature: the runtime's odd answer */
        d3d12_fail(device, E_FAIL, RULE_ROOT_SIGNATURE, "CreateRootSignature: %s", reason.text);
        return E_FAIL;
    }
    if (status != STATUS_OK)
        return d3d12_fail(device, com_result_from_status(status), RULE_ROOT_SIGNATURE, "CreateRootSignature: %s",
                          reason.text);
    struct d3d12_root_signature *signature;
    HRESULT result = signature_new(device, &description, &signature);
    if (FAILED(result)) {
        dxil_root_signature_finish(&description);
        return result;
    }
    return com_object_return(&signature->object, riid, out);
}

HRESULT d3d12_root_signature_wrap(struct d3d12_device *device, const struct dxil_root_signature *source,
                                  struct d3d12_root_signature **out)
{
    struct dxil_root_signature copy;
    enum status status = dxil_root_signature_copy(source, &copy);
    if (status != STATUS_OK)
        return com_result_from_status(status);
    HRESULT result = signature_new(device, &copy, out);
    if (FAILED(result))
        dxil_root_signature_finish(&copy);
    return result;
}

COM_DEVICE_CHILD_METHODS(d3d12_root_signature, ID3D12RootSignature)

const ID3D12RootSignatureVtbl d3d12_root_signature_vtbl = {COM_DEVICE_CHILD_ENTRIES(d3d12_root_signature)};
