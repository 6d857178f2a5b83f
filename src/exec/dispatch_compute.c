/* SPDX-License-Identifier: MIT
 * Dispatch: groups handed to the worker pool, a few at a time where groups are small. How the threads of a group run
 * (a loop, or coroutines that meet at barriers) is the group runner's affair (jit/group.h). */
#include "exec/dispatch_private.h"

#include <stdlib.h>
#include <string.h>

enum { TASK_THREADS = 256, MAX_GROUPS_PER_DIMENSION = 65535, GROUPSHARED_ALIGNMENT_BYTES = 64 };

struct compute_job {
    struct abi_dispatch dispatch;
    struct exec_dispatch_state state;
    struct exec_activity activity;
    const struct abi_shader *shader;
    exec_group_runner_fn run_group;
    uint64_t group_count;
    uint32_t groups_per_task;
    uint8_t *groupshared; /* a piece per worker */
    size_t groupshared_stride_bytes;
    uint64_t root_bytes[EXEC_ROOT_PARAMETERS_MAX];
};

/* Without a runner from jit: threads one after the other. */
static void run_group_plain(const struct abi_shader *shader, const struct abi_thread *thread_template,
                            void *groupshared)
{
    const uint32_t *count = shader->numthreads;
    struct abi_thread thread = *thread_template;
    thread.groupshared = groupshared;
    thread.flat_thread_in_group = 0;
    for (uint32_t z = 0; z < count[2]; z++)
        for (uint32_t y = 0; y < count[1]; y++)
            for (uint32_t x = 0; x < count[0]; x++, thread.flat_thread_in_group++) {
                const uint32_t in_group[3] = {x, y, z};
                for (uint32_t i = 0; i < 3; i++) {
                    thread.thread_in_group[i] = in_group[i];
                    thread.dispatch_index[i] = thread.group_id[i] * count[i] + in_group[i];
                }
                shader->function(&thread, NULL, NULL);
            }
}

static void run_task(void *context, uint32_t task_index, uint32_t worker_index)
{
    struct compute_job *job = context;
    exec_float_environment_reset();
    struct exec_worker worker = {.state = &job->state, .stack_limit = exec_stack_limit()};
    struct abi_thread thread = {.dispatch = &job->dispatch, .shader = job->shader, .context = &worker};
    void *groupshared = job->groupshared ? job->groupshared + worker_index * job->groupshared_stride_bytes : NULL;
    const uint32_t *dimensions = job->dispatch.dimensions;
    uint64_t first = (uint64_t)task_index * job->groups_per_task;
    uint64_t end = first + job->groups_per_task < job->group_count ? first + job->groups_per_task : job->group_count;
    for (uint64_t group = first; group < end && !exec_is_aborted(&job->dispatch); group++) {
        thread.group_id[0] = (uint32_t)(group % dimensions[0]);
        thread.group_id[1] = (uint32_t)(group / dimensions[0] % dimensions[1]);
        thread.group_id[2] = (uint32_t)(group / dimensions[0] / dimensions[1]);
        if (groupshared) /* undefined by the API; zero, so that no result depends on the worker */
            memset(groupshared, 0, job->shader->groupshared_bytes);
        job->run_group(job->shader, &thread, groupshared);
        atomic_fetch_add_explicit(&job->activity.progress, 1, memory_order_relaxed);
    }
    if (worker.ray_count)
        atomic_fetch_add_explicit(&job->state.device->ray_count, worker.ray_count, memory_order_relaxed);
}

/* Task numbers are 32 bits wide; 65535^3 groups are run in several loops. */
static void run_all(struct exec_device *device, struct compute_job *job)
{
    uint64_t task_count = (job->group_count + job->groups_per_task - 1) / job->groups_per_task;
    while (task_count > UINT32_MAX / 2) {
        job->groups_per_task *= 2;
        task_count = (job->group_count + job->groups_per_task - 1) / job->groups_per_task;
    }
    exec_activity_begin(device, &job->activity);
    thread_pool_parallel_for(exec_device_pool(device), (uint32_t)task_count, run_task, job);
    exec_activity_end(device, &job->activity);
}

static bool is_runnable(struct exec_device *device, const struct exec_bindings *bindings, const uint32_t groups[3])
{
    const char *problem = NULL;
    if (!bindings->compute)
        problem = "no compute pipeline state is set";
    else if (groups[0] > MAX_GROUPS_PER_DIMENSION || groups[1] > MAX_GROUPS_PER_DIMENSION ||
             groups[2] > MAX_GROUPS_PER_DIMENSION)
        problem = "a thread group count is above 65535";
    else if (!device->settings.run_group && bindings->compute->uses_barrier)
        problem = "the shader has barriers or wave operations and no runner for them was given";
    if (problem)
        exec_device_message(device, RULE_DISPATCH,
                            "Dispatch(%u, %u, %u) (command %u of list '%s'): %s; the dispatch is dropped", groups[0],
                            groups[1], groups[2], bindings->command_index, bindings->list_name, problem);
    return !problem;
}

void exec_dispatch_compute_run(struct exec_device *device, const struct exec_bindings *bindings,
                               const uint32_t groups[3])
{
    if (!groups[0] || !groups[1] || !groups[2] || !is_runnable(device, bindings, groups))
        return;
    const struct abi_shader *shader = bindings->compute;
    struct compute_job job = {
        .shader = shader,
        .run_group = device->settings.run_group ? device->settings.run_group : run_group_plain,
        .group_count = (uint64_t)groups[0] * groups[1] * groups[2],
        .activity = {.call = "Dispatch",
                     .list_name = bindings->list_name,
                     .command_index = bindings->command_index,
                     .shader_name = shader->name},
    };
    job.state.stack_bytes = UINT64_MAX;
    exec_dispatch_fill(device, bindings, &job.state, &job.dispatch, job.root_bytes);
    memcpy(job.dispatch.dimensions, groups, sizeof(job.dispatch.dimensions));
    uint32_t threads = shader->numthreads[0] * shader->numthreads[1] * shader->numthreads[2];
    job.groups_per_task = threads && threads < TASK_THREADS ? TASK_THREADS / threads : 1;
    if (shader->groupshared_bytes) {
        size_t mask = GROUPSHARED_ALIGNMENT_BYTES - 1;
        job.groupshared_stride_bytes = (shader->groupshared_bytes + mask) & ~mask;
        job.groupshared = aligned_alloc(GROUPSHARED_ALIGNMENT_BYTES, job.groupshared_stride_bytes *
                                                        thread_pool_worker_count(exec_device_pool(device)));
        if (!job.groupshared) {
            exec_device_remove(device, EXEC_REMOVED_INTERNAL, "Dispatch: out of memory for groupshared variables");
            return;
        }
    }
    run_all(device, &job);
    free(job.groupshared);
}
