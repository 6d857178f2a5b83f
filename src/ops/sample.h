/* SPDX-License-Identifier: MIT
 * The native functions behind the texture operations (ops/texture.h): what a wrapper in a shader calls. */
#ifndef CDXR_OPS_SAMPLE_H
#define CDXR_OPS_SAMPLE_H

#include "abi/descriptor.h"
#include "abi/thread.h"
#include "ops/types.h"

enum ops_lod_mode {
    OPS_LOD_GRADIENT, /* from ddx, ddy; lod is a bias */
    OPS_LOD_EXPLICIT, /* lod; ddx and ddy are not read */
};

/* Coordinates as the view's dimension wants them, array slice last. Offsets in texels. */
struct ops_sample_arguments {
    float coord[4];
    int32_t offset[3];
    uint32_t lod_mode; /* enum ops_lod_mode */
    float lod;
    float clamp;   /* least LOD */
    float compare; /* reference of comparison samplers */
    uint32_t is_comparison;
    float ddx[3], ddy[3];
};

/* out: the texel's words as in format_load, swizzled; comparison: the share of passing texels in [0], zeros. */
void ops_native_sample(struct abi_thread *thread, const struct abi_descriptor *texture,
                       const struct abi_descriptor *sampler, const struct ops_sample_arguments *arguments,
                       uint32_t out[4]);

/* The LOD of Sample with these coordinates; clamped: to the sampler's range and the view's mips. */
float ops_native_calculate_lod(struct abi_thread *thread, const struct abi_descriptor *texture,
                               const struct abi_descriptor *sampler, const struct ops_sample_arguments *arguments,
                               bool clamped);

enum ops_gather_mode { OPS_GATHER_CHANNEL, OPS_GATHER_COMPARE, OPS_GATHER_RAW };

/* The four texels of a bilinear footprint of the view's first mip: (0,1) (1,1) (1,0) (0,0). channel: component; RAW: out
 * has the texel's own bits, 64 each. */
void ops_native_gather(struct abi_thread *thread, const struct abi_descriptor *texture,
                       const struct abi_descriptor *sampler, const struct ops_sample_arguments *arguments,
                       uint32_t channel, uint32_t mode, uint64_t out[4]);

/* coord: texel, array slice last; offset is added to the first coordinates. Multisampled: mip_or_sample is the sample. */
void ops_native_texture_load(struct abi_thread *thread, const struct abi_descriptor *texture, int32_t mip_or_sample,
                             const int32_t coord[3], const int32_t offset[3], uint32_t out[4]);
void ops_native_texture_store(struct abi_thread *thread, const struct abi_descriptor *texture, const int32_t coord[3],
                              int32_t sample, const uint32_t in[4]);
void ops_native_get_dimensions(struct abi_thread *thread, const struct abi_descriptor *resource, uint32_t mip,
                               uint32_t out[4]);
void ops_native_sample_position(struct abi_thread *thread, const struct abi_descriptor *texture, uint32_t index,
                                float out[2]);

#endif
