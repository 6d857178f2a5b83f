/* SPDX-License-Identifier: MIT
 * One build from description to finished structure: plan, references, tree, emit, header. */
#include "accel/build.h"

#include <stddef.h>

#include "accel/emit.h"
#include "accel/fast.h"
#include "accel/instances.h"
#include "accel/micromap.h"
#include "accel/plan.h"
#include "accel/update.h"
#include "base/thread_pool.h"

static uint64_t align64(uint64_t offset)
{
    return (offset + 63) / 64 * 64;
}

bool accel_is_structure(const void *structure, uint64_t available_bytes)
{
    const struct accel_header *h = structure;
    if (!h || available_bytes < sizeof(*h) || h->magic != ACCEL_MAGIC || h->version != ACCEL_VERSION)
        return false;
    return h->kind >= ACCEL_KIND_TRIANGLES && h->kind <= ACCEL_KIND_MICROMAPS && h->structure_bytes <= available_bytes;
}

struct builder {
    const struct accel_build_arguments *arguments;
    struct accel_plan plan;
    struct sah_build sah;
    struct accel_ref *references; /* the builder's input */
    struct sah_range root;
    struct accel_emit emit;
    struct accel_header *header;
    float condition;
    uint32_t pointer_count;
    bool is_single_identity;
};

static void *scratch_at(const struct builder *b, uint64_t offset)
{
    return (uint8_t *)b->arguments->scratch + offset;
}

static void prepare_sah(struct builder *b)
{
    const struct accel_plan *plan = &b->plan;
    b->sah = (struct sah_build){
        .pool = b->arguments->pool,
        .limits = plan->limits,
        .refs = {scratch_at(b, plan->refs_offset[0]), scratch_at(b, plan->refs_offset[1])},
        .nodes = scratch_at(b, plan->nodes_offset),
        .top_nodes = scratch_at(b, plan->top_nodes_offset),
        .top = scratch_at(b, plan->top_offset),
        .subtrees = scratch_at(b, plan->subtrees_offset),
        .top_capacity = plan->top_capacity,
        .subtree_capacity = plan->subtree_capacity,
        .max_bins = plan->builder == ACCEL_BUILDER_FAST_TRACE ? SAH_MAX_BINS : SAH_DEFAULT_BINS,
    };
    b->references = plan->builder == ACCEL_BUILDER_FAST_BUILD ? scratch_at(b, plan->sources_offset) : b->sah.refs[0];
}

static void prepare_fast(struct builder *b, struct fast_build *fast)
{
    const struct accel_plan *plan = &b->plan;
    *fast = (struct fast_build){
        .sah = &b->sah,
        .sources = b->references,
        .keys = {scratch_at(b, plan->keys_offset[0]), scratch_at(b, plan->keys_offset[1])},
        .counts = scratch_at(b, plan->counts_offset),
        .clusters = scratch_at(b, plan->clusters_offset),
        .groups = {scratch_at(b, plan->groups_offset[0]), scratch_at(b, plan->groups_offset[1])},
        .chunks = scratch_at(b, plan->fast_chunks_offset),
        .width = plan->limits.block_width,
    };
}

/* The tree in b->sah, whoever makes it. */
static void make_tree(struct builder *b)
{
    if (b->plan.builder == ACCEL_BUILDER_FAST_BUILD) {
        struct fast_build fast;
        struct accel_refs_result refs = {b->root.end, b->root.bounds, b->root.centroids};
        prepare_fast(b, &fast);
        fast_build(&fast, &refs);
        return;
    }
    sah_build(&b->sah, &b->root);
}

static void set_root(struct builder *b, const struct accel_refs_result *refs)
{
    b->root = (struct sah_range){refs->bounds, refs->centroids, 0, refs->count, (uint32_t)b->plan.block_count, 0};
}

