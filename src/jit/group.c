/* SPDX-License-Identifier: MIT
 * Threads of a compute group. Without barriers and wave operations: a loop. With them every thread runs on a stack of its
 * own (fiber.h) until it stops at a meeting point or ends. Waves are served one after the other: among the lanes that
 * stopped at wave operations those with the smallest key (abi/thread.h, converge.c) take part in the next one, so
 * results depend on no timing. When all threads of the group stand at a barrier or have ended, the barrier opens. */
#include "jit/group.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/services.h"
#include "jit/fiber.h"
#include "ops/wave.h"

enum {
    GROUP_MAX_THREADS = 1024,
    GROUP_STACK_BYTES = 64 << 10, /* what services, faults and their messages may take on top of the shader's frames */
};

enum group_state { LANE_READY, LANE_AT_OPERATION, LANE_AT_BARRIER, LANE_ENDED };

struct group_lane {
    struct abi_thread thread; /* first: services get this address back */
    enum group_state state;
    const struct abi_wave_call *call;
    struct abi_wave_lane *operands;
    struct fiber fiber;
    struct group *group;
};

struct group_wave {
    struct abi_wave head; /* first: abi_thread.wave points here */
    struct group_lane *lanes[OPS_MAX_LANES]; /* by lane index; NULL: no such thread */
    uint32_t live_count; /* threads that have not ended */
};

/* Everything a worker thread needs to run groups; kept between groups. */
struct group {
    const struct abi_shader *shader;
    const struct abi_dispatch *dispatch;
    struct fiber scheduler;
    struct group_lane *lanes;
    struct group_wave *waves;
    uint32_t lane_count, wave_count;
    uint8_t *stacks;
    size_t stack_stride_bytes, stacks_bytes;
    struct ops_wave_step step;
};

/* --- stacks and memory, per worker thread --------------------------------------------------------------------- */

static pthread_key_t group_key;
static pthread_once_t group_once = PTHREAD_ONCE_INIT;

static void group_destroy(void *context)
{
    struct group *group = context;
    if (group->stacks)
        munmap(group->stacks, group->stacks_bytes);
    free(group->lanes);
    free(group->waves);
    free(group);
}

static void group_make_key(void)
{
    pthread_key_create(&group_key, group_destroy);
}

static struct group *group_of_worker(void)
{
    pthread_once(&group_once, group_make_key);
    struct group *group = pthread_getspecific(group_key);
    if (group)
        return group;
    group = calloc(1, sizeof(*group));
    if (!group)
        return NULL;
    group->lanes = calloc(GROUP_MAX_THREADS, sizeof(*group->lanes));
    group->waves = calloc(GROUP_MAX_THREADS / 4, sizeof(*group->waves));
    if (!group->lanes || !group->waves || pthread_setspecific(group_key, group)) {
        group_destroy(group);
        return NULL;
    }
    return group;
}

/* A stack per thread with a guard page below it; memory is committed by use. */
static bool group_reserve_stacks(struct group *group, const struct abi_shader *shader)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t stride = (shader->stack_bytes + GROUP_STACK_BYTES + 2 * page - 1) / page * page;
    if (group->stacks && group->stack_stride_bytes >= stride)
        return true;
    if (group->stacks)
        munmap(group->stacks, group->stacks_bytes);
    group->stacks_bytes = stride * GROUP_MAX_THREADS;
    group->stacks = mmap(NULL, group->stacks_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (group->stacks == MAP_FAILED) {
        group->stacks = NULL;
        return false;
    }
    group->stack_stride_bytes = stride;
    for (uint32_t i = 0; i < GROUP_MAX_THREADS; i++)
        mprotect(group->stacks + i * stride, page, PROT_NONE);
    return true;
}

/* --- meeting points, called by shader code on a lane's stack --------------------------------------------------- */

static void group_stop(struct group_lane *lane, enum group_state state)
{
    lane->state = state;
    fiber_switch(&lane->fiber, &lane->group->scheduler, state == LANE_ENDED);
}

static bool group_is_aborted(const struct abi_thread *thread)
{
    return *thread->dispatch->abort_flag != 0;
}

