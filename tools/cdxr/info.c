/* SPDX-License-Identifier: MIT
 * cdxr info: what the device says of itself. */
#include <stdio.h>
#include <string.h>

#include <cdxr/cdxr.h>

#include "commands.h"
#include "common/gpu.h"

#define ASK(device, what, data) ID3D12Device5_CheckFeatureSupport(device, D3D12_FEATURE_##what, &(data), sizeof(data))

static const char *yes_no(BOOL value)
{
    return value ? "yes" : "no";
}

static void print_machine(ID3D12Device5 *device)
{
    printf("cdxr                   %s\n", cdxr_version());
    printf("shader compiler        %s\n", cdxr_compiler_version());
    printf("processor              %s\n", cdxr_cpu_name());
    printf("rays traced with       %s\n", cdxr_instruction_set());
    printf("threads                %u\n", cdxr_device_thread_count(device));
}

static void print_levels(ID3D12Device5 *device)
{
    static const D3D_FEATURE_LEVEL asked[] = {D3D_FEATURE_LEVEL_11_0, D3D_FEATURE_LEVEL_11_1, D3D_FEATURE_LEVEL_12_0,
                                              D3D_FEATURE_LEVEL_12_1, D3D_FEATURE_LEVEL_12_2};
    D3D12_FEATURE_DATA_FEATURE_LEVELS levels = {sizeof(asked) / sizeof(asked[0]), asked, (D3D_FEATURE_LEVEL)0};
    D3D12_FEATURE_DATA_SHADER_MODEL model = {(D3D_SHADER_MODEL)0x69};
    D3D12_FEATURE_DATA_ROOT_SIGNATURE root = {(D3D_ROOT_SIGNATURE_VERSION)3};
    ASK(device, FEATURE_LEVELS, levels);
    ASK(device, SHADER_MODEL, model);
    ASK(device, ROOT_SIGNATURE, root);
    printf("feature level          %u.%u\n", levels.MaxSupportedFeatureLevel >> 12, levels.MaxSupportedFeatureLevel >> 8 & 15);
    printf("shader model           %u.%u\n", model.HighestShaderModel >> 4, model.HighestShaderModel & 15);
    printf("root signature         1.%u\n", (unsigned)root.HighestVersion - 1);
}

static void print_features(ID3D12Device5 *device)
{
    D3D12_FEATURE_DATA_D3D12_OPTIONS options = {0};
    D3D12_FEATURE_DATA_D3D12_OPTIONS1 options1 = {0};
    D3D12_FEATURE_DATA_D3D12_OPTIONS4 options4 = {0};
    D3D12_FEATURE_DATA_D3D12_OPTIONS5 options5 = {0};
    D3D12_FEATURE_DATA_D3D12_OPTIONS12 options12 = {0};
    ASK(device, D3D12_OPTIONS, options);
    ASK(device, D3D12_OPTIONS1, options1);
    ASK(device, D3D12_OPTIONS4, options4);
    ASK(device, D3D12_OPTIONS5, options5);
    ASK(device, D3D12_OPTIONS12, options12);
    printf("raytracing tier        %u.%u\n", options5.RaytracingTier / 10, options5.RaytracingTier % 10);
    printf("resource binding tier  %u\n", options.ResourceBindingTier);
    printf("resource heap tier     %u\n", options.ResourceHeapTier);
    printf("tiled resources tier   %u\n", options.TiledResourcesTier);
    printf("wave lanes             %u to %u\n", options1.WaveLaneCountMin, options1.WaveLaneCountMax);
    printf("64-bit integers        %s\n", yes_no(options1.Int64ShaderOps));
    printf("double precision       %s\n", yes_no(options.DoublePrecisionFloatShaderOps));
    printf("native 16-bit types    %s\n", yes_no(options4.Native16BitShaderOpsSupported));
    printf("enhanced barriers      %s\n", yes_no(options12.EnhancedBarriersSupported));
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
    print_machine(gpu.device);
    print_levels(gpu.device);
    print_features(gpu.device);
    gpu_finish(&gpu);
    return 0;
}
