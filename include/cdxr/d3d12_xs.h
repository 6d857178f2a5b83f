/* SPDX-License-Identifier: MIT
 * The console spelling of the same API: programs that say #include <d3d12_xs.h> find the standard Direct3D 12 header
 * here, with the one macro that differs. Put include/cdxr on the include path to use it under its bare name. */
#ifndef CDXR_D3D12_XS_H
#define CDXR_D3D12_XS_H

#include "d3d12_dxr.h"

#ifdef __cplusplus
#ifndef IID_GRAPHICS_PPV_ARGS
#define IID_GRAPHICS_PPV_ARGS(ppType) IID_PPV_ARGS(ppType)
#endif
#endif

#endif
