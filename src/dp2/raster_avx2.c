/* SPDX-License-Identifier: MIT
 * The raster kernel for AVX2; room.cmake gives this file its flags. */
#if defined(__x86_64__)
#define RASTER_TILE_NAME dp2_raster_tile_avx2
#include "dp2/raster_body.h"
#endif
