/* SPDX-License-Identifier: MIT
 * Rules of resource descriptions that hold without a heap: dimensions, formats, flags, layouts, sample counts
 * (ID3D12Device::CreateCommittedResource, D3D12_RESOURCE_DESC, D3D12_RESOURCE_FLAGS in the API reference). */
#include "base/format.h"
#include "d3d12/resource.h"

#define ALL_FLAGS 0x1ff
#define BUFFER_BYTES_MAX (1ull << 44)

struct check {
    const D3D12_RESOURCE_DESC1 *desc;
    enum rule *rule;
    struct reason *reason;
};

#define BREAKS(check, broken_rule, ...)                                                                      \
    (*(check)->rule = (broken_rule), reason_set((check)->reason, STATUS_INVALID, __VA_ARGS__))

static enum status check_buffer(const struct check *check)
{
    const D3D12_RESOURCE_DESC1 *desc = check->desc;
    if (desc->Width == 0 || desc->Width > BUFFER_BYTES_MAX)
        return BREAKS(check, RULE_RESOURCE_DIMENSIONS, "Width is %llu bytes, a buffer has 1 to 2^44",
                      (unsigned long long)desc->Width);
    if (desc->Height != 1 || desc->DepthOrArraySize != 1 || desc->MipLevels != 1)
        return BREAKS(check, RULE_RESOURCE_DIMENSIONS,
                      "Height %u, DepthOrArraySize %u, MipLevels %u must be 1 for a buffer", desc->Height,
                      desc->DepthOrArraySize, desc->MipLevels);
    if (desc->Format != DXGI_FORMAT_UNKNOWN)
        return BREAKS(check, RULE_RESOURCE_FORMAT, "Format %d must be DXGI_FORMAT_UNKNOWN for a buffer", desc->Format);
    if (desc->SampleDesc.Count != 1 || desc->SampleDesc.Quality != 0)
        return BREAKS(check, RULE_RESOURCE_DIMENSIONS, "SampleDesc {%u, %u} must be {1, 0} for a buffer",
                      desc->SampleDesc.Count, desc->SampleDesc.Quality);
    if (desc->Layout != D3D12_TEXTURE_LAYOUT_ROW_MAJOR)
        return BREAKS(check, RULE_RESOURCE_LAYOUT, "Layout %d must be D3D12_TEXTURE_LAYOUT_ROW_MAJOR for a buffer",
                      desc->Layout);
    unsigned wrong = D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL | D3D12_RESOURCE_FLAG_ALLOW_SIMULTANEOUS_ACCESS;
    if (desc->Flags & wrong)
        return BREAKS(check, RULE_RESOURCE_FLAGS, "Flags 0x%x: a buffer is no depth stencil, and has simultaneous access "
                      "anyway", desc->Flags);
    if (desc->Alignment != 0 && desc->Alignment != D3D12_DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT)
        return BREAKS(check, RULE_RESOURCE_DIMENSIONS, "Alignment %llu must be 0 or 65536 for a buffer",
                      (unsigned long long)desc->Alignment);
    return STATUS_OK;
}

static uint32_t mips_max(const D3D12_RESOURCE_DESC1 *desc)
{
    uint64_t extent = desc->Width > desc->Height ? desc->Width : desc->Height;
    if (desc->Dimension == D3D12_RESOURCE_DIMENSION_TEXTURE3D && desc->DepthOrArraySize > extent)
        extent = desc->DepthOrArraySize;
    uint32_t count = 1;
    while (extent >>= 1)
        count++;
    return count;
}

