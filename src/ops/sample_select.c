/* SPDX-License-Identifier: MIT
 * The entries of ops/sample.h: on to the build of the sampling code for this CPU. */
#include "base/cpu.h"
#include "ops/sample_functions.h"

static const struct sample_functions *functions(void)
{
#if defined(__x86_64__)
    /* The same answer whoever asks first: threads may race for the store. */
    static const struct sample_functions *chosen;
    const struct sample_functions *known = __atomic_load_n(&chosen, __ATOMIC_RELAXED);
    if (__builtin_expect(known != 0, 1))
        return known;
    bool has_f16c = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
    known = cpu_isa_best() >= CPU_ISA_AVX2 && has_f16c ? &sample_functions_avx2 : &sample_functions_baseline;
    __atomic_store_n(&chosen, known, __ATOMIC_RELAXED);
    return known;
#else
    return &sample_functions_baseline;
#endif
}

void ops_native_sample(struct abi_thread *thread, const struct abi_descriptor *texture,
                       const struct abi_descriptor *sampler, const struct ops_sample_arguments *arguments, uint32_t out[4])
{
    functions()->sample(thread, texture, sampler, arguments, out);
}

float ops_native_calculate_lod(struct abi_thread *thread, const struct abi_descriptor *texture,
                               const struct abi_descriptor *sampler, const struct ops_sample_arguments *arguments,
                               bool clamped)
{
    return functions()->calculate_lod(thread, texture, sampler, arguments, clamped);
}

void ops_native_gather(struct abi_thread *thread, const struct abi_descriptor *texture,
                       const struct abi_descriptor *sampler, const struct ops_sample_arguments *arguments,
                       uint32_t channel, uint32_t mode, uint64_t out[4])
{
    functions()->gather(thread, texture, sampler, arguments, channel, mode, out);
}
