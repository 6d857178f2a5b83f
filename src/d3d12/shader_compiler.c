/* SPDX-License-Identifier: MIT
 * Creates the shader compiler on first use: programs that only copy or build acceleration structures never start LLVM. */
#include "d3d12/shader_compiler.h"

#include "jit/jit.h"

static void destroy_compiler(void *state)
{
    jit_destroy(state);
}

enum status d3d12_shader_compiler_get(struct d3d12_device *device, struct jit **jit, struct reason *reason)
{
    enum status status = STATUS_OK;
    pthread_mutex_lock(&device->lazy_mutex);
    if (!device->jit_state) {
        struct jit_options options;
        struct jit *created = NULL;
        jit_options_init(&options);
        options.pool = device->pool;
        status = jit_create(&options, &created, reason);
        if (status == STATUS_OK) {
            device->jit_state = created;
            device->jit_state_destroy = destroy_compiler;
        }
    }
    *jit = device->jit_state;
    pthread_mutex_unlock(&device->lazy_mutex);
    return status;
}
