/* SPDX-License-Identifier: MIT
 * Bytes of an acceleration structure. One self-contained, position-independent block in the application's memory:
 *
 *   struct accel_header        256 bytes at offset 0, which must be ACCEL_ALIGNMENT_BYTES aligned
 *   geometry table             struct accel_geometry_entry[geometry_count]   (bottom level)
 *   nodes                      struct accel_node[node_count] | struct accel_quantized_node[node_count], depth first: a
 *                              child's index is above its parent's
 *   leaves                     struct accel_triangle_block[] | struct accel_box_block[] | struct abi_instance[] |
 *                              struct accel_indexed_leaf of varying length, one behind the other
 *   micromap links             struct accel_micromap_linkage[geometry_count] and the index arrays that these name,
 *                              directly behind the geometry table; only with ACCEL_FLAG_HAS_MICROMAPS
 *   update data                private to accel/update.c, only with ALLOW_UPDATE
 *
 * Sections are found by byte offsets from the header (0: section absent). Written by accel/, read by trace/.
 * All numbers little-endian. The order of primitives in leaves is free; their ids travel with them. */
#ifndef CDXR_ACCEL_LAYOUT_H
#define CDXR_ACCEL_LAYOUT_H

#include <stdint.h>

#include "abi/ray.h"

enum {
    ACCEL_MAGIC = 0x72786463, /* "cdxr" */
    ACCEL_VERSION = 1,
    ACCEL_ALIGNMENT_BYTES = 256,
    ACCEL_NODE_WIDTH = 8,
    ACCEL_TRIANGLE_BLOCK_WIDTH = 4,
    ACCEL_BOX_BLOCK_WIDTH = 8,
    ACCEL_MAX_LEAF_BLOCKS = 4,
    /* Levels of nodes on a path from the root, at most. Builders hold it, loaders check it; traversal sizes its stack
     * with it: every level leaves at most ACCEL_NODE_WIDTH - 1 children behind. */
    ACCEL_MAX_DEPTH = 36,
};

enum accel_kind {
    ACCEL_KIND_TRIANGLES = 1,
    ACCEL_KIND_BOXES = 2,
    ACCEL_KIND_INSTANCES = 3,
    ACCEL_KIND_MICROMAPS = 4, /* opacity micromap array: struct accel_header, then entries and states (below) */
};

enum accel_flag {
    ACCEL_FLAG_QUANTIZED_NODES = 0x1,  /* nodes are struct accel_quantized_node */
    ACCEL_FLAG_INDEXED_LEAVES = 0x2,   /* triangles: leaves are struct accel_indexed_leaf */
    ACCEL_FLAG_HAS_MICROMAPS = 0x4,    /* a geometry is linked to opacity micromaps */
    ACCEL_FLAG_ALL_OPAQUE = 0x8,       /* every geometry has the opaque flag */
    ACCEL_FLAG_IDENTITY_INSTANCE = 0x10, /* top level with exactly one active instance whose transform is the identity */
    ACCEL_FLAG_DUPLICATES = 0x20,      /* spatial splits: a primitive may be in several leaves */
};

/* Child reference. Bit 31 clear: index of a node. Bit 31 set: leaf.
 *   triangles, boxes: bits 0..28 index of the first block, bits 29..30 number of blocks minus 1
 *   indexed leaves:   bits 0..30 place of the leaf in the leaf section, in units of the header's leaf_unit_bytes
 *   instances:        bits 0..30 index of the instance
 * ACCEL_REF_EMPTY: no child (its box is empty too: lower +FLT_MAX, upper -FLT_MAX). */
#define ACCEL_REF_LEAF_MASK 0x80000000u
#define ACCEL_REF_BLOCK_INDEX_MASK 0x1fffffffu
#define ACCEL_REF_BLOCK_COUNT_SHIFT 29
#define ACCEL_REF_INSTANCE_MASK 0x7fffffffu
#define ACCEL_REF_UNIT_MASK 0x7fffffffu
#define ACCEL_REF_EMPTY 0xffffffffu

static inline uint32_t accel_ref_block_count(uint32_t ref)
{
    return ((ref >> ACCEL_REF_BLOCK_COUNT_SHIFT) & 3) + 1;
}

static inline uint32_t accel_ref_leaf(uint32_t block_index, uint32_t block_count)
{
    return ACCEL_REF_LEAF_MASK | (block_count - 1) << ACCEL_REF_BLOCK_COUNT_SHIFT | block_index;
}

