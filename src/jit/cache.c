/* SPDX-License-Identifier: MIT
 * See cache.h. File: head (magic, version, byte counts, checksum of all that follows), struct abi_shader with its
 * pointers cleared, object file. Written under a temporary name and renamed, so that readers see whole files only. */
#include "jit/cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "jit/compile.h"
#include "jit/hash.h"

struct cache_head {
    uint32_t magic;
    uint32_t shader_bytes;
    uint64_t object_bytes;
    uint64_t checksum;
};

enum { CACHE_MAGIC = 0x31584443, CACHE_MAX_BYTES = 256 << 20 };

static bool cache_path(const char *directory, const char *symbol, char *path, size_t path_bytes)
{
    if (!directory || !*directory || strchr(symbol, '/'))
        return false;
    return (size_t)snprintf(path, path_bytes, "%s/%s.o", directory, symbol) < path_bytes;
}

static uint64_t cache_checksum(const struct abi_shader *shader, const void *object, size_t object_bytes)
{
    return jit_hash_bytes(jit_hash_bytes(JIT_HASH_SEED, shader, sizeof(*shader)), object, object_bytes);
}

bool jit_cache_load(const char *directory, const char *symbol, struct jit_compiled *compiled)
{
    char path[4096];
    if (!cache_path(directory, symbol, path, sizeof(path)))
        return false;
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    struct cache_head head;
    struct abi_shader shader;
    char *object = NULL;
    bool good = fread(&head, sizeof(head), 1, file) == 1 && head.magic == CACHE_MAGIC &&
                head.shader_bytes == sizeof(shader) && head.object_bytes < CACHE_MAX_BYTES &&
                fread(&shader, sizeof(shader), 1, file) == 1 && (object = malloc(head.object_bytes + 1)) &&
                fread(object, 1, head.object_bytes, file) == head.object_bytes &&
                cache_checksum(&shader, object, head.object_bytes) == head.checksum;
    fclose(file);
    if (good) {
        compiled->shader = shader;
        compiled->object = LLVMCreateMemoryBufferWithMemoryRangeCopy(object, head.object_bytes, symbol);
    }
    free(object);
    return good;
}

static bool cache_write(const char *path, const struct jit_compiled *compiled)
{
    struct abi_shader shader = compiled->shader;
    shader.function = NULL;
    shader.name = NULL;
    const char *object = LLVMGetBufferStart(compiled->object);
    size_t object_bytes = LLVMGetBufferSize(compiled->object);
    struct cache_head head = {CACHE_MAGIC, sizeof(shader), object_bytes, cache_checksum(&shader, object, object_bytes)};
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool good = fwrite(&head, sizeof(head), 1, file) == 1 && fwrite(&shader, sizeof(shader), 1, file) == 1 &&
                fwrite(object, 1, object_bytes, file) == object_bytes;
    return fclose(file) == 0 && good;
}

void jit_cache_store(const char *directory, const char *symbol, const struct jit_compiled *compiled)
{
    char path[4096], temporary[4200];
    if (!cache_path(directory, symbol, path, sizeof(path)))
        return;
    mkdir(directory, 0777);
    snprintf(temporary, sizeof(temporary), "%s.%ld.%lx", path, (long)getpid(), (unsigned long)(uintptr_t)compiled);
    if (cache_write(temporary, compiled) && rename(temporary, path) == 0)
        return;
    int error = errno;
    unlink(temporary);
    log_warn("CDXR_CACHE_DIR: the shader cache file %s cannot be written: %s", path, strerror(error));
}