static void make_primitive_refs(struct builder *b)
{
    const struct accel_build_inputs *inputs = &b->arguments->inputs;
    uint32_t *first_primitives = scratch_at(b, b->plan.first_primitives_offset);
    first_primitives[0] = 0;
    for (uint32_t i = 0; i < inputs->count; i++)
        first_primitives[i + 1] = first_primitives[i] + (uint32_t)accel_geometry_primitive_count(&inputs->geometries[i]);
    struct accel_refs_result refs;
    accel_refs_make(b->arguments->pool, inputs, first_primitives, b->references, scratch_at(b, b->plan.chunks_offset), &refs);
    set_root(b, &refs);
}

/* The final size of the node section is known only after the build, so instances are made at the end of the result
 * first and moved down later. */
static enum status make_instance_refs(struct builder *b, struct reason *reason)
{
    uint64_t bytes = b->arguments->inputs.count * (uint64_t)sizeof(struct abi_instance);
    struct abi_instance *instances = (void *)((uint8_t *)b->header + b->plan.result_bytes - bytes);
    struct accel_instances_result made;
    RETURN_IF_FAILED(accel_instances_make(b->arguments, instances, b->sah.refs[0], &made, reason));
    set_root(b, &made.refs);
    b->condition = made.condition;
    b->is_single_identity = made.is_single_identity;
    b->pointer_count = made.pointer_count;
    return STATUS_OK;
}

static void write_geometry_table(const struct accel_build_inputs *inputs, struct accel_geometry_entry *entries)
{
    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct accel_geometry *geometry = &inputs->geometries[i];
        entries[i] = (struct accel_geometry_entry){
            .type = geometry->type,
            .flags = geometry->flags,
            .primitive_count = (uint32_t)accel_geometry_primitive_count(geometry),
        };
        if (geometry->type == ACCEL_GEOMETRY_BOXES)
            continue;
        entries[i].vertex_count = geometry->triangles.vertex_count;
        entries[i].index_format = geometry->triangles.index_format;
        entries[i].vertex_format = geometry->triangles.vertex_format;
    }
}

static uint32_t header_flags(const struct builder *b)
{
    const struct accel_build_inputs *inputs = &b->arguments->inputs;
    if (b->plan.kind == ACCEL_KIND_INSTANCES)
        return b->plan.node_flags | (b->is_single_identity ? ACCEL_FLAG_IDENTITY_INSTANCE : 0);
    if (b->plan.micromap_link_bytes)
        return b->plan.node_flags | ACCEL_FLAG_HAS_MICROMAPS; /* opacity is no longer that of the geometry */
    for (uint32_t i = 0; i < inputs->count; i++)
        if (!(inputs->geometries[i].flags & ACCEL_GEOMETRY_FLAG_OPAQUE))
            return b->plan.node_flags;
    return b->plan.node_flags | ACCEL_FLAG_ALL_OPAQUE;
}

/* Everything but the magic number: that one is written last. */
static void write_header(struct builder *b)
{
    const struct accel_build_inputs *inputs = &b->arguments->inputs;
    bool is_top = b->plan.kind == ACCEL_KIND_INSTANCES;
    struct accel_header *h = b->header;
    *h = (struct accel_header){
        .version = ACCEL_VERSION,
        .kind = b->plan.kind,
        .flags = header_flags(b),
        .build_flags = inputs->flags & ~(uint32_t)ACCEL_BUILD_FLAG_PERFORM_UPDATE,
        .root = b->emit.root,
        .geometry_count = is_top ? 0 : inputs->count,
        .node_count = b->emit.node_count,
        .leaf_count = is_top ? inputs->count : b->emit.block_count,
        .primitive_count = (uint32_t)b->plan.primitive_count,
        .active_count = b->root.end,
        .depth = b->emit.depth,
        .transform_condition = b->condition,
        .leaf_unit_bytes = b->plan.leaf_unit_bytes,
        .blas_pointer_count = b->pointer_count,
    };
    simd4 negated_lower = simd8_low(b->root.bounds), upper = simd8_high(b->root.bounds);
    for (int axis = 0; axis < 3; axis++) {
        h->bounds[0][axis] = -negated_lower[axis];
        h->bounds[1][axis] = upper[axis];
    }
    h->geometry_offset = is_top ? 0 : sizeof(*h);
    h->node_offset = align64(sizeof(*h) + h->geometry_count * sizeof(struct accel_geometry_entry));
    h->micromap_link_offset = b->plan.micromap_link_bytes ? h->node_offset : 0;
    h->node_offset += b->plan.micromap_link_bytes;
    h->leaf_offset = align64(h->node_offset + h->node_count * b->plan.node_bytes);
    h->structure_bytes = align64(h->leaf_offset + h->leaf_count * b->plan.leaf_bytes);
    /* An update of a top level is a build of the same description, in a copy as small as this one's sizes say too. */
    if (is_top && (inputs->flags & ACCEL_BUILD_FLAG_ALLOW_UPDATE))
        h->structure_bytes = b->plan.result_bytes;
}

