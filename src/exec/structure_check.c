/* SPDX-License-Identifier: MIT
 * A small table of structures that were looked through, by address and state of the address map. */
#include "exec/structure_check.h"

#include "accel/build.h"
#include "exec/device_private.h"

static struct exec_sound_structure *slot_of(struct exec_device *device, uint64_t address)
{
    return &device->sound_structures[address / ACCEL_ALIGNMENT_BYTES % SOUND_STRUCTURES];
}

/* The stamp is read on both sides of the address: a writer clears it first. */
static bool is_known(struct exec_sound_structure *slot, uint64_t address, uint64_t stamp)
{
    if (atomic_load_explicit(&slot->stamp, memory_order_acquire) != stamp)
        return false;
    bool same = atomic_load_explicit(&slot->address, memory_order_acquire) == address;
    return same && atomic_load_explicit(&slot->stamp, memory_order_acquire) == stamp;
}

static void remember(struct exec_sound_structure *slot, uint64_t address, uint64_t stamp)
{
    atomic_store_explicit(&slot->stamp, 0, memory_order_release);
    atomic_store_explicit(&slot->address, address, memory_order_release);
    atomic_store_explicit(&slot->stamp, stamp, memory_order_release);
}

bool exec_structure_is_sound(struct exec_device *device, uint64_t address, uint64_t *bad_address)
{
    const struct address_map *map = device->settings.addresses;
    if (!map)
        return true;
    uint64_t stamp = address_map_removal_count(map) + 1;
    struct exec_sound_structure *slot = slot_of(device, address);
    if (is_known(slot, address, stamp))
        return true;
    const struct accel_header *header = (const struct accel_header *)(uintptr_t)address;
    const struct abi_instance *instances =
        (const struct abi_instance *)((const uint8_t *)header + header->leaf_offset);
    for (uint32_t i = 0; i < header->leaf_count; i++) {
        uint64_t blas = instances[i].blas;
        if (blas && !accel_is_structure((const void *)(uintptr_t)blas, address_map_bytes_behind(map, blas))) {
            *bad_address = blas;
            return false;
        }
    }
    remember(slot, address, stamp);
    return true;
}

void exec_structure_forget(struct exec_device *device, uint64_t address)
{
    struct exec_sound_structure *slot = slot_of(device, address);
    if (atomic_load_explicit(&slot->address, memory_order_relaxed) == address)
        atomic_store_explicit(&slot->stamp, 0, memory_order_release);
}
