/* SPDX-License-Identifier: MIT */
#include "accel/decode.h"

#include "accel/indexed.h"
#include "accel/micromap.h"

#include <math.h>
#include <string.h>

enum { TRIANGLE_BYTES = 36, BOX_BYTES = 24, FORMAT_R32G32B32_FLOAT = 6 };

struct tools_header {
    uint32_t type;
    uint32_t count;
};

/* D3D12_RAYTRACING_GEOMETRY_DESC, both members of its union. */
struct tools_geometry {
    uint32_t type, flags;
    union {
        struct {
            uint64_t transform;
            uint32_t index_format, vertex_format, index_count, vertex_count;
            uint64_t indices, vertices, vertex_stride_bytes;
        } triangles;
        struct {
            uint64_t count, boxes, stride_bytes;
        } boxes;
    };
};
_Static_assert(sizeof(struct tools_geometry) == 56, "geometry description bytes");

struct tools_instance {
    float transform[12];
    uint32_t id_and_mask, contribution_and_flags;
    uint64_t blas;
};
_Static_assert(sizeof(struct tools_instance) == 64, "instance description bytes");

static const struct accel_geometry_entry *entries_of(const struct accel_header *h)
{
    return (const void *)((const uint8_t *)h + h->geometry_offset);
}

static uint64_t primitive_bytes(const struct accel_header *h)
{
    return h->kind == ACCEL_KIND_BOXES ? BOX_BYTES : TRIANGLE_BYTES;
}

