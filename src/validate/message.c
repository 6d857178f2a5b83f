/* SPDX-License-Identifier: MIT */
#include "validate/message.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "validate/message_internal.h"

enum { LOG_REPEATS_MAX = 8 };

/* Set while a callback runs on this thread: it may call back into the store, also to remove itself. */
static _Thread_local struct message_store *callback_store;

enum status message_store_create(bool debug_layer, struct message_store **store)
{
    struct message_store *result = calloc(1, sizeof(*result));
    if (!result)
        return STATUS_OUT_OF_MEMORY;
    result->debug_layer = debug_layer;
    result->limit = MESSAGE_LIMIT_DEFAULT;
    result->next_cookie = 1;
    pthread_mutex_init(&result->mutex, NULL);
    pthread_rwlock_init(&result->callback_lock, NULL);
    *store = result;
    return STATUS_OK;
}

static void entries_clear(struct message_store *store)
{
    for (uint64_t i = 0; i < store->count; i++)
        free(store->entries[(store->first + i) % store->capacity]);
    store->first = store->count = 0;
}

void message_store_destroy(struct message_store *store)
{
    if (!store)
        return;
    entries_clear(store);
    free(store->entries);
    while (store->callbacks) {
        struct message_callback *callback = store->callbacks;
        store->callbacks = callback->next;
        free(callback);
    }
    for (int i = 0; i < MESSAGE_FILTER_STACK_COUNT; i++)
        message_filter_stack_finish(&store->filters[i]);
    free(store->break_numbers);
    pthread_rwlock_destroy(&store->callback_lock);
    pthread_mutex_destroy(&store->mutex);
    free(store);
}

bool message_store_is_debug(const struct message_store *store)
{
    return store->debug_layer;
}

static struct message_entry *ring_at(const struct message_store *store, uint64_t index)
{
    return store->entries[(store->first + index) % store->capacity];
}

/* Room for one more entry, dropping the oldest at the limit. False: limit 0 or out of memory. */
static bool ring_reserve(struct message_store *store)
{
    if (store->limit == 0)
        return false;
    if (store->count >= store->limit) {
        free(ring_at(store, 0));
        store->first = (store->first + 1) % store->capacity;
        store->count--;
        store->counts.discarded++;
    }
    if (store->count < store->capacity)
        return true;
    uint64_t capacity = store->capacity ? store->capacity * 2 : 64;
    struct message_entry **entries = malloc(capacity * sizeof(*entries));
    if (!entries)
        return false;
    for (uint64_t i = 0; i < store->count; i++)
        entries[i] = ring_at(store, i);
    free(store->entries);
    store->entries = entries;
    store->capacity = capacity;
    store->first = 0;
    return true;
}

static void ring_push(struct message_store *store, const struct message *message)
{
    struct message_entry *entry = malloc(sizeof(*entry) + message->text_bytes);
    if (!entry || !ring_reserve(store)) {
        free(entry);
        store->counts.discarded++;
        return;
    }
    entry->message = *message;
    memcpy(entry->text, message->text, message->text_bytes);
    entry->message.text = entry->text;
    entry->retrievable = message_filter_passes(store, MESSAGE_FILTER_RETRIEVAL, message);
    store->entries[(store->first + store->count++) % store->capacity] = entry;
}

static void callbacks_run(struct message_store *store, const struct message *message, bool passed)
{
    bool nested = callback_store == store;
    if (!nested)
        pthread_rwlock_rdlock(&store->callback_lock);
    struct message_store *outer = callback_store;
    callback_store = store;
    for (struct message_callback *callback = nested ? NULL : store->callbacks; callback; callback = callback->next)
        if ((passed || callback->ignore_filters) && callback->callback)
            callback->callback(message, callback->context);
    callback_store = outer;
    if (!nested)
        pthread_rwlock_unlock(&store->callback_lock);
}

static bool breaks_on(const struct message_store *store, const struct message *message)
{
    if (store->break_categories & 1u << message->category || store->break_severities & 1u << message->severity)
        return true;
    for (size_t i = 0; i < store->break_number_count; i++)
        if (store->break_numbers[i] == message->number)
            return true;
    return false;
}

static void log_message(struct message_store *store, const struct message *message, bool limited)
{
    static const enum log_level levels[] = {LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_WARN, LOG_LEVEL_INFO,
                                            LOG_LEVEL_INFO};
    const char *tail = limited ? " (further messages of this rule are not logged)" : "";
    log_write(levels[message->severity], "%s [#%d]%s", message->text, message->number, tail);
}

static void message_deliver(struct message_store *store, const struct message *message, uint32_t repeat_index)
{
    pthread_mutex_lock(&store->mutex);
    bool muted = store->muted;
    bool passed = store->debug_layer && message_filter_passes(store, MESSAGE_FILTER_STORAGE, message);
    bool breaks = passed && breaks_on(store, message);
    if (passed) {
        store->counts.allowed++;
        ring_push(store, message);
    } else if (store->debug_layer) {
        store->counts.denied++;
    }
    pthread_mutex_unlock(&store->mutex);
    if (!muted && (passed || !store->debug_layer) && repeat_index < LOG_REPEATS_MAX)
        log_message(store, message, repeat_index == LOG_REPEATS_MAX - 1);
    if (store->debug_layer)
        callbacks_run(store, message, passed);
    if (breaks)
        raise(SIGTRAP);
}

