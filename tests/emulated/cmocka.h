/* SPDX-License-Identifier: MIT
 * The part of cmocka that the tests of base, accel and trace use, for scripts/test-aarch64: Debian has no cmocka for a
 * foreign processor without its whole package list. A failed claim ends its test, as cmocka does. */
#ifndef CDXR_TESTS_EMULATED_CMOCKA_H
#define CDXR_TESTS_EMULATED_CMOCKA_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*function)(void **state);
};

static jmp_buf emulated_test_end;

static inline __attribute__((noreturn)) void emulated_fail(const char *file, int line)
{
    printf("%s:%d: failed\n", file, line);
    longjmp(emulated_test_end, 1);
}

#define fail_msg(...) (printf(__VA_ARGS__), printf("\n"), emulated_fail(__FILE__, __LINE__))
#define assert_true(c) ((c) ? (void)0 : (printf("not true: %s\n", #c), emulated_fail(__FILE__, __LINE__)))
#define assert_false(c) assert_true(!(c))
#define assert_null(p) assert_true(!(p))
#define assert_non_null(p) assert_true(p)
#define assert_int_equal(a, b)                                                                                     \
    do {                                                                                                           \
        unsigned long long a_ = (unsigned long long)(a), b_ = (unsigned long long)(b);                             \
        if (a_ != b_)                                                                                              \
            fail_msg("%s is 0x%llx, not 0x%llx", #a, a_, b_);                                                      \
    } while (0)
#define assert_memory_equal(a, b, bytes) assert_true(memcmp(a, b, bytes) == 0)
#define cmocka_unit_test(f) {#f, f}
#define cmocka_run_group_tests(tests, setup, teardown) \
    emulated_run(tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)

static inline int emulated_run(const struct CMUnitTest *tests, size_t count, int (*setup)(void **), int (*teardown)(void **))
{
    static void *state;
    volatile int failed = 0;
    if (setup && setup(&state))
        return 1;
    for (volatile size_t i = 0; i < count; i++) {
        if (setjmp(emulated_test_end)) {
            printf("FAILED %s\n", tests[i].name);
            failed++;
            continue;
        }
        tests[i].function(&state);
        printf("ok %s\n", tests[i].name);
    }
    if (teardown)
        teardown(&state);
    return failed;
}

#endif
