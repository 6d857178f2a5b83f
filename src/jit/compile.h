/* SPDX-License-Identifier: MIT
 * What the steps of one compilation share. A unit is one export on its way from DXIL to an object file; each step is one
 * file: link.c, clean.c, lower*.c, emit.c, in the order of jit_unit_compile (unit.c). A unit belongs to one thread and
 * has an LLVM context of its own. */
#ifndef CDXR_JIT_COMPILE_H
#define CDXR_JIT_COMPILE_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <stdbool.h>
#include <stdint.h>

#include "dxil/module.h"
#include "dxil/root_signature.h"
#include "jit/jit.h"

struct jit_library;

struct jit {
    struct jit_options options;
    LLVMTargetRef target;
    char *triple;
    char *cpu;
    char *features;
    char *layout; /* data layout of the host */
    struct jit_library *library;
    uint64_t target_hash; /* of everything above that changes the code; part of the cache key */
};

enum {
    JIT_MAX_FUNCTIONS = 4096,
    JIT_MAX_STACK_BYTES = 4 << 20, /* worker stacks hold several shaders and the traversal between them */
};

/* What a root descriptor or root constants were made from. */
struct jit_root_handle {
    LLVMValueRef memory, address, bytes;
    uint32_t kind, stride;
    bool is_uav;
};
enum { JIT_MAX_ROOT_HANDLES = 256 };

struct jit_unit {
    struct jit *jit;
    const struct jit_program *program;
    const struct jit_export *export;
    const struct dxil_module *main; /* module that defines the export */
    const struct dxil_function *info;
    struct reason *reason;
    uint64_t query_bytes; /* of abi_services; part of the frame of shaders with ray queries */

    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTargetDataRef layout;
    LLVMValueRef entry; /* the export's function; after lower_signatures void (thread, payload, attributes) */

    LLVMValueRef own_payload; /* the shader's copy of a qualified payload, NULL: none (payload.c) */

    /* Facts about the shader that lowering finds out. */
    bool uses_wave;
    bool uses_quads;
    bool uses_barrier;
    uint32_t wave_site_count;
    uint32_t groupshared_bytes;
    uint32_t reported_attribute_bytes; /* intersection: largest attribute struct of ReportHit, by HLSL rules */
    uint32_t query_count, query_next;
    struct jit_root_handle root_handles[JIT_MAX_ROOT_HANDLES];
    uint32_t root_handle_count;
    uint64_t variable_bytes; /* of all functions that are linked */
    uint64_t stack_bytes;
    char diagnostic[256]; /* first error that LLVM reported into the context */

    LLVMMemoryBufferRef object; /* result */
    char symbol[96];            /* of the entry in the object */
};

/* The result of compiling one export. */
struct jit_compiled {
    struct abi_shader shader; /* function is set by code.c; name is the export's */
    LLVMMemoryBufferRef object;
    char symbol[96];
};

/* unit.c */
MUST_USE enum status jit_unit_compile(struct jit *jit, const struct jit_program *program,
                                      const struct jit_export *wanted, struct jit_compiled *compiled,
                                      struct reason *reason);
/* Failure that names the export; format gives the rest of the sentence. */
enum status jit_unit_fail(struct jit_unit *unit, enum status code, const char *format, ...) PRINTF_LIKE(3, 4);

/* Lanes of a wave of this shader: what it asks for, else the device's. */
uint32_t jit_unit_wave_size(const struct jit_unit *unit);

/* library.c: the bitcode of device/ and ops/, prepared once so that only what is used is linked. */
MUST_USE enum status jit_library_create(struct jit_library **library, struct reason *reason);
void jit_library_destroy(struct jit_library *library);
uint64_t jit_library_hash(const struct jit_library *library);
/* Link what unit->module calls and does not define. */
MUST_USE enum status jit_library_link(struct jit_unit *unit);

/* Attribute of functions that came from DXIL: their first parameter is the thread. */
#define JIT_SHADER_ATTRIBUTE "cdxr-shader"

