/* SPDX-License-Identifier: MIT
 * A checked DXIL module: from container bytes to a description and to bitcode that LLVM may read. Called by d3d12 when a
 * state object or compute pipeline is created; the description goes to d3d12 (exports, resources against root
 * signatures) and, with the bitcode, to jit. What is not understood is refused with a reason that names the thing.
 * A module is immutable once created: any number of threads may read it. */
#ifndef CDXR_DXIL_MODULE_H
#define CDXR_DXIL_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "dxil/container.h"
#include "dxil/op_table.h"

enum dxil_resource_class {
    DXIL_RESOURCE_CLASS_SRV = 0,
    DXIL_RESOURCE_CLASS_UAV = 1,
    DXIL_RESOURCE_CLASS_CBV = 2,
    DXIL_RESOURCE_CLASS_SAMPLER = 3,
};

/* DXIL numbering. */
enum dxil_resource_kind {
    DXIL_RESOURCE_KIND_INVALID = 0,
    DXIL_RESOURCE_KIND_TEXTURE1D = 1,
    DXIL_RESOURCE_KIND_TEXTURE2D = 2,
    DXIL_RESOURCE_KIND_TEXTURE2DMS = 3,
    DXIL_RESOURCE_KIND_TEXTURE3D = 4,
    DXIL_RESOURCE_KIND_TEXTURECUBE = 5,
    DXIL_RESOURCE_KIND_TEXTURE1DARRAY = 6,
    DXIL_RESOURCE_KIND_TEXTURE2DARRAY = 7,
    DXIL_RESOURCE_KIND_TEXTURE2DMSARRAY = 8,
    DXIL_RESOURCE_KIND_TEXTURECUBEARRAY = 9,
    DXIL_RESOURCE_KIND_TYPEDBUFFER = 10,
    DXIL_RESOURCE_KIND_RAWBUFFER = 11,
    DXIL_RESOURCE_KIND_STRUCTUREDBUFFER = 12,
    DXIL_RESOURCE_KIND_CBUFFER = 13,
    DXIL_RESOURCE_KIND_SAMPLER = 14,
    DXIL_RESOURCE_KIND_TBUFFER = 15,
    DXIL_RESOURCE_KIND_ACCELERATIONSTRUCTURE = 16,
    DXIL_RESOURCE_KIND_FEEDBACKTEXTURE2D = 17,
    DXIL_RESOURCE_KIND_FEEDBACKTEXTURE2DARRAY = 18,
};

/* DXIL numbering of element types. */
enum dxil_component_type {
    DXIL_COMPONENT_TYPE_INVALID = 0,
    DXIL_COMPONENT_TYPE_I1 = 1,
    DXIL_COMPONENT_TYPE_I16 = 2,
    DXIL_COMPONENT_TYPE_U16 = 3,
    DXIL_COMPONENT_TYPE_I32 = 4,
    DXIL_COMPONENT_TYPE_U32 = 5,
    DXIL_COMPONENT_TYPE_I64 = 6,
    DXIL_COMPONENT_TYPE_U64 = 7,
    DXIL_COMPONENT_TYPE_F16 = 8,
    DXIL_COMPONENT_TYPE_F32 = 9,
    DXIL_COMPONENT_TYPE_F64 = 10,
    DXIL_COMPONENT_TYPE_SNORM_F16 = 11,
    DXIL_COMPONENT_TYPE_UNORM_F16 = 12,
    DXIL_COMPONENT_TYPE_SNORM_F32 = 13,
    DXIL_COMPONENT_TYPE_UNORM_F32 = 14,
    DXIL_COMPONENT_TYPE_SNORM_F64 = 15,
    DXIL_COMPONENT_TYPE_UNORM_F64 = 16,
    DXIL_COMPONENT_TYPE_PACKED_S8X32 = 17,
    DXIL_COMPONENT_TYPE_PACKED_U8X32 = 18,
};

#define DXIL_RANGE_UNBOUNDED 0xffffffffu

struct dxil_resource {
    enum dxil_resource_class resource_class;
    uint32_t range_id;    /* as createHandle names it, per class */
    uint32_t space;
    uint32_t lower_bound; /* first register */
    uint32_t range_count; /* registers, DXIL_RANGE_UNBOUNDED = no upper end */
    enum dxil_resource_kind kind;
    enum dxil_component_type component_type; /* typed buffers and textures */
    uint32_t sample_count;                   /* multi-sampled SRVs, else 0 */
    uint32_t stride_bytes;                   /* structured buffers */
    uint32_t cbuffer_bytes;
    uint32_t sampler_kind; /* 0 default, 1 comparison, 2 mono */
    bool globally_coherent;
    bool reorder_coherent;
    bool has_counter;
    bool rasterizer_ordered;
    bool atomics64;
    const char *name;   /* HLSL name, may be "" */
    const char *symbol; /* name of the module's global variable that createHandleForLib reads, NULL if it has none */
};