/* bounds: [lower or upper][axis] of all active primitives, finite; lower > upper when there are none. */
struct accel_header {
    uint32_t magic;
    uint32_t version;
    uint32_t kind;        /* enum accel_kind */
    uint32_t flags;       /* enum accel_flag */
    uint32_t build_flags; /* D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS as given */
    uint32_t root;        /* reference of the root: a node, a single leaf, or ACCEL_REF_EMPTY */
    float bounds[2][3];
    uint64_t structure_bytes; /* header to end of the last section: CURRENT_SIZE and COMPACTED_SIZE */
    uint64_t geometry_offset;
    uint64_t node_offset;
    uint64_t leaf_offset;
    uint64_t micromap_link_offset; /* bottom level: linkage table; 0 without linked geometry */
    uint64_t update_offset;
    uint64_t reserved_offset; /* 0 */
    uint32_t geometry_count; /* instances: 0 */
    uint32_t node_count;
    uint32_t leaf_count;     /* blocks, instances, or units of indexed leaves */
    uint32_t primitive_count; /* inactive ones included */
    uint32_t active_count;
    uint32_t depth;          /* levels of nodes, 0 when root is no node */
    uint32_t blas_pointer_count; /* serialisation: addresses that an application patches */
    /* instances: the most that rounding of the ray's transform can be magnified by a transform and its inverse
     * (1 for the identity); scales the traversal's box margin. 1 for the bottom level. */
    float transform_condition;
    float sah_cost;          /* of the tree as built, for tools */
    uint32_t micromap_count; /* bottom level: linked geometries that have an array (pointers of the serialised form) */
    uint64_t state_offset;   /* micromap array: the packed states */
    uint64_t updates;        /* number of updates since the last build */
    uint32_t leaf_unit_bytes; /* indexed leaves: a power of two from 4 to 64; else 0 */
    uint8_t reserved[92];
};
_Static_assert(sizeof(struct accel_header) == 256, "header bytes");

/* What an update, a copy or a tool needs to know of a geometry. 32 bytes. */
struct accel_geometry_entry {
    uint32_t type;  /* D3D12_RAYTRACING_GEOMETRY_TYPE */
    uint32_t flags; /* D3D12_RAYTRACING_GEOMETRY_FLAGS */
    uint32_t primitive_count;
    uint32_t vertex_count;
    uint32_t index_format;
    uint32_t vertex_format;
    uint64_t reserved;
};
_Static_assert(sizeof(struct accel_geometry_entry) == 32, "geometry entry bytes");

/* How triangles of a geometry find their opacity micromaps, whatever the leaves look like: an array of index_bytes each
 * at index_offset, one index a triangle in the application's order; index_offset 0: triangle i has index i. The four
 * greatest values of index_bytes (ACCEL_MICROMAP_SPECIAL) stand for a whole triangle of one state, all others count
 * from base_location on in the micromap array. 32 bytes. */
struct accel_micromap_linkage {
    uint64_t array;         /* address of a structure of ACCEL_KIND_MICROMAPS; 0: special indices only, or not linked */
    uint64_t index_offset;
    uint32_t index_bytes;   /* 1, 2 or 4 */
    uint32_t base_location;
    uint32_t used_count;    /* entries that the array must have: the greatest index with base_location, plus 1 */
    uint32_t is_linked;     /* 0: the geometry has no micromaps, its opaque flag counts */
};
_Static_assert(sizeof(struct accel_micromap_linkage) == 32, "micromap linkage bytes");

enum { ACCEL_MICROMAP_SPECIAL_COUNT = 4, ACCEL_MICROMAP_MAX_LEVEL = 12 };

enum accel_micromap_format { ACCEL_MICROMAP_2_STATE = 1, ACCEL_MICROMAP_4_STATE = 2 }; /* and bits of a state */

/* The low bit alone is the state in 2-state mode. */
enum accel_micromap_state {
    ACCEL_MICROMAP_TRANSPARENT = 0,
    ACCEL_MICROMAP_OPAQUE = 1,
    ACCEL_MICROMAP_UNKNOWN_TRANSPARENT = 2,
    ACCEL_MICROMAP_UNKNOWN_OPAQUE = 3,
};

/* One micromap of an array: entries at leaf_offset, leaf_count of them, in the application's order. Its states are
 * 4^level times format bits at state_offset + state_byte, along the curve of docs/bvh.md, low bits first. The layout is
 * that of D3D12_RAYTRACING_OPACITY_MICROMAP_DESC. 8 bytes. */
struct accel_micromap {
    uint32_t state_byte;
    uint16_t level;
    uint16_t format; /* enum accel_micromap_format */
};
_Static_assert(sizeof(struct accel_micromap) == 8, "micromap bytes");

