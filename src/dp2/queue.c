/* SPDX-License-Identifier: MIT */
#include "dp2/queue.h"

#include <stdlib.h>

#include "base/cpu.h"
#include "base/thread_pool.h"
#include "dp2/collect.h"
#include "dp2/compile.h"
#include "dp2/context.h"
#include "dp2/setup.h"

enum {
    PIECE_PRIMITIVES = 16384,          /* of one token handled at a time */
    QUEUE_PRIMITIVES = 4 * PIECE_PRIMITIVES,
    QUEUE_ARENA_BYTES = 48 << 20,      /* flush beyond */
    QUEUE_DRAWS = 4096,
    VERTEX_CHUNK = 512,
    SETUP_CHUNK = 1024,
    PARALLEL_VERTICES = 1024, PARALLEL_PRIMITIVES = 512, PARALLEL_PIXELS = 8192, /* below it the caller does the work alone */
};

struct vertex_job {
    const struct vertex_program *program;
    const uint8_t *bytes;
    const uint32_t *indices;
    float *out;
    uint32_t stride_bytes, count;
};

struct vertex_task {
    uint32_t job, first, count;
};

struct queue {
    struct dp2_arena arena;
    struct texture_cache textures;
    const struct draw *draw;           /* of the present state and layout */
    const struct vertex_program *program;
    struct fvf_layout layout;          /* of draw and program */
    uint32_t draw_count;
    struct vertex_job *jobs;
    uint32_t job_count, job_capacity;
    struct vertex_task *tasks;
    uint32_t task_count, task_capacity;
    struct queued_primitive *primitives;
    uint32_t primitive_count, primitive_capacity;
    /* one token piece, before it becomes vertices */
    uint32_t *piece_indices;           /* three a primitive */
    uint8_t *piece_edges;
    uint32_t *piece_numbers;           /* of the primitives within the token */
    uint32_t piece_indices_capacity, piece_edges_capacity, piece_numbers_capacity;
    /* flush */
    struct setup_output *outputs;
    uint32_t output_count;
    const struct raster_primitive **binned;
    size_t binned_capacity;
    uint32_t *tile_starts, *tiles_used;
    uint32_t tile_capacity;
    struct raster_counters *counters;  /* one a worker */
    uint32_t counter_count;
    raster_tile_fn raster;
};

raster_tile_fn dp2_raster_tile_select(void)
{
#if defined(__x86_64__)
    if (cpu_isa_best() == CPU_ISA_AVX2 || cpu_isa_best() == CPU_ISA_AVX512)
        return dp2_raster_tile_avx2;
#endif
    return dp2_raster_tile_generic;
}

enum status dp2_queue_create(struct queue **out)
{
    struct queue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return STATUS_OUT_OF_MEMORY;
    queue->raster = dp2_raster_tile_select();
    *out = queue;
    return STATUS_OK;
}

void dp2_queue_destroy(struct queue *queue)
{
    if (!queue)
        return;
    for (uint32_t i = 0; i < queue->output_count; i++)
        dp2_setup_output_finish(&queue->outputs[i]);
    dp2_arena_finish(&queue->arena);
    free(queue->outputs);
    free(queue->jobs);
    free(queue->tasks);
    free(queue->primitives);
    free(queue->piece_indices);
    free(queue->piece_edges);
    free(queue->piece_numbers);
    free(queue->binned);
    free(queue->tile_starts);
    free(queue->tiles_used);
    free(queue->counters);
    free(queue);
}

static bool grow(void *array, uint32_t *capacity, uint32_t needed, size_t item_bytes)
{
    if (needed <= *capacity)
        return true;
    uint32_t larger = *capacity ? *capacity * 2 : 64;
    larger = larger < needed ? needed : larger;
    void *grown = realloc(*(void **)array, larger * item_bytes);
    if (!grown)
        return false;
    *(void **)array = grown;
    *capacity = larger;
    return true;
}

/* ---- flush, step by step ---- */

