/* SPDX-License-Identifier: MIT
 * Executes streams, one handler a command. Called on a queue's thread (exec/queue.c) and by unit tests. */
#ifndef CDXR_EXEC_RUN_H
#define CDXR_EXEC_RUN_H

#include "exec/device.h"
#include "exec/stream.h"

/* In order; state does not carry over from one list to the next. Stops where the device is removed. */
void exec_run_streams(struct exec_device *device, const struct exec_stream *const *streams, uint32_t count);

#endif
