/* SPDX-License-Identifier: MIT
 * Building acceleration structures. exec/ translates D3D12 descriptions into these inputs, with all addresses and
 * ranges checked against the address map; accel/ reads vertices, indices, boxes and instances, and writes the block of
 * accel/layout.h. Nothing is allocated: all work happens in result and scratch. Numbers of formats, flags and types
 * are those of D3D12 and DXGI, so that no table stands between. */
#ifndef CDXR_ACCEL_BUILD_H
#define CDXR_ACCEL_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "accel/layout.h"
#include "base/status.h"

struct thread_pool;

enum accel_build_flag { /* D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS */
    ACCEL_BUILD_FLAG_ALLOW_UPDATE = 0x1,
    ACCEL_BUILD_FLAG_ALLOW_COMPACTION = 0x2,
    ACCEL_BUILD_FLAG_PREFER_FAST_TRACE = 0x4,
    ACCEL_BUILD_FLAG_PREFER_FAST_BUILD = 0x8,
    ACCEL_BUILD_FLAG_MINIMIZE_MEMORY = 0x10,
    ACCEL_BUILD_FLAG_PERFORM_UPDATE = 0x20,
    ACCEL_BUILD_FLAG_ALLOW_OMM_UPDATE = 0x40,
    ACCEL_BUILD_FLAG_ALLOW_DISABLE_OMMS = 0x80,
};
enum accel_level { ACCEL_LEVEL_TOP = 0, ACCEL_LEVEL_BOTTOM = 1, ACCEL_LEVEL_MICROMAPS = 2 };
enum accel_geometry_type { ACCEL_GEOMETRY_TRIANGLES = 0, ACCEL_GEOMETRY_BOXES = 1, ACCEL_GEOMETRY_OMM_TRIANGLES = 2 };
enum accel_geometry_flag { ACCEL_GEOMETRY_FLAG_OPAQUE = 0x1, ACCEL_GEOMETRY_FLAG_NO_DUPLICATE_ANY_HIT = 0x2 };
enum accel_instance_flag { /* D3D12_RAYTRACING_INSTANCE_FLAGS */
    ACCEL_INSTANCE_FLAG_TRIANGLE_CULL_DISABLE = 0x1,
    ACCEL_INSTANCE_FLAG_FRONT_COUNTERCLOCKWISE = 0x2,
    ACCEL_INSTANCE_FLAG_FORCE_OPAQUE = 0x4,
    ACCEL_INSTANCE_FLAG_FORCE_NON_OPAQUE = 0x8,
    ACCEL_INSTANCE_FLAG_FORCE_OMM_2_STATE = 0x10,
    ACCEL_INSTANCE_FLAG_DISABLE_OMMS = 0x20,
};
enum accel_instances_layout { ACCEL_INSTANCES_ARRAY = 0, ACCEL_INSTANCES_ARRAY_OF_POINTERS = 1 };

/* Link of a geometry to an opacity micromap array (accel/micromap_link.c). */
struct accel_micromap_link {
    uint64_t array;        /* address of a built micromap array, 0 = none: special indices only */
    uint64_t index_buffer; /* one index a triangle; 0: triangle i uses micromap i */
    uint64_t index_stride_bytes;
    uint32_t index_format; /* DXGI_FORMAT R8_UINT 62, R16_UINT 57, R32_UINT 42; UNKNOWN 0 without a buffer */
    uint32_t base_location;
};

/* vertex_stride_bytes: only its lower 32 bits count; 0: all vertices are the first. A vertex index that is not below
 * vertex_count makes its triangle inactive, so [vertices, stride, vertex_count] is all that is ever read. */
struct accel_triangles {
    uint64_t vertices;
    uint64_t vertex_stride_bytes;
    uint32_t vertex_count;
    uint32_t vertex_format; /* DXGI_FORMAT */
    uint64_t indices;       /* 0: not indexed */
    uint32_t index_count;   /* vertex_count is used when not indexed; a remainder below 3 is left out */
    uint32_t index_format;  /* DXGI_FORMAT UNKNOWN 0, R32_UINT 42, R16_UINT 57 */
    uint64_t transform;     /* address of float[3][4], row-major; 0: none */
    const struct accel_micromap_link *micromaps; /* NULL: none */
};

/* D3D12_RAYTRACING_AABB: float MinX, MinY, MinZ, MaxX, MaxY, MaxZ. */
struct accel_boxes {
    uint64_t boxes;
    uint64_t stride_bytes;
    uint64_t count;
};

struct accel_geometry {
    uint32_t type;  /* enum accel_geometry_type; all geometries of one build have the same */
    uint32_t flags; /* enum accel_geometry_flag */
    union {
        struct accel_triangles triangles;
        struct accel_boxes boxes;
    };
};

