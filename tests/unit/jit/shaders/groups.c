/* SPDX-License-Identifier: MIT
 * Compute shaders for test_c_library.c: meeting of threads in groups of many sizes and in divergent flow. Each writes one
 * dword a thread to out[group * threads + index]. */
#include <cdxr/shader.h>

CDXR_RW_STRUCTURED_BUFFER(out, uint32_t, 0, 0);

static inline void put(cdxr_thread *thread, uint32_t threads, uint32_t value)
{
    uint32_t index = cdxr_group_id(thread, 0) * threads + cdxr_group_index(thread);
    cdxr_store(thread, cdxr_resource_handle(thread, &out, 0), index, 0, &value, 1);
}

/* Sum over the whole group by a tree in groupshared memory. */
#define BARRIER_SHADER(name, threads)                                                                        \
    CDXR_COMPUTE(name, threads, 1, 1, (threads) * 4)                                                         \
    {                                                                                                        \
        uint32_t *shared = cdxr_groupshared(thread), i = cdxr_group_index(thread);                           \
        shared[i] = i + 1;                                                                                   \
        cdxr_barrier(thread);                                                                                \
        for (uint32_t half = 1; half < (threads); half *= 2) {                                               \
            uint32_t other = i + half < (threads) ? shared[i + half] : 0;                                    \
            cdxr_barrier(thread);                                                                            \
            shared[i] += other;                                                                              \
            cdxr_barrier(thread);                                                                            \
        }                                                                                                    \
        put(thread, threads, shared[0]);                                                                     \
    }
BARRIER_SHADER(Barrier1, 1)
BARRIER_SHADER(Barrier4, 4)
BARRIER_SHADER(Barrier32, 32)
BARRIER_SHADER(Barrier64, 64)
BARRIER_SHADER(Barrier1024, 1024)

/* All lanes, then the odd ones, then all again. */
#define WAVE_SHADER(name, threads)                                                                           \
    CDXR_COMPUTE(name, threads, 1, 1, 0)                                                                     \
    {                                                                                                        \
        uint32_t i = cdxr_group_index(thread), value = cdxr_wave_active(thread, CDXR_WAVE_SUM, 1);           \
        if (i & 1)                                                                                           \
            value += 1000 * cdxr_wave_active(thread, CDXR_WAVE_SUM, 1);                                      \
        value += 1000000 * cdxr_wave_count(thread, i % 4 == 0);                                              \
        put(thread, threads, value);                                                                         \
    }
WAVE_SHADER(Wave1, 1)
WAVE_SHADER(Wave4, 4)
WAVE_SHADER(Wave32, 32)
WAVE_SHADER(Wave64, 64)
WAVE_SHADER(Wave1024, 1024)

/* Lane i goes round i % 5 times; in each iteration the lanes that are still there count themselves; behind the loop
 * all meet again. */
CDXR_COMPUTE(Loop, 32, 1, 1, 0)
{
    uint32_t i = cdxr_group_index(thread), value = 0;
    for (uint32_t k = 0; k < i % 5; k++)
        value = value * 100 + cdxr_wave_active(thread, CDXR_WAVE_SUM, 1);
    value = value * 100 + cdxr_wave_active(thread, CDXR_WAVE_SUM, 1);
    put(thread, 32, value);
}

/* Lanes leave by break after counting those that are still there and those that leave with them. */
CDXR_COMPUTE(Break, 32, 1, 1, 0)
{
    uint32_t i = cdxr_group_index(thread), value = 0;
    for (uint32_t k = 0; k < 10; k++) {
        value = cdxr_wave_active(thread, CDXR_WAVE_SUM, 1);
        if (i % 7 == k) {
            value = value * 100 + cdxr_wave_active(thread, CDXR_WAVE_SUM, 1);
            break;
        }
    }
    value = value * 100 + cdxr_wave_active(thread, CDXR_WAVE_SUM, 1);
    put(thread, 32, value);
}

/* Nested loops with a continue, and a switch with an operation in two of its cases. */
CDXR_COMPUTE(Nested, 32, 1, 1, 0)
{
    uint32_t i = cdxr_group_index(thread), value = 0;
    for (uint32_t a = 0; a < 2; a++) {
        if (i % 2 == a)
            continue;
        for (uint32_t b = 0; b <= i % 3; b++)
            value += cdxr_wave_active(thread, CDXR_WAVE_SUM, 1);
    }
    switch (i % 4) {
    case 0:
        value += 1000 * cdxr_wave_active(thread, CDXR_WAVE_SUM, i);
        break;
    case 1:
        value += 1000 * cdxr_wave_active(thread, CDXR_WAVE_MAX, i);
        break;
    default:
        break;
    }
    value += 1000000 * cdxr_wave_active(thread, CDXR_WAVE_SUM, 1);
    put(thread, 32, value);
}

/* Threads that end early take no part in barriers and operations behind. */
CDXR_COMPUTE(EarlyEnd, 64, 1, 1, 4)
{
    uint32_t i = cdxr_group_index(thread), *shared = cdxr_groupshared(thread);
    put(thread, 64, 7);
    if (i >= 40)
        return;
    if (i == 3)
        *shared = 5;
    cdxr_barrier(thread);
    put(thread, 64, *shared * 100 + cdxr_wave_active(thread, CDXR_WAVE_SUM, 1));
}

/* Never ends by itself. */
CDXR_COMPUTE(Endless, 1, 1, 1, 0)
{
    volatile uint32_t turns = 0;
    for (;;)
        turns++;
    put(thread, 1, turns);
}
