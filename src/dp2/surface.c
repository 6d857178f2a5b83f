/* SPDX-License-Identifier: MIT */
#include "dp2/surface.h"

#include <stdlib.h>
#include <string.h>

/* Open addressing with tombstones; handles are spread by a multiplicative hash. */
struct table {
    void **slots;          /* NULL empty, TOMBSTONE removed */
    uint32_t capacity;     /* a power of two */
    uint32_t used;         /* tombstones included */
};

struct space {
    int reference_count;
    struct table surfaces, palettes;
};

static char tombstone;
#define TOMBSTONE ((void *)&tombstone)

/* Both kinds begin with their handle. */
static uint32_t entry_handle(const void *entry)
{
    uint32_t handle;
    memcpy(&handle, entry, sizeof(handle));
    return handle;
}
_Static_assert(offsetof(struct surface, description.handle) == 0, "handle first");
_Static_assert(offsetof(struct palette, handle) == 0, "handle first");

static void **table_find(const struct table *table, uint32_t handle)
{
    if (!table->capacity)
        return NULL;
    uint32_t index = handle * 2654435761u;
    for (uint32_t i = 0; i < table->capacity; i++) {
        void **slot = &table->slots[(index + i) & (table->capacity - 1)];
        if (!*slot)
            return NULL;
        if (*slot != TOMBSTONE && entry_handle(*slot) == handle)
            return slot;
    }
    return NULL;
}

static void table_place(struct table *table, void *entry)
{
    uint32_t index = entry_handle(entry) * 2654435761u;
    while (table->slots[index & (table->capacity - 1)])
        index++;
    table->slots[index & (table->capacity - 1)] = entry;
    table->used++;
}

static bool table_add(struct table *table, void *entry)
{
    if (table->used * 2 >= table->capacity) {
        struct table grown = {.capacity = table->capacity ? table->capacity * 2 : 32};
        grown.slots = calloc(grown.capacity, sizeof(void *));
        if (!grown.slots)
            return false;
        for (uint32_t i = 0; i < table->capacity; i++)
            if (table->slots[i] && table->slots[i] != TOMBSTONE)
                table_place(&grown, table->slots[i]);
        free(table->slots);
        *table = grown;
    }
    table_place(table, entry);
    return true;
}

static void table_each(const struct table *table, void (*visit)(void *cookie, void *entry), void *cookie)
{
    for (uint32_t i = 0; i < table->capacity; i++)
        if (table->slots[i] && table->slots[i] != TOMBSTONE)
            visit(cookie, table->slots[i]);
}

static void free_entry(void *cookie, void *entry)
{
    free(entry);
}

enum status dp2_space_create(struct space **space)
{
    *space = calloc(1, sizeof(**space));
    if (!*space)
        return STATUS_OUT_OF_MEMORY;
    (*space)->reference_count = 1;
    return STATUS_OK;
}

void dp2_space_acquire(struct space *space)
{
    space->reference_count++;
}

void dp2_space_release(struct space *space)
{
    if (!space || --space->reference_count)
        return;
    table_each(&space->surfaces, free_entry, NULL);
    table_each(&space->palettes, free_entry, NULL);
    free(space->surfaces.slots);
    free(space->palettes.slots);
    free(space);
}

struct surface_extent dp2_surface_level_extent(const struct surface *surface, uint32_t level)
{
    const struct cdxr_dp2_surface *d = &surface->description;
    struct surface_extent extent = {d->width >> level, d->height >> level, d->depth >> level};
    extent.width += !extent.width;
    extent.height += !extent.height;
    extent.depth += !extent.depth;
    return extent;
}

const struct cdxr_dp2_level *dp2_surface_level(const struct surface *surface, uint32_t face, uint32_t level)
{
    return &surface->levels[face * surface->description.level_count + level];
}

