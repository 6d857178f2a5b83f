/* SPDX-License-Identifier: MIT */
#include "exec/structure_proof.h"

#include <stdlib.h>

#include "accel/micromap.h"
#include "accel/verify.h"
#include "exec/device_private.h"

enum { UNIT_BYTES = ACCEL_MICROMAP_ALIGNMENT_BYTES, WORD_BITS = 64 };

static uint64_t word_count(const struct exec_resource *storage)
{
    return storage->size_bytes / UNIT_BYTES / WORD_BITS + 1;
}

static uint64_t unit_of(const struct exec_resource *storage, uint64_t address)
{
    return (address - (uint64_t)(uintptr_t)storage->base) / UNIT_BYTES;
}

/* The buffer around address, if structures in it can keep proofs. */
static struct exec_resource *storage_of(struct exec_device *device, uint64_t address)
{
    struct address_range range;
    const struct address_map *map = device->settings.addresses;
    if (!map || !address_map_find_buffer(map, address, &range) || !range.owner)
        return NULL;
    struct exec_resource *storage = range.owner;
    return atomic_load_explicit(&storage->structure_use, memory_order_relaxed) ? storage : NULL;
}

static bool is_private(struct exec_device *device, const struct exec_resource *storage, uint64_t address, uint64_t byte_count)
{
    if (storage->heap_mapping && atomic_load_explicit(&storage->heap_mapping->has_aliases, memory_order_relaxed))
        return false;
    return exec_resource_holds(storage, address, byte_count) &&
           !address_map_is_shared(device->settings.addresses, address, byte_count);
}

static bool bit_is_set(struct exec_resource *storage, uint64_t address)
{
    _Atomic uint64_t *words = atomic_load_explicit(&storage->proofs, memory_order_acquire);
    uint64_t unit = unit_of(storage, address);
    return words && atomic_load_explicit(&words[unit / WORD_BITS], memory_order_acquire) >> unit % WORD_BITS & 1;
}

/* Out of memory: nothing is remembered, which costs time only. */
static void set_bit(struct exec_resource *storage, uint64_t address)
{
    _Atomic uint64_t *words = atomic_load_explicit(&storage->proofs, memory_order_acquire), *none = NULL;
    uint64_t unit = unit_of(storage, address);
    if (!words) {
        words = calloc(word_count(storage), sizeof(*words));
        if (words && !atomic_compare_exchange_strong(&storage->proofs, &none, words)) {
            free(words);
            words = none;
        }
    }
    if (words)
        atomic_fetch_or_explicit(&words[unit / WORD_BITS], UINT64_C(1) << unit % WORD_BITS, memory_order_release);
}

enum exec_proof exec_structure_prove(struct exec_device *device, uint64_t address, struct reason *reason)
{
    const struct accel_header *header = (const struct accel_header *)(uintptr_t)address;
    uint64_t behind_bytes = exec_device_bytes_behind(device, address);
    if (address % UNIT_BYTES || behind_bytes < sizeof(*header) || !accel_is_structure(header, behind_bytes) ||
        (header->kind != ACCEL_KIND_MICROMAPS && address % ACCEL_ALIGNMENT_BYTES)) {
        (void)reason_set(reason, STATUS_INVALID, "no acceleration structure is there");
        return EXEC_PROOF_NONE;
    }
    if (!device->settings.addresses)
        return EXEC_PROOF_KEPT;
    struct exec_resource *storage = storage_of(device, address);
    if (storage && !is_private(device, storage, address, header->structure_bytes))
        storage = NULL;
    if (storage && bit_is_set(storage, address))
        return EXEC_PROOF_KEPT;
    if (accel_verify(header, behind_bytes, reason) != STATUS_OK)
        return EXEC_PROOF_NONE;
    if (!storage)
        return EXEC_PROOF_ONCE;
    set_bit(storage, address);
    return EXEC_PROOF_KEPT;
}

void exec_structure_proven(struct exec_device *device, uint64_t address)
{
    const struct accel_header *header = (const struct accel_header *)(uintptr_t)address;
    struct exec_resource *storage = storage_of(device, address);
    if (storage && is_private(device, storage, address, header->structure_bytes))
        set_bit(storage, address);
}

/* A structure that starts before unit and reaches beyond it loses its proof. */
static void cut_predecessor(struct exec_resource *storage, _Atomic uint64_t *words, uint64_t unit)
{
    uint64_t word = unit / WORD_BITS, mask = (UINT64_C(1) << unit % WORD_BITS) - 1, bits;
    while (!(bits = atomic_load_explicit(&words[word], memory_order_acquire) & mask) && word) {
        word--;
        mask = ~UINT64_C(0);
    }
    if (!bits)
        return;
    uint64_t bit = 63 - (uint64_t)__builtin_clzll(bits), start = word * WORD_BITS + bit;
    const struct accel_header *header = (const struct accel_header *)(storage->base + start * UNIT_BYTES);
    if (header->structure_bytes > (unit - start) * UNIT_BYTES)
        atomic_fetch_and_explicit(&words[word], ~(UINT64_C(1) << bit), memory_order_release);
}

void exec_structure_overwrite(struct exec_device *device, uint64_t address, uint64_t byte_count)
{
    struct exec_resource *storage = storage_of(device, address);
    if (!storage || !byte_count)
        return;
    atomic_fetch_add_explicit(&device->structure_changes, 1, memory_order_release);
    _Atomic uint64_t *words = atomic_load_explicit(&storage->proofs, memory_order_acquire);
    if (!words)
        return;
    uint64_t left_bytes = (uint64_t)(uintptr_t)storage->base + storage->size_bytes - address;
    uint64_t first = unit_of(storage, address);
    uint64_t end = unit_of(storage, address + (byte_count < left_bytes ? byte_count : left_bytes) - 1) + 1;
    cut_predecessor(storage, words, first);
    for (uint64_t unit = first; unit < end;) {
        uint64_t bits = WORD_BITS - unit % WORD_BITS, mask = ~UINT64_C(0) << unit % WORD_BITS;
        if (end - unit < bits) {
            mask &= (UINT64_C(1) << end % WORD_BITS) - 1;
            bits = end - unit;
        }
        if (atomic_load_explicit(&words[unit / WORD_BITS], memory_order_relaxed) & mask)
            atomic_fetch_and_explicit(&words[unit / WORD_BITS], ~mask, memory_order_release);
        unit += bits;
    }
}

bool exec_structure_allow_view(struct exec_device *device, uint64_t address)
{
    struct exec_resource *storage = storage_of(device, address);
    if (!storage)
        return true;
    if (atomic_load(&storage->structure_use) == EXEC_STRUCTURES_ONLY)
        return false;
    atomic_store(&storage->structure_use, EXEC_STRUCTURES_NOT);
    atomic_fetch_add_explicit(&device->structure_changes, 1, memory_order_release);
    return true;
}

bool exec_proof_cache_ask(struct exec_proof_cache *cache, uint64_t address)
{
    uint64_t *slot = &cache->addresses[address / UNIT_BYTES % EXEC_PROOF_CACHE_ENTRIES];
    if (*slot == address && address)
        return true;
    if (exec_structure_prove(cache->device, address, NULL) == EXEC_PROOF_NONE)
        return false;
    *slot = address;
    return true;
}
