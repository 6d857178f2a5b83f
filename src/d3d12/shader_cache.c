/* SPDX-License-Identifier: MIT
 * ID3D12ShaderCacheSession: keys and values of the application, in memory, as long as the session lives. Sessions on
 * disk are refused: CheckFeatureSupport does not claim them. Thread-safe. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "d3d12/create.h"

enum { DEFAULT_ENTRIES = 128, DEFAULT_BYTES = 1024 * 1024, BUCKET_COUNT = 256 };

struct cache_entry {
    struct cache_entry *next;
    UINT key_bytes, value_bytes;
    unsigned char bytes[]; /* key, then value */
};

struct shader_cache {
    struct com_object object; /* ID3D12ShaderCacheSession */
    D3D12_SHADER_CACHE_SESSION_DESC desc;
    pthread_mutex_t mutex;
    struct cache_entry *buckets[BUCKET_COUNT];
    UINT entry_count;
    UINT64 used_bytes;
};

static void cache_destroy(struct com_object *object)
{
    struct shader_cache *cache = (struct shader_cache *)object;
    for (size_t i = 0; i < BUCKET_COUNT; i++)
        while (cache->buckets[i]) {
            struct cache_entry *entry = cache->buckets[i];
            cache->buckets[i] = entry->next;
            free(entry);
        }
    pthread_mutex_destroy(&cache->mutex);
    com_object_finish(object);
    free(cache);
}

static const struct com_iid_offset cache_interfaces[] = {
    {&IID_ID3D12Object, 0}, {&IID_ID3D12DeviceChild, 0}, {&IID_ID3D12ShaderCacheSession, 0}};
static const struct com_class cache_class = {
    .name = "ID3D12ShaderCacheSession",
    .interfaces = cache_interfaces,
    .interface_count = ARRAY_COUNT(cache_interfaces),
    .destroy = cache_destroy,
};

COM_DEVICE_CHILD_METHODS(cache, ID3D12ShaderCacheSession)

/* FNV-1a over the key. */
static struct cache_entry **bucket_of(struct shader_cache *cache, const void *key, UINT key_bytes)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (UINT i = 0; i < key_bytes; i++)
        hash = (hash ^ ((const unsigned char *)key)[i]) * 0x100000001b3u;
    return &cache->buckets[(hash ^ hash >> 32) % BUCKET_COUNT];
}

static struct cache_entry *entry_find(struct shader_cache *cache, const void *key, UINT key_bytes)
{
    struct cache_entry *entry = *bucket_of(cache, key, key_bytes);
    while (entry && (entry->key_bytes != key_bytes || memcmp(entry->bytes, key, key_bytes)))
        entry = entry->next;
    return entry;
}

