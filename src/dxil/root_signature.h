/* SPDX-License-Identifier: MIT
 * Root signatures: serialised bytes in, a checked description out, and back. One description serves the API objects
 * (d3d12/root_signature.c), the compiler (register -> root argument) and command lists (where an argument lies).
 * All numbers are those of D3D12's own enums, so that front ends copy fields without tables.
 *
 * Root arguments, global and local, have one layout (dxil_root_signature_finish_layout): parameters in order,
 * constants N * 4 bytes aligned to 4, root descriptors and descriptor tables 8 bytes aligned to 8. Global arguments
 * start at offset 0 of the argument block, local ones right behind the 32-byte identifier of a shader record. */
#ifndef CDXR_DXIL_ROOT_SIGNATURE_H
#define CDXR_DXIL_ROOT_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
    DXIL_ROOT_SIGNATURE_MAX_DWORDS = 64,          /* global: tables 1, descriptors 2, constants N */
    DXIL_ROOT_SIGNATURE_MAX_LOCAL_BYTES = 4064,   /* shader record stride 4096 less the identifier */
    DXIL_ROOT_SIGNATURE_MAX_STATIC_SAMPLERS = 2032, /* of the sampler heap; D3D12 hardware limits */
};
#define DXIL_UNBOUNDED    UINT32_MAX /* descriptor count of an unbounded range */
#define DXIL_RANGE_APPEND UINT32_MAX /* table offset: right behind the range before */

enum dxil_root_signature_version { /* D3D_ROOT_SIGNATURE_VERSION */
    DXIL_ROOT_SIGNATURE_VERSION_1_0 = 1,
    DXIL_ROOT_SIGNATURE_VERSION_1_1 = 2,
    DXIL_ROOT_SIGNATURE_VERSION_1_2 = 3,
};

enum dxil_root_signature_flag { /* D3D12_ROOT_SIGNATURE_FLAGS */
    DXIL_ROOT_SIGNATURE_FLAG_INPUT_LAYOUT = 0x1,
    DXIL_ROOT_SIGNATURE_FLAG_DENY_MASK = 0x33e,
    DXIL_ROOT_SIGNATURE_FLAG_STREAM_OUTPUT = 0x40,
    DXIL_ROOT_SIGNATURE_FLAG_LOCAL = 0x80,
    DXIL_ROOT_SIGNATURE_FLAG_RESOURCE_HEAP_INDEXED = 0x400,
    DXIL_ROOT_SIGNATURE_FLAG_SAMPLER_HEAP_INDEXED = 0x800,
    DXIL_ROOT_SIGNATURE_FLAG_ALL = 0xfff,
};

enum dxil_root_parameter_type { /* D3D12_ROOT_PARAMETER_TYPE */
    DXIL_ROOT_PARAMETER_TABLE = 0,
    DXIL_ROOT_PARAMETER_CONSTANTS = 1,
    DXIL_ROOT_PARAMETER_CBV = 2,
    DXIL_ROOT_PARAMETER_SRV = 3,
    DXIL_ROOT_PARAMETER_UAV = 4,
};

enum dxil_register_type { /* D3D12_DESCRIPTOR_RANGE_TYPE and DXIL::ResourceClass */
    DXIL_REGISTER_SRV = 0,     /* t */
    DXIL_REGISTER_UAV = 1,     /* u */
    DXIL_REGISTER_CBV = 2,     /* b */
    DXIL_REGISTER_SAMPLER = 3, /* s */
};

enum dxil_range_flag { /* D3D12_DESCRIPTOR_RANGE_FLAGS; the DATA_ ones are D3D12_ROOT_DESCRIPTOR_FLAGS too */
    DXIL_RANGE_FLAG_DESCRIPTORS_VOLATILE = 0x1,
    DXIL_RANGE_FLAG_DATA_VOLATILE = 0x2,
    DXIL_RANGE_FLAG_DATA_STATIC_WHILE_SET_AT_EXECUTE = 0x4,
    DXIL_RANGE_FLAG_DATA_STATIC = 0x8,
    DXIL_RANGE_FLAG_DESCRIPTORS_STATIC_KEEPING_BUFFER_BOUNDS_CHECKS = 0x10000,
};

struct dxil_descriptor_range {
    uint32_t type;             /* enum dxil_register_type */
    uint32_t descriptor_count; /* DXIL_UNBOUNDED: to the end of the heap */
    uint32_t base_register;
    uint32_t space;
    uint32_t flags;        /* enum dxil_range_flag */
    uint32_t table_offset; /* as declared, may be DXIL_RANGE_APPEND */
    uint32_t resolved_table_offset; /* in descriptors from the start of the table; set by finish_layout */
};

struct dxil_root_parameter {
    uint32_t type;       /* enum dxil_root_parameter_type */
    uint32_t visibility; /* D3D12_SHADER_VISIBILITY; 0 = ALL */
    uint32_t first_range, range_count; /* tables: into dxil_root_signature.ranges */
    uint32_t shader_register, space;   /* constants and root descriptors */
    uint32_t flags;                    /* root descriptors: DATA_ flags of enum dxil_range_flag */
    uint32_t constant_count;           /* constants: 32-bit values */
    uint32_t argument_offset;          /* bytes; set by finish_layout */
};

