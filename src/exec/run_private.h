/* SPDX-License-Identifier: MIT
 * State of a list while it is executed. */
#ifndef CDXR_EXEC_RUN_PRIVATE_H
#define CDXR_EXEC_RUN_PRIVATE_H

#include "exec/device.h"
#include "exec/dispatch.h"
#include "exec/states.h"

struct exec_context {
    struct exec_device *device;
    struct exec_bindings bindings;
    bool predicate_skips; /* SetPredication found its condition true: predicated calls do nothing */
    struct exec_touched touched;
};

#endif
