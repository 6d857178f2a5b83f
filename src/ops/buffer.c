/* SPDX-License-Identifier: MIT
 * Constant, raw, structured and typed buffers (ops/buffer.h). Compiled natively and to bitcode: with a constant mask and a
 * descriptor in registers a load is one bounds check and the loads of its components. */
#include "ops/buffer.h"

#include <string.h>

#include "ops/inline.h"
#include "ops/native.h"

/* The bytes from an address to the end of what may be read there: the rest of a raw buffer or of a structure. */
struct span {
    uint8_t *address;
    uint64_t bytes;
};

OPS_HELPER struct span span_of(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index,
                               uint32_t offset)
{
    const struct abi_buffer_view *view = &buffer->buffer;
    struct span span = {(uint8_t *)(uintptr_t)view->address, 0};
    if (buffer->kind == ABI_DESCRIPTOR_STRUCTURED_BUFFER) {
        uint64_t begin = (uint64_t)index * view->stride;
        if (begin + view->stride <= view->size_bytes && offset < view->stride) {
            span.address += begin + offset;
            span.bytes = view->stride - offset;
        }
    } else if (buffer->kind == ABI_DESCRIPTOR_RAW_BUFFER) {
        uint64_t begin = (uint64_t)index + offset;
        if (begin < view->size_bytes) {
            span.address += begin;
            span.bytes = view->size_bytes - begin;
        }
    } else {
        ops_native_report_kind(thread, buffer);
    }
    return span;
}

OPS_HELPER uint32_t mask_count(uint32_t mask) /* components up to the highest one wanted */
{
    return mask & 8 ? 4 : mask & 4 ? 3 : mask & 2 ? 2 : mask & 1;
}

/* Components are checked one by one only where the last one is out of bounds. A cast macro names the conversion from
 * the memory type M to the result word. */
#define LOAD_COMPONENTS(M, span, mask, out, convert)                                                          \
    do {                                                                                                      \
        uint32_t wanted_bytes = mask_count(mask) * (uint32_t)sizeof(M);                                       \
        bool all = (span).bytes >= wanted_bytes;                                                              \
        for (uint32_t i = 0; i < 4; i++) {                                                                    \
            M element = 0;                                                                                    \
            if ((mask) >> i & 1 && (all || (span).bytes >= (i + 1) * sizeof(M)))                              \
                memcpy(&element, (span).address + i * sizeof(M), sizeof(M));                                  \
            (out)->value[i] = convert(element);                                                               \
        }                                                                                                     \
        (out)->status = OPS_STATUS_MAPPED;                                                                    \
    } while (0)

#define STORE_COMPONENTS(M, span, mask, v0, v1, v2, v3)                                                       \
    do {                                                                                                      \
        M elements[4] = {v0, v1, v2, v3};                                                                     \
        bool all = (span).bytes >= mask_count(mask) * sizeof(M);                                              \
        for (uint32_t i = 0; i < 4; i++)                                                                      \
            if ((mask) >> i & 1 && (all || (span).bytes >= (i + 1) * sizeof(M)))                              \
                memcpy((span).address + i * sizeof(M), &elements[i], sizeof(M));                              \
    } while (0)

#define SAME(x) (x)
#define MIN_HALF(x) half_bits((_Float16)bits_float(x))
#define MIN_SHORT(x) ((uint16_t)(x))
#define WIDE_HALF(x) float_bits((float)(x))
#define WIDE_SHORT(x) ((uint32_t)(int32_t)(int16_t)(x))

/* suffix: overload; M: type in memory; R: result; V: operand type; load, store: conversions. */
#define RAW_BUFFER_OPS(suffix, M, R, V, load, store)                                                          \
    OPS_SHORT void ops_raw_buffer_load_##suffix(struct abi_thread *thread, const struct abi_descriptor *buffer, \
                                                uint32_t index, uint32_t offset, uint8_t mask,                \
                                                uint32_t alignment, struct R *out)                            \
    {                                                                                                         \
        struct span span = span_of(thread, buffer, index, offset);                                            \
        LOAD_COMPONENTS(M, span, mask, out, load);                                                            \
    }                                                                                                         \
    OPS_SHORT void ops_raw_buffer_store_##suffix(struct abi_thread *thread, const struct abi_descriptor *buffer, \
                                                 uint32_t index, uint32_t offset, V v0, V v1, V v2, V v3,     \
                                                 uint8_t mask, uint32_t alignment)                            \
    {                                                                                                         \
        struct span span = span_of(thread, buffer, index, offset);                                            \
        STORE_COMPONENTS(M, span, mask, store(v0), store(v1), store(v2), store(v3));                          \
    }

