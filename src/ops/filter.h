/* SPDX-License-Identifier: MIT
 * Sampling, split by step: sample.c chooses levels, filter.c reads one level at one place, sample_lod.c derives LODs,
 * cube.c maps directions to faces. Private to ops. */
#ifndef CDXR_OPS_FILTER_H
#define CDXR_OPS_FILTER_H

#include "ops/sample.h"
#include "ops/texel.h"

enum filter_address { FILTER_ADDRESS_WRAP = 1, FILTER_ADDRESS_MIRROR, FILTER_ADDRESS_CLAMP, FILTER_ADDRESS_BORDER, FILTER_ADDRESS_MIRROR_ONCE };

enum filter_reduction { FILTER_REDUCTION_STANDARD, FILTER_REDUCTION_COMPARISON, FILTER_REDUCTION_MINIMUM, FILTER_REDUCTION_MAXIMUM };

/* Bits of D3D12_FILTER. */
enum {
    FILTER_BIT_MIP_LINEAR = 0x1,
    FILTER_BIT_MAG_LINEAR = 0x4,
    FILTER_BIT_MIN_LINEAR = 0x10,
    FILTER_BIT_ANISOTROPIC = 0x40,
    FILTER_REDUCTION_SHIFT = 7,
};

/* Everything about one sampling operation that does not depend on the mip. */
struct filter {
    struct texel_view view;
    const struct abi_descriptor *texture;
    const struct abi_sampler *sampler;
    uint32_t axes;     /* 1 to 3; cube maps: 2, and coord is a place on a face */
    uint32_t slice;    /* array slice of the resource; cube maps: of face 0 */
    uint32_t face;     /* cube maps */
    bool is_cube;
    uint32_t reduction; /* enum filter_reduction */
    uint32_t comparison; /* D3D12_COMPARISON_FUNC */
    float reference;
    float coord[3];
    int32_t offset[3];
};

/* Texels under a footprint and their weights. */
struct filter_taps {
    uint32_t count;
    vec4 texel[8];
    float weight[8];
};

/* One level at filter->coord. mip: of the resource. Standard: the weighted sum; comparison: the share in [0]; minimum and
 * maximum: over texels of weight other than 0. */
vec4 filter_level(const struct filter *filter, uint32_t mip, bool is_linear);

/* The four texels around coord in the order (0,0) (1,0) (0,1) (1,1). Weights by place. */
void filter_footprint(const struct filter *filter, uint32_t mip, struct filter_taps *taps);

/* Whether a reference passes against a component. */
bool filter_compare(uint32_t comparison, float reference, float texel);

vec4 filter_border(const struct filter *filter);

/* Direction to face and place: coord[0], coord[1] from 0 to 1. */
uint32_t cube_face_of(const float direction[3], float coord[2]);
/* Derivatives of a direction to those of the place on the face. */
void cube_gradient(const float direction[3], const float gradient[3], float out[2]);
/* The texel next to a face's edge: x or y may be -1 or size (not both); result: its face, x and y there. */
uint32_t cube_neighbour(uint32_t face, int32_t size, int32_t *x, int32_t *y);

struct filter_lod {
    float lod; /* before the sampler's bias and clamps */
    uint32_t tap_count; /* anisotropic: samples along the line; otherwise 1 */
    float line[2];      /* the line's length in coordinates (0 to 1), from end to end */
};
/* size: of the view's first mip, per axis. */
void filter_gradient_lod(const struct filter *filter, const struct ops_sample_arguments *arguments, const float size[3],
                         struct filter_lod *out);

#endif
