/* SPDX-License-Identifier: MIT
 * Filter stacks and break conditions of the message store. */
#include <stdlib.h>
#include <string.h>

#include "validate/message_internal.h"

static bool list_holds(const int *values, size_t count, int value)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] == value)
            return true;
    return false;
}

static bool list_allows(const struct message_filter_list *list, const struct message *message)
{
    return (!list->category_count || list_holds(list->categories, list->category_count, (int)message->category)) &&
           (!list->severity_count || list_holds(list->severities, list->severity_count, (int)message->severity)) &&
           (!list->number_count || list_holds(list->numbers, list->number_count, message->number));
}

static bool list_denies(const struct message_filter_list *list, const struct message *message)
{
    return list_holds(list->categories, list->category_count, (int)message->category) ||
           list_holds(list->severities, list->severity_count, (int)message->severity) ||
           list_holds(list->numbers, list->number_count, message->number);
}

static struct message_filter *stack_top(const struct filter_stack *stack)
{
    return stack->count ? stack->filters[stack->count - 1] : NULL;
}

bool message_filter_passes(const struct message_store *store, enum message_filter_stack stack,
                           const struct message *message)
{
    const struct message_filter *filter = stack_top(&store->filters[stack]);
    return !filter || (list_allows(&filter->allow, message) && !list_denies(&filter->deny, message));
}

void message_filter_stack_finish(struct filter_stack *stack)
{
    for (uint32_t i = 0; i < stack->count; i++)
        free(stack->filters[i]);
    free(stack->filters);
    *stack = (struct filter_stack){0};
}

static size_t list_count(const struct message_filter_list *list)
{
    return list->category_count + list->severity_count + list->number_count;
}

/* Append a then b to the numbers at *cursor; *out describes the result. */
static void ints_join(int **cursor, const int **out, size_t *out_count, const int *a, size_t a_count, const int *b,
                      size_t b_count)
{
    *out = *cursor;
    *out_count = a_count + b_count;
    if (a_count)
        memcpy(*cursor, a, a_count * sizeof(int));
    if (b_count)
        memcpy(*cursor + a_count, b, b_count * sizeof(int));
    *cursor += a_count + b_count;
}

static void list_join(int **cursor, struct message_filter_list *out, const struct message_filter_list *a,
                      const struct message_filter_list *b)
{
    ints_join(cursor, &out->categories, &out->category_count, a->categories, a->category_count, b->categories,
              b->category_count);
    ints_join(cursor, &out->severities, &out->severity_count, a->severities, a->severity_count, b->severities,
              b->severity_count);
    ints_join(cursor, &out->numbers, &out->number_count, a->numbers, a->number_count, b->numbers, b->number_count);
}

/* One malloc block holding the union of both filters (either may be NULL). */
static struct message_filter *filter_join(const struct message_filter *a, const struct message_filter *b)
{
    static const struct message_filter empty;
    a = a ? a : &empty;
    b = b ? b : &empty;
    size_t count = list_count(&a->allow) + list_count(&a->deny) + list_count(&b->allow) + list_count(&b->deny);
    struct message_filter *filter = calloc(1, sizeof(*filter) + count * sizeof(int));
    if (!filter)
        return NULL;
    int *cursor = (int *)(filter + 1);
    list_join(&cursor, &filter->allow, &a->allow, &b->allow);
    list_join(&cursor, &filter->deny, &a->deny, &b->deny);
    return filter;
}

/* Takes filter over (also on failure). Mutex held. */
static enum status stack_push(struct filter_stack *stack, struct message_filter *filter)
{
    if (filter && stack->count == stack->capacity) {
        uint32_t capacity = stack->capacity ? stack->capacity * 2 : 8;
        struct message_filter **filters = realloc(stack->filters, capacity * sizeof(*filters));
        if (filters) {
            stack->filters = filters;
            stack->capacity = capacity;
        }
    }
    if (!filter || stack->count == stack->capacity) {
        free(filter);
        return STATUS_OUT_OF_MEMORY;
    }
    stack->filters[stack->count++] = filter;
    return STATUS_OK;
}

