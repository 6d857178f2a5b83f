/* SPDX-License-Identifier: MIT
 * The module checker's own view of a module, and the steps that fill it: types, attributes, globals, constants, metadata,
 * function bodies. Internal to the room. module.c runs the steps in the order of the bitcode; each step checks what
 * LLVM's bitcode reader takes on trust, marks the items of the bitstream that LLVM shall not see as dropped, and rewrites
 * operands where DXIL and LLVM 19 differ. Steps return false after reader_fail(); the first reason stays. */
#ifndef CDXR_DXIL_READER_H
#define CDXR_DXIL_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "dxil/bitstream.h"
#include "dxil/module.h"

#define IR_NONE 0xffffffffu

enum {
    IR_ADDRESS_SPACES = 8,       /* DXIL: 0 local, 1 device, 2 cbuffer, 3 groupshared, 6 node records */
    IR_ADDRESS_SPACE_GROUPSHARED = 3,
    IR_VECTOR_LANES_MAX = 1024,
    IR_PARAMETERS_MAX = 256,
    IR_TYPE_DEPTH_MAX = 64, /* LLVM and type_text recurse over nested types */
};
/* Largest variable: groupshared has 32 KiB, indexable temporaries 16 KiB; generous, but a stack can hold it. */
#define IR_VARIABLE_MAX_BYTES (1u << 20)

/* Block ids and record codes of LLVM 3.7 bitcode. */
enum {
    BLOCK_MODULE = 8,
    BLOCK_PARAMATTR = 9,
    BLOCK_PARAMATTR_GROUP = 10,
    BLOCK_CONSTANTS = 11,
    BLOCK_FUNCTION = 12,
    BLOCK_SYMBOLS = 14,
    BLOCK_METADATA = 15,
    BLOCK_ATTACHMENTS = 16,
    BLOCK_TYPES = 17,
    BLOCK_USELIST = 18,
};

enum ir_type_kind {
    IR_TYPE_VOID,
    IR_TYPE_HALF,
    IR_TYPE_FLOAT,
    IR_TYPE_DOUBLE,
    IR_TYPE_INTEGER,
    IR_TYPE_POINTER,
    IR_TYPE_VECTOR,
    IR_TYPE_ARRAY,
    IR_TYPE_STRUCT,
    IR_TYPE_FUNCTION,
    IR_TYPE_LABEL,
    IR_TYPE_METADATA,
};

struct ir_type {
    uint8_t kind;          /* enum ir_type_kind */
    uint8_t width;         /* integers: bits */
    uint8_t address_space; /* pointers */
    uint8_t depth;         /* of nesting, at most IR_TYPE_DEPTH_MAX */
    uint32_t element;      /* pointee, element of arrays and vectors, return type of functions */
    uint32_t count;        /* struct members, parameters, vector lanes */
    const uint32_t *elements; /* struct members, parameters */
    uint64_t array_count;
    uint64_t byte_count; /* in memory by LLVM's layout for the host (jit README), saturating; 0: has none */
    uint32_t align_bytes;
    bool not_plain; /* holds pointers or arrays without a length: cannot be memory of a shader */
    const char *name;    /* structs, NULL: literal */
    uint32_t pointers[IR_ADDRESS_SPACES]; /* pointer types to this one, IR_NONE */
    uint32_t *vectors;                    /* by lane count, NULL: none */
    uint32_t pair_with_i1;                /* the literal struct {this, i1} that cmpxchg gives */
};

enum ir_value_kind {
    IR_VALUE_FORWARD, /* referenced, not defined yet; type may be IR_NONE */
    IR_VALUE_GLOBAL,
    IR_VALUE_FUNCTION,
    IR_VALUE_INTEGER,
    IR_VALUE_FLOAT,
    IR_VALUE_NULL,
    IR_VALUE_UNDEF,
    IR_VALUE_AGGREGATE,
    IR_VALUE_DATA,
    IR_VALUE_EXPRESSION,
    IR_VALUE_ARGUMENT,
    IR_VALUE_INSTRUCTION,
};

struct ir_value {
    uint8_t kind; /* enum ir_value_kind */
    uint32_t type;
    uint32_t index;   /* global, function, argument, instruction; item of the stream for AGGREGATE, DATA, EXPRESSION */
    uint64_t integer; /* INTEGER: zero-extended. FLOAT: bits */
};

struct ir_global {
    const char *name; /* NULL until the symbol table names it */
    uint32_t value;
    uint32_t value_type;
    uint32_t initializer; /* value, IR_NONE */
    bool external;
};

