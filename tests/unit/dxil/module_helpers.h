/* SPDX-License-Identifier: MIT
 * Shared by the tests of containers and modules: reading fixtures, and building containers from changed records. */
#ifndef CDXR_TESTS_DXIL_MODULE_HELPERS_H
#define CDXR_TESTS_DXIL_MODULE_HELPERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dxil/bitstream.h"
#include "dxil/container.h"
#include "dxil/module.h"

/* malloc'ed bytes of tests/fixtures/dxil/name. */
static inline uint8_t *load_fixture(const char *name, size_t *byte_count)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/dxil/%s", CDXR_FIXTURES, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot open %s", path);
    fseek(file, 0, SEEK_END);
    *byte_count = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*byte_count + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *byte_count, file), *byte_count);
    fclose(file);
    return bytes;
}

/* A program opened for changes: its records, and what a new container needs. */
struct editable {
    uint8_t *bytes;
    struct dxil_program program;
    struct bitstream stream;
};

static inline struct editable open_fixture(const char *name, bool debug)
{
    struct editable e = {0};
    struct dxil_container container;
    struct reason reason = {{0}};
    size_t byte_count;
    e.bytes = load_fixture(name, &byte_count);
    assert_int_equal(dxil_container_parse(e.bytes, byte_count, NULL, &container, &reason), STATUS_OK);
    assert_int_equal(dxil_container_program(&container, debug, &e.program, &reason), STATUS_OK);
    assert_int_equal(bitstream_read(e.program.bitcode, e.program.bitcode_bytes, &e.stream, &reason), STATUS_OK);
    return e;
}

static inline void close_fixture(struct editable *e)
{
    bitstream_finish(&e->stream);
    free(e->bytes);
}

/* A signed container with the records as they are now. */
static inline uint8_t *rebuild_container(const struct editable *e, size_t *byte_count)
{
    uint8_t *bitcode;
    size_t bitcode_bytes;
    assert_int_equal(bitstream_write(&e->stream, &bitcode, &bitcode_bytes), STATUS_OK);
    uint32_t part_bytes = (uint32_t)(24 + bitcode_bytes), total = 44 + part_bytes;
    uint32_t version = e->program.shader_kind << 16 | e->program.major << 4 | e->program.minor;
    uint32_t words[17] = {DXIL_PART_KIND_CONTAINER, 0, 0, 0, 0, 1, total, 1, 36, DXIL_PART_KIND_PROGRAM, part_bytes,
                          version, part_bytes / 4, DXIL_PART_KIND_PROGRAM, 0x100, 16, (uint32_t)bitcode_bytes};
    uint8_t *container = malloc(total);
    assert_non_null(container);
    memcpy(container, words, sizeof(words));
    memcpy(container + sizeof(words), bitcode, bitcode_bytes);
    free(bitcode);
    dxil_container_hash(container, total, container + 4);
    *byte_count = total;
    return container;
}

/* Load what the records say now; the reason's text is kept. */
static inline enum status load_edited(const struct editable *e, struct reason *reason)
{
    size_t byte_count;
    uint8_t *container = rebuild_container(e, &byte_count);
    struct dxil_module *module = NULL;
    memset(reason, 0, sizeof(*reason));
    enum status status = dxil_module_create(container, byte_count, NULL, &module, reason);
    dxil_module_destroy(module);
    free(container);
    return status;
}

#endif
