/* SPDX-License-Identifier: MIT
 * Machine code in memory: object files of one program, loaded by ORC, with the reference count that keeps them. */
#ifndef CDXR_JIT_CODE_H
#define CDXR_JIT_CODE_H

#include "jit/compile.h"

/* Takes the objects of compiled (all count of them, also on failure) and links them. Names are copied. */
MUST_USE enum status jit_code_create(struct jit_compiled *compiled, uint32_t count, struct jit_code **code,
                                     struct reason *reason);

#endif
