/* SPDX-License-Identifier: MIT
 * Storage, filters, limits and callbacks of validate/message.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "validate/message.h"

static struct message_store *store_create(bool debug_layer)
{
    struct message_store *store = NULL;
    assert_int_equal(message_store_create(debug_layer, &store), STATUS_OK);
    message_store_set_muted(store, true);
    return store;
}

static void messages_are_kept_in_order(void **state)
{
    struct message_store *store = store_create(true);
    message_write(store, RULE_DISPATCH_RAYS, "first %d", 1);
    message_write(store, RULE_BARRIER, "second");
    struct message message;
    char text[64];
    assert_int_equal(message_store_stored_count(store), 2);
    assert_true(message_store_get(store, 0, false, &message, text, sizeof(text)));
    assert_string_equal(text, "first 1");
    assert_int_equal(message.text_bytes, 8);
    assert_int_equal(message.number, 1161);
    assert_int_equal(message.severity, MESSAGE_SEVERITY_ERROR);
    assert_false(message_store_get(store, 2, false, &message, text, sizeof(text)));
    message_store_clear(store);
    assert_int_equal(message_store_stored_count(store), 0);
    message_store_destroy(store);
}

static void without_debug_layer_nothing_is_kept(void **state)
{
    struct message_store *store = store_create(false);
    message_write(store, RULE_BARRIER, "lost");
    assert_int_equal(message_store_stored_count(store), 0);
    message_store_destroy(store);
}

static void limit_drops_the_oldest(void **state)
{
    struct message_store *store = store_create(true);
    message_store_set_limit(store, 3);
    for (int i = 0; i < 100; i++)
        message_write(store, RULE_BARRIER, "%d", i);
    struct message message;
    char text[16];
    assert_int_equal(message_store_stored_count(store), 3);
    assert_true(message_store_get(store, 0, false, &message, text, sizeof(text)));
    assert_string_equal(text, "97");
    struct message_counts counts;
    message_store_counts(store, &counts);
    assert_int_equal(counts.allowed, 100);
    assert_int_equal(counts.discarded, 97);
    message_store_set_limit(store, 1);
    assert_int_equal(message_store_stored_count(store), 1);
    message_store_destroy(store);
}

static void storage_filter_denies(void **state)
{
    struct message_store *store = store_create(true);
    int severity = MESSAGE_SEVERITY_ERROR, number = 1161;
    struct message_filter deny_errors = {.deny = {.severities = &severity, .severity_count = 1}};
    struct message_filter deny_number = {.deny = {.numbers = &number, .number_count = 1}};
    assert_int_equal(message_filter_push(store, MESSAGE_FILTER_STORAGE, &deny_errors, false), STATUS_OK);
    message_write(store, RULE_DISPATCH_RAYS, "denied");
    message_write(store, RULE_GRAPHICS_IGNORED, "a warning");
    assert_int_equal(message_store_stored_count(store), 1);
    message_filter_pop(store, MESSAGE_FILTER_STORAGE);
    assert_int_equal(message_filter_add(store, MESSAGE_FILTER_STORAGE, &deny_number), STATUS_OK);
    message_write(store, RULE_DISPATCH_RAYS, "denied");
    message_write(store, RULE_BARRIER, "kept");
    assert_int_equal(message_store_stored_count(store), 2);
    struct message_filter *copy = message_filter_get(store, MESSAGE_FILTER_STORAGE);
    assert_int_equal(copy->deny.number_count, 1);
    assert_int_equal(copy->deny.numbers[0], 1161);
    free(copy);
    struct message_counts counts;
    message_store_counts(store, &counts);
    assert_int_equal(counts.denied, 2);
    message_store_destroy(store);
}

static void retrieval_filter_hides(void **state)
{
    struct message_store *store = store_create(true);
    message_write(store, RULE_DISPATCH_RAYS, "error");
    message_write(store, RULE_GRAPHICS_IGNORED, "warning");
    int severity = MESSAGE_SEVERITY_WARNING;
    struct message_filter only_warnings = {.allow = {.severities = &severity, .severity_count = 1}};
    assert_int_equal(message_filter_push(store, MESSAGE_FILTER_RETRIEVAL, &only_warnings, false), STATUS_OK);
    assert_int_equal(message_store_stored_count(store), 2);
    assert_int_equal(message_store_retrievable_count(store), 1);
    struct message message;
    char text[16];
    assert_true(message_store_get(store, 0, true, &message, text, sizeof(text)));
    assert_string_equal(text, "warning");
    message_filter_pop(store, MESSAGE_FILTER_RETRIEVAL);
    assert_int_equal(message_store_retrievable_count(store), 2);
    message_store_destroy(store);
}

struct seen {
    struct message_store *store;
    uint32_t cookie;
    int count;
    bool remove_inside;
};

static void callback(const struct message *message, void *context)
{
    struct seen *seen = *(struct seen **)context;
    seen->count++;
    if (seen->remove_inside)
        assert_true(message_callback_remove(seen->store, seen->cookie));
}

static enum status callback_add(struct seen *seen, bool ignore_filters)
{
    return message_callback_add(seen->store, callback, &seen, sizeof(seen), ignore_filters, &seen->cookie);
}

static void callbacks_see_what_filters_say(void **state)
{
    struct message_store *store = store_create(true);
    struct seen filtered = {store}, all = {store}, once = {.store = store, .remove_inside = true};
    assert_int_equal(callback_add(&filtered, false), STATUS_OK);
    assert_int_equal(callback_add(&all, true), STATUS_OK);
    assert_int_equal(callback_add(&once, true), STATUS_OK);
    int severity = MESSAGE_SEVERITY_ERROR;
    struct message_filter deny = {.deny = {.severities = &severity, .severity_count = 1}};
    assert_int_equal(message_filter_push(store, MESSAGE_FILTER_STORAGE, &deny, false), STATUS_OK);
    message_write(store, RULE_BARRIER, "denied");
    message_filter_pop(store, MESSAGE_FILTER_STORAGE);
    message_write(store, RULE_BARRIER, "passes");
    assert_int_equal(filtered.count, 1);
    assert_int_equal(all.count, 2);
    assert_int_equal(once.count, 1);
    assert_true(message_callback_remove(store, all.cookie));
    assert_false(message_callback_remove(store, all.cookie));
    message_write(store, RULE_BARRIER, "again");
    assert_int_equal(all.count, 2);
    message_store_destroy(store);
}

static void break_conditions_are_remembered(void **state)
{
    struct message_store *store = store_create(true);
    message_break_set_severity(store, MESSAGE_SEVERITY_WARNING, true);
    assert_true(message_break_severity(store, MESSAGE_SEVERITY_WARNING));
    assert_false(message_break_severity(store, MESSAGE_SEVERITY_INFO));
    message_break_set_severity(store, MESSAGE_SEVERITY_WARNING, false);
    assert_false(message_break_severity(store, MESSAGE_SEVERITY_WARNING));
    assert_int_equal(message_break_set_number(store, 77, true), STATUS_OK);
    assert_true(message_break_number(store, 77));
    assert_int_equal(message_break_set_number(store, 77, false), STATUS_OK);
    assert_false(message_break_number(store, 77));
    message_break_set_category(store, 99, true);
    assert_false(message_break_category(store, 99));
    message_store_destroy(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_kept_in_order),
        cmocka_unit_test(without_debug_layer_nothing_is_kept),
        cmocka_unit_test(limit_drops_the_oldest),
        cmocka_unit_test(storage_filter_denies),
        cmocka_unit_test(retrieval_filter_hides),
        cmocka_unit_test(callbacks_see_what_filters_say),
        cmocka_unit_test(break_conditions_are_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