static void process_task(void *cookie, uint32_t index, uint32_t worker)
{
    const struct queue *queue = cookie;
    const struct vertex_task *task = &queue->tasks[index];
    const struct vertex_job *job = &queue->jobs[task->job];
    const uint8_t *bytes = job->indices ? job->bytes : job->bytes + (size_t)task->first * job->stride_bytes;
    dp2_vertices_process(job->program, bytes, job->stride_bytes, job->indices ? job->indices + task->first : NULL, task->count,
                         job->out + (size_t)task->first * job->program->vertex_floats);
}

static void process_vertices(struct queue *queue, struct thread_pool *pool)
{
    bool parallel = queue->task_count > PARALLEL_VERTICES / VERTEX_CHUNK;
    thread_pool_parallel_for(parallel ? pool : NULL, queue->task_count, process_task, queue);
}

static void setup_task(void *cookie, uint32_t index, uint32_t worker)
{
    struct queue *queue = cookie;
    struct setup_output *output = &queue->outputs[index];
    uint32_t first = index * SETUP_CHUNK, end = first + SETUP_CHUNK;
    dp2_setup_output_reset(output);
    for (uint32_t i = first; i < end && i < queue->primitive_count; i++)
        dp2_setup_primitive(&queue->primitives[i], output);
}

static bool setup_primitives(struct queue *queue, struct thread_pool *pool, uint32_t *chunks)
{
    *chunks = (queue->primitive_count + SETUP_CHUNK - 1) / SETUP_CHUNK;
    uint32_t before = queue->output_count;
    if (!grow(&queue->outputs, &queue->output_count, *chunks, sizeof(*queue->outputs)))
        return false;
    if (queue->output_count > before)
        memset(queue->outputs + before, 0, (queue->output_count - before) * sizeof(*queue->outputs));
    bool parallel = queue->primitive_count > PARALLEL_PRIMITIVES;
    thread_pool_parallel_for(parallel ? pool : NULL, *chunks, setup_task, queue);
    return true;
}

struct tiling {
    uint32_t across, down, count;
};

/* Everything of one flush goes to one pair of surfaces: SETRENDERTARGET flushes. */
static struct tiling tiling_of(const struct draw *draw)
{
    const struct draw_target *target = draw->color.memory ? &draw->color : &draw->depth;
    struct tiling t = {(target->width + RASTER_TILE - 1) / RASTER_TILE, (target->height + RASTER_TILE - 1) / RASTER_TILE, 0};
    t.count = t.across * t.down;
    return t;
}

static bool reserve_tiles(struct queue *queue, uint32_t count)
{
    uint32_t capacity = queue->tile_capacity;
    if (!grow(&queue->tile_starts, &capacity, count + 1, sizeof(uint32_t)))
        return false;
    capacity = queue->tile_capacity;
    if (!grow(&queue->tiles_used, &capacity, count + 1, sizeof(uint32_t)))
        return false;
    queue->tile_capacity = capacity;
    return true;
}

#define FOR_TILES(p, across, tile)                                                                                  \
    for (uint32_t ty = (uint32_t)(p)->y0 / RASTER_TILE; ty <= (uint32_t)((p)->y1 - 1) / RASTER_TILE; ty++)           \
        for (uint32_t tx = (uint32_t)(p)->x0 / RASTER_TILE, tile; tile = ty * (across) + tx, tx <= (uint32_t)((p)->x1 - 1) / RASTER_TILE; tx++)

/* Count references per tile; primitives over the call's pixel limit are left out (area made empty by dropping them). */
static uint64_t count_tiles(struct cdxr_dp2_context *context, struct tiling t, uint32_t chunks, uint64_t *pixels)
{
    struct queue *queue = context->queue;
    uint64_t total = 0;
    memset(queue->tile_starts, 0, (t.count + 1) * sizeof(uint32_t));
    for (uint32_t c = 0; c < chunks; c++) {
        struct setup_output *output = &queue->outputs[c];
        uint32_t kept = 0;
        for (uint32_t i = 0; i < output->count; i++) {
            const struct raster_primitive *p = output->list[i];
            uint64_t area = (uint64_t)(p->x1 - p->x0) * (uint64_t)(p->y1 - p->y0);
            if (area > context->pixels_left) {
                context->statistics.primitives_skipped++;
                context->over_limit = true;
                continue;
            }
            context->pixels_left -= area;
            *pixels += area;
            output->list[kept++] = p;
            FOR_TILES(p, t.across, tile)
            {
                queue->tile_starts[tile]++;
                total++;
            }
        }
        output->count = kept;
        context->statistics.primitives_skipped += output->skipped;
        context->statistics.triangles_culled += output->culled;
        context->statistics.triangles_clipped_away += output->clipped_away;
    }
    return total;
}

