/* SPDX-License-Identifier: MIT
 * Native half of the op functions (ops/native.h), and the table by which jit finds it. */
#include "ops/native.h"

#include <stddef.h>

#include "abi/services.h"
#include "base/format.h"
#include "ops/bitcode.h"
#include "ops/sample.h"

void ops_native_report_kind(struct abi_thread *thread, const struct abi_descriptor *descriptor)
{
    if (thread && thread->dispatch && thread->dispatch->services && thread->dispatch->services->fault)
        thread->dispatch->services->fault(thread, ABI_FAULT_DESCRIPTOR_KIND, (uint64_t)(uintptr_t)descriptor);
}

static uint8_t *typed_element(const struct abi_descriptor *buffer, uint32_t index, uint32_t bytes)
{
    uint64_t end = ((uint64_t)index + 1) * bytes;
    if (bytes == 0 || end > buffer->buffer.size_bytes)
        return NULL;
    return (uint8_t *)(uintptr_t)buffer->buffer.address + (uint64_t)index * bytes;
}

void ops_native_typed_load(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t out[4])
{
    const struct format_info *info = format_get_info(buffer->format);
    const uint8_t *element = typed_element(buffer, index, info->block_bytes);
    if (element) {
        format_load(buffer->format, element, out);
        return;
    }
    format_default(buffer->format, out);
    if (buffer->buffer.address == 0)
        out[3] = 0;
}

void ops_native_typed_store(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index,
                            const uint32_t in[4])
{
    uint8_t *element = typed_element(buffer, index, format_get_info(buffer->format)->block_bytes);
    if (element)
        format_store(buffer->format, element, in);
}

extern float __extendhfsf2(_Float16 x);
extern _Float16 __truncsfhf2(float x);
extern _Float16 __truncdfhf2(double x);

#define SYMBOL(name) {#name, (const void *)(uintptr_t)name}
const struct ops_native_symbol ops_native_symbols[] = {
    SYMBOL(ops_native_typed_load),
    SYMBOL(ops_native_typed_store),
    SYMBOL(ops_native_atomic_address),
    SYMBOL(ops_native_report_kind),
    SYMBOL(ops_native_sample),
    SYMBOL(ops_native_calculate_lod),
    SYMBOL(ops_native_gather),
    SYMBOL(ops_native_texture_load),
    SYMBOL(ops_native_texture_store),
    SYMBOL(ops_native_get_dimensions),
    SYMBOL(ops_native_sample_position),
    /* What LLVM calls for half types on CPUs without F16C. */
    SYMBOL(__extendhfsf2),
    SYMBOL(__truncsfhf2),
    SYMBOL(__truncdfhf2),
};
const size_t ops_native_symbol_count = sizeof(ops_native_symbols) / sizeof(ops_native_symbols[0]);
