/* SPDX-License-Identifier: MIT */
#include "accel/plan.h"

#include "accel/compact_refit.h"
#include "accel/indexed.h"
#include "accel/fast.h"
#include "accel/micromap.h"

static const struct sah_limits triangle_limits = {ACCEL_TRIANGLE_BLOCK_WIDTH, 2 * ACCEL_TRIANGLE_BLOCK_WIDTH, ACCEL_TRIANGLE_BLOCK_WIDTH, 1, 7};
/* Indexed leaves share more vertices the larger they are; 8 to 12 costs 2 % of the speed and saves 11 % of the bytes. */
static const struct sah_limits compact_limits = {ACCEL_TRIANGLE_BLOCK_WIDTH, 3 * ACCEL_TRIANGLE_BLOCK_WIDTH, 3 * ACCEL_TRIANGLE_BLOCK_WIDTH, 1, 7};
static const struct sah_limits box_limits = {ACCEL_BOX_BLOCK_WIDTH, ACCEL_BOX_BLOCK_WIDTH, ACCEL_BOX_BLOCK_WIDTH, 1, 7};
static const struct sah_limits instance_limits = {1, 1, 1, 4, 7};

static uint64_t take(uint64_t *offset, uint64_t bytes)
{
    uint64_t start = *offset;
    *offset = (start + bytes + 63) / 64 * 64;
    return start;
}

/* What the fast builder has beside the others. */
static void plan_fast_scratch(struct accel_plan *plan, uint64_t *offset)
{
    uint64_t n = plan->reference_count, groups = fast_group_capacity(n, plan->limits.block_width);
    plan->sources_offset = take(offset, n * sizeof(struct accel_ref));
    plan->clusters_offset = take(offset, plan->block_count * sizeof(struct accel_ref));
    plan->counts_offset = take(offset, (FAST_SORT_CHUNKS << FAST_SORT_BITS) * sizeof(uint32_t));
    plan->fast_chunks_offset = take(offset, fast_chunk_count(n) * sizeof(struct fast_chunk));
    for (int i = 0; i < 2; i++) {
        plan->keys_offset[i] = take(offset, n * sizeof(uint64_t));
        plan->groups_offset[i] = take(offset, groups * sizeof(struct accel_ref));
    }
}

static void plan_scratch(struct accel_plan *plan, const struct accel_build_inputs *inputs)
{
    uint64_t offset = 0, n = plan->reference_count;
    uint64_t geometry_count = plan->kind == ACCEL_KIND_INSTANCES ? 0 : inputs->count;
    plan->top_capacity = sah_top_capacity(n);
    plan->subtree_capacity = plan->top_capacity * ACCEL_NODE_WIDTH + 1;
    plan->first_primitives_offset = take(&offset, (geometry_count + 1) * sizeof(uint32_t));
    plan->chunks_offset = take(&offset, accel_refs_scratch_bytes(n));
    plan->refs_offset[0] = take(&offset, n * sizeof(struct accel_ref));
    plan->refs_offset[1] = take(&offset, n * sizeof(struct accel_ref));
    plan->nodes_offset = take(&offset, plan->node_count * sizeof(struct accel_node));
    plan->top_nodes_offset = take(&offset, plan->top_capacity * sizeof(struct accel_node));
    plan->top_offset = take(&offset, plan->top_capacity * sizeof(struct sah_top));
    plan->subtrees_offset = take(&offset, plan->subtree_capacity * sizeof(struct sah_subtree));
    if (plan->builder == ACCEL_BUILDER_FAST_BUILD)
        plan_fast_scratch(plan, &offset);
    plan->scratch_bytes = (offset + 255) / 256 * 256;
    /* a bottom level is refitted inside its own memory, but for the exact boxes of quantised nodes; a top level is built anew */
    plan->update_scratch_bytes = plan->kind == ACCEL_KIND_INSTANCES ? plan->scratch_bytes : 256;
    if (plan->kind != ACCEL_KIND_INSTANCES && (inputs->flags & ACCEL_BUILD_FLAG_MINIMIZE_MEMORY))
        plan->update_scratch_bytes += (accel_compact_refit_scratch_bytes(plan->node_count) + 255) / 256 * 256;
    if (!(inputs->flags & ACCEL_BUILD_FLAG_ALLOW_UPDATE))
        plan->update_scratch_bytes = 0;
}

static void plan_result(struct accel_plan *plan, const struct accel_build_inputs *inputs)
{
    uint64_t offset = sizeof(struct accel_header);
    if (plan->kind != ACCEL_KIND_INSTANCES)
        take(&offset, inputs->count * (uint64_t)sizeof(struct accel_geometry_entry));
    take(&offset, plan->micromap_link_bytes);
    take(&offset, plan->node_count * plan->node_bytes);
    take(&offset, plan->leaf_section_bytes);
    plan->result_bytes = (offset + 255) / 256 * 256;
}

