/* SPDX-License-Identifier: MIT
 * The device's one shader compiler, made when the first state object or pipeline state needs it, with the machine code
 * of the programs compiled last: creating the same pipeline again, or loading it from a cached blob or a pipeline
 * library, compiles nothing. */
#ifndef CDXR_D3D12_SHADER_COMPILER_H
#define CDXR_D3D12_SHADER_COMPILER_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

struct d3d12_device;
struct d3d12_shader_compiler;
struct jit_code;
struct jit_program;

/* 128 bits of what a program is made of: code, names, root signatures, imports. */
struct d3d12_program_key {
    uint64_t words[2];
};
/* Fold bytes into a key; start from a zeroed one. */
void d3d12_program_key_add(struct d3d12_program_key *key, const void *bytes, size_t byte_count);

/* Thread-safe. The compiler lives as long as the device. */
MUST_USE enum status d3d12_shader_compiler_get(struct d3d12_device *device, struct d3d12_shader_compiler **compiler,
                                               struct reason *reason);
/* jit_compile, unless a program with this key is remembered. *code has one reference. Thread-safe. */
MUST_USE enum status d3d12_shader_compiler_run(struct d3d12_shader_compiler *compiler,
                                               const struct d3d12_program_key *key, const struct jit_program *program,
                                               struct jit_code **code, struct reason *reason);
/* Programs that were really compiled so far; tests read it. */
uint64_t d3d12_shader_compiler_compile_count(const struct d3d12_shader_compiler *compiler);

#endif
