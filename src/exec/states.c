/* SPDX-License-Identifier: MIT
 * Legacy barrier states: promotion from COMMON and decay as D3D12 defines them. */
#include "exec/states.h"

enum {
    STATE_COMMON = 0, /* D3D12_RESOURCE_STATES */
    STATE_UNORDERED_ACCESS = 0x8,
    STATE_NON_PIXEL_SHADER_RESOURCE = 0x40,
    STATE_ACCELERATION_STRUCTURE = 0x400000,
    RESOURCE_DIMENSION_BUFFER = 1,            /* D3D12_RESOURCE_DIMENSION */
    RESOURCE_FLAG_ACCELERATION_STRUCTURE = 0x100, /* D3D12_RESOURCE_FLAGS */
};

static const char *resource_name(const struct exec_resource *resource)
{
    return resource->name ? resource->name(resource) : "unnamed";
}

/* A state that COMMON can turn into without a barrier; buffers take every state. */
static bool promotes(const struct exec_resource *resource, uint32_t state)
{
    enum { PROMOTABLE_TEXTURE_STATES = 0x40 | 0x80 | 0x400 | 0x800 }; /* shader resource, copy destination and source */
    return resource->dimension == RESOURCE_DIMENSION_BUFFER || !(state & ~(uint32_t)PROMOTABLE_TEXTURE_STATES);
}

static bool fits(const struct exec_resource *resource, uint32_t current, uint32_t before)
{
    if (current == before || (current & before) == before)
        return true;
    return current == STATE_COMMON && promotes(resource, before);
}

static void change(struct exec_device *device, const char *list_name, const struct exec_state *entry,
                   const struct exec_state_change *wanted)
{
    struct exec_resource *resource = wanted->resource;
    for (uint32_t i = 0; i < wanted->subresource_count; i++) {
        uint32_t subresource = wanted->first_subresource + i;
        uint32_t current = atomic_load_explicit(&resource->states[subresource], memory_order_relaxed);
        if (!wanted->is_unchecked && !fits(resource, current, wanted->before))
            exec_device_message(device, RULE_BARRIER,
                                "ResourceBarrier (command %u of list '%s'): StateBefore 0x%x of subresource %u of '%s' does "
                                "not match its state 0x%x",
                                entry->command.index, list_name, wanted->before, subresource,
                                resource_name(resource), current);
        atomic_store_explicit(&resource->states[subresource], wanted->after, memory_order_relaxed);
    }
}

void exec_states_apply(struct exec_device *device, struct exec_touched *touched, const char *list_name,
                       const struct exec_state *entry)
{
    for (uint32_t i = 0; i < entry->count; i++) {
        struct exec_resource *resource = entry->changes[i].resource;
        if (!resource->states)
            continue;
        change(device, list_name, entry, &entry->changes[i]);
        if (resource->dimension == RESOURCE_DIMENSION_BUFFER && touched->count < EXEC_TOUCHED_MAX)
            touched->buffers[touched->count++] = resource;
    }
}

void exec_states_decay(struct exec_touched *touched)
{
    for (uint32_t i = 0; i < touched->count; i++)
        atomic_store_explicit(&touched->buffers[i]->states[0], STATE_COMMON, memory_order_relaxed);
    touched->count = 0;
}

void exec_states_expect(struct exec_device *device, enum exec_use use, uint64_t address, const char *call,
                        const char *parameter)
{
    static const struct {
        uint32_t state;
        const char *name;
        enum rule rule;
    } needs[] = {
        [EXEC_USE_STRUCTURE] = {STATE_ACCELERATION_STRUCTURE, "RAYTRACING_ACCELERATION_STRUCTURE",
                                RULE_ACCELERATION_STRUCTURE_STATE},
        [EXEC_USE_SCRATCH] = {STATE_UNORDERED_ACCESS, "UNORDERED_ACCESS", RULE_RESOURCE_STATE},
        [EXEC_USE_SHADER_READ] = {STATE_NON_PIXEL_SHADER_RESOURCE, "NON_PIXEL_SHADER_RESOURCE", RULE_RESOURCE_STATE},
    };
    const struct address_map *addresses = exec_device_addresses(device);
    struct address_range range;
    if (!addresses || !address || !address_map_find_buffer(addresses, address, &range))
        return;
    const struct exec_resource *resource = range.owner;
    if (!resource || !resource->states)
        return;
    uint32_t state = atomic_load_explicit(&resource->states[0], memory_order_relaxed);
    bool is_structure = use == EXEC_USE_STRUCTURE;
    bool fits = (state & needs[use].state) || (!is_structure && state == STATE_COMMON) ||
                (is_structure && (resource->flags & RESOURCE_FLAG_ACCELERATION_STRUCTURE));
    if (!fits)
        exec_device_message(device, needs[use].rule, "%s: %s 0x%llx lies in '%s', which is in state 0x%x and must be in %s",
                            call, parameter, (unsigned long long)address, resource_name(resource), state,
                            needs[use].name);
}
