/* SPDX-License-Identifier: MIT
 * The traversal kernel for neon. */
#if defined(__aarch64__)
#include "trace/lanes_vector.h"

#include "trace/tables.h"

#define TRACE_KERNEL_ISA CPU_ISA_NEON
#define TRACE_KERNEL_TABLE trace_table_neon
#include "trace/kernel_body.h"
#endif
