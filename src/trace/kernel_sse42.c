/* SPDX-License-Identifier: MIT
 * The traversal kernel for sse42. */
#if defined(__x86_64__)
#include "trace/lanes_vector.h"

#include "trace/tables.h"

#define TRACE_KERNEL_ISA CPU_ISA_SSE42
#define TRACE_KERNEL_TABLE trace_table_sse42
#include "trace/kernel_body.h"
#endif
