/* SPDX-License-Identifier: MIT
 * ID3D12PipelineLibrary1: named compute pipelines. A stored pipeline keeps its machine code, so loading it again
 * compiles nothing; a library read from serialised bytes knows names and contents, checks the descriptions that are
 * loaded against them, and keeps the code from the first load on (CDXR_CACHE_DIR spares that one too).
 *
 * Serialised: head { magic, version, entry count, reserved, check }, then per entry { key, name bytes } and the UTF-8
 * name, padded to 8. Everything is checked on reading. */
#include <stdlib.h>
#include <string.h>

#include "com/text.h"
#include "d3d12/create.h"
#include "d3d12/pipeline_state.h"

struct library_entry {
    char *name;
    struct d3d12_program_key key;
    struct d3d12_pipeline_state *state; /* held; NULL: known from serialised bytes only */
};

struct d3d12_pipeline_library {
    struct com_object object; /* ID3D12PipelineLibrary1 */
    pthread_mutex_t mutex;    /* over the entries: methods are thread-safe */
    struct library_entry *entries;
    uint32_t entry_count, entry_capacity;
};

enum { LIBRARY_MAGIC = 0x4c584443, LIBRARY_VERSION = 1, LIBRARY_HEAD_BYTES = 24, ENTRY_HEAD_BYTES = 24 };

static void destroy(struct com_object *com)
{
    struct d3d12_pipeline_library *library = (struct d3d12_pipeline_library *)com;
    for (uint32_t i = 0; i < library->entry_count; i++) {
        free(library->entries[i].name);
        if (library->entries[i].state)
            com_object_drop(&library->entries[i].state->object);
    }
    free(library->entries);
    pthread_mutex_destroy(&library->mutex);
    com_object_finish(com);
    free(library);
}

static const struct com_iid_offset interfaces[] = {
    {&IID_IUnknown, 0},
    {&IID_ID3D12Object, 0},
    {&IID_ID3D12DeviceChild, 0},
    {&IID_ID3D12PipelineLibrary, 0},
    {&IID_ID3D12PipelineLibrary1, 0},
};

static const struct com_class library_class = {
    .name = "ID3D12PipelineLibrary",
    .interfaces = interfaces,
    .interface_count = ARRAY_COUNT(interfaces),
    .destroy = destroy,
};

COM_DEVICE_CHILD_METHODS(d3d12_pipeline_library, ID3D12PipelineLibrary1)

static struct library_entry *find_entry(const struct d3d12_pipeline_library *library, const char *name)
{
    for (uint32_t i = 0; i < library->entry_count; i++)
        if (!strcmp(library->entries[i].name, name))
            return &library->entries[i];
    return NULL;
}

