/* SPDX-License-Identifier: MIT
 * See docs/bvh.md; sections here follow its order. */
#include "ref/structure_reader.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_BYTES = 256, MAX_DEPTH = 36, WIDTH = 8, NODE_BYTES = 224, TRIANGLE_BLOCK_BYTES = 176, BOX_BLOCK_BYTES = 256,
       INSTANCE_BYTES = 128, GEOMETRY_BYTES = 32, LINK_BYTES = 32, QUANTIZED_NODE_BYTES = 96 };
enum { FLAG_QUANTIZED = 0x1, FLAG_INDEXED = 0x2, FLAG_LINKED = 0x4, FLAG_ALL_OPAQUE = 0x8, FLAG_IDENTITY = 0x10, FLAGS_KNOWN = 0x1f };
#define NOTHING 0xffffffffu

struct reader {
    const uint8_t *bytes;
    uint64_t byte_count;
    struct reader_contents *out;
    uint32_t root, node_count, leaf_count, unit_bytes;
    uint64_t geometry_offset, node_offset, leaf_offset, link_offset, state_offset;
    uint32_t next_node, next_block, deepest;
};

static bool wrong(struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool wrong(struct reader *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!r->out->error[0])
        vsnprintf(r->out->error, sizeof(r->out->error), format, arguments);
    va_end(arguments);
    return false;
}

/* Little-endian, byte by byte; nothing is read behind the end. */
static uint64_t number(const struct reader *r, uint64_t offset, uint32_t count)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < count; i++)
        if (offset + i < r->byte_count)
            value |= (uint64_t)r->bytes[offset + i] << 8 * i;
    return value;
}

static uint32_t u32(const struct reader *r, uint64_t offset)
{
    return (uint32_t)number(r, offset, 4);
}

static uint64_t u64(const struct reader *r, uint64_t offset)
{
    return number(r, offset, 8);
}

static float f32(const struct reader *r, uint64_t offset)
{
    uint32_t bits = u32(r, offset);
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static bool fits(const struct reader *r, uint64_t offset, uint64_t count, uint64_t element_bytes)
{
    uint64_t end = r->out->structure_bytes;
    return offset >= HEADER_BYTES && offset <= end && count <= (end - offset) / element_bytes;
}

static bool all_zero(struct reader *r, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++)
        if (number(r, i, 1))
            return wrong(r, "byte %llu is reserved and not 0", (unsigned long long)i);
    return true;
}

/* --- header --- */

static bool check_compact(struct reader *r)
{
    const struct reader_contents *c = r->out;
    bool is_quantized = c->flags & FLAG_QUANTIZED, is_indexed = c->flags & FLAG_INDEXED, asks = c->build_flags & 0x10;
    if (c->kind == READER_MICROMAPS ? is_quantized || is_indexed : is_quantized != asks)
        return wrong(r, "flag bit 0 with build flags 0x%x", c->build_flags);
    if (is_indexed && (!is_quantized || c->kind != READER_TRIANGLES))
        return wrong(r, "flag bit 1");
    bool is_unit = r->unit_bytes >= 4 && r->unit_bytes <= 64 && !(r->unit_bytes & (r->unit_bytes - 1));
    return is_indexed ? is_unit || wrong(r, "leaf_unit_bytes") : !r->unit_bytes || wrong(r, "leaf_unit_bytes without indexed leaves");
}

