/* SPDX-License-Identifier: MIT */
#include "accel/indexed.h"

#include <math.h>

#include "accel/refs.h"

enum { DRAFT_VERTICES = 3 * ACCEL_LEAF_MAX_TRIANGLES };

/* A leaf before it has its bytes. */
struct draft {
    uint32_t count, vertex_count, active_mask;
    float vertices[DRAFT_VERTICES][3];
    uint64_t keys[DRAFT_VERTICES]; /* by index: geometry and vertex */
    uint8_t indices[ACCEL_LEAF_MAX_TRIANGLES][3];
    uint32_t primitives[ACCEL_LEAF_MAX_TRIANGLES], geometries[ACCEL_LEAF_MAX_TRIANGLES]; /* geometries: index */
};

static bool shares_by_index(const struct accel_build_inputs *inputs)
{
    return inputs->flags & (ACCEL_BUILD_FLAG_ALLOW_UPDATE | ACCEL_BUILD_FLAG_PERFORM_UPDATE);
}

/* The bits count, not the values: -0 and 0 are two vertices. */
static uint32_t place_position(struct draft *d, const float position[3])
{
    uint32_t bits[3], other[3];
    memcpy(bits, position, sizeof(bits));
    for (uint32_t i = 0; i < d->vertex_count; i++) {
        memcpy(other, d->vertices[i], sizeof(other));
        if (!((bits[0] ^ other[0]) | (bits[1] ^ other[1]) | (bits[2] ^ other[2])))
            return i;
    }
    memcpy(d->vertices[d->vertex_count], position, sizeof(bits));
    return d->vertex_count++;
}

static void draft_by_position(struct draft *d, const struct accel_build_inputs *inputs)
{
    for (uint32_t i = 0; i < d->count; i++) {
        float corners[3][3] = {{0}};
        if (accel_read_triangle(&inputs->geometries[d->geometries[i]], d->primitives[i], corners))
            d->active_mask |= 1u << i;
        for (int v = 0; v < 3; v++)
            d->indices[i][v] = (uint8_t)place_position(d, corners[v]);
    }
}

/* A vertex that two triangles name by the same index stays one vertex wherever an update moves it. What is read for an
 * index out of range, or is not finite, is there for its bytes only: no active triangle has it. */
static uint32_t place_index(struct draft *d, const struct accel_geometry *geometry, uint32_t geometry_index, uint32_t index)
{
    uint64_t key = (uint64_t)geometry_index << 32 | index;
    for (uint32_t i = 0; i < d->vertex_count; i++)
        if (d->keys[i] == key)
            return i;
    d->keys[d->vertex_count] = key;
    accel_read_vertex(geometry, index, d->vertices[d->vertex_count]);
    return d->vertex_count++;
}

static void draft_by_index(struct draft *d, const struct accel_build_inputs *inputs)
{
    for (uint32_t i = 0; i < d->count; i++) {
        const struct accel_geometry *geometry = &inputs->geometries[d->geometries[i]];
        uint32_t indices[3];
        float corners[3][3];
        accel_read_indices(geometry, d->primitives[i], indices);
        for (int v = 0; v < 3; v++)
            d->indices[i][v] = (uint8_t)place_index(d, geometry, d->geometries[i], indices[v]);
        if (accel_read_triangle(geometry, d->primitives[i], corners))
            d->active_mask |= 1u << i;
    }
}

static void draft_make(struct draft *d, const struct accel_build_inputs *inputs, const struct accel_ref *refs, uint32_t count)
{
    d->count = count;
    d->vertex_count = d->active_mask = 0;
    for (uint32_t i = 0; i < count; i++) {
        d->primitives[i] = refs[i].primitive;
        d->geometries[i] = refs[i].geometry;
    }
    if (shares_by_index(inputs))
        draft_by_index(d, inputs);
    else
        draft_by_position(d, inputs);
}

/* Everything of the head but the geometry word. */
static struct accel_indexed_leaf draft_head(const struct draft *d)
{
    uint32_t first = d->primitives[0], last = first;
    bool one_geometry = true;
    for (uint32_t i = 1; i < d->count; i++) {
        first = d->primitives[i] < first ? d->primitives[i] : first;
        last = d->primitives[i] > last ? d->primitives[i] : last;
        one_geometry &= d->geometries[i] == d->geometries[0];
    }
    uint32_t shift = last - first <= 0xff ? 0 : last - first <= 0xffff ? 1 : 2;
    return (struct accel_indexed_leaf){
        .count_and_format = (uint8_t)(d->count | shift << ACCEL_LEAF_PRIMITIVE_SHIFT | (one_geometry ? 0 : ACCEL_LEAF_GEOMETRIES)),
        .vertex_count = (uint8_t)d->vertex_count,
        .active_mask = (uint16_t)d->active_mask,
        .first_primitive = first,
    };
}

