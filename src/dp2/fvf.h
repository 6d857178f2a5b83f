/* SPDX-License-Identifier: MIT
 * Flexible vertex formats: where the components of a vertex lie. Input: an FVF code from the stream. Used by vertex
 * processing, collection and the describer. */
#ifndef CDXR_DP2_FVF_H
#define CDXR_DP2_FVF_H

#include <stdbool.h>
#include <stdint.h>

enum { FVF_TEXTURE_SETS = 8, FVF_ABSENT = 0xFF };

struct fvf_layout {
    uint32_t code;
    bool pretransformed;   /* XYZRHW */
    bool last_beta_indices; /* LASTBETA_UBYTE4 */
    bool point_size_counts; /* bit 0x20 is a point size: drawing tokens of DirectX 8 */
    uint8_t beta_count;    /* blend weights, the index beta included */
    uint8_t set_count;
    uint8_t vertex_bytes;  /* packed size */
    /* byte offsets, FVF_ABSENT when the component is missing */
    uint8_t beta_offset, normal_offset, point_size_offset, diffuse_offset, specular_offset;
    uint8_t set_offset[FVF_TEXTURE_SETS];
    uint8_t set_floats[FVF_TEXTURE_SETS]; /* 0 when missing */
};

/* False when the position type is missing or there are more than eight texture sets. */
bool dp2_fvf_layout_init(uint32_t fvf, struct fvf_layout *layout);

#endif