void message_write(struct message_store *store, enum rule rule, const char *format, ...)
{
    char text[MESSAGE_TEXT_BYTES_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    const struct rule_info *info = rule_info_of(rule);
    struct message message = {info->category, info->severity, info->number, strlen(text) + 1, text};
    message_deliver(store, &message, atomic_fetch_add(&store->log_counts[rule], 1));
}

void message_write_raw(struct message_store *store, enum message_category category,
                       enum message_severity severity, int number, const char *text)
{
    struct message message = {category, severity, number, strlen(text) + 1, text};
    message_deliver(store, &message, 0);
}

void message_store_counts(struct message_store *store, struct message_counts *counts)
{
    pthread_mutex_lock(&store->mutex);
    *counts = store->counts;
    pthread_mutex_unlock(&store->mutex);
}

uint64_t message_store_stored_count(struct message_store *store)
{
    pthread_mutex_lock(&store->mutex);
    uint64_t count = store->count;
    pthread_mutex_unlock(&store->mutex);
    return count;
}

uint64_t message_store_retrievable_count(struct message_store *store)
{
    pthread_mutex_lock(&store->mutex);
    uint64_t count = 0;
    for (uint64_t i = 0; i < store->count; i++)
        count += ring_at(store, i)->retrievable;
    pthread_mutex_unlock(&store->mutex);
    return count;
}

static const struct message_entry *entry_at(const struct message_store *store, uint64_t index, bool retrieval)
{
    if (!retrieval)
        return index < store->count ? ring_at(store, index) : NULL;
    for (uint64_t i = 0; i < store->count; i++) {
        const struct message_entry *entry = ring_at(store, i);
        if (entry->retrievable && index-- == 0)
            return entry;
    }
    return NULL;
}

bool message_store_get(struct message_store *store, uint64_t index, bool retrieval, struct message *message,
                       char *text, size_t capacity_bytes)
{
    pthread_mutex_lock(&store->mutex);
    const struct message_entry *entry = entry_at(store, index, retrieval);
    if (entry) {
        *message = entry->message;
        message->text = text;
        if (text && capacity_bytes >= entry->message.text_bytes)
            memcpy(text, entry->text, entry->message.text_bytes);
    }
    pthread_mutex_unlock(&store->mutex);
    return entry != NULL;
}

void message_store_clear(struct message_store *store)
{
    pthread_mutex_lock(&store->mutex);
    entries_clear(store);
    pthread_mutex_unlock(&store->mutex);
}

void message_store_set_limit(struct message_store *store, uint64_t limit)
{
    pthread_mutex_lock(&store->mutex);
    store->limit = limit;
    while (store->count > limit) {
        free(ring_at(store, 0));
        store->first = (store->first + 1) % store->capacity;
        store->count--;
    }
    pthread_mutex_unlock(&store->mutex);
}

uint64_t message_store_limit(struct message_store *store)
{
    pthread_mutex_lock(&store->mutex);
    uint64_t limit = store->limit;
    pthread_mutex_unlock(&store->mutex);
    return limit;
}

void message_store_set_muted(struct message_store *store, bool muted)
{
    pthread_mutex_lock(&store->mutex);
    store->muted = muted;
    pthread_mutex_unlock(&store->mutex);
}

bool message_store_is_muted(struct message_store *store)
{
    pthread_mutex_lock(&store->mutex);
    bool muted = store->muted;
    pthread_mutex_unlock(&store->mutex);
    return muted;
}

void message_store_refilter(struct message_store *store)
{
    for (uint64_t i = 0; i < store->count; i++) {
        struct message_entry *entry = ring_at(store, i);
        entry->retrievable = message_filter_passes(store, MESSAGE_FILTER_RETRIEVAL, &entry->message);
    }
}

enum status message_callback_add(struct message_store *store, message_callback_fn callback, const void *context,
                                 size_t context_bytes, bool ignore_filters, uint32_t *cookie)
{
    *cookie = 0;
    if (!callback || callback_store == store)
        return STATUS_INVALID;
    struct message_callback *entry = calloc(1, sizeof(*entry) + context_bytes);
    if (!entry)
        return STATUS_OUT_OF_MEMORY;
    entry->callback = callback;
    if (context_bytes)
        memcpy(entry->context, context, context_bytes);
    entry->ignore_filters = ignore_filters;
    pthread_rwlock_wrlock(&store->callback_lock);
    entry->cookie = store->next_cookie++;
    entry->next = store->callbacks;
    store->callbacks = entry;
    *cookie = entry->cookie;
    pthread_rwlock_unlock(&store->callback_lock);
    return STATUS_OK;
}

/* From inside a callback the list is read-locked by this thread: the entry is only silenced, and freed with the store. */
static bool callback_silence(struct message_store *store, uint32_t cookie)
{
    for (struct message_callback *entry = store->callbacks; entry; entry = entry->next)
        if (entry->cookie == cookie && entry->callback) {
            entry->callback = NULL;
            return true;
        }
    return false;
}

bool message_callback_remove(struct message_store *store, uint32_t cookie)
{
    if (callback_store == store)
        return callback_silence(store, cookie);
    pthread_rwlock_wrlock(&store->callback_lock);
    struct message_callback **link = &store->callbacks;
    while (*link && (*link)->cookie != cookie)
        link = &(*link)->next;
    struct message_callback *entry = *link;
    bool found = entry && entry->callback;
    if (entry)
        *link = entry->next;
    pthread_rwlock_unlock(&store->callback_lock);
    free(entry);
    return found;
}