/* link.c: unit->module becomes the export and every function it reaches. */
MUST_USE enum status jit_link_reachable(struct jit_unit *unit);
/* Index in program->modules of the module that a name with the suffix of link.c came from; -1: none. Writes the name
 * without suffix. */
int jit_link_origin(const char *name, size_t name_bytes, char *plain, size_t plain_bytes);

/* clean.c: take away everything that lets LLVM assume more than DXIL promises; make all indexing safe. */
MUST_USE enum status jit_clean(struct jit_unit *unit);
/* For shaders in C: attributes only (a CPU, optnone, noinline). */
void jit_clean_attributes(struct jit_unit *unit);
/* Inline calls; functions that stay have a reason (size). Refuses recursion. */
MUST_USE enum status jit_inline_calls(struct jit_unit *unit);

/* lower*.c */
MUST_USE enum status jit_lower_signatures(struct jit_unit *unit);
MUST_USE enum status jit_lower(struct jit_unit *unit);
MUST_USE enum status jit_lower_instructions(struct jit_unit *unit, LLVMValueRef function);
/* Instead of all others for shaders written in C. */
MUST_USE enum status jit_lower_c(struct jit_unit *unit);
/* value with denormals replaced by zero of the same sign; float or a vector of floats. */
LLVMValueRef jit_flush_denormals(struct jit_unit *unit, LLVMValueRef value);
MUST_USE enum status jit_lower_groupshared(struct jit_unit *unit);
MUST_USE enum status jit_lower_hit_objects(struct jit_unit *unit, LLVMValueRef function);
/* Each replaces one call of a dx.op function. The builder stands before it. *result: what replaces its value, NULL where
 * it has none; the caller deletes the call unless *result is the call itself. */
struct jit_call {
    LLVMValueRef call;
    LLVMValueRef function; /* the function that holds it */
    LLVMValueRef thread;
    const struct dxil_op *op;
    char overload[64]; /* suffix of the dx.op name behind its class, "" = none */
    unsigned argument_count; /* without the opcode */
    LLVMValueRef arguments[32];
};
MUST_USE enum status jit_lower_handle(struct jit_unit *unit, struct jit_call *call, LLVMValueRef *result);
/* Pointer to the descriptor of element index (i32) of the resource variable global. */
MUST_USE enum status jit_resource_pointer(struct jit_unit *unit, struct jit_call *call, LLVMValueRef global,
                                          LLVMValueRef index, LLVMValueRef *pointer);
/* Pointer to the descriptor that a handle stands for. A descriptor of the frame is copied for each operation: it is seen to
 * hold known values there, whatever the stores in between reach. */
LLVMValueRef jit_descriptor_of_handle(struct jit_unit *unit, struct jit_call *call, LLVMValueRef handle);
MUST_USE enum status jit_lower_library_op(struct jit_unit *unit, struct jit_call *call, LLVMValueRef *result);
MUST_USE enum status jit_lower_ray_op(struct jit_unit *unit, struct jit_call *call, LLVMValueRef *result);
MUST_USE enum status jit_lower_wave_op(struct jit_unit *unit, struct jit_call *call, LLVMValueRef *result);
/* Whether lower_handles.c, lower_rays.c, lower_ops.c have a case for the opcode (overload "f32", "v4i32" ...; NULL: any). */
bool jit_is_handle_op(uint32_t opcode);
bool jit_is_ray_op(uint32_t opcode);
bool jit_is_library_op(uint32_t opcode, const char *overload);
/* Loop back-edges look at the abort flag; done after optimisation. */
MUST_USE enum status jit_add_abort_polls(struct jit_unit *unit);

/* payload.c: payload access qualifiers. Before lowering the shader gets a copy of its payload, after lowering each
 * return writes back what its stage may write. */
MUST_USE enum status jit_apply_payload_qualifiers(struct jit_unit *unit);
void jit_return_payload(struct jit_unit *unit);

/* converge.c: give every wave operation of the export the key by which lanes meet. */
MUST_USE enum status jit_add_convergence_keys(struct jit_unit *unit);

