/* SPDX-License-Identifier: MIT
 * DXCore: a factory that lists one adapter, this library. Factory and adapter are one static object each; lists are
 * made on demand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "base/cpu.h"
#include "base/log.h"
#include "com/object.h"
#include "d3d12/adapter.h"
#include "d3d12/dxcore_interface.h"

static const GUID iid_factory = {0x78ee5945, 0xc36e, 0x4b13, {0xa6, 0x69, 0x00, 0x5d, 0xd1, 0x1c, 0x0f, 0x06}};
static const GUID iid_list = {0x526c7776, 0x40e9, 0x459b, {0xb7, 0x11, 0xf3, 0x2a, 0xd7, 0x6d, 0xfc, 0x28}};
static const GUID iid_adapter = {0xf0db4c7f, 0xfe5a, 0x42a2, {0xbd, 0x62, 0xf2, 0xa6, 0xcf, 0x6f, 0xc8, 0x3e}};

/* What programs filter on. D3D11 is not here, and hardware types are not ours to claim. */
static const GUID attributes[] = {
    {0x248e2800, 0xa793, 0x4724, {0xab, 0xaa, 0x23, 0xa6, 0xde, 0x1b, 0xe0, 0x90}}, /* D3D12_CORE_COMPUTE */
    {0x0c9ece4d, 0x2f6e, 0x4f01, {0x8c, 0x96, 0xe8, 0x9e, 0x33, 0x1b, 0x47, 0xb1}}, /* D3D12_GRAPHICS */
    {0xb71b0d41, 0x1088, 0x422f, {0xa2, 0x7c, 0x02, 0x50, 0xb7, 0xd3, 0xa9, 0x88}}, /* D3D12_GENERIC_ML */
};

static void never_destroyed(struct com_object *object)
{
}

static HRESULT factory_get(REFIID riid, void **out);
static HRESULT adapter_get(REFIID riid, void **out);

LUID d3d12_adapter_luid(void)
{
    return (LUID){.LowPart = 0x72786463, .HighPart = 0}; /* "cdxr" */
}

uint64_t d3d12_adapter_memory_bytes(void)
{
    struct sysinfo info;
    uint64_t total = sysinfo(&info) == 0 ? (uint64_t)info.totalram * info.mem_unit : 1ull << 32;
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "r");
    unsigned long long limit;
    if (file && fscanf(file, "%llu", &limit) == 1 && limit < total)
        total = limit;
    if (file)
        fclose(file);
    return total;
}

/* --- the adapter --- */

struct dxcore_adapter {
    struct com_object object;
};

COM_UNKNOWN_METHODS(adapter, dxcore_adapter)

static bool adapter_IsValid(dxcore_adapter *self)
{
    return true;
}

static bool adapter_IsAttributeSupported(dxcore_adapter *self, REFGUID attribute)
{
    for (size_t i = 0; attribute && i < ARRAY_COUNT(attributes); i++)
        if (com_iid_equal(attribute, &attributes[i]))
            return true;
    return false;
}

static bool adapter_IsPropertySupported(dxcore_adapter *self, uint32_t property)
{
    return property < DXCORE_PROPERTY_COUNT;
}

union property_value {
    LUID luid;
    uint64_t number64;
    uint32_t number32;
    bool flag;
    char text[256];
    struct dxcore_hardware_id id;
    struct dxcore_hardware_id_parts parts;
};

/* Driver version as four 16-bit parts of CDXR_VERSION "a.b.c". */
static uint64_t driver_version(void)
{
    unsigned major = 0, minor = 0, patch = 0;
    sscanf(CDXR_VERSION, "%u.%u.%u", &major, &minor, &patch);
    return (uint64_t)major << 48 | (uint64_t)minor << 32 | (uint64_t)patch << 16;
}

