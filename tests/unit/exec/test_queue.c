/* SPDX-License-Identifier: MIT
 * Queues and fences: order, waits between queues and with the CPU, events, removal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "exec/queue.h"

static struct exec_device *device;

static int set_up(void **state)
{
    struct exec_device_settings settings = {0};
    return exec_device_create(&settings, &device) != STATUS_OK;
}

static int tear_down(void **state)
{
    exec_device_destroy(device);
    return 0;
}

static struct exec_fence *new_fence(uint64_t value)
{
    struct exec_fence *fence = NULL;
    assert_int_equal(exec_fence_create(device, value, &fence), STATUS_OK);
    return fence;
}

static struct exec_queue *new_queue(void)
{
    struct exec_queue *queue = NULL;
    assert_int_equal(exec_queue_create(device, EXEC_QUEUE_DIRECT, &queue), STATUS_OK);
    return queue;
}

static uint64_t event_count(int event)
{
    uint64_t count = 0;
    return read(event, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

static void signal_is_seen_by_the_cpu(void **state)
{
    struct exec_fence *fence = new_fence(3);
    struct exec_queue *queue = new_queue();
    assert_int_equal(exec_fence_value(fence), 3);
    assert_int_equal(exec_queue_signal(queue, fence, 7, NULL, NULL), STATUS_OK);
    exec_fence_wait(fence, 7);
    assert_int_equal(exec_fence_value(fence), 7);
    exec_queue_destroy(queue);
    exec_fence_destroy(fence);
}

static void value_may_fall(void **state)
{
    struct exec_fence *fence = new_fence(9);
    exec_fence_signal(fence, 2);
    assert_int_equal(exec_fence_value(fence), 2);
    exec_fence_destroy(fence);
}

static atomic_int order;

static void note_first(void *argument)
{
    assert_int_equal(atomic_fetch_add(&order, 1), 0);
}

static void note_second(void *argument)
{
    assert_int_equal(atomic_fetch_add(&order, 1), 1);
}

static void wait_before_signal_orders_two_queues(void **state)
{
    struct exec_fence *fence = new_fence(0);
    struct exec_queue *a = new_queue(), *b = new_queue();
    atomic_store(&order, 0);
    assert_int_equal(exec_queue_wait(b, fence, 1, NULL, NULL), STATUS_OK);
    assert_int_equal(exec_queue_call(b, note_second, NULL, NULL, NULL), STATUS_OK);
    usleep(2000);
    assert_int_equal(exec_queue_call(a, note_first, NULL, NULL, NULL), STATUS_OK);
    assert_int_equal(exec_queue_signal(a, fence, 1, NULL, NULL), STATUS_OK);
    exec_queue_drain(b);
    assert_int_equal(atomic_load(&order), 2);
    exec_queue_destroy(a);
    exec_queue_destroy(b);
    exec_fence_destroy(fence);
}

static void cpu_signal_releases_a_queue(void **state)
{
    struct exec_fence *fence = new_fence(0);
    struct exec_queue *queue = new_queue();
    assert_int_equal(exec_queue_wait(queue, fence, 5, NULL, NULL), STATUS_OK);
    exec_fence_signal(fence, 6);
    exec_queue_drain(queue);
    exec_queue_destroy(queue);
    exec_fence_destroy(fence);
}

static void events_fire_once_when_their_value_is_reached(void **state)
{
    struct exec_fence *fence = new_fence(0);
    int event = eventfd(0, EFD_NONBLOCK);
    assert_int_equal(exec_fence_notify(fence, 2, event), STATUS_OK);
    exec_fence_signal(fence, 1);
    assert_int_equal(event_count(event), 0);
    exec_fence_signal(fence, 4);
    assert_int_equal(event_count(event), 1);
    exec_fence_signal(fence, 5);
    assert_int_equal(event_count(event), 0);
    assert_int_equal(exec_fence_notify(fence, 5, event), STATUS_OK);
    assert_int_equal(event_count(event), 1);
    close(event);
    exec_fence_destroy(fence);
}

static void closed_event_is_refused(void **state)
{
    struct exec_fence *fence = new_fence(0);
    int event = eventfd(0, 0);
    close(event);
    assert_int_equal(exec_fence_notify(fence, 1, event), STATUS_INVALID);
    exec_fence_destroy(fence);
}

static void several_fences_all_and_any(void **state)
{
    struct exec_fence *fences[3] = {new_fence(0), new_fence(0), new_fence(0)};
    const uint64_t values[3] = {1, 2, 3};
    int all = eventfd(0, EFD_NONBLOCK), any = eventfd(0, EFD_NONBLOCK);
    assert_int_equal(exec_fence_wait_multiple(device, fences, values, 3, true, all), STATUS_OK);
    assert_int_equal(exec_fence_wait_multiple(device, fences, values, 3, false, any), STATUS_OK);
    exec_fence_signal(fences[1], 2);
    assert_int_equal(event_count(any), 1);
    assert_int_equal(event_count(all), 0);
    exec_fence_signal(fences[2], 3);
    exec_fence_signal(fences[0], 1);
    assert_int_equal(event_count(all), 1);
    assert_int_equal(event_count(any), 0);
    assert_int_equal(exec_fence_wait_multiple(device, fences, values, 3, true, -1), STATUS_OK);
    for (int i = 0; i < 3; i++)
        exec_fence_destroy(fences[i]);
    close(all);
    close(any);
}

static void destroying_a_fence_forgets_its_events(void **state)
{
    struct exec_fence *fences[2] = {new_fence(0), new_fence(0)};
    const uint64_t values[2] = {1, 1};
    int event = eventfd(0, EFD_NONBLOCK);
    assert_int_equal(exec_fence_wait_multiple(device, fences, values, 2, true, event), STATUS_OK);
    exec_fence_destroy(fences[0]);
    exec_fence_signal(fences[1], 1);
    assert_int_equal(event_count(event), 0);
    exec_fence_destroy(fences[1]);
    close(event);
}

static void destroying_a_queue_gives_up_its_wait(void **state)
{
    struct exec_fence *fence = new_fence(0);
    struct exec_queue *queue = new_queue();
    atomic_store(&order, 0);
    assert_int_equal(exec_queue_wait(queue, fence, 1, NULL, NULL), STATUS_OK);
    assert_int_equal(exec_queue_call(queue, note_first, NULL, NULL, NULL), STATUS_OK);
    assert_int_equal(exec_queue_signal(queue, fence, 9, NULL, NULL), STATUS_OK);
    exec_queue_destroy(queue);
    assert_int_equal(atomic_load(&order), 0); /* what had to wait does not run */
    assert_int_equal(exec_fence_value(fence), 0);
    exec_fence_destroy(fence);
}

