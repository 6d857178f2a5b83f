/* SPDX-License-Identifier: MIT
 * ID3D12InfoQueue1 of the device, over the message store (validate/message.h). */
#include <stdlib.h>
#include <string.h>

#include "d3d12/debug.h"

_Static_assert((int)MESSAGE_CATEGORY_SHADER == (int)D3D12_MESSAGE_CATEGORY_SHADER, "categories are D3D12's");
_Static_assert((int)MESSAGE_SEVERITY_MESSAGE == (int)D3D12_MESSAGE_SEVERITY_MESSAGE, "severities are D3D12's");
_Static_assert(sizeof(D3D12_MESSAGE_CATEGORY) == sizeof(int) && sizeof(D3D12_MESSAGE_SEVERITY) == sizeof(int) &&
                   sizeof(D3D12_MESSAGE_ID) == sizeof(int),
               "filter lists are arrays of int");

COM_UNKNOWN_METHODS_AT(info_queue, ID3D12InfoQueue1, d3d12_device, info_queue)

static struct message_store *store_of(ID3D12InfoQueue1 *self)
{
    return ((struct d3d12_device *)info_queue_object(self))->messages;
}

static HRESULT STDMETHODCALLTYPE info_queue_SetMessageCountLimit(ID3D12InfoQueue1 *self, UINT64 limit)
{
    message_store_set_limit(store_of(self), limit);
    return S_OK;
}

static void STDMETHODCALLTYPE info_queue_ClearStoredMessages(ID3D12InfoQueue1 *self)
{
    message_store_clear(store_of(self));
}

/* The text stands right behind the D3D12_MESSAGE in the caller's block. */
static HRESULT STDMETHODCALLTYPE info_queue_GetMessage(ID3D12InfoQueue1 *self, UINT64 index, D3D12_MESSAGE *out,
                                                       SIZE_T *byte_count)
{
    struct message message;
    if (!byte_count)
        return E_INVALIDARG;
    size_t capacity = out && *byte_count > sizeof(*out) ? *byte_count - sizeof(*out) : 0;
    char *text = out ? (char *)(out + 1) : NULL;
    if (!message_store_get(store_of(self), index, true, &message, text, capacity))
        return E_INVALIDARG;
    size_t needed = sizeof(*out) + message.text_bytes;
    size_t given = *byte_count;
    *byte_count = needed;
    if (!out)
        return S_FALSE;
    if (given < needed)
        return E_INVALIDARG;
    out->Category = (D3D12_MESSAGE_CATEGORY)message.category;
    out->Severity = (D3D12_MESSAGE_SEVERITY)message.severity;
    out->ID = (D3D12_MESSAGE_ID)message.number;
    out->pDescription = text;
    out->DescriptionByteLength = message.text_bytes;
    return S_OK;
}

static UINT64 STDMETHODCALLTYPE info_queue_GetNumMessagesAllowedByStorageFilter(ID3D12InfoQueue1 *self)
{
    struct message_counts counts;
    message_store_counts(store_of(self), &counts);
    return counts.allowed;
}

static UINT64 STDMETHODCALLTYPE info_queue_GetNumMessagesDeniedByStorageFilter(ID3D12InfoQueue1 *self)
{
    struct message_counts counts;
    message_store_counts(store_of(self), &counts);
    return counts.denied;
}

static UINT64 STDMETHODCALLTYPE info_queue_GetNumStoredMessages(ID3D12InfoQueue1 *self)
{
    return message_store_stored_count(store_of(self));
}

static UINT64 STDMETHODCALLTYPE info_queue_GetNumStoredMessagesAllowedByRetrievalFilter(ID3D12InfoQueue1 *self)
{
    return message_store_retrievable_count(store_of(self));
}

static UINT64 STDMETHODCALLTYPE info_queue_GetNumMessagesDiscardedByMessageCountLimit(ID3D12InfoQueue1 *self)
{
    struct message_counts counts;
    message_store_counts(store_of(self), &counts);
    return counts.discarded;
}

static UINT64 STDMETHODCALLTYPE info_queue_GetMessageCountLimit(ID3D12InfoQueue1 *self)
{
    return message_store_limit(store_of(self));
}