/* Value and size of a property; 0: there is none of that number. */
static size_t property_read(uint32_t property, union property_value *value)
{
    memset(value, 0, sizeof(*value));
    switch (property) {
    case DXCORE_PROPERTY_INSTANCE_LUID:
        value->luid = d3d12_adapter_luid();
        return sizeof(value->luid);
    case DXCORE_PROPERTY_DRIVER_VERSION:
        value->number64 = driver_version();
        return sizeof(value->number64);
    case DXCORE_PROPERTY_DRIVER_DESCRIPTION:
        return (size_t)snprintf(value->text, sizeof(value->text), "cdxr software raytracing (%.200s)", cpu_model_name()) + 1;
    case DXCORE_PROPERTY_HARDWARE_ID:
        value->id = (struct dxcore_hardware_id){D3D12_ADAPTER_VENDOR_ID, D3D12_ADAPTER_DEVICE_ID, 0, 0};
        return sizeof(value->id);
    case DXCORE_PROPERTY_HARDWARE_ID_PARTS:
        value->parts = (struct dxcore_hardware_id_parts){D3D12_ADAPTER_VENDOR_ID, D3D12_ADAPTER_DEVICE_ID, 0, 0, 0};
        return sizeof(value->parts);
    case DXCORE_PROPERTY_KMD_MODEL_VERSION:
        value->number32 = 2000;
        return sizeof(value->number32);
    case DXCORE_PROPERTY_COMPUTE_PREEMPTION:
    case DXCORE_PROPERTY_GRAPHICS_PREEMPTION:
        return sizeof(uint16_t); /* dispatch and buffer granularity: 0 */
    case DXCORE_PROPERTY_SHARED_SYSTEM_MEMORY:
        value->number64 = d3d12_adapter_memory_bytes();
        return sizeof(value->number64);
    case DXCORE_PROPERTY_DEDICATED_ADAPTER_MEMORY:
    case DXCORE_PROPERTY_DEDICATED_SYSTEM_MEMORY:
        return sizeof(value->number64);
    case DXCORE_PROPERTY_IS_INTEGRATED:
        value->flag = true;
        return sizeof(value->flag);
    case DXCORE_PROPERTY_ACG_COMPATIBLE: /* it makes machine code */
    case DXCORE_PROPERTY_IS_HARDWARE:
    case DXCORE_PROPERTY_IS_DETACHABLE:
        return sizeof(value->flag);
    default:
        return 0;
    }
}

static HRESULT adapter_GetProperty(dxcore_adapter *self, uint32_t property, size_t byte_count, void *data)
{
    union property_value value;
    size_t needed = property_read(property, &value);
    if (!needed)
        return DXGI_ERROR_INVALID_CALL;
    if (!data)
        return E_POINTER;
    if (byte_count < needed)
        return E_INVALIDARG;
    memcpy(data, &value, needed);
    return S_OK;
}

static HRESULT adapter_GetPropertySize(dxcore_adapter *self, uint32_t property, size_t *byte_count)
{
    union property_value value;
    if (!byte_count)
        return E_POINTER;
    *byte_count = property_read(property, &value);
    return *byte_count ? S_OK : DXGI_ERROR_INVALID_CALL;
}

static bool adapter_IsQueryStateSupported(dxcore_adapter *self, uint32_t state)
{
    return state == DXCORE_STATE_DRIVER_UPDATE || state == DXCORE_STATE_MEMORY_BUDGET;
}

static HRESULT query_budget(const struct dxcore_budget_input *input, size_t input_bytes, struct dxcore_budget *output,
                            size_t output_bytes)
{
    if (!input || input_bytes < sizeof(*input) || output_bytes < sizeof(*output) || input->node_index != 0)
        return E_INVALIDARG;
    *output = (struct dxcore_budget){0};
    if (input->segment_group == 0) { /* a UMA adapter has all its memory in the local group */
        uint64_t total = d3d12_adapter_memory_bytes();
        *output = (struct dxcore_budget){total / 10 * 9, d3d12_adapter_used_bytes(), total / 2, 0};
    }
    return S_OK;
}

static HRESULT adapter_QueryState(dxcore_adapter *self, uint32_t state, size_t input_bytes, const void *input,
                                  size_t output_bytes, void *output)
{
    if (!adapter_IsQueryStateSupported(self, state))
        return DXGI_ERROR_UNSUPPORTED;
    if (!output)
        return E_POINTER;
    if (state == DXCORE_STATE_MEMORY_BUDGET)
        return query_budget(input, input_bytes, output, output_bytes);
    if (output_bytes < 1)
        return E_INVALIDARG;
    *(uint8_t *)output = 0; /* no driver update is in progress */
    return S_OK;
}

static bool adapter_IsSetStateSupported(dxcore_adapter *self, uint32_t state)
{
    return false;
}

static HRESULT adapter_SetState(dxcore_adapter *self, uint32_t state, size_t details_bytes, const void *details,
                                size_t input_bytes, const void *input)
{
    return DXGI_ERROR_UNSUPPORTED;
}

static HRESULT adapter_GetFactory(dxcore_adapter *self, REFIID riid, void **out)
{
    return factory_get(riid, out);
}

static const struct dxcore_adapter_vtbl adapter_vtbl = {
    COM_UNKNOWN_ENTRIES(adapter), adapter_IsValid,      adapter_IsAttributeSupported,  adapter_IsPropertySupported,
    adapter_GetProperty,          adapter_GetPropertySize, adapter_IsQueryStateSupported, adapter_QueryState,
    adapter_IsSetStateSupported,  adapter_SetState,     adapter_GetFactory,
};
static const struct com_iid_offset adapter_interfaces[] = {{&iid_adapter, 0}};
static const struct com_class adapter_class = {"IDXCoreAdapter", adapter_interfaces, 1, never_destroyed};
static dxcore_adapter the_adapter = {
    {.vtable = &adapter_vtbl, .class = &adapter_class, .app_count = 0, .internal_count = 1}};

bool d3d12_adapter_is_ours(IUnknown *adapter)
{
    return com_object_from_interface(adapter, &adapter_vtbl) != NULL;
}

