/* SPDX-License-Identifier: MIT
 * A queue: one thread and a list of submissions in order. */
#include "exec/queue.h"

#include <stdlib.h>

#include "exec/device_private.h"
#include "exec/run.h"

/* Shaders may run on the queue's thread too (it takes part in the pool's loops). Reserved, not committed. */
enum { QUEUE_STACK_BYTES = 64 << 20 };

enum submission_kind { SUBMISSION_EXECUTE, SUBMISSION_SIGNAL, SUBMISSION_WAIT, SUBMISSION_CALL };

struct submission {
    struct submission *next;
    enum submission_kind kind;
    struct exec_fence *fence;
    uint64_t value;
    struct exec_fence_ticket *ticket; /* WAIT */
    void (*function)(void *argument);
    void *argument;
    exec_done_fn done;
    void *context;
    uint32_t stream_count;
    const struct exec_stream *streams[];
};

struct exec_queue {
    struct exec_device *device;
    enum exec_queue_kind kind;
    pthread_mutex_t mutex;
    pthread_cond_t arrived; /* a submission, or stop */
    pthread_cond_t drained; /* worked through one */
    struct submission *first, *last;
    uint64_t submitted_count, finished_count; /* under mutex */
    bool stopping;                            /* under mutex */
    bool cancelled;                           /* under the device's fence mutex */
    bool gave_up;                             /* the thread's: a wait ended by destroy, later work must not run */
    pthread_cond_t fence_wait;
    pthread_t thread;
};

static void submission_run(struct exec_queue *queue, struct submission *submission)
{
    bool removed = exec_device_removed(queue->device) != EXEC_REMOVED_NOT || queue->gave_up;
    switch (submission->kind) {
    case SUBMISSION_EXECUTE:
        if (!removed)
            exec_run_streams(queue->device, submission->streams, submission->stream_count);
        break;
    case SUBMISSION_SIGNAL:
        if (!removed)
            exec_fence_signal(submission->fence, submission->value);
        break;
    case SUBMISSION_WAIT:
        if (removed)
            exec_fence_ticket_free(submission->ticket);
        else
            queue->gave_up = !exec_fence_ticket_wait(submission->ticket, &queue->cancelled);
        break;
    case SUBMISSION_CALL:
        if (!removed)
            submission->function(submission->argument);
        break;
    }
    if (submission->done)
        submission->done(submission->context);
    free(submission);
}

static void *queue_main(void *argument)
{
    struct exec_queue *queue = argument;
    pthread_mutex_lock(&queue->mutex);
    for (;;) {
        struct submission *submission = queue->first;
        if (!submission && queue->stopping)
            break;
        if (!submission) {
            pthread_cond_wait(&queue->arrived, &queue->mutex);
            continue;
        }
        queue->first = submission->next;
        if (!queue->first)
            queue->last = NULL;
        pthread_mutex_unlock(&queue->mutex);
        submission_run(queue, submission);
        pthread_mutex_lock(&queue->mutex);
        queue->finished_count++;
        pthread_cond_broadcast(&queue->drained);
    }
    pthread_mutex_unlock(&queue->mutex);
    return NULL;
}

static bool queue_start(struct exec_queue *queue)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, QUEUE_STACK_BYTES);
    bool started = pthread_create(&queue->thread, &attributes, queue_main, queue) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

enum status exec_queue_create(struct exec_device *device, enum exec_queue_kind kind, struct exec_queue **out)
{
    struct exec_queue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return STATUS_OUT_OF_MEMORY;
    queue->device = device;
    queue->kind = kind;
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->arrived, NULL);
    pthread_cond_init(&queue->drained, NULL);
    pthread_cond_init(&queue->fence_wait, NULL);
    if (!queue_start(queue)) {
        free(queue);
        return STATUS_OUT_OF_MEMORY;
    }
    *out = queue;
    return STATUS_OK;
}

void exec_queue_destroy(struct exec_queue *queue)
{
    if (!queue)
        return;
    exec_fence_cancel(queue->device, &queue->cancelled, &queue->fence_wait);
    pthread_mutex_lock(&queue->mutex);
    queue->stopping = true;
    pthread_cond_signal(&queue->arrived);
    pthread_mutex_unlock(&queue->mutex);
    pthread_join(queue->thread, NULL);
    pthread_cond_destroy(&queue->fence_wait);
    pthread_cond_destroy(&queue->drained);
    pthread_cond_destroy(&queue->arrived);
    pthread_mutex_destroy(&queue->mutex);
    free(queue);
}

static enum status queue_push(struct exec_queue *queue, const struct submission *content,
                              const struct exec_stream *const *streams)
{
    struct submission *submission = calloc(1, sizeof(*submission) + content->stream_count * sizeof(streams[0]));
    if (!submission)
        return STATUS_OUT_OF_MEMORY;
    *submission = *content;
    for (uint32_t i = 0; i < content->stream_count; i++)
        submission->streams[i] = streams[i];
    pthread_mutex_lock(&queue->mutex);
    if (queue->last)
        queue->last->next = submission;
    else
        queue->first = submission;
    queue->last = submission;
    queue->submitted_count++;
    pthread_cond_signal(&queue->arrived);
    pthread_mutex_unlock(&queue->mutex);
    return STATUS_OK;
}

enum status exec_queue_execute(struct exec_queue *queue, const struct exec_stream *const *streams, uint32_t count,
                               exec_done_fn done, void *context)
{
    struct submission content = {
        .kind = SUBMISSION_EXECUTE, .stream_count = count, .done = done, .context = context};
    return queue_push(queue, &content, streams);
}

enum status exec_queue_signal(struct exec_queue *queue, struct exec_fence *fence, uint64_t value, exec_done_fn done,
                              void *context)
{
    struct submission content = {
        .kind = SUBMISSION_SIGNAL, .fence = fence, .value = value, .done = done, .context = context};
    return queue_push(queue, &content, NULL);
}

enum status exec_queue_wait(struct exec_queue *queue, struct exec_fence *fence, uint64_t value, exec_done_fn done,
                            void *context)
{
    struct submission content = {.kind = SUBMISSION_WAIT, .done = done, .context = context};
    content.ticket = exec_fence_ticket_create(fence, value, &queue->fence_wait);
    if (!content.ticket)
        return STATUS_OUT_OF_MEMORY;
    enum status status = queue_push(queue, &content, NULL);
    if (status != STATUS_OK)
        exec_fence_ticket_free(content.ticket);
    return status;
}

enum status exec_queue_call(struct exec_queue *queue, void (*function)(void *argument), void *argument,
                            exec_done_fn done, void *context)
{
    struct submission content = {
        .kind = SUBMISSION_CALL, .function = function, .argument = argument, .done = done, .context = context};
    return queue_push(queue, &content, NULL);
}

void exec_queue_drain(struct exec_queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    uint64_t target = queue->submitted_count;
    while (queue->finished_count < target)
        pthread_cond_wait(&queue->drained, &queue->mutex);
    pthread_mutex_unlock(&queue->mutex);
}