/* --- filters --- */

static bool list_from_api(const D3D12_INFO_QUEUE_FILTER_DESC *desc, struct message_filter_list *list)
{
    if ((desc->NumCategories && !desc->pCategoryList) || (desc->NumSeverities && !desc->pSeverityList) ||
        (desc->NumIDs && !desc->pIDList))
        return false;
    *list = (struct message_filter_list){
        .categories = (const int *)desc->pCategoryList,
        .category_count = desc->NumCategories,
        .severities = (const int *)desc->pSeverityList,
        .severity_count = desc->NumSeverities,
        .numbers = (const int *)desc->pIDList,
        .number_count = desc->NumIDs,
    };
    return true;
}

static bool filter_from_api(const D3D12_INFO_QUEUE_FILTER *api, struct message_filter *filter)
{
    return api && list_from_api(&api->AllowList, &filter->allow) && list_from_api(&api->DenyList, &filter->deny);
}

static HRESULT filter_add(ID3D12InfoQueue1 *self, enum message_filter_stack stack, const D3D12_INFO_QUEUE_FILTER *api)
{
    struct message_filter filter;
    if (!filter_from_api(api, &filter))
        return E_INVALIDARG;
    return com_result_from_status(message_filter_add(store_of(self), stack, &filter));
}

static HRESULT filter_push(ID3D12InfoQueue1 *self, enum message_filter_stack stack,
                           const D3D12_INFO_QUEUE_FILTER *api)
{
    struct message_filter filter;
    if (!filter_from_api(api, &filter))
        return E_INVALIDARG;
    return com_result_from_status(message_filter_push(store_of(self), stack, &filter, false));
}

static size_t list_bytes(const struct message_filter_list *list)
{
    return (list->category_count + list->severity_count + list->number_count) * sizeof(int);
}

static void *ints_to_api(int **cursor, const int *values, size_t count)
{
    if (!count)
        return NULL;
    int *result = *cursor;
    memcpy(result, values, count * sizeof(int));
    *cursor += count;
    return result;
}

static void list_to_api(int **cursor, D3D12_INFO_QUEUE_FILTER_DESC *out, const struct message_filter_list *list)
{
    out->NumCategories = (UINT)list->category_count;
    out->pCategoryList = ints_to_api(cursor, list->categories, list->category_count);
    out->NumSeverities = (UINT)list->severity_count;
    out->pSeverityList = ints_to_api(cursor, list->severities, list->severity_count);
    out->NumIDs = (UINT)list->number_count;
    out->pIDList = ints_to_api(cursor, list->numbers, list->number_count);
}

static HRESULT filter_get(ID3D12InfoQueue1 *self, enum message_filter_stack stack, D3D12_INFO_QUEUE_FILTER *out,
                          SIZE_T *byte_count)
{
    if (!byte_count)
        return E_INVALIDARG;
    struct message_filter *filter = message_filter_get(store_of(self), stack);
    if (!filter)
        return E_OUTOFMEMORY;
    size_t needed = sizeof(*out) + list_bytes(&filter->allow) + list_bytes(&filter->deny);
    size_t given = *byte_count;
    HRESULT result = !out ? S_FALSE : given < needed ? E_INVALIDARG : S_OK;
    *byte_count = needed;
    if (result == S_OK) {
        int *cursor = (int *)(out + 1);
        list_to_api(&cursor, &out->AllowList, &filter->allow);
        list_to_api(&cursor, &out->DenyList, &filter->deny);
    }
    free(filter);
    return result;
}

