/* SPDX-License-Identifier: MIT
 * Registry of running lists, and the copy that is made of it when the device is removed. */
#include "exec/breadcrumbs.h"

#include <stdio.h>
#include <stdlib.h>

#include "exec/device_private.h"

void exec_running_begin(struct exec_device *device, struct exec_running_list *list)
{
    pthread_mutex_lock(&device->running_mutex);
    list->next = device->running;
    device->running = list;
    pthread_mutex_unlock(&device->running_mutex);
}

void exec_running_end(struct exec_device *device, struct exec_running_list *list)
{
    pthread_mutex_lock(&device->running_mutex);
    struct exec_running_list **link = &device->running;
    while (*link != list)
        link = &(*link)->next;
    *link = list->next;
    pthread_mutex_unlock(&device->running_mutex);
}

static struct exec_breadcrumbs *copy_list(const struct exec_running_list *list)
{
    uint32_t count = list->stream->command_count;
    if (count > EXEC_BREADCRUMB_MAX_COMMANDS)
        count = EXEC_BREADCRUMB_MAX_COMMANDS;
    struct exec_breadcrumbs *crumbs = calloc(1, sizeof(*crumbs) + count);
    if (!crumbs)
        return NULL;
    const struct exec_command *current = __atomic_load_n(&list->current, __ATOMIC_ACQUIRE);
    snprintf(crumbs->list_name, sizeof(crumbs->list_name), "%s", list->name);
    crumbs->completed_count = current ? current->index : 0;
    for (const struct exec_command *command = list->stream->first; command && crumbs->command_count < count;
         command = command->next)
        crumbs->kinds[crumbs->command_count++] = (uint8_t)command->kind;
    return crumbs;
}

void exec_breadcrumbs_take(struct exec_device *device)
{
    pthread_mutex_lock(&device->running_mutex);
    for (const struct exec_running_list *list = device->running; list; list = list->next) {
        struct exec_breadcrumbs *crumbs = copy_list(list);
        if (!crumbs)
            break;
        crumbs->next = device->breadcrumbs;
        device->breadcrumbs = crumbs;
    }
    pthread_mutex_unlock(&device->running_mutex);
}

void exec_breadcrumbs_free(struct exec_device *device)
{
    while (device->breadcrumbs) {
        struct exec_breadcrumbs *next = device->breadcrumbs->next;
        free(device->breadcrumbs);
        device->breadcrumbs = next;
    }
}

const struct exec_breadcrumbs *exec_device_breadcrumbs(const struct exec_device *device)
{
    return exec_device_removed(device) == EXEC_REMOVED_NOT ? NULL : device->breadcrumbs;
}
