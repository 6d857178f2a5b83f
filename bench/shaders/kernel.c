/* SPDX-License-Identifier: MIT
 * Shaders of cdxr-shader-bench; bench_shaders_native.c has the same functions for clang -O2 -march=native. */
#include <cdxr/shader.h>

CDXR_STRUCTURED_BUFFER(input, float, 0, 0);
CDXR_RW_STRUCTURED_BUFFER(output, float, 0, 0);
CDXR_TEXTURE_2D(picture, 1, 0);
CDXR_SAMPLER_STATE(bilinear, 0, 0);

/* 64 dependent steps of arithmetic over values from a buffer. */
CDXR_COMPUTE(Kernel, 64, 1, 1, 0)
{
    uint32_t id = cdxr_dispatch_thread_id(thread, 0);
    cdxr_handle in = cdxr_resource_handle(thread, &input, 0);
    float x = 0.5f;
    for (uint32_t i = 0; i < 64; i++) {
        float v;
        cdxr_load(thread, in, (id * 7 + i) & 1023, 0, &v, 1);
        x = x * v + 0.25f;
        x = x > 1.0f ? x - 1.0f : x;
    }
    cdxr_store(thread, cdxr_resource_handle(thread, &output, 0), id, 0, &x, 1);
}

/* The mean of 16 texels. */
CDXR_COMPUTE(TextureLoop, 64, 1, 1, 0)
{
    uint32_t id = cdxr_dispatch_thread_id(thread, 0);
    cdxr_handle texture = cdxr_resource_handle(thread, &picture, 0);
    float sum = 0;
    for (uint32_t i = 0; i < 16; i++) {
        float texel[4];
        cdxr_texture_load(thread, texture, 0, (id + i) & 255, (id >> 8) & 255, texel);
        sum += texel[0] + texel[1] + texel[2];
    }
    sum /= 48;
    cdxr_store(thread, cdxr_resource_handle(thread, &output, 0), id, 0, &sum, 1);
}

/* The mean of 16 bilinear samples. */
CDXR_COMPUTE(SampleLoop, 64, 1, 1, 0)
{
    uint32_t id = cdxr_dispatch_thread_id(thread, 0);
    cdxr_handle texture = cdxr_resource_handle(thread, &picture, 0), sampler = cdxr_resource_handle(thread, &bilinear, 0);
    float sum = 0;
    for (uint32_t i = 0; i < 16; i++) {
        float texel[4], u = (float)(id & 255) * 0.013f + (float)i * 0.11f, v = (float)(id >> 8) * 0.017f + (float)i * 0.07f;
        cdxr_sample_level(thread, texture, sampler, u, v, 0, texel);
        sum += texel[0] + texel[1] + texel[2];
    }
    sum /= 48;
    cdxr_store(thread, cdxr_resource_handle(thread, &output, 0), id, 0, &sum, 1);
}
