/* SPDX-License-Identifier: MIT
 * What the inlined op functions call and the bitcode does not contain: formats, texel addresses, messages. Their
 * addresses stand in ops_native_symbols (bitcode.h). Arguments were not checked by the caller. */
#ifndef CDXR_OPS_NATIVE_H
#define CDXR_OPS_NATIVE_H

#include "abi/descriptor.h"
#include "abi/thread.h"
#include "ops/types.h"

/* One element of a typed buffer: 32-bit components, the format's kind; zeros (and no default alpha) out of bounds. */
void ops_native_typed_load(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index, uint32_t out[4]);
void ops_native_typed_store(struct abi_thread *thread, const struct abi_descriptor *buffer, uint32_t index,
                            const uint32_t in[4]);
/* The 4 or 8 bytes that an atomic operation on a typed buffer or texture works on; NULL out of bounds. */
void *ops_native_atomic_address(struct abi_thread *thread, const struct abi_descriptor *uav, uint32_t c0, uint32_t c1,
                                uint32_t c2, uint32_t bytes);
/* Tells the services that a descriptor is of the wrong kind for the operation. */
void ops_native_report_kind(struct abi_thread *thread, const struct abi_descriptor *descriptor);

#endif
