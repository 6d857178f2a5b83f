/* SPDX-License-Identifier: MIT
 * The border between enum status and HRESULT: the only place where one becomes the other. */
#ifndef CDXR_COM_RESULT_H
#define CDXR_COM_RESULT_H

#include "base/status.h"
#include "com/windows.h"

/* Codes that Debian's headers lack. */
#ifndef D3D12_ERROR_ADAPTER_NOT_FOUND
#define D3D12_ERROR_ADAPTER_NOT_FOUND       ((HRESULT)0x887E0001L)
#define D3D12_ERROR_DRIVER_VERSION_MISMATCH ((HRESULT)0x887E0002L)
#define D3D12_ERROR_INVALID_REDIST          ((HRESULT)0x887E0003L)
#endif
#ifndef DXGI_ERROR_ALREADY_EXISTS
#define DXGI_ERROR_ALREADY_EXISTS ((HRESULT)0x887A0036L)
#endif
#ifndef DXGI_ERROR_NAME_ALREADY_EXISTS
#define DXGI_ERROR_NAME_ALREADY_EXISTS ((HRESULT)0x887A002CL)
#endif
#ifndef DXGI_ERROR_CACHE_HASH_COLLISION
#define DXGI_ERROR_CACHE_HASH_COLLISION ((HRESULT)0x887A0043L)
#endif
#ifndef DXGI_ERROR_CACHE_CORRUPT
#define DXGI_ERROR_CACHE_CORRUPT ((HRESULT)0x887A0044L)
#endif
#ifndef DXGI_ERROR_CACHE_FULL
#define DXGI_ERROR_CACHE_FULL ((HRESULT)0x887A0045L)
#endif
#ifndef DXGI_ERROR_SDK_COMPONENT_MISSING
#define DXGI_ERROR_SDK_COMPONENT_MISSING ((HRESULT)0x887A002DL)
#endif

/* OK S_OK, OUT_OF_MEMORY E_OUTOFMEMORY, INVALID and CORRUPT E_INVALIDARG, UNSUPPORTED E_NOTIMPL, INTERNAL E_FAIL. */
HRESULT com_result_from_status(enum status status);
/* "E_INVALIDARG" and so on for messages; "HRESULT" where the code is not known. */
const char *com_result_name(HRESULT result);

#endif