static uint64_t align8(uint64_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

uint64_t accel_decoded_bytes(const struct accel_header *h)
{
    if (h->kind == ACCEL_KIND_MICROMAPS)
        return accel_micromap_decoded_bytes(h);
    if (h->kind == ACCEL_KIND_INSTANCES)
        return sizeof(struct tools_header) + h->leaf_count * (uint64_t)sizeof(struct tools_instance);
    return sizeof(struct tools_header) + h->geometry_count * (uint64_t)sizeof(struct tools_geometry) +
           align8(h->primitive_count * primitive_bytes(h)) + accel_micromap_link_decoded_bytes(h);
}

static void decode_instances(const struct accel_header *h, uint8_t *out)
{
    const struct abi_instance *instances = (const void *)((const uint8_t *)h + h->leaf_offset);
    for (uint32_t i = 0; i < h->leaf_count; i++) {
        struct tools_instance desc = {.id_and_mask = instances[i].instance_id | (uint32_t)instances[i].mask << 24,
                                      .contribution_and_flags = instances[i].hit_group_contribution | (uint32_t)instances[i].flags << 24,
                                      .blas = instances[i].blas};
        memcpy(desc.transform, instances[i].object_to_world, sizeof(desc.transform));
        memcpy(out + i * sizeof(desc), &desc, sizeof(desc));
    }
}

static void decode_geometry_descs(const struct accel_header *h, uint8_t *out, uint64_t data)
{
    const struct accel_geometry_entry *entries = entries_of(h);
    for (uint32_t i = 0; i < h->geometry_count; i++) {
        struct tools_geometry desc = {.type = entries[i].type, .flags = entries[i].flags};
        if (h->kind == ACCEL_KIND_BOXES) {
            desc.boxes.count = entries[i].primitive_count;
            desc.boxes.boxes = data;
            desc.boxes.stride_bytes = BOX_BYTES;
        } else {
            desc.triangles.vertex_format = FORMAT_R32G32B32_FLOAT;
            desc.triangles.vertex_count = entries[i].primitive_count * 3;
            desc.triangles.vertices = data;
            desc.triangles.vertex_stride_bytes = 12;
        }
        memcpy(out + i * sizeof(desc), &desc, sizeof(desc));
        data += entries[i].primitive_count * primitive_bytes(h);
    }
}

/* Where the data of a geometry's primitive is; the descriptions just written say where each geometry starts. */
static float *primitive_data(const struct accel_header *h, const uint8_t *descs, uint32_t geometry, uint32_t primitive)
{
    struct tools_geometry desc;
    if (geometry >= h->geometry_count || primitive >= entries_of(h)[geometry].primitive_count)
        return NULL;
    memcpy(&desc, descs + geometry * sizeof(desc), sizeof(desc));
    uint64_t base = h->kind == ACCEL_KIND_BOXES ? desc.boxes.boxes : desc.triangles.vertices;
    return (float *)(uintptr_t)(base + primitive * primitive_bytes(h));
}

static void decode_triangle_block(const struct accel_header *h, const struct accel_triangle_block *block, const uint8_t *descs)
{
    for (uint32_t lane = 0; lane < ACCEL_TRIANGLE_BLOCK_WIDTH; lane++) {
        float *to = primitive_data(h, descs, block->geometries[lane] & ACCEL_GEOMETRY_INDEX_MASK, block->primitives[lane]);
        for (int i = 0; to && i < 9; i++)
            memcpy(&to[i], &block->vertices[i % 3][i / 3][lane], sizeof(float));
    }
}

/* Inactive ones stay NaN, as in blocks. */
static void decode_indexed_leaves(const struct accel_header *h, const uint8_t *descs)
{
    for (uint32_t unit = 0; unit < h->leaf_count;) {
        const struct accel_indexed_leaf *leaf = accel_leaf_at(h, unit);
        unit += accel_leaf_units(leaf, h->leaf_unit_bytes);
        for (uint32_t i = 0; i < accel_leaf_count(leaf); i++) {
            float corners[3][3];
            float *to = primitive_data(h, descs, accel_leaf_geometry(leaf, i) & ACCEL_GEOMETRY_INDEX_MASK, accel_leaf_primitive(leaf, i));
            accel_leaf_corners(leaf, i, corners);
            if (to && (leaf->active_mask >> i & 1))
                memcpy(to, corners, sizeof(corners));
        }
    }
}

static void decode_box_block(const struct accel_header *h, const struct accel_box_block *block, const uint8_t *descs)
{
    for (uint32_t lane = 0; lane < ACCEL_BOX_BLOCK_WIDTH; lane++) {
        float *to = primitive_data(h, descs, block->geometries[lane] & ACCEL_GEOMETRY_INDEX_MASK, block->primitives[lane]);
        for (int i = 0; to && i < 6; i++)
            memcpy(&to[i], &block->planes[i % 3 * 2 + i / 3][lane], sizeof(float));
    }
}

/* Geometries with micromaps are described by two pointers in place of the triangle description. */
static void decode_links(const struct accel_header *h, uint8_t *descs, uint8_t *out)
{
    for (uint32_t i = 0; i < h->geometry_count; i++) {
        struct tools_geometry *desc = (struct tools_geometry *)descs + i;
        if (entries_of(h)[i].type == ACCEL_GEOMETRY_OMM_TRIANGLES)
            accel_micromap_link_decode(h, i, &out, (uint8_t *)&desc->triangles);
    }
}

enum status accel_decode(void *destination, uint64_t destination_bytes, const struct accel_header *source, struct reason *reason)
{
    uint64_t needed_bytes = accel_decoded_bytes(source);
    bool is_top = source->kind == ACCEL_KIND_INSTANCES;
    if (destination_bytes < needed_bytes)
        return reason_set(reason, STATUS_INVALID, "VISUALIZATION_DECODE_FOR_TOOLS needs %llu bytes, the destination has %llu",
                          (unsigned long long)needed_bytes, (unsigned long long)destination_bytes);
    if (source->kind == ACCEL_KIND_MICROMAPS) {
        accel_micromap_decode(destination, source);
        return STATUS_OK;
    }
    struct tools_header header = {is_top ? ACCEL_LEVEL_TOP : ACCEL_LEVEL_BOTTOM, is_top ? source->leaf_count : source->geometry_count};
    uint8_t *descs = (uint8_t *)destination + sizeof(header);
    memcpy(destination, &header, sizeof(header));
    if (is_top) {
        decode_instances(source, descs);
        return STATUS_OK;
    }
    uint8_t *data = descs + source->geometry_count * sizeof(struct tools_geometry);
    memset(data, 0xff, source->primitive_count * primitive_bytes(source)); /* all bits set is a NaN */
    decode_geometry_descs(source, descs, (uintptr_t)data);
    const uint8_t *leaves = (const uint8_t *)source + source->leaf_offset;
    if (accel_has_indexed_leaves(source))
        decode_indexed_leaves(source, descs);
    for (uint32_t i = 0; !accel_has_indexed_leaves(source) && i < source->leaf_count; i++) {
        if (source->kind == ACCEL_KIND_BOXES)
            decode_box_block(source, (const struct accel_box_block *)leaves + i, descs);
        else
            decode_triangle_block(source, (const struct accel_triangle_block *)leaves + i, descs);
    }
    decode_links(source, descs, data + align8(source->primitive_count * primitive_bytes(source)));
    return STATUS_OK;
}
