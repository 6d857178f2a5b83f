/* SPDX-License-Identifier: MIT
 * Constant, raw, structured and typed buffers, counters and atomics (ops/buffer.h): values and D3D's rules out of
 * bounds. Every buffer is followed by a canary that must stay untouched and unread. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "abi/services.h"
#include "base/format.h"
#include "base/status.h"
#include "ops/buffer.h"
#include "ops/math.h"
#include "ops/texture.h"

enum { WORD_COUNT = 12, CANARY = 0xdeadbeef };

struct memory {
    uint32_t words[WORD_COUNT];
    uint32_t canary[4];
};

static void fill(struct memory *memory)
{
    for (uint32_t i = 0; i < WORD_COUNT; i++)
        memory->words[i] = 0x100 + i;
    for (uint32_t i = 0; i < 4; i++)
        memory->canary[i] = CANARY;
}

static void check_canary(const struct memory *memory)
{
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(memory->canary[i], CANARY);
}

static struct abi_descriptor view_of(struct memory *memory, uint8_t kind, uint32_t stride, uint16_t format)
{
    struct abi_descriptor descriptor = {.kind = kind, .is_uav = 1, .format = format};
    descriptor.buffer.address = (uint64_t)(uintptr_t)memory->words;
    descriptor.buffer.size_bytes = sizeof(memory->words);
    descriptor.buffer.stride = stride;
    return descriptor;
}

struct load_case {
    const char *name;
    uint8_t kind;
    uint32_t index, offset, mask;
    uint32_t want[4];
};
static const struct load_case load_cases[] = {
    {"raw", ABI_DESCRIPTOR_RAW_BUFFER, 4, 0, 15, {0x101, 0x102, 0x103, 0x104}},
    {"raw, one component", ABI_DESCRIPTOR_RAW_BUFFER, 4, 0, 1, {0x101, 0, 0, 0}},
    {"raw, last word", ABI_DESCRIPTOR_RAW_BUFFER, 44, 0, 1, {0x10b, 0, 0, 0}},
    {"raw, partly outside", ABI_DESCRIPTOR_RAW_BUFFER, 40, 0, 15, {0x10a, 0x10b, 0, 0}},
    {"raw, outside", ABI_DESCRIPTOR_RAW_BUFFER, 48, 0, 15, {0, 0, 0, 0}},
    {"raw, huge offset", ABI_DESCRIPTOR_RAW_BUFFER, 0xfffffffc, 0, 15, {0, 0, 0, 0}},
    {"raw, huge sum", ABI_DESCRIPTOR_RAW_BUFFER, 0xfffffffc, 8, 15, {0, 0, 0, 0}},
    {"structure", ABI_DESCRIPTOR_STRUCTURED_BUFFER, 1, 4, 3, {0x105, 0x106, 0, 0}},
    {"structure, across its end", ABI_DESCRIPTOR_STRUCTURED_BUFFER, 1, 8, 15, {0x106, 0x107, 0, 0}},
    {"structure, offset outside", ABI_DESCRIPTOR_STRUCTURED_BUFFER, 0, 16, 1, {0, 0, 0, 0}},
    {"structure, index outside", ABI_DESCRIPTOR_STRUCTURED_BUFFER, 3, 0, 15, {0, 0, 0, 0}},
    {"structure, huge index", ABI_DESCRIPTOR_STRUCTURED_BUFFER, 0xffffffff, 0, 15, {0, 0, 0, 0}},
};

static void test_loads(void **state)
{
    struct memory memory;
    fill(&memory);
    for (size_t c = 0; c < ARRAY_COUNT(load_cases); c++) {
        const struct load_case *test = &load_cases[c];
        struct abi_descriptor view = view_of(&memory, test->kind, 16, 0);
        struct ops_result_32 got;
        ops_raw_buffer_load_i32(NULL, &view, test->index, test->offset, (uint8_t)test->mask, 4, &got);
        if (memcmp(got.value, test->want, 16) != 0)
            fail_msg("%s: got %x %x %x %x", test->name, got.value[0], got.value[1], got.value[2], got.value[3]);
        assert_true(ops_check_access_fully_mapped_i32(got.status));
        uint32_t vector[4] = {0};
        uint32_t count = test->mask == 15 ? 4 : test->mask == 3 ? 2 : 1;
        ops_raw_buffer_vector_load_i32(NULL, &view, test->index, test->offset, 4, count, vector);
        if (memcmp(vector, test->want, count * 4) != 0)
            fail_msg("%s: vector load differs", test->name);
    }
}

static void test_stores_stay_inside(void **state)
{
    for (size_t c = 0; c < ARRAY_COUNT(load_cases); c++) {
        const struct load_case *test = &load_cases[c];
        struct memory memory, vector_memory;
        fill(&memory);
        fill(&vector_memory);
        struct abi_descriptor view = view_of(&memory, test->kind, 16, 0);
        struct abi_descriptor vector_view = view_of(&vector_memory, test->kind, 16, 0);
        const uint32_t values[4] = {0xa0, 0xa1, 0xa2, 0xa3};
        ops_raw_buffer_store_i32(NULL, &view, test->index, test->offset, 0xa0, 0xa1, 0xa2, 0xa3, (uint8_t)test->mask, 4);
        uint32_t count = test->mask == 15 ? 4 : test->mask == 3 ? 2 : 1, changed = 0, expected = 0;
        ops_raw_buffer_vector_store_i32(NULL, &vector_view, test->index, test->offset, 4, count, values);
        for (uint32_t i = 0; i < WORD_COUNT; i++)
            changed += memory.words[i] != 0x100 + i;
        for (uint32_t i = 0; i < 4; i++)
            expected += test->want[i] != 0;
        if (changed != expected || memcmp(&memory, &vector_memory, sizeof(memory)) != 0)
            fail_msg("%s: %u words changed, want %u", test->name, changed, expected);
        check_canary(&memory);
    }
}

static void test_store_mask_leaves_gaps(void **state)
{
    struct memory memory;
    fill(&memory);
    struct abi_descriptor view = view_of(&memory, ABI_DESCRIPTOR_RAW_BUFFER, 0, 0);
    ops_raw_buffer_store_i32(NULL, &view, 0, 0, 1, 2, 3, 4, 10, 4);
    assert_int_equal(memory.words[0], 0x100);
    assert_int_equal(memory.words[1], 2);
    assert_int_equal(memory.words[2], 0x102);
    assert_int_equal(memory.words[3], 4);
}

static void test_other_widths(void **state)
{
    struct memory memory;
    fill(&memory);
    struct abi_descriptor view = view_of(&memory, ABI_DESCRIPTOR_RAW_BUFFER, 0, 0);
    struct ops_result_64 wide;
    struct ops_result_16 narrow;
    ops_raw_buffer_load_i64(NULL, &view, 8, 0, 3, 8, &wide);
    assert_true(wide.value[0] == 0x0000010300000102 && wide.value[1] == 0x0000010500000104);
    ops_raw_buffer_load_i16(NULL, &view, 2, 0, 3, 2, &narrow);
    assert_true(narrow.value[0] == 0 && narrow.value[1] == 0x101);
    ops_raw_buffer_store_f16(NULL, &view, 6, 0, (_Float16)1.0f, (_Float16)0, (_Float16)0, (_Float16)0, 1, 2);
    assert_int_equal(memory.words[1], 0x3c000101);
    /* Minimum precision: 32 bits a component in memory, integers sign extended. */
    ops_raw_buffer_store_min_f16(NULL, &view, 0, 0, (_Float16)0.5f, (_Float16)2.0f, (_Float16)0, (_Float16)0, 3, 4);
    ops_raw_buffer_store_min_i16(NULL, &view, 8, 0, 0xffff, 5, 0, 0, 3, 4);
    assert_true(memory.words[0] == 0x3f000000 && memory.words[1] == 0x40000000);
    assert_true(memory.words[2] == 0xffffffff && memory.words[3] == 5);
    ops_raw_buffer_load_min_f16(NULL, &view, 0, 0, 3, 4, &narrow);
    assert_true(narrow.value[0] == 0x3800 && narrow.value[1] == 0x4000);
    ops_raw_buffer_load_min_i16(NULL, &view, 8, 0, 3, 4, &narrow);
    assert_true(narrow.value[0] == 0xffff && narrow.value[1] == 5);
}