/* flow.c: the control flow graph of a function, in reverse post-order. */
struct flow_block {
    LLVMBasicBlockRef block;
    uint32_t dominator; /* index of the immediate dominator; own index for the entry */
    uint32_t *successors, *predecessors;
    uint32_t successor_count, predecessor_count;
};
struct flow {
    struct flow_block *blocks; /* reachable ones; an edge to an index not above its own goes back */
    uint32_t count;
    uint32_t *edges; /* storage of all successor and predecessor lists */
};
MUST_USE enum status flow_create(LLVMValueRef function, struct flow *flow);
void flow_finish(struct flow *flow);
bool flow_dominates(const struct flow *flow, uint32_t above, uint32_t below);
/* flow->count where the block is not reachable. */
uint32_t flow_index(const struct flow *flow, LLVMBasicBlockRef block);

/* emit.c */
MUST_USE enum status jit_optimize(struct jit_unit *unit, LLVMTargetMachineRef machine);
MUST_USE enum status jit_emit_object(struct jit_unit *unit, LLVMTargetMachineRef machine);
void jit_dump_module(const struct jit_unit *unit, const char *stage);

/* ir.c: short helpers over llvm-c. */
LLVMTypeRef ir_i1(struct jit_unit *unit);
LLVMTypeRef ir_i8(struct jit_unit *unit);
LLVMTypeRef ir_i32(struct jit_unit *unit);
LLVMTypeRef ir_i64(struct jit_unit *unit);
LLVMTypeRef ir_float(struct jit_unit *unit);
LLVMTypeRef ir_pointer(struct jit_unit *unit);
LLVMTypeRef ir_void(struct jit_unit *unit);
LLVMValueRef ir_u32(struct jit_unit *unit, uint32_t value);
LLVMValueRef ir_u64(struct jit_unit *unit, uint64_t value);
LLVMValueRef ir_bool(struct jit_unit *unit, bool value);
/* Memory in the entry block of function, zeroed by nobody. */
LLVMValueRef ir_alloca(struct jit_unit *unit, LLVMValueRef function, LLVMTypeRef type, unsigned align, const char *name);
/* base + offset bytes. */
LLVMValueRef ir_offset(struct jit_unit *unit, LLVMValueRef base, uint64_t offset_bytes);
/* Call of an external C function, declared on first use from the types of the arguments. */
LLVMValueRef ir_call(struct jit_unit *unit, const char *name, LLVMTypeRef result, LLVMValueRef *arguments, unsigned count);
/* Cut block in front of instruction: what stands before moves to a new block, which is returned and has no terminator yet;
 * every jump to block now reaches the new one. block keeps instruction and the rest, and its identity in phis behind. */
LLVMBasicBlockRef ir_split_before(struct jit_unit *unit, LLVMValueRef instruction);
/* The struct that a called operation is named after: "dx.op.traceRay.struct.Payload"; NULL: none. */
LLVMTypeRef ir_named_type(struct jit_unit *unit, LLVMValueRef call);
/* Uses by constant expressions that nobody uses do not count. */
bool ir_has_instruction_use(LLVMValueRef value);
/* return of function with an undefined (zero) value. */
void ir_return_zero(struct jit_unit *unit, LLVMValueRef function);
/* Constant data as a private global. */
LLVMValueRef ir_constant_bytes(struct jit_unit *unit, const void *bytes, size_t byte_count, const char *name);
/* For-each over instructions that tolerates deletion of the current one. */
#define IR_FOR_EACH_BLOCK(block, function)                                                                   \
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
#define IR_FOR_EACH_INSTRUCTION(instruction, block)                                                          \
    for (LLVMValueRef instruction = LLVMGetFirstInstruction(block), next_of_##instruction = NULL;            \
         instruction && (next_of_##instruction = LLVMGetNextInstruction(instruction), true);                 \
         instruction = next_of_##instruction)
#define IR_FOR_EACH_FUNCTION(function, module)                                                               \
    for (LLVMValueRef function = LLVMGetFirstFunction(module), next_of_##function = NULL;                    \
         function && (next_of_##function = LLVMGetNextFunction(function), true); function = next_of_##function)

#endif
