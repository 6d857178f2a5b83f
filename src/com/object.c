/* SPDX-License-Identifier: MIT */
#include "com/object.h"

#include <pthread.h>
#include <stdlib.h>
#include <wchar.h>

#include "base/log.h"
#include "com/text.h"

struct com_old_name {
    struct com_old_name *next;
    char *text;
};

void com_object_init(struct com_object *object, const struct com_class *class, const void *vtable,
                     struct com_object *device)
{
    object->vtable = vtable;
    object->class = class;
    atomic_init(&object->app_count, 1);
    atomic_init(&object->internal_count, 1);
    object->device = device;
    com_private_data_init(&object->private_data);
    atomic_init(&object->name, NULL);
    object->old_names = NULL;
    if (device) {
        com_object_add_ref(device);
        com_object_hold(device);
    }
}

void com_object_finish(struct com_object *object)
{
    com_private_data_finish(&object->private_data);
    free(atomic_load(&object->name));
    while (object->old_names) {
        struct com_old_name *old = object->old_names;
        object->old_names = old->next;
        free(old->text);
        free(old);
    }
    com_object_drop(object->device);
}

void com_object_abandon(struct com_object *object)
{
    struct com_object *device = object->device;
    com_object_hold(device);
    com_object_finish(object);
    if (device)
        com_object_release(device);
    com_object_drop(device);
}

void com_object_hold(struct com_object *object)
{
    if (object)
        atomic_fetch_add_explicit(&object->internal_count, 1, memory_order_relaxed);
}

void com_object_drop(struct com_object *object)
{
    if (object && atomic_fetch_sub_explicit(&object->internal_count, 1, memory_order_acq_rel) == 1)
        object->class->destroy(object);
}

ULONG com_object_add_ref(struct com_object *object)
{
    uint32_t count = atomic_fetch_add_explicit(&object->app_count, 1, memory_order_relaxed) + 1;
    if (count == 1) { /* an interface of an object that only the library held (GetDevice after the last Release) */
        com_object_hold(object);
        if (object->device)
            com_object_add_ref(object->device);
    }
    return count;
}

bool com_object_try_add_ref(struct com_object *object)
{
    uint32_t count = atomic_load_explicit(&object->app_count, memory_order_relaxed);
    while (count)
        if (atomic_compare_exchange_weak(&object->app_count, &count, count + 1))
            return true;
    return false;
}

ULONG com_object_release(struct com_object *object)
{
    uint32_t count = atomic_load_explicit(&object->app_count, memory_order_relaxed);
    do {
        if (count == 0) {
            log_error("Release of a %s that has no references", object->class->name);
            return 0;
        }
    } while (!atomic_compare_exchange_weak_explicit(&object->app_count, &count, count - 1, memory_order_acq_rel,
                                                    memory_order_relaxed));
    if (count > 1)
        return count - 1;
    struct com_object *device = object->device;
    com_object_hold(device);
    if (object->class->retire)
        object->class->retire(object);
    else
        com_object_drop(object);
    if (device)
        com_object_release(device);
    com_object_drop(device);
    return 0;
}

/* Log an unknown IID once a call at debug level: programs probe for newer interfaces all the time. */
static void query_log(const struct com_object *object, const IID *iid)
{
    log_debug("%s does not answer interface {%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x}",
              object->class->name, iid->Data1, iid->Data2, iid->Data3, iid->Data4[0], iid->Data4[1],
              iid->Data4[2], iid->Data4[3], iid->Data4[4], iid->Data4[5], iid->Data4[6], iid->Data4[7]);
}

