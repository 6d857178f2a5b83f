/* SPDX-License-Identifier: MIT
 * The DXBC/DXIL container: header, hash, table of parts. First step of every shader load: takes the bytes that the
 * application passes to CreateStateObject, CreateComputePipelineState or CreateRootSignature, hands views of the parts to
 * module.c, rdat.c and root_signature.c. Nothing is copied: the bytes must outlive the views. Any thread. */
#ifndef CDXR_DXIL_CONTAINER_H
#define CDXR_DXIL_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "dxil/op_table.h"

#define DXIL_FOURCC(a, b, c, d)                                                                              \
    ((uint32_t)(uint8_t)(a) | (uint32_t)(uint8_t)(b) << 8 | (uint32_t)(uint8_t)(c) << 16 |                   \
     (uint32_t)(uint8_t)(d) << 24)

enum dxil_part_kind {
    DXIL_PART_KIND_CONTAINER = DXIL_FOURCC('D', 'X', 'B', 'C'),
    DXIL_PART_KIND_FEATURE_INFO = DXIL_FOURCC('S', 'F', 'I', '0'),
    DXIL_PART_KIND_COMPILER_VERSION = DXIL_FOURCC('V', 'E', 'R', 'S'),
    DXIL_PART_KIND_RUNTIME_DATA = DXIL_FOURCC('R', 'D', 'A', 'T'),
    DXIL_PART_KIND_STATISTICS = DXIL_FOURCC('S', 'T', 'A', 'T'),
    DXIL_PART_KIND_HASH = DXIL_FOURCC('H', 'A', 'S', 'H'),
    DXIL_PART_KIND_PROGRAM = DXIL_FOURCC('D', 'X', 'I', 'L'),
    DXIL_PART_KIND_DEBUG_PROGRAM = DXIL_FOURCC('I', 'L', 'D', 'B'),
    DXIL_PART_KIND_DEBUG_NAME = DXIL_FOURCC('I', 'L', 'D', 'N'),
    DXIL_PART_KIND_PIPELINE_VALIDATION = DXIL_FOURCC('P', 'S', 'V', '0'),
    DXIL_PART_KIND_ROOT_SIGNATURE = DXIL_FOURCC('R', 'T', 'S', '0'),
    DXIL_PART_KIND_INPUT_SIGNATURE = DXIL_FOURCC('I', 'S', 'G', '1'),
    DXIL_PART_KIND_OUTPUT_SIGNATURE = DXIL_FOURCC('O', 'S', 'G', '1'),
};

/* What the 16 bytes after the magic say. */
enum dxil_hash_kind {
    DXIL_HASH_KIND_SIGNED,   /* the hash of the bytes that follow it: a validator passed the container */
    DXIL_HASH_KIND_UNSIGNED, /* all zero: nobody validated it */
    DXIL_HASH_KIND_BYPASS,   /* all 01: the author asks to skip the validator's signature */
    DXIL_HASH_KIND_PREVIEW,  /* all 02: a shader model that is not final */
};

struct dxil_options {
    /* Accept DXIL_HASH_KIND_UNSIGNED. D3D12 does so with experimental shader models enabled only. */
    bool allow_unsigned;
    /* Refuse DXIL_HASH_KIND_PREVIEW. Off by default: our checker runs on every module, so the mark protects nothing. */
    bool refuse_preview;
    /* Read the debug module (ILDB) in place of DXIL when the container has one. */
    bool prefer_debug;
};

struct dxil_part {
    uint32_t fourcc;      /* any value: unknown parts are kept, not refused */
    uint32_t data_offset; /* from the container's start, multiple of 4 */
    uint32_t data_bytes;
    const uint8_t *data;
};

#define DXIL_CONTAINER_PARTS_MAX 64

struct dxil_container {
    const uint8_t *data;
    uint32_t data_bytes; /* as the header says; bytes behind it are ignored */
    enum dxil_hash_kind hash_kind;
    uint32_t part_count;
    struct dxil_part parts[DXIL_CONTAINER_PARTS_MAX];
};

/* The LLVM bitcode of a DXIL or ILDB part with its program header. */
struct dxil_program {
    enum dxil_shader_kind shader_kind; /* LIBRARY or COMPUTE for all that we run, others are reported as they are */
    uint32_t major, minor;             /* shader model */
    const uint8_t *bitcode;            /* 4-byte aligned when the container is */
    uint32_t bitcode_bytes;
    bool debug; /* taken from ILDB */
};

/* What the process asks for: allow_unsigned after dxil_enable_unsigned() or with CDXR_UNSIGNED_DXIL=1, prefer_debug with
 * CDXR_SHADER_DEBUG=1. */
struct dxil_options dxil_options_default(void);
/* From now on unsigned containers are loaded by default: D3D12EnableExperimentalFeatures with
 * D3D12ExperimentalShaderModels, which is process-wide too. Any thread; there is no way back. */
void dxil_enable_unsigned(void);

/* Check header, hash policy, sizes and part table. Fails with STATUS_CORRUPT (format or wrong hash) or STATUS_INVALID
 * (unsigned or preview and not allowed); *container is written on success only. options NULL = defaults. */
MUST_USE enum status dxil_container_parse(const void *bytes, size_t byte_count, const struct dxil_options *options,
                                          struct dxil_container *container, struct reason *reason);
/* The first part with this four-character code, or NULL. */
const struct dxil_part *dxil_container_find(const struct dxil_container *container, uint32_t fourcc);
/* Find and check the program part. STATUS_INVALID when there is none ("contains DXBC bytecode ..." for SHEX). */
MUST_USE enum status dxil_container_program(const struct dxil_container *container, bool prefer_debug,
                                            struct dxil_program *program, struct reason *reason);
/* The container hash (MD5 with another padding) of the bytes behind the digest. data: whole container, at least 20
 * bytes. For the check, and for tests and fuzzers that repair a mutated container. */
void dxil_container_hash(const uint8_t *data, size_t byte_count, uint8_t digest[16]);

#endif
