/* SPDX-License-Identifier: MIT */
#include "accel/read.h"

#include "base/cpu.h"

extern const struct accel_read_kernels accel_read_kernels_baseline;
#if defined(__x86_64__)
extern const struct accel_read_kernels accel_read_kernels_avx2;
#endif

const struct accel_read_kernels *accel_read_kernels(void)
{
#if defined(__x86_64__)
    if (cpu_isa_best() >= CPU_ISA_AVX2 && cpu_isa_best() <= CPU_ISA_AVX512)
        return &accel_read_kernels_avx2;
#endif
    return &accel_read_kernels_baseline;
}
