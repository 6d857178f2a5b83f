/* SPDX-License-Identifier: MIT
 * Resource states on the executor's timeline, for the debug layer only: work is done in order here, so a missing
 * barrier never changes a result. Called by exec/run.c. */
#ifndef CDXR_EXEC_STATES_H
#define CDXR_EXEC_STATES_H

#include "exec/device.h"
#include "exec/memory.h"
#include "exec/stream.h"

/* Buffers whose state was changed in an ExecuteCommandLists call: they decay to COMMON at its end. A buffer that does
 * not fit any more simply keeps its state: a later check is then skipped, never wrong. */
enum { EXEC_TOUCHED_MAX = 256 };
struct exec_touched {
    uint32_t count;
    struct exec_resource *buffers[EXEC_TOUCHED_MAX];
};

/* Compare before states, set after states. */
void exec_states_apply(struct exec_device *device, struct exec_touched *touched, const char *list_name,
                       const struct exec_state *entry);
void exec_states_decay(struct exec_touched *touched);

enum exec_use { EXEC_USE_STRUCTURE, EXEC_USE_SCRATCH, EXEC_USE_SHADER_READ };
/* Is the buffer at address (0: none) in the state that this use needs? Else one message that names call, parameter,
 * resource and states. Nothing else follows from it. */
void exec_states_expect(struct exec_device *device, enum exec_use use, uint64_t address, const char *call,
                        const char *parameter);

#endif
