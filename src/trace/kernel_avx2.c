/* SPDX-License-Identifier: MIT
 * The traversal kernel for avx2. */
#if defined(__x86_64__)
#include "trace/lanes_avx2.h"
#include "trace/lanes_sort.h"

#include "trace/tables.h"

#define TRACE_KERNEL_ISA CPU_ISA_AVX2
#define TRACE_KERNEL_TABLE trace_table_avx2
#include "trace/kernel_body.h"
#endif
