/* SPDX-License-Identifier: MIT */
#include "validate/address_map.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    GRANULE_SHIFT = 16,
    ADDRESS_BITS = 47,
    LEAF_BITS = 10,
    MIDDLE_BITS = 11,
    ROOT_BITS = ADDRESS_BITS - GRANULE_SHIFT - LEAF_BITS - MIDDLE_BITS,
    NODES_PER_SLAB = 256,
    BUCKET_CLASSES = 28, /* capacities 2, 4, 8, ... */
};

/* A range in type-stable memory. sequence is odd while the fields change. Readers load sequence, fields and sequence
 * again, each with acquire order; the writer's field stores have release order, so the odd value is seen first. */
struct node {
    _Atomic uint32_t sequence;
    _Atomic uint32_t kind;
    _Atomic uint64_t start, size_bytes, id;
    _Atomic(void *) owner;
    struct node *next_free;
};

/* The ranges of a granule that several touch, newest first. Immutable while a slot points at it; recycled under the same
 * sequence rule as nodes. */
struct bucket {
    _Atomic uint32_t sequence;
    _Atomic uint32_t count;
    uint32_t size_class;
    struct bucket *next_free;
    struct bucket *next_all;
    _Atomic(struct node *) nodes[];
};

/* 0: none; bit 0 clear: the only node; bit 0 set: a bucket. */
typedef _Atomic uintptr_t slot;

struct leaf {
    slot slots[1 << LEAF_BITS];
};
struct middle {
    _Atomic(struct leaf *) leaves[1 << MIDDLE_BITS];
};
struct tree {
    _Atomic(struct middle *) middles[1 << ROOT_BITS];
};

struct slab {
    struct slab *next;
    struct node nodes[NODES_PER_SLAB];
};

/* Heaps stand in a tree of their own: nearly every granule of theirs is covered by a placed resource too. */
enum { TREE_RESOURCES, TREE_HEAPS, TREE_COUNT };

struct address_map {
    struct tree trees[TREE_COUNT];
    pthread_mutex_t mutex; /* writers */
    _Atomic uint64_t change_count;
    uint64_t next_id;
    struct slab *slabs;
    struct node *free_nodes;
    struct bucket *all_buckets;
    struct bucket *free_buckets[BUCKET_CLASSES];
};

enum status address_map_create(struct address_map **map)
{
    struct address_map *result = calloc(1, sizeof(*result));
    if (!result)
        return STATUS_OUT_OF_MEMORY;
    pthread_mutex_init(&result->mutex, NULL);
    result->next_id = 1;
    *map = result;
    return STATUS_OK;
}

static void tree_finish(struct tree *tree)
{
    for (size_t i = 0; i < ARRAY_COUNT(tree->middles); i++) {
        struct middle *middle = atomic_load(&tree->middles[i]);
        for (size_t j = 0; middle && j < ARRAY_COUNT(middle->leaves); j++)
            free(atomic_load(&middle->leaves[j]));
        free(middle);
    }
}

void address_map_destroy(struct address_map *map)
{
    if (!map)
        return;
    for (int i = 0; i < TREE_COUNT; i++)
        tree_finish(&map->trees[i]);
    while (map->slabs) {
        struct slab *slab = map->slabs;
        map->slabs = slab->next;
        free(slab);
    }
    while (map->all_buckets) {
        struct bucket *bucket = map->all_buckets;
        map->all_buckets = bucket->next_all;
        free(bucket);
    }
    pthread_mutex_destroy(&map->mutex);
    free(map);
}

static struct tree *tree_of_kind(struct address_map *map, enum address_kind kind)
{
    return &map->trees[kind == ADDRESS_KIND_HEAP ? TREE_HEAPS : TREE_RESOURCES];
}

/* --- writers, under the mutex --- */

static slot *slot_of_granule(const struct tree *tree, uint64_t granule)
{
    struct middle *middle = atomic_load_explicit(&tree->middles[granule >> (LEAF_BITS + MIDDLE_BITS)],
                                                 memory_order_acquire);
    if (!middle)
        return NULL;
    uint64_t leaf_index = (granule >> LEAF_BITS) & ((1 << MIDDLE_BITS) - 1);
    struct leaf *leaf = atomic_load_explicit(&middle->leaves[leaf_index], memory_order_acquire);
    return leaf ? &leaf->slots[granule & ((1 << LEAF_BITS) - 1)] : NULL;
}

