/* SPDX-License-Identifier: MIT
 * Queries, predication, markers and events of a command list. */
#include <stdlib.h>
#include <string.h>

#include "com/text.h"
#include "d3d12/command_list.h"
#include "d3d12/command_list_methods.h"
#include "d3d12/query_heap.h"

/* Heap of a query call, referenced; NULL after list_fail. */
static struct d3d12_query_heap *query_heap(struct d3d12_command_list *list, const char *call,
                                           ID3D12QueryHeap *heap_interface, D3D12_QUERY_TYPE type, UINT first,
                                           UINT count)
{
    struct d3d12_query_heap *heap = d3d12_query_heap_from(heap_interface);
    if (!heap || heap->object.device != list->object.device) {
        list_fail(list, RULE_QUERY, "%s: pQueryHeap is NULL or no query heap of this device", call);
        return NULL;
    }
    if (!d3d12_query_heap_holds(heap, type)) {
        list_fail(list, RULE_QUERY, "%s: Type %d does not fit to the heap's type %d", call, type, heap->desc.Type);
        return NULL;
    }
    if (first > heap->desc.Count || heap->desc.Count - first < count) {
        list_fail(list, RULE_QUERY, "%s: queries %u to %u are not in the heap, which has %u", call, first,
                  first + count, heap->desc.Count);
        return NULL;
    }
    return list_reference(list, &heap->object, NULL) ? heap : NULL;
}

void STDMETHODCALLTYPE d3d12_command_list_BeginQuery(ID3D12GraphicsCommandList8 *self, ID3D12QueryHeap *pQueryHeap,
                                                     D3D12_QUERY_TYPE Type, UINT Index)
{
    const char *call = "BeginQuery";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_NORMAL);
    if (list && query_heap(list, call, pQueryHeap, Type, Index, 1) && Type == D3D12_QUERY_TYPE_TIMESTAMP)
        list_fail(list, RULE_QUERY, "%s: timestamps have no begin, only EndQuery", call);
}

void STDMETHODCALLTYPE d3d12_command_list_EndQuery(ID3D12GraphicsCommandList8 *self, ID3D12QueryHeap *pQueryHeap,
                                                   D3D12_QUERY_TYPE Type, UINT Index)
{
    const char *call = "EndQuery";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_ALL);
    struct d3d12_query_heap *heap = list ? query_heap(list, call, pQueryHeap, Type, Index, 1) : NULL;
    if (!heap)
        return;
    struct exec_end_query *entry = exec_record_end_query(list->stream, 0);
    if (!entry) {
        list_out_of_memory(list);
        return;
    }
    entry->slot = heap->slots + (size_t)Index * (heap->slot_bytes / sizeof(uint64_t));
    entry->kind = Type;
}

void STDMETHODCALLTYPE d3d12_command_list_ResolveQueryData(ID3D12GraphicsCommandList8 *self,
                                                           ID3D12QueryHeap *pQueryHeap, D3D12_QUERY_TYPE Type,
                                                           UINT StartIndex, UINT NumQueries,
                                                           ID3D12Resource *pDestinationBuffer,
                                                           UINT64 AlignedDestinationBufferOffset)
{
    const char *call = "ResolveQueryData";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_COPY);
    struct d3d12_query_heap *heap = list ? query_heap(list, call, pQueryHeap, Type, StartIndex, NumQueries) : NULL;
    if (!heap)
        return;
    if (AlignedDestinationBufferOffset % sizeof(uint64_t)) {
        list_fail(list, RULE_QUERY, "%s: AlignedDestinationBufferOffset is %llu, it must be a multiple of 8", call,
                  (unsigned long long)AlignedDestinationBufferOffset);
        return;
    }
    struct d3d12_resource *buffer =
        list_buffer(list, call, "pDestinationBuffer", pDestinationBuffer, AlignedDestinationBufferOffset,
                    (uint64_t)NumQueries * heap->slot_bytes);
    if (!buffer)
        return;
    struct exec_resolve_query *entry = exec_record_resolve_query(list->stream, 0);
    if (!entry) {
        list_out_of_memory(list);
        return;
    }
    entry->first = heap->slots + (size_t)StartIndex * (heap->slot_bytes / sizeof(uint64_t));
    entry->slot_bytes = heap->slot_bytes;
    entry->count = NumQueries;
    entry->destination = list_buffer_address(buffer, AlignedDestinationBufferOffset);
}

