/* SPDX-License-Identifier: MIT
 * Fences: a value and the waits that it will end. One mutex a device guards all of them (sections of a few
 * instructions); every blocked thread has a condition of its own, so a signal wakes only whom it concerns. */
#include "exec/device_private.h"
#include "exec/queue.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct wait;

/* One fence of a wait. */
struct wait_node {
    struct wait_node *next; /* among the fence's nodes */
    struct wait *wait;
    struct exec_fence *fence; /* NULL: not linked */
    uint64_t value;
};

struct wait {
    uint32_t remaining; /* fences that must still reach their value; any-waits start with 1 */
    int event_fd;       /* < 0: a thread is blocked on condition */
    pthread_cond_t *condition;
    uint32_t node_count;
    struct wait_node nodes[];
};

struct exec_fence {
    struct exec_device *device;
    struct exec_fence *previous, *next; /* among the device's fences */
    struct wait_node *nodes;
    _Atomic uint64_t value;
};

enum status exec_fence_create(struct exec_device *device, uint64_t initial_value, struct exec_fence **out)
{
    struct exec_fence *fence = calloc(1, sizeof(*fence));
    if (!fence)
        return STATUS_OUT_OF_MEMORY;
    fence->device = device;
    atomic_init(&fence->value, initial_value);
    pthread_mutex_lock(&device->fence_mutex);
    if (exec_device_removed(device) != EXEC_REMOVED_NOT)
        atomic_store_explicit(&fence->value, UINT64_MAX, memory_order_relaxed);
    fence->next = device->fences;
    if (fence->next)
        fence->next->previous = fence;
    device->fences = fence;
    pthread_mutex_unlock(&device->fence_mutex);
    *out = fence;
    return STATUS_OK;
}

static void node_unlink(struct wait_node *node)
{
    if (!node->fence)
        return;
    struct wait_node **link = &node->fence->nodes;
    while (*link != node)
        link = &(*link)->next;
    *link = node->next;
    node->fence = NULL;
}

static void wait_unlink(struct wait *wait)
{
    for (uint32_t i = 0; i < wait->node_count; i++)
        node_unlink(&wait->nodes[i]);
}

static void wait_free(struct wait *wait)
{
    if (wait->event_fd >= 0)
        close(wait->event_fd);
    free(wait);
}

/* The wait is over: tell the thread or write the event. A wait with an event belongs to nobody else and is freed. */
static void wait_fire(struct wait *wait)
{
    wait_unlink(wait);
    wait->remaining = 0;
    if (wait->event_fd < 0) {
        pthread_cond_signal(wait->condition);
        return;
    }
    uint64_t one = 1;
    ssize_t written = write(wait->event_fd, &one, sizeof(one)); /* full: it is set already */
    (void)written;
    wait_free(wait);
}

void exec_fence_destroy(struct exec_fence *fence)
{
    if (!fence)
        return;
    struct exec_device *device = fence->device;
    pthread_mutex_lock(&device->fence_mutex);
    while (fence->nodes) { /* events of a fence that is gone are never set */
        struct wait *wait = fence->nodes->wait;
        wait_unlink(wait);
        if (wait->event_fd >= 0)
            wait_free(wait);
    }
    if (fence->previous)
        fence->previous->next = fence->next;
    else
        device->fences = fence->next;
    if (fence->next)
        fence->next->previous = fence->previous;
    pthread_mutex_unlock(&device->fence_mutex);
    free(fence);
}

uint64_t exec_fence_value(const struct exec_fence *fence)
{
    return atomic_load_explicit(&fence->value, memory_order_acquire);
}

static void fence_set(struct exec_fence *fence, uint64_t value)
{
    atomic_store_explicit(&fence->value, value, memory_order_release);
    struct wait_node *node = fence->nodes;
    while (node) {
        if (node->value > value) {
            node = node->next;
            continue;
        }
        struct wait *wait = node->wait;
        node_unlink(node);
        if (--wait->remaining == 0)
            wait_fire(wait);
        node = fence->nodes; /* firing may have unlinked several */
    }
}

void exec_fence_signal(struct exec_fence *fence, uint64_t value)
{
    struct exec_device *device = fence->device;
    pthread_mutex_lock(&device->fence_mutex);
    if (exec_device_removed(device) == EXEC_REMOVED_NOT)
        fence_set(fence, value);
    pthread_mutex_unlock(&device->fence_mutex);
}

void exec_fences_complete_all(struct exec_device *device)
{
    pthread_mutex_lock(&device->fence_mutex);
    for (struct exec_fence *fence = device->fences; fence; fence = fence->next)
        fence_set(fence, UINT64_MAX);
    pthread_mutex_unlock(&device->fence_mutex);
}

