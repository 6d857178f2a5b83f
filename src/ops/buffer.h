/* SPDX-License-Identifier: MIT
 * Constant, raw, structured and typed buffers, counters and atomics through a descriptor. Out of bounds and null
 * descriptors: reads give 0, writes do nothing (D3D11.3 functional specification 5.3.10); structured buffers are checked
 * by element and by offset within the element. thread may be NULL in tests; it is used for messages only. */
#ifndef CDXR_OPS_BUFFER_H
#define CDXR_OPS_BUFFER_H

#include "abi/descriptor.h"
#include "abi/thread.h"
#include "ops/types.h"

/* clang-format off */
/* byte_offset of a scalar; register_index of 16 bytes. */
uint8_t ops_cbuffer_load_i8(struct abi_thread *thread, const struct abi_descriptor *cbuffer, uint32_t byte_offset, uint32_t alignment);
uint16_t ops_cbuffer_load_i16(struct abi_thread *thread, const struct abi_descriptor *cbuffer, uint32_t byte_offset, uint32_t alignment);
uint32_t ops_cbuffer_load_i32(struct abi_thread *thread, const struct abi_descriptor *cbuffer, uint32_t byte_offset, uint32_t alignment);
uint64_t ops_cbuffer_load_i64(struct abi_thread *thread, const struct abi_descriptor *cbuffer, uint32_t byte_offset, uint32_t alignment);
_Float16 ops_cbuffer_load_f16(struct abi_thread *thread, const struct abi_descriptor *cbuffer, uint32_t byte_offset, uint32_t alignment);
float ops_cbuffer_load_f32(struct abi_thread *thread, const struct abi_descriptor *cbuffer, uint32_t byte_offset, uint32_t alignment);
double ops_cbuffer_load_f64(struct abi_thread *thread, const struct abi_descriptor *cbuffer, uint32_t byte_offset, uint32_t alignment);
void ops_cbuffer_load_legacy_i16(struct abi_thread *thread, const struct abi_descriptor *cbuffer, uint32_t register_index, struct ops_eight_u16 *out);
void ops_cbuffer_load_legacy_i32(struct abi_thread *thread, const struct abi_descriptor *cbuffer, uint32_t register_index, struct ops_four_u32 *out);
void ops_cbuffer_load_legacy_i64(struct abi_thread *thread, const struct abi_descriptor *cbuffer, uint32_t register_index, struct ops_two_u64 *out);
void ops_cbuffer_load_legacy_f16(struct abi_thread *thread, const struct abi_descriptor *cbuffer, uint32_t register_index, struct ops_eight_u16 *out);
void ops_cbuffer_load_legacy_f32(struct abi_thread *thread, const struct abi_descriptor *cbuffer, uint32_t register_index, struct ops_four_u32 *out);
void ops_cbuffer_load_legacy_f64(struct abi_thread *thread, const struct abi_descriptor *cbuffer, uint32_t register_index, struct ops_two_u64 *out);
void ops_cbuffer_load_legacy_min_i16(struct abi_thread *thread, const struct abi_descriptor *cbuffer, uint32_t register_index, struct ops_four_u16 *out);
void ops_cbuffer_load_legacy_min_f16(struct abi_thread *thread, const struct abi_descriptor *cbuffer, uint32_t register_index, struct ops_four_u16 *out);
/* Typed, raw (index: byte offset) and structured (index: element, offset: byte in it) buffers by the descriptor's kind. */
void ops_buffer_load_i16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, struct ops_result_16 *out);
void ops_buffer_load_i32(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, struct ops_result_32 *out);
void ops_buffer_load_f16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, struct ops_result_16 *out);
void ops_buffer_load_f32(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, struct ops_result_32 *out);
void ops_buffer_load_min_i16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, struct ops_result_16 *out);
void ops_buffer_load_min_f16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, struct ops_result_16 *out);
void ops_buffer_store_i16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint16_t v0, uint16_t v1, uint16_t v2, uint16_t v3, uint8_t mask);
void ops_buffer_store_i32(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint32_t v0, uint32_t v1, uint32_t v2, uint32_t v3, uint8_t mask);
void ops_buffer_store_f16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, _Float16 v0, _Float16 v1, _Float16 v2, _Float16 v3, uint8_t mask);
void ops_buffer_store_f32(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, float v0, float v1, float v2, float v3, uint8_t mask);
void ops_buffer_store_min_i16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint16_t v0, uint16_t v1, uint16_t v2, uint16_t v3, uint8_t mask);
void ops_buffer_store_min_f16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, _Float16 v0, _Float16 v1, _Float16 v2, _Float16 v3, uint8_t mask);
/* delta: 1 gives the value before, 0xff (-1) the value after. */
uint32_t ops_buffer_update_counter(struct abi_thread *thread, const struct abi_descriptor *buffer, uint8_t delta);
void ops_raw_buffer_load_i16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint8_t mask, uint32_t alignment, struct ops_result_16 *out);
void ops_raw_buffer_load_i32(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint8_t mask, uint32_t alignment, struct ops_result_32 *out);
void ops_raw_buffer_load_i64(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint8_t mask, uint32_t alignment, struct ops_result_64 *out);
void ops_raw_buffer_load_f16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint8_t mask, uint32_t alignment, struct ops_result_16 *out);
void ops_raw_buffer_load_f32(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint8_t mask, uint32_t alignment, struct ops_result_32 *out);
void ops_raw_buffer_load_f64(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint8_t mask, uint32_t alignment, struct ops_result_64 *out);
void ops_raw_buffer_load_min_i16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint8_t mask, uint32_t alignment, struct ops_result_16 *out);
void ops_raw_buffer_load_min_f16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint8_t mask, uint32_t alignment, struct ops_result_16 *out);
void ops_raw_buffer_store_i16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint16_t v0, uint16_t v1, uint16_t v2, uint16_t v3, uint8_t mask, uint32_t alignment);
void ops_raw_buffer_store_i32(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint32_t v0, uint32_t v1, uint32_t v2, uint32_t v3, uint8_t mask, uint32_t alignment);
void ops_raw_buffer_store_i64(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint64_t v0, uint64_t v1, uint64_t v2, uint64_t v3, uint8_t mask, uint32_t alignment);
void ops_raw_buffer_store_f16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, _Float16 v0, _Float16 v1, _Float16 v2, _Float16 v3, uint8_t mask, uint32_t alignment);
void ops_raw_buffer_store_f32(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, float v0, float v1, float v2, float v3, uint8_t mask, uint32_t alignment);
void ops_raw_buffer_store_f64(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, double v0, double v1, double v2, double v3, uint8_t mask, uint32_t alignment);
void ops_raw_buffer_store_min_i16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint16_t v0, uint16_t v1, uint16_t v2, uint16_t v3, uint8_t mask, uint32_t alignment);
void ops_raw_buffer_store_min_f16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, _Float16 v0, _Float16 v1, _Float16 v2, _Float16 v3, uint8_t mask, uint32_t alignment);
/* count elements, contiguous; the load returns the status. */
uint32_t ops_raw_buffer_vector_load_i16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint32_t alignment, uint32_t count, void *out);
uint32_t ops_raw_buffer_vector_load_i32(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint32_t alignment, uint32_t count, void *out);
uint32_t ops_raw_buffer_vector_load_i64(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint32_t alignment, uint32_t count, void *out);
uint32_t ops_raw_buffer_vector_load_f16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint32_t alignment, uint32_t count, void *out);
uint32_t ops_raw_buffer_vector_load_f32(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint32_t alignment, uint32_t count, void *out);
uint32_t ops_raw_buffer_vector_load_f64(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint32_t alignment, uint32_t count, void *out);
uint32_t ops_raw_buffer_vector_load_min_i16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint32_t alignment, uint32_t count, void *out);
uint32_t ops_raw_buffer_vector_load_min_f16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint32_t alignment, uint32_t count, void *out);
void ops_raw_buffer_vector_store_i16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint32_t alignment, uint32_t count, const void *values);
void ops_raw_buffer_vector_store_i32(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint32_t alignment, uint32_t count, const void *values);
void ops_raw_buffer_vector_store_i64(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint32_t alignment, uint32_t count, const void *values);
void ops_raw_buffer_vector_store_f16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint32_t alignment, uint32_t count, const void *values);
void ops_raw_buffer_vector_store_f32(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint32_t alignment, uint32_t count, const void *values);
void ops_raw_buffer_vector_store_f64(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint32_t alignment, uint32_t count, const void *values);
void ops_raw_buffer_vector_store_min_i16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint32_t alignment, uint32_t count, const void *values);
void ops_raw_buffer_vector_store_min_f16(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t offset, uint32_t alignment, uint32_t count, const void *values);
/* op: DXIL AtomicBinOpCode (0 add, and, or, xor, imin, imax, umin, umax, 8 exchange). Coordinates as in loads;
 * buffers and textures alike. The result is the value before. Sequentially consistent. */
uint32_t ops_atomic_bin_op_i32(struct abi_thread *thread, const struct abi_descriptor *uav, uint32_t op, uint32_t c0, uint32_t c1, uint32_t c2, uint32_t value);
uint64_t ops_atomic_bin_op_i64(struct abi_thread *thread, const struct abi_descriptor *uav, uint32_t op, uint32_t c0, uint32_t c1, uint32_t c2, uint64_t value);
uint32_t ops_atomic_compare_exchange_i32(struct abi_thread *thread, const struct abi_descriptor *uav, uint32_t c0, uint32_t c1, uint32_t c2, uint32_t compare, uint32_t value);
uint64_t ops_atomic_compare_exchange_i64(struct abi_thread *thread, const struct abi_descriptor *uav, uint32_t c0, uint32_t c1, uint32_t c2, uint64_t compare, uint64_t value);
/* clang-format on */

#endif
