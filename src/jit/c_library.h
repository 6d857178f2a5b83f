/* SPDX-License-Identifier: MIT
 * Shaders written in C (cdxr/shader.h): LLVM bitcode in, the same descriptions out that DXIL gives. Called by d3d12/
 * wherever an application hands over shader bytes. Such code is trusted, so it is taken only when the program or its
 * environment asked for it. */
#ifndef CDXR_JIT_C_LIBRARY_H
#define CDXR_JIT_C_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct dxil_module;
struct dxil_rdat;

/* Bytes that begin like LLVM bitcode; DXIL is always in a container. */
bool jit_is_c_library(const void *bytes, size_t byte_count);

/* Describe the shaders and resources of a bitcode module. *rdat (NULL: not wanted) gets the functions and resources as a
 * container's runtime data would hold them. The module is destroyed with dxil_module_destroy, *rdat with
 * dxil_rdat_finish. STATUS_UNSUPPORTED: C shaders are not enabled; STATUS_CORRUPT: no readable bitcode;
 * STATUS_INVALID: a declaration makes no sense; the reason names it. Outputs are written on success only. */
MUST_USE enum status jit_c_library_create(const void *bytes, size_t byte_count, struct dxil_module **module,
                                          struct dxil_rdat *rdat, struct reason *reason);

#endif
