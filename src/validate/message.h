/* SPDX-License-Identifier: MIT
 * Store of the messages of one device: the debug layer behind ID3D12InfoQueue. Every broken rule yields ONE message that
 * names call, parameter, value and rule. With the debug layer on, messages pass the storage filters into the queue and
 * go to callbacks; with it off they only go to the log. Either way the log shows each rule a limited number of times,
 * so that a loop of mistakes does not flood it. Thread-safe. */
#ifndef CDXR_VALIDATE_MESSAGE_H
#define CDXR_VALIDATE_MESSAGE_H

#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "validate/rules.h"

struct message_store;

struct message {
    enum message_category category;
    enum message_severity severity;
    int number;  /* D3D12_MESSAGE_ID */
    size_t text_bytes; /* with the terminator */
    const char *text;
};

typedef void (*message_callback_fn)(const struct message *message, void *context);

/* debug_layer: keep messages. */
MUST_USE enum status message_store_create(bool debug_layer, struct message_store **store);
void message_store_destroy(struct message_store *store);
bool message_store_is_debug(const struct message_store *store);

/* The usual way: message_write(device->messages, RULE_DISPATCH_RAYS, "DispatchRays: RayGenerationShaderRecord..."). */
void message_write(struct message_store *store, enum rule rule, const char *format, ...) PRINTF_LIKE(3, 4);
/* Messages of other kinds: the application's own (ID3D12InfoQueue::AddMessage). */
void message_write_raw(struct message_store *store, enum message_category category,
                       enum message_severity severity, int number, const char *text);

/* --- the queue, as ID3D12InfoQueue documents it --- */
struct message_counts {
    uint64_t allowed;   /* passed the storage filter */
    uint64_t denied;    /* stopped by it */
    uint64_t discarded; /* allowed, but the queue was full (oldest goes) */
};
void message_store_counts(struct message_store *store, struct message_counts *counts);
uint64_t message_store_stored_count(struct message_store *store);
uint64_t message_store_retrievable_count(struct message_store *store);
/* Copy message number index, counting only those that pass the retrieval filter when retrieval is true. The text is copied
 * to text[capacity_bytes] when it fits; *message gets its fields and needed text_bytes. False: no such index. */
bool message_store_get(struct message_store *store, uint64_t index, bool retrieval, struct message *message,
                       char *text, size_t capacity_bytes);
void message_store_clear(struct message_store *store);
void message_store_set_limit(struct message_store *store, uint64_t limit); /* UINT64_MAX: none */
uint64_t message_store_limit(struct message_store *store);
void message_store_set_muted(struct message_store *store, bool muted); /* no log output, still stored */
bool message_store_is_muted(struct message_store *store);

/* --- filters --- */
struct message_filter_list {
    const int *categories;
    size_t category_count;
    const int *severities;
    size_t severity_count;
    const int *numbers;
    size_t number_count;
};
/* A message passes when the allow list is empty or holds it in each non-empty part, and no part of the deny list does. */
struct message_filter {
    struct message_filter_list allow;
    struct message_filter_list deny;
};
enum message_filter_stack { MESSAGE_FILTER_STORAGE, MESSAGE_FILTER_RETRIEVAL, MESSAGE_FILTER_STACK_COUNT };

MUST_USE enum status message_filter_add(struct message_store *store, enum message_filter_stack stack,
                                        const struct message_filter *filter);
/* Copy of the top filter as one malloc block (free()): pointers point into it. NULL when out of memory. */
struct message_filter *message_filter_get(struct message_store *store, enum message_filter_stack stack);
void message_filter_clear(struct message_store *store, enum message_filter_stack stack);
/* filter NULL: push an empty one. copy: push a copy of the top instead. */
MUST_USE enum status message_filter_push(struct message_store *store, enum message_filter_stack stack,
                                         const struct message_filter *filter, bool copy);
void message_filter_pop(struct message_store *store, enum message_filter_stack stack);
uint32_t message_filter_depth(struct message_store *store, enum message_filter_stack stack);

/* --- break and callbacks --- */
void message_break_set_category(struct message_store *store, int category, bool enable);
bool message_break_category(struct message_store *store, int category);
void message_break_set_severity(struct message_store *store, int severity, bool enable);
bool message_break_severity(struct message_store *store, int severity);
MUST_USE enum status message_break_set_number(struct message_store *store, int number, bool enable);
bool message_break_number(struct message_store *store, int number);

/* context_bytes of context are copied and given to the callback. *cookie 0: none could be registered. ignore_filters:
 * called for messages that the storage filter denies too. */
MUST_USE enum status message_callback_add(struct message_store *store, message_callback_fn callback,
                                          const void *context, size_t context_bytes, bool ignore_filters,
                                          uint32_t *cookie);
/* False: no such cookie. After it returns the callback runs no more (unless called from inside that callback). */
bool message_callback_remove(struct message_store *store, uint32_t cookie);

#endif
