/* SPDX-License-Identifier: MIT
 * sRGB coding of 8-bit components, for base/format*.c and ops. */
#ifndef CDXR_BASE_FORMAT_SRGB_H
#define CDXR_BASE_FORMAT_SRGB_H

#include <stdint.h>

/* Linear value of a code, correctly rounded. */
extern const float format_srgb_to_linear[256];

/* Nearest code of a linear value; clamps; NaN gives 0. */
uint32_t format_linear_to_srgb(float x);

/* sRGB decoding of any value between 0 and 1, within 2 ULP (interpolated colours of BC1 to BC3). */
float format_srgb_decode(float encoded);

#endif
