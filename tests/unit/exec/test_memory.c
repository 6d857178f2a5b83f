/* SPDX-License-Identifier: MIT
 * Mappings, tiles and retirement of exec/memory.c and exec/retire.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "exec/memory.h"
#include "exec/retire.h"

static void mappings_are_zero_and_aligned(void **state)
{
    static const uint64_t sizes[] = {1, 4096, 65536, 65537, 100 << 20};
    for (size_t i = 0; i < ARRAY_COUNT(sizes); i++)
        for (int kind = EXEC_MAPPING_PRIVATE; kind <= EXEC_MAPPING_RESERVED; kind++) {
            struct exec_mapping mapping;
            assert_int_equal(exec_mapping_init(&mapping, sizes[i], kind), STATUS_OK);
            assert_int_equal((uintptr_t)mapping.base % EXEC_MEMORY_ALIGNMENT_BYTES, 0);
            assert_true(mapping.size_bytes >= sizes[i]);
            assert_int_equal(mapping.base[0] | mapping.base[sizes[i] - 1], 0);
            mapping.base[sizes[i] - 1] = 1;
            exec_mapping_finish(&mapping);
            assert_null(mapping.base);
        }
}

/* The kernel refuses to read from a page without access: EFAULT instead of a crash of the test. */
static bool is_accessible(const void *address)
{
    int fd = open("/dev/null", O_WRONLY);
    int pipe_ends[2];
    assert_int_equal(pipe(pipe_ends), 0);
    bool result = write(pipe_ends[1], address, 1) == 1;
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    close(fd);
    return result;
}

static void guard_page_is_closed(void **state)
{
    for (int kind = EXEC_MAPPING_PRIVATE; kind <= EXEC_MAPPING_RESERVED; kind++) {
        struct exec_mapping mapping;
        assert_int_equal(exec_mapping_init(&mapping, 65536, kind), STATUS_OK);
        assert_true(is_accessible(mapping.base + mapping.size_bytes - 1));
        assert_false(is_accessible(mapping.base + mapping.size_bytes));
        exec_mapping_finish(&mapping);
    }
}

static void huge_reservation_commits_nothing(void **state)
{
    struct exec_mapping mapping;
    assert_int_equal(exec_mapping_init(&mapping, 256ull << 30, EXEC_MAPPING_PRIVATE), STATUS_OK);
    mapping.base[200ull << 30] = 7;
    assert_int_equal(mapping.base[200ull << 30], 7);
    exec_mapping_finish(&mapping);
    assert_int_equal(exec_mapping_init(&mapping, 1ull << 60, EXEC_MAPPING_PRIVATE), STATUS_OUT_OF_MEMORY);
    assert_null(mapping.base);
}

static void tiles_show_heap_memory_at_two_places(void **state)
{
    struct exec_mapping heap, reserved;
    assert_int_equal(exec_mapping_init(&heap, 4 * EXEC_TILE_BYTES, EXEC_MAPPING_SHARED), STATUS_OK);
    assert_int_equal(exec_mapping_init(&reserved, 8 * EXEC_TILE_BYTES, EXEC_MAPPING_RESERVED), STATUS_OK);
    assert_int_equal(exec_mapping_map_tiles(&reserved, 2, &heap, 1, 2), STATUS_OK);
    assert_int_equal(exec_mapping_map_tiles(&reserved, 6, &heap, 1, 1), STATUS_OK);
    reserved.base[2 * EXEC_TILE_BYTES + 5] = 42;
    assert_int_equal(heap.base[EXEC_TILE_BYTES + 5], 42);
    assert_int_equal(reserved.base[6 * EXEC_TILE_BYTES + 5], 42);
    assert_int_equal(exec_mapping_map_tiles(&reserved, 2, NULL, 0, 1), STATUS_OK);
    assert_int_equal(reserved.base[2 * EXEC_TILE_BYTES + 5], 0);
    assert_int_equal(heap.base[EXEC_TILE_BYTES + 5], 42);
    assert_int_equal(exec_mapping_map_tiles(&reserved, 7, &heap, 0, 2), STATUS_INVALID);
    assert_int_equal(exec_mapping_map_tiles(&reserved, 0, &heap, 3, 2), STATUS_INVALID);
    exec_mapping_finish(&reserved);
    exec_mapping_finish(&heap);
}

static void discard_zeroes_whole_pages(void **state)
{
    for (int kind = EXEC_MAPPING_PRIVATE; kind <= EXEC_MAPPING_SHARED; kind++) {
        struct exec_mapping mapping;
        assert_int_equal(exec_mapping_init(&mapping, 65536, kind), STATUS_OK);
        mapping.base[4095] = mapping.base[4096] = mapping.base[8192] = 9;
        exec_mapping_discard(&mapping, 100, 8192 - 100);
        assert_int_equal(mapping.base[4095], 9);
        assert_int_equal(mapping.base[4096], 0);
        assert_int_equal(mapping.base[8192], 9);
        exec_mapping_finish(&mapping);
    }
}

static void drop_counter(void *object)
{
    ++*(int *)object;
}

static void retired_objects_wait_for_earlier_work_only(void **state)
{
    struct exec_retire retire;
    struct exec_retire_ticket first, second, third;
    int idle = 0, a = 0, b = 0;
    exec_retire_init(&retire);
    exec_retire_add(&retire, drop_counter, &idle);
    assert_int_equal(idle, 1);
    uint64_t serial = exec_retire_begin(&retire, &first);
    exec_retire_add(&retire, drop_counter, &a);
    exec_retire_begin(&retire, &second);
    exec_retire_add(&retire, drop_counter, &b);
    assert_false(exec_retire_is_done(&retire, serial));
    exec_retire_end(&retire, &first);
    assert_true(exec_retire_is_done(&retire, serial));
    assert_int_equal(a, 1);
    assert_int_equal(b, 0);
    exec_retire_begin(&retire, &third);
    exec_retire_end(&retire, &second);
    assert_int_equal(b, 1);
    exec_retire_end(&retire, &third);
    exec_retire_finish(&retire);
}

static void out_of_order_ends_keep_objects_alive(void **state)
{
    struct exec_retire retire;
    struct exec_retire_ticket first, second;
    int a = 0;
    exec_retire_init(&retire);
    exec_retire_begin(&retire, &first);
    exec_retire_begin(&retire, &second);
    exec_retire_add(&retire, drop_counter, &a);
    exec_retire_end(&retire, &second);
    assert_int_equal(a, 0);
    exec_retire_end(&retire, &first);
    assert_int_equal(a, 1);
    exec_retire_finish(&retire);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mappings_are_zero_and_aligned),
        cmocka_unit_test(guard_page_is_closed),
        cmocka_unit_test(huge_reservation_commits_nothing),
        cmocka_unit_test(tiles_show_heap_memory_at_two_places),
        cmocka_unit_test(discard_zeroes_whole_pages),
        cmocka_unit_test(retired_objects_wait_for_earlier_work_only),
        cmocka_unit_test(out_of_order_ends_keep_objects_alive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
