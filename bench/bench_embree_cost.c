/* SPDX-License-Identifier: MIT
 * What Embree's trees cost. Scenes do not show their trees, so the builders behind them are asked through rtcBuildBVH
 * with the settings of the 8-wide triangle builders: blocks of four, high quality with splits into twice the room. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#ifdef BENCH_HAS_EMBREE
#include <embree3/rtcore.h>

enum { COST_WIDTH = 8 };

struct cost_node {
    uint32_t block_count; /* 0: struct cost_inner */
};

struct cost_child {
    struct cost_node *node;
    float area;
};

struct cost_inner {
    struct cost_node head;
    uint32_t count;
    struct cost_child children[COST_WIDTH];
};

/* A box that grows around points. */
struct cut {
    float lower[3], upper[3];
};

static void cut_add(struct cut *cut, const float p[3])
{
    for (int axis = 0; axis < 3; axis++) {
        cut->lower[axis] = fminf(cut->lower[axis], p[axis]);
        cut->upper[axis] = fmaxf(cut->upper[axis], p[axis]);
    }
}

/* Inside the piece of the primitive that is being cut. */
static void cut_store(const struct cut *cut, const struct RTCBuildPrimitive *piece, struct RTCBounds *out)
{
    out->lower_x = fmaxf(cut->lower[0], piece->lower_x);
    out->lower_y = fmaxf(cut->lower[1], piece->lower_y);
    out->lower_z = fmaxf(cut->lower[2], piece->lower_z);
    out->upper_x = fminf(cut->upper[0], piece->upper_x);
    out->upper_y = fminf(cut->upper[1], piece->upper_y);
    out->upper_z = fminf(cut->upper[2], piece->upper_z);
}

static float area_of(const struct RTCBounds *b)
{
    float x = b->upper_x - b->lower_x, y = b->upper_y - b->lower_y, z = b->upper_z - b->lower_z;
    return x * y + y * z + z * x;
}


static void *cost_create_inner(RTCThreadLocalAllocator allocator, unsigned child_count, void *user)
{
    struct cost_inner *node = rtcThreadLocalAlloc(allocator, sizeof(*node), 16);
    memset(node, 0, sizeof(*node));
    return node;
}

static void cost_set_children(void *node, void **children, unsigned count, void *user)
{
    struct cost_inner *inner = node;
    inner->count = count;
    for (unsigned i = 0; i < count; i++)
        inner->children[i].node = children[i];
}

static void cost_set_bounds(void *node, const struct RTCBounds **bounds, unsigned count, void *user)
{
    struct cost_inner *inner = node;
    for (unsigned i = 0; i < count; i++)
        inner->children[i].area = area_of(bounds[i]);
}

static void *cost_create_leaf(RTCThreadLocalAllocator allocator, const struct RTCBuildPrimitive *primitives, size_t count, void *user)
{
    struct cost_node *node = rtcThreadLocalAlloc(allocator, sizeof(*node), 16);
    node->block_count = (uint32_t)(count + 3) / 4;
    return node;
}

static double cost_below(const struct cost_node *node, double area)
{
    if (node->block_count)
        return node->block_count * area;
    const struct cost_inner *inner = (const struct cost_inner *)node;
    double sum = area;
    for (unsigned i = 0; i < inner->count; i++)
        sum += cost_below(inner->children[i].node, inner->children[i].area);
    return sum;
}

static void cost_split(const struct RTCBuildPrimitive *primitive, unsigned dimension, float position, struct RTCBounds *left,
                       struct RTCBounds *right, void *user)
{
    const struct scene_mesh *mesh = user;
    const uint32_t *t = mesh->indices[primitive->primID];
    struct cut cut[2];
    for (int side = 0; side < 2; side++)
        cut[side] = (struct cut){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < 3; i++) {
        const float *a = mesh->vertices[t[i]], *b = mesh->vertices[t[(i + 1) % 3]];
        if (a[dimension] <= position)
            cut_add(&cut[0], a);
        if (a[dimension] >= position)
            cut_add(&cut[1], a);
        if ((a[dimension] < position) == (b[dimension] < position))
            continue;
        float p[3], s = (position - a[dimension]) / (b[dimension] - a[dimension]);
        for (int axis = 0; axis < 3; axis++)
            p[axis] = a[axis] + s * (b[axis] - a[axis]);
        p[dimension] = position;
        cut_add(&cut[0], p);
        cut_add(&cut[1], p);
    }
    cut_store(&cut[0], primitive, left);
    cut_store(&cut[1], primitive, right);
}

double bench_embree_tree_cost(const struct scene_mesh *mesh, enum bench_quality quality)
{
    uint64_t capacity = mesh->triangle_count * (quality == BENCH_HIGH ? 2ull : 1ull);
    RTCDevice device = rtcNewDevice("threads=2,set_affinity=0");
    RTCBVH bvh = rtcNewBVH(device);
    struct RTCBuildPrimitive *primitives = aligned_alloc(64, (capacity * sizeof(*primitives) + 63) / 64 * 64);
    struct cut all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        struct cut box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        for (int k = 0; k < 3; k++)
            cut_add(&box, mesh->vertices[mesh->indices[i][k]]);
        cut_add(&all, box.lower);
        cut_add(&all, box.upper);
        primitives[i] = (struct RTCBuildPrimitive){box.lower[0], box.lower[1], box.lower[2], 0,
                                                   box.upper[0], box.upper[1], box.upper[2], i};
    }
    struct RTCBuildArguments arguments = rtcDefaultBuildArguments();
    arguments.buildQuality = quality == BENCH_LOW ? RTC_BUILD_QUALITY_LOW : quality == BENCH_MEDIUM ? RTC_BUILD_QUALITY_MEDIUM : RTC_BUILD_QUALITY_HIGH;
    arguments.maxBranchingFactor = COST_WIDTH;
    arguments.sahBlockSize = arguments.minLeafSize = 4;
    arguments.bvh = bvh;
    arguments.primitives = primitives;
    arguments.primitiveCount = mesh->triangle_count;
    arguments.primitiveArrayCapacity = capacity;
    arguments.createNode = cost_create_inner;
    arguments.setNodeChildren = cost_set_children;
    arguments.setNodeBounds = cost_set_bounds;
    arguments.createLeaf = cost_create_leaf;
    arguments.splitPrimitive = cost_split;
    arguments.userPtr = (void *)mesh;
    const struct cost_node *root = rtcBuildBVH(&arguments);
    struct RTCBounds bounds = {all.lower[0], all.lower[1], all.lower[2], 0, all.upper[0], all.upper[1], all.upper[2], 0};
    double cost = root ? cost_below(root, area_of(&bounds)) / area_of(&bounds) : 0;
    rtcReleaseBVH(bvh);
    rtcReleaseDevice(device);
    free(primitives);
    return cost;
}
#else
double bench_embree_tree_cost(const struct scene_mesh *mesh, enum bench_quality quality)
{
    return 0;
}
#endif
