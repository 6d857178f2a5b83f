/* SPDX-License-Identifier: MIT
 * A compute shader that never ends, for tests/api/test_c_shaders.c. */
#include <cdxr/shader.h>

CDXR_RW_BYTE_ADDRESS_BUFFER(out, 0, 0);

CDXR_COMPUTE(Endless, 1, 1, 1, 0)
{
    uint32_t turns = 0;
    for (;;) {
        turns++;
        cdxr_store(thread, cdxr_resource_handle(thread, &out, 0), 0, 0, &turns, 1);
    }
}
