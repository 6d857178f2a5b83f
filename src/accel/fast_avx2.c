/* SPDX-License-Identifier: MIT
 * The fast builder's loops, for avx2. */
#if defined(__x86_64__)
#define FAST_KERNELS fast_kernels_avx2
#include "accel/fast_body.h"
#endif
