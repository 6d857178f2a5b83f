/* SPDX-License-Identifier: MIT */
#include "com/result.h"

HRESULT com_result_from_status(enum status status)
{
    switch (status) {
    case STATUS_OK:
        return S_OK;
    case STATUS_OUT_OF_MEMORY:
        return E_OUTOFMEMORY;
    case STATUS_INVALID:
    case STATUS_CORRUPT:
    case STATUS_ABSENT:
        return E_INVALIDARG;
    case STATUS_UNSUPPORTED:
        return E_NOTIMPL;
    case STATUS_INTERNAL:
        break;
    }
    return E_FAIL;
}

const char *com_result_name(HRESULT result)
{
    static const struct {
        HRESULT result;
        const char *name;
    } names[] = {
        {S_OK, "S_OK"},
        {S_FALSE, "S_FALSE"},
        {E_NOTIMPL, "E_NOTIMPL"},
        {E_OUTOFMEMORY, "E_OUTOFMEMORY"},
        {E_INVALIDARG, "E_INVALIDARG"},
        {E_NOINTERFACE, "E_NOINTERFACE"},
        {E_POINTER, "E_POINTER"},
        {E_FAIL, "E_FAIL"},
        {E_ACCESSDENIED, "E_ACCESSDENIED"},
        {DXGI_ERROR_INVALID_CALL, "DXGI_ERROR_INVALID_CALL"},
        {DXGI_ERROR_NOT_FOUND, "DXGI_ERROR_NOT_FOUND"},
        {DXGI_ERROR_MORE_DATA, "DXGI_ERROR_MORE_DATA"},
        {DXGI_ERROR_UNSUPPORTED, "DXGI_ERROR_UNSUPPORTED"},
        {DXGI_ERROR_DEVICE_REMOVED, "DXGI_ERROR_DEVICE_REMOVED"},
        {DXGI_ERROR_DEVICE_HUNG, "DXGI_ERROR_DEVICE_HUNG"},
        {DXGI_ERROR_DEVICE_RESET, "DXGI_ERROR_DEVICE_RESET"},
        {DXGI_ERROR_DRIVER_INTERNAL_ERROR, "DXGI_ERROR_DRIVER_INTERNAL_ERROR"},
    };
    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        if (names[i].result == result)
            return names[i].name;
    return "HRESULT";
}
