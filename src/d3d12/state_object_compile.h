/* SPDX-License-Identifier: MIT
 * From a linked state object to something that runs: machine code of every entry point that is not compiled yet,
 * groups with identifiers, and the pipeline that the executor reads. Entry points of included collections that were
 * compiled with them are taken as they are, identifiers included. */
#ifndef CDXR_D3D12_STATE_OBJECT_COMPILE_H
#define CDXR_D3D12_STATE_OBJECT_COMPILE_H

#include "abi/thread.h"
#include "d3d12/state_object_link.h"

struct d3d12_shader_compiler;
struct jit_code;

struct so_compiled {
    struct arena arena;
    struct jit_code **codes; /* one a home (own libraries, deferred collections); referenced */
    uint32_t code_count;
};

/* Compile what linked needs and set so_export.group of its entry points. The libraries' modules must still be there;
 * linked and the modules of its parts outlive the result or are not needed by it any more, respectively. */
MUST_USE enum status so_compile(struct d3d12_shader_compiler *shader_compiler, struct so_linked *linked,
                                struct so_compiled *compiled, struct reason *reason);
void so_compiled_finish(struct so_compiled *compiled);

/* Fill the executor's pipeline from the groups of linked and of the objects it was grown from (may be NULL). Memory
 * comes from compiled's arena. stack_bytes becomes the default of Raytracing.md "Default pipeline stack size". */
MUST_USE enum status so_make_pipeline(struct so_compiled *compiled, const struct so_linked *linked,
                                      const struct abi_pipeline *grown_from, struct abi_pipeline *pipeline);

/* GetShaderStackSize: UINT32_MAX for what has none. shader: part behind "::" of "HitGroup::anyhit", or NULL. */
uint64_t so_stack_bytes(const struct so_export *export, const char *shader);

/* Names of the parts of a hit group in that syntax. */
#define SO_PART_CLOSEST_HIT  "closesthit"
#define SO_PART_ANY_HIT      "anyhit"
#define SO_PART_INTERSECTION "intersection"

#endif
