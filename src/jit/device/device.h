/* SPDX-License-Identifier: MIT
 * Functions that lowered shader code calls for everything that is not arithmetic or memory (those are in ops/):
 * handles, positions, rays, queries, hit objects, single-lane waves. Compiled by clang to bitcode only, linked into every
 * shader and inlined there. Freestanding. The lowering (lower_*.c) finds them by name. */
#ifndef CDXR_JIT_DEVICE_H
#define CDXR_JIT_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/services.h"
#include "abi/thread.h"

#define DEVICE __attribute__((always_inline))
#define DEVICE_CALL /* long enough to stay a call if the optimiser says so */

/* A function that is always inlined into shaders, with its prototype. */
#define VALUE(type, name, ...)                                                                               \
    DEVICE type name(__VA_ARGS__);                                                                           \
    DEVICE type name(__VA_ARGS__)

extern const struct abi_descriptor jit_null_descriptor;

static inline float device_select3(const float v[3], uint32_t component)
{
    return component == 0 ? v[0] : component == 1 ? v[1] : v[2];
}

static inline uint32_t device_select3_u32(const uint32_t v[3], uint32_t component)
{
    return component == 0 ? v[0] : component == 1 ? v[1] : v[2];
}

#endif
