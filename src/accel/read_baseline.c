/* SPDX-License-Identifier: MIT
 * Reading triangles, for baseline. */
#include "accel/read.h"

extern const struct accel_read_kernels accel_read_kernels_baseline;
#define READ_KERNELS accel_read_kernels_baseline
#include "accel/read_body.h"