static bool read_header(struct reader *r)
{
    struct reader_contents *c = r->out;
    if (r->byte_count < HEADER_BYTES || u32(r, 0) != 0x72786463 || u32(r, 4) != 1)
        return wrong(r, "no header");
    c->kind = u32(r, 8);
    c->flags = u32(r, 12);
    c->build_flags = u32(r, 16);
    r->root = u32(r, 20);
    for (int i = 0; i < 6; i++)
        c->bounds[i / 3][i % 3] = f32(r, 24 + 4 * (uint64_t)i);
    c->structure_bytes = u64(r, 48);
    r->geometry_offset = u64(r, 56);
    r->node_offset = u64(r, 64);
    r->leaf_offset = u64(r, 72);
    r->link_offset = u64(r, 80);
    c->geometry_count = u32(r, 104);
    r->node_count = u32(r, 108);
    r->leaf_count = u32(r, 112);
    c->primitive_count = u32(r, 116);
    c->active_count = u32(r, 120);
    c->depth = u32(r, 124);
    c->pointer_count = u32(r, 128);
    r->state_offset = u64(r, 144);
    c->updates = u64(r, 152);
    r->unit_bytes = u32(r, 160);
    if (c->kind < READER_TRIANGLES || c->kind > READER_MICROMAPS || (c->flags & ~FLAGS_KNOWN))
        return wrong(r, "kind %u, flags 0x%x", c->kind, c->flags);
    if (c->structure_bytes < HEADER_BYTES || c->structure_bytes > r->byte_count)
        return wrong(r, "structure_bytes %llu", (unsigned long long)c->structure_bytes);
    if (c->build_flags & 0x20)
        return wrong(r, "PERFORM_UPDATE is kept");
    return all_zero(r, 88, 104) && all_zero(r, 136, 140) && all_zero(r, 164, HEADER_BYTES) && check_compact(r);
}

/* --- geometries and their micromaps --- */

static bool read_link(struct reader *r, uint32_t index)
{
    struct reader_geometry *g = &r->out->geometries[index];
    uint64_t at = r->link_offset + (uint64_t)index * LINK_BYTES, offset = u64(r, at + 8);
    g->micromap_array = u64(r, at);
    g->micromap_index_bytes = u32(r, at + 16);
    g->micromap_base = u32(r, at + 20);
    g->micromap_used_count = u32(r, at + 24);
    g->is_linked = u32(r, at + 28);
    if (!g->is_linked)
        return all_zero(r, at, at + LINK_BYTES);
    uint32_t bytes = g->micromap_index_bytes;
    if ((bytes == 0) != (offset == 0) || (bytes && bytes != 1 && bytes != 2 && bytes != 4) ||
        (bytes && !fits(r, offset, g->primitive_count, bytes)))
        return wrong(r, "micromap indices of geometry %u", index);
    g->micromap_indices = calloc(g->primitive_count + 1u, sizeof(uint32_t));
    for (uint32_t i = 0; i < g->primitive_count; i++) {
        uint32_t value = bytes ? (uint32_t)number(r, offset + (uint64_t)i * bytes, bytes) : i;
        uint32_t greatest = bytes ? (uint32_t)(UINT64_C(0xffffffff) >> (32 - 8 * bytes)) : NOTHING;
        g->micromap_indices[i] = greatest - value < 4 ? NOTHING - (greatest - value) : value;
    }
    return true;
}

static bool read_geometries(struct reader *r)
{
    struct reader_contents *c = r->out;
    uint64_t primitives = 0;
    if (c->kind == READER_INSTANCES)
        return r->geometry_offset || c->geometry_count ? wrong(r, "a top level with geometries") : true;
    if (!fits(r, r->geometry_offset, c->geometry_count, GEOMETRY_BYTES))
        return wrong(r, "the geometry table does not fit");
    if (((c->flags & FLAG_LINKED) != 0) != (r->link_offset != 0) || (r->link_offset && !fits(r, r->link_offset, c->geometry_count, LINK_BYTES)))
        return wrong(r, "the linkage table does not fit");
    c->geometries = calloc(c->geometry_count + 1u, sizeof(*c->geometries));
    bool all_opaque = true;
    for (uint32_t i = 0; i < c->geometry_count; i++) {
        struct reader_geometry *g = &c->geometries[i];
        uint64_t at = r->geometry_offset + (uint64_t)i * GEOMETRY_BYTES;
        *g = (struct reader_geometry){u32(r, at), u32(r, at + 4), u32(r, at + 8), u32(r, at + 12), u32(r, at + 16), u32(r, at + 20)};
        all_opaque &= g->flags & 1;
        primitives += g->primitive_count;
        if ((g->type == 1) != (c->kind == READER_BOXES) || g->type > 2 || !all_zero(r, at + 24, at + 32))
            return wrong(r, "geometry %u has type %u", i, g->type);
        if (r->link_offset && !read_link(r, i))
            return false;
    }
    if (primitives != c->primitive_count)
        return wrong(r, "primitive_count");
    if ((c->flags & FLAG_ALL_OPAQUE) && (!all_opaque || (c->flags & FLAG_LINKED)))
        return wrong(r, "flag bit 3");
    return true;
}