/* D3D12_RAYTRACING_OPACITY_MICROMAP_HISTOGRAM_ENTRY. */
struct accel_micromap_histogram {
    uint32_t count, level, format;
};

/* D3D12_RAYTRACING_OPACITY_MICROMAP_ARRAY_DESC. The histogram is CPU memory; the rest is read by the build only. */
struct accel_micromap_array {
    const struct accel_micromap_histogram *histogram;
    uint32_t histogram_count;
    uint64_t input;             /* raw states; micromap i starts at input + its ByteOffset */
    uint64_t descs;             /* struct accel_micromap each, state_byte from input; as many as the histogram says */
    uint64_t desc_stride_bytes;
};

/* A build description. Top level: instances is the address of D3D12_RAYTRACING_INSTANCE_DESC[count] or of
 * uint64_t[count] pointing at them. Bottom level: geometries[count]. Micromaps: micromap_array. */
struct accel_build_inputs {
    uint32_t level;            /* enum accel_level */
    uint32_t flags;            /* enum accel_build_flag */
    uint32_t count;
    uint32_t instances_layout; /* enum accel_instances_layout */
    uint64_t instances;
    const struct accel_geometry *geometries;
    const struct accel_micromap_array *micromap_array; /* ACCEL_LEVEL_MICROMAPS; count is 1 */
};

struct accel_prebuild_info {
    uint64_t result_bytes;
    uint64_t scratch_bytes;
    uint64_t update_scratch_bytes; /* 0 without ALLOW_UPDATE */
};

/* Answers "how many bytes may be read from this address on" (0: none), so that the builder can check the pointers that
 * it finds in instance descriptions. */
struct accel_reader {
    uint64_t (*bytes_behind)(void *context, uint64_t address);
    void *context;
    /* Does a structure start there that is safe to walk? Asked of bottom levels and micromap arrays that inputs name.
     * NULL: what looks like a header is one. */
    bool (*is_sound)(void *context, uint64_t address);
};

struct accel_build_arguments {
    struct accel_build_inputs inputs;
    struct thread_pool *pool; /* NULL: the caller's thread alone; the result does not depend on it */
    void *result;             /* ACCEL_ALIGNMENT_BYTES aligned (micromaps: 128), prebuild result_bytes */
    void *scratch;            /* ACCEL_ALIGNMENT_BYTES aligned, prebuild scratch_bytes (update_scratch_bytes) */
    const void *source;       /* read with PERFORM_UPDATE only; may equal result */
    const struct accel_reader *reader; /* NULL: every non-zero instance pointer is trusted */
};

/* Sizes by counts, flags and null-ness of addresses alone: no address is read. All three are 0 on failure, which is
 * STATUS_INVALID for descriptions that break a rule (mixed geometry types, formats, counts, alignment). */
MUST_USE enum status accel_prebuild_info(const struct accel_build_inputs *inputs, struct accel_prebuild_info *info,
                                         struct reason *reason);

/* Build or, with PERFORM_UPDATE, refit. On failure the result holds no valid structure (its magic is cleared). */
MUST_USE enum status accel_build(const struct accel_build_arguments *arguments, struct reason *reason);

/* True when address starts a structure of this version whose sections lie inside available_bytes. Cheap: header only. */
bool accel_is_structure(const void *structure, uint64_t available_bytes);

/* Copies: D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE numbers. */
enum accel_copy_mode {
    ACCEL_COPY_CLONE = 0,
    ACCEL_COPY_COMPACT = 1,
    ACCEL_COPY_DECODE_FOR_TOOLS = 2,
    ACCEL_COPY_SERIALIZE = 3,
    ACCEL_COPY_DESERIALIZE = 4,
};
/* destination_bytes and source_bytes: what may be written and read. STATUS_CORRUPT: a serialised source that is
 * truncated, altered or foreign. */
MUST_USE enum status accel_copy(enum accel_copy_mode mode, void *destination, uint64_t destination_bytes,
                                const void *source, uint64_t source_bytes, struct reason *reason);

/* D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_TYPE numbers. out: 8 bytes, serialization 16 (size, count of
 * bottom-level pointers). *out_bytes receives which. */
enum accel_postbuild_type {
    ACCEL_POSTBUILD_COMPACTED_SIZE = 0,
    ACCEL_POSTBUILD_TOOLS_VISUALIZATION = 1,
    ACCEL_POSTBUILD_SERIALIZATION = 2,
    ACCEL_POSTBUILD_CURRENT_SIZE = 3,
};
MUST_USE enum status accel_postbuild_info(enum accel_postbuild_type type, const void *structure, uint64_t out[2],
                                          uint32_t *out_bytes, struct reason *reason);

/* The 16-byte GUID and 16-byte opaque version of D3D12_SERIALIZED_DATA_DRIVER_MATCHING_IDENTIFIER. */
void accel_driver_identifier(uint8_t identifier[32]);

#endif