static HRESULT adapter_get(REFIID riid, void **out)
{
    return com_object_query_interface(&the_adapter.object, riid, out);
}

/* --- lists --- */

struct dxcore_list {
    struct com_object object;
    uint32_t adapter_count;
};

static void list_destroy(struct com_object *object)
{
    com_object_finish(object);
    free(object);
}

COM_UNKNOWN_METHODS(list, dxcore_list)

static HRESULT list_GetAdapter(dxcore_list *self, uint32_t index, REFIID riid, void **out)
{
    if (!out)
        return E_POINTER;
    *out = NULL;
    return index < self->adapter_count ? adapter_get(riid, out) : E_INVALIDARG;
}

static uint32_t list_GetAdapterCount(dxcore_list *self)
{
    return self->adapter_count;
}

static bool list_IsStale(dxcore_list *self)
{
    return false;
}

static HRESULT list_GetFactory(dxcore_list *self, REFIID riid, void **out)
{
    return factory_get(riid, out);
}

static bool list_IsAdapterPreferenceSupported(dxcore_list *self, uint32_t preference)
{
    return preference <= 2; /* Hardware, MinimumPower, HighPerformance: one adapter is always in order */
}

static HRESULT list_Sort(dxcore_list *self, uint32_t count, const uint32_t *preferences)
{
    if (!count || !preferences)
        return E_INVALIDARG;
    for (uint32_t i = 0; i < count; i++)
        if (!list_IsAdapterPreferenceSupported(self, preferences[i]))
            return E_INVALIDARG;
    return S_OK;
}

static const struct dxcore_list_vtbl list_vtbl = {
    COM_UNKNOWN_ENTRIES(list), list_GetAdapter, list_GetAdapterCount, list_IsStale, list_GetFactory, list_Sort,
    list_IsAdapterPreferenceSupported,
};
static const struct com_iid_offset list_interfaces[] = {{&iid_list, 0}};
static const struct com_class list_class = {"IDXCoreAdapterList", list_interfaces, 1, list_destroy};

/* --- the factory --- */

struct dxcore_factory {
    struct com_object object;
};

COM_UNKNOWN_METHODS(factory, dxcore_factory)

static HRESULT factory_CreateAdapterList(dxcore_factory *self, uint32_t count, const GUID *filter, REFIID riid,
                                         void **out)
{
    if (!out)
        return E_POINTER;
    *out = NULL;
    if (!count || !filter)
        return E_INVALIDARG;
    dxcore_list *list = calloc(1, sizeof(*list));
    if (!list)
        return E_OUTOFMEMORY;
    com_object_init(&list->object, &list_class, &list_vtbl, NULL);
    list->adapter_count = 1;
    for (uint32_t i = 0; i < count; i++)
        if (!adapter_IsAttributeSupported(&the_adapter, &filter[i]))
            list->adapter_count = 0;
    return com_object_return(&list->object, riid, out);
}

static HRESULT factory_GetAdapterByLuid(dxcore_factory *self, const LUID *luid, REFIID riid, void **out)
{
    LUID own = d3d12_adapter_luid();
    if (!out)
        return E_POINTER;
    *out = NULL;
    if (!luid || luid->LowPart != own.LowPart || luid->HighPart != own.HighPart)
        return E_INVALIDARG;
    return adapter_get(riid, out);
}

static bool factory_IsNotificationTypeSupported(dxcore_factory *self, uint32_t type)
{
    return false; /* the adapter never changes */
}

static HRESULT factory_RegisterEventNotification(dxcore_factory *self, IUnknown *object, uint32_t type,
                                                 dxcore_notification_fn callback, void *context, uint32_t *cookie)
{
    if (cookie)
        *cookie = 0;
    log_info("RegisterEventNotification: notificationType %u is not supported, the adapter never changes", type);
    return DXGI_ERROR_INVALID_CALL;
}

static HRESULT factory_UnregisterEventNotification(dxcore_factory *self, uint32_t cookie)
{
    return E_INVALIDARG;
}

static const struct dxcore_factory_vtbl factory_vtbl = {
    COM_UNKNOWN_ENTRIES(factory),
    factory_CreateAdapterList,
    factory_GetAdapterByLuid,
    factory_IsNotificationTypeSupported,
    factory_RegisterEventNotification,
    factory_UnregisterEventNotification,
};
static const struct com_iid_offset factory_interfaces[] = {{&iid_factory, 0}};
static const struct com_class factory_class = {"IDXCoreAdapterFactory", factory_interfaces, 1, never_destroyed};
static dxcore_factory the_factory = {
    {.vtable = &factory_vtbl, .class = &factory_class, .app_count = 0, .internal_count = 1}};

static HRESULT factory_get(REFIID riid, void **out)
{
    return com_object_query_interface(&the_factory.object, riid, out);
}

HRESULT d3d12_adapter_factory_create(REFIID riid, void **out)
{
    return factory_get(riid, out);
}
