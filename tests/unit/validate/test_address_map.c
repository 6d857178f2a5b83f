/* SPDX-License-Identifier: MIT
 * Lookup, overlap, removal and concurrent readers of validate/address_map.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>

#include "validate/address_map.h"

#define BASE 0x7f0000000000ull
#define KIB64 65536ull

static struct address_map *map_create(void)
{
    struct address_map *map = NULL;
    assert_int_equal(address_map_create(&map), STATUS_OK);
    return map;
}

static struct address_range range_add(struct address_map *map, uint64_t start, uint64_t size_bytes,
                                      enum address_kind kind)
{
    struct address_range range = {.start = start, .size_bytes = size_bytes, .kind = kind};
    range.owner = (void *)(uintptr_t)(start + size_bytes);
    assert_int_equal(address_map_add(map, &range), STATUS_OK);
    return range;
}

static void bounds_are_exact(void **state)
{
    struct address_map *map = map_create();
    struct address_range added = range_add(map, BASE, 3 * KIB64 + 100, ADDRESS_KIND_BUFFER), found;
    static const struct {
        uint64_t offset, behind;
    } cases[] = {{0, 3 * KIB64 + 100}, {1, 3 * KIB64 + 99}, {KIB64, 2 * KIB64 + 100}, {3 * KIB64 + 99, 1},
                 {3 * KIB64 + 100, 0}, {4 * KIB64, 0}, {(uint64_t)-1, 0}};
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        assert_int_equal(address_map_bytes_behind(map, BASE + cases[i].offset), cases[i].behind);
        bool holds = address_map_find_buffer(map, BASE + cases[i].offset, &found);
        assert_int_equal(holds, cases[i].behind != 0);
        if (holds)
            assert_int_equal(found.id, added.id);
    }
    assert_int_equal(address_map_bytes_behind(map, 0), 0);
    assert_int_equal(address_map_bytes_behind(map, UINT64_MAX), 0);
    address_map_destroy(map);
}

static void newest_of_overlapping_wins_and_largest_bounds(void **state)
{
    struct address_map *map = map_create();
    struct address_range a = range_add(map, BASE, 4 * KIB64, ADDRESS_KIND_BUFFER), found;
    struct address_range b = range_add(map, BASE + KIB64, KIB64, ADDRESS_KIND_BUFFER);
    struct address_range c = range_add(map, BASE + KIB64, 2 * KIB64, ADDRESS_KIND_TEXTURE);
    assert_true(address_map_find_buffer(map, BASE + KIB64, &found));
    assert_int_equal(found.id, b.id);
    assert_true(address_map_find(map, BASE + KIB64, &found));
    assert_int_equal(found.id, c.id);
    assert_int_equal(address_map_bytes_behind(map, BASE + KIB64), 3 * KIB64);
    address_map_remove(map, b.id, b.start);
    assert_true(address_map_find_buffer(map, BASE + KIB64, &found));
    assert_int_equal(found.id, a.id);
    address_map_remove(map, a.id, a.start);
    assert_false(address_map_find_buffer(map, BASE + KIB64, &found));
    assert_true(address_map_find(map, BASE + 2 * KIB64, &found));
    assert_int_equal(found.id, c.id);
    address_map_destroy(map);
}

/* Granules that two resources touch are shared until one of them is gone; both events are counted, a lone addition is not. */
static void sharing_is_seen_and_counted(void **state)
{
    struct address_map *map = map_create();
    range_add(map, BASE - 16 * KIB64, 16 * KIB64, ADDRESS_KIND_HEAP);
    range_add(map, BASE, 4 * KIB64, ADDRESS_KIND_BUFFER);
    uint64_t changes = address_map_change_count(map);
    assert_false(address_map_is_shared(map, BASE, 4 * KIB64));
    assert_true(address_map_is_shared(map, BASE, 5 * KIB64)); /* nothing is there */
    range_add(map, BASE + 8 * KIB64, KIB64, ADDRESS_KIND_BUFFER);
    assert_true(address_map_change_count(map) == changes);
    struct address_range over = range_add(map, BASE + 2 * KIB64, KIB64, ADDRESS_KIND_TEXTURE);
    assert_true(address_map_change_count(map) > changes);
    assert_false(address_map_is_shared(map, BASE, 2 * KIB64));
    assert_true(address_map_is_shared(map, BASE, 2 * KIB64 + 1));
    changes = address_map_change_count(map);
    address_map_remove(map, over.id, over.start);
    assert_true(address_map_change_count(map) > changes);
    assert_false(address_map_is_shared(map, BASE, 4 * KIB64));
    address_map_destroy(map);
}

