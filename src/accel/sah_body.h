/* SPDX-License-Identifier: MIT
 * Inner loops of the binned SAH builder, compiled once per instruction set (sah_<isa>.c defines SAH_KERNELS). Plain
 * IEEE operations in a fixed order: all builds give the same tree. */

#include <math.h>

#include "accel/sah.h"
#include "base/thread_pool.h"

enum { MAX_BINS = SAH_MAX_BINS, CHUNK_REFS = 16384, PARALLEL_REFS = 65536 };
enum { SAH_SWEEP_GROUPS = 16 };
enum { SAH_IN_ORDER_DEPTH = ACCEL_MAX_DEPTH - 12 }; /* from here on ranges are halved: 8^11 > 2^29 */

struct sah_bins {
    simd8 bounds[3][MAX_BINS];
    uint32_t counts[3][MAX_BINS];
};

struct mapping {
    simd4 origin, scale;
    uint32_t bin_count;
};

static inline simd4 centroid_of(simd8 box)
{
    return simd8_high(box) - simd8_low(box);
}

static struct mapping make_mapping(const struct sah_range *range, uint32_t max_bins)
{
    uint32_t count = range->end - range->begin;
    struct mapping m;
    m.bin_count = 4 + count / 8 < max_bins ? 4 + count / 8 : max_bins;
    m.origin = -simd8_low(range->centroids);
    simd4 extent = simd8_high(range->centroids) - m.origin;
    for (int axis = 0; axis < 4; axis++) {
        float scale = (float)m.bin_count * 0.99999f / extent[axis];
        m.scale[axis] = axis < 3 && extent[axis] > 0 && scale <= FLT_MAX ? scale : 0;
    }
    return m;
}

/* Bin numbers of the three axes. What is not a number goes to bin 0. */
static inline simd4i bins_of(const struct mapping *m, simd8 box)
{
    simd4 place = (centroid_of(box) - m->origin) * m->scale;
    simd4i positive = place > (simd4){0, 0, 0, 0};
    place = (simd4)((simd4i)place & positive);
    simd4i bins = __builtin_convertvector(place, simd4i);
    int32_t last = (int32_t)m->bin_count - 1;
    simd4i limit = {last, last, last, last}, above = bins > limit;
    return (above & limit) | (~above & bins);
}

static void bins_clear(struct sah_bins *bins, uint32_t bin_count)
{
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t i = 0; i < bin_count; i++) {
            bins->bounds[axis][i] = simd8_empty_box();
            bins->counts[axis][i] = 0;
        }
}

static void bins_fill(struct sah_bins *bins, const struct mapping *m, const struct accel_ref *refs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        simd8 box = simd8_load(&refs[i]);
        simd4i place = bins_of(m, box);
        for (int axis = 0; axis < 3; axis++) {
            uint32_t bin = (uint32_t)place[axis];
            bins->bounds[axis][bin] = simd8_max(box, bins->bounds[axis][bin]);
            bins->counts[axis][bin]++;
        }
    }
}

static void bins_merge(struct sah_bins *into, const struct sah_bins *from, uint32_t bin_count)
{
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t i = 0; i < bin_count; i++) {
            into->bounds[axis][i] = simd8_max(from->bounds[axis][i], into->bounds[axis][i]);
            into->counts[axis][i] += from->counts[axis][i];
        }
}

/* Best border between bins of one axis; cost in half areas times blocks. */
static void sweep_axis(const struct sah_bins *bins, uint32_t axis, uint32_t bin_count, uint32_t width, uint32_t budget,
                       struct sah_split *best)
{
    float right_area[MAX_BINS];
    uint32_t right_counts[MAX_BINS];
    simd8 box = simd8_empty_box();
    uint32_t count = 0;
    for (uint32_t i = bin_count - 1; i > 0; i--) {
        box = simd8_max(bins->bounds[axis][i], box);
        count += bins->counts[axis][i];
        right_area[i] = simd8_half_area(box);
        right_counts[i] = count;
    }
    box = simd8_empty_box();
    count = 0;
    for (uint32_t i = 1; i < bin_count; i++) {
        box = simd8_max(bins->bounds[axis][i - 1], box);
        count += bins->counts[axis][i - 1];
        uint32_t left_blocks = (count + width - 1) / width, right_blocks = (right_counts[i] + width - 1) / width;
        float cost = simd8_half_area(box) * (float)left_blocks + right_area[i] * (float)right_blocks;
        if (count && right_counts[i] && left_blocks + right_blocks <= budget && cost < best->cost) {
            best->cost = cost;
            best->axis = axis;
            best->bin = i;
            best->left_count = count;
        }
    }
}

