/* SPDX-License-Identifier: MIT
 * ID3D12Device::CheckFeatureSupport. Each answer says what the library does, not what a GPU would. Features whose whole
 * answer is constant stand in one table; those with inputs have a function. */
#include "d3d12/feature_support.h"

#include <string.h>

#include "base/format.h"
#include "cdxr/d3d12_dxr.h"
#include "d3d12/resource.h"

enum {
    SHADER_MODEL_LOWEST = D3D_SHADER_MODEL_5_1,
    SHADER_MODEL_HIGHEST = 0x69, /* D3D_SHADER_MODEL_6_9 */
    SHADER_MODEL_KNOWN_MAX = 0x6f,
    ROOT_SIGNATURE_VERSION_1_2 = 3,
    ADDRESS_BITS = 44, /* of a resource; a process has 47 */
};

/* --- constant answers --- */

static const D3D12_FEATURE_DATA_D3D12_OPTIONS options = {
    .DoublePrecisionFloatShaderOps = TRUE,
    .MinPrecisionSupport = D3D12_SHADER_MIN_PRECISION_SUPPORT_NONE, /* min types are 32-bit here */
    .TiledResourcesTier = D3D12_TILED_RESOURCES_TIER_3,
    .ResourceBindingTier = D3D12_RESOURCE_BINDING_TIER_3,
    .TypedUAVLoadAdditionalFormats = TRUE,
    .MaxGPUVirtualAddressBitsPerResource = ADDRESS_BITS,
    .CrossNodeSharingTier = D3D12_CROSS_NODE_SHARING_TIER_NOT_SUPPORTED,
    .ResourceHeapTier = D3D12_RESOURCE_HEAP_TIER_2,
};
static const D3D12_FEATURE_DATA_D3D12_OPTIONS2 options2;
static const D3D12_FEATURE_DATA_D3D12_OPTIONS3 options3 = {
    .CopyQueueTimestampQueriesSupported = TRUE,
    .CastingFullyTypedFormatSupported = TRUE,
    .WriteBufferImmediateSupportFlags = D3D12_COMMAND_LIST_SUPPORT_FLAG_DIRECT | D3D12_COMMAND_LIST_SUPPORT_FLAG_BUNDLE |
                                        D3D12_COMMAND_LIST_SUPPORT_FLAG_COMPUTE | D3D12_COMMAND_LIST_SUPPORT_FLAG_COPY,
};
static const D3D12_FEATURE_DATA_D3D12_OPTIONS4 options4 = {
    .MSAA64KBAlignedTextureSupported = TRUE,
    .Native16BitShaderOpsSupported = TRUE,
};
static const D3D12_FEATURE_DATA_D3D12_OPTIONS5 options5 = {
    .SRVOnlyTiledResourceTier3 = TRUE,
    .RaytracingTier = D3D12_RAYTRACING_TIER_1_2,
};
static const D3D12_FEATURE_DATA_D3D12_OPTIONS6 options6;
static const D3D12_FEATURE_DATA_D3D12_OPTIONS7 options7;
static const D3D12_FEATURE_DATA_D3D12_OPTIONS8 options8 = {.UnalignedBlockTexturesSupported = TRUE};
static const D3D12_FEATURE_DATA_D3D12_OPTIONS9 options9 = {
    .AtomicInt64OnTypedResourceSupported = TRUE,
    .AtomicInt64OnGroupSharedSupported = TRUE,
};
static const D3D12_FEATURE_DATA_D3D12_OPTIONS10 options10;
static const D3D12_FEATURE_DATA_D3D12_OPTIONS11 options11 = {.AtomicInt64OnDescriptorHeapResourceSupported = TRUE};
static const D3D12_FEATURE_DATA_D3D12_OPTIONS12 options12 = {
    .MSPrimitivesPipelineStatisticIncludesCulledPrimitives = D3D12_TRI_STATE_UNKNOWN,
    .EnhancedBarriersSupported = TRUE,
    .RelaxedFormatCastingSupported = TRUE,
};
static const D3D12_FEATURE_DATA_D3D12_OPTIONS13 options13;
static const D3D12_FEATURE_DATA_D3D12_OPTIONS14 options14 = {.AdvancedTextureOpsSupported = TRUE,
                                                                .WriteableMSAATexturesSupported = TRUE};
