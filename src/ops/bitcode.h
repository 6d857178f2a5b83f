/* SPDX-License-Identifier: MIT
 * The op functions as LLVM bitcode (made by clang when the library is built), for jit to link into shader modules,
 * and the native functions that this bitcode calls and does not contain (texture sampling, format conversion). */
#ifndef CDXR_OPS_BITCODE_H
#define CDXR_OPS_BITCODE_H

#include <stddef.h>
#include <stdint.h>

/* An LLVM 19 module for x86-64 with every function of op_list.h and instruction_list.h. No optnone, no noinline on short ones; "target-cpu" and
 * "target-features" may be stripped; linkage may be set to linkonce_odr so that unused functions are not linked. */
extern const uint8_t ops_bitcode[];
extern const size_t ops_bitcode_bytes;

struct ops_native_symbol {
    const char *name;
    const void *address;
};
/* What the bitcode leaves undefined, except compiler runtime functions (memcpy, memset, floorf, fmaf ...). */
extern const struct ops_native_symbol ops_native_symbols[];
extern const size_t ops_native_symbol_count;

#endif