static enum status check_extent(const struct check *check)
{
    static const struct {
        uint32_t width, height, depth;
    } limits[] = {
        [D3D12_RESOURCE_DIMENSION_TEXTURE1D] = {16384, 1, 2048},
        [D3D12_RESOURCE_DIMENSION_TEXTURE2D] = {16384, 16384, 2048},
        [D3D12_RESOURCE_DIMENSION_TEXTURE3D] = {2048, 2048, 2048},
    };
    const D3D12_RESOURCE_DESC1 *desc = check->desc;
    bool fits = desc->Width <= limits[desc->Dimension].width && desc->Height <= limits[desc->Dimension].height &&
                desc->DepthOrArraySize <= limits[desc->Dimension].depth;
    if (!fits || !desc->Width || !desc->Height || !desc->DepthOrArraySize)
        return BREAKS(check, RULE_RESOURCE_DIMENSIONS,
                      "%llu x %u x %u: this dimension takes 1 x 1 x 1 to %u x %u x %u",
                      (unsigned long long)desc->Width, desc->Height, desc->DepthOrArraySize,
                      limits[desc->Dimension].width, limits[desc->Dimension].height, limits[desc->Dimension].depth);
    /* More mips than the size has are accepted, as by the runtime: the last ones are one texel large. */
    if (desc->MipLevels > D3D12_REQ_MIP_LEVELS)
        return BREAKS(check, RULE_RESOURCE_DIMENSIONS, "MipLevels is %u, at most %u", desc->MipLevels,
                      D3D12_REQ_MIP_LEVELS);
    uint32_t slices = desc->Dimension == D3D12_RESOURCE_DIMENSION_TEXTURE3D ? 1 : desc->DepthOrArraySize;
    uint64_t subresources = (uint64_t)slices * (desc->MipLevels ? desc->MipLevels : mips_max(desc));
    if (subresources > D3D12_REQ_SUBRESOURCES)
        return BREAKS(check, RULE_RESOURCE_DIMENSIONS, "%llu subresources, at most 30720",
                      (unsigned long long)subresources);
    return STATUS_OK;
}

static enum status check_samples(const struct check *check)
{
    const D3D12_RESOURCE_DESC1 *desc = check->desc;
    UINT count = desc->SampleDesc.Count, quality = desc->SampleDesc.Quality;
    if (count == 0 || count > 16 || (count & (count - 1)))
        return BREAKS(check, RULE_RESOURCE_DIMENSIONS, "SampleDesc.Count is %u, must be 1, 2, 4, 8 or 16", count);
    if (quality != 0 && quality != UINT32_MAX)
        return BREAKS(check, RULE_RESOURCE_DIMENSIONS, "SampleDesc.Quality is %u, the device has level 0 only", quality);
    if (count == 1)
        return STATUS_OK;
    if (desc->Dimension != D3D12_RESOURCE_DIMENSION_TEXTURE2D || desc->MipLevels != 1)
        return BREAKS(check, RULE_RESOURCE_DIMENSIONS,
                      "SampleDesc.Count %u needs a 2D texture with MipLevels 1 (has %u)", count, desc->MipLevels);
    if (!(desc->Flags & (D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET | D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL)))
        return BREAKS(check, RULE_RESOURCE_FLAGS,
                      "Flags 0x%x: a multisampled texture needs ALLOW_RENDER_TARGET or ALLOW_DEPTH_STENCIL", desc->Flags);
    if (desc->Flags & D3D12_RESOURCE_FLAG_ALLOW_SIMULTANEOUS_ACCESS)
        return BREAKS(check, RULE_RESOURCE_FLAGS, "Flags 0x%x: a multisampled texture takes no simultaneous access",
                      desc->Flags);
    return STATUS_OK;
}

/* Does the format's cast family hold a member that test accepts? */
static bool family_has(uint32_t format, bool (*test)(uint32_t))
{
    uint32_t family = format_get_info(format)->family;
    if (test(format))
        return true;
    if (format_get_info(format)->type != FORMAT_TYPE_TYPELESS)
        return false;
    for (uint32_t other = 1; other < FORMAT_COUNT; other++)
        if (format_get_info(other)->family == family && test(other))
            return true;
    return false;
}

static bool is_depth(uint32_t format)
{
    return format_get_info(format)->flags & FORMAT_FLAG_DEPTH;
}

