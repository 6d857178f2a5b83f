/* SPDX-License-Identifier: MIT
 * The shader-side functions of device/ as bitcode, made when the library is built. Read by library.c. */
#ifndef CDXR_JIT_BITCODE_H
#define CDXR_JIT_BITCODE_H

#include <stdint.h>

extern const uint8_t jit_device_bitcode[];
extern const uint8_t jit_device_bitcode_end[];

#endif