enum ir_intrinsic {
    IR_INTRINSIC_NONE,
    IR_INTRINSIC_LIFETIME_START,
    IR_INTRINSIC_LIFETIME_END,
    IR_INTRINSIC_DBG_DECLARE,
    IR_INTRINSIC_DBG_VALUE,
};

struct ir_function {
    const char *name;
    const char *op_class; /* behind "dx.op.", NULL for other functions; ends at its '.' or the end */
    uint32_t value;
    uint32_t type;
    uint32_t attributes; /* attribute list, 0 = none */
    uint32_t body_item;  /* ENTER of its block, IR_NONE */
    bool defined;
    bool external;
    bool fast_calling;
    bool has_checked_suffix; /* dx.op: the name's suffix was looked at */
    enum ir_intrinsic intrinsic;
    uint32_t listed; /* index in dxil_module.functions, IR_NONE */
};

enum ir_metadata_kind {
    IR_METADATA_STRING = 1,
    IR_METADATA_VALUE = 2,
    IR_METADATA_NODE = 3, /* tuples, distinct ones too */
    IR_METADATA_DEBUG = 4, /* code tells which */
};

struct ir_metadata {
    uint8_t kind;   /* enum ir_metadata_kind */
    uint8_t code;   /* record code of debug information */
    uint32_t count; /* operands, or characters */
    union {
        const char *text;          /* STRING: ends with a zero */
        const uint64_t *operands;  /* NODE: id + 1 or 0; DEBUG: raw */
        uint32_t value;            /* VALUE */
    };
};

struct ir_named_metadata {
    const char *name;
    uint32_t count;
    const uint64_t *ids;
};

struct ir_attribute_group {
    uint32_t id;
    uint32_t position; /* 0 return, 1.. parameters, 0xffffffff function */
    bool dropped; /* nothing in it for LLVM */
    enum dxil_denorm_mode denorm_mode;
};

struct ir_attribute_list {
    enum dxil_denorm_mode denorm_mode;
};

enum { IR_METADATA_KINDS_MAX = 256 };

struct ir_reader {
    struct bitstream stream;
    struct arena arena;   /* lives as long as the reading */
    struct arena scratch; /* emptied after each function */
    struct arena *output; /* the module's */
    struct dxil_module *module;
    struct reason *reason;
    enum status status;

    struct ir_type *types;
    uint32_t type_count, type_capacity;
    uint32_t scalar_types[8]; /* half, float, double, i1, i8, i16, i32, i64: type or IR_NONE */
    uint32_t handle_type;     /* %dx.types.Handle, IR_NONE */

    struct ir_attribute_group *groups;
    uint32_t group_count;
    struct ir_attribute_list *attribute_lists;
    uint32_t attribute_list_count;

    struct ir_value *values;
    uint32_t value_count, value_capacity;
    uint32_t module_value_count; /* values before any function's own */
    struct ir_global *globals;
    uint32_t global_count;
    struct ir_function *functions;
    uint32_t function_count;
    uint32_t next_body; /* function that the next function block defines */

    struct ir_notes *notes; /* program.c */
    struct ir_metadata *metadata;
    uint32_t metadata_count, metadata_capacity;
    uint32_t module_metadata_count;
    const bool *debug_lists; /* by metadata: a tuple that holds debug information */
    struct ir_named_metadata *named;
    uint32_t named_count;
    const char *metadata_kinds[IR_METADATA_KINDS_MAX];
};

/* A record under inspection: its operands and a read position. */
struct ir_record {
    struct bitstream_item *item;
    uint64_t *operands;
    uint32_t count;
    uint32_t at;
};

/* reader.c */
/* Sets status and reason (first one wins). */
void reader_set_reason(struct ir_reader *r, enum status status, const char *format, ...) PRINTF_LIKE(3, 4);
/* The same, with the value false, so that compilers see that nothing behind a failed step is used. */
#define reader_fail(r, ...) (reader_set_reason(r, __VA_ARGS__), reader_false())
static inline bool reader_false(void)
{
    return false;
}
#define reader_corrupt(r, ...) reader_fail(r, STATUS_CORRUPT, __VA_ARGS__)
/* Zeroed memory from the arena; NULL after failing with out of memory. */
void *reader_allocate(struct ir_reader *r, struct arena *arena, size_t count, size_t element_bytes);
struct ir_record reader_record(struct ir_reader *r, uint32_t item_index);
/* Next operand, which must be at most maximum; what: for the reason. */
bool record_next(struct ir_reader *r, struct ir_record *record, uint64_t maximum, const char *what, uint64_t *value);
bool record_next_u32(struct ir_reader *r, struct ir_record *record, const char *what, uint32_t *value);
/* Operands [first, count) as characters; zero bytes and values above 255 fail. Allocated in arena. */
bool record_text(struct ir_reader *r, const struct ir_record *record, uint32_t first, struct arena *arena,
                 const char **text);
