/* SPDX-License-Identifier: MIT
 * The D3D12 headers as this library sees them: C bindings, Linux ABI (structs returned by value, 4-byte WCHAR).
 * Included instead of the D3D12 headers themselves, so that every file sees the same switches. */
#ifndef CDXR_COM_WINDOWS_H
#define CDXR_COM_WINDOWS_H

#define COBJMACROS
#include <stdbool.h>
#include <wsl/winadapter.h>

#include <directx/d3d12.h>
#include <directx/d3d12sdklayers.h>

#endif