static void test_constant_buffers(void **state)
{
    struct memory memory;
    fill(&memory);
    struct abi_descriptor view = view_of(&memory, ABI_DESCRIPTOR_CBV, 0, 0);
    view.buffer.size_bytes = 40;
    struct ops_four_u32 four;
    ops_cbuffer_load_legacy_i32(NULL, &view, 1, &four);
    assert_true(four.value[0] == 0x104 && four.value[3] == 0x107);
    ops_cbuffer_load_legacy_f32(NULL, &view, 2, &four); /* only 8 of its 16 bytes are there */
    assert_true(four.value[0] == 0x108 && four.value[1] == 0x109 && four.value[2] == 0 && four.value[3] == 0);
    ops_cbuffer_load_legacy_i32(NULL, &view, 0xffffffff, &four);
    assert_true(four.value[0] == 0 && four.value[3] == 0);
    struct ops_two_u64 two;
    ops_cbuffer_load_legacy_i64(NULL, &view, 0, &two);
    assert_true(two.value[1] == 0x0000010300000102);
    struct ops_eight_u16 eight;
    ops_cbuffer_load_legacy_i16(NULL, &view, 0, &eight);
    assert_true(eight.value[2] == 0x101 && eight.value[7] == 0);
    assert_int_equal(ops_cbuffer_load_i32(NULL, &view, 36, 4), 0x109);
    assert_int_equal(ops_cbuffer_load_i32(NULL, &view, 40, 4), 0);
    assert_int_equal(ops_cbuffer_load_i8(NULL, &view, 1, 1), 1);
}

