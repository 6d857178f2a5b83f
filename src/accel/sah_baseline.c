/* SPDX-License-Identifier: MIT
 * The default builder's inner loops for baseline. */
#include "accel/sah.h"

extern const struct sah_kernels sah_kernels_baseline;
#define SAH_KERNELS sah_kernels_baseline
#include "accel/sah_body.h"
