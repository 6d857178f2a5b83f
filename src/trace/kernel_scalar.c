/* SPDX-License-Identifier: MIT
 * The traversal kernel for scalar. */
#include "trace/lanes_scalar.h"

#include "trace/tables.h"

#define TRACE_KERNEL_ISA CPU_ISA_SCALAR
#define TRACE_KERNEL_TABLE trace_table_scalar
#include "trace/kernel_body.h"
