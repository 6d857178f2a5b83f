/* SPDX-License-Identifier: MIT
 * A test vector in memory (format: tests/fixtures/README.md, "Vector format"). parse.c fills it, run.c executes its
 * steps through the public D3D12 API. */
#ifndef CDXR_TESTS_VECTOR_H
#define CDXR_TESTS_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/gpu.h"

enum resource_kind {
    RESOURCE_RAW,
    RESOURCE_STRUCTURED,
    RESOURCE_COUNTED,
    RESOURCE_TYPED,
    RESOURCE_CBUFFER,
    RESOURCE_CONSTANTS,
    RESOURCE_TEXTURE,
    RESOURCE_SAMPLER,
    RESOURCE_TLAS,
};

enum { NAME_BYTES = 64, MAX_MIPS = 15 };

struct resource {
    char name[NAME_BYTES];
    enum resource_kind kind;
    uint32_t stride, counter, byte_count;
    DXGI_FORMAT format;
    char shape[16]; /* textures: 1d, 1darray, ... */
    uint32_t width, height, depth, mip_count, sample_count;
    uint32_t *words; /* data of all mips */
    size_t word_count, word_capacity;
    size_t mip_start[MAX_MIPS + 1]; /* word index */
    D3D12_SAMPLER_DESC sampler;
    bool is_written; /* an expectation looks at it */
    ID3D12Resource *object;
    ID3D12Resource *counter_object;
};

struct geometry {
    bool is_boxes;
    uint32_t flags, vertex_count, index_count;
    float *floats; /* vertices or boxes */
    size_t float_count;
    uint32_t *indices;
    ID3D12Resource *omm_array; /* of its 'omm' statements; NULL: none */
};

struct blas {
    char name[NAME_BYTES];
    struct geometry *geometries;
    size_t geometry_count;
    ID3D12Resource *object;
};

struct omm {
    char blas[NAME_BYTES];
    uint32_t geometry, primitive, level;
    bool is_4state;
    uint8_t data[4096];
    size_t data_bytes;
};

struct instance {
    char blas[NAME_BYTES];
    uint32_t id, mask, contribution, flags;
    float transform[12];
};

struct binding { /* of a register, or of a heap slot (register_class 'h' and 'p') */
    char register_class;
    uint32_t index, space;
    char resource[NAME_BYTES];
};

enum record_kind { RECORD_RAYGEN, RECORD_MISS, RECORD_HIT, RECORD_CALLABLE, RECORD_KIND_COUNT };

struct record {
    enum record_kind kind;
    uint32_t index;
    char entry[256]; /* or the group's name; "-" = no shader */
    char closest_hit[256], any_hit[256], intersection[256];
    struct binding *locals;
    size_t local_count;
};

enum step_kind { STEP_POKE, STEP_DISPATCH_RAYS, STEP_DISPATCH, STEP_EXPECT, STEP_EXPECT_COUNTER };

struct expectation {
    char resource[NAME_BYTES];
    char layout[256];
    double absolute, relative;
    uint32_t max_bad, first, row_count, ulps;
    char (*rows)[4096]; /* text of each row */
};

struct step {
    enum step_kind kind;
    int line;
    char name[256]; /* poke: resource; dispatch: entry */
    uint32_t values[3];
    size_t record_count; /* records before it: what its shader tables hold; a later one of the same place wins */
    struct expectation expectation;
};

struct vector {
    char test[256];
    struct resource *resources;
    size_t resource_count;
    struct blas *blases;
    size_t blas_count;
    struct omm *omms;
    size_t omm_count;
    struct instance *instances;
    size_t instance_count;
    struct binding *bindings;
    size_t binding_count;
    struct record *records;
    size_t record_count;
    struct step *steps;
    size_t step_count;
    char modules[8][256];
    size_t module_count;
    uint32_t payload_bytes, attribute_bytes, recursion, flags, wave_size;
};

/* False with a line on stderr when the text breaks the format. */
bool vector_parse(const char *path, struct vector *vector);
void vector_free(struct vector *vector);
struct resource *vector_resource(struct vector *vector, const char *name);

/* Formats by the names that the vectors use. */
DXGI_FORMAT format_by_name(const char *name);
uint32_t format_bytes(DXGI_FORMAT format);
/* Decode one element to words as the layout letters want them (float bits or integers). */
void format_decode(DXGI_FORMAT format, const void *element, uint32_t out[4]);

struct run;
struct run_result {
    unsigned passed, failed;
};
/* Execute all steps; module files are looked up in modules_dir. */
struct run_result vector_run(struct vector *vector, const char *modules_dir, bool verbose);

/* Shader tables of the dispatches that come after record_count records. */
enum { MAX_TABLE_SETS = 16 };
struct table_set {
    size_t record_count;
    ID3D12Resource *tables[RECORD_KIND_COUNT];
    uint64_t table_bytes[RECORD_KIND_COUNT], table_stride[RECORD_KIND_COUNT];
};

/* --- parts of run.c, one file each --- */
struct run {
    struct gpu gpu;
    struct vector *vector;
    const char *modules_dir;
    ID3D12RootSignature *root_signature;
    D3D12_ROOT_SIGNATURE_DESC1 root_desc; /* of root_signature; empty when there is none */
    ID3D12VersionedRootSignatureDeserializer *root_deserializer;
    ID3D12DescriptorHeap *heap, *sampler_heap;
    uint32_t heap_used, sampler_heap_used;
    ID3D12Resource *tlas;
    ID3D12StateObject *pipeline;
    ID3D12PipelineState *compute;
    struct table_set table_sets[MAX_TABLE_SETS];
    size_t table_set_count;
    bool verbose;
};

bool scene_build(struct run *run);                  /* scene.c: resources, BLASes, TLAS */
bool root_signature_use(struct run *run, const void *bytes, size_t byte_count);
bool root_signature_load(struct run *run, const void *module, size_t module_bytes);
bool pipeline_create(struct run *run);              /* pipeline.c: state object or compute PSO, shader tables */
struct table_set *run_table_set(struct run *run, const struct step *step); /* NULL: none was made */
bool bind_heaps(struct run *run);                   /* bind.c */
bool bind_global(struct run *run);
/* Root arguments of a record after its identifier; returns bytes written. */
size_t bind_local(struct run *run, const struct record *record, uint8_t *out);
/* The local root signature a record needs, NULL when it has no local bindings. */
ID3D12RootSignature *bind_local_signature(struct run *run, const struct record *record);
bool expect_check(struct run *run, const struct step *step); /* expect.c */
void *file_read(const char *path, size_t *byte_count);

#endif