struct dxil_static_sampler { /* fields and numbers of D3D12_STATIC_SAMPLER_DESC1 */
    uint32_t filter;
    uint32_t address_u, address_v, address_w;
    float mip_lod_bias;
    uint32_t max_anisotropy;
    uint32_t comparison;
    uint32_t border_color;
    float min_lod, max_lod;
    uint32_t shader_register, space;
    uint32_t visibility;
    uint32_t flags; /* version 1.2; 0 before */
};

/* Owns its three arrays (malloc). Build one by dxil_root_signature_parse, or fill version, flags and the arrays and
 * call dxil_root_signature_finish_layout. Immutable afterwards, readable from every thread. */
struct dxil_root_signature {
    uint32_t version; /* enum dxil_root_signature_version it came in */
    uint32_t flags;   /* enum dxil_root_signature_flag */
    uint32_t parameter_count;
    uint32_t range_count;
    uint32_t static_sampler_count;
    uint32_t argument_bytes; /* of the whole argument block; set by finish_layout */
    uint32_t cost_dwords;    /* of 64; set by finish_layout */
    struct dxil_root_parameter *parameters;
    struct dxil_descriptor_range *ranges;
    struct dxil_static_sampler *static_samplers;
};

/* Free the arrays and zero the struct; accepts a zeroed or half-built one. */
void dxil_root_signature_finish(struct dxil_root_signature *signature);

/* Read a root signature from any of: a DXBC container with an RTS0 part (a serialised root signature, a shader or a
 * library), a library whose subobjects hold exactly one global root signature, or the bare bytes of an RTS0 part.
 * Checks everything, validation included, and finishes the layout.
 * STATUS_CORRUPT: bytes that are no root signature; STATUS_ABSENT: a container without one; STATUS_INVALID: a rule is broken.
 * On failure *signature is zeroed. */
MUST_USE enum status dxil_root_signature_parse(const void *bytes, size_t byte_count,
                                               struct dxil_root_signature *signature, struct reason *reason);

/* True when the container holds an RTS0 part (no further checks). */
bool dxil_root_signature_is_in(const void *bytes, size_t byte_count);

/* Check every rule of D3D12 and compute argument_offset, resolved_table_offset, argument_bytes and cost_dwords.
 * The reason names parameter, range or sampler, value and rule. */
MUST_USE enum status dxil_root_signature_finish_layout(struct dxil_root_signature *signature,
                                                       struct reason *reason);

/* The container D3D12SerializeRootSignature and D3D12SerializeVersionedRootSignature give, in the wanted version:
 * downwards, flags that the version lacks are dropped; upwards from 1.0 they become the volatile ones that 1.0 means.
 * *bytes: malloc, the caller frees. */
MUST_USE enum status dxil_root_signature_serialize(const struct dxil_root_signature *signature, uint32_t version,
                                                   void **bytes, size_t *byte_count, struct reason *reason);

/* Change flags in place to mean the same in another version (as GetRootSignatureDescAtVersion does). */
void dxil_root_signature_convert(struct dxil_root_signature *signature, uint32_t version);

/* Deep copy. */
MUST_USE enum status dxil_root_signature_copy(const struct dxil_root_signature *source,
                                              struct dxil_root_signature *copy);

/* Same parameters, samplers and flags by content (version aside). */
bool dxil_root_signature_equal(const struct dxil_root_signature *a, const struct dxil_root_signature *b);

/* 64-bit content hash, equal for equal signatures, the same in every process. */
uint64_t dxil_root_signature_hash(const struct dxil_root_signature *signature);

enum dxil_binding_kind {
    DXIL_BINDING_NONE = 0, /* the register is not in the signature */
    DXIL_BINDING_CONSTANTS,
    DXIL_BINDING_ROOT_CBV, /* 8-byte GPU virtual address at argument_offset */
    DXIL_BINDING_ROOT_SRV,
    DXIL_BINDING_ROOT_UAV,
    DXIL_BINDING_TABLE, /* 8-byte GPU descriptor handle at argument_offset */
    DXIL_BINDING_STATIC_SAMPLER,
};

struct dxil_binding {
    enum dxil_binding_kind kind;
    uint32_t parameter_index;
    uint32_t argument_offset;      /* bytes from the start of the argument block */
    uint32_t constant_count;       /* CONSTANTS: 32-bit values */
    uint32_t table_offset;         /* TABLE: descriptors from the start of the table to this register */
    uint32_t available_count;      /* registers from this one to the end of its range; DXIL_UNBOUNDED; else 1 */
    uint32_t flags;                /* TABLE, root descriptors: enum dxil_range_flag */
    uint32_t static_sampler_index; /* STATIC_SAMPLER */
};

/* Where a register comes from, as compute and raytracing shaders see it (visibility ALL only). False, kind NONE: the
 * signature does not define it. Offsets are relative to the signature's own argument block. */
bool dxil_root_signature_find(const struct dxil_root_signature *signature, enum dxil_register_type type,
                              uint32_t space, uint32_t shader_register, struct dxil_binding *binding);

/* Letter of a register type in HLSL (t, u, b, s), for messages. */
char dxil_register_letter(enum dxil_register_type type);

#endif
