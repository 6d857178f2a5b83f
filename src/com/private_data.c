/* SPDX-License-Identifier: MIT */
#include "com/private_data.h"

#include <stdlib.h>

#include "com/result.h"

struct com_private_entry {
    struct com_private_entry *next;
    GUID guid;
    IUnknown *unknown; /* held; NULL for a blob */
    UINT byte_count;
    unsigned char bytes[];
};

void com_private_data_init(struct com_private_data *data)
{
    pthread_mutex_init(&data->mutex, NULL);
    data->first = NULL;
}

static void entry_destroy(struct com_private_entry *entry)
{
    if (entry && entry->unknown)
        IUnknown_Release(entry->unknown);
    free(entry);
}

void com_private_data_finish(struct com_private_data *data)
{
    while (data->first) {
        struct com_private_entry *entry = data->first;
        data->first = entry->next;
        entry_destroy(entry);
    }
    pthread_mutex_destroy(&data->mutex);
}

/* Link that points at the entry of guid, or at the NULL that ends the list. Lock held. */
static struct com_private_entry **entry_find(struct com_private_data *data, const GUID *guid)
{
    struct com_private_entry **link = &data->first;
    while (*link && memcmp(&(*link)->guid, guid, sizeof(*guid)))
        link = &(*link)->next;
    return link;
}

/* Put entry (NULL: nothing) in the place of what guid had. The old one is released outside the lock: its Release may
 * call back into this object. Was there an old one? */
static bool entry_replace(struct com_private_data *data, const GUID *guid, struct com_private_entry *entry)
{
    pthread_mutex_lock(&data->mutex);
    struct com_private_entry **link = entry_find(data, guid);
    struct com_private_entry *old = *link;
    if (old)
        *link = old->next;
    if (entry) {
        entry->next = data->first;
        data->first = entry;
    }
    pthread_mutex_unlock(&data->mutex);
    entry_destroy(old);
    return old != NULL;
}

static HRESULT entry_read(const struct com_private_entry *entry, UINT *byte_count, void *out)
{
    UINT capacity = *byte_count;
    *byte_count = entry->byte_count;
    if (!out)
        return S_OK;
    if (capacity < entry->byte_count)
        return DXGI_ERROR_MORE_DATA;
    if (entry->unknown)
        IUnknown_AddRef(entry->unknown);
    memcpy(out, entry->bytes, entry->byte_count);
    return S_OK;
}

HRESULT com_private_data_get(struct com_private_data *data, const GUID *guid, UINT *byte_count, void *out)
{
    if (!guid || !byte_count)
        return E_INVALIDARG;
    pthread_mutex_lock(&data->mutex);
    struct com_private_entry *entry = *entry_find(data, guid);
    HRESULT result = DXGI_ERROR_NOT_FOUND;
    if (entry)
        result = entry_read(entry, byte_count, out);
    else
        *byte_count = 0;
    pthread_mutex_unlock(&data->mutex);
    return result;
}

static struct com_private_entry *entry_create(const GUID *guid, UINT byte_count, const void *bytes)
{
    struct com_private_entry *entry = calloc(1, sizeof(*entry) + byte_count);
    if (!entry)
        return NULL;
    entry->guid = *guid;
    entry->byte_count = byte_count;
    if (byte_count)
        memcpy(entry->bytes, bytes, byte_count);
    return entry;
}

HRESULT com_private_data_set(struct com_private_data *data, const GUID *guid, UINT byte_count, const void *bytes)
{
    if (!guid)
        return E_INVALIDARG;
    if (!bytes) /* removes what is there, whatever DataSize says */
        return entry_replace(data, guid, NULL) ? S_OK : S_FALSE;
    struct com_private_entry *entry = entry_create(guid, byte_count, bytes);
    if (!entry)
        return E_OUTOFMEMORY;
    entry_replace(data, guid, entry);
    return S_OK;
}

HRESULT com_private_data_set_interface(struct com_private_data *data, const GUID *guid, const IUnknown *unknown)
{
    if (!guid)
        return E_INVALIDARG;
    struct com_private_entry *entry = entry_create(guid, sizeof(unknown), &unknown); /* NULL is a value too */
    if (!entry)
        return E_OUTOFMEMORY;
    entry->unknown = (IUnknown *)unknown;
    if (unknown)
        IUnknown_AddRef(entry->unknown);
    entry_replace(data, guid, entry);
    return S_OK;
}