/* Turn counts into starts, then place references in order. Returns the number of tiles with work. */
static uint32_t place_tiles(struct queue *queue, struct tiling t, uint32_t chunks)
{
    uint32_t sum = 0, used = 0;
    for (uint32_t i = 0; i < t.count; i++) {
        uint32_t count = queue->tile_starts[i];
        queue->tile_starts[i] = sum;
        sum += count;
        if (count)
            queue->tiles_used[used++] = i;
    }
    for (uint32_t c = 0; c < chunks; c++)
        for (uint32_t i = 0; i < queue->outputs[c].count; i++) {
            const struct raster_primitive *p = queue->outputs[c].list[i];
            FOR_TILES(p, t.across, tile)
            {
                queue->binned[queue->tile_starts[tile]++] = p; /* ends up at the next tile's start */
            }
        }
    return used;
}

struct tile_work {
    struct queue *queue;
    struct tiling tiling;
    int32_t width, height;
};

static void tile_task(void *cookie, uint32_t index, uint32_t worker)
{
    const struct tile_work *work = cookie;
    struct queue *queue = work->queue;
    uint32_t tile = queue->tiles_used[index];
    uint32_t start = tile ? queue->tile_starts[tile - 1] : 0;
    int32_t x = (int32_t)(tile % work->tiling.across) * RASTER_TILE, y = (int32_t)(tile / work->tiling.across) * RASTER_TILE;
    struct raster_tile t = {x, y, x + RASTER_TILE, y + RASTER_TILE, queue->binned + start, queue->tile_starts[tile] - start,
                            &queue->counters[worker]};
    queue->raster(&t);
}

static void add_counters(struct cdxr_dp2_statistics *s, const struct raster_counters *c)
{
    s->pixels_covered += c->covered;
    s->pixels_failed_stipple += c->failed_stipple;
    s->pixels_failed_color_key += c->failed_color_key;
    s->pixels_failed_alpha += c->failed_alpha;
    s->pixels_failed_stencil += c->failed_stencil;
    s->pixels_failed_depth += c->failed_depth;
    s->pixels_written += c->written;
}

static bool reserve_binned(struct queue *queue, uint64_t count)
{
    if (count > UINT32_MAX / 2)
        return false;
    if (count <= queue->binned_capacity)
        return true;
    free(queue->binned);
    queue->binned_capacity = 0;
    queue->binned = malloc(count * sizeof(*queue->binned));
    if (queue->binned)
        queue->binned_capacity = count;
    return queue->binned != NULL;
}

static bool draw_all(struct cdxr_dp2_context *context)
{
    struct queue *queue = context->queue;
    uint32_t chunks = 0, workers = thread_pool_worker_count(context->pool);
    uint64_t pixels = 0;
    process_vertices(queue, context->pool);
    struct tiling tiling = tiling_of(queue->primitives[0].draw);
    if (!tiling.count)
        return true;
    if (!setup_primitives(queue, context->pool, &chunks) || !reserve_tiles(queue, tiling.count) ||
        !grow(&queue->counters, &queue->counter_count, workers, sizeof(*queue->counters)))
        return false;
    if (!reserve_binned(queue, count_tiles(context, tiling, chunks, &pixels)))
        return false;
    uint32_t used = place_tiles(queue, tiling, chunks);
    memset(queue->counters, 0, queue->counter_count * sizeof(*queue->counters));
    struct tile_work work = {.queue = queue, .tiling = tiling};
    thread_pool_parallel_for(pixels > PARALLEL_PIXELS ? context->pool : NULL, used, tile_task, &work);
    for (uint32_t i = 0; i < queue->counter_count; i++)
        add_counters(&context->statistics, &queue->counters[i]);
    return true;
}

