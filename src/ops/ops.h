/* SPDX-License-Identifier: MIT
 * All functions that a shader module may be lowered to. Naming: ops_<operation>_<overload>; the table of rows for
 * jit is op_list.h; types and calling forms are in types.h. */
#ifndef CDXR_OPS_OPS_H
#define CDXR_OPS_OPS_H

#include "ops/buffer.h"
#include "ops/math.h"
#include "ops/texture.h"
#include "ops/types.h"
#include "ops/wave.h"

#endif
