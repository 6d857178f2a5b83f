/* SPDX-License-Identifier: MIT
 * Slow texture sampler in double precision, written from D3D11.3 functional specification 7.18, for tests only. */
#ifndef CDXR_TESTS_REF_TEXTURE_REF_H
#define CDXR_TESTS_REF_TEXTURE_REF_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/descriptor.h"

/* RGBA floats of all mips and slices; mip m, slice s, texel x y z. */
struct ref_texture {
    int axes; /* 1, 2, 3; cube maps: 2 with 6 slices a cube */
    bool is_cube;
    int width, height, depth, slice_count, mip_count;
    const float *(*texel)(const struct ref_texture *texture, int mip, int slice, int x, int y, int z);
    void *data;
};

struct ref_sample {
    double coord[3]; /* cube maps: direction */
    int slice;       /* array slice, cube maps: number of the cube */
    int offset[3];
    double lod; /* final, before the sampler's bias and clamps */
    bool is_comparison;
    double reference;
};

/* out: the filtered texel; nearest_edge: the least distance (in texels) of a point-sampled place to the next texel, or of
 * the LOD to a decision; comparisons near 0 mean nothing. */
void texture_ref_sample(const struct ref_texture *texture, const struct abi_sampler *sampler,
                        const struct ref_sample *sample, double out[4], double *nearest_edge);

/* Isotropic LOD of gradients in coordinates (not cube maps). */
double texture_ref_lod(const struct ref_texture *texture, const double ddx[3], const double ddy[3]);

#endif