/* As slot_of_granule, making what is missing. NULL when out of memory. */
static slot *slot_make(struct tree *tree, uint64_t granule)
{
    _Atomic(struct middle *) *middle_link = &tree->middles[granule >> (LEAF_BITS + MIDDLE_BITS)];
    if (!atomic_load(middle_link))
        atomic_store(middle_link, calloc(1, sizeof(struct middle)));
    struct middle *middle = atomic_load(middle_link);
    if (!middle)
        return NULL;
    _Atomic(struct leaf *) *leaf_link = &middle->leaves[(granule >> LEAF_BITS) & ((1 << MIDDLE_BITS) - 1)];
    if (!atomic_load(leaf_link))
        atomic_store(leaf_link, calloc(1, sizeof(struct leaf)));
    return slot_of_granule(tree, granule);
}

static bool nodes_refill(struct address_map *map)
{
    struct slab *slab = calloc(1, sizeof(*slab));
    if (!slab)
        return false;
    slab->next = map->slabs;
    map->slabs = slab;
    for (size_t i = 0; i < NODES_PER_SLAB; i++) {
        slab->nodes[i].next_free = map->free_nodes;
        map->free_nodes = &slab->nodes[i];
    }
    return true;
}

static void node_write(struct node *node, const struct address_range *range)
{
    uint32_t sequence = atomic_load_explicit(&node->sequence, memory_order_relaxed);
    atomic_store_explicit(&node->sequence, sequence + 1, memory_order_relaxed);
    atomic_store_explicit(&node->start, range->start, memory_order_release);
    atomic_store_explicit(&node->size_bytes, range->size_bytes, memory_order_release);
    atomic_store_explicit(&node->id, range->id, memory_order_release);
    atomic_store_explicit(&node->owner, range->owner, memory_order_release);
    atomic_store_explicit(&node->kind, range->kind, memory_order_release);
    atomic_store_explicit(&node->sequence, sequence + 2, memory_order_release);
}

static struct node *node_take(struct address_map *map, const struct address_range *range)
{
    if (!map->free_nodes && !nodes_refill(map))
        return NULL;
    struct node *node = map->free_nodes;
    map->free_nodes = node->next_free;
    node_write(node, range);
    return node;
}

static void node_give_back(struct address_map *map, struct node *node)
{
    node_write(node, &(struct address_range){0});
    node->next_free = map->free_nodes;
    map->free_nodes = node;
}

static struct bucket *bucket_take(struct address_map *map, uint32_t count)
{
    uint32_t size_class = 0;
    while ((2u << size_class) < count)
        size_class++;
    if (size_class >= BUCKET_CLASSES)
        return NULL;
    struct bucket *bucket = map->free_buckets[size_class];
    if (bucket) {
        map->free_buckets[size_class] = bucket->next_free;
        return bucket;
    }
    bucket = calloc(1, sizeof(*bucket) + (2u << size_class) * sizeof(bucket->nodes[0]));
    if (!bucket)
        return NULL;
    bucket->size_class = size_class;
    bucket->next_all = map->all_buckets;
    map->all_buckets = bucket;
    return bucket;
}

static void bucket_give_back(struct address_map *map, struct bucket *bucket)
{
    bucket->next_free = map->free_buckets[bucket->size_class];
    map->free_buckets[bucket->size_class] = bucket;
}

/* Fill a bucket that no slot shows with first (may be NULL) and then the nodes of old except without. */
static void bucket_write(struct bucket *bucket, struct node *first, struct node *const *old, uint32_t old_count,
                         const struct node *without)
{
    uint32_t sequence = atomic_load_explicit(&bucket->sequence, memory_order_relaxed);
    atomic_store_explicit(&bucket->sequence, sequence + 1, memory_order_relaxed);
    uint32_t count = 0;
    if (first)
        atomic_store_explicit(&bucket->nodes[count++], first, memory_order_release);
    for (uint32_t i = 0; i < old_count; i++)
        if (old[i] != without)
            atomic_store_explicit(&bucket->nodes[count++], old[i], memory_order_release);
    atomic_store_explicit(&bucket->count, count, memory_order_release);
    atomic_store_explicit(&bucket->sequence, sequence + 2, memory_order_release);
}

/* Nodes a slot shows: a pointer to count of them, valid while the mutex is held. */
static struct node *const *slot_nodes(const slot *slot, struct node **single, uint32_t *count)
{
    uintptr_t value = atomic_load_explicit(slot, memory_order_relaxed);
    if (!value || !(value & 1)) {
        *single = (struct node *)value;
        *count = value != 0;
        return single;
    }
    struct bucket *bucket = (struct bucket *)(value - 1);
    *count = atomic_load_explicit(&bucket->count, memory_order_relaxed);
    return (struct node *const *)bucket->nodes;
}

