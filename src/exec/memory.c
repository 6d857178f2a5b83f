/* SPDX-License-Identifier: MIT
 * Mappings are cut out of the address space one by one: room for size + alignment is reserved without access, the aligned
 * part is opened, and one page behind it stays closed as the guard. */
#include "exec/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096, GUARD_BYTES = EXEC_MEMORY_ALIGNMENT_BYTES };

/* Every closed guard splits a mapping of the kernel, whose number a process may have is limited (65530 by default).
 * Beyond this many live mappings guards stay open: unused zero pages. */
enum { GUARDED_MAPPINGS_MAX = 24000 };
static _Atomic uint32_t live_mappings;

static uint64_t round_up(uint64_t value, uint64_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

static enum status pages_open(struct exec_mapping *mapping, enum exec_mapping_kind kind)
{
    int protection = PROT_READ | PROT_WRITE;
    int flags = MAP_FIXED | MAP_NORESERVE | (kind == EXEC_MAPPING_SHARED ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS);
    if (kind == EXEC_MAPPING_SHARED) {
        mapping->file = memfd_create("cdxr heap", MFD_CLOEXEC);
        if (mapping->file < 0 || ftruncate(mapping->file, (off_t)mapping->size_bytes) != 0)
            return STATUS_OUT_OF_MEMORY;
    }
    uint64_t open_bytes = mapping->size_bytes;
    bool guarded = atomic_fetch_add(&live_mappings, 1) < GUARDED_MAPPINGS_MAX;
    if (!guarded && kind != EXEC_MAPPING_SHARED)
        open_bytes += GUARD_BYTES;
    void *pages = mmap(mapping->base, open_bytes, protection, flags, mapping->file, 0);
    if (pages == MAP_FAILED) {
        atomic_fetch_sub(&live_mappings, 1);
        return STATUS_OUT_OF_MEMORY;
    }
    return STATUS_OK;
}

enum status exec_mapping_init(struct exec_mapping *mapping, uint64_t size_bytes, enum exec_mapping_kind kind)
{
    *mapping = (struct exec_mapping){.file = -1};
    if (!size_bytes || size_bytes > 1ull << 46)
        return STATUS_OUT_OF_MEMORY;
    uint64_t whole = round_up(size_bytes, kind == EXEC_MAPPING_PRIVATE ? PAGE_BYTES : EXEC_TILE_BYTES);
    uint64_t wanted = round_up(whole, EXEC_MEMORY_ALIGNMENT_BYTES) + GUARD_BYTES;
    uint64_t reserve = wanted + EXEC_MEMORY_ALIGNMENT_BYTES;
    uint8_t *room = mmap(NULL, reserve, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return STATUS_OUT_OF_MEMORY;
    uint8_t *base = (uint8_t *)round_up((uintptr_t)room, EXEC_MEMORY_ALIGNMENT_BYTES);
    if (base > room)
        munmap(room, (size_t)(base - room));
    if (room + reserve > base + wanted)
        munmap(base + wanted, (size_t)(room + reserve - (base + wanted)));
    mapping->base = base;
    mapping->size_bytes = whole;
    mapping->reserved_bytes = wanted;
    enum status status = pages_open(mapping, kind);
    if (status != STATUS_OK) {
        munmap(base, wanted);
        if (mapping->file >= 0)
            close(mapping->file);
        *mapping = (struct exec_mapping){.file = -1};
    }
    return status;
}

/* Address space of finished mappings, oldest first from next on. Descriptors and root arguments may still point there:
 * what comes through them reads zero and writes to pages of no resource, instead of hitting whatever the system puts
 * at that place next. Bounded, so that address space comes back in the end. */
enum { QUARANTINE_ENTRIES = 512 };
#define QUARANTINE_BYTES (UINT64_C(1) << 36)
static struct {
    pthread_mutex_t mutex;
    struct {
        uint8_t *base;
        uint64_t bytes;
    } entries[QUARANTINE_ENTRIES];
    uint32_t first, count;
    uint64_t bytes;
} quarantine = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void quarantine_add(uint8_t *base, uint64_t bytes)
{
    int flags = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (mmap(base, bytes, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED) {
        munmap(base, bytes);
        return;
    }
    pthread_mutex_lock(&quarantine.mutex);
    while (quarantine.count == QUARANTINE_ENTRIES || (quarantine.count && quarantine.bytes + bytes > QUARANTINE_BYTES)) {
        munmap(quarantine.entries[quarantine.first].base, quarantine.entries[quarantine.first].bytes);
        quarantine.bytes -= quarantine.entries[quarantine.first].bytes;
        quarantine.first = (quarantine.first + 1) % QUARANTINE_ENTRIES;
        quarantine.count--;
    }
    uint32_t last = (quarantine.first + quarantine.count++) % QUARANTINE_ENTRIES;
    quarantine.entries[last].base = base;
    quarantine.entries[last].bytes = bytes;
    quarantine.bytes += bytes;
    pthread_mutex_unlock(&quarantine.mutex);
}

void exec_mapping_finish(struct exec_mapping *mapping)
{
    if (!mapping->base)
        return;
    quarantine_add(mapping->base, mapping->reserved_bytes);
    atomic_fetch_sub(&live_mappings, 1);
    if (mapping->file >= 0)
        close(mapping->file);
    *mapping = (struct exec_mapping){.file = -1};
}

enum status exec_mapping_map_tiles(struct exec_mapping *mapping, uint64_t target_tile,
                                   struct exec_mapping *heap, uint64_t heap_tile, uint64_t tile_count)
{
    uint64_t tiles = mapping->size_bytes / EXEC_TILE_BYTES;
    if (target_tile > tiles || tile_count > tiles - target_tile)
        return STATUS_INVALID;
    void *target = mapping->base + target_tile * EXEC_TILE_BYTES;
    size_t byte_count = tile_count * EXEC_TILE_BYTES;
    int protection = PROT_READ | PROT_WRITE;
    void *pages;
    if (!heap) {
        int flags = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        pages = mmap(target, byte_count, protection, flags, -1, 0);
    } else {
        uint64_t heap_tiles = heap->size_bytes / EXEC_TILE_BYTES;
        if (heap->file < 0 || heap_tile > heap_tiles || tile_count > heap_tiles - heap_tile)
            return STATUS_INVALID;
        atomic_store(&heap->has_aliases, true);
        pages = mmap(target, byte_count, protection, MAP_FIXED | MAP_SHARED | MAP_NORESERVE, heap->file,
                     (off_t)(heap_tile * EXEC_TILE_BYTES));
    }
    return pages == MAP_FAILED ? STATUS_OUT_OF_MEMORY : STATUS_OK;
}

void exec_mapping_discard(struct exec_mapping *mapping, uint64_t offset, uint64_t byte_count)
{
    uint64_t first = round_up(offset, PAGE_BYTES);
    uint64_t end = (offset + byte_count) / PAGE_BYTES * PAGE_BYTES;
    if (end <= first || end > mapping->size_bytes)
        return;
    madvise(mapping->base + first, end - first, mapping->file >= 0 ? MADV_REMOVE : MADV_DONTNEED);
}
