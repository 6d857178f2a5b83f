/* SPDX-License-Identifier: MIT
 * The device as exec/'s own files see it: removal, fences' lock, running dispatches. */
#ifndef CDXR_EXEC_DEVICE_PRIVATE_H
#define CDXR_EXEC_DEVICE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "exec/device.h"

/* A dispatch that is running now; on its caller's stack. progress is counted up with every finished tile. */
struct exec_activity {
    struct exec_activity *next;
    atomic_uint progress;
    uint32_t seen_progress, idle_ticks; /* the watchdog's */
    const char *call, *list_name, *shader_name;
    uint32_t command_index;
};

enum { REMOVED_TEXT_BYTES = 768, SOUND_STRUCTURES = 16 };

/* exec/structure_check.c, under structure_mutex */
struct exec_sound_structure {
    uint64_t address;
    uint64_t stamp; /* state of the world when it was looked through; 0: empty */
    uint32_t notes; /* enum exec_structure_note */
};

struct exec_device {
    struct exec_device_settings settings;
    uint32_t abort_flag; /* written once, read by machine code from shaders */
    atomic_int removed;  /* enum exec_removed */
    pthread_mutex_t removed_mutex;
    char removed_text[REMOVED_TEXT_BYTES];
    pthread_mutex_t fence_mutex; /* values, waiters and the list of all fences */
    struct exec_fence *fences;
    pthread_mutex_t watchdog_mutex;
    pthread_cond_t watchdog_wake;
    struct exec_activity *activities; /* under watchdog_mutex */
    uint32_t timeout_ticks;           /* 0: no watchdog */
    _Atomic uint64_t ray_count;       /* of all finished tasks */
    struct exec_sound_structure sound_structures[SOUND_STRUCTURES];
    pthread_mutex_t structure_mutex;     /* one thread looks through a structure, the others wait for what it finds */
    _Atomic uint64_t structure_changes;  /* counts what may make a sound structure unsound */
    pthread_mutex_t running_mutex;
    struct exec_running_list *running;    /* under running_mutex */
    struct exec_breadcrumbs *breadcrumbs; /* written once, before removed is set */
    bool watchdog_running, watchdog_stop;
    pthread_t watchdog;
};

/* Every fence jumps to UINT64_MAX; all waits end. */
void exec_fences_complete_all(struct exec_device *device);

/* exec/breadcrumbs.c */
void exec_breadcrumbs_take(struct exec_device *device);
void exec_breadcrumbs_free(struct exec_device *device);

void exec_activity_begin(struct exec_device *device, struct exec_activity *activity);
void exec_activity_end(struct exec_device *device, struct exec_activity *activity);

/* A queue's wait: taken when it is submitted, so that a value which the fence has for a moment only, before the queue comes
 * to the wait, counts. NULL: out of memory. condition wakes the one thread that calls _wait. */
struct exec_fence_ticket;
struct exec_fence_ticket *exec_fence_ticket_create(struct exec_fence *fence, uint64_t value, pthread_cond_t *condition);
/* Blocks until the value was reached once; gives up when *cancelled becomes true (set it with exec_fence_cancel): false
 * then. Frees the ticket. */
bool exec_fence_ticket_wait(struct exec_fence_ticket *ticket, const bool *cancelled);
void exec_fence_ticket_free(struct exec_fence_ticket *ticket); /* NULL: nothing */
void exec_fence_cancel(struct exec_device *device, bool *cancelled, pthread_cond_t *condition);

#endif
