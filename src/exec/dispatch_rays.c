/* SPDX-License-Identifier: MIT
 * DispatchRays: the grid in small tiles, handed to the worker pool in order; every worker runs the ray generation
 * shader of its tile's threads one after the other. Nothing is shared between threads of a tile but constants. */
#include "exec/dispatch_private.h"
#include "exec/states.h"

enum {
    TILE_THREADS_LOG2 = 7, /* 128 threads: small enough to balance, large enough to hide the hand-out */
    TILE_WIDTH_LOG2 = 4,   /* 16 x 8 pixels: rays near each other walk the same nodes */
};

struct grid {
    uint32_t width, height, depth;
    uint32_t tile_width, tile_height, tile_depth;
    uint32_t tiles_x, tiles_y;
    uint32_t tile_count;
};

struct rays_job {
    struct abi_dispatch dispatch;
    struct exec_dispatch_state state;
    struct exec_activity activity;
    struct exec_record raygen;
    struct grid grid;
    uint64_t root_bytes[EXEC_ROOT_PARAMETERS_MAX];
};

static uint32_t round_up_pow2(uint32_t value)
{
    return value <= 1 ? 1 : 1u << (32 - __builtin_clz(value - 1));
}

static uint32_t divide_up(uint32_t value, uint32_t by)
{
    return (uint32_t)(((uint64_t)value + by - 1) / by);
}