static void removal_completes_fences_and_drops_work(void **state)
{
    struct exec_fence *fence = new_fence(0);
    struct exec_queue *queue = new_queue();
    int event = eventfd(0, EFD_NONBLOCK);
    assert_int_equal(exec_fence_notify(fence, 100, event), STATUS_OK);
    assert_int_equal(exec_queue_wait(queue, fence, 50, NULL, NULL), STATUS_OK);
    atomic_store(&order, 0);
    assert_int_equal(exec_queue_call(queue, note_first, NULL, NULL, NULL), STATUS_OK);
    exec_device_remove(device, EXEC_REMOVED_HUNG, "first reason %d", 1);
    exec_device_remove(device, EXEC_REMOVED_REMOVED, "second reason");
    exec_queue_drain(queue);
    assert_int_equal(atomic_load(&order), 0);
    assert_int_equal(exec_fence_value(fence), UINT64_MAX);
    assert_int_equal(event_count(event), 1);
    assert_int_equal(exec_device_removed(device), EXEC_REMOVED_HUNG);
    assert_string_equal(exec_device_removed_text(device), "first reason 1");
    assert_int_equal(*exec_device_abort_flag(device), 1);
    exec_fence_signal(fence, 3);
    assert_int_equal(exec_fence_value(fence), UINT64_MAX);
    struct exec_fence *late = new_fence(0);
    assert_int_equal(exec_fence_value(late), UINT64_MAX);
    exec_fence_destroy(late);
    exec_queue_destroy(queue);
    exec_fence_destroy(fence);
    close(event);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(signal_is_seen_by_the_cpu),
        TEST(value_may_fall),
        TEST(wait_before_signal_orders_two_queues),
        TEST(cpu_signal_releases_a_queue),
        TEST(events_fire_once_when_their_value_is_reached),
        TEST(closed_event_is_refused),
        TEST(several_fences_all_and_any),
        TEST(destroying_a_fence_forgets_its_events),
        TEST(destroying_a_queue_gives_up_its_wait),
        TEST(removal_completes_fences_and_drops_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
