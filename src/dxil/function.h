/* SPDX-License-Identifier: MIT
 * One function body under inspection. Internal to the room: read_function.c walks the records, read_instruction.c and
 * read_memory.c check one instruction each, check_call.c calls, check_flow.c what needs the whole body. */
#ifndef CDXR_DXIL_FUNCTION_H
#define CDXR_DXIL_FUNCTION_H

#include "dxil/reader.h"

/* Instruction record codes of LLVM 3.7. */
enum ir_code {
    CODE_DECLAREBLOCKS = 1,
    CODE_BINOP = 2,
    CODE_CAST = 3,
    CODE_EXTRACTELT = 6,
    CODE_INSERTELT = 7,
    CODE_SHUFFLEVEC = 8,
    CODE_RET = 10,
    CODE_BR = 11,
    CODE_SWITCH = 12,
    CODE_UNREACHABLE = 15,
    CODE_PHI = 16,
    CODE_ALLOCA = 19,
    CODE_LOAD = 20,
    CODE_EXTRACTVAL = 26,
    CODE_INSERTVAL = 27,
    CODE_CMP2 = 28,
    CODE_SELECT = 29,
    CODE_DEBUG_LOC_AGAIN = 33,
    CODE_CALL = 34,
    CODE_DEBUG_LOC = 35,
    CODE_ATOMICRMW = 38,
    CODE_GEP = 43,
    CODE_STORE = 44,
    CODE_CMPXCHG = 46,
};

struct ir_instruction {
    uint32_t code;
    uint32_t block;
    uint32_t value;         /* IR_NONE: no result */
    uint32_t operand_count; /* values used; PHI: (value, block) pairs flattened */
    size_t operand_index;   /* in ir_body.operands */
};

struct ir_block {
    uint32_t first_instruction, end_instruction;
    uint32_t successor_count;
    size_t successor_index; /* in ir_body.successors */
};

struct ir_body {
    struct ir_reader *r;
    const struct ir_function *function;
    uint32_t function_index;
    const char *name; /* for messages */
    struct ir_block *blocks;
    uint32_t block_count;
    uint32_t current_block; /* block that the next instruction goes to; block_count after the last */
    struct ir_instruction *instructions;
    uint32_t instruction_count;
    uint32_t *operands;
    size_t operand_count;
    uint32_t *successors;
    size_t successor_count;
    uint32_t forward_limit; /* values below this may be defined by the records that are left */
    bool phi_allowed;       /* only phis so far in the current block */
    uint64_t local_bytes;   /* of all allocas */
    bool has_location;      /* a line was given, DEBUG_LOC_AGAIN may repeat it */
    bool needs_location;    /* the last instruction was an llvm.dbg call, which LLVM expects to have a line */
};

#define body_corrupt(b, format, ...)                                                                         \
    reader_corrupt((b)->r, format " in function %s", ##__VA_ARGS__, (b)->name)

/* Read a value, its type following when it is defined later. */
bool body_typed_value(struct ir_body *b, struct ir_record *record, uint32_t *id, uint32_t *type);
/* Read a value that must have this type. */
bool body_value(struct ir_body *b, struct ir_record *record, uint32_t type, uint32_t *id);
/* Note the use of value id with a type before its definition; checks that it can still be defined. */
bool body_forward(struct ir_body *b, uint32_t id, uint32_t type);
/* Every operand was used. */
bool body_end_of_record(struct ir_body *b, const struct ir_record *record);
/* Start the instruction of a record; its operands are added by body_use. */
struct ir_instruction *body_begin(struct ir_body *b, const struct ir_record *record);
/* Pointers that lead nowhere (null, undef) make the module corrupt. */
void body_use(struct ir_body *b, struct ir_instruction *instruction, uint32_t id);
/* Give it a result of this type (IR_NONE fails: the table lacks it). */
bool body_result(struct ir_body *b, struct ir_instruction *instruction, uint32_t type);
/* Constant integer in value id? */
bool body_constant(const struct ir_body *b, uint32_t id, uint64_t *integer);

bool body_binary(struct ir_body *b, struct ir_record *record);
bool body_cast(struct ir_body *b, struct ir_record *record);
bool body_compare(struct ir_body *b, struct ir_record *record);
bool body_select(struct ir_body *b, struct ir_record *record);
bool body_extract_element(struct ir_body *b, struct ir_record *record);
bool body_insert_element(struct ir_body *b, struct ir_record *record);
bool body_shuffle(struct ir_body *b, struct ir_record *record);
bool body_extract_value(struct ir_body *b, struct ir_record *record);
bool body_insert_value(struct ir_body *b, struct ir_record *record);
bool body_phi(struct ir_body *b, struct ir_record *record);
bool body_return(struct ir_body *b, struct ir_record *record);
bool body_branch(struct ir_body *b, struct ir_record *record);
bool body_switch(struct ir_body *b, struct ir_record *record);
bool body_unreachable(struct ir_body *b, struct ir_record *record);
bool body_alloca(struct ir_body *b, struct ir_record *record);
bool body_load(struct ir_body *b, struct ir_record *record);
bool body_store(struct ir_body *b, struct ir_record *record);
bool body_gep(struct ir_body *b, struct ir_record *record);
bool body_atomic(struct ir_body *b, struct ir_record *record);
bool body_compare_exchange(struct ir_body *b, struct ir_record *record);
bool body_call(struct ir_body *b, struct ir_record *record);
/* check_op.c: a call of a dx.op function. arguments: values, the opcode first. */
bool body_check_op(struct ir_body *b, const struct ir_function *callee, const uint32_t *arguments, uint32_t count);
/* check_flow.c: blocks, phis, every use dominated by its definition. */
bool body_check_flow(struct ir_body *b);

#endif
