/* SPDX-License-Identifier: MIT
 * The functions of cdxr/cdxr.h that are about devices. */
#include <cdxr/cdxr.h>

#include <string.h>

#include "base/cpu.h"
#include "base/thread_pool.h"
#include "d3d12/device.h"
#include "jit/jit.h"

const char *cdxr_version(void)
{
    return CDXR_VERSION;
}

const char *cdxr_cpu_name(void)
{
    return cpu_model_name();
}

const char *cdxr_instruction_set(void)
{
    return cpu_isa_name(cpu_isa_best());
}

const char *cdxr_compiler_version(void)
{
    return jit_compiler_version();
}

uint32_t cdxr_device_thread_count(void *interface_pointer)
{
    struct d3d12_device *device = com_object_from_interface(interface_pointer, &d3d12_device_vtbl);
    return device ? thread_pool_worker_count(exec_device_pool(device->exec)) : 0;
}

uint64_t cdxr_device_ray_count(void *interface_pointer)
{
    struct d3d12_device *device = com_object_from_interface(interface_pointer, &d3d12_device_vtbl);
    return device ? exec_device_ray_count(device->exec) : 0;
}

size_t cdxr_device_removed_text(void *interface_pointer, char *text, size_t capacity_bytes)
{
    struct d3d12_device *device = com_object_from_interface(interface_pointer, &d3d12_device_vtbl);
    if (!device || !d3d12_device_is_removed(device))
        return 0;
    const char *reason = exec_device_removed_text(device->exec);
    size_t needed = strlen(reason) + 1;
    if (needed == 1)
        return 0; /* another thread is just about to write it */
    size_t copied = needed < capacity_bytes ? needed : capacity_bytes;
    if (copied) {
        memcpy(text, reason, copied);
        text[copied - 1] = 0;
    }
    return needed;
}
