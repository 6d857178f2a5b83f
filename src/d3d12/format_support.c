/* SPDX-License-Identifier: MIT
 * D3D12_FEATURE_FORMAT_SUPPORT from the format table: says what views, samplers and stores of this device really do. */
#include "base/format.h"
#include "d3d12/feature_support.h"
#include "d3d12/resource_info.h"

static unsigned vertex_bits(DXGI_FORMAT format, const struct format_info *info)
{
    unsigned bits = 0;
    bool plain = info->layout == FORMAT_LAYOUT_8 || info->layout == FORMAT_LAYOUT_16 || info->layout == FORMAT_LAYOUT_32 ||
                 info->layout == FORMAT_LAYOUT_R10G10B10A2;
    if (plain && info->type >= FORMAT_TYPE_FLOAT && info->type != FORMAT_TYPE_SRGB && !info->flags)
        bits |= D3D12_FORMAT_SUPPORT1_IA_VERTEX_BUFFER;
    if (format == DXGI_FORMAT_R16_UINT || format == DXGI_FORMAT_R32_UINT)
        bits |= D3D12_FORMAT_SUPPORT1_IA_INDEX_BUFFER;
    return bits;
}

static unsigned texture_bits(DXGI_FORMAT format, const struct format_info *info)
{
    bool blocks = info->block_width > 1;
    bool depth = info->flags & FORMAT_FLAG_DEPTH, stencil = info->flags & FORMAT_FLAG_STENCIL;
    unsigned bits = D3D12_FORMAT_SUPPORT1_TEXTURE2D | D3D12_FORMAT_SUPPORT1_TEXTURECUBE | D3D12_FORMAT_SUPPORT1_MIP |
                    D3D12_FORMAT_SUPPORT1_CAST_WITHIN_BIT_LAYOUT;
    if (!blocks)
        bits |= D3D12_FORMAT_SUPPORT1_TEXTURE1D;
    if (!depth && !stencil)
        bits |= D3D12_FORMAT_SUPPORT1_TEXTURE3D;
    if (depth)
        bits |= D3D12_FORMAT_SUPPORT1_DEPTH_STENCIL;
    if (format_can_load(format))
        bits |= D3D12_FORMAT_SUPPORT1_SHADER_LOAD;
    if (format_can_load(format) && !blocks)
        bits |= D3D12_FORMAT_SUPPORT1_MULTISAMPLE_LOAD;
    if (format_can_sample(format))
        bits |= D3D12_FORMAT_SUPPORT1_SHADER_SAMPLE | D3D12_FORMAT_SUPPORT1_SHADER_GATHER;
    if (format_can_sample(format) && info->channel_count == 1)
        bits |= D3D12_FORMAT_SUPPORT1_SHADER_SAMPLE_COMPARISON | D3D12_FORMAT_SUPPORT1_SHADER_GATHER_COMPARISON;
    if (format_can_render(format))
        bits |= D3D12_FORMAT_SUPPORT1_RENDER_TARGET | D3D12_FORMAT_SUPPORT1_MULTISAMPLE_RENDERTARGET;
    if (format_can_render(format) && info->type != FORMAT_TYPE_UINT && info->type != FORMAT_TYPE_SINT)
        bits |= D3D12_FORMAT_SUPPORT1_MULTISAMPLE_RESOLVE;
    if (format_can_store(format))
        bits |= D3D12_FORMAT_SUPPORT1_TYPED_UNORDERED_ACCESS_VIEW;
    return bits;
}

static unsigned second_word(DXGI_FORMAT format)
{
    unsigned bits = 0;
    if (format_can_store(format))
        bits |= D3D12_FORMAT_SUPPORT2_UAV_TYPED_STORE;
    if (format_can_load_uav(format))
        bits |= D3D12_FORMAT_SUPPORT2_UAV_TYPED_LOAD;
    if (format == DXGI_FORMAT_R32_UINT || format == DXGI_FORMAT_R32_SINT)
        bits |= D3D12_FORMAT_SUPPORT2_UAV_ATOMIC_ADD | D3D12_FORMAT_SUPPORT2_UAV_ATOMIC_BITWISE_OPS |
                D3D12_FORMAT_SUPPORT2_UAV_ATOMIC_COMPARE_STORE_OR_COMPARE_EXCHANGE |
                D3D12_FORMAT_SUPPORT2_UAV_ATOMIC_EXCHANGE;
    if (format == DXGI_FORMAT_R32_SINT)
        bits |= D3D12_FORMAT_SUPPORT2_UAV_ATOMIC_SIGNED_MIN_OR_MAX;
    if (format == DXGI_FORMAT_R32_UINT)
        bits |= D3D12_FORMAT_SUPPORT2_UAV_ATOMIC_UNSIGNED_MIN_OR_MAX;
    D3D12_TILE_SHAPE shape;
    if (d3d12_tile_shape(format, D3D12_RESOURCE_DIMENSION_TEXTURE2D, 1, &shape))
        bits |= D3D12_FORMAT_SUPPORT2_TILED;
    return bits;
}

bool d3d12_format_support(DXGI_FORMAT format, D3D12_FORMAT_SUPPORT1 *support1, D3D12_FORMAT_SUPPORT2 *support2)
{
    const struct format_info *info = format_get_info(format);
    *support1 = D3D12_FORMAT_SUPPORT1_NONE;
    *support2 = D3D12_FORMAT_SUPPORT2_NONE;
    if (!info->name)
        return false;
    if (format == DXGI_FORMAT_UNKNOWN) {
        *support1 = D3D12_FORMAT_SUPPORT1_BUFFER;
        return true;
    }
    if (!format_is_supported(format))
        return true;
    unsigned bits = texture_bits(format, info) | vertex_bits(format, info);
    if (format_can_buffer(format) || format == DXGI_FORMAT_R32_TYPELESS)
        bits |= D3D12_FORMAT_SUPPORT1_BUFFER;
    if (info->type == FORMAT_TYPE_TYPELESS)
        bits &= ~(unsigned)D3D12_FORMAT_SUPPORT1_SHADER_LOAD;
    *support1 = (D3D12_FORMAT_SUPPORT1)bits;
    *support2 = (D3D12_FORMAT_SUPPORT2)second_word(format);
    return true;
}