static enum status check_level(const struct surface *surface, uint32_t face, uint32_t level, struct reason *reason)
{
    const struct cdxr_dp2_level *l = dp2_surface_level(surface, face, level);
    struct surface_extent extent = dp2_surface_level_extent(surface, level);
    uint64_t row = dp2_format_row_bytes(&surface->format, extent.width);
    uint64_t rows = dp2_format_row_count(&surface->format, extent.height);
    if (!l->memory || l->pitch_bytes < 0 || l->slice_bytes < 0)
        return reason_set(reason, STATUS_INVALID, "surface 0x%x: level %u has no memory or a negative pitch",
                          surface->description.handle, level);
    uint64_t need = (uint64_t)(extent.depth - 1) * (uint32_t)l->slice_bytes + (rows - 1) * (uint32_t)l->pitch_bytes + row;
    if (need > l->byte_count || need > INT32_MAX || (rows > 1 && (uint32_t)l->pitch_bytes < row))
        return reason_set(reason, STATUS_INVALID, "surface 0x%x: level %u needs %llu bytes (rows of %llu), has %zu with a pitch of %d",
                          surface->description.handle, level, (unsigned long long)need, (unsigned long long)row, l->byte_count,
                          l->pitch_bytes);
    return STATUS_OK;
}

static enum status check_description(const struct cdxr_dp2_surface *d, struct reason *reason)
{
    if (!d->handle || !d->levels)
        return reason_set(reason, STATUS_INVALID, "surface 0x%x: handle and levels must not be 0", d->handle);
    if (d->flags & CDXR_DP2_SURFACE_BUFFER)
        return STATUS_OK;
    if (d->width - 1 >= SURFACE_MAX_EDGE || d->height - 1 >= SURFACE_MAX_EDGE || d->depth > SURFACE_MAX_DEPTH)
        return reason_set(reason, STATUS_INVALID, "surface 0x%x: %ux%ux%u is outside 1..%d (depth 1..%d)", d->handle, d->width,
                          d->height, d->depth, SURFACE_MAX_EDGE, SURFACE_MAX_DEPTH);
    if (d->level_count - 1 >= SURFACE_MAX_LEVELS)
        return reason_set(reason, STATUS_INVALID, "surface 0x%x: %u levels, must be 1..%d", d->handle, d->level_count, SURFACE_MAX_LEVELS);
    if ((d->flags & CDXR_DP2_SURFACE_CUBE) && d->width != d->height)
        return reason_set(reason, STATUS_INVALID, "surface 0x%x: a cube must be square, not %ux%u", d->handle, d->width, d->height);
    return STATUS_OK;
}

static enum status check_use(const struct surface *surface, struct reason *reason)
{
    uint32_t flags = surface->description.flags;
    uint8_t kind = surface->format.kind;
    bool depth = kind == FORMAT_KIND_DEPTH;
    if ((flags & CDXR_DP2_SURFACE_TARGET) && kind != FORMAT_KIND_RGB)
        return reason_set(reason, STATUS_UNSUPPORTED, "surface 0x%x: a colour target must have an RGB format", surface->description.handle);
    if (((flags & CDXR_DP2_SURFACE_DEPTH) != 0) != depth)
        return reason_set(reason, STATUS_INVALID, "surface 0x%x: depth flag and depth format must go together", surface->description.handle);
    return STATUS_OK;
}

static enum status fill(struct surface *surface, const struct cdxr_dp2_surface *d, uint32_t level_total, struct reason *reason)
{
    surface->description = *d;
    surface->description.levels = surface->levels;
    surface->face_count = d->flags & CDXR_DP2_SURFACE_CUBE ? SURFACE_FACES : 1;
    memcpy(surface->levels, d->levels, level_total * sizeof(*d->levels));
    if (d->flags & CDXR_DP2_SURFACE_BUFFER) {
        surface->format.kind = FORMAT_KIND_BUFFER;
        surface->description.level_count = surface->description.width = 1;
        surface->description.height = surface->description.depth = 1;
        return d->levels[0].memory || !d->levels[0].byte_count
                   ? STATUS_OK
                   : reason_set(reason, STATUS_INVALID, "buffer 0x%x: no memory for %zu bytes", d->handle, d->levels[0].byte_count);
    }
    if (!(d->flags & CDXR_DP2_SURFACE_VOLUME) || !d->depth)
        surface->description.depth = 1;
    RETURN_IF_FAILED(dp2_format_init(&d->format, &surface->format, reason));
    RETURN_IF_FAILED(check_use(surface, reason));
    for (uint32_t face = 0; face < surface->face_count; face++)
        for (uint32_t level = 0; level < d->level_count; level++)
            RETURN_IF_FAILED(check_level(surface, face, level, reason));
    return STATUS_OK;
}