static void test_null_descriptors_read_zero(void **state)
{
    static const uint8_t kinds[] = {ABI_DESCRIPTOR_RAW_BUFFER, ABI_DESCRIPTOR_STRUCTURED_BUFFER,
                                    ABI_DESCRIPTOR_TYPED_BUFFER, ABI_DESCRIPTOR_NONE};
    for (size_t k = 0; k < ARRAY_COUNT(kinds); k++) {
        struct abi_descriptor view = {.kind = kinds[k], .is_uav = 1, .format = FORMAT_R32_UINT};
        view.buffer.stride = kinds[k] == ABI_DESCRIPTOR_STRUCTURED_BUFFER ? 16 : 0;
        struct ops_result_32 got;
        ops_buffer_load_i32(NULL, &view, 0, 0, &got);
        assert_true((got.value[0] | got.value[1] | got.value[2] | got.value[3]) == 0);
        ops_buffer_store_i32(NULL, &view, 0, 0, 1, 2, 3, 4, 15);
        assert_int_equal(ops_atomic_bin_op_i32(NULL, &view, 0, 0, 0, 0, 1), 0);
    }
    struct abi_descriptor cbuffer = {.kind = ABI_DESCRIPTOR_CBV};
    struct ops_four_u32 four;
    ops_cbuffer_load_legacy_i32(NULL, &cbuffer, 0, &four);
    assert_int_equal(four.value[0], 0);
}

static uint32_t reported_fault;
static void note_fault(struct abi_thread *thread, uint32_t fault, uint64_t detail)
{
    reported_fault = fault + 1;
}

static void test_wrong_kind_is_reported(void **state)
{
    struct abi_services services = {.fault = note_fault};
    struct abi_dispatch dispatch = {.services = &services};
    struct abi_thread thread = {.dispatch = &dispatch};
    struct abi_descriptor view = {.kind = ABI_DESCRIPTOR_SAMPLER};
    struct ops_result_32 got;
    reported_fault = 0;
    ops_raw_buffer_load_i32(&thread, &view, 0, 0, 15, 4, &got);
    assert_int_equal(reported_fault, ABI_FAULT_DESCRIPTOR_KIND + 1);
    assert_int_equal(got.value[0], 0);
}