static const D3D12_FEATURE_DATA_D3D12_OPTIONS15 options15;

/* Features of newer headers, by number and shape. */
enum {
    FEATURE_OPTIONS16 = 45,
    FEATURE_OPTIONS17,
    FEATURE_OPTIONS18,
    FEATURE_OPTIONS19,
    FEATURE_OPTIONS20,
    FEATURE_OPTIONS21 = 53,
};
static const struct {
    BOOL dynamic_depth_bias, gpu_upload_heap;
} options16 = {.gpu_upload_heap = TRUE};
static const struct {
    BOOL non_normalized_coordinate_samplers, manual_write_tracking;
} options17;
static const struct {
    BOOL render_passes_valid;
} options18;
static const struct {
    BOOL mismatching_output_dimensions;
    UINT sample_counts_with_no_outputs;
    BOOL point_sampling_never_rounds_up, rasterizer_desc2, narrow_quadrilateral_lines, aniso_with_point_mip;
    UINT max_sampler_heap, max_sampler_heap_with_static_samplers, max_view_heap;
    BOOL compute_only_custom_heap;
} options19 = {.sample_counts_with_no_outputs = 1,
               .aniso_with_point_mip = TRUE,
               .max_sampler_heap = 2048,
               .max_sampler_heap_with_static_samplers = 2048,
               .max_view_heap = 1000000};
static const struct {
    BOOL compute_only_write_watch;
    UINT recreate_at_tier;
} options20;

static const struct {
    UINT work_graphs_tier, execute_indirect_tier; /* 10: 1.0 */
    BOOL sample_cmp_gradient_and_bias, extended_command_info;
} options21 = {.execute_indirect_tier = 10, .sample_cmp_gradient_and_bias = TRUE};
static const D3D12_FEATURE_DATA_D3D12_OPTIONS22 options22 = {.Max1DDispatchSize = 65535, .Max1DDispatchMeshSize = 65535};

static const D3D12_FEATURE_DATA_GPU_VIRTUAL_ADDRESS_SUPPORT addresses = {ADDRESS_BITS, 47};
static const D3D12_FEATURE_DATA_SHADER_CACHE shader_cache = {D3D12_SHADER_CACHE_SUPPORT_SINGLE_PSO |
                                                             D3D12_SHADER_CACHE_SUPPORT_LIBRARY};
static const D3D12_FEATURE_DATA_EXISTING_HEAPS existing_heaps;
static const D3D12_FEATURE_DATA_DISPLAYABLE displayable;
static const D3D12_FEATURE_DATA_CROSS_NODE cross_node;