/* Takes name over on success. */
static HRESULT add_entry(struct d3d12_pipeline_library *library, char *name, const struct d3d12_program_key *key,
                         struct d3d12_pipeline_state *state)
{
    if (library->entry_count == library->entry_capacity) {
        uint32_t capacity = library->entry_capacity ? library->entry_capacity * 2 : 8;
        struct library_entry *grown = realloc(library->entries, capacity * sizeof(*grown));
        if (!grown)
            return E_OUTOFMEMORY;
        library->entries = grown;
        library->entry_capacity = capacity;
    }
    library->entries[library->entry_count++] = (struct library_entry){name, *key, state};
    if (state)
        com_object_hold(&state->object);
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE d3d12_pipeline_library_StorePipeline(ID3D12PipelineLibrary1 *self, LPCWSTR pName,
                                                                      ID3D12PipelineState *pPipeline)
{
    struct d3d12_pipeline_library *library = (struct d3d12_pipeline_library *)self;
    struct d3d12_device *device = d3d12_device_of(&library->object);
    struct d3d12_pipeline_state *state = d3d12_pipeline_state_from(pPipeline);
    if (!state || state->object.device != &device->object)
        return d3d12_fail(device, E_INVALIDARG, RULE_PIPELINE_LIBRARY,
                          "StorePipeline: pPipeline is not a pipeline state of this device");
    if (!pName)
        return d3d12_fail(device, E_INVALIDARG, RULE_PIPELINE_LIBRARY, "StorePipeline: pName is NULL");
    char *name = com_text_from_wide(pName);
    if (!name)
        return E_OUTOFMEMORY;
    pthread_mutex_lock(&library->mutex);
    bool exists = find_entry(library, name);
    HRESULT result = exists ? E_INVALIDARG : add_entry(library, name, &state->key, state);
    pthread_mutex_unlock(&library->mutex);
    if (exists)
        d3d12_fail(device, result, RULE_PIPELINE_LIBRARY, "StorePipeline: pName '%s' is in the library already", name);
    if (FAILED(result))
        free(name);
    return result;
}

/* The stored pipeline: S_OK with *state held or NULL (known, to be made), E_INVALIDARG with a message. */
static HRESULT look_up(struct d3d12_pipeline_library *library, const char *call, const char *name,
                       const struct d3d12_program_key *key, struct d3d12_pipeline_state **state)
{
    struct d3d12_device *device = d3d12_device_of(&library->object);
    *state = NULL;
    pthread_mutex_lock(&library->mutex);
    const struct library_entry *entry = find_entry(library, name);
    bool matches = entry && !memcmp(&entry->key, key, sizeof(*key));
    if (matches && entry->state) {
        *state = entry->state;
        com_object_hold(&(*state)->object);
    }
    pthread_mutex_unlock(&library->mutex);
    if (!entry)
        return d3d12_fail(device, E_INVALIDARG, RULE_PIPELINE_LIBRARY, "%s: pName '%s' is not in the library", call,
                          name);
    if (!matches)
        return d3d12_fail(device, E_INVALIDARG, RULE_PIPELINE_LIBRARY,
                          "%s: the description's shader or root signature is not the one stored as '%s'", call, name);
    return S_OK;
}

static void keep_loaded(struct d3d12_pipeline_library *library, const char *name, struct d3d12_pipeline_state *state)
{
    pthread_mutex_lock(&library->mutex);
    struct library_entry *entry = find_entry(library, name);
    if (entry && !entry->state) {
        entry->state = state;
        com_object_hold(&state->object);
    }
    pthread_mutex_unlock(&library->mutex);
}

static HRESULT create_and_keep(struct d3d12_pipeline_library *library, const char *name,
                               const D3D12_COMPUTE_PIPELINE_STATE_DESC *desc, REFIID riid, void **out)
{
    ID3D12PipelineState *created;
    HRESULT result = d3d12_pipeline_state_create_compute(d3d12_device_of(&library->object), desc,
                                                         &IID_ID3D12PipelineState, (void **)&created);
    if (FAILED(result))
        return result;
    struct d3d12_pipeline_state *state = d3d12_pipeline_state_from(created);
    keep_loaded(library, name, state);
    return com_object_return(&state->object, riid, out);
}

/* Loading makes a new object each time (reference counts are the caller's own), around the same machine code. */
static HRESULT load(struct d3d12_pipeline_library *library, const char *call, LPCWSTR wide,
                    const D3D12_COMPUTE_PIPELINE_STATE_DESC *desc, REFIID riid, void **out)
{
    struct d3d12_device *device = d3d12_device_of(&library->object);
    struct d3d12_program_key key;
    struct d3d12_pipeline_state *state = NULL;
    if (!wide)
        return d3d12_fail(device, E_INVALIDARG, RULE_PIPELINE_LIBRARY, "%s: pName is NULL", call);
    char *name = com_text_from_wide(wide);
    if (!name)
        return E_OUTOFMEMORY;
    HRESULT result = d3d12_pipeline_state_key(device, call, desc, &key);
    if (SUCCEEDED(result))
        result = look_up(library, call, name, &key, &state);
    if (SUCCEEDED(result))
        result = state ? d3d12_pipeline_state_share(device, state, riid, out)
                       : create_and_keep(library, name, desc, riid, out);
    if (state)
        com_object_drop(&state->object);
    free(name);
    return result;
}

static HRESULT STDMETHODCALLTYPE d3d12_pipeline_library_LoadGraphicsPipeline(
    ID3D12PipelineLibrary1 *self, LPCWSTR pName, const D3D12_GRAPHICS_PIPELINE_STATE_DESC *pDesc, REFIID riid,
    void **ppPipelineState)
{
    struct d3d12_pipeline_library *library = (struct d3d12_pipeline_library *)self;
    if (ppPipelineState)
        *ppPipelineState = NULL;
    return d3d12_fail(d3d12_device_of(&library->object), E_INVALIDARG, RULE_PIPELINE_LIBRARY,
                      "LoadGraphicsPipeline: no graphics pipeline can be in the library, this device has no rasteriser");
}

static HRESULT STDMETHODCALLTYPE d3d12_pipeline_library_LoadComputePipeline(
    ID3D12PipelineLibrary1 *self, LPCWSTR pName, const D3D12_COMPUTE_PIPELINE_STATE_DESC *pDesc, REFIID riid,
    void **ppPipelineState)
{
    struct d3d12_pipeline_library *library = (struct d3d12_pipeline_library *)self;
    if (ppPipelineState)
        *ppPipelineState = NULL;
    if (!pDesc)
        return d3d12_fail(d3d12_device_of(&library->object), E_INVALIDARG, RULE_PIPELINE_LIBRARY,
                          "LoadComputePipeline: pDesc is NULL");
    return load(library, "LoadComputePipeline", pName, pDesc, riid, ppPipelineState);
}

static HRESULT STDMETHODCALLTYPE d3d12_pipeline_library_LoadPipeline(ID3D12PipelineLibrary1 *self, LPCWSTR pName,
                                                                     const D3D12_PIPELINE_STATE_STREAM_DESC *pDesc,
                                                                     REFIID riid, void **ppPipelineState)
{
    struct d3d12_pipeline_library *library = (struct d3d12_pipeline_library *)self;
    D3D12_COMPUTE_PIPELINE_STATE_DESC compute;
    if (ppPipelineState)
        *ppPipelineState = NULL;
    HRESULT result = d3d12_pipeline_stream_read(d3d12_device_of(&library->object), "LoadPipeline", pDesc, &compute);
    return SUCCEEDED(result) ? load(library, "LoadPipeline", pName, &compute, riid, ppPipelineState) : result;
}

/* --- serialisation --- */

static size_t padded(size_t byte_count)
{
    return (byte_count + 7) & ~(size_t)7;
}

static SIZE_T serialized_bytes(const struct d3d12_pipeline_library *library)
{
    SIZE_T byte_count = LIBRARY_HEAD_BYTES;
    for (uint32_t i = 0; i < library->entry_count; i++)
        byte_count += ENTRY_HEAD_BYTES + padded(strlen(library->entries[i].name));
    return byte_count;
}

static SIZE_T STDMETHODCALLTYPE d3d12_pipeline_library_GetSerializedSize(ID3D12PipelineLibrary1 *self)
{
    struct d3d12_pipeline_library *library = (struct d3d12_pipeline_library *)self;
    pthread_mutex_lock(&library->mutex);
    SIZE_T byte_count = serialized_bytes(library);
    pthread_mutex_unlock(&library->mutex);
    return byte_count;
}

static uint64_t checksum(const uint8_t *bytes, size_t byte_count)
{
    struct d3d12_program_key key = {{0, 0}};
    d3d12_program_key_add(&key, bytes, byte_count);
    return key.words[0] ^ key.words[1];
}

static void write_library(const struct d3d12_pipeline_library *library, uint8_t *bytes, size_t byte_count)
{
    size_t offset = LIBRARY_HEAD_BYTES;
    memset(bytes, 0, byte_count);
    for (uint32_t i = 0; i < library->entry_count; i++) {
        uint64_t name_bytes = strlen(library->entries[i].name);
        memcpy(bytes + offset, &library->entries[i].key, 16);
        memcpy(bytes + offset + 16, &name_bytes, 8);
        memcpy(bytes + offset + ENTRY_HEAD_BYTES, library->entries[i].name, name_bytes);
        offset += ENTRY_HEAD_BYTES + padded(name_bytes);
    }
    const uint32_t head[4] = {LIBRARY_MAGIC, LIBRARY_VERSION, library->entry_count, 0};
    uint64_t check = checksum(bytes + LIBRARY_HEAD_BYTES, byte_count - LIBRARY_HEAD_BYTES);
    memcpy(bytes, head, 16);
    memcpy(bytes + 16, &check, 8);
}

static HRESULT STDMETHODCALLTYPE d3d12_pipeline_library_Serialize(ID3D12PipelineLibrary1 *self, void *pData,
                                                                  SIZE_T DataSizeInBytes)
{
    struct d3d12_pipeline_library *library = (struct d3d12_pipeline_library *)self;
    struct d3d12_device *device = d3d12_device_of(&library->object);
    if (!pData)
        return d3d12_fail(device, E_INVALIDARG, RULE_PIPELINE_LIBRARY, "Serialize: pData is NULL");
    pthread_mutex_lock(&library->mutex);
    SIZE_T needed = serialized_bytes(library);
    if (DataSizeInBytes >= needed)
        write_library(library, pData, needed);
    pthread_mutex_unlock(&library->mutex);
    if (DataSizeInBytes < needed)
        return d3d12_fail(device, E_INVALIDARG, RULE_PIPELINE_LIBRARY,
                          "Serialize: DataSizeInBytes is %zu, the library takes %zu", (size_t)DataSizeInBytes,
                          (size_t)needed);
    return S_OK;
}

static HRESULT read_entry(struct d3d12_pipeline_library *library, const uint8_t *bytes, size_t byte_count,
                          size_t *offset)
{
    struct d3d12_program_key key;
    uint64_t name_bytes;
    if (byte_count - *offset < ENTRY_HEAD_BYTES)
        return E_INVALIDARG;
    memcpy(&key, bytes + *offset, 16);
    memcpy(&name_bytes, bytes + *offset + 16, 8);
    *offset += ENTRY_HEAD_BYTES;
    if (name_bytes > byte_count - *offset || padded(name_bytes) > byte_count - *offset)
        return E_INVALIDARG;
    char *name = calloc(1, name_bytes + 1);
    if (!name)
        return E_OUTOFMEMORY;
    memcpy(name, bytes + *offset, name_bytes);
    *offset += padded(name_bytes);
    HRESULT result = find_entry(library, name) ? E_INVALIDARG : add_entry(library, name, &key, NULL);
    if (FAILED(result))
        free(name);
    return result;
}

static HRESULT read_library(struct d3d12_pipeline_library *library, const uint8_t *bytes, size_t byte_count)
{
    uint32_t head[4];
    uint64_t check;
    if (byte_count < LIBRARY_HEAD_BYTES)
        return E_INVALIDARG;
    memcpy(head, bytes, 16);
    memcpy(&check, bytes + 16, 8);
    if (head[0] != LIBRARY_MAGIC)
        return E_INVALIDARG;
    if (head[1] != LIBRARY_VERSION)
        return D3D12_ERROR_DRIVER_VERSION_MISMATCH;
    size_t offset = LIBRARY_HEAD_BYTES;
    for (uint32_t i = 0; i < head[2]; i++) {
        HRESULT result = read_entry(library, bytes, byte_count, &offset);
        if (FAILED(result))
            return result;
    }
    /* The application may keep the blob in a larger buffer: what lies behind the entries does not count. */
    return check == checksum(bytes + LIBRARY_HEAD_BYTES, offset - LIBRARY_HEAD_BYTES) ? S_OK : E_INVALIDARG;
}

static const ID3D12PipelineLibrary1Vtbl library_vtbl = {
    COM_DEVICE_CHILD_ENTRIES(d3d12_pipeline_library),
    d3d12_pipeline_library_StorePipeline,
    d3d12_pipeline_library_LoadGraphicsPipeline,
    d3d12_pipeline_library_LoadComputePipeline,
    d3d12_pipeline_library_GetSerializedSize,
    d3d12_pipeline_library_Serialize,
    d3d12_pipeline_library_LoadPipeline,
};

HRESULT d3d12_pipeline_library_create(struct d3d12_device *device, const void *blob, SIZE_T blob_bytes, REFIID riid,
                                      void **out)
{
    if (out)
        *out = NULL;
    if (!blob && blob_bytes)
        return d3d12_fail(device, E_INVALIDARG, RULE_PIPELINE_LIBRARY,
                          "CreatePipelineLibrary: pLibraryBlob is NULL, BlobLength is %zu", (size_t)blob_bytes);
    struct d3d12_pipeline_library *library = calloc(1, sizeof(*library));
    if (!library)
        return E_OUTOFMEMORY;
    pthread_mutex_init(&library->mutex, NULL);
    com_object_init(&library->object, &library_class, &library_vtbl, &device->object);
    HRESULT result = blob && blob_bytes ? read_library(library, blob, blob_bytes) : S_OK;
    if (SUCCEEDED(result))
        return com_object_return(&library->object, riid, out);
    com_object_release(&library->object);
    return d3d12_fail(device, result, RULE_PIPELINE_LIBRARY,
                      result == D3D12_ERROR_DRIVER_VERSION_MISMATCH
                          ? "CreatePipelineLibrary: the blob was made by another version of this library"
                          : "CreatePipelineLibrary: the blob is damaged or was not made by Serialize");
}