static uint32_t minimum(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Tiles of up to 128 threads whatever the shape is: a grid 1 x 2^30 x 1 gives tiles of 1 x 128. */
static struct grid grid_make(uint32_t width, uint32_t height, uint32_t depth)
{
    struct grid grid = {.width = width, .height = height, .depth = depth};
    uint32_t budget = 1u << TILE_THREADS_LOG2;
    uint32_t wide = height > 1 ? 1u << TILE_WIDTH_LOG2 : budget;
    grid.tile_width = minimum(round_up_pow2(width), wide);
    budget /= grid.tile_width;
    grid.tile_height = minimum(round_up_pow2(height), budget);
    budget /= grid.tile_height;
    if (budget > 1 && round_up_pow2(width) > grid.tile_width) { /* low and wide: give the rest back to the width */
        uint32_t factor = minimum(budget, round_up_pow2(width) / grid.tile_width);
        grid.tile_width *= factor;
        budget /= factor;
    }
    grid.tile_depth = minimum(round_up_pow2(depth), budget);
    grid.tiles_x = divide_up(width, grid.tile_width);
    grid.tiles_y = divide_up(height, grid.tile_height);
    grid.tile_count = grid.tiles_x * grid.tiles_y * divide_up(depth, grid.tile_depth);
    return grid;
}

static void run_row(struct rays_job *job, struct abi_thread *thread, uint32_t x0, uint32_t x1)
{
    abi_shader_fn function = thread->shader->function;
    const struct abi_shader *shader = thread->shader;
    for (uint32_t x = x0; x < x1; x++) {
        thread->dispatch_index[0] = x;
        thread->shader = shader;
        function(thread, NULL, NULL);
    }
}

static void run_tile(void *context, uint32_t tile_index, uint32_t worker_index)
{
    struct rays_job *job = context;
    if (exec_is_aborted(&job->dispatch))
        return;
    exec_float_environment_reset();
    const struct grid *grid = &job->grid;
    const struct abi_shader *shader = job->raygen.group->shader;
    struct exec_worker worker = {
        .state = &job->state, .stack_limit = exec_stack_limit(), .stack_used_bytes = shader->stack_bytes};
    struct abi_thread thread = {
        .dispatch = &job->dispatch,
        .local_root_arguments = job->raygen.local_root_arguments,
        .shader = shader,
        .context = &worker,
    };
    uint32_t tiles_plane = grid->tiles_x * grid->tiles_y;
    uint32_t x0 = tile_index % grid->tiles_x * grid->tile_width;
    uint32_t y0 = tile_index % tiles_plane / grid->tiles_x * grid->tile_height;
    uint32_t z0 = tile_index / tiles_plane * grid->tile_depth;
    uint32_t x1 = minimum(grid->width, x0 + grid->tile_width);
    uint32_t y1 = minimum(grid->height, y0 + grid->tile_height);
    uint32_t z1 = minimum(grid->depth, z0 + grid->tile_depth);
    for (uint32_t z = z0; z < z1; z++) {
        thread.dispatch_index[2] = z;
        for (uint32_t y = y0; y < y1; y++) {
            thread.dispatch_index[1] = y;
            run_row(job, &thread, x0, x1);
        }
    }
    atomic_fetch_add_explicit(&job->state.device->ray_count, worker.ray_count, memory_order_relaxed);
    atomic_fetch_add_explicit(&job->activity.progress, 1, memory_order_relaxed);
}

/* Every table must lie in one resource: checked once, so that look-ups only compare with SizeInBytes. */
static bool tables_are_mapped(struct exec_device *device, const struct exec_bindings *bindings,
                              const struct exec_shader_tables *tables)
{
    for (uint32_t i = 0; i < EXEC_TABLE_COUNT; i++) {
        const struct exec_table *table = &tables->tables[i];
        uint64_t address = (uint64_t)(uintptr_t)table->start;
        uint64_t behind_bytes = table->start ? exec_device_bytes_behind(device, address) : 0;
        exec_states_expect(device, EXEC_USE_SHADER_READ, address, "DispatchRays", exec_table_name(i));
        if (!table->start || behind_bytes >= table->bytes)
            continue;
        exec_device_remove(device, EXEC_REMOVED_HUNG,
                           "DispatchRays (command %u of list '%s'): %s.StartAddress 0x%llx with SizeInBytes %llu does "
                           "not lie in a buffer, %llu bytes are there",
                           bindings->command_index, bindings->list_name, exec_table_name(i),
                           (unsigned long long)address, (unsigned long long)table->bytes,
                           (unsigned long long)behind_bytes);
        return false;
    }
    return true;
}

static bool find_raygen(struct exec_device *device, const struct exec_bindings *bindings, struct rays_job *job)
{
    enum exec_record_result result =
        exec_shader_table_find(&job->state.tables, EXEC_TABLE_RAYGEN, 0, &job->raygen);
    if (result == EXEC_RECORD_OK)
        return true;
    if (result == EXEC_RECORD_NULL)
        exec_device_message(device, RULE_SHADER_TABLE,
                            "DispatchRays (command %u of list '%s'): RayGenerationShaderRecord holds a null "
                            "identifier, no shader runs",
                            bindings->command_index, bindings->list_name);
    else
        exec_device_remove(device, EXEC_REMOVED_HUNG,
                           "DispatchRays (command %u of list '%s'): RayGenerationShaderRecord %s",
                           bindings->command_index, bindings->list_name, exec_record_result_text(result));
    return false;
}

static uint64_t stack_limit(const struct exec_bindings *bindings)
{
    uint64_t bytes = bindings->raytracing_stack_bytes;
    if (!bytes)
        bytes = bindings->raytracing->stack_bytes;
    return bytes ? bytes : UINT64_MAX;
}

void exec_dispatch_rays_run(struct exec_device *device, const struct exec_bindings *bindings,
                            const struct exec_dispatch_rays_arguments *arguments)
{
    struct reason reason = {0};
    if (exec_dispatch_rays_check(arguments, &reason) != STATUS_OK) {
        exec_device_message(device, RULE_DISPATCH_RAYS, "%s (command %u of list '%s'); the dispatch is dropped",
                            reason.text, bindings->command_index, bindings->list_name);
        return;
    }
    if (!arguments->width || !arguments->height || !arguments->depth)
        return;
    const struct abi_pipeline *pipeline = bindings->raytracing;
    if (!pipeline) {
        exec_device_message(device, RULE_DISPATCH_RAYS,
                            "DispatchRays (command %u of list '%s'): no raytracing pipeline is set by "
                            "SetPipelineState1; the dispatch is dropped",
                            bindings->command_index, bindings->list_name);
        return;
    }
    struct rays_job job;
    job.state = (struct exec_dispatch_state){
        .pipeline_flags = pipeline->pipeline_flags,
        .max_recursion_depth = pipeline->max_recursion_depth,
        .stack_bytes = stack_limit(bindings),
    };
    exec_dispatch_fill(device, bindings, &job.state, &job.dispatch, job.root_bytes);
    exec_shader_tables_init(&job.state.tables, arguments, pipeline);
    if (!tables_are_mapped(device, bindings, &job.state.tables) || !find_raygen(device, bindings, &job))
        return;
    job.dispatch.dimensions[0] = arguments->width;
    job.dispatch.dimensions[1] = arguments->height;
    job.dispatch.dimensions[2] = arguments->depth;
    job.dispatch.pipeline = pipeline;
    job.grid = grid_make(arguments->width, arguments->height, arguments->depth);
    job.activity = (struct exec_activity){
        .call = "DispatchRays",
        .list_name = bindings->list_name,
        .command_index = bindings->command_index,
        .shader_name = job.raygen.group->name,
    };
    exec_activity_begin(device, &job.activity);
    thread_pool_parallel_for(exec_device_pool(device), job.grid.tile_count, run_tile, &job);
    exec_activity_end(device, &job.activity);
}