static enum status check_format(const struct check *check)
{
    const D3D12_RESOURCE_DESC1 *desc = check->desc;
    const struct format_info *info = format_get_info(desc->Format);
    if (!info->name || !info->block_bytes || desc->Format == DXGI_FORMAT_UNKNOWN)
        return BREAKS(check, RULE_RESOURCE_FORMAT, "Format %d (%s) is no texture format of this device", desc->Format,
                      info->name ? info->name : "no DXGI_FORMAT");
    bool blocks = info->block_width > 1 || info->block_height > 1;
    if (blocks && desc->Dimension == D3D12_RESOURCE_DIMENSION_TEXTURE1D)
        return BREAKS(check, RULE_RESOURCE_FORMAT, "Format %s does not work for 1D textures", info->name);
    if (desc->Flags & D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET && !family_has(desc->Format, format_can_render))
        return BREAKS(check, RULE_RESOURCE_FORMAT, "Format %s is no render target but Flags has ALLOW_RENDER_TARGET",
                      info->name);
    if (desc->Flags & D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL && !family_has(desc->Format, is_depth))
        return BREAKS(check, RULE_RESOURCE_FORMAT, "Format %s is no depth format but Flags has ALLOW_DEPTH_STENCIL",
                      info->name);
    bool stores = family_has(desc->Format, format_can_store) || info->type == FORMAT_TYPE_SRGB;
    if (desc->Flags & D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS && !stores)
        return BREAKS(check, RULE_RESOURCE_FORMAT,
                      "Format %s takes no typed stores but Flags has ALLOW_UNORDERED_ACCESS", info->name);
    if (is_depth(desc->Format) && desc->Dimension == D3D12_RESOURCE_DIMENSION_TEXTURE3D)
        return BREAKS(check, RULE_RESOURCE_FORMAT, "Format %s does not work for 3D textures", info->name);
    return STATUS_OK;
}

static enum status check_texture_flags(const struct check *check)
{
    const D3D12_RESOURCE_DESC1 *desc = check->desc;
    D3D12_RESOURCE_FLAGS flags = desc->Flags;
    if (flags & D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL &&
        flags & (D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET | D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS |
                 D3D12_RESOURCE_FLAG_ALLOW_SIMULTANEOUS_ACCESS))
        return BREAKS(check, RULE_RESOURCE_FLAGS, "Flags 0x%x: ALLOW_DEPTH_STENCIL goes with no render target, "
                      "unordered or simultaneous access", flags);
    if (flags & D3D12_RESOURCE_FLAG_DENY_SHADER_RESOURCE && !(flags & D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL))
        return BREAKS(check, RULE_RESOURCE_FLAGS, "Flags 0x%x: DENY_SHADER_RESOURCE needs ALLOW_DEPTH_STENCIL", flags);
    if (flags & D3D12_RESOURCE_FLAG_RAYTRACING_ACCELERATION_STRUCTURE)
        return BREAKS(check, RULE_RESOURCE_FLAGS, "Flags 0x%x: RAYTRACING_ACCELERATION_STRUCTURE is for buffers", flags);
    return STATUS_OK;
}

static enum status check_layout(const struct check *check)
{
    const D3D12_RESOURCE_DESC1 *desc = check->desc;
    switch (desc->Layout) {
    case D3D12_TEXTURE_LAYOUT_UNKNOWN:
        return STATUS_OK;
    case D3D12_TEXTURE_LAYOUT_64KB_UNDEFINED_SWIZZLE:
        return STATUS_OK;
    case D3D12_TEXTURE_LAYOUT_ROW_MAJOR:
        return BREAKS(check, RULE_RESOURCE_LAYOUT, "Layout ROW_MAJOR needs ALLOW_CROSS_ADAPTER sharing, which this "
                      "device does not have");
    case D3D12_TEXTURE_LAYOUT_64KB_STANDARD_SWIZZLE:
        return BREAKS(check, RULE_RESOURCE_LAYOUT, "Layout 64KB_STANDARD_SWIZZLE is not supported "
                      "(D3D12_OPTIONS.StandardSwizzle64KBSupported)");
    default:
        break;
    }
    return BREAKS(check, RULE_RESOURCE_LAYOUT, "Layout %d is not a layout for this texture", desc->Layout);
}

/* Bytes of mip 0 of one slice decide whether the small alignment may be used. */
static bool is_small(const D3D12_RESOURCE_DESC1 *desc)
{
    const struct format_info *info = format_get_info(desc->Format);
    uint64_t columns = (desc->Width + info->block_width - 1) / info->block_width;
    uint64_t rows = (desc->Height + info->block_height - 1) / info->block_height;
    uint64_t depth = desc->Dimension == D3D12_RESOURCE_DIMENSION_TEXTURE3D ? desc->DepthOrArraySize : 1;
    return columns * rows * depth * info->block_bytes * desc->SampleDesc.Count <= 65536;
}

