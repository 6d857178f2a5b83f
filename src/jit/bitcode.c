/* SPDX-License-Identifier: MIT
 * Embeds the bitcode of device/ (path given by room.cmake). */
#include "jit/bitcode.h"

__asm__(".pushsection .rodata.jit_device_bitcode,\"a\"\n"
        ".balign 16\n"
        ".globl jit_device_bitcode\n.hidden jit_device_bitcode\n"
        "jit_device_bitcode:\n"
        ".incbin \"" JIT_DEVICE_BITCODE "\"\n"
        ".globl jit_device_bitcode_end\n.hidden jit_device_bitcode_end\n"
        "jit_device_bitcode_end:\n"
        ".byte 0\n"
        ".popsection\n");
