/* SPDX-License-Identifier: MIT
 * What the queues were doing when the device was removed, for DRED (ID3D12DeviceRemovedExtendedData). */
#ifndef CDXR_EXEC_BREADCRUMBS_H
#define CDXR_EXEC_BREADCRUMBS_H

#include "exec/device.h"
#include "exec/stream.h"

enum { EXEC_BREADCRUMB_NAME_BYTES = 128, EXEC_BREADCRUMB_MAX_COMMANDS = 65536 };

/* One list that was being executed. */
struct exec_breadcrumbs {
    struct exec_breadcrumbs *next;
    char list_name[EXEC_BREADCRUMB_NAME_BYTES];
    uint32_t command_count;   /* in kinds, at most EXEC_BREADCRUMB_MAX_COMMANDS */
    uint32_t completed_count; /* commands before the one that was running */
    uint8_t kinds[];          /* enum exec_command_kind */
};

/* Of the removed device; NULL while it works, or when no list was running. Valid until the device is destroyed. */
const struct exec_breadcrumbs *exec_device_breadcrumbs(const struct exec_device *device);

/* --- exec/run.c --- */
/* A list that is being executed now; on the executor's stack. */
struct exec_running_list {
    struct exec_running_list *next;
    const struct exec_stream *stream;
    const char *name;
    const struct exec_command *current; /* of stream itself, not of its bundles; read when the device is removed */
};
void exec_running_begin(struct exec_device *device, struct exec_running_list *list);
void exec_running_end(struct exec_device *device, struct exec_running_list *list);

#endif
