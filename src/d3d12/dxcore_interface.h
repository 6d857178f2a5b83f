/* SPDX-License-Identifier: MIT
 * The DXCore interfaces as C vtables: Debian's dxcore_interface.h is C++ only. Order and types follow that header;
 * references are pointers, bool is one byte. */
#ifndef CDXR_D3D12_DXCORE_INTERFACE_H
#define CDXR_D3D12_DXCORE_INTERFACE_H

#include "com/windows.h"

enum dxcore_property {
    DXCORE_PROPERTY_INSTANCE_LUID = 0,
    DXCORE_PROPERTY_DRIVER_VERSION = 1,
    DXCORE_PROPERTY_DRIVER_DESCRIPTION = 2,
    DXCORE_PROPERTY_HARDWARE_ID = 3,
    DXCORE_PROPERTY_KMD_MODEL_VERSION = 4,
    DXCORE_PROPERTY_COMPUTE_PREEMPTION = 5,
    DXCORE_PROPERTY_GRAPHICS_PREEMPTION = 6,
    DXCORE_PROPERTY_DEDICATED_ADAPTER_MEMORY = 7,
    DXCORE_PROPERTY_DEDICATED_SYSTEM_MEMORY = 8,
    DXCORE_PROPERTY_SHARED_SYSTEM_MEMORY = 9,
    DXCORE_PROPERTY_ACG_COMPATIBLE = 10,
    DXCORE_PROPERTY_IS_HARDWARE = 11,
    DXCORE_PROPERTY_IS_INTEGRATED = 12,
    DXCORE_PROPERTY_IS_DETACHABLE = 13,
    DXCORE_PROPERTY_HARDWARE_ID_PARTS = 14,
    DXCORE_PROPERTY_COUNT,
};
enum dxcore_state { DXCORE_STATE_DRIVER_UPDATE = 0, DXCORE_STATE_MEMORY_BUDGET = 1 };

struct dxcore_hardware_id {
    uint32_t vendor_id, device_id, sub_system_id, revision;
};
struct dxcore_hardware_id_parts {
    uint32_t vendor_id, device_id, sub_system_id, sub_vendor_id, revision_id;
};
struct dxcore_budget_input {
    uint32_t node_index, segment_group; /* 0 local, 1 non-local */
};
struct dxcore_budget {
    uint64_t budget, current_usage, available_for_reservation, current_reservation;
};

typedef struct dxcore_adapter dxcore_adapter;
typedef struct dxcore_list dxcore_list;
typedef struct dxcore_factory dxcore_factory;
typedef void (*dxcore_notification_fn)(uint32_t type, IUnknown *object, void *context);

struct dxcore_adapter_vtbl {
    HRESULT (*QueryInterface)(dxcore_adapter *self, REFIID riid, void **out);
    ULONG (*AddRef)(dxcore_adapter *self);
    ULONG (*Release)(dxcore_adapter *self);
    bool (*IsValid)(dxcore_adapter *self);
    bool (*IsAttributeSupported)(dxcore_adapter *self, REFGUID attribute);
    bool (*IsPropertySupported)(dxcore_adapter *self, uint32_t property);
    HRESULT (*GetProperty)(dxcore_adapter *self, uint32_t property, size_t byte_count, void *data);
    HRESULT (*GetPropertySize)(dxcore_adapter *self, uint32_t property, size_t *byte_count);
    bool (*IsQueryStateSupported)(dxcore_adapter *self, uint32_t state);
    HRESULT (*QueryState)(dxcore_adapter *self, uint32_t state, size_t input_bytes, const void *input,
                          size_t output_bytes, void *output);
    bool (*IsSetStateSupported)(dxcore_adapter *self, uint32_t state);
    HRESULT (*SetState)(dxcore_adapter *self, uint32_t state, size_t details_bytes, const void *details,
                        size_t input_bytes, const void *input);
    HRESULT (*GetFactory)(dxcore_adapter *self, REFIID riid, void **out);
};

struct dxcore_list_vtbl {
    HRESULT (*QueryInterface)(dxcore_list *self, REFIID riid, void **out);
    ULONG (*AddRef)(dxcore_list *self);
    ULONG (*Release)(dxcore_list *self);
    HRESULT (*GetAdapter)(dxcore_list *self, uint32_t index, REFIID riid, void **out);
    uint32_t (*GetAdapterCount)(dxcore_list *self);
    bool (*IsStale)(dxcore_list *self);
    HRESULT (*GetFactory)(dxcore_list *self, REFIID riid, void **out);
    HRESULT (*Sort)(dxcore_list *self, uint32_t count, const uint32_t *preferences);
    bool (*IsAdapterPreferenceSupported)(dxcore_list *self, uint32_t preference);
};

struct dxcore_factory_vtbl {
    HRESULT (*QueryInterface)(dxcore_factory *self, REFIID riid, void **out);
    ULONG (*AddRef)(dxcore_factory *self);
    ULONG (*Release)(dxcore_factory *self);
    HRESULT (*CreateAdapterList)(dxcore_factory *self, uint32_t count, const GUID *attributes, REFIID riid, void **out);
    HRESULT (*GetAdapterByLuid)(dxcore_factory *self, const LUID *luid, REFIID riid, void **out);
    bool (*IsNotificationTypeSupported)(dxcore_factory *self, uint32_t type);
    HRESULT (*RegisterEventNotification)(dxcore_factory *self, IUnknown *object, uint32_t type,
                                         dxcore_notification_fn callback, void *context, uint32_t *cookie);
    HRESULT (*UnregisterEventNotification)(dxcore_factory *self, uint32_t cookie);
};

#endif