static void heaps_hide_behind_resources(void **state)
{
    struct address_map *map = map_create();
    struct address_range heap = range_add(map, BASE, 8 * KIB64, ADDRESS_KIND_HEAP), found;
    struct address_range buffer = range_add(map, BASE, KIB64, ADDRESS_KIND_BUFFER);
    assert_true(address_map_find(map, BASE, &found));
    assert_int_equal(found.id, buffer.id);
    assert_true(address_map_find(map, BASE + KIB64, &found));
    assert_int_equal(found.id, heap.id);
    assert_false(address_map_find_buffer(map, BASE + KIB64, &found));
    address_map_destroy(map);
}

static void impossible_ranges_are_refused(void **state)
{
    struct address_map *map = map_create();
    static const struct {
        uint64_t start, size_bytes;
    } cases[] = {{BASE, 0}, {1ull << 47, 1}, {(1ull << 47) - 1, 2}, {BASE, UINT64_MAX}};
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct address_range range = {.start = cases[i].start, .size_bytes = cases[i].size_bytes};
        assert_int_equal(address_map_add(map, &range), STATUS_INVALID);
    }
    address_map_destroy(map);
}

static struct address_map *shared_map;
static atomic_bool stop;
static atomic_uint bad_reads;

/* The stable range must always be found with its own fields, whatever comes and goes over it. */
static void *reader(void *argument)
{
    const struct address_range *stable = argument;
    struct address_range found;
    while (!atomic_load(&stop)) {
        bool holds = address_map_find_buffer(shared_map, stable->start + 8, &found);
        if (!holds || (uintptr_t)found.owner != found.start + found.size_bytes ||
            8 >= found.size_bytes + stable->start - found.start)
            atomic_fetch_add(&bad_reads, 1);
        if (address_map_bytes_behind(shared_map, stable->start + 8) < stable->size_bytes - 8)
            atomic_fetch_add(&bad_reads, 1);
    }
    return NULL;
}

static void readers_race_with_writers(void **state)
{
    shared_map = map_create();
    struct address_range stable = range_add(shared_map, BASE, 2 * KIB64, ADDRESS_KIND_BUFFER);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, reader, &stable), 0);
    for (int i = 0; i < 20000; i++) {
        struct address_range a = range_add(shared_map, BASE, KIB64 + 16 * (uint64_t)(i % 7), ADDRESS_KIND_BUFFER);
        struct address_range b = range_add(shared_map, BASE, 512, ADDRESS_KIND_BUFFER);
        struct address_range far = range_add(shared_map, BASE + 64 * KIB64, KIB64, ADDRESS_KIND_BUFFER);
        address_map_remove(shared_map, a.id, a.start);
        address_map_remove(shared_map, far.id, far.start);
        address_map_remove(shared_map, b.id, b.start);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&bad_reads), 0);
    address_map_destroy(shared_map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_exact),
        cmocka_unit_test(newest_of_overlapping_wins_and_largest_bounds),
        cmocka_unit_test(sharing_is_seen_and_counted),
        cmocka_unit_test(heaps_hide_behind_resources),
        cmocka_unit_test(impossible_ranges_are_refused),
        cmocka_unit_test(readers_race_with_writers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
