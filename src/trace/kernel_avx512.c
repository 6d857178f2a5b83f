/* SPDX-License-Identifier: MIT
 * The traversal kernel for avx512. */
#if defined(__x86_64__)
#include "trace/lanes_avx512.h"
#include "trace/lanes_sort.h"

#include "trace/tables.h"

#define TRACE_KERNEL_ISA CPU_ISA_AVX512
#define TRACE_KERNEL_TABLE trace_table_avx512
#include "trace/kernel_body.h"
#endif
