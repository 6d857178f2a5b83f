/* SPDX-License-Identifier: MIT
 * The one pool of worker threads (DESIGN.md 3, Execution). Loops over task indices; the calling thread takes part,
 * so a loop may be started from inside a task and from several queue threads at once without a deadlock. */
#ifndef CDXR_BASE_THREAD_POOL_H
#define CDXR_BASE_THREAD_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct thread_pool;

/* task_index in [0, task_count); worker_index in [0, thread_pool_worker_count()) is unique among the threads that
 * run tasks of the same loop at the same time. */
typedef void (*thread_pool_task_fn)(void *context, uint32_t task_index, uint32_t worker_index);

/* thread_count 0: CDXR_THREADS, or else the CPUs in the process's affinity mask. 1: no workers, all work is done by the
 * caller. stack_bytes 0: the default of 64 MiB (reserved, not committed). */
MUST_USE enum status thread_pool_create(uint32_t thread_count, size_t stack_bytes, struct thread_pool **pool);
void thread_pool_destroy(struct thread_pool *pool);

/* Threads that may run tasks of one loop, the caller included. pool may be NULL: 1. */
uint32_t thread_pool_worker_count(const struct thread_pool *pool);

/* Run task for each index, in any order on any worker; returns when all are done. pool may be NULL: in the caller. */
void thread_pool_parallel_for(struct thread_pool *pool, uint32_t task_count, thread_pool_task_fn task, void *context);

#endif