void STDMETHODCALLTYPE d3d12_command_list_SetPredication(ID3D12GraphicsCommandList8 *self, ID3D12Resource *pBuffer,
                                                         UINT64 AlignedBufferOffset, D3D12_PREDICATION_OP Operation)
{
    const char *call = "SetPredication";
    struct d3d12_command_list *list = list_begin(self, call, LIST_PLACE_NORMAL);
    if (!list)
        return;
    if (pBuffer && (AlignedBufferOffset % sizeof(uint64_t) || Operation > D3D12_PREDICATION_OP_NOT_EQUAL_ZERO)) {
        list_fail(list, RULE_COMMAND_LIST_ARGUMENT,
                  "%s: AlignedBufferOffset is %llu and Operation %d: a multiple of 8 and EQUAL_ZERO or NOT_EQUAL_ZERO "
                  "are needed",
                  call, (unsigned long long)AlignedBufferOffset, Operation);
        return;
    }
    struct d3d12_resource *buffer =
        pBuffer ? list_buffer(list, call, "pBuffer", pBuffer, AlignedBufferOffset, sizeof(uint64_t)) : NULL;
    if (pBuffer && !buffer)
        return;
    struct exec_set_predication *entry = exec_record_set_predication(list->stream, 0);
    if (!entry) {
        list_out_of_memory(list);
        return;
    }
    entry->address = buffer ? list_buffer_address(buffer, AlignedBufferOffset) : 0;
    entry->skip_if_not_zero = Operation == D3D12_PREDICATION_OP_NOT_EQUAL_ZERO;
}

/* Markers are kept as text for messages about a removed device. Metadata 0: wide text, 1: narrow, others: the format of
 * a tool, not read. */
static void record_marker(struct d3d12_command_list *list, UINT metadata, const void *data, UINT byte_count)
{
    enum { MARKER_WIDE = 0, MARKER_NARROW = 1, MAX_MARKER_BYTES = 4096 };
    char *wide = NULL;
    const char *text = "";
    size_t text_bytes = 0;
    if (data && metadata == MARKER_WIDE && byte_count <= MAX_MARKER_BYTES) {
        wide = com_text_from_wide_count(data, byte_count / sizeof(WCHAR));
        text = wide ? wide : "";
        text_bytes = strlen(text);
    } else if (data && metadata == MARKER_NARROW && byte_count <= MAX_MARKER_BYTES) {
        text = data;
        text_bytes = strnlen(text, byte_count);
    }
    struct exec_marker *entry = exec_record_marker(list->stream, text_bytes + 1);
    if (entry) {
        char *copy = (char *)(entry + 1);
        memcpy(copy, text, text_bytes);
        entry->text = copy;
    } else {
        list_out_of_memory(list);
    }
    free(wide);
}

void STDMETHODCALLTYPE d3d12_command_list_SetMarker(ID3D12GraphicsCommandList8 *self, UINT Metadata,
                                                    const void *pData, UINT Size)
{
    struct d3d12_command_list *list = list_begin(self, "SetMarker", LIST_PLACE_ALL);
    if (list)
        record_marker(list, Metadata, pData, Size);
}

void STDMETHODCALLTYPE d3d12_command_list_BeginEvent(ID3D12GraphicsCommandList8 *self, UINT Metadata,
                                                     const void *pData, UINT Size)
{
    struct d3d12_command_list *list = list_begin(self, "BeginEvent", LIST_PLACE_ALL);
    if (!list)
        return;
    list->event_depth++;
    record_marker(list, Metadata, pData, Size);
}

void STDMETHODCALLTYPE d3d12_command_list_EndEvent(ID3D12GraphicsCommandList8 *self)
{
    struct d3d12_command_list *list = list_begin(self, "EndEvent", LIST_PLACE_ALL);
    if (list && list->event_depth)
        list->event_depth--;
}
