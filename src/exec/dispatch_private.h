/* SPDX-License-Identifier: MIT
 * What dispatch_rays.c and dispatch_compute.c share. */
#ifndef CDXR_EXEC_DISPATCH_PRIVATE_H
#define CDXR_EXEC_DISPATCH_PRIVATE_H

#include "exec/device_private.h"
#include "exec/dispatch.h"
#include "exec/ray_services.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/* The application may have changed rounding or denormal modes of the thread that made the pool; images must not
 * depend on it. */
static inline void exec_float_environment_reset(void)
{
#if defined(__x86_64__)
    _mm_setcsr(0x1f80); /* round to nearest, denormals kept, exceptions masked */
#endif
}

/* Lowest address that shaders may use on this thread's stack; a reserve for our own code stays below. */
const uint8_t *exec_stack_limit(void);

/* Fill what Dispatch and DispatchRays have in common. root_bytes: [EXEC_ROOT_PARAMETERS_MAX], see abi_dispatch. */
void exec_dispatch_fill(struct exec_device *device, const struct exec_bindings *bindings,
                        struct exec_dispatch_state *state, struct abi_dispatch *dispatch, uint64_t *root_bytes);

#endif
