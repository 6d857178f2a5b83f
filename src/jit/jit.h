/* SPDX-License-Identifier: MIT
 * The shader compiler: checked DXIL modules and root signatures in, functions of type abi_shader_fn out. Called by
 * d3d12/ when state objects and compute pipeline states are made; nothing is compiled during a dispatch. The room's
 * README says how it works inside. */
#ifndef CDXR_JIT_JIT_H
#define CDXR_JIT_JIT_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/thread.h"
#include "base/status.h"
#include "base/thread_pool.h"

struct dxil_module;         /* dxil/module.h */
struct dxil_root_signature; /* dxil/root_signature.h */
struct jit;
struct jit_code;

enum { JIT_DEFAULT_QUERY_BYTES = 8192 }; /* memory of a ray query where nobody says how much it takes */

struct jit_options {
    uint32_t wave_size;          /* lanes of a wave where the shader does not ask for another; 4 to 128, power of 2 */
    bool debug;                  /* keep variables for the debugger: little optimisation */
    const char *dump_directory;  /* NULL: none. Lowered IR and assembly of every export go here */
    const char *cache_directory; /* NULL: none. Object code by content hash */
    uint64_t query_bytes;        /* abi_services.query_bytes; 0: JIT_DEFAULT_QUERY_BYTES */
    struct thread_pool *pool;    /* exports compile in parallel; NULL: in the caller. Borrowed */
};

/* "LLVM 19.1.7". Static storage. */
const char *jit_compiler_version(void);

/* Defaults and the environment: CDXR_WAVE_SIZE (default 32), CDXR_SHADER_DEBUG=1, CDXR_DUMP=dir, CDXR_CACHE_DIR=dir.
 * Strings are the environment's. */
void jit_options_init(struct jit_options *options);

/* One per device. Thread-safe afterwards. STATUS_INTERNAL: LLVM has no target for this CPU. */
MUST_USE enum status jit_create(const struct jit_options *options, struct jit **jit, struct reason *reason);
/* All code must have been released. */
void jit_destroy(struct jit *jit);
/* Lanes of a wave where the shader does not ask for another. */
uint32_t jit_wave_size(const struct jit *jit);

/* An export of the program to compile. */
struct jit_export {
    const struct dxil_module *module; /* defines it */
    const char *function;             /* name in the module, as dxil_function.name (mangled) */
    const char *name;                 /* for messages, gdb and perf: the export name of the state object */
    const struct dxil_root_signature *global; /* NULL: none */
    const struct dxil_root_signature *local;  /* NULL: none */
};

/* How functions that a module declares and does not define are found: by this table first, then under the same name
 * in any of the modules. */
struct jit_import {
    const char *name; /* as declared (mangled) */
    const struct dxil_module *module;
    const char *function; /* name in that module */
};

struct jit_program {
    const struct dxil_module *const *modules; /* everything that may be linked */
    uint32_t module_count;
    const struct jit_import *imports;
    uint32_t import_count;
    const struct jit_export *exports;
    uint32_t export_count;
};

/* Compile every export, in parallel on the pool. Inputs may be freed afterwards. STATUS_UNSUPPORTED: an operation that
 * cannot be executed; STATUS_INVALID: a register without a root argument, an unresolved import; the reason names the
 * export and the operation, register or function. *code has one reference. */
MUST_USE enum status jit_compile(struct jit *jit, const struct jit_program *program, struct jit_code **code,
                                 struct reason *reason);
/* One message per export that cannot be linked is wanted when a state object is made: names the first function that
 * nothing defines, false when all are there. Needs no compilation. */
bool jit_find_unresolved(const struct jit_program *program, const struct jit_export *wanted, const char **function);

void jit_code_acquire(struct jit_code *code);
/* The last release frees the machine code: no dispatch may still use it. NULL is accepted. */
void jit_code_release(struct jit_code *code);
/* Shader of exports[index]; lives as long as the code. */
const struct abi_shader *jit_code_shader(const struct jit_code *code, uint32_t index);

#endif