static enum status check_alignment(const struct check *check)
{
    const D3D12_RESOURCE_DESC1 *desc = check->desc;
    bool multisampled = desc->SampleDesc.Count > 1;
    bool target = desc->Flags & (D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET | D3D12_RESOURCE_FLAG_ALLOW_DEPTH_STENCIL);
    switch (desc->Alignment) {
    case 0:
        return STATUS_OK;
    case D3D12_SMALL_RESOURCE_PLACEMENT_ALIGNMENT:
        if (!multisampled && !target && is_small(desc))
            return STATUS_OK;
        return BREAKS(check, RULE_RESOURCE_DIMENSIONS,
                      "Alignment 4096 needs a texture that is no render target or depth stencil and whose largest mip "
                      "has at most 64 KiB");
    case D3D12_DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT:
        return STATUS_OK;
    case D3D12_DEFAULT_MSAA_RESOURCE_PLACEMENT_ALIGNMENT:
        if (multisampled)
            return STATUS_OK;
        break;
    default:
        break;
    }
    return BREAKS(check, RULE_RESOURCE_DIMENSIONS, "Alignment %llu must be 0, 4096, 65536 or (multisampled) 4194304",
                  (unsigned long long)desc->Alignment);
}

static enum status check_texture(const struct check *check)
{
    RETURN_IF_FAILED(check_extent(check));
    RETURN_IF_FAILED(check_format(check));
    RETURN_IF_FAILED(check_samples(check));
    RETURN_IF_FAILED(check_texture_flags(check));
    RETURN_IF_FAILED(check_layout(check));
    return check_alignment(check);
}

static enum status check_common_flags(const struct check *check)
{
    D3D12_RESOURCE_FLAGS flags = check->desc->Flags;
    if (flags & ~ALL_FLAGS)
        return BREAKS(check, RULE_RESOURCE_FLAGS, "Flags 0x%x has unknown bits", flags);
    if (flags & D3D12_RESOURCE_FLAG_ALLOW_CROSS_ADAPTER)
        return BREAKS(check, RULE_RESOURCE_FLAGS, "Flags 0x%x: there is no second adapter to share with "
                      "(ALLOW_CROSS_ADAPTER)", flags);
    if (flags & (D3D12_RESOURCE_FLAG_VIDEO_DECODE_REFERENCE_ONLY | D3D12_RESOURCE_FLAG_VIDEO_ENCODE_REFERENCE_ONLY))
        return BREAKS(check, RULE_RESOURCE_FLAGS, "Flags 0x%x: this device has no video", flags);
    if (flags & D3D12_RESOURCE_FLAG_RAYTRACING_ACCELERATION_STRUCTURE &&
        !(flags & D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS))
        return BREAKS(check, RULE_RESOURCE_FLAGS,
                      "Flags 0x%x: RAYTRACING_ACCELERATION_STRUCTURE needs ALLOW_UNORDERED_ACCESS", flags);
    return STATUS_OK;
}

enum status d3d12_resource_check_desc(const D3D12_RESOURCE_DESC1 *desc, D3D12_RESOURCE_DESC1 *out, enum rule *rule,
                                      struct reason *reason)
{
    struct check check = {desc, rule, reason};
    if (desc->Dimension < D3D12_RESOURCE_DIMENSION_BUFFER || desc->Dimension > D3D12_RESOURCE_DIMENSION_TEXTURE3D)
        return BREAKS(&check, RULE_RESOURCE_DESCRIPTION, "Dimension %d must be BUFFER or a texture dimension",
                      desc->Dimension);
    if (desc->SamplerFeedbackMipRegion.Width || desc->SamplerFeedbackMipRegion.Height ||
        desc->SamplerFeedbackMipRegion.Depth)
        return BREAKS(&check, RULE_RESOURCE_DESCRIPTION,
                      "SamplerFeedbackMipRegion must be zero: sampler feedback is not supported");
    RETURN_IF_FAILED(check_common_flags(&check));
    bool is_buffer = desc->Dimension == D3D12_RESOURCE_DIMENSION_BUFFER;
    RETURN_IF_FAILED(is_buffer ? check_buffer(&check) : check_texture(&check));
    *out = *desc;
    if (out->MipLevels == 0)
        out->MipLevels = (UINT16)mips_max(desc);
    if (out->Alignment == 0)
        out->Alignment = desc->SampleDesc.Count > 1 ? D3D12_DEFAULT_MSAA_RESOURCE_PLACEMENT_ALIGNMENT
                                                    : D3D12_DEFAULT_RESOURCE_PLACEMENT_ALIGNMENT;
    return STATUS_OK;
}
