/* SPDX-License-Identifier: MIT
 * One thread looks through a structure, the others wait for the answer. The device's own table holds the newest sound
 * structures with the state of the world in which they were. */
#include "exec/structure_check.h"

#include "accel/indexed.h"
#include "accel/micromap.h"
#include "exec/device_private.h"
#include "exec/structure_proof.h"

struct check {
    struct exec_device *device;
    struct exec_structure_report *report;
    const struct accel_header *top;
    bool is_kept; /* all proofs so far last beyond this dispatch */
    uint64_t sound_bottoms[EXEC_PROOF_CACHE_ENTRIES];
};

static uint64_t stamp_of(const struct exec_device *device)
{
    return address_map_change_count(device->settings.addresses) +
           atomic_load_explicit(&device->structure_changes, memory_order_acquire) + 1;
}

static bool prove(struct check *c, uint64_t address)
{
    enum exec_proof proof = exec_structure_prove(c->device, address, &c->report->reason);
    c->is_kept &= proof == EXEC_PROOF_KEPT;
    return proof != EXEC_PROOF_NONE;
}

static bool fail(struct check *c, uint64_t address, const char *kind)
{
    c->report->bad_address = address;
    c->report->bad_kind = kind;
    return false;
}

static bool arrays_are_sound(struct check *c, const struct accel_header *bottom)
{
    const struct accel_micromap_linkage *links = accel_micromap_links(bottom);
    for (uint32_t i = 0; links && i < bottom->geometry_count; i++) {
        const struct accel_header *array = (const struct accel_header *)(uintptr_t)links[i].array;
        if (!array)
            continue;
        if (!prove(c, links[i].array))
            return fail(c, links[i].array, "opacity micromap array");
        if (array->kind != ACCEL_KIND_MICROMAPS || array->leaf_count < links[i].used_count) {
            (void)reason_set(&c->report->reason, STATUS_INVALID, "another structure is there");
            return fail(c, links[i].array, "opacity micromap array");
        }
    }
    return true;
}

static bool bottom_is_sound(struct check *c, uint64_t address)
{
    const struct accel_header *bottom = (const struct accel_header *)(uintptr_t)address;
    uint64_t *known = &c->sound_bottoms[address / ACCEL_ALIGNMENT_BYTES % EXEC_PROOF_CACHE_ENTRIES];
    if (*known == address)
        return true;
    if (!prove(c, address))
        return fail(c, address, "bottom-level structure");
    if (bottom->kind != ACCEL_KIND_TRIANGLES && bottom->kind != ACCEL_KIND_BOXES) {
        (void)reason_set(&c->report->reason, STATUS_INVALID, "a structure of another kind is there");
        return fail(c, address, "bottom-level structure");
    }
    if (!arrays_are_sound(c, bottom))
        return false;
    *known = address;
    return true;
}

static bool instance_is_sound(struct check *c, const struct abi_instance *instance)
{
    if (!instance->blas)
        return true;
    if (!bottom_is_sound(c, instance->blas))
        return false;
    const struct accel_header *bottom = (const struct accel_header *)(uintptr_t)instance->blas;
    if (!bottom->micromap_link_offset)
        return true;
    bool disables = (instance->flags & ACCEL_INSTANCE_FLAG_DISABLE_OMMS) &&
                    !(bottom->build_flags & ACCEL_BUILD_FLAG_ALLOW_DISABLE_OMMS);
    c->report->notes |= EXEC_STRUCTURE_HAS_MICROMAPS | (disables ? EXEC_STRUCTURE_DISABLES_MICROMAPS : 0u);
    return true;
}

static const struct abi_instance *instances_of(const struct check *c)
{
    return (const struct abi_instance *)((const uint8_t *)c->top + c->top->leaf_offset);
}

static bool leaf_is_sound(struct check *c, uint32_t ref)
{
    if (ref == ACCEL_REF_EMPTY || !(ref & ACCEL_REF_LEAF_MASK))
        return true;
    return instance_is_sound(c, &instances_of(c)[ref & ACCEL_REF_INSTANCE_MASK]);
}