static void plan_kind(struct accel_plan *plan, const struct accel_build_inputs *inputs)
{
    if (inputs->level == ACCEL_LEVEL_TOP) {
        plan->kind = ACCEL_KIND_INSTANCES;
        plan->limits = instance_limits;
        plan->leaf_bytes = sizeof(struct abi_instance);
    } else if (inputs->count && inputs->geometries[0].type == ACCEL_GEOMETRY_BOXES) {
        plan->kind = ACCEL_KIND_BOXES;
        plan->limits = box_limits;
        plan->leaf_bytes = sizeof(struct accel_box_block);
    } else {
        plan->kind = ACCEL_KIND_TRIANGLES;
        bool is_smallest = (inputs->flags & ACCEL_BUILD_FLAG_MINIMIZE_MEMORY) && !(inputs->flags & ACCEL_BUILD_FLAG_PREFER_FAST_TRACE);
        plan->limits = is_smallest ? compact_limits : triangle_limits;
        plan->leaf_bytes = sizeof(struct accel_triangle_block);
    }
}

/* The compact structure: every node quantised, triangles in indexed leaves. A leaf takes its head and padding beside what
 * its triangles take where no vertex is shared, and there are no more leaves than blocks. */
static void plan_format(struct accel_plan *plan, const struct accel_build_inputs *inputs)
{
    bool is_compact = inputs->flags & ACCEL_BUILD_FLAG_MINIMIZE_MEMORY;
    plan->node_flags = is_compact ? ACCEL_FLAG_QUANTIZED_NODES : 0;
    plan->node_bytes = is_compact ? sizeof(struct accel_quantized_node) : sizeof(struct accel_node);
    plan->leaf_section_bytes = plan->block_count * plan->leaf_bytes;
    plan->leaf_unit_bytes = 0;
    if (!is_compact || plan->kind != ACCEL_KIND_TRIANGLES)
        return;
    plan->node_flags |= ACCEL_FLAG_INDEXED_LEAVES;
    plan->leaf_unit_bytes = ACCEL_LEAF_MIN_UNIT_BYTES / 2;
    do { /* until references reach everywhere */
        plan->leaf_unit_bytes *= 2;
        plan->leaf_section_bytes = accel_leaf_bytes_at_most(plan->reference_count, plan->block_count, plan->leaf_unit_bytes, inputs->count <= 1);
    } while (plan->leaf_section_bytes / plan->leaf_unit_bytes >= ACCEL_REF_UNIT_MASK);
    plan->leaf_bytes = plan->leaf_unit_bytes;
}

/* Top levels are small beside what they name: their tree is always the default's. */
static void plan_builder(struct accel_plan *plan, const struct accel_build_inputs *inputs)
{
    plan->builder = ACCEL_BUILDER_DEFAULT;
    if (plan->kind != ACCEL_KIND_INSTANCES && (inputs->flags & ACCEL_BUILD_FLAG_PREFER_FAST_BUILD))
        plan->builder = ACCEL_BUILDER_FAST_BUILD;
    else if (inputs->flags & ACCEL_BUILD_FLAG_PREFER_FAST_TRACE)
        plan->builder = ACCEL_BUILDER_FAST_TRACE;
}

/* Half of all blocks may stay half empty; instances are blocks of one. */
static void plan_tree(struct accel_plan *plan)
{
    uint64_t n = plan->reference_count;
    plan->block_count = plan->kind == ACCEL_KIND_INSTANCES ? n : n * 2 / plan->limits.block_width + 1;
    plan->node_count = sah_node_slots(&plan->limits, n);
    if (plan->builder != ACCEL_BUILDER_FAST_BUILD)
        return;
    plan->block_count = fast_cluster_capacity(n, plan->limits.block_width);
    uint64_t groups = fast_group_capacity(n, plan->limits.block_width);
    plan->node_count = groups + sah_node_slots(&instance_limits, groups);
}

enum status accel_plan_make(struct accel_plan *plan, const struct accel_build_inputs *inputs, struct reason *reason)
{
    RETURN_IF_FAILED(accel_check_inputs(inputs, reason));
    plan_kind(plan, inputs);
    plan->primitive_count = 0;
    plan->micromap_link_bytes = plan->kind == ACCEL_KIND_TRIANGLES ? accel_micromap_link_bytes(inputs) : 0;
    if (plan->kind == ACCEL_KIND_INSTANCES)
        plan->primitive_count = inputs->count;
    else
        for (uint32_t i = 0; i < inputs->count; i++)
            plan->primitive_count += accel_geometry_primitive_count(&inputs->geometries[i]);
    plan->reference_count = plan->primitive_count;
    plan_builder(plan, inputs);
    plan_tree(plan);
    plan_format(plan, inputs);
    plan_scratch(plan, inputs);
    plan_result(plan, inputs);
    return STATUS_OK;
}

enum status accel_prebuild_info(const struct accel_build_inputs *inputs, struct accel_prebuild_info *info,
                                struct reason *reason)
{
    struct accel_plan plan;
    *info = (struct accel_prebuild_info){0};
    if (inputs->level == ACCEL_LEVEL_MICROMAPS) {
        RETURN_IF_FAILED(accel_check_inputs(inputs, reason));
        accel_micromap_prebuild(inputs, info);
        return STATUS_OK;
    }
    RETURN_IF_FAILED(accel_plan_make(&plan, inputs, reason));
    info->result_bytes = plan.result_bytes;
    info->scratch_bytes = plan.scratch_bytes;
    info->update_scratch_bytes = plan.update_scratch_bytes;
    return STATUS_OK;
}
