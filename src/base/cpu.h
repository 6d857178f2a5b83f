/* SPDX-License-Identifier: MIT
 * Instruction sets that kernels are built for, weakest to strongest. */
#ifndef CDXR_BASE_CPU_H
#define CDXR_BASE_CPU_H

enum cpu_isa { CPU_ISA_SCALAR, CPU_ISA_SSE42, CPU_ISA_AVX2, CPU_ISA_AVX512, CPU_ISA_NEON, CPU_ISA_COUNT };

/* Strongest set that this CPU has and CDXR_ISA (scalar, sse42, avx2, avx512, neon) allows; read once. */
enum cpu_isa cpu_isa_best(void);
/* Strongest set that this CPU has, whatever CDXR_ISA says. */
enum cpu_isa cpu_isa_detected(void);
const char *cpu_isa_name(enum cpu_isa isa);
/* Model name from the system, or "unknown". Static storage. */
const char *cpu_model_name(void);

#endif