static void test_typed_buffers(void **state)
{
    struct memory memory;
    fill(&memory);
    struct abi_descriptor view = view_of(&memory, ABI_DESCRIPTOR_TYPED_BUFFER, 0, FORMAT_R8G8B8A8_UNORM);
    struct ops_result_32 got;
    ops_buffer_store_f32(NULL, &view, 1, 0, 2.0f, 0.5f, -1.0f, NAN, 15);
    assert_int_equal(memory.words[1], 0x000080ff);
    ops_buffer_load_f32(NULL, &view, 1, 0, &got);
    assert_int_equal(got.value[0], 0x3f800000);
    ops_buffer_load_f32(NULL, &view, WORD_COUNT, 0, &got);
    assert_true((got.value[0] | got.value[3]) == 0);
    ops_buffer_store_f32(NULL, &view, WORD_COUNT, 0, 1, 1, 1, 1, 15);
    view.format = FORMAT_R32_SINT; /* out of bounds: defaults of missing components */
    ops_buffer_load_i32(NULL, &view, 0xffffffff, 0, &got);
    assert_true(got.value[0] == 0 && got.value[1] == 0 && got.value[3] == 1);
    struct ops_result_16 half;
    memory.words[0] = 0x3f800000;
    view.format = FORMAT_R32_FLOAT;
    ops_buffer_load_f16(NULL, &view, 0, 0, &half);
    assert_int_equal(half.value[0], 0x3c00);
    check_canary(&memory);
}

static void test_dimensions(void **state)
{
    struct memory memory;
    struct ops_four_u32 got;
    struct abi_descriptor view = view_of(&memory, ABI_DESCRIPTOR_STRUCTURED_BUFFER, 16, 0);
    ops_get_dimensions(NULL, &view, 0, &got);
    assert_true(got.value[0] == 3 && got.value[1] == 16);
    view = view_of(&memory, ABI_DESCRIPTOR_TYPED_BUFFER, 0, FORMAT_R16G16B16A16_FLOAT);
    ops_get_dimensions(NULL, &view, 0, &got);
    assert_int_equal(got.value[0], 6);
    view = view_of(&memory, ABI_DESCRIPTOR_RAW_BUFFER, 0, 0);
    ops_get_dimensions(NULL, &view, 0, &got);
    assert_int_equal(got.value[0], 48);
}

static void test_counter(void **state)
{
    struct memory memory;
    uint32_t counter = 5;
    struct abi_descriptor view = view_of(&memory, ABI_DESCRIPTOR_STRUCTURED_BUFFER, 16, 0);
    assert_int_equal(ops_buffer_update_counter(NULL, &view, 1), 0); /* no counter */
    view.buffer.counter_address = (uint64_t)(uintptr_t)&counter;
    assert_int_equal(ops_buffer_update_counter(NULL, &view, 1), 5);
    assert_int_equal(ops_buffer_update_counter(NULL, &view, 0xff), 5);
    assert_int_equal(counter, 5);
}

struct atomic_case {
    const char *name;
    uint32_t op, before, value, after;
};
static const struct atomic_case atomic_cases[] = {
    {"add", 0, 0xffffffff, 2, 1},         {"and", 1, 0xf0f0, 0xff00, 0xf000},  {"or", 2, 0xf0, 0x0f, 0xff},
    {"xor", 3, 0xff, 0x0f, 0xf0},         {"imin", 4, 1, 0xffffffff, 0xffffffff}, {"imax", 5, 1, 0xffffffff, 1},
    {"umin", 6, 1, 0xffffffff, 1},        {"umax", 7, 1, 0xffffffff, 0xffffffff}, {"exchange", 8, 7, 9, 9},
};