void dp2_queue_flush(struct cdxr_dp2_context *context)
{
    struct queue *queue = context->queue;
    if (queue->primitive_count && !draw_all(context)) {
        context->statistics.primitives_skipped += queue->primitive_count;
        dp2_context_report(context, CDXR_DP2_SEVERITY_ERROR, "no memory to draw %u primitives", queue->primitive_count);
    }
    if (context->over_limit)
        dp2_context_report(context, CDXR_DP2_SEVERITY_WARNING, "the call visits more pixels than the limit of %llu, primitives were dropped",
                           (unsigned long long)context->config.limits.pixels);
    context->over_limit = false;
    queue->primitive_count = queue->job_count = queue->task_count = queue->draw_count = 0;
    queue->textures.count = 0;
    queue->draw = NULL;
    queue->program = NULL;
    dp2_arena_reset(&queue->arena);
}

/* ---- filling ---- */

static bool compile(struct cdxr_dp2_context *context, const struct fvf_layout *layout)
{
    struct queue *queue = context->queue;
    if (queue->draw && !context->state_changed && !memcmp(&queue->layout, layout, sizeof(*layout)))
        return true;
    if (queue->draw_count++ >= QUEUE_DRAWS)
        dp2_queue_flush(context);
    queue->draw = dp2_compile_draw(context, &queue->arena, &queue->textures, layout);
    queue->program = queue->draw ? dp2_compile_vertices(context, &queue->arena, queue->draw, layout) : NULL;
    memcpy(&queue->layout, layout, sizeof(*layout));
    context->state_changed = false;
    if (!queue->program)
        queue->draw = NULL;
    return queue->program != NULL;
}

static bool add_job(struct queue *queue, const struct vertex_job *job)
{
    uint32_t tasks = (job->count + VERTEX_CHUNK - 1) / VERTEX_CHUNK;
    if (!grow(&queue->jobs, &queue->job_capacity, queue->job_count + 1, sizeof(*queue->jobs)) ||
        !grow(&queue->tasks, &queue->task_capacity, queue->task_count + tasks, sizeof(*queue->tasks)))
        return false;
    for (uint32_t first = 0; first < job->count; first += VERTEX_CHUNK)
        queue->tasks[queue->task_count++] = (struct vertex_task){
            queue->job_count, first, job->count - first < VERTEX_CHUNK ? job->count - first : VERTEX_CHUNK};
    queue->jobs[queue->job_count++] = *job;
    return true;
}

/* Some primitives of a token, as vertex indices. */
struct piece {
    uint32_t primitive_count, vertices_per_primitive;
    uint32_t low, high;                /* range of the indices */
};

/* Process the range of vertices once when it is dense, otherwise each reference on its own. */
static bool add_piece(struct run *run, const struct piece *piece, const struct vertex_source *source)
{
    struct queue *queue = run->context->queue;
    uint32_t references = piece->primitive_count * piece->vertices_per_primitive;
    uint64_t range = (uint64_t)piece->high - piece->low + 1;
    bool dense = range <= (uint64_t)references + 64;
    struct vertex_job job = {queue->program, source->bytes, NULL, NULL, source->stride_bytes, dense ? (uint32_t)range : references};
    uint32_t floats = queue->program->vertex_floats;
    job.out = dp2_arena_take(&queue->arena, (size_t)job.count * floats * sizeof(float));
    if (dense) {
        job.bytes += (size_t)piece->low * source->stride_bytes;
    } else {
        uint32_t *indices = dp2_arena_take(&queue->arena, references * sizeof(uint32_t));
        if (indices)
            memcpy(indices, queue->piece_indices, references * sizeof(uint32_t));
        job.indices = indices;
    }
    if (!job.out || (!dense && !job.indices) || !add_job(queue, &job))
        return false;
    run->context->statistics.vertices += job.count;
    const uint32_t *index = queue->piece_indices;
    for (uint32_t i = 0; i < piece->primitive_count; i++) {
        struct queued_primitive *q = &queue->primitives[queue->primitive_count++];
        q->draw = queue->draw;
        q->vertex_count = (uint8_t)piece->vertices_per_primitive;
        q->edge_mask = queue->piece_edges[i];
        q->number = run->context->triangle_number + 1 + queue->piece_numbers[i];
        for (uint32_t j = 0; j < piece->vertices_per_primitive; j++, index++)
            q->vertices[j] = job.out + (size_t)(dense ? *index - piece->low : (uint32_t)(index - queue->piece_indices)) * floats;
    }
    return true;
}

