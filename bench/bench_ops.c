/* SPDX-License-Identifier: MIT
 * cdxr-ops-bench: nanoseconds of CPU time per texture sample for the common formats and filters, coherent and random, and
 * per call of the transcendental functions. The best of several repetitions. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cpu.h"
#include "base/format.h"
#include "ops/math.h"
#include "ops/texture.h"

enum { SIZE = 1024, MIP_COUNT = 11, SAMPLE_COUNT = 200000, REPETITIONS = 9 };

struct sample_case {
    const char *name;
    uint32_t format;
    uint32_t filter; /* D3D12_FILTER */
    float lod;
    int is_random;
};
static const struct sample_case cases[] = {
    {"R8G8B8A8_UNORM point", FORMAT_R8G8B8A8_UNORM, 0x00, 0.0f, 0},
    {"R8G8B8A8_UNORM bilinear", FORMAT_R8G8B8A8_UNORM, 0x14, 0.0f, 0},
    {"R8G8B8A8_UNORM trilinear", FORMAT_R8G8B8A8_UNORM, 0x15, 1.5f, 0},
    {"R8G8B8A8_UNORM trilinear, random", FORMAT_R8G8B8A8_UNORM, 0x15, 1.5f, 1},
    {"R8G8B8A8_UNORM_SRGB trilinear", FORMAT_R8G8B8A8_UNORM_SRGB, 0x15, 1.5f, 0},
    {"R32G32B32A32_FLOAT bilinear", FORMAT_R32G32B32A32_FLOAT, 0x14, 0.0f, 0},
    {"R16G16B16A16_FLOAT bilinear", FORMAT_R16G16B16A16_FLOAT, 0x14, 0.0f, 0},
    {"BC1_UNORM bilinear", FORMAT_BC1_UNORM, 0x14, 0.0f, 0},
    {"BC7_UNORM bilinear", FORMAT_BC7_UNORM, 0x14, 0.0f, 0},
    {"BC7_UNORM bilinear, random", FORMAT_BC7_UNORM, 0x14, 0.0f, 1},
};

static double cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void make_texture(struct abi_texture *texture, uint32_t format)
{
    const struct format_info *info = format_get_info(format);
    *texture = (struct abi_texture){.width = SIZE, .height = SIZE, .depth = 1, .array_size = 1, .mip_count = MIP_COUNT,
                                    .sample_count = 1, .format = (uint16_t)format, .plane_count = 1, .dimension = 2};
    uint64_t offset = 0;
    for (uint32_t m = 0; m < MIP_COUNT; m++) {
        uint32_t columns = ((SIZE >> m) + info->block_width - 1) / info->block_width;
        uint32_t rows = ((SIZE >> m) + info->block_height - 1) / info->block_height;
        texture->mips[m] = (struct abi_texture_mip){offset, columns * info->block_bytes, columns * info->block_bytes * rows};
        offset += texture->mips[m].depth_pitch;
    }
    texture->slice_bytes = texture->size_bytes = offset;
    texture->base = malloc(offset);
    for (uint64_t i = 0; i < offset; i++)
        texture->base[i] = (uint8_t)(i * 2654435761u >> 13) & 0x3f; /* no NaN */
}

static volatile float sink;

static double run_once(const struct sample_case *test, const struct abi_descriptor *view, const struct abi_descriptor *sampler)
{
    uint32_t random = 1;
    float sum = 0.0f;
    double start = cpu_seconds();
    for (uint32_t i = 0; i < SAMPLE_COUNT; i++) {
        struct ops_result_32 result;
        random = random * 1664525u + 1013904223u;
        float u = test->is_random ? (float)(random >> 8) * 0x1p-24f : (float)(i % SIZE) * 0.37f / SIZE;
        float v = test->is_random ? (float)(random & 0xffffff) * 0x1p-24f : (float)(i / SIZE) * 0.41f / SIZE;
        ops_sample_level_f32(NULL, view, sampler, u, v, 0, 0, 0, 0, 0, test->lod, &result);
        sum += ops_bitcast_i32_to_f32(result.value[0]);
    }
    sink = sum;
    return (cpu_seconds() - start) * 1e9 / SAMPLE_COUNT;
}

static void run_sample(const struct sample_case *test)
{
    struct abi_texture texture;
    make_texture(&texture, test->format);
    struct abi_descriptor view = {.kind = ABI_DESCRIPTOR_TEXTURE, .dimension = ABI_TEXTURE_2D, .format = (uint16_t)test->format};
    view.texture.texture = &texture;
    view.texture.mip_count = MIP_COUNT;
    view.texture.slice_count = 1;
    view.texture.swizzle = 0x688;
    struct abi_descriptor sampler = {.kind = ABI_DESCRIPTOR_SAMPLER};
    sampler.sampler = (struct abi_sampler){.filter = test->filter, .address = {1, 1, 1}, .max_lod = 100.0f};
    double best = 1e9;
    for (int r = 0; r < REPETITIONS; r++) {
        double once = run_once(test, &view, &sampler);
        best = once < best ? once : best;
    }
    printf("  %-36s %7.1f ns\n", test->name, best);
    free(texture.base);
}

struct math_case {
    const char *name;
    float (*function)(float);
};
static const struct math_case math_cases[] = {
    {"sin", ops_sin_f32}, {"cos", ops_cos_f32},   {"exp2", ops_exp_f32}, {"log2", ops_log_f32},
    {"acos", ops_acos_f32}, {"atan", ops_atan_f32}, {"rsqrt", ops_rsqrt_f32},
};

static void run_math(const struct math_case *test)
{
    double best = 1e9;
    for (int r = 0; r < REPETITIONS; r++) {
        float sum = 0.0f;
        double start = cpu_seconds();
        for (uint32_t i = 1; i <= SAMPLE_COUNT; i++)
            sum += test->function((float)i * 5e-6f);
        sink = sum;
        double once = (cpu_seconds() - start) * 1e9 / SAMPLE_COUNT;
        best = once < best ? once : best;
    }
    printf("  %-36s %7.1f ns\n", test->name, best);
}

int main(void)
{
    printf("texture samples (%s), CPU time each\n", cpu_isa_name(cpu_isa_best()));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        run_sample(&cases[i]);
    printf("functions, called natively (shaders inline them for their CPU)\n");
    for (size_t i = 0; i < sizeof(math_cases) / sizeof(math_cases[0]); i++)
        run_math(&math_cases[i]);
    return 0;
}