enum dxil_denorm_mode {
    DXIL_DENORM_MODE_ANY,
    DXIL_DENORM_MODE_PRESERVE,
    DXIL_DENORM_MODE_FLUSH,
};

/* A function of the module, in the order of its records. dx.op and llvm.* functions are not listed. */
struct dxil_function {
    const char *name;       /* LLVM symbol, e.g. "\01?RayGen@@YAXXZ" */
    const char *plain_name; /* without C++ mangling: "RayGen" */
    bool defined;           /* false: must come from another library */
    bool exported;          /* external linkage */
    bool is_entry;          /* has a row in dx.entryPoints */
    enum dxil_shader_kind kind; /* LIBRARY for plain functions */
    uint32_t payload_bytes;     /* HLSL size; also the parameter of callable shaders */
    uint32_t attribute_bytes;
    /* What the two take in memory by LLVM's layout, from the types of the parameters; 0: no such parameter. */
    uint32_t payload_memory_bytes, attribute_memory_bytes;
    bool has_qualified_payload; /* its payload's type has payload access qualifiers */
    uint32_t thread_count[3]; /* numthreads of compute */
    uint32_t groupshared_bytes; /* shaders in C; with DXIL, jit adds up the variables that are reached */
    uint32_t wave_minimum, wave_maximum, wave_preferred; /* [WaveSize]; 0 = not given. One value: all three equal */
    uint64_t entry_flags; /* shader flags of the entry's properties (DXIL shader flags) */
    enum dxil_denorm_mode denorm_mode;
    /* [parameter_count] memory behind a parameter that is a pointer, 0 for others. */
    uint32_t parameter_count;
    const uint64_t *parameter_memory_bytes;
    /* dx.op operations that the body calls itself, ascending and unique. */
    uint32_t op_count;
    const struct dxil_op *const *ops;
    /* Indices into dxil_module.functions of the functions it calls, unique. */
    uint32_t callee_count;
    const uint32_t *callees;
};

/* DXIL shader flags (entry_flags, module flags), those that matter below. */
#define DXIL_SHADER_FLAG_LOW_PRECISION (1ull << 5)         /* uses half or 16-bit integers */
#define DXIL_SHADER_FLAG_NATIVE_LOW_PRECISION (1ull << 23) /* -enable-16bit-types: they take 16 bits in memory */

struct dxil_module {
    enum dxil_shader_kind shader_kind; /* COMPUTE or LIBRARY */
    uint32_t major, minor;             /* shader model */
    uint32_t validator_major, validator_minor;
    bool native_16bit;    /* 16-bit types take 16 bits; else minimum precision */
    bool has_debug_info;
    bool has_payload_qualifiers; /* payload access qualifiers (dx.dxrPayloadAnnotations) */
    enum dxil_hash_kind hash_kind;
    uint64_t feature_flags; /* SFI0, 0 if absent */

    uint32_t resource_count;
    const struct dxil_resource *resources; /* SRVs, UAVs, CBVs, samplers, each by range_id */
    uint32_t function_count;
    const struct dxil_function *functions;

    /* Bitcode for LLVM 19: rewritten from what the checker understood, so that LLVM reads nothing that was not checked.
     * Ends with a zero byte behind bitcode_bytes. */
    const uint8_t *bitcode;
    size_t bitcode_bytes;

    bool is_c; /* not DXIL: bitcode of shaders written in C (jit/c_library.h), trusted */
    void (*destroy)(struct dxil_module *module); /* NULL: made by dxil_module_create */
};

/* Check a container and describe its module. On success *module owns copies of all it needs (bytes may be freed);
 * destroy with dxil_module_destroy. Failure: STATUS_CORRUPT, STATUS_INVALID, STATUS_UNSUPPORTED or
 * STATUS_OUT_OF_MEMORY with the reason; *module is left unchanged. Cost is linear in byte_count. options NULL = defaults. */
MUST_USE enum status dxil_module_create(const void *bytes, size_t byte_count, const struct dxil_options *options,
                                        struct dxil_module **module, struct reason *reason);
/* NULL is allowed. */
void dxil_module_destroy(struct dxil_module *module);

/* The function with this LLVM symbol or plain name; NULL if there is none. An exact symbol wins; a plain name that fits
 * several overloads yields NULL and *ambiguous = true (ambiguous may be NULL). */
const struct dxil_function *dxil_module_find_function(const struct dxil_module *module, const char *name,
                                                      bool *ambiguous);
/* The plain name inside a mangled one: "\01?Name@@YAXXZ" -> "Name"; a name that is not mangled comes back whole. Returns a
 * pointer into mangled and the length: no copy, no terminator. */
const char *dxil_name_plain(const char *mangled, size_t *length_bytes);

#endif
