/* SPDX-License-Identifier: MIT */
#include "exec/retire.h"

#include <stdlib.h>

struct exec_retire_item {
    struct exec_retire_item *next;
    uint64_t serial; /* droppable when all submissions with serials up to this have ended */
    exec_retire_fn drop;
    void *object;
};

void exec_retire_init(struct exec_retire *retire)
{
    pthread_mutex_init(&retire->mutex, NULL);
    retire->next_serial = 1;
    retire->in_flight.previous = retire->in_flight.next = &retire->in_flight;
    retire->first = retire->last = NULL;
}

static void items_drop(struct exec_retire_item *item)
{
    while (item) {
        struct exec_retire_item *next = item->next;
        item->drop(item->object);
        free(item);
        item = next;
    }
}

/* Cut off the items that wait for nothing any more. Mutex held. */
static struct exec_retire_item *items_take(struct exec_retire *retire)
{
    const struct exec_retire_ticket *oldest = retire->in_flight.next;
    uint64_t done_up_to = oldest == &retire->in_flight ? UINT64_MAX : oldest->serial - 1;
    struct exec_retire_item *taken = retire->first, **link = &retire->first;
    while (*link && (*link)->serial <= done_up_to)
        link = &(*link)->next;
    struct exec_retire_item *rest = *link;
    if (link == &retire->first)
        return NULL;
    *link = NULL;
    retire->first = rest;
    if (!rest)
        retire->last = NULL;
    return taken;
}

void exec_retire_finish(struct exec_retire *retire)
{
    items_drop(retire->first);
    retire->first = retire->last = NULL;
    pthread_mutex_destroy(&retire->mutex);
}

uint64_t exec_retire_begin(struct exec_retire *retire, struct exec_retire_ticket *ticket)
{
    pthread_mutex_lock(&retire->mutex);
    ticket->serial = retire->next_serial++;
    ticket->previous = retire->in_flight.previous;
    ticket->next = &retire->in_flight;
    ticket->previous->next = ticket;
    ticket->next->previous = ticket;
    pthread_mutex_unlock(&retire->mutex);
    return ticket->serial;
}

void exec_retire_end(struct exec_retire *retire, struct exec_retire_ticket *ticket)
{
    pthread_mutex_lock(&retire->mutex);
    ticket->previous->next = ticket->next;
    ticket->next->previous = ticket->previous;
    struct exec_retire_item *taken = items_take(retire);
    pthread_mutex_unlock(&retire->mutex);
    items_drop(taken);
}

bool exec_retire_is_done(struct exec_retire *retire, uint64_t serial)
{
    pthread_mutex_lock(&retire->mutex);
    const struct exec_retire_ticket *ticket = retire->in_flight.next;
    while (ticket != &retire->in_flight && ticket->serial < serial)
        ticket = ticket->next;
    bool running = ticket != &retire->in_flight && ticket->serial == serial;
    pthread_mutex_unlock(&retire->mutex);
    return !running;
}

void exec_retire_add(struct exec_retire *retire, exec_retire_fn drop, void *object)
{
    struct exec_retire_item *item = malloc(sizeof(*item));
    pthread_mutex_lock(&retire->mutex);
    bool idle = retire->in_flight.next == &retire->in_flight;
    if (!idle && item) {
        *item = (struct exec_retire_item){NULL, retire->next_serial - 1, drop, object};
        if (retire->last)
            retire->last->next = item;
        else
            retire->first = item;
        retire->last = item;
        item = NULL;
    } else if (!idle) {
        object = NULL; /* no memory to remember it: better to leak the object than to pull it from under a running shader */
    }
    pthread_mutex_unlock(&retire->mutex);
    free(item);
    if (idle && object)
        drop(object);
}
