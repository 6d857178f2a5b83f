/* SPDX-License-Identifier: MIT
 * The default builder's inner loops for avx2. */
#if defined(__x86_64__)
#include "accel/sah.h"

extern const struct sah_kernels sah_kernels_avx2;
#define SAH_KERNELS sah_kernels_avx2
#include "accel/sah_body.h"
#endif