/* Show what slot shows, plus first (newest; may be NULL), less without. False when out of memory: unchanged. */
static bool slot_change(struct address_map *map, slot *slot, struct node *first, const struct node *without)
{
    struct node *single;
    uint32_t old_count;
    struct node *const *old = slot_nodes(slot, &single, &old_count);
    uintptr_t old_value = atomic_load_explicit(slot, memory_order_relaxed);
    struct node *last = first;
    uint32_t count = first != NULL;
    for (uint32_t i = 0; i < old_count; i++)
        if (old[i] != without) {
            last = old[i];
            count++;
        }
    uintptr_t value = count ? (uintptr_t)last : 0;
    if (count > 1) {
        struct bucket *bucket = bucket_take(map, count);
        if (!bucket)
            return false;
        bucket_write(bucket, first, old, old_count, without);
        value = (uintptr_t)bucket | 1;
    }
    atomic_store_explicit(slot, value, memory_order_release);
    if (old_value & 1)
        bucket_give_back(map, (struct bucket *)(old_value - 1));
    return true;
}

static void granules_remove(struct address_map *map, struct tree *tree, uint64_t first, uint64_t end,
                            const struct node *node)
{
    for (uint64_t granule = first; granule < end; granule++) {
        slot *slot = slot_of_granule(tree, granule);
        if (slot && !slot_change(map, slot, NULL, node))
            atomic_store(slot, 0); /* out of memory: rather forget the others than keep a dead one */
    }
}

static enum status granules_add(struct address_map *map, struct tree *tree, const struct address_range *range,
                                struct node *node)
{
    uint64_t first = range->start >> GRANULE_SHIFT;
    uint64_t end = ((range->start + range->size_bytes - 1) >> GRANULE_SHIFT) + 1;
    for (uint64_t granule = first; granule < end; granule++) {
        slot *slot = slot_make(tree, granule);
        if (slot && atomic_load_explicit(slot, memory_order_relaxed))
            atomic_fetch_add_explicit(&map->change_count, 1, memory_order_release);
        if (!slot || !slot_change(map, slot, node, NULL)) {
            granules_remove(map, tree, first, granule, node);
            return STATUS_OUT_OF_MEMORY;
        }
    }
    return STATUS_OK;
}

enum status address_map_add(struct address_map *map, struct address_range *range)
{
    uint64_t limit = 1ull << ADDRESS_BITS;
    if (!range->size_bytes || range->start >= limit || range->size_bytes > limit - range->start)
        return STATUS_INVALID;
    pthread_mutex_lock(&map->mutex);
    range->id = map->next_id++;
    enum status status = STATUS_OUT_OF_MEMORY;
    struct node *node = node_take(map, range);
    if (node) {
        status = granules_add(map, tree_of_kind(map, range->kind), range, node);
        if (status != STATUS_OK)
            node_give_back(map, node);
    }
    pthread_mutex_unlock(&map->mutex);
    return status;
}

static struct node *node_with_id(struct tree *tree, uint64_t id, uint64_t start)
{
    slot *slot = slot_of_granule(tree, start >> GRANULE_SHIFT);
    if (!slot)
        return NULL;
    struct node *single;
    uint32_t count;
    struct node *const *nodes = slot_nodes(slot, &single, &count);
    for (uint32_t i = 0; i < count; i++)
        if (atomic_load_explicit(&nodes[i]->id, memory_order_relaxed) == id)
            return nodes[i];
    return NULL;
}

void address_map_remove(struct address_map *map, uint64_t id, uint64_t start)
{
    if (!id || start >> ADDRESS_BITS)
        return;
    pthread_mutex_lock(&map->mutex);
    for (int i = 0; i < TREE_COUNT; i++) {
        struct node *node = node_with_id(&map->trees[i], id, start);
        if (!node)
            continue;
        uint64_t size_bytes = atomic_load_explicit(&node->size_bytes, memory_order_relaxed);
        granules_remove(map, &map->trees[i], start >> GRANULE_SHIFT,
                        ((start + size_bytes - 1) >> GRANULE_SHIFT) + 1, node);
        node_give_back(map, node);
    }
    atomic_fetch_add_explicit(&map->change_count, 1, memory_order_release);
    pthread_mutex_unlock(&map->mutex);
}

