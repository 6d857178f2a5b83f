/* SPDX-License-Identifier: MIT
 * The functions of cdxr-shader-bench that stand against shaders: plain C over plain arrays. */
#ifndef CDXR_BENCH_SHADERS_H
#define CDXR_BENCH_SHADERS_H

#include <stdint.h>

struct native_sphere {
    float centre[3];
    float radius;
    uint32_t style, disc_side;
};
/* Called for each hit; attributes: normal and bits. Returns whether the search ends. */
typedef uint32_t (*native_report_fn)(float t, uint32_t kind, const void *attributes);

void native_kernel(uint32_t id, const float *input, float *output);
void native_texture_loop(uint32_t id, const uint8_t *rgba, float *output);
/* 16 bilinear samples with wrapping coordinates, in the order of operations that D3D's samplers have. */
void native_sample_loop(uint32_t id, const uint8_t *rgba, float *output);
void native_sphere_intersection(const struct native_sphere *sphere, const float origin[3], const float direction[3],
                                native_report_fn report);

#endif