/* --- tree --- */

struct box {
    float lower[3], upper[3];
};

static float quantized_plane(const struct reader *r, uint64_t node, uint32_t plane, uint32_t child)
{
    uint32_t bits = (uint32_t)number(r, node + 12 + plane / 2, 1) << 23;
    float scale;
    memcpy(&scale, &bits, sizeof(scale));
    double product = (double)number(r, node + 16 + plane * 8 + child, 1) * scale;
    return (float)((double)f32(r, node + plane / 2 * 4) + product);
}

static struct box child_box(const struct reader *r, uint32_t node, uint32_t child)
{
    struct box box;
    if (r->out->flags & FLAG_QUANTIZED) {
        for (uint32_t axis = 0; axis < 3; axis++) {
            box.lower[axis] = quantized_plane(r, r->node_offset + (uint64_t)node * QUANTIZED_NODE_BYTES, axis * 2, child);
            box.upper[axis] = quantized_plane(r, r->node_offset + (uint64_t)node * QUANTIZED_NODE_BYTES, axis * 2 + 1, child);
        }
        return box;
    }
    uint64_t at = r->node_offset + (uint64_t)node * NODE_BYTES + child * 4;
    for (uint32_t axis = 0; axis < 3; axis++) {
        box.lower[axis] = f32(r, at + axis * 64);
        box.upper[axis] = f32(r, at + axis * 64 + 32);
    }
    return box;
}

static bool keep(struct reader *r, const struct reader_primitive *primitive, const struct box *around)
{
    struct reader_contents *c = r->out;
    if ((primitive->geometry & 0xffffff) >= c->geometry_count || primitive->primitive >= c->geometries[primitive->geometry].primitive_count)
        return wrong(r, "primitive %u of geometry %u does not exist", primitive->primitive, primitive->geometry);
    if (primitive->geometry_flags != (c->geometries[primitive->geometry].flags & 255))
        return wrong(r, "flags of primitive %u", primitive->primitive);
    for (uint32_t i = 0; i < (c->kind == READER_BOXES ? 6 : 9) && !primitive->is_dead; i++)
        if (around && !(primitive->values[i] >= around->lower[i % 3] && primitive->values[i] <= around->upper[i % 3]))
            return wrong(r, "primitive %u leaves its box", primitive->primitive);
    if (c->found_count == c->found_capacity) {
        c->found_capacity = c->found_capacity ? c->found_capacity * 2 : 64;
        c->primitives = realloc(c->primitives, c->found_capacity * sizeof(*c->primitives));
    }
    c->primitives[c->found_count++] = *primitive;
    return true;
}

static bool read_block(struct reader *r, uint32_t block, const struct box *around)
{
    bool boxes = r->out->kind == READER_BOXES, ended = false;
    uint32_t lanes = boxes ? 8 : 4, value_count = boxes ? 6 : 9;
    uint64_t at = r->leaf_offset + (uint64_t)block * (boxes ? BOX_BLOCK_BYTES : TRIANGLE_BLOCK_BYTES);
    uint64_t ids = at + (uint64_t)value_count * lanes * 4;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        struct reader_primitive p = {.primitive = u32(r, ids + lane * 4)};
        uint32_t geometry = u32(r, ids + lanes * 4 + lane * 4);
        p.geometry = geometry & 0xffffff;
        p.geometry_flags = geometry >> 24;
        for (uint32_t i = 0; i < value_count; i++) {
            /* triangles: [axis][vertex][lane]; boxes: [axis][lower, upper][lane] */
            uint32_t row = boxes ? i % 3 * 2 + i / 3 : i % 3 * 3 + i / 3;
            p.values[i] = f32(r, at + row * lanes * 4 + lane * 4);
        }
        p.is_dead = boxes ? p.values[0] > p.values[3] : isnan(p.values[0]);
        if (p.primitive == NOTHING) {
            if (!p.is_dead || geometry || !lane)
                return wrong(r, "an unused lane of block %u has content", block);
            ended = true;
            continue;
        }
        if (ended)
            return wrong(r, "a used lane behind an unused one in block %u", block);
        if (!keep(r, &p, around))
            return false;
    }
    return true;
}

