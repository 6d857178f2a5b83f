/* SPDX-License-Identifier: MIT
 * Slow decoder of BC1 to BC5, one texel at a time, straight from the format descriptions; for tests only. */
#ifndef CDXR_TESTS_REF_BC_REF_H
#define CDXR_TESTS_REF_BC_REF_H

#include <stdbool.h>
#include <stdint.h>

/* kind: 1 to 5; texel: 0 to 15 row by row; out: R G B A as exact as double is (missing: 0 0 0 1). */
void bc_ref_texel(int kind, bool is_signed, const uint8_t *block, int texel, double out[4]);

#endif
