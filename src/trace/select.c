/* SPDX-License-Identifier: MIT
 * Which kernel runs: the strongest that was built, that this CPU has and that CDXR_ISA allows. */
#include <stddef.h>

#include "trace/tables.h"
#include "trace/trace.h"

const struct trace_table *trace_table_for(enum cpu_isa isa)
{
    if (isa > cpu_isa_detected())
        return NULL;
    switch (isa) {
    case CPU_ISA_SCALAR:
        return &trace_table_scalar;
#if defined(__x86_64__)
    case CPU_ISA_SSE42:
        return &trace_table_sse42;
    case CPU_ISA_AVX2:
        return &trace_table_avx2;
    case CPU_ISA_AVX512:
        return &trace_table_avx512;
#elif defined(__aarch64__)
    case CPU_ISA_NEON:
        return &trace_table_neon;
#endif
    default:
        return NULL;
    }
}

const struct trace_table *trace_table(void)
{
    const struct trace_table *table = trace_table_for(cpu_isa_best());
    return table ? table : &trace_table_scalar;
}
