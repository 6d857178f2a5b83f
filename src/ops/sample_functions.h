/* SPDX-License-Identifier: MIT
 * The sampling code is built once for every x86-64 CPU and once for AVX2 and F16C: same operations in the same order, so the
 * same results. One table per build; sample_select.c takes one. Private to ops. */
#ifndef CDXR_OPS_SAMPLE_FUNCTIONS_H
#define CDXR_OPS_SAMPLE_FUNCTIONS_H

#include "ops/sample.h"

/* Contracts: ops_native_sample, ops_native_calculate_lod, ops_native_gather in sample.h. */
struct sample_functions {
    void (*sample)(struct abi_thread *thread, const struct abi_descriptor *texture, const struct abi_descriptor *sampler,
                   const struct ops_sample_arguments *arguments, uint32_t out[4]);
    float (*calculate_lod)(struct abi_thread *thread, const struct abi_descriptor *texture,
                           const struct abi_descriptor *sampler, const struct ops_sample_arguments *arguments, bool clamped);
    void (*gather)(struct abi_thread *thread, const struct abi_descriptor *texture, const struct abi_descriptor *sampler,
                   const struct ops_sample_arguments *arguments, uint32_t channel, uint32_t mode, uint64_t out[4]);
};

extern const struct sample_functions sample_functions_baseline;
extern const struct sample_functions sample_functions_avx2; /* x86-64 only */

#endif