static void write_vertices(const struct draft *d, struct accel_indexed_leaf *leaf)
{
    uint8_t *indices = (uint8_t *)accel_leaf_indices(leaf);
    memcpy((float *)accel_leaf_vertices(leaf), d->vertices, d->vertex_count * sizeof(d->vertices[0]));
    for (uint32_t i = 0; i < d->count; i++)
        for (uint32_t v = 0; v < 3; v++)
            indices[i / 4 * 12 + v * 4 + i % 4] = (uint8_t)(d->indices[i][v] * 3);
}

uint32_t accel_indexed_leaf_measure(const struct accel_build_inputs *inputs, const struct accel_ref *refs, uint32_t count)
{
    struct draft d;
    draft_make(&d, inputs, refs, count);
    struct accel_indexed_leaf head = draft_head(&d);
    return accel_leaf_bytes(&head);
}

static uint32_t geometry_word(const struct accel_build_inputs *inputs, uint32_t geometry)
{
    return geometry | inputs->geometries[geometry].flags << ACCEL_GEOMETRY_FLAGS_SHIFT;
}

void accel_indexed_leaf_write(const struct accel_build_inputs *inputs, const struct accel_ref *refs, uint32_t count,
                              uint32_t unit_bytes, struct accel_indexed_leaf *leaf)
{
    struct draft d;
    draft_make(&d, inputs, refs, count);
    struct accel_indexed_leaf head = draft_head(&d);
    memset(leaf, 0, accel_leaf_units(&head, unit_bytes) * (size_t)unit_bytes);
    *leaf = head;
    leaf->geometry = geometry_word(inputs, d.geometries[0]);
    write_vertices(&d, leaf);
    uint8_t *geometries = (uint8_t *)accel_leaf_geometries(leaf), *primitives = (uint8_t *)accel_leaf_primitives(leaf);
    const uint32_t bytes = 1u << accel_leaf_shift(leaf);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word = geometry_word(inputs, d.geometries[i]), distance = d.primitives[i] - leaf->first_primitive;
        if (leaf->count_and_format & ACCEL_LEAF_GEOMETRIES)
            memcpy(geometries + i * sizeof(word), &word, sizeof(word));
        memcpy(primitives + i * bytes, &distance, bytes);
    }
}

static void grow_box(float box[2][3], const float corners[3][3])
{
    for (int v = 0; v < 3; v++)
        for (int axis = 0; axis < 3; axis++) {
            box[0][axis] = corners[v][axis] < box[0][axis] ? corners[v][axis] : box[0][axis];
            box[1][axis] = corners[v][axis] > box[1][axis] ? corners[v][axis] : box[1][axis];
        }
}

void accel_indexed_leaf_box(const struct accel_indexed_leaf *leaf, float box[2][3])
{
    for (int axis = 0; axis < 3; axis++) {
        box[0][axis] = FLT_MAX;
        box[1][axis] = -FLT_MAX;
    }
    for (uint32_t i = 0; i < accel_leaf_count(leaf); i++) {
        float corners[3][3];
        if (!(leaf->active_mask >> i & 1))
            continue;
        accel_leaf_corners(leaf, i, corners);
        grow_box(box, corners);
    }
}

bool accel_indexed_leaf_refit(const struct accel_build_inputs *inputs, struct accel_indexed_leaf *leaf)
{
    struct accel_ref refs[ACCEL_LEAF_MAX_TRIANGLES];
    struct draft d;
    for (uint32_t i = 0; i < accel_leaf_count(leaf); i++) {
        refs[i].primitive = accel_leaf_primitive(leaf, i);
        refs[i].geometry = accel_leaf_geometry(leaf, i) & ACCEL_GEOMETRY_INDEX_MASK;
    }
    draft_make(&d, inputs, refs, accel_leaf_count(leaf));
    if (d.vertex_count > leaf->vertex_count)
        return false;
    leaf->active_mask = (uint16_t)d.active_mask;
    write_vertices(&d, leaf);
    return true;
}