static void find_split(const struct sah_bins *bins, const struct mapping *m, const struct sah_range *range, uint32_t width,
                       struct sah_split *best)
{
    best->cost = INFINITY;
    best->axis = 3;
    for (uint32_t axis = 0; axis < 3; axis++)
        if (m->scale[axis] > 0)
            sweep_axis(bins, axis, m->bin_count, width, range->block_budget, best);
    if (best->axis == 3)
        return;
    best->origin = m->origin[best->axis];
    best->scale = m->scale[best->axis];
    best->left_bounds = best->right_bounds = simd8_empty_box();
    for (uint32_t i = 0; i < m->bin_count; i++) {
        simd8 *side = i < best->bin ? &best->left_bounds : &best->right_bounds;
        *side = simd8_max(bins->bounds[best->axis][i], *side);
    }
}

/* Stable partition of from[count] to left and right; centroid unions of both sides grow. */
static void partition(const struct sah_split *split, const struct accel_ref *from, uint32_t count, struct accel_ref *left,
                      struct accel_ref *right, simd8 centroids[2])
{
    simd8 grown[2] = {centroids[0], centroids[1]};
    const float border = (float)split->bin;
    const uint32_t axis = split->axis;
    for (uint32_t i = 0; i < count; i++) {
        simd8 box = simd8_load(&from[i]);
        float center = from[i].upper[axis] - from[i].negated_lower[axis];
        bool is_right = (center - split->origin) * split->scale >= border;
        struct accel_ref *to = is_right ? right : left;
        simd8_store(to, box);
        simd4 centroid = centroid_of(box);
        grown[is_right] = simd8_max(simd8_join(-centroid, centroid), grown[is_right]);
        right += is_right;
        left += !is_right;
    }
    centroids[0] = grown[0];
    centroids[1] = grown[1];
}

static uint32_t min_blocks(uint32_t count, uint32_t width)
{
    return (count + width - 1) / width;
}

/* Hand the budget on: each side what it needs at least, the rest in proportion. */
static void share_budget(const struct sah_range *range, uint32_t width, struct sah_range children[2])
{
    uint32_t left = children[0].end - children[0].begin, right = children[1].end - children[1].begin;
    uint32_t left_blocks = min_blocks(left, width), right_blocks = min_blocks(right, width);
    uint64_t slack = range->block_budget - left_blocks - right_blocks;
    uint32_t left_slack = (uint32_t)(slack * left / (left + right));
    children[0].block_budget = left_blocks + left_slack;
    children[1].block_budget = right_blocks + (uint32_t)(slack - left_slack);
}

/* No useful border (equal centroids, no budget, too deep): halve the range in the order in which it lies. */
static void split_in_order(const struct sah_build *build, const struct sah_range *range, struct sah_range children[2])
{
    uint32_t width = build->limits.block_width, count = range->end - range->begin;
    uint32_t left = (count / 2 + width - 1) / width * width;
    if (left >= count)
        left = count / 2;
    const struct accel_ref *refs = build->refs[range->buffer];
    for (int side = 0; side < 2; side++) {
        struct sah_range *child = &children[side];
        child->begin = side ? range->begin + left : range->begin;
        child->end = side ? range->end : range->begin + left;
        child->buffer = range->buffer;
        struct accel_refs_result result = {0, simd8_empty_box(), simd8_empty_box()};
        for (uint32_t i = child->begin; i < child->end; i++)
            accel_ref_grow(&result, &refs[i]);
        child->bounds = result.bounds;
        child->centroids = result.centroids;
    }
}

/* The best of the borders between groups of neighbours, without moving anything; short ranges have groups of one. The
 * cost counts references. False: surfaces are infinite. */
