/* SPDX-License-Identifier: MIT
 * The sampling code once more, built with AVX2 and F16C (flags: room.cmake); the names of its parts get a suffix. */
#if defined(__x86_64__)
#define filter_level filter_level_avx2
#define filter_footprint filter_footprint_avx2
#define filter_compare filter_compare_avx2
#define filter_border filter_border_avx2
#define filter_gradient_lod filter_gradient_lod_avx2
#define cube_face_of cube_face_of_avx2
#define cube_gradient cube_gradient_avx2
#define cube_neighbour cube_neighbour_avx2
#define texel_fetch_block texel_fetch_block_avx2
#define texel_fetch_generic texel_fetch_generic_avx2
#define texel_formats texel_formats_avx2
#define sample_functions_baseline sample_functions_avx2

#include "ops/cube.c"
#include "ops/filter.c"
#include "ops/sample.c"
#include "ops/sample_lod.c"
#include "ops/texel.c"
#endif
