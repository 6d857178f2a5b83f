/* SPDX-License-Identifier: MIT
 * cdxr info: what the device says of itself. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "common/gpu.h"

static void print_features(ID3D12Device5 *device)
{
    D3D12_FEATURE_DATA_D3D12_OPTIONS options = {0};
    D3D12_FEATURE_DATA_D3D12_OPTIONS1 options1 = {0};
    D3D12_FEATURE_DATA_D3D12_OPTIONS5 options5 = {0};
    D3D12_FEATURE_DATA_SHADER_MODEL model = {(D3D_SHADER_MODEL)0x69};
    ID3D12Device5_CheckFeatureSupport(device, D3D12_FEATURE_D3D12_OPTIONS, &options, sizeof(options));
    ID3D12Device5_CheckFeatureSupport(device, D3D12_FEATURE_D3D12_OPTIONS1, &options1, sizeof(options1));
    ID3D12Device5_CheckFeatureSupport(device, D3D12_FEATURE_D3D12_OPTIONS5, &options5, sizeof(options5));
    ID3D12Device5_CheckFeatureSupport(device, D3D12_FEATURE_SHADER_MODEL, &model, sizeof(model));
    printf("raytracing tier        %u.%u\n", options5.RaytracingTier / 10, options5.RaytracingTier % 10);
    printf("shader model           %u.%u\n", model.HighestShaderModel >> 4, model.HighestShaderModel & 15);
    printf("resource binding tier  %u\n", options.ResourceBindingTier);
    printf("wave lanes             %u to %u\n", options1.WaveLaneCountMin, options1.WaveLaneCountMax);
}

int command_info(int argc, char **argv)
{
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        puts("usage: cdxr info\n\nPrints the device, its CPU and the feature tiers it reports.");
        return 0;
    }
    if (argc > 1) {
        fprintf(stderr, "cdxr info: takes no argument, got '%s'\n", argv[1]);
        return 2;
    }
    struct gpu gpu;
    if (!gpu_init(&gpu, false))
        return 1;
    print_features(gpu.device);
    gpu_finish(&gpu);
    return 0;
}