static bool split_sweep(const struct sah_build *build, const struct sah_range *range, struct sah_range children[2])
{
    const struct accel_ref *refs = &build->refs[range->buffer][range->begin];
    const uint32_t count = range->end - range->begin, group_count = count < SAH_SWEEP_GROUPS ? count : SAH_SWEEP_GROUPS;
    simd8 groups[SAH_SWEEP_GROUPS], prefixes[SAH_SWEEP_GROUPS], right = simd8_empty_box(), box = right;
    uint32_t borders[SAH_SWEEP_GROUPS + 1], middle = 0;
    float left_costs[SAH_SWEEP_GROUPS], best = INFINITY;
    for (uint32_t i = 0, ref = 0; i < group_count; i++) {
        borders[i] = ref;
        prefixes[i] = box;
        left_costs[i] = simd8_half_area(box) * (float)ref;
        groups[i] = simd8_load(&refs[ref++]);
        for (uint32_t end = (uint32_t)((uint64_t)count * (i + 1) / group_count); ref < end; ref++)
            groups[i] = simd8_max(simd8_load(&refs[ref]), groups[i]);
        box = simd8_max(groups[i], box);
    }
    box = simd8_empty_box();
    for (uint32_t i = group_count - 1; i > 0; i--) {
        box = simd8_max(groups[i], box);
        float cost = left_costs[i] + simd8_half_area(box) * (float)(count - borders[i]);
        if (cost < best) {
            best = cost;
            middle = i;
            right = box;
        }
    }
    if (!(best < INFINITY))
        return false;
    uint32_t border = range->begin + borders[middle];
    children[0] = (struct sah_range){prefixes[middle], prefixes[middle], range->begin, border, 0, range->buffer};
    children[1] = (struct sah_range){right, right, border, range->end, 0, range->buffer};
    return true;
}

struct chunked {
    const struct mapping *mapping;
    const struct sah_split *split;
    const struct accel_ref *from;
    struct accel_ref *to;
    uint32_t count, left_count;
    struct sah_bins *bins;          /* per chunk group */
    uint32_t *chunk_left;           /* references of the left side before each chunk */
    simd8 (*centroids)[2];
};
enum { MAX_CHUNKS = 64 };

static uint32_t chunk_border(uint32_t count, uint32_t chunk)
{
    return (uint32_t)((uint64_t)count * chunk / MAX_CHUNKS);
}

static void bin_chunk(void *context, uint32_t chunk, uint32_t worker_index)
{
    struct chunked *c = context;
    uint32_t begin = chunk_border(c->count, chunk), end = chunk_border(c->count, chunk + 1);
    bins_clear(&c->bins[chunk], c->mapping->bin_count);
    bins_fill(&c->bins[chunk], c->mapping, c->from + begin, end - begin);
}

static void partition_chunk(void *context, uint32_t chunk, uint32_t worker_index)
{
    struct chunked *c = context;
    uint32_t begin = chunk_border(c->count, chunk), end = chunk_border(c->count, chunk + 1);
    uint32_t left = c->chunk_left[chunk], right = c->left_count + begin - left;
    partition(c->split, c->from + begin, end - begin, c->to + left, c->to + right, c->centroids[chunk]);
}

static __attribute__((noinline)) void split_parallel(struct thread_pool *pool, const struct sah_build *build,
                                                     const struct sah_range *range, const struct mapping *m,
                                                     struct sah_split *split, simd8 centroids[2])
{
    struct sah_bins bins[MAX_CHUNKS];
    uint32_t chunk_left[MAX_CHUNKS];
    simd8 chunk_centroids[MAX_CHUNKS][2];
    struct chunked c = {.mapping = m, .split = split, .from = build->refs[range->buffer] + range->begin,
                        .to = build->refs[!range->buffer] + range->begin, .count = range->end - range->begin,
                        .bins = bins, .chunk_left = chunk_left, .centroids = chunk_centroids};
    thread_pool_parallel_for(pool, MAX_CHUNKS, bin_chunk, &c);
    struct sah_bins all = bins[0];
    for (int i = 1; i < MAX_CHUNKS; i++)
        bins_merge(&all, &bins[i], m->bin_count);
    find_split(&all, m, range, build->limits.block_width, split);
    if (split->axis == 3)
        return;
    c.left_count = split->left_count;
    for (uint32_t i = 0, left = 0; i < MAX_CHUNKS; i++) {
        chunk_left[i] = left;
        chunk_centroids[i][0] = chunk_centroids[i][1] = simd8_empty_box();
        for (uint32_t bin = 0; bin < split->bin; bin++)
            left += bins[i].counts[split->axis][bin];
    }
    thread_pool_parallel_for(pool, MAX_CHUNKS, partition_chunk, &c);
    for (int i = 0; i < MAX_CHUNKS; i++)
        for (int side = 0; side < 2; side++)
            centroids[side] = simd8_max(chunk_centroids[i][side], centroids[side]);
}

