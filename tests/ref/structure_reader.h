/* SPDX-License-Identifier: MIT
 * A slow, independent reader of acceleration structures: written from docs/bvh.md alone, it shares no definition with the
 * library. Everything that the text promises is checked on the way; what is found is copied out in plain arrays. */
#ifndef CDXR_TESTS_REF_STRUCTURE_READER_H
#define CDXR_TESTS_REF_STRUCTURE_READER_H

#include <stdbool.h>
#include <stdint.h>

enum reader_kind { READER_TRIANGLES = 1, READER_BOXES = 2, READER_INSTANCES = 3, READER_MICROMAPS = 4 };

struct reader_geometry {
    uint32_t type, flags, primitive_count, vertex_count, index_format, vertex_format;
    /* micromap linkage; is_linked 0: none */
    uint32_t is_linked, micromap_index_bytes, micromap_base, micromap_used_count;
    uint64_t micromap_array;
    uint32_t *micromap_indices; /* primitive_count, special ones as the four greatest 32-bit values; NULL: not linked */
};

/* A triangle or box of the tree. values: v0 xyz, v1 xyz, v2 xyz, or lower xyz, upper xyz. */
struct reader_primitive {
    uint32_t geometry, primitive, geometry_flags;
    float values[9];
    bool is_dead; /* NaN vertices, an empty box: degenerate now, an update may change it */
};

struct reader_instance {
    float object_to_world[12], world_to_object[12];
    uint64_t bottom_level;
    uint32_t id, contribution, mask, flags;
    bool is_active; /* the tree names it */
};

struct reader_micromap {
    uint32_t level, bits;
    uint8_t *states; /* 4^level, in the order of the curve */
};

struct reader_contents {
    char error[200]; /* empty: everything is as the text says */
    uint32_t kind, flags, build_flags, primitive_count, active_count, depth, pointer_count;
    uint64_t structure_bytes, updates;
    float bounds[2][3];
    struct reader_geometry *geometries;
    uint32_t geometry_count;
    struct reader_primitive *primitives; /* in tree order; with duplicates where spatial splits made them */
    uint32_t found_count, found_capacity;
    struct reader_instance *instances;
    uint32_t instance_count;
    struct reader_micromap *micromaps;
    uint32_t micromap_count;
};

/* False: contents->error says what contradicts the text. Finish the contents in both cases. */
bool reader_read(const void *structure, uint64_t byte_count, struct reader_contents *contents);
void reader_finish(struct reader_contents *contents);

/* The serialised form: checks envelope and hash. *structure points into the bytes. pointers[capacity] receives the
 * addresses, *pointer_count their number. False: error[200] says what is wrong. */
bool reader_open_serialized(const void *bytes, uint64_t byte_count, const void **structure, uint64_t *structure_bytes,
                            uint64_t *pointers, uint32_t capacity, uint32_t *pointer_count, char error[200]);

#endif
