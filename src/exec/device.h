/* SPDX-License-Identifier: MIT
 * What all queues of a device share: worker pool, removal state, abort flag, watchdog, message sink. Created by
 * d3d12/device.c before any queue or fence; destroyed after all of them. */
#ifndef CDXR_EXEC_DEVICE_H
#define CDXR_EXEC_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/thread.h"
#include "base/status.h"
#include "base/thread_pool.h"

struct exec_device;

enum exec_severity { EXEC_SEVERITY_CORRUPTION, EXEC_SEVERITY_ERROR, EXEC_SEVERITY_WARNING, EXEC_SEVERITY_INFO };

/* Runs the threads of one compute group. scratch: groupshared memory, shader->groupshared_bytes, zeroed. thread is a
 * filled template (dispatch, shader, group_id, context): the runner makes one per lane. */
typedef void (*exec_group_runner_fn)(const struct abi_shader *shader, const struct abi_thread *thread_template,
                                     void *groupshared);

enum exec_removed { /* d3d12/ maps these to DXGI_ERROR_DEVICE_* */
    EXEC_REMOVED_NOT = 0,
    EXEC_REMOVED_HUNG,    /* a fault of the application's work, or time out */
    EXEC_REMOVED_REMOVED, /* RemoveDevice was called */
    EXEC_REMOVED_INTERNAL /* out of memory in an executor */
};

struct exec_device_settings {
    struct thread_pool *pool; /* borrowed */
    exec_group_runner_fn run_group; /* NULL: a plain loop; shaders with barriers are then refused */
    /* Message sink; called from any thread. NULL: the log. */
    void (*message)(void *context, enum exec_severity severity, uint32_t id, const char *text);
    void *message_context;
};

MUST_USE enum status exec_device_create(const struct exec_device_settings *settings, struct exec_device **device);
void exec_device_destroy(struct exec_device *device);
struct thread_pool *exec_device_pool(const struct exec_device *device);

/* Sticky; the first reason wins. Raises the abort flag, completes every fence with UINT64_MAX and wakes all waiters. */
void exec_device_remove(struct exec_device *device, enum exec_removed code, const char *format, ...) PRINTF_LIKE(3, 4);
enum exec_removed exec_device_removed(const struct exec_device *device);
/* Why; empty while the device is not removed. Valid until the device is destroyed. */
const char *exec_device_removed_text(const struct exec_device *device);
/* id: a number of the catalogue in validate/, 0: none. */
void exec_device_message(struct exec_device *device, enum exec_severity severity, uint32_t id, const char *format, ...)
    PRINTF_LIKE(4, 5);
const volatile uint32_t *exec_device_abort_flag(const struct exec_device *device);

/* GPU timestamps: nanoseconds of the monotonic clock. */
enum { EXEC_TIMESTAMP_FREQUENCY = 1000000000 };
uint64_t exec_timestamp(void);

#endif