RAW_BUFFER_OPS(i32, uint32_t, ops_result_32, uint32_t, SAME, SAME)
RAW_BUFFER_OPS(f32, uint32_t, ops_result_32, float, SAME, float_bits)
RAW_BUFFER_OPS(i64, uint64_t, ops_result_64, uint64_t, SAME, SAME)
RAW_BUFFER_OPS(f64, uint64_t, ops_result_64, double, SAME, double_bits)
RAW_BUFFER_OPS(i16, uint16_t, ops_result_16, uint16_t, SAME, SAME)
RAW_BUFFER_OPS(f16, uint16_t, ops_result_16, _Float16, SAME, half_bits)
RAW_BUFFER_OPS(min_i16, uint32_t, ops_result_16, uint16_t, MIN_SHORT, WIDE_SHORT)
RAW_BUFFER_OPS(min_f16, uint32_t, ops_result_16, _Float16, MIN_HALF, WIDE_HALF)

/* Any number of elements of a vector; in and out of memory by V's bits. Elements are checked one by one only where the
 * last one is out of bounds, so that a vector inside is one check and one vector load. */
#define VECTOR_OPS(suffix, M, U, load, store)                                                                 \
    OPS_HELPER void vector_load_##suffix(const uint8_t *from, uint32_t count, uint8_t *out)                   \
    {                                                                                                         \
        for (uint32_t i = 0; i < count; i++) {                                                                \
            M element;                                                                                        \
            memcpy(&element, from + (uint64_t)i * sizeof(M), sizeof(M));                                      \
            U value = load(element);                                                                          \
            memcpy(out + (uint64_t)i * sizeof(U), &value, sizeof(U));                                         \
        }                                                                                                     \
    }                                                                                                         \
    OPS_HELPER void vector_store_##suffix(uint8_t *to, uint32_t count, const uint8_t *values)                 \
    {                                                                                                         \
        for (uint32_t i = 0; i < count; i++) {                                                                \
            U value;                                                                                          \
            memcpy(&value, values + (uint64_t)i * sizeof(U), sizeof(U));                                      \
            M element = store(value);                                                                         \
            memcpy(to + (uint64_t)i * sizeof(M), &element, sizeof(M));                                        \
        }                                                                                                     \
    }                                                                                                         \
    OPS_SHORT uint32_t ops_raw_buffer_vector_load_##suffix(struct abi_thread *thread,                         \
                                                           const struct abi_descriptor *buffer, uint32_t index, \
                                                           uint32_t offset, uint32_t alignment, uint32_t count, \
                                                           void *out)                                         \
    {                                                                                                         \
        struct span span = span_of(thread, buffer, index, offset);                                            \
        if (span.bytes >= (uint64_t)count * sizeof(M)) {                                                      \
            vector_load_##suffix(span.address, count, out);                                                   \
        } else {                                                                                              \
            for (uint32_t i = 0; i < count; i++) {                                                            \
                M element = 0;                                                                                \
                if (span.bytes >= ((uint64_t)i + 1) * sizeof(M))                                              \
                    memcpy(&element, span.address + (uint64_t)i * sizeof(M), sizeof(M));                      \
                U value = load(element);                                                                      \
                memcpy((uint8_t *)out + (uint64_t)i * sizeof(U), &value, sizeof(U));                          \
            }                                                                                                 \
        }                                                                                                     \
        return OPS_STATUS_MAPPED;                                                                             \
    }                                                                                                         \
    OPS_SHORT void ops_raw_buffer_vector_store_##suffix(struct abi_thread *thread,                            \
                                                        const struct abi_descriptor *buffer, uint32_t index,  \
                                                        uint32_t offset, uint32_t alignment, uint32_t count,  \
                                                        const void *values)                                   \
    {                                                                                                         \
        struct span span = span_of(thread, buffer, index, offset);                                            \
        if (span.bytes >= (uint64_t)count * sizeof(M))                                                        \
            vector_store_##suffix(span.address, count, values);                                               \
        else                                                                                                  \
            vector_store_##suffix(span.address, (uint32_t)(span.bytes / sizeof(M)), values);                  \
    }