static HRESULT entry_read(const struct cache_entry *entry, void *value, UINT *value_bytes)
{
    UINT capacity = *value_bytes;
    *value_bytes = entry->value_bytes;
    if (!value)
        return S_OK;
    if (capacity < entry->value_bytes)
        return DXGI_ERROR_MORE_DATA;
    memcpy(value, entry->bytes + entry->key_bytes, entry->value_bytes);
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE cache_FindValue(ID3D12ShaderCacheSession *self, const void *key, UINT key_bytes,
                                                 void *value, UINT *value_bytes)
{
    struct shader_cache *cache = (struct shader_cache *)self;
    if (!key || !key_bytes || !value_bytes)
        return E_INVALIDARG;
    pthread_mutex_lock(&cache->mutex);
    const struct cache_entry *entry = entry_find(cache, key, key_bytes);
    HRESULT result = entry ? entry_read(entry, value, value_bytes) : DXGI_ERROR_NOT_FOUND;
    pthread_mutex_unlock(&cache->mutex);
    return result;
}

/* Mutex held. */
static HRESULT entry_add(struct shader_cache *cache, const void *key, UINT key_bytes, const void *value,
                         UINT value_bytes)
{
    UINT64 byte_count = (UINT64)key_bytes + value_bytes;
    if (entry_find(cache, key, key_bytes))
        return DXGI_ERROR_ALREADY_EXISTS;
    if (cache->entry_count >= cache->desc.MaximumInMemoryCacheEntries ||
        cache->used_bytes + byte_count > cache->desc.MaximumInMemoryCacheSizeBytes)
        return DXGI_ERROR_CACHE_FULL;
    struct cache_entry *entry = malloc(sizeof(*entry) + byte_count);
    if (!entry)
        return E_OUTOFMEMORY;
    entry->key_bytes = key_bytes;
    entry->value_bytes = value_bytes;
    memcpy(entry->bytes, key, key_bytes);
    memcpy(entry->bytes + key_bytes, value, value_bytes);
    struct cache_entry **bucket = bucket_of(cache, key, key_bytes);
    entry->next = *bucket;
    *bucket = entry;
    cache->entry_count++;
    cache->used_bytes += byte_count;
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE cache_StoreValue(ID3D12ShaderCacheSession *self, const void *key, UINT key_bytes,
                                                  const void *value, UINT value_bytes)
{
    struct shader_cache *cache = (struct shader_cache *)self;
    if (!key || !key_bytes || !value || !value_bytes)
        return E_INVALIDARG;
    pthread_mutex_lock(&cache->mutex);
    HRESULT result = entry_add(cache, key, key_bytes, value, value_bytes);
    pthread_mutex_unlock(&cache->mutex);
    return result;
}

/* What a session in memory always does. */
static void STDMETHODCALLTYPE cache_SetDeleteOnDestroy(ID3D12ShaderCacheSession *self)
{
}

static D3D12_SHADER_CACHE_SESSION_DESC STDMETHODCALLTYPE cache_GetDesc(ID3D12ShaderCacheSession *self)
{
    return ((struct shader_cache *)self)->desc;
}

static const ID3D12ShaderCacheSessionVtbl cache_vtbl = {
    COM_DEVICE_CHILD_ENTRIES(cache), cache_FindValue, cache_StoreValue, cache_SetDeleteOnDestroy, cache_GetDesc,
};

HRESULT d3d12_shader_cache_session_create(struct d3d12_device *device, const D3D12_SHADER_CACHE_SESSION_DESC *desc,
                                          REFIID riid, void **out)
{
    static const GUID zero;
    if (out)
        *out = NULL;
    if (!desc || com_iid_equal(&desc->Identifier, &zero))
        return d3d12_fail(device, E_INVALIDARG, RULE_BAD_ARGUMENT,
                          "CreateShaderCacheSession: pDesc is NULL or its Identifier is zero");
    if (desc->Mode != D3D12_SHADER_CACHE_MODE_MEMORY)
        return d3d12_fail(device, DXGI_ERROR_UNSUPPORTED, RULE_BAD_ARGUMENT,
                          "CreateShaderCacheSession: Mode %d, only MEMORY is supported", desc->Mode);
    struct shader_cache *cache = calloc(1, sizeof(*cache));
    if (!cache)
        return E_OUTOFMEMORY;
    com_object_init(&cache->object, &cache_class, &cache_vtbl, &device->object);
    pthread_mutex_init(&cache->mutex, NULL);
    cache->desc = *desc;
    if (!cache->desc.MaximumInMemoryCacheEntries)
        cache->desc.MaximumInMemoryCacheEntries = DEFAULT_ENTRIES;
    if (!cache->desc.MaximumInMemoryCacheSizeBytes)
        cache->desc.MaximumInMemoryCacheSizeBytes = DEFAULT_BYTES;
    return com_object_return(&cache->object, riid, out);
}

/* The caches that this method steers do not exist here: the compiler keeps no implicit cache of its own accord. */
HRESULT d3d12_shader_cache_control(struct d3d12_device *device, D3D12_SHADER_CACHE_KIND_FLAGS kinds,
                                   D3D12_SHADER_CACHE_CONTROL_FLAGS control)
{
    return d3d12_fail(device, DXGI_ERROR_UNSUPPORTED, RULE_BAD_ARGUMENT,
                      "ShaderCacheControl: Kinds 0x%x, Control 0x%x: there is no such cache to control "
                      "(D3D12_FEATURE_SHADER_CACHE does not claim SHADER_CONTROL_CLEAR)", kinds, control);
}
