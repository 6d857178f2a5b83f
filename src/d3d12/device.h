/* SPDX-License-Identifier: MIT
 * The device: what every object of it shares. Created by D3D12CreateDevice (exports.c), one per process while it lives.
 * Field owners: device.c sets everything up; the executor uses pool, address_map, messages, retire through struct exec_device. */
#ifndef CDXR_D3D12_DEVICE_H
#define CDXR_D3D12_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/thread_pool.h"
#include "com/object.h"
#include "exec/device.h"
#include "exec/retire.h"
#include "validate/address_map.h"
#include "validate/message.h"

struct d3d12_resource;
struct d3d12_dred;

struct d3d12_device {
    struct com_object object;          /* ID3D12Device11 */
    struct com_interface info_queue;   /* ID3D12InfoQueue1, debug layer on */
    struct com_interface debug_device; /* ID3D12DebugDevice2 */
    struct com_interface dred_data;    /* ID3D12DeviceRemovedExtendedData2 */
    struct com_interface configuration; /* ID3D12DeviceConfiguration */

    struct thread_pool *pool;
    struct address_map *address_map;
    struct message_store *messages; /* never NULL */
    struct exec_retire retire;

    struct exec_device *exec; /* exec/device.h: queues, fences, removal, abort flag; made here, before any queue */
    _Atomic HRESULT removed_reason; /* S_OK while the device works; DXGI_ERROR_DEVICE_* afterwards */
    _Atomic(struct d3d12_dred *) dred; /* why the device was removed; NULL while it works (dred.c) */
    LUID adapter_luid;
    _Atomic int64_t used_bytes;     /* committed resources and heaps, for the memory budget */

    /* Structs of destroyed resources, for reuse: stale descriptors may still point at their texture, which is empty.
     * Under lazy_mutex; owner: resource.c. */
    struct d3d12_resource *free_resources;

    /* Room for the state of others, created when first needed under lazy_mutex. */
    pthread_mutex_t lazy_mutex;
    void *jit_state;   /* owner: state (d3d12/state_object.c); freed by jit_state_destroy */
    void (*jit_state_destroy)(void *state);
};

/* vtable tag of struct com_object that is a device. */
extern const ID3D12Device11Vtbl d3d12_device_vtbl;

static inline struct d3d12_device *d3d12_device_of(const struct com_object *child)
{
    return (struct d3d12_device *)child->device;
}

/* The first removal wins: sets the reason, stores one message, raises the executor's abort flag, completes all fences.
 * text: which command, which shader, which thread. Any thread. exec_device_remove comes here too. */
void d3d12_device_remove(struct d3d12_device *device, HRESULT reason, const char *text);
static inline bool d3d12_device_is_removed(struct d3d12_device *device)
{
    return atomic_load_explicit(&device->removed_reason, memory_order_relaxed) != S_OK;
}

/* Write a message for a broken rule and return code: return d3d12_fail(device, E_INVALIDARG, RULE_X, "CreateX: ...");*/
HRESULT d3d12_fail(struct d3d12_device *device, HRESULT code, enum rule rule, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* Signal an event of the API (an eventfd as handle): adds 1 to it. E_INVALIDARG when it is no such descriptor. */
HRESULT d3d12_event_signal(HANDLE event);

/* com_class.retire of objects that work in flight may use: dropped when the submissions made so far have ended. */
void d3d12_object_retire(struct com_object *object);

/* D3D12CreateDevice's work: the living device of the process with one more reference, or a new one. */
HRESULT d3d12_device_acquire(struct d3d12_device **device);

#endif
