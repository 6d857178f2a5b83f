/* SPDX-License-Identifier: MIT
 * Shared state of a device's queues, removal, and the watchdog that ends dispatches which make no progress. */
#include "exec/device_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/environment.h"
#include "base/log.h"

enum { WATCHDOG_TICK_MS = 250, DEFAULT_TIMEOUT_SECONDS = 60 };

uint64_t exec_timestamp(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint32_t timeout_ticks_from_environment(void)
{
    double seconds = environment_number("CDXR_TIMEOUT", 0, 1e6, DEFAULT_TIMEOUT_SECONDS);
    if (!(seconds > 0))
        return 0;
    double ticks = seconds * 1000 / WATCHDOG_TICK_MS;
    return ticks < 1 ? 1 : (uint32_t)ticks;
}

enum status exec_device_create(const struct exec_device_settings *settings, struct exec_device **out)
{
    struct exec_device *device = calloc(1, sizeof(*device));
    if (!device)
        return STATUS_OUT_OF_MEMORY;
    device->settings = *settings;
    device->timeout_ticks = timeout_ticks_from_environment();
    pthread_mutex_init(&device->fence_mutex, NULL);
    pthread_mutex_init(&device->removed_mutex, NULL);
    pthread_mutex_init(&device->watchdog_mutex, NULL);
    pthread_mutex_init(&device->running_mutex, NULL);
    pthread_mutex_init(&device->structure_mutex, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&device->watchdog_wake, &attributes);
    pthread_condattr_destroy(&attributes);
    *out = device;
    return STATUS_OK;
}

void exec_device_destroy(struct exec_device *device)
{
    if (!device)
        return;
    pthread_mutex_lock(&device->watchdog_mutex);
    bool running = device->watchdog_running;
    device->watchdog_stop = true;
    pthread_cond_broadcast(&device->watchdog_wake);
    pthread_mutex_unlock(&device->watchdog_mutex);
    if (running)
        pthread_join(device->watchdog, NULL);
    pthread_cond_destroy(&device->watchdog_wake);
    exec_breadcrumbs_free(device);
    pthread_mutex_destroy(&device->structure_mutex);
    pthread_mutex_destroy(&device->running_mutex);
    pthread_mutex_destroy(&device->watchdog_mutex);
    pthread_mutex_destroy(&device->removed_mutex);
    pthread_mutex_destroy(&device->fence_mutex);
    free(device);
}

struct thread_pool *exec_device_pool(const struct exec_device *device)
{
    return device->settings.pool;
}

void exec_device_remove(struct exec_device *device, enum exec_removed code, const char *format, ...)
{
    if (exec_device_removed(device) != EXEC_REMOVED_NOT)
        return;
    char text[REMOVED_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (device->settings.remove) {
        device->settings.remove(device->settings.remove_context, code, text);
        return;
    }
    exec_device_message(device, RULE_DEVICE_REMOVED, "device removed: %s", text);
    exec_device_mark_removed(device, code, text);
}

void exec_device_mark_removed(struct exec_device *device, enum exec_removed code, const char *text)
{
    pthread_mutex_lock(&device->removed_mutex);
    bool first = exec_device_removed(device) == EXEC_REMOVED_NOT;
    if (first) {
        snprintf(device->removed_text, sizeof(device->removed_text), "%s", text);
        exec_breadcrumbs_take(device);
        __atomic_store_n(&device->abort_flag, 1, __ATOMIC_RELAXED);
        atomic_store_explicit(&device->removed, code, memory_order_release);
    }
    pthread_mutex_unlock(&device->removed_mutex);
    if (first)
        exec_fences_complete_all(device);
}

enum exec_removed exec_device_removed(const struct exec_device *device)
{
    return (enum exec_removed)atomic_load_explicit(&device->removed, memory_order_acquire);
}

uint64_t exec_device_ray_count(const struct exec_device *device)
{
    return atomic_load_explicit(&device->ray_count, memory_order_relaxed);
}

const char *exec_device_removed_text(const struct exec_device *device)
{
    return exec_device_removed(device) == EXEC_REMOVED_NOT ? "" : device->removed_text;
}

void exec_device_message(struct exec_device *device, enum rule rule, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (device->settings.messages)
        message_write(device->settings.messages, rule, "%s", text);
    else
        log_error("%s", text);
}

struct address_map *exec_device_addresses(const struct exec_device *device)
{
    return device->settings.addresses;
}

uint64_t exec_device_bytes_behind(const struct exec_device *device, uint64_t address)
{
    if (!device->settings.addresses)
        return UINT64_MAX / 2;
    return address_map_bytes_behind(device->settings.addresses, address);
}

const volatile uint32_t *exec_device_abort_flag(const struct exec_device *device)
{
    return &device->abort_flag;
}

/* One look at every running dispatch. Ticks are counted, not time, so that a process that is stopped in a debugger
 * does not run into the limit. */
static struct exec_activity *find_stuck(struct exec_device *device)
{
    for (struct exec_activity *activity = device->activities; activity; activity = activity->next) {
        uint32_t progress = atomic_load_explicit(&activity->progress, memory_order_relaxed);
        activity->idle_ticks = progress == activity->seen_progress ? activity->idle_ticks + 1 : 0;
        activity->seen_progress = progress;
        if (activity->idle_ticks >= device->timeout_ticks)
            return activity;
    }
    return NULL;
}

static void watchdog_tick(struct exec_device *device)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += WATCHDOG_TICK_MS * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&device->watchdog_wake, &device->watchdog_mutex, &until);
    struct exec_activity *stuck = find_stuck(device);
    if (!stuck || exec_device_removed(device) != EXEC_REMOVED_NOT)
        return;
    stuck->idle_ticks = 0;
    exec_device_remove(device, EXEC_REMOVED_HUNG,
                       "%s (command %u of list '%s', shader '%s') made no progress for %.3g seconds; CDXR_TIMEOUT sets "
                       "the limit, 0 switches it off",
                       stuck->call, stuck->command_index, stuck->list_name, stuck->shader_name,
                       device->timeout_ticks * (WATCHDOG_TICK_MS / 1000.0));
}

static void *watchdog_main(void *argument)
{
    struct exec_device *device = argument;
    pthread_mutex_lock(&device->watchdog_mutex);
    while (!device->watchdog_stop) {
        if (device->activities)
            watchdog_tick(device);
        else
            pthread_cond_wait(&device->watchdog_wake, &device->watchdog_mutex);
    }
    pthread_mutex_unlock(&device->watchdog_mutex);
    return NULL;
}

void exec_activity_begin(struct exec_device *device, struct exec_activity *activity)
{
    if (!device->timeout_ticks)
        return;
    pthread_mutex_lock(&device->watchdog_mutex);
    activity->next = device->activities;
    device->activities = activity;
    if (!device->watchdog_running) /* without it a hang stays a hang; nothing else fails */
        device->watchdog_running = pthread_create(&device->watchdog, NULL, watchdog_main, device) == 0;
    else if (!activity->next)
        pthread_cond_broadcast(&device->watchdog_wake);
    pthread_mutex_unlock(&device->watchdog_mutex);
}

void exec_activity_end(struct exec_device *device, struct exec_activity *activity)
{
    if (!device->timeout_ticks)
        return;
    pthread_mutex_lock(&device->watchdog_mutex);
    struct exec_activity **link = &device->activities;
    while (*link != activity)
        link = &(*link)->next;
    *link = activity->next;
    pthread_mutex_unlock(&device->watchdog_mutex);
}