static void test_atomics(void **state)
{
    static const uint8_t kinds[] = {ABI_DESCRIPTOR_RAW_BUFFER, ABI_DESCRIPTOR_STRUCTURED_BUFFER, ABI_DESCRIPTOR_TYPED_BUFFER};
    for (size_t c = 0; c < ARRAY_COUNT(atomic_cases) * ARRAY_COUNT(kinds); c++) {
        const struct atomic_case *test = &atomic_cases[c % ARRAY_COUNT(atomic_cases)];
        uint8_t kind = kinds[c / ARRAY_COUNT(atomic_cases)];
        struct memory memory;
        fill(&memory);
        memory.words[6] = test->before;
        struct abi_descriptor view = view_of(&memory, kind, 16, FORMAT_R32_UINT);
        uint32_t c0 = kind == ABI_DESCRIPTOR_RAW_BUFFER ? 24 : kind == ABI_DESCRIPTOR_STRUCTURED_BUFFER ? 1 : 6;
        uint32_t got = ops_atomic_bin_op_i32(NULL, &view, test->op, c0, 8, 0, test->value);
        if (got != test->before || memory.words[6] != test->after)
            fail_msg("%s on kind %u: returned %x, memory %x", test->name, kind, got, memory.words[6]);
        ops_atomic_bin_op_i32(NULL, &view, test->op, 0xfffffff0, 8, 0, test->value);
        check_canary(&memory);
    }
}

static void test_atomic_64_and_exchange(void **state)
{
    struct memory memory;
    fill(&memory);
    memory.words[0] = 0xffffffff;
    memory.words[1] = 0;
    struct abi_descriptor view = view_of(&memory, ABI_DESCRIPTOR_TYPED_BUFFER, 0, FORMAT_R32G32_UINT);
    assert_true(ops_atomic_bin_op_i64(NULL, &view, 0, 0, 0, 0, 1) == 0xffffffff);
    assert_true(memory.words[0] == 0 && memory.words[1] == 1);
    assert_true(ops_atomic_bin_op_i64(NULL, &view, 4, 0, 0, 0, (uint64_t)-1) == 1ull << 32);
    assert_true(memory.words[1] == 0xffffffff);
    assert_true(ops_atomic_compare_exchange_i64(NULL, &view, 0, 0, 0, 5, 6) == ~0ull);
    assert_true(ops_atomic_compare_exchange_i64(NULL, &view, 0, 0, 0, ~0ull, 6) == ~0ull);
    assert_true(memory.words[0] == 6);
    view.format = FORMAT_R32_UINT; /* too narrow for 64 bits: dropped */
    assert_true(ops_atomic_bin_op_i64(NULL, &view, 0, WORD_COUNT - 1, 0, 0, 1) == 0);
    check_canary(&memory);
    struct abi_descriptor raw = view_of(&memory, ABI_DESCRIPTOR_RAW_BUFFER, 0, 0);
    assert_int_equal(ops_atomic_compare_exchange_i32(NULL, &raw, 8, 0, 0, 0x102, 77), 0x102);
    assert_int_equal(memory.words[2], 77);
    assert_int_equal(ops_atomic_compare_exchange_i32(NULL, &raw, 48, 0, 0, 0, 77), 0);
}

static struct abi_descriptor shared_view;
static void *add_many(void *unused)
{
    for (int i = 0; i < 20000; i++)
        ops_atomic_bin_op_i32(NULL, &shared_view, 5, 4, 0, 0,
                              ops_atomic_bin_op_i32(NULL, &shared_view, 0, 0, 0, 0, 1));
    return NULL;
}

static void test_atomics_between_threads(void **state)
{
    struct memory memory;
    memset(&memory, 0, sizeof(memory));
    shared_view = view_of(&memory, ABI_DESCRIPTOR_RAW_BUFFER, 0, 0);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_many, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(memory.words[0], 80000);
    assert_int_equal(memory.words[1], 79999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_stores_stay_inside),
        cmocka_unit_test(test_store_mask_leaves_gaps),
        cmocka_unit_test(test_other_widths),
        cmocka_unit_test(test_constant_buffers),
        cmocka_unit_test(test_null_descriptors_read_zero),
        cmocka_unit_test(test_wrong_kind_is_reported),
        cmocka_unit_test(test_typed_buffers),
        cmocka_unit_test(test_dimensions),
        cmocka_unit_test(test_counter),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_atomic_64_and_exchange),
        cmocka_unit_test(test_atomics_between_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
