/* SPDX-License-Identifier: MIT
 * Life of the device: creation, the one device of the process, removal, destruction. Its methods: device_methods.c. */
#include "d3d12/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "d3d12/adapter.h"
#include "d3d12/debug.h"
#include "d3d12/dred.h"
#include "d3d12/resource.h"
#include "d3d12/sdk_configuration.h"

/* jit/group.c; weak, so that the executor's plain loop stands in where the library is built without it. */
__attribute__((weak)) void jit_group_run(const struct abi_shader *shader, const struct abi_thread *thread_template,
                                         void *groupshared);

/* DESIGN.md, as D3D12: an adapter has one device in a process. */
static pthread_mutex_t current_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct d3d12_device *current_device;

static void device_finish(struct d3d12_device *device)
{
    if (device->jit_state_destroy)
        device->jit_state_destroy(device->jit_state);
    exec_retire_finish(&device->retire);
    d3d12_resource_pool_finish(device);
    d3d12_dred_finish(device);
    exec_device_destroy(device->exec);
    address_map_destroy(device->address_map);
    thread_pool_destroy(device->pool);
    message_store_destroy(device->messages);
    pthread_mutex_destroy(&device->lazy_mutex);
}

static void device_destroy(struct com_object *object)
{
    struct d3d12_device *device = (struct d3d12_device *)object;
    pthread_mutex_lock(&current_mutex);
    if (current_device == device)
        current_device = NULL;
    pthread_mutex_unlock(&current_mutex);
    device_finish(device);
    com_object_finish(object);
    free(device);
}

static void *device_find_interface(struct com_object *object, const IID *iid)
{
    struct d3d12_device *device = (struct d3d12_device *)object;
    if (!message_store_is_debug(device->messages))
        return NULL;
    if (com_iid_equal(iid, &IID_ID3D12InfoQueue) || com_iid_equal(iid, &IID_ID3D12InfoQueue1))
        return &device->info_queue;
    if (com_iid_equal(iid, &IID_ID3D12DebugDevice) || com_iid_equal(iid, &IID_ID3D12DebugDevice2))
        return &device->debug_device;
    return NULL;
}

static const struct com_iid_offset device_interfaces[] = {
    {&IID_ID3D12Object, 0},  {&IID_ID3D12Device, 0},  {&IID_ID3D12Device1, 0},  {&IID_ID3D12Device2, 0},
    {&IID_ID3D12Device3, 0}, {&IID_ID3D12Device4, 0}, {&IID_ID3D12Device5, 0},  {&IID_ID3D12Device6, 0},
    {&IID_ID3D12Device7, 0}, {&IID_ID3D12Device8, 0}, {&IID_ID3D12Device9, 0},  {&IID_ID3D12Device10, 0},
    {&IID_ID3D12Device11, 0},
    {&IID_ID3D12DeviceRemovedExtendedData, offsetof(struct d3d12_device, dred_data)},
    {&IID_ID3D12DeviceRemovedExtendedData1, offsetof(struct d3d12_device, dred_data)},
    {&IID_ID3D12DeviceRemovedExtendedData2, offsetof(struct d3d12_device, dred_data)},
    {&IID_ID3D12DeviceConfiguration, offsetof(struct d3d12_device, configuration)},
};
static const struct com_class device_class = {
    .name = "ID3D12Device",
    .interfaces = device_interfaces,
    .interface_count = ARRAY_COUNT(device_interfaces),
    .destroy = device_destroy,
    .find_interface = device_find_interface,
};

static void remove_from_exec(void *context, enum exec_removed code, const char *text)
{
    static const HRESULT reasons[] = {
        [EXEC_REMOVED_NOT] = DXGI_ERROR_DEVICE_REMOVED,
        [EXEC_REMOVED_HUNG] = DXGI_ERROR_DEVICE_HUNG,
        [EXEC_REMOVED_REMOVED] = DXGI_ERROR_DEVICE_REMOVED,
        [EXEC_REMOVED_INTERNAL] = DXGI_ERROR_DRIVER_INTERNAL_ERROR,
    };
    d3d12_device_remove(context, reasons[code], text);
}

