/* SPDX-License-Identifier: MIT
 * Arithmetic of D3D12 shaders: scalar functions, one per DXIL operation and type. Pure: no memory, no state.
 * Rules: D3D11.3 functional specification 3.1 (floats), DXIL.rst, the fixtures. Every result is the same on every CPU:
 * IEEE operations in a fixed order, no libm, no contraction. Denormals are kept; a caller that must flush uses
 * ops_flush_*. i16, i32 and i64 values travel as unsigned types, signed operations read them as two's complement.
 * Half functions compute in float and round once to nearest even. Errors of the transcendental float functions are at
 * most 1 ULP, of half ones at most 1 ULP of half. */
#ifndef CDXR_OPS_MATH_H
#define CDXR_OPS_MATH_H

#include "ops/types.h"

/* clang-format off */
/* Unary floats. saturate(NaN) = 0; exp and log are base 2; round_ni = floor, round_pi = ceil, round_z = trunc; frc = x - floor(x). */
_Float16 ops_fabs_f16(_Float16 x);
float ops_fabs_f32(float x);
double ops_fabs_f64(double x);
_Float16 ops_saturate_f16(_Float16 x);
float ops_saturate_f32(float x);
double ops_saturate_f64(double x);
_Float16 ops_cos_f16(_Float16 x);
float ops_cos_f32(float x);
_Float16 ops_sin_f16(_Float16 x);
float ops_sin_f32(float x);
_Float16 ops_tan_f16(_Float16 x);
float ops_tan_f32(float x);
_Float16 ops_acos_f16(_Float16 x);
float ops_acos_f32(float x);
_Float16 ops_asin_f16(_Float16 x);
float ops_asin_f32(float x);
_Float16 ops_atan_f16(_Float16 x);
float ops_atan_f32(float x);
_Float16 ops_hcos_f16(_Float16 x);
float ops_hcos_f32(float x);
_Float16 ops_hsin_f16(_Float16 x);
float ops_hsin_f32(float x);
_Float16 ops_htan_f16(_Float16 x);
float ops_htan_f32(float x);
_Float16 ops_exp_f16(_Float16 x);
float ops_exp_f32(float x);
_Float16 ops_frc_f16(_Float16 x);
float ops_frc_f32(float x);
_Float16 ops_log_f16(_Float16 x);
float ops_log_f32(float x);
_Float16 ops_sqrt_f16(_Float16 x);
float ops_sqrt_f32(float x);
_Float16 ops_rsqrt_f16(_Float16 x);
float ops_rsqrt_f32(float x);
_Float16 ops_round_ne_f16(_Float16 x);
float ops_round_ne_f32(float x);
_Float16 ops_round_ni_f16(_Float16 x);
float ops_round_ni_f32(float x);
_Float16 ops_round_pi_f16(_Float16 x);
float ops_round_pi_f32(float x);
_Float16 ops_round_z_f16(_Float16 x);
float ops_round_z_f32(float x);
bool ops_is_nan_f16(_Float16 x);
bool ops_is_nan_f32(float x);
bool ops_is_nan_f64(double x);
bool ops_is_inf_f16(_Float16 x);
bool ops_is_inf_f32(float x);
bool ops_is_inf_f64(double x);
bool ops_is_finite_f16(_Float16 x);
bool ops_is_finite_f32(float x);
bool ops_is_finite_f64(double x);
bool ops_is_normal_f16(_Float16 x);
bool ops_is_normal_f32(float x);
bool ops_is_normal_f64(double x);
/* x with a denormal replaced by a zero of its sign (function attribute fp32-denorm-mode=ftz). */
float ops_flush_f32(float x);
/* Bits. firstbit_lo: index of the lowest set bit; firstbit_hi: distance of the highest set bit from the top bit;
 * firstbit_shi: the same for a negative number's complement; all: 0xffffffff when there is none. */
