/* SPDX-License-Identifier: MIT
 * Shader of test_local_samplers.c: SampleLevel at u = 0.4 with whatever sampler the local root signature brings. */
#include <cdxr/shader.h>

CDXR_TEXTURE_2D(texels, 0, 0);
CDXR_SAMPLER_STATE(filter, 0, 0);
CDXR_RW_STRUCTURED_BUFFER(result, float, 0, 0);

CDXR_RAY_GENERATION(Sample)
{
    float value[4];
    uint32_t bits;
    cdxr_sample_level(thread, cdxr_resource_handle(thread, &texels, 0), cdxr_resource_handle(thread, &filter, 0), 0.4f, 0.5f,
                      0, value);
    __builtin_memcpy(&bits, value, 4);
    cdxr_store(thread, cdxr_resource_handle(thread, &result, 0), 0, 0, &bits, 1);
    (void)payload;
    (void)attributes;
}
