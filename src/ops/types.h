/* SPDX-License-Identifier: MIT
 * Types shared by the op functions and by jit, which lowers DXIL to calls of them: overload names, the result
 * structures (same memory layout as the LLVM structures that DXIL returns), and the meeting point of a wave operation.
 * Freestanding: compiled natively and to bitcode. */
#ifndef CDXR_OPS_TYPES_H
#define CDXR_OPS_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/* The overload of a dx.op function: the suffix of its DXIL name. The two MIN types stand for f16 and i16 in modules
 * without native 16-bit types, where memory holds 32 bits a component; an op without a row for a MIN type uses the
 * row of F16 or I16. */
enum ops_type {
    OPS_TYPE_VOID, /* DXIL name without overload suffix */
    OPS_TYPE_I1,
    OPS_TYPE_I8,
    OPS_TYPE_I16,
    OPS_TYPE_I32,
    OPS_TYPE_I64,
    OPS_TYPE_F16,
    OPS_TYPE_F32,
    OPS_TYPE_F64,
    OPS_TYPE_MIN_I16,
    OPS_TYPE_MIN_F16,
};

/* How the DXIL operands after the opcode become C arguments. Operands keep order and LLVM type (i32 uint32_t or
 * int32_t, half _Float16, i1 bool, i8 uint8_t); handles become const struct abi_descriptor *; an undef operand must be
 * replaced by zero before the call. OUT results go through a last argument that points to memory of the LLVM result
 * type. */
enum ops_form {
    OPS_FORM_VALUE,       /* result = f(operands); vectors: once per element */
    OPS_FORM_OUT,         /* f(operands, out) */
    OPS_FORM_HANDLE,      /* [result =] f(thread, handles and operands) */
    OPS_FORM_HANDLE_OUT,  /* f(thread, handles and operands, out) */
    OPS_FORM_QUAD_OUT,    /* as HANDLE_OUT with float ddx[0..2], ddy[0..2] of the coordinates as six more operands before
                             out: quad differences that the caller made (zero where there are no quads) */
    OPS_FORM_QUAD,        /* the same, result by value */
    OPS_FORM_VECTOR_LOAD, /* i32 status = f(thread, handle, index, element offset, alignment, count, void *elements) */
    OPS_FORM_VECTOR_STORE, /* f(thread, handle, index, element offset, alignment, count, const void *elements) */
    OPS_FORM_VECTOR_FOLD, /* scalar = f(const T *a, const T *b, count) */
    OPS_FORM_WAVE,        /* through struct ops_wave_step; the function column is ops_wave_run for all */
};

/* dx.types.ResRet.{f32,i32} and so on: four components and the residency status for CheckAccessFullyMapped. */
struct ops_result_32 {
    uint32_t value[4]; /* float bits or integers */
    uint32_t status;
};
struct ops_result_16 {
    uint16_t value[4]; /* half bits or integers */
    uint32_t status;
};
struct ops_result_64 {
    uint64_t value[4];
    uint32_t status;
};
struct ops_two_u32 { /* twoi32, splitdouble */
    uint32_t value[2];
};
struct ops_four_u32 { /* fouri32, Dimensions, CBufRet.f32 and .i32 */
    uint32_t value[4];
};
struct ops_four_u16 { /* unpack4x8.i16, CBufRet.f16 and .i16 of minimum precision */
    uint16_t value[4];
};
struct ops_eight_u16 { /* CBufRet.f16.8 and .i16.8 */
    uint16_t value[8];
};
struct ops_two_u64 { /* CBufRet.f64 and .i64 */
    uint64_t value[2];
};
struct ops_two_float { /* SamplePos */
    float value[2];
};
struct ops_carry { /* i32c */
    uint32_t value;
    bool carry;
};

enum ops_status { OPS_STATUS_NOT_MAPPED = 0, OPS_STATUS_MAPPED = 1 };

enum { OPS_MAX_LANES = 128 };

/* One wave or quad operation. Every active lane writes its operands, waits; when all that take part are here one call of
 * ops_wave_run computes the results of all of them; each lane goes on with its result. Vectors: one step per element. */
struct ops_wave_step {
    uint32_t opcode;     /* DXIL opcode */
    uint32_t type;       /* enum ops_type of the overload */
    uint32_t lane_count; /* 4 to 128 */
    uint32_t op;         /* constant operands: kind of the operation (WaveOpKind, WaveBitOpKind, QuadOpKind, QuadVoteOpKind), */
    uint32_t sign;       /* SignedOpKind: 0 signed, 1 unsigned */
    uint32_t reserved;
    uint64_t active[2];               /* bit l: lane l takes part */
    uint64_t value[OPS_MAX_LANES];    /* bits of the lane's value, zero extended; i1: 0 or 1 */
    uint32_t argument[OPS_MAX_LANES][4]; /* [0] lane or quad lane to read; multi-prefix: the four mask words */
    uint64_t result[OPS_MAX_LANES];   /* bits, zero extended */
    uint32_t result4[OPS_MAX_LANES][4]; /* WaveActiveBallot, WaveMatch */
};

#endif
