/* SPDX-License-Identifier: MIT
 * Builds that stand next to each other in a list, with no barrier between them, run at the same time where nothing they
 * write overlaps: many small builds then use all threads. Applications that forget a barrier and reuse scratch memory
 * still get their builds in order. Called by exec/run.c. */
#include <stdlib.h>

#include "accel/build.h"
#include "exec/build.h"

enum { BATCH_MAX = 256 };

struct written_range {
    uint64_t start, end;
};

struct batch {
    struct exec_device *device;
    uint32_t count;
    const struct exec_build_acceleration_structure *builds[BATCH_MAX];
};

/* Bottom-level builds from scratch depend on no other structure. */
static bool is_independent(const struct exec_command *command)
{
    if (!command || command->kind != EXEC_COMMAND_BUILD_ACCELERATION_STRUCTURE)
        return false;
    const struct exec_build_acceleration_structure *build =
        (const struct exec_build_acceleration_structure *)command;
    return build->inputs->level == ACCEL_LEVEL_BOTTOM && !(build->inputs->flags & ACCEL_BUILD_FLAG_PERFORM_UPDATE) &&
           !build->postbuild_count;
}

static int compare_ranges(const void *a, const void *b)
{
    const struct written_range *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

static bool ranges_are_disjoint(const struct batch *batch)
{
    struct written_range ranges[2 * BATCH_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct exec_build_acceleration_structure *build = batch->builds[i];
        struct accel_prebuild_info info;
        if (accel_prebuild_info(build->inputs, &info, NULL) != STATUS_OK)
            return false;
        ranges[count++] = (struct written_range){build->destination, build->destination + info.result_bytes};
        if (info.scratch_bytes)
            ranges[count++] = (struct written_range){build->scratch, build->scratch + info.scratch_bytes};
    }
    qsort(ranges, count, sizeof(ranges[0]), compare_ranges);
    for (uint32_t i = 1; i < count; i++)
        if (ranges[i].start < ranges[i - 1].end)
            return false;
    return true;
}

static void run_one(void *context, uint32_t task_index, uint32_t worker_index)
{
    const struct batch *batch = context;
    exec_build_run(batch->device, batch->builds[task_index]);
}

const struct exec_command *exec_build_batch_run(struct exec_device *device, const struct exec_command *first)
{
    struct batch batch = {.device = device};
    const struct exec_command *last = first;
    for (const struct exec_command *command = first; is_independent(command) && batch.count < BATCH_MAX;
         command = command->next) {
        batch.builds[batch.count++] = (const struct exec_build_acceleration_structure *)command;
        last = command;
    }
    if (!batch.count) {
        exec_build_run(device, (const struct exec_build_acceleration_structure *)first);
        return first;
    }
    for (uint32_t i = 0; i < batch.count; i++) /* here, so that no build looks at what another one is writing */
        exec_build_withdraw(device, batch.builds[i]);
    if (ranges_are_disjoint(&batch))
        thread_pool_parallel_for(exec_device_pool(device), batch.count, run_one, &batch);
    else
        for (uint32_t i = 0; i < batch.count; i++)
            run_one(&batch, i, 0);
    return last;
}
