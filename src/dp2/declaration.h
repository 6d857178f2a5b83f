/* SPDX-License-Identifier: MIT
 * Vertex declarations without code: the fixed function fed from several streams (DX8). Input: the tokens that CREATEVERTEXSHADER kept.
 * The drawing tokens of DirectX 8 gather such vertices into packed ones, which the rest of the room takes like any others. */
#ifndef CDXR_DP2_DECLARATION_H
#define CDXR_DP2_DECLARATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dp2/fvf.h"
#include "dp2/state.h"

enum declaration_type { /* of D3DVSDT */
    DECLARATION_FLOAT1, DECLARATION_FLOAT2, DECLARATION_FLOAT3, DECLARATION_FLOAT4,
    DECLARATION_COLOR, DECLARATION_UBYTE4, DECLARATION_SHORT2, DECLARATION_SHORT4,
    DECLARATION_TYPES, DECLARATION_NONE = 0xFF,
};
enum declaration_register { /* of D3DVSDE */
    DECLARATION_POSITION, DECLARATION_BLEND_WEIGHT, DECLARATION_BLEND_INDICES, DECLARATION_NORMAL, DECLARATION_POINT_SIZE,
    DECLARATION_DIFFUSE, DECLARATION_SPECULAR, DECLARATION_TEXTURE0, DECLARATION_POSITION2 = 15, DECLARATION_NORMAL2, DECLARATION_REGISTERS,
};

struct declaration_element {
    uint8_t type;               /* enum declaration_type, NONE when the register is not fed */
    uint8_t stream;
    uint16_t offset_bytes;      /* in the stream's vertex */
};

struct declaration {
    struct declaration_element elements[DECLARATION_REGISTERS];
    uint32_t streams_mask;      /* streams that some element reads */
    uint32_t stream_bytes[STATE_STREAMS]; /* of a vertex that must be there */
    struct fvf_layout layout;   /* of the packed vertex */
};

/* Where the vertices of each stream are. */
struct declaration_stream {
    const uint8_t *bytes;
    uint32_t stride_bytes;
};

/* False when the tokens are cut or no fixed-function vertex; *reason says why. */
bool dp2_declaration_read(const uint8_t *bytes, size_t byte_count, struct declaration *declaration, const char **reason);
/* Write one packed vertex. tween: 0..1 mixes POSITION2 and NORMAL2 in, negative: they are left alone. */
void dp2_declaration_gather(const struct declaration *declaration, const struct declaration_stream streams[STATE_STREAMS], uint64_t index,
                            float tween, uint8_t *out);

#endif