static inline uint32_t accel_micromap_state_bytes(uint32_t level, uint32_t format)
{
    return ((format << (2 * level)) + 7) / 8;
}

/* planes[axis * 2 + (0 lower | 1 upper)][child]. 224 bytes. */
struct accel_node {
    float planes[6][ACCEL_NODE_WIDTH];
    uint32_t children[ACCEL_NODE_WIDTH];
};
_Static_assert(sizeof(struct accel_node) == 224, "node bytes");

/* Quantised variant, 96 bytes: plane = origin[axis] + byte * scale, computed in float, where scale is the float with the
 * bits exponent[axis] << 23 (a power of two, so only the sum is rounded). Planes lie outside the boxes that they stand
 * for, or on them. No child: lower 255, upper 0. */
struct accel_quantized_node {
    float origin[3];
    uint8_t exponent[3];
    uint8_t reserved;
    uint8_t planes[6][ACCEL_NODE_WIDTH];
    uint32_t children[ACCEL_NODE_WIDTH];
};
_Static_assert(sizeof(struct accel_quantized_node) == 96, "quantised node bytes");

/* geometry word of a leaf lane: bits 0..23 geometry index, bits 24..31 D3D12_RAYTRACING_GEOMETRY_FLAGS. */
#define ACCEL_GEOMETRY_INDEX_MASK 0x00ffffffu
#define ACCEL_GEOMETRY_FLAGS_SHIFT 24
#define ACCEL_GEOMETRY_OPAQUE 0x01000000u

/* Four triangles: vertices[axis][vertex][lane], in object space, Transform3x4 applied. Unused lanes: NaN vertices and
 * primitive ~0. 176 bytes. */
struct accel_triangle_block {
    float vertices[3][3][ACCEL_TRIANGLE_BLOCK_WIDTH];
    uint32_t primitives[ACCEL_TRIANGLE_BLOCK_WIDTH];
    uint32_t geometries[ACCEL_TRIANGLE_BLOCK_WIDTH];
};
_Static_assert(sizeof(struct accel_triangle_block) == 176, "triangle block bytes");

/* Indexed variant: a whole leaf of up to ACCEL_LEAF_MAX_TRIANGLES triangles whose vertices are stored once, bit for bit.
 * Behind this head, each part right behind the one before (accel/indexed.h):
 *   float vertices[vertex_count][3]
 *   uint8_t indices[blocks][3][4]     blocks = triangle_count / 4 rounded up; [block][vertex][lane]: triangle block * 4 +
 *                                     lane has that vertex at float indices[][][] of vertices (three times its number)
 *   uint32_t geometries[triangle_count]  only with ACCEL_LEAF_GEOMETRIES; else the head's geometry is that of all
 *   primitives[triangle_count]        of 1, 2 or 4 bytes, to be added to first_primitive
 *   zero bytes to a multiple of the header's leaf_unit_bytes
 * active_mask: bit i says that triangle i is there; without its bit it is degenerate now, and may come alive by an
 * update. 12 bytes. */
struct accel_indexed_leaf {
    uint8_t count_and_format; /* bits 0 to 4: triangle_count; 5, 6: log2 of the bytes of a primitive; ACCEL_LEAF_GEOMETRIES */
    uint8_t vertex_count;
    uint16_t active_mask;
    uint32_t first_primitive;
    uint32_t geometry;
};
_Static_assert(sizeof(struct accel_indexed_leaf) == 12, "indexed leaf head bytes");

enum {
    ACCEL_LEAF_MAX_TRIANGLES = 16,
    ACCEL_LEAF_COUNT_MASK = 0x1f,
    ACCEL_LEAF_PRIMITIVE_SHIFT = 5,
    ACCEL_LEAF_GEOMETRIES = 0x80,
    ACCEL_LEAF_MIN_UNIT_BYTES = 4,
    ACCEL_LEAF_MAX_UNIT_BYTES = 64,
};

/* Eight boxes, planes as in a node. Unused lanes: empty box and primitive ~0. 256 bytes. */
struct accel_box_block {
    float planes[6][ACCEL_BOX_BLOCK_WIDTH];
    uint32_t primitives[ACCEL_BOX_BLOCK_WIDTH];
    uint32_t geometries[ACCEL_BOX_BLOCK_WIDTH];
};
_Static_assert(sizeof(struct accel_box_block) == 256, "box block bytes");
_Static_assert(sizeof(struct abi_instance) == 128, "instance bytes");

#endif