static void split_serial(const struct sah_build *build, const struct sah_range *range, const struct mapping *m,
                         struct sah_split *split, simd8 centroids[2])
{
    struct sah_bins bins;
    const struct accel_ref *from = build->refs[range->buffer] + range->begin;
    struct accel_ref *to = build->refs[!range->buffer] + range->begin;
    bins_clear(&bins, m->bin_count);
    bins_fill(&bins, m, from, range->end - range->begin);
    find_split(&bins, m, range, build->limits.block_width, split);
    if (split->axis != 3)
        partition(split, from, range->end - range->begin, to, to + split->left_count, centroids);
}

static void split_range(struct sah_build *build, const struct sah_range *range, struct sah_range children[2], bool in_order,
                        struct thread_pool *pool)
{
    if (!in_order && range->end - range->begin <= build->sweep_limit && split_sweep(build, range, children)) {
        share_budget(range, build->limits.block_width, children);
        return;
    }
    struct sah_split split = {.axis = 3};
    simd8 centroids[2] = {simd8_empty_box(), simd8_empty_box()};
    if (!in_order) {
        struct mapping m = make_mapping(range, build->max_bins);
        if (pool && range->end - range->begin >= PARALLEL_REFS)
            split_parallel(pool, build, range, &m, &split, centroids);
        else
            split_serial(build, range, &m, &split, centroids);
    }
    if (split.axis == 3) {
        split_in_order(build, range, children);
    } else {
        uint32_t middle = range->begin + split.left_count;
        children[0] = (struct sah_range){split.left_bounds, centroids[0], range->begin, middle, 0, !range->buffer};
        children[1] = (struct sah_range){split.right_bounds, centroids[1], middle, range->end, 0, !range->buffer};
    }
    share_budget(range, build->limits.block_width, children);
}

struct subtree_context {
    struct sah_build *build;
    struct sah_subtree *subtree;
    struct accel_node *nodes;
};

static inline void set_child_box(struct accel_node *node, uint32_t child, simd8 box)
{
    simd4 negated_lower = simd8_low(box), upper = simd8_high(box);
    for (int axis = 0; axis < 3; axis++) {
        node->planes[axis * 2][child] = -negated_lower[axis];
        node->planes[axis * 2 + 1][child] = upper[axis];
    }
}

static inline void copy_ref(struct accel_ref *to, const struct accel_ref *from)
{
    simd8_store(to, simd8_load(from));
}

/* One cluster is one leaf of one block. */
static uint32_t make_cluster_leaf(struct subtree_context *c, const struct accel_ref *cluster)
{
    const struct sah_clusters *clusters = &c->build->clusters;
    uint32_t place = c->subtree->ref_end, count = cluster->primitive;
    for (uint32_t i = 0; i < count; i++)
        copy_ref(&clusters->refs[place + i], &clusters->sources[clusters->keys[cluster->geometry + i] & SAH_KEY_INDEX_MASK]);
    clusters->counts[place].primitive = count;
    c->subtree->ref_end += count;
    return accel_ref_leaf(c->subtree->block_count++, 1);
}

/* One group is a node of leaves, or a leaf where it has one cluster. */
static uint32_t make_group(struct subtree_context *c, const struct accel_ref *group, uint32_t depth)
{
    const struct accel_ref *clusters = &c->build->clusters.clusters[group->geometry];
    uint32_t count = group->primitive & SAH_GROUP_CLUSTERS_MASK;
    if (count == 1)
        return make_cluster_leaf(c, &clusters[0]);
    uint32_t index = c->subtree->node_count++;
    struct accel_node *node = &c->nodes[index];
    if (depth + 1 > c->subtree->depth_reached)
        c->subtree->depth_reached = depth + 1;
    for (uint32_t i = 0; i < ACCEL_NODE_WIDTH; i++) {
        set_child_box(node, i, i < count ? simd8_load(&clusters[i]) : simd8_empty_box());
        node->children[i] = i < count ? make_cluster_leaf(c, &clusters[i]) : ACCEL_REF_EMPTY;
    }
    return index;
}

