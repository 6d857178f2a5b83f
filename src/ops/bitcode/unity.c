/* SPDX-License-Identifier: MIT
 * The one translation unit that becomes the bitcode module (see room.cmake). */
#include "ops/atomic.c"
#include "ops/buffer.c"
#include "ops/math_convert.c"
#include "ops/math_float.c"
#include "ops/math_half.c"
#include "ops/math_int.c"
#include "ops/texture_entry.c"