static const struct {
    int feature;
    UINT byte_count;
    const void *answer;
} constants[] = {
    {D3D12_FEATURE_D3D12_OPTIONS, sizeof(options), &options},
    {D3D12_FEATURE_D3D12_OPTIONS2, sizeof(options2), &options2},
    {D3D12_FEATURE_D3D12_OPTIONS3, sizeof(options3), &options3},
    {D3D12_FEATURE_D3D12_OPTIONS4, sizeof(options4), &options4},
    {D3D12_FEATURE_D3D12_OPTIONS5, sizeof(options5), &options5},
    {D3D12_FEATURE_D3D12_OPTIONS6, sizeof(options6), &options6},
    {D3D12_FEATURE_D3D12_OPTIONS7, sizeof(options7), &options7},
    {D3D12_FEATURE_D3D12_OPTIONS8, sizeof(options8), &options8},
    {D3D12_FEATURE_D3D12_OPTIONS9, sizeof(options9), &options9},
    {D3D12_FEATURE_D3D12_OPTIONS10, sizeof(options10), &options10},
    {D3D12_FEATURE_D3D12_OPTIONS11, sizeof(options11), &options11},
    {D3D12_FEATURE_D3D12_OPTIONS12, sizeof(options12), &options12},
    {D3D12_FEATURE_D3D12_OPTIONS13, sizeof(options13), &options13},
    {D3D12_FEATURE_D3D12_OPTIONS14, sizeof(options14), &options14},
    {D3D12_FEATURE_D3D12_OPTIONS15, sizeof(options15), &options15},
    {FEATURE_OPTIONS16, sizeof(options16), &options16},
    {FEATURE_OPTIONS17, sizeof(options17), &options17},
    {FEATURE_OPTIONS18, sizeof(options18), &options18},
    {FEATURE_OPTIONS19, sizeof(options19), &options19},
    {FEATURE_OPTIONS20, sizeof(options20), &options20},
    {FEATURE_OPTIONS21, sizeof(options21), &options21},
    {D3D12_FEATURE_D3D12_OPTIONS22, sizeof(options22), &options22},
    {D3D12_FEATURE_GPU_VIRTUAL_ADDRESS_SUPPORT, sizeof(addresses), &addresses},
    {D3D12_FEATURE_SHADER_CACHE, sizeof(shader_cache), &shader_cache},
    {D3D12_FEATURE_EXISTING_HEAPS, sizeof(existing_heaps), &existing_heaps},
    {D3D12_FEATURE_DISPLAYABLE, sizeof(displayable), &displayable},
    {D3D12_FEATURE_CROSS_NODE, sizeof(cross_node), &cross_node},
};

/* --- answers with inputs; data has the right number of bytes --- */

struct query {
    struct d3d12_device *device;
    void *data;
};

static HRESULT broken(const struct query *query, const char *text, long long value)
{
    return d3d12_fail(query->device, E_INVALIDARG, RULE_FEATURE_QUERY, "CheckFeatureSupport: %s is %lld", text, value);
}

static HRESULT check_options1(const struct query *query)
{
    D3D12_FEATURE_DATA_D3D12_OPTIONS1 *data = query->data;
    *data = (D3D12_FEATURE_DATA_D3D12_OPTIONS1){
        .WaveOps = TRUE,
        .WaveLaneCountMin = D3D12_WAVE_LANE_COUNT_MIN,
        .WaveLaneCountMax = D3D12_WAVE_LANE_COUNT_MAX,
        .TotalLaneCount = thread_pool_worker_count(query->device->pool) * D3D12_WAVE_LANE_COUNT_MIN,
        .ExpandedComputeResourceStates = TRUE,
        .Int64ShaderOps = TRUE,
    };
    return S_OK;
}

static HRESULT check_architecture(const struct query *query)
{
    D3D12_FEATURE_DATA_ARCHITECTURE *data = query->data;
    if (data->NodeIndex != 0)
        return broken(query, "ARCHITECTURE.NodeIndex must be 0 and", data->NodeIndex);
    *data = (D3D12_FEATURE_DATA_ARCHITECTURE){.UMA = TRUE, .CacheCoherentUMA = TRUE};
    return S_OK;
}

static HRESULT check_architecture1(const struct query *query)
{
    D3D12_FEATURE_DATA_ARCHITECTURE1 *data = query->data;
    if (data->NodeIndex != 0)
        return broken(query, "ARCHITECTURE1.NodeIndex must be 0 and", data->NodeIndex);
    *data = (D3D12_FEATURE_DATA_ARCHITECTURE1){.UMA = TRUE, .CacheCoherentUMA = TRUE};
    return S_OK;
}