static bool in_range(const struct primitive *primitive, uint64_t limit)
{
    for (int i = 0; i < primitive->vertex_count; i++)
        if (primitive->index[i] < 0 || (uint64_t)primitive->index[i] >= limit)
            return false;
    return true;
}

/* Assemble primitives first.. of the token into the piece buffers; skips and counts those with bad indices. */
static void assemble_piece(struct queue *queue, const struct assembly *assembly, uint64_t limit, uint32_t first, uint32_t count,
                           struct piece *piece, uint64_t *skipped)
{
    uint32_t *out = queue->piece_indices;
    *piece = (struct piece){.low = UINT32_MAX};
    for (uint32_t i = 0; i < count; i++) {
        struct primitive primitive;
        dp2_assemble(assembly, first + i, &primitive);
        if (!in_range(&primitive, limit)) {
            ++*skipped;
            continue;
        }
        for (int j = 0; j < primitive.vertex_count; j++) {
            uint32_t index = (uint32_t)primitive.index[j];
            piece->low = index < piece->low ? index : piece->low;
            piece->high = index > piece->high ? index : piece->high;
            *out++ = index;
        }
        queue->piece_numbers[piece->primitive_count] = first + i;
        queue->piece_edges[piece->primitive_count++] = primitive.edge_mask;
        piece->vertices_per_primitive = primitive.vertex_count;
    }
}

static void count_primitives(struct cdxr_dp2_statistics *s, enum assembly_kind kind, uint64_t count)
{
    if (kind == ASSEMBLY_POINTS)
        s->points += count;
    else if (kind == ASSEMBLY_LINES || kind == ASSEMBLY_LINE_STRIP)
        s->lines += count;
    else
        s->triangles += count;
}

static bool find_bad_index(const struct assembly *assembly, uint64_t limit, uint32_t *at, int64_t *index)
{
    for (uint32_t k = 0; k < assembly->primitive_count; k++) {
        struct primitive primitive;
        dp2_assemble(assembly, k, &primitive);
        if (in_range(&primitive, limit))
            continue;
        for (int i = 0; i < primitive.vertex_count; i++)
            if (primitive.index[i] < 0 || (uint64_t)primitive.index[i] >= limit)
                *index = primitive.index[i];
        *at = k;
        return true;
    }
    return false;
}

/* May these vertices be drawn at all? The reason is reported. */
static bool check_layout(struct run *run, const struct vertex_source *source)
{
    bool valid = source->layout->vertex_bytes != 0;
    bool transforms = run->context->config.device_caps & D3DDEVCAPS_HWTRANSFORMANDLIGHT;
    if (!valid)
        dp2_report(run, CDXR_DP2_SEVERITY_ERROR, "vertex format 0x%x has no position", source->layout->code);
    else if (!source->layout->pretransformed && !transforms)
        dp2_report(run, CDXR_DP2_SEVERITY_ERROR, "vertex format 0x%x needs transform and lighting, which the device caps do not declare",
                   source->layout->code);
    return valid && (source->layout->pretransformed || transforms);
}

/* The limit of vertices per call: what is left of the token is dropped. */
static uint32_t limit_primitives(struct run *run, const struct assembly *assembly)
{
    uint64_t each = assembly->kind == ASSEMBLY_POINTS ? 1 : assembly->kind == ASSEMBLY_LINES || assembly->kind == ASSEMBLY_LINE_STRIP ? 2 : 3;
    uint64_t room = run->vertices_left / each;
    uint32_t count = assembly->primitive_count < room ? assembly->primitive_count : (uint32_t)room;
    run->vertices_left -= count * each;
    return count;
}