uint16_t ops_bfrev_i16(uint16_t x);
uint32_t ops_bfrev_i32(uint32_t x);
uint64_t ops_bfrev_i64(uint64_t x);
uint32_t ops_countbits_i16(uint16_t x);
uint32_t ops_countbits_i32(uint32_t x);
uint32_t ops_countbits_i64(uint64_t x);
uint32_t ops_firstbit_lo_i16(uint16_t x);
uint32_t ops_firstbit_lo_i32(uint32_t x);
uint32_t ops_firstbit_lo_i64(uint64_t x);
uint32_t ops_firstbit_hi_i16(uint16_t x);
uint32_t ops_firstbit_hi_i32(uint32_t x);
uint32_t ops_firstbit_hi_i64(uint64_t x);
uint32_t ops_firstbit_shi_i16(uint16_t x);
uint32_t ops_firstbit_shi_i32(uint32_t x);
uint32_t ops_firstbit_shi_i64(uint64_t x);
/* The number when one side is NaN; max(-0, 0) = 0, min(-0, 0) = -0. */
_Float16 ops_fmax_f16(_Float16 a, _Float16 b);
float ops_fmax_f32(float a, float b);
double ops_fmax_f64(double a, double b);
_Float16 ops_fmin_f16(_Float16 a, _Float16 b);
float ops_fmin_f32(float a, float b);
double ops_fmin_f64(double a, double b);
uint16_t ops_imax_i16(uint16_t a, uint16_t b);
uint32_t ops_imax_i32(uint32_t a, uint32_t b);
uint64_t ops_imax_i64(uint64_t a, uint64_t b);
uint16_t ops_imin_i16(uint16_t a, uint16_t b);
uint32_t ops_imin_i32(uint32_t a, uint32_t b);
uint64_t ops_imin_i64(uint64_t a, uint64_t b);
uint16_t ops_umax_i16(uint16_t a, uint16_t b);
uint32_t ops_umax_i32(uint32_t a, uint32_t b);
uint64_t ops_umax_i64(uint64_t a, uint64_t b);
uint16_t ops_umin_i16(uint16_t a, uint16_t b);
uint32_t ops_umin_i32(uint32_t a, uint32_t b);
uint64_t ops_umin_i64(uint64_t a, uint64_t b);
/* out: high word, low word; udiv: quotient, remainder, all ones for a zero divisor. */
void ops_imul_i32(uint32_t a, uint32_t b, struct ops_two_u32 *out);
void ops_umul_i32(uint32_t a, uint32_t b, struct ops_two_u32 *out);
void ops_udiv_i32(uint32_t a, uint32_t b, struct ops_two_u32 *out);
void ops_uaddc_i32(uint32_t a, uint32_t b, struct ops_carry *out);
void ops_usubb_i32(uint32_t a, uint32_t b, struct ops_carry *out);
/* fmad: product rounded, then sum; fma: rounded once. */
_Float16 ops_fmad_f16(_Float16 a, _Float16 b, _Float16 c);
float ops_fmad_f32(float a, float b, float c);
double ops_fmad_f64(double a, double b, double c);
double ops_fma_f64(double a, double b, double c);
uint16_t ops_imad_i16(uint16_t a, uint16_t b, uint16_t c);
uint32_t ops_imad_i32(uint32_t a, uint32_t b, uint32_t c);
uint64_t ops_imad_i64(uint64_t a, uint64_t b, uint64_t c);
uint16_t ops_umad_i16(uint16_t a, uint16_t b, uint16_t c);
uint32_t ops_umad_i32(uint32_t a, uint32_t b, uint32_t c);
uint64_t ops_umad_i64(uint64_t a, uint64_t b, uint64_t c);
/* a: reference, four bytes; b: source; c: accumulator. Differences of bytes where the reference is 0 do not count. */
uint32_t ops_msad_i32(uint32_t a, uint32_t b, uint32_t c);
/* width a and offset b (5 bits each) of value c. */
uint32_t ops_ibfe_i32(uint32_t a, uint32_t b, uint32_t c);
uint32_t ops_ubfe_i32(uint32_t a, uint32_t b, uint32_t c);
uint32_t ops_bfi_i32(uint32_t width, uint32_t offset, uint32_t value, uint32_t replaced);
/* Sums run from the first component to the last. dot2 and dot3 fuse each product into the sum, dot4 and fdot keep products
 * and sums in double: a sum that fits a float is not lost to a product that does not (the fixtures expect it). */
