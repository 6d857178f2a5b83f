/* SPDX-License-Identifier: MIT
 * A program as it is built for WSL: linked against libd3d12.so and libdxcore.so by name, run with LD_LIBRARY_PATH
 * pointing at our aliases. Exit code 0: the device answers, and both names are one library. */
#define COBJMACROS
#include <stdio.h>
#include <wsl/winadapter.h>

#include <directx/d3d12.h>

HRESULT DXCoreCreateAdapterFactory(REFIID riid, void **out);

int main(void)
{
    static const GUID iid_factory = {0x78ee5945, 0xc36e, 0x4b13, {0xa6, 0x69, 0x00, 0x5d, 0xd1, 0x1c, 0x0f, 0x06}};
    ID3D12Device *device = NULL;
    IUnknown *factory = NULL;
    HRESULT result = D3D12CreateDevice(NULL, D3D_FEATURE_LEVEL_12_1, &IID_ID3D12Device, (void **)&device);
    if (FAILED(result) || FAILED(DXCoreCreateAdapterFactory(&iid_factory, (void **)&factory))) {
        fprintf(stderr, "no device or factory: 0x%x\n", (unsigned)result);
        return 1;
    }
    IUnknown_Release(factory);
    return ID3D12Device_Release(device) == 0 ? 0 : 1;
}