/* References move down to where the leaf before ended: places between ranges that were kept for duplicates close. */
static uint32_t make_leaf(struct subtree_context *c, const struct sah_range *range, uint32_t depth)
{
    if (c->build->clusters.sources)
        return make_group(c, &c->build->refs[range->buffer][range->begin], depth);
    uint32_t count = range->end - range->begin, place = c->subtree->ref_end;
    const struct accel_ref *from = &c->build->refs[range->buffer][range->begin];
    for (uint32_t i = 0; i < count && from != &c->build->refs[0][place]; i++)
        copy_ref(&c->build->refs[0][place + i], &from[i]);
    uint32_t blocks = min_blocks(count, c->build->limits.block_width);
    uint32_t ref = accel_ref_leaf(c->subtree->block_count, blocks);
    c->subtree->block_count += blocks;
    c->build->refs[1][place].primitive = count;
    c->subtree->ref_end += count;
    return ref;
}

/* What says which child is opened next: its surface, or its count where depth has to end soon. */
static float child_weight(const struct sah_range *range, bool in_order)
{
    return in_order ? (float)(range->end - range->begin) : simd8_half_area(range->bounds);
}

/* Split the range, and always the child with the largest weight, until there are eight children or none can be split.
 * Returns their number. */
static uint32_t open_range(struct sah_build *build, const struct sah_range *range, bool in_order,
                           struct sah_range children[ACCEL_NODE_WIDTH], struct thread_pool *pool)
{
    float weights[ACCEL_NODE_WIDTH] = {INFINITY};
    uint32_t count = 1;
    children[0] = *range;
    while (count < ACCEL_NODE_WIDTH) {
        uint32_t best = ACCEL_NODE_WIDTH;
        for (uint32_t i = 0; i < count; i++)
            if (children[i].end - children[i].begin > build->limits.whole &&
                (best == ACCEL_NODE_WIDTH || weights[i] > weights[best]))
                best = i;
        if (best == ACCEL_NODE_WIDTH)
            break;
        struct sah_range halves[2];
        split_range(build, &children[best], halves, in_order, pool);
        /* in place: children stay in the order of the references, which is the order of leaf blocks */
        memmove(&children[best + 2], &children[best + 1], (count - best - 1) * sizeof(children[0]));
        memmove(&weights[best + 2], &weights[best + 1], (count - best - 1) * sizeof(weights[0]));
        for (uint32_t i = 0; i < 2; i++) {
            children[best + i] = halves[i];
            weights[best + i] = child_weight(&halves[i], in_order);
        }
        count++;
    }
    return count;
}

static void set_node_boxes(struct accel_node *node, const struct sah_range *children, uint32_t count)
{
    for (uint32_t i = 0; i < ACCEL_NODE_WIDTH; i++) {
        set_child_box(node, i, i < count ? children[i].bounds : simd8_empty_box());
        node->children[i] = ACCEL_REF_EMPTY;
    }
}

static uint32_t build_node(struct subtree_context *c, const struct sah_range *range, uint32_t depth)
{
    if (range->end - range->begin <= c->build->limits.max_leaf)
        return make_leaf(c, range, depth);
    struct sah_range children[ACCEL_NODE_WIDTH];
    uint32_t count = open_range(c->build, range, depth >= SAH_IN_ORDER_DEPTH, children, NULL);
    uint32_t index = c->subtree->node_count++;
    if (depth + 1 > c->subtree->depth_reached)
        c->subtree->depth_reached = depth + 1;
    struct accel_node *node = &c->nodes[index];
    set_node_boxes(node, children, count);
    for (uint32_t i = 0; i < count; i++)
        node->children[i] = build_node(c, &children[i], depth + 1);
    return index;
}

static void build_subtree(struct sah_build *build, struct sah_subtree *subtree)
{
    struct subtree_context c = {build, subtree, build->nodes + subtree->node_slot};
    subtree->root = build_node(&c, &subtree->range, subtree->depth);
}

static uint32_t open_top(struct sah_build *build, const struct sah_range *range, uint32_t depth, struct accel_node *node,
                         struct sah_range children[ACCEL_NODE_WIDTH])
{
    uint32_t count = open_range(build, range, depth >= SAH_IN_ORDER_DEPTH, children, build->pool);
    set_node_boxes(node, children, count);
    return count;
}

const struct sah_kernels SAH_KERNELS = {build_subtree, open_top};