static bool read_indexed_leaf(struct reader *r, uint32_t unit, const struct box *around)
{
    const uint64_t at = r->leaf_offset + (uint64_t)unit * r->unit_bytes, end = r->leaf_offset + (uint64_t)r->leaf_count * r->unit_bytes;
    if (unit != r->next_block || at + 12 > end)
        return wrong(r, "leaf starts at unit %u, %u comes next", unit, r->next_block);
    uint32_t head = (uint32_t)number(r, at, 1), vertices = (uint32_t)number(r, at + 1, 1), active = (uint32_t)number(r, at + 2, 2);
    uint32_t count = head & 31, id_bytes = 1u << (head >> 5 & 3);
    uint64_t indices = at + 12 + vertices * 12ull, geometries = indices + (count + 3) / 4 * 12, ids = geometries + (head >> 7) * 4ull * count;
    uint64_t past = ids + (uint64_t)count * id_bytes, padded = (past - at + r->unit_bytes - 1) / r->unit_bytes;
    if (!count || count > 16 || !vertices || vertices > 3 * count || id_bytes > 4 || active >> count || at + padded * r->unit_bytes > end)
        return wrong(r, "head of the leaf at unit %u", unit);
    for (uint32_t i = 0; i < (count + 3) / 4 * 4; i++) {
        struct reader_primitive p = {.is_dead = !(active >> i & 1)};
        for (uint32_t v = 0; v < 3; v++) {
            uint32_t index = (uint32_t)number(r, indices + i / 4 * 12 + v * 4 + i % 4, 1);
            if (index % 3 || index / 3 >= vertices || (i >= count && index))
                return wrong(r, "index %u in the leaf at unit %u", index, unit);
            for (uint32_t axis = 0; axis < 3; axis++)
                p.values[v * 3 + axis] = f32(r, at + 12 + (index + axis) * 4ull);
        }
        if (i >= count)
            continue;
        uint32_t word = u32(r, head >> 7 ? geometries + i * 4 : at + 8);
        p.geometry = word & 0xffffff;
        p.geometry_flags = word >> 24;
        p.primitive = u32(r, at + 4) + (uint32_t)number(r, ids + (uint64_t)i * id_bytes, id_bytes);
        if (!keep(r, &p, around))
            return false;
    }
    r->next_block += (uint32_t)padded;
    return all_zero(r, past, at + padded * r->unit_bytes);
}

static bool read_leaf(struct reader *r, uint32_t ref, const struct box *around)
{
    if (r->out->flags & FLAG_INDEXED)
        return read_indexed_leaf(r, ref & 0x7fffffff, around);
    if (r->out->kind == READER_INSTANCES) {
        uint32_t index = ref & 0x7fffffff;
        if (index >= r->leaf_count || r->out->instances[index].is_active || !r->out->instances[index].bottom_level)
            return wrong(r, "leaf names instance %u", index);
        r->out->instances[index].is_active = true;
        r->out->found_count++;
        return true;
    }
    uint32_t first = ref & 0x1fffffff, count = (ref >> 29 & 3) + 1;
    if (first != r->next_block || count > r->leaf_count - first)
        return wrong(r, "leaf starts at block %u, %u comes next", first, r->next_block);
    r->next_block += count;
    for (uint32_t i = 0; i < count; i++)
        if (!read_block(r, first + i, around))
            return false;
    return true;
}

static bool read_ref(struct reader *r, uint32_t ref, uint32_t level, const struct box *around)
{
    if (ref == NOTHING)
        return !around || (r->out->flags & FLAG_QUANTIZED) || (around->lower[0] == FLT_MAX && around->upper[0] == -FLT_MAX)
                   ? true
                   : wrong(r, "an empty child has a box");
    if (ref >> 31)
        return read_leaf(r, ref, around);
    if (level == MAX_DEPTH || ref >= r->node_count || ref != r->next_node)
        return wrong(r, "node %u on level %u, node %u comes next", ref, level, r->next_node);
    r->next_node++;
    r->deepest = level + 1 > r->deepest ? level + 1 : r->deepest;
    bool is_quantized = r->out->flags & FLAG_QUANTIZED;
    uint64_t at = r->node_offset + (uint64_t)ref * (is_quantized ? QUANTIZED_NODE_BYTES : NODE_BYTES);
    for (uint32_t child = 0; child < WIDTH; child++) {
        struct box box = child_box(r, ref, child);
        uint32_t inside = u32(r, at + (is_quantized ? 64 : 192) + child * 4);
        for (uint32_t plane = 0; is_quantized && inside == NOTHING && plane < 6; plane++)
            if (number(r, at + 16 + plane * 8 + child, 1) != (plane % 2 ? 0 : 255))
                return wrong(r, "an empty child of node %u has a box", ref);
        if (!read_ref(r, inside, level + 1, &box))
            return false;
    }
    return true;
}

