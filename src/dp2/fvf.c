/* SPDX-License-Identifier: MIT */
#include "dp2/fvf.h"

#include <string.h>

#include "cdxr/d3dhal.h"

static bool layout_position(uint32_t fvf, struct fvf_layout *layout, uint32_t *offset)
{
    switch (fvf & D3DFVF_POSITION_MASK) {
    case D3DFVF_XYZ:
        *offset = 12;
        return true;
    case D3DFVF_XYZRHW:
        layout->pretransformed = true;
        *offset = 16;
        return true;
    case 0:
        return false;
    default:
        layout->beta_count = (uint8_t)(((fvf & D3DFVF_POSITION_MASK) - 4) / 2);
        layout->beta_offset = 12;
        layout->last_beta_indices = (fvf & D3DFVF_LASTBETA_UBYTE4) != 0;
        *offset = 12 + 4u * layout->beta_count;
        return true;
    }
}

static uint8_t place(bool present, uint32_t byte_count, uint32_t *offset)
{
    if (!present)
        return FVF_ABSENT;
    uint32_t here = *offset;
    *offset += byte_count;
    return (uint8_t)here;
}

bool dp2_fvf_layout_init(uint32_t fvf, struct fvf_layout *layout)
{
    static const uint8_t floats_of_format[4] = {2, 3, 4, 1};
    memset(layout, 0, sizeof(*layout));
    memset(layout->set_offset, FVF_ABSENT, sizeof(layout->set_offset));
    layout->code = fvf;
    layout->beta_offset = FVF_ABSENT;
    uint32_t offset = 0;
    uint32_t set_count = (fvf & D3DFVF_TEXCOUNT_MASK) >> D3DFVF_TEXCOUNT_SHIFT;
    if (!layout_position(fvf, layout, &offset) || set_count > FVF_TEXTURE_SETS)
        return false;
    layout->normal_offset = place(fvf & D3DFVF_NORMAL, 12, &offset);
    layout->point_size_offset = place(fvf & D3DFVF_RESERVED1, 4, &offset);
    layout->diffuse_offset = place(fvf & D3DFVF_DIFFUSE, 4, &offset);
    layout->specular_offset = place(fvf & D3DFVF_SPECULAR, 4, &offset);
    layout->set_count = (uint8_t)set_count;
    for (uint32_t i = 0; i < set_count; i++) {
        layout->set_floats[i] = floats_of_format[fvf >> (16 + 2 * i) & 3];
        layout->set_offset[i] = place(true, 4u * layout->set_floats[i], &offset);
    }
    layout->vertex_bytes = (uint8_t)offset; /* at most 32 + 12 + 4 + 8 + 128 */
    return true;
}