/* In memory order. An inactive instance may point at what is gone, so a bad pointer counts only when the tree names it. */
static bool instances_are_sound(struct check *c)
{
    bool all_sound = true;
    for (uint32_t i = 0; i < c->top->leaf_count && all_sound; i++)
        all_sound = instance_is_sound(c, &instances_of(c)[i]);
    if (all_sound)
        return true;
    *c->report = (struct exec_structure_report){0};
    for (uint32_t i = 0; i < c->top->node_count; i++)
        for (uint32_t child = 0; child < ACCEL_NODE_WIDTH; child++)
            if (!leaf_is_sound(c, accel_node_children(c->top, i)[child]))
                return false;
    return leaf_is_sound(c, c->top->root);
}

static enum exec_structure_result look_through(struct check *c, uint64_t address)
{
    const struct accel_header *top = (const struct accel_header *)(uintptr_t)address;
    uint64_t behind_bytes = exec_device_bytes_behind(c->device, address);
    if (address % ACCEL_ALIGNMENT_BYTES || behind_bytes < sizeof(*top))
        return EXEC_STRUCTURE_NONE;
    if (top->magic == 0 && top->version == 0)
        return EXEC_STRUCTURE_EMPTY;
    if (!accel_is_structure(top, behind_bytes) || top->kind != ACCEL_KIND_INSTANCES)
        return EXEC_STRUCTURE_NONE;
    if (!prove(c, address))
        return EXEC_STRUCTURE_UNSOUND;
    c->top = top;
    if (c->device->settings.addresses && !instances_are_sound(c))
        return EXEC_STRUCTURE_BAD_POINTER;
    return EXEC_STRUCTURE_SOUND;
}

static bool cache_find(const struct exec_structure_cache *cache, uint64_t address, struct exec_structure_report *report)
{
    uint64_t slot = address / ACCEL_ALIGNMENT_BYTES % EXEC_STRUCTURE_CACHE_ENTRIES;
    if (__atomic_load_n(&cache->addresses[slot], __ATOMIC_ACQUIRE) != address)
        return false;
    report->notes = __atomic_load_n(&cache->notes[slot], __ATOMIC_RELAXED);
    return true;
}

static void cache_keep(struct exec_structure_cache *cache, uint64_t address, uint32_t notes)
{
    uint64_t slot = address / ACCEL_ALIGNMENT_BYTES % EXEC_STRUCTURE_CACHE_ENTRIES;
    if (cache->addresses[slot]) /* first come: notes must not change beside a reader */
        return;
    __atomic_store_n(&cache->notes[slot], notes, __ATOMIC_RELAXED);
    __atomic_store_n(&cache->addresses[slot], address, __ATOMIC_RELEASE);
}

/* Under the mutex. */
static enum exec_structure_result check_once(struct check *c, uint64_t address)
{
    struct exec_sound_structure *known = &c->device->sound_structures[address / ACCEL_ALIGNMENT_BYTES % SOUND_STRUCTURES];
    uint64_t stamp = c->device->settings.addresses ? stamp_of(c->device) : 0;
    if (stamp && known->address == address && known->stamp == stamp) {
        c->report->notes = known->notes;
        return EXEC_STRUCTURE_SOUND;
    }
    enum exec_structure_result result = look_through(c, address);
    if (result == EXEC_STRUCTURE_SOUND && c->is_kept && stamp)
        *known = (struct exec_sound_structure){address, stamp, c->report->notes};
    return result;
}

enum exec_structure_result exec_structure_check(struct exec_device *device, struct exec_structure_cache *cache,
                                                uint64_t address, struct exec_structure_report *report)
{
    *report = (struct exec_structure_report){0};
    if (cache_find(cache, address, report))
        return EXEC_STRUCTURE_SOUND;
    pthread_mutex_lock(&device->structure_mutex);
    enum exec_structure_result result = EXEC_STRUCTURE_SOUND;
    if (!cache_find(cache, address, report)) {
        struct check check = {.device = device, .report = report, .is_kept = true};
        result = check_once(&check, address);
        if (result == EXEC_STRUCTURE_SOUND)
            cache_keep(cache, address, report->notes);
    }
    pthread_mutex_unlock(&device->structure_mutex);
    return result;
}
