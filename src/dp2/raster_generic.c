/* SPDX-License-Identifier: MIT
 * The raster kernel for any CPU. */
#define RASTER_TILE_NAME dp2_raster_tile_generic
#include "dp2/raster_body.h"