/* The level of the API that programs may use; draws are refused when a pipeline is made, whatever the level. */
static HRESULT check_feature_levels(const struct query *query)
{
    D3D12_FEATURE_DATA_FEATURE_LEVELS *data = query->data;
    if (!data->NumFeatureLevels || !data->pFeatureLevelsRequested)
        return broken(query, "FEATURE_LEVELS needs an array; NumFeatureLevels", data->NumFeatureLevels);
    D3D_FEATURE_LEVEL best = 0;
    for (UINT i = 0; i < data->NumFeatureLevels; i++) {
        D3D_FEATURE_LEVEL level = data->pFeatureLevelsRequested[i];
        if (level > best && level <= D3D_FEATURE_LEVEL_12_2)
            best = level;
    }
    if (!best)
        return DXGI_ERROR_UNSUPPORTED;
    data->MaxSupportedFeatureLevel = best;
    return S_OK;
}

static HRESULT check_shader_model(const struct query *query)
{
    D3D12_FEATURE_DATA_SHADER_MODEL *data = query->data;
    int asked = (int)data->HighestShaderModel;
    bool known = asked == SHADER_MODEL_LOWEST || (asked >= D3D_SHADER_MODEL_6_0 && asked <= SHADER_MODEL_KNOWN_MAX);
    if (!known)
        return broken(query, "SHADER_MODEL.HighestShaderModel is no D3D_SHADER_MODEL and", asked);
    if (asked > SHADER_MODEL_HIGHEST)
        data->HighestShaderModel = (D3D_SHADER_MODEL)SHADER_MODEL_HIGHEST;
    return S_OK;
}

static HRESULT check_root_signature(const struct query *query)
{
    D3D12_FEATURE_DATA_ROOT_SIGNATURE *data = query->data;
    int asked = (int)data->HighestVersion;
    if (asked < D3D_ROOT_SIGNATURE_VERSION_1_0 || asked > ROOT_SIGNATURE_VERSION_1_2)
        return broken(query, "ROOT_SIGNATURE.HighestVersion is no D3D_ROOT_SIGNATURE_VERSION and", asked);
    return S_OK;
}

static HRESULT check_format(const struct query *query)
{
    D3D12_FEATURE_DATA_FORMAT_SUPPORT *data = query->data;
    if (d3d12_format_support(data->Format, &data->Support1, &data->Support2))
        return S_OK;
    broken(query, "FORMAT_SUPPORT.Format is no DXGI_FORMAT and", data->Format);
    return E_FAIL; /* what the API reference says of formats that are not supported */
}

static HRESULT check_multisample(const struct query *query)
{
    D3D12_FEATURE_DATA_MULTISAMPLE_QUALITY_LEVELS *data = query->data;
    UINT count = data->SampleCount;
    data->NumQualityLevels = 0;
    if (count == 0) {
        broken(query, "MULTISAMPLE_QUALITY_LEVELS.SampleCount must not be 0 and", count);
        return E_FAIL;
    }
    if (count > D3D12_MAX_MULTISAMPLE_SAMPLE_COUNT)
        return broken(query, "MULTISAMPLE_QUALITY_LEVELS.SampleCount must be 1 to 32 and", count);
    if (data->Flags & ~D3D12_MULTISAMPLE_QUALITY_LEVELS_FLAG_TILED_RESOURCE)
        return broken(query, "MULTISAMPLE_QUALITY_LEVELS.Flags", data->Flags);
    if (!format_get_info(data->Format)->name)
        return broken(query, "MULTISAMPLE_QUALITY_LEVELS.Format is no DXGI_FORMAT and", data->Format);
    bool target = format_can_render(data->Format) || format_get_info(data->Format)->flags & FORMAT_FLAG_DEPTH;
    bool power = (count & (count - 1)) == 0;
    if (count == 1)
        data->NumQualityLevels = 1;
    else if (target && power && count <= 16)
        data->NumQualityLevels = format_is_supported(data->Format);
    return S_OK;
}