/* Under the fence mutex: link the fences that have not reached their value. */
static void wait_link(struct wait *wait, struct exec_fence *const *fences, const uint64_t *values, bool all)
{
    uint32_t reached = 0;
    for (uint32_t i = 0; i < wait->node_count; i++) {
        struct wait_node *node = &wait->nodes[i];
        *node = (struct wait_node){.wait = wait, .value = values[i]};
        if (atomic_load_explicit(&fences[i]->value, memory_order_relaxed) >= values[i]) {
            reached++;
            continue;
        }
        node->fence = fences[i];
        node->next = fences[i]->nodes;
        fences[i]->nodes = node;
    }
    wait->remaining = all ? wait->node_count - reached : reached == 0;
}

struct exec_fence_ticket {
    struct exec_device *device;
    pthread_cond_t *condition;
    struct wait wait; /* one node */
};

struct exec_fence_ticket *exec_fence_ticket_create(struct exec_fence *fence, uint64_t value, pthread_cond_t *condition)
{
    struct exec_fence_ticket *ticket = calloc(1, sizeof(*ticket) + sizeof(struct wait_node));
    if (!ticket)
        return NULL;
    ticket->device = fence->device;
    ticket->condition = ticket->wait.condition = condition;
    ticket->wait.event_fd = -1;
    ticket->wait.node_count = 1;
    pthread_mutex_lock(&fence->device->fence_mutex);
    wait_link(&ticket->wait, &fence, &value, true);
    pthread_mutex_unlock(&fence->device->fence_mutex);
    return ticket;
}

bool exec_fence_ticket_wait(struct exec_fence_ticket *ticket, const bool *cancelled)
{
    pthread_mutex_lock(&ticket->device->fence_mutex);
    while (ticket->wait.remaining && !*cancelled)
        pthread_cond_wait(ticket->condition, &ticket->device->fence_mutex);
    bool reached = ticket->wait.remaining == 0;
    pthread_mutex_unlock(&ticket->device->fence_mutex);
    exec_fence_ticket_free(ticket);
    return reached;
}

void exec_fence_ticket_free(struct exec_fence_ticket *ticket)
{
    if (!ticket)
        return;
    pthread_mutex_lock(&ticket->device->fence_mutex);
    wait_unlink(&ticket->wait);
    pthread_mutex_unlock(&ticket->device->fence_mutex);
    free(ticket);
}

void exec_fence_cancel(struct exec_device *device, bool *cancelled, pthread_cond_t *condition)
{
    pthread_mutex_lock(&device->fence_mutex);
    *cancelled = true;
    pthread_cond_broadcast(condition);
    pthread_mutex_unlock(&device->fence_mutex);
}

void exec_fence_wait(struct exec_fence *fence, uint64_t value)
{
    if (exec_fence_value(fence) >= value)
        return;
    struct exec_device *device = fence->device;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    union {
        struct wait wait;
        uint8_t storage[sizeof(struct wait) + sizeof(struct wait_node)];
    } memory;
    memory.wait = (struct wait){.event_fd = -1, .condition = &condition, .node_count = 1};
    pthread_mutex_lock(&device->fence_mutex);
    wait_link(&memory.wait, &fence, &value, true);
    while (memory.wait.remaining)
        pthread_cond_wait(&condition, &device->fence_mutex);
    pthread_mutex_unlock(&device->fence_mutex);
    pthread_cond_destroy(&condition);
}

enum status exec_fence_notify(struct exec_fence *fence, uint64_t value, int event_fd)
{
    return exec_fence_wait_multiple(fence->device, &fence, &value, 1, true, event_fd);
}

enum status exec_fence_wait_multiple(struct exec_device *device, struct exec_fence *const *fences,
                                     const uint64_t *values, uint32_t count, bool all, int event_fd)
{
    struct wait *wait = calloc(1, sizeof(*wait) + count * sizeof(struct wait_node));
    if (!wait)
        return STATUS_OUT_OF_MEMORY;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    wait->event_fd = event_fd >= 0 ? fcntl(event_fd, F_DUPFD_CLOEXEC, 0) : -1;
    if (event_fd >= 0 && wait->event_fd < 0) {
        free(wait);
        return STATUS_INVALID;
    }
    wait->condition = &condition;
    wait->node_count = count;
    pthread_mutex_lock(&device->fence_mutex);
    wait_link(wait, fences, values, all);
    if (event_fd >= 0) {
        if (!wait->remaining)
            wait_fire(wait);
    } else {
        while (wait->remaining)
            pthread_cond_wait(&condition, &device->fence_mutex);
        wait_unlink(wait);
        wait_free(wait);
    }
    pthread_mutex_unlock(&device->fence_mutex);
    pthread_cond_destroy(&condition);
    return STATUS_OK;
}
