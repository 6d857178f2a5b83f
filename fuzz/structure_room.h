/* SPDX-License-Identifier: MIT
 * What fuzz targets of acceleration structures share: a device over a small address map, blocks of memory in it that a
 * sanitizer watches, and everything that can be done with a structure once it was accepted. Included by one file a program. */
#ifndef CDXR_FUZZ_STRUCTURE_ROOM_H
#define CDXR_FUZZ_STRUCTURE_ROOM_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accel/build.h"
#include "accel/decode.h"
#include "accel/serialize.h"
#include "accel/verify.h"
#include "exec/build.h"
#include "exec/memory.h"
#include "exec/structure_check.h"
#include "exec/structure_proof.h"
#include "trace/trace.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define ROOM_POISON(start, bytes) __asan_poison_memory_region(start, bytes)
#define ROOM_UNPOISON(start, bytes) __asan_unpoison_memory_region(start, bytes)
#endif
#endif
#ifndef ROOM_POISON
#define ROOM_POISON(start, bytes) (void)0
#define ROOM_UNPOISON(start, bytes) (void)0
#endif

enum { ROOM_BYTES = 1 << 16, ROOM_INPUT_BYTES = 2048, ROOM_RAYS = 5 };
enum room_block { ROOM_INPUT, ROOM_RESULT, ROOM_SCRATCH, ROOM_OTHER, ROOM_BOTTOM, ROOM_BLOCKS };

static struct address_map *room_addresses;
static struct exec_device *room_device;
static uint8_t *room_blocks[ROOM_BLOCKS];

static uint64_t room_address(enum room_block block)
{
    return (uint64_t)(uintptr_t)room_blocks[block];
}

static struct accel_header *room_structure(enum room_block block)
{
    return (struct accel_header *)room_blocks[block];
}

static uint8_t *room_new_block(uint64_t bytes)
{
    static struct exec_resource owner;
    uint8_t *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    struct address_range range = {.start = (uint64_t)(uintptr_t)memory, .size_bytes = bytes, .owner = &owner, .kind = ADDRESS_KIND_BUFFER};
    if (!memory || address_map_add(room_addresses, &range) != STATUS_OK)
        abort();
    memset(memory, 0, bytes);
    return memory;
}

/* Once a program. */
static bool room_init(void)
{
    static struct message_store *messages;
    if (room_device)
        return false;
    if (address_map_create(&room_addresses) != STATUS_OK || message_store_create(false, &messages) != STATUS_OK)
        abort();
    message_store_set_muted(messages, true);
    struct exec_device_settings settings = {.addresses = room_addresses, .messages = messages};
    if (exec_device_create(&settings, &room_device) != STATUS_OK)
        abort();
    for (int i = 0; i < ROOM_BLOCKS; i++)
        room_blocks[i] = room_new_block(i == ROOM_INPUT ? ROOM_INPUT_BYTES : ROOM_BYTES);
    ROOM_POISON(room_blocks[ROOM_INPUT] + ROOM_INPUT_BYTES, 4096 - ROOM_INPUT_BYTES);
    return true;
}

static void room_build(const struct accel_build_inputs *inputs, enum room_block destination, enum room_block source)
{
    struct exec_build_acceleration_structure build = {.inputs = inputs, .destination = room_address(destination),
                                                      .source = room_address(source), .scratch = room_address(ROOM_SCRATCH)};
    exec_build_run(room_device, &build);
}

static void room_copy(enum accel_copy_mode mode, enum room_block destination, enum room_block source)
{
    struct exec_copy_acceleration_structure copy = {.destination = room_address(destination), .source = room_address(source), .mode = mode};
    exec_copy_structure_run(room_device, &copy);
}

static bool room_is_finished(enum room_block block)
{
    const struct accel_header *h = room_structure(block);
    return h->magic == ACCEL_MAGIC && h->version == ACCEL_VERSION;
}

/* Rays through the middle of the bounds and elsewhere. Traversal must not touch a byte behind the structure. */
static void room_trace(enum room_block block)
{
    static struct trace_state s;
    const struct accel_header *h = room_structure(block);
    const struct trace_table *table = trace_table();
    for (int i = 0; i < ROOM_RAYS; i++) {
        struct abi_ray ray = {.origin = {(float)i * 0.3f, 0.2f, -3}, .direction = {(float)(i - 2) * 0.1f, 0.01f, 1}, .t_max = INFINITY};
        for (int axis = 0; axis < 3 && i < 2; axis++) {
            ray.origin[axis] = h->bounds[i][axis] * 1.5f - h->bounds[1 - i][axis] * 0.5f;
            ray.direction[axis] = h->bounds[1 - i][axis] - h->bounds[i][axis];
        }
        struct trace_hit hit;
        table->closest((uintptr_t)h, &ray, 0, 0xff, &hit);
        if (table->occluded((uintptr_t)h, &ray, 0, 0xff) != (hit.instance_index != ~0u))
            abort();
        table->begin(&s, (uintptr_t)h, &ray, i & 1 ? ABI_RAY_FLAG_FORCE_NON_OPAQUE : 0, ABI_TRACE_FLAG_ALLOW_MICROMAPS, 0xff);
        for (uint32_t event, k = 0; (event = table->next(&s)) != TRACE_DONE; k++)
            if (event == TRACE_CANDIDATE_PROCEDURAL && k % 3 == 0)
                table->commit_procedural(&s, 1, 1);
            else if (k % 3 == 1)
                table->commit_triangle(&s);
    }
}

/* Trace the structure if the device lets rays walk it. */
static void room_trace_checked(enum room_block block)
{
    struct exec_structure_cache cache = {0};
    struct exec_structure_report report;
    const struct accel_header *h = room_structure(block);
    if (h->kind == ACCEL_KIND_INSTANCES) {
        if (exec_structure_check(room_device, &cache, room_address(block), &report) != EXEC_STRUCTURE_SOUND)
            return;
    } else if (h->kind == ACCEL_KIND_MICROMAPS || h->micromap_link_offset ||
               exec_structure_prove(room_device, room_address(block), NULL) == EXEC_PROOF_NONE) {
        return; /* arrays are checked with the top level only */
    }
    ROOM_POISON(room_blocks[block] + h->structure_bytes, ROOM_BYTES - h->structure_bytes);
    room_trace(block);
    ROOM_UNPOISON(room_blocks[block], ROOM_BYTES);
}

#endif
