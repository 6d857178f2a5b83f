/* SPDX-License-Identifier: MIT
 * Queues and fences. A queue is a thread that works through submissions in order: lists, signals, waits, callbacks.
 * Fences join queues with each other and with the CPU. Called by d3d12/command_queue.c and d3d12/fence.c. */
#ifndef CDXR_EXEC_QUEUE_H
#define CDXR_EXEC_QUEUE_H

#include "exec/device.h"
#include "exec/stream.h"

struct exec_fence;
MUST_USE enum status exec_fence_create(struct exec_device *device, uint64_t initial_value, struct exec_fence **fence);
/* No queue may still hold a signal or wait of it: submissions keep what they need alive (see exec_done_fn). */
void exec_fence_destroy(struct exec_fence *fence);
uint64_t exec_fence_value(const struct exec_fence *fence);
/* CPU or queue signal; a smaller value than before is legal. No effect on a removed device. */
void exec_fence_signal(struct exec_fence *fence, uint64_t value);
/* Block until the fence reaches value or the device is removed. */
void exec_fence_wait(struct exec_fence *fence, uint64_t value);
/* Write 8-byte 1 to the eventfd when value is reached (now, when it is already). The descriptor is duplicated, so the
 * caller may close it at any time. STATUS_INVALID: it is not open. */
MUST_USE enum status exec_fence_notify(struct exec_fence *fence, uint64_t value, int event_fd);
/* all: every fence has reached its value, else any. event_fd < 0: block. */
MUST_USE enum status exec_fence_wait_multiple(struct exec_device *device, struct exec_fence *const *fences,
                                              const uint64_t *values, uint32_t count, bool all, int event_fd);

struct exec_queue;
enum exec_queue_kind { EXEC_QUEUE_DIRECT, EXEC_QUEUE_COMPUTE, EXEC_QUEUE_COPY };

/* Called on the queue's thread when the submission has been worked through (or dropped on a removed device), and
 * before a later one begins: gives back references. */
typedef void (*exec_done_fn)(void *context);

MUST_USE enum status exec_queue_create(struct exec_device *device, enum exec_queue_kind kind,
                                       struct exec_queue **queue);
/* Finishes what was submitted and joins the thread. A wait that is not fulfilled yet is given up, and what stands behind it
 * is dropped. */
void exec_queue_destroy(struct exec_queue *queue);
/* done may be NULL. On failure nothing was queued and done is not called. */
MUST_USE enum status exec_queue_execute(struct exec_queue *queue, const struct exec_stream *const *streams,
                                        uint32_t count, exec_done_fn done, void *context);
MUST_USE enum status exec_queue_signal(struct exec_queue *queue, struct exec_fence *fence, uint64_t value,
                                       exec_done_fn done, void *context);
MUST_USE enum status exec_queue_wait(struct exec_queue *queue, struct exec_fence *fence, uint64_t value,
                                     exec_done_fn done, void *context);
/* Run function(argument) in queue order (UpdateTileMappings, tests). */
MUST_USE enum status exec_queue_call(struct exec_queue *queue, void (*function)(void *argument), void *argument,
                                     exec_done_fn done, void *context);
/* Block until all that was submitted before has been worked through. */
void exec_queue_drain(struct exec_queue *queue);

#endif
