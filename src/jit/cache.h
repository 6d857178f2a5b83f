/* SPDX-License-Identifier: MIT
 * Object files of compiled exports on disk (CDXR_CACHE_DIR), a file each, named by the entry's symbol, which holds
 * the content hash of everything that goes into the code. Called by unit.c. Any damage counts as a miss. */
#ifndef CDXR_JIT_CACHE_H
#define CDXR_JIT_CACHE_H

#include <stdbool.h>

struct jit_compiled;

/* True: compiled->shader (without function and name) and compiled->object are filled. directory NULL: always false. */
bool jit_cache_load(const char *directory, const char *symbol, struct jit_compiled *compiled);
/* Failure to write is logged once and otherwise ignored. */
void jit_cache_store(const char *directory, const char *symbol, const struct jit_compiled *compiled);

#endif