static void group_operate(struct abi_thread *thread, const struct abi_wave_call *call, struct abi_wave_lane *operands)
{
    struct group_lane *lane = (struct group_lane *)thread;
    operands->result = 0;
    memset(operands->result4, 0, sizeof(operands->result4));
    if (group_is_aborted(thread))
        return;
    lane->call = call;
    lane->operands = operands;
    group_stop(lane, LANE_AT_OPERATION);
}

static void group_barrier(struct abi_thread *thread, uint32_t site)
{
    (void)site;
    if (!group_is_aborted(thread))
        group_stop((struct group_lane *)thread, LANE_AT_BARRIER);
}

static void group_lane_main(void *context)
{
    struct group_lane *lane = context;
    fiber_started(&lane->group->scheduler);
    lane->group->shader->function(&lane->thread, NULL, NULL);
    group_stop(lane, LANE_ENDED);
    abort(); /* nobody goes on with a lane that has ended */
}

/* --- setting up ------------------------------------------------------------------------------------------------ */

static void group_place_thread(struct abi_thread *thread, const struct abi_shader *shader, uint32_t flat)
{
    const uint32_t *count = shader->numthreads;
    thread->flat_thread_in_group = flat;
    thread->thread_in_group[0] = flat % count[0];
    thread->thread_in_group[1] = flat / count[0] % count[1];
    thread->thread_in_group[2] = flat / count[0] / count[1];
    for (uint32_t i = 0; i < 3; i++)
        thread->dispatch_index[i] = thread->group_id[i] * count[i] + thread->thread_in_group[i];
}

/* Lanes follow the flat index, except that quads of a two-dimensional group are 2 x 2 threads (HLSL specification of
 * derivatives in compute shaders) where the shader has something to do with quads. */
static uint32_t group_lane_order(const struct abi_shader *shader, const struct abi_thread *thread)
{
    const uint32_t *count = shader->numthreads, *at = thread->thread_in_group;
    if (!shader->uses_quads || count[0] % 2 || count[1] % 2)
        return thread->flat_thread_in_group;
    uint32_t quad = (at[2] * (count[1] / 2) + at[1] / 2) * (count[0] / 2) + at[0] / 2;
    return quad * 4 + at[1] % 2 * 2 + at[0] % 2;
}

static void group_set_up(struct group *group, const struct abi_thread *thread_template, void *groupshared)
{
    const struct abi_shader *shader = group->shader;
    uint32_t wave_size = shader->wave_size ? shader->wave_size : OPS_MAX_LANES;
    group->lane_count = shader->numthreads[0] * shader->numthreads[1] * shader->numthreads[2];
    group->wave_count = (group->lane_count + wave_size - 1) / wave_size;
    memset(group->waves, 0, group->wave_count * sizeof(*group->waves));
    for (uint32_t w = 0; w < group->wave_count; w++) {
        group->waves[w].head = (struct abi_wave){wave_size, 0, group_operate, group_barrier};
    }
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (uint32_t i = 0; i < group->lane_count; i++) {
        struct group_lane *lane = &group->lanes[i];
        lane->thread = *thread_template;
        lane->thread.groupshared = groupshared;
        group_place_thread(&lane->thread, shader, i);
        uint32_t order = group_lane_order(shader, &lane->thread);
        struct group_wave *wave = &group->waves[order / wave_size];
        lane->thread.lane_index = order % wave_size;
        lane->thread.wave = &wave->head;
        wave->lanes[lane->thread.lane_index] = lane;
        wave->live_count++;
        lane->state = LANE_READY;
        lane->group = group;
        fiber_prepare(&lane->fiber, group->stacks + i * group->stack_stride_bytes + page,
                      group->stack_stride_bytes - page, group_lane_main, lane);
    }
}

/* --- running --------------------------------------------------------------------------------------------------- */

static int group_compare_keys(const struct abi_wave_lane *a, const struct abi_wave_lane *b)
{
    uint32_t words = a->key_word_count < b->key_word_count ? a->key_word_count : b->key_word_count;
    for (uint32_t i = 0; i < words; i++)
        if (a->key[i] != b->key[i])
            return a->key[i] < b->key[i] ? -1 : 1;
    return a->key_word_count < b->key_word_count ? -1 : a->key_word_count > b->key_word_count;
}

