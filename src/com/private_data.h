/* SPDX-License-Identifier: MIT
 * Private data of an ID3D12Object: blobs and interfaces by GUID. Thread-safe. */
#ifndef CDXR_COM_PRIVATE_DATA_H
#define CDXR_COM_PRIVATE_DATA_H

#include <pthread.h>

#include "com/windows.h"

struct com_private_entry;

struct com_private_data {
    pthread_mutex_t mutex;
    struct com_private_entry *first;
};

void com_private_data_init(struct com_private_data *data);
/* Releases held interfaces. */
void com_private_data_finish(struct com_private_data *data);

/* The three methods as ID3D12Object documents them: DXGI_ERROR_NOT_FOUND, DXGI_ERROR_MORE_DATA with the size that is
 * needed, an interface is returned with one more reference; data NULL removes the entry. */
HRESULT com_private_data_get(struct com_private_data *data, const GUID *guid, UINT *byte_count, void *out);
HRESULT com_private_data_set(struct com_private_data *data, const GUID *guid, UINT byte_count, const void *bytes);
HRESULT com_private_data_set_interface(struct com_private_data *data, const GUID *guid, const IUnknown *unknown);

#endif