#define FILTER_METHODS(Name, stack)                                                                          \
    static HRESULT STDMETHODCALLTYPE info_queue_Add##Name##FilterEntries(ID3D12InfoQueue1 *self,             \
                                                                         D3D12_INFO_QUEUE_FILTER *filter)    \
    {                                                                                                        \
        return filter_add(self, stack, filter);                                                              \
    }                                                                                                        \
    static HRESULT STDMETHODCALLTYPE info_queue_Get##Name##Filter(ID3D12InfoQueue1 *self,                    \
                                                                  D3D12_INFO_QUEUE_FILTER *filter,           \
                                                                  SIZE_T *byte_count)                        \
    {                                                                                                        \
        return filter_get(self, stack, filter, byte_count);                                                  \
    }                                                                                                        \
    static void STDMETHODCALLTYPE info_queue_Clear##Name##Filter(ID3D12InfoQueue1 *self)                     \
    {                                                                                                        \
        message_filter_clear(store_of(self), stack);                                                         \
    }                                                                                                        \
    static HRESULT STDMETHODCALLTYPE info_queue_PushEmpty##Name##Filter(ID3D12InfoQueue1 *self)              \
    {                                                                                                        \
        return com_result_from_status(message_filter_push(store_of(self), stack, NULL, false));              \
    }                                                                                                        \
    static HRESULT STDMETHODCALLTYPE info_queue_PushCopyOf##Name##Filter(ID3D12InfoQueue1 *self)             \
    {                                                                                                        \
        return com_result_from_status(message_filter_push(store_of(self), stack, NULL, true));               \
    }                                                                                                        \
    static HRESULT STDMETHODCALLTYPE info_queue_Push##Name##Filter(ID3D12InfoQueue1 *self,                   \
                                                                   D3D12_INFO_QUEUE_FILTER *filter)          \
    {                                                                                                        \
        return filter_push(self, stack, filter);                                                             \
    }                                                                                                        \
    static void STDMETHODCALLTYPE info_queue_Pop##Name##Filter(ID3D12InfoQueue1 *self)                       \
    {                                                                                                        \
        message_filter_pop(store_of(self), stack);                                                           \
    }                                                                                                        \
    static UINT STDMETHODCALLTYPE info_queue_Get##Name##FilterStackSize(ID3D12InfoQueue1 *self)              \
    {                                                                                                        \
        return message_filter_depth(store_of(self), stack);                                                  \
    }

FILTER_METHODS(Storage, MESSAGE_FILTER_STORAGE)
FILTER_METHODS(Retrieval, MESSAGE_FILTER_RETRIEVAL)

/* --- messages of the application, breaks, callbacks --- */