static void group_run_ready(struct group *group, struct group_wave *wave)
{
    for (uint32_t l = 0; l < wave->head.lane_count; l++) {
        struct group_lane *lane = wave->lanes[l];
        if (!lane || lane->state != LANE_READY)
            continue;
        fiber_switch(&group->scheduler, &lane->fiber, 0);
        if (lane->state == LANE_ENDED) {
            wave->live_count--;
            fiber_finish(&lane->fiber);
        }
    }
}

static const struct group_lane *group_furthest_behind(const struct group_wave *wave)
{
    const struct group_lane *first = NULL;
    for (uint32_t l = 0; l < wave->head.lane_count; l++) {
        const struct group_lane *lane = wave->lanes[l];
        if (lane && lane->state == LANE_AT_OPERATION &&
            (!first || group_compare_keys(lane->operands, first->operands) < 0))
            first = lane;
    }
    return first;
}

/* One operation for all lanes that stand where first stands. */
static void group_run_operation(struct group *group, struct group_wave *wave, const struct group_lane *first)
{
    struct ops_wave_step *step = &group->step;
    const struct abi_wave_call *call = first->call;
    const struct abi_wave_lane key = *first->operands;
    uint32_t count = wave->head.lane_count;
    *step = (struct ops_wave_step){.opcode = call->opcode, .type = call->type, .lane_count = count, .op = call->op,
                                   .sign = call->sign};
    for (uint32_t l = 0; l < count; l++) {
        struct group_lane *lane = wave->lanes[l];
        if (!lane || lane->state != LANE_AT_OPERATION || group_compare_keys(lane->operands, &key))
            continue;
        step->active[l / 64] |= 1ull << (l % 64);
        step->value[l] = lane->operands->value;
        memcpy(step->argument[l], lane->operands->argument, sizeof(step->argument[l]));
    }
    ops_wave_run(step);
    for (uint32_t l = 0; l < count; l++) {
        if (!(step->active[l / 64] >> (l % 64) & 1))
            continue;
        struct group_lane *lane = wave->lanes[l];
        lane->operands->result = step->result[l];
        memcpy(lane->operands->result4, step->result4[l], sizeof(step->result4[l]));
        lane->state = LANE_READY;
    }
}

/* Until every lane of the wave stands at a barrier or has ended. */
static void group_run_wave(struct group *group, struct group_wave *wave)
{
    const struct group_lane *first;
    group_run_ready(group, wave);
    while ((first = group_furthest_behind(wave))) {
        group_run_operation(group, wave, first);
        group_run_ready(group, wave);
    }
}

static void group_run_together(struct group *group)
{
    bool goes_on = true;
    while (goes_on) {
        goes_on = false;
        for (uint32_t w = 0; w < group->wave_count; w++)
            if (group->waves[w].live_count)
                group_run_wave(group, &group->waves[w]);
        for (uint32_t i = 0; i < group->lane_count; i++) {
            if (group->lanes[i].state != LANE_AT_BARRIER)
                continue;
            group->lanes[i].state = LANE_READY;
            goes_on = true;
        }
    }
}

static void group_run_loop(const struct abi_shader *shader, const struct abi_thread *thread_template, void *groupshared)
{
    uint32_t count = shader->numthreads[0] * shader->numthreads[1] * shader->numthreads[2];
    struct abi_thread thread = *thread_template;
    thread.groupshared = groupshared;
    for (uint32_t i = 0; i < count; i++) {
        group_place_thread(&thread, shader, i);
        shader->function(&thread, NULL, NULL);
    }
}

void jit_group_run(const struct abi_shader *shader, const struct abi_thread *thread_template, void *groupshared)
{
    if (!shader->uses_barrier) {
        group_run_loop(shader, thread_template, groupshared);
        return;
    }
    struct group *group = group_of_worker();
    if (!group || !group_reserve_stacks(group, shader)) {
        struct abi_thread thread = *thread_template;
        thread.dispatch->services->fault(&thread, ABI_FAULT_STACK, shader->stack_bytes);
        return;
    }
    group->shader = shader;
    group->dispatch = thread_template->dispatch;
    group_set_up(group, thread_template, groupshared);
    group_run_together(group);
}
