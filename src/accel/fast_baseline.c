/* SPDX-License-Identifier: MIT
 * The fast builder's loops, for baseline. */
#define FAST_KERNELS fast_kernels_baseline
#include "accel/fast_body.h"
