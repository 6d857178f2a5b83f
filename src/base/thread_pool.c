/* SPDX-License-Identifier: MIT
 * A list of open loops under one mutex; indices are handed out by an atomic counter, so the lock is taken only when
 * a thread joins or leaves a loop. */
#include "base/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/environment.h"

enum { DEFAULT_STACK_BYTES = 64 << 20, MAX_THREADS = 1024 };

struct loop {
    struct loop *next;
    thread_pool_task_fn task;
    void *context;
    uint32_t task_count;
    uint32_t workers_joined; /* under the mutex: also the next worker_index */
    uint32_t workers_inside; /* under the mutex */
    atomic_uint next_task;
};

struct thread_pool {
    pthread_mutex_t mutex;
    pthread_cond_t work_available;
    pthread_cond_t loop_left;
    struct loop *loops;
    bool stopping;
    uint32_t thread_count; /* workers, without callers */
    pthread_t threads[];
};

static uint32_t default_thread_count(void)
{
    cpu_set_t set;
    uint32_t cpu_count = sched_getaffinity(0, sizeof(set), &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
    return environment_count("CDXR_THREADS", 1, MAX_THREADS, cpu_count);
}

static void loop_work(struct loop *loop, uint32_t worker_index)
{
    for (;;) {
        uint32_t index = atomic_fetch_add_explicit(&loop->next_task, 1, memory_order_relaxed);
        if (index >= loop->task_count)
            return;
        loop->task(loop->context, index, worker_index);
    }
}

static struct loop *find_open_loop(struct thread_pool *pool)
{
    for (struct loop *loop = pool->loops; loop; loop = loop->next)
        if (atomic_load_explicit(&loop->next_task, memory_order_relaxed) < loop->task_count &&
            loop->workers_joined <= pool->thread_count)
            return loop;
    return NULL;
}

static void *worker_main(void *argument)
{
    struct thread_pool *pool = argument;
    pthread_mutex_lock(&pool->mutex);
    while (!pool->stopping) {
        struct loop *loop = find_open_loop(pool);
        if (!loop) {
            pthread_cond_wait(&pool->work_available, &pool->mutex);
            continue;
        }
        uint32_t worker_index = loop->workers_joined++;
        loop->workers_inside++;
        pthread_mutex_unlock(&pool->mutex);
        loop_work(loop, worker_index);
        pthread_mutex_lock(&pool->mutex);
        if (--loop->workers_inside == 0)
            pthread_cond_broadcast(&pool->loop_left);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

enum status thread_pool_create(uint32_t thread_count, size_t stack_bytes, struct thread_pool **out)
{
    if (!thread_count)
        thread_count = default_thread_count();
    if (thread_count > MAX_THREADS)
        thread_count = MAX_THREADS;
    struct thread_pool *pool = calloc(1, sizeof(*pool) + thread_count * sizeof(pthread_t));
    if (!pool)
        return STATUS_OUT_OF_MEMORY;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->work_available, NULL);
    pthread_cond_init(&pool->loop_left, NULL);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes ? stack_bytes : DEFAULT_STACK_BYTES);
    pthread_mutex_lock(&pool->mutex); /* workers read thread_count */
    bool failed = false;
    for (uint32_t i = 1; i < thread_count && !failed; i++) {
        failed = pthread_create(&pool->threads[i - 1], &attributes, worker_main, pool) != 0;
        pool->thread_count += !failed;
    }
    pthread_mutex_unlock(&pool->mutex);
    pthread_attr_destroy(&attributes);
    if (failed) {
        thread_pool_destroy(pool);
        return STATUS_OUT_OF_MEMORY;
    }
    *out = pool;
    return STATUS_OK;
}

void thread_pool_destroy(struct thread_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->stopping = true;
    pthread_cond_broadcast(&pool->work_available);
    pthread_mutex_unlock(&pool->mutex);
    for (uint32_t i = 0; i < pool->thread_count; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_mutex_destroy(&pool->mutex);
    pthread_cond_destroy(&pool->work_available);
    pthread_cond_destroy(&pool->loop_left);
    free(pool);
}

uint32_t thread_pool_worker_count(const struct thread_pool *pool)
{
    return pool ? pool->thread_count + 1 : 1;
}

static void loop_remove(struct thread_pool *pool, struct loop *loop)
{
    struct loop **link = &pool->loops;
    while (*link != loop)
        link = &(*link)->next;
    *link = loop->next;
}

void thread_pool_parallel_for(struct thread_pool *pool, uint32_t task_count, thread_pool_task_fn task, void *context)
{
    if (!pool || !pool->thread_count || task_count <= 1) {
        for (uint32_t i = 0; i < task_count; i++)
            task(context, i, 0);
        return;
    }
    struct loop loop = {.task = task, .context = context, .task_count = task_count, .workers_joined = 1};
    pthread_mutex_lock(&pool->mutex);
    loop.next = pool->loops;
    pool->loops = &loop;
    pthread_cond_broadcast(&pool->work_available);
    pthread_mutex_unlock(&pool->mutex);
    loop_work(&loop, 0);
    pthread_mutex_lock(&pool->mutex);
    loop_remove(pool, &loop);
    while (loop.workers_inside)
        pthread_cond_wait(&pool->loop_left, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}
