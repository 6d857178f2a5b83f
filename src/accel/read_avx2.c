/* SPDX-License-Identifier: MIT
 * Reading triangles, for avx2. */
#if defined(__x86_64__)
#include "accel/read.h"

extern const struct accel_read_kernels accel_read_kernels_avx2;
#define READ_KERNELS accel_read_kernels_avx2
#include "accel/read_body.h"
#endif