#define WIDE_HALF_BITS(x) float_bits((float)bits_half(x))

VECTOR_OPS(i32, uint32_t, uint32_t, SAME, SAME)
VECTOR_OPS(f32, uint32_t, uint32_t, SAME, SAME)
VECTOR_OPS(i64, uint64_t, uint64_t, SAME, SAME)
VECTOR_OPS(f64, uint64_t, uint64_t, SAME, SAME)
VECTOR_OPS(i16, uint16_t, uint16_t, SAME, SAME)
VECTOR_OPS(f16, uint16_t, uint16_t, SAME, SAME)
VECTOR_OPS(min_i16, uint32_t, uint16_t, MIN_SHORT, WIDE_SHORT)
VECTOR_OPS(min_f16, uint32_t, uint16_t, MIN_HALF, WIDE_HALF_BITS)

/* bufferLoad and bufferStore: typed views, and raw and structured ones up to shader model 6.1 (32-bit components in
 * memory for all but native 16-bit types, which that model does not have). */
#define BUFFER_OPS(suffix, M, R, V, load, store, from_typed, to_typed)                                        \
    OPS_SHORT void ops_buffer_load_##suffix(struct abi_thread *thread, const struct abi_descriptor *buffer,   \
                                            uint32_t index, uint32_t offset, struct R *out)                   \
    {                                                                                                         \
        if (buffer->kind == ABI_DESCRIPTOR_TYPED_BUFFER) {                                                    \
            uint32_t words[4];                                                                                \
            ops_native_typed_load(thread, buffer, index, words);                                              \
            for (uint32_t i = 0; i < 4; i++)                                                                  \
                out->value[i] = from_typed(words[i]);                                                         \
            out->status = OPS_STATUS_MAPPED;                                                                  \
            return;                                                                                           \
        }                                                                                                     \
        struct span span = span_of(thread, buffer, index, offset);                                            \
        LOAD_COMPONENTS(M, span, 15, out, load);                                                              \
    }                                                                                                         \
    OPS_SHORT void ops_buffer_store_##suffix(struct abi_thread *thread, const struct abi_descriptor *buffer,  \
                                             uint32_t index, uint32_t offset, V v0, V v1, V v2, V v3, uint8_t mask) \
    {                                                                                                         \
        if (buffer->kind == ABI_DESCRIPTOR_TYPED_BUFFER) {                                                    \
            uint32_t words[4] = {to_typed(v0), to_typed(v1), to_typed(v2), to_typed(v3)};                     \
            ops_native_typed_store(thread, buffer, index, words);                                             \
            return;                                                                                           \
        }                                                                                                     \
        struct span span = span_of(thread, buffer, index, offset);                                            \
        STORE_COMPONENTS(M, span, mask, store(v0), store(v1), store(v2), store(v3));                          \
    }

BUFFER_OPS(i32, uint32_t, ops_result_32, uint32_t, SAME, SAME, SAME, SAME)
BUFFER_OPS(f32, uint32_t, ops_result_32, float, SAME, float_bits, SAME, float_bits)
BUFFER_OPS(i16, uint16_t, ops_result_16, uint16_t, SAME, SAME, MIN_SHORT, WIDE_SHORT)
BUFFER_OPS(f16, uint16_t, ops_result_16, _Float16, SAME, half_bits, MIN_HALF, WIDE_HALF)
BUFFER_OPS(min_i16, uint32_t, ops_result_16, uint16_t, MIN_SHORT, WIDE_SHORT, MIN_SHORT, WIDE_SHORT)
BUFFER_OPS(min_f16, uint32_t, ops_result_16, _Float16, MIN_HALF, WIDE_HALF, MIN_HALF, WIDE_HALF)

