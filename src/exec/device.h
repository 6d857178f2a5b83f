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
#include "validate/address_map.h"
#include "validate/message.h"

struct exec_device;

/* Runs the threads of one compute group (jit/group.h). groupshared: shader->groupshared_bytes. thread_template: dispatch,
 * shader, group_id and context are filled; the runner makes one thread per numthreads. */
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
    struct message_store *messages; /* borrowed; NULL: the log only */
    struct address_map *addresses;  /* borrowed; NULL: every address is taken as it is (unit tests) */
    /* Called by exec_device_remove: sets the API's device to removed, which calls exec_device_mark_removed. NULL: exec
     * does both itself. */
    void (*remove)(void *context, enum exec_removed code, const char *text);
    void *remove_context;
};

MUST_USE enum status exec_device_create(const struct exec_device_settings *settings, struct exec_device **device);
void exec_device_destroy(struct exec_device *device);
struct thread_pool *exec_device_pool(const struct exec_device *device);

/* The executor found a reason to remove the device. Sticky; the first reason wins. */
void exec_device_remove(struct exec_device *device, enum exec_removed code, const char *format, ...) PRINTF_LIKE(3, 4);
/* The device is removed: raises the abort flag, completes every fence with UINT64_MAX and wakes all waiters. */
void exec_device_mark_removed(struct exec_device *device, enum exec_removed code, const char *text);
enum exec_removed exec_device_removed(const struct exec_device *device);
/* Why; empty while the device is not removed. Valid until the device is destroyed. */
const char *exec_device_removed_text(const struct exec_device *device);
/* Rays that shaders traced since the device was created, of finished tasks. Any thread. */
uint64_t exec_device_ray_count(const struct exec_device *device);
/* One message about a broken rule: to the debug layer's store, or to the log where there is none. */
void exec_device_message(struct exec_device *device, enum rule rule, const char *format, ...) PRINTF_LIKE(3, 4);
struct address_map *exec_device_addresses(const struct exec_device *device);
/* Bytes from address to the end of its buffer, 0: in none. UINT64_MAX / 2 where the device has no address map. */
uint64_t exec_device_bytes_behind(const struct exec_device *device, uint64_t address);
const volatile uint32_t *exec_device_abort_flag(const struct exec_device *device);
static inline bool exec_is_aborted(const struct abi_dispatch *dispatch)
{
    return __atomic_load_n(dispatch->abort_flag, __ATOMIC_RELAXED) != 0;
}

/* GPU timestamps: nanoseconds of the monotonic clock. */
enum { EXEC_TIMESTAMP_FREQUENCY = 1000000000 };
uint64_t exec_timestamp(void);

#endif