_Float16 ops_dot2_f16(_Float16 ax, _Float16 ay, _Float16 bx, _Float16 by);
float ops_dot2_f32(float ax, float ay, float bx, float by);
_Float16 ops_dot3_f16(_Float16 ax, _Float16 ay, _Float16 az, _Float16 bx, _Float16 by, _Float16 bz);
float ops_dot3_f32(float ax, float ay, float az, float bx, float by, float bz);
_Float16 ops_dot4_f16(_Float16 ax, _Float16 ay, _Float16 az, _Float16 aw, _Float16 bx, _Float16 by, _Float16 bz, _Float16 bw);
float ops_dot4_f32(float ax, float ay, float az, float aw, float bx, float by, float bz, float bw);
_Float16 ops_fdot_f16(const _Float16 *a, const _Float16 *b, uint32_t count);
float ops_fdot_f32(const float *a, const float *b, uint32_t count);
float ops_dot2_add_half_f32(float accumulator, _Float16 ax, _Float16 ay, _Float16 bx, _Float16 by);
uint32_t ops_dot4_add_i8_packed_i32(uint32_t accumulator, uint32_t a, uint32_t b);
uint32_t ops_dot4_add_u8_packed_i32(uint32_t accumulator, uint32_t a, uint32_t b);
/* Conversions and bit casts. Float to integer clamps; NaN gives 0. */
double ops_make_double_f64(uint32_t low, uint32_t high);
void ops_split_double_f64(double x, struct ops_two_u32 *out);
_Float16 ops_bitcast_i16_to_f16(uint16_t x);
uint16_t ops_bitcast_f16_to_i16(_Float16 x);
float ops_bitcast_i32_to_f32(uint32_t x);
uint32_t ops_bitcast_f32_to_i32(float x);
double ops_bitcast_i64_to_f64(uint64_t x);
uint64_t ops_bitcast_f64_to_i64(double x);
uint32_t ops_legacy_f32_to_f16(float x);      /* half bits in the low word, high word 0; to nearest even */
float ops_legacy_f16_to_f32(uint32_t x);      /* looks at the low word only */
float ops_legacy_double_to_float(double x);
uint32_t ops_legacy_double_to_sint32(double x);
uint32_t ops_legacy_double_to_uint32(double x);
/* mode: Unpack4x8Mode (0 unsigned, 1 signed), Pack4x8Mode (0 truncate, 1 clamp to 0..255, 2 clamp to -128..127) */
void ops_unpack4x8_i16(uint8_t mode, uint32_t packed, struct ops_four_u16 *out);
void ops_unpack4x8_i32(uint8_t mode, uint32_t packed, struct ops_four_u32 *out);
uint32_t ops_pack4x8_i16(uint8_t mode, uint16_t x, uint16_t y, uint16_t z, uint16_t w);
uint32_t ops_pack4x8_i32(uint8_t mode, uint32_t x, uint32_t y, uint32_t z, uint32_t w);
bool ops_check_access_fully_mapped_i32(uint32_t status);
/* LLVM instructions with D3D meaning: see OPS_INSTRUCTION_LIST in op_list.h. */
uint16_t ops_udiv_inst_i16(uint16_t a, uint16_t b);
uint32_t ops_udiv_inst_i32(uint32_t a, uint32_t b);
uint64_t ops_udiv_inst_i64(uint64_t a, uint64_t b);
uint16_t ops_urem_inst_i16(uint16_t a, uint16_t b);
uint32_t ops_urem_inst_i32(uint32_t a, uint32_t b);
uint64_t ops_urem_inst_i64(uint64_t a, uint64_t b);
uint16_t ops_sdiv_inst_i16(uint16_t a, uint16_t b);
uint32_t ops_sdiv_inst_i32(uint32_t a, uint32_t b);
uint64_t ops_sdiv_inst_i64(uint64_t a, uint64_t b);
uint16_t ops_srem_inst_i16(uint16_t a, uint16_t b);
uint32_t ops_srem_inst_i32(uint32_t a, uint32_t b);
uint64_t ops_srem_inst_i64(uint64_t a, uint64_t b);
uint16_t ops_fptosi_f16_i16(_Float16 x);
uint32_t ops_fptosi_f16_i32(_Float16 x);
uint64_t ops_fptosi_f16_i64(_Float16 x);
uint16_t ops_fptosi_f32_i16(float x);
uint32_t ops_fptosi_f32_i32(float x);
uint64_t ops_fptosi_f32_i64(float x);
uint16_t ops_fptosi_f64_i16(double x);
uint32_t ops_fptosi_f64_i32(double x);
uint64_t ops_fptosi_f64_i64(double x);
uint16_t ops_fptoui_f16_i16(_Float16 x);
uint32_t ops_fptoui_f16_i32(_Float16 x);
uint64_t ops_fptoui_f16_i64(_Float16 x);
uint16_t ops_fptoui_f32_i16(float x);
uint32_t ops_fptoui_f32_i32(float x);
uint64_t ops_fptoui_f32_i64(float x);
uint16_t ops_fptoui_f64_i16(double x);
uint32_t ops_fptoui_f64_i32(double x);
uint64_t ops_fptoui_f64_i64(double x);
/* clang-format on */

#endif