/* Signed VBR: sign in the lowest bit. */
int64_t reader_signed(uint64_t value);
/* Printable form of a symbol in messages: leaves out the leading \01. */
const char *reader_symbol(const char *name);

/* read_types.c */
bool reader_types(struct ir_reader *r, uint32_t enter);
/* Type of an id, NULL after failing. */
const struct ir_type *reader_type(struct ir_reader *r, uint64_t id, const char *what);
bool type_is_integer(const struct ir_type *type);
bool type_is_float(const struct ir_type *type);
/* Bits of a scalar: 16, 32, 64 or an integer's width; 0 for others. */
uint32_t type_scalar_bits(const struct ir_type *type);
/* May be the type of a value that instructions pass around. */
bool type_is_first_class(const struct ir_type *type);
/* The element of a vector, the type itself otherwise. */
uint32_t type_scalar(const struct ir_reader *r, uint32_t id);
/* Lanes of a vector, 0 otherwise. */
uint32_t type_lanes(const struct ir_reader *r, uint32_t id);
/* i1, or a vector of i1 with the lanes of id; IR_NONE where the table has none. */
uint32_t type_with_shape(const struct ir_reader *r, uint32_t scalar, uint32_t shape_of);
enum { SCALAR_HALF, SCALAR_FLOAT, SCALAR_DOUBLE, SCALAR_I1, SCALAR_I8, SCALAR_I16, SCALAR_I32, SCALAR_I64 };
/* "float", "<4 x i32>", "%struct.Payload*": into text. Returns text. */
const char *type_text(const struct ir_reader *r, uint32_t id, char text[64]);
/* Follow constant or dynamic indices from aggregate type; for getelementptr and extractvalue. */
uint32_t type_member(const struct ir_reader *r, uint32_t aggregate, uint64_t member);

/* read_attributes.c */
bool reader_attribute_groups(struct ir_reader *r, uint32_t enter);
bool reader_attribute_lists(struct ir_reader *r, uint32_t enter);

/* read_globals.c */
bool reader_global_variable(struct ir_reader *r, uint32_t item_index);
bool reader_function_declaration(struct ir_reader *r, uint32_t item_index);
/* After the module's constants: every initializer fits its variable. */
bool reader_check_initializers(struct ir_reader *r);
bool reader_symbols(struct ir_reader *r, uint32_t enter);
/* After the symbols: classes of functions, signatures of intrinsics, nothing without a name. */
bool reader_check_symbols(struct ir_reader *r);

/* read_constants.c */
bool reader_constants(struct ir_reader *r, uint32_t enter);
/* Append a value; NULL after failing. */
struct ir_value *reader_add_value(struct ir_reader *r, enum ir_value_kind kind, uint32_t type);
bool value_is_constant(const struct ir_value *value);

/* read_metadata.c */
bool reader_metadata(struct ir_reader *r, uint32_t enter, bool in_function);
bool reader_attachments(struct ir_reader *r, uint32_t enter, uint32_t instruction_count);
const struct ir_named_metadata *reader_named(const struct ir_reader *r, const char *name);
/* Operand of a node: NULL for a null operand or one out of range. */
const struct ir_metadata *metadata_operand(const struct ir_reader *r, const struct ir_metadata *node, uint32_t index);
/* debug_info.c: a record as it is read; the references once all module metadata is known. */
bool reader_debug_record(struct ir_reader *r, struct ir_record *record);
bool reader_check_debug_info(struct ir_reader *r);
/* Roles that instructions demand of metadata. */
bool metadata_is_code_scope(const struct ir_metadata *metadata);
bool metadata_is_location(const struct ir_metadata *metadata);
bool metadata_is_local_variable(const struct ir_metadata *metadata);
bool metadata_is_expression(const struct ir_metadata *metadata);

/* read_function.c */
bool reader_function_body(struct ir_reader *r, uint32_t enter);

/* program.c: who calls what. Notes are kept per function while its body is read. */
bool reader_note_call(struct ir_reader *r, const struct ir_function *caller, const struct ir_function *callee);
bool reader_note_op(struct ir_reader *r, const struct ir_function *caller, const struct dxil_op *op);
/* Ends the notes of a function: they become part of its description. */
bool reader_end_notes(struct ir_reader *r, const struct ir_function *function);
/* Recursion, stages, imports. After describe. */
bool reader_check_program(struct ir_reader *r);
/* describe.c: fills the module from metadata and functions. list_functions comes before the bodies. */
bool reader_list_functions(struct ir_reader *r);
bool reader_describe(struct ir_reader *r, const struct dxil_program *program);

#endif