static HRESULT check_format_info(const struct query *query)
{
    D3D12_FEATURE_DATA_FORMAT_INFO *data = query->data;
    if (!format_get_info(data->Format)->name || data->Format == DXGI_FORMAT_R1_UNORM)
        return broken(query, "FORMAT_INFO.Format is no DXGI_FORMAT and", data->Format);
    data->PlaneCount = (UINT8)d3d12_format_plane_count(data->Format);
    return S_OK;
}

static HRESULT check_queue_priority(const struct query *query)
{
    D3D12_FEATURE_DATA_COMMAND_QUEUE_PRIORITY *data = query->data;
    if (data->CommandListType < D3D12_COMMAND_LIST_TYPE_DIRECT || (int)data->CommandListType > 6)
        return broken(query, "COMMAND_QUEUE_PRIORITY.CommandListType is no list type and", data->CommandListType);
    int priority = (int)data->Priority;
    bool known_type = data->CommandListType == D3D12_COMMAND_LIST_TYPE_DIRECT ||
                      data->CommandListType == D3D12_COMMAND_LIST_TYPE_COMPUTE ||
                      data->CommandListType == D3D12_COMMAND_LIST_TYPE_COPY;
    data->PriorityForTypeIsSupported = known_type && (priority == D3D12_COMMAND_QUEUE_PRIORITY_NORMAL ||
                                                      priority == D3D12_COMMAND_QUEUE_PRIORITY_HIGH);
    return S_OK;
}

static HRESULT check_serialization(const struct query *query)
{
    D3D12_FEATURE_DATA_SERIALIZATION *data = query->data;
    if (data->NodeIndex != 0)
        return broken(query, "SERIALIZATION.NodeIndex must be 0 and", data->NodeIndex);
    data->HeapSerializationTier = D3D12_HEAP_SERIALIZATION_TIER_0;
    return S_OK;
}

static HRESULT check_meta_command(const struct query *query)
{
    return d3d12_fail(query->device, E_INVALIDARG, RULE_FEATURE_QUERY,
                      "CheckFeatureSupport: QUERY_META_COMMAND.CommandId names no meta command; this device has none");
}

static HRESULT check_protected_support(const struct query *query)
{
    D3D12_FEATURE_DATA_PROTECTED_RESOURCE_SESSION_SUPPORT *data = query->data;
    if (data->NodeIndex != 0)
        return broken(query, "PROTECTED_RESOURCE_SESSION_SUPPORT.NodeIndex must be 0 and", data->NodeIndex);
    data->Support = D3D12_PROTECTED_RESOURCE_SESSION_SUPPORT_FLAG_NONE;
    return S_OK;
}

static HRESULT check_protected_count(const struct query *query)
{
    D3D12_FEATURE_DATA_PROTECTED_RESOURCE_SESSION_TYPE_COUNT *data = query->data;
    if (data->NodeIndex != 0)
        return broken(query, "PROTECTED_RESOURCE_SESSION_TYPE_COUNT.NodeIndex must be 0 and", data->NodeIndex);
    data->Count = 0;
    return S_OK;
}

static HRESULT check_protected_types(const struct query *query)
{
    D3D12_FEATURE_DATA_PROTECTED_RESOURCE_SESSION_TYPES *data = query->data;
    if (data->NodeIndex != 0 || data->Count != 0)
        return broken(query, "PROTECTED_RESOURCE_SESSION_TYPES.Count must be the 0 of TYPE_COUNT and", data->Count);
    return S_OK;
}

