/* SPDX-License-Identifier: MIT
 * The functions of cdxr/cdxr.h that are about devices. */
#include <cdxr/cdxr.h>

#include <string.h>

#include "d3d12/device.h"

const char *cdxr_version(void)
{
    return CDXR_VERSION;
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