enum status dp2_space_register(struct space *space, const struct cdxr_dp2_surface *d, struct reason *reason)
{
    RETURN_IF_FAILED(check_description(d, reason));
    uint32_t level_total = d->flags & CDXR_DP2_SURFACE_BUFFER ? 1 : d->level_count * (d->flags & CDXR_DP2_SURFACE_CUBE ? SURFACE_FACES : 1);
    struct surface *surface = calloc(1, sizeof(*surface) + level_total * sizeof(struct cdxr_dp2_level));
    if (!surface)
        return STATUS_OUT_OF_MEMORY;
    enum status status = fill(surface, d, level_total, reason);
    if (status != STATUS_OK)
        goto fail;
    void **slot = table_find(&space->surfaces, d->handle);
    if (slot) {
        const struct surface *old = *slot; /* what tokens attached to the handle outlives new memory */
        surface->palette = old->palette;
        surface->lod = old->lod;
        surface->priority = old->priority;
        free(*slot);
        *slot = surface;
        return STATUS_OK;
    }
    if (!table_add(&space->surfaces, surface)) {
        status = STATUS_OUT_OF_MEMORY;
        goto fail;
    }
    return STATUS_OK;
fail:
    free(surface);
    return status;
}

void dp2_space_unregister(struct space *space, uint32_t handle)
{
    void **slot = table_find(&space->surfaces, handle);
    if (!slot)
        return;
    free(*slot);
    *slot = TOMBSTONE;
}

struct surface *dp2_space_surface(const struct space *space, uint32_t handle)
{
    void **slot = handle ? table_find(&space->surfaces, handle) : NULL;
    return slot ? *slot : NULL;
}

struct palette *dp2_space_palette(struct space *space, uint32_t handle, bool create)
{
    void **slot = handle ? table_find(&space->palettes, handle) : NULL;
    if (slot || !create || !handle || space->palettes.used >= PALETTE_LIMIT)
        return slot ? *slot : NULL;
    struct palette *palette = calloc(1, sizeof(*palette));
    if (!palette)
        return NULL;
    palette->handle = handle;
    if (!table_add(&space->palettes, palette)) {
        free(palette);
        return NULL;
    }
    return palette;
}

struct each {
    void (*surface)(void *cookie, struct surface *surface);
    void (*palette)(void *cookie, struct palette *palette);
    void *cookie;
};

static void each_entry(void *cookie, void *entry)
{
    struct each *each = cookie;
    if (each->surface)
        each->surface(each->cookie, entry);
    else
        each->palette(each->cookie, entry);
}

void dp2_space_each(const struct space *space, void (*visit)(void *cookie, struct surface *surface), void *cookie)
{
    table_each(&space->surfaces, each_entry, &(struct each){.surface = visit, .cookie = cookie});
}

void dp2_space_each_palette(const struct space *space, void (*visit)(void *cookie, struct palette *palette), void *cookie)
{
    table_each(&space->palettes, each_entry, &(struct each){.palette = visit, .cookie = cookie});
}

void dp2_palette_argb(const struct palette *palette, uint32_t argb[PALETTE_ENTRIES])
{
    for (uint32_t i = 0; i < PALETTE_ENTRIES; i++) {
        if (!palette) {
            argb[i] = 0xFF000000 | i * 0x010101;
            continue;
        }
        const uint8_t *e = palette->entries[i];
        argb[i] = (palette->has_alpha ? (uint32_t)e[3] << 24 : 0xFF000000) | (uint32_t)e[0] << 16 | (uint32_t)e[1] << 8 | e[2];
    }
}
