/* SPDX-License-Identifier: MIT
 * ExecuteIndirect: commands read from memory when the call is executed. Called by exec/run.c. */
#ifndef CDXR_EXEC_INDIRECT_H
#define CDXR_EXEC_INDIRECT_H

#include "exec/dispatch.h"

/* Root arguments that the commands set are zero afterwards (bindings changed by ExecuteIndirect are reset). */
void exec_indirect_run(struct exec_device *device, struct exec_bindings *bindings,
                       const struct exec_execute_indirect *entry);

#endif