/* Between sections: whoever compares or keeps the bytes must not see what was in the memory before. */
static void clear_gap(struct accel_header *h, uint64_t from, uint64_t to)
{
    memset((uint8_t *)h + from, 0, to - from);
}

static void clear_gaps(const struct builder *b)
{
    struct accel_header *h = b->header;
    uint64_t first = h->micromap_link_offset ? h->micromap_link_offset : h->node_offset;
    clear_gap(h, sizeof(*h) + h->geometry_count * sizeof(struct accel_geometry_entry), first);
    clear_gap(h, h->node_offset + h->node_count * b->plan.node_bytes, h->leaf_offset);
    clear_gap(h, h->leaf_offset + h->leaf_count * b->plan.leaf_bytes, h->structure_bytes);
}

static void write_sections(struct builder *b)
{
    const struct accel_build_inputs *inputs = &b->arguments->inputs;
    uint8_t *base = (uint8_t *)b->header;
    if (b->plan.kind == ACCEL_KIND_INSTANCES) {
        uint64_t bytes = inputs->count * (uint64_t)sizeof(struct abi_instance);
        memmove(base + b->header->leaf_offset, base + b->plan.result_bytes - bytes, bytes);
    } else {
        write_geometry_table(inputs, (struct accel_geometry_entry *)(base + b->header->geometry_offset));
        if (b->plan.micromap_link_bytes)
            accel_micromap_link_write(inputs, b->header);
    }
    b->emit.nodes = base + b->header->node_offset;
    b->emit.blocks = base + b->header->leaf_offset;
    if (b->root.end)
        accel_emit_write(&b->emit);
    clear_gaps(b);
}

enum status accel_build(const struct accel_build_arguments *arguments, struct reason *reason)
{
    struct builder b = {.arguments = arguments, .header = arguments->result, .condition = 1};
    if (arguments->inputs.level == ACCEL_LEVEL_MICROMAPS) {
        RETURN_IF_FAILED(accel_check_inputs(&arguments->inputs, reason));
        return accel_micromap_build(arguments, reason);
    }
    if (arguments->inputs.flags & ACCEL_BUILD_FLAG_PERFORM_UPDATE) {
        RETURN_IF_FAILED(accel_update_check(arguments, reason));
        if (arguments->inputs.level == ACCEL_LEVEL_BOTTOM) {
            RETURN_IF_FAILED(accel_micromap_link_resolve(arguments, reason));
            return accel_update_bottom(arguments, reason);
        }
    }
    RETURN_IF_FAILED(accel_plan_make(&b.plan, &arguments->inputs, reason));
    if (b.plan.micromap_link_bytes)
        RETURN_IF_FAILED(accel_micromap_link_resolve(arguments, reason));
    b.header->magic = 0;
    prepare_sah(&b);
    if (b.plan.kind == ACCEL_KIND_INSTANCES)
        RETURN_IF_FAILED(make_instance_refs(&b, reason));
    else
        make_primitive_refs(&b);
    b.emit = (struct accel_emit){.build = &b.sah, .inputs = &arguments->inputs, .kind = b.plan.kind,
                                .node_flags = b.plan.node_flags, .leaf_unit_bytes = b.plan.leaf_unit_bytes, .root = ACCEL_REF_EMPTY};
    if (b.root.end) {
        make_tree(&b);
        accel_emit_number(&b.emit, b.sah.subtrees);
    }
    write_header(&b);
    write_sections(&b);
    b.header->magic = ACCEL_MAGIC;
    return STATUS_OK;
}
