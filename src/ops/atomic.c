/* SPDX-License-Identifier: MIT
 * Atomic operations on raw, structured and typed buffers and on textures (ops/buffer.h). Compiled natively and to
 * bitcode. */
#include "ops/buffer.h"
#include "ops/inline.h"
#include "ops/native.h"

enum atomic_op { /* DXIL AtomicBinOpCode */
    ATOMIC_OP_ADD,
    ATOMIC_OP_AND,
    ATOMIC_OP_OR,
    ATOMIC_OP_XOR,
    ATOMIC_OP_IMIN,
    ATOMIC_OP_IMAX,
    ATOMIC_OP_UMIN,
    ATOMIC_OP_UMAX,
    ATOMIC_OP_EXCHANGE,
};

/* Aligned address inside the view, or NULL. A misaligned offset (which the shader must not use) is rounded down. */
OPS_HELPER void *atomic_address(struct abi_thread *thread, const struct abi_descriptor *uav, uint32_t c0, uint32_t c1,
                                uint32_t c2, uint32_t bytes)
{
    const struct abi_buffer_view *view = &uav->buffer;
    uint64_t offset = c0 & ~(bytes - 1);
    if (uav->kind == ABI_DESCRIPTOR_STRUCTURED_BUFFER) {
        uint64_t inner = c1 & ~(bytes - 1);
        if (inner + bytes > view->stride)
            return 0;
        offset = ((uint64_t)c0 * view->stride + inner) & ~(uint64_t)(bytes - 1);
    } else if (uav->kind != ABI_DESCRIPTOR_RAW_BUFFER) {
        return ops_native_atomic_address(thread, uav, c0, c1, c2, bytes);
    }
    return offset + bytes <= view->size_bytes ? (uint8_t *)(uintptr_t)view->address + offset : 0;
}

#define ATOMIC_OPS(suffix, U, S)                                                                              \
    OPS_HELPER U atomic_choose_##suffix(uint32_t op, U a, U b)                                                \
    {                                                                                                         \
        switch (op) {                                                                                         \
        case ATOMIC_OP_IMIN:                                                                                  \
            return (S)a < (S)b ? a : b;                                                                       \
        case ATOMIC_OP_IMAX:                                                                                  \
            return (S)a > (S)b ? a : b;                                                                       \
        case ATOMIC_OP_UMIN:                                                                                  \
            return a < b ? a : b;                                                                             \
        default:                                                                                              \
            return a > b ? a : b;                                                                             \
        }                                                                                                     \
    }                                                                                                         \
    OPS_SHORT U ops_atomic_bin_op_##suffix(struct abi_thread *thread, const struct abi_descriptor *uav,       \
                                           uint32_t op, uint32_t c0, uint32_t c1, uint32_t c2, U value)       \
    {                                                                                                         \
        U *cell = atomic_address(thread, uav, c0, c1, c2, sizeof(U));                                         \
        if (!cell)                                                                                            \
            return 0;                                                                                         \
        switch (op) {                                                                                         \
        case ATOMIC_OP_ADD:                                                                                   \
            return __atomic_fetch_add(cell, value, __ATOMIC_SEQ_CST);                                         \
        case ATOMIC_OP_AND:                                                                                   \
            return __atomic_fetch_and(cell, value, __ATOMIC_SEQ_CST);                                         \
        case ATOMIC_OP_OR:                                                                                    \
            return __atomic_fetch_or(cell, value, __ATOMIC_SEQ_CST);                                          \
        case ATOMIC_OP_XOR:                                                                                   \
            return __atomic_fetch_xor(cell, value, __ATOMIC_SEQ_CST);                                         \
        case ATOMIC_OP_EXCHANGE:                                                                              \
            return __atomic_exchange_n(cell, value, __ATOMIC_SEQ_CST);                                        \
        default:                                                                                              \
            break;                                                                                            \
        }                                                                                                     \
        U old = __atomic_load_n(cell, __ATOMIC_RELAXED);                                                      \
        while (!__atomic_compare_exchange_n(cell, &old, atomic_choose_##suffix(op, old, value), 0, __ATOMIC_SEQ_CST, \
                                            __ATOMIC_RELAXED)) {                                              \
        }                                                                                                     \
        return old;                                                                                           \
    }                                                                                                         \
    OPS_SHORT U ops_atomic_compare_exchange_##suffix(struct abi_thread *thread, const struct abi_descriptor *uav, \
                                                     uint32_t c0, uint32_t c1, uint32_t c2, U compare, U value) \
    {                                                                                                         \
        U *cell = atomic_address(thread, uav, c0, c1, c2, sizeof(U));                                         \
        if (cell)                                                                                             \
            __atomic_compare_exchange_n(cell, &compare, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);        \
        return cell ? compare : 0;                                                                            \
    }

ATOMIC_OPS(i32, uint32_t, int32_t)
ATOMIC_OPS(i64, uint64_t, int64_t)