static bool read_tree(struct reader *r)
{
    struct reader_contents *c = r->out;
    if (r->node_offset % 32 || !fits(r, r->node_offset, r->node_count, c->flags & FLAG_QUANTIZED ? QUANTIZED_NODE_BYTES : NODE_BYTES))
        return wrong(r, "the nodes do not fit");
    if (!read_ref(r, r->root, 0, NULL))
        return false;
    if (r->next_node != r->node_count || r->deepest != c->depth)
        return wrong(r, "%u nodes on %u levels, the header says %u on %u", r->next_node, r->deepest, r->node_count, c->depth);
    if (c->kind != READER_INSTANCES && r->next_block != r->leaf_count)
        return wrong(r, "%u blocks, the header says %u", r->next_block, r->leaf_count);
    if (c->found_count != c->active_count)
        return wrong(r, "%u primitives in the tree, the header says %u", c->found_count, c->active_count);
    return true;
}

/* --- instances --- */

static bool read_instances(struct reader *r)
{
    struct reader_contents *c = r->out;
    uint32_t pointers = 0;
    if (r->leaf_offset % 64 || !fits(r, r->leaf_offset, r->leaf_count, INSTANCE_BYTES))
        return wrong(r, "the instances do not fit");
    c->instance_count = r->leaf_count;
    c->instances = calloc(c->instance_count + 1u, sizeof(*c->instances));
    for (uint32_t i = 0; i < c->instance_count; i++) {
        struct reader_instance *instance = &c->instances[i];
        uint64_t at = r->leaf_offset + (uint64_t)i * INSTANCE_BYTES;
        for (uint32_t k = 0; k < 12; k++) {
            instance->object_to_world[k] = f32(r, at + k * 4);
            instance->world_to_object[k] = f32(r, at + 48 + k * 4);
        }
        instance->bottom_level = u64(r, at + 96);
        instance->id = u32(r, at + 104);
        instance->contribution = u32(r, at + 108);
        instance->mask = (uint32_t)number(r, at + 112, 1);
        instance->flags = (uint32_t)number(r, at + 113, 1);
        pointers += instance->bottom_level != 0;
    }
    return pointers == c->pointer_count ? true : wrong(r, "%u instances name a bottom level, the header says %u", pointers, c->pointer_count);
}

/* --- micromap arrays --- */

static bool read_micromaps(struct reader *r)
{
    struct reader_contents *c = r->out;
    uint64_t next = 0;
    if (!fits(r, r->leaf_offset, r->leaf_count, 8) || !fits(r, r->state_offset, 0, 1))
        return wrong(r, "the micromaps do not fit");
    c->micromap_count = r->leaf_count;
    c->micromaps = calloc(c->micromap_count + 1u, sizeof(*c->micromaps));
    for (uint32_t i = 0; i < c->micromap_count; i++) {
        struct reader_micromap *map = &c->micromaps[i];
        uint64_t at = r->leaf_offset + (uint64_t)i * 8, first = u32(r, at);
        map->level = (uint32_t)number(r, at + 4, 2);
        map->bits = (uint32_t)number(r, at + 6, 2);
        if (map->level > 12 || map->bits < 1 || map->bits > 2 || first != next)
            return wrong(r, "micromap %u: level %u, %u bits, from byte %llu", i, map->level, map->bits, (unsigned long long)first);
        uint64_t count = UINT64_C(1) << 2 * map->level, byte_count = (count * map->bits + 7) / 8;
        if (!fits(r, r->state_offset + first, byte_count, 1))
            return wrong(r, "the states of micromap %u do not fit", i);
        map->states = calloc(count, 1);
        for (uint64_t k = 0; k < count; k++)
            map->states[k] = (uint8_t)(number(r, r->state_offset + first + k * map->bits / 8, 1) >> k * map->bits % 8 & ((1u << map->bits) - 1));
        next = first + byte_count;
    }
    return true;
}