/* The smallest power of two whose 255 steps reach from lower to upper. */
static uint8_t pick_exponent(float lower, float upper)
{
    struct accel_quantized_node node = {.origin = {lower}};
    float step = (float)(((double)upper - lower) / 255);
    uint32_t bits;
    memcpy(&bits, &step, sizeof(bits));
    node.exponent[0] = (uint8_t)(bits >> 23 ? bits >> 23 : 1);
    while (!(accel_quantized_plane(&node, 0, 255) >= upper))
        node.exponent[0]++;
    return node.exponent[0];
}

/* Farthest step that is not above a lower plane, or nearest that is not below an upper one. */
static uint8_t quantize_plane(const struct accel_quantized_node *node, int plane, float value)
{
    double scale = accel_quantized_plane(&(struct accel_quantized_node){.exponent = {node->exponent[plane / 2]}}, 0, 1);
    double place = ((double)value - node->origin[plane / 2]) / scale;
    int step = place < 0 ? 0 : place > 255 ? 255 : (int)place;
    if (plane & 1) {
        while (step < 255 && accel_quantized_plane(node, plane, (uint8_t)step) < value)
            step++;
    } else {
        step = step < 255 ? step + 1 : 255;
        while (step > 0 && accel_quantized_plane(node, plane, (uint8_t)step) > value)
            step--;
    }
    return (uint8_t)step;
}

void accel_node_quantize(const struct accel_node *from, struct accel_quantized_node *to)
{
    *to = (struct accel_quantized_node){.exponent = {1, 1, 1}};
    memcpy(to->children, from->children, sizeof(to->children));
    for (int axis = 0; axis < 3; axis++) {
        const float *lower = from->planes[axis * 2], *upper = from->planes[axis * 2 + 1];
        float low = FLT_MAX, high = -FLT_MAX;
        for (int child = 0; child < ACCEL_NODE_WIDTH; child++) {
            low = lower[child] < low ? lower[child] : low;
            high = upper[child] > high ? upper[child] : high;
        }
        if (low <= high) {
            to->origin[axis] = low;
            to->exponent[axis] = pick_exponent(low, high);
        }
        for (int child = 0; child < ACCEL_NODE_WIDTH; child++) {
            bool is_empty = from->children[child] == ACCEL_REF_EMPTY || !(lower[child] <= upper[child]);
            to->planes[axis * 2][child] = is_empty ? 255 : quantize_plane(to, axis * 2, lower[child]);
            to->planes[axis * 2 + 1][child] = is_empty ? 0 : quantize_plane(to, axis * 2 + 1, upper[child]);
        }
    }
}

static bool find_in_blocks(const struct accel_header *header, uint32_t geometry_index, uint32_t primitive, float corners[3][3])
{
    const struct accel_triangle_block *blocks = (const void *)((const uint8_t *)header + header->leaf_offset);
    for (uint64_t i = 0; i < header->leaf_count * (uint64_t)ACCEL_TRIANGLE_BLOCK_WIDTH; i++) {
        const struct accel_triangle_block *block = &blocks[i / ACCEL_TRIANGLE_BLOCK_WIDTH];
        uint32_t lane = i % ACCEL_TRIANGLE_BLOCK_WIDTH;
        if (block->primitives[lane] != primitive || (block->geometries[lane] & ACCEL_GEOMETRY_INDEX_MASK) != geometry_index)
            continue;
        for (int v = 0; v < 9; v++)
            corners[v / 3][v % 3] = block->vertices[v % 3][v / 3][lane];
        return corners[0][0] == corners[0][0];
    }
    return false;
}

static bool find_in_leaves(const struct accel_header *header, uint32_t geometry_index, uint32_t primitive, float corners[3][3])
{
    for (uint32_t unit = 0; unit < header->leaf_count;) {
        const struct accel_indexed_leaf *leaf = accel_leaf_at(header, unit);
        unit += accel_leaf_units(leaf, header->leaf_unit_bytes);
        for (uint32_t i = 0; primitive >= leaf->first_primitive && i < accel_leaf_count(leaf); i++) {
            if (accel_leaf_primitive(leaf, i) != primitive ||
                (accel_leaf_geometry(leaf, i) & ACCEL_GEOMETRY_INDEX_MASK) != geometry_index)
                continue;
            accel_leaf_corners(leaf, i, corners);
            return leaf->active_mask >> i & 1;
        }
    }
    return false;
}

bool accel_find_triangle(const struct accel_header *header, uint32_t geometry_index, uint32_t primitive, float corners[3][3])
{
    if (header->kind != ACCEL_KIND_TRIANGLES)
        return false;
    return accel_has_indexed_leaves(header) ? find_in_leaves(header, geometry_index, primitive, corners)
                                            : find_in_blocks(header, geometry_index, primitive, corners);
}
