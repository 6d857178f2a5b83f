/* SPDX-License-Identifier: MIT
 * Creates the shader compiler on first use: programs that only copy or build acceleration structures never start LLVM.
 * Remembers the last programs by key; the one not used for longest goes first. */
#include "d3d12/shader_compiler.h"

#include <stdlib.h>
#include <string.h>

#include "d3d12/device.h"
#include "jit/jit.h"
#include "trace/trace.h"

enum { REMEMBERED_PROGRAMS = 128 };

struct remembered {
    struct d3d12_program_key key;
    struct jit_code *code; /* referenced; NULL: free */
    uint64_t last_use;
};

struct d3d12_shader_compiler {
    struct jit *jit;
    pthread_mutex_t mutex; /* over everything below */
    struct remembered remembered[REMEMBERED_PROGRAMS];
    uint64_t use_count;
    _Atomic uint64_t compile_count;
};

void d3d12_program_key_add(struct d3d12_program_key *key, const void *bytes, size_t byte_count)
{
    const uint8_t *data = bytes;
    uint64_t a = key->words[0] ^ 0xcbf29ce484222325u ^ byte_count, b = key->words[1] + 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < byte_count; i++) {
        a = (a ^ data[i]) * 0x100000001b3u;
        b = (b + data[i]) * 0xff51afd7ed558ccdu;
        b ^= b >> 32;
    }
    key->words[0] = a ^ a >> 29;
    key->words[1] = b;
}

static void destroy_compiler(void *state)
{
    struct d3d12_shader_compiler *compiler = state;
    for (uint32_t i = 0; i < REMEMBERED_PROGRAMS; i++)
        jit_code_release(compiler->remembered[i].code);
    jit_destroy(compiler->jit);
    pthread_mutex_destroy(&compiler->mutex);
    free(compiler);
}

static enum status create_compiler(struct d3d12_device *device, struct d3d12_shader_compiler **out,
                                   struct reason *reason)
{
    struct jit_options options;
    struct d3d12_shader_compiler *compiler = calloc(1, sizeof(*compiler));
    if (!compiler)
        return STATUS_OUT_OF_MEMORY;
    jit_options_init(&options);
    options.pool = device->pool;
    options.query_bytes = sizeof(struct trace_state);
    enum status status = jit_create(&options, &compiler->jit, reason);
    if (status != STATUS_OK) {
        free(compiler);
        return status;
    }
    pthread_mutex_init(&compiler->mutex, NULL);
    *out = compiler;
    return STATUS_OK;
}

enum status d3d12_shader_compiler_get(struct d3d12_device *device, struct d3d12_shader_compiler **compiler,
                                      struct reason *reason)
{
    enum status status = STATUS_OK;
    pthread_mutex_lock(&device->lazy_mutex);
    if (!device->jit_state) {
        struct d3d12_shader_compiler *created = NULL;
        status = create_compiler(device, &created, reason);
        if (status == STATUS_OK) {
            device->jit_state = created;
            device->jit_state_destroy = destroy_compiler;
        }
    }
    *compiler = device->jit_state;
    pthread_mutex_unlock(&device->lazy_mutex);
    return status;
}

static struct jit_code *find_remembered(struct d3d12_shader_compiler *compiler, const struct d3d12_program_key *key)
{
    struct jit_code *code = NULL;
    pthread_mutex_lock(&compiler->mutex);
    for (uint32_t i = 0; i < REMEMBERED_PROGRAMS && !code; i++) {
        struct remembered *entry = &compiler->remembered[i];
        if (!entry->code || memcmp(&entry->key, key, sizeof(*key)) != 0)
            continue;
        entry->last_use = ++compiler->use_count;
        code = entry->code;
        jit_code_acquire(code);
    }
    pthread_mutex_unlock(&compiler->mutex);
    return code;
}

static void remember(struct d3d12_shader_compiler *compiler, const struct d3d12_program_key *key,
                     struct jit_code *code)
{
    pthread_mutex_lock(&compiler->mutex);
    struct remembered *oldest = &compiler->remembered[0];
    for (uint32_t i = 0; i < REMEMBERED_PROGRAMS; i++)
        if (compiler->remembered[i].last_use < oldest->last_use)
            oldest = &compiler->remembered[i];
    struct jit_code *dropped = oldest->code;
    *oldest = (struct remembered){*key, code, ++compiler->use_count};
    jit_code_acquire(code);
    pthread_mutex_unlock(&compiler->mutex);
    jit_code_release(dropped);
}

enum status d3d12_shader_compiler_run(struct d3d12_shader_compiler *compiler, const struct d3d12_program_key *key,
                                      const struct jit_program *program, struct jit_code **code, struct reason *reason)
{
    *code = find_remembered(compiler, key);
    if (*code)
        return STATUS_OK;
    RETURN_IF_FAILED(jit_compile(compiler->jit, program, code, reason));
    atomic_fetch_add(&compiler->compile_count, 1);
    remember(compiler, key, *code);
    return STATUS_OK;
}

uint64_t d3d12_shader_compiler_compile_count(const struct d3d12_shader_compiler *compiler)
{
    return atomic_load(&compiler->compile_count);
}