OPS_HELPER struct span cbuffer_span(struct abi_thread *thread, const struct abi_descriptor *cbuffer, uint64_t offset)
{
    struct span span = {(uint8_t *)(uintptr_t)(cbuffer->buffer.address + offset), 0};
    if (cbuffer->kind != ABI_DESCRIPTOR_CBV)
        ops_native_report_kind(thread, cbuffer);
    else if (offset < cbuffer->buffer.size_bytes)
        span.bytes = cbuffer->buffer.size_bytes - offset;
    return span;
}

#define CBUFFER_LOAD(suffix, M, V, convert)                                                                   \
    OPS_SHORT V ops_cbuffer_load_##suffix(struct abi_thread *thread, const struct abi_descriptor *cbuffer,    \
                                          uint32_t byte_offset, uint32_t alignment)                           \
    {                                                                                                         \
        struct span span = cbuffer_span(thread, cbuffer, byte_offset);                                        \
        M element = 0;                                                                                        \
        if (span.bytes >= sizeof(M))                                                                          \
            memcpy(&element, span.address, sizeof(M));                                                        \
        return convert(element);                                                                              \
    }

CBUFFER_LOAD(i8, uint8_t, uint8_t, SAME)
CBUFFER_LOAD(i16, uint16_t, uint16_t, SAME)
CBUFFER_LOAD(i32, uint32_t, uint32_t, SAME)
CBUFFER_LOAD(i64, uint64_t, uint64_t, SAME)
CBUFFER_LOAD(f16, uint16_t, _Float16, bits_half)
CBUFFER_LOAD(f32, uint32_t, float, bits_float)
CBUFFER_LOAD(f64, uint64_t, double, bits_double)

/* One 16-byte register as `count` elements of type M. */
#define CBUFFER_LOAD_LEGACY(suffix, M, R, count, convert)                                                     \
    OPS_SHORT void ops_cbuffer_load_legacy_##suffix(struct abi_thread *thread, const struct abi_descriptor *cbuffer, \
                                                    uint32_t register_index, struct R *out)                   \
    {                                                                                                         \
        struct span span = cbuffer_span(thread, cbuffer, (uint64_t)register_index * 16);                      \
        bool all = span.bytes >= 16;                                                                          \
        for (uint32_t i = 0; i < (count); i++) {                                                              \
            M element = 0;                                                                                    \
            if (all || span.bytes >= (i + 1) * sizeof(M))                                                     \
                memcpy(&element, span.address + i * sizeof(M), sizeof(M));                                    \
            out->value[i] = convert(element);                                                                 \
        }                                                                                                     \
    }

CBUFFER_LOAD_LEGACY(i32, uint32_t, ops_four_u32, 4, SAME)
CBUFFER_LOAD_LEGACY(f32, uint32_t, ops_four_u32, 4, SAME)
CBUFFER_LOAD_LEGACY(i64, uint64_t, ops_two_u64, 2, SAME)
CBUFFER_LOAD_LEGACY(f64, uint64_t, ops_two_u64, 2, SAME)
CBUFFER_LOAD_LEGACY(i16, uint16_t, ops_eight_u16, 8, SAME)
CBUFFER_LOAD_LEGACY(f16, uint16_t, ops_eight_u16, 8, SAME)
CBUFFER_LOAD_LEGACY(min_i16, uint32_t, ops_four_u16, 4, MIN_SHORT)
CBUFFER_LOAD_LEGACY(min_f16, uint32_t, ops_four_u16, 4, MIN_HALF)

OPS_SHORT uint32_t ops_buffer_update_counter(struct abi_thread *thread, const struct abi_descriptor *buffer,
                                             uint8_t delta)
{
    uint32_t *counter = (uint32_t *)(uintptr_t)buffer->buffer.counter_address;
    if (buffer->kind != ABI_DESCRIPTOR_STRUCTURED_BUFFER || !counter)
        return 0;
    if (delta == 1)
        return __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
    return __atomic_sub_fetch(counter, 1, __ATOMIC_SEQ_CST);
}