uint64_t address_map_change_count(const struct address_map *map)
{
    return atomic_load_explicit(&map->change_count, memory_order_acquire);
}

/* --- readers --- */

/* False: the node was changed meanwhile. */
static bool node_read(const struct node *node, struct address_range *range)
{
    uint32_t sequence = atomic_load_explicit(&node->sequence, memory_order_acquire);
    range->start = atomic_load_explicit(&node->start, memory_order_acquire);
    range->size_bytes = atomic_load_explicit(&node->size_bytes, memory_order_acquire);
    range->id = atomic_load_explicit(&node->id, memory_order_acquire);
    range->owner = atomic_load_explicit(&node->owner, memory_order_acquire);
    range->kind = atomic_load_explicit(&node->kind, memory_order_acquire);
    return !(sequence & 1) && atomic_load_explicit(&node->sequence, memory_order_relaxed) == sequence;
}

struct search {
    uint64_t address;
    uint32_t kind_mask;
    bool largest; /* of all that hold the address; else the newest */
    bool found;
    struct address_range best;
};

static uint64_t range_end(const struct address_range *range)
{
    return range->start + range->size_bytes;
}

/* False: changed meanwhile, start again. */
static bool search_node(struct search *search, const struct node *node)
{
    struct address_range range;
    if (!node_read(node, &range))
        return false;
    bool holds = search->address - range.start < range.size_bytes && (search->kind_mask & 1u << range.kind);
    if (holds && (!search->found || (search->largest && range_end(&range) > range_end(&search->best)))) {
        search->best = range;
        search->found = true;
    }
    return true;
}

static bool search_bucket(struct search *search, const struct bucket *bucket)
{
    uint32_t sequence = atomic_load_explicit(&bucket->sequence, memory_order_acquire);
    uint32_t capacity = 2u << bucket->size_class;
    uint32_t count = atomic_load_explicit(&bucket->count, memory_order_acquire);
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        const struct node *node = atomic_load_explicit(&bucket->nodes[i], memory_order_acquire);
        if (!search_node(search, node))
            return false;
    }
    return !(sequence & 1) && atomic_load_explicit(&bucket->sequence, memory_order_relaxed) == sequence;
}

static bool search_tree(const struct tree *tree, struct search *search)
{
    if (search->address >> ADDRESS_BITS)
        return false;
    const slot *slot = slot_of_granule(tree, search->address >> GRANULE_SHIFT);
    if (!slot)
        return false;
    for (;;) {
        search->found = false;
        uintptr_t value = atomic_load_explicit(slot, memory_order_acquire);
        if (!value)
            return false;
        bool steady = value & 1 ? search_bucket(search, (const struct bucket *)(value - 1))
                                : search_node(search, (const struct node *)value);
        if (steady && atomic_load_explicit(slot, memory_order_acquire) == value)
            return search->found;
    }
}

bool address_map_find_buffer(const struct address_map *map, uint64_t address, struct address_range *range)
{
    struct search search = {.address = address, .kind_mask = 1u << ADDRESS_KIND_BUFFER};
    if (!search_tree(&map->trees[TREE_RESOURCES], &search))
        return false;
    *range = search.best;
    return true;
}

bool address_map_find(const struct address_map *map, uint64_t address, struct address_range *range)
{
    struct search search = {.address = address, .kind_mask = ~0u};
    if (!search_tree(&map->trees[TREE_RESOURCES], &search) && !search_tree(&map->trees[TREE_HEAPS], &search))
        return false;
    *range = search.best;
    return true;
}

uint64_t address_map_bytes_behind(const struct address_map *map, uint64_t address)
{
    struct search search = {.address = address, .kind_mask = 1u << ADDRESS_KIND_BUFFER, .largest = true};
    if (!search_tree(&map->trees[TREE_RESOURCES], &search))
        return 0;
    return range_end(&search.best) - address;
}

bool address_map_is_shared(const struct address_map *map, uint64_t start, uint64_t size_bytes)
{
    const uint64_t limit = 1ull << ADDRESS_BITS;
    if (!size_bytes || start >= limit || size_bytes > limit - start)
        return true;
    uint64_t end = ((start + size_bytes - 1) >> GRANULE_SHIFT) + 1;
    for (uint64_t granule = start >> GRANULE_SHIFT; granule < end; granule++) {
        const slot *slot = slot_of_granule(&map->trees[TREE_RESOURCES], granule);
        uintptr_t value = slot ? atomic_load_explicit(slot, memory_order_acquire) : 0;
        if (!value || value & 1)
            return true;
    }
    return false;
}
