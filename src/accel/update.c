/* SPDX-License-Identifier: MIT */
#include "accel/update.h"

#include <string.h>

#include "accel/compact_refit.h"
#include "accel/emit.h"
#include "accel/layout_compact.h"
#include "accel/micromap.h"
#include "accel/read.h"
#include "base/thread_pool.h"

static enum status check_geometry(const struct accel_geometry *geometry, const struct accel_geometry_entry *entry,
                                  uint32_t index, struct reason *reason)
{
    if (geometry->type != entry->type || geometry->flags != entry->flags)
        return reason_set(reason, STATUS_INVALID, "update: geometry %u has another type or other flags than the source", index);
    if (accel_geometry_primitive_count(geometry) != entry->primitive_count)
        return reason_set(reason, STATUS_INVALID, "update: geometry %u has %llu primitives, the source %u", index,
                          (unsigned long long)accel_geometry_primitive_count(geometry), entry->primitive_count);
    if (geometry->type == ACCEL_GEOMETRY_BOXES)
        return STATUS_OK;
    const struct accel_triangles *t = &geometry->triangles;
    if (t->vertex_format != entry->vertex_format || t->index_format != entry->index_format ||
        t->vertex_count != entry->vertex_count)
        return reason_set(reason, STATUS_INVALID, "update: geometry %u has other formats or vertex counts than the source", index);
    return STATUS_OK;
}

/* Flags match the source's; only further updates may be given up, all kinds together. */
static bool flags_fit(uint32_t flags, uint32_t source_flags)
{
    const uint32_t allow = ACCEL_BUILD_FLAG_ALLOW_UPDATE | ACCEL_BUILD_FLAG_ALLOW_OMM_UPDATE;
    flags &= ~(uint32_t)ACCEL_BUILD_FLAG_PERFORM_UPDATE;
    return flags == source_flags || flags == (source_flags & ~allow);
}

enum status accel_update_check(const struct accel_build_arguments *arguments, struct reason *reason)
{
    const struct accel_build_inputs *inputs = &arguments->inputs;
    const struct accel_header *source = arguments->source;
    RETURN_IF_FAILED(accel_check_inputs(inputs, reason));
    if (!accel_is_structure(source, ~0ull) || source->kind == ACCEL_KIND_MICROMAPS)
        return reason_set(reason, STATUS_INVALID, "update: the source is no acceleration structure");
    if (!(source->build_flags & ACCEL_BUILD_FLAG_ALLOW_UPDATE))
        return reason_set(reason, STATUS_INVALID, "update: the source was built without ALLOW_UPDATE");
    if (!flags_fit(inputs->flags, source->build_flags))
        return reason_set(reason, STATUS_INVALID, "update: flags 0x%x differ from the source's 0x%x", inputs->flags,
                          source->build_flags);
    bool is_top = source->kind == ACCEL_KIND_INSTANCES;
    if (is_top != (inputs->level == ACCEL_LEVEL_TOP))
        return reason_set(reason, STATUS_INVALID, "update: the source is of the other level");
    uint32_t count = is_top ? source->leaf_count : source->geometry_count;
    if (inputs->count != count)
        return reason_set(reason, STATUS_INVALID, "update: NumDescs is %u, the source has %u", inputs->count, count);
    const struct accel_geometry_entry *entries = (const void *)((const uint8_t *)source + source->geometry_offset);
    for (uint32_t i = 0; !is_top && i < count; i++)
        RETURN_IF_FAILED(check_geometry(&inputs->geometries[i], &entries[i], i, reason));
    return is_top ? STATUS_OK : accel_micromap_link_check_update(inputs, source, reason);
}

enum { SPLIT_NODES = 4096, MAX_TASKS = 512 };

/* The upper nodes of a tree, and the subtrees below them that are refitted side by side. */
struct parts {
    struct accel_refit refit;
    uint32_t top[MAX_TASKS], top_count;
    uint32_t tasks[MAX_TASKS], task_count;
};

static void run_task(void *context, uint32_t index, uint32_t worker_index)
{
    struct parts *parts = context;
    simd8 box;
    accel_read_kernels()->refit(&parts->refit, parts->tasks[index], &box);
}

/* Level by level from the root, until there are enough subtrees. Leaves stay with the node that names them. */
static void make_parts(struct parts *parts)
{
    uint32_t first = 0;
    parts->tasks[0] = parts->refit.header->root;
    parts->task_count = 1;
    while (first < parts->task_count && parts->task_count + ACCEL_NODE_WIDTH <= MAX_TASKS) {
        uint32_t index = parts->tasks[first++];
        parts->top[parts->top_count++] = index;
        for (int child = 0; child < ACCEL_NODE_WIDTH; child++) {
            uint32_t ref = parts->refit.nodes[index].children[child];
            if (!(ref & ACCEL_REF_LEAF_MASK))
                parts->tasks[parts->task_count++] = ref;
        }
    }
    parts->task_count -= first;
    memmove(parts->tasks, parts->tasks + first, parts->task_count * sizeof(parts->tasks[0]));
}

static void refit_parallel(const struct accel_refit *refit, struct thread_pool *pool, simd8 *box)
{
    struct parts parts = {.refit = *refit};
    make_parts(&parts);
    thread_pool_parallel_for(pool, parts.task_count, run_task, &parts);
    for (uint32_t i = parts.top_count; i-- > 0;)
        accel_read_kernels()->refit_node(refit, parts.top[i]);
    accel_read_kernels()->node_box(&refit->nodes[refit->header->root], box);
}

static void refit_plain(const struct accel_refit *refit, struct thread_pool *pool)
{
    bool is_parallel = refit->header->node_count >= SPLIT_NODES && thread_pool_worker_count(pool) > 1;
    simd8 box;
    if (is_parallel)
        refit_parallel(refit, pool, &box);
    else
        accel_read_kernels()->refit(refit, refit->header->root, &box);
    if (refit->header->root == ACCEL_REF_EMPTY)
        return;
    simd4 lower = -simd8_low(box), upper = simd8_high(box);
    memcpy(refit->header->bounds[0], &lower, sizeof(refit->header->bounds[0]));
    memcpy(refit->header->bounds[1], &upper, sizeof(refit->header->bounds[1]));
}

enum status accel_update_bottom(const struct accel_build_arguments *arguments, struct reason *reason)
{
    const struct accel_header *source = arguments->source;
    struct accel_header *header = arguments->result;
    if (header != source)
        memmove(header, source, source->structure_bytes);
    uint8_t *base = (uint8_t *)header;
    struct accel_refit r = {&arguments->inputs, header, (struct accel_node *)(base + header->node_offset), base + header->leaf_offset,
                      header->kind == ACCEL_KIND_BOXES};
    header->magic = 0;
    if (accel_has_quantized_nodes(header))
        RETURN_IF_FAILED(accel_compact_refit(arguments, header, reason));
    else
        refit_plain(&r, arguments->pool);
    if (accel_micromap_links(header) && (header->build_flags & ACCEL_BUILD_FLAG_ALLOW_OMM_UPDATE))
        accel_micromap_link_write(&arguments->inputs, header);
    header->build_flags = arguments->inputs.flags & ~(uint32_t)ACCEL_BUILD_FLAG_PERFORM_UPDATE;
    header->updates++;
    header->magic = ACCEL_MAGIC;
    return STATUS_OK;
}