bool reader_read(const void *structure, uint64_t byte_count, struct reader_contents *contents)
{
    struct reader r = {.bytes = structure, .byte_count = byte_count, .out = contents};
    memset(contents, 0, sizeof(*contents));
    if (!read_header(&r))
        return false;
    if (contents->kind == READER_MICROMAPS)
        return read_micromaps(&r);
    if (!read_geometries(&r) || (contents->kind == READER_INSTANCES && !read_instances(&r)))
        return false;
    uint64_t block_bytes = r.unit_bytes                       ? r.unit_bytes
                           : contents->kind == READER_BOXES ? BOX_BLOCK_BYTES
                                                            : TRIANGLE_BLOCK_BYTES;
    if (contents->kind != READER_INSTANCES && (r.leaf_offset % 64 || !fits(&r, r.leaf_offset, r.leaf_count, block_bytes)))
        return wrong(&r, "the blocks do not fit");
    return read_tree(&r);
}

void reader_finish(struct reader_contents *contents)
{
    for (uint32_t i = 0; contents->geometries && i < contents->geometry_count; i++)
        free(contents->geometries[i].micromap_indices);
    for (uint32_t i = 0; contents->micromaps && i < contents->micromap_count; i++)
        free(contents->micromaps[i].states);
    free(contents->geometries);
    free(contents->primitives);
    free(contents->instances);
    free(contents->micromaps);
    *contents = (struct reader_contents){.kind = 0};
}

/* --- serialised form --- */

static uint64_t hash(const struct reader *r, uint64_t from, uint64_t byte_count)
{
    uint64_t lanes[4] = {1, 2, 3, 4}, word_count = (byte_count + 7) / 8;
    for (uint64_t i = 0; i < word_count; i++) {
        uint64_t left = byte_count - i * 8, *lane = &lanes[i % 4];
        *lane = (*lane ^ number(r, from + i * 8, left < 8 ? (uint32_t)left : 8)) * UINT64_C(0x9fb21c651e98df25);
        *lane ^= *lane >> 29;
    }
    uint64_t sum = lanes[0];
    for (int i = 1; i < 4; i++)
        sum = (sum ^ lanes[i]) * UINT64_C(0xd6e8feb86659fd93) + (sum >> 31);
    return sum ^ byte_count;
}

bool reader_open_serialized(const void *bytes, uint64_t byte_count, const void **structure, uint64_t *structure_bytes,
                            uint64_t *pointers, uint32_t capacity, uint32_t *pointer_count, char error[200])
{
    struct reader_contents contents = {.kind = 0};
    struct reader r = {.bytes = bytes, .byte_count = byte_count, .out = &contents};
    uint64_t at = 56, count = u32(&r, 48);
    bool has_block = u32(&r, 52) == NOTHING;
    if (u64(&r, 32) != byte_count)
        wrong(&r, "the header says %llu bytes", (unsigned long long)u64(&r, 32));
    if (has_block) {
        if (count != 1 || u64(&r, at) != 0)
            wrong(&r, "%llu blocks of type %u", (unsigned long long)count, u32(&r, at));
        count = u64(&r, at + 8);
        at += 16;
    } else if (u32(&r, 52)) {
        wrong(&r, "postamble type %u", u32(&r, 52));
    }
    *pointer_count = (uint32_t)(count < capacity ? count : capacity);
    for (uint32_t i = 0; i < *pointer_count; i++)
        pointers[i] = u64(&r, at + 8ull * i);
    at += 8 * count;
    *structure_bytes = u64(&r, at + 8);
    *structure = r.bytes + at + 16;
    if (at + 16 > byte_count || *structure_bytes != byte_count - at - 16 || u64(&r, 40) != *structure_bytes)
        wrong(&r, "structure_bytes %llu", (unsigned long long)*structure_bytes);
    else if (hash(&r, at + 16, *structure_bytes) != u64(&r, at))
        wrong(&r, "the hash");
    memcpy(error, contents.error, sizeof(contents.error));
    return !error[0];
}