static enum status device_init(struct d3d12_device *device)
{
    RETURN_IF_FAILED(message_store_create(d3d12_debug_is_enabled(), &device->messages));
    RETURN_IF_FAILED(address_map_create(&device->address_map));
    RETURN_IF_FAILED(thread_pool_create(0, 0, &device->pool));
    struct exec_device_settings settings = {
        .pool = device->pool,
        .run_group = jit_group_run,
        .messages = device->messages,
        .addresses = device->address_map,
        .remove = remove_from_exec,
        .remove_context = device,
    };
    return exec_device_create(&settings, &device->exec);
}

static enum status device_create(struct d3d12_device **out)
{
    struct d3d12_device *device = calloc(1, sizeof(*device));
    if (!device)
        return STATUS_OUT_OF_MEMORY;
    com_object_init(&device->object, &device_class, &d3d12_device_vtbl, NULL);
    atomic_init(&device->removed_reason, S_OK);
    device->adapter_luid = d3d12_adapter_luid();
    pthread_mutex_init(&device->lazy_mutex, NULL);
    exec_retire_init(&device->retire);
    d3d12_info_queue_init(device);
    d3d12_debug_device_init(device);
    d3d12_dred_init(device);
    d3d12_device_configuration_init(device);
    enum status status = device_init(device);
    if (status != STATUS_OK)
        goto fail;
    *out = device;
    return STATUS_OK;
fail:
    device_finish(device);
    com_object_abandon(&device->object);
    free(device);
    return status;
}

/* The living device, referenced, or NULL. current_mutex held. */
static struct d3d12_device *current_acquire(void)
{
    return current_device && com_object_try_add_ref(&current_device->object) ? current_device : NULL;
}

HRESULT d3d12_device_acquire(struct d3d12_device **out)
{
    HRESULT result = S_OK;
    pthread_mutex_lock(&current_mutex);
    struct d3d12_device *device = current_acquire();
    if (!device) {
        result = com_result_from_status(device_create(&device));
        if (SUCCEEDED(result))
            current_device = device;
    }
    pthread_mutex_unlock(&current_mutex);
    if (FAILED(result)) {
        log_error("D3D12CreateDevice: out of memory or threads");
        return result;
    }
    if (d3d12_device_is_removed(device)) {
        result = atomic_load(&device->removed_reason);
        message_write(device->messages, RULE_DEVICE_CREATION,
                      "D3D12CreateDevice: the adapter's device was removed and is still referenced; release it first");
        com_object_release(&device->object);
        return result;
    }
    *out = device;
    return S_OK;
}

void d3d12_device_remove(struct d3d12_device *device, HRESULT reason, const char *text)
{
    HRESULT expected = S_OK;
    if (!atomic_compare_exchange_strong(&device->removed_reason, &expected, reason))
        return;
    d3d12_dred_record(device, reason, text);
    message_write(device->messages, RULE_DEVICE_REMOVED, "device removed (%s): %s", com_result_name(reason), text);
    enum exec_removed code = reason == DXGI_ERROR_DEVICE_HUNG               ? EXEC_REMOVED_HUNG
                             : reason == DXGI_ERROR_DRIVER_INTERNAL_ERROR ? EXEC_REMOVED_INTERNAL
                                                                          : EXEC_REMOVED_REMOVED;
    exec_device_mark_removed(device->exec, code, text);
}

HRESULT d3d12_fail(struct d3d12_device *device, HRESULT code, enum rule rule, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    message_write(device->messages, rule, "%s", text);
    return code;
}

HRESULT d3d12_event_signal(HANDLE event)
{
    uint64_t one = 1;
    ssize_t written = write((int)(intptr_t)event, &one, sizeof(one));
    return written == sizeof(one) ? S_OK : E_INVALIDARG;
}

static void drop_object(void *object)
{
    com_object_drop(object);
}

void d3d12_object_retire(struct com_object *object)
{
    exec_retire_add(&d3d12_device_of(object)->retire, drop_object, object);
}

uint64_t d3d12_adapter_used_bytes(void)
{
    pthread_mutex_lock(&current_mutex);
    int64_t used = current_device ? atomic_load(&current_device->used_bytes) : 0;
    pthread_mutex_unlock(&current_mutex);
    return used > 0 ? (uint64_t)used : 0;
}