HRESULT com_object_query_interface(struct com_object *object, const IID *iid, void **out)
{
    if (!out)
        return E_POINTER;
    *out = NULL;
    if (!iid)
        return E_INVALIDARG;
    void *found = com_iid_equal(iid, &IID_IUnknown) && !object->class->hides_unknown ? object : NULL;
    for (size_t i = 0; !found && i < object->class->interface_count; i++)
        if (com_iid_equal(iid, object->class->interfaces[i].iid))
            found = (char *)object + object->class->interfaces[i].offset;
    if (!found && object->class->find_interface)
        found = object->class->find_interface(object, iid);
    if (!found) {
        query_log(object, iid);
        return E_NOINTERFACE;
    }
    com_object_add_ref(object);
    *out = found;
    return S_OK;
}

HRESULT com_object_return(struct com_object *object, const IID *iid, void **out)
{
    HRESULT result = out ? com_object_query_interface(object, iid, out) : S_FALSE;
    com_object_release(object);
    return result;
}

HRESULT com_object_get_private_data(struct com_object *object, const GUID *guid, UINT *byte_count, void *out)
{
    return com_private_data_get(&object->private_data, guid, byte_count, out);
}

/* Make text (owned) the name; the one before stays until the object dies. */
static HRESULT name_replace(struct com_object *object, char *text)
{
    struct com_old_name *old = calloc(1, sizeof(*old));
    if (!old) {
        free(text);
        return E_OUTOFMEMORY;
    }
    pthread_mutex_lock(&object->private_data.mutex);
    old->text = atomic_exchange_explicit(&object->name, text, memory_order_acq_rel);
    old->next = object->old_names;
    object->old_names = old;
    pthread_mutex_unlock(&object->private_data.mutex);
    return S_OK;
}

/* The two names that the debugging tools of D3D12 read are private data with known GUIDs; we read them too. */
static HRESULT name_from_private_data(struct com_object *object, const GUID *guid, UINT byte_count, const void *data)
{
    char *text = NULL;
    if (com_iid_equal(guid, &WKPDID_D3DDebugObjectNameW))
        text = com_text_from_wide_count(data, byte_count / sizeof(WCHAR));
    else if (com_iid_equal(guid, &WKPDID_D3DDebugObjectName))
        text = strndup(data, byte_count);
    else
        return S_OK;
    return text ? name_replace(object, text) : E_OUTOFMEMORY;
}

HRESULT com_object_set_private_data(struct com_object *object, const GUID *guid, UINT byte_count, const void *data)
{
    HRESULT result = com_private_data_set(&object->private_data, guid, byte_count, data);
    if (SUCCEEDED(result) && data)
        result = name_from_private_data(object, guid, byte_count, data);
    return result;
}

HRESULT com_object_set_private_data_interface(struct com_object *object, const GUID *guid, const IUnknown *unknown)
{
    return com_private_data_set_interface(&object->private_data, guid, unknown);
}

HRESULT com_object_set_name(struct com_object *object, const WCHAR *name)
{
    if (!name)
        return E_INVALIDARG;
    return com_object_set_private_data(object, &WKPDID_D3DDebugObjectNameW,
                                       (UINT)((wcslen(name) + 1) * sizeof(WCHAR)), name);
}

HRESULT com_object_get_device(struct com_object *object, const IID *iid, void **out)
{
    if (!object->device)
        return E_FAIL;
    return com_object_query_interface(object->device, iid, out);
}

const char *com_object_name(const struct com_object *object)
{
    const char *name = atomic_load_explicit(&((struct com_object *)object)->name, memory_order_acquire);
    return name && *name ? name : "unnamed";
}

HRESULT com_not_implemented(const char *method)
{
    enum { SEEN_MAX = 128 };
    static const char *seen[SEEN_MAX];
    static int seen_count;
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    bool known = false;
    for (int i = 0; i < seen_count; i++)
        known |= strcmp(seen[i], method) == 0;
    if (!known && seen_count < SEEN_MAX)
        seen[seen_count++] = method;
    pthread_mutex_unlock(&mutex);
    if (!known)
        log_warn("%s is not implemented (E_NOTIMPL)", method);
    return E_NOTIMPL;
}