static HRESULT STDMETHODCALLTYPE info_queue_AddMessage(ID3D12InfoQueue1 *self, D3D12_MESSAGE_CATEGORY category,
                                                       D3D12_MESSAGE_SEVERITY severity, D3D12_MESSAGE_ID id,
                                                       LPCSTR text)
{
    if (!text || (unsigned)category >= MESSAGE_CATEGORY_COUNT || (unsigned)severity >= MESSAGE_SEVERITY_COUNT)
        return E_INVALIDARG;
    message_write_raw(store_of(self), (enum message_category)category, (enum message_severity)severity, (int)id, text);
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE info_queue_AddApplicationMessage(ID3D12InfoQueue1 *self,
                                                                  D3D12_MESSAGE_SEVERITY severity, LPCSTR text)
{
    return info_queue_AddMessage(self, D3D12_MESSAGE_CATEGORY_APPLICATION_DEFINED, severity,
                                 D3D12_MESSAGE_ID_STRING_FROM_APPLICATION, text);
}

static HRESULT STDMETHODCALLTYPE info_queue_SetBreakOnCategory(ID3D12InfoQueue1 *self, D3D12_MESSAGE_CATEGORY category,
                                                               BOOL enable)
{
    if ((unsigned)category >= MESSAGE_CATEGORY_COUNT)
        return E_INVALIDARG;
    message_break_set_category(store_of(self), category, enable);
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE info_queue_SetBreakOnSeverity(ID3D12InfoQueue1 *self, D3D12_MESSAGE_SEVERITY severity,
                                                               BOOL enable)
{
    if ((unsigned)severity >= MESSAGE_SEVERITY_COUNT)
        return E_INVALIDARG;
    message_break_set_severity(store_of(self), severity, enable);
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE info_queue_SetBreakOnID(ID3D12InfoQueue1 *self, D3D12_MESSAGE_ID id, BOOL enable)
{
    return com_result_from_status(message_break_set_number(store_of(self), (int)id, enable));
}

static BOOL STDMETHODCALLTYPE info_queue_GetBreakOnCategory(ID3D12InfoQueue1 *self, D3D12_MESSAGE_CATEGORY category)
{
    return message_break_category(store_of(self), category);
}

static BOOL STDMETHODCALLTYPE info_queue_GetBreakOnSeverity(ID3D12InfoQueue1 *self, D3D12_MESSAGE_SEVERITY severity)
{
    return message_break_severity(store_of(self), severity);
}

static BOOL STDMETHODCALLTYPE info_queue_GetBreakOnID(ID3D12InfoQueue1 *self, D3D12_MESSAGE_ID id)
{
    return message_break_number(store_of(self), (int)id);
}

static void STDMETHODCALLTYPE info_queue_SetMuteDebugOutput(ID3D12InfoQueue1 *self, BOOL mute)
{
    message_store_set_muted(store_of(self), mute);
}

static BOOL STDMETHODCALLTYPE info_queue_GetMuteDebugOutput(ID3D12InfoQueue1 *self)
{
    return message_store_is_muted(store_of(self));
}

/* The application's function and its context, behind the store's own callback type. */
struct api_callback {
    D3D12MessageFunc function;
    void *context;
};

static void callback_forward(const struct message *message, void *context)
{
    const struct api_callback *callback = context;
    callback->function((D3D12_MESSAGE_CATEGORY)message->category, (D3D12_MESSAGE_SEVERITY)message->severity,
                       (D3D12_MESSAGE_ID)message->number, message->text, callback->context);
}

static HRESULT STDMETHODCALLTYPE info_queue_RegisterMessageCallback(ID3D12InfoQueue1 *self, D3D12MessageFunc function,
                                                                    D3D12_MESSAGE_CALLBACK_FLAGS flags, void *context,
                                                                    DWORD *cookie)
{
    if (!cookie)
        return E_INVALIDARG;
    *cookie = 0;
    if (!function)
        return E_INVALIDARG;
    struct api_callback callback = {function, context};
    enum status status = message_callback_add(store_of(self), callback_forward, &callback, sizeof(callback),
                                              flags & D3D12_MESSAGE_CALLBACK_IGNORE_FILTERS, cookie);
    return com_result_from_status(status);
}

static HRESULT STDMETHODCALLTYPE info_queue_UnregisterMessageCallback(ID3D12InfoQueue1 *self, DWORD cookie)
{
    return message_callback_remove(store_of(self), cookie) ? S_OK : E_INVALIDARG;
}

#define M(name) .name = info_queue_##name
static const ID3D12InfoQueue1Vtbl info_queue_vtbl = {
    M(QueryInterface), M(AddRef), M(Release), M(SetMessageCountLimit), M(ClearStoredMessages), M(GetMessage),
    M(GetNumMessagesAllowedByStorageFilter), M(GetNumMessagesDeniedByStorageFilter), M(GetNumStoredMessages),
    M(GetNumStoredMessagesAllowedByRetrievalFilter), M(GetNumMessagesDiscardedByMessageCountLimit),
    M(GetMessageCountLimit), M(AddStorageFilterEntries), M(GetStorageFilter), M(ClearStorageFilter),
    M(PushEmptyStorageFilter), M(PushCopyOfStorageFilter), M(PushStorageFilter), M(PopStorageFilter),
    M(GetStorageFilterStackSize), M(AddRetrievalFilterEntries), M(GetRetrievalFilter), M(ClearRetrievalFilter),
    M(PushEmptyRetrievalFilter), M(PushCopyOfRetrievalFilter), M(PushRetrievalFilter), M(PopRetrievalFilter),
    M(GetRetrievalFilterStackSize), M(AddMessage), M(AddApplicationMessage), M(SetBreakOnCategory),
    M(SetBreakOnSeverity), M(SetBreakOnID), M(GetBreakOnCategory), M(GetBreakOnSeverity), M(GetBreakOnID),
    M(SetMuteDebugOutput), M(GetMuteDebugOutput), M(RegisterMessageCallback), M(UnregisterMessageCallback),
};

void d3d12_info_queue_init(struct d3d12_device *device)
{
    device->info_queue.vtable = &info_queue_vtbl;
}
