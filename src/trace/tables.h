/* SPDX-License-Identifier: MIT
 * The tables of the kernel files, for select.c. */
#ifndef CDXR_TRACE_TABLES_H
#define CDXR_TRACE_TABLES_H

#include "trace/trace.h"

extern const struct trace_table trace_table_scalar, trace_table_sse42, trace_table_avx2, trace_table_avx512,
    trace_table_neon;

#endif
