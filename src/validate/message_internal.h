/* SPDX-License-Identifier: MIT
 * Parts of the message store, shared by message.c (queue, callbacks) and message_filter.c. */
#ifndef CDXR_VALIDATE_MESSAGE_INTERNAL_H
#define CDXR_VALIDATE_MESSAGE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "validate/message.h"

enum { MESSAGE_LIMIT_DEFAULT = 1024, MESSAGE_TEXT_BYTES_MAX = 4096 };

struct message_entry {
    struct message message; /* text: behind the entry */
    bool retrievable;       /* passes the retrieval filter; kept up to date when that changes */
    char text[];
};

struct message_callback {
    struct message_callback *next;
    message_callback_fn callback;
    bool ignore_filters;
    uint32_t cookie;
    _Alignas(16) unsigned char context[];
};

struct filter_stack {
    struct message_filter **filters; /* malloc blocks, top last; NULL entry: empty filter */
    uint32_t count, capacity;
};

struct message_store {
    bool debug_layer;
    pthread_mutex_t mutex;          /* all below */
    pthread_rwlock_t callback_lock; /* the callback list; read-held while callbacks run */
    struct message_callback *callbacks;
    uint32_t next_cookie;
    struct message_entry **entries; /* ring of capacity entries */
    uint64_t capacity, first, count;
    uint64_t limit;
    struct message_counts counts;
    bool muted;
    struct filter_stack filters[MESSAGE_FILTER_STACK_COUNT];
    uint32_t break_categories, break_severities; /* bits */
    int *break_numbers;
    size_t break_number_count;
    _Atomic uint32_t log_counts[RULE_COUNT];
};

/* Does the top filter of the stack let the message through? Mutex held. */
bool message_filter_passes(const struct message_store *store, enum message_filter_stack stack,
                           const struct message *message);
void message_filter_stack_finish(struct filter_stack *stack);
/* Recompute retrievable of all entries. Mutex held. */
void message_store_refilter(struct message_store *store);

#endif
