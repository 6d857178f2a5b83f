/* SPDX-License-Identifier: MIT
 * What a descriptor handle points at (CPU and GPU handles are both host addresses of these), and textures.
 * Written by d3d12/, read by ops/ (shader side) and exec/ (clears, copies). Fixed layout, freestanding. */
#ifndef CDXR_ABI_DESCRIPTOR_H
#define CDXR_ABI_DESCRIPTOR_H

#include <stdint.h>

enum abi_descriptor_kind {
    ABI_DESCRIPTOR_NONE = 0, /* never written: use is an error that is reported, reads give 0 */
    ABI_DESCRIPTOR_CBV,
    ABI_DESCRIPTOR_TYPED_BUFFER,
    ABI_DESCRIPTOR_STRUCTURED_BUFFER,
    ABI_DESCRIPTOR_RAW_BUFFER,
    ABI_DESCRIPTOR_TEXTURE,
    ABI_DESCRIPTOR_ACCELERATION_STRUCTURE,
    ABI_DESCRIPTOR_SAMPLER,
    ABI_DESCRIPTOR_RTV,
    ABI_DESCRIPTOR_DSV,
};

enum abi_texture_dimension { /* shape of a texture view */
    ABI_TEXTURE_1D = 1,
    ABI_TEXTURE_1D_ARRAY,
    ABI_TEXTURE_2D,
    ABI_TEXTURE_2D_ARRAY,
    ABI_TEXTURE_2DMS,
    ABI_TEXTURE_2DMS_ARRAY,
    ABI_TEXTURE_3D,
    ABI_TEXTURE_CUBE,
    ABI_TEXTURE_CUBE_ARRAY,
};

enum { ABI_MAX_MIPS = 15 };

/* Linear layout: slice-major, then plane, then mip; texels of a mip in rows of row_pitch bytes, depth slices of
 * depth_pitch bytes; the samples of a texel stand together. Block-compressed formats: rows of blocks. */
struct abi_texture_mip {
    uint64_t offset; /* from the start of an array slice */
    uint32_t row_pitch;
    uint32_t depth_pitch;
};

struct abi_texture {
    uint8_t *base;
    uint64_t size_bytes;
    uint64_t slice_bytes; /* one array slice with all its mips, one plane */
    uint32_t width, height, depth;
    uint16_t array_size;
    uint8_t mip_count;
    uint8_t sample_count;
    uint16_t format; /* DXGI_FORMAT of the resource */
    uint8_t plane_count;
    uint8_t dimension; /* 1, 2, 3 */
    struct abi_texture_mip mips[ABI_MAX_MIPS];
    /* plane p of array slice s starts at base + (p * array_size + s) * slice_bytes */
};

struct abi_sampler {
    uint32_t filter; /* D3D12_FILTER */
    uint8_t address[3];  /* D3D12_TEXTURE_ADDRESS_MODE of u, v, w */
    uint8_t comparison;  /* D3D12_COMPARISON_FUNC */
    float mip_lod_bias;
    uint32_t max_anisotropy;
    float min_lod, max_lod;
    uint32_t border_is_uint; /* the border words are integers */
    uint32_t border[4];      /* float bits or integers */
};

struct abi_buffer_view {
    uint64_t address;         /* first byte; 0 = null descriptor */
    uint64_t size_bytes;      /* of the view, clipped to the resource */
    uint64_t counter_address; /* UAV counter dword, or 0 */
    uint32_t stride;          /* structured: bytes of an element */
    uint32_t reserved;
};

struct abi_texture_view {
    const struct abi_texture *texture; /* NULL = null descriptor */
    uint16_t first_mip, mip_count;
    uint16_t first_slice, slice_count; /* array slices; depth slices for 3D UAVs */
    uint16_t swizzle;                  /* D3D12_SHADER_COMPONENT_MAPPING, 12 bits */
    uint8_t plane;
    uint8_t reserved;
    float min_lod;
    uint32_t reserved2[4];
};

struct abi_descriptor {
    uint8_t kind;      /* enum abi_descriptor_kind */
    uint8_t is_uav;    /* 1: UAV, 0: SRV or CBV */
    uint8_t dimension; /* enum abi_texture_dimension, also of null textures */
    uint8_t reserved;
    uint16_t format; /* DXGI_FORMAT of the view */
    uint16_t reserved2;
    union {
        struct abi_buffer_view buffer; /* CBV, buffers, acceleration structure (address) */
        struct abi_texture_view texture;
        struct abi_sampler sampler;
    };
    uint64_t resource_id; /* for messages and lifetime checks; 0 = none */
};
_Static_assert(sizeof(struct abi_descriptor) == 64, "descriptor handle increment");

#endif
