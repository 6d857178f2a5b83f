/* SPDX-License-Identifier: MIT
 * A small table of structures that were looked through, by address and state of the address map. */
#include "exec/structure_check.h"

#include "accel/micromap.h"
#include "exec/device_private.h"

static struct exec_sound_structure *slot_of(struct exec_device *device, uint64_t address)
{
    return &device->sound_structures[address / ACCEL_ALIGNMENT_BYTES % SOUND_STRUCTURES];
}

/* The stamp is read on both sides of the rest: a writer clears it first. */
static bool is_known(struct exec_sound_structure *slot, uint64_t address, uint64_t stamp, uint32_t *notes)
{
    if (atomic_load_explicit(&slot->stamp, memory_order_acquire) != stamp)
        return false;
    bool same = atomic_load_explicit(&slot->address, memory_order_acquire) == address;
    *notes = atomic_load_explicit(&slot->notes, memory_order_acquire);
    return same && atomic_load_explicit(&slot->stamp, memory_order_acquire) == stamp;
}

static void remember(struct exec_sound_structure *slot, uint64_t address, uint64_t stamp, uint32_t notes)
{
    atomic_store_explicit(&slot->stamp, 0, memory_order_release);
    atomic_store_explicit(&slot->address, address, memory_order_release);
    atomic_store_explicit(&slot->notes, notes, memory_order_release);
    atomic_store_explicit(&slot->stamp, stamp, memory_order_release);
}

/* Header at address, if a structure of that kind still starts there. */
static const struct accel_header *structure_at(const struct address_map *map, uint64_t address, bool micromaps)
{
    const struct accel_header *header = (const struct accel_header *)(uintptr_t)address;
    if (!accel_is_structure(header, address_map_bytes_behind(map, address)))
        return NULL;
    bool fits = micromaps ? header->kind == ACCEL_KIND_MICROMAPS
                          : header->kind == ACCEL_KIND_TRIANGLES || header->kind == ACCEL_KIND_BOXES;
    return fits ? header : NULL;
}

static bool arrays_are_sound(const struct address_map *map, const struct accel_header *bottom,
                             struct exec_structure_report *report)
{
    const struct accel_micromap_linkage *links = accel_micromap_links(bottom);
    for (uint32_t i = 0; links && i < bottom->geometry_count; i++) {
        const struct accel_header *array = links[i].array ? structure_at(map, links[i].array, true) : NULL;
        if (!links[i].array || (array && array->leaf_count >= links[i].used_count))
            continue;
        report->bad_address = links[i].array;
        report->bad_kind = "opacity micromap array";
        return false;
    }
    return true;
}

static bool instance_is_sound(const struct address_map *map, const struct abi_instance *instance,
                              struct exec_structure_report *report)
{
    if (!instance->blas)
        return true;
    const struct accel_header *bottom = structure_at(map, instance->blas, false);
    if (!bottom) {
        report->bad_address = instance->blas;
        report->bad_kind = "bottom-level structure";
        return false;
    }
    if (!bottom->micromap_link_offset)
        return true;
    bool disables = (instance->flags & ACCEL_INSTANCE_FLAG_DISABLE_OMMS) &&
                    !(bottom->build_flags & ACCEL_BUILD_FLAG_ALLOW_DISABLE_OMMS);
    report->notes |= EXEC_STRUCTURE_HAS_MICROMAPS | (disables ? EXEC_STRUCTURE_DISABLES_MICROMAPS : 0u);
    return arrays_are_sound(map, bottom, report);
}

bool exec_structure_is_sound(struct exec_device *device, uint64_t address, struct exec_structure_report *report)
{
    const struct address_map *map = device->settings.addresses;
    *report = (struct exec_structure_report){0};
    if (!map)
        return true;
    uint64_t stamp = address_map_removal_count(map) + 1;
    struct exec_sound_structure *slot = slot_of(device, address);
    if (is_known(slot, address, stamp, &report->notes))
        return true;
    report->notes = 0;
    const struct accel_header *header = (const struct accel_header *)(uintptr_t)address;
    const struct abi_instance *instances =
        (const struct abi_instance *)((const uint8_t *)header + header->leaf_offset);
    for (uint32_t i = 0; i < header->leaf_count; i++)
        if (!instance_is_sound(map, &instances[i], report))
            return false;
    remember(slot, address, stamp, report->notes);
    return true;
}

void exec_structure_forget(struct exec_device *device)
{
    for (uint32_t i = 0; i < SOUND_STRUCTURES; i++)
        atomic_store_explicit(&device->sound_structures[i].stamp, 0, memory_order_release);
}