static const struct {
    int feature;
    UINT byte_count;
    HRESULT (*check)(const struct query *query);
} functions[] = {
    {D3D12_FEATURE_D3D12_OPTIONS1, sizeof(D3D12_FEATURE_DATA_D3D12_OPTIONS1), check_options1},
    {D3D12_FEATURE_ARCHITECTURE, sizeof(D3D12_FEATURE_DATA_ARCHITECTURE), check_architecture},
    {D3D12_FEATURE_ARCHITECTURE1, sizeof(D3D12_FEATURE_DATA_ARCHITECTURE1), check_architecture1},
    {D3D12_FEATURE_FEATURE_LEVELS, sizeof(D3D12_FEATURE_DATA_FEATURE_LEVELS), check_feature_levels},
    {D3D12_FEATURE_SHADER_MODEL, sizeof(D3D12_FEATURE_DATA_SHADER_MODEL), check_shader_model},
    {D3D12_FEATURE_ROOT_SIGNATURE, sizeof(D3D12_FEATURE_DATA_ROOT_SIGNATURE), check_root_signature},
    {D3D12_FEATURE_FORMAT_SUPPORT, sizeof(D3D12_FEATURE_DATA_FORMAT_SUPPORT), check_format},
    {D3D12_FEATURE_MULTISAMPLE_QUALITY_LEVELS, sizeof(D3D12_FEATURE_DATA_MULTISAMPLE_QUALITY_LEVELS),
     check_multisample},
    {D3D12_FEATURE_FORMAT_INFO, sizeof(D3D12_FEATURE_DATA_FORMAT_INFO), check_format_info},
    {D3D12_FEATURE_COMMAND_QUEUE_PRIORITY, sizeof(D3D12_FEATURE_DATA_COMMAND_QUEUE_PRIORITY), check_queue_priority},
    {D3D12_FEATURE_SERIALIZATION, sizeof(D3D12_FEATURE_DATA_SERIALIZATION), check_serialization},
    {D3D12_FEATURE_QUERY_META_COMMAND, sizeof(D3D12_FEATURE_DATA_QUERY_META_COMMAND), check_meta_command},
    {D3D12_FEATURE_PROTECTED_RESOURCE_SESSION_SUPPORT, sizeof(D3D12_FEATURE_DATA_PROTECTED_RESOURCE_SESSION_SUPPORT),
     check_protected_support},
    {D3D12_FEATURE_PROTECTED_RESOURCE_SESSION_TYPE_COUNT,
     sizeof(D3D12_FEATURE_DATA_PROTECTED_RESOURCE_SESSION_TYPE_COUNT), check_protected_count},
    {D3D12_FEATURE_PROTECTED_RESOURCE_SESSION_TYPES, sizeof(D3D12_FEATURE_DATA_PROTECTED_RESOURCE_SESSION_TYPES),
     check_protected_types},
};

static HRESULT wrong_size(struct d3d12_device *device, int feature, UINT given, UINT wanted)
{
    return d3d12_fail(device, E_INVALIDARG, RULE_FEATURE_QUERY,
                      "CheckFeatureSupport: FeatureSupportDataSize is %u, Feature %d has %u bytes", given, feature, wanted);
}

HRESULT d3d12_feature_check(struct d3d12_device *device, D3D12_FEATURE feature, void *data, UINT byte_count)
{
    if (!data)
        return d3d12_fail(device, E_INVALIDARG, RULE_FEATURE_QUERY, "CheckFeatureSupport: pFeatureSupportData is NULL");
    for (size_t i = 0; i < ARRAY_COUNT(constants); i++) {
        if (constants[i].feature != (int)feature)
            continue;
        if (constants[i].byte_count != byte_count)
            return wrong_size(device, feature, byte_count, constants[i].byte_count);
        memcpy(data, constants[i].answer, byte_count);
        return S_OK;
    }
    struct query query = {device, data};
    for (size_t i = 0; i < ARRAY_COUNT(functions); i++) {
        if (functions[i].feature != (int)feature)
            continue;
        if (functions[i].byte_count != byte_count)
            return wrong_size(device, feature, byte_count, functions[i].byte_count);
        return functions[i].check(&query);
    }
    message_write(device->messages, RULE_FEATURE_QUERY, "CheckFeatureSupport: Feature %d is not known", feature);
    return E_INVALIDARG;
}
