/* SPDX-License-Identifier: MIT
 * Objects that the application released while work that may use them is still in flight live on until that work has
 * ended. Every submission to a queue takes a ticket; a retired object is dropped when all submissions made before
 * its release have finished. So the executor, descriptors and shaders may use an application's object without counting
 * references, as long as it was alive when the list was submitted. Thread-safe. */
#ifndef CDXR_EXEC_RETIRE_H
#define CDXR_EXEC_RETIRE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct exec_retire_ticket { /* storage of the caller, one a submission */
    struct exec_retire_ticket *previous, *next;
    uint64_t serial;
};

typedef void (*exec_retire_fn)(void *object);

struct exec_retire_item;

struct exec_retire {
    pthread_mutex_t mutex;
    uint64_t next_serial; /* from 1 */
    struct exec_retire_ticket in_flight; /* ring head, oldest first */
    struct exec_retire_item *first, *last;
};

void exec_retire_init(struct exec_retire *retire);
/* Drops everything that is still waiting. */
void exec_retire_finish(struct exec_retire *retire);

/* ExecuteCommandLists: before the work is handed to the queue's thread. Returns the serial. */
uint64_t exec_retire_begin(struct exec_retire *retire, struct exec_retire_ticket *ticket);
/* The queue's thread: the submission has ended. Drops what waited for it (calls back outside the lock). */
void exec_retire_end(struct exec_retire *retire, struct exec_retire_ticket *ticket);
/* Has the submission with this serial ended? (0: yes) */
bool exec_retire_is_done(struct exec_retire *retire, uint64_t serial);
/* Call drop(object) as soon as all submissions begun so far have ended: at once when there are none. */
void exec_retire_add(struct exec_retire *retire, exec_retire_fn drop, void *object);

#endif