static bool draw_pieces(struct run *run, const struct assembly *assembly, const struct vertex_source *source, uint32_t count, uint64_t *skipped)
{
    struct cdxr_dp2_context *context = run->context;
    struct queue *queue = context->queue;
    for (uint32_t first = 0; first < count; first += PIECE_PRIMITIVES) {
        struct piece piece;
        uint32_t some = count - first < PIECE_PRIMITIVES ? count - first : PIECE_PRIMITIVES;
        if (!grow(&queue->piece_indices, &queue->piece_indices_capacity, some * 3, sizeof(uint32_t)) ||
            !grow(&queue->piece_edges, &queue->piece_edges_capacity, some, 1) ||
            !grow(&queue->piece_numbers, &queue->piece_numbers_capacity, some, sizeof(uint32_t)))
            return false;
        assemble_piece(queue, assembly, source->limit, first, some, &piece, skipped);
        if (!piece.primitive_count)
            continue;
        if (queue->primitive_count + piece.primitive_count > QUEUE_PRIMITIVES || queue->arena.used_bytes > QUEUE_ARENA_BYTES)
            dp2_queue_flush(context);
        if (!grow(&queue->primitives, &queue->primitive_capacity, queue->primitive_count + piece.primitive_count, sizeof(*queue->primitives)) ||
            !compile(context, source->layout) || !add_piece(run, &piece, source))
            return false;
    }
    return true;
}

static enum token_answer draw_checked(struct run *run, const struct assembly *assembly, const struct vertex_source *source)
{
    struct cdxr_dp2_context *context = run->context;
    uint32_t count = limit_primitives(run, assembly);
    uint64_t skipped = 0;
    count_primitives(&context->statistics, assembly->kind, count);
    if (context->collector) {
        if (!dp2_collect_draw(run, assembly, source, count))
            dp2_report(run, CDXR_DP2_SEVERITY_ERROR, "no memory to collect %u primitives", count);
    } else {
        const struct surface *target = dp2_space_surface(context->space, context->state.target);
        const struct surface *depth = dp2_space_surface(context->space, context->state.depth);
        if (!target && !depth)
            return dp2_violation(run, "no render target is set") ? TOKEN_BAD : TOKEN_DONE;
        if (!draw_pieces(run, assembly, source, count, &skipped))
            dp2_report(run, CDXR_DP2_SEVERITY_ERROR, "no memory to draw %u primitives", count);
    }
    context->statistics.primitives_skipped += skipped + (assembly->primitive_count - count);
    if (assembly->kind >= ASSEMBLY_TRIANGLES)
        context->triangle_number += count;
    if (skipped)
        dp2_report(run, CDXR_DP2_SEVERITY_WARNING, "%llu of %u primitives skipped: vertices beyond the %llu there are", (unsigned long long)skipped,
                   assembly->primitive_count, (unsigned long long)source->limit);
    if (count < assembly->primitive_count && dp2_violation(run, "%u of %u primitives dropped: the call's limit of %llu vertices is reached",
                                                           assembly->primitive_count - count, assembly->primitive_count,
                                                           (unsigned long long)context->config.limits.vertices))
        return TOKEN_BAD;
    return TOKEN_DONE;
}

enum token_answer dp2_draw(struct run *run, const struct assembly *assembly, const struct vertex_source *source)
{
    if (!assembly->primitive_count)
        return TOKEN_DONE;
    if (!check_layout(run, source))
        return TOKEN_BAD;
    if (dp2_npatches_apply(run, assembly, source->layout))
        return dp2_draw_npatches(run, assembly, source);
    bool reject = run->context->config.strict || run->context->config.policies.bad_index == CDXR_DP2_BAD_INDEX_REJECT_TOKEN;
    uint32_t at;
    int64_t index;
    if (reject && find_bad_index(assembly, source->limit, &at, &index)) {
        dp2_report(run, CDXR_DP2_SEVERITY_ERROR, "primitive %u uses vertex %lld, there are %llu", at, (long long)index, (unsigned long long)source->limit);
        return TOKEN_BAD;
    }
    return draw_checked(run, assembly, source);
}