enum status message_filter_add(struct message_store *store, enum message_filter_stack stack,
                               const struct message_filter *filter)
{
    pthread_mutex_lock(&store->mutex);
    struct filter_stack *filters = &store->filters[stack];
    struct message_filter *joined = filter_join(stack_top(filters), filter);
    enum status status = joined ? STATUS_OK : STATUS_OUT_OF_MEMORY;
    if (joined && filters->count) {
        free(filters->filters[filters->count - 1]);
        filters->filters[filters->count - 1] = joined;
    } else if (joined) {
        status = stack_push(filters, joined);
    }
    message_store_refilter(store);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

struct message_filter *message_filter_get(struct message_store *store, enum message_filter_stack stack)
{
    pthread_mutex_lock(&store->mutex);
    struct message_filter *copy = filter_join(stack_top(&store->filters[stack]), NULL);
    pthread_mutex_unlock(&store->mutex);
    return copy;
}

void message_filter_clear(struct message_store *store, enum message_filter_stack stack)
{
    pthread_mutex_lock(&store->mutex);
    struct filter_stack *filters = &store->filters[stack];
    if (filters->count) {
        struct message_filter *top = filters->filters[filters->count - 1];
        top->allow = top->deny = (struct message_filter_list){0};
    }
    message_store_refilter(store);
    pthread_mutex_unlock(&store->mutex);
}

enum status message_filter_push(struct message_store *store, enum message_filter_stack stack,
                                const struct message_filter *filter, bool copy)
{
    pthread_mutex_lock(&store->mutex);
    struct filter_stack *filters = &store->filters[stack];
    enum status status = stack_push(filters, filter_join(copy ? stack_top(filters) : NULL, filter));
    message_store_refilter(store);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

void message_filter_pop(struct message_store *store, enum message_filter_stack stack)
{
    pthread_mutex_lock(&store->mutex);
    struct filter_stack *filters = &store->filters[stack];
    if (filters->count)
        free(filters->filters[--filters->count]);
    message_store_refilter(store);
    pthread_mutex_unlock(&store->mutex);
}

uint32_t message_filter_depth(struct message_store *store, enum message_filter_stack stack)
{
    pthread_mutex_lock(&store->mutex);
    uint32_t count = store->filters[stack].count;
    pthread_mutex_unlock(&store->mutex);
    return count;
}

static void bit_set(struct message_store *store, uint32_t *bits, int bit, bool enable)
{
    if (bit < 0 || bit >= 32)
        return;
    pthread_mutex_lock(&store->mutex);
    *bits = enable ? *bits | 1u << bit : *bits & ~(1u << bit);
    pthread_mutex_unlock(&store->mutex);
}

static bool bit_get(struct message_store *store, const uint32_t *bits, int bit)
{
    pthread_mutex_lock(&store->mutex);
    bool result = bit >= 0 && bit < 32 && (*bits & 1u << bit);
    pthread_mutex_unlock(&store->mutex);
    return result;
}

void message_break_set_category(struct message_store *store, int category, bool enable)
{
    bit_set(store, &store->break_categories, category, enable);
}

bool message_break_category(struct message_store *store, int category)
{
    return bit_get(store, &store->break_categories, category);
}

void message_break_set_severity(struct message_store *store, int severity, bool enable)
{
    bit_set(store, &store->break_severities, severity, enable);
}

bool message_break_severity(struct message_store *store, int severity)
{
    return bit_get(store, &store->break_severities, severity);
}

/* Mutex held. */
static enum status break_number_add(struct message_store *store, int number)
{
    int *numbers = realloc(store->break_numbers, (store->break_number_count + 1) * sizeof(int));
    if (!numbers)
        return STATUS_OUT_OF_MEMORY;
    store->break_numbers = numbers;
    numbers[store->break_number_count++] = number;
    return STATUS_OK;
}

enum status message_break_set_number(struct message_store *store, int number, bool enable)
{
    enum status status = STATUS_OK;
    pthread_mutex_lock(&store->mutex);
    bool known = list_holds(store->break_numbers, store->break_number_count, number);
    if (enable && !known)
        status = break_number_add(store, number);
    for (size_t i = 0; !enable && i < store->break_number_count; i++)
        if (store->break_numbers[i] == number)
            store->break_numbers[i--] = store->break_numbers[--store->break_number_count];
    pthread_mutex_unlock(&store->mutex);
    return status;
}

bool message_break_number(struct message_store *store, int number)
{
    pthread_mutex_lock(&store->mutex);
    bool result = list_holds(store->break_numbers, store->break_number_count, number);
    pthread_mutex_unlock(&store->mutex);
    return result;
}
